"""Decisions: up to which length each model is shown to reach the bar, from graded rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from longreach.core.bench import Bench
from longreach.core.formatting import length_label, percent, value_label
from longreach.core.statements import Decision, DecisionWord, LengthDecision, Statement, of_100
from longreach.core.types import AxisValue, Row
from longreach.families.panels import BenchPanels
from longreach.families.readings import WAY
from longreach.stats.evidence import Evidence, Panel, Standard, evidence, rate_of
from longreach.stats.series import grouped

__all__ = ["WHOLE", "decide_lengths", "decision_at", "decision_statements", "decisions_of", "way_of"]

WHOLE = "whole"
"""The way of reading in which the model gets the whole text."""


def way_of(row: Row) -> str:
    """How the text reached the model: 'whole', 'passages:10'."""
    return str(row.cell.get(WAY, WHOLE))


def decisions_of(
    rows: Iterable[Row],
    benches: Mapping[str, Bench],
    *,
    at: float | None = None,
    cuts: Mapping[str, int] | None = None,
) -> list[Decision]:
    """One decision per model, way, family and experiment. `at` is the length that the verdict is about, by default the
    longest; `cuts` has the tokens at which a model's server cuts prompts."""
    panels = {digest: BenchPanels(bench) for digest, bench in benches.items()}
    found: list[Decision] = []
    for (model, way, family), own in grouped(rows, lambda row: (row.model, way_of(row), row.family)).items():
        scores: dict[tuple[AxisValue, ...], dict[int, list[Panel]]] = {}
        bars: dict[tuple[tuple[AxisValue, ...], int], float] = {}
        for digest, part in grouped(own, lambda row: row.bench).items():
            known = panels[digest]
            for experiment, lengths in known.scores(part).items():
                for length, answered in lengths.items():
                    if answered:
                        scores.setdefault(experiment, {}).setdefault(length, []).extend(answered)
                        bars[experiment, length] = max(
                            bars.get((experiment, length), 0.0), known.bar(experiment, length)
                        )
        for experiment, answers in scores.items():
            standards = {length: Standard(bar=bars[experiment, length]) for length in answers}
            decided = decide_lengths(answers, standards, cut=(cuts or {}).get(model))
            label = _experiment_label(panels, own, experiment)
            found.append(decision_at(decided, at, {"model": model, "way": way, "family": family, "experiment": label}))
    return found


def decide_lengths(
    panels: Mapping[int, Sequence[Panel]], standards: Mapping[int, Standard], *, cut: int | None = None
) -> tuple[LengthDecision, ...]:
    """The decision at each length: a length that fails passes on to every longer one, one that holds to every shorter
    one that does not fail itself. Beyond a cut nothing was measured."""
    lengths = sorted(panels)
    shown: dict[int, Evidence] = {length: evidence(panels[length], standards[length]) for length in lengths}
    fails_at = min((length for length in lengths if shown[length].verdict == "fails"), default=None)
    before = [length for length in lengths if fails_at is None or length < fails_at]
    holds_to = max((length for length in before if shown[length].verdict == "holds"), default=None)

    def word(length: int) -> DecisionWord:
        if cut is not None and length > cut:
            return "broken"
        if fails_at is not None and length >= fails_at:
            return "fails"
        return "holds" if holds_to is not None and length <= holds_to else "open"

    return tuple(
        LengthDecision(
            length=length,
            verdict=word(length),
            right=rate_of(panels[length], standards[length]),
            contexts=shown[length].contexts,
        )
        for length in lengths
    )


def decision_at(lengths: Sequence[LengthDecision], at: float | None, about: Mapping[str, str]) -> Decision:
    asked = [each for each in lengths if at is None or each.length <= at] or list(lengths[:1])
    broken = lengths[0].verdict == "broken"
    held = [each.length for each in lengths if each.verdict == "holds"]
    failed = [each.length for each in lengths if each.verdict == "fails"]
    return Decision(
        **about,
        verdict="broken" if broken else asked[-1].verdict,
        holds_to=max(held, default=None),
        fails_at=min(failed, default=None),
        right=asked[-1].right,
        by_length=tuple(lengths),
    )


def _experiment_label(panels: Mapping[str, BenchPanels], rows: Sequence[Row], experiment: tuple[AxisValue, ...]) -> str:
    """'comb layout'; empty for a usual experiment."""
    known = panels[rows[0].bench]
    axes = [axis for axis in known.family.axes if axis.experiment]
    named = [
        f"{value_label(axis, value)} {axis.title.lower()}"
        for axis, value in zip(axes, experiment, strict=True)
        if value != "" and not axis.is_usual(value) and axis.name != "question_type"
    ]
    return ", ".join(named)


# How decisions are worded: here alone.


def _named(decision: Decision) -> str:
    parts = [decision.experiment, "" if decision.way == WHOLE else decision.way]
    more = ", ".join(part for part in parts if part)
    return f"{decision.model} ({more})" if more else decision.model


def decision_statements(decision: Decision) -> list[Statement]:
    """The verdict on a model in one sentence, or two."""
    who, at = _named(decision), {each.length: each for each in decision.by_length}
    longest = decision.by_length[-1]
    severity = "broken" if decision.verdict == "broken" else "verdict"

    def say(text: str, length: int | None, about: str = "verdict") -> Statement:
        of = at[length] if length is not None else longest
        return Statement(
            about=about,
            text=text,
            severity=severity,
            model=decision.model,
            length=of.length,
            number=of.right,
            evidence={"model": decision.model, "length": str(of.length)},
        )

    def rate(length: int) -> str:
        right = at[length].right
        return f" ({of_100(right)})" if right else ""

    found: list[Statement] = []
    holds, fails = decision.holds_to, decision.fails_at
    if holds is not None:
        found.append(say(f"{who} holds to {length_label(holds)}{rate(holds)}.", holds))
    if fails is not None:
        shortest = fails == decision.by_length[0].length
        where = f"already at {length_label(fails)}, the shortest length" if shortest else f"at {length_label(fails)}"
        found.append(say(f"{who} fails {where}{rate(fails)}.", fails))
    still = [each.length for each in decision.by_length if each.verdict == "open"]
    if still:
        length = still[-1] if holds is None and fails is None else still[0]
        found.append(
            say(
                f"{who} is open at {length_label(length)}{rate(length)}: more contexts would decide it.", length, "open"
            )
        )
    broken = [each.length for each in decision.by_length if each.verdict == "broken"]
    if broken:
        found.append(
            say(f"{who} is broken from {length_label(broken[0])}: its server cuts prompts there.", broken[0], "cut")
        )
    return found


def under_the_bar(types: Mapping[str, float], bar: float) -> str:
    """'combine facts 62 %': question types that miss the bar by themselves; empty if none does."""
    return ", ".join(f"{name} {percent(value)}" for name, value in types.items() if value < bar)
