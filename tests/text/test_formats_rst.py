from __future__ import annotations

import pytest

from longreach.text.formats import READERS, Unreadable
from longreach.text.formats.web import read_rst


def text_of(source: str) -> str:
    (found,) = read_rst(source.encode(), pytest.fail)
    return found.text


def test_headings_roles_and_comments() -> None:
    source = (
        "Travel\n======\n\n.. index:: trip\n\nPress :guilabel:`Save`, then see :ref:`the form <form>` or\n"
        ":py:meth:`~trip.Trip.book`.\n\n.. a note to ourselves\n\nBy rail\n-------\n\nTrains are *late*.\n"
    )
    assert text_of(source) == (
        "# Travel\n\nPress Save, then see the form or trip.Trip.book.\n\n## By rail\n\nTrains are late."
    )
    (found,) = READERS[".rst"](source.encode(), pytest.fail)
    assert found.title == "Travel"


def test_directives_of_sphinx_are_text() -> None:
    source = (
        "Api\n===\n\n.. toctree::\n   :maxdepth: 2\n\n   intro\n\n.. function:: book(trip)\n   :async:\n\n"
        "   Books a trip.\n\n"
        ".. versionadded:: 2.1\n   Trips by boat.\n\n.. todo:: Say more.\n"
    )
    assert text_of(source) == "# Api\n\nbook(trip)\n\nBooks a trip.\n\nTrips by boat."


def test_no_other_file_is_read_and_nothing_raw_is_kept() -> None:
    source = (
        "Files\n=====\n\n.. include:: /etc/hostname\n\n.. raw:: html\n\n   <p>raw</p>\n\n"
        ".. csv-table:: T\n   :file: /etc/passwd\n\nEnd.\n"
    )
    assert text_of(source) == "# Files\n\nEnd."


def test_faults_are_no_part_of_the_text() -> None:
    source = "Title\n=====\n\nAn *open mark, an |unknown| name, `a link`_ and :odd:`role`.\n\nShort\n--\n\nEnd.\n"
    text = text_of(source)
    assert "role" in text
    assert "End." in text
    assert "ERROR" not in text
    assert "System Message" not in text


def test_damaged_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RecursionError

    monkeypatch.setattr("docutils.core.publish_string", broken)
    with pytest.raises(Unreadable, match="not readable as reStructuredText"):
        text_of("Text.")


def test_a_rubric_is_a_heading_below_all_others() -> None:
    assert text_of("Title\n=====\n\n.. rubric:: On *tides*\n\nEnd.\n") == "# Title\n\n###### On tides\n\nEnd."
