"""What a question asks for, and what an answer adds to its words: the value that it fills in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from rapidfuzz import fuzz, process

from longreach.core.language import ONES, TEENS, TENS

from .values.clarity import SENTENCE_MARKS
from .values.times import MONTHS
from .values.words import ARTICLES, Patterns, Reading, read, singular, word_set

_ASKS = word_set("who whom whose what which when where why how")
AUXILIARIES = word_set(
    "is are was were am be been being do does did have has had having can could will would shall should may might must"
)
_CLAUSE_WORDS = word_set("who whom whose which where that because since as while when whereas though for being having")
_FUNCTION = (
    ARTICLES
    | _ASKS
    | AUXILIARIES
    | word_set(
        "i you he she it we they me him her us them my your his its our their this that these those there here one "
        "in on at of to by for from with into onto under over about as than upon through during until within and or "
        "but so then also just only both each all any some very too own same such up out off s o'clock not no yes "
        "mr mrs miss ms dr sir lady answer question according text story passage respectively because since while if"
    )
)
_VERBS = {form: forms[0] for forms in Patterns("irregular_verbs").lines("verbs") for form in forms}
_SEQUENCE = word_set("then later afterwards afterward")
_CONCLUDES = word_set("so thus hence therefore = → makes make gives total altogether 共 即")
_RELATIVE = word_set("who whom whose which")
_OUT_OF = word_set("of out from after at until when")
_JOINTS = word_set("and or to then plus minus - / & + × 和 或 至 到 与 及")
_NO_NAMES = word_set(
    "sorry unfortunately yes no not none nothing nobody nowhere never somewhere anywhere someone somebody anyone home "
    "sure certainly okay ok hello thanks indeed correct right actually well note "
    "abroad upstairs downstairs outside inside elsewhere unknown maybe perhaps neither either since because based"
)
_TIMES = word_set("time date day year month hour")
_COMPANY = word_set("with under by beside")
_AT = word_set("in at of by from with to")
_VAGUE = word_set(
    "both all same every each equal pair couple half twice double several few many day eve dusk dawn night"
)
_VALUES = (*ONES, *TEENS, *TENS, *(month.lower() for month in MONTHS), "hundred", "thousand", "dozen")
_LIKE = 75.0
"""Similarity (of 100) from which a word may be another spelling of the key's."""
_BESIDE = 2
_SENTENCE = 9

Span = tuple[int, int]


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A word without its ending, accurate enough to find a question's words in an answer."""
    base = singular(_VERBS.get(word, word))
    for ending in ("ing", "ed"):
        if base == word and len(word) > len(ending) + 2 and word.endswith(ending):
            base = word.removesuffix(ending)
    base = base.removesuffix("e")
    return base[:-1] if len(base) > 3 and base[-1] == base[-2] else base


def content(reading: Reading) -> list[int]:
    """The tokens that carry meaning: no marks, no function words."""
    return [at for at, token in enumerate(reading.tokens) if token.kind != "mark" and token.word not in _FUNCTION]


