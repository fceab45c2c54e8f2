"""The nouns: frozen records with unknown keys refused, from the document to the row of a result."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Protocol, Self, TypeVar, cast, dataclass_transform, get_args

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from longreach.errors import BadInput, did_you_mean, one_line, printable

T = TypeVar("T")
_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


_HALF = re.compile("[\ud800-\udfff]")


def whole_text(value: Any, deepest: int = 100) -> Any:
    """A value from JSON with every lone surrogate replaced by U+FFFD: JSON can spell them (`\\ud800`), UTF-8 files
    cannot hold them. One nested too deeply raises `RecursionError`."""
    if isinstance(value, str):
        return _HALF.sub("\ufffd", value)
    if not deepest and isinstance(value, list | dict):
        raise RecursionError("nested too deeply")
    if isinstance(value, list):
        return [whole_text(part, deepest - 1) for part in value]
    if isinstance(value, dict):
        return {whole_text(name): whole_text(part, deepest - 1) for name, part in value.items()}
    return value


WholeText = Annotated[str, BeforeValidator(lambda value: whole_text(value) if isinstance(value, str) else value)]
"""An external text made safe to write."""


class Frozen(BaseModel):
    """A frozen value; `parse` turns pydantic's errors into one line."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def parse(cls, data: Any, where: str) -> Self:
        """Validate `data`; `where` names the file or flag it came from in the error."""
        return _parsed(cls, cls.model_validate, data, where)

    @classmethod
    def parse_json(cls, data: str | bytes, where: str) -> Self:
        """`parse` for JSON text, by pydantic's fast path."""
        return _parsed(cls, cls.model_validate_json, data, where)

    def __str__(self) -> str:
        return repr(self)


class Compact:
    """The same for values that a benchmark has by the hundred thousand, in a third of the memory. Subclasses are
    decorated with `compact`."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]
    __pydantic_fields__: ClassVar[dict[str, Any]]

    @classmethod
    def parse(cls, data: Any, where: str) -> Self:
        """Validate `data`, as `Frozen.parse`."""
        return _parsed(cls, _adapter(cls).validate_python, data, where)

    @classmethod
    def parse_json(cls, data: str | bytes, where: str) -> Self:
        """`parse` for JSON text."""
        return _parsed(cls, _adapter(cls).validate_json, data, where)

    @classmethod
    def model_construct(cls, **values: Any) -> Self:
        """A value of fields that are known to be valid: nothing is checked or copied."""
        made = object.__new__(cls)
        for name, field in cls.__pydantic_fields__.items():
            value = values[name] if name in values else field.get_default(call_default_factory=True)
            object.__setattr__(made, name, value)
        return made

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """A copy with some fields changed, without validation."""
        made = object.__new__(type(self))
        for name in self.__dataclass_fields__:
            object.__setattr__(made, name, update[name] if name in update else getattr(self, name))
        return made

    def model_dump(self, *, mode: Literal["json", "python"] = "python") -> dict[str, Any]:
        """The value as plain data."""
        return cast("dict[str, Any]", _adapter(type(self)).dump_python(self, mode=mode))

    def model_dump_json(self, *, exclude_defaults: bool = False) -> str:
        """The value as JSON text."""
        return _adapter(type(self)).dump_json(self, exclude_defaults=exclude_defaults).decode()


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(Field,))
def compact(cls: type[T]) -> type[T]:
    """Make a subclass of `Compact` a frozen, validated dataclass with slots."""
    made: Any = dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="forbid", allow_inf_nan=False))
    return cast("type[T]", made(cls))


def _adapter(cls: type[T]) -> TypeAdapter[T]:
    if cls not in _ADAPTERS:
        _ADAPTERS[cls] = TypeAdapter(cls)
    return _ADAPTERS[cls]


def _parsed(cls: type[Any], read: Callable[[Any], T], data: Any, where: str) -> T:
    try:
        return read(data)
    except ValidationError as error:
        raise BadInput(f"{where}: {_explain(cls, error)}") from None


def _explain(model: type[Any], error: ValidationError) -> str:
    """The first problem of a ValidationError in words, with a suggestion for unknown keys."""
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        key = str(problem["loc"][-1])
        known = [field.alias or name for name, field in _fields(model, problem["loc"][:-1]).items()]
        return f"unknown key '{place}'.{did_you_mean(key, known)}"
    if problem["type"] in ("missing", "missing_keyword_only_argument"):
        return f"'{place}' is missing; add it"
    if problem["type"] == "json_invalid":
        return f"not JSON ({problem['msg'].removeprefix('Invalid JSON: ')}); fix the file or make it again"
    message = problem["msg"].removeprefix("Value error, ").replace("tuple", "list").replace("Tuple", "List")
    given = "" if isinstance(problem["input"], Mapping) else f" (got {one_line(repr(problem['input']), 80)})"
    return f"'{place}': {message}{given}" if place else f"{message}{given}"


def _fields(model: type[Any], place: tuple[int | str, ...]) -> dict[str, Any]:
    """The fields of the model nested at a place inside another; none if there is no model at it."""
    for part in place:
        field = model.__pydantic_fields__.get(str(part))
        if field is None or not hasattr(field.annotation, "__pydantic_fields__"):
            return {}
        model = field.annotation
    return dict(model.__pydantic_fields__)


def canonical_json(data: Any) -> str:
    """The canonical JSON text of a value: sorted keys, no spaces, ASCII. Digests are computed from it."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class DocumentInfo(Frozen):
    """A document's metadata, without its text."""

    id: str
    """Unique within its corpus."""
    title: str
    source: str
    """Where it came from, as the user gave it: a path inside the folder, a package, an address."""
    sha256: str
    """sha256 of the text's UTF-8 bytes."""
    language: str
    """`en` or `zh`: decides how sentences are split."""


