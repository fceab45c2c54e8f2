"""From spec to benchmark: inputs, truths, tokens, presets, and what is refused."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.present import of, some
from tests.texts import chinese

import longreach
from longreach.core.bench import Bench
from longreach.core.types import Key, Question
from longreach.errors import BadInput
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, check_bench, make_spec
from longreach.families.showing import item_prompt
from longreach.families.verbatim.family import FAMILY, corpus_label
from longreach.families.verbatim.grade import grade_answer, semantic
from longreach.families.verbatim.samples import groups_json, load_entities
from longreach.families.verbatim.spec import VerbatimSpec
from longreach.models.tokenizers import get_tokenizer

SMALL: dict[str, Any] = {
    "sort_sizes": "8,16",
    "sort_samples": 2,
    "digits": "3..5/1",
    "digits_size": 16,
    "restore_sizes": "5,10",
    "restore_samples": 2,
    "group_sizes": "14,20",
    "group_samples": 1,
    "seed": 3,
}


@pytest.fixture(scope="module")
def built(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("verbatim") / "bench"
    return build_bench(make_spec("verbatim", SMALL | {"docs": [str(docs)]}), folder, BuildContext(warn=pytest.fail))


def build(tmp_path: Path, **settings: Any) -> Bench:
    return build_bench(make_spec("verbatim", SMALL | settings), tmp_path / "bench", BuildContext(warn=pytest.fail))


def asked(bench: Bench, question_type: str) -> list[tuple[str, str, str]]:
    """(item, input as the model sees it, truth) of each question of a question_type."""
    return [
        (item.id, bench.planted[item.placed[0].insert].text, bench.questions[item.questions[0]].key.answer)
        for item in bench.items.values()
        if bench.questions[item.questions[0]].question_type == question_type
    ]


def test_every_count_is_exact(built: Bench) -> None:
    assert check_bench(built.folder) == []
    for item in built.items.values():
        assert item.context.tokens < item.through_context <= item.through_rules < item.tokens


def test_numbers_are_drawn_and_sorted(built: Bench) -> None:
    assert len(asked(built, "sort")) == 5 * 2 * 2  # two sizes and three numbers of digits, two samples, two orders
    for name, given, truth in asked(built, "sort"):
        numbers = [int(part) for part in given.split(", ")]
        assert truth == ", ".join(map(str, sorted(numbers, reverse=name.endswith("descending"))))
        item = built.item(name)
        assert len(numbers) == item.cell["n"] == item.realised["n"]
        digits = int(item.cell["digits"])
        assert all(10 ** (digits - 1) <= number < 10**digits for number in numbers)
        assert built.questions[name].key.rivals == (given,)
    drawn = [given for _, given, _ in asked(built, "sort_copy")]
    assert len(set(drawn)) == len(drawn) == 10


def test_sentences_are_of_one_passage_in_another_order(built: Bench, docs: Path) -> None:
    texts = [" ".join(file.read_text(encoding="utf-8").split()) for file in docs.iterdir()]
    assert len(asked(built, "restore")) == 4
    for name, given, truth in asked(built, "restore"):
        assert given != truth
        assert sorted(given.split("\n")) == sorted(truth.split("\n"))
        assert len(truth.split("\n")) == built.item(name).cell["n"]
        assert any(truth.replace("\n", " ") in text for text in texts)
        assert built.build["inputs"][name.removesuffix("-original")]["document"].endswith(".txt")


def test_names_of_every_category_are_drawn(built: Bench) -> None:
    for name, given, truth in asked(built, "group"):
        groups = {group["category_name"]: group["entities"] for group in json.loads(truth)}
        assert len(groups) == 14
        assert all(groups.values())
        assert sorted(given.split("\n")) == sorted(entity for names in groups.values() for entity in names)
        assert all(f"- {category}\n" in built.questions[name].text + "\n" for category in groups)


def test_a_task_and_its_control_share_the_input(built: Bench) -> None:
    for item in built.items.values():
        stem = item.id.rpartition("-")[0]
        copy = built.item(f"{stem}-copy")
        assert copy.context == item.context
        assert copy.through_context == item.through_context
        one, other = item_prompt(built, item).encode(), item_prompt(built, copy).encode()
        shared = one.index(built.planted[stem].text.encode()) + item.context.bytes
        assert one[:shared] == other[:shared]
        assert built.questions[copy.id].key.answer == built.planted[stem].text
        assert item.cell["control"] == ("copy" if item is copy or item.id == copy.id else "none")


def test_no_two_kinds_of_result_share_a_cell(built: Bench) -> None:
    cells: dict[str, set[str]] = {}
    for item in built.items.values():
        kind = f"{item.prompt} {item.id.rpartition('-')[0].rpartition('-')[0]} {item.id.rpartition('-')[2]}"
        cells.setdefault(json.dumps(item.cell), set()).add(kind)
    assert all(len(kinds) == 1 for kinds in cells.values())


def test_without_control_and_with_one_task(tmp_path: Path) -> None:
    bench = build(tmp_path, tasks="sort", control=False, orders="descending")
    assert {item.prompt for item in bench.items.values()} == {"sort"}
    assert set(bench.prompts) == {"sort"}
    assert bench.corpus.info.tokens == 0


def test_a_size_that_two_settings_ask_for_is_built_once(tmp_path: Path) -> None:
    bench = build(tmp_path, tasks="sort", sort_sizes="16", digits="9", low=10**8, high=10**9)
    assert len(bench.items) == 2 * 3
    other = build(tmp_path / "other", tasks="sort", sort_sizes="16", digits="9", low=5 * 10**8, high=10**9)
    assert {item.cell["corpus"] for item in other.items.values()} == {"numbers", "500000000..1000000000"}


def test_each_source_is_a_corpus(tmp_path: Path) -> None:
    for name in ("tales", "notes/tales"):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "x.txt").write_text(" ".join(f"{name} number {n} is told." for n in range(9)), encoding="utf-8")
    sources = [str(tmp_path / "tales"), str(tmp_path / "notes/tales"), str(tmp_path / "tales/x.txt")]
    bench = build(tmp_path, tasks="restore", docs=sources, restore_sizes="5")
    assert {item.cell["corpus"] for item in bench.items.values()} == {"tales", "tales~2", "x"}


@pytest.mark.parametrize(
    ("source", "label"),
    [("hf:ccdv/govreport-summarization:test[:9]:report", "govreport-summarization"), ("gutenberg:84", "gutenberg-84")],
)
def test_labels_of_named_sources(source: str, label: str) -> None:
    assert corpus_label(source) == label


def test_chinese_documents_have_chinese_rules(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text(chinese(1, 60), encoding="utf-8")
    bench = build(tmp_path, docs=[str(folder)], tasks="restore,sort", restore_sizes="5")
    assert check_bench(bench.folder) == []
    for item in bench.items.values():
        assert "请" in item_prompt(bench, item).split("</text>")[1]
    for _, given, truth in asked(bench, "restore"):
        assert sorted(given.split("\n")) == sorted(truth.split("\n"))
        assert all(sentence.strip() for sentence in truth.split("\n"))


def test_presets() -> None:
    paper = of(VerbatimSpec, make_spec("verbatim", {"preset": "paper"}))
    assert (paper.sort_samples, paper.restore_samples, paper.group_samples, paper.spread) == (5, 10, 10, 100)
    assert paper.sort_sizes == (100, 500, 1000, 1500, 2000)
    assert paper.restore_sizes == (100, 200, 300, 400, 500)
    assert paper.group_sizes == (100, 250, 500, 750, 1000)
    assert (paper.low, paper.high, paper.digits, paper.digits_size) == (10**8, 10**9, tuple(range(3, 10)), 2000)
    assert make_spec("verbatim", {"preset": "paper", "sort_samples": 1}) == paper.model_copy(update={"sort_samples": 1})
    assert make_spec("verbatim", {"preset": "small"})


def test_no_documents_are_loaded_where_none_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.families.base.load_sources", lambda *_, **__: pytest.fail("loaded"))
    assert FAMILY.documents(VerbatimSpec(tasks=("sort", "group")), BuildContext(warn=pytest.fail)) == []


# The bundled names, and names of the user's own.

CATEGORIES = [
    "Company",
    "Educational Institution",
    "Artist",
    "Athlete",
    "Office Holder",
    "Mean of Transportation",
    "Building",
    "Natural Place",
    "Village",
    "Animal",
    "Plant",
    "Album",
    "Film",
    "Written Work",
]


def test_the_bundled_names() -> None:
    bundled = load_entities(None, pytest.fail).by_category
    assert list(bundled) == CATEGORIES
    assert min(map(len, bundled.values())) >= 150
    names = [name for listed in bundled.values() for name in listed]
    twice = [name for name, count in Counter(name.casefold() for name in names).items() if count > 1]
    assert twice == []
    for name in names:
        assert name == " ".join(name.split())
        assert not set(name) & set(',"\\;|\n')
        assert 2 <= len(name) < 70
        assert name.casefold() not in {category.casefold() for category in CATEGORIES}


def test_a_csv_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "parts.csv"
    path.write_text(
        'Entity,Category\nM8 bolt,bolt\n"Washer, flat",washer\nM6 bolt,bolt\n\n'
        "Lock washer,washer\nOdd,bolt\nOdd,washer\n",
        encoding="utf-8-sig",
    )
    heard: list[str] = []
    found = load_entities(str(path), heard.append)
    assert found.source == "parts"
    assert found.by_category == {"bolt": ("M8 bolt", "M6 bolt"), "washer": ("Washer, flat", "Lock washer")}
    assert heard == [f"entities: {path}: 1 names are in two categories ('Odd', …); left out"]
    settings: dict[str, Any] = {"tasks": "group", "entities": str(path), "group_sizes": "4", "group_samples": 1}
    bench = build_bench(make_spec("verbatim", settings), tmp_path / "b", BuildContext(warn=heard.append))
    assert {item.cell["corpus"] for item in bench.items.values()} == {"parts"}
    assert "Washer, flat" in bench.planted["group-parts-4-1"].text.split("\n")


def test_choosing_categories() -> None:
    chosen = load_entities(None, pytest.fail).chosen(("Plant", "Animal"))
    assert list(chosen.by_category) == ["Plant", "Animal"]


# The family object: sample answers, room for answers, and a real run of the embedded model.

TINY = {
    "sort_sizes": "2,300",
    "restore_sizes": "4,60",
    "group_sizes": "14,300",
    "sort_samples": 1,
    "restore_samples": 1,
    "group_samples": 1,
}


@pytest.fixture(scope="module")
def family_built(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    spec = make_spec("verbatim", TINY | {"docs": [str(docs)]})
    return build_bench(spec, tmp_path_factory.mktemp("family") / "b", BuildContext(warn=pytest.fail))


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base", "qwen3"])
def test_there_is_room_for_the_answer_but_not_much_more(family_built: Bench, tokenizer: str) -> None:
    count = get_tokenizer(tokenizer).count
    for question in family_built.questions.values():
        needed = count(question.key.answer)
        assert needed <= FAMILY.answer_tokens([question]) <= 2.6 * needed + 16


@pytest.mark.long
def test_the_embedded_model_copies(family_built: Bench, tmp_path: Path) -> None:
    """A real model's answer is read and graded, whatever it is; two numbers even a small one copies well."""
    from longreach.core.files import Store
    from longreach.core.helper_model import Ask
    from longreach.runner.inspect_helper import InspectHelper

    item = family_built.item("sort-2-9d-1-copy")
    question = family_built.questions[item.id]
    ask = Ask(prompt=item_prompt(family_built, item), max_tokens=FAMILY.answer_tokens([question]))
    (reply,) = InspectHelper("embedded", Store(tmp_path)).ask([ask])
    assert reply.error == ""
    (verdict,) = FAMILY.grade([question], reply.text)
    assert verdict.status == "scored"
    assert some(verdict.value) > 0.5
    assert verdict.scores["given"] == 2


