from __future__ import annotations

import io
import sys
import zipfile
import zlib
from collections.abc import Mapping

import pytest

from longreach.text.formats import Unreadable, archives
from longreach.text.formats.archives import Archive, parse_xml, read_docx, read_epub

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
ENTITY_BOMB = """<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><d>&b;</d>"""


def zipped(members: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as target:
        for name, content in members.items():
            target.writestr(name, content)
    return buffer.getvalue()


def docx(body: str, namespace: str = W, **more: str) -> bytes:
    main = f'<w:document xmlns:w="{namespace}" xmlns:mc="urn:mc"><w:body>{body}</w:body></w:document>'
    return zipped({"word/document.xml": main, **more})


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def docx_text(body: str) -> str:
    (found,) = read_docx(docx(body), pytest.fail)
    return found.text


class TestDocx:
    def test_paragraphs_tabs_and_breaks(self) -> None:
        body = (
            "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>One</w:t><w:tab/><w:t>two</w:t><w:br/></w:r>"
            '<w:hyperlink><w:r><w:t xml:space="preserve">a link </w:t></w:r></w:hyperlink></w:p><w:p/>'
        )
        assert docx_text(body + paragraph("Last &amp; least")) == "One\ttwo\na link \n\nLast & least"

    @pytest.mark.parametrize(
        "entry",
        [
            '<w:p><w:pPr><w:pStyle w:val="TOC2"/></w:pPr><w:r><w:t>Chapter 1</w:t><w:tab/><w:t>7</w:t></w:r></w:p>',
            '<w:p><w:pPr><w:pStyle w:val="Sommaire1"/></w:pPr><w:r><w:t>Chapter 1</w:t></w:r>'
            "<w:r><w:instrText> PAGEREF _Toc4711 \\h </w:instrText></w:r><w:r><w:t>7</w:t></w:r></w:p>",
        ],
    )
    def test_the_table_of_contents_goes(self, entry: str) -> None:
        assert docx_text(entry + paragraph("The text. See page 7.")) == "The text. See page 7."

    @pytest.mark.parametrize(
        "unseen",
        [
            "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>",
            '<w:r><w:rPr><w:vanish w:val="1"/></w:rPr><w:t>sec</w:t><w:tab/><w:t>ret</w:t></w:r>',
            '<w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>secret</w:t></w:r>',
            "<w:hyperlink><w:r><w:rPr><w:b/><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:hyperlink>",
        ],
    )
    def test_what_a_reader_cannot_see_is_left_out_and_named(self, unseen: str) -> None:
        warnings: list[str] = []
        (found,) = read_docx(docx(f"<w:p><w:r><w:t>Seen.</w:t></w:r>{unseen}</w:p>"), warnings.append)
        assert found.text.strip() == "Seen."
        assert warnings == ["6 characters of hidden or white text left out"]

    @pytest.mark.parametrize(
        "body",
        [
            '<w:p><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>Seen.</w:t></w:r></w:p>',
            '<w:p><w:r><w:rPr><w:color w:val="FFFFFF"/><w:shd w:fill="000000"/></w:rPr><w:t>Seen.</w:t></w:r></w:p>',
            '<w:p><w:pPr><w:shd w:fill="000000"/></w:pPr><w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr>'
            "<w:t>Seen.</w:t></w:r></w:p>",
            '<w:tbl><w:tr><w:tc><w:p><w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>Seen.</w:t></w:r></w:p></w:tc>'
            "</w:tr></w:tbl>",
        ],
    )
    def test_white_on_dark_is_seen(self, body: str) -> None:
        assert docx_text(body) == "Seen."

    def test_headings_are_marked_whatever_their_style_is_called(self) -> None:
        styles = (
            f'<w:styles xmlns:w="{W}"><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>'
            '<w:style w:styleId="Body"><w:name w:val="Body Text"/></w:style></w:styles>'
        )
        body = "".join(
            f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
            for style, text in (("berschrift2", "Reisen  im Dienst"), ("Body", "Man reist."), ("berschrift2", " "))
        )
        (found,) = read_docx(docx(body, **{"word/styles.xml": styles}), pytest.fail)
        assert found.text == "## Reisen im Dienst\n\nMan reist."

    def test_a_line_that_looks_like_a_marked_heading_is_escaped(self) -> None:
        assert docx_text(paragraph("# apt-get update")) == "\\# apt-get update"

    def test_tables_become_lines(self) -> None:
        def cell(text: str) -> str:
            return f"<w:tc>{paragraph(text)}</w:tc>"

        nested = f"<w:tc><w:tbl><w:tr>{cell('in')}{cell('side')}</w:tr></w:tbl></w:tc>"
        rows = f"<w:tr>{cell('a')}{cell('b')}</w:tr><w:sdt><w:tr>{cell('c')}{nested}</w:tr></w:sdt>"
        assert docx_text(f"<w:tbl>{rows}</w:tbl>" + paragraph("after")) == "a\tb\nc\tin side\n\nafter"

    def test_tracked_changes_are_accepted_and_second_copies_left_out(self) -> None:
        body = (
            "<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
            "<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom><mc:AlternateContent>"
            f"<mc:Choice><w:txbxContent>{paragraph('box')}</w:txbxContent></mc:Choice>"
            f"<mc:Fallback><w:txbxContent>{paragraph('box')}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:p>"
        )
        assert docx_text(body) == "new\n\nbox"

    def test_strict_files_and_title(self) -> None:
        core = '<c:p xmlns:c="urn:c" xmlns:dc="urn:dc"><dc:title> The contract </dc:title></c:p>'
        data = docx(paragraph("x"), namespace="http://purl.oclc.org/ooxml/main", **{"docProps/core.xml": core})
        (found,) = read_docx(data, pytest.fail)
        assert (found.text, found.title) == ("x", "The contract")

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (docx(paragraph("x" * 5000))[:-30], "damaged"),
            (b"not a zip", "damaged"),
            (zipped({"other.xml": "<a/>"}), "holds no 'word/document.xml'"),
            (zipped({"word/document.xml": "<a><b></a>"}), "XML cannot be parsed"),
            (zipped({"word/document.xml": ENTITY_BOMB}), "declares entities"),
            (zipped({"word/document.xml": ENTITY_BOMB.encode("utf-16")}), "declares entities"),
            (bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 600, "encrypted"),
        ],
    )
    def test_broken_files_are_refused(self, data: bytes, reason: str) -> None:
        with pytest.raises(Unreadable, match=reason):
            read_docx(data, pytest.fail)

    def test_deep_nesting_is_refused(self) -> None:
        depth = sys.getrecursionlimit() * 2
        with pytest.raises(Unreadable, match="nested too deeply"):
            docx_text("<w:sdt>" * depth + "</w:sdt>" * depth)


