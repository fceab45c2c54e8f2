"""Call models: plan, run, paper."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from longreach import api as verbs
from longreach.errors import BadInput, Stopped, one_line
from longreach.families import FAMILIES
from longreach.options import PlanOptions, RunOptions

from .base import (
    FOLDER,
    MODEL,
    RETRIEVAL,
    TOKENS,
    Integer,
    Number,
    NumberOrDefault,
    cli,
    echo,
    json_option,
    next_step,
    print_json,
    retrieval_options,
    say,
    styled,
    warn,
)
from .user_settings import key_values

F = TypeVar("F", bound=Callable[..., Any])

_NUMBER = Number(0, min_open=True)
_PLANNING = (
    click.option(
        "--price",
        multiple=True,
        metavar="[MODEL=]IN,CACHED,OUT",
        help="US dollars per million tokens, instead of the price list; of one model, or of all. May repeat.",
    ),
    click.option("--rate", type=_NUMBER, help="Tokens per second that the model reads."),
    click.option("--rate-out", type=_NUMBER, help="Tokens per second that the model writes."),
    click.option("--rpm", type=_NUMBER, help="Requests per minute that the provider allows."),
    click.option("--tpm", type=_NUMBER, help="Tokens per minute that the provider allows."),
    click.option("--window", type=TOKENS, help="The model's context window, where it is not known: 128k."),
    click.option("--hours", type=_NUMBER, default=4, help="Warn if a run takes longer."),
    click.option(
        "--concurrency",
        type=Integer(1, 256),
        help="Requests in flight, 1 to 256.  [default: per replica 1 for local models, else 4]",
    ),
    click.option(
        "--replicas",
        type=Integer(1, 1024),
        default=1,
        help="Servers behind the address, with a router that keeps a session on one of them; with --ray, engines.",
    ),
    click.option(
        "--cache-block",
        "block",
        type=Integer(1),
        metavar="TOKENS",
        help="Tokens per block of the server's prefix cache.  [default: 16 for vllm, else 1]",
    ),
    click.option(
        "--cache-size",
        type=TOKENS,
        help="Tokens that a server's prefix cache holds: 200k.  [default: as vLLM and SGLang say, else no limit]",
    ),
    click.option("--max-tokens", type=TOKENS, help="Longest answer: 500, 4k."),
    click.option(
        "--repeats",
        type=Integer(1, 1000),
        default=1,
        help="Requests per item; their spread is shown, and intervals are over items.",
    ),
    click.option(
        "--search", is_flag=True, help="Ask only where the effective length is still open, in rounds of whole contexts."
    ),
    click.option(
        "--until",
        type=Number(0.5, 0.999),
        help="With --search: stop when the effective length is known with this probability.  [default: 0.9]",
    ),
    *RETRIEVAL,
    click.option(
        "--no-prefix-sharing",
        "sharing",
        flag_value=False,
        default=True,
        show_default=False,
        help="Start every request with a unique line, so that no cache helps.",
    ),
    click.option(
        "-M", "arguments", multiple=True, metavar="KEY=VALUE", help="Passed to the provider as is. May repeat."
    ),
    click.option(
        "-G",
        "generation",
        multiple=True,
        metavar="KEY=VALUE",
        help="Generation setting: reasoning_effort=high, seed=1, extra_body.enable_thinking=false. May repeat.",
    ),
)


def _planning(command: F) -> F:
    """The options that decide a plan; `run` has them too, because it shows its plan first."""
    for option in reversed(_PLANNING):
        command = option(command)
    return command


def _settings(models: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Those options that are given, as the verbs take them."""
    names = _by_model(options.get("name", ()), models, "--name")
    if names and "*" in names and len(models) > 1:
        raise BadInput(f"--name {names['*']}: there are {len(models)} models; write MODEL=NAME for each")
    if options["until"] is not None and not options["search"]:
        raise BadInput("--until is for a search; add --search, or leave it out")
    read = {
        "arguments": key_values(options["arguments"]),
        "generation": key_values(options["generation"], "-G", "reasoning_effort=high"),
        "price": _by_model(options["price"], models, "--price"),
        "name": names,
        "workers": options["concurrency"],
    }
    kept = {name: value for name, value in (options | read).items() if name not in ("retrieve", "retriever")}
    return {name: value for name, value in kept.items() if value is not None} | retrieval_options(options)


