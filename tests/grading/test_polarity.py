"""Yes or no, said outright or in the question's words."""

from __future__ import annotations

import pytest

from longreach.core.question import Key
from longreach.grading import grade_answer

_ENGLISH = "Was Ada Thorne taller than Ruth Ennis?"
_CHINESE = "莫雨樵的个子是不是比毕怀瑾高？"
_ARRIVED = "温石泉到上海了吗？"


@pytest.mark.parametrize(
    ("question", "answer", "says"),
    [
        (_ENGLISH, "Ada Thorne was taller than Ruth Ennis.", True),
        (_ENGLISH, "Ruth Ennis was taller than Ada Thorne.", False),
        (_ENGLISH, "Ada Thorne was shorter than Ruth Ennis.", False),
        (_ENGLISH, "Ada and Ruth were the same height.", False),
        (_CHINESE, "莫雨樵比毕怀瑾高。", True),
        (_CHINESE, "毕怀瑾比他矮。", True),
        (_CHINESE, "毕怀瑾不如莫雨樵高", True),
        (_CHINESE, "毕怀瑾比莫雨樵高。", False),
        (_CHINESE, "莫雨樵矮一些", False),
        (_CHINESE, "毕怀瑾的个子高", False),
        (_CHINESE, "是毕怀瑾高", False),
        (_CHINESE, "没有毕怀瑾高", False),
        (_CHINESE, "两人一样高", False),
        (_CHINESE, "不，毕怀瑾高", False),
        (_ARRIVED, "已经到上海了", True),
        (_ARRIVED, "是的，他到了。", True),
        (_ARRIVED, "还没有到", False),
    ],
)
def test_a_statement_in_the_questions_words_is_a_yes_or_a_no(question: str, answer: str, says: bool) -> None:
    for key, wanted in (
        ("是" if question != _ENGLISH else "Yes", True),
        ("否" if question != _ENGLISH else "No", False),
    ):
        verdict = grade_answer(answer, Key(kind="yesno", answer=key), question)
        assert verdict.value == float(says == wanted), verdict


@pytest.mark.parametrize("answer", ["莫雨樵的个子是不是比毕怀瑾高", "莫雨樵是否更高", "莫雨樵的个\ufffd"])
def test_a_question_or_a_reply_cut_in_a_character_says_neither(answer: str) -> None:
    for key in ("是", "否"):
        assert grade_answer(answer, Key(kind="yesno", answer=key), _CHINESE).value != 1
