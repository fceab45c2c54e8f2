from __future__ import annotations

import sys
import time

import pytest

from longreach.text.formats import READERS, Unreadable, normalise
from longreach.text.formats.web import html_text, read_rst


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
    assert text == "# The title\n\nOne bold line\xa0— café.\nNext line.\n\nTwo.\n\na\n\nb\n\ntail"


@pytest.mark.parametrize(
    "unseen",
    [
        "<p style='display: none'>secret</p>",
        "<div style='color:red;DISPLAY:None !important'><p>sec<b>ret</b></p></div>",
        "<span style='visibility:hidden'>secret</span>",
        "<span style='font-size:0'>secret</span>",
        "<span style='opacity:0.0'>secret</span>",
        "<p style='color:#fff'>secret</p>",
        "<p style='color: rgb(255, 255, 255); background: white'>secret</p>",
        "<font color='#FFFFFF'>secret</font>",
        "<p style='color:transparent'>secret</p>",
        "<div style='background:#123456'><p style='color:#123456'>secret</p></div>",
        "<style>.x, p.y {display:none}</style><div class='x'>secret</div>",
        "<style>/* a */ #z { color: white }</style><p id='z'>secret</p>",
        "<span><i style='display:none'>se</i><i style='display:none'>secret</i></span>",
    ],
)
def test_what_a_page_hides_from_its_readers_is_left_out_and_named(unseen: str) -> None:
    warnings: list[str] = []
    page = f"<body><p>Seen.</p>{unseen}<p>And seen.</p></body>"
    assert normalise(html_text(page.encode(), warn=warnings.append)[0]) == "Seen.\n\nAnd seen."
    assert len(warnings) == 1
    assert "passage" in warnings[0]


@pytest.mark.parametrize(
    "seen",
    [
        "<p style='color:white;background:#000'>Text.</p>",
        "<div style='background-color:black'><p style='color:white'>Text.</p></div>",
        "<body bgcolor='black'><font color='white'>Text.</font></body>",
        "<p style='font-size:0.8em;opacity:0.5;color:#fff0e0'>Text.</p>",
        "<style media='print'>p {display:none}</style><p>Text.</p>",
        "<style>@media print { p {display:none} } .other {display:none}</style><p>Text.</p>",
        "<p style='display:block;visibility:visible'>Text.</p>",
    ],
)
def test_what_a_reader_sees_stays(seen: str) -> None:
    assert normalise(html_text(seen.encode(), warn=pytest.fail)[0]) == "Text."


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>Seen.</p><!-- never closed <p>hidden</p>", "Seen."),
        ("<p>Seen.</p><script>never.closed(</p>", "Seen."),
        ("<p>Seen.</p><a href='never closed>hidden", "Seen."),
        ("<p>5 < 6 & 7 <", "5 < 6 & 7 <"),
    ],
)
def test_what_the_end_of_a_page_leaves_open_is_not_text(page: str, text: str) -> None:
    assert normalise(html_text(page.encode())[0]) == text


@pytest.mark.parametrize(
    "unit", ["<!--", "<!", "<?", "</", "</a", '<a b="', "<a ", "<a<", "<![CDATA[", "<p", "<a href='"]
)
@pytest.mark.parametrize("end", ["", ">"])
def test_time_grows_with_the_length_of_a_page_and_no_faster(unit: str, end: str) -> None:
    """Looking at the rest again at each opening would take minutes for either size."""

    def seconds(size: int) -> float:
        page = (unit * (size // len(unit)) + end).encode()
        start = time.process_time()
        html_text(page)
        return time.process_time() - start

    assert seconds(400_000) < 8 * seconds(100_000) + 1


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<pre>  if x:\n    y</pre>", "```\n  if x:\n    y\n```"),
        ("<table><tr><th>k</th><th>v</th></tr><tr><td> 1 </td><td>2</td></tr></table>", "k\tv\n\n1\t2"),
        ("a<span> b</span><i>c</i>", "a bc"),
        ("5 &lt; 6 &amp;&amp; 7", "5 < 6 && 7"),
        ("just words", "just words"),
        ("<p>unclosed <b>tags", "unclosed tags"),
        ("<script/><p>after an empty script</p>", "after an empty script"),
        ("<h3><a href='#x'><small>30 . 3 . 4</small></a>Nil, true</h3>", "### 30.3.4 Nil, true"),
        ("<h2>Set up</h2><p># apt-get update<br># Reboot", "## Set up\n\n\\# apt-get update\n\\# Reboot"),
        ("<p>#1 of 3</p><pre># a comment</pre>", "#1 of 3\n\n```\n# a comment\n```"),
        ("<h3>3 . 5 liters</h3>", "### 3.5 liters"),
        ("<p>Use <span class='menu'>Edit &gt; <a href='x'>Undo</a></span> now.</p>", "Use Edit > Undo now."),
        ("<p>Press <span><i hidden>Command</i><i hidden>Ctrl</i></span>+Z<i hidden> twice</i>.</p>", "Press Ctrl+Z."),
    ],
)
def test_small_pages(body: str, text: str) -> None:
    assert visible(body) == text


def test_nesting_deeper_than_the_stack() -> None:
    depth = sys.getrecursionlimit() * 3
    assert visible("<div>" * depth + "deep" + "</div>" * depth) == "deep"


