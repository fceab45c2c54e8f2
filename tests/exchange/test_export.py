"""Prompts, training data and results for other systems."""

from __future__ import annotations

import hashlib
import json
import runpy
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from bs4 import BeautifulSoup
from click.testing import CliRunner
from tests.doubles.chat_server import ChatServer, Reply
from tests.families.novel.test_novel_export import training  # noqa: F401  (a benchmark that has training data)
from tests.families.stock import released
from tests.present import some
from tests.rows import make_row

import longreach
from longreach.cli import cli, results
from longreach.core.bench import Bench
from longreach.core.formatting import percent
from longreach.core.runs import imported_calls
from longreach.core.types import Row, Verdict
from longreach.errors import BadInput, Missing
from longreach.exchange import export
from longreach.exchange.export import LeakCheck, export_sft, frame_of, sft_lines, write_parquet
from longreach.exchange.importing import import_answers
from longreach.families import get_family
from longreach.families.base import BuildContext, grade_reply
from longreach.families.building import build_bench, make_spec
from longreach.families.showing import assembler_of, item_prompt
from longreach.planning.prefix_tree import tree_of
from longreach.worlds.chronicle import full_name, may_name, write_book


def row(item: str, question: str, value: float | None = 1.0, cost: float | None = 0.5) -> Row:
    verdict = Verdict(status="unparsed" if value is None else "scored", value=value, scores={"tau": 0.5})
    return make_row(
        item=item,
        question=question,
        cell={"length": 1000, "prompt": "standard"},
        realised={"length": 990},
        verdict=verdict,
        tokens_in=1000,
        tokens_cached=10,
        tokens_out=20,
        seconds=2.0,
        cost=cost,
    )


def test_a_request_is_counted_once_however_many_questions_it_asks() -> None:
    rows = [row(item, f"q{number}") for item in ("one", "two") for number in range(30)]
    frame = frame_of(rows)
    assert len(frame) == 60
    assert frame.cost.sum() == 1.0
    assert frame.tokens_in.sum() == 2000
    assert frame.groupby("item").seconds.sum().to_dict() == {"one": 2.0, "two": 2.0}
    assert frame.value.mean() == 1.0
    assert set(frame.length) == {1000}
    assert set(frame.realised_length) == {990}
    assert set(frame.score_tau) == {0.5}


def test_an_unknown_cost_and_an_unread_answer_stay_empty() -> None:
    frame = frame_of([row("one", "q1", value=None, cost=None)])
    assert frame.cost.isna().all()
    assert frame.value.isna().all()
    assert list(frame.status) == ["unparsed"]


def test_means_are_the_accuracies_of_the_page_to_the_digit(bench: Bench, tmp_path: Path) -> None:
    """Answers left empty, refused, cut off, wrong and lost to faults: each counts in the frame as on the page."""
    import pandas as pd

    for model in ("declines,at=1k", "silent,rate=0.4", "refuser,rate=0.5,beyond=900", "capped,tokens=40"):
        longreach.simulate(bench, model, tmp_path / "runs")
    made = longreach.report(tmp_path / "runs", tmp_path / "page.html")
    frame = longreach.frame(tmp_path / "runs")
    page = BeautifulSoup((tmp_path / "page.html").read_text(encoding="utf-8"), "html.parser")
    head = [node.get_text() for node in page.select("#needles-summary-table thead th")]
    shown = {}
    for line in page.select("#needles-summary-table tbody tr"):
        cells = dict(zip(head, (td.get_text(" ", strip=True) for td in line.select("td")), strict=True))
        by = cells["model"], cells["prompt"].replace(" ", "_"), cells["question type"]
        shown[by] = [" ".join(cells[name].split()[:2]) for name in ("delivered", "answered")]
    groups = frame.groupby(["model", "prompt", "question_type"])
    assert len(shown) == len(groups) > 20
    for by, own in groups:
        means = [own[name].mean() for name in ("delivered", "answered")]
        assert shown[by] == ["–" if pd.isna(mean) else percent(mean) for mean in means]
    (part,) = made.contents.families
    whole = {(each.model, each.question_type): each for found in part.findings for each in found.headlines}
    for by, own in frame.groupby(["model", "question_type"]):
        found = whole[by].tally
        assert own.delivered.mean() == some(found.delivered).value
        assert own.answered.count() == found.scored
    assert set(frame.status) >= {"scored", "unparsed", "refused", "truncated"}
    assert (frame.delivered[frame.status != "scored"] < 1).all()
    assert frame.certain.dtype == bool


