"""Chinese facts: a question word replaces its answer in place, without reordering."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from .chinese_names import ACTS_LIKE_PERSON, find_persons
from .dialogue import find_lines
from .terms import NARRATED, Dated, Fact, Sentence, Term
from .words import word_set

__all__ = ["ChineseReader"]

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_NUMERAL = "〇零一二两三四五六七八九十百千万萬亿億"
_DAY = (
    r"(?:正|腊|冬|十一|十二|[一二三四五六七八九十])月"
    r"(?:初[一二三四五六七八九十]|[一二]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|三十)(?:日|号)?"
    r"|\d{1,2}月\d{1,2}[日号]"
)
_DATE = re.compile(
    rf"(?:\d{{4}}|[〇零一二三四五六七八九]{{4}})年(?:{_DAY}|\d{{1,2}}月|[一二三四五六七八九十]{{1,2}}月)"
)
_YEAR = re.compile(
    r"(?<!\d)(1[0-9]\d\d|20\d\d)年(?!代|级|[前后]|\d*月)|(?<![〇零一二三四五六七八九])([一二][〇零一二三四五六七八九]{3})年(?!代|\w*月)"
)
_PERCENT = re.compile(rf"\d+(?:\.\d+)?[%％]|百分之[{_NUMERAL}点]{{1,6}}")
_MEASURE = (
    "块大洋|块钱|两银子|吊钱|文钱|担|石|元|人|名|位|件|座|家|次|里|米|吨|斤|匹|头|只|艘|辆|年|岁|天|个月|个礼拜|个"
    "|亩|倍|条|部|本|册|篇|户|种|台|张|颗|章|字节|秒|分钟|小时"
)
_COUNT = re.compile(
    rf"(?<![\d.{_NUMERAL}第初每])(\d[\d,]*(?:\.\d+)?[万亿]?|[{_NUMERAL}]{{1,8}})({_MEASURE})(?![半多余代]|年代)"
)
_LATIN = re.compile(
    r"(?<![A-Za-z0-9_./-])(?:--?[A-Za-z][\w-]+|[A-Za-z][A-Za-z0-9_+.-]{1,24}[A-Za-z0-9]|/[A-Za-z0-9_/.-]{3,30}[A-Za-z0-9_])(?![A-Za-z0-9_/-])"
)
_LEADS_BACK = re.compile(
    r"[“‘「『（]*(?:他|她|它|这|那|此|该|其|我|本|上述|以上|但|但是|然而|不过|所以|因此|因而|于是|而且|而|且|并|另外|此外|同时|同样"
    r"|事实上|你可能|幸运的是|不幸的是|可以看到|可以说|结果|到了|假设|也就是|换句话|简单说|总而言之|接下来|然后|当然|另一方面|后续|总的来说|任何不|首先|其次|再次|最后|例如|比如|如此|可见|总之|即|又|则|亦|乃|却|也|还|再|就|都|两人|二人|大家|有人|一个)"
)
_POINTS = re.compile(
    "他|她|它|这|那(?!么)|此|该|上述|以下|如下|上面|下面|上一段|上例|下例|本例|上一次|上次|刚才|我|其(?!他|中|实|余)|本(?:章|节|书|文)|两人|二人|“|「|‘"
)
_CONTENT_RUN = re.compile(rf"[{_HAN}]+|[A-Za-z0-9_.+-]+")
_CONDITION = re.compile(
    r"((如果|若要|若|当(?![代然地时年前局初下])|除非|只要|只有|要想|要(?!是)|为了)[^，。；：“”（）]{7,36})，(?:则|就|那么|那)?([^。；：]{6,60})。$"
)
_STILL = re.compile("(?:如果|若|当|只要)(?:还|再|也|仍|又)")
_AIMS = frozenset({"若要", "要想", "要", "为了"})
_SUBJECT_AFTER = re.compile(r"(?:[初底末春夏秋冬]|年[初底])?，[^进加发完毕获移辞入被又再还是]")
"""After a date at the head: a clause that begins with its subject."""
_ORDER = re.compile(r"(?:你|您|还)?(?:请|可以|可|需要|需|应该|应当|应|必须|务必|不要|最好|建议)")
"""A clause that says what to do."""
_MEANING = (
    (
        re.compile(
            r"(?P<thing>[^，。；：、的是]{2,16}?)是(?P<what>一(?:个|种|款|套|项|名|位|部|家|座|本|组|类|条|段|份|张)[^。；：]{5,50})。$"
        ),
        "definition",
        "是什么",
    ),
    (
        re.compile(
            r"(?P<thing>[^，。；：、]{2,20}?)(?:主要)?(?P<what>(?:用于|用来|负责|可以用来|可用于)[^。；：，]{4,40})。$"
        ),
        "action",
        "有什么用",
    ),
    (
        re.compile(
            r"(?P<thing>[A-Za-z][\w.()+-]{2,30}(?: ?(?:命令|程序|软件包|工具|选项|函数|模块|脚本|文件|服务))?) ?"
            r"(?P<what>(?:可以|会|将|能够|能|提供|允许|支持)[^。；：，]{6,45})。$"
        ),
        "action",
        "有什么作用",
    ),
)
"""What something is, is for, or does."""
_SMALL = 20
"""Numbers below are options only for each other."""
_NAME_LIKE = 6
"""Occurrences from which a count with its measure may be a name."""
_COMMON = 20
"""Occurrences from which a foreign word, or one in so many sentences, is the topic and asked for nowhere."""
_REQUEST = re.compile(r"请|要|按|使用|启动|选择|下面|参阅|注意")
_KEYS = word_set("enter alt ctrl tab esc shift space return true false yes no ok http html")
"""Names of keys, and values that say nothing of what they are."""
_LISTED_BEFORE = ("、", "和", "与", "或", "及", "或者", "例如", "比如", "如", "：", ":")
_LISTED_AFTER = ("、", "和", "与", "或", "及", "等")
"""Around a member of a list: others of it would be right as well."""
_REFERS = re.compile(r"第\s?[\d.]+\s?[章节]|参见|请见|附录|详见|参考|见第|如图|如表|[一-龥]节中|前面|后面的?章")
_LENGTH = range(14, 90)
_LONGEST = 70
_LEAST_ABOUT = 5
_LONGEST_EVENT = 40
_LEAST_CODE = 24
"""Maximum characters of a question, minimum of one about a thing, maximum of an event, minimum for a foreign word."""
_TYPES = word_set(
    "命令 程序 软件包 文件 选项 参数 函数 变量 工具 目录 脚本 模块 服务 字段 属性 菜单 按钮 接口 "
    "对象 类型 格式 协议 语言 系统 平台 库 框架 关键字 方法 类 组件 插件 指令 Nouns that "
    "tell what kind of thing a foreign word is. "
)
"""Nouns that state what kind of thing a foreign word is."""
_TYPE_AFTER = re.compile(rf"\s?({'|'.join(sorted(_TYPES, key=len, reverse=True))})(?!名|夹|集)")
_TYPE_BEFORE = re.compile(rf"({'|'.join(sorted(_TYPES, key=len, reverse=True))})\s?$")
_ACTS = re.compile(r"\s?(?:是|可以|会|将|能|用于|用来|提供|允许|支持|负责|包含|表示)")
"""What follows a subject."""
_STAND_INS = re.compile(r"foo|bar|baz|hello|example|sample|my\w*|your\w*", re.IGNORECASE)
_FOOTNOTE = re.compile(r"[⁰¹²³⁴-⁹]|\d{1,2}(?=[^\d年月日个次种.,%）、])")
"""The number of a note at the head of a sentence."""
_FEWEST = 3
"""Minimum occurrences of a person's name."""
_DIGIT = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}