def _plan(bench: Any, models: tuple[str, ...], runs: Path | None, settings: dict[str, Any]) -> Any:
    more = ("arguments", "generation", "temperature", "search", "until")
    known = {name: settings[name] for name in (*PlanOptions.__annotations__, *more) if name in settings}
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


@cli.command()
@click.argument("bench", type=FOLDER)
@click.option(
    "-m", "--model", "models", type=MODEL, multiple=True, default=("embedded",), help="Model to plan for. May repeat."
)
@click.option("--details", is_flag=True, help="Explain each row: prices, caches, concurrency.")
@click.option(
    "--detect",
    type=Number(0, 100, min_open=True),
    metavar="POINTS",
    help="Say how many answers are needed to show a drop of so many percentage points.",
)
@_planning
@json_option
def plan(
    bench: Path, models: tuple[str, ...], details: bool, detect: float | None, as_json: bool, **options: Any
) -> None:
    """Compare models before a run: requests, tokens, cost with and without cache, time. Sends nothing."""
    from longreach.models.providers import check_name

    for model in models:
        check_name(model)
    planned = _plan(bench, models, None, _settings(models, options | {"detect": detect}))
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


@cli.command()
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
@click.option(
    "--name", multiple=True, metavar="[MODEL=]NAME", help="Show the model's results under this name. May repeat."
)
@click.option(
    "--budget",
    metavar="AMOUNT",
    help="Most that the folder may cost in all: 5usd or 20Mtok. The run stops there; finished answers are saved.",
)
@click.option("--base-url", metavar="URL", help="Address of an OpenAI-compatible server, for openai-api/SERVICE/NAME.")
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="Start the replicas on the nodes of a Ray cluster: auto or HOST:6379. For embedded, gguf:PATH and vllm/NAME.",
)
@click.option(
    "--temperature",
    type=NumberOrDefault(0, 2),
    metavar="NUMBER|default",
    help="Sampling temperature, 0 to 2, or default: the provider's own.  [default: the benchmark's, usually 0]",
)
@click.option("--max-retries", type=Integer(0, 100), default=5, help="Retries per request, 0 to 100.")
@click.option("--timeout", type=Integer(1), metavar="SECONDS", default=1800, help="Time limit of one attempt.")
@click.option(
    "--send",
    type=click.Choice(["text", "tokens"]),
    default="text",
    help="tokens: as token ids, to a vLLM or SGLang server; saves the server the work for long prompts.",
)
@click.option(
    "--reuse",
    is_flag=True,
    help="Take answers of earlier runs to the same prompts instead of asking again. Only if the model is the same.",
)
@_planning
@json_option
def run(bench: Path, models: tuple[str, ...], out: Path, yes: bool, as_json: bool, **options: Any) -> None:
    """Run a benchmark on models, after showing the plan.

    The same command resumes: items that have an answer are not sent again."""
    from longreach.models.providers import check_address, check_name
    from longreach.runner.budget import Budget
    from longreach.runner.progress import Progress

    if options["temperature"] == "default":
        options |= {"temperature": None, "generation": (*options["generation"], "temperature=null")}
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
    known: dict[str, Any] = {name: settings[name] for name in RunOptions.__annotations__ if name in settings}
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


@cli.command()
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
@click.option("--budget", metavar="AMOUNT", help="Most that the run may cost in all: 5usd or 20Mtok.")
@click.option("--base-url", metavar="URL", help="Address of an OpenAI-compatible server, for openai-api/SERVICE/NAME.")
@click.option("-M", "arguments", multiple=True, metavar="KEY=VALUE", help="Passed to the provider as is. May repeat.")
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
    budget: str | None,
    **reach: Any,
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
    ctx.invoke(run, bench=bench, models=(model,), out=runs, yes=yes, budget=budget, **reach)
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
