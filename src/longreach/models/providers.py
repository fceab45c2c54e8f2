"""One table of everything known about providers: where they run, which lists name them, tokenizers, caches, keys."""

from __future__ import annotations

import re
from dataclasses import dataclass

from longreach.errors import BadInput, did_you_mean, one_line

__all__ = [
    "CLOUDS",
    "PROVIDERS",
    "CacheRule",
    "Provider",
    "check_address",
    "check_name",
    "is_engine",
    "own_tokenizer",
    "provider_of",
    "rule_of",
    "runs_here",
    "wants_marks",
    "without_adapter",
]


@dataclass(frozen=True, kw_only=True)
class CacheRule:
    """How a hosted provider caches. Only what its documentation states; unknown values stay open."""

    models: str = ""
    """A regular expression for the models it applies to; empty: all."""
    minimum: int = 0
    """Tokens a prefix must have to be cached at all."""
    step: int = 1
    """Cached tokens come in multiples of this number."""
    lifetime: int | None = None
    """Seconds without use after which it may expire."""
    marked: bool = False
    """Only prefixes that a request marks are cached."""
    read: float | None = None
    """Price of a cached token as a share of an input token's, if the price list has none."""
    write: float | None = None
    """The same for a token written to the cache."""
    counts_cached: bool = True
    """Whether cached tokens count towards a limit of tokens per minute."""
    promised: bool = False
    """Whether a hit is guaranteed; most providers promise only best effort."""
    source: str
    """The documentation page and when it was read."""


@dataclass(frozen=True, kw_only=True)
class Provider:
    """What is known about one of Inspect's providers."""

    local: bool = False
    """Runs models on the user's own machines, where tokens have no price."""
    block: int = 1
    """Tokens per block of its server's prefix cache."""
    model_list: str = ""
    """The organisation in Inspect's list of models, which has windows and output limits."""
    price_list: str = ""
    """The provider's name in the price list."""
    clouds: bool = False
    """Its models may be prefixed with a cloud: `openai/azure/NAME`."""
    service: str = ""
    """The service's common name; `longreach models` lists those that have one."""
    needs: tuple[str, str] = ("openai", "openai")
    """Module and distribution of its client package."""
    keys: tuple[str, ...] = ()
    """Environment variables that may hold the key."""
    batch: bool = False
    """Inspect can send to its batch service."""
    caches: tuple[CacheRule, ...] = ()
    """The first rule that matches a model applies."""


_ANTHROPIC = (
    "Claude docs, Prompt caching and Rate limits; minimum lengths also LiteLLM docs, Prompt Caching, 2026-10-07"
)
_OPENAI = "OpenAI docs, Prompt caching, November 2026"
_OPENAI_OLDER = "OpenAI cookbook, Prompt Caching 201; Azure OpenAI docs, Prompt caching, November 2026"
_GOOGLE = "Gemini API docs, Context caching (last updated 2026-10-13)"


_LOCAL = Provider(local=True)

PROVIDERS: dict[str, Provider] = {
    "openai": Provider(
        model_list="openai",
        price_list="openai",
        clouds=True,
        service="OpenAI",
        keys=("OPENAI_API_KEY",),
        batch=True,
        caches=(
            # Cache writes are priced from GPT-5.6 on (in the price list); steps and lifetime are documented only for
            # older models.
            CacheRule(models=r"gpt-(5\.([6-9]|\d\d)|[6-9])", minimum=1024, source=_OPENAI),
            CacheRule(minimum=1024, step=128, lifetime=300, source=_OPENAI_OLDER),
        ),
    ),
    "anthropic": Provider(
        model_list="anthropic",
        price_list="anthropic",
        clouds=True,
        service="Anthropic",
        needs=("anthropic", "anthropic"),
        keys=("ANTHROPIC_API_KEY",),
        batch=True,
        caches=tuple(
            CacheRule(
                models=models,
                minimum=minimum,
                lifetime=300,
                marked=True,
                read=0.1,
                write=1.25,
                counts_cached=False,
                promised=True,
                source=_ANTHROPIC,
            )
            for models, minimum in (
                (r"(opus|fable|mythos)-5", 512),
                (r"3-haiku|3-5-haiku", 2048),
                (r"opus-4-[567]|haiku-4-5", 4096),
                ("", 1024),
            )
        ),
    ),
    "google": Provider(
        model_list="gdm",
        price_list="google",
        clouds=True,
        service="Google",
        needs=("google.genai", "google-genai"),
        keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        batch=True,
        caches=(
            CacheRule(models=r"gemini-2\.5", minimum=2048, source=_GOOGLE),
            CacheRule(models=r"gemini-([3-9]|\d\d)", minimum=4096, source=_GOOGLE),
        ),
    ),
    "mistral": Provider(
        model_list="mistral",
        price_list="mistral",
        clouds=True,
        caches=(CacheRule(read=0.1, source="Mistral docs, Prompt caching, November 2026"),),
    ),
    "deepseek": Provider(
        model_list="deepseek",
        price_list="deepseek",
        # Documented: a prefix may be cached only after a second prompt with it. So this is a best case.
        caches=(CacheRule(source="DeepSeek API docs, Context Caching, November 2026"),),
    ),
    "grok": Provider(
        model_list="grok",
        price_list="x-ai",
        batch=True,
        caches=(CacheRule(source="xAI docs, Prompt Caching, November 2026"),),
    ),
    "groq": Provider(
        price_list="groq",
        caches=(
            CacheRule(lifetime=7200, read=0.5, counts_cached=False, source="GroqDocs, Prompt Caching, November 2026"),
        ),
    ),
    "openrouter": Provider(price_list="openrouter", service="OpenRouter", keys=("OPENROUTER_API_KEY",)),
    "together": Provider(
        model_list="together", price_list="together", service="Together", keys=("TOGETHER_API_KEY",), batch=True
    ),
    "fireworks": Provider(model_list="fireworks", price_list="fireworks"),
    "moonshot": Provider(model_list="moonshotai", price_list="moonshotai"),
    "meta": Provider(model_list="meta", price_list="meta"),
    "perplexity": Provider(price_list="perplexity"),
    "bedrock": Provider(price_list="aws"),
    "azureai": Provider(price_list="azure"),
    "cloudflare": Provider(price_list="cloudflare"),
    **dict.fromkeys(("vllm", "vllm-completions"), Provider(local=True, block=16)),
    **dict.fromkeys(
        (
            "ollama",
            "sglang",
            "hf",
            "llama-cpp-python",
            "transformer_lens",
            "nnterp",
            "mockllm",
            "none",
        ),
        _LOCAL,
    ),
}
"""By Inspect's names."""

