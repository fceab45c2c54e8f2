"""`decide --baseline`: servers of the same weights, each held against one of them, pair by pair of answers.

All are asked the same panels, in looks, until it is shown at each length that a setting loses something or that a loss
of the margin is excluded. The outcomes are those of the gate; `passed` and `better` are worded `safe`."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from longreach.checking.pairs import pair_rows
from longreach.core.bench import Bench
from longreach.core.formatting import count, length_label
from longreach.core.runs import shown_calls
from longreach.core.settings import model_name
from longreach.core.statements import Outcome, Rate, listed
from longreach.core.types import Call, Frozen, Row
from longreach.errors import BadInput, did_you_mean
from longreach.families.panels import BenchPanels
from longreach.results.decisions import WHOLE
from longreach.stats.intervals import Floats, Ints, wilson
from longreach.stats.paired import SETTINGS_MARGIN, Moved, Shift, level, outcome_of, worst
from longreach.ways.steps import part_of

from .trials import Trial

__all__ = [
    "AgainstBaseline",
    "Comparing",
    "Gaps",
    "LengthGap",
    "Send",
    "against",
    "ask_in_looks",
    "check_baseline",
    "held_against",
    "judge_in_looks",
    "not_held",
    "same_text",
]

_LOOKS = (0.15, 0.3, 0.6, 1.0)
"""Shares of the contexts of a length after which the pairs are looked at: 3, 6, 12 and 20 of 20."""
_FEWEST = 3
"""Contexts before the first look."""
_SAFE: tuple[Outcome, ...] = ("passed", "better")
_MOST = 2000
"""Contexts that are still offered to be asked."""
Send = Callable[[Trial, Bench, str], str]
"""Asks a trial some items of its benchmark, under a name; what stopped it, if its model fails."""


class LengthGap(Frozen):
    """One server against the baseline at one length."""

    length: int
    outcome: Outcome
    difference: Rate
    """Right answers less those of the baseline, as a share of 1; the interval allows for all looks, lengths and
    servers."""
    contexts: int


class AgainstBaseline(Frozen):
    """One server against another of the same weights."""

    against: str
    outcome: Outcome
    """The worst over lengths; `passed` and `better` are shown as safe, `worse` as not safe."""
    safe_to: int | None = None
    """The longest length up to which a loss of the margin is excluded at every one."""
    text: str = ""
    """'not safe beyond 16k: loses 8 of 100 at 32k (CI 4 to 12)'."""
    by_length: tuple[LengthGap, ...] = ()
    same: Rate | None = None
    """Share of the requests that both answer with the same text; an interval of 95 %."""
    repeated: Rate | None = None
    """The same of repeated requests to the baseline itself, where there are any."""

    @property
    def summary(self) -> str:
        """'not safe beyond 16k'."""
        return self.text.partition(":")[0]

    @property
    def word(self) -> str:
        """For a table."""
        if self.outcome in ("broken", "open"):
            return self.outcome
        return "not safe" if self.outcome in ("worse", "suspicious") else f"safe to {_at(self.safe_to)}"


@dataclass(frozen=True)
class Comparing:
    """What decides: the margin, and how often it is looked."""

    lengths: int
    servers: int
    """Beside the baseline."""
    margin: float = SETTINGS_MARGIN

    @cached_property
    def confidence(self) -> float:
        """Of each interval, so that all looks, lengths and servers together raise a false alarm in 5 of 100."""
        return level(len(_LOOKS) * self.lengths * self.servers)

    def outcome(self, shift: Shift) -> Outcome:
        """As in the gate; that a loss of the margin is excluded is up to the same wide interval, as it is looked at
        more than once."""
        clear, margin = shift.interval(self.confidence), self.margin / 100
        found = outcome_of(shift, clear, margin)
        if found in ("passed", "suspicious"):
            return "passed" if clear.low > -margin else "open"
        return found


@dataclass(frozen=True)
class Gaps:
    """How far each question moved from the baseline to another server."""

    gap: Floats
    context: Ints
    length: Ints
    """Which length, from 0."""
    rank: Ints
    """The place of its panel in the order of asking."""

    def only(self, chosen: Any) -> Gaps:
        return Gaps(self.gap[chosen], self.context[chosen], self.length[chosen], self.rank[chosen])


def panels_at(stock: int, look: int) -> int:
    """The panels of a length that are asked up to a look."""
    return min(stock, max(_FEWEST, math.ceil(_LOOKS[look] * stock)))


def judge_in_looks(gaps: Gaps, comparing: Comparing, stock: Sequence[int]) -> dict[int, tuple[Outcome, Shift, int]]:
    """By length: the outcome at the first look that decides, else at the last, and the contexts behind it. `stock` is
    how many panels each length has. Of a look that was not asked to its end, what there is."""
    found: dict[int, tuple[Outcome, Shift, int]] = {}
    until = np.zeros(len(stock), dtype=np.int64)
    for look in range(len(_LOOKS)):
        still = [length for length in range(len(stock)) if length not in found or found[length][0] == "open"]
        for length in still:
            until[length] = panels_at(stock[length], look)
        seen = gaps.only(gaps.rank < until[gaps.length])
        shared = Moved.between(seen.gap, seen.context, seen.length)
        contexts = shared.contexts()
        for length in still:
            places = np.flatnonzero(seen.length == length)
            if shift := shared.shift(places, contexts, None):
                found[length] = comparing.outcome(shift), shift, len(np.unique(seen.context[places]))
    return found


class Panels:
    """The panels of a benchmark by length, in the order in which all servers are asked."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        by_length: dict[int, list[set[str]]] = {}
        for lengths in BenchPanels(bench).by_length.values():
            for length, panels in lengths.items():
                own = by_length.setdefault(length, [])
                own += [set() for _ in range(len(panels) - len(own))]
                for place, panel in enumerate(panels):
                    own[place] |= set(panel.items)
        self.by_length = dict(sorted(by_length.items()))

    @cached_property
    def place(self) -> Mapping[str, tuple[int, int]]:
        """The length (from 0) and the panel of each item."""
        return {
            item: (length, rank)
            for length, panels in enumerate(self.by_length.values())
            for rank, panel in enumerate(panels)
            for item in panel
        }

    @property
    def stock(self) -> list[int]:
        return [len(panels) for panels in self.by_length.values()]

    def gaps(self, first: Sequence[Row], second: Sequence[Row]) -> Gaps:
        """What changed from one server's answers to another's."""
        pairs = [pair for pair in pair_rows(first, second).pairs if pair.first.item in self.place]
        contexts: dict[tuple[int, str], int] = {}
        places = [self.place[pair.first.item] for pair in pairs]
        keys = [
            (length, pair.first.context or pair.first.item) for pair, (length, _) in zip(pairs, places, strict=True)
        ]
        return Gaps(
            gap=np.array([pair.gain for pair in pairs], dtype=np.float64),
            context=np.array([contexts.setdefault(key, len(contexts)) for key in keys], dtype=np.int64),
            length=np.array([length for length, _ in places], dtype=np.int64),
            rank=np.array([rank for _, rank in places], dtype=np.int64),
        )

    def up_to(self, look: int, decided: Collection[int]) -> set[str]:
        """The items that are asked up to a look, of the lengths (from 0) that are still open."""
        left = enumerate(self.by_length.values())
        panels = (own[: panels_at(len(own), look)] for place, own in left if place not in decided)
        return {item for first in panels for panel in first for item in panel}


