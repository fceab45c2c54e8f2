"""The longest answer that each request may have: what an answer needs, with room, and reasoning where a model reasons.

A cap is sent with every request. Without one, a model that repeats itself writes to the end of its window."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from longreach.core.bench import Bench
from longreach.core.types import Call, Item
from longreach.families import get_family
from longreach.families.base import output_cap
from longreach.models.prices import limits_of
from longreach.models.providers import is_engine

_BASE_MODELS = {"openai-api-completions", "vllm-completions"}
"""Providers that complete raw text: a model behind them writes until it is stopped."""
BASE_STOPS = ("\n<text>", "\n</text>", "\n[user]")
"""Where such a model stops: it has begun another prompt."""
_OFF = {"none", "disabled", "off", "false", "0", ""}
_THINK = "<think>"


def completes_text(model: str) -> bool:
    """Whether a model is asked to go on with a raw text, as base checkpoints are."""
    return model.partition("/")[0] in _BASE_MODELS


def asks_reasoning(sent: Mapping[str, Any]) -> bool | None:
    """Whether the settings of a request turn reasoning on or off; None if they do not mention it."""
    found: list[bool] = []
    for name, value in sent.items():
        about = name in ("reasoning_effort", "reasoning_tokens", "effort") or "think" in name
        if isinstance(value, Mapping):
            inner = asks_reasoning({f"think {key}": each for key, each in value.items()} if about else value)
            found += [] if inner is None else [inner]
        elif about and value is not None:
            found.append(str(value).lower() not in _OFF)
    return all(found) if found else None


class AnswerCaps:
    """The cap of each request to a model about a benchmark."""

    def __init__(
        self,
        bench: Bench,
        model: str,
        *,
        most: int | None,
        sent: Mapping[str, Any],
        reasons: bool | None = None,
        before: Iterable[Call] = (),
    ) -> None:
        """`most` is the limit that the user gave; `sent` are the settings of each request; `before` are earlier calls
        with them, which may show that the model reasons."""
        self._bench, self._most = bench, most
        self._family = get_family(bench.info.family)
        self._limits = limits_of(model)
        self.bounded = is_engine(model) or completes_text(model)
        """A small model, or one that completes raw text, gets what an answer needs and no more."""
        self._tokens = int(sent.get("reasoning_tokens") or 0)
        given = asks_reasoning(sent) if reasons is None else reasons
        self._reasons = self._limits.thinks if given is None else given
        self.learned = False
        """Whether an answer was cut off because the model reasons, which was not known."""
        for call in before:
            self.learn(call)
        self.learned = False

    def __call__(self, item: Item) -> int:
        """The cap of one request, in tokens."""
        if self._most is not None:
            return self._most
        questions = [self._bench.questions[question] for question in item.questions]
        answer = self._family.answer_tokens(questions)
        if self.bounded and not self._reasons:
            return answer
        room = [self._limits.window - item.tokens] if self._limits.window else []
        room += [self._limits.output] if self._limits.output else []
        return max(answer, min([output_cap(self._family, questions, reasons=self._reasons) + self._tokens, *room]))

    def learn(self, call: Call) -> bool:
        """Whether this call was cut off because the model reasons, which was not known: from now on there is room."""
        if self._reasons or self._most is not None or call.error or call.stop != "max_tokens":
            return False
        blank = not self.bounded and not call.text.strip()
        if not (blank or call.tokens_reasoning or call.reasoning or _THINK in call.text):
            return False
        self._reasons = self.learned = True
        return True
