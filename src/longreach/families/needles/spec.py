"""What decides a needles benchmark."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from longreach.core.formatting import Counts, Lengths, MaybeDepths, tokens_setting
from longreach.core.settings import LengthSpec, ModelName, setting, split_names
from longreach.errors import did_you_mean

from .distributions import DISTRIBUTIONS
from .facts import QuestionType

QUESTION_TYPES: tuple[QuestionType, ...] = ("literal", "inference", "abstention")
Protocol = Literal["depth", "distribution"]
_SETS = 5
_MOST_HOPS = 6
_DECOYS, _DECOYS_FROM = 4, 4_000
_DEPTHS = tuple(float(depth) for depth in range(10, 101, 10))
_OF_A_MAP = ("depths", "layout", "haystack", "sets", "decoys", "turns")
"""Settings that ask for a map by depth instead of a pool of windows."""


def _known_distributions(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in DISTRIBUTIONS:
            raise ValueError(f"unknown distribution '{name}'.{did_you_mean(name, DISTRIBUTIONS)}")
    return names


def _count_or_file(given: object) -> object:
    return int(given) if isinstance(given, str) and given.isascii() and given.isdigit() else given


def _hops(given: tuple[int, ...]) -> tuple[int, ...]:
    if given[0] != 2 or given[-1] > _MOST_HOPS:
        raise ValueError(f"an inference needs 2 to {_MOST_HOPS} facts; give 2 and some of 3 to 6, for instance 2,3,4")
    return given


_OF_LONGEST = re.compile(r"(chronicle:.+/)(\d{3})%")


def _with_sized_docs(data: Mapping[str, Any]) -> dict[str, Any]:
    """Settings in which a chronicle of 125% is one of so many tokens: a share of the longest length."""
    docs, lengths = data.get("docs") or (), data.get("lengths") or ()
    if not isinstance(docs, str | list | tuple):
        return dict(data)  # the field says what is wrong
    given = [docs] if isinstance(docs, str) else list(docs)
    shares = [_OF_LONGEST.fullmatch(str(each)) for each in given]
    if not any(shares):
        return dict(data)
    listed = lengths.split(",") if isinstance(lengths, str) else [str(each) for each in lengths]
    plain = [int(tokens_setting(each) or 0) for each in listed if each and "%" not in each and ".." not in each]
    longest = max([int(tokens_setting(data.get("window")) or 0), *plain])
    pairs = zip(shares, given, strict=True)
    return {**data, "docs": [f"{of[1]}{longest * int(of[2]) // 100}" if of else each for of, each in pairs]}


class NeedlesSpec(LengthSpec):
    """Facts in a long context: all over fresh windows of each length, at each depth of each length, or scattered by
    distributions."""

    contexts_flag: ClassVar[str] = "--contexts"
    added_later: ClassVar[tuple[str, ...]] = ("split", "turns", "hops")
    usual: ClassVar[tuple[str, ...]] = ("docs", "lengths", "contexts", "depths")
    example: ClassVar[str] = "--docs contracts/ --lengths 4k,16k,64k --contexts 30 -o bench"
    family: Literal["needles"] = "needles"
    lengths: Lengths = Field(
        default=tuple(str(1000 * 2**power) for power in range(2, 8)),
        description="tokens of context: 1k,2k,4k or 8k..128k/8k, or shares of --window: 10%..100%/10%",
    )
    contexts: int = Field(
        default=30,
        ge=1,
        le=1000,
        description="contexts per length, each another window of the documents with facts of its own at all depths",
    )
    protocols: Annotated[tuple[Protocol, ...], BeforeValidator(split_names)] = Field(
        default=("depth",),
        min_length=1,
        description="depth: contexts of each length; distribution: facts scattered over the longest",
    )
    depths: MaybeDepths = Field(
        default=None,
        json_schema_extra={"form": "PERCENT,..."},
        description="a map by depth instead of --contexts: all facts together after this percent of the context's "
        "tokens: 10..90/20 or 10..100/10; five or more",
    )
    layout: Literal["paragraph", "comb"] = setting(
        default="paragraph",
        description="of a map: one fact paragraph per context (paragraph), or one context with a paragraph at every "
        "depth (comb)",
        flag=None,
    )
    distributions: Annotated[tuple[str, ...], BeforeValidator(split_names), AfterValidator(_known_distributions)] = (
        setting(
            default=tuple(DISTRIBUTIONS),
            min_length=1,
            form="NAME,...",
            choices=list(DISTRIBUTIONS),
            description="how the protocol distribution scatters facts: " + ", ".join(DISTRIBUTIONS),
            flag=None,
        )
    )
    bins: int = setting(
        default=20, ge=2, le=1000, description="equal parts of the context that facts are scattered over", flag=None
    )
    haystack: Literal["nested", "contract", "extract"] = setting(
        default="nested",
        description="shorter contexts are the beginning of longer ones (nested), have sentences left out (extract) or "
        "are rewritten by a model (contract)",
        flag=None,
    )
    shorten_longest: bool = setting(
        default=False,
        description="for haystack extract and contract: the longest context too is shortened, from all documents in "
        "their given order",
        flag=None,
    )
    rewriter: ModelName = setting(default=None, description="the model that rewrites for haystack contract", flag=None)
    slice: Annotated[int, BeforeValidator(tokens_setting)] = setting(
        default=2000, ge=100, le=100_000, description="tokens that the rewriter gets at once", flag=None
    )
    prompts: Annotated[tuple[str, ...] | None, BeforeValidator(split_names)] = Field(
        default=None,
        min_length=1,
        json_schema_extra={"form": "NAME,..."},
        description="prompt names: standard, anti_hallucination; by default the second, a map has both",
    )
    prompt_folder: str | None = setting(
        default=None, form="FOLDER", description="a folder with other wordings of the prompts", flag=None
    )
    question_order: Literal["shuffled", "by_type"] = setting(
        default="shuffled",
        description="of the questions in a request: shuffled for each context, or literal, inference, abstention",
        flag=None,
    )
    ask: Literal["together", "each"] | None = setting(
        default=None,
        description="all questions in one request, or each in its own over the same context; by default each, in a "
        "map together",
        flag=None,
    )
    facts: Annotated[int | str, BeforeValidator(_count_or_file)] = Field(
        default=10,
        json_schema_extra={"form": "INTEGER|FILE"},
        description="planted facts, an even number from 2 to 10; or a YAML file with your own facts and questions",
    )
    questions: int | None = Field(
        default=None, ge=1, le=10, description="questions per question type; as many as facts"
    )
    question_types: Annotated[tuple[QuestionType, ...], BeforeValidator(split_names)] = setting(
        default=QUESTION_TYPES, min_length=1, description="what to ask about: literal, inference, abstention", flag=None
    )
    hops: Annotated[Counts, AfterValidator(_hops)] = setting(
        default=(2,),
        form="INTEGER,...",
        description="facts that an inference needs: 2, and some of 3 to 6; chains of more than two are planted beside "
        "the pairs, and only inference is asked about them",
        flag=None,
    )
    decoys: int | None = setting(
        default=None,
        ge=0,
        le=20,
        description="other fact paragraphs that nothing is asked about, in the shortest context that has any; longer "
        "ones have more; by default 4 in contexts of 4k tokens or more",
        flag=None,
    )
    language: Literal["auto", "en", "zh"] = setting(
        default="auto", description="of the facts; auto: the documents'", flag=None
    )
    register_: Literal["auto", "novel", "modern", "report", "legal", "contract", "technical"] = setting(
        default="auto",
        alias="register",
        description="the tone of the planted facts; auto: fits the documents",
        flag=None,
    )
    turns: bool = setting(
        default=False,
        description="the context as a conversation: a user and an assistant say the text in turns, and the questions "
        "are the user's last message",
        flag=None,
    )
    split: Literal["all", "train", "test"] = setting(
        default="all",
        description="names that facts may use: all, or those for training or testing, which share none",
        flag=None,
    )
    sets: int | None = setting(
        default=None,
        ge=1,
        le=50,
        description="fact sets spread over depths and lengths, so that each meets all of them; up to 5 by default",
        flag=None,
    )

    @model_validator(mode="before")
    @classmethod
    def _sized(cls, data: Any) -> Any:
        return _with_sized_docs(data) if isinstance(data, Mapping) else data

    @model_validator(mode="after")
    def _whole(self) -> NeedlesSpec:
        if isinstance(self.facts, str):
            for name in ("questions", "sets", "decoys", "split", "hops"):
                if self._changed(name):
                    raise ValueError(f"{name} is for generated facts, these are of {self.facts}; leave it out")
            if self.layout == "comb":
                raise ValueError("layout comb needs a fact set per place; own facts are for layout paragraph")
        elif self.facts not in range(2, 11, 2):
            outside = "too many" if self.facts > 10 else "too few"
            wrong = "odd" if self.facts % 2 else outside
            raise ValueError(f"facts come in pairs, {self.facts} is {wrong}; give 2, 4, 6, 8 or 10, or a file")
        elif self.questions is not None and self.questions > self.facts:
            raise ValueError(f"{self.questions} questions per question type need as many facts, there are {self.facts}")
        return self

    @model_validator(mode="after")
    def _of_its_protocols(self) -> NeedlesSpec:
        """Reject a setting that nothing would read: it is a mistake."""
        if self._changed("contexts") and self.a_map:
            raise ValueError(
                "contexts is for windows with facts all over them, and this is a map by depth: leave out contexts, or "
                + ", ".join(name for name in _OF_A_MAP if self._changed(name))
            )
        for names, protocol in (
            (("depths", "contexts", "layout", "sets", "turns"), "depth"),
            (("distributions", "bins"), "distribution"),
        ):
            for name in names:
                if protocol not in self.protocols and self._changed(name):
                    raise ValueError(
                        f"{name} is for protocol {protocol}; add it: protocols {','.join(self.protocols)},{protocol}"
                    )
        return self

    @model_validator(mode="after")
    def _of_its_layout(self) -> NeedlesSpec:
        if self.sets is not None and self.layout == "comb":
            raise ValueError("sets is for layout paragraph; in layout comb every place has a fact set of its own")
        if self.sets is not None and "depth" in self.protocols and self.sets > len(self.map_depths):
            raise ValueError(
                f"sets {self.sets}: a length has {len(self.map_depths)} depths and cannot meet more fact sets than "
                f"that; give sets {len(self.map_depths)} or fewer, or more depths"
            )
        if self.decoys and (self.layout == "comb" or "depth" not in self.protocols):
            raise ValueError(
                "decoys is for protocol depth and layout paragraph: in layout comb the other paragraphs are decoys, "
                "and protocol distribution plants no paragraphs; leave it out"
            )
        return self

    @model_validator(mode="after")
    def _of_its_haystack(self) -> NeedlesSpec:
        if self.haystack == "contract" and self.rewriter is None:
            raise ValueError(
                "haystack contract needs a model that rewrites; give rewriter, for instance openai/gpt-5-mini"
            )
        if self.haystack != "contract":
            for name in ("rewriter", "slice"):
                if self._changed(name):
                    raise ValueError(f"{name} is for haystack contract, this one is {self.haystack}; leave it out")
        if self.haystack == "nested" and self.shorten_longest:
            raise ValueError("shorten_longest is for haystack extract or contract, this one is nested; leave it out")
        if self.haystack != "nested" and not self.shorten_longest and "depth" not in self.protocols:
            raise ValueError(
                f"haystack {self.haystack} makes shorter contexts, and only protocol depth has any; "
                f"leave it out or add it: protocols {','.join(self.protocols)},depth"
            )
        if self.haystack != "nested" and self.layout == "comb":
            raise ValueError(
                f"layout comb needs shorter contexts that are the beginning of longer ones, haystack {self.haystack} "
                f"makes others; give haystack nested or layout paragraph"
            )
        return self

    @property
    def a_map(self) -> bool:
        """Whether facts stand together at chosen depths; else each context is a window with facts all over it."""
        return "depth" not in self.protocols or any(self._changed(name) for name in _OF_A_MAP)

    @property
    def map_depths(self) -> tuple[float, ...]:
        """The depths of a map."""
        return self.depths or _DEPTHS

    @property
    def asked(self) -> Literal["together", "each"]:
        """How questions are asked."""
        return self.ask or ("together" if self.a_map else "each")

    @property
    def prompt_names(self) -> tuple[str, ...]:
        """The prompts that every context is asked with."""
        return self.prompts or (("standard", "anti_hallucination") if self.a_map else ("anti_hallucination",))

    @property
    def set_count(self) -> int:
        """Fact sets for windows or layout paragraph."""
        if "depth" not in self.protocols:
            return 1
        if not self.a_map:
            return self.contexts
        return self.sets or min(_SETS, len(self.lengths), len(self.map_depths))

    def decoys_at(self, length: int) -> int:
        """Decoys that a context of this length should have at least."""
        if not self.a_map or self.layout == "comb" or "depth" not in self.protocols or isinstance(self.facts, str):
            return 0
        if self.decoys is not None:
            return self.decoys
        return _DECOYS if length >= _DECOYS_FROM else 0

    def _changed(self, name: str) -> bool:
        return bool(getattr(self, name) != type(self).model_fields[name].default)
