"""Chinese names of things: which of them a statement is about."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from ..spans import Found
from ..terms import Sentence
from ..wordsets import word_set
from .clauses import cut_additions, stands

__all__ = ["LABELLED", "Things", "fits_label"]

_HAN = "\u4e00-\u9fff"
_LATIN = re.compile(
    r"(?<![A-Za-z0-9_./$@#~:-])(?:[A-Z][A-Za-z0-9+.]*(?:[-_/][A-Za-z0-9+.]+)*(?: [A-Z][A-Za-z0-9+]*){0,2}"
    r"|[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)+|[a-z]{3,})(?![A-Za-z0-9_(/:=-]|\.[a-z])"
)
_SIGNED = re.compile(
    rf"\*{{1,2}}([{_HAN}]{{2,8}})(?:（[^（）]*）)?\*{{1,2}}"
    rf"|<u>([{_HAN}]{{2,8}})|“([{_HAN}]{{3,8}})”|(?:称为|称作|叫做|叫作) ?[“「]?([{_HAN}]{{2,8}})(?:[”」]|（[A-Za-z])"
    rf"|^([{_HAN}]{{2,8}})（[A-Za-z][A-Za-z -]+）"
)
"""A term that markup, quotation marks or a foreign word set off."""
_TITLE = re.compile(rf"(?:#+ )?(?:\d+(?:\.\d+)*\.? ?)?([{_HAN}]{{3,6}})")
_NO_TERM = re.compile(
    "[的了是在和与或不如何什么怎请这那我你为将把被让]|概述|简介|介绍|总结|小结|注意|提示|警告|优点|缺点|示例|例子|说明"
    "|方法$|步骤|问题|特点|作用|目标|[时后前]$"
    "|^一|真正|能够|可以|必须|应该|需要|永远|所有|任何|没有|全部|每个|同时|总是|只有|效率高|开发者|作者|读者|前台"
    "|使用|创建|部署|配置|安装|升级|测试|编译|运行|调试|查看|删除|添加|修改|启动|设置|管理|更新|下载|参考"
)
_ADVERB = "(?:主要|通常|一般|默认|本身|最初|专门|直接|自动|只|仅|已经|同样|总是|均|并)?"
_ACT = (
    "提供|支持|负责|允许|包含|包括|使用|采用|依赖|生成|保存|管理|处理|执行|控制|决定|指定|实现|具有|拥有|定义|接受|返回"
    "|表示|存储|监听|监控|监视|运行|维护|连接|读取|接收|发送|检查|创建|启动|记录|要求|遵循|利用|封装|简化|引入|诞生|起源|源自"
    "|来自|适合|适用|分为|代表|描述|解决|保证|确保|避免|收集|解析|计算|遍历|扩展|继承|基于|属于|通过|根据|借助|占用|消耗"
)
_VERB = (
    rf"{_ADVERB}(?:是(?!否|不是|由于|因为)|会|将|可以|可(?=[以用通])|能够|能|需要|必须|用于|用来|用作|由|把|让|使得|意为|是指|指的是|有(?=[一两三四五六多]|助于)"
    rf"|(?:{_ACT})(?![者器员商的已]|手册|工具|程序|方式|方法|命令|接口|系统|文件|函数|了(?:很多|一些|许多)))"
)
_TYPE = "函数|方法|命令|工具|组件|插件|模式|语言|协议|类|包|库|模块|指令|参数|选项|字段|属性|控制器|算法"
_SUBJECT = re.compile(rf" ?(?:{_TYPE})? ?(?P<predicate>{_VERB}.+)")
_NO_LABEL = (
    "[请第见问答注先再最]|[^：:]+(?:[为是有]|满足|包括)[：:]|方法[一二三]|附录|步骤|图|表|例|如|提示|结论|原因|参考|作者|来源|链接|时间|地址|版本|默认|结果|输入|输出|优势|劣势"
    "|优点|缺点|用途|功能|特[性点征]|场景|建议|目的|背景|要求|条件[：:]"
)
LABELLED = re.compile(
    rf"(?!{_NO_LABEL})(?P<label>[{_HAN}]{{2,10}}|{_LATIN.pattern})(?: ?[（(][A-Za-z][^（）()]*[）)])? ?[：:] ?"
    rf"(?P<described>(?!//)[^：:；;。！？!?<>|]+)[。；;]?"
)
"""A label before its description."""
_NOUN_OF = re.compile(r"(?!是|会|将|可|能|需要|必须)[^，]{2,14}的[^，的]{1,10}(?:是|会|可以|为|包括|有|将)")
"""'the storage that X uses is': X is no subject."""
_WEAK = re.compile(
    r"也|还(?!原)|另外|之一$|[一二三四五两几多]个(?:部分|方面|步骤|阶段|层次)$|是每个|同样|类似|其他|另一|这|那|该|此|其(?!他)|它|本(?!地|身|机)|上述|以下|如下|下面|[上下]一|——|：|；|[?？!！]"
    r"|是(?:我们|什么|一样|很|非常|最(?:好|重要|常)|必须的|可以的|正确的|必要的)|不仅|例如|比如|如(?!果|何)|虽然|但|不过"
)
_ASIDE = re.compile("[（(][^（）()]*[）)]")
_WHICH = "以下哪一项"
_LEAD = re.compile("(?:在|对于|当|如果|若|为了|与|相比|从|根据|除|由于|因为|除了|按照)[^，：；]{3,24}，")
"""A clause or phrase before the subject."""
_USED = re.compile(
    "(?:使用|采用|利用|借助|通过|调用|执行|运行|依赖|基于|称为|叫做|称作|叫作|引入|提供|添加|安装)了?[“「]?$"
)
_CALLED = re.compile("(?:称为|叫做|称作|叫作) ?[“「]?$")
_DOING = re.compile("来|进行|实现|完成|去|对|将|把|以|从而")
_ENDS = re.compile("[”」，]|$")
_QUOTED = ("“", "「")
_NEGATED = re.compile(rf"{_ADVERB}(?:不|没|无|并不|并非)")
_IS = re.compile("(?:就|主要|通常)?是")
_KEY = re.compile(r"(?:Ctrl|Alt|Shift|Esc|Tab)\b|F\d+$")
_KEYS = word_set("enter alt ctrl tab esc shift space return true false yes no ok null none nil")
_ADDS = re.compile("[但而且并或也还都就则因]|所以|同上|无$|略$|可选")
_LENGTH = range(12, 62)
_DESCRIBED = range(12, 60)
_LEAST_PLAIN = 2
"""Times that an English word in lower case must be a subject to be a name."""
_TOPIC = 60
_LEAST_TOPIC = 20
"""A name in more than one of so many sentences is what the whole text is about."""
_MANY = 6
_LONGEST = 400
"""Characters of a statement."""
_AFTER = 2
_BEFORE = 8
"""Characters after and before a name that tell its use."""


class Things:
    """The names in a document that statements have as subjects."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        subjects: Counter[str] = Counter()
        signed: set[str] = set()
        for sentence in sentences:
            signed.update(next(filter(None, match.groups())) for match in _SIGNED.finditer(sentence.raw))
            if not sentence.whole and (title := _TITLE.fullmatch(sentence.raw.strip())):
                signed.add(title[1])
        signed = {term for term in signed if not _NO_TERM.search(term)}
        terms = "|".join(sorted(map(re.escape, signed), key=len, reverse=True))
        self._name = re.compile(f"{_LATIN.pattern}|{terms}" if terms else _LATIN.pattern)
        uses: dict[str, set[str]] = defaultdict(set)
        often = Counter(match[0] for sentence in sentences for match in self._name.finditer(sentence.text))
        for sentence in sentences:
            for clause in re.split("[，。；：]", _ASIDE.sub("", sentence.text)):
                match = self._name.match(clause.strip())
                if match and (found := _SUBJECT.match(clause.strip()[match.end() :])):
                    subjects[match[0]] += 1
                    uses[match[0]].add(found["predicate"][:_AFTER])
                    if _IS.match(found["predicate"]):
                        uses[match[0]].add(found["predicate"][-_AFTER:])
                for used in self._name.finditer(clause):
                    before = clause[max(0, used.start() - _BEFORE) : used.start()].rstrip()
                    if _USED.search(before):
                        subjects[used[0]] += 1
                        uses[used[0]].add(before[-_AFTER:])
        self._names = {
            name
            for name, times in subjects.items()
            if times >= (_LEAST_PLAIN if name[0].islower() else 1)
            and name.casefold() not in _KEYS
            and not _KEY.match(name)
            and often[name] <= max(_LEAST_TOPIC, len(sentences) // _TOPIC)
        }
        # A name with many uses shares some with any other.
        self._near = {
            name: (*sorted(uses[name] if len(uses[name]) < _MANY else ()), _shape(name)) for name in self._names
        }

    def find(self, text: str) -> Iterator[Found]:
        """The names in a sentence; a subject, or what something is done with, is asked for."""
        seen: set[str] = set()
        for match in self._name.finditer(text):
            name = match[0]
            if name not in self._names or name in seen:
                continue
            seen.add(name)
            if len(text) > _LONGEST:
                yield Found("name", name, ("thing", "", name[0] > "z"), near=self._near[name])
                continue
            before, after = (_ASIDE.sub("", part).rstrip("。") for part in (text[: match.start()], text[match.end() :]))
            told = text.count(name) > 1 or any(pair in before + after for pair in _pairs(name))
            stem = "" if told else _asked(before, after)
            about = stem.replace(_WHICH, "，")
            yield Found("name", name, ("thing", "", name[0] > "z"), stem, about, 2.9, near=self._near[name])


def _asked(before: str, after: str) -> str:
    """The question for a name between two parts of a sentence; empty where its place allows none."""
    lead, subject = before.rstrip(), _SUBJECT.fullmatch(after)
    if subject and (not lead or (lead.endswith("，") and _LEAD.fullmatch(lead))):
        told = cut_additions(subject["predicate"])
        fits = not _NEGATED.match(told) and not _NOUN_OF.match(told) and len(told) in _LENGTH
    else:
        told = cut_additions(after.lstrip())
        fits = _USED.search(lead) is not None and None is not re.match(_ENDS if _CALLED.search(lead) else _DOING, told)
    whole = f"{lead}，{told}"
    if not fits or len(whole) not in _LENGTH or _WEAK.search(whole) or not stands(whole):
        return ""
    if lead[-1:] in _QUOTED:
        lead, told = lead[:-1], told[1:]
    return f"{lead}{_WHICH}{told}？"


def fits_label(label: str, described: str) -> bool:
    """Whether a label can be asked for by its description."""
    told = any(pair in described for pair in _pairs(label))
    return (
        len(described) in _DESCRIBED
        and "的" not in label
        and not told
        and stands(described)
        and not _ADDS.match(described)
    )


def _pairs(name: str) -> set[str]:
    """Pairs of neighbouring ideographs."""
    return {name[at : at + 2] for at in range(len(name) - 1)} if name[0] > "z" else set()


def _shape(name: str) -> str:
    return "upper" if name.isupper() else "lower" if name.islower() else "mixed"
