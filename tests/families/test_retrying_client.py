"""Asking helping models over real HTTP: what cannot be used is asked for again, and nothing shares a kept reply."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply

from longreach.core.files import Store
from longreach.core.helper_model import Ask, Refused
from longreach.errors import ModelCallFailed
from longreach.families.helper_model import RetryingClient
from longreach.grading.reading.structured import read_json, shape
from longreach.runner.writer import ModelWriter, WriterSettings


def _client(server: ChatServer, folder: Path, *, language: str = "en", tries: int = 3) -> RetryingClient:
    settings = WriterSettings(base_url=server.base_url, arguments={"api_key": "none"}, max_retries=0)
    return RetryingClient(ModelWriter("openai-api/local/helper", Store(folder), settings), "helper", language, tries)


def _number(said: str) -> int | Refused:
    if said == "cannot":
        return Refused(why="it cannot be done", declined=True)
    return int(said) if said.isdigit() else Refused(why=f"'{said}' is no number")


def _sent(asked: Asked) -> dict[str, Any]:
    room = asked.body.get("max_tokens") or asked.body.get("max_completion_tokens")
    return {"temperature": asked.body.get("temperature"), "seed": asked.body.get("seed"), "room": room}


def test_what_cannot_be_used_is_asked_for_again_with_a_word_on_why(tmp_path: Path) -> None:
    def say(asked: Asked) -> Reply:
        if asked.prompt.startswith("good"):
            return Reply(text="1")
        return Reply(text="2" if "'dunno' is no number" in asked.prompt else "dunno")

    with ChatServer(say) as server:
        client = _client(server, tmp_path)
        asks = [Ask(prompt="good", max_tokens=10), Ask(prompt="bad", max_tokens=10, attempt=2)]
        assert client.ask(asks, [_number, _number]) == [1, 2]
        assert (client.usage.requests, client.usage.again) == (3, 1)
        assert client.usage.tokens_out > 0
        first, again = (asked for asked in server.asked if asked.prompt.startswith("bad"))
        assert first.prompt == "bad"
        note = "Your last reply could not be used: 'dunno' is no number. Reply again, in exactly the form asked"
        assert again.prompt.startswith(f"bad\n\n{note}")
        assert _sent(first) == {"temperature": 0.0, "seed": 200, "room": 10}
        assert _sent(again) == {"temperature": 0.7, "seed": 201, "room": 10}


def test_no_repetition_is_another_attempt(tmp_path: Path) -> None:
    """The third round of a first attempt and the second of a second one have the same words."""
    with ChatServer(lambda _: Reply(text="dunno")) as server:
        client = _client(server, tmp_path)
        client.ask([Ask(prompt="p", attempt=attempt) for attempt in range(2)], [_number] * 2)
        assert len(server.asked) == client.usage.requests == 6
        kept = _client(server, tmp_path)
        kept.ask([Ask(prompt="p", attempt=attempt) for attempt in range(2)], [_number] * 2)
        assert len(server.asked) == 6, "and all of it is cached"
        assert kept.usage == client.usage


def test_it_ends_after_so_many_tries(tmp_path: Path) -> None:
    with ChatServer(lambda _: Reply(text="dunno")) as server:
        (found,) = _client(server, tmp_path, tries=4).ask([Ask(prompt="p")], [_number])
        assert found == Refused(why="'dunno' is no number")
        assert len(server.asked) == 4
        assert _client(server, tmp_path).ask([], []) == []


def test_one_that_declines_is_not_asked_again(tmp_path: Path) -> None:
    with ChatServer(lambda _: Reply(text="cannot")) as server:
        client = _client(server, tmp_path)
        (found,) = client.ask([Ask(prompt="p")], [_number])
        assert isinstance(found, Refused)
        assert found.declined
        assert (len(server.asked), client.usage.again) == (1, 0)


def test_a_reply_that_was_cut_off_gets_twice_the_room_and_an_empty_one_does_not(tmp_path: Path) -> None:
    # A blank reply is sent for once more by the client itself, before anything reads it.
    said = iter([Reply(text="12", finish="length"), Reply(text=" "), Reply(text=" "), Reply(text="12")])
    with ChatServer(lambda _: next(said)) as server:
        assert _client(server, tmp_path).ask([Ask(prompt="p", max_tokens=50, temperature=0.9)], [_number]) == [12]
        assert [_sent(asked)["room"] for asked in server.asked] == [50, 100, 100, 100]
        assert [_sent(asked)["temperature"] for asked in server.asked] == [0.9, 0.9, 0.9, 0.9]
        assert "it was cut off before its end" in server.asked[1].prompt
        assert server.asked[2].prompt == server.asked[1].prompt
        assert "it was empty" in server.asked[3].prompt
        assert "cut off" not in server.asked[3].prompt, "only the last fault is named"


def test_in_chinese(tmp_path: Path) -> None:
    said = iter([Reply(text="不"), Reply(text="3")])
    with ChatServer(lambda _: next(said)) as server:
        assert _client(server, tmp_path, language="zh").ask([Ask(prompt="问")], [_number]) == [3]
        assert "上一次的回答不能用：'不' is no number。" in server.asked[1].prompt


def test_a_request_that_fails_says_who_and_what_to_do(tmp_path: Path) -> None:
    with (
        ChatServer(lambda _: Reply(status=400, text="no credit")) as server,
        pytest.raises(
            ModelCallFailed, match=r"helper 'openai-api/local/helper': .*run the same command again to resume"
        ),
    ):
        _client(server, tmp_path).ask([Ask(prompt="p")], [_number])


@pytest.mark.parametrize("text", ['{"a": 1}', ' {"a": 1}\n', '```json\n{"a": 1}\n```', '```\n{"a": 1}```'])
def test_one_json_object(text: str) -> None:
    assert read_json(text) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("[1]", "not an object"),
        ("3", "not an object"),
        ('Sure: {"a": 1}', "not one JSON object"),
        ('{"a": 1} {"b": 2}', "not one JSON object"),
        ('{"a": ', "not one JSON object"),
        ("[" * 100_000, "not one JSON object"),
    ],
)
def test_anything_else_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_json(text)


def test_a_shape_names_every_property_and_allows_no_other() -> None:
    assert shape(a="string", b={"type": "array"}) == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "array"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }
