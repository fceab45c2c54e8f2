"""One model and family over several nights: its outcome, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from longreach.core.formatting import count
from longreach.core.statements import STATUS_WORDS, Outcome, Rate, Statement
from longreach.core.types import STATUSES, Frozen, Row
from longreach.errors import BadInput
from longreach.families import FAMILIES
from longreach.families.showing import family_view
from longreach.results.grading import RunGap
from longreach.stats.headline import size_axis
from longreach.stats.paired import worst
from longreach.stats.series import grouped

from .compare import place_label
from .nights import Calendar, ComparedQuestions, Levels, Night, NightSeries, PlaceOutcome, places_of, series_of
from .pairs import gradable

_ALWAYS = ("refused", "cut")
"""Statuses that are shown even where no answer has them."""


class StatusShare(Frozen):
    """How many of 1 answers ended in one way."""

    status: str
    before: float
    tonight: float
    lengths: tuple[str, ...] = ()
    """Where tonight has most of them."""


class ModelNights(Frozen):
    """Tonight against the nights before, for one model and family."""

    model: str
    family: str
    outcome: Outcome
    places: tuple[PlaceOutcome, ...] = ()
    reference: str
    """'7 nights', or the name of the one folder."""
    fresh: bool = False
    """Whether every night asked other items: then intervals are over contexts, else on these items."""
    margin: float
    """In points."""
    statuses: tuple[StatusShare, ...] = ()
    seen: tuple[float | None, float | None] = (None, None)
    """The drop in points at one length that 80 % of such nights show: in one night, in three."""
    statements: tuple[Statement, ...] = ()

    @property
    def lengths(self) -> tuple[PlaceOutcome, ...]:
        return tuple(each for each in self.places if each.kind == "length")

    @property
    def open_places(self) -> tuple[PlaceOutcome, ...]:
        return tuple(each for each in self.lengths if each.outcome == "open")


def judge_nights(
    nights: Sequence[Night],
    models: Sequence[str],
    *,
    pinned: Sequence[str] = (),
    margin: float,
    alike: bool = False,
    gaps: Sequence[RunGap] = (),
    at: float | None = None,
) -> tuple[list[ModelNights], list[str]]:
    """Every model and family of the last of these nights against the others; and notes on what was left out. `gaps` is
    what tonight has not answered."""
    alone = len({row.model for row in nights[-1].rows}) == 1
    by_model = [(night, grouped(night.rows, lambda row: row.model)) for night in nights]
    known = {model: series_of(model, by_model, alone=alone, alike=alike) for model in models}
    notes = [note for series in known.values() for note in series.notes]
    earlier = [night.name for night in nights[:-1]]
    if earlier and not any(len(series.nights) > 1 for series in known.values()):
        raise BadInput(
            f"{nights[-1].name} has no question in common with {', '.join(earlier[-3:])}; compare runs of one benchmark"
        )
    places = {model: _compared_places(series, at) for model, series in known.items()}
    calendars = {model: _calendar(series, pinned) for model, series in known.items()}
    comparisons = max(len(each.comparisons) for each in calendars.values())
    levels = Levels.of([each for own in places.values() for each in own], comparisons)
    found = []
    for model, series in known.items():
        outcomes = series.judged(calendars[model], levels, places[model], margin / 100)
        for family in [name for name in FAMILIES if any(row.family == name for row in series.rows)]:
            own = tuple(each for each in outcomes if each.family == family)
            missing = [gap for gap in gaps if gap.model == model and gap.family == family]
            found.append(_of_family(model, family, series, calendars[model], own, missing, margin))
    return found, notes


def _compared_places(series: NightSeries, at: float | None) -> list[ComparedQuestions]:
    """What is compared of a model; the share of answers that could be graded only where some could not."""
    unread = {row.family for night in series.nights for row in night.rows if gradable(row) == 0}
    kept = [each for each in places_of(series.rows) if each.kind != "gradable" or each.family in unread]
    return kept if at is None else _at(kept, at)


def _calendar(series: NightSeries, pinned: Sequence[str]) -> Calendar:
    here = tuple(number for number, night in enumerate(series.nights[:-1]) if night.name in pinned)
    apart = frozenset(number for number, night in enumerate(series.nights) if night.apart)
    return Calendar(tuple(night.good for night in series.nights), here, apart)


def _at(places: Sequence[ComparedQuestions], length: float) -> list[ComparedQuestions]:
    """Those at one length, or at the next longer one that was tested; without types over all lengths."""
    tested = sorted({float(each.length) for each in places if isinstance(each.length, int | float)})
    chosen = next((each for each in tested if each >= length), None)
    if chosen is None:
        raise BadInput(
            f"--at {length:g} is longer than any tested length; give one up to {tested[-1] if tested else 0:g}"
        )
    return [each for each in places if each.kind == "length" and each.length == chosen]


def _of_family(
    model: str,
    family: str,
    series: NightSeries,
    calendar: Calendar,
    places: tuple[PlaceOutcome, ...],
    gaps: Sequence[RunGap],
    margin: float,
) -> ModelNights:
    nights = [[row for row in night.rows if row.family == family] for night in series.nights]
    tonight = nights[-1]
    first = calendar.comparisons[0] if calendar.comparisons else None
    before = [row for number in (first.before if first else ()) for row in nights[number]]
    of = len(first.before) if first else 0
    name = series.nights[0].name if len(series.nights) == 2 else count(of, "night")
    shares = tuple(_statuses(tonight, before))
    broken = _broken(tonight, gaps)
    compared: Outcome = worst([each.outcome for each in places]) if places else "open"
    found = ModelNights(
        model=model,
        family=family,
        outcome="broken" if broken else compared,
        places=places,
        reference=name,
        fresh=series.fresh,
        margin=margin,
        statuses=shares,
        seen=_seen(places),
    )
    return found.model_copy(update={"statements": tuple(_statements(found, broken))})


def _broken(rows: Sequence[Row], gaps: Sequence[RunGap]) -> str:
    """Why nothing can be said of a model; empty if something can."""
    by = {str(status): sum(row.verdict.status == status for row in rows) for status in STATUSES}
    if cut := by.get("cut", 0):
        axis = size_axis(family_view(rows[0].family))
        at = {str(place_label(row.family, row.cell[axis.name])): 0 for row in rows
              if axis and str(row.verdict.status) == "cut" and axis.name in row.cell}  # fmt: skip
        where = f" at {_listed(list(at))}" if at else ""
        return f"this server cuts prompts{where}: {cut} of {len(rows)} did not arrive whole"
    if gaps:
        return f"{gaps[0].text}; {gaps[0].remedy}, --partial checks what there is"
    if not by["scored"]:
        most = max(by, key=lambda status: by[status])
        return f"nothing was measured, {by[most]} of {count(len(rows), 'answer')} {STATUS_WORDS.get(most, most)}"
    return ""


def _statuses(tonight: Sequence[Row], before: Sequence[Row]) -> list[StatusShare]:
    found = []
    for status in dict.fromkeys((*_ALWAYS, *STATUSES)):
        if status == "scored":
            continue
        now, was = (_share(rows, status) for rows in (tonight, before))
        if now or was or status in _ALWAYS:
            found.append(StatusShare(status=status, before=was, tonight=now, lengths=_most(tonight, status, now)))
    return found


def _share(rows: Sequence[Row], status: str) -> float:
    return sum(str(row.verdict.status) == status for row in rows) / len(rows) if rows else 0.0


def _most(rows: Sequence[Row], status: str, share: float) -> tuple[str, ...]:
    """The lengths with more than the mean share, if not all have about as many."""
    axis = size_axis(family_view(rows[0].family)) if rows else None
    if axis is None or not share:
        return ()
    at: dict[float, list[bool]] = {}
    for row in rows:
        if axis.name in row.cell:
            at.setdefault(float(row.cell[axis.name]), []).append(str(row.verdict.status) == status)
    found = [length for length, own in sorted(at.items()) if np.mean(own) > share]
    return tuple(place_label(rows[0].family, length) for length in found) if len(found) < len(at) else ()


def _seen(places: Sequence[PlaceOutcome]) -> tuple[float | None, float | None]:
    """A night with a change does not show how nights scatter: other lengths do, if there are any."""
    lengths = [place for place in places if place.kind == "length"]
    quiet = [place for place in lengths if place.outcome in ("passed", "open")] or lengths

    def most(nights: int) -> float | None:
        found = [each.visible for place in quiet for each in place.compared
                 if each.nights == nights and each.reference == "before"]  # fmt: skip
        return 100 * max(found) if found else None

    return most(1), most(3)


# What is said.


def _statements(found: ModelNights, broken: str) -> list[Statement]:
    about = {"model": found.model}
    if broken:
        return [Statement(about="verdict", text=f"Broken: {broken}.", severity="broken", **about)]
    if not found.places:
        text = "Open: there is no earlier night to compare with yet."
        return [Statement(about="verdict", text=text, severity="verdict", **about)]
    lines = [_verdict(found)]
    lines += _status_lines(found)
    if found.open_places and found.outcome != "open":
        lines.append(Statement(about="open", text=_open(found), **about))
    if text := seen_text(found):
        lines.append(Statement(about="seen", text=text, **about))
    return lines


def _verdict(found: ModelNights) -> Statement:
    own = [each for each in found.places if each.outcome == found.outcome]
    own = [each for each in own if each.kind == "length"] or own
    number, length = None, None
    if found.outcome == "passed":
        where = " at every length" if any(each.length is not None for each in own) else ""
        text = f"Passed: a loss of {found.margin:g} points is excluded{where}."
    elif found.outcome == "open":
        text = _open(found)
    else:
        most = max(own, key=lambda each: abs(each.decided.difference.value))
        gap = most.decided.difference
        number, length = Rate(value=gap.value, low=gap.low, high=gap.high, of=gap.n), most.length
        under = found.outcome == "suspicious"
        rest = f" Shown, and under the margin of {found.margin:g} points." if under else ""
        if found.outcome == "better" and found.places[0].nightly.of > 1:
            rest = " If it is to stay, --accept makes it the reference."
        text = f"{found.outcome.capitalize()} {_places(own)}: {_numbers(most, several=len(own) > 1)}.{rest}"
    return Statement(
        about="verdict",
        text=text,
        severity="verdict",
        model=found.model,
        length=int(length) if isinstance(length, int | float) else None,
        number=number,
    )


def _numbers(place: PlaceOutcome, *, several: bool) -> str:
    """'82 of 100 instead of 88'; of several nights together, how far they are from the reference."""
    decided = place.decided
    if decided.nights == 1 and decided.reference == "before":
        at = f" at {place_label(place.family, place.length)}" if several and place.length is not None else ""
        return f"{100 * place.tonight:.0f} of 100 instead of {100 * place.before:.0f}{at}"
    much = f"{100 * abs(decided.difference.value):.1f} points"
    side = "above" if decided.difference.value > 0 else "under"
    when = "tonight is" if decided.nights == 1 else f"the last {decided.nights} nights are"
    against = "the pinned reference" if decided.reference == "pinned" else f"the {decided.of} before"
    return f"{when} {much} {side} {against}"


def _places(places: Sequence[PlaceOutcome]) -> str:
    names = []
    for each in places:
        if each.kind == "gradable":
            names.append("in answers that can be graded")
        elif each.kind == "type":
            names.append(f"in {each.question_type}")
        elif each.length is None:
            names.append(f"in {each.name}")
        else:
            names.append(f"at {place_label(each.family, each.length)}")
    return _listed(list(dict.fromkeys(names))).replace(", at ", ", ").replace(" and at ", " and ")


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _open(found: ModelNights) -> str:
    every = len(found.open_places) == len(found.lengths) and len(found.lengths) > 1
    where = " at every length" if every else f" {_places(found.open_places)}"
    widest = max(100 * (each.nightly.difference.value - each.nightly.difference.low) for each in found.open_places)
    return f"Open{where}: no loss is shown, and one of {found.margin:g} points is not excluded (95 % CI ±{widest:.1f})."


def _status_lines(found: ModelNights) -> list[Statement]:
    """What became more frequent among the answers that cannot be graded, where the change is shown."""
    bad = any(each.kind == "gradable" and each.outcome in ("worse", "suspicious") for each in found.places)
    lines = []
    for each in found.statuses if bad else ():
        if each.tonight > each.before + 0.01:
            where = f" (most at {_listed(each.lengths)})" if each.lengths else ""
            said = STATUS_WORDS.get(each.status, each.status)
            text = f"{100 * each.tonight:.0f} of 100 answers {said}{where}; {100 * each.before:.0f} before."
            lines.append(Statement(about=each.status, text=text, severity="warning", model=found.model))
    return lines


def seen_text(found: ModelNights) -> str:
    """What drop such nights show; empty where nothing was compared."""
    one, three = found.seen
    if one is None:
        return ""
    if one >= 100:
        return "Too few answers per length to see a drop in one night."
    more = f" in one, of {three:.1f} in three" if three is not None and three < 100 else " at one length"
    return f"Seen in 80 of 100 such nights: a drop of {one:.1f} points{more}."


def shares_of(found: ModelNights) -> Mapping[str, tuple[float, float]]:
    """The shares before and tonight, by status."""
    return {each.status: (each.before, each.tonight) for each in found.statuses}
