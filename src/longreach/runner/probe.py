"""Is a server right at every length? Asks it to copy, which any model can: what arrives, what is equal, what is wrong
where."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, NamedTuple

import httpx

from longreach.core.files import write_whole
from longreach.core.formatting import format_seconds, format_tokens
from longreach.core.preflight import rounded
from longreach.core.types import Frozen
from longreach.errors import BadInput, ModelCallFailed, one_line, without_secrets
from longreach.models.addresses import read_model, use_key
from longreach.models.providers import is_engine
from longreach.models.tokenizers import get_tokenizer
from longreach.text.documents import built_in_documents

from .arrival import MARKS, Arrived, PromptToSend, Sent, arriving
from .preflight import MarkedTexts, marks_in, window_at
from .replies import read_chat

_NOUNS = """
red blue green black white gold silver river table house horse paper water stone glass door tree fire moon star king
queen ship wind snow rain salt iron wood rose bread milk wheel chair lamp clock bridge tower garden field
"""
_WORDS = tuple(re.findall("[a-z]+", _NOUNS))
"""Common words: one token each, with the space before it, in the usual vocabularies."""
_LINE = 10
"""Words of a line that is copied,"""
_CUE = 4
"""of which so many are given: the others are to follow."""
_ANSWER = 8
_LEAST = 256
"""Tokens of the shortest swept prompt."""
_FINE = 8192
"""Tokens up to which every residue modulo 16 is tried; beyond it modulo 4."""
_MOST = 32_768
"""Tokens of the longest prompt unless it is given."""
_ROOM = 48
"""Tokens by which a text falls short of its length, before it is filled up word by word."""
_FITS = 4
"""Texts that are tried for a length."""
_AGAIN = 2
"""Other lines with which a wrong length is tried again."""
_EQUAL_SHORTEST = 512
_EQUAL_TEXTS = 2
_FAST = 1.0
"""Seconds for 1,500 tokens: a server that takes longer is asked fewer texts again."""
_LOAD = 3
"""Other requests in flight."""
_COUNTED = (0.6, 2.5)
"""Tokens of one tokenizer per token of another; beyond it the count is no tokenizer's."""
_TOKENIZER = "o200k_base"
_LATER = "Copy the line that is not complete:"


class ProbeLine(Frozen):
    """One thing that was tried."""

    about: str
    text: str
    wrong: bool = False


class ProbeResult(Frozen):
    """What a probe of one server found."""

    model: str
    verdict: Literal["passed", "broken"]
    headline: str
    lines: tuple[ProbeLine, ...]
    limit: int | None = None
    """Tokens that arrive of a longer prompt, if it cuts."""
    wrong_lengths: tuple[int, ...] = ()
    """Lengths in tokens at which it copies wrongly, whatever is copied."""
    to: int
    requests: int
    tokens: int
    """Sent, cached ones included."""
    seconds: float

    @property
    def broken(self) -> bool:
        return self.verdict == "broken"

    def text_lines(self) -> list[str]:
        """The screen."""
        wide = max(len(line.about) for line in self.lines) + 3
        used = f"{format_tokens(self.tokens)} tokens, {self.requests} requests, {format_seconds(self.seconds)}."
        body = [f"{line.about:<{wide}}{'WRONG: ' if line.wrong else ''}{line.text}" for line in self.lines]
        return [self.headline, "", *body, "", used]

    def __repr__(self) -> str:
        return "\n".join(self.text_lines())


class ProbedRequest(NamedTuple):
    """What came of one request."""

    text: str
    reported: int | None
    """Tokens of the prompt by the server's count."""
    error: str = ""
    status: int = 200
    hung: bool = False


