"""Whether a phrase states that a text has errors, in English or Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from longreach.core.language import has_han
from longreach.core.types import Frozen
from longreach.grading.values.words import Patterns, word_set

# English sentences about whether a text has errors.

_PATTERNS = Patterns("verdict_english")
_BLAME, _PRAISE = _PATTERNS["blame"], _PATTERNS["praise"]
_LOOSE, _BEFORE_LOOSE = _PATTERNS["loose"], _PATTERNS["before loose"]
"""Praise that may concern other things ("the correct name is Ann"): counts as a predicate, or alone."""
_NEGATIONS = word_set(
    "no not never without none nothing neither nor zero 0 lacks lack absence free hardly barely devoid unable far-from "
    "anything-but non un"
)
_FAILS = word_set("fail fails failed failing")
_NORMAL = (
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bcannot\b"), "can not"),
    (_PATTERNS["not able"], "do not "),
    (re.compile(r"\b(far) from\b"), "far-from"),
    (re.compile(r"\banything but\b"), "anything-but"),
    (re.compile(r"\bmade[ -]up\b"), "made-up"),
    (re.compile(r"\bin (line|keeping|accordance)\b"), r"in-\1"),
    (_PATTERNS["error free"], "error-free"),
    (re.compile(r"\b(?:non|un|not)-(?=hallucinat|faithful|factual|support)"), "not "),
    (_PATTERNS["idiom words"], " "),
    (_PATTERNS["task"], " "),
    (_PATTERNS["factual"], ""),
)
"""Replaces synonyms by one form; removes idioms that look like negations, and restatements of the task."""
_SUPPOSED = _PATTERNS["supposed words"]
_CONDITION = _PATTERNS["condition"]
_PARTLY, _PART, _ALL, _WHOLE = (_PATTERNS[f"{name} words"] for name in ("partly", "part", "all", "whole"))
_MINOR = _PATTERNS["minor words"]
_CONCEDES, _EXCEPTS, _IS_BESIDE = _PATTERNS["concession"], _PATTERNS["exception"], _PATTERNS["beside"]
_CLAUSE = _PATTERNS["clause"]
_LINK = re.compile(r"^(?:but|however|yet|so|and|or)\b\s*")
_VERB = _PATTERNS["verb words"]
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*|\d+")
_ELLIPSIS = re.compile(r"\b(?:is|are|was|were|does|do|did) not[.!]?$")
_ADVERSATIVE = re.compile(r"\b(?:but|however|yet)\b")
_SHORT = 3
_FRAGMENT = 8


class Remark(Frozen):
    """The statement of a sentence about errors."""

    errors: bool
    """True: something is wrong; False: something is right."""
    whole: bool
    """Whether it concerns the text as a whole."""
    minor: bool = False
    """An error that the writer plays down."""
    part: bool = False
    """An error in a named part: evidence for a verdict, not one."""


def read_english(sentence: str, *, label: bool = False) -> Iterator[Remark]:
    """The remarks of a lower-case sentence; mostly one, two where it contradicts itself."""
    for pattern, put in _NORMAL:
        sentence = pattern.sub(put, sentence)
    clauses = [_LINK.sub("", part.strip()) for part in _CLAUSE.split(sentence)]
    clauses = [clause for clause in clauses if clause and not _IS_BESIDE.match(clause)]
    if any(_CONDITION.match(clause) for clause in clauses):
        return
    found: list[Remark] = []
    conceded: list[Remark] = []
    excepted = conceding = negated = about_whole = False
    for number, clause in enumerate(clauses):
        # A concession at the start ends with its clause, a later one with the sentence.
        conceding = _CONCEDES.match(clause) is not None or (conceding and number > 1)
        excepted = excepted or _EXCEPTS.match(clause) is not None
        remark, negated = _clause(clause, label=label, negated=negated, about_whole=about_whole)
        about_whole = about_whole or (_WHOLE.search(clause) is not None and not _PART.search(clause))
        if (
            remark is None
            and _ELLIPSIS.search(clause)
            and any(_PRAISE.fullmatch(word) for word in _WORD.findall(sentence))
        ):
            remark = Remark(errors=True, whole=False, part=True)  # "eleven are supported, the fourth is not"
        if remark is not None:
            (conceded if conceding else found).append(remark)
    if _ADVERSATIVE.search(sentence) and found and not found[-1].minor and (found[-1].errors or found[-1].whole):
        # "it is accurate, but one date is wrong": the part after the "but" counts.
        found = [one for one in found if one.errors == found[-1].errors]
    if excepted and not any(one.errors for one in found) and not _MINOR.search(sentence):
        return  # "accurate except for the date": right in part only
    yield from settled(found or conceded)


def settled(found: Sequence[Remark]) -> Sequence[Remark]:
    """The remarks of one sentence as one, where they agree."""
    if len({one.errors for one in found}) != 1:
        return found
    return (
        Remark(
            errors=found[0].errors,
            whole=any(one.whole for one in found),
            minor=all(one.minor for one in found),
            part=all(one.part for one in found),
        ),
    )


def _clause(clause: str, *, label: bool, negated: bool, about_whole: bool) -> tuple[Remark | None, bool]:
    """The remark of a clause, and whether it was negated. `negated`: the previous clause was, which a mere list
    continues.
    """
    if _SUPPOSED.search(clause):
        return None, False
    words = [found[0] for found in _WORD.finditer(clause)]
    continues = negated and len(words) <= _FRAGMENT and not _VERB.search(clause)
    polarities, negated = _polarity(words, continues)
    if len(polarities) != 1:
        return None, negated
    errors = next(iter(polarities))
    short = len(words) <= _SHORT
    part = _PART.search(clause) is not None
    in_part = part and not _ALL.search(clause)
    speaks_of_whole = (
        label or short or about_whole or negated or bool(_WHOLE.search(clause)) or bool(_ALL.search(clause))
    )
    if not errors:
        says = not _PARTLY.search(clause) and (label or not in_part) and speaks_of_whole
        return (Remark(errors=False, whole=True) if says else None), negated
    if not (label or short or part or _WHOLE.search(clause) or about_whole):
        return None, negated  # a mistake in the text, not in the summary
    whole = label or short or bool(_WHOLE.search(clause))
    return Remark(errors=True, whole=whole, minor=bool(_MINOR.search(clause)), part=part and not label), negated


def _polarity(words: Sequence[str], continues: bool) -> tuple[set[bool], bool]:
    """The polarity of a clause's words: True for errors, False for none; and whether a negation decided it."""
    polarities: set[bool] = set()
    negations = int(continues)
    negated = continues
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        after = words[place + 1] if place + 1 < len(words) else ""
        if word in _FAILS and after in ("to", "in"):
            negations += 1  # "fails to match"
        elif _BLAME.fullmatch(word):
            negated = negated or negations % 2 == 1
            polarities.add(negations % 2 == 0)
        elif _PRAISE.fullmatch(word):
            loose = (
                _LOOSE.fullmatch(word) and len(words) > _SHORT and not negations and not _BEFORE_LOOSE.fullmatch(before)
            )
            named = before in ("the", "a") and after in (
                "version",
                "answer",
                "sentence",
                "name",
                "form",
                "wording",
                "order",
            )
            if not (loose or named):
                negated = negated or negations % 2 == 1
                polarities.add(negations % 2 == 1)
        elif word in _NEGATIONS and not (place == 0 and word == "no" and _VERB.fullmatch(after)):
            negations += 1
    return polarities, negated