CLOUDS = {"azure": "azure", "bedrock": "aws", "vertex": "google"}
"""A cloud prefix of a model's name -> its name in the price list."""

_UNKNOWN = Provider()
_ADAPTER = re.compile(r"\+lora-[0-9a-f]{8}$")
"""What an adapter adds to a model's name."""
_MARKS = ("bedrock/anthropic", "bedrock/us.anthropic", "bedrock/eu.anthropic")
"""Models of other providers that cache as Anthropic does: only with marks."""
_TOKENIZERS = (
    (re.compile(r"gpt-oss"), "o200k_harmony"),
    (re.compile(r"(^|/)(gpt-4o|chatgpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|o1|o3|o4)(?![\d])"), "o200k_base"),
    (re.compile(r"(^|/)(gpt-4|gpt-3\.5)(?![\d.o])"), "cl100k_base"),
    (re.compile(r"llama-?3"), "llama3"),
    (re.compile(r"qwen-?3"), "qwen3"),
)


def provider_of(model: str) -> Provider:
    """The provider in a model's name; an empty entry if it is not in the table."""
    return PROVIDERS.get(model.partition("/")[0], _UNKNOWN)


def is_engine(model: str) -> bool:
    """Whether the embedded engine runs this model."""
    return without_adapter(model) == "embedded" or model.startswith("gguf:")


def without_adapter(model: str) -> str:
    """The engine's model without the adapter in its name: `embedded+lora-1a2b3c4d` is `embedded`."""
    return _ADAPTER.sub("", model)


def runs_here(model: str) -> bool:
    """Whether a model runs on the user's own machines, where tokens have no price."""
    hosted = model.startswith("ollama/") and model.endswith("cloud")
    return is_engine(model) or (provider_of(model).local and not hosted)


def own_tokenizer(model: str) -> str | None:
    """The name of a model's own tokenizer; None if unknown or not public."""
    if is_engine(model):
        return without_adapter(model)
    return next((tokenizer for pattern, tokenizer in _TOKENIZERS if pattern.search(model.lower())), None)


def rule_of(model: str) -> CacheRule | None:
    """The cache rule for a model; None if unknown."""
    name = model.partition("/")[2]
    return next((rule for rule in provider_of(model).caches if re.search(rule.models, name)), None)


def wants_marks(model: str) -> bool:
    """Whether the provider caches little or nothing unless a request marks prefixes."""
    return any(rule.marked for rule in provider_of(model).caches) or model.startswith(_MARKS)


def check_name(name: str) -> None:
    """Refuse a name that no provider could have, before anything is planned with it."""
    if not is_engine(name) and "/" not in name.strip("/"):
        shown = one_line(name, 80)
        raise BadInput(
            f"unknown model '{shown}'; give 'embedded', gguf:PATH or PROVIDER/NAME, for instance "
            f"openai/{shown.strip('/') or 'NAME'}."
            + (did_you_mean(name, ["embedded"]) if name.startswith("emb") else "")
        )


def check_address(address: str | None) -> None:
    """Refuse an invalid address, or one with a password: addresses are recorded in logs."""
    from urllib.parse import urlsplit

    if address is None:
        return
    try:
        parts = urlsplit(address)
        port = parts.port or 0
    except ValueError:
        raise BadInput(
            f"--base-url {one_line(address, 80)} is no address; give for instance http://127.0.0.1:8080/v1"
        ) from None
    if parts.username is not None or parts.password is not None:
        raise BadInput(
            f"--base-url {parts.hostname}: the address holds a password, and logs contain addresses; put the key "
            f"in the environment (for openai-api/NAME/MODEL in NAME_API_KEY)"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or port < 0:
        raise BadInput(f"--base-url {one_line(address, 80)} is no address; give for instance http://127.0.0.1:8080/v1")
