"""What decides a grounded benchmark."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from longreach.core.formatting import Depths, Lengths
from longreach.core.settings import LengthSpec, split_names
from longreach.models.providers import OFFLINE_EMBEDDER

EXTRACTIVE = "extractive"
"""The builder without a model: code asks only what it can know for certain."""
Filter = Literal["closed_book", "options"]
Kind = Literal["complete", "present", "altered", "next", "order", "section"]
KIND_NAMES: tuple[Kind, ...] = ("complete", "present", "altered", "next", "order", "section")
"""What code can ask; the first three are easy with the passage alone, the others are harder."""


def _filters(value: object) -> object:
    return () if value == "none" else split_names(value)


class GroundedSpec(LengthSpec):
    """Multiple-choice questions, each answered by one passage at a chosen depth, the same at every length."""

    family: Literal["grounded"] = "grounded"
    lengths: Lengths = Field(
        default=tuple(str(8000 * 2**power) for power in range(5)),
        description="tokens of context: 8k,32k,128k or 8k..128k/8k, or shares of --window",
    )
    depths: Depths = Field(
        default=tuple(float(depth) for depth in range(5, 100, 5)),
        description="percent of the other text before the passage that holds the answer: 5..95/5",
    )
    builder: str = Field(
        default=EXTRACTIVE,
        min_length=1,
        json_schema_extra={"form": "MODEL"},
        description="who writes the questions: a model, or 'extractive' (code: asks what it can know)",
    )
    kinds: Annotated[tuple[Kind, ...], BeforeValidator(split_names)] = Field(
        default=KIND_NAMES[:3],
        min_length=1,
        description="what code asks: how a sentence ends (complete), which sentence stands in the text (present), "
        "which figure (altered); harder: what comes next, in which order, in which section",
    )
    checker: str | None = Field(
        default=None,
        min_length=1,
        json_schema_extra={"form": "MODEL"},
        description="the model that tries the questions out; without one, the builder",
    )
    embedder: str = Field(
        default=OFFLINE_EMBEDDER,
        min_length=1,
        json_schema_extra={"form": "NAME"},
        description="finds similar passages: wordllama or openai:MODEL",
    )
    embedder_url: str | None = Field(
        default=None,
        json_schema_extra={"form": "URL"},
        description="address of an OpenAI-compatible server for --embedder",
    )
    passage_words: int = Field(default=600, ge=20, le=10_000, description="about how many words a passage has")
    options: int = Field(default=6, ge=2, le=10, description="answers to choose from")
    questions: int | None = Field(
        default=None,
        ge=1,
        le=50,
        description="questions per depth, by default 2 by code and 1 by a model, each from its own passage (code: from "
        "its own sentence)",
    )
    tries: int = Field(default=5, ge=1, le=50, description="attempts per passage before moving to the previous one")
    moves: int = Field(
        default=3, ge=0, le=10_000, description="passages a question may move back (code: at least 60, to both sides)"
    )
    neighbours: int = Field(default=5, ge=1, le=50, description="similar passages in which an answer must not stand")
    layout: Literal["centred", "nested"] = Field(
        default="centred", description="cut both sides of the text, or keep its beginning so that prompts share it"
    )
    domains: Literal["folders", "one"] = Field(
        default="folders", description="keep the documents of each folder apart, or join all of them"
    )
    long_documents: int = Field(default=1, ge=1, le=1000, description="long texts joined from a domain, at most")
    reuse_documents: bool = Field(
        default=False, description="let a document serve in several long texts, until there are --long-documents"
    )
    filters: Annotated[tuple[Filter, ...], BeforeValidator(_filters)] = Field(
        default=("closed_book", "options"),
        description="checks beyond the paper's for questions of a model: closed_book,options, or none",
    )
    question_first: bool = Field(
        default=False, description="put the question before the text as well as after it; prompts then share no prefix"
    )
    evidence: bool = Field(
        default=False, description="ask also for the sentence that the answer rests on, and check it"
    )
    controls: bool = Field(default=True, description="ask each question also of its passage alone and of no text")
    language: Literal["auto", "en", "zh"] = Field(default="auto", description="of the prompts; auto: the documents'")
    questions_file: str | None = Field(
        default=None,
        json_schema_extra={"form": "FILE"},
        description="your own questions, JSONL: question, answer, options, and the passage of --docs or its file",
    )
    from_tail: str | None = Field(
        default=None,
        json_schema_extra={"form": "FILE"},
        description="a benchmark in TAIL's released format: a JSON or JSONL file, or hf:OWNER/NAME",
    )

    @property
    def by_code(self) -> bool:
        """Whether code writes the questions."""
        return self.builder == EXTRACTIVE

    @property
    def per_depth(self) -> int:
        """Questions at each depth of a long document."""
        return self.questions or (2 if self.by_code and not self.questions_file else 1)

    @property
    def asked_kinds(self) -> tuple[Kind, ...]:
        """What code asks; a sentence to complete has a prompt of its own, without evidence or the question first."""
        apart = self.evidence or self.question_first
        return tuple(kind for kind in self.kinds if not (apart and kind == "complete")) or self.kinds

    @property
    def checked_by(self) -> str | None:
        """The model that tries the questions out, if any."""
        return self.checker or (None if self.by_code else self.builder)

    @model_validator(mode="after")
    def _whole(self) -> GroundedSpec:
        if self.from_tail and self.docs:
            raise ValueError("from_tail brings its own texts; leave out docs or from_tail")
        if self.questions_file and (self.from_tail or not self.by_code or self.checker):
            raise ValueError("questions_file brings its own questions; leave out builder, checker and from_tail")
        if self.checker == EXTRACTIVE:
            raise ValueError("checker 'extractive' is no model; name one, or leave checker out")
        if self.question_first and self.evidence:
            raise ValueError("question_first and evidence are two prompts; leave out one of them")
        return self
