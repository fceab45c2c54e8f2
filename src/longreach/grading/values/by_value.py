"""Times, dates, lists and yes/no compared by value.

Each function returns a `Finding`, or None where the key itself cannot be read as that kind and must be compared as
words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from longreach.core.question import Key
from longreach.grading.answer_confidence import turns
from longreach.grading.claim import read_claim, strung
from longreach.grading.finding import Finding, key_forms
from longreach.grading.negation import denied
from longreach.grading.polarity import read_polarity, says_outright, stated_polarity
from longreach.grading.reading.listing import list_parts

from .clock import ClockTime, read_times
from .dates import CalendarDate, read_dates, read_short_dates
from .numerals import numeral_at
from .quantities import Quantity, read_quantities
from .words import Reading, read, word_set

__all__ = ["compare_date", "compare_list", "compare_time", "compare_yesno", "has_order"]

_Value = TypeVar("_Value", ClockTime, CalendarDate)
_COMMENT_OPENINGS = word_set(
    "in who which all as at on from to were was respectively that because when where with for by is are had both these "
    "they it he she according making three two four five"
)
_JOINTS = frozenset({"or", "to", "-", "—", "/", "~", "或", "至", "到"})
_ORDER = re.compile(
    r"\b(?:first|last|order|earliest|oldest|nearest|nearer|highest|lowest|sequence|successive|in turn)\b"
    r"|顺序|依次|先后|次序|从.{1,12}到|由.{1,8}到|先写|排列",
    re.IGNORECASE,
)
_PLACES = word_set(
    "first second third last then above below under over before after later earlier from to whose who next nearer "
    "finally 先 后 再 上 下 最 第"
)
_PRONOUNS = word_set("him her them it his their and directly immediately 他 她 是 面 来 者 一")
_ADDITIONS = word_set("also another including")


def compare_time(answer: Reading, key: Key) -> Finding | None:
    """Same hour and minute; morning or afternoon must agree where both state it."""
    wanted = [times[0] for form in key_forms(key) if len(times := read_times(read(form))) == 1]
    if not wanted or len(read_times(read(key.answer))) != 1:
        return None
    found = read_times(answer)
    found = [time for time in found if not time.bare] or found
    halves = {time.half for time in wanted if time.half}
    if len(halves) == 1:  # "half past seven" is in the evening where another form states it
        wanted = [replace(time, half=halves.copy().pop()) for time in wanted]

    def same(time: ClockTime) -> bool:
        return any(time.equals(want) for want in wanted)

    return _all_agree(answer, found, same, lambda time: not same(time), key)


def compare_date(answer: Reading, key: Key) -> Finding | None:
    """Same day, month and year as far as both state them; the key's day and month must be there."""
    wanted = [dates[0] for form in key_forms(key) if len(dates := read_dates(read(form))) == 1]
    if not wanted or len(read_dates(read(key.answer))) != 1:
        return None

    def same(date: CalendarDate) -> bool:
        return any(date.covers(want) and not date.contradicts(want) for want in wanted)

    def against(date: CalendarDate) -> bool:
        return all(date.contradicts(want) for want in wanted)

    return _all_agree(answer, read_dates(answer) or read_short_dates(answer), same, against, key)


