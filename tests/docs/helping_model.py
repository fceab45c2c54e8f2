"""A model on loopback for every role in the documentation: builder, checker, writer, rewriter, judge, embedder, and the
model under test, which answers only the first question of a prompt, wrongly."""

from __future__ import annotations

import hashlib
import json
import re

from tests.doubles.chat_server import Asked, Reply
from tests.families.grounded import helping_model as grounded

_REWORDED = "Then again, "


def reply(asked: Asked) -> Reply:
    """What this model replies to a request of any role."""
    if "input" in asked.body:
        return Reply(raw=json.dumps({"data": _embeddings(asked.body["input"])}).encode())
    prompt = asked.prompt
    if "You are grading answers" in prompt:
        count = int(re.findall(r"Write exactly (\d+) lines", prompt)[-1])
        return Reply("\n".join(f"{number}: 0" for number in range(1, count + 1)))
    if "Say which option the answer settles on" in prompt:
        return Reply("none")
    if "<part>" in prompt or "Answer a multiple-choice question" in prompt:
        return grounded.answer(asked)
    for sign, answer in _ROLES.items():
        if sign in prompt:
            return Reply(answer(prompt, bool(asked.body.get("seed"))))
    return Reply(prompt_tokens=asked.size // 100)  # few, so that a page's budget holds all of its runs


def _embeddings(texts: list[str]) -> list[dict[str, object]]:
    digests = [hashlib.sha256(text.encode()).digest() for text in texts]
    return [{"index": at, "embedding": [byte / 255 for byte in digest]} for at, digest in enumerate(digests)]


def _inside(prompt: str, tag: str) -> str:
    return prompt.split(f"<{tag}>")[1].split(f"</{tag}>")[0].strip()


def _sentences(text: str) -> list[str]:
    return re.findall(r"\b[A-Z][a-z][^.!?:;\"()\d]{40,160}\.", " ".join(text.split()))


def _contract(prompt: str, _: bool) -> str:
    share = int(re.findall(r"about (\d+) % of its length", prompt)[0]) / 100
    words = _inside(prompt, "passage").split(" ")
    return " ".join(words[: max(1, round(len(words) * share))])


def _summarise(prompt: str, _: bool) -> str:
    return " ".join(_sentences(_inside(prompt, "story"))[:6])


def _paraphrase(prompt: str, again: bool) -> str:
    opening = f"{_REWORDED}and so, " if again else _REWORDED
    return re.sub(r"(^|(?<=\. ))[A-Z]", lambda match: opening + match[0].lower(), _inside(prompt, "summary"))


def _check(prompt: str, _: bool) -> str:
    """Rejects one summary in five, as long as it is in its first wording."""
    summary = _inside(prompt, "summary")
    doubtful = not summary.startswith(_REWORDED) and hashlib.sha256(summary.encode()).digest()[0] < 51
    finding = {"type": "event", "sentence": summary.partition(". ")[0], "correction": "?", "reason": "not so"}
    return json.dumps(
        {"verdict": "hallucinated" if doubtful else "faithful", "findings": [finding] if doubtful else []}
    )


def _wrong(prompt: str, _: bool) -> str:
    """One sentence with its last word changed, where an error in an event is asked for."""
    sentence = _inside(prompt, "summary").splitlines()[-1]
    changed = re.sub(r"\w+\.$", "nothing of the kind.", sentence)
    possible = "contains an event error" in prompt
    texts = (sentence, changed, "the last word differs") if possible else ("", "", "nothing to change")
    return json.dumps({"possible": possible, **dict(zip(("original", "changed", "reason"), texts, strict=True))})


def _entities(prompt: str, _: bool) -> str:
    names = re.findall(r"(?<!\. )(?<!^)\b[A-Z][a-z]+", _inside(prompt, "summary"))
    return json.dumps({"people": names, "places": [], "groups": [], "numbers": []})


_ROLES = {
    "Output only the shortened passage": _contract,
    "Write a summary of this part": _summarise,
    "Say the same in other words": _paraphrase,
    "List the names and figures": _entities,
    "Rewrite exactly one sentence": _wrong,
    "Check the summary below": _check,
}
"""A sentence of each prompt, and the reply to it."""
