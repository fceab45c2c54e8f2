"""One row per model and way of reading: what was right, made up, refused and cut, what it cost, and where it fails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pydantic import Field

from longreach.core.bench import Bench
from longreach.core.formatting import length_label
from longreach.core.statements import Decision, Rate
from longreach.core.types import Call, Frozen, Row
from longreach.families.readings import FOUND, full_item
from longreach.grading import AbsenceKind, read_absence
from longreach.results.decisions import WHOLE, decisions_of, way_of
from longreach.stats.counting import delivered
from longreach.stats.letters import Answers, QuestionScore, beaten_last, letters, losses
from longreach.stats.series import grouped

from .baseline import AgainstBaseline
from .own_questions import OwnScore

__all__ = ["MADE_UP", "DecideRow", "decide_rows", "with_windows"]

ABSENT = "abstention"
"""The question type whose answer is not in the text."""
_ENOUGH = 8
"""Questions behind any reason that is given."""
_NAMES = {"literal": "find a fact", "inference": "combine two facts", ABSENT: "say what is not there"}
MADE_UP = 0.08
"""Share of the unanswerable questions from which made-up answers are named."""
_WEAK = 0.6
"""Right in fewer is called not able."""
_THIRDS = ("first", "middle", "last")


class DecideRow(Decision):
    """A decision with what an engineer asks beside it."""

    letter: str = ""
    """Rows that share a letter cannot be told apart."""
    made_up: float | None = None
    """Share of the unanswerable questions that got an answer; None if none was asked."""
    refused: float = 0.0
    """Share of the other questions that were refused, or answered with 'not in the text'."""
    cut: float = 0.0
    usd_per_1000: float | None = None
    """US dollars per 1,000 questions; None if no price is known."""
    seconds_per_question: float | None = None
    questions: int = 0
    """Asked at the length that the row is about."""
    why: tuple[str, ...] = ()
    """For a row that is not shown to hold: where it loses answers."""
    own: OwnScore | None = None
    """What it got of the user's own questions."""
    baseline: AgainstBaseline | None = None
    """With `--baseline`: how it stands against that server; null for the baseline itself."""
    sees_only: str = ""
    """'the last 16k tokens': nothing beyond is ever found."""


def decide_rows(
    rows: Sequence[Row],
    calls: Iterable[Call],
    benches: Mapping[str, Bench],
    *,
    at: float,
    cuts: Mapping[str, int] | None = None,
    steps: Mapping[tuple[str, str], Sequence[Call]] | None = None,
) -> list[DecideRow]:
    """Best first; rows that cannot be told apart share a letter. `steps`: by model and way, what led to its texts."""
    found = []
    spent = grouped(calls, lambda call: (call.model, call.bench))
    for decision in decisions_of(rows, benches, at=at, cuts=cuts):
        own = [row for row in rows if (row.model, way_of(row)) == (decision.model, decision.way)]
        here = [row for row in own if int(row.cell.get("length", 0)) == _asked_length(decision, at)]
        asked = [
            call
            for bench in {row.bench for row in here}
            for call in spent.get((decision.model, bench), ())
            if call.item in {row.item for row in here}
        ]
        asked += (steps or {}).get((decision.model, decision.way), ())
        found.append((_row(decision, own, here, asked, benches), here))
    known = {row.model for row, _ in found if row.way == WHOLE}
    broken = [DecideRow(model=model, verdict="broken") for model in cuts or {} if model not in known]
    found += [(row, []) for row in broken]
    found.sort(key=lambda pair: _order(pair[0]))
    answers = [_answers(here) for _, here in found]
    shown = losses(answers)
    order = beaten_last(range(len(found)), shown)
    named = letters(order, answers, shown)
    return [found[place][0].model_copy(update={"letter": named[place]}) for place in order]


def _answers(rows: Sequence[Row]) -> Answers:
    """What a row was asked, to be compared with others; the same question over whole texts and over passages is one."""
    known = ((row, delivered(row)) for row in rows)
    return {
        (full_item(row.item), row.question): QuestionScore(score, row.context)
        for row, score in known
        if score is not None
    }


def with_windows(rows: Sequence[DecideRow], windows: Mapping[str, int], at: float) -> list[DecideRow]:
    """The rows, with those of models whose window is shorter than the length as what they are, behind the others."""
    short = [
        beyond_window(row, windows[row.model], at)
        for row in rows
        if row.model in windows and row.way == WHOLE and all(each.length < at for each in row.by_length)
    ]
    asked = {row.model for row in rows if row.way == WHOLE}
    short += [
        beyond_window(DecideRow(model=model, verdict="fails"), window, at)
        for model, window in windows.items()
        if model not in asked
    ]
    replaced = {row.model for row in short}
    return [*(row for row in rows if not (row.way == WHOLE and row.model in replaced)), *short]


