"""One answer against one key."""

from __future__ import annotations

from collections.abc import Callable

from sonde.core.question import AnswerKind, Key
from sonde.core.verdict import Verdict

from .absent import AbsenceKind, read_absence
from .by_number import compare_number
from .by_value import compare_date, compare_list, compare_time, compare_yesno
from .by_words import compare_text
from .finding import Finding, key_forms
from .refusal import is_refusal
from .values import Reading, read, read_polarity
from .words import one_line_answer

__all__ = ["GRADER_VERSION", "grade_answer"]

GRADER_VERSION = 1
"""Goes up whenever a verdict may change; logs graded with another version are graded again."""

_LONGEST = 20_000
_COMPARE: dict[AnswerKind, Callable[[Reading, Key], Finding | None]] = {
    "number": compare_number,
    "time": compare_time,
    "date": compare_date,
    "list": compare_list,
    "yesno": compare_yesno,
}


def grade_answer(answer: str, key: Key) -> Verdict:
    """The verdict on one answer: strict, by value, without a model.

    Blank answers are `unparsed`, refusals `refused`; all others are right (1) or wrong (0). The key's own words are
    always right. An answer that says the right thing and also a wrong one is wrong. Of an answer of more than 20,000
    characters only the beginning is read.
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
    return _scored(_absent(answer) if key.kind == "absent" else _present(answer, reading, key), shown)


def _is_form(reading: Reading, form: Reading, key: Key) -> bool:
    """Whether an answer is a form of the key as it stands. Between values, signs matter: £120 is not $120."""
    return reading.same_text(form) or (key.kind not in _COMPARE and reading.same_words(form))


def _scored(finding: Finding, shown: str) -> Verdict:
    return Verdict(
        status="scored", value=float(finding.right), answer=shown, reason=one_line_answer(finding.reason, 200)
    )


def _absent(answer: str) -> Finding:
    """Only a clean abstention is right where the story says nothing."""
    kind = read_absence(answer).kind
    if kind is AbsenceKind.CLEAN:
        return Finding(True, "says that the text does not say")
    if kind is AbsenceKind.GUESSED:
        return Finding(False, "says it is not mentioned, then offers an answer")
    return Finding(False, "made up an answer")


def _present(answer: str, reading: Reading, key: Key) -> Finding:
    """The answer stands in the story: an abstention is wrong, unless it concerns something beside the answer."""
    absence = read_absence(answer)
    if absence.kind is AbsenceKind.NONE or _key_sounds_absent(key):
        return _compare(reading, key)
    if key.kind == "yesno" and reading.tokens[0].word in {"yes", "no"} and read_polarity(reading) is not None:
        return _compare(reading, key)  # "No, he was not mentioned in the will"
    if absence.aside:
        finding = _compare(read(absence.rest), key)
        if finding.right or absence.kind is AbsenceKind.GUESSED:
            return finding
    if absence.kind is AbsenceKind.CLEAN:
        return Finding(False, "abstained though the story says")
    return Finding(False, "says it is not mentioned, then guesses")


def _key_sounds_absent(key: Key) -> bool:
    return any(read_absence(form).kind is not AbsenceKind.NONE for form in key_forms(key))


def _compare(reading: Reading, key: Key) -> Finding:
    compare = _COMPARE.get(key.kind)
    finding = compare(reading, key) if compare else None
    return compare_text(reading, key) if finding is None else finding
