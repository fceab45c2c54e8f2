"""Retrieval beside the long context: the questions of a benchmark over the passages that a retriever finds for each of
them, as a benchmark of its own."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np

from longreach.core.bench import Bench, Corpus, Draft, building, write_bench
from longreach.core.files import Store, user_folder
from longreach.core.formatting import count
from longreach.core.types import Item, Mark, Planted, Question
from longreach.errors import BadInput
from longreach.models.embedders import Retriever, open_retriever
from longreach.models.providers import OFFLINE_EMBEDDER
from longreach.text.passages import cut_text

from . import get_family
from .parts import Searchable, part_of
from .readings import ReadingMaker, asked_questions, main_document_language
from .showing import assembler_of

__all__ = ["WORDS", "retrieved_benches"]

WORDS = 100
"""Words of a passage."""
_VERSION = 2
_GAP = "\n\n[...]\n\n"


def retrieved_benches(
    bench: Bench,
    counts: Sequence[int],
    retriever: str = "auto",
    progress: Callable[[str], None] = lambda _: None,
    *,
    only: frozenset[str] | None = None,
) -> list[Bench]:
    """One benchmark per number of passages, in the user's cache; what is there already is not made again. `only`: of
    these items alone."""
    language = main_document_language(bench)
    if retriever == OFFLINE_EMBEDDER and language != "en":
        raise BadInput(f"retriever {retriever} reads English and most of this text is '{language}'; take auto or bm25")
    search = open_retriever(retriever, language)
    part = sorted(only or ())
    folders = {
        number: user_folder("ways") / Store.key(_VERSION, bench.info.digest, number, search.name, WORDS, part)[:24]
        for number in counts
    }
    made: dict[int, Bench] = {}
    for number, folder in folders.items():
        if folder.is_dir():
            try:
                made[number] = Bench.open(folder)
            except BadInput:
                shutil.rmtree(folder, ignore_errors=True)
    if missing := [number for number in folders if number not in made]:
        for number, (draft, corpus) in _drafts(bench, missing, search, language, progress, only).items():
            with building(folders[number]):
                made[number] = write_bench(folders[number], draft, corpus)
    return [made[number] for number in folders]


def _drafts(
    bench: Bench,
    counts: Sequence[int],
    search: Retriever,
    language: str,
    progress: Callable[[str], None],
    only: frozenset[str] | None,
) -> dict[int, tuple[Draft, Corpus]]:
    """Search every context once, and take the best passages for each question: so many, or more."""
    searched, contexts = part_of(get_family(bench.info.family), Searchable), dict[str, list[Item]]()
    for item in bench.items.values():
        if only is None or item.id in only:
            contexts.setdefault(item.context.sha256, []).append(item)
    made = {number: ReadingMaker(bench, f"passages:{number}", search.name) for number in counts}
    assembler, left = assembler_of(bench), Counter[str]()
    progress(f"passages: searching {count(len(contexts), 'context')} with {search.name}")
    for items in contexts.values():
        if asked := list(asked_questions(bench, items, left)):
            texts = cut_text(assembler.text(items[0].context.pieces).decode(), language, WORDS)
            scores = search.scores(texts, [searched.query(question) for _, _, question in asked])
            bounds = list(accumulate((len(text.encode()) for text in texts), initial=0))
            for (item, name, question), row in zip(asked, scores, strict=True):
                # Rounded, so that another machine's last bit makes no other benchmark; of equals the earlier.
                order = np.argsort(-np.round(row.astype(np.float64), 4), kind="stable").tolist()
                for number, each in made.items():
                    if len(texts) <= number:
                        each.left[f"the whole text has no more than {count(number, 'passage')}"] += 1
                    else:
                        _add(each, item, name, question, texts, bounds, sorted(order[:number]))
    return {number: each.draft(left) for number, each in made.items()}


def _add(
    maker: ReadingMaker,
    item: Item,
    id: str,
    question: Question,
    texts: Sequence[str],
    bounds: Sequence[int],
    chosen: Sequence[int],
) -> None:
    """A question with its best passages, in the order of the text."""
    facts = maker.bench.evidence(item)
    parts, covered = list[Planted](), list[tuple[int, int]]()
    for place in chosen:
        start, end = bounds[place], bounds[place + 1]
        if covered and covered[-1][1] == start:
            covered[-1] = (covered[-1][0], end)
        else:
            parts += [maker.planted(_GAP)] if covered else []
            covered.append((start, end))
        inside = [fact for fact in facts if start <= fact.start and fact.end <= end]
        marks = tuple(Mark(id=fact.id, start=fact.start - start, end=fact.end - start) for fact in inside)
        parts.append(maker.planted(texts[place], marks))
    needed = [fact for fact in facts if fact.id in question.evidence]
    wholly = (any(low <= fact.start and fact.end <= high for low, high in covered) for fact in needed)
    maker.add(item, id, question, parts, all(wholly) if needed else None)
