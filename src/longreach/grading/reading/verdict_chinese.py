"""Chinese sentences about whether a text has errors, clause by clause."""

from __future__ import annotations

from collections.abc import Iterator

from longreach.grading.patterns import Patterns

from .verdict_english import Remark, settled

__all__ = ["read_chinese"]

_PATTERNS = Patterns("verdict_chinese")
_BLAME, _PRAISE, _NEGATION = _PATTERNS["blame"], _PATTERNS["praise"], _PATTERNS["negation"]
_SUPPOSED, _WHOLE, _PART, _ALL = (_PATTERNS[name] for name in ("supposed", "whole", "part", "all"))
_MINOR, _PARTLY = _PATTERNS["minor"], _PATTERNS["partly"]
_CONCESSION, _MAIN, _CLAUSE = _PATTERNS["concession"], _PATTERNS["main"], _PATTERNS["clause"]
_SHORT = 6


def read_chinese(sentence: str, *, label: bool = False) -> Iterator[Remark]:
    """The remarks of a sentence, like `read_english`."""
    found: list[Remark] = []
    conceded: list[Remark] = []
    conceding = False
    for clause in (part.strip() for part in _CLAUSE.split(sentence)):
        conceding = _CONCESSION.match(clause) is not None or (conceding and not _MAIN.match(clause))
        remark = None if _SUPPOSED.search(clause) else _clause(clause, label)
        if remark is not None:
            (conceded if conceding else found).append(remark)
    yield from settled(found or conceded)


def _clause(clause: str, label: bool) -> Remark | None:
    polarities, negated = _polarity(clause)
    if len(polarities) != 1:
        return None
    part = _PART.search(clause) is not None
    if polarities == {True}:
        return Remark(errors=True, whole=label or not part, minor=bool(_MINOR.search(clause)), part=part and not label)
    in_part = part and not _ALL.search(clause)
    whole = label or (not in_part and (len(clause) <= _SHORT or negated or bool(_WHOLE.search(clause))))
    return Remark(errors=False, whole=True) if whole and not _PARTLY.search(clause) else None


def _polarity(clause: str) -> tuple[set[bool], bool]:
    polarities: set[bool] = set()
    negations = at = 0
    while at < len(clause):
        # "不一致" is blame, not a negated praise; "无误" is praise, not a negated blame.
        if found := _PRAISE.match(clause, at):
            polarities.add(negations % 2 == 1)
        elif found := _BLAME.match(clause, at):
            polarities.add(negations % 2 == 0)
        elif found := _NEGATION.match(clause, at):
            negations += 1
        at = found.end() if found else at + 1
    return polarities, negations > 0
