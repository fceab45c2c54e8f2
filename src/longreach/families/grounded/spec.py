"""What decides a grounded benchmark."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from longreach.core.formatting import Depths, Lengths
from longreach.core.settings import LengthSpec, setting, split_names
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

    contexts_flag: ClassVar[str] = "--depths"
    added_later: ClassVar[tuple[str, ...]] = ("question_after",)
    usual: ClassVar[tuple[str, ...]] = ("docs", "lengths", "depths", "builder")
    example: ClassVar[str] = "--docs contracts/ --lengths 8k,32k --depths 10..90/20 -o bench"
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
    kinds: Annotated[tuple[Kind, ...], BeforeValidator(split_names)] = setting(
        default=KIND_NAMES[:3],
        min_length=1,
        description="what code asks: how a sentence ends (complete), which sentence stands in the text (present), "
        "which figure (altered); harder: what comes next, in which order, in which section",
        flag=None,
    )
    checker: str | None = Field(
        default=None,
        min_length=1,
        json_schema_extra={"form": "MODEL"},
        description="the model that tries the questions out; without one, the builder",
    )
    embedder: str = setting(
        default=OFFLINE_EMBEDDER,
        min_length=1,
        form="NAME",
        description="finds similar passages: wordllama or openai:MODEL",
        flag=None,
    )
    embedder_url: str | None = setting(
        default=None,
        form="URL",
        description="address of an OpenAI-compatible server for embedder",
        flag=None,
    )
    passage_words: int = setting(
        default=600, ge=20, le=10_000, description="about how many words a passage has", flag=None
    )
    options: int = setting(default=6, ge=2, le=10, description="answers to choose from", flag=None)
    questions: int | None = Field(
        default=None,
        ge=1,
        le=50,
        description="questions per depth, by default 2 by code and 1 by a model, each from its own passage (code: from "
        "its own sentence)",
    )
    tries: int = setting(
        default=5, ge=1, le=50, description="attempts per passage before moving to the previous one", flag=None
    )
    moves: int = setting(
        default=3,
        ge=0,
        le=10_000,
        description="passages a question may move back (code: at least 60, to both sides)",
        flag=None,
    )
    neighbours: int = setting(
        default=5, ge=1, le=50, description="similar passages in which an answer must not stand", flag=None
    )
    layout: Literal["centred", "nested", "shared"] = setting(
        default="centred",
        description="cut both sides of the text, keep its beginning so that prompts share it, or (your own questions) "
        "share windows",
        flag=None,
    )
    domains: Literal["folders", "one"] = setting(
        default="folders", description="keep the documents of each folder apart, or join all of them", flag=None
    )
    long_documents: int = setting(
        default=1, ge=1, le=1000, description="long texts joined from a domain, at most", flag=None
    )
    reuse_documents: bool = setting(
        default=False,
        description="let a document serve in several long texts, until there are long_documents",
        flag=None,
    )
    filters: Annotated[tuple[Filter, ...], BeforeValidator(_filters)] = setting(
        default=("closed_book", "options"),
        description="checks beyond the paper's for questions of a model: closed_book,options, or none",
        flag=None,
    )
    question_first: bool = setting(
        default=False,
        description="put the question before the text as well as after it; prompts then share no prefix",
        flag=None,
    )
    question_after: bool = setting(
        default=True, description="false, with question_first: do not repeat the question after the text", flag=None
    )
    evidence: bool = setting(
        default=False, description="ask also for the sentence that the answer rests on, and check it", flag=None
    )
    controls: bool = setting(
        default=True, description="ask each question also of its passage alone and of no text", flag=None
    )
    language: Literal["auto", "en", "zh"] = setting(
        default="auto", description="of the prompts; auto: the documents'", flag=None
    )
    questions_file: str | None = Field(
        default=None,
        json_schema_extra={"form": "FILE"},
        description="your own questions, CSV, JSONL or XLSX: question, answer, and options, quote, file, page, "
        "unanswerable where known",
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
        if self.layout == "shared" and not self.questions_file:
            raise ValueError("layout shared is for a questions_file; give one, or another layout")
        if self.checker == EXTRACTIVE:
            raise ValueError("checker 'extractive' is no model; name one, or leave checker out")
        if self.question_first and self.evidence:
            raise ValueError("question_first and evidence are two prompts; leave out one of them")
        if not self.question_after and not self.question_first:
            raise ValueError("question_after false is for question_first; the question would not be asked")
        return self

    @property
    def reading_prompt(self) -> str:
        """The prompt that asks about a whole text."""
        if self.evidence:
            return "evidence"
        if not self.question_first:
            return "reading"
        return "question_first" if self.question_after else "question_only_first"
