"""Models by the names that users write: every kind of provider against a server that speaks its protocol."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.answering import answering
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.doubles.fault_server import Endless

from longreach import api as verbs
from longreach.cli import cli
from longreach.core.bench import Bench
from longreach.core.settings import model_name
from longreach.models.providers import providers
from longreach.runner import provider_calls
from longreach.runner.logs import collect_calls
from longreach.runner.opening import model_label

_USED = {"prompt_tokens": 700, "completion_tokens": 20, "total_tokens": 720}


def _openai(text: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(Reply(text).body())
    return body | {"usage": _USED | {"prompt_tokens_details": {"cached_tokens": 600}}}


def _completion(text: str) -> dict[str, Any]:
    choice = {"index": 0, "text": text, "finish_reason": "stop", "logprobs": None}
    return {"id": "c", "object": "text_completion", "created": 0, "model": "m", "choices": [choice], "usage": _USED}


def _responses(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    usage: dict[str, Any] = {"input_tokens": 700, "output_tokens": 20, "total_tokens": 720}
    usage |= {"input_tokens_details": {"cached_tokens": 600}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "model": "m",
        "status": "completed",
        "output": [message],
        "usage": usage,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _anthropic(text: str) -> dict[str, Any]:
    usage = {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 600}
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": usage,
    }


def _google(text: str) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}
    usage = {
        "promptTokenCount": 700,
        "candidatesTokenCount": 20,
        "totalTokenCount": 720,
        "cachedContentTokenCount": 600,
    }
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}


PROTOCOLS = {
    "chat/completions": _openai,
    "/completions": _completion,
    "/responses": _responses,
    "/messages": _anthropic,
    ":generateContent": _google,
}
_KEY = "none-but-long-enough"
OFFERED: dict[str, tuple[str, dict[str, str], dict[str, Any]]] = {
    "openai": ("openai/gpt-5-mini", {"OPENAI_API_KEY": _KEY}, {}),
    "openai chat": ("openai/gpt-4o", {"OPENAI_API_KEY": _KEY}, {"arguments": {"responses_api": False}}),
    "openai-api": ("openai-api/local/m", {"LOCAL_API_KEY": _KEY}, {}),
    "openai-api-completions": ("openai-api-completions/local/m", {"LOCAL_API_KEY": _KEY}, {}),
    "vllm": ("vllm/org/m", {}, {}),
    "vllm-completions": ("vllm-completions/org/m", {}, {}),
    "sglang": ("sglang/org/m", {}, {}),
    "ollama": ("ollama/m", {}, {}),
    "anthropic": (
        "anthropic/claude-sonnet-4-5",
        {"ANTHROPIC_API_KEY": _KEY},
        {"arguments": {"streaming": False}, "max_tokens": 200},
    ),
    "google": ("google/gemini-2.5-flash", {"GOOGLE_API_KEY": _KEY}, {"arguments": {"streaming": False}}),
    "mistral": ("mistral/mistral-large-latest", {"MISTRAL_API_KEY": _KEY}, {"arguments": {"conversation_api": False}}),
    "groq": ("groq/llama-3.3-70b", {"GROQ_API_KEY": _KEY}, {}),
    "deepseek": ("deepseek/deepseek-chat", {"DEEPSEEK_API_KEY": _KEY}, {}),
    "openrouter": ("openrouter/org/m", {"OPENROUTER_API_KEY": _KEY}, {}),
    "together": ("together/org/m", {"TOGETHER_API_KEY": _KEY}, {}),
    "fireworks": ("fireworks/m", {"FIREWORKS_API_KEY": _KEY}, {}),
    "moonshot": ("moonshot/kimi-k2", {"MOONSHOT_API_KEY": _KEY}, {}),
    "perplexity": ("perplexity/sonar", {"PERPLEXITY_API_KEY": _KEY}, {}),
    "cloudflare": ("cloudflare/m", {"CLOUDFLARE_API_TOKEN": _KEY, "CLOUDFLARE_ACCOUNT_ID": "a"}, {}),
}
ELSEWHERE = {
    "grok": "speaks gRPC",
    "bedrock": "signs its requests for a cloud",
    "azureai": "signs its requests for a cloud",
    "meta": "streams always",
    "hf": "runs torch in this process",
    "llama-cpp-python": "has no wheel",
    "transformer_lens": "runs torch in this process",
    "nnterp": "runs torch in this process",
    "mockllm": "has no server",
    "none": "has no server",
}
"""Providers of the table that no test serves, and why."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Bench:
    settings: dict[str, Any] = {"docs": [str(docs)], "lengths": "600", "depths": "50", "facts": 2}
    return verbs.build("needles", tmp_path_factory.mktemp("providers") / "bench", **settings)


