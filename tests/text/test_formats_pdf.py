from __future__ import annotations

import io
import logging
from collections.abc import Sequence

import pytest
from pypdf import PdfReader, PdfWriter

from longreach.text.formats import Unreadable
from longreach.text.formats.pdf import read_pdf, unwrap


def make_pdf(pages: Sequence[Sequence[str]]) -> bytes:
    """A small valid PDF with these lines of text on its pages."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for i, lines in enumerate(pages):
        shown = "".join(f"({line}) Tj T*\n" for line in lines)
        stream = f"BT /F1 10 Tf 12 TL 50 750 Td\n{shown}ET".encode() if lines else b""
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * i} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        bodies.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    data, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, start=1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(bodies) + 1
    return (
        data
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
        + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(data))
    )


def encrypted(data: bytes, password: str, owner: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(password, owner, algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


PAGES = [
    ["The long example shows how a sentence is wrapped at the right mar-", "gin of a page. It goes on for a bit, and",
     "then ends."],
    ["A second page follows here."],
]  # fmt: skip


def text_of(data: bytes) -> str:
    (found,) = read_pdf(data, pytest.fail)
    return found.text.strip()


def test_pages_are_joined_and_lines_unwrapped() -> None:
    assert text_of(make_pdf(PAGES)) == (
        "The long example shows how a sentence is wrapped at the right margin of a page. "
        "It goes on for a bit, and then ends.\n\nA second page follows here."
    )


def test_the_title_comes_from_the_metadata() -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(make_pdf(PAGES))))
    writer.add_metadata({"/Title": "On margins"})
    buffer = io.BytesIO()
    writer.write(buffer)
    assert read_pdf(buffer.getvalue(), pytest.fail)[0].title == "On margins"


def test_a_password_is_named_and_an_empty_one_opens() -> None:
    data = make_pdf(PAGES)
    with pytest.raises(Unreadable, match="encrypted"):
        read_pdf(encrypted(data, "secret", "owner"), pytest.fail)
    assert text_of(encrypted(data, "", "owner")) == text_of(data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"this is no pdf", "not a PDF"),
        (b"%PDF-1.7\nbut nothing more", "damaged PDF"),
        (make_pdf([[], []]), "only pictures"),
    ],
)
def test_what_cannot_be_read_is_refused(data: bytes, reason: str) -> None:
    level = logging.getLogger("pypdf").level
    with pytest.raises(Unreadable, match=reason):
        read_pdf(data, pytest.fail)
    assert logging.getLogger("pypdf").level == level


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["a well-known man met a well-", "known woman"], "a well-known man met a well-known woman"),
        (["they are well and known as well-", "known people"], "they are well and known as well-known people"),
        (["for example this is an exam-", "ple"], "for example this is an example"),
        (["the right mar-", "gin"], "the right margin"),
        (["from Paris in the year 1914-", "1918 and on"], "from Paris in the year 1914-1918 and on"),
        (["soft hy\u00ad", "phens"], "soft hyphens"),
        (["a list of things to take with you:", "• water and bread for the trip", "• maps"],
         "a list of things to take with you:\n• water and bread for the trip\n• maps"),
        (["Heading", "The text below a heading is wide enough to be", "wrapped. End."],
         "Heading\nThe text below a heading is wide enough to be wrapped. End."),
        (["今天天气很好，我们一起去", "公园散步吧。"], "今天天气很好，我们一起去公园散步吧。"),
    ],
)  # fmt: skip
def test_unwrapping(lines: list[str], text: str) -> None:
    assert unwrap([lines]).strip() == text


def test_running_heads_and_page_numbers_go() -> None:
    pages = [["Annual report", f"Text number {word} stands here.", f"Page {i} of 5"] for i, word in enumerate("abcde")]
    text = unwrap(pages)
    assert "Annual" not in text
    assert "Page" not in text
    assert all(f"Text number {word} stands here." in text for word in "abcde")


def test_lines_that_few_pages_share_stay() -> None:
    assert "Annual report" in unwrap([["Annual report", "Some text."], ["More text."], ["Again."], ["Last."]])
