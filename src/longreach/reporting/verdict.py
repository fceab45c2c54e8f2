"""One plain sentence a model, family and experiment, and the numbers it stands on."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.core.estimate import EffectiveLength
from longreach.core.family_view import FamilyView
from longreach.core.item import AxisValue
from longreach.core.model import Frozen
from longreach.core.number_format import count, length_label, percent
from longreach.core.row import Row
from longreach.errors import BadInput
from longreach.stats.experiments import Experiment, experiment_axes, experiments
from longreach.stats.intervals import effective_length
from longreach.stats.series import Tally, axis_value, ordered, pooled_tally, sample

__all__ = ["ABSENT_TYPE", "USABLE", "Finding", "ProbeScore", "findings", "verdict_sentence"]

ABSENT_TYPE = "abstention"
"""The question type whose answers are not in the story: a wrong answer there is made up."""

_RELIABLE = 0.8
USABLE = 0.5
"""A score at the shortest length below this is not worth measuring a reach from."""
_FEW = 20


class ProbeScore(Frozen):
    """A question type's score over everything tested, and how far it holds."""

    question_type: str
    tally: Tally
    longest: Tally | None
    """At the longest length alone; None where the family has no lengths."""
    effective: EffectiveLength | None


class Finding(Frozen):
    """What the report says of one model in one family."""

    model: str
    family: str
    experiment: str = ""
    """'comb layout', where there are several; empty: the usual one."""
    sentence: str
    lengths: tuple[float, ...]
    """Those tested, in tokens."""
    window: int | None
    """As advertised, where known."""
    question_types: tuple[ProbeScore, ...]
    """The first is the one the sentence is about."""


def verdict_sentence(
    rows: Sequence[Row], family: FamilyView, model: str, *, window: int | None = None, threshold: float = 0.85
) -> str:
    """How far the model can be trusted in this family: one sentence for each experiment."""
    found = findings(rows, family, model, window=window, threshold=threshold)
    return " ".join(finding.sentence for finding in found)


def findings(
    rows: Sequence[Row], family: FamilyView, model: str, *, window: int | None = None, threshold: float = 0.85
) -> tuple[Finding, ...]:
    """What is found of one model, each experiment by itself; a sentence the family words itself comes first."""
    members = [i for i, row in enumerate(rows) if row.model == model and row.family == family.name]
    if not members:
        raise BadInput(f"verdict: no results of model '{model}' in family '{family.name}'; run it first")
    parted = experiments(rows, family, members, experiment_axes(rows, family))
    found = [_find(rows, family, model, each, window, threshold) for each in parted]
    if said := family.sentences.get(model):
        found[0] = found[0].model_copy(update={"sentence": said})
    return tuple(found)


def _find(
    rows: Sequence[Row], family: FamilyView, model: str, experiment: Experiment, window: int | None, threshold: float
) -> Finding:
    """Scores by question type, effective lengths and the sentence."""
    axis = family.length_axis()
    by_type: dict[str, list[int]] = {}
    for index in experiment.rows:
        by_type.setdefault(rows[index].question_type, []).append(index)
    lengths: dict[float, Tally] = {}
    found: list[ProbeScore] = []
    for name in map(str, ordered(by_type, family.axis("question_type"))):
        own = by_type[name]
        places = _by_length(rows, own, axis.name) if axis else {}
        samples = {length: sample(rows, places[length]) for length in sorted(places)}
        longest = places[max(places)] if places else []
        if not found:
            # The sentence is about reading; a family whose first question type is the absent one still leads with it.
            lengths = {length: pooled_tally(rows, places[length]) for length in samples}
        found.append(
            ProbeScore(
                question_type=name,
                tally=pooled_tally(rows, own),
                longest=pooled_tally(rows, longest) if longest else None,
                effective=effective_length(samples, threshold) if samples else None,
            )
        )
    usual = (f"gets {found[0].question_type} questions right", f"get {found[0].question_type} questions right")
    doing = family.doing.get(found[0].question_type, usual)
    clauses = [_reading(model, found[0], doing, lengths, window, family.chance)]
    if len(found) > 1:
        clauses += _made_up(rows, by_type.get(ABSENT_TYPE, []))
    opening = f"In the {experiment.label}, " if experiment.label else ""
    return Finding(
        model=model,
        family=family.name,
        experiment=experiment.label,
        sentence=f"{opening}{', and '.join(clauses)}.",
        lengths=tuple(lengths),
        window=window,
        question_types=tuple(found),
    )


def _by_length(rows: Sequence[Row], members: Sequence[int], axis: str) -> dict[float, list[int]]:
    places: dict[float, list[int]] = {}
    for index in members:
        length = axis_value(rows[index], axis)
        if isinstance(length, int | float):
            places.setdefault(float(length), []).append(index)
    return places


