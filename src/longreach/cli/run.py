"""Asking models: plan, run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from longreach import api as verbs
from longreach.errors import BadInput, Stopped

from .base import FOLDER, cli, json_option, key_values, print_json, say

__all__ = ["plan", "run"]

F = TypeVar("F", bound=Callable[..., Any])

_FORESIGHT = (
    click.option("--price", metavar="IN,CACHED,OUT", help="US dollars a million tokens, instead of the list's price."),
    click.option("--rate", type=click.FloatRange(0, min_open=True), help="Tokens a second the model reads."),
    click.option("--rate-out", type=click.FloatRange(0, min_open=True), help="Tokens a second the model writes."),
    click.option("--rpm", type=click.FloatRange(0, min_open=True), help="Requests a minute that the provider allows."),
    click.option("--tpm", type=click.FloatRange(0, min_open=True), help="Tokens a minute that the provider allows."),
    click.option("--window", type=int, help="Tokens the model takes, where its own number is not known."),
    click.option("--hours", type=float, default=4, show_default=True, help="Warn of a run that takes longer."),
    click.option("--concurrency", type=click.IntRange(1, 256), help="Requests at once: 1 embedded, 4 elsewhere."),
    click.option("--max-tokens", type=click.IntRange(1), help="Longest answer."),
    click.option("--no-prefix-sharing", is_flag=True, help="A unique beginning for every request: no cache helps."),
    click.option(
        "-M", "arguments", multiple=True, metavar="KEY=VALUE", help="Passed to the model as it is. May repeat."
    ),
)
_FORESEEN = ("price", "rate", "rate_out", "rpm", "tpm", "window", "hours", "max_tokens")


def _foresight(command: F) -> F:
    """What decides a plan; a run takes it too, because it shows its plan first."""
    for option in reversed(_FORESIGHT):
        command = option(command)
    return command


def _plan(bench: Any, models: tuple[str, ...], runs: Path | None, options: dict[str, Any]) -> Any:
    settings = {name: options[name] for name in _FORESEEN if options[name] is not None}
    settings |= {"workers": options["concurrency"], "sharing": not options["no_prefix_sharing"]}
    return verbs.plan(bench, models, runs=runs, arguments=key_values(options["arguments"]), **settings)


@cli.command()
@click.argument("bench", type=FOLDER)
@click.option("-m", "--model", "models", multiple=True, default=("embedded",), show_default=True, help="May repeat.")
@_foresight
@json_option
def plan(bench: Path, models: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """What a run will send, cost and take, before a single request: tokens, what caches save, money, time."""
    planned = _plan(bench, models, None, options)
    if as_json:
        print_json(planned.model_dump(mode="json"))
        return
    for line in planned.lines():
        click.echo(line)


@cli.command()
@click.argument("bench", type=FOLDER)
@click.option("-m", "--model", "models", multiple=True, required=True, help="embedded, gguf:PATH or PROVIDER/NAME.")
@click.option("-o", "--out", type=FOLDER, required=True, help="Folder for logs and results; grows with every run.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask before sending.")
@click.option("--budget", help="What the folder may cost in all: 5usd or 20Mtok. Reached, all is kept.")
@click.option("--base-url", help="Address of an OpenAI-compatible server, for openai-api/SERVICE/NAME.")
@click.option(
    "--temperature", type=click.FloatRange(0, 2), help="As the benchmark says: 0 unless it was built otherwise."
)
@click.option("--max-retries", type=click.IntRange(0, 100), default=5, show_default=True)
@click.option("--timeout", type=click.IntRange(1), default=1800, show_default=True, help="Seconds for one attempt.")
@click.option("--no-cache", is_flag=True, help="Ask again even where an earlier run paid for the same prompt.")
@_foresight
@json_option
def run(bench: Path, models: tuple[str, ...], out: Path, yes: bool, as_json: bool, **options: Any) -> None:
    """Run a benchmark on models, after showing what it will cost. Run again to go on: what is answered is not sent
    again."""
    from longreach.models.windows import check_address, check_name
    from longreach.runner.budget import Budget
    from longreach.runner.progress import Progress

    for model in models:
        check_name(model)
    check_address(options["base_url"])
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file; choose a folder with -o")
    if options["budget"] is not None:
        Budget.read(options["budget"])
    opened = verbs.open_bench(bench)
    planned = _plan(opened, models, out, options)
    _agree(planned, yes)
    settings = {
        "arguments": key_values(options["arguments"]),
        "cache": not options["no_cache"],
        "sharing": not options["no_prefix_sharing"],
        **{name: options[name] for name in ("base_url", "budget", "price", "concurrency", "max_tokens")},
        **{name: options[name] for name in ("temperature", "max_retries", "timeout")},
    }
    results = []
    for model, part in zip(models, planned.models, strict=True):
        with Progress(model, sys.stderr, price=part.price) as progress:
            speed = {"prefill": part.speed.prefill, "decode": part.speed.decode} if part.speed else {}
            results.append(
                verbs.run(opened, model, out, start=progress.start, progress=progress.call, **settings, **speed)
            )
    if as_json:
        print_json({"runs": [result.model_dump() for result in results], "out": str(out)})
    else:
        for result in results:
            click.echo(result.summary())
    if any(result.failed for result in results):
        sys.exit(3)


def _agree(planned: Any, yes: bool) -> None:
    """Show the plan and go on only if that is wanted. Without a terminal nobody can be asked: what is free goes on."""
    if not any(part.requests for part in planned.models):
        return
    asked = sys.stdin.isatty() and sys.stderr.isatty()
    dear = [part.model for part in planned.models if part.requests and part.cost != 0]
    if dear and not yes and not asked:
        raise BadInput(f"{dear[0]} costs money or may, and there is no terminal to ask on; add --yes to send")
    for line in planned.lines():
        say(line)
    if asked and not yes and not click.confirm("send?", default=True, err=True):
        raise Stopped("nothing was sent")