def _all_agree(
    answer: Reading,
    found: Sequence[_Value],
    same: Callable[[_Value], bool],
    against: Callable[[_Value], bool],
    key: Key,
) -> Finding:
    """Right if a claimed value is the key's, none beside it contradicts it, and the key's is not denied."""
    picked = read_claim(answer).pick(found)
    affirmed = [value for value in picked if not denied(answer, value.start, value.end)]
    right = [value for value in affirmed if same(value)]
    if not right:
        if not found:
            return Finding(False, f"no {key.kind} read, key is {key.answer}", certain=False)
        first = picked[0]
        denial = "" if affirmed else "not "
        # Several values may be the working of a right one, and half a date may be a partial answer.
        clear = len(found) == 1 and (against(first) if affirmed else same(first)) and not _is_stray(first)
        return Finding(
            False, f"says {denial}{answer.shown(first.start, first.end)}, key is {key.answer}", certain=clear
        )
    others = [value for value in affirmed if against(value)]
    for value in picked:
        shown = answer.shown(value.start, value.end)
        if value not in affirmed and same(value):
            return Finding(False, f"says not {shown}")
        if value in others and any(_beside(answer, value, each) for each in right):
            return Finding(False, f"also says {shown}, key is {key.answer}")
    read_already = {at for value in found for at in range(value.start, value.end)}
    for value in right:
        if _has_alternative(answer, value, read_already):
            return Finding(False, f"wavers about {answer.shown(value.start, value.end)}")
    if others and not (right[0].start < others[0].start or right[-1].start > others[-1].start):
        return Finding(False, f"also says {answer.shown(others[0].start, others[0].end)}", certain=False)
    return Finding(True, f"matches {key.answer}", certain=not others)


def _beside(answer: Reading, one: ClockTime | CalendarDate, other: ClockTime | CalendarDate) -> bool:
    """Whether two values are side by side as if both were the answer."""
    first, second = sorted((one, other), key=lambda value: value.start)
    return strung(answer, first.end, second.start)


def _is_stray(value: ClockTime | CalendarDate) -> bool:
    """Whether a bare number in a sentence may be no hour at all: "she left with four"."""
    return isinstance(value, ClockTime) and value.bare and value.start > 1


def _has_alternative(answer: Reading, value: ClockTime | CalendarDate, read_already: set[int]) -> bool:
    """Whether a number is joined to a time or date: "3 or 4 June", "between four and five o'clock", 6月3日或4日."""
    places = []
    if value.start > 1 and answer.word(value.start - 1) in _JOINTS | {"and", "和"}:
        places.append(value.start - 2)
    if value.end + 1 < len(answer.tokens) and answer.word(value.end) in _JOINTS:
        places.append(value.end + 1)
    return any(at not in read_already and numeral_at(answer, at) is not None for at in places)


def compare_list(answer: Reading, key: Key, question: str = "") -> Finding | None:
    """The same items, none missing, none added, in the key's order where the key or the question requires one; each
    accepted form is a whole list of its own."""
    forms = map(read, key_forms(key))
    lists = [items for form in forms if (items := [form.part(start, end) for start, end in list_parts(form)])]
    if not lists:
        return None
    findings = [_compare_items(answer, items, key) for items in lists]
    right = next((number for number, finding in enumerate(findings) if finding.right), None)
    if right is None:
        return findings[0]
    if has_order(key, question) and not _in_order(answer, lists[right]):
        plain = not any(token.word in _PLACES for token in answer.tokens)
        return Finding(False, f"not in the order of {key.answer}", certain=plain)
    return findings[right]


def has_order(key: Key, question: str) -> bool:
    """Whether the order of a list matters."""
    return key.ordered or _ORDER.search(question) is not None


def _in_order(answer: Reading, items: list[Reading]) -> bool:
    """Whether the items are first named in sequence."""
    starts = [min(start for start, _ in _places(answer, item)) for item in items]
    return starts == sorted(starts)


def _compare_items(answer: Reading, items: list[Reading], key: Key) -> Finding:
    parts = list_parts(answer)
    holding: set[int] = set()
    spans: list[tuple[int, int]] = []
    for item in items:
        places = [place for place in _places(answer, item) if not denied(answer, *place)]
        if not places:
            known = all(_is_known(answer, start, end, items, key) for start, end in parts)
            return Finding(False, f"{_shown(item)} is missing", certain=known)
        spans += places
        holding |= {
            n for n, (start, end) in enumerate(parts) for place in places if place[0] < end and place[1] > start
        }
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    if any(answer.word(at) in {"or", "或"} for at in range(first, last)):
        return Finding(False, "wavers between items")
    rivals = _rivals(answer, key, spans)
    aside = read_claim(answer).aside
    for rival, start in rivals:
        if start not in aside:
            return Finding(False, f"also names {rival}")
    for number, (start, end) in enumerate(parts):
        if number not in holding and _is_extra(
            answer, start, end, before=number < min(holding), inside=number < max(holding)
        ):
            return Finding(False, f"also names {answer.shown(start, end)}", certain=False)
    # A remaining rival is in brackets or in the reason.
    return Finding(True, f"names all of {key.answer}", certain=not rivals)


