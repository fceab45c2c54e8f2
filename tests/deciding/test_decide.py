"""`longreach decide` over real HTTP: one command, one screen, and what it says of servers with a known weakness."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command_line import call
from tests.doubles.chat_server import ChatServer
from tests.doubles.reader import Reader

from longreach import api
from longreach.core.bench import Bench
from longreach.deciding import decide
from longreach.deciding.result import DecideResult
from longreach.errors import BadInput

AT = "1k"
SMALL = {"lengths": "250,500,1000", "ask": "each", "prompts": "standard", "facts": 4, "seed": 1}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """As `decide` builds it without documents."""
    return api.build("needles", tmp_path_factory.mktemp("decide") / "bench", warn=lambda _: None, settings=SMALL)


@pytest.fixture(scope="module")
def result(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DecideResult, Path]]:
    """Two readers: one is always right, one in half of all cases."""
    out = tmp_path_factory.mktemp("decided") / "out"
    out.mkdir()
    (out / "bench").symlink_to(bench.folder)
    with ChatServer(Reader([bench])) as good, ChatServer(Reader([bench], right=0.4, makes_up=0.6)) as weak:
        models = [f"good=m@{good.base_url}", f"weak=m@{weak.base_url}"]
        yield decide([], at=AT, models=models, out=out, ways="whole"), out


def test_the_good_one_is_recommended_and_the_other_fails(result: tuple[DecideResult, Path]) -> None:
    found, _ = result
    assert (found.verdict, found.exit_code) == ("recommended", 0)
    assert found.recommendation is not None
    assert (found.recommendation.model, found.recommendation.way) == ("good", "whole")
    good, weak = found.rows
    assert (good.verdict, good.holds_to, weak.verdict) == ("holds", 1000, "fails")
    assert good.letter != weak.letter
    assert any("made up" in line or "answers what is not there" in line for line in weak.why)
    assert weak.made_up is not None
    assert weak.made_up > 0.3 > (good.made_up or 0.0)


def test_the_screen_fits_and_page_and_json_say_the_same(result: tuple[DecideResult, Path]) -> None:
    found, out = result
    lines = found.lines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
    page = (out / "page.html").read_text(encoding="utf-8")
    assert all(line in page for line in lines if '"' not in line)
    data = json.loads((out / "decide.json").read_text(encoding="utf-8"))
    assert data["schema"] == "longreach.decide/1"
    assert data["recommendation"]["text"] == found.text
    assert [row["verdict"] for row in data["rows"]] == ["holds", "fails"]
    assert {"value", "low", "high", "of"} == set(data["rows"][0]["right"])
    assert data["spent"]["requests"] == sum(row.questions for row in found.rows) + _short(found)


def _short(found: DecideResult) -> int:
    """Questions at the lengths below."""
    return sum(each.right.of for row in found.rows for each in row.by_length[:-1] if each.right)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("-m a=m@http://127.0.0.1:9/v1 --yes", "does not answer"),
        ("-m m@http://127.0.0.1:9/v1 -m m@http://127.0.0.1:8/v1 --yes", "two models are called 'm'"),
        ("-m nothing --yes", "unknown model 'nothing'"),
        ("-m embedded --at lots --yes", "--at lots"),
        ("-m embedded --ways whole,pasages:3 --yes", "Did you mean 'passages'"),
        ("-m embedded --ways passages:0 --yes", "no number of passages"),
        ("-m embedded --budget much --yes", "much"),
    ],
)
def test_bad_input_is_named_before_anything_is_sent(tmp_path: Path, more: str, says: str) -> None:
    done = call(f"decide {more} -o {tmp_path / 'out'}")
    assert done.code == 2
    assert says in done.err
    assert not (tmp_path / "out" / "runs").exists()


def test_a_folder_without_text_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    done = call(f"decide {tmp_path / 'docs'} -m embedded --at 1k --yes -o {tmp_path / 'out'}")
    assert done.code == 2
    assert "holds no files" in done.err


def test_a_model_with_a_shorter_window_is_shown_with_what_it_can(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "bench").symlink_to(bench.folder)
    monkeypatch.chdir(tmp_path)
    with ChatServer(Reader([bench])) as server:
        table = {"small": {"model": "m", "url": server.base_url, "window": 990}}
        (tmp_path / "models.yaml").write_text(json.dumps(table), encoding="utf-8")
        found = decide([], at=AT, models=["small"], out=tmp_path / "out", ways="whole")
    (row,) = found.rows
    assert (row.verdict, row.holds_to, row.right) == ("fails", 250, None)
    assert row.why == ("its window of 990 is shorter than 1k, and holds to 250",)
    assert found.verdict == "none"


def test_a_budget_and_a_length_that_cannot_do_name_what_can(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text(
        "The harbour was quiet that day, and nobody came. " * 240, encoding="utf-8"
    )
    for more, says in (
        ("--at 60k --yes", "the documents have 2"),
        ("--at 1k --budget 100tok", "the least that does: "),
    ):
        done = call(f"decide {tmp_path / 'docs'} {more} -m embedded --ways whole -o {tmp_path / 'out'}")
        assert done.code == 2
        assert says in done.err
        assert not (tmp_path / "out" / "runs").exists()


def test_a_folder_of_another_decision_is_bad_input(result: tuple[DecideResult, Path]) -> None:
    _, out = result
    for other, named in (({"at": "2k"}, "lengths"), ({"at": AT, "seed": 2}, "seed")):
        with pytest.raises(BadInput, match=rf"has another {named}"):
            decide([], models=["embedded"], out=out, ways="whole", **other)
