"""Questions by code: every key is certain, in any language, and nothing about the options tells the right one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from statistics import fmean

import pytest
from tests.present import some
from tests.small import BY_CODE

from longreach.core.bench import Bench
from longreach.core.types import Item, Key, Question
from longreach.families import get_family
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, check_bench, make_spec
from longreach.families.grounded.by_code import LIKE_QUESTION, Balance, _figures, _stands_alone
from longreach.families.grounded.family import FAMILY
from longreach.families.grounded.questions import distinct_parts, options_of
from longreach.families.showing import assembler_of
from longreach.text.assemble import Assembler
from longreach.text.presence import fold, occurs_in
from longreach.text.sentences import script_of

KINDS = {
    "altered": ("word for word", "一字不差"),
    "next": ("directly after", "紧接在"),
    "order": ("comes first", "comes last", "出现"),
    "section": ("heading", "标题"),
}
GUESSERS = 200
"""Questions on which guessers are measured."""
MOST = 1 / 6 + 0.08
HARD = "altered,next,order,section"
DENSE = {
    "lengths": "6k,12k", "depths": "5..95/5", "questions": 12, "passage_words": 200, "controls": False, "kinds": HARD
}  # fmt: skip
"""Settings with at least 200 questions on a text of 40,000 tokens."""
FEW = {"lengths": "4k,9k", "depths": "10..90/10", "questions": 4, "seed": 2, "kinds": HARD}
"""Settings with some 30 questions on a text of 30,000."""


def _kind(question: Question) -> str:
    stem = question.text.splitlines()[0]
    return next(kind for kind, signs in KINDS.items() if any(sign in stem for sign in signs))


def _asked(bench: Bench) -> list[Question]:
    return [question for question in bench.questions.values() if question.question_type == "reading"]


def _contexts(bench: Bench, question: Question) -> list[str]:
    """The texts of a question's contexts, shortest first."""
    assembler, items = _items(bench)
    return sorted((assembler.text(item.context.pieces).decode() for item in items[question.id]), key=len)


@lru_cache(maxsize=1)
def _items(bench: Bench) -> tuple[Assembler, dict[str, list[Item]]]:
    found: dict[str, list[Item]] = {}
    for item in bench.items.values():
        found.setdefault(item.questions[0], []).append(item)
    return assembler_of(bench), found


def _build(folder: Path, **settings: object) -> Bench:
    spec = make_spec("grounded", {**BY_CODE, **settings})
    return build_bench(spec, folder, BuildContext(warn=lambda _: None))


# A language that nobody speaks: words of random letters of a script, in sentences, in paragraphs.
SCRIPTS: dict[str, tuple[Sequence[str], str, str, bool]] = {
    "latin": ("abdefgilmnoprstuv", " ", ". ", True),
    "cyrillic": ("абвгдежзиклмнопрст", " ", ". ", True),
    "arabic": ("ابتثجحدرسشصطعفقكلمنه", " ", ". ", False),
    "vowelled": ([f"{letter}\u064e" for letter in "ابتثجحدرسشصطعفقكلمنه"], " ", ". ", False),
    "kana": ("あいうえおかきくけこさしすせそたちつてと", "", "。", False),
    "han": ("山水火木金土日月人口手足目耳心田石竹", "", "。", False),
}


