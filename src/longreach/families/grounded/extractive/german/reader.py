"""German facts. The verb of a statement is second, so that a question word can take the first place."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from ..dialogue import GERMAN_SAYS, find_lines
from ..spans import MOST_READ, Found, SpanReader
from ..terms import LEANS, NARRATED, Dated, Fact, Sentence, Term
from ..wordsets import word_set
from .grammar import FINITE, Statement, has_verb, split_statement, stands

__all__ = ["GermanReader"]

_WORD = re.compile(r"[^\W_][\w.'’/+-]*[^\W_]|[^\W_]")
_EMPTY = word_set(
    "der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine ist sind war waren wird "
    "werden wurde wurden hat haben hatte hatten kann können muss müssen soll sollte sollten darf dürfen mit von vom zu "
    "zum zur im in am an auf aus bei beim für durch um über unter nach vor als wie wenn falls dass ob auch nur noch "
    "schon sehr mehr sich sie es er ihr ihre ihren ihrem ihrer sein seine seinen seinem seiner man so dann da damit "
    "diese dieser dieses diesen diesem was wer welche welcher welches weil sowie bis seit ohne gegen jede jeder jedes "
    "alle allen aller ihnen uns unser unsere wir ich du"
)
_ENDING = re.compile(r"(?:en|er|es|em|e|n|s|t)$")
_LEAST_STEM = 4
_NOISE = re.compile(
    r"\s{2,}|[|<>{}\\^=\[\]#]|\.\.\.|…|https?:|www\.|@|__|[!?]\s|^\W|\b(?:Kapitel|Abschnitt|Abbildung|Tabelle|Bild) \d"
    r"|[a-zäöü]- [a-z]|[a-zäöü]{3}\. \w|:(?!\w)"
)
_SPEECH = re.compile(r"[„»“\"][^„»“”«\"]*[,.!?][“«”\"]|[,:] ?[„»]|(?<=\w)[—–]")
_LEADS_BACK = re.compile(
    r"(?:Er|Es|Das (?=[a-zäöü]+(?:t|en|te)\b)|Dies\w*|Jene\w*|Dort|Hier\w*|Da(?:bei|zu|durch|mit|rin|her|nach|ran|für"
    r"|gegen|von|rauf|raus|rum)"
    r"|Des(?:halb|wegen)|Dann|Auch|Jedoch|Allerdings|Außerdem|Zudem|Weiterhin|Ebenso|So|Solche\w*|Sein\w*|Ihn|Ihm"
    r"|Deren|Dessen|Aber|Und|Oder|Denn"
    r"|Doch|Also|Folglich|Somit|Stattdessen|Ansonsten|Sonst|Andernfalls|Beide|Letzter\w*|Erster\w*|Zum Beispiel"
    r"|Beispielsweise|Nun|Ferner"
    r"|Trotzdem|Dennoch|Anschließend|Zuerst|Zunächst|Schließlich|Nachher|Vorher|Gleichzeitig|Natürlich|Leider|Ich|Wir"
    r"|Mein\w*|Unser\w*)\b"
)
_CAPITALS = re.compile(r"(?<![\w-])(?P<word>[A-ZÄÖÜ]{4,}) (?P<next>\w)")
_TITLED = 0.6
_HE = re.compile(r"\b(?:er|ihn|ihm)\b")
_NARRATIVE = 0.008
"""Share of 'he' and 'him' among the words from which a text is a narrative: it has persons, but no code."""
_UMLAUT = re.compile("[äöü]")
_LENGTH = range(6, 45)
_YEAR = re.compile(r"(?<![\d.,/-])(1[0-9]\d\d|20\d\d)(?![\d.,%/-]|\w)")
_YEAR_HEAD = re.compile(r"(?:Im Jahre? |In )?(1[0-9]\d\d|20\d\d) (?P<rest>(?P<verb>[a-zäöüß]+) .+)\.")
_BEFORE_YEAR = re.compile(r"\b(?:seit|ab|bis|von|vom|vor|nach|um|zwischen|Anfang|Mitte|Ende|Version|Jahre?)$")
"""Before a year that is no date by itself."""
_NUMBERS = "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig hundert tausend"
_VALUES = dict(zip(_NUMBERS.split(), (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20, 30, 40, 50, 100, 1000), strict=True))
_COUNT = re.compile(
    rf"(?<![\w.,/-])(?P<number>\d{{1,3}}(?:\.\d{{3}})+|\d+(?:,\d+)?|{_NUMBERS.replace(' ', '|')}) "
    r"(?P<noun>(?:[a-zäöüß]+(?:e|en) )?[A-ZÄÖÜ][\w-]+)(?= |\.)"
)
_PERCENT = re.compile(r"\d+(?:,\d+)? ?(?:%|Prozent)")
_POINTER = re.compile(
    r"(?:Kapitel|Abschnitt|Version|Seite|Nummer|Nr\.|Tabelle|Abbildung|Debian|Schritt|Teil|Artikel|Punkt) ?$"
)
_CODE = re.compile(
    r"(?<![\w/.-])(?:--[a-z][\w-]+|/[\w.+-]+(?:/[\w.+-]+)+|[a-zA-Z_][\w.]*\(\d?\)|\w+_\w+|[a-z]+[A-Z]\w+"
    r"|[A-Z]{3,8}(?![a-zäöü])|[a-z]+(?:-[a-z]+)*-(?![a-z]+(?:e|en|er|es|em)\b)[a-z]+|[a-z]{2,}\d\w*)(?![\w/-])"
)
_TITLES = r"(?:Herrn?|Frau|Fräulein|Doktor|Dr\.|Graf|Gräfin|Baron|Onkel|Tante|Professor|Hauptmann|Leutnant|Rat)"
_NAME = re.compile(rf"(?:{_TITLES} (?:von )?)?[A-ZÄÖÜ][a-zäöüß]+(?: (?:von )?[A-ZÄÖÜ][a-zäöüß]+)?")
_AFTER_SAID = re.compile(rf"[“«”\"],? (?:{GERMAN_SAYS}) (?P<name>{_NAME.pattern})")
_ACTING = re.compile(
    rf"(?:^|(?<=[.!?“«»] ))(?P<name>{_NAME.pattern}) (?P<verb>[a-zäöüß]+te|{GERMAN_SAYS}|war|ging|kam|stand|sah|saß"
    rf"|nahm|gab|trat|lief)\b"
)
_ARTICLE = re.compile(
    r"\b(?:der|die|das|den|dem|des|ein\w*|kein\w*|jed\w+|dies\w+|sein\w*|ihr\w*|mein\w*|im|am|zum|zur|vom|beim) $",
    re.IGNORECASE,
)
_INNER_NOUN = re.compile(r"(?<=[a-zäöüß,] )[A-ZÄÖÜ][\w-]+")
_LOWER = re.compile(r"(?<= )[a-zäöüß]+(?=[ ,.;])")
_LOOKS_LIKE_NOUN = re.compile(
    r"(?!(?:Der|Die|Das|Eine?|Jede[rs]?|Alle|Keine?|Viele|Mehrere|Einige|Manche|Ihre?) )[A-ZÄÖÜ][a-zäöüß-]+\b"
)
"""A capital at the head of a sentence may be an adverb's."""
_TYPES = {
    **dict.fromkeys(word_set("Befehl Parameter Dienst Daemon Schalter Editor"), "m"),
    **dict.fromkeys(word_set("Option Datei Funktion Variable Umgebungsvariable Eigenschaft Bibliothek Methode"), "f"),
    **dict.fromkeys(word_set("Programm Werkzeug Paket Skript Verzeichnis Modul Feld Kommando Attribut Objekt"), "n"),
}
"""Nouns that state what kind of thing a piece of code is, with their genders."""
_WHICH = {"m": "Welcher", "f": "Welche", "n": "Welches"}
_TYPE = "|".join(sorted(_TYPES))
_CODE_NAME = r"(?:--?)?[a-z$~/][\w./+$-]*\w(?:\(\d\))?|[A-Z][A-Z_]{2,}\w*"
_TYPED = re.compile(
    rf"\b(?P<type>{_TYPE}) [»„\"”]?(?P<name>{_CODE_NAME})(?![\w-])[«“\"”]?"
    rf"|(?<![\w-])(?P<name2>{_CODE_NAME})-(?P<type2>{_TYPE})\b"
)
"""A piece of code with the noun for what it is."""
_ARTICLED = re.compile(r"(?P<article>Der|Die|Das|(?:[Mm]it|[Ii]n|[Aa]us|[Vv]on|[Uu]nter) (?:dem|der)|[Ii]m) $")
_ADDRESSED = re.compile(r"(?P<subject>Sie|Man) (?P<verb>können|sollten|müssen|kann|sollte|muss)(?= )(?!.* werden\b)")
_PLAIN = re.compile("[a-zäöüß]+")
_LEAST_TYPED = 0.3
"""Share of its occurrences with such a noun that makes a name of a word in lower case."""
_NEXT = re.compile(r"\bund (?:[\w-]+ ){0,3}?(?:ist|sind|war|waren|wurden?|hat|haben|wird|werden)\b")
"""A second statement, of which the question word says nothing."""
_VOTES = 2
_LONGEST_EVENT = 25


