"""Chinese sentences of each theme, in the style of reports, legal papers and technical logs."""

from __future__ import annotations

from .chinese_novel import NOVEL
from .lexicon import Wording

__all__ = ["LEGAL", "MODERN", "REPORT", "TECHNICAL"]

REPORT = {
    "ages": Wording(
        ("截至年底，{x}的工龄为{age}。", "{y}的工龄比{x}长{gap}。"),
        ("{x}的工龄是多少年？", "{y}的工龄比{x}长几年？"),
        ("{y}的工龄是多少年？", "{x}和{y}的工龄合计多少年？"),
    ),
    "ranking": Wording(
        ("{x}担任{trade}，年度考核得分高于{y}。", "{y}的年度考核得分比{z}高{gap}。"),
        ("{x}担任什么职务？", "{y}和{z}的年度考核得分相差多少分？"),
        ("{a}的年度考核得分是否高于{b}？", "{p}、{q}、{r}三人中，谁的年度考核得分既不是最高也不是最低？"),
    ),
    "lease": Wording(
        ("{date}，{x}在{p}租用一间办公室，月租金为{rent}。", "{x}租用{p}的办公室整整{months}后退租。"),
        ("{x}租用{p}的办公室，月租金是多少？", "{x}租用{p}的办公室几个月后退租？"),
        ("{x}租用{p}的办公室，一共支付了多少租金？", "{x}是几月几日退租{p}的办公室的？"),
    ),
    "endowment": Wording(
        ("{x}向{y}拨付资助款{total}。", "{y}用资助款只购买了{thing}，价格为{price}。"),
        ("{y}获得的资助款是多少？", "{y}购买{thing}花了多少钱？"),
        ("{y}购买{thing}之后，资助款还剩多少？", "{thing}是用谁拨付的资助款购买的？"),
    ),
    "exchange": Wording(
        ("{year}，{x}将{thing}移交给{y}。", "{y}将{thing}保管了{years}，之后转给{z}，换得{other}。"),
        ("{thing}是谁移交给{y}的？", "{y}用{thing}换得了什么？"),
        ("{thing}先后由哪三个人持有，按先后次序是谁？", "{y}是在哪一年转出{thing}的？"),
    ),
    "journey": Wording(
        ("{x}乘坐{depart}开往{p}的班车。", "开往{p}的班车全程需要{hours}。"),
        ("开往{p}的班车几点发车？", "开往{p}的班车全程需要几个小时？"),
        ("{x}几点到达{p}？", "截至{limit}，{x}是否已经到达{p}？"),
    ),
    "whereabouts": Wording(
        (
            "{day}，{x}于{start}到达，先在{room}工作到{middle}，再在{other}工作到{end}。",
            "{day}{moment}，{thing}被报告丢失。",
        ),
        ("{day}，{x}先在什么地方工作？", "{day}几点{thing}被报告丢失？"),
        ("{thing}被报告丢失时，{x}在什么地方？", "{x}到达几个小时之后，{thing}被报告丢失？"),
    ),
    "dates": Wording(
        ("{x}主持的审计于{date}（{weekday}）开始。", "{x}主持的审计开始{days}后，{y}公布了结果。"),
        ("{x}主持的审计是几月几日开始的？", "{x}主持的审计开始几天后，{y}公布了结果？"),
        ("{y}是几月几日公布结果的？", "{y}公布结果的那天是星期几？"),
    ),
    "stock": Wording(
        ("{x}有{count}{goods}待售。", "{y}以每件{price}的价格买下了{x}的全部{goods}。"),
        ("{x}有多少件{goods}待售？", "{y}买{goods}，每件付了多少钱？"),
        ("{y}买{goods}一共付了多少钱？", "{y}买了多少件{goods}？"),
    ),
    "route": Wording(
        ("{x}从{p}骑车{first}到达{q}。", "{x}从{q}驾驶{vehicle}又行驶{second}，到达{r}。"),
        ("{x}离开{p}后骑车行了多少公里？", "{x}是驾驶什么车到达{r}的？"),
        ("{x}从{p}到{r}一共行了多少公里？", "{x}从{p}到{r}，途中经过什么地方？"),
    ),
    "command": Wording(
        ("{y}只向{x}一人汇报工作。", "{z}在{room}办公，只向{y}汇报工作。"),
        ("{y}向谁汇报工作？", "{z}在什么地方办公？"),
        ("{z}的上级向谁汇报工作？", "{z}的两级上级由近到远是谁？"),
    ),
}

