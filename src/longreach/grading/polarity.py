"""Reads yes or no from an answer."""

from __future__ import annotations

import re
from itertools import pairwise

from longreach.core.language import has_han

from .claims import CLAUSE_MARKS
from .values.words import Reading, word_set

_YES = word_set("yes yeah yep yea aye correct true indeed affirmative certainly definitely absolutely")
_NO = word_set("no nope nay false incorrect untrue wrong")
_HEDGES = frozenset({"probably", "likely", "most", "perhaps", "maybe", "presumably", "almost"})
_NOT_A_NO = word_set("doubt one other matter wonder longer sooner less more")
_SUBJECTS = word_set("he she it they we i you that this there both")
_AUXILIARIES = word_set("is was are were did does do had has have could can would will should might must may")
_TRUTHS = {"true": True, "correct": True, "right": True, "so": True, "false": False, "wrong": False, "untrue": False}
_HAN_NO = tuple(word_set("不是 没有 并没有 并不 并非 不对 不会 不能 不可以 不 否 没 未 错误 从未"))
_HAN_YES = ("是", "对", "有", "会", "能", "可以", "正确", "没错", "当然", "确实", "的确", "嗯", "不错")
_HAN_ALONE = re.compile(f"(?:{'|'.join(sorted((*_HAN_NO, *_HAN_YES), key=len, reverse=True))})[的了啊呀吧哦呢]*")
_HAN_OPEN = tuple(word_set("不仅 不但 不过 不久 不知 不清楚 不确定 是否 是不是 有没有 有人 有一 对于 对此"))


def read_polarity(reading: Reading) -> bool | None:
    """True for yes, False for no, None where the answer is neither, or both.

    What counts: yes or no (or an equivalent) at the start; a short tag ("She was.", "They did not"); "that is true"; a
    statement denied with "not" or "never". A plain statement without "yes" does not count: whether "She stayed at home"
    is a yes depends on the question.
    """
    clauses = [clause for clause in _clauses(reading) if clause]
    if not clauses:
        return None
    first = _opening(clauses[0])
    if first is None:
        return _statement(clauses)
    if _undone(first, clauses):
        return None
    return first


def says_outright(reading: Reading) -> bool:
    """Whether an answer opens with a yes or no, so that it can be understood without the question. A Chinese yes
    or no is one only if it is alone ("是的，…"): in "是乙高" it is part of a statement.
    """
    clauses = [clause for clause in _clauses(reading) if clause]
    if not clauses or _opening(clauses[0]) is None:
        return False
    first = "".join(clauses[0])
    return not has_han(first) or _HAN_ALONE.fullmatch(first) is not None


def _clauses(reading: Reading) -> list[list[str]]:
    clauses: list[list[str]] = [[]]
    for token in reading.tokens:
        if token.word in CLAUSE_MARKS or token.word == '"':
            clauses.append([])
        elif token.kind != "mark":
            clauses[-1].append(token.word)
    if clauses[0][:3] == ["the", "answer", "is"]:
        clauses[0] = clauses[0][3:]
    return clauses


def _opening(clause: list[str]) -> bool | None:
    """The yes or no that a clause begins with."""
    while clause[0] in _HEDGES and len(clause) > 1:
        clause = clause[1:]
    if clause == ["not"] or (clause[0] in _YES and clause[1:2] == ["not"]):
        return False
    if clause[0] in _YES:
        return True
    if clause[0] in _NO:
        return None if len(clause) > 1 and clause[1] in _NOT_A_NO else False
    if clause[:2] == ["of", "course"]:
        return "not" not in clause
    if (
        clause[:2] in (["not", "at"], ["not", "according"])
        or clause == ["not", "so"]
        or clause == ["never"]
        or clause == ["not", "really"]
    ):
        return False
    start = "".join(clause[:4])
    if start.startswith(_HAN_OPEN):
        return None
    if start.startswith("没错") or start.startswith("不错"):
        return True
    if start.startswith(_HAN_NO):
        return False
    return True if start.startswith(_HAN_YES) else None


def _undone(stated: bool, clauses: list[list[str]]) -> bool:
    """Whether a later part states the opposite: "Yes and no", "Yes. Actually, no", "No, she was"."""
    opposite = _NO if stated else _YES
    opening = clauses[0]
    if len(opening) > 1 and opening[1] in opposite:
        return True
    if any(word in {"and", "or", "but"} and after in opposite for word, after in pairwise(opening)):
        return True
    for clause in clauses[1:]:
        words = [word for word in clause if word not in {"actually", "well", "but", "or", "and", "rather", "maybe"}]
        if len(words) == 1 and words[0] in opposite:
            return True
        if "".join(words) in ({"不", "不是", "否", "没有", "不对"} if stated else {"是", "是的", "对", "有"}):
            return True
        tag = _tag(clause)
        if tag is not None and tag != stated:
            return True
    return False


def _tag(clause: list[str]) -> bool | None:
    """She was; he did not; it is true; that is not so."""
    words = [word for word in clause if word not in {"really", "indeed", "ever", "also", "never"}]
    positive = "never" not in clause
    if len(words) < 2 or len(words) > 5:
        return None
    if words[-1] in _TRUTHS and words[-2] in (_AUXILIARIES | {"not"}) and words[0] in _SUBJECTS:
        return _TRUTHS[words[-1]] == (words[-2] != "not")
    if words[-1] == "not" and words[-2] in _AUXILIARIES:
        return not positive
    return positive if words[-1] in _AUXILIARIES else None


def _statement(clauses: list[list[str]]) -> bool | None:
    """A tag, or a statement that is denied as a whole."""
    first = clauses[0]
    tag = _tag(first)
    if tag is not None:
        return tag
    if first[:3] == ["it", "is", "true"] or first[:3] == ["that", "is", "true"]:
        return True
    for at, word in enumerate(first[:6]):
        if word == "not" and at and first[at - 1] in _AUXILIARIES and first[at + 1 : at + 2] != ["only"]:
            return False
        if word == "never" and at:
            return False
    start = "".join(first[:6])
    if start[:1] in {"他", "她", "它"} and ("没有" in start or "不是" in start or "并未" in start or "从未" in start):
        return False
    return None
