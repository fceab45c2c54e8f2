"""Has a model shorten parts of a text, and accepts only replies that are a shorter version of the part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from longreach.core.prompt import Prompt
from longreach.core.writer import Ask, Refused, Reply, Writer, ask_until_read
from longreach.errors import BadInput, ModelCallFailed

from .central import terms

__all__ = ["Rewritten", "check_prompt", "rewrite"]

TEXT, PERCENT = "text", "percent"

# A line that introduces what follows.
_OPENING = re.compile(
    r"\A((?:sure|certainly|of course|okay|ok|absolutely)\b[^\n]{0,120}|[^\n]{1,160}[:：])\s*\n", re.IGNORECASE
)
_FENCED = re.compile(r"```[a-z]*\n(.*)\n```", re.DOTALL)
_REFUSAL = re.compile(
    r"(?:(?:i'm|i am) (?:very |so |really )?(?:sorry|afraid)\b.{0,40}?\bi (?:can ?not|can't|won't|will not|am unable)"
    r"|(?:sorry|unfortunately|my apologies)[,.]? (?:but )?i (?:can ?not|can't|won't|will not|am unable)"
    r"|i (?:can ?not|can't|won't|am unable to|am not able to|must decline to) "
    r"(?:help|assist|comply|fulfil|rewrite|shorten|summari[sz]e|provide|process|continue)"
    r"|as an ai\b|(?:很|非常)?(?:抱歉|对不起)，?我(?:无法|不能)|我(?:无法|不能)(?:协助|帮助|提供|改写|缩写))"
)
_CUT_OFF = ("max_tokens", "model_length")
_SECOND_TEMPERATURE = 0.7
_LOOP_FROM = 40
_LOOP_SHARE = 0.5
_KIN_SHARE = 0.3
_STEPS = 5
_FEW = 2


@dataclass(frozen=True)
class Rewritten:
    """The outcome for each part, in order."""

    texts: list[str | None]
    """None: two replies in a row were unusable."""
    faults: Counter[str]
    """Reasons, counted over the last reply of each part without a usable one."""

    def describe(self) -> str:
        """A summary for a progress line."""
        good = sum(text is not None for text in self.texts)
        why = ", ".join(f"{count} {fault}" for fault, count in sorted(self.faults.items()))
        return f"{good} rewritten" + (f", {self.faults.total()} left unchanged ({why})" if why else "")


def check_prompt(prompt: Prompt) -> None:
    """Raise where a prompt lacks the text or the share of it to retain."""
    for variable in (TEXT, PERCENT):
        if variable not in prompt.variables:
            raise BadInput(f"prompt '{prompt.id}': {{{{{variable}}}}} is missing; contracting needs it")
    prompt.around(TEXT)


def rewrite(
    parts: Sequence[str],
    percent: int,
    *,
    count: Callable[[str], int],
    writer: Writer,
    prompt: Prompt,
    progress: Callable[[str], None],
    first: bool,
) -> Rewritten:
    """Each part shortened to a percentage of itself. An unusable reply is requested once more.

    Raises `ModelCallFailed` where no reply came back at all; after the `first` time, a part or two that the provider
    rejects do not stop the rest.
    """
    sizes = [count(part) for part in parts]
    asks = [
        # A reply longer than the part is useless; the margin is for models with another tokenizer.
        Ask(prompt=prompt.whole({TEXT: part, PERCENT: str(percent)}), max_tokens=size * 5 // 4 + 32)
        for part, size in zip(parts, sizes, strict=True)
    ]
    echo = prompt.fill(prompt.around(TEXT)[1], {PERCENT: str(percent)}).strip()
    failures: list[str] = []

    def read(place: int, reply: Reply) -> str | Refused:
        if len(failures) < len(parts):
            failures.append(reply.error)
            if len(failures) == len(parts) and (first or len(parts) > _FEW) and all(failures):
                raise ModelCallFailed(f"model '{writer.name}' cannot shorten the text: {failures[0]}")
        text, fault = _accept(parts[place], sizes[place], _tidy(reply, parts[place], echo), count)
        return Refused(why=fault) if text is None else text

    found = ask_until_read(
        writer,
        asks,
        read,
        lambda _, __, ask, reply, ___: _second(ask, reply),
        tries=2,
        done=lambda attempt, total: _steps(total, progress) if not attempt else None,
    )
    texts = [None if isinstance(one, Refused) else one for one in found]
    return Rewritten(texts, Counter(one.why for one in found if isinstance(one, Refused)))


def _second(ask: Ask, reply: Reply) -> Ask:
    """The same request at a higher temperature, so that the reply differs, and with more room where reasoning used it
    all.
    """
    thought = reply.stop in _CUT_OFF and not reply.text.strip()
    room = (ask.max_tokens or 0) * 4 + 2048 if thought else ask.max_tokens
    return ask.model_copy(update={"attempt": ask.attempt + 1, "temperature": _SECOND_TEMPERATURE, "max_tokens": room})


def _accept(part: str, size: int, reply: Reply, count: Callable[[str], int]) -> tuple[str | None, str]:
    """A reply's text, or what is wrong with it."""
    if reply.error:
        return None, "failed"
    text = reply.text
    if reply.stop == "content_filter" or _refuses(text, part):
        return None, "refused"
    if reply.stop in _CUT_OFF:
        return None, "cut off"
    if not text:
        return None, "empty"
    if count(text) >= size:
        return None, "no shorter"
    words = terms(text)
    if len(words) >= _LOOP_FROM:
        runs = set(zip(*(islice(words, start, None) for start in range(4)), strict=False))
        if len(runs) < _LOOP_SHARE * (len(words) - 3):
            return None, "going in circles"
    if len(set(words) & set(terms(part))) < _KIN_SHARE * len(set(words)) or not words:
        return None, "about something else"
    return text, ""


def _tidy(reply: Reply, part: str, echo: str) -> Reply:
    """A reply without its preamble, which may repeat the end of the prompt."""
    text = reply.text.replace("\r\n", "\n").strip()
    if echo:
        text = text.removeprefix(echo).lstrip()
    while (opening := _OPENING.match(text)) and opening[1] not in part:
        text = text[opening.end() :].lstrip()
    fenced = _FENCED.fullmatch(text)
    return reply.model_copy(update={"text": (fenced[1] if fenced else text).strip()})


def _refuses(text: str, part: str) -> bool:
    """Whether a reply opens with a refusal and the part itself does not."""
    opening = " ".join(text[:200].replace("’", "'").lower().split())
    return bool(_REFUSAL.match(opening)) and opening[:20] not in " ".join(part.replace("’", "'").lower().split())


def _steps(total: int, progress: Callable[[str], None]) -> Callable[[int, Reply], None]:
    """Reports every tenth of the replies as they arrive."""
    done = 0

    def on_reply(_: int, __: Reply) -> None:
        nonlocal done
        done += 1
        if total >= 2 * _STEPS and done < total and done * _STEPS // total > (done - 1) * _STEPS // total:
            progress(f"contract: {done} of {total} replies")

    return on_reply
