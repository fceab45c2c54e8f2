"""The meter of a build's helper models: progress with tokens and money, and a budget that no request exceeds."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from tests.doubles.chat_server import ChatServer
from tests.doubles.chat_server import Reply as Served

from longreach.core.files import Store
from longreach.core.helper_model import Ask, Reply
from longreach.errors import Stopped
from longreach.runner.budget import HelperMeter
from longreach.runner.inspect_helper import HelperSettings, InspectHelper

NAME = "openai-api/local/helper"


def test_progress_within_a_batch_has_tokens_and_money(tmp_path: Path) -> None:
    lines: list[str] = []
    meter = HelperMeter(None, lines.append)
    with ChatServer(lambda asked: Served(text=asked.prompt)) as server:
        settings = HelperSettings(base_url=server.base_url, arguments={"api_key": "none"}, max_retries=0)
        writer = InspectHelper(NAME, Store(tmp_path), settings, meter=meter.model(NAME))
        writer.ask([Ask(prompt=f"ask {number}") for number in range(16)])
    shown = [line.split(" replies")[0] for line in lines]  # a slow machine adds one every ten seconds
    quarters = [f"{NAME}: {done} of 16" for done in (4, 8, 12, 16)]
    assert [line for line in shown if line in quarters] == quarters
    assert lines[-1].endswith("in all 16 requests sent, 1.68k tokens, price unknown")
    priced = HelperMeter("1usd").model("openai/gpt-4o")
    assert priced.line() == "0 requests sent, 0 tokens, $0"


def test_a_budget_counts_what_was_used_and_stops_before_the_request_that_could_exceed_it() -> None:
    model = HelperMeter("1000tok").model(NAME)
    ask = Ask(prompt="x" * 300, max_tokens=300)

    async def spend(tokens: int) -> None:
        model.settle(await model.reserve(ask), Reply(text="", tokens_in=100, tokens_out=tokens - 100))

    for used in (400, 150, 200):
        anyio.run(spend, used)
    with pytest.raises(Stopped, match=r"the budget of .* is reached \(3 requests sent, 750 tokens"):
        anyio.run(spend, 200)
