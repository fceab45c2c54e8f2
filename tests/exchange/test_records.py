"""Results in formats of others: what is in them, what is not, and that they are read back as they were."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.command_line import call
from tests.doubles.chat_server import ChatServer, Reply
from tests.families.stock import released

import longreach
from longreach.core.preflight import Preflight, note_preflight
from longreach.errors import BadInput
from longreach.exchange.records import RECORD_FORMATS, _shown, read_limits, read_results, results_of

SECRET = "sk-verysecretkey1234567890"
TEXT = "The quay of Bremerhaven keeps its ledger in a tin box."


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real runs over HTTP of a stock benchmark and of a user's own documents."""
    folder = tmp_path_factory.mktemp("records")
    row = {"context": TEXT, "question": "What keeps it?", "answer": "the quay", "score": "contains", "length": 1024}
    own = released.jsonl(folder / "private-ledger.jsonl", [row, row | {"length": 2048}])
    longreach.build("stock", folder / "own", benchmark="jsonl", docs=[str(own)])
    graphs = released.graphwalks(folder / "g.parquet", rows=8)
    longreach.build("stock", folder / "graphs", benchmark="graphwalks", docs=[str(graphs)])
    with pytest.MonkeyPatch.context() as patch, ChatServer(lambda _: Reply(f"It is the quay: {TEXT}")) as server:
        patch.setenv("LOCAL_API_KEY", SECRET)
        for bench in ("own", "graphs"):
            model, settings = "openai-api/local//data/step-100", {"seed": 7}
            longreach.run(folder / bench, model, folder / "runs", base_url=server.base_url, generation=settings)
    return folder / "runs"


def results(runs: Path) -> list[Any]:
    from longreach.api.graded_folders import graded_results

    return results_of(*graded_results(runs)[0])


def exported(runs: Path, to: str, out: Path, **settings: Any) -> list[Path]:
    return [Path(file) for file in longreach.export_results(runs, to, out, **settings).files]


def test_results_name_the_benchmark_its_scorer_the_settings_and_the_day(runs: Path) -> None:
    found = results(runs)
    assert {(each.benchmark, each.length) for each in found} >= {("jsonl", None), ("jsonl", 1024), ("graphwalks", None)}
    for each in found:
        assert each.model == "step-100 [seed=7]"
        assert each.settings["seed"] == 7
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", each.date)
    graph = next(each for each in found if each.benchmark == "graphwalks")
    assert (graph.dataset, graph.score) == ("openai/graphwalks", 0)
    assert "be6cc6e" in graph.scorer
    mine = next(each for each in found if each.benchmark == "jsonl")
    assert (mine.dataset, mine.score, mine.questions) == ("", 1, 2)


@pytest.mark.parametrize("to", RECORD_FORMATS)
def test_nothing_private_is_in_an_export(to: str, runs: Path, tmp_path: Path) -> None:
    for path in exported(runs, to, tmp_path / "out"):
        written = path.read_bytes() + str(path.relative_to(tmp_path)).encode()
        names = [] if to in ("csv", "parquet") else ["private-ledger"]  # rows name their item, whose id has it
        for private in (SECRET, TEXT, "Bremerhaven", "127.0.0.1", "localhost", "/data/step", "What keeps", *names):
            assert private.encode() not in written, (private, path)


def test_answers_are_written_where_asked_for(runs: Path, tmp_path: Path) -> None:
    (path,) = exported(runs, "csv", tmp_path / "rows.csv", with_texts=True)
    assert "Bremerhaven" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        ("vllm//data/step-100", "step-100"),
        ("gguf:/home/me/m.gguf [seed=1]", "m.gguf [seed=1]"),
        ("gguf:weights/m.gguf", "m.gguf"),
        ("vllm/./out/checkpoint", "checkpoint"),
        ("vllm/~/models/m", "m"),
        ("m@http://10.0.0.7:8000/v1", "m"),
        ("vllm/org/m", "vllm/org/m"),
        ("openai/gpt-5-mini", "openai/gpt-5-mini"),
        ("ollama/qwen3:8b", "ollama/qwen3:8b"),
    ],
)
def test_a_model_is_named_without_its_path_and_address(model: str, shown: str) -> None:
    assert _shown(model) == shown


