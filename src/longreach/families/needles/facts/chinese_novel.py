"""Chinese sentences of each theme, in the style of an early twentieth-century novel."""

from __future__ import annotations

from .lexicon import Wording

__all__ = ["NOVEL"]

NOVEL = {
    "ages": Wording(
        ("那一年，{x}{age}。", "谁都知道，{y}比{x}大{gap}。"),
        ("{x}多少岁？", "{y}比{x}大几岁？"),
        ("{y}多少岁？", "{x}和{y}的年龄加起来是多少岁？"),
    ),
    "ranking": Wording(
        ("{x}是个{trade}，个子比{y}高。", "{y}的个子比{z}高{gap}。"),
        ("{x}以什么为业？", "{y}和{z}的身高相差几寸？"),
        ("{a}的个子是不是比{b}高？", "{p}、{q}、{r}三人当中，谁的个子既不是最高也不是最矮？"),
    ),
    "lease": Wording(
        ("{date}，{x}在{p}租下一处宅子，租金每月{rent}。", "{x}租下{p}的宅子，整整{months}之后便退了租。"),
        ("{x}租{p}的宅子，每月付多少租金？", "{x}租下{p}的宅子，几个月之后退了租？"),
        ("{x}租{p}的宅子，一共付了多少租金？", "{x}是几月几日退掉{p}的宅子的？"),
    ),
    "endowment": Wording(
        ("{x}给{y}留下了{total}的遗产。", "{y}用遗产只买了一样东西，就是花{price}买的{thing}。"),
        ("{y}得到的遗产有多少？", "{y}买{thing}花了多少钱？"),
        ("{y}买了{thing}之后，遗产还剩多少？", "{thing}是用谁留下的遗产买的？"),
    ),
    "exchange": Wording(
        ("{year}，{x}把{thing}送给了{y}。", "{y}把{thing}留了{years}，然后拿去跟{z}换了{other}。"),
        ("{thing}是谁送给{y}的？", "{y}拿{thing}换来了什么？"),
        ("{thing}先后归过哪三个人，按先后次序是谁？", "{y}是在哪一年把{thing}换出去的？"),
    ),
    "journey": Wording(
        ("{x}搭的是{depart}开往{p}的轮船。", "开往{p}的轮船要走{hours}才到。"),
        ("开往{p}的轮船是什么时候开的？", "开往{p}的轮船要走几个小时？"),
        ("{x}是什么时候到{p}的？", "到{limit}为止，{x}是不是已经到了{p}？"),
    ),
    "kinship": Wording(
        ("{y}是寡妇{x}的独生女，{x}住在{p}。", "{y}生了{count}孩子，老大叫{z}。"),
        ("{x}住在哪里？", "{y}生了几个孩子？"),
        ("{x}的外孙和外孙女一共有几个？", "{z}的外祖母住在哪里？"),
    ),
    "whereabouts": Wording(
        (
            "{day}，{x}{start}进门，先在{room}坐到{middle}，又在{other}坐到{end}。",
            "{day}{moment}，有人发现{thing}不见了。",
        ),
        ("{day}，{x}先坐在什么地方？", "{day}什么时候有人发现{thing}不见了？"),
        ("有人发现{thing}不见了的时候，{x}在什么地方？", "{x}进门几个小时之后，有人发现{thing}不见了？"),
    ),
    "dates": Wording(
        ("{x}的婚礼是{date}办的，那天是{weekday}。", "{x}的婚礼过了{days}，{y}便动身下南洋。"),
        ("{x}的婚礼是几月几日办的？", "{x}的婚礼过了几天，{y}动身下南洋？"),
        ("{y}是几月几日动身下南洋的？", "{y}动身下南洋的那天是星期几？"),
    ),
    "stock": Wording(
        ("{x}手里有{count}{goods}。", "{y}按每件{price}的价钱，买下了{x}的全部{goods}。"),
        ("{x}手里有多少件{goods}？", "{y}买{goods}，每件付了多少钱？"),
        ("{y}买{goods}一共付了多少钱？", "{y}买了多少件{goods}？"),
    ),
    "route": Wording(
        ("{x}从{p}步行{first}到了{q}。", "{x}从{q}坐{vehicle}又走了{second}，到了{r}。"),
        ("{x}离开{p}以后步行了多少里？", "{x}是坐什么车到{r}的？"),
        ("{x}从{p}到{r}一共走了多少里？", "{x}从{p}到{r}，路上经过什么地方？"),
    ),
    "command": Wording(
        ("{y}只听{x}一个人的吩咐。", "{z}在{room}当差，只听{y}的吩咐。"),
        ("{y}听谁的吩咐？", "{z}在什么地方当差？"),
        ("管着{z}的人听谁的吩咐？", "{z}上头的两个人由近到远是谁？"),
    ),
}
