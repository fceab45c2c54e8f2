"""The numbers of a report as plain data, for `report --json`: the same objects that the page is drawn from."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.core.statements import Decision, Statement
from longreach.core.types import EffectiveLength, Estimate, Frozen, Row
from longreach.families.base import over_refusal_rate
from longreach.results.model_statements import ABSENT_TYPE
from longreach.stats.counting import Tally
from longreach.stats.headline import Headline, RepeatSpread
from longreach.stats.series import grouped

from .checks import Check
from .page import Contents, FamilyPart
from .ranking import CallsByModel, Finding, RankEntry, RankPair, finding_calls, over_refusal, unanswerable
from .retrieval import RetrievalScore
from .tables import CallUsage, PerRequest
from .views import Report


class Score(Frozen):
    """Accuracy on some questions."""

    asked: int
    """Questions asked."""
    n: int
    """Of them, those in `accuracy`: without faults of the provider or judge."""
    scored: int
    """Of them, answered in a gradable form."""
    undecided: int
    """Of them, those that the key is not certain of and no judge has decided: not right in `accuracy`, right or wrong
    in its interval."""
    contexts: int
    """Different contexts that the questions are about."""
    accuracy: Estimate | None
    """Delivered accuracy: right of all asked. Null if every answer was lost to a fault."""
    answered: Estimate | None
    """Right of answered; null if nothing was answered."""
    over_refusal: Estimate | None
    """'Not mentioned' in answer to these questions, of all asked; null if the text does not answer them, or if no
    unanswerable question was asked."""
    statuses: dict[str, int]
    """Number of answers by status."""


class LengthScore(Score):
    """Accuracy at one length."""

    length: float
    """In tokens, or in the family's own unit."""


class TypeScore(Score):
    """All numbers of one question type."""

    question_type: str
    prompt: str
    """Empty: all prompts together."""
    chance: float
    """The score of guessing."""
    corrected: Estimate | None
    """Accuracy corrected for chance."""
    wrong: Estimate | None
    """Graded and wrong, of all asked."""
    effective_length: EffectiveLength | None
    """Null if the family has no lengths; a length of 0 means that there is none."""
    keeps_level: EffectiveLength | None
    """The length up to which the model holds its own level; null for a model that is not clearly above chance."""
    repeats: RepeatSpread | None
    """How far the repeats of an item differ; null if every item was asked once."""
    by_length: tuple[LengthScore, ...]


class ModelScores(Frozen):
    """One model in one family and experiment."""

    model: str
    experiment: str
    """'comb layout', if there are several; empty: the default one."""
    place: int | None
    """In the ranking; null if it is not ranked."""
    sentence: str
    """All statements about it, in a row."""
    decision: Decision | None
    """Up to which length it holds, and the verdict at each; null without lengths in tokens."""
    window: int | None
    """The advertised window in tokens, if known."""
    lengths: tuple[float, ...]
    """Those tested, in tokens."""
    hallucination: Estimate | None
    """Wrong answers to unanswerable questions, of all asked; null if none was asked."""
    over_refusal: Estimate | None
    """'Not mentioned' in answer to questions that the text answers, of all asked; null if no unanswerable question was
    asked."""
    question_types: tuple[TypeScore, ...]
    """All prompts together; the first is the one that the sentence and the ranking are about."""
    by_prompt: tuple[TypeScore, ...]
    """Each prompt; empty if there is one."""
    usage: CallUsage
    """Requests, tokens, seconds and cost of this model in this family and experiment."""


class LengthResults(Frozen):
    """A family at one length."""

    length: float
    """In tokens."""
    ranking: tuple[RankEntry, ...]
    """Best first, by accuracy over all question types, each with the same weight."""
    pairs: tuple[RankPair, ...]
    sentences: dict[str, str]
    """By model, with its experiment if it has one."""
    per_request: dict[str, PerRequest]
    """By the same names."""
    dominated: tuple[str, ...]
    """Those that cost as much as another that is shown to be more accurate, or more; without prices, that take as
    long."""
    missing: tuple[str, ...]
    """Those that were not measured at this length."""


class FamilyScores(Frozen):
    """One family."""

    family: str
    title: str
    at: float | None
    """The measured length in tokens that the ranking and the verdicts are about; null: all lengths."""
    at_note: str
    """Why it is not the one that was asked for; empty if it is."""
    ranked_by: str
    """What the ranking is by; empty if there is none."""
    ranking: tuple[RankEntry, ...]
    """Best first."""
    pairs: tuple[RankPair, ...]
    """Every two models of the ranking."""
    by_length: tuple[LengthResults, ...]
    """The same at every measured length; empty if the family has no lengths in tokens."""
    models: tuple[ModelScores, ...]


