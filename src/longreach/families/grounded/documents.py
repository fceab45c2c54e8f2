"""Joins the user's documents into long ones: by domain, in seeded order, until they hold the largest length."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

from longreach.core.bench import Corpus
from longreach.core.formatting import text_too_short, unique_name
from longreach.core.types import Document, Tokenizer
from longreach.errors import BadInput
from longreach.text.documents import load_sources
from longreach.text.index import index_documents
from longreach.text.passages import cut_passages, tokens_before

from .rounds import CODE_MOVES, reach
from .spec import GroundedSpec
from .windows import LongDocument

_ONE_DOMAIN = "documents"
_TOKENS_PER_WORD = 1.5

Warn = Callable[[str], None]


def load_by_folder(sources: Sequence[str], *, warn: Warn) -> list[Document]:
    """The documents of all sources. Where several folders are given, each document's source begins with the name of its
    folder, so that each folder is a domain.
    """
    folders = [source for source in sources if Path(source).expanduser().is_dir()]
    if len(folders) < 2 or len(folders) < len(sources):
        return load_sources(sources, warn=warn)
    documents: list[Document] = []
    labels: set[str] = set()
    for folder in folders:
        name = Path(folder).expanduser().resolve().name
        label = unique_name(name, labels)
        labels.add(label)
        documents += [
            document.model_copy(update={"id": f"{label}/{document.id}", "source": f"{label}/{document.source}"})
            for document in load_sources([folder], warn=warn)
        ]
    return documents


def split_domains(documents: Sequence[Document], how: str, *, warn: Warn) -> dict[str, list[Document]]:
    """Documents by the first folder of their source, or all in one; duplicate texts are dropped."""
    domains: dict[str, list[Document]] = {}
    seen: set[str] = set()
    for document in documents:
        if document.sha256 in seen:
            warn(f"{document.source}: the same text as another document; left out")
            continue
        seen.add(document.sha256)
        folder, slash, _ = document.source.partition("/")
        domains.setdefault(folder if slash and how == "folders" else _ONE_DOMAIN, []).append(document)
    return dict(sorted(domains.items()))


def join_documents(
    domains: Mapping[str, Sequence[Document]], spec: GroundedSpec, lengths: Sequence[int], tokenizer: Tokenizer
) -> tuple[Corpus, list[LongDocument]]:
    """One corpus for all domains, and its long documents. Each has a few passages more than the largest length where
    there is enough text, so that a gold passage can move and still be at its depth.
    """
    longest = max(lengths)
    spare = int((min(reach(spec), CODE_MOVES) + 2) * spec.passage_words * _TOKENS_PER_WORD)
    groups: list[tuple[str, int, list[Document]]] = []
    for domain, documents in domains.items():
        order = list(documents)
        rng = Random(f"documents {spec.seed} {domain}")
        rng.shuffle(order)
        found = _groups(order, longest, spare, tokenizer, spec.long_documents)
        if spec.questions_file:
            found = [order]  # a question may be about any of them
        while spec.reuse_documents and len(found) < spec.long_documents and len(order) > 1:
            rng.shuffle(order)
            again = [one.model_copy(update={"id": f"{one.id}~{len(found) + 1}"}) for one in order]
            found += _groups(again, longest, spare, tokenizer, 1)
        groups += ((domain, number, group) for number, group in enumerate(found, 1))
    corpus = index_documents([document for *_, group in groups for document in group], tokenizer)
    joined: list[LongDocument] = []
    at = 0
    for domain, number, group in groups:
        placed = corpus.info.documents[at : at + len(group)]
        at += len(group)
        passages, edges = cut_passages(corpus, placed[0].start, placed[-1].end, spec.passage_words, tokenizer)
        if lacking := text_too_short(edges[-1], lengths):
            raise BadInput(
                f"docs: domain '{domain}' has {lacking}; add documents, ask for shorter lengths, or join all folders "
                f"with --domains one"
            )
        texts = tuple(corpus.read(passage.start, passage.end) for passage in passages)
        base = tokens_before(corpus, placed[0].start, tokenizer)
        joined.append(LongDocument(domain, number, corpus, base, passages, edges, texts))
    return corpus, joined


def _groups(
    order: Sequence[Document], longest: int, spare: int, tokenizer: Tokenizer, most: int
) -> list[list[Document]]:
    """Documents in groups that each hold the largest length with some margin; leftovers are dropped, but the first
    group is returned even if it is too small.
    """
    groups: list[list[Document]] = []
    group: list[Document] = []
    held = 0
    for document in order:
        group.append(document)
        held += tokenizer.count(document.text)
        if held >= longest + spare:
            groups.append(group)
            group, held = [], 0
            if len(groups) == most:
                return groups
    # Joining costs a token or two at each seam, so the comparison ignores that.
    if not groups or held >= longest + 4 * len(group):
        groups.append(group)
    return groups
