"""Entity-referenced generation: a model paraphrases a summary, then puts one error of one type into it.

The wrong version is made from the paraphrase and samples use both: they differ in one sentence and not in style. Code
checks the model's changes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from rapidfuzz import fuzz

from longreach.core.model import Frozen
from longreach.core.prompt import Prompt
from longreach.core.writer import Ask
from longreach.errors import BadInput
from longreach.families.retrying_client import WARMER, Refused, RetryingClient
from longreach.grading.reading.json_values import json_values, shape
from longreach.worlds.error_types import ErrorType

from .books import Unit, Version, letters_of, sentences_of, wrong_version

__all__ = ["GENERATED", "Made", "check_change", "check_paraphrase", "figures_in", "paraphrase_units", "wrong_versions"]

GENERATED = "generated"

_SHAPE = shape(possible="boolean", original="string", changed="string", reason="string")
_LISTS = ("people", "places", "groups", "numbers")
_ENTITIES = shape(**{name: {"type": "array", "items": {"type": "string"}} for name in _LISTS})
_SAME = 97.0
"""Similarity (of 100) from which a paraphrase counts as the summary itself."""
_BREAK = re.compile(r"\s*\n\s*")
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_WORDED = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|half|dozen"
    r"|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|once|twice)\b",
    re.IGNORECASE,
)
_WORDED_ZH = re.compile("[零〇一二两三四五六七八九十百千万亿半几双]+")


class Change(Frozen):
    """One sentence and its replacement."""

    possible: bool
    original: str = ""
    changed: str = ""
    reason: str = ""


class Made(Frozen):
    """The result of asking for an error in a unit."""

    unit: str
    type: ErrorType
    version: Version | None = None
    why: str = ""
    """Why there is no result."""
    declined: bool = False


def paraphrase_units(
    units: Sequence[Unit], writer: RetryingClient, prompts: Mapping[str, Prompt], turn: int = 0
) -> list[Version | Refused]:
    """Each summary in other words; another `turn` gives another wording."""
    prompt = prompts["paraphrase"]
    room = 400 + 2 * max((len(unit.summary) for unit in units), default=0)
    asks = [
        Ask(
            prompt=prompt.whole({"summary": unit.summary}),
            max_tokens=room,
            temperature=WARMER if turn else 0.0,
            attempt=turn,
        )
        for unit in units
    ]
    reads = [partial(check_paraphrase, unit.summary, unit.language) for unit in units]
    found = writer.ask(asks, reads)
    return [one if isinstance(one, Refused) else Version(text=one, way=GENERATED) for one in found]


def check_paraphrase(summary: str, language: str, reply: str) -> str | Refused:
    """A paraphrase has as many sentences and the same figures, and is not the same text."""
    text = _BREAK.sub("" if language == "zh" else " ", reply.strip().strip("`").strip())
    before, after = sentences_of(summary, language), sentences_of(text, language)
    if len(before) != len(after):
        return Refused(why=f"it has {len(after)} sentences, the summary has {len(before)}")
    if figures_in(summary, language) != figures_in(text, language):
        return Refused(why="its numbers are not those of the summary")
    if fuzz.ratio(summary, text) >= _SAME:
        return Refused(why="it repeats the summary instead of rewording it")
    return text


def wrong_versions(
    units: Sequence[Unit],
    bases: Sequence[Version],
    types: Sequence[ErrorType],
    writer: RetryingClient,
    prompts: Mapping[str, Prompt],
) -> list[Made]:
    """Every type for every unit, made from its base; failures have a reason."""
    entities = _entities(units, bases, writer, prompts)
    jobs = [(place, name) for place in range(len(units)) for name in types]
    sentences = [one for unit, base in zip(units, bases, strict=True) for one in sentences_of(base.text, unit.language)]
    room = 150 + 3 * max((len(sentence) for sentence in sentences), default=0)
    asks, reads = [], []
    for place, name in jobs:
        prompt = prompts[f"wrong_{name}"]
        lines = "\n".join(sentences_of(bases[place].text, units[place].language))
        text = prompt.whole({"summary": lines, "entities": entities[place]})
        asks.append(Ask(prompt=text, max_tokens=room, shape=_SHAPE))
        reads.append(partial(_read_change, bases[place].text, units[place].language, name))
    found = writer.ask(asks, reads)
    return [
        Made(unit=units[place].id, type=name, why=one.why, declined=one.declined)
        if isinstance(one, Refused)
        else Made(unit=units[place].id, type=name, version=one)
        for (place, name), one in zip(jobs, found, strict=True)
    ]


def check_change(base: str, language: str, type: ErrorType, change: Change) -> Version | Refused:
    """The base with one sentence changed: exactly one differs, the named one is there, and its content differs."""
    sentences = sentences_of(base, language)
    original, changed = change.original.strip(), " ".join(change.changed.split())
    if original not in sentences:
        return Refused(why="'original' is not one of the sentences, copied exactly")
    if sentences.count(original) > 1:
        return Refused(why="'original' stands in the summary twice; choose another sentence")
    if not changed or letters_of(changed) == letters_of(original):
        return Refused(why="'changed' is not different from 'original'")
    text = base.replace(original, changed)
    after = sentences_of(text, language)
    if len(after) != len(sentences):
        return Refused(why="'changed' is not exactly one sentence")
    differ = [place for place, pair in enumerate(zip(sentences, after, strict=True)) if pair[0] != pair[1]]
    if len(differ) != 1 or after[differ[0]] != changed:
        return Refused(why="not exactly one sentence differs from the summary")
    if changed in sentences:
        return Refused(why="'changed' stands in the summary already")
    if type == "numerical" and figures_in(original, language) == figures_in(changed, language):
        return Refused(why="no number differs")
    if type != "numerical" and _without_figures(original) == _without_figures(changed):
        return Refused(why="only a number differs, which is another type of error")
    made = wrong_version(
        text, changed, type=type, correction=original, reason=" ".join(change.reason.split()), way=GENERATED
    )
    return made or Refused(why="'changed' cannot be found again in the summary")


def figures_in(text: str, language: str) -> Counter[str]:
    """The numbers of a text, in digits and in words."""
    found = Counter(_DIGITS.findall(text))
    found.update(word.casefold() for word in (_WORDED_ZH if language == "zh" else _WORDED).findall(text))
    return found


def _read_change(base: str, language: str, type: ErrorType, reply: str) -> Version | Refused:
    for value in json_values(reply):
        if isinstance(value, dict) and "possible" in value:
            try:
                change = Change.parse(value, "the object")
            except BadInput as error:
                return Refused(why=str(error))
            if not change.possible:
                return Refused(why=change.reason or "no reason given", declined=True)
            return check_change(base, language, type, change)
    return Refused(why="it holds no JSON object with 'possible'")


def _entities(
    units: Sequence[Unit], bases: Sequence[Version], writer: RetryingClient, prompts: Mapping[str, Prompt]
) -> list[str]:
    """The names and figures of each summary, one per line, without those that the summary does not have."""
    prompt = prompts["entities"]
    room = 100 + max((len(base.text) for base in bases), default=0)
    asks = [Ask(prompt=prompt.whole({"summary": base.text}), max_tokens=room, shape=_ENTITIES) for base in bases]
    found = writer.ask(asks, [partial(_read_entities, base.text) for base in bases])
    lists = []
    for unit, base, one in zip(units, bases, found, strict=True):
        names = [] if isinstance(one, Refused) else one
        names += [figure for figure in figures_in(base.text, unit.language) if figure not in names]
        lists.append("\n".join(names))
    return lists


def _read_entities(summary: str, reply: str) -> list[str] | Refused:
    for value in json_values(reply):
        if isinstance(value, dict):
            listed = [entry for name in _LISTS for entry in (value.get(name) or []) if isinstance(entry, str)]
            return list(dict.fromkeys(entry.strip() for entry in listed if entry.strip() and entry.strip() in summary))
    return Refused(why="it holds no JSON object")


def _without_figures(text: str) -> str:
    return letters_of(_WORDED_ZH.sub("", _WORDED.sub("", _DIGITS.sub("", text))))
