"""Writes the reference of commands and of specs from the code itself: `python -m docs.reference.write`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import click
from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from longreach.cli import cli
from longreach.core.measure import Depths, Lengths
from longreach.core.spec import Sampling, Spec
from longreach.families import FAMILIES, get_family

__all__ = ["PAGES", "commands_page", "specs_page"]

_MADE = "<!-- Written by `python -m docs.reference.write`; edit the code it reads, not this file. -->"
_ORDER = (
    ("Make a benchmark", ("build", "show", "check", "review")),
    ("Run it", ("plan", "run")),
    ("Read the results", ("grade", "judge-audit", "report", "published")),
    ("Hold results against each other", ("compare", "gate")),
    ("Carry prompts out and answers back", ("export", "import")),
    ("At hand without a key or a network", ("demo", "serve", "models", "families")),
)

_COMMANDS = (
    "`longreach COMMAND --help` prints the same. `--json` prints the result as JSON on every command that has one.",
    "",
    "Exit codes: 0 done; 1 the answer is no (`check`, `gate`); 2 bad input, said in one line; 3 stopped early (budget, "
    "interrupt, failed calls) with everything kept. A command that stopped goes on when it is given again.",
    "",
    "From the environment come the providers' keys under their own names (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, ...) "
    "and a few settings:",
    "",
    "| variable | meaning |",
    "| --- | --- |",
    "| `LONGREACH_CACHE` | where books, embeddings and replies of helping models are kept; else `~/.cache/longreach` |",
    "| `LONGREACH_THREADS` | threads of the embedded engine; else as many as the machine has cores |",
    "| `LONGREACH_EMBEDDINGS_API_KEY` | the key for `--embedder openai:MODEL`; else `OPENAI_API_KEY` |",
    "| `LONGREACH_GUTENBERG`, `LONGREACH_GUTENBERG_PAUSE` | a Project Gutenberg mirror; seconds between requests |",
)
_SPECS = (
    "A spec says everything that decides a benchmark. Each setting is a line of a YAML file and a flag of "
    "`longreach build FAMILY` (with `-` for `_`); a flag comes before the file, and both before a preset. Unknown "
    "settings are refused, and so is one that the rest of the spec leaves without effect. What was used stands in the "
    "benchmark's `spec.json`, which can be built from again.",
    "",
    "Lists are written with commas, as a YAML list, or, where they hold numbers, as a range `LOW..HIGH/STEP`. Tokens "
    "may be written short: `500`, `4k`, `1M`.",
    "",
)


def commands_page() -> str:
    """Every command with its arguments and flags, as `--help` has them."""
    root = click.Context(cli, info_name="longreach")
    lines = ["# Commands", "", _MADE, ""]
    lines += [*_COMMANDS]
    known = set(cli.list_commands(root))
    order = [*_ORDER, ("More", tuple(sorted(known - {name for _, names in _ORDER for name in names})))]
    for title, names in order:
        present = [name for name in names if name in known]
        if present:
            lines += ["", f"## {title}"]
        for name in present:
            command = cli.get_command(root, name)
            if command is not None:
                lines += ["", *_command(click.Context(command, info_name=name, parent=root))]
    return "\n".join(lines).rstrip() + "\n"


def _command(ctx: click.Context) -> Iterator[str]:
    command = ctx.command
    yield f"### {ctx.command_path}"
    yield ""
    yield _prose(command.help or "")
    yield ""
    yield "```"
    yield f"{ctx.command_path} {' '.join(command.collect_usage_pieces(ctx))}"
    yield "```"
    yield ""
    yield from _flags(ctx)
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            if (inner := command.get_command(ctx, name)) is not None:
                yield ""
                yield from _command(click.Context(inner, info_name=name, parent=ctx))
                yield ""
                yield f"What each of these may be: [{name} specs](specs.md#{name})."


def _flags(ctx: click.Context) -> Iterator[str]:
    records = [param.get_help_record(ctx) for param in ctx.command.get_params(ctx) if isinstance(param, click.Option)]
    told = [record for record in records if record is not None and "--help" not in record[0]]
    if told:
        yield "| flag | meaning |"
        yield "| --- | --- |"
        for flags, meaning in told:
            yield f"| `{_cell(flags)}` | {_cell(meaning)} |"


def specs_page() -> str:
    """Every setting of every family: type, default, meaning."""
    lines = ["# Specs", "", _MADE, ""]
    lines += [
        *_SPECS,
        "## All families",
        "",
        *_table(Spec, [name for name in Spec.model_fields if name != "family"]),
        "",
        "`sampling` is what the model under test is told, where its provider lets that be said; flags of "
        "`longreach run` come first.",
        "",
        *_table(Sampling, list(Sampling.model_fields)),
    ]
    for name, about in FAMILIES.items():
        family = get_family(name)
        spec: type[Spec] = family.spec_type
        own = [field for field in spec.model_fields if field != "family" and not _inherited(spec, field)]
        shared = [f"`{field}`" for field in Spec.model_fields if field != "family" and field not in own]
        lines += ["", f"## {name}", "", f"{_sentence(about)}.", "", *_table(spec, own)]
        lines += ["", f"As in all families: {', '.join(shared)}."]
        for preset, settings in family.presets.items():
            said = ", ".join(f"`{key}: {_value(value)}`" for key, value in settings.items())
            lines += ["", f"`--preset {preset}` sets {said}."]
    return "\n".join(lines).rstrip() + "\n"


def _inherited(spec: type[Spec], name: str) -> bool:
    base = Spec.model_fields.get(name)
    mine = spec.model_fields[name]
    return base is not None and (base.default, base.description) == (mine.default, mine.description)


def _table(model: type[Any], names: Sequence[str]) -> Iterator[str]:
    fields: dict[str, FieldInfo] = model.model_fields
    hints = get_type_hints(model, include_extras=True)
    meant = any(fields[name].description for name in names)
    yield f"| setting | type | default |{' meaning |' if meant else ''}"
    yield f"| --- | --- | --- |{' --- |' if meant else ''}"
    for name in names:
        field = fields[name]
        cells = [f"`{field.alias or name}`", _type(hints[name], field), _default(field)]
        cells += [field.description or ""] if meant else []
        yield f"| {' | '.join(map(_cell, cells))} |"


def _type(hint: Any, field: FieldInfo) -> str:
    if hint == Lengths:
        return "list of tokens, or of shares with `%`"
    if hint == Depths:
        return "list of percentages"
    said = _plain(field.annotation)
    if "number" in said:
        whole: Any = Annotated[field.annotation, *field.metadata]
        accepts: TypeAdapter[Any] = TypeAdapter(whole)
        if said.startswith("list") and _takes(accepts, "20..40/10"):
            return f"{said}, or a range"
        if not said.startswith("list") and _takes(accepts, "4k"):
            said = said.replace("whole number", "tokens")
    return f"{said}{_bounds(field)}"


def _plain(annotation: Any) -> str:
    """A type in words."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _plain(parts[0])
    if origin is Literal:
        return " or ".join(f"`{part}`" for part in parts)
    if origin in (Union, UnionType):
        return ", or ".join("none" if part is NoneType else _plain(part) for part in parts)
    if origin is tuple:
        inner = _plain(parts[0]) if parts else ""
        return f"list of {inner.replace(' or ', ', ') if '`' in inner else inner + 's'}" if inner else "nothing"
    if origin is dict:
        return f"a {_plain(parts[1])} for each name"
    words = {str: "text", int: "whole number", float: "number", bool: "`true` or `false`", Sampling: "see below"}
    return words.get(annotation, getattr(annotation, "__name__", str(annotation)))


