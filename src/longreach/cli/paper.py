"""Repeat a paper's experiment: paper."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from longreach.errors import BadInput
from longreach.families import FAMILIES

from .base import FOLDER, MODEL, SettingsCommand, cli, echo, json_option, print_json, say, warn
from .build import agree_to_helpers
from .run import agree, exit_code, planned_run, run_fields, run_options, send
from .user_settings import key_values

_SHOWN = ("budget", "repeats")
"""Options of `run` that --help shows; it takes all of them."""


def _options() -> list[click.Option]:
    from longreach.paper_runs import PaperSettings

    from .setting_options import setting_options

    of_run = setting_options(run_fields())
    for option in of_run:
        option.hidden = option.name not in _SHOWN
    return [*setting_options(PaperSettings.model_fields), *of_run]


@cli.command(
    cls=SettingsCommand,
    settings=_options,
    usual=("models", "out", "scale", "docs", "budget"),
    example="longreach paper needles -m openai/gpt-5-mini --scale 1/10 -o paper --budget 5usd",
)
@click.argument("family", type=click.Choice(list(FAMILIES)), metavar="FAMILY")
@click.option(
    "-m", "--model", "models", type=MODEL, multiple=True, required=True, help="A model, also NAME@URL. May repeat."
)
@click.option("-o", "--out", type=FOLDER, required=True, help="Folder for benchmark, runs and page; resumes if there.")
@click.option("--docs", multiple=True, metavar="PATH", help="Documents to build from. May repeat.")
@click.option(
    "--set",
    "changed",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of longreach build FAMILY, or of longreach run. May repeat.",
)
@click.option("-y", "--yes", is_flag=True, help="Send without asking.")
@json_option
def paper(
    family: str,
    models: tuple[str, ...],
    out: Path,
    docs: tuple[str, ...],
    changed: tuple[str, ...],
    yes: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Repeat a paper's experiment: build its preset, plan, run, and write a page with its figures beside yours.

    FAMILY is needles, grounded, verbatim or novel. It takes every option of longreach run. First it prints what differs
    from the paper and what it costs, in full and at the scale. OUT gets bench/, runs/ and page.html."""
    from longreach.paper_runs import PaperHooks, PaperSettings
    from longreach.paper_runs import paper as repeat

    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file; choose a folder with -o")
    own = {name: options.pop(name) for name in PaperSettings.model_fields}
    build, of_run = _parted(family, changed)
    settings = run_options(models, options, of_run, run_fields())
    given = {name for name in options if _typed(name)} | {pair.partition("=")[0] for pair in of_run}
    settings = {name: value for name, value in settings.items() if name in given or (name == "generation" and value)}

    def run(bench: Any, asked: Sequence[str], runs: Path, how: Mapping[str, Any]) -> list[Any]:
        planned = planned_run(bench, tuple(asked), runs, dict(how))
        agree(planned, yes)
        results = send(bench, asked, runs, planned, how)
        for result in results:
            for line in result.lines():
                echo(line, err=True)
        return results

    helpers = partial(agree_to_helpers, base_url=settings.get("base_url"), yes=yes, budget=settings.get("budget"))
    hooks = PaperHooks(say=say, warn=warn, helpers=helpers, run=run)
    found = repeat(family, models, out, docs=docs, build=build, hooks=hooks, **own, **settings)
    if as_json:
        print_json(found.data())
    else:
        for line in found.lines():
            echo(line)
    if code := exit_code(found.results):
        sys.exit(code)


def _typed(name: str) -> bool:
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def _parted(family: str, changed: tuple[str, ...]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Settings of --set for the build, and those for the run; one that both have is for the build."""
    from longreach.families import get_family

    fields = get_family(family).spec_type.model_fields
    known = {field.alias or name for name, field in fields.items()}
    names = [(pair.partition("=")[0].strip(), pair) for pair in changed]
    of_run = tuple(pair for name, pair in names if name not in known and name in run_fields())
    return key_values(tuple(pair for _, pair in names if pair not in of_run), "--set", "seed=1"), of_run
