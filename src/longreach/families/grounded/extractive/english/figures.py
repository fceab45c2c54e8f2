"""English numbers, years, dates and amounts: their positions in a sentence and their values."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from longreach.core.number_words import ONES, TEENS, TENS

from ..wordsets import word_set
from .words import Token

__all__ = ["Figure", "find_figures"]

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH = "|".join(month.capitalize() for month in _MONTHS)
_DATE = re.compile(
    rf"\b(?P<m1>{_MONTH}) (?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?:, (?P<y1>\d{{4}}))?\b"
    rf"|\b(?:the )?(?P<d2>\d{{1,2}})(?:st|nd|rd|th|d)?(?: of)? (?P<m2>{_MONTH})(?:,? (?P<y2>\d{{4}}))?\b"
    rf"|\b(?P<y3>\d{{4}})-(?P<m3>\d\d)-(?P<d3>\d\d)\b"
    rf"|\b(?P<m4>{_MONTH}),? (?:of )?(?P<y4>\d{{4}})\b"
)
_YEAR_BEFORE = word_set("in since by until till during after before from of early late year around about circa")
_NUMBER_WORDS = {word: float(value) for word, value in ({"zero": 0} | ONES | TEENS | TENS).items()}
_TENS = re.compile(f"({'|'.join(TENS)})-({'|'.join(ONES)})")
_SCALE = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_POINTER = word_set(
    "section sections article chapter figure table page pages rfc number no no. appendix clause item step version line "
    "lines note part paragraph equation example volume bit code iso title rule option type level verse python debian "
    "windows release kernel standard form act port"
)
_MODIFIERS = (
    "more than",
    "at least",
    "at most",
    "up to",
    "no more than",
    "fewer than",
    "less than",
    "not more than",
    "not less than",
    "over",
    "about",
    "nearly",
    "approximately",
    "almost",
    "around",
    "exactly",
    "only",
    "roughly",
    "as many as",
    "upwards of",
)


@dataclass(frozen=True)
class Figure:
    """A figure in a sentence, as a span of tokens."""

    kind: str
    """`year`, `date`, `month`, `day`, `count`, `amount`, `percentage`."""
    start: int
    """Its first token; with `more than` and the like, the first of those."""
    at: int
    """The first token of the figure itself."""
    end: int
    noun: tuple[int, int]
    """For counts: the tokens of what is counted."""
    text: str
    size: float
    form: tuple[Hashable, ...]


def find_figures(text: str, tokens: Sequence[Token]) -> Iterator[Figure]:
    """All figures of a sentence; impossible dates are left out."""
    taken: set[int] = set()
    for match in _DATE.finditer(text):
        span = [place for place, token in enumerate(tokens) if match.start() <= token.start < match.end()]
        if not span or tokens[span[-1]].end > match.end() or tokens[span[0]].start != match.start():
            continue
        taken.update(span)
        found = match.groupdict()
        month_name = found["m1"] or found["m2"] or found["m4"]
        month = _MONTHS.index(month_name.casefold()) + 1 if month_name else int(found["m3"])
        year = found["y1"] or found["y2"] or found["y3"] or found["y4"]
        day = found["d1"] or found["d2"] or found["d3"]
        try:
            value = date(int(year or 2000), month, int(day or 1))
        except ValueError:
            continue
        kind = "date" if year and day else "month" if year else "day"
        style = re.sub(r"[A-Z][a-z]+", "M", re.sub(r"\d+", "9", match[0]))
        style = re.sub(r"(?<=9)(?:st|nd|rd|th|d)", "th", style)
        yield Figure(kind, span[0], span[0], span[-1] + 1, (0, 0), match[0], float(value.toordinal()), (kind, style))
    place = 0
    while place < len(tokens):
        if place in taken:
            place += 1
            continue
        figure = _number(text, tokens, place)
        if figure is not None:
            yield figure
            place = figure.end
        else:
            place += 1


def _number(text: str, tokens: Sequence[Token], place: int) -> Figure | None:
    token = tokens[place]
    value = _value(token)
    if value is None:
        return None
    before = tokens[place - 1] if place else None
    if before is not None and (before.low in _POINTER or before.may("CODE", "NAME") or before.text in "#§$:/-"):
        return None
    if any(0 <= near < len(tokens) and tokens[near].low == "or" for near in (place - 1, place + 1)):
        return None  # 'two or three'
    digits = token.text[0].isdigit()
    if digits and re.fullmatch(r"1[0-9]\d\d|20\d\d", token.text):
        if before is not None and before.low in _YEAR_BEFORE:
            return Figure("year", place, place, place + 1, (0, 0), token.text, value, ("year",))
        return None
    end = place + 1
    size = value
    while end < len(tokens) and tokens[end].low in _SCALE:
        size *= _SCALE[tokens[end].low]
        end += 1
    start = _modified(tokens, place)
    shown = text[token.start : tokens[end - 1].end]
    scale = tokens[end - 1].low if end > place + 1 else ""
    style = (
        "digits" if token.text[0].isdigit() or token.text[0] in "$£€" else "words",
        "," in token.text,
        "." in token.text,
        scale,
    )
    if token.text[0] in "$£€":
        return Figure("amount", start, place, end, (0, 0), shown, size, ("amount", token.text[0], style[2], scale))
    if token.text.endswith("%"):
        return Figure("percentage", start, place, end, (0, 0), shown, size, ("percentage", "%", "." in token.text))
    if end < len(tokens) and tokens[end].low in {"percent", "per"}:
        end += 1 if tokens[end].low == "percent" else 2
        shown = text[token.start : tokens[min(end, len(tokens)) - 1].end]
        return Figure("percentage", start, place, end, (0, 0), shown, size, ("percentage", style))
    noun = _counted(tokens, end)
    if noun is None:
        return None
    bucket = 0 if size < 21 else len(str(int(size)))
    return Figure("count", start, place, end, noun, shown, size, ("count", style, bucket))


def _value(token: Token) -> float | None:
    if token.may("NUM"):
        digits = token.text.strip("$£€%").replace(",", "")
        return float(digits) if re.fullmatch(r"\d+(?:\.\d+)?", digits) else None
    if token.low in _NUMBER_WORDS and token.low != "one":
        return _NUMBER_WORDS[token.low]
    if tens := _TENS.fullmatch(token.low):
        return _NUMBER_WORDS[tens[1]] + _NUMBER_WORDS[tens[2]]
    return None


def _counted(tokens: Sequence[Token], place: int) -> tuple[int, int] | None:
    """The tokens of the plural noun that follows a number."""
    for end in range(place, min(place + 3, len(tokens))):
        token = tokens[end]
        if token.may("NS") and not token.may("NAME", "CODE") and token.low != "times":
            if (
                end + 1 < len(tokens)
                and tokens[end + 1].may("NS", "N")
                and not tokens[end + 1].may("VB", "VBZ", "PREP", "VBD")
            ):
                continue
            return place, end + 1
        if not token.may("ADJ", "N") or token.may("PUNCT", "PREP", "CONJ"):
            return None
    return None


def _modified(tokens: Sequence[Token], place: int) -> int:
    for phrase in _MODIFIERS:
        words = phrase.split()
        start = place - len(words)
        if start >= 0 and [token.low for token in tokens[start:place]] == words:
            return start
    return place
