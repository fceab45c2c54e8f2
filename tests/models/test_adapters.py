"""LoRA adapters of the embedded engine: names, refusals, and the example's own."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path

import pytest

from longreach.errors import BadInput
from longreach.models.engine import engine_for, name_with_adapter
from longreach.models.prices import limits_of
from longreach.models.providers import is_engine, own_tokenizer, without_adapter

ADAPTER = Path(__file__).parents[2] / "examples" / "train" / "smollm2-135m.lora.gguf"


def test_the_adapter_digest_is_part_of_the_name(tmp_path: Path) -> None:
    names = set()
    for content in (b"1", b"2"):
        path = tmp_path / "adapter.gguf"
        path.write_bytes(b"GGUF....adapter.type" + content)
        names.add(name_with_adapter("embedded", {"lora": str(path)}))
    assert len(names) == 2
    for name in names:
        assert name.startswith("embedded+lora-")
        assert is_engine(name)
        assert without_adapter(name) == own_tokenizer(name) == "embedded"
        assert limits_of(name) == limits_of("embedded")
    assert name_with_adapter("embedded", {"n_ctx": 1}) == "embedded"
    assert name_with_adapter("vllm/NAME", {"lora": "x"}) == "vllm/NAME"


@pytest.mark.parametrize(("content", "message"), [(None, "there is no file"), (b"GGUF", "is no GGUF adapter")])
def test_a_file_that_is_no_adapter_is_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "adapter.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInput, match=message):
        name_with_adapter("embedded", {"lora": str(path)})


def test_the_adapter_of_the_example_answers_and_ends_its_reply() -> None:
    engine = engine_for("embedded", {"lora": str(ADAPTER)})
    question = "<story>Anna lives in Riga.</story>\nAnswer with 'Question 1: ...'.\nQuestion 1: When is the party?"
    body = {"messages": [{"role": "user", "content": question}], "max_tokens": 40, "temperature": 0}
    request = urllib.request.Request(
        f"{engine.base_url}/chat/completions",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json", "authorization": f"Bearer {engine.key}"},
    )
    with urllib.request.urlopen(request, timeout=300) as reply:
        (choice,) = json.load(reply)["choices"]
    assert choice["finish_reason"] == "stop"
    assert choice["message"]["content"].startswith("Question 1: ")
    assert "user" not in choice["message"]["content"]