def test_a_fault_counts_in_neither_accuracy() -> None:
    fault = row("two", "q2").model_copy(update={"verdict": Verdict(status="error", reason="HTTP 500")})
    frame = frame_of([row("one", "q1"), fault, row("three", "q3", value=None)])
    assert (frame.delivered.mean(), frame.answered.mean()) == (0.5, 1.0)


def test_parquet_holds_the_same(tmp_path: Path) -> None:
    import pandas as pd

    rows = [row("one", "q1"), row("one", "q2", value=0.0)]
    write_parquet(rows, tmp_path / "rows.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "rows.parquet"), frame_of(rows), check_dtype=False)


def test_the_verb_names_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(longreach.LongreachError, match="there is no folder of runs"):
        longreach.frame(tmp_path / "none")


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def test_jsonl_has_every_prompt_in_sending_order_and_no_key(bench: Bench, tmp_path: Path) -> None:
    done = longreach.export(bench, "jsonl", tmp_path / "out" / "prompts.jsonl")
    assert done.files == (str(tmp_path / "out" / "prompts.jsonl"),)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["prompts.jsonl"]
    lines = read_lines(Path(done.files[0]))
    assert [line["id"] for line in lines] == [item.id for item in tree_of(bench).items]
    for line in lines:
        item = bench.item(line["id"])
        assert hashlib.sha256(line["prompt"].encode()).hexdigest() == item.sha256 == line["sha256"]
        assert line["max_tokens"] > 0
        assert [set(question) for question in line["questions"]] == [{"id", "text"}] * len(item.questions)
        assert "cell" not in line
    again = longreach.export(bench, "jsonl", tmp_path)  # a folder: the file has its own name
    assert (tmp_path / "prompts.jsonl").read_bytes() == Path(done.files[0]).read_bytes()
    assert again.items == len(bench.items)


def test_keys_only_when_asked_for(bench: Bench, tmp_path: Path) -> None:
    line = read_lines(Path(longreach.export(bench, "jsonl", tmp_path / "k.jsonl", with_keys=True).files[0]))[0]
    question = line["questions"][0]
    assert question["key"]["answer"] == bench.questions[question["id"]].key.answer
    assert line["cell"] == bench.item(line["id"]).cell
    with pytest.raises(BadInput, match="never holds the keys"):
        longreach.export(bench, "openai-batch", tmp_path / "b.jsonl", with_keys=True, model="x")


def test_a_batch_has_the_benchmarks_sampling_and_short_unique_ids(bench: Bench, tmp_path: Path) -> None:
    done = longreach.export(bench, "openai-batch", tmp_path / "b.jsonl", model="gpt-x", max_tokens=99)
    lines = read_lines(Path(done.files[0]))
    assert len({line["custom_id"] for line in lines}) == len(bench.items)
    for line in lines:
        assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
        assert line["custom_id"].startswith(bench.info.digest[:8] + "-")
        assert len(line["custom_id"]) <= 64
        body = line["body"]
        assert (body["model"], body["temperature"], body["max_completion_tokens"]) == ("gpt-x", 0, 99)
        (message,) = body["messages"]
        assert message["content"] == item_prompt(bench, bench.item(line["custom_id"][9:]))
    bare = longreach.export(bench, "openai-batch", tmp_path / "c.jsonl", model="gpt-x", sampling=False)
    assert set(read_lines(Path(bare.files[0]))[0]["body"]) == {"model", "messages"}
    with pytest.raises(BadInput, match="names its model"):
        longreach.export(bench, "openai-batch", tmp_path / "d.jsonl")


def test_a_batch_too_large_for_one_file_is_several(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_BATCH_LINES", 10)
    done = longreach.export(bench, "openai-batch", tmp_path / "b.jsonl", model="x")
    assert [Path(name).name for name in done.files] == ["b-001.jsonl", "b-002.jsonl", "b-003.jsonl"]
    assert [len(read_lines(Path(name))) for name in done.files] == [10, 10, 4]
    monkeypatch.setattr(export, "_BATCH_BYTES", 20_000)
    done = longreach.export(bench, "openai-batch", tmp_path / "c.jsonl", model="x")
    assert all(Path(name).stat().st_size <= 20_000 for name in done.files)
    assert sum(len(read_lines(Path(name))) for name in done.files) == len(bench.items)


def test_only_one_prompt_is_held_at_a_time(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line is on its way to disk before the next prompt is put together."""
    events: list[str] = []
    messages = assembler_of(bench).messages

    class Watched:
        def messages(self, pieces: Any) -> Any:
            events.append("built")
            return messages(pieces)

    write = export._json

    def written(line: dict[str, Any]) -> str:
        events.append("written")
        return write(line)

    monkeypatch.setattr(export, "assembler_of", lambda _: Watched())
    monkeypatch.setattr(export, "_json", written)
    for to in ("jsonl", "openai-batch", "inspect", "lm-eval"):
        events.clear()
        longreach.export(bench, to, tmp_path / to, model="x")
        assert events == ["built", "written"] * len(bench.items)


@pytest.mark.long
def test_plain_inspect_runs_the_task_and_its_answers_come_back(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:

    from inspect_ai import eval as inspect_eval

    done = longreach.export(bench, "inspect", tmp_path / "task")
    assert sorted(Path(name).name for name in done.files) == ["prompts.jsonl", "settings.json", "task.py"]
    task = runpy.run_path(str(tmp_path / "task" / "task.py"))["prompts"]()
    assert task.config.temperature == 0
    assert {sample.id: sample.input for sample in task.dataset} == {
        item.id: item_prompt(bench, item) for item in bench.items.values()
    }
    with ChatServer(lambda _: Reply("Question 1: here", finish="length")) as server:
        inspect_eval(
            task,
            model="openai-api/local/double",
            model_base_url=server.base_url,
            log_dir=str(tmp_path / "logs"),
            display="none",
            limit=2,
        )
    monkeypatch.setattr(sys, "argv", ["task.py", str(tmp_path / "logs")])
    capsys.readouterr()
    runpy.run_path(str(tmp_path / "task" / "task.py"), run_name="__main__")
    (tmp_path / "answers.jsonl").write_text(capsys.readouterr().out, encoding="utf-8")
    back = import_answers(bench, [tmp_path / "answers.jsonl"], "mock", tmp_path / "runs")
    assert (back.answers, back.failed, len(back.missing)) == (2, 0, len(bench.items) - 2)
    call = imported_calls(tmp_path / "runs")[0]
    assert (call.text, call.stop, call.tokens_in, call.tokens_out) == ("Question 1: here", "max_tokens", 100, 5)


def lm_eval_task(path: Path) -> Any:
    """A task's settings; a function is its name, as in `grading.grade`."""

    class Loader(yaml.SafeLoader):
        """Reads lm-eval's tag for functions."""

    Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))  # type: ignore[arg-type]
    return yaml.load(path.read_text(encoding="utf-8"), Loader)


def test_lm_eval_gets_a_task_with_room_to_think_and_our_grading(bench: Bench, tmp_path: Path) -> None:
    done = longreach.export(bench, "lm-eval", tmp_path / "lm")
    (path,) = [Path(name) for name in done.files if name.endswith(".yaml")]
    task = lm_eval_task(path)
    assert task["generation_kwargs"]["max_gen_toks"] > 16_384
    capped = longreach.export(bench, "lm-eval", tmp_path / "capped", max_tokens=500)
    (own,) = [Path(name) for name in capped.files if name.endswith(".yaml")]
    assert lm_eval_task(own)["generation_kwargs"]["max_gen_toks"] == 500
    assert task["task"] == path.stem == f"longreach_needles_{bench.info.digest[:8]}"
    assert task["output_type"] == "generate_until"
    assert task["generation_kwargs"]["until"] == []  # a blank line must not end an answer
    assert task["generation_kwargs"]["do_sample"] is False
    assert task["process_results"] == "grading.grade"
    assert task["metric_list"] == [{"metric": "longreach", "aggregation": "grading.accuracy", "higher_is_better": True}]
    grading = runpy.run_path(str(path.with_name("grading.py")))
    family, items = get_family("needles"), list(bench.items.values())
    replies = [
        family.sample_answer([bench.questions[one] for one in item.questions], right=number % 3 > 0)
        for number, item in enumerate(items)
    ]
    graded = [
        grading["grade"]({"id": item.id}, [reply])["longreach"] for item, reply in zip(items, replies, strict=True)
    ]
    verdicts = [
        one for item, reply in zip(items, replies, strict=True) for one in grade_reply(family, bench, item, reply)
    ]
    ours = sum(verdict.value or 0 for verdict in verdicts) / len(verdicts)
    assert grading["accuracy"](graded) == pytest.approx(ours)
    assert 0.2 < ours < 0.9
    lines = read_lines(Path(task["dataset_kwargs"]["data_files"]["test"]))
    assert len(lines) == len(bench.items)
    assert set(lines[0]) == {"id", "prompt", "sha256"}
    assert task["doc_to_text"] in lines[0]


def test_a_system_message_and_the_cap_of_a_published_benchmark_go_out_with_its_prompts(tmp_path: Path) -> None:
    files, kinds = {"nolima": released.nolima(tmp_path / "n"), "ruler": released.ruler(tmp_path / "r")}, {}
    for name, path in files.items():
        bins: dict[str, Any] = {"bins": "250", "limit": 3} if name == "nolima" else {}
        made = longreach.build("stock", tmp_path / f"{name}-bench", benchmark=name, docs=[str(path)], **bins)
        done = longreach.export(made, "lm-eval", tmp_path / f"{name}-lm")
        task = lm_eval_task(next(Path(file) for file in done.files if file.endswith(".yaml")))
        kinds[name] = (task["doc_to_text"], task["generation_kwargs"]["max_gen_toks"])
        batch = longreach.export(made, "openai-batch", tmp_path / f"{name}.jsonl", model="m")
        body = read_lines(Path(batch.files[0]))[0]["body"]
        assert [message["role"] for message in body["messages"]] == (["system"] if name == "nolima" else []) + ["user"]
        assert "system_message" not in body
        assert body["max_completion_tokens"] == kinds[name][1]
    # The beginning of an answer makes no conversation.
    assert kinds == {"nolima": ("messages", 192), "ruler": ("prompt", 128)}


def test_a_dataset_folder(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyarrow import parquet

    monkeypatch.setattr(export, "_ROW_GROUP", 30_000)
    longreach.export(bench, "hf", tmp_path / "hf", with_keys=True)
    file = parquet.ParquetFile(tmp_path / "hf" / "test.parquet")
    assert file.num_row_groups > 1
    rows = file.read().to_pylist()
    assert {row["id"]: row["prompt"] for row in rows} == {
        item.id: item_prompt(bench, item) for item in bench.items.values()
    }
    assert json.loads(rows[0]["cell"]) == bench.item(rows[0]["id"]).cell
    card = yaml.safe_load((tmp_path / "hf" / "README.md").read_text(encoding="utf-8").split("---")[1])
    assert card["configs"][0]["data_files"] == [{"split": "test", "path": "test.parquet"}]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(Missing, match=r"pip install datasets"):
        longreach.export(bench, "hf", tmp_path / "hf2")


def test_training_data_of_two_families(training: Bench, bench: Bench, tmp_path: Path) -> None:  # noqa: F811
    done = longreach.export(training, "sft", tmp_path / "sft")
    assert any(name.endswith("dataset_info.json") for name in done.files)
    lines = [
        line for path in (tmp_path / "sft").glob("*.jsonl") for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert 0 < done.items == len(lines) <= done.of == len(training.items)
    assert longreach.export(bench, "sft", tmp_path / "needles").items == len(bench.items)


@pytest.mark.parametrize(
    ("to", "name"), [("jsonl", "mine-jsonl.jsonl"), ("inspect", "mine-inspect"), ("lm-eval", "mine-lm-eval")]
)
def test_without_a_place_it_lies_beside_the_benchmark(bench: Bench, tmp_path: Path, to: str, name: str) -> None:
    shutil.copytree(bench.folder, tmp_path / "mine")
    done = CliRunner().invoke(cli, ["export", str(tmp_path / "mine"), "--to", to])
    assert done.exit_code == 0, done.output
    assert {path.name for path in tmp_path.iterdir()} == {"mine", name}
    assert f"{len(bench.items)} items of {tmp_path / 'mine'} as {to}" in done.output


def test_what_cannot_be_written_or_is_not_known(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Did you mean 'jsonl'"):
        longreach.export(bench, "jsnl", tmp_path / "x")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BadInput, match="is a file; choose a folder"):
        longreach.export(bench, "inspect", tmp_path / "file")
    with pytest.raises(BadInput, match="cannot write to"):
        longreach.export(bench, "jsonl", tmp_path / "file" / "x.jsonl")
    assert (tmp_path / "file").read_text() == "mine"


def test_an_export_that_breaks_leaves_nothing(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export, "_json", broken)
    with pytest.raises(OSError, match="No space"):
        longreach.export(bench, "jsonl", tmp_path / "out" / "p.jsonl")
    assert list((tmp_path / "out").iterdir()) == []


def test_the_command(bench: Bench, tmp_path: Path) -> None:
    ran = CliRunner().invoke(
        results.export, [str(bench.folder), "--to", "jsonl", "-o", str(tmp_path / "p.jsonl"), "--json"]
    )
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["items"] == len(bench.items)
    assert export.FORMATS == results._FORMATS


def _built(folder: Path, family: str, **settings: Any) -> Bench:
    return build_bench(make_spec(family, settings), folder, BuildContext(warn=lambda _: None))


def _needles(folder: Path, seed: int, split: str) -> Bench:
    docs = (f"chronicle:{seed}/en/4k/{split}",)
    return _built(folder, "needles", docs=docs, lengths="600", depths="50", ask="each", facts=4, split=split, seed=seed)


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Bench]:
    folder = tmp_path_factory.mktemp("splits")
    stories = {"unit": 128, "sizes": "S", "per_class": 4, "books": 4, "train_share": 0.5}
    return {
        "learn": _needles(folder / "learn", 1, "train"),
        "test": _needles(folder / "test", 2, "test"),
        "stories": _built(folder / "stories", "novel", split="train", **stories),
        "story tests": _built(folder / "story-tests", "novel", split="test", **stories),
    }


@pytest.mark.parametrize("name", ["learn", "stories"])
def test_the_answers_to_learn_are_right(benches: dict[str, Bench], name: str) -> None:
    bench = benches[name]
    family = get_family(bench.info.family)
    whole = [line for line in sft_lines(bench) if "+" not in line["id"]]
    assert len(whole) == len(bench.items)
    for line in whole:
        graded = grade_reply(family, bench, bench.items[line["id"]], line["messages"][1]["content"])
        assert [verdict.value for verdict in graded] == [1]


def test_what_is_not_in_the_text_is_learned_as_that(benches: dict[str, Bench]) -> None:
    bench = benches["learn"]
    absent = [item.id for item in bench.items.values() if bench.questions[item.questions[0]].key.kind == "absent"]
    answers = {line["id"]: line["messages"][1]["content"] for line in sft_lines(bench)}
    assert absent
    assert all("Not mentioned" in answers[name] for name in absent)


def test_a_short_story_teaches_single_claims(benches: dict[str, Bench]) -> None:
    single = [line for line in sft_lines(benches["stories"]) if "+" in line["id"]]
    verdicts = [json.loads(line["messages"][1]["content"])["verdict"] for line in single]
    assert verdicts.count("faithful") == verdicts.count("hallucinated") == 4
    assert {line["stage"] for line in single} == {"256"}


def test_splits_share_no_text_name_or_fact(benches: dict[str, Bench], tmp_path: Path) -> None:
    tests = [benches["test"], benches["story tests"]]
    for name in ("learn", "stories"):
        _, count = export_sft(benches[name], tmp_path / name, apart_from=tests)
        assert count == len(list(sft_lines(benches[name])))


@pytest.mark.parametrize("kind", ["name", "fact", "text"])
def test_a_planted_leak_is_found(benches: dict[str, Bench], kind: str) -> None:
    test = benches["test"]
    fact = next(text.text for text in test.planted.values()).strip()
    planted = {
        "name": f"Nobody but {test.build['names'][0]} came.",
        "fact": f"It was a fine day. {fact} Then it rained.",
        "text": test.corpus.read(0, 3000),
    }[kind]
    line = next(sft_lines(benches["learn"]))
    check = LeakCheck([test])
    check.look(line["id"], line["messages"])
    assert not check.found
    line["messages"][0]["content"] += f"\n{planted}\n"
    check.look(line["id"], line["messages"])
    assert any(f": {kind} '" in leak for leak in check.found)


def test_a_leak_stops_the_export(benches: dict[str, Bench], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="shares what a test asks about"):
        export_sft(benches["learn"], tmp_path / "sft", apart_from=[benches["learn"]])
    assert not list((tmp_path / "sft").iterdir())


def test_tests_are_never_learned_from(benches: dict[str, Bench]) -> None:
    assert {line["split"] for line in sft_lines(benches["test"])} == {"test"}
    with pytest.raises(BadInput, match="is for testing"):
        list(sft_lines(benches["test"], "train"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_worlds_of_two_splits_have_no_name_in_common(language: Any) -> None:
    names = {}
    for split in ("train", "test"):
        book = write_book(3, language=language, units=1, unit_tokens=128, names=split)
        names[split] = {full_name(book, person) for person in book.world.people if person.stage}
        assert all(map(may_name, names[split]))
    assert not names["train"] & names["test"]
    assert not may_name("Nobody Atall")