# One answer in each condition that answers come in, for every task: what each score makes of it, by hand.

NUMBERS = ["100000001", "200000002", "300000003", "400000004"]
SENTENCES = ["The café was shut.", "He knocked twice.", "Nobody came.", "So he left."]
GROUPS = {"Animal": ["Coatí", "Llama"], "Plant": ["Dill", "Leek"]}
NAMES = ["Dill", "Coatí", "Leek", "Llama"]
FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
KEYS = {
    "sort": ", ".join(NUMBERS),
    "restore": "\n".join(SENTENCES),
    "group": groups_json(GROUPS),
    "sort_copy": ", ".join(NUMBERS[::-1]),
    "restore_copy": "\n".join(SENTENCES[::-1]),
    "group_copy": "\n".join(NAMES),
}
QUESTION_TYPES = sorted(KEYS)


def scores(question_type: str, text: str) -> dict[str, float]:
    key = Key(
        kind="text",
        answer=KEYS[question_type],
        rivals=(KEYS[f"{question_type}_copy"],) if question_type in ("sort", "restore") else (),
    )
    verdict = grade_answer(Question(id="q", question_type=question_type, text="?", key=key), text)
    assert verdict.status == "scored"
    return verdict.scores


def changed(question_type: str, items: list[str]) -> str:
    """A list in the form that its task asks for."""
    return (", " if question_type.startswith("sort") else "\n").join(items)