# Chinese sentences about whether a text has errors, clause by clause.

_CHINESE_PATTERNS = Patterns("verdict_chinese")
_CHINESE_BLAME, _CHINESE_PRAISE, _NEGATION = (
    _CHINESE_PATTERNS["blame"],
    _CHINESE_PATTERNS["praise"],
    _CHINESE_PATTERNS["negation"],
)
_CHINESE_SUPPOSED, _CHINESE_WHOLE, _CHINESE_PART, _CHINESE_ALL = (
    _CHINESE_PATTERNS[name] for name in ("supposed", "whole", "part", "all")
)
_CHINESE_MINOR, _CHINESE_PARTLY = _CHINESE_PATTERNS["minor"], _CHINESE_PATTERNS["partly"]
_CONCESSION, _MAIN, _CHINESE_CLAUSE = (
    _CHINESE_PATTERNS["concession"],
    _CHINESE_PATTERNS["main"],
    _CHINESE_PATTERNS["clause"],
)
_CHINESE_SHORT = 6


def read_chinese(sentence: str, *, label: bool = False) -> Iterator[Remark]:
    """The remarks of a sentence, like `read_english`."""
    found: list[Remark] = []
    conceded: list[Remark] = []
    conceding = False
    for clause in (part.strip() for part in _CHINESE_CLAUSE.split(sentence)):
        conceding = _CONCESSION.match(clause) is not None or (conceding and not _MAIN.match(clause))
        remark = None if _CHINESE_SUPPOSED.search(clause) else _chinese_clause(clause, label)
        if remark is not None:
            (conceded if conceding else found).append(remark)
    yield from settled(found or conceded)