class TestArchive:
    def test_the_declared_size_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(archives, "MAX_UNPACKED", 1000)
        with pytest.raises(Unreadable, match="unpacks to 1,001 bytes"):
            Archive(zipped({"a": b"x" * 1001})).read("a")

    def test_all_members_share_the_bound(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(archives, "MAX_UNPACKED", 1000)
        opened = Archive(zipped({"a": b"x" * 600, "b": b"y" * 600}))
        assert opened.read("a") == b"x" * 600
        with pytest.raises(Unreadable, match="unpacks to 600 bytes"):
            opened.read("b")

    def test_a_suspicious_ratio_is_refused(self) -> None:
        with pytest.raises(Unreadable, match="unpacks to 2,097,152 bytes"):
            Archive(zipped({"a": bytes(2 * 1024 * 1024)})).read("a")

    def test_a_false_size_gains_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(archives, "MAX_UNPACKED", 1000)
        content = b"x" * 50_000
        honest = zipped({"a": content})
        false = honest.replace(len(content).to_bytes(4, "little"), (900).to_bytes(4, "little"))
        assert false != honest
        with pytest.raises(Unreadable, match=r"refused|cannot be unpacked"):
            Archive(false).read("a")

    def test_damage_encryption_and_unusual_packing_are_named(self) -> None:
        damaged = bytearray(zipped({"a": zlib.compress(bytes(range(256)))}, zipfile.ZIP_STORED))
        damaged[40] ^= 0xFF
        with pytest.raises(Unreadable, match="'a' cannot be unpacked"):
            Archive(bytes(damaged)).read("a")
        locked = bytearray(zipped({"a": b"x"}))
        locked[locked.index(b"PK\x01\x02") + 8] |= 1
        with pytest.raises(Unreadable, match="encrypted"):
            Archive(bytes(locked)).read("a")
        with pytest.raises(Unreadable, match="unusual method"):
            Archive(zipped({"a": b"x" * 100}, zipfile.ZIP_BZIP2)).read("a")

    def test_a_doctype_without_entities_is_harmless(self) -> None:
        assert parse_xml(b'<!DOCTYPE package PUBLIC "x" "http://example.org/x.dtd"><package/>').tag == "package"


CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""


def opf(items: str, spine: str) -> str:
    return (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>A Book</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )


def item(name: str, href: str, more: str = "") -> str:
    return f'<item id="{name}" href="{href}" media-type="application/xhtml+xml" {more}/>'


def page(text: str) -> str:
    return f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><p>{text}</p></body></html>'


BOOK: dict[str, str | bytes] = {
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": opf(
        item("two", "text/ch%202.xhtml") + item("one", "text/ch1.xhtml") + item("toc", "toc.xhtml", 'properties="nav"'),
        '<itemref idref="toc"/><itemref idref="one"/><itemref idref="two"/><itemref idref="one"/>',
    ),
    "OEBPS/text/ch1.xhtml": page("First chapter."),
    "OEBPS/text/ch 2.xhtml": page("Second chapter."),
    "OEBPS/toc.xhtml": page("Contents"),
}


