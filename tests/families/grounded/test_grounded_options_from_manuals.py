"""Options and questions that manuals give: clauses of sentences that refer outside, and foreign words in Chinese."""

from __future__ import annotations

import pytest

from longreach.families.grounded.extractive.chinese.reader import ChineseReader
from longreach.families.grounded.extractive.english.clauses import loose_clauses
from longreach.families.grounded.extractive.english.words import content_words
from longreach.families.grounded.extractive.terms import Sentence


def _sentence(text: str) -> Sentence:
    return Sentence(0, 0, text, text, content_words(text))


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("It provides a way to set answers to all questions.", []),
        ("This is possible only where the disk has enough room.", []),
        ("This means that the server must be started again.", []),
        ("He can use it when the network is down for a day, and so can they.", ["when the network is down for a day"]),
        ("It stops when they do so again.", []),
    ],
)  # fmt: skip
def test_clauses_of_sentences_that_refer_outside(text: str, options: list[str]) -> None:
    assert sorted({term.text for term in loose_clauses(_sentence(text))}) == options


def _reader(*texts: str) -> tuple[ChineseReader, list[Sentence]]:
    sentences = [Sentence(0, n, text, text, ChineseReader.content(text)) for n, text in enumerate(texts)]
    return ChineseReader(sentences), sentences


def test_a_part_of_a_foreign_name_is_no_option() -> None:
    reader, sentences = _reader("请阅读 Debian Bug Tracking System 的文档，也可以使用 reportbug 软件包。")
    assert not [term.text for term in reader.terms(sentences[0]) if term.kind in {"code", "name"}]


def test_a_foreign_word_is_asked_for_only_outside_lists() -> None:
    texts = [
        "客户端从 TFTP 服务器读取映像文件之后，安装程序会自动开始运行。",
        "停止 TFTP 服务器之前，客户端必须断开。",
        "支持 NFS、TFTP 和 HTTP 服务器。",
    ]
    reader, sentences = _reader(*texts)
    assert "客户端从哪个服务器读取映像文件之后，安装程序会自动开始运行？" in [
        fact.stem for fact in reader.facts(sentences[0])
    ]
    assert not [fact for fact in reader.facts(sentences[2]) if fact.answer.text == "TFTP"]


def test_chinese_conditions_are_asked_for() -> None:
    reader, sentences = _reader("如果系统中的内存低于最小值，图形安装程序将无法启动。")
    (fact,) = [fact for fact in reader.facts(sentences[0]) if fact.answer.kind == "condition"]
    assert fact.stem == "在什么情况下，图形安装程序将无法启动？"
    assert fact.answer.text == "系统中的内存低于最小值"
