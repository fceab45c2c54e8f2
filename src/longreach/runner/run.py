"""Run a benchmark on a model, in order, with every answer recorded and nothing sent twice."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.core.bench import Bench
from longreach.core.files import Store, cannot_write, locked, without_traces
from longreach.core.formatting import format_tokens
from longreach.core.preflight import Preflight, note_preflight, preflight_statements, preflights
from longreach.core.runs import (
    CallJournal,
    RunNote,
    answer_age,
    check_display,
    clear_benches,
    keep_bench,
    note_repeated,
    note_run,
)
from longreach.core.settings import read_settings
from longreach.core.types import Call, Item
from longreach.errors import BadInput, BenchChanged, CutByServer, Missing, ModelFailed, Stopped
from longreach.families import get_family
from longreach.models.chat_template import ChatTemplate, chat_template, served_template
from longreach.models.prices import given_for, price_of
from longreach.models.providers import is_engine, provider_of, providers, runs_here, wants_marks
from longreach.planning.plan import default_workers
from longreach.planning.prefix_tree import tree_of
from longreach.planning.schedule import Scheduler, cut, most_per_branch, sessions_of
from longreach.planning.schedule import lanes as lanes_of
from longreach.results.grading import checked_end

from .faults import count_faults, hint, silence
from .helper_model import server_of
from .logs import collect_calls, journal_file
from .remaining import earlier_answers, open_repeats, output_limits, sent_tokens, spent_calls, was_raised
from .replies import call_of
from .run_settings import RunResult, RunSettings, generation_of
from .server_health import ServerHealth, wait_for_server

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from .preflight import CutWatch
    from .ray_fleet import RayFleet
    from .replies import ModelReply

_FILLED = 0.95
"""Share of a server's cache that is filled: its tokenizer and chat template count a little more than the benchmark."""
QUEUED = 4
"""Long prefixes at once, at first, for a server with a queue: with one, it would run empty."""
_MOST_IN_A_BATCH = 10_000
_MOST_TOKENS_IN_A_BATCH = 250_000_000
"""About a gigabyte of prompts, which a batch holds in memory."""


def run_bench(
    bench: Bench,
    model: str,
    folder: Path,
    settings: RunSettings | None = None,
    *,
    progress: Callable[[str, Call], None] | None = None,
    start: Callable[[list[Item]], None] | None = None,
    note: Callable[[str], None] | None = None,
) -> RunResult:
    """Send the items without a good answer in this folder. `start` gets the items to send, `progress` each call as it
    ends with its item's id, `note` what the run decides by itself."""
    settings = settings or RunSettings()
    if settings.search and settings.repeats > 1:
        raise BadInput(f"--repeats {settings.repeats}: a search asks each item once; leave out --search or --repeats")
    with (
        without_traces(folder),
        locked(folder / ".lock", f"another run into {folder} is in progress"),
        _fleet(bench, model, settings, note) as fleet,
    ):
        clear_benches(folder)

        checked: list[Preflight | None] = []
        """The preflight, done once for all rounds of a search."""

        health = ServerHealth(prefill=settings.prefill, wait=settings.wait_for_server or 0.0)

        def send(only: Collection[str] | None = None) -> RunResult:
            return _run(bench, model, folder, settings, fleet, progress, start, note, health, only, checked)

        if settings.search:
            from .measuring import run_measure

            return run_measure(bench, model, folder, settings, send)
        return send()


@contextlib.contextmanager
def _fleet(
    bench: Bench, model: str, settings: RunSettings, note: Callable[[str], None] | None
) -> Iterator[RayFleet | None]:
    """The run's replicas on a Ray cluster, if it has any; nothing is started before the first request."""
    if settings.ray is None:
        if settings.replicas > 1 and is_engine(model):
            raise BadInput(
                f"--replicas {settings.replicas}: {model} is one engine in this process; add --ray ADDRESS, or put "
                f"several servers behind a router"
            )
        yield None
        return
    if settings.base_url is not None:
        raise BadInput("--ray starts an engine per replica; leave --base-url out")
    from .ray_fleet import RayFleet

    fleet = RayFleet(settings.ray, bench, model, arguments=settings.arguments, replicas=settings.replicas, note=note)
    with contextlib.closing(fleet):
        yield fleet


