"""plan and run as a user calls them."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import click
import pytest
from tests.command_line import call, longreach, result
from tests.doubles.chat_server import ChatServer, Reply
from tests.present import of, some

from longreach import api as verbs
from longreach.cli import cli
from longreach.cli.base import TOKENS
from longreach.core.figure import Table
from longreach.core.formatting import parse_tokens
from longreach.families.needles.spec import NeedlesSpec
from longreach.models.tokenizers import get_tokenizer
from longreach.runner.logs import collect_calls
from longreach.text.documents import built_in_documents


def test_plan_counts_requests_and_savings(bench: Path) -> None:
    (entry,) = result("plan", bench, "-m", "embedded", "--set", "rate=40")["models"]
    assert entry["requests"] == 18
    assert entry["prefill_tokens"] + entry["cached_tokens"] == entry["input_tokens"]
    assert entry["input_tokens"] / entry["prefill_tokens"] > 1.5
    keys = {"model", "requests", "input_tokens", "prefill_tokens", "cached_tokens", "output_tokens", "cost", "seconds"}
    assert keys < set(entry)


def test_every_option_in_tokens_takes_short_numbers(bench: Path) -> None:
    for command in (cli.commands["plan"], cli.commands["run"]):
        assert next(option for option in command.params if option.name == "max_tokens").type is TOKENS
    for family in ("needles", "grounded"):
        group = cli.commands["build"]
        assert isinstance(group, click.Group)
        made = some(group.get_command(click.Context(group), family))
        window = next(option for option in made.params if option.name == "set_window")
        assert window.make_metavar(click.Context(made)) == "TOKENS"
    short = call(["plan", str(bench), "-m", "openai-api/x/y", "--set", "window=1k", "--json"])
    assert "overflow" in json.loads(short.out)["models"][0]["warnings"][0]
    assert not any("overflow" in one for one in _plan(bench, "--set", "window=128k")["warnings"])
    wrong = call(["plan", str(bench), "--set", "window=long"])
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
    assert plain[3].startswith("output is for answers as asked; each is cut off at up to ")
    assert plain[4] == "unknown time: give --set rate=N, rpm=N or tpm=N"
    shows = plain.index("what the results can show:")
    assert all(line.startswith("warning: ") for line in plain[5:shows])
    assert all("95 % CI" in line and "smallest detectable drop" in line for line in plain[shows + 1 :])
    details = call(["plan", str(bench), *models, "--details"]).out
    assert details.startswith("\n".join(plain[:5]))
    for word in ("prefill", "concurrency", "price", "cache"):
        assert f"\n  {word} " in details


def test_prices_and_names_are_for_one_model_or_for_all(bench: Path, tmp_path: Path) -> None:
    two = ["-m", "openai-api/a/x", "-m", "openai-api/a/y"]
    plain = result("plan", bench, *two, "--price", "1,1")["models"]
    assert plain[0]["cost"] == plain[1]["cost"]
    first, second = result("plan", bench, *two, "--price", "openai-api/a/x=3,3", "--price", "1,1")["models"]
    assert (first["cost"], second["cost"]) == (pytest.approx(3 * plain[0]["cost"]), plain[1]["cost"])
    for wrong, message in (
        (["--price", "openai-api/a/z=1,1"], "not one of the models given with -m (openai-api/a/x, openai-api/a/y)"),
        (["--price", "1,1", "--price", "2,2"], "--price is given twice for all models"),
        (["--price", "openai-api/a/x=cheap"], "price 'cheap' is not IN,CACHED,OUT"),
    ):
        done = call(["plan", str(bench), *two, *wrong])
        assert (done.code, message in done.err) == (2, True), done.err
    both = call(["run", str(bench), *two, "--name", "mine", "-o", str(tmp_path), "-y"])
    assert (both.code, "write MODEL=NAME for each" in both.err) == (2, True), both.err


def test_results_are_shown_under_the_given_name(bench: Path, tmp_path: Path) -> None:
    runs = str(tmp_path / "runs")
    with ChatServer(lambda _: Reply()) as server:

        def run(model: str, *more: str) -> str:
            how = ["-m", f"openai-api/local/{model}", "--base-url", server.base_url, "-o", runs, "-y"]
            return call(["run", str(bench), *how, *more]).err

        run("x", "--name", "base", "--budget", "4ktok")
        run("x", "--temperature", "0.5", "--name", "base")
        asked = len(server.asked)
        run("x")
        assert len(server.asked) > asked, "the name does not hide answers from a run that resumes"
        assert "has results of openai-api/local/x under it" in run("y", "--name", "base")
        run("y", "--name", "openai-api/local/y=tuned")
    rows = verbs.grade(runs)
    assert {row.model for row in rows} == {"base", "base [temperature=0.5]", "tuned"}
    assert verbs.compare(runs, models=("base", "tuned")).matches
    table = of(
        Table, next(figure for figure in verbs.report(runs, tmp_path / "page.html").figures if figure.id == "planned")
    )
    assert {row[0] for row in table.rows} == {"base", "base [temperature=0.5]", "tuned"}


@pytest.mark.long
def test_the_first_example_of_the_help_works_on_a_small_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 124k tokens."""
    text = "\n\n".join(document.text for document in built_in_documents())[:650_000]
    assert 120_000 < get_tokenizer(NeedlesSpec().tokenizer).count(text) < 128_000
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "all.txt").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    longreach(*next(line for line in (cli.help or "").splitlines() if "longreach build" in line).split()[1:])


def test_plan_progress_and_page_show_one_time(bench: Path, tmp_path: Path) -> None:
    speed = ["--set", "rate=5000", "--set", "rate_out=50"]
    how = [
        "-m",
        "openai-api/local/x",
        *speed,
        "--max-tokens",
        "8",
        "--concurrency",
        "4",
    ]
    (planned,) = result("plan", bench, *how)["models"]

    def slow(_: object) -> Reply:
        time.sleep(0.3)
        return Reply()

    with ChatServer(slow) as server:
        ran = call(["run", str(bench), *how, "--base-url", server.base_url, "-o", str(tmp_path / "runs"), "-y"])
    assert ran.code == 0, ran.err
    (shown,) = re.findall(r" done, 0 left, .* (\d+)s$", ran.err, re.MULTILINE)
    report = verbs.report(tmp_path / "runs", tmp_path / "page.html")
    table = of(Table, next(figure for figure in report.figures if figure.id == "planned"))
    before, real = (float(str(row[-1])) for row in table.rows)
    assert before == pytest.approx(planned["seconds"])
    ranking = some(report.contents.families[0].ranking)
    assert ranking.lines[0].numbers[-1].value == pytest.approx(real, abs=0.05)
    assert abs(real - float(shown)) <= 0.55, "progress shows whole seconds"
    assert real < 0.8 * sum(one.seconds for one in collect_calls(tmp_path / "runs")), "four at a time"


def test_the_providers_own_temperature_is_a_series_of_its_own(bench: Path, tmp_path: Path) -> None:
    with ChatServer(lambda _: Reply()) as server:
        run = ["run", str(bench), "-m", "openai-api/local/x", "--base-url", server.base_url, "-y"]
        run += ["-o", str(tmp_path / "runs")]
        for temperature in ("default", "0"):
            server.asked.clear()
            assert call([*run, "--temperature", temperature]).code == 0
            assert {asked.body.get("temperature") for asked in server.asked} == {
                None if temperature == "default" else 0
            }
    models = {made.model for made in collect_calls(tmp_path / "runs")}
    assert models == {"openai-api/local/x", "openai-api/local/x [temperature=default]"}
    assert "--temperature" in call([*run, "--temperature", "warm"]).err
