"""Measures a judge on answers with known grades, and corrects shares for its errors."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from random import Random
from string import Formatter
from typing import Any

from longreach.core.files import yaml_table
from longreach.core.language import chinese_number, english_number, has_han, ordinal, ordinal_word
from longreach.core.types import Estimate, Key, Question
from longreach.grading.match import gold_answer, wrong_answer
from longreach.grading.values.key_match import has_order, read_polarity
from longreach.grading.values.numbers import numeral_at, read_quantities, unit_named
from longreach.grading.values.times import MONTHS, CalendarDate, ClockTime, read_dates, read_times
from longreach.grading.values.words import list_parts, read

# A share corrected for judge errors: the share that an error-free judge would have found.

_Z = 1.959963984540054  # two-sided 95 %


def corrected_share(observed: Estimate, sensitivity: Estimate, specificity: Estimate) -> Estimate | None:
    """The share of right answers behind an observed share; None where the judge is no better than a coin.

    `observed` may have a wider interval than its n alone would give (answers about one context are correlated): the
    wider of the two counts."""
    power = sensitivity.value + specificity.value - 1
    se, from_se = _softened(sensitivity)
    sp, from_sp = _softened(specificity)
    if power <= 0 or se + sp <= 1:
        return None
    value = min(1.0, max(0.0, (observed.value + specificity.value - 1) / power))
    n = observed.n + _Z * _Z
    seen = (observed.n * observed.value + _Z * _Z / 2) / n
    true = min(1.0, max(0.0, (seen + sp - 1) / (se + sp - 1)))
    from_seen = max(seen * (1 - seen) / n, ((observed.high - observed.low) / (2 * _Z)) ** 2)
    half = _Z * math.sqrt(from_seen + true**2 * from_se + (1 - true) ** 2 * from_sp) / (se + sp - 1)
    centre = true + 2 * _Z * _Z * (true * from_se - (1 - true) * from_sp)
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    return Estimate(value=value, low=min(low, value), high=max(high, value), n=observed.n)


def _softened(rate: Estimate) -> tuple[float, float]:
    """A rate with one success and one failure added, so that 20 of 20 is not certain; and its variance."""
    n = rate.n + 2
    share = (rate.n * rate.value + 1) / n
    return share, share * (1 - share) / n


def combined_share(first: Estimate | None, second: Estimate | None) -> Estimate | None:
    """The share over two groups of answers, each with its own estimate. Both are over the same contexts, so their
    errors add up."""
    if first is None or second is None:
        return first or second
    n = first.n + second.n
    weights = (first.n / n, second.n / n)
    value = weights[0] * first.value + weights[1] * second.value
    below = weights[0] * (first.value - first.low) + weights[1] * (second.value - second.low)
    above = weights[0] * (first.high - first.value) + weights[1] * (second.high - second.value)
    return Estimate(value=value, low=max(0.0, value - below), high=min(1.0, value + above), n=n)


# Audit answers in forms that are hard to grade: with working shown, in other formats, and wrong by one detail only.

_NAME = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)+")
_CURRENCIES = {"euro": "EUR {}", "dollar": "${}", "pound": "£{}", "franc": "{} Fr"}
_OTHER_ADJECTIVES = {"en": ("copper", "striped", "narrow", "square"), "zh": ("铁皮", "条纹", "方形", "竹编")}
_OTHER_TRADES = {"en": ("basket", "saddle"), "zh": ("竹器", "园艺")}
_LEAST_YEAR, _MOST_YEAR = 1_000, 2_100
_LAST_SAFE_DAY = 28
_parse = Formatter().parse


def wording(kind: str) -> dict[str, Any]:
    table: dict[str, Any] = yaml_table("longreach.grading.judge", "audit.yaml")[kind]
    return table


def worked(question: Question, rng: Random) -> str:
    """The right answer with evidence or working: in brackets, after "since", in an equation."""
    other = _other_name(question, rng)
    shape, fields = _working(question, rng, most=40)
    return rng.choice(_forms("worked", shape, question, other=other, **fields))


def miscalculated(question: Question, wrong: str, rng: Random) -> str:
    """A wrong answer that has the right one in its working."""
    shape, fields = _working(question, rng, most=9)
    bare = {"bare_right": _bare(question.key).removeprefix("the "), "lower_wrong": wrong.lower()}
    return rng.choice(_forms("miscalculated", shape, question, wrong=wrong, **bare, **fields))


def reformatted(question: Question, rng: Random) -> str:
    """The right answer in another format: grouped digits, words, 24 hours, ordinals, short forms, numbered lists."""
    shape, fields = _formats(question)
    forms = _forms("reformatted", shape, question, **fields)
    for short in question.key.accept if shape == "text" else ():
        english = short if short[:1].isupper() else f"The {short}."
        said = f"是{short}" if has_han(question.text) else english
        forms += [short, said]
    return rng.choice(forms)


def near_miss(question: Question, wrong: str, rng: Random) -> str:
    """Wrong by one detail: the other half of the day, a digit, the order, an adjective, the surname."""
    shape, fields = _formats(question)
    if shape == "text":
        return rng.choice(list(_near_texts(question.key, wrong, "zh" if has_han(question.text) else "en")))
    if shape == "list" and not has_order(question.key, question.text):
        fields["turned"] = wrong
    return rng.choice(_forms("near_miss", shape, question, wrong=wrong, **fields))


def clock_of(key: Key) -> ClockTime | None:
    times = [time for form in (key.answer, *key.accept) for time in read_times(read(form))]
    if len(read_times(read(key.answer))) != 1:
        return None
    return next((time for time in times if time.half), times[0])


def date_of(key: Key) -> CalendarDate | None:
    found = read_dates(read(key.answer))
    return found[0] if len(found) == 1 and found[0].day and found[0].month else None


def items_of(key: Key) -> list[str]:
    reading = read(key.answer)
    return [reading.shown(start, end) for start, end in list_parts(reading)]


def _amount(key: Key) -> tuple[int, str] | None:
    """A key's whole number and the text after it."""
    reading = read(key.answer)
    numeral = numeral_at(reading, 0) if reading.tokens else None
    if numeral is None or numeral.value.denominator != 1:
        return None
    return int(numeral.value), reading.text[reading.tokens[numeral.end - 1].end :]


