"""Token prices, context windows and output limits: per model from a maintained list, or as the user gives them."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import Field

from longreach.core.types import Frozen
from longreach.errors import BadInput

from .providers import CLOUDS, EMBEDDED_CONTEXT, provider_of, rule_of, runs_here, without_adapter

# Token prices: per model from a maintained list, or as the user gives them.

_PACKAGE = "genai-prices"
_MILLION = 1_000_000


class Rates(Frozen):
    """US dollars per million tokens."""

    input: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    """Read from the provider's cache; None: as input."""
    written: float | None = Field(default=None, ge=0)
    """Written to the provider's cache; None: as input."""
    output: float = Field(ge=0)


class Tier(Frozen):
    """Rates for requests above a number of input tokens."""

    above: int
    rates: Rates


class Price(Frozen):
    """A model's token prices and their source."""

    rates: Rates
    tiers: tuple[Tier, ...] = ()
    """Higher rates for long prompts, by length; they apply to the whole request."""
    request: float = 0.0
    """US dollars per request in addition."""
    source: str
    date: str | None = None
    """The newest price change in the list when it was installed."""

    @property
    def costs(self) -> bool:
        """Whether any rate is above zero."""
        return bool(self.rates.input or self.rates.output or self.request or self.tiers)

    def at(self, tokens: int) -> Rates:
        """The rates for a request of so many input tokens."""
        return next((tier.rates for tier in reversed(self.tiers) if tokens > tier.above), self.rates)

    def cost(self, tokens_in: int, cached: int, tokens_out: int, written: int = 0) -> float:
        """US dollars for one request; `cached` and `written` are parts of `tokens_in`."""
        if not tokens_in and not tokens_out:
            return 0.0
        rates = self.at(tokens_in)
        read = rates.input if rates.cached is None else rates.cached
        write = rates.input if rates.written is None else rates.written
        dollars = (tokens_in - cached - written) * rates.input + cached * read + written * write
        return (dollars + tokens_out * rates.output) / _MILLION + self.request

    def factored(self, read: float | None, write: float | None) -> Price:
        """The same price with missing cache rates filled in as shares of the input rate."""

        def fill(rates: Rates) -> Rates:
            cached = rates.cached if rates.cached is not None or read is None else rates.input * read
            written = rates.written if rates.written is not None or write is None else rates.input * write
            return rates.model_copy(update={"cached": cached, "written": written})

        return self._each(fill)

    def batched(self, share: float, *, cached: bool) -> Price:
        """The price of a batch: a share of every rate, that of cached tokens only if it is `cached`."""

        def less(rates: Rates) -> Rates:
            kept = {"cached"} if not cached and rates.cached is not None else set()
            known = {name: rate for name, rate in rates if rate is not None and name not in kept}
            return rates.model_copy(update={name: rate * share for name, rate in known.items()})

        return self._each(less).model_copy(update={"source": f"{self.source}, batch"})

    def _each(self, change: Callable[[Rates], Rates]) -> Price:
        tiers = tuple(Tier(above=tier.above, rates=change(tier.rates)) for tier in self.tiers)
        return self.model_copy(update={"rates": change(self.rates), "tiers": tiers})

    def __str__(self) -> str:
        if self.source == _HERE:
            return _HERE
        cached = "" if self.rates.cached is None else f", {_dollars(self.rates.cached)} cached"
        tiers = f", more above {self.tiers[0].above:,} input tokens" if self.tiers else ""
        dated = f", newest change {self.date}" if self.date else ""
        return (
            f"{_dollars(self.rates.input)} in{cached}, {_dollars(self.rates.output)} out per million tokens{tiers} "
            f"({self.source}{dated})"
        )


_HERE = "local model, no price per token"


def given_for(model: str, given: str | Mapping[str, str] | None) -> str | None:
    """What was given for a model: for all models, or by name, with `*` for the rest."""
    return given if given is None or isinstance(given, str) else given.get(model, given.get("*"))


