"""Texts that are hard to cut and to count, made from a seed."""

from __future__ import annotations

from random import Random

from longreach.core.types import Document

ODD_PIECES = (
    "",
    " ",
    "\n",
    "  \n\n ",
    "\t",
    "x",
    "The",
    "'s",
    "’",
    "…",
    ".",
    "12",
    "345.67",
    "—",
    "\u0301",
    "é",
    "🙂",
    "👩‍🔬 and 🇫🇷",
    "<|endoftext|>",
    "</s>",
    "▁",
    "\u00a0",
    "\u3000",
    "下",
    "。",
    "上海。",
    "\n\nShe kept 41 hens. They cost £3.50!\n\n",
    "\n\n他今年四十一岁。她去过上海。\n\n",
    "The long end of it all" * 3,
)
"""What may stand before, between and after spans of a corpus."""

_SENTENCES = (
    "Dr. Smith of the U.S. Treasury paid $3,500.75 on Jan. 3rd, 1848, at 4.30 p.m.",
    "“Nothing!” he said; “nothing—at all…”",
    "Mlle d'Aubigné's naïve coachman (aged 41) didn't reply.",
    "'Tis the season, isn't it?!",
    "(See the note above.)",
    'He wrote: "I\'ll go."',
    "It cost 12%, i.e. 0.12, e.g. in St. Petersburg etc.",
    "A 🙂 and a 👩‍🔬 went to Zürich 🇨🇭.",
    "1. First, the eggs.",
    "- a dash, and  two spaces",
    "Étude No. 5 in C# is hard…",
    "I.",
    "OK",
    "SECTION IV",
    "www.example.org/a?b=1&c=2 is no place.",
    "x = {'key': [1, 22, 333]};",
    "They were 1,234,567 in all",
    "‘Yes,’ said Tom.",
    "Привет, мир! ¿Qué tal?",
    "e\u0301tait-ce vrai?",
    "He had <|endoftext|> on his hat.",
    "What then?",
    "[Applause.]",
)
_JOINTS = (" ", " ", " ", " ", "\n", "\n\n", "\n\n", "  ", "\n\n\n", " \n", "\t", "")

_CHINESE_SUBJECTS = ("老王", "她", "上海的商人", "我们", "第三营的士兵", "张三和李四", "那位先生", "1998年的冬天")
_CHINESE_VERBS = (
    "走进了院子",
    "卖掉了十二匹马",
    "说：“不用了！”",
    "看着窗外的雨",
    "在北京住了三年",
    "买了一把Ａ型雨伞",
)
_CHINESE_ENDS = ("。", "。", "。", "！", "？", "……", "。”", "；")


def odd_english(seed: int, sentences: int) -> str:
    """Abbreviations, quotes, digits, emoji, accents, lists, in every order and with every kind of gap."""
    rng = Random(seed)
    return "".join(rng.choice(_SENTENCES) + rng.choice(_JOINTS) for _ in range(sentences)).strip()


def chinese(seed: int, sentences: int) -> str:
    """Chinese sentences without spaces between them, in paragraphs."""
    rng = Random(seed)
    parts = []
    for _ in range(sentences):
        clauses = "，".join(
            rng.choice(_CHINESE_SUBJECTS) + rng.choice(_CHINESE_VERBS) for _ in range(rng.randint(1, 3))
        )
        parts.append(clauses + rng.choice(_CHINESE_ENDS) + ("\n\n" if rng.random() < 0.1 else ""))
    return "".join(parts).strip()


def chinese_documents(count: int, sentences: int) -> list[Document]:
    """Several of them as documents."""
    return [Document.of(f"c{number}", chinese(number, sentences), language="zh") for number in range(count)]


def shared_beginning(one: bytes, other: bytes) -> int:
    """How many bytes two texts begin with alike."""
    size = min(len(one), len(other))
    return next((at for at in range(size) if one[at] != other[at]), size)
