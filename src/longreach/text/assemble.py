"""Contexts from recipes: count by arithmetic, build by slicing."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple, get_args

from longreach.core.bench import Corpus
from longreach.core.types import Context, Insert, Piece, Role, Span, Tokenizer, Turn
from longreach.errors import BadInput, one_line

from .index import count_after_cut

_ROOT = 0
_ROLES: tuple[Role, ...] = get_args(Role)
ROLE_LINES = {
    "user": b"\n\n[user]\n",
    "assistant": b"\n\n[assistant]\n",
    "system": b"\n\n[system]\n",
    "same": b"\n\n",
    "prefill": b"",
}
"""How a conversation's text names who speaks: for people and digests. A model receives messages instead."""


class Message(NamedTuple):
    """One message of a prompt."""

    role: Role
    text: bytes
    start: int
    """Byte offset in the prompt's text, which also names the roles."""


def next_turn(pieces: Sequence[Piece], role: Role) -> Turn:
    """The turn with which a role speaks next: a further paragraph if it has the last word."""
    last = next((piece.turn for piece in reversed(pieces) if isinstance(piece, Turn) and piece.turn != "same"), "user")
    return Turn(turn="same" if pieces and last == role else role)


@dataclass
class _Branch:
    """Hash states after spans that share a start and a prefix, sorted by span size."""

    sizes: list[int] = field(default_factory=list)
    states: list[tuple[int, hashlib._Hash]] = field(default_factory=list)
    """Each with an id of everything hashed so far."""


