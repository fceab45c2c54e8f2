"""What the commands share: the group they belong to, ways to print and to read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from sonde.errors import BadInput

__all__ = ["FOLDER", "cli", "json_option", "key_values", "print_json", "say", "warn"]

FOLDER = click.Path(path_type=Path)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="sonde")
def cli() -> None:
    """How much of its context window can a language model really use?"""


def key_values(pairs: tuple[str, ...]) -> dict[str, Any]:
    """KEY=VALUE with the value read as YAML: numbers, booleans, or {maps}."""
    import yaml

    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise BadInput(f"-M {pair}: write KEY=VALUE, for instance -M n_ctx=16384")
        values[key] = yaml.safe_load(value)
    return values


def say(message: str) -> None:
    click.echo(message, err=True)


def warn(message: str) -> None:
    click.echo(f"warning: {message}", err=True)


def print_json(data: Any) -> None:
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))