def _reading(
    model: str,
    score: ProbeScore,
    doing: tuple[str, str],
    by_length: dict[float, Tally],
    window: int | None,
    chance: float,
) -> str:
    """The clause on the first question type, with its reservations in brackets."""
    does, do = doing
    tally = score.tally
    if tally.score is None:
        return f"{model} gave no answer that could be scored ({_unscored(tally)})"
    doubts: list[str] = []
    if not by_length or score.effective is None:
        said = f"{model} {does} in {percent(tally.score.value)} of cases"
        doubts.append(_of(tally))
    elif score.effective.base is None:
        shortest, at_shortest = next(iter(by_length.items()))
        said = (
            f"{model} cannot be judged: at {length_label(shortest)} tokens only {at_shortest.scored} of "
            f"{at_shortest.asked} answers could be scored"
        )
    elif score.effective.base < chance + USABLE * (1 - chance):
        said, doubts = _weak(model, do, by_length, chance)
    elif len(by_length) == 1:
        said = f"{model} {does} in {percent(score.effective.base)} of cases at {_only(by_length)}"
        doubts.append(_of(tally))
    else:
        said, doubts = _reach(f"{model} {does}", score.effective, list(by_length), window)
        fewest = min(point.scored for point in by_length.values())
        if fewest < _FEW:
            doubts.append(f"only {count(fewest, 'scored question')} at some lengths, so take it as a hint")
    if tally.scored < 0.9 * tally.asked and score.effective is not None and score.effective.base is not None:
        doubts.append(f"{percent(1 - tally.scored / tally.asked)} of the answers could not be scored")
    return f"{said} ({'; '.join(doubts)})" if doubts else said


def _weak(model: str, do: str, by_length: dict[float, Tally], chance: float) -> tuple[str, list[str]]:
    """Below half of what lies above guessing; 'does not' below a quarter."""
    shortest, at_shortest = next(iter(by_length.items()))
    where = _only(by_length) if len(by_length) == 1 else f"even at {length_label(shortest)} tokens"
    said = f"{model} does not reliably {do}"
    if at_shortest.right < (chance + USABLE / 2 * (1 - chance)) * at_shortest.scored:
        said = f"{model} does not {do}"
    joiner = " at " if len(by_length) == 1 else " "
    doubts = [_of(at_shortest), *([f"guessing gets {percent(chance)} right"] if chance else [])]
    usable = chance + USABLE * (1 - chance)
    if at_shortest.scored < _FEW and at_shortest.score and at_shortest.score.high >= usable:
        doubts.append("too few questions to be sure")
    return f"{said}{joiner}{where}", doubts


def _reach(subject: str, held: EffectiveLength, lengths: list[float], window: int | None) -> tuple[str, list[str]]:
    """'embedded finds planted facts reliably to 1k tokens of the 8k tested', and the interval as a doubt."""
    base = held.base or 0.0
    longest = lengths[-1]
    manner = "reliably to" if base >= _RELIABLE else f"about {percent(base)} of the time, up to"
    said = f"{subject} {manner} {length_label(held.length)} tokens"
    doubts: list[str] = []
    if held.length < longest:
        if window is not None:
            said += f" of its {length_label(window)} window"
            if longest < 0.99 * window:
                doubts.append(f"tested to {length_label(longest)}")
        else:
            said += f" of the {length_label(longest)} tested"
    elif window is not None and longest >= 0.95 * window:
        said += ", its whole window"
    else:
        said += ", the longest tested"
        if window is not None:
            said += f" of its {length_label(window)} window"
    if held.low < held.high:
        low = length_label(held.low) if held.low else f"less than {length_label(lengths[0])}"
        doubts.insert(0, f"95 % interval {low} to {length_label(held.high)}")
    return said, doubts


def _made_up(rows: Sequence[Row], members: Sequence[int]) -> list[str]:
    """The clause on made-up answers; a range where the prompts differ clearly."""
    if not members:
        return []
    tally = pooled_tally(rows, members)
    if tally.score is None:
        return ["none of its answers about things that are not there could be scored"]
    by_prompt: dict[AxisValue, list[int]] = {}
    for index in members:
        prompt = axis_value(rows[index], "prompt")
        if prompt is not None:
            by_prompt.setdefault(prompt, []).append(index)
    scores = [pooled_tally(rows, own).score for own in by_prompt.values()]
    rates = sorted(1 - score.value for score in scores if score)
    if rates and rates[-1] - rates[0] >= 0.1:
        much = f"{percent(rates[0])} to {percent(rates[-1])}"
        return [f"makes things up in {much} of questions whose answer is not there, depending on the prompt"]
    rate = 1 - tally.score.value
    few = f" (only {tally.scored} scored)" if tally.scored < _FEW else ""
    if rate == 0:
        return [f"made nothing up in {count(tally.scored, 'question')} whose answer is not there"]
    return [f"makes things up in {percent(rate)} of questions whose answer is not there{few}"]


def _only(by_length: dict[float, Tally]) -> str:
    return f"{length_label(next(iter(by_length)))} tokens, the only length tested"


def _of(tally: Tally) -> str:
    right = f"{tally.right:.1f}".removesuffix(".0")
    return f"{right} of {tally.scored}"


def _unscored(tally: Tally) -> str:
    parts = [f"{n} {status.replace('_', ' ')}" for status, n in tally.statuses.items() if n and status != "scored"]
    return f"{tally.asked} asked: {', '.join(parts)}"
