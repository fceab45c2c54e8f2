"""Before a run: does its longest prompt arrive whole? Asks with marks that the model has to repeat, and for what the
server says of its own window."""

from __future__ import annotations

import contextlib
import random
import re
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
import numpy as np

from longreach.core.bench import Bench
from longreach.core.preflight import Preflight
from longreach.core.types import Call, Item, Tokenizer
from longreach.families.showing import item_prompt
from longreach.models.prices import Price
from longreach.models.tokenizers import get_tokenizer

from .arrival import MARKS, Arrived, Asking, PromptToSend, Sent, arriving, ascending, evenly, run_ceiling, usage_of
from .replies import ModelReply

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model

    from longreach.models.chat_template import ChatTemplate

    from .budget import BudgetGuard
    from .provider_calls import ProviderClient
    from .server_health import ServerHealth

SHORTEST = 4096
"""Tokens of the longest prompt below which nothing is sent: no server has a smaller window without being told to."""
_ANSWER = 400
"""Output tokens for nine marks,"""
_REASONED = 4000
"""and for a model that used them up with reasoning."""
_MOST = 9
"""Requests of a preflight, at most: a budget must have room for them."""
_RETRIES = 2
_GREETED = 8192
"""Tokens of the longest prompt above which a server that is silent gets a short one: one that hangs is known soon."""
_GREETING, _GREETED_WITH = "Reply with: ok", 16
"""What it says, and output tokens."""
_LETTERS = 4
"""Per token, for what a prompt may take."""
_WATCHED = 5000
"""Requests of a run in which a ceiling is looked for."""
_TURN = 0.37
"""Of the text lies between the beginnings of two texts of a preflight."""
_OPEN = (
    "The text below contains {count} lines of the form [mark N: 123456]. After it, write down the number of every such "
    "line that you can see, in order, one per line, and nothing else.\n\n"
)
_LINE = "\n[mark {number}: {code}]\n"
_CLOSE = (
    "\n\nWrite down the six-digit number of every line of the form [mark N: 123456] in the text above, in order, one "
    "per line, and nothing else."
)
_PATIENCE = 3.0
_LONGEST_REPLY = 4_000_000
_WINDOWS = (
    *("max_model_len", "loaded_context_length", "n_ctx", "num_ctx", "context_window", "context_length"),
    "max_context_length",
)
"""What servers call the window that they give a model; the first that is there counts."""


class MarkedPrompt(NamedTuple):
    """A text with marks."""

    text: str
    tokens: int
    codes: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


class MarkedTexts:
    """Makes prompts with marks out of one text."""

    def __init__(self, text: str, tokenizer: Tokenizer, chance: random.Random | None = None) -> None:
        self._data = text.encode() or b"- "
        self._tokenizer = tokenizer
        self._chance = chance or random.Random()
        ends = tokenizer.boundaries([text])[0] if text else np.array([2])
        data = np.frombuffer(self._data + b" ", dtype=np.uint8)
        # Marks stand where a word begins; in a script without spaces, at any character.
        spaced = ends[np.isin(data[ends], [9, 10, 32])]
        whole = spaced if len(spaced) > len(ends) // 8 else ends[(data[ends] & 0xC0) != 0x80]
        self._cuts = np.concatenate([[0], whole])
        self._counts = np.searchsorted(ends, self._cuts, side="right")
        self._opening = tokenizer.count(_OPEN.format(count=MARKS))
        self._closing = tokenizer.count(_CLOSE)
        self._mark = tokenizer.count(_LINE.format(number=1, code=654321))

    def prompt(self, ask: PromptToSend) -> MarkedPrompt:
        """The prompt of a request, of about as many tokens as it asks for."""
        count = len(ask.places) or MARKS
        codes = tuple(str(number) for number in self._chance.sample(range(123_457, 1_000_000), count))
        room = max(MARKS, ask.tokens - self._opening - self._closing - count * self._mark)
        wanted = ask.places or tuple(evenly(self._opening, ask.tokens - self._closing - self._mark))
        # Places count the marks before them; what is cut out of the text does not.
        own = [min(max(0, place - self._opening - number * self._mark), room) for number, place in enumerate(wanted)]
        text = _OPEN.format(count=count)
        done = 0
        places: list[tuple[int, int]] = []
        for number, (code, place) in enumerate(zip(codes, ascending(own, 0), strict=True), 1):
            text += self._slice(ask.text, done, place)
            start = len(text.encode())
            text += _LINE.format(number=number, code=code)
            places.append((start, len(text.encode())))
            done = place
        text += self._slice(ask.text, done, room) + _CLOSE
        ends = self._tokenizer.boundaries([text])[0]
        starts, stops = (
            tuple(int(np.searchsorted(ends, pair[side], side="left")) for pair in places) for side in (0, 1)
        )
        return MarkedPrompt(text, len(ends), codes, starts, stops)

    def _slice(self, text: int, start: int, end: int) -> str:
        """Tokens `start` to `end` of one of the texts, which all go round the same one from different places."""
        whole = int(self._counts[-1])
        at = round(text * _TURN * whole) % max(1, whole)
        parts: list[bytes] = []
        low, left = (at + start) % max(1, whole), end - start
        while left > 0:
            take = min(left, whole - low)
            first, last = np.searchsorted(self._counts, [low, low + take])
            parts.append(self._data[self._cuts[first] : self._cuts[min(last, len(self._cuts) - 1)]])
            low, left = 0, left - max(1, take)
        return b"".join(parts).decode(errors="ignore")


