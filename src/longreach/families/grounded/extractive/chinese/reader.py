"""Chinese facts: a question word replaces its answer in place, and clauses answer questions on the rest."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from ..dialogue import find_lines
from ..spans import MOST_READ, Found, SpanReader
from ..terms import NARRATED, Dated, Fact, Sentence, Term
from ..wordsets import word_set
from .clauses import POINTS, find_clauses, stands
from .figures import count_figures, find_figures
from .names import ACTS_LIKE_PERSON, find_persons

__all__ = ["ChineseReader"]

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_LATIN = re.compile(
    r"(?<![A-Za-z0-9_./-])(?:--?[A-Za-z][A-Za-z0-9_-]+|[A-Za-z][A-Za-z0-9_+.-]{1,24}[A-Za-z0-9](?:\(\d\))?"
    r"|/[A-Za-z0-9_/.-]{3,30}[A-Za-z0-9_])(?![A-Za-z0-9_/-])"
)
_FOREIGN = re.compile(
    r"(?<![A-Za-z0-9_./$@#~:“（(-])(?<![A-Za-z0-9] )[A-Z][A-Za-z0-9+]{3,}(?: [A-Z][A-Za-z0-9+]*){0,2}"
    r"(?! ?[A-Za-z0-9_(/:=.-])"
)
"""A foreign name that begins with a capital."""
_OPENERS = re.compile(
    r"(?:另外|此外|相反|但是?|不过|然而|而且|当然|请?注意|因此|所以|因而|总之|事实上|实际上|一般来说|通常来说|简单来说"
    r"|换句话说)[，：]"
    r"|(?:但|不过|然而|而且|因此|所以)(?=如果|当|若|要|在|由于)"
)
"""What can be removed from the start of a sentence without changing its meaning."""
_LEADS_BACK = re.compile(
    r"[“‘「『（]*(?:他|她|它|这|那|此|该|其(?!他)|我(?!们)|本(?!地|机|身)|上述|以上|以下|如下|下面|上面|前者|后者"
    r"|两者|二者|于是|并|而|且|或|以及"
    r"|同时|同样|你可能|幸运的是|不幸的是|可以看到|可以说|结果|到了|假设|也就是|接下来|然后|接着|另一方面|后续|任何不"
    r"|首先|其次|再次|最后|例如|比如|譬如"
    r"|我们现在|现在|如此|可见|即|又|则|亦|乃|却|也|还|再|就|都|两人|二人|大家|有人|有些|有的|一些|另|别的|其余|一个|否则|为此|对此"
    r"|因此|所以|但|不过|然而)"
)
_SPEECH = re.compile("[说道问答喊叫想][，：:]?[“「]")
_CONTENT_RUN = re.compile(rf"[{_HAN}]+|[A-Za-z0-9_.+-]+")
_SUBJECT_AFTER = re.compile(r"(?:[初底末春夏秋冬]|年[初底])?，[^进加发完毕获移辞入被又再还是]")
"""After a date at the head: a clause that begins with its subject."""
_COMMON = 20
"""Occurrences from which a foreign word, or one in so many sentences, is the topic and asked for nowhere."""
_REQUEST = re.compile(r"我们|现在|请|要|按|使用|启动|选择|下面|参阅|注意|.*(?:这里|很快|目前|，所以|，而)")
_KEYS = word_set("enter alt ctrl tab esc shift space return true false yes no ok http html")
"""Names of keys, and values that say nothing of what they are."""
_LISTED_BEFORE = ("、", "和", "与", "或", "及", "或者", "例如", "比如", "如", "：", ":")
_LISTED_AFTER = ("、", "和", "与", "或", "及", "等")
"""Around a member of a list: others of it would be right as well."""
_LENGTH = range(12, 110)
_LONGEST = 70
_LONGEST_EVENT = 40
_LEAST = 10
_LEAST_CODE = 20
"""Maximum characters of a question and of an event, minimum of a question, also for a foreign word."""
_TYPES = word_set(
    "命令 程序 软件包 文件 选项 参数 函数 变量 工具 目录 脚本 模块 服务器 服务 字段 属性 菜单 按钮 接口 对象 类型 "
    "格式 协议 语言 系统 平台 库 框架 "
    "关键字 方法 类 组件 插件 指令 滤镜 对话框 图层 算法 软件 网站 公司 大学 编辑器 浏览器 窗口 仓库 分支 标签 包"
)
"""Nouns that state what kind of thing a foreign word is."""
_KIN = {
    kind: kinds[0]
    for kinds in (
        ("命令", "程序", "软件包", "工具", "脚本", "软件", "服务", "包"),
        ("选项", "参数"),
        ("函数", "方法"),
        ("文件", "目录"),
        ("变量", "字段", "属性"),
    )
    for kind in kinds
}
"""Nouns that state much the same of a name."""
_TYPE = "|".join(sorted(_TYPES, key=len, reverse=True))
_TYPE_AFTER = re.compile(rf"\s?({_TYPE})(?!名|夹|集|器|化|者|中|里|的)")
_TYPE_BEFORE = re.compile(rf"({_TYPE})\s?$")
_ACTS = re.compile(r"\s?(?:是|可以|会|将|能|用于|用来|来|提供|允许|支持|负责|包含|表示|[，。])")
"""What follows a subject or an object."""
_TAKES_NAME = re.compile(
    "(?:^|，|[用行过由装是叫在从向以把将对为给到加]|调用|启动|阅读|编辑|修改|查看|创建|写入|检查)$"
)
"""Before a name without anything that describes it."""
_CONCEDES = re.compile("虽然|尽管|即使|即便")
_STAND_INS = re.compile(r"foo|bar|baz|hello|example|sample|my\w*|your\w*", re.IGNORECASE)
_FOOTNOTE = re.compile(r"[⁰¹²³⁴-⁹]|\d{1,2}(?=[^\d年月日个次种.,%）、 ])")
"""The number of a note at the head of a sentence."""
_FEWEST = 3
"""Minimum occurrences of an English word in lower case."""
_TYPED = 0.25
"""Share of its occurrences in which a foreign word must have the noun for what it is beside it."""
_HE_SHE = re.compile("(?<!其)他|她|曰")
_NARRATIVE = 0.003
"""Share of 'he', 'she' and the classical 'said' among the characters from which a text is a narrative."""
_FEWEST_COUNTED = 10
"""Smaller counts in a text without persons say little, and any of them may be right."""
_SCORES = {"count": 2.8, "day": 2.6, "code": 2.2}


class ChineseReader(SpanReader):
    """Terms and facts of one document's sentences."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        super().__init__()
        sentences = [sentence for sentence in sentences if len(sentence.text) <= MOST_READ]
        texts = [sentence.text for sentence in sentences]
        self._persons = find_persons(texts)
        self._sentences = len(sentences)
        self._narrative = sum(len(_HE_SHE.findall(text)) for text in texts) > _NARRATIVE * sum(map(len, texts))
        self._counts = count_figures(texts)
        self._names = Counter(name for text in texts for name in set(_FOREIGN.findall(text)))
        self._latin: Counter[str] = Counter()
        self._types: dict[str, Counter[str]] = defaultdict(Counter)
        for text in texts:
            for match in _LATIN.finditer(text):
                if _stands_alone(text, *match.span()):
                    self._latin[match[0]] += 1
                    if kind := _type_of(text, *match.span()):
                        self._types[match[0]][kind] += 1

    @staticmethod
    def content(text: str) -> frozenset[str]:
        """Character bigrams, which are about as informative as words; other scripts by word."""
        found: set[str] = set()
        for run in _CONTENT_RUN.findall(text):
            if run.isascii():
                found.add(run.casefold())
            else:
                found.update(run[at : at + 2] for at in range(len(run) - 1))
        return frozenset(found)

    def unfit(self, sentence: Sentence) -> str:
        """Why a sentence cannot be used for questions; empty where it can."""
        text = sentence.text
        if (
            not sentence.whole
            or len(text) not in _LENGTH
            or text[-1] != "。"
            or re.search(r"\s{2,}|[|=<>{}\\…\[\]]|http|__|。.|[：:](?!\w)|\d: |;", text)
            or _FOOTNOTE.match(text)
            or re.match(r"[〔［⑴-⒇①-⑳（(]|\d+、", text)
        ):
            return "fragment"
        if any(text.count(one) != text.count(other) for one, other in ("（）", "《》", "“”")):
            return "fragment"
        if _SPEECH.search(text):
            return "speech or heading"
        body = _body(text)
        if _LEADS_BACK.match(body) or POINTS.search(body) or not stands(body.split("，")[0]):
            return "leans on what comes before it"
        return ""

    def spans(self, sentence: Sentence) -> Iterator[Found]:
        if len(sentence.text) > MOST_READ:
            return
        text = _body(sentence.text)
        for figure in find_figures(text, self._counts):
            start, end = figure.cut
            after = text[end:]
            listed = figure.size is not None and bool(re.match(r"[、和与至到—~-]\d|、", after))
            listed = listed or any(
                text.count(f"{space}{measure}") > 1 for measure in figure.near for space in ("", " ")
            )
            headed = figure.kind in {"year", "date"} and not start and not _SUBJECT_AFTER.match(after)
            few = figure.kind == "count" and not self._persons and (figure.size or 0) < _FEWEST_COUNTED
            asked = "" if listed or headed or few else figure.asked
            dated = None
            rest = after.rstrip("。")
            if figure.kind == "year" and figure.size and not start and rest.startswith("，") and "年" not in rest:
                dated = Dated(rest.strip("， "), figure.size, "year", verbatim=False)
            score = _SCORES.get(figure.kind, 3.0)
            stem, about = _asked(text, asked, start, end, figure.text)
            kind, size, near = figure.kind, figure.size, figure.near
            yield Found(kind, figure.text, figure.form, stem, about, score, size, near, dated)
        yield from self._persons_in(text, sentence)
        yield from self._foreign(text)
        if not self._narrative:
            for name in dict.fromkeys(_FOREIGN.findall(text)):
                if self._names[name] <= max(_COMMON, self._sentences // 60):
                    yield Found("name", name, ("foreign",))
        for part in _OPENERS.sub("", sentence.text.lstrip("> "), count=1).rstrip("。").split("；"):
            yield from find_clauses(part, narrative=self._narrative)

    def _persons_in(self, text: str, sentence: Sentence) -> Iterator[Found]:
        taken = -1
        for at in range(len(text) - 1):
            name = next((text[at : at + length] for length in (4, 3, 2) if text[at : at + length] in self._persons), "")
            if not name or at < taken:
                continue
            taken = at + len(name)
            subject = at == 0 and ACTS_LIKE_PERSON.match(text[taken:]) is not None
            event = subject and len(text) <= _LONGEST_EVENT and sentence.text == text
            dated = Dated(text.rstrip("。"), float(sentence.number), NARRATED, verbatim=True) if event else None
            yield Found("person", name, (), *_asked(text, "谁" if subject else "", at, taken, name), 3.0, dated=dated)

    def _foreign(self, text: str) -> Iterator[Found]:
        for match in _LATIN.finditer(text):
            word = match[0]
            if not _stands_alone(text, match.start(), match.end()) or "+" in word or word.casefold() in _KEYS:
                continue
            shape = _shape(word)
            if shape == "lower" and word.isalpha() and self._latin[word] < _FEWEST:
                continue  # an English word in passing
            usual = self._types[word].most_common(1)
            kind = (
                usual[0][0]
                if usual and usual[0][1] >= _TYPED * self._latin[word]
                else {"option": "选项", "letter": "选项", "manual": "命令"}.get(shape, "")
            )
            if shape == "manual" and word[-2] not in "18":
                kind = "文件" if word[-2] == "5" else ""
            if not kind or _STAND_INS.fullmatch(word):
                continue
            before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip()
            listed = before.endswith(_LISTED_BEFORE) or after.startswith(_LISTED_AFTER)
            common = self._latin[word] > max(_COMMON, self._sentences // 60)
            start, end = len(before), len(text) - len(after)
            asked = ""
            if (typed := _TYPE_AFTER.match(after)) and typed[1] == kind:
                listed = listed or after[typed.end() :].lstrip().startswith(_LISTED_AFTER)
                asked, end = f"哪个{kind}" if _TAKES_NAME.search(before) else "", end + typed.end()
            elif _ACTS.match(after) and (not before or before[-1] in "，用行过"):
                asked = f"哪个{kind}"
            if listed or common:
                asked = ""
            stem, about = _asked(text, asked, start, end, word)
            fit = len(stem) >= _LEAST_CODE and not _REQUEST.match(stem)
            yield Found("code", word, (shape, _KIN.get(kind, kind)), stem if fit else "", about, _SCORES["code"])

    def lines(self, passage: int, text: str, first: int) -> Iterator[Fact]:
        """Who says what in a passage."""
        for line in find_lines(text, "zh"):
            names = (line.name[:length] for length in (4, 3, 2))
            name = next((name for name in names if name in self._persons), "")
            if name:
                term = Term("person", ("person",), name, passage, first)
                content = self.content(line.words)
                sentence = Sentence(passage, first, line.raw, line.words, content)
                yield Fact(sentence, line.question, term, 2.8, content)

    @staticmethod
    def one_person(one: str, other: str) -> bool:
        """Whether two names may be of one person: they have a surname in common."""
        return one[0] == other[0]


def _body(text: str) -> str:
    """The first statement of a sentence, without a word that links it to the sentences before."""
    head, semicolon, _ = _OPENERS.sub("", text, count=1).partition("；")
    return f"{head}。" if semicolon else head


def _asked(text: str, asked: str, start: int, end: int, answer: str) -> tuple[str, str]:
    """The sentence with a question word in place of its answer, and the rest of it; empty where none fits."""
    before, after = text[:start], re.split("，(?:例如|比如|如(?!果))", text[end:].rstrip("。"))[0]
    stem = f"{before}{asked}{after}？"
    if (
        not asked
        or _CONCEDES.match(before)
        or before.endswith(("一个", "这个", "其他"))
        or "哪" in text
        or text.count(answer) != 1
        or _open(before)
        or len(stem) not in range(_LEAST, _LONGEST)
    ):
        return "", ""
    first = f"{before}{after}".split("，")[0]
    return (stem, f"{before}，{after}") if stands(first) else ("", "")


def _shape(word: str) -> str:
    if word.startswith(("/", "--")) or re.search(r"\.[a-z]{1,4}$", word):
        return "path" if word[0] == "/" else "option" if word[0] == "-" else "file"
    if word.startswith("-"):
        return "letter"
    if word.endswith(")"):
        return "manual"
    return "upper" if word.isupper() else "lower" if word.islower() else "mixed"


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a foreign word is no part of a longer foreign name or phrase: Chinese or a mark is on both sides."""
    before, after = text[:start].rstrip()[-1:], text[end:].lstrip()[:1]
    beside = re.compile(r"[A-Za-z0-9_()\[\]<>\"'/.-]")
    around = re.compile(f"[{_HAN}]")
    return not (beside.match(before) or beside.match(after)) and bool(around.match(before) or around.match(after))


def _type_of(text: str, start: int, end: int) -> str:
    """The noun beside a foreign word that states what it is."""
    match = _TYPE_AFTER.match(text[end:]) or _TYPE_BEFORE.search(text[:start])
    return match[1] if match else ""


def _open(before: str) -> bool:
    """Whether a text ends inside brackets."""
    return any(before.count(one) > before.count(other) for one, other in ("（）", "()", "“”", "[]", "《》"))
