"""The builder without a model: facts of a passage as questions, with wrong options from the surrounding text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from random import Random

from longreach.text.presence import fold, occurs_in

from ..passages import LongDocument
from ..questions import Candidate, wording_fault
from .language import written_language
from .located import section_questions
from .options import gives_away, pick_wrong
from .pairs import pair_questions
from .reading import READERS, Reading, Stretch
from .terms import LEANS, Fact, Sentence

__all__ = ["DROPPED", "FactWriter"]

DROPPED = (
    "fragment",
    "speech or heading",
    LEANS,
    "a note on a change",
    "no question fits its grammar",
    "gives its answer away",
    "not specific",
    "stated twice",
    "too few options",
)
"""Why sentences and questions are dropped before writing, in the order of the filters."""

_SAME = 0.6
"""A sentence with this share of a question's weight states the same."""
_LIKE = 0.45
"""A sentence with this share of it makes the options that it contains doubtful."""
_AGAIN = 2
_OFTEN = 0.2
"""How often an answer may be right before others are preferred; and, of all questions for a name, at most about."""
_ONCE = frozenset({"both", "section"})
"""Kinds of questions whose right answer is asked for once: what two sections mention, and the place of a statement."""
_FEW = {"both": 0.05, "order": 0.25, "comparison": 0.12}
"""The largest share of all questions, about, for some kinds."""


def _same_place(one: Sentence, other: Sentence) -> bool:
    """Whether one sentence is, contains or is a part of the other."""
    if one.passage != other.passage:
        return False
    return one.raw in other.raw or other.raw in one.raw or other.text in one.text


class FactWriter:
    """Writes questions for the passages of long documents."""

    def __init__(self, options: int, seed: int) -> None:
        self._options = options
        self._seed = seed
        self._readings: dict[tuple[str, int], Reading] = {}
        self._made: dict[tuple[str, int, int, Stretch], list[Candidate]] = {}
        self.dropped: Counter[str] = Counter(dict.fromkeys(DROPPED, 0))
        self.kinds: Counter[str] = Counter()
        self._right: Counter[str] = Counter()
        self._ranks: Counter[int] = Counter()
        """How often the right figure was the smallest, the second and so on."""
        self._mentioned: set[str] = set()
        """Right answers that are asked for once."""

    def reading(self, document: LongDocument) -> Reading:
        """A document's sentences and terms."""
        key = (document.domain, document.number)
        if key not in self._readings:
            language = written_language("\n\n".join(document.texts))
            # A passage without enough words of any language counts as English.
            texts = [text if written_language(text) in {language, "en"} else "" for text in document.texts]
            self._readings[key] = Reading(texts, language if language in READERS else "en", document.begins)
        return self._readings[key]

    def write(self, document: LongDocument, passage: int, asked: Collection[str], stretch: Stretch) -> Candidate | None:
        """The best new question on a passage; None where there is none."""
        key = (document.domain, document.number, passage, stretch)
        if key not in self._made:
            self._made[key] = list(self._candidates(document, passage, stretch))
        # Answers that were right before come last: the hero of a novel does most of what is told.
        for candidate in sorted(self._made[key], key=lambda one: self._right[one.right] > _AGAIN):
            if (most := _FEW.get(candidate.kind)) and self.kinds[candidate.kind] > most * self.kinds.total():
                continue
            if candidate.kind == "name" and self._right[candidate.right] > _AGAIN + _OFTEN * self.kinds["name"]:
                continue
            rests_on = {candidate.question, candidate.evidence, *(sentence for _, sentence in candidate.also[:1])}
            again = candidate.kind in _ONCE and candidate.right in self._mentioned
            if rests_on.isdisjoint(asked) and not again:
                self.kinds[candidate.kind] += 1
                self._right[candidate.right] += 1
                if candidate.kind in _ONCE:
                    self._mentioned.add(candidate.right)
                return candidate
        return None

    def _candidates(self, document: LongDocument, passage: int, stretch: Stretch) -> Iterator[Candidate]:
        reading = self.reading(document)
        rng = Random(f"facts {self._seed} {document.domain} {document.number} {passage}")
        facts = reading.facts(passage, self.dropped)
        scored = sorted(
            ((fact.score + 1.5 * rng.random() - 0.02 * len(fact.stem.split()), fact) for fact in facts),
            key=lambda pair: (-pair[0], pair[1].stem),
        )
        pairs = pair_questions(reading, passage, facts, stretch, self._options, rng, self.dropped)
        stated = section_questions(reading, passage, stretch, self._options, rng)
        if rng.random() < 0.25:
            yield from pairs
        seen: set[int] = set()
        again: list[Fact] = []
        for _, fact in scored:
            if fact.sentence.number in seen:
                again.append(fact)
                continue
            if (candidate := self._candidate(reading, fact, stretch, rng)) is not None:
                seen.add(fact.sentence.number)
                yield candidate
        for fact in again:
            if (candidate := self._candidate(reading, fact, stretch, rng)) is not None:
                yield candidate
        yield from pairs
        yield from stated

    def _candidate(self, reading: Reading, fact: Fact, stretch: Stretch, rng: Random) -> Candidate | None:
        if not occurs_in(fact.answer.text, fold(fact.sentence.raw)):
            return None  # assembled from parts of the sentence
        inside = set(stretch.inside)

        def others(words: frozenset[str], share: float) -> list[str]:
            return [
                sentence.text.casefold()
                for sentence, _ in reading.like(words, share)
                if sentence.passage in inside and not _same_place(sentence, fact.sentence)
            ]

        if others(fact.content, _SAME):
            self.dropped["stated twice"] += 1
            return None
        texts = others(fact.content, _LIKE)
        pool = [term for place in stretch.common for term in reading.terms.get(place, ())]
        if fact.answer.kind == "name":
            answer, *pool = reading.reader.usual([fact.answer, *pool])
            fact = replace(fact, answer=answer)
            if gives_away(fact.stem, answer.text):
                self.dropped["gives its answer away"] += 1
                return None
        wrong = pick_wrong(
            fact,
            pool,
            self._options - 1,
            rng,
            lambda text: any(text.casefold() in other for other in texts),
            lambda term: fact.answer.kind == "name" and reading.reader.ruled_out(fact.stem, term.text),
            reading.reader.one_person,
            self._ranks,
        )
        if len(wrong) < self._options - 1:
            self.dropped["too few options"] += 1
            return None
        candidate = Candidate(
            question=fact.stem,
            options=(fact.answer.text, *(term.text for term in wrong)),
            evidence=fact.sentence.raw,
            kind=fact.answer.kind,
        )
        return None if wording_fault(candidate, self._options) else candidate
