"""From a spec to a benchmark folder: reading documents, making items, writing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from longreach.core.bench import Bench, Prompt, building, write_bench
from longreach.core.formatting import parse_tokens
from longreach.core.processes import cores
from longreach.core.settings import Spec
from longreach.core.types import Cell, Context, Document, Item, Piece, Placement, Question, SharedParts, Tokenizer
from longreach.errors import BadInput, did_you_mean
from longreach.models.prices import limits_of
from longreach.models.providers import own_tokenizer, providers
from longreach.models.tokenizers import get_tokenizer
from longreach.text.assemble import Assembler

from . import get_family
from .base import CONTEXT, BuildContext, Family, prompt_parts
from .parts import Preset, Sourced, part_of
from .showing import assembler_of


class ItemMaker:
    """Makes the items of one benchmark."""

    def __init__(self, family: str, assembler: Assembler, tokenizer: Tokenizer) -> None:
        self.family, self.assembler, self.tokenizer = family, assembler, tokenizer
        self._parts = SharedParts()
        self._through: dict[tuple[str, str, str], tuple[int, int]] = {}

    def context(self, pieces: Sequence[Piece]) -> Context:
        """A recipe with its count and digest."""
        return self.assembler.context(self.tokenizer, pieces)

    def item(
        self,
        id: str,
        context: Context,
        prompt: Prompt,
        questions: Sequence[Question],
        values: Mapping[str, str],
        *,
        cell: Cell,
        realised: Cell | None = None,
        placed: Sequence[Placement] = (),
    ) -> Item:
        """One request. `values` fill the prompt's variables other than the context; without `realised` the actual
        length is recorded."""
        return self._parts.item(
            Item(
                id=id,
                family=self.family,
                context=context,
                prompt=prompt.id,
                questions=tuple(question.id for question in questions),
                cell=cell,
                realised={"length": context.tokens} if realised is None else realised,
                placed=tuple(placed),
                **self.counted(context, prompt, values),
            )
        )

    def counted(self, context: Context, prompt: Prompt, values: Mapping[str, str]) -> dict[str, Any]:
        """The fields of an item that follow from its whole prompt: token counts and digest."""
        head, tail = prompt.around(CONTEXT)
        opening = prompt.fill(head, values)
        shared = [opening, *context.pieces]
        ending = prompt.fill(tail, values)
        key = (context.sha256, prompt.id, opening)
        if key not in self._through:
            rules = tail.partition("{{")[0]
            self._through[key] = self._count(shared), self._count([*shared, rules])
        through_context, through_rules = self._through[key]
        return {
            "tokens": self._count([*shared, ending]),
            "through_context": through_context,
            "through_rules": through_rules,
            "sha256": self.assembler.digests(shared, [ending])[0],
        }

    def _count(self, pieces: Sequence[Piece | str]) -> int:
        return self.assembler.count(self.tokenizer, pieces)


USUAL_WINDOW = 128_000
"""The default window for lengths in percent, where neither a window nor a model is given."""
_SHARES = "10%..100%/10%"


def make_spec(
    family: str,
    settings: Mapping[str, Any],
    where: str = "spec",
    *,
    model: str | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> Spec:
    """A family's spec from plain settings; unknown keys are rejected with a suggestion. A `preset` fills in missing
    settings, and so do the window and tokenizer known for `model`, of which nothing else is used. `note` receives the
    choices made."""
    made = get_family(family)
    given = dict(settings)
    preset = given.pop("preset", None)
    named = part_of(made, Preset)
    if preset is not None and preset not in named.presets:
        known = did_you_mean(str(preset), named.presets) if named.presets else f" The family {family} has none."
        raise BadInput(f"{where}: unknown preset '{preset}'.{known}")
    chosen = {**(named.preset(preset, given) if preset is not None else {}), **given}
    field = made.spec_type.model_fields.get("lengths")
    default = field.default if field else ()
    if isinstance(name := chosen.get("window"), str) and name.strip()[:1].isalpha():
        chosen["window"] = _window_of(name.strip(), where, note)
    if default and "lengths" not in given and chosen.get("window") is None:
        chosen |= _lengths(str(chosen.get("lengths", default)), default, model, where, note)
    elif default and "lengths" not in chosen and "%" not in str(default):
        chosen["lengths"] = _SHARES
    if model is not None and "tokenizer" not in given and (tokenizer := own_tokenizer(model)) is not None:
        chosen["tokenizer"] = tokenizer
    return made.spec_type.parse({"family": family, **chosen}, where)


def check_same_settings(bench: Bench, spec: Spec) -> None:
    """Refuse to go on with a benchmark that was built with other settings than those of `spec`."""
    asked, there = spec.recorded(), bench.spec
    if other := [name for name in {**there, **asked} if there.get(name) != asked.get(name)]:
        raise BadInput(
            f"{bench.folder} has another {', '.join(other)}; repeat its settings, or give another --out FOLDER"
        )


class Scaled(NamedTuple):
    """A setting of a paper's preset that --scale multiplied."""

    name: str
    whole: Any
    scaled: Any
    least: Any
    """What it may not be less than, where that was in the way; else None."""

    def line(self) -> str:
        """What became of it."""
        least = f" (at least {self.least})" if self.least is not None else ""
        return f"{self.name} {_ends_of(self.whole)} to {_ends_of(self.scaled)}{least}"


