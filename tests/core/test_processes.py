"""Several processes give what one gives."""

from __future__ import annotations

import os

import pytest

from longreach.core.processes import process_map


def test_results_come_in_order_from_several_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGREACH_THREADS", "2")
    assert list(process_map(int, [str(number) for number in range(20)])) == list(range(20))
    assert list(process_map(os.getenv, ["LONGREACH_THREADS"] * 2)) == ["1", "1"], "workers do not start workers"
    with pytest.raises(ValueError, match="'x'"):
        list(process_map(int, ["1", "x", "2"]))
    monkeypatch.setenv("LONGREACH_THREADS", "1")
    monkeypatch.setattr("subprocess.Popen", None)
    assert list(process_map(int, ["1", "2"])) == [1, 2], "one core needs no other process"
