"""Numbers with their units, as an answer states them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from .numerals import Numeral, numeral_at
from .units import CLASSIFIERS, HAN_UNITS, MEASURES, Unit, unit_named
from .words import Reading, singular, word_set

__all__ = ["Quantity", "read_quantities"]

_CURRENCY = frozenset("$£€¥") | word_set("eur usd gbp cny rmb f ff fr frs")
_POINTED = re.compile(r"\d{1,3}\.\d{3}")
_PLUS = frozenset({"+", "plus"})
_MINUS = frozenset({"minus", "−"})
_TIMES = frozenset({"×", "*", "times", "x"})
_HAN_SIGNS = {"加": "+", "加上": "+", "减": "minus", "减去": "minus", "乘": "×", "乘以": "×"}
_STOPS = word_set(
    "and or for to in at of a an the by when with from but was were is are had has on than as before after since if "
    "who which that so then not it he she they"
)
_BETWEEN = word_set("gold silver english french square whole full long good more such old fine new whole")
_LABELS = word_set("question q chapter page line paragraph fact step part volume number no room section item answer")
_ONE_OF = word_set("of who that whose which")
_BEFORE_ONE = word_set("no the any every some each this that another which only")
_YEAR_LEADS = word_set("in of since until by from during year anno around after before")
_HEDGES = (
    ("more", "than"), ("less", "than"), ("fewer", "than"), ("greater", "than"), ("at", "least"), ("at", "most"),
    ("up", "to"), ("upwards", "of"), ("almost",), ("nearly",), ("just", "under"), ("just", "over"), ("well", "over"),
    ("超", "过"), ("不", "到"), ("至", "少"), ("最", "多"), ("将", "近"), ("多", "于"), ("少", "于"),
)  # fmt: skip
_ENDINGS = {hedge[-1]: [each for each in _HEDGES if each[-1] == hedge[-1]] for hedge in _HEDGES}
"""The hedges by their last word."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in an answer."""

    value: Fraction
    unit: Unit | None
    """Its unit, where that is a known one."""
    noun: str
    """The words after it up to the next punctuation or function word, folded and singular: its unit or what it counts.
    """
    start: int
    end: int
    ordinal: bool = False
    weak: bool = False
    """Often not a number at all ("one of them", "chapter 3", "in 1823"): may be the answer, never counts against it."""
    bound: str = ""
    """"more than", "at least", "almost": a bound, not the number itself."""

    def equals(self, other: Quantity) -> bool:
        """Same amount: 120 minutes are 2 hours. A missing unit is not a difference, another unit is."""
        if self.unit is None or other.unit is None or self.unit == other.unit:
            return self.value == other.value
        if self.unit.kind != other.unit.kind:
            return False
        return self.value * self.unit.factor == other.value * other.unit.factor


def read_quantities(reading: Reading, skip: set[int] | None = None) -> list[Quantity]:
    """All numbers in reading order; `skip` are tokens that belong to something else (a date, a clock time)."""
    skip = skip or set()
    found: list[Quantity] = []
    at = 0
    while at < len(reading.tokens):
        quantity = None if at in skip else _quantity_at(reading, at)
        if quantity:
            found.append(quantity)
            at = quantity.end
        else:
            at += 1
    return _calculated(reading, _compound(reading, found))


def _quantity_at(reading: Reading, at: int) -> Quantity | None:
    word = reading.word(at)
    if word in {"twice", "thrice"}:
        return Quantity(Fraction(2 if word == "twice" else 3), unit_named("time"), "time", at, at + 1)
    if word == "once":
        return Quantity(Fraction(1), unit_named("time"), "time", at, at + 1, weak=True)
    numeral = numeral_at(reading, at)
    if numeral:
        return _with_unit(reading, numeral)
    if word in {"a", "an"}:  # a year, an hour and a half
        unit, end = _unit_after(reading, at + 1)
        if unit and reading.word(at + 1) != "second" and len(reading.word(at + 1)) > 2:
            value, end = _and_half(reading, Fraction(1), end)
            return Quantity(value, unit, unit.name, at, end, weak=value == 1)
    return None


