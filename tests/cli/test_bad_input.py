"""Mistakes of every verb: one line, exit code 2, nothing half written. More are in tests/trust."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import longreach

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
    said = [line for line in done.err.splitlines() if not line.startswith(("warning:", "Usage:", "Try "))]
    assert words in done.err, name
    assert len([line for line in said if line]) == 1, done.err
    left = {path for path in tmp_path.rglob("*") if "r" not in path.relative_to(tmp_path).parts}
    assert left == before, "something was half written"