@pytest.mark.parametrize("question_type", QUESTION_TYPES)
def test_the_truth_scores_1_everywhere(question_type: str) -> None:
    found = scores(question_type, KEYS[question_type])
    ones = {"similarity", "ratio", "whole", "recall", "global_recall", "precision", "corrected", "kendall_tau", "exact"}
    assert {found[name] for name in ones & found.keys()} == {1}
    assert [found[name] for name in ("kept", "altered", "lost", "duplicated", "invented")] == [4, 0, 0, 0, 0]
    assert found.get("longest_run", 4) == 4


@pytest.mark.parametrize("question_type", QUESTION_TYPES)
def test_twice_the_length_is_seen(question_type: str) -> None:
    """2n characters against n: n of 3n are added, so both similarities are 2/3. Groups that are written twice count
    once: the last time."""
    joint = ", " if question_type.startswith("sort") else "\n"
    found = scores(question_type, KEYS[question_type] + joint + KEYS[question_type])
    assert [found[name] for name in ("kept", "duplicated", "exact")] == (
        [4, 0, 1] if question_type == "group" else [4, 4, 0]
    )
    if question_type == "group":
        assert (found["recall"], found["precision"]) == (1, 1)
    elif question_type == "group_copy":
        assert found["global_recall"] == 1
    else:
        whole = found["whole"] if question_type.startswith("restore") else found["similarity"]
        length = len(KEYS[question_type])
        assert whole == pytest.approx(2 * length / (3 * length + len(joint)), abs=1e-6)


