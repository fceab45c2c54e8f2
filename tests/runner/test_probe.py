"""The probe over real HTTP: planted faults are found, an honest server has none."""

from __future__ import annotations

import json
import os
import threading
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import call
from tests.doubles.chat_server import Asked, ChatServer
from tests.doubles.reading_server import Copying, cut_to

from longreach.runner.probe import ProbeLine, where

MODEL = "openai-api/local/double"


def probe(server: Copying, *more: str, code: int, to: str = "4k") -> dict[str, Any]:
    """What a probe prints of a server."""
    with ChatServer(server, pages=server.pages) as served:
        done = call(["probe", "-m", f"double@{served.base_url}", "--to", to, "--json", *more])
    assert "Traceback" not in done.err, done.err
    assert done.code == code, f"{done.out}\n{done.err}"
    [found] = json.loads(done.out)["probes"]
    return dict(found)


def line(found: dict[str, Any], about: str) -> ProbeLine:
    [own] = [ProbeLine.model_validate(each) for each in found["lines"] if each["about"] == about]
    return own


@pytest.mark.parametrize("chat_only", [False, True])
def test_an_honest_server_has_nothing_wrong(chat_only: bool, tmp_path: Path) -> None:
    out = tmp_path / "probe.json"
    found = probe(Copying(chat_only=chat_only), "-o", str(out), code=0)
    assert (found["verdict"], found["headline"]) == ("passed", "Nothing wrong to 4,000 tokens.")
    assert line(found, "arrives whole").text.endswith("all 9 marks repeated")
    assert line(found, "same prompt twice").text == line(found, "cold, cached").text
    assert line(found, "system prompt").text.startswith("arrives")
    assert len(json.loads(out.read_text())["answers"]) == found["requests"]


@pytest.mark.parametrize(
    ("keeps", "counted"),
    [
        ("end", "what arrived"),
        ("both", "what was sent"),
        ("start", "nothing"),
        *(
            pytest.param(keeps, counted, marks=pytest.mark.long)
            for keeps, counted in product(("start", "end", "both"), ("what arrived", "what was sent", "nothing"))
        ),
    ],
)
def test_a_cut_is_found_and_where(keeps: str, counted: str) -> None:
    counts: dict[str, Any] = {
        "what arrived": lambda _, arrived: arrived,
        "what was sent": lambda sent, _: sent,
        "nothing": lambda *_: None,
    }
    found = probe(Copying(cut_to(3000, keeps), counts=counts[counted]), code=1, to="8k")
    arrived = line(found, "arrives whole")
    if keeps == "start" and counted != "what arrived":  # what is to be copied does not arrive, whatever it is
        assert line(found, "copying").text.startswith("at every length from 4,0")
        return
    assert arrived.wrong, arrived
    assert abs(found["limit"] - 3000) < 300
    assert {"start": "cut at", "end": "keeps the end", "both": "keeps start and end"}[keeps] in arrived.text


@pytest.mark.parametrize("keeps", ["end", *(pytest.param(each, marks=pytest.mark.long) for each in ("start", "both"))])
def test_a_cut_is_found_in_a_chat_too(keeps: str) -> None:
    found = probe(Copying(cut_to(3000, keeps), counts=lambda *_: None, chat_only=True), code=1, to="8k")
    assert line(found, "arrives whole").wrong or line(found, "copying").wrong


def test_an_engine_that_is_wrong_at_lengths_of_one_residue_is_found() -> None:
    found = probe(Copying(wrong=lambda tokens: tokens > 1100 and tokens % 4 == 3), code=1, to="8k")
    assert line(found, "copying").text == "where the length is 3 modulo 4, from 2,047 tokens on"
    assert found["headline"].startswith("Wrong at some lengths")


def test_an_engine_that_is_wrong_at_one_length_only_is_found() -> None:
    found = probe(Copying(wrong=lambda tokens: tokens == 2049), code=1)
    assert line(found, "copying").text == "at 2,049 tokens, whatever is copied; right beside them"
    assert found["wrong_lengths"] == [2049]


def test_a_slip_of_the_model_is_not_the_engines() -> None:
    """Wrong with one line and right with others at the same length."""
    met: set[int] = set()

    def first_time(tokens: int) -> bool:
        slips = tokens in (1030, 2050) and tokens not in met
        met.add(tokens)
        return slips

    found = probe(Copying(wrong=first_time), code=0)
    assert line(found, "copying").text.endswith("2 slips, none twice at a length")


def test_answers_from_another_requests_cache_are_found() -> None:
    by_beginning = Copying(shared=lambda asked: asked.prompt[:900])
    assert "answers of another request" in line(probe(by_beginning, code=1), "copying").text
    busy = threading.Semaphore(1)
    kept: dict[str, str] = {}

    def mixed_up(asked: Asked) -> str:
        """Of requests at the same time, all get the reply of one."""
        alone = busy.acquire(blocking=False)
        try:
            if alone:
                threading.Event().wait(0.02)
                kept["last"] = asked.sha256
            return kept["last"] if not alone and "last" in kept else asked.sha256
        finally:
            if alone:
                busy.release()

    found = probe(Copying(shared=mixed_up), code=1)
    assert line(found, "own answers under load").wrong or line(found, "alone, under load").wrong


def test_a_dropped_system_prompt_is_found_with_and_without_usage() -> None:
    assert line(probe(Copying(drops_system=True), code=1), "system prompt").wrong
    silent = Copying(drops_system=True, counts=lambda *_: None)
    assert line(probe(silent, code=1), "system prompt").text == "does not arrive"


def test_a_tenth_of_the_tokens_is_no_count() -> None:
    found = probe(Copying(counts=lambda sent, _: sent // 10), code=1)
    assert line(found, "tokens reported").text.endswith("per token sent, which no tokenizer counts")
    assert line(found, "tokens reported").wrong


def test_a_window_that_refuses_is_measured_and_is_no_fault() -> None:
    found = probe(Copying(refuses=3000), code=0, to="8k")
    assert abs(found["to"] - 3000) < 100
    assert "a clear error" in line(found, "longest prompt").text


def test_bad_input_is_one_line() -> None:
    assert call(["probe", "-m", "embedded", "--to", "300"]).code == 2
    gone = call(["probe", "-m", MODEL, "--base-url", "http://127.0.0.1:9/v1"])
    assert gone.code == 3
    assert gone.err.count("\n") == 1
    assert gone.err.startswith("longreach: http://127.0.0.1:9/v1: ")


def test_lengths_in_words() -> None:
    every = range(1000, 1100)
    assert where(every, [n for n in every if n % 16 == 5]).startswith("where the length is 5 modulo 16, from 1,013")
    assert where(every, list(range(1040, 1100))).startswith("at every length from 1,040 tokens on")
    assert where(every, [1024]) == "at 1,024 tokens, whatever is copied; right beside them"


@pytest.mark.long
def test_the_embedded_model_has_nothing_wrong() -> None:
    done = call(["probe", "-m", "embedded", "--to", os.environ.get("LONGREACH_PROBE_TO", "8k")])
    assert done.code == 0, done.out
    assert done.out.startswith("Nothing wrong to ")
