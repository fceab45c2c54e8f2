"""English questions for figures: in what year, on what date, how many, what percentage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..terms import Dated, Fact, Sentence, Term
from ..wordsets import word_set
from .asking import BOUNDARY, after_lead, capital, figure_words, reachable, tidy, vague_subject
from .figures import Figure, find_figures
from .grammar import Clause, find_clause, without_brackets
from .terms import figure_term
from .words import content_words, tokenize

__all__ = ["case_clause", "existing_facts", "figure_facts"]

_WH_PREP = word_set(
    "in at from to with by for on into after before until since during within under over near against through"
)
_CASE = re.compile(
    r"(?P<case>(?:If|When|Once|Unless|Before|After|Since|Whenever|While|Because|To|In order to|As long as) "
    r"(?!so\b|not\b|then\b)[^,;:]+, )(?:then )?(?P<main>[^;:]+\.)"
)
_LEAST_CASE = 4
"""Words of a case."""
_UNITS = word_set("days weeks months years hours minutes seconds bytes kilobytes megabytes gigabytes percent")
_YEARS = re.compile(r"\b(?:1[4-9]|20)\d\d\b")
_STATE = re.compile(r"(?:In \d{4}, )?(?:an?|some|the \w+) (?:\w+ )?(?:is|are|was|were)\b", re.IGNORECASE)
"""What somebody without a name was."""
_DIGIT = re.compile(r"\d")
_MORE = re.compile(r"\d|\band [a-z]+ (?:into|to|from|up|the|an?|by|in|on)\b")
"""After a figure: another one, or a second statement."""
_MOST_OF = 6
"""Words after 'of' that belong to a unit: 'years of working at the company'."""


def case_clause(text: str) -> tuple[str, Clause | None]:
    """The case that a sentence begins with, and the clause after it."""
    match = _CASE.fullmatch(without_brackets(text))
    if match is None or len(match["case"].split()) < _LEAST_CASE or tokenize(match["case"])[1].may("VBN", "VBG"):
        return "", None
    code = tokenize(match["main"])[0].may("CODE")
    return match["case"], find_clause(match["main"] if code else capital(match["main"]))


def figure_facts(sentence: Sentence, clause: Clause, case: str = "") -> Iterator[Fact]:
    """Questions for the figures after the verb, or before the subject."""
    tokens = clause.tokens
    if vague_subject(clause) or _STATE.match(clause.text):
        return
    for figure in find_figures(clause.text, tokens):
        if figure.kind == "year" and len(_YEARS.findall(sentence.text)) > 1:
            continue
        term = figure_term(sentence, tokens, figure)
        if figure.start == 1 and figure.end == clause.lead:
            asked = figure_words(figure, tokens[0].low, clause)
            if asked:
                stem = f"{after_lead(case, asked)} {tidy(clause.inverted())}?"
                yield _fact(sentence, stem, 3.0, term, _dated(clause, figure, (0, 0)))
            continue
        figure, last = _whole(clause, figure)
        main = _before_more(clause, last)
        rest = main.words(last, main.end)
        if not reachable(main, figure.start, last) or _MORE.search(rest):
            continue
        if tokens[figure.start - 1].low in {"to", "by"} and _DIGIT.search(clause.text[: tokens[figure.start].start]):
            continue  # '2 to 4 weeks'
        before = tokens[figure.start - 1]
        if before.may("DET", "ADJ") and not before.may("PREP", "VBN", "VB"):
            continue  # 'an additional 2 weeks', 'every five years'
        prep = before.low if before.may("PREP") and figure.start - 1 > clause.verb else ""
        if prep and prep not in _WH_PREP:
            continue
        cut = (figure.start - bool(prep), last)
        asked = figure_words(figure, prep, clause)
        if figure.kind == "percentage" and last > figure.end:
            asked = capital(f"{clause.words(figure.start, figure.at)} what percentage".strip())
            asked = f"{asked} {clause.words(figure.end, last)}" if not prep else ""
        if asked:
            stem = f"{after_lead(case + clause.lead_text, asked)} {tidy(main.inverted(cut))}?"
            yield _fact(sentence, stem, 3.0, term, None if case else _dated(clause, figure, cut))


def _whole(clause: Clause, figure: Figure) -> tuple[Figure, int]:
    """A figure with what its unit is of: 'weeks of leave', '70% of your salary'; and where that ends."""
    tokens = clause.tokens
    last = figure.noun[1] if figure.kind == "count" else figure.end
    if last >= clause.end or (figure.kind == "count" and tokens[last - 1].low not in _UNITS):
        return figure, last
    end = last
    if tokens[last].low == "of":
        end = last + 1
        while end < clause.end and not (tokens[end].low in BOUNDARY or tokens[end].may("PUNCT", "NUM")):
            end += 1
        if figure.kind == "percentage":
            end = next((at for at in range(last + 1, end) if tokens[at].may("PREP")), end)
        if not 1 < end - last <= _MOST_OF:
            return figure, last
    elif figure.kind == "count":
        while end < clause.end and tokens[end].may("N") and not tokens[end].may("AUX", "PREP", "ADV", "CONJ"):
            end += 1
    return (replace(figure, noun=(figure.noun[0], end)) if figure.kind == "count" else figure), end


def _before_more(clause: Clause, last: int) -> Clause:
    """A clause without more figures, or a list of what they are for, behind a comma."""
    comma = next((place for place in range(last, clause.end) if clause.tokens[place].text == ","), clause.end)
    more = clause.tokens[comma : clause.end]
    return replace(clause, end=comma) if any(token.may("NUM") for token in more) else clause


def existing_facts(sentence: Sentence) -> Iterator[Fact]:
    """'There were 40 members in the house' asks how many there were."""
    text = without_brackets(sentence.text)
    tokens = tokenize(text)
    if tokens[0].low != "there" or tokens[1].low not in {"are", "were"} or re.search("[,;:]", text):
        return  # after a comma they may be counted out
    for figure in find_figures(text, tokens):
        if figure.kind == "count" and figure.start == 2 and figure.noun[1] < len(tokens) - 3:
            noun = text[tokens[figure.noun[0]].start : tokens[figure.noun[1] - 1].end]
            more = text[tokens[2].start : tokens[figure.at].start]
            stem = f"{capital(f'{more}how many {noun}')} {tokens[1].low} there{text[tokens[figure.noun[1] - 1].end :]}"
            yield _fact(sentence, f"{tidy(stem)}?", 2.8, figure_term(sentence, tokens, figure))


def _dated(clause: Clause, figure: Figure, cut: tuple[int, int]) -> Dated | None:
    """The statement without its date, for questions about two of them."""
    if figure.kind == "year":
        if figure.start and clause.tokens[figure.start - 1].low != "in":
            return None
        rest = clause.left(clause.subject[1], clause.end, cut)
        clause_text = f"{clause.subject_text} {rest}"
        verbatim = not clause.lead or cut == (0, 0)
        return Dated(tidy(clause_text), figure.size, "year", verbatim and (cut == (0, 0) or cut[1] == clause.end))
    if figure.kind == "count" and cut != (0, 0) and cut[0] == clause.verb + 1 and figure.start == figure.at:
        noun = clause.words(*figure.noun)
        rest = clause.left(clause.subject[1], clause.end, cut)
        unit = clause.tokens[figure.noun[1] - 1].low
        return Dated(tidy(f"{noun} that {clause.subject_text} {rest}"), figure.size, unit, False)
    return None


def _fact(sentence: Sentence, stem: str, score: float, term: Term, dated: Dated | None = None) -> Fact:
    return Fact(sentence, stem, term, score, content_words(stem), dated)
