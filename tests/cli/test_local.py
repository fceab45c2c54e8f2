"""Commands that need no key and no network."""

from __future__ import annotations

import pytest
from tests.command_line import longreach, result

from longreach.families import FAMILIES


def test_families_are_listed_with_what_they_measure() -> None:
    listed = longreach("families").out
    for name, about in FAMILIES.items():
        assert name in listed
        assert about.split(".")[0] in listed


def test_models_tell_ready_from_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    states = {entry["name"]: entry["state"] for entry in result("models")["models"]}
    assert states["embedded"] == "ready"
    assert states["openai/NAME"] == "no key set (OPENAI_API_KEY)"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    states = {entry["name"]: entry["state"] for entry in result("models")["models"]}
    assert states["openai/NAME"] == "ready"
