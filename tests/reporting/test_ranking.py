"""The verdict on each model, and their ranking."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from tests.present import some
from tests.reporting.findings import findings, verdict_sentence
from tests.rows import make_row

import longreach
from longreach.core.figure import Axis, FamilyView
from longreach.core.formatting import length_label, percent
from longreach.core.types import Row, Status, Verdict
from longreach.reporting.lengths import relations
from longreach.reporting.ranking import ALL_PAIRS, Standings, axis_ticks, ranking

QUESTION_TYPE = Axis(name="question_type", title="Question type", values=("literal", "inference", "abstention"))
LENGTH = Axis(name="length", title="Length", unit="tokens", scale="log")
VIEW = FamilyView(name="needles", title="", about="", axes=(LENGTH, QUESTION_TYPE), charts=())
FLAT = FamilyView(name="needles", title="", about="", axes=(QUESTION_TYPE,), charts=())


def rows(
    question_type: str, scores: dict[int, tuple[int, int]], *, prompt: str = "standard", status: Status = "scored"
) -> list[Row]:
    """Rows with so many right of so many at each length."""
    return [
        make_row(
            model="embedded",
            item=f"{length}-{n}",
            question=f"{question_type}-{n}",
            question_type=question_type,
            cell={"length": length, "prompt": prompt},
            realised={"length": length},
            context=f"{length} {n}",
            verdict=Verdict(status=status, value=float(n < right) if status == "scored" else None),
        )
        for length, (right, asked) in scores.items()
        for n in range(asked)
    ]


STEEP = {500: (100, 100), 1000: (99, 100), 8000: (10, 100)}
FULL = {500: (100, 100), 8000: (99, 100)}


@pytest.mark.parametrize(
    ("scores", "sentences"),
    [
        (STEEP, ["embedded holds to 1k (99 of 100 right", "embedded fails at 8k (10 of 100 right"]),
        (FULL, ["embedded holds to 8k (99 of 100 right"]),
        ({500: (60, 100), 8000: (58, 100)}, ["embedded fails already at 500, the shortest length (60 of 100 right"]),
        ({500: (1, 2), 8000: (0, 2)}, ["embedded is open at 8k (0 of 100 right"]),
        ({1000: (20, 25)}, ["embedded is open at 1k (80 of 100 right"]),
        ({1000: (60, 60)}, ["embedded holds to 1k (100 of 100 right"]),
        (
            {500: (60, 60), 1000: (34, 40), 8000: (4, 40)},
            ["embedded holds to 500 (100", "embedded fails at 8k (10", "embedded is open at 1k (85 of 100 right"],
        ),
    ],
)
def test_the_verdict_first_then_the_number(scores: dict[int, tuple[int, int]], sentences: list[str]) -> None:
    (found,) = findings(rows("literal", scores), VIEW, "embedded")
    told = [said for said in found.statements if said.number]
    assert len(told) >= len(sentences)
    assert all(said.text.startswith(start) for said, start in zip(told, sentences, strict=False))
    assert all(", 95 % CI " in said.text for said in told[: len(sentences)])


@pytest.mark.parametrize(
    ("right", "severity", "sentence"),
    [
        (18, "warning", "embedded hallucinates on 82 of 100 unanswerable questions (95 % CI 73 to 88)."),
        (100, "note", "embedded hallucinates on none of 100 unanswerable questions."),
    ],
)
def test_hallucinations_are_a_statement_of_their_own(right: int, severity: str, sentence: str) -> None:
    both = rows("literal", STEEP) + rows("abstention", {500: (right, 100)})
    (found,) = findings(both, VIEW, "embedded")
    assert [(said.severity, said.text) for said in found.statements if said.about == "made_up"] == [
        (severity, sentence)
    ]


def test_refusals_and_errors_are_broken_and_link_to_their_answers() -> None:
    every = rows("literal", STEEP) + rows("literal", {8000: (0, 60)}, status="refused")
    every += rows("literal", {500: (0, 3)}, status="error")
    (found,) = findings(every, VIEW, "embedded")
    broken = [said for said in found.statements if said.severity == "broken"]
    assert [said.text for said in broken] == [
        "embedded: 60 of 363 answers were refused.",
        "embedded: 3 of 363 answers failed.",
    ]
    assert [said.evidence["status"] for said in broken] == ["refused", "error"]


def test_where_a_model_loses_is_said_if_it_is_shown() -> None:
    def at(depth: int, right: int) -> list[Row]:
        own = rows("literal", {8000: (right, 40)})
        return [row.model_copy(update={"cell": {**row.cell, "depth": depth}, "context": f"{depth} {row.context}",
                                       "question": f"{depth} {row.question}"}) for row in own]  # fmt: skip

    said = verdict_sentence(at(10, 40) + at(50, 10) + at(90, 39), VIEW, "embedded")
    assert "At 8k embedded loses what stands in the middle of the text: 25 of 100 right there" in said
    assert "100 in the first third, 98 in the last third" in said
    assert "loses what" not in verdict_sentence(at(10, 38) + at(50, 37) + at(90, 39), VIEW, "embedded")


def test_accuracy_at_the_longest_length_is_that_of_all_question_types() -> None:
    """A model that finds everything and invents all the rest is right in half of the cases."""
    both = rows("literal", FULL) + rows("abstention", {500: (100, 100), 8000: (0, 100)})
    made = ranking(findings(both, VIEW, "embedded"), {}, {})
    assert made is not None
    numbers = {number.column: number.value for number in made.lines[0].numbers}
    assert numbers["At longest length"] == pytest.approx((0.99 + 0) / 2, abs=1e-9)
    lost = ranking(
        findings(rows("literal", FULL) + rows("abstention", FULL, status="unparsed"), VIEW, "embedded"), {}, {}
    )
    assert lost is not None
    assert {number.column: number.value for number in lost.lines[0].numbers}["Answered"] == 0.5


def test_what_is_not_answered_is_no_hallucination() -> None:
    both = rows("literal", STEEP) + rows("abstention", {500: (40, 50)})
    both += rows("abstention", {1000: (0, 50)}, status="refused")
    assert "hallucinates on 10 of 100 unanswerable questions" in verdict_sentence(both, VIEW, "embedded")


def test_prompts_that_differ_give_a_range() -> None:
    every = rows("literal", STEEP) + rows("abstention", {500: (20, 100)})
    every += rows("abstention", {500: (70, 100)}, prompt="anti_hallucination")
    said = verdict_sentence(every, VIEW, "embedded")
    assert "hallucinates on 30 to 80 of 100 unanswerable questions, depending on the prompt." in said


def test_what_is_not_delivered_does_not_hold() -> None:
    """A model that leaves half of its answers empty does not hold, however right the others are."""
    every = rows("literal", STEEP) + rows("literal", {500: (0, 100)}, status="unparsed")
    said = verdict_sentence(every, VIEW, "embedded")
    assert said.startswith("embedded fails already at 500, the shortest length (50 of 100 right")
    assert "embedded: 100 of 400 answers cannot be read." in said


def test_faults_of_the_provider_are_in_no_accuracy() -> None:
    every = rows("literal", STEEP) + rows("literal", {500: (0, 100)}, status="error")
    assert verdict_sentence(every, VIEW, "embedded").startswith("embedded holds to 1k (99 of 100 right")


def test_nothing_graded_is_broken() -> None:
    every = rows("literal", {500: (0, 20)}, status="truncated") + rows("literal", {500: (0, 5)}, status="error")
    said = verdict_sentence(every, VIEW, "embedded")
    assert said.startswith("embedded has no answer that can be graded, of 25 questions.")
    assert "5 of 25 answers failed." in said


def test_families_without_lengths() -> None:
    said = verdict_sentence(rows("summary", {500: (30, 40)}), FLAT, "embedded")
    assert said == "embedded gets 75 of 100 right, 95 % CI 59 to 86."


def test_finding_holds_the_numbers_behind_it() -> None:
    (found,) = findings(rows("inference", FULL) + rows("literal", STEEP), VIEW, "embedded", window=8192)
    assert [each.question_type for each in found.headlines] == ["literal", "inference"]
    assert found.lengths == (500, 1000, 8000)
    assert some(found.headlines[0].effective).length == 1000
    assert some(found.headlines[0].longest).right == 10


@pytest.mark.parametrize(
    ("tokens", "label"),
    [(500, "500"), (1000, "1k"), (8192, "8.2k"), (9990, "10k"), (128000, "128k"), (999900, "1M"), (1.5e6, "1.5M")],
)
def test_lengths_as_people_write_them(tokens: float, label: str) -> None:
    assert length_label(tokens) == label


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0 %"), (0.001, "1 %"), (0.825, "83 %"), (0.999, "99 %"), (1, "100 %")]
)
def test_only_all_is_all_and_only_none_is_none(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("right", "chance", "word"),
    [(55, 0.0, "fails already at 500"), (80, 0.5, "fails already at 500"), (100, 0.5, "holds to 1k")],
)
def test_what_guessing_gets_is_no_reading(right: int, chance: float, word: str) -> None:
    view = VIEW.model_copy(update={"chances": {"literal": chance}})
    said = verdict_sentence(rows("literal", {500: (right, 100), 1000: (right, 100)}), view, "embedded")
    assert said.startswith(f"embedded {word}")


@pytest.mark.parametrize(
    ("right", "said"),
    [
        (24, "Guessing gets 50 of 100."),
        (12, "embedded is not shown to do better than guessing, which gets 50 of 100."),
        (6, "embedded is no better than guessing, which gets 50 of 100."),
    ],
)
def test_what_is_all_right_is_told_from_guessing(right: int, said: str) -> None:
    view = FLAT.model_copy(update={"chances": {"summary": 0.5}})
    assert verdict_sentence(rows("summary", {500: (right, 24)}), view, "embedded").endswith(said)


@pytest.fixture(scope="module")
def page(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> BeautifulSoup:
    """Simulated models of known skill on one benchmark."""
    folder = tmp_path_factory.mktemp("ranking")
    settings = {"lengths": "600,1200,2400", "depths": "0..100/5", "sets": 10, "prompts": "standard", "facts": 4}
    longreach.build("needles", folder / "b", docs=docs, warn=lambda _: None, settings=settings)
    for model in ("guesser", "cliff,at=1.2k", "inventor", "perfect"):
        longreach.simulate(folder / "b", model, folder / "runs")
    longreach.report(folder / "runs", folder / "page.html")
    return BeautifulSoup((folder / "page.html").read_text(encoding="utf-8"), "html.parser")


def test_the_best_is_first_and_a_guesser_has_no_effective_length(page: BeautifulSoup) -> None:
    rows = page.select("table.rank:not(.at) tbody tr")
    models = [str(row.select_one("bdi").get("title") or row.select_one("bdi").get_text()) for row in rows]  # type: ignore[union-attr]
    assert models == ["simulated/perfect", "simulated/cliff,at=1.2k", "simulated/inventor", "simulated/guesser"]
    reached = [row.select_one("td.axis b").get_text() for row in rows]  # type: ignore[union-attr]
    assert reached == ["≥ 2.4k", "1.2k", "none", "none"], "the least of find, infer and abstain"
    marked = [row.select_one("bdi").get_text() for row in rows if row.select(".warn")]  # type: ignore[union-attr]
    assert marked == models[2:], "the inventor finds everything and hallucinates whenever there is nothing to find"
    assert any("comes after all others" in note.get_text() for note in page.select("section.ranking .note"))


def test_labels_of_lengths_do_not_overlap() -> None:
    ticks = axis_ticks([1065.0 * step for step in range(1, 11)])
    assert len(ticks) == 10
    assert ticks[-1] == (100, "11k")
    labelled = [at for at, label in ticks if label]
    assert len(labelled) > 4
    assert min(right - left for left, right in pairwise(labelled)) > 8


def test_all_bars_share_one_axis(page: BeautifulSoup) -> None:
    ticks = [tick.get_text() for tick in page.select("table.rank:not(.at) thead .ticks i")]
    assert ticks == ["600", "1.2k", "2.4k"]
    fills = [float(str(bar["width"])) for bar in page.select("table.rank:not(.at) .fill")]
    tracks = [float(str(bar["width"])) for bar in page.select("table.rank:not(.at) .track")]
    shares = [fill / track for fill, track in zip(fills, tracks, strict=True)]
    assert shares == pytest.approx([1, 2 / 3, 0, 0], abs=0.001), "log scale from half the shortest length"
    assert len(page.select("table.rank:not(.at) path.tick")) == 4 * 3


def test_it_is_a_chart_with_files_of_its_own(page: BeautifulSoup) -> None:
    figure = some(page.select_one("figure#needles-ranking"))
    (drawing,) = figure.select("svg[data-box]")
    assert len(drawing.select("rect.fill")) == 4
    source = some(figure.select_one("script"))
    assert source["id"] == figure.select("[data-csv]")[0]["data-csv"]
    table = json.loads(source.get_text())
    start = ["place", "model", "effective length", "effective length low", "effective length high"]
    assert table["head"][:5] == start
    assert table["rows"][0][:3] == [1, "simulated/perfect", 2400]


def test_the_title_is_short(page: BeautifulSoup) -> None:
    heading = some(page.select_one("h1"))
    assert heading.get_text() == "Long-context report: 4 models"


def test_a_model_with_one_length_so_far_is_listed(docs: Path, tmp_path: Path) -> None:
    common = {"depths": "30,60", "sets": 1, "prompts": "standard"}
    for name, lengths in (("short", "600"), ("long", "600,1200")):
        settings = common | {"lengths": lengths}
        longreach.build("needles", tmp_path / name, docs=docs, warn=lambda _: None, settings=settings)
    longreach.simulate(tmp_path / "long", "cliff,at=600", tmp_path / "runs")
    longreach.simulate(tmp_path / "short", "perfect", tmp_path / "runs")
    longreach.report(tmp_path / "runs", tmp_path / "page.html")
    page = BeautifulSoup((tmp_path / "page.html").read_text(encoding="utf-8"), "html.parser")
    listed = [each.get_text() for each in page.select("table.rank:not(.at) tbody bdi")]
    assert listed == ["simulated/perfect", "simulated/cliff,at=600"], "the same length, and better at its longest"


def test_what_the_key_is_not_certain_of_is_counted_apart() -> None:
    """Neither right nor wrong: both rates are given with the bounds that it leaves."""
    sure = rows("literal", {500: (100, 100)}) + rows("abstention", {500: (80, 100)})
    unsure = [
        row.model_copy(update={"verdict": Verdict(status="scored", value=row.verdict.value, certain=False)})
        if int(row.question.rpartition("-")[2]) % 10 == 0
        else row
        for row in sure
    ]
    said = verdict_sentence(unsure, VIEW, "embedded")
    assert "20 of 200 answers are undecided and count as wrong; longreach grade --judge MODEL decides them." in said
    assert "hallucinates on 18 of 100 unanswerable questions" in said
    (found,) = findings(unsure, VIEW, "embedded")
    literal = some(found.headlines[0].delivered)
    assert literal.value == 0.9, "the cautious bound"
    assert literal.low < 0.9 < literal.high == 1
    judged = [row.model_copy(update={"verdict": row.verdict.model_copy(update={"judge": 1.0})}) for row in unsure]
    assert "undecided" not in verdict_sentence(judged, VIEW, "embedded")


def test_models_that_cannot_be_told_apart_share_a_place() -> None:
    def named(model: str, right: int) -> list[Row]:
        own = rows("literal", {500: (right, 100), 8000: (right, 100)})
        return [row.model_copy(update={"model": model}) for row in own]

    every = named("good", 97) + named("equal", 96) + named("bad", 60)
    found = [each for model in ("bad", "equal", "good") for each in findings(every, VIEW, model)]
    made = some(ranking(found, {}, {}, every))
    assert [(line.place, line.model) for line in made.lines] == [(1, "good"), (1, "equal"), (3, "bad")]
    assert made.lines[1].tie.startswith("not told apart from good: ")
    assert not made.lines[2].tie


def test_one_that_finds_all_and_does_nothing_else_is_not_above_one_that_does_all() -> None:
    def model(name: str, *rights: int) -> list[Row]:
        kinds = ("literal", "inference", "abstention")
        own = [row for kind, right in zip(kinds, rights, strict=True) for row in rows(kind, {500: (right, 100)})]
        return [row.model_copy(update={"model": name}) for row in own]

    every = model("finder", 100, 0, 50) + model("all-rounder", 80, 80, 80)
    found = [each for name in ("finder", "all-rounder") for each in findings(every, VIEW, name)]
    made = some(ranking(found, {}, {}, every))
    assert [(line.place, line.model) for line in made.lines] == [(1, "all-rounder"), (2, "finder")]


@pytest.mark.parametrize(("right", "marked"), [(5, False), (1, True)])
def test_a_model_is_marked_for_hallucinations_only_where_they_are_shown(right: int, marked: bool) -> None:
    """7 of 12 invented is more than half, and its interval reaches far below."""
    found = findings(rows("literal", FULL) + rows("abstention", {500: (right, 12)}), VIEW, "embedded")
    ranked = some(ranking(found, {}, {"embedded": 0}))
    assert [line.hallucinates for line in ranked.lines] == [marked]


def test_of_many_models_each_is_compared_with_a_few() -> None:
    """So that a report grows with its models and not with their pairs; places are those that all pairs give."""
    names = [f"m{n:02}" for n in range(ALL_PAIRS + 10)]
    every = [
        row.model_copy(update={"model": name})
        for n, name in enumerate(names)
        for row in rows("literal", {500: (30 - n, 30), 8000: (30 - n, 30)})
    ]
    found = [each for name in names for each in findings(every, VIEW, name)]
    made = some(ranking(found, {}, {}, every))
    assert len(made.pairs) < 2 * len(names)
    by_name = {each.name: each for each in found}
    order = [by_name[line.name] for line in made.lines]
    all_pairs = Standings(order, tuple(every)).pairs(order, most=len(order))
    assert len(all_pairs) == len(names) * (len(names) - 1) // 2
    assert set(made.pairs) <= set(all_pairs), "the same numbers"
    leader, places = order[0].name, [1]
    known = {(pair.first, pair.second): pair for pair in all_pairs}
    for at, each in enumerate(order[1:], 2):
        if known[leader, each.name].better:
            leader = each.name
            places.append(at)
        else:
            places.append(places[-1])
    assert [line.place for line in made.lines] == places
    assert len(set(places)) > 2
    assert relations(made.pairs).startswith(f"Each of {len(names)} models is compared with its neighbour")


def test_of_a_few_models_every_two_are_compared() -> None:
    names = [f"m{n:02}" for n in range(ALL_PAIRS)]
    every = [row.model_copy(update={"model": name}) for name in names for row in rows("literal", {500: (9, 10)})]
    found = [each for name in names for each in findings(every, VIEW, name)]
    assert len(some(ranking(found, {}, {}, every)).pairs) == ALL_PAIRS * (ALL_PAIRS - 1) // 2
