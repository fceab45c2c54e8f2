"""Grades one answer against one key, and gives a right and a wrong answer for every key."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from longreach.core.language import has_han
from longreach.core.types import AnswerKind, Key, Verdict
from longreach.errors import BadInput

from .abstention import AbsenceKind, is_refusal, read_absence
from .asked import AskedQuestion, asked
from .unanswerable import grade_absent
from .values.clarity import KeyMatch, denies, hedges, key_forms, names_alternatives, turns
from .values.compare import (
    compare_date,
    compare_list,
    compare_number,
    compare_text,
    compare_time,
    compare_yesno,
    read_polarity,
)
from .values.numbers import numeral_at, read_quantities
from .values.times import MONTHS, read_dates, read_times
from .values.words import Reading, list_parts, one_line_answer, read

GRADER_VERSION = 15
"""Raised whenever a verdict may change; logs graded with another version are graded again."""

_LONGEST = 20_000
_COMPARE: dict[AnswerKind, Callable[[Reading, Key, AskedQuestion], KeyMatch | None]] = {
    "number": compare_number,
    "time": compare_time,
    "date": compare_date,
    "list": compare_list,
    "yesno": compare_yesno,
}
_VALUES = frozenset({"number", "time", "date"})
_MOST_WORDS = {True: 16, False: 9}
"""Words that a right or wrong answer may add to the question's: longer ones may argue, and merely mention names."""
_ELSE = re.compile(r"\b(?:nobody|no ?one|none|nothing|nowhere) (?:else|other)\b|\bno other\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\(not [^()]*\)|[,—;] (?:and )?not (?!at all)[^,;.()\n]*|\b(?:it is |it was )?not [^,;.()\n]*?,? but\b", re.I
)
_BRACKETS = re.compile(r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]")


def grade_answer(answer: str, key: Key, question: str = "") -> Verdict:
    """The verdict on one answer: strict, by value, without a model.

    Blank answers are `unparsed`, refusals `refused`; all others are right (1) or wrong (0). The key's own words are
    always right. An answer that claims the right thing and also a wrong one is wrong; evidence and working are not
    claims. `question` is the question's text: it decides whether the order of a list matters, and what a statement
    means as an answer to a yes-or-no question. Only the first 20,000 characters are read.

    The verdict is certain where the answer gives the key's value, another value of its kind or one of another kind.
    An answer that repeats the question and fills in nothing is `unparsed`. It is not certain where several values, a
    hedge, another spelling, a paraphrase or a long sentence could mean more than the key can decide."""
    shown = one_line_answer(answer)
    answer = answer[:_LONGEST]
    reading = read(answer)
    if not reading.tokens:
        return Verdict(status="unparsed", reason="no answer")
    for form in map(read, key_forms(key)):
        # Between values, signs matter: £120 is not $120.
        same = reading.same_text(form) or (key.kind not in _COMPARE and reading.same_words(form))
        if form.tokens and same:
            return _scored(KeyMatch(True, f"matches {one_line_answer(key.answer, 100)}"), shown)
    if all(token.kind == "mark" for token in reading.tokens):
        return Verdict(status="unparsed", answer=shown, reason="no words in the answer")
    if is_refusal(answer) and not any(is_refusal(form) for form in key_forms(key)):
        return Verdict(status="refused", answer=shown, reason="declines to answer")
    if key.kind == "absent":
        return _scored(grade_absent(answer, reading, asked(question)), shown)
    return _scored(_present(answer, reading, key, asked(question)), shown)


def _scored(finding: KeyMatch, shown: str) -> Verdict:
    if finding.empty:
        return Verdict(status="unparsed", answer=shown, reason=finding.reason)
    return Verdict(
        status="scored",
        value=float(finding.right),
        answer=shown,
        reason=one_line_answer(finding.reason, 200),
        certain=finding.certain,
    )


def _is_straight(reading: Reading, finding: KeyMatch, key: Key, question: AskedQuestion) -> bool:
    """Whether an answer is unambiguous. A hedged wrong value is still wrong."""
    if key.kind not in _VALUES and len(question.adds(reading)) > _MOST_WORDS[finding.right]:
        return False
    known = {token.word for form in key_forms(key) for token in read(form).tokens} | question.words
    known |= {reading.word(0)} if key.kind in _VALUES and not finding.right else set()  # none is zero
    if key.kind != "yesno" and denies(read(_ELSE.sub("", reading.text)), known):
        return False
    if not finding.right:
        return True
    return not (hedges(reading, value=key.kind in _VALUES) or turns(reading) or names_alternatives(reading))


