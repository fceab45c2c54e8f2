"""The chronicle as documents: `chronicle:7`, `chronicle:7/zh`, `chronicle:7/zh/200k`, `chronicle:7/en/20k/train`."""

from __future__ import annotations

import re
from collections.abc import Callable

from longreach.core.document import Document
from longreach.errors import BadInput

from .book import Language, write_documents
from .cast import Names

__all__ = ["load"]

_NAME = re.compile(r"(\d{1,12})(?:/(en|zh))?(?:/([1-9]\d{0,8})(k|m)?)?(?:/(train|test))?")
_TOKENS = 300_000
_LONGEST = 12_000_000


def load(name: str, *, warn: Callable[[str], None]) -> list[Document]:  # noqa: ARG001
    """The documents of a name: a seed, then optionally a language, a number of tokens and a name pool."""
    found = _NAME.fullmatch(name)
    tokens = _TOKENS
    if found is not None and found[3]:
        tokens = int(found[3]) * {"k": 1000, "m": 1_000_000, None: 1}[found[4]]
    if found is None or tokens > _LONGEST:
        raise BadInput(
            f"docs: 'chronicle:{name}' is not a chronicle; give a seed, then if wanted a language and a length of at "
            f"most 12m tokens, such as chronicle:7 or chronicle:7/zh/200k"
        )
    language: Language = "zh" if found[2] == "zh" else "en"
    names: Names = "train" if found[5] == "train" else "test" if found[5] == "test" else "all"
    return write_documents(int(found[1]), tokens, language, names)
