"""German names of things: which of them a statement is about, and what something is done with."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from ..spans import Found
from ..terms import Sentence
from .clauses import AUX, NO_VERB, cut_additions, stands

__all__ = ["Things"]

_TYPE = (
    "Befehl|Parameter|Dienst|Daemon|Schalter|Editor|Option|Datei|Funktion|Variable|Umgebungsvariable|Eigenschaft"
    "|Bibliothek|Methode|Programm|Werkzeug|Paket|Skript|Verzeichnis|Modul|Feld|Kommando|Attribut|Objekt|Protokoll"
    "|Filter|Dialog|System|Server|Projekt|Format|Menü|Tool|Browser|Plugin|Profil|Rolle|Modus"
)
_NAME = (
    r"(?<![\w/.$@:-])(?!(?:Der|Die|Das|Eine?|Dies\w*|Jede\w*|Alle|Ihre?|Sie|Man)\b)"
    r"(?:--?[a-z][\w-]+|/[\w.+-]+(?:/[\w.+-]+)+|[a-z$][\w+]*(?:[-_./][\w+]+)*(?:\(\d?\))?|[A-Z][a-z]*[A-Z0-9][\w+.]*\w"
    r"|[A-ZÄÖÜ][a-zäöüß]{2,}(?: (?!Sie\b)[A-Z]\w+)?|»[^«»]{2,30}«|„[^“„]{2,30}“)(?![\w/-])"
)
_VERB = (
    rf"(?!(?:{NO_VERB})\b)(?:ist|war|wird|wurde|hat|hatte|kann|konnte|muss|musste|soll|sollte|darf|lässt"
    r"|(?!bedeutet|heißt|lautet)[a-zäöüß]{3,}(?:t|te))"
    rf"(?! (?:{AUX})\b)"
)
_OF_TYPE = rf"(?:(?:[Dd]e[rnm]|[Dd]ie|[Dd]as) (?:{_TYPE}) )?"
_REST = r"(?P<rest>[^;:]+)"
_STATED = (
    (
        re.compile(
            rf"(?P<front>(?:In|Unter|Auf|Bei|Für|Seit|Ab|Nach|Vor|Während|Beim|Im|Am|Zum|Zur|Standardmäßig"
            rf"|Normalerweise|Üblicherweise)(?: [^,;:]+?)?) (?P<verb>{_VERB}) {_OF_TYPE}(?P<name>{_NAME}) {_REST}"
        ),
        "Was {verb} {front} {rest}?",
    ),
    (
        re.compile(
            rf"(?P<front>(?:(?:Der|Die|Das|Eine?) )?[A-ZÄÖÜ][\w-]+) (?P<verb>verwendet|benutzt|nutzt|unterstützt"
            rf"|installiert) {_OF_TYPE}(?P<name>{_NAME})(?P<rest>(?: (?:als|für|zum|zur|unter|mit)|, um) [^;:]+)"
        ),
        "Was {verb} {front}{rest}?",
    ),
    (re.compile(rf"{_OF_TYPE}(?P<name>{_NAME}) (?P<rest>{_VERB} [^;:]+)"), "Was {rest}?"),
    (re.compile(rf"(?:Der|Die|Das) (?P<name>[\w.+-]+\w)-(?:{_TYPE}) (?P<rest>{_VERB} [^;:]+)"), "Was {rest}?"),
    (
        re.compile(rf"(?:Der|Die|Das) (?P<name>[A-Z][a-z]*[A-Z0-9]\w*|[a-z]+(?:-[a-z0-9]+)+) (?P<rest>{_VERB} [^;:]+)"),
        "Was {rest}?",
    ),
    (
        re.compile(rf"Mit {_OF_TYPE}(?P<name>{_NAME}) (?P<rest>(?:können Sie|kann man|lassen sich|lässt sich) [^;:]+)"),
        "Womit {rest}?",
    ),
    (
        re.compile(
            rf"(?P<front>Sie|Man) (?P<verb>können|kann) (?P<mid>(?:[^,;:]+ )?)mit {_OF_TYPE}(?P<name>{_NAME}) {_REST}"
        ),
        "Womit {verb} {front} {mid}{rest}?",
    ),
    (
        re.compile(
            rf"(?P<front>Sie|Man) (?P<verb>können|kann|sollten|sollte) {_OF_TYPE}(?P<name>{_NAME}) "
            r"(?P<rest>(?:verwenden|benutzen|nutzen|einsetzen|installieren|aufrufen), um [^;:]+)"
        ),
        "Was {verb} {front} {rest}?",
    ),
    (
        re.compile(
            rf"Um (?P<mid>[^,;:]+ (?:zu \w+|\w+zu\w+en)), (?P<verb>verwenden|benutzen|nutzen|installieren|starten) Sie"
            rf" {_OF_TYPE}(?P<name>{_NAME})"
        ),
        "Was {verb} Sie, um {mid}?",
    ),
)
"""Statements about a name, each with the question for it."""
_TYPED = re.compile(rf"\b(?:{_TYPE}) (?P<name>{_NAME})")
_CERTAIN = re.compile(r"[A-Z][a-z]*[A-Z0-9][\w+.]*\w")
_MARKED = re.compile(r"[a-z][-_./(\d]|[a-z][A-Z]|[A-Z]{2}|[$»„]")
"""Capitals, digits or marks inside: no German word."""
_STAND_INS = re.compile(r"[-./$]*(?:foo|bar|baz|hello|example|sample|test|my\w*|irgendein\w*).*", re.IGNORECASE)
_NO_NAME = re.compile("[A-ZÄÖÜ][a-zäöüß]+(?: .*)?|.*-[A-ZÄÖÜ][a-zäöüß]+|[kMGT]?Hz|[KMGT]i?B|[a-z]\\..*")
"""A word with a capital, which may be a German noun, a compound with one, or a unit."""
_PLAIN = re.compile("[a-zäöüß]+")
_GERMAN_WORD = re.compile(
    r"ge.*t|viel|zwei|drei|be|is|are|the|.*(?:lich|mal|weise|falls|dessen|wegen|halb|lings|wärts|dings|ig|isch|sam|bar|end|ens|ste|em|en|er|es|nd|st|ch|ld)"
    r"|.*[äöüß].*|(?:dann|da|dort|hier|so|nun|nur|aber|oder|und|auch|wie|wo|was|wenn|als|ob|bei|in|an|auf|zu|zum|zur|mit|vor"
    r"|nach|um|für|je|ab|bis|oft|sehr|zwar|dazu|dabei|damit|daher|darum|danach|davon|sowie|etwa|alle|viele|eine?|die|das"
    r"|gerade|heute|jetzt|immer|sofort|genau|meist|bereits|aktuell|automatisch|normal|nahezu|direkt|ebenso|sogar|anhand|von|im|am)"
)
"""A word in lower case at the head of what is no whole sentence."""
_WEAK = re.compile(
    r"\b(?:auch|ebenfalls|jedoch|aber|hingegen|dagegen|außerdem|zudem|daher|deshalb|somit|also|nicht|kein\w*|wieder"
    r"|allerdings|nämlich|weitere\w*|anderen?|ähnlich\w*|genauso|gleiche\w*|nun|jetzt|noch|dann|sogar|siehe|Sie auch)\b"
)
_LOWERED = re.compile(
    r"(?:Der|Die|Das|Eine?|Man|In|Unter|Auf|Bei|Für|Seit|Ab|Nach|Vor|Während|Beim|Im|Am|Zum|Zur|Standardmäßig"
    r"|Normalerweise|Üblicherweise)\b"
)
_LENGTH = range(6, 32)
_LEAST_INNER = 2
"""Occurrences of a name inside sentences."""
_LONGEST = 600
"""Characters of a statement."""
_TOPIC = 60
_LEAST_TOPIC = 20
"""A name in more than one of so many sentences is what the whole text is about."""
_MANY = 6


class Things:
    """The names in a document that statements have as subjects."""

    def __init__(self, sentences: Sequence[Sentence], words: frozenset[str]) -> None:
        """`words` are those that also occur in lower case, with a capital."""
        found: set[str] = set()
        uses: dict[str, set[str]] = defaultdict(set)
        often: Counter[str] = Counter()
        for sentence in sentences:
            if not sentence.whole:
                continue
            text = sentence.text
            often.update(match[0] for match in re.finditer(_NAME, text) if match.start())
            for match in _TYPED.finditer(text):
                if _MARKED.search(match["name"]):
                    found.add(match["name"])
                uses[match["name"]].add(match[0].split()[0])
            if about := _match(text):
                name = about[0]["name"]
                if not _PLAIN.fullmatch(name) or text.startswith(name):
                    found.add(name)
                uses[name].add(about[0].groupdict().get("verb") or about[0]["rest"].split()[0])
        found |= {name for name in often if often[name] >= _LEAST_INNER and _CERTAIN.fullmatch(name)}
        most = max(_LEAST_TOPIC, len(sentences) // _TOPIC)

        def is_name(name: str) -> bool:
            if (
                _STAND_INS.fullmatch(name)
                or often[name] > most
                or (re.fullmatch("[A-ZÄÖÜ]{2,}s?", name) and (name[-1] == "s" or name.capitalize() in words))
            ):
                return False
            if _PLAIN.fullmatch(name):
                return _GERMAN_WORD.fullmatch(name) is None
            return _NO_NAME.fullmatch(name) is None

        # A name with many uses shares some with any other.
        self._near = {
            name: tuple(sorted(uses[name] if len(uses[name]) < _MANY else ())) for name in filter(is_name, found)
        }

    def heads(self, text: str) -> bool:
        """Whether a sentence begins with a name."""
        about = _match(text)
        return about is not None and about[0]["name"] in self._near

    def find(self, text: str) -> Iterator[Found]:
        """The names in a sentence; one that it is about, or that something is done with, is asked for."""
        about = _match(text)
        named = about[0]["name"] if about else ""
        for name in dict.fromkeys([*filter(None, [named]), *(match[0] for match in re.finditer(_NAME, text))]):
            if name in self._near:
                # Acronyms are of too many kinds.
                asked = name == named and text.count(name) == 1 and not name.isupper()
                stem = _asked(*about) if about and asked else ""
                told = stem.partition(" ")[2]
                yield Found("name", name.strip("»«„“"), ("thing", _form(name)), stem, told, 2.9, near=self._near[name])


def _match(text: str) -> tuple[re.Match[str], str] | None:
    if len(text) > _LONGEST:
        return None
    body = re.sub(r" \([^()]*\)", "", text.partition("; ")[0]).rstrip(".")
    return next(((match, asked) for pattern, asked in _STATED if (match := pattern.fullmatch(body))), None)


def _asked(match: re.Match[str], asked: str) -> str:
    parts = match.groupdict()
    if "front" in parts:
        parts["front"] = _LOWERED.sub(lambda word: word[0].lower(), parts["front"], count=1)
    if "rest" in parts:
        parts["rest"] = cut_additions(parts["rest"])
    told = asked.format(**parts)
    if (
        told.count("(") != told.count(")")
        or len(told.split()) not in _LENGTH
        or not stands(told.partition(" ")[2])
        or _WEAK.search(told)
    ):
        return ""
    return told


def _form(name: str) -> str:
    """An option, a path or file, a page of a manual, or how another name is written."""
    if name.endswith(")"):
        return "manual"
    if name[0] == "-" or re.search(r"[/$]|\.[a-z]", name):
        return "option" if name[0] == "-" else "path"
    return "upper" if name.isupper() else "lower" if name.islower() else "mixed"
