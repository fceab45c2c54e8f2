from __future__ import annotations

import json
import os
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.doubles.library_server import LibraryServer

from longreach.core.language import detect_language
from longreach.errors import BadInput
from longreach.text.documents import SCHEMES, built_in_documents, load_documents, load_sources
from longreach.text.formats import READERS, normalise


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def ids(*paths: Path) -> list[str]:
    return [document.id for document in load_documents(paths, warn=pytest.fail)]


def jsonl(*records: dict[str, str]) -> str:
    return "\n".join(json.dumps(record) for record in records)


def test_a_folder_of_every_kind(tmp_path: Path) -> None:
    docs = write(
        tmp_path / "docs",
        {
            "b.md": "# Bee\n\nText.",
            "a/z.TXT": "Zed.",
            "a-b.html": "<title>Page</title><p>One.<p>Two.",
            "r.jsonl": jsonl({"text": "First.", "title": "One"}, {"text": "Second."}),
            "empty.txt": " \n",
            "picture.txt": b"\x89PNG\0\0",
            "fake.pdf": b"no pdf",
            "cut.docx": b"PK\x03\x04",
            ".hidden.txt": "no",
            ".git/config.txt": "no",
            "~$open.docx": "no",
            "code.py": "x = 1",
            "data.csv": "1,2",
        },
    )
    with zipfile.ZipFile(docs / "w.docx", "w") as target:
        target.writestr("word/document.xml", '<w:d xmlns:w="w"><w:p><w:r><w:t>Word.</w:t></w:r></w:p></w:d>')
    warnings: list[str] = []
    documents = load_documents([docs], warn=warnings.append)
    assert [(d.id, d.title, d.text) for d in documents] == [
        ("a-b.html", "Page", "One.\n\nTwo."),
        ("a/z.TXT", "z", "Zed."),
        ("b.md", "Bee", "# Bee\n\nText."),
        ("r.jsonl#1", "One", "First."),
        ("r.jsonl#2", "r", "Second."),
        ("w.docx", "w", "Word."),
    ]
    assert all(document.source == document.id for document in documents)
    assert [Path(warning.split(":")[0]).name for warning in warnings] == [
        "docs",
        "cut.docx",
        "empty.txt",
        "fake.pdf",
        "picture.txt",
    ]
    assert "2 files of other types ignored (code.py, data.csv)" in warnings[0]
    assert all("\n" not in warning for warning in warnings)


def test_the_same_files_give_the_same_documents_wherever_they_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, str | bytes] = {
        f"{name}.txt": f"Text {name}." for name in ("b", "B", "é", "a/x", "a.b", "10", "9")
    }
    here = load_documents([write(tmp_path / "here", files)], warn=pytest.fail)
    there = write(tmp_path / "far" / "there", dict(reversed(files.items())))
    listing = os.scandir
    # A file system that lists backwards.
    monkeypatch.setattr(os, "scandir", lambda path: sorted(listing(path), key=lambda entry: entry.name, reverse=True))
    assert load_documents([there], warn=pytest.fail) == here
    assert [d.id for d in here] == ["9.txt", "10.txt", "B.txt", "a.b.txt", "a/x.txt", "b.txt", "é.txt"]


def test_a_file_given_by_name(tmp_path: Path) -> None:
    docs = write(tmp_path, {"notes.log": "A line.", ".env": "hidden but named", "photo.jpg": b"\xff\xd8\0"})
    assert ids(docs / "notes.log", docs / ".env") == ["notes.log", ".env"]
    with pytest.raises(BadInput, match=r"photo\.jpg: nothing readable \(1 binary\)"):
        load_documents([docs / "photo.jpg"], warn=lambda _: None)


def test_a_file_without_permission_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = write(tmp_path, {"a.txt": "A.", "b.txt": "B."})
    opening = os.open

    def refuse(path: Path, *flags: int) -> int:
        if path.name == "a.txt":
            raise PermissionError(13, "Permission denied")
        return opening(path, *flags)

    monkeypatch.setattr(os, "open", refuse)
    warnings: list[str] = []
    assert [d.id for d in load_documents([docs], warn=warnings.append)] == ["b.txt"]
    assert warnings == [f"{docs}/a.txt: permission denied; skipped"]