LEGAL = REPORT | {
    "ages": Wording(
        ("开庭之日，{x}年满{age}。", "{y}比{x}年长{gap}。"),
        ("开庭之日，{x}年满多少岁？", "{y}比{x}年长几岁？"),
        ("开庭之日，{y}多少岁？", "开庭之日，{x}和{y}的年龄合计多少岁？"),
    ),
    "ranking": Wording(
        ("{x}的职业为{trade}，其索赔金额高于{y}。", "{y}的索赔金额比{z}高{gap}。"),
        ("{x}的职业是什么？", "{y}和{z}的索赔金额相差多少元？"),
        ("{a}的索赔金额是否高于{b}？", "{p}、{q}、{r}三人中，谁的索赔金额既不是最高也不是最低？"),
    ),
    "lease": Wording(
        ("{date}，{x}承租位于{p}的房屋，月租金为{rent}。", "{x}承租位于{p}的房屋整整{months}后退租。"),
        ("{x}承租位于{p}的房屋，月租金是多少？", "{x}承租位于{p}的房屋几个月后退租？"),
        ("{x}承租位于{p}的房屋，一共支付了多少租金？", "{x}是几月几日退租位于{p}的房屋的？"),
    ),
    "endowment": Wording(
        ("{x}立遗嘱，将{total}遗赠给{y}。", "{y}用遗赠款只购买了{thing}，价款为{price}。"),
        ("{y}获得的遗赠款是多少？", "{y}购买{thing}的价款是多少？"),
        ("{y}购买{thing}之后，遗赠款还剩多少？", "{thing}是用谁的遗赠款购买的？"),
    ),
    "exchange": Wording(
        ("{year}，{x}将{thing}出售给{y}。", "{y}占有{thing}达{years}，之后将其转让给{z}，换得{other}。"),
        ("{thing}是谁出售给{y}的？", "{y}用{thing}换得了什么？"),
        ("{thing}先后归哪三个人所有，按先后次序是谁？", "{y}是在哪一年转让{thing}的？"),
    ),
    "journey": Wording(
        ("{x}乘坐{depart}开往{p}的渡轮。", "开往{p}的渡轮全程需要{hours}。"),
        ("开往{p}的渡轮几点开船？", "开往{p}的渡轮全程需要几个小时？"),
        ("{x}几点到达{p}？", "截至{limit}，{x}是否已经到达{p}？"),
    ),
    "kinship": Wording(
        ("{y}系{x}的独生女，{x}丧偶，住在{p}。", "{y}生有{count}子女，其中最年长的是{z}。"),
        ("{x}住在哪里？", "{y}生有几个子女？"),
        NOVEL["kinship"].inference,
    ),
    "whereabouts": Wording(
        (
            "{day}，{x}于{start}进入大楼，先在{room}停留至{middle}，再在{other}停留至{end}。",
            "{day}{moment}，{thing}被报告失窃。",
        ),
        ("{day}，{x}先在什么地方停留？", "{day}几点{thing}被报告失窃？"),
        ("{thing}被报告失窃时，{x}在什么地方？", "{x}进入大楼几个小时之后，{thing}被报告失窃？"),
    ),
    "dates": Wording(
        ("{x}于{date}（{weekday}）提起诉讼。", "{x}提起诉讼{days}后，{y}提交了答辩状。"),
        ("{x}是几月几日提起诉讼的？", "{x}提起诉讼几天后，{y}提交了答辩状？"),
        ("{y}是几月几日提交答辩状的？", "{y}提交答辩状的那天是星期几？"),
    ),
    "stock": Wording(
        ("{x}名下有{count}{goods}。", "{y}以每件{price}的价格购买了{x}名下的全部{goods}。"),
        ("{x}名下有多少件{goods}？", "{y}购买{goods}，每件付了多少钱？"),
        ("{y}购买{goods}一共付了多少钱？", "{y}购买了多少件{goods}？"),
    ),
    "command": Wording(
        ("{y}仅对{x}一人负责。", "{z}受雇于{room}，仅对{y}负责。"),
        ("{y}对谁负责？", "{z}受雇于什么地方？"),
        ("{z}的上级对谁负责？", "{z}的两级上级由近到远是谁？"),
    ),
}

