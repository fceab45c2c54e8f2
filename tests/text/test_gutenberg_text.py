"""The book alone in a file from Project Gutenberg: licences of all ages, credits, notes, wrapped lines, encodings."""

from __future__ import annotations

import pytest
from tests.text.frost import CONTEXT, PLAIN

from longreach.text.gutenberg import read_book

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
