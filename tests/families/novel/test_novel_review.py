"""Doubtful summaries under review, over real HTTP: what is decided on the page is what the next benchmark uses."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.doubles.reviewing import reviewing
from tests.families.novel.study import LINES, Study, build_context, model

from longreach.core.bench import Bench
from longreach.errors import BadInput
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, check_bench, make_spec
from longreach.families.reviewing import ReviewDecision
from longreach.review_server import (
    ReviewSession,
    apply_review,
    decisions_file,
    review_agreement,
    save_decision,
)

DOUBTED = (LINES[1], LINES[5])  # the second unit of each book
EDITED = "Somebody went out. A thing was sold for a price. In the evening all went home."
REWORDED = (
    "One left the house. What was sold had its price. By evening everybody was at home.",
    "There was a walk. Something changed hands for money. The evening saw all of them home.",
)
Build = Callable[..., Bench]


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    """Builds from documents, with a checker that gives no verdict on two of their eight units."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for book in ("Book 0", "Book 1"):
        text = "\n\n".join(line["text"] for line in LINES if line["book"] == book)
        (folder / f"{book}.txt").write_text(text)
    study = Study()

    def silent(asked: Asked, kind: str) -> Reply | None:
        if kind == "paraphrase" and EDITED in asked.prompt:
            return Reply(text=REWORDED[1 if asked.body.get("seed") else 0])
        if any(text.partition(".")[0] in asked.prompt for text in REWORDED):
            verdict = {"verdict": "faithful", "findings": []}
            return Reply(text=json.dumps(verdict if kind == "judge" else {"possible": False, "people": []}))
        fresh = kind == "judge" and any(line["summary"] in asked.prompt for line in DOUBTED)
        return Reply(text="I would rather not say.") if fresh else None

    study.instead = silent
    with ChatServer(study) as server:
        made = build_context(server, tmp_path / "kept")

        def built(name: str, **settings: Any) -> Bench:
            given = {
                "source": "write",
                "docs": [str(folder)],
                "unit": 190,
                "sizes": "S",
                "per_class": 8,
                "tries": 1,
                "types": "entity,numerical",
                "writer": model("writer"),
                "checker": model("checker"),
                "tokenizer": "o200k_base",
            }
            return build_bench(make_spec("novel", given | settings), tmp_path / name, made)

        yield built


@contextmanager
def page(folder: Path) -> Iterator[Callable[..., tuple[int, Any]]]:
    """The review page of a benchmark; calls read a card or send a decision."""
    with reviewing(ReviewSession(folder)) as server:
        host = f"127.0.0.1:{server.server_port}"

        def ask(path: str, decision: dict[str, Any] | None = None) -> tuple[int, Any]:
            connection = http.client.HTTPConnection(host, timeout=10)
            headers = {"Origin": f"http://{host}", "Content-Type": "application/json"}
            body = None if decision is None else json.dumps(decision).encode()
            connection.request("GET" if body is None else "POST", f"/{server.token}/{path}", body, headers)
            reply = connection.getresponse()
            text = reply.read().decode()
            connection.close()
            return reply.status, json.loads(text)

        yield ask


def test_a_card_shows_the_summary_the_text_and_the_doubt(build: Build) -> None:
    bench = build("b")
    assert len(bench.items) == 12, "two of eight units are left out"
    with page(bench.folder) as ask:
        for number, line in enumerate(DOUBTED):
            status, card = ask(f"cards/{number}")
            assert status == 200
            assert card["id"] == f"{line['book']}.txt/002"
            assert card["fields"] == [{"name": "summary", "label": "Summary", "text": line["summary"], "option": False}]
            assert card["source"].strip() == line["text"]
            facts = dict(card["facts"])
            assert facts["in doubt because"].startswith("the checker gave no verdict")
            assert facts["used in"] == "no story so far"
    assert check_bench(bench.folder) == []


