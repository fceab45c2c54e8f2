"""Grades an answer: item accounting and similarity, by key and without a model."""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from rapidfuzz import process
from rapidfuzz.distance import Hamming, Indel, LCSseq, Levenshtein

from longreach.core.language import detect_language
from longreach.core.types import Frozen, Question, Verdict
from longreach.errors import one_line
from longreach.grading import is_refusal
from longreach.grading.reading.groups import Groups, read_groups
from longreach.grading.reading.lists import LAYERS, ItemReading, has_mark, read_numbers, read_texts
from longreach.grading.reading.reply_text import strip_reasoning
from longreach.text.sentences import sentence_ends

from .samples import COPY, NEWLINE, SEPARATOR, base_task, grouped

if TYPE_CHECKING:
    from longreach.models.embedders import Embedder


# Item accounting: exact, altered, invented, lost, duplicated; and whether exact ones are in order.

ALTERED = 0.8
"""Minimum `ratio` at which a written item that was never given counts as an altered given one. For a number of nine
digits that is one digit replaced, or two neighbours swapped."""
KINDS = ("kept", "altered", "lost", "duplicated", "invented")
_PAIRS = 2_000_000  # compared at once, to bound memory


class Account(Frozen):
    """A written list compared with the true one, both as multisets; every item of either is counted exactly once."""

    given: int
    """True items: kept + altered + lost."""
    written: int
    """Written items: kept + altered + invented + duplicated."""
    kept: tuple[tuple[int, int], ...]
    """(place in what was written, place in the truth) of each exact match, in written order."""
    altered: tuple[tuple[str, str], ...]
    """(true, written)."""
    lost: tuple[str, ...]
    duplicated: tuple[str, ...]
    """Copies of a true item beyond the number of times it was given."""
    invented: tuple[str, ...]

    def count(self, kind: str) -> int:
        """How many of one of the `KINDS`."""
        return len(getattr(self, kind))