def beyond_window(row: DecideRow, window: int, at: float) -> DecideRow:
    """The row of a model whose window is shorter than the length: it fails there, and is shown with what it can."""
    shown = f", and holds to {length_label(row.holds_to)}" if row.holds_to is not None else ""
    why = f"its window of {length_label(window)} is shorter than {length_label(at)}{shown}"
    nothing: dict[str, object] = {"right": None, "letter": "", "made_up": None, "refused": 0.0, "questions": 0}
    nothing |= {"usd_per_1000": None, "seconds_per_question": None}
    return row.model_copy(update={"verdict": "fails", "why": (why,), **nothing})


def _asked_length(decision: Decision, at: float) -> int:
    """The longest asked length up to the one that the row is about."""
    asked = [each.length for each in decision.by_length if each.right is not None]
    return max((length for length in asked if length <= at), default=min(asked, default=0))


def _order(row: DecideRow) -> tuple[int, float]:
    rank = {"holds": 0, "open": 1, "fails": 2, "broken": 3}[row.verdict]
    return rank, -(row.right.value if row.right else 0.0)


def _row(
    decision: Decision, own: Sequence[Row], here: Sequence[Row], calls: Sequence[Call], benches: Mapping[str, Bench]
) -> DecideRow:
    absent = [row for row in here if row.question_type == ABSENT]
    there = [row for row in here if row.question_type != ABSENT]
    costs = [call.cost for call in calls]
    known = [cost for cost in costs if cost is not None]
    return DecideRow(
        **decision.model_dump(),
        made_up=_share(absent, _made_up) if absent else None,
        refused=_share(there, _refused),
        cut=_share(here, lambda row: row.verdict.status == "cut"),
        usd_per_1000=1000 * sum(known) / len(here) if here and len(known) == len(costs) else None,
        seconds_per_question=sum(call.seconds for call in calls) / len(here) if here else None,
        questions=len(here),
        why=tuple(_why(decision, own, here, benches)) if decision.verdict in ("fails", "open") else (),
        sees_only=_sees_only(here, benches) if decision.way == WHOLE else "",
    )


def _share(rows: Sequence[Row], of: object) -> float:
    return sum(bool(of(row)) for row in rows) / len(rows) if rows and callable(of) else 0.0


def _made_up(row: Row) -> bool:
    return row.verdict.status == "scored" and row.verdict.value == 0 and row.verdict.certain


def _refused(row: Row) -> bool:
    said = row.verdict.status == "scored" and row.verdict.value == 0 and row.verdict.certain
    return row.verdict.status == "refused" or (said and read_absence(row.verdict.answer).kind is AbsenceKind.CLEAN)


# Why a row fails, in words.


def _why(decision: Decision, own: Sequence[Row], here: Sequence[Row], benches: Mapping[str, Bench]) -> Iterable[str]:
    """Where it fails: in one part of the text, by refusing, by making up, by not combining; else by length alone."""
    shortest = min((int(row.cell["length"]) for row in own if "length" in row.cell), default=0)
    short = [row for row in own if row.cell.get("length") == shortest]
    longest = int(here[0].cell.get("length", 0)) if here else 0
    reasons = list(_reasons(short if shortest < longest else (), here, benches, longest))
    before = f"{100 * _right(short):.0f} of 100 at {length_label(shortest)}"
    if decision.fails_at == shortest < longest and not reasons:
        yield f"fails already in a short text ({before}): the task is too hard, not the length"
    elif shortest < longest:
        yield f"right in {before}, {100 * _right(here):.0f} at {length_label(longest)}"
    yield from reasons


