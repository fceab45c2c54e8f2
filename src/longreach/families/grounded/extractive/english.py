"""English: terms worth leaving out, and sentences that can stand alone."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator

from .terms import Kind, Term

__all__ = ["ASK", "content", "find_terms", "unfit"]

ASK: dict[Kind, str] = {
    "amount": "amount",
    "percentage": "percentage",
    "number": "number",
    "year": "year",
    "date": "date",
    "name": "name",
    "abbreviation": "abbreviation",
    "title": "title",
    "word": "word",
    "code": "term",
}


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th|d)?"
_DATE = re.compile(
    rf"\b(?:{_MONTHS})\.? {_DAY}, \d{{4}}\b|\b{_DAY} (?:day )?(?:of )?(?:{_MONTHS}),? \d{{4}}\b|\b\d{{4}}-\d\d-\d\d\b"
)
_YEAR = re.compile(
    r"\b(?:in|by|since|of|year|years|until|till|during|after|before|from|to|and|through|early|late|summer|winter"
    r"|spring|autumn|fall) (1[0-9]\d\d|20\d\d)\b(?![\w,.-]*\d)(?! (?:[a-z]+s|percent)\b)",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?<![\w.,:/#§+*=-])(?:[$£€])?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?%?(?![\w/:*=+-]|[.,]\d)"
    r"(?: (?:percent|per cent)\b)?"
)
_POINTER = re.compile(
    r"(?:\b(?:section|sections|article|articles|chapter|chapters|figure|fig|table|page|pages|pp|rfc|no|nos|number"
    r"|appendix|clause|item|items|step|version|line|lines|note|part|paragraph|equation|example|vol|volume|bit|bits"
    r"|code|iso|title|rule|exhibit|schedule|option|type|level|chap|sec|art)\.?(?: ?[\d.]+(?:,| and| or| to|, and)+)*"
    r"|[§#(\[]|\bv) ?$",
    re.IGNORECASE,
)
"""A number after one of these, also the second or third of several, says where something stands."""
_UPPER, _LOWER = "A-ZÀ-ÖØ-Þ", "a-zß-öø-ÿ"
_CAPITAL = (
    rf"(?:[{_UPPER}](?:[{_UPPER}{_LOWER}'’]|-(?!-))*[{_LOWER}][{_UPPER}]{{0,4}}(?!\w)|[{_UPPER}]\.(?=\s[{_UPPER}]))"
)
_NAME = re.compile(
    rf"{_CAPITAL}(?:\s(?:(?:of|de|la|von|van|del|du)\s(?:the\s)?)?{_CAPITAL})*(?:(?<=Corp)\.|(?<=Inc)\.|(?<=Ltd)\.)?"
)
_ABBREVIATION = re.compile(r"(?<![\w-])[A-Z](?:[A-Z0-9]|[a-z](?=[A-Z])|-(?=[A-Z0-9])){1,11}(?![\w-])")
_SHOUTED = re.compile(r"[A-Z]{7,}")
"""A word in capitals rather than an abbreviation."""
_ROMAN = re.compile(r"[IVXLCDM]+")
_BENT = re.compile(r"['’](?:ve|m|ll|d|re|t|em)$", re.IGNORECASE)
_BEFORE_NAME = re.compile(
    r"(?:[a-z0-9,;)][\"”’']?|(?:^|[\s\w])[(“‘\"]|\b[A-Z][A-Za-z]*"
    r"|\b(?:Mr|Mrs|Ms|Dr|St|Gen|Col|Capt|Prof|Rev|Hon|Messrs)\.)$"
)
"""What may stand before a name: a capital after anything else may only open a line, a list entry or a quotation."""
_SEE = re.compile(
    r"\b(?:see|cf)(?: also)?$|\b(?:section|chapter|appendix|figure|table) [\w.-]+,? [\"“‘'][^\"”’']*$"
    r"|(?-i:\b[A-Z]{2,} \([^)]*$)",
    re.IGNORECASE,
)
"""Before the name of a section, or inside the long form of an abbreviation."""
_TITLES = re.compile(
    r"(?:Mr|Mrs|Ms|Dr|Prof|Sir|Lord|Lady|President|General|Captain|Colonel|Major|Senator|Judge|Justice|Governor|King"
    r"|Queen|Admiral|Commodore|Secretary|Minister|St|Messrs|Mme|Mlle|Madame|Monsieur|Miss|Count|Prince|Princess)\.?$"
)
_WORD = re.compile(r"(?<![\w'’./-])[a-z]{6,}(?:-[a-z]+)*(?![\w'’-])")
_NOT_NAMES = _set(
    "I The This That These Those There Their They He She It We You His Her Its Our My A An And But Or In On At By For "
    "If As So No Not When While Where Which Who What Sir Madam God Monday Tuesday Wednesday Thursday Friday Saturday "
    "Sunday January February March April May June July August September October November December Gentlemen Section "
    "Article Chapter Figure Table Appendix Note English Mr Mrs Dr Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec "
    "Hereinafter"
)
_FUNCTION = _set(
    "a an the of in on at to for from by with and or as is are was were be no any such under over between against "
    "through into than its their his her our this that these those each every some all both called named mr mrs dr "
    "president general captain secretary senator judge lord lady sir st king queen"
)
_VERB_OR_FUNCTION = _FUNCTION | _set(
    "has have had will would shall should can could may might must did does do who which when where while if but not "
    "said says wrote made took became came went gave also only until since before after during without within"
)
_NOUN_BEFORE = _set("the a an of no any such by with for in its their his her our each every under from")
_NOUN_END = re.compile(r"(?:tion|sion|ment|ness|ity|ance|ence|ship|age|ism|ure|ency|ancy|hood|dom)s?$")
_NOUN_AFTER = re.compile(
    r"\s?(?:[.;:)]|(?:of|in|to|for|with|by|is|are|was|were|from|at|on|which|that|has|have|had|will)\b)"
)
_LEADS_BACK = re.compile(
    r"""["“‘'(\[]*(?:(?:And|But|Or|Nor|So|Yet|Then|Thus|Hence|Therefore|However|Moreover|Furthermore|Nevertheless"""
    r"""|Consequently|Accordingly|Besides|Also|Still|Instead|Otherwise|Similarly|Likewise|Finally|Indeed|Meanwhile)\b"""
    r"""|(?:He|She|It|They|We|I|His|Her|Its|Their|Our|My|This|That|These|Those|Such|Here|There|Both|Neither"""
    r"""|Others|Another)\b|The (?:same|latter|former|above|other|following|said)\b"""
    r"""|(?:In|On|At|By|For|From|With|Of|To|Under|After|Before|During) (?:this|that|these|those|such|which|it|them"""
    r"""|him|her|the same|addition|other words|fact|short|turn|contrast|response|consequence)\b"""
    r"""|(?:For|As) (?:example|instance|such|a result|above|before)\b)"""
)
_POINTS = re.compile(
    r"\b(?:above|below|aforesaid|aforementioned|hereby|herein|thereof|thereto|therein|the latter|the former|the same"
    r"|the following|as follows|said|this|these|those|he|she|they|him|them|it|his|her|their|its|here|we|our"
    r"|I|my)\b"
)
_CODE = re.compile(
    r"``(?=[^`]*[A-Za-z])[^`\s]{2,40}``|`(?=[^`]*[A-Za-z])[^`'\s]{2,40}[`']"
    r"|\"(?=[^\"]*[A-Za-z])[^\"\s,]{2,40}\"|“(?=[^”]*[A-Za-z])[^”\s,]{2,40}”|‘(?=[^’]*[A-Za-z])[^’\s,]{2,40}’"
    r"|(?<![\w/.~:])~?/[A-Za-z][\w+-]*(?:[./][\w+-]+)+/?(?![\w/])|(?<=[\s(])--[a-z]+(?:-[a-z]+)*(?![\w=-])"
)
"""One word in marks, a path, or an option of a command."""
_MARKS = "`\"“”‘’'"
_SHAPED = re.compile(r"\s{3,}|[|=<>{}\\_]{1}|\.\.\.|…|\bhttps?:|www\.|\w\(\)")
_EMPTY = _set(
    "about above after again against also although among another because been before being below between both cannot "
    "could does doing down during each either even ever every from further have having here hers herself himself into "
    "itself just less like made make many might more most much must myself nearly neither never nothing only other "
    "ought ours over same shall should since some such than that their theirs them themselves then there therefore "
    "these they thing this those though through thus under until upon very well were what when where whether which "
    "while whom whose will with within without would your yours"
)
_CONTENT = re.compile(r"[A-Za-z][A-Za-z'’-]{3,}|\d[\d,.]*\d|\d")
_BEFORE = re.compile(r"([A-Za-z]+)\.?\s*[(“\"‘]?$")
_SENTENCE_WORDS = range(9, 51)
_LEAST_CONTENT = 6


