"""What the model under test and the helping model say in tests that kill, and a build that needs the latter."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from tests.answering import answer
from tests.doubles.chat_server import Asked, Reply

from longreach.core.bench import Bench

MODEL = "openai-api/local/double"
_PASSAGE = re.compile(r"<passage>\n(.*)\n</passage>", re.DOTALL)


def answering(bench: Bench) -> Callable[[Asked], Reply]:
    """Right or wrong by the item, with tokens that tell items apart: a mixed-up reply would show."""
    by_sha = {item.sha256: item for item in bench.items.values()}

    def say(asked: Asked) -> Reply:
        item = by_sha[asked.sha256]
        number = int(item.sha256[:6], 16)
        body = json.loads(Reply(answer(bench, item, right=number % 3 > 0)).body())
        usage = body["usage"]
        usage |= {"prompt_tokens": item.tokens, "completion_tokens": 10 + number % 90}
        usage["prompt_tokens_details"]["cached_tokens"] = number % item.tokens
        return Reply(raw=json.dumps(body).encode())

    return say


def shorter(asked: Asked) -> Reply:
    """As many words of a passage as were asked for."""
    found = _PASSAGE.search(asked.prompt)
    percent = re.search(r"about (\d+) %", asked.prompt)
    assert found
    assert percent
    words = found[1].split(" ")
    return Reply(" ".join(words[: max(1, len(words) * int(percent[1]) // 100)]))


def contracted(docs: Path, many: bool) -> list[str]:
    size = ["--lengths", "2k,4k,8k,16k,24k" if many else "600,1200,2k", "--set", f"slice={300 if many else 200}"]
    helper = ["--set", "haystack=contract", "--set", "rewriter=openai-api/local/rewriter"]
    return ["needles", "--docs", str(docs), *helper, *size, "--depths", "50", "--facts", "2", "--seed", "5"]
