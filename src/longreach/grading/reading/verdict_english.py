"""English sentences about whether a text has errors.

A sentence is cut into clauses. A word of praise or blame counts with the negations before it in its clause; a clause
with both is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from longreach.core.model import Frozen

__all__ = ["Remark", "read_english", "settled"]

_BLAME = re.compile(
    r"hallucinat\w*|errors?|mistakes?|mistaken|inaccura\w+|incorrect\w*|wrong\w*|unfaithful\w*|infidelit\w+"
    r"|inconsisten\w+|contradict\w*|discrepanc\w+|unsupported|fabricat\w+|untrue|falsehoods?|false|falsely|flaw(?:s"
    r"|ed)?|misrepresent\w*|misstate\w*|misattribut\w*|misleading|distort\w*|erroneous\w*|made-up|invented"
    r"|mismatch\w*|deviat\w+|diverg\w+|problems?|issues?|faults?|faulty|fail|fails|failed|fictitious|invalid"
    r"|unfounded|nonfactual|swapped|mixes|confuses"
)
_PRAISE = re.compile(
    r"faithful\w*|accura\w+|consisten(?:t|tly|cy)|true|truthful\w*|correct|correctly|supported|right|match(?:es|ed)?"
    r"|agrees?|agreement|borne|checks|holds?|reliable|sound|valid|good|ok|okay|fine|pass|passes|passed|clean|grounded"
    r"|factual\w*|verified|confirmed|corresponds?|in-line|in-keeping|in-accordance|fidelity|error-free|flawless"
    r"|reflects"
)
_LOOSE = re.compile(
    r"true|correct|correctly|supported|right|good|ok|okay|fine|pass|passes|passed|clean|valid|sound|verified|confirmed"
    r"|checks|holds?|agreement|reliable|grounded|match|factual\w*|reflects"
)
"""Praise that may concern other things ("the correct name is Ann"): counts as a predicate, or alone."""
_BEFORE_LOOSE = re.compile(
    r"is|are|was|were|be|been|being|remains?|seems?|appears?|looks?|as|all|everything|it|also|still|each|fully"
    r"|entirely|completely|factually|not|well|perfectly|quite|claim|sentence|detail|summary|verdict|that|story"
)
_NEGATIONS = frozenset(
    [
        "no",
        "not",
        "never",
        "without",
        "none",
        "nothing",
        "neither",
        "nor",
        "zero",
        "0",
        "lacks",
        "lack",
        "absence",
        "free",
        "hardly",
        "barely",
        "devoid",
        "unable",
        "far-from",
        "anything-but",
        "non",
        "un",
    ]
)
_FAILS = frozenset(["fail", "fails", "failed", "failing"])
_NORMAL = (
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bcannot\b"), "can not"),
    (
        re.compile(
            r"\b(?:could|can) not (?=(?:find|see|spot|detect|identify|fault|be called|be considered|discover)\b)"
        ),
        "do not ",
    ),
    (re.compile(r"\b(far) from\b"), "far-from"),
    (re.compile(r"\banything but\b"), "anything-but"),
    (re.compile(r"\bmade[ -]up\b"), "made-up"),
    (re.compile(r"\bin (line|keeping|accordance)\b"), r"in-\1"),
    (
        re.compile(
            r"\b(?:error|mistake|hallucination|inaccuracy|fault|flaw)s?[ -]free\b|\bfree (?:of"
            r"|from) (?:any )?(?:\w+ )?(?:errors?|hallucinations?|mistakes?|inaccuracies)(?:(?:,| and| or) (?:errors?"
            r"|hallucinations?|mistakes?|inaccuracies))*"
        ),
        "error-free",
    ),
    (re.compile(r"\b(?:non|un|not)-(?=hallucinat|faithful|factual|support)"), "not "),
    (
        re.compile(
            r"\b(?:(?:there is |there's |there can be |i have )?no doubt(?: that)?|without (?:a |any )?doubt"
            r"|beyond (?:a )?doubt|no question|without question|not only|not just|not merely|without exception"
            r"|no matter|if any|none other than|in fact|nothing but|on the right|right away|right after|right before"
            r"|as far as i can (?:see|tell)|the right)\b"
        ),
        " ",
    ),
    (
        re.compile(
            r"\bfor (?:any |possible |factual |potential )*(?:errors?|hallucinations?|mistakes?|inaccurac\w+"
            r"|inconsistenc\w+|\w+ errors?)"
        ),
        " ",
    ),
    (
        re.compile(
            r"\b(?:factual|consistency|accuracy|faithfulness) (?=errors?|mistakes?|inaccurac|issues?|problems?"
            r"|inconsist|hallucin)"
        ),
        "",
    ),
)
"""Replaces synonyms by one form; removes idioms that look like negations, and restatements of the task."""
_SUPPOSED = re.compile(
    r"\b(?:whether|would|could|might|may|maybe|perhaps|possibl[ey]|potential(?:ly)?|should|unsure|uncertain|unclear"
    r"|(?:not|hardly) (?:sure|certain|clear)|(?:hard|difficult|impossible) to|can not|unable to|inconclusive|arguably"
    r"|debatable|ambiguous|either|so far|need to|have to|let me|let us|let's|going to|must|will|to (?:see|determine"
    r"|check|verify|decide)|checking|look(?:ing)? for|search(?:ing)? for|at first|initial(?:ly)?|thought"
    r"|suspect(?:ed)?|seemed|assumed|expected|task|asked|types? of|kinds? of|undecided|(?:faithful|accurate|correct"
    r"|not)(?: or |/)\w+|hallucinated(?: or |/)\w+)\b"
)
_CONDITION = re.compile(r"^(?:if|unless|assuming|suppose|supposing|provided|in case|were)\b")
_PARTLY = re.compile(
    r"\b(?:mostly|most|largely|mainly|generally|broadly|partly|partially|somewhat|almost|nearly|otherwise|in part"
    r"|essentially|substantially|reasonably|fairly|by and large|on the whole|in general|basically|roughly|half|mixed"
    r"|many|some|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[1-9]\d*)\b"
)
_PART = re.compile(
    r"\b(?:sentences?|claims?|details?|parts?|rest|remainder|remaining|others?|points?|lines?|statements?|names?"
    r"|dates?|years?|numbers?|events?|paragraphs?|phras\w+|words?|wording|clauses?|first|second|third|last|fourth"
    r"|fifth|beginning|middle|end|chapters?|bullet|items?|facts?|order|cause|place|person|quotation|description"
    r"|reference|mention|attribution|(?:this|that|which) (?:is|was|contradicts|does))\b"
)
_ALL = re.compile(
    r"\b(?:all|every|everything|each|any|entire|entirely|whole|throughout|overall|no|none|nothing|neither"
    r"|not a single|not one)\b"
)
_WHOLE = re.compile(
    r"\b(?:summary|summari[sz]ation|verdict|conclusion|account|synopsis|abstract|overall|answer|label|judge?ment"
    r"|assessment|it|there|i (?:found|find|see|detect|did not|do not|conclude)|found|detected|spotted|final|text)\b"
)
_MINOR = re.compile(
    r"\b(?:minor|slight(?:ly)?|small|trivial|negligible|stylistic|loose(?:ly)?|a bit|a little|tiny|cosmetic"
    r"|nitpick\w*|acceptable|harmless|tolerable|technically|strictly|pedantic|not (?:an?|really an?"
    r"|strictly an?) (?:error|hallucination|mistake))\b"
)
_CONCESSION = (
    r"(?:although|though|even though|even if|while|whilst|despite|in spite of|notwithstanding|albeit|granted"
    r"|whereas)\b"
)
_CONCEDES = re.compile(rf"^{_CONCESSION}")
_EXCEPTION = r"(?:except|apart from|aside from|save for|with the exception)\b"
_EXCEPTS = re.compile(rf"^{_EXCEPTION}")
_BESIDE = r"(?:rather than|instead of|other than|as opposed to|because|since|as the story)\b"
_IS_BESIDE = re.compile(rf"^{_BESIDE}")
_CLAUSE = re.compile(
    rf"[,;:()\[\]—–]|\s-{{1,2}}\s|->|=>|→|\s(?=(?:(?:but|however|yet|so|and)\b|{_CONCESSION}|{_EXCEPTION}|{_BESIDE}))"
)
_LINK = re.compile(r"^(?:but|however|yet|so|and|or)\b\s*")
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|contains?|there|it|does|do|did|makes?|gets?|says?|states?|claims?)\b"
)
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