def content(text: str) -> frozenset[str]:
    """The words of a sentence that carry its meaning."""
    words = (word.casefold().replace("’", "'").removesuffix("'s") for word in _CONTENT.findall(text))
    return frozenset(word for word in words if word not in _EMPTY)


def unfit(sentence: str) -> float | None:
    """How much a sentence leans on its surroundings, 0 being not at all; None where it cannot stand alone."""
    words = sentence.split()
    if len(words) not in _SENTENCE_WORDS or not sentence[0].isupper() or sentence[-1] != ".":
        return None
    if (
        _LEADS_BACK.match(sentence)
        or _SHAPED.search(_CODE.sub("code", sentence))
        or sentence.endswith(("etc.", "e.g.", "i.e."))
    ):
        return None
    quotes = sentence.count('"') % 2 or sentence.count("“") != sentence.count("”")
    if quotes or sentence.count("(") != sentence.count(")") or sentence.count("[") != sentence.count("]"):
        return None
    letters = sum(character.isalpha() for character in sentence)
    if letters < 0.7 * len(sentence.replace(" ", "")) or sum(word.isupper() and len(word) > 1 for word in words) > 4:
        return None
    if len(content(sentence)) < _LEAST_CONTENT:
        return None
    leaning = len(_POINTS.findall(sentence)) + 0.5 * (sentence.count('"') + sentence.count("“"))
    # One of many in a list is told from the others by nothing.
    return leaning + 0.05 * max(0, len(words) - 30) + 0.4 * max(0, sentence.count(",") - 4)


