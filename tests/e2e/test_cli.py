"""The command line as a user meets it: real processes, the embedded model, exit codes, one-line errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.interrupts import heed_interrupts

LONGREACH = Path(sys.executable).with_name("longreach")


def longreach(
    *arguments: object, code: int = 0, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command; the exit code must be as said, and a traceback never shows."""
    command = [str(LONGREACH), *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=600, env={**os.environ, **(environment or {})}, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def result(*arguments: object, **options: Any) -> Any:
    return json.loads(longreach(*arguments, "--json", **options).stdout)


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    for number in range(12):
        lines = [
            f"The harbour office kept a ledger of barge {number} and of ship {line}. Nobody read it in the evening. "
            f"The keeper of ledger {line} walked home along the quay, and rain fell on the roofs."
            for line in range(60)
        ]
        (folder / f"report-{number}.txt").write_text("\n\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def bench(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "bench"
    longreach(
        "build", "needles", "--docs", docs, "--lengths", "1k,2k,4k", "--depths", "10,50,90", "--seed", 7, "-o", out
    )
    return out


def test_help_names_every_verb_and_is_quick_to_import() -> None:
    text = longreach("--help").stdout
    everyday = ("demo", "build", "show", "check", "review", "plan", "run", "grade", "judge-audit", "report")
    for verb in (*everyday, "published", "compare", "gate", "export", "import", "serve", "models", "families"):
        assert f"\n  {verb} " in text
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, longreach.cli; print(' '.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    heavy = {"inspect_ai", "numpy", "pydantic", "openai", "xllamacpp", "quicktok", "jinja2", "yaml"}
    assert not heavy & set(loaded)


def test_build_help_lists_the_specs_settings() -> None:
    text = longreach("build", "needles", "--help").stdout
    for flag in ("--docs", "--lengths", "--depths", "--seed", "--tokenizer", "--window", "--ask", "--facts"):
        assert flag in text


def test_show_lists_items_and_one_whole(bench: Path) -> None:
    items = result("show", bench)["items"]
    assert len(items) == 3 * 3 * 2
    first = items[0]
    assert first["asked"] == {"length": 1000, "depth": 10.0}
    assert first["realised"]["length"] <= 1000
    assert {"start", "end", "token", "text", "id"} <= set(first["evidence"][0])
    assert first["questions"][0]["key"]["answer"]
    whole = result("show", bench, "--item", first["id"])
    assert whole["evidence"][0]["text"] in whole["text"]
    assert whole["questions"][0]["text"] in whole["text"]
    assert first["id"] in longreach("show", bench).stdout
    assert whole["questions"][0]["text"] in longreach("show", bench, "--item", first["id"]).stdout


def test_check_says_yes_and_then_no(bench: Path, tmp_path: Path) -> None:
    import shutil

    assert result("check", bench) == {"bench": str(bench), "ok": True, "problems": []}
    copy = tmp_path / "copy"
    shutil.copytree(bench, copy)
    text = (copy / "corpus.txt").read_bytes()
    (copy / "corpus.txt").write_bytes(text.replace(b"harbour", b"Harbour", 1))
    problems = result("check", copy, code=1)["problems"]
    assert "corpus.txt has other bytes" in problems
    assert any("sha256" in problem for problem in problems)
    assert "was changed after it was built" in longreach("show", copy, code=2).stderr


def test_plan_counts_requests_and_savings(bench: Path) -> None:
    (entry,) = result("plan", bench, "-m", "embedded")["models"]
    assert entry["requests"] == 18
    assert entry["prefill_tokens"] + entry["cached_tokens"] == entry["input_tokens"]
    assert entry["input_tokens"] / entry["prefill_tokens"] > 1.5
    keys = {"model", "requests", "input_tokens", "prefill_tokens", "cached_tokens", "output_tokens", "cost", "seconds"}
    assert keys < set(entry)


def test_the_same_build_twice_is_the_same_and_another_is_refused(docs: Path, bench: Path) -> None:
    arguments = ("build", "needles", "--docs", docs, "--lengths", "1k,2k,4k", "--depths", "10,50,90", "-o", bench)
    assert result(*arguments, "--seed", 7)["items"] == 18
    assert "already holds another benchmark" in longreach(*arguments, "--seed", 8, code=2).stderr


def test_a_spec_file_says_everything_and_flags_override(docs: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(f"docs: [{docs}]\nlengths: 1k..2k/500\ndepths: [50]\nprompts: [standard]\n", encoding="utf-8")
    assert result("build", "needles", spec, "-o", tmp_path / "a")["items"] == 3
    assert result("build", "needles", spec, "--depths", "20,80", "-o", tmp_path / "b")["items"] == 6


@pytest.mark.xdist_group("engine")
def test_the_whole_way_on_the_embedded_model(docs: Path, tmp_path: Path) -> None:
    bench, runs, page = tmp_path / "bench", tmp_path / "runs", tmp_path / "page.html"
    longreach(
        *("build", "needles", "--docs", docs, "--lengths", "200,300", "--depths", "50", "--prompts", "standard"),
        *("--tokenizer", "embedded", "--ask", "each", "--facts", 2, "--questions", 1, "--seed", 7, "-o", bench),
    )
    done = longreach("run", bench, "-m", "embedded", "-o", runs)
    assert "6 of 6 items sent" in done.stdout
    assert "0 left" in done.stderr
    assert result("run", bench, "-m", "embedded", "-o", runs)["runs"][0] == {
        "model": "embedded",
        "asked": 6,
        "had": 6,
        "sent": 0,
        "failed": 0,
        "error": "",
        "faults": {},
    }
    graded = result("grade", runs)
    assert graded["rows"] == 6
    assert sum(line["scored"] for line in graded["scores"]) > 0
    rows = [json.loads(line) for line in (runs / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all(row["tokens_in"] > 0 and row["seconds"] > 0 for row in rows)
    assert any(row["tokens_cached"] > 0 for row in rows)
    reported = result("report", runs, "-o", page)
    assert reported["page"] == str(page)
    assert "embedded" in next(iter(reported["verdicts"].values()))
    assert "<script" in page.read_text(encoding="utf-8")


@pytest.mark.xdist_group("engine")
def test_the_served_model_answers_over_http_and_inspect_runs_the_task(docs: Path, tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    longreach(
        *("build", "needles", "--docs", docs, "--lengths", "200", "--depths", "50", "--prompts", "standard"),
        *("--tokenizer", "embedded", "--ask", "each", "--facts", 2, "--questions", 1, "-o", bench),
    )
    server = subprocess.Popen([str(LONGREACH), "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split(" at ")[1].split()[0]
        key = server.stdout.readline().split()[1]
        keys = {"LOCAL_API_KEY": key, "INSPECT_CACHE_DIR": str(tmp_path / "cache")}
        done = result(
            *("run", bench, "-m", "openai-api/local/embedded", "--base-url", url, "-o", tmp_path / "http", "--yes"),
            environment=keys,
        )
        assert done["runs"][0]["sent"] == 3
    finally:
        server.terminate()
        server.wait()
    inspect = Path(sys.executable).with_name("inspect")
    command = [str(inspect), "eval", "longreach/needles", "--model", "longreach/embedded", "-T", f"bench={bench}"]
    command += ["--log-dir", str(tmp_path / "inspect"), "--display", "plain"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (log,) = (tmp_path / "inspect").glob("*.eval")
    assert log.stat().st_size < 10_000 * 3 + 5_000
    assert result("grade", tmp_path / "inspect")["rows"] == 3


@pytest.mark.long
@pytest.mark.parametrize(("signal_name", "code"), [("SIGKILL", -9), ("SIGINT", 3)])
def test_a_run_cut_short_goes_on_and_sends_again_only_what_was_in_flight(
    signal_name: str, code: int, bench: Path, tmp_path: Path
) -> None:
    keys = {**os.environ, "LOCAL_API_KEY": "none", "INSPECT_CACHE_DIR": str(tmp_path / "cache")}

    def slowly(_: Asked) -> Reply:
        time.sleep(0.2)
        return Reply()

    with ChatServer(slowly) as server:
        command = ["run", str(bench), "-m", "openai-api/local/double", "--base-url", server.base_url, "--yes"]
        command += ["-o", str(tmp_path / "runs")]
        first = subprocess.Popen(
            [LONGREACH, *command, "--concurrency", "2"],
            env=keys,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=heed_interrupts,
        )
        while len(server.asked) < 7 and first.poll() is None:
            time.sleep(0.01)
        first.send_signal(getattr(signal, signal_name))
        said = first.communicate()[1]
        assert first.returncode == code
        assert "Traceback" not in said
        assert code != 3 or "unanswered" in said
        before = len(server.asked)
        assert before < 18
        assert "18" in longreach(*command, environment=keys).stdout
        assert len({asked.sha256 for asked in server.asked}) == 18
        assert len(server.asked) <= 18 + 2
    assert result("grade", tmp_path / "runs")["rows"] == 18 * 30


_BUILD = ["build", "needles", "--lengths", "1k", "-o", "{tmp}/o"]
CASES: list[tuple[str, list[str], str]] = [
    ("missing folder", ["build", "needles", "--docs", "{tmp}/none", "--lengths", "1k", "-o", "{tmp}/o"], "none"),
    ("empty folder", ["build", "needles", "--docs", "{tmp}/empty", "--lengths", "1k", "-o", "{tmp}/o"], "empty"),
    ("binary file", ["build", "needles", "--docs", "{tmp}/binary.txt", "--lengths", "1k", "-o", "{tmp}/o"], "binary"),
    ("no text", ["build", "needles", "--docs", "{tmp}/blank.txt", "--lengths", "1k", "-o", "{tmp}/o"], "blank.txt"),
    ("too short", ["build", "needles", "--docs", "{tmp}/short.txt", "--lengths", "9k", "-o", "{tmp}/o"], "more"),
    ("length 0", ["build", "needles", "--lengths", "0", "-o", "{tmp}/o"], "length"),
    ("length word", ["build", "needles", "--lengths", "long", "-o", "{tmp}/o"], "not a number"),
    ("length tiny", ["build", "needles", "--lengths", "20", "-o", "{tmp}/o"], "planted facts"),
    ("share without window", ["build", "needles", "--lengths", "50%", "-o", "{tmp}/o"], "--window"),
    ("depth 120", ["build", "needles", "--lengths", "1k", "--depths", "120", "-o", "{tmp}/o"], "0 to 100"),
    ("family", ["build", "needels", "-o", "{tmp}/o"], "Did you mean 'needles'?"),
    ("tokenizer", ["build", "needles", "--lengths", "1k", "--tokenizer", "o200k", "-o", "{tmp}/o"], "o200k_base"),
    ("odd facts", ["build", "needles", "--lengths", "1k", "--facts", "3", "-o", "{tmp}/o"], "odd"),
    ("prompt", ["build", "needles", "--lengths", "1k", "--prompts", "strict", "-o", "{tmp}/o"], "unknown prompt"),
    ("spec key", ["build", "needles", "{tmp}/bad.yaml", "-o", "{tmp}/o"], "Did you mean 'lengths'?"),
    ("no spec", ["build", "needles", "{tmp}/none.yaml", "-o", "{tmp}/o"], "none.yaml"),
    ("flag", ["build", "needles", "--lenghts", "1k", "-o", "{tmp}/o"], "--lengths"),
    ("foreign folder", ["build", "needles", "--lengths", "1k", "-o", "{tmp}/full"], "other files"),
    ("no bench", ["show", "{tmp}/none"], "no benchmark folder"),
    ("not a bench", ["show", "{tmp}/full"], "not a benchmark"),
    ("no item", ["show", "{bench}", "--item", "nope"], "no item 'nope'"),
    ("model", ["run", "{bench}", "-m", "gpt", "-o", "{tmp}/r"], "unknown model 'gpt'"),
    ("model argument", ["run", "{bench}", "-m", "embedded", "-M", "n_ctxx=1", "-o", "{tmp}/r"], "n_ctx"),
    ("argument form", ["run", "{bench}", "-m", "embedded", "-M", "n_ctx", "-o", "{tmp}/r"], "KEY=VALUE"),
    ("preset", ["build", "needles", "--preset", "papper", "-o", "{tmp}/o"], "Did you mean 'paper'?"),
    ("distribution", [*_BUILD, "--protocols", "distribution", "--distributions", "norml"], "Did you mean 'normal'?"),
    ("contract alone", [*_BUILD, "--haystack", "contract"], "rewriter"),
    ("crowded comb", [*_BUILD, "--layout", "comb"], "comb"),
    ("book", [*_BUILD, "--docs", "gutenberg:none"], "gutenberg"),
    ("source", [*_BUILD, "--docs", "guttenberg:12"], "Did you mean 'gutenberg:'?"),
    ("price", ["plan", "{bench}", "-m", "openai-api/x/y", "--price", "cheap"], "IN,CACHED,OUT"),
    ("budget", ["run", "{bench}", "-m", "embedded", "--budget", "5eur", "-o", "{tmp}/r"], "5usd or 20Mtok"),
    ("no terminal", ["run", "{bench}", "-m", "openai/gpt-5-mini", "-o", "{tmp}/r"], "--yes"),
    ("no runs", ["grade", "{tmp}/none"], "no folder of runs"),
    ("empty runs", ["report", "{tmp}/empty"], "no finished call"),
]


@pytest.mark.parametrize(("name", "arguments", "words"), CASES, ids=[case[0] for case in CASES])
def test_bad_input_is_one_line_and_exit_code_2(
    name: str, arguments: list[str], words: str, tmp_path: Path, bench: Path
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "blank.txt").write_text(" \n\n ", encoding="utf-8")
    (tmp_path / "short.txt").write_text("A short text. It has two sentences.", encoding="utf-8")
    (tmp_path / "bad.yaml").write_text("lenghts: 1k\n", encoding="utf-8")
    before = {path for path in tmp_path.rglob("*") if path.name != "r"}
    done = longreach(*(part.format(tmp=tmp_path, bench=bench) for part in arguments), code=2)
    said = [line for line in done.stderr.splitlines() if not line.startswith(("warning:", "Usage:", "Try "))]
    assert words in done.stderr, name
    assert len([line for line in said if line]) == 1, done.stderr
    left = {path for path in tmp_path.rglob("*") if "r" not in path.relative_to(tmp_path).parts}
    assert left == before, "something was half written"
