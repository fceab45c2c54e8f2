"""English words: their possible parts of speech, and the forms of verbs, from lemminflect's dictionary."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ..wordsets import word_set

__all__ = [
    "AUXILIARIES",
    "BE",
    "DETERMINERS",
    "HAVE",
    "MODALS",
    "PREPOSITIONS",
    "TYPES",
    "Token",
    "base_form",
    "content_words",
    "is_word",
    "tokenize",
]


BE = word_set("is are was were")
HAVE = word_set("has have had")
MODALS = word_set("will would shall should can could may might must cannot")
AUXILIARIES = BE | HAVE | MODALS | word_set("do does did")
DETERMINERS = word_set(
    "a an the each every any no all some most many several few both either neither two three four five six"
)
PREPOSITIONS = word_set(
    "of in on at to for from by with without under over between among against through into onto upon within during "
    "after before since until about across around behind beside beyond despite inside near outside per toward towards "
    "via as above below throughout"
)
TYPES = word_set(
    "option function module class method command directive package file header field attribute variable parameter "
    "program script tool utility library protocol constant keyword operator statement type exception error flag "
    "property macro environment extension table view column index setting signal subcommand daemon service server "
    "language format system feature clause mode key element tag hook target action routine interface structure"
)
"""Nouns for a name or a piece of code: 'the --quiet option'."""
_FUNCTION = {
    "DET": DETERMINERS | word_set("this that these those such another other its their his her our my your whose which"),
    "PREP": PREPOSITIONS,
    "CONJ": word_set("and or but nor yet so than"),
    "SUB": word_set(
        "that which who whom whose when where while if because although though unless whether since as until"
    ),
    "PRON": word_set(
        "i we you he she it they me us him her them this that these those one ones who what itself themselves himself "
        "herself others none nothing something anything everything everyone anyone someone nobody there"
    ),
    "NOT": word_set("not never"),
}
_CODE = re.compile(
    r"--?[a-zA-Z][\w-]*|~?/[\w.+~-]+(?:/[\w.+~*-]*)*|[A-Za-z_][\w.]*\(\)|\w+(?:[._:]\w+)+|[a-z]+[A-Z]\w*"
    r"|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|\w*_\w+|[a-z]+-[a-z]+-[a-z-]+|\.[a-z]\w*|[A-Za-z]+\d\w*"
)
_TOKEN = re.compile(
    r"--?[A-Za-z][\w-]*(?:=\S*\w)?|~?/(?:[\w.+~*-]+/)*[\w.+~*-]*[\w+~*-]/?|[$£€]\d+(?:,\d{3})*(?:\.\d+)?"
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?%?|\d+(?:\.\d+)?%?(?![\w-])"
    r"|(?:Mr|Mrs|Ms|Dr|St|Gen|Col|Capt|Prof|Rev|Hon|Messrs|Jr|Sr|Inc|Ltd|Co|Corp|No|vs|etc|e\.g|i\.e|U\.S|[A-Z])\.(?=\s|,)"
    r"|\w+(?:[.:]\w+)*\(\)|\w+(?:(?:['’.:/&+_-]|::)\w+)*(?:\+\+|#)?|[^\w\s]"
)
_EMPTY = word_set(
    "a an the of in on at to for from by with and or but not no nor so yet as than that which who whom whose what "
    "when where why how is are was were be been being do does did done has have had having can could will would "
    "shall should may might must if then it its he him his she her they them their we us our you your i my me "
    "this these those such there here all any some each every both either neither more most many much few other "
    "another only own same too very just also into onto over under out up down off about above below after before "
    "between through during until while because since unless although though against among within without upon "
    "per via use uses used using"
)
_CONTENT = re.compile(r"\d[\d,.]*\d|\d|[^\W\d_][\w'’-]+")


@dataclass(frozen=True)
class Token:
    """A word of a sentence with all its possible parts of speech."""

    text: str
    start: int
    tags: frozenset[str]
    """N, NS (plural), NAME, CODE, NUM, ADJ, ADV, VB, VBZ, VBD, VBN, VBG, AUX, DET, PREP, CONJ, SUB, PRON, NOT or
    PUNCT; CAP where only the head of the sentence may have given the capital."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def low(self) -> str:
        return self.text.casefold()

    def may(self, *tags: str) -> bool:
        return not self.tags.isdisjoint(tags)

    @property
    def nominal(self) -> bool:
        return not self.tags.isdisjoint({"N", "NS", "NAME", "CODE", "NUM"})


def tokenize(text: str) -> list[Token]:
    """The words and marks of a sentence."""
    return [Token(match[0], match.start(), _tags(match[0], match.start() == 0)) for match in _TOKEN.finditer(text)]


def content_words(text: str) -> frozenset[str]:
    """The words that carry the meaning of a text, by their stems."""
    return frozenset(_stem(word.casefold()) for word in _CONTENT.findall(text) if word.casefold() not in _EMPTY)


def is_word(word: str) -> bool:
    """Whether the dictionary knows a word."""
    return bool(_lemmas(word))


def base_form(verb: str) -> str:
    """The infinitive of a verb form."""
    return _verb_lemma(verb.casefold())


@cache
def _stem(word: str) -> str:
    word = word.replace("’", "'").removesuffix("'s")
    lemmas = _lemmas(word)
    return lemmas.get("VERB", lemmas.get("NOUN", (word,)))[0] if lemmas else word


@cache
def _lemmas(word: str) -> dict[str, tuple[str, ...]]:
    from lemminflect import getAllLemmas

    return dict(getAllLemmas(word)) if word.isalpha() else {}


@cache
def _verb_lemma(word: str) -> str:
    return _lemmas(word).get("VERB", ("",))[0]


@cache
def _tags(word: str, first: bool) -> frozenset[str]:
    low = word.casefold()
    if not any(character.isalnum() for character in word):
        return frozenset({"PUNCT"})
    if word[0].isdigit() or word[0] in "$£€":
        return frozenset({"NUM"})
    tags = {tag for tag, words in _FUNCTION.items() if low in words}
    if low in AUXILIARIES:
        return frozenset({"AUX"})
    if tags and not (word.isupper() and len(word) > 2):
        return frozenset(tags)
    if _CODE.fullmatch(word):
        return frozenset({"CODE"})
    tags |= _dictionary_tags(low)
    if word[0].isupper():
        if not first or not tags or (word.isupper() and len(word) > 1):
            tags = {"NAME"} if not first or not tags else tags | {"NAME"}
        else:
            tags |= {"CAP"}
    if not tags:
        tags = {"ADV"} if low.endswith("ly") else {"N"}
    if "-" in word and word.islower():
        tags |= {"ADJ"}
    return frozenset(tags)


def _dictionary_tags(low: str) -> set[str]:
    from lemminflect import getAllInflections

    tags: set[str] = set()
    lemmas = _lemmas(low)
    for noun in lemmas.get("NOUN", ()):
        tags.add("N" if noun == low else "NS")
    if lemmas.get("ADJ"):
        tags.add("ADJ")
    if lemmas.get("ADV"):
        tags.add("ADV")
    for verb in lemmas.get("VERB", ()):
        forms = getAllInflections(verb, upos="VERB")
        for tag in ("VBZ", "VBD", "VBN", "VBG"):
            if low in forms.get(tag, ()):
                tags.add(tag)
        if low in forms.get("VBD", ()) and "VBN" not in forms:
            tags.add("VBN")
        if low == verb:
            tags.add("VB")
    return tags
