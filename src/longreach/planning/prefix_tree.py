"""The prefix tree of all prompts, from their recipes: what two prompts share, and the order of requests.

No corpus text is read and nothing is tokenized."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, takewhile
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from longreach.core.bench import Bench
from longreach.core.language import HAN, KANA
from longreach.core.types import Insert, Item, Piece, Span, Turn
from longreach.errors import BadInput, LongreachError
from longreach.families import get_family
from longreach.families.base import CONTEXT, prompt_parts
from longreach.families.showing import assembler_of
from longreach.models.chat_template import ChatTemplate
from longreach.text.assemble import ROLE_LINES, Assembler


class PromptSource(Protocol):
    """A benchmark's texts outside its contexts, and its index of the corpus."""

    def around(self, item: Item) -> tuple[str, str, int]:
        """The text before and after the context, and how many characters of the latter are rules, up to the first
        question."""
        ...

    def added(self, item: Item) -> tuple[int, int]:
        """Tokens that a chat template adds to an item's prompt, and those of them before it."""
        ...

    def inserted(self, insert: str) -> int:
        """Length of a planted text in bytes."""
        ...

    def tokens_between(self, start: int, end: int) -> int:
        """Tokens between two offsets of the corpus, by its index."""
        ...


_END = 64
"""Characters at each end of a message on which the tokens that a chat template adds depend."""


class BenchPromptSource:
    """The prompt texts of a benchmark folder; questions that many contexts share are rendered once."""

    def __init__(self, bench: Bench, template: ChatTemplate | None = None) -> None:
        self._bench, self._template = bench, template
        self._family = get_family(bench.info.family)
        self._known: dict[tuple[str, tuple[str, ...]], tuple[str, str, int]] = {}

    def around(self, item: Item) -> tuple[str, str, int]:
        key = (item.prompt, item.questions)
        if key not in self._known:
            prompt = self._bench.prompts[item.prompt]
            head, tail = prompt.around(CONTEXT)
            values = self._family.variables([self._bench.questions[question] for question in item.questions])
            rules = len(tail.partition("{{")[0])
            self._known[key] = (prompt.fill(head, values), prompt.fill(tail, values), rules)
        return self._known[key]

    def added(self, item: Item) -> tuple[int, int]:
        if self._template is None:
            return 0, 0
        parts: list[Piece | str] = []
        for part in prompt_parts(self._family, self._bench, item):
            ends = isinstance(part, Span) and (
                Span(start=part.start, end=min(part.end, part.start + 4 * _END)),
                Span(start=max(part.start, part.end - 4 * _END), end=part.end),
            )
            parts += ends or [part]
        texts = ((each.role, each.text.decode(errors="ignore")) for each in self._assembler.messages(parts))
        try:
            return self._template.added(tuple((role, text[:_END] + text[-_END:]) for role, text in texts))
        except BadInput:  # it does not render such messages
            return 0, 0

    @cached_property
    def _assembler(self) -> Assembler:
        return assembler_of(self._bench)

    def inserted(self, insert: str) -> int:
        return len(self._bench.planted[insert].text.encode())

    def tokens_between(self, start: int, end: int) -> int:
        try:
            return self._before(end) - self._before(start)
        except LongreachError:
            # A benchmark stored without its corpus: about four bytes per token.
            return (end - start) // 4

    def _before(self, place: int) -> int:
        cut = bisect_right(self._cuts, place) - 1
        return int(self._bench.corpus.counts[cut]) if cut >= 0 else 0

    @cached_property
    def _cuts(self) -> Sequence[int]:
        cuts: Sequence[int] = self._bench.corpus.cuts.tolist()
        return cuts


class SharedPrefix(NamedTuple):
    """Where two prompts diverge."""

    tokens: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ContextPath:
    """A context as a path in the prefix tree: the places where others may diverge from it."""

    pieces: tuple[Piece, ...]
    """Without empty pieces, and with adjacent spans merged."""
    tokens: tuple[int, ...]
    """Tokens of the context up to the end of each piece."""
    bytes: tuple[int, ...]

    key: tuple[tuple[int, int, int, str], ...]
    """The pieces as plain values, which sort contexts in prefix-tree order: a context that ends comes before those that
    continue, and a span that ends early branches off before one that ends late."""


@dataclass(frozen=True, slots=True)
class PromptPath:
    """One prompt: the text before the context, the context, the text after it."""

    item: Item
    context: ContextPath
    head: str
    tail: str
    rules: int


def prompt_path(item: Item, context: ContextPath, source: PromptSource | None) -> PromptPath:
    """An item with its texts; without a source, prompts are assumed to start alike and to diverge where the context
    ends."""
    head, tail, rules = source.around(item) if source else ("", "", 0)
    return PromptPath(item, context, head, tail, rules)


