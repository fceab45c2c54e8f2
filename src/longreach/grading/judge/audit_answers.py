"""Answers with known grades for measuring a judge: right in the key's words and in others, and wrong in many ways."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from longreach.core.number_words import ordinal
from longreach.core.question import Key, Question
from longreach.grading.gold import MONTHS, gold_answer, wrong_answer
from longreach.grading.values.readers import (
    read,
    read_dates,
    read_polarity,
    read_quantities,
    read_times,
    unit_named,
)
from longreach.grading.values.words import has_han

from .audit_forms import clock_of, date_of, items_of, miscalculated, near_miss, reformatted, worked

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

_REFUSALS = {
    "en": ("I'm sorry, but I can't help with that.", "I must decline to answer this.", "I am not able to assist here."),
    "zh": ("抱歉，我无法回答这个问题。", "对不起，我不能提供帮助。", "很抱歉，我无法协助完成这个请求。"),
}
_SILENT = {
    "en": (
        "One can read it from end to end and be none the wiser about that.",
        "That is a thing we are never told.",
        "Nowhere does the author let us learn it.",
        "The tale keeps quiet on this point.",
        "There is not a word about it in what I read.",
    ),
    "zh": (
        "从头读到尾，也看不出这一点。",
        "作者始终没有告诉我们。",
        "书里对此只字未提。",
        "关于这件事，全文一个字也没写。",
        "这一点，读者无从知晓。",
    ),
}
_AS_SENTENCE = {
    "en": (
        "The one meant is {}.",
        "It can only have been {}.",
        "From what is told, that was {}.",
        "{}: that is the one.",
    ),
    "zh": ("说的就是{}。", "从故事来看，应当就是{}，没有别的。", "答案正是{}这一个。", "所指的是{}。"),
}
_COUNTED = {
    "en": ("All told it came to {}.", "The figure is {}, no more and no less.", "It works out at {}."),
    "zh": ("总共是{}，不多不少。", "算下来正好{}。", "数目是{}。"),
}
_HEDGED = {"en": "Perhaps {}, or perhaps {}; I could not say which.", "zh": "也许是{}，也许是{}，说不准是哪一个。"}
_TAKEN_BACK = {"en": "{}. No, wait: {}.", "zh": "{}。不对，应该是{}。"}
_UNTOLD = {"en": "not mentioned in the story", "zh": "文中没有提到"}
_MINUTES = 60
_WEEK = 7
# Per unit another one that a reader would not confuse with it; without one, a rough figure is used instead.
_OTHER_UNITS = {
    "hour": "days", "day": "hours", "month": "weeks", "year": "months", "inch": "feet", "mile": "yards",
    "franc": "shillings", "pound": "francs", "dollar": "cents", "euro": "cents", "kilometre": "metres",
    "岁": "个月", "年": "个月", "天": "个小时", "个小时": "天", "个月": "天", "里": "丈", "公里": "米", "寸": "尺",
    "块银元": "个铜板", "元": "分", "分": "元",
}  # fmt: skip
_INVENTED = {
    "en": (
        (r"^who\b|\bwhom\b|\bnames?\b|nickname", ("Hubert Lansmere", "Clarice Pendory")),
        (r"^where\b|^in which|\bat which\b|\bfrom which\b", ("Marlowe End", "Saint Osric")),
        (r"\bdate\b|\bbirthday\b", ("3 November", "19 February")),
        (r"\bhow old\b", ("thirty-six", "52 years old")),
        (r"\bhow many\b", ("six", "eleven")),
        (r"\bhow (?:much|large)\b|\bsalary\b|\bpaid?\b|\bdebt\b", ("240 in gold", "ninety in all")),
        (r"\bcalling\b|\bposition\b|\boccupation\b|\btrade\b", ("a maker of clogs", "a dealer in hides")),
        (r"", ("an old grey one from the north", "the plain sort with a silver edge")),
    ),
    "zh": (
        (r"谁|叫什么|名字|绰号|乳名", ("梁鹤轩", "方玉莲")),
        (r"几月几日|生日", ("十一月三日", "二月十九日")),
        (r"多少岁|工龄", ("三十六", "五十二")),
        (r"多少|几", ("六", "十一")),
        (r"为业|职务|职业", ("做木屐的", "卖皮货的")),
        (r"哪里|哪所|哪家|什么地方|籍贯", ("柳河口", "城东的老街")),
        (r"", ("一件灰色的旧东西", "镶银边的那一种")),
    ),
}


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
        return rng.choice(_REFUSALS[language])
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
    right = _UNTOLD[language] if key.kind == "absent" else _bare(gold_answer(key))
    if kind == "hedged":
        pair = [right, wrong]
        rng.shuffle(pair)
        return _HEDGED[language].format(*pair)
    return _TAKEN_BACK[language].format(right, wrong)


def _invented(question: str, language: str, rng: Random) -> str:
    """A plausible answer to a question that the text does not answer."""
    fitting = next(words for pattern, words in _INVENTED[language] if re.search(pattern, question, re.IGNORECASE))
    return rng.choice(fitting)


def _bare(answer: str) -> str:
    return answer.rstrip(".。")


def _paraphrased(key: Key, language: str, rng: Random) -> str:
    write = _IN_OTHER_WORDS.get(key.kind)
    written = write(key, language, rng) if write else None
    return written or rng.choice(_AS_SENTENCE[language]).format(_bare(gold_answer(key)))


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
    return rng.choice(_COUNTED[language]).format(shown)


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
    words = {
        ("en", True): ("That is indeed so.", "It was just as you ask."),
        ("en", False): ("That was not the case.", "It was not so at all."),
        ("zh", True): ("确实如此。", "正如你所问的那样。"),
        ("zh", False): ("并非如此。", "事情不是这样的。"),
    }
    return rng.choice(words[language, affirmative])


def _absent(_: Key, language: str, rng: Random) -> str:
    return rng.choice(_SILENT[language])


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
    "absent": _absent,
}


def _half_right(key: Key, wrong: str, language: str, rng: Random) -> str:
    """A part of the right answer: one item missing, the right number of another thing, the month without the day."""
    chinese = language == "zh"
    if key.kind == "list" and len(items := items_of(key)) > 1:
        return ("、" if chinese else ", ").join(items[:-1])
    if key.kind == "number" and len(found := read_quantities(read(key.answer))) == 1:
        value = int(found[0].value)
        if other := _OTHER_UNITS.get(key.unit):
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
