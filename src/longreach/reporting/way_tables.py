"""What each way of reading loses, and where: by the way, or by the reader; what survives condensing; and the texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from longreach.core.bench import Bench
from longreach.core.figure import Column, Figure, Table, columns
from longreach.core.types import Call, Estimate, Evidence, Item, Key, Row
from longreach.families.readings import FOUND, STEP, WAY, full_item, record_of
from longreach.grading.reading.reply_text import strip_reasoning
from longreach.stats.counting import delivered, sample
from longreach.stats.intervals import mean_estimate
from longreach.stats.series import grouped
from longreach.ways.survival import fact_kind, made_up_values, survives

__all__ = ["way_tables"]

_TEXTS = 60
"""Texts on the page."""
_LONGEST = 4000
"""Characters of a text on the page."""
_PLACES = ("first third", "middle third", "last third")


def way_tables(rows: Sequence[Row], calls: Iterable[Call], benches: Mapping[str, Bench]) -> list[Figure]:
    """The tables of all ways but whole; `calls` and `benches` hold the steps too."""
    read = [row for row in rows if WAY in row.cell]
    texts = list(_texts(calls, benches))
    tables = [_lost(read)] if read else []
    if condensed := [each for each in texts if each.turn]:
        exam = [*_survival(condensed, benches)]
        tables += [_exam(exam)] if exam else []
    return [*tables, *([_shown(texts)] if texts else [])]


def _lost(rows: Sequence[Row]) -> Table:
    """Right answers and lost ones: the evidence was not in what the model read, or it was."""

    def share(own: Sequence[Row], wanted: bool, right: bool) -> Estimate | None:
        known = [row for row in own if FOUND in row.realised and delivered(row) is not None]

        def counts(row: Row) -> float:
            return float(bool(row.realised[FOUND]) is wanted and ((delivered(row) or 0.0) >= 1) is right)

        return mean_estimate(sample(known, counts)) if known else None

    groups = grouped(rows, lambda row: (row.model, str(row.cell[WAY]), row.question_type, row.cell.get("length", "")))
    return Table(
        id="lost",
        title="What is lost, and where",
        note="Shares of the questions whose evidence is known. Lost by the way: wrong, the evidence was not in what "
        "the model read last. Lost by the reader: wrong, though it was there. Right without it: known or guessed.",
        columns=(
            *columns("Model", "Way", "Questions"),
            Column(title="Length", unit="tokens"),
            *columns("Right", "Lost by the way", "Lost by the reader", "Right without it", unit="share"),
            Column(title="Asked", unit="count"),
        ),
        rows=tuple(
            (
                *key[:3],
                key[3],
                mean_estimate(sample(known)) if (known := [row for row in own if delivered(row) is not None]) else None,
                share(own, wanted=False, right=False),
                share(own, wanted=True, right=False),
                share(own, wanted=False, right=True),
                len(own),
            )
            for key, own in groups.items()
        ),
    )


class _Text(NamedTuple):
    """One reply of a step."""

    model: str
    way: str
    item: str
    """Of the whole context."""
    of: str
    """Digest of the benchmark with whole contexts."""
    part: str
    turn: int
    """The round of condensing; 0 for another way."""
    source: str
    text: str
    language: str


def _texts(calls: Iterable[Call], benches: Mapping[str, Bench]) -> Iterator[_Text]:
    for call in calls:
        bench = benches.get(call.bench)
        if call.family != STEP or bench is None or call.error or call.item not in bench.items:
            continue
        item, record = bench.items[call.item], record_of(bench)
        part = str(item.cell["part"])
        turn = int(item.cell["step"]) if part.startswith("round ") else 0
        way, of = str(item.cell[WAY]), record.of if record else ""
        own, language = strip_reasoning(call.text).strip(), record.language if record else "en"
        yield _Text(call.model, way, str(item.cell["of"]), of, part, turn, _source(bench, item), own, language)


def _source(bench: Bench, item: Item) -> str:
    """The text that a request is about; empty where it is a whole context, which lies elsewhere."""
    pieces = [bench.planted[piece.insert].text for piece in item.context.pieces if hasattr(piece, "insert")]
    return "".join(pieces) if len(pieces) == len(item.context.pieces) else ""


class _Survived(NamedTuple):
    """One fact after one round."""

    model: str
    way: str
    turn: int
    kind: str
    place: str
    there: bool
    context: str
    never_there: int
    """Values of the whole condensed context that are not in its text."""


def _survival(texts: Sequence[_Text], benches: Mapping[str, Bench]) -> Iterator[_Survived]:
    """Every asked fact of every condensed context after each round, and values there that the text never had."""
    for (model, way, of, item), own in grouped(texts, lambda each: (each.model, each.way, each.of, each.item)).items():
        whole = benches.get(of)
        if whole is None or item not in whole.items:
            continue
        facts = list(_facts(whole, whole.items[item]))
        source = "".join(each.source for each in own if each.turn == 1)
        for turn in sorted({each.turn for each in own}):
            after = "\n\n".join(each.text for each in own if each.turn == turn)
            wrong = len(made_up_values(after, source))
            for fact, key in facts:
                place = _PLACES[min(2, int(3 * fact.token / max(1, whole.items[item].context.tokens)))]
                there = survives(fact.text, key, after, own[0].language)
                yield _Survived(model, way, turn, fact_kind(fact.text, key), place, there, f"{of} {item}", wrong)


def _facts(bench: Bench, item: Item) -> Iterator[tuple[Evidence, Key]]:
    """The facts of a context that a question asks for by themselves, with its key."""
    asked = {question.evidence[0]: question.key for question in bench.questions.values() if len(question.evidence) == 1}
    for fact in bench.evidence(item):
        if fact.id in asked:
            yield fact, asked[fact.id]


def _exam(found: Sequence[_Survived]) -> Table:
    """Shares that survive, of all facts and by kind and place, after each round."""
    lines: list[tuple[str | float | int | None, ...]] = []
    for (model, way, turn), every in grouped(found, lambda each: each[:3]).items():
        groups: dict[str, list[_Survived]] = {"all facts": every}
        for name, part in (*grouped(every, lambda each: each.kind).items(), *_by_place(every)):
            groups[name] = part
        wrong = sum({each.context: each.never_there for each in every}.values())
        for name, part in groups.items():
            there = Counter(each.there for each in part)[True] / len(part)
            lines.append((model, way, turn, name, there, len(part), wrong if name == "all facts" else None))
    return Table(
        id="condensed",
        title="What survives condensing",
        note="A fact survives if it is there word for word, or its names, numbers and answer stand together; put "
        "otherwise it counts as lost. Never there: numbers and names that the text does not have.",
        columns=(
            *columns("Model", "Way"),
            Column(title="Round", unit="count"),
            *columns("Facts"),
            Column(title="Survive", unit="share"),
            Column(title="Of", unit="count"),
            Column(title="Never there", unit="count"),
        ),
        rows=tuple(lines),
    )


def _by_place(found: Sequence[_Survived]) -> list[tuple[str, list[_Survived]]]:
    groups = grouped(found, lambda each: each.place)
    return [(place, groups[place]) for place in _PLACES if place in groups]


def _shown(texts: Sequence[_Text]) -> Table:
    """The texts between, to be read."""
    own = texts[:_TEXTS]
    left = f" The first {_TEXTS} of {len(texts)}." if len(texts) > _TEXTS else ""
    return Table(
        id="texts",
        title="What the model wrote on the way",
        note=f"Condensed texts, quotes and notes.{left}",
        columns=columns("Model", "Way", "Context", "Step", "Text"),
        rows=tuple((each.model, each.way, full_item(each.item), each.part, each.text[:_LONGEST]) for each in own),
    )
