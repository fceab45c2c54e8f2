"""`longreach decide --questions` over real HTTP: own questions are asked, counted and named by their rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import call
from tests.doubles.chat_server import ChatServer
from tests.doubles.reader import Reader

from longreach import api
from longreach.deciding import decide
from longreach.deciding.own_questions import build_own
from longreach.deciding.result import DecideResult

TOWNS = ("Ostermark", "Belmarsh", "Varnholm", "Quillport", "Haldenby", "Braskwick", "Tollgrave", "Emberfield")
QUESTIONS = "question,answer,unanswerable\n" + "".join(
    f'What fee does the lessee in {town} pay?,"{1310 + number} EUR",\n' for number, town in enumerate(TOWNS)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight leases, and ten rows: one cannot be found, one has no answer in the documents."""
    found = tmp_path_factory.mktemp("own")
    docs = found / "docs"
    docs.mkdir()
    filler = "The parties met again and talked at length about the roof, the garden and the long road to the harbour. "
    for number, town in enumerate(TOWNS):
        fee = f"The lessee in {town} pays a fee of {1310 + number} EUR per month."
        (docs / f"{number}.txt").write_text(f"{filler * 12}\n\n{fee}\n\n{filler * 12}", encoding="utf-8")
    more = "Who insures the house in Varnholm?,,yes\nWhat colour is the moon?,vermilion,\n"
    (found / "questions.csv").write_text(QUESTIONS + more, encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def result(folder: Path) -> DecideResult:
    """One reader that is always right with the text, and knows the first three answers without it."""
    out, docs = folder / "out", [str(folder / "docs")]
    given = {"docs": docs, "lengths": "250,500,1000", "ask": "each", "prompts": "standard", "facts": 4, "seed": 1}
    planted = api.build("needles", out / "bench", warn=lambda _: None, settings=given)
    about = {"model": "embedded", "seed": 1}
    own = build_own(str(folder / "questions.csv"), docs, 1000, out / "questions", note=lambda _: None, **about)  # type: ignore[arg-type]
    knows = {f"documents-1-q{row}.closed_book" for row in (2, 3, 4)}
    with ChatServer(Reader([planted, own], knows=knows)) as server:
        return decide(
            docs,
            at="1k",
            models=[f"good=m@{server.base_url}"],
            out=out,
            ways="whole",
            questions=str(folder / "questions.csv"),
        )


def test_own_questions_are_counted_and_named_by_row(result: DecideResult) -> None:
    assert result.verdict == "recommended"
    own = result.rows[0].own
    assert own is not None
    assert (own.right, own.of, own.undecided) == (9, 9, 0)
    assert "of your own 9 the first choice got 9" in result.how_sure
    assert "3 questions of yours are answered without the text: rows 2, 3, 4" in result.watch_out
    assert "1 question of yours not asked: row 11" in result.watch_out
    assert result.rows[0].right is not None
    assert result.rows[0].right.of == result.rows[0].questions, "they are not in the rate of the planted facts"


def test_a_questions_file_that_cannot_be_used_is_bad_input(folder: Path, tmp_path: Path) -> None:
    nothing = tmp_path / "none.csv"
    nothing.write_text("question,answer\nWhat colour is the moon?,vermilion\n", encoding="utf-8")
    for path, says in ((tmp_path / "no.csv", "no such file"), (nothing, "no question of it can be found")):
        out = tmp_path / path.stem
        asked = f"--at 1k --ways whole --questions {path} --yes -o {out}"
        done = call(f"decide {folder / 'docs'} -m embedded {asked}")
        assert done.code == 2
        assert says in done.err
        assert not (out / "runs").exists()
