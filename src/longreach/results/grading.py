"""Calls to graded rows: by the key, by a judge, or by the key first and a judge where the key is unsure.

The grading method is recorded in the folder, and so is every reply of the judge: grading again sends no requests."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import hmac
import inspect
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import Any, Literal, get_args

import numpy as np
from pydantic import TypeAdapter

from longreach.core.bench import Bench
from longreach.core.files import Store, user_key, write_whole
from longreach.core.helper_model import HelperModel
from longreach.core.progress import OnProgress, no_progress
from longreach.core.runs import ROWS, kept_bench
from longreach.core.types import Call, Frozen, Question, Row, Status, Verdict
from longreach.errors import BadInput, Missing, did_you_mean, one_line
from longreach.families import get_family
from longreach.families.base import MEANING, Family, grade_reply
from longreach.families.parts import Comparable, Countable, Judgeable, OneAnswer, part_of
from longreach.families.readings import WAY
from longreach.grading.judge.ask import CachedReplies, Choosing, Entry, Judged, Unread, judge_batches, map_answers
from longreach.grading.reading.reply_text import strip_reasoning
from longreach.models.embedders import Embedder, SavedOnly, VectorCache, passage_vectors
from longreach.models.providers import OFFLINE_EMBEDDER
from longreach.stats.counting import delivered, undecided
from longreach.stats.series import grouped

from .marks import by_person, read_marks

By = Literal["key", "judge", "key+judge"]
WAYS: tuple[By, ...] = get_args(By)
JUDGE = "judge"
"""The folder inside a folder of runs for a judge's replies and audits."""

_GRADING = "grading.json"
_VECTORS = "embeddings"
_ONE_IN = 10
"""Of calls with one question that the key is certain of, one in so many goes to the judge as a control."""


class Grading(Frozen):
    """How a folder of runs was last graded."""

    by: By = "key"
    judge: str = ""
    """The judge's name; empty if only the key was used."""
    embedder: str = ""
    """The embedder of similarities of meaning; empty: the offline one, where it fits the language."""


@dataclass(frozen=True, slots=True)
class _Graded:
    """A call with the key's verdict on each question."""

    bench: Bench
    call: Call
    verdicts: Sequence[Verdict]

    @property
    def questions(self) -> list[Question]:
        return [self.bench.questions[question] for question in self.bench.item(self.call.item).questions]


def call_verdicts(bench: Bench, call: Call) -> list[Verdict]:
    """The key's verdict on each question of a call; a fault of the call is never a wrong answer."""
    item, answer = bench.item(call.item), strip_reasoning(call.text)
    if (fault := _fault_of(call, answer)) is not None:
        return [fault] * len(item.questions)
    made = get_family(bench.info.family)
    graded = grade_reply(made, bench, item, answer)
    if call.stop != "max_tokens":
        return graded
    if isinstance(made, OneAnswer):
        return [_cut_off(verdict) for verdict in graded]
    cut = Verdict(status="truncated", reason="the answer was cut off before this question")
    last = max((place for place, verdict in enumerate(graded) if verdict.status == "scored"), default=None)
    if last is not None and graded[last].value != 1 and call.text.rstrip(" ").endswith(graded[last].answer):
        graded[last] = cut.model_copy(update={"reason": "the answer was cut off in this question"})
    return [cut if verdict.status == "unparsed" else verdict for verdict in graded]


_STOPS: dict[str, Verdict] = {
    "cut": Verdict(status="cut", reason="the prompt did not arrive whole: the server cut it"),
    "not_condensed": Verdict(status="not_condensed", reason="the text was still too long after three rounds"),
    "content_filter": Verdict(status="refused", reason="the provider filtered the answer"),
    "tool_calls": Verdict(status="tool_call", reason="the model called a tool, and none was offered"),
}


