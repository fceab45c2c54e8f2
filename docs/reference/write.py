"""Writes the reference of commands, specs and JSON from the code itself: `python -m docs.reference.write`."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic.json_schema import models_json_schema

from longreach import options
from longreach.checking.compare import Comparison
from longreach.checking.gate import Gate
from longreach.checking.history import History
from longreach.cli import cli
from longreach.cli.base import JSON_VERSION, SECTIONS
from longreach.cli.setting_options import SetOption, bounds, is_flag, setting_types, setting_value
from longreach.core import figure
from longreach.core.settings import Sampling, Spec
from longreach.core.types import Frozen
from longreach.exchange.simulate import Simulated
from longreach.families import FAMILIES, get_family
from longreach.planning.plan import Plan
from longreach.reporting.numbers import ReportNumbers
from longreach.results.grading import GradeSummary
from longreach.runner.probe import ProbeResult

from .claims import claims_page
from .typed_options import options_module


class Simulations(Frozen):
    """Simulated models that answered a benchmark."""

    simulated: tuple[Simulated, ...]


class Probes(Frozen):
    """What probes of servers found, one per model."""

    probes: tuple[ProbeResult, ...]


OUTPUTS: dict[str, type[BaseModel]] = {
    "report": ReportNumbers,
    "grade": GradeSummary,
    "compare": Comparison,
    "gate": Gate,
    "history": History,
    "plan": Plan,
    "probe": Probes,
    "simulate": Simulations,
}
"""What each command prints with `--json`."""
_PAGED = ("compare", "history")
"""Commands that may write a page beside it."""

_MADE = "<!-- Written by `python -m docs.reference.write`; edit the code it reads, not this file. -->"

_COMMANDS = (
    "`longreach COMMAND --help` prints the same. `--json` prints the result as one JSON object, on every command that "
    "has a result: see [JSON](json.md).",
    "",
    "| exit code | meaning |",
    "| --- | --- |",
    "| 0 | done |",
    "| 1 | check failed (`check`, `gate`; what a gate has not shown fails with `--strict` only) |",
    "| 2 | bad input, explained in one line |",
    "| 3 | stopped early: budget, interrupt or failed calls; finished answers are saved and the same command resumes |",
    "",
    "Provider keys come from the environment under their usual names (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, ...). "
    "Other variables:",
    "",
    "| variable | meaning |",
    "| --- | --- |",
    "| `LONGREACH_CACHE` | cache for books, embeddings and replies of helping models; default `~/.cache/longreach` |",
    "| `LONGREACH_THREADS` | threads of the embedded engine; default: all cores |",
    "| `LONGREACH_SERVE_KEY` | the key of `longreach serve`; default: a new one per start |",
    "| `LONGREACH_EMBEDDINGS_API_KEY` | the key for `--embedder openai:MODEL`; default `OPENAI_API_KEY` |",
    "| `LONGREACH_GUTENBERG`, `LONGREACH_GUTENBERG_PAUSE` | a Project Gutenberg mirror; seconds between requests |",
    "| `NO_COLOR` | any value turns colour off |",
    "",
    "Shell completion: see [Use it](../use.md#shell-completion).",
)
_JSON = (
    "Every command that has `--json` prints one object. Its field `schema` is `longreach/COMMAND/VERSION`; the version "
    f"is {JSON_VERSION}, and is raised when a field is removed or changes its meaning. New fields may come without a "
    "new version. [schema.json](schema.json) is the same as JSON Schema, under `commands`.",
    "",
    "The numbers are those of the page, from the same functions, not rounded. Accuracies are shares of 1, lengths are "
    "in tokens (or the family's own unit), costs in US dollars, times in seconds.",
)
_SPECS = (
    "A spec holds every setting that decides a benchmark. Each setting is a line of a YAML file and a "
    "`--set NAME=VALUE` of `longreach build FAMILY`; what people type most is also a flag (with `-` for `_`), marked "
    "with ✓. `--set` and flags override the file, and all override a preset. Unknown "
    "settings are refused, and so are settings without effect. The settings used are saved in the benchmark's "
    "`spec.json`, which is itself a spec file.",
    "",
    "Lists are separated by commas, or YAML lists; lists of numbers can be ranges: `LOW..HIGH/STEP`. `TOKENS` and "
    "`LENGTHS` may be short: `500`, `4k`, `1M`; `LENGTHS` may be shares of the window: `10%`.",
    "",
)


def commands_page() -> str:
    """Every command with its arguments and flags, as `--help` has them."""
    root = click.Context(cli, info_name="longreach")
    lines = ["# Commands", "", _MADE, ""]
    lines += [*_COMMANDS]
    known = set(cli.list_commands(root))
    order = [*SECTIONS, ("More", tuple(sorted(known - {name for _, names in SECTIONS for name in names})))]
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
    yield from _unlisted(ctx)
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            if (inner := command.get_command(ctx, name)) is not None:
                yield ""
                yield from _command(click.Context(inner, info_name=name, parent=ctx))
                yield ""
                yield f"As a spec file: [{name} settings](specs.md#{name})."


def _flags(ctx: click.Context) -> Iterator[str]:
    records = [param.get_help_record(ctx) for param in ctx.command.get_params(ctx) if isinstance(param, click.Option)]
    shown = [record for record in records if record is not None and "--help" not in record[0]]
    if shown:
        yield "| flag | meaning |"
        yield "| --- | --- |"
        for flags, meaning in shown:
            yield f"| `{_cell(flags)}` | {_cell(meaning)} |"


def _unlisted(ctx: click.Context) -> Iterator[str]:
    """What --set alone takes, of a command whose settings have no page of their own."""
    fields = next((param.fields for param in ctx.command.get_params(ctx) if isinstance(param, SetOption)), {})
    rows = [(name, field) for name, field in fields.items() if field.description and not is_flag(field)]
    if rows and ctx.command.name not in FAMILIES:
        yield ""
        yield "| setting of `--set` | default | meaning |"
        yield "| --- | --- | --- |"
        for name, field in rows:
            about = f"{field.description}{f'  [{bounds(field)}]' if bounds(field) else ''}"
            yield f"| `{name}` | {_default(field)} | {_cell(about)} |"


def specs_page() -> str:
    """Every setting of every family: type, default, meaning."""
    lines = ["# Specs", "", _MADE, ""]
    lines += [
        *_SPECS,
        "## All families",
        "",
        *_table(Spec, [name for name in Spec.model_fields if name != "family"]),
        "",
        "`sampling` are settings of the model under test, where its provider accepts them; flags of `longreach run` "
        "override them.",
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
            pairs = ", ".join(f"`{key}: {setting_value(value)}`" for key, value in settings.items())
            lines += ["", f"`--preset {preset}` sets {pairs}."]
    return "\n".join(lines).rstrip() + "\n"


def _inherited(spec: type[Spec], name: str) -> bool:
    base = Spec.model_fields.get(name)
    mine = spec.model_fields[name]
    return base is not None and (base.default, base.description) == (mine.default, mine.description)


def _table(model: type[Any], names: Sequence[str]) -> Iterator[str]:
    fields: dict[str, FieldInfo] = model.model_fields
    forms = setting_types(model)
    meant = any(fields[name].description for name in names)
    yield f"| setting |{' flag |' if meant else ''} value | default |{' meaning |' if meant else ''}"
    yield f"| --- |{' --- |' if meant else ''} --- | --- |{' --- |' if meant else ''}"
    for name in names:
        field = fields[name]
        if name not in forms:
            continue
        limits = bounds(field)
        cells = [f"`{field.alias or name}`", *(["✓" if is_flag(field) else ""] if meant else [])]
        cells += [f"`{forms[name].form}`{f', {limits}' if limits else ''}", _default(field)]
        cells += [field.description or ""] if meant else []
        yield f"| {' | '.join(map(_cell, cells))} |"


def _default(field: FieldInfo) -> str:
    value = field.default
    if value is None or value == ():
        return "–"
    return f"`{setting_value(value)}`"


def _prose(text: str) -> str:
    """Help as written for a terminal, as paragraphs."""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    return "\n\n".join(paragraphs).replace("<", "&lt;")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def json_schema() -> dict[str, Any]:
    """JSON Schema of what `--json` prints: `commands` by name, over `$defs`."""
    found, shared = models_json_schema([(model, "serialization") for model in OUTPUTS.values()])
    page = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    commands = {}
    for name, model in OUTPUTS.items():
        about = dict(shared["$defs"][found[model, "serialization"]["$ref"].rpartition("/")[2]])
        more = {"schema": {"const": f"longreach/{name}/{JSON_VERSION}"}} | ({"page": page} if name in _PAGED else {})
        about["properties"] = more | about["properties"]
        about["required"] = list(about["properties"])
        commands[name] = about
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": draft, "version": JSON_VERSION, "commands": commands, "$defs": shared["$defs"]}


def schema_file() -> str:
    """The schema as a file."""
    return json.dumps(json_schema()) + "\n"


def json_page() -> str:
    """Every field of what `--json` prints."""
    lines = ["# JSON", "", _MADE, "", *_JSON]
    shown = dict(OUTPUTS)
    names: dict[type[BaseModel], str] = {model: f"longreach {name} --json" for name, model in OUTPUTS.items()}
    open_ = list(OUTPUTS.values())
    while open_:
        model = open_.pop(0)
        lines += ["", f"## {names[model]}", "", inspect.cleandoc(model.__doc__ or ""), ""]
        lines += ["| field | value | meaning |", "| --- | --- | --- |"]
        hints, meant = get_type_hints(model), _meanings(model)
        shown_fields = [name for name, field in model.model_fields.items() if not field.exclude]
        for field in [*shown_fields, *model.model_computed_fields]:
            hint = hints.get(field) or model.model_computed_fields[field].return_type
            for inner in _models_in(hint):
                if inner not in names:
                    names[inner] = inner.__name__
                    open_.append(inner)
            lines.append(f"| `{field}` | {_value(hint, names)} | {_cell(meant.get(field, ''))} |")
        if model in (shown[name] for name in _PAGED):
            lines.append("| `page` | text or null | The page, if one was written. |")
    return "\n".join(lines).rstrip() + "\n"


def _value(hint: Any, names: dict[type[BaseModel], str]) -> str:
    """A type in words, with links to the tables of other ones."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _value(parts[0], names)
    if origin is Literal:
        return " or ".join(f"`{part}`" if part else "empty" for part in parts)
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_value(part, names) for part in parts))
    if origin in (tuple, list):
        several = len(parts) > 1 and parts[1] is not Ellipsis
        return (
            f"[{', '.join(_value(part, names) for part in parts)}]" if several else f"list of {_value(parts[0], names)}"
        )
    if origin in (dict, Mapping):
        return f"object of {_value(parts[1], names)}"
    if inspect.isclass(hint) and issubclass(hint, BaseModel):
        if hint not in names:
            return "chart"
        return f"[{names[hint]}](#{re.sub('[^a-z0-9 -]', '', names[hint].lower()).replace(' ', '-')})"
    return {str: "text", int: "number", float: "number", bool: "true or false", type(None): "null"}.get(hint, "any")