def _reasons(short: Sequence[Row], here: Sequence[Row], benches: Mapping[str, Bench], longest: int) -> Iterable[str]:
    yield from _on_the_way(here)
    lost = list(_lost_in(here, benches))
    yield from lost
    if only := _sees_only(here, benches):
        yield f"sees only {only}: cut by the server, or never read"
    absent = [row for row in here if row.question_type == ABSENT]
    refused = _share([row for row in here if row.question_type != ABSENT], _refused)
    if refused >= 0.1:
        yield f"refuses 1 in {max(2, round(1 / refused))}, or says that the text does not tell"
    made_up = _share(absent, _made_up)
    if made_up >= MADE_UP and len(absent) >= _ENOUGH:
        yield f"answers what is not there in 1 of {max(1, round(1 / made_up))}"
    if lost or refused >= 0.1:
        return
    for name, rows in grouped(here, lambda row: row.question_type).items():
        if name == ABSENT or len(rows) < _ENOUGH or _right(rows) >= _WEAK:
            continue
        before = [row for row in short if row.question_type == name]
        where = "even in a short text" if before and _right(before) < _WEAK else f"at {length_label(longest)}"
        yield f"cannot {_NAMES.get(name, name)} {where} ({100 * _right(rows):.0f} of 100)"


def _on_the_way(here: Sequence[Row]) -> Iterable[str]:
    """What a way of reading loses before the model reads it, against what the reader loses."""
    known = [row for row in here if FOUND in row.realised]
    wrong = [row for row in known if not delivered(row)]
    gone = _share(known, lambda row: not row.realised[FOUND] and not delivered(row))
    if gone >= 0.1 and len(known) >= _ENOUGH:
        read = len(wrong) / len(known) - gone
        yield f"{100 * gone:.0f} of 100 are lost by the way (the evidence is gone), {100 * read:.0f} by the reader"
    if long := sum(row.verdict.status == "not_condensed" for row in here):
        yield f"{long} of {len(here)} texts were still too long after three rounds"


def _right(rows: Sequence[Row]) -> float:
    known = [score for row in rows if (score := delivered(row)) is not None]
    return sum(known) / len(known) if known else 0.0


def _places(rows: Sequence[Row], benches: Mapping[str, Bench]) -> list[tuple[float, int, int, Row]]:
    """For each question whose evidence is known: its depth, tokens before and after it, and the row."""
    found = []
    for row in rows:
        bench = benches[row.bench]
        item, wanted = bench.items.get(row.item), bench.questions[row.question].evidence
        if item is None or not wanted:
            continue
        tokens = [fact.token for fact in bench.evidence(item) if fact.id in wanted]
        if tokens:
            total = max(1, item.context.tokens)
            found.append((min(tokens) / total, min(tokens), total - min(tokens), row))
    return found


def _lost_in(rows: Sequence[Row], benches: Mapping[str, Bench]) -> Iterable[str]:
    """The third of the text in which clearly fewer facts are found than elsewhere."""
    thirds: list[list[Row]] = [[], [], []]
    for depth, _, _, row in _places(rows, benches):
        thirds[min(2, int(3 * depth))].append(row)
    if min(map(len, thirds)) < _ENOUGH:
        return
    rates = [_right(third) for third in thirds]
    worst = rates.index(min(rates))
    others = [rate for place, rate in enumerate(rates) if place != worst]
    if min(others) - rates[worst] >= 0.2:
        best = ", ".join(f"{_THIRDS[place]} third {100 * rates[place]:.0f}" for place in range(3) if place != worst)
        yield f"loses what stands in the {_THIRDS[worst]} third ({100 * rates[worst]:.0f} of 100; {best})"


def _sees_only(rows: Sequence[Row], benches: Mapping[str, Bench]) -> str:
    """'the last 16k tokens', if everything within is found and nothing beyond it; empty otherwise."""
    known = [place for place in _places(rows, benches) if place[3].question_type != "inference"]
    for name in ("last", "first"):
        scored = [(after if name == "last" else before, delivered(row) or 0.0) for _, before, after, row in known]
        ordered = sorted(scored, key=lambda pair: pair[0])
        scores = [score for _, score in ordered]
        best = max(
            ((sum(scores[:cut]) - sum(scores[cut:]), cut) for cut in range(_ENOUGH, len(scores) - _ENOUGH + 1)),
            default=(0.0, 0),
        )[1]
        if best and sum(scores[:best]) >= 0.75 * best and sum(scores[best:]) <= 0.08 * (len(scores) - best):
            edge = (ordered[best - 1][0] + ordered[best][0]) / 2
            return f"the {name} {length_label(round(edge, -2) or edge)} tokens"
    return ""


class Spent(Frozen):
    """What it took."""

    requests: int = Field(ge=0)
    tokens: int = Field(ge=0)
    usd: float | None = None


def rate_text(rate: Rate | None) -> str:
    """'94 (90-97)': of 100."""
    if rate is None:
        return "-"
    return f"{100 * rate.value:.0f} ({100 * rate.low:.0f}-{100 * rate.high:.0f})"
