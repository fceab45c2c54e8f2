"""Question words of English questions, and which parts of a clause can be asked for."""

from __future__ import annotations

import re

from ..wordsets import word_set
from .figures import Figure
from .grammar import Clause

__all__ = ["BOUNDARY", "after_lead", "capital", "direct", "figure_words", "reachable", "tidy", "vague_subject"]

BOUNDARY = word_set(
    "that which who whom whose when where while if because although though unless whether and but or than"
)
_VAGUE = word_set(
    "thing things way ways case cases people time times part parts number kind example place fact point person "
    "man men day days something"
)


def figure_words(figure: Figure, prep: str, clause: Clause) -> str:
    """The question words for a figure after a preposition; empty where none fit."""
    more = clause.words(figure.start, figure.at)
    lead = " ".join(part for part in (prep, more) if part)
    if figure.kind == "year":
        return (
            capital(f"{prep} what year")
            if prep in {"in", "since", "by", "until", "before", "after", "during"} and not more
            else ""
        )
    if figure.kind == "date" and not prep:
        return "" if more else "On what date"
    if figure.kind == "date":
        return capital(f"{prep} what date") if prep in {"on", "by", "until", "before", "after", "since"} else ""
    if figure.kind == "month":
        return capital(f"{prep} what month") if prep in {"in", "by", "until", "since"} else ""
    if figure.kind == "day":
        return capital(f"{prep} what day") if prep == "on" else ""
    if figure.kind == "count":
        return capital(f"{lead} how many {clause.words(*figure.noun)}".strip())
    if figure.kind == "amount":
        return capital(f"{lead} what amount".strip())
    if figure.end < clause.end and clause.tokens[figure.end].low == "of":
        return ""
    return capital(f"{lead} what percentage".strip()) if prep else ""


def reachable(clause: Clause, start: int, end: int) -> bool:
    """Whether a phrase depends on the verb itself, so that it can be moved to the front of a question."""
    if not (clause.verb < start and end <= clause.end):
        return False
    between = clause.tokens[clause.verb + 1 : start]
    if len(between) > 14 or any(token.low in BOUNDARY or token.may("PUNCT", "AUX") for token in between):
        return False
    if end < clause.end:
        after = clause.tokens[end]
        if (
            after.text in {",", "’", "'"}
            or after.low in {"and", "or", "of"}
            or after.nominal
            or after.may("ADJ", "VBG", "VBN")
            or after.low in {"that", "which", "who", "to"}
        ):
            return False
        comma = next((place for place in range(end, clause.end) if clause.tokens[place].text == ","), clause.end)
        if any(token.may("AUX", "PRON", "SUB", "VBD", "VBZ", "VBG") for token in clause.tokens[comma : clause.end]):
            return False
    return True


def direct(clause: Clause, place: int) -> bool:
    """Whether a preposition depends on the verb, with no noun between that it could belong to."""
    return not any(token.nominal and not token.may("VBN") for token in clause.tokens[clause.verb + 1 : place])


def vague_subject(clause: Clause) -> bool:
    """Whether a subject in the question is unspecific: 'the committee', 'the file'."""
    tokens = clause.tokens[slice(*clause.subject)]
    if any(token.may("NAME", "CODE") for token in tokens) or tokens[0].low == "you":
        return False
    if tokens[0].low not in {
        "the",
        "this",
        "that",
        "these",
        "those",
        "both",
        "all",
        "some",
        "many",
        "several",
        "most",
        "few",
    }:
        return len(tokens) == 1 and tokens[0].low in _VAGUE
    content = [token for token in tokens[1:] if not token.may("PREP", "DET", "CONJ")]
    return len(content) < 2


def tidy(text: str) -> str:
    return re.sub(r"\s+([,.;])", r"\1", text).rstrip(" ,;:.")


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def after_lead(lead: str, asked: str) -> str:
    """Question words after an adjunct, or at the head of the question."""
    return f"{lead}{asked[0].lower()}{asked[1:]}" if lead else asked
