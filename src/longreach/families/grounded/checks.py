"""Checks questions before they are used, with a model or with code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from longreach.core.bench import Prompt
from longreach.core.helper_model import Ask, HelperModel, Refused
from longreach.core.types import Frozen
from longreach.families.helper_model import RetryingClient, Usage
from longreach.grading.reading.structured import read_as, shape
from longreach.models.embedders import VectorCache, Vectors, nearest

from .questions import LETTERS, Candidate, render
from .windows import LongDocument
from .writers import TRIES

STEPS = ("quality", "elsewhere", "closed_book")
"""In the order of execution."""

_ROOM = 512
RECALLS = 3
_KNOWN = 2
"""Number of right answers out of three without a text from which a question counts as known."""
_NONE = frozenset({"none", "cannot tell", "can't tell", "unknown", "n/a", "无", "无法确定"})


class Answer(Frozen):
    """A checker's choice."""

    reason: str = ""
    answer: str


_SHAPE = shape(reason="string", answer="string")


@dataclass(frozen=True)
class Trial:
    """A candidate question under test."""

    id: str
    candidate: Candidate
    document: LongDocument
    gold: int
    inside: Sequence[int]
    """Every passage of any of its test documents, including the gold one."""

    @property
    def needed(self) -> list[int]:
        """The gold passage, and others that the question needs."""
        return sorted({self.gold, *(self.document.at_byte(start) for start, _ in self.candidate.also)})


class ModelCheck:
    """Checks with a model, which answers from the gold passage, from the most similar others, and without a text."""

    def __init__(
        self,
        writer: HelperModel,
        prompts: Mapping[str, Prompt],
        language: str,
        vectors: VectorCache,
        neighbours: int,
        seed: int,
    ) -> None:
        self._client = RetryingClient(writer, "checker", language, TRIES)
        self._prompts = prompts
        self._vectors = vectors
        self._neighbours = neighbours
        self._seed = seed
        self._rows: dict[tuple[str, int], Vectors] = {}

    @property
    def usage(self) -> Usage:
        return self._client.usage

    def find(self, step: str, trials: Sequence[Trial]) -> list[str]:
        if not trials:
            return []
        if step == "quality":
            right = self._from_passages(step, trials, [trial.needed for trial in trials])
            return ["" if one is True else f"from its own passage the checker {_describe(one)}" for one in right]
        if step == "elsewhere":
            right = self._from_passages(step, trials, [self.similar(trial) for trial in trials])
            return ["from similar passages the checker finds the answer too" if one is True else "" for one in right]
        return self._recall(trials)

    def similar(self, trial: Trial) -> list[int]:
        """The passages most similar to the question with its options, without the gold one, in the document's order."""
        others = [passage for passage in trial.inside if passage not in trial.needed]
        query = self._vectors.embed(["\n".join([trial.candidate.question, *sorted(trial.candidate.options)])])
        return sorted(nearest(self._passages(trial.document), query[0], self._neighbours, others))

    def _passages(self, document: LongDocument) -> Vectors:
        """The passages of a document as rows, built once."""
        key = (document.domain, document.number)
        if key not in self._rows:
            self._rows[key] = self._vectors.embed(document.texts)
        return self._rows[key]

    def _from_passages(self, step: str, trials: Sequence[Trial], chosen: Sequence[Sequence[int]]) -> list[bool | str]:
        """For each trial True where the checker chose the right option, else its answer."""
        prompt = self._prompts["check"]
        texts: list[str] = []
        letters: list[str] = []
        for trial, passages in zip(trials, chosen, strict=True):
            rendered, letter = self._shuffled(trial, step)
            passage_text = "\n\n[...]\n\n".join(trial.document.texts[passage] for passage in passages)
            texts.append(prompt.whole({"passages": passage_text, "question": rendered}))
            letters.append(letter)
        return self._right(texts, letters, trials)

    def _recall(self, trials: Sequence[Trial]) -> list[str]:
        prompt = self._prompts["recall"]
        texts: list[str] = []
        letters: list[str] = []
        for trial in trials:
            for number in range(RECALLS):
                rendered, letter = self._shuffled(trial, f"closed_book {number}")
                texts.append(prompt.whole({"question": rendered}))
                letters.append(letter)
        owners = [trial for trial in trials for _ in range(RECALLS)]
        attempts = [number for _ in trials for number in range(RECALLS)]
        right = [one is True for one in self._right(texts, letters, owners, attempts)]
        counts = [sum(right[at : at + RECALLS]) for at in range(0, len(right), RECALLS)]
        return [
            f"without any text the checker is right {count} times of {RECALLS}" if count >= _KNOWN else ""
            for count in counts
        ]

    def _right(
        self,
        texts: Sequence[str],
        letters: Sequence[str],
        owners: Sequence[Trial],
        attempts: Sequence[int] | None = None,
    ) -> list[bool | str]:
        most = max(len(trial.candidate.options) for trial in owners)

        def read(choice: str) -> str | Refused:
            answer = read_as(Answer, choice)
            if isinstance(answer, Refused):
                return answer
            return _choice(answer, most) or Refused(why=f"'{answer.answer[:40]}' is neither a letter nor none")

        asks = [
            Ask(prompt=text, shape=_SHAPE, max_tokens=_ROOM, attempt=attempts[place] if attempts else 0)
            for place, text in enumerate(texts)
        ]
        replies = self._client.ask(asks, [read] * len(asks))
        results: list[bool | str] = []
        for reply, letter in zip(replies, letters, strict=True):
            choice = f"gave no usable answer ({reply.why})" if isinstance(reply, Refused) else reply
            results.append(True if choice == letter else choice)
        return results

    def _shuffled(self, trial: Trial, purpose: str) -> tuple[str, str]:
        rng = Random(f"{purpose} {self._seed} {trial.candidate.question}")
        options, letter = trial.candidate.shuffled(rng)
        return render(trial.candidate.question, options), letter


def _choice(answer: Answer, options: int) -> str:
    """A checker's letter, `none`, or empty where it is neither."""
    choice = answer.answer.strip().strip("().:*'\"").strip()
    if choice.casefold() in _NONE:
        return "none"
    letter = choice[:1].upper()
    return letter if letter and letter in LETTERS[:options] and (len(choice) == 1 or choice[1] in ").:") else ""


def _describe(answer: bool | str) -> str:
    text = str(answer)
    return f"chooses {text}" if len(text) == 1 else "cannot tell" if text == "none" else text
