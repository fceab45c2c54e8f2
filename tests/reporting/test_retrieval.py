"""Full context against retrieval: simulated models that read only their prompt, over real HTTP; what is claimed; and
that nothing else on the page changes."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.present import some
from tests.rows import make_row

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.core.types import Row, SimulatedAnswer
from longreach.errors import BadInput
from longreach.families import get_family
from longreach.families.parts import Simulatable, Trainable, part_of
from longreach.families.readings import FOUND, reads_whole
from longreach.families.retrieval import retrieved_benches
from longreach.reporting.retrieval import MARGIN, RetrievalScore, _point, _sentence
from longreach.stats.intervals import Correlations
from longreach.stats.series import paired_gaps

if TYPE_CHECKING:
    from tests.browsing import Watched

MODEL = "openai-api/local/double"
OTHER = {"retrieval", "files", "page"}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    settings: dict[str, Any] = {"lengths": "1k,2k", "depths": "5,20,40,60,80,95", "facts": 10, "prompts": "standard"}
    return verbs.build("needles", tmp_path_factory.mktemp("r") / "bench", seed=3, settings=settings)


def reader(bench: Bench, others: list[Bench]) -> Callable[[Asked], Reply]:
    """A model that reads all of its prompt and nothing else."""
    family = get_family(bench.info.family)
    assert isinstance(family, Simulatable)
    asked = {item.sha256: (each, item) for each in (bench, *others) for item in each.items.values()}

    def say(request: Asked) -> Reply:
        whose, item = asked[request.sha256]
        questions = [whose.questions[question] for question in item.questions]
        kinds = [
            all(fact in request.prompt for fact in part_of(family, Trainable).facts(bench, question))
            for question in questions
        ]
        replies = [SimulatedAnswer(kind="right" if seen else "absent") for seen in kinds]
        return Reply(family.write_answers(questions, replies), prompt_tokens=item.tokens)

    return say


@pytest.fixture(scope="module")
def read(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which that model was asked with the whole text and with 1 and 3 passages."""
    runs = tmp_path_factory.mktemp("runs") / "runs"
    others = retrieved_benches(bench, (1, 3))
    with ChatServer(reader(bench, others)) as server:
        first, again = (
            verbs.run(bench, MODEL, runs, ways=["whole", *numbers], base_url=server.base_url, price="10,1,10")
            for numbers in (("passages:1",), ("passages:1", "passages:3"))
        )
    assert [first.sent, *(each.sent for each in first.ways)] == [len(bench.items), len(others[0].items)]
    assert [again.sent, *(each.sent for each in again.ways)] == [0, 0, len(others[1].items)]
    assert len(server.asked) == sum(len(each.items) for each in (bench, *others))
    return runs


def scores(runs: Path, out: Path) -> dict[tuple[str, int], RetrievalScore]:
    found = verbs.report(runs, out / "page.html").retrieval
    return {(each.question_type, int(each.way.partition(":")[2])): each for each in found}


def test_a_failed_search_is_told_from_a_failed_reading(bench: Bench, read: Path, tmp_path: Path) -> None:
    found = scores(read, tmp_path)
    assert set(found) == {(kind, number) for kind in ("literal", "inference", "abstention") for number in (1, 3)}
    missed = 0
    for (kind, _), each in found.items():
        for point in each.by_length:
            assert point.full.value == 1
            own = {item.context.sha256 for item in bench.items.values() if item.cell["length"] == point.length}
            assert point.contexts == len(own)  # passages of one text are no further contexts
            if kind == "abstention":
                assert point.evidence_found is point.right_if_found is point.right_if_missed is None
                assert point.retrieval.value == 1
                continue
            assert point.retrieval.value == pytest.approx(some(point.evidence_found).value)  # it reads all that it gets
            assert point.difference.value == pytest.approx(some(point.evidence_found).value - 1)
            assert point.right_if_found is None or point.right_if_found.value == 1
            assert point.right_if_missed is None or point.right_if_missed.value == 0
            missed += point.right_if_missed is not None
            assert some(point.cost) < some(point.cost_full)
        assert each.unpaired == 0
    assert missed
    more, fewer = (found["inference", number].by_length[-1].retrieval.value for number in (3, 1))
    assert more >= fewer


