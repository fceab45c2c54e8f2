"""Summaries by model: one writes, a second holds them against the text, and what stays in doubt is marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from sonde.core.prompt import Prompt
from sonde.errors import one_line
from sonde.families.base import STORY

from .asking import Asker, Refused
from .books import Unit, sentences_of
from .labels import HALLUCINATED
from .parsing import Reading, parse_verdict

__all__ = ["check_summaries", "judge", "method_prompts", "read_summary", "write_summaries"]

_FEWEST = 2
_JUDGING = "zero_shot_last"
"""Who checks a summary is asked as the models under test are."""
_VERDICT_ROOM = 2000


def method_prompts(language: str, names: Sequence[str]) -> dict[str, Prompt]:
    """The prompts of detection methods; in a benchmark their ids carry the language."""
    folder = Path(__file__).parent / "prompts" / language
    return {name: Prompt.load(folder / f"{name}.txt").model_copy(update={"id": f"{name}-{language}"}) for name in names}


def write_summaries(
    units: Sequence[Unit], writer: Asker, checker: Asker | None, prompts: Mapping[str, Prompt], tries: int
) -> list[Unit]:
    """Each unit with a summary. One that the checker finds an error in is written again; one that never passes is
    marked as doubtful, and so is one that nobody checked for want of a readable verdict."""
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


def _written(units: Sequence[Unit], writer: Asker, prompts: Mapping[str, Prompt], attempt: int) -> list[Unit]:
    prompt = prompts["summarise"]
    asked = [prompt.fill(prompt.text, {STORY: unit.text}) for unit in units]
    reads = [partial(read_summary, unit) for unit in units]
    found = writer.ask(asked, reads, room=1200, attempt=attempt)
    return [
        unit.model_copy(update={"summary": "", "doubtful": f"not written: {one.why}"})
        if isinstance(one, Refused)
        else unit.model_copy(update={"summary": one, "doubtful": ""})
        for unit, one in zip(units, found, strict=True)
    ]


def read_summary(unit: Unit, said: str) -> str | Refused:
    """A summary is several sentences and much shorter than its text."""
    text = " ".join(said.strip().strip("`").split()) if unit.language == "en" else "".join(said.split())
    if len(sentences_of(text, unit.language)) < _FEWEST:
        return Refused(why=f"a summary has at least {_FEWEST} sentences")
    if 2 * len(text) > len(unit.text):
        return Refused(why="it is more than half as long as the text")
    return text


def check_summaries(units: Sequence[Unit], checker: Asker) -> list[Unit]:
    """Units with a mark on those whose summary the checker does not trust."""
    whole = [unit for unit in units if not unit.doubtful]
    verdicts = judge([(unit, unit.summary) for unit in whole], checker)
    doubts = {unit.id: _doubt(verdict) for unit, verdict in zip(whole, verdicts, strict=True)}
    return [unit.model_copy(update={"doubtful": doubts.get(unit.id, unit.doubtful)}) for unit in units]


def judge(summaries: Sequence[tuple[Unit, str]], asker: Asker) -> list[Reading | Refused]:
    """A model's verdict on each summary, asked as the models under test are; one that cannot be read is asked for
    again."""
    asked = []
    for unit, summary in summaries:
        prompt = method_prompts(unit.language, [_JUDGING])[_JUDGING]
        asked.append(prompt.fill(prompt.text, {STORY: unit.text, "summary": summary}))
    return asker.ask(asked, [_read_verdict] * len(asked), room=_VERDICT_ROOM)


def _read_verdict(said: str) -> Reading | Refused:
    return parse_verdict(said) or Refused(why="it holds no verdict in JSON")


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
