"""Numbers, times, dates, lists and yes/no compared by value."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, pairwise
from typing import TypeVar

from longreach.core.language import has_han
from longreach.core.types import Key
from longreach.grading.claims import Comparison, denied, key_forms, read_claim, strung, turns
from longreach.grading.polarity import read_polarity, says_outright, stated_polarity

from .numbers import MEASURES, Quantity, numeral_at, read_quantities, unit_named
from .times import CalendarDate, ClockTime, read_dates, read_short_dates, read_times
from .words import Reading, list_parts, read, singular, word_set

# Numbers compared by value, with their units.

_FIRST_YEAR, _LAST_YEAR = 1000, 2199
_OPERATORS = word_set("- − — + × * x plus minus times")
_COMES = word_set("come comes came coming amount amounts amounted amounting sum sums equal adds")
_WHOLE = word_set("it which that this them these those")
_DETERMINERS = word_set("the his her their these those")
_ALTERNATIVE = frozenset({"or", "to", "—", "-", "~", "/", "至", "到", "或"})


def compare_number(answer: Reading, key: Key) -> Comparison | None:
    """The right number must be claimed, and no other beside it.

    A number counts against the answer if it has the key's unit, or no unit. It does not if it is part of something
    else: a date, a clock time, another unit or, where the right number has the key's unit, another noun ("3 horses for
    41 francs"); an ordinal; a total ("41 of the 60"); a label ("chapter 3", "question 7"); evidence or working ("24 and
    17, so 41", "41 (24 + 17)", "41; the others were 43"). "More than 41" and "not 41" are not 41.
    """
    wanted = [quantity for form in key_forms(key) if (quantity := _key_quantity(form, key.unit))]
    if not wanted or _key_quantity(key.answer, key.unit) is None:
        return None
    lasting = any(want.unit is not None and want.unit.kind == "duration" for want in wanted)
    found = read_quantities(answer, _taken(answer, lasting=lasting))
    if all(not quantity.ordinal for quantity in wanted):
        # "The 41st" may answer a question for a number; "in his 41st year" means another one.
        cardinal = [quantity for quantity in found if not quantity.ordinal]
        loose = [quantity for quantity in found if not quantity.ordinal or quantity.unit is None]
        found = cardinal if any(not quantity.weak for quantity in cardinal) else loose
    if not found:
        return Comparison(False, f"no number read, key is {key.answer}", certain=False)
    claim = read_claim(answer)
    finding = _one_number(answer, claim.pick(found), wanted, key)
    if finding.right:
        return finding
    elsewhere = [q for q in found if any(_same(q, want) for want in wanted) and not denied(answer, q.start, q.end)]
    if not elsewhere or any(_joined(answer, one, two) for one, two in pairwise(found)):
        return finding
    # The key's number is there, but as evidence; "1490 = 1850 - 360" claims its left side.
    left = elsewhere[0]
    plain = not any(answer.word(at) in _OPERATORS for at in range(left.start, left.end))
    equation = plain and len(elsewhere) == 1 and any(answer.word(left.end + step) == "=" for step in (0, 1))
    return replace(finding, right=True, certain=False) if equation else replace(finding, certain=False)


def _taken(answer: Reading, *, lasting: bool) -> set[int]:
    """Tokens of dates and clear clock times, whose numbers are not quantities; 3h is one where a duration is asked."""
    taken: set[int] = set()
    for date in read_dates(answer):
        if date.month is not None and (date.day is not None or date.year is not None):
            taken.update(range(date.start, date.end))
    for time in read_times(answer):
        if not time.bare and not (lasting and answer.word(time.end - 1) == "h"):
            taken.update(range(time.start, time.end))
    return taken


@lru_cache(maxsize=4096)
def _key_quantity(form: str, unit: str) -> Quantity | None:
    """The one number of a key's form, with the key's unit where the form names none."""
    found = [quantity for quantity in read_quantities(read(form)) if not quantity.weak] or read_quantities(read(form))
    if len(found) != 1:
        return None
    known = found[0].unit or unit_named(unit)
    return Quantity(found[0].value, known, _noun(unit) or found[0].noun, 0, 0, found[0].ordinal, bound=found[0].bound)


def _noun(unit: str) -> str:
    return " ".join(singular(token.word) for token in read(unit).tokens if token.kind != "mark")


def _one_number(answer: Reading, found: list[Quantity], wanted: list[Quantity], key: Key) -> Comparison:
    rivals = [quantity for form in key.rivals if (quantity := _key_quantity(form, key.unit))]
    right = {at for at, quantity in enumerate(found) if any(_same(quantity, want) for want in wanted)}
    denials = {at for at, quantity in enumerate(found) if denied(answer, quantity.start, quantity.end)}
    if not right - denials:
        clear = bool(right) or _is_another_number(found, wanted, rivals)
        return Comparison(False, f"{_says(answer, found, wanted)}, key is {key.answer}", certain=clear)
    sure = any(_carries(found[at], wanted) for at in right - denials)
    against: list[int] = []
    for at, quantity in enumerate(found):
        shown = answer.shown(quantity.start, quantity.end)
        if at in right and at in denials:
            return Comparison(False, f"says not {shown}")
        if at in right or at in denials:
            continue
        joined = any(_joined(answer, found[i], found[i + 1]) for i in (at - 1, at) if {i, i + 1} & right)
        if _is_share(answer, quantity):
            continue
        rival = not quantity.weak and any(_same(quantity, each) for each in rivals)
        if not (joined or rival or _speaks_against(quantity, wanted, sure)):
            continue
        beside = any(_side_by_side(answer, found, at, other) for other in right - denials)
        if joined or beside or _is_later_state(answer, quantity):
            return Comparison(False, f"also says {shown}, key is {key.answer}")
        against.append(at)
    if against and not _stands_out(found, right - denials, against):
        also = found[against[0]]
        return Comparison(False, f"also says {answer.shown(also.start, also.end)}, key is {key.answer}", certain=False)
    clear = any(_is_firm(found[at]) and _may_count(found[at], wanted) for at in right - denials)
    explained = not against or _works_out(found, right - denials, against)
    return Comparison(True, f"matches {key.answer}", certain=clear and explained)


def _side_by_side(answer: Reading, found: list[Quantity], one: int, other: int) -> bool:
    first, second = sorted((found[one], found[other]), key=lambda quantity: quantity.start)
    return strung(answer, first.end, second.start, frozenset(answer.word(at) for at in _noun_places(first)))


def _noun_places(quantity: Quantity) -> range:
    """The tokens of what a number counts."""
    return range(quantity.end, quantity.end + len(quantity.noun.split()) if quantity.unit is None else quantity.end)


def _is_share(answer: Reading, quantity: Quantity) -> bool:
    """A part of another number, as 360 in "1,850, of which 360", or its whole, as 1,850 in "of the 1,850, 1,490"."""
    after = answer.word(quantity.end) == "of" and answer.word(quantity.end + 1) in _WHOLE
    before = answer.word(quantity.start - 1) in _WHOLE and answer.word(quantity.start - 2) == "of"
    lead = quantity.start - 1 - (answer.word(quantity.start - 1) in _DETERMINERS)
    before = before or (answer.word(lead) == "of" and answer.word(lead - 1) in {"", ".", ",", ";", "out"})
    return after or before or answer.word(quantity.start - 2) + answer.word(quantity.start - 1) == "其中"


def _is_later_state(answer: Reading, quantity: Quantity) -> bool:
    return any(answer.word(quantity.start - step) in {"later", "afterwards"} for step in (1, 2, 3))


def _stands_out(found: list[Quantity], right: set[int], against: list[int]) -> bool:
    """Whether the key's number is the first or the last of the candidates, with evidence around it."""
    return min(right) < against[0] or max(right) > against[-1] or _works_out(found, right, against)


