"""Sentences of the form 'If X, Y' and 'To X, do Y': what happens, or what to do, in a case or to an end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..terms import LOOSE, Fact, Sentence, Term
from ..wordsets import word_set
from .asking import tidy
from .grammar import ASKS_WHETHER, LEANING, OURS, without_brackets
from .terms import clause_term
from .words import BE, Token, content_words, is_word, tokenize

__all__ = ["case_facts", "case_terms"]

_OPENERS = re.compile(
    r"(?:(?:However|Moreover|Furthermore|Nevertheless|Clearly|Ordinarily|Finally|Thus|Therefore|Usually|Normally"
    r"|Generally|By default|In general|Note that|But|And|So),? )(?=(?:if|when|unless|once|after|to|in order to)\b)",
    re.IGNORECASE,
)
_PART = r"[^,;:()“”]+"
_REST = r"(?P<rest>[^;:()“”]+)"
_HOW = r"(?:then |please |simply |just |first )*"
_YOU = (
    r"(?:you (?P<modal>can|should|must|may|need to|have to|will need to|will have to|could) (?:also |simply |then )?)?"
)
_AIM = re.compile(rf"(?:In order to|To) (?P<aim>{_PART}), {_HOW}{_YOU}{_REST}\.")
_BEFORE = re.compile(
    rf"(?P<when>If|When|Unless|Once|Whenever|After) (?P<case>{_PART}(?:, or if {_PART})?), {_HOW}{_YOU}{_REST}\."
)
_AFTER = re.compile(rf"{_HOW}(?P<rest>{_PART}) (?P<when>if|when|once) (?P<case>{_PART})\.", re.IGNORECASE)
_TAIL = re.compile(r"(.+?), (?:which|so|because|although|though|but|as|thus|making|since|where|while|even|and)\b.+")
"""An addition at the end of a long clause."""
_YOURS = re.compile(
    r"\b[Yy]ou (?:can|should|must|need to|have to) (?:also |simply |then )?(?P<rest>[^,;:()“”\"]+?)(?=,|\.$)"
)
_PLAIN = re.compile(rf"{_HOW}(?P<rest>{_PART})\.", re.IGNORECASE)
_NO_ORDER = word_set(
    "need have want note see be let remember suppose assume imagine refer think thank keep read check contact wish "
    "find get"
)
"""Verbs of requests that are no answer to 'what should you do'."""
_SUBJECTS = word_set("you we someone somebody anyone everyone")
_OBJECT = word_set(
    "up out off down your that to both all each every any no one two three only how whether what where which"
)
_CHANGES = ASKS_WHETHER | word_set(
    "only even as except and or just especially particularly not that of about than applies apply exactly precisely"
)
"""Words that change the meaning of a case after them."""
_OPENS_CLAUSE = word_set("sure that which if when who what how where whether until unless because after before while")
_ENDS_OPEN = re.compile(
    r"\b(?:the|a|an|of|to|in|on|at|by|for|from|with|and|or|as|than|like|using|following|below|above|so|it|this|that|is|there"
    r"|are|be|e\.g|i\.e)$"
)
_RESOLVED = word_set("it its they them their")
"""Pronouns in a consequence that the case resolves."""
_COUNTED = re.compile(
    r"\b(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|last) "
    r"(?:parameter|argument|field|column|option|line|step)\b"
)
"""'The 3rd parameter', of what the section names."""
_PRESSED = re.compile(r"\b(?:click|press|select|choose|hit|open)\b.*\b(?:button|key|tab|menu|window|OK)\b")
"""'The OK button', of which there are many."""
_VARIABLE = re.compile(r"(?<![\w'’-])[b-z]\d?(?![\w'’-])")
"""'x', of a function that the section names."""
_DEFINITE = word_set("the no any all")
_OF_THE = 4
"""Minimum content words of a case about a definite thing without a name."""
_WORDS = range(5, 25)
_CASE_WORDS = range(3, 20)
_EXPLETIVE = re.compile(
    r"it (?:is|was|will|would|can|may|might|could|should|must)(?: not| also| often)?(?: be| become)? "
    r"(?:\w+ly |very )*(?!able )\w+ (?:to|that|for|when|if|not)\b"
)
"""'It is possible to', where 'it' is no thing."""
_GOES_ON = re.compile(r"\b(?:and|as|because|since|so|but|while|unless|although)\b")
_LISTED = re.compile(
    r"[^,]*, (?:you|it|they|we|the|a|an|this|your) [^,]*\b(?:is|are|will|can|may|must|should|has|have)\b"
)
_POINTS = re.compile(
    r"\bthat (?:to|is|was|in|on|for|with)\b|\b(?:that|so)$|\bsimilar\b|\bdo so\b"
    r"|\bgood (?:idea|place|choice|practice)\b|\bworth \w+ing\b|\b(?:chapter|section|tutorial|appendix|appendices)s?\b"
    r"|\b(?:see|refer|information|details|described|discussed|explained)\b|\b(?:found|listed|given) (?:in|at|on)\b"
    r"|\b[Tt]he other\b(?! \w+ (?:of|that))|\bthe (?:first|second|last) (?:workaround|method|way|step|option)\b",
    re.IGNORECASE,
)
_SAYS_LITTLE = re.compile(
    r"\b(?:care must|feel free|of assistance|helpful|useful|welcome|in luck|might as well|do anything|too often)\b"
)
"""An answer that nobody would ask for."""
_OUTSIDE = re.compile(
    r"\b(?:any|all|every|the|an|some)? ?other\b(?! than)|\b(?:otherwise|so|instead|either|latter|former|same)\b"
)
"""In a case about what precedes it."""
_CUT_HEAD = re.compile(r"[\w-]+, |.*, if not\b|.* # |there\b|[^ ]*'s no\b|\w+ly (?:will|is|can)\b", re.IGNORECASE)
"""A statement that begins inside a list, or whose second case is missing."""
_JOINED = re.compile(r", (?:and|but|so) |; ")
_WRITTEN_OUT = {"re": " are", "ve": " have", "ll": " will"}
_FORESEES = re.compile(r" (?:will|would|may|can|cannot|must|should) | (?:is|are) (?:not |then |\w+ly )?\w+(?:ed|en)\b")
"""In a statement that can be the consequence of a case."""
_CAN = frozenset({"can", "could", "may"})
_UNCERTAIN = frozenset({"could", "may"})


@dataclass(frozen=True)
class _Case:
    stem: str
    kind: str
    """`instruction` or `consequence`."""
    answer: str
    titled: bool = False
    """Whether the case is about a thing that only the section names."""


def case_facts(sentence: Sentence) -> Iterator[Fact]:
    """Questions for what happens, or what to do."""
    found = _read(sentence.text, strict=True)
    if found is not None and found.stem:
        content = content_words(found.stem) - {"happen", "apply"}
        yield Fact(sentence, found.stem, _term(sentence, found), 2.7, content, titled=found.titled)


def case_terms(sentence: Sentence) -> Iterator[Term]:
    """Consequences and instructions of a sentence as options."""
    if (found := _read(sentence.text, strict=False)) is not None:
        yield _term(sentence, found)
        return
    for match in _YOURS.finditer(without_brackets(sentence.text)):
        if _is_order(match["rest"], alone=True):
            yield replace(clause_term(sentence, "instruction", (), match["rest"]), near=LOOSE)
    for part in _JOINED.split(without_brackets(sentence.text).rstrip(".")):
        rest = part[:1].lower() + part[1:] if part[:1].isupper() and not tokenize(part)[0].may("NAME", "CODE") else part
        if _PLAIN.fullmatch(f"{rest}.") and _is_statement(rest, frozenset()) and _FORESEES.search(rest):
            yield replace(clause_term(sentence, "consequence", (), _lower(rest)), near=LOOSE)


def _term(sentence: Sentence, found: _Case) -> Term:
    return clause_term(sentence, found.kind, (), found.answer)


def _read(text: str, *, strict: bool) -> _Case | None:
    """A case with its consequence or instruction; unless `strict`, the case itself may refer outside."""
    text = _OPENERS.sub("", without_brackets(text), count=1)
    text = text[:1].upper() + text[1:]
    if match := _AIM.fullmatch(text):
        aim, rest = match["aim"], _short(match["rest"])
        if not tokenize(aim)[0].may("VB") or (strict and not _self_contained(aim)) or not _is_order(rest):
            return None
        asked = f"How can you {aim}?" if match["modal"] in _CAN else f"What should you do to {aim}?"
        return _Case(asked, "instruction", _lower(rest))
    if (match := _BEFORE.fullmatch(text)) or (match := _AFTER.fullmatch(text)):
        when, case, rest = match["when"].lower(), match["case"], _short(match["rest"])
        if rest.split()[-1].casefold() in _CHANGES or (strict and not _is_case(case)):
            return None
        if when == "after" and not any(token.may("AUX") for token in tokenize(_long(case))):
            return None  # 'after several attempts'
        if match.re is _AFTER and (_GOES_ON.search(case) or re.search(r"\bto \w+$|\bonly\b", rest, re.IGNORECASE)):
            return None  # the second half may belong to the main clause, or 'if' means 'whether'
        if _LISTED.match(rest):
            return None  # 'on IMAP, POP or SMTP servers, you may'
        modal = match.groupdict().get("modal")
        if modal in _UNCERTAIN or (modal in _CAN and when not in {"if", "unless"}):
            return None  # 'you may lose data' is nothing to do, and what else can be done then is open
        if match.re is _BEFORE and _is_order(rest):
            # Without a word to the reader it may describe what a function does.
            verb = "can" if modal in _CAN else "should"
            asked = f"What {verb} you do {when} {case}?" if re.search(r"\b[Yy]ou(?:r|rs)?\b", text) else ""
            return _Case(asked, "instruction", _lower(rest), _is_vague(case))
        if not modal and _is_statement(rest) and (match.re is _BEFORE or _has_auxiliary(rest)):
            asked = "What applies" if _is_duty(rest) else "What happens"
            return _Case(f"{asked} {when} {case}?", "consequence", _lower(rest), _is_vague(case))
        return None
    if (match := _PLAIN.fullmatch(text)) and _is_order(match["rest"], alone=True):
        return _Case("", "instruction", _lower(match["rest"]))
    return None


def _has_auxiliary(rest: str) -> bool:
    """Whether the first verb is an auxiliary and no reader's: a case after it belongs to it, not to a noun."""
    tokens = tokenize(rest)
    for place, token in enumerate(tokens[1:-1], 1):
        if token.may("AUX", "VBZ", "VBD") and not token.nominal:
            return token.may("AUX") and tokens[0].low != "you" and not tokens[place + 1].may("DET")
    return False


