"""The typed keyword arguments are those of the settings models, and a spec object builds what its settings build."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import pytest

import longreach
from longreach import options
from longreach.checking.gate import check_gate
from longreach.exchange.export import export_bench
from longreach.families.needles.spec import NeedlesSpec
from longreach.planning.plan import PlanSettings
from longreach.runner.helper_model import HelperSettings
from longreach.runner.run_settings import RunSettings

SMALL: dict[str, Any] = {"lengths": "600,1000", "depths": "50", "facts": 2, "seed": 3}


def _kinds(hint: Any) -> set[Any]:
    """What a type takes: `int` and `None` for `int | None`, and lists and mappings of any kind."""
    if get_origin(hint) in (Union, UnionType):
        return set().union(*map(_kinds, get_args(hint)))
    if get_origin(hint) is Annotated:
        return _kinds(get_args(hint)[0])
    return {{dict: Mapping, tuple: Sequence}.get(get_origin(hint), get_origin(hint) or hint)}


@pytest.mark.parametrize(
    ("typed", "settings"),
    [(options.RunOptions, RunSettings), (options.PlanOptions, PlanSettings), (options.HelperOptions, HelperSettings)],
)
def test_options_are_the_fields_of_the_settings(typed: type, settings: Any) -> None:
    hints = get_type_hints(typed)
    assert set(hints) == set(settings.model_fields)
    for name, field in settings.model_fields.items():
        assert _kinds(field.annotation) <= _kinds(hints[name]), name


@pytest.mark.parametrize(
    ("typed", "function"), [(options.GateOptions, check_gate), (options.ExportOptions, export_bench)]
)
def test_options_are_arguments_of_the_function(typed: type, function: Any) -> None:
    assert set(typed.__annotations__) <= set(inspect.signature(function).parameters)


@pytest.mark.filterwarnings("ignore")
def test_a_spec_object_builds_what_its_settings_build(docs: Path, tmp_path: Path) -> None:
    named = longreach.build("needles", tmp_path / "a", docs=docs, **SMALL)
    spec = NeedlesSpec.parse({"docs": [str(docs)], **SMALL}, "test")
    assert longreach.build(spec, tmp_path / "b").info.digest == named.info.digest
    with pytest.raises(longreach.LongreachError, match="a spec object already has every setting"):
        longreach.build(spec, tmp_path / "c", seed=4)


@pytest.mark.filterwarnings("ignore")
def test_settings_are_never_shadowed(docs: Path, tmp_path: Path) -> None:
    """What a function calls its own argument can still be a setting; an unknown one is refused, not swallowed."""
    built = longreach.build("needles", tmp_path / "a", settings={"docs": [str(docs)], **SMALL})
    assert built.info.items == 4
    with pytest.raises(longreach.LongreachError, match="unknown key 'where'"):
        longreach.build("needles", tmp_path / "b", settings={"where": "here"})
