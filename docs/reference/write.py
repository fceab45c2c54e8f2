"""Writes the reference of commands, specs and JSON from the code itself: `python -m docs.reference.write`."""

from __future__ import annotations

import ast
import inspect
import json
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from longreach.core.settings import Sampling, Spec
from longreach.core.types import Frozen
from longreach.exchange.simulate import Simulated
from longreach.families import FAMILIES, get_family
from longreach.families.parts import Preset, part_of
from longreach.planning.plan import Plan
from longreach.reporting.numbers import ReportNumbers
from longreach.results.grading import GradeSummary
from longreach.runner.probe import ProbeResult

from .claims import claims_page
from .house import PAGE, page_with_drawing
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

_NONE = "–"
"""In a table, where there is no default."""

_COMMANDS = (
    "For looking up an option: every command, in the words of `longreach COMMAND --help`. `--json` prints the result "
    "as one [JSON](json.md) object, on every command that has a result.",
    "",
    "```sh",
    "longreach run --help",
    "```",
    "",
    "| exit code | meaning |",
    "| --- | --- |",
    "| 0 | done, and the answer is yes or shown |",
    "| 1 | the answer is no or cannot be had: a check failed, a server cuts prompts |",
    "| 2 | bad input, explained in one line; nothing was sent |",
    "| 3 | stopped early: budget, interrupt or failed calls; finished answers are saved and the same command resumes |",
    "",
    "Keys come from the environment under their usual names (`OPENAI_API_KEY`, ...). Other variables:",
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
    "Shell completion: see [the user guide](../use.md#shell-completion).",
)
_JSON = (
    "For programs that read results: what each command prints with `--json`.",
    "",
    "```sh",
    "longreach report runs/ --json",
    "```",
    "",
    "The field `schema` is `longreach/COMMAND/VERSION`. The version "
    f"is {JSON_VERSION}; it is raised when a field is removed or changes its meaning, not when one is added.",
    "",
    "Numbers are those of the page, not rounded. Accuracies are shares of 1, lengths are in tokens (or the family's "
    "own unit), costs in US dollars, times in seconds. Below stands the top of each object. Classes such as "
    "`Statement`, and the meaning of each of their fields, are in [schema.json](schema.json) under `$defs`.",
)
_SPECS = (
    "For looking up a setting: everything that decides a benchmark, by family.",
    "",
    "```sh",
    "longreach build needles --set hops=2,3 --lengths 1k,2k -o bench/",
    "```",
    "",
    "Each setting is a line of a YAML file and a `--set NAME=VALUE` of `longreach build FAMILY`. Those with ✓ are "
    "flags too (`--per-class` for `per_class`). Flags and `--set` override the file, and all override a preset. "
    "Settings that are unknown or without effect are refused. A benchmark's `spec.json` is itself a spec file.",
    "",
    "Lists are separated by commas, or YAML lists; lists of numbers can be ranges: `LOW..HIGH/STEP`. `TOKENS` and "
    "`LENGTHS` may be short: `500`, `4k`, `1M`; `LENGTHS` may be shares of the window: `10%`. After `=` stands the "
    "default.",
    "",
)


def commands_page() -> str:
    """Every command with its arguments and flags, as `--help` has them; what several share stands once."""
    root = click.Context(cli, info_name="longreach")
    known = set(cli.list_commands(root))
    order = [*SECTIONS, ("More", tuple(sorted(known - {name for _, names in SECTIONS for name in names})))]
    sections = [(title, [_context(name, root) for name in names if name in known]) for title, names in order]
    several = _of_several([ctx for _, found in sections for ctx in found if not isinstance(ctx.command, click.Group)])
    lines = ["# Commands", "", _MADE, "", *_COMMANDS, "", "## Options of several commands", ""]
    lines += ["| option | meaning |", "| --- | --- |", _row(("--json", "Print the result as JSON."))]
    lines += [_row(record) for record in several]
    for title, found in sections:
        if found:
            lines += ["", f"## {title}"]
        for ctx in found:
            lines += ["", *_command(ctx, several)]
    return "\n".join(lines).rstrip() + "\n"