def context_path(item: Item, source: PromptSource | None) -> ContextPath:
    """An item's context with the tokens and bytes at the end of each piece."""
    pieces: list[Piece] = []
    for piece in item.context.pieces:
        before = pieces[-1] if pieces else None
        if isinstance(piece, Span):
            if piece.start == piece.end:
                continue
            if isinstance(before, Span) and before.end == piece.start:
                pieces[-1] = Span(start=before.start, end=piece.end)
                continue
        pieces.append(piece)
    ends = _byte_ends(item, pieces, source)
    return ContextPath(tuple(pieces), _token_ends(item, pieces, ends, source), ends, tuple(map(_key, pieces)))


def _key(piece: Piece) -> tuple[int, int, int, str]:
    if isinstance(piece, Span):
        return 1, piece.start, piece.end, ""
    return (0, 0, 0, piece.insert) if isinstance(piece, Insert) else (-1, piece.turn != "same", 0, piece.turn)


def _size(piece: Piece) -> int:
    """Bytes of what is not planted."""
    if isinstance(piece, Span):
        return piece.end - piece.start
    return 0 if isinstance(piece, Insert) else len(ROLE_LINES[piece.turn])


def _byte_ends(item: Item, pieces: Sequence[Piece], source: PromptSource | None) -> tuple[int, ...]:
    """Bytes up to the end of each piece. Planted texts have the lengths given by the source, or those implied by their
    recorded positions."""
    starts = sorted(place.start for place in item.placed)
    ends: list[int] = []
    met = 0
    for index, piece in enumerate(pieces):
        before = ends[-1] if ends else 0
        if not isinstance(piece, Insert):
            ends.append(before + _size(piece))
            continue
        met += 1
        if source is not None:
            ends.append(before + source.inserted(piece.insert))
        else:
            following = takewhile(lambda piece: not isinstance(piece, Insert), pieces[index + 1 :])
            end = starts[met] if met < len(starts) else item.context.bytes
            ends.append(end - sum(map(_size, following)))
    return tuple(ends)


def _token_ends(
    item: Item, pieces: Sequence[Piece], ends: Sequence[int], source: PromptSource | None
) -> tuple[int, ...]:
    """Tokens up to the end of each piece: as recorded before planted texts and at the context's end; in between in
    proportion to the corpus index."""
    recorded = {place.start: place.token for place in item.placed}
    marks: list[int | None] = [recorded.get(end) for end in ends]
    # Positions are recorded for planted texts, so only before one is a position the end of the previous piece.
    for index in range(len(pieces) - 1):
        if not isinstance(pieces[index + 1], Insert):
            marks[index] = None
    if marks:
        marks[-1] = item.context.tokens
    result: list[int] = []
    begin = 0
    for until, mark in enumerate(marks):
        if mark is None:
            continue
        weights = [_weight(pieces, ends, at, source) for at in range(begin, until + 1)]
        last, total = result[-1] if result else 0, max(1.0, sum(weights))
        result += [last + round((mark - last) * sum_ / total) for sum_ in accumulate(weights[:-1])]
        result.append(mark)
        begin = until + 1
    return tuple(result)


def _weight(pieces: Sequence[Piece], ends: Sequence[int], index: int, source: PromptSource | None) -> float:
    piece = pieces[index]
    if isinstance(piece, Span) and source is not None:
        return source.tokens_between(piece.start, piece.end)
    if isinstance(piece, Turn):
        return 0.0
    return (ends[index] - (ends[index - 1] if index else 0)) / 4


def shared_prefix(one: PromptPath, other: PromptPath) -> SharedPrefix:
    """Tokens and bytes of the prefix that two prompts share."""
    if one.item.sha256 and one.item.sha256 == other.item.sha256:
        around = _bytes(one.head, len(one.head)) + _bytes(one.tail, len(one.tail))
        return SharedPrefix(one.item.tokens, around + one.item.context.bytes)
    opening = max(0, one.item.through_context - one.item.context.tokens)
    if one.head != other.head:
        same = _alike(one.head, other.head)
        return SharedPrefix(_part(one.head, 0, len(one.head), same, opening), _bytes(one.head, same))
    before = _bytes(one.head, len(one.head))
    split = _diverge(one.context, other.context)
    if split is not None:
        tokens = min(opening + split.tokens, one.item.tokens, other.item.tokens)
        return SharedPrefix(tokens, before + split.bytes)
    same = _alike(one.tail, other.tail)
    tokens = _tail_tokens(one, other, same)
    return SharedPrefix(tokens, before + one.item.context.bytes + _bytes(one.tail, same))


