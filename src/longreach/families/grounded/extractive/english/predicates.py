"""What an English statement says of its subject, and whether that is worth asking."""

from __future__ import annotations

import re

from .asking import BOUNDARY, tidy
from .grammar import LEANING, Clause
from .words import content_words, tokenize

__all__ = ["is_worth_asking", "true_of_many", "what_is_told"]

_WEAK = re.compile(
    r"^(?:\S+ ){0,2}(?:(?<!must )(?<!should )(?<!may )not|never|no|cannot|neither|\w+n['’]t)\b"
    r"|\b(?:also|however|therefore|thus|hence|instead|nor|again|others|another|similar\w*|same|likewise|too|previous\w*"
    r"|latter|former|above|below"
    r"|following|mentioned|discussed|described|see|section|chapter|appendix|example|instance|here|only one|deprecated"
    r"|obsolete|page|manual|documentation|details|information|one of|rather|either|equivalent|alternative"
    r"|alternatively|useful|helpful|important|recommended|easy|good|best|well|possible|necessary|common\w*"
    r"|popular|ways?)\b",
    re.IGNORECASE,
)
"""In a statement that refers to others, denies, or says little."""
_TRUE_OF_MANY = re.compile(
    r"(?:is|are|was|were|has been|have been|can be|may be|must be|should be|will be) (?:\w+ly )?"
    r"(?:available|supported|required|needed|installed|included|provided|used|enabled|disabled|set|allowed|given|defined"
    r"|present|found|part|released|tested|called|known|like|about|there|empty|run|in|on|to be|able)\b"
    r"(?! (?:to|by|when|if|for|only when|as an?|with) )"
    r"|(?:has|have|had|gets?|works?|exists?|comes?|looks?|happens?) |(?:includes?|contains?) (?:the|a|an|all) \w+$"
)
_ODD = re.compile(
    r"\s[^\w\s“”‘’\"'(,&$~/+.-]+(?:\s|$)|\s[.+~-](?:\s|$)|[a-z]\d\b|\b\d{1,2} (?:\d|and|or|of)\b"
    r"|^(?:is|are|was|were) (?:to|that|where|when|why|how|because|as)\b|^\w+,|^(?:is|are) \S*[A-Z_/.-]\w*(?:,|$)"
    r"|^(?:is|are) [a-z]+, (?:which|who|that)\b|#"
)
"""Marks of code that is cut, notes, and what is no property."""
_JOINED = re.compile(r",? (?:and|but|so|or) (?=(?P<more>.+))")
_LENGTH = range(5, 34)
_LEAST_CONTENT = 3


def is_worth_asking(told: str, lead: str = "") -> bool:
    """Whether a statement says enough after what leads it, and is understood without the one before it."""
    return (
        len(f"{lead}{told}".split()) in _LENGTH
        and len(content_words(f"{lead}{told}")) >= _LEAST_CONTENT
        and not _WEAK.search(told)
        and not _ODD.search(told)
        and not set(told.casefold().split()) & LEANING
        and not re.search(r"[“”\"‘’:]", told)
    )


def true_of_many(told: str) -> bool:
    """Whether a predicate fits many subjects."""
    return _TRUE_OF_MANY.match(told) is not None


def what_is_told(clause: Clause) -> str:
    """The predicate of a clause, without a second statement; empty where it is cut or misread."""
    told = tidy(clause.predicate)
    if _ODD.search(clause.predicate):
        return ""
    for match in _JOINED.finditer(told):
        after = tokenize(match["more"])
        if after[0].may("AUX", "VB", "VBZ") and not after[0].nominal:
            continue
        if any(word.may("AUX") or (word.may("VBZ") and not word.nominal) for word in after[1:7]):
            told = told[: match.start()]
            if any(word.low in BOUNDARY for word in tokenize(told)):
                return ""  # the second statement may belong to the clause inside the first
            break
    words = tokenize(told)
    if clause.end < len(clause.tokens) - 1 and any(word.low in {"if", "when", "unless"} for word in words):
        return ""  # the case went on
    first = next((place for place, word in enumerate(words) if not word.may("AUX", "ADV", "NOT")), 0)
    later = next((place for place, word in enumerate(words) if place > first and word.may("AUX")), 0)
    if later and not any(word.low in BOUNDARY or word.text == "," for word in words[:later]):
        return ""  # the first verb is a participle
    return told
