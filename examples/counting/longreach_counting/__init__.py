"""Whether a model can count events spread over a long context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from longreach.core.bench import Corpus, Draft, Prompt
from longreach.core.figure import Axis, Curve, Heatmap
from longreach.core.formatting import resolve_lengths, text_too_short
from longreach.core.settings import LengthSpec
from longreach.core.types import Document, Insert, Item, Key, Mark, Piece, Planted, Question, Span, Tokenizer, Verdict
from longreach.errors import BadInput
from longreach.families.base import BuildContext, Family
from longreach.families.building import ItemMaker
from longreach.grading import grade_answer
from longreach.text.assemble import Assembler
from longreach.text.index import index_documents

__all__ = ["FAMILY", "Counting", "CountingSpec"]

PLACES = ("Ardmoor", "Brethel", "Calder Point", "Dunmarrow", "Eskwater", "Fallowgate", "Greyhaven", "Hartlow")
_ANSWER_ROOM = 16  # tokens for one number and a few words around it


def _numbers(given: Any) -> Any:
    return tuple(int(part) for part in given.split(",")) if isinstance(given, str) else given


class CountingSpec(LengthSpec):
    """Some events at random places of each length."""

    family: Literal["counting"] = "counting"
    counts: Annotated[tuple[int, ...], BeforeValidator(_numbers)] = Field(
        default=(2, 4, 8), min_length=1, description="how many events to insert: 2,4,8"
    )
    samples: int = Field(default=3, ge=1, le=1000, description="contexts per length and count")


class Counting(Family[CountingSpec]):
    """How many times does it happen?"""

    name = "counting"
    version = 1
    title = "Counting"
    about = (
        "A bell rings at several places of a long text, one sentence each time. The model is asked how often. Finding "
        "one sentence is not enough: every one of them must be found, and none counted twice."
    )
    axes = (
        Axis(name="length", title="Length", unit="tokens", scale="log"),
        Axis(name="count", title="Events", scale="linear"),
        Axis(name="sample", title="Sample", scale="linear"),
        Axis(name="question_type", title="Question type", values=("count",)),
    )
    charts = (
        Heatmap(id="map", title="Score by number of events and length", x="length", y="count"),
        Curve(id="by-length", title="At which length does the score fall?", x="length", lines=("question_type",)),
    )
    spec_type = CountingSpec

    def build(
        self, spec: CountingSpec, documents: Sequence[Document], tokenizer: Tokenizer, _: BuildContext
    ) -> tuple[Draft, Corpus]:
        prompt = Prompt.load(Path(__file__).with_name("count.txt"))
        places = Random(f"counting {spec.seed}").sample(PLACES, len(PLACES))
        rings = tuple(_ring(place) for place in places)
        lengths = resolve_lengths(spec.lengths, window=spec.window, reserve=200)
        corpus = index_documents(documents, tokenizer, need=max(lengths))
        maker = ItemMaker(self.name, Assembler(corpus, {ring.id: ring.text for ring in rings}), tokenizer)
        most = max(spec.counts) * max(tokenizer.count(ring.text) for ring in rings)
        if short := text_too_short(corpus.info.tokens, lengths, most):
            raise BadInput(f"the documents have {short}; add documents or ask for shorter lengths")
        made = list(_items(spec, maker, corpus, prompt, rings, lengths))
        draft = Draft(
            family=self.name,
            family_version=self.version,
            spec=spec.model_dump(mode="json", by_alias=True),
            prompts=(prompt,),
            planted=rings,
            questions=tuple(question for question, _ in made),
            items=tuple(item for _, item in made),
            build={"places": places},
        )
        return draft, corpus

    def variables(self, questions: Sequence[Question]) -> dict[str, str]:
        return {"question": questions[0].text}

    def grade(self, questions: Sequence[Question], text: str) -> list[Verdict]:
        return [grade_answer(text, question.key) for question in questions]

    def sample_answer(self, questions: Sequence[Question], *, right: bool) -> str:
        return str(int(questions[0].key.answer) + (not right))

    def answer_tokens(self, questions: Sequence[Question]) -> int:
        return _ANSWER_ROOM * len(questions)


def _ring(place: str) -> Planted:
    text = f"The bell of {place} rang once. "
    return Planted(id=place, text=text, facts=(Mark(id=place, start=0, end=len(text.encode()) - 1),))


def _items(
    spec: CountingSpec,
    maker: ItemMaker,
    corpus: Corpus,
    prompt: Prompt,
    rings: Sequence[Planted],
    lengths: Sequence[int],
) -> Iterator[tuple[Question, Item]]:
    """One item per length, count and sample; the samples of a length take turns with the places."""
    for length in lengths:
        for count in spec.counts:
            for sample in range(spec.samples):
                ring = rings[(sample + spec.counts.index(count)) % len(rings)]
                name = f"{length}-{count}-{sample}"
                room = length - count * maker.tokenizer.count(ring.text)
                last = corpus.cut_near(room)
                if last < count:
                    raise BadInput(f"length {length} has no room for {count} events; ask for fewer or longer lengths")
                cuts = sorted(Random(f"{spec.seed} {name}").sample(range(last), count))
                question = Question(
                    id=name,
                    question_type="count",
                    text=f"How many times did the bell of {ring.id} ring?",
                    key=Key(kind="number", answer=str(count)),
                    evidence=(ring.id,),
                )
                context = maker.context(_pieces(corpus, cuts, last, ring.id))
                cell = {"length": length, "count": count, "sample": sample}
                yield question, maker.item(name, context, prompt, [question], {"question": question.text}, cell=cell)


def _pieces(corpus: Corpus, cuts: Sequence[int], last: int, insert: str) -> list[Piece]:
    """The text up to cut `last`, with the inserted sentence before the sentences that begin at `cuts`."""
    at, pieces = 0, list[Piece]()
    for cut in cuts:
        place = int(corpus.cuts[cut])
        pieces += [Span(start=at, end=place)] if place > at else []
        pieces.append(Insert(insert=insert))
        at = place
    return [*pieces, Span(start=at, end=int(corpus.cuts[last]))]


FAMILY = Counting()
