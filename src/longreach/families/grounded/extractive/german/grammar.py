"""German statements: subject, verb and rest; and words that refer outside a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["FINITE", "Statement", "has_verb", "split_statement", "stands"]

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


def stands(text: str) -> bool:
    """Whether a part of a sentence has no word for something outside it."""
    return _POINTS.search(text) is None


def has_verb(text: str) -> bool:
    """Whether a text has one of the verbs that most statements have."""
    return re.search(rf"\b(?:{_AUX})\b", text) is not None


def split_statement(text: str) -> Statement | None:
    """The parts of a main clause that begins with its subject; None where they are ambiguous."""
    if match := _AFTER_PHRASE.fullmatch(text):
        return Statement(match["subject"][0].lower() + match["subject"][1:], match["verb"], match["rest"])
    match = _STATEMENT.fullmatch(text)
    if match is None or not match["rest"].strip() or match["subject"].split()[0] in {"Sie", "Wenn", "Um", "Da"}:
        return None
    return Statement(match["subject"], match["verb"], match["rest"])