def _works_out(found: list[Quantity], right: set[int], against: list[int]) -> bool:
    """Whether the other numbers are the working: they add up to the key's, or two of them give it."""
    values = [found[at].value for at in range(len(found)) if at not in right]
    for at in right:
        value = found[at].value
        if len(values) > 1 and sum(values) == value:
            return True
        if any(value in {one + two, abs(one - two), one * two} for one, two in combinations(values, 2)):
            return True
    return not against


def _may_count(quantity: Quantity, wanted: list[Quantity]) -> bool:
    """Whether a number counts what the key counts, or has no noun: 12 of something else may not be 12 guests."""
    nouns = any(want.noun for want in wanted)
    return not nouns or (quantity.unit is None and not quantity.noun) or _carries(quantity, wanted)


def _is_firm(quantity: Quantity) -> bool:
    """Whether a number is surely meant as one; a year is, also after "in"."""
    return not quantity.weak or (quantity.unit is None and _FIRST_YEAR <= quantity.value <= _LAST_YEAR)


def _is_another_number(found: list[Quantity], wanted: list[Quantity], rivals: list[Quantity]) -> bool:
    """Whether one clear number is stated and it is not the key's: not several, which may add up to it, no bound, and no
    amount in a unit that may be equivalent.
    """
    firm = [quantity for quantity in found if _is_firm(quantity)]
    if len(firm) != 1 or firm[0].bound:
        return False
    if any(_same(firm[0], rival) for rival in rivals):
        return True
    return not any(_may_be_worth(firm[0], want) for want in wanted)