def _fault_of(call: Call, answer: str) -> Verdict | None:
    """Why a call has no answer that could be graded; None if it has one."""
    if call.error:
        return Verdict(status="error", reason=call.error)
    if call.stop == "model_length":
        return Verdict(status="overflow", reason=call.text or "the prompt did not fit the model's window")
    if call.stop in _STOPS:
        return _STOPS[call.stop]
    if (reasoned := only_reasoned(call, answer)) is not None:
        status: Status = "truncated" if call.stop == "max_tokens" else "unparsed"
        return Verdict(status=status, reason=f"no answer within {reasoned} reasoning tokens")
    return None


def checked_end(bench: Bench, call: Call) -> Call:
    """A call whose server named no reason for the end of its answer: complete if every question is answered, and failed
    otherwise, since half an answer must not count as a wrong one."""
    verdicts = call_verdicts(bench, call)
    done = [verdict.status == "scored" and verdict.scores.get("reached", 1) >= 1 for verdict in verdicts]
    if all(done):
        return call.model_copy(update={"stop": "stop"})
    left = f"{sum(done)} of {len(done)} questions are answered"
    return call.model_copy(update={"error": f"unfinished answer: no finish_reason, and {left}"})


def only_reasoned(call: Call, answer: str | None = None) -> int | None:
    """Reasoning tokens of a call that contains only reasoning; None if there is an answer, or no text at all."""
    if call.error or (strip_reasoning(call.text) if answer is None else answer).strip():
        return None
    return call.tokens_reasoning or (call.tokens_out if call.text.strip() else None)


def _cut_off(verdict: Verdict) -> Verdict:
    """A truncated answer keeps its scores but is not called wrong; one that was complete counts."""
    if verdict.status == "scored" and verdict.scores.get("reached", 0) >= 1:
        return verdict
    reason = f"cut off at the longest answer allowed; {verdict.reason}"
    return verdict.model_copy(update={"status": "truncated", "reason": reason})


def gradable(runs: Path, calls: Sequence[Call]) -> list[Call]:
    """The calls whose benchmark is in the folder and has their item and its questions; the rest is left out with one
    warning per cause, or is an error if nothing else is left."""
    found: list[Call] = []
    benches: dict[str, Bench | str] = {}
    causes: dict[tuple[str, str], list[str]] = {}
    for call in calls:
        if call.bench not in benches:
            benches[call.bench] = _whole_bench(runs, call.bench)
        bench = benches[call.bench]
        kind, cause = ("", bench) if isinstance(bench, str) else _misfit(bench, call)
        if cause:
            causes.setdefault((call.bench, kind), []).append(cause)
        else:
            found.append(call)
    if causes and not found:
        raise BadInput(next(iter(causes.values()))[0])
    for left_out in causes.values():
        warnings.warn(f"{len(left_out)} answers are left out: {left_out[0]}", stacklevel=3)
    return found


def _whole_bench(runs: Path, digest: str) -> Bench | str:
    """The benchmark behind some results, or why they cannot be graded by it."""
    try:
        bench = kept_bench(runs, digest)
        get_family(bench.info.family)
        whole = bench.items and bench.questions and bench.prompts
        return bench if whole else f"{bench.folder} has no questions or no prompts; build it again"
    except BadInput as error:
        return str(error)
    except OSError as error:
        return f"{error.filename}: {error.strerror}; run the benchmark again into {runs}"


def _misfit(bench: Bench, call: Call) -> tuple[str, str]:
    """Why a call cannot be graded by its benchmark, in a word and as a sentence; empty if it can."""
    item = bench.items.get(call.item)
    if item is None:
        return "item", f"{bench.folder} has no item '{one_line(call.item, 80)}'; run the benchmark again"
    if item.prompt not in bench.prompts or not item.questions or not bench.questions.keys() >= set(item.questions):
        named = one_line(call.item, 80)
        return "question", f"{bench.folder} lacks the prompt or questions of item '{named}'; build it again"
    if call.family != bench.info.family:
        return "family", f"{bench.folder} is a benchmark of {bench.info.family}, not of '{one_line(call.family, 40)}'"
    return "", ""


