"""What fuzzing begins with: whole inputs of each parser, and the words it is made of."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .entries import ENTRIES, PARTS, SMALL, log_of, sample_log, small_bench, zipped

WORDS: tuple[str, ...] = (
    *(
        "Question 1: ",
        "问题1：",
        "第3题：",
        "[not mentioned]",
        "<think>",
        "</think>",
        "```json",
        "**",
        "1: 0\n",
        "2: 1",
    ),
    *(
        "ANSWER: ",
        "(A)",
        "答案：B",
        "none",
        '{"hallucinated": true, "findings": [',
        '"type": "entity"',
        "有幻觉",
        "True",
    ),
    *(
        "twelve hundred",
        "3,500.75",
        "¼",
        "4.30 p.m.",
        "half past",
        "1848-01-03",
        "三百二十一",
        "正月初一",
        "１２",
        "²",
        "๓",
    ),
    *("lengths: ", "1k,2k", "10%..100%/10%", "&a ", "*a", "!!python/object:os.system", "- ", "{a: b}", "1e400", ".inf"),
    *("<w:p><w:r><w:t>", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "&#0;", "<table>", "<pre>", "<br>", "<script>", "hidden"),
    *("%PDF-1.4\n", "stream\n", "endobj", "trailer", "xref", "/Kids [", "/Prev 0", "/Length 99999999", "PK\x03\x04"),
    *('{"id": "', '"text": "', '"custom_id": ', '"response": {"body": {"choices": [', "\\ud800", "null", "1e999", "-0"),
    *(
        '"tokens_in": 1',
        "9" * 400,
        '"bench": "',
        '"metadata": {',
        '"until": ',
        "samples/",
        "_epoch_1.json",
        "header.json",
    ),
    *('"QA": {', '"options": [', '"depth": ', '"whole_document": ', '"start": -1', '"end": 9e9', '"files": {"../x": "'),
    *(
        "\x00",
        "\x1b",
        "\u2028",
        "\u202e",
        "\ufeff",
        "\ufffd",
        "\u0301",
        "👩‍🔬",
        "İ",
        "ß",
        "\U0001d7d8",
        "needles.literal@64k >= 0.9",
    ),
)

_DOCX = (
    b'<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>She kept hens.</w:t><w:tab/></w:r></w:p><w:tbl><w:tr><w:tc><w:p>'
    b"<w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl></w:body></w:document>"
)
_CORE = b'<c:p xmlns:c="c"><c:title>Hens</c:title></c:p>'
_OPF = (
    b"<package><metadata><title>Hens</title></metadata><manifest><item id='a' href='c.xhtml' "
    b"media-type='application/xhtml+xml'/></manifest><spine><itemref idref='a'/></spine></package>"
)
_CHAPTER = b"<html><body><h1>One</h1><p>She kept <b>hens</b>.<br/>Twelve.</p><pre> a\n b</pre></body></html>"
_CONTAINER = b'<container><rootfiles><rootfile full-path="o/p.opf"/></rootfiles></container>'
_TAIL = {
    "QA": {"question": "How many hens?", "options": ["one", "two", "three", "four"], "answer": "B"},
    "doc_index": 0,
    "depth": 50,
    "document_length": 100,
    "context": "She kept two hens.",
    "whole_document": ["It rained.", "She kept two hens.", "They slept."],
}
_UNIT = {
    "book": "b",
    "unit": 1,
    "text": "Anna sold hens. It rained.",
    "summary": "Anna sold hens.",
    "paraphrase": "Hens were sold by Anna.",
    "wrong": [{"type": "entity", "summary": "Berta sold hens.", "sentence": "Berta sold hens."}],
}


def seeds(name: str) -> list[bytes]:
    """Whole inputs for a parser."""
    if name.startswith("answers-"):
        return _sample_answers(name.removeprefix("answers-"))
    if name == "import":
        return _answers()
    if name == "bench":
        folder = small_bench("needles").folder
        return [bytes([place]) + (folder / part).read_bytes()[:20_000] for place, part in enumerate(PARTS)]
    if name in ("journal", "log", "log-json", "usage", "chat"):
        return _recorded(name)
    if name == "decision":
        card = next(iter(small_bench("grounded").questions))
        return [_json({"id": card, "verdict": "edit", "fields": {"A": "red"}, "right": "B", "failed": []})]
    made = _PLAIN.get(name, lambda: [b""])()
    return [one.encode() if isinstance(one, str) else one for one in made]


def _recorded(name: str) -> list[bytes]:
    usage: list[dict[str, Any] | None] = [
        {"input_tokens": 5, "output_tokens": 7, "input_tokens_cache_read": 3, "reasoning_tokens": 1},
        None,
    ]
    usage += [{"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 4}}]
    if name == "usage":
        return [_json(each) for each in usage]
    if name == "chat":
        message = {"role": "assistant", "content": [{"type": "text", "text": "<think>x</think>y"}], "reasoning": "z"}
        choice = {"message": message, "finish_reason": "stop"}
        return [_json({"choices": [choice], "usage": each, "error": None}) for each in usage]
    header, sample = sample_log()
    samples = [sample.replace(b'"USAGE"', _json(each)) for each in usage]
    if name == "journal":
        bench = small_bench("needles")
        about = {"model": "m", "family": "needles", "bench": bench.info.digest}
        lines = [_json(about | {"item": item, "text": "x", "tokens_in": 5, "cost": 0.1}) for item in bench.items]
        note = _json({"model": "m", "bench": bench.info.digest, "workers": 1, "until": 0.9})
        return [b"\n".join([*lines, b""]), note + b"\n" + lines[0] + b"\n"]
    return [header + b"\0" + each if name == "log-json" else log_of(header, each) for each in samples]


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _sample_answers(family: str) -> list[bytes]:
    from longreach.families import get_family

    bench, made = small_bench(family), []
    for names in sorted({item.questions for item in bench.items.values()})[:4]:
        questions = [bench.questions[name] for name in names]
        made += [get_family(family).sample_answer(questions, right=right).encode() for right in (True, False)]
    return [*made, b"Answer: (B)", '{"有幻觉": "是", "发现": [{"类型": "实体"}]}'.encode()]


def _answers() -> list[bytes]:
    item = next(iter(small_bench("needles").items))
    batch = {
        "custom_id": item,
        "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}},
    }
    plain = {"id": item, "text": "Question 1: x", "usage": {"prompt_tokens": 5}, "seconds": 1.5, "stop": "length"}
    return [_json(plain), _json(batch), _json({"doc": {"id": item}, "filtered_resps": [["x"]]})]


def _pdf() -> bytes:
    body = b"BT /F1 12 Tf 72 700 Td (She kept two hens and they were glad.) Tj ET"
    return (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources"
        b"<</Font<</F1 5 0 R>>>>>>endobj\n"
        b"4 0 obj<</Length " + str(len(body)).encode() + b">>stream\n" + body + b"\nendstream endobj\n"
        b"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R/Size 6>>\n%%EOF"
    )


_PLAIN: dict[str, Callable[[], list[str | bytes]]] = {
    "replies": lambda: ["Question 1: [Paris]\nQuestion 2: **41**", "第一题：上海", "<think>x</think>\n1) Q2. no"],
    "values": lambda: [
        "1,234.5 hens\n1234½ hens, I think",
        "4.30 p.m.\nhalf past four",
        "三百二十一\n321",
        "3 May 1848\n5/3/48",
    ],
    "judge": lambda: ["1: 1\n2: 0\n3: 1", "```\n１：0\n```"],
    "mapping": lambda: ["A", "(b).", "none"],
    "builder-grounded": lambda: [
        _json({"question": "How many?", "options": ["A) one", "B) two"], "answer": "B"}),
        "```json\n{'question': 'x', 'options': ['a', 'b'], 'answer': 'a'}\n```",
    ],
    "builder-novel": lambda: [
        _json({"possible": True, "summary": "Berta sold 12 hens to Mr Brown.", "sentence": "Berta", "reason": ""}),
        _json({"people": ["Anna"], "places": [], "numbers": ["12"]}),
    ],
    "document-txt": lambda: [
        "She kept hens.",
        "汉字".encode("gb18030"),
        "\ufeffx".encode("utf-16"),
        b"caf\xe9 cr\xe8me",
    ],
    "document-md": lambda: ["---\ntitle: x\n---\n# Head\n\ntext\n\n```py\n# no\n```\n", "Head\n====\ntext"],
    "document-html": lambda: [_CHAPTER, b"<meta charset=gb2312><title>x</title><table><tr><td>a<td>b</table>"],
    "document-pdf": lambda: [_pdf()],
    "document-docx": lambda: [zipped({"word/document.xml": _DOCX, "docProps/core.xml": _CORE})],
    "document-epub": lambda: [zipped({"META-INF/container.xml": _CONTAINER, "o/p.opf": _OPF, "o/c.xhtml": _CHAPTER})],
    "document-docx-xml": lambda: [_CORE + b"\0" + _DOCX],
    "document-epub-xml": lambda: [
        _OPF + b"\0" + _CHAPTER,
        _OPF + b"\0" + _CHAPTER + b"\0<e><CipherReference URI='x'/></e>",
    ],
    "document-jsonl": lambda: ['{"id": "a", "title": "t", "text": "She kept hens."}\n{"content": "x"}\nbad\n'],
    "spec": lambda: ["\n".join(f"{k}: {v}" for k, v in settings.items()) for settings in SMALL.values()],
    "flags": lambda: [
        "1k,2k",
        "10%..100%/10%",
        "5usd",
        "1.25,0.125,10",
        "needles.literal@64k[depth=50] >= 90%",
        "a,b",
        "0.3",
    ],
    "tail": lambda: [_json([_TAIL]), _json([_TAIL | {"depth": 0.5}, _TAIL | {"document_length": 9}])],
    "books": lambda: [_json(_UNIT)],
    "notes": lambda: [
        _json({"model": "m", "bench": "d", "workers": 1}),
        _json({"model": "m", "family": "needles", "bench": "d", "item": "i", "text": "x"}),
        _json({"bench": "digest", "id": "a", "verdict": "accept"}),
    ],
    "prompt": lambda: ["version: 1\nvariables: context\n---\nRead: {{context}}\n"],
}
assert {name for name in ENTRIES if not name.startswith("answers-")} >= set(_PLAIN)