@dataclass(frozen=True)
class AskedQuestion:
    """A question, as far as it shows what would be an answer to it."""

    reading: Reading

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(stem(token.word) for token in self.reading.tokens if token.kind != "mark")

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(token.word for token in self.reading.tokens)

    @cached_property
    def is_polar(self) -> bool:
        """Whether it asks for a yes or a no."""
        return self.reading.word(0) in AUXILIARIES

    @cached_property
    def wants(self) -> Literal["name", "number", "time", "anything"]:
        """The kind of what it asks for: a name, a number, a time or date, or a thing that may be any of them."""
        words = [token.word for token in self.reading.tokens]
        at = next((at for at, word in enumerate(words) if word in _ASKS), 0)
        if words[at : at + 1] in (["who"], ["whom"], ["whose"], ["where"]):
            return "name"
        if words[at : at + 1] == ["when"] or _TIMES & {*words[at + 1 : at + 2]}:
            return "time"
        return "number" if words[at : at + 1] == ["how"] else "anything"

    @cached_property
    def options(self) -> bool:
        """Whether it offers names to choose from: those are values, not its own words."""
        return any(token.word == "or" for token in self.reading.tokens) and not self.is_polar

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(
            self.reading.tokens[at].word for span in names_in(self.reading, self.stems) for at in range(*span)
        )

    @cached_property
    def subject(self) -> frozenset[str]:
        """The name of whom it asks what they did: "Ada" of "From whom did Ada take it"."""
        tokens = self.reading.tokens
        did = next((at for at, token in enumerate(tokens) if token.word in {"did", "do", "does"}), len(tokens))
        name = next((span for span in names_in(self.reading) if span[0] > did), (0, 0))
        return frozenset(tokens[at].word for at in range(*name))

    @cached_property
    def lead(self) -> str:
        """The preposition before its question word: "from" of "From whom did he take it"."""
        words = [token.word for token in self.reading.tokens[:2]]
        return words[0] if len(words) > 1 and words[1] in _ASKS and words[0] not in _ASKS else ""

    @cached_property
    def verb(self) -> str:
        """The verb after "who" where that is its subject: "gave" of "Who gave the clock to Ada", "Who had given it"."""
        at = 2 if self.reading.word(1) in AUXILIARIES else 1
        asks_who = self.reading.word(0) == "who" and at < len(self.reading.tokens)
        plain = asks_who and not self.reading.tokens[at].capital and self.reading.word(at) not in _FUNCTION
        return stem(self.reading.word(at)) if plain else ""

    @cached_property
    def place(self) -> bool:
        """Whether it asks for one of several in a row: the first, the last."""
        return bool(self.stems & {"first", "last", "next", "second"})

    def adds(self, answer: Reading) -> list[int]:
        """The words of an answer that carry meaning and are not the question's."""
        return [at for at in content(answer) if stem(answer.tokens[at].word) not in self.stems]

    def repeats(self, answer: Reading) -> bool:
        """Whether an answer says the question's words again and nothing else."""
        said = content(answer)
        return len(said) >= _BESIDE and bool(self.stems) and not self.adds(answer)

    def gives(self, name: Reading) -> bool:
        """Whether it names somebody or something itself, and does not offer it as an answer."""
        return not self.options and self.names.issuperset(name.words(0, len(name.tokens)))

    def is_filled_otherwise(self, answer: Reading) -> bool:
        """Whether an answer says the question's words again and fills in plain words, or says a whole sentence without
        them; none of which may be a value in another spelling or a holiday."""
        adds = self.adds(answer)
        beside = len(adds) == len(content(answer)) >= _SENTENCE
        if not adds:  # only a name of the question
            return bool(content(answer)) and {answer.tokens[at].word for at in content(answer)} <= self.names
        if not (beside or len(content(answer)) - len(adds) >= _BESIDE):
            return False
        words = [answer.tokens[at] for at in adds]
        return not any(is_capital(answer, at) and answer.word(at - 1) not in _AT for at in adds) and not any(
            token.word in _VAGUE or process.extractOne(token.word, _VALUES, scorer=fuzz.ratio, score_cutoff=_LIKE)
            for token in words
        )

    def given_names(self, answer: Reading) -> list[Span]:
        """The names that an answer gives: those that the question does not name, its options, and its subject."""
        found = names_in(answer, self.stems)
        if self.reading.word(0) == "where":
            persons = {end for _, end in found if stem(answer.word(end)) in self.stems}
            found = [span for span in found if span[1] not in persons and answer.word(span[0] - 1) not in _COMPANY]
        return [
            (start, end)
            for start, end in found
            if self.options
            or (self.verb and stem(answer.word(end)) == self.verb)
            or any(answer.tokens[at].word not in self.names for at in range(start, end))
        ]


@lru_cache(maxsize=512)
def asked(question: str) -> AskedQuestion:
    return AskedQuestion(read(question))


def names_in(reading: Reading, known: frozenset[str] = frozenset()) -> list[Span]:
    """Runs of words with a capital. The first word of a sentence is a name where it stands alone or as a subject."""
    spans: list[Span] = []
    at = 0
    while at < len(reading.tokens):
        end = at
        while end < len(reading.tokens) and is_capital(reading, end):
            end += 1
            end += reading.word(end) == "." and len(reading.tokens[end - 1].raw) < 4 and is_capital(reading, end + 1)
        if end > at and (end - at > 1 or not _opens(reading, at) or _is_subject(reading, end, known)):
            spans.append((at, end))
        at = max(end, at + 1)
    return spans


def is_capital(reading: Reading, at: int) -> bool:
    """Whether a word has a capital and is no word of the grammar."""
    if not 0 <= at < len(reading.tokens) or not reading.tokens[at].capital:
        return False
    word = reading.tokens[at].word
    return word in {"mr", "mrs", "miss", "ms", "dr", "sir", "lady"} or word not in _FUNCTION | _NO_NAMES


def _opens(reading: Reading, at: int) -> bool:
    return at == 0 or reading.word(at - 1) in SENTENCE_MARKS or reading.tokens[at - 1].kind == "mark"


def _is_subject(reading: Reading, end: int, known: frozenset[str]) -> bool:
    """Whether a name ends before a mark, a verb of the question or an auxiliary."""
    if reading.tokens[end - 1].word.endswith("ly"):
        return False
    after = reading.word(end)
    marks = not after or after in SENTENCE_MARKS | {",", "(", ")", '"', "*", "]"}
    return marks or after in AUXILIARIES | {"and", "&"} or stem(after) in known


# Which of several values an answer gives.


class Value(NamedTuple):
    """Where an answer states a value, and whether it is the key's."""

    start: int
    end: int
    right: bool


