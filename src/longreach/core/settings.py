"""What decides a benchmark and a request: the spec and the generation settings."""

from __future__ import annotations

import contextlib
import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from longreach.errors import BadInput, did_you_mean, names_a_secret, one_line, printable, secret_name

from .formatting import Lengths, parse_seconds, tokens_setting
from .types import Frozen, canonical_json

KNOWN = frozenset(
    (
        *("batch", "best_of", "cache_prompt", "effort", "extra_body", "frequency_penalty", "logit_bias", "max_tokens"),
        *("presence_penalty", "reasoning_effort", "reasoning_mode", "reasoning_summary", "reasoning_tokens", "seed"),
        *("stop_seqs", "system_message", "temperature", "top_k", "top_p", "verbosity"),
    )
)
"""Settings that can be given with -G or in a spec, by Inspect's names."""
_NUMBERS = {
    *("best_of", "frequency_penalty", "max_tokens", "presence_penalty", "reasoning_tokens"),
    *("seed", "temperature", "top_k", "top_p"),
}
"""Those of them that are numbers."""
_ALIASES = {"stop": "stop_seqs", "system": "system_message", "thinking_budget": "reasoning_tokens"}
_SAME_ANSWERS = {"batch", "cache_prompt", "max_tokens"}
"""Settings that do not change the content of a complete answer: they make no separate series."""
_TRANSPORT = {
    *("client_timeout", "default_headers", "device", "n_batch", "n_parallel", "n_threads", "n_ubatch"),
    *("port", "responses_store", "stream", "streaming", "threads", "timeout"),
}
"""Model arguments that decide how a model is reached and how fast it is, not what it answers."""
_LONGEST = 40


Tokens = Annotated[Annotated[int, Field(ge=1, le=10**12)] | None, BeforeValidator(tokens_setting)]
"""A number of tokens, also as `128k`."""
Duration = Annotated[Annotated[float, Field(gt=0, le=7 * 86_400)] | None, BeforeValidator(parse_seconds)]
"""Seconds, also as `10min`."""


def split_names(given: Any) -> Any:
    """Names as a list or separated by commas, without duplicates."""
    names = [name.strip() for name in given.split(",")] if isinstance(given, str) else given
    return tuple(dict.fromkeys(names)) if isinstance(names, list | tuple) else names


def setting(
    default: Any,
    description: str,
    *,
    flag: str | None = "",
    form: str = "",
    choices: Sequence[str] = (),
    hidden: bool = False,
    **bounds: Any,
) -> Any:
    """A setting that is also a flag of its command, under its own name unless `flag` is given (`-m --model`); without a
    flag (None) it is for --set and spec files alone. `form` is how its value is written, `choices` are words in it. The
    flag of a `hidden` one works, and --help names it in its text alone."""
    every = {"form": form, "choices": choices, "hidden": hidden}
    written: dict[str, Any] = {name: value for name, value in every.items() if value}
    return Field(default, description=description, json_schema_extra={"flag": flag} | written, **bounds)


def _no_switch(model: type[BaseModel], data: Any) -> Any:
    """Refuse `true` and `false` where a number or a text is asked for: pydantic would read them as 1 and 0."""
    for name, field in model.model_fields.items() if isinstance(data, Mapping) else ():
        value = data.get(field.alias or name)
        if "bool" not in str(field.annotation) and _has_switch(value):
            raise ValueError(f"'{field.alias or name}' is {str(value).lower()}; give a value, not true or false")
    return data


def _has_switch(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, list | tuple) and any(map(_has_switch, value)))


class Settings(Frozen):
    """What a user may set."""

    heading: ClassVar[str] = ""
    """Of its own fields, in --help."""

    @model_validator(mode="before")
    @classmethod
    def _numbers(cls, data: Any) -> Any:
        return _no_switch(cls, data)


