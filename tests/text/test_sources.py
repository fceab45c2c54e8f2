"""Sources by name: schemes lead to their modules, paths to files, and mistakes to one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.doubles.library_server import LibraryServer

from longreach.errors import BadInput
from longreach.text.documents import SCHEMES, built_in_documents, load_sources

BOOK = (
    "Title: Frost\n\n*** START OF THE PROJECT GUTENBERG EBOOK FROST ***\n\nIt froze.\n\n"
    "*** END OF THE PROJECT GUTENBERG EBOOK FROST ***\n"
)


def test_every_scheme_has_its_module() -> None:
    assert "gutenberg" in SCHEMES
    for scheme in SCHEMES:
        assert callable(SCHEMES.load(scheme))


def test_books_and_files_come_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The ferry sleeps.", encoding="utf-8")
    with LibraryServer({"/cache/epub/12/pg12.txt": BOOK.encode()}) as server:
        monkeypatch.setenv("LONGREACH_GUTENBERG", server.address)
        monkeypatch.setenv("LONGREACH_GUTENBERG_PAUSE", "0")
        monkeypatch.setenv("LONGREACH_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        documents = load_sources(["gutenberg:12", str(note)], warn=pytest.fail)
    assert [(document.source, document.text) for document in documents] == [
        ("gutenberg:12", "It froze."),
        ("note.txt", "The ferry sleeps."),
    ]


def test_a_file_that_looks_like_a_scheme_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gutenberg:12").write_text("Only a note.", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert [document.text for document in load_sources(["gutenberg:12"], warn=pytest.fail)] == ["Only a note."]


def test_an_unknown_scheme_is_one_line() -> None:
    with pytest.raises(BadInput, match="Did you mean 'gutenberg:'") as caught:
        load_sources(["gutenburg:12"], warn=pytest.fail)
    assert "\n" not in str(caught.value)


def test_without_sources_the_built_in_haystack_is_read() -> None:
    assert load_sources([], warn=pytest.fail) == built_in_documents()
