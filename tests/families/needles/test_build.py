from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.families.needles.built import Built, haystack
from tests.texts import chinese_documents

from longreach.core.types import Document, Insert, Offsets, Span, byte_offsets
from longreach.errors import BadInput
from longreach.families.base import BuildContext
from longreach.families.needles import build as build_module
from longreach.families.needles.family import FAMILY
from longreach.families.needles.spec import NeedlesSpec
from longreach.models.tokenizers import get_tokenizer
from longreach.text.assemble import Assembler

PROMPTS = Path(build_module.__file__).parent / "prompts" / "en"


def check_counts_and_facts(built: Built) -> None:
    joint = "" if built.draft.prompts[0].text.startswith("请") else " "
    for item in built.items.values():
        text = built.text(item)
        assert item.context.tokens == built.tokenizer.count(text)
        assert item.tokens == built.tokenizer.count(built.prompt(item))
        place, *decoys = item.placed
        assert place.insert.startswith("facts")
        assert all(decoy.insert.startswith("decoy") for decoy in decoys)
        raw = text.encode()
        planted = built.texts[place.insert]
        assert raw[place.start :].startswith(planted.text.encode())
        assert place.token == built.tokenizer.count(raw[: place.start].decode())
        marked = [raw[place.start + mark.start : place.start + mark.end].decode() for mark in planted.facts]
        names = [mark.id.rpartition("-")[2] for mark in planted.facts]
        assert names == [f"f{number}" for number in range(1, int(built.spec.facts) + 1)]
        assert joint.join(marked).replace("\n", " ") == planted.text.strip().replace("\n", " ")
        assert planted.text == f"\n\n{planted.text.strip()}\n\n"


def check_lengths_and_depths(built: Built) -> None:
    """Within 1 % and 2 points, or recorded as it is."""
    recorded = built.draft.build.get("misses", {})
    for item in built.items.values():
        length, depth = int(item.cell["length"]), float(item.cell["depth"])
        realised, before = item.context.tokens, item.placed[0].token
        assert item.realised == {"length": realised, "depth": round(100 * before / realised, 2)}
        assert realised <= length
        short = 100 * (realised - length) / length
        ends = isinstance(item.context.pieces[-1], Insert)
        off = 0 if ends and depth == 100 else 100 * before / realised - depth
        name = f"{length}-{depth:g}"
        assert (name in recorded) == (abs(round(short, 2)) > 1 or abs(round(off, 2)) > 2)
        if name in recorded:
            assert recorded[name] == {
                "length_percent": pytest.approx(short, abs=0.01),
                "depth_points": pytest.approx(off, abs=0.01),
            }
            assert any("miss their length" in warning for warning in built.warnings)


@given(
    st.integers(0, 10**6),
    st.lists(st.integers(500, 5000), min_size=1, max_size=3, unique=True),
    st.lists(st.floats(0, 100).map(lambda depth: round(depth, 1)), min_size=1, max_size=3, unique=True),
    st.sampled_from([2, 4, 10]),
)
def test_any_grid(seed: int, lengths: list[int], depths: list[float], facts: int) -> None:
    built = Built(haystack(), seed=seed, lengths=lengths, depths=depths, facts=facts, questions=1)
    made = {f"{item.cell['length']}-{item.cell['depth']:g}" for item in built.items.values()}
    merged = built.draft.build.get("merged", {})
    assert made | set(merged) == {f"{length}-{depth:g}" for length in lengths for depth in depths}
    assert set(merged.values()) <= made
    assert not set(merged) & made
    check_counts_and_facts(built)
    check_lengths_and_depths(built)


@pytest.mark.parametrize("name", ["byte-level", "sentencepiece", "wordpiece", "across-sentences"])
def test_any_tokenizer_file(name: str, tokenizer_files: dict[str, Path]) -> None:
    settings: dict[str, Any] = {"lengths": "600,1500", "depths": "0,40,100", "facts": 2, "prompts": "standard"}
    built = Built(haystack(), tokenizer=str(tokenizer_files[name]), **settings)
    check_counts_and_facts(built)
    check_lengths_and_depths(built)
    whole = [warning for warning in built.warnings if "cut nowhere exactly: every context is counted whole" in warning]
    assert len(whole) == (1 if name == "across-sentences" else 0)


