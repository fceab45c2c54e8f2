"""A search as plain Inspect runs it: samples are added round by round, each chosen from the answers of this task."""

from __future__ import annotations

from inspect_ai import SampleSource
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample

from longreach.core.bench import Bench
from longreach.core.types import Call
from longreach.planning.prefix_tree import sending_order
from longreach.planning.search.choice import Search
from longreach.planning.search.grid import SearchGrid

from .replies import call_of, reply_of
from .scoring import sample_of
from .searching import SearchState

__all__ = ["SearchSource"]


class SearchSource(SampleSource):
    """The samples of a search. A retried task gets its earlier answers again and resumes."""

    def __init__(self, bench: Bench, until: float) -> None:
        self._bench = bench
        self._state = SearchState(Search(SearchGrid(bench), until=until))
        self._asked: set[str] = set()
        self._calls: dict[str, Call] = {}

    def initial_samples(self) -> list[Sample]:
        return self._round()

    async def next_samples(self) -> list[Sample] | None:
        return self._round() or None

    async def sample_complete(self, sample: EvalSample) -> None:
        info = self._bench.info
        failed = sample.error.message if sample.error else ""
        self._calls[str(sample.id)] = call_of(
            reply_of(sample.output),
            str(sample.id),
            model="",
            family=info.family,
            bench=info.digest,
            price=None,
            failed=failed,
        )

    def _round(self) -> list[Sample]:
        self._state.read(self._calls.values(), set(self._bench.items) - self._asked)
        chosen = set(self._state.next_items()) - self._asked
        self._asked |= chosen
        items = sending_order(self._bench, [self._bench.items[item] for item in chosen])
        return [sample_of(self._bench, item) for item in items]
