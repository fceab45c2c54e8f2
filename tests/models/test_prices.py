from __future__ import annotations

import re

import pytest

from longreach.errors import BadInput
from longreach.models.prices import Price, Rates, Tier, parse_price, price_of


def test_a_listed_price_has_its_source_and_date() -> None:
    price = price_of("openai/gpt-4o-mini")
    assert price is not None
    assert 0 < (price.rates.cached or 0) < price.rates.input < price.rates.output
    assert re.fullmatch(r"genai-prices \d+\.\d+.*", price.source)
    assert price.date is not None
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", price.date)
    assert price.date in str(price)
    assert price.source in str(price)


@pytest.mark.parametrize(
    ("model", "same"),
    [
        ("anthropic/claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"),
        ("openai/azure/gpt-4o-mini", "azureai/gpt-4o-mini"),
        ("anthropic/vertex/claude-sonnet-4-5@20250929", "google/claude-sonnet-4-5@20250929"),
    ],
)
def test_models_have_many_names(model: str, same: str) -> None:
    price = price_of(model)
    assert price is not None
    assert price == price_of(same)


def test_writing_a_cache_has_its_price_and_long_prompts_a_dearer_one() -> None:
    price = price_of("anthropic/claude-sonnet-4-5")
    assert price is not None
    assert price.rates.written == pytest.approx(1.25 * price.rates.input)
    assert price.tiers[0].above == 200_000
    assert price.at(200_000) == price.rates
    assert price.at(200_001).input > price.rates.input
    assert "more above 200,000" in str(price)


@pytest.mark.parametrize("model", ["openai/nosuch-model", "openai-api/openai/gpt-4o", "nobody/x", "openai", "x", ""])
def test_an_unknown_model_has_no_price(model: str) -> None:
    assert price_of(model) is None


@pytest.mark.parametrize("model", ["embedded", "gguf:/some/file.gguf", "ollama/llama3", "vllm/x/y", "hf/x"])
def test_what_runs_here_costs_nothing_a_token(model: str) -> None:
    price = price_of(model)
    assert price is not None
    assert price.cost(10**9, 0, 10**9) == 0
    assert str(price) == "local model, no price per token"


def test_models_of_a_cloud_behind_a_local_name_are_not_free() -> None:
    assert price_of("ollama/gpt-oss:120b-cloud") is None


def test_a_given_price_goes_before_all() -> None:
    for model in ("embedded", "openai/gpt-4o-mini", "nobody/x"):
        price = price_of(model, "1.25,0.125,10")
        assert price is not None
        assert price.rates == Rates(input=1.25, cached=0.125, output=10)
        assert price.cost(1_000_000, 400_000, 100_000) == pytest.approx(0.6 * 1.25 + 0.4 * 0.125 + 0.1 * 10)
    assert parse_price(" $2 , 8").rates == Rates(input=2, output=8)


@pytest.mark.parametrize("text", ["", "1", "1,2,3,4", "a,b,c", "1,-2,3", "nan,1,1", "inf,1,1", "1;2;3", "1,,3"])
def test_a_price_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"is not IN,CACHED,OUT; give US dollars .* 1\.25,0\.125,10") as told:
        price_of("embedded", text)
    assert "\n" not in str(told.value)


def test_cost_by_rates_tiers_and_requests() -> None:
    dear = Rates(input=20, cached=2, written=25, output=100)
    price = Price(
        rates=Rates(input=10, cached=1, written=12.5, output=50),
        tiers=(Tier(above=100, rates=dear),),
        request=0.5,
        source="s",
    )
    assert price.cost(0, 0, 0) == 0
    assert price.cost(100, 40, 10, 20) == pytest.approx((40 * 10 + 40 * 1 + 20 * 12.5 + 10 * 50) / 1e6 + 0.5)
    assert price.cost(101, 0, 0) == pytest.approx(101 * 20 / 1e6 + 0.5)


def test_rates_left_open_are_the_input_rate_or_shares_of_it() -> None:
    price = Price(rates=Rates(input=10, output=50), source="s")
    assert price.cost(100, 50, 0, 50) == pytest.approx(1000 / 1e6)
    filled = price.factored(0.1, 1.25)
    assert filled.cost(100, 50, 0, 50) == pytest.approx((50 * 1 + 50 * 12.5) / 1e6)
    assert filled.factored(0.9, 9) == filled
