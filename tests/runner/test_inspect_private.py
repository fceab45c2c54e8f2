"""A canary: when a new inspect_ai moves or changes what Longreach uses of its private parts, this names it."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import pytest
from inspect_ai.model import GenerateConfig, ModelOutput

import longreach
from longreach.core.settings import KNOWN
from longreach.runner.inspect_private import USES


@pytest.mark.parametrize(("module", "name"), USES)
def test_every_private_part_is_where_it_was(module: str, name: str) -> None:
    try:
        found: object = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        pytest.fail(f"inspect_ai has moved {module}.{name} ({error}); adapt src/longreach/runner/inspect_private.py")


def test_private_parts_are_imported_in_one_module_only() -> None:
    package = Path(longreach.__file__).parent
    touching: dict[str, set[str]] = {}
    texts = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    for path, text in texts.items():
        for node in ast.walk(ast.parse(text)) if "inspect_ai" in text else ():
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            private = {one for one in modules if one.startswith("inspect_ai.") and "._" in one}
            if private:
                touching.setdefault(str(path.relative_to(package)), set()).update(private)
    assert set(touching) == {"runner/inspect_private.py"}
    assert touching["runner/inspect_private.py"] <= {module for module, _ in USES}


def test_the_settings_that_can_be_given_are_inspects() -> None:
    assert set(GenerateConfig.model_fields) >= KNOWN, "a generation setting has another name now"


def test_completion_is_still_filled_from_the_choices() -> None:
    assert ModelOutput.from_content("m", "words").completion == "words"


def test_the_raw_completions_provider_still_leaves_out_headers() -> None:
    """If it starts to send those of the config, the client of its own in guarded_api.py can go."""
    from inspect_ai.model._providers.openai_compatible_completions import generate_raw_completions

    assert "config.extra_headers" not in inspect.getsource(generate_raw_completions)
