"""Haystacks for shorter lengths that are shortened, not truncated: each from the next longer one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longreach.core.bench import Corpus, Prompt
from longreach.core.types import Document, Tokenizer
from longreach.families.base import BuildContext
from longreach.text.assemble import Assembler

from .placement import Haystack
from .spec import NeedlesSpec


def contract(
    spec: NeedlesSpec,
    corpus: Corpus,
    tokenizer: Tokenizer,
    build_context: BuildContext,
    language: str,
    lengths: Sequence[int],
    own: int,
) -> tuple[list[Document], dict[str, Any]]:
    """One document per length, the longest first, each with room for `own` tokens of facts, and a record of how they
    were made.

    The longest is the start of the corpus, or with `shorten_longest` the whole of it, shortened; every other is the one
    before it, shortened.
    """
    from longreach.text.shorten import Shortened, shorten_by_model, shorten_by_sentences

    haystack = Haystack(Assembler(corpus, {}), tokenizer)
    targets = [haystack.room(length, own, nested=True) for length in sorted(lengths)][::-1]
    text = bytes(corpus.text).decode()
    if not spec.shorten_longest:
        last = haystack.within(targets[0])
        pieces = haystack.fit(lambda end: haystack.weave([], end), targets[0], last, 1, haystack.end) or ()
        text = Assembler(corpus, {}).text(pieces).decode()
    made = Shortened(text=text, tokens=tokenizer.count(text), rounds=0, slices=0)
    build_info: dict[str, Any] = {"documents": [placed.document.model_dump() for placed in corpus.info.documents]}
    prompt: Prompt | None = None
    if spec.rewriter is not None:
        prompt = Prompt.load(Path(__file__).parent / "prompts" / language / "building" / "contract.txt")
        build_info |= {"rewriter": spec.rewriter, "prompt_version": prompt.version}

    documents: list[Document] = []
    build_info["contexts"] = []
    for target in targets:
        if made.tokens <= target:
            made = made.model_copy(update={"rounds": 0, "slices": 0})
        elif prompt is not None and spec.rewriter is not None:
            build_context.progress(f"rewriting {made.tokens} tokens to {target}")
            made = shorten_by_model(
                made.text,
                target,
                count=tokenizer.count,
                writer=build_context.helper_model(spec.rewriter),
                prompt=prompt,
                slice_tokens=spec.slice,
                progress=build_context.progress,
            )
        else:
            build_context.progress(f"shortening {made.tokens} tokens to {target}")
            made = shorten_by_sentences(made.text, target, count=tokenizer.count)
        documents.append(Document.of(f"haystack-{target}", made.text, source=f"{spec.haystack}ed", language=language))
        build_info["contexts"].append({"target": target} | made.model_dump(exclude={"text"}))
    return documents, build_info