def test_a_permutation_keeps_items_and_loses_order() -> None:
    """Backwards every pair is the wrong way round; by sentence the wording is still whole."""
    found = scores("sort", changed("sort", NUMBERS[::-1]))
    assert [found[name] for name in ("kept", "kendall_tau", "longest_run", "corrected")] == [4, -1, 1, 0]
    found = scores("restore", changed("restore", SENTENCES[::-1]))
    names = ("similarity", "ratio", "kept", "kendall_tau", "longest_run", "corrected")
    assert [found[name] for name in names] == [1, 1, 4, -1, 1, 0]
    mixed = {category: names[::-1] for category, names in reversed(GROUPS.items())}
    found = scores("group", groups_json(mixed))
    assert [found[name] for name in ("recall", "precision", "exact", "kept")] == [1, 1, 1, 4]


@pytest.mark.parametrize(
    "question_type", [question_type for question_type in QUESTION_TYPES if not question_type.startswith("sort")]
)
def test_line_ends_of_windows_cost_raw_characters_and_no_item(question_type: str) -> None:
    text = KEYS[question_type].replace("\n", "\r\n")
    found = scores(question_type, text)
    assert (found["kept"], found["altered"]) == (4, 0)
    if question_type == "group":
        assert found["recall"] == 1
    else:
        whole = found["whole"] if question_type.startswith("restore") else found["similarity"]
        added = text.count("\r")
        assert whole == pytest.approx(1 - added / (2 * len(KEYS[question_type]) + added), abs=1e-6)
        assert (found["exact"], found["score"]) == (1, 1)


