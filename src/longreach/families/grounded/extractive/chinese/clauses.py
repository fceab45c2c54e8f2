"""Chinese clauses as answers: what happens or what to do in a case, in what case, why, what a thing is or does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from ..spans import Found
from ..terms import LOOSE
from ..wordsets import word_set

__all__ = ["POINTS", "find_clauses", "stands"]

_PRONOUN = re.compile("它|其(?!他|中|实|余|次)|该|这|那(?!么)|此(?!外)|(?<!其)他|她|两者|二者|前者|后者|彼此|双方")
POINTS = re.compile(
    "上述|以下|如下|下列|[上下][面例图表文]|本例|上一|下一|前面|后面|[代码例]中|刚才|今天|昨天|明天|如今|我(?!们)"
    "|本(?:章|节|书|文|页|手册|指南|教程)"
    r"|两人|二人|示例|例子|笔者|第[一二三四五六]个|第\s?[\d.]+\s?[章节]|参[见阅考照看]|请见|附录|详见|见第|如图|如表"
    r"|[一-龥]节中|或者可以|顺便|所列|列出|等等|类似地|从中|稍后|(?:变量|参数) ?\$?[a-z]\w{0,2}(?![\w-])|等于 ?\d"
    r"|号(?:位置|元素)|——|(?<![\w.'\"-])[a-z](?![\w.'\"(-])"
)
"""What refers to another place, or to a variable of an example, wherever it is in a sentence."""
_CASE = re.compile(r"如果|若是|若(?!干)|假如|倘若|要是|一旦|只要|只有|除非|万一|每当|当(?![代然地时年前局初下中])")
_AIM = re.compile(r"如要|若要|要想|想要|如需|若需|为了|要(?![是求么不点素])")
_WISH = re.compile("(?:如果|若|当|每当)(?:你|您|用户|我们)?(?:想|要|需要|希望|打算|准备|喜欢)")
"""Begins a case in which to do something, rather than one in which something happens."""
_IN_TIME = re.compile(
    r".{4,}(?:(?<![同有平此当临及随小暂按届耗费省准实定延计超限])时|时候|之[前后]|以[前后]|期间|情况下|(?<=[成动装完束毕建置改入载])后)$"
)
_CAUSE = re.compile(r"(?:由于|因为)(?!此)")
_THEN = re.compile(r"(?:则|那么|那(?=[就会么])|便|就(?!是))")
_THEREFORE = re.compile(r"(?:所以|因此|因而|故)")
_CONTINUES = re.compile(
    r"[或且并而但又]|以及|还(?!可|需|应|要)|甚至|哪怕|即使|即便|无论|不管|同时|两者|例如|比如|如(?!果)|尤其|特别|包括"
    r"|然后|接着|随后"
)
"""Begins a clause that goes on with the case before it."""
_ADDS = re.compile(
    r"因为|由于|所以|因此|但|不过|然而|而|例如|比如|如(?!果)|即|也就|这|那|从而|以便|以免|并|且|同时|否则|尤其|特别"
    r"|包括|其|甚至"
    r"|此|它|该|至于|无论|不管|虽然|尽管|除非|除了"
)
"""Begins a clause that adds to the one before it."""
_NO_START = re.compile(
    "[但而且并或也还都就则在从对把被为当如若除因虽尽即使让以用通]|所以|否则|例如|比如|一些|某些|有些|阻止|不了解|进而"
    "|导致|结果|现在|此时|表示|是|里面|再|中间|只有|本身|或"
)
_BROKEN = re.compile(
    r"[{}=;>]|//|\*\w|_[一-龥]|[；：]|^(?:虽然|只是|显然|来|尽可|要么)|[到给把在从向对于为和与的来]$|从[^，]{2,12}$"
)
"""A clause whose other half is missing."""
_SUBJECTLESS = re.compile("[会将可能需不无才被把]|自动|通过|变|使用|显示|返回|读取|等同于|等价于|相当于")
"""Begins a statement whose subject is in another clause."""
_ORDER = re.compile(
    r"(?:你|您|用户|我们|管理员)?(?:还|也|只|都|先)?(?P<verb>请|用(?= ?[A-Za-z“])"
    r"|(?<![你您们户员])[把将](?![会被不无来改]|自动|军)|可以"
    r"|可(?=[在通将用使先])|需要|需|应该|应当|应|必须"
    r"|务必|一定要|确保|避免|尝试|不要|最好|建议|只需|推荐|不妨|使用|执行"
    r"|运行|输入|选择|点击|单击|双击|按下?|打开|安装|设置|添加|修改|检查|编辑|创建|删除|启用|禁用|查看)"
)
"""A clause that states what to do."""
_NO_ORDER = re.compile(
    r"(?:可以|需要)?(?:被|看到|是|让)|.*是[^，]{1,8}的$|.*(?:了|变得[^，]+)$|需[^，]+的[^，]+(?:包括|是)|(?:使用|执行|运行|输入|选择|设置|安装|打开|修改|检查|编辑|创建"
    r"|删除|启用|禁用|查看)(?:.*(?:可以|会|是|能|不|很)|.*的[^，的]{2,10}$)"
)
"""What only looks like an instruction: a statement, or a noun with its attributes."""
_MAY = frozenset({"可以", "可", "不妨"})
_FORMS = {"请": "请", "把": "将", "将": "将", **dict.fromkeys(_MAY, "可以")}
_FORMS |= dict.fromkeys(word_set("需要 需 应该 应当 应 必须 务必 一定要 确保 最好 建议 推荐 只需"), "应该")
"""How an instruction begins: all options of a question begin alike."""
_VAGUE_CASE = re.compile(
    r".*仍|.*的话$|.*[第前后]一?.种|.*一步$|.*所需|.*特定的|(?:还|再|也|又|都|是|其中)|在?[^，]*某[个种些][^，]{1,2}$|.{0,5}(?:避免|需要|必要|可能|愿意|确定|成功|失败|不行|一切|理想|顺利|正常).{0,3}$"
)
_REFERENCE = re.compile(
    "更喜欢|也许|遇到了|有一些|想到|举例|跳过|章节|最后输出|输出的?是|你可能(?:也|永远|已经|会?想)|非常有用|思考|学习|练习|任务|重要|关键|不容忽视|必不可少|注意|记住|想象|假设|考虑|好注意|好主意"
)
_UNIT = "个|种|款|套|项|名|位|部|家|座|本|组|类|条|段|份|张|门|片|间|次|台|场|篇|支|块|把"
_THING = r"(?P<thing>[^，。；：、“”（）]{2,20}?)\s?"
_BAD_HEAD = re.compile(
    r"值得|通过|错误信息|[表图] ?\d"
    "|[最另第每很更真都也还不没有无谁什怎哪说看想觉我你您某几多少一二三两随只仅即则于又再就请试虽尽]|通常|一般|许多"
    "|主要|其中|然后|默认"
)
_NO_NOUN = re.compile(
    "[在为由把被从对向用让使给将要会能可是有和与或但而如若当除因所你您]|规定|要求|表明|说明|希望|永远|现在|没有|应该|首要|唯一"
    "|[里中上下时后前都也就之了着的还只仅才便总均已不]$|[一几]个$|原生$|全部$|通常$|立[刻即]$|差不多"
)
"""At the head of, or anywhere in, a phrase that is not the name of a thing."""
_VAGUE = re.compile(
    r".*(?:目的|原因|问题|方法|结果|关键|重点|目标|区别|好处|优点|缺点|答案|系统|用户|程序|文件|命令|内容|时间|地方"
    r"|事情|做法|方式|情况|东西|选项"
    r"|参数|函数|变量|步骤|部分|作用|意思|功能|特点|例子|办法|软件包|代码|值|名称|人|者|员)"
)
"""Common nouns, which name nothing without a foreign word."""
_NAMED = re.compile("[A-Za-z]{2}")
_LEAST_NAME = 4
_CAN = r"(?<![可功性技职效只才不就智节体])能(?![会需力量够可])"
_WILL = r"(?<![机社不])会(?![议员话])|将(?=会|被|不|无|自动|成为|得到|导致)"
_DOES = (
    "允许|支持|提供|包含|包括|使用|返回|显示|表示|采用|依赖|生成|保存|管理|处理|执行|控制|决定|指定|实现|具有|负责"
    "|定义|接受|影响|适合|属于"
)
_MEANING = (
    (
        re.compile(rf"{_THING}(?:就|也)?是(?P<what>一(?:{_UNIT}).{{4,50}})"),
        "definition",
        "{thing}是什么？",
        ("one",),
        2.8,
    ),
    (
        re.compile(rf"{_THING}(?:就)?是(?P<what>(?!否|不|为|因|由|在|指)[^，的]{{2,24}}的[^，的]{{2,12}})"),
        "definition",
        "{thing}是什么？",
        ("of",),
        2.4,
    ),
    (
        re.compile(rf"(?:所谓)?{_THING}(?:，)?(?:是指|指的是|的意思是)(?P<what>.{{6,50}})"),
        "definition",
        "{thing}指的是什么？",
        ("means",),
        2.8,
    ),
    (
        re.compile(rf"{_THING}(?:主要|通常|一般)?(?P<what>(?:可以用来|可以用于|可用于|可用来|用于|用来)[^，]{{4,40}})"),
        "action",
        "{thing}有什么用途？",
        ("use",),
        2.7,
    ),
    (
        re.compile(
            rf"{_THING}(?P<what>(?:可以|能够|{_CAN}|{_WILL}|不会|必须|需要|应该|应当|不能|只能|无法|不允许|不支持|(?:{_DOES})(?![的者商器员]"
            rf"|系统|程序|方法))[^，]{{5,45}})"
        ),
        "action",
        "关于{thing}，哪种说法正确？",
        (),
        2.3,
    ),
)
"""What something is, is for, or does."""
_MARKUP = re.compile(r"^>|(?<![\w*])\*[^\s*.][^*]*\*|_[一-龥]|[一-龥]_")
"""Emphasis and quotation that are no part of the text."""
_COMMA = re.compile(r"，(?![^（）]*）)")
_ALSO = re.compile("(?:你|您|我们|用户)?(?:也|还|又|再|仍|依然|依旧)|.*不仅")
"""Begins a consequence that adds to the sentences before it."""
_TOLD = re.compile("我们(?!可以|需要|必须|应|只需|建议|推荐)")
"""Begins what the writer does with the reader."""
_HERE = re.compile("(?:如果|若|当|每当|一旦)?我们")
"""Begins a case of an example that the text works through with the reader."""
_OUTER = re.compile(
    rf"{_CASE.pattern}|{_AIM.pattern}|每当|在|自从|(?:你|您|我们|用户)|(?:的时候|的话|时候|时|之?[前后]|以[前后]|情况下)$"
)
"""Words of a case that say nothing of it."""
_SUBJECTLESS_ACT = re.compile("[使让向以]|围绕|根据|然后")
"""Begins what a button or a command is for."""
_NO_CASE = re.compile(
    "[；$则]|^(?:相反|因为|现在|比如|例如|然后|任何|到|提到)|规定|请|：|是|^只有|^由于|情况下$|[中里上下和与、]$|[^，]*(?:字符串|对象|内容|情况)$"
)
"""In a clause that is no whole case, or one that is always so."""
_LEAST_CASE = 8
"""Minimum characters of a case without a foreign word, less such words."""
_CASE_LENGTH = range(7, 46)
_MAIN_LENGTH = range(7, 62)
_LEAST_STATED = 9
"""Minimum characters of a statement that is asked about."""


def stands(text: str) -> bool:
    """Whether a part of a sentence has no word for something outside it."""
    return _PRONOUN.search(text) is None and POINTS.search(text) is None


def find_clauses(body: str, *, narrative: bool) -> Iterator[Found]:
    """All clauses of a sentence without its full stop; a narrative has no cases."""
    if _MARKUP.search(body):
        return
    clauses = [clause.strip() for clause in _COMMA.split(body)]
    if not narrative:
        cases = list(_cases(clauses))
        yield from cases or _loose(clauses)
    yield from _reasons(clauses)
    yield from _meaning(clauses)


def _cases(clauses: Sequence[str]) -> Iterator[Found]:
    first = clauses[0]
    aim = _AIM.match(first)
    case = None if aim or _CAUSE.match(first) else _CASE.match(first) or _IN_TIME.match(first)
    if (aim is None and case is None) or len(clauses) < 2:
        return
    start = next((place for place, clause in enumerate(clauses[1:4], 1) if _THEN.match(clause)), 0)
    if not start:
        if _CONTINUES.match(clauses[1]) or any(re.search("则|那么|就会|才会|^或", clause) for clause in clauses[2:]):
            return  # the case has more than one clause
        start = 1
    given, rest = "，".join(clauses[:start]), _main(clauses[start:])
    if any(re.match("[是会将能可]|就", clause) for clause in clauses[1:start]) or any(map(_nested, clauses[2:start])):
        return  # a consequence of its own, or a case in it
    if len(given) not in _CASE_LENGTH or len(rest) not in _MAIN_LENGTH or not stands(given) or not stands(rest):
        return
    if (
        (aim and len(given) < _LEAST_STATED)
        or given[-1] in "中里上下和与"
        or re.search("则|那么|，然后|请|规定|：|一[个种款].{0,4}$", given)
    ):
        return
    if _BROKEN.search(rest) or (case and re.search("是" if case.re is _IN_TIME else "^如果.*时$", given)):
        return
    wish = aim or _WISH.match(given)
    word = (aim or case)[0] if aim or (case and case.re is _CASE) else ""  # type: ignore[index]
    if _VAGUE_CASE.match(given[len(word) :]) or _REFERENCE.search(rest) or _REFERENCE.search(given):
        return
    if _nested(rest) or _ALSO.match(rest) or _TOLD.match(rest):
        return
    named = _NAMED.search(given) is not None
    if not named and _HERE.match(given):
        return
    short = not named and len(_OUTER.sub("", given)) < _LEAST_CASE
    order = None if _NO_ORDER.match(rest) else _ORDER.match(rest)
    if order is not None and order["verb"] in _MAY and case and case.re is _IN_TIME:
        return  # what else can be done at that time is open
    if order is not None:
        asked = "可以怎么做" if order["verb"] in _MAY else "应该怎么做"
        yield Found("instruction", rest, (_form(order),), f"{given}，{asked}？", given, 2.8, titled=short)
    elif (
        not _ORDER.match(rest)
        and not _SUBJECTLESS_ACT.match(rest)
        and not wish
        and word != "只有"
        and len(given) >= _LEAST_STATED
        and given[-1] != "前"
    ):
        yield Found("consequence", rest, (), f"{given}，会怎么样？", given, 2.7, titled=short)
    if not aim and case and case.re is _IN_TIME and re.search("[前后]$|期间$", given):
        yield Found("condition", given, ("time",), f"什么时候{rest}？", rest, 2.3)
    elif (
        not aim
        and rest[0] not in "使让"
        and (named or "「" in given or not short)
        and len(rest) >= _LEAST_STATED
        and (order or not _SUBJECTLESS.match(rest))
    ):
        asked = f"在什么情况下应该{rest[1:]}？" if rest.startswith("请") else f"在什么情况下，{rest}？"
        yield Found("condition", given, (), asked, rest, 2.5)


def _form(order: re.Match[str]) -> str:
    return _FORMS.get(order["verb"], "")


def _is_case(clause: str) -> bool:
    """Whether a clause at the head of a sentence is a case that is understood by itself."""
    if len(clause) not in _CASE_LENGTH or not (_CASE.match(clause) or _IN_TIME.match(clause)):
        return False
    vague = _VAGUE_CASE.match(_CASE.sub("", clause, count=1)) or _NO_CASE.search(clause)
    return not vague and stands(clause) and "。" not in clause


def _nested(clause: str) -> bool:
    """Whether a clause is a case, an aim or a reason itself."""
    return any(pattern.match(clause) for pattern in (_CASE, _AIM, _CAUSE))


def _loose(clauses: Sequence[str]) -> Iterator[Found]:
    """Clauses without a case, as wrong options: what will happen, what to do."""
    for place, clause in enumerate(clauses):
        if place == 0 and _is_case(clause):
            yield Found("condition", clause, ("time",) if re.search("[前后]$|期间$", clause) else (), near=LOOSE)
            continue
        whole = place + 1 == len(clauses) or _ADDS.match(clauses[place + 1])
        if (
            not whole
            or (place and _ADDS.match(clause))
            or "。" in clause
            or len(clause) not in _MAIN_LENGTH
            or not stands(clause)
        ):
            continue
        if _BROKEN.search(clause) or _nested(clause) or _TOLD.match(clause) or _REFERENCE.search(clause):
            continue
        if order := _ORDER.match(clause):
            if not _NO_ORDER.match(clause) and not _ALSO.match(clause):
                yield Found("instruction", clause, (_form(order),), near=LOOSE)
        elif re.search(rf".{{2}}(?:{_WILL}|不会|无法|不能|自动)", clause) and not _NO_START.match(clause):
            yield Found("consequence", clause, near=LOOSE)


def _reasons(clauses: Sequence[str]) -> Iterator[Found]:
    if len(clauses) < 2:
        return
    if _CAUSE.match(clauses[0]):
        start = next((place for place, clause in enumerate(clauses[1:4], 1) if _THEREFORE.match(clause)), 1)
        why, main = "，".join(clauses[:start]), _main(clauses[start:])
    elif _CAUSE.match(clauses[1]) and len(clauses) == 2:
        why, main = clauses[1], clauses[0]
    else:
        return
    if _nested(why[2:]) or "是否" in why or re.match("[导致使会让]", main):
        return
    if len(why) in _CASE_LENGTH and len(main) in _MAIN_LENGTH and stands(why) and stands(main):
        yield Found("reason", why, (), f"为什么{main}？", main, 2.5)


def _main(clauses: Sequence[str]) -> str:
    """The main clause without the word that opens it and without additions."""
    rest = [clauses[0], *takewhile(lambda clause: not _ADDS.match(clause), clauses[1:])]
    text = "，".join(rest)
    while opening := _THEN.match(text) or _THEREFORE.match(text):
        text = text[opening.end() :].lstrip()
    return text


def _meaning(clauses: Sequence[str]) -> Iterator[Found]:
    body = _main(clauses)
    for pattern, kind, stem, form, score in _MEANING:
        match = pattern.fullmatch(body)
        if match is None:
            continue
        thing, what = match["thing"].strip(), match["what"]
        if not stands(what) or what.endswith(("的", "了", "着", "：")) or _REFERENCE.search(what):
            return
        if kind == "action" and re.match(".{1,6}的", what):
            return  # 'the files that it uses', not what it does
        if _BAD_HEAD.match(thing) or _NO_NOUN.search(thing):
            return
        asks = stands(thing) and (_NAMED.search(thing) or (len(thing) >= _LEAST_NAME and not _VAGUE.fullmatch(thing)))
        form = form or (what[:2],)
        yield Found(kind, what, form, stem.format(thing=thing) if asks else "", thing, score)
        return
