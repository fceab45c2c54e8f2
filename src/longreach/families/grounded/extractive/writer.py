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
from .options import BALANCED, CLAUSES, gives_away, pick_wrong, told_by_words
from .pairs import pair_questions
from .reading import READERS, Reading, Stretch
from .terms import Fact, Sentence, Term

__all__ = ["DROPPED", "FactWriter"]

DROPPED = (
    "fragment",
    "speech or heading",
    "leans on what comes before it",
    "a note on a change",
    "no question fits its grammar",
    "gives its answer away",
    "not specific",
    "stated twice",
    "too few options",
)
"""Why sentences and questions are dropped before writing, in the order of the filters."""

_SAME = 0.6
_SAME_CASE = 0.7
"""A sentence with this share of a question's weight states the same; for a case, of the question's and the answer's."""
_LIKE = 0.45
"""A sentence with this share of it makes the options that it contains doubtful."""
_TOUCHES = 0.3
"""The same where the question only names a thing and the options describe it."""
_AGAIN = 2
_OFTEN = 0.2
"""How often an answer may be right before others are preferred; and, of all questions for a name, at most about."""
GAP = "gap"
"""The kind of a statement with a gap."""
_FEW = {GAP: 0.3, "both": 0.08, "order": 0.25}
_FEW_ABROAD = {**_FEW, GAP: 0.1, "both": 0.25}
"""The largest share of all questions, about, for some kinds; other languages than English have fewer kinds."""


def _ruled_out(reading: Reading, fact: Fact, term: Term, *, clause: bool) -> bool:
    """Whether an option may be right as well, or is ruled out by a pronoun of the question."""
    if clause:
        return fact.answer.kind != "entry" and reading.about(term, fact.content)
    return fact.answer.kind == "name" and reading.reader.ruled_out(fact.stem, term.text)


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
        self._mentioned: set[str] = set()
        """Right answers of questions on two sections: each is asked for once."""

    def reading(self, document: LongDocument) -> Reading:
        """A document's sentences and terms."""
        key = (document.domain, document.number)
        if key not in self._readings:
            language = written_language("\n\n".join(document.texts))
            # A passage without enough words of any language counts as English.
            texts = [text if written_language(text) in {language, "en"} else "" for text in document.texts]
            self._readings[key] = Reading(texts, language if language in READERS else "en")
        return self._readings[key]

    def write(
        self, document: LongDocument, passage: int, asked: Collection[str], stretch: Stretch, *, gaps: bool = True
    ) -> Candidate | None:
        """The best new question on a passage; None where there is none. Without `gaps`, no statement with a gap."""
        key = (document.domain, document.number, passage, stretch)
        if key not in self._made:
            self._made[key] = list(self._candidates(document, passage, stretch))
        few = _FEW if self.reading(document).language == "en" else _FEW_ABROAD
        # Answers that were right before come last: the hero of a novel does most of what is told.
        for candidate in sorted(self._made[key], key=lambda one: self._right[one.right] > _AGAIN):
            if (most := few.get(candidate.kind)) and self.kinds[candidate.kind] > most * self.kinds.total():
                continue
            if candidate.kind == "name" and self._right[candidate.right] > _AGAIN + _OFTEN * self.kinds["name"]:
                continue
            rests_on = {candidate.question, candidate.evidence, *(sentence for _, sentence in candidate.also[:1])}
            again = candidate.kind == "both" and candidate.right in self._mentioned
            if rests_on.isdisjoint(asked) and not again and (gaps or candidate.kind != GAP):
                self.kinds[candidate.kind] += 1
                self._right[candidate.right] += 1
                if candidate.kind == "both":
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
        turn = rng.random()
        if turn < 0.25:
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
        if turn >= 0.25:
            yield from pairs

    def _candidate(self, reading: Reading, fact: Fact, stretch: Stretch, rng: Random) -> Candidate | None:
        if not occurs_in(fact.answer.text, fold(fact.sentence.raw)):
            return None  # assembled from parts of the sentence
        question = reading.question(fact)
        if not question:
            self.dropped["not specific"] += 1
            return None
        inside = set(stretch.inside)

        def others(words: frozenset[str], share: float) -> list[str]:
            return [
                sentence.text.casefold()
                for sentence, _ in reading.like(words, share)
                if sentence.passage in inside and not _same_place(sentence, fact.sentence)
            ]

        clause = fact.answer.kind in {"definition", "action", "entry"} | BALANCED
        whole = fact.content | reading.reader.content(fact.answer.text) if clause else fact.content
        if others(whole, _SAME_CASE if fact.answer.kind in BALANCED else _SAME):
            self.dropped["stated twice"] += 1
            return None
        texts = others(fact.content, _TOUCHES if clause else _LIKE)
        pool = [term for place in stretch.common for term in reading.terms.get(place, ())]
        if fact.answer.kind == "name":
            answer, *pool = reading.reader.usual([fact.answer, *pool])
            fact = replace(fact, answer=answer)
            if gives_away(question, answer.text):
                self.dropped["gives its answer away"] += 1
                return None
        wrong = pick_wrong(
            fact,
            question,
            pool,
            self._options - 1,
            rng,
            lambda text: any(text.casefold() in other for other in texts),
            lambda term: _ruled_out(reading, fact, term, clause=clause),
            reading.reader.one_person,
        )
        if len(wrong) < self._options - 1:
            self.dropped["too few options"] += 1
            return None
        if fact.answer.kind in CLAUSES and told_by_words(question, fact.answer.text, [term.text for term in wrong]):
            self.dropped["gives its answer away"] += 1
            return None
        candidate = Candidate(
            question=question,
            options=(fact.answer.text, *(term.text for term in wrong)),
            evidence=fact.sentence.raw,
            kind=GAP if fact.score < 1 else fact.answer.kind,
        )
        return None if wording_fault(candidate, self._options) else candidate
