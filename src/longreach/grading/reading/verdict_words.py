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
_PARTLY, _PART, _ALL, _WHOLE = (_PATTERNS[f"{name} words"] for name in ("partly", "part", "all", "whole"))
_CLAUSE = _PATTERNS["clause"]
_LINK = re.compile(r"^(?:but|however|yet|so|and|or)\b\s*")
_VERB = _PATTERNS["verb words"]
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*|\d+")
_ADVERSATIVE = re.compile(r"\b(?:but|however|yet)\b")
_SHORT = 3
_FRAGMENT = 8


class Remark(Frozen):
    """The statement of a sentence about errors."""

    errors: bool
    """True: something is wrong; False: something is right."""
    whole: bool
    """Whether it concerns the text as a whole."""
    part: bool = False
    """An error in a named part: evidence for a verdict, not one."""


def read_english(sentence: str, *, label: bool = False) -> Iterator[Remark]:
    """The remarks of a lower-case sentence; mostly one, two where it contradicts itself."""
    for pattern, put in _NORMAL:
        sentence = pattern.sub(put, sentence)
    found: list[Remark] = []
    negated = about_whole = False
    for clause in (_LINK.sub("", part.strip()) for part in _CLAUSE.split(sentence)):
        remark, negated = _clause(clause, label=label, negated=negated, about_whole=about_whole)
        about_whole = about_whole or (_WHOLE.search(clause) is not None and not _PART.search(clause))
        if remark is not None:
            found.append(remark)
    if _ADVERSATIVE.search(sentence) and found and (found[-1].errors or found[-1].whole):
        # "it is accurate, but one date is wrong": the part after the "but" counts.
        found = [one for one in found if one.errors == found[-1].errors]
    yield from settled(found)


def settled(found: Sequence[Remark]) -> Sequence[Remark]:
    """The remarks of one sentence as one, where they agree."""
    if len({one.errors for one in found}) != 1:
        return found
    return (Remark(errors=found[0].errors, whole=any(one.whole for one in found), part=all(one.part for one in found)),)


def _clause(clause: str, *, label: bool, negated: bool, about_whole: bool) -> tuple[Remark | None, bool]:
    """The remark of a clause, and whether it was negated. `negated`: the previous clause was, which a mere list
    continues."""
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
    return Remark(errors=True, whole=whole, part=part and not label), negated


def _polarity(words: Sequence[str], continues: bool) -> tuple[set[bool], bool]:
    """The polarity of a clause's words: True for errors, False for none; and whether a negation decided it."""
    polarities: set[bool] = set()
    negations = int(continues)
    negated = continues
    for place, word in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else ""
        if word in _FAILS and after in ("to", "in"):
            negations += 1  # "fails to match"
        elif _BLAME.fullmatch(word):
            negated = negated or negations % 2 == 1
            polarities.add(negations % 2 == 0)
        elif _PRAISE.fullmatch(word):
            negated = negated or negations % 2 == 1
            polarities.add(negations % 2 == 1)
        elif word in _NEGATIONS and not (place == 0 and word == "no" and _VERB.fullmatch(after)):
            negations += 1
    return polarities, negated


# Chinese sentences about whether a text has errors, clause by clause.

_CHINESE_PATTERNS = Patterns("verdict_chinese")
_CHINESE_BLAME, _CHINESE_PRAISE, _NEGATION, _CHINESE_SUPPOSED, _CHINESE_PART, _CHINESE_PARTLY, _CHINESE_CLAUSE = (
    _CHINESE_PATTERNS[name] for name in ("blame", "praise", "negation", "supposed", "part", "partly", "clause")
)


def read_chinese(sentence: str, *, label: bool = False) -> Iterator[Remark]:
    """The remarks of a sentence, like `read_english`."""
    clauses = [clause for clause in _CHINESE_CLAUSE.split(sentence) if not _CHINESE_SUPPOSED.search(clause)]
    yield from settled([remark for clause in clauses if (remark := _chinese_clause(clause.strip(), label))])


def _chinese_clause(clause: str, label: bool) -> Remark | None:
    polarities = _chinese_polarity(clause)
    part = not label and _CHINESE_PART.search(clause) is not None
    if polarities == {True}:
        return Remark(errors=True, whole=not part, part=part)
    right = polarities == {False} and not part and not _CHINESE_PARTLY.search(clause)
    return Remark(errors=False, whole=True) if right else None


def _chinese_polarity(clause: str) -> set[bool]:
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
    return polarities


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
        polarities = {remark.errors for remark in found if not remark.part}
    return polarities.pop() if len(polarities) == 1 else None


def remarks(text: str, *, label: bool = False) -> Iterator[Remark]:
    """The remark of each sentence, in order; sentences without one are skipped. `label`: a phrase by itself, which
    concerns the whole."""
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