class GermanReader(SpanReader):
    """Terms and facts of one document's sentences."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        super().__init__()
        sentences = [sentence for sentence in sentences if len(sentence.text) <= MOST_READ]
        texts = [sentence.text for sentence in sentences]
        lower = Counter(word.capitalize() for text in texts for word in _LOWER.findall(text))
        self._lower = frozenset(lower) | {word.capitalize() for word in _shouted(texts)}
        self._persons = frozenset(
            name for name in _find_persons(texts) if not self._lower & set(name.split()) and not name.endswith(" Sie")
        )
        size = sum(len(text.split()) for text in texts)
        self._narrative = sum(len(_HE.findall(text)) for text in texts) > _NARRATIVE * size
        words = {word.casefold() for text in texts for word in _WORD.findall(text)}
        self._damaged = {_UMLAUT.sub("", word) for word in words if _UMLAUT.search(word)} & words - {""}
        inner = Counter(word for text in texts for word in _INNER_NOUN.findall(text))
        self._types: dict[str, Counter[str]] = defaultdict(Counter)
        for text in texts:
            for match in _TYPED.finditer(text):
                self._types[match["name"] or match["name2"]][match["type"] or match["type2"]] += 1
        for word, kinds in list(self._types.items()):
            times = kinds.total()
            often = lower[word.capitalize()]
            if _PLAIN.fullmatch(word) and (times < _VOTES or times < _LEAST_TYPED * often or FINITE.fullmatch(word)):
                del self._types[word]
        self._nouns = {word for word, times in inner.items() if times > lower[word]}

    @staticmethod
    def content(text: str) -> frozenset[str]:
        """Words by their stems, without those that carry no meaning."""
        words = (word.casefold() for word in _WORD.findall(text))
        return frozenset(
            _ENDING.sub("", word) if len(word) > _LEAST_STEM + 1 else word for word in words if word not in _EMPTY
        )

    def unfit(self, sentence: Sentence) -> str:
        """Why a sentence cannot be used for questions; empty where it can."""
        text = sentence.text
        if not sentence.whole or len(text.split()) not in _LENGTH or not text.endswith(".") or self._lost(text):
            return "fragment"
        if not (text[0].isupper() or _CODE.match(text)) or _NOISE.search(text):
            return "fragment"
        if any(text.count(one) != text.count(other) for one, other in ("()", "„“", "»«")) or text.count('"') % 2:
            return "fragment"
        if _SPEECH.search(text):
            return "speech or heading"
        if _LEADS_BACK.match(text) or not stands(text.split(",")[0]):
            return LEANS
        return ""

    def _lost(self, text: str) -> bool:
        """Whether a word has lost its umlauts, as other places of the document show."""
        return not self._damaged.isdisjoint(word.casefold() for word in _WORD.findall(text))

    def spans(self, sentence: Sentence) -> Iterator[Found]:
        if len(sentence.text) > MOST_READ:
            return
        head, semicolon, _ = sentence.text.partition("; ")
        text = f"{head}." if semicolon else head
        if self._lost(text):
            return
        yield from _figures(text, self._split(text))
        yield from self._names(sentence)
        if not self._narrative:
            yield from self._code(text) if sentence.whole else ()

    def _split(self, text: str) -> Statement | None:
        """A statement whose first word is an article, code, or a noun that is one elsewhere as well."""
        statement = split_statement(text)
        if statement is None or not _LOOKS_LIKE_NOUN.match(statement.subject):
            return statement
        return statement if statement.subject.split()[0] in self._nouns else None

    def _code(self, text: str) -> Iterator[Found]:
        typed: set[str] = set()
        for match in _TYPED.finditer(text):
            word, kind = match["name"] or match["name2"], match["type"] or match["type2"]
            typed.add(word)
            if word not in self._types:
                continue
            stem = _which(text, match.start(), match.end(), kind) if text.count(word) == 1 else ""
            yield Found("code", word, _form(word, self._type(word)), stem, stem.partition(kind)[2].rstrip("?"), 2.6)
        for match in _CODE.finditer(text):
            word = match[0]
            kind = self._type(word)
            if word.isupper() and word.capitalize() in self._nouns | self._lower:
                continue  # a word in capitals
            if word in typed or (
                not kind and re.fullmatch("[a-z-]+", word)
            ):  # an English word with a hyphen is no name
                continue
            statement = self._split(text) if kind and not match.start() and text.count(word) == 1 else None
            about = f"{statement.verb} {statement.rest}" if statement and statement.subject == word else ""
            stem = f"{_WHICH[_TYPES[kind]]} {kind} {about}?" if about and stands(about) else ""
            yield Found("code", word, _form(word, kind), stem, about, 2.6)

    def _type(self, word: str) -> str:
        """The noun that most often states what a piece of code is."""
        usual = self._types.get(word, Counter()).most_common(1)
        return usual[0][0] if usual else "Befehl" if re.fullmatch(r"[\w.+-]+\([18]\)", word) else ""

    def _names(self, sentence: Sentence) -> Iterator[Found]:
        text = sentence.text
        for match in _NAME.finditer(text):
            name = _bare(match[0])
            if name not in self._persons:
                continue
            stem = about = ""
            dated = None
            statement = self._split(text) if match.start() == 0 else None
            if statement is not None and statement.subject == match[0] and text.count(name) == 1:
                about = f"{statement.verb} {statement.rest}"
                stem = f"Wer {about}?"
                if len(text.split()) <= _LONGEST_EVENT:
                    dated = Dated(text.rstrip("."), float(sentence.number), NARRATED, verbatim=True)
            yield Found("person", name, (), stem, about, 3.0, dated=dated)

    def has_verb(self, text: str) -> bool:
        """Whether a sentence has a finite verb."""
        return has_verb(text) or self._split(text) is not None

    is_statement = has_verb

    def lines(self, passage: int, text: str, first: int) -> Iterator[Fact]:
        """Who says what in a passage, and which label has which description."""
        for line in find_lines(text, "de"):
            if (name := _bare(line.name)) in self._persons:
                term = Term("person", ("person",), name, passage, first)
                content = self.content(line.words)
                yield Fact(Sentence(passage, first, line.raw, line.words, content), line.question, term, 2.8, content)

    @staticmethod
    def one_person(one: str, other: str) -> bool:
        """Whether two names may be of one person: they have a word in common."""
        return bool(set(one.split()) & set(other.split()))


def _shouted(texts: Sequence[str]) -> set[str]:
    """Words in capitals that stand before titles, such as 'TIPP', and are no names."""
    before: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for text in texts:
        for match in _CAPITALS.finditer(text):
            every[match["word"]] += 1
            before[match["word"]] += match["next"].isupper()
    return {word for word, times in every.items() if times > 1 and before[word] > _TITLED * times}


def _form(word: str, kind: str) -> tuple[str, str]:
    """The shape of a piece of code, as far as its kind does not tell it, and its kind."""
    if not kind:
        return re.sub(r"[a-zäöü\d]+", "a", re.sub("[A-Z]+", "A", word))[:4], ""
    return "manual" if word.endswith(")") else "path" if "/" in word else "option" if word[0] == "-" else "word", kind


def _which(text: str, start: int, end: int, kind: str) -> str:
    """The sentence as a question for a piece of code with its noun; empty where its place allows none."""
    article = _ARTICLED.search(text[:start])
    if (
        article is None
        or text[:start].count("(") > text[:start].count(")")
        or re.match(r",| (?:und|oder|bzw)\b", text[end:])
    ):
        return ""
    before, after = text[: article.start()], text[end:].rstrip(".")
    gender = _TYPES[kind]
    if article["article"] in {"Der", "Die", "Das"}:
        about = after.strip()
        stem = f"{_WHICH[gender]} {kind} {about}?" if not before and FINITE.match(about) else ""
    else:
        preposition = "In" if article["article"].lower() == "im" else article["article"].split()[0].capitalize()
        asked = f"{preposition} {'welcher' if gender == 'f' else 'welchem'} {kind}"
        about = after.strip()
        if before:
            addressed = _ADDRESSED.match(before)
            rest = f"{before[addressed.end() :] if addressed else ''}{after.lstrip()}".strip()
            about = (
                f"{addressed['verb']} {addressed['subject'].replace('Man', 'man')} {rest}" if addressed and rest else ""
            )
        stem = f"{asked} {about}?" if FINITE.match(about) else ""
    return stem if stands(about) and not re.search(r"[;:] |\bsowie\b", about) else ""


def _bare(name: str) -> str:
    """A name as a nominative: 'Herrn' is 'Herr'."""
    return name.replace("Herrn ", "Herr ")


def _find_persons(texts: Sequence[str]) -> frozenset[str]:
    """Names that act and speak, and that have no article."""
    acts: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    articled: Counter[str] = Counter()
    for text in texts:
        for pattern in (_AFTER_SAID, _ACTING):
            acts.update(_bare(match["name"]) for match in pattern.finditer(text))
        for match in _NAME.finditer(text):
            (articled if _ARTICLE.search(text[: match.start()]) else alone)[_bare(match[0])] += 1
    return frozenset(
        name
        for name, times in acts.items()
        if times >= _VOTES and articled[name] * 8 <= alone[name] and not _LEADS_BACK.match(name) and len(name) > 2
        and name.casefold() not in _EMPTY
    )  # fmt: skip


def _figures(text: str, statement: Statement | None) -> Iterator[Found]:
    for match in _YEAR.finditer(text):
        if _POINTER.search(text[: match.start()]):
            continue
        stem = about = ""
        head = _YEAR_HEAD.fullmatch(text)
        if head and head[1] == match[1] and FINITE.fullmatch(head["verb"]):
            about = head["rest"]
        elif statement and (found := re.search(rf"(?:^| )(?:im Jahre? )?{match[1]}(?= )", statement.rest)):
            rest = statement.rest[: found.start()] + statement.rest[found.end() :]
            before = statement.rest[: found.start()]
            direct = (
                "," not in before and not _BEFORE_YEAR.search(before) and (not rest.startswith(" ") or rest.strip())
            )
            about = f"{statement.verb} {statement.lowered} {rest}" if direct else ""
        if about and stands(about) and len(_YEAR.findall(text)) == 1 and not _NEXT.search(about):
            stem = f"In welchem Jahr {' '.join(about.split())}?"
        yield Found("year", match[1], (), stem, about, 3.0, float(match[1]))
    for match in _PERCENT.finditer(text):
        size = float(re.sub(r"[^\d,]", "", match[0]).replace(",", "."))
        yield Found("percentage", match[0], ("%" in match[0],), size=size)
    for match in _COUNT.finditer(text):
        if _POINTER.search(text[: match.start()]) or re.fullmatch(r"1\d\d\d|20\d\d", match["number"]):
            continue
        size = float(_VALUES.get(match["number"]) or match["number"].replace(".", "").replace(",", "."))
        stem = about = ""
        if (
            statement
            and statement.rest.startswith(match[0])
            and not re.match(r" ?(?:und|oder|bis|,)", text[match.end() :])
        ):
            rest = statement.rest[len(match[0]) :]
            about = f"{match['noun']} {statement.verb} {statement.lowered}{rest}"
            stem = f"Wie viele {about}?" if stands(about) else ""
        form = (match["number"][0].isdigit(), len(str(int(size))), size < 20)
        yield Found("count", match["number"], form, stem, about, 2.8, size, (match["noun"],))