def _present(answer: str, reading: Reading, key: Key, question: AskedQuestion) -> KeyMatch:
    """The text has the answer: an abstention is wrong, and beside something else undecided."""
    absence = read_absence(answer)
    if absence.kind is AbsenceKind.NONE or _sound_absent(key_forms(key)):
        finding = _compare(reading, key, question)
    elif key.kind == "yesno" and reading.tokens[0].word in {"yes", "no"} and read_polarity(reading) is not None:
        finding = _compare(reading, key, question)  # "No, he was not mentioned in the will"
    elif absence.kind is AbsenceKind.CLEAN:
        return KeyMatch(False, "abstained though the text says", certain=not turns(reading))
    else:
        return replace(_compare(reading, key, question), certain=False)
    if finding.empty:
        return finding
    finding = replace(finding, certain=finding.certain and _is_straight(reading, finding, key, question))
    if finding.certain or key.kind == "yesno":
        return finding
    outside = _claimed(reading.text)
    if not outside or outside == reading.text:
        return finding
    claimed = _present(outside, read(outside), key, question)
    return claimed if claimed.certain and not claimed.empty else finding


def _claimed(text: str) -> str:
    """A text without what it denies ("not Ashby"), and without what stands in brackets, which is evidence unless it
    takes something back."""
    text = _DENIED.sub(" ", text)
    inside = read(" ".join(_BRACKETS.findall(text)))
    back = denies(inside, set()) or names_alternatives(inside) or hedges(inside) or turns(inside)
    return " ".join((text if back else _BRACKETS.sub(" ", text)).split())


@lru_cache(maxsize=4096)
def _sound_absent(forms: tuple[str, ...]) -> bool:
    return any(read_absence(form).kind is not AbsenceKind.NONE for form in forms)


def _compare(reading: Reading, key: Key, question: AskedQuestion) -> KeyMatch:
    compare = _COMPARE.get(key.kind)
    finding = compare(reading, key, question) if compare else None
    return compare_text(reading, key, question) if finding is None else finding


# A right and a wrong answer for every key, which each family's keys are tested against.

NOT_MENTIONED = "Not mentioned in the text or story."
NOT_MENTIONED_ZH = "文中没有提到。"
_NAMES = ("Orrin Vale", "Tessaly Marsh", "a copper weathercock", "the harbour at Quillon", "Isobel Trant")
_NAMES_ZH = ("罗文舟", "青石渡口", "一只铜风标", "沈若薇", "南坡的磨坊")


def gold_answer(key: Key) -> str:
    """The canonical answer: right by `grade_answer`, whatever the kind."""
    if key.kind == "absent" and not read(key.answer).tokens:
        return NOT_MENTIONED
    if not read(key.answer).tokens:
        raise BadInput(f"key of kind '{key.kind}': the answer {key.answer!r} is blank; give the canonical answer")
    return key.answer


def wrong_answer(key: Key) -> str:
    """A plausible answer of the same kind that is certainly wrong."""
    for candidate in _candidates(key):
        verdict = grade_answer(candidate, key)
        if verdict.status == "scored" and verdict.value == 0:
            return candidate
    raise BadInput(f"key of kind '{key.kind}': no wrong answer exists for {key.answer!r}; accept fewer forms")


def _candidates(key: Key) -> Iterator[str]:
    """Other values of the key's kind, then names."""
    others = _OTHER_VALUES.get(key.kind)
    if others is not None:
        yield from others(key, read(key.answer))
    yield from _names_for(key)
    yield from _NAMES if has_han(key.answer) else _NAMES_ZH


def _names_for(key: Key) -> tuple[str, ...]:
    return _NAMES_ZH if has_han(key.answer) else _NAMES


def _other_numbers(key: Key, reading: Reading) -> Iterator[str]:
    for quantity in read_quantities(reading):
        numeral = numeral_at(reading, quantity.start)
        whole = numeral is not None and numeral.value == quantity.value and quantity.start == 0
        rest = reading.text[reading.tokens[numeral.end - 1].end :] if numeral and whole else f" {key.unit}"
        yield from (f"{int(quantity.value) + step}{rest}".strip() for step in (2, 3, 5, 7, 11))


def _other_times(_: Key, reading: Reading) -> Iterator[str]:
    for time in read_times(reading):
        for minutes in (95, 130, 265):
            hour, minute = divmod((time.hour * 60 + time.minute + minutes) % 720, 60)
            yield f"{hour or 12}:{minute:02d}"


def _other_dates(_: Key, reading: Reading) -> Iterator[str]:
    for date in read_dates(reading):
        for step in (1, 4, 5):
            if date.month is None and date.day is None and date.year is not None:
                yield f"{date.year + step}"
            else:
                day, month = ((date.day or 1) + 2 * step) % 28 + 1, MONTHS[((date.month or 1) + step) % 12]
                yield f"{day} {month}"


def _other_lists(key: Key, reading: Reading) -> Iterator[str]:
    items = [reading.shown(start, end) for start, end in list_parts(reading)]
    joint = "、" if has_han(key.answer) else ", "
    yield from (joint.join([*items[:-1], name]) for name in _names_for(key))


def _other_verdict(key: Key, reading: Reading) -> Iterator[str]:
    no, yes = ("不是", "是的") if has_han(key.answer) else ("No", "Yes")
    yield no if read_polarity(reading) else yes


_OTHER_VALUES: dict[AnswerKind, Callable[[Key, Reading], Iterable[str]]] = {
    "number": _other_numbers,
    "time": _other_times,
    "date": _other_dates,
    "list": _other_lists,
    "yesno": _other_verdict,
    "text": lambda key, _: key.rivals,
}