def _is_duty(rest: str) -> bool:
    """Whether a statement is about what must or should be, rather than about what happens."""
    first = next((token.low for token in tokenize(rest) if token.may("AUX")), "")
    return first in {"must", "should"}


def _short(rest: str) -> str:
    match = _TAIL.fullmatch(rest) if len(rest.split()) not in _WORDS else None
    return match[1] if match else rest


def _long(text: str) -> str:
    """A text with its short forms written out, for its grammar: 'you are' for 'you're'."""
    text = re.sub(r"\b([Cc]an|[a-z]+(?=n['’]t))n?['’]t\b", r"\1 not", text)
    return re.sub(r"['’](re|ve|ll)\b", lambda match: _WRITTEN_OUT[match[1]], text)


def _is_case(text: str) -> bool:
    """Whether a subordinate clause has a subject and is understood by itself."""
    text = _long(text)
    tokens = tokenize(text)
    if len(text.split()) not in _CASE_WORDS or not _self_contained(text) or _ENDS_OPEN.search(text):
        return False
    if _OUTSIDE.search(text):
        return False
    first = tokens[0]
    if first.low in {"this", "that", "these", "those", "such"} or len(tokens) < 3:
        return False
    if first.low == "there":
        return tokens[1].low in BE
    if first.may("VBN", "VBG", "ADV", "PREP", "SUB") and not first.may("DET", "NAME", "NS", "N"):
        return False
    if not (first.low in _SUBJECTS or first.may("DET", "NAME", "CODE", "N", "NS", "NUM", "ADJ")):
        return False
    return _finite(tokens)