def _may_be_worth(quantity: Quantity, want: Quantity) -> bool:
    """Whether a number may be the key's amount in another unit; the same number of another unit is not."""
    if quantity.unit is None or want.unit is None or quantity.value == want.value:
        return False
    if quantity.unit.kind == want.unit.kind:
        return _converted(quantity, want)
    return any({quantity.unit.kind, want.unit.kind} <= kinds for kinds in MEASURES.values())


def _carries(quantity: Quantity, wanted: list[Quantity]) -> bool:
    """Whether a number has the key's unit or counts what the key counts."""
    for want in wanted:
        if quantity.unit is not None and want.unit is not None:
            if quantity.unit.kind == want.unit.kind:
                return True
        elif want.noun and quantity.noun:
            if has_han(want.noun):
                if want.noun.replace(" ", "") in quantity.noun.replace(" ", ""):
                    return True
            elif want.noun.split()[-1] in quantity.noun.split():
                return True
    return False


def _same(quantity: Quantity, want: Quantity) -> bool:
    """Same amount of the same thing: 12 % are not 12 guests, though 12 people may be."""
    other_unit = quantity.unit is not None and want.unit is None and want.noun
    if other_unit and quantity.noun not in want.noun.split():
        return False
    return quantity.equals(want) and quantity.bound == want.bound


def _speaks_against(quantity: Quantity, wanted: list[Quantity], sure: bool) -> bool:
    if quantity.weak or (quantity.ordinal and not any(want.ordinal for want in wanted)):
        return False
    if _carries(quantity, wanted):
        return not (sure and any(_converted(quantity, want) for want in wanted))
    return quantity.unit is None and not (sure and quantity.noun)


def _converted(quantity: Quantity, want: Quantity) -> bool:
    """Whether a number is the key's amount rounded into another unit: 8 miles (about 13 km)."""
    if quantity.unit is None or want.unit is None or quantity.unit == want.unit:
        return False
    ratio = quantity.value * quantity.unit.factor - want.value * want.unit.factor
    return abs(ratio) * 20 <= abs(want.value * want.unit.factor)


def _joined(answer: Reading, first: Quantity, second: Quantity) -> bool:
    """Whether two numbers are alternatives or the ends of a range: "41 or 43", "40 to 41"."""
    gap = range(first.end, second.start)
    if any(answer.word(i) == "to" and answer.word(i - 1) in _COMES for i in gap):
        return False  # "at eight francs come to 112 francs"
    if len(gap) > 5 or not any(answer.word(i) in _ALTERNATIVE for i in gap):
        return False
    return not any(answer.word(i) in {".", ";", ","} for i in gap if answer.word(i + 1) != "or")


def _says(answer: Reading, found: list[Quantity], wanted: list[Quantity]) -> str:
    speaking = [quantity for quantity in found if not quantity.weak] or found
    carrying = [quantity for quantity in speaking if _carries(quantity, wanted)] or speaking
    quantity = carrying[0]
    bound = f"{quantity.bound} " if quantity.bound else ""
    return f"says {bound}{answer.shown(quantity.start, quantity.end)}"


# Times, dates, lists and yes/no compared by value.

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


def compare_time(answer: Reading, key: Key) -> Comparison | None:
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


