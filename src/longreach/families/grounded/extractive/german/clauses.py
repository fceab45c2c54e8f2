"""German clauses as answers: what happens or what to do in a case, in what case, why, to what end, what a thing is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..spans import Found
from ..terms import LOOSE

__all__ = ["FINITE", "Statement", "cut_additions", "find_clauses", "split_statement", "stands"]

_POINTS = re.compile(
    r"\b(?:[Dd]ies\w*|jene\w*|obige\w*|obenstehende\w*|folgende\w*|untenstehende\w*|oben|unten|hier\w*|dort\w*|er|es|sie"
    r"|ihn|ihm|ihr|ihre[mnrs]?"
    r"|sein(?!\b)\w*|sein(?= [A-ZÄÖÜ])"
    r"|ich|mich|mir|mein\w*|wir|uns|unser\w*|da(?:bei|zu|durch|rin|her|nach|ran|für|gegen|von|rauf|raus"
    r"|rüber|runter)"
    r"|(?<=\s)damit|deren|dessen|letztere\w*|erstere\w*|heute|gestern|morgen|jetzt|vorher|zuvor|ebenfalls|stattdessen|hingegen"
    r"|dagegen|nämlich|siehe|beispielsweise"
    r"|nachfolgend\w*|solche\w*|(?:vor)?genannte[nrsm]?|erwähnte[nrsm]?|beschriebene[nrsm]?|entsprechende[nrsm]?"
    r"|eins|[a-z]|(?<!, )[Dd]as(?! (?:[\w-]+ ){0,2}[^\sa-zäöüß])"
    r"|derselbe\w*|dieselbe\w*|dasselbe|beide\w*|andere\w*|daselbst|z\. ?B\.|usw\.|bzw\.|s\.)(?=\W|$)"
)
"""What refers to another place. 'Sie' and 'Ihr' with a capital are the reader."""
_AUX = (
    "ist|sind|war|waren|wird|werden|wurde|wurden|hat|haben|hatte|hatten|kann|können|konnte|konnten|muss|muß|müssen"
    "|musste|mussten"
    "|soll|sollen|sollte|sollten|darf|dürfen|durfte|will|wollen|wollte|mag|möchte|könnte|könnten|würde|würden|gibt"
    "|gilt|lässt|läßt|bleibt"
)
_NO_VERB = (
    "mit|seit|nicht|meist|nächst|erst|selbst|fast|oft|recht|direkt|jetzt|zuletzt|bereit|wert|statt|samt|gesamt"
    "|zwischen|neben|wegen"
    "|gegen|innen|außen|oben|unten|eben|morgen|zusammen|insgesamt|allen|einigen|vielen|beiden|anderen|eigenen|weiten"
    "|alten|neuen|letzten|ersten"
    "|den|einen|keinen|seinen|ihren|diesen|jeden|welchen|sogenannten|bestimmten|verschiedenen|zweiten|dritten|großen"
    "|kleinen|guten"
)
FINITE = re.compile(
    rf"(?!(?:{_NO_VERB})\b)(?:{_AUX}|[a-zäöüß]{{2,}}(?:t|te|ten|en)|ging|kam|stand|sah|saß|nahm|gab|trat|lief|rief"
    r"|sprach|blieb|fand|hielt|ließ|schien|zog)\b"
)
_ADJECTIVE = r"[a-zäöüß-]+(?:e|er|es|en|em)"
_NOUN = (
    r"(?:[A-ZÄÖÜ][\w./+-]*\w|[a-z][\w./-]*[\d_/.-]\w*(?:\(\d\))?|[a-z]+\(\d\)|--?[a-z][\w-]+|„[^“]{2,30}“"
    r"|»[^«]{2,30}«|\"[^\"]{2,30}\")"
)
_DETERMINER = (
    r"(?:[Dd]er|[Dd]ie|[Dd]as|[Ee]ine?|[Jj]ede[rs]?|[Aa]lle|[Kk]eine?|[Vv]iele|[Mm]ehrere|[Ee]inige|[Mm]anche|Ihre?)"
)
_PHRASE = rf"(?:{_DETERMINER} )?(?:{_ADJECTIVE} ){{0,2}}{_NOUN}(?: {_NOUN}){{0,2}}"
_MORE = (
    rf"(?: (?:des|der|den|dem|eines|einer|von|vom|für|im|in|mit|zur|zum|auf|aus|an|am|bei|beim|und|unter|über"
    r"|durch|zwischen|zu) (?:(?:der"
    rf"|die|das|den|dem|des|einer|einem|eines) )?(?:{_ADJECTIVE} ){{0,2}}{_NOUN}){{0,2}}"
)
_PREPOSITION = (
    "In|Im|An|Am|Auf|Aus|Bei|Beim|Mit|Nach|Von|Vom|Vor|Zu|Zum|Zur|Für|Durch|Über|Unter|Gegen|Ohne|Um|Seit|Bis|Ab"
    "|Zwischen|Neben|Hinter|Trotz|Wegen|Während|Als|Wie|Wer|Was|Wo|Wann|Warum|Ob|Dass|Je|Per|Pro|Laut|Innerhalb"
    "|Außerhalb|Weitere"
)
_STATEMENT = re.compile(
    rf"(?!(?:{_PREPOSITION})\b)(?P<subject>{_PHRASE}{_MORE}(?:, (?:die|der|das|den|dem|welche[rs]?) [^,]+,)?) "
    rf"(?P<verb>{FINITE.pattern}) (?!(?:{_AUX}"
    rf"|Sie)\b)(?P<rest>.+)\."
)
_AFTER_PHRASE = re.compile(
    r"(?P<subject>(?:In|Im|An|Am|Auf|Bei|Beim|Mit|Nach|Für|Durch|Über|Unter|Ohne|Zum|Zur|Aus) [^,;:]{3,60}?) "
    rf"(?P<verb>{_AUX}) (?P<rest>(?!(?:{_AUX}|Sie|man|sich|es)\b).+)\."
)
"""A statement that begins with a phrase: it can follow the verb as well."""
_VAGUE = re.compile(
    rf"(?:[Dd]er|[Dd]ie|[Dd]as|[Aa]lle|[Vv]iele|[Ee]inige|[Mm]anche|[Mm]ehrere) (?:{_ADJECTIVE} )?[A-ZÄÖÜ][a-zäöüß]+"
)
_SUBORDINATE = r"(?P<given>[^,;:]+(?:, (?:der|die|das|den|dem|dass|welche[rsmn]?|ob|wie|was) [^,;:]+)?)"
_CASE = re.compile(
    rf"(?P<word>Wenn|Falls|Sobald|Sofern|Solange|Nachdem|Bevor) {_SUBORDINATE}, (?:so |dann "
    rf")?(?P<main>[^;:]+)\."
)
_AIM = re.compile(r"Um (?P<given>[^,;:]+ (?:zu \w+|\w+zu\w+en)), (?P<main>[^;:]+)\.")
_CAUSE = re.compile(rf"(?P<word>Weil|Da) {_SUBORDINATE}, (?P<main>[^;:]+)\.")
_TAIL = re.compile(
    r"(?P<main>[^,;:]+(?:, (?:der|die|das|den|dem|dass|welche[rsmn]?) [^,;:]+)?), (?P<answer>(?P<word>wenn|falls"
    r"|sofern|sobald|solange|bevor|nachdem|weil|da|um|damit|indem) [^,;:]+)\."
)
_ADDRESSED = re.compile(
    r"(?P<subject>Sie|Man) (?P<verb>können|könnten|müssen|sollten|dürfen|kann|muss|sollte) (?P<rest>.+)(?<! werden)"
)
"""A statement about the reader."""
_TO_AIM = re.compile(r"(?P<main>[A-ZÄÖÜ][a-zäöüß]+en Sie [^,;:]+), um (?P<given>[^,;:]+ (?:zu \w+|\w+zu\w+en))\.")
_SUBORDINATES = re.compile(
    r"\b(?P<word>wenn|falls|sofern|solange|sobald|bevor|nachdem|weil|indem|um|damit) [^,;:.()]+(?=[,.])"
    r"(?!, (?:dass|ob|wie|was|wo|wer|wann|warum|welche\w*|um|der|die|das|den)\b)",
    re.IGNORECASE,
)
_CUT = re.compile(
    r"^\w+ (?:möglich|nötig|notwendig|gewünscht|erforderlich|vorhanden)\b|(?<=.)\b(?:wenn|falls)\b"
    r"|\w+- (?!und|oder|bzw)|[–\\*]|^\w+ (?:der|die|das) [a-zäöüß]+(?:t|en) \w+$"
    r"|(?:angegeben|erwähnt|beschrieben)$|\b(?:Kapitel|Abschnitt|Handbuch)\b"
)
"""A case without its verb, or two in one."""
_ADVERB = re.compile(
    r"damit (?:ist|sind|wird|werden|kann|können|hat|haben|lässt|lassen|soll|sollte|muss|müssen|erhalten|[a-z]+t) "
)
"""'damit' as 'with that'."""
_ASKED = {
    **dict.fromkeys(("wenn", "falls", "sofern", "solange"), ("condition", "Unter welcher Bedingung")),
    **dict.fromkeys(("sobald", "bevor", "nachdem", "während"), ("time", "Wann")),
    **dict.fromkeys(("weil", "da"), ("reason", "Warum")),
    **dict.fromkeys(("um", "damit"), ("purpose", "Wozu")),
    "indem": ("means", "Wie"),
}
_ORDER = re.compile(
    r"(?:(?P<modal>sollten?|müssen|können|dürfen|könnten|brauchen) (?:Sie|wir)|\w+en Sie|(?P<one>sollte|muss|kann"
    r"|könnte) man)\b"
)
_NO_ORDER = re.compile(
    r"(?:wissen|benötigen|brauchen|bekommen|sehen|erhalten|haben|werden|finden|kennen|erkennen|merken|wollen"
    r"|möchten|seien|fragen|bitten|vergessen|denken|achten|versuchen|lesen|schauen|überlegen|probieren|vermeiden"
    r"|unternehmen|erledigen|beantworten|konsultieren|verlassen|warten|hoffen) Sie\b"
    r"|\w+ Sie (?:wissen|beachten|bedenken)\b|(?:können|dürfen) Sie .*\bnicht\b"
    r"|.*\b(?:zunächst|zuerst|erst|vorher|bitte|sorgfältig|alle nötigen|wie gewohnt)\b"
    r"|(?:.*\bstellen Sie |.*\b)(?:fest|sicher|zu erfahren|herauszufinden|zu prüfen|zu sehen)$"
)
"""What is no order, says nothing of the case, or misses the clause that its verb needs."""
_FRONTED = re.compile(
    r"(?:Dann|Dadurch|Danach|Standardmäßig|Normalerweise|Außerdem|Anschließend|Daher|Deshalb|Üblicherweise|Gewöhnlich"
    r"|Automatisch"
    r"|In diesem Fall|Im Allgemeinen|Zusätzlich|Schließlich|Gleichzeitig|Ansonsten|Andernfalls|Sonst|Dabei|Damit"
    r"|Zudem|Allerdings|Jedoch"
    r"|Stattdessen|Manchmal|Meistens|Oft|Auch|(?:In|Im|Bei|Beim|Mit|Nach|Für|Unter|Auf|Aus|Durch|Zum|Zur|Vor|Ohne)"
    rf" [^,;:]{{3,60}}?(?= {FINITE.pattern} (?:Sie|man|der|die|das|eine?|alle|keine?)\b)) (?P<main>[^;:]+)\."
)
"""After an adverb or a phrase at the head, a statement begins with its verb, as after a case."""
_PRESSED = re.compile(r"\b(?:Taste|Schaltfläche|Knopf|Button|OK)\b")
"""Of which there are many."""
_DEFINITE = re.compile(
    r"\b(?:[Dd]er|[Dd]ie|[Dd]as|[Dd]en|[Dd]em|[Dd]es|im|am|zum|zur|vom|beim) (?:Dateie?n?|Programms?|Befehle?s?"
    r"|Pakete?s?|Option|Dialogs?|Werkzeugs?|Filters?|Skripts?|Servers?|Liste|Feld(?:es|er)?|Werte?s?|Fensters?|Dienste?s?"
    r"|Funktion|Variable|Gerät(?:es)?|Geräte|Schlüssels?|Einstellung|Eintrag|Ergebnis(?:se)?)(?= [a-zäöüß]+\b|[,?]|$)"
    r"(?! (?:der|des|von|vom|für|zum|zur|eine[rs]|mit|namens|unter|im|in) )"
)
"""A thing that the sentences before it may have named."""
_MAY = frozenset({"können", "könnten", "kann", "könnte", "dürfen"})
_ENDS = re.compile(
    r"(?:^|.* )(?:ist|sind|war|waren|wird|werden|wurden?|hat|haben|hatten?|kann|können|soll|sollen|will|wollen|muss"
    r"|müssen|darf|möchten?|\w{2,}(?:t|en|te|ten|eln|ern))"
)
"""A subordinate clause ends in its verb."""
_REFERENCE = re.compile(
    r"\b(?:siehe|lesen Sie|beachten Sie|denken Sie|stellen Sie sich|schauen Sie|finden Sie"
    r"|(?:klar|deutlich), dass|nicht nur|wie folgt|möchten Sie|vielleicht|möglicherweise|wahrscheinlich)\b",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"(?:ist|wird|gibt|kann|war|empfiehlt|wäre|sollte|muss|können|reicht|genügt|bedeutet|heißt) (?:es|dies|das)\b"
)
_LINKS = re.compile(
    r"\b(?:dann|später|genauer|näher|allerdings|also|jedoch|zum Beispiel|trotzdem|dennoch|nun|aber|alles)\b"
    r"|\b(?:nötig|notwendig|erforderlich|gewünscht|möglich|richtig) (?:ist|war)$"
)
_WISH = re.compile(r"\b(?:möchten?|wollen|will)$")
"""Of which nothing follows by itself."""
_UNFINISHED = re.compile(r"\b(?:vorhaben|wissen|meinen|glauben|planen|sicher sind)$")
_TO_END = re.compile(r" zu \w+en?$|zu\w+en$")
_ADDS = re.compile(
    r"\b(?:dann|also|jedoch|aber|daher|außerdem|auch|zudem|nun|somit|allerdings|trotzdem|dennoch|natürlich)\b"
)
"""In a statement that adds to the sentences before it."""
_LINKED = re.compile(
    r" (?:(?:(?:nur|erst|immer) )?dann|also|jedoch|aber|daher|außerdem|zudem|nun|somit|allerdings|natürlich)\b"
)
_CONCEDES = re.compile(r"\b(?:auch|trotzdem|dennoch|sogar|noch|selbst|zwar)\b")
"""In a statement that is true in other cases as well."""
_IS_A = re.compile(r"(?:ist|sind|war) (?:(?:eine?|der|die|das) )?(?:[a-zäöüß-]+ ){0,2}[A-ZÄÖÜ][\w-]+")
"""'is a technology': its purpose is a part of what it is."""
_ADDITION = re.compile(
    r", (?:da|weil|denn|sodass|so dass|wobei|obwohl|aber|sondern|doch|wodurch|womit|und \w+ (?:ist|kann|wird)|was"
    r"|z\. ?B\.|wie)\b"
)
_LEAST_ASKED = 5
_CASE_WORDS = range(3, 22)
_MAIN_WORDS = range(3, 24)


@dataclass(frozen=True)
class Statement:
    """A main clause: what precedes its verb, the verb and the rest without the full stop."""

    subject: str
    verb: str
    rest: str

    @property
    def lowered(self) -> str:
        """The subject after the head of the sentence."""
        return re.sub(rf"^(?:{_DETERMINER}|Man)\b", lambda match: match[0].lower(), self.subject)

    @property
    def inverted(self) -> str:
        return f"{self.verb} {self.lowered} {self.rest}"


def stands(text: str) -> bool:
    """Whether a part of a sentence has no word for something outside it."""
    return _POINTS.search(text) is None


def split_statement(text: str) -> Statement | None:
    """The parts of a main clause that begins with its subject; None where they are ambiguous."""
    if match := _AFTER_PHRASE.fullmatch(text):
        return Statement(match["subject"][0].lower() + match["subject"][1:], match["verb"], match["rest"])
    match = _STATEMENT.fullmatch(text)
    if match is None or not match["rest"].strip() or match["subject"].split()[0] in {"Sie", "Wenn", "Um", "Da"}:
        return None
    return Statement(match["subject"], match["verb"], match["rest"])


def find_clauses(text: str, split: Callable[[str], Statement | None]) -> Iterator[Found]:
    """All clauses of a sentence; `split` finds the parts of a statement."""
    found = [*_cases(text), *_tails(text, split)]
    yield from found
    if not found:
        yield from _loose(text)


def _cases(text: str) -> Iterator[Found]:
    aim, cause = _AIM.fullmatch(text), _CAUSE.fullmatch(text)
    after = _TO_AIM.fullmatch(text)
    match = aim or cause or after or _CASE.fullmatch(text)
    if match is None:
        return
    given, main = match["given"], cut_additions(match["main"])
    if after:
        aim, main = after, main[0].lower() + main[1:]
    if (
        not FINITE.match(main)
        or not (aim or _ENDS.fullmatch(given))
        or _REFERENCE.search(main)
        or _EXPLETIVE.match(main)
    ):
        return
    if (
        _LINKS.search(given)
        or len(given.split()) not in _CASE_WORDS
        or len(main.split()) not in _MAIN_WORDS
        or not stands(given)
    ):
        return
    order = _ORDER.match(main)
    if order and _NO_ORDER.match(main):
        return
    if aim:
        if not order and stands(main) and _is_whole(answer := f"um {given}"):
            named = _DEFINITE.search(main) is None
            yield Found("purpose", answer, _aim(answer), _asked("Wozu", main), main, 2.5, titled=not named)
        if order and stands(main) and not _ADDS.search(main):
            modal = "können Sie tun" if (order["modal"] or order["one"]) in _MAY else "ist zu tun"
            yield Found("instruction", main, _form(order), f"Was {modal}, um {given}?", given, 2.8)
        return
    word = match["word"].lower()
    kind, asked = _ASKED[word]
    titled = _PRESSED.search(given) is not None or _DEFINITE.search(given) is not None
    if not cause and stands(main):
        if order:
            may = (order["modal"] or order["one"]) in _MAY
            stem = f"Was {'können Sie tun' if may else 'ist zu tun'}, {word} {given}?"
            # What else can be done at that time is open.
            open_ = (may and kind == "time") or _ADDS.search(main)
            yield Found("instruction", main, _form(order), "" if open_ else stem, given, 2.8, titled=titled)
        else:
            adds = _ADDS.search(main) or _WISH.search(given) or not _is_whole(f"{word} {given}")
            stem = "" if adds else f"Was geschieht, {word} {given}?"
            yield Found("consequence", main, (), stem, given, 2.7, titled=titled)
    if stands(main) and not order and _is_whole(answer := f"{word} {given}"):
        yield Found(kind, answer, (), _asked(asked, main), main, 2.5, titled=_DEFINITE.search(main) is not None)


def _is_whole(answer: str) -> bool:
    """Whether a subordinate clause has its verb and is understood by itself."""
    word = answer.split()[0]
    ends = _TO_END.search(answer) if word == "um" else _ENDS.fullmatch(answer)
    return (
        ends is not None
        and len(answer.split()) in _CASE_WORDS
        and stands(answer)
        and not any(pattern.search(answer) for pattern in (_LINKS, _UNFINISHED, _CUT, _ADVERB))
    )


def _form(order: re.Match[str]) -> tuple[str]:
    """Whether an instruction is an imperative, a duty or a possibility."""
    modal = order["modal"] or order["one"]
    return ("" if not modal else "may" if modal in _MAY else "must",)


def _aim(answer: str) -> tuple[str, ...]:
    """Aims with an infinitive and aims with a verb of their own differ in form."""
    return ("um",) if answer.startswith("um ") else ()


def _loose(text: str) -> Iterator[Found]:
    """What happens, or what to do, without a case: wrong options."""
    for clause in _SUBORDINATES.finditer(text):
        answer = clause[0][0].lower() + clause[0][1:]
        if _is_whole(answer):
            kind = _ASKED[clause["word"].lower()][0]
            yield Found(kind, answer, _aim(answer), near=LOOSE)
    match = _FRONTED.fullmatch(text) or _CASE.fullmatch(text)
    main = cut_additions(match["main"] if match else text[0].lower() + text[1:-1])
    if ";" in main:
        return
    if len(main.split()) in _MAIN_WORDS and stands(main) and not _REFERENCE.search(main) and not _EXPLETIVE.match(main):
        if order := _ORDER.match(main):
            if not _NO_ORDER.match(main) and not _ADDS.search(main):
                yield Found("instruction", main, _form(order), near=LOOSE)
        elif match and FINITE.match(main) and not _ADDS.search(main):
            yield Found("consequence", main, near=LOOSE)


def _tails(text: str, split: Callable[[str], Statement | None]) -> Iterator[Found]:
    """A clause at the end: its main clause must be one whose verb is certain."""
    match = _TAIL.fullmatch(text)
    if match is None:
        return
    word, answer = match["word"], match["answer"]
    kind, asked = _ASKED[word]
    if kind == "purpose" and re.search(r",|\bnicht\b|\bkeine?\b", match["main"]):
        return  # it may belong to the relative clause before it
    if not _is_whole(answer):
        return
    addressed = _ADDRESSED.fullmatch(match["main"])
    statement = (
        Statement(addressed["subject"], *addressed.group("verb", "rest")) if addressed else split(f"{match['main']}.")
    )
    stem = ""
    if (
        statement
        and not _is_vague(statement.subject)
        and stands(match["main"])
        and not re.search(r"\b(?:nur|auch|selbst|so|vor allem|insbesondere)$", match["main"])
        and not (kind == "purpose" and _IS_A.fullmatch(f"{statement.verb} {statement.rest}"))
    ):
        stem = _asked(asked, statement.inverted)
    titled = _DEFINITE.search(match["main"]) is not None
    yield Found(kind, answer, _aim(answer), stem, match["main"], 2.5, titled=titled)


def _asked(word: str, main: str) -> str:
    """A question for the case, reason or aim of a statement, without what links it to the sentences before it."""
    told = _LINKED.sub("", main)
    return "" if _CONCEDES.search(main) or len(told.split()) < _LEAST_ASKED else f"{word} {told}?"


def cut_additions(main: str) -> str:
    """A clause without additions at its end; empty where one may be in its middle."""
    short, *rest = _ADDITION.split(main, maxsplit=1)
    return "" if rest and "," in rest[0] else short


def _is_vague(subject: str) -> bool:
    return _VAGUE.fullmatch(subject) is not None
