from __future__ import annotations

import json

import pytest

from longreach.text.formats import FileText, Unreadable
from longreach.text.formats.plain import read_jsonl


def lines(*records: object) -> bytes:
    return "\n".join(json.dumps(record) for record in records).encode()


def test_fields_titles_and_ids() -> None:
    data = lines({"text": "a", "id": "x", "title": "T"}, {"content": "b"}, {"body": "c"}, {"story": "d", "id": 7})
    assert read_jsonl(data, pytest.fail) == [
        FileText("a", title="T", line=1, record_id="x"),
        FileText("b", line=2),
        FileText("c", line=3),
        FileText("d", line=4),
    ]


def test_the_first_field_with_text_is_taken() -> None:
    (found,) = read_jsonl(lines({"story": "last", "text": " ", "content": "first"}), pytest.fail)
    assert found.text == "first"


def test_bad_lines_are_named_by_number() -> None:
    warnings: list[str] = []
    data = b'{"text": "good"}\n{"text": \n\n[1]\n{"title": "no text"}\n{"text": "also good"}\r\n'
    found = read_jsonl(data, warnings.append)
    assert [(each.text, each.line) for each in found] == [("good", 1), ("also good", 6)]
    assert [warning.split(":")[0] for warning in warnings] == ["line 2", "line 4", "line 5"]
    assert "not JSON" in warnings[0]
    assert "list" in warnings[1]
    assert "no text" in warnings[2]


def test_very_many_bad_lines_are_counted() -> None:
    warnings: list[str] = []
    read_jsonl(b"nonsense\n" * 1500 + b'{"text": "good"}', warnings.append)
    assert len(warnings) == 11
    assert "1,490 more" in warnings[-1]


def test_a_raw_line_separator_does_not_end_a_record() -> None:
    data = '{"text": "a\u2028b"}'.encode()
    assert read_jsonl(data, pytest.fail)[0].text == "a\u2028b"


def test_no_record_at_all_is_refused() -> None:
    with pytest.raises(Unreadable, match="no record"):
        read_jsonl(b"[" * 100_000, lambda _: None)