def _models_in(hint: Any) -> Iterator[type[BaseModel]]:
    """The data classes of a type; charts have none: the schema has them."""
    if inspect.isclass(hint) and issubclass(hint, BaseModel):
        if hint.__module__ != figure.__name__:
            yield hint
    else:
        for part in get_args(hint):
            yield from _models_in(part)


def _meanings(model: type[BaseModel]) -> dict[str, str]:
    """The docstrings of fields and properties."""
    found: dict[str, str] = {}
    for base in reversed([each for each in model.__mro__ if issubclass(each, BaseModel) and each is not BaseModel]):
        made = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]
        body = made.body if isinstance(made, ast.ClassDef) else []
        for field, text in zip(body, [*body[1:], None], strict=True):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
                if isinstance(text.value, ast.Constant) and isinstance(text.value.value, str):
                    found[field.target.id] = inspect.cleandoc(text.value.value)
            elif isinstance(field, ast.FunctionDef):
                found[field.name] = ast.get_docstring(field) or ""
    return found


PAGES = {"commands.md": commands_page, "specs.md": specs_page, "json.md": json_page, "schema.json": schema_file}
OPTIONS = Path(options.__file__)
CLAIMS = Path(__file__).parents[1] / "claims.md"


def written() -> dict[Path, str]:
    """Every file that is written from the code, with its text."""
    pages = {Path(__file__).parent / name: page() for name, page in PAGES.items()}
    return pages | {OPTIONS: options_module(), CLAIMS: claims_page()}


def main() -> None:
    """Write the pages beside this file, and the typed options."""
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path, file=sys.stderr)


if __name__ == "__main__":
    main()