def grade_runs(
    runs: Path,
    calls: Sequence[Call],
    *,
    by: str | None = None,
    judge: HelperModel | None = None,
    embedder: Embedder | None = None,
    progress: Callable[[str], None] | None = None,
    step: OnProgress = no_progress,
    saved_rows: bool = False,
) -> list[Row]:
    """Grade every call and save the rows in the folder; with `saved_rows` it is an error if that is not possible, else
    a folder that cannot be written can still be reported.

    With a judge, `by` defaults to `key+judge`. Without any argument the folder is graded the same way as last time,
    from the judge's saved replies alone; `by="key"` leaves the judge out again. An `embedder` measures similarities of
    meaning; its vectors are saved too."""
    grading, asked = _chosen(runs, by, judge)
    if embedder is not None:
        grading = grading.model_copy(update={"embedder": "" if embedder.name == OFFLINE_EMBEDDER else embedder.name})
    if judge is not None:
        families = sorted({call.family for call in calls})
        if not any(isinstance(get_family(name), Judgeable | Choosing) for name in families):
            raise BadInput(f"{', '.join(families)} is graded by its own rule and asks no judge; leave out --judge")
        if progress is not None and judge.name in {call.model for call in calls}:
            progress(f"judge: {judge.name} is also under test here and may be kind to itself; another judge is safer")
    benches = {digest: kept_bench(runs, digest) for digest in sorted({call.bench for call in calls})}
    saved = SavedVerdicts(runs)
    graded = _by_key(benches, calls, saved, step)
    saved.save()
    verdicts: Sequence[Sequence[Verdict]] = [each.verdicts for each in graded]
    if asked is not None:
        verdicts = _by_mapping(graded, _by_judge(graded, grading.by, asked, progress), grading.by, asked, progress)
    verdicts = _by_meaning(runs, graded, verdicts, grading.embedder, embedder, progress)
    if marks := read_marks(runs):
        verdicts = [
            by_person(marks, each.call, each.questions, own) for each, own in zip(graded, verdicts, strict=True)
        ]
    rows = [row for each, own in zip(graded, verdicts, strict=True) for row in _rows(each, own)]
    for name in dict.fromkeys(row.family for row in rows):
        rows = part_of(get_family(name), Countable).counted_rows(rows, benches)
    with contextlib.nullcontext() if saved_rows else contextlib.suppress(BadInput):
        write_whole(runs / ROWS, (row.model_dump_json() + "\n" for row in rows))
    if by is not None or judge is not None or embedder is not None:
        write_whole(runs / _GRADING, grading.model_dump_json() + "\n")
    return rows


def key_rows(bench: Bench, calls: Sequence[Call]) -> list[Row]:
    """The rows of some calls of one benchmark by the key alone; nothing is saved."""
    digest = bench.info.digest
    rows = [row for each in _by_key({digest: bench}, calls) for row in _rows(each, each.verdicts)]
    return part_of(get_family(bench.info.family), Countable).counted_rows(rows, {digest: bench})


def remembered(runs: Path) -> Grading:
    """How a folder was last graded: by default, or if the record is damaged, by the key."""
    path = runs / _GRADING
    if not path.is_file():
        return Grading()
    try:
        found = Grading.parse_json(path.read_bytes(), str(path))
        if found.by == "key" or found.judge:
            return found
    except (BadInput, OSError):
        pass
    warnings.warn(f"{path} does not say how it was graded; graded by the key alone", stacklevel=3)
    return Grading()


