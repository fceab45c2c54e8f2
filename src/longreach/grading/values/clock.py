"""Clock times, with morning or afternoon left open where the text leaves it open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .numerals import Numeral, numeral_at
from .words import Reading, word_set

__all__ = ["ClockTime", "read_times"]

Half = Literal["am", "pm", ""]
_PAST = frozenset({"past", "after"})
_TO = frozenset({"to", "before", "till", "until"})
_MORNING = frozenset({"morning", "forenoon", "dawn"})
_LATER = frozenset({"afternoon", "evening"})
_AT = frozenset({"at", "by", "around", "about", "until", "from", "till", "before", "after", "near", "to"})
_AFTER_HOUR = word_set("and or in on when sharp exactly to that each every with for as by but because while since")
_HAN_DAY: dict[str, Half] = {
    "凌晨": "am", "清晨": "am", "早上": "am", "早晨": "am", "上午": "am", "今早": "am", "清早": "am",
    "下午": "pm", "傍晚": "pm", "晚上": "pm", "午后": "pm", "夜里": "pm", "深夜": "pm", "夜晚": "pm", "当晚": "pm",
    "中午": "pm", "正午": "pm", "半夜": "am", "午夜": "am",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time on the clock's face."""

    hour: int
    """0 to 11."""
    minute: int
    half: Half
    """Empty where the text does not state it."""
    start: int
    end: int
    bare: bool = False
    """Only a number ("at four"): a time where a time was asked for, not elsewhere."""

    def equals(self, other: ClockTime) -> bool:
        """Same time, as far as both state it."""
        halves_agree = not self.half or not other.half or self.half == other.half
        return (self.hour, self.minute) == (other.hour, other.minute) and halves_agree


def read_times(reading: Reading) -> list[ClockTime]:
    """All clock times in reading order, bare hours included and marked."""
    found: list[ClockTime] = []
    at = 0
    while at < len(reading.tokens):
        time = _time_at(reading, at)
        if time:
            found.append(time)
            at = time.end
        else:
            numeral = numeral_at(reading, at)
            at = numeral.end if numeral else at + 1
    return found


def _time_at(reading: Reading, at: int) -> ClockTime | None:
    word = reading.word(at)
    if word in {"noon", "midday", "midnight"}:
        return ClockTime(0, 0, "am" if word == "midnight" else "pm", at, at + 1)
    if word in {"正", "中", "午"} and reading.word(at) + reading.word(at + 1) in {"正午", "午夜", "中午"}:
        chinese = _chinese(reading, at)
        if chinese:
            return chinese
        midnight = word == "午"
        return ClockTime(0, 0, "am" if midnight else "pm", at, at + 2)
    return _past_or_to(reading, at) or _chinese(reading, at) or _colon(reading, at) or _hours(reading, at)


def _small(numeral: Numeral | None, limit: int) -> int | None:
    """The value of a whole, unordered numeral below a limit."""
    if numeral is None or numeral.ordinal or numeral.value.denominator != 1 or not 0 <= numeral.value < limit:
        return None
    return int(numeral.value)


def _past_or_to(reading: Reading, at: int) -> ClockTime | None:
    """Half past four, a quarter to six, ten minutes to six, half four."""
    end = at + (reading.word(at) == "a")
    word = reading.word(end)
    minutes: int | None
    if word in {"half", "quarter"}:
        minutes = 30 if word == "half" else 15
        end += 1
        end += reading.word(end) == "-"
    else:
        numeral = numeral_at(reading, at, decimals=False)
        minutes = _small(numeral, 60)
        if numeral is None or minutes is None:
            return None
        end = numeral.end
        if reading.word(end) in {"minute", "minutes"}:
            end += 1
    way = reading.word(end)
    if way in _PAST or way in _TO:
        end += 1
    elif word != "half":
        return None
    hour_end, hour = _hour_name(reading, end)
    if hour is None:
        return None
    if way in _TO:
        hour, minutes = hour - 1, 60 - minutes
        if minutes == 60:
            return None
    if hour_end == end + 1 and reading.word(end) in {"noon", "midday", "midnight"}:
        before = way in _TO
        half: Half = "am" if (reading.word(end) == "midnight") != before else "pm"
        return ClockTime(hour % 12, minutes, half, at, hour_end)
    half, last = _half_after(reading, hour_end, hour % 12)
    return ClockTime(hour % 12, minutes, half, at, last)