def _chinese_clause(clause: str, label: bool) -> Remark | None:
    polarities, negated = _chinese_polarity(clause)
    if len(polarities) != 1:
        return None
    part = _CHINESE_PART.search(clause) is not None
    if polarities == {True}:
        return Remark(
            errors=True, whole=label or not part, minor=bool(_CHINESE_MINOR.search(clause)), part=part and not label
        )
    in_part = part and not _CHINESE_ALL.search(clause)
    whole = label or (not in_part and (len(clause) <= _CHINESE_SHORT or negated or bool(_CHINESE_WHOLE.search(clause))))
    return Remark(errors=False, whole=True) if whole and not _CHINESE_PARTLY.search(clause) else None


def _chinese_polarity(clause: str) -> tuple[set[bool], bool]:
    polarities: set[bool] = set()
    negations = at = 0
    while at < len(clause):
        # "不一致" is blame, not a negated praise; "无误" is praise, not a negated blame.
        if found := _CHINESE_PRAISE.match(clause, at):
            polarities.add(negations % 2 == 1)
        elif found := _CHINESE_BLAME.match(clause, at):
            polarities.add(negations % 2 == 0)
        elif found := _NEGATION.match(clause, at):
            negations += 1
        at = found.end() if found else at + 1
    return polarities, negations > 0


# Whether a phrase states that a text has errors, in English or Chinese: "no errors", "far from accurate", 忠实于原文.

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_QUOTED = re.compile(
    r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|‘[^’\n]*’|《[^》\n]*》|`[^`\n]*`|(?<!\w)'[^'\n]{4,}'(?!\w)"
)
_MARKUP = re.compile(r"[*_~#>|]+")
_YES = re.compile(r"yes|true|y|1|present|found|是|有|存在|对|真")
_NO = re.compile(r"no|false|n|0|none|null|nil|nothing|n/a|not found|absent|empty|zero|否|无|没有|不|不存在|不是|假|没")
_CHECKMARKS = {"✅": "correct", "✔": "correct", "✓": "correct", "❌": "wrong", "✗": "wrong", "✘": "wrong"}
_LABEL_QUOTE = 24


def yes_or_no(text: str) -> bool | None:
    """Whether a short answer is yes; None where it is neither."""
    plain = text.strip(" \t\r\n.。!！\"'“”‘’*`_[]()").casefold()
    plain = re.split(r"[,，.。;；(（\-–—:：]", plain, maxsplit=1)[0].strip()
    return True if _YES.fullmatch(plain) else False if _NO.fullmatch(plain) else None


def label_says(text: str) -> bool | None:
    """Whether a label or a short phrase states that there are errors; None where it states neither or both."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).strip()
    plain = plain if " " in plain else re.sub(r"(?<=\w)[_-](?=\w)", " ", plain)
    found = list(remarks(plain, label=True))
    polarities = {remark.errors for remark in found}
    if len(polarities) > 1:
        polarities = {remark.errors for remark in found if not (remark.minor or remark.part)}
    return polarities.pop() if len(polarities) == 1 else None


def remarks(text: str, *, label: bool = False) -> Iterator[Remark]:
    """The remark of each sentence, in order; sentences without one are skipped. `label`: a phrase by itself, which
    concerns the whole.
    """
    for mark, word in _CHECKMARKS.items():
        text = text.replace(mark, f" {word} ")
    text = text.replace("’", "'").replace("**", "")
    for sentence in _SENTENCE.split(_QUOTED.sub(_quote, text)):
        plain = " ".join(_MARKUP.sub(" ", sentence).casefold().split())
        if plain and not plain.endswith(("?", "？")):
            yield from read_chinese(plain, label=label) if has_han(plain) else read_english(plain, label=label)


def _quote(found: re.Match[str]) -> str:
    """Quoted labels are retained; quoted sentences are removed, because they concern something else."""
    inside = found[0][1:-1]
    label = len(inside.split()) <= 2 and not inside.rstrip().endswith((".", "。")) and len(inside) <= _LABEL_QUOTE
    return inside if label else " quotation "