def _diverge(one: ContextPath, other: ContextPath) -> SharedPrefix | None:
    """Where two contexts diverge; None if they are the same."""
    if one is other:
        return None
    tokens = length = 0
    for index, (mine, theirs) in enumerate(zip(one.key, other.key, strict=False)):
        if mine != theirs:
            if mine[0] == theirs[0] == 1 and mine[1] == theirs[1]:
                shorter = one if mine[2] < theirs[2] else other
                return SharedPrefix(shorter.tokens[index], shorter.bytes[index])
            return SharedPrefix(tokens, length)
        tokens, length = one.tokens[index], one.bytes[index]
    if len(one.key) == len(other.key):
        return None
    return SharedPrefix(tokens, length)


def _tail_tokens(one: PromptPath, other: PromptPath, same: int) -> int:
    """Tokens up to where two prompts over one context diverge, `same` characters after it."""
    mine, theirs = one.item, other.item
    least = min(mine.tokens, theirs.tokens)
    if mine.prompt == theirs.prompt and mine.questions == theirs.questions:
        return least
    if same > one.rules:
        asked = mine.tokens - mine.through_rules
        return min(least, mine.through_rules + _part(one.tail, one.rules, len(one.tail), same, asked))
    if mine.prompt == theirs.prompt:
        return min(least, mine.through_rules)
    rules = mine.through_rules - mine.through_context
    return min(least, mine.through_context + _part(one.tail, 0, one.rules, same, rules))


# What most tokenizers separate: words, numbers, marks, breaks, and each character of a script without spaces.
_CHARACTER = f"{KANA}{HAN}\uac00-\ud7af"
_WORDS = re.compile(rf"[{_CHARACTER}]|[^\W\d{_CHARACTER}]+| (?=\d)|\d{{1,3}}|[^\w\s]+|\n+")
_ALONE = re.compile(f"[{_CHARACTER}]")


@lru_cache(maxsize=4096)
def _part(text: str, start: int, end: int, until: int, tokens: int) -> int:
    """Of the tokens between two offsets of a text, those before a third, by words."""
    words = len(_WORDS.findall(text, start, until))
    return min(tokens, round(tokens * words / max(1, len(_WORDS.findall(text, start, end)))))


@lru_cache(maxsize=4096)
def _bytes(text: str, until: int) -> int:
    return len(text[:until].encode())


@lru_cache(maxsize=4096)
def _alike(one: str, other: str) -> int:
    """How many characters two texts share at their start, up to the end of a word in both."""
    same, differ = 0, min(len(one), len(other)) + 1
    while differ - same > 1:
        middle = (same + differ) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            differ = middle
    while same and (_inside(one, same) or _inside(other, same)):
        same -= 1
    return same


def _inside(text: str, place: int) -> bool:
    """Whether an offset lies inside a word, a number, a run of marks or of breaks."""
    if place >= len(text):
        return False
    before, after = text[place - 1], text[place]
    if before.isalnum() and after.isalnum():
        return not _ALONE.match(before) and not _ALONE.match(after)
    return before == after == "\n" or not (before.isalnum() or after.isalnum() or before.isspace() or after.isspace())


class Forks(NamedTuple):
    """A tree as segments between forks, each with a number; 0 is its empty root."""

    ends: list[int]
    """Depth of each segment's end, in blocks."""
    above: list[int]
    """The parent of each segment; -1 for the root."""
    leaves: list[int]
    """Per prompt the segment that it ends with."""


