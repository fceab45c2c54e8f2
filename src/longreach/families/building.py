"""Build and check: a spec becomes a benchmark folder, and a folder is held against its own word."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longreach.core.bench import Bench, building, write_bench
from longreach.core.spec import Spec
from longreach.errors import BadInput, did_you_mean
from longreach.models.tokenizers import get_tokenizer

from . import get_family
from .base import BuildContext, prompt_parts
from .showing import assembler_of

__all__ = ["build_bench", "check_bench", "make_spec"]


def make_spec(family: str, settings: Mapping[str, Any], where: str = "spec") -> Spec:
    """A family's spec from plain settings; unknown keys are refused with a suggestion. A `preset` among them fills in
    what they leave out."""
    made = get_family(family)
    given = dict(settings)
    preset = given.pop("preset", None)
    if preset is not None and preset not in made.presets:
        known = did_you_mean(str(preset), made.presets) if made.presets else f" The family {family} has none."
        raise BadInput(f"{where}: unknown preset '{preset}'.{known}")
    return made.spec_type.parse({"family": family, **made.presets.get(preset or "", {}), **given}, where)


def build_bench(spec: Spec, folder: Path, build_context: BuildContext) -> Bench:
    """Everything from documents to a folder on disk; the folder appears whole or not at all."""
    family = get_family(spec.family)
    tokenizer = get_tokenizer(spec.tokenizer)
    with building(folder):
        draft, corpus = family.build(spec, family.documents(spec, build_context), tokenizer, build_context)
        return write_bench(folder, draft, corpus)


def check_bench(folder: Path) -> list[str]:
    """Every difference between a folder and what it says of itself: bytes, digests, and each item's token count
    by tokenizing the whole prompt again. Empty when there is none."""
    bench = Bench.open(folder, verify=False)
    problems = bench.changes()
    try:
        problems += _check_items(bench)
    except (BadInput, KeyError, ValueError, UnicodeDecodeError) as error:
        problems.append(f"the benchmark cannot be read: {error}")
    return problems


def _check_items(bench: Bench) -> list[str]:
    import hashlib

    family = get_family(bench.info.family)
    tokenizer = get_tokenizer(bench.corpus.info.tokenizer)
    problems: list[str] = []
    if tokenizer.fingerprint != bench.corpus.info.fingerprint:
        problems.append(f"tokenizer '{tokenizer.name}' splits text differently from the one that built this")
    if len(bench.items) != bench.info.items:
        problems.append(f"{len(bench.items)} items, bench.json says {bench.info.items}")
    assembler = assembler_of(bench)
    for item in bench.items.values():
        context = assembler.text(item.context.pieces)
        prompt = assembler.text(prompt_parts(family, bench, item))
        found = {
            "context sha256": (hashlib.sha256(context).hexdigest(), item.context.sha256),
            "context tokens": (tokenizer.count(context.decode()), item.context.tokens),
            "prompt sha256": (hashlib.sha256(prompt).hexdigest(), item.sha256),
            "prompt tokens": (tokenizer.count(prompt.decode()), item.tokens),
        }
        problems += [
            f"item {item.id}: {what} is {real}, recorded {said}" for what, (real, said) in found.items() if real != said
        ]
        for fact in bench.evidence(item):
            if context[fact.start : fact.end].decode(errors="replace") != fact.text:
                problems.append(f"item {item.id}: fact {fact.id} is not where it is said to be")
    return problems