class Blocks:
    """Seven characters a token, and five more where a paragraph ends: a whole has more than its parts together."""

    name = "blocks"
    fingerprint = "7"

    def count(self, text: str) -> int:
        return len(text) // 7 + 5 * len(re.findall(r"\S\n\n", text))

    def boundaries(self, texts: Sequence[str]) -> list[Offsets]:
        return [byte_offsets(text)[7::7] for text in texts]


def test_a_context_never_exceeds_its_length_where_counts_do_not_add_up() -> None:
    spec = NeedlesSpec.parse({"lengths": "400..700/1", "depths": "40", "facts": 2, "prompts": "standard"}, "spec")
    said: list[str] = []
    draft, corpus = FAMILY.build(spec, haystack(), Blocks(), BuildContext(warn=said.append))
    assert "every context is counted whole" in said[0]
    assembler = Assembler(corpus, {planted.id: planted.text for planted in draft.planted})
    for item in draft.items:
        assert item.context.tokens == Blocks().count(assembler.text(item.context.pieces).decode())
        assert item.context.tokens <= int(item.cell["length"])


def test_facts_stand_alone_between_whole_sentences() -> None:
    built = Built(haystack(), lengths="2000,3000", depths="10..100/10", prompts="standard", facts=4)
    for item in built.items.values():
        text = built.text(item)
        before, after = text.split(built.texts[item.placed[0].insert].text)
        assert not before or before[-1] in ".?!;:”\"')" or "\n" in before[-60:]
        assert not after or not after[0].isspace()
        assert not before.endswith((" ", "\n"))


def test_the_ends_of_a_story() -> None:
    built = Built(haystack(), lengths="1000", depths="0,100", prompts="standard")
    first, last = built.items["1000-0-standard"], built.items["1000-100-standard"]
    assert built.text(first).startswith(built.planted.text)
    assert first.realised["depth"] == 0
    assert built.text(last).endswith(built.planted.text)
    assert built.text(last).removesuffix(built.planted.text) == built.text(first).removeprefix(built.planted.text)


def test_shorter_contexts_are_the_beginning_of_longer_ones() -> None:
    built = Built(haystack(), lengths="1000,1500,3000", depths="20,30,60", prompts="standard", facts=2, sets=1)
    stories = [built.text(built.items[name]) for name in ("1000-60-standard", "3000-20-standard")]
    assert stories[1].startswith(stories[0])
    same = [built.items[name] for name in ("1000-30-standard", "1500-20-standard")]
    assert same[0].placed == same[1].placed
    assert same[0].context.pieces[:2] == same[1].context.pieces[:2]
    for item in built.items.values():
        opening, insert, *rest = item.context.pieces
        assert isinstance(opening, Span)
        assert opening.start == 0
        assert insert == Insert(insert=built.planted.id)
        assert len(rest) == 1


def test_questions_together_or_each_alone_over_the_same_contexts() -> None:
    settings: dict[str, Any] = {"lengths": "800", "depths": "50", "facts": 4, "questions": 2, "seed": 3}
    together, each = Built(haystack(), **settings), Built(haystack(), ask="each", **settings)
    assert [*together.items] == ["800-50-standard", "800-50-anti_hallucination"]
    names = ["L1", "L2", "I1", "I2", "F1", "F2"]
    assert [*each.items] == [f"{item}-{name}" for item in together.items for name in names]
    assert all(sorted(item.questions) == sorted(names) for item in together.items.values())
    assert all(item.id.endswith(f"-{item.questions[0]}") for item in each.items.values())
    assert all(len(item.questions) == 1 for item in each.items.values())
    assert together.draft.questions == each.draft.questions
    assert {item.context for item in each.items.values()} == {item.context for item in together.items.values()}
    check_counts_and_facts(each)


def test_only_the_probes_and_prompts_asked_for() -> None:
    settings: dict[str, Any] = {"lengths": "800", "depths": "50", "facts": 4}
    built = Built(haystack(), question_types="literal,abstention", prompts="standard,standard", **settings)
    assert [question.question_type for question in built.draft.questions] == ["literal"] * 4 + ["abstention"] * 4
    assert [*built.items] == ["800-50-standard"]


