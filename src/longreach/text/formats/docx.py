"""Word documents: headings, paragraphs, tabs, breaks and tables of the main text, without its table of contents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree.ElementTree import Element

from .archive import Archive, local_name, parse_xml
from .found import Found, Unreadable, Warn

__all__ = ["read_docx"]

_MAIN = "word/document.xml"
_CORE = "docProps/core.xml"
_STYLES = "word/styles.xml"
_HEADING = re.compile(r"heading\s?([1-6])", re.IGNORECASE)
_CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_CONTENTS_STYLE = re.compile(r"(?:toc|contents?|tableoffigures|verzeichnis|inhaltsverzeichnis|tm)\s?\d", re.IGNORECASE)
_CONTENTS_FIELD = re.compile(r"PAGEREF\s+_Toc|TOC\s+\\")
# Text moved or deleted by a tracked change, and the fallback copy for old programs.
_SKIPPED = frozenset(("del", "moveFrom", "Fallback", "pPr", "rPr", "instrText", "delText"))


def read_docx(data: bytes, warn: Warn) -> list[Found]:  # noqa: ARG001
    """The document's text with tracked changes accepted; rows of a table are lines with tabs between the cells."""
    archive = Archive(data)
    levels = _heading_levels(archive)
    try:
        blocks = _blocks(parse_xml(archive.read(_MAIN)), levels)
    except RecursionError:
        raise Unreadable("refused: its XML is nested too deeply") from None
    return [Found("\n\n".join(blocks), title=_title(archive))]


def _title(archive: Archive) -> str:
    if _CORE not in archive:
        return ""
    for element in parse_xml(archive.read(_CORE)):
        if local_name(element.tag) == "title":
            return (element.text or "").strip()
    return ""


def _heading_levels(archive: Archive) -> dict[str, int]:
    """The level of each style of headings: what a program in another language calls it is only its id."""
    levels: dict[str, int] = {}
    for style in parse_xml(archive.read(_STYLES)) if _STYLES in archive else ():
        values = {local_name(element.tag): list(element.attrib.values())[:1] for element in style}
        ids = [value for key, value in style.attrib.items() if local_name(key) == "styleId"]
        if ids and (match := _HEADING.fullmatch("".join(values.get("name", [])))):
            levels[ids[0]] = int(match[1])
    return levels


def _level(paragraph: Element, levels: Mapping[str, int]) -> int:
    """The level of a heading; 0 for other paragraphs."""
    for element in paragraph.iter():
        if local_name(element.tag) == "pStyle":
            return next((levels[value] for value in element.attrib.values() if value in levels), 0)
    return 0


def _blocks(parent: Element, levels: Mapping[str, int]) -> list[str]:
    """The paragraphs and tables under an element, in order, each as one text; headings are marked as in Markdown."""
    blocks: list[str] = []
    for element in parent:
        name = local_name(element.tag)
        if name == "p":
            found = [] if _is_contents(element) else _paragraph(element, levels)
            if found and found[0].strip() and (level := _level(element, levels)):
                found[0] = f"{'#' * level} {' '.join(found[0].split())}"
            blocks.extend(found)
        elif name == "tbl":
            blocks.append("\n".join(_rows(element)))
        elif name not in _SKIPPED:
            blocks.extend(_blocks(element, levels))
    return [block for block in blocks if block.strip()]


def _is_contents(paragraph: Element) -> bool:
    """Whether a paragraph is an entry of a table of contents: by its style, or by a reference to a page of a heading.
    Styles may have translated names, the references do not.
    """
    for element in paragraph.iter():
        name = local_name(element.tag)
        values = [value for key, value in element.attrib.items() if local_name(key) in ("val", "instr")]
        if name == "pStyle" and any(_CONTENTS_STYLE.fullmatch(value) for value in values):
            return True
        if name in ("instrText", "fldSimple") and _CONTENTS_FIELD.search(" ".join([element.text or "", *values])):
            return True
    return False


def _rows(table: Element) -> list[str]:
    """One line per row with text; breaks inside a cell become spaces, so that a row is one line."""
    rows: list[str] = []
    for row in _children(table, "tr"):
        cells = [" ".join(" ".join(_blocks(cell, {})).split()) for cell in _children(row, "tc")]
        if any(cells):
            rows.append("\t".join(cells))
    return rows


def _children(parent: Element, wanted: str) -> list[Element]:
    """The nearest descendants of that name: rows and cells may be wrapped in content controls."""
    found: list[Element] = []
    for element in parent:
        name = local_name(element.tag)
        if name == wanted:
            found.append(element)
        elif name not in _SKIPPED and name != "tbl":
            found.extend(_children(element, wanted))
    return found


def _paragraph(paragraph: Element, levels: Mapping[str, int]) -> list[str]:
    """The paragraph's text, followed by the paragraphs of text boxes anchored in it."""
    characters: list[str] = []
    boxes: list[str] = []

    def walk(parent: Element) -> None:
        for element in parent:
            name = local_name(element.tag)
            if name == "t":
                characters.append(element.text or "")
            elif name == "txbxContent":
                boxes.extend(_blocks(element, levels))
            elif name in _CHARACTERS:
                characters.append(_CHARACTERS[name])
            elif name not in _SKIPPED:
                walk(element)

    walk(paragraph)
    return ["".join(characters), *boxes]