def test_retrieval_changes_no_other_number(bench: Bench, tmp_path: Path) -> None:
    """A model that finds everything in the long text and nothing in the passages."""
    rules = ["needles.literal@2k >= 0.9"]
    runs, alone = tmp_path / "both" / "runs", tmp_path / "alone" / "runs"
    for folder in (runs, alone):
        verbs.simulate(bench, "perfect", folder, name="one")
    (made,) = retrieved_benches(bench, (2,))
    verbs.simulate(made, "always,label=absent", runs, name="one")
    whole, plain = (verbs.report(each, tmp_path / f"{each.parent.name}.html").numbers for each in (runs, alone))
    assert whole.retrieval
    assert not plain.retrieval
    assert whole.model_dump(exclude=OTHER) == plain.model_dump(exclude=OTHER)
    assert verbs.gate(runs, rules).model_dump(exclude={"name"}) == verbs.gate(alone, rules).model_dump(exclude={"name"})
    third = tmp_path / "third"
    verbs.simulate(bench, "always,label=absent", third, name="one")
    assert [match.pairs for match in verbs.compare(third, runs).matches] == [
        match.pairs for match in verbs.compare(third, alone).matches
    ]
    one, other = (
        verbs.history([third, each]).model_dump_json().replace(str(each.parent), "") for each in (runs, alone)
    )
    assert one == other
    assert {reads_whole(row) for row in verbs.grade(runs)} == {True, False}


def test_answers_over_passages_alone_are_reported_and_no_gate_takes_them(bench: Bench, tmp_path: Path) -> None:
    (made,) = retrieved_benches(bench, (2,))
    verbs.simulate(made, "perfect", tmp_path / "runs")
    found = verbs.report(tmp_path / "runs", tmp_path / "page.html")
    assert all("passages:2" in said.text for said in found.statements if said.about == "verdict")
    with pytest.raises(BadInput, match="no answers to whole texts"):
        verbs.gate(tmp_path / "runs", ["needles.literal >= 0.5"])


def test_a_model_that_reads_nothing_loses_nothing_and_that_is_not_called_as_well(bench: Bench, tmp_path: Path) -> None:
    verbs.simulate(bench, "always,label=absent", tmp_path / "runs", ways=("whole", "passages:2"))
    found = scores(tmp_path / "runs", tmp_path)
    assert {point.shown for point in found["literal", 2].by_length} == {"not read"}
    assert "as well" not in found["literal", 2].sentence


def test_a_simulated_model_does_not_know_what_its_passages_lack(bench: Bench, tmp_path: Path) -> None:
    verbs.simulate(bench, "perfect", tmp_path / "runs", ways=("whole", "passages:1"))
    for row in verbs.grade(tmp_path / "runs"):
        if not reads_whole(row):
            assert row.verdict.value == row.realised.get(FOUND, 1)


def test_what_was_not_answered_both_ways_is_counted(bench: Bench, tmp_path: Path) -> None:
    runs, (made,) = tmp_path / "runs", retrieved_benches(bench, (2,))
    verbs.simulate(bench, "perfect", runs, name="one")
    verbs.simulate(made, "perfect", runs, name="one")
    (file,) = [path for path in (runs / "imported").iterdir() if f'"bench":"{made.info.digest}"' in path.read_text()]
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:-7]))
    found = scores(runs, tmp_path)
    assert {each.unpaired for each in found.values()} == {7}
    assert "7 questions are not answered both ways" in (tmp_path / "page.html").read_text()


