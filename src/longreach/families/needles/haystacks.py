"""Stories for shorter lengths that are made shorter, not cut off: each from the one above it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longreach.core.corpus import Corpus
from longreach.core.document import Document
from longreach.core.prompt import Prompt
from longreach.core.tokenizer import Tokenizer
from longreach.families.base import BuildContext
from longreach.text.assemble import Assembler

from .placement import Haystack
from .spec import NeedlesSpec

__all__ = ["contract"]


def contract(
    spec: NeedlesSpec,
    corpus: Corpus,
    tokenizer: Tokenizer,
    build_context: BuildContext,
    language: str,
    lengths: Sequence[int],
    own: int,
) -> tuple[list[Document], dict[str, Any]]:
    """One document a length, the longest first, each with room for `own` tokens of facts, and what there is to tell of
    how they were made.

    The longest is the beginning of the corpus; every other is the one before it, made shorter."""
    from longreach.text.contract import Shortened, shorten_by_model, shorten_by_sentences

    haystack = Haystack(Assembler(corpus, {}), tokenizer)
    targets = [haystack.hold(length, own, nested=True) for length in sorted(lengths)][::-1]
    text = corpus.read(0, haystack.sides(haystack.within(targets[0]))[0])
    made = Shortened(text=text, tokens=tokenizer.count(text), rounds=0, slices=0)
    told: dict[str, Any] = {"documents": [placed.document.model_dump() for placed in corpus.info.documents]}
    prompt: Prompt | None = None
    if spec.rewriter is not None:
        prompt = Prompt.load(Path(__file__).parent / "prompts" / language / "building" / "contract.txt")
        told |= {"rewriter": spec.rewriter, "prompt_version": prompt.version}

    documents: list[Document] = []
    told["stories"] = []
    for target in targets:
        if made.tokens <= target:
            made = made.model_copy(update={"rounds": 0, "slices": 0})
        elif prompt is not None and spec.rewriter is not None:
            build_context.progress(f"rewriting {made.tokens} tokens of story to {target}")
            made = shorten_by_model(
                made.text,
                target,
                count=tokenizer.count,
                writer=build_context.writer(spec.rewriter),
                prompt=prompt,
                slice_tokens=spec.slice,
                progress=build_context.progress,
            )
        else:
            build_context.progress(f"shortening {made.tokens} tokens of story to {target}")
            made = shorten_by_sentences(made.text, target, count=tokenizer.count)
        documents.append(Document.of(f"story-{target}", made.text, source=f"{spec.haystack}ed", language=language))
        told["stories"].append({"target": target} | made.model_dump(exclude={"text"}))
    return documents, told