class Assembler:
    """Turns recipes over one corpus into bytes, digests and exact token counts."""

    def __init__(self, corpus: Corpus, inserts: Mapping[str, str]) -> None:
        self.corpus = corpus
        self._states: dict[tuple[int, int | bytes], _Branch] = {}
        self._nodes = _ROOT
        self._counts: dict[tuple[Piece | str, ...], int] = {}
        self._hashing = Lock()
        self._inserts = {name: text.encode() for name, text in inserts.items()}

    def views(self, pieces: Iterable[Piece | str]) -> list[memoryview]:
        """The pieces as views of memory that is already there; nothing is copied."""
        return [self._view(piece) for piece in pieces]

    def text(self, pieces: Iterable[Piece | str]) -> bytes:
        """The pieces as one UTF-8 text."""
        return b"".join(self.views(pieces))

    def messages(self, pieces: Iterable[Piece | str]) -> list[Message]:
        """The pieces as the messages that a model receives; a single one unless they are a conversation."""
        found, at = list[Message](), 0
        for turn, parts in _messages(pieces):
            at += len(self._view(turn)) if turn else 0
            role: Role = next((role for role in _ROLES if turn and turn.turn == role), "user")
            found.append(Message(role, self.text(parts), at))
            at += len(found[-1].text)
        return found

    def part(self, pieces: Iterable[Piece], start: int, end: int) -> str:
        """Bytes `start` to `end` of a context as text, without building the rest of it."""
        found, at = [], 0
        for view in self.views(pieces):
            low, high = max(0, start - at), min(len(view), end - at)
            if low < high:
                found.append(bytes(view[low:high]))
            at += len(view)
        return b"".join(found).decode("utf-8", errors="ignore")

    def digest(self, pieces: Iterable[Piece | str]) -> str:
        """sha256 of the text, without building it."""
        return self._hash(pieces).hexdigest()

    def digests(self, shared: Sequence[Piece | str], tails: Iterable[str]) -> list[str]:
        """sha256 of one shared prefix with each of several endings; the prefix is hashed once."""
        state = self._hash(shared)
        result = []
        for tail in tails:
            whole = state.copy()
            whole.update(tail.encode())
            result.append(whole.hexdigest())
        return result

    def count(self, tokenizer: Tokenizer, pieces: Iterable[Piece | str]) -> int:
        """Exact tokens of the pieces as they are sent: by the index inside spans, by the tokenizer around seams. Each
        message of a conversation is a text of its own."""
        *messages, (_, last) = _messages(pieces)
        total = self._count(tokenizer, last)
        for _, parts in messages:
            # Prompts over one conversation have their messages in common.
            key = (tokenizer.fingerprint, *parts)
            if key not in self._counts:
                self._counts[key] = self._count(tokenizer, parts)
            total += self._counts[key]
        return total

    def _count(self, tokenizer: Tokenizer, pieces: Iterable[Piece | str]) -> int:
        seams = self.corpus.info.seams
        if not seams.additive:
            return tokenizer.count(self.text(pieces).decode())
        cuts, counts = self.corpus.cuts, self.corpus.counts
        total = 0
        pending: list[memoryview] = []
        begun = False  # whether `pending` starts at a cut rather than at the start of the text

        def settle() -> int:
            text = b"".join(pending).decode()
            return count_after_cut(tokenizer.count, seams, text) if begun else tokenizer.count(text)

        for piece in pieces:
            if isinstance(piece, Span):
                # A cut at the span's own edge borders text it was not tokenized with; use the next cut inside.
                first = bisect_right(cuts, piece.start)
                last = bisect_left(cuts, piece.end) - 1
                if first < last:
                    pending.append(self.corpus.text[piece.start : int(cuts[first])])
                    total += settle() + int(counts[last]) - int(counts[first])
                    pending = [self.corpus.text[int(cuts[last]) : piece.end]]
                    begun = True
                    continue
            pending.append(self._view(piece))
        return total + settle()

    def context(self, tokenizer: Tokenizer, pieces: Sequence[Piece]) -> Context:
        """A recipe with its count, size and digest."""
        return Context(
            pieces=tuple(pieces),
            tokens=self.count(tokenizer, pieces),
            bytes=sum(len(view) for view in self.views(pieces)),
            sha256=self.digest(pieces),
        )

    def _view(self, piece: Piece | str) -> memoryview:
        if isinstance(piece, Span):
            if not 0 <= piece.start <= piece.end <= len(self.corpus):
                raise BadInput(
                    f"bytes {piece.start} to {piece.end} are not in a corpus of {len(self.corpus)}; "
                    f"the benchmark is damaged, build it again"
                )
            return self.corpus.text[piece.start : piece.end]
        if isinstance(piece, Insert):
            if piece.insert not in self._inserts:
                raise BadInput(
                    f"no planted text '{one_line(piece.insert, 80)}'; the benchmark is damaged, build it again"
                )
            return memoryview(self._inserts[piece.insert])
        return memoryview(ROLE_LINES[piece.turn] if isinstance(piece, Turn) else piece.encode())

    def _hash(self, pieces: Iterable[Piece | str]) -> hashlib._Hash:
        """The hash state after the pieces. A shared prefix is hashed once: states at piece ends are cached as a tree,
        and a longer span resumes from a shorter one with the same start."""
        with self._hashing:
            node, state = _ROOT, hashlib.sha256()
            for piece in pieces:
                view = self._view(piece)
                key = piece.start if isinstance(piece, Span) else hashlib.sha256(view).digest()
                branch = self._states.setdefault((node, key), _Branch())
                size = len(view)
                known = bisect_right(branch.sizes, size)
                if known:
                    node, state = branch.states[known - 1]
                    if branch.sizes[known - 1] == size:
                        continue
                    view = view[branch.sizes[known - 1] :]
                state = state.copy()
                state.update(view)
                node = self._nodes = self._nodes + 1
                branch.sizes.insert(known, size)
                branch.states.insert(known, (node, state))
            return state


def _messages(pieces: Iterable[Piece | str]) -> list[tuple[Turn | None, list[Piece | str]]]:
    """The pieces of each message, with the turn that begins it; an empty first message is none."""
    found: list[tuple[Turn | None, list[Piece | str]]] = [(None, [])]
    for piece in pieces:
        if isinstance(piece, Turn) and piece.turn in _ROLES:
            if found == [(None, [])]:
                found.clear()
            found.append((piece, []))
        elif piece != "":
            found[-1][1].append(piece)
    return found