def marks_in(reply: ModelReply, codes: Sequence[str]) -> tuple[bool, ...]:
    """Which marks a reply repeats, in its answer or its reasoning."""
    text = re.sub(r"(?<=\d)[ ,.\u202f\u00a0'](?=\d)", "", f"{reply.reasoning}\n{reply.text}")
    return tuple(code in text for code in codes)


class PreflightUsage(NamedTuple):
    """What a preflight used."""

    requests: int = 0
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_out: int = 0
    cost: float | None = None

    def plus(self, reply: ModelReply, tokens: int, price: Price | None) -> PreflightUsage:
        """With one more request; of `tokens`, if the server does not count."""
        used = reply.usage
        tokens_in, cached, out = (max(used.tokens_in, 0), used.cached, used.tokens_out) if used else (tokens, 0, 0)
        if reply.error and not used:
            tokens_in = 0
        cost = None if price is None else (self.cost or 0.0) + max(0.0, price.cost(tokens_in, cached, out))
        return PreflightUsage(
            self.requests + 1, self.tokens_in + tokens_in, self.tokens_cached + cached, self.tokens_out + out, cost
        )


Say = Callable[[str, int], Awaitable[ModelReply]]
"""Sends a text, for an answer of at most so many tokens."""


async def ask_marks(
    say: Say, texts: MarkedTexts, ask: PromptToSend, limits: Sequence[int] = (_ANSWER, _REASONED)
) -> Any:
    """Sends one prompt with marks: what came of it, the replies, and the prompt."""
    prompt = texts.prompt(ask)
    replies: list[ModelReply] = []
    seen: tuple[bool, ...] = (False,) * len(prompt.codes)
    for limit in limits:
        reply = await say(prompt.text, limit)
        replies.append(reply)
        seen = marks_in(reply, prompt.codes)
        if reply.stop != "max_tokens" or any(seen) or not reply.reasoning:
            break
    reported = None
    if reply.usage is not None and not reply.error:
        reported = reply.usage.tokens_in
    arrived = "refused" if reply.stop == "model_length" else "answered"
    outcome: Any = "failed" if reply.error else arrived
    sent = Sent(prompt.tokens, prompt.starts, prompt.ends, seen, reported, outcome, reply.error)
    return sent, replies, prompt


class PreflightRun:
    """One preflight: its requests, and its record."""

    def __init__(self, bench: Bench, items: Sequence[Item], *, price: Price | None = None) -> None:
        self.items = sorted(items, key=lambda item: -item.tokens)
        self.spent = PreflightUsage()
        self._bench = bench
        self._price = price

    async def send(self, say: Say, window: int | None) -> Arrived:
        """Send what is needed, and say what was found."""
        tokenizer = get_tokenizer(self._bench.corpus.info.tokenizer)
        texts = MarkedTexts(item_prompt(self._bench, self.items[0]), tokenizer)
        asking: Asking = arriving([item.tokens for item in self.items], window)
        ask = next(asking)
        while True:
            sent, replies, prompt = await ask_marks(say, texts, ask)
            for reply in replies:
                self.spent = self.spent.plus(reply, prompt.tokens, self._price)
            if sent.outcome == "failed":  # half of what is needed shows nothing
                asking.close()
                return Arrived("failed", sent, usage_of([sent]))
            try:
                ask = asking.send(sent)
            except StopIteration as ended:
                found: Arrived = ended.value
                return found

    def record(self, found: Arrived, *, series: str, server: str, window: ServerWindow | None) -> Preflight:
        """The record of what was found."""
        first = found.longest
        return Preflight(
            model=series,
            bench=self._bench.info.digest,
            server=server,
            at=round(time.time(), 3),
            verdict=found.verdict,
            longest=first.tokens,
            limit=found.limit,
            share=None if found.share is None else round(found.share, 2),
            keeps=found.keeps,
            by=found.by,
            seen=sum(first.seen),
            marks=len(first.seen),
            window=window.tokens if window else None,
            window_from=window.source if window else "",
            usage=found.usage.word,
            factor=None if found.usage.factor is None else round(found.usage.factor, 4),
            error=first.error[:300],
            requests=self.spent.requests,
            tokens_in=self.spent.tokens_in,
            tokens_cached=self.spent.tokens_cached,
            tokens_out=self.spent.tokens_out,
            cost=self.spent.cost,
        )