def _is_year(value: int, rest: str) -> bool:
    return _LEAST_YEAR <= value <= _MOST_YEAR and rest in {"", "年"}


def _bare(key: Key) -> str:
    return gold_answer(key).rstrip(".。")


def _other_name(question: Question, rng: Random) -> str:
    """A name that is not the answer: from the question or its context."""
    names = [*_NAME.findall(question.text), *question.key.rivals]
    names = [name for name in names if name not in question.key.answer and question.key.answer not in name]
    if names:
        return str(rng.choice(names))
    return "顾先生" if has_han(question.text) else "Edwin Tarrow"


def _hour(clock: ClockTime, later: int = 0) -> str:
    return f"{(clock.hour + later - 1) % 12 + 1}:{clock.minute:02d}"


def _day(date: CalendarDate, days: int, chinese: bool) -> str:
    day, month = (date.day or 1) + days, date.month or 1
    return f"{month}月{day}日" if chinese else f"the {ordinal(day)} of {MONTHS[month - 1]}"


def _step(date: CalendarDate, rng: Random) -> int:
    """Days to another date of the same month."""
    day = date.day or 1
    return -rng.randint(1, day - 1) if day > _LAST_SAFE_DAY // 2 else rng.randint(1, _LAST_SAFE_DAY - day)


def _working(question: Question, rng: Random, *, most: int) -> tuple[str, dict[str, Any]]:
    """What kind of working fits a question, and what it is made of. A part of a number is at most `most`."""
    key, chinese = question.key, has_han(question.text)
    if key.kind == "number" and (amount := _amount(key)):
        value, rest = amount
        year = _is_year(value, rest)
        part = rng.randint(2, min(most, 9) if year else most)
        fields = {"value": value, "rest": rest, "part": part, "total": value + part, "before": value - part}
        return ("year" if year else "number"), fields
    if key.kind == "time" and (clock := clock_of(key)):
        hours = rng.randint(1, 4)
        return "time", {"hours": hours, "earlier": _hour(clock, -hours), "later": _hour(clock, hours)}
    if key.kind == "date" and (date := date_of(key)):
        days = _step(date, rng)
        before, after = ("之前", "之后") if chinese else ("before", "after")
        back, ahead = (before, after) if days > 0 else (after, before)
        return "date", {"days": abs(days), "day": _day(date, days, chinese), "back": back, "ahead": ahead}
    if key.kind == "list" and len(items := items_of(key)) > 1:
        return "list", {"first": items[0], "last": items[-1]}
    return (key.kind if key.kind in ("yesno", "absent") else "text"), {}


