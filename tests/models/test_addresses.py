"""Models as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.errors import BadInput
from longreach.models.addresses import is_private, key_missing, read_model, read_models


@pytest.mark.parametrize(
    ("text", "label", "model", "url"),
    [
        ("embedded", "embedded", "embedded", None),
        ("openai/gpt-5-mini", "openai/gpt-5-mini", "openai/gpt-5-mini", None),
        ("fast=openai/gpt-5-mini", "fast", "openai/gpt-5-mini", None),
        ("local=gguf:/m/model.gguf", "local", "gguf:/m/model.gguf", None),
        ("gguf:/m/a=b.gguf", "gguf:/m/a=b.gguf", "gguf:/m/a=b.gguf", None),
        ("qwen@http://10.0.0.7:8000/v1", "qwen", "openai-api/10-0-0-7-8000/qwen", "http://10.0.0.7:8000/v1"),
        ("a=org/qwen@http://h:1/v1", "a", "openai-api/a/org/qwen", "http://h:1/v1"),
        ("vllm/qwen@http://h:1/v1", "vllm/qwen", "vllm/qwen", "http://h:1/v1"),
    ],
)
def test_forms(text: str, label: str, model: str, url: str | None) -> None:
    found = read_model(text, {})
    assert (found.label, found.model, found.base_url) == (label, model, url)


def test_two_servers_of_one_model_are_two_series_and_need_labels() -> None:
    with pytest.raises(BadInput, match="two models are called 'm'; give each a label"):
        read_models(["m@http://h:1/v1", "m@http://h:2/v1"])
    one, other = read_models(["a=m@http://h:1/v1", "b=m@http://h:2/v1"])
    assert one.model != other.model


@pytest.mark.parametrize("text", ["@http://h:1/v1", "m@http://h:99999/v1", "m@http://u:p@h:1/v1", "nothing"])
def test_what_is_no_model_is_named(text: str) -> None:
    with pytest.raises(BadInput):
        read_model(text, {})


def test_a_file_gives_labels_addresses_and_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.yaml").write_text(
        "prod: {model: qwen, url: 'https://llm.example.com/v1', key: PROD_KEY, price: '1,0.1,2'}\n"
    )
    found = read_model("prod")
    assert (found.label, found.model) == ("prod", "openai-api/prod/qwen")
    assert key_missing(found) == "PROD_KEY"
    monkeypatch.setenv("PROD_KEY", "x")
    assert key_missing(found) == ""
    (tmp_path / "models.yaml").write_text("prod: {modle: qwen}\n")
    with pytest.raises(BadInput, match=r"models.yaml: prod: .*model"):
        read_model("prod")


@pytest.mark.parametrize(
    ("url", "private"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://10.1.2.3/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://gpu-box:8000/v1", True),
        ("https://api.example.com/v1", False),
        ("https://8.8.8.8/v1", False),
    ],
)
def test_private_addresses_need_no_key(url: str, private: bool) -> None:
    assert is_private(url) is private
    assert bool(key_missing(read_model(f"m@{url}", {}))) is not private