def _context(name: str, parent: click.Context) -> click.Context:
    assert isinstance(parent.command, click.Group)
    command = parent.command.get_command(parent, name)
    assert command is not None
    return click.Context(command, info_name=name, parent=parent)


def _of_several(found: Sequence[click.Context]) -> list[tuple[str, str]]:
    """Options that more than one command has with one meaning, and none has in common with another meaning."""
    count = Counter(record for ctx in found for record in _records(ctx))
    shared = [record for record, times in count.items() if times > 1]
    meanings = Counter(flags.split(" ")[0] for flags, _ in shared)
    return [record for record in shared if meanings[record[0].split(" ")[0]] == 1]


def _command(ctx: click.Context, several: Sequence[tuple[str, str]]) -> Iterator[str]:
    command = ctx.command
    yield f"### {ctx.command_path}"
    yield ""
    yield _prose(command.help or "")
    yield ""
    if not isinstance(command, click.Group):
        yield f"`{ctx.command_path} {' '.join(command.collect_usage_pieces(ctx))}`"
        yield from _flags(_records(ctx), several)
        yield from _unlisted(ctx)
        return
    families = [_context(name, ctx) for name in command.list_commands(ctx)]
    yield f"`{ctx.command_path} FAMILY [SPEC.yaml] [OPTIONS]`"
    yield from _flags(list(dict.fromkeys(record for each in families for record in _build_records(each))), several)
    for each in families:
        yield ""
        yield f"### {each.command_path}"
        yield ""
        yield _prose(each.command.help or "")
        yield ""
        yield f"Its settings, and which are flags: [{each.info_name}](specs.md#{each.info_name})."


def _records(ctx: click.Context) -> list[tuple[str, str]]:
    """The options of a command with their meaning, as `--help` prints them."""
    found = [param.get_help_record(ctx) for param in ctx.command.get_params(ctx) if isinstance(param, click.Option)]
    return [record for record in found if record is not None and not record[0].endswith(("--help", "--json"))]


def _build_records(ctx: click.Context) -> Iterator[tuple[str, str]]:
    """The options of `longreach build FAMILY` that are no settings of a spec."""
    settings = {f"--{(field.alias or name).replace('_', '-')}" for name, field in _spec_fields(ctx).items()}
    for flags, meaning in _records(ctx):
        if flags.split(" ")[0] == "--preset":
            yield "--preset NAME", meaning
        elif flags.split(" ")[0] == "--set":
            yield flags, "Any setting by its name. May repeat."
        elif flags.split(" ")[0] not in settings:
            yield flags, meaning


def _spec_fields(ctx: click.Context) -> dict[str, FieldInfo]:
    return dict(get_family(ctx.info_name or "").spec_type.model_fields)


def _flags(records: Sequence[tuple[str, str]], several: Sequence[tuple[str, str]]) -> Iterator[str]:
    own = [record for record in records if record not in several]
    if own:
        yield ""
        yield "| option | meaning |"
        yield "| --- | --- |"
        yield from map(_row, own)
    shared = [f"`{flags.split(',')[0].split(' ')[0]}`" for flags, _ in records if (flags, _) in several]
    if shared:
        yield ""
        yield f"[As in other commands](#options-of-several-commands): {', '.join(shared)}."


def _row(record: tuple[str, str]) -> str:
    return f"| `{_cell(record[0])}` | {_cell(record[1])} |"


