"""Answers with known grades for measuring a judge: right in the key's words and in others, and wrong in many ways."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from longreach.core.number_words import ordinal
from longreach.core.question import Key, Question
from longreach.grading.gold import gold_answer, wrong_answer
from longreach.grading.polarity import read_polarity
from longreach.grading.values.clock import read_times
from longreach.grading.values.dates import MONTHS, read_dates
from longreach.grading.values.quantities import read_quantities
from longreach.grading.values.units import unit_named
from longreach.grading.values.words import has_han, read

from .audit_forms import clock_of, date_of, items_of, miscalculated, near_miss, reformatted, wording, worked

__all__ = ["KINDS", "MET", "Kind", "plant_answer", "truth"]

Kind = str
KINDS: tuple[Kind, ...] = (
    "right",
    "paraphrased",
    "worked",
    "reformatted",
    "wrong",
    "half_right",
    "hedged",
    "contradicted",
    "miscalculated",
    "near_miss",
    "refused",
    "empty",
)
"""`worked` shows evidence or working beside the right answer, `miscalculated` beside a wrong one; `reformatted` is
right in another format or short form; `near_miss` is wrong by one detail; `contradicted` is the right answer and then
another one."""
MET: tuple[Kind, ...] = KINDS[:-2]
"""The kinds that a judge sees in practice: refusals and blanks have statuses of their own and never reach it."""
_MINUTES = 60
_WEEK = 7


def truth(kind: Kind) -> float:
    """The grade that an answer of this kind deserves, strictly and without partial credit."""
    return float(kind in KINDS[:4])


def plant_answer(kind: Kind, question: Question, rng: Random) -> str:
    """An answer of a kind to a question. The key decides what is right; the wording differs from the key's, except for
    `right`.
    """
    language = "zh" if has_han(question.text) else "en"
    key = question.key
    if kind == "empty":
        return ""
    if kind == "refused":
        return str(rng.choice(wording("refused")[language]))
    if kind == "right":
        return rng.choice([gold_answer(key), *key.accept])
    if kind == "paraphrased":
        return _paraphrased(key, language, rng)
    if kind == "worked":
        return worked(question, rng)
    if kind == "reformatted":
        return reformatted(question, rng)
    wrong = _invented(question.text, language, rng) if key.kind == "absent" else wrong_answer(key)
    if kind == "wrong":
        return wrong
    if kind == "miscalculated":
        return miscalculated(question, wrong, rng)
    if kind == "near_miss":
        return near_miss(question, wrong, rng)
    if kind == "half_right":
        return _half_right(key, wrong, language, rng)
    right = wording("not_mentioned")[language] if key.kind == "absent" else _bare(gold_answer(key))
    if kind == "hedged":
        pair = [right, wrong]
        rng.shuffle(pair)
        return str(wording("hedged")[language].format(*pair))
    return str(wording("contradicted")[language].format(right, wrong))


def _invented(question: str, language: str, rng: Random) -> str:
    """A plausible answer to a question that the text does not answer."""
    known = wording("invented")[language].items()
    return str(rng.choice(next(words for pattern, words in known if re.search(pattern, question, re.IGNORECASE))))


def _bare(answer: str) -> str:
    return answer.rstrip(".。")


def _paraphrased(key: Key, language: str, rng: Random) -> str:
    write = _IN_OTHER_WORDS.get(key.kind)
    written = write(key, language, rng) if write else None
    return written or _in_other_words("text", language, rng).format(_bare(gold_answer(key)))


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
    if date is None or date.day is None or date.month is None:
        return None
    day, month, year = date.day, date.month, date.year
    if language == "zh":
        return f"那是{f'{year}年' if year else ''}{month}月{day}号的事。"
    name, tail = MONTHS[month - 1], f" {year}" if year else ""
    return rng.choice([f"It was the {ordinal(day)} day of {name}{tail}.", f"That was on {name[:3]} {day}{tail}."])


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
        return (
            f"故事没有全说，只说是{wrong}。"
            if chinese
            else f"The story does not tell all of it, only that it was {wrong}."
        )
    first = gold_answer(key)[0]
    return f"名称里带“{first}”字的那个" if chinese else f"something whose name begins with {first}"
