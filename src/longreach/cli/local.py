"""Commands that need no key and no network: demo, models, families, serve."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import click

from longreach.families import FAMILIES

from .base import FILE, FOLDER, MODEL, Integer, Number, cli, echo, json_option, print_json, say, styled
from .user_settings import key_values


@cli.command()
@click.option("-m", "--model", type=MODEL, default="embedded", help="embedded or gguf:PATH.")
@click.option("--port", type=Integer(0, 65535), metavar="PORT", default=8080, help="0 picks a free one.")
@click.option("-M", "arguments", multiple=True, metavar="KEY=VALUE", help="Engine parameter. May repeat.")
def serve(model: str, port: int, arguments: tuple[str, ...]) -> None:
    """Serve a local model through an OpenAI-compatible API on loopback, until interrupted."""
    from longreach.models.engine import EngineProxy, start_engine

    engine = start_engine(model, key_values(arguments))
    with EngineProxy(engine, port) as proxy, contextlib.suppress(KeyboardInterrupt):
        echo(f"{model} at {proxy.base_url} (context {engine.context()} tokens); stop with Ctrl-C")
        echo(f"key: {engine.key} (required; LONGREACH_SERVE_KEY sets your own)")
        echo(
            f"try: LOCAL_API_KEY=KEY longreach run BENCH -m openai-api/local/{model} --base-url {proxy.base_url} -o R",
            err=True,
        )
        proxy.serve_forever()


@cli.command()
@json_option
def models(as_json: bool) -> None:
    """List models, tokenizers and embedders, and whether each is ready to use."""
    from longreach.models.providers import list_models

    found = list_models()
    if as_json:
        print_json(found)
        return
    for kind, entries in found.items():
        echo(f"{kind}:")
        for entry in entries:
            colour = {"ready": "green", "offline": "green"}.get(entry["state"], "yellow")
            state = styled(entry["state"], fg=colour) if entry["state"] else ""
            echo(f"  {entry['name']:<24} {entry['about']}{'; ' if state and entry['about'] else ''}{state}")


@cli.command()
@json_option
def families(as_json: bool) -> None:
    """List the families of tests."""
    if as_json:
        print_json({"families": [{"name": name, "about": about} for name, about in FAMILIES.items()]})
    else:
        for name, about in FAMILIES.items():
            echo(f"{name:<12} {about}")


@cli.command()
@click.option("-o", "--out", type=FOLDER, default=Path("demo"), help="Folder for everything.")
@click.option("--seed", type=Integer(0), default=7, help="Chooses texts and facts.")
@click.option("--minutes", type=Number(0, min_open=True), default=4, help="Time limit; the same command resumes.")
@click.option("--lora", type=FILE, help="GGUF adapter: asks the tuned model beside the base.")
@click.option("--no-browser", is_flag=True, help="Do not open the page.")
@json_option
def demo(out: Path, seed: int, minutes: float, lora: Path | None, no_browser: bool, as_json: bool) -> None:
    """Decide between the embedded models in a few minutes, as `longreach decide` does. No key, no network."""
    from longreach.demo import open_page, run_demo

    done = run_demo(out, seed, minutes, lora=lora, say=say)
    if as_json:
        print_json(done.data())
    else:
        for line in done.lines():
            echo(line)
        if not no_browser:
            open_page(Path(done.page))
    if done.exit_code:
        sys.exit(done.exit_code)
