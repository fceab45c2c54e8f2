"""Questions about whole English clauses: what something is or does, when and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator

from ..terms import Fact, Sentence, Term
from ..wordsets import word_set
from .asking import BOUNDARY, after_lead, tidy, vague_subject
from .grammar import ASKS_WHETHER, LEANING, Clause, find_clause, without_brackets
from .terms import clause_term
from .words import TYPES, content_words, tokenize

__all__ = ["CLAUSE_KINDS", "clause_facts", "loose_clauses"]

CLAUSE_KINDS = frozenset({"action", "definition", "reason", "time"})

_SUBORDINATES = {"because": "Why", "when": "When"}
_NOT_BEFORE = ASKS_WHETHER | word_set("only even as except and or just that especially particularly not of about")
"""Words that change the meaning of a subordinate clause after them."""
_STATES = word_set(
    "has means requires contains involves resides differs covers consists comes takes needs wants depends remains "
    "seems appears belongs lies exists stands represents includes holds costs lacks deserves relies"
)
"""Verbs for which "what does it do" is not a sensible question."""
_PRONOUNS = word_set("it they them its their he she him this that")
_CODE_HEAD = re.compile(r"[\w.]*[_(.][\w.()]*|[a-z]+[A-Z]")
_KINDS = {"because": "reason", "when": "time"}
_IS_A = re.compile(r"(?:It|This|He|She|(?:The|This) [a-z]+(?: [a-z]+)?) is (an? \w+(?: [^,;:()\"“”]+){3,20})\.")
_EXPLETIVE = re.compile(r"an? (?:\w+ )?(?:idea|way|thing|pity|shame|matter|question|example|lot|bit|mistake|problem)\b")
_UNCLEAR = re.compile(
    r"--\s|"
    r"\b(?:similar|other|latter|former|various|following|above|below)\b(?! (?:to|than))|\b[a-z]+ly (?:will|is|can)\b"
    r"|\b(?:essential|makes no sense)\b.* (?:to|that)\b|\b(?:on|of|with|in|to|for|the|various|it)$|\w\. \w"
)
"""In a predicate that refers outside, is cut, or belongs to an 'it' that is no thing."""
_VARIABLE = re.compile(r"[A-Z][a-z]{0,3}\d*|[A-Za-z]+\d")
"""A name of a variable says nothing outside its example."""
_SUBORDINATE = re.compile(r"(?:\w+ )?\b((When|Because) [^,;:.()\"“”]+)(?=[,.])", re.IGNORECASE)
_MOST_WORDS = 18
_LEAST_WORDS = 5
"""Minimum words of a subordinate clause, including its conjunction."""
_LEAST_CONTENT = 2
_FRAME = word_set("true")
"""Words of the questions themselves."""


def clause_facts(sentence: Sentence, clause: Clause | None, is_person: Callable[[Clause], bool]) -> Iterator[Fact]:
    """All questions about clauses of a sentence; actions of people are handled by name, not here."""
    if clause is not None:
        if not is_person(clause):
            yield from _meaning(sentence, clause)
        yield from _subordinated(sentence, clause)
    yield from _leading(sentence)


def loose_clauses(sentence: Sentence) -> Iterator[Term]:
    """Times and reasons in a sentence that is not self-contained, as wrong options; none refers outside."""
    if match := _IS_A.fullmatch(without_brackets(sentence.text)):
        definition = clause_term(sentence, "definition", (), match[1])
        if not LEANING & set(match[1].casefold().split()) and not _EXPLETIVE.match(match[1]):
            yield definition
    for match in _SUBORDINATE.finditer(sentence.text):
        kind = _KINDS[match[2].casefold()]
        if (
            _LEAST_WORDS <= len(match[1].split()) <= _MOST_WORDS
            and any(token.may("AUX", "VBZ", "VBD", "VB") for token in tokenize(match[1])[2:])
            and match[1].split()[1] not in {"possible", "applicable", "available", "necessary", "needed"}
            and match[0].split()[0].casefold() not in _NOT_BEFORE
        ):
            term = clause_term(sentence, kind, (match[2].casefold(),), match[1][:1].lower() + match[1][1:])
            if (
                not _points_back(term.text)
                and not LEANING & set(re.findall("[a-z]+", term.text.casefold()))
                and len(content_words(term.text)) >= _LEAST_CONTENT
            ):
                yield term


def _points_back(answer: str) -> bool:
    """Whether a clause ends in a word for what precedes it, 'something like that', or goes on with another clause."""
    return (
        re.search(
            r"\b(?:do|does|did) so$|\b(?:that|this|happy|know|less|enough)$|.\byou (?:can|will|must)\b| yet the ",
            answer,
        )
        is not None
    )


def _meaning(sentence: Sentence, clause: Clause) -> Iterator[Fact]:
    """What something is, or what a command, an option or the like does."""
    tokens, (start, end) = clause.tokens, clause.subject
    verb, first, last = tokens[clause.verb], tokens[clause.verb + 1], clause.end
    comma = next((place for place in range(clause.verb + 1, last) if tokens[place].text == ","), last)
    if comma < last and not (tokens[comma + 1].may("VBG", "SUB", "PREP") and comma - clause.verb >= 5):
        return
    complement = tokens[clause.verb + 1 : comma]
    if end - start > 7 or not 3 <= len(complement) <= 24 or any(token.text in {'"', ":", ","} for token in complement):
        return
    if tokens[start].low == "you" or re.search(r"\w\. [A-Z]", clause.words(end, comma)):
        return
    if verb.may("AUX") and first.low in {"that", "to", "as", "what", "how", "why", "where", "when"}:
        return
    subject, lead = clause.subject_text, clause.lead_text
    if verb.low == "is" and first.low in {"a", "an"}:
        head = tokens[start + (tokens[start].low == "the")]
        if (tokens[start].low in {"a", "an"} or head.may("NAME", "CODE")) and end - start <= 4 and not lead:
            yield _fact(sentence, f"What is {subject}?", "definition", (), clause.words(clause.verb + 1, comma), 2.6)
        return
    if vague_subject(clause) or tokens[start].low in {"no", "many", "some", "several", "few", "most"}:
        return
    if end - start == 1 and _VARIABLE.fullmatch(tokens[start].text):
        return
    named = any(token.may("CODE") or token.low in TYPES for token in tokens[start:end])
    named = named and not tokens[start].may("VBG") and "/" not in subject and tokens[start].low not in {"a", "an"}
    answer = clause.words(end, comma)
    if not named or _UNCLEAR.search(answer) or end != clause.verb:
        return
    if verb.may("VBZ") and not verb.may("AUX") and verb.low not in _STATES:
        yield _fact(sentence, f"{after_lead(lead, 'What')} does {subject} do?", "action", ("VBZ",), answer, 2.3)


def _subordinated(sentence: Sentence, clause: Clause) -> Iterator[Fact]:
    """When or why something holds."""
    tokens, last = clause.tokens, len(clause.tokens) - 1
    for place in range(clause.verb + 2, last - 2):
        word = tokens[place].low
        if word not in _SUBORDINATES or tokens[place - 1].low in _NOT_BEFORE:
            continue
        end = place - (tokens[place - 1].text == ",")
        between = tokens[clause.verb + 1 : end]
        if len(between) < 1 or any(token.low in BOUNDARY or token.text == "," for token in between):
            return
        if any(token.text in {",", ";", ":", '"'} for token in tokens[place:last]) or not 4 <= last - place <= 18:
            return
        if vague_subject(clause) or any(token.low in _PRONOUNS for token in tokens[clause.verb : end]):
            return
        main = Clause(clause.text, tokens, clause.lead, clause.subject, clause.verb, end)
        yield _subordinate(sentence, word, clause.words(place, last), main)
        return


def _leading(sentence: Sentence) -> Iterator[Fact]:
    """The same where the subordinate clause comes first."""
    match = re.match(r"(When) ([^,;:]+), (?:then )?(\w[^;:]+\.)$", without_brackets(sentence.text))
    if match is None or not 3 <= len(match[2].split()) <= 17:
        return
    main = find_clause(match[3] if _CODE_HEAD.match(match[3]) else match[3][0].upper() + match[3][1:])
    if main is None or main.lead or len(main.tokens) > 22 or vague_subject(main):
        return
    if any(token.low in _PRONOUNS for token in main.tokens):
        return
    if not any(token.text in {",", '"'} for token in main.tokens):
        yield _subordinate(sentence, match[1].casefold(), f"{match[1].lower()} {match[2]}", main)


def _subordinate(sentence: Sentence, word: str, answer: str, main: Clause) -> Fact:
    kind = _KINDS[word]
    last = tokenize(answer)[-1]
    cut = last.may("VBZ") and not last.may("N", "NS", "ADJ")
    verbless = not any(token.may("AUX", "VBZ", "VBD", "VB") for token in tokenize(answer)[2:])
    joined = any(token.low in {"and", "or"} for token in main.tokens[main.verb : main.end])
    fit = (
        not cut
        and not verbless
        and not joined
        and main.tokens[main.verb].may("AUX")
        and len(answer.split()) >= _LEAST_WORDS
        and not _PRONOUNS & set(answer.casefold().split())
        and len(content_words(answer)) >= _LEAST_CONTENT
        and not _points_back(answer)
    )
    score = 2.3 if fit else 0.0
    asked = after_lead(main.lead_text, _SUBORDINATES[word])
    return _fact(sentence, f"{asked} {tidy(main.inverted())}?", kind, (word,), answer, score)


def _fact(sentence: Sentence, stem: str, kind: str, form: tuple[Hashable, ...], answer: str, score: float) -> Fact:
    words = content_words(stem) - _FRAME
    return Fact(sentence, stem, clause_term(sentence, kind, form, answer), score, words)
