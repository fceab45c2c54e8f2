"""English clauses: self-contained sentences, the end of the subject, and how a statement becomes a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..terms import LEANS
from ..wordsets import word_set
from .names import HONORIFICS
from .words import AUXILIARIES, BE, HAVE, TYPES, Token, base_form, tokenize

__all__ = ["LEANING", "OURS", "Clause", "find_clause", "leans", "lowered", "without_brackets"]

_BRACKETS = re.compile(r"\s+\([^()]*\)|\s+\[[^][]*\]")
_OPENERS = re.compile(
    r"(?:And|But|Yet|However,|Moreover,|Furthermore,|Nevertheless,|Indeed,|Generally,|Normally,|Usually,|Now,?|Then,?"
    r"|In addition,|In fact,|Additionally,|Further,|Finally,|Typically,|Currently,|Unfortunately,|Also,|Of course,"
    r"|Thus,|Therefore,|Hence,|From time to time,|(?:Please )?[Nn]ote,? (?:also |too |though |however,? )?that"
    r"|Be aware that|Remember that)\s+(?=\w)"
)
"""What can be removed from the start of a sentence without changing its meaning."""
LEANING = word_set(
    "i me my mine we us our ours he she him her hers they them it its his their this these those such here hereby "
    "herein thereof therein thereto thereby aforesaid aforementioned latter former above below following "
    "preceding today now yesterday tomorrow tonight ago recently lately another same respectively similarly "
    "likewise otherwise himself herself themselves ourselves myself thee thou thy ye hath else ones let's neither "
    "either nearby hereinafter"
)
OURS = word_set("we us our ours")
_RESOLVED = word_set("it its they their them his himself herself themselves itself")
"""Allowed where their antecedent precedes them in the same sentence."""
_OF_PERSON = word_set("he she him her his hers himself herself")
"""Allowed where the sentence begins with a name."""
_APPOSITION = re.compile(
    r"^((?:(?:Mr|Mrs|Dr|St)\. )?(?:[A-Z][\w'’.-]*\w ){0,4}[A-Z][\w'’-]*\w), "
    r"(?:a|an|the|who|which|whose|then|once|formerly|being|having|in|with|as|like)\b[^,;:]{3,90}, (?=[a-z])"
)
"""An apposition to a name at the start of a sentence, between commas."""
_LINKS = re.compile(
    r",? (?:also|therefore|thus|however|instead|hence|indeed|consequently|accordingly|nevertheless|moreover"
    r"|furthermore)(?:,(?= [a-z])|(?= [a-z]))"
)
"""Words that link a sentence to the previous one, and can be removed."""
_NOISE = re.compile(
    r"\s{2,}\S+\s{2,}|[|<>{}\\^]|(?<!\w)=|=(?!\w)"
    r"|\.\.\.|…|\bhttps?:|www\.|@|\[|\]|__|\b(?:Chapter|Section|Figure|Table) \d|[!?]\s|^\W"
    r"|\b(?:diagram|screenshot|picture|illustration)s?\b|\b(?:on|at|to) the (?:extreme )?(?:right|left)\b"
)
"""Page furniture, code, and sentences that refer to their surroundings."""
_REFERS = re.compile(
    r"(?:For (?:example|instance)|In (?:contrast|particular|other words|turn|short|response)"
    r"|As a result|On the (?:other|one) hand|By contrast|As (?:noted|mentioned|described|shown))\b"
)
_CONTRACTED = re.compile(r"(?:i|we|he|she|they|it|that|there|this)['’]\w+")
_CLAUSE_END = word_set(
    "which who whom whose but while although though whereas so thus thereby making including such for nor yet "
    "because since as where and"
)
_BOUNDARY = word_set("that which who whom whose when where while if because although though unless whether and but or")
_NO_SUBJECT = word_set(
    "currently presently certainly typically today maybe perhaps finally unfortunately fortunately first second "
    "third next last to once unlike depending despite given according sometimes though although when while if "
    "because since after before whenever wherever whether let note see please until as instead rather even not "
    "only just like then so how what why where who nobody nothing something everything anything everyone"
)


_QUOTES = frozenset("\"“”'’‘`")
_OBJECTS = word_set("how whether what where your its their")
_OFTEN_VERBS = word_set(
    "uses supports returns sets controls shows reports starts stops changes needs makes takes gives puts runs calls "
    "works helps moves reads prints checks matches tries permits displays outputs loads stores saves"
)
"""Verbs that are rarely plural nouns."""


@dataclass(frozen=True)
class Clause:
    """A statement: an optional adjunct before a comma, a subject, a finite verb and the rest."""

    text: str
    tokens: tuple[Token, ...]
    lead: int
    """Tokens before the comma that ends a leading adjunct; 0 where there is none."""
    subject: tuple[int, int]
    verb: int
    end: int
    """Where the clause ends: the token after its last."""

    def words(self, start: int, end: int) -> str:
        """The text from one token up to another."""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end] if end > start else ""

    @property
    def subject_text(self) -> str:
        return lowered(self.tokens[self.subject[0]], self.words(*self.subject))

    @property
    def lead_text(self) -> str:
        """The adjunct as a question begins with it, its comma included; else nothing."""
        return f"{self.words(0, self.lead)}, " if self.lead else ""

    @property
    def predicate(self) -> str:
        """The text from after the subject to the end."""
        return self.words(self.subject[1], self.end)

    def inverted(self, cut: tuple[int, int] = (0, 0)) -> str:
        """Auxiliary, subject, verb and rest, with the tokens of `cut` left out: what follows a question word."""
        verb = self.tokens[self.verb]
        adverbs = self.words(self.subject[1], self.verb)
        rest = self.left(self.verb + 1, self.end, cut)
        if verb.low in AUXILIARIES and (verb.low not in HAVE or self._perfect()) and verb.low != "cannot":
            parts = [verb.low, self.subject_text, adverbs, rest]
        elif verb.low == "cannot":
            parts = ["can", self.subject_text, "not", rest]
        else:
            past = verb.low == "had" or ("VBD" in verb.tags and "VBZ" not in verb.tags)
            plural = verb.low == "have" or ("VB" in verb.tags and not past)
            parts = ["did" if past else "do" if plural else "does", self.subject_text, adverbs]
            parts += ["have" if verb.low in HAVE else base_form(verb.text), rest]
        return " ".join(part for part in parts if part)

    def left(self, start: int, end: int, cut: tuple[int, int]) -> str:
        """The text from one token up to another without those of `cut`."""
        if not (start <= cut[0] < cut[1] <= end):
            return self.words(start, end)
        before, after = self.words(start, cut[0]), self.words(cut[1], end)
        return before + after if after[:1] in {",", ";"} else " ".join(part for part in (before, after) if part)

    def _perfect(self) -> bool:
        """Whether `has` is an auxiliary here: a participle follows it."""
        after = [token for token in self.tokens[self.verb + 1 : self.verb + 4] if not token.may("ADV", "NOT")]
        return bool(after) and (after[0].may("VBN") or after[0].low == "been")


def without_brackets(text: str) -> str:
    """A sentence without its parentheses."""
    return _BRACKETS.sub("", text)


def leans(text: str, tokens: Sequence[Token], *, ours: bool = False) -> str:
    """Why a sentence is not self-contained; empty where it is. With `ours`, 'we' is whoever wrote the document."""
    words = [token for token in tokens if not token.may("PUNCT")]
    if not 7 <= len(words) <= 50 or text[-1:] != "." or not (text[0].isupper() or tokens[0].may("CODE", "NUM")):
        return "fragment"
    if _NOISE.search(text) or sum(token.may("CODE") for token in words) > len(words) / 3:
        return "fragment"
    if text.count('"') % 2 or text.count("“") != text.count("”") or text.count("(") != text.count(")"):
        return "fragment"
    if re.search(r"[,:] ?[\"“‘]|[.,?!][\"”’]|[\"”] [a-z]+ed\b|(?<!\s)--|--(?![a-z])|(?<=\w)—|\d\. [A-Z]", text):
        return "speech or heading"
    if _REFERS.match(text):
        return LEANS
    if sum(word.text[0].isupper() for word in words) > 0.6 * len(words):
        return "fragment"
    verbs = 0
    named = tokens[0].may("NAME") or tokens[0].low in HONORIFICS
    for place, token in enumerate(tokens):
        before = tokens[place - 1].low if place else ""
        after = tokens[place + 1].low if place + 1 < len(tokens) else ""
        if _CONTRACTED.fullmatch(token.low):
            return LEANS
        if token.low in LEANING and token.text not in {"US", "IT"} and not (ours and token.low in OURS):
            if token.low in _RESOLVED and verbs and place >= 5:
                continue
            if token.low in _OF_PERSON and place >= 3 and named:
                continue
            if (token.low == "such" and after == "as") or (
                token.low == "those" and after in {"who", "which", "that", "of", "with"}
            ):
                continue
            return LEANS
        if token.low == "that" and (place == 0 or tokens[place - 1].may("PREP")):
            return LEANS
        if before == "the" and token.low in {
            "other",
            "said",
            "one",
            "two",
            "first",
            "second",
            "third",
            "last",
            "next",
            "previous",
            "rest",
        }:
            return LEANS
        verbs += token.may("AUX", "VBD", "VBZ")
    return ""


def find_clause(text: str) -> Clause | None:
    """The main clause of a sentence; None where its parts are ambiguous."""
    text = _LINKS.sub("", _OPENERS.sub("", without_brackets(text), count=1))
    text = _APPOSITION.sub(r"\1 ", text)
    if not text or text[-1] != ".":
        return None
    text = text[0].upper() + text[1:] if text[0].isalpha() and not _code_head(text) else text
    tokens = tokenize(text)
    if _imperative(tokens) or re.match(r"You['’]", text):
        return None
    lead = _lead(tokens)
    if lead is None:
        return None
    start = lead + 1 if lead else 0
    verb = _finite(tokens, start)
    if verb is None:
        return None
    stop = verb
    while stop > start + 1 and (
        tokens[stop - 1].low in {"first", "then", "still", "now"}
        or (tokens[stop - 1].may("ADV") and not tokens[stop - 1].may("N", "NAME", "CODE"))
    ):
        stop -= 1
    end = _end(tokens, verb)
    if end - verb < 3:
        return None
    return Clause(text, tuple(tokens), lead, (start, stop), verb, end)


def _imperative(tokens: Sequence[Token]) -> bool:
    """Whether a sentence begins with a request: 'Try the options', 'Make sure your version works'."""
    if len(tokens) < 3 or not tokens[0].may("VB") or tokens[0].may("AUX", "NAME", "CODE"):
        return False
    return tokens[1].may("DET") or tokens[1].low in {
        "sure",
        "your",
        "that",
        "it",
        "both",
        "all",
        "each",
        "any",
        "how",
        "more",
        "about",
        "what",
        "why",
        "whether",
    }


def lowered(token: Token, text: str) -> str:
    """A text without a capital that is only due to the start of the sentence."""
    if re.match(r"(?!(?:The|An?|Our|Your|Each|Every|All) )\w+ [A-Z]", text):
        return text
    if (token.start == 0 and not token.may("NAME", "CODE")) or token.low in {"the", "a", "an", "our", "your"}:
        return text[:1].lower() + text[1:]
    return text


def _code_head(text: str) -> bool:
    return "CODE" in tokenize(text)[0].tags


def _lead(tokens: Sequence[Token]) -> int | None:
    """How many tokens a leading adjunct has; None where the sentence begins with something else before a comma."""
    first = tokens[0]
    if not first.may("PREP") or first.low == "like" or (first.low == "as" and tokens[1].low not in {"from", "of"}):
        return 0
    for place, token in enumerate(tokens[:14]):
        if token.text == ",":
            # 'On March 3, 1845,' has a comma of its own.
            after = tokens[place + 1]
            if after.may("NUM") and place + 2 < len(tokens) and tokens[place + 2].text == ",":
                continue
            return place
        if token.may("AUX", "SUB", "PRON") and token.low not in {"after", "before", "since", "until", "as"}:
            return None
    return None


def _finite(tokens: Sequence[Token], start: int) -> int | None:
    """The finite verb that ends the subject beginning at `start`."""
    for place in range(start, min(len(tokens) - 1, start + 16)):
        token, after = tokens[place], tokens[place + 1]
        if token.may("PUNCT") and token.text not in _QUOTES:
            return None
        if place == start and token.text in _QUOTES:
            continue
        if token.may("PRON", "SUB") and not token.may("DET", "PREP") and token.low != "you":
            return None
        if place > start and token.low in {"that", "which", "whose", "who", "so", "because", "if", "when", "later"}:
            return None
        if place == start:
            if token.low == "you":
                continue
            if token.low in _NO_SUBJECT or (token.may("ADV") and not token.may("N", "NS", "NAME")):
                return None
            if token.may("DET", "N", "NS", "NAME", "CODE", "NUM", "ADJ", "VBN") or after.low in TYPES:
                continue
            return None
        before = tokens[place - 1]
        if before.may("ADV") and not before.nominal:
            before = tokens[place - 2]
        nominal = before.nominal or before.text in _QUOTES or before.low == "you"
        if token.may("AUX"):
            return place if nominal else None
        if not token.may("VBZ", "VBD", "VB") or token.may("NAME", "CODE", "DET", "PREP"):
            continue
        if token.may("ADJ") and not token.may("VBD") and not nominal:
            continue
        if not nominal:
            if token.may("N", "NS", "ADJ", "VBN") or (before.may("DET") and after.low in TYPES):
                continue
            return None
        follows = (
            after.may("DET", "NUM", "PRON", "NAME", "CODE")
            or after.low in {"to", "in", "on", "from", "into", "only", "that", "how", "whether", "what"}
            or after.may("ADV")
        )
        if token.may("VBZ") and not token.may("VBD"):
            if token.may("NS") and after.low in {"and", "or"}:
                return None
            if token.may("NS") and (
                (after.may("VB") and not after.may("N"))
                or (after.low in {"that", "which"} and tokens[place + 2].may("AUX"))
            ):
                continue
            if not token.may("N", "NS") or (
                not before.may("NS")
                and not _later_finite(tokens, place, loose=True)
                and (after.may("DET") or after.low in _OBJECTS or (token.low in _OFTEN_VERBS and follows))
            ):
                return place
            if before.low in TYPES and not _later_finite(tokens, place, loose=True):
                return place
            if after.may("AUX", "VBZ", "PREP") or after.nominal:
                continue
            return None
        if token.may("VBD"):
            if not token.may("VBN"):
                return place if not token.may("N", "ADJ") or follows else None
            if after.low in {"by", "in", "as", "for", "with", "on", "from", "to"} and not before.may("NAME"):
                return None
            return (
                place
                if not _later_finite(tokens, place) and not (token.may("ADJ", "N") and after.nominal and not follows)
                else None
            )
        if token.may("VB"):
            if (
                before.may("NS")
                and not before.may("NAME")
                and (not token.may("N", "ADJ") or (follows and not _later_finite(tokens, place, loose=True)))
            ):
                return place
            if token.may("N", "ADJ"):
                continue
            return None
    return None


def _later_finite(tokens: Sequence[Token], place: int, *, loose: bool = False) -> bool:
    """Whether another finite verb follows in the same clause, so that this word is none; `loose` counts every word
    that can only be a verb."""
    for token in tokens[place + 1 :]:
        if token.low in _BOUNDARY or token.may("PUNCT"):
            return False
        if token.low in BE | HAVE or (
            loose and (token.may("AUX") or (token.may("VBZ", "VBD") and not token.may("N", "NS")))
        ):
            return True
    return False


def _end(tokens: Sequence[Token], verb: int) -> int:
    """Where the clause ends: before mere additions."""
    last = len(tokens) - 1  # the full stop
    for place in range(verb + 1, last):
        token = tokens[place]
        if token.text in {";", ":", "—", "–"}:
            return place
        if token.text == "," and place - verb >= 5:
            after = tokens[place + 1]
            listed = any(other.text == "," for other in tokens[verb + 1 : place])
            if after.low in _CLAUSE_END and (after.low != "and" or (not listed and _new_clause(tokens, place + 2))):
                return place
    return last


def _new_clause(tokens: Sequence[Token], place: int) -> bool:
    """Whether a subject with its verb follows, rather than the last member of a list."""
    for step, token in enumerate(tokens[place : place + 6]):
        if token.may("PRON") or (
            step and (token.may("AUX") or (token.may("VBD", "VBZ") and not token.may("N", "NS", "ADJ")))
        ):
            return True
        if token.may("PUNCT"):
            return False
    return False