def _with_unit(reading: Reading, numeral: Numeral) -> Quantity:
    value, end = numeral.value, numeral.end
    if (
        reading.word(numeral.start - 1) == "-"
        and reading.touching(numeral.start)
        and not reading.touching(numeral.start - 1)
    ):
        value = -value
    unit, unit_end = _unit_after(reading, end)
    before = reading.word(numeral.start - 1)
    if before == "." and reading.word(numeral.start - 2) in _CURRENCY:
        before = reading.word(numeral.start - 2)
    if unit is None and before in _CURRENCY:
        unit = unit_named(before)
    elif unit:
        value, unit_end = _and_half(reading, value, unit_end)
        end = unit_end
    elif reading.word(end) in CLASSIFIERS and reading.word(end + 1) == "半":  # 两个半小时
        later, unit_end = _unit_after(reading, end + 2)
        if later:
            unit, value, end = later, value + Fraction(1, 2), unit_end
    if unit is not None and unit.kind in MEASURES["money"] and _POINTED.fullmatch(reading.word(numeral.start)):
        value *= 1000  # 5.750 euros: nobody writes three decimals of money
    noun = unit.name if unit else _noun_after(reading, end)
    return Quantity(
        value,
        unit,
        noun,
        numeral.start,
        end,
        numeral.ordinal,
        _is_weak(reading, numeral, end, unit),
        _bound(reading, numeral, unit, end),
    )


def _and_half(reading: Reading, value: Fraction, end: int) -> tuple[Fraction, int]:
    """An hour and a half, 一年半."""
    if reading.word(end) == "and" and reading.word(end + 1) == "a" and reading.word(end + 2) in {"half", "quarter"}:
        return value + Fraction(1, 2 if reading.word(end + 2) == "half" else 4), end + 3
    if reading.word(end) == "半" and reading.word(end - 1) not in {"点", "时"}:
        return value + Fraction(1, 2), end + 1
    return value, end


def _unit_after(reading: Reading, at: int) -> tuple[Unit | None, int]:
    """The known unit that follows a number, over a hyphen, "of an" or one plain adjective."""
    if reading.word(at) == "-":
        at += 1
    if reading.word(at) == "of" and reading.word(at + 1) in {"a", "an"} and unit_named(reading.word(at + 2)):
        at += 2
    elif reading.word(at) in {"a", "an"} and unit_named(reading.word(at + 1)):
        at += 1  # half an hour
    if reading.word(at) == "per" and reading.word(at + 1) == "cent":
        return unit_named("percent"), at + 2
    if at < len(reading.tokens) and reading.tokens[at].kind == "han":
        following = "".join(reading.word(i) for i in range(at, at + 4))
        for name in HAN_UNITS:
            if following.startswith(name):
                return unit_named(name), at + len(name)
        return None, at
    if reading.word(at) in _BETWEEN and unit_named(reading.word(at + 1)):
        at += 1
    unit = unit_named(reading.word(at)) if reading.word(at) not in _STOPS else None
    return unit, at + 1 if unit else at


def _noun_after(reading: Reading, at: int) -> str:
    """What a number counts, in up to four words."""
    words: list[str] = []
    while at < len(reading.tokens) and len(words) < 4:
        token = reading.tokens[at]
        if token.word == "-" and not words:
            at += 1
            continue
        if token.kind in {"mark", "number"} or token.word in _STOPS:
            break
        words.append(singular(token.word) if token.kind == "word" else token.word)
        at += 1
    return " ".join(words)


def _is_weak(reading: Reading, numeral: Numeral, end: int, unit: Unit | None) -> bool:
    before, after = reading.word(numeral.start - 1), reading.word(end)
    first = reading.word(numeral.start)
    single = numeral.end - numeral.start == 1
    if numeral.ordinal:
        return False
    if single and first == "one":
        return after in _ONE_OF or before in _BEFORE_ONE
    if first == "half":
        return unit is None
    if single and first == "一":
        return True
    if single and reading.tokens[numeral.start].kind == "han":
        plain = end >= len(reading.tokens) or reading.tokens[end].kind == "mark"
        return unit is None and after not in CLASSIFIERS and not plain
    if (unit is None and before in _YEAR_LEADS) or reading.word(numeral.end) == "年":
        whole_year = numeral.digits and numeral.value.denominator == 1 and "," not in first
        if whole_year and 1000 <= numeral.value < 2200:
            return True
    if before in {"of", "the"} and _is_total(reading, numeral.start):
        return True
    label = before if before not in {".", "#"} else reading.word(numeral.start - 2)
    return (
        before == "#"
        or label in _LABELS
        or (numeral.start == 0 and after in {")", "."} and end + 1 < len(reading.tokens))
    )


