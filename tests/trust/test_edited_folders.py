"""Folders of runs that somebody edited so that results look better: what was edited is named and not believed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.answering import answer, answering
from tests.command_line import call
from tests.doubles.chat_server import ChatServer
from tests.trust.talking import MODEL

from longreach import api as verbs
from longreach.core.bench import Bench, Draft, write_bench

GATE = "--require 'needles.literal >= 0.5'"


@pytest.fixture(scope="module")
def wrong(needles: Bench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of which every answer is wrong. Only copied."""
    runs = tmp_path_factory.mktemp("wrong") / "runs"
    with ChatServer(answering(needles, lambda _: False)) as server:
        verbs.run(needles, MODEL, runs, base_url=server.base_url)
    return runs


@pytest.fixture
def runs(wrong: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(wrong, tmp_path / "runs"))


def copy_of(runs: Path) -> Path:
    return next(path for path in (runs / "benches").iterdir() if path.is_dir())


def easy(question: dict[str, Any], said: dict[str, str]) -> dict[str, Any]:
    """A question whose key is what the model said."""
    return question | {"key": question["key"] | {"answer": said[question["id"]], "accept": []}}


def flattered(folder: Path, bench: Bench) -> list[dict[str, Any]]:
    """Questions with the keys that make every wrong answer right."""
    said = {}
    for item in bench.items.values():
        for line, name in zip(answer(bench, item, right=False).splitlines(), item.questions, strict=True):
            said[name] = line.partition(": ")[2]
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [easy(json.loads(line), said) for line in lines]


def as_lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_edited_keys_are_named_and_nothing_is_graded_by_them(needles: Bench, runs: Path, tmp_path: Path) -> None:
    assert call(f"gate {runs} {GATE}").code == 1
    folder = copy_of(runs)
    (folder / "questions.jsonl").write_text(as_lines(flattered(folder, needles)), encoding="utf-8")
    for command in (
        f"gate {runs} {GATE}",
        f"report {runs} -o {tmp_path / 'page.html'}",
        f"grade {runs}",
        f"compare {runs} {runs}",
        f"history {runs} {runs}",
    ):
        done = call(command)
        assert done.code == 2, command
        assert "was changed after it was built: questions.jsonl has other bytes; run the benchmark again" in done.err


def test_a_whole_other_benchmark_in_its_place_is_named(needles: Bench, runs: Path, tmp_path: Path) -> None:
    """All digests inside it are right: the folder's name and the answers say which benchmark it was."""
    folder = copy_of(runs)
    keys = {record["id"]: record["key"] for record in flattered(folder, needles)}
    questions = [
        each.model_copy(update={"key": type(each.key)(**keys[each.id])}) for each in needles.questions.values()
    ]
    about: dict[str, Any] = {"family": "needles", "family_version": needles.info.family_version, "spec": needles.spec}
    parts: dict[str, Any] = {"prompts": needles.prompts, "planted": needles.planted, "items": needles.items}
    given = {name: tuple(found.values()) for name, found in parts.items()}
    draft = Draft(**about, **given, questions=tuple(questions), build=needles.build)
    other = write_bench(tmp_path / "other", draft, needles.corpus)
    shutil.rmtree(folder)
    other.copy_without_corpus(folder)
    done = call(f"gate {runs} {GATE}")
    assert done.code == 2
    assert f"it is benchmark {other.info.digest[:12]}, not {needles.info.digest[:12]}" in done.err


@pytest.mark.parametrize(
    "name", ["questions.jsonl", "items.jsonl", "planted.jsonl", "spec.json", "prompts/", "bench.json"]
)
def test_any_byte_of_the_copy_counts_and_a_run_repairs_it(needles: Bench, runs: Path, name: str) -> None:
    path = copy_of(runs) / name
    path = sorted(path.iterdir())[0] if path.is_dir() else path
    text = path.read_bytes()
    path.write_bytes(text.replace(b'"digest": "', b'"digest": "0', 1) if name == "bench.json" else text + b"\n")
    assert call(f"gate {runs} --require 'needles.literal >= 0'").code == 2
    with ChatServer(answering(needles)) as server:
        assert verbs.run(needles, MODEL, runs, base_url=server.base_url).sent == 0
    done = call(f"gate {runs} --require 'needles.literal >= 0'")
    assert done.code == 0, done.err


EDITS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "all right": lambda verdict: verdict | {"value": 1.0, "status": "scored"},
    "all faults of the server": lambda verdict: verdict | {"value": None, "status": "error"},
    "all undecided": lambda verdict: verdict | {"certain": False},
}


@pytest.mark.filterwarnings("always:.* other verdict")
@pytest.mark.parametrize("edit", EDITS)
def test_edited_verdicts_are_named_and_graded_again(runs: Path, edit: str, tmp_path: Path) -> None:
    before = call(f"gate {runs} {GATE} --json")
    path = runs / "verdicts.json"
    saved = json.loads(path.read_bytes())
    saved["verdicts"] = {key: [EDITS[edit](one) for one in own] for key, own in saved["verdicts"].items()}
    path.write_text(json.dumps(saved, separators=(",", ":")), encoding="utf-8")
    after = call(f"gate {runs} {GATE} --json")
    assert (after.code, after.out) == (1, before.out)
    assert "other verdicts there than grading gives; all were graded again" in after.err
    assert call(f"report {runs} -o {tmp_path / 'page.html'}").err.count("other verdicts") == 0, "it is ours again"


def test_a_folder_without_edits_from_another_user_is_read_without_a_word(runs: Path, tmp_path: Path) -> None:
    before = call(f"gate {runs} {GATE} --json")
    after = call(f"gate {runs} {GATE} --json", {"LONGREACH_CACHE": str(tmp_path / "another user")})
    assert (after.code, after.out, after.err) == (before.code, before.out, before.err)
