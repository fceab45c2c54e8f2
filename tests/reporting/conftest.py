"""A report that looks like a real run: scores fall with length, some answers cannot be scored."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable

import pytest
from tests.rows import make_row

from longreach.core.figure import Axis, Curve, FamilyView, Heatmap
from longreach.core.types import Call, Key, Question, Row, Status, Verdict
from longreach.reporting.views import Excerpt, Report, ShownRequest

NEEDLES = FamilyView(
    name="needles",
    title="Needles in a story",
    about="Facts are planted in a long story at a known depth. Literal questions ask for what a fact says, inference "
    "questions for what follows from several. Abstention questions ask for what the story never mentions.",
    axes=(
        Axis(name="length", title="Length", unit="tokens", scale="log"),
        Axis(name="depth", title="Depth", unit="%", scale="linear"),
        Axis(name="prompt", title="Prompt", values=("standard", "anti_hallucination")),
        Axis(name="question_type", title="Question type", values=("literal", "inference", "abstention")),
        Axis(name="distribution", title="Distribution", values=("uniform", "normal", "arcsine")),
    ),
    charts=(
        Curve(id="by-length", title="Score against length", x="length", lines=("prompt", "question_type")),
        Curve(id="by-distribution", title="Score by distribution", x="distribution", lines=("prompt",)),
        Heatmap(id="map", title="Depth and length", x="length", y="depth", by=("prompt", "question_type")),
    ),
)
"""A family with all kinds of charts."""

_NAMES = ("Odile Marchand", "Casimir Vautrel", "Hortense Lagny", "Prosper Quenel", "Sidonie Barre")
_TOWNS = ("Angers", "Limoges", "Saumur", "Tours")
_BEFORE = "The evening had drawn in over the square, and the last of the carriages had gone down towards the river. "
_AFTER = " Nobody in the house spoke of it again that week, for the harvest accounts had to be made up before Sunday."

Maker = Callable[..., Report]


def make_report(
    models: tuple[str, ...] = ("embedded", "example/long-reader-2"),
    lengths: tuple[int, ...] = (500, 1000, 2000, 4000, 8000, 16000),
    depths: tuple[int, ...] = (10, 30, 50, 70, 90),
    each: int = 5,
    prompts: tuple[str, ...] = ("standard", "anti_hallucination"),
    answers: dict[str, str] | None = None,
    hole: bool = True,
) -> Report:
    """A whole report; `each` questions per type and item; `answers` replaces what is said to some question ids."""
    rng = random.Random(7)
    rows: list[Row] = []
    calls: list[Call] = []
    requests: dict[str, ShownRequest] = {}
    for strength, model in enumerate(models):
        for length in lengths:
            for depth in depths:
                if hole and length == lengths[-1] and depth == depths[-1] and len(lengths) > 1:
                    continue
                for prompt in prompts:
                    item = f"needles/{length}/{depth}/{prompt}"
                    questions = _questions(length, depth, each)
                    requests.setdefault(item, _request(item, length, depth, prompt, questions))
                    cell: dict[str, str | int | float] = {"length": length, "depth": depth, "prompt": prompt}
                    realised: dict[str, str | int | float] = {
                        "length": length - 7,
                        "depth": depth + 0.4,
                        "prompt": prompt,
                    }
                    seconds = length / 210 + rng.random()
                    for question in questions:
                        chance = _chance(strength, length, depth, prompt, question.question_type)
                        verdict = _verdict(rng, question, chance, length, (answers or {}).get(question.id))
                        rows.append(
                            make_row(
                                model=model,
                                bench="b1",
                                item=item,
                                question=question.id,
                                question_type=question.question_type,
                                cell=cell,
                                realised=realised,
                                verdict=verdict,
                                tokens_in=length + 310,
                                tokens_cached=length // 2,
                                tokens_out=42,
                                seconds=seconds,
                            )
                        )
                    said = [f"Question {n}: {row.verdict.answer}" for n, row in enumerate(rows[-len(questions) :], 1)]
                    calls.append(
                        Call(
                            model=model,
                            family="needles",
                            bench="b1",
                            item=item,
                            text="\n".join(said),
                            stop="stop",
                            tokens_in=length + 310,
                            tokens_cached=length // 2,
                            tokens_out=42,
                            seconds=seconds,
                            cost=0.0004 if strength else None,
                        )
                    )
    return Report(
        title="What two small models find in a long story",
        rows=tuple(rows),
        calls=tuple(calls),
        requests=tuple(requests.values()),
        families=(NEEDLES,),
        windows={"embedded": 16384, "example/long-reader-2": 131072},
        notes=("Every story of a shorter length is the beginning of the longer ones.",),
    )


def _chance(strength: int, length: int, depth: int, prompt: str, question_type: str) -> float:
    middle = 1 - abs(depth - 50) / 50
    chance: float = 0.97 - (0.16 - 0.11 * strength) * math.pow(length / 500, 0.55) * (0.55 + 0.5 * middle)
    if question_type == "inference":
        chance -= 0.2
    if question_type == "abstention":
        chance = 0.25 + 0.4 * strength + (0.3 if prompt != "standard" else 0)
    elif prompt != "standard":
        chance -= 0.1
    return min(1.0, max(0.02, chance))


def _questions(length: int, depth: int, each: int) -> tuple[Question, ...]:
    made = []
    for number in range(each):
        who, town = _NAMES[number % len(_NAMES)], _TOWNS[(number + depth) % len(_TOWNS)]
        stem = f"{length}-{depth}-{number}"
        town_key = Key(kind="text", answer=town, accept=(f"in {town}",))
        asked = f"In which town did {who} sell the grey mare?"
        made.append(
            Question(id=f"lit-{stem}", question_type="literal", text=asked, key=town_key, evidence=(f"f{number}",))
        )
        asked = f"Who left {town} first, {who} or the notary?"
        key = Key(kind="text", answer=who)
        made.append(
            Question(id=f"inf-{stem}", question_type="inference", text=asked, key=key, evidence=(f"f{number}",))
        )
        asked = f"What did {who} pay for the pew in the chapel?"
        key = Key(kind="absent", answer="Not mentioned in the text or story.")
        made.append(Question(id=f"abs-{stem}", question_type="abstention", text=asked, key=key))
    return tuple(made)


def _request(item: str, length: int, depth: int, prompt: str, questions: tuple[Question, ...]) -> ShownRequest:
    towns = [_TOWNS[(n + depth) % len(_TOWNS)] for n in range(len(questions))]
    excerpts = tuple(
        Excerpt(
            parts=(
                (_BEFORE, ""),
                (f"{_NAMES[n % len(_NAMES)]} had sold the grey mare at {towns[n]} last spring.", f"f{n}"),
                (_AFTER, ""),
            ),
            depth=depth / 100 + 0.004,
        )
        for n in range(sum(question.question_type == "literal" for question in questions))
    )
    return ShownRequest(
        item=item,
        cell={"length": length, "depth": depth, "prompt": prompt},
        realised={"length": length - 7, "depth": depth + 0.4, "prompt": prompt},
        prompt=f"needles/{prompt}",
        tokens=length + 290,
        sha256=hashlib.sha256(item.encode()).hexdigest(),
        excerpts=excerpts,
        questions=questions,
    )


def _verdict(rng: random.Random, question: Question, chance: float, length: int, said: str | None) -> Verdict:
    fate: Status = "scored"
    luck = rng.random()
    if luck < 0.004 * (length / 1000):
        fate = "truncated"
    elif luck > 0.985:
        fate = "unparsed"
    right = rng.random() < chance
    answer = said if said is not None else question.key.answer if right else "the old coaching inn at Blois"
    if fate != "scored":
        return Verdict(status=fate, answer=said or "", reason="the reply ended in the middle of a line")
    reason = "equals the key" if right else "names a place the key does not know"
    return Verdict(status="scored", value=float(right), answer=answer, reason=reason)


@pytest.fixture(scope="session")
def report_maker() -> Maker:
    """Makes reports of any shape."""
    return make_report


@pytest.fixture(scope="session")
def report() -> Report:
    """Two models, six lengths, five depths, two prompts, three question_types."""
    return make_report()
