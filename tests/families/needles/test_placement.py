"""Lengths and depths on texts of many kinds, and how needles are wrapped there."""

from __future__ import annotations

import textwrap
from random import Random

import pytest
from tests.families.needles.built import Built
from tests.texts import chinese

from longreach.core.types import Document, Insert, Span
from longreach.families.needles.grid import GridCell, missed
from longreach.text.line_layout import layout_of

_SPEECHES = (
    "Will you not come in?",
    "I never said so, and I never shall.",
    "Nonsense!",
    "The roof leaks; the cellar is worse, and nobody has looked at the chimney since Michaelmas.",
    "He is gone to town, they say, with both the horses.",
    "What then?",
)
_TAGS = (" she asked.", " he said.", " cried the old man at last.", "", "")
_DUTIES = (
    "keep the premises in good repair",
    "pay all rates, taxes and charges as they fall due, whether or not they have been demanded in writing",
    "give thirty days' notice of any sale, transfer or assignment",
    "maintain insurance against fire, flood and theft with an insurer of good standing",
)


def dialogue(rng: Random, quotes: str) -> str:
    """Little but speech: most paragraphs open with a quotation mark."""
    opening, closing = quotes[0], quotes[1]
    return "\n\n".join(
        f"{opening}{' '.join(rng.choices(_SPEECHES, k=rng.randint(1, 4)))}{closing}{rng.choice(_TAGS)}"
        for _ in range(2500)
    )


def contract(rng: Random) -> str:
    """Numbered clauses, hard-wrapped and indented, with sentences that run over many lines."""
    clauses = []
    for number in range(1, 700):
        duties = "; ".join(f"({letter}) {rng.choice(_DUTIES)}" for letter in "abcd"[: rng.randint(1, 4)])
        clauses.append(textwrap.fill(f"{number}. The Lessee shall, pursuant to this Agreement: {duties}.", 68))
    return "\n\n".join(clauses)


def code(rng: Random) -> str:
    """Functions without a full sentence in them."""
    return "\n\n\n".join(
        f"def step_{number}(values, limit={rng.randint(1, 99)}):\n"
        + "\n".join(f"    total_{n} = sum(v * {rng.randint(2, 9)} for v in values[:{n}])" for n in range(6))
        + "\n    return {'total': total_1, 'limit': limit}"
        for number in range(260)
    )


def novel(rng: Random) -> str:
    """Prose in lines of 72 characters, two spaces between sentences."""
    paragraphs = ("  ".join(rng.choices(_SPEECHES, k=rng.randint(4, 12))) for _ in range(700))
    return "\n\n".join(textwrap.fill(paragraph, 72, fix_sentence_endings=True) for paragraph in paragraphs)


def text_of(kind: str) -> str:
    rng = Random(kind)
    match kind:
        case "straight":
            return dialogue(rng, '""')
        case "curly":
            return dialogue(rng, "“”")
        case "single":
            return dialogue(rng, "‘’")
        case "guillemets":
            return dialogue(rng, "«»")
        case "contract":
            return contract(rng)
        case "code":
            return code(rng)
        case "chinese":
            return chinese(3, 1500)
        case _:
            return novel(rng)


KINDS = ("straight", "curly", "single", "guillemets", "contract", "code", "chinese", "novel")