TECHNICAL = REPORT | {
    "ages": Wording(
        ("上次大修时，{x}在厂工龄为{age}。", "{y}的在厂工龄比{x}长{gap}。"),
        ("{x}的在厂工龄是多少年？", "{y}的在厂工龄比{x}长几年？"),
        ("{y}的在厂工龄是多少年？", "{x}和{y}的在厂工龄合计多少年？"),
    ),
    "ranking": Wording(
        ("{x}担任{trade}，夜班工时多于{y}。", "{y}的夜班工时比{z}多{gap}。"),
        ("{x}担任什么职务？", "{y}和{z}的夜班工时相差几个小时？"),
        ("{a}的夜班工时是否多于{b}？", "{p}、{q}、{r}三人中，谁的夜班工时既不是最多也不是最少？"),
    ),
    "endowment": Wording(
        ("{x}给{y}划拨工具费{total}。", "{y}用工具费只购买了{thing}，价格为{price}。"),
        ("{y}得到的工具费是多少？", "{y}购买{thing}花了多少钱？"),
        ("{y}购买{thing}之后，工具费还剩多少？", "{thing}是用谁划拨的工具费购买的？"),
    ),
    "exchange": Wording(
        ("{year}，{x}将{thing}发放给{y}。", "{y}将{thing}使用了{years}，之后转给{z}，换得{other}。"),
        ("{thing}是谁发放给{y}的？", "{y}用{thing}换得了什么？"),
        ("{thing}先后由哪三个人持有，按先后次序是谁？", "{y}是在哪一年转出{thing}的？"),
    ),
    "journey": Wording(
        ("{x}乘坐{depart}开往{p}的补给船。", "开往{p}的补给船全程需要{hours}。"),
        ("开往{p}的补给船几点开船？", "开往{p}的补给船全程需要几个小时？"),
        ("{x}几点到达{p}？", "截至{limit}，{x}是否已经到达{p}？"),
    ),
    "dates": Wording(
        ("{x}负责的检验于{date}（{weekday}）进行。", "{x}负责的检验过后{days}，{y}重新启动了主泵。"),
        ("{x}负责的检验是几月几日进行的？", "{x}负责的检验过后几天，{y}重新启动了主泵？"),
        ("{y}是几月几日重新启动主泵的？", "{y}重新启动主泵的那天是星期几？"),
    ),
    "stock": Wording(
        ("{x}管理的备件架上有{count}{goods}。", "{y}以每件{price}的价格买下了{x}管理的全部{goods}。"),
        ("{x}管理的备件架上有多少件{goods}？", "{y}买{goods}，每件付了多少钱？"),
        ("{y}买{goods}一共付了多少钱？", "{y}买了多少件{goods}？"),
    ),
    "command": Wording(
        ("{y}只向{x}一人汇报工作。", "{z}在{room}值班，只向{y}汇报工作。"),
        ("{y}向谁汇报工作？", "{z}在什么地方值班？"),
        REPORT["command"].inference,
    ),
}

MODERN = NOVEL | {
    "ranking": Wording(
        ("{x}的职业是{trade}，个子比{y}高。", NOVEL["ranking"].facts[1]),
        ("{x}的职业是什么？", "{y}和{z}的身高相差几厘米？"),
        NOVEL["ranking"].inference,
    ),
    "lease": Wording(
        ("{date}，{x}在{p}租下一套房子，租金每月{rent}。", "{x}租下{p}的房子，整整{months}之后便退了租。"),
        ("{x}租{p}的房子，每月付多少租金？", "{x}租下{p}的房子，几个月之后退了租？"),
        ("{x}租{p}的房子，一共付了多少租金？", "{x}是几月几日退掉{p}的房子的？"),
    ),
    "journey": Wording(
        ("{x}坐的是{depart}开往{p}的长途车。", "开往{p}的长途车要走{hours}才到。"),
        ("开往{p}的长途车是什么时候开的？", "开往{p}的长途车要走几个小时？"),
        NOVEL["journey"].inference,
    ),
    "dates": Wording(
        (NOVEL["dates"].facts[0], "{x}的婚礼过了{days}，{y}便搬到了国外。"),
        (NOVEL["dates"].literal[0], "{x}的婚礼过了几天，{y}搬到了国外？"),
        ("{y}是几月几日搬到国外的？", "{y}搬到国外的那天是星期几？"),
    ),
    "route": REPORT["route"],
    "command": REPORT["command"],
}