class ServingSettings(Settings):
    """How a model is served, as a plan assumes it, a run uses it and its record keeps it."""

    heading: ClassVar[str] = "How the model is served"

    price: str | dict[str, str] | None = setting(
        None,
        "US dollars per million tokens, instead of the price list; of one model, or of all. May repeat.",
        form="[MODEL=]IN,CACHED,OUT",
    )
    replicas: int = setting(
        1,
        "Servers behind the address, with a router that keeps a session on one of them; with --ray, engines.",
        ge=1,
        le=1024,
    )
    block: int | None = setting(
        None,
        "Tokens per block of the server's prefix cache.  [default: 16 for vllm, else 1]",
        flag=None,
        form="TOKENS",
        ge=1,
    )
    cache_size: Tokens = setting(
        None,
        "Tokens that a server's prefix cache holds: 200k.  [default: as vLLM and SGLang say, else no limit]",
        flag=None,
    )
    """Requests in flight and the prefixes still needed stay within it."""
    sharing: bool = setting(True, "false: start every request with a unique line, so that no cache helps.", flag=None)

    def serving(self) -> dict[str, Any]:
        """These settings alone, by name."""
        return {name: getattr(self, name) for name in ServingSettings.model_fields}


class ReadingSettings(Settings):
    """How the text reaches the model."""

    heading: ClassVar[str] = "What is asked"

    ways: Annotated[tuple[str, ...], BeforeValidator(split_names)] = setting(
        ("whole",),
        "How the text reaches the model: whole, passages:10, condense:4k, quote, windows:8k.",
        form="WAY,...",
    )
    retriever: str = setting(
        "auto",
        "Finds the passages: auto (wordllama; ngrams where the text is not English), bm25, or openai:MODEL.",
        flag=None,
        form="NAME",
    )
    condense_prompt: str | None = setting(
        None, "Your own prompt for the way condense, in a file.", flag=None, form="FILE"
    )


class RequestSettings(ServingSettings, ReadingSettings):
    """What a run asks and how, as its plan assumes it."""

    heading: ClassVar[str] = "What is asked"

    arguments: dict[str, Any] = setting({}, "Passed to the provider as is. May repeat.", flag="-M", form="KEY=VALUE")
    generation: dict[str, Any] = setting(
        {},
        "Generation setting: reasoning_effort=high, seed=1, extra_body.enable_thinking=false. May repeat.",
        flag="-G",
        form="KEY=VALUE",
    )
    """By Inspect's names; they have precedence over the spec's."""
    temperature: float | None = setting(
        None,
        "Sampling temperature, 0 to 2, or default: the provider's own.  [default: the benchmark's, usually 0]",
        form="NUMBER|default",
        ge=0,
        le=2,
    )
    max_tokens: Tokens = setting(None, "Longest answer: 500, 4k.")
    """By default what the family expects on the embedded engine and on base models; elsewhere four times that and more,
    with room for reasoning if the model reasons. If raised, truncated answers are requested again."""
    concurrency: int | None = setting(
        None, "Requests in flight, 1 to 256.  [default: per replica 1 for local models, else 4]", ge=1, le=256
    )
    repeats: int = setting(1, "Requests per item; their spread is shown, and intervals are over items.", ge=1, le=1000)
    search: bool = setting(False, "Ask context by context, until it is known up to which length the model holds.")


class ConnectionSettings(Settings):
    """How a model is reached, one under test or one that helps."""

    heading: ClassVar[str] = "How the model is served"

    base_url: str | None = setting(
        None, "Address of an OpenAI-compatible server, for openai-api/SERVICE/NAME.", form="URL"
    )
    arguments: dict[str, Any] = setting({}, "Passed to the provider as is: {n_ctx: 16384}.", flag=None)
    concurrency: int | None = setting(None, "Requests in flight, 1 to 256.", flag=None, ge=1, le=256)
    max_retries: int = setting(5, "Retries per request, 0 to 100.", flag=None, ge=0, le=100)
    timeout: int = setting(1800, "Time limit of one attempt.", flag=None, form="SECONDS", ge=1)


class BuildSettings(Settings):
    """What a build may do that is no part of the benchmark, and that no spec file may ask for."""

    follow_links: bool = setting(False, "Read links that lead out of a folder of documents.", flag=None)


