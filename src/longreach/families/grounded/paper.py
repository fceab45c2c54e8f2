"""The paper behind grounded: its table as points."""

from __future__ import annotations

from longreach.families.papers import Load, Paper, Point

from .build import ANSWER_TOKENS, QUESTION_TYPE
from .figures import published_rows
from .spec import GroundedSpec

_OF_QUESTION, _TOKENS_PER_WORD = 250, 1.4
"""Tokens of a question with its options and the rules, and of a word."""


def _outline(spec: GroundedSpec) -> list[Load]:
    """Without documents, and with an archive or a hub's dataset, one domain is counted; folders are known when read."""
    domains = max(1, len(spec.docs)) if spec.domains == "folders" else 1
    questions = domains * spec.long_documents * len(spec.depths) * spec.per_depth
    lengths = [int(length) for length in spec.lengths if "%" not in length]
    lengths += [round(float(length[:-1]) / 100 * (spec.window or 0)) for length in spec.lengths if "%" in length]
    mean = round(sum(lengths) / len(lengths))
    doubled = 2 * _OF_QUESTION if spec.question_first and spec.question_after else _OF_QUESTION
    loads = [Load(what="reading", requests=questions * len(lengths), tokens=mean + doubled, answer=ANSWER_TOKENS)]
    if spec.controls:
        passage = round(_TOKENS_PER_WORD * spec.passage_words) + _OF_QUESTION
        loads.append(Load(what="passage alone", requests=questions, tokens=passage, answer=ANSWER_TOKENS))
        loads.append(Load(what="no text", requests=questions, tokens=_OF_QUESTION, answer=ANSWER_TOKENS))
    return loads


PAPER = Paper(
    outline=_outline,
    package=__package__ or "",
    points=lambda: tuple(
        Point(model=row.model, axes={"length": length}, value=score)
        for row in published_rows()
        for length, score in row.by_length.items()
    ),
    counts=lambda row: row.question_type == QUESTION_TYPE and "length" in row.cell,
    axes=("length",),
)
