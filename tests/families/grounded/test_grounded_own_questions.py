"""Questions of one's own in the same grid."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape
from zipfile import ZipFile

import pytest
from tests.small import BY_CODE

from longreach.families.base import BuildContext
from longreach.families.building import build_bench, check_bench, make_spec
from longreach.families.grounded.family import grade_choice
from longreach.families.grounded.questions import options_of
from longreach.families.readings import record_of
from longreach.families.retrieval import retrieved_benches
from longreach.families.showing import assembler_of
from longreach.text.documents import load_sources

OPTIONS = ["Oster", "Belmar", "Varn", "Quill", "Halden", "Brask"]


def _lines(texts: list[str]) -> list[dict[str, object]]:
    return [
        {
            "question": f"Which town is number {number}?",
            "answer": OPTIONS[number % 6],
            "options": OPTIONS,
            "passage": text,
        }
        for number, text in enumerate(texts)
    ]


def _file(folder: Path, lines: list[dict[str, object]]) -> Path:
    path = folder / "my.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_own_questions_are_asked_at_every_length(tmp_path: Path) -> None:
    text = "\n\n".join(one.text for one in load_sources(["chronicle:7/en/20k"], warn=pytest.fail))
    parts = [part for part in text.split("\n\n") if len(part) > 200][10:60:12]
    # Line breaks may differ, and one passage is not in the documents.
    path = _file(tmp_path, _lines([*(part.replace(" ", "\n", 3) for part in parts), "No such words."]))
    said: list[str] = []
    spec = make_spec("grounded", {**BY_CODE, "questions_file": str(path)})
    bench = build_bench(spec, tmp_path / "b", BuildContext(warn=said.append))
    assert check_bench(bench.folder) == []
    asked = [question for question in bench.questions.values() if question.question_type == "reading"]
    assert len(asked) == len(parts)
    for question in asked:
        number = int(question.id.rpartition("-q")[2]) - 1
        assert options_of(question.text)[question.key.answer] == OPTIONS[number % 6]
        beginning = " ".join(parts[number].split())[:60]
        assert beginning in " ".join(bench.planted[f"gold-{question.id}"].text.split())
        lengths = {item.cell["length"] for item in bench.items.values() if item.questions == (question.id,)}
        assert lengths == {2000, 4000}
    assert [line for line in said if f"row {len(parts) + 1} ('Which town" in line], "misses are named"
    assert bench.build["filters"]["quality"] == "not checked"


# Rows in every format, found without a passage, graded by value.

TOWNS = ("Ostermark", "Belmarsh", "Varnholm", "Quillport", "Haldenby", "Braskwick", "Tollgrave", "Emberfield")
ROWS: list[dict[str, str]] = [
    {"question": "What fee does the lessee in Ostermark pay per month?", "answer": "1,310 EUR"},
    {"question": "When does the lease in Belmarsh end?", "answer": "12 March 2031", "file": "1.txt"},
    {"question": "Who signed the lease in Varnholm?", "answer": "Mara Lindqvist-2", "quote": "was signed by mara"},
    {"question": "Who is the insurer in Varnholm?", "unanswerable": "yes"},
    {"question": "What colour is the moon?", "answer": "vermilion"},
    {"question": "", "answer": "nothing was asked"},
    {"question": "Which town is the fourth?", "answer": "Quillport", "options": "Quillport | Belmarsh | Varnholm"},
    {"question": "May the lessee in Tollgrave sublet?", "answer": "no", "file": "nowhere.txt"},
]  # fmt: skip


def _documents(folder: Path) -> Path:
    folder.mkdir()
    filler = "The parties met again and talked at length about the roof, the garden and the long road to the harbour. "
    for number, town in enumerate(TOWNS):
        text = (
            f"{filler * 12}\n\nThis is the lease of the house in {town}. The lessee pays a fee of € {1310 + number} "
            f"per month. The lease ends on March 12, {2030 + number}. It was signed by Mara Lindqvist-{number}. "
            f"The lessee may sublet.\n\n{filler * 12}"
        )
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return folder


def _as_csv(path: Path) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        names = ["Question", "answer", "options", "file", "quote", "unanswerable", "remarks"]
        writer = csv.DictWriter(file, names, delimiter=";", restval="")
        writer.writeheader()
        writer.writerows([{"Question" if name == "question" else name: row[name] for name in row} for row in ROWS])


def _as_jsonl(path: Path) -> None:
    path.write_text("\n" + "".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")


def _as_xlsx(path: Path) -> None:
    """A workbook as the standard describes it: strings inline, the date of the second answer as a date."""
    names = list(dict.fromkeys(name for row in ROWS for name in row))
    rows = [names, *([row.get(name, "") for name in names] for row in ROWS)]
    cells = [
        "".join(
            f'<c r="{chr(65 + column)}{number}" s="1"><v>47919</v></c>'
            if text == "12 March 2031"
            else f'<c r="{chr(65 + column)}{number}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'
            for column, text in enumerate(row)
        )
        for number, row in enumerate(rows, 1)
    ]
    main, sheets = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"', "xl/worksheets/sheet1.xml"
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"

    def links(*targets: tuple[str, str]) -> str:
        each = (f'<Relationship Id="r{n}" Type="{rel}/{kind}" Target="{to}"/>' for n, (kind, to) in enumerate(targets))
        return f'<Relationships xmlns="{package}/relationships">{"".join(each)}</Relationships>'

    data = "".join(f'<row r="{number}">{row}</row>' for number, row in enumerate(cells, 1))
    of_xml = '<Default Extension="xml" ContentType="application/xml"/>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">{of_xml}</Types>',
        "_rels/.rels": links(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{rel}"><sheets><sheet name="a" sheetId="1" r:id="r0"/></sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": links(("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml")),
        "xl/styles.xml": f'<styleSheet {main}><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
        sheets: f"<worksheet {main}><sheetData>{data}</sheetData></worksheet>",
    }
    with ZipFile(path, "w") as book:
        for name, text in parts.items():
            book.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')


@pytest.mark.parametrize("write", [_as_csv, _as_jsonl, _as_xlsx])
def test_a_file_of_questions_in_any_format(tmp_path: Path, write: Callable[[Path], None]) -> None:
    path = tmp_path / f"questions.{write.__name__.removeprefix('_as_')}"
    write(path)
    said: list[str] = []
    given = {"docs": [str(_documents(tmp_path / "docs"))], "lengths": "2k", "passage_words": "100", "layout": "shared"}
    spec = make_spec("grounded", {**given, "questions_file": str(path)})
    bench = build_bench(spec, tmp_path / "b", BuildContext(warn=said.append))
    assert check_bench(bench.folder) == []
    record = bench.build["questions_file"]
    assert set(record["faults"]) == {"6", "7", "9"}, said
    assert "no passage of the documents is like it" in record["faults"]["6"]
    assert record["faults"]["9"] == "there is no document 'nowhere.txt'"
    assert all(len([line for line in said if f" row {row}" in line]) == 1 for row in record["faults"])
    asked = {
        question.key.details["row"]: question for question in bench.questions.values() if question.id[-1].isdigit()
    }
    kinds = {row: question.key.kind for row, question in asked.items()}
    assert kinds == {"2": "number", "3": "date", "4": "text", "5": "absent", "8": "text"}
    facts = {row: bench.planted[f"gold-{question.id}"] for row, question in asked.items() if question.evidence}
    evidence = {
        row: fact.text.encode()[fact.facts[0].start : fact.facts[0].end].decode() for row, fact in facts.items()
    }
    assert evidence["2"] == "The lessee pays a fee of € 1310 per month.", "by its value in another form"
    assert evidence["3"] == "The lease ends on March 12, 2031."
    assert evidence["4"] == "was signed by Mara"
    grades = {
        ("2", "€1,310"): 1, ("2", "1311 EUR"): 0, ("3", "March 12th, 2031"): 1, ("4", "Mara Lindqvist-2"): 1,
        ("5", "not in the text"): 1, ("5", "Allianz"): 0, ("8", f"ANSWER: {asked['8'].key.answer}"): 1,
    }  # fmt: skip
    for (row, answer), value in grades.items():
        assert grade_choice(asked[row], answer).value == value, (row, answer)


def test_questions_share_windows_and_their_sentence_is_what_retrieval_has_to_find(tmp_path: Path) -> None:
    path = tmp_path / "questions.csv"
    path.write_text(
        "question,answer\n"
        + "".join(f'What fee does the lessee in {town} pay?,"€ {1310 + n}"\n' for n, town in enumerate(TOWNS)),
        encoding="utf-8",
    )
    given = {"docs": [str(_documents(tmp_path / "docs"))], "lengths": "2k", "passage_words": "100", "layout": "shared"}
    spec = make_spec("grounded", {**given, "questions_file": str(path)})
    bench = build_bench(spec, tmp_path / "b", BuildContext(warn=lambda _: None))
    items = [item for item in bench.items.values() if "length" in item.cell]
    windows = {item.context.sha256 for item in items}
    assert len(items) == 8
    assert len(windows) < 8, "prompts share windows"
    for item in items:
        text = assembler_of(bench).text(item.context.pieces).decode()
        assert bench.questions[item.questions[0]].key.answer.replace(" ", "") in text.replace(" ", "")
        assert int(item.realised["length"]) <= 2000
    retrieved = retrieved_benches(bench, [4], "bm25")[0]
    found, known = next(iter(record_of(retrieved).evidence.values()))  # type: ignore[union-attr]
    assert (found >= 6, known) == (True, 8)
