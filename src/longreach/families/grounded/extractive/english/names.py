"""Names of a document: which runs of capitals are names, and the kind of each."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ..wordsets import word_set
from .persons import HONORIFICS, Persons, own_words
from .speech import SAYS
from .words import Token, is_word

__all__ = ["HONORIFICS", "NameTable", "name_runs", "run_text"]

_SAYS = word_set(SAYS)
_SPEAKS = _SAYS | word_set(
    "thought smiled nodded laughed wrote writes felt knew told believes believed argued added continued sat stood "
    "walked looked turned took saw went spoke died married wondered wished began returned heard"
)
_PLACE_BEFORE = word_set("in at from near to through into toward towards around across outside inside")
_PLACE_WORDS = word_set(
    "street river city county island islands lake mount mountain mountains valley bay ocean sea square road "
    "bridge hall park house castle harbor harbour cape creek fort port hill hills avenue region province state "
    "states territory baths abbey court lane"
)
_GROUP_WORDS = word_set(
    "inc inc. company committee university foundation department project court senate congress house corporation "
    "corp corp. ltd. ltd group association bank board bureau commission society institute party army navy team "
    "conference council league union consortium ministry office agency parliament alliance"
)
_INNER = word_set("of the de la von van del du der")
_NOT_NAMES = word_set(
    "i monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december god lord sir madam note see section chapter figure table appendix jan feb mar "
    "apr jun jul aug sep sept oct nov dec english chapter ok yes no o oh internet web the this that these if in on at "
    "by for when while as so but and or not it he she they we you then there here what who which where why how all any "
    "each every some most "
    "whoever whatever however whenever perhaps probably certainly well why copyright reserved "
    "rights license version table figure example examples warning tip todo"
)
_BENT = re.compile(r"['’](?:s|ve|m|ll|d|re|t|em)$", re.IGNORECASE)
_PEOPLE = re.compile(
    r"^(?:\w*(?:ican|alian|ssian|nadian|ndian)|German|French|English|Spanish|Dutch|Chinese|Yankee)s?$"
    r"|^(?:Irish|Scotch|English|French|German|Spanish|Dutch|Italian|American)\b|^[A-Z][a-z]+[a-z]man$"
)
"""Peoples and languages, which are adjectives as often as names; 'Irishman' is no name."""
_HIS = word_set("he him his himself")
_HER = word_set("she her hers herself")
_WOMAN = re.compile(r"(?:Mrs|Ms|Miss|Lady|Queen|Princess|Madame|Aunt|Sister|Mother)\b")
_MAN = re.compile(r"(?:Mr|Sir|Lord|King|Prince|Captain|Uncle|Brother|Father)\b")
_ADDRESS = 0.05
"""Deeds per occurrence of a name below which it is a form of address."""
_SHORT = 3
"""Letters that a name and its short form share."""
_NEAR = 12
"""Tokens after a name in which a pronoun votes for its sex."""
_DIFFERENT = frozenset({"Mr.", "Mrs.", "Miss", "Master"})
"""Titles of different people of one family."""
_ARTICLES = word_set("the a an this")
_ARTICLED = {False: 0.1, True: 0.3}
"""Share of its occurrences with `the` from which a name is no person's; more in narratives, with adjectives."""
_VOTES = 2
_HEROES = 5
"""Deeds from which a word is a name, whatever else it means: 'Frank', 'Sunday'."""
_SHARE = 0.5