def _unlisted(ctx: click.Context) -> Iterator[str]:
    """What --set alone takes; `plan` says it for `run` too."""
    fields = next((param.fields for param in ctx.command.get_params(ctx) if isinstance(param, SetOption)), {})
    rows = {name: field for name, field in fields.items() if field.description and not is_flag(field)}
    if ctx.command.name == "run":
        plan = next(param.fields for param in cli.commands["plan"].params if isinstance(param, SetOption))
        rows = {name: field for name, field in rows.items() if name not in plan}
        yield ""
        yield "`--set` takes what it takes in [plan](#longreach-plan), and:"
    if rows:
        yield ""
        yield "| setting of `--set` | default | meaning |"
        yield "| --- | --- | --- |"
        for name, field in rows.items():
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
        for preset, settings in part_of(family, Preset).presets.items():
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
    yield f"| setting | value |{' meaning |' if meant else ''}"
    yield f"| --- | --- |{' --- |' if meant else ''}"
    for name in names:
        field = fields[name]
        if name not in forms:
            continue
        limits = f", {bounds(field)}" if bounds(field) else ""
        default = "" if _default(field) == _NONE else f" = {_default(field)}"
        cells = [f"`{field.alias or name}`{' ✓' if meant and is_flag(field) else ''}"]
        cells += [f"`{forms[name].form}`{limits}{default}", *([field.description or ""] if meant else [])]
        yield f"| {' | '.join(map(_cell, cells))} |"


def _default(field: FieldInfo) -> str:
    value = field.default
    if value is None or value == ():
        return _NONE
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
    for model in _classes(OUTPUTS.values()):
        for field, meaning in _meanings(model).items():
            if field in (known := shared["$defs"].get(model.__name__, {}).get("properties", {})):
                known[field]["description"] = " ".join(meaning.split())
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
    """The fields of what `--json` prints, at the top of each object; the schema has those below."""
    lines = ["# JSON", "", _MADE, "", *_JSON]
    for name, model in OUTPUTS.items():
        lines += ["", f"## longreach {name} --json", "", inspect.cleandoc(model.__doc__ or ""), ""]
        lines += ["| field | value | meaning |", "| --- | --- | --- |"]
        hints, meant = get_type_hints(model), _meanings(model)
        shown = [field for field, info in model.model_fields.items() if not info.exclude]
        for field in [*shown, *model.model_computed_fields]:
            hint = hints.get(field) or model.model_computed_fields[field].return_type
            lines.append(f"| `{field}` | {_value(hint)} | {_cell(meant.get(field, ''))} |")
        if name in _PAGED:
            lines.append("| `page` | text or null | The page, if one was written. |")
    return "\n".join(lines).rstrip() + "\n"


def _value(hint: Any) -> str:
    """A type in words; classes by the name that they have in the schema."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _value(parts[0])
    if origin is Literal:
        return " or ".join(f"`{part}`" if part else "empty" for part in parts)
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_value(part) for part in parts))
    if origin in (tuple, list):
        several = len(parts) > 1 and parts[1] is not Ellipsis
        return f"[{', '.join(_value(part) for part in parts)}]" if several else f"list of {_value(parts[0])}"
    if origin in (dict, Mapping):
        return f"object of {_value(parts[1])}"
    if inspect.isclass(hint) and issubclass(hint, BaseModel):
        return f"`{hint.__name__}`"
    return {str: "text", int: "number", float: "number", bool: "true or false", type(None): "null"}.get(hint, "any")


def _classes(found: Iterable[Any]) -> Iterator[type[BaseModel]]:
    """The data classes of types, and of their fields, each once."""
    open_, seen = list(found), set[Any]()
    while open_:
        hint = open_.pop()
        if not (inspect.isclass(hint) and issubclass(hint, BaseModel)):
            open_ += get_args(hint)
        elif hint not in seen:
            seen.add(hint)
            yield hint
            open_ += get_type_hints(hint).values()
            open_ += [field.return_type for field in hint.model_computed_fields.values()]


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
    return pages | {OPTIONS: options_module(), CLAIMS: claims_page(), PAGE: page_with_drawing()}


def main() -> None:
    """Write the pages beside this file, and the typed options."""
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path, file=sys.stderr)


if __name__ == "__main__":
    main()