class TestEpub:
    def test_chapters_in_the_order_of_the_spine(self) -> None:
        (found,) = read_epub(zipped(BOOK), pytest.fail)
        assert (found.text, found.title) == ("First chapter.\n\nSecond chapter.", "A Book")

    def test_contents_of_the_older_edition_go(self) -> None:
        """A page that the guide calls contents, and a page of links alone."""
        guide = '<guide><reference type="toc" href="toc.xhtml#x"/></guide></package>'
        links = "".join(f'<a href="ch{number}">Chapter {number}</a> ' for number in range(5))
        book = {
            **BOOK,
            "OEBPS/book.opf": str(BOOK["OEBPS/book.opf"])
            .replace('properties="nav"', "")
            .replace("</package>", guide)
            .replace("<manifest>", f"<manifest>{item('links', 'links.xhtml')}")
            .replace("<spine>", '<spine><itemref idref="links"/>'),
            "OEBPS/links.xhtml": page(links),
        }
        assert read_epub(zipped(book), pytest.fail)[0].text == "First chapter.\n\nSecond chapter."

    def test_a_missing_chapter_is_named(self) -> None:
        warnings: list[str] = []
        (found,) = read_epub(zipped({k: v for k, v in BOOK.items() if "ch1" not in k}), warnings.append)
        assert found.text == "Second chapter."
        assert len(warnings) == 1
        assert "OEBPS/text/ch1.xhtml" in warnings[0]

    def test_paths_that_lead_out_are_never_opened(self) -> None:
        book = {**BOOK, "OEBPS/book.opf": opf(item("x", "../../../../etc/hostname"), '<itemref idref="x"/>')}
        warnings: list[str] = []
        (found,) = read_epub(zipped(book), warnings.append)
        assert found.text == ""
        assert "holds no '../../../etc/hostname'" in warnings[0]

    def test_copy_protection_is_named_and_locked_fonts_are_not(self) -> None:
        def locked(name: str) -> bytes:
            xml = f'<encryption xmlns:e="urn:e"><e:CipherReference URI="{name}"/></encryption>'
            return zipped({**BOOK, "META-INF/encryption.xml": xml})

        with pytest.raises(Unreadable, match="encrypted"):
            read_epub(locked("OEBPS/text/ch%202.xhtml"), pytest.fail)
        assert read_epub(locked("OEBPS/font.otf"), pytest.fail)[0].text.startswith("First")

    @pytest.mark.parametrize(
        ("name", "content", "reason"),
        [
            ("META-INF/container.xml", "<container/>", "names no book"),
            ("META-INF/container.xml", ENTITY_BOMB, "declares entities"),
            ("OEBPS/book.opf", ENTITY_BOMB, "declares entities"),
        ],
    )
    def test_broken_books_are_refused(self, name: str, content: str, reason: str) -> None:
        with pytest.raises(Unreadable, match=reason):
            read_epub(zipped({**BOOK, name: content}), pytest.fail)