def test_shares_leave_room_for_questions_and_answer() -> None:
    for window, ask in ((4000, "together"), (6000, "each")):
        built = Built(haystack(), lengths="25%,50%,100%", window=window, depths="0,50,100", ask=ask)
        needed = [
            item.tokens + FAMILY.answer_tokens([built.questions[name] for name in item.questions])
            for item in built.items.values()
        ]
        assert max(needed) <= window
        assert max(needed) > window - 150
        lengths = sorted({int(item.cell["length"]) for item in built.items.values()})
        assert lengths == pytest.approx([lengths[-1] / 4, lengths[-1] / 2, lengths[-1]], abs=1)


def test_the_order_of_documents_follows_the_seed() -> None:
    stories = {
        seed: Built(haystack(), lengths="1000", depths="0", prompts="standard", seed=seed).draft.items[0].context.sha256
        for seed in range(3)
    }
    assert len(set(stories.values())) == 3


def test_what_the_documents_say_is_never_planted() -> None:
    settings: dict[str, Any] = {"lengths": "800", "depths": "50", "facts": 10, "prompts": "standard", "seed": 1}
    documents = [haystack()[0]]
    first = Built(documents, **settings)
    told = Document.of("told", f"{documents[0].text}{first.planted.text}")
    second = Built([told], **settings)
    names = set(re.findall(r"[A-Z][a-z]+ [A-Z][a-z]+", first.planted.text))
    assert names
    assert not names & set(re.findall(r"[A-Z][a-z]+ [A-Z][a-z]+", second.planted.text))


def test_chinese_documents_get_chinese_facts_and_prompts() -> None:
    built = Built(chinese_documents(3, 150), lengths="800,1500", depths="0,50,100", facts=4)
    check_counts_and_facts(built)
    check_lengths_and_depths(built)
    for item in built.items.values():
        prompt = built.prompt(item)
        assert prompt.startswith("请")
        assert "问题1：" in prompt
    assert all(re.search("[\u4e00-\u9fff]", question.text) for question in built.draft.questions)
    english = Built(chinese_documents(3, 150), lengths="800", depths="50", facts=4, language="en")
    assert "Question 1: " in english.prompt(english.draft.items[0])
    assert not re.search("[\u4e00-\u9fff]", english.planted.text)


def test_a_corpus_that_is_too_short_says_by_how_much() -> None:
    documents = haystack()[:1]
    with pytest.raises(BadInput) as caught:
        Built(documents, lengths="5000", depths="50")
    said = re.fullmatch(
        r"the corpus has (\d+) tokens, length 5000 needs (\d+) more; add documents or ask for shorter lengths",
        str(caught.value),
    )
    assert said
    assert int(said[1]) == get_tokenizer("o200k_base").count(documents[0].text)
    enough = 5000 - int(said[2])
    assert len(Built(documents, lengths=enough, depths="50").items) == 2
    with pytest.raises(BadInput, match=rf"length {enough + 1} needs 1 more"):
        Built(documents, lengths=enough + 1, depths="50")


def test_every_length_that_the_text_is_too_short_for_is_named() -> None:
    with pytest.raises(BadInput, match=r"tokens, lengths 50000, 60000 and 80000 need up to \d+ more; add documents"):
        Built(haystack()[:1], lengths="500,50k,60k,80k", depths="50")


def test_a_length_with_no_room_for_a_sentence() -> None:
    own = get_tokenizer("o200k_base").count(Built(haystack(), lengths="1000", depths="50", facts=2).planted.text)
    with pytest.raises(BadInput, match="is too short for one sentence beside the planted facts; ask for longer"):
        Built(haystack(), lengths=own + 1, depths="50", facts=2)


