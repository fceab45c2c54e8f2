from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.families.needles.built import Built, haystack

from longreach import api as verbs
from longreach.core.bench import Bench, Prompt
from longreach.core.types import Row, Span
from longreach.errors import BadInput
from longreach.families.building import check_bench
from longreach.families.needles import build as build_module

WRITER = "openai-api/local/helper"
SMALL: dict[str, Any] = {
    "lengths": "800,1500,3000",
    "depths": "0,50,100",
    "facts": 2,
    "prompts": "standard",
    "sets": 1,
    "register": "novel",
}
PASSAGE = re.compile(r"at about (\d+) % of its length.*<passage>\n(.*)\n</passage>", re.DOTALL)


def trimmed(asked: Asked, extra: str = "") -> Reply:
    """The passage with the end of every sentence left out, as much as was asked for."""
    found = PASSAGE.search(asked.prompt)
    assert found, "the prompt says what to shorten and to how much"
    kept = []
    for sentence in re.split(r"(?<=[.;:]) ", found[2]):
        words = sentence.split(" ")
        kept.append(" ".join(words[: max(1, round(len(words) * int(found[1]) / 100))]).rstrip(",.;: ") + ".")
    return Reply(text=" ".join(kept) + extra)


def stories(built: Built) -> dict[int, str]:
    """The text of each length without what was planted."""
    found: dict[int, str] = {}
    for item in built.items.values():
        spans = [piece for piece in item.context.pieces if isinstance(piece, Span)]
        found[int(item.cell["length"])] = built.corpus.read(spans[0].start, spans[-1].end)
    return found


def check_lengths(built: Built) -> None:
    for item in built.items.values():
        length = int(item.cell["length"])
        assert 0.99 * length <= item.context.tokens <= length
        depth = float(item.cell["depth"])
        own = built.tokenizer.count(built.planted.text)
        assert abs(item.placed[0].token - min(depth / 100 * length, item.context.tokens - own)) < 120


def test_extract_leaves_sentences_out_of_the_story_above() -> None:
    built = Built(haystack(), haystack="extract", **SMALL)
    built.check_counts()
    check_lengths(built)
    told = built.draft.build["contraction"]
    assert [story["target"] for story in told["contexts"]] == sorted(
        (length - built.tokenizer.count(built.planted.text) for length in (800, 1500, 3000)), reverse=True
    )
    for story, placed in zip(told["contexts"], built.corpus.info.documents, strict=True):
        assert 0.99 * story["target"] <= story["tokens"] <= story["target"]
        assert built.tokenizer.count(built.corpus.read(placed.start, placed.end)) == story["tokens"]
        assert (story["rounds"], story["slices"]) == (0, 0)
        assert placed.document.source == "extracted"
    sources = {document.sha256 for document in haystack()}
    assert {document["sha256"] for document in told["documents"]} <= sources
    texts = stories(built)
    longest = texts[3000]
    assert bytes(Built(haystack(), **SMALL).corpus.text).decode().startswith(longest)
    for shorter, longer in ((800, 1500), (1500, 3000)):
        assert not texts[longer].startswith(texts[shorter]), "not a beginning"
        sentences = re.findall(r"[A-Z][^.]{40,}\.", texts[shorter])
        inside = sum(sentence in texts[longer] for sentence in sentences)
        assert inside >= 0.9 * len(sentences) > 5
        ends = [longest.find(sentence) for sentence in sentences]
        assert max(ends) > 0.8 * len(longest), "what is kept reaches to the end of the longest story"
    again = Built(haystack(), haystack="extract", **SMALL)
    assert again.draft == built.draft


def test_facts_are_the_same_for_every_haystack_that_says_nothing_new() -> None:
    assert Built(haystack(), haystack="extract", **SMALL).draft.questions == Built(haystack(), **SMALL).draft.questions


def test_distributions_use_the_longest_story() -> None:
    built = Built(haystack(), haystack="extract", protocols="depth,distribution", distributions="normal", **SMALL)
    built.check_counts()
    spread = built.items["spread-normal-standard"]
    longest = built.corpus.info.documents[0]
    assert all(longest.start <= piece.start < longest.end for piece in spread.context.pieces if isinstance(piece, Span))
    assert 2850 < spread.context.tokens <= 3000


def test_one_length_needs_no_shortening() -> None:
    built = Built(haystack(), haystack="extract", **(SMALL | {"lengths": "1500"}))
    assert "contraction" not in built.draft.build
    assert built.draft.items == Built(haystack(), **(SMALL | {"lengths": "1500"})).draft.items


