from __future__ import annotations

import io
from collections.abc import Sequence

import pytest

from longreach.text.formats import Unreadable
from longreach.text.formats.pdf import read_pdf

Placed = tuple[float, float, float, str]
"""Left edge, baseline and size of a text, and the text."""


def make_pdf(pages: Sequence[Sequence[str | Placed]], font: str = "Helvetica") -> bytes:
    """A small valid PDF with texts on its pages: at positions, or as lines from the top; `**` begins one in bold."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{font} >>".encode(),
    ]
    bold = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>"
    for i, lines in enumerate(pages):
        placed = [(50, 750 - 12 * row, 10, line) if isinstance(line, str) else line for row, line in enumerate(lines)]
        shown = "".join(
            f"BT /F{1 + text.startswith('**')} {size} Tf 1 0 0 1 {x} {y} Tm ({text.removeprefix('**')}) Tj ET\n"
            for x, y, size, text in placed
            if text
        )
        stream = shown.encode("cp1252")
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * i} 0 R "
            f"/Resources << /Font << /F1 3 0 R /F2 {bold} >> >> >>".encode()
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
    from pypdf import PdfReader, PdfWriter

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
    from pypdf import PdfReader, PdfWriter

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


def test_pages_without_text_are_counted() -> None:
    warnings: list[str] = []
    read_pdf(make_pdf([*PAGES, []]), warnings.append)
    assert warnings == ["1 of 3 pages have no text (blank, or pictures)"]


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["a well-known man met a well-", "known woman"], "a well-known man met a well-known woman"),
        (["they are well and known as well-", "known people"], "they are well and known as well-known people"),
        (["for example this is an exam-", "ple"], "for example this is an example"),
        (["the right mar-", "gin"], "the right margin"),
        (["from Paris in the year 1914-", "1918 and on"], "from Paris in the year 1914-1918 and on"),
    ],
)
def test_hyphens_at_line_ends(lines: list[str], text: str) -> None:
    assert text_of(make_pdf([lines])) == text


def test_list_entries_and_headings_are_apart() -> None:
    heading: Placed = (50, 750, 16, "Packing for a trip")
    body = ["A list of things to take with you:", "* water and bread for the trip over the hills and", "the valleys",
            "* maps"]  # fmt: skip
    page = [heading, *((50 if not number or line[0] == "*" else 60, 720 - 12 * number, 10, line)
                       for number, line in enumerate(body))]  # fmt: skip
    assert text_of(make_pdf([page])) == (
        "Packing for a trip\n\nA list of things to take with you:\n"
        "* water and bread for the trip over the hills and the valleys\n* maps"
    )


def test_a_line_that_looks_like_a_marked_heading_is_escaped() -> None:
    assert text_of(make_pdf([["# apt-get update"]])) == "\\# apt-get update"


def test_indented_and_spaced_paragraphs_are_apart() -> None:
    wide = "The committee met in the hall and voted on every question that was put before it."
    indented: list[Placed] = [(50, 700, 10, wide), (50, 688, 10, wide), (70, 676, 10, wide), (50, 664, 10, wide)]
    assert text_of(make_pdf([indented])) == f"{wide} {wide}\n\n{wide} {wide}"
    spaced: list[Placed] = [(50, 700, 10, wide), (50, 688, 10, wide), (50, 664, 10, wide), (50, 652, 10, wide)]
    assert text_of(make_pdf([spaced])) == f"{wide} {wide}\n\n{wide} {wide}"


def test_running_heads_and_page_numbers_go() -> None:
    """Heads differ between left and right pages and change with the chapter; numbers are alone or in a footer."""
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
    pages = [
        [
            (50, 770, 9, "Annual report" if number % 2 else f"Part {number // 4 + 1}, on {words[number // 4]}"),
            *((50, 730 - 12 * row, 10, f"Sentence {row} of section {word} is here and is about as long as others are.")
              for row in range(12)),
            (300, 40, 9, str(number + 1)),
        ]
        for number, word in enumerate(words)
    ]  # fmt: skip
    text = text_of(make_pdf(pages))
    assert "Annual" not in text
    assert "Part" not in text
    assert all(f"Sentence {row} of section {word} is" in text for word in words for row in range(12))
    assert not [line for line in text.split("\n") if line.strip().isdigit()]


def test_lines_that_few_pages_share_stay() -> None:
    pages = [["Annual report", "Some text."], ["More text here.", "And so on."], ["Again.", "Yes."], ["Last.", "End."]]
    assert "Annual report" in text_of(make_pdf(pages))


@pytest.mark.parametrize("interleaved", [False, True])
def test_two_columns_are_read_one_after_the_other(interleaved: bool) -> None:
    """Whether the file draws one column after the other or line by line; a title above both stays first."""
    left = [(50.0, 700.0 - 12 * row, 10.0, f"Left line {row:02d} has words up to its edge here") for row in range(20)]
    right = [(310.0, 700.0 - 12 * row, 10.0, f"right line {row:02d} has words up to its edge") for row in range(20)]
    body = [one for pair in zip(left, right, strict=True) for one in pair] if interleaved else [*left, *right]
    title: Placed = (50, 740, 18, "A title that is set above both of the columns")
    text = text_of(make_pdf([[title, *body]]))
    assert text.startswith("A title that is set above both of the columns\n\nLeft line 00")
    assert text.index("Left line 19") < text.index("right line 00")
    assert "here Left line 01" in text


def test_a_table_is_read_by_rows() -> None:
    rows = [((50.0, 700.0 - 12 * row, 10.0, f"item {row}"), (300.0, 700.0 - 12 * row, 10.0, f"{row * 7} kg"))
            for row in range(12)]  # fmt: skip
    text = text_of(make_pdf([[cell for row in rows for cell in row]]))
    assert text.split("\n")[3] == "item 3\t21 kg"


def test_code_stays_in_lines() -> None:
    lines = ["for name in names:", "    print the name", "return nothing else"]
    assert text_of(make_pdf([lines], font="Courier")).split("\n") == [line.strip() for line in lines]


def test_the_table_of_contents_goes() -> None:
    entries = [f"{number} Chapter on {word} {'.' * 40} {number * 2}" for number, word in enumerate("abcdef", 1)]
    text = text_of(make_pdf([["Contents", *entries], ["The first chapter begins here, and it says a lot."]]))
    assert "Chapter on" not in text
    assert "The first chapter begins here" in text


PROSE = "The ferry crosses the bay at noon, and the pilot waits at the quay for the tide to fall."


def test_headings_are_marked_by_their_size() -> None:
    pages: list[list[Placed]] = []
    for number, name in enumerate(("upper", "lower", "outer"), 1):
        top = 760 - 40 * number
        heads: list[Placed] = [(50, top, 18, f"Chapter {name}"), (50, top - 40, 13, f"The {name} lock")]
        prose: list[Placed] = [(50, top - 60 - 12 * row, 10, PROSE) for row in range(9)]
        pages.append(
            [*heads, *prose, (50, top - 200, 13, f"Figure {number}. The lock"), (50, top - 240, 13, "It ends.")]
        )
    (found,) = read_pdf(make_pdf(pages), pytest.fail)
    marked = [line for line in found.text.split("\n") if line.startswith("#")]
    names = ("upper", "lower", "outer")
    assert marked == [line for name in names for line in (f"# Chapter {name}", f"## The {name} lock")]
    assert f"## The upper lock\n\n{PROSE}" in found.text


def test_bold_lines_are_headings_below_larger_ones() -> None:
    pages: list[list[Placed]] = [
        [(50, 740 - number, 13, f"The {name} lock"), (50, 700 - number, 10, f"**Mending the {name} gate"),
         *((50, 680 - number - 12 * row, 10, PROSE) for row in range(9))]
        for number, name in ((0, "upper"), (40, "lower"), (80, "outer"))
    ]  # fmt: skip
    (found,) = read_pdf(make_pdf(pages), pytest.fail)
    marked = [line for line in found.text.split("\n") if line.startswith("#")]
    assert marked[:2] == ["# The upper lock", "## Mending the upper gate"]
    assert len(marked) == 6


def test_a_text_in_bold_throughout_has_no_headings_by_its_font() -> None:
    pages = [
        [(50, 740, 10, "The upper lock"), *((50, 700 - 12 * row, 10, PROSE) for row in range(9))] for _ in range(4)
    ]
    (found,) = read_pdf(make_pdf(pages, "Helvetica-Bold"), pytest.fail)
    assert "#" not in found.text
