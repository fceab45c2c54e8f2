"""Call models: plan, run, paper."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from longreach import api as verbs
from longreach.errors import BadInput, Stopped, one_line
from longreach.families import FAMILIES
from longreach.options import PlanOptions, RunOptions

from .base import (
    FOLDER,
    MODEL,
    Number,
    SettingsCommand,
    cli,
    echo,
    json_option,
    next_step,
    print_json,
    say,
    styled,
    warn,
)
from .user_settings import key_values


def _plan_options() -> list[click.Option]:
    from longreach.planning.plan import PlanSettings

    from .setting_options import setting_options

    return setting_options(PlanSettings.model_fields)


def _run_options() -> list[click.Option]:
    """Those of a run, and those of a plan too, because `run` shows its plan first."""
    from longreach.planning.plan import PlanSettings
    from longreach.runner.run_settings import RunSettings

    from .setting_options import setting_options

    own, planned = RunSettings.model_fields, PlanSettings.model_fields
    mine = {name: field for name, field in own.items() if name not in planned}
    return setting_options(mine | {name: field for name, field in planned.items() if name != "detect"})


def _paper_options() -> list[click.Option]:
    return [option for option in _run_options() if option.name in ("budget", "base_url", "arguments")]


def _settings(models: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Those options that are given, as the verbs take them."""
    if options["temperature"] == "default":
        options |= {"temperature": None, "generation": (*options["generation"], "temperature=null")}
    names = _by_model(options.get("name", ()), models, "--name")
    if names and "*" in names and len(models) > 1:
        raise BadInput(f"--name {names['*']}: there are {len(models)} models; write MODEL=NAME for each")
    read = {
        "arguments": key_values(options["arguments"]),
        "generation": key_values(options["generation"], "-G", "reasoning_effort=high"),
        "price": _by_model(options["price"], models, "--price"),
        "name": names,
    }
    return {name: value for name, value in (options | read).items() if value is not None}


def _plan(bench: Any, models: tuple[str, ...], runs: Path | None, settings: dict[str, Any]) -> Any:
    known: Any = {name: settings[name] for name in PlanOptions.__annotations__ if name in settings}
    return verbs.plan(bench, models, runs=runs, measure="ray" not in settings, progress=say, **known)


def _by_model(given: tuple[str, ...], models: tuple[str, ...], flag: str) -> dict[str, str] | None:
    """[MODEL=]VALUE by model, `*` for the rest; None if nothing is given."""
    found: dict[str, str] = {}
    for text in given:
        model = next((model for model in models if text.startswith(f"{model}=")), "*")
        if model == "*" and "=" in text:
            raise BadInput(f"{flag} {one_line(text, 80)}: not one of the models given with -m ({', '.join(models)})")
        if model in found:
            raise BadInput(f"{flag} is given twice for {'all models' if model == '*' else model}; give it once")
        found[model] = text if model == "*" else text.removeprefix(f"{model}=")
    return found or None


@cli.command(cls=SettingsCommand, settings=_plan_options)
@click.argument("bench", type=FOLDER)
@click.option(
    "-m", "--model", "models", type=MODEL, multiple=True, default=("embedded",), help="Model to plan for. May repeat."
)
@click.option("--details", is_flag=True, help="Explain each row: prices, caches, concurrency.")
@json_option
def plan(bench: Path, models: tuple[str, ...], details: bool, as_json: bool, **options: Any) -> None:
    """Compare models before a run: requests, tokens, cost with and without cache, time. Sends nothing."""
    from longreach.models.providers import check_name

    for model in models:
        check_name(model)
    planned = _plan(bench, models, None, _settings(models, options))
    if as_json:
        print_json(planned.model_dump(mode="json"))
        return
    _show(planned, echo, details=details)
    echo("what the results can show:")
    for power in planned.powers:
        echo(f"  {power.line()}")
    if not details:
        next_step(f"longreach run {bench} -m {models[0]} -o runs (plan --details explains the numbers)")


def _show(planned: Any, write: Callable[[str], Any], *, details: bool) -> None:
    head, *lines = planned.lines(details=details)
    write(styled(head, bold=True))
    for line in lines:
        before, warning, after = line.partition("warning:")
        write(f"{before}{styled(warning, fg='yellow')}{after}" if warning else line)


