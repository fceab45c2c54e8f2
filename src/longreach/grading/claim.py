"""Separates what an answer claims from the evidence and the working that it shows.

Evidence is in brackets, after a reason word ("since", 因为), in a relative clause ("who was above Haskenoy") or after
the answer; working is before a conclusion ("so", "=", "leaves"). A name or number there belongs to the question, and
does not count against an answer that claims the right one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from .negation import SENTENCE_MARKS
from .values.clock import read_times
from .values.dates import read_dates
from .values.numerals import numeral_at
from .values.quantities import read_quantities
from .values.words import ARTICLES, Reading, word_set

__all__ = ["Claim", "is_fragment", "read_claim", "sentence_ends_at", "strung"]

_OPEN, _CLOSE = "([{（【", ")]}）】"
_REASONS = word_set("since because")
_RELATIVE = word_set("who whom whose which where when while whereas")
_NOT_A_REASON = word_set("well many much long soon old tall far early late the")
_NAMED_AS = word_set("known named described regarded such same identified recorded listed stated employed works worked")
_TO_CONCLUDE = word_set(
    "so therefore thus hence consequently thereby equals makes making leaves leaving means gives giving total totals "
    "totalling altogether namely ie totaled totalled remaining becomes = → ⇒ ➔ ➜"
)
_COMES_TO = word_set("come comes came coming amount amounts amounted amounting up out sum sums equal equals")
_LABEL_WORDS, _PHRASE_WORDS = 3, 4
_REMOTE = word_set("after before from since plus minus and later earlier")
_AFTER_SO = word_set("that far much many called long on to as very")
_HAN_REASONS = ("因为", "由于", "根据")
_HAN_CONCLUSIONS = word_set("所以 因此 因而 于是 一共 总共 合计 共计 等于 剩下 还剩 剩余 可见 故")
_TURNS = (
    ("no", ",", "wait"),
    ("wait", ","),
    ("wait", ":"),
    ("actually",),
    ("correction",),
    ("i", "mean"),
    ("scratch",),
)
_HAN_TURNS = ("不对", "等等", "更正", "不，")
_TURNS_BY_WORD = {turn[0]: [each for each in _TURNS if each[0] == turn[0]] for turn in _TURNS}
_LEADING = (
    _TO_CONCLUDE | frozenset(_TURNS_BY_WORD) | word_set("so leaves leaving gives giving makes making : ： to at that i")
)
"""Words that a conclusion may begin with, besides Chinese ones."""
_JOINTS = word_set(", and or then also / & + 、 ， 和 与 及 或 还 跟 but plus")
_RANGES = word_set("to - — – ~ 到 至")
_FILLERS = ARTICLES | word_set(
    "either maybe perhaps possibly probably likely even both in at by on of from with first after afterwards next "
    "later mr mrs miss ms dr sir lady . ( ) * \" ' : 者 是 也 许 可 能 大 概 again"
)
_VERBS = word_set(
    "is was are were be been am has have had did does do took take takes gave give gives got get gets left leaves "
    "leave bought buy paid pay sold sell went go came come held hold kept keep made make stood stand sat sit rode ride "
    "drove drive ran run led lead lent lend met meet told tell said say says saw see bore bear built build knew "
    "know lay lie lived lives owned owns received receives became become wrote write began begin sent send "
    "reports answers"
)


class _Placed(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


_Value = TypeVar("_Value", bound=_Placed)


@dataclass(frozen=True, slots=True)
class Claim:
    """Which tokens of an answer are evidence, and where its conclusion begins."""

    aside: frozenset[int]
    conclusions: tuple[int, ...]
    """The tokens after which a conclusion or a revision is stated, in order."""
    turned: bool = False
    """Whether the last of them revises the text before it."""

    def pick(self, values: Sequence[_Value]) -> list[_Value]:
        """The claimed values: those of the last conclusion, or all that are not evidence."""
        main = [value for value in values if value.start not in self.aside]
        for place in reversed(self.conclusions):
            after = [value for value in main if value.start >= place]
            if after:
                return after
        return main or list(values)


def read_claim(reading: Reading) -> Claim:
    """The claim of an answer."""
    aside = set(_bracketed(reading))
    for start, end in _clauses(reading):
        aside.update(range(start, end))
    if all(at in aside for at, token in enumerate(reading.tokens) if token.kind != "mark"):
        aside = set()
    conclusions = tuple(_conclusions(reading))
    return Claim(frozenset(aside), conclusions, bool(conclusions) and _turns(reading, conclusions[-1] - 1))


def _bracketed(reading: Reading) -> Iterator[int]:
    depth = 0
    for at, token in enumerate(reading.tokens):
        if token.word in _CLOSE and depth:
            depth -= 1
            yield at
        elif token.word in _OPEN and any(later.word in _CLOSE for later in reading.tokens[at + 1 :]):
            depth += 1
        if depth:
            yield at


def _clauses(reading: Reading) -> Iterator[tuple[int, int]]:
    """Reason and relative clauses as spans."""
    at = 0
    while at < len(reading.tokens):
        kind = _opens(reading, at)
        if not kind:
            at += 1
            continue
        first = _starts_sentence(reading, at)
        end = at + 1
        while end < len(reading.tokens) and not sentence_ends_at(reading, end) and not _concludes(reading, end):
            if (first or kind == "relative") and reading.word(end) in {",", "，", "—"}:
                break
            end += 1
        yield at, end
        at = end


def _opens(reading: Reading, at: int) -> str:
    word, before, after = reading.word(at), reading.word(at - 1), reading.word(at + 1)
    if word in {"given", "considering", "seeing"}:  # not "was given", "on seeing"
        led = before in {",", "，", "—"} or _starts_sentence(reading, at)
        return "reason" if led and (after in {"that", "the", "how"} or _is_name(reading, at + 1)) else ""
    if word in _REASONS:
        return "reason"
    if word in {"as", "for"}:
        if before in {",", "，", "—"} or (word == "as" and _starts_sentence(reading, at)):
            counted = at + 1 < len(reading.tokens) and reading.tokens[at + 1].kind == "number"
            return "" if counted or (after in _NOT_A_REASON and after != "the") else "reason"
        joined = word == "for" or before in _NAMED_AS or after in _NOT_A_REASON or before in _NOT_A_REASON
        return "" if joined or not (after in {"he", "she", "it", "they"} or _is_name(reading, at + 1)) else "reason"
    if word in _RELATIVE and at and before in {",", "，", "("}:
        return "relative"
    if word in {"when", "while", "whereas"} and at:
        return "relative"
    if word + after in _HAN_REASONS or _explains(reading, at):
        return "reason"
    return ""


def _explains(reading: Reading, at: int) -> bool:
    """Whether "i.e.", "that is" or "leaving" explains a value rather than leading to it: the answer begins with one
    value, as in "20 April, i.e. 11 days after the wedding".
    """
    word, after = reading.word(at), reading.word(at + 1)
    led = word in {"namely", "ie", "leaving", "making"} or (word, after) == ("that", "is")
    led = led or (word == "i" and after == "." and reading.word(at + 2) == "e")
    if not led or reading.word(at - 1) not in {",", "—", "(", ";", "，"}:
        return False
    before = reading.part(0, at - 1)
    if any(token.word in _REMOTE for token in before.tokens):
        return False
    values = read_dates(before) or read_times(before) or read_quantities(before)
    return len(values) == 1 and values[0].start <= 1


def _is_name(reading: Reading, at: int) -> bool:
    return at < len(reading.tokens) and reading.tokens[at].capital


def _starts_sentence(reading: Reading, at: int) -> bool:
    return at == 0 or sentence_ends_at(reading, at - 1)


def sentence_ends_at(reading: Reading, at: int) -> bool:
    """Whether a mark ends a sentence; the full stop of "Mrs. Hale", "vs." and "p.m." does not."""
    word = reading.word(at)
    if word not in SENTENCE_MARKS:
        return False
    if word != "." or at == 0:
        return True
    before = reading.tokens[at - 1]
    short = before.kind == "word" and (
        len(before.raw) == 1 or before.word in {"vs", "mr", "mrs", "dr", "st", "no", "fr"}
    )
    return not short or at + 1 >= len(reading.tokens)


def _conclusions(reading: Reading) -> Iterator[int]:
    for at, token in enumerate(reading.tokens):
        if (token.word in _LEADING or token.kind == "han") and _concludes(reading, at):
            yield at + 1


def _concludes(reading: Reading, at: int) -> bool:
    word, after = reading.word(at), reading.word(at + 1)
    if word == "so":
        return after not in _AFTER_SO and reading.word(at - 1) not in {"or", "and", "not"}
    if _explains(reading, at):
        return False
    if word in {"leaves", "leaving", "gives", "giving", "makes", "making"}:
        return after not in {"at", "from", "in", "on", "the", "for", "to", "by", "of"}
    if word in _TO_CONCLUDE:
        return True
    if word in {":", "："}:
        return _ends_in_a_phrase(reading, at)
    if word in {"to", "at"} and reading.word(at - 1) in _COMES_TO:
        return any(numeral_at(reading, at + step) for step in (1, 2))
    if word == "that" and after == "is" and reading.word(at + 2) != "not":
        return reading.word(at - 1) in {",", "—", ";", "("}
    if word == "i" and after == "." and reading.word(at + 2) == "e":
        return True
    return word + after in _HAN_CONCLUSIONS or word == "故" or _turns(reading, at)


def _ends_in_a_phrase(reading: Reading, colon: int) -> bool:
    """Whether a colon leads from a longer text to a short last phrase: "Eleven days after Thursday: Monday"."""
    if reading.touching(colon) and reading.touching(colon + 1):
        return False  # 4:30
    before, after = (
        sum(token.kind != "mark" for token in part) for part in (reading.tokens[:colon], reading.tokens[colon:])
    )
    later = any(token.word in {":", "：", ";", ","} for token in reading.tokens[colon + 1 :])
    return before > _LABEL_WORDS and 0 < after <= _PHRASE_WORDS and not later


def _turns(reading: Reading, at: int) -> bool:
    """Whether an answer revises itself: "No, wait:", "actually", 不对."""
    turns = _TURNS_BY_WORD.get(reading.word(at), ())
    if any(all(reading.word(at + step) == part for step, part in enumerate(turn)) for turn in turns):
        return True
    return reading.word(at) + reading.word(at + 1) in _HAN_TURNS


def strung(
    reading: Reading, first_end: int, second_start: int, also: frozenset[str] = frozenset(), *, names: bool = False
) -> bool:
    """Whether two values are side by side as if both were the answer: "41 or 43", "Corvane and Port Ellis"."""
    gap = [at for at in range(first_end, second_start) if reading.word(at) not in also]
    if any(sentence_ends_at(reading, at) for at in gap):
        return False
    joints = _JOINTS if names else _JOINTS | _RANGES
    if not any(reading.word(at) in joints for at in gap):
        return False
    return all(reading.word(at) in joints or reading.word(at) in _FILLERS or reading.tokens[at].capital for at in gap)


def is_fragment(reading: Reading, claim: Claim) -> bool:
    """Whether the claim is a phrase without a verb, whose first name is then the claim."""
    for at, token in enumerate(reading.tokens):
        if at in claim.aside or token.kind != "word":
            continue
        if token.word in _VERBS or (token.word.endswith("ed") and len(token.word) > 4 and not token.capital):
            return False
    return True
