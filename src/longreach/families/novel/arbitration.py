"""Multi-model arbitration: a small model summarises, two models judge, a third decides where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from longreach.core.model import Frozen
from longreach.core.prompt import Prompt
from longreach.families.retrying_client import Refused, RetryingClient
from longreach.worlds.error_types import HALLUCINATED

from .books import Unit, Version, sentences_of, wrong_version
from .grade import placed_sentence
from .parsing import Reading
from .summaries import judge, read_summary, summary_ask

__all__ = ["ARBITRATED", "Vote", "arbitrate", "decide"]

ARBITRATED = "arbitrated"
UNREADABLE = "unreadable"


class Vote(Frozen):
    """One summary with its judges' verdicts and the result."""

    unit: str
    draft: int
    votes: dict[str, str]
    """Judge -> hallucinated, faithful or unreadable, in the order of the requests."""
    decided: str
    """Hallucinated, faithful, or undecided."""
    note: str = ""
    """Why it is not used; empty where it is."""
    version: Version | None = None

    def record(self) -> dict[str, Any]:
        """As plain data, without the summary."""
        return {name: value for name, value in self.model_dump(mode="json", exclude={"version"}).items() if value != ""}


def arbitrate(
    units: Sequence[Unit],
    summariser: RetryingClient,
    judges: Sequence[RetryingClient],
    prompts: Mapping[str, Prompt],
    drafts: int,
) -> list[Vote]:
    """Every draft of every unit with its votes; decided ones carry a version."""
    prompt = prompts["summarise"]
    reads = [partial(read_summary, unit) for unit in units]
    written: list[tuple[Unit, int, str]] = []
    for draft in range(drafts):
        found = summariser.ask([summary_ask(unit, prompt, draft) for unit in units], reads)
        for unit, one in zip(units, found, strict=True):
            known = {text for other, _, text in written if other is unit}
            if not isinstance(one, Refused) and one not in known:
                written.append((unit, draft, one))
    pairs = [(unit, text) for unit, _, text in written]
    first, second = (judge(pairs, one) for one in judges[:2])
    labels = [(_label(one), _label(other)) for one, other in zip(first, second, strict=True)]
    differ = [place for place, (one, other) in enumerate(labels) if one != other or one == UNREADABLE]
    third = dict(zip(differ, judge([pairs[place] for place in differ], judges[2]), strict=True))
    names = [one.name for one in judges]
    votes = []
    for place, (unit, draft, text) in enumerate(written):
        readings = [first[place], second[place], *([third[place]] if place in third else [])]
        votes.append(decide(unit, draft, text, dict(zip(names, readings, strict=False))))
    return votes


def decide(unit: Unit, draft: int, text: str, readings: Mapping[str, Reading | Refused]) -> Vote:
    """The result of two verdicts that agree, or of a third after two that do not: the last one counts. The error is the
    first that an agreeing judge can show in the summary.
    """
    labels = {name: _label(one) for name, one in readings.items()}
    decided = list(labels.values())[-1]
    vote = Vote(unit=unit.id, draft=draft, votes=labels, decided=decided)
    if decided == UNREADABLE:
        return vote.model_copy(update={"decided": "undecided", "note": "no verdict could be read"})
    if decided != HALLUCINATED:
        return vote.model_copy(update={"version": Version(text=text, way=ARBITRATED)})
    sentences = sentences_of(text, unit.language)
    for reading in readings.values():
        if isinstance(reading, Refused) or reading.truth != HALLUCINATED:
            continue
        for finding in reading.findings:
            sentence = placed_sentence(finding.sentence, sentences)
            if sentence and finding.type:
                version = wrong_version(
                    text,
                    sentence,
                    type=finding.type,
                    correction=finding.correction,
                    reason=finding.reason,
                    way=ARBITRATED,
                )
                return vote.model_copy(update={"version": version})
    return vote.model_copy(update={"note": "no judge named a sentence of the summary and a type"})


def _label(verdict: Reading | Refused) -> str:
    return UNREADABLE if isinstance(verdict, Refused) else verdict.truth
