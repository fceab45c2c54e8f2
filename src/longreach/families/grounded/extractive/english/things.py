"""English names of things: which of them a statement is about, and what something is done with."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..terms import Fact, Sentence, Term
from ..wordsets import word_set
from .asking import after_lead, direct, reachable, tidy
from .grammar import Clause, without_brackets
from .names import NameTable, name_runs, run_text
from .predicates import is_worth_asking, true_of_many, what_is_told
from .words import AUXILIARIES, BE, HAVE, TYPES, Token, base_form, content_words, is_word, tokenize

__all__ = ["Things"]

_STAND_INS = re.compile(
    r"[-./$~]*(?:foo|bar|baz|hello|example|sample|test|my|your|some|user_?name|path/to).*|.*\b(?:example|foo)\b.*",
    re.IGNORECASE,
)
_MARKS = frozenset("\"“”'’‘`")
_NO_NAME = re.compile(
    r"[A-Z]{2}|[KMGT]i?B|[A-Z]?\d.*|OK|NB|FAQ|TODO|FIXME|USA|UK|EU|US|AM|PM|ASCII|.*ly|e\.g|i\.e|.*www\..*"
    r"|.*\.(?:com|org|net|edu|tld|invalid|domain)"
)
_SHAPES = (
    ("option", re.compile(r"--?[A-Za-z][\w-]+")),
    ("call", re.compile(r"[A-Za-z_][\w.:]*\(\)")),
    ("file", re.compile(r"~?/?(?:[\w.+~-]+/)+[\w.+~-]*|~?/[\w.+-]+|[\w-]*[A-Za-z][\w-]*\.[a-z]{1,4}")),
    ("constant", re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")),
    ("snake", re.compile(r"[a-z]\w*_\w+")),
    ("acronym", re.compile(r"[A-Z][A-Z0-9]{2,7}")),
    ("dotted", re.compile(r"[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+")),
    ("name", re.compile(r"[A-Za-z]+[A-Z]\w*|[A-Z][\w-]+(?: [\w-]+)*")),
    ("program", re.compile(r"[a-z]+(?:-[a-z]+)*")),
    ("numbered", re.compile(r"[a-z][a-z0-9]+(?:-[a-z0-9]+)*")),
)
"""Forms of names; the options of a question have one form."""
_MIXED = word_set("dotted")
"""Forms of many kinds of things: these are asked for only with a noun for what they are."""
_ORDINARY = re.compile(r".*(?:ers?|ors?|ing|ed|able|ible|ly|ness|ments?|tions?|ity|al|ic|ous|ive|ish|less|ful)")
"""Words, many of them new, that the dictionary lacks."""
_USE = "use|run|call|invoke|install|set|specify|choose|select|edit|enable|pass"
_TO_AN_END = (
    re.compile(
        rf"(?:In order to|To) (?P<told>[^,;:]+), (?:you (?:can|should|must|may|need to|have to) )?(?P<verb>{_USE})"
        r" (?P<thing>[^,;:]+?)(?: (?:to|and|with|as|in|for|on|from) [^;:]+)?\."
    ),
    re.compile(
        rf"(?:(?:You|One) (?:can|should|must|may) )?(?P<verb>{_USE}) (?P<thing>[^,;:]+?) to (?P<told>[^;:]+)\.",
        re.IGNORECASE,
    ),
)
_MEANS = word_set("by via with using through")
_TOPIC = 60
_LEAST_TOPIC = 20
"""A name in more than one of so many sentences is what the whole text is about."""
_MANY = 6
_ARTICLES = word_set("the a an your our")


@dataclass(frozen=True)
class _Mention:
    start: int
    end: int
    text: str
    shape: str


class Things:
    """The names of things in a document, with the nouns for what they are."""

    def __init__(self, tokens: Mapping[int, Sequence[Token]], names: NameTable) -> None:
        self._names = names
        self._plain = _plain_names(tokens)
        times: Counter[str] = Counter()
        kinds: dict[str, set[str]] = defaultdict(set)
        uses: dict[str, set[str]] = defaultdict(set)
        for sentence in tokens.values():
            for one in self._mentions(sentence):
                times[one.text] += 1
                kinds[one.text].update(_types_beside(sentence, one.start, one.end))
                if deed := _deed(sentence, one.end):
                    uses[one.text].add(deed)
        most = max(_LEAST_TOPIC, len(tokens) // _TOPIC)
        self._kinds = {
            name: kinds[name]
            for name, count in times.items()
            if count <= most and (_shape(name) != "name" or uses[name] or kinds[name])
        }
        self._near = {
            name: (*sorted(kinds[name]), *sorted(uses[name] if len(uses[name]) < _MANY else ())) for name in self._kinds
        }

    def terms(self, sentence: Sentence, tokens: Sequence[Token]) -> Iterator[Term]:
        """The names in a sentence, as options."""
        for one in self._mentions(tokens):
            for kind in ("", *sorted(self._kinds[one.text])) if one.text in self._kinds else ():
                yield self._term(sentence, one, kind)

    def facts(self, sentence: Sentence, clause: Clause, case: str = "") -> Iterator[Fact]:
        """Questions for the things that a clause is about, or that something is done with, after a case."""
        yield from self._subject(sentence, clause, case + clause.lead_text)
        yield from self._rest(sentence, clause, case + clause.lead_text)

    def _subject(self, sentence: Sentence, clause: Clause, lead: str) -> Iterator[Fact]:
        told = what_is_told(clause)
        if not told or not is_worth_asking(told, lead) or true_of_many(told):
            return
        words = clause.tokens[slice(*clause.subject)]
        verb = clause.tokens[clause.verb]
        plural = verb.low in {"are", "were", "have", "do"} or (verb.may("VB") and not verb.may("VBZ", "VBD", "AUX"))
        found = self._named(words)
        if found is not None and not plural:
            yield from self._asked(sentence, found, lead, "", told)

    def _rest(self, sentence: Sentence, clause: Clause, lead: str) -> Iterator[Fact]:
        """After the verb or a preposition."""
        tokens, main = clause.tokens, _full_verb(clause)
        first = clause.tokens[clause.subject[0]].low
        if first in {"the", "this", "that", "these", "it", "they"} and clause.subject[1] - clause.subject[0] < 4:
            return  # 'the file'
        passive = tokens[clause.verb].low in BE and any(
            token.may("VBN") for token in tokens[clause.verb + 1 : clause.verb + 3]
        )

        def asked(start: int, end: int) -> tuple[str, str]:
            """A preposition, and the question for what follows it; empty where the place allows none."""
            before = tokens[start - 1]
            if start <= clause.verb or not reachable(clause, start, end):
                return "", ""
            if before is main and before.low not in BE:
                prep, cut = "", (start, end)
            elif before.low in _MEANS and (passive or direct(clause, start - 1)):
                prep, cut = f"{before.low} ", (start - 1, end)
            else:
                return "", ""
            told = tidy(clause.inverted(cut))
            return (prep, told) if is_worth_asking(told, lead) else ("", "")

        for one in self._mentions(tokens):
            start, end = _with_marks(tokens, one.start, one.end)
            kind = ""
            if end < len(tokens) and tokens[end].low in TYPES:
                kind, end = tokens[end].low, end + 1
            elif tokens[start - 1].low in TYPES:
                kind, start = tokens[start - 1].low, start - 1
            prep, told = asked(start - (tokens[start - 1].low == "the"), end)
            if told:
                yield from self._asked(sentence, (one, kind, kind), lead, prep, told)

    def used(self, sentence: Sentence) -> Iterator[Fact]:
        """Questions for what to use to an end."""
        text = without_brackets(sentence.text)
        for match in filter(None, (pattern.fullmatch(text) for pattern in _TO_AN_END)):
            found = self._named(tokenize(match["thing"]))
            told = f"should you {match['verb'].lower()} to {match['told']}"
            if found is not None and is_worth_asking(told) and tokenize(match["told"])[0].may("VB"):
                yield from self._asked(sentence, found, "", "", told)

    def _asked(
        self, sentence: Sentence, found: tuple[_Mention, str, str], lead: str, prep: str, told: str
    ) -> Iterator[Fact]:
        one, kind, noun = found
        if one.text not in self._kinds or sentence.text.count(one.text) > 1:
            return
        if kind:
            yield _fact(sentence, lead, f"{prep}which {noun}", told, self._term(sentence, one, kind), 3.0)
        if one.shape not in _MIXED:
            yield _fact(sentence, lead, f"{prep}which of these", told, self._term(sentence, one, ""), 2.7)

    def _term(self, sentence: Sentence, one: _Mention, kind: str) -> Term:
        form = ("thing", "thing", one.shape, kind)
        return Term("thing", form, one.text, sentence.passage, sentence.number, None, self._near[one.text])

    def _named(self, words: Sequence[Token]) -> tuple[_Mention, str, str] | None:
        """The one name that a phrase consists of, apart from a noun for what it is; with that noun, and more of it."""
        words = [word for word in words if word.text not in _MARKS]
        if words and words[0].low in _ARTICLES:
            words = words[1:]
        found = list(self._mentions(words))
        if len(found) != 1:
            return None
        one = found[0]
        before, after = words[: one.start], words[one.end :]
        if not before and not after:
            return one, "", ""
        if not before and len(after) == 1 and after[0].low in TYPES:
            return one, after[0].low, after[0].low
        if (
            not after
            and before[-1].low in TYPES
            and len(before) < 4
            and not any(word.may("DET", "PREP", "CONJ", "PRON") for word in before)
        ):
            return one, before[-1].low, " ".join(word.low for word in before)
        return None

    def _mentions(self, tokens: Sequence[Token]) -> Iterator[_Mention]:
        runs = dict(name_runs(tokens))
        place = 0
        while place < len(tokens):
            token, end, text = tokens[place], place + 1, tokens[place].text
            if place in runs and not token.may("CODE"):
                end = runs[place]
                text = run_text(tokens, place, end)
                known = _shape(text) == "acronym" or (
                    not any(one.may("CODE") for one in tokens[place:end])
                    and self._names.is_name(text)
                    and self._names.kind(text) == "thing"
                    and not self._names.article(text)
                )
            else:
                known = token.may("CODE") or text in self._plain
            shape = _shape(text) if known else ""
            if shape and not tokens[end - 1].text.endswith(("'s", "’s")):
                yield _Mention(place, end, text, shape)
            place = end


def _shape(text: str) -> str:
    if not 2 < len(text) < 41 or _STAND_INS.fullmatch(text) or _NO_NAME.fullmatch(text):
        return ""
    if text.isupper() and is_word(text.casefold()):
        return ""
    if "-" in text and all(is_word(part) for part in text.split("-")):
        return ""  # 'end-to-end'
    return next((shape for shape, pattern in _SHAPES if pattern.fullmatch(text)), "")


def _plain_names(tokens: Mapping[int, Sequence[Token]]) -> set[str]:
    """Words in lower case that the dictionary lacks, in quotation marks or beside a noun for what they are."""
    found: set[str] = set()
    nouns: set[str] = set()
    for words in tokens.values():
        nouns.update(other.text for one, other in pairwise(words) if one.low in {"a", "an"})
        nouns.update(token.text.removesuffix("s") for token in words if token.text.endswith("s"))
        for place, token in enumerate(words):
            quoted = 0 < place < len(words) - 1 and {words[place - 1].text, words[place + 1].text} <= _MARKS
            if (quoted or _types_beside(words, place, place + 1)) and _is_unknown(token):
                found.add(token.text)
    return found - nouns


def _is_unknown(token: Token) -> bool:
    text = token.text
    if not re.fullmatch("[a-z][a-z0-9-]{2,}", text) or _ORDINARY.fullmatch(text) or not token.may("N", "CODE"):
        return False
    return not any(is_word(part) for part in text.split("-")) and not any(
        is_word(text[:at]) and is_word(text[at:]) for at in range(3, len(text) - 2)
    )


def _full_verb(clause: Clause) -> Token:
    """The verb that an object follows: 'provide' in 'will provide'."""
    verb, after = clause.tokens[clause.verb], clause.tokens[clause.verb + 1]
    modal = verb.low in AUXILIARIES - BE - HAVE
    return after if modal and after.may("VB") else verb


def _with_marks(words: Sequence[Token], start: int, end: int) -> tuple[int, int]:
    """A name with the quotation marks around it."""
    while start and words[start - 1].text in _MARKS:
        start -= 1
    while end < len(words) and words[end].text in _MARKS:
        end += 1
    return start, end


def _types_beside(words: Sequence[Token], start: int, end: int) -> list[str]:
    """The nouns beside a name for what it is."""
    start, end = _with_marks(words, start, end)
    return [words[place].low for place in (start - 1, end) if 0 <= place < len(words) and words[place].low in TYPES]


def _deed(words: Sequence[Token], place: int) -> str:
    """The verb of a subject that ends at a place."""
    verbs = [word for word in words[place : place + 4] if word.may("AUX", "VB", "VBZ", "VBN") and not word.may("PREP")]
    full = next((word for word in verbs if not word.may("AUX") and word.low != "be"), None)
    return base_form(full.text) if verbs and verbs[0] is words[place] and full is not None else ""


def _fact(sentence: Sentence, lead: str, asked: str, told: str, term: Term, score: float) -> Fact:
    stem = f"{after_lead(lead, asked[0].upper() + asked[1:])} {told}?"
    return Fact(sentence, stem, term, score, content_words(stem))
