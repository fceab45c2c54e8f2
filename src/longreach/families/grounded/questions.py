"""A question with its options, wording faults, and its rendering in a prompt."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from random import Random

from longreach.core.types import Frozen, Key

LETTERS = "ABCDEFGHIJ"

MOST_QUESTION = 700
MOST_OPTION = 250
_SHARED = 0.5
"""Share of the longest option from which options are versions of one statement."""
_OPTION_LINE = re.compile(r"([A-J])\) (.+)")

_SPEAKS_OF = re.compile(
    r"\b(?:the|this|that|these|above|given|provided|following|preceding)\s+(?:\w+\s+)?"
    r"(?:passages?|texts?|contexts?|excerpts?|paragraphs?|documents?|articles?|authors?|sections?|extracts?|snippets?)\b"
    r"|\b(?:mentioned|described|stated|shown|listed|given) (?:above|below|here)\b"
    r"|文中|本文|上文|下文|原文|文章|文段|段落|选段|这段|该段|上述|材料中|作者",
    re.IGNORECASE,
)
_OF_THE_ABOVE = re.compile(
    r"\b(?:all|none|both|any|some|neither)\s+of\s+(?:the\s+)?(?:above|these|those|them|options|others)\b"
    r"|\b(?:both|either|neither)\s+(?:option\s+)?\(?[A-J]\)?\s+(?:and|or|nor)\s+\(?[A-J]\b"
    r"|以上|都不是|均不|都对|皆是|皆非|全部正确",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:he|she|they|him|her|them|his|hers|their|theirs|it|its|we|our|us|i|my|me)\b|他们|她们|它们|他|她|它|其(?!他|它|中|余|实)",
    re.IGNORECASE,
)
_ENGLISH_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "a an the of in on at to for from by with as and or not no than that which what who whom whose when where why "
        "how is are was were be been being do does did done has have had can could will would shall should may might "
        "must many much long often far old large according if then so but about into",
    )
)
_CHINESE_EMPTY = frozenset("什么为谁哪何时里个位年月日是否请问在的了于被把对从由多少几怎样如")
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_]+(?:[.,:'’-][^\W_]+)*%?")


class Candidate(Frozen):
    """A question from a builder."""

    question: str
    options: tuple[str, ...]
    """The right one first."""
    evidence: str = ""
    """The sentence with the answer, as in the passage, where the builder knows it."""
    also: tuple[tuple[int, int], ...] = ()
    """Bytes of the corpus with other sentences that are also needed."""
    kind: str = ""
    """What code asks: `altered`, `next`, `order` or `section`."""
    key: Key | None = None
    """Of a user's question."""

    @property
    def answerable(self) -> bool:
        """Whether the text holds the answer."""
        return self.key is None or self.key.kind != "absent"

    @property
    def right(self) -> str:
        return self.options[0]

    def shuffled(self, rng: Random) -> tuple[tuple[str, ...], str]:
        """The options in random order, and the letter of the right one."""
        order = list(range(len(self.options)))
        rng.shuffle(order)
        return tuple(self.options[index] for index in order), LETTERS[order.index(0)]

    def with_right_at(self, letter: str, rng: Random) -> tuple[str, ...]:
        """The options with the right one at a letter and the others in random order."""
        others = list(self.options[1:])
        rng.shuffle(others)
        place = LETTERS.index(letter)
        return (*others[:place], self.right, *others[place:])


def render(question: str, options: Sequence[str]) -> str:
    """A question and its options, one per line."""
    return "\n".join([question, *(f"{letter}) {option}" for letter, option in zip(LETTERS, options, strict=False))])


def options_of(text: str) -> dict[str, str]:
    """The options of a rendered question by their letters."""
    found: list[str] = []
    for line in reversed(text.splitlines()):
        match = _OPTION_LINE.fullmatch(line)
        if match is None:
            break
        found.append(match[2])
        if match[1] == "A":
            break
    return dict(zip(LETTERS, reversed(found), strict=False))


