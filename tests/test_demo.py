"""The demo: `decide` on the embedded models, within its time, with a screen that concludes."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from html import unescape
from itertools import product
from pathlib import Path

import pytest
from tests.small_demo import small_design

from longreach import api, demo
from longreach.deciding.result import DecideResult
from longreach.errors import BadInput
from longreach.text.documents import built_in_documents


def test_facts_are_new_in_every_context_and_for_every_seed() -> None:
    design = demo.demo_design()
    made = [design.facts_file(seed) for seed in (1, 2, 1)]
    assert made[0] == made[2] != made[1]
    names = [name for each in made[0]["sets"] for name in each["names"]]
    codes = [question["answer"] for each in made[0]["sets"] for question in each["questions"]]
    assert len(names) == len(set(names)) == len(codes) == len(set(codes)) == design.facts * design.contexts


def test_no_invented_place_is_in_the_text() -> None:
    first, last = (part.split() for part in demo.demo_design().places)
    text = "\n".join(document.text for document in built_in_documents()).casefold()
    assert not [name for name in map("".join, product(first, last)) if name.casefold() in text]


@pytest.fixture(scope="module")
def cut_short(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DecideResult, Path]]:
    """A demo without time, which the same command resumes."""
    out = tmp_path_factory.mktemp("demo") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "demo_design", small_design)
        yield demo.run_demo(out, 7, 0.01, say=lambda _: None), out


def test_a_demo_without_time_writes_a_page_and_says_how_to_resume(cut_short: tuple[DecideResult, Path]) -> None:
    found, out = cut_short
    assert (found.verdict, found.exit_code, found.spent.requests) == ("open", 3, 1)
    assert "time limit" in " ".join(found.lines())
    assert json.loads((out / "decide.json").read_text(encoding="utf-8"))["schema"] == "longreach.decide/1"


def test_its_page_begins_with_the_screen(cut_short: tuple[DecideResult, Path]) -> None:
    found, out = cut_short
    lines = found.lines()
    assert len(lines) <= demo.LINES
    assert max(map(len, lines)) <= 80
    (top,) = re.findall(r'<pre class="opening">(.*?)</pre>', (out / "page.html").read_text(encoding="utf-8"), re.DOTALL)
    assert unescape(top).split("\n") == lines
    assert "longreach decide" in lines[-1], "what a person would type for their own documents"


def test_the_same_command_resumes(cut_short: tuple[DecideResult, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    _, out = cut_short
    before = len(api.grade(out / "runs"))
    monkeypatch.setattr(demo, "demo_design", small_design)
    demo.run_demo(out, 7, 0.01, say=lambda _: None)
    assert len(api.grade(out / "runs")) == before + 1, "one more answer, none lost"


def test_an_adapter_that_is_none_is_refused_before_anything_runs(tmp_path: Path) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF, but no adapter")
    with pytest.raises(BadInput, match=r"bad\.gguf is no GGUF adapter"):
        demo.run_demo(tmp_path / "demo", 7, 5, lora=bad, say=lambda _: None)
    assert not (tmp_path / "demo").exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="desktops are found by other means elsewhere")
def test_the_page_is_opened_only_on_a_desktop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []

    def note(address: str) -> bool:
        opened.append(address)
        return True

    monkeypatch.setattr("webbrowser.open", note)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not demo.open_page(tmp_path / "page.html")
    monkeypatch.setenv("DISPLAY", ":0")
    assert demo.open_page(tmp_path / "page.html")
    assert opened == [(tmp_path / "page.html").resolve().as_uri()]
