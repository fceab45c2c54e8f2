"""What is said about one model: verdict, rates and warnings, worked out and worded once for everything that shows
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longreach.core.bench import Bench
from longreach.core.formatting import count, format_dollars, format_seconds, length_label
from longreach.core.statements import (
    STATUS_WORDS,
    Decision,
    Rate,
    Statement,
    listed,
    of_100,
)
from longreach.core.types import EffectiveLength, Estimate, Row
from longreach.families.showing import family_view, guessing_scores
from longreach.stats.counting import Columns, at_best, columns_of, delivered
from longreach.stats.evidence import ContextScore, Panel, Standard, bar_of
from longreach.stats.headline import THRESHOLD, Headline, headlines
from longreach.stats.intervals import mean_of
from longreach.stats.series import grouped

from .decisions import decide_lengths, decision_at, decision_statements, decisions_of

__all__ = [
    "ABSENT_TYPE",
    "Subject",
    "decision_from_headlines",
    "effective_of",
    "leading_statements",
    "model_statements",
    "rate_at",
    "rate_from",
    "verdict_statements",
]

ABSENT_TYPE = "abstention"
"""The question type whose answers are not in the text: a wrong answer there is made up."""
_PROMPTS_DIFFER = 0.1
_SEEN = 0.02
"""A smaller share of answers with some status is in the tables alone."""
_REFUSES = 0.05
_NEAR_CHANCE = 0.1
_THIRDS = ("the first third of the text", "the middle of the text", "the last third of the text")
_LEAST_PER_THIRD = 12


@dataclass(frozen=True)
class Subject:
    """One model in one family and experiment, with the numbers that are said about it."""

    model: str
    """As it is named: the name of its side, where sides are compared."""
    experiment: str
    """'comb layout'; empty for the default one."""
    headlines: Sequence[Headline]
    """One per question type."""
    rows: tuple[Row, ...]
    """All results; headlines refer to them by place."""
    decision: Decision | None
    """None for a family without lengths."""
    by_prompt: Sequence[Headline] = ()
    at: float | None = None
    """The one length that it is about; None: all."""
    cost: float | None = None
    """US dollars per request, where it is about one length."""
    seconds: float | None = None
    own: str = ""
    """The family's own sentences."""
    control: str = ""
    """What a failed control found."""

    @property
    def name(self) -> str:
        return f"{self.model} ({self.experiment})" if self.experiment else self.model


def rate_from(estimate: Estimate) -> Rate:
    return Rate(value=estimate.value, low=estimate.low, high=estimate.high, of=estimate.n)


def rate_at(decision: Decision | None, length: float) -> Rate | None:
    """Right of all asked at a length, as the decision there rests on it."""
    return next((each.right for each in decision.by_length if each.length == length), None) if decision else None


def decision_from_headlines(
    headlines: Sequence[Headline], rows: tuple[Row, ...], at: float | None = None
) -> Decision | None:
    """The decision where no benchmark says in which order contexts were asked: all of a length are looked at together.
    None without lengths."""
    panels: dict[int, list[Panel]] = {}
    bars: dict[int, float] = {}
    for length in sorted({length for each in headlines for length in each.lengths}):
        asked = [(each, found.tally) for each in headlines for found in each.by_length if found.length == length]
        places = [place for _, tally in asked for place in tally.rows]
        contexts = grouped((rows[place] for place in places), lambda row: row.context).values() if rows else ()
        scores = [_context_score(own) for own in contexts]
        panels[int(length)] = [whole] if (whole := tuple(score for score in scores if score.asked)) else []
        weight = sum(tally.counted for _, tally in asked)
        chance = sum(each.chance * tally.counted for each, tally in asked) / weight if weight else 0.0
        bars[int(length)] = bar_of(chance)
    if not panels:
        return None
    about = {"model": headlines[0].model, "family": headlines[0].family, "experiment": headlines[0].experiment}
    standards = {length: Standard(bar=bar) for length, bar in bars.items()}
    decided = (
        each.model_copy(update={"right": _mean_of_types(headlines, each.length) or each.right})
        for each in decide_lengths(panels, standards)
    )
    return decision_at(tuple(decided), at, about)


