"""Import answers from any other system into a folder of runs, where they are graded like those of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from longreach.core.answers import imported_file, keep_answers, request_id
from longreach.core.bench import Bench
from longreach.core.disk import check_file
from longreach.core.model import Frozen, whole_text
from longreach.core.row import Call
from longreach.core.runs import keep_bench
from longreach.core.stored_calls import stored_calls
from longreach.errors import BadInput, one_line

from .answer_formats import call_fields, line_id, line_sha256

__all__ = ["Imported", "import_answers", "read_answers"]

_NAMED = 3
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

    def lines(self) -> list[str]:
        """For a terminal."""
        lines = [f"{self.model}: {self.answers} answers to {self.asked} items, {self.new} of them new, in {self.file}"]
        if self.failed:
            lines.append(f"{self.failed} of them are failed calls; import an answer for them later to replace them")
        return lines

    def warning(self) -> str:
        """A line that names the missing items; empty if there are none."""
        if not self.missing:
            return ""
        return f"{len(self.missing)} of {self.asked} items have no answer yet: {_names(self.missing)}"

    def __repr__(self) -> str:
        return "\n".join([*self.lines(), *filter(None, [self.warning()])])


def import_answers(
    bench: Bench,
    answers: Sequence[Path],
    model: str,
    runs: Path,
    *,
    known: Sequence[Call] = (),
    replace: bool = False,
) -> Imported:
    """Store the answers in `runs`, with the benchmark. Answers already there remain; another answer to the same item is
    an error unless `replace` is set. `known` are the folder's calls from runs."""
    if not model.strip() or len(model) > 200 or not model.isprintable():
        raise BadInput(f"-m {one_line(model, 40)!r} is no name for a model; give one of up to 200 printable characters")
    if runs.exists() and not runs.is_dir():
        raise BadInput(f"{runs} is a file; choose a folder with -o")
    found = read_answers(bench, answers, model)
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


def read_answers(bench: Bench, answers: Sequence[Path], model: str) -> dict[str, Call]:
    """The calls in some files, by item. Unknown and duplicate ids are errors that name them, and so are answers to
    prompts of another benchmark."""
    items = {**{request_id(bench, item): item for item in bench.items}, **{item: item for item in bench.items}}
    calls: dict[str, Call] = {}
    unknown: list[str] = []
    doubled: list[str] = []
    strange: list[str] = []
    for where, line in _lines(answers):
        given = line_id(line, where)
        item = items.get(given)
        if item is None:
            unknown.append(given)
            continue
        if item in calls:
            doubled.append(item)
            continue
        if (digest := line_sha256(line)) and digest != bench.items[item].sha256:
            strange.append(item)
            continue
        fields = call_fields(line, where)
        about = {"model": model, "family": bench.info.family, "bench": bench.info.digest, "item": item}
        calls[item] = Call.parse(about | fields, where)
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
    return calls


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