def price_of(model: str, given: str | Mapping[str, str] | None = None, *, batch: bool = False) -> Price | None:
    """A model's price: as given (`in,cached,out`, for all or by model), zero for models on the user's own machines,
    else from the price list, that of its batches if it is known; None if the list has no entry. Cached tokens have the
    price that the provider documents where nothing else is known."""
    own, provider, rule = given_for(model, given), provider_of(model), rule_of(model)
    if own is None and runs_here(model):
        return Price(rates=Rates(input=0, output=0), source=_HERE)
    if own is not None:
        price: Price | None = parse_price(own)
    else:
        found = _entry(model)
        price = _price(found.get_prices(datetime.now(tz=UTC))) if found else None
    if price is not None and rule is not None:
        price = price.factored(rule.read, rule.write)
    if price is not None and own is None and batch and provider.batch_price is not None:
        price = price.batched(provider.batch_price, cached=provider.batch_cached)
    return price


def parse_price(text: str) -> Price:
    """`in,cached,out` in US dollars per million tokens; `in,out` if nothing is cached."""
    parts = [part.strip().removeprefix("$") for part in text.split(",")]
    try:
        numbers = [float(part) for part in parts if part.isascii() and "_" not in part]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 3) or len(numbers) != len(parts) or not all(0 <= number < 1e6 for number in numbers):
        raise BadInput(
            f"price '{text}' is not IN,CACHED,OUT; give US dollars for a million tokens, for instance 1.25,0.125,10"
        )
    cached = numbers[1] if len(numbers) == 3 else None
    return Price(rates=Rates(input=numbers[0], cached=cached, output=numbers[-1]), source="as given")


def listed_window(model: str) -> int | None:
    """A model's context window in the price list."""
    found = _entry(model)
    return found.context_window if found else None


@lru_cache(maxsize=64)
def _entry(model: str) -> Any:
    """A model's entry in the price list."""
    provider, name = provider_of(model), model.partition("/")[2]
    cloud, _, inner = name.partition("/")
    wanted = provider.price_list
    if provider.clouds and inner and cloud in CLOUDS:
        wanted, name = CLOUDS[cloud], inner
    if not wanted or not name:
        return None
    try:
        from genai_prices.data_snapshot import get_snapshot
    except ImportError:
        return None
    try:
        return get_snapshot().find_provider_model(name, None, wanted, None)[1]
    except LookupError:
        return None


def _price(prices: Any) -> Price | None:
    """The list's own format, in which a rate may be a number or a number with higher tiers."""
    from importlib.metadata import version

    if prices.input_mtok is None or prices.output_mtok is None:
        return None
    rates = {
        "input": prices.input_mtok,
        "cached": prices.cache_read_mtok,
        "written": prices.cache_write_mtok,
        "output": prices.output_mtok,
    }
    starts = sorted({tier.start for rate in rates.values() for tier in getattr(rate, "tiers", ())})
    return Price(
        rates=Rates(**{name: _rate(rate, 0) for name, rate in rates.items()}),
        tiers=tuple(
            Tier(above=start, rates=Rates(**{name: _rate(rate, start + 1) for name, rate in rates.items()}))
            for start in starts
        ),
        request=float(getattr(prices.requests_kcount, "base", prices.requests_kcount) or 0) / 1000,
        source=f"{_PACKAGE} {version(_PACKAGE)}",
        date=_newest_change(),
    )


def _rate(rate: Any, tokens: int) -> Any:
    if rate is None or not hasattr(rate, "tiers"):
        return None if rate is None else float(rate)
    above = [tier.price for tier in rate.tiers if tokens > tier.start]
    return float(above[-1] if above else rate.base)


