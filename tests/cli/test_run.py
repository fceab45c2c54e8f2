"""plan and run as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import click
from tests.command_line import call, result

from longreach.cli import cli
from longreach.cli.base import TOKENS
from longreach.core.formatting import parse_tokens


def test_plan_counts_requests_and_savings(bench: Path) -> None:
    (entry,) = result("plan", bench, "-m", "embedded", "--rate", 40)["models"]
    assert entry["requests"] == 18
    assert entry["prefill_tokens"] + entry["cached_tokens"] == entry["input_tokens"]
    assert entry["input_tokens"] / entry["prefill_tokens"] > 1.5
    keys = {"model", "requests", "input_tokens", "prefill_tokens", "cached_tokens", "output_tokens", "cost", "seconds"}
    assert keys < set(entry)


def test_every_option_in_tokens_takes_short_numbers(bench: Path) -> None:
    for command in (cli.commands["plan"], cli.commands["run"]):
        assert next(option for option in command.params if option.name == "window").type is TOKENS
    for family in ("needles", "grounded"):
        group = cli.commands["build"]
        assert isinstance(group, click.Group)
        made = group.get_command(click.Context(group), family)
        assert made is not None
        window = next(option for option in made.params if option.name == "set_window")
        assert window.make_metavar(click.Context(made)) == "TOKENS"
    short = call(["plan", str(bench), "-m", "openai-api/x/y", "--window", "1k", "--json"])
    assert "overflow" in json.loads(short.out)["models"][0]["warnings"][0]
    assert not any("overflow" in one for one in _plan(bench, "--window", "128k")["warnings"])
    wrong = call(["plan", str(bench), "--window", "long"])
    assert "not a number" in wrong.err
    assert parse_tokens("128k") == 128_000


def _plan(bench: Path, *options: str) -> dict[str, list[str]]:
    done = call(["plan", str(bench), "-m", "openai-api/x/y", *options, "--json"])
    found: dict[str, list[str]] = json.loads(done.out)["models"][0]
    return found


def test_a_plan_leads_with_one_table_and_explains_on_request(bench: Path) -> None:
    models = ("-m", "openai/gpt-5-mini", "-m", "anthropic/claude-sonnet-4-5")
    plain = call(["plan", str(bench), *models]).out.splitlines()
    assert plain[0].split() == ["model", "requests", "input", "prefill", "output", "cost", "without", "cache", "time"]
    assert plain[1].startswith("openai/gpt-5-mini ")
    assert plain[2].startswith("anthropic/claude-sonnet-4-5 ")
    assert plain[3] == "unknown time: give --rate, --rpm or --tpm"
    shows = plain.index("what the results can show:")
    assert all(line.startswith("warning: ") for line in plain[4:shows])
    assert all("95 % CI" in line and "smallest detectable drop" in line for line in plain[shows + 1 :])
    details = call(["plan", str(bench), *models, "--details"]).out
    assert details.startswith("\n".join(plain[:4]))
    for word in ("prefill", "concurrency", "price", "cache"):
        assert f"\n  {word} " in details
