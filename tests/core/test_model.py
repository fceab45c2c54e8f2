from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from pydantic import ValidationError

from longreach.core.types import Document, Key, Question, Span, canonical_json
from longreach.errors import BadInput
from longreach.families.needles.spec import NeedlesSpec


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"lenghts": "1k"}, "spec.yaml: unknown key 'lenghts'. Did you mean 'lengths'?"),
        ({"registr": "novel"}, "spec.yaml: unknown key 'registr'. Did you mean 'register'?"),
        ({"facts": 5}, "spec.yaml: facts come in pairs, 5 is odd; give 2, 4, 6, 8 or 10"),
        ({"seed": -1}, "spec.yaml: 'seed': Input should be greater than or equal to 0 (got -1)"),
        ({"ask": "all"}, "spec.yaml: 'ask': Input should be 'together' or 'each' (got 'all')"),
        ({"lengths": "abc"}, "spec.yaml: 'lengths': 'abc' is not a number; write for instance 500, 4k, 1M or 10%"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(data: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        NeedlesSpec.parse(data, "spec.yaml")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_an_unknown_key_without_a_near_one_gets_the_list() -> None:
    with pytest.raises(BadInput, match=r"unknown key 'zzz'. Known: end, start\."):
        Span.parse({"start": 1, "end": 2, "zzz": 3}, "x")


def test_missing_and_nested_keys_are_named() -> None:
    with pytest.raises(BadInput, match="x: 'end' is missing; add it"):
        Span.parse({"start": 1}, "x")
    with pytest.raises(BadInput, match=r"unknown key 'key.kin'"):
        Question.parse_json('{"id":"a","question_type":"p","text":"t","key":{"kind":"text","answer":"a","kin":1}}', "x")


def test_what_is_no_json_is_said() -> None:
    with pytest.raises(BadInput, match=r"x: not JSON \(.*; fix the file or make it again"):
        Span.parse_json("{", "x")


def test_values_are_frozen() -> None:
    span = Span(start=1, end=2)
    with pytest.raises(FrozenInstanceError):
        span.start = 3  # type: ignore[misc]
    with pytest.raises(ValidationError, match="frozen"):
        NeedlesSpec().seed = 3  # type: ignore[misc]
    with pytest.raises(ValidationError, match="Unexpected keyword"):
        Key(kind="text", answer="a", extra=1)  # type: ignore[call-arg]


def test_canonical_json_has_one_spelling() -> None:
    assert canonical_json({"b": [1, 2.5], "a": "é"}) == '{"a":"é","b":[1,2.5]}'
    assert canonical_json({"a": 1, "b": 2}) == canonical_json({"b": 2, "a": 1})


def test_a_documents_fingerprint_is_of_its_bytes() -> None:
    document = Document.of("a", "naïve", title="T", source="s", language="en")
    assert document.sha256 == "f86fd89de87a848a45bfe77708d91a5d2ff48b8e4a4b98af5165af82692f8928"
    assert document.info().model_dump() == {
        "id": "a",
        "title": "T",
        "source": "s",
        "sha256": document.sha256,
        "language": "en",
    }
    assert (Document.of("a", "x").title, Document.of("a", "x").source) == ("a", "a")


def test_the_spec_digest_covers_every_setting() -> None:
    base = NeedlesSpec()
    changed = [
        {"seed": 1},
        {"tokenizer": "cl100k_base"},
        {"lengths": "1k"},
        {"depths": "50"},
        {"ask": "each"},
        {"register": "legal"},
        {"window": "8k"},
        {"docs": ["a"]},
    ]
    digests = {NeedlesSpec.parse(settings, "x").digest() for settings in changed}
    assert len(digests | {base.digest()}) == len(changed) + 1
    assert NeedlesSpec.parse({"lengths": ["1000"]}, "x").digest() == NeedlesSpec.parse({"lengths": "1k"}, "x").digest()
