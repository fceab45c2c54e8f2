"""Chinese words that refer outside a sentence."""

from __future__ import annotations

import re

__all__ = ["POINTS", "simplified", "stands"]

_TRADITIONAL = str.maketrans(
    "這該們後為與從對來會說並還個種過裡將讓給於應須經當現間問題開關實際樣點時無沒雖僅處據則緊較項兩請圖節見參總結論簡單導覽",
    "这该们后为与从对来会说并还个种过里将让给于应须经当现间问题开关实际样点时无没虽仅处据则紧较项两请图节见参总结论简单导览",
)

_PRONOUN = re.compile("它|其(?!他|中|实|余|次)|该|这|那(?!么)|此(?!外)|(?<!其)他|她|两者|二者|前者|后者|彼此|双方")
POINTS = re.compile(
    "上述|以下|如下|下列|[上下][面例图表]|上文|(?<!上)下文|本例|上一|下一|前面|后面|[代码例]中|刚才|今天|昨天|明天|如今|我(?!们)"
    "|本(?:章|节|书|文|页|手册|指南|教程)"
    r"|两人|二人|示例|例子|笔者|第[一二三四五六]个|第\s?[\d.一二三四五六七八九十]+\s?[章节]|参[见阅考照看]|请见|附录|详见|见第|如图|如表"
    r"|[一-龥]节中|或者可以|顺便|所列|列出|等等|类似地|从中|稍后|(?:变量|参数) ?\$?[a-z]\w{0,2}(?![\w-])|等于 ?\d"
    r"|号(?:位置|元素)|——|(?<![\w.'\"-])[a-z](?![\w.'\"(-])"
)
"""What refers to another place, or to a variable of an example, wherever it is in a sentence."""


def simplified(text: str) -> str:
    """A text with its common function words in simplified characters, one for one."""
    return text.translate(_TRADITIONAL)


def stands(text: str) -> bool:
    """Whether a part of a sentence has no word for something outside it."""
    text = simplified(text)
    return _PRONOUN.search(text) is None and POINTS.search(text) is None