def account(truth: Sequence[str], written: Sequence[str]) -> Account:
    """Exact matches first, an item's first occurrences with each other; then the rest is paired by similarity, the most
    similar first (ties: in the order of the truth, then of the writing)."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(truth):
        places[item].append(place)
    taken: Counter[str] = Counter()
    kept: list[tuple[int, int]] = []
    duplicated: list[str] = []
    strange: list[str] = []
    for place, item in enumerate(written):
        if item not in places:
            strange.append(item)
        elif taken[item] < len(places[item]):
            kept.append((place, places[item][taken[item]]))
            taken[item] += 1
        else:
            duplicated.append(item)
    found = {place for _, place in kept}
    missing = [item for place, item in enumerate(truth) if place not in found]
    pairs = _alike(missing, strange)
    altered = set(pairs.values())
    return Account(
        given=len(truth),
        written=len(written),
        kept=tuple(kept),
        altered=tuple((missing[one], strange[other]) for one, other in sorted(pairs.items())),
        lost=tuple(item for place, item in enumerate(missing) if place not in pairs),
        duplicated=tuple(duplicated),
        invented=tuple(item for place, item in enumerate(strange) if place not in altered),
    )


def _alike(missing: Sequence[str], strange: Sequence[str]) -> dict[int, int]:
    """Indexes with at least `ALTERED` similarity, each in one pair at most, best pairs first."""
    found: list[tuple[float, int, int]] = []
    step = max(1, _PAIRS // max(1, len(strange)))
    for start in range(0, len(missing) if strange else 0, step):
        block = missing[start : start + step]
        table = process.cdist(block, strange, scorer=Indel.normalized_similarity, score_cutoff=ALTERED)
        rows, columns = np.nonzero(table)
        similar = zip(table[rows, columns].tolist(), rows.tolist(), columns.tolist(), strict=True)
        found += [(-float(score), start + row, column) for score, row, column in similar]
    pairs: dict[int, int] = {}
    others: set[int] = set()
    for _, one, other in sorted(found):
        if one not in pairs and other not in others:
            pairs[one] = other
            others.add(other)
    return pairs


def kendall_tau(places: Sequence[int]) -> float | None:
    """1 - 4 x inversions / (m (m - 1)) over distinct places: 1 in order, -1 reversed; None for fewer than two."""
    count = len(places)
    if count < 2:
        return None
    before: list[int] = []
    inversions = 0
    for seen, place in enumerate(places):
        smaller = bisect(before, place)
        inversions += seen - smaller
        before.insert(smaller, place)
    return 1 - 4 * inversions / (count * (count - 1))


def longest_run(kept: Sequence[tuple[int, int]]) -> int:
    """The longest run of items written consecutively as in the truth."""
    best = run = 0
    before = (-2, -2)
    for written, true in kept:
        run = run + 1 if (written, true) == (before[0] + 1, before[1] + 1) else 1
        best = max(best, run)
        before = (written, true)
    return best


# Similarity of two texts, in exact formulas; the fast parts are rapidfuzz's.

Floats = npt.NDArray[np.float64]
_NEAR = 40  # one edit in so many characters
_LOOK = 1000  # characters used to decide whether two long texts are similar


def similarity(one: str, other: str) -> float:
    """(|a| + |b| - lev(a, b)) / (|a| + |b|), every edit costing 1. Two empty texts are the same.

    Never 0 unless one of the two is empty: texts of equal length that share nothing have 1/2."""
    total = len(one) + len(other)
    return (total - _distance(one, other)) / total if total else 1.0


def ratio(one: str, other: str) -> float:
    """The same where replacing a character costs 2: 0 for texts that share nothing."""
    total = len(one) + len(other)
    return (total - Indel.distance(one, other)) / total if total else 1.0


def similarity_and_ratio(one: str, other: str) -> tuple[float, float]:
    """`similarity` and `ratio` together: one bounds the other, which makes it faster; the same numbers."""
    total = len(one) + len(other)
    if not total:
        return 1.0, 1.0
    edits = _distance(one, other)
    # A replacement is one deletion and one insertion, so the second distance is at most twice the first.
    common = LCSseq.similarity(one, other, score_cutoff=max(0, total // 2 - edits))
    return (total - edits) / total, 2 * common / total


def _distance(one: str, other: str) -> int:
    """Edit distance. Long texts with a common start are compared along the diagonal first, others within the band of
    their positional differences; neither changes the result."""
    if min(len(one), len(other)) > 4 * _LOOK and Levenshtein.distance(one[:_LOOK], other[:_LOOK]) < _LOOK // 5:
        return Levenshtein.distance(one, other, score_hint=(len(one) + len(other)) // _NEAR)
    return Levenshtein.distance(one, other, score_cutoff=Hamming.distance(one, other))


def corrected(score: float, floor: float) -> float | None:
    """(score - floor) / (1 - floor): 0 is what the unprocessed input scores, 1 is perfect, below 0 is worse than the
    input. None where the input already scores 1."""
    return (score - floor) / (1 - floor) if floor < 1 else None


def best_matches(truths: Sequence[str], answers: Sequence[str]) -> tuple[Floats, Floats]:
    """For each truth the best `similarity` and the best `ratio` to any of the answers; 0 where there are none.

    Truths that occur in the answers exactly are found by hash. For the others `ratio` is computed for all pairs; it
    bounds `similarity` from both sides, so that only pairs which may still be the best need the slower measure."""
    alike, even = np.zeros(len(truths)), np.zeros(len(truths))
    choices = list(dict.fromkeys(answers))
    if not choices:
        return alike, even
    exact = set(choices)
    open_places = [place for place, truth in enumerate(truths) if truth not in exact]
    alike[:] = even[:] = 1.0
    step = max(1, _PAIRS // len(choices))
    for start in range(0, len(open_places), step):
        places = open_places[start : start + step]
        alike[places], even[places] = _best([truths[place] for place in places], choices)
    return alike, even


def _best(truths: list[str], choices: list[str]) -> tuple[Floats, Floats]:
    sizes = np.array([len(text) for text in truths])[:, None], np.array([len(text) for text in choices])[None]
    total = sizes[0] + sizes[1]
    total[total == 0] = 1
    # Of a distance with replacements at 2: |a| + |b| - 2 x common, `common` the longest common subsequence.
    apart = process.cdist(truths, choices, scorer=Indel.distance).astype(np.int64)
    even = (total - apart) / total
    # lev lies between max(|a|, |b|) - common and `apart`.
    at_most = (total - np.maximum(*sizes) + (total - apart) // 2) / total
    best = even.max(axis=1)
    rows = np.arange(len(truths))
    for columns in (at_most.argmax(axis=1), even.argmax(axis=1)):
        np.maximum(best, _pair_similarity(truths, choices, rows, columns, total), out=best)
    open_rows, open_columns = np.nonzero(at_most > best[:, None])
    if len(open_rows):
        np.maximum.at(best, open_rows, _pair_similarity(truths, choices, open_rows, open_columns, total))
    return best, even.max(axis=1)


def _pair_similarity(
    truths: list[str],
    choices: list[str],
    rows: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64],
    total: npt.NDArray[np.int64],
) -> Floats:
    """`similarity` of some pairs."""
    left, right = [truths[row] for row in rows.tolist()], [choices[column] for column in columns.tolist()]
    sums = total[rows, columns]
    found: Floats = (sums - process.cpdist(left, right, scorer=Levenshtein.distance).astype(np.int64)) / sums
    return found


def semantic(one: str, other: str) -> float | None:
    """Cosine of the two passages' embeddings by the offline embedder; None where it is not installed."""
    embed = _embedder()
    if embed is None:
        return None
    vectors = embed.embed([one, other])
    return float(np.clip(np.dot(vectors[0], vectors[1]), -1.0, 1.0))