def _mean_of_types(headlines: Sequence[Headline], length: float) -> Rate | None:
    """Right of all asked at a length where some question types were asked more often than others: each with the same
    weight, as a benchmark's panels have them. None where all were asked as often."""
    tallies = [found.tally for each in headlines for found in each.by_length if found.length == length]
    if len({tally.asked for tally in tallies}) < 2:
        return None
    rates = [tally.delivered for tally in tallies if tally.delivered is not None]
    return rate_from(mean_of(rates)) if rates else None


def _context_score(rows: Sequence[Row]) -> ContextScore:
    """The answers over one context; faults of the provider are in none."""
    known = [(score, at_best(row) or 0.0) for row in rows if (score := delivered(row)) is not None]
    return ContextScore(sum(score for score, _ in known), sum(best for _, best in known), len(known))


def verdict_statements(
    rows: tuple[Row, ...], benches: Mapping[str, Bench], *, at: float | None = None, name: str = ""
) -> tuple[Statement, ...]:
    """The verdict on each model among some rows, as a report words it; `name` is said instead of the model's."""
    decisions = decisions_of(rows, benches, at=at)
    chances = guessing_scores(benches)
    said: list[Statement] = []
    for family in dict.fromkeys(row.family for row in rows):
        view = family_view(family).model_copy(update={"chances": chances.get(family, {})})
        found = headlines(rows, view)
        several = len({each.experiment_values for each in found}) > 1
        for (model, experiment), own in grouped(found, lambda each: (each.model, each.experiment)).items():
            known = (
                each for each in decisions if (each.model, each.family, each.experiment) == (model, family, experiment)
            )
            decision = next(known, None) or decision_from_headlines(own, rows)
            who, label = name or model, experiment if several else ""
            decision = decision and decision.model_copy(update={"model": who, "experiment": label})
            asked = _length_asked(decision, at)
            said += _verdicts(Subject(who, label, headlines=own, rows=rows, decision=decision, at=asked))
    return tuple(said)


def _length_asked(decision: Decision | None, at: float | None) -> float | None:
    """The tested length that one asks for: the next longer one, else the longest."""
    if decision is None or at is None:
        return None
    lengths = [each.length for each in decision.by_length]
    return next((length for length in lengths if length >= at), lengths[-1])


def effective_of(decision: Decision) -> EffectiveLength:
    """The longest tested length up to which it holds, and the longest up to which it is not shown to fail."""
    lengths = [each.length for each in decision.by_length]
    first = decision.by_length[0].right
    up_to = [length for length in lengths if decision.fails_at is None or length < decision.fails_at]
    held = float(decision.holds_to or 0)
    return EffectiveLength(
        length=held,
        observed=held,
        high=float(max(up_to, default=0)),
        base=first.value if first else None,
        share=THRESHOLD,
    )


def model_statements(subject: Subject) -> tuple[Statement, ...]:
    """Everything that is said about a model: the verdict first, then the numbers, then the reservations."""
    broken, warnings = _status_statements(subject)
    control = [_statement(subject, "control", subject.control, "warning")] if subject.control else []
    said = [*control, *_verdicts(subject), *broken]
    said += [statement for statement in (_by_place(subject), *_made_up(subject)) if statement]
    said += [*warnings, *_undecided(subject), *_costs(subject)]
    said += [_statement(subject, "family", subject.own, "note")] if subject.own else []
    return tuple(said)


def leading_statements(
    best: Sequence[Statement], name: str, tied: Sequence[str], *, cheaper: tuple[str, float] | None = None
) -> tuple[Statement, ...]:
    """What a page begins with: the verdict on the first model, and which others cannot be told from it. `cheaper` is
    one of them, and how many times less it costs."""
    said = [each for each in best if each.about in ("control", "verdict", "right", "open", "cut")]
    if tied:
        others = [other for other in tied if cheaper is None or other != cheaper[0]]
        texts = [f"{listed(others)} cannot be told from {name}."] if others else []
        if cheaper is not None:
            texts.append(f"{cheaper[0]} cannot be told from {name} and costs {_times(cheaper[1])} times less.")
        said += [Statement(about="tie", text=text, severity="verdict") for text in texts]
    return tuple(said)


