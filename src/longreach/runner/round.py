"""One round of a run: everything that has no good answer yet is sent once, in the order of the plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspect_ai.model import GenerateConfig, Model

from longreach.core.bench import Bench
from longreach.core.files import Store, cannot_write
from longreach.core.formatting import format_tokens
from longreach.core.preflight import preflight_statements, preflights
from longreach.core.runs import RunNote, check_display, keep_bench, note_repeated, note_run
from longreach.core.settings import read_settings
from longreach.core.types import Call, Item
from longreach.errors import BadInput, BenchChanged, CutByServer, ModelFailed, Stopped
from longreach.families import get_family
from longreach.models.chat_template import ChatTemplate, chat_template, served_template
from longreach.models.prices import Price, given_for, price_of
from longreach.models.providers import is_engine, provider_of, providers, runs_here, wants_marks
from longreach.planning.answer_caps import AnswerCaps
from longreach.planning.plan import default_workers
from longreach.planning.prefix_tree import PrefixTree, tree_of
from longreach.planning.schedule import Scheduler, cut, most_per_branch, sessions_of
from longreach.planning.schedule import lanes as lanes_of

from .budget import Budget, BudgetGuard
from .deferred_prompt import branch_points
from .eval_log import LiveLog, write_log
from .faults import count_faults, hint, silence
from .inspect_helper import server_of
from .inspect_private import reads_chat_completions, report_batches
from .logs import collect_calls
from .model_client import Client, ModelClient, Prompts, check_sent, generate_config
from .opening import open_model, server_cache
from .preflight import CutWatch, check_arrival, spent_call
from .recorder import Recorder, record_preflight
from .remaining import (
    Run,
    Unanswered,
    earlier_answers,
    output_limits,
    sent_tokens,
    spent_calls,
    was_raised,
)
from .run_settings import RunResult, RunSettings
from .sender import CUT_AFTER, Sender
from .server_health import wait_for_server

if TYPE_CHECKING:
    pass

_FILLED = 0.95
"""Share of a server's cache that is filled: its tokenizer and chat template count a little more than the benchmark."""
QUEUED = 4
"""Long prefixes at once, at first, for a server with a queue: with one, it would run empty."""
_MOST_IN_A_BATCH = 10_000
_MOST_TOKENS_IN_A_BATCH = 250_000_000
"""About a gigabyte of prompts, which a batch holds in memory."""


@dataclass(frozen=True)
class Terms:
    """What the settings of a run come to for its model."""

    config: GenerateConfig
    limit: AnswerCaps
    """The output cap per item."""
    workers: int
    """Requests in flight."""
    price: Price | None
    budget: BudgetGuard | None
    server: str
    """The digest of its address and arguments."""
    name: str
    """The model's name in results, where one is given."""
    local: bool
    """Whether the model runs in this process."""
    batch: bool
    """Whether requests go through a batch service."""


@dataclass(frozen=True)
class Order:
    """In which order requests are sent."""

    tree: PrefixTree
    parts: list[range]
    """The branches that are sent side by side."""
    sessions: dict[str, str]
    """Item -> digest of its branch's shared prefix, for the whole benchmark: a resumed run finds its prefixes on the
    replicas of the first."""
    room: int | None
    """Tokens of a replica's prefix cache, if known."""
    queues: bool
    """Whether the server computes shared prefixes one after the other by itself."""


