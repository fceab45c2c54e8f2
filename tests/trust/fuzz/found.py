"""What fuzzing and reading found, each as the input that showed it; every one of them is tried on every run."""

from __future__ import annotations

_DEEP = 3000

FOUND: tuple[tuple[str, str, bytes], ...] = (
    ("answers-verbatim", "half a character in a JSON list could not be written", b'["\\ud800 is half", "a"]'),
    (
        "answers-novel",
        "half a character in a verdict",
        b'{"hallucinated": true, "findings": [{"sentence": "\\udfff"}]}',
    ),
    ("answers-novel", "a verdict nested deeper than Python's stack", b'{"a":' * _DEEP + b"1" + b"}" * _DEEP),
    ("answers-novel", "lists in lists, each mended", b"[" * 450 + b"'" + b"]" * 450),
    ("answers-verbatim", "a list nested deeper than Python's stack", b"[" * _DEEP + b"]" * _DEEP),
    ("answers-grounded", "fences read from every line on", b"```\n" * 10_000),
    ("answers-grounded", "rules read from every line on", b"---\n" * 10_000),
    ("answers-grounded", "white space after the word read twice from every place", b"Answer " + b"\t" * 40_000 + b" x"),
    ("answers-grounded", "stars after the word", b"Answer " + b"*" * 40_000 + b" x"),
    ("answers-verbatim", "a gap inside a line tried from every place", b"Answer " + b" " * 40_000 + b" x"),
    ("answers-needles", "many labels", b"Question 1: x\n" * 5_000),
    ("values", "digits without end", b"12\n" + b"9" * 20_000),
    (
        "builder-grounded",
        "half a character in a question",
        b'{"question": "\\ud800?", "options": ["a", "b"], "answer": "a"}',
    ),
    (
        "builder-novel",
        "half a character in a summary",
        b'{"possible": true, "summary": "\\ud800", "sentence": "\\ud800"}',
    ),
    ("document-md", "a heading of marks, tried from every one", b"# " + b"#" * 200_000 + b" x"),
    ("document-jsonl", "brackets without end", b"[" * 200_000),
    ("document-html", "tags without end", b"<b>" * 30_000),
    (
        "spec",
        "aliases that stand for billions",
        b"a: &a [1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c "
        b"[*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\nlengths: [*d,*d,*d,*d,*d,*d,*d,*d]",
    ),
    ("spec", "a list that holds itself", b"lengths: &a [*a]"),
    ("spec", "a key that is no word", b"1: 2"),
    ("spec", "a month that is not", b"seed: 2020-13-45"),
    ("spec", "brackets without end", b"a: " + b"[" * 100_000),
    ("flags", "half a token", b"0.5tok"),
    ("flags", "more tokens than there are numbers for", b"99999999999999999Mtok"),
    ("flags", "YAML that is none", b"[1"),
    ("import", "half a character in an answer", b'{"id": "x", "text": "\\ud800"}'),
    ("import", "half a character in an id", b'{"id": "\\ud800", "text": "x"}'),
    (
        "prompt",
        "a version that is a digit and no number",
        "version: \u00b2\nvariables: context\n---\n{{context}}".encode(),
    ),
    ("prompt", "a version of more digits than Python reads", b"version: " + b"9" * 5_000 + b"\n---\nx"),
    ("tail", "a record that is a number", b"[1]"),
    (
        "tail",
        "a depth that is no number",
        b'[{"QA": {"question": "q", "options": ["a", "b"], "answer": "A"}, "doc_index": 0, '
        b'"depth": NaN, "document_length": 9, "context": "x", "whole_document": "x"}]',
    ),
    (
        "tail",
        "a length without end",
        b'[{"QA": {"question": "q", "options": ["a", "b"], "answer": "A"}, "doc_index": 0, '
        b'"depth": 5, "document_length": 1e999, "context": "x", "whole_document": "x"}]',
    ),
    (
        "tail",
        "half a character in a text",
        b'[{"QA": {"question": "q", "options": ["a", "b"], "answer": "A"}, "doc_index": 0, '
        b'"depth": 5, "document_length": 9, "context": "x", "whole_document": "x \\ud800"}]',
    ),
    ("bench", "an index of three bytes", b"\x06abc"),
    ("bench", "no questions", b"\x03"),
    ("bench", "nothing planted", b"\x04"),
    ("bench", "a spec that is a list", b"\x01[]"),
    (
        "bench",
        "a list of files that leaves the folder",
        b'\x00{"format": 1, "family": "needles", "family_version": 1, "digest": "", "items": 1, "files": {"../x": ""}}',
    ),
)
"""Parser, what went wrong, the input."""
