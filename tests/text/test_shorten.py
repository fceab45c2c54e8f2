"""Shortening a text by its sentences: any text, any target, the same bytes anywhere."""

from __future__ import annotations

import hashlib
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.doubles.chat_server import Asked, ChatServer
from tests.doubles.chat_server import Reply as Served
from tests.text.shortening import TOKENIZER, sentences, speeches, within
from tests.texts import chinese, odd_english

from longreach.core.bench import Prompt
from longreach.core.files import Store
from longreach.errors import BadInput, ModelCallFailed
from longreach.runner.inspect_helper import HelperSettings, InspectHelper
from longreach.text.documents import built_in_documents
from longreach.text.sentences import sentence_ends
from longreach.text.shorten import Shortened, shorten_by_model, shorten_by_sentences


def _is_subsequence(parts: list[str], text: str) -> bool:
    """Whether the parts stand in a text in this order."""
    at = 0
    for part in parts:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(["english", "chinese", "both"]),
    sentences=st.integers(3, 120),
    share=st.floats(0.02, 1.0),
)
def test_any_text_comes_within_one_percent(seed: int, kind: str, sentences: int, share: float) -> None:
    english, hanzi = odd_english(seed, sentences), chinese(seed, sentences)
    text = {"english": english, "chinese": hanzi, "both": f"{english}\n\n{hanzi}"}[kind]
    total = TOKENIZER.count(text)
    target = max(1, round(share * total))
    shortened = shorten_by_sentences(text, target, count=TOKENIZER.count)
    assert shortened.tokens == TOKENIZER.count(shortened.text) <= target
    # Below 100 tokens 1 % is none at all, and one character may take more than are left.
    assert shortened.tokens >= min(0.99 * target, target - 3)
    assert (shortened.rounds, shortened.slices) == (0, 0)
    assert shortened == shorten_by_sentences(text, target, count=TOKENIZER.count)


@given(text=st.text(min_size=1, max_size=300), share=st.floats(0.01, 1.0))
def test_no_text_at_all_breaks_it(text: str, share: float) -> None:
    target = max(1, round(share * TOKENIZER.count(text)))
    shortened = shorten_by_sentences(text, target, count=TOKENIZER.count)
    assert shortened.tokens == TOKENIZER.count(shortened.text) <= target


def test_whole_sentences_stay_in_order_with_their_own_spacing() -> None:
    text = speeches(5)
    target = TOKENIZER.count(text) // 2
    shortened = shorten_by_sentences(text, target, count=TOKENIZER.count)
    within(shortened, target)
    whole, kept = set(sentences(text)), sentences(shortened.text)
    assert sum(sentence in whole for sentence in kept) >= 0.98 * len(kept), "sentences stay as they were"
    assert _is_subsequence(kept, text)
    assert "\n\n\n" not in shortened.text
    assert 0.4 < shortened.text.count("\n\n") / text.count("\n\n") <= 1, "paragraphs stay apart"


def test_paragraphs_that_lose_their_end_still_end() -> None:
    topic = "The harbour master counted the ships in the harbour."
    text = f"{topic} The ships lay in the harbour. Zounds!\n\n{topic} Many ships left the harbour."
    shortened = shorten_by_sentences(text, TOKENIZER.count(text) - 2, count=TOKENIZER.count)
    assert shortened.text == text.replace(" Zounds!", "")


def test_what_is_told_stays_and_what_strays_goes() -> None:
    told = [
        f"On day {day} the ships of the harbour brought {day + 3} barrels of salt to the merchants of the town."
        for day in range(1, 41)
    ]
    strays = {9: "Purple quokkas juggle.", 22: "My left elbow itches.", 31: "Xylophones rust quietly."}
    lines = [strays.get(place, line) for place, line in enumerate(told)]
    text = " ".join(lines)
    shortened = shorten_by_sentences(text, round(0.8 * TOKENIZER.count(text)), count=TOKENIZER.count)
    assert not any(stray in shortened.text for stray in strays.values())