def _ends_of(value: Any) -> str:
    if not isinstance(value, list | tuple):
        return str(value)
    return str(value[0]) if len(value) == 1 else f"{value[0]}..{value[-1]}"


def paper_settings(
    family: str, model: str, scale: float, changed: Mapping[str, Any], note: Callable[[str], None]
) -> tuple[dict[str, Any], list[Scaled]]:
    """The preset `paper` of a family for a model, with lengths and sizes multiplied by `scale` and then `changed`, and
    what was multiplied; a window given there is the model's and is multiplied too."""
    made = get_family(family)
    named = part_of(made, Preset)
    if "paper" not in named.presets:
        raise BadInput(f"the family {family} has no preset 'paper'; build it with longreach build {family}")
    preset = named.preset("paper", changed)
    if "%" in str(preset.get("lengths", "")):
        given = str(changed.get("window", model)).strip()
        whole = {"window": parse_tokens(given) if given[:1].isdigit() else _window_of(given, "-m", note)}
        wanted: Mapping[str, Any] = {"window": round(whole["window"] * scale)}
        rest = {name: value for name, value in changed.items() if name != "window"}
    elif scale == 1:
        return {"preset": "paper", **changed}, []
    else:
        whole = made.spec_type.parse({"family": family, **preset, **changed}, "preset paper").model_dump(mode="json")
        wanted, rest = named.scaled(whole, scale), dict(changed)
    minima = named.paper.minima if named.paper is not None else {}
    found = []
    for name in wanted:
        if name in rest or whole[name] == wanted[name] or isinstance(whole[name], dict):
            continue
        least = minima.get(name)
        raised = _raised(wanted[name], least, whole[name])
        found.append(Scaled(name, whole[name], raised, least if raised != wanted[name] else None))
    return {"preset": "paper", **wanted, **{each.name: each.scaled for each in found}, **rest}, found


def _raised(value: Any, least: int | None, whole: Any) -> Any:
    """A scaled setting that is no less than makes sense, and no more than it was."""
    if least is None:
        return value
    if isinstance(value, list):
        kept = [_raised(each, least, before) for each, before in zip(value, whole, strict=False)]
        return list(dict.fromkeys(kept))
    if isinstance(value, str) and not value.isdigit():
        return value
    number = max(int(value), min(least, int(whole)) if str(whole).isdigit() else least)
    return str(number) if isinstance(value, str) else number


def _lengths(
    lengths: str, default: tuple[str, ...], model: str | None, where: str, note: Callable[[str], None]
) -> dict[str, Any]:
    """A window for lengths in percent: the model's, or a usual one. Absolute lengths beyond a model's window become
    shares of it."""
    if model is None:
        if "%" not in lengths:
            return {}
        note(f"no window given: lengths are shares of {USUAL_WINDOW // 1000}k tokens; set --window, --lengths or -m")
        return {"window": USUAL_WINDOW}
    window = _window_of(model, where, note)
    if "%" in lengths or max(map(int, default)) <= window:
        return {"window": window}
    return {"window": window, "lengths": _SHARES}


def _window_of(model: str, where: str, note: Callable[[str], None]) -> int:
    """The tokens that a model takes; its provider may be left out where a list of models has it."""
    names = [model] if "/" in model or model == "embedded" else [f"{name}/{model}" for name in providers()]
    for limits in map(limits_of, names):
        if (window := min(filter(None, (limits.window, limits.input)), default=None)) is not None:
            note(f"lengths up to the {window:,} tokens that {model} takes")
            return window
    raise BadInput(f"{where}: the window of model '{model}' is not known; give --window 128k, or --set window=128k")


def build_bench(spec: Spec, folder: Path, build_context: BuildContext) -> Bench:
    """Build a benchmark folder from a spec; the folder is written atomically."""
    family = get_family(spec.family)
    tokenizer = get_tokenizer(spec.tokenizer)
    with building(folder):
        documents = read_documents(family, spec, build_context)
        draft, corpus = family.build(spec, documents, tokenizer, build_context)
        return write_bench(folder, draft, corpus)


