"""Grades one answer against one key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from longreach.core.question import AnswerKind, Key
from longreach.core.verdict import Verdict

from .abstention import AbsenceKind, read_absence
from .answer_confidence import asserts, hedges, is_brief, turns
from .finding import Finding, key_forms
from .polarity import read_polarity
from .reading.refusal import is_refusal
from .values.by_number import compare_number
from .values.by_value import compare_date, compare_list, compare_time, compare_yesno
from .values.by_words import compare_text
from .values.words import Reading, one_line_answer, read

__all__ = ["GRADER_VERSION", "grade_answer"]

GRADER_VERSION = 11
"""Raised whenever a verdict may change; logs graded with another version are graded again."""

_LONGEST = 20_000
_COMPARE: dict[AnswerKind, Callable[[Reading, Key, str], Finding | None]] = {
    "number": lambda answer, key, _: compare_number(answer, key),
    "time": lambda answer, key, _: compare_time(answer, key),
    "date": lambda answer, key, _: compare_date(answer, key),
    "list": compare_list,
    "yesno": compare_yesno,
}
_VALUES = frozenset({"number", "time", "date"})


def grade_answer(answer: str, key: Key, question: str = "") -> Verdict:
    """The verdict on one answer: strict, by value, without a model.

    Blank answers are `unparsed`, refusals `refused`; all others are right (1) or wrong (0). The key's own words are
    always right. An answer that claims the right thing and also a wrong one is wrong; evidence and working are not
    claims. `question` is the question's text: it decides whether the order of a list matters, and what a statement
    means as an answer to a yes-or-no question. Only the first 20,000 characters are read.

    The verdict is certain where the answer is just the key's words or value, or a known wrong value. It is not certain
    where a paraphrase, a hedge, a revision or a long sentence could mean more than the key can decide.
    """
    shown = one_line_answer(answer)
    answer = answer[:_LONGEST]
    reading = read(answer)
    if not reading.tokens:
        return Verdict(status="unparsed", reason="no answer")
    if any(form.tokens and _is_form(reading, form, key) for form in map(read, key_forms(key))):
        return _scored(Finding(True, f"matches {one_line_answer(key.answer, 100)}"), shown)
    if all(token.kind == "mark" for token in reading.tokens):
        return Verdict(status="unparsed", answer=shown, reason="no words in the answer")
    if is_refusal(answer) and not any(is_refusal(form) for form in key_forms(key)):
        return Verdict(status="refused", answer=shown, reason="declines to answer")
    if key.kind == "absent":
        return _scored(_absent(answer, reading), shown)
    finding = _present(answer, reading, key, question)
    return _scored(replace(finding, certain=finding.certain and _is_straight(reading, finding, key)), shown)


def _is_form(reading: Reading, form: Reading, key: Key) -> bool:
    """Whether an answer is a form of the key as written. Between values, signs matter: £120 is not $120."""
    return reading.same_text(form) or (key.kind not in _COMPARE and reading.same_words(form))


def _scored(finding: Finding, shown: str) -> Verdict:
    return Verdict(
        status="scored",
        value=float(finding.right),
        answer=shown,
        reason=one_line_answer(finding.reason, 200),
        certain=finding.certain,
    )


def _is_straight(reading: Reading, finding: Finding, key: Key) -> bool:
    """Whether an answer is unambiguous. A hedged wrong value is still wrong."""
    if not is_brief(reading):
        return False
    return not finding.right or not (hedges(reading, value=key.kind in _VALUES) or turns(reading))


def _absent(answer: str, reading: Reading) -> Finding:
    """Only a clean abstention is right where the text has no answer."""
    absence = read_absence(answer)
    brief = is_brief(reading)
    if absence.kind is AbsenceKind.CLEAN:
        clear = brief and absence.alone and not (absence.aside or absence.modest or turns(reading))
        return Finding(True, "says that the text does not say", certain=clear)
    if absence.kind is AbsenceKind.GUESSED:
        offered = read(absence.rest)
        clear = brief and not absence.aside and (hedges(offered) or asserts(offered))
        return Finding(False, "says it is not mentioned, then offers an answer", certain=clear)
    return Finding(False, "made up an answer", certain=asserts(reading))


def _present(answer: str, reading: Reading, key: Key, question: str) -> Finding:
    """The text has the answer: an abstention is wrong, unless it concerns something else."""
    absence = read_absence(answer)
    if absence.kind is AbsenceKind.NONE or _sound_absent(key_forms(key)):
        return _compare(reading, key, question)
    if key.kind == "yesno" and reading.tokens[0].word in {"yes", "no"} and read_polarity(reading) is not None:
        return _compare(reading, key, question)  # "No, he was not mentioned in the will"
    if absence.aside:
        finding = _compare(read(absence.rest), key, question)
        if finding.right or absence.kind is AbsenceKind.GUESSED:
            return replace(finding, certain=False)
    if absence.kind is AbsenceKind.CLEAN:
        return Finding(False, "abstained though the text says", certain=not absence.aside and not turns(reading))
    return Finding(False, "says it is not mentioned, then guesses", certain=False)


@lru_cache(maxsize=4096)
def _sound_absent(forms: tuple[str, ...]) -> bool:
    return any(read_absence(form).kind is not AbsenceKind.NONE for form in forms)


def _compare(reading: Reading, key: Key, question: str) -> Finding:
    compare = _COMPARE.get(key.kind)
    finding = compare(reading, key, question) if compare else None
    return compare_text(reading, key) if finding is None else finding
