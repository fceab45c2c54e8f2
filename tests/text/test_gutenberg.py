"""Books over real HTTP: fetched once, politely, continued where cut; and the book alone in what is fetched."""

from __future__ import annotations

import csv
import email.utils
import io
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.doubles.library_server import LibraryServer, Trouble
from tests.text.frost import CONTEXT, PLAIN

from longreach.errors import BadInput
from longreach.text import gutenberg
from longreach.text.gutenberg import LISTS, load, named_list, read_book

CATALOGUE = [
    ("1237", "Text", "1998-03-01", "Father Goriot", "en", "Balzac, Honoré de, 1799-1850; Marriage, Ellen [Translator]"),
    ("1680", "Text", "1999-04-01", "At the Sign of the Cat\nand Racket", "en", "Balzac, Honoré de, 1799-1850"),
    ("7", "Sound", "2000-01-01", "Father Goriot, read aloud", "en", "Balzac, Honoré de, 1799-1850"),
    ("20", "Text", "2000-01-01", "Eugénie Grandet", "fr", "Balzac, Honoré de, 1799-1850"),
    ("21", "Text", "2000-01-01", "Two tongues", "en; fr", "Someone; Balzac, Honoré de, 1799-1850"),
    ("30", "Text", "2000-01-01", "Letters", "en", "Guez de Balzac, Jean-Louis, 1597-1654"),
    (
        "31",
        "Text",
        "2000-01-01",
        "Edited",
        "en",
        "Saltus, Edgar, 1855-1921; Balzac, Honoré de, 1799-1850 [Contributor]",
    ),
    ("32", "Text", "2000-01-01", "Other", "en", "Balzacov, Ivan"),
]


def _catalogue() -> bytes:
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(["Text#", "Type", "Issued", "Title", "Language", "Authors", "Subjects", "LoCC", "Bookshelves"])
    rows.writerows([*row, "", "", ""] for row in CATALOGUE)
    return out.getvalue().encode()


def _file(number: int, story: str = CONTEXT) -> bytes:
    return (
        (
            f"\ufeffThe Project Gutenberg eBook of Book {number}\n\nYou may copy it.\n\nTitle: Book {number}\n\n"
            f"*** START OF THE PROJECT GUTENBERG EBOOK BOOK {number} ***\n\n\nProduced by A. Volunteer and others\n\n\n"
            f"BOOK {number}\n\n{story}\n\n*** END OF THE PROJECT GUTENBERG EBOOK BOOK {number} ***\n\nThe licence.\n"
        )
        .replace("\n", "\r\n")
        .encode()
    )


