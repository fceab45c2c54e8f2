"""What decides a novel benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from longreach.core.formatting import SomeCounts, parse_tokens, tokens_setting
from longreach.core.settings import ModelName, Spec, setting, split_names
from longreach.models.embedders import BGE_M3
from longreach.worlds import TYPES, ErrorType

SIZES: Mapping[str, int] = {"M": 16_000, "L": 32_000, "XL": 64_000, "XXL": 100_000}
"""Tokens of the named sizes other than S, which is one unit."""

Method = Literal["zero_shot_last", "zero_shot_first", "cot", "window", "window_first"]
METHODS: tuple[Method, ...] = get_args(Method)
WINDOWS = ("window", "window_first")
"""Methods that ask about a summary block by block."""
Way = Literal["generated", "arbitrated"]


_MOST_PAIRS = 10_000


def _sizes(given: tuple[str, ...]) -> tuple[str, ...]:
    """Known names as they are, other lengths in plain tokens."""
    found = []
    for size in given:
        name = size.upper()
        if name == "S" or name in SIZES:
            found.append(name)
            continue
        try:
            tokens = parse_tokens(size)
        except ValueError:
            raise ValueError(f"size '{size}' is not known; give S, M, L, XL, XXL or tokens such as 8k") from None
        if tokens < 100:
            raise ValueError(f"size '{size}' holds no story; give at least 100 tokens")
        found.append(str(tokens))
    return tuple(dict.fromkeys(found))


def _per_class(given: Any) -> Any:
    """A number for all sizes, or one per size: `S=75,XL=50` on the command line, or a mapping in a file."""
    if given is None:
        return None
    if isinstance(given, str) and "=" in given:
        pairs = [part.partition("=") for part in given.split(",") if part.strip()]
        given = {name.strip(): count.strip() for name, _, count in pairs}
    if isinstance(given, Mapping):
        keys = _sizes(tuple(str(name) for name in given))
        given = dict(zip(keys, given.values(), strict=True)) if len(keys) == len(given) else given
    for count in given.values() if isinstance(given, Mapping) else (given,):
        if not (isinstance(count, int | str) and str(count).isdecimal() and 1 <= int(count) <= _MOST_PAIRS):
            raise ValueError(f"'{count}' is no number of summaries; give 1 to {_MOST_PAIRS}, or one for each size")
    return given


def _embedder(given: str) -> str:
    if given not in ("auto", "wordllama", "ngrams", BGE_M3) and not given.startswith("openai:"):
        raise ValueError(f"embedder '{given}' is not known; give auto, wordllama, ngrams, bge-m3 or openai:MODEL")
    return given


_Count = Annotated[int, Field(ge=1, le=_MOST_PAIRS)]
_OF_CHRONICLE, _OF_OTHERS = 36, 12
"""Pairs of summaries at each size: of books that cost nothing, and of others."""


class NovelSpec(Spec):
    """Summaries of long stories, half of them with one error, at several sizes."""

    contexts_flag: ClassVar[str] = "--per-class"
    added_later: ClassVar[tuple[str, ...]] = (
        "errors",
        "composition",
        "story_blocks",
        "summary_blocks",
        "faithful",
        "window_sizes",
    )
    usual: ClassVar[tuple[str, ...]] = ("source", "sizes", "per_class", "writer")
    example: ClassVar[str] = "--sizes S,M --per-class 12 -o bench"
    family: Literal["novel"] = "novel"
    docs: tuple[str, ...] = Field(
        default=(),
        json_schema_extra={"form": "PATH"},
        description="for source bring: JSONL of book, unit, text, summary; for source write: documents",
    )
    source: Literal["chronicle", "bring", "write"] = Field(
        default="chronicle",
        description="books that the package writes (chronicle), units with summaries (bring), or documents that a "
        "model summarises (write)",
    )
    language: Literal["auto", "en", "zh"] = setting(
        default="auto", description="of books and prompts; auto: the documents', English for the chronicle", flag=None
    )
    sizes: Annotated[tuple[str, ...], BeforeValidator(split_names), AfterValidator(_sizes)] = Field(
        default=("S", "M"),
        min_length=1,
        json_schema_extra={"form": "SIZE,..."},
        description="S (one unit), M 16k, L 32k, XL 64k, XXL 100k, or tokens: 8k",
    )
    per_class: Annotated[_Count | dict[str, _Count] | None, BeforeValidator(_per_class)] = Field(
        default=None,
        json_schema_extra={"form": "INTEGER|SIZE=INTEGER,..."},
        description="hallucinated summaries per size, and as many faithful: 36, or S=75,XL=50; by default 36, which is "
        "12 stories, and 12 where a model writes or the books are yours",
    )
    faithful: Annotated[_Count | dict[str, _Count] | None, BeforeValidator(_per_class)] = setting(
        default=None,
        form="INTEGER|SIZE=INTEGER,...",
        description="faithful summaries per size, at most as many as hallucinated ones; by default as many",
        flag=None,
    )
    per_story: int = setting(
        default=3,
        ge=1,
        le=100,
        description="pairs of summaries over one story, which share its tokens; 1 at size S",
        flag=None,
    )
    types: Annotated[tuple[ErrorType, ...], BeforeValidator(split_names)] = setting(
        default=TYPES, min_length=1, description="kinds of error, as even as the data allows", flag=None
    )
    errors: Literal["sentence", "paper"] = setting(
        default="sentence",
        description="each changes one sentence (sentence), or as in the paper (paper): a fabrication is added, order "
        "and cause go over two sentences, an event may get a state of mind",
        flag=None,
    )
    composition: Literal["reworded", "kept"] = setting(
        default="reworded",
        description="the other units of a story: all reworded by the same process, or with their summaries as they are",
        flag=None,
    )
    methods: Annotated[tuple[Method, ...], BeforeValidator(split_names)] = Field(
        default=("zero_shot_last",),
        min_length=1,
        description="zero_shot_last, zero_shot_first, cot, window, window_first",
    )
    unit: Annotated[int, BeforeValidator(tokens_setting)] = setting(
        default=3000,
        ge=100,
        le=20_000,
        description="tokens of a unit, about, for sources chronicle and write: 128 is a paragraph",
        flag=None,
    )
    books: int = Field(default=4, ge=1, le=1000, description="books that the chronicle writes, both splits together")
    split: Literal["test", "train"] = Field(default="test", description="which books: those for testing or training")
    train_share: float = setting(
        default=0.0, ge=0, lt=1, description="share of the books set aside for training", flag=None
    )

    ways: Annotated[tuple[Way, ...], BeforeValidator(split_names)] = setting(
        default=("generated",),
        min_length=1,
        description="where wrong summaries come from: written on purpose (generated), or made by a small model and "
        "found by judges (arbitrated)",
        flag=None,
    )
    writer: ModelName = Field(default=None, description="the model that writes summaries, paraphrases and errors")
    checker: ModelName = Field(
        default=None, description="the model that holds summaries and paraphrases against the text"
    )
    summariser: ModelName = setting(
        default=None, description="for way arbitrated: the small model whose summaries are judged", flag=None
    )
    judges: Annotated[tuple[str, ...], BeforeValidator(split_names)] = setting(
        default=(),
        form="MODEL,MODEL,MODEL",
        description="for way arbitrated: three models, the third decides where the first two differ",
        flag=None,
    )
    drafts: int = setting(
        default=2, ge=1, le=20, description="for way arbitrated: summaries of each unit to judge", flag=None
    )
    tries: int = setting(
        default=3, ge=1, le=20, description="how often a model is asked for what code then checks", flag=None
    )
    keep_doubtful: bool = setting(
        default=False,
        description="use stories with a summary that the checker does not trust (they are marked)",
        flag=None,
    )
    reviewed: str | None = setting(
        default=None,
        min_length=1,
        form="FOLDER",
        description="for source write: a benchmark from longreach review, whose accepted and edited summaries are used",
        flag=None,
    )

    embedder: Annotated[str, AfterValidator(_embedder)] = setting(
        default="auto",
        form="NAME",
        description="for method window: auto (English wordllama, Chinese ngrams), wordllama, ngrams, bge-m3 or "
        "openai:MODEL",
        flag=None,
    )
    embedder_url: str | None = setting(
        default=None,
        form="URL",
        description="address of an OpenAI-compatible server for embedder",
        flag=None,
    )
    story_block: int = setting(
        default=5500, ge=100, description="for method window: characters of a block of the story", flag=None
    )
    summary_block: int = setting(
        default=150, ge=10, description="for method window: characters of a block of a summary", flag=None
    )
    window_sizes: Annotated[tuple[str, ...], BeforeValidator(split_names), AfterValidator(_sizes)] = setting(
        default=(),
        form="SIZE,...",
        description="for method window: only at these sizes; by default at all",
        flag=None,
    )
    story_blocks: SomeCounts = setting(
        default=(),
        description="for method window: further sizes of a story's blocks, each a method of its own",
        flag=None,
    )
    summary_blocks: SomeCounts = setting(
        default=(),
        description="for method window: further sizes of a summary's blocks, each a method of its own",
        flag=None,
    )
    nearest: int = setting(
        default=5, ge=1, description="for method window: most similar blocks that are looked at (K)", flag=None
    )

    @model_validator(mode="after")
    def _whole(self) -> NovelSpec:
        if self.source == "chronicle" and self.docs:
            raise ValueError("the chronicle writes its own books; leave out docs, or give source bring or write")
        if self.source != "chronicle" and not self.docs:
            raise ValueError(f"source {self.source} needs docs; give files with --docs")
        if self.source == "write" and self.writer is None:
            raise ValueError("source write needs a model; give writer, for instance openai/gpt-5-mini")
        if isinstance(self.per_class, dict) and set(self.per_class) != set(self.sizes):
            raise ValueError(
                f"per_class speaks of {', '.join(self.per_class)} and sizes are {', '.join(self.sizes)}; "
                f"give one number, or one for each size"
            )
        if isinstance(self.faithful, dict) and set(self.faithful) != set(self.sizes):
            raise ValueError(f"faithful speaks of {', '.join(self.faithful)} and sizes are {', '.join(self.sizes)}")
        if more := next((size for size in self.sizes if self._faithful_of(size) > self.wanted(size)), ""):
            raise ValueError(f"faithful is larger than per_class at size {more}; a faithful summary belongs to a pair")
        if self.split == "train" and self.train_share == 0:
            raise ValueError("split train needs books set aside for it; give train_share, for instance 0.5")
        return self

    @model_validator(mode="after")
    def _used(self) -> NovelSpec:
        """Reject a setting that nothing would read: it is a mistake."""
        arbitrated = "arbitrated" in self.ways and self.source != "chronicle"
        if arbitrated and (self.summariser is None or len(set(self.judges)) != 3):
            raise ValueError("way arbitrated needs a summariser and three different judges; name them")
        helpers = ("writer", "checker", "ways", "tries", "keep_doubtful")
        unread = [(name, "is for sources bring and write") for name in helpers if self.source == "chronicle"]
        unread += [(name, "is for way arbitrated") for name in ("summariser", "judges", "drafts") if not arbitrated]
        unread += [("reviewed", "is for source write")] if self.source != "write" else []
        unread += [("unit", "is for sources chronicle and write")] if self.source == "bring" else []
        unread += [("books", "is for source chronicle")] if self.source != "chronicle" else []
        window: tuple[str, ...] = ("embedder", "embedder_url", "story_block", "summary_block", "nearest")
        window += ("story_blocks", "summary_blocks", "window_sizes")
        unread += [(name, "is for method window") for name in window if not {*WINDOWS} & {*self.methods}]
        for name, why in unread:
            if getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"{name} {why}, which this spec does not ask for; leave it out")
        return self

    def blocks(self) -> dict[str, tuple[int, int]]:
        """Characters of the blocks of story and summary, by what is put after a method's name: the usual sizes, then
        each of the further ones beside them."""
        further = [(size, self.summary_block) for size in self.story_blocks]
        further += [(self.story_block, size) for size in self.summary_blocks]
        usual = (self.story_block, self.summary_block)
        return {f"_{story}_{own}": (story, own) for story, own in (usual, *further)} if further else {"": usual}

    def methods_at(self, size: str) -> tuple[Method, ...]:
        """The methods that are asked at a size."""
        windows = not self.window_sizes or size in self.window_sizes
        return tuple(method for method in self.methods if windows or method not in WINDOWS)

    def fewer_faithful(self, size: str) -> int:
        """How many of a size's faithful summaries are left out."""
        return self.wanted(size) - self._faithful_of(size)

    def _faithful_of(self, size: str) -> int:
        asked = self.faithful.get(size) if isinstance(self.faithful, dict) else self.faithful
        return self.wanted(size) if asked is None else asked

    def tokens(self, size: str) -> int:
        """The tokens that a size asks for."""
        if size == "S":
            return self.unit
        return SIZES[size] if size in SIZES else int(size)

    def wanted(self, size: str) -> int:
        """Pairs of summaries at a size."""
        if isinstance(self.per_class, dict):
            return self.per_class[size]
        return self.per_class or (_OF_CHRONICLE if self.source == "chronicle" else _OF_OTHERS)
