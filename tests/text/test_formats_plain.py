from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from longreach.text.formats import FileText, Unreadable
from longreach.text.formats.plain import decode, normalise, read_jsonl, read_markdown

FRENCH = "Le café était fermé à Noël, où l’élève naïf mangeait des crêpes près de la forêt."
CHINESE = "他说：“你好！我来了。”然后走了。今天天气很好，我们一起去公园散步吧。"
TAIWANESE = "她問：「真的嗎？」他點頭。今天天氣很好，我們一起去公園散步吧。"
JAPANESE = "彼は言った。「こんにちは、元気ですか？」そして去った。今日は天気がいいですね。"
CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy. Dnes je pěkné počasí a půjdeme na procházku."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (FRENCH, "utf-8"),
        (FRENCH, "utf-8-sig"),
        (FRENCH, "utf-16"),
        (FRENCH, "utf-32"),
        (FRENCH, "cp1252"),
        (FRENCH.replace("’", "'"), "latin-1"),
        (CZECH, "cp1250"),
        (CHINESE, "gb18030"),
        (TAIWANESE, "big5"),
        (JAPANESE, "shift_jis"),
    ],
)
def test_encodings_are_recognised(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_both_byte_orders() -> None:
    assert decode(b"\xfe\xff\x00h\x00i") == "hi"
    assert decode(b"\xff\xfeh\x00i\x00") == "hi"


def test_a_declared_encoding_comes_before_a_guess() -> None:
    assert decode("ŕ".encode("cp1250"), "cp1250") == "ŕ"
    assert decode("é".encode(), "cp1250") == "é", "bytes that are UTF-8 are UTF-8 whatever is declared"


def test_a_cut_utf8_file_keeps_all_but_the_damage() -> None:
    assert decode((CHINESE + "完").encode()[:-1]) == CHINESE + "\ufffd"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n\t", "empty"),
        (b"abc\0def", "binary"),
        (bytes(range(1, 9)) + b"some text", "binary"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary"),
        (b"\xff\xfe\x00\xd8", "damaged"),
        (b"\xff\xfe\x01\x00\x02\x00a\x00", "binary"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        decode(data)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("a\u2028b\x85c\vd", "a\nb\nc\nd"),
        ("a\fb\u2029c", "a\n\nb\n\nc"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("a \t\nb\u3000\n \n\nc  ", "a\nb\n\nc"),
        ("\ufeff\u200b \n\u2060a", "a"),
        ("a\x00\x07b\x1b[0m\x7fc\x9f\td", "ab[0mc\td"),
        ("a\ud800b", "a\ufffdb"),
        ("ﬁ ½ Å e\u0301 👩\u200d💻", "ﬁ ½ Å e\u0301 👩\u200d💻"),
    ],
)
def test_normal_form(text: str, normal: str) -> None:
    assert normalise(text) == normal


@given(st.text(alphabet=st.one_of(st.sampled_from(" \n\r\t\f\v\ufeff\u200b\x85\u2028\x00a"), st.characters())))
@example("\ud83d\x00\ude00")
@example("\r\x00\n")
def test_normalising_twice_is_normalising_once(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    once.encode()


@pytest.mark.parametrize(
    ("markdown", "text", "title"),
    [
        ("---\ntitle: x\ntags: [a]\n---\n\n# Hello *you* #\n\nText.", "# Hello *you* #\n\nText.", "Hello *you*"),
        ("+++\ntitle = 'x'\n+++\nText.", "Text.", ""),
        ("---\n\nA rule, then text.\n\n---\n", "---\n\nA rule, then text.\n\n---", ""),
        ("```sh\n# a comment\n```\n\n## Real\n", "```sh\n# a comment\n```\n\n## Real", "Real"),
        ("Over\n====\n\n# Under\n", "Over\n====\n\n# Under", "Over"),
        ("#hashtag only", "#hashtag only", ""),
    ],
)
def test_markdown_is_kept_without_its_front_matter(markdown: str, text: str, title: str) -> None:
    (found,) = read_markdown(markdown.encode(), pytest.fail)
    assert (normalise(found.text), found.title) == (text, title)


def lines(*records: object) -> bytes:
    return "\n".join(json.dumps(record) for record in records).encode()


def test_fields_titles_and_ids() -> None:
    data = lines({"text": "a", "id": "x", "title": "T"}, {"content": "b"}, {"body": "c"}, {"story": "d", "id": 7})
    assert read_jsonl(data, pytest.fail) == [
        FileText("a", title="T", line=1, record_id="x"),
        FileText("b", line=2),
        FileText("c", line=3),
        FileText("d", line=4),
    ]


def test_the_first_field_with_text_is_taken() -> None:
    (found,) = read_jsonl(lines({"story": "last", "text": " ", "content": "first"}), pytest.fail)
    assert found.text == "first"


def test_bad_lines_are_named_by_number() -> None:
    warnings: list[str] = []
    data = b'{"text": "good"}\n{"text": \n\n[1]\n{"title": "no text"}\n{"text": "also good"}\r\n'
    found = read_jsonl(data, warnings.append)
    assert [(each.text, each.line) for each in found] == [("good", 1), ("also good", 6)]
    assert [warning.split(":")[0] for warning in warnings] == ["line 2", "line 4", "line 5"]
    assert "not JSON" in warnings[0]
    assert "list" in warnings[1]
    assert "no text" in warnings[2]


def test_very_many_bad_lines_are_counted() -> None:
    warnings: list[str] = []
    read_jsonl(b"nonsense\n" * 1500 + b'{"text": "good"}', warnings.append)
    assert len(warnings) == 11
    assert "1,490 more" in warnings[-1]


def test_a_raw_line_separator_does_not_end_a_record() -> None:
    data = '{"text": "a\u2028b"}'.encode()
    assert read_jsonl(data, pytest.fail)[0].text == "a\u2028b"


def test_no_record_at_all_is_refused() -> None:
    with pytest.raises(Unreadable, match="no record"):
        read_jsonl(b"[" * 100_000, lambda _: None)