class Server:
    """One model behind an OpenAI-compatible address."""

    def __init__(self, address: str, key: str, name: str, timeout: float) -> None:
        self.name = name
        self.address = address.rstrip("/")
        self.key = key
        self.requests = 0
        self.log: list[dict[str, Any]] = []
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(timeout=timeout, headers=headers, trust_env=not _is_local(self.address))
        self.completes = self._completes()
        """Whether it continues raw text; if not, it is asked in a chat."""

    def _completes(self) -> bool:
        sent = self._post("/completions", {"prompt": "one two three one two", "max_tokens": 2})
        if sent.status in (404, 405, 501) or (sent.status < 300 and not sent.text):
            return False
        if sent.error and sent.status not in (400, 422):
            raise ModelCallFailed(f"{self.address}: {sent.error}; give the address of a server that answers")
        return not sent.error

    def copy(
        self, text: str, line: Sequence[str], *, ids: list[int] | None = None, tokens: int = _ANSWER
    ) -> ProbedRequest:
        """Ask for the rest of a line after a text that ends in it, twice."""
        if self.completes:
            return self._post("/completions", {"prompt": ids or text, "max_tokens": tokens})
        asked = f"{text}\n\n{_LATER} {' '.join(line[:_CUE])} ..."
        return self.chat([{"role": "user", "content": asked}], tokens=4 * tokens)

    def chat(self, messages: list[dict[str, str]], *, tokens: int = 4 * _ANSWER) -> ProbedRequest:
        """A chat completion."""
        return self._post("/chat/completions", {"messages": messages, "max_tokens": tokens})

    def ids(self, text: str) -> list[int] | None:
        """The token ids of a text, where the server says them."""
        root = self.address.removesuffix("/v1")
        for body in ({"content": text, "add_special": True}, {"model": self.name, "prompt": text}):
            try:
                told = self._client.post(f"{root}/tokenize", json=body).json()
            except (httpx.HTTPError, ValueError):
                return None
            found = told.get("tokens") if isinstance(told, dict) else None
            if isinstance(found, list) and found and all(isinstance(each, int) for each in found):
                return found
        return None

    def _post(self, path: str, body: Mapping[str, Any]) -> ProbedRequest:
        self.requests += 1
        begun = time.monotonic()
        whole = {"model": self.name, "temperature": 0, **body}
        try:
            reply = self._client.post(self.address + path, json=whole)
            answer = _answer(reply)
        except httpx.TimeoutException:
            answer = ProbedRequest("", None, "no answer within the time limit", 0, hung=True)
        except httpx.HTTPError as error:
            answer = ProbedRequest("", None, one_line(str(error) or type(error).__name__), 0)
        seconds = round(time.monotonic() - begun, 3)
        self.log.append({"path": path, "seconds": seconds, **answer._asdict()})
        return answer


def _answer(reply: httpx.Response) -> ProbedRequest:
    try:
        data = reply.json()
    except ValueError:
        data = reply.text[:500]
    if reply.status_code >= 300 or not isinstance(data, dict) or data.get("error"):
        error = data.get("error", data) if isinstance(data, dict) else data
        message = error.get("message", error) if isinstance(error, dict) else error
        text = one_line(without_secrets(str(message)))
        return ProbedRequest("", None, f"HTTP {reply.status_code}: {text}", reply.status_code)
    read = read_chat(data, None)
    if read is None:
        return ProbedRequest("", None, "no answer in the reply", reply.status_code)
    # The prompt's count stands also where the answer's is missing.
    usage = data.get("usage")
    count = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return ProbedRequest(
        f"{read.reasoning}\n{read.text}" if read.reasoning else read.text, count if _whole(count) else None
    )


def _whole(count: Any) -> bool:
    return isinstance(count, int) and not isinstance(count, bool) and count > 0


def _is_local(address: str) -> bool:
    return re.match(r"https?://(127\.|localhost|\[::1\])", address) is not None


class _Tried(NamedTuple):
    length: int
    right: bool
    expected: str
    text: str


