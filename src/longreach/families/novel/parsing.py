"""A verdict out of an answer: JSON anywhere in it, fenced or not, labels in English or Chinese, several findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longreach.core.model import Frozen
from longreach.grading.reading.json_values import json_values
from longreach.worlds.error_types import FAITHFUL, HALLUCINATED, ErrorType, Truth, canonical_type

__all__ = ["Finding", "Reading", "parse_verdict"]

_ABOUT_ERRORS = {
    "hallucinated",
    "hallucination",
    "hashallucination",
    "hashallucinations",
    "ishallucinated",
    "ishallucination",
    "containshallucination",
    "有幻觉",
    "幻觉",
    "是否有幻觉",
    "是否存在幻觉",
    "有无幻觉",
    "存在幻觉",
}
"""Keys whose yes means an error."""
_ABOUT_TRUTH = {"faithful", "isfaithful", "无幻觉"}
"""Keys whose yes means none."""
_NEUTRAL = {
    "verdict",
    "label",
    "judgement",
    "judgment",
    "conclusion",
    "result",
    "answer",
    "结论",
    "判断",
    "判定",
    "结果",
}
_WRONG = {
    "hallucinated",
    "hallucination",
    "hallucinations",
    "contains hallucination",
    "contains hallucinations",
    "has hallucination",
    "unfaithful",
    "not faithful",
    "有幻觉",
    "存在幻觉",
    "含有幻觉",
    "有错误",
    "不忠实",
}
_RIGHT = {
    "faithful",
    "not hallucinated",
    "no hallucination",
    "no hallucinations",
    "non hallucinated",
    "无幻觉",
    "没有幻觉",
    "不存在幻觉",
    "忠实",
    "无错误",
}
_YES = {"yes", "true", "1", "是", "有", "存在"}
_NO = {"no", "false", "0", "否", "无", "没有", "不存在"}

_FINDINGS = {"findings", "finding", "details", "detail", "errors", "hallucinations", "issues", "发现", "错误", "详情"}
_FIELDS: Mapping[str, frozenset[str]] = {
    "type": frozenset({"type", "hallucinationtype", "errortype", "category", "类型", "幻觉类型", "错误类型"}),
    "sentence": frozenset(
        {"sentence", "hallucinatedsentence", "wrongsentence", "quote", "text", "句子", "幻觉句子", "错误句子", "原句"}
    ),
    "correction": frozenset(
        {"correction", "correctedcontent", "correctedsentence", "corrected", "更正", "改正", "修改", "正确内容"}
    ),
    "reason": frozenset({"reason", "explanation", "evidence", "理由", "原因", "依据"}),
}
_SEPARATORS = re.compile(r"[\s_\-]+")
_MARKS = " \t\r\n.。!！\"'“”‘’*`"
_FORM = {"the wrong sentence, copied from the summary", "从摘要中照抄的错误句子"}
"""What the prompts' form says in place of a sentence."""


class Finding(Frozen):
    """One error that an answer claims to have found."""

    type: ErrorType | None
    sentence: str = ""
    correction: str = ""
    reason: str = ""


class Reading(Frozen):
    """What an answer says of a summary."""

    truth: Truth
    findings: tuple[Finding, ...] = ()


def parse_verdict(text: str) -> Reading | None:
    """The last verdict in an answer: what comes before it is analysis. None where there is none."""
    last: Reading | None = None
    for value in json_values(text):
        found = _reading(value)
        if found is not None:
            # The form itself, repeated instead of filled in, is no verdict, nor is what was repeated before it.
            last = None if any(finding.sentence in _FORM for finding in found.findings) else found
    return last


def _reading(value: Any) -> Reading | None:
    """The verdict that a JSON value holds; a list of verdicts is one, wrong as soon as one of them is."""
    if isinstance(value, list):
        parts = [found for entry in value if (found := _reading(entry)) is not None]
        if not parts:
            return None
        truth = HALLUCINATED if any(part.truth == HALLUCINATED for part in parts) else FAITHFUL
        return Reading(truth=truth, findings=tuple(finding for part in parts for finding in part.findings))
    if not isinstance(value, dict):
        return None
    for key, said in value.items():
        label = _truth(_plain(key), said)
        if label is not None:
            return Reading(truth=label, findings=tuple(_findings(value)))
    inner = [found for entry in value.values() if (found := _reading(entry)) is not None]
    return inner[-1] if inner else None


def _truth(key: str, said: Any) -> Truth | None:
    if key not in _ABOUT_ERRORS and key not in _ABOUT_TRUTH and key not in _NEUTRAL:
        return None
    if isinstance(said, bool | int | float):
        said = str(int(said)) if said in (0, 1) else ""
    if not isinstance(said, str):
        return None
    word = " ".join(_SEPARATORS.split(said.strip(_MARKS).casefold()))
    if word in _WRONG:
        return HALLUCINATED
    if word in _RIGHT:
        return FAITHFUL
    if key in _NEUTRAL or word not in _YES | _NO:
        return None
    return HALLUCINATED if (word in _YES) == (key in _ABOUT_ERRORS) else FAITHFUL


def _findings(value: Mapping[Any, Any]) -> Iterator[Finding]:
    listed = [entry for key, entry in value.items() if _plain(key) in _FINDINGS]
    entries: Sequence[Any] = [one for entry in listed for one in (entry if isinstance(entry, list) else [entry])]
    # A verdict may carry its one finding in its own fields.
    for entry in entries if listed else [value]:
        if isinstance(entry, str) and entry.strip():
            yield Finding(type=None, sentence=entry.strip())
        elif isinstance(entry, dict):
            fields = {
                name: next((str(said).strip() for key, said in entry.items() if _plain(key) in known and said), "")
                for name, known in _FIELDS.items()
            }
            if fields["type"] or fields["sentence"]:
                yield Finding(
                    type=canonical_type(fields["type"]) if fields["type"] else None,
                    sentence=fields["sentence"],
                    correction=fields["correction"],
                    reason=fields["reason"],
                )


def _plain(key: Any) -> str:
    return _SEPARATORS.sub("", str(key).strip().casefold())
