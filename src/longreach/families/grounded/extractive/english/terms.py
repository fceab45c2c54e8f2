"""English terms: what can be an option, with the form that all options of a question share."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

from ..terms import Sentence, Term
from .figures import Figure
from .names import HONORIFICS, NameTable, run_text
from .words import TYPES, Token

__all__ = ["code_term", "figure_term", "name_form", "name_term"]


def code_term(sentence: Sentence, tokens: Sequence[Token], place: int) -> Term | None:
    text = tokens[place].text
    if tokens[place].start and sentence.text[tokens[place].start - 1 : tokens[place].start] not in {
        " ",
        "(",
        '"',
        "“",
        "'",
        "‘",
        "",
    }:
        return None
    if (
        len(text) < 3
        or len(text) > 40
        or re.fullmatch(r"\d.*|[A-Za-z]\.?|e\.g|i\.e|.*\.(?:com|org|net|tld|example|invalid|domain|edu)", text)
    ):
        return None
    if text.startswith("--"):
        shape = "option"
    elif text.startswith("-"):
        shape = "flag"
    elif text.startswith(("/", "~")):
        shape = "path"
    elif text.endswith("()"):
        shape = "call"
    elif text.isupper():
        shape = "CONSTANT" if "_" in text else "upper"
    elif "_" in text and text.islower():
        shape = "snake"
    elif re.fullmatch(r"[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+", text) and not text.startswith("www."):
        shape = "file" if re.search(r"\.[a-z]{1,4}$", text) else "dotted"
    elif re.fullmatch(r"(?:[A-Z]+[a-z0-9]+){2,}\w*", text):
        shape = "camel"
    elif re.fullmatch(r"[a-z]+(?:-[a-z]+)+", text):
        shape = "dashed"
    else:
        return None
    near = []
    for neighbour in (place - 1, place + 1):
        if 0 <= neighbour < len(tokens) and tokens[neighbour].low in TYPES:
            near.append(tokens[neighbour].low)
    return Term(
        "code",
        ("code", shape, "." in text, text.islower() or shape not in {"dotted", "file"}),
        text,
        sentence.passage,
        sentence.number,
        None,
        tuple(near),
    )


def figure_term(sentence: Sentence, tokens: Sequence[Token], figure: Figure) -> Term:
    noun = tokens[figure.noun[1] - 1].low if figure.noun[1] else ""
    text = figure.text if figure.text[0].isdigit() or figure.kind in {"date", "month", "day"} else figure.text.lower()
    return Term(figure.kind, figure.form, text, sentence.passage, sentence.number, figure.size, (noun,) if noun else ())


def name_term(
    names: NameTable, sentence: Sentence, tokens: Sequence[Token], start: int, end: int, *, subject: bool = False
) -> Term | None:
    text = run_text(tokens, start, end)
    if not names.is_name(text):
        return None
    near = []
    if start and not tokens[start - 1].may("PUNCT"):
        near.append(f"<{tokens[start - 1].low}")
    if end < len(tokens) and tokens[end].may("AUX", "VBZ", "VBD"):
        near.append(">verb")
    if subject:
        near = [">verb"]
    return Term("name", name_form(names, text), text, sentence.passage, sentence.number, None, tuple(near))


def name_form(names: NameTable, text: str) -> tuple[Hashable, ...]:
    """What the options of a question for a name have in common."""
    kind = names.kind(text)
    words = text.split()
    if kind == "person" and names.narrative:
        return ("name", kind, names.acts(text))
    form = (
        "name",
        kind,
        text.isupper(),
        names.article(text),
        words[0].casefold() in HONORIFICS,
        names.acts(text),
    )
    return (*form, min(2, len(words))) if kind in {"thing", "group"} else form