def test_links_are_followed_once_and_never_in_circles(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"o.txt": "O.", "deep/p.txt": "P."})
    docs = write(tmp_path / "docs", {"sub/a.txt": "A.", "z.txt": "Z."})
    (docs / "again").symlink_to(docs / "sub", target_is_directory=True)
    (docs / "sub" / "loop").symlink_to(docs, target_is_directory=True)
    (docs / "up").symlink_to(tmp_path, target_is_directory=True)
    (docs / "self.txt").symlink_to(docs / "self.txt")
    (docs / "alias.txt").symlink_to(docs / "z.txt")
    (docs / "out").symlink_to(outside, target_is_directory=True)
    (docs / "out2").symlink_to(outside, target_is_directory=True)
    (outside / "further").symlink_to(write(tmp_path / "further", {"f.txt": "F."}), target_is_directory=True)
    warnings: list[str] = []
    documents = load_documents([docs], warn=warnings.append, follow_links=True)
    assert [d.id for d in documents] == ["out/deep/p.txt", "out/o.txt", "sub/a.txt", "z.txt"]
    assert warnings == [f"{docs}/self.txt: a link that leads nowhere; skipped"]
    warnings.clear()
    assert [d.id for d in load_documents([docs], warn=warnings.append)] == ["sub/a.txt", "z.txt"]
    left_out = f"{docs}: 2 links lead out of the folder; left out (out, out2); --set follow_links=true reads them"
    assert warnings == [f"{docs}/self.txt: a link that leads nowhere; skipped", left_out]


def test_names_that_are_not_text_are_written_out(tmp_path: Path) -> None:
    docs = write(tmp_path, {"line\nbreak.txt": "A."})
    try:
        (docs / os.fsdecode(b"caf\xe9.txt")).write_text("B.")
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    assert ids(docs) == ["caf\\xe9.txt", "line\\x0abreak.txt"]


class TestIds:
    def test_folders_with_the_same_names_inside_are_told_apart(self, tmp_path: Path) -> None:
        one = write(tmp_path / "one", {"a.txt": "1", "b.txt": "2"})
        two = write(tmp_path / "two", {"a.txt": "3"})
        three = write(tmp_path / "three", {"c.txt": "4"})
        assert ids(one, two, three) == ["one/a.txt", "one/b.txt", "two/a.txt", "c.txt"]

    def test_folders_that_share_their_own_name_are_numbered(self, tmp_path: Path) -> None:
        one = write(tmp_path / "x" / "docs", {"a.txt": "1"})
        two = write(tmp_path / "y" / "docs", {"a.txt": "2"})
        assert ids(one, two) == ["docs/a.txt", "docs~2/a.txt"]
        assert ids(one / "a.txt", two / "a.txt") == ["docs/a.txt", "docs~2/a.txt"]

    def test_a_prefix_that_clashes_again(self, tmp_path: Path) -> None:
        one = write(tmp_path / "docs", {"a.txt": "1"})
        two = write(tmp_path / "other", {"a.txt": "2"})
        three = write(tmp_path / "all", {"docs/a.txt": "3"})
        assert len(set(ids(one, two, three))) == 3

    def test_a_file_reached_twice_is_read_once(self, tmp_path: Path) -> None:
        docs = write(tmp_path, {"a.txt": "1", "sub/b.txt": "2"})
        warnings: list[str] = []
        documents = load_documents([docs, docs / "sub", docs / "a.txt"], warn=warnings.append)
        assert [d.id for d in documents] == ["a.txt", "sub/b.txt"]
        assert len(warnings) == 2

    def test_records_keep_their_own_ids_where_unique(self, tmp_path: Path) -> None:
        docs = write(
            tmp_path,
            {
                "good.jsonl": jsonl({"text": "1", "id": "x"}, {"text": "2", "id": "y"}),
                "missing.jsonl": jsonl({"text": "3", "id": "u"}, {"text": "4"}),
                "twice.jsonl": jsonl({"text": "5", "id": "v"}, {"text": "6", "id": "v"}),
            },
        )
        documents = load_documents([docs], warn=pytest.fail)
        assert [d.id for d in documents] == [
            "x", "y", "missing.jsonl#1", "missing.jsonl#2", "twice.jsonl#1", "twice.jsonl#2",
        ]  # fmt: skip
        assert documents[0].source == "good.jsonl#1"

    def test_ids_that_two_files_share_belong_to_neither(self, tmp_path: Path) -> None:
        docs = write(
            tmp_path,
            {
                "a.jsonl": jsonl({"text": "1", "id": "x"}),
                "b.jsonl": jsonl({"text": "2", "id": "x"}),
                "c.jsonl": jsonl({"text": "3", "id": "a.jsonl#1"}),
            },
        )
        assert ids(docs) == ["a.jsonl#1", "b.jsonl#1", "c.jsonl#1"]


