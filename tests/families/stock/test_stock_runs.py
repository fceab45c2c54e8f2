"""The whole path: build, run, grade, report, compare and gate, with the embedded and with simulated models."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.command_line import call
from tests.doubles.chat_server import ChatServer, Reply
from tests.families.stock import released
from tests.present import some

import longreach
from longreach.core.types import Row
from longreach.families import get_family
from longreach.families.base import grade_reply
from longreach.families.parts import Countable, Reportable, part_of
from longreach.families.showing import item_prompt


@pytest.mark.parametrize("name", [pytest.param("mrcr", marks=pytest.mark.long), "graphwalks"])
def test_the_embedded_model_answers(name: str, tmp_path: Path) -> None:
    random, path = Random(5), tmp_path / "rows.parquet"
    row = released.mrcr_row(random, turns=3, words=8) if name == "mrcr" else released.graph_row(random, "bfs", 5)
    released.parquet(path, [row])
    bench = longreach.build("stock", tmp_path / "b", model="embedded", benchmark=name, docs=[str(path)])
    longreach.run(bench, "embedded", tmp_path / "runs", max_tokens=4)
    graded = longreach.grade(tmp_path / "runs")
    assert [row.verdict.status for row in graded if row.verdict.status in ("error", "overflow")] == []
    assert len(graded) == 1
    assert all(row.tokens_in >= row.realised["length"] for row in graded)  # type: ignore[operator]
    made = longreach.report(tmp_path / "runs", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    (digest,) = bench.build["data"]["files"].values()
    assert digest in page
    assert "Official score" in page
    assert "the card of openai/" in page
    assert made.files
    from inspect_ai.log import list_eval_logs, read_eval_log

    (log,) = list_eval_logs(str(tmp_path / "runs" / "logs"))
    about = some(read_eval_log(log, header_only=True).eval.metadata)
    assert about["data"] == bench.build["data"]


@pytest.mark.parametrize("model", ["vllm/org/m", "openai-api/local/m"])
def test_the_beginning_of_the_answer_is_sent_as_such_where_the_server_can_continue_it(
    model: str, tmp_path: Path
) -> None:
    bench = longreach.build("stock", tmp_path / "b", benchmark="ruler", docs=[str(released.ruler(tmp_path / "ruler"))])
    with ChatServer(lambda _: Reply("4711")) as server:
        longreach.run(bench, model, tmp_path / "runs", base_url=server.base_url)
        asked = [each.body for each in server.asked]
    assert asked
    for body in asked:
        said = [(message["role"], message["content"]) for message in body["messages"]]
        if model.startswith("vllm/"):
            (_, text), last = said
            assert last == ("assistant", " The number for lamp is")
            assert body["continue_final_message"] is True
            assert body["add_generation_prompt"] is False
        else:
            ((role, text),) = said
            assert role == "user"
            assert text.endswith(" The number for lamp is")
            assert "continue_final_message" not in body


def test_system_messages_and_settings_go_out_as_in_the_published_runs(tmp_path: Path) -> None:
    files = {"oolong": released.oolong(tmp_path / "test.parquet"), "nolima": released.nolima(tmp_path / "nolima")}
    for name, path in files.items():
        bins: dict[str, Any] = {"bins": "250"} if name == "nolima" else {}
        bench = longreach.build("stock", tmp_path / f"{name}-bench", benchmark=name, docs=[str(path)], limit=2, **bins)
        with ChatServer(lambda _: Reply("Answer: 7")) as server:
            longreach.run(bench, "openai-api/local/m", tmp_path / "runs" / name, base_url=server.base_url)
            asked = [each.body for each in server.asked]
        texts = {item_prompt(bench, item) for item in bench.items.values()}
        for body in asked:
            roles = [message["role"] for message in body["messages"]]
            assert roles == ["system", "user"]
            system, user = (message["content"] for message in body["messages"])
            assert system.startswith("You are a helpful assistant")
            if name == "nolima":
                assert user in texts
                assert (body["temperature"], body["top_p"]) == (0, 1)
                assert body.get("max_completion_tokens", body.get("max_tokens")) == 192
            else:
                assert f"\n\n[system]\n{system}\n\n[user]\n{user}" in texts
        rows = longreach.grade(tmp_path / "runs" / name)
        assert [row.verdict.status for row in rows] == ["scored"] * len(rows)


def test_a_reply_that_repeats_the_prompt_has_its_official_score(tmp_path: Path) -> None:
    bench = longreach.build("stock", tmp_path / "b", benchmark="ruler", docs=[str(released.ruler(tmp_path / "ruler"))])
    item = next(iter(bench.items.values()))
    (verdict,) = grade_reply(get_family("stock"), bench, item, item_prompt(bench, item))
    assert (verdict.status, verdict.value) == ("scored", 0.5)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two simulated models on longbench-like and graphwalks-like files."""
    folder = tmp_path_factory.mktemp("simulated")
    makers = {
        "graphwalks": released.graphwalks(folder / "g.parquet", rows=48),
        "longbench-v2": released.longbench(folder / "data.json", rows=24),
    }
    for name, path in makers.items():
        longreach.build("stock", folder / name, benchmark=name, docs=[str(path)])
        for model in ("perfect", "guesser"):
            longreach.simulate(folder / name, model, folder / "runs")
    return folder