class Probe:
    """One probe."""

    def __init__(
        self, server: Server, to: int, *, seed: int = 1, progress: Callable[[str], None] | None = None
    ) -> None:
        self._server = server
        self._to = to
        self._chance = random.Random(seed)
        self._progress = progress or (lambda _: None)
        self._tokenizer = get_tokenizer(_TOKENIZER)
        text = "\n\n".join(document.text for document in built_in_documents())
        self._data = text.encode()[: 8 * to + 100_000]
        self._ends = self._tokenizer.boundaries([self._data.decode(errors="ignore")])[0]
        self._lines: list[str] = []
        self._factor, self._extra = 1.0, 0.0
        self.counts = False
        """Whether the server's counts can be trusted to say how long a prompt is."""
        self.sent = 0
        self._known: dict[int, tuple[str, int]] = {}
        """The text of each swept length, and what the server counts of its prompt."""
        self._refused = False
        self._fast = True

    # What is sent.

    def _filler(self, tokens: int, start: int = 0) -> str:
        """About so many tokens of text, by the server's count if that is known."""
        own = max(1, round((tokens - self._extra) / self._factor))
        low = int(self._ends[start - 1]) if start else 0
        high = int(self._ends[min(start + own, len(self._ends)) - 1])
        return self._data[low:high].decode(errors="ignore").rstrip()

    def _line(self) -> list[str]:
        line = self._chance.sample(_WORDS, _LINE)
        self._lines.append(" ".join(line))
        return line

    def _prompt(self, filler: str, pad: int, line: Sequence[str]) -> str:
        whole, cue = " ".join(line), " ".join(line[:_CUE])
        return f"{filler}{' and' * pad}\n\n {whole}\n {whole}\n {cue}"

    def _ask(self, filler: str, pad: int, line: Sequence[str], ids: bool = False) -> tuple[ProbedRequest, str]:
        prompt = self._prompt(filler, pad, line)
        self.sent += self._tokenizer.count(prompt)
        found = self._server.ids(prompt) if ids else None
        return self._server.copy(prompt, line, ids=found), prompt

    # What is found.

    def calibrate(self) -> ProbeLine:
        """Learns what the server counts; says so."""
        sizes, points = (300, 1500), list[tuple[int, int | None]]()
        for size in sizes:
            begun = time.monotonic()
            answer, prompt = self._ask(self._filler(size), 0, self._line())
            self._fast = time.monotonic() - begun < _FAST
            if answer.error:
                raise ModelCallFailed(f"{self._server.address}: {answer.error}; fix the cause and probe again")
            points.append((self._tokenizer.count(prompt), answer.reported))
        (few, short), (many, long) = points
        if short is None or long is None:
            return ProbeLine(
                about="tokens reported", text="none: lengths are counted here, and are estimates", wrong=True
            )
        factor = (long - short) / (many - few)
        if not _COUNTED[0] <= factor <= _COUNTED[1]:
            text = f"{factor:.2g} per token sent, which no tokenizer counts"
            return ProbeLine(about="tokens reported", text=text, wrong=True)
        self.counts, self._factor, self._extra = True, factor, max(0.0, short - factor * few)
        text = f"in proportion to the text: {factor:.2f} per token of {_TOKENIZER}"
        return ProbeLine(about="tokens reported", text=text)

    def sweep(self, longest: int) -> tuple[ProbeLine, tuple[int, ...]]:
        """Copies at every residue, up to the first prompt that is refused: the lengths at which it is wrong whatever is
        copied."""
        tried: dict[int, list[_Tried]] = {}
        base = _LEAST
        while base <= longest:
            self._progress(f"copying at {base:,} tokens")
            steps = 17 if base <= _FINE else 5
            for length in range(base - 1, min(base - 1 + steps, longest + 1)):
                self._try(base, length, tried)
                if self._refused:
                    return self._swept(tried)
            base *= 2
        return self._swept(tried)

    def _swept(self, tried: dict[int, list[_Tried]]) -> tuple[ProbeLine, tuple[int, ...]]:
        """Tries wrong lengths again, with other lines."""
        wrong = [length for length, own in tried.items() if not own[0].right]
        certain: list[int] = []
        for length in wrong:
            for _ in range(_AGAIN):
                self._try(_base(length), length, tried)
            if not any(each.right for each in tried[length]):
                certain.append(length)
        return self._copying(tried, wrong, certain)

    def _try(self, base: int, length: int, tried: dict[int, list[_Tried]]) -> None:
        line = self._line()
        if base not in self._known:
            self._known[base] = self._fitted(base, line)
        filler, own = self._known[base]
        answer, prompt = self._ask(filler, max(1, length - own), line)
        if answer.error:
            self._refused = True
            return
        exact = answer.reported if self.counts and answer.reported else self._count(prompt)
        right = _copied(answer.text, line)
        tried.setdefault(length, []).append(_Tried(exact, right, " ".join(line), answer.text or answer.error))

    def _fitted(self, base: int, line: Sequence[str]) -> tuple[str, int]:
        """A text whose prompt falls a little short of a length, and what is counted of it."""
        wanted, filler, own = base - _ROOM - 3 * _LINE, "", 0
        for _ in range(_FITS):
            filler = self._filler(wanted)
            first, prompt = self._ask(filler, 1, line)  # the first word of padding may split the token before it
            own = (first.reported if self.counts and first.reported else self._count(prompt)) - 1
            if base - 3 * _ROOM <= own < base - 1:
                break
            wanted += base - _ROOM - own
        return filler, own

    def _count(self, prompt: str) -> int:
        return round(self._factor * self._tokenizer.count(prompt) + self._extra)

    def _copying(
        self, tried: Mapping[int, list[_Tried]], wrong: Sequence[int], certain: Sequence[int]
    ) -> tuple[ProbeLine, tuple[int, ...]]:
        others = [each for own in tried.values() for each in own if not each.right and self._other(each)]
        lengths = tuple(sorted(tried[length][0].length for length in certain))
        if others:
            text = f"answers of another request, {len(others)} times, first at {others[0].length:,} tokens"
            return ProbeLine(about="copying", text=text, wrong=True), lengths
        if certain:
            every = [own[0].length for own in tried.values()]
            return ProbeLine(about="copying", text=where(every, lengths), wrong=True), lengths
        slips = f"; {len(wrong)} slips, none twice at a length" if wrong else ""
        return ProbeLine(about="copying", text=f"right at {len(tried)} lengths to {max(tried):,} tokens{slips}"), ()

    def _other(self, tried: _Tried) -> bool:
        """Whether an answer continues a line of another request."""
        said = " ".join(tried.text.split()[: _LINE - _CUE])
        rest = [" ".join(line.split()[_CUE:]) for line in self._lines if line != tried.expected]
        return len(said.split()) >= 4 and any(part.startswith(said) or said.startswith(part) for part in rest)

    def equal(self, longest: int) -> list[ProbeLine]:
        """The same prompt again, under load, with a cached prefix, as token ids."""
        same: dict[str, list[tuple[int, bool, str]]] = {}
        size, number = min(_EQUAL_SHORTEST, longest), 0
        most = longest // 2 if self._fast else 2048
        while size <= max(most, _EQUAL_SHORTEST):
            self._progress(f"the same prompt again, at {size:,} tokens")
            for _ in range(_EQUAL_TEXTS if self._fast else 1):
                number += 1
                self._equal_at(size, 997 * number, same)
            size *= 2
        return [_equal_line(about, found) for about, found in same.items()]

    def _equal_at(self, size: int, start: int, same: dict[str, list[tuple[int, bool, str]]]) -> None:
        line = self._line()
        filler = self._filler(size - 3 * _LINE, start)
        cold, prompt = self._ask(filler, 0, line)
        exact = cold.reported if self.counts and cold.reported else self._count(prompt)

        def note(about: str, one: ProbedRequest, other: ProbedRequest) -> None:
            at = _difference(one.text, other.text) if not (one.error or other.error) else "an error"
            same.setdefault(about, []).append((exact, at == "", at))

        cached, _ = self._ask(filler, 0, line)
        again, _ = self._ask(filler, 0, line)
        note("same prompt twice", cached, again)
        note("cold, cached", cold, cached)
        if self._server.completes and self._server.ids(" a") is not None:
            by_ids, _ = self._ask(filler, 0, line, ids=True)
            note("text, token ids", again, by_ids)
        others = [(self._filler(_LEAST, start + 50 * step), self._line()) for step in range(1, _LOAD + 1)]
        with ThreadPoolExecutor(_LOAD + 1) as pool:
            busy = [pool.submit(self._ask, text, 0, own) for text, own in others]
            loaded = pool.submit(self._ask, filler, 0, line).result()[0]
            beside = [each.result()[0] for each in busy]
        note("alone, under load", again, loaded)
        for answer, (_, own) in zip(beside, others, strict=True):
            found = _copied(answer.text, own) or not self._other(_Tried(exact, False, " ".join(own), answer.text))
            same.setdefault("own answers under load", []).append((exact, found, "the answer of another request"))

    def arrives(self, longest: int) -> tuple[ProbeLine, int | None]:
        """Whether prompts arrive whole, by lines that stand from start to end."""
        self._progress(f"marks in {longest:,} tokens")
        own = max(2500, round((longest - self._extra) / self._factor) - 4 * _LINE)
        texts = MarkedTexts(
            self._data[: int(self._ends[min(own, len(self._ends)) - 1])].decode(errors="ignore"),
            self._tokenizer,
            self._chance,
        )
        window = window_at(self._server.address, self._server.key, {self._server.name})
        asking = arriving([own], round(window.tokens / self._factor) if window else None)
        ask = next(asking)
        while True:
            try:
                ask = asking.send(self._marked(texts, ask))
            except StopIteration as ended:
                found: Arrived = ended.value
                return self._arrived(found)

    def _marked(self, texts: MarkedTexts, ask: PromptToSend) -> Sent:
        prompt = texts.prompt(ask)
        self.sent += prompt.tokens
        if not self._server.completes:
            answer = self._server.chat([{"role": "user", "content": prompt.text}], tokens=400)
            return _sent(prompt, answer, marks_in(_reply(answer), prompt.codes))
        seen: list[bool] = []
        answer = ProbedRequest("", None)
        for number, code in enumerate(prompt.codes, 1):
            one = self._server.copy(f"{prompt.text}\n\n[mark {number}:", [], tokens=_ANSWER)
            answer = one if one.error or not answer.reported else answer
            seen.append(code in re.sub(r"\D", "", one.text))
            if one.error:
                break
        return _sent(prompt, answer, (*seen, *[False] * (len(prompt.codes) - len(seen))))

    def _arrived(self, found: Arrived) -> tuple[ProbeLine, int | None]:
        about, first = "arrives whole", found.longest
        tokens = self._length(first.tokens)
        if found.verdict == "whole":
            return ProbeLine(about=about, text=f"to {rounded(tokens):,} tokens: all {MARKS} marks repeated"), None
        if found.verdict == "cut" and found.limit is not None:
            limit = self._length(found.limit)
            kept = {"": "", "both": " (keeps start and end)"}.get(found.keeps, f" (keeps the {found.keeps})")
            text = f"cut at about {rounded(limit):,} tokens{kept}"
            if found.by == ("threshold",):
                text = f"only {rounded(limit):,} tokens{kept}: cut by the server or never read"
            return ProbeLine(about=about, text=text, wrong=True), limit
        if found.verdict == "refused":
            return ProbeLine(about=about, text=f"{rounded(tokens):,} tokens are refused"), None
        if found.verdict == "failed":
            return ProbeLine(about=about, text=f"no answer at {rounded(tokens):,} tokens", wrong=True), None
        counted = "; all its tokens are counted" if found.usage.word == "counted" and self.counts else ""
        said = (
            "the model repeats no marks"
            if found.verdict == "unable"
            else f"{sum(first.seen)} of {MARKS} marks repeated"
        )
        return ProbeLine(about=about, text=f"not shown at {rounded(tokens):,} tokens: {said}{counted}"), None

    def _length(self, tokens: int) -> int:
        return round(tokens * self._factor + self._extra)

    def longest(self) -> tuple[int, ProbeLine]:
        """The longest prompt that is accepted, up to what was asked for, and what happens one token beyond."""
        low, high, refused = 0, self._to, ProbedRequest("", None)
        size = self._to
        self._progress(f"the longest prompt, up to {self._to:,} tokens")
        line = self._line()
        answer, _ = self._ask(self._filler(size - 3 * _LINE - _ANSWER - 8), 0, line)
        if not answer.error and not self._refused:
            return size, ProbeLine(about="longest prompt", text=f"{size:,} tokens are accepted; no more were tried")
        refused, low = answer, min(low, high)
        while high - low > max(8, high // 200):
            middle = (low + high) // 2
            answer, _ = self._ask(self._filler(middle), 0, line)
            if answer.error:
                high, refused = middle, answer
            else:
                low = middle
        if refused.hung:
            return low, ProbeLine(about="longest prompt", text=f"{low:,} tokens; longer ones get no answer", wrong=True)
        clear = bool(re.search(r"context|token|length|long", refused.error, re.IGNORECASE))
        how = "a clear error" if clear else f"an error: {one_line(refused.error, 60)}"
        return low, ProbeLine(about="longest prompt", text=f"{rounded(low):,} tokens; longer ones get {how}")

    def system(self) -> ProbeLine | None:
        """Whether a system prompt arrives."""
        rule = "Remember this line: " + " ".join(self._chance.sample(_WORDS, 30)) + "."
        user = {"role": "user", "content": "Say one word."}
        plain = self._server.chat([user], tokens=1)
        ruled = self._server.chat([{"role": "system", "content": rule}, user], tokens=1)
        if plain.error or ruled.error:
            return None
        if self.counts and plain.reported and ruled.reported:
            more = ruled.reported - plain.reported
            # A template may have a system prompt of its own, which this one replaces.
            if more >= 0.5 * len(rule.split()) or plain.reported > 2 * len(rule.split()):
                return ProbeLine(about="system prompt", text="arrives, by the tokens reported")
        right = {True: 0, False: 0}
        for _ in range(3):
            code = str(self._chance.randint(100_000, 999_999))
            told = f"The number of this conversation is {code}."
            question = "Write down the number of this conversation, and nothing else."
            for beside in right:
                messages = [{"role": "system", "content": told}, {"role": "user", "content": question}]
                if beside:
                    messages = [{"role": "user", "content": f"{told} {question}"}]
                right[beside] += code in self._server.chat(messages, tokens=24).text
        if right[True] >= 2 and right[False] == 0:
            return ProbeLine(about="system prompt", text="does not arrive", wrong=True)
        if right[False]:
            return ProbeLine(about="system prompt", text="arrives: the model repeats from it")
        if self.counts and plain.reported and ruled.reported and ruled.reported - plain.reported < 5:
            return ProbeLine(about="system prompt", text="does not arrive, by the tokens reported", wrong=True)
        return ProbeLine(about="system prompt", text="not shown: the model repeats no number")


def _base(length: int) -> int:
    base = _LEAST
    while 2 * base - 1 <= length:
        base *= 2
    return base


def _sent(prompt: Any, answer: ProbedRequest, seen: tuple[bool, ...]) -> Sent:
    too_long = re.search(r"context|token|length|too long", answer.error or "", re.IGNORECASE)
    fault = "refused" if too_long else "failed"
    outcome: Any = fault if answer.error else "answered"
    return Sent(prompt.tokens, prompt.starts, prompt.ends, seen, answer.reported, outcome, answer.error)


def _reply(answer: ProbedRequest) -> Any:
    from .replies import ModelReply

    return ModelReply(text=answer.text)


def _copied(text: str, line: Sequence[str]) -> bool:
    """Whether an answer has the rest of a line: all but the last word, which the limit may cut."""
    said = re.findall(r"[a-z]+", text.lower())
    rest = list(line[_CUE:-1])
    return any(said[at : at + len(rest)] == rest for at in range(max(1, len(said) - len(rest) + 1)))


def _difference(one: str, other: str) -> str:
    """Where two answers differ; empty if they are equal."""
    if one == other:
        return ""
    pairs = zip(one.split(), other.split(), strict=False)
    at = next((place for place, (a, b) in enumerate(pairs, 1) if a != b), min(len(one.split()), len(other.split())) + 1)
    return f"differs from word {at}"


def _equal_line(about: str, found: Sequence[tuple[int, bool, str]]) -> ProbeLine:
    good = sum(equal for _, equal, _ in found)
    bad = [(length, how) for length, equal, how in found if not equal]
    more = f" ({bad[0][0]:,} tokens: {bad[0][1]})" if bad else ""
    kind = "own answer" if about.startswith("own") else "same answer"
    return ProbeLine(about=about, text=f"{kind}, {good} of {len(found)}{more}", wrong=good < 0.75 * len(found))


def where(every: Iterable[int], wrong: Sequence[int]) -> str:
    """Lengths in words: by their residue if they are all of one, else from where on, or each."""
    first, known = min(wrong), sorted(set(every))
    later = [length for length in known if length >= first]
    for modulus in (2, 4, 8, 16, 32, 64, 128, 256):
        left = {length % modulus for length in wrong}
        if len(left) == 1 and len(wrong) > 2:
            residue = left.pop()
            if all((length in wrong) == (length % modulus == residue) for length in later):
                return f"where the length is {residue} modulo {modulus}, from {first:,} tokens on"
    if len(wrong) > 3 and set(later) == set(wrong):
        return f"at every length from {first:,} tokens on: the server, or the model's own limit"
    shown = ", ".join(f"{length:,}" for length in wrong[:6])
    return f"at {shown}{' and others' if len(wrong) > 6 else ''} tokens, whatever is copied; right beside them"


def probe_model(
    model: str,
    *,
    to: int | None = None,
    base_url: str | None = None,
    arguments: Mapping[str, Any],
    timeout: float = 600,
    seed: int = 1,
    out: Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ProbeResult:
    """Probe the server of a model by the name that users write; `out` gets every answer, as JSON."""
    given = read_model(model)
    use_key(given)
    arguments = (given.entry.options if given.entry is not None else {}) | dict(arguments)
    if is_engine(given.model):
        from longreach.models.engine import engine_for

        engine = engine_for(given.model, arguments)
        server = Server(engine.base_url, engine.key, engine.name, timeout)
    else:
        from .opening import open_model

        api: Any = open_model(given.model, base_url=given.base_url or base_url, arguments=arguments).api
        address = str(api.base_url or getattr(getattr(api, "client", None), "base_url", ""))
        if not address.startswith("http"):
            raise BadInput(f"model '{model}': probe asks servers with OpenAI's protocol; give one with --base-url")
        server = Server(address, str(api.api_key or ""), _served_name(api), timeout)
    if to is None:
        window = window_at(server.address, server.key, {server.name})
        to = min(window.tokens, _MOST) if window else _FINE
    found = probe_server(server, given.label, to, seed=seed, progress=progress)
    if out is not None:
        whole = {"probe": found.model_dump(mode="json"), "answers": server.log}
        write_whole(out, json.dumps(whole, ensure_ascii=False, indent=1) + "\n")
    return found


def _served_name(api: Any) -> str:
    """The model's name at its server."""
    named = getattr(api, "service_model_name", None)
    return str(named() if callable(named) else api.model_name)


def probe_server(
    server: Server, model: str, to: int, *, seed: int = 1, progress: Callable[[str], None] | None = None
) -> ProbeResult:
    """Probe a server to a length."""
    if to < 4 * _LEAST:
        raise BadInput(f"--to {to}: a probe begins at {_LEAST} tokens; give at least {4 * _LEAST}")
    begun = time.monotonic()
    made = Probe(server, to, seed=seed, progress=progress)
    counted = made.calibrate()
    window = window_at(server.address, server.key, {server.name})
    swept, wrong = made.sweep(min(to, window.tokens if window else to) - 24)
    longest, accepted = made.longest()
    arrived, limit = made.arrives(longest - 24)
    equal = made.equal(longest)
    system = made.system()
    lines = [arrived, accepted, *equal, swept, *([system] if system else []), counted]
    bad = [line for line in lines if line.wrong]
    return ProbeResult(
        model=model,
        verdict="broken" if bad else "passed",
        headline=_headline(bad, longest),
        lines=tuple(lines),
        limit=limit,
        wrong_lengths=wrong,
        to=longest,
        requests=server.requests,
        tokens=made.sent,
        seconds=round(time.monotonic() - begun, 1),
    )


def _headline(bad: Sequence[ProbeLine], longest: int) -> str:
    if not bad:
        return f"Nothing wrong to {longest:,} tokens."
    what = {"copying": "Wrong at some lengths", "arrives whole": "Prompts do not arrive whole"}
    said = next((what[line.about] for line in bad if line.about in what), f"Wrong: {bad[0].about}")
    return f"{said}: do not measure with this server yet. Exit 1."
