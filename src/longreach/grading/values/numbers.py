"""Numbers with their units, read from digits, English number words and Chinese numerals."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import add, mul, sub

from longreach.core.files import csv_lines
from longreach.core.language import HAN_DIGITS, ONES, ORDINAL_TENS, ORDINALS, TEENS, TENS, has_han

from .words import Reading, singular, word_set

# Numerals read from tokens: digits, English number words and Chinese numerals.

_TENS = TENS | {"fourty": 40}
_ZEROS = frozenset({"zero", "nought", "naught", "nil"})
_SCALES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_GROUPS = {"dozen": 12, "score": 20}
_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifths": 5, "tenths": 10}
_ARTICLES = frozenset({"a", "an"})
_HAN_DIGITS = {c: n for n, c in enumerate(HAN_DIGITS)} | {"〇": 0, "两": 2, "兩": 2}
_HAN_TENS = {"廿": 20, "卅": 30}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1_000}
_HAN_GROUPS = {"万": 10_000, "萬": 10_000, "亿": 100_000_000}
_HAN_NUMERAL = frozenset(_HAN_DIGITS) | frozenset(_HAN_TENS) | frozenset(_HAN_SCALES) | frozenset(_HAN_GROUPS)
_MAX_DIGITS = 20


@dataclass(frozen=True, slots=True)
class Numeral:
    value: Fraction
    start: int
    end: int
    ordinal: bool = False
    digits: bool = False
    """Written with digits, which decides how to read "4:30" and years."""


def numeral_at(reading: Reading, at: int, *, decimals: bool = True) -> Numeral | None:
    """The longest numeral that begins at a token, or None; without `decimals`, 三点五 is an hour and what follows."""
    if not 0 <= at < len(reading.tokens):
        return None
    known: dict[tuple[int, bool], Numeral | None] = reading.known
    if (at, decimals) not in known:
        known[at, decimals] = _numeral(reading, at, decimals)
    return known[at, decimals]


def _numeral(reading: Reading, at: int, decimals: bool) -> Numeral | None:
    kind = reading.tokens[at].kind
    if kind == "han":
        return _chinese(reading, at, decimals)
    if kind == "number":
        return _digits(reading, at)
    return _english(reading, at) if kind == "word" else None


def _digits(reading: Reading, at: int) -> Numeral | None:
    written = reading.tokens[at].word.replace(",", "")
    if len(written) > _MAX_DIGITS:
        return None
    value = Fraction(written)
    end = at + 1
    if reading.touching(end) and reading.word(end) in {"st", "nd", "rd", "th"}:
        return Numeral(value, at, end + 1, ordinal=True, digits=True)
    share = _share(reading, end)
    if share:
        over, end = share
        return Numeral(value / over, at, end, digits=True)
    if value.denominator == 1 and _is_number(reading, end) and not reading.touching(end):
        whole = _share(reading, end + 1)
        if whole and len(reading.word(end)) < 3:
            return Numeral(value + Fraction(reading.word(end)) / whole[0], at, whole[1], digits=True)
    while True:
        word = reading.word(end)
        factor = _SCALES.get(word) or _GROUPS.get(word) or _HAN_SCALES.get(word) or _HAN_GROUPS.get(word)
        factor = 100 if word == "hundred" else factor
        factor = 1000 if word == "k" and reading.touching(end) else factor
        if not factor:
            break
        value *= factor
        end += 1
    return _with_fraction(reading, Numeral(value, at, end, digits=True))


def _is_number(reading: Reading, at: int) -> bool:
    return at < len(reading.tokens) and reading.tokens[at].kind == "number"


def _share(reading: Reading, at: int) -> tuple[int, int] | None:
    """The denominator of 1/2, written without spaces and not the start of a date like 1/2/1823."""
    if reading.word(at) != "/" or not reading.touching(at) or not reading.touching(at + 1):
        return None
    if not _is_number(reading, at + 1) or not reading.word(at + 1).isdecimal() or reading.word(at + 2) == "/":
        return None
    below = reading.word(at + 1)
    return (int(below), at + 2) if len(below) < 4 and int(below) else None


def _english(reading: Reading, at: int) -> Numeral | None:
    word = reading.word(at)
    if word in _ZEROS:
        return Numeral(Fraction(0), at, at + 1)
    if word in ORDINALS or word in ORDINAL_TENS:
        return Numeral(Fraction(ORDINALS.get(word) or ORDINAL_TENS[word]), at, at + 1, ordinal=True)
    following = reading.word(at + 1)
    if word == "half":
        if following in _ARTICLES and reading.word(at + 2) in _GROUPS:
            return Numeral(Fraction(_GROUPS[reading.word(at + 2)], 2), at, at + 3)
        return Numeral(Fraction(1, 2), at, at + 1)
    if word in _ARTICLES and (following == "hundred" or following in _SCALES or following == "dozen"):
        return _with_fraction(reading, _words(reading, at, at + 1, Fraction(1), "ones"))
    if word in _ARTICLES and following in {"half", "quarter"}:
        return Numeral(Fraction(1, _PARTS[following]), at, at + 2)
    if word == "hundred":
        return _with_fraction(reading, _words(reading, at, at, Fraction(1), "ones"))
    if word in ONES or word in TEENS or word in _TENS:
        numeral = _year(reading, _words(reading, at, at, Fraction(0), ""))
        return numeral if numeral.ordinal else _with_fraction(reading, _parts(reading, numeral))
    return None


def _year(reading: Reading, century: Numeral) -> Numeral:
    """Eighteen thirty-two."""
    after = reading.word(century.end)
    if not (10 < century.value < 21 and century.end == century.start + 1 and (after in TEENS or after in _TENS)):
        return century
    rest = _words(reading, century.end, century.end, Fraction(0), "")
    whole = rest.value < 100 and not rest.ordinal
    return replace(century, value=century.value * 100 + rest.value, end=rest.end) if whole else century


def _parts(reading: Reading, numeral: Numeral) -> Numeral:
    """Three quarters, two-thirds, one third."""
    end = numeral.end + (reading.word(numeral.end) == "-")
    word = reading.word(end)
    if word in _PARTS and (word.endswith("s") or numeral.value == 1) and numeral.value < 10:
        return Numeral(numeral.value / _PARTS[word], numeral.start, end + 1)
    return numeral


def _with_fraction(reading: Reading, numeral: Numeral) -> Numeral:
    """Two and a half, one and three quarters."""
    end = numeral.end
    if reading.word(end) != "and":
        return numeral
    if reading.word(end + 1) in _ARTICLES and reading.word(end + 2) in {"half", "quarter", "third"}:
        share = Fraction(1, _PARTS[reading.word(end + 2)])
    elif reading.word(end + 1) == "three" and reading.word(end + 2) == "quarters":
        share = Fraction(3, 4)
    else:
        return numeral
    return replace(numeral, value=numeral.value + share, end=end + 3, ordinal=False)


@dataclass(frozen=True)
class _NumberWords:
    """Number words of one rank: what they add to the count before them, or by how much they multiply it."""

    values: Mapping[str, int]
    after: frozenset[str]
    """The ranks of the word before; empty where there is none."""
    rank: str
    multiply: bool = False


_UNITS = frozenset({"ones", "teens", "tens"})
_NUMBER_WORDS = (
    _NumberWords(ONES, frozenset({"", "tens", "hundred", "scale"}), "ones"),
    _NumberWords(TEENS, frozenset({"", "hundred", "scale"}), "teens"),
    _NumberWords(_TENS, frozenset({"", "hundred", "scale"}), "tens"),
    _NumberWords({"hundred": 100}, _UNITS, "hundred", multiply=True),
    _NumberWords(_SCALES, _UNITS | {"hundred", "group"}, "scale", multiply=True),
    _NumberWords(_GROUPS, _UNITS, "group", multiply=True),
    _NumberWords(ORDINALS, frozenset({"tens", "hundred", "scale"}), "ordinal"),
    _NumberWords(ORDINAL_TENS, frozenset({"hundred", "scale"}), "ordinal"),
    _NumberWords({"hundredth": 100}, _UNITS, "ordinal", multiply=True),
)


def _words(reading: Reading, start: int, at: int, current: Fraction, last: str) -> Numeral:
    """Number words from `at` on. `last` is the rank of the previous word, which limits what may follow."""
    total = Fraction(0)
    end = at
    while last != "ordinal":
        skip = _joint(reading, end, last)
        word = reading.word(end + skip)
        read_as = next((each for each in _NUMBER_WORDS if word in each.values and last in each.after), None)
        if (
            read_as is None
            or (word == "hundred" and current >= 100)
            or (word in ORDINALS and not _may_end_in(reading, word, last, end, skip))
        ):
            return Numeral(total + current, start, end)
        if read_as.rank == "scale":
            total, current = total + current * read_as.values[word], Fraction(0)
        else:
            value = read_as.values[word]
            current = current * value if read_as.multiply else current + value
        alone, last = not last, read_as.rank
        end += skip + 1
        if alone and last == "ones" and (tens_end := _and_tens(reading, end)):  # four and twenty
            current, last, end = current + _TENS[reading.word(tens_end - 1)], "teens", tens_end
    return Numeral(total + current, start, end, ordinal=True)


def _and_tens(reading: Reading, at: int) -> int | None:
    """The end of "and twenty" or of "-and-twenty", if that is what follows."""
    if reading.word(at) == "and" and reading.word(at + 1) in _TENS:
        return at + 2
    if _hyphen_and(reading, at) and reading.word(at + 3) in _TENS:
        return at + 4
    return None


def _may_end_in(reading: Reading, word: str, last: str, end: int, skip: int) -> bool:
    """Twenty-first, two hundred and third; but "thirty second" without a hyphen is thirty times a second."""
    if last == "tens":
        return ORDINALS[word] < 10 and (word != "second" or (skip == 1 and reading.word(end) == "-"))
    return last in {"hundred", "scale"} and skip == 1 and word != "second"


def _hyphen_and(reading: Reading, at: int) -> bool:
    return [reading.word(at + i) for i in range(3)] == ["-", "and", "-"]


def _joint(reading: Reading, at: int, last: str) -> int:
    """1 where the next token only joins number words: the hyphen of forty-one, the "and" of two hundred and six."""
    word = reading.word(at)
    if word == "-" and last:
        return 3 if last in {"hundred", "scale"} and _hyphen_and(reading, at) else 1
    if word == "," and last == "scale":  # one thousand, four hundred and ninety
        then = at + 1 + (reading.word(at + 1) == "and")
        hundreds = reading.word(then) in ONES and reading.word(then + 1) == "hundred"
        small = then > at + 1 and (reading.word(then) in TEENS or reading.word(then) in _TENS)
        return then - at if hundreds or small else 0
    if word == "and" and last in {"hundred", "scale"}:
        following = reading.word(at + 1)
        small = following in ONES or following in TEENS or following in _TENS
        return 1 if small or following in ORDINALS else 0
    return 0


def _chinese(reading: Reading, at: int, with_decimals: bool) -> Numeral | None:
    if reading.word(at) == "半":
        return Numeral(Fraction(1, 2), at, at + 1)
    ordinal = reading.word(at) == "第"
    begin = at + ordinal
    if ordinal and _is_number(reading, begin):
        number = _digits(reading, begin)
        return Numeral(number.value, at, number.end, ordinal=True, digits=True) if number else None
    end = begin
    while reading.word(end) in _HAN_NUMERAL and end - begin < _MAX_DIGITS:
        if reading.word(end) in {"两", "兩"} and end > begin and reading.word(end + 1) not in _HAN_SCALES:
            break  # 五两 is five taels, 一万两千 is twelve thousand
        end += 1
    if end == begin:
        return None
    written = "".join(reading.word(i) for i in range(begin, end))
    if written in {"千万", "万一"}:
        return None
    if all(c in _HAN_DIGITS for c in written):
        if len(written) == 2 and _HAN_DIGITS[written[1]] == _HAN_DIGITS[written[0]] + 1:
            return Numeral(Fraction(_HAN_DIGITS[written[0]]), at, begin + 1, ordinal)  # 三四个: three or four
        value = Fraction(int("".join(str(_HAN_DIGITS[c]) for c in written)))
    else:
        value = Fraction(_by_scale(written))
    decimals = _chinese_decimals(reading, end) if with_decimals else None
    if decimals:
        return Numeral(value + decimals[0], at, decimals[1], ordinal)
    return Numeral(value, at, end, ordinal)


def _by_scale(written: str) -> int:
    """Chinese numerals with 十百千万亿; 一百五 is 150, as in speech."""
    total = section = digit = 0
    scale = 0
    pending = False
    for c in written:
        if c in _HAN_DIGITS:
            digit = _HAN_DIGITS[c]
            pending = digit > 0
            scale = 0 if c in "零〇" else scale
        elif c in _HAN_TENS:
            section += _HAN_TENS[c]
            scale = 10
        elif c in _HAN_SCALES:
            scale = _HAN_SCALES[c]
            section += (digit if pending else 1) * scale
            digit, pending = 0, False
        else:
            group = _HAN_GROUPS[c]
            total = (total + section + digit) * group if group > 10_000 else total + (section + digit) * group
            section, digit, pending, scale = 0, 0, False, group
    if pending and scale >= 100:
        digit *= scale // 10
    return total + section + digit


def _chinese_decimals(reading: Reading, at: int) -> tuple[Fraction, int] | None:
    """The 点五 of 三点五; a clock time (三点五分, 三点十五) is not one."""
    if reading.word(at) != "点":
        return None
    end = at + 1
    while reading.word(end) in _HAN_DIGITS and end - at <= _MAX_DIGITS:
        end += 1
    if end == at + 1 or reading.word(end) in {"分", "刻", "半", "十"}:
        return None
    digits = "".join(str(_HAN_DIGITS[reading.word(i)]) for i in range(at + 1, end))
    return Fraction(int(digits), 10 ** len(digits)), end


# Units: one name for all spellings of each, and exact factors between those of one kind.


@dataclass(frozen=True, slots=True)
class MeasureUnit:
    """A unit. Two quantities can be equal across units only where the factor is exact and timeless."""

    name: str
    kind: str
    """What it measures; quantities of different kinds are never equal."""
    factor: Fraction
    """In the kind's smallest unit."""


