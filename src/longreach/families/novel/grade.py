"""The key of a question, and the grading of an answer against it."""

from __future__ import annotations

import json
import math

from rapidfuzz import fuzz

from longreach.core.language import detect_language
from longreach.core.types import Frozen, Key, Question, Verdict
from longreach.errors import BadInput, one_line
from longreach.grading import is_refusal
from longreach.grading.reading.reply_text import strip_reasoning
from longreach.grading.reading.verdicts import read_verdict
from longreach.worlds import FAITHFUL, HALLUCINATED, LABELS, TYPE_NAMES, ErrorType, Truth, canonical_type

from .books import letters_of, sentences_of

_FORM = frozenset(("the wrong sentence, copied from the summary", "从摘要中照抄的错误句子"))
"""The placeholder sentence in the prompts' form."""


class ReportedError(Frozen):
    """One error that an answer claims to have found."""

    type: ErrorType | None
    sentence: str = ""
    correction: str = ""
    reason: str = ""


class NovelVerdict(Frozen):
    """The verdict of an answer on a summary."""

    truth: Truth
    findings: tuple[ReportedError, ...] = ()


def parse_verdict(text: str) -> NovelVerdict | None:
    """The verdict of an answer; None where there is none, or where it is ambiguous."""
    found = read_verdict(strip_reasoning(text), form=_FORM)
    if found is None:
        return None
    findings = tuple(
        ReportedError(
            type=canonical_type(one.type) if one.type else None,
            sentence=one.sentence,
            correction=one.correction,
            reason=one.reason,
        )
        for one in found.findings
    )
    return NovelVerdict(truth=HALLUCINATED if found.errors else FAITHFUL, findings=findings)


ANALYSIS = "analysis"
"""The question type of questions with reasoning before the verdict."""
_ROOM = 200
_FINDING_ROOM = 60
_FEWEST_FINDINGS = 2
_MOST_FINDINGS = 8
_MOST_ANALYSED = 100
"""Nobody goes through every sentence of a long summary in an answer."""
_SENTENCES_PER_FINDING = 12
"""A model that flags more than one sentence in twelve is not discriminating."""
_REPEATED = 4
_TOKENS_PER_CHARACTER = {"en": 0.4, "zh": 1.5}
_ANALYSIS_ROOM = 1200
_ANALYSIS_PER_SENTENCE = 40
_ALIKE = 75.0
"""Similarity (of 100) from which a quote matches a sentence that it does not repeat verbatim."""
_SHARE = 0.4
"""Minimum share of a sentence that a partial quote must have."""
_MOST_QUOTED = 2
"""A quote of more sentences matches none of them."""


class Gold(Frozen):
    """The error in a summary, if any."""

    truth: Truth
    type: ErrorType | None = None
    kind: str = ""
    sentence: str = ""
    correction: str = ""
    reason: str = ""


def key_of(gold: Gold) -> Key:
    """The gold verdict as a key."""
    left_out = {"truth"} if gold.kind else {"truth", "kind"}
    error = gold.model_dump(exclude=left_out) if gold.type else {}
    return Key(kind="text", answer=gold.truth, details=error)


def gold_of(key: Key) -> Gold:
    """The gold verdict that a key holds."""
    if key.answer != HALLUCINATED:
        return Gold(truth=FAITHFUL)
    if not key.details:
        raise BadInput("a wrong summary has no error in its key: the benchmark is of an older version; build it again")
    return Gold.parse({"truth": HALLUCINATED, **key.details}, "key")


