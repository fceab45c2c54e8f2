"""The typed keyword arguments are those of the settings models, and a spec object builds what its settings build."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

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


@pytest.mark.parametrize(
    ("typed", "settings"),
    [
        (options.RunOptions, RunSettings),
        (options.PlanOptions, PlanSettings),
        (options.HelperOptions, HelperSettings),
    ],
)
def test_options_are_the_fields_of_the_settings(typed: type, settings: Any) -> None:
    assert set(typed.__annotations__) == set(settings.model_fields)


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