_TABLE = csv_lines("longreach.grading.values", "units.csv")
_BY_NAME = {
    alias: MeasureUnit(row["name"], row["kind"], Fraction(row["factor"]))
    for row in _TABLE
    for alias in (row["name"], *row["aliases"].split())
}
_MONEY = frozenset(row["kind"] for row in _TABLE if row["measures"] == "money")
HAN_UNITS = tuple(sorted((name for name in _BY_NAME if has_han(name[0])), key=len, reverse=True))

CLASSIFIERS = frozenset("个名位只匹头条张把本件座间口家艘辆棵朵封枚颗桶瓶箱袋袭层扇盏支枝根双对群队人级幅")
"""Chinese measure words without information for a reader."""


def unit_named(word: str) -> MeasureUnit | None:
    word = word.casefold().strip(". ")
    return _BY_NAME.get(word) or _BY_NAME.get(singular(word))


# Numbers with their units, as an answer states them.

_CURRENCY = frozenset("$£€¥") | word_set("eur usd gbp cny rmb f ff fr frs")
_POINTED = re.compile(r"\d{1,3}\.\d{3}")
_SIGNS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    **dict.fromkeys(("+", "plus"), add), **dict.fromkeys(("minus", "−"), sub),
    **dict.fromkeys(("×", "*", "times", "x"), mul),
}  # fmt: skip
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


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in an answer."""

    value: Fraction
    unit: MeasureUnit | None
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


def read_quantities(reading: Reading, skip: Collection[int] = ()) -> list[Quantity]:
    """All numbers in reading order; `skip` are tokens that belong to something else (a date, a clock time)."""
    found = reading.every(("numbers", *sorted(skip)), lambda at: None if at in skip else _quantity_at(reading, at))
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
    before, at = reading.word(numeral.start - 1), numeral.start
    if before == "-" and reading.touching(at) and not reading.touching(at - 1):
        value = -value
    unit, unit_end = _unit_after(reading, end)
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
    if unit is not None and unit.kind in _MONEY and _POINTED.fullmatch(reading.word(numeral.start)):
        value *= 1000  # 5.750 euros: nobody writes three decimals of money
    noun = unit.name if unit else _noun_after(reading, end)
    weak, bound = _is_weak(reading, numeral, end, unit), _bound(reading, numeral, unit, end)
    return Quantity(value, unit, noun, at, end, numeral.ordinal, weak, bound)


def _and_half(reading: Reading, value: Fraction, end: int) -> tuple[Fraction, int]:
    """An hour and a half, 一年半."""
    if reading.word(end) == "and" and reading.word(end + 1) == "a" and reading.word(end + 2) in {"half", "quarter"}:
        return value + Fraction(1, 2 if reading.word(end + 2) == "half" else 4), end + 3
    if reading.word(end) == "半" and reading.word(end - 1) not in {"点", "时"}:
        return value + Fraction(1, 2), end + 1
    return value, end


def _unit_after(reading: Reading, at: int) -> tuple[MeasureUnit | None, int]:
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


def _is_weak(reading: Reading, numeral: Numeral, end: int, unit: MeasureUnit | None) -> bool:
    before, after = reading.word(numeral.start - 1), reading.word(end)
    first = reading.word(numeral.start)
    single = numeral.end - numeral.start == 1
    if numeral.ordinal:
        return False
    if single and first == "one":
        return after in _ONE_OF or before in _BEFORE_ONE
    if numeral.value == Fraction(1, 2):
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
    label = before if before not in {".", "#"} else reading.word(numeral.start - 2)
    return (
        before == "#"
        or label in _LABELS
        or (numeral.start == 0 and after in {")", "."} and end + 1 < len(reading.tokens))
    )


def _bound(reading: Reading, numeral: Numeral, unit: MeasureUnit | None, end: int) -> str:
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
            between = " ".join(reading.word(i) for i in range(last.end, quantity.start))
            if last.unit.factor > quantity.unit.factor and between in ("", ",", "and", ", and", "零", "又"):
                value = last.value * last.unit.factor / quantity.unit.factor + quantity.value
                joined[-1] = replace(
                    quantity, value=value, start=last.start, ordinal=False, weak=False, bound=last.bound
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
            way = _SIGNS.get(sign)
            same = last.unit == quantity.unit or not last.unit or not quantity.unit or way is mul
            if way is not None and same:
                unit, value = quantity.unit or last.unit, way(last.value, quantity.value)
                done[-1] = replace(last, value=value, unit=unit, noun=quantity.noun or last.noun, end=quantity.end)
                continue
        done.append(quantity)
    return done
