"""The quick encoder writes the same data as the ordinary one."""

from __future__ import annotations

import json

import pytest

from longreach.runner.direct_post import encode


@pytest.mark.parametrize(
    "text", ["plain words", "字" * 50, 'quote " and \\ and \x00', "one é in many words " * 9, "🙂\x7f\u2028"]
)
def test_it_reads_back_as_it_was(text: str) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": text}], "temperature": 0.0, "stop": None}
    assert json.loads(encode(body)) == body


def test_text_beyond_ascii_is_not_escaped_where_that_would_triple_it() -> None:
    body = {"messages": [{"role": "user", "content": "字" * 1000}]}
    assert len(encode(body)) < 3100