def _is_known(answer: Reading, start: int, end: int, items: list[Reading], key: Key) -> bool:
    """Whether a part of an answer contains an item of the key or a rival; any other may paraphrase a missing item."""
    known = [*items, *(rival for rival in map(read, key.rivals) if rival.tokens)]
    return any(first < end and last > start for item in known for first, last in _places(answer, item))


def _shown(item: Reading) -> str:
    return item.text[item.tokens[0].start : item.tokens[-1].end]


def _places(answer: Reading, item: Reading) -> list[tuple[int, int]]:
    """Where an item occurs, by its words or, for a number, by its value."""
    places = answer.find(item)
    value = _whole_quantity(item)
    if not places and value:
        places = [(found.start, found.end) for found in read_quantities(answer) if found.equals(value)]
    return places


def _whole_quantity(item: Reading) -> Quantity | None:
    fresh = read(_shown(item))
    found = read_quantities(fresh)
    return found[0] if len(found) == 1 and found[0].start == 0 and found[0].end == len(fresh.tokens) else None


def _rivals(answer: Reading, key: Key, spans: list[tuple[int, int]]) -> list[tuple[str, int]]:
    """The rivals that are named and not denied, each with its place."""
    return [
        (rival, start)
        for rival in key.rivals
        for start, end in answer.find(read(rival))
        if not any(a <= start and end <= b for a, b in spans) and not denied(answer, start, end)
    ]


def _is_extra(answer: Reading, start: int, end: int, *, before: bool, inside: bool) -> bool:
    """Whether a part without an item of the key is an item of its own rather than an introduction or a remark."""
    words = [answer.tokens[i] for i in range(start, end) if answer.tokens[i].kind != "mark"]
    numbering = len(words) == 1 and words[0].kind == "number" and answer.word(end) in {".", ")", ":"}
    if numbering or denied(answer, start, end) or words[0].word in {"not", "no", "不", "没"}:
        return False
    if answer.word(end) in {":", "："}:
        return False
    if any(word.word in _ADDITIONS for word in words):
        return True
    if all(word.word in _PLACES or word.word in _PRONOUNS for word in words):
        return False  # "and, above him, Elstetti"
    if words[0].kind == "han":
        return len(words) <= 6
    introduced = words[0].word in _COMMENT_OPENINGS or (before and words[0].word == "the")
    named = any(word.capital for word in words[1:] if word.word != "i") or (not before and words[0].capital)
    if inside and not before:
        return not introduced or named
    if introduced:
        return False
    return len(words) <= 4 or named


def compare_yesno(answer: Reading, key: Key, question: str = "") -> Finding | None:
    """The same yes or no; neither or both is wrong. A statement counts where it repeats the question or denies it."""
    wanted = read_polarity(read(key.answer))
    if wanted is None:
        return None
    affirmed = read_polarity(answer)
    if affirmed is None or not says_outright(answer):
        stated = stated_polarity(answer, question)
        if stated is not None:
            word = "yes" if stated else "no"
            return Finding(stated == wanted, f"says {word} in the question's words", certain=False)
    if affirmed is None:
        stated = any(len(read(form).tokens) > 1 and answer.find(read(form)) for form in key.accept)
        return (
            Finding(True, "says it in the key's words")
            if stated
            else Finding(False, "says neither yes nor no clearly", certain=False)
        )
    word = "yes" if affirmed else "no"
    reason = f"says {word}" if affirmed == wanted else f"says {word}, key is {key.answer}"
    # A statement ("She never went") is a no to one question and a yes to another.
    return Finding(affirmed == wanted, reason, certain=says_outright(answer) and not turns(answer))
