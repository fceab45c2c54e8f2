"""Summaries by model: written, checked, arbitrated, paraphrased, and given one error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from longreach.core.bench import Prompt
from longreach.core.helper_model import Ask, Refused
from longreach.core.types import Frozen
from longreach.errors import BadInput, one_line
from longreach.families.base import CONTEXT
from longreach.families.helper_requests import WARMER, RetryingClient
from longreach.grading.reading.structured import json_values, shape
from longreach.worlds import HALLUCINATED, ErrorType

from .books import BookUnit, Version, in_a_row, letters_of, sentences_of, wrong_version
from .grade import NovelVerdict, parse_verdict, placed_sentence

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
    units: Sequence[BookUnit],
    writer: RetryingClient,
    checker: RetryingClient | None,
    prompts: Mapping[str, Prompt],
    tries: int,
) -> list[BookUnit]:
    """Each unit with a summary. One in which the checker finds an error is rewritten; one that never passes is marked
    as doubtful, and so is one without a readable check."""
    done: dict[str, BookUnit] = {}
    waiting = list(units)
    for attempt in range(tries if units else 0):
        asks = [summary_ask(unit, prompts["summarise"], attempt) for unit in waiting]
        found = writer.ask(asks, [partial(read_summary, unit) for unit in waiting])
        fresh = [
            unit.model_copy(update={"summary": "", "doubtful": f"not written: {one.why}"})
            if isinstance(one, Refused)
            else unit.model_copy(update={"summary": one, "doubtful": ""})
            for unit, one in zip(waiting, found, strict=True)
        ]
        done |= {unit.id: unit for unit in (fresh if checker is None else check_summaries(fresh, checker))}
        waiting = [unit for unit in waiting if done[unit.id].doubtful]
        if not waiting:
            break
    return [done[unit.id] for unit in units]


def summary_ask(unit: BookUnit, prompt: Prompt, attempt: int) -> Ask:
    """The request for a unit's summary, at a higher temperature after the first attempt."""
    text = prompt.whole({CONTEXT: unit.text})
    temperature = WARMER if attempt else 0.0
    return Ask(prompt=text, max_tokens=_SUMMARY_ROOM, temperature=temperature, attempt=attempt)


def read_summary(unit: BookUnit, reply: str) -> str | Refused:
    """Check that a summary has several sentences and is much shorter than its text."""
    text = " ".join(reply.strip().strip("`").split()) if unit.language == "en" else "".join(reply.split())
    if len(sentences_of(text, unit.language)) < _FEWEST:
        return Refused(why=f"a summary has at least {_FEWEST} sentences")
    if 2 * len(text) > len(unit.text):
        return Refused(why="it is more than half as long as the text")
    return text


def check_summaries(units: Sequence[BookUnit], checker: RetryingClient) -> list[BookUnit]:
    """Units with a mark on those whose summary the checker does not trust."""
    whole = [unit for unit in units if not unit.doubtful]
    verdicts = judge([(unit, unit.summary) for unit in whole], checker)
    doubts = {unit.id: _doubt(verdict) for unit, verdict in zip(whole, verdicts, strict=True)}
    return [unit.model_copy(update={"doubtful": doubts.get(unit.id, unit.doubtful)}) for unit in units]


def judge(summaries: Sequence[tuple[BookUnit, str]], client: RetryingClient) -> list[NovelVerdict | Refused]:
    """A model's verdict on each summary, with the same prompt as for the models under test; an unreadable one is
    requested again."""
    asks = []
    for unit, summary in summaries:
        prompt = method_prompts(unit.language, [_JUDGING])[_JUDGING]
        text = prompt.whole({CONTEXT: unit.text, "summary": summary})
        asks.append(Ask(prompt=text, max_tokens=_VERDICT_ROOM))
    nothing = Refused(why="it holds no verdict that can be read")
    return client.ask(asks, [lambda reply: parse_verdict(reply) or nothing] * len(asks))


