"""What the tests of shortening share: speeches to shorten, and what must hold of the result."""

from __future__ import annotations

from longreach.models.tokenizers import get_tokenizer
from longreach.text.documents import built_in_documents
from longreach.text.sentences import sentence_ends
from longreach.text.shorten import Shortened

TOKENIZER = get_tokenizer("o200k_base")


def speeches(count: int) -> str:
    return "\n\n".join(document.text for document in built_in_documents()[:count])


def sentences(text: str) -> list[str]:
    ends = sentence_ends(text, "en")
    return [text[start:end].strip() for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def within(shortened: Shortened, target: int) -> None:
    assert target >= 100
    assert shortened.tokens == TOKENIZER.count(shortened.text)
    assert 0.99 * target <= shortened.tokens <= target