class Document(DocumentInfo):
    """A document with its text."""

    text: str

    @classmethod
    def of(cls, id: str, text: str, *, title: str = "", source: str = "", language: str = "en") -> Self:
        """A document from its text; the fingerprint is computed here."""
        digest = hashlib.sha256(text.encode()).hexdigest()
        return cls(id=id, title=title or id, source=source or id, sha256=digest, language=language, text=text)

    def info(self) -> DocumentInfo:
        """The same without the text."""
        return DocumentInfo(**self.model_dump(exclude={"text"}))


@compact
class Span(Compact):
    """Bytes `start` to `end` of the corpus; both are cut points of its token index."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)


@compact
class Insert(Compact):
    """A planted text, stored once in the benchmark under this id."""

    insert: str


Role = Literal["user", "assistant", "system"]


@compact
class Turn(Compact):
    """What follows is the next message of a conversation, by this role. A prompt starts with a user's message,
    or with a system message, and a conversation ends with a user's, in which the prompt asks its questions."""

    turn: Literal["user", "assistant", "system", "same", "prefill"]
    """`same`: the next paragraph of the same message. `prefill`: the end of the message is the beginning of the answer,
    for servers that can continue one."""


Piece = Span | Insert | Turn


@compact
class Context(Compact):
    """What the model reads before the questions."""

    pieces: tuple[Piece, ...]
    tokens: int = Field(ge=0, le=10**12)
    """Exact count by the benchmark's tokenizer, including seams."""
    bytes: int = Field(ge=0, le=10**15)
    """Length of the text in UTF-8 bytes, including the roles of a conversation."""
    sha256: str
    """sha256 of the assembled text's UTF-8 bytes, including the roles of a conversation."""


AnswerKind = Literal["text", "number", "time", "date", "list", "yesno", "absent"]


