"""Books and documents: the same bytes everywhere, longer books that begin like shorter ones, plain refusals."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from docs.chronicle_sample import sample

from longreach.errors import BadInput
from longreach.worlds.chronicle import Language, write_book, write_documents
from longreach.worlds.chronicle.book import load
from longreach.worlds.error_types import TYPES

LANGUAGES: tuple[Language, ...] = ("en", "zh")
_PROGRAM = "from tests.worlds.chronicle.test_chronicle_book import digest; print(digest())"


def digest() -> str:
    found = hashlib.sha256()
    for language in LANGUAGES:
        for unit in write_book(5, language=language, units=4).units:
            wrong = [unit.wrong(kind, 3) for kind in TYPES]
            told = [unit.text, unit.paraphrase(2), *(version.summary for version in wrong if version)]
            found.update("\n".join(told).encode())
    return found.hexdigest()


def test_the_same_arguments_give_the_same_bytes_in_another_process() -> None:
    env = os.environ | {"PYTHONHASHSEED": "12345"}
    ran = subprocess.run([sys.executable, "-c", _PROGRAM], env=env, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == digest()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_bytes_are_those_that_were_agreed_on(language: Language) -> None:
    """Changes with every change of the generator; the family's version must then be raised."""
    text = "\n".join(unit.text + unit.summary for unit in write_book(1, language=language, units=3).units)
    assert (
        hashlib.sha256(text.encode()).hexdigest()[:16] == {"en": "061091b98c850db3", "zh": "4dcd720875308454"}[language]
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_longer_book_begins_with_the_shorter_one(language: Language) -> None:
    short = write_book(9, language=language, units=4)
    long = write_book(9, language=language, units=9)
    assert [unit.text for unit in long.units[:4]] == [unit.text for unit in short.units]
    assert [unit.summary for unit in long.units[:4]] == [unit.summary for unit in short.units]


def test_both_languages_tell_one_world() -> None:
    english, chinese = (write_book(3, language=language, units=5) for language in LANGUAGES)
    assert english.world == chinese.world
    assert [unit.claims for unit in english.units] == [unit.claims for unit in chinese.units]
    assert english.units[0].text != chinese.units[0].text


def test_seeds_give_different_books() -> None:
    books = [write_book(seed, language="en", units=2) for seed in range(5)]
    assert len({book.units[0].text for book in books}) == 5
    assert len({unit.text for book in books for unit in book.units}) == 10


@pytest.mark.parametrize("language", LANGUAGES)
def test_documents_are_of_the_asked_length(language: Language) -> None:
    documents = write_documents(2, 12_000, language)
    assert 4 <= len(documents) <= 6
    assert len({document.id for document in documents}) == len(documents)
    for document in documents:
        assert document.language == language
        assert document.source == "chronicle:2"
        assert document.text.startswith(document.title)
        assert document.sha256 == hashlib.sha256(document.text.encode()).hexdigest()


def test_a_source_names_seed_language_and_length() -> None:
    silent: list[str] = []
    documents = load("4/zh/5k", warn=silent.append)
    assert [document.text for document in documents] == [unit.text for unit in write_documents(4, 5000, "zh")]
    assert load("4/en/2000", warn=silent.append)[0].language == "en"
    assert silent == []
    for name in ("", "x", "4/fr", "4/zh/", "4/zh/99m", "-1", "4/zh/5k/more"):
        with pytest.raises(BadInput, match="is not a chronicle; give a seed"):
            load(name, warn=silent.append)


def test_the_sample_in_the_documentation_is_what_the_code_writes() -> None:
    page = Path(__file__).parents[3] / "docs" / "chronicle-sample.md"
    assert page.read_text(encoding="utf-8") == sample(), "write it again; the page says how"


def test_what_cannot_be_is_refused_in_one_line() -> None:
    cases = (
        (lambda: write_book(1, language="fr", units=2), "unknown language 'fr'"),  # type: ignore[arg-type]
        (lambda: write_book(1, language="en"), "give the length of the book once"),
        (lambda: write_book(1, language="en", units=2, tokens=2000), "give the length of the book once"),
        (lambda: write_book(1, language="en", units=0), "a book of 0 is not possible"),
        (lambda: write_book(1, language="en", tokens=-5), "a book of -5 is not possible"),
        (lambda: write_book(1, language="en", units=2).units[0].wrong("typo", 1), "unknown type of error 'typo'"),  # type: ignore[arg-type]
    )
    for call, message in cases:
        with pytest.raises(BadInput) as caught:
            call()
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)