def _language(script: str, tokens: int, seed: int = 1, headings: bool = False) -> str:
    """A text in an invented language, with figures and, where the script has capitals, names."""
    letters, space, stop, cased = SCRIPTS[script]
    rng = Random(f"{script} {seed}")

    def word(low: int = 2, high: int = 8) -> str:
        return "".join(rng.choice(letters) for _ in range(rng.randint(low, high)))

    vocabulary = [word() for _ in range(900)]
    names = [word(5, 8).capitalize() for _ in range(40)]
    parts: list[str] = []
    while len(parts) * 55 < tokens:
        sentences = []
        for _ in range(rng.randint(3, 6)):
            words = rng.choices(vocabulary, k=rng.randint(10, 18))
            if rng.random() < 0.4:
                words[rng.randrange(1, len(words))] = str(rng.randint(10, 99) if space else rng.randint(100, 999))
            if cased and rng.random() < 0.5:
                words[rng.randrange(2, len(words))] = rng.choice(names)
            text = space.join(words)
            sentences.append((text[0].upper() + text[1:] if cased else text) + stop.strip())
        if headings and len(parts) % 4 == 0:
            parts.append(f"## {word(4, 8).capitalize()} {word(4, 8)} {len(parts)}")
        parts.append((" " if space else "").join(sentences))
    return "\n\n".join(parts)


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Questions on a text with many figures."""
    folder = tmp_path_factory.mktemp("figures")
    (folder / "text.txt").write_text(_language("latin", 40_000, seed=3), encoding="utf-8")
    return _build(folder / "b", **DENSE, docs=[str(folder / "text.txt")])


SEVERAL = [pytest.param(script, marks=[] if script in ("han", "arabic") else [pytest.mark.long]) for script in SCRIPTS]
"""Without spaces, and from right to left; Latin letters are those of most other tests here."""


@pytest.mark.parametrize("script", SEVERAL)
def test_any_script_gives_questions_with_a_certain_key(script: str, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text(_language(script, 30_000), encoding="utf-8")
    bench = _build(tmp_path / "b", **FEW, docs=[str(tmp_path / "text.txt")])
    asked = _asked(bench)
    assert len(asked) >= 30
    assert len(Counter(map(_kind, asked))) == 3, "a text without headings"
    for question in asked:
        _hold_certain(bench, question)


def test_headings_are_asked_for_in_at_most_a_quarter(tmp_path: Path) -> None:
    (tmp_path / "text.md").write_text(_language("latin", 30_000, headings=True), encoding="utf-8")
    bench = _build(tmp_path / "b", **FEW, docs=[str(tmp_path / "text.md")])
    kinds = Counter(map(_kind, _asked(bench)))
    assert 0 < kinds["section"] <= kinds.total() / 4
    for question in _asked(bench):
        _hold_certain(bench, question)
        assert "## " not in question.text, "a heading is no sentence"


def _hold_certain(bench: Bench, question: Question) -> None:
    """The key follows from each context by a means that the builder does not use: a search in the raw text."""
    options = options_of(question.text)
    right = options[question.key.answer]
    quoted = re.search("[“](.+)[”]", question.text.splitlines()[0])
    for text in _contexts(bench, question):
        folded = fold(text)
        places = {letter: folded.find(fold(option)) for letter, option in options.items()}
        match _kind(question):
            case "altered":
                assert [letter for letter, place in places.items() if place >= 0] == [question.key.answer]
                for value in distinct_parts(options).values():
                    assert occurs_in(value, folded), "every value occurs at every length"
            case "next":
                assert quoted
                assert folded.count(fold(quoted[1])) == 1
                after = folded.partition(fold(quoted[1]))[2].lstrip()
                assert after.startswith(fold(right))
                assert min(places.values()) >= 0
            case "order":
                assert min(places.values()) >= 0
                last = any(word in question.text.splitlines()[0] for word in ("last", "最后"))
                assert (max if last else min)(places, key=lambda one: places[one]) == question.key.answer
            case "section":
                assert quoted
                before = text[: re.sub(r"\s", " ", text).find(quoted[1])]
                assert re.findall(r"(?m)^#+ (.+)$", before)[-1] == right
                assert min(places.values()) >= 0


def test_tables_lists_code_and_headings_are_no_sentences(tmp_path: Path) -> None:
    noise = (
        "- Zorva keeps the brass lantern of the seventh harbour in a chest.\n- Zorva never opens the chest at night.",
        "1. Zorva counts the forty lanterns of the harbour.\n2. Zorva writes the number into the book of tides.",
        "| Zorva sells a lantern on Monday. | Zorva buys a lantern on Friday. |",
        "```\nZorva prints the names of all the lanterns in the harbour.\n```",
        "    Zorva prints the names of all the lanterns in the harbour.",
        "Zorva      40 lanterns      the seventh harbour is closed to ships.",
        "# Zorva and the lanterns of the harbour are closed.",
        "Zorva and the lanterns\n======================",
    )
    rng = Random(1)
    blocks = [
        part
        for block in _language("latin", 26_000).split("\n\n")
        for part in (block, *([rng.choice(noise)] if rng.random() < 0.4 else []))
    ]
    (tmp_path / "text.md").write_text("\n\n".join(blocks), encoding="utf-8")
    bench = _build(tmp_path / "b", **FEW, docs=[str(tmp_path / "text.md")])
    assert len(_asked(bench)) >= 25
    quoted = [question.text for question in _asked(bench) if _kind(question) != "section"]
    assert not [text for text in quoted if "Zorva" in text]


Guess = Callable[[Mapping[str, str], str, str], Mapping[str, float]]


def _frequent(options: Mapping[str, str], _: str, text: str) -> Mapping[str, float]:
    return {letter: text.count(fold(option)) for letter, option in options.items()}


def _sizes(options: Mapping[str, str]) -> dict[str, float]:
    return {letter: float(re.sub(r"\D", "", option) or 0) for letter, option in options.items()}


def _odd_value(options: Mapping[str, str], _: str, __: str) -> Mapping[str, float]:
    sizes = _sizes(options)
    return {letter: abs(size - fmean(sizes.values())) for letter, size in sizes.items()}


def _middle(options: Mapping[str, str], _: str, __: str) -> Mapping[str, float]:
    sizes = _sizes(options)
    low, high = sorted(sizes.values())[2:4]
    return {letter: -abs(size - (low + high) / 2) for letter, size in sizes.items()}


def _odd(options: Mapping[str, str], _: str, __: str) -> Mapping[str, float]:
    return {
        letter: -sum(
            len(_words(option) & _words(other)) / len(_words(option) | _words(other)) for other in options.values()
        )
        for letter, option in options.items()
    }


def _shared(options: Mapping[str, str], quoted: str, _: str) -> Mapping[str, float]:
    return {
        letter: len(_words(option) & _words(quoted)) / max(1, len(_words(option))) ** 0.5
        for letter, option in options.items()
    }


def _similar(options: Mapping[str, str], quoted: str, _: str) -> Mapping[str, float]:
    embedder = pytest.importorskip("longreach.models.embedders").get_embedder("wordllama")
    vectors = embedder.embed([quoted, *options.values()])
    return dict(zip(options, (vectors[1:] @ vectors[0]).tolist(), strict=True))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


GUESSES: dict[str, Guess] = {
    "longest": lambda options, _, __: {letter: len(option) for letter, option in options.items()},
    "shortest": lambda options, _, __: {letter: -len(option) for letter, option in options.items()},
    "most frequent": _frequent,
    "least frequent": lambda *given: {letter: -count for letter, count in _frequent(*given).items()},
    "middle value": _middle,
    "odd value": _odd_value,
    "odd one out": _odd,
    "most shared words": _shared,
    "most similar": _similar,
}


@pytest.mark.long
@pytest.mark.parametrize("text", ["figures", "chronicle"])
def test_who_does_not_read_scores_chance(text: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """At most 8 points above chance over 200 questions: of those that the guesser can apply to."""
    settings = {**DENSE, "docs": ["chronicle:11/en/40k"]}
    bench: Bench = request.getfixturevalue("figures") if text == "figures" else _build(tmp_path / "b", **settings)
    asked = _asked(bench)
    assert len(asked) >= GUESSERS
    scores: dict[str, list[float]] = {name: [] for name in GUESSES}
    for question in asked:
        options = FAMILY.options(question)
        quoted = re.search("[“](.+)[”]", question.text.splitlines()[0])
        context = fold(_contexts(bench, question)[0])
        for name, guess in GUESSES.items():
            if name.startswith("most s") and not quoted:
                continue
            if name.endswith("value") and not all(re.search(r"\d", option) for option in options.values()):
                continue
            given = guess(options, quoted[1] if quoted else "", context)
            best = [letter for letter, score in given.items() if score == max(given.values())]
            scores[name].append((question.key.answer in best) / len(best))
    if text == "chronicle":
        assert not scores.pop("middle value") + scores.pop("odd value"), "the chronicle writes its figures in words"
    for name, found in scores.items():
        assert len(found) >= 20, name
        # A share of fewer questions is less certain.
        assert fmean(found) <= MOST + 0.2 * max(0.0, 1 - len(found) / GUESSERS), name


def test_guessers_are_caught_where_form_tells() -> None:
    """The measure works: a benchmark whose right option is the longest is found out."""
    options = {"A": "a long option", "B": "short", "C": "brief"}
    given = GUESSES["longest"](options, "", "")
    assert max(given, key=lambda letter: given[letter]) == "A"


def test_ranks_are_balanced() -> None:
    balance, rng = Balance(6), Random(1)
    ranks: Counter[int] = Counter()
    likes: Counter[int] = Counter()
    for _ in range(300):
        right, pool = rng.randrange(100), [rng.randrange(100) for _ in range(30)]
        chosen = balance.choose(
            "kind", right, pool, {"size": float, f"{LIKE_QUESTION} by size": lambda one: one % 17}, rng
        )
        if chosen is not None:
            ranks[sum(one > right for one in chosen)] += 1
            likes[sum(one % 17 > right % 17 for one in chosen)] += 1
    assert ranks.total() > 150
    assert max(ranks.values()) < 1.5 * ranks.total() / 6
    assert likes[0] < 0.1 * likes.total(), "seldom the most similar to the question"
    assert balance.choose("kind", 1, [2, 3], {"size": float}, rng) is None, "too few"


def test_not_every_benchmark_begins_with_the_rank_that_is_the_most_frequent() -> None:
    chosen = [Balance(6, seed).choose("kind", 99, range(30), {"size": float}, Random(seed)) for seed in range(60)]
    assert 10 <= chosen.count(None) <= 50


def test_ties_count_as_a_guesser_uses_them() -> None:
    """Most sizes are equal: whoever takes one of the largest is still right no more often than by chance."""
    balance, rng = Balance(6), Random(2)
    scores = []
    for _ in range(300):
        right, pool = float(rng.choice((1, 1, 1, 5))), [float(rng.choice((1, 1, 1, 3))) for _ in range(20)]
        chosen = balance.choose("kind", right, pool, {"size": lambda one: one}, rng)
        if chosen is not None:
            largest = max(right, *chosen)
            scores.append((right == largest) / (1 + chosen.count(largest)))
    assert len(scores) > 100
    assert fmean(scores) <= MOST


@pytest.mark.long
def test_altered_figures_are_exchangeable(figures: Bench) -> None:
    """Only figures, of one form and magnitude, none of them 0 or 1; and no guess by the words beside them."""
    seen = 0
    for question in _asked(figures):
        if _kind(question) == "altered":
            seen += 1
            values = list(distinct_parts(options_of(question.text)).values())
            assert all(re.fullmatch(r"\d+", value) for value in values), values
            assert len({re.sub(r"[1-9]|0(?=\d*[1-9])", "9", value) for value in values}) == 1, "digits and roundness"
            assert min(map(int, values)) >= 2
            assert max(map(int, values)) <= 3 * 3 * min(map(int, values)), "each within three times the right one"
            right = int(distinct_parts(options_of(question.text))[question.key.answer])
            assert all(max(map(int, values)) <= bound for bound in (31, 100) if right <= bound), "no day 69 of a month"
    assert seen >= 20


def test_a_part_of_a_longer_figure_is_not_altered() -> None:
    for space in " \u00a0\u202f":
        text = f"The 6 towns paid 11{space}500 crowns in 1848 and 12{space}750{space}000 later."
        assert [one.text for one in _figures(text) if _stands_alone(text, one)] == ["6", "1848"]


def test_headings_with_markup_are_no_options(tmp_path: Path) -> None:
    text = re.sub(r"(?m)^## ([A-K]\w+)", r"## [\1](https://example.org)", _language("latin", 30_000, headings=True))
    assert text.count("](") > 10
    (tmp_path / "text.md").write_text(text, encoding="utf-8")
    asked = [
        one
        for one in _asked(_build(tmp_path / "b", **FEW, docs=[str(tmp_path / "text.md")]))
        if _kind(one) == "section"
    ]
    assert asked
    assert not [one for one in asked if "](" in one.text]


def test_options_of_what_follows_are_in_its_script(tmp_path: Path) -> None:
    latin, cyrillic = (_language(script, 20_000).split("\n\n") for script in ("latin", "cyrillic"))
    mixed = [block for pair in zip(latin, cyrillic, strict=False) for block in pair]
    (tmp_path / "text.txt").write_text("\n\n".join(mixed), encoding="utf-8")
    bench = _build(tmp_path / "b", **FEW, docs=[str(tmp_path / "text.txt")])
    asked = [question for question in _asked(bench) if _kind(question) == "next"]
    assert len(asked) >= 10
    for question in asked:
        assert len({script_of(option) for option in options_of(question.text).values()}) == 1


def test_first_and_last_are_asked_equally_often(figures: Bench) -> None:
    stems = Counter(question.text.splitlines()[0] for question in _asked(figures) if _kind(question) == "order")
    first, last = (next(count for stem, count in stems.items() if word in stem) for word in ("first", "last"))
    assert abs(first - last) <= 0.3 * (first + last)


def test_the_distinct_parts_of_versions_are_their_values() -> None:
    versions = {"A": "It was 1845 in Oster.", "B": "It was 1849 in Oster.", "C": "It was 1812 in Oster."}
    assert distinct_parts(versions) == {"A": "1845", "B": "1849", "C": "1812"}
    others = {"A": "The tide rose.", "B": "The lamp of the northern harbour fell."}
    assert distinct_parts(others) == others
    assert distinct_parts({"A": "本店共有120人。", "B": "本店共有125人。"}) == {"A": "120", "B": "125"}


def test_the_build_says_what_code_asks(extractive: Bench) -> None:
    assert extractive.build["filters"]["closed_book"] == "not checked"
    assert sum(extractive.build["kinds"].values()) >= extractive.build["funnel"]["passed"]
    assert {len(options_of(question.text)) for question in extractive.questions.values()} == {6}


def test_by_default_code_asks_what_is_easy_with_the_passage_alone(tmp_path: Path) -> None:
    settings = {**BY_CODE, "docs": ["chronicle:7/en/40k"], "questions": 5, "kinds": "complete,present"}
    bench = _build(tmp_path / "b", **settings)
    assert check_bench(bench.folder) == []
    assert make_spec("grounded", {}).kinds == ("complete", "present", "altered")  # type: ignore[attr-defined]
    asked = {item.id: item for item in bench.items.values() if "length" in item.cell}
    assert {item.cell["kind"] for item in asked.values()} == {"complete", "present"}
    for item in asked.values():
        question = bench.questions[item.questions[0]]
        context = fold(assembler_of(bench).text(item.context.pieces).decode())
        if item.cell["kind"] == "complete":
            assert item.prompt == "complete"
            stem = some(re.search("“(.+)”", question.text))[1]
            assert context.count(fold(stem)) == 1
            assert fold(f"{stem} {question.key.answer}") in context
            assert not FAMILY.options(question)
        else:
            inside = [letter for letter, option in options_of(question.text).items() if fold(option) in context]
            assert inside == [question.key.answer]
    lengths = Counter(item.cell["length"] for item in asked.values())
    assert len(set(lengths.values())) == 1


ENDING = Question(
    id="q", question_type="reading", text="How does the sentence of the text end that begins with “The mill stood”?",
    key=Key(kind="text", answer="by the old grey bridge."),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("by the old grey bridge.", 1),
        ("By the old, grey bridge", 1),
        ("The mill stood by the old grey bridge.", 1),
        ("“… by the old grey bridge.”", 1),
        ("by the old bridge.", 0),
        ("by the old grey bridges", 0),
        ("The text does not say.", 0),
        ("word " * 80 + "by the old grey bridge.", 0),
    ],
)
def test_the_end_of_a_sentence_is_read_by_its_words(text: str, value: float) -> None:
    (verdict,) = get_family("grounded").grade([ENDING], text)
    assert (verdict.status, verdict.value) == ("scored", value)


def test_an_empty_end_of_a_sentence_is_no_answer() -> None:
    assert get_family("grounded").grade([ENDING], " ")[0].status == "unparsed"