def find_terms(sentence: str) -> Iterator[Term]:
    """Everything in a sentence that could be left out; no two overlap."""
    taken: list[tuple[int, int]] = []
    for term in (
        *_codes(sentence),
        *_dates(sentence),
        *_numbers(sentence),
        *_abbreviations(sentence),
        *_names(sentence),
        *_words(sentence),
    ):
        if all(term.end <= start or term.start >= end for start, end in taken):
            taken.append((term.start, term.end))
            yield term


def _codes(sentence: str) -> Iterator[Term]:
    """What a manual sets as code: names of functions, files, options."""
    for match in _CODE.finditer(sentence):
        text = match[0].strip(_MARKS)
        first = "A" if text[0].isupper() else "a" if text[0].isalpha() else text[0]
        looks = "(" in text, "/" in text, "." in text, first
        before = _word_before(sentence, match.start())
        shapes: tuple[tuple[Hashable, ...], ...] = (
            ("code", *looks, before),
            ("code", *looks, _article(before)),
            ("code", *looks[:2], first.isalpha(), _article(before)),
        )
        yield Term("code", text, match.start() + match[0].index(text), shapes)


def _dates(sentence: str) -> Iterator[Term]:
    for match in _DATE.finditer(sentence):
        style = re.sub(r"\d+(?=\D)", "9", re.sub(r"[A-Za-z]{3,}", "x", match[0]))
        style = re.sub(r"\d{4}", "y", re.sub(r"9(?:st|nd|rd|th|d)\b", "9th", style))
        yield Term("date", match[0], match.start(), (("date", style), ("date", "-" in match[0])))
    for match in _YEAR.finditer(sentence):
        yield Term("year", match[1], match.start(1), (("year",),), size=float(match[1]))


def _numbers(sentence: str) -> Iterator[Term]:
    for match in _NUMBER.finditer(sentence):
        if match.start() == 0 or _POINTER.search(sentence[: match.start()]):
            continue
        text = match[0]
        digits = re.sub(r"[^\d.]", "", text)
        # Four digits between 1500 and 2099 are a year more often than not.
        if (
            len(digits) < 2
            or digits.startswith("0")
            or (len(text) == 4 and text.isdecimal() and 1500 <= int(text) < 2100)
        ):
            continue
        kind: Kind = "amount" if text[0] in "$£€" else "percentage" if text.endswith(("%", "cent")) else "number"
        sign = text[0] if kind == "amount" else text.lstrip("0123456789.,")
        whole = len(digits.partition(".")[0])
        after = re.match(r"\s?([A-Za-z]+)", sentence[match.end() :])
        shapes: tuple[tuple[Hashable, ...], ...] = (
            (kind, sign, "." in text, whole, after[1].casefold() if after else ""),
            (kind, sign, "." in text, "," in text, whole),
            (kind, sign, "." in text, "," in text, whole > 3),
        )
        yield Term(kind, text, match.start(), shapes, size=float(digits.rstrip(".")))


