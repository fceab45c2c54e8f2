"""A right and a wrong answer for every key, which each family's keys are tested against."""

from __future__ import annotations

from collections.abc import Iterator

from longreach.core.question import Key
from longreach.errors import BadInput

from .match import grade_answer
from .polarity import read_polarity
from .reading.listing import list_parts
from .values.clock import read_times
from .values.dates import MONTHS, read_dates
from .values.numerals import numeral_at
from .values.quantities import read_quantities
from .values.words import has_han, read

__all__ = ["NOT_MENTIONED", "NOT_MENTIONED_ZH", "gold_answer", "wrong_answer"]

NOT_MENTIONED = "Not mentioned in the text or story."
NOT_MENTIONED_ZH = "文中没有提到。"
_NAMES = ("Orrin Vale", "Tessaly Marsh", "a copper weathercock", "the harbour at Quillon", "Isobel Trant")
_NAMES_ZH = ("罗文舟", "青石渡口", "一只铜风标", "沈若薇", "南坡的磨坊")


def gold_answer(key: Key) -> str:
    """The canonical answer: right by `grade_answer`, whatever the kind."""
    if key.kind == "absent" and not read(key.answer).tokens:
        return NOT_MENTIONED
    if not read(key.answer).tokens:
        raise BadInput(f"key of kind '{key.kind}': the answer {key.answer!r} is blank; give the canonical answer")
    return key.answer


def wrong_answer(key: Key) -> str:
    """A plausible answer of the same kind that is certainly wrong."""
    for candidate in _candidates(key):
        verdict = grade_answer(candidate, key)
        if verdict.status == "scored" and verdict.value == 0:
            return candidate
    raise BadInput(f"key of kind '{key.kind}': no wrong answer exists for {key.answer!r}; accept fewer forms")


def _candidates(key: Key) -> Iterator[str]:
    chinese = has_han(key.answer)
    if key.kind == "number":
        yield from _numbers(key)
    elif key.kind == "time":
        yield from _times(key)
    elif key.kind == "date":
        yield from _dates(key)
    elif key.kind == "list":
        yield from _lists(key, chinese)
    elif key.kind == "yesno":
        yes = read_polarity(read(key.answer))
        yield ("不是" if yes else "是的") if chinese else ("No" if yes else "Yes")
    elif key.kind == "text":
        yield from key.rivals
    yield from _NAMES_ZH if chinese else _NAMES
    yield from _NAMES if chinese else _NAMES_ZH


def _numbers(key: Key) -> Iterator[str]:
    reading = read(key.answer)
    for quantity in read_quantities(reading):
        numeral = numeral_at(reading, quantity.start)
        whole = numeral is not None and numeral.value == quantity.value and quantity.start == 0
        rest = reading.text[reading.tokens[numeral.end - 1].end :] if numeral and whole else f" {key.unit}"
        for step in (2, 3, 5, 7, 11):
            yield f"{int(quantity.value) + step}{rest}".strip()


def _times(key: Key) -> Iterator[str]:
    for time in read_times(read(key.answer)):
        for hours, minutes in ((1, 35), (2, 10), (4, 25)):
            total = (time.hour * 60 + time.minute + hours * 60 + minutes) % 720
            yield f"{total // 60 or 12}:{total % 60:02d}"


def _dates(key: Key) -> Iterator[str]:
    for date in read_dates(read(key.answer)):
        for step in (1, 4, 5):
            if date.month is None and date.day is None and date.year is not None:
                yield f"{date.year + step}"
            else:
                day = f"{((date.day or 1) + 2 * step) % 28 + 1} "
                yield f"{day}{MONTHS[((date.month or 1) + step) % 12]}"


def _lists(key: Key, chinese: bool) -> Iterator[str]:
    reading = read(key.answer)
    items = [reading.shown(start, end) for start, end in list_parts(reading)]
    for name in _NAMES_ZH if chinese else _NAMES:
        kept = [*items[:-1], name]
        yield ("、" if chinese else ", ").join(kept)