def _path(number: int) -> str:
    return f"/cache/epub/{number}/pg{number}.txt"


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LibraryServer]:
    """A server with a few books, and an empty cache."""
    files = {_path(number): _file(number) for number in (7, 20, 21, 30, 31, 32, 1237, 1680, 1941)}
    with LibraryServer({**files, "/cache/epub/feeds/pg_catalog.csv": _catalogue()}) as server:
        monkeypatch.setenv("LONGREACH_GUTENBERG", server.address)
        monkeypatch.setenv("LONGREACH_GUTENBERG_PAUSE", "0")
        monkeypatch.setenv("LONGREACH_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield server


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Every wait, instead of the waiting."""
    waits: list[float] = []
    monkeypatch.setattr(gutenberg, "_sleep", waits.append)
    return waits


def _cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "gutenberg"


# --- fetching


def test_books_come_in_the_order_asked_for_and_only_once(library: LibraryServer, tmp_path: Path) -> None:
    documents = load("1680, 20,1680,1237", warn=pytest.fail)
    assert [document.id for document in documents] == ["pg1680", "pg20", "pg1237"]
    assert [document.title for document in documents] == ["Book 1680", "Book 20", "Book 1237"]
    assert [document.source for document in documents] == ["gutenberg:1680", "gutenberg:20", "gutenberg:1237"]
    assert documents[0].text == f"BOOK 1680\n\n{PLAIN}"
    assert documents[0].language == "en"
    assert library.asked == [_path(1680), _path(20), _path(1237)]
    assert load("1237", warn=pytest.fail) == [documents[2]]
    assert load("1680,1941", warn=pytest.fail)[0] == documents[0]
    assert library.asked == [_path(1680), _path(20), _path(1237), _path(1941)]
    kept = _cache(tmp_path)
    assert (kept / "pg1680.txt").read_bytes() == _file(1680), "kept as it came"
    assert not list(kept.glob("*.tmp"))


def test_a_guest_says_its_name_and_comes_alone(library: LibraryServer) -> None:
    load("1680,20,1237", warn=pytest.fail)
    assert library.most_at_once == 1
    assert all("longreach" in request.headers["user-agent"].lower() for request in library.requests)


def test_pauses_lie_between_requests(
    library: LibraryServer, slept: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGREACH_GUTENBERG_PAUSE", "5")
    monkeypatch.setattr(gutenberg, "_last", 0.0)
    load("1680,20,1237", warn=pytest.fail)
    assert len(slept) == 2, "none before the first, one before each other"
    assert all(4 < wait <= 5 for wait in slept)
    load("1680,20,1237", warn=pytest.fail)
    assert len(slept) == 2, "what is on disk needs none"
    load("1941", warn=pytest.fail)
    assert len(slept) == 3, "also between two sources"
    assert len(library.requests) == 4


def test_only_whole_books_are_kept(library: LibraryServer, tmp_path: Path) -> None:
    library.troubles[_path(1237)] = [Trouble(cut=100), Trouble(cut=50)]
    (document,) = load("1237", warn=pytest.fail)
    assert document.text.endswith(PLAIN)
    assert [request.status for request in library.requests] == [200, 200, 200]
    library.troubles[_path(20)] = [Trouble(cut=80), *[Trouble(status=503)] * 6]
    with pytest.raises(BadInput, match="busy"):
        load("1680,20,7", warn=pytest.fail)
    assert sorted(path.name for path in _cache(tmp_path).glob("[!.]*")) == ["pg1237.txt", "pg1680.txt"]
    library.troubles.clear()
    before = len(library.requests)
    load("1680,20,7", warn=pytest.fail)
    assert library.asked[before:] == [_path(20), _path(7)], "the list goes on with what is missing"
    assert (_cache(tmp_path) / "pg20.txt").read_bytes() == _file(20)


def test_a_busy_server_is_waited_for_as_it_asks(library: LibraryServer, slept: list[float]) -> None:
    in_nine = email.utils.formatdate(time.time() + 9, usegmt=True)
    library.troubles[_path(20)] = [
        Trouble(status=429, headers={"retry-after": "7"}),
        Trouble(status=503, headers={"retry-after": in_nine}),
        Trouble(status=502),
    ]
    load("20", warn=pytest.fail)
    assert slept[0] == 7
    assert 7 <= slept[1] <= 9
    assert len(library.requests) == 4


def test_waits_grow_and_end(library: LibraryServer, slept: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGREACH_GUTENBERG_PAUSE", "1")
    monkeypatch.setattr(gutenberg, "_pause", lambda: None)
    library.troubles[_path(20)] = [Trouble(status=500)] * 50
    with pytest.raises(BadInput, match="busy"):
        load("20", warn=pytest.fail)
    assert slept == [1, 2, 4, 8]
    assert len(library.requests) == 5


def test_a_server_that_wants_hours_is_left(library: LibraryServer, slept: list[float]) -> None:
    library.troubles[_path(20)] = [Trouble(status=429, headers={"retry-after": "86400"})]
    with pytest.raises(BadInput, match="86400 seconds"):
        load("20", warn=pytest.fail)
    assert not slept
    assert len(library.requests) == 1


def _one_line(error: pytest.ExceptionInfo[BadInput]) -> str:
    text = str(error.value)
    assert "\n" not in text
    assert len(text) < 500
    return text


def test_an_unknown_book_is_one_line(library: LibraryServer) -> None:
    with pytest.raises(BadInput, match="no book 999999") as caught:
        load("1680,999999", warn=pytest.fail)
    assert library.address in _one_line(caught)
    assert library.asked == [_path(1680), _path(999999)], "asked once"


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (Trouble(status=403), "403"),
        (Trouble(headers={"content-type": "text/html"}, body=b"<html>Are you a robot?</html>"), "web page"),
    ],
)
def test_a_server_that_says_no_is_one_line(library: LibraryServer, trouble: Trouble, words: str) -> None:
    library.troubles[_path(20)] = [trouble]
    with pytest.raises(BadInput, match=words) as caught:
        load("20", warn=pytest.fail)
    _one_line(caught)
    assert len(library.requests) == 1
    load("20", warn=pytest.fail)


def test_no_network_is_one_line_with_the_ways_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, library: LibraryServer, slept: list[float]
) -> None:
    monkeypatch.setenv("LONGREACH_GUTENBERG", "http://127.0.0.1:9")
    with pytest.raises(BadInput) as caught:
        load("1237", warn=pytest.fail)
    said = _one_line(caught)
    for part in ("http://127.0.0.1:9/cache/epub/1237/pg1237.txt", str(_cache(tmp_path) / "pg1237.txt"), "--docs"):
        assert part in said
    _cache(tmp_path).joinpath("pg1237.txt").write_bytes(_file(1237))
    assert load("1237", warn=pytest.fail)[0].title == "Book 1237", "the way out works"
    assert not library.requests
    assert len(slept) <= 4


# --- what a name stands for


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("author=balzac, honore", [21, 1237, 1680]),
        ("author=HONORÉ DE BALZAC;lang=en", [21, 1237, 1680]),
        ("author=Balzac", [21, 30, 1237, 1680]),
        ("author=Balzac; lang=FR", [20, 21]),
        ("author=Saltus", [31]),
    ],
)
def test_authors_are_found_in_the_catalogue(library: LibraryServer, name: str, numbers: list[int]) -> None:
    documents = load(name, warn=pytest.fail)
    assert [document.id for document in documents] == [f"pg{number}" for number in numbers]
    assert library.asked == ["/cache/epub/feeds/pg_catalog.csv", *map(_path, numbers)]
    load(name, warn=pytest.fail)
    assert len(library.requests) == len(numbers) + 1, "the catalogue is kept too"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("author=Nobody", "no book by 'Nobody'"),
        ("author=Balzac;lang=fi", "there are books in en, fr"),
        ("autor=Balzac", "Did you mean 'author'"),
        ("author=", "says nothing"),
        ("lang=en", "names no author"),
        ("author=--", "names no author"),
        ("balzac", "Did you mean 'balzac38'"),
        ("12x", "unknown list '12x'"),
        (",", "unknown list"),
    ],
)
def test_names_that_mean_nothing_are_one_line(library: LibraryServer, name: str, words: str) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        load(name, warn=pytest.fail)
    _one_line(caught)
    assert len(library.requests) <= 1


def test_a_strange_pause_is_one_line(library: LibraryServer, monkeypatch: pytest.MonkeyPatch) -> None:
    load("20", warn=pytest.fail)
    for said in ("soon", "-1", "nan"):
        monkeypatch.setenv("LONGREACH_GUTENBERG_PAUSE", said)
        with pytest.raises(BadInput, match="LONGREACH_GUTENBERG_PAUSE"):
            load("1237", warn=pytest.fail)
    assert len(library.requests) == 1


def test_the_first_38_novels(library: LibraryServer, tmp_path: Path) -> None:
    rows = named_list("balzac38")
    numbers = [int(row["gutenberg_id"]) for row in rows]
    assert [int(row["place"]) for row in rows] == list(range(1, 39))
    assert len(set(numbers)) == 38
    assert all(row["title"] and row["french_title"] and row["verified"] in ("yes", "no") for row in rows)
    by_title = {row["title"]: row["gutenberg_id"] for row in rows}
    assert by_title["Father Goriot"] == "1237"
    assert by_title["At the Sign of the Cat and Racket"] == "1680"
    library.files |= {_path(number): _file(number) for number in numbers}
    documents = load("balzac38", warn=pytest.fail)
    assert [document.id for document in documents] == [f"pg{number}" for number in numbers]
    assert len(library.requests) == 38
    assert len(list(_cache(tmp_path).glob("pg*.txt"))) == 38
    assert list(LISTS) == ["balzac38"]


def test_a_file_without_a_licence_is_used_whole_and_said_so(library: LibraryServer) -> None:
    library.files[_path(20)] = CONTEXT.encode()
    told: list[str] = []
    (document,) = load("20", warn=told.append)
    assert document.text == PLAIN
    assert document.title == "pg20"
    assert len(told) == 1
    assert "no licence" in told[0]


def test_a_file_with_nothing_but_the_licence(library: LibraryServer) -> None:
    library.files[_path(20)] = _file(20, "").replace(b"BOOK 20\r\n\r\n", b"")
    told: list[str] = []
    assert [document.id for document in load("20,1237", warn=told.append)] == ["pg1237"]
    assert "nothing but the licence" in told[0]
    with pytest.raises(BadInput, match="holds no text"):
        load("20", warn=told.append)


# The book alone in a file from Project Gutenberg: licences of all ages, credits, notes, wrapped lines, encodings.

HEAD = "The Project Gutenberg EBook of Frost, by A. Writer\n\nTitle: The Great\n      Frost\n\nAuthor: A. Writer\n\n"
OLD_HEAD = (
    "The Project Gutenberg Etext of The Great Frost, by A. Writer\n#1 in our series by A. Writer\n\n"
    "Copyright laws are changing all over the world.\n\n**Welcome To The World of Free Plain Vanilla Etexts**\n\n"
    '***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START***\nWhy is this "Small Print!" statement here?\n\n'
)
STARTS = {
    "now": HEAD + "*** START OF THE PROJECT GUTENBERG EBOOK THE GREAT FROST ***\n",
    "this": HEAD + "***START OF THIS PROJECT GUTENBERG EBOOK FROST***\n",
    "wrapped": HEAD + "*** START OF THIS PROJECT GUTENBERG EBOOK THE GREAT FROST OF THE YEAR\nAND OTHER TALES ***\n",
    "etext": HEAD + "*** START OF THE PROJECT GUTENBERG ETEXT FROST ***\n",
    "small print": OLD_HEAD + "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*\n",
    "small print 2002": OLD_HEAD + "*END THE SMALL PRINT! FOR PUBLIC DOMAIN EBOOKS*Ver.02/11/02*END*\n",
}
ENDS = {
    "now": "*** END OF THE PROJECT GUTENBERG EBOOK THE GREAT FROST ***\n\nThe licence.\n",
    "both": "End of the Project Gutenberg EBook of The Great Frost, by A. Writer\n\n"
    "*** END OF THIS PROJECT GUTENBERG EBOOK THE GREAT FROST ***\n\nThe licence.\n",
    "of": "End of Project Gutenberg's The Great Frost, by A. Writer\n",
    "old": "End of The Project Gutenberg Etext of The Great Frost, by A. Writer\n\n",
    "nothing": "",
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("start", STARTS)
def test_the_licence_goes_in_all_its_forms(start: str, end: str) -> None:
    book = read_book(f"{STARTS[start]}\n\n{CONTEXT}\n\n{ENDS[end]}".encode())
    assert book.text == PLAIN
    assert book.title == "The Great Frost"
    assert book.framed


@pytest.mark.parametrize(
    "credit",
    [
        "Produced by John Someone, Dagny, and the Online\nDistributed Proofreading Team at https://www.pgdp.net",
        "Etext prepared by John Someone, someone@example.org",
        "E-text prepared by A. Volunteer",
        "This etext was prepared by A. Volunteer.",
        "This eBook was produced by A. Volunteer",
        "Transcribed from the 1899 edition by A. Volunteer",
        "Scanned and proofed by A. Volunteer",
        "Note: Project Gutenberg also has an HTML version of this\n      file which includes the original map.",
        "This Project Gutenberg Etext of The Great Frost",
        "[Transcriber's Note: spelling was kept.]",
        "[Transcriber's notes: spelling was kept.\n\nSo were [sic] marks.\n\nAnd the map.]",
        "Transcriber's Note:\n\nSpelling was kept, and so was the map of the\nfrozen river with its eleven ferries.",
        "Transcriber’s Note: Spelling was kept.",
        "TRANSCRIBER'S NOTES\n\nSpelling was kept.",
    ],
)
def test_credits_and_notes_at_the_start_go(credit: str) -> None:
    book = read_book(f"{STARTS['now']}\n\n{credit}\n\n\nTHE GREAT FROST\n\n{CONTEXT}\n{ENDS['now']}".encode())
    assert book.text == f"THE GREAT FROST\n\n{PLAIN}"


def test_what_the_story_itself_says_stays() -> None:
    told = (
        "Produced by magic, the loaf lay there.\n\nPeople scanned the river by night, and saw no ferry from the shore."
    )
    story = "\n\n".join(["CHAPTER"] * 20 + [told])
    assert read_book(f"{STARTS['now']}\n{story}\n{ENDS['now']}".encode()).text.endswith(told)


def test_verse_and_tables_keep_their_lines() -> None:
    verse = "The river froze,\n  The ferry slept,\nAnd no one rose,\n  And no one wept."
    table = (
        "Sacks of flour in the mill before the frost          40\n   Sacks of flour in the mill after the frost    27"
    )
    story = f"{CONTEXT}\n{verse}\n\n{table}\n"
    assert read_book(f"{STARTS['now']}\n{story}\n{ENDS['now']}".encode()).text == f"{PLAIN}\n\n{verse}\n\n{table}"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252"])
def test_old_and_new_encodings_are_read(encoding: str) -> None:
    story = "Père Goriot était né à Sceaux" + (", dit-on… “là-bas”" if encoding != "latin-1" else "") + ", en été."
    book = read_book(f"{STARTS['now']}\n{story}\n{ENDS['now']}".encode(encoding))
    assert book.text == story


def test_chinese_lines_are_joined_without_spaces() -> None:
    lines = "那年冬天特别冷，河面上结了厚厚的一层冰，渡船已经有十一天没有开了，\n村里的老人都说从来没有见过这样的天气。"
    book = read_book(f"{STARTS['now']}\n{lines}\n{ENDS['now']}".encode())
    assert book.text == lines.replace("\n", "")
