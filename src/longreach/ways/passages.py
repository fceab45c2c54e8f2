"""Retrieved passages: the model reads only what a search finds for each question."""

from __future__ import annotations

from collections.abc import Callable

from longreach.core.bench import Bench
from longreach.errors import BadInput
from longreach.families.retrieval import retrieved_benches

from . import Way, WayOptions

_MOST = 1000


class Passages(Way):
    about = "the best passages by an offline search, instead of the text"
    reads_all = False
    steps = False

    def __init__(self, passages: int = 10, retriever: str = "auto") -> None:
        self.passages, self.retriever = passages, retriever

    @property
    def name(self) -> str:
        return f"passages:{self.passages}"

    def bench(self, bench: Bench, progress: Callable[[str], None], only: frozenset[str] | None = None) -> Bench:
        return retrieved_benches(bench, [self.passages], self.retriever, progress, only=only)[0]

    @classmethod
    def parse(cls, setting: str, options: WayOptions) -> Passages:
        count = setting or "10"
        if not (count.isascii() and count.isdigit() and 0 < int(count) <= _MOST):
            raise BadInput(f"way 'passages:{setting}': '{setting}' is no number of passages; write passages:10")
        return cls(int(count), options.retriever)