@pytest.mark.parametrize(("wide", "kept", "altered"), [(1, 3, 0), (4, 0, 0)])
def test_full_width_digits_are_other_characters(wide: int, kept: int, altered: int) -> None:
    """Nine of nine characters differ, so nothing is taken for an altered number; it is lost and another invented."""
    items = [number.translate(FULL_WIDTH) if place < wide else number for place, number in enumerate(NUMBERS)]
    found = scores("sort", changed("sort", items))
    assert [found[name] for name in ("kept", "altered", "lost", "invented")] == [kept, altered, wide, wide]
    assert found["similarity"] == pytest.approx(1 - 9 * wide / 84, abs=1e-6)
    assert found["ratio"] == pytest.approx(1 - 18 * wide / 84, abs=1e-6)


def test_another_unicode_form_is_a_changed_item() -> None:
    apart = unicodedata.normalize("NFD", "Coatí")
    found = scores("group", KEYS["group"].replace("Coatí", apart))
    # Of 5 and 6 characters 4 are common: ratio 8/11, too little for an altered name.
    assert [found[name] for name in ("kept", "lost", "invented", "recall", "precision")] == [3, 1, 1, 0.75, 0.75]
    found = scores("restore", unicodedata.normalize("NFD", KEYS["restore"]))
    # One character of 18 replaced by two: 2 edits of 18 + 19 characters, in one sentence of four.
    assert found["similarity"] == pytest.approx((3 + 1 - 2 / 37) / 4, abs=1e-6)
    assert [found[name] for name in ("kept", "altered")] == [3, 1]


@pytest.mark.parametrize("place", range(9))
def test_a_changed_digit_is_never_repaired(place: int) -> None:
    """In every place of the first number: altered, named in the reason, and one edit of 84 characters."""
    wrong = NUMBERS[0][:place] + "7" + NUMBERS[0][place + 1 :]
    key = Key(kind="text", answer=KEYS["sort"], rivals=(KEYS["sort_copy"],))
    text = changed("sort", [wrong, *NUMBERS[1:]])
    verdict = grade_answer(Question(id="q", question_type="sort", text="?", key=key), text)
    assert f"{NUMBERS[0]} -> {wrong}" in verdict.reason
    assert verdict.scores["similarity"] == pytest.approx(1 - 1 / 84, abs=1e-6)
    assert some(verdict.value) < 1
    assert (verdict.scores["kept"], verdict.scores["altered"]) == (3, 1)


def test_meaning_is_symmetric_and_blind_to_order() -> None:
    pytest.importorskip("wordllama")
    text, other = " ".join(SENTENCES), "Ships filled the port and the seamen sang."
    one, back = semantic(text, other), semantic(other, text)
    assert one == pytest.approx(back, abs=1e-5)
    assert semantic(text, " ".join(SENTENCES[::-1])) == pytest.approx(1, abs=0.01)
    assert semantic(text + " " + text, text) == pytest.approx(1, abs=0.01)


