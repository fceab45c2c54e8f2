"""The door in front of the engine: who is let in, and that answers go through it as they are."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from tests.doubles.chat_server import ChatServer, Reply

from longreach.errors import BadInput
from longreach.models.engine import Engine, engine_for
from longreach.models.engine_proxy import Door

pytestmark = pytest.mark.xdist_group("engine")


@pytest.fixture(scope="module")
def door() -> Iterator[Door]:
    """Before the embedded model."""
    with Door(engine_for("embedded"), 0) as door:
        threading.Thread(target=door.serve_forever, daemon=True).start()
        yield door
        door.shutdown()


def ask(
    door: Door, path: str, headers: dict[str, str], body: dict[str, Any] | None = None, method: str = ""
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", door.server_port, timeout=60)
    connection.request(method or ("POST" if body else "GET"), path, json.dumps(body) if body else None, headers)
    reply = connection.getresponse()
    return reply, reply.read()


def with_key(door: Door) -> dict[str, str]:
    return {"Authorization": f"Bearer {door.engine.key}"}


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil:{port}", ""]
)
def test_by_another_name_nothing_is_answered_even_with_the_key(door: Door, host: str) -> None:
    headers = with_key(door) | {"Host": host.format(port=door.server_port)}
    for path in ("/health", "/v1/models"):
        reply, said = ask(door, path, headers)
        assert reply.status == 403
        assert said == b"this server answers to its loopback address only\n"


@pytest.mark.parametrize("key", ["", "Bearer ", "Bearer wrong", "Basic {key}", "Bearer {key}x"])
def test_without_the_key_nothing_but_its_health_is_answered(door: Door, key: str) -> None:
    headers = {"Authorization": key.format(key=door.engine.key)} if key else {}
    for path in ("/v1/models", "/props", "/slots", "/health/../v1/models", "/"):
        reply, said = ask(door, path, headers)
        assert reply.status == 401, path
        assert door.engine.key.encode() not in said
    assert ask(door, "/health", headers)[0].status == 200


def test_an_answer_goes_through_whole_and_as_a_stream(door: Door) -> None:
    body = {"messages": [{"role": "user", "content": "Say yes."}], "max_tokens": 4, "temperature": 0}
    reply, said = ask(door, "/v1/chat/completions", with_key(door) | {"Host": f"localhost:{door.server_port}"}, body)
    text = json.loads(said)["choices"][0]["message"]["content"]
    assert reply.status == 200
    assert not [name for name, _ in reply.getheaders() if name.lower().startswith("access-control")]
    reply, said = ask(door, "/v1/chat/completions", with_key(door), body | {"stream": True})
    assert reply.headers["Content-Type"].startswith("text/event-stream")
    pieces = [json.loads(line[6:]) for line in said.decode().splitlines() if line.startswith("data: {")]
    assert "".join(p["choices"][0]["delta"].get("content") or "" for p in pieces if p["choices"]) == text


def test_no_other_method_and_no_body_without_a_length(door: Door) -> None:
    assert ask(door, "/v1/models", with_key(door), method="OPTIONS")[0].status == 501
    assert ask(door, "/slots/0", with_key(door), method="DELETE")[0].status == 501
    reply, _ = ask(door, "/v1/chat/completions", with_key(door) | {"Content-Length": "9" * 13}, method="POST")
    assert reply.status == 413


def test_a_port_in_use_is_named() -> None:
    with ChatServer(lambda _: Reply()) as taken:
        port = int(taken.base_url.rpartition(":")[2].split("/")[0])
        with pytest.raises(BadInput, match=f"port {port} cannot be used"):
            Door(engine_for("embedded"), port)


def test_where_the_engine_listens_is_not_the_users_to_set() -> None:
    wrong: tuple[dict[str, Any], ...] = ({"port": 80}, {"hostnames": ["0.0.0.0"]})
    for setting in wrong:
        with pytest.raises(BadInput, match="not yours to set"):
            Engine(engine_for("embedded").path, name="embedded", settings=setting)
