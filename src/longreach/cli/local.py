"""What is at hand without a key or a network: serve, models, families, demo."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click

from longreach.families import FAMILIES

from .base import FOLDER, cli, json_option, key_values, print_json

__all__ = ["demo", "families", "models", "serve"]


@cli.command()
@click.option("-m", "--model", default="embedded", show_default=True, help="embedded or gguf:PATH.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 picks a free one.")
@click.option("-M", "arguments", multiple=True, metavar="KEY=VALUE", help="Engine parameter. May repeat.")
def serve(model: str, port: int, arguments: tuple[str, ...]) -> None:
    """Serve a local model as an OpenAI-compatible server on loopback until interrupted."""
    from longreach.models.engine import start_engine
    from longreach.models.engine_proxy import Door

    engine = start_engine(model, key_values(arguments))
    with Door(engine, port) as door, contextlib.suppress(KeyboardInterrupt):
        click.echo(f"{model} at {door.base_url} (context {engine.context()} tokens); stop with Ctrl-C")
        click.echo(f"key: {engine.key} (without it nothing is answered; LONGREACH_SERVE_KEY sets another)")
        click.echo(
            f"try: LOCAL_API_KEY=KEY longreach run BENCH -m openai-api/local/{model} --base-url {door.base_url} -o R",
            err=True,
        )
        door.serve_forever()


@cli.command()
@json_option
def models(as_json: bool) -> None:
    """Models, tokenizers and embedders that can be named, and whether they are ready."""
    from longreach.models.listing import list_models

    found = list_models()
    if as_json:
        print_json(found)
        return
    for kind, entries in found.items():
        click.echo(f"{kind}:")
        for entry in entries:
            click.echo(f"  {entry['name']:<24} {entry['about']}")


@cli.command()
@json_option
def families(as_json: bool) -> None:
    """The kinds of tests there are."""
    if as_json:
        print_json({"families": [{"name": name, "about": about} for name, about in FAMILIES.items()]})
    else:
        for name, about in FAMILIES.items():
            click.echo(f"{name:<12} {about}")


@cli.command()
@click.option("-o", "--out", type=FOLDER, default=Path("demo"), show_default=True, help="Folder for everything.")
@click.option("--seed", type=click.IntRange(0), default=7, show_default=True)
@click.option("--minutes", type=click.FloatRange(0), default=4, show_default=True, help="The longest texts that fit.")
@json_option
def demo(out: Path, seed: int, minutes: float, as_json: bool) -> None:
    """The whole thing on the embedded model: build, run, grade, page. No key, no network."""
    from longreach.demo import run_demo

    done = run_demo(out, seed, minutes, say=lambda line: click.echo(line, err=True))
    if as_json:
        print_json(done.model_dump())
    else:
        click.echo(done.verdict)
        click.echo(f"page: {done.page}")