def _is_vague(text: str) -> bool:
    """Whether a case is about a definite thing without a name: 'the problem goes away', 'no name is given'."""
    tokens = tokenize(text)
    named = any(token.may("NAME", "CODE", "NUM") for token in tokens) or re.search('["‘“]', text)
    if _COUNTED.search(text) or _PRESSED.search(text) or _VARIABLE.search(text):
        return True
    if tokens[0].low not in _DEFINITE or named:
        return False
    return len(content_words(text)) < _OF_THE or tokens[2].may("AUX", "VBZ")


def _is_statement(text: str, allowed: frozenset[str] = _RESOLVED) -> bool:
    """Whether a main clause has a subject of its own and is understood by itself."""
    text = _long(text)
    tokens = tokenize(text)
    if len(text.split()) not in _WORDS or not _self_contained(text, allowed) or _ENDS_OPEN.search(text):
        return False
    first = tokens[0]
    if "?" in text or _CUT_HEAD.match(text) or _relative_first(tokens):
        return False
    if (
        first.low in {"this", "that"}
        or first.may("PREP")
        or not (first.may("DET", "NAME", "CODE", "N", "NS", "NUM", "ADJ") or first.low in {"you", "it", "they", "we"})
    ):
        return False
    if first.may("VB") and not first.may("NAME", "DET") and not tokens[1].may("AUX", "VBZ") and tokens[1].low != "of":
        return False
    if first.may("VBZ") and not first.may("NAME", "CODE") and tokens[1].may("DET", "SUB", "PREP", "NAME"):
        return False  # 'controls whether'
    return _finite(tokens[first.low not in {"it", "they", "you"} : 11]) and not any(
        empty.search(text) for empty in (_EXPLETIVE, _POINTS, _SAYS_LITTLE)
    )