def _doubt(verdict: NovelVerdict | Refused) -> str:
    if isinstance(verdict, Refused):
        return f"the checker gave no verdict: {verdict.why}"
    if verdict.truth != HALLUCINATED:
        return ""
    shown = [f": {one_line(f'{found.sentence} ({found.reason})', 300)}" for found in verdict.findings[:1]]
    return "".join(["the checker objects", *shown])


# Multi-model arbitration: a small model summarises, two models judge, a third decides where they differ.

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
    units: Sequence[BookUnit],
    summariser: RetryingClient,
    judges: Sequence[RetryingClient],
    prompts: Mapping[str, Prompt],
    drafts: int,
) -> list[Vote]:
    """Every draft of every unit with its votes; decided ones carry a version."""
    prompt = prompts["summarise"]
    reads = [partial(read_summary, unit) for unit in units]
    written: list[tuple[BookUnit, int, str]] = []
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


def decide(unit: BookUnit, draft: int, text: str, readings: Mapping[str, NovelVerdict | Refused]) -> Vote:
    """The result of two verdicts that agree, or of a third after two that do not: the last one counts. The error is the
    first that an agreeing judge can show in the summary."""
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


def _label(verdict: NovelVerdict | Refused) -> str:
    return UNREADABLE if isinstance(verdict, Refused) else verdict.truth


# Entity-referenced generation: a model paraphrases a summary, then puts one error of one type into it.

GENERATED = "generated"

_SHAPE = shape(possible="boolean", original="string", changed="string", reason="string")
_PAPER_SHAPE = shape(possible="boolean", original="string", changed="string", kind="string", reason="string")
_OVER_TWO = ("temporal", "causal")
"""Types whose errors go over two sentences in the paper."""
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


class WrittenError(Frozen):
    """One sentence or two and their replacement, or a sentence and the one that is added after it."""

    possible: bool
    original: str = ""
    changed: str = ""
    kind: str = ""
    reason: str = ""


class ErrorAttempt(Frozen):
    """The result of asking for an error in a unit."""

    unit: str
    type: ErrorType
    version: Version | None = None
    why: str = ""
    """Why there is no result."""
    declined: bool = False


def paraphrase_units(
    units: Sequence[BookUnit], writer: RetryingClient, prompts: Mapping[str, Prompt], turn: int = 0
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
    units: Sequence[BookUnit],
    bases: Sequence[Version],
    types: Sequence[ErrorType],
    writer: RetryingClient,
    prompts: Mapping[str, Prompt],
    *,
    paper: bool = False,
) -> list[ErrorAttempt]:
    """Every type for every unit, made from its base; failures have a reason. `paper`: in the forms of the paper."""
    entities = _entities(units, bases, writer, prompts)
    jobs = [(place, name) for place in range(len(units)) for name in types]
    sentences = [one for unit, base in zip(units, bases, strict=True) for one in sentences_of(base.text, unit.language)]
    room = 150 + 3 * max((len(sentence) for sentence in sentences), default=0)
    asks, reads = [], []
    for place, name in jobs:
        own = f"paper_{name}" if paper and f"paper_{name}" in prompts else f"wrong_{name}"
        prompt = prompts[own]
        lines = "\n".join(sentences_of(bases[place].text, units[place].language))
        text = prompt.whole({"summary": lines, "entities": entities[place]})
        two = 2 if own.startswith("paper") else 1
        asks.append(Ask(prompt=text, max_tokens=two * room, shape=_PAPER_SHAPE if two > 1 else _SHAPE))
        reads.append(partial(_read_change, bases[place].text, units[place].language, name, paper))
    found = writer.ask(asks, reads)
    return [
        ErrorAttempt(unit=units[place].id, type=name, why=one.why, declined=one.declined)
        if isinstance(one, Refused)
        else ErrorAttempt(unit=units[place].id, type=name, version=one)
        for (place, name), one in zip(jobs, found, strict=True)
    ]


