"""The review page in a real browser: by keyboard alone, across reloads, with hostile text, and when the server dies."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.browsing import HOSTILE, Watched
from tests.doubles.reviewing import reviewing

from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.review_server import ReviewServer, ReviewSession, _door, review_agreement


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four questions in TAIL's format; the second is hostile in every field. Never change the folder."""
    folder = tmp_path_factory.mktemp("review-browser")
    records = []
    for number in range(4):
        bad = HOSTILE if number == 1 else ""
        gold = f"The keeper of house {number} is Ida {'ABCD'[number]}. {bad} \N{GRINNING FACE} " + "Rain fell. " * 40
        around = [f"Before it, text {number} {bad}. " * 30, gold, f"After it, text {number}. " * 30]
        options = [f"{name} {bad}" for name in ("Ida", "Una", "Eva", "Ada", "Ina", "Mia")]
        asked = {"question": f"Who keeps house {number}{bad}?", "options": options, "answer": "ABCD"[number]}
        place = {"doc_index": number, "depth": 50, "document_length": 500}
        records.append({"QA": asked, "context": gold, "whole_document": around} | place)
    (folder / "tail.json").write_text(json.dumps(records), encoding="utf-8")
    spec = make_spec("grounded", {"from_tail": str(folder / "tail.json")})
    build_bench(spec, folder / "b", BuildContext(warn=lambda _: None))
    return folder / "b"


@pytest.fixture
def server(built: Path, tmp_path: Path) -> Iterator[ReviewServer]:
    with reviewing(ReviewSession(Path(shutil.copytree(built, tmp_path / "b")))) as started:
        yield started


def counts(page: Page, text: str) -> None:
    expect(page.locator("#counts")).to_have_text(text)


def test_the_file_that_a_browser_gets_leads_to_the_page(
    watched: Watched, server: ReviewServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    with _door(tmp_path / "b.review.jsonl", server.address):
        watched.page.wait_for_timeout(100)
        assert server.token not in opened[0]
        watched.page.goto(opened[0])
        expect(watched.page.locator(".asked")).to_have_text("Who keeps house 0?")
        watched.page.keyboard.press("a")
        counts(watched.page, "1 of 4 decided")


def test_a_review_by_keyboard(watched: Watched, server: ReviewServer) -> None:
    page = watched.page
    page.goto(server.address)
    asked = page.locator(".asked")
    expect(asked).to_have_text("Who keeps house 0?")
    expect(page.locator(".options li.is-right")).to_contain_text("Ida")
    expect(page.locator(".gold")).to_contain_text("The keeper of house 0 is Ida A.")
    expect(page.locator(".passage .around").first).to_contain_text("Before it, text 0")
    page.keyboard.press("a")
    expect(asked).to_contain_text("Who keeps house 1")
    page.keyboard.press("3")
    page.keyboard.press("5")
    page.keyboard.press("5")
    expect(page.locator('.criterion[aria-pressed="true"]')).to_have_count(1)
    page.keyboard.press("r")
    expect(asked).to_have_text("Who keeps house 2?")
    counts(page, "2 of 4 decided")

    page.keyboard.press("e")
    expect(page.locator("textarea")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("Who lives in house 2, ear to j and a?")
    page.locator('input[type="radio"]').nth(4).check()
    page.get_by_label("Option E").fill("nobody at all")
    page.keyboard.press("Control+Enter")
    expect(asked).to_have_text("Who lives in house 2, ear to j and a?")
    expect(page.locator(".options li.is-right")).to_contain_text("nobody at all")
    expect(page.locator(".stamp")).to_have_text("✎ edited")
    counts(page, "3 of 4 decided")

    page.reload()
    counts(page, "3 of 4 decided")
    expect(asked).to_have_text("Who lives in house 2, ear to j and a?")
    page.keyboard.press("k")
    expect(page.locator(".stamp")).to_have_text("✗ rejected")
    expect(page.locator('.criterion[aria-pressed="true"]')).to_have_attribute("aria-label", "not answerable from it")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".stamp")).to_have_text("✓ accepted")
    page.keyboard.press("u")
    counts(page, "2 of 4 decided")
    page.keyboard.press("n")
    expect(asked).to_have_text("Who keeps house 3?")
    page.keyboard.press("j")
    expect(asked).to_have_text("Who keeps house 3?")

    found = server.session.decisions()
    ids = [card.id for card in server.session.cards]
    assert [found[name].verdict for name in ids[:3]] == ["", "reject", "edit"]
    assert found[ids[1]].failed == ("answerable",)
    assert found[ids[2]].right == "E"
    assert found[ids[2]].fields == {"question": "Who lives in house 2, ear to j and a?", "E": "nobody at all"}
    assert watched.messages == []
    assert all(address.startswith(server.address) for address in watched.asked)


