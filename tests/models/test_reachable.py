"""Whether models can be asked is found for all of them at once."""

from __future__ import annotations

import json

import pytest
from tests.doubles.chat_server import ChatServer, Reply

from longreach.errors import BadInput
from longreach.models.addresses import read_models
from longreach.models.reachable import check_reachable


def _listing(*names: str, owner: str = "vllm") -> dict[str, bytes]:
    return {"/v1/models": json.dumps({"data": [{"id": name, "owned_by": owner} for name in names]}).encode()}


def _say(_: object) -> Reply:
    return Reply("nothing")


@pytest.mark.parametrize(
    ("pages", "name", "says"),
    [
        (_listing("qwen3-8b", "other"), "qwen3-8b", ""),
        (_listing("qwen3-8b:latest"), "qwen3-8b", ""),
        (_listing("model.gguf", owner="llamacpp"), "anything", ""),
        ({}, "anything", ""),
        ({"/v1/models": b"not JSON"}, "anything", ""),
        (_listing("qwen3-8b", "other"), "qwen-8b", "but qwen3-8b, other. Did you mean 'qwen3-8b'?"),
        (_listing("org/model"), "org/model", ""),
    ],
)  # fmt: skip
def test_an_unknown_model_is_named(pages: dict[str, bytes], name: str, says: str) -> None:
    with ChatServer(_say, pages=pages) as server:
        addresses = read_models([f"{name}@{server.base_url}"])
        if not says:
            check_reachable(addresses)
            return
        with pytest.raises(BadInput) as caught:
            check_reachable(addresses)
    assert says in str(caught.value)


def test_all_faults_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with ChatServer(_say, pages=_listing("known")) as server:
        models = ["openai/gpt-5-mini", "dead=m@http://127.0.0.1:9/v1", f"odd=unknown@{server.base_url}"]
        with pytest.raises(BadInput) as caught:
            check_reachable(read_models(models))
    for part in ("no key in OPENAI_API_KEY", "dead: http://127.0.0.1:9/v1 does not answer", "odd:", "nothing was sent"):
        assert part in str(caught.value)