def test_other_wordings_of_the_prompts(tmp_path: Path) -> None:
    text = (PROMPTS / "standard.txt").read_text(encoding="utf-8")
    (tmp_path / "short.txt").write_text(text.replace("Read this {{kind}} closely", "Here is a {{kind}}, read it"))
    settings: dict[str, Any] = {"lengths": "800", "depths": "50", "facts": 2, "prompt_folder": str(tmp_path)}
    built = Built(haystack(), prompts="short", **settings)
    assert [*built.items] == ["800-50-short"]
    assert built.prompt(built.items["800-50-short"]).startswith("Here is a story, read it")
    check_counts_and_facts(built)
    assert [prompt.id for prompt in built.draft.prompts] == ["short"]

    (tmp_path / "long.txt").write_text(text)
    with pytest.raises(BadInput, match=r"prompt 'long' in .* begins otherwise than 'short'; give both the same words"):
        Built(haystack(), prompts="short,long", **settings)
    (tmp_path / "early.txt").write_text("version: 1\nvariables: context, questions\n---\n{{questions}}\n\n{{context}}")
    (tmp_path / "never.txt").write_text("version: 1\nvariables: context\n---\n{{context}}\n\nWhat did you read?")
    for name in ("early", "never"):
        with pytest.raises(BadInput, match=f"prompt '{name}' in .*: {{{{questions}}}} must come after {{{{context}}}}"):
            Built(haystack(), prompts=name, **settings)
    (tmp_path / "more.txt").write_text(
        "version: 1\nvariables: context, questions, x\n---\n{{context}} {{questions}} {{x}}"
    )
    with pytest.raises(BadInput, match="prompt 'more': no value for 'x'"):
        Built(haystack(), prompts="more", **settings)


def test_cuts_are_found_in_real_text() -> None:
    built = Built(haystack(), lengths="1000", depths="50", prompts="standard")
    assert np.diff(built.corpus.counts).max() < 500


@pytest.mark.parametrize("kind", ["nested", "extract"])
def test_the_documents_used_are_named_with_their_share(kind: str) -> None:
    documents = [Document.of(each.id, each.text[:9000]) for each in haystack()]
    lines: list[str] = []
    spec = NeedlesSpec(lengths="900,4000", depths="50", facts=2, haystack=kind, decoys=0)
    context = BuildContext(warn=lambda _: None, progress=lines.append)
    draft, _ = FAMILY.build(spec, documents, get_tokenizer(spec.tokenizer), context)
    used = {each["id"]: each for each in draft.build["documents"]}
    built = Built(documents, lengths="4000", depths="50", facts=2, prompts="standard", decoys=0)
    longest = built.text(built.items["4000-50-standard"])
    for document in documents:
        share = used[document.id]["share"] if document.id in used else 0.0
        assert (document.text[:200] in longest) == (share > 0.1)
        assert (document.text[-200:] in longest) == (share == 1.0)
        if document.id in used:
            counted = built.tokenizer.count(document.text)
            assert used[document.id]["tokens"] == pytest.approx(counted, rel=0.02)
    (line,) = [line for line in lines if line.startswith("documents used")]
    assert line.startswith(f"documents used: {len(used)} of {len(documents)} (")
    assert all(f"{name} {each['share']:.0%} of " in line for name, each in used.items())
    assert f"; {len(documents) - len(used)} are in no context of 4k tokens" in line


def test_the_facts_of_an_inference_are_an_axis(docs: Path, tmp_path: Path) -> None:
    import longreach

    plain = longreach.build("needles", tmp_path / "plain", docs=docs, lengths="2k", depths="20,70", facts=4)
    bench = longreach.build(
        "needles", tmp_path / "bench", docs=docs, lengths="2k", depths="20,70", facts=4, hops="2,3,4"
    )
    assert "hops" not in plain.spec
    longreach.simulate(bench, "perfect", tmp_path / "runs")
    rows = longreach.grade(tmp_path / "runs")
    assert {row.cell.get("hops") for row in rows if row.question_type == "inference"} == {2, 3, 4}
    assert {row.cell.get("hops") for row in rows if row.question_type != "inference"} == {None}
    assert {row.verdict.value for row in rows} == {1.0}
    longreach.report(tmp_path / "runs", tmp_path / "report", formats=["md"])
    assert "How many facts can it combine" in (tmp_path / "report" / "report.md").read_text()
    longreach.simulate(plain, "perfect", tmp_path / "before")
    assert all("hops" not in row.cell for row in longreach.grade(tmp_path / "before"))
