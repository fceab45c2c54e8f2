"""Import answers from any other system into a folder of runs, where they are graded like those of a run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from longreach.core.bench import Bench
from longreach.core.files import check_file, locked, without_traces
from longreach.core.runs import (
    check_shown,
    imported_file,
    keep_answers,
    keep_bench,
    overflowed,
    request_id,
    stored_calls,
)
from longreach.core.types import Call, Frozen, whole_text
from longreach.errors import BadInput, one_line
from longreach.families import get_family
from longreach.families.parts import Countable, part_of
from longreach.models.providers import STOP_NAMES
from longreach.results.grading import checked_end, key_rows

ANSWERS = ("text", "answer", "completion", "response", "output", "prediction", "generated_text")
"""Keys under which a plain line may hold its answer; the first one present is used."""

_IDS = ("custom_id", "item", "id")
"""A batch service adds an `id` of its own, so ours has precedence."""
_LIKE = (
    (re.compile("context|window"), "model_length"),
    (re.compile("length|max|limit|trunc|incomplete"), "max_tokens"),
    (re.compile("filter|safety|refus|block|prohibit|recitation"), "content_filter"),
)
_NO_ANSWER = "the service gave no answer"

Line = Mapping[str, Any]


def line_id(line: Line, where: str) -> str:
    """The id of the item that a line answers."""
    for source in (line, _part(line, "doc")):
        for name in _IDS:
            if isinstance(found := source.get(name), str | int) and not isinstance(found, bool):
                return str(found)
    raise BadInput(f"{where}: no id; give each line the id of its item, as longreach export wrote it")


def call_fields(line: Line, where: str) -> dict[str, Any]:
    """The fields of a call in a line: its text, why it stopped, its usage, or why it failed."""
    fields = _batch(line) if isinstance(line.get("response"), Mapping) or "choices" in line else _plain(line, where)
    if overflowed(fields.get("error", "")):
        # As a run records a prompt that does not fit: a separate status, not a failed call.
        return {"text": fields["error"], "stop": "model_length"}
    return fields | {"text": "", "stop": ""} if fields.get("error") else fields


def _plain(line: Line, where: str) -> dict[str, Any]:
    text = _samples(line)
    for name in ANSWERS:
        if text is None and isinstance(line.get(name), str):
            text = line[name]
    error = _message(line.get("error"))
    if text is None and not error:
        raise BadInput(f"{where}: no answer; give each line one of {', '.join(ANSWERS)} as text")
    reasons = (line.get(name) for name in ("finish_reason", "stop_reason", "stop"))
    # A line without a reason is an answer: files of other systems have none. What is no word is a setting.
    reason = next((each for each in reasons if isinstance(each, str) and any(map(str.isalpha, each))), "stop")
    fields = {"text": text or "", "error": error, **_ended(reason), **_usage(line, line)}
    return fields | {name: round(float(line[name]), 6) for name in ("seconds", "cost") if _positive(line.get(name))}


def _samples(line: Line) -> str | None:
    """The answer in a line of lm-eval's samples: its filtered response, else the raw one."""
    for name in ("filtered_resps", "resps"):
        found = line.get(name)
        while isinstance(found, list) and found:
            found = found[0]
        if isinstance(found, str):
            return found
    return None


def _batch(line: Line) -> dict[str, Any]:
    """A line of batch output, or a chat completion with the item's id added to it."""
    response = _part(line, "response")
    body = _part(response, "body") or line
    status = response.get("status_code")
    error = _message(line.get("error")) or _message(body.get("error"))
    if isinstance(status, int) and status >= 400:
        error = f"HTTP {status}: {error or 'no message'}"
    choices = body.get("choices")
    if error or not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        return {"error": one_line(error) or _NO_ANSWER}
    choice = choices[0]
    message = _part(choice, "message")
    text = _content(message.get("content"))
    if text is None:
        text = _content(choice.get("text"))
    ended = _ended(choice.get("finish_reason"))
    if text is None and isinstance(message.get("refusal"), str):
        text, ended = message["refusal"], {"stop": "content_filter"}
    if text is None and ended.get("stop") in ("stop", ""):
        return {"error": _NO_ANSWER}
    return {"text": text or "", **ended, **_usage(_part(body, "usage"), {})}


def _content(content: Any) -> str | None:
    """Text as it is, or joined from its parts."""
    if isinstance(content, list):
        parts = [part["text"] for part in content if isinstance(part, Mapping) and isinstance(part.get("text"), str)]
        return "".join(parts) if parts else None
    return content if isinstance(content, str) else None


def _usage(usage: Line, line: Line) -> dict[str, Any]:
    """Token counts by any of their usual names; missing ones are left out."""
    usage = _part(line, "usage") or usage
    cached = _part(usage, "prompt_tokens_details").get("cached_tokens", usage.get("tokens_cached"))
    found = {
        "tokens_in": usage.get("prompt_tokens", usage.get("input_tokens", usage.get("tokens_in"))),
        "tokens_cached": cached,
        "tokens_out": usage.get("completion_tokens", usage.get("output_tokens", usage.get("tokens_out"))),
    }
    return {name: int(number) for name, number in found.items() if _positive(number)}


