"""Documents from strangers: bombs, devices, loops and huge lines cost little, and nothing is written where they say."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from longreach.text.documents import load_documents

_PEAK = """
def peak():
    # Not ru_maxrss, which begins with what the parent had.
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) // 1024
"""
_LOAD = f"""{_PEAK}
import json, sys
from pathlib import Path
from longreach.errors import BadInput
from longreach.text.documents import load_documents
warnings = []
before = peak()
try:
    found = [len(document.text) for document in load_documents([Path(sys.argv[1])], warn=warnings.append)]
except BadInput as error:
    found = str(error)
print(json.dumps(dict(found=found, warnings=warnings, mb=peak() - before)))
"""
_CONTAINER = '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>'


def _loaded(path: Path) -> Any:
    """What a process of its own makes of a document, and what it takes."""
    done = subprocess.run([sys.executable, "-c", _LOAD, str(path)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def _archive(path: Path, members: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def _book(chapters: dict[str, str | bytes]) -> dict[str, str | bytes]:
    items = "".join(f"<item id='{n}' href='{name}' media-type='text/html'/>" for n, name in enumerate(chapters))
    order = "".join(f"<itemref idref='{n}'/>" for n in range(len(chapters)))
    package = f"<package><manifest>{items}</manifest><spine>{order}</spine></package>"
    return {"META-INF/container.xml": _CONTAINER, "book.opf": package, **chapters}


def test_a_bomb_in_a_word_document_is_refused_before_it_unpacks(tmp_path: Path) -> None:
    bomb = b"<w:document xmlns:w='w'>" + b" " * (100 * 2**20) + b"</w:document>"
    path = _archive(tmp_path / "bomb.docx", {"word/document.xml": bomb})
    assert path.stat().st_size < 200_000
    done = _loaded(path)
    assert "nothing readable (1 refused)" in done["found"]
    assert "unpacks to 104,857" in done["warnings"][0]
    assert done["mb"] < 60


@pytest.mark.long
def test_a_bomb_of_many_small_chapters_is_cut_off(tmp_path: Path) -> None:
    """Each chapter stays below the size from which its own ratio counts."""
    chapter = b"<p>" + b"a " * 500_000 + b"</p>"
    path = _archive(tmp_path / "bomb.epub", _book({f"c{number}.html": chapter for number in range(26)}))
    assert path.stat().st_size < 400_000
    done = _loaded(path)
    assert sum(done["found"]) <= 24 * 2**20
    assert any("refused" in warning for warning in done["warnings"])
    assert done["mb"] < 400


@pytest.mark.parametrize(
    "name", ["../outside.html", "/outside.html", "a/../../outside.html", "C:\\outside.html", "\\\\x"]
)
def test_archives_never_write_outside_their_folder_nor_inside(tmp_path: Path, name: str) -> None:
    """Members are read in memory, whatever they are called; a link in an archive is text like any other."""
    inside = tmp_path / "docs"
    inside.mkdir()
    link = zipfile.ZipInfo("link.html")
    link.external_attr = 0o120777 << 16
    _archive(inside / "book.epub", _book({name: "<p>It rained.</p>", "c.html": "<p>She kept hens.</p>"}))
    with zipfile.ZipFile(inside / "book.epub", "a") as archive:
        archive.writestr(link, "/etc/passwd")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    (document,) = load_documents([inside], warn=lambda _: None)
    assert "She kept hens." in document.text
    assert "root:" not in document.text
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_what_is_no_file_is_passed_over(tmp_path: Path) -> None:
    """Reading a pipe nobody writes to would wait for ever, reading a device would never end."""
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "folder.txt").mkdir()
    (tmp_path / "zero.txt").symlink_to("/dev/zero")
    (tmp_path / "loop.txt").symlink_to(tmp_path / "loop.txt")
    (tmp_path / "up").symlink_to(tmp_path)
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket.txt"))
        (tmp_path / "real.txt").write_text("She kept hens.", encoding="utf-8")
        warnings: list[str] = []
        documents = load_documents([tmp_path], warn=warnings.append)
    assert [document.source for document in documents] == ["real.txt"]
    assert sum("leads nowhere" in warning for warning in warnings) == 3


@pytest.mark.parametrize("linked", ["file", "folder", "through a folder inside", "relative", "up and elsewhere"])
def test_no_link_in_a_folder_leads_out_of_it_unasked(tmp_path: Path, linked: str) -> None:
    secret, docs = tmp_path / "home", tmp_path / "docs"
    for folder in (secret, docs / "sub"):
        folder.mkdir(parents=True)
        (folder / "a.txt").write_text(f"Text of {folder.name}.", encoding="utf-8")
    link = docs / "sub" / "x.txt"
    if linked == "through a folder inside":
        (docs / "hop").symlink_to(secret, target_is_directory=True)
        link.symlink_to(docs / "hop" / "a.txt")
    else:
        target = {
            "file": secret / "a.txt",
            "folder": secret,
            "relative": Path("../../home/a.txt"),
            "up and elsewhere": docs / ".." / "home",
        }
        link.symlink_to(target[linked])
    warnings: list[str] = []
    assert [document.source for document in load_documents([docs], warn=warnings.append)] == ["sub/a.txt"]
    assert len(warnings) == 1
    assert "sub/x.txt" in warnings[0]
    followed = load_documents([docs], warn=pytest.fail, follow_links=True)
    assert "Text of home." in [document.text for document in followed], "asked for, it is read"


def test_files_that_keep_a_reader_waiting_are_left_out(tmp_path: Path) -> None:
    """Files of the system look like any other: one gives nothing until the kernel has something to say."""
    (tmp_path / "log.txt").symlink_to("/proc/kmsg")
    (tmp_path / "real.txt").write_text("She kept hens.", encoding="utf-8")
    documents = load_documents([tmp_path], warn=lambda _: None, follow_links=True)
    assert "real.txt" in [document.source for document in documents]


def test_of_two_encodings_in_one_file_the_rarer_is_marked_and_not_guessed_at(tmp_path: Path) -> None:
    text = "Der Kellner brachte süße Brötchen und ärgerte sich über die Gäste. " * 20
    (tmp_path / "mixed.txt").write_bytes(text.encode() * 20 + "süß".encode("cp1252"))
    (mixed,) = load_documents([tmp_path / "mixed.txt"], warn=pytest.fail)
    assert mixed.text.startswith(text.strip())
    assert mixed.text.endswith("s\ufffd\ufffd")


@pytest.mark.long
def test_a_huge_line_takes_no_more_than_its_size(tmp_path: Path) -> None:
    words, tags = "word " * 400_000, "<p><i>" * 10_000 + "</b>" * 10_000
    lines = {"text.txt": words, "heading.md": "# " + "#" * 400_000 + " x", "fence.md": "`" * 400_000}
    lines |= {"tags.html": "<b>" * 30_000, "crossed.html": tags, "record.jsonl": json.dumps({"text": words})}
    for name, line in (lines | {"brackets.jsonl": "[" * 400_000}).items():
        (tmp_path / name).write_text(line, encoding="utf-8")
    assert _loaded(tmp_path)["mb"] < 400


def test_an_archive_may_be_cut_anywhere(tmp_path: Path) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", "<a><p><t>She kept hens.</t></p></a>")
    data = file.getvalue()
    for end in range(0, len(data), 7):
        (tmp_path / "cut.docx").write_bytes(data[:end])
        assert not isinstance(_quietly(tmp_path / "cut.docx"), list)


def _quietly(path: Path) -> Any:
    from longreach.errors import BadInput

    try:
        return load_documents([path], warn=lambda _: None)
    except BadInput as error:
        return str(error)


_BUILD = f"""{_PEAK}
import json, sys
from longreach import api as verbs
bench = verbs.build("needles", sys.argv[2], docs=[sys.argv[1]], lengths="1k,8k", depths="50", warn=lambda _: None)
print(json.dumps(dict(bytes=len(bench.corpus), mb=peak())))
"""


@pytest.mark.long
@pytest.mark.parametrize("lines", [True, False], ids=["in lines", "one line"])
def test_two_hundred_megabytes_of_text(tmp_path: Path, lines: bool) -> None:
    """A text of that size is built from in a small multiple of its size; that it is one line changes nothing."""
    sentence = "The keeper of the ledger walked home along the quay, and rain fell on the roofs of barge %07d."
    joint = "\n" if lines else " "
    with (tmp_path / "long.txt").open("w", encoding="utf-8") as file:
        for start in range(0, 2_100_000, 10_000):
            file.write(joint.join(sentence % number for number in range(start, start + 10_000)) + joint)
    assert (tmp_path / "long.txt").stat().st_size > 200_000_000
    done = subprocess.run(
        [sys.executable, "-c", _BUILD, str(tmp_path / "long.txt"), str(tmp_path / "bench")],
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)
    assert told["bytes"] > 200_000_000
    assert told["mb"] < 2_500, told