def spent_call(found: Preflight) -> Call:
    """What a preflight used, as one call: it counts towards a budget."""
    return Call(
        model=found.model,
        family="",
        bench=found.bench,
        item="preflight",
        text="",
        tokens_in=found.tokens_in,
        tokens_cached=found.tokens_cached,
        tokens_out=found.tokens_out,
        cost=found.cost,
    )


def check_arrival(
    bench: Bench,
    items: Sequence[Item],
    model: Model,
    config: GenerateConfig,
    *,
    series: str,
    server: str,
    earlier: Sequence[Preflight],
    price: Price | None = None,
    budget: BudgetGuard | None = None,
    template: ChatTemplate | None = None,
    health: ServerHealth | None = None,
) -> Preflight | None:
    """The preflight of a run: an earlier one, or a new one, which is sent now; None where none is needed, or where the
    budget has no room for it. `items` are what the run sends."""
    longest = max((item.tokens for item in items), default=0)
    if longest < SHORTEST // 2:
        return None
    window = server_window(model)
    if longest < SHORTEST and (window is None or window.tokens >= longest):
        return None
    about = window.tokens if window else None
    known = known_preflight(
        earlier, series=series, digest=bench.info.digest, server=server, longest=longest, window=about
    )
    if known is not None:
        return known
    from .provider_calls import ProviderClient
    from .sender import run_async

    if budget is not None and not budget.has_room(longest, _ANSWER, requests=_MOST):
        return None
    client = ProviderClient(model, template, health)
    made, found = PreflightRun(bench, items, price=price), list[Arrived]()
    say = _patient(client, made, config)

    async def send() -> None:
        found.append(await made.send(say, about))

    run_async(send)
    record = made.record(found[0], series=series, server=server, window=window)
    if budget is not None:
        budget.charge(spent_call(record))
    return record


def _patient(client: ProviderClient, made: PreflightRun, config: GenerateConfig) -> Say:
    """Sends texts. A server that is silent at a first long one is slow or hangs: a short one shows which, as soon as
    the long one is given up."""
    from inspect_ai.model import ChatMessageUser

    from .server_health import LEAST_PATIENCE

    retries = min(config.max_retries or 0, _RETRIES)

    async def ask(text: str, limit: int) -> ModelReply:
        more = {"max_tokens": limit, "max_retries": retries}
        about = len(text) // _LETTERS
        return await client.ask([ChatMessageUser(content=text)], config.model_copy(update=more), tokens=about)

    async def say(text: str, limit: int) -> ModelReply:
        if made.items[0].tokens > _GREETED and not made.spent.requests:
            with anyio.move_on_after(LEAST_PATIENCE):
                return await ask(text, limit)
            greeted = await ask(_GREETING, _GREETED_WITH)
            if client.health.trouble:
                return greeted
        return await ask(text, limit)

    return say


class CutWatch:
    """Watches the tokens that a server reports in a run: an answer to a prompt that it cut is no answer."""

    def __init__(self, preflight: Preflight | None, *, series: str, digest: str, server: str) -> None:
        self.found = preflight
        """What is known of the server, changed as soon as the run shows a ceiling."""
        self._base = {"model": series, "bench": digest, "server": server}
        self._counted: list[tuple[int, int]] = []

    @property
    def limit(self) -> int | None:
        """Tokens that arrive of a longer prompt; None if nothing shows a cut."""
        return self.found.limit if self.found is not None and self.found.verdict == "cut" else None

    def see(self, tokens: int, reported: int | None) -> bool:
        """Take in one answered request; True if it is the one that shows a ceiling."""
        if reported is None or self.limit is not None:
            return False
        if self.found is not None and self.found.verdict == "whole" and tokens <= 1.03 * self.found.longest:
            return False  # marks have shown that it arrives
        self._counted.append((tokens, reported))
        if len(self._counted) > _WATCHED:
            return False
        usage = run_ceiling(self._counted)
        if usage is None or (limit := usage.limit()) is None:
            return False
        longest = max(sent for sent, _ in self._counted)
        before = self.found.model_dump() if self.found is not None else self._base | {"longest": longest}
        spent = dict.fromkeys(("requests", "tokens_in", "tokens_cached", "tokens_out"), 0)
        more: dict[str, Any] = {"verdict": "cut", "by": ("usage",), "limit": limit, "usage": "ceiling", "cost": None}
        more |= {"factor": round(usage.factor or 0, 4), "at": round(time.time(), 3), "keeps": ""}
        self.found = Preflight.parse(before | spent | more, "preflight")
        return True

    def cuts(self, tokens: int, reported: int | None) -> bool:
        """Whether a prompt of so many tokens was cut. Where the server counts, a prompt that it counted whole was not:
        another replica may have answered."""
        if self.limit is None or self.found is None or tokens <= self.limit:
            return False
        if "usage" in self.found.by and self.found.factor and reported is not None:
            return reported < 0.97 * self.found.factor * tokens
        return True


