"""Files in each released format become a benchmark: bins, choice of rows, what is recorded, and what bad files get."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.command_line import call
from tests.families.stock import released
from tests.present import some

import longreach
from longreach.core.bench import Bench
from longreach.core.types import Question, Turn
from longreach.errors import BadInput
from longreach.families import get_family
from longreach.families.base import prompt_parts
from longreach.families.showing import assembler_of, item_prompt
from longreach.families.stock import benchmark, sources
from longreach.families.stock.benchmark import benchmarks, bin_of, grade
from longreach.families.stock.build import RowCandidate, choose
from longreach.models.tokenizers import get_tokenizer
from longreach.planning.prefix_tree import tree_of

MAKERS: dict[str, Callable[[Path], Path]] = {
    "mrcr": lambda folder: released.mrcr(folder / "2needle.parquet"),
    "graphwalks": lambda folder: released.graphwalks(folder / "graphwalks.parquet"),
    "longbench-v2": lambda folder: released.longbench(folder / "data.json"),
    "oolong": lambda folder: released.oolong(folder / "test.parquet"),
    "oolong-real": lambda folder: released.oolong_real(folder / "real.parquet"),
    "infinitebench": lambda folder: released.infinitebench(folder / "infinite"),
    "helmet-recall": lambda folder: released.helmet_recall(folder / "test_k1800_dep6.jsonl"),
    "helmet-rag": lambda folder: released.helmet_rag(folder / "nq-dev-multikilt_1000_k20_dep6.jsonl"),
    "babilong": lambda folder: released.babilong(folder / "data"),
    "ruler": lambda folder: released.ruler(folder / "ruler"),
    "nolima": lambda folder: released.nolima(folder / "nolima"),
    "jsonl": lambda folder: released.own(folder / "own.jsonl"),
}


def sample_answer(question: Question, *, right: bool) -> str:
    return benchmarks()[question.key.details["benchmark"]].sample(question, right)


def built(name: str, folder: Path, **settings: Any) -> Bench:
    given: dict[str, Any] = {"bins": "250,500", "limit": 12} if name == "nolima" else {}
    return longreach.build(
        "stock", folder / "b", benchmark=name, docs=[str(MAKERS[name](folder))], **(given | settings)
    )


@pytest.mark.parametrize("name", MAKERS)
def test_each_format_is_read_asked_and_graded(name: str, tmp_path: Path) -> None:
    bench = built(name, tmp_path)
    assert longreach.check(tmp_path / "b") == []
    for item in bench.items.values():
        (question,) = (bench.questions[each] for each in item.questions)
        assert question.text in item_prompt(bench, item)
        assert grade(question, sample_answer(question, right=True)).value == 1
        wrong = some(grade(question, sample_answer(question, right=False)).value)
        assert wrong < 0.5
    files = bench.build["data"]["files"]
    for file, digest in files.items():
        path = next(path for path in tmp_path.rglob(Path(file).name) if str(path).endswith(file))
        assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
    assert files


def test_mrcr_is_sent_as_the_conversation_it_is_and_binned_as_published(tmp_path: Path) -> None:
    bench = built("mrcr", tmp_path)
    rows = pq.read_table(tmp_path / "2needle.parquet").to_pylist()
    count = get_tokenizer("o200k_base").count
    for item, row in zip(bench.items.values(), rows, strict=True):
        cell: dict[str, Any] = {**item.cell}
        messages = json.loads(row["prompt"])
        sent = assembler_of(bench).messages(item.context.pieces)
        assert [(each.role, each.text.decode()) for each in sent] == [(m["role"], m["content"]) for m in messages]
        tokens = sum(count(message["content"]) for message in messages)
        low, high = cell["length"] / 2, cell["length"]
        assert low < tokens + count(row["answer"]) <= high
        assert item.realised["length"] == item.tokens == tokens
        assert item.cell["task"] == f"{row['n_needles']} needles"
        key = bench.questions[item.questions[0]].key
        assert len(key.rivals) == row["n_needles"] - 1
        assert key.answer.removeprefix(row["random_string_to_prepend"]) not in key.rivals
        assert abs(cell["depth"] - 100 * row["desired_msg_index"] / len(messages)) <= 5


@pytest.mark.parametrize(("tokens", "upper"), [(4096, 4096), (4097, 8192), (8192, 8192), (8193, 16384), (1, 1)])
def test_bins_are_open_below_and_closed_above(tokens: int, upper: int) -> None:
    assert bin_of(tokens) == upper


def test_rows_with_the_known_faults_of_old_revisions_are_counted(tmp_path: Path) -> None:
    random = Random(2)
    wrong, many = released.mrcr_row(random), released.mrcr_row(random, needles=3)
    wrong["answer"] = wrong["random_string_to_prepend"] + "No poem of this conversation."
    many["n_needles"] = 2
    path = released.parquet(tmp_path / "old.parquet", [released.mrcr_row(random), wrong, many])
    with pytest.warns(UserWarning, match="1 of 3 rows have") as warned:
        bench = longreach.build("stock", tmp_path / "b", benchmark="mrcr", docs=[str(path)])
    faults = bench.build["data"]["row_faults"]
    assert sorted(faults.values()) == [1, 1]
    assert sum("rows have" in str(each.message) for each in warned) == 2
    assert bench.build["data"]["added"] == ["2025-12-05"]


def test_questions_of_one_window_share_it_and_go_together(tmp_path: Path) -> None:
    bench = built("oolong", tmp_path)
    assert len(bench.corpus.info.documents) == 4
    order = [item.context.sha256 for item in tree_of(bench).items]
    assert sum(one != other for one, other in pairwise(order)) == 3
    plan = longreach.plan(bench, "openai/gpt-4o").models[0]
    assert plan.prefill_tokens < 0.4 * plan.input_tokens


def test_longbench_asks_without_the_document_too_unless_told_not_to(tmp_path: Path) -> None:
    bench = built("longbench-v2", tmp_path)
    kinds = Counter(question.question_type for question in bench.questions.values())
    assert kinds == {"longbench-v2": 6, "no_context": 6}
    for item in bench.items.values():
        assert ("kept the lamp." in item_prompt(bench, item)) == ("length" in item.cell)
    (tmp_path / "other").mkdir()
    assert len(built("longbench-v2", tmp_path / "other", control=False).items) == 6


def test_oolong_sends_the_text_as_the_system_message_as_published(tmp_path: Path) -> None:
    bench = built("oolong", tmp_path)
    item = next(iter(bench.items.values()))
    system, user = assembler_of(bench).messages(prompt_parts(get_family("stock"), bench, item))
    assert (system.role, user.role) == ("system", "user")
    assert system.text.decode().startswith("You are a helpful assistant.\n")
    assert user.text.decode() == bench.questions[item.questions[0]].text


def test_a_needle_sets_own_system_prompt_is_sent(tmp_path: Path) -> None:
    assert built("nolima", tmp_path).spec["sampling"]["system_message"] == "You are a helpful assistant"
    sets = tmp_path / "nolima" / "needle_set.json"
    needles = [each | {"system_prompt": "You keep a library."} for each in json.loads(sets.read_text())]
    sets.write_text(json.dumps(needles))
    bench = longreach.build("stock", tmp_path / "own", benchmark="nolima", docs=[str(sets.parent)], bins="250", limit=3)
    assert bench.spec["sampling"] == {
        "temperature": 0.0,
        "top_p": 1.0,
        "frequency_penalty": None,
        "presence_penalty": None,
        "max_tokens": 192,
        "system_message": "You keep a library.",
    }
    needles[0]["system_prompt"] = "You keep a zoo."
    sets.write_text(json.dumps(needles))
    with pytest.raises(BadInput, match="2 different system prompts"):
        longreach.build("stock", tmp_path / "two", benchmark="nolima", docs=[str(sets.parent)], bins="250", limit=3)


def test_settings_are_those_of_the_published_runs_unless_given(tmp_path: Path) -> None:
    published = built("longbench-v2", tmp_path).spec["sampling"]
    assert (published["temperature"], published["max_tokens"]) == (0.1, 128)
    (tmp_path / "own").mkdir()
    given = built("longbench-v2", tmp_path / "own", sampling={"temperature": 0.7}).spec["sampling"]
    assert given["temperature"] == 0.7
    assert "max_tokens" not in given


def test_the_middle_is_cut_out_of_long_prompts_where_asked(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="6 of 6 rows have their middle cut out to fit"):
        bench = built("longbench-v2", tmp_path, cut=150, control=False)
    count = get_tokenizer("o200k_base").count
    rows = json.loads((tmp_path / "data.json").read_text())
    for item, row in zip(bench.items.values(), rows, strict=True):
        prompt = item_prompt(bench, item)
        assert 140 <= count(prompt) <= 153
        assert prompt.startswith("Please read the following text and answer the question below.\n\n<text>\n")
        text = prompt.split("<text>\n")[1].split("\n</text>")[0]
        size = next(n for n in range(len(text)) if row["context"][: n + 1] not in text)
        assert row["context"].endswith(text[size:])
    assert bench.build["data"]["row_faults"] == {"their middle cut out to fit": 6}


def test_an_older_scorer_can_be_chosen(tmp_path: Path) -> None:
    bench = built("graphwalks", tmp_path, scorer="2025")
    assert "da70b39" in bench.build["data"]["scorer"]
    (tmp_path / "wrong").mkdir()
    with pytest.raises(BadInput, match="scorer: graphwalks has no scorer '2024'"):
        built("graphwalks", tmp_path / "wrong", scorer="2024")


def test_a_benchmark_takes_at_most_80_lines() -> None:
    files = sorted(Path(benchmark.__file__).with_name("benchmarks").glob("*.py"))
    sizes = {file.name: len(file.read_text().splitlines()) for file in files}
    assert max(sizes.values()) <= 80, sizes
    assert {file.stem.replace("_", "-") for file in files} - {"--init--"} == set(benchmarks())


def test_ruler_and_babilong_take_task_and_length_from_file_and_row(tmp_path: Path) -> None:
    bench = built("ruler", tmp_path)
    assert {(item.cell["task"], item.cell["length"]) for item in bench.items.values()} == {
        ("niah_single_1", 1024),
        ("qa_1", 1024),
    }
    assert all(item_prompt(bench, item).endswith(" The number for lamp is") for item in bench.items.values())
    (tmp_path / "other").mkdir()
    other = built("babilong", tmp_path / "other")
    assert {(item.cell["task"], item.cell["length"]) for item in other.items.values()} == {
        (task, length) for task in ("qa1", "qa7") for length in (1000, 2000)
    }


def test_nolima_puts_the_needle_at_its_depth_in_so_many_tokens_of_the_book(tmp_path: Path) -> None:
    bench = built("nolima", tmp_path, limit=40)
    count = bench.corpus.info.tokenizer
    assert count == "o200k_base"
    for item in bench.items.values():
        (fact,), cell = bench.evidence(item), dict[str, Any](item.cell)
        text = assembler_of(bench).text(item.context.pieces).decode()
        assert text.encode()[fact.start : fact.end].decode() == fact.text
        book = get_tokenizer(count).count(text.replace(f" {fact.text}\n", "\n"))
        assert abs(book - cell["length"]) <= 3 + 0.01 * cell["length"]
        # As published, the text between the last line break before the place and the place itself is left out.
        assert abs(float(item.realised["depth"]) - cell["depth"]) <= 8
        question = bench.questions[item.questions[0]]
        assert question.key.answer in fact.text
        assert not any(rival in item_prompt(bench, item) for rival in question.key.rivals)
    own = [prompt for prompt in bench.prompts.values() if prompt.text.startswith("Here is a book:")]
    assert len(own) == 1
    assert set(bench.prompts) == {"nolima", own[0].id}


def test_a_users_own_file_names_its_scores(tmp_path: Path) -> None:
    bench = built("jsonl", tmp_path)
    scores = [question.key.details["scorer"] for question in bench.questions.values()]
    assert sorted(scores) == sorted(["exact", "contains", "number", "letter", "letter", "f1", "ratio", "number"])
    talk = next(item for item in bench.items.values() if any(isinstance(each, Turn) for each in item.context.pieces))
    assert [each.role for each in assembler_of(bench).messages(talk.context.pieces)] == ["user", "assistant", "user"]
    assert bench.items["one"].cell["task"] == "colours"
    assert 64 in {item.cell["length"] for item in bench.items.values()}
    assert len({item.context.sha256 for item in bench.items.values()}) == 5


# Choice of rows.


def candidates(lengths: int, tasks: int, windows: int, questions: int) -> list[RowCandidate]:
    return [
        RowCandidate(
            0, 1000 * length + 100 * window + number, 1024 << length, f"t{number % tasks}", f"{length} {window}"
        )
        for length in range(lengths)
        for window in range(windows)
        for number in range(questions)
    ]


@pytest.mark.parametrize("limit", [12, 40, 60])
def test_a_limit_is_drawn_evenly_over_lengths_and_tasks(limit: int) -> None:
    found = candidates(lengths=4, tasks=3, windows=30, questions=1)
    found = [each._replace(task=f"t{number % 3}") for number, each in enumerate(found)]
    chosen = choose(found, limit, seed=1)
    assert len(chosen) == len(set(chosen)) == limit
    for key in ("length", "task"):
        counts = Counter(getattr(each, key) for each in chosen)
        assert max(counts.values()) - min(counts.values()) <= len(counts)
    assert chosen == choose(found, limit, seed=1) != choose(found, limit, seed=2)


def test_rows_that_share_a_context_are_drawn_together_from_five_contexts_per_length() -> None:
    chosen = choose(candidates(lengths=2, tasks=5, windows=20, questions=20), 100, seed=3)
    assert len(chosen) == 100
    per_length = {length: Counter(each.group for each in chosen if each.length == length) for length in (1024, 2048)}
    for groups in per_length.values():
        assert len(groups) == 5
        assert set(groups.values()) == {10}
    # Where there are fewer contexts, the limit is reached all the same.
    assert len(choose(candidates(lengths=2, tasks=5, windows=1, questions=20), 30, seed=3)) == 30


def test_only_the_bins_asked_for_and_only_their_rows_are_copied(tmp_path: Path) -> None:
    path = released.graphwalks(tmp_path / "g.parquet", rows=40, edges=(20, 60, 120))
    whole = longreach.build("stock", tmp_path / "whole", benchmark="graphwalks", docs=[str(path)])
    bins = sorted({int(item.cell["length"]) for item in whole.items.values()})
    shown = f"{bins[0] / 1024:g}k" if bins[0] >= 1024 else str(bins[0])
    part = longreach.build("stock", tmp_path / "part", benchmark="graphwalks", docs=[str(path)], bins=shown, limit=4)
    assert {item.cell["length"] for item in part.items.values()} == {bins[0]}
    assert len(part.items) == 4
    assert len(part.corpus.text) < len(whole.corpus.text) / 4
    assert part.build["data"] | {"rows_used": 4, "rows": 40} == part.build["data"]
    assert part.build["data"]["files"] == whole.build["data"]["files"]
    with pytest.raises(BadInput, match=r"bins: no row is in bin 7; the files have"):
        longreach.build("stock", tmp_path / "none", benchmark="graphwalks", docs=[str(path)], bins="7")


def test_datasets_of_the_hub_are_read_like_files(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    path = released.graphwalks(folder / "train.parquet")
    hub = longreach.build("stock", tmp_path / "hub", benchmark="graphwalks", docs=[f"hf:{folder}"])
    files = longreach.build("stock", tmp_path / "files", benchmark="graphwalks", docs=[str(path)])
    assert [item.sha256 for item in hub.items.values()] == [item.sha256 for item in files.items.values()]
    ((name, digest),) = hub.build["data"]["files"].items()
    assert name == f"hf:{folder}"
    assert len(digest) == 64


# Files that are larger than memory.

_MEASURE = """
import sys
import longreach
bench = longreach.build("stock", sys.argv[2], benchmark="graphwalks", docs=[sys.argv[1]], warn=print)
(peak,) = (line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(len(bench.items), int(peak) // 1024)
"""


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak from /proc")
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """A file of three times the size, all of whose rows are copied, takes no more memory."""
    prose, peaks = released.prose(Random(4), 70_000), list[int]()
    for rows in (24, 72):
        made = [
            {
                "prompt": f"{row} {prose}\nOperation:\nFind it.",
                "answer_nodes": ["a"],
                "prompt_chars": 1,
                "problem_type": "bfs",
            }
            for row in range(rows)
        ]
        path = released.parquet(tmp_path / f"{rows}.parquet", made, group=8)
        done = subprocess.run(
            [sys.executable, "-c", _MEASURE, path, tmp_path / f"b{rows}"], capture_output=True, text=True, check=True
        )
        items, peak = map(int, done.stdout.split())
        assert items == rows
        peaks.append(peak)
    assert (tmp_path / "b72" / "corpus.txt").stat().st_size > 28 * 2**20
    assert peaks[1] - peaks[0] < 15, peaks
    assert peaks[1] < 500


def test_a_json_array_is_read_object_by_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = released.longbench(tmp_path / "data.json", rows=20)
    whole = json.loads(path.read_text())
    for chunk in (7, 64, 1000, 1 << 20):
        monkeypatch.setattr(sources, "_CHUNK", chunk)
        source = sources.ReleasedSource("data.json", str(path), "hub", ())
        assert [row.values for row in source.rows()] == whole
        assert [row.number for row in source.rows({3, 5})] == [3, 5]


# Bad files: one line that names file, row or column, and remedy; exit code 2.


def _renamed(path: Path) -> None:
    table = pq.read_table(path)
    pq.write_table(table.rename_columns(["promt" if name == "prompt" else name for name in table.column_names]), path)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-60])


def _torn(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4:400] = bytes(396)
    path.write_bytes(data)


def _last_row(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        change(rows[-1])
        released.jsonl(path, rows)

    return spoil


@pytest.mark.parametrize(
    ("name", "spoil", "said"),
    [
        ("mrcr", _renamed, ["2needle.parquet: row 1: no column 'prompt'", "Did you mean 'promt'?", "openai/mrcr"]),
        ("graphwalks", _renamed, ["row 1: no column 'prompt'", "answer_nodes, prompt_chars", "openai/graphwalks"]),
        ("mrcr", _cut, ["2needle.parquet: no whole parquet file", "bytes); download it again"]),
        ("mrcr", _torn, ["2needle.parquet: no whole parquet file", "download it again"]),
        ("longbench-v2", _cut, ["data.json: row 6 is no JSON", "download it again"]),
        ("jsonl", _cut, ["own.jsonl: row 8 is no JSON", "download it again"]),
        (
            "jsonl",
            _last_row(lambda row: row.pop("answer")),
            ["own.jsonl: row 8: no column 'answer'", "it has messages"],
        ),
        ("jsonl", _last_row(lambda row: row.update(score="best")), ["row 8: unknown score 'best'", "exact, contains"]),
        ("jsonl", _last_row(lambda row: row.update(messages="hello")), ["row 8: column 'messages' holds no JSON list"]),
        ("jsonl", _last_row(lambda row: row.update(choices=["a"])), ["row 8: the answer '41' is none of the choices"]),
        ("jsonl", _last_row(lambda row: row.update(length=-3)), ["row 8: column 'length' is -3, not a number above 0"]),
        (
            "jsonl",
            _last_row(lambda row: row.update(length=float("nan"))),
            ["row 8: column 'length' is nan, not a number"],
        ),
        ("jsonl", _last_row(lambda row: row.update(answer=[])), ["row 8: column 'answer' is an empty list"]),
        ("jsonl", _last_row(lambda row: row.update(answer=None)), ["row 8: column 'answer' is empty"]),
        ("jsonl", lambda path: path.write_text("[1, 2]"), ["own.jsonl: row 1 is 1, not an object"]),
        ("jsonl", lambda path: path.write_bytes(b'{"a": "\xff"}'), ["own.jsonl: ", "UTF-8"]),
        ("jsonl", lambda path: path.write_text(""), ["own.jsonl: no rows"]),
        ("jsonl", lambda path: path.unlink(), ["there is no file", "own.jsonl"]),
    ],
)
def test_bad_files_are_named_with_row_and_remedy(
    name: str, spoil: Callable[[Path], None], said: list[str], tmp_path: Path
) -> None:
    path = MAKERS[name](tmp_path)
    spoil(path)
    found = call(["build", "stock", name, str(path), "-o", str(tmp_path / "b")])
    assert found.code == 2
    assert found.err.count("\n") == 1
    for part in said:
        assert part in found.err
    assert not (tmp_path / "b").exists()


def test_the_field_names_of_an_older_revision_are_read(tmp_path: Path) -> None:
    path = MAKERS["graphwalks"](tmp_path)
    table = pq.read_table(path)
    pq.write_table(
        table.rename_columns(["answer" if name == "answer_nodes" else name for name in table.column_names]), path
    )
    assert len(longreach.build("stock", tmp_path / "b", benchmark="graphwalks", docs=[str(path)]).items) == 12


def test_a_spec_file_says_the_same_as_words(tmp_path: Path) -> None:
    path = MAKERS["graphwalks"](tmp_path)
    (tmp_path / "spec.yaml").write_text(f"family: stock\nbenchmark: graphwalks\ndocs: ['{path}']\nlimit: 6\n")
    one = call(["build", "stock", str(tmp_path / "spec.yaml"), "-o", str(tmp_path / "one"), "--json"])
    other = call(["build", "stock", "graphwalks", str(path), "--limit", "6", "-o", str(tmp_path / "other"), "--json"])
    assert json.loads(one.out)["digest"] == json.loads(other.out)["digest"]


# Whatever a row or a reply holds, it is read or refused.

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize("name", [name for name, made in benchmarks().items() if made.read])
@given(data=st.data())
def test_a_row_of_anything_is_read_or_refused_in_one_line(name: str, data: st.DataObject) -> None:
    columns = benchmarks()[name].columns
    plain = dict.fromkeys(columns, "[1]") | {"length": 8, "context_len": 8, "n_needles": 2}
    values = plain | data.draw(st.dictionaries(st.sampled_from(columns), _JSON))
    row = sources.RawRow("data/qa1/4k.json", 1, values, list(values), "hub")
    said = "data/qa1/4k.json: row 1: read"
    try:
        some(benchmarks()[name].read)(row)
    except BadInput as error:
        said = str(error)
    assert "\n" not in said
    assert said.startswith("data/qa1/4k.json: row 1: ")


@pytest.mark.parametrize("name", MAKERS)
@given(
    reply=st.text(max_size=60)
    | st.sampled_from(["Answer: 99999999999999999999", "Final Answer: [", "(", "Date: 0-0-0"])
)
def test_a_reply_of_anything_is_graded(name: str, reply: str, questions: dict[str, list[Question]]) -> None:
    for question in questions[name]:
        verdict = grade(question, reply)
        assert verdict.value is None or 0 <= verdict.value <= 1
        assert all(0 <= score <= 1 for score in verdict.scores.values())


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Question]]:
    return {name: list(built(name, tmp_path_factory.mktemp(name)).questions.values())[:4] for name in MAKERS}