def _abbreviations(sentence: str) -> Iterator[Term]:
    for match in _ABBREVIATION.finditer(sentence):
        if match.start() == 0 or sum(character.isupper() for character in match[0]) < 2 or _ROMAN.fullmatch(match[0]):
            continue
        if _SHOUTED.fullmatch(match[0]) or _glossed(sentence, match.start(), match.end()):
            continue
        before = _word_before(sentence, match.start())
        yield Term(
            "abbreviation",
            match[0],
            match.start(),
            (("abbreviation", before, _article(before)), ("abbreviation", _article(before))),
        )


def _names(sentence: str) -> Iterator[Term]:
    for match in _NAME.finditer(sentence):
        text = re.sub(r"['’]s$", "", match[0])
        words = text.split()
        opening = sentence[: match.start()].rstrip()
        inside = match.start() > 0
        if (inside and sentence[match.start() - 1] not in ' (“"‘') or len(text) < 3 or _TITLES.search(words[-1]):
            continue
        if text.rstrip(".") in {"Inc", "Corp", "Ltd"} or _SEE.search(opening):
            continue
        if any(word in _NOT_NAMES or _BENT.search(word) for word in words):
            continue
        # 'Host-specific' is no name, 'Saxe-Coburg' is.
        if (inside and not _BEFORE_NAME.search(opening)) or (len(words) == 1 and re.search(r"-[a-z]+$", text)):
            continue
        if _glossed(sentence, match.start(), match.start() + len(text)):
            continue
        before = _word_before(sentence, match.start())
        joined = any(word.islower() for word in words)
        after = re.match(r"['’]s\b|\s([a-z]+)", sentence[match.start() + len(text) :])
        # 'the Columbine tragedy' takes other names than 'at Columbine.'
        describes = after is not None and after[1] is not None and after[1] not in _VERB_OR_FUNCTION
        shapes: tuple[tuple[Hashable, ...], ...] = (
            ("name", before, len(words), joined, describes),
            ("name", before, min(2, len(words)), describes),
            ("name", _article(before), before == "the", min(2, len(words)), joined, describes),
        )
        yield Term("name", text, match.start(), shapes, bare=not describes and before not in {"the", "a", "an"})


def _words(sentence: str) -> Iterator[Term]:
    """Nouns, told by an article or the like before them or by how they end, and by what follows."""
    for match in _WORD.finditer(sentence):
        text = match[0]
        if not _NOUN_AFTER.match(sentence, match.end()) or text.endswith(
            ("ly", "ing", "ed", "ous", "ful", "ive", "able")
        ):
            continue
        before = _word_before(sentence, match.start())
        if before not in _NOUN_BEFORE and not _NOUN_END.search(text):
            continue
        plural = text.endswith("s") and not text.endswith("ss")
        end = text[-3:]
        yield Term(
            "word",
            text,
            match.start(),
            (
                ("word", before, end),
                ("word", _article(before), end),
                ("word", before, plural, bool(_NOUN_END.search(text))),
            ),
        )


def _glossed(sentence: str, start: int, end: int) -> bool:
    """Whether a term is an abbreviation beside its long form, or the other way round: each gives the other away."""
    text = sentence[start:end]
    if sentence[start - 1 : start] == "(" and sentence[end : end + 1] == ")":
        words = re.findall(r"[A-Za-z]+", sentence[: start - 1])
        if not words:
            return False
        said = text if text.isupper() else words[-1]
        long = words[-len(text) :] if text.isupper() else re.findall(r"[A-Za-z]+", text)
        return said[:1].casefold() == long[0][:1].casefold() and (text.isupper() or said.isupper())
    beside = re.match(r" \(([A-Za-z][A-Za-z -]*)", sentence[end:])
    return (
        beside is not None and beside[1][:1].casefold() == text[:1].casefold() and text.isupper() != beside[1].isupper()
    )


def _word_before(sentence: str, place: int) -> str:
    """The word before a place if it is one that shapes what can follow, else nothing."""
    found = _BEFORE.search(sentence[max(0, place - 20) : place])
    word = found[1].casefold() if found else ""
    return word if word in _FUNCTION else ""


def _article(before: str) -> str:
    """`a` and `an` give away how the answer begins, so wrong answers must follow the same one."""
    return before if before in {"a", "an"} else ""
