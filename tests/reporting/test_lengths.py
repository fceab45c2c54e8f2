"""What holds at one length: which length it is, the ranking there, what a request takes there, and the picture."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect
from tests.command_line import longreach as command
from tests.command_line import result
from tests.present import some
from tests.rows import make_row

import longreach
from longreach.core.types import Call, Row, Verdict
from longreach.errors import BadInput
from longreach.models.prices import parse_price
from longreach.reporting.lengths import LengthPart, measured_length, relations
from longreach.reporting.page import Contents, FamilyPart, write_page
from longreach.reporting.views import Report
from longreach.stats.intervals import Sample, balance, difference_estimate, parted

from .conftest import NEEDLES

LENGTHS = (8000, 64000)


class Skill:
    """What a model gets right of ten questions per context, by length and question type, and what a request takes."""

    def __init__(
        self,
        right: Mapping[int, tuple[float, float, float]],
        cost: float | None = None,
        seconds: float = 0.0,
        **calls: object,
    ) -> None:
        self.right, self.cost, self.seconds, self.calls = right, cost, seconds, calls


def make(models: Mapping[str, Skill], *, contexts: int = 12, at: float | None = None, **report: object) -> Report:
    """Every model on the same questions: the share that it gets right is the same in every context."""
    rows: list[Row] = []
    calls: list[Call] = []
    for model, skill in models.items():
        for length, rates in skill.right.items():
            for context in range(contexts):
                item = f"{length}/{context}"
                for kind, rate in zip(("literal", "inference", "abstention"), rates, strict=True):
                    for number in range(10):
                        rows.append(
                            make_row(
                                model=model,
                                bench="b1",
                                item=item,
                                question=f"{kind}-{item}-{number}",
                                question_type=kind,
                                cell={"length": length, "depth": context, "prompt": "standard"},
                                context=item,
                                verdict=Verdict(status="scored", value=float((number + 3 * context) % 10 < 10 * rate)),
                            )
                        )
                more = {"tokens_in": length, "cost": skill.cost, "seconds": skill.seconds} | skill.calls
                given: dict[str, object] = {
                    "model": model,
                    "family": "needles",
                    "bench": "b1",
                    "item": item,
                    "text": "",
                }
                calls.append(Call.parse(given | more, "test"))
    settings: dict[str, object] = {"title": "t", "rows": rows, "calls": calls, "families": (NEEDLES,), "at": at}
    return Report.parse(settings | report, "test")


def family(report: Report) -> FamilyPart:
    return Contents(report).families[0]


def part(report: Report, length: float) -> LengthPart:
    return next(each for each in family(report).lengths if each.length == length)


def both(one: tuple[float, float, float], other: tuple[float, float, float]) -> dict[int, tuple[float, float, float]]:
    return dict(zip(LENGTHS, (one, other), strict=True))


@pytest.mark.parametrize(
    ("asked", "taken", "words"),
    [
        (64000, 64000, ""),
        (64300, 64000, ""),
        (60000, 64000, "60k was not measured; these are the results at 64k, the next longer length that was."),
        (9000, 64000, "next longer"),
        (2000, 8000, "next longer"),
        (200000, 64000, "They do not show how a model does at 200k."),
    ],
)
def test_a_length_between_two_is_answered_by_the_next_longer_one(asked: float, taken: float, words: str) -> None:
    length, said = measured_length(asked, LENGTHS)
    assert length == taken
    assert said == "" if not words else words in said


def test_the_ranking_the_sentences_and_the_numbers_follow_the_length() -> None:
    models = {
        "far": Skill(both((0.8, 0.8, 0.8), (0.8, 0.8, 0.8))),
        "near": Skill(both((1.0, 1.0, 1.0), (0.4, 0.4, 0.4))),
    }
    whole, there = family(make(models)), family(make(models, at=60000))
    assert [line.model for line in there.ranking.lines] == ["far", "near"]  # type: ignore[union-attr]
    assert [line.place for line in there.ranking.lines] == [1, 2]  # type: ignore[union-attr]
    assert whole.at is None
    assert some(there.at).length == 64000
    assert all(" at 64k (" in each.statements[0].text for each in there.verdicts)
    assert "at 64k (80 of 100 right, 95 % CI " in there.verdicts[0].sentence
    assert "far is shown to be more accurate than near." in relations(some(there.ranking).pairs)
    # The same result whether it is asked for or chosen on the page.
    assert part(make(models), 64000) == some(there.at)
    assert [line.model for line in part(make(models), 8000).ranking.lines] == ["near", "far"]


def test_every_question_type_has_the_same_weight_however_often_it_is_asked() -> None:
    """Ranking, accuracy and paired differences mean the same thing."""
    report = make({"a": Skill(both((1, 1, 1), (1.0, 1.0, 0.0))), "b": Skill(both((1, 1, 1), (0.4, 0.4, 0.8)))})
    few = [row for row in report.rows if row.question_type != "inference" or row.question.endswith("-0")]
    found = part(report.model_copy(update={"rows": tuple(few)}), 64000)
    score = {line.model: line.numbers[0].value or 0.0 for line in found.ranking.lines}
    assert score["a"] == pytest.approx(2 / 3)
    (pair,) = found.ranking.pairs
    sign = 1 if pair.first == "a" else -1
    assert sign * pair.difference.value == pytest.approx(score["a"] - score["b"])


def test_models_that_are_not_told_apart_share_a_place_and_are_named() -> None:
    equal = Skill(both((0.9, 0.9, 0.9), (0.7, 0.7, 0.7)))
    found = part(make({"a": equal, "b": equal, "c": Skill(both((0.9, 0.9, 0.9), (0.1, 0.1, 0.7)))}), 64000)
    assert [line.place for line in found.ranking.lines] == [1, 1, 3]
    assert "not told apart from a" in found.ranking.lines[1].tie
    assert relations(found.ranking.pairs).startswith(
        "a is shown to be more accurate than c. b is shown to be more accurate than c. a cannot be told from b."
    )
    assert "together over 3 pairs (Bonferroni)" in relations(found.ranking.pairs)


def test_more_models_widen_the_intervals_between_them() -> None:
    pair = {"a": Skill(both((0.9, 0.9, 0.9), (0.8, 0.8, 0.8))), "b": Skill(both((0.9, 0.9, 0.9), (0.6, 0.7, 0.8)))}
    more = pair | {f"m{n}": Skill(both((0.9, 0.9, 0.9), (0.1, 0.1, 0.1))) for n in range(8)}
    two, ten = (part(make(models), 64000).ranking.pairs[0].difference for models in (pair, more))
    assert two.value == ten.value
    assert ten.low < two.low < two.high < ten.high


def test_a_few_contexts_decide_where_all_is_right_or_all_is_wrong() -> None:
    found = part(
        make({"a": Skill(both((1, 1, 1), (1, 1, 1))), "b": Skill(both((0, 0, 0), (0, 0, 0)))}, contexts=4), 64000
    )
    assert [line.model for line in found.ranking.lines] == ["a", "b"]
    assert found.sentences["a"].startswith("a holds at 64k (100 of 100 right, 95 % CI 9")


def test_types_with_a_context_of_their_own_show_nothing_together() -> None:
    """Many contexts, but one per question type: nothing is known of other contexts of any type."""
    report = make({"a": Skill(both((1, 1, 1), (1, 1, 1))), "b": Skill(both((0, 0, 0), (0, 0, 0)))})
    own = [row.model_copy(update={"context": f"{row.cell['length']} {row.question_type}"}) for row in report.rows]
    found = part(report.model_copy(update={"rows": tuple(own)}), 64000)
    assert "cannot be told from" in relations(found.ranking.pairs)
    assert "too few: 1 context" in found.ranking.lines[1].tie


def test_a_model_that_was_not_asked_there_is_named() -> None:
    half = Skill({8000: (1.0, 1.0, 1.0)})
    report = make({"a": Skill(both((1, 1, 1), (1, 1, 1))), "half": half}, at=64000)
    assert family(report).at.missing == ("half",)  # type: ignore[union-attr]
    assert "Needles in a story: not measured at 64k tokens: half." in Contents(report).notes


def test_a_request_costs_what_was_sent_and_answered() -> None:
    """Neither answers of earlier runs nor failures make a model cheap or fast; a batch has no time."""
    right = both((1, 1, 1), (1, 1, 1))
    sent = make({"a": Skill(right, cost=0.02, seconds=4.0)})
    calls = list(sent.calls)
    calls[1::4] = [call.model_copy(update={"reused": True, "cost": 0.0, "seconds": 0.0}) for call in calls[1::4]]
    calls[2::4] = [call.model_copy(update={"error": "no", "cost": None, "seconds": 0.1}) for call in calls[2::4]]
    used = part(sent.model_copy(update={"calls": tuple(calls)}), 64000).usage["a"]
    assert used.cost == pytest.approx(0.02)
    assert used.seconds == pytest.approx(4.0)
    assert used.requests == 6
    batch = make({"a": Skill(right, cost=0.02, seconds=7000.0, settings={"batch": True})})
    assert part(batch, 64000).usage["a"].seconds is None
    assert part(make({"local": Skill(right, cost=0.0)}), 64000).usage["local"].cost is None


def test_times_of_streamed_answers_are_charted_by_length_where_they_are_recorded() -> None:
    rates = both((1, 1, 1), (1, 1, 1))
    streamed = Skill(rates, seconds=3.0, first_token=1.0, tokens_out=11)
    panels = {}
    for name, models in {"some": {"a": streamed, "b": Skill(rates, seconds=2.0)}, "none": {"b": Skill(rates)}}.items():
        made = family(make(models))
        figures = {figure.id: figure for figure in Contents(make(models)).every_figure()}
        drawn = figures.get("needles-per-request")
        panels[name] = {panel.name: panel for panel in drawn.panels} if drawn else {}
        used = made.lengths[0].usage
        if name == "some":
            assert (used["a"].first_token, round(used["a"].output_token or 0, 9)) == (1.0, 0.2)
        assert (used["b"].first_token, used["b"].output_token) == (None, None)
    assert not panels["none"]
    drawn_for = {name: set(re.findall(r"<title>(\w+), 8k", panel.svg)) for name, panel in panels["some"].items()}
    assert drawn_for == {"seconds": {"a", "b"}, "first_token": {"a"}, "output_token": {"a"}}
    one = make({"a": Skill(rates, seconds=3.0, first_token=3.0, tokens_out=1)})
    assert family(one).lengths[0].usage["a"].output_token is None, "one token has no time after the first"


def test_a_cache_does_not_make_a_model_look_cheap() -> None:
    """The picture has the price of requests that share nothing, where it is known."""
    right = both((0.9, 0.9, 0.9), (0.9, 0.9, 0.9))
    price = parse_price("1,0.1,5")
    cheap = price.cost(64000, 63000, 0)
    skills = {
        "cached": Skill(right, cost=cheap, tokens_cached=63000),
        "plain": Skill(right, cost=price.cost(64000, 0, 0) * 0.9),
    }
    found = part(make(skills, prices={("cached", "b1"): price}), 64000)
    used = found.usage["cached"]
    assert used.cost == pytest.approx(cheap)
    assert used.uncached == pytest.approx(0.064)
    assert "if nothing is cached" in some(found.picture).svg
    heads = [column.title for column in found.ranking.columns]
    assert heads[-2:] == ["Cost per request", "Without cache"]


def test_grey_is_what_another_beats_at_no_higher_cost() -> None:
    good, bad = both((0.9, 0.9, 0.9), (0.9, 0.9, 0.9)), both((0.9, 0.9, 0.9), (0.3, 0.3, 0.9))
    found = part(
        make(
            {
                "good": Skill(good, cost=0.02),
                "as good, dearer": Skill(good, cost=0.09),
                "bad, dearer": Skill(bad, cost=0.05),
                "bad, cheaper": Skill(bad, cost=0.01),
            }
        ),
        64000,
    )
    assert found.dominated == ("bad, dearer",), "as good is not shown to be worse; cheaper is another offer"
    assert re.search(r'class="marker m9".{0,120}<title>bad, dearer', some(found.picture).svg)
    assert "grey: another costs no more and is shown to be more accurate" in some(found.picture).note


def test_a_model_that_hallucinates_makes_no_other_grey() -> None:
    """Right on everything that the text answers and wrong on all that it does not: accurate on the whole, and last."""
    found = part(
        make(
            {
                "invents": Skill(both((1, 1, 0), (1.0, 1.0, 0.0)), cost=0.01),
                "careful": Skill(both((0.3, 0.3, 0.9), (0.2, 0.2, 0.9)), cost=0.02),
            }
        ),
        64000,
    )
    (pair,) = found.ranking.pairs
    assert pair.better == "invents"
    assert [line.model for line in found.ranking.lines] == ["careful", "invents"]
    assert found.dominated == ()
    assert "invents (hallucinates)" in some(found.picture).svg


@pytest.mark.parametrize(
    ("cost", "seconds", "picture", "why"),
    [
        (0.01, 0.0, "against cost", ""),
        (None, 2.0, "against time", ""),
        (0.0, 2.0, "against time", ""),
        (None, 0.0, "", "no price per token is known (--price gives it)"),
    ],
)
def test_without_a_price_there_is_time_or_one_line(cost: float | None, seconds: float, picture: str, why: str) -> None:
    skill = Skill(both((1, 1, 1), (0.5, 0.5, 0.5)), cost=cost, seconds=seconds)
    found = part(make({"a": skill, "b": skill}), 64000)
    assert (picture in found.picture.svg) if found.picture else not picture
    assert why in found.why_none


def test_labels_of_equal_models_do_not_cover_each_other() -> None:
    skill = Skill(both((0.8, 0.8, 0.8), (0.8, 0.8, 0.8)), cost=0.01)
    found = part(make({f"model-{number}": skill for number in range(6)}), 64000)
    heights = sorted(float(y) for y in re.findall(r'<text class="halo"[^>]* y="([\d.]+)"', some(found.picture).svg))
    assert len(heights) == 6
    assert min(b - a for a, b in pairwise(heights)) >= 11


def test_long_names_stay_inside_the_picture() -> None:
    long = "maker/a-model-with-a-name-that-says-everything-about-it-2026-11-18"
    models = {f"{long}-{n}": Skill(both((1, 1, 0), (0.9, 0.9, 0.0)), cost=0.01 * 10**n) for n in range(3)}
    found = part(make(models), 64000)
    for x, end, text in re.findall(
        r'<text class="halo" x="([\d.]+)"[^>]*text-anchor="(\w+)">([^<]+)', some(found.picture).svg
    ):
        wide = 6.4 * len(text)
        left, right = (float(x), float(x) + wide) if end == "start" else (float(x) - wide, float(x))
        assert left >= 0
        assert right <= 440
        assert text.endswith("(hallucinates)")


def test_no_lengths_no_at() -> None:
    report = make({"a": Skill({8000: (1, 1, 1)})}, at=8000)
    bare = [row.model_copy(update={"cell": {"prompt": "standard"}}) for row in report.rows]
    with pytest.raises(BadInput, match="no lengths in tokens"):
        Contents(report.model_copy(update={"rows": tuple(bare)}))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    settings = {"lengths": "600,1200", "depths": "10..90/10", "sets": 2, "questions": 2, "prompts": "standard"}
    longreach.build("needles", folder / "bench", docs=docs, warn=lambda _: None, settings=settings)
    longreach.simulate(folder / "bench", "perfect", folder / "runs", price="2,0.2,8")
    longreach.simulate(folder / "bench", "cliff,at=600", folder / "runs", price="1,0.1,4")
    return folder / "runs"


def test_the_command_says_which_length_it_took(runs: Path, tmp_path: Path) -> None:
    done = command("report", runs, "-o", tmp_path / "page.html", "--at", "1k")
    assert "at 1.2k tokens" in " ".join(done.out.split())
    assert "simulated/perfect on the whole text" in done.out, "the screen of decide"
    assert "1k was not measured; these are the results at 1.2k" in done.err
    data = result("report", runs, "-o", tmp_path / "page.html", "--at", "1k")
    (found,) = data["families"]
    assert (data["at"], found["at"]) == (1000, 1200)
    assert [each["model"] for each in found["ranking"]] == ["simulated/perfect", "simulated/cliff,at=600"]
    assert [each["length"] for each in found["by_length"]] == [600, 1200]
    assert found["by_length"][1]["ranking"] == found["ranking"]
    cost = found["by_length"][1]["per_request"]["simulated/perfect"]["cost"]
    shown = {each["column"]: each["value"] for each in found["ranking"][0]["numbers"]}
    assert shown["Cost per request"] == cost
    assert longreach.report(runs, tmp_path / "p.html", at="1k").numbers.families[0].at == 1200


@pytest.mark.parametrize("value", ["0", "-3", "many", "50%"])
def test_what_is_no_length_is_refused_in_one_line(runs: Path, tmp_path: Path, value: str) -> None:
    command("report", runs, "-o", tmp_path / "page.html", "--at", value, code=2)
    with pytest.raises(BadInput):
        longreach.report(runs, tmp_path / "page.html", at=value)


def test_the_page_switches_to_a_length_and_its_address_keeps_it(browser: Browser, tmp_path: Path) -> None:
    near, far = both((1, 1, 1), (0.4, 0.4, 0.4)), both((0.8, 0.8, 0.8), (0.8, 0.8, 0.8))
    report = make({"near": Skill(near, cost=0.01, seconds=1.0), "far": Skill(far, cost=0.02, seconds=2.0)})
    write_page(report, tmp_path / "page.html")
    for wide in (1280, 390):
        page = browser.new_page(viewport={"width": wide, "height": 900})
        page.goto((tmp_path / "page.html").as_uri())
        first = page.locator(".rank:visible tbody tr").first
        chooser = page.locator("[data-lengths] select")
        expect(chooser).to_have_value("")
        chooser.select_option("8k")
        expect(first).to_contain_text("near")
        expect(page.locator("#needles-cost-8k svg").first).to_be_visible()
        chooser.select_option("64k")
        expect(first).to_contain_text("far")
        expect(page.locator("#needles-cost-8k svg").first).to_be_hidden()
        link = page.url
        page.goto("about:blank")
        page.goto(link)
        expect(page.locator(".rank:visible tbody tr").first).to_contain_text("far")
        assert page.evaluate("document.documentElement.scrollWidth") <= wide
        chooser.select_option("")
        expect(page.locator(".rank:visible")).to_have_count(1)
        assert page.url.endswith("page.html")
        page.close()


def _difference(
    rng: np.random.Generator, rates: tuple[tuple[float, ...], ...], sizes: Iterable[int], alike: float
) -> tuple[float, float]:
    """The interval of a paired difference over question types, asked about twelve contexts."""
    gaps, contexts, kinds = [], [], []
    for context in range(12):
        whole = [rng.random() if rng.random() < alike else math.nan for _ in rates]
        for kind, size in enumerate(sizes):
            for _ in range(size):
                luck = [rng.random() if math.isnan(one) else one for one in whole]
                right = [float(luck[model] < rate[kind]) for model, rate in enumerate(rates)]
                gaps.append(right[0] - right[1])
                contexts.append(context)
                kinds.append(kind)
    types = np.array(kinds)
    found = difference_estimate(parted(Sample.of(gaps, contexts=contexts), types), 0.95, balance(types))
    return found.low, found.high


def test_what_contexts_have_in_common_counts_however_many_types_are_asked_about_them() -> None:
    """With more question types than contexts, contexts are still a sample, not a part of the design."""
    rng = np.random.default_rng(3)
    few, many = (
        np.mean(
            [high - low for low, high in (_difference(rng, ((0.5,) * n, (0.5,) * n), (2,) * n, 1.0) for _ in range(40))]
        )
        for n in (2, 14)
    )
    assert many > 0.8 * few, "answers over one context are the same: more of them show no more"


@pytest.mark.parametrize("alike", [0.5, pytest.param(0.0, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("sizes", "rates"),
    [
        ((3, 3, 3), ((0.9, 0.8, 0.7), (0.8, 0.7, 0.7))),
        ((8, 2, 1), ((0.5, 0.9, 0.2), (0.5, 0.3, 0.8))),
        pytest.param((3, 3, 3), ((0.5, 0.9, 0.2), (0.5, 0.3, 0.8)), marks=pytest.mark.long),
        pytest.param((8, 2, 1), ((0.9, 0.8, 0.7), (0.8, 0.7, 0.7)), marks=pytest.mark.long),
    ],
)
def test_the_interval_between_two_models_covers_the_truth(
    sizes: tuple[int, ...], rates: tuple[tuple[float, ...], ...], alike: float
) -> None:
    rng = np.random.default_rng(5)
    truth = float(np.mean(rates[0]) - np.mean(rates[1]))
    ends = [_difference(rng, rates, sizes, alike) for _ in range(200)]
    assert np.mean([low <= truth <= high for low, high in ends]) >= 0.92
