"""The command line: one thin function a verb. Everything heavy is imported inside the verb that needs it."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import click

from sonde import verbs
from sonde.errors import BadInput, SondeError, did_you_mean, one_line
from sonde.families import FAMILIES

__all__ = ["cli", "main"]

_FOLDER = click.Path(path_type=Path)
_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def main() -> None:
    """Entry point: errors become one line and an exit code, 2 for bad input and 3 for stopped early."""
    try:
        code = cli.main(standalone_mode=False)
    except SondeError as error:
        click.echo(f"sonde: {error}", err=True)
        code = error.exit_code
    except click.ClickException as error:
        error.show()
        code = 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("sonde: interrupted; everything finished is kept, the same command goes on from here", err=True)
        code = 3
    except BrokenPipeError:
        sys.stdout = None
        code = 0
    except OSError as error:
        click.echo(
            f"sonde: {error.filename or 'the system'}: {error.strerror or error}; free it and try again", err=True
        )
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="sonde")
def cli() -> None:
    """How much of its context window can a language model really use?"""


class _Families(click.Group):
    """One subcommand a family, with an option for every setting of its spec; loaded only when named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(FAMILIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:  # noqa: ARG002
        if cmd_name not in FAMILIES:
            raise BadInput(f"unknown family '{cmd_name}'.{did_you_mean(cmd_name, FAMILIES)}")
        return _build_command(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Families"):
            formatter.write_dl(list(FAMILIES.items()))


@cli.group(cls=_Families, subcommand_metavar="FAMILY [SPEC.yaml] [OPTIONS]")
def build() -> None:
    """Build a benchmark folder from documents.

    A spec file says everything; flags override it. `sonde build FAMILY --help` lists them."""


def _build_command(family: str) -> click.Command:
    """`sonde build FAMILY`: an option for each field of the family's spec, read and checked by the spec itself."""
    from sonde.families import get_family

    options: list[click.Parameter] = [
        click.Argument(["spec_file"], required=False, metavar="[SPEC.yaml]", type=_FOLDER),
        click.Option(["-o", "--out"], required=True, type=_FOLDER, help="Folder to build; must be new or empty."),
        click.Option(["--json", "as_json"], is_flag=True, help="Print the result as JSON."),
        click.Option(["--base-url"], help="Address of an OpenAI-compatible server for models that help to build."),
        click.Option(
            ["-M", "arguments"], multiple=True, metavar="KEY=VALUE", help="Passed to such models. May repeat."
        ),
    ]
    if presets := get_family(family).presets:
        options.append(
            click.Option(["--preset", "set_preset"], help=f"Start from named settings: {', '.join(presets)}.")
        )
    for name, field in get_family(family).spec_type.model_fields.items():
        if name != "family":
            flag = (field.alias or name).replace("_", "-")
            shown = "" if field.default in (None, ()) else f"  [default: {_plain(field.default)}]"
            text = f"{(field.description or name).capitalize()}.{shown}"
            options.append(
                click.Option([f"--{flag}", f"set_{field.alias or name}"], help=text, multiple=name == "docs")
            )

    def build_one(
        spec_file: Path | None, out: Path, as_json: bool, base_url: str | None, arguments: tuple[str, ...], **flags: Any
    ) -> None:
        settings = _read_spec(spec_file) if spec_file else {}
        if settings.pop("family", family) != family:
            raise BadInput(f"{spec_file} is not a {family} spec; build it with the family it names")
        settings |= {name.removeprefix("set_"): value for name, value in flags.items() if value not in (None, ())}
        bench = verbs.build(
            family,
            out,
            where=str(spec_file or "flags"),
            warn=_warn,
            progress=_say,
            helpers={"base_url": base_url, "arguments": _key_values(arguments)},
            **settings,
        )
        info, tokens = bench.info, sum(item.tokens for item in bench.items.values())
        if as_json:
            _print_json({"bench": str(out), "digest": info.digest, "items": info.items, "tokens": tokens})
        else:
            click.echo(f"{out}: {info.items} items, {tokens:,} prompt tokens, digest {info.digest[:12]}")

    return click.Command(family, params=options, callback=build_one, help=FAMILIES[family].capitalize() + ".")


def _plain(value: Any) -> str:
    return (
        ",".join(f"{part:g}" if isinstance(part, float) else str(part) for part in value)
        if isinstance(value, tuple)
        else str(value)
    )


def _read_spec(path: Path) -> dict[str, Any]:
    """A spec file: YAML, or the spec.json of a benchmark."""
    import yaml

    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"there is no spec file {path}; write one or give flags") from None
    except (yaml.YAMLError, UnicodeDecodeError, IsADirectoryError) as error:
        raise BadInput(f"spec file {path} cannot be read: {one_line(str(error))}; give a YAML file") from None
    if not isinstance(loaded, dict):
        raise BadInput(f"spec file {path} holds no settings; write lines such as 'lengths: 1k,2k,4k'")
    return loaded


@cli.command()
@click.argument("bench", type=_FOLDER)
@click.option("--item", help="Show this item whole: the prompt as it will be sent and all metadata.")
@_json
def show(bench: Path, item: str | None, as_json: bool) -> None:
    """Show a benchmark's items, or one of them whole."""
    from sonde.families.showing import item_details, item_line, item_prompt

    opened = verbs.open_bench(bench)
    if item is not None:
        details = item_details(opened, opened.item(item))
        prompt = item_prompt(opened, opened.item(item))
        if as_json:
            _print_json({**details, "text": prompt})
        else:
            click.echo(json.dumps(details, ensure_ascii=False, indent=2))
            click.echo(f"\n{'-' * 20} prompt {'-' * 20}\n{prompt}")
    elif as_json:
        _print_json({"items": [item_details(opened, entry) for entry in opened.items.values()]})
    else:
        info = opened.info
        click.echo(f"{info.family} {info.digest[:12]}  {info.items} items  tokenizer {opened.corpus.info.tokenizer}")
        for entry in opened.items.values():
            click.echo(item_line(entry))


@cli.command()
@click.argument("bench", type=_FOLDER)
@_json
def check(bench: Path, as_json: bool) -> None:
    """Tokenize and hash every item again; exit 1 on any difference."""
    problems = verbs.check(bench)
    if as_json:
        _print_json({"bench": str(bench), "ok": not problems, "problems": problems})
    else:
        for problem in problems:
            click.echo(problem)
        click.echo(f"{len(problems)} differences" if problems else "ok: every count and digest is as recorded")
    if problems:
        sys.exit(1)


@cli.command()
@click.argument("bench", type=_FOLDER)
@click.option("-m", "--model", "models", multiple=True, default=("embedded",), show_default=True, help="May repeat.")
@_json
def plan(bench: Path, models: tuple[str, ...], as_json: bool) -> None:
    """What a run will send: requests, tokens, and how many of them a prefix cache saves."""
    planned = verbs.plan(bench, models)
    if as_json:
        _print_json(planned.model_dump(mode="json"))
        return
    for entry in planned.models:
        click.echo(entry.summary())
        for warning in entry.warnings:
            click.echo(f"  warning: {warning}")


@cli.command()
@click.argument("bench", type=_FOLDER)
@click.option("-m", "--model", "models", multiple=True, required=True, help="embedded, gguf:PATH or PROVIDER/NAME.")
@click.option("-o", "--out", type=_FOLDER, required=True, help="Folder for logs and results; grows with every run.")
@click.option("-M", "arguments", multiple=True, metavar="KEY=VALUE", help="Passed to the model as it is. May repeat.")
@click.option("--base-url", help="Address of an OpenAI-compatible server, for openai-api/SERVICE/NAME.")
@click.option("--concurrency", type=click.IntRange(1, 256), help="Requests at once: 1 embedded, 4 elsewhere.")
@click.option("--max-tokens", type=click.IntRange(1), help="Longest answer.")
@click.option(
    "--temperature", type=click.FloatRange(0, 2), help="As the benchmark says: 0 unless it was built otherwise."
)
@click.option("--max-retries", type=click.IntRange(0, 100), default=5, show_default=True)
@click.option("--timeout", type=click.IntRange(1), default=1800, show_default=True, help="Seconds for one attempt.")
@click.option("--no-cache", is_flag=True, help="Ask again even where an earlier run paid for the same prompt.")
@_json
def run(
    bench: Path, models: tuple[str, ...], out: Path, arguments: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Run a benchmark on models. Run again to go on: what is answered is not sent again."""
    from sonde.runner.progress import Progress

    options |= {"arguments": _key_values(arguments), "cache": not options.pop("no_cache")}
    opened = verbs.open_bench(bench)
    results = []
    for model in models:
        with Progress(model, sys.stderr) as progress:
            results.append(verbs.run(opened, model, out, start=progress.start, progress=progress.call, **options))
    if as_json:
        _print_json({"runs": [result.model_dump() for result in results], "out": str(out)})
    else:
        for result in results:
            click.echo(result.summary())
    if any(result.failed for result in results):
        sys.exit(3)


@cli.command()
@click.argument("runs", type=_FOLDER)
@_json
def grade(runs: Path, as_json: bool) -> None:
    """Grade all answers again, without calling any model."""
    from sonde.reporting.results import summarise

    rows = verbs.grade(runs)
    summary = summarise(rows)
    if as_json:
        _print_json({"rows": len(rows), "scores": summary})
    else:
        for line in summary:
            click.echo(
                f"{line['model']}  {line['family']}  {line['prompt']}  {line['probe']}: {line['right']} of "
                f"{line['scored']} right ({line['asked']} asked)"
            )
        click.echo(f"{len(rows)} verdicts in {runs / 'rows.jsonl'}")


@cli.command()
@click.argument("runs", type=_FOLDER)
@click.option("-o", "--out", type=_FOLDER, default=Path("page.html"), show_default=True, help="The page to write.")
@_json
def report(runs: Path, out: Path, as_json: bool) -> None:
    """Write one self-contained page about everything in a folder of runs."""
    from sonde.reporting.results import verdicts

    out = out / "page.html" if out.is_dir() else out
    sentences = verdicts(verbs.report(runs, out))
    if as_json:
        _print_json({"page": str(out), "verdicts": sentences})
    else:
        for sentence in sentences.values():
            click.echo(sentence)
        click.echo(f"page: {out}")


@cli.command()
@click.option("-m", "--model", default="embedded", show_default=True, help="embedded or gguf:PATH.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 picks a free one.")
@click.option("-M", "arguments", multiple=True, metavar="KEY=VALUE", help="Engine parameter. May repeat.")
def serve(model: str, port: int, arguments: tuple[str, ...]) -> None:
    """Serve a local model as an OpenAI-compatible server on loopback until interrupted."""
    import threading

    from sonde.models.engine import start_server

    engine = start_server(model, port, _key_values(arguments))
    click.echo(f"{model} at {engine.base_url} (context {engine.context()} tokens); stop with Ctrl-C")
    click.echo(f"try: sonde run BENCH -m openai-api/local/{model} --base-url {engine.base_url} -o RUNS", err=True)
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()


@cli.command()
@_json
def models(as_json: bool) -> None:
    """Models, tokenizers and embedders that can be named, and whether they are ready."""
    from sonde.models.listing import list_models

    found = list_models()
    if as_json:
        _print_json(found)
        return
    for kind, entries in found.items():
        click.echo(f"{kind}:")
        for entry in entries:
            click.echo(f"  {entry['name']:<24} {entry['about']}")


@cli.command()
@_json
def families(as_json: bool) -> None:
    """The kinds of tests there are."""
    if as_json:
        _print_json({"families": [{"name": name, "about": about} for name, about in FAMILIES.items()]})
    else:
        for name, about in FAMILIES.items():
            click.echo(f"{name:<12} {about}")


@cli.command()
@click.option("-o", "--out", type=_FOLDER, default=Path("demo"), show_default=True, help="Folder for everything.")
@click.option("--seed", type=click.IntRange(0), default=7, show_default=True)
@click.option("--minutes", type=click.FloatRange(0), default=2.7, show_default=True, help="The longest map that fits.")
@_json
def demo(out: Path, seed: int, minutes: float, as_json: bool) -> None:
    """The whole thing on the embedded model: build, run, grade, page. No key, no network."""
    from sonde.demo import run_demo

    done = run_demo(out, seed, minutes, say=lambda line: click.echo(line, err=True))
    if as_json:
        _print_json(done.model_dump())
    else:
        click.echo(done.verdict)
        click.echo(f"page: {done.page}")


def _key_values(pairs: tuple[str, ...]) -> dict[str, Any]:
    """KEY=VALUE with the value read as YAML: numbers, booleans, or {maps}."""
    import yaml

    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise BadInput(f"-M {pair}: write KEY=VALUE, for instance -M n_ctx=16384")
        values[key] = yaml.safe_load(value)
    return values


def _say(message: str) -> None:
    click.echo(message, err=True)


def _warn(message: str) -> None:
    click.echo(f"warning: {message}", err=True)


def _print_json(data: Any) -> None:
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))
