"""Documents to items: one story per length, the fact paragraph at each depth, each prompt over it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np

from sonde.core.bench import Draft
from sonde.core.context import Insert, Piece, Span
from sonde.core.corpus import Corpus
from sonde.core.document import Document
from sonde.core.item import Cell, Item, Placement
from sonde.core.measure import resolve_lengths
from sonde.core.prompt import Prompt
from sonde.core.question import Mark, Planted, Question
from sonde.core.tokenizer import Tokenizer
from sonde.errors import BadInput, did_you_mean
from sonde.families.base import STORY, Workshop
from sonde.text.assemble import Assembler
from sonde.text.index import index_documents

from .ask import answer_tokens, question_sheet
from .facts import FactSet, make_facts
from .spec import NeedlesSpec

__all__ = ["build_needles"]

_PLANT = "facts"
_BREAK = "\n\n"


def build_needles(
    spec: NeedlesSpec, documents: Sequence[Document], tokenizer: Tokenizer, workshop: Workshop, version: int
) -> tuple[Draft, Corpus]:
    """A whole benchmark; nothing here depends on the model that will be tested."""
    order = list(documents)
    Random(f"documents {spec.seed}").shuffle(order)
    language = _language(spec, order)
    prompts = _load_prompts(spec, language)
    longest = max((int(length) for length in spec.lengths if not length.endswith("%")), default=0)
    if any(length.endswith("%") for length in spec.lengths):
        longest = max(longest, spec.window or 0)
    corpus = index_documents(order, tokenizer, need=longest)
    if not corpus.info.seams.additive or not len(corpus.cuts):
        workshop.warn(
            f"tokenizer '{tokenizer.name}' lets this text be cut nowhere exactly: every context is counted whole"
        )

    text = bytes(corpus.text)
    fact_set = make_facts(
        spec.seed,
        facts=spec.facts,
        per_probe=spec.questions,
        language=language,
        register=spec.register_,
        taken=lambda word: word.encode() in text,
    )
    questions = [question for question in fact_set.questions if question.probe in spec.probes]
    planted = _paragraph(fact_set, language)
    stories = _Stories(corpus, tokenizer, planted)
    sheets = [questions] if spec.ask == "quiz" else [[question] for question in questions]
    tails = [(prompt, sheet, _tail(prompt, sheet)) for prompt in prompts for sheet in sheets]
    head = prompts[0].around(STORY)[0]
    reserve = tokenizer.count(head) + max(tokenizer.count(tail) + answer_tokens(len(sheet)) for _, sheet, tail in tails)
    try:
        lengths = resolve_lengths(spec.lengths, spec.window, reserve)
    except ValueError as error:
        raise BadInput(f"lengths: {error}") from None

    items: list[Item] = []
    for length in lengths:
        for depth in spec.depths:
            pieces, before = stories.plant(length, depth)
            context = stories.assembler.context(tokenizer, pieces)
            place = _placement(pieces, before)
            realised: Cell = {"length": context.tokens, "depth": round(100 * before / context.tokens, 2)}
            for prompt in prompts:
                opening, after = prompt.around(STORY)
                rules = after.partition("{{questions}}")[0]
                through_story = stories.assembler.count(tokenizer, [opening, *pieces])
                through_rules = stories.assembler.count(tokenizer, [opening, *pieces, rules])
                mine = [(sheet, tail) for other, sheet, tail in tails if other is prompt]
                digests = stories.assembler.digests([opening, *pieces], [tail for _, tail in mine])
                for (sheet, tail), digest in zip(mine, digests, strict=True):
                    name = f"{length}-{depth:g}-{prompt.id}"
                    items.append(
                        Item(
                            id=name if spec.ask == "quiz" else f"{name}-{sheet[0].id}",
                            family=spec.family,
                            context=context,
                            prompt=prompt.id,
                            questions=tuple(question.id for question in sheet),
                            cell={"length": length, "depth": depth, "prompt": prompt.id},
                            realised=realised,
                            placed=(place,),
                            tokens=stories.assembler.count(tokenizer, [opening, *pieces, tail]),
                            through_story=through_story,
                            through_rules=through_rules,
                            sha256=digest,
                        )
                    )
    draft = Draft(
        family=spec.family,
        family_version=version,
        spec=spec.model_dump(mode="json", by_alias=True),
        prompts=tuple(prompts),
        planted=(planted,),
        questions=tuple(questions),
        items=tuple(items),
    )
    return draft, corpus


class _Stories:
    """Stories of any length over one corpus, with one paragraph planted in them."""

    def __init__(self, corpus: Corpus, tokenizer: Tokenizer, planted: Planted) -> None:
        self.assembler = Assembler(corpus, {planted.id: planted.text})
        self._corpus = corpus
        self._tokenizer = tokenizer
        self._insert = Insert(insert=planted.id)
        self._own = tokenizer.count(planted.text)

    def plant(self, length: int, depth: float) -> tuple[list[Piece], int]:
        """Pieces of the story of at most `length` tokens with the facts after `depth` percent of it, and the
        tokens before them. The place is depth x length, so that stories of several lengths share their beginning;
        at the very end it moves up by the paragraph's own tokens."""
        room = length - self._own
        if room < 1:
            raise BadInput(
                f"length {length} cannot hold the planted facts, which alone take {self._own} tokens; "
                f"ask for longer lengths or fewer facts"
            )
        if (missing := room - self._corpus.info.tokens) > 0:
            raise BadInput(
                f"the corpus has {self._corpus.info.tokens} tokens, length {length} needs {missing} more; "
                f"add documents or ask for shorter lengths"
            )
        last = int(np.searchsorted(self._corpus.counts, room, side="right")) - 1
        while last >= 0:
            pieces, before = self._pieces(min(self._cut(length * depth / 100), last), last)
            if self.assembler.count(self._tokenizer, pieces) <= length:
                return pieces, before
            last -= 1
        raise BadInput(
            f"length {length} is too short for one sentence beside the planted facts; ask for longer lengths"
        )

    def _cut(self, tokens: float) -> int:
        """The cut nearest to a number of tokens; -1 is the start of the text."""
        nearest = self._corpus.cut_near(int(tokens))
        return -1 if tokens < int(self._corpus.counts[nearest]) / 2 and nearest == 0 else nearest

    def _pieces(self, cut: int, last: int) -> tuple[list[Piece], int]:
        end, _ = self._around(last)
        if cut < 0:
            return [self._insert, Span(start=0, end=end)], 0
        left, right = self._around(cut)
        opening = Span(start=0, end=left)
        pieces: list[Piece] = [opening, self._insert]
        if right < end:
            pieces.append(Span(start=right, end=end))
        return pieces, self.assembler.count(self._tokenizer, [opening])

    def _around(self, cut: int) -> tuple[int, int]:
        """Where the sentence before a cut ends and the one after it begins, white space left out."""
        text, start = self._corpus.text, int(self._corpus.cuts[cut])
        left = start - (len(near := bytes(text[max(0, start - 8) : start])) - len(near.rstrip()))
        right = start + (len(near := bytes(text[start : start + 8])) - len(near.lstrip()))
        return left, right


