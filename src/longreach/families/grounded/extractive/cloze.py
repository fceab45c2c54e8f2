"""The builder that needs no model: the best sentence of a passage with its rarest term left out."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from random import Random

from ..passages import LongDocument
from ..questions import Candidate, wording_fault
from .lexicon import Lexicon, Sentence
from .terms import Kind, Term

__all__ = ["BLANK", "ClozeWriter"]

BLANK = "____"
_ASK = {
    "en": "Which {kind} completes this statement: “{statement}”?",
    "zh": "下面这句话的空白处应填哪个{kind}：“{statement}”？",
}
_WEIGHT: dict[Kind, float] = {
    "amount": 3.0,
    "percentage": 3.0,
    "date": 3.0,
    "number": 2.5,
    "name": 2.5,
    "title": 2.5,
    "year": 2.0,
    "abbreviation": 1.5,
    "code": 2.0,
    "word": -2.0,
}
"""Which kinds of term make the better questions: a figure can be told from memory less than a word can be guessed."""
_NEAREST = 12
"""Wrong numbers are drawn from this many that are nearest in size."""
_PLAIN = re.compile(r"[\w]+")
_RARITY = 3.0
"""What a term that stands everywhere loses at most: a name of the kind is still better than a plain word."""
_STEM = 5
"""Words that begin with the same letters, so many, are taken for forms of one."""
_PLACES = frozenset({"usr", "etc", "var", "lib", "bin", "share"})
"""Parts of many paths, which give none of them away."""
_FITTING = 4.0
"""What wrong answers that fit are worth in the choice of a term."""
_CLOSER = 0.1
"""What a closer shape is worth beside keeping the same company."""


class ClozeWriter:
    """Writes questions for the passages of long documents; each document is read once."""

    def __init__(self, language: str, options: int, seed: int) -> None:
        self._language = language
        self._options = options
        self._seed = seed
        self._lexicons: dict[tuple[str, int], Lexicon] = {}
        self._ranked: dict[tuple[str, int, int], list[tuple[Sentence, Term]]] = {}

    def lexicon(self, document: LongDocument) -> Lexicon:
        """A document's sentences and terms."""
        key = (document.domain, document.number)
        if key not in self._lexicons:
            self._lexicons[key] = Lexicon(document.texts, self._language)
        return self._lexicons[key]

    def write(
        self, document: LongDocument, passage: int, asked: Sequence[str], *, plain: bool = True
    ) -> Candidate | None:
        """The best question on a passage that is not among those asked already; None where there is none. Without
        `plain`, none that asks for a plain word, which can be guessed more often than a name or a figure."""
        lexicon = self.lexicon(document)
        for sentence, term in self._rank(document, passage):
            if _is_plain(term) and not plain:
                continue
            rng = Random(f"options {self._seed} {document.domain} {document.number} {sentence.text} {term.text}")
            candidate = self._candidate(lexicon, sentence, term, rng)
            if candidate and candidate.question not in asked and not wording_fault(candidate, self._options):
                return candidate
        return None

    def _rank(self, document: LongDocument, passage: int) -> list[tuple[Sentence, Term]]:
        """Sentences and terms to ask for, best first; of one sentence the second-best term comes after all others'."""
        key = (document.domain, document.number, passage)
        if key in self._ranked:
            return self._ranked[key]
        lexicon = self.lexicon(document)
        rng = Random(f"cloze {self._seed} {document.domain} {document.number} {passage}")
        scored: list[tuple[float, int, Sentence, Term]] = []
        for sentence in lexicon.by_passage[passage]:
            leaning = lexicon.rules.unfit(sentence.text)
            if leaning is None:
                continue
            found: list[tuple[float, Term]] = []
            for term in sentence.terms:
                if (
                    sentence.text.count(term.text) == 1
                    and lexicon.is_real(term)
                    and lexicon.is_rare(term)
                    and not _given_away(sentence.text, term)
                ):
                    rarity = min(_RARITY, math.log(lexicon.often(term)))
                    score = _weight(term) - leaning - rarity + rng.random()
                    found.append((score + _FITTING * self._fit(lexicon, sentence, term), term))
            found.sort(key=lambda pair: (-pair[0], pair[1].start))
            scored += [(-score, place, sentence, term) for place, (score, term) in enumerate(found)]
        scored.sort(key=lambda entry: (entry[1], entry[0], entry[2].text))
        self._ranked[key] = [(sentence, term) for *_, sentence, term in scored]
        return self._ranked[key]

    def _fit(self, lexicon: Lexicon, sentence: Sentence, term: Term) -> float:
        """How well the wrong answers would stand in a term's place: where none does, the right one can be told without
        reading. Figures always have their like."""
        wrong = self._others(lexicon, sentence, term)
        if term.size is not None or wrong is None:
            return 0.0 if wrong is None else 0.5
        likeness = [lexicon.company.likeness(term.text, other.text) for other in wrong]
        return sum(likeness) / len(likeness)

    def _candidate(self, lexicon: Lexicon, sentence: Sentence, term: Term, rng: Random) -> Candidate | None:
        wrong = self._wrong(lexicon, sentence, term, rng)
        if wrong is None:
            return None
        statement = sentence.text[: term.start] + BLANK + sentence.text[term.end :]
        if self._language == "en":
            statement = re.sub(r'"([^"]*)"', r"‘\1’", statement).replace("“", "‘").replace("”", "’")
        else:
            statement = statement.replace("“", "‘").replace("”", "’")
        question = _ASK[self._language].format(kind=lexicon.rules.ASK[term.kind], statement=statement)
        return Candidate(
            question=question, options=(term.text, *wrong), evidence=sentence.raw, kind=lexicon.rules.ASK[term.kind]
        )

    def _wrong(self, lexicon: Lexicon, sentence: Sentence, term: Term, rng: Random) -> list[str] | None:
        others = self._others(lexicon, sentence, term)
        if others is None:
            return None
        rng.shuffle(others)
        return [other.text for other in others[: self._options - 1]]

    def _others(self, lexicon: Lexicon, sentence: Sentence, term: Term) -> list[Term] | None:
        """The best wrong answers, from shapes of which the document has enough: figures near in size, others that keep
        the same company; None where there are too few."""
        needed = self._options - 1
        most = max(_NEAREST, needed) if term.size is not None else needed + 2
        levels: dict[str, int] = {}
        found: dict[str, Term] = {}
        for level in range(len(term.shapes)):
            for other in lexicon.like(term, level):
                if other.kind == term.kind and other.text not in sentence.text and not _alike(other.text, term.text):
                    found.setdefault(other.text, other)
                    levels.setdefault(other.text, level)
            others = sorted(found.values(), key=lambda other: other.text)
            if term.size is not None:
                others.sort(key=lambda other: _distance(term, other))
            else:
                likeness = {
                    text: lexicon.company.likeness(term.text, text) - _CLOSER * levels[text] for text in sorted(found)
                }
                others.sort(key=lambda other: -likeness[other.text])
            last = level + 1 == len(term.shapes)
            if len(others := _distinct(others, most)) >= (needed if term.size is not None or last else 2 * needed):
                return others
        return None


