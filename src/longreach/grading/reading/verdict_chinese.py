"""Chinese sentences about whether a text has errors, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .verdict_english import Remark, settled

__all__ = ["read_chinese"]

_BLAME = re.compile(
    r"幻觉|错误|差错|不忠实|不忠于|不准确|不正确|不真实|不符合|不相符|不符|不一致|不吻合|不属实|不实|失实|有误|有错"
    r"|有出入|出入|矛盾|虚构|捏造|编造|张冠李戴|偏差|无中生有|歪曲|曲解|相悖|违背|讹误|谬误|问题|不对|弄错|搞错|说错"
    r"|写错|错了|颠倒|误将|误把"
)
_PRAISE = re.compile(r"无误|忠实|忠于|准确|正确|一致|相符|吻合|属实|符合|如实|可靠|真实|有依据|有据|通过")
_NEGATION = re.compile(r"没有|没|毫无|并无|无|未|不存在|不含|不包含|并不|并非|不是|不|非|零|绝无|缺乏|找不到")
_SUPPOSED = re.compile(
    r"是否|有没有|有无|如果|若|假如|可能|也许|或许|大概|不确定|难以|无法(?:判断|确定|核实|确认|断定)|不能(?:判断|确定"
    r"|确认|断定|肯定)|不好说|说不准|应当|应该|需要|检查|起初|原以为|本以为|疑似|或者|还是|类型|假设|看看|暂时|目前"
)
_WHOLE = re.compile(
    r"摘要|概要|总结|总体|整体|整个|全部|所有|全文|结论|判断|判定|通篇|任何|均|都|发现|存在|它|内容|各句|每句|最终"
    r"|综上|原文"
)
_PART = re.compile(
    r"第[一二三四五六七八九十\d]+[句段处]|句|细节|其余|其他|其它|部分|这里|此处|这一点|名字|日期|年份|处"
)
_ALL = re.compile(r"所有|全部|每|各|均|都|任何|没有|未|无")
_MINOR = re.compile(r"略|稍|轻微|细微|小(?:问题|瑕疵|出入|偏差)|措辞|无伤大雅|不影响|不算")
_PARTLY = re.compile(r"基本|大体|大致|大部分|部分|多数|主要|总的来说")
_CONCESSION = re.compile(r"^(?:虽然|尽管|虽|即使|即便|固然)")
_MAIN = re.compile(r"^(?:但|不过|然而|却|只是|仍|还是|摘要|总体|整体)")
_CLAUSE = re.compile(r"[,，;；:：()（）—、]|(?=但|不过|然而|只是|却)")
_SHORT = 6


def read_chinese(sentence: str, *, label: bool = False) -> Iterator[Remark]:
    """The remarks of a sentence, like `read_english`."""
    found: list[Remark] = []
    conceded: list[Remark] = []
    conceding = False
    for clause in (part.strip() for part in _CLAUSE.split(sentence)):
        conceding = _CONCESSION.match(clause) is not None or (conceding and not _MAIN.match(clause))
        remark = None if _SUPPOSED.search(clause) else _clause(clause, label)
        if remark is not None:
            (conceded if conceding else found).append(remark)
    yield from settled(found or conceded)


def _clause(clause: str, label: bool) -> Remark | None:
    polarities, negated = _polarity(clause)
    if len(polarities) != 1:
        return None
    part = _PART.search(clause) is not None
    if polarities == {True}:
        return Remark(errors=True, whole=label or not part, minor=bool(_MINOR.search(clause)), part=part and not label)
    in_part = part and not _ALL.search(clause)
    whole = label or (not in_part and (len(clause) <= _SHORT or negated or bool(_WHOLE.search(clause))))
    return Remark(errors=False, whole=True) if whole and not _PARTLY.search(clause) else None


def _polarity(clause: str) -> tuple[set[bool], bool]:
    polarities: set[bool] = set()
    negations = at = 0
    while at < len(clause):
        # "不一致" is blame, not a negated praise; "无误" is praise, not a negated blame.
        if found := _PRAISE.match(clause, at):
            polarities.add(negations % 2 == 1)
        elif found := _BLAME.match(clause, at):
            polarities.add(negations % 2 == 0)
        elif found := _NEGATION.match(clause, at):
            negations += 1
        at = found.end() if found else at + 1
    return polarities, negations > 0
