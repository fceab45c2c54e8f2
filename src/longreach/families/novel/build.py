"""Books to items: stories of each size, summaries with and without an error over them, every method over each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from longreach.core.bench import Draft
from longreach.core.corpus import Corpus
from longreach.core.document import Document
from longreach.core.item import Item
from longreach.core.tokenizer import Tokenizer
from longreach.families.base import BuildContext, warn_of_counting
from longreach.text.index import index_documents

from .items import SampleItems, size_balance
from .probes import failed_probes, place_probe, style_probe
from .samples import Sample
from .selection import select_samples
from .sources import Source
from .spec import NovelSpec
from .summaries import method_prompts

__all__ = ["build_novel"]


def build_novel(
    spec: NovelSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext, version: int
) -> tuple[Draft, Corpus]:
    """Build a whole benchmark, independently of the model that will be tested."""
    selection = select_samples(spec, documents, tokenizer, build_context)
    source, pool, samples = selection.source, selection.pool, selection.samples
    used = {sample.story for sample in samples}
    corpus = index_documents(pool.documents(used), tokenizer)
    warn_of_counting(corpus, tokenizer, build_context)
    languages = sorted({book.language for book in source.books})
    prompts = {language: method_prompts(language, spec.methods) for language in languages}
    lengths = {size: pool.length(size) for size in spec.sizes}
    maker = SampleItems(spec, corpus, tokenizer, prompts, lengths)
    items = [item for sample in samples for item in maker.items(sample)]
    asked = {item.prompt for item in items}
    if doubtful := pool.doubtful():
        use = "used all the same" if spec.keep_doubtful else "not used"
        build_context.warn(f"summaries in doubt, {use}: {len(doubtful)}; look at them with longreach review")
    record = _record(spec, source, doubtful, samples, items, maker)
    for line in failed_probes(record):
        build_context.warn(line)
    draft = Draft(
        family=spec.family,
        family_version=version,
        spec=spec.model_dump(mode="json", by_alias=True),
        prompts=tuple(prompt for named in prompts.values() for prompt in named.values() if prompt.id in asked),
        planted=tuple(maker.planted.values()),
        questions=tuple(maker.questions.values()),
        items=tuple(items),
        build=record,
    )
    return draft, corpus


def _record(
    spec: NovelSpec,
    source: Source,
    doubtful: Sequence[dict[str, Any]],
    samples: Sequence[Sample],
    items: Sequence[Item],
    maker: SampleItems,
) -> dict[str, Any]:
    """The build record, as plain data."""
    record: dict[str, Any] = {
        "source": spec.source,
        "split": {"this": spec.split, **source.split},
        "sizes": {size: size_balance(items, size) for size in spec.sizes},
        "style_probe": style_probe(samples, spec.seed),
        "place_probe": place_probe(samples, spec.seed),
        **source.record(),
    }
    if doubtful:
        record["doubtful"] = list(doubtful)
    if maker.embedders:
        record["embedders"] = maker.embedders
    return record
