"""What `--json` prints: one object per command, as its reference and schema say, with the numbers of the page."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from docs.reference.write import OUTPUTS, json_schema
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from tests.command_line import call, result
from tests.doubles.chat_server import ChatServer
from tests.doubles.reading_server import Copying

import longreach
from longreach.core.bench import Bench

ROOT = Path(__file__).parents[2]
MODELS = ("declines,at=1k", "silent,rate=0.3", "always,label=absent", "refuser,rate=0.5,beyond=900")


@pytest.fixture(scope="module")
def folder(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of several models, and a week of nights."""
    folder = tmp_path_factory.mktemp("json")
    for model in MODELS:
        longreach.simulate(bench, model, folder / "runs")
    for night in range(1, 6):
        longreach.simulate(bench, "declines,at=1k", folder / "nights" / f"{night}", seed=night, name="m")
    return folder


def _probed() -> Any:
    with ChatServer(Copying()) as server:
        return result("probe", "-m", "openai-api/local/double", "--base-url", server.base_url, "--to", "1200")


@pytest.fixture(scope="module")
def printed(bench: Bench, folder: Path) -> dict[str, Any]:
    """What each command prints."""
    runs, nights = folder / "runs", folder / "nights"
    gate = ("--against", nights, "--require", "needles.literal@1k >= 0.1", "--partial")
    return {
        "report": result("report", runs, "-o", folder / "report", "--format", "html,csv"),
        "grade": result("grade", runs),
        "compare": result("compare", nights / "1", nights / "2", "-o", folder / "compare.html"),
        "gate": json.loads(call(["gate", *map(str, (nights / "5", *gate)), "--json"]).out),
        "history": result("history", *(nights / f"{night}" for night in range(1, 6))),
        "plan": result("plan", bench.folder, "-m", "openai/gpt-5-mini"),
        "probe": _probed(),
        "simulate": result("simulate", bench.folder, "-m", "perfect", "-o", folder / "more"),
    }


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    found = json_schema()
    Draft202012Validator.check_schema(found)
    return found


@pytest.mark.parametrize("command", OUTPUTS)
def test_what_a_command_prints_is_as_its_schema_says(
    command: str, printed: dict[str, Any], schema: dict[str, Any]
) -> None:
    checker = Draft202012Validator({"$ref": f"#/commands/{command}", **schema})
    assert [error.message for error in checker.iter_errors(printed[command])] == []
    names = dict.fromkeys(printed[command])  # without its values: they are checked above, and large
    for name in names:
        rest = {key: None for key in names if key != name}
        assert ("required", f"{name!r} is a required property") in _complaints(checker, rest)
    assert "additionalProperties" in dict(_complaints(checker, names | {"more": None}))


def _complaints(checker: Draft202012Validator, given: dict[str, None]) -> list[tuple[str, str]]:
    """The rules that an object breaks by its names, with what is said of each."""
    return [(error.validator, error.message) for error in checker.iter_errors(given) if not error.path]


def test_every_command_prints_an_object_that_names_its_schema(bench: Bench, tmp_path: Path) -> None:
    for command in (
        ["models"],
        ["families"],
        ["published", "needles"],
        ["show", str(bench.folder)],
        ["check", str(bench.folder)],
        ["simulate", "--list"],
        ["export", str(bench.folder), "--to", "jsonl", "-o", str(tmp_path / "p.jsonl")],
    ):
        found = json.loads(call([*command, "--json"]).out)
        assert found["schema"] == f"longreach/{command[0]}/1"


def _table(folder: Path, name: str) -> list[dict[str, str]]:
    """A table of the page, as its download has it."""
    with (folder / "report" / "charts" / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _ends(estimate: dict[str, float] | None, digits: int = 4) -> list[str]:
    found = [estimate[name] if estimate else "" for name in ("value", "low", "high")]
    return [str(round(value, digits)) if isinstance(value, float) else value for value in found]


def test_the_numbers_of_a_report_are_those_of_the_page(folder: Path, printed: dict[str, Any]) -> None:
    (family,) = printed["report"]["families"]
    summary = {
        (line["model"], line["prompt"], line["question type"]): line for line in _table(folder, "needles-summary")
    }
    curve = _table(folder, "needles-by-length")
    seen = 0
    for model in family["models"]:
        for kind in model["by_prompt"]:
            line = summary.pop((model["model"], kind["prompt"].replace("_", " "), kind["question_type"]))
            for name, own in (("delivered", "accuracy"), ("answered", "answered")):
                assert [line[name], line[f"{name} low"], line[f"{name} high"]] == _ends(kind[own])
            reach = kind["effective_length"]
            assert [float(line[f"effective length{end}"]) for end in ("", " low", " high")] == [
                reach[end] for end in ("length", "length", "high")
            ]
            assert (int(line["asked"]), int(line["scored"])) == (kind["asked"], kind["scored"])
            places = [
                point
                for point in curve
                if (point["model"], point["prompt"], point["question_type"])
                == (model["model"], kind["prompt"], kind["question_type"])
            ]
            for point, at in zip(places, kind["by_length"], strict=True):
                assert float(point["length"]) == at["length"]
                assert [point["delivered"], point["low"], point["high"]] == _ends(at["accuracy"])
                assert [int(point[status]) for status in at["statuses"]] == list(at["statuses"].values())
                assert at["contexts"] == 4  # depths
                seen += 1
    assert not summary
    assert seen == len(curve)


def test_the_ranking_and_the_usage_are_those_of_the_page(folder: Path, printed: dict[str, Any]) -> None:
    report = printed["report"]
    (family,) = report["families"]
    by_name = {model["model"]: model for model in family["models"]}
    for line, entry in zip(_table(folder, "needles-ranking"), family["ranking"], strict=True):
        assert (int(line["place"]), line["model"]) == (entry["place"], entry["model"])
        assert by_name[entry["model"]]["place"] == entry["place"]
        for number in entry["numbers"]:
            name = number["column"].lower()
            assert float(line[name]) == round(number["value"], 6)
            if number["low"] is not None:
                assert float(line[f"{name} low"]) == round(number["low"], 4)
        numbers = {number["column"]: number["value"] for number in entry["numbers"]}
        for column, rate in (("Hallucinates", "hallucination"), ("Over-refuses", "over_refusal")):
            assert by_name[entry["model"]][rate]["value"] == numbers[column]
    assert by_name["simulated/always,label=absent"]["over_refusal"]["value"] == 1
    assert by_name["simulated/silent,rate=0.3"]["over_refusal"]["value"] == 0
    for line in _table(folder, "run-usage"):
        used = report["usage"][line["model"]]
        assert (int(line["requests"]), int(line["tokens in"])) == (used["requests"], used["tokens_in"])
    checks = [(line["check"], line["result"] == "warning") for line in _table(folder, "checks-table")]
    assert sorted(checks) == sorted((check["title"], check["warning"]) for check in report["checks"])
    assert report["page"] in report["files"]
