"""Validity checks on results: signs that a score does not mean what it seems to. Each names what it examined, whether
it is a warning, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from longreach.core.bench import Bench
from longreach.core.formatting import count, percent
from longreach.core.types import Estimate, Frozen, Item, Question, Row
from longreach.families import FAMILIES, get_family
from longreach.families.parts import Countable, Searchable, part_of
from longreach.families.reviewing import Criterion
from longreach.families.showing import assembler_of
from longreach.stats.counting import delivered, sample
from longreach.stats.intervals import Sample, difference_estimate, mean_estimate, wilson
from longreach.stats.series import grouped
from longreach.text.presence import fold, present_share

_LARGE = 0.1
"""A bias below this is not worth a warning, however clear."""
_WIDER = 2.807 / 1.96
"""Several labels are tested at once: each against a 99.5 % interval."""
_CUT = 0.01
_LENGTH_OFF, _DEPTH_OFF = 0.01, 2.0
_OFTEN = 0.05
_STYLE = 0.6
_GOOD = 0.9
"""The share of reviewed questions that should meet all criteria; the paper's benchmark had 92 %."""
_DECIDED = ("accepted", "edited", "rejected")
_FEWEST = 20
_MOST_SEARCHED = 40_000_000  # bytes of contexts
CLOSED = "closed_book"
CONTROL = "closed-book"
"""The check of a control: a failed one stands in the headline."""


class Check(Frozen):
    """One check of a model's results or of a benchmark."""

    id: str
    title: str
    family: str
    model: str = ""
    """Empty: it is about the benchmark."""
    warning: bool
    detail: str
    """What was found, in one sentence."""


def run_checks(rows: Sequence[Row], benches: Mapping[str, Bench], *, judge: str = "") -> tuple[Check, ...]:
    """Every check that these results and benchmarks allow; `judge` is the model that graded, if any."""
    found: list[Check] = []
    for digest, bench in benches.items():
        used = {item for row in rows if row.bench == digest for item in row.items}
        if used:
            found += _of_bench(bench, [item for item in bench.items.values() if item.id in used])
    for own in grouped(rows, lambda row: (row.model, row.family)).values():
        found += _of_model(own, benches, judge)
    return tuple(found)


def _check(family: str, model: str, id: str, title: str, warning: bool, detail: str) -> Check:
    return Check(id=id, title=title, family=family, model=model, warning=warning, detail=detail)


def _of_bench(bench: Bench, items: Sequence[Item]) -> list[Check]:
    check = partial(_check, bench.info.family, "")
    found = [*_option_cues(check, bench, items), *_style_of_build(check, bench)]
    found += [
        check("review", "Human review", not good, detail)
        for review in bench.build.get("reviews", ())
        for good, detail in [_review_result(review)]
        if detail
    ]
    same = [n for n in Counter(item.sha256 for item in items).values() if n > 1]
    detail = f"{count(sum(same), 'prompt')} occur in several cells"
    detail = detail if same else f"{count(len(items), 'prompt')}, all different"
    found.append(check("identical-cells", "Identical cells", bool(same), detail))
    lacking = [item.id for item in items if _lacks_gold(bench, item)]
    detail = f"{count(len(lacking), 'item')} without the evidence of a question: {', '.join(lacking[:3])}"
    detail = detail if lacking else "every question has its evidence in its context"
    found.append(check("gold-missing", "Gold missing", bool(lacking), detail))
    off = [item for item in items if _off(item)]
    detail = f"{len(off)} of {count(len(items), 'item')} miss their length by over 1 % or their depth by over 2 points"
    found.append(check("lengths-off", "Realised lengths off", len(off) > _OFTEN * len(items), detail))
    return found


