from __future__ import annotations

import subprocess
import sys

import pytest

from longreach.models import providers
from longreach.models.providers import OFFLINE_ENCODINGS, list_models


def test_everything_that_can_be_named_is_listed() -> None:
    listed = list_models()
    names = {kind: [entry["name"] for entry in entries] for kind, entries in listed.items()}
    assert names["models"][:2] == ["embedded", "gguf:PATH"]
    assert set(OFFLINE_ENCODINGS) <= set(names["tokenizers"])
    assert names["embedders"] == ["wordllama", "openai:MODEL"]
    assert listed["models"][0]["state"] == "ready"


def test_a_provider_is_ready_only_with_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert _states()["openai/NAME"] == "no key set (OPENAI_API_KEY)"
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    assert _states()["openai/NAME"] == "ready"
    assert "not-a-real-key" not in str(list_models())


def test_what_is_not_installed_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "find_spec", lambda _: None)
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    states = _states()
    assert states["wordllama"] == "not installed; run: pip install wordllama"
    assert states["PATH/tokenizer.json"] == "not installed; run: pip install tokenizers"
    assert states["google/NAME"] == "run: pip install google-genai, no key set (GOOGLE_API_KEY or GEMINI_API_KEY)"
    assert list_models()["models"][0]["state"] == "not installed; run: pip install xllamacpp"


def test_listing_loads_nothing_heavy() -> None:
    code = "import sys; from longreach.models.providers import list_models; list_models(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "pydantic", "xllamacpp", "quicktok", "longreach.models.engine", "urllib.request"} & set(loaded)


def _states() -> dict[str, str]:
    return {entry["name"]: entry["state"] for entries in list_models().values() for entry in entries}
