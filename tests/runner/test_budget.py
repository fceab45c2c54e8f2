"""Budgets over real HTTP: never overspent, nothing lost, more money goes on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.core.formatting import format_tokens
from longreach.errors import BadInput, Stopped
from longreach.families import get_family
from longreach.families.base import output_cap
from longreach.runner.budget import Budget
from longreach.runner.logs import collect_calls

MODEL = "openai-api/local/double"


@pytest.mark.parametrize(
    ("text", "usd", "tokens"),
    [
        ("5usd", 5.0, None),
        ("$2.50", 2.5, None),
        ("0.5 USD", 0.5, None),
        ("20Mtok", None, 20_000_000),
        ("500k tokens", None, 500_000),
        ("7tok", None, 7),
    ],
)
def test_money_or_tokens(text: str, usd: float | None, tokens: int | None) -> None:
    assert Budget.read(text) == Budget(usd=usd, tokens=tokens)


@pytest.mark.parametrize("text", ["", "5", "5eur", "tok", "-5usd", "1.5tok"])
def test_anything_else_is_no_budget(text: str) -> None:
    with pytest.raises(BadInput, match=f"^budget '{text}'"):
        Budget.read(text)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_budget_stops_in_time_and_more_goes_on(bench: Bench, tmp_path: Path, concurrency: int) -> None:
    # Each call is feared to take its prompt and answer in full, but takes only what the server says.
    largest = max(item.tokens for item in bench.items.values())
    most, used = largest + 1000, largest // 2 + 5
    settings: dict[str, Any] = {"max_retries": 0, "concurrency": concurrency, "max_tokens": 1000}
    with ChatServer(lambda _: Reply(prompt_tokens=largest // 2)) as server:
        settings["base_url"] = server.base_url
        with pytest.raises(Stopped, match=r"budget of .* is reached"):
            verbs.run(bench, MODEL, tmp_path / "runs", budget=f"{most + 2 * used}tok", **settings)
        first = len(server.asked)
        assert 0 < first < len(bench.items)
        calls = collect_calls(tmp_path / "runs")
        assert len(calls) == first, "what was sent is kept"
        spent = sum(call.tokens_in + call.tokens_out for call in calls)
        assert spent <= most + 2 * used
        # Enough for any call of its own, too little for the smallest on top of what was spent.
        least = min(item.tokens for item in bench.items.values())
        total = f"{tmp_path / 'runs'} has used {format_tokens(spent)} tokens in all, 0 tokens of it by this run"
        with pytest.raises(Stopped, match=re.escape(total)):
            verbs.run(bench, MODEL, tmp_path / "runs", budget=f"{spent + least}tok", **settings)
        assert len(server.asked) == first, "a budget is for the folder, not for one command"
        result = verbs.run(bench, MODEL, tmp_path / "runs", budget="90Mtok", **settings)
        assert (result.had, result.sent) == (first, len(bench.items) - first)
        assert len(server.asked) == len(bench.items), "nothing was sent twice"


USAGES: dict[str, Any] = {
    "none": None,
    "empty": {},
    "nothing": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    "less than nothing": {"prompt_tokens": -9, "completion_tokens": -9, "total_tokens": -18},
    "too little": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    "all cached and more": {
        "prompt_tokens": 700,
        "completion_tokens": 5,
        "total_tokens": 705,
        "prompt_tokens_details": {"cached_tokens": 10**9, "cache_write_tokens": 10**9},
    },
    "words": {"prompt_tokens": "many", "completion_tokens": [], "prompt_tokens_details": 7},
}


@pytest.mark.parametrize("name", USAGES)
def test_a_budget_holds_whatever_the_server_says(bench: Bench, tmp_path: Path, name: str) -> None:
    """In one run and in the next, in tokens and in money: no more requests than the budget has room for."""
    body = json.loads(Reply().body()) | {"usage": USAGES[name]}
    reply = Reply(raw=json.dumps(body).encode())
    least = min(item.tokens for item in bench.items.values())
    counted = name == "all cached and more"  # it is charged for every token that it reports, and no discount
    for unit, budget, most in (("tok", 4 * (least + 1000), 4), ("usd", 4 * (least + 1000) / 1e6, 4)):
        settings: dict[str, Any] = {"max_retries": 0, "concurrency": 2, "max_tokens": 1000, "price": "1,0.5,1"}
        settings |= {"budget": f"{budget}{unit}"}
        with ChatServer(lambda _: reply) as server:
            for _ in range(2):
                with pytest.raises(Stopped, match="is reached"):
                    verbs.run(bench, MODEL, tmp_path / unit, base_url=server.base_url, **settings)
            calls = collect_calls(tmp_path / unit)
            assert 0 < len(server.asked) < len(bench.items)
            assert len(server.asked) <= (budget / (700 if unit == "tok" else 700e-6) if counted else most)
            assert all((call.cost or 0.0) >= 0 for call in calls)
            assert all(call.uncounted is not counted for call in calls)


def test_money_needs_a_price(bench: Bench, tmp_path: Path) -> None:
    with ChatServer() as server:
        settings: dict[str, Any] = {"base_url": server.base_url}
        with pytest.raises(BadInput, match="no price is known"):
            verbs.run(bench, MODEL, tmp_path / "runs", budget="5usd", **settings)
        assert not server.asked
        settings["price"] = "1000,100,1000"
        with pytest.raises(Stopped, match=r"budget of 0\.01 USD"):
            verbs.run(bench, MODEL, tmp_path / "runs", budget="0.01usd", **settings)
        result = verbs.run(bench, MODEL, tmp_path / "runs", budget="900usd", **settings)
    assert result.sent == len(bench.items)
    costs = [call.cost for call in collect_calls(tmp_path / "runs")]
    assert costs == [pytest.approx((100 * 1000 + 5 * 1000) / 1e6)] * len(costs)


def test_without_a_limit_answers_are_capped_so_that_the_budget_holds(bench: Bench, tmp_path: Path) -> None:
    """The server writes until it is stopped, as a model caught in its reasoning does."""
    family = get_family(bench.info.family)
    caps = {
        output_cap(family, [bench.questions[question] for question in item.questions], reasons=False)
        for item in bench.items.values()
    }
    budget = 3 * (max(caps) + 2000)
    notes: list[str] = []

    def endless(asked: Asked) -> Reply:
        limit = asked.body.get("max_tokens") or asked.body.get("max_completion_tokens") or 10_000_000
        return Reply("and so on", tokens=limit, finish="length", prompt_tokens=700)

    with ChatServer(endless) as server:
        settings: dict[str, Any] = {"base_url": server.base_url, "max_retries": 0, "note": notes.append}
        with pytest.raises(Stopped, match=r"budget of .* is reached"):
            verbs.run(bench, MODEL, tmp_path / "runs", budget=f"{budget}tok", **settings)
        assert server.asked
        assert {asked.body["max_tokens"] for asked in server.asked} <= caps
        calls = collect_calls(tmp_path / "runs")
        assert len(calls) == len(server.asked)
        assert sum(call.tokens_in + call.tokens_out for call in calls) <= budget
        assert notes == [f"answers are capped at {max(caps):,} tokens; --max-tokens changes that"]
        sent = len(server.asked)
        with pytest.raises(Stopped):
            verbs.run(bench, MODEL, tmp_path / "runs", budget=f"{budget}tok", **settings)
        prompts = [asked.sha256 for asked in server.asked]
        assert len(set(prompts)) == len(prompts), "an answer cut off at the cap is not paid for twice"
        verbs.run(bench, MODEL, tmp_path / "more", max_tokens=50, budget="90Mtok", **settings)
        verbs.run(bench, MODEL, tmp_path / "free", **settings)
    assert {asked.body["max_tokens"] for asked in server.asked[sent:]} == {50, *caps}, "without a budget too"
    assert len(notes) == 3, "nothing is said where nothing was decided"


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1, 0.04, 0.0])
@pytest.mark.parametrize("unit", ["tok", "usd"])
@pytest.mark.parametrize(("tokenizer", "times"), [("known", 1.2), ("unknown", 3.2)])
def test_a_server_that_reports_a_part_of_the_usage_spends_no_more_than_is_promised(
    bench: Bench,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    share: float,
    unit: str,
    tokenizer: str,
    times: float,
) -> None:
    """Over several runs into one folder; what was really sent is known by the benchmark."""
    monkeypatch.setenv("OPENAI_API_KEY", "x" * 20)
    tokens = {item.sha256: item.tokens for item in bench.items.values()}
    model = "openai/gpt-4o" if tokenizer == "known" else MODEL
    largest = max(tokens.values())
    budget = 5 * (largest + 60)

    def partly(asked: Asked) -> Reply:
        return Reply(prompt_tokens=int(share * tokens[asked.sha256]), tokens=int(share * 50) + 1)

    given = f"{budget}tok" if unit == "tok" else f"{budget / 1e6}usd"
    settings: dict[str, Any] = {"max_retries": 0, "max_tokens": 60, "price": "1,0.1,1", "budget": given}
    with ChatServer(partly) as server:
        settings |= {"base_url": server.base_url, "concurrency": 2}
        for _ in range(2):
            with pytest.raises(Stopped, match="is reached"):
                verbs.run(bench, model, tmp_path / "runs", **settings)
        spent = sum(tokens[asked.sha256] + 50 for asked in server.asked)
    assert 0 < spent <= times * budget


@pytest.mark.parametrize("cached", [701, 10**9, -5])
def test_a_cached_count_above_the_prompts_own_is_no_discount(bench: Bench, tmp_path: Path, cached: int) -> None:
    settings: dict[str, Any] = {"max_retries": 0, "max_tokens": 10, "price": "1,0,1", "budget": "0.005usd"}
    with ChatServer(lambda _: Reply(prompt_tokens=700, tokens=10, cached=cached)) as server:
        with pytest.raises(Stopped, match="is reached"):
            verbs.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url, **settings)
        assert len(server.asked) <= 7
    assert {call.tokens_cached for call in collect_calls(tmp_path / "runs")} == {0}


@pytest.mark.parametrize("evidence", ["reasoning_content", "usage", "tag", "nothing"])
@pytest.mark.parametrize("reasons", [True, False])
def test_a_model_that_turns_out_to_reason_gets_room_and_no_other_does(
    bench: Bench, tmp_path: Path, evidence: str, reasons: bool
) -> None:
    """What was cut off before it was known is asked for again; a model that repeats itself stays within its cap."""
    thoughts: dict[str, dict[str, Any]] = {
        "reasoning_content": {"message": {"reasoning_content": "Hmm. " * 50}},
        "usage": {"reasoning_tokens": 900},
    }
    text = {"tag": "<think>Hmm. " * 50, "nothing": ""}.get(evidence, "")

    def say(asked: Asked) -> Reply:
        if reasons and asked.body["max_tokens"] > 10_000:
            return Reply("Question 1: done", tokens=9_000, prompt_tokens=700, finish="stop")
        if reasons:
            return Reply(text, finish="length", tokens=asked.body["max_tokens"], **thoughts.get(evidence, {}))
        return Reply("and so on " * 50, finish="length", tokens=asked.body["max_tokens"], prompt_tokens=700)

    with ChatServer(say) as server:
        result = verbs.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url, max_retries=0)
        asked = [each.body["max_tokens"] for each in server.asked]
        again = verbs.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url, max_retries=0)
    calls = collect_calls(tmp_path / "runs")
    assert again.sent == 0, "the next command knows it from the answers"
    assert len(calls) == len(bench.items)
    assert {call.stop for call in calls} == ({"stop"} if reasons else {"max_tokens"})
    assert (max(asked) > 10_000) is reasons
    assert sum(each < 10_000 for each in asked) <= (8 if reasons else len(bench.items)), "no more than were in flight"
    assert result.sent == len(bench.items)
    assert result.faults == ({} if reasons else {"cut off": len(bench.items)})


@pytest.mark.parametrize("given", [None, 4000])
def test_a_cap_that_does_not_fit_the_servers_window_leaves_room_for_the_answer(
    bench: Bench, tmp_path: Path, given: int | None
) -> None:
    """Many servers refuse a prompt that fits if prompt and cap together do not. The user's own limit stays."""
    family = get_family(bench.info.family)
    item = max(bench.items.values(), key=lambda each: each.tokens)
    room = family.answer_tokens([bench.questions[question] for question in item.questions])

    def say(asked: Asked) -> Reply:
        if asked.body["max_tokens"] > room:
            return Reply("This model's maximum context length is 4096 tokens; reduce the length", status=400)
        return Reply("Question 1: no", prompt_tokens=700)

    with ChatServer(say) as server:
        verbs.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url, max_retries=0, max_tokens=given)
    assert {call.stop for call in collect_calls(tmp_path / "runs")} == {"model_length" if given else "stop"}
