"""Chinese facts: a question word replaces its answer in place, and clauses answer questions on the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..dialogue import find_lines
from ..spans import MOST_READ, Found, SpanReader
from ..terms import LEANS, NARRATED, Dated, Fact, Sentence, Term
from .figures import count_figures, find_figures
from .grammar import POINTS, simplified, stands
from .names import ACTS_LIKE_PERSON, find_persons

__all__ = ["ChineseReader"]

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
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
_LENGTH = range(12, 110)
_LONGEST = 70
_LONGEST_EVENT = 40
_LEAST = 10
"""Maximum characters of a question and of an event, minimum of a question."""
_UNNAMED = re.compile("[这那它]|(?<!其)他(?!人)|她")
"""Somebody or something that another sentence names."""
_OF_BEFORE = re.compile("[此该]|其(?!他|它|中|余|实)|需要注意|后来|彼时")
"""In a statement about something that another sentence names."""
_SIDE = re.compile("相对|相比|与|随着|由于|截至|最早|首|第一|类似")
"""Begins a sentence whose year stands in a phrase beside the statement, or is the earliest of any."""
_CONCEDES = re.compile("虽然|尽管|即使|即便")
_VERBAL = re.compile("是|有|会|能|可以|需要|应该|必须|将|被|把|使|让|用于|表示|包括|包含|提供|支持|允许|为|在|到|成")
"""In a sentence with a verb."""
_FOOTNOTE = re.compile(r"[⁰¹²³⁴-⁹]|\d{1,2}(?=[^\d年月日个次种.,%）、 ])")
"""The number of a note at the head of a sentence."""
_HE_SHE = re.compile("(?<!其)他|她|曰")
_NARRATIVE = 0.003
"""Share of 'he', 'she' and the classical 'said' among the characters from which a text is a narrative."""
_FEWEST_COUNTED = 10
"""Smaller counts in a text without persons say little, and any of them may be right."""
_SCORES = {"count": 2.8, "day": 2.6}


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
        text = simplified(sentence.text)
        if (
            not sentence.whole
            or len(text) not in _LENGTH
            or text[-1] != "。"
            or re.search(r"\s{2,}|[|=<>{}\\…\[\]]|http|__|。.|[：:](?!\w)|\d: |;", text)
            or _FOOTNOTE.match(text)
            or re.match(r"[〔［⑴-⒇①-⑳（(*]|\d+、|[A-Z][a-z]+\. |注：", text)
        ):
            return "fragment"
        if any(text.count(one) != text.count(other) for one, other in ("（）", "《》", "“”")):
            return "fragment"
        if _SPEECH.search(text):
            return "speech or heading"
        body = _body(text)
        if _LEADS_BACK.match(body) or POINTS.search(body) or not stands(body.split("，")[0]):
            return LEANS
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
            long = figure.kind in {"year", "date"} and (text.count("，") > 1 or _SIDE.match(text) is not None)
            computed = figure.kind == "percentage" and re.search(r"\d|倍|一半", text[:start] + after) is not None
            unnamed = _UNNAMED.search(simplified(text)) is not None
            asked = "" if listed or headed or few or long or computed or unnamed else figure.asked
            dated = None
            rest = after.rstrip("。")
            if figure.kind == "year" and figure.size and not start and rest.startswith("，") and "年" not in rest:
                dated = Dated(rest.strip("， "), figure.size, "year", verbatim=False)
            score = _SCORES.get(figure.kind, 3.0)
            stem, about = _asked(text, asked, start, end, figure.text)
            kind, size, near = figure.kind, figure.size, figure.near
            yield Found(kind, figure.text, figure.form, stem, about, score, size, near, dated)
        yield from self._persons_in(text, sentence)

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

    @staticmethod
    def has_verb(text: str) -> bool:
        """Whether a sentence is more than a phrase."""
        return _VERBAL.search(text) is not None

    is_statement = has_verb

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
    before, after = text[:start].rstrip(), re.split("，(?:例如|比如|如(?!果))", text[end:].rstrip("。"))[0].lstrip()
    stem = f"{before}{asked}{after}？"
    if (
        not asked
        or _CONCEDES.match(before)
        or _OF_BEFORE.search(simplified(text))
        or re.match(r"\d", after)
        or before.endswith(("一个", "这个", "其他", "整个"))
        or "哪" in text
        or text.count(answer) != 1
        or _open(before)
        or len(stem) not in range(_LEAST, _LONGEST)
    ):
        return "", ""
    first = f"{before}{after}".split("，")[0]
    return (stem, f"{before}，{after}") if stands(first) else ("", "")


def _open(before: str) -> bool:
    """Whether a text ends inside brackets."""
    return any(before.count(one) > before.count(other) for one, other in ("（）", "()", "“”", "[]", "《》"))