def _letters(text: str) -> str:
    """Sentences of which each is one of a kind."""
    return " ".join(
        f"Sentence number {text} {number} ends behind the mill at the old road." for number in range(1, 400)
    )


def test_whole_documents_of_the_right_length_come_first_and_the_rest_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, count in {"a": 11, "b": 14, "c": 15, "long": 60, "short": 4}.items():
        text = " ".join(f"Sentence {number} of {name} is about the harbour." for number in range(1, count + 1))
        (folder / f"{name}.txt").write_text(text)
    said: list[str] = []
    settings = SMALL | {"tasks": "restore", "docs": [str(folder)], "restore_sizes": "10", "spread": 5}
    spec = make_spec("verbatim", settings | {"restore_samples": 3})
    bench = build_bench(spec, tmp_path / "three", BuildContext(warn=said.append))
    inputs = bench.build["inputs"].values()
    assert sorted(each["items"] for each in inputs) == [11, 14, 15], "each of them once, whole"
    assert all(each["whole"] for each in inputs)
    assert not said
    spec = make_spec("verbatim", settings | {"restore_samples": 9})
    bench = build_bench(spec, tmp_path / "nine", BuildContext(warn=said.append))
    assert sum(each["whole"] for each in bench.build["inputs"].values()) == 3
    assert "6 of 9 passages are parts of longer ones" in " ".join(said)
    parts = {each["items"] for each in bench.build["inputs"].values() if not each["whole"]}
    assert len(parts) > 2
    assert parts <= set(range(10, 16)), "parts vary in length as whole texts do"


def test_the_instruction_can_come_first(built: Bench, docs: Path, tmp_path: Path) -> None:
    before = build(tmp_path, docs=[str(docs)], instruction="before")
    assert check_bench(before.folder) == []
    assert list(before.items) == list(built.items)
    for item in before.items.values():
        question = before.questions[item.questions[0]]
        prompt, text = item_prompt(before, item), before.planted[item.placed[0].insert].text
        assert prompt.index(question.text) < prompt.index(text)
        assert prompt.rstrip().endswith("</text>")
        assert "said below" not in prompt
        assert item.cell["instruction"] == "before"
    assert all("instruction" not in item.cell for item in built.items.values())
    assert not {"instruction", "structured"} & built.spec.keys(), "a benchmark without them is what it was"


@pytest.mark.filterwarnings("ignore")
def test_structured_output_is_asked_for_where_it_is_grouped(docs: Path, tmp_path: Path) -> None:
    bench = build(tmp_path, docs=[str(docs)], structured=True)
    keys = {item.sha256: bench.questions[item.questions[0]] for item in bench.items.values()}

    def say(one: Asked) -> Reply:
        question = keys[one.sha256]
        if question.question_type != "group":
            return Reply(question.key.answer)
        return Reply(json.dumps({"categories": json.loads(question.key.answer)}))

    with ChatServer(say) as server:
        longreach.run(bench, "openai-api/local/m", tmp_path / "runs", base_url=server.base_url)
    for one in server.asked:
        form = one.body.get("response_format")
        assert (form is not None) == (keys[one.sha256].question_type == "group")
        if form is not None:
            schema = form["json_schema"]["schema"]
            assert set(schema["properties"]["categories"]["items"]["properties"]) == {"category_name", "entities"}
    assert {row.verdict.value for row in longreach.grade(tmp_path / "runs")} == {1.0}


def embeddings(one: Asked) -> Reply:
    """`/embeddings` as OpenAI's: the counts of a few letters, so that equal texts have equal vectors."""
    rows = [[float(text.count(letter) + 1) for letter in "aehnr."] for text in one.body["input"]]
    data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
    return Reply(raw=json.dumps({"object": "list", "model": one.body["model"], "data": data, "usage": {}}).encode())