def _language(spec: NeedlesSpec, documents: Sequence[Document]) -> str:
    if spec.language != "auto":
        return spec.language
    weight: Counter[str] = Counter()
    for document in documents:
        weight[document.language] += len(document.text)
    return weight.most_common(1)[0][0]


def _load_prompts(spec: NeedlesSpec, language: str) -> list[Prompt]:
    """The prompts in the order asked for; all must begin alike, or no prefix could be shared."""
    folder = Path(spec.prompt_folder) if spec.prompt_folder else Path(__file__).parent / "prompts" / language
    if not folder.is_dir():
        raise BadInput(f"there is no prompt folder {folder}; give a folder with NAME.txt files")
    known = sorted(path.stem for path in folder.glob("*.txt"))
    prompts: list[Prompt] = []
    for name in spec.prompts:
        if name not in known:
            raise BadInput(f"unknown prompt '{name}' in {folder.name}.{did_you_mean(name, known)}")
        prompt = Prompt.load(folder / f"{name}.txt")
        head, tail = prompt.around(STORY)
        if "{{questions}}" in head or "{{questions}}" not in tail:
            raise BadInput(
                f"prompt '{name}' in {folder}: {{{{questions}}}} must come after {{{{story}}}}; move it there"
            )
        if prompts and head != prompts[0].around(STORY)[0]:
            raise BadInput(
                f"prompt '{name}' in {folder} begins otherwise than '{prompts[0].id}'; give both the same words before "
                f"{{{{story}}}}, so that they share it"
            )
        prompts.append(prompt)
    return prompts


def _paragraph(facts: FactSet, language: str) -> Planted:
    """All facts as one paragraph of its own."""
    joint = "" if language == "zh" else " "
    text = _BREAK
    marks: list[Mark] = []
    for fact in facts.facts:
        text += joint if marks else ""
        start = len(text.encode())
        text += fact.text
        marks.append(Mark(id=fact.id, start=start, end=len(text.encode())))
    return Planted(id=_PLANT, text=text + _BREAK, facts=tuple(marks))


def _tail(prompt: Prompt, sheet: Sequence[Question]) -> str:
    return prompt.fill(prompt.around(STORY)[1], {"questions": question_sheet(sheet)})


def _placement(pieces: Sequence[Piece], before: int) -> Placement:
    start = 0
    for piece in pieces:
        if isinstance(piece, Insert):
            return Placement(insert=piece.insert, start=start, token=before)
        start += piece.end - piece.start
    raise AssertionError("every story has its facts")
