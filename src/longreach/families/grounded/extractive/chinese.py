"""Chinese facts: a question word replaces its answer in place, without reordering."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from .terms import Dated, Fact, Sentence, Term

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
    rf"(?<![\d.{_NUMERAL}第初每])(\d[\d,]*(?:\.\d+)?[万亿]?|[{_NUMERAL}]{{1,8}})({_MEASURE})(?![半多余])"
)
_TITLE = re.compile(r"《[^《》\n]{2,20}》")
_LATIN = re.compile(
    r"(?<![A-Za-z0-9_./-])(?:--?[A-Za-z][\w-]+|[A-Za-z][A-Za-z0-9_+.-]{1,24}[A-Za-z0-9]|/[A-Za-z0-9_/.-]{3,30}[A-Za-z0-9_])(?![A-Za-z0-9_/-])"
)
_SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严魏陶姜戚谢邹喻柏窦苏潘葛奚彭郎鲁韦马苗俞任袁柳鲍史唐费廉岑薛雷贺倪"
    "汤滕殷罗毕郝邬傅卞齐康伍余顾孟黄穆萧尹姚邵湛汪祁禹狄臧戴谈宋茅庞熊纪舒屈董梁杜阮闵贾娄颜郭刁钟徐邱骆蔡田樊胡凌霍虞柯卢莫"
    "房裘缪宗丁宣邓郁杭洪诸崔吉钮龚程嵇邢裴陆翁荀惠甄曲芮靳汲巫隗侯戎刘詹韶黎薄蒲鄂咸赖卓蔺屠蒙乔苍翟谭贡逄姬申冉宰雍濮扈温庄"
    "晏柴瞿阎习戈廖庾衡耿寇禄阙殳沃蔚巩聂荆桓林江金梅"
)
"""Common surnames that are not also common words."""
_LEADS_BACK = re.compile(
    r"[“‘「『（]*(?:他|她|它|这|那|此|该|其|我|你|您|本|上述|以上|但|但是|然而|不过|所以|因此|因而|于是|而且|而|且|并|另外|此外|同时|同样"
    r"|首先|其次|再次|最后|例如|比如|如此|可见|总之|即|又|则|亦|乃|却|也|还|再|就|都|两人|二人|大家|有人|一个)"
)
_POINTS = re.compile(
    "他|她|它|这|那(?!么)|此|该|上述|以下|如下|我|你|您|其(?!他|中|实|余)|本(?:章|节|书|文)|两人|二人|“|「|‘"
)
_AFTER_PERSON = re.compile(
    r"[在把给向从到于是有又就也还不没得为对跟同替叫拿走来去说道问答出要想看听写送借买卖做当打病死，、的这和与]"
)
_NEVER_IN = frozenset(
    "的了着过是在不有这那我你他她它们和与就也都又还没把被给到从向得地之其为以而且但并或及个一么什吗呢吧啊上下里外中前后时说道人事年月日天家"
)
_CONTENT_RUN = re.compile(rf"[{_HAN}]+|[A-Za-z0-9_.+-]+")
_CONDITION = re.compile(
    r"((如果|若|当|除非|只要|只有)[^，。；：“”（）]{6,34})，((?:则|就|那么|那|将)?[^。；：]{6,60})。$"
)
_COMMON = 20
"""Occurrences from which a foreign word, or one in so many sentences, is the topic and asked for nowhere."""
_REQUEST = re.compile(r"请|要|按|使用|启动|选择|下面|参阅|注意")
_KEYS = frozenset(
    (
        "enter",
        "alt",
        "ctrl",
        "tab",
        "esc",
        "shift",
        "space",
        "return",
        "true",
        "false",
        "yes",
        "no",
        "ok",
        "http",
        "html",
    )
)
"""Names of keys, and values that say nothing of what they are."""
_LISTED_BEFORE = ("、", "和", "与", "或", "及", "或者", "例如", "比如", "如", "：", ":")
_LISTED_AFTER = ("、", "和", "与", "或", "及", "等")
"""Around a member of a list: others of it would be right as well."""
_REFERS = re.compile(r"参见|请见|附录|详见|参考|见第|如图|如表|[一-龥]节中|前面|后面的?章")
_LENGTH = range(14, 90)
_LEAST_CODE = 24
"""Minimum characters of a question for a foreign word."""
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
        self._persons = _find_persons([sentence.text for sentence in sentences])
        self._sentences = len(sentences)
        self._latin: Counter[str] = Counter()
        self._beside: dict[str, set[str]] = defaultdict(set)
        for sentence in sentences:
            for match in _LATIN.finditer(sentence.text):
                if _stands_alone(sentence.text, *match.span()):
                    self._latin[match[0]] += 1
                    self._beside[match[0]] |= _neighbours(sentence.text, *match.span())

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
            or re.search(r"\s{2,}|[|=<>{}\\…\[\]]|http|__|。.|：", text)
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
            if text.count(found.text) != 1 or not found.asked:
                continue
            start, end = found.cut
            body = _trimmed(text[:start], found.asked, text[end:].rstrip("。"))
            if len(body) < 10 or (found.kind == "code" and (len(body) < _LEAST_CODE or _REQUEST.match(body))):
                continue
            stem = f"{body}？"
            score = {"person": 3.0, "count": 2.8, "day": 2.6, "code": 1.6, "condition": 2.8}.get(found.kind, 3.0)
            dated = None
            if found.kind == "year" and found.size is not None:
                clause = (text[:start] + text[end:].rstrip("。")).strip("，、 于在")
                dated = Dated(clause, found.size, "year", False)
            yield Fact(
                sentence, stem, self._term(sentence, found), score, self.content(stem.replace(found.asked, "，")), dated
            )

    def _term(self, sentence: Sentence, found: _Found) -> Term:
        return Term(found.kind, found.form, found.text, sentence.passage, sentence.number, found.size, found.near)

    def _find(self, text: str) -> Iterator[_Found]:
        taken: list[tuple[int, int]] = []
        for found in (*self._figures(text), *self._names(text)):
            if all(found.end <= start or found.start >= end for start, end in taken):
                taken.append((found.start, found.end))
                yield found
        if (match := _CONDITION.match(text)) and not _POINTS.search(match[1]) and not _LEADS_BACK.match(match[3]):
            yield _Found("condition", *match.span(1), match[1], ("condition", match[2]), "在什么情况下", match.span(1))

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
            yield _Found(
                "percentage", *match.span(), match[0], ("percentage", match[0][0].isdigit()), "百分之多少", match.span()
            )
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
            if re.search(r"[第图表见号章节版]\s?$", text[: match.start()]):
                continue
            style = number[0].isdigit()
            form = ("count", measure, style)
            yield _Found(
                "count", *match.span(), match[0], form, f"多少{measure}", match.span(), _value(number), (measure,)
            )

    def _names(self, text: str) -> Iterator[_Found]:
        for match in _TITLE.finditer(text):
            yield _Found("title", *match.span(), match[0], ("title",), "哪一部作品", match.span())
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
            cut = (len(before), len(text) - len(after))
            common = self._latin[word] > max(_COMMON, self._sentences // 60)
            asked = "" if listed or common or len(self._beside[word]) < 2 else "下列哪一项"
            yield _Found(
                "code", *match.span(), word, ("code", shape), asked, cut, near=tuple(sorted(self._beside[word]))
            )
        for length in (3, 2):
            for at in range(len(text) - length + 1):
                name = text[at : at + length]
                if name in self._persons:
                    subject = (at == 0 or text[at - 1] in "，、；") and not text[at + length :].startswith(
                        ("的", "，", "、", "和", "与")
                    )
                    yield _Found(
                        "person", at, at + length, name, ("person",), "谁" if subject else "", (at, at + length)
                    )


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a foreign word is no part of a longer foreign name or phrase: Chinese or a mark is on both sides."""
    before, after = text[:start].rstrip()[-1:], text[end:].lstrip()[:1]
    beside = re.compile(r"[A-Za-z0-9_()\[\]<>\"'/.-]")
    around = re.compile(f"[{_HAN}]")
    return not (beside.match(before) or beside.match(after)) and bool(around.match(before) or around.match(after))