@dataclass(frozen=True)
class _Found:
    kind: str
    start: int
    end: int
    text: str
    form: tuple[Hashable, ...]
    asked: str
    """Its replacement in the question."""
    cut: tuple[int, int]
    """The text that the question word replaces; a measure or 'that day' is included with its figure."""
    size: float | None = None
    near: tuple[str, ...] = ()


class ChineseReader:
    """Terms and facts of one document's sentences."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self._persons = find_persons([sentence.text for sentence in sentences])
        self._sentences = len(sentences)
        self._counts = Counter(match[0] for sentence in sentences for match in _COUNT.finditer(sentence.text))
        self._latin: Counter[str] = Counter()
        self._types: dict[str, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            for match in _LATIN.finditer(sentence.text):
                if _stands_alone(sentence.text, *match.span()):
                    self._latin[match[0]] += 1
                    if kind := _type_of(sentence.text, *match.span()):
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

    def terms(self, sentence: Sentence) -> Iterator[Term]:
        """Everything in a sentence that can be an option."""
        for found in self._find(sentence.text):
            yield self._term(sentence, found)

    def unfit(self, sentence: Sentence) -> str:
        """Why a sentence cannot be used for questions; empty where it can."""
        text = sentence.text
        if (
            not sentence.whole
            or len(text) not in _LENGTH
            or text[-1] != "。"
            or re.search(r"\s{2,}|[|=<>{}\\…\[\]]|http|__|。.|[：:](?!\w)|\d: ", text)
            or _FOOTNOTE.match(text)
            or re.match(r"[〔［⑴-⒇①-⑳（(]|\d+、", text)
        ):
            return "fragment"
        if any(text.count(one) != text.count(other) for one, other in ("（）", "《》")):
            return "fragment"
        if _LEADS_BACK.match(text) or _POINTS.search(text) or _REFERS.search(text):
            return "leans on what comes before it"
        return ""

    def facts(self, sentence: Sentence) -> Iterator[Fact]:
        """All questions about a sentence."""
        text = sentence.text
        for found in self._find(text):
            if text.count(found.text) != 1 or not found.asked or _open(text[: found.start]):
                continue
            if found.size is not None and re.match(r"[、和与至到—~-]\d|、", text[found.cut[1] :]):
                continue  # one of a list
            if found.kind in {"year", "date"} and not found.start and not _SUBJECT_AFTER.match(text[found.end :]):
                continue
            start, end = found.cut
            body = _around(text[:start], found.asked, text[end:].rstrip("。"))
            if len(body) < (_LEAST_ABOUT if found.kind in {"definition", "action"} else 10) or (
                found.kind == "code" and (len(body) < _LEAST_CODE or _REQUEST.match(body))
            ):
                continue
            stem = f"{body}？"
            score = {
                "person": 3.0,
                "count": 2.8,
                "day": 2.6,
                "code": 1.6,
                "condition": 2.8,
                "consequence": 2.7,
                "instruction": 2.7,
                "definition": 2.7,
                "action": 2.5,
            }.get(found.kind, 3.0)
            dated = None
            if found.kind == "year" and found.size is not None:
                rest = text[end:].rstrip("。")
                if not start and rest.startswith("，") and not _YEAR.search(rest):
                    dated = Dated(rest.strip("， "), found.size, "year", False)
            elif found.kind == "person" and not start and len(text) <= _LONGEST_EVENT:
                dated = Dated(text.rstrip("。"), float(sentence.number), NARRATED, verbatim=True)
            yield Fact(
                sentence, stem, self._term(sentence, found), score, self.content(stem.replace(found.asked, "，")), dated
            )

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

    @staticmethod
    def ruled_out(question: str, name: str) -> bool:  # noqa: ARG004
        """Names say nothing about pronouns, and questions have none."""
        return False

    def _term(self, sentence: Sentence, found: _Found) -> Term:
        return Term(found.kind, found.form, found.text, sentence.passage, sentence.number, found.size, found.near)

    def _find(self, text: str) -> Iterator[_Found]:
        taken: list[tuple[int, int]] = []
        for found in (*self._figures(text), *self._names(text)):
            if all(found.end <= start or found.start >= end for start, end in taken):
                taken.append((found.start, found.end))
                yield found
        for pattern, kind, asked in _MEANING:
            if match := pattern.match(text):
                shape = (kind, asked, match["what"][:2] if kind == "action" else "")
                yield _Found(
                    kind, *match.span("what"), match["what"], shape, asked, (match.end("thing"), len(text) - 1)
                )
                break
        match = _CONDITION.match(text)
        if (
            match is None
            or re.search("，(?:则|那么|就|那)", match[3])
            or _POINTS.search(match[1])
            or _POINTS.search(match[3])
            or _LEADS_BACK.match(match[3])
        ):
            return
        order = _ORDER.match(match[3]) is not None
        if order or match[2] not in _AIMS:
            kind, asked = ("instruction", "应该怎么做") if order else ("consequence", "会怎么样")
            yield _Found(kind, *match.span(3), match[3], (kind,), asked, match.span(3))
        if match[2] not in _AIMS:
            form = ("condition", match[2])
            yield _Found(
                "condition", *match.span(1), match[1], form, "在什么情况下，", (match.start(1), match.start(3))
            )

    def _figures(self, text: str) -> Iterator[_Found]:
        for match in _DATE.finditer(text):
            if _possible(match[0]):
                yield _Found(
                    "date",
                    *match.span(),
                    match[0],
                    ("date", match[0][0].isdigit(), match[0][-1]),
                    "什么时候",
                    match.span(),
                )
        for match in re.finditer(_DAY, text):
            if _possible(match[0]):
                tail = re.match(r"(?:这|那)?(?:一)?(?:天|日)", text[match.end() :])
                cut = (match.start(), match.end() + (tail.end() if tail else 0))
                yield _Found(
                    "day",
                    *match.span(),
                    match[0],
                    ("day", match[0][0].isdigit(), match[0][-1] in "日号"),
                    "哪一天",
                    cut,
                )
        for match in _YEAR.finditer(text):
            year = match[1] or "".join(str(_DIGIT[character]) for character in match[2])
            yield _Found("year", *match.span(), match[0], ("year", bool(match[1])), "哪一年", match.span(), float(year))
        for match in _PERCENT.finditer(text):
            number = re.sub(r"[%％]", "", match[0])
            size = float(number) if number[0].isdigit() else None
            share = ("percentage", match[0][0].isdigit())
            yield _Found("percentage", *match.span(), match[0], share, "百分之多少", match.span(), size)
        for match in _COUNT.finditer(text):
            number, measure = match[1], match[2]
            if number in {"一", "两", "百", "千", "万", "十"} and measure not in {
                "块大洋",
                "块钱",
                "个礼拜",
                "里",
                "岁",
                "元",
            }:
                continue
            if re.search(r"[第图表见号章节版○]\s?$", text[: match.start()]) or not match.start():
                continue
            if re.fullmatch(r"[一二三四五六七八九]{2,}|[十百千万亿]+", number) or self._counts[match[0]] > _NAME_LIKE:
                continue  # 'five or six', or a name like a count
            size = _value(number)
            form = ("count", number[0].isdigit(), len(str(int(size))), size < _SMALL)
            yield _Found("count", *match.span(1), number, form, f"多少{measure}", match.span(), size, (measure,))

    def _names(self, text: str) -> Iterator[_Found]:
        for match in _LATIN.finditer(text):
            word = match[0]
            if not _stands_alone(text, match.start(), match.end()):
                continue
            shape = (
                "path"
                if word.startswith("/")
                else "option"
                if word.startswith("-")
                else "upper"
                if word.isupper()
                else "lower"
                if word.islower()
                else "mixed"
            )
            if "+" in word or word.casefold() in _KEYS:
                continue
            if shape == "lower" and word.isalpha() and self._latin[word] < _FEWEST:
                continue  # an English word in passing
            before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip()
            listed = before.endswith(_LISTED_BEFORE) or after.startswith(_LISTED_AFTER) or _open(before)
            common = self._latin[word] > max(_COMMON, self._sentences // 60)
            if not (usual := self._types[word].most_common(1)) or _STAND_INS.fullmatch(word):
                continue
            start, end = len(before), len(text) - len(after)
            typed = _TYPE_AFTER.match(after)
            asked = ""
            if typed and typed[1] == usual[0][0]:
                asked, end = f"哪个{typed[1]}", end + typed.end()
            elif not before and _ACTS.match(after):
                asked = f"哪个{usual[0][0]}"
            if listed or common:
                asked = ""
            yield _Found("code", *match.span(), word, ("code", shape, usual[0][0]), asked, (start, end))
        for length in (3, 2):
            for at in range(len(text) - length + 1):
                name = text[at : at + length]
                if name in self._persons:
                    subject = at == 0 and ACTS_LIKE_PERSON.match(text[at + length :]) is not None
                    yield _Found(
                        "person", at, at + length, name, ("person",), "谁" if subject else "", (at, at + length)
                    )


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a foreign word is no part of a longer foreign name or phrase: Chinese or a mark is on both sides."""
    before, after = text[:start].rstrip()[-1:], text[end:].lstrip()[:1]
    beside = re.compile(r"[A-Za-z0-9_()\[\]<>\"'/.-]")
    around = re.compile(f"[{_HAN}]")
    return not (beside.match(before) or beside.match(after)) and bool(around.match(before) or around.match(after))