def _hour_name(reading: Reading, at: int) -> tuple[int, int | None]:
    if reading.word(at) in {"noon", "midday", "midnight"}:
        return at + 1, 12
    numeral = numeral_at(reading, at, decimals=False)
    hour = _small(numeral, 13)
    if numeral is None or not hour or numeral.end - numeral.start > 1:
        return at, None
    end = numeral.end
    if reading.word(end) in {"minutes", "minute"}:
        return at, None
    return end + (reading.word(end) == "o'clock"), hour


def _colon(reading: Reading, at: int) -> ClockTime | None:
    """4:30, 16:30, 4.30 pm, 4h30, 1630 hours."""
    token = reading.tokens[at]
    if token.kind != "number":
        return None
    written = token.word
    hour, minute, end, sure = -1, 0, at + 1, False
    if (
        written.isdecimal()
        and reading.word(at + 1) in {":", "h"}
        and reading.touching(at + 1)
        and reading.touching(at + 2)
    ):
        following = reading.word(at + 2)
        if following.isdecimal() and len(following) == 2 and len(written) <= 2:
            hour, minute, end, sure = int(written), int(following), at + 3, True
            if reading.word(end) in {"hrs", "hours", "h", "uhr"}:
                end += 1
            if reading.word(end) == ":" and reading.touching(end) and reading.word(end + 1).isdecimal():
                end += 2
    elif written.isdecimal() and reading.word(at + 1) == "h" and reading.touching(at + 1) and len(written) <= 2:
        hour, minute, end, sure = int(written), 0, at + 2, True
    elif "." in written and len(written.partition(".")[2]) == 2 and len(written) <= 5:
        hour, minute = (int(part) for part in written.split("."))
    elif written.isdecimal() and len(written) == 4 and reading.word(at + 1) in {"hours", "hour", "hrs", "h"}:
        hour, minute, end, sure = int(written[:2]), int(written[2:]), at + 2, True
    if not (0 <= hour <= 24 and 0 <= minute < 60):
        return None
    half_of_day, last = _half_after(reading, end, hour % 12)
    if sure and not half_of_day and written.startswith("0") and len(written) == 2 and hour:
        half_of_day = "am"  # 08:15 is a time of the 24-hour clock
    if not sure and not half_of_day and reading.word(at - 1) not in _AT and reading.word(end) != "o'clock":
        return None
    return _on_face(hour, minute, half_of_day, at, last)


def _hours(reading: Reading, at: int) -> ClockTime | None:
    """Four o'clock, 4 pm, four thirty, sixteen hundred hours, and a bare hour."""
    numeral = numeral_at(reading, at, decimals=False)
    if numeral is None or numeral.ordinal or numeral.value.denominator != 1:
        return None
    if reading.word(numeral.end) in {"hours", "hrs"} and numeral.value >= 100 and numeral.value % 100 < 60:
        hour, minute = divmod(int(numeral.value), 100)
        return _on_face(hour, minute, "", at, numeral.end + 1) if hour <= 24 else None
    written = reading.word(at)
    if len(written) == 4 and written.isdecimal() and numeral.end == len(reading.tokens) == 1:  # 0815, 1630
        hour, minute = divmod(int(written), 100)
        half: Half = "am" if hour < 10 else ""
        return _on_face(hour, minute, half, at, numeral.end, bare=True) if hour < 25 and minute < 60 else None
    hour_number = _small(numeral, 25)
    if hour_number is None:
        return None
    end, minute, clear = numeral.end, 0, False
    if reading.word(end) == "o'clock":
        end, clear = end + 1, True
    else:
        minute_end, minute = _minutes_after(reading, numeral)
        clear = minute_end > end
        end = minute_end
    half, last = _half_after(reading, end, hour_number % 12)
    bare = not clear and not half
    if bare and not _could_be_hour(reading, end):
        return None
    return _on_face(hour_number, minute, half, at, last, bare)


def _minutes_after(reading: Reading, hour: Numeral) -> tuple[int, int]:
    """The thirty of "four thirty" or "four-thirty", the "oh five" of "four oh five"."""
    at = hour.end + (reading.word(hour.end) in {"-", "oh"})
    numeral = numeral_at(reading, at, decimals=False)
    minute = _small(numeral, 60)
    if hour.digits or numeral is None or minute is None or numeral.digits or not 1 <= hour.value <= 12:
        return hour.end, 0
    if minute < 10 and reading.word(hour.end) != "oh":
        return hour.end, 0
    return numeral.end, minute