def _distinct(terms: Sequence[Term], most: int) -> list[Term]:
    """The first terms of which no two share a word or a value, at most so many."""
    kept: list[Term] = []
    for term in terms:
        if not any(
            _alike(term.text, other.text) or (term.size is not None and term.size == other.size) for other in kept
        ):
            kept.append(term)
            if len(kept) == most:
                break
    return kept


def _is_plain(term: Term) -> bool:
    """Whether a term is a word like any other, in quotation marks or not."""
    return term.kind == "word" or (term.kind == "code" and term.text.isalpha() and term.text.islower())


def _weight(term: Term) -> float:
    return _WEIGHT["word"] / 2 if term.kind == "code" and _is_plain(term) else _WEIGHT[term.kind]


def _given_away(sentence: str, term: Term) -> bool:
    """Whether the rest of a sentence holds a word of the term in another form: 'Japan' beside 'the Japanese'."""
    rest = f"{sentence[: term.start]} {sentence[term.end :]}"
    if term.kind == "abbreviation":
        return any(word in term.text or term.text in word for word in _PLAIN.findall(rest) if len(word) > 2)
    if term.kind == "code":
        parts = {word for word in _PLAIN.findall(term.text) if len(word) > 2 and word not in _PLACES}
        return bool(parts & set(_PLAIN.findall(rest))) or bool(_stems(term.text) & _stems(rest))
    size = _STEM - (term.kind == "name")
    return term.kind in {"name", "word"} and bool(_stems(term.text, size) & _stems(rest, size))


def _stems(text: str, size: int = _STEM) -> set[str]:
    return {word.casefold()[:size] for word in _PLAIN.findall(text) if len(word) >= size}


def _alike(one: str, other: str) -> bool:
    """Whether two terms could be taken for each other: the same figure, one inside the other, or names that share
    their beginning and their end. 'The Court of Claims' and 'the Court of Appeals' are two."""
    if one[:1].isdigit() or other[:1].isdigit() or one[:1] in "$£€":
        return one.casefold() == other.casefold()
    mine, theirs = _words(one), _words(other)
    if not mine - theirs or not theirs - mine:
        return True
    if one.casefold() in other.casefold() or other.casefold() in one.casefold():
        return True
    if len(mine) == 1 or len(theirs) == 1:
        return bool(mine & theirs) or min(mine)[:_STEM] == min(theirs)[:_STEM]
    # A name with its first word or its last left out may mean the same: only whole patterns are told apart.
    return bool(mine & theirs) and one.split()[0] != other.split()[0] and one.split()[-1] != other.split()[-1]


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _PLAIN.findall(text) if len(word) > 2} or {text.casefold()}


def _distance(term: Term, other: Term) -> float:
    """How far two figures are from each other: years by difference, others by ratio."""
    one, two = term.size or 0.0, other.size or 0.0
    return abs(one - two) if term.kind == "year" else abs(math.log1p(one) - math.log1p(two))