def check_baseline(trials: Sequence[Trial], label: str) -> None:
    """Refuse a baseline that is none of the models, that stands alone, or that reads shorter texts than another."""
    labels = [trial.address.label for trial in trials]
    if label not in labels:
        raise BadInput(f"--baseline {label}: no such model that can be asked.{did_you_mean(label, labels)}")
    if len(set(labels)) < 2:
        raise BadInput(f"--baseline {label}: give at least one more server of the same weights with -m")
    if any(trial.way.name != WHOLE for trial in trials):
        raise BadInput(f"--baseline {label}: settings are compared on the whole text; leave --ways out")
    base = _trial(trials, label)
    if any(set(trial.bench.items) - set(base.bench.items) for trial in trials):
        raise BadInput(f"--baseline {label}: its window is shorter than another's; take the longest as the baseline")


def _trial(trials: Sequence[Trial], label: str) -> Trial:
    return next(trial for trial in trials if trial.address.label == label)


def ask_in_looks(trials: Sequence[Trial], runs: Path, label: str, margin: float, send: Send) -> str:
    """Ask all servers the same contexts, look by look, each length as long as it is open; what stopped one of them."""
    base, stopped = _trial(trials, label), ""
    others = [trial for trial in trials if trial is not base]
    panels = Panels(base.bench)
    comparing = Comparing(len(panels.by_length), len(others), margin)
    for look in range(len(_LOOKS)):
        rows = _graded(runs, base.bench)
        wanted = {
            trial.name: panels.up_to(look, _decided(rows, label, trial.address.label, panels, comparing))
            & trial.bench.items.keys()
            for trial in others
        }
        others = [trial for trial in others if wanted[trial.name]]
        every = set[str]().union(*(wanted[trial.name] for trial in others))
        for trial in [base, *others] if every else ():
            part = part_of(trial.bench, every if trial is base else wanted[trial.name])
            if stop := send(trial, part, f"{trial.name}, look {look + 1}"):
                stopped, others = stop, [each for each in others if each is not trial]
                if trial is base:
                    return stopped
    return stopped


