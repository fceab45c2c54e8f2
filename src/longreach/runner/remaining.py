"""What a run asks, which of its items are still to be sent, and which earlier answers may be reused instead."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from longreach.core.bench import Bench
from longreach.core.preflight import Preflight
from longreach.core.runs import answer_age, kept_bench, known_runs, run_notes, stored_calls
from longreach.core.settings import GenerationSettings
from longreach.core.types import Call, Item
from longreach.errors import BadInput
from longreach.planning.answer_caps import AnswerCaps
from longreach.planning.plan import token_ratio

from .logs import collect_calls, journal_file
from .run_settings import RunSettings, generation_of

if TYPE_CHECKING:
    from .ray_fleet import RayFleet
    from .server_health import ServerHealth


@dataclass(frozen=True)
class Run:
    """A benchmark, a model and a folder, and what all rounds of their run share."""

    bench: Bench
    model: str
    folder: Path
    settings: RunSettings
    fleet: RayFleet | None
    health: ServerHealth
    progress: Callable[[str, Call], None] | None = None
    """Gets each call as it ends, with its item's id."""
    start: Callable[[list[Item]], None] | None = None
    """Gets the items that a round sends."""
    note: Callable[[str], None] | None = None
    """Gets what the run decides by itself."""
    checked: list[Preflight | None] = field(default_factory=list)
    """The preflight, once it is done."""

    def say(self, line: str) -> None:
        """Note what the run decides by itself."""
        if self.note is not None:
            self.note(line)


class Unanswered:
    """What a run has left to ask; of some items `only`, if they are given."""

    def __init__(self, run: Run, only: Collection[str] | None) -> None:
        self._bench, self._only = run.bench, only
        self.repeats = run.settings.repeats
        self.generation = generation_of(run.bench, run.model, run.settings)
        self.before = collect_calls(run.folder)
        """All calls of the folder."""
        self.left = open_repeats(run.bench, run.model, self.generation, self.before, repeats=self.repeats)
        """Per item the repeats without a good answer."""
        self.asked = self.repeats * len(run.bench.items)
        self.answered = self.asked - sum(map(len, self.left.values()))
        self.wanted = [run.bench.items[item] for item, own in self.left.items() if self.takes(item) for _ in own]
        """The items to send, each as often as it lacks a repeat."""

    def takes(self, item: str) -> bool:
        """Whether the item is among those that are to be asked."""
        return self._only is None or item in self._only

    @property
    def series(self) -> str:
        """The model's name with its settings."""
        return self.generation.series

    def earlier(self) -> list[Call]:
        """The calls of this series and benchmark so far."""
        return [call for call in self.before if call.model == self.series and call.bench == self._bench.info.digest]

    def age(self) -> float | None:
        """Seconds since the last of the answers that there were before."""
        return answer_age(self.before, self.series, self._bench.info.digest)

    def leave_out(self, items: Collection[str]) -> None:
        """Leave out items that are not to be asked again."""
        self.wanted = [item for item in self.wanted if item.id not in items]

    def to_send(self) -> list[Item]:
        """The wanted items, each as often as one of its repeats is left."""
        return [
            self._bench.items[item] for item in dict.fromkeys(each.id for each in self.wanted) for _ in self.left[item]
        ]


def unanswered(
    bench: Bench,
    model: str,
    generation: GenerationSettings,
    calls: Iterable[Call],
    *,
    repeats: int = 1,
) -> list[Item]:
    """Items without a good answer in a series, each as often as it lacks one of its repeats."""
    left = open_repeats(bench, model, generation, calls, repeats=repeats)
    return [bench.items[item] for item, numbers in left.items() for _ in numbers]