@cache
def _embedder() -> Embedder | None:
    from longreach.errors import Missing
    from longreach.models.embedders import get_embedder

    try:
        return get_embedder()
    except Missing:
        return None


SCORE = "score"
"""The measure that is a verdict's value: the share of items kept unchanged and in order."""
_PAPER = {"sort": "similarity", "restore": "similarity", "group": "recall", f"group{COPY}": "global_recall"}
"""What the paper measures; a copy has its task's measure, but copying needs no categories."""
_NAMED = 3  # items of each kind that a reason names
_PLACES = 6


def paper_measure(question_type: str) -> str:
    """The paper's measure of a question type."""
    return _PAPER.get(question_type) or _PAPER[base_task(question_type)]


def grade_answer(question: Question, text: str) -> Verdict:
    """One verdict. Unreadable answers are unparsed and refusals refused; neither has a value."""
    text = strip_reasoning(text)
    if not text.strip():
        return Verdict(status="unparsed", reason="empty answer")
    if question.question_type == "group":
        return _group(question, text)
    return _items(question, text)


def _items(question: Question, text: str) -> Verdict:
    """Sort, restore, and all copies: a list compared with a list, and a text with a text."""
    task = base_task(question.question_type)
    key = question.key.answer
    truth, reading = _read(task, key, text)
    if not reading.items:
        return _unread(text, "no number in the answer" if task == "sort" else "no line in the answer")
    found = account(truth, reading.items)
    if not found.kept and is_refusal(text):
        return _unread(text, "")
    separator = SEPARATOR if task == "sort" else NEWLINE
    scores: dict[str, float | None] = _texts(text, separator.join(reading.items), key, question.key.rivals)
    scores["exact"] = float(list(reading.items) == truth)
    if task == "restore":
        best, even = best_matches(truth, reading.items)
        # By sentence, order is ignored and the input scores 1, so the score is that of the whole text.
        scores |= {"whole": scores["similarity"], "whole_ratio": scores["ratio"]}
        scores |= {"similarity": float(best.mean()), "ratio": float(even.mean())}
        if question.question_type == task and detect_language(key) == "en":
            scores["semantic"] = semantic(text, key)
    scores |= _counts(found) | _order(found) | _in_order(found) | _room(truth, reading.items)
    if task == "group":
        scores["global_recall"] = len(set(truth) & set(reading.items)) / len(set(truth))
    scores |= {"layer": float(LAYERS.index(reading.layer) + 1), "other": float(reading.other)}
    scores["prefix"] = float(prefix := _is_prefix(truth, reading.items))
    notes = ["the input, copied"] if question.key.rivals == (separator.join(reading.items),) else []
    notes += [f"an exact prefix of the right answer ({len(reading.items)} of {len(truth)} items)"] if prefix else []
    return _verdict(scores, reading.layer, found, reading.items, notes)