def _decided(rows: Sequence[Row], label: str, other: str, panels: Panels, comparing: Comparing) -> set[int]:
    """The lengths (from 0) at which a server needs no more answers."""
    gaps = panels.gaps(_of(rows, label), _of(rows, other))
    return {length for length, found in judge_in_looks(gaps, comparing, panels.stock).items() if found[0] != "open"}


def _of(rows: Sequence[Row], label: str) -> list[Row]:
    return [row for row in rows if model_name(row.model) == label]


def _graded(runs: Path, bench: Bench) -> list[Row]:
    from longreach.results.grading import grade_runs
    from longreach.runner.logs import collect_calls

    if not runs.exists():
        return []
    calls = [call for call in shown_calls(runs, collect_calls(runs)) if call.bench == bench.info.digest]
    return grade_runs(runs, calls)


def held_against(
    rows: Sequence[Row], calls: Iterable[Call], bench: Bench, label: str, comparing: Comparing
) -> dict[str, AgainstBaseline]:
    """By model, each server beside the baseline against it."""
    panels, found = Panels(bench), dict[str, AgainstBaseline]()
    texts: dict[str, Texts] = {}
    for call in calls:
        if call.bench == bench.info.digest and not call.error:
            texts.setdefault(model_name(call.model), {})[call.item, call.repeat] = call.text.strip()
    base = _of(rows, label)
    for model in dict.fromkeys(row.model for row in rows):
        if (name := model_name(model)) == label:
            continue
        judged = judge_in_looks(panels.gaps(base, _of(rows, name)), comparing, panels.stock)
        lengths = list(panels.by_length)
        gaps = [_length_gap(lengths[place], *judged[place], comparing.confidence) for place in sorted(judged)]
        ours = texts.get(label, {})
        found[model] = against(label, gaps, lengths, comparing.margin).model_copy(
            update={"same": _same(ours, texts.get(name, {})), "repeated": _repeated(ours)}
        )
    return found


Texts = dict[tuple[str, int], str]
"""The answers of one server, by item and repeat."""


def _same(first: Texts, second: Texts) -> Rate | None:
    both = first.keys() & second.keys()
    return _share([first[key] == second[key] for key in both])


def _repeated(texts: Texts) -> Rate | None:
    """How often a repeated request got the text of the first."""
    return _share(
        [text == texts[item, 1] for (item, repeat), text in texts.items() if repeat > 1 and (item, 1) in texts]
    )


def _share(same: Sequence[bool]) -> Rate | None:
    if not same:
        return None
    found = wilson(sum(same), len(same))
    return Rate(value=found.value, low=found.low, high=found.high, of=found.n)


def _length_gap(length: int, outcome: Outcome, shift: Shift, contexts: int, confidence: float) -> LengthGap:
    gap = shift.interval(confidence)
    rate = Rate(value=gap.value, low=gap.low, high=gap.high, of=gap.n)
    return LengthGap(length=length, outcome=outcome, difference=rate, contexts=contexts)


# In words.


