"""Writes the typed keyword arguments of the verbs from the settings classes: for `longreach/options.py`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BeforeValidator
from pydantic.fields import FieldInfo

from longreach.checking.gate import GateSettings
from longreach.core.settings import Settings
from longreach.exchange.export import ExportSettings
from longreach.exchange.simulate import SimulateSettings
from longreach.planning.plan import PlanSettings
from longreach.reporting.files import ReportSettings
from longreach.runner.inspect_helper import HelperSettings
from longreach.runner.run_settings import RunSettings

CLASSES: Mapping[str, type[Settings]] = {
    "HelperOptions": HelperSettings,
    "PlanOptions": PlanSettings,
    "RunOptions": RunSettings,
    "ReportOptions": ReportSettings,
    "GateOptions": GateSettings,
    "SimulateOptions": SimulateSettings,
    "ExportOptions": ExportSettings,
}
"""Each `TypedDict`, and the class whose fields it has."""
_HEAD = '''"""Keyword arguments of the verbs, typed so that an editor completes them.

Written by `python -m docs.reference.write` from the settings classes, which also validate the values: edit those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict
'''


def options_module() -> str:
    """The whole module."""
    return "\n\n".join([_HEAD, *("\n".join(typed_dict(name, made)) + "\n" for name, made in CLASSES.items())])


def typed_dict(name: str, made: type[Settings]) -> Iterator[str]:
    """The lines of one `TypedDict`."""
    yield f"class {name}(TypedDict, total=False):"
    yield f'    """{inspect.cleandoc(made.__doc__ or "").splitlines()[0]}"""'
    yield ""
    for field, about in made.model_fields.items():
        yield f"    {about.alias or field}: {' | '.join(_accepted(about))}"


def _accepted(field: FieldInfo) -> list[str]:
    """The types that a setting takes: those of its field, and text where it reads text."""
    found = list(_types(field.annotation))
    if any(isinstance(rule, BeforeValidator) for rule in field.metadata):
        found.append("str")
    return sorted(dict.fromkeys(found), key=lambda each: each == "None")


def _types(annotation: Any) -> Iterator[str]:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        for part in parts:
            yield from _types(part)
    elif origin is Annotated:
        yield from _types(parts[0])
    elif origin is Literal:
        yield f"Literal[{', '.join(map(_quoted, parts))}]"
    elif origin is dict:
        yield f"Mapping[{', '.join(' | '.join(_types(part)) for part in parts)}]"
    elif origin is tuple:
        yield f"Sequence[{' | '.join(_types(parts[0]))}]"
    else:
        yield {NoneType: "None", Any: "Any"}.get(annotation) or annotation.__name__


def _quoted(word: object) -> str:
    return f'"{word}"'
