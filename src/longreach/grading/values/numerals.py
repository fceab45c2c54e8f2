"""Numerals read from tokens: digits, English number words and Chinese numerals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from longreach.core.number_words import HAN_DIGITS, ONES, ORDINAL_TENS, ORDINALS, TEENS, TENS

from .words import Reading

__all__ = ["Numeral", "numeral_at"]

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
    """A numeral and its position."""

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
    known: dict[tuple[int, bool], Numeral | None] = reading.numerals
    if (at, decimals) not in known:
        known[at, decimals] = _numeral_at(reading, at, decimals)
    return known[at, decimals]


def _numeral_at(reading: Reading, at: int, decimals: bool) -> Numeral | None:
    token = reading.tokens[at]
    if token.kind == "number":
        return _digits(reading, at)
    if token.kind == "han":
        return _chinese(reading, at, decimals)
    if token.kind == "word":
        return _english(reading, at)
    return None


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
        if factor in _HAN_SCALES.values() or factor in _HAN_GROUPS.values():
            rest = _digits_after_scale(reading, end, factor)
            if rest:
                return Numeral(value + rest.value, at, rest.end, digits=True)
    return _with_fraction(reading, Numeral(value, at, end, digits=True))


def _digits_after_scale(reading: Reading, at: int, scale: int) -> Numeral | None:
    """The continuation of 3万 in 3万5千: only digits with a smaller scale of their own."""
    if not _is_number(reading, at) or not reading.touching(at) or reading.word(at + 1) not in _HAN_SCALES:
        return None
    rest = _digits(reading, at)
    return rest if rest and rest.value < scale else None


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
    if word == "half":
        return _half(reading, at)
    if word in _ARTICLES:
        return _after_article(reading, at)
    if word == "hundred":
        return _with_fraction(reading, _words(reading, at, at, Fraction(1), "ones"))
    if word in ONES or word in TEENS or word in _TENS:
        numeral = _words(reading, at, at, Fraction(0), "")
        return numeral if numeral.ordinal else _with_fraction(reading, _parts(reading, numeral))
    return None


def _half(reading: Reading, at: int) -> Numeral:
    if reading.word(at + 1) in _ARTICLES and reading.word(at + 2) in _GROUPS:
        return Numeral(Fraction(_GROUPS[reading.word(at + 2)], 2), at, at + 3)
    return Numeral(Fraction(1, 2), at, at + 1)


def _after_article(reading: Reading, at: int) -> Numeral | None:
    word = reading.word(at + 1)
    if word == "hundred" or word in _SCALES or (word in _GROUPS and word != "score"):
        return _with_fraction(reading, _words(reading, at, at + 1, Fraction(1), "ones"))
    if word in {"half", "quarter"}:
        return Numeral(Fraction(1, _PARTS[word]), at, at + 2)
    return None


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
        return Numeral(numeral.value + share, numeral.start, end + 3, digits=numeral.digits)
    if reading.word(end + 1) == "three" and reading.word(end + 2) == "quarters":
        return Numeral(numeral.value + Fraction(3, 4), numeral.start, end + 3, digits=numeral.digits)
    return numeral


def _words(reading: Reading, start: int, at: int, current: Fraction, last: str) -> Numeral:
    """Number words from `at` on. `last` is the rank of the previous word, which limits what may follow."""
    total = Fraction(0)
    ordinal = False
    end = at
    while True:
        skip = _joint(reading, end, last)
        word = reading.word(end + skip)
        if word in ONES and last in {"", "tens", "hundred", "scale"}:
            current, rank = current + ONES[word], "ones"
            twenty = reading.word(end + skip + 2)
            if last == "" and reading.word(end + skip + 1) == "and" and twenty in _TENS:
                skip, current, rank = skip + 2, current + _TENS[twenty], "teens"  # four and twenty
            elif last == "" and _hyphen_and(reading, end + skip + 1) and reading.word(end + skip + 4) in _TENS:
                skip, current, rank = skip + 4, current + _TENS[reading.word(end + skip + 4)], "teens"
        elif word in TEENS and last in {"", "hundred", "scale"}:
            current, rank = current + TEENS[word], "teens"
        elif word in _TENS and last in {"", "hundred", "scale"}:
            current, rank = current + _TENS[word], "tens"
        elif word == "hundred" and last in {"ones", "teens", "tens"} and current < 100:
            current, rank = current * 100, "hundred"
        elif word in _SCALES and last not in {"", "scale"}:
            total, current, rank = total + current * _SCALES[word], Fraction(0), "scale"
        elif word in _GROUPS and last in {"ones", "teens", "tens"}:
            current, rank = current * _GROUPS[word], "group"
        elif word in ORDINALS and _may_end_in(reading, word, last, end, skip):
            current, rank, ordinal = current + ORDINALS[word], "ordinal", True
        elif word in ORDINAL_TENS and last in {"hundred", "scale"}:
            current, rank, ordinal = current + ORDINAL_TENS[word], "ordinal", True
        elif word == "hundredth" and last in {"ones", "teens", "tens"}:
            current, rank, ordinal = current * 100, "ordinal", True
        else:
            return Numeral(total + current, start, end, ordinal)
        end, last = end + skip + 1, rank
        if ordinal:
            return Numeral(total + current, start, end, ordinal)


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
