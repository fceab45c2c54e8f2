from __future__ import annotations

from pathlib import Path

import pytest
from tests.texts import shared_beginning

from sonde.core.bench import Bench
from sonde.families.base import Workshop
from sonde.families.building import build_bench, make_spec
from sonde.families.showing import item_prompt
from sonde.models.tokenizers import get_tokenizer
from sonde.planning.order import sending_order
from sonde.planning.plan import plan_bench


def built(docs: Path, folder: Path, **settings: object) -> Bench:
    spec = make_spec("needles", {"docs": [str(docs)], "facts": 2, "questions": 1} | settings)
    return build_bench(spec, folder, Workshop(warn=pytest.fail))


@pytest.fixture(scope="module")
def grid(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("plan") / "b"
    return built(docs, folder, lengths="400..2000/400", depths="0..100/20", ask="each", probes="literal,faithfulness")


@pytest.fixture(params=["grid", "quiz"])
def any_bench(request: pytest.FixtureRequest, grid: Bench, bench: Bench) -> Bench:
    return grid if request.param == "grid" else bench


def test_prefill_is_what_a_server_that_keeps_the_last_prompt_computes(any_bench: Bench) -> None:
    """By tokens: those that two prompts begin with, by the tokenizer's own boundaries in each whole prompt."""
    tokenizer = get_tokenizer("o200k_base")
    items = sending_order(any_bench)
    texts = [item_prompt(any_bench, item) for item in items]
    ends = tokenizer.boundaries(texts)
    prefill, slack = items[0].tokens, 0
    for number in range(1, len(items)):
        before, item = items[number - 1], items[number]
        same = shared_beginning(texts[number - 1].encode(), texts[number].encode())
        mine, theirs = (set(ends[at][ends[at] <= same].tolist()) for at in (number - 1, number))
        prefill += item.tokens - len(mine & theirs)
        # Where texts part, a full stop and the break behind it can be one token or two; two questions can begin with
        # the same words; and rules that two prompts have in common are not in the plan.
        slack += 2
        if before.context == item.context:
            slack += 6 if before.prompt == item.prompt else item.through_rules - item.through_story
    plan = plan_bench(any_bench, ["embedded"]).models[0]
    assert prefill - 2 * len(items) <= plan.prefill_tokens <= prefill + slack
    assert prefill < plan.input_tokens / 2
    assert plan.input_tokens == sum(item.tokens for item in items)
    assert plan.cached_tokens == plan.input_tokens - plan.prefill_tokens
    assert plan.requests == len(items)


def test_what_is_shared_is_counted_through_story_and_rules(any_bench: Bench) -> None:
    tokenizer = get_tokenizer("o200k_base")
    for item in any_bench.items.values():
        text = item_prompt(any_bench, item)
        assert item.through_story == tokenizer.count(text[: text.index("</story>")].rstrip("\n"))
        assert item.context.tokens < item.through_story < item.through_rules < item.tokens


def test_output_is_what_the_answer_sheets_may_need(grid: Bench, bench: Bench) -> None:
    from sonde.families import get_family

    family = get_family("needles")
    for each in (grid, bench):
        needed = [
            family.answer_tokens([each.questions[name] for name in item.questions]) for item in each.items.values()
        ]
        assert plan_bench(each, ["embedded"]).models[0].output_tokens == sum(needed)


def test_one_part_for_each_model_in_order(bench: Bench) -> None:
    plan = plan_bench(bench, ["openai/b", "embedded", "openai/a"])
    assert [part.model for part in plan.models] == ["openai/b", "embedded", "openai/a"]
    assert plan.bench == bench.info.digest
    assert len({part.prefill_tokens for part in plan.models}) == 1
    assert plan.models[0].summary().startswith("openai/b: 24 requests, ")


def test_another_tokenizer_and_an_overflow_are_told(docs: Path, tmp_path: Path, bench: Bench) -> None:
    assert plan_bench(bench, ["openai/x"]).models[0].warnings == ()
    (other,) = plan_bench(bench, ["embedded"]).models[0].warnings
    assert other == "lengths are counted by o200k_base, not by embedded's own tokenizer"
    long = built(docs, tmp_path / "long", lengths="8200", depths="50")
    over = plan_bench(long, ["embedded"]).models[0].warnings[0]
    needed = max(item.tokens for item in long.items.values())
    assert over.startswith("the longest prompt and its answer need ")
    assert over.endswith(" tokens, embedded has 8192; it will overflow")
    assert int(over.split(" need ")[1].split()[0]) > needed > 8200