def _could_be_hour(reading: Reading, end: int) -> bool:
    """Whether a bare number ends where an hour would: before a mark, a small word, or nothing."""
    following = reading.tokens[end] if end < len(reading.tokens) else None
    if following is None or following.kind == "mark":
        return following is None or following.word not in {"%", "/", ":", "$", "-"}
    return following.word in _AFTER_HOUR


def _half_after(reading: Reading, at: int, hour: int) -> tuple[Half, int]:
    """am, p.m., in the morning, at night, and where they end."""
    word = reading.word(at)
    if word in {"sharp", "exactly", "precisely"}:
        return _half_after(reading, at + 1, hour)
    if word in {"am", "pm"}:
        return ("am" if word == "am" else "pm"), at + 1
    if word in {"a", "p"} and reading.word(at + 1) == "." and reading.word(at + 2) == "m":
        return ("am" if word == "a" else "pm"), at + 3 + (reading.word(at + 3) == ".")
    following = [reading.word(at + i) for i in range(4)]
    start = 1 if following[0] in {"in", "at", "of", "on", ",", "this", "that", "next"} else 0
    start += following[start] in {"the", "that", "same"}
    name = reading.word(at + start)
    if name in _MORNING:
        return "am", at + start + 1
    if name in _LATER:
        return "pm", at + start + 1
    if name in {"night", "noon", "midnight"} and start:
        return ("pm" if 6 <= hour <= 11 or name == "noon" else "am"), at + start + 1
    if name == "noon" and hour == 0:
        return "pm", at + 1
    return "", at


def _chinese(reading: Reading, at: int) -> ClockTime | None:
    """下午四点半, 16时30分, 三点一刻, 差五分四点."""
    end, day = at, ""
    name = reading.word(at) + reading.word(at + 1)
    if name in _HAN_DAY and reading.tokens[at].kind == "han":
        day, end = name, at + 2
    short = 0
    if reading.word(end) == "差":
        numeral = numeral_at(reading, end + 1, decimals=False)
        if reading.word(end + 1) == "一" and reading.word(end + 2) == "刻":
            short, end = 15, end + 3
        elif numeral and reading.word(numeral.end) == "分" and _small(numeral, 60):
            short, end = int(numeral.value), numeral.end + 1
        else:
            return None
    numeral = numeral_at(reading, end, decimals=False)
    hour = _small(numeral, 25)
    if numeral is None or hour is None:
        return None
    if day and reading.word(numeral.end) == ":":
        clock = _colon(reading, end)
        return _on_face(clock.hour, clock.minute, _chinese_half(day, clock.hour), at, clock.end) if clock else None
    if reading.word(numeral.end) not in {"点", "點", "时"} or reading.word(numeral.end + 1) == "间":
        return None
    end = numeral.end + 1
    end += reading.word(end) in {"钟", "整"}
    minutes = _chinese_minutes(reading, end)
    if minutes is None:
        return None
    minute, end = minutes
    if short:
        hour, minute = (hour - 1) % 24, 60 - short
    return _on_face(hour, minute, _chinese_half(day, hour % 12), at, end)


def _chinese_minutes(reading: Reading, at: int) -> tuple[int, int] | None:
    """The minutes after 点 and where they end; None for the decimals of 三点五."""
    if reading.word(at) == "半":
        return 30, at + 1
    if reading.word(at) in {"一", "三"} and reading.word(at + 1) == "刻":
        return (15 if reading.word(at) == "一" else 45), at + 2
    begin = at + (reading.word(at) == "过")
    numeral = numeral_at(reading, begin, decimals=False)
    minute = _small(numeral, 60)
    if numeral is None or minute is None or (numeral.digits and reading.word(numeral.end) != "分"):
        return 0, at
    if reading.word(numeral.end) == "分":
        return minute, numeral.end + 1
    return (minute, numeral.end) if minute >= 10 or reading.word(begin) in {"零", "〇"} else None


def _chinese_half(day: str, hour: int) -> Half:
    if not day:
        return ""
    if day in {"夜里", "深夜", "晚上", "夜晚", "当晚"} and hour < 5:
        return "am"
    if day in {"半夜", "午夜"} and hour >= 10:
        return "pm"
    if day in {"中午", "正午"} and hour >= 10:
        return "am"
    return _HAN_DAY[day]


def _on_face(hour: int, minute: int, half: Half, start: int, end: int, bare: bool = False) -> ClockTime:
    """A 24-hour time implies its half of the day."""
    if 13 <= hour <= 23:
        half = "pm"
    elif hour in {0, 24}:
        half = "am"
    return ClockTime(hour % 12, minute, half, start, end, bare)
