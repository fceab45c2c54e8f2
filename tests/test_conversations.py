"""A context that is a conversation: from the recipe to the messages that a model receives, and back."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Sequence
from itertools import pairwise, takewhile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from inspect_ai.model import ChatMessageUser, ContentText
from tests.command_line import longreach
from tests.doubles.chat_server import ChatServer, Reply
from tests.families.needles.built import Built, haystack

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.core.runs import imported_calls
from longreach.core.types import Insert, Item, Turn
from longreach.exchange.export import chat_messages, sft_lines
from longreach.exchange.importing import import_answers
from longreach.families import get_family
from longreach.families.base import prompt_parts
from longreach.families.building import check_bench
from longreach.families.showing import assembler_of, item_prompt
from longreach.models.engine import engine_for
from longreach.models.tokenizers import get_tokenizer
from longreach.planning.prefix_tree import PrefixTree, tree_of
from longreach.runner.deferred_prompt import branch_points, prompt_source, reference, with_texts
from longreach.runner.logs import collect_calls
from longreach.runner.model_client import Prompts

MODEL = "openai-api/local/double"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("talk") / "bench"
    return verbs.build("needles", folder, lengths="1k,2k", depths="10,60", seed=3, facts=4, turns=True)


def messages(bench: Bench, item: Item) -> list[dict[str, str]]:
    return chat_messages(assembler_of(bench), prompt_parts(get_family(bench.info.family), bench, item))


def alternate(roles: Sequence[str]) -> bool:
    return roles[0] == roles[-1] == "user" and all(one != other for one, other in pairwise(roles))


@pytest.mark.parametrize("layout", ["paragraph", "comb"])
def test_needles_in_turns_are_the_same_facts_in_a_conversation_of_exact_length(layout: str) -> None:
    settings: dict[str, Any] = {"lengths": "2k,8k", "depths": "10,50,90", "seed": 5, "layout": layout, "facts": 4}
    text, talk = Built(haystack(), **settings), Built(haystack(), **settings, turns=True)
    talk.check_counts()
    assert {question.text for question in talk.draft.questions} == {question.text for question in text.draft.questions}
    asked = [item for item in talk.items.values() if item.cell["depth"] == 50]
    for item in talk.items.values():
        sent = talk.assembler.messages(item.context.pieces)
        assert alternate([message.role for message in sent])
        length = int(item.cell["length"])
        assert length * 0.99 <= item.context.tokens <= length
        assert abs(float(item.realised["depth"]) - float(text.items[item.id].realised["depth"])) < 1
        facts = {talk.texts[place.insert].text.strip() for place in item.placed}
        assert all(any(fact in message.text.decode() for message in sent) for fact in facts)
    turns = sum(isinstance(piece, Turn) for piece in asked[-1].context.pieces)
    assert 8000 / 240 < turns < 8000 / 100


def test_a_benchmark_without_turns_is_what_it_was(tmp_path: Path) -> None:
    plain = verbs.build("needles", tmp_path / "plain", lengths="1k", depths="50", seed=3, facts=4)
    assert "turns" not in plain.spec


def test_counts_digests_and_places_hold_in_the_folder(bench: Bench) -> None:
    assert check_bench(bench.folder) == []
    for item in bench.items.values():
        whole = assembler_of(bench).text(item.context.pieces)
        for message in assembler_of(bench).messages(item.context.pieces):
            assert whole[message.start : message.start + len(message.text)] == message.text


def test_roles_are_part_of_the_digest(bench: Bench) -> None:
    item = next(iter(bench.items.values()))
    swapped = [
        Turn(turn="assistant" if piece.turn == "user" else "user") if isinstance(piece, Turn) else piece
        for piece in item.context.pieces
    ]
    assert assembler_of(bench).digest(swapped) != item.context.sha256


def test_a_provider_receives_real_messages_and_no_log_holds_them(bench: Bench, tmp_path: Path) -> None:
    with ChatServer() as server:
        verbs.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url, concurrency=1)
    expected = [messages(bench, item) for item in tree_of(bench).items]
    assert [asked.body["messages"] for asked in server.asked] == expected
    assert all(alternate([message["role"] for message in one]) and len(one) > 4 for one in expected)
    kept = b"".join(path.read_bytes() for path in (tmp_path / "runs").rglob("*") if path.suffix in (".eval", ".jsonl"))
    assert expected[0][1]["content"].encode() not in kept


def test_inspect_itself_sends_the_same_messages(bench: Bench, tmp_path: Path) -> None:
    from inspect_ai import eval as inspect_eval

    from longreach.runner.tasks import bench_task

    with ChatServer() as server:
        where: dict[str, Any] = {"model_base_url": server.base_url, "log_dir": str(tmp_path), "display": "none"}
        inspect_eval(bench_task(bench), model=MODEL, limit=2, **where)
    sent = [asked.body["messages"] for asked in server.asked]
    assert len(sent) == 2
    assert all(messages(bench, item) in sent for item in tree_of(bench).items[:2])


def test_a_model_that_completes_raw_text_gets_one_text_with_the_roles(bench: Bench, tmp_path: Path) -> None:
    reply = json.dumps({"id": "x", "object": "text_completion", "created": 0, "model": "m", "choices": [
        {"index": 0, "text": "nothing", "finish_reason": "stop", "logprobs": None}]}).encode()  # fmt: skip
    with ChatServer(lambda _: Reply(raw=reply)) as server:
        verbs.run(bench, f"openai-api-completions/{MODEL.partition('/')[2]}", tmp_path / "r", base_url=server.base_url)
    sent = {asked.body["prompt"] for asked in server.asked}
    assert sent == {
        "\n\n".join(f"[{one['role']}]\n{one['content']}" for one in messages(bench, item)) + "\n\n[assistant]\n"
        for item in bench.items.values()
    }


@pytest.mark.long
def test_the_embedded_model_reads_every_message(tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("version: 1\nvariables: context, questions\n---\n{{context}}\n{{questions}}")
    settings: dict[str, Any] = {"lengths": "200", "depths": "50", "facts": 2, "questions": 1, "tokenizer": "embedded"}
    settings |= {"prompt_folder": str(tmp_path), "prompts": "short"}
    bench = verbs.build("needles", tmp_path / "bench", **settings, turns=True)
    verbs.run(bench, "embedded", tmp_path / "runs", max_tokens=2)
    (item,) = bench.items.values()
    (call,) = collect_calls(tmp_path / "runs")
    engine, sent = engine_for("embedded"), messages(bench, item)
    template = engine._post("/apply-template", {"messages": sent})["prompt"]
    body = {"content": template, "add_special": False, "parse_special": True}
    assert call.tokens_in == len(engine._post("/tokenize", body)["tokens"])
    assert call.tokens_in >= item.tokens + 3 * len(sent)
    assert len(sent) == 3


def test_shorter_conversations_are_shared_prefixes(tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "lengths": "1k,2k,4k",
        "depths": "50",
        "facts": 2,
        "layout": "comb",
        "prompts": "standard",
    }
    bench = verbs.build("needles", tmp_path / "bench", **settings, turns=True)
    tree, tokenizer = tree_of(bench), get_tokenizer(bench.corpus.info.tokenizer)
    for at, (one, other) in enumerate(pairwise(tree.items), 1):
        ours, theirs = messages(bench, one), messages(bench, other)
        pairs = zip(item_prompt(bench, one).encode(), item_prompt(bench, other).encode(), strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        assert tree.shared_bytes[at] <= same < tree.shared_bytes[at] + 40
        equal = sum(tokenizer.count(a["content"]) for a, b in zip(ours, theirs, strict=False) if a == b)
        assert equal <= tree.shared[at] <= one.tokens
        assert abs(tree.shared[at] - one.context.tokens) <= 2
        assert one.context.tokens < other.context.tokens
    assert PrefixTree(bench.items.values()).distinct_tokens >= tree.distinct_tokens


def test_cache_marks_end_where_other_conversations_diverge(bench: Bench) -> None:
    breaks = branch_points(tree_of(bench))
    shown = 0
    for item in bench.items.values():
        with prompt_source(item.sha256, Prompts(bench, breaks=breaks).of(item)):
            bound, _ = with_texts([ChatMessageUser(content=reference(item.sha256))])
        content = [one.content if isinstance(one.content, list) else [ContentText(text=one.content)] for one in bound]
        blocks = [[block for block in parts if isinstance(block, ContentText)] for parts in content]
        assert ["".join(block.text for block in parts) for parts in blocks] == [
            one["content"] for one in messages(bench, item)
        ]
        marked = [block for parts in blocks for block in parts if block.cache_breakpoint]
        assert len(marked) <= 4
        assert all(block.text for block in marked)
        shown += bool(marked)
    assert shown == len(bench.items)


def test_show_names_who_speaks(bench: Bench) -> None:
    item = next(iter(bench.items))
    assert "\n\n[assistant]\n" in longreach("show", bench.folder, "--item", item).out


@pytest.mark.parametrize("to", ["jsonl", "openai-batch", "inspect", "lm-eval"])
def test_every_export_has_the_messages_and_answers_come_back(
    bench: Bench, tmp_path: Path, to: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / ("out.jsonl" if to in ("jsonl", "openai-batch") else "out")
    verbs.export(bench, to, out, model="m")
    expected = {item.id: messages(bench, item) for item in bench.items.values()}
    file = out / "prompts.jsonl" if out.is_dir() else out
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    if to == "openai-batch":
        found = {line["custom_id"].split("-", 1)[1]: line["body"]["messages"] for line in lines}
    elif to == "inspect":
        task = runpy.run_path(str(out / "task.py"))["prompts"]()
        found = {
            sample.id: [{"role": one.role, "content": one.text} for one in sample.input] for sample in task.dataset
        }
    elif to == "lm-eval":
        found = {line["id"]: _lm_eval(out, line, monkeypatch) for line in lines}
    else:
        found = {line["id"]: line["messages"] for line in lines}
    assert found == expected
    answers = [
        {"id": line.get("id") or line["custom_id"], "text": "nothing", "sha256": line.get("sha256")} for line in lines
    ]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, answers)), encoding="utf-8")
    back = import_answers(bench, [tmp_path / "answers.jsonl"], "m", tmp_path / "runs")
    assert (back.answers, back.missing) == (len(bench.items), ())
    assert {call.item for call in imported_calls(tmp_path / "runs")} == set(bench.items)


def _lm_eval(folder: Path, line: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the exported task gives to a chat template, with lm-eval's base class replaced by an empty one."""
    package, module = ModuleType("lm_eval.api"), ModuleType("lm_eval.api.task")
    module.ConfigurableTask = type("ConfigurableTask", (), {"__init__": lambda *_, **__: None})  # type: ignore[attr-defined]
    for name, made in (("lm_eval", package), ("lm_eval.api", package), ("lm_eval.api.task", module)):
        monkeypatch.setitem(sys.modules, name, made)
    task = runpy.run_path(str(folder / "conversation.py"))["Conversation"](config={"class": None})
    assert "!function conversation.Conversation" in next(folder.glob("*.yaml")).read_text(encoding="utf-8")
    return task.fewshot_context(line, 0, apply_chat_template=True, chat_template=lambda history: history)


def test_training_data_are_conversations_with_the_right_answer_last(bench: Bench) -> None:
    for line in sft_lines(bench):
        said = line["messages"]
        assert alternate([message["role"] for message in said[:-1]])
        assert said[-1]["role"] == "assistant"
        assert len(said) > 4


def test_every_planted_fact_is_said_in_one_message(bench: Bench) -> None:
    for item in bench.items.values():
        said = [message["content"] for message in messages(bench, item)]
        for fact in bench.evidence(item):
            assert any(fact.text in one for one in said)
        assert sum(isinstance(piece, Insert) for piece in item.context.pieces) == len(item.placed)