def _type_of(text: str, start: int, end: int) -> str:
    """The noun beside a foreign word that tells what it is."""
    match = _TYPE_AFTER.match(text[end:]) or _TYPE_BEFORE.search(text[:start])
    return match[1] if match else ""


def _open(before: str) -> bool:
    """Whether a text ends inside brackets."""
    return any(before.count(one) > before.count(other) for one, other in ("（）", "()", "“”", "[]", "《》"))


def _around(before: str, asked: str, after: str) -> str:
    """A statement around a question word, without what follows or precedes a semicolon; empty where it is too long."""
    text = f"{before.rsplit('；', 1)[-1]}{asked}{after.split('；', 1)[0]}"
    return text if len(text) <= _LONGEST else ""


def _possible(text: str) -> bool:
    match = re.search(r"(\d{1,2})月(?:(\d{1,2})[日号])?", text)
    return match is None or (1 <= int(match[1]) <= 12 and (match[2] is None or 1 <= int(match[2]) <= 31))


def _value(number: str) -> float:
    if number[0].isdigit():
        scale = {"万": 1e4, "亿": 1e8}.get(number[-1], 1.0)
        return float(number.rstrip("万亿").replace(",", "")) * scale
    total, section, digit = 0.0, 0.0, 0.0
    for character in number:
        if character in _DIGIT:
            digit = float(_DIGIT[character])
        elif character in "十百千":
            section += (digit or 1.0) * {"十": 10, "百": 100, "千": 1000}[character]
            digit = 0.0
        else:
            total = (total + section + digit) * (1e4 if character in "万萬" else 1e8)
            section = digit = 0.0
    return total + section + digit