@lru_cache(maxsize=1)
def _newest_change() -> str | None:
    """The list has no date of its own, but most prices state since when they apply, some in advance."""
    from genai_prices.data_snapshot import get_snapshot

    dates = [
        getattr(price.constraint, "start_date", date.min)
        for provider in get_snapshot().providers
        for model in provider.models
        if isinstance(model.prices, list)
        for price in model.prices
    ]
    installed = _installed()
    known = [day for day in dates if date.min < day <= installed]
    return max(known).isoformat() if known else None


def _installed() -> date:
    """When the list was installed on this machine."""
    from importlib.metadata import files

    record = next((file for file in files(_PACKAGE) or [] if file.name == "RECORD"), None)
    today = datetime.now(tz=UTC).date()
    try:
        return min(today, date.fromtimestamp(record.locate().stat().st_mtime)) if record else today  # type: ignore[attr-defined]
    except OSError:
        return today


def _dollars(amount: float) -> str:
    return f"${amount:.4g}"


# Context windows and output limits by model name.

_DATED = re.compile(r"(-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|-\d{4})$")


class Limits(Frozen):
    """A model's advertised limits; None if unknown."""

    window: int | None = None
    """Tokens that prompt and answer may take together."""
    input: int | None = None
    """Tokens that the prompt alone may take, if that is less."""
    output: int | None = None
    """Tokens that one answer may have."""
    thinks: bool = False
    """Whether it writes reasoning tokens before its answer, billed but not shown, unless a request says otherwise."""


@lru_cache(maxsize=64)
def limits_of(model: str) -> Limits:
    """A model's advertised limits, from the model lists of Inspect and the price list."""
    if without_adapter(model) == "embedded":
        return Limits(window=EMBEDDED_CONTEXT, output=EMBEDDED_CONTEXT)
    provider, name = provider_of(model), model.partition("/")[2]
    found = _facts_of(provider.model_list, name.rpartition("/")[2] if provider.clouds else name)
    if not (window := found.get("context_length")):
        # Loading the price list takes a second, so it is used only if the other list has no entry.

        window = listed_window(model)
    return Limits(
        window=window,
        input=found.get("input_tokens"),
        output=found.get("output_tokens"),
        thinks=bool(found.get("reasoning")) and _by_default(found, on_request=provider.reasons_on_request),
    )


def _by_default(facts: dict[str, Any], *, on_request: bool) -> bool:
    """Whether a reasoning model reasons if a request does not mention it."""
    default = facts.get("reasoning_effort_default")
    return not on_request if default is None else default != "none"


def _facts_of(organisation: str, name: str) -> dict[str, Any]:
    """A model's facts by its name, one of its versions or aliases, or its name without a date."""
    models = _models(organisation)
    for wanted in (name.lower(), _DATED.sub("", name.lower())):
        for key, facts in models.items():
            versions: dict[str, Any] = facts.get("versions") or {}
            if wanted == key.lower() or wanted in (alias.lower() for alias in facts.get("aliases") or ()):
                return facts
            for version, own in versions.items():
                if wanted == version.lower() or wanted in (alias.lower() for alias in (own or {}).get("aliases") or ()):
                    return facts | {name: value for name, value in (own or {}).items() if value is not None}
    return {}


@lru_cache(maxsize=16)
def _models(organisation: str) -> dict[str, dict[str, Any]]:
    """One organisation's part of Inspect's model list, read without importing Inspect."""
    import yaml

    spec = importlib.util.find_spec("inspect_ai")
    folder = next(iter(spec.submodule_search_locations or []), None) if spec else None
    path = Path(folder or "") / "model" / "_model_data" / f"{organisation}.yml"
    if not organisation or folder is None or not path.is_file():
        return {}
    try:
        loaded = yaml.load(path.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return {
            str(name): facts
            for part in loaded.values()
            for name, facts in part.get("models", {}).items()
            if isinstance(facts, dict)
        }
    except (yaml.YAMLError, AttributeError):
        # A list in an unknown format gives no facts.
        return {}