def grade_verdict(question: Question, text: str) -> Verdict:
    """1 where the label is right. `scores`: the label given, and whether the wrong sentence and its type were found."""
    reading = parse_verdict(text)
    if reading is None:
        if is_refusal(text):
            return Verdict(status="refused", reason=one_line(text, 200))
        return Verdict(status="unparsed", reason="no verdict that can be read" if text.strip() else "empty answer")
    gold = gold_of(question.key)
    called_wrong = reading.truth == HALLUCINATED
    scores = {"called_wrong": float(called_wrong), "findings": float(len(reading.findings))}
    found = ""
    if gold.truth == HALLUCINATED:
        language = detect_language(question.text)
        sentences = sentences_of(question.text, language)
        pointing = [_points(finding, gold.sentence, sentences) for finding in reading.findings] if called_wrong else []
        typed = [finding.type == gold.type for finding in reading.findings] if called_wrong else []
        scores["sentence_hit"] = float(any(pointing))
        scores["type_hit"] = float(any(typed))
        scores["both_hit"] = float(any(a and b for a, b in zip(pointing, typed, strict=True)))
        missed = ", but not the sentence" if called_wrong else ""
        found = ", the right sentence" if any(pointing) else missed
    right = reading.truth == gold.truth
    return Verdict(
        status="scored",
        value=float(right),
        answer=_describe(reading.truth, reading.findings),
        reason=f"the summary is {gold.truth}; the answer says {reading.truth}{found}",
        scores=scores,
    )


def placed_sentence(quote: str, sentences: list[str]) -> str:
    """The sentence that a quote refers to; empty where it refers to none or too many."""
    quote = letters_of(quote)
    if not quote:
        return ""
    plain = [letters_of(sentence) for sentence in sentences]
    inside = [place for place, one in enumerate(plain) if one and one in quote]
    if inside:
        longest = max(inside, key=lambda place: len(plain[place]))
        return sentences[longest] if len(inside) <= _MOST_QUOTED else ""
    part = [place for place, one in enumerate(plain) if quote in one and len(quote) >= _SHARE * len(one)]
    if len(part) == 1:
        return sentences[part[0]]
    similarities = [fuzz.ratio(quote, one) for one in plain]
    best = max(range(len(plain)), key=lambda place: similarities[place], default=None)
    return sentences[best] if best is not None and similarities[best] >= _ALIKE else ""


def _points(finding: ReportedError, sentence: str, sentences: list[str]) -> bool:
    quote, wanted = letters_of(finding.sentence), letters_of(sentence)
    if quote and wanted in quote:
        inside = sum(letters_of(one) in quote for one in sentences if letters_of(one))
        return inside <= _MOST_QUOTED
    # A date or a title before the full stop can make two sentences one, or one two.
    placed = letters_of(placed_sentence(finding.sentence, sentences))
    return bool(placed) and (placed in wanted or wanted in placed)


def _describe(truth: Truth, findings: tuple[ReportedError, ...]) -> str:
    quotes = [f"{finding.type or 'unknown type'}: {one_line(finding.sentence, 200)}" for finding in findings[:5]]
    return "; ".join([truth, *quotes])


def verdict_json(gold: Gold, language: str) -> str:
    """A verdict in the requested form."""
    findings = []
    if gold.type is not None:
        findings.append(
            {
                "type": TYPE_NAMES[language][gold.type],
                "sentence": gold.sentence,
                "correction": gold.correction,
                "reason": gold.reason,
            }
        )
    return json.dumps({"verdict": LABELS[language][gold.truth], "findings": findings}, ensure_ascii=False)


def answer_tokens(question: Question) -> int:
    """Tokens for a verdict with findings, each of which repeats a sentence about four times; a longer summary means
    more findings and a longer analysis before them. Depends only on the question, not on the key."""
    language = detect_language(question.text)
    lengths = sorted(map(len, sentences_of(question.text, language)), reverse=True) or [0]
    findings = min(_MOST_FINDINGS, max(_FEWEST_FINDINGS, math.ceil(len(lengths) / _SENTENCES_PER_FINDING)))
    tokens = _TOKENS_PER_CHARACTER[language] * _REPEATED * sum(lengths[:findings])
    analysis = (
        _ANALYSIS_ROOM + _ANALYSIS_PER_SENTENCE * min(_MOST_ANALYSED, len(lengths))
        if question.question_type == ANALYSIS
        else 0
    )
    return int(_ROOM + _FINDING_ROOM * findings + tokens) + analysis
