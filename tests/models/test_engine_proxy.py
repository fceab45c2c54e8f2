"""The proxy in front of the engine: who is let in, and that answers go through it as they are."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from tests.doubles.chat_server import ChatServer, Reply

from longreach.errors import BadInput
from longreach.models.engine import Engine, EngineProxy, engine_for


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


def test_where_the_engine_listens_is_not_the_users_to_set() -> None:
    wrong: tuple[dict[str, Any], ...] = ({"port": 80}, {"hostnames": ["0.0.0.0"]})
    for setting in wrong:
        with pytest.raises(BadInput, match="cannot be set"):
            Engine(engine_for("embedded").path, name="embedded", settings=setting)