def test_a_lone_surrogate_in_json_does_not_survive(tmp_path: Path) -> None:
    docs = write(tmp_path, {"a.jsonl": '{"text": "a\\ud800b", "title": "t\\udc00", "id": "i\\udfff"}'})
    (document,) = load_documents([docs], warn=pytest.fail)
    assert (document.text, document.title, document.id) == ("a\ufffdb", "t\ufffd", "i\ufffd")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Plain English.", "en"),
        ("Café, naïve, Größe.", "en"),
        ("他说：“你好！我来了。”", "zh"),
        ("我们使用 GPU 和 Python 训练模型，效果很好，速度也很快。", "zh"),
        ("The word 你好 means hello in the Chinese language.", "en"),
        ("构建软件包时运行 dpkg-buildpackage --build=binary --no-sign，再运行 lintian 检查。", "zh"),
        ("12345 !!! —", "en"),
        ("利用者管理機能設定画面の説明。東京都市計画法改正案が可決された。新規利用者登録手順を示す。", "en"),
        ("今天读了小说《雪の国》，又听了几首老歌，觉得那个年代的人和事都离我们很远。", "zh"),
    ],
)
def test_language(text: str, language: str) -> None:
    assert detect_language(text) == language
    assert detect_language(text * 50_000) == language


@given(st.text(alphabet=st.one_of(st.sampled_from("\n\r\t "), st.characters(codec="utf-8", exclude_categories=["Cc"]))))
def test_utf8_text_comes_back_in_normal_form(text: str) -> None:
    assume(normalise(text))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.txt"
        path.write_bytes(text.encode())
        (document,) = load_documents([path], warn=pytest.fail)
    assert document.text == normalise(text)


@given(
    st.sampled_from(sorted(READERS)),
    st.binary(max_size=300),
    st.sampled_from([b"", b"PK\x03\x04", b"%PDF-1.4\n", b"<"]),
)
def test_random_bytes_never_break_a_reader(suffix: str, data: bytes, start: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        path.write_bytes(start + data)
        try:
            documents = load_documents([path], warn=lambda _: None)
        except BadInput:
            return
    assert documents
    assert all(document.text == normalise(document.text) != "" for document in documents)


def test_the_sources_of_a_site_are_not_read_beside_its_pages(tmp_path: Path) -> None:
    for name in ("index.html", "searchindex.js", "_sources/index.rst.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("<p>She kept hens.</p>", encoding="utf-8")
    warnings: list[str] = []
    assert [document.id for document in load_documents([tmp_path], warn=warnings.append)] == ["index.html"]
    assert any("_sources" in warning for warning in warnings)
    (tmp_path / "searchindex.js").unlink()
    assert len(load_documents([tmp_path], warn=warnings.append)) == 2


# Sources by name: schemes lead to their modules, paths to files, and mistakes to one line.

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
    assert load_sources([], warn=pytest.fail) == list(built_in_documents())