def _relative_first(tokens: Sequence[Token]) -> bool:
    """Whether the first verb is that of a relative clause: 'the number of connections that will be served'."""
    opening = next((place for place, token in enumerate(tokens) if token.low in {"that", "which", "who"}), len(tokens))
    after = [token for token in tokens[opening + 1 :] if token.may("AUX") or token.may("VBZ")]
    return opening < len(tokens) and (opening < 2 or not _finite(tokens[1:opening])) and len(after) < 2


def _finite(tokens: Sequence[Token]) -> bool:
    """Whether there is a word that can only be a finite verb."""
    before = [None, *tokens[:-1]]
    return any(
        token.may("AUX")
        or (token.may("VBZ", "VBD") and not token.may("N", "NS", "ADJ", "VBN", "NAME", "PREP"))
        or (one is not None and one.nominal and token.may("VBZ"))
        or (one is not None and one.low in {"you", "they"} and token.may("VB"))
        or (one is not None and one.low == "it" and token.may("VBZ", "VBD"))
        or (one is not None and one.may("NS") and token.may("VB") and not token.may("N", "ADJ", "NAME"))
        for one, token in zip(before, tokens, strict=True)
    )


def _is_order(text: str, *, alone: bool = False) -> bool:
    """Whether a text is an imperative that is understood by itself; `alone`, it is a sentence without a case."""
    text = _long(text)
    tokens = tokenize(text)
    allowed = frozenset() if alone else _RESOLVED  # by the case
    if len(text.split()) not in _WORDS or not _self_contained(text, allowed) or _ENDS_OPEN.search(text):
        return False
    first, second = tokens[0], tokens[1]
    if not first.may("VB") or first.may("AUX", "DET", "PREP", "CODE") or first.low in _NO_ORDER:
        return False
    if _SAYS_LITTLE.search(text):
        return False
    if alone and first.may("ADJ") and not second.may("DET"):
        return False  # 'full instructions'
    if first.text[0].isupper() and first.may("NAME"):
        return False
    objects = ("DET", "NAME", "CODE", "NUM") if alone else ("DET", "NAME", "CODE", "NUM", "PREP")
    if (
        second.low not in (_OBJECT if alone else _OBJECT | _RESOLVED)
        and not second.may(*objects)
        and not _noun_phrase(second)
    ):
        return False
    if first.may("N") and second.may("PREP") and any(token.may("VBZ") and not token.may("NS") for token in tokens):
        return False  # 'part of the money pays the interest'
    if alone and first.may("N") and second.low == "that":
        return False  # 'date that the price is valid'
    # A finite verb of its own makes it a statement: 'Set theory is old'.
    finite = next((n for n, token in enumerate(tokens) if token.may("AUX") and token.low != "do"), len(tokens))
    return finite == len(tokens) or any(token.low in _OPENS_CLAUSE for token in tokens[:finite])


def _noun_phrase(token: Token) -> bool:
    return token.may("NS", "ADJ", "VBN") and not token.may("VBZ")


def _self_contained(text: str, allowed: frozenset[str] = frozenset()) -> bool:
    tokens = tokenize(text)
    leaning = any(token.low in LEANING - OURS - allowed or token.low in {"example", "however"} for token in tokens)
    if len(tokens) > 1 and tokens[1].text in {"The", "A", "An", "This", "These", "If", "When"}:
        return False
    if len(tokens) > 1 and tokens[1].text.istitle() and is_word(tokens[1].low) and not tokens[0].may("DET"):
        return False  # a heading before its sentence: 'environ The style is used'
    return not leaning and not re.search(r"[.?!] |#\d|__|[|<>{}\\^]|(?<!\w)=|=(?!\w)|--\s|[—–]|\.\.\.|…|https?:", text)


def _lower(text: str) -> str:
    first = tokenize(text)[0]
    named = first.may("NAME", "CODE") and not re.search("['’]", first.text)
    return tidy(text if named else text[:1].lower() + text[1:])
