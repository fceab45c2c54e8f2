"""What a request costs: the same by the plan, by the run's own bill and on the page, at every length."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.present import some

import longreach
from longreach.core.bench import Bench
from longreach.models.prices import parse_price, price_of
from longreach.models.providers import providers
from longreach.models.tokenizers import get_tokenizer

MODELS = {"openai": "openai/gpt-4o", "anthropic": "anthropic/claude-sonnet-4-0", "google": "google/gemini-2.5-pro"}


def _common(one: str, other: str) -> int:
    same = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(same, min(len(one), len(other)))


class CachingServer:
    """Bills as OpenAI documents it: the longest prefix of an earlier prompt is cached from 1,024 tokens on, in steps of
    128."""

    def __init__(self) -> None:
        self._tokenizer = get_tokenizer("o200k_base")
        self._seen: list[str] = []

    def __call__(self, asked: Asked) -> Reply:
        text = asked.prompt
        shared = max((_common(text, other) for other in self._seen), default=0)
        self._seen.append(text)
        cached = self._tokenizer.count(text[:shared]) // 128 * 128
        return Reply(prompt_tokens=self._tokenizer.count(text), cached=cached if cached >= 1024 else 0, tokens=0)


@pytest.mark.parametrize("price", ["2,0.5,0", "2,0", None])
def test_plan_and_page_agree_on_the_cost_of_a_request_at_each_length(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, price: str | None
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    settings = {
        "lengths": "2000,4000",
        "depths": "70,80,90",
        "sets": 1,
        "tokenizer": "o200k_base",
        "prompts": "standard",
    }
    bench = longreach.build("needles", tmp_path / "bench", docs=docs, warn=lambda _: None, settings=settings)
    model = "openai/gpt-4o"
    planned = longreach.plan(bench, model, concurrency=1, price=price).models[0]
    with ChatServer(CachingServer()) as server:
        longreach.run(
            bench, model, tmp_path / "runs", base_url=server.base_url, concurrency=1,
            arguments={"responses_api": False}, price=price,
        )  # fmt: skip
    (found,) = longreach.report(tmp_path / "runs", tmp_path / "page.html").numbers.families
    assert [each.length for each in found.by_length] == [each.length for each in planned.by_length] == [2000, 4000]
    for one, other in zip(planned.by_length, found.by_length, strict=True):
        (real,) = other.per_request.values()
        assert one.requests == real.requests
        assert real.cached > 0
        # Output is planned at its most and was nothing.
        rate = planned.price.rates.output if planned.price else 0.0
        written = rate * planned.output_tokens / planned.requests / 1e6
        assert some(one.uncached) - written == pytest.approx(some(real.uncached), rel=0.01)
        assert some(one.cost) - written == pytest.approx(real.cost, rel=0.05)
    total = sum((each.cost or 0) * each.requests for each in planned.by_length)
    assert planned.cost == pytest.approx(total)


def test_a_batch_has_the_providers_batch_price() -> None:
    for name, provider in providers().items():
        model = {
            "openai": "openai/gpt-4o",
            "anthropic": "anthropic/claude-sonnet-4-0",
            "google": "google/gemini-2.5-pro",
        }.get(name)
        if model is None:
            assert provider.batch_price is None, f"{name} has a batch price that this test does not know"
            continue
        usual, batch = price_of(model), price_of(model, batch=True)
        assert usual is not None
        assert batch is not None
        assert batch.cost(1000, 0, 100) == pytest.approx(0.5 * usual.cost(1000, 0, 100))
        kept = 1.0 if name == "google" else 0.5
        assert batch.cost(1000, 1000, 0) == pytest.approx(kept * usual.cost(1000, 1000, 0))
        assert str(batch).endswith(")")
        assert "batch" in str(batch)
        given = some(price_of(model, "1,2", batch=True))
        assert given.cost(1_000_000, 0, 0) == 1, "a price that is given is what is paid"


def test_a_plan_with_the_batch_setting_has_that_price(bench: Bench) -> None:
    plain = longreach.plan(bench, "openai/gpt-4o").models[0]
    batch = longreach.plan(bench, "openai/gpt-4o", generation={"batch": True}).models[0]
    assert plain.cost_naive
    assert batch.cost_naive == pytest.approx(plain.cost_naive / 2)


def test_cached_tokens_cost_what_the_provider_documents_where_no_list_says_it() -> None:
    """Plan and run take the price from one place: a run of Claude with `--price IN,OUT` counts its cache too."""
    price = some(price_of("anthropic/claude-sonnet-4-0", "10,50"))
    assert price.cost(1_000_000, 1_000_000, 0) == pytest.approx(1)
    assert price.cost(1_000_000, 0, 0, 1_000_000) == pytest.approx(12.5)
    assert parse_price("10,50").cost(1_000_000, 1_000_000, 0) == pytest.approx(10)
