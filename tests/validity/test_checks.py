"""Each check fires on its planted case, and in at most 5 % of clean ones."""

from __future__ import annotations

import html
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from tests.rows import make_row

from longreach import api
from longreach.core.bench import Bench
from longreach.core.types import Context, Insert, Item, Key, Mark, Placement, Planted, Question, Row, Verdict
from longreach.families.grounded.questions import render
from longreach.reporting.checks import Check, run_checks

LETTERS = "ABCDEF"
WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heath",
    "inlet",
    "joust",
    "kiosk",
    "lemon",
    "maple",
    "north",
    "ocean",
    "pearl",
]


def made(rng: np.random.Generator, questions: int = 40, **plant: Any) -> Bench:
    """A benchmark of multiple-choice questions; `plant` puts a fault into it."""
    asked, planted, items = {}, {}, {}
    for number in range(questions):
        gold = "A" if plant.get("place") and rng.random() < 0.6 else LETTERS[rng.integers(6)]
        options = [" ".join(rng.choice(WORDS, rng.integers(2, 5))) + f" {number}{slot}" for slot in range(6)]
        if plant.get("style") and rng.random() < 0.7:
            options[LETTERS.index(gold)] += " as the passage says at some length"
        present = [options[LETTERS.index(gold)]] if plant.get("present") else options
        name = f"q{number}"
        text = render("Which of these is named?", options)
        asked[name] = Question(
            id=name,
            question_type="reading",
            text=text,
            key=Key(kind="text", answer=gold, rivals=tuple(letter for letter in LETTERS if letter != gold)),
            evidence=(f"f{number}",),
        )
        asked[f"{name}.closed_book"] = asked[name].model_copy(update={"question_type": "closed_book", "evidence": ()})
        planted[name] = Planted(id=name, text="; ".join(present), facts=(Mark(id=f"f{number}", start=0, end=5),))
        placed = () if plant.get("gold") and number < 2 else (Placement(insert=name, start=0, token=500),)
        for length in (1000, 2000):
            came = length * 1.03 if plant.get("lengths") and number % 5 == 0 else length
            items[f"{length}-{name}"] = Item(
                id=f"{length}-{name}",
                family="grounded",
                context=Context(
                    pieces=(Insert(insert=name),),
                    tokens=length,
                    bytes=4 * length,
                    sha256=f"{length}{number}".ljust(64, "0"),
                ),
                prompt="reading",
                questions=(name,),
                cell={"length": length, "depth": 50, "prompt": "reading"},
                realised={"length": came, "depth": 50.4},
                placed=placed,
                tokens=length,
                through_context=1,
                through_rules=1,
                sha256="same" if plant.get("identical") and number < 2 else f"{length}-{number}",
            )
    info = SimpleNamespace(family="grounded", digest="b")
    whole = {"questions": asked, "planted": planted, "items": items, "build": {}, "corpus": None, "has_corpus": True}
    return cast("Bench", SimpleNamespace(info=info, **whole))


def answered(
    bench: Bench, rng: np.random.Generator, skill: float = 0.6, bias: float = 0.0, cut: float = 0.0
) -> list[Row]:
    """Rows of a model that is right with some skill, else guesses; with `bias` it says B instead."""
    rows = []
    for item in bench.items.values():
        question = bench.questions[item.questions[0]]
        said = question.key.answer if rng.random() < skill else LETTERS[rng.integers(6)]
        said = "B" if rng.random() < bias else said
        verdict = Verdict(status="scored", value=float(said == question.key.answer), answer=said)
        rows.append(
            make_row(
                family="grounded",
                item=item.id,
                question=question.id,
                question_type="reading",
                cell=item.cell,
                realised=item.realised,
                context=item.context.sha256[:16],
                verdict=Verdict(status="truncated") if rng.random() < cut else verdict,
            )
        )
    return rows


def closed_book(bench: Bench, rng: np.random.Generator, knows: float = 0.0) -> list[Row]:
    """Rows of the control without the text: a model that knows some answers and guesses the rest."""
    rows = answered(bench, rng, skill=knows)
    control = {"question_type": "closed_book", "cell": {"control": "closed_book"}}
    return [
        row.model_copy(update={**control, "question": f"{row.question}.closed_book"})
        for row in rows
        if row.cell["length"] == 1000
    ]


def warned(checks: tuple[Check, ...]) -> set[str]:
    return {check.id for check in checks if check.warning}