@compact
class Key(Compact):
    """The right answer and its accepted forms."""

    kind: AnswerKind
    """How answers are compared: `text` by words, `number`, `time`, `date`, `list`, `yesno` by value; `absent` if the
    only right answer is that the text does not say."""
    answer: str
    """The canonical answer, as a careful reader would write it."""
    accept: tuple[str, ...] = ()
    """Equivalent forms."""
    rivals: tuple[str, ...] = ()
    """Values of the same kind that are wrong here: an answer that names one beside the right one is wrong."""
    unit: str = ""
    """For numbers: the unit, in the singular; an answer may omit it but must not name another."""
    ordered: bool = False
    """For lists: the items must come in this order, whatever words the question asks for it with."""
    details: dict[str, str] = Field(default_factory=dict)
    """What else a family's grader needs, by name; for a wrong summary the error's type, sentence, correction, reason.
    No answer is compared with it as a form of the key."""


@compact
class Question(Compact):
    """One question of a prompt."""

    id: str
    question_type: str
    """What it tests: `literal`, `inference`, `abstention` in the needles family."""
    text: str
    key: Key
    evidence: tuple[str, ...] = ()
    """Ids of the planted facts that the answer is based on; empty if the answer is not in the context."""
    quotes: tuple[str, ...] = ()
    """Texts that an answer must quote as evidence, if asked to."""


@compact
class Mark(Compact):
    """A fact inside a planted text, as a byte range."""

    id: str
    start: int
    end: int


@compact
class Planted(Compact):
    """A text that a benchmark inserts into contexts, stored once."""

    id: str
    text: str
    facts: tuple[Mark, ...]


@compact
class Evidence(Compact):
    """A planted fact with its position in one context."""

    id: str
    text: str
    start: int
    """Byte offset in the context's text."""
    end: int
    token: int
    """Tokens of the context before the planted text that holds it."""


def _plain_name(name: str) -> str:
    """A name that is printable and cannot be taken for a path out of a folder."""
    parts = name.replace("\\", "/").split("/")
    if not name.isprintable() or len(name) > 300 or {"", ".", ".."} & {part.strip() for part in parts}:
        raise ValueError("give a plain name of up to 300 printable characters")
    return name


AxisValue = str | int | float
_Whole = Annotated[int, Field(ge=-(10**15), le=10**15)]
_Part = Annotated[float, Field(ge=-1e15, le=1e15)]
Cell = dict[str, str | _Whole | _Part]
"""An item's coordinates: axis name -> value, for instance length 1000, depth 50, prompt standard."""


@compact
class Placement(Compact):
    """Where a planted text starts in a context."""

    insert: str
    start: int = Field(ge=0, le=10**15)
    """Byte offset in the context's text."""
    token: int = Field(ge=0, le=10**12)
    """Tokens of the context before it."""


@compact
class Item(Compact):
    """One model call. Questions are referenced by id and stored once in the benchmark."""

    id: Annotated[str, AfterValidator(_plain_name)]
    family: str
    context: Context
    prompt: str
    """Id of the prompt."""
    questions: tuple[str, ...]
    cell: Cell
    """The axes as requested."""
    realised: Cell
    """The axes as realised: sentence ends and whole facts shift them a little."""
    placed: tuple[Placement, ...]
    tokens: int = Field(ge=0, le=10**12)
    """Exact tokens of the whole prompt as sent (without the provider's chat template)."""
    through_context: int = Field(ge=0, le=10**12)
    """Tokens of the prompt up to the end of the context: shared with other prompts over the same context."""
    through_rules: int = Field(ge=0, le=10**12)
    """Tokens of the prompt up to its first question: shared with other questions under the same prompt."""
    sha256: str
    """sha256 of the whole prompt's UTF-8 bytes."""