def _ended(reason: Any) -> dict[str, str]:
    """Why a model stopped, in the words of `Call.stop`, from those of services; empty if there is no reason. One
    that is not known to mean an end is an error, as in a run: the answer may be half of one."""
    word = str(reason or "").strip().casefold()
    if not word or word in STOP_NAMES:
        return {"stop": STOP_NAMES.get(word, "")}
    if found := next((stop for pattern, stop in _LIKE if pattern.search(word)), ""):
        return {"stop": found}
    return {"error": f"unfinished answer: the service ended it with the reason '{one_line(word, 60)}'"}


def _message(error: Any) -> str:
    if isinstance(error, Mapping):
        error = error.get("message") or error.get("code")
    return one_line(str(error)) if error else ""


def _part(line: Line, name: str) -> Line:
    found = line.get(name)
    return found if isinstance(found, Mapping) else {}


def _positive(number: Any) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number < 1e15


_NAMED = 3
_FIRST = 20
"""Answers that are looked at for whether they are to this benchmark,"""
_FEWEST = 5
"""and how many questions they have at least."""
"""How many ids a message names; the rest is counted."""
_LONGEST = 64_000_000
"""Characters in one line; a longer one is not JSON lines."""


class Imported(Frozen):
    """The result of an import."""

    model: str
    bench: str
    """Digest of the benchmark."""
    file: str
    """Where the answers are stored."""
    asked: int
    """Items of the benchmark."""
    answers: int
    """In the files given."""
    new: int
    """Of them, new ones."""
    failed: int
    """Calls that failed at their service: not graded, and replaced by a later answer."""
    missing: tuple[str, ...]
    """Items without an answer so far."""
    doubt: str = ""
    """Why the answers may be to another benchmark."""

    def lines(self) -> list[str]:
        """For a terminal."""
        lines = [f"{self.model}: {self.answers} answers to {self.asked} items, {self.new} of them new, in {self.file}"]
        if self.failed:
            lines.append(f"{self.failed} of them are failed calls; import an answer for them later to replace them")
        return lines

    def warnings(self) -> list[str]:
        """Lines that name missing items, and why the answers may be to another benchmark."""
        missing = f"{len(self.missing)} of {self.asked} items have no answer yet: {_names(self.missing)}"
        return [*([missing] if self.missing else []), *([self.doubt] if self.doubt else [])]

    def __repr__(self) -> str:
        return "\n".join([*self.lines(), *self.warnings()])


def import_answers(
    bench: Bench, answers: Sequence[Path], model: str, runs: Path, *, known: Sequence[Call] = (), replace: bool = False
) -> Imported:
    """Store the answers in `runs`, with the benchmark. Answers already there remain; another answer to the same item is
    an error unless `replace` is set. `known` are the folder's calls from runs."""
    model = model.strip()
    if not model or len(model) > 200 or not model.isprintable():
        raise BadInput(f"-m {one_line(model, 40)!r} is no name for a model; give one of up to 200 printable characters")
    if runs.exists() and not runs.is_dir():
        raise BadInput(f"{runs} is a file; choose a folder with -o")
    check_shown(runs, model)
    found, unproven = read_answers(bench, answers, model)
    with without_traces(runs), locked(runs / ".import.lock"):
        done = _merged(bench, found, model, runs, known=known, replace=replace)
    return done.model_copy(update={"doubt": _doubt(bench, [found[item] for item in unproven])})


def _merged(
    bench: Bench, found: Mapping[str, Call], model: str, runs: Path, *, known: Sequence[Call], replace: bool
) -> Imported:
    """Answers beside those that are there; only for the process that holds the folder's lock."""
    path = imported_file(runs, model, bench.info.digest)
    stored = {call.item: call.whole() for call in stored_calls(path)}
    ours = [call for call in known if (call.model, call.bench) == (model, bench.info.digest) and not call.error]
    if ran := [call.item for call in ours if call.item in found and stored.get(call.item) != call]:
        raise BadInput(
            f"{runs} has answers of {model} from longreach run to {len(ran)} of these items: {_names(ran)}; "
            "choose another -m or -o"
        )
    merged, new, other = dict(stored), 0, []
    for item, call in found.items():
        before = stored.get(item)
        if before == call or (before is not None and call.error and not before.error):
            continue
        if before is not None and not before.error and not replace:
            other.append(item)
        merged[item] = call
        new += 1
    if other:
        raise BadInput(
            f"{runs} has other answers of {model} to {len(other)} of these items: {_names(other)}; "
            "choose another -m or -o, or add --replace"
        )
    keep_bench(bench, runs)
    if new:
        keep_answers(path, (merged[item] for item in bench.items if item in merged))
    answered = {*merged, *(call.item for call in ours)}
    return Imported(
        model=model,
        bench=bench.info.digest,
        file=str(path),
        asked=len(bench.items),
        answers=len(found),
        new=new,
        failed=sum(bool(call.error) for call in found.values()),
        missing=tuple(item for item in bench.items if item not in answered),
    )


