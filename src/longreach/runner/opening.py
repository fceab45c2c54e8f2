"""Opens models by the names users write, and reads what their servers say of themselves."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.request import getproxies

from inspect_ai.model import GenerateConfig, Model, ModelAPI, get_model, modelapi

from longreach.errors import BadInput, LongreachError, keep_secret, names_a_secret, one_line
from longreach.models.addresses import is_private, service_key
from longreach.models.providers import check_address, check_name, is_engine

from .inspect_private import OpenAICompatibleAPI, linear_reasoning, reads_chat_completions

OURS = "longreach"
_SERVED = {"vllm": "openai-api", "vllm-completions": "openai-api-completions"}
"""Providers that are asked as any OpenAI-compatible server where the user names the server's address: Inspect's own
remember one address per model and process."""
_PATIENCE = 3.0
"""Seconds for what a server says of itself."""
_LONGEST_METRICS = 16_000_000
"""Characters of a server's metrics that are read."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

linear_reasoning()


@modelapi(name=OURS)
def engine_model() -> type[ModelAPI]:
    """`longreach/embedded` and `longreach/gguf:PATH`: the engine in this process, called over loopback HTTP."""
    from longreach.models.engine import engine_for

    class EngineAPI(OpenAICompatibleAPI):
        """An OpenAI-compatible model whose server starts with it."""

        def __init__(
            self,
            model_name: str,
            base_url: str | None = None,
            api_key: str | None = None,
            config: GenerateConfig | None = None,
            **model_args: Any,
        ) -> None:
            engine = engine_for(model_name, model_args)
            super().__init__(
                model_name=model_name,
                base_url=base_url or engine.base_url,
                api_key=api_key or engine.key,
                config=config or GenerateConfig(),
                service=OURS,
                stream=False,
            )

        def max_connections(self) -> int:
            return 1

    return EngineAPI


def model_label(name: str) -> str:
    """A model's name as users write it."""
    return name.removeprefix(f"{OURS}/")


def inspect_name(name: str) -> str:
    """A model's name as Inspect has it."""
    return f"{OURS}/{name}" if is_engine(name) else name


def open_model(name: str, *, base_url: str | None = None, arguments: Mapping[str, Any] | None = None) -> Model:
    """A model by the name users write; Inspect's objections become one line."""
    check_name(name)
    check_address(base_url)
    _check_proxies()
    given = dict(arguments or {})
    for argument, value in given.items():
        if names_a_secret(argument) or isinstance(value, Mapping):
            keep_secret(value)
    _strip_keys()
    known, base_url = _placed(name, base_url, given)
    try:
        model = get_model(known, base_url=base_url, memoize=False, **given)
    except LongreachError:
        raise
    except ModuleNotFoundError as error:
        raise BadInput(
            f"model '{name}' needs the Python module '{error.name}', which is not installed; install this provider's "
            f"client package (longreach models lists some)"
        ) from None
    except Exception as error:
        raise BadInput(f"model '{name}' cannot be used: {one_line(str(error))}") from None
    if _CONTROL.search(str(model.api.api_key or "")):
        raise BadInput(
            f"the key of {name} has a control character (a line break?) in it; set the environment variable again, "
            f"with the key alone"
        )
    return model


def _placed(name: str, base_url: str | None, given: dict[str, Any]) -> tuple[str, str | None]:
    """The name and address by which Inspect opens a model; what its provider needs beside is added to `given`."""
    provider, _, rest = name.partition("/")
    if provider in _SERVED and (address := base_url or os.environ.get("VLLM_BASE_URL")):
        given.setdefault("api_key", os.environ.get("VLLM_API_KEY") or "none")
        return f"{_SERVED[provider]}/vllm/{rest}", address
    if provider == "openai-api" and base_url and is_private(base_url):
        if not os.environ.get(service_key(rest.partition("/")[0])):
            given.setdefault("api_key", "none")
    elif provider in _SERVED:
        given.setdefault("lazy_init", False)  # a server that cannot start is known before anything is recorded
    return inspect_name(name), base_url


def served_window(model: Model) -> int:
    """Tokens of the window that a vLLM or SGLang server gives the model; 0 if it does not say."""
    import httpx

    with (
        contextlib.suppress(httpx.HTTPError, ValueError, AttributeError, ImportError),
        httpx.Client(timeout=_PATIENCE) as client,
    ):
        address = str(model.api.base_url).rstrip("/")
        told = client.get(f"{address}/models", headers={"Authorization": f"Bearer {model.api.api_key}"}).json()
        sizes = [each.get("max_model_len") for each in told.get("data", ())]
        return next((size for size in sizes if isinstance(size, int) and size > 0), 0)
    return 0


class ServerCache(NamedTuple):
    """The prefix cache of a server."""

    tokens: int
    """That it holds."""
    queues: bool
    """Whether a request may come before a prefix that it shares is computed: vLLM computes one after the other, and
    looks for what is cached when a request's turn comes."""


def server_cache(model: Model) -> ServerCache | None:
    """What a vLLM or SGLang server says of its prefix cache; None if it does not say."""
    address = model.api.base_url
    if address is None or not reads_chat_completions(model.api):
        return None
    import httpx

    root = address.rstrip("/").removesuffix("/v1")
    with contextlib.suppress(httpx.HTTPError, ValueError, ImportError), httpx.Client(timeout=_PATIENCE) as client:
        for line in client.get(f"{root}/metrics").text[:_LONGEST_METRICS].splitlines():
            if line.startswith("vllm:cache_config_info"):
                sizes = dict(re.findall(r'(block_size|num_gpu_blocks)="(\d{1,12})"', line))
                whole = len(sizes) == 2
                return ServerCache(int(sizes["block_size"]) * int(sizes["num_gpu_blocks"]), True) if whole else None
        told = client.get(f"{root}/get_server_info").json()
        size = told.get("max_total_num_tokens") if isinstance(told, dict) else None
        return ServerCache(size, False) if isinstance(size, int) and size > 0 else None
    return None


def _check_proxies() -> None:
    """Refuse a SOCKS proxy that no client here can use: each would fail with an error of its own."""
    socks = [scheme for scheme, address in getproxies().items() if address.lower().startswith("socks")]
    if socks and importlib.util.find_spec("socksio") is None:
        raise BadInput(
            f"the environment names a SOCKS proxy ({socks[0]}_proxy), which needs the package socksio; run: "
            f"pip install 'httpx[socks]', or unset it"
        )


def _strip_keys() -> None:
    """Remove white space around keys in this process's environment: a key read from a file ends in a line break, which
    no header may have."""
    for name, value in list(os.environ.items()):
        if names_a_secret(name) and value != value.strip():
            keep_secret(value)
            os.environ[name] = value.strip()