class PrefixTree:
    """Prompts in depth-first order: each shares the longest possible prefix with the one before it. No other order
    needs fewer prefill tokens on a server that caches only the last prompt, and a larger one serves no more in it."""

    def __init__(self, items: Iterable[Item], source: PromptSource | None = None) -> None:
        """Without a `source` all prompts are assumed to start alike and to diverge where the context ends: a lower
        bound of what they share."""
        prompts = _in_order(items, source)
        self.items = [prompt.item for prompt in prompts]
        added = [source.added(item) if source is not None else (0, 0) for item in self.items]
        self.template_tokens = sum(whole for whole, _ in added)
        """Those of `tokens` that a chat template adds."""
        self.tokens = [prompt.item.tokens + whole for prompt, (whole, _) in zip(prompts, added, strict=True)]
        self.shared: list[int] = []
        """Tokens each prompt shares with the one before it."""
        self.shared_bytes: list[int] = []
        self.prompts = prompts
        self._forks: dict[int, Forks] = {}
        for index, prompt in enumerate(prompts):
            met = shared_prefix(prompts[index - 1], prompt) if index else SharedPrefix(0, 0)
            least = min(self.tokens[max(0, index - 1) : index + 1])
            same = index and prompt.item.tokens == prompts[index - 1].item.tokens == met.tokens
            part = min(least, met.tokens + added[index][1]) if index else 0
            self.shared.append(least if same else part)
            self.shared_bytes.append(met.bytes)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def input_tokens(self) -> int:
        """Total input tokens."""
        return sum(self.tokens)

    @property
    def distinct_tokens(self) -> int:
        """Tokens of the tree: the minimum to compute, and all that a server which caches only the last prompt computes
        in this order."""
        return self.prefill_tokens(1)

    def prefill_tokens(self, block: int) -> int:
        """The same on a server that caches whole blocks of so many tokens."""
        return self.input_tokens - sum(shared // block * block for shared in self.shared)

    def common(self, one: int, other: int) -> int:
        """Tokens that any two prompts share, by their indexes in the order."""
        if one == other:
            return self.tokens[one]
        low, high = min(one, other) + 1, max(one, other) + 1
        if high - low == 1:
            return self.shared[low]
        level = (high - low).bit_length() - 1
        row = self._least[level]
        return int(min(row[low], row[high - (1 << level)]))

    def fresh(self, part: range) -> int:
        """Prefill tokens of a range of the order with an empty cache at its start."""
        return self._sums[part.stop] - self._sums[part.start] + self.shared[part.start]

    def forks(self, block: int = 1) -> Forks:
        """The tree in whole blocks of so many tokens, as segments between its forks."""
        if block not in self._forks:
            self._forks[block] = _forks([at // block for at in self.shared], [at // block for at in self.tokens])
        return self._forks[block]

    @cached_property
    def _sums(self) -> list[int]:
        own = (tokens - shared for tokens, shared in zip(self.tokens, self.shared, strict=True))
        return list(accumulate(own, initial=0))

    @cached_property
    def _least(self) -> list[npt.NDArray[np.int64]]:
        """Minimum of `shared` over every range whose length is a power of two."""
        rows = [np.array(self.shared, dtype=np.int64)]
        while (step := 1 << (len(rows) - 1)) * 2 <= len(self.shared):
            before = rows[-1]
            rows.append(np.minimum(before[:-step], before[step:]))
        return rows


def _in_order(items: Iterable[Item], source: PromptSource | None) -> list[PromptPath]:
    """By the text before the context, then the context, then the text after it: each a depth-first walk."""
    contexts: dict[str | int, ContextPath] = {}
    prompts: list[PromptPath] = []
    for item in items:
        # Items over one context each carry a copy of the same recipe; it is parsed once.
        name = item.context.sha256 or id(item)
        if name not in contexts:
            contexts[name] = context_path(item, source)
        prompts.append(prompt_path(item, contexts[name], source))
    known = {id(context): context for context in contexts.values()}
    ranks: dict[int, int] = {}
    last: tuple[object, ...] | None = None
    rank = -1
    for place, context in sorted(known.items(), key=lambda entry: entry[1].key):
        rank += context.key != last
        last = context.key
        ranks[place] = rank
    return sorted(prompts, key=lambda one: (one.head, ranks[id(one.context)], one.tail or one.item.prompt, one.item.id))


def _forks(shared: Sequence[int], lengths: Sequence[int]) -> Forks:
    """Forks from a depth-first walk: `stack` is the path from the root to the previous prompt."""
    ends: list[int] = [0]
    above: list[int] = [-1]
    leaves: list[int] = []
    stack = [0]
    for common, length in zip(shared, lengths, strict=True):
        last = -1
        while ends[stack[-1]] > common:
            last = stack.pop()
        if ends[stack[-1]] < common:
            ends.append(common)
            above.append(stack[-1])
            above[last] = len(ends) - 1
            stack.append(len(ends) - 1)
        if length > ends[stack[-1]]:
            ends.append(length)
            above.append(stack[-1])
            stack.append(len(ends) - 1)
        leaves.append(stack[-1])
    return Forks(ends, above, leaves)


_last: dict[tuple[str, str, ChatTemplate | None], tuple[frozenset[tuple[str, int]], PrefixTree]] = {}
"""The last tree per benchmark folder: a plan and the run after it use the same one."""


def tree_of(bench: Bench, items: Iterable[Item] | None = None, template: ChatTemplate | None = None) -> PrefixTree:
    """The prefix tree of a benchmark's prompts, or of some of them, with the tokens of their chat template."""
    chosen = list(bench.items.values() if items is None else items)
    key, ids = (str(bench.folder), bench.info.digest, template), frozenset(Counter(item.id for item in chosen).items())
    if key not in _last or _last[key][0] != ids:
        _last.clear()
        _last[key] = (ids, PrefixTree(chosen, BenchPromptSource(bench, template)))
    return _last[key][1]
