"""Chinese questions that no fact answers, by register."""

from __future__ import annotations

__all__ = ["ABSENT_PEOPLE", "DETAILS"]

ABSENT_PEOPLE: dict[str, tuple[tuple[str, str], ...]] = {
    "novel": (
        ("years", "{z}多少岁？"),
        ("trade", "{z}以什么为业？"),
        ("lived_in", "{z}住在哪里？"),
        ("superior", "{z}听谁的吩咐？"),
        ("children", "{z}生了几个孩子？"),
        ("endowment", "{z}得到的遗产有多少？"),
        ("held_on_date", "{z}的婚礼是几月几日办的？"),
    ),
    "modern": (
        ("years", "{z}多少岁？"),
        ("trade", "{z}的职业是什么？"),
        ("lived_in", "{z}住在哪里？"),
        ("superior", "{z}向谁汇报工作？"),
        ("children", "{z}生了几个孩子？"),
        ("endowment", "{z}得到的遗产有多少？"),
        ("held_on_date", "{z}的婚礼是几月几日办的？"),
    ),
    "report": (
        ("years", "{z}的工龄是多少年？"),
        ("trade", "{z}担任什么职务？"),
        ("superior", "{z}向谁汇报工作？"),
        ("room_of", "{z}在什么地方办公？"),
        ("endowment", "{z}获得的资助款是多少？"),
        ("held_on_date", "{z}主持的审计是几月几日开始的？"),
    ),
    "legal": (
        ("years", "开庭之日，{z}年满多少岁？"),
        ("trade", "{z}的职业是什么？"),
        ("lived_in", "{z}住在哪里？"),
        ("superior", "{z}对谁负责？"),
        ("children", "{z}生有几个子女？"),
        ("endowment", "{z}获得的遗赠款是多少？"),
        ("held_on_date", "{z}是几月几日提起诉讼的？"),
    ),
    "technical": (
        ("years", "{z}的在厂工龄是多少年？"),
        ("trade", "{z}担任什么职务？"),
        ("superior", "{z}向谁汇报工作？"),
        ("room_of", "{z}在什么地方值班？"),
        ("endowment", "{z}得到的工具费是多少？"),
        ("held_on_date", "{z}负责的检验是几月几日进行的？"),
    ),
}
"""Questions about people who never appear: the predicate asked for, and the sentence."""

_MODERN_DETAILS = (
    ("大学", "{x}毕业于哪所大学？"),
    ("外语", "{x}会说几门外语？"),
    ("月薪", "{x}的月薪是多少？"),
    ("绰号", "同事给{x}起了什么绰号？"),
    ("生日", "{x}的生日是几月几日？"),
    ("过敏", "{x}对什么食物过敏？"),
    ("密码", "{x}使用的密码是什么？"),
    ("银行", "{x}在哪家银行开户？"),
    ("爱好", "{x}最大的爱好是什么？"),
    ("籍贯", "{x}的籍贯是哪里？"),
)
DETAILS: dict[str, tuple[tuple[str, str], ...]] = {
    "novel": (
        ("属相", "{x}的属相是什么？"),
        ("狗", "{x}养的狗叫什么名字？"),
        ("干爹", "{x}的干爹是谁？"),
        ("曲子", "{x}最爱听哪支曲子？"),
        ("病", "{x}小时候得过什么病？"),
        ("先生", "{x}跟哪位先生念过书？"),
        ("债", "{x}欠了多少债？"),
        ("坟", "{x}的坟在哪里？"),
        ("学堂", "{x}上过哪所学堂？"),
        ("乳名", "{x}的乳名叫什么？"),
    ),
    "modern": _MODERN_DETAILS,
    "report": _MODERN_DETAILS,
    "legal": _MODERN_DETAILS,
    "technical": _MODERN_DETAILS,
}
"""Details that no fact gives: the word for the detail, and the sentence."""
