"""`longreach paper`: what it says before anything is sent, several models, what --scale shrinks, one budget."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import call
from tests.doubles.chat_server import ChatServer, Reply
from tests.present import of

from longreach import api as verbs
from longreach.core.figure import Table
from longreach.core.types import Estimate
from longreach.errors import BadInput
from longreach.exchange.published import PaperRecord
from longreach.families.building import make_spec, paper_settings
from longreach.paper_runs import PaperSettings


def settings_of(family: str, model: str, scale: float, **changed: Any) -> dict[str, Any]:
    return paper_settings(family, model, scale, changed, lambda _: None)[0]


def test_a_paper_in_one_command_which_resumes(tmp_path: Path) -> None:
    out = tmp_path / "paper"
    small = ["--set", "tasks=sort", "--set", "sort_sizes=2", "--set", "sort_samples=1", "--set", "digits_size=2"]
    with ChatServer(lambda _: Reply(text="[1, 2]")) as server:
        reach = ["-m", "openai-api/local/x", "--base-url", server.base_url, "-y"]
        command = ["paper", "verbatim", *reach, "--scale", "0.02", *small, "-o", str(out)]
        done = call(command)
        assert done.code == 0, done.err
        asked = len(server.asked)
        assert asked == verbs.open_bench(out / "bench").info.items
        again = call(command)
        assert (again.code, len(server.asked)) == (0, asked), "nothing is asked twice"
        larger = call([part.replace("sort_sizes=2", "sort_sizes=3") for part in command])
        assert (larger.code, len(server.asked)) == (2, asked)
        assert "bench has another sort_sizes" in larger.err
    page = (out / "page.html").read_text(encoding="utf-8")
    assert "gemini-1.5-pro" in page, "published results"
    assert "openai-api/local/x" in page
    assert verbs.open_bench(out / "bench").spec["digits"] == [3, 4, 5, 6, 7, 8, 9], "as in the preset"


@pytest.mark.parametrize("family", ["needles", "grounded", "verbatim", "novel"])
def test_the_scale_of_a_paper_multiplies_lengths_and_sizes(family: str) -> None:
    half, whole = (
        make_spec(family, settings_of(family, "openai/gpt-5-mini", scale)).model_dump(mode="json") for scale in (0.5, 1)
    )
    changed = {
        "needles": ("window", 136_000),
        "grounded": ("lengths", [str(4000 * n) for n in range(1, 17)]),
        "verbatim": ("sort_sizes", [50, 250, 500, 750, 1000]),
        "novel": ("sizes", ["S", "8000", "16000", "32000", "50000"]),
    }
    name, value = changed[family]
    assert half[name] == value
    assert whole[name] != value
    if family == "needles":
        assert settings_of(family, "local/x", 0.1, window="128k")["window"] == 12_800
    kept = {"depths", "prompts", "orders", "methods", "facts", "options", "summary_block"} & set(half)
    assert kept
    assert all(half[each] == whole[each] for each in kept)


@pytest.mark.parametrize("scale", [0.1, 0.02])
def test_a_small_scale_keeps_a_name_for_each_category(scale: float) -> None:
    settings = settings_of("verbatim", "embedded", scale)
    sizes = settings["group_sizes"]
    assert sizes == sorted(set(sizes))
    assert sizes[0] == 14
    assert sizes[-1] == max(14, round(1000 * scale))


def test_minima_are_named() -> None:
    settings, scaled = paper_settings("grounded", "embedded", 1 / 50, {"builder": "extractive"}, lambda _: None)
    assert settings["passage_words"] == 40
    assert "passage_words 600 to 40 (at least 40)" in [each.line() for each in scaled]
    settings, scaled = paper_settings("needles", "openai/gpt-5-mini", 1 / 100, {}, lambda _: None)
    assert (settings["window"], scaled[0].least) == (4000, 4000)


def test_a_scale_is_a_share() -> None:
    assert [PaperSettings(scale=text).share for text in ("1/10", "0.1", "1")] == [0.1, 0.1, 1.0]
    for wrong in ("0", "2", "1/0", "ten"):
        with pytest.raises(BadInput, match="1/10"):
            PaperSettings.parse({"scale": wrong}, "paper")


def _numbers(prompt: str) -> str:
    """The numbers of a list in ascending order: right for a third of what is asked."""
    inside = re.search(r"<[a-z]+>\n(.*?)\n</", prompt, re.DOTALL)
    return ", ".join(map(str, sorted(map(int, re.findall(r"\d+", inside[1] if inside else "1")))))


SMALL = ("tasks=sort", "sort_sizes=4,40", "sort_samples=3", "digits=", "digits_size=2")


def test_several_models_with_what_differs_first_and_cells_beside_the_published(tmp_path: Path) -> None:
    out = tmp_path / "paper"
    settings = [part for pair in SMALL for part in ("--set", pair)]
    with ChatServer(lambda asked: Reply(text=_numbers(asked.prompt))) as server:
        models = ["-m", f"first=x@{server.base_url}", "-m", f"second=y@{server.base_url}"]
        run = ["paper", "verbatim", *models, "--scale", "1/50", *settings, "-o", str(out), "-y"]
        done = call([*run, "--temperature", "0.5"])
        assert done.code == 0, done.err
        assert {asked.body.get("temperature") for asked in server.asked} == {0.5}
    head, *rest = done.out.splitlines()
    assert head.startswith("differs from the paper in: models, size, ")
    assert rest[0].startswith("  models: first, second; the paper has o1, o3-mini")
    assert "repeats VerbatimEval" in done.err.splitlines()[0]
    assert re.search(r"^in full +\d+ .*\nat 1/50 +36 ", done.err, re.MULTILINE)
    assert "claims of the paper: " in done.out
    record = PaperRecord.of(out / "runs")
    assert record is not None
    assert record.scale == 0.02
    report = verbs.report(out / "runs", tmp_path / "page.html")
    (section,) = [each for each in report.sections if each.id == "paper"]
    name = "paper-similarity-task-control-digits-order-n"
    cells = of(Table, next(figure for figure in section.figures if figure.id == name))
    first, second, *published = cells.rows[0][5:]
    assert (of(Estimate, first).value, of(Estimate, second).value) == (1.0, 1.0)
    assert len(published) == 6
    assert published[0] == 0.8454, "o1 at 2,000 numbers, of which 1/50 is 40"
    assert report.opening[0] == head


def test_one_budget_is_for_helpers_and_run() -> None:
    from longreach.runner.budget import Budget

    assert Budget.read(Budget.read("5usd").less(1.5)).usd == 3.5
    assert Budget.read(Budget.read("2Mtok").less(500_000.2)).tokens == 1_499_999
