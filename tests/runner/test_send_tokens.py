"""Prompts as token ids: what a server reads is what it would have made of the text."""

from __future__ import annotations

import json
from itertools import pairwise, takewhile
from pathlib import Path
from shutil import copy
from typing import Any, Literal

import pytest
from tests.command_line import call
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.present import some
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.families import get_family
from longreach.families.base import prompt_parts
from longreach.families.showing import assembler_of
from longreach.models.chat_template import chat_template
from longreach.planning.prefix_tree import tree_of
from longreach.runner.logs import collect_calls

TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>"
    "\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Bench:
    """A small benchmark, counted by a byte tokenizer that has a chat template beside it."""
    folder = tmp_path_factory.mktemp("tokens")
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: number for number, letter in enumerate(letters)}, []))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(name) for name in ("<s>", "<|im_start|>", "<|im_end|>")])
    tokenizer.save(str(folder / "tokenizer.json"))
    about = {"chat_template": TEMPLATE, "bos_token": {"content": "<s>"}}
    (folder / "tokenizer_config.json").write_text(json.dumps(about), encoding="utf-8")
    settings: dict[str, Any] = {"docs": [str(docs)], "lengths": "3k", "facts": 2, "depths": "50"}
    return verbs.build("needles", folder / "bench", tokenizer=str(folder / "tokenizer.json"), **settings)


def completion(text: str, **more: object) -> Reply:
    choice = {"text": text, "finish_reason": "stop", **more}
    usage = {"prompt_tokens": 10, "completion_tokens": 3}
    return Reply(raw=json.dumps({"choices": [choice], "usage": usage}).encode())


def test_the_ids_are_those_of_the_rendered_messages(bench: Bench, tmp_path: Path) -> None:
    texts: dict[str, list[str]] = {}
    sends: tuple[Literal["text", "tokens"], ...] = ("text", "tokens")
    for send in sends:
        asked: list[Asked] = []

        def say(request: Asked, asked: list[Asked] = asked, send: str = send) -> Reply:
            asked.append(request)
            return Reply("1. noon") if send == "text" else completion("1. noon")

        with ChatServer(say) as server:
            result = verbs.run(bench, "vllm/org/m", tmp_path / send, max_tokens=50, base_url=server.base_url, send=send)
        assert result.sent == len(bench.items)
        if send == "text":
            texts[send] = sorted(
                f"<s><|im_start|>user\n{each.prompt}<|im_end|>\n<|im_start|>assistant\n" for each in asked
            )
        else:
            read = Tokenizer.from_file(bench.corpus.info.tokenizer)
            texts[send] = sorted(read.decode(each.body["prompt"], skip_special_tokens=False) for each in asked)
            assert all(each.path.endswith("/v1/completions") for each in asked)
            assert all(each.body["max_tokens"] == 50 and "messages" not in each.body for each in asked)
    assert texts["text"] == texts["tokens"]
    said = [[(one.item, one.text, one.model) for one in collect_calls(tmp_path / send)] for send in texts]
    assert sorted(said[0]) == sorted(said[1])


TEMPLATES = {
    "plain": TEMPLATE,
    "trims, with a system prompt": (
        "{{ bos_token }}<|im_start|>system\n\nBe brief.<|im_end|>{% for message in messages %}<|im_start|>"
        "{{ message['role'] }}\n\n{{ message['content'] | trim }}<|im_end|>{% endfor %}<|im_start|>assistant\n\n"
    ),
    "words without special tokens": (
        "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}assistant:"
    ),
}


WAYS = [
    pytest.param(turns, kind, name, marks=[pytest.mark.long] if (turns + one + other) % 3 else [])
    for turns in (False, True)
    for one, kind in enumerate(("byte-level", "metaspace-first", "sentencepiece"))
    for other, name in enumerate(TEMPLATES)
]
"""A third of them, in which everything occurs, is enough for `make test`."""