def _takes(accepts: TypeAdapter[Any], value: str) -> bool:
    try:
        accepts.validate_python(value)
    except ValidationError:
        return False
    return True


def _bounds(field: FieldInfo) -> str:
    found = {
        name: getattr(rule, name) for rule in field.metadata for name in ("ge", "gt", "le", "lt") if hasattr(rule, name)
    }
    if found.get("le") == 2**63 - 1:
        del found["le"]
    words = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    if "ge" in found and "le" in found:
        return f", {found['ge']:,} to {found['le']:,}"
    return "".join(f", {words[name]} {value:,}" for name, value in found.items())


def _default(field: FieldInfo) -> str:
    value = field.default
    if value is None or value == ():
        return "–"
    return f"`{_value(value)}`"


def _value(value: Any) -> str:
    if isinstance(value, Sampling):
        return ",".join(f"{name}={part:g}" for name, part in value if part is not None)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        return ",".join(f"{name}={_value(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return _range(value) or ",".join(_value(part) for part in value)
    return str(value)


def _range(values: Sequence[Any]) -> str:
    """Five or more numbers in equal steps, as a spec may write them."""
    texts = [str(_value(value)) for value in values]
    percent = "%" if all(text.endswith("%") for text in texts) else ""
    try:
        numbers = [float(text.removesuffix("%")) for text in texts]
    except ValueError:
        return ""
    step = numbers[1] - numbers[0] if len(numbers) > 4 else 0
    if step <= 0 or any(abs(numbers[0] + step * i - number) > 1e-9 for i, number in enumerate(numbers)):
        return ""
    return f"{numbers[0]:g}{percent}..{numbers[-1]:g}{percent}/{step:g}{percent}"


def _prose(text: str) -> str:
    """Help as written for a terminal, as paragraphs."""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    return "\n\n".join(paragraphs).replace("<", "&lt;")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


PAGES = {"commands.md": commands_page, "specs.md": specs_page}


def main() -> None:
    """Write the pages beside this file."""
    for name, page in PAGES.items():
        path = Path(__file__).parent / name
        path.write_text(page(), encoding="utf-8")
        print(f"docs/reference/{name}", file=sys.stderr)


if __name__ == "__main__":
    main()