def test_what_a_person_decides_is_used_by_the_next_build(build: Build, tmp_path: Path) -> None:
    bench = build("b")
    with page(bench.folder) as ask:
        first, second = (ask(f"cards/{number}")[1]["id"] for number in range(2))
        assert ask("decisions", {"id": first, "verdict": "edit", "fields": {"summary": EDITED}})[0] == 200
        assert ask("decisions", {"id": second, "verdict": "reject", "failed": ["verdict"]})[0] == 200
    new = apply_review(bench.folder, tmp_path / "new")
    assert check_bench(new.folder) == []
    assert new.items == bench.items, "no story used them"
    assert [entry["verdict"] for entry in new.build["doubtful"]] == ["edit", "reject"]
    review = new.build["reviews"][0]
    assert (review["accepted"], review["edited"], review["rejected"]) == (0, 1, 1)
    assert review["failed"] == {"verdict": 1, "sentence": 0, "type": 0, "whole": 0, "written": 0}
    samples = {item.cell["sample"] for item in new.items.values()}
    assert {card.id for card in ReviewSession(new.folder).cards} == samples, "only whole summaries are left to review"
    again = build("again", reviewed=str(new.folder), sizes="700", per_class=2, keep_doubtful=False)
    assert check_bench(again.folder) == []
    assert {item.cell["book"] for item in again.items.values()} == {"Book 0.txt"}, "the other book has a rejected one"
    for question in again.questions.values():
        assert EDITED not in question.text, "reworded as every other summary"
        assert any(text in question.text for text in REWORDED)
    assert [entry["why"] for entry in again.build["doubtful"]] == ["rejected in a review"]


def test_an_accepted_summary_is_reworded_and_used(build: Build, tmp_path: Path) -> None:
    bench = build("b")
    with page(bench.folder) as ask:
        for number in range(2):
            assert ask("decisions", {"id": ask(f"cards/{number}")[1]["id"], "verdict": "accept"})[0] == 200
    new = apply_review(bench.folder, tmp_path / "new")
    again = build("again", reviewed=str(new.folder), sizes="700", per_class=4)
    assert "doubtful" not in again.build
    for question in again.questions.values():
        assert any(wording in question.text for line in DOUBTED for wording in line["paraphrase"])


def test_stories_that_use_them_are_changed_or_left_out(build: Build, tmp_path: Path) -> None:
    methods = "zero_shot_last,zero_shot_first,cot"
    bench = build("b", sizes="700", per_class=4, keep_doubtful=True, methods=methods)
    with page(bench.folder) as ask:
        first, second = (ask(f"cards/{number}")[1] for number in range(2))
        assert dict(first["facts"])["used in"] == "4 summaries of stories"
        ask("decisions", {"id": first["id"], "verdict": "edit", "fields": {"summary": EDITED}})
        ask("decisions", {"id": second["id"], "verdict": "reject"})
    new = apply_review(bench.folder, tmp_path / "new")
    assert check_bench(new.folder) == [], "every count and digest is exact"
    assert {item.cell["book"] for item in new.items.values()} == {"Book 0.txt"}
    assert len(new.items) == len(bench.items) / 2
    assert set(new.questions) == {name for item in new.items.values() for name in item.questions}
    for name, question in new.questions.items():
        parts = bench.questions[name].text.split("\n\n")
        (place,) = [place for place, part in enumerate(parts) if part in DOUBTED[0]["paraphrase"]]
        assert question.text.split("\n\n") == [*parts[:place], EDITED, *parts[place + 1 :]]
        assert question.key == bench.questions[name].key
    assert all(item.sha256 != bench.items[name].sha256 for name, item in new.items.items())
    size = new.build["sizes"]["700"]
    assert (size["hallucinated"], size["faithful"], size["stories"]) == (2, 2, 1)