def open_repeats(
    bench: Bench, model: str, generation: GenerationSettings, calls: Iterable[Call], *, repeats: int
) -> dict[str, list[int]]:
    """Per item the repeats without a good answer in a series. A truncated answer counts as good unless longer ones are
    allowed now; one to a prompt that was cut does not."""
    own = [call for call in calls if call.model == generation.series and call.bench == bench.info.digest]
    limit = output_limits(bench, model, generation, own)
    done = {
        (call.item, call.repeat)
        for call in own
        if call.item in bench.items
        and not call.error
        and call.stop != "cut"
        and not was_raised(call, limit(bench.items[call.item]))
    }
    numbers = range(1, repeats + 1)
    left = {item: [number for number in numbers if (item, number) not in done] for item in bench.items}
    return {item: own for item, own in left.items() if own}


def earlier_answers(
    bench: Bench,
    left: Mapping[str, Sequence[int]],
    generation: GenerationSettings,
    server: str,
    limit: Callable[[Item], int | None],
) -> list[Call]:
    """Good answers of other folders to the same prompts, for the repeats that are `left` per item: of the same model at
    the same server, with the same settings. The newest counts."""
    by_prompt: dict[tuple[str, int], Call] = {}
    for folder in known_runs():
        with contextlib.suppress(BadInput, OSError):  # a folder that has been removed or damaged has none
            notes = run_notes(folder)
            for call in stored_calls(journal_file(folder)):
                note = notes.get((call.model, call.bench))
                same = call.model == generation.series and call.settings == generation.settings
                if (
                    note is None
                    or note.server != server
                    or not note.sharing
                    or not same
                    or call.error
                    or call.stop == "cut"
                ):
                    continue
                if (asked := kept_bench(folder, call.bench).items.get(call.item)) is not None:
                    by_prompt[asked.sha256, call.repeat] = call
    return [
        found.model_copy(
            update={"bench": bench.info.digest, "family": bench.info.family, "item": item.id}
            | {"reused": True, "cost": 0.0, "ended": 0.0, "max_tokens": limit(item)}
        )
        for item in map(bench.item, left)
        for number in left[item.id]
        if (found := by_prompt.get((item.sha256, number))) is not None and not was_raised(found, limit(item))
    ]


def output_limits(bench: Bench, model: str, generation: GenerationSettings, calls: Iterable[Call]) -> AnswerCaps:
    """The output limit per item; earlier calls of the series show whether the model reasons."""
    own = (call for call in calls if call.model == generation.series and call.bench == bench.info.digest)
    return AnswerCaps(bench, model, most=generation.max_tokens, sent=generation.sent, before=own)


def was_raised(call: Call, limit: int | None) -> bool:
    """Whether an answer was truncated at a limit that is higher now."""
    if call.stop != "max_tokens":
        return False
    if call.max_tokens is None:
        return limit is not None and limit > call.tokens_out > 0
    return limit is None or limit > call.max_tokens


_KNOWN = 0.9
"""Share of what Longreach counts by the model's own tokenizer, measured on a sample of the text, that is charged for a
prompt at least."""
_UNKNOWN = 1 / 3
"""The same where the model's tokenizer is not known: none makes so few tokens of a text."""


def sent_tokens(bench: Bench, model: str) -> Callable[[Call], int]:
    """The fewest tokens that a call's prompt can have had: what was sent is known, whatever a server reports."""
    ratio = token_ratio(bench, model)
    if ratio is None:
        share = _UNKNOWN
    else:
        share = 1.0 if ratio == 1.0 else _KNOWN * ratio

    def sent(call: Call) -> int:
        item = bench.items.get(call.item) if call.bench == bench.info.digest else None
        return 0 if item is None else int(share * item.tokens)

    return sent


def spent_calls(folder: Path, best: Iterable[Call]) -> list[Call]:
    """Every call that a folder has paid for: also those that a later one replaced. `best` are those that count."""
    journaled = list(stored_calls(journal_file(folder), []))
    known = {(call.model, call.bench, call.item, call.repeat) for call in journaled}
    return [*journaled, *(call for call in best if (call.model, call.bench, call.item, call.repeat) not in known)]
