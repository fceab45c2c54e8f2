"""Decisions: up to which length each model is shown to reach the bar, from graded rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from longreach.core.bench import Bench
from longreach.core.formatting import count, format_tokens, length_label, value_label
from longreach.core.statements import Decision, DecisionWord, LengthDecision, Rate, Statement, TypeRate, of_100
from longreach.core.types import AxisValue, Row
from longreach.families.panels import BenchPanels
from longreach.families.parts import Reportable, part_of
from longreach.families.readings import WAY
from longreach.stats.counting import at_best, delivered
from longreach.stats.drift import drift_of
from longreach.stats.evidence import (
    ContextScore,
    LengthEvidence,
    Panel,
    Standard,
    bar_of,
    evidence,
    panels_missing,
    rate_of,
)
from longreach.stats.series import grouped

__all__ = ["WHOLE", "decide_lengths", "decision_at", "decision_statements", "decisions_of", "way_of"]

WHOLE = "whole"
"""The way of reading in which the model gets the whole text."""
_ENOUGH = 8
"""Questions of a type before it is named by itself."""
_MUTE = 0.5
"""A model that leaves this share without an answer is not said to find the test too hard."""
_TOO_MANY = 60
"""More contexts than this are not a price that anyone would pay."""


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
        asked = _asked(own, panels)
        passage = _passage_alone(own)
        for experiment, lengths in asked.items():
            decided = decide_lengths(
                {length: one.panels for length, one in lengths.items()},
                {length: one.standard for length, one in lengths.items()},
                cut=(cuts or {}).get(model) if way == WHOLE else None,
            )
            decided = tuple(lengths[each.length].with_missing(each) for each in decided)
            label = _experiment_label(panels, own, experiment)
            about = {"model": model, "way": way, "family": family, "experiment": label}
            decision = decision_at(decided, at, about)
            place = decision.holds_to or decided[0].length
            here = [row for row in own if row.item in lengths[place].items]
            beside = {
                "types": _types(here, panels),
                "unanswered": sum(row.verdict.status != "scored" for row in here) / max(1, len(here)),
                "passage": passage,
                "drift": _drift(lengths),
            }
            found.append(decision.model_copy(update=beside))
    return found


@dataclass
class _AtLength:
    """What one model was asked at one length of one experiment."""

    standard: Standard
    panels: list[Panel] = field(default_factory=list)
    items: set[str] = field(default_factory=set)
    in_stock: int = 0
    """Contexts that were not asked."""
    tokens: float = 0.0
    """Prefill tokens per context."""

    def with_missing(self, decision: LengthDecision) -> LengthDecision:
        """The decision with what it still takes."""
        if decision.verdict != "open" or not self.panels:
            return decision
        missing = math.ceil(panels_missing(self.panels, self.standard) * len(self.panels[-1]))
        tokens = round(missing * self.tokens)
        return decision.model_copy(
            update={"missing": missing, "missing_tokens": tokens, "in_stock": self.in_stock},
        )


def _asked(rows: Sequence[Row], panels: Mapping[str, BenchPanels]) -> dict[tuple[AxisValue, ...], dict[int, _AtLength]]:
    """By experiment and length, all benchmarks together."""
    found: dict[tuple[AxisValue, ...], dict[int, _AtLength]] = {}
    for digest, part in grouped(rows, lambda row: row.bench).items():
        known, answered = panels[digest], {row.item for row in part}
        for experiment, lengths in known.scores(part).items():
            for length, scores in lengths.items():
                if not scores:
                    continue
                units, bar = known.by_length[experiment][length], known.bar(experiment, length)
                one = found.setdefault(experiment, {}).setdefault(length, _AtLength(Standard(bar=bar)))
                contexts = sum(len(unit.contexts) for unit in units)
                one.standard = replace(one.standard, bar=max(bar, one.standard.bar))
                one.panels += scores
                one.items |= {item for unit in units for item in unit.items} & answered
                one.in_stock += contexts - sum(map(len, scores))
                one.tokens = max(one.tokens, sum(map(known.tokens, units)) / contexts)
    return found


def _types(rows: Sequence[Row], panels: Mapping[str, BenchPanels]) -> tuple[TypeRate, ...]:
    """Each question type by itself; empty where there is one."""
    found = []
    for name, own in grouped(rows, lambda row: row.question_type).items():
        known = [score for row in own if (score := delivered(row)) is not None]
        if len(known) >= _ENOUGH:
            chance = panels[own[0].bench].chance_of(name)
            right = sum(known) / len(known)
            found.append(TypeRate(type=name, right=right, bar=bar_of(chance), of=len(known)))
    return tuple(found) if len(found) > 1 else ()


def _passage_alone(rows: Sequence[Row]) -> Rate | None:
    """Right with the passage alone, if that is shown to be under the bar."""
    alone = [row for row in rows if row.cell.get("control") == "gold_only"]
    known = [(score, at_best(row) or 0.0) for row in alone if (score := delivered(row)) is not None]
    scores: list[Panel] = [(ContextScore(right, best, 1),) for right, best in known]
    return rate_of(scores) if evidence(scores).verdict == "fails" else None


def _drift(lengths: Mapping[int, _AtLength]) -> Rate | None:
    """How far the second half of each length's contexts is better than the first, if that is shown."""
    return drift_of([[score for panel in one.panels for score in panel] for one in lengths.values()])


