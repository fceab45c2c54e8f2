"""Keys of every kind, and judges that grade as they are told to, over real HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.present import some

from longreach.core.files import Store
from longreach.core.types import Key
from longreach.runner.inspect_helper import HelperSettings, InspectHelper

TOWN = Key(kind="text", answer="Corvane", rivals=("Ashby", "Port Ellis"))
PLACE_ZH = Key(kind="text", answer="青石镇", accept=("青石",), rivals=("白沙镇", "青石桥"))
AGE = Key(kind="number", answer="41 years", unit="year")
TIME = Key(kind="time", answer="half past four")
DATE = Key(kind="date", answer="14 March")
LIST = Key(kind="list", answer="bread, cheese and wine", rivals=("ham",))
YES = Key(kind="yesno", answer="Yes")
NO = Key(kind="yesno", answer="No")
ABSENT = Key(kind="absent", answer="Not mentioned in the text or story.")
JUDGE = "openai-api/local/judge"
Line = dict[str, Any]


def lines_of(prompt: str) -> list[Line]:
    """The lines between the two marks of a judge's prompt."""
    return [json.loads(line) for line in inside(prompt).strip().splitlines()]


def inside(prompt: str) -> str:
    """What a prompt fences off as data."""
    mark = some(re.search(r"^<<<(DATA-[0-9a-f]{20})$", prompt, re.MULTILINE))
    assert prompt.count(mark[1]) == 2, "the mark stands before and after the data and nowhere else"
    return prompt.split(mark[1])[1].removesuffix("\n")


def grading(grade: Callable[[Line], int | str]) -> Callable[[Asked], Reply]:
    """A judge that gives each line the grade a function says."""

    def say(asked: Asked) -> Reply:
        return Reply("\n".join(f"{line['n']}: {grade(line)}" for line in lines_of(asked.prompt)))

    return say


def judge_at(server: ChatServer, folder: Path) -> InspectHelper:
    """The judge behind a server, its replies kept in a folder."""
    settings = HelperSettings(base_url=server.base_url, arguments={"api_key": "none"}, max_retries=0)
    return InspectHelper(JUDGE, Store(folder), settings)
