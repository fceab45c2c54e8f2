"""Models by the names that users write."""

from __future__ import annotations

import pytest

from longreach.errors import BadInput
from longreach.runner.providers import model_label, open_model


def test_labels_are_names_as_written() -> None:
    assert model_label("longreach/embedded") == "embedded"
    assert model_label("openai/gpt-5-mini") == "openai/gpt-5-mini"


@pytest.mark.parametrize(
    ("name", "words"),
    [("gpt", "unknown model 'gpt'"), ("nobody/x", "nobody"), ("openai-api/nobody/x", "NOBODY")],
)
def test_a_model_that_cannot_be_opened_is_one_line(name: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOBODY_API_KEY", raising=False)
    with pytest.raises(BadInput) as caught:
        open_model(name)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