class SharedParts:
    """The distinct contexts, cells, placements and lists of questions of a benchmark's items. Items that refer to them
    take a few hundred bytes of memory each."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def item(self, item: Item) -> Item:
        """The same item with shared parts."""
        # Cells by their text: 0 and 0.0 are equal but written differently.
        parts = {name: self._known.setdefault(str(part), part) for name in _CELLS if (part := getattr(item, name))}
        for name in _PARTS:
            part = getattr(item, name)
            parts[name] = self._known.setdefault(part, part)
        return item.model_copy(update=parts)


_CELLS, _PARTS = ("cell", "realised"), ("context", "placed", "questions")


Status = Literal[
    "scored",
    "unparsed",
    "refused",
    "truncated",
    "overflow",
    "cut",
    "not_condensed",
    "tool_call",
    "error",
    "judge_failed",
]
STATUSES: tuple[Status, ...] = get_args(Status)


@compact
class Verdict(Compact):
    """The grade of one question. Only `scored` and a cut-off answer with partial credit have a value; a
    published score is one for any text, also of a reply that is unparsed or refused."""

    status: Status
    value: float | None = None
    """1 right, 0 wrong; in between with partial credit; None if nothing was graded."""
    answer: str = ""
    """The parsed answer, as the grader read it."""
    reason: str = ""
    """Why, in a few words that a person can check."""
    certain: bool = True
    """Whether the key alone decides; what it is unsure of may go to a judge."""
    key: float | None = None
    """The key's value, if a judge was asked too."""
    judge: float | None = None
    """The judge's value, if one was asked."""
    scores: dict[str, float] = Field(default_factory=dict)
    """Other scores of the same answer, by name, if a family has several."""


LARGEST_COUNT = 10**12
"""No count of tokens, seconds or dollars is larger: what a server or a file says beyond it is cut to it."""


def bounded(number: Any) -> Any:
    """A number between 0 and `LARGEST_COUNT`; 0 for one that is not finite. Other values are left to their checks."""
    if isinstance(number, float) and not math.isfinite(number):
        return 0
    return min(max(number, 0), LARGEST_COUNT) if isinstance(number, int | float) else number


_Count = Annotated[int, AfterValidator(bounded)]
_Amount = Annotated[float, BeforeValidator(bounded)]


@compact
class Call(Compact):
    """What one request returned and used."""

    model: Annotated[str, AfterValidator(printable)]
    """The series: the model's name and, in brackets, the generation settings that differ from the benchmark's."""
    family: str
    bench: str
    """Digest of the benchmark."""
    item: str
    repeat: Annotated[int, Field(ge=1, le=10**6)] = 1
    """Which of several requests of the same item it is."""
    text: WholeText
    """The model's answer without its reasoning, if the provider separates the two; secrets removed."""
    reasoning: WholeText = ""
    """What the model wrote before its answer, if the provider sends it. Never graded."""
    stop: str = ""
    """Why the model stopped, in one vocabulary for all providers: `stop`, `max_tokens`, `model_length`,
    `content_filter`, `tool_calls`, ...; `cut` if the prompt did not arrive whole. Empty if the call failed."""
    error: WholeText = ""
    """A short message if the call failed for good."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Generation settings in force: temperature, reasoning effort, ..."""
    max_tokens: _Count | None = None
    """The output limit; None: the provider's own."""
    tokens_in: _Count = 0
    """All input tokens, cached ones included, as the provider counted them."""
    tokens_cached: _Count = 0
    """The part of `tokens_in` that the provider served from its cache."""
    tokens_out: _Count = 0
    """All output tokens, reasoning included."""
    tokens_reasoning: _Count = 0
    """The part of `tokens_out` that was reasoning, if the provider counts it."""
    uncounted: bool = False
    """The server sent no token counts: these are Longreach's own."""
    reused: bool = False
    """Taken from an earlier run at no cost, not requested."""
    seconds: _Amount = 0.0
    first_token: _Amount = 0.0
    """Seconds to the first token of the answer; 0 if it was not streamed."""
    ended: _Amount = 0.0
    """When the answer came, in seconds since 1970; 0 if unknown."""
    cost: _Amount | None = None
    """US dollars, if a price is known."""


def run_seconds(calls: Iterable[Call]) -> float:
    """How long some requests took together: the time in which at least one was in flight, without pauses between runs.
    Requests whose end is not known count one after another."""
    total, until = 0.0, float("-inf")
    for call in sorted(calls, key=lambda call: call.ended - call.seconds):
        if not call.ended:
            total += call.seconds
        elif call.ended > until:
            total += call.ended - max(until, call.ended - call.seconds)
            until = call.ended
    return total