def _option_cues(check: Callable[..., Check], bench: Bench, items: Sequence[Item]) -> list[Check]:
    """What guessing by the look of options scores: one that occurs in the text, the longest, the usual place."""
    asked = _asked_with_options(bench, items)
    if not asked:
        return []
    found: list[Check] = []
    chance = float(np.mean([1 / len(options) for _, options, _ in asked]))
    if searched := _present(bench, items, asked):
        what = "options that occur in the context"
        found.append(_cue(check, "option-present", "Options found in the text", searched, chance, what))
    longest = [max(options, key=lambda name: len(options[name])) == gold for _, options, gold in asked]
    score = mean_estimate(Sample.of(map(float, longest)))
    found.append(_cue(check, "style-cue", "Style cue", score, chance, "the longest option"))
    places = Counter(gold for _, _, gold in asked)
    place, often = places.most_common(1)[0]
    share = mean_estimate(Sample.of([float(gold == place) for _, _, gold in asked]))
    found.append(_cue(check, "place-cue", "Place cue", share, chance, f"always {place} ({often} of {len(asked)})"))
    return found


def _style_of_build(check: Callable[..., Check], bench: Bench) -> list[Check]:
    """What a classifier of style scored when the benchmark was built, if one was asked."""
    probe = bench.build.get("style_probe")
    if not isinstance(probe, dict) or probe.get("accuracy") is None:
        return []
    low, value = float(probe["low"]), float(probe["accuracy"])
    detail = f"a classifier that sees only style gets {percent(value)} right, guessing 50 % (n = {probe['n']})"
    return [check("style-cue", "Style cue", low > 0.5 and value >= _STYLE, detail)]