def read_answers(bench: Bench, answers: Sequence[Path], model: str) -> tuple[dict[str, Call], list[str]]:
    """The calls in some files, by item, and the items of lines that do not say which prompt they answer. Unknown and
    duplicate ids are errors that name them, and so are answers to prompts of another benchmark."""
    items = {**{request_id(bench, item): item for item in bench.items}, **{item: item for item in bench.items}}
    calls: dict[str, Call] = {}
    unknown: list[str] = []
    doubled: list[str] = []
    strange: list[str] = []
    unproven: list[str] = []
    for where, line in _lines(answers):
        given = line_id(line, where)
        digest = line.get("sha256") or _part(line, "doc").get("sha256")  # of the prompt that was answered
        item = items.get(given)
        if item is None:
            unknown.append(given)
        elif item in calls:
            doubled.append(item)
        elif isinstance(digest, str) and digest not in ("", bench.items[item].sha256):
            strange.append(item)
        else:
            about = {"model": model, "family": bench.info.family, "bench": bench.info.digest, "item": item}
            call = Call.parse(about | call_fields(line, where), where)
            calls[item] = call if call.error or call.stop else checked_end(bench, call)
            if given == item and not digest:
                unproven.append(item)
    sources = ", ".join(map(str, answers))
    if unknown:
        hint = f"the items of {bench.folder}: longreach show {bench.folder}"
        raise BadInput(f"{sources}: {len(unknown)} unknown ids: {_names(unknown)}; {_origin(bench, unknown) or hint}")
    if doubled:
        raise BadInput(f"{sources}: {len(doubled)} ids occur twice: {_names(doubled)}; give one answer per item")
    if strange:
        raise BadInput(
            f"{sources}: {len(strange)} answers are to other prompts than those of {bench.folder} "
            f"({_names(strange)}); import them with the benchmark they were exported from"
        )
    if not calls:
        raise BadInput(f"{sources}: no answers in it; give one JSON object per line, with id and text")
    return calls, unproven


def _doubt(bench: Bench, calls: Sequence[Call]) -> str:
    """Words of doubt where the first answers are no better than guesses, and nothing says that they are to this
    benchmark: another one often has items of the same names."""
    first = [call for call in calls if not call.error][:_FIRST]
    rows = [row for row in key_rows(bench, first) if row.verdict.status in ("scored", "unparsed")]
    counted = part_of(get_family(bench.info.family), Countable)
    chances = [counted.chance(bench, row.question_type) for row in rows]
    right = sum(row.verdict.value == 1 for row in rows)
    if len(rows) < _FEWEST or right > sum(chances) + 2 * sum(one * (1 - one) for one in chances) ** 0.5:
        return ""
    return (
        f"{right} of the first {len(rows)} answers are right, no more than by guessing, and their lines have no sha256 "
        f"of the prompt: answers to another benchmark with items of these names would count as wrong"
    )


def _lines(answers: Sequence[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each line with its location; files are streamed."""
    for path in answers:
        try:
            check_file(path)
            with path.open(encoding="utf-8-sig", newline="\n") as file:
                for number, text in enumerate(iter(lambda: file.readline(_LONGEST + 1), ""), 1):
                    if len(text) > _LONGEST:
                        raise BadInput(f"{path}:{number}: a line of more than {_LONGEST:,} characters; give JSON lines")
                    if text.strip():
                        yield f"{path}:{number}", _object(text, f"{path}:{number}")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise BadInput(f"{path} cannot be read: {reason}; give a file of JSON lines") from None


def _object(text: str, where: str) -> dict[str, Any]:
    try:
        line = whole_text(json.loads(text))
    except (ValueError, RecursionError):
        raise BadInput(f"{where}: not JSON; give one JSON object per line") from None
    if not isinstance(line, dict):
        raise BadInput(f"{where}: {one_line(text, 40)} is no JSON object; give one per line, with id and text")
    return line


def _origin(bench: Bench, unknown: Sequence[str]) -> str:
    """The likely cause if ids belong to this benchmark's items under another digest."""
    digest, dash, item = unknown[0].partition("-")
    if dash and len(digest) == 8 and item in bench.items:
        return f"they are requests of benchmark {digest}…, this one is {bench.info.digest[:8]}…"
    return ""


def _names(ids: Sequence[str]) -> str:
    named = ", ".join(one_line(name, 80) for name in ids[:_NAMED])
    return f"{named}, …" if len(ids) > _NAMED else named
