"""Runs the steps of a way, all questions side by side: each step is one benchmark of requests, each sent once."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from longreach.core.bench import Bench, Corpus, Draft, building, write_bench
from longreach.core.files import Store, user_folder
from longreach.core.types import Item, Mark, Planted, Question, Turn, byte_offsets
from longreach.errors import BadInput
from longreach.families.readings import ReadingMaker, StepMaker, asked_questions, main_document_language
from longreach.families.showing import assembler_of
from longreach.models.tokenizers import get_tokenizer

from . import Answer, LongText, Reader, Request, Steps, Way
from .survival import survives

__all__ = ["Final", "StepReply", "StepSender", "check_way", "part_of", "placeholder", "read_in_steps"]


class StepReply(NamedTuple):
    """What came of one request."""

    text: str
    stop: str = ""
    """Why there is no text, as in `Call.stop`: `model_length`, `cut`, ...; `error` if it is to be sent again."""


StepSender = Callable[[Mapping[str, Item], Callable[[Collection[str]], Bench]], Mapping[str, StepReply]]
"""Gets the requests of one step by the digest of their prompt, and what makes a benchmark of some of them; gives the
replies."""


@dataclass
class _QuestionSteps:
    """One question on its way."""

    item: Item
    id: str
    question: Question
    steps: Steps
    wanted: Sequence[Request] | Answer | None = None
    stop: str = ""


class Final(NamedTuple):
    """The last step."""

    bench: Bench | None
    """The questions over their texts; None if there is none."""
    stopped: dict[str, str]
    """Items of it that are not sent, and why."""
    failed: int
    """Questions without a text because a request failed: the next run sends it again."""


def part_of(bench: Bench, items: Collection[str]) -> Bench:
    """A benchmark with some of its items alone, for measuring and planning; nothing is written."""
    made = Bench(bench.folder, bench.info)
    made.share(bench)
    vars(made)["items"] = {name: item for name, item in bench.items.items() if name in items}
    return made


def check_way(bench: Bench, way: Way) -> set[str]:
    """The items that can be asked this way; it is bad input if there is none."""
    left = Counter[str]()
    found = {item.id for item, _, _ in asked_questions(bench, bench.items.values(), left, reads_all=way.reads_all)}
    if not found:
        reasons = "; ".join(f"{number} questions: {reason}" for reason, number in left.items())
        raise BadInput(
            f"way {way.name}: no question of this {bench.info.family} benchmark can be asked this way ({reasons}); "
            f"leave the way out"
        )
    return found


def read_in_steps(bench: Bench, way: Way, items: Iterable[Item], model: Reader, send: StepSender) -> Final:
    """All steps of some items' questions, and the benchmark of their last one. `send` sends each step's requests."""
    language, count = main_document_language(bench), get_tokenizer(bench.corpus.info.tokenizer).count
    assembler, texts, left = assembler_of(bench), dict[str, LongText](), Counter[str]()
    jobs = list[_QuestionSteps]()
    for item, name, question in asked_questions(bench, items, left, reads_all=way.reads_all):
        key = item.context.sha256
        if key not in texts:
            texts[key] = LongText(assembler.text(item.context.pieces).decode(), language, count)
        job = _QuestionSteps(item, name, question, way.requests(texts[key], question, model))
        job.wanted = next(job.steps, None)
        jobs.append(job)
    step = 0
    while waiting := [job for job in jobs if not isinstance(job.wanted, Answer | None) and not job.stop]:
        step += 1
        _step(bench, way, step, waiting, model, send)
    return _final(bench, way, jobs, texts, left)


def _step(bench: Bench, way: Way, step: int, jobs: Sequence[_QuestionSteps], model: Reader, send: StepSender) -> None:
    """Send what all questions wait for, each request once, and go on with the replies."""
    wholes = any(request.text is None for job in jobs for request in _requests(job))
    maker = StepMaker(bench, way.name, step, whole=wholes)
    asked = [
        [
            maker.add(job.item, each.prompt, each.text, {**each.values, "tokens": str(each.tokens)}, each.label)
            for each in _requests(job)
        ]
        for job in jobs
    ]
    for item, request in zip(asked, jobs, strict=True):
        _check_window(way, model, item, max((each.tokens for each in _requests(request)), default=0))

    def make(digests: Collection[str]) -> Bench:
        return _written(maker.draft(sorted(digests)), bench, way.name, sorted(digests))

    replies = send(maker.items, make)
    for job, items in zip(jobs, asked, strict=True):
        own = [replies[item.sha256] for item in items]
        job.stop = next((reply.stop for reply in own if reply.stop), "")
        if not job.stop:
            try:
                job.wanted = job.steps.send([reply.text for reply in own])
            except StopIteration:
                raise BadInput(f"way {way.name} ends without an answer; its last step must yield one") from None


def _requests(job: _QuestionSteps) -> Sequence[Request]:
    return job.wanted if job.wanted is not None and not isinstance(job.wanted, Answer) else ()


def _check_window(way: Way, model: Reader, items: Sequence[Item], answer: int) -> None:
    longest = max((item.tokens for item in items), default=0) + answer
    if model.window is not None and longest > model.window:
        raise BadInput(
            f"way {way.name}: a request and its answer need {longest:,} tokens, {model.name} has {model.window:,}; "
            f"leave the way out, or ask for shorter texts"
        )


def _written(draft: tuple[Draft, Corpus], *about: object) -> Bench:
    """A benchmark in the user's cache, which is made again if it is damaged."""
    named = [each.info.digest if isinstance(each, Bench) else each for each in about]
    folder = user_folder("ways") / Store.key(draft[0].family, draft[0].family_version, *named)[:24]
    with building(folder):
        try:
            return write_bench(folder, *draft)
        except BadInput:
            shutil.rmtree(folder, ignore_errors=True)
            return write_bench(folder, *draft)