@pytest.mark.parametrize(
    ("plant", "expected"),
    [
        ({"present": True}, "option-present"),
        ({"style": True}, "style-cue"),
        ({"place": True}, "place-cue"),
        ({"gold": True}, "gold-missing"),
        ({"identical": True}, "identical-cells"),
        ({"lengths": True}, "lengths-off"),
    ],
)
def test_a_planted_fault_of_a_benchmark_is_found(plant: dict[str, bool], expected: str) -> None:
    rng = np.random.default_rng(3)
    bench = made(rng, **plant)
    found = warned(run_checks(answered(bench, rng), {"b": bench}))
    assert expected in found
    assert found <= {expected, "place-cue", "label-bias"} if expected == "place-cue" else found == {expected}


@pytest.mark.parametrize(
    ("how", "judge", "expected"),
    [({"bias": 0.5}, "", "label-bias"), ({"cut": 0.1}, "", "output-cap"), ({}, "m", "judge-is-model")],
)
def test_a_planted_fault_of_a_run_is_found(how: dict[str, float], judge: str, expected: str) -> None:
    rng = np.random.default_rng(4)
    bench = made(rng)
    assert warned(run_checks(answered(bench, rng, **how), {"b": bench}, judge=judge)) == {expected}


def test_a_copy_without_the_text_is_checked_for_the_rest() -> None:
    rng = np.random.default_rng(6)
    bench = made(rng, gold=True)
    cast("SimpleNamespace", bench).has_corpus = False
    found = run_checks(answered(bench, rng), {"b": bench})
    assert "option-present" not in {check.id for check in found}
    assert warned(found) == {"gold-missing"}


def test_closed_book_answers_are_found() -> None:
    rng = np.random.default_rng(6)
    bench = made(rng)
    assert warned(run_checks(closed_book(bench, rng, knows=0.5), {"b": bench})) == {"closed-book"}


@pytest.mark.parametrize(("accuracy", "low", "fires"), [(0.72, 0.63, True), (0.58, 0.52, False), (0.62, 0.49, False)])
def test_a_style_classifier_that_tells_the_labels_is_found(accuracy: float, low: float, fires: bool) -> None:
    rng = np.random.default_rng(8)
    bench = made(rng)
    bench.build["style_probe"] = {"accuracy": accuracy, "low": low, "high": 0.8, "n": 96}
    assert ("style-cue" in warned(run_checks(answered(bench, rng), {"b": bench}))) == fires


def _clean(runs: int) -> dict[str, float]:
    rng = np.random.default_rng(5)
    counts: dict[str, int] = {}
    for _ in range(runs):
        bench = made(rng)
        rows = [*answered(bench, rng), *closed_book(bench, rng)]
        for check in run_checks(rows, {"b": bench}, judge="another"):
            counts[check.id] = counts.get(check.id, 0) + check.warning
    return {name: count / runs for name, count in counts.items()}


def test_clean_results_rarely_fire() -> None:
    rates = _clean(40)
    assert len(rates) == 10
    assert all(rate <= 0.1 for rate in rates.values()), rates


@pytest.mark.long
def test_clean_results_fire_in_at_most_5_percent() -> None:
    rates = _clean(300)
    print(rates)
    assert all(rate <= 0.05 for rate in rates.values()), rates


def test_on_real_benchmarks(benches: dict[str, Bench], tmp_path: Path) -> None:
    for label in ("faithful", "hallucinated"):
        api.simulate(benches["novel"], f"always,label={label}", tmp_path / "novel")
    api.simulate(benches["novel"], "perfect", tmp_path / "novel")
    found = api.report(tmp_path / "novel", tmp_path / "page.html").checks
    biased = {check.model for check in found if check.id == "label-bias" and check.warning}
    assert biased == {"simulated/always,label=faithful", "simulated/always,label=hallucinated"}
    for name in ("perfect", "guesser"):
        api.simulate(benches["grounded"], name, tmp_path / "grounded")
    made = api.report(tmp_path / "grounded", tmp_path / "page.html")
    checks = made.checks
    closed = {check.model for check in checks if check.id == "closed-book" and check.warning}
    assert closed == {"simulated/perfect"}
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Check: closed-book answers (simulated/perfect)" in page
    said = made.verdicts["simulated/perfect grounded"]
    assert said.startswith("Control failed for simulated/perfect: 100 % right without the text"), (
        "in the headline, not in small print"
    )
    warned = sum(check.warning for check in checks)
    assert f"{len(checks)} checks, {warned} warning{'s' * (warned != 1)}." in page
    assert all(check.title in page and check.detail in html.unescape(page) for check in checks), "warning or not"