@compact
class Row(Compact):
    """One question's result."""

    model: str
    family: str
    bench: str
    item: str
    repeat: int = 1
    """Which of several requests of the same item it is of."""
    other_items: tuple[str, ...] = ()
    """Further items whose answers count in this row, where a question is asked in parts."""
    question: str
    question_type: str
    cell: Cell
    """The axes as requested."""
    realised: Cell
    context: str = ""
    """Digest of the context it was asked about: rows with the same digest share it. Empty if unknown."""
    verdict: Verdict
    tokens_in: int
    """Request totals of the call, the same on all rows of an item; of all calls if several items are one row."""
    tokens_cached: int
    tokens_out: int
    seconds: float
    cost: float | None
    tokens_reasoning: int = 0
    first_token: float = 0.0
    """Seconds to the first token; 0 if the answer was not streamed."""
    reused: bool = False
    """Whether its answer was taken from an earlier run."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Generation settings of the call."""

    @property
    def items(self) -> tuple[str, ...]:
        """All items behind it."""
        return (self.item, *self.other_items)


class Estimate(Frozen):
    """A number with its 95 % confidence interval."""

    value: float
    low: float
    high: float
    n: int
    """How many questions (or pairs of questions) it is based on."""
    few: str = ""
    """'too few: 3 contexts', where there are too few for an interval: then it spans all that is possible."""


class EffectiveLength(Frozen):
    """The longest tested length up to which a model is shown to hold a level; 0 means that none is shown."""

    length: float
    """The lower end of the 95 % confidence interval."""
    observed: float
    """The longest up to which the answers themselves hold it."""
    high: float
    """The upper end of the interval."""
    few: str = ""
    """'too few: 3 contexts', where too few answers end what can be shown."""
    base: float | None
    """Delivered accuracy at the shortest length, not corrected for chance; None if nothing was asked there."""
    share: float
    """The level: a share of what lies above chance, or of the model's own score at the shortest length."""


class Spread(Frozen):
    """The distance between the best and the worst of several groups."""

    best: str
    worst: str
    difference: Estimate


Offsets = npt.NDArray[np.int64]


def byte_offsets(text: str) -> Offsets:
    """The UTF-8 byte offset of each character, and of the end."""
    if text.isascii():
        return np.arange(len(text) + 1, dtype=np.int64)
    points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    widths = 1 + (points > 0x7F).astype(np.int64) + (points > 0x7FF) + (points > 0xFFFF)
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(widths)])


def byte_places(text: str, places: Iterable[int]) -> Offsets:
    """The UTF-8 byte offsets of some ascending character offsets: faster than all of them if they are few."""
    if text.isascii():
        return np.fromiter(places, dtype=np.int64)
    offsets: list[int] = []
    at = before = 0
    for place in places:
        at += len(text[before:place].encode())
        before = place
        offsets.append(at)
    return np.array(offsets, dtype=np.int64)


class Tokenizer(Protocol):
    """Special tokens are treated as plain text: documents are data."""

    name: str

    @property
    def fingerprint(self) -> str:
        """Changes whenever the tokenizer would split text differently."""
        ...

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        ...

    def boundaries(self, texts: Sequence[str]) -> list[Offsets]:
        """For each text the byte offset (UTF-8) at which each token ends, ascending."""
        ...

    def __hash__(self) -> int:
        """Results about a tokenizer are kept by it."""
        ...


class SimulatedAnswer(Frozen):
    """One question's reply."""

    kind: Literal["right", "wrong", "absent", "choice", "partial", "nothing"]
    """`absent`: the text does not say. `choice`: the option or label in `text`. `partial`: `share` of it right.
    `nothing`: this question is skipped."""
    text: str = ""
    share: float = Field(default=1.0, ge=0, le=1)
