"""Terms by the company they keep: what stands before and after them in a document, and how they are made."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from .terms import Term

__all__ = ["Company"]

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_AROUND = 40
"""Characters looked at on each side."""
_FORM = 1.5
"""How much the make of a term counts beside one neighbour; of a plain word less, as many end alike."""


class Company:
    """How well terms of one document could stand in each other's place."""

    def __init__(self, met: Iterable[tuple[str, Term]]) -> None:
        """From every sentence with each of its terms."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        times: Counter[str] = Counter()
        for sentence, term in met:
            found[term.text].update(_neighbours(sentence, term))
            times[term.text] += 1
        spread = Counter(feature for features in found.values() for feature in features)
        self._weights: dict[str, dict[str, float]] = {}
        for text, features in found.items():
            weights = {
                # What stands beside one term alone tells nothing of its kind, and would only drown the rest.
                feature: math.sqrt(count / times[text] * math.log(1 + len(found) / spread[feature]))
                for feature, count in sorted(features.items())
                if spread[feature] > 1
            }
            weights |= {feature: _part(text) for feature in _form(text)}
            size = math.sqrt(sum(weight * weight for weight in weights.values()))
            self._weights[text] = {feature: weight / size for feature, weight in weights.items()}

    def likeness(self, one: str, other: str) -> float:
        """0 where two terms have nothing in common, 1 where they have everything."""
        mine, theirs = self._weights.get(one, {}), self._weights.get(other, {})
        return sum(weight * theirs[feature] for feature, weight in mine.items() if feature in theirs)


def _part(text: str) -> float:
    """What the make of a term counts beside its neighbours; of a plain word less, as many end alike."""
    return 1 / _FORM if text.islower() and text.isalpha() else _FORM


def _neighbours(sentence: str, term: Term) -> Iterable[str]:
    before = _WORD.findall(sentence[max(0, term.start - _AROUND) : term.start])
    after = _WORD.findall(sentence[term.end : term.end + _AROUND])
    if before:
        yield f"<{before[-1].casefold()}"
    if after:
        yield f">{after[0].casefold()}"


def _form(text: str) -> Iterable[str]:
    """How a term is made: how its words end, its first and last word, its signs."""
    words = text.split()
    yield f"={len(words)}"
    yield f"=end {words[-1][-3:]}"
    yield f"=case {text.isupper()} {text.islower()} {any(character.isdigit() for character in text)} {'-' in text}"
    if "/" in text:
        yield f"=path {text.strip('/').partition('/')[0]}"
        yield f"=deep {min(4, text.count('/'))} {'.' in text}"
    if len(words) > 1:
        yield f"=last {words[-1]}"
        yield f"=first {words[0]}"
    elif text.endswith("s"):
        yield "=many"