def _run(
    bench: Bench,
    model: str,
    folder: Path,
    settings: RunSettings,
    fleet: RayFleet | None,
    progress: Callable[[str, Call], None] | None,
    start: Callable[[list[Item]], None] | None,
    note: Callable[[str], None] | None,
    health: ServerHealth,
    only: Collection[str] | None = None,
    checked: list[Preflight | None] | None = None,
) -> RunResult:
    """`only`: no other items. `checked` holds the preflight, once it is done."""
    generation = generation_of(bench, model, settings)
    before = collect_calls(folder)
    repeats = settings.repeats
    left = open_repeats(bench, model, generation, before, repeats=repeats)
    asked = repeats * len(bench.items)
    had = asked - sum(map(len, left.values()))
    wanted = [bench.items[item] for item, own in left.items() if only is None or item in only for _ in own]
    if not wanted:
        keep_bench(bench, folder)
        own = [call for call in before if call.model == generation.series and call.bench == bench.info.digest]
        about = {"model": generation.series, "asked": asked, "repeats": repeats, "had": had, "silent": silence(own)}
        return RunResult(**about, had_age=answer_age(before, generation.series, bench.info.digest), sent=0, failed=0)
    earlier = [call for call in before if call.model == generation.series and call.bench == bench.info.digest]
    try:
        from .budget import Budget, BudgetGuard
        from .deferred_prompt import branch_points
        from .eval_log import LiveLog, write_log
        from .inspect_private import report_batches
        from .model_client import Client, ModelClient, Prompts, check_sent, generate_config
        from .preflight import CutWatch, check_arrival, spent_call
        from .provider_calls import open_model, server_cache
        from .sender import CUT_AFTER, Sender
    except ImportError as error:
        raise Missing(f"inspect_ai cannot be loaded ({error}); run: pip install inspect-ai") from None

    limit = output_limits(bench, model, generation, before)
    server = Store.key(server_of(model, settings.base_url, settings.arguments))[:16]
    reused = earlier_answers(bench, left, generation, server, limit) if settings.reuse and settings.sharing else []
    reused = [call for call in reused if only is None or call.item in only]
    for call in reused:
        left[call.item].remove(call.repeat)
    local = is_engine(model)
    batch = bool(generation.sent.get("batch"))
    workers = settings.concurrency or default_workers(model, settings.replicas)
    if batch:
        if not provider_of(model).batch:
            able = ", ".join(name for name, provider in providers().items() if provider.batch)
            raise BadInput(f"-G batch: no batch service is known for {model}; there is one for {able}")
        longest = max((item.tokens for item in wanted), default=1)
        workers = min(max(1, len(wanted)), _MOST_IN_A_BATCH, max(1, _MOST_TOKENS_IN_A_BATCH // longest))
        report_batches(note)
    config = generate_config(generation, settings, local=local, workers=workers)
    price = price_of(model, settings.price, batch=batch)
    name = given_for(model, settings.name) or ""
    check_display(folder, name, model)
    budget = None
    if settings.budget is not None:
        used = [*spent_calls(folder, before), *map(spent_call, preflights(folder))]
        priced = price.cost if price else lambda *_: None
        budget = BudgetGuard(Budget.read(settings.budget), priced, used, model, sent_tokens(bench, model))
    client: Client
    opened = template_ids = None
    if fleet is None:
        opened = open_model(model, base_url=settings.base_url, arguments=settings.arguments)
        if (address := opened.api.base_url) is not None and not local:
            health.address = address
            if settings.wait_for_server:
                wait_for_server(address, settings.wait_for_server, note)
        check_sent(opened, config, read_settings(settings.generation))
        template_ids = _template(bench, model, opened, settings)
    checked = [] if checked is None else checked
    if not checked and opened is not None and settings.preflight and not (local or batch):
        checked.append(
            check_arrival(
                *(bench, wanted, _for_preflight(opened, model, settings), config),
                series=generation.series,
                server=server,
                earlier=preflights(folder),
                price=price,
                budget=budget,
                template=template_ids,
                health=health,
            )
        )
        _keep_preflight(bench, folder, checked[0], note)
        _check_works(health.trouble, RunResult(model=generation.series, asked=asked, had=had, sent=0, failed=0))
    watch = CutWatch(checked[0] if checked else None, series=generation.series, digest=bench.info.digest, server=server)
    if watch.limit is not None:  # it would cut them again
        again = {call.item for call in earlier if call.stop == "cut" and bench.items[call.item].tokens > watch.limit}
        wanted = [item for item in wanted if item.id not in again]
        if not wanted:
            return _cut_result(generation.series, watch, earlier, asked=asked, repeats=repeats)
    items = [bench.items[item] for item in dict.fromkeys(each.id for each in wanted) for _ in left[item]]
    # Sessions come from the whole benchmark: a resumed run finds its prefixes on the replicas of the first.
    template = served_template(bench, model)
    whole, tree = tree_of(bench, template=template), tree_of(bench, items, template)
    room, queues = settings.cache_size, False
    if opened is not None:
        asks = settings.replicas == 1 and settings.sharing and not batch and not local
        if asks and (told := server_cache(opened)) is not None:
            room, queues = room or told.tokens, told.queues
            if note is not None and settings.cache_size is None and room < whole.distinct_tokens:
                note(f"{model}: the prefix cache holds {format_tokens(room)} tokens; requests in flight stay within it")
    lanes = 1 if queues else lanes_of(whole, workers, settings.replicas, room)
    sessions = sessions_of(whole, cut(whole, lanes)) if settings.sharing else {}
    parts = cut(tree, lanes)
    if fleet is not None:
        if settings.send == "tokens":
            raise BadInput("--set send=tokens goes to a server that runs already: give --base-url instead of --ray")
        fleet.begin(
            sessions_of(tree, parts), config, per_replica=-(-workers // settings.replicas), sharing=settings.sharing
        )
        client = fleet
    else:
        assert opened is not None
        breaks = branch_points(tree) if settings.sharing and wants_marks(model) else {}
        prompts = Prompts(bench, sessions=sessions, breaks=breaks, sharing=settings.sharing)
        capped = generation.max_tokens is None
        client = ModelClient(opened, prompts, config, template_ids, capped=capped, health=health)
    journal = CallJournal(journal_file(folder))
    calls: dict[tuple[str, int], Call] = {}
    series = {(call.item, call.repeat): call for call in earlier}
    log = partial(write_log, folder, bench, generation, config=config, client=client)
    live = LiveLog(partial(log, running=True))

    said: set[str] = set()
    counted: dict[tuple[str, int], int | None] = {}
    """Tokens that the server reported of each prompt, plausible or not."""

    def say_once(kind: str, line: str) -> None:
        if note is not None and kind not in said:
            said.add(kind)
            note(line)

    def record(item: Item, reply: ModelReply, cap: int | None) -> Call:
        call = call_of(
            reply,
            item.id,
            repeat=left[item.id].pop(0),
            tokens=item.tokens,
            ended=round(time.time(), 3),
            model=generation.series,
            family=bench.info.family,
            bench=bench.info.digest,
            price=price,
            settings=generation.settings,
            max_tokens=cap,
        )
        if call.uncounted:
            charged = "; the budget is charged the most that each answer may use" if budget is not None else ""
            say_once(
                "usage", f"{model}: the server reports no usable token usage; tokens are Longreach's count{charged}"
            )
        if not call.error and not call.stop:
            say_once("stop", f"{model}: the server names no finish_reason; an answer counts if it is complete")
            call = checked_end(bench, call)
        if limit.learn(call):
            say_once("reasons", f"{model}: it reasons before it answers; answers that were cut off get more room")
        return keep(watched(item, call, reply))

    def watched(item: Item, call: Call, reply: ModelReply) -> Call:
        """The call, as cut if its prompt did not arrive whole; so are earlier ones, once a ceiling is seen."""
        if call.error or call.stop in ("model_length", "content_filter"):
            return call
        reported = reply.usage.tokens_in if reply.usage is not None else None
        counted[item.id, call.repeat] = reported
        if watch.see(item.tokens, reported) and watch.found is not None:
            _keep_preflight(bench, folder, watch.found, note)
            for (name, repeat), count in counted.items():
                found = calls.get((name, repeat))
                if found is not None and watch.cuts(bench.items[name].tokens, count):
                    keep(found.model_copy(update={"stop": "cut"}), again=True)
        return call.model_copy(update={"stop": "cut"}) if watch.cuts(item.tokens, reported) else call

    def keep(call: Call, *, again: bool = False) -> Call:
        calls[call.item, call.repeat] = series[call.item, call.repeat] = journal.keep(call)
        live.update(series.values())
        if progress is not None and not again:
            progress(call.item, call)
        return call

    keep_bench(bench, folder)  # not earlier: a refused model, price or key leaves nothing behind
    note_run(
        folder,
        RunNote(
            model=generation.series,
            bench=bench.info.digest,
            workers=workers,
            server=server,
            name=name,
            **settings.serving() | {"price": given_for(model, settings.price)},
            prefill=settings.prefill,
            decode=settings.decode,
            settings=generation.settings,
            rates=price.model_dump(mode="json") if price else {},
            max_tokens=generation.max_tokens,
            search=settings.search,
            options=settings.changed(),
        ),
    )
    if note is not None and generation.max_tokens is None and not limit.bounded:
        note(f"answers are capped at {max(map(limit, wanted)):,} tokens; --max-tokens changes that")
    if start is not None:
        start(wanted)
    sender = Sender(client, limit=limit, record=record, budget=budget, keep_going=settings.keep_going)
    interrupted = False
    try:
        for call in reused:
            keep(call)
        per_branch = most_per_branch(workers, settings.replicas)
        family = get_family(bench.info.family)
        answers = [
            min(limit(item), family.answer_tokens([bench.questions[question] for question in item.questions]))
            for item in tree.items
        ]
        room = room and int(_FILLED * room) * settings.replicas
        prefills = QUEUED if queues else settings.replicas
        turns = Scheduler(
            tree,
            parts,
            waiting=settings.sharing and not batch and not queues,
            per_branch=per_branch,
            room=room,
            answers=answers,
            prefills=prefills if fleet is None and not local and (room or runs_here(model)) else None,
            ahead=queues,
        )
        sender.send(tree, turns, workers)
    except KeyboardInterrupt:
        interrupted = True
    except BadInput as error:  # a full disk
        sender.trouble = sender.trouble or error
    finally:
        journal.close()
        live.close()
    repeated = client.repeated if isinstance(client, ModelClient) else {}
    trouble = sender.trouble
    try:
        note_repeated(folder, generation.series, bench.info.digest, repeated)
        log(series.values())
    except OSError as error:
        trouble = trouble or cannot_write(folder, error)
    if isinstance(trouble, BenchChanged):
        raise trouble
    if trouble is not None:
        raise Stopped(str(trouble))
    errors = [call.error for call in calls.values() if call.error]
    result = RunResult(
        model=generation.series,
        asked=had + len(wanted),
        repeats=repeats,
        had=had,
        had_age=answer_age(before, generation.series, bench.info.digest) if had else None,
        repeated=repeated,
        sent=len(calls) - len(reused),
        reused=len(reused),
        failed=len(errors),
        error=errors[0] if errors else "",
        faults=count_faults(calls.values()),
        silent=silence(series.values()),
        cut=sum(call.stop == "cut" for call in series.values()),
        statements=tuple(preflight_statements(watch.found, name or generation.series)) if watch.found else (),
    )
    if sender.cut >= CUT_AFTER and not settings.keep_going:
        _stop_cut(result)
    _check_works(sender.trouble_at_server, result)
    _check_complete(result, folder, sender.hopeless, budget, interrupted=interrupted)
    if not limit.learned:
        return result
    short = {call.item for call in calls.values() if was_raised(call, limit(bench.items[call.item]))}
    more = _run(bench, model, folder, settings, fleet, progress, start, note, health, short, checked)
    kept = [call for call in collect_calls(folder) if (call.item, call.repeat) in calls and call.model == result.model]
    faults = count_faults(call for call in kept if call.bench == bench.info.digest)
    update = {"failed": result.failed + more.failed, "error": result.error or more.error, "faults": faults}
    return result.model_copy(update=update | {"silent": more.silent})


def _for_preflight(opened: Model, model: str, settings: RunSettings) -> Model:
    """The model to ask before the run. Clients of other providers keep connections, which end with the event loop."""
    from .inspect_private import reads_chat_completions
    from .provider_calls import open_model

    if reads_chat_completions(opened.api):
        return opened
    return open_model(model, base_url=settings.base_url, arguments=settings.arguments)


def _keep_preflight(bench: Bench, folder: Path, found: Preflight | None, note: Callable[[str], None] | None) -> None:
    """Record a new preflight, and say what it found."""
    if found is None:
        return
    if found not in preflights(folder):
        keep_bench(bench, folder)
        note_preflight(folder, found)
    if note is not None:
        for each in preflight_statements(found):
            note(f"{each.model}: {each.text}")


def _cut_result(series: str, watch: CutWatch, earlier: list[Call], *, asked: int, repeats: int) -> RunResult:
    """Of a run that sends nothing, because the server would cut all that is left as it did before."""
    cut = sum(call.stop == "cut" for call in earlier)
    said = tuple(preflight_statements(watch.found)) if watch.found is not None else ()
    return RunResult(model=series, asked=asked, repeats=repeats, had=asked, sent=0, failed=0, cut=cut, statements=said)


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
    from .inspect_private import reads_chat_completions

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


def _check_complete(result: RunResult, folder: Path, hopeless: str, budget: Any, *, interrupted: bool) -> None:
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