def test_what_cannot_be_used_is_refused(build: Build, tmp_path: Path) -> None:
    bench = build("b", sizes="700", per_class=4, keep_doubtful=True, methods="window", embedder="ngrams")
    with page(bench.folder) as ask:
        card = ask("cards/0")[1]
        for fields, why in (
            ({"summary": " "}, "at least 2 sentences"),
            ({"summary": card["source"]}, "more than half as long as the text"),
            ({"title": "x"}, "there is no field 'title'"),
        ):
            status, said = ask("decisions", {"id": card["id"], "verdict": "edit", "fields": fields})
            assert status == 400
            assert why in said["error"]
        assert ask("decisions", {"id": card["id"], "verdict": "edit", "fields": {"summary": EDITED}})[0] == 200
        with pytest.raises(BadInput, match="other blocks for method window"):
            apply_review(bench.folder, tmp_path / "new")
        for number in range(2):
            ask("decisions", {"id": ask(f"cards/{number}")[1]["id"], "verdict": "reject"})
    with pytest.raises(BadInput, match=r"no story of .* is left"):
        apply_review(bench.folder, tmp_path / "new")
    with pytest.raises(BadInput, match="reviewed: nobody has decided on a summary of"):
        build("again", reviewed=str(bench.folder))
    with pytest.raises(BadInput, match="reviewed is for source write"):
        make_spec("novel", {"reviewed": str(bench.folder)})


def test_whole_summaries_are_reviewed_by_the_papers_rules(build: Build, tmp_path: Path) -> None:
    bench = build("b", sizes="350", per_class=4, methods="zero_shot_last,cot")
    cards = {card.id: card for card in ReviewSession(bench.folder).cards}
    items = {str(item.cell["sample"]): item for item in bench.items.values()}
    assert set(items) <= set(cards)
    wrong = next(name for name, item in items.items() if item.cell["truth"] == "hallucinated")
    right = next(name for name, item in items.items() if item.cell["truth"] == "faithful")
    facts = dict(cards[wrong].facts)
    assert facts["key"] == "hallucinated"
    assert facts["wrong sentence"] in cards[wrong].fields[0].text
    assert (cards[wrong].says, cards[right].says) == (("verdict",), ())
    assert dict(cards[right].facts) == {"key": "faithful"}
    with page(bench.folder) as ask:
        status, said = ask("decisions", {"id": wrong, "verdict": "edit", "fields": {"summary": "All is well. It is."}})
        assert (status, "the sentence that its key names is gone" in said["error"]) == (400, True)
        longer = cards[wrong].fields[0].text + " They went home."
        assert ask("decisions", {"id": wrong, "verdict": "edit", "fields": {"summary": longer}})[0] == 200
        assert ask("decisions", {"id": right, "verdict": "reject", "failed": ["verdict"]})[0] == 200
    new = apply_review(bench.folder, tmp_path / "new")
    assert check_bench(new.folder) == []
    assert {item.cell["sample"] for item in bench.items.values()} - {i.cell["sample"] for i in new.items.values()} == {
        right
    }
    own = [item for item in new.items.values() if item.cell["sample"] == wrong]
    assert len(own) == 2
    assert {new.questions[item.questions[0]].text for item in own} == {longer}
    assert {one["name"]: one["passed"] for one in new.build["reviews"][-1]["criteria"]}["verdict"] == {"reviewer": 0.5}


def test_two_reviewers_of_any_novel_benchmark_are_compared(tmp_path: Path) -> None:
    spec = make_spec("novel", {"sizes": "S", "per_class": 8, "errors": "paper", "books": 2})
    bench = build_bench(spec, tmp_path / "b", BuildContext(warn=lambda _: None))
    sample = ReviewSession(bench.folder, "ann", sample=10, seed=1).cards
    assert len(sample) == 10
    wrong = [card for card in sample if dict(card.facts)["key"] == "hallucinated"]
    assert all(dict(card.facts)["wrong sentence"] in card.fields[0].text for card in wrong)
    for name, objected in (("ann", ()), ("ben", (sample[0].id,))):
        for card in sample:
            failed = ("verdict",) if card.id in objected else ()
            verdict = ReviewDecision(id=card.id, verdict="reject" if failed else "accept", failed=failed)
            save_decision(decisions_file(bench.folder, name), bench.info.digest, verdict)
    found = {one.name: one for one in review_agreement(bench.folder)}
    assert found["verdict"].passed == {"ann": 1.0, "ben": 0.9}
    assert (found["verdict"].both, found["verdict"].agreement) == (10, 0.9)
    new = apply_review(bench.folder, tmp_path / "new")
    assert check_bench(new.folder) == []
    assert sample[0].id not in {item.cell["sample"] for item in new.items.values()}
