"""import as a user calls it; compare, gate, export and simulate have their tests beside what they call."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command_line import call


def test_import_suggests_the_report(bench: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    shown = json.loads(call(["show", str(bench), "--json"]).out)
    lines = [json.dumps({"id": item["id"], "text": "1. No idea"}) for item in shown["items"]]
    answers.write_text("\n".join(lines), encoding="utf-8")
    done = call(["import", str(bench), str(answers), "-m", "x", "-o", str(tmp_path / "r")])
    assert done.code == 0, done.err
    assert f"next: longreach report {tmp_path / 'r'} -o page.html" in done.err