def _chosen(runs: Path, by: str | None, judge: HelperModel | None) -> tuple[Grading, HelperModel | None]:
    """The grading method and the judge; no judge if the key alone decides."""
    last = remembered(runs)
    way: By | None = next((known for known in WAYS if known == by), None)
    if by is not None and way is None:
        raise BadInput(f"grading by '{by}' is not known.{did_you_mean(by, WAYS)}")
    if judge is not None:
        if way == "key":
            raise BadInput(f"grading by key asks no judge, but the judge {judge.name} was given; leave one of them out")
        return Grading(by=way or "key+judge", judge=judge.name, embedder=last.embedder), judge
    way = way or last.by
    if way == "key":
        return Grading(embedder=last.embedder), None
    if not last.judge:
        raise BadInput(f"grading by {way} needs a judge and {runs} has had none; name one with --judge MODEL")
    missing = f"not judged yet; run: longreach grade {runs} --judge {last.judge}"
    saved = CachedReplies(last.judge, Store(runs / JUDGE), missing)
    return last.model_copy(update={"by": way}), saved


def _by_key(
    benches: Mapping[str, Bench],
    calls: Sequence[Call],
    saved: SavedVerdicts | None = None,
    step: OnProgress = no_progress,
) -> list[_Graded]:
    known = saved or SavedVerdicts()  # also within one grading: equal answers to equal questions
    graded: list[_Graded] = []
    for number, call in enumerate(calls):
        step("grading answers", number, len(calls))
        bench = benches[call.bench]
        graded.append(_Graded(bench, call, known.get(bench, call, call_verdicts)))
    return graded


def _by_judge(
    graded: Sequence[_Graded], by: By, judge: HelperModel, progress: Callable[[str], None] | None
) -> list[list[Verdict]]:
    """The verdicts after the judge graded what was left to it: one request per call, all calls together."""
    chosen = [_for_judge(each, by) for each in graded]
    batches = [
        [Entry(question=each.questions[place], answer=each.verdicts[place].answer) for place in places]
        for each, places in zip(graded, chosen, strict=True)
    ]
    final = [list(each.verdicts) for each in graded]
    for verdicts, places, grades in zip(final, chosen, judge_batches(judge, batches, progress), strict=True):
        for place, grade in zip(places, grades, strict=True):
            verdicts[place] = _settled(verdicts[place], grade, by)
    return final


def _by_mapping(
    graded: Sequence[_Graded],
    verdicts: Sequence[Sequence[Verdict]],
    by: By,
    judge: HelperModel,
    progress: Callable[[str], None] | None,
) -> list[list[Verdict]]:
    """The verdicts after the judge mapped answers to options where strict parsing failed; if the judge decides
    everything, it maps every answer, as in the paper."""
    wanted = ("scored", "unparsed") if by == "judge" else ("unparsed",)
    final = [list(own) for own in verdicts]
    unread: dict[tuple[int, int], Unread] = {}
    for row, each in enumerate(graded):
        family = get_family(each.call.family)
        for column, (question, verdict) in enumerate(zip(each.questions, each.verdicts, strict=True)):
            if isinstance(family, Choosing) and verdict.status in wanted:
                options = dict(family.choices(question))
                unread[row, column] = Unread(question=question, options=options, text=each.call.text, verdict=verdict)
    for (row, column), verdict in zip(unread, map_answers(judge, list(unread.values()), progress), strict=True):
        final[row][column] = verdict
    return final