# Every Eval Ever, as its schema 0.3.0 has it: required keys, kinds of values, and no others at the top.

TOP = {
    *("schema_version", "evaluation_id", "evaluation_timestamp", "retrieved_timestamp", "source_metadata"),
    *("eval_library", "model_info", "evaluation_results", "detailed_evaluation_results"),
}


def strings(value: Mapping[str, Any]) -> bool:
    return all(isinstance(each, str) for each in value.values())


def test_every_eval_ever_has_what_its_schema_asks_for(runs: Path, tmp_path: Path) -> None:
    files = exported(runs, "every-eval-ever", tmp_path)
    assert len(files) == 2
    for file in files:
        record = json.loads(file.read_text(encoding="utf-8"))
        collection, developer, model, name = file.relative_to(tmp_path / "data").parts
        assert re.fullmatch(r"[0-9a-f-]{36}\.json", name)
        assert all(re.fullmatch(r"[\w.-]+", part) for part in (collection, developer, model))
        assert TOP - {"detailed_evaluation_results"} == set(record)
        assert record["schema_version"] == "0.3.0"
        assert record["source_metadata"]["source_type"] in ("documentation", "evaluation_run")
        relations = ("first_party", "third_party", "collaborative", "other")
        assert record["source_metadata"]["evaluator_relationship"] in relations
        assert record["source_metadata"]["source_organization_name"]
        assert set(record["eval_library"]) == {"name", "version"}
        details = record["model_info"]["additional_details"]
        assert details["deployment_type"] in ("self_deployed", "externally_managed", "unknown")
        assert details["model_availability"] in ("open_weights", "closed_weights", "unknown")
        for each in record["evaluation_results"]:
            assert {"evaluation_name", "source_data", "metric_config", "score_details"} <= set(each)
            assert each["source_data"]["source_type"] in ("hf_dataset", "other")
            assert ("hf_repo" in each["source_data"]) == (each["source_data"]["source_type"] == "hf_dataset")
            metric = each["metric_config"]
            assert (metric["lower_is_better"], metric["score_type"]) == (False, "continuous")
            assert metric["min_score"] == 0 <= each["score_details"]["score"] <= 1 == metric["max_score"]
            assert strings(each["score_details"]["details"])
            spread = each["score_details"]["uncertainty"]
            assert isinstance(spread["num_samples"], int)
            assert spread["confidence_interval"]["confidence_level"] == 0.95
            assert set(each["generation_config"]["generation_args"]) <= {"temperature", "top_p", "top_k", "max_tokens"}
            assert strings(each["generation_config"]["additional_details"])


def test_every_eval_ever_is_read_back_as_it_was(runs: Path, tmp_path: Path) -> None:
    exported(runs, "every-eval-ever", tmp_path)
    found = {each.task: each for each in read_results(tmp_path)}
    assert found == {each.task: each for each in results(runs)}


def test_the_hubs_files_have_its_form_and_are_read_back(runs: Path, tmp_path: Path) -> None:
    files = exported(runs, "hf-results", tmp_path)
    (own,) = (file for file in files if file.parent.name == ".eval_results")
    entries = yaml.safe_load(own.read_text(encoding="utf-8"))
    assert {entry["dataset"]["id"] for entry in entries} == {"openai/graphwalks", "OWNER/DATASET"}
    evals = {file.parent.name: yaml.safe_load(file.read_text()) for file in files if file.name == "eval.yaml"}
    for entry in entries:
        assert set(entry) == {"dataset", "value", "date", "notes"}
        tasks = evals[entry["dataset"]["id"].replace("/", "_")]["tasks"]
        assert entry["dataset"]["task_id"] in {task["id"] for task in tasks}
        assert isinstance(entry["date"], str)
    for about in evals.values():
        assert set(about) == {"name", "description", "evaluation_framework", "tasks"}
    found = {each.task: (round(each.score, 6), each.questions, each.date) for each in read_results(tmp_path)}
    assert found == {each.task: (round(each.score, 6), each.questions, each.date) for each in results(runs)}


