"""What an answer claims, denies or leaves open, apart from the evidence and the working that it shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from longreach.core.types import Key

from .values.numbers import numeral_at, read_quantities
from .values.times import read_dates, read_times
from .values.words import ARTICLES, Patterns, Reading, word_set

# The result of a comparison.


@dataclass(frozen=True, slots=True)
class Comparison:
    """Right or wrong, and why."""

    right: bool
    reason: str
    certain: bool = True
    """Whether any careful reader would agree; uncertain findings may go to a judge."""


def key_forms(key: Key) -> tuple[str, ...]:
    """The canonical answer and all equally accepted forms."""
    return (key.answer, *key.accept)


# Whether an answer states something, denies it, or wavers between it and another.

SENTENCE_MARKS = frozenset(".!?;\n。！？;")
CLAUSE_MARKS = SENTENCE_MARKS | frozenset(",:()[]—、…")
_NEGATORS = frozenset({"not", "never", "neither", "nor"})
_NEAR_NEGATORS = frozenset({"no", "without", "except", "excluding", "unlike", "excepting", "besides"})
_CLAUSE_WORDS = word_set(
    "but yet however and because since when while who which so as after if unless although though whereas"
)
# "not only Corvane", "not until March", "no doubt Corvane" are affirmative.
_NO_DENIAL = word_set("only just merely simply solely until till far long doubt less fewer other")
_ALL_BUT = word_set("anyone anything anywhere anybody everyone everything everywhere everybody all")
_SCOPE = 5
_NEAR = 2
_FAR = 60
_STEPS = 30
_TAIL = re.compile(
    r"(?:is|was|are|were) not (?:the )?(?:right|correct|answer|case|one|it|true|where|who|what|when|how)\b"
)
_HAN_DENIAL = re.compile(
    r"不是|并非|而非|绝非|没有?(?!错)|从未|未曾|未(?!来|必|几|婚)|除了|非(?!常)"
    r"|不(?!仅|只|但|过|久|远|料|断|得不|止|错|少|管|论|禁|幸|已)"
)
_HAN_CLAUSE = re.compile(r"而是|但是?|不过|却|[^\w\s]|\s")
_HAN_SCOPE = 7
_LEADS = ARTICLES | word_set("in at to from by of on near for with perhaps maybe possibly either else it was")
_HARMLESS_OR = frozenset({"so", "thereabouts", "not", "thereabout"})


def denied(reading: Reading, start: int, end: int) -> bool:
    """Whether the words at a span are denied: "not Corvane", "rather than Corvane", "不是科尔文"."""
    return _denied_before(reading, start) or _denied_after(reading, end) or _denied_in_chinese(reading, start)


def _denied_before(reading: Reading, start: int) -> bool:
    words = 0
    at = start - 1
    while at >= max(0, start - _STEPS) and words <= _SCOPE:
        token = reading.tokens[at]
        word = token.word
        if word in CLAUSE_MARKS:
            return False
        if word == "than" and reading.word(at - 1) in {"rather", "other"}:
            return words == 0 and reading.word(at - 2) not in {"none", "no"}
        if word == "of" and reading.word(at - 1) == "instead":
            return words <= 1
        if word == "but" and words == 0 and reading.word(at - 1) in _ALL_BUT:
            return True
        if word in _CLAUSE_WORDS:
            return False
        if word in _NEGATORS or (word in _NEAR_NEGATORS and words < _NEAR):
            if reading.word(at + 1) not in _NO_DENIAL:
                return True
        elif token.kind != "mark" and word not in ARTICLES:
            words += 1
        at -= 1
    return False


def _denied_after(reading: Reading, end: int) -> bool:
    following = " ".join(token.word for token in reading.tokens[end : end + 4])
    return _TAIL.match(following) is not None


def _denied_in_chinese(reading: Reading, start: int) -> bool:
    if start == 0 or start >= len(reading.tokens):
        return False
    offset = reading.tokens[start].start
    before = reading.text[max(0, offset - _HAN_SCOPE) : offset]
    clause = _HAN_CLAUSE.split(before)[-1]
    return _HAN_DENIAL.search(clause) is not None


def wavers(reading: Reading, start: int, end: int, same: set[int]) -> str:
    """The alternative to the words at a span ("Corvane or Ashby"); empty if there is none.

    `same` are the tokens of equivalent forms: "Tom or Thomas" is one answer where both are accepted.
    """
    after = end
    while reading.word(after) in {",", '"', "'", "*", ")", "]", "的"}:
        after += 1
    joint = _joint_at(reading, after)
    if joint:
        alternative = _skip(reading, after + joint)
        if alternative < len(reading.tokens) and alternative not in same and _is_alternative(reading, alternative):
            return reading.tokens[alternative].raw
    before = start - 1
    while before >= 0 and (reading.word(before) in _LEADS or reading.word(before) in {'"', "'", "*", "(", "[", ","}):
        before -= 1
    if reading.word(before) in {"or", "/", "或", "者"} and before > 0:
        if reading.word(before) == "者" and reading.word(before - 1) != "或":
            return ""
        return _before_joint(reading, before, same)
    return _later_name(reading, end, same)


def _joint_at(reading: Reading, at: int) -> int:
    """How many tokens at `at` mean "or"; 0 if they do not."""
    if reading.word(at) in {"or", "/"}:
        return 1
    if reading.word(at) == "或":
        return 2 if reading.word(at + 1) in {"者", "是"} else 1
    if reading.word(at) == "还" and reading.word(at + 1) == "是":
        return 2
    return 0


def _skip(reading: Reading, at: int) -> int:
    while reading.word(at) in _LEADS or reading.word(at) in {'"', "'", "*", "(", "[", ","}:
        at += 1
    return at


def _is_alternative(reading: Reading, at: int) -> bool:
    return reading.tokens[at].kind != "mark" and reading.word(at) not in _HARMLESS_OR


def _before_joint(reading: Reading, joint: int, same: set[int]) -> str:
    at = joint - 1
    while at >= 0 and reading.tokens[at].kind == "mark":
        at -= 1
    if at < 0 or at in same or (reading.word(at) == "或" and joint == at + 1 and at == 0):
        return ""
    return reading.tokens[at].raw


def _later_name(reading: Reading, end: int, same: set[int]) -> str:
    """A name after an "or" later in the same sentence: "in Corvane by the sea or in Ashby"."""
    for at in range(end, min(end + _FAR, len(reading.tokens))):
        if reading.word(at) in SENTENCE_MARKS:
            return ""
        if reading.word(at) == "or":
            name = _skip(reading, at + 1)
            if name < len(reading.tokens) and reading.tokens[name].capital and name not in same:
                return reading.tokens[name].raw
    return ""


# Separates what an answer claims from the evidence and the working that it shows.

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
class AnswerClaim:
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


def read_claim(reading: Reading) -> AnswerClaim:
    """The claim of an answer."""
    aside = set(_bracketed(reading))
    for start, end in _clauses(reading):
        aside.update(range(start, end))
    if all(at in aside for at, token in enumerate(reading.tokens) if token.kind != "mark"):
        aside = set()
    conclusions = tuple(_conclusions(reading))
    return AnswerClaim(frozenset(aside), conclusions, bool(conclusions) and _turns(reading, conclusions[-1] - 1))


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


def is_fragment(reading: Reading, claim: AnswerClaim) -> bool:
    """Whether the claim is a phrase without a verb, whose first name is then the claim."""
    for at, token in enumerate(reading.tokens):
        if at in claim.aside or token.kind != "word":
            continue
        if token.word in _VERBS or (token.word.endswith("ed") and len(token.word) > 4 and not token.capital):
            return False
    return True


# How clear an answer is: the key may decide short, direct answers for certain, and no others.

_MOST_WORDS = 16
_HAN_WEIGHT = 0.5  # two characters are about one word
_PATTERNS = Patterns("answer_confidence", re.IGNORECASE)
_HEDGE, _ROUGHLY, _TURN = _PATTERNS["hedge"], _PATTERNS["roughly"], _PATTERNS["turn"]
# Words with which an answer may paraphrase that the text does not say.
_SILENCE = word_set(
    "not no never none nothing nobody nowhere neither nor without unable cannot unknown unclear unsaid untold unnamed "
    "unspecified undefined unresolved unanswered undisclosed unrevealed open mystery guess imagination wonder silence "
    "silent blank missing absent absence omitted omits lacks lacking leaves left secret hidden story text passage book "
    "narrative author narrator mention mentioned mentions told tell tells say says said information detail details "
    "given answer question reader readers know known knows stated state states specified n/a na tbd"
)
_HAN_SILENCE = _PATTERNS["han silence"]
_PLAIN_WORDS = 4
_PLAIN_HAN = 8


def is_brief(answer: Reading) -> bool:
    """Whether an answer is at most a sentence long: longer ones may argue, and merely mention names."""
    return sum(_HAN_WEIGHT if token.kind == "han" else token.kind != "mark" for token in answer.tokens) <= _MOST_WORDS


def is_one_sentence(answer: Reading) -> bool:
    """Whether all words are in one sentence; the full stop of "Mrs. Hale" does not end one."""
    for at, token in enumerate(answer.tokens):
        if token.word not in SENTENCE_MARKS or not any(later.kind != "mark" for later in answer.tokens[at + 1 :]):
            continue
        before = answer.tokens[at - 1] if at else None
        if not (token.word == "." and before is not None and before.capital and len(before.raw) <= 3):
            return False
    return True


def hedges(answer: Reading, *, value: bool = False) -> bool:
    """Whether an answer hedges; for values, "about 41" is a hedge."""
    return _HEDGE.search(answer.text) is not None or (value and _ROUGHLY.search(answer.text) is not None)


def turns(answer: Reading) -> bool:
    """Whether an answer revises or limits itself: "Corvane, but", "yes. Actually,"."""
    return _TURN.search(answer.text) is not None


def asserts(answer: Reading) -> bool:
    """Whether an answer clearly states something of its own where it should abstain.

    A number or a name in a short sentence does, and so does a bare phrase; a word that could also describe a missing
    answer ("left open", "a mystery"), a hedge, or a longer sentence of plain words does not.
    """
    words = [token for token in answer.tokens if token.kind != "mark"]
    han = sum(token.kind == "han" for token in words)
    if not words or not is_brief(answer) or hedges(answer):
        return False
    if any(token.word in _SILENCE for token in words) or _HAN_SILENCE.search(answer.text):
        return False
    named = any(token.capital and token.word != "i" for token in words[1:])
    counted = any(token.kind == "number" for token in words)
    bare = len(words) - han <= _PLAIN_WORDS and han <= _PLAIN_HAN
    return named or counted or bare
