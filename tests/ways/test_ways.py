"""Ways of reading with steps, over real HTTP: what is sent once, what is lost where, what resumes, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import call
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.doubles.reader import Reader
from tests.texts import chinese

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.core.runs import kept_bench
from longreach.core.types import Key
from longreach.deciding import decide
from longreach.errors import BadInput, Stopped
from longreach.families import STEP
from longreach.families.readings import FOUND, WAY
from longreach.families.showing import assembler_of
from longreach.reporting.way_tables import way_tables
from longreach.runner.logs import collect_calls
from longreach.ways import LongText, WayOptions, get_way
from longreach.ways.condense import own_prompt
from longreach.ways.survival import fact_kind, made_up_values, survives

MODEL = "openai-api/double/m"
STEPPED = ("condense:500", "quote", "windows:800")


class Stepping:
    """A model that reads all that it gets. What it condenses keeps the facts that `keeps` allows, and some filling."""

    def __init__(
        self,
        bench: Bench,
        keeps: Callable[[str], bool] = lambda _: True,
        filling: str = "The rest is talk.",
        makes_up: str = "",
    ) -> None:
        self._reader = Reader([bench])
        data = {name: planted.text.encode() for name, planted in bench.planted.items()}
        self._facts = {
            mark.id: data[name][mark.start : mark.end].decode()
            for name, planted in bench.planted.items()
            for mark in planted.facts
        }
        self._questions = {question.text: question for question in bench.questions.values()}
        self._keeps, self._filling, self._makes_up = keeps, filling, makes_up

    def __call__(self, asked: Asked) -> Reply:
        prompt = asked.prompt
        if "Condense the text" in prompt or "MY OWN WAY" in prompt:
            there = [fact for fact in self._facts.values() if fact in prompt and self._keeps(fact)]
            return Reply(" ".join([*there, self._makes_up, self._filling]), prompt_tokens=len(prompt) // 4)
        if "Copy from the text" in prompt or "is one part of a longer text" in prompt:
            question = next(each for text, each in self._questions.items() if text in prompt[-1500:])
            there = [self._facts[fact] for fact in question.evidence if self._facts[fact] in prompt]
            return Reply("\n".join(there) or "NOTHING", prompt_tokens=len(prompt) // 4)
        return self._reader(asked)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    settings: dict[str, Any] = {"lengths": "1k,2k", "ask": "each", "prompts": "standard", "facts": 4, "contexts": 5}
    return verbs.build("needles", tmp_path_factory.mktemp("w") / "bench", warn=lambda _: None, settings=settings)


@pytest.fixture(scope="module")
def read(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Asked]]:
    """Runs of a model that loses every fact with a number when it condenses, in four ways."""
    runs = tmp_path_factory.mktemp("runs") / "runs"
    model = Stepping(
        bench, keeps=lambda fact: not any(map(str.isdigit, fact)), makes_up="It was sold for 98765 crowns."
    )
    with ChatServer(model) as server:
        verbs.run(bench, MODEL, runs, ways=("whole", *STEPPED), base_url=server.base_url, price="1,1,1")
        sent = list(server.asked)
        again = verbs.run(bench, MODEL, runs, ways=("whole", *STEPPED), base_url=server.base_url, price="1,1,1")
    assert [again.sent, *(each.sent + each.steps for each in again.ways)] == [0, 0, 0, 0]
    assert len(server.asked) == len(sent)
    return runs, sent


def test_what_questions_share_is_sent_once_and_the_plan_names_what_is_sent(
    bench: Bench, read: tuple[Path, list[Asked]]
) -> None:
    runs, sent = read
    plan = verbs.plan(bench, MODEL, ways=("whole", *STEPPED), price="1,1,1")
    steps = [each for each in collect_calls(runs) if each.family == STEP]
    contexts = {item.context.sha256 for item in bench.items.values()}
    condensed = [each for each in sent if "Condense the text" in each.prompt]
    assert len(contexts) <= len(condensed) < len(bench.items)  # per context, not per question
    for way, planned in zip(STEPPED, plan.ways, strict=True):
        assert planned.way == way
        assert planned.models[0].requests >= len(bench.items)
        assert planned.models[0].cost
    assert len(steps) + len([each for each in collect_calls(runs) if each.family != STEP]) == len(sent)
    quotes = plan.ways[1].models[0].requests
    assert quotes == sum("Copy from the text" in each.prompt for each in sent) + len(bench.items)


def test_what_is_lost_is_told_from_what_is_not_read(read: tuple[Path, list[Asked]]) -> None:
    rows = verbs.grade(read[0])
    assert {str(row.cell.get(WAY, "whole")) for row in rows} == {"whole", *STEPPED}
    for row in rows:
        if FOUND in row.realised and row.question_type == "literal":
            assert row.verdict.value == row.realised[FOUND], (row.item, row.cell)
    lost = [row for row in rows if row.cell.get(WAY) == "condense:500" and row.realised.get(FOUND) == 0]
    assert lost
    assert all(row.realised.get(FOUND, 1) == 1 for row in rows if row.cell.get(WAY) in ("quote", "windows:800"))


def test_the_page_shows_what_survives_and_the_texts_between(read: tuple[Path, list[Asked]], tmp_path: Path) -> None:
    made = verbs.report(read[0], tmp_path / "page.html")
    assert {each.way for each in made.numbers.retrieval} == set(STEPPED)
    page = (tmp_path / "page.html").read_text()
    assert all(f'id="ways-{name}"' in page for name in ("lost", "condensed", "texts"))
    assert "98765" in page  # the condensed text can be read
    (table,) = (each for each in way_figures(read[0]) if each.id == "condensed")
    shares = {row[3]: row[4] for row in table.rows if row[2] == 1}
    assert 0 < float(str(shares["all facts"])) < 1
    assert next(row[6] for row in table.rows) > 0  # the price that was never there


def way_figures(runs: Path) -> list[Any]:
    """The tables of the section, as data."""
    rows, calls = verbs.grade(runs), collect_calls(runs)
    benches = {digest: kept_bench(runs, digest) for digest in {each.bench for each in calls}}
    return way_tables(rows, [each for each in calls if each.family == STEP], benches)


def test_a_text_that_does_not_shrink_has_a_status_of_its_own(bench: Bench, tmp_path: Path) -> None:
    with ChatServer(Stepping(bench, filling="the wind blew over the moor and again " * 300)) as server:
        found = verbs.run(bench, MODEL, tmp_path / "runs", ways=("condense:500",), base_url=server.base_url)
        assert found.sent == 0
        assert found.steps > 0
        assert not [each for each in server.asked if each.prompt.rstrip().endswith("?")]
    verbs.run(
        bench, MODEL, tmp_path / "runs", base_url="http://127.0.0.1:9/v1", max_retries=0, keep_going=True
    ) if 0 else None
    calls = [each for each in collect_calls(tmp_path / "runs") if each.family != STEP]
    assert {each.stop for each in calls} == {"not_condensed"}
    assert len(calls) == len(bench.items)


def test_a_stopped_run_resumes_in_the_middle_of_its_steps(bench: Bench, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    given: dict[str, Any] = {"ways": ("windows:800",), "concurrency": 1}
    with ChatServer(Stepping(bench)) as server:
        with pytest.raises(Stopped, match="budget"):
            verbs.run(bench, MODEL, runs, base_url=server.base_url, budget="30ktok", **given)
        first = len(server.asked)
        done = verbs.run(bench, MODEL, runs, base_url=server.base_url, **given)
        prompts = [each.sha256 for each in server.asked]
    assert 0 < first < len(prompts)
    assert done.failed == 0
    steps = [each.prompt for each in server.asked if "is one part of a longer text" in each.prompt]
    assert len(steps) == len(set(steps))


def test_decide_puts_five_ways_on_one_screen(tmp_path: Path) -> None:
    settings = {"lengths": "250,500,1000", "ask": "each", "prompts": "standard", "facts": 4, "seed": 1}
    out = tmp_path / "out"
    made = verbs.build("needles", out / "bench", warn=lambda _: None, settings=settings)
    with ChatServer(Stepping(made, keeps=lambda _: False)) as server:
        found = decide(
            [],
            at="1k",
            models=f"one=m@{server.base_url}",
            out=out,
            ways="whole,passages:3,condense:300,quote,windows:400",
        )
    rows = {row.way: row for row in found.rows}
    assert set(rows) == {"whole", "passages:3", "condense:300", "quote", "windows:400"}
    assert rows["condense:300"].verdict == "fails"
    assert any("lost by the way" in each for each in rows["condense:300"].why)
    assert rows["quote"].verdict == rows["windows:400"].verdict == rows["whole"].verdict == "holds"
    assert len(found.lines()) <= 30
    assert found.spent.requests == len(server.asked)


@pytest.mark.parametrize(
    ("family", "more", "way", "says"),
    [
        ("verbatim", {}, "quote", "the whole input is repeated or changed"),
        ("needles", {"turns": True, "facts": 2, "depths": "50", "lengths": "2k"}, "windows", "a conversation"),
    ],
)
def test_a_way_that_makes_no_sense_says_so_before_sending(
    family: str, more: dict[str, Any], way: str, says: str, tmp_path: Path
) -> None:
    made = verbs.build(family, tmp_path / "b", settings=more)
    with ChatServer() as server, pytest.raises(BadInput, match=says):
        verbs.run(made, MODEL, tmp_path / "runs", ways=(way,), base_url=server.base_url)
    assert not server.asked


def test_a_way_that_the_window_cannot_hold_is_refused_in_the_plan(bench: Bench) -> None:
    done = call(f"plan {bench.folder} -m {MODEL} --ways quote --set window=1k --set rate=100")
    assert done.code == 2
    assert "way quote: a request and its answer need" in done.err


def test_the_user_s_own_prompt_is_a_way_of_its_own(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("MY OWN WAY: keep what matters, in {{words}} words.")
    prompt = own_prompt(str(tmp_path / "mine.txt"))
    assert prompt.text.startswith("<text>\n{{context}}")
    way = get_way("condense:500", WayOptions(condense_prompt=str(tmp_path / "mine.txt")))
    assert way.name.startswith("condense:500@")
    with ChatServer(Stepping(bench)) as server:
        settings: Any = {"ways": ("condense:500",), "condense_prompt": str(tmp_path / "mine.txt")}
        found = verbs.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url, **settings)
        assert found.way == way.name
        assert any("MY OWN WAY" in each.prompt for each in server.asked)


def test_windows_are_the_whole_text_and_none_is_too_long(bench: Bench) -> None:
    assembler = assembler_of(bench)
    item = max(bench.items.values(), key=lambda item: item.context.tokens)
    text = assembler.text(item.context.pieces).decode()
    count = lambda part: len(part) // 4  # noqa: E731
    for tokens in (300, 700, 5000):
        windows = LongText(text, "en", count).windows(tokens)
        assert "".join(windows) == text
        assert max(map(count, windows)) <= tokens + 1


def test_an_embedder_that_lacks_the_language_is_named(tmp_path: Path) -> None:
    (tmp_path / "zh.txt").write_text(chinese(1, 200), encoding="utf-8")
    settings: Any = {"lengths": "500", "depths": "50", "facts": 2}
    made = verbs.build("needles", tmp_path / "b", docs=tmp_path / "zh.txt", warn=lambda _: None, settings=settings)
    with pytest.raises(BadInput, match="wordllama reads English and most of this text is 'zh'"):
        verbs.plan(made, MODEL, ways=("passages:1",), retriever="wordllama")


FACT = "Silas Corvane has kept the ferry at Dunmere for 41 years."


@pytest.mark.parametrize(
    ("text", "there"),
    [
        (FACT, True),
        ("Notes: the ferry (Dunmere) has been kept by Corvane for 41 years", True),
        ("Silas Corvane kept the ferry at Dunmere for many years.", False),
        (
            "Silas Corvane lives there. " + "Nothing else happened on that day. " * 60 + "At Dunmere it took 41 years.",
            False,
        ),
        ("", False),
    ],
)
def test_a_fact_survives_with_its_names_and_values(text: str, there: bool) -> None:
    assert survives(FACT, Key(kind="number", answer="41"), text, "en") is there


def test_values_that_were_never_there_are_named() -> None:
    found = made_up_values("He paid 1200 crowns, and Vanessa left for 77 days.", "The price was 1,200 crowns.")
    assert found == ["77", "Vanessa"]
    assert fact_kind("Nobody may enter unless the bell rings.", Key(kind="text", answer="bell")) == "exception"
    assert fact_kind(FACT, Key(kind="number", answer="41")) == "number"
