"""Texts with a known truth: a document source for any family.

Here is the vocabulary of a verdict on them: two labels, eight error types, and how people and models write them in two
languages."""

from __future__ import annotations

import re
from typing import Literal, get_args

Truth = Literal["hallucinated", "faithful"]
HALLUCINATED: Truth = "hallucinated"
FAITHFUL: Truth = "faithful"

ErrorType = Literal["entity", "numerical", "relation", "inversion", "event", "temporal", "causal", "fabrication"]
TYPES: tuple[ErrorType, ...] = get_args(ErrorType)
NO_TYPE = "none"
"""The type of a faithful summary."""

POSITIONS = ("beginning", "middle", "end")
"""Thirds of the text in which the altered part of a summary can be."""

LABELS: dict[str, dict[Truth, str]] = {
    "en": {"hallucinated": "hallucinated", "faithful": "faithful"},
    "zh": {"hallucinated": "有幻觉", "faithful": "无幻觉"},
}
TYPE_NAMES: dict[str, dict[ErrorType, str]] = {
    "en": {name: name for name in TYPES},
    "zh": {
        "entity": "实体错误",
        "numerical": "数字错误",
        "relation": "关系错误",
        "inversion": "是非颠倒",
        "event": "事件错误",
        "temporal": "次序错误",
        "causal": "因果错误",
        "fabrication": "无中生有",
    },
}
"""As the prompts name them."""

# Matched in this order: a "fabricated event" is a fabrication, an "event order" is temporal.
_SIGNS: tuple[tuple[ErrorType, re.Pattern[str]], ...] = (
    ("fabrication", re.compile(r"fabricat|invent|made[ -]up|无中生有|虚构|捏造|编造")),
    ("temporal", re.compile(r"tempor|chronolog|order|time|次序|时间|时序|顺序|先后|乱序")),
    ("causal", re.compile(r"caus|reason|因果|原因")),
    ("inversion", re.compile(r"inver|negat|revers|contradict|是非|颠倒|反向|反转|否定|逻辑")),
    ("numerical", re.compile(r"numer|number|quantit|amount|数字|数值|数量")),
    ("relation", re.compile(r"relation|kinship|关系")),
    ("entity", re.compile(r"entit|name|person|place|pronoun|实体|人物|指代")),
    ("event", re.compile(r"event|action|verb|outcome|事件|动作")),
)


def canonical_type(label: str) -> ErrorType | None:
    """The error type that an answer names, in any spelling; None where it names none."""
    plain = " ".join(label.casefold().replace("_", " ").split())
    for language in TYPE_NAMES.values():
        for name, written in language.items():
            if plain in (name, written):
                return name
    return next((name for name, sign in _SIGNS if sign.search(plain)), None)