def test_two_reviewers_decide_on_the_same_sample(watched: Watched, built: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(built, tmp_path / "b"))
    page = watched.page
    held: list[Route] = []
    page.route("**/cards/0", lambda route: held.append(route))
    for name, keys in (("ann", "aa"), ("ben", "a1r")):
        with reviewing(ReviewSession(folder, name, sample=2, seed=1)) as started:
            page.goto(started.address)
            counts(page, "0 of 2 decided")
            page.keyboard.press("?")
            expect(page.locator("#rules")).to_be_visible()
            expect(page.locator("#rules")).to_contain_text("Judge by the gold passage alone")
            page.keyboard.press("Escape")
            for key in keys:  # before the first card is there
                page.keyboard.press(key)
            while not held:
                page.wait_for_timeout(10)
            held.pop().continue_()
            counts(page, "2 of 2 decided")
    clear, *_, whole = review_agreement(folder)
    assert clear.passed == {"ann": 1.0, "ben": 0.5}
    assert (whole.both, whole.agreement, whole.kappa) == (2, 0.5, 0.0)


def test_fast_keys_each_count(watched: Watched, server: ReviewServer) -> None:
    page = watched.page
    page.goto(server.address)
    expect(page.locator(".asked")).to_be_visible()
    page.evaluate(
        "for (const key of 'arar') document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))"
    )
    counts(page, "4 of 4 decided")
    found = server.session.decisions()
    assert [found[card.id].verdict for card in server.session.cards] == ["accept", "reject", "accept", "reject"]


def test_an_edit_can_be_left_or_refused(watched: Watched, server: ReviewServer) -> None:
    page = watched.page
    page.goto(server.address)
    expect(page.locator(".asked")).to_be_visible()
    page.keyboard.press("e")
    page.keyboard.type("never mind")
    page.keyboard.press("Escape")
    expect(page.locator(".asked")).to_have_text("Who keeps house 0?")
    page.keyboard.press("e")
    page.get_by_label("Option B").fill("Ida")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#trouble")).to_contain_text("two options are the same: 'ida'")
    expect(page.get_by_label("Option B")).to_have_value("Ida")
    page.get_by_label("Option B").fill("Ulla")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#trouble")).to_be_hidden()
    expect(page.locator(".options")).to_contain_text("Ulla")
    assert [line for line in watched.messages if "400" not in line] == []


def test_hostile_text_stays_text(watched: Watched, server: ReviewServer) -> None:
    page = watched.page
    page.goto(server.address)
    page.locator("#queue button").nth(1).click()
    expect(page.locator(".asked")).to_have_text(f"Who keeps house 1{HOSTILE}?")
    expect(page.locator(".gold")).to_contain_text(HOSTILE)
    page.keyboard.press("e")
    expect(page.locator("textarea")).to_have_value(f"Who keeps house 1{HOSTILE}?")
    page.locator("textarea").fill(f"{HOSTILE} who?")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".asked")).to_have_text(f"{HOSTILE} who?")
    page.reload()
    expect(page.locator(".asked")).to_have_text(f"{HOSTILE} who?")
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert watched.messages == []
    assert all(address.startswith(server.address) for address in watched.asked)


def test_a_dead_server_is_told_and_nothing_moves_on(watched: Watched, server: ReviewServer) -> None:
    page = watched.page
    page.goto(server.address)
    expect(page.locator(".asked")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.route(re.compile("/decisions$"), lambda route: route.abort())
    page.keyboard.press("a")
    expect(page.locator("#trouble")).to_contain_text("this was not saved")
    expect(page.locator(".asked")).to_have_text("Who keeps house 0?")
    counts(page, "0 of 4 decided")
    page.unroute(re.compile("/decisions$"))
    page.keyboard.press("a")
    counts(page, "1 of 4 decided")
    expect(page.locator("#trouble")).to_be_hidden()


def test_another_page_can_neither_read_nor_decide(browser: Browser, server: ReviewServer) -> None:
    """Even one that knows the token: only the review page itself is answered."""
    context = browser.new_context()
    page = context.new_page()
    page.route("http://evil.example/", lambda route: route.fulfill(content_type="text/html", body="<p>here</p>"))
    page.goto("http://evil.example/")
    card = server.session.cards[0].id
    said = page.evaluate(
        """async ([address, card]) => {
            const tell = (promise) => promise.then((reply) => reply.type + ' ' + reply.status, () => 'refused');
            const body = JSON.stringify({id: card, verdict: 'reject'});
            return [
                await tell(fetch(address)),
                await tell(fetch(address + 'decisions', {method: 'POST', body})),
                await tell(fetch(address + 'decisions', {method: 'POST', mode: 'no-cors', body})),
                await tell(fetch(address + 'decisions',
                    {method: 'POST', headers: {'Content-Type': 'application/json'}, body})),
            ];
        }""",
        [server.address, card],
    )
    assert said[0] == said[1] == said[3] == "refused"
    assert server.session.decisions() == {}
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_and_both_colours(browser: Browser, server: ReviewServer, scheme: str) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 780}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(server.address)
    expect(page.locator(".asked")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in colour[4:-1].split(",")) < 150) == (scheme == "dark")
    page.locator("#accept").click()
    counts(page, "1 of 4 decided")
    page.locator("#help-open").click()
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    context.close()
