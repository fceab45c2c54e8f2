"""One plain sentence per model, family and experiment, and the headlines behind it."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.core.estimate import EffectiveLength, Estimate
from longreach.core.family_view import FamilyView
from longreach.core.model import Frozen
from longreach.core.number_format import amount, count, length_label, percent, reach_interval
from longreach.stats.headline import THRESHOLD, Headline

__all__ = ["ABSENT_TYPE", "Finding", "findings_from"]

ABSENT_TYPE = "abstention"
"""The question type whose answers are not in the text: a wrong answer there is hallucinated."""
_FEW = 20
_PROMPTS_DIFFER = 0.1


class Finding(Frozen):
    """The report's verdict on one model in one family and experiment."""

    model: str
    family: str
    experiment: str = ""
    """'comb layout', if there are several; empty: the default one."""
    sentence: str
    lengths: tuple[float, ...]
    """Those tested."""
    window: int | None
    """As advertised, if known."""
    headlines: tuple[Headline, ...]
    """One per question type; the first is the one the sentence is about."""


def findings_from(
    every: Sequence[Headline], by_prompt: Sequence[Headline], family: FamilyView, *, window: int | None = None
) -> tuple[Finding, ...]:
    """The findings on one model, each experiment by itself, from its headlines of all prompts together and of each. The
    family's own sentence follows the first one, or replaces it if the family has no lengths in tokens."""
    model = every[0].model
    found = []
    for values in dict.fromkeys(each.experiment_values for each in every):
        own = tuple(each for each in every if each.experiment_values == values)
        absent = [each for each in by_prompt if (each.experiment_values, each.question_type) == (values, ABSENT_TYPE)]
        lengths = own[0].lengths if family.length_axis() else ()
        found.append(
            Finding(
                model=model,
                family=family.name,
                experiment=own[0].experiment,
                sentence=_sentence(own, family, lengths, window, absent),
                lengths=lengths,
                window=window,
                headlines=own,
            )
        )
    if own_words := family.sentences.get(model):
        sentence = f"{found[0].sentence} {own_words}" if family.length_axis() else own_words
        found[0] = found[0].model_copy(update={"sentence": sentence})
    return tuple(found)


def _sentence(
    own: Sequence[Headline],
    family: FamilyView,
    lengths: Sequence[float],
    window: int | None,
    absent: Sequence[Headline],
) -> str:
    first = own[0]
    usual = (f"answers {first.question_type} questions", f"answer {first.question_type} questions")
    clauses = [_reading(first, family.doing.get(first.question_type, usual), lengths, window)]
    if len(own) > 1:
        clauses += _hallucinations(next((each for each in own if each.question_type == ABSENT_TYPE), None), absent)
    opening = f"In the {first.experiment}, " if first.experiment else ""
    return f"{opening}{', and '.join(clauses)}."


def _reading(first: Headline, doing: tuple[str, str], lengths: Sequence[float], window: int | None) -> str:
    """The clause on the first question type, with its caveats in brackets."""
    does, do = doing
    total = first.tally
    held = first.effective
    if first.delivered is None:
        return f"{first.model} has no result ({count(total.asked, 'question')} asked, all lost to errors)"
    if not total.scored:
        return f"{first.model} gave no answer that could be graded ({total.asked} asked: {total.not_scored})"
    if not lengths or held is None:
        text = f"{first.model} {does} in {percent(first.delivered.value)} of cases"
        notes = [_interval(first.delivered)]
    elif held.length == 0:
        text, notes = _none(first, do, lengths)
    else:
        text, notes = _reach(f"{first.model} {does}", held, lengths, window)
        fewest = min(each.tally.counted for each in first.by_length)
        if fewest < _FEW:
            notes.append(f"low confidence, n = {fewest} at some lengths")
    lost = total.counted - total.scored
    if lost > 0.1 * total.counted:
        answered = f"; {percent(first.answered.value)} of the answered were right" if first.answered else ""
        notes.append(f"{percent(lost / total.counted)} not answered in a form that can be graded{answered}")
    return f"{text} ({'; '.join(notes)})" if notes else text


def _none(first: Headline, do: str, lengths: Sequence[float]) -> tuple[str, list[str]]:
    """Below the threshold at the shortest length: the sentence states that there is no effective length."""
    shortest = first.by_length[0].tally
    only = len(lengths) == 1
    where = f"at {length_label(lengths[0])} tokens{', the only length tested' if only else ''}"
    if shortest.delivered is None:
        return f"{first.model} has no result {where}", [f"{shortest.asked} asked: {shortest.not_scored}"]
    needed = percent(first.chance + (first.effective.share if first.effective else THRESHOLD) * (1 - first.chance))
    at_chance = first.chance > 0 and shortest.delivered.low <= first.chance
    verb = "does no better than guessing" if at_chance else f"does not {do} reliably"
    text = f"{first.model} {verb}{' ' if only else ' even '}{where}: {percent(shortest.delivered.value)} right"
    notes = [f"{_interval(shortest.delivered)}, {needed} needed"]
    if first.chance > 0:
        notes.append(f"guessing gets {percent(first.chance)}")
    if first.effective is not None and first.effective.high > 0:
        notes.append("too few contexts to rule it out")
    if first.keeps is not None and not only and first.keeps.length > lengths[0] and not at_chance:
        notes.append(f"keeps that level up to {length_label(first.keeps.length)}")
    return text, notes


def _reach(subject: str, held: EffectiveLength, lengths: Sequence[float], window: int | None) -> tuple[str, list[str]]:
    """'embedded finds planted facts reliably up to 1k of the 8k tokens tested', and the interval."""
    longest = lengths[-1]
    text = f"{subject} reliably up to {length_label(held.length)}"
    notes: list[str] = []
    if len(lengths) == 1:
        text += " tokens, the only length tested"
    elif held.length < longest and window is not None:
        text += f" of its {length_label(window)} tokens"
        if longest < 0.99 * window:
            notes.append(f"tested to {length_label(longest)}")
    elif held.length < longest:
        text += f" of the {length_label(longest)} tokens tested"
    elif window is not None and longest >= 0.95 * window:
        text += " tokens, its whole window"
    else:
        text += " tokens, the longest tested"
        text += f" of its {length_label(window)} window" if window is not None else ""
    if held.low < held.high:
        notes.insert(0, f"95 % CI {reach_interval(held, lengths)}")
    return text, notes


def _hallucinations(absent: Headline | None, by_prompt: Sequence[Headline]) -> list[str]:
    """The clause on unanswerable questions; a range if the prompts differ clearly."""
    if absent is None:
        return []
    if absent.wrong is None or not absent.tally.scored:
        return ["none of its answers to unanswerable questions could be graded"]
    rates = sorted(each.wrong.value for each in by_prompt if each.wrong)
    if rates and rates[-1] - rates[0] >= _PROMPTS_DIFFER:
        spread = f"{percent(rates[0]).removesuffix(' %')}–{percent(rates[-1])}"
        return [f"hallucinates on {spread} of unanswerable questions, depending on the prompt"]
    few = f" (n = {absent.tally.counted})" if absent.tally.counted < _FEW else ""
    if absent.wrong.value == 0:
        return [f"hallucinated on none of {count(absent.tally.counted, 'unanswerable question')}"]
    return [f"hallucinates on {percent(absent.wrong.value)} of unanswerable questions{few}"]


def _interval(estimate: Estimate) -> str:
    low, high = percent(estimate.low).removesuffix(" %"), percent(estimate.high)
    return f"95 % CI {low}–{high}, n = {amount(estimate.n)}"