def _times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 9.5 else f"{ratio:.1f}".removesuffix(".0")


def _statement(
    subject: Subject, about: str, text: str, severity: str, number: Estimate | Rate | None = None, **filters: str
) -> Statement:
    rate = rate_from(number) if isinstance(number, Estimate) else number
    evidence = {"model": subject.model} | ({"length": str(int(subject.at))} if subject.at else {}) | filters
    return Statement.model_validate(
        {
            "about": about,
            "text": text,
            "severity": severity,
            "model": subject.model,
            "length": int(subject.at) if subject.at else None,
            "number": rate,
            "evidence": evidence,
        }
    )


def _verdicts(subject: Subject) -> list[Statement]:
    if not any(each.tally.scored for each in subject.headlines):
        asked = sum(each.tally.asked for each in subject.headlines)
        where = f" at {length_label(subject.at)}" if subject.at else ""
        text = f"{subject.name} has no answer{where} that can be graded, of {count(asked, 'question')}."
        return [_statement(subject, "verdict", text, "broken")]
    if subject.decision is None:
        return _rates(subject)
    if subject.at is not None:
        return [_at_length(subject, subject.decision, subject.at)]
    return decision_statements(subject.decision)


def _at_length(subject: Subject, decision: Decision, length: float) -> Statement:
    here = next((each for each in decision.by_length if each.length == length), None)
    where = length_label(length)
    if here is None:
        return _statement(subject, "verdict", f"{subject.name} was not measured at {where}.", "verdict")
    if here.verdict == "broken":
        text = f"{subject.name} is broken at {where}: its server cuts prompts there."
        return _statement(subject, "cut", text, "broken", here.right)
    word = "is open" if here.verdict == "open" else here.verdict
    rate = f" ({of_100(here.right)})" if here.right else ""
    return _statement(subject, "verdict", f"{subject.name} {word} at {where}{rate}.", "verdict", here.right)


def _rates(subject: Subject) -> list[Statement]:
    """Of a family without lengths: right of all asked, over all question types."""
    known = [each for each in subject.headlines if each.delivered]
    if not known:
        return []
    chance = sum(each.chance for each in known) / len(known)
    found = mean_of([each.delivered for each in known if each.delivered])
    rate = rate_from(found)
    said = [_statement(subject, "right", f"{subject.name} gets {of_100(rate)}.", "verdict", rate)]
    if chance > 0:
        guessed = f"Guessing gets {100 * chance:.0f} of 100."
        if rate.low <= chance:
            word = (
                "is no better than guessing" if rate.high < chance + 0.1 else "is not shown to do better than guessing"
            )
            guessed = f"{subject.name} {word}, which gets {100 * chance:.0f} of 100."
        said.append(_statement(subject, "chance", guessed, "note"))
    return said


def _by_place(subject: Subject) -> Statement | None:
    """Where in the text it loses most, at the length where it fails first, if the difference is shown."""
    decision = subject.decision
    if decision is None or not subject.rows:
        return None
    length = subject.at or decision.fails_at or decision.by_length[-1].length
    columns = columns_of(subject.rows)
    thirds: list[list[int]] = [[], [], []]
    for place in _asked_at(subject, length):
        depth = subject.rows[place].cell.get("depth")
        if isinstance(depth, int | float):
            thirds[min(2, int(3 * depth / 100))].append(place)
    if min(map(len, thirds)) < _LEAST_PER_THIRD:
        return None
    rates = [_mean(columns, third) for third in thirds]
    worst, best = min(rates, key=lambda each: each.value), max(rates, key=lambda each: each.value)
    if best.low <= worst.high:
        return None
    at = rates.index(worst)
    others = ", ".join(f"{100 * rate.value:.0f} in {_THIRDS[n]}" for n, rate in enumerate(rates) if n != at)
    text = (
        f"At {length_label(length)} {subject.name} loses what stands in {_THIRDS[at]}: "
        f"{100 * worst.value:.0f} of 100 right there, {others}."
    )
    return _statement(subject, "place", text.replace(" of the text, ", ", "), "verdict", worst, length=str(int(length)))


