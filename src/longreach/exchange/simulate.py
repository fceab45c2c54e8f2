"""Simulated models answer a benchmark: their answers are stored in a folder of runs like imported ones and graded the
same way."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path

from longreach.core.bench import Bench
from longreach.core.runs import imported_file, keep_answers, keep_bench
from longreach.core.settings import ReadingSettings, setting
from longreach.core.types import Call, Frozen, Item, Question, SimulatedAnswer
from longreach.errors import BadInput
from longreach.families import get_family
from longreach.families.base import asked_text, written_answers
from longreach.families.parts import Searchable, Simulatable, part_of
from longreach.families.readings import FOUND, WAY
from longreach.families.showing import assembler_of
from longreach.models.prices import parse_price
from longreach.stats.counting import SIZES
from longreach.stats.simulated_models import ABSENT, WRONG, Asked, DraftAnswer, SimulatedModel, parse_simulated_model
from longreach.text.presence import fold, occurs_in

_CHARACTERS = 4  # per token, roughly


class Simulated(Frozen):
    """What a simulation wrote."""

    model: str
    bench: str
    """Digest of the benchmark."""
    file: str
    answers: int

    def __repr__(self) -> str:
        return f"{self.model}: {self.answers} answers in {self.file}"


class SimulateSettings(ReadingSettings):
    """How simulated models answer."""

    seed: int = setting(0, "Seed of the simulated answers.", ge=0)
    name: str = ""
    """Of one model."""
    price: str | None = setting(
        None, "US dollars per million tokens that their requests are to cost.", form="IN,CACHED,OUT"
    )


def simulate(bench: Bench, model: str, runs: Path, settings: SimulateSettings) -> Simulated:
    """Run a simulated model on every item. The same seed gives the same answers; another run of a name replaces its
    answers."""
    label, simulated = parse_simulated_model(model, settings.seed)
    label = settings.name or label
    if runs.exists() and not runs.is_dir():
        raise BadInput(f"{runs} is a file; choose a folder with -o")
    keep_bench(bench, runs)
    path = imported_file(runs, label, bench.info.digest)
    rates = parse_price(settings.price) if settings.price else None
    answers = (ask(bench, item, simulated, label) for item in bench.items.values())
    if rates:
        answers = (each.model_copy(update={"cost": rates.cost(each.tokens_in, 0, each.tokens_out)}) for each in answers)
    keep_answers(path, answers)
    return Simulated(model=label, bench=bench.info.digest, file=str(path), answers=len(bench.items))


def ask(bench: Bench, item: Item, model: SimulatedModel, name: str) -> Call:
    """The answer to one item."""
    family = get_family(bench.info.family)
    questions = [bench.questions[question] for question in item.questions]
    replies = [_reply(bench, item, question, model) for question in questions]
    write = family.write_answers if isinstance(family, Simulatable) else partial(written_answers, family)
    plain = write(questions, replies)
    draft = DraftAnswer(item=item.id, length=_length(item), text=plain, prompt=asked_text(family, bench, item))
    text, stop = model.write(draft)
    return Call(
        model=name,
        family=bench.info.family,
        bench=bench.info.digest,
        item=item.id,
        text=text,
        stop=stop,
        tokens_in=item.tokens,
        tokens_out=len(text) // _CHARACTERS,
    )


def _reply(bench: Bench, item: Item, question: Question, model: SimulatedModel) -> SimulatedAnswer:
    """What it replies; no model knows what is not among the passages that it was given."""
    asked = _asked(bench, item, question)
    if item.realised.get(FOUND, 1):
        return model.reply(asked)
    return WRONG if asked.options else ABSENT


def _length(item: Item) -> float:
    size = "" if WAY in item.cell else next((item.cell[name] for name in SIZES if name in item.cell), "")
    return float(max(1, item.context.tokens) if isinstance(size, str) else size)


def _asked(bench: Bench, item: Item, question: Question) -> Asked:
    wanted = set(question.evidence)
    places = [
        place.token
        for place in item.placed
        if not wanted or wanted & {fact.id for fact in bench.planted[place.insert].facts}
    ]
    tokens = max(1, item.context.tokens)
    return Asked(
        item=item.id,
        question=question.id,
        question_type=question.question_type,
        length=_length(item),
        depth=min(1.0, places[0] / tokens) if places else None,
        from_end=float(tokens - min(places)) if places else None,
        context=item.context.sha256 if item.context.tokens else item.id,
        unanswerable=question.key.kind == "absent",
        options=part_of(get_family(bench.info.family), Searchable).options(question),
        text=question.text,
        occurs=lambda words: occurs_in(words, _context(bench, item.id)),
    )


@lru_cache(maxsize=2)
def _context(bench: Bench, item: str) -> str:
    """The last contexts searched, folded."""
    return fold(assembler_of(bench).text(bench.items[item].context.pieces).decode(errors="ignore"))