def speaking(bench: Bench, paths: set[str]) -> Any:
    """A server's rule that answers rightly in the protocol of the path it is asked at."""

    def say(asked: Asked) -> Reply:
        protocol = next((name for name in PROTOCOLS if asked.path.partition("?")[0].endswith(name)), None)
        if protocol is None:
            return Reply(f"no such path {asked.path}", status=404)
        paths.add(protocol)
        return Reply(raw=json.dumps(PROTOCOLS[protocol](answering(bench)(asked).text)).encode())

    return say


def address_for(name: str, server: ChatServer) -> str:
    """A server's address as the provider wants it."""
    root = name in ("anthropic", "google", "mistral", "groq")
    return server.base_url.removesuffix("/v1") if root else server.base_url


STREAMING = [name for name, (_, _, settings) in OFFERED.items() if "streaming" in settings.get("arguments", {})]


@pytest.mark.parametrize(
    ("name", "streaming"), [(name, False) for name in OFFERED] + [(name, True) for name in STREAMING]
)
def test_no_provider_reads_without_end(
    name: str, streaming: bool, small: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, keys, settings = OFFERED[name]
    if streaming:
        settings = settings | {"arguments": {"streaming": True}}
    monkeypatch.setattr(provider_calls, "_LONGEST_REPLY", 1_000_000)
    for variable, value in keys.items():
        monkeypatch.setenv(variable, value)
    with ChatServer(lambda _: Endless()) as server:
        address = address_for(name, server)
        result = verbs.run(small, model, tmp_path / "runs", base_url=address, max_retries=0, **settings)
    assert result.failed == len(small.items)
    # Google's client, streaming, has a limit of its own on a line.
    assert "the reply is longer than 1,000,000 bytes" in result.error or "LineTooLong" in result.error


@pytest.mark.parametrize("name", OFFERED)
def test_every_provider_runs(name: str, small: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, keys, settings = OFFERED[name]
    for variable, value in keys.items():
        monkeypatch.setenv(variable, value)
    paths: set[str] = set()
    with ChatServer(speaking(small, paths)) as server:
        address = address_for(name, server)
        result = verbs.run(small, model, tmp_path / "runs", base_url=address, max_retries=0, **settings)
    assert (result.sent, result.failed) == (len(small.items), 0), (result.error, paths)
    assert {row.verdict.value for row in verbs.grade(tmp_path / "runs")} == {1.0}
    calls = collect_calls(tmp_path / "runs")
    assert {(call.tokens_in, call.tokens_out) for call in calls} == {(700, 20)}
    assert {model_name(call.model) for call in calls} == {model}


def test_the_table_of_providers_is_covered() -> None:
    assert set(providers()) - set(OFFERED) == set(ELSEWHERE)


def test_a_server_is_found_by_its_variable_and_never_taken_for_another(
    small: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two vLLM servers with the same model, one after the other, in one process."""
    for number in range(2):
        with ChatServer(speaking(small, set())) as server:
            monkeypatch.setenv("VLLM_BASE_URL", server.base_url)
            command = ["run", str(small.folder), "-m", "vllm/org/m", "-o", str(tmp_path / str(number))]
            done = CliRunner().invoke(cli, command, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        assert len(server.asked) == len(small.items)


def test_labels_are_names_as_written() -> None:
    assert model_label("longreach/embedded") == "embedded"
    assert model_label("openai/gpt-5-mini") == "openai/gpt-5-mini"