def value_given(answer: Reading, values: Sequence[Value], question: AskedQuestion, *, named: bool) -> Value | None:
    """Which of several values, in their order, an answer gives as its own: that with which it concludes, that with
    which it begins, or that which stands where the question asks. None where that is not clear."""
    between = [(one.end, two.start) for one, two in pairwise(values)]
    concludes = [_concludes(answer, start, end, question) for start, end in [(0, values[0].start), *between]]
    if concludes[-1]:
        return values[-1]
    if any(concludes):
        return None
    slots = [value for value in values if named and _in_slot(answer, value, question)]
    if _heads(answer, values, question, named=named):
        return values[0] if not slots or any(value.right for value in slots) else None
    if not slots or len({value.right for value in slots}) > 1:
        return None
    told = slots[0].right and any(answer.word(at) in _RELATIVE for at in range(values[0].end, slots[0].start))
    return slots[0] if not told and (question.verb or slots[0].right) else None


def _concludes(answer: Reading, start: int, end: int, question: AskedQuestion) -> bool:
    """Whether "so", "=" or the like leads up to a value."""
    words = [answer.word(at) for at in range(start, end)]
    marks = [at for at, word in enumerate(words) if word in _CONCLUDES or words[at : at + 3] == ["i", ".", "e"]]
    marks = [] if marks and _RELATIVE & {*words[marks[-1] :]} else marks  # "80 in total, of which 27 were lost"
    return bool(marks) and not question.adds(answer.part(start + marks[-1] + 1, end).without(_CONCLUDES | {"e"}))


def _in_slot(answer: Reading, value: Value, question: AskedQuestion) -> bool:
    """Whether a name is where the question asks: before its verb, or after its preposition."""
    if question.verb:
        return stem(answer.word(value.end)) == question.verb
    return bool(question.lead) and answer.word(value.start - 1) == question.lead


def _heads(answer: Reading, values: Sequence[Value], question: AskedQuestion, *, named: bool) -> bool:
    """Whether an answer begins with the key's value and goes on to explain it."""
    start, end, right = values[0]
    before = answer.part(0, start)
    if not right or (content(before) if named else question.adds(before)) or end == len(answer.tokens):
        return False
    if {answer.word(end), answer.word(values[1].start - 1)} & _JOINTS or (
        values[1].start - end < _BESIDE and answer.word(end) in {",", "—"}
    ):
        return False
    rest = answer.part(end, len(answer.tokens))
    words = {token.word for token in rest.tokens}
    if any(token.kind == "han" for token in answer.tokens) or (words & _SEQUENCE and not question.place):
        return False
    opened = rest.tokens[0].kind == "mark" or rest.word(0) in _CLAUSE_WORDS
    opened = opened or (not named and (rest.word(0) in _OUT_OF or stem(rest.word(0)) in question.stems))
    return opened and sum(token.kind != "mark" for token in rest.tokens) >= _BESIDE + values[1].end - values[1].start


# Whether a value may be another spelling of the key's.


def near(answer: Reading, places: Sequence[int], key: Reading) -> bool:
    """Whether words of an answer may be the key's in another spelling, shortened, or only some of them."""
    own = [token.word for at in content(key) if (token := key.tokens[at])] or [token.word for token in key.tokens]
    said = [answer.tokens[at].word for at in places]
    if fuzz.ratio("".join(own), "".join(said)) >= _LIKE:
        return True
    return any(_like(one, two) for one in said for two in own)


def _like(one: str, two: str) -> bool:
    short, long = sorted((one, two), key=len)
    if stem(one) == stem(two) or (len(short) > 2 and short in long):
        return True
    shared = len(short) > 4 and stem(short)[:4] == stem(long)[:4] and len(long) - len(short) > 2
    return len(short) > 3 and (fuzz.ratio(one, two) >= _LIKE or (shared and fuzz.ratio(one, two) >= 60))


# Questions for a yes or a no, answered with a statement.

_NEGATIONS = word_set("not never no")


def restated(answer: Reading, question: AskedQuestion) -> bool | None:
    """True where an answer states what a question asks, in its words, False where it denies that or states it the other
    way round ("Ben was taller than Ada"); None for everything else."""
    own = [stem(question.reading.word(at)) for at in content(question.reading)]
    said = [stem(answer.word(at)) for at in content(answer)]
    named = {stem(name) for name in question.names}
    if not question.is_polar or not said or not set(own) - named <= set(said) <= set(own):
        return None
    denied = sum(token.word in _NEGATIONS for token in answer.tokens) % 2 == 1
    rest = iter(own)
    if all(word in rest for word in said):
        return not denied
    sides = [_sides(each) for each in (question.reading, answer)]
    if any(not left or not right for left, right in sides) or denied:
        return None
    (left, right), (one, two) = [(a & named, b & named) for a, b in sides]
    return False if one and two and one <= right - left and two <= left - right else None


def _sides(reading: Reading) -> tuple[set[str], set[str]]:
    """The words before and after "than"."""
    at = next((at for at, token in enumerate(reading.tokens) if token.word == "than"), 0)
    return {stem(token.word) for token in reading.tokens[:at]}, {stem(token.word) for token in reading.tokens[at:]}