class GenerationSettings(Frozen):
    """The generation settings of one run."""

    series: str
    """The name under which results are shown."""
    settings: dict[str, Any]
    """Every generation setting in force, and the model arguments that can change an answer."""
    sent: dict[str, Any]
    """The part of it that is sent to the provider with each request, without `max_tokens`."""
    max_tokens: int | None = None


def generation_settings(
    model: str,
    sampling: Mapping[str, Any],
    *,
    generation: Mapping[str, Any] | None = None,
    arguments: Mapping[str, Any] | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
) -> GenerationSettings:
    """The benchmark's settings (`sampling`) merged with the run's; the run has precedence."""
    base = {name: value for name, value in parse_settings(sampling, "sampling").items() if value is not None}
    given = parse_settings(generation or {}, "-G")
    for name, value in (("temperature", temperature), ("max_tokens", max_tokens)):
        if value is not None and given.setdefault(name, value) != value:
            flag = f"--{name.replace('_', '-')} {value}"
            raise BadInput(f"-G {name}={given[name]} and {flag} differ; give one of them")
    merged = base | given
    longest = _whole_number(merged.pop("max_tokens", None))
    ours = {name: value for name, value in recordable(arguments or {}).items() if name not in _TRANSPORT}
    other = {name: "default" if value is None else value for name, value in given.items() if base.get(name) != value}
    return GenerationSettings(
        series=series_name(model, other | ours),
        settings=merged | ours,
        sent={name: value for name, value in merged.items() if value is not None},
        max_tokens=longest,
    )


def recordable(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Model arguments that hold no secret."""
    return {name: value for name, value in arguments.items() if not names_a_secret(name) and secret_name(value) is None}


def parse_settings(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """`read_settings`; `where` names the flag or file in the error."""
    try:
        return read_settings(given)
    except ValueError as error:
        raise BadInput(f"{where}: {error}") from None


def read_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by Inspect's names. A dotted name reaches into a mapping: `extra_body.enable_thinking`. Raises
    ValueError for an unknown name and for a secret."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        first, *inner = name.split(".")
        first = _ALIASES.get(first, first)
        if first not in KNOWN:
            raise ValueError(f"unknown generation setting '{one_line(first, 60)}'.{did_you_mean(first, KNOWN)}")
        if first in _NUMBERS and not inner and not _is_number(value):
            raise ValueError(f"{one_line(name, 60)}={one_line(str(value), 40)} is not a number; give for instance 1")
        if first == "stop_seqs" and not isinstance(value, list):
            value = [str(value)]
        *path, last = [first, *inner]
        place = found
        for part in path:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise ValueError(f"'{one_line(name, 60)}' reaches into '{part}', which is not a mapping")
        if last in place:
            raise ValueError(f"'{one_line(name, 60)}' is given twice; give one value")
        place[last] = value
    _refuse_secrets(found)
    return found


def _is_number(value: Any) -> bool:
    """Whether a setting is a finite number, or the text of one; None leaves the setting to the provider."""
    if isinstance(value, str) and value.isascii():
        with contextlib.suppress(ValueError):
            value = float(value)
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value))


def _refuse_secrets(value: Any) -> None:
    """Refuse secrets, which would be recorded with the results, and numbers that are not finite, which no JSON has."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not a finite number; give another")
    for part in value if isinstance(value, list | tuple) else ():
        _refuse_secrets(part)
    if isinstance(value, Mapping):
        for name, part in value.items():
            if isinstance(part, str) and names_a_secret(str(name)):
                raise ValueError(f"'{name}' holds a secret, and settings are recorded; put it in the environment")
            _refuse_secrets(part)


def _whole_number(given: Any) -> int | None:
    number = int(given) if isinstance(given, str) and given.isascii() and given.isdigit() else given
    if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 1):
        raise BadInput(f"max_tokens={given} is not a whole number above 0; give for instance -G max_tokens=4000")
    return number


