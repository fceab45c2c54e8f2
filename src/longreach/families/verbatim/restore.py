"""Restore: the shuffled sentences of a passage, to be put back in order. Works with any documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from longreach.core.document import Document
from longreach.core.question import Key
from longreach.errors import BadInput
from longreach.text.sentences import sentence_ends

from .sample import NEWLINE, Sample, shuffled
from .spec import VerbatimSpec

__all__ = ["corpus_of", "restore_samples", "sentences_of"]

_LINE_BREAK = re.compile(r"\s*\n\s*")
_SHOWN = 8
_TRIES = 20


def corpus_of(document: Document) -> str:
    """The corpus of a document: its source up to the first slash."""
    return document.source.partition("/")[0]


def sentences_of(document: Document) -> list[str]:
    """The sentences of a text, each on one line: white space inside them becomes one space, a line break in Chinese
    nothing."""
    text = document.text
    ends = sentence_ends(text, document.language)
    found = (text[start:end].strip() for start, end in zip([0, *ends], ends, strict=False))
    if document.language == "zh":
        found = (_LINE_BREAK.sub("", sentence) for sentence in found)
    return [" ".join(sentence.split()) for sentence in found if sentence]


def restore_samples(spec: VerbatimSpec, documents: Sequence[Document]) -> Iterator[Sample]:
    """Passages of each size from each corpus."""
    corpora: dict[str, list[tuple[Document, list[str]]]] = {}
    for document in documents:
        corpora.setdefault(corpus_of(document), []).append((document, sentences_of(document)))
    if not corpora:
        raise BadInput("restore: no documents to take passages from; give some with docs")
    for corpus, texts in corpora.items():
        texts.sort(key=lambda entry: entry[0].id)
        for size in spec.restore_sizes:
            fit = [entry for entry in texts if len(entry[1]) >= size]
            if not fit:
                longest, sentences = max(texts, key=lambda entry: len(entry[1]))
                raise BadInput(
                    f"restore: no document of '{corpus}' has {size} sentences (the longest, '{longest.id}', has "
                    f"{len(sentences)}); give longer documents or smaller restore_sizes"
                )
            taken: set[tuple[str, int, int]] = set()
            for number in range(1, spec.restore_samples + 1):
                rng = Random(f"verbatim restore {spec.seed} {corpus} {size} {number}")
                yield _sample(spec, corpus, fit, size, number, taken, rng)


def _sample(
    spec: VerbatimSpec,
    corpus: str,
    fit: Sequence[tuple[Document, list[str]]],
    size: int,
    number: int,
    taken: set[tuple[str, int, int]],
    rng: Random,
) -> Sample:
    for _ in range(_TRIES):
        document, sentences = rng.choice(fit)
        start, count = _window(len(sentences), size, spec.spread, rng)
        if (document.id, start, count) not in taken:
            break
    # Where the text has no other passage, the same one is used in another order.
    taken.add((document.id, start, count))
    truth = sentences[start : start + count]
    mixed = shuffled(truth, rng)
    key = Key(kind="text", answer=NEWLINE.join(truth), rivals=(NEWLINE.join(mixed),))
    return Sample(
        id=f"restore-{corpus}-{size}-{number}",
        task="restore",
        items=mixed,
        separator=NEWLINE,
        shown=_SHOWN,
        size=size,
        corpus=corpus,
        keys={"original": key},
        about={"document": document.id, "title": document.title, "sha256": document.sha256, "first": start},
    )


def _window(sentences: int, size: int, spread: int, rng: Random) -> tuple[int, int]:
    """Where a passage begins and how long it is: the whole text where its length is right, else some of it."""
    if size <= sentences <= size + spread:
        return 0, sentences
    count = rng.randint(size, min(size + spread, sentences))
    return rng.randint(0, sentences - count), count
