"""Settings that users write: KEY=VALUE pairs and spec files, read as YAML."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

from longreach.core.files import read_file
from longreach.errors import BadInput, keep_secret, looks_like_a_secret, names_a_secret, one_line, secret_name

_LONGEST_SPEC = 1024 * 1024
_MOST_PARTS = 10_000
"""Values in one piece of YAML. A few lines of aliases can stand for billions of values."""


def key_values(pairs: tuple[str, ...], flag: str = "-M", example: str = "n_ctx=16384") -> dict[str, Any]:
    """KEY=VALUE with the value read as YAML: numbers, booleans, or {maps}."""
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            shown = "…" if looks_like_a_secret(pair) or names_a_secret(pair) else one_line(pair, 80)
            raise BadInput(f"{flag} {shown}: write KEY=VALUE, for instance {flag} {example}")
        if names_a_secret(key):
            raise BadInput(
                f"{flag} {key}=…: a command line can be seen by others on this machine; put the key in the environment "
                f"(for PROVIDER/NAME in PROVIDER_API_KEY)"
            )
        if key in values:
            raise BadInput(f"{flag} {one_line(key, 60)} is given twice; give one value")
        values[key] = _yaml(value, f"{flag} {key}=", "give a number, true, false, a word or {a: 1}")
        if (inner := secret_name(values[key])) is not None:
            keep_secret(values[key])
            raise BadInput(
                f"{flag} {key}=…: {inner} looks like a key, and settings are recorded; put the key in the environment "
                f"(for PROVIDER/NAME in PROVIDER_API_KEY)"
            )
    return values


def read_spec(path: Path) -> dict[str, Any]:
    """A spec file: YAML, or the spec.json of a benchmark."""
    try:
        text = read_file(path, _LONGEST_SPEC).decode("utf-8-sig")
    except BadInput as error:
        raise BadInput(f"spec file {error} of settings in YAML") from None
    except FileNotFoundError:
        raise BadInput(f"there is no spec file {path}; write one or give flags") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else one_line(str(error))
        raise BadInput(f"spec file {path} cannot be read: {reason}; give a YAML file") from None
    loaded = _yaml(text, f"spec file {path}", "give a YAML file")
    if not isinstance(loaded, dict):
        raise BadInput(f"spec file {path} holds no settings; write lines such as 'lengths: 1k,2k,4k'")
    for key in loaded:
        if not isinstance(key, str):
            raise BadInput(f"spec file {path}: the key {key!r} is not a name; write lines such as 'lengths: 1k,2k,4k'")
    return loaded


def _yaml(text: str, where: str, remedy: str) -> Any:
    """Parse YAML; invalid or overly large input is an error."""
    import yaml

    try:
        loaded = _loader()(text).get_single_data()
        _count(loaded, where)
    # The parser also raises Python's own errors, for instance for deep nesting.
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, IndexError, KeyError, RecursionError) as error:
        raise BadInput(f"{where} cannot be read: {_why(error)}; {remedy}") from None
    return loaded


@cache
def _loader() -> Any:
    """A safe loader with the types of YAML 1.2: `yes` is a word, `1:30` is no number, 2020-01-01 is no date. A key that
    stands twice in a mapping is an error."""
    import re

    import yaml

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers = {}  # noqa: RUF012  (as in the base class)

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            known: set[str] = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode):
                    if key.value in known:
                        raise yaml.constructor.ConstructorError(
                            None, None, f"the key '{key.value}' is given twice", key.start_mark
                        )
                    known.add(key.value)
            return super().construct_mapping(node, deep=deep)

    for kind, pattern, first in (
        ("null", "~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("bool", "true|True|TRUE|false|False|FALSE", list("tTfF")),
        ("int", "[-+]?(?:0|[1-9][0-9]*)", list("-+0123456789")),
        (
            "float",
            r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
            list("-+.0123456789"),
        ),
    ):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", re.compile(f"(?:{pattern})$"), first)
    return Loader


def _why(error: Exception) -> str:
    """What is wrong with a piece of YAML, with line and column if known."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    if mark is None or problem is None:
        return one_line(str(error), 120)
    return f"line {mark.line + 1}, column {mark.column + 1}: {one_line(problem, 120)}"


def _count(loaded: Any, where: str) -> None:
    """Raise if a value has too many parts, aliases expanded, or a number that is not finite."""
    stack, parts = [loaded], 0
    while stack:
        value = stack.pop()
        parts += 1
        if parts > _MOST_PARTS:
            raise BadInput(f"{where} holds more than {_MOST_PARTS:,} values; give fewer")
        if isinstance(value, float) and not math.isfinite(value):
            raise BadInput(f"{where} holds {value}, which is not a finite number; give another")
        if isinstance(value, dict):
            stack.extend(value.keys())
            stack.extend(value.values())
        elif isinstance(value, list | tuple | set | frozenset):
            stack.extend(value)