def _review_result(review: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether a review found a benchmark good enough, and its figures in one sentence; empty where it has none."""
    criteria = [Criterion.parse(one, "review") for one in review.get("criteria", ())]
    if not criteria or not criteria[-1].passed:
        return True, ""
    whole = criteria[-1]
    shares = [float(np.mean(list(one.passed.values()))) for one in criteria]
    single = ", ".join(f"{one.name} {percent(share)}" for one, share in zip(criteria[:-1], shares, strict=False))
    detail = f"{percent(shares[-1])} of {count(sum(review[name] for name in _DECIDED), 'question')} meet all criteria"
    detail += (
        f" ({single}), by {count(len(whole.passed), 'reviewer')}; {review['rejected']} were rejected and are left out"
    )
    for one in criteria:
        if one.both and one.kappa is not None:
            detail += f"; {one.name}: agreement {percent(one.agreement or 0.0)}, kappa {one.kappa:.2f}"
    if whole.both and whole.kappa is None:
        detail += f"; agreement {percent(whole.agreement or 0.0)} (n = {whole.both}), no kappa: nothing differs"
    return shares[-1] >= _GOOD, detail


def _of_model(own: Sequence[Row], benches: Mapping[str, Bench], judge: str) -> list[Check]:
    model, family = own[0].model, own[0].family

    check, found = partial(_check, family, model), []
    if bias := _label_bias(own, benches):
        label, gap = bias
        warning = gap.value >= _LARGE and gap.value - (gap.value - gap.low) * _WIDER > 0
        detail = f"says {label} {percent(abs(gap.value))} more often than it is right (n = {gap.n})"
        found.append(check("label-bias", "Letter or label bias", warning, detail))
    cut = sum(row.verdict.status == "truncated" for row in own) / len(own)
    detail = f"{percent(cut)} of answers were cut off before they were complete"
    found.append(check("output-cap", "Output cap", cut >= _CUT, detail))
    closed = [row for row in own if row.question_type == CLOSED]
    scores = [value for row in closed if (value := delivered(row)) is not None]
    if scores:
        score = wilson(sum(scores), len(scores))  # without a text nothing is shared
        chance = max(
            (
                part_of(get_family(family), Countable).chance(benches[row.bench], CLOSED)
                for row in closed[:1]
                if row.bench in benches
            ),
            default=0.0,
        )
        detail = f"{percent(score.value)} right without the text, guessing gets {percent(chance)} (n = {score.n})"
        found.append(check(CONTROL, "Closed-book answers", score.low > chance + 0.05, detail))
    if judge:
        detail = f"{judge} graded its own answers" if judge == model else f"graded by {judge}"
        found.append(check("judge-is-model", "Judge = model under test", judge == model, detail))
    return found


def _asked_with_options(bench: Bench, items: Iterable[Item]) -> list[tuple[Question, Mapping[str, str], str]]:
    """Questions with options whose words differ, once each, with the right letter."""
    family = part_of(get_family(bench.info.family), Searchable)
    found = []
    for name in dict.fromkeys(name for item in items for name in item.questions if item.context.tokens):
        question = bench.questions[name]
        options = family.options(question)
        if len(options) > 2 and question.key.answer in options:
            found.append((question, options, question.key.answer))
    return found if len(found) >= _FEWEST else []


def _present(
    bench: Bench, items: Iterable[Item], asked: Sequence[tuple[Question, Mapping[str, str], str]]
) -> Estimate | None:
    """The score of choosing among the options that occur in the longest context of each question, for as many questions
    as a bounded amount of text allows; None without the text."""
    if not bench.has_corpus:
        return None
    longest: dict[str, Item] = {}
    for item in items:
        for name in item.questions:
            if name not in longest or item.context.tokens > longest[name].context.tokens:
                longest[name] = item
    assembler = assembler_of(bench)
    folded: dict[str, str] = {}
    values: list[float] = []
    room = _MOST_SEARCHED
    for question, options, gold in asked:
        context = longest[question.id].context
        if context.sha256 not in folded:
            if values and room < context.bytes:
                break
            room -= context.bytes
            folded = {context.sha256: fold(assembler.text(context.pieces).decode(errors="ignore"))}
        values.append(present_share(list(options.values()), options[gold], folded[context.sha256]))
    return mean_estimate(Sample.of(values)) if len(values) >= _FEWEST else None


def _cue(
    check: Callable[[str, str, bool, str], Check], id: str, title: str, score: Estimate, chance: float, what: str
) -> Check:
    clear = score.value - (score.value - score.low) * _WIDER > chance
    detail = f"choosing {what} scores {percent(score.value)}, guessing {percent(chance)} (n = {score.n})"
    return check(id, title, clear and score.value - chance >= _LARGE, detail)


def _label_bias(own: Sequence[Row], benches: Mapping[str, Bench]) -> tuple[str, Estimate] | None:
    """The label that is given most above its share of the keys, and by how much."""
    chosen: list[tuple[Row, str, str]] = []
    for row in own:
        bench = benches.get(row.bench)
        scored = row.verdict.status == "scored" and row.family in FAMILIES
        if bench is None or not scored or row.question not in bench.questions:
            continue
        question = bench.questions[row.question]
        options = part_of(get_family(row.family), Searchable).options(question)
        given = row.verdict.answer.split(";")[0].strip()
        if given in options and question.key.answer in options:
            chosen.append((row, given, question.key.answer))
    if len(chosen) < _FEWEST:
        return None
    places = sample([row for row, _, _ in chosen], lambda _: 0.0)
    best: tuple[str, Estimate] | None = None
    for label in dict.fromkeys(given for _, given, _ in chosen):
        gaps = np.array([float(given == label) - float(key == label) for _, given, key in chosen])
        found = difference_estimate(places.with_values(gaps))
        if best is None or found.value > best[1].value:
            best = label, found
    return best


def _lacks_gold(bench: Bench, item: Item) -> bool:
    """Whether a question's evidence is missing from its context."""
    if not item.context.tokens:
        return False
    there = {fact.id for place in item.placed for fact in bench.planted[place.insert].facts}
    return any(not set(bench.questions[name].evidence) <= there for name in item.questions)


def _off(item: Item) -> bool:
    wanted, realised = item.cell.get("length"), item.realised.get("length")
    measured = isinstance(wanted, int | float) and isinstance(realised, int | float)
    if measured and abs(float(realised or 0) - float(wanted or 0)) > _LENGTH_OFF * float(wanted or 0):
        return True
    deep, real = item.cell.get("depth"), item.realised.get("depth")
    return isinstance(deep, int | float) and isinstance(real, int | float) and abs(real - deep) > _DEPTH_OFF