def test_the_page_and_the_numbers_say_the_same(read: Path, tmp_path: Path) -> None:
    made = verbs.report(read, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    for each in made.numbers.retrieval:
        assert each.sentence in page
    assert 'id="ways"' in page
    assert "of the cost of a request" in page


def pairs(
    rng: random.Random, contexts: int, full: float, retrieval: float, *, whole: bool = False
) -> list[tuple[Row, Row]]:
    """Answers of one length: ten questions per context, each right with a known probability; or all over one context
    right or wrong together."""
    found = []
    for context in range(contexts):
        together = [rng.random(), rng.random()]
        for question in range(10):
            both = [
                make_row(
                    float((draw if whole else rng.random()) < level),
                    question=f"q{context}-{question}",
                    context=f"c{context}",
                    cell={"length": 1000},
                )
                for level, draw in zip((full, retrieval), together, strict=True)
            ]
            found.append((both[0], both[1]))
    return found


def shown(own: list[tuple[Row, Row]]) -> str:
    run = Correlations.of(paired_gaps([(row, whole) for whole, row in own]))
    return _point(1000.0, own, run, 0.0).shown


@pytest.mark.parametrize(
    "whole", [True, pytest.param(False, marks=pytest.mark.long)], ids=["contexts as a whole", "answers apart"]
)
@pytest.mark.parametrize(
    ("full", "retrieval", "never"),
    [
        (0.95, 0.95 - MARGIN, {"as well", "better"}),
        pytest.param(1.0, 1.0 - 2 * MARGIN, {"as well", "better"}, marks=pytest.mark.long),
        pytest.param(0.9, 0.7, {"as well", "better"}, marks=pytest.mark.long),
        (0.8, 0.8, {"better", "worse"}),
    ],
)
def test_what_is_not_so_is_rarely_claimed(full: float, retrieval: float, never: set[str], whole: bool) -> None:
    """A loss of the margin or more is called as well in at most one of 40 runs, and chance no difference."""
    rng = random.Random(5)
    runs = [shown(pairs(rng, 20, full, retrieval, whole=whole)) for _ in range(80)]
    assert sum(each in never for each in runs) <= 5  # 2 expected at the edge itself


def test_what_is_known_without_the_text_shows_where_the_evidence_was_missed() -> None:
    rng = random.Random(8)
    own = [
        (whole, row.model_copy(update={"realised": {FOUND: number % 2}}))
        for number, (whole, row) in enumerate(pairs(rng, 40, 1.0, 1.0))
    ]
    point = _point(1000.0, own, Correlations.of(paired_gaps([(row, whole) for whole, row in own])), 0.0)
    assert point.shown == "as well"
    assert _sentence([point]).endswith(
        "all evidence is found for 50 % of the questions: 100 % of 200 are right where it is found, "
        "100 % of 200 are right where it is missed."
    )


def test_what_is_so_can_be_shown() -> None:
    rng = random.Random(6)
    assert {shown(pairs(rng, 40, 1.0, 1.0)), shown(pairs(rng, 150, 0.99, 0.99))} == {"as well"}
    assert shown(pairs(rng, 20, 0.9, 0.5)) == "worse"
    assert shown(pairs(rng, 20, 0.5, 0.9)) == "better"
    assert shown(pairs(rng, 4, 1.0, 1.0)) == "too few"


def test_the_sentence_goes_from_the_shortest_length_to_the_longest() -> None:
    rng = random.Random(7)
    levels = {1000: (1.0, 1.0), 2000: (1.0, 1.0), 4000: (0.9, 0.9), 8000: (0.9, 0.5), 16_000: (0.9, 0.4)}
    points = []
    for length, (full, retrieval) in levels.items():
        own = pairs(rng, 8 if length == 4000 else 40, full, retrieval)
        run = Correlations.of(paired_gaps([(row, whole) for whole, row in own]))
        points.append(_point(float(length), own, run, 0.0))
    said = _sentence(points)
    assert said.startswith("does as well up to 2k, at 100 % of the input tokens of a request; ")
    assert "; not shown to differ at 4k (a loss of up to " in said
    assert "; worse from 8k on (by " in said


def test_on_a_phone_nothing_scrolls_sideways(read: Path, tmp_path: Path, watched: Watched) -> None:
    verbs.report(read, tmp_path / "page.html")
    watched.page.set_viewport_size({"width": 390, "height": 844})
    watched.page.goto((tmp_path / "page.html").as_uri())
    watched.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    assert watched.page.evaluate("document.documentElement.scrollWidth") == 390
    assert watched.page.locator("#ways ul.prose > li").count() == len(
        verbs.report(read, tmp_path / "page.html").retrieval
    )
