"""What a model is sent: prompts as recorded, cache marks, sampling settings; nothing shared when asked for none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.families.showing import item_prompt
from longreach.runner.logs import collect_calls

MODEL = "openai-api/local/double"
PAPER = {"temperature": 0.0, "top_p": 1.0, "frequency_penalty": 0.0, "presence_penalty": 0.3}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")


def test_no_sharing_gives_every_request_its_own_beginning(bench: Bench, tmp_path: Path) -> None:
    with ChatServer() as server:
        verbs.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url, sharing=False)
    prompts = [asked.prompt for asked in server.asked]
    assert len({prompt[:40] for prompt in prompts}) == len(prompts)
    texts = {item_prompt(bench, item) for item in bench.items.values()}
    assert {prompt.partition("\n")[2] for prompt in prompts} == texts, "the rest is the prompt as recorded"
    assert not any("x-session-id" in asked.headers for asked in server.asked)


def test_marks_for_a_provider_that_caches_up_to_them(bench: Bench, tmp_path: Path) -> None:
    pytest.importorskip("anthropic")

    def say(_: Asked) -> Reply:
        usage = {
            "input_tokens": 10,
            "output_tokens": 5,
            "cache_read_input_tokens": 80,
            "cache_creation_input_tokens": 9,
        }
        body: dict[str, Any] = {"id": "m", "type": "message", "role": "assistant", "model": "claude-double"}
        body |= {"content": [{"type": "text", "text": "Question 1: no"}], "stop_reason": "end_turn", "usage": usage}
        return Reply(raw=json.dumps(body | {"stop_sequence": None}).encode())

    with ChatServer(say) as server:
        address = server.base_url.removesuffix("/v1")
        model = "anthropic/claude-sonnet-4-5"
        verbs.run(bench, model, tmp_path / "runs", base_url=address, arguments={"streaming": False}, max_tokens=100)
    texts = {item_prompt(bench, item) for item in bench.items.values()}
    for asked in server.asked:
        blocks = asked.body["messages"][-1]["content"]
        assert "".join(block["text"] for block in blocks) in texts
        marked = [block for block in blocks[:-1] if "cache_control" in block]
        assert 1 <= len(marked) <= 4
    call = collect_calls(tmp_path / "runs")[0]
    assert (call.tokens_in, call.tokens_cached) == (99, 80)


def test_the_sampling_of_the_paper_reaches_the_server(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"preset": "paper", "lengths": "4k", "depths": "50", "protocols": "depth", "facts": 2}
    built = verbs.build("needles", tmp_path / "b", **settings)
    with ChatServer() as server:
        how: dict[str, Any] = {"base_url": server.base_url, "preflight": False}
        verbs.run(built, MODEL, tmp_path / "runs", **how)
        verbs.run(built, MODEL, tmp_path / "warm", temperature=0.5, **how)
    sent = [{name: asked.body.get(name) for name in PAPER} for asked in server.asked]
    assert sent[: len(built.items)] == [PAPER] * len(built.items)
    assert sent[len(built.items) :] == [PAPER | {"temperature": 0.5}] * len(built.items), "a flag comes first"