def _asked_at(subject: Subject, length: float) -> list[int]:
    """The rows of answerable questions at a length."""
    answerable = [each for each in subject.headlines if each.question_type != ABSENT_TYPE]
    if subject.at is not None:
        return [place for each in answerable for place in each.tally.rows]
    return [place for each in answerable for at in each.by_length if at.length == length for place in at.tally.rows]


def _mean(columns: Columns, places: Sequence[int]) -> Estimate:
    found = columns.mean(list(places), delivered, at_best)
    return found or Estimate(value=0.0, low=0.0, high=1.0, n=0)


def _made_up(subject: Subject) -> list[Statement]:
    """How often it answers what the text does not say; a range if the prompts differ clearly."""
    absent = next((each for each in subject.headlines if each.question_type == ABSENT_TYPE), None)
    if absent is None or absent.wrong is None or not absent.tally.scored:
        return []
    of = {"type": ABSENT_TYPE, "status": "made up"}
    who = f"{subject.name} hallucinates{f' at {length_label(subject.at)}' if subject.at else ''}"
    prompts = [each for each in subject.by_prompt if each.question_type == ABSENT_TYPE]
    rates = sorted(each.wrong.value for each in prompts if each.wrong)
    if rates and rates[-1] - rates[0] >= _PROMPTS_DIFFER:
        spread = f"{100 * rates[0]:.0f} to {100 * rates[-1]:.0f} of 100"
        text = f"{who} on {spread} unanswerable questions, depending on the prompt."
        return [_statement(subject, "made_up", text, "warning", absent.wrong, **of)]
    asked = absent.tally.counted
    if absent.wrong.value == 0:
        text = f"{who} on none of {count(asked, 'unanswerable question')}."
        return [_statement(subject, "made_up", text, "note", absent.wrong, **of)]
    rate = rate_from(absent.wrong)
    interval = f"95 % CI {100 * rate.low:.0f} to {100 * rate.high:.0f}"
    text = f"{who} on {100 * rate.value:.0f} of 100 unanswerable questions ({interval})."
    return [_statement(subject, "made_up", text, "warning" if rate.low > _REFUSES else "note", absent.wrong, **of)]


def _status_statements(subject: Subject) -> tuple[list[Statement], list[Statement]]:
    """What could not be graded, per status: what is broken (cut, errors, refusals) and what is a warning."""
    asked = sum(each.tally.asked for each in subject.headlines)
    broken: list[Statement] = []
    warnings: list[Statement] = []
    for status, word in STATUS_WORDS.items():
        lost = sum(each.tally.statuses.get(status, 0) for each in subject.headlines)
        if not lost or (status not in ("cut", "error") and lost < _SEEN * asked):
            continue
        bad = status in ("cut", "error") or (status == "refused" and lost >= _REFUSES * asked)
        where = f" at {length_label(subject.at)}" if subject.at else ""
        text = f"{subject.name}: {lost} of {count(asked, 'answer')}{where} {word}."
        statement = _statement(subject, status, text, "broken" if bad else "warning", status=status)
        (broken if bad else warnings).append(statement)
    return broken, warnings


def _undecided(subject: Subject) -> list[Statement]:
    open_ = sum(each.tally.undecided for each in subject.headlines)
    if not open_:
        return []
    asked = sum(each.tally.counted for each in subject.headlines)
    text = (
        f"{subject.name}: {open_} of {count(asked, 'answer')} are undecided and count as wrong; "
        "longreach grade --judge MODEL decides them."
    )
    return [_statement(subject, "undecided", text, "note", status="undecided")]


def _costs(subject: Subject) -> list[Statement]:
    takes = [format_dollars(subject.cost)] if subject.cost is not None else []
    takes += [format_seconds(subject.seconds)] if subject.seconds is not None else []
    if not takes or subject.at is None:
        return []
    text = f"A request to {subject.name} at {length_label(subject.at)} takes {' and '.join(takes)}."
    return [_statement(subject, "cost", text, "note")]
