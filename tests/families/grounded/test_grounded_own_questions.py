"""Questions of one's own in the same grid."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.small import BY_CODE

from longreach.families.base import BuildContext
from longreach.families.building import build_bench, check_bench, make_spec
from longreach.families.grounded.questions import options_of
from longreach.text.documents import load_sources

OPTIONS = ["Oster", "Belmar", "Varn", "Quill", "Halden", "Brask"]


def _lines(texts: list[str]) -> list[dict[str, object]]:
    return [
        {
            "question": f"Which town is number {number}?",
            "answer": OPTIONS[number % 6],
            "options": OPTIONS,
            "passage": text,
        }
        for number, text in enumerate(texts)
    ]


def _file(folder: Path, lines: list[dict[str, object]]) -> Path:
    path = folder / "my.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_own_questions_are_asked_at_every_length(tmp_path: Path) -> None:
    text = "\n\n".join(one.text for one in load_sources(["chronicle:7/en/20k"], warn=pytest.fail))
    parts = [part for part in text.split("\n\n") if len(part) > 200][10:60:12]
    # Line breaks may differ, and one passage is not in the documents.
    path = _file(tmp_path, _lines([*(part.replace(" ", "\n", 3) for part in parts), "No such words."]))
    said: list[str] = []
    spec = make_spec("grounded", {**BY_CODE, "questions_file": str(path)})
    bench = build_bench(spec, tmp_path / "b", BuildContext(warn=said.append))
    assert check_bench(bench.folder) == []
    asked = [question for question in bench.questions.values() if question.question_type == "reading"]
    assert len(asked) == len(parts)
    for question in asked:
        number = int(question.id.rpartition("-q")[2]) - 1
        assert options_of(question.text)[question.key.answer] == OPTIONS[number % 6]
        beginning = " ".join(parts[number].split())[:60]
        assert beginning in " ".join(bench.planted[f"gold-{question.id}"].text.split())
        lengths = {item.cell["length"] for item in bench.items.values() if item.questions == (question.id,)}
        assert lengths == {2000, 4000}
    assert [line for line in said if f"line {len(parts) + 1} ('Which town" in line], "misses are named"
    assert bench.build["filters"]["quality"] == "not checked"