def known_preflight(
    found: Sequence[Preflight], *, series: str, digest: str, server: str, longest: int, window: int | None
) -> Preflight | None:
    """An earlier preflight that need not be repeated: of the same server, which says the same of itself, of a prompt as
    long, and without a cut."""
    for each in reversed(found):
        if each.model == series and each.bench == digest:
            same = each.server == server and each.window == window and each.longest >= 0.97 * longest
            return each if same and each.verdict in ("whole", "lost", "unable") else None
    return None


# What a server says of its window.


class ServerWindow(NamedTuple):
    """The window that a server gives a model, by its own words."""

    tokens: int
    source: str


def server_window(model: Model) -> ServerWindow | None:
    """What a server says of the window of a model, at the addresses where vLLM, SGLang, llama.cpp, LM Studio and Ollama
    do; None if it does not."""
    address = model.api.base_url
    if address is None:
        return None
    name = str(model.api.model_name)
    return window_at(address, str(model.api.api_key or ""), {name, name.rpartition("/")[2], name.partition("/")[2]})


def window_at(address: str, key: str, names: Collection[str]) -> ServerWindow | None:
    """The same by address, key and the names that the model may have there."""
    import httpx

    root = address.rstrip("/").removesuffix("/v1")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with httpx.Client(timeout=_PATIENCE, headers=headers) as client:

        def told(method: str, path: str, **body: Any) -> Any:
            with contextlib.suppress(httpx.HTTPError, ValueError):
                reply = client.request(method, root + path, json=body or None)
                if reply.status_code == 200 and len(reply.content) <= _LONGEST_REPLY:
                    return reply.json()
            return None

        if (found := _in_props(told("GET", "/props"))) is not None:
            return ServerWindow(found, "/props")
        ollama = told("GET", "/api/version")
        if isinstance(ollama, dict) and isinstance(ollama.get("version"), str):
            if (found := _listed(told("GET", "/api/ps"), "models", names)) is not None:
                return ServerWindow(found, "/api/ps")
            for name in sorted(names):
                if (found := _shown(told("POST", "/api/show", model=name))) is not None:
                    return ServerWindow(found, "/api/show")
        for path in ("/api/v0/models", "/v1/models"):
            if (found := _listed(told("GET", path), "data", names)) is not None:
                return ServerWindow(found, path)
    return None


def _tokens(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9 else None


def _in_props(told: Any) -> int | None:
    """llama.cpp: the window of one slot."""
    settings = told.get("default_generation_settings") if isinstance(told, dict) else None
    return _tokens(settings.get("n_ctx")) if isinstance(settings, dict) else None


def _listed(told: Any, key: str, names: Collection[str]) -> int | None:
    """The window in a list of models: of the one with the name, or of the only one."""
    entries = told.get(key) if isinstance(told, dict) else None
    entries = [each for each in entries if isinstance(each, dict)] if isinstance(entries, list) else []
    own = [each for each in entries if {each.get("id"), each.get("name"), each.get("model")} & set(names)]
    for each in own or (entries if len(entries) == 1 else []):
        for field in _WINDOWS:
            if (tokens := _tokens(each.get(field))) is not None:
                return tokens
    return None


def _shown(told: Any) -> int | None:
    """Ollama: the `num_ctx` of a model's parameters; what its weights could take is not what it is given."""
    parameters = told.get("parameters") if isinstance(told, Mapping) else None
    match = re.search(r"^\s*num_ctx\s+(\d{1,9})\s*$", parameters, re.MULTILINE) if isinstance(parameters, str) else None
    return _tokens(int(match[1])) if match else None