def _forms(kind: str, shape: str, question: Question, **fields: Any) -> list[str]:
    table = wording(kind)
    forms = (table.get(shape) or table["text"])["zh" if has_han(question.text) else "en"]
    known = {name: value for name, value in fields.items() if value is not None} | {"right": _bare(question.key)}
    return [form.format(**known) for form in forms if {name for _, name, _, _ in _parse(form) if name} <= known.keys()]


def _formats(question: Question) -> tuple[str, dict[str, Any]]:
    """What kind of answer a key has, and what its other formats are made of; None for what does not apply."""
    key, chinese = question.key, has_han(question.text)
    spell = chinese_number if chinese else english_number
    if key.kind == "number" and (amount := _amount(key)):
        value, rest = amount
        words, large = "两" if chinese and value == 2 and rest else spell(value), value >= _LEAST_YEAR
        return "year" if _is_year(value, rest) else "number", {
            "value": value,
            "rest": rest,
            "grouped": f"{value:,}" if large else None,
            "spaced": f"{value:,}".replace(",", " ") if large else None,
            "words": re.sub(r"thousand (?!and)", "thousand, ", words) if large else words,
            "currency": _CURRENCIES[key.unit].format(value) if key.unit in _CURRENCIES else None,
            "next": value + 1,
            "ten_more": spell(value + 10),
            "tenfold": f"{value * 10:,}",
        }
    if key.kind == "time" and (clock := clock_of(key)):
        hour, minute, half = (clock.hour - 1) % 12 + 1, clock.minute, clock.half
        halves = {"am": ("AM", "pm"), "pm": ("PM", "am")}
        halves = {"am": ("上午", "下午"), "pm": ("下午", "凌晨")} if chinese else halves
        own, other = halves.get(half, (None, None))
        return "time", {
            "hour": hour,
            "minute": minute,
            "half": own,
            "other_half": other,
            "day_hour": clock.hour + 12 * (half == "pm") if half else None,
            "afternoon": clock.hour + 12 if half == "am" else None,
            "hour_later": None if half else _hour(clock, 1),
            "hour_words": spell(hour),
            "minute_words": spell(minute) if minute else None,
            "sharp": None if minute else "",
            "past": None if not minute else "",
        }
    if key.kind == "date" and (date := date_of(key)):
        day, month = date.day or 1, date.month or 1
        return "date", {
            "day": day,
            "day_words": chinese_number(day) if chinese else ordinal_word(day),
            "month": chinese_number(month) if chinese else MONTHS[month - 1],
            "month_short": month if chinese else MONTHS[month - 1][:3],
            "near_day": _day(date, 1 if day < _LAST_SAFE_DAY else -1, chinese),
            "next_month": month % 12 + 1 if chinese else MONTHS[month % 12],
        }
    if key.kind == "list" and len(items := items_of(key)) > 1:
        return "list", {
            "numbered": " ".join(f"{number}. {item}" for number, item in enumerate(items, 1)),
            "arrows": " → ".join(items),
            "then": ("，其次是" if chinese else "; then ").join(items),
            "turned": ("、" if chinese else ", ").join([items[-1], *items[1:-1], items[0]]),
        }
    if key.kind == "yesno":
        return "yes" if read_polarity(read(key.answer)) else "no", {}
    return "absent" if key.kind == "absent" else "text", {}


def _near_texts(key: Key, wrong: str, language: str) -> Iterator[str]:
    """Another adjective before the same noun, another surname after the same first name; else a wrong answer."""
    right, joint = key.answer, "" if language == "zh" else " "
    words = right.split()
    surnames = [rival for rival in key.rivals if " " not in rival and rival[:1].isupper()]
    short = next((form for form in key.accept if right.endswith(form) and form != right), "")
    if language == "en" and _NAME.fullmatch(right) and surnames:
        yield from (f"{words[0]} {surname}" for surname in surnames)
    elif short and not _NAME.fullmatch(right):
        yield from (f"{other}{joint}{short}" for other in _OTHER_ADJECTIVES[language] if other not in right)
    elif key.rivals:
        yield from key.rivals
    elif language == "en" and len(words) == 2 and right.islower():
        yield from (f"{other} {words[1]}" for other in _OTHER_TRADES["en"] if other != words[0])
    elif language == "zh" and len(right) == 4:
        yield from (f"{other}{right[2:]}" for other in _OTHER_TRADES["zh"] if other != right[:2])
    else:
        yield wrong