def _is_prefix(truth: Sequence[str], written: Sequence[str]) -> bool:
    """Whether an answer is right as far as it goes and ends too early, perhaps inside an item: it may be cut off."""
    if not written or len(written) > len(truth) or list(written) == list(truth):
        return False
    last = len(written) - 1
    return list(written[:-1]) == list(truth[:last]) and truth[last].startswith(written[-1])


def _read(task: str, key: str, text: str) -> tuple[list[str], ItemReading]:
    """The true items, and the answer as items."""
    if task == "sort":
        numbers = key.split(SEPARATOR)
        return numbers, read_numbers(text, numbers)
    truth = key.split(NEWLINE)
    marked = 2 * sum(map(has_mark, truth)) > len(truth)
    return truth, read_texts(
        text, partial(_sentences, language=detect_language(key)), known=truth, marked=marked, commas=task == "group"
    )


def _sentences(line: str, language: str) -> list[str]:
    ends = sentence_ends(line, language)
    return [line[start:end].strip() for start, end in zip([0, *ends], ends, strict=False)]


def _texts(text: str, read: str, key: str, given: Sequence[str]) -> dict[str, float | None]:
    """Similarity of the raw answer to the true text, as in the paper; and that of the parsed items, corrected for what
    the input itself gets."""
    alike, even = similarity_and_ratio(text, key)
    as_read = alike if read == text else similarity(read, key)
    floor = _floor(given[0], key) if given else 0.0
    return {
        "similarity": alike,
        "ratio": even,
        "floor": floor if given else None,
        "corrected": corrected(as_read, floor),
    }


def _in_order(found: Account) -> dict[str, float]:
    """The most kept items that are in their right order, of all given (and of all written, if those are more); `room_`:
    of those that a cut-off answer had room for."""
    ends: list[int] = []
    for _, place in sorted(found.kept):
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return {SCORE: len(ends) / max(found.given, found.written), f"room_{SCORE}": len(ends) / max(1, found.written)}


@lru_cache(maxsize=1024)
def _floor(given: str, key: str) -> float:
    """The floor, cached: it is the same for every model's answer and slow to compute, as an unsorted list shares no
    positions."""
    return similarity(given, key)


def _counts(found: Account) -> dict[str, float]:
    """Every kind as a number and per given item; the first three kinds share out what was given."""
    scores: dict[str, float] = {"given": found.given, "written": found.written}
    for kind in KINDS:
        scores[kind] = found.count(kind)
        scores[f"{kind}_share"] = scores[kind] / found.given
    return scores


def _order(found: Account) -> dict[str, float | None]:
    run = longest_run(found.kept)
    return {
        "kendall_tau": kendall_tau([place for _, place in found.kept]),
        "longest_run": run,
        "longest_run_share": run / found.given,
    }


def _room(truth: Sequence[str], written: Sequence[str]) -> dict[str, float]:
    """How far an answer came, and its share of the true items up to there."""
    # Of the true items a cut-off answer had room for as many as it wrote, without its last: it may be incomplete.
    part = len(truth) if len(written) >= len(truth) else max(1, len(written) - 1)
    kept = account(truth[:part], written[:part]).kept
    return {"reached": min(1.0, len(written) / len(truth)), "room_kept_share": len(kept) / part}


