"""A real browser for tests, and texts that try to be more than text."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

NO_BROWSER = "no Chromium on this machine"
_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
HOSTILE = (
    "</script><script>window.hacked=1</script></title></style><img src=x onerror='window.hacked=1'>"
    '"><svg onload=window.hacked=1><a href="javascript:window.hacked=1" onclick="window.hacked=1">press</a>'
    "[press](javascript:window.hacked=1) <!-- ]]> {{ 7*7 }} \u202egnirts neddih"
)


expect.set_options(timeout=30_000)  # a busy machine is no failure


def chromium() -> str | None:
    """The machine's Chromium; LONGREACH_CHROMIUM names another one, or `none`."""
    given = os.environ.get("LONGREACH_CHROMIUM")
    if given == "none":
        return None
    found = shutil.which(given) if given else None
    if given and found is None:
        raise pytest.UsageError(f"LONGREACH_CHROMIUM={given} is no program; give the path of a Chromium, or none")
    return found or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Watched:
    """A page with everything it said and asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.set_default_timeout(90_000)
        self.messages: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def is_calm(self, address: str) -> None:
        """Nothing ran, nothing complained, nothing but the page itself was fetched, and nothing waits to be pressed."""
        assert self.page.evaluate("window.hacked") is None
        assert self.messages == []
        assert {url.partition("#")[0] for url in self.asked} == {address}
        bad = "[...document.querySelectorAll('*')].filter(node => [...node.attributes].some(each => "
        bad += "/^on/i.test(each.name) || /^\\s*javascript:/i.test(each.value))).length"
        assert self.page.evaluate(bad) == 0
        assert self.page.locator("img, iframe, object, embed, base").count() == 0


@contextmanager
def open_browser() -> Iterator[Browser]:
    """The machine's Chromium, without a word to the network; without one the test is skipped."""
    program = chromium() or pytest.skip(NO_BROWSER)
    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=program, args=list(_QUIET))
        yield started
        started.close()


@contextmanager
def watching(browser: Browser, width: int = 1280, height: int = 900) -> Iterator[Watched]:
    """A fresh page that is watched."""
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    yield Watched(context.new_page())
    context.close()