@pytest.mark.parametrize("to", ["csv", "parquet"])
def test_tables_are_read_back_as_the_same_accuracies(to: str, runs: Path, tmp_path: Path) -> None:
    exported(runs, to, tmp_path / f"rows.{to}")
    found = {
        (each.bench, each.question_type, each.length): (each.score, each.questions) for each in read_results(tmp_path)
    }
    wanted = {(each.bench, each.question_type, each.length): (each.score, each.questions) for each in results(runs)}
    assert found == wanted


# Limits.


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("limits")
    longreach.build("needles", folder / "b", lengths="1k,2k,4k", sets=4)
    for model in ("perfect", "declines,at=2k"):
        longreach.simulate(folder / "b", model, folder / "runs")
    return folder / "runs"


def test_limits_say_what_the_decisions_say(simulated: Path, tmp_path: Path) -> None:
    (path,) = exported(simulated, "limits", tmp_path / "limits.json")
    found = {each.model: each.limits[0] for each in read_limits(path)}
    perfect, declines = found["simulated/perfect"], found["simulated/declines,at=2k"]
    assert (perfect.verdict, perfect.holds_to, perfect.fails_at, perfect.cut_at) == ("holds", 4000, None, None)
    assert declines.fails_at in (2000, 4000)
    assert declines.verdict == "fails"
    assert perfect.by_length == {1000: "holds", 2000: "holds", 4000: "holds"}
    assert path.stat().st_size < 2000
    assert longreach.limits(source=path) == read_limits(path) == longreach.limits(source=simulated)


def test_a_server_that_cuts_is_in_the_limits(simulated: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(simulated, runs)
    (digest,) = {row.bench for row in longreach.grade(runs)}
    note_preflight(runs, Preflight(model="simulated/perfect", bench=digest, verdict="cut", longest=4000, limit=1500))
    (found,) = longreach.limits("perfect", runs)
    assert found.limits[0].cut_at == 1500
    assert found.limits[0].by_length == {1000: "holds", 2000: "broken", 4000: "broken"}


def test_the_command_prints_limits_of_runs_of_a_file_and_of_the_file_here(
    simulated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = exported(simulated, "limits", tmp_path / "limits.json")
    wanted = "holds to 4k"
    assert wanted in call(["limits", "perfect", str(simulated)]).out
    printed = json.loads(call(["limits", "perfect", str(path), "--json"]).out)
    assert [each["model"] for each in printed["limits"]] == ["simulated/perfect"]
    monkeypatch.chdir(tmp_path)
    assert wanted in call("limits perfect").out
    nobody = call("limits nobody")
    assert (nobody.code, nobody.err.count("\n")) == (2, 1)
    assert "nothing is known about 'nobody'" in nobody.err


def test_the_command_line_writes_and_reads_results(simulated: Path, tmp_path: Path) -> None:
    out = tmp_path / "records"
    assert call(["export", str(simulated), "--to", "every-eval-ever", "-o", str(out)]).code == 0
    printed = call(["import", str(out)]).out
    assert "simulated/perfect  needles-literal-all  100 %" in printed
    listed = json.loads(call(["import", str(out), "--json"]).out)["results"]
    assert len(listed) == printed.count("\n")


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.json", "{"), ("a.json", "[]"), ("a.yaml", "- 1"), ("a.csv", "x,y\n1,2\n"), ("a.parquet", "no")],
)
def test_a_file_that_holds_no_results_gets_one_line(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(BadInput, match=name) as caught:
        read_results(tmp_path)
    assert "\n" not in str(caught.value)
    with pytest.raises(BadInput, match="limits"):
        read_limits(tmp_path / name)
