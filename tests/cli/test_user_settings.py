"""Settings that users write: spec files and KEY=VALUE pairs."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import result


def test_a_spec_file_says_everything_and_flags_override(docs: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(f"docs: [{docs}]\nlengths: 1k..2k/500\ndepths: [50]\nprompts: [standard]\n", encoding="utf-8")
    assert result("build", "needles", spec, "-o", tmp_path / "a")["items"] == 3
    assert result("build", "needles", spec, "--depths", "20,80", "-o", tmp_path / "b")["items"] == 6
