from __future__ import annotations

import sys

import pytest

from longreach.text.formats import normalise
from longreach.text.formats.web import html_text


def visible(body: str) -> str:
    return normalise(html_text(body.encode())[0])


def test_a_page() -> None:
    page = """<!DOCTYPE html><html><head><title> A &amp;
      B </title><style>p {color: red}</style></head><body><nav>Home | About</nav>
      <h1>The   title</h1><p>One <b>bold</b>
      line&nbsp;&mdash; caf&#233;.<br>Next<!-- secret --> line.<p>Two.
      <script>alert("x")</script><ul><li>a<li>b</ul><div hidden>gone</div>tail</body></html>"""
    text, title = html_text(page.encode())
    assert title == "A & B"
    assert text == "The title\n\nOne bold line\xa0— café.\nNext line.\n\nTwo.\n\na\n\nb\n\ntail"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<pre>  if x:\n    y</pre>", "if x:\n    y"),
        ("<table><tr><th>k</th><th>v</th></tr><tr><td> 1 </td><td>2</td></tr></table>", "k\tv\n\n1\t2"),
        ("a<span> b</span><i>c</i>", "a bc"),
        ("5 &lt; 6 &amp;&amp; 7", "5 < 6 && 7"),
        ("just words", "just words"),
        ("<p>unclosed <b>tags", "unclosed tags"),
        ("<script/><p>after an empty script</p>", "after an empty script"),
    ],
)
def test_small_pages(body: str, text: str) -> None:
    assert visible(body) == text


def test_nesting_deeper_than_the_stack() -> None:
    depth = sys.getrecursionlimit() * 3
    assert visible("<div>" * depth + "deep" + "</div>" * depth) == "deep"


@pytest.mark.parametrize(
    "head",
    ['<meta charset="gb2312">', '<meta http-equiv="Content-Type" content="text/html; charset=GBK">'],
)
def test_the_declared_encoding_is_used(head: str) -> None:
    page = f"<html><head>{head}</head><body><p>镕基</p></body></html>"
    assert html_text(page.encode("gb18030"))[0] == "镕基"


def test_the_encoding_of_an_xml_declaration_is_used() -> None:
    page = '<?xml version="1.0" encoding="cp1250"?><html><body><p>ŕ</p></body></html>'
    assert html_text(page.encode("cp1250"))[0] == "ŕ"