def series_name(model: str, settings: Mapping[str, Any]) -> str:
    """The name under which results are shown: the model's, and in brackets every given setting that can change an
    answer. The same settings always give the same name."""
    parts = [
        f"{name}={_short(value)}"
        for name, value in sorted(settings.items())
        if name not in _SAME_ANSWERS and value is not None
    ]
    return printable(f"{model} [{', '.join(parts)}]" if parts else model)


def model_name(series: str) -> str:
    """The model's name without settings."""
    return series.partition(" [")[0] if series.endswith("]") else series


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else canonical_json(value)
    text = one_line(text.replace("[", "(").replace("]", ")"), 10_000)
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST - 9]}…{hashlib.sha256(text.encode()).hexdigest()[:8]}"


ModelName = Annotated[str | None, Field(min_length=1, json_schema_extra={"form": "MODEL"})]


def _sampling(given: Any) -> Any:
    """`temperature=0,top_p=1` as on the command line, or a mapping as in a file."""
    if not isinstance(given, str):
        return given
    pairs = [part.partition("=") for part in given.split(",") if part.strip()]
    names = [name.strip() for name, _, _ in pairs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"'{twice}' is given twice; give one value")
    return {name.strip(): value.strip() for name, _, value in pairs}


class Sampling(Settings):
    """Sampling settings of the model under test, if its provider accepts them; flags of a run have precedence. Beside
    the four below, any setting that -G takes."""

    model_config = ConfigDict(extra="allow")

    temperature: float | None = Field(default=0.0, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)

    @model_validator(mode="after")
    def _known(self) -> Self:
        read_settings(self.model_extra or {})
        return self


class Spec(Settings):
    """The settings that all families share; each family adds its own."""

    heading: ClassVar[str] = "What the test is"
    usual: ClassVar[tuple[str, ...]] = ("docs",)
    """The settings that people give most, first in --help."""
    example: ClassVar[str] = ""
    """What may follow `longreach build FAMILY`."""
    arguments: ClassVar[tuple[str, ...]] = ()
    """Settings that `longreach build` also takes without their flags, in this order; the last takes all that follow."""
    contexts_flag: ClassVar[str] = ""
    """The flag of `build` that adds contexts per length: `--depths`."""

    added_later: ClassVar[tuple[str, ...]] = ()
    """Settings that older benchmarks of the family do not have."""

    family: str = Field(description="the kind of test")
    seed: int = Field(default=0, ge=0, le=2**63 - 1, description="seed of every random choice")
    docs: tuple[str, ...] = Field(
        default=(),
        description="a file, a folder, gutenberg:ID, hf:NAME or chronicle:7/zh/200k; may repeat; without any, the "
        "built-in speeches",
        json_schema_extra={"form": "PATH"},
    )
    tokenizer: str = setting(
        default="o200k_base",
        description="counts lengths: a name from longreach models, gguf:PATH or the path of a tokenizer.json",
        form="NAME",
        flag=None,
    )
    sampling: Annotated[Sampling, BeforeValidator(_sampling)] = setting(
        default=Sampling(), description="sampling settings: temperature=0,top_p=1,presence_penalty=0.3", flag=None
    )

    def recorded(self) -> dict[str, Any]:
        """As plain data; what was added later only where it is used, so that a benchmark without it is what it was."""
        fields = type(self).model_fields
        usual = {name for name in self.added_later if getattr(self, name) == fields[name].default}
        return self.model_dump(mode="json", by_alias=True, exclude=usual)

    def digest(self) -> str:
        """The sha256 of all settings."""
        return hashlib.sha256(canonical_json(self.model_dump(mode="json")).encode()).hexdigest()


class LengthSpec(Spec):
    """The settings of families with contexts of chosen lengths."""

    window: Annotated[int | None, BeforeValidator(tokens_setting)] = Field(
        default=None, description="the model's context window, for lengths in percent: 128k, or a model's name: gpt-5"
    )
    lengths: Lengths = Field(
        default=("10%", "20%", "30%", "40%", "50%", "60%", "70%", "80%", "90%", "100%"),
        description="tokens of context: 1k,2k,4k or 8k..128k/8k, or shares of --window: 10%..100%/10%",
    )
