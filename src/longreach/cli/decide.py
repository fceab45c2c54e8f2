"""Which model, which way, at what cost: decide."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longreach.errors import BadInput, Stopped

from .base import FOLDER, MODEL, SettingsCommand, cli, echo, json_option, print_json, say
from .user_settings import key_values

if TYPE_CHECKING:
    from longreach.deciding.asking import DecideSettings


def _options() -> list[click.Option]:
    from longreach.deciding.asking import DecideSettings

    from .setting_options import setting_options

    return setting_options(DecideSettings.model_fields)


@cli.command(cls=SettingsCommand, settings=_options)
@click.argument("docs", nargs=-1, metavar="DOCS...")
@click.option(
    "-m",
    "--model",
    "models",
    type=MODEL,
    multiple=True,
    required=True,
    help="A model: openai/gpt-5-mini, NAME@URL, label=NAME@URL or a label of models.yaml. May repeat.",
)
@click.option(
    "-o", "--out", type=FOLDER, default=Path("decide"), help="Folder for page, decide.json, benchmark and runs."
)
@click.option("-y", "--yes", is_flag=True, help="Send without asking.")
@json_option
def decide(docs: tuple[str, ...], models: tuple[str, ...], out: Path, yes: bool, as_json: bool, **options: Any) -> None:
    """Recommend a model and a way of reading for your documents at your length.

    Facts are planted in your own text; every model is asked until it is known whether it is good enough. The same
    command resumes. Example: longreach decide contracts/ --at 60k --budget 20usd -m openai/gpt-5-mini -m
    qwen3-8b@http://10.0.0.7:8000/v1"""
    from longreach.deciding.asking import DecideSettings, decide_models
    from longreach.runner.budget import Budget
    from longreach.runner.progress import Progress

    options["arguments"] = key_values(options["arguments"])
    options["set"] = key_values(options["set"], "--set", "depths=10,50,90")
    settings = DecideSettings.parse({name: value for name, value in options.items() if value is not None}, "decide")
    if settings.budget is not None:
        Budget.read(settings.budget)
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file; choose a folder with -o")

    made = partial(Progress, stream=sys.stderr)
    found = decide_models(docs, models, out, settings, note=say, agree=partial(_agree, settings, yes), progress=made)
    if as_json:
        print_json(found.data())
    else:
        for line in found.lines():
            echo(line)
    if found.exit_code:
        sys.exit(found.exit_code)


def _agree(settings: DecideSettings, yes: bool, trials: Any) -> None:
    """Show what would be sent, and ask unless a budget or `--yes` has answered."""
    from longreach.deciding.asking import forecast_lines

    asked = sys.stdin.isatty() and sys.stderr.isatty()
    for line in forecast_lines(trials, settings):
        echo(line, err=True)
    if yes or (settings.budget is not None and not asked):
        return
    if not asked:
        raise BadInput("there is no terminal to confirm on; give --budget, or --yes to send without a limit")
    if not click.confirm("send?", default=True, err=True):
        raise Stopped("nothing was sent")