# Answers with known grades for measuring a judge: right in the key's words and in others, and wrong in many ways.

KINDS = (
    *("right", "paraphrased", "worked", "reformatted"),
    *("wrong", "half_right", "hedged", "contradicted", "miscalculated", "near_miss", "refused", "empty"),
)
"""`worked` shows evidence or working beside the right answer, `miscalculated` beside a wrong one; `reformatted` is
right in another format or short form; `near_miss` is wrong by one detail; `contradicted` is the right answer and then
another one."""
MET = KINDS[:-2]
"""The kinds that a judge sees in practice: refusals and blanks have statuses of their own and never reach it."""
_MINUTES = 60
_WEEK = 7


def truth(kind: str) -> float:
    """The grade that an answer of this kind deserves, strictly and without partial credit."""
    return float(kind in KINDS[:4])


def plant_answer(kind: str, question: Question, rng: Random) -> str:
    """An answer of a kind to a question. The key decides what is right; the wording differs from the key's, except for
    `right`."""
    language = "zh" if has_han(question.text) else "en"
    if kind in _WITHOUT_A_WRONG_ONE:
        return _WITHOUT_A_WRONG_ONE[kind](question, language, rng)
    if question.key.kind == "absent":
        invented = wording("invented")[language].items()
        words = next(own for pattern, own in invented if re.search(pattern, question.text, re.IGNORECASE))
        wrong = str(rng.choice(words))
    else:
        wrong = wrong_answer(question.key)
    return _WITH_A_WRONG_ONE[kind](question, wrong, language, rng)


def _paraphrased(question: Question, language: str, rng: Random) -> str:
    written = _IN_OTHER_WORDS[question.key.kind](question.key, language, rng)
    return written or _in_other_words("text", language, rng).format(_bare(question.key))


def _right_words(question: Question, language: str) -> str:
    return str(wording("not_mentioned")[language]) if question.key.kind == "absent" else _bare(question.key)


def _hedged(question: Question, wrong: str, language: str, rng: Random) -> str:
    pair = [_right_words(question, language), wrong]
    rng.shuffle(pair)
    return str(wording("hedged")[language].format(*pair))


def _contradicted(question: Question, wrong: str, language: str, _: Random) -> str:
    return str(wording("contradicted")[language].format(_right_words(question, language), wrong))


_WITHOUT_A_WRONG_ONE: dict[str, Callable[[Question, str, Random], str]] = {
    "empty": lambda _question, _language, _rng: "",
    "refused": lambda _question, language, rng: str(rng.choice(wording("refused")[language])),
    "right": lambda question, _language, rng: rng.choice([gold_answer(question.key), *question.key.accept]),
    "paraphrased": _paraphrased,
    "worked": lambda question, _language, rng: worked(question, rng),
    "reformatted": lambda question, _language, rng: reformatted(question, rng),
}
_WITH_A_WRONG_ONE: dict[str, Callable[[Question, str, str, Random], str]] = {
    "wrong": lambda _question, wrong, _language, _rng: wrong,
    "miscalculated": lambda question, wrong, _language, rng: miscalculated(question, wrong, rng),
    "near_miss": lambda question, wrong, _language, rng: near_miss(question, wrong, rng),
    "half_right": lambda question, wrong, language, rng: _half_right(question.key, wrong, language, rng),
    "hedged": _hedged,
    "contradicted": _contradicted,
}


def _in_other_words(kind: str, language: str, rng: Random) -> str:
    return str(rng.choice(wording("paraphrased")[kind][language]))


def _number(key: Key, language: str, rng: Random) -> str | None:
    """In another unit where that is exact, else in another spelling inside a sentence."""
    found = read_quantities(read(key.answer))
    if len(found) != 1:
        return None
    unit = found[0].unit or unit_named(key.unit)
    amount = found[0].value
    if unit is not None and unit.name == "hour" and rng.random() < 0.5:
        shown = f"{amount * _MINUTES} {'分钟' if language == 'zh' else 'minutes'}"
    elif unit is not None and unit.name == "day" and amount % _WEEK == 0:
        shown = f"{amount / _WEEK}{'个星期' if language == 'zh' else ' weeks'}"
    else:
        shown = rng.choice([key.answer, *key.accept])
    return _in_other_words("number", language, rng).format(shown)


