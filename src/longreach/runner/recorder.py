"""Records the answers of a run as they come, and marks those whose prompts did not arrive whole."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from longreach.core.preflight import Preflight, note_preflight, preflight_statements, preflights
from longreach.core.runs import CallJournal, keep_bench
from longreach.core.types import Call, Item
from longreach.models.prices import Price
from longreach.planning.answer_caps import AnswerCaps
from longreach.results.grading import checked_end

from .logs import journal_file
from .remaining import Run, Unanswered
from .replies import call_of

if TYPE_CHECKING:
    from .eval_log import LiveLog
    from .preflight import CutWatch
    from .replies import ModelReply


class Recorder:
    """Keeps each answer in the journal before the next request is sent."""

    def __init__(
        self,
        run: Run,
        unanswered: Unanswered,
        live: LiveLog,
        *,
        price: Price | None,
        limit: AnswerCaps,
        watch: CutWatch,
        budgeted: bool,
    ) -> None:
        """`budgeted`: the run has a budget, which counts the tokens of answers."""
        self.calls: dict[tuple[str, int], Call] = {}
        """Those of this round, by item and repeat."""
        self.series = {(call.item, call.repeat): call for call in unanswered.earlier()}
        """Those of earlier rounds and runs too."""
        self._run = run
        self._unanswered = unanswered
        self._live = live
        self._price = price
        self._limit = limit
        self._watch = watch
        self._budgeted = budgeted
        self._journal = CallJournal(journal_file(run.folder))
        self._noted: set[str] = set()
        self._reported: dict[tuple[str, int], int | None] = {}
        """Tokens that the server reported of each prompt, plausible or not."""

    def record(self, item: Item, reply: ModelReply, cap: int | None) -> Call:
        """Make a call of a reply, and keep it."""
        bench, unanswered = self._run.bench, self._unanswered
        call = call_of(
            reply,
            item.id,
            repeat=unanswered.left[item.id].pop(0),
            tokens=item.tokens,
            ended=round(time.time(), 3),
            model=unanswered.series,
            family=bench.info.family,
            bench=bench.info.digest,
            price=self._price,
            settings=unanswered.generation.settings,
            max_tokens=cap,
        )
        if call.uncounted:
            charged = "; the budget is charged the most that each answer may use" if self._budgeted else ""
            self._note_once("usage", f"the server reports no usable token usage; tokens are Longreach's count{charged}")
        if not call.error and not call.stop:
            self._note_once("stop", "the server names no finish_reason; an answer counts if it is complete")
            call = checked_end(bench, call)
        if self._limit.learn(call):
            self._note_once("reasons", "it reasons before it answers; answers that were cut off get more room")
        return self.keep(self._watched(item, call, reply))

    def keep(self, call: Call, *, again: bool = False) -> Call:
        """Write a call to the journal. `again`: it replaces one that was shown already."""
        key = call.item, call.repeat
        self.calls[key] = self.series[key] = self._journal.keep(call)
        self._live.update(self.series.values())
        if self._run.progress is not None and not again:
            self._run.progress(call.item, call)
        return call

    def close(self) -> None:
        """Close the journal, and wait for a log that is being written."""
        self._journal.close()
        self._live.close()

    def _watched(self, item: Item, call: Call, reply: ModelReply) -> Call:
        """The call, as cut if its prompt did not arrive whole; so are earlier ones, once a ceiling is seen."""
        if call.error or call.stop in ("model_length", "content_filter"):
            return call
        watch = self._watch
        reported = reply.usage.tokens_in if reply.usage is not None else None
        self._reported[item.id, call.repeat] = reported
        if watch.see(item.tokens, reported) and watch.found is not None:
            record_preflight(self._run, watch.found)
            self._mark_cut()
        return call.model_copy(update={"stop": "cut"}) if watch.cuts(item.tokens, reported) else call

    def _mark_cut(self) -> None:
        """Mark the calls of this round whose prompts were cut before that was known."""
        for (name, repeat), reported in self._reported.items():
            found = self.calls.get((name, repeat))
            if found is not None and self._watch.cuts(self._run.bench.items[name].tokens, reported):
                self.keep(found.model_copy(update={"stop": "cut"}), again=True)

    def _note_once(self, kind: str, line: str) -> None:
        if kind not in self._noted:
            self._noted.add(kind)
            self._run.say(f"{self._run.model}: {line}")


def record_preflight(run: Run, found: Preflight | None) -> None:
    """Record a new preflight, and say what it found."""
    if found is None:
        return
    if found not in preflights(run.folder):
        keep_bench(run.bench, run.folder)
        note_preflight(run.folder, found)
    for each in preflight_statements(found):
        run.say(f"{each.model}: {each.text}")