def _neighbours(text: str, start: int, end: int) -> set[str]:
    """The Chinese words beside a foreign one, by which its kind is known: a server, a partition, a key to press."""
    before, after = text[:start].rstrip()[-2:], text[end:].lstrip()[:2]
    found = {f"<{before}" if re.fullmatch(f"[{_HAN}]{{2}}", before) else "", f">{after}"}
    return {one for one in found if re.fullmatch(f"[<>][{_HAN}]{{2}}", one)}


def _open(before: str) -> bool:
    """Whether a text ends inside brackets."""
    return any(before.count(one) > before.count(other) for one, other in ("（）", "()", "“”", "[]"))


def _trimmed(before: str, asked: str, after: str) -> str:
    """A statement around a question word, without distant clauses that would only make it long."""
    while len(before) + len(after) > 60 and "，" in before.rstrip("，"):
        before = before.split("，", 1)[1]
    while len(before) + len(after) > 60 and "，" in after:
        after = after.rsplit("，", 1)[0]
    return f"{before}{asked}{after}"


def _find_persons(texts: Sequence[str]) -> frozenset[str]:
    """Surname and given name, found often enough in different surroundings."""
    count: Counter[str] = Counter()
    after: dict[str, set[str]] = defaultdict(set)
    heads: Counter[str] = Counter()
    for text in texts:
        for match in re.finditer(f"[{_SURNAMES}]", text):
            for length in (3, 2):
                name = text[match.start() : match.start() + length]
                if len(name) < length or any(
                    character in _NEVER_IN or not "\u4e00" <= character <= "\u9fff" for character in name[1:]
                ):
                    continue
                count[name] += 1
                following = text[match.start() + length : match.start() + length + 1]
                after[name].add(following)
                heads[name] += match.start() == 0 or text[match.start() - 1] in "，。、；：“"
    found = set()
    for name, times in count.items():
        if times < _FEWEST or heads[name] < 2 or len(after[name]) < 3:
            continue
        if not any(_AFTER_PERSON.match(character) for character in after[name] if character):
            continue
        if len(name) == 2 and any(
            count[longer] > 0.5 * times for longer in count if len(longer) == 3 and longer.startswith(name)
        ):
            continue
        found.add(name)
    return frozenset(found)


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