def _group(question: Question, text: str) -> Verdict:
    truth = grouped(question.key.answer)
    given = [name for names in truth.values() for name in names]
    answer = read_groups(text, tuple(truth), frozenset(given))
    if not answer.groups:
        return _unread(text, "no category with names in the answer")
    written = [name for group in answer.groups for name in group.names]
    found = account(given, written)
    if not found.kept and is_refusal(text):
        return _unread(text, "")
    scores: dict[str, float | None] = _group_scores(truth, answer)
    scores |= _counts(found)
    scores["layer"] = float(LAYERS.index(answer.layer) + 1)
    scores["other"] = float(sum(group.category is None for group in answer.groups))
    scores["prefix"] = 0.0
    return _verdict(scores, answer.layer, found, written, [])


def _group_scores(truth: Mapping[str, Sequence[str]], answer: Groups) -> dict[str, float | None]:
    put: dict[str, set[str]] = {category: set() for category in truth}
    nowhere: set[str] = set()
    for group in answer.groups:
        (nowhere if group.category is None else put[group.category]).update(group.names)
    right = {category: len(put[category] & set(names)) for category, names in truth.items()}
    recalls = {category: right[category] / len(names) for category, names in truth.items()}
    given = {name for names in truth.values() for name in names}
    written = nowhere.union(*put.values())
    assigned = sum(len(group.names) for group in answer.groups)
    recall = sum(recalls.values()) / len(recalls)
    precision = sum(right.values()) / assigned if assigned else None
    # A truncated answer had room for the groups before the last; others for those they wrote.
    named = list(dict.fromkeys(group.category for group in answer.groups if group.category is not None))
    done = (named[:-1] if answer.cut else named) or named or list(truth)
    room_recall = sum(recalls[category] for category in done) / len(done)
    scores: dict[str, float | None] = {
        SCORE: _f1(recall, precision),
        f"room_{SCORE}": _f1(room_recall, precision),
        "recall": recall,
        "floor": 0.0,
        "corrected": _f1(recall, precision),
        "global_recall": len(written & given) / len(given),
        "precision": precision,
        "global_precision": len(written & given) / len(written) if written else None,
        "exact": float(recall == 1 and precision == 1),
        "reached": len(named[:-1] if answer.cut else named) / len(truth),
    }
    return scores | {f"recall_{category}": value for category, value in recalls.items()}


def _f1(recall: float, precision: float | None) -> float:
    """Recall alone ignores names that are invented or duplicated."""
    return 2 * recall * precision / (recall + precision) if recall and precision else 0.0


def _unread(text: str, reason: str) -> Verdict:
    if is_refusal(text):
        return Verdict(status="refused", reason=one_line(text, 120))
    return Verdict(status="unparsed", reason=reason)


def _verdict(
    scores: Mapping[str, float | None], layer: str, found: Account, written: Sequence[str], notes: Sequence[str]
) -> Verdict:
    known = {name: round(value, _PLACES) for name, value in scores.items() if value is not None}
    return Verdict(
        status="scored",
        value=known[SCORE],
        answer=one_line(f"{len(written)} items: {' | '.join(written[:8])}", 300),
        reason=_reason(layer, found, notes),
        scores=known,
    )


def _reason(layer: str, found: Account, notes: Sequence[str]) -> str:
    altered = [f"{true} -> {written}" for true, written in found.altered]
    parts = [f"read as {layer}; kept {len(found.kept)} of {found.given}", *notes]
    for kind, items in (("altered", altered), *((kind, getattr(found, kind)) for kind in KINDS[2:])):
        if items:
            more = f", … {len(items) - _NAMED} more" if len(items) > _NAMED else ""
            named = " | ".join(one_line(item, 60) for item in items[:_NAMED])
            parts.append(f"{kind} {len(items)}: {named}{more}")
    return "; ".join(parts)