def distinct_parts(options: Mapping[str, str]) -> dict[str, str]:
    """The options without the words that all of them begin and end with: of versions of one statement, the values."""
    texts = list(options.values())
    before = _beginning(texts)
    after = _beginning([text[len(before) :][::-1] for text in texts])[::-1]
    # Words stay whole: in 1845 and 1849 all four digits differ.
    before = re.sub(r"[^\W_\u3040-\u30ff\u3400-\u9fff]+[.,:/-]?$", "", before)
    after = re.sub(r"^[.,:/-]?[^\W_\u3040-\u30ff\u3400-\u9fff]+", "", after)
    if len(before) + len(after) < _SHARED * max(map(len, texts), default=0):
        return dict(options)
    return {letter: text[len(before) : len(text) - len(after)] for letter, text in options.items()}


def _beginning(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    size = next((at for at, letters in enumerate(zip(*texts, strict=False)) if len(set(letters)) > 1), None)
    return min(texts, key=len, default="")[:size]


def letters_in_turn(count: int, options: int, seed: int) -> list[str]:
    """The right letter of each question: every letter equally often, in random order."""
    rng = Random(f"letters {seed}")
    letters: list[str] = []
    while len(letters) < count:
        block = list(LETTERS[:options])
        rng.shuffle(block)
        letters += block
    return letters[:count]


def wording_fault(candidate: Candidate, options: int) -> str:
    """Why a question cannot be used, judged by its wording alone; empty where it can."""
    question = candidate.question
    for fault in (_question_fault(question), _options_fault(candidate.options, options)):
        if fault:
            return fault
    if _holds(_tokens(question), _tokens(candidate.right)):
        return "the question gives its answer away"
    return ""


def _question_fault(question: str) -> str:
    if not question.strip():
        return "the question is empty"
    if len(question) > MOST_QUESTION:
        return f"the question has {len(question)} characters, at most {MOST_QUESTION} are allowed"
    if "\n" in question:
        return "the question has several lines"
    if not question.rstrip("”’\"'」』）) ").endswith(("?", "？")):
        return "the question does not end with a question mark"
    if found := _SPEAKS_OF.search(question):
        return f"the question speaks of '{found[0]}' instead of its subject"
    if found := _PRONOUN.search(question):
        before = question[: found.start()]
        if not _has_content(before):
            return f"the question leans on '{found[0]}' without saying who or what that is"
    return ""


def _options_fault(options: Sequence[str], wanted: int) -> str:
    if len(options) != wanted:
        return f"there are {len(options)} options, {wanted} are needed"
    return next(filter(None, map(_option_fault, options)), "") or _likeness(options)


def _option_fault(option: str) -> str:
    if not option.strip() or option != option.strip():
        return "an option is empty or has spaces around it"
    if "\n" in option:
        return "an option has several lines"
    if len(option) > MOST_OPTION:
        return f"an option has {len(option)} characters, at most {MOST_OPTION} are allowed"
    if found := _OF_THE_ABOVE.search(option):
        return f"an option says '{found[0]}'"
    return ""


def _likeness(options: Sequence[str]) -> str:
    """Which two options are too much alike; empty where none are."""
    tokens = [_tokens(option) or [option.casefold()] for option in options]
    for one, mine in enumerate(tokens):
        for other, theirs in enumerate(tokens):
            if one < other and mine == theirs:
                return f"two options are the same: '{options[one]}'"
            if one != other and mine != theirs and _holds(theirs, mine):
                return f"option '{options[other]}' contains option '{options[one]}'"
    return ""


def says(text: str, part: str) -> bool:
    """Whether a text has the words of a part one after another."""
    return _holds(_tokens(unicodedata.normalize("NFKC", text)), _tokens(unicodedata.normalize("NFKC", part)))


def word_count(text: str) -> int:
    """Words, or Chinese characters."""
    return len(_tokens(text))


def _has_content(text: str) -> bool:
    """Whether a text has a word that a later pronoun could refer to."""
    return any(
        token not in _CHINESE_EMPTY if "\u3400" <= token <= "\u9fff" else len(token) > 1 and token not in _ENGLISH_EMPTY
        for token in _tokens(text)
    )


def _tokens(text: str) -> list[str]:
    return [token.casefold() for token in _TOKEN.findall(text)]


def _holds(whole: Sequence[str], part: Sequence[str]) -> bool:
    """Whether a run of words occurs inside another."""
    size = len(part)
    return 0 < size <= len(whole) and any(
        list(whole[at : at + size]) == list(part) for at in range(len(whole) - size + 1)
    )