def _by_meaning(
    runs: Path,
    graded: Sequence[_Graded],
    verdicts: Sequence[Sequence[Verdict]],
    name: str,
    embedder: Embedder | None,
    progress: Callable[[str], None] | None,
) -> list[list[Verdict]]:
    """The verdicts with similarities of meaning by the named embedder: the one given, or its saved vectors."""
    final = [list(own) for own in verdicts]
    pairs: dict[tuple[int, int], tuple[str, str]] = {}
    for row, each in enumerate(graded):
        family = get_family(each.call.family)
        if not isinstance(family, Comparable):
            continue
        for column, question in enumerate(each.questions):
            pair = family.compared_texts(question, each.call.text) if final[row][column].scores else None
            if pair is not None and all(map(str.strip, pair)):
                pairs[row, column] = pair
    if embedder is not None and not pairs:
        raise BadInput(
            f"no answer is compared by meaning, {embedder.name} has nothing to measure; leave out --embedder"
        )
    if not name:
        without = sum(MEANING not in final[row][column].scores for row, column in pairs)
        if without and progress is not None:
            progress(f"{without} answers are not compared by meaning: wordllama reads English; give --embedder")
        return final
    cache = VectorCache(embedder or SavedOnly(name), runs / _VECTORS)
    try:
        vectors = passage_vectors(cache, [text for pair in pairs.values() for text in pair])
    except Missing as error:
        warnings.warn(f"{error}; run: longreach grade {runs} --embedder {name}", stacklevel=3)
        return final
    for (row, column), (one, other) in pairs.items():
        verdict = final[row][column]
        found = round(float(np.clip(vectors[one] @ vectors[other], -1, 1)), 6)
        scores = {key: value for key, value in verdict.scores.items() if key != MEANING} | {f"{MEANING} {name}": found}
        final[row][column] = verdict.model_copy(update={"scores": scores})
    return final


def _for_judge(each: _Graded, by: By) -> list[int]:
    """Indexes of the answers that go to the judge. Those the key is unsure of are joined by one that it is certain of:
    a control, which shows whether the two agree where the key can be trusted."""
    family, questions = get_family(each.call.family), each.questions
    if not isinstance(family, Judgeable):
        return []
    parsed = [
        n
        for n, verdict in enumerate(each.verdicts)
        if verdict.status == "scored" and verdict.answer.strip() and family.judges(questions[n])
    ]
    if by == "judge":
        return parsed
    unsure = [n for n in parsed if not each.verdicts[n].certain]
    certain = [n for n in parsed if each.verdicts[n].certain]
    if not certain:
        return unsure
    # Drawn by the answer, never by the item's position: equal answers stay equal and are sent once.
    seen = [[each.questions[n].text, each.verdicts[n].answer] for n in unsure]
    draws = {n: Store.key("control", each.questions[n].text, each.verdicts[n].answer, seen) for n in certain}
    control = min(certain, key=lambda n: draws[n])
    if unsure:
        return sorted([*unsure, control])
    alone = len(each.questions) == 1 and int(draws[control][:8], 16) % _ONE_IN == 0
    return [control] if alone else []


def _settled(verdict: Verdict, judged: Judged, by: By) -> Verdict:
    """A verdict updated with the judge's grade or failure."""
    update: dict[str, Any] = {"key": verdict.value, "judge": judged.value}
    control = by == "key+judge" and verdict.certain
    if judged.value is None:
        failed = {"status": "judge_failed", "value": None, "reason": judged.reason, "key": verdict.value}
        return verdict if control else verdict.model_copy(update=failed)
    if not control:
        outcome = "right" if judged.value else "wrong"
        doubt = "" if verdict.certain else ", unsure"
        update |= {"value": judged.value, "reason": f"the judge says {outcome}; the key{doubt}: {verdict.reason}"}
    return verdict.model_copy(update=update)


def _rows(each: _Graded, verdicts: Sequence[Verdict]) -> Iterator[Row]:
    """One row per question of a call."""
    call, item = each.call, each.bench.item(each.call.item)
    # Without a context there is nothing to share: each such question is its own cluster.
    context = intern(item.context.sha256[:16]) if item.context.tokens else item.id
    for question, verdict in zip(each.questions, verdicts, strict=True):
        yield Row.model_construct(
            model=call.model,
            family=call.family,
            bench=call.bench,
            item=call.item,
            repeat=call.repeat,
            question=question.id,
            question_type=question.question_type,
            cell=item.cell,
            realised=item.realised,
            context=context,
            verdict=verdict,
            tokens_in=call.tokens_in,
            tokens_cached=call.tokens_cached,
            tokens_out=call.tokens_out,
            seconds=call.seconds,
            cost=call.cost,
            tokens_reasoning=call.tokens_reasoning,
            first_token=call.first_token,
            reused=call.reused,
            settings=call.settings,
        )