def _final(
    bench: Bench, way: Way, jobs: Sequence[_QuestionSteps], texts: Mapping[str, LongText], left: Mapping[str, int]
) -> Final:
    maker = ReadingMaker(bench, way.name)
    stopped, failed, words = dict[str, str](), 0, list[str]()
    for job in jobs:
        if job.stop in ("error", "cut"):
            failed += 1
            continue
        answer = job.wanted if isinstance(job.wanted, Answer) else Answer(text="")
        if stop := job.stop or answer.stop:
            stopped[job.id] = stop
        facts = [fact for fact in bench.evidence(job.item) if fact.id in job.question.evidence]
        language = texts[job.item.context.sha256].language
        there = all(survives(fact.text, job.question.key, answer.text, language) for fact in facts)
        maker.add(job.item, job.id, job.question, [_marked(maker, answer.text, facts)], there if facts else None)
        words.append(f"{job.id} {answer.text}")
    if not words:
        if not failed:
            maker.draft(left)  # says why
        return Final(None, {}, failed)
    return Final(_written(maker.draft(left), bench, way.name, "final", words), stopped, failed)


def _marked(maker: ReadingMaker, text: str, facts: Sequence[object]) -> Planted:
    """A text with the facts that are in it word for word."""
    marks, offsets = list[Mark](), byte_offsets(text)
    for fact in facts:
        wanted, name = str(getattr(fact, "text", "")), str(getattr(fact, "id", ""))
        if wanted and (at := text.find(wanted)) >= 0:
            marks.append(Mark(id=name, start=int(offsets[at]), end=int(offsets[at + len(wanted)])))
    return maker.planted(text or " ", tuple(marks))


def placeholder(bench: Bench, known: Mapping[str, StepReply] | None = None) -> tuple[StepSender, list[Bench]]:
    """A sender that sends nothing: each reply is as long as it may be, taken from the text. And the benchmarks of what
    would be sent, one per step."""
    steps = list[Bench]()
    assembler = assembler_of(bench)

    def send(items: Mapping[str, Item], make: Callable[[Collection[str]], Bench]) -> Mapping[str, StepReply]:
        found = {digest: reply for digest, reply in (known or {}).items() if digest in items}
        if missing := [digest for digest in items if digest not in found]:
            made = make(missing)
            steps.append(made)
            for digest in missing:
                found[digest] = StepReply(_pretended(made, items[digest]))
        return found

    def _pretended(made: Bench, item: Item) -> str:
        own = assembler_of(made) if made.planted else assembler
        pieces = [piece for piece in item.context.pieces if not isinstance(piece, Turn)]
        text = own.text(pieces).decode(errors="ignore")
        tokens = int(made.questions[item.questions[0]].key.details["tokens"])
        return text[: max(1, len(text) * tokens // max(1, item.context.tokens))]

    return send, steps