def test_chinese_is_compared_by_its_own_words() -> None:
    told = [f"第{day}天，码头上的商船又给城里的盐商运来了{day}桶盐。" for day in range(1, 31)]
    text = "".join([*told[:15], "紫色的袋鼠正在杂耍！", *told[15:]])
    target = round(0.9 * TOKENIZER.count(text))
    shortened = shorten_by_sentences(text, target, count=TOKENIZER.count)
    assert "袋鼠" not in shortened.text
    assert 0.9 * target <= shortened.tokens <= target


def test_what_stays_is_spread_over_the_whole_text() -> None:
    text = speeches(40)
    total = TOKENIZER.count(text)
    for share in (0.5, 0.1):
        shortened = shorten_by_sentences(text, round(share * total), count=TOKENIZER.count)
        found = [0] * 20
        at = 0
        for sentence in sentences(shortened.text)[:-1]:
            at = text.find(sentence[:60], at)
            assert at >= 0
            found[at * 20 // len(text)] += 1
        assert min(found) > 0.25 * sum(found) / 20, f"no part is lost at {share}"


def test_a_long_text_is_counted_few_times() -> None:
    text = speeches(80)
    counted: list[int] = []

    def count(part: str) -> int:
        counted.append(len(part))
        return TOKENIZER.count(part)

    target = TOKENIZER.count(text) // 3
    within(shorten_by_sentences(text, target, count=count), target)
    assert sum(counted) < 4 * len(text)


@pytest.mark.parametrize(("target", "words"), [(0, "at least 1"), (-5, "-5"), (5_000, "5000")])
def test_a_target_out_of_reach_is_one_line(target: int, words: str) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        shorten_by_sentences("Only a few words.", target, count=TOKENIZER.count)
    assert "\n" not in str(caught.value)


def test_a_text_that_fits_is_left_alone() -> None:
    text = "  Only a few words.\n"
    tokens = TOKENIZER.count(text)
    assert shorten_by_sentences(text, tokens, count=TOKENIZER.count).text == text


# Shortening a text by a model: any model, also one that writes badly, and a build that dies.

PROMPT = Prompt(
    id="shorter",
    version=1,
    variables=("percent", "text"),
    text="Write this again in {{percent}} % of its length:\n\n{{text}}\n\nThe shorter text:",
)
_ASKED = re.compile(r"Write this again in (\d+) % of its length:\n\n(.*)\n\nThe shorter text:", re.DOTALL)


def _asked(asked: Asked) -> tuple[int, str]:
    found = _ASKED.fullmatch(asked.prompt)
    assert found
    return int(found[1]), found[2]


def _words(asked: Asked, factor: float = 1.0) -> Served:
    """The beginning of the text, so many words of it as were asked for, times a factor."""
    percent, text = _asked(asked)
    words = text.split(" ")
    return Served(text=" ".join(words[: max(1, round(len(words) * percent * factor / 100))]))


def _chance(asked: Asked) -> int:
    """A number that stays the same for the same request."""
    return int(hashlib.sha256((asked.prompt + str(asked.body.get("seed"))).encode()).hexdigest()[:8], 16)


def _erratic(asked: Asked) -> Served:
    _, text = _asked(asked)
    return [
        Served(text=""),
        Served(text=text + " And so on."),
        Served(text="I'm sorry, but I can't help with rewriting this."),
        Served(text=text[: len(text) // 2], finish="length"),
        Served(status=400, text="no"),
        Served(text="and the ship and the sea " * 60),
        Served(text="紫色的袋鼠正在杂耍，" * 9),
        _words(asked, 0.1),
        _words(asked),
    ][_chance(asked) % 9]


MODELS: dict[str, Callable[[Asked], Served]] = {
    "good": lambda asked: _words(asked, 0.9 + _chance(asked) % 20 / 100),
    "cuts too deep": lambda asked: _words(asked, 0.15),
    "cuts too little": lambda asked: _words(asked, 1.4),
    "never answers": lambda _: Served(text=" "),
    "gives it back": lambda asked: Served(text=_asked(asked)[1]),
    "erratic": _erratic,
}


def _writer(server: ChatServer, folder: Path) -> InspectHelper:
    wired = HelperSettings(base_url=server.base_url, arguments={"api_key": "none"}, max_retries=0)
    return InspectHelper("openai-api/local/helper", Store(folder), wired)


def _shorten(
    text: str, target: int, writer: InspectHelper, *, slice_tokens: int = 400, told: list[str] | None = None
) -> Shortened:
    return shorten_by_model(
        text,
        target,
        count=TOKENIZER.count,
        writer=writer,
        prompt=PROMPT,
        slice_tokens=slice_tokens,
        progress=(told if told is not None else []).append,
    )


@pytest.mark.parametrize(("model", "share"), zip(MODELS, cycle((0.8, 0.3)), strict=False))
def test_any_model_ends_within_one_percent(model: str, share: float, tmp_path: Path) -> None:
    text = built_in_documents()[0].text + "\n\n" + built_in_documents()[2].text
    target = round(share * TOKENIZER.count(text))
    told: list[str] = []
    with ChatServer(MODELS[model]) as server:
        shortened = _shorten(text, target, _writer(server, tmp_path), told=told)
        sent = len(server.asked)
        assert shortened == _shorten(text, target, _writer(server, tmp_path))
        again = [MODELS[model](asked).status for asked in server.asked[sent:]]
        assert set(again) <= {400}, "the second time everything is cached that came at all"
    within(shortened, target)
    assert 1 <= shortened.rounds <= 6
    assert all("\n" not in line for line in told)
    vocabulary = set(text.split())
    mine = shortened.text.split()
    assert sum(word in vocabulary for word in mine) > 0.98 * len(mine), "the text is made of real text"
    for quarter in range(4):
        part = " ".join(text.split()[quarter * len(text.split()) // 4 :][: len(text.split()) // 4])
        shared = sum(" ".join(mine[at : at + 5]) in part for at in range(0, len(mine) - 5, 5))
        assert shared, "every quarter of the story is still there"


@example(seed=875, model="cuts too deep", slice_tokens=1000, share=0.8125, in_chinese=False)
@given(
    seed=st.integers(0, 1000),
    model=st.sampled_from(sorted(MODELS)),
    slice_tokens=st.sampled_from([60, 150, 1000]),
    share=st.floats(0.1, 0.99),
    in_chinese=st.booleans(),
)
def test_odd_texts_and_odd_models(
    tmp_path_factory: pytest.TempPathFactory, seed: int, model: str, slice_tokens: int, share: float, in_chinese: bool
) -> None:
    text = chinese(seed, 12) if in_chinese else odd_english(seed, 20)
    target = max(100, round(share * TOKENIZER.count(text)))
    with ChatServer(MODELS[model]) as server:
        writer = _writer(server, tmp_path_factory.mktemp("kept"))
        try:
            shortened = _shorten(text, target, writer, slice_tokens=slice_tokens)
        except ModelCallFailed:
            assert model == "erratic"
            return
    within(shortened, target)


def test_slices_end_at_sentence_ends_and_prompts_leave_room(tmp_path: Path) -> None:
    text = speeches(3)
    target = TOKENIZER.count(text) // 2
    with ChatServer(MODELS["good"]) as server:
        shortened = _shorten(text, target, _writer(server, tmp_path), slice_tokens=500)
        first = [asked for asked in server.asked if _asked(asked)[0] == 50]
    assert len(first) == shortened.slices == pytest.approx(TOKENIZER.count(text) / 500, abs=2)
    ends = set(sentence_ends(text, "en"))
    slices = sorted((_asked(asked)[1] for asked in first), key=text.index)
    at = 0
    for part in slices:
        at = text.index(part, at) + len(part)
        assert at in ends
        assert 250 < TOKENIZER.count(part) < 750
    assert "".join("".join(slices).split()) == "".join(text.split()), "nothing is left out, nothing is asked twice"
    for asked in first:
        assert asked.body["max_tokens"] > TOKENIZER.count(_asked(asked)[1])


def test_a_bad_reply_is_asked_for_once_more_and_then_let_be(tmp_path: Path) -> None:
    text = speeches(2)
    target = round(0.7 * TOKENIZER.count(text))
    stubborn = sentences(text)[8]
    assert text.count(stubborn) == 1
    bad = 0

    def answer(asked: Asked) -> Served:
        nonlocal bad
        if stubborn not in asked.prompt:
            return _words(asked)
        bad += 1
        return Served(text="Quite another matter.") if bad == 1 else Served(text="no such luck", status=400)

    told: list[str] = []
    with ChatServer(answer) as server:
        within(_shorten(text, target, _writer(server, tmp_path), slice_tokens=700, told=told), target)
        tries = [asked.body for asked in server.asked if stubborn in asked.prompt]
    assert bad == 2, "not asked again in a later round either"
    assert tries[0]["messages"] == tries[1]["messages"]
    assert (tries[0].get("seed"), tries[1].get("seed")) == (None, 1)
    assert tries[0]["temperature"] != tries[1]["temperature"], "at temperature 0 the same would come again"
    assert any("1 left unchanged (1 failed)" in line for line in told)


def test_a_reply_that_was_thought_away_gets_more_room(tmp_path: Path) -> None:
    text = built_in_documents()[0].text

    def answer(asked: Asked) -> Served:
        return _words(asked) if asked.body["max_tokens"] > 2000 else Served(text="", finish="length")

    with ChatServer(answer) as server:
        target = round(0.6 * TOKENIZER.count(text))
        told: list[str] = []
        within(_shorten(text, target, _writer(server, tmp_path), told=told), target)
    assert not any("left unchanged" in line for line in told)


def test_what_a_model_says_around_its_text_is_left_out(tmp_path: Path) -> None:
    text = built_in_documents()[0].text

    def answer(asked: Asked) -> Served:
        return Served(text=f"Sure! Happy to help.\nHere is the shorter text:\n\n```\n{_words(asked).text}\n```")

    def echo(asked: Asked) -> Served:
        return Served(text=f"The shorter text: {_words(asked).text}")

    target = TOKENIZER.count(text) // 2
    for model in (answer, echo):
        with ChatServer(model) as server:
            shortened = _shorten(text, target, _writer(server, tmp_path / model.__name__))
        within(shortened, target)
        for said in ("Sure", "Here is", "```", "shorter"):
            assert said not in shortened.text
        assert shortened.text.startswith("Fellow-Citizens"), "a line of the text itself that ends in a colon stays"


def test_a_writer_that_fails_altogether_is_one_line(tmp_path: Path) -> None:
    with (
        ChatServer(lambda _: Served(status=400, text="the lights are out")) as server,
        pytest.raises(ModelCallFailed, match="the lights are out") as caught,
    ):
        _shorten(speeches(1), 500, _writer(server, tmp_path))
    assert "\n" not in str(caught.value)
    assert "Senate" not in str(caught.value), "no text in errors"


def test_prompts_and_slices_that_cannot_work_are_one_line(tmp_path: Path) -> None:
    with ChatServer() as server:
        writer = _writer(server, tmp_path)
        text = speeches(1)
        for variables, words in ((("text",), "percent"), (("percent",), "text")):
            prompt = Prompt(id="p", version=1, variables=variables, text="".join(f"{{{{{v}}}}}" for v in variables))
            with pytest.raises(BadInput, match=words):
                shorten_by_model(
                    text, 500, count=TOKENIZER.count, writer=writer, prompt=prompt, slice_tokens=400, progress=print
                )
        with pytest.raises(BadInput, match="3 tokens"):
            _shorten(text, 500, writer, slice_tokens=3)
        assert not server.asked


# --- killed in the middle

_BUILD = """
import sys
from pathlib import Path
from longreach.core.bench import Prompt
from longreach.core.files import Store
from longreach.models.tokenizers import get_tokenizer
from longreach.runner.inspect_helper import InspectHelper, HelperSettings
from longreach.text.shorten import shorten_by_model
wired = HelperSettings(base_url=sys.argv[1], arguments={"api_key": "none"}, max_retries=0, concurrency=3)
count = get_tokenizer("o200k_base").count
text = Path(sys.argv[4]).read_text(encoding="utf-8")
shortened = shorten_by_model(
    text, count(text) // 2, count=count, prompt=Prompt.parse_json(sys.argv[5], "prompt"), slice_tokens=400,
    progress=print,
    writer=InspectHelper("openai-api/local/helper", Store(Path(sys.argv[2])), wired),
)
Path(sys.argv[3]).write_text(shortened.text, encoding="utf-8")
"""


def _build(text: str, server: ChatServer, kept: Path, out: Path) -> subprocess.Popen[bytes]:
    story = kept.with_name("story.txt")
    story.write_text(text, encoding="utf-8")
    command = [sys.executable, "-c", _BUILD, server.base_url, *map(str, (kept, out, story)), PROMPT.model_dump_json()]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.long
def test_a_killed_build_pays_only_for_what_was_under_way_twice(tmp_path: Path) -> None:
    free, held = 5, 3
    release = threading.Event()
    numbers = iter(range(1000))

    def answer(asked: Asked) -> Served:
        if next(numbers) >= free:
            release.wait(120)
        return _words(asked)

    text, kept = speeches(2), tmp_path / "kept"
    with ChatServer(answer) as server:
        process = _build(text, server, kept, tmp_path / "killed.txt")
        deadline = time.monotonic() + 120
        while len(server.asked) < free + held or len(list(kept.rglob("*.json"))) < free:
            assert process.poll() is None, "the build ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        under_way = {asked.sha256 for asked in server.asked[free:]}
        assert len(under_way) == held
        release.set()
        # All that outlives the killed process is on disk: this one goes on from there.
        resumed = _shorten(text, TOKENIZER.count(text) // 2, _writer(server, kept))
        sent = Counter(asked.sha256 for asked in server.asked)
    assert {sha256 for sha256, times in sent.items() if times > 1} == under_way
    assert max(sent.values()) == 2
    assert not (tmp_path / "killed.txt").exists()
    with ChatServer(_words) as server:
        afresh = _shorten(text, TOKENIZER.count(text) // 2, _writer(server, tmp_path / "afresh"))
        assert len(server.asked) == len(sent)
    assert resumed == afresh


# --- the embedded model


@pytest.mark.long
def test_the_embedded_model_contracts_a_story(tmp_path: Path) -> None:
    paragraphs = built_in_documents()[1].text.split("\n\n")
    text = paragraphs[0]
    for paragraph in paragraphs[1:]:
        if TOKENIZER.count(text) > 160:
            break
        text += "\n\n" + paragraph
    target = round(0.7 * TOKENIZER.count(text))
    told: list[str] = []
    shortened = _shorten(text, target, InspectHelper("embedded", Store(tmp_path)), slice_tokens=120, told=told)
    within(shortened, target)
    assert 2 <= shortened.slices <= 3
    assert any("rewritten" in line for line in told)
    assert shortened.text != text
    mine = set(re.findall(r"\w+", shortened.text.lower()))
    assert len(mine & set(re.findall(r"\w+", text.lower()))) > 0.5 * len(mine)
