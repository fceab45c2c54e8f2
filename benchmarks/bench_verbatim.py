"""Scoring verbatim answers: 2,000 nine-digit numbers and 600 x 600 sentences, as ratios measured in one run.

Against a plain Python dynamic programme: run on a part of the text, its time scaled by the number of cells of its table
(each takes the same time). Against rapidfuzz called directly for the same results. All values must be equal.
Both measures are timed together, `similarity` and `ratio`; so the plain programme counts twice, once for each."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Indel, Levenshtein

from longreach.families.verbatim.grade import best_matches, similarity, similarity_and_ratio
from longreach.families.verbatim.samples import sentences_of
from longreach.text.documents import built_in_documents

T = TypeVar("T")
NUMBERS = 2000
SENTENCES = 600
PART = 1500
"""Characters of each text that the plain programme is given."""
PAIRS = 30
"""Pairs of sentences that it is given."""


def race(ours: Callable[[], T], theirs: Callable[[], T], times: int) -> tuple[float, float, bool]:
    """Least processor times of two ways to the same result, taken in turns, and whether the results are the same."""
    least = [float("inf"), float("inf")]
    results: list[T | None] = [None, None]
    for number in range(2 * times):
        begun = time.process_time()
        results[number % 2] = (ours, theirs)[number % 2]()
        least[number % 2] = min(least[number % 2], time.process_time() - begun)
    return least[0], least[1], results[0] == results[1]


def plain_similarity(one: str, other: str) -> float:
    """The textbook programme, two rows at a time."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        above, row = row, [i]
        for j, right in enumerate(other, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (left != right)))
    total = len(one) + len(other)
    return (total - row[-1]) / total


def numbers(rng: random.Random) -> dict[str, object]:
    """A sorted list against an answer to it: one digit in fifty wrong, one number in fifty left out."""
    drawn = sorted(str(rng.randrange(10**8, 10**9)) for _ in range(NUMBERS))
    written = [
        number[:4] + str(rng.randrange(10)) + number[5:] if rng.random() < 0.02 else number
        for number in drawn
        if rng.random() > 0.02
    ]
    truth = ", ".join(drawn)
    return {
        "characters": len(truth),
        "near": _numbers(", ".join(written), truth),
        "unsorted": _numbers(", ".join(rng.sample(drawn, NUMBERS)), truth),
    }


def _numbers(text: str, truth: str) -> dict[str, object]:
    total = len(text) + len(truth)
    took, direct, same = race(
        lambda: similarity_and_ratio(text, truth),
        lambda: (
            (total - Levenshtein.distance(text, truth)) / total,
            (total - Indel.distance(text, truth)) / total,
        ),
        times=15,
    )
    begun = time.process_time()
    plain = plain_similarity(text[:PART], truth[:PART])
    scaled = (time.process_time() - begun) * len(text) * len(truth) / PART**2
    return {
        "milliseconds": round(1000 * took, 3),
        "same values": same and plain == similarity(text[:PART], truth[:PART]),
        "x faster than the plain programme": round(2 * scaled / took),
        "x of rapidfuzz's own speed": round(direct / took, 2),
    }


def sentences(rng: random.Random) -> dict[str, object]:
    """True sentences against an answer's: all from elsewhere, all changed a little, and mostly kept."""
    longest = max(built_in_documents(), key=lambda document: len(document.text))
    lines = sentences_of(longest)
    truths = lines[:SENTENCES]

    def changed(line: str) -> str:
        letters = list(line)
        for _ in range(1 + len(letters) // 40):
            letters[rng.randrange(len(letters))] = rng.choice("abcdefgh")
        return "".join(letters)

    cases = {
        "from elsewhere": lines[SENTENCES : 2 * SENTENCES],
        "all changed": [changed(line) for line in truths],
        "nine of ten kept": rng.sample([line if n % 10 else changed(line) for n, line in enumerate(truths)], SENTENCES),
    }
    return {
        "pairs": SENTENCES**2,
        "mean characters": round(sum(map(len, truths)) / len(truths)),
        **{name: _sentences(truths, answers, rng) for name, answers in cases.items()},
    }


def _sentences(truths: list[str], answers: list[str], rng: random.Random) -> dict[str, object]:
    def ours() -> tuple[list[float], list[float]]:
        alike, even = best_matches(truths, answers)
        return alike.tolist(), even.tolist()

    def direct() -> tuple[list[float], list[float]]:
        total = np.array([len(line) for line in truths])[:, None] + np.array([len(line) for line in answers])[None]
        one = process.cdist(truths, answers, scorer=Levenshtein.distance).astype(np.int64)
        other = process.cdist(truths, answers, scorer=Indel.distance).astype(np.int64)
        return ((total - one) / total).max(axis=1).tolist(), ((total - other) / total).max(axis=1).tolist()

    took, direct_took, same = race(ours, direct, times=3)
    some = [(rng.choice(truths), rng.choice(answers)) for _ in range(PAIRS)]
    begun = time.process_time()
    plain = [plain_similarity(*pair) for pair in some]
    each = (time.process_time() - begun) / sum(len(one) * len(other) for one, other in some)
    scaled = each * sum(map(len, truths)) * sum(map(len, answers))
    return {
        "milliseconds": round(1000 * took, 1),
        "same values": same and plain == [similarity(*pair) for pair in some],
        "x faster than the plain programme": round(2 * scaled / took),
        "x of rapidfuzz's own speed": round(direct_took / took, 2),
    }


def main() -> None:
    rng = random.Random("bench verbatim")
    print(json.dumps({"numbers": numbers(rng), "sentences": sentences(rng)}, indent=1))


if __name__ == "__main__":
    main()