class Round:
    """Sends what is unanswered, once."""

    def __init__(self, run: Run, unanswered: Unanswered) -> None:
        self._run = run
        self._unanswered = unanswered
        self._terms, self._reused = self._prepare()
        self._opened: Model | None = None
        self._template: ChatTemplate | None = None
        """What turns prompts into token ids."""
        if run.fleet is None:
            self._opened = self._open()
            self._template = _template(run.bench, run.model, self._opened, run.settings)
        self._check_arrival()
        self._calls: dict[tuple[str, int], Call] = {}

    def send(self) -> RunResult:
        """Send everything; raises why it stopped, if it did."""
        run, unanswered, terms = self._run, self._unanswered, self._terms
        watch = self._watch()
        if watch.limit is not None:  # it would cut them again
            stopped = [call.item for call in unanswered.earlier() if call.stop == "cut"]
            unanswered.leave_out({item for item in stopped if run.bench.items[item].tokens > watch.limit})
            if not unanswered.wanted:
                return _cut_result(unanswered, watch)
        order = self._order()
        client = self._client(order)
        log = partial(write_log, run.folder, run.bench, unanswered.generation, config=terms.config, client=client)
        live = LiveLog(partial(log, running=True))
        budgeted = terms.budget is not None
        recorder = Recorder(run, unanswered, live, price=terms.price, limit=terms.limit, watch=watch, budgeted=budgeted)
        self._calls = recorder.calls
        self._announce()
        sender = Sender(
            client,
            limit=terms.limit,
            record=recorder.record,
            budget=terms.budget,
            keep_going=run.settings.keep_going,
        )
        interrupted = self._send(sender, recorder, order)
        repeated = client.repeated if isinstance(client, ModelClient) else {}
        self._write(sender, recorder, log, repeated)
        result = self._result(recorder, watch, repeated)
        self._check_end(result, sender, interrupted=interrupted)
        return result

    @property
    def learned(self) -> bool:
        """Whether the model turned out to reason, so that answers may have more room."""
        return self._terms.limit.learned

    def cut_off(self) -> set[str]:
        """Items whose answers were cut off at a limit that is higher now."""
        limit, items = self._terms.limit, self._run.bench.items
        return {call.item for call in self._calls.values() if was_raised(call, limit(items[call.item]))}

    def with_more(self, result: RunResult, more: RunResult) -> RunResult:
        """The result of this round and of the one after it, which asked some of its items again."""
        run = self._run
        calls = [call for call in collect_calls(run.folder) if (call.item, call.repeat) in self._calls]
        own = [call for call in calls if call.model == result.model and call.bench == run.bench.info.digest]
        update = {"failed": result.failed + more.failed, "error": result.error or more.error}
        return result.model_copy(update=update | {"faults": count_faults(own), "silent": more.silent})

    def _prepare(self) -> tuple[Terms, list[Call]]:
        """The terms, and the answers of other folders that are taken instead of asking."""
        run, unanswered = self._run, self._unanswered
        bench, model, settings, generation = run.bench, run.model, run.settings, unanswered.generation
        limit = output_limits(bench, model, generation, unanswered.before)
        server = Store.key(server_of(model, settings.base_url, settings.arguments))[:16]
        reused = self._reusable(server, limit)
        local, batch = is_engine(model), bool(generation.sent.get("batch"))
        workers = settings.concurrency or default_workers(model, settings.replicas)
        if batch:
            workers = _batch_size(model, unanswered.wanted)
            report_batches(run.note)
        config = generate_config(generation, settings, local=local, workers=workers)
        price = price_of(model, settings.price, batch=batch)
        name = given_for(model, settings.name) or ""
        check_display(run.folder, name, model)
        return Terms(config, limit, workers, price, self._budget(price), server, name, local, batch), reused

    def _reusable(self, server: str, limit: AnswerCaps) -> list[Call]:
        """Answers of other folders; their repeats are no longer left to ask."""
        run, unanswered = self._run, self._unanswered
        if not (run.settings.reuse and run.settings.sharing):
            return []
        found = earlier_answers(run.bench, unanswered.left, unanswered.generation, server, limit)
        found = [call for call in found if unanswered.takes(call.item)]
        for call in found:
            unanswered.left[call.item].remove(call.repeat)
        return found

    def _budget(self, price: Price | None) -> BudgetGuard | None:
        run = self._run
        if run.settings.budget is None:
            return None
        used = [*spent_calls(run.folder, self._unanswered.before), *map(spent_call, preflights(run.folder))]
        priced = price.cost if price else lambda *_: None
        return BudgetGuard(Budget.read(run.settings.budget), priced, used, run.model, sent_tokens(run.bench, run.model))

    def _open(self) -> Model:
        """The model, once its server is there."""
        run, settings = self._run, self._run.settings
        opened = open_model(run.model, base_url=settings.base_url, arguments=settings.arguments)
        if (address := opened.api.base_url) is not None and not self._terms.local:
            run.health.address = address
            if settings.wait_for_server:
                wait_for_server(address, settings.wait_for_server, run.note)
        check_sent(opened, self._terms.config, read_settings(settings.generation))
        return opened

    def _check_arrival(self) -> None:
        """The preflight, in the first round."""
        run, unanswered, terms = self._run, self._unanswered, self._terms
        if run.checked or self._opened is None or not run.settings.preflight or terms.local or terms.batch:
            return
        found = check_arrival(
            run.bench,
            unanswered.wanted,
            _for_preflight(self._opened, run.model, run.settings),
            terms.config,
            series=unanswered.series,
            server=terms.server,
            earlier=preflights(run.folder),
            price=terms.price,
            budget=terms.budget,
            template=self._template,
            health=run.health,
        )
        run.checked.append(found)
        record_preflight(run, found)
        counts = {"asked": unanswered.asked, "had": unanswered.answered, "sent": 0, "failed": 0}
        _check_works(run.health.trouble, RunResult(model=unanswered.series, **counts))

    def _watch(self) -> CutWatch:
        run = self._run
        found = run.checked[0] if run.checked else None
        return CutWatch(found, series=self._unanswered.series, digest=run.bench.info.digest, server=self._terms.server)

    def _order(self) -> Order:
        run, settings, terms = self._run, self._run.settings, self._terms
        template = served_template(run.bench, run.model)
        whole = tree_of(run.bench, template=template)
        tree = tree_of(run.bench, self._unanswered.to_send(), template)
        room, queues = self._cache(whole)
        lanes = 1 if queues else lanes_of(whole, terms.workers, settings.replicas, room)
        sessions = sessions_of(whole, cut(whole, lanes)) if settings.sharing else {}
        return Order(tree, cut(tree, lanes), sessions, room, queues)

    def _cache(self, whole: PrefixTree) -> tuple[int | None, bool]:
        """Tokens of a replica's prefix cache, given or from the server, and whether the server queues."""
        run, settings, terms = self._run, self._run.settings, self._terms
        room = settings.cache_size
        asks = settings.replicas == 1 and settings.sharing and not terms.batch and not terms.local
        if self._opened is None or not asks or (cache := server_cache(self._opened)) is None:
            return room, False
        room = room or cache.tokens
        if settings.cache_size is None and room < whole.distinct_tokens:
            held = format_tokens(room)
            run.say(f"{run.model}: the prefix cache holds {held} tokens; requests in flight stay within it")
        return room, cache.queues

    def _client(self, order: Order) -> Client:
        """What requests are sent to."""
        run, settings, terms = self._run, self._run.settings, self._terms
        if run.fleet is not None:
            if settings.send == "tokens":
                raise BadInput("--set send=tokens goes to a server that runs already: give --base-url instead of --ray")
            run.fleet.begin(
                sessions_of(order.tree, order.parts),
                terms.config,
                per_replica=-(-terms.workers // settings.replicas),
                sharing=settings.sharing,
            )
            return run.fleet
        assert self._opened is not None
        breaks = branch_points(order.tree) if settings.sharing and wants_marks(run.model) else {}
        prompts = Prompts(run.bench, sessions=order.sessions, breaks=breaks, sharing=settings.sharing)
        capped = self._unanswered.generation.max_tokens is None
        return ModelClient(self._opened, prompts, terms.config, self._template, capped=capped, health=run.health)

    def _announce(self) -> None:
        """Record the run, and say what is sent; not earlier: a refused model, price or key leaves nothing behind."""
        run, settings, terms = self._run, self._run.settings, self._terms
        generation = self._unanswered.generation
        keep_bench(run.bench, run.folder)
        note_run(
            run.folder,
            RunNote(
                model=generation.series,
                bench=run.bench.info.digest,
                workers=terms.workers,
                server=terms.server,
                name=terms.name,
                **settings.serving() | {"price": given_for(run.model, settings.price)},
                prefill=settings.prefill,
                decode=settings.decode,
                settings=generation.settings,
                rates=terms.price.model_dump(mode="json") if terms.price else {},
                max_tokens=generation.max_tokens,
                search=settings.search,
                options=settings.changed(),
            ),
        )
        wanted = self._unanswered.wanted
        if run.note is not None and generation.max_tokens is None and not terms.limit.bounded:
            run.note(f"answers are capped at {max(map(terms.limit, wanted)):,} tokens; --max-tokens changes that")
        if run.start is not None:
            run.start(wanted)

    def _send(self, sender: Sender, recorder: Recorder, order: Order) -> bool:
        """Send the requests; whether the user interrupted it."""
        try:
            for call in self._reused:
                recorder.keep(call)
            sender.send(order.tree, self._scheduler(order), self._terms.workers)
        except KeyboardInterrupt:
            return True
        except BadInput as error:  # a full disk
            sender.trouble = sender.trouble or error
        finally:
            recorder.close()
        return False

    def _scheduler(self, order: Order) -> Scheduler:
        run, settings, terms = self._run, self._run.settings, self._terms
        family, questions = get_family(run.bench.info.family), run.bench.questions
        answers = [
            min(terms.limit(item), family.answer_tokens([questions[question] for question in item.questions]))
            for item in order.tree.items
        ]
        room = order.room and int(_FILLED * order.room) * settings.replicas
        prefills = QUEUED if order.queues else settings.replicas
        bounded = run.fleet is None and not terms.local and (room or runs_here(run.model))
        return Scheduler(
            order.tree,
            order.parts,
            waiting=settings.sharing and not terms.batch and not order.queues,
            per_branch=most_per_branch(terms.workers, settings.replicas),
            room=room,
            answers=answers,
            prefills=prefills if bounded else None,
            ahead=order.queues,
        )

    def _write(self, sender: Sender, recorder: Recorder, log: Callable[..., Any], repeated: Mapping[str, int]) -> None:
        """Write the log, and raise what prevented answers from being recorded."""
        run, trouble = self._run, sender.trouble
        try:
            note_repeated(run.folder, self._unanswered.series, run.bench.info.digest, repeated)
            log(recorder.series.values())
        except OSError as error:
            trouble = trouble or cannot_write(run.folder, error)
        if isinstance(trouble, BenchChanged):
            raise trouble
        if trouble is not None:
            raise Stopped(str(trouble))

    def _result(self, recorder: Recorder, watch: CutWatch, repeated: dict[str, int]) -> RunResult:
        unanswered, series = self._unanswered, recorder.series.values()
        errors = [call.error for call in recorder.calls.values() if call.error]
        found = preflight_statements(watch.found, self._terms.name or unanswered.series) if watch.found else ()
        return RunResult(
            model=unanswered.series,
            asked=unanswered.answered + len(unanswered.wanted),
            repeats=unanswered.repeats,
            had=unanswered.answered,
            had_age=unanswered.age() if unanswered.answered else None,
            repeated=repeated,
            sent=len(recorder.calls) - len(self._reused),
            reused=len(self._reused),
            failed=len(errors),
            error=errors[0] if errors else "",
            faults=count_faults(recorder.calls.values()),
            silent=silence(series),
            cut=sum(call.stop == "cut" for call in series),
            statements=tuple(found),
        )

    def _check_end(self, result: RunResult, sender: Sender, *, interrupted: bool) -> None:
        """Raise why the round did not send everything, if it did not."""
        if sender.cut >= CUT_AFTER and not self._run.settings.keep_going:
            _stop_cut(result)
        _check_works(sender.trouble_at_server, result)
        _check_complete(result, self._run.folder, sender.hopeless, self._terms.budget, interrupted=interrupted)


def _batch_size(model: str, wanted: Sequence[Item]) -> int:
    """Requests of one batch."""
    if not provider_of(model).batch:
        able = ", ".join(name for name, provider in providers().items() if provider.batch)
        raise BadInput(f"-G batch: no batch service is known for {model}; there is one for {able}")
    longest = max((item.tokens for item in wanted), default=1)
    return min(max(1, len(wanted)), _MOST_IN_A_BATCH, max(1, _MOST_TOKENS_IN_A_BATCH // longest))


def _for_preflight(opened: Model, model: str, settings: RunSettings) -> Model:
    """The model to ask before the run. Clients of other providers keep connections, which end with the event loop."""
    if reads_chat_completions(opened.api):
        return opened
    return open_model(model, base_url=settings.base_url, arguments=settings.arguments)


def _cut_result(unanswered: Unanswered, watch: CutWatch) -> RunResult:
    """Of a round that sends nothing, because the server would cut all that is left as it did before."""
    cut = sum(call.stop == "cut" for call in unanswered.earlier())
    found = tuple(preflight_statements(watch.found)) if watch.found is not None else ()
    asked = unanswered.asked
    counts = {"asked": asked, "repeats": unanswered.repeats, "had": asked, "sent": 0, "failed": 0, "cut": cut}
    return RunResult(model=unanswered.series, **counts, statements=found)


def _stop_cut(result: RunResult) -> None:
    """Raise `CutByServer`: what is left to send would be cut too."""
    why = next((each.text for each in result.statements if each.severity == "broken"), "this server cuts prompts")
    left = result.asked - result.had - result.sent - result.reused
    unsent = f", {left} of {result.asked} items were not sent" if left else ""
    raise CutByServer(
        f"{result.model}: {why}; {result.cut} answers count as cut{unsent}; start it with a larger window and run the "
        f"same command again, or add --keep-going"
    )


def _template(bench: Bench, model: str, opened: Model, settings: RunSettings) -> ChatTemplate | None:
    """What turns prompts into token ids; None if they go as text."""
    if settings.send == "text":
        return None
    if is_engine(model) or not reads_chat_completions(opened.api):
        raise BadInput(f"--set send=tokens: {model} takes no token ids; vllm/NAME and sglang/NAME do")
    used = bench.corpus.info.tokenizer
    if (template := chat_template(used)) is None:
        raise BadInput(
            f"--set send=tokens: no chat template lies beside the benchmark's tokenizer '{used}'; build it with "
            f"--set tokenizer=MODEL/tokenizer.json of the served model"
        )
    return template


def _check_works(trouble: str, result: RunResult) -> None:
    """Raise `ModelFailed` if the server does not answer."""
    if trouble:
        left = result.asked - result.had - result.sent - result.reused + result.failed
        raise ModelFailed(
            f"{result.model}: stopped, {trouble}; {left} of {result.asked} items are unanswered, the rest is saved: "
            f"the same command resumes, and --wait-for-server 10min waits for one that restarts"
        )


def _check_complete(
    result: RunResult, folder: Path, hopeless: str, budget: BudgetGuard | None, *, interrupted: bool
) -> None:
    """Raise `Stopped` if items are left that were not sent."""
    left = result.asked - result.had - result.sent - result.reused
    if hopeless:
        unsent = f"{left} of {result.asked} items were not sent; " if left else ""
        remedy = hint(hopeless) or "fix the cause and run again"
        raise ModelFailed(
            f"{result.model}: stopped after three requests in a row failed the same way: {hopeless}; {unsent}{remedy}"
        )
    if left and budget is not None and budget.reached:
        raise Stopped(
            f"the budget of {budget.budget} is reached ({budget.total(folder)}) with {left} of {result.asked} items "
            f"unanswered; finished answers are saved, run again with a larger --budget to resume"
        )
    if left:
        because = " (interrupted)" if interrupted else ""
        raise Stopped(
            f"stopped with {left} of {result.asked} items unanswered{because}; finished answers are saved, run again "
            f"to resume"
        )
