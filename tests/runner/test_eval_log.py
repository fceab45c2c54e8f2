"""Logs and tasks as Inspect's own tools see them: a tidy frame, grouped metrics, a scorer that can be loaded."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.answering import answering as answers
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.present import some

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.core.types import Call

MODEL = "openai-api/local/double"
PLANTED = "content_filter"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Bench:
    settings: dict[str, Any] = {"docs": [str(docs)], "lengths": "600,900", "depths": "20,80", "facts": 2}
    folder = tmp_path_factory.mktemp("home") / "bench"
    return verbs.build("needles", folder, **settings, sampling={"temperature": 0.25, "top_p": 0.5})


def answering(bench: Bench) -> Callable[[Asked], Reply]:
    """Right at the shorter length, wrong at the longer; the first item is filtered."""
    first = next(iter(bench.items.values()))
    say = answers(bench, lambda item: item.cell["length"] == 600, cached=40)
    return lambda asked: replace(say(asked), finish=PLANTED if asked.sha256 == first.sha256 else "stop")


def test_a_log_is_a_tidy_frame(small: Bench, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    from inspect_ai.analysis import samples_df
    from inspect_ai.log import list_eval_logs, read_eval_log

    runs = tmp_path / "runs"
    with ChatServer(answering(small)) as server:
        verbs.run(small, MODEL, runs, base_url=server.base_url)
    (log,) = list_eval_logs(str(runs))
    frame = samples_df([log])
    assert len(frame) == len(small.items)
    for item in small.items.values():
        (row,) = [row for row in frame.to_dict("records") if row["id"] == item.id]
        assert row["metadata_length"] == item.cell["length"]
        assert row["metadata_depth"] == item.cell["depth"]
        assert row["metadata_realised_depth"] == pytest.approx(float(item.realised["depth"]))
        assert row["metadata_context"] == item.context.sha256[:12]
        assert row["metadata_question_type"]
        assert small.questions[item.questions[0]].key.answer in row["target"]
        filtered = item is next(iter(small.items.values()))
        expected = math.nan if filtered else float(item.cell["length"] == 600)
        score = row["score_answer_key"]  # a NaN may come back as None
        assert (math.nan if score is None else float(score)) == pytest.approx(expected, nan_ok=True)

    read = read_eval_log(log)
    assert (read.status, read.eval.metadata or {})[0] == "success"
    values = {name: metric.value for score in some(read.results).scores for name, metric in score.metrics.items()}
    assert values["length 600"] == 1.0
    assert values["length 900"] == 0.0
    assert {"mean", "length 600 lower", "length 900 upper"} <= set(values)
    assert any(name.startswith("question_type ") for name in values)
    faults = [sample for sample in read.samples or [] if (sample.scores or {})["answer_key"].reason == "refused"]
    assert len(faults) == 1
    score = (faults[0].scores or {})["answer_key"]
    assert "the provider filtered the answer" in (score.explanation or "")
    good = next(sample for sample in read.samples or [] if (sample.scores or {})["answer_key"].value == 1.0)
    assert (good.scores or {})["answer_key"].answer
    assert read.eval.viewer is not None


def test_no_verb_but_run_loads_inspect(small: Bench, tmp_path: Path) -> None:
    with ChatServer(answering(small)) as server:
        verbs.run(small, MODEL, tmp_path / "runs", base_url=server.base_url)
    program = (
        "import sys; from longreach import api\n"
        f"api.plan({str(small.folder)!r}, [{MODEL!r}], runs={str(tmp_path / 'runs')!r})\n"
        f"api.grade({str(tmp_path / 'runs')!r}); api.report({str(tmp_path / 'runs')!r}, {str(tmp_path / 'p.html')!r})\n"
        f"api.gate({str(tmp_path / 'runs')!r}, against={str(tmp_path / 'runs')!r})\n"
        "print('inspect_ai' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "False"


@pytest.mark.long
def test_a_run_works_from_a_folder_of_any_name(small: Bench, tmp_path: Path) -> None:
    """Inspect makes the names in its registry from where packages are installed."""
    import longreach

    packages = tmp_path / "packages"
    packages.mkdir()
    homes = [Path(longreach.__file__).parent.parent, *(Path(home) for home in sys.path if "site-packages" in home)]
    for one in (one for home in homes for one in home.iterdir() if one.suffix != ".pth"):
        if not (packages / one.name).exists():
            (packages / one.name).symlink_to(one)
    environment = {**os.environ, "PYTHONPATH": str(packages), "LOCAL_API_KEY": "k"}
    with ChatServer(answering(small)) as server:
        how = ["run", str(small.folder), "-m", MODEL, "-o", str(tmp_path / "runs"), "--base-url", server.base_url, "-y"]
        asked = [sys.executable, "-S", "-m", "longreach", *how]
        done = subprocess.run(asked, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, f"{MODEL}: 8 of 8 items sent" in done.stdout) == (0, True), done.stderr
    assert list((tmp_path / "runs" / "logs").glob("*.eval"))


def test_grade_and_report_work_while_a_run_goes_on(small: Bench, tmp_path: Path) -> None:
    import threading

    runs = tmp_path / "runs"
    half, go_on = threading.Event(), threading.Event()
    say = answering(small)
    seen: list[str] = []

    def waiting(asked: Asked) -> Reply:
        seen.append(asked.sha256)
        if len(seen) > len(small.items) // 2:
            half.set()
            go_on.wait(60)
        return say(asked)

    with ChatServer(waiting) as server:
        settings: dict[str, Any] = {"base_url": server.base_url, "concurrency": 1}
        running = threading.Thread(target=lambda: verbs.run(small, MODEL, runs, **settings))
        running.start()
        assert half.wait(120)
        graded = {row.item for row in verbs.grade(runs)}
        assert len(graded) == len(small.items) // 2
        verbs.report(runs, tmp_path / "page.html")
        assert (tmp_path / "page.html").is_file()
        go_on.set()
        running.join(120)
    assert {row.item for row in verbs.grade(runs)} == set(small.items)


def test_a_run_in_progress_has_a_log_that_grows(small: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspect_ai.log import list_eval_logs, read_eval_log

    from longreach.runner import eval_log

    monkeypatch.setattr(eval_log, "_EVERY", 0.0)
    monkeypatch.setattr(eval_log, "_SAMPLE", 0.0)
    monkeypatch.setattr(eval_log, "_SHARE", math.inf)
    update = eval_log.LiveLog.update

    def update_and_wait(live: eval_log.LiveLog, calls: Collection[Call]) -> None:
        update(live, calls)
        live.close()

    monkeypatch.setattr(eval_log.LiveLog, "update", update_and_wait)
    runs = tmp_path / "runs"
    seen: list[tuple[str, int]] = []

    def look(*_: object) -> None:
        for log in (runs / "logs").glob("*.eval"):
            with log.open("rb") as opened, zipfile.ZipFile(opened) as parts:  # opened once: it is replaced meanwhile
                status = json.loads(parts.read("header.json"))["status"]
                seen.append((status, sum(name.startswith("samples/") for name in parts.namelist())))

    with ChatServer(answering(small)) as server:
        verbs.run(small, MODEL, runs, base_url=server.base_url, concurrency=1, progress=look)
    assert {status for status, _ in seen} == {"started"}
    assert len({count for _, count in seen}) > 1, "the log was written again as answers came in"
    (log,) = list_eval_logs(str(runs))
    assert (read_eval_log(log).status, len(read_eval_log(log).samples or [])) == ("success", len(small.items))
