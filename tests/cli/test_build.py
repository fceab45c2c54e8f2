"""build, show and check as a user calls them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.command_line import call, longreach, result

from longreach.families import FAMILIES


@pytest.mark.parametrize("family", FAMILIES)
def test_choices_are_shown_as_they_must_be_typed(family: str) -> None:
    text = " ".join(call(["build", family, "--help"]).out.split())
    if family not in ("grounded", "stock"):  # their choices are behind --set
        assert re.search(r"--[a-z-]+ \[[a-z]+(\|[a-z0-9-]+)+\]", text)
    assert "True" not in text
    assert "False" not in text
    if family == "needles":
        ranges = ("--window TOKENS", "--contexts INTEGER", "--preset [paper", "1 to 1000; default: 30")
        for part in (*ranges, "--protocols [depth|distribution],...", "--docs", "--seed", "--set KEY=VALUE"):
            assert part in text, part


def test_a_spec_file_says_everything_and_flags_override(docs: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(f"docs: [{docs}]\nlengths: 1k..2k/500\ndepths: [50]\nprompts: [standard]\n", encoding="utf-8")
    assert result("build", "needles", spec, "-o", tmp_path / "a")["items"] == 3
    assert result("build", "needles", spec, "--depths", "20,80", "-o", tmp_path / "b")["items"] == 6


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
    assert first["id"] in longreach("show", bench).out
    assert whole["questions"][0]["text"] in longreach("show", bench, "--item", first["id"]).out


def test_check_says_yes_and_then_no(bench: Path, tmp_path: Path) -> None:
    assert result("check", bench) == {"schema": "longreach/check/1", "bench": str(bench), "ok": True, "problems": []}
    copy = tmp_path / "copy"
    shutil.copytree(bench, copy)
    text = (copy / "corpus.txt").read_bytes()
    (copy / "corpus.txt").write_bytes(text.replace(b"harbour", b"Harbour", 1))
    problems = result("check", copy, code=1)["problems"]
    assert "corpus.txt has other bytes" in problems
    assert any("sha256" in problem for problem in problems)
    assert "was changed after it was built" in longreach("show", copy, code=2).err


def test_the_same_build_twice_is_the_same_and_another_is_refused(docs: Path, bench: Path) -> None:
    arguments = ("build", "needles", "--docs", docs, "--lengths", "1k,2k,4k", "--depths", "10,50,90", "-o", bench)
    assert result(*arguments, "--seed", 7)["items"] == 18
    assert "already holds another benchmark" in longreach(*arguments, "--seed", 8, code=2).err


def test_build_works_with_defaults(tmp_path: Path) -> None:
    done = call(["build", "needles", "--contexts", "2", "-o", str(tmp_path / "b")])
    assert done.code == 0, done.err
    assert f"{6 * 2 * 30} items" in done.out, "six lengths"


def test_build_fits_a_model(tmp_path: Path) -> None:
    arguments = ["build", "needles", "-m", "openai/gpt-4o", "--depths", "50", "-o", str(tmp_path / "b")]
    done = call(arguments)
    assert done.code == 0, done.err
    spec = json.loads((tmp_path / "b" / "spec.json").read_text(encoding="utf-8"))
    assert (spec["window"], spec["tokenizer"]) == (128_000, "o200k_base")
    assert "gpt-4o" not in json.dumps(spec), "building never sees the model"
    assert f"next: longreach plan {tmp_path / 'b'} -m openai/gpt-4o" in done.err


def test_absolute_default_lengths_shrink_to_the_model(tmp_path: Path) -> None:
    settings = ("--docs", "chronicle:7/en/20k", "--depths", "20,50,80", "--set", "passage_words=100")
    done = call(["build", "grounded", "-m", "openai/gpt-4", *settings, "-o", str(tmp_path / "b")])
    assert done.code == 0, done.err
    spec = json.loads((tmp_path / "b" / "spec.json").read_text(encoding="utf-8"))
    assert (spec["window"], spec["tokenizer"]) == (8192, "cl100k_base")
    assert spec["lengths"][-1] == "100%"


def test_an_unknown_window_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    done = call(["build", "needles", "-m", "openai-api/x/y", "-o", str(tmp_path / "b")])
    assert "the window of model 'openai-api/x/y' is not known; give --window 128k, or --set window=128k" in done.err
