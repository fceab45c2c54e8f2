"""Ask a server whether it is right at every length: probe."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from longreach import api as verbs
from longreach.errors import BadInput

from .base import FILE, MODEL, TOKENS, Integer, cli, echo, json_option, next_step, print_json, say
from .user_settings import key_values


@cli.command()
@click.option(
    "-m",
    "--model",
    "models",
    type=MODEL,
    multiple=True,
    required=True,
    help="NAME@URL, embedded, gguf:PATH or PROVIDER/NAME. May repeat.",
)
@click.option(
    "--to", type=TOKENS, help="Longest prompt: 8k, 128k.  [default: the server's window, at most 32k; else 8k]"
)
@click.option("--base-url", metavar="URL", help="Address of an OpenAI-compatible server.")
@click.option("-M", "arguments", multiple=True, metavar="KEY=VALUE", help="Passed to the provider as is. May repeat.")
@click.option("--timeout", type=Integer(1, None), default=600, metavar="SECONDS", hidden=True)
@click.option("--seed", type=Integer(0, None), default=1, hidden=True)
@click.option("-o", "--out", type=FILE, help="Write all answers here, as JSON.")
@json_option
def probe(
    models: tuple[str, ...],
    to: int | None,
    base_url: str | None,
    arguments: tuple[str, ...],
    timeout: int,
    seed: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Is this server right at every length? What arrives, what is equal, what is wrong where.

    The model only has to copy. Exit code 1 where something is wrong."""
    if out is not None and len(models) > 1:
        raise BadInput(f"-o {out}: there are {len(models)} models; probe them one by one, each with a file of its own")
    given: dict[str, Any] = {"base_url": base_url, "arguments": key_values(arguments), "timeout": timeout, "seed": seed}
    from longreach.models.addresses import with_address

    models = tuple(with_address(models, base_url))
    results = [verbs.probe(model, to=to, out=out, progress=say, **given) for model in models]
    if as_json:
        print_json({"probes": [result.model_dump(mode="json") for result in results]})
    else:
        for result in results:
            echo(f"{result.model}\n" if len(results) > 1 else "", nl=False)
            for line in result.text_lines():
                echo(line)
    if any(result.broken for result in results):
        sys.exit(1)
    if not as_json:
        next_step("longreach run BENCH -m MODEL -o runs")