def _time(key: Key, language: str, rng: Random) -> str | None:
    clock = clock_of(key)
    if clock is None:
        return None
    hour, minute, half = clock.hour or 12, clock.minute, clock.half
    if language == "zh":
        day = {"am": "上午", "pm": "下午", "": ""}[half]
        return f"{day}，钟上指着{hour}时{minute:02d}分。" if minute else f"{day}的{hour}时整。"
    later = " in the afternoon" if hour % 12 < 6 else " in the evening"
    part = {"am": " in the morning", "pm": later, "": ""}[half]
    if not minute:
        return rng.choice([f"On the stroke of {hour} o'clock.", f"The clock stood at {hour}:00{part}."])
    if minute > 30:
        return f"It wanted {_MINUTES - minute} minutes to {hour % 12 + 1} o'clock."
    return rng.choice(
        [f"It was {minute} minutes past {hour} o'clock.", f"The clock stood at {hour}:{minute:02d}{part}."]
    )


def _date(key: Key, language: str, rng: Random) -> str | None:
    date = date_of(key)
    if date is None:
        return None
    day, month, year = date.day, date.month or 1, date.year
    if language == "zh":
        return f"那是{f'{year}年' if year else ''}{month}月{day}号的事。"
    name, tail = MONTHS[month - 1], f" {year}" if year else ""
    return rng.choice([f"It was the {ordinal(day or 1)} day of {name}{tail}.", f"That was on {name[:3]} {day}{tail}."])


def _list(key: Key, language: str, _: Random) -> str | None:
    items = items_of(key)
    if len(items) < 2:
        return None
    if language == "zh":
        return f"先是{items[0]}，" + "".join(f"然后是{item}，" for item in items[1:-1]) + f"最后是{items[-1]}。"
    return f"First {items[0]}, " + "".join(f"then {item}, " for item in items[1:-1]) + f"and last {items[-1]}."


def _yesno(key: Key, language: str, rng: Random) -> str | None:
    affirmative = read_polarity(read(key.answer))
    if affirmative is None:
        return None
    return _in_other_words("yes" if affirmative else "no", language, rng)


def _text(key: Key, language: str, rng: Random) -> str | None:
    """A name of two words in reverse order, as in a register; else None, for a sentence."""
    words = key.answer.split()
    if language == "en" and len(words) == 2 and all(word[:1].isupper() for word in words) and rng.random() < 0.5:
        return f"{words[1]}, {words[0]} by first name"
    return None


_IN_OTHER_WORDS: dict[str, Callable[[Key, str, Random], str | None]] = {
    "text": _text,
    "number": _number,
    "time": _time,
    "date": _date,
    "list": _list,
    "yesno": _yesno,
    "absent": lambda _, language, rng: _in_other_words("absent", language, rng),
}


def _half_right(key: Key, wrong: str, language: str, rng: Random) -> str:
    """A part of the right answer: one item missing, the right number of another thing, the month without the day."""
    chinese = language == "zh"
    if key.kind == "list" and len(items := items_of(key)) > 1:
        return ("、" if chinese else ", ").join(items[:-1])
    if key.kind == "number" and len(found := read_quantities(read(key.answer))) == 1:
        value = int(found[0].value)
        if other := wording("other_units").get(key.unit):
            return f"{value}{other}" if chinese else f"{value} {other}"
        low, high = max(0, value - rng.randint(2, 4)), value + rng.randint(2, 4)
        return f"{low}到{high}之间" if chinese else f"somewhere between {low} and {high}"
    if key.kind == "time" and len(times := read_times(read(key.answer))) == 1:
        low, high = times[0].hour - (times[0].minute == 0), times[0].hour + 1
        low, high = (low - 1) % 12 + 1, (high - 1) % 12 + 1
        return f"{low}点到{high}点之间的什么时候" if chinese else f"at some time between {low} and {high} o'clock"
    if key.kind == "date" and len(dates := read_dates(read(key.answer))) == 1 and dates[0].month is not None:
        return f"在{dates[0].month}月里" if chinese else f"in {MONTHS[dates[0].month - 1]}"
    if key.kind == "yesno":
        return "一半是，一半不是。" if chinese else "In part yes and in part no."
    if key.kind == "absent":
        told = f"The text does not tell all of it, only that it was {wrong}."
        return f"文中没有全说，只说是{wrong}。" if chinese else told
    first = gold_answer(key)[0]
    return f"名称里带“{first}”字的那个" if chinese else f"something whose name begins with {first}"
