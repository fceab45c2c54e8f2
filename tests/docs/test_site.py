"""The documentation as a site: it builds without a broken link, and in a real browser it asks nobody for anything."""

from __future__ import annotations

import functools
import http.server
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from docs.examples.make import PAGES
from playwright.sync_api import expect
from tests.browsing import Watched
from tests.present import some

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert built.returncode == 0, built.stderr
    return folder


def _pages(site: Path) -> list[Path]:
    """Those that mkdocs wrote; the example reports have tests of their own."""
    return [path for path in sorted(site.rglob("*.html")) if "examples" not in path.parts and path.name != "404.html"]


def test_it_builds_strictly_with_every_page(site: Path) -> None:
    written = {path.relative_to(site).with_suffix(".md").as_posix() for path in _pages(site)}
    assert {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")} == written
    assert not list(site.rglob("*.py"))


def test_from_a_disk_no_page_asks_another_host_or_complains_or_is_wider_than_a_phone(
    site: Path, watched: Watched
) -> None:
    page = watched.page
    wide = some(page.viewport_size)
    for path in _pages(site):
        page.goto(path.as_uri())
        expect(page.locator("article h1").first).to_be_visible()
        expect(page.locator('nav.site a[aria-current="page"]')).to_have_count(1)
        page.set_viewport_size({"width": 375, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, path.name
        page.set_viewport_size(wide)
    page.set_viewport_size({"width": 375, "height": 700})
    expect(page.locator("nav.site ul").first).to_be_hidden()
    page.locator("nav.site summary").click()
    expect(page.locator("nav.site ul").first).to_be_visible()
    assert watched.messages == []
    assert watched.asked
    assert [url for url in watched.asked if not url.startswith(site.as_uri()) and url != "data:,"] == []


def test_search_finds_from_a_disk_and_from_a_server(site: Path, watched: Watched) -> None:
    handler = functools.partial(_Silent, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        home = f"http://127.0.0.1:{server.server_port}"
        for address in (site.as_uri(), home):
            page = watched.page
            watched.asked.clear()
            page.goto(f"{address}/reference/files.html")
            page.keyboard.press("/")
            page.keyboard.type("wilson")
            expect(page.locator("#found a").first).to_contain_text("Wilson")
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
            page.wait_for_url("**/reference/metrics.html#one-mean-wilson-at-the-effective-sample-size")
            assert watched.messages == []
            assert [url for url in watched.asked if not url.startswith(address) and url != "data:,"] == []
        server.shutdown()


def test_dark_is_remembered(site: Path, watched: Watched) -> None:
    page = watched.page
    page.emulate_media(color_scheme="light")
    page.goto((site / "index.html").as_uri())
    paper = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(paper) == "rgb(252, 251, 248)"
    page.get_by_role("button", name="Light or dark").click()
    assert page.evaluate(paper) == "rgb(20, 22, 26)"
    page.goto((site / "use.html").as_uri())
    assert page.evaluate(paper) == "rgb(20, 22, 26)"


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.long
@pytest.mark.parametrize("name", PAGES)
def test_the_example_page_is_made_again_by_its_command(name: str, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "docs.examples.make", name, "--out", str(tmp_path)], cwd=ROOT, check=True)
    page = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
    shipped = (ROOT / "docs" / "examples" / f"{name}.html").read_text(encoding="utf-8")
    headings = [re.findall(r"<h2[^>]*>(.*?)</h2>", each) for each in (page, shipped)]
    assert headings[0] == headings[1], "made by another version: python -m docs.examples.make"
