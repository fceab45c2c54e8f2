"""How well style alone finds the altered unit and tells wrong from faithful summaries of the chronicle, per size and
type of error, over many summaries: `python benchmarks/bench_novel_probes.py [PAIRS] [SIZE ...]`.

The per-type classifier learns on that type alone, which is harder to pass than the build's own check."""

from __future__ import annotations

import sys
from typing import Any

from longreach.core.types import Tokenizer
from longreach.families.base import BuildContext
from longreach.families.building import make_spec
from longreach.families.novel.build import select_samples
from longreach.families.novel.leakage import PLACE_MARGIN, STYLE_LIMIT, place_probe, style_probe
from longreach.families.novel.samples import SummarySample
from longreach.families.novel.spec import NovelSpec
from longreach.models.tokenizers import get_tokenizer
from longreach.worlds import TYPES


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 96
    sizes = sys.argv[2:] or ["S", "M"]
    tokenizer = get_tokenizer("o200k_base")
    for language in ("en", "zh"):
        for size in sizes:
            print(f"{language} {size}, {pairs} pairs")
            report(samples_of(language, size, pairs, tokenizer))


def samples_of(language: str, size: str, pairs: int, tokenizer: Tokenizer) -> list[SummarySample]:
    settings: dict[str, Any] = {"language": language, "sizes": size, "per_class": pairs, "books": 8, "seed": 11}
    spec = NovelSpec.parse(make_spec("novel", settings).model_dump(), "the spec")
    return select_samples(spec, [], tokenizer, BuildContext(warn=print))[1]


def report(samples: list[SummarySample]) -> None:
    place = place_probe(samples, 0)
    if place["accuracy"] is not None:
        print(
            f"  place probe {place['accuracy']:.1%} ({place['low']:.1%} to {place['high']:.1%}), chance "
            f"{place['chance']:.1%}, limit chance + {PLACE_MARGIN:.0%}, n = {place['n']}"
        )
    style = style_probe(samples, 0)
    print(f"  style probe {style['accuracy']:.1%}, limit {STYLE_LIMIT:.0%}, n = {style['n']}")
    types = {sample.id.rpartition("-")[0]: sample.type for sample in samples if sample.version.type}
    for name in TYPES:
        own = [sample for sample in samples if types[sample.id.rpartition("-")[0]] == name]
        probe = style_probe(own, 0)
        if probe["accuracy"] is not None:
            low, high = probe["low"], probe["high"]
            print(f"  {name:12} {probe['accuracy']:6.1%} ({low:.1%} to {high:.1%}), n = {probe['n']}")


if __name__ == "__main__":
    main()
