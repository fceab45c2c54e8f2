"""Helping models: real HTTP, nothing sent twice, failures never kept."""

from __future__ import annotations

from pathlib import Path

from tests.doubles.chat_server import Asked, ChatServer
from tests.doubles.chat_server import Reply as Served

from longreach.core.files import Store
from longreach.core.helper_model import Ask, Reply
from longreach.runner.inspect_helper import HelperSettings, InspectHelper


def _writer(server: ChatServer, folder: Path) -> InspectHelper:
    settings = HelperSettings(base_url=server.base_url, arguments={"api_key": "none"}, max_retries=0)
    return InspectHelper("openai-api/local/helper", Store(folder), settings)


def test_replies_come_in_order_and_are_kept(tmp_path: Path) -> None:
    heard: list[tuple[int, Reply]] = []
    with ChatServer(lambda asked: Served(text=asked.prompt.upper())) as server:
        asks = [Ask(prompt=word) for word in ("one", "two", "one", "three")]
        replies = _writer(server, tmp_path).ask(asks, lambda place, reply: heard.append((place, reply)))
        assert [reply.text for reply in replies] == ["ONE", "TWO", "ONE", "THREE"]
        assert sorted(place for place, _ in heard) == [0, 1, 2, 3]
        assert len(server.asked) == 3, "the same ask twice is sent once"
        again = _writer(server, tmp_path).ask(asks)
        assert [reply.text for reply in again] == ["ONE", "TWO", "ONE", "THREE"]
        assert all(reply.from_cache for reply in again)
        assert len(server.asked) == 3, "what is kept is not sent again"
        _writer(server, tmp_path).ask([Ask(prompt="one", attempt=1)])
        assert len(server.asked) == 4, "another attempt is another request"


def test_a_failure_is_said_and_not_kept(tmp_path: Path) -> None:
    def answer(asked: Asked) -> Served:
        return Served(status=400, text="no such thing") if asked.prompt == "bad" else Served(text="fine")

    with ChatServer(answer) as server:
        writer = _writer(server, tmp_path)
        bad, good = writer.ask([Ask(prompt="bad"), Ask(prompt="good")])
        assert (bad.text, good.text, good.error) == ("", "fine", "")
        assert "400" in bad.error
        writer.ask([Ask(prompt="bad"), Ask(prompt="good")])
        assert [asked.prompt for asked in server.asked].count("bad") == 2
        assert [asked.prompt for asked in server.asked].count("good") == 1


def test_the_embedded_model_helps_too(tmp_path: Path) -> None:
    writer = InspectHelper("embedded", Store(tmp_path))
    shape = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}
    plain, shaped = writer.ask(
        [Ask(prompt="Say hello.", max_tokens=8), Ask(prompt="Name a colour as JSON.", shape=shape, max_tokens=40)]
    )
    assert plain.text
    assert plain.tokens_in > 0
    assert shaped.text.lstrip().startswith("{")
    assert '"colour"' in shaped.text