def build(folder: Path, server: ChatServer, docs: Path, **settings: Any) -> Bench:
    helpers: Any = {"base_url": server.base_url, "arguments": {"api_key": "none"}, "folder": folder.parent / "kept"}
    given: dict[str, Any] = (
        {"docs": docs, "haystack": "contract", "rewriter": WRITER, "slice": "500"} | SMALL | settings
    )
    return verbs.build("needles", folder, warn=lambda _: None, helpers=helpers, **given)


def test_contract_has_a_model_rewrite_every_story_from_the_one_above(tmp_path: Path, docs: Path) -> None:
    with ChatServer(trimmed) as server:
        bench = build(tmp_path / "b", server, docs)
        first = len(server.asked)
        assert first >= 9, "slices of 500 tokens"
        again = build(tmp_path / "again", server, docs)
        assert len(server.asked) == first, "nothing is asked twice"
    assert again.info.digest == bench.info.digest
    assert check_bench(bench.folder) == []
    told = bench.build["contraction"]
    assert told["rewriter"] == WRITER
    prompts = Path(build_module.__file__).parent / "prompts" / "en" / "building" / "contract.txt"
    assert told["prompt_version"] == Prompt.load(prompts).version
    longest, *shorter = told["contexts"]
    assert (longest["rounds"], longest["slices"]) == (0, 0)
    for story in shorter:
        assert story["rounds"] >= 1
        assert story["slices"] >= 2
        assert 0.99 * story["target"] <= story["tokens"] <= story["target"]
    assert set(bench.prompts) == {"standard"}, "the prompt for rewriting is not a prompt of the benchmark"


def test_facts_are_held_against_what_the_model_wrote(tmp_path: Path, docs: Path) -> None:
    plain = verbs.build("needles", tmp_path / "plain", docs=docs, warn=lambda _: None, **SMALL)
    names = re.findall(r"[A-Z][a-z]+ [A-Z][a-z]+", plain.planted["facts"].text)
    assert names
    with ChatServer(lambda asked: trimmed(asked, f" Then {names[0]} came by.")) as server:
        bench = build(tmp_path / "b", server, docs)
    text = bench.corpus.read(0, len(bench.corpus))
    assert names[0] in text
    assert names[0] not in bench.planted["facts"].text
    assert bench.questions != plain.questions
    assert check_bench(bench.folder) == []


def test_chinese_has_its_own_prompt_for_rewriting() -> None:
    folder = Path(build_module.__file__).parent / "prompts"
    for language in ("en", "zh"):
        prompt = Prompt.load(folder / language / "building" / "contract.txt")
        assert set(prompt.variables) == {"text", "percent"}
        assert prompt.around("text")


@pytest.mark.long
def test_the_embedded_model_reads_a_comb_and_a_spread(tmp_path: Path, docs: Path) -> None:
    bench = verbs.build(
        "needles",
        tmp_path / "b",
        warn=lambda _: None,
        docs=docs,
        tokenizer="embedded",
        lengths="150,250",
        depths="100",
        layout="comb",
        protocols="depth,distribution",
        distributions="normal",
        bins=2,
        facts=2,
        questions=1,
        question_types="literal",
        prompts="standard",
    )
    assert len(bench.items) == 3
    assert check_bench(bench.folder) == []
    verbs.run(bench, "embedded", tmp_path / "runs")
    rows: list[Row] = verbs.grade(tmp_path / "runs")
    assert sorted(row.item for row in rows) == sorted(bench.items)
    assert all(row.verdict.status in ("scored", "unparsed", "truncated") for row in rows)


def test_the_longest_context_is_shortened_too_and_documents_stay_in_order() -> None:
    documents = haystack()[:3]
    settings = SMALL | {"lengths": "800,1500", "haystack": "extract"}
    built = Built(documents, shorten_longest=True, **settings)
    built.check_counts()
    check_lengths(built)
    longest = stories(built)[1500]
    places = [
        [place for sentence in re.findall(r"[A-Z][^.\n]{30,}\.", each.text) if (place := longest.find(sentence)) >= 0]
        for each in documents
    ]
    assert all(places), "of every document"
    assert [min(own) for own in places] == sorted(min(own) for own in places)
    assert max(places[0]) < min(places[2])
    assert {each["share"] for each in built.draft.build["documents"]} == {1}
    (alone,) = stories(Built(documents, shorten_longest=True, **settings | {"lengths": "1500"})).values()
    assert alone == longest
    with pytest.raises(BadInput, match="shorten_longest is for haystack extract or contract"):
        Built(documents, shorten_longest=True, **settings | {"haystack": "nested"})