class GradedScore(Frozen):
    """Counts of one model, family, prompt, question type and way of reading."""

    model: str
    family: str
    prompt: str
    question_type: str
    way: str = ""
    """'passages:10', if these were not asked about the whole text."""
    right: int
    """Answers with the full score."""
    scored: int
    """Answers that could be graded."""
    undecided: int
    """Of them, those that the key is not certain of and no judge has decided."""
    asked: int


class GradeSummary(Frozen):
    """What grading gave."""

    rows: int
    """Verdicts, one per question."""
    judge_failed: int
    """Answers without a verdict because the judge failed."""
    scores: tuple[GradedScore, ...]


def summarise(rows: Sequence[Row]) -> GradeSummary:
    """Right, scored and asked by model, family, prompt, question type and way of reading."""

    def group(row: Row) -> tuple[str, str, str, str, str]:
        return row.model, row.family, str(row.cell.get("prompt", "")), row.question_type, str(row.cell.get(WAY, ""))

    return GradeSummary(
        rows=len(rows),
        judge_failed=sum(row.verdict.status == "judge_failed" for row in rows),
        scores=tuple(
            GradedScore(
                model=model,
                family=family,
                prompt=prompt,
                question_type=kind,
                way=way,
                right=sum(delivered(row) == 1 for row in own),
                undecided=sum(map(undecided, own)),
                scored=sum(row.verdict.status == "scored" for row in own),
                asked=len(own),
            )
            for (model, family, prompt, kind, way), own in grouped(rows, group).items()
        ),
    )


class RunGap(Frozen):
    """Items of a benchmark without an answer of a model: not sent, or failed for good."""

    model: str
    family: str
    bench: str
    items: int
    answered: int
    failed: int
    """Of the others, those whose request failed."""
    imported: bool = False
    """Whether the answers were imported."""

    @property
    def remedy(self) -> str:
        """How to get the others."""
        return "import the others" if self.imported else "the same run command resumes"

    @property
    def text(self) -> str:
        """'answers to 60 of the 108 items of needles benchmark 0123456789ab (3 failed)'."""
        failed = f" ({self.failed} failed)" if self.failed else ""
        return (
            f"answers to {self.answered} of the {self.items} items of {self.family} benchmark {self.bench[:12]}{failed}"
        )


def run_gaps(
    benches: Iterable[Bench],
    calls: Sequence[Call],
    searched: Iterable[tuple[str, str]] = (),
    imported: Collection[tuple[str, str]] = (),
) -> list[RunGap]:
    """What each model has not answered of the benchmarks that it was asked. A search (by model and digest) sends no
    more than it needs: only its failed calls are missing. Answers that were `imported` are not to be had by a run."""
    found, chosen = [], set(searched)
    for bench in benches:
        digest = bench.info.digest
        by_model: dict[str, dict[tuple[str, int], bool]] = {}
        for call in calls:
            if call.bench == digest:
                own = by_model.setdefault(call.model, {})
                asked = call.item, call.repeat
                own[asked] = own.get(asked, False) or not call.error
        for model, items in by_model.items():
            repeats = max(repeat for _, repeat in items)
            every = len(items) if (model, digest) in chosen else len(bench.items) * repeats
            good = sum(items.values())
            if good < every:
                about = {"model": model, "family": bench.info.family, "bench": digest}
                brought = (model, digest) in imported
                found.append(RunGap(**about, items=every, answered=good, failed=len(items) - good, imported=brought))
    return found


_FILE = "verdicts.json"
_SOURCES = (".py", ".txt", ".csv", ".yaml")
_VERDICTS = b'"verdicts":'
_SAVED = TypeAdapter(dict[str, tuple[Verdict, ...]])


