"""Answers from other systems: read in several forms, checked by id, kept once, graded like a run's."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tests.answering import answer
from tests.reporting.sample_runs import calls_of

import longreach
from longreach.cli import results
from longreach.core.bench import Bench
from longreach.core.runs import has_bench, imported_calls, imported_file, request_id
from longreach.core.types import Call
from longreach.errors import BadInput
from longreach.exchange.importing import Imported, call_fields, import_answers
from longreach.results.grading import grade_runs

Line = dict[str, Any]


def write(path: Path, lines: list[Line]) -> Path:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def lines(bench: Bench) -> list[Line]:
    """Right answers for all items."""
    return [{"id": item.id, "text": answer(bench, item, right=True)} for item in bench.items.values()]


def bring(bench: Bench, folder: Path, lines: list[Line], model: str = "m", **options: Any) -> Imported:
    return import_answers(bench, [write(folder / "answers.jsonl", lines)], model, folder / "runs", **options)


def test_imported_answers_are_graded_like_a_runs(bench: Bench, tmp_path: Path, lines: list[Line]) -> None:
    done = bring(bench, tmp_path, lines, "service/model x")
    assert (done.answers, done.new, done.failed, done.missing) == (len(bench.items), len(bench.items), 0, ())
    assert done.warnings() == []
    runs = tmp_path / "runs"
    assert has_bench(runs, bench.info.digest)
    calls = imported_calls(runs)
    assert calls == calls_of(bench, "service/model x", lambda _: True)
    rows = grade_runs(runs, calls)
    assert {row.verdict.value for row in rows} == {1.0}
    assert len(rows) == sum(len(item.questions) for item in bench.items.values())


def test_the_same_import_twice_changes_nothing(bench: Bench, tmp_path: Path, lines: list[Line]) -> None:
    first = bring(bench, tmp_path, lines)
    before = Path(first.file).stat()
    again = bring(bench, tmp_path, lines[::-1])
    after = Path(again.file).stat()
    assert (again.new, again.missing) == (0, ())
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_parts_come_one_after_the_other_and_failures_are_replaced(
    bench: Bench, tmp_path: Path, lines: list[Line]
) -> None:
    failed = {"id": lines[0]["id"], "error": {"message": "server overloaded"}}
    part = bring(bench, tmp_path, [failed, *lines[1:5]])
    assert (part.failed, len(part.missing)) == (1, len(lines) - 5)
    assert part.warnings()[0] == f"19 of 24 items have no answer yet: {', '.join(list(bench.items)[5:8])}, …"
    assert imported_calls(tmp_path / "runs")[0].error == "server overloaded"
    rest = bring(bench, tmp_path, [lines[0], *lines[5:]])
    assert (rest.new, rest.missing) == (len(lines) - 4, ())
    assert not any(call.error for call in imported_calls(tmp_path / "runs"))
    bring(bench, tmp_path, [failed])  # a failure never takes the place of an answer
    assert not any(call.error for call in imported_calls(tmp_path / "runs"))


def test_unknown_doubled_and_strange_ids_are_named(bench: Bench, tmp_path: Path, lines: list[Line]) -> None:
    names = [f"nobody-{n}" for n in range(5)]
    with pytest.raises(BadInput, match="5 unknown ids: nobody-0, nobody-1, nobody-2, …; the items of"):
        bring(bench, tmp_path, [*lines, *({"id": name, "text": ""} for name in names)])
    with pytest.raises(BadInput, match=f"1 ids occur twice: {lines[0]['id']};"):
        bring(bench, tmp_path, [*lines, {"id": request_id(bench, lines[0]["id"]), "text": "x"}])
    with pytest.raises(BadInput, match=r"requests of benchmark 12345678…, this one is"):
        bring(bench, tmp_path, [{"id": f"12345678-{lines[0]['id']}", "text": "x"}])
    with pytest.raises(BadInput, match="1 answers are to other prompts"):
        bring(bench, tmp_path, [lines[0] | {"sha256": "0" * 64}])
    assert not (tmp_path / "runs").exists()


def test_other_answers_of_the_same_model_are_not_mixed_in(bench: Bench, tmp_path: Path, lines: list[Line]) -> None:
    bring(bench, tmp_path, lines)
    with pytest.raises(BadInput, match=r"has other answers of m to 1 of these items.*--replace"):
        bring(bench, tmp_path, [lines[0] | {"text": "other"}])
    assert bring(bench, tmp_path, [lines[0] | {"text": "other"}], replace=True).new == 1
    ran = Call(model="n", family="needles", bench=bench.info.digest, item=lines[0]["id"], text="x", stop="stop")
    with pytest.raises(BadInput, match="from longreach run to 1 of these items"):
        bring(bench, tmp_path, lines, "n", known=[ran])
    known = imported_calls(tmp_path / "runs")  # imported ones are no answers of a run
    assert bring(bench, tmp_path, [lines[1]], known=known).new == 0


def test_a_batchs_output_comes_back_by_its_own_ids(bench: Bench, tmp_path: Path) -> None:
    requests = longreach.export(bench, "openai-batch", tmp_path / "requests.jsonl", model="x").files[0]
    out: list[Line] = []
    for number, text in enumerate(Path(requests).read_text(encoding="utf-8").splitlines()):
        name = json.loads(text)["custom_id"]
        body: Line = {
            "choices": [{"message": {"content": f"Question 1: {number}"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}},
        }
        out.append({"id": f"batch_req_{number}", "custom_id": name, "response": {"status_code": 200, "body": body}})
    out[1]["response"]["body"]["choices"][0]["finish_reason"] = "length"
    out[2]["response"] = {"status_code": 400, "body": {"error": {"message": "maximum context length is 8192 tokens"}}}
    out[3] = {"custom_id": out[3]["custom_id"], "response": None, "error": {"code": "batch_expired", "message": "late"}}
    out[4]["response"]["body"]["choices"][0]["message"] = {"content": None, "refusal": "I will not."}
    done = bring(bench, tmp_path, out)
    assert (done.answers, done.failed, done.missing) == (len(bench.items), 1, ())
    by_id = {request_id(bench, call.item): call for call in imported_calls(tmp_path / "runs")}
    calls = [by_id[line["custom_id"]] for line in out]
    assert (calls[0].text, calls[0].stop) == ("Question 1: 0", "stop")
    assert (calls[0].tokens_in, calls[0].tokens_cached, calls[0].tokens_out) == (10, 4, 3)
    assert [call.stop for call in calls[1:5]] == ["max_tokens", "model_length", "", "content_filter"]
    assert calls[3].error == "late"
    rows = grade_runs(tmp_path / "runs", calls[:5])
    ended = {row.item: row.verdict.status for row in rows}
    assert [ended[call.item] for call in calls[1:5]] == ["truncated", "overflow", "error", "refused"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"text": "a", "answer": "b"}, {"text": "a", "stop": "stop"}),
        ({"completion": "a", "finish_reason": "length"}, {"text": "a", "stop": "max_tokens"}),
        ({"text": "a", "stop": "MAX_TOKENS_REACHED"}, {"stop": "max_tokens"}),
        ({"text": "a", "stop": "model_context_window_exceeded"}, {"stop": "model_length"}),
        ({"text": "a", "stop_reason": "PROHIBITED_CONTENT"}, {"stop": "content_filter"}),
        ({"text": "a", "stop_reason": "end_turn"}, {"stop": "stop"}),
        ({"response": "a", "seconds": 1.5, "cost": 0.01}, {"text": "a", "seconds": 1.5, "cost": 0.01}),
        ({"output": "a", "usage": {"input_tokens": 7, "output_tokens": 2}}, {"tokens_in": 7, "tokens_out": 2}),
        ({"text": "a", "tokens_in": 7, "tokens_cached": 5, "tokens_out": 2}, {"tokens_in": 7, "tokens_cached": 5}),
        ({"filtered_resps": ["a"], "resps": [["b"]]}, {"text": "a"}),
        ({"resps": [["b"]]}, {"text": "b"}),
        ({"choices": [{"text": "a", "finish_reason": "stop"}]}, {"text": "a"}),
        ({"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}]}}]}, {"text": "ab"}),
        ({"choices": []}, {"error": "the service gave no answer"}),
        ({"error": "boom"}, {"error": "boom", "stop": ""}),
        ({"text": "half", "error": "connection reset"}, {"text": "", "stop": "", "error": "connection reset"}),
        ({"text": "half", "error": {"message": "late"}}, {"text": "", "error": "late"}),
        ({"text": "half", "finish_reason": "error"}, {"text": "", "stop": ""}),
        ({"text": "a", "stop": ["###"]}, {"text": "a", "stop": "stop"}),
        ({"text": "a", "stop": True}, {"text": "a", "stop": "stop"}),
        ({"choices": [{"text": "half", "finish_reason": "error"}]}, {"text": "", "stop": ""}),
        ({"choices": [{"text": "half", "finish_reason": "stop"}], "error": "late"}, {"error": "late"}),
        ({"text": "", "error": None}, {"text": "", "stop": "stop"}),
    ],
)
def test_lines_of_many_forms(line: Line, expected: Line) -> None:
    fields = call_fields(line, "answers.jsonl:1")
    assert {name: fields.get(name) for name in expected} == expected


def test_samples_of_lm_eval_name_their_item_in_the_document(bench: Bench, tmp_path: Path) -> None:
    item = next(iter(bench.items.values()))
    line = {"doc_id": 0, "doc": {"id": item.id, "prompt": "…", "sha256": item.sha256}, "resps": [["x"]]}
    assert bring(bench, tmp_path, [line]).answers == 1
    assert imported_calls(tmp_path / "runs")[0].text == "x"


@pytest.mark.parametrize("reason", ["error", "cancelled", "aborted", "timeout", "unknown", "other", "null", "failed"])
@pytest.mark.parametrize("form", ["line", "completion"])
def test_a_reason_that_means_no_end_is_an_error_and_no_answer(reason: str, form: str) -> None:
    line = {"text": "Question 1: half", "finish_reason": reason}
    fields = call_fields(line if form == "line" else {"choices": [line]}, "here")
    assert fields["error"] == f"unfinished answer: the service ended it with the reason '{reason}'"
    assert fields["text"] == ""


def test_a_completion_without_a_reason_counts_if_it_is_whole(bench: Bench, tmp_path: Path, lines: list[Line]) -> None:
    whole = {"id": lines[0]["id"], "choices": [{"text": lines[0]["text"]}]}
    half = {"id": lines[1]["id"], "choices": [{"text": "Question"}]}
    done = bring(bench, tmp_path, [whole, half])
    assert done.failed == 1
    one, other = imported_calls(tmp_path / "runs")
    assert (one.stop, one.error) == ("stop", "")
    assert other.error.startswith("unfinished answer: no finish_reason")


def _import(folder: Path, bench: Path, lines: list[Line], number: int, start: Any) -> None:
    path = write(folder / f"answers-{number}.jsonl", lines)
    start.wait()
    import_answers(Bench.open(bench), [path], "m", folder / "runs")
    import_answers(Bench.open(bench), [path], f"other {number}", folder / "runs")


def test_imports_at_the_same_time_lose_nothing(bench: Bench, tmp_path: Path, lines: list[Line]) -> None:
    context = multiprocessing.get_context("fork")
    start = context.Event()
    parts = [lines[number::6] for number in range(6)]
    running = [
        context.Process(target=_import, args=(tmp_path, bench.folder, part, number, start))
        for number, part in enumerate(parts)
    ]
    for process in running:
        process.start()
    start.set()
    for process in running:
        process.join(60)
        assert process.exitcode == 0
    calls = imported_calls(tmp_path / "runs")
    assert sorted(call.item for call in calls if call.model == "m") == sorted(bench.items)
    assert len(calls) == 2 * len(bench.items)


@pytest.mark.parametrize("spelt", ["m", "m ", " m", "\tm", "m\n"])
def test_white_space_makes_no_other_model(bench: Bench, tmp_path: Path, lines: list[Line], spelt: str) -> None:
    assert bring(bench, tmp_path, lines, spelt).model == "m"
    assert {call.model for call in imported_calls(tmp_path / "runs")} == {"m"}


def test_answers_that_do_not_fit_are_doubted_unless_they_name_their_prompts(
    bench: Bench, tmp_path: Path, lines: list[Line]
) -> None:
    others = [line | {"text": answer(bench, bench.items[line["id"]], right=False)} for line in lines]
    assert "0 of the first" in bring(bench, tmp_path, others).doubt
    (tmp_path / "x").mkdir()
    assert bring(bench, tmp_path / "x", lines).doubt == ""
    proven = [line | {"sha256": bench.items[line["id"]].sha256} for line in others]
    (tmp_path / "y").mkdir()
    assert bring(bench, tmp_path / "y", proven).doubt == ""
    requests = [line | {"id": request_id(bench, line["id"])} for line in others]
    (tmp_path / "z").mkdir()
    assert bring(bench, tmp_path / "z", requests).doubt == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = ("text", "response", "choices", "error", "usage", "resps", "stop", "seconds", "cost", "tokens_in", "doc")


@given(st.dictionaries(st.sampled_from(NAMES), JSON, max_size=5))
def test_no_line_breaks_the_reader(line: Line) -> None:
    try:
        fields = call_fields(line, "here")
    except BadInput:
        return
    Call(model="m", family="needles", bench="b", item="i", **fields)


def test_models_with_like_names_have_files_of_their_own(tmp_path: Path) -> None:
    names = ["a/b", "a-b", "a b", "../b", "…"]
    files = {imported_file(tmp_path, name, "d") for name in names}
    assert len(files) == len(names)
    assert {path.parent for path in files} == {tmp_path / "imported"}
    assert imported_calls(tmp_path) == []


def test_the_command_warns_of_what_is_missing(bench: Bench, tmp_path: Path, lines: list[Line]) -> None:
    path = write(tmp_path / "answers.jsonl", lines[:-1])
    arguments = [str(bench.folder), str(path), "-m", "m", "-o", str(tmp_path / "runs")]
    ran = CliRunner().invoke(results.import_, arguments)
    assert ran.exit_code == 0, ran.output
    assert f"warning: 1 of 24 items have no answer yet: {lines[-1]['id']}" in ran.stderr
    ran = CliRunner().invoke(results.import_, [*arguments, "--json"])
    assert json.loads(ran.stdout)["missing"] == [lines[-1]["id"]]