def decide_lengths(
    panels: Mapping[int, Sequence[Panel]], standards: Mapping[int, Standard], *, cut: int | None = None
) -> tuple[LengthDecision, ...]:
    """The decision at each length: a length that fails passes on to every longer one, one that holds to every shorter
    one that does not fail itself. Beyond a cut nothing was measured."""
    lengths = sorted(panels)
    shown: dict[int, LengthEvidence] = {length: evidence(panels[length], standards[length]) for length in lengths}
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
    axes = [axis for axis in part_of(known.family, Reportable).axes if axis.experiment]
    named = [
        value_label(axis, value) + (f" {axis.title.lower()}" if axis.name != "question_type" else "")
        for axis, value in zip(axes, experiment, strict=True)
        if value != "" and (axis.name == "question_type" or not axis.is_usual(value))
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
    if decision.passage:
        text = f"{who} fails with the passage alone ({of_100(decision.passage)}): the test is too hard for it."
        found.append(say(f"{text} Length is not measured.", None, "too_hard"))
    if holds is not None:
        found.append(say(f"{who} holds to {length_label(holds)}{rate(holds)}.", holds))
        if under := _named_types([each for each in decision.types if each.under]):
            found.append(say(f"At {length_label(holds)} {who} is under the bar in {under}.", holds, "under_the_bar"))
    if fails is not None:
        shortest = fails == decision.by_length[0].length
        where = f"already at {length_label(fails)}, the shortest length" if shortest else f"at {length_label(fails)}"
        found.append(say(f"{who} fails {where}{rate(fails)}.", fails))
        if shortest:
            found += [say(text, fails, "too_hard") for text in _what_it_can(decision)]
    found += _open(decision, say, rate)
    if decision.drift:
        rest = decision.drift
        word = "better" if rest.value > 0 else "worse"
        text = (
            f"{who} got {word} during the run: by {100 * abs(rest.value):.0f} points from the first half to the second"
        )
        found.append(say(f"{text}, {100 * rest.low:.0f} to {100 * rest.high:.0f}.", None, "drift"))
    broken = [each.length for each in decision.by_length if each.verdict == "broken"]
    if broken:
        found.append(
            say(f"{who} is broken from {length_label(broken[0])}: its server cuts prompts there.", broken[0], "cut")
        )
    return found


def _what_it_can(decision: Decision) -> list[str]:
    """What to make of a model that fails at the shortest length: which question types it can do even so."""
    if decision.unanswered >= _MUTE:
        return [f"{100 * decision.unanswered:.0f} of 100 answers there are empty, refused or cannot be graded."]
    several = len(decision.by_length) > 1
    said = ["What length costs it is not measured: the test is too hard for it at the shortest."] if several else []
    if decision.types:
        where, can = length_label(decision.by_length[0].length), [each for each in decision.types if not each.under]
        best = max(decision.types, key=lambda each: each.right - each.bar)
        said.append(
            f"At {where} it reaches the bar in {_named_types(can)}."
            if can
            else f"At {where} it reaches the bar in no question type; best is {_named_types([best])}."
        )
    return said


def _open(
    decision: Decision, say: Callable[[str, int | None, str], Statement], rate: Callable[[int], str]
) -> list[Statement]:
    """Where it is open, and what would decide it."""
    still = [each for each in decision.by_length if each.verdict == "open"]
    if not still:
        return []
    each = still[-1] if decision.holds_to is None and decision.fails_at is None else still[0]
    needs = "contexts there would decide it"
    if each.missing > _TOO_MANY:
        needs = f"so near the bar that more than {_TOO_MANY} more contexts would be needed"
    elif each.missing:
        needs = (
            f"about {count(each.missing, 'more context')} ({format_tokens(each.missing_tokens)} tokens) would decide it"
        )
        if each.missing > each.in_stock:
            needs += f"; the benchmark has {each.in_stock or 'none'} left"
    text = f"{_named(decision)} is open at {length_label(each.length)}{rate(each.length)}: {needs}."
    return [say(text, each.length, "open")]


def _named_types(types: Iterable[TypeRate]) -> str:
    """'inference (62 of 100), abstention (70 of 100)'."""
    return ", ".join(f"{each.type.replace('_', ' ')} ({100 * each.right:.0f} of 100)" for each in types)