@pytest.mark.parametrize(
    "head", ['<meta charset="gb2312">', '<meta http-equiv="Content-Type" content="text/html; charset=GBK">']
)
def test_the_declared_encoding_is_used(head: str) -> None:
    page = f"<html><head>{head}</head><body><p>镕基</p></body></html>"
    assert html_text(page.encode("gb18030"))[0] == "镕基"


def test_the_encoding_of_an_xml_declaration_is_used() -> None:
    page = '<?xml version="1.0" encoding="cp1250"?><html><body><p>ŕ</p></body></html>'
    assert html_text(page.encode("cp1250"))[0] == "ŕ"


PROSE = "<p>The river rises in the hills and reaches the sea after two hundred miles of slow water.</p>" * 4


@pytest.mark.parametrize(
    "furniture",
    [
        '<div role="navigation"><p>Previous page</p></div>',
        '<div class="sphinxsidebar"><p>Previous page</p></div>',
        '<div id="site-header">Previous page</div>',
        "<header><p>Previous page</p></header>",
        "<aside><label>Previous page</label></aside>",
        "<footer><p>Previous page</p></footer>",
        '<ul><li><a href="a">Home</a></li><li><a href="b">Previous page</a></li><li><a href="c">Next</a></li></ul>',
        '<table><tr><td><a href="a">Previous page</a></td><td><a href="b">Up</a><a href="c">On</a></td></tr></table>',
        '<p>Next: <a href="a">Previous page of it</a>, <a href="b">Up to the index</a>, <a href="c">All pages</a></p>',
    ],
)
def test_navigation_goes(furniture: str) -> None:
    text = visible(f"<body>{furniture}{PROSE}</body>")
    assert "Previous page" not in text
    assert text.count("The river rises") == 4


def test_a_header_with_the_title_and_a_footer_inside_an_article_stay() -> None:
    text = visible(f"<body><header><h1>Rivers</h1></header><article>{PROSE}<footer>Note 1</footer></article></body>")
    assert "Note 1" in text
    assert "Rivers" in visible(f"<body><header><h1>Rivers</h1></header>{PROSE}</body>")


def test_the_main_part_stands_for_the_page() -> None:
    assert "Aside" not in visible(f"<body><div>Aside</div><main>{PROSE}</main></body>")
    assert "Most of it" in visible(f"<body>{PROSE}<p>Most of it</p><article>A short part</article></body>")


def test_prose_with_links_and_a_page_of_links_stay() -> None:
    linked = '<p>The <a href="a">river</a> rises in the <a href="b">hills</a> and reaches the <a href="c">sea</a>.</p>'
    assert visible(linked) == "The river rises in the hills and reaches the sea."
    links = '<ul><li><a href="a">One</a></li><li><a href="b">Two</a></li><li><a href="c">Three</a></li></ul>'
    assert visible(links) == "One\n\nTwo\n\nThree"


def test_wrapped_chinese_has_no_stray_spaces() -> None:
    assert (
        visible("<p>今天天气很好，\n  我们一起去\n公园散步。“好的。”\n他说。</p>")
        == "今天天气很好，我们一起去公园散步。“好的。”他说。"
    )
    assert visible("<p>使用 Python\n编程</p>") == "使用 Python 编程"


def text_of(source: str) -> str:
    (found,) = read_rst(source.encode(), pytest.fail)
    return found.text


def test_headings_roles_and_comments() -> None:
    source = (
        "Travel\n======\n\n.. index:: trip\n\nPress :guilabel:`Save`, then see :ref:`the form <form>` or\n"
        ":py:meth:`~trip.Trip.book`.\n\n.. a note to ourselves\n\nBy rail\n-------\n\nTrains are *late*.\n"
    )
    assert text_of(source) == (
        "# Travel\n\nPress Save, then see the form or trip.Trip.book.\n\n## By rail\n\nTrains are late."
    )
    (found,) = READERS[".rst"](source.encode(), pytest.fail)
    assert found.title == "Travel"


def test_directives_of_sphinx_are_text() -> None:
    source = (
        "Api\n===\n\n.. toctree::\n   :maxdepth: 2\n\n   intro\n\n.. function:: book(trip)\n   :async:\n\n"
        "   Books a trip.\n\n"
        ".. versionadded:: 2.1\n   Trips by boat.\n\n.. todo:: Say more.\n"
    )
    assert text_of(source) == "# Api\n\nbook(trip)\n\nBooks a trip.\n\nTrips by boat."


def test_no_other_file_is_read_and_nothing_raw_is_kept() -> None:
    source = (
        "Files\n=====\n\n.. include:: /etc/hostname\n\n.. raw:: html\n\n   <p>raw</p>\n\n"
        ".. csv-table:: T\n   :file: /etc/passwd\n\nEnd.\n"
    )
    assert text_of(source) == "# Files\n\nEnd."


def test_faults_are_no_part_of_the_text() -> None:
    source = "Title\n=====\n\nAn *open mark, an |unknown| name, `a link`_ and :odd:`role`.\n\nShort\n--\n\nEnd.\n"
    text = text_of(source)
    assert "role" in text
    assert "End." in text
    assert "ERROR" not in text
    assert "System Message" not in text


def test_damaged_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RecursionError

    monkeypatch.setattr("docutils.core.publish_string", broken)
    with pytest.raises(Unreadable, match="not readable as reStructuredText"):
        text_of("Text.")


def test_a_rubric_is_a_heading_below_all_others() -> None:
    assert text_of("Title\n=====\n\n.. rubric:: On *tides*\n\nEnd.\n") == "# Title\n\n###### On tides\n\nEnd."
