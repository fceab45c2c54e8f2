"""A benchmark's items for people, and what families draw their figures with."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any, TypeVar

from longreach.core.bench import Bench
from longreach.core.figure import FamilyView
from longreach.core.files import csv_lines
from longreach.core.types import Item
from longreach.stats.series import grouped
from longreach.text.assemble import Assembler

from . import get_family
from .base import prompt_parts
from .parts import Countable, Reportable, part_of

T = TypeVar("T")


def assembler_of(bench: Bench) -> Assembler:
    """The assembler for this benchmark's recipes."""
    return Assembler(bench.corpus, {name: planted.text for name, planted in bench.planted.items()})


def family_view(name: str) -> FamilyView:
    """How a family is presented, without figures."""
    shown = part_of(get_family(name), Reportable)
    return FamilyView(name=name, title=shown.title or name, about=shown.about, axes=shown.axes, charts=shown.charts)


def guessing_scores(benches: Mapping[str, Bench]) -> dict[str, dict[str, float]]:
    """Chance scores by family and question type; the highest where benchmarks differ."""
    found: dict[str, dict[str, float]] = {}
    for bench in benches.values():
        counted = part_of(get_family(bench.info.family), Countable)
        known = found.setdefault(bench.info.family, {})
        for kind in counted.counted_types(bench):
            known[kind] = max(known.get(kind, 0.0), counted.chance(bench, kind))
    return found


def item_prompt(bench: Bench, item: Item) -> str:
    """The whole prompt."""
    return assembler_of(bench).text(prompt_parts(get_family(bench.info.family), bench, item)).decode()


def item_details(bench: Bench, item: Item) -> dict[str, Any]:
    """Everything recorded about an item, with its questions, keys and planted facts."""
    return {
        "id": item.id,
        "family": item.family,
        "prompt": item.prompt,
        "prompt_version": bench.prompts[item.prompt].version,
        "cell": item.cell,
        "asked": {name: value for name, value in item.cell.items() if name in item.realised},
        "realised": item.realised,
        "tokens": item.tokens,
        "sha256": item.sha256,
        "context": item.context.model_dump(mode="json"),
        "evidence": [fact.model_dump(mode="json") for fact in bench.evidence(item)],
        "questions": [bench.questions[question].model_dump(mode="json") for question in item.questions],
    }


def item_line(item: Item) -> str:
    """An item in one line."""
    asked = "  ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in item.cell.items()
    )
    actual = {name: value for name, value in item.realised.items() if item.cell.get(name) != value}
    real = f"  ({', '.join(f'{name} {value}' for name, value in actual.items())})" if actual else ""
    several = "question" if len(item.questions) == 1 else "questions"
    return f"{item.id:<36} {asked}{real}  {len(item.questions)} {several}  {item.tokens} tokens"


def published_lines(package: str, path: str) -> list[Any]:
    """The lines of a published table by column name: `score_pct` is the share `score`, other columns are as printed."""
    return [
        SimpleNamespace(
            **{
                name.removesuffix("_pct"): round(float(value) / 100, 6) if name.endswith("_pct") else value
                for name, value in line.items()
            }
        )
        for line in csv_lines(package, f"published/{path}")
    ]


def in_order(values: Iterable[T], first: Iterable[T] = ()) -> list[T]:
    """Distinct values, those of `first` in its order, others as they appear."""
    distinct = dict.fromkeys(values)
    return list(dict.fromkeys((*(value for value in first if value in distinct), *distinct)))


def groups_by(
    values: Iterable[T], *keys: Callable[[T], Hashable] | tuple[Callable[[T], Hashable], Iterable[Any]]
) -> dict[Any, list[T]]:
    """Values by several keys, sorted by one after another: each key in the order given with it, then as it appears."""
    pairs = [key if isinstance(key, tuple) else (key, ()) for key in keys]
    groups = grouped(values, lambda value: tuple(of(value) for of, _ in pairs))
    orders = [in_order((group[place] for group in groups), first) for place, (_, first) in enumerate(pairs)]
    ranks = [{value: rank for rank, value in enumerate(order)} for order in orders]
    in_turn = sorted(groups, key=lambda group: [rank[part] for rank, part in zip(ranks, group, strict=True)])
    return {group: groups[group] for group in in_turn}


def label(name: str) -> str:
    """A name as it is shown."""
    return name.replace("_", " ")