def against(label: str, gaps: Sequence[LengthGap], lengths: Sequence[int], margin: float) -> AgainstBaseline:
    """One server against the baseline, worded. `lengths` are all that are to be asked."""
    safe_to, known = None, {gap.length: gap for gap in gaps}
    for length in lengths:
        if length not in known or known[length].outcome not in _SAFE:
            break
        safe_to = length
    outcome = worst([gap.outcome for gap in gaps] + ["open"] * (len(lengths) > len(gaps)))
    bad = next((gap for gap in gaps if gap.outcome == "worse"), None)
    if bad is not None:
        text = _not_safe(bad, safe_to, lengths)
    elif safe_to == lengths[-1]:
        text = _safe(safe_to, gaps, margin)
    else:
        outcome = "open"
        text = _open(known, safe_to, lengths, margin)
    return AgainstBaseline(against=label, outcome=outcome, safe_to=safe_to, text=text, by_length=tuple(gaps))


def not_held(label: str, *, broken: bool = False) -> AgainstBaseline:
    """A server without answers that can be compared."""
    text = "broken: the server cuts the prompt" if broken else "open: too little was asked"
    return AgainstBaseline(against=label, outcome="broken" if broken else "open", text=text)


def _not_safe(bad: LengthGap, safe_to: int | None, lengths: Sequence[int]) -> str:
    beyond = safe_to is not None and lengths.index(bad.length) == lengths.index(safe_to) + 1
    where = f"beyond {_at(safe_to)}" if beyond else f"at {_at(bad.length)}"
    at = f" at {_at(bad.length)}" if beyond else ""
    gap = bad.difference
    ends = f"CI {_points(-gap.high)} to {_points(-gap.low)}"
    return f"not safe {where}: loses {_points(-gap.value)} of 100{at} ({ends})"


def _safe(safe_to: int | None, gaps: Sequence[LengthGap], margin: float) -> str:
    better = [gap for gap in gaps if gap.outcome == "better"]
    if not better:
        return f"safe to {_at(safe_to)}: a loss of {margin:g} of 100 is excluded at every length"
    most = max(better, key=lambda gap: gap.difference.value)
    where = listed([_at(gap.length) for gap in better])
    return f"safe to {_at(safe_to)}, and better at {where}: wins {_interval(most.difference)}"


def _open(known: Mapping[int, LengthGap], safe_to: int | None, lengths: Sequence[int], margin: float) -> str:
    first = next(length for length in lengths if length not in known or known[length].outcome == "open")
    safe = f"safe to {_at(safe_to)}, " if safe_to is not None else ""
    if first not in known:
        return f"{safe}open at {_at(first)}: not asked"
    gap = known[first]
    more = _missing(gap, margin)
    decided = f"; about {count(more, 'more context')} would decide it" if more is not None else ""
    return f"{safe}open at {_at(first)}: {_interval(gap.difference)}, so a loss of {margin:g} is not excluded{decided}"


def _missing(gap: LengthGap, margin: float) -> int | None:
    """Contexts after which the interval would leave out the margin, or no difference, if the difference stayed as it
    is; None where they would be more than anyone asks."""
    value, half = gap.difference.value, (gap.difference.high - gap.difference.low) / 2
    room = value + margin / 100
    needed = gap.contexts * (half / max(1e-9, room if room > 0 else -value)) ** 2
    return max(1, math.ceil(needed) - gap.contexts) if needed <= _MOST else None


def _interval(rate: Rate) -> str:
    return f"{_points(rate.value)} of 100 (CI {_points(rate.low)} to {_points(rate.high)})"


def _points(share: float) -> str:
    """Points, to a digit where they are few."""
    points = round(100 * share, 1)
    text = f"{points:.0f}" if abs(points) >= 10 or points == round(points) else f"{points:.1f}"
    return text.replace("-", "\N{MINUS SIGN}") if float(text) else "0"


def _at(length: int | None) -> str:
    return "nothing" if length is None else length_label(length)


def same_text(found: AgainstBaseline) -> str:
    """What tells sampling from reading: how often the answers are the same text."""
    if found.same is None:
        return ""
    again = f"; repeated, {found.against} gives its own in {100 * found.repeated.value:.0f}" if found.repeated else ""
    return f"same text as {found.against} in {100 * found.same.value:.0f} of 100 answers{again}"