@pytest.mark.parametrize("tokenizer", ["o200k_base", pytest.param("qwen3", marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", KINDS)
def test_lengths_within_one_percent_and_depths_within_two_points(kind: str, tokenizer: str) -> None:
    language = "zh" if kind == "chinese" else "en"
    built = Built(
        [Document.of(kind, text_of(kind), language=language)],
        lengths="4k,8k,16k",
        depths="10..100/10",
        prompts="standard",
        tokenizer=tokenizer,
        facts=4,
        seed=2,
    )
    built.check_counts()
    assert not built.warnings
    assert len(built.items) == 30
    for item in built.items.values():
        cell = GridCell(built.exact(item), float(item.cell["depth"]))
        at_end = isinstance(item.context.pieces[-1], Insert)
        miss = missed(cell, item.context.tokens, float(item.realised["depth"]), at_end=at_end)
        assert not miss.matters, (item.id, miss)
        assert at_end == (item.cell["depth"] == 100)


def test_a_build_names_the_cells_that_miss_and_by_how_much() -> None:
    sentence = "and so the road went on past the mill and over the hill " * 40
    text = "\n\n".join(f"It was late {sentence.strip()}." for _ in range(12))
    built = Built([Document.of("d", text)], lengths="3k", depths="50", facts=2, prompts="standard")
    (item,) = built.items.values()
    off = round(float(item.realised["depth"]) - 50, 2)
    assert abs(off) > 2
    assert built.draft.build["misses"] == {"3000-50": {"length_percent": pytest.approx(0, abs=1), "depth_points": off}}
    assert built.warnings == [
        "1 of 1 cells miss their length by more than 1 % or their depth by more than 2 points (no sentence ends "
        f"nearer): 3000-50 (depth {off:+.1f} points)"
    ]


def test_cells_with_the_same_context_are_one() -> None:
    built = Built(
        [Document.of("d", text_of("curly"))], lengths="600", depths="80,90,100", facts=10, prompts="standard", sets=1
    )
    assert [item.cell["depth"] for item in built.items.values()] == [100]
    assert built.draft.build["merged"] == {"600-80": "600-100", "600-90": "600-100"}
    assert built.warnings[-1].startswith("2 cells would have the same context as another and are left out: 600-")


def test_a_needle_is_wrapped_like_the_text_around_it() -> None:
    documents = [Document.of(kind, text_of(kind)[:50_000]) for kind in ("novel", "straight")]
    built = Built(documents, lengths="20k", depths="5..100/5", prompts="standard", seed=3, decoys=0)
    widths = set()
    for item in built.items.values():
        planted = built.texts[item.placed[0].insert]
        (first, *_) = item.context.pieces
        assert isinstance(first, Span)
        wrapped = any(
            place.start < first.end <= place.end and place.document.id == "novel"
            for place in built.corpus.info.documents
        )
        lines = planted.text.strip().split("\n")
        assert (len(lines) > 3) == wrapped, item.id
        assert all(len(line) <= 72 for line in lines) == wrapped
        widths.add(len(lines) > 1)
    assert widths == {True, False}


def test_in_code_a_needle_is_a_comment_between_lines() -> None:
    text = text_of("code")
    marker = layout_of(text).marker
    assert marker
    built = Built([Document.of("c", text)], lengths="6k", depths="10..90/20", prompts="standard", decoys=0)
    for item in built.items.values():
        planted = built.texts[item.placed[0].insert]
        lines = planted.text.strip("\n").split("\n")
        assert all(line.lstrip().startswith(f"{marker} ") for line in lines)
        first, _, rest = item.context.pieces
        assert isinstance(first, Span)
        assert isinstance(rest, Span)
        before, after = text.encode()[: first.end], text.encode()[rest.start :]
        assert text.encode()[first.end : rest.start].count(b"\n"), "between two lines"
        assert before + text.encode()[first.end : rest.start] + after == text.encode()
        indent = len(after) - len(after.lstrip(b" "))
        assert abs(len(lines[0]) - len(lines[0].lstrip()) - indent) <= 2
        for mark in planted.facts:
            assert planted.text.encode()[mark.start : mark.end].decode().endswith(".")


def test_scattered_facts_stand_in_lines_of_their_own_in_wrapped_text() -> None:
    built = Built(
        [Document.of("n", text_of("novel"))],
        lengths="16k",
        protocols="distribution",
        distributions="uniform",
        facts=10,
        prompts="standard",
    )
    built.check_counts()
    (item,) = built.items.values()
    for place in item.placed:
        planted = built.texts[place.insert].text
        assert planted.startswith("\n")
        assert all(len(line) <= 72 for line in planted.split("\n"))
        assert built.text(item).encode()[place.start + len(planted.encode()) :].startswith(b"\n")