def name_runs(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Runs of capitalised words, as start and end token indices."""
    place = 0
    while place < len(tokens):
        if not _capital(tokens[place]):
            place += 1
            continue
        start = place
        place += 1
        while place < len(tokens):
            if _capital(tokens[place]) and _adjoins(tokens[place - 1], tokens[place]):
                place += 1
            elif (
                tokens[place].low in _INNER
                and place + 1 < len(tokens)
                and (
                    _capital(tokens[place + 1])
                    or (tokens[place + 1].low == "the" and place + 2 < len(tokens) and _capital(tokens[place + 2]))
                )
                and tokens[place].low != "the"
            ):
                place += 2 if _capital(tokens[place + 1]) else 3
            else:
                break
        end = place
        if start == 0 and end - start > 1 and not tokens[0].may("NAME") and tokens[0].low not in HONORIFICS:
            start += 1  # 'When Harriet' is Harriet
        yield start, end


_WHERE = word_set("in on over across through into")
_FEW, _OFTEN_WHERE = 3, 0.15
"""Words before a place, and from what share of them a name is one."""


class NameTable:
    """Names of a document with their kinds, decided by all their contexts."""

    def __init__(self, sentences: Iterable[tuple[Sequence[Token], bool]], lower: set[str], *, narrative: bool) -> None:
        """From sentences, each with whether it is narrated: no speech, no heading."""
        self._lower = lower
        self.narrative = narrative
        inside: Counter[str] = Counter()
        articles: Counter[str] = Counter()
        described: Counter[str] = Counter()
        agents: Counter[str] = Counter()
        votes: dict[str, Counter[str]] = defaultdict(Counter)
        sexes: dict[str, Counter[bool]] = defaultdict(Counter)
        deeds: Counter[str] = Counter()
        placed: Counter[str] = Counter()
        for tokens, narrated in sentences:
            for start, end in name_runs(tokens):
                text = run_text(tokens, start, end)
                if start:
                    inside[text] += 1
                    articles[text] += tokens[start - 1].low == "the"
                    placed[text] += tokens[start - 1].low in _WHERE
                    described[text] += _has_article(tokens, start)
                after = next((token.low for token in tokens[end : end + _NEAR] if token.low in _HIS | _HER), "")
                if after and not tokens[end - 1].text.endswith(("'s", "’s")):
                    sexes[text][after in _HIS] += 1
                deeds[text] += narrated and _is_deed(tokens, start, end)
                for kind in _evidence(tokens, start, end):
                    votes[text][kind] += 1
                if end < len(tokens) and tokens[end].may("AUX", "VBZ", "VBD") and not tokens[end].may("N", "NS", "ADJ"):
                    agents[text] += 1
                    if narrative and tokens[end].may("VBD"):
                        votes[text]["person"] += 1
        self._inside, self._articles, self._votes, self._agents = inside, articles, votes, agents
        self._sexes = sexes
        self._described = described if narrative else articles
        families: dict[str, set[str]] = defaultdict(set)
        for text in inside:
            words = text.split()
            if len(words) == 2 and words[0].casefold() not in HONORIFICS | (lower if narrative else set()):
                families[words[1]].add(words[0])
        self._families = {name for name, members in families.items() if len(members) > 1}
        self._full = [own for text in inside if " of " not in text and len(own := set(own_words(text))) > 1]
        self._deeds = deeds
        self._places = {text for text, times in placed.items() if times > max(_FEW, _OFTEN_WHERE * inside[text])}

    @cached_property
    def persons(self) -> Persons:
        """The persons of a narrative."""
        found = {
            text: count for text, count in self._inside.items() if self.is_name(text) and self.kind(text) == "person"
        }
        return Persons(found, self._deeds)

    def is_name(self, text: str) -> bool:
        """Whether a run occurs inside sentences, and its words are not ordinary ones with a capital."""
        words = text.split()
        if text.endswith("ing") and text.casefold() in self._lower:
            return False  # 'Having' begins many sentences
        if self._is_hero(text):
            return True
        if self._inside[text] < 1 or len(text) < 3 or len(words) > 5 or text in self._families:
            return False  # a family name alone is ambiguous
        if text.startswith("St. ") or (text.endswith("s") and self._inside[text[:-1]] > 1):
            return False  # a church or a parish more often than a person, and the Grantlys
        if len(words) > 2 and self._inside[text] == 1 and self._inside[" ".join(words[:-1])] > 2:
            return False  # with the next word of a heading
        if _PEOPLE.search(text) or (len(words) == 1 and text.endswith("ly") and is_word(text.casefold())):
            return False
        titled = len(words) > 1 and words[0].casefold() in HONORIFICS
        if (
            len(words) > 1
            and words[0].casefold() in self._lower
            and self._inside[" ".join(words[1:])]
            and not (titled or self._is_hero(words[0]))
        ):
            return False  # 'Old Dubosc' is Dubosc
        own = words[titled:]
        if any(word.casefold().rstrip(".") in _NOT_NAMES for word in own if word[0].isupper()) or "/" in text:
            return False
        if self.narrative and len(own[-1].rstrip(".")) == 1:
            return False  # 'Mary M--'
        if any(word.isupper() and len(word) > 3 and (len(words) > 1 or is_word(word.casefold())) for word in words):
            return False  # all capitals
        if words[-1].casefold() in HONORIFICS or any(_BENT.search(word) for word in words):
            return False
        if titled and self.narrative:
            # 'Father Brown', but not 'the Lord Mayor', nor a form of address for somebody who acts under another name.
            address = words[0] == "Miss" and self._deeds[text] < _ADDRESS * self._inside[text]
            return not address and not self._is_thing(text)
        if self.narrative and len(words) == 1 and is_word(text.casefold()) and self._agents[text] < _VOTES:
            return False  # 'Unions'
        return any(
            word.casefold().removesuffix("s") not in self._lower and word.casefold() not in self._lower
            for word in words
            if word[0].isupper()
        )

    def _is_hero(self, text: str) -> bool:
        """Whether a word does so much in a narrative that it is a name, in whatever sense it is used besides."""
        acts = self.narrative and " " not in text and min(self._deeds[text], self._inside[text]) >= _HEROES
        if text == "I.":
            return False  # at the end of a sentence
        return acts and not self._is_thing(text) and text.casefold() not in HONORIFICS and not _BENT.search(text)

    def _is_thing(self, text: str) -> bool:
        """Whether a name has an article too often for a person: a newspaper, a ship, 'the subtle Celt'."""
        return self._described[text] > _ARTICLED[self.narrative] * self._inside[text]

    def kind(self, text: str) -> str:
        """`person`, `place`, `group`, or `thing` where there is no evidence."""
        words = [word.casefold() for word in text.split()]
        if words[0] in HONORIFICS:
            return "person"
        if text in self._places:
            return "place"
        if self._is_hero(text):
            return "person"
        if self._is_thing(text):
            return "thing"
        if words[-1] in _PLACE_WORDS:
            return "place"
        if set(words) & _GROUP_WORDS:
            return "group"
        votes = self._votes[text]
        # A longer name inherits what is known of its parts: 'Emma Woodhouse' of 'Emma'.
        for part in text.split():
            if part != text:
                votes = votes + self._votes[part]
        if votes["person"]:
            votes = votes + Counter(person=votes["owner"])
        votes = Counter({kind: count for kind, count in votes.items() if kind != "owner"})
        if not votes:
            return "thing"
        kind, count = votes.most_common(1)[0]
        return kind if count >= _VOTES and count > _SHARE * votes.total() else "thing"

    def one_person(self, one: str, other: str) -> bool:
        """Whether two names may be of one person: a word of each is in a longer name."""
        if one.split()[0] != other.split()[0] and {one.split()[0], other.split()[0]} <= _DIFFERENT:
            return False
        mine, theirs = set(own_words(one)), set(own_words(other))
        if {word[:_SHORT] for word in mine} & {word[:_SHORT] for word in theirs}:
            return True  # 'Frank' and 'Francis'
        return any(mine & full and theirs & full for full in self._full)

    def ruled_out(self, question: str, name: str) -> bool:
        """Whether a question excludes a name: the person is in it, or a pronoun that does not fit the title or the
        pronouns that follow the name.
        """
        if self.narrative and set(own_words(self.persons.who(name))) & set(re.findall(r"\w+", question)):
            return True
        if "“" in question:
            return False
        words = set(re.findall(r"[a-z]+", question.casefold()))
        male, female = bool(words & _HIS), bool(words & _HER)
        if male and female:
            return True  # which of them is the subject's is not clear
        if male == female:
            return False
        if (male and _WOMAN.match(name)) or (female and _MAN.match(name)):
            return True
        if (male and _MAN.match(name)) or (female and _WOMAN.match(name)):
            return False
        votes = sum((self._sexes[part] for part in {name, name.split()[0]}), Counter[bool]())
        return votes[male] <= 2 * votes[female]

    def article(self, text: str) -> bool:
        """Whether a name is used with `the`."""
        return 2 * self._articles[text] > self._inside[text]

    def acts(self, text: str) -> bool:
        """Whether a name is ever a subject; in a narrative, whether a person does or says something."""
        return self.persons.acts(text) if self.narrative else self._agents[text] > 0

    def often(self, text: str) -> int:
        """How many times a name stands inside sentences."""
        return self._inside[text]


def run_text(tokens: Sequence[Token], start: int, end: int) -> str:
    """A run as it is written, without a possessive ending."""
    text = " ".join(token.text for token in tokens[start:end])
    return text.removesuffix("'s").removesuffix("’s")


def _capital(token: Token) -> bool:
    return (
        token.text[0].isupper() and token.may("NAME", "CAP", "N", "NS", "ADJ", "VB", "VBG") and not token.may("PUNCT")
    )


def _has_article(tokens: Sequence[Token], start: int) -> bool:
    """Whether a name has an article, with or without an adjective between them."""
    before = tokens[start - 1]
    adjective = start > 1 and before.may("ADJ") and not before.may("PREP", "CONJ", "SUB", "VBD", "AUX")
    return before.low in _ARTICLES or (adjective and tokens[start - 2].low in _ARTICLES)


def _adjoins(one: Token, other: Token) -> bool:
    return other.start - one.end == 1


def _is_deed(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a name outside quotations is the subject of a verb in the past, or of one of saying."""
    if sum(token.text in {"“", "”", '"'} for token in tokens[:start]) % 2:
        return False
    after = next((token for token in tokens[end : end + 3] if not token.may("ADV") or token.may("VBD")), None)
    return (after is not None and after.may("VBD")) or (start > 0 and tokens[start - 1].low in _SAYS)


def _evidence(tokens: Sequence[Token], start: int, end: int) -> Iterator[str]:
    before = tokens[start - 1].low if start else ""
    after = tokens[end] if end < len(tokens) else None
    if tokens[start].low in HONORIFICS or before in HONORIFICS:
        yield "person"
    if after is not None and (after.low in _SPEAKS or after.low in {"who", "whose", "himself", "herself"}):
        yield "person"
    if before in _SAYS and (start == 1 or tokens[start - 2].text in {'"', "”", ","}):
        yield "person"
        yield "person"
    if tokens[end - 1].text.endswith(("'s", "’s")):
        yield "owner" if before not in _PLACE_BEFORE else "place"
    if before in _PLACE_BEFORE and (after is None or not after.may("AUX", "VBD", "VBZ")):
        yield "place" if before in {"in", "at", "near", "through", "into"} else "other"
