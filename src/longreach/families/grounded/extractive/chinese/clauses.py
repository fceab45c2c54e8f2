"""Chinese clauses as answers: in what case something happens, what to do in a case, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from ..spans import Found
from ..terms import LOOSE

__all__ = ["POINTS", "cut_additions", "find_clauses", "stands"]

_PRONOUN = re.compile("它|其(?!他|中|实|余|次)|该|这|那(?!么)|此(?!外)|(?<!其)他|她|两者|二者|前者|后者|彼此|双方")
POINTS = re.compile(
    "上述|以下|如下|下列|[上下][面例图表]|上文|(?<!上)下文|本例|上一|下一|前面|后面|[代码例]中|刚才|今天|昨天|明天|如今|我(?!们)"
    "|本(?:章|节|书|文|页|手册|指南|教程)"
    r"|两人|二人|示例|例子|笔者|第[一二三四五六]个|第\s?[\d.一二三四五六七八九十]+\s?[章节]|参[见阅考照看]|请见|附录|详见|见第|如图|如表"
    r"|[一-龥]节中|或者可以|顺便|所列|列出|等等|类似地|从中|稍后|(?:变量|参数) ?\$?[a-z]\w{0,2}(?![\w-])|等于 ?\d"
    r"|号(?:位置|元素)|——|(?<![\w.'\"-])[a-z](?![\w.'\"(-])"
)
"""What refers to another place, or to a variable of an example, wherever it is in a sentence."""
_CASE = re.compile(
    r"如果|若是|若(?!干)|假如|倘若|要是|一旦|只要|只有|除非|万一|每当|当(?![代然地时年前局初下中夜晚日天面])"
)
_AIM = re.compile(r"如要|若要|要想|想要|如需|若需|为了|要(?![是求么不点素])")
_IN_TIME = re.compile(
    r"(?:[在当]|每当|每次).{4,}(?:(?<![同有平此当临及随小暂按届耗费省准实定延计超限])时|时候|之[前后]|以[前后]|期间"
    r"|(?<=[成动装完束毕建置改入载])后)$"
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
    r"|此|它|该|至于|无论|不管|虽然|尽管|除非|除了|接着|然后|随后"
)
"""Begins a clause that adds to the one before it."""
_BROKEN = re.compile(
    r"[{}=;<>]|//|\*\w|_[一-龥]|[；：]|^(?:否则|虽然|只是|显然|来|尽可|要么)|[到给把在从向对于为和与的来]$|从[^，]{2,12}$"
)
"""A clause whose other half is missing, or code."""
_SUBJECTLESS = re.compile(
    "非常|很(?!多)|十分|[会将可能需不无才被把使让]|自动|通过|变|使用|显示|返回|读取|等同于|等价于|相当于"
)
"""Begins a statement whose subject is in another clause."""
_VAGUE_CASE = re.compile(
    r".*仍|.*的话$|.*[第前后]一?.种|.*一步$|.*所需|.*特定的|(?:还|再|也|又|都|是|其中)|在?[^，]*某[个种些][^，]{1,2}$|.{0,5}(?:避免|需要|必要|可能|愿意|确定|成功|失败|不行|一切|理想|顺利|正常).{0,3}$"
)
_REFERENCE = re.compile(
    "更喜欢|也许|遇到了|有一些|想到|举例|跳过|章节|最后输出|输出的?是|你可能(?:也|永远|已经|会?想)|非常有用|思考|学习|练习|任务|重要|关键|不容忽视|必不可少|注意|记住|想象|假设|考虑|好注意|好主意"
)
_NAMED = re.compile("[A-Za-z]{2}")
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
    rf"{_CASE.pattern}|每当|在|自从|(?:你|您|我们|用户)|(?:的时候|的话|时候|时|之?[前后]|以[前后]|情况下)$"
)
"""Words of a case that say nothing of it."""
_NO_CASE = re.compile(
    r"[；$则<>=（(\[|]|什么|哪|如何|怎|^(?:如果|当)?[说让]|^(?:相反|因为|现在|比如|例如|然后|任何|到|提到)|规定|请|：|^(?:如果|若|当)?是|^只有|^由于|情况下$|[中里上下和与、]$|[^，]*(?:字符串|对象|内容|情况)$"
)
"""In a clause that is no whole case, or one that is always so."""
_CONCEDES = re.compile("也(?:可|能|会|不)|仍|依然|还是")
"""In what is true in other cases as well."""
_ADVICE = re.compile(
    "(?:(?:你|您|用户|我们)?(?:也|还|就|便)?(?P<word>可以|可(?=[用通在将把直改先按])|需要|需(?=[先要将在使手])|必须|应(?!用)该?当?|建议|推荐|最好|只需要?|请)|优先(?=使用))"
    "(?:先|尝试|考虑)?"
)
"""Begins what the reader can or should do."""
_ANY_CASE = re.compile(
    "(?:当(?![前然代地时年局初下中做作成天日])|(?P<bare>如果|若(?!干)|一旦|只要))(?:你们?|您|用户|我们)?的?(?!让)"
    "(?P<case>[^，；：。（）]{7,28}?)(?(bare)(?<!的)(?<!时候)(?<!时)(?=，)|(?<!的)时(?=[^候间长区刻代]))"
)
"""A case in any place."""
_DOES = re.compile(
    "[在用将把向对从为]|使用|通过|利用|采用|借助|调用|配置|安装|运行|执行|添加|加入|修改|检查|确认|查看|创建|新建|设置|启用|禁用|指定"
    "|升级|更新|重启|删除|移除|清理|选择|选用|切换|改用|迁移|增加|减少|提高|降低|开启|关闭|停止|启动|输入|按下|点击|下载|导出|导入|备份"
    "|恢复|定义|实现|返回|传递|保存|避免|确保|直接|手动|重新|编辑|编写|声明|读取|写入|提供|拉取|推送|挂载|替换|编译|测试|调整|限制"
)
"""Begins an action."""
_MARKS = re.compile(
    "^(?:如果|若是|若|假如|倘若|要是|一旦|只要|除非|万一|每当|当|在)(?:你们?|您|用户|我们)?的?(?=.{5})"
    "|(?:的时候|的话|时候|(?<=.{6})时)$"
)
"""What makes a case of a clause: options have none, so that all are of one form."""
_LEAST_CASE = 8
"""Minimum characters of a case without a foreign word, less such words."""
_CASE_LENGTH = range(7, 46)
_MAIN_LENGTH = range(9, 62)


def stands(text: str) -> bool:
    """Whether a part of a sentence has no word for something outside it."""
    return _PRONOUN.search(text) is None and POINTS.search(text) is None


def cut_additions(body: str) -> str:
    """A statement up to the first clause that adds to it."""
    first, *rest = (clause.strip() for clause in _COMMA.split(body))
    return "，".join([first, *takewhile(lambda clause: not _ADDS.match(clause), rest)])


def find_clauses(body: str, *, narrative: bool) -> Iterator[Found]:
    """All clauses of a sentence without its full stop; a narrative has no cases."""
    if _MARKUP.search(body):
        return
    clauses = [clause.strip() for clause in _COMMA.split(body)]
    if not narrative:
        found = list(_cases(clauses))
        yield from found
        for match in _ANY_CASE.finditer(body):
            if (case := match["case"].strip()) not in {one.text for one in found} and _is_case(f"如果{case}"):
                yield Found("condition", case, (False,), near=LOOSE)
    yield from _reasons(clauses)


def _cases(clauses: Sequence[str]) -> Iterator[Found]:
    """The case at the head of a sentence, and what follows from it; only options where they do not make a question."""
    first, *rest = clauses
    for clause in rest:
        if advice := _ADVICE.match(clause):
            yield from _advice(clause, advice.end(), "", "")
    if not rest or not _is_case(first):
        return
    timed = re.search("[前后]$|期间$", first) is not None
    case = first if timed else _MARKS.sub("", first).strip()
    main = _main(rest)
    advice = _ADVICE.match(main)
    more = _CONTINUES.match(rest[0]) or any(re.search("则|那么|就会|才会|^[就便或]", one) for one in rest[1:])
    short = not _NAMED.search(first) and len(_OUTER.sub("", first)) < _LEAST_CASE
    fits = (
        not more
        and len(main) in _MAIN_LENGTH
        and stands(main)
        and not _nested(main)
        and not any(pattern.match(main) for pattern in (_ALSO, _TOLD))
        and not _CONCEDES.search(main)
        and not any(pattern.search(main) for pattern in (_BROKEN, _REFERENCE))
    )
    if advice and fits:
        asked = "可以" if (advice["word"] or "可").startswith("可") else "应该"
        yield from _advice(main, advice.end(), "" if short else f"{first}，{asked}怎么做？", first)
    whole = fits and not short and (advice or not _SUBJECTLESS.match(main))
    if not whole or re.match("[也还]", main):
        yield Found("condition", case, (timed,), near=LOOSE)
        return
    told = f"应该{main[1:]}" if main.startswith("请") else main
    asked = "什么时候" if timed else "在什么情况下" if advice else "在什么情况下，"
    yield Found("condition", case, (timed,), f"{asked}{told}？", main, 2.5)


def _advice(main: str, start: int, stem: str, about: str) -> Iterator[Found]:
    """What to do, without the word for 'can' or 'should'."""
    done = main[start:].lstrip()
    if (
        _DOES.match(done)
        and len(done) in _MAIN_LENGTH
        and stands(done)
        and not _BROKEN.search(done)
        and not _REFERENCE.search(done)
    ):
        yield Found("instruction", done, (), stem, about, 2.6, near=() if stem else LOOSE)


def _is_case(clause: str) -> bool:
    """Whether a clause at the head of a sentence is a case that is understood by itself."""
    if len(clause) not in _CASE_LENGTH or not (_CASE.match(clause) or _IN_TIME.match(clause)):
        return False
    vague = _VAGUE_CASE.match(_CASE.sub("", clause, count=1)) or _NO_CASE.search(clause)
    refers = _REFERENCE.search(clause) or _HERE.match(clause)
    return not vague and not refers and stands(clause) and "。" not in clause


def _nested(clause: str) -> bool:
    """Whether a clause is a case, an aim or a reason itself."""
    return any(pattern.match(clause) for pattern in (_CASE, _AIM, _CAUSE))


def _reasons(clauses: Sequence[str]) -> Iterator[Found]:
    """The reason at the head or at the end of a sentence; elsewhere, and without its statement, only an option."""
    place = next((place for place, clause in enumerate(clauses) if _CAUSE.match(clause)), None)
    if place is None or len(clauses) < 2:
        return
    why = clauses[place]
    if place == 0 and not _THEREFORE.match(clauses[1]) and len(clauses) > 2 and _THEREFORE.match(clauses[2]):
        return  # a reason of two clauses
    if place + 1 < len(clauses) and place:
        return
    if (
        _nested(why[2:])
        or _BROKEN.search(why)
        or re.search("是否|如果|^..(?:随着|谁)", why)
        or len(why) not in _CASE_LENGTH
        or not stands(why)
    ):
        return
    main = _main(clauses[1:]) if place == 0 else "，".join(clauses[:place])
    fits = len(main) in _MAIN_LENGTH and stands(main) and not _nested(main) and not _SUBJECTLESS.match(main)
    fits = fits and not _TOLD.match(main) and not _ALSO.match(main) and not _ADDS.match(main)
    yield Found("reason", why, (), f"为什么{main}？" if fits else "", main, 2.5)


def _main(clauses: Sequence[str]) -> str:
    """The main clause without the word that opens it and without additions."""
    text = cut_additions("，".join(clauses)) if not _THEREFORE.match(clauses[0]) else "，".join(clauses)
    while opening := _THEN.match(text) or _THEREFORE.match(text):
        text = text[opening.end() :].lstrip("， ")
    return cut_additions(text)
