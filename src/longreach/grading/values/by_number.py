"""Numbers compared by value, with their units."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import combinations, pairwise

from longreach.core.question import Key
from longreach.grading.claim import read_claim, strung
from longreach.grading.finding import Finding, key_forms
from longreach.grading.negation import denied

from .clock import read_times
from .dates import read_dates
from .quantities import Quantity, read_quantities
from .units import MEASURES, unit_named
from .words import Reading, has_han, read, singular, word_set

__all__ = ["compare_number"]

_FIRST_YEAR, _LAST_YEAR = 1000, 2199
_OPERATORS = word_set("- − — + × * x plus minus times")
_COMES = word_set("come comes came coming amount amounts amounted amounting sum sums equal adds")
_WHOLE = word_set("it which that this them these those")
_DETERMINERS = word_set("the his her their these those")
_ALTERNATIVE = frozenset({"or", "to", "—", "-", "~", "/", "至", "到", "或"})


def compare_number(answer: Reading, key: Key) -> Finding | None:
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
        return Finding(False, f"no number read, key is {key.answer}", certain=False)
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


def _one_number(answer: Reading, found: list[Quantity], wanted: list[Quantity], key: Key) -> Finding:
    rivals = [quantity for form in key.rivals if (quantity := _key_quantity(form, key.unit))]
    right = {at for at, quantity in enumerate(found) if any(_same(quantity, want) for want in wanted)}
    denials = {at for at, quantity in enumerate(found) if denied(answer, quantity.start, quantity.end)}
    if not right - denials:
        clear = bool(right) or _is_another_number(found, wanted, rivals)
        return Finding(False, f"{_says(answer, found, wanted)}, key is {key.answer}", certain=clear)
    sure = any(_carries(found[at], wanted) for at in right - denials)
    against: list[int] = []
    for at, quantity in enumerate(found):
        shown = answer.shown(quantity.start, quantity.end)
        if at in right and at in denials:
            return Finding(False, f"says not {shown}")
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
            return Finding(False, f"also says {shown}, key is {key.answer}")
        against.append(at)
    if against and not _stands_out(found, right - denials, against):
        also = found[against[0]]
        return Finding(False, f"also says {answer.shown(also.start, also.end)}, key is {key.answer}", certain=False)
    clear = any(_is_firm(found[at]) and _may_count(found[at], wanted) for at in right - denials)
    explained = not against or _works_out(found, right - denials, against)
    return Finding(True, f"matches {key.answer}", certain=clear and explained)


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