@pytest.fixture
def embedder() -> Iterator[ChatServer]:
    with ChatServer(embeddings) as server:
        yield server


def test_meaning_by_the_embedder_that_is_asked_for(tmp_path: Path, embedder: ChatServer) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "long.txt").write_text(_letters("alpha"))
    (folder / "zh.txt").write_text(chinese(1, 40))
    one = build(tmp_path, tasks="restore", docs=[str(folder / "long.txt")], restore_sizes="10,390")
    runs = tmp_path / "runs"
    longreach.simulate(one, "perfect", runs)
    plain = [row for row in longreach.grade(runs) if row.question_type == "restore"]
    assert all(row.verdict.scores["semantic"] == pytest.approx(1, abs=1e-3) for row in plain), "offline, English"
    name = "openai:text-embedding-3-large"
    found = [
        row
        for row in longreach.grade(runs, embedder=name, embedder_url=embedder.base_url)
        if row.question_type == "restore"
    ]
    assert all(row.verdict.scores[f"semantic {name}"] == pytest.approx(1, abs=1e-3) for row in found)
    assert all("semantic" not in row.verdict.scores for row in found)
    assert [row.verdict.value for row in found] == [row.verdict.value for row in plain]
    sent = [len(text) for one in embedder.asked for text in one.body["input"]]
    assert 15_000 < max(sent) <= 20_000 < len(_letters("alpha")), "longer passages are cut"
    requests = len(embedder.asked)
    assert [row.verdict for row in longreach.grade(runs) if row.question_type == "restore"] == [
        row.verdict for row in found
    ], "as last time, from saved vectors"
    assert len(embedder.asked) == requests
    page = longreach.report(runs, tmp_path / "report", formats=["md"], published=True)
    assert page
    text = (tmp_path / "report" / "report.md").read_text()
    assert f"Meaning by {name}, as in the paper." in text.replace("\\", "")
    assert "mean of wording and meaning" in text
    assert "Tokens and cost per request" in text
    again = longreach.grade(runs, embedder="wordllama")
    assert any("semantic" in row.verdict.scores for row in again), "the offline one again"


def test_where_no_embedder_fits_the_language_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "zh.txt").write_text(chinese(1, 40))
    bench = build(tmp_path, tasks="restore", docs=[str(tmp_path / "zh.txt")], restore_sizes="10")
    longreach.simulate(bench, "perfect", tmp_path / "runs")
    said: list[str] = []
    longreach.grade(tmp_path / "runs", progress=said.append)
    assert said == ["2 answers are not compared by meaning: wordllama reads English; give --embedder"]
    longreach.report(tmp_path / "runs", tmp_path / "report", formats=["md"])
    assert "Meaning was not compared" in (tmp_path / "report" / "report.md").read_text()


def test_an_embedder_with_nothing_to_measure_is_refused(tmp_path: Path) -> None:
    bench = build(tmp_path, tasks="sort")
    longreach.simulate(bench, "perfect", tmp_path / "runs")
    with pytest.raises(BadInput, match="nothing to measure; leave out --embedder"):
        longreach.grade(tmp_path / "runs", embedder="wordllama")
    with pytest.raises(BadInput, match="give --embedder openai:MODEL too"):
        longreach.grade(tmp_path / "runs", embedder_url="http://127.0.0.1:9")


def test_the_spec_file_of_the_papers_data_is_its_preset() -> None:
    path = Path(__file__).parents[3] / "docs" / "examples" / "verbatim-paper.yaml"
    given = yaml.safe_load(path.read_text())
    whole, preset = make_spec("verbatim", given), make_spec("verbatim", FAMILY.presets["paper"])
    data = {"docs", "entities", "structured", "sampling"}
    assert whole.model_dump(exclude=data) == preset.model_dump(exclude=data)
    assert len([*given["docs"], given["entities"]]) == 5
    assert all(name.startswith("hf:") for name in [*given["docs"], given["entities"]])