class SavedVerdicts:
    """A folder's verdicts by the digest of everything they depend on: the grader's version and source, the questions as
    they are in the folder, and the answer. Anything else than an equal digest is graded.

    The file is signed with the user's key: what this user's commands did not write is graded again, and what differs is
    named. A folder may come from others, and a verdict is easily edited."""

    def __init__(self, runs: Path | None = None) -> None:
        self._path = runs / _FILE if runs else None
        self._known: dict[str, tuple[Verdict, ...]] = {}
        self._claimed: dict[str, tuple[Verdict, ...]] = {}
        """Verdicts in a file that this user's commands did not write."""
        if self._path and self._path.is_file():
            with contextlib.suppress(OSError, ValueError):  # only a cache: a damaged one is made again
                head, _, rest = self._path.read_bytes().partition(_VERDICTS)
                found = _SAVED.validate_json(data := rest[:-1])
                if (expected := _signed(data)) and hmac.compare_digest(head, expected):
                    self._known = found
                else:
                    self._claimed = found
        self._used: dict[str, tuple[Verdict, ...]] = {}
        self._graders: dict[str, bytes] = {}

    def get(self, bench: Bench, call: Call, grade: Callable[[Bench, Call], list[Verdict]]) -> tuple[Verdict, ...]:
        """The verdicts on the questions of a call, by `grade` if there are none yet."""
        key = self._key(bench, call)
        found = self._used.get(key) or self._known.get(key)
        if found is None or len(found) != len(bench.item(call.item).questions):
            found = tuple(grade(bench, call))
        self._used[key] = found
        return found

    def save(self) -> None:
        """Save the verdicts that were used, if they are not those in the file; those of other graders go."""
        if self._path is None:
            return
        if wrong := sum(self._used[key] != claimed for key, claimed in self._claimed.items() if key in self._used):
            what = "answer has another verdict" if wrong == 1 else "answers have other verdicts"
            warnings.warn(f"{self._path}: {wrong} {what} there than grading gives; all were graded again", stacklevel=4)
        if self._used.keys() == self._known.keys() and not self._claimed:
            return
        data = _SAVED.dump_json(self._used, exclude_defaults=True)
        with contextlib.suppress(BadInput):  # a folder that cannot be written can still be graded
            write_whole(self._path, (_signed(data) or b"{") + _VERDICTS + data + b"}")

    def _key(self, bench: Bench, call: Call) -> str:
        if bench.info.digest not in self._graders:
            made = hashlib.sha256(_grader(get_family(bench.info.family)))
            made.update(bench.questions_digest.encode())
            self._graders[bench.info.digest] = made.digest()
        item = bench.item(call.item)
        parts = [item.prompt, *item.questions, call.text, call.stop, call.error]
        parts += map(str, (call.tokens_reasoning, call.tokens_out))
        text = "".join(f"{len(part)}:{part}" for part in parts)
        return hashlib.sha256(self._graders[bench.info.digest] + text.encode(errors="surrogatepass")).hexdigest()[:32]


def _signed(data: bytes) -> bytes:
    """The start of a file with these verdicts; empty where the user's key cannot be stored."""
    key = user_key()
    return f'{{"signed":"{hmac.new(key, data, hashlib.sha256).hexdigest()}",'.encode() if key else b""


@functools.cache
def _source(place: Path) -> bytes:
    """Digest of a Python file, or of those in a folder with the tables beside them."""
    made = hashlib.sha256()
    for path in sorted(each for each in place.rglob("*") if each.suffix in _SOURCES) if place.is_dir() else [place]:
        data = path.read_bytes()
        made.update(f"{path.relative_to(place).as_posix()}:{len(data)}:".encode() + data)
    return made.digest()


def _grader(family: Family[Any]) -> bytes:
    """A family's version, and the source of everything that a grade may depend on: a change without a new version is
    noticed too."""
    package, own = Path(inspect.getfile(BadInput)).parent, Path(inspect.getfile(type(family)))
    if "." in type(family).__module__:
        own = own.parent
    outside = b"" if own.is_relative_to(package) else _source(own)
    return f"{family.name}:{family.version}:".encode() + _source(package) + outside