class ReportNumbers(Frozen):
    """What a report shows."""

    title: str
    threshold: float
    """Accuracy above chance that effective length asks for."""
    at: float | None
    """The length in tokens that was asked for; null: all lengths."""
    families: tuple[FamilyScores, ...]
    usage: dict[str, CallUsage]
    """By model, all families together."""
    retrieval: tuple[RetrievalScore, ...]
    """Full context against retrieval, where `run --ways` was used; its answers are in no other number."""
    checks: tuple[Check, ...]
    """Signs that a score may not mean what it seems to."""
    notes: tuple[str, ...]
    """As on the page: what is missing, warnings, how lengths were counted."""
    verdicts: dict[str, str]
    """The sentences by 'MODEL FAMILY'."""
    statements: tuple[Statement, ...]
    """All that is said, as terminal, page and Markdown show it: what broke, the verdicts, warnings."""
    page: str | None
    """The page, if one was written."""
    files: tuple[str, ...]
    """Everything written."""


def report_numbers(report: Report, contents: Contents) -> ReportNumbers:
    return ReportNumbers(
        title=report.title,
        threshold=report.threshold,
        at=report.at,
        families=tuple(_family(part, report, contents.calls) for part in contents.families),
        usage={model: CallUsage.of(own) for model, own in grouped(report.calls, lambda call: call.model).items()},
        retrieval=report.retrieval,
        checks=report.checks,
        notes=contents.notes,
        verdicts=contents.sentences(),
        statements=contents.statements,
        page=next((path for path in report.files if path.endswith(".html")), None),
        files=report.files,
    )


def _family(part: FamilyPart, report: Report, calls: CallsByModel) -> FamilyScores:
    return FamilyScores(
        family=part.name,
        title=part.title,
        at=part.at.length if part.at else None,
        at_note=part.at_note,
        ranked_by=part.ranking.by if part.ranking else "",
        ranking=part.ranking.lines if part.ranking else (),
        pairs=part.ranking.pairs if part.ranking else (),
        by_length=tuple(
            LengthResults(
                length=each.length,
                ranking=each.ranking.lines,
                pairs=each.ranking.pairs,
                sentences=each.sentences,
                per_request=each.usage,
                dominated=each.dominated,
                missing=each.missing,
            )
            for each in part.lengths
        ),
        models=tuple(_model(finding, part, report, calls) for finding in part.findings),
    )


def _model(finding: Finding, part: FamilyPart, report: Report, calls: CallsByModel) -> ModelScores:
    lines = part.ranking.lines if part.ranking else ()
    who = finding.model, finding.experiment
    own = [each for each in part.by_prompt if (each.model, each.experiment) == who]
    absent = unanswerable(finding)
    rows = report.rows if absent else ()
    return ModelScores(
        model=finding.model,
        experiment=finding.experiment,
        place=next((line.place for line in lines if (line.model, line.experiment) == who), None),
        sentence=part.at.sentences.get(finding.name, "") if part.at else finding.sentence,
        decision=finding.decision,
        window=finding.window,
        lengths=finding.lengths,
        hallucination=absent.wrong if absent else None,
        over_refusal=over_refusal(finding, report.rows),
        question_types=_types(finding.headlines, rows),
        by_prompt=_types(own, rows) if len({each.prompt for each in own}) > 1 else (),
        usage=CallUsage.of(finding_calls(finding, calls, report.rows)),
    )


_SAME = ("question_type", "prompt", "chance", "corrected", "wrong", "repeats")
"""What a question type's numbers and its headline both have."""


def _types(found: Sequence[Headline], rows: Sequence[Row]) -> tuple[TypeScore, ...]:
    return tuple(
        TypeScore(
            **_score(each.tally, each.question_type, rows),
            **{name: getattr(each, name) for name in _SAME},
            effective_length=each.effective,
            keeps_level=each.keeps,
            by_length=tuple(
                LengthScore(**_score(at.tally, each.question_type, rows), length=at.length) for at in each.by_length
            ),
        )
        for each in found
    )


def _score(tally: Tally, question_type: str, rows: Sequence[Row]) -> dict[str, object]:
    answerable = question_type != ABSENT_TYPE and bool(rows)
    same = ("asked", "scored", "undecided", "contexts", "answered", "statuses")
    refused = over_refusal_rate([rows[i] for i in tally.rows]) if answerable else None
    own = {"n": tally.counted, "accuracy": tally.delivered, "over_refusal": refused}
    return {name: getattr(tally, name) for name in same} | own
