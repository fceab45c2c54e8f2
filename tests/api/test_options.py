"""The typed keyword arguments are those of the settings models, and a spec object builds what its settings build."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pytest
from docs.reference.typed_options import options_module, typed_dict
from pydantic import BeforeValidator

import longreach
from longreach import options
from longreach.cli.setting_options import SetOption, setting_options
from longreach.core.formatting import tokens_setting
from longreach.core.settings import setting
from longreach.families.needles.spec import NeedlesSpec
from longreach.runner.run_settings import RunSettings

SMALL: dict[str, Any] = {"lengths": "600,1000", "depths": "50", "facts": 2, "seed": 3}


def test_the_typed_options_are_those_of_the_settings_classes() -> None:
    assert Path(options.__file__).read_text(encoding="utf-8") == options_module(), "run: python -m docs.reference.write"


def test_a_new_setting_of_a_run_is_typed_recorded_and_settable_by_its_declaration_alone() -> None:
    class More(RunSettings):
        """How a model is called."""

        pause: Annotated[int | None, BeforeValidator(tokens_setting)] = setting(None, "Waits so long.", ge=1, le=60)
        greeting: str = setting("", "Says this first.", flag=None)

    made = "\n".join(typed_dict("MoreOptions", More))
    assert "    pause: int | str | None\n" in made
    assert made.endswith("    greeting: str")
    flags = {flag for option in setting_options(More.model_fields) for flag in option.opts}
    assert "--pause" in flags
    assert "--greeting" not in flags
    assert "greeting" in SetOption(More.model_fields).fields
    assert More.parse({"pause": 5, "base_url": "http://a"}, "run").changed() == {"pause": 5}
    with pytest.raises(longreach.LongreachError, match="'pause': Input should be less than or equal to 60"):
        More.parse({"pause": 61}, "run")


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