def _is_total(reading: Reading, at: int) -> bool:
    """The 60 of "41 of the 60 sailors", "41 out of 60"."""
    at -= 1
    if reading.word(at) in {"the", "his", "her", "their"}:
        at -= 1
    if reading.word(at) != "of":
        return False
    at -= 1
    if reading.word(at) == "out":
        at -= 1
    return at >= 0 and (reading.tokens[at].kind == "number" or numeral_at(reading, at) is not None)


def _bound(reading: Reading, numeral: Numeral, unit: Unit | None, end: int) -> str:
    at = numeral.start
    for hedge in _ENDINGS.get(reading.word(at - 1), ()):
        if all(reading.word(at - len(hedge) + i) == word for i, word in enumerate(hedge)):
            return "".join(hedge) if len(hedge[0]) == 1 else " ".join(hedge)
    # "Over 12 days" may mean during them.
    lasting = unit is not None and unit.kind in {"duration", "calendar"} and reading.word(end) != "old"
    if reading.word(at - 1) in {"over", "under", "above", "below"} and not lasting:
        return reading.word(at - 1)
    after = reading.word(numeral.end)
    if after in {"多", "余"} or (after == "几" and reading.word(numeral.end - 1) in "十百千万"):
        return "more than"
    odd = after == "-" and reading.word(numeral.end + 1) == "odd"
    plus = after == "+" and reading.touching(numeral.end) and numeral_at(reading, numeral.end + 1) is None
    return "more than" if odd or plus else ""


def _compound(reading: Reading, found: list[Quantity]) -> list[Quantity]:
    """One hour and thirty minutes is one quantity: same kind, each unit smaller than the one before."""
    joined: list[Quantity] = []
    for quantity in found:
        last = joined[-1] if joined else None
        if last and last.unit and quantity.unit and last.unit.kind == quantity.unit.kind and not last.ordinal:
            between = [reading.word(i) for i in range(last.end, quantity.start)]
            if last.unit.factor > quantity.unit.factor and between in (
                [],
                [","],
                ["and"],
                [",", "and"],
                ["零"],
                ["又"],
            ):
                value = last.value * last.unit.factor / quantity.unit.factor + quantity.value
                joined[-1] = replace(
                    last, value=value, unit=quantity.unit, noun=quantity.noun, end=quantity.end, weak=False
                )
                continue
        joined.append(quantity)
    return joined


def _calculated(reading: Reading, found: list[Quantity]) -> list[Quantity]:
    """Sums and products written out are replaced by their result: 24 + 17 is 41."""
    done: list[Quantity] = []
    for quantity in found:
        last = done[-1] if done else None
        between = [reading.word(i) for i in range(last.end, quantity.start)] if last else []
        spoken = _HAN_SIGNS.get("".join(between))
        sign = between[-1] if between else ""
        if spoken:
            between, sign = [spoken], spoken
        if last and len(between) <= 2 and not (len(between) == 2 and singular(between[0]) != last.noun):
            value = None
            if sign in _PLUS:
                value = last.value + quantity.value
            elif sign in _MINUS or (sign in {"-", "—"} and _is_equation(reading, last.start, quantity.end)):
                value = last.value - quantity.value
            elif sign in _TIMES:
                value = last.value * quantity.value
            if value is not None and (
                last.unit == quantity.unit or not last.unit or not quantity.unit or sign in _TIMES
            ):
                unit = quantity.unit or last.unit
                done[-1] = replace(last, value=value, unit=unit, noun=quantity.noun or last.noun, end=quantity.end)
                continue
        done.append(quantity)
    return done


def _is_equation(reading: Reading, start: int, end: int) -> bool:
    """Whether an equals sign follows or precedes: 1850 - 360 = 1490, 1490 = 1850 - 360."""
    return any(reading.word(i) in {"=", "equals"} for i in (*range(end, end + 3), *range(start - 2, start)))
