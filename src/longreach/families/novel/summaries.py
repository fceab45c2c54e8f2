"""Summaries by model: one writes, a second checks them against the text, and doubtful ones are marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from longreach.core.prompt import Prompt
from longreach.core.writer import Ask
from longreach.errors import one_line
from longreach.families.base import CONTEXT
from longreach.families.retrying_client import WARMER, Refused, RetryingClient
from longreach.worlds.error_types import HALLUCINATED

from .books import Unit, sentences_of
from .parsing import Reading, parse_verdict

__all__ = [
    "building_prompts",
    "check_summaries",
    "judge",
    "method_prompts",
    "read_summary",
    "summary_ask",
    "write_summaries",
]

_PROMPTS = Path(__file__).parent / "prompts"
_FEWEST = 2
_SUMMARY_ROOM = 1200
_JUDGING = "zero_shot_last"
"""A checker gets the same prompt as the models under test."""
_VERDICT_ROOM = 2000


def method_prompts(language: str, names: Sequence[str]) -> dict[str, Prompt]:
    """The prompts of detection methods; in a benchmark their ids carry the language."""
    folder = _PROMPTS / language
    return {name: Prompt.load(folder / f"{name}.txt").model_copy(update={"id": f"{name}-{language}"}) for name in names}


def building_prompts(language: str) -> dict[str, Prompt]:
    """The prompts for helping models, by name."""
    return {path.stem: Prompt.load(path) for path in sorted((_PROMPTS / language / "building").glob("*.txt"))}


def write_summaries(
    units: Sequence[Unit],
    writer: RetryingClient,
    checker: RetryingClient | None,
    prompts: Mapping[str, Prompt],
    tries: int,
) -> list[Unit]:
    """Each unit with a summary. One in which the checker finds an error is rewritten; one that never passes is marked
    as doubtful, and so is one without a readable check.
    """
    done: dict[str, Unit] = {}
    waiting = list(units)
    for attempt in range(tries):
        if not waiting:
            break
        fresh = _written(waiting, writer, prompts, attempt)
        if checker is not None:
            fresh = check_summaries(fresh, checker)
        done |= {unit.id: unit for unit in fresh}
        waiting = [unit for unit in waiting if done[unit.id].doubtful]
    return [done[unit.id] for unit in units]


def _written(units: Sequence[Unit], writer: RetryingClient, prompts: Mapping[str, Prompt], attempt: int) -> list[Unit]:
    prompt = prompts["summarise"]
    asks = [summary_ask(unit, prompt, attempt) for unit in units]
    found = writer.ask(asks, [partial(read_summary, unit) for unit in units])
    return [
        unit.model_copy(update={"summary": "", "doubtful": f"not written: {one.why}"})
        if isinstance(one, Refused)
        else unit.model_copy(update={"summary": one, "doubtful": ""})
        for unit, one in zip(units, found, strict=True)
    ]


def summary_ask(unit: Unit, prompt: Prompt, attempt: int) -> Ask:
    """The request for a unit's summary, at a higher temperature after the first attempt."""
    text = prompt.whole({CONTEXT: unit.text})
    temperature = WARMER if attempt else 0.0
    return Ask(prompt=text, max_tokens=_SUMMARY_ROOM, temperature=temperature, attempt=attempt)


def read_summary(unit: Unit, reply: str) -> str | Refused:
    """Check that a summary has several sentences and is much shorter than its text."""
    text = " ".join(reply.strip().strip("`").split()) if unit.language == "en" else "".join(reply.split())
    if len(sentences_of(text, unit.language)) < _FEWEST:
        return Refused(why=f"a summary has at least {_FEWEST} sentences")
    if 2 * len(text) > len(unit.text):
        return Refused(why="it is more than half as long as the text")
    return text


def check_summaries(units: Sequence[Unit], checker: RetryingClient) -> list[Unit]:
    """Units with a mark on those whose summary the checker does not trust."""
    whole = [unit for unit in units if not unit.doubtful]
    verdicts = judge([(unit, unit.summary) for unit in whole], checker)
    doubts = {unit.id: _doubt(verdict) for unit, verdict in zip(whole, verdicts, strict=True)}
    return [unit.model_copy(update={"doubtful": doubts.get(unit.id, unit.doubtful)}) for unit in units]


def judge(summaries: Sequence[tuple[Unit, str]], client: RetryingClient) -> list[Reading | Refused]:
    """A model's verdict on each summary, with the same prompt as for the models under test; an unreadable one is
    requested again.
    """
    asks = []
    for unit, summary in summaries:
        prompt = method_prompts(unit.language, [_JUDGING])[_JUDGING]
        text = prompt.whole({CONTEXT: unit.text, "summary": summary})
        asks.append(Ask(prompt=text, max_tokens=_VERDICT_ROOM))
    return client.ask(asks, [_read_verdict] * len(asks))


def _read_verdict(reply: str) -> Reading | Refused:
    return parse_verdict(reply) or Refused(why="it holds no verdict that can be read")


def _doubt(verdict: Reading | Refused) -> str:
    if isinstance(verdict, Refused):
        return f"the checker gave no verdict: {verdict.why}"
    if verdict.truth != HALLUCINATED:
        return ""
    found = verdict.findings[0] if verdict.findings else None
    return (
        f"the checker objects: {one_line(f'{found.sentence} ({found.reason})', 300)}"
        if found
        else "the checker objects"
    )