def check_change(
    base: str, language: str, type: ErrorType, change: WrittenError, paper: bool = False
) -> Version | Refused:
    """The base with one sentence changed: exactly one differs, the named one is there, and its content differs. In the
    paper's forms two in a row differ for a type that goes over two, and a fabrication is added after the named one."""
    sentences = sentences_of(base, language)
    joint = "" if language == "zh" else " "
    size, adding = 2 if paper and type in _OVER_TWO else 1, paper and type == "fabrication"
    parts = sentences_of(change.original.strip(), language)
    original, changed = joint.join(parts), " ".join(change.changed.split())
    if language == "zh" and size > 1:
        changed = "".join(change.changed.split())
    place = _place_of_copy(parts, original, base, language, size)
    if isinstance(place, Refused):
        return place
    if not changed or letters_of(changed) == letters_of(original):
        return Refused(why="'changed' is not different from 'original'")
    new = sentences_of(changed, language)
    if len(new) != size:
        return Refused(why=f"'changed' is not {_exactly(size)}")
    kept = place + size if adding else place
    text = base.replace(original, f"{original}{joint}{changed}" if adding else changed)
    if sentences_of(text, language) != [*sentences[:kept], *new, *sentences[place + size :]]:
        return Refused(why=f"not {_exactly(size)} differ{'s' * (size == 1)} from the summary")
    if changed in sentences:
        return Refused(why="'changed' stands in the summary already")
    if adding:
        original = ""
    if why := _fault_of_type(type, original, changed, language):
        return Refused(why=why)
    why = " ".join(change.reason.split())
    kind = one_line(change.kind, 40) if paper else ""
    made = wrong_version(text, changed, type=type, kind=kind, correction=original, reason=why, way=GENERATED)
    return made or Refused(why="'changed' cannot be found again in the summary")


def _exactly(size: int) -> str:
    return "exactly one sentence" if size == 1 else "exactly two sentences"


def _place_of_copy(parts: Sequence[str], original: str, base: str, language: str, size: int) -> int | Refused:
    """The place in the base of the sentences that are said to be copied from it."""
    sentences = sentences_of(base, language)
    if not parts or any(part not in sentences for part in parts):
        return Refused(why="'original' is not one of the sentences, copied exactly")
    if any(sentences.count(part) > 1 for part in parts):
        return Refused(why="'original' stands in the summary twice; choose another sentence")
    place = in_a_row(original, sentences, language)
    if len(parts) != size or place is None or original not in base:
        return Refused(why=f"'original' is not {_exactly(size)} of the summary" + " in a row" * (size > 1))
    return place


def _fault_of_type(type: ErrorType, original: str, changed: str, language: str) -> str:
    """Why a change is none of its type; empty where it is."""
    if type == "numerical" and figures_in(original, language) == figures_in(changed, language):
        return "no number differs"
    if type != "numerical" and _without_figures(original) == _without_figures(changed):
        return "only a number differs, which is another type of error"
    return ""


def figures_in(text: str, language: str) -> Counter[str]:
    """The numbers of a text, in digits and in words."""
    found = Counter(_DIGITS.findall(text))
    found.update(word.casefold() for word in (_WORDED_ZH if language == "zh" else _WORDED).findall(text))
    return found


def _read_change(base: str, language: str, type: ErrorType, paper: bool, reply: str) -> Version | Refused:
    for value in json_values(reply):
        if isinstance(value, dict) and "possible" in value:
            try:
                change = WrittenError.parse(value, "the object")
            except BadInput as error:
                return Refused(why=str(error))
            if not change.possible:
                return Refused(why=change.reason or "no reason given", declined=True)
            return check_change(base, language, type, change, paper)
    return Refused(why="it holds no JSON object with 'possible'")


def _entities(
    units: Sequence[BookUnit], bases: Sequence[Version], writer: RetryingClient, prompts: Mapping[str, Prompt]
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