@cli.command(cls=SettingsCommand, settings=_run_options)
@click.argument("bench", type=FOLDER)
@click.option(
    "-m",
    "--model",
    "models",
    type=MODEL,
    multiple=True,
    required=True,
    help="embedded, gguf:PATH or PROVIDER/NAME. May repeat.",
)
@click.option("-o", "--out", type=FOLDER, required=True, help="Folder for answers and logs; grows with every run.")
@click.option("-y", "--yes", is_flag=True, help="Send without asking.")
@json_option
def run(bench: Path, models: tuple[str, ...], out: Path, yes: bool, as_json: bool, **options: Any) -> None:
    """Run a benchmark on models, after showing the plan.

    The same command resumes: items that have an answer are not sent again."""
    from longreach.models.providers import check_address, check_name
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
    settings = _settings(models, options)
    planned = _plan(opened, models, out, settings)
    _agree(planned, yes)
    known: Any = {name: settings[name] for name in RunOptions.__annotations__ if name in settings}
    results = []
    for model, part in zip(models, planned.models, strict=True):
        with Progress(model, sys.stderr) as progress:
            speed = {"prefill": part.speed.prefill, "decode": part.speed.decode} if part.speed else {}
            shown: dict[str, Any] = {
                "start": progress.start,
                "progress": progress.call,
                "note": partial(echo, err=True),
            }
            results.append(verbs.run(opened, model, out, **shown, **known, **speed))
    if as_json:
        print_json({"runs": [result.model_dump() for result in results], "out": str(out)})
    else:
        for result in results:
            for line in result.lines():
                echo(line)
        failed = any(result.failures for result in results)
        next_step("the same command sends the failed items again" if failed else f"longreach report {out} -o page.html")
    if any(result.failures for result in results):
        sys.exit(3)
    if any(result.silent for result in results):
        sys.exit(1)


@cli.command(cls=SettingsCommand, settings=_paper_options)
@click.argument("family", type=click.Choice(list(FAMILIES)), metavar="FAMILY")
@click.option("-m", "--model", type=MODEL, required=True, help="embedded, gguf:PATH or PROVIDER/NAME.")
@click.option(
    "--scale",
    type=Number(0, 1, min_open=True),
    default=1.0,
    help="Multiply all lengths and sizes of the paper by this.",
)
@click.option("-o", "--out", type=FOLDER, required=True, help="Folder for benchmark, runs and page; resumes if there.")
@click.option("--docs", multiple=True, metavar="PATH", help="Documents to build from. May repeat.")
@click.option(
    "--set",
    "changed",
    multiple=True,
    metavar="KEY=VALUE",
    help="Another setting of longreach build FAMILY. May repeat.",
)
@click.option("-y", "--yes", is_flag=True, help="Send without asking.")
@click.pass_context
def paper(
    ctx: click.Context,
    /,
    family: str,
    model: str,
    scale: float,
    out: Path,
    docs: tuple[str, ...],
    changed: tuple[str, ...],
    yes: bool,
    **options: Any,
) -> None:
    """Repeat a paper's experiment: build its preset, plan, run, and write a page with its figures beside yours.

    FAMILY is one with a preset `paper`: needles, grounded, verbatim or novel. OUT gets bench/, runs/ and page.html. The
    same command resumes."""
    from longreach.families.building import make_spec, paper_settings

    from .build import agree_to_helpers
    from .results import report

    bench, runs, page = out / "bench", out / "runs", out / "page.html"
    new = not bench.exists()
    given = key_values(changed, "--set", "seed=1") | ({"docs": list(docs)} if docs else {})
    settings = paper_settings(family, model, scale, given, say if new else lambda _: None)
    if not new:
        asked, there = make_spec(family, settings, "--set", model=model).recorded(), verbs.open_bench(bench).spec
        if other := [name for name in {**there, **asked} if there.get(name) != asked.get(name)]:
            raise BadInput(f"{bench} has another {', '.join(other)}; repeat its settings or give another --out")
    else:
        agree = partial(agree_to_helpers, base_url=None, yes=yes, budget=None)
        made = verbs.build(
            family, bench, model=model, where="--set", warn=warn, progress=say, plan=agree, settings=settings
        )
        say(f"{bench}: {made.info.items} items, digest {made.info.digest[:12]}")
    ctx.invoke(run, bench=bench, models=(model,), out=runs, yes=yes, **options)
    ctx.invoke(report, runs=runs, out=page, published=True)


def _agree(planned: Any, yes: bool) -> None:
    """Show the plan and ask for confirmation. Without a terminal, free models run and paid ones need --yes."""
    if not any(part.requests for part in planned.every):
        return
    asked = sys.stdin.isatty() and sys.stderr.isatty()
    paid = [part.model for part in planned.every if part.requests and part.cost != 0]
    if paid and not yes and not asked:
        raise BadInput(f"{paid[0]} may cost money and there is no terminal to confirm on; pass --yes to send")
    _show(planned, lambda line: echo(line, err=True), details=False)
    if asked and not yes and not click.confirm("send?", default=True, err=True):
        raise Stopped("nothing was sent")
