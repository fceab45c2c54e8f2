"""Small random benchmarks whose tokens are words, so that what recipes say can be held against the texts themselves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, permutations
from random import Random

from longreach.core.types import Context, Insert, Item, Piece, Placement, Span

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class WordBench:
    """Items over a corpus of words that are all different; planted texts, openings and questions are words as well. It
    is its own source of prompts."""

    def __init__(self, rng: Random, items: int, *, corpus: int = 40) -> None:
        words = ["c" + _LETTERS[at // 26] + _LETTERS[at % 26] for at in range(corpus)]
        self.corpus = "".join(f"{word} " for word in words)
        self.cuts = [4 * at for at in range(corpus + 1)]
        self.planted = {
            f"p{at}": "".join(f"i{_LETTERS[at]}{_LETTERS[more]} " for more in range(rng.randint(1, 4)))
            for at in range(4)
        }
        heads = ["", "read ", "read this ", "read that now "]
        self.heads = {name: rng.choice(heads) if rng.random() < 0.3 else "read this " for name in "xyz"}
        rules = [["answer", "shortly"], ["answer", "shortly", "please"], ["answer", "in", "full"], []]
        self.rules = {name: "".join(f"{word} " for word in rng.choice(rules)) for name in "xyz"}
        self.questions = {
            f"q{at}": " ".join(rng.choice(["who", "what", "when"]) for _ in range(rng.randint(1, 4))) for at in range(5)
        }
        self.items = [self._item(rng, f"n{at}") for at in range(items)]

    def _item(self, rng: Random, name: str) -> Item:
        pieces = self._pieces(rng)
        placed: list[Placement] = []
        text = ""
        for piece in pieces:
            if isinstance(piece, Insert):
                placed.append(Placement(insert=piece.insert, start=len(text), token=len(text.split())))
            text += self._text(piece)
        prompt, question = rng.choice("xyz"), rng.choice(list(self.questions))
        head, rules = self.heads[prompt], self.rules[prompt]
        return Item(
            id=name,
            family="words",
            context=Context(pieces=tuple(pieces), tokens=len(text.split()), bytes=len(text), sha256=""),
            prompt=prompt,
            questions=(question,),
            cell={},
            realised={},
            placed=tuple(placed),
            tokens=len(f"{head}{text}{rules}{self.questions[question]}".split()),
            through_context=len(f"{head}{text}".split()),
            through_rules=len(f"{head}{text}{rules}".split()),
            sha256="",
        )

    def _pieces(self, rng: Random) -> list[Piece]:
        """A paragraph, a comb, scattered facts, a document of its own, spans with gaps, nothing at all."""
        kind = rng.choice(["paragraph", "paragraph", "comb", "scattered", "own", "gaps", "empty"])
        cuts = self.cuts
        last = rng.choice(cuts[10::10])
        if kind == "paragraph":
            place = rng.choice([at for at in cuts[::5] if at <= last])
            return [Span(start=0, end=place), Insert(insert="p0"), Span(start=place, end=last)]
        if kind == "comb":
            found: list[Piece] = []
            for at in (40, 80, 120):
                if at <= last:
                    found += [Span(start=at - 40, end=at), Insert(insert=f"p{at // 40}")]
            return [*found, Span(start=last - last % 40, end=last)]
        if kind == "scattered":
            places = sorted(rng.sample([at for at in cuts if at <= last], 2))
            return [
                Span(start=0, end=places[0]),
                Insert(insert="p1"),
                Span(start=places[0], end=places[1]),
                Insert(insert="p2"),
                Span(start=places[1], end=last),
            ]
        start = rng.choice(cuts[:-10:6])
        if kind == "own":
            return [Span(start=start, end=start + 20), Span(start=start + 20, end=start + 40)]
        if kind == "gaps":
            later = rng.choice(cuts[20:-2])
            return [
                Span(start=0, end=rng.choice((20, 28))),
                Span(start=later, end=rng.choice(cuts[cuts.index(later) :])),
            ]
        return [Span(start=start, end=start)] if rng.random() < 0.5 else []

    def added(self, _: Item) -> tuple[int, int]:
        return 0, 0

    def _text(self, piece: Piece) -> str:
        if isinstance(piece, Insert):
            return self.planted[piece.insert]
        assert isinstance(piece, Span)
        return self.corpus[piece.start : piece.end]

    def words(self, item: Item) -> list[str]:
        """A whole prompt, token by token."""
        head, tail, _ = self.around(item)
        return f"{head}{''.join(self._text(piece) for piece in item.context.pieces)}{tail}".split()

    def around(self, item: Item) -> tuple[str, str, int]:
        rules = self.rules[item.prompt]
        return self.heads[item.prompt], rules + self.questions[item.questions[0]], len(rules)

    def inserted(self, insert: str) -> int:
        return len(self.planted[insert])

    def tokens_between(self, start: int, end: int) -> int:
        return (end - start) // 4


def shared_words(one: Sequence[str], other: Sequence[str]) -> int:
    """Tokens that two prompts begin with alike, by their texts."""
    same = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        same += 1
    return same


def least_prefill(prompts: Sequence[Sequence[str]]) -> int:
    """The least that any order of the prompts leaves to a server that keeps only the last one, by trying all."""
    total = sum(len(prompt) for prompt in prompts)
    shared = [[shared_words(one, other) for other in prompts] for one in prompts]
    return total - max(
        sum(shared[one][other] for one, other in pairwise(order)) for order in permutations(range(len(prompts)))
    )