def read_documents(family: Family[Spec], spec: Spec, build_context: BuildContext) -> list[Document]:
    """The text to build from."""
    if isinstance(family, Sourced):
        return family.documents(spec, build_context)
    return build_context.documents(spec.docs)


def check_bench(folder: Path) -> list[str]:
    """Every difference between a folder and its records: bytes, digests, and each item's token count, verified by
    tokenizing the whole prompt again. Empty if there is none."""
    bench = Bench.open(folder, verify=False)
    problems = bench.changes()
    try:
        problems += _check_items(bench)
    except (BadInput, KeyError, ValueError, UnicodeDecodeError) as error:
        problems.append(f"the benchmark cannot be read: {error}")
    return problems


def _check_items(bench: Bench) -> list[str]:
    tokenizer = get_tokenizer(bench.corpus.info.tokenizer)
    problems: list[str] = []
    if tokenizer.fingerprint != bench.corpus.info.fingerprint:
        problems.append(f"tokenizer '{tokenizer.name}' splits text differently from the one that built this")
    if len(bench.items) != bench.info.items:
        problems.append(f"{len(bench.items)} items, bench.json says {bench.info.items}")
    same = (list(group) for _, group in groupby(bench.items.values(), key=lambda item: item.context))
    # Tokenizing and hashing, which take nearly all the time, run outside Python's lock.
    with ThreadPoolExecutor(cores()) as threads:
        for found in threads.map(partial(_check_context, bench, assembler_of(bench), tokenizer), same):
            problems += found
    return problems


def _check_context(bench: Bench, assembler: Assembler, tokenizer: Tokenizer, items: Sequence[Item]) -> list[str]:
    """The problems of items over one context."""
    family = get_family(bench.info.family)
    context = assembler.text(items[0].context.pieces)
    digest, tokens = hashlib.sha256(context).hexdigest(), _counted(assembler, tokenizer, items[0].context.pieces)
    problems: list[str] = []
    for item in items:
        prompt = prompt_parts(family, bench, item)
        found = {
            "context sha256": (digest, item.context.sha256),
            "context tokens": (tokens, item.context.tokens),
            "prompt sha256": (hashlib.sha256(assembler.text(prompt)).hexdigest(), item.sha256),
            "prompt tokens": (_counted(assembler, tokenizer, prompt), item.tokens),
        }
        problems += [
            f"item {item.id}: {what} is {real}, recorded {recorded}"
            for what, (real, recorded) in found.items()
            if real != recorded
        ]
        for fact in bench.evidence(item):
            if context[fact.start : fact.end].decode(errors="replace") != fact.text:
                problems.append(f"item {item.id}: fact {fact.id} is not at its recorded place")
    return problems


def _counted(assembler: Assembler, tokenizer: Tokenizer, pieces: Sequence[Piece | str]) -> int:
    """Tokens by tokenizing each message as a whole."""
    return sum(tokenizer.count(message.text.decode()) for message in assembler.messages(pieces))


_NAMED = 6
"""Contexts named in a line."""
_DEPTH_POINTS = 2.0
_LENGTH_SHARE = 0.01
"""A context misses its depth or its length by more than this."""


def describe_misses(items: Sequence[Item]) -> list[str]:
    """One line each for contexts that miss their depth or their length, with the largest misses."""
    depths = [(abs(_number(item.realised, "depth") - _number(item.cell, "depth")), item) for item in _placed(items)]
    lengths = [(1 - _number(item.realised, "length") / _number(item.cell, "length"), item) for item in _placed(items)]
    lines: list[str] = []
    for name, found, most, form in (
        ("depth", depths, _DEPTH_POINTS, "{:.1f} points"),
        ("length", lengths, _LENGTH_SHARE, "{:.1%}"),
    ):
        missed = sorted((pair for pair in found if pair[0] > most), key=lambda pair: (-pair[0], pair[1].id))
        if missed:
            named = ", ".join(f"{item.id} {form.format(miss)}" for miss, item in missed[:_NAMED])
            more = f", and {len(missed) - _NAMED} more" if len(missed) > _NAMED else ""
            lines.append(
                f"{name}: {len(missed)} of {len(found)} contexts miss it by more than {form.format(most)} ({named}"
                f"{more}), for lack of text beside the passage; add documents or give a smaller --set passage_words"
            )
    return lines


def _placed(items: Sequence[Item]) -> list[Item]:
    return [item for item in items if {"length", "depth"} <= item.cell.keys() & item.realised.keys()]


def _number(values: Mapping[str, object], name: str) -> float:
    return float(str(values[name]))
