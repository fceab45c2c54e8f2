"""The leak check of training data: nothing of a test's text, names or facts may be in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from longreach.core.bench import Bench
from longreach.core.language import HAN
from longreach.errors import BadInput, one_line
from longreach.families import get_family
from longreach.families.showing import assembler_of

__all__ = ["LeakCheck"]

_RUN = 100
"""Words, or Chinese characters, of a run. A shared text of twice as many always contains a whole one; anecdotes that
the chronicle tells in any world are shorter."""
_NAMED = 3
"""Leaks that a message names."""
_PARTS = re.compile(rf"[{HAN}]|[^\W{HAN}]+")


class LeakCheck:
    """Compares lines to learn from with what some benchmarks test: their contexts (runs of words), the names that
    their builds record, and the sentences that hold their facts and errors."""

    def __init__(self, tests: Sequence[Bench]) -> None:
        self._runs: dict[int, str] = {}
        self._words: dict[str, str] = {}
        """A name or a fact -> the kind of leak it would be."""
        self._seen: set[int] = set()
        self.found: list[str] = []
        self.looked = 0
        """Different prompts looked at."""
        for test in tests:
            assembler = assembler_of(test)
            for context in {item.context for item in test.items.values()}:
                text = assembler.text(list(context.pieces)).decode()
                for run in _runs(text, 1):
                    self._runs.setdefault(hash(run), " ".join(run))
            self._words |= dict.fromkeys(test.build.get("names", ()), "name")
            family = get_family(test.info.family)
            facts = [fact for question in test.questions.values() for fact in family.facts(test, question)]
            self._words |= dict.fromkeys((fact for fact in facts if len(fact) > 1), "fact")
            for prompt in test.prompts.values():
                for run in _runs(prompt.text, 1):
                    self._runs.pop(hash(run), None)

    def look(self, name: str, messages: Sequence[Mapping[str, str]]) -> None:
        """Look through one line."""
        text = "\n".join(message["content"] for message in messages)
        if (key := hash(text)) in self._seen:
            return
        self._seen.add(key)
        self.looked += 1
        self.found += [f"{name}: {kind} '{one_line(word, 60)}'" for word, kind in self._words.items() if word in text]
        for run in _runs(text, _RUN):
            if hash(run) in self._runs:
                self.found.append(f"{name}: text '{one_line(self._runs[hash(run)], 80)}'")
                break

    def raise_on_leaks(self, bench: Bench) -> None:
        """Refuse if anything was found."""
        if self.found:
            more = f" and {len(self.found) - _NAMED} more" if len(self.found) > _NAMED else ""
            raise BadInput(
                f"{bench.folder} shares what a test asks about: {'; '.join(self.found[:_NAMED])}{more}; build it with "
                f"split train, and from other documents or seeds"
            )


def _runs(text: str, step: int) -> Iterator[tuple[str, ...]]:
    parts = _PARTS.findall(text)
    return (tuple(parts[at : at + _RUN]) for at in range(0, len(parts) - _RUN + 1, step))