def compare_date(answer: Reading, key: Key) -> Comparison | None:
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
) -> Comparison:
    """Right if a claimed value is the key's, none beside it contradicts it, and the key's is not denied."""
    picked = read_claim(answer).pick(found)
    affirmed = [value for value in picked if not denied(answer, value.start, value.end)]
    right = [value for value in affirmed if same(value)]
    if not right:
        if not found:
            return Comparison(False, f"no {key.kind} read, key is {key.answer}", certain=False)
        first = picked[0]
        denial = "" if affirmed else "not "
        # Several values may be the working of a right one, and half a date may be a partial answer.
        clear = len(found) == 1 and (against(first) if affirmed else same(first)) and not _is_stray(first)
        return Comparison(
            False, f"says {denial}{answer.shown(first.start, first.end)}, key is {key.answer}", certain=clear
        )
    others = [value for value in affirmed if against(value)]
    for value in picked:
        shown = answer.shown(value.start, value.end)
        if value not in affirmed and same(value):
            return Comparison(False, f"says not {shown}")
        if value in others and any(_beside(answer, value, each) for each in right):
            return Comparison(False, f"also says {shown}, key is {key.answer}")
    read_already = {at for value in found for at in range(value.start, value.end)}
    for value in right:
        if _has_alternative(answer, value, read_already):
            return Comparison(False, f"wavers about {answer.shown(value.start, value.end)}")
    if others and not (right[0].start < others[0].start or right[-1].start > others[-1].start):
        return Comparison(False, f"also says {answer.shown(others[0].start, others[0].end)}", certain=False)
    return Comparison(True, f"matches {key.answer}", certain=not others)


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


def compare_list(answer: Reading, key: Key, question: str = "") -> Comparison | None:
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
        return Comparison(False, f"not in the order of {key.answer}", certain=plain)
    return findings[right]


def has_order(key: Key, question: str) -> bool:
    """Whether the order of a list matters."""
    return key.ordered or _ORDER.search(question) is not None


def _in_order(answer: Reading, items: list[Reading]) -> bool:
    """Whether the items are first named in sequence."""
    starts = [min(start for start, _ in _places(answer, item)) for item in items]
    return starts == sorted(starts)


def _compare_items(answer: Reading, items: list[Reading], key: Key) -> Comparison:
    parts = list_parts(answer)
    holding: set[int] = set()
    spans: list[tuple[int, int]] = []
    for item in items:
        places = [place for place in _places(answer, item) if not denied(answer, *place)]
        if not places:
            known = all(_is_known(answer, start, end, items, key) for start, end in parts)
            return Comparison(False, f"{_shown(item)} is missing", certain=known)
        spans += places
        holding |= {
            n for n, (start, end) in enumerate(parts) for place in places if place[0] < end and place[1] > start
        }
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    if any(answer.word(at) in {"or", "或"} for at in range(first, last)):
        return Comparison(False, "wavers between items")
    rivals = _rivals(answer, key, spans)
    aside = read_claim(answer).aside
    for rival, start in rivals:
        if start not in aside:
            return Comparison(False, f"also names {rival}")
    for number, (start, end) in enumerate(parts):
        if number not in holding and _is_extra(
            answer, start, end, before=number < min(holding), inside=number < max(holding)
        ):
            return Comparison(False, f"also names {answer.shown(start, end)}", certain=False)
    # A remaining rival is in brackets or in the reason.
    return Comparison(True, f"names all of {key.answer}", certain=not rivals)


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


def compare_yesno(answer: Reading, key: Key, question: str = "") -> Comparison | None:
    """The same yes or no; neither or both is wrong. A statement counts where it repeats the question or denies it."""
    wanted = read_polarity(read(key.answer))
    if wanted is None:
        return None
    affirmed = read_polarity(answer)
    if affirmed is None or not says_outright(answer):
        stated = stated_polarity(answer, question)
        if stated is not None:
            word = "yes" if stated else "no"
            return Comparison(stated == wanted, f"says {word} in the question's words", certain=False)
    if affirmed is None:
        stated = any(len(read(form).tokens) > 1 and answer.find(read(form)) for form in key.accept)
        return (
            Comparison(True, "says it in the key's words")
            if stated
            else Comparison(False, "says neither yes nor no clearly", certain=False)
        )
    word = "yes" if affirmed else "no"
    reason = f"says {word}" if affirmed == wanted else f"says {word}, key is {key.answer}"
    # A statement ("She never went") is a no to one question and a yes to another.
    return Comparison(affirmed == wanted, reason, certain=says_outright(answer) and not turns(answer))
