from __future__ import annotations

import pytest

from longreach.models import listing
from longreach.models.listing import list_models
from longreach.models.tokenizers import OFFLINE_ENCODINGS


def test_everything_that_can_be_named_is_listed() -> None:
    listed = list_models()
    names = {kind: [entry["name"] for entry in entries] for kind, entries in listed.items()}
    assert names["models"][:2] == ["embedded", "gguf:PATH"]
    assert set(OFFLINE_ENCODINGS) <= set(names["tokenizers"])
    assert names["embedders"] == ["wordllama", "openai:MODEL"]
    assert listed["models"][0]["about"].endswith("8192 tokens, in this process; ready")


def test_what_is_not_installed_is_said_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "find_spec", lambda _: None)
    listed = list_models()
    about = {entry["name"]: entry["about"] for entries in listed.values() for entry in entries}
    assert "run: pip install 'longreach[embeddings]'" in about["wordllama"]
    assert "run: pip install tokenizers" in about["PATH/tokenizer.json"]
    assert "needs anthropic" in about["anthropic/NAME"]
    assert "engine missing; run: pip install 'longreach[embedded]'" in listed["models"][0]["about"]
