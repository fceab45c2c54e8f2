"""Statements that a question can quote: of a usual length, without code, and not tied to the text around them."""

from __future__ import annotations

import re

from longreach.text.presence import fold, occurs_in

from .chinese.grammar import simplified
from .terms import Sentence

__all__ = ["is_quotable", "unstopped"]

_WORDS, _HAN = range(8, 33), range(14, 70)
"""Length of a statement in words, or in Chinese characters."""
_ODD = re.compile(
    r"[<>{}|\\=#$@~^*_:;：；`\t]|\.\.|https?:|\w\(|“[^”]*$|^[^“]*”|\s[-–—/+&]\s*$|^\W|\[\d+\]|''|^[\w-]+ [–-] "
    r"|\d\.[A-Z]|[a-z] (?:An?|The|This|In|It|If|When|Normally|Usually|Used|Specifies|Indicates|These|You|There|Once"
    r"|Each) [a-z]"
)
"""Code, labels, notes, and a heading that runs into its sentence."""
_LEANING = {
    "en": re.compile(
        r"^(?:And|But|Or|So|Yet|That|Just|Then|Let|Lets|Read|Say|Think|Consider|Suppose|Imagine|Assume|Basically|Note|Notice"
        r"|Remember|Keep|Important|Please|Feel|Interested|Lastly|Finally|Here|There|Now|Next|Again|Sometimes|Usually"
        r"|Instead|Otherwise|However|Therefore|Thus|Hence|Also|Others?|Another|Both|Such|"
        r"Similarly|Alternatively|Additionally|Furthermore|Moreover|Likewise|If [“‘\"]"
        r"|As a (?:consequence|result)|Thereafter|Afterwards|Once that|Typically the"
        r"|(?:\w+ )?(?:days|weeks|months|years) later"
        r"|In (?:this|that|these|addition|general|fact|short|other|most)|For (?:example|instance|this|more)|As you)\b"
        r"|^(?:The|Each|Every|Some|All|Most|Many) (?:(?:adult|main|mature|young|smaller|larger?|small|upper|lower"
        r"|inner|outer|whole|male|female|dead|new|old|other|ripe|actual|entire) )?[a-z]+ "
        r"(?:is|are|can|may|will|should|must|has|have|does|do|was|were|could|would|tends?)\b"
        r"|^(?:\S+ ){0,5}(?:it|its|they|their|them)\b"
        r"|\b(?:above|below|following|previous\w*|see|section|chapter|appendix|figure|table|listing|example|page|here|this"
        r"|these|those|let's|former|latter|he|she|his|her|him|mentioned|described|discussed|do so"
        r"|each of them|(?:to|of|in|for|with|from|on|by|at|uses?|using) that (?!the\b|a\b)[a-z]+)\b"
        r"|\bthe (?:problem|command|default value|idea|system|question|result|case|issue|process)\b"
        r"(?! (?:of|that|to|for|in|line|called|named))",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"\b(?:dies\w*|jene\w*|solche\w*|hier|dort|nun|dabei|dazu|damit|davon|dafür|darin|daran|darauf|darüber|daher"
        r"|deshalb|also|jedoch|er|ihn|ihm|beachten|Beispiel\w*|folgende\w*|oben|unten|siehe|Abschnitt\w*|Kapitel\w*"
        r"|Abbildung\w*|Seite|letztere\w*|erstere\w*)\b|^(?:\S+ ){0,3}(?:es|sie|ihr\w*|sein\w*)\b"
        r"|^(?:Aber|Auch|So|Dann|Außerdem|Zunächst|Zuerst|Zuletzt|Hingegen|Zusätzlich|Ebenso|Wie bisher|Schritt \d"
        r"|Feld \d)\b|\b(?:zudem|weitere[rns]?)\b|^Das (?:[a-zäöüß]+t|ist|war|hat|kann|muss|soll)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"[这那它此该你您他她]|我(?!们)|其(?!他|它|中|余|实)|所以|因此|但是|但|然后|接着|于是|不过|例如|比如|如下|如图|[图表]\s?\d|上面|下面|前面|后面|以上"
        "|以下|同样|也是|第[一二三四五]步|请|注意|总之"
    ),
}
"""In sentences that are understood only where they stand."""
_TELLS_LITTLE = {
    "en": re.compile(
        r"^The (?:[a-z-]+ ){1,2}(?!of|for|in|on|to|from|that|which|who|between|with|at)[a-z]+\b"
        r"|^(?:\S+ ){0,8}(?:it|them|they)\b|\b(?:also|however|therefore|thus|hence|then|instead|again|finally|click"
        r"|manual|document|guide|book|details"
        r"|information)\b",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"^(?:Der|Die|Das) \w+ (?:ist|sind|kann|können|wird|werden|hat|haben)\b"
        r"|\b(?:wieder|genauso|ebenfalls|ebenso|alternativ|dann|außerdem)\b"
    ),
    "zh": re.compile("其|之后|而且|并且|另外|此外|首先|其次|最后"),
}
"""In sentences whose place nobody looks for."""


def unstopped(text: str) -> str:
    """A sentence without its full stop."""
    return text.rstrip(" .。")


def is_quotable(sentence: Sentence, language: str, *, telling: bool) -> bool:
    """Whether a sentence is understood where it is quoted, as far as its words show; and tells much, if asked for."""
    text = sentence.text
    words = simplified(text) if language == "zh" else text
    return (
        sentence.whole
        and (len(text) if language == "zh" else len(text.split())) in (_HAN if language == "zh" else _WORDS)
        and text.endswith((".", "。"))
        and not _ODD.search(text)
        and not _LEANING[language].search(words)
        and not (telling and _TELLS_LITTLE[language].search(words))
        and occurs_in(unstopped(text), fold(sentence.raw))
    )
