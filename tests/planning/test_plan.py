from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.present import some
from tests.texts import shared_beginning

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.families import get_family
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.families.showing import item_prompt
from longreach.models.prices import Limits
from longreach.models.tokenizers import get_tokenizer
from longreach.planning.cost import Speed
from longreach.planning.plan import ModelPlan, Plan, PlanSettings, fit_warnings, plan_bench, plan_items, token_ratio
from longreach.planning.prefix_tree import BenchPromptSource, PrefixTree, tree_of

QUICK = PlanSettings(sample=False)


def built(docs: Path, folder: Path, **settings: object) -> Bench:
    spec = make_spec("needles", {"docs": [str(docs)], "facts": 2, "questions": 1} | settings)
    return build_bench(spec, folder, BuildContext(warn=lambda _: None))


@pytest.fixture(scope="module")
def grid(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("plan") / "b"
    return built(
        docs, folder, lengths="400..2000/400", depths="0..100/20", ask="each", question_types="literal,abstention"
    )


@pytest.fixture(scope="module")
def comb(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("comb") / "b"
    return built(docs, folder, lengths="1500..7500/1500", depths="20..100/20", layout="comb")


@pytest.fixture(scope="module")
def spread(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("spread") / "b"
    return built(docs, folder, lengths="6000", protocols="distribution", facts=10, questions=2)


@pytest.fixture(params=["grid", "bench", "comb", "spread"])
def any_bench(request: pytest.FixtureRequest) -> Bench:
    found: Bench = request.getfixturevalue(request.param)
    return found


def test_prefill_is_what_a_server_that_keeps_the_last_prompt_computes(any_bench: Bench) -> None:
    """By tokens: those that two prompts begin with, by the tokenizer's own boundaries in each whole prompt."""
    tokenizer = get_tokenizer("o200k_base")
    items = tree_of(any_bench).items
    texts = [item_prompt(any_bench, item) for item in items]
    ends = tokenizer.boundaries(texts)
    prefill, slack = items[0].tokens, 0
    for number in range(1, len(items)):
        before, item = items[number - 1], items[number]
        same = shared_beginning(texts[number - 1].encode(), texts[number].encode())
        mine, theirs = (set(ends[at][ends[at] <= same].tolist()) for at in (number - 1, number))
        prefill += item.tokens - len(mine & theirs)
        # Where texts part, a full stop and the break behind it can be one token or two; within rules and questions the
        # tokens they share are in proportion to words.
        slack += 3 if before.context == item.context else 2
    plan = plan_bench(any_bench, ["embedded"], settings=QUICK).models[0]
    assert abs(plan.prefill_tokens - prefill) <= slack
    assert abs(plan.prefill_tokens - prefill) <= 0.01 * prefill
    assert prefill < plan.input_tokens / 2
    assert plan.input_tokens == sum(item.tokens for item in items)
    assert plan.cached_tokens == plan.input_tokens - plan.prefill_tokens
    assert plan.requests == len(items)


def test_what_is_shared_is_counted_through_context_and_rules(any_bench: Bench) -> None:
    tokenizer = get_tokenizer("o200k_base")
    for item in any_bench.items.values():
        text = item_prompt(any_bench, item)
        assert item.through_context == tokenizer.count(text[: text.index("</story>")].rstrip("\n"))
        assert item.context.tokens < item.through_context < item.through_rules < item.tokens


def test_output_is_what_the_answers_may_need(grid: Bench, bench: Bench) -> None:
    family = get_family("needles")
    for each in (grid, bench):
        needed = [
            family.answer_tokens([each.questions[name] for name in item.questions]) for item in each.items.values()
        ]
        assert plan_bench(each, ["embedded"], settings=QUICK).models[0].output_tokens == sum(needed)


def test_a_plan_reads_no_text_and_needs_no_tokenizer(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = plan_bench(bench, ["openai/gpt-4o-mini"], settings=QUICK)
    shutil.copytree(bench.folder, tmp_path / "b")
    text = tmp_path / "b" / "corpus.txt"
    text.write_bytes(b"?" * text.stat().st_size)
    monkeypatch.setattr("longreach.models.tokenizers.get_tokenizer", None)
    monkeypatch.setattr("longreach.planning.plan.get_tokenizer", None)
    assert plan_bench(Bench.open(tmp_path / "b", verify=False), ["openai/gpt-4o-mini"], settings=QUICK) == expected


def test_money_by_the_providers_rules(bench: Bench) -> None:
    tree = PrefixTree(bench.items.values(), BenchPromptSource(bench))
    one = PlanSettings(sample=False, workers=1)
    (given,) = plan_bench(bench, ["nobody/x"], settings=one.model_copy(update={"price": "3,0.3,15"})).models
    # A price for cached tokens does not say that this server has a cache.
    assert given.cost == given.cost_naive == pytest.approx((tree.input_tokens * 3 + given.output_tokens * 15) / 1e6)
    assert "cost without cache: it is not known" in "\n".join(Plan(bench="", models=(given,)).lines(details=True))

    (hosted,) = plan_bench(bench, ["openai/gpt-4o-mini"], settings=one).models
    served = [shared // 128 * 128 for shared in tree.shared]
    cached = sum(tokens for tokens in served if tokens >= 1024)
    assert hosted.caches["provider"] == tree.input_tokens - cached
    rates = some(hosted.price).rates
    fresh = (tree.input_tokens - cached) * rates.input + cached * (rates.cached or 0)
    assert hosted.cost == pytest.approx((fresh + hosted.output_tokens * rates.output) / 1e6)

    (marked,) = plan_bench(bench, ["anthropic/claude-sonnet-4-5"], settings=one).models
    assert some(marked.cost) < some(marked.cost_naive)

    (unknown,) = plan_bench(bench, ["nobody/x"], settings=one).models
    assert unknown.cost is None
    assert unknown.cost_naive is None
    (local,) = plan_bench(bench, ["embedded"], settings=one).models
    assert local.cost == 0


def test_each_model_has_its_own_price(bench: Bench) -> None:
    settings = PlanSettings(sample=False, price={"a/x": "1,1", "*": "2,2"})
    first, second, third = plan_bench(bench, ["a/x", "a/y", "a/z"], settings=settings).models
    assert second.cost == third.cost == pytest.approx(2 * some(first.cost))
    (listed,) = plan_bench(bench, ["openai/gpt-4o-mini"], settings=PlanSettings(sample=False)).models
    only = PlanSettings(sample=False, price={"a/x": "1,1"})
    assert plan_bench(bench, ["openai/gpt-4o-mini"], settings=only).models[0].price == listed.price


@pytest.mark.parametrize(
    ("model", "generation", "warned"),
    [
        ("openai/gpt-5-mini", {}, True),
        ("openai/gpt-5-mini", {"reasoning_effort": "none"}, False),
        ("anthropic/claude-sonnet-4-5", {}, False),
        ("anthropic/claude-sonnet-4-5", {"reasoning_tokens": 2048}, True),
        ("openai-api/x/y", {"reasoning_effort": "high"}, True),
    ],
)
def test_reasoning_is_warned_of_where_the_model_will_reason(
    bench: Bench, model: str, generation: dict[str, Any], warned: bool
) -> None:
    (planned,) = verbs.plan(bench, model, generation=generation, sample=False).models
    assert any("reasoning tokens are not included" in warning for warning in planned.warnings) == warned


def test_no_speed_is_measured_where_nothing_is_left_to_send(bench: Bench) -> None:
    (nothing,) = plan_items(bench, [], ["embedded"], measured=pytest.fail).models
    assert (nothing.requests, nothing.speed) == (0, None)


def test_time_from_a_given_or_a_measured_rate_and_from_limits(bench: Bench) -> None:
    def plan(model: str = "embedded", measured: Speed | None = None, **settings: Any) -> ModelPlan:
        return plan_bench(
            bench, [model], settings=PlanSettings(sample=False, **settings), measured=lambda _: measured
        ).models[0]

    assert plan().seconds is None
    given = plan(rate=250, rate_out=20)
    assert given.seconds == pytest.approx(given.prefill_tokens / 250 + given.output_tokens / 20)
    assert plan(measured=Speed(prefill=250, decode=20)).seconds == given.seconds
    assert plan(measured=Speed(prefill=1), rate=250, rate_out=20).seconds == given.seconds
    assert plan(rpm=2).seconds == pytest.approx(30 * given.requests)
    everything = given.input_tokens + given.output_tokens
    assert plan(tpm=everything).seconds == pytest.approx(60)
    assert plan("nobody/x", rate=250, workers=2).seconds < plan("nobody/x", rate=250, workers=1).seconds  # type: ignore[operator]
    assert not any("hours" in warning for warning in plan(rpm=2).warnings)
    (told,) = [warning for warning in plan(rpm=0.05).warnings if "hours" in warning]
    assert told == "embedded takes 8 h 0 min at 0.05 requests per minute, more than 4 hours"
    assert not any("hours" in warning for warning in plan(rpm=0.05, hours=9).warnings)


def test_without_sharing_everything_is_computed_and_paid(bench: Bench) -> None:
    settings = PlanSettings(sample=False, sharing=False, rate=100)
    (part,) = plan_bench(bench, ["openai/gpt-4o-mini"], settings=settings).models
    assert part.prefill_tokens == part.input_tokens == part.prefill_workers
    assert part.cached_tokens == 0
    assert set(part.caches.values()) == {part.input_tokens}
    assert part.cost == part.cost_naive


def test_the_rest_of_a_run(bench: Bench) -> None:
    left = tree_of(bench).items[10:]
    (rest,) = plan_items(bench, left, ["embedded"], settings=QUICK).models
    (whole,) = plan_bench(bench, ["embedded"], settings=QUICK).models
    assert (rest.requests, rest.requests_done, whole.requests_done) == (14, 10, 0)
    assert rest.input_tokens == sum(item.tokens for item in left)
    assert rest.prefill_tokens < whole.prefill_tokens
    (none,) = plan_items(bench, [], ["embedded", "openai/gpt-4o-mini"], settings=QUICK).models[:1]
    assert (none.requests, none.input_tokens, none.cost) == (0, 0, 0)


def test_workers_compute_little_more_than_one(grid: Bench) -> None:
    for workers in (2, 4):
        (part,) = plan_bench(grid, ["vllm/x"], settings=PlanSettings(sample=False, workers=workers)).models
        assert part.workers == workers
        assert part.branches >= 2
        assert part.prefill_tokens < part.prefill_workers < 1.15 * part.prefill_tokens
        sizes = [part.caches[f"blocks_{times}x"] for times in (1, 2, 4)]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] > 1.5 * sizes[2]


def test_another_tokenizer_is_told_with_its_measured_ratio(bench: Bench, docs: Path, tmp_path: Path) -> None:
    assert plan_bench(bench, ["openai/gpt-4o-mini"]).models[0].warnings == ()
    (unknown,) = plan_bench(bench, ["openai/x"]).models[0].warnings
    assert unknown == (
        "lengths are counted by o200k_base; the tokenizer of openai/x is not available, so all counts are estimates"
    )
    other = built(docs, tmp_path / "b", lengths="400", depths="50", tokenizer="cl100k_base")
    (told,) = plan_bench(other, ["openai/gpt-4o-mini"]).models[0].warnings
    text = other.corpus.read(0, 200_000)
    ratio = get_tokenizer("o200k_base").count(text) / get_tokenizer("cl100k_base").count(text)
    assert told == (
        "lengths are counted by cl100k_base, not by openai/gpt-4o-mini's own tokenizer, which yields "
        f"{ratio:.2f} tokens per benchmark token (sampled): all counts are estimates"
    )
    (quick,) = plan_bench(other, ["openai/gpt-4o-mini"], settings=QUICK).models[0].warnings
    assert quick.endswith("not by openai/gpt-4o-mini's own tokenizer, so all counts are estimates")


def test_the_embedded_tokenizer_is_asked(docs: Path, tmp_path: Path, bench: Bench) -> None:
    ratio = some(token_ratio(bench, "embedded"))
    assert 1.0 < ratio < 1.3
    told = plan_bench(bench, ["embedded"]).models[0].warnings
    assert told[0].startswith("lengths are counted by o200k_base, not by embedded's own tokenizer, which yields 1.")
    own = built(docs, tmp_path / "own", lengths="400", depths="50", tokenizer="embedded")
    assert plan_bench(own, ["embedded"]).models[0].warnings == ()


def test_what_does_not_fit_is_told(docs: Path, tmp_path: Path, bench: Bench) -> None:
    long = built(docs, tmp_path / "long", lengths="8200", depths="50")
    over = plan_bench(long, ["embedded"], settings=QUICK).models[0].warnings[0]
    needed = max(item.tokens for item in long.items.values())
    assert over.startswith("the longest prompt and its answer need ")
    assert over.endswith(" tokens, embedded has 8192; it will overflow")
    assert int(over.split(" need ")[1].split()[0]) > needed > 8200
    wide = PlanSettings(sample=False, window=10_000)
    assert not any(
        "overflow" in warning for warning in plan_bench(long, ["embedded"], settings=wide).models[0].warnings
    )

    answer = max(
        get_family("needles").answer_tokens([bench.questions[one] for one in item.questions])
        for item in bench.items.values()
    )
    short = PlanSettings(sample=False, max_tokens=answer - 1)
    (cut,) = plan_bench(bench, ["openai/gpt-4o-mini"], settings=short).models[0].warnings
    assert (
        cut
        == f"the longest answer needs {answer} tokens, --max-tokens {answer - 1} cuts it off; give at least {answer}"
    )
    enough = plan_bench(bench, ["openai/gpt-4o-mini"], settings=PlanSettings(sample=False, max_tokens=answer)).models[0]
    assert enough.warnings == ()


def test_limits_of_input_and_output() -> None:
    def told(limits: Limits, ratio: float = 1.0, **sizes: int) -> list[str]:
        given = {"longest": 900, "needed": 1000, "answer": 100} | sizes
        return fit_warnings("m", limits, most=None, ratio=ratio, **given)

    assert told(Limits()) == []
    assert told(Limits(window=1000, input=900, output=100)) == []
    assert told(Limits(window=999)) == [
        "the longest prompt and its answer need 1000 tokens, m has 999; it will overflow"
    ]
    assert told(Limits(window=1000, input=899)) == [
        "the longest prompt has 900 tokens, m reads at most 899; it will overflow"
    ]
    assert told(Limits(output=99)) == ["the longest answer needs 100 tokens, m writes at most 99; it will be cut off"]
    assert told(Limits(window=1000), ratio=1.1) == [
        "the longest prompt and its answer need about 1100 tokens, m has 1000; it will overflow"
    ]


def test_the_table_compares_models_and_explains_on_request(bench: Bench) -> None:
    plan = plan_bench(bench, ["openai/gpt-4o-mini", "nobody/x"], settings=PlanSettings(sample=False, rate=900, rpm=10))
    lines = plan.lines()
    assert " ".join(lines[0].split()) == "model requests input prefill output cost without cache time"
    rows = lines[:3]
    assert [row.split()[0] for row in rows] == ["model", "openai/gpt-4o-mini", "nobody/x"]
    assert len({len(row) for row in rows}) == 1
    assert lines[3].startswith("output is for answers as asked; each is cut off at ")
    assert lines[4] == "unknown cost: give --price [MODEL=]IN,CACHED,OUT"
    details = plan.lines(details=True)
    assert details[:4] == lines[:4]
    text = "\n".join(details)
    assert "price        not in the price list; give --price [MODEL=]IN,CACHED,OUT" in text
    assert "(genai-prices " in text
    assert "x fewer by prefix caching, on a server that caches the last prompt" in text
    text = rows[1]
    assert "2 min" in text