def of(rows: list[Row], model: str, kind: str) -> list[Row]:
    return [row for row in rows if row.model == f"simulated/{model}" and row.question_type == kind]


def test_the_page_gives_the_official_score_with_the_statuses_beside_it(simulated: Path) -> None:
    rows = longreach.grade(simulated / "runs")
    assert all(row.verdict.value == 1 for row in of(rows, "perfect", "graphwalks"))
    wrong = of(rows, "guesser", "graphwalks")
    assert {row.verdict.value for row in wrong} == {0.0}
    figures = {
        figure.id: figure
        for figure in part_of(get_family("stock"), Reportable).figures(rows, _benches(simulated), published=True)
    }
    assert list(figures)[:2] == ["scores", "bins"]
    assert {"longbench-groups", "data", "published-longbench-v2"} <= set(figures)
    longreach.report(simulated / "runs", simulated / "page.html", published=True)
    page = (simulated / "page.html").read_text(encoding="utf-8")
    assert "graphwalks: official score 0 %" in page
    assert "without the document" in page
    for digest in _benches(simulated).values():
        for sha256 in digest.build["data"]["files"].values():
            assert sha256 in page


def _benches(folder: Path) -> dict[str, longreach.Bench]:
    opened = [longreach.open_bench(folder / name) for name in ("graphwalks", "longbench-v2")]
    return {bench.info.digest: bench for bench in opened}


def test_gate_compare_and_search_work_as_for_every_family(simulated: Path) -> None:
    runs = str(simulated / "runs")
    assert call(["gate", runs, "-m", "simulated/perfect", "--require", "stock.graphwalks >= 0.9"]).code == 0
    assert call(["gate", runs, "-m", "simulated/guesser", "--require", "stock.graphwalks >= 0.9"]).code == 1
    compared = call(["compare", runs, runs, "--json"])
    assert compared.code == 0
    planned = call(["plan", str(simulated / "graphwalks"), "-m", "openai/gpt-4o", "--search", "--json"])
    assert json.loads(planned.out)


def test_chance_is_that_of_the_choices(simulated: Path) -> None:
    family = part_of(get_family("stock"), Countable)
    for bench in _benches(simulated).values():
        wanted = 0.25 if bench.spec["benchmark"] == "longbench-v2" else 0.0
        assert family.chance(bench, bench.spec["benchmark"]) == wanted


def test_published_results_are_printed_by_benchmark() -> None:
    assert "GPT-4o " in call("published nolima").out
    assert "commit" in call("published ruler").out
    assert "50.1 %" in call("published longbench-v2").out
    found = call("published mrcr")
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert "no published figures of 'mrcr'" in found.err
