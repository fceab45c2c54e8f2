"""Grades an answer: text in, all its measures out, by key and without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

from longreach.core.question import Question
from longreach.core.verdict import Verdict
from longreach.errors import one_line
from longreach.grading import is_refusal
from longreach.grading.reading.groups import Groups, read_groups
from longreach.grading.reading.item_lists import LAYERS, ItemReading, read_numbers, read_texts
from longreach.grading.reading.list_marks import has_mark
from longreach.grading.reading.reasoning import strip_reasoning
from longreach.text.documents import detect_language
from longreach.text.sentences import sentence_ends

from .accounting import KINDS, Account, account, kendall_tau, longest_run
from .asking import COPY, base_task
from .group import grouped
from .sample import NEWLINE
from .scores import best_matches, corrected, mean, semantic, similarity, similarity_and_ratio
from .sort import SEPARATOR

__all__ = ["SCORE", "grade_answer", "paper_measure"]

SCORE = "score"
"""The measure that is a verdict's value: 1 where items and order are right, 0 for the unprocessed input."""
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
        scores |= {"similarity": mean(best), "ratio": mean(even)}
        if question.question_type == task and detect_language(key) == "en":
            scores["semantic"] = semantic(text, key)
    scores |= _counts(found)
    scores |= _order(found)
    scores |= _room(truth, reading.items)
    if task == "group":
        scores["global_recall"] = len(set(truth) & set(reading.items)) / len(set(truth))
    scores |= {"layer": float(LAYERS.index(reading.layer) + 1), "other": float(reading.other)}
    prefix = _is_prefix(truth, reading.items)
    scores["prefix"] = float(prefix)
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
    """Similarity of the raw answer to the true text, as in the paper; and the score of the parsed items, corrected for
    what the input itself scores. `room_`: against as much of the true text as the answer covers.
    """
    alike, even = similarity_and_ratio(text, key)
    as_read = alike if read == text else similarity(read, key)
    in_room = similarity(read, key[: len(read)])
    floor = _floor(given[0], key) if given else 0.0
    above = corrected(as_read, floor)
    return {
        "similarity": alike,
        "ratio": even,
        "floor": floor if given else None,
        "corrected": above,
        SCORE: _share(as_read if above is None else above),
        f"room_{SCORE}": _share(corrected(in_room, floor) if floor < 1 else in_room),
    }


def _share(score: float | None) -> float:
    """Worse than the input counts as 0."""
    return min(1.0, max(0.0, score or 0.0))


@lru_cache(maxsize=1024)
def _floor(given: str, key: str) -> float:
    """The floor, cached: it is the same for every model's answer and slow to compute, as an unsorted list shares no
    positions.
    """
    return similarity(given, key)


def _counts(found: Account) -> dict[str, float]:
    """Every kind as a number and per given item; the first three kinds share out what was given."""
    scores: dict[str, float] = {"given": found.given, "written": found.written}
    for kind in KINDS:
        scores[kind] = found.count(kind)
        scores[f"{kind}_share"] = found.count(kind) / found.given
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
    part = _part(truth, written)
    kept = account(truth[:part], written[:part]).kept
    return {"reached": min(1.0, len(written) / len(truth)), "room_kept_share": len(kept) / part}


def _part(truth: Sequence[str], written: Sequence[str]) -> int:
    """How many of the true items an answer had room for, if it was cut off. Its last item may be incomplete, so it does
    not count.
    """
    return len(truth) if len(written) >= len(truth) else max(1, len(written) - 1)


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
    recalls = {category: len(put[category] & set(names)) / len(names) for category, names in truth.items()}
    given = {name for names in truth.values() for name in names}
    written = nowhere.union(*put.values())
    right = sum(len(put[category] & set(names)) for category, names in truth.items())
    assigned = sum(len(group.names) for group in answer.groups)
    recall = sum(recalls.values()) / len(recalls)
    precision = right / assigned if assigned else None
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
    scores: Mapping[str, float | None],
    layer: str,
    found: Account,
    written: Sequence[str],
    notes: Sequence[str],
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
    parts = [f"read as {layer}; kept {len(found.kept)} of {found.given}", *notes]
    if found.altered:
        parts.append(_some("altered", [f"{true} -> {written}" for true, written in found.altered]))
    for kind in ("lost", "duplicated", "invented"):
        if items := getattr(found, kind):
            parts.append(_some(kind, items))
    return "; ".join(parts)


def _some(kind: str, items: Sequence[str]) -> str:
    more = f", … {len(items) - _NAMED} more" if len(items) > _NAMED else ""
    return f"{kind} {len(items)}: " + " | ".join(one_line(item, 60) for item in items[:_NAMED]) + more