@pytest.mark.parametrize(("turns", "kind", "name"), WAYS)
def test_planned_tokens_are_those_of_the_rendered_prompts(
    tokenizer_files: dict[str, Path], tmp_path: Path, docs: Path, kind: str, name: str, turns: bool
) -> None:
    """To the token; shared ones never more than there are, but for a few at the place where two questions differ."""
    made: list[Bench] = []
    for place in (tmp_path / "with", tmp_path / "without"):
        place.mkdir()
        copy(tokenizer_files[kind], place / "tokenizer.json")
        settings: dict[str, Any] = {
            "docs": [str(docs)],
            "depths": "0,50",
            "lengths": "1k,2k",
            "facts": 2,
            "ask": "each",
        }
        given = settings | {"tokenizer": str(place / "tokenizer.json"), "turns": turns}
        made.append(verbs.build("needles", place / "bench", **given))
    about = {"chat_template": TEMPLATES[name], "bos_token": "<s>"}
    (tmp_path / "with" / "tokenizer_config.json").write_text(json.dumps(about), encoding="utf-8")
    bench, plain = made
    template = some(chat_template(bench.corpus.info.tokenizer))
    assembler, family = assembler_of(bench), get_family("needles")
    ids = {
        item.id: template.ids(
            [
                {"role": each.role, "content": each.text.decode()}
                for each in assembler.messages(prompt_parts(family, bench, item))
            ]
        )
        for item in bench.items.values()
    }
    planned = verbs.plan(bench, ["vllm/m", "openai-api/local/m", "anthropic/m", "vllm-completions/m"]).models
    tokens = sum(item.tokens for item in bench.items.values())
    rendered = sum(map(len, ids.values()))
    assert [each.input_tokens for each in planned] == [rendered, rendered, tokens, tokens]
    assert [each.template_tokens for each in planned] == [rendered - tokens, rendered - tokens, 0, 0]
    assert any("chat template" in line for line in verbs.plan(bench, "vllm/m").lines(details=True))
    tree = tree_of(bench, template=template)
    for at, (one, other) in enumerate(pairwise(tree.items), 1):
        both = zip(ids[one.id], ids[other.id], strict=False)
        assert tree.shared[at] <= sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both)) + 12
    untold = verbs.plan(plain, "vllm/m").models[0]
    assert (untold.input_tokens, untold.template_tokens) == (sum(item.tokens for item in plain.items.values()), 0)


def test_a_completion_has_a_cap_too(bench: Bench, tmp_path: Path) -> None:
    with ChatServer(lambda _: completion("1. noon")) as server:
        verbs.run(bench, "vllm/org/m", tmp_path, base_url=server.base_url, send="tokens")
        asked = [each.body for each in server.asked if "prompt" in each.body]
    assert asked
    assert all(0 < body["max_tokens"] < 10_000 for body in asked)


def test_an_answer_that_has_begun_is_left_open(bench: Bench) -> None:
    template = some(chat_template(bench.corpus.info.tokenizer))
    said = [{"role": "user", "content": "Which?"}, {"role": "assistant", "content": " The number is"}]
    assert template.text(said).endswith("<|im_start|>assistant\n The number is")


def test_what_cannot_go_as_tokens_is_said_before_anything_is_sent(bench: Bench, tmp_path: Path, docs: Path) -> None:
    plain = verbs.build("needles", tmp_path / "plain", docs=[str(docs)], lengths="600", depths="50", facts=2)
    with ChatServer(lambda _: completion("")) as server:
        for folder, model, what in (
            (plain.folder, "vllm/m", "no chat template"),
            (bench.folder, "embedded", "no token ids"),
        ):
            told = call(
                f"run {folder} -m {model} --base-url {server.base_url} --set send=tokens -o {tmp_path / 'r'} --yes"
            )
            assert told.code == 2
            assert what in told.err
        assert server.asked == []
