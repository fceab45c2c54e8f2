"""Helper models: requests again with the reason, usage, and what they will cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.doubles.chat_server import Reply as Served
from tests.families.grounded.helping_model import BUILDER, CHECKER, answer, role
from tests.present import of

from longreach import api
from longreach.core.files import Store
from longreach.core.helper_model import Ask, Refused
from longreach.errors import BadInput, ModelCallFailed, Stopped
from longreach.families.grounded.writers import CheckerChoice, Written
from longreach.families.helper_requests import UNUSABLE, HelperPlan, PlannedRole, RetryingClient
from longreach.grading.reading.structured import read_as, read_json, shape
from longreach.options import HelperOptions
from longreach.runner.inspect_helper import HelperSettings, InspectHelper, server_of


def _client(server: ChatServer, folder: Path, *, language: str = "en", tries: int = 3) -> RetryingClient:
    settings = HelperSettings(base_url=server.base_url, arguments={"api_key": "none"}, max_retries=0)
    return RetryingClient(InspectHelper("openai-api/local/helper", Store(folder), settings), "helper", language, tries)


def _number(said: str) -> int | Refused:
    if said == "cannot":
        return Refused(why="it cannot be done", declined=True)
    return int(said) if said.isdigit() else Refused(why=f"'{said}' is no number")


def _sent(asked: Asked) -> dict[str, Any]:
    room = asked.body.get("max_tokens") or asked.body.get("max_completion_tokens")
    return {"temperature": asked.body.get("temperature"), "seed": asked.body.get("seed"), "room": room}


def test_what_cannot_be_used_is_asked_for_again_with_a_word_on_why(tmp_path: Path) -> None:
    def say(asked: Asked) -> Reply:
        if asked.prompt.startswith("good"):
            return Reply(text="1")
        return Reply(text="2" if "'dunno' is no number" in asked.prompt else "dunno")

    with ChatServer(say) as server:
        client = _client(server, tmp_path)
        asks = [Ask(prompt="good", max_tokens=10), Ask(prompt="bad", max_tokens=10, attempt=2)]
        assert client.ask(asks, [_number, _number]) == [1, 2]
        assert (client.usage.requests, client.usage.again) == (3, 1)
        assert client.usage.tokens_out > 0
        first, again = (asked for asked in server.asked if asked.prompt.startswith("bad"))
        assert first.prompt == "bad"
        note = "Your last reply could not be used: 'dunno' is no number. Reply again, in exactly the form asked"
        assert again.prompt.startswith(f"bad\n\n{note}")
        assert _sent(first) == {"temperature": 0.0, "seed": 200, "room": 10}
        assert _sent(again) == {"temperature": 0.7, "seed": 201, "room": 10}


def test_no_repetition_is_another_attempt(tmp_path: Path) -> None:
    """The third round of a first attempt and the second of a second one have the same words."""
    with ChatServer(lambda _: Reply(text="dunno")) as server:
        client = _client(server, tmp_path)
        client.ask([Ask(prompt="p", attempt=attempt) for attempt in range(2)], [_number] * 2)
        assert len(server.asked) == client.usage.requests == 6
        kept = _client(server, tmp_path)
        kept.ask([Ask(prompt="p", attempt=attempt) for attempt in range(2)], [_number] * 2)
        assert len(server.asked) == 6, "and all of it is cached"
        assert kept.usage == client.usage


def test_it_ends_after_so_many_tries(tmp_path: Path) -> None:
    with ChatServer(lambda _: Reply(text="dunno")) as server:
        (found,) = _client(server, tmp_path, tries=4).ask([Ask(prompt="p")], [_number])
        assert found == Refused(why="'dunno' is no number")
        assert len(server.asked) == 4
        assert _client(server, tmp_path).ask([], []) == []


def test_one_that_declines_is_not_asked_again(tmp_path: Path) -> None:
    with ChatServer(lambda _: Reply(text="cannot")) as server:
        client = _client(server, tmp_path)
        (found,) = client.ask([Ask(prompt="p")], [_number])
        assert isinstance(found, Refused)
        assert found.declined
        assert (len(server.asked), client.usage.again) == (1, 0)


def test_a_reply_that_was_cut_off_gets_twice_the_room_and_an_empty_one_does_not(tmp_path: Path) -> None:
    # A blank reply is sent for once more by the client itself, before anything reads it.
    said = iter([Reply(text="12", finish="length"), Reply(text=" "), Reply(text=" "), Reply(text="12")])
    with ChatServer(lambda _: next(said)) as server:
        assert _client(server, tmp_path).ask([Ask(prompt="p", max_tokens=50, temperature=0.9)], [_number]) == [12]
        assert [_sent(asked)["room"] for asked in server.asked] == [50, 100, 100, 100]
        assert [_sent(asked)["temperature"] for asked in server.asked] == [0.9, 0.9, 0.9, 0.9]
        assert "it was cut off before its end" in server.asked[1].prompt
        assert server.asked[2].prompt == server.asked[1].prompt
        assert "it was empty" in server.asked[3].prompt
        assert "cut off" not in server.asked[3].prompt, "only the last fault is named"


def test_in_chinese(tmp_path: Path) -> None:
    said = iter([Reply(text="不"), Reply(text="3")])
    with ChatServer(lambda _: next(said)) as server:
        assert _client(server, tmp_path, language="zh").ask([Ask(prompt="问")], [_number]) == [3]
        assert "上一次的回答不能用：'不' is no number。" in server.asked[1].prompt


def test_a_request_that_fails_says_who_and_what_to_do(tmp_path: Path) -> None:
    with (
        ChatServer(lambda _: Reply(status=400, text="no credit")) as server,
        pytest.raises(
            ModelCallFailed, match=r"helper 'openai-api/local/helper': .*run the same command again to resume"
        ),
    ):
        _client(server, tmp_path).ask([Ask(prompt="p")], [_number])


@pytest.mark.parametrize("text", ['{"a": 1}', ' {"a": 1}\n', '```json\n{"a": 1}\n```', '```\n{"a": 1}```'])
def test_one_json_object(text: str) -> None:
    assert read_json(text) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("[1]", "not an object"),
        ("3", "not an object"),
        ('Sure: {"a": 1}', "not one JSON object"),
        ('{"a": 1} {"b": 2}', "not one JSON object"),
        ('{"a": ', "not one JSON object"),
        ("[" * 100_000, "not one JSON object"),
    ],
)
def test_anything_else_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_json(text)


def test_a_shape_names_every_property_and_allows_no_other() -> None:
    assert shape(a="string", b={"type": "array"}) == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "array"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }


NAME = "openai-api/local/helper"
SMALL = {"docs": ["chronicle:7/en/6k"], "lengths": "1k,2k", "depths": "20,50,80", "passage_words": 100}


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LONGREACH_CACHE", str(tmp_path / "cache"))


def _helpers(server: ChatServer) -> HelperOptions:
    return {"base_url": server.base_url, "arguments": {"api_key": "none"}, "max_retries": 0}


def _build(server: ChatServer, out: Path, lines: list[str], budget: str | None = None, **more: object) -> None:
    api.build(
        "grounded", out, warn=lines.append, progress=lines.append, helpers=_helpers(server), budget=budget,
        settings={**SMALL, "builder": BUILDER, "checker": CHECKER, **more},
    )  # fmt: skip


def test_a_plan_comes_before_the_first_request_and_is_about_right(tmp_path: Path) -> None:
    plans: list[HelperPlan] = []
    with ChatServer(answer) as server:
        sent: list[int] = []

        def plan(planned: HelperPlan) -> None:
            plans.append(planned)
            sent.append(len(server.asked))

        api.build(
            "grounded", tmp_path / "b", warn=print, plan=plan, helpers=_helpers(server),
            settings={**SMALL, "builder": BUILDER, "checker": CHECKER},
        )  # fmt: skip
        (planned,) = plans
        assert sent == [0]
        builder, checker = planned.roles
        assert (builder.requests, checker.requests) == (3, 15)
        written = [asked for asked in server.asked if role(asked) == "write"]
        assert len(written) >= builder.requests
        size = sum(len(asked.prompt) for asked in written[:3]) / 4.5
        assert builder.tokens_in == pytest.approx(size, rel=0.25)
    text = "\n".join(planned.lines())
    assert "plan: 3 questions, 18 requests if none is refused" in text
    assert f"checker {CHECKER}: 15 requests" in text
    assert "price unknown" in text


def test_a_plan_has_money_and_time() -> None:
    plan = HelperPlan(
        questions=10,
        roles=(PlannedRole(role="builder", model="openai/gpt-4o", requests=10, tokens_in=100_000, tokens_out=10_000),),
        most=20,
    )
    assert plan.roles[0].cost == pytest.approx(0.35, rel=0.01)
    assert plan.lines()[-1].startswith("  in all: $0.35, at most $7.00; about ")
    assert plan.paid(None) == ["openai/gpt-4o"]
    unknown = HelperPlan(
        questions=1, roles=(PlannedRole(role="b", model=NAME, requests=1, tokens_in=1, tokens_out=1),), most=1
    )
    assert unknown.paid("http://127.0.0.1:1/v1") == []
    assert unknown.paid("http://example.org/v1") == [NAME]


def test_a_plan_that_is_declined_sends_nothing(tmp_path: Path) -> None:
    def decline(_: HelperPlan) -> None:
        raise Stopped("nothing was sent")

    with ChatServer(answer) as server:
        with pytest.raises(Stopped):
            api.build(
                "grounded", tmp_path / "b", warn=print, plan=decline, helpers=_helpers(server),
                settings={**SMALL, "builder": BUILDER},
            )  # fmt: skip
        assert not server.asked


def test_a_budget_stops_a_build_and_more_of_it_resumes(tmp_path: Path) -> None:
    lines: list[str] = []
    with ChatServer(answer) as server:
        with pytest.raises(Stopped, match=r"the budget of 2k tokens is reached \(.*every reply is saved"):
            _build(server, tmp_path / "b", lines, budget="2ktok")
        stopped = len(server.asked)
        assert stopped > 0
        _build(server, tmp_path / "b", lines, budget="1Mtok")
        prompts = [(asked.body["model"], asked.prompt, asked.body.get("seed")) for asked in server.asked]
        assert len(set(prompts)) == len(prompts), "nothing is sent twice"
    assert any("replies come from the cache, at no cost" in line for line in lines)


def test_a_budget_in_dollars_needs_a_price(tmp_path: Path) -> None:
    with ChatServer(answer) as server, pytest.raises(BadInput, match=r"no price is known .* budget in tokens"):
        _build(server, tmp_path / "b", [], budget="1usd")


def test_a_second_server_under_the_same_name_is_asked(tmp_path: Path) -> None:
    """Replies are cached by server and settings; neither the key nor the concurrency matters."""
    folder = Store(tmp_path)

    def ask(server: ChatServer, **more: object) -> str:
        settings = HelperSettings.parse({"base_url": server.base_url, "max_retries": 0, **more}, "test")
        return (
            InspectHelper(NAME, folder, settings, server=server_of(NAME, settings.base_url, settings.arguments))
            .ask([Ask(prompt="p")])[0]
            .text
        )

    with ChatServer(lambda _: Served(text="one")) as one, ChatServer(lambda _: Served(text="two")) as two:
        assert ask(one, arguments={"api_key": "a"}) == "one"
        assert ask(two, arguments={"api_key": "a"}) == "two"
        assert ask(one, arguments={"api_key": "b"}, concurrency=2) == "one"
        assert (len(one.asked), len(two.asked)) == (1, 1)
        ask(one, arguments={"api_key": "a", "strict_tools": False})
        assert len(one.asked) == 2


def test_the_server_of_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert server_of("openai/gpt-5", None, {}) == ""
    monkeypatch.setenv("LOCAL_BASE_URL", "http://here/v1/")
    assert server_of(NAME, None, {}) == server_of(NAME, "http://here/v1", {})


def test_unusable_replies_in_a_row_end_the_work_with_one_of_them(tmp_path: Path) -> None:
    with ChatServer(lambda _: Served(text="I would rather write a poem.")) as server:
        settings = HelperSettings(base_url=server.base_url, arguments={"api_key": "none"}, concurrency=1)
        client = RetryingClient(InspectHelper(NAME, Store(tmp_path), settings), "builder", "en", 3)
        with pytest.raises(
            ModelCallFailed,
            match=r"8 unusable replies in a row, for 8 places; the last one because it is not one JSON object: I would",
        ):
            client.ask([Ask(prompt=str(number)) for number in range(40)], [lambda text: read_as(Written, text)] * 40)
        assert UNUSABLE <= len(server.asked) <= UNUSABLE + 1, "the rest is not paid for"


def test_retries_of_few_places_do_not_count_as_places(tmp_path: Path) -> None:
    """Eleven replies for one place are no sign of a model that cannot write; 24 for a few places are."""
    with ChatServer(lambda _: Served(text="no")) as server:
        settings = HelperSettings(base_url=server.base_url, arguments={"api_key": "none"}, concurrency=1)
        client = RetryingClient(InspectHelper(NAME, Store(tmp_path), settings), "builder", "en", 1)

        def ask(place: str, times: int) -> None:
            for attempt in range(times):
                client.ask([Ask(prompt=place, attempt=attempt)], [lambda text: read_as(Written, text)], [place])

        ask("d-5", 11)
        with pytest.raises(ModelCallFailed, match="24 unusable replies in a row, for 2 places"):
            ask("d-10", 40)


def test_a_good_reply_between_bad_ones_is_enough(tmp_path: Path) -> None:
    def say(asked: Asked) -> Served:
        return Served(text=json.dumps({"answer": "A"}) if int(asked.prompt.split()[0]) % 3 == 0 else "no")

    with ChatServer(say) as server:
        settings = HelperSettings(base_url=server.base_url, arguments={"api_key": "none"}, concurrency=1)
        client = RetryingClient(InspectHelper(NAME, Store(tmp_path), settings), "checker", "en", 1)
        asks = [Ask(prompt=f"{number} please") for number in range(30)]
        found = client.ask(asks, [lambda text: read_as(CheckerChoice, text)] * 30)
    assert sum(isinstance(one, Refused) for one in found) == 20


@pytest.mark.parametrize(
    "text",
    [
        '{"reason": "r", "answer": "B"}',
        'Sure! Here is my answer:\n\n{"reason": "r", "answer": "B"}\n\nI hope this helps.',
        'The form is {"reason": "...", "answer": "A"}, so:\n```json\n{"reason": "r", "answer": "B"}\n```\nDone.',
        '<think>maybe {"answer": "C"}</think>{"answer": "B"}',
        '{"reason": "r", "answer": "B", "confidence": 0.9}',
    ],
)
def test_json_inside_prose_is_read(text: str) -> None:
    found = of(CheckerChoice, read_as(CheckerChoice, text))
    assert found.answer == "B"


@pytest.mark.parametrize("text", ["B", "", '{"reason": "r"}', "The answer is {B}.", '["B"]'])
def test_what_has_no_such_object_is_refused(text: str) -> None:
    assert isinstance(read_as(CheckerChoice, text), Refused)


@pytest.mark.parametrize("status", [500, 503])
def test_a_server_that_only_fails_is_given_up_with_its_last_word(status: int, tmp_path: Path) -> None:
    with ChatServer(lambda _: Served(status=status, text="the disk is full")) as server:
        settings = HelperSettings(base_url=server.base_url, arguments={"api_key": "none"}, max_retries=50)
        writer = InspectHelper(NAME, Store(tmp_path), settings, give_up=1.5)
        with pytest.raises(ModelCallFailed, match=r"has only failed for \d+ s and is given up; .*the disk is full"):
            writer.ask([Ask(prompt=str(number)) for number in range(6)])
        assert len(server.asked) < 30


def test_a_server_that_fails_now_and_then_is_not_given_up(tmp_path: Path) -> None:
    failed: set[str] = set()

    def say(asked: Asked) -> Served:
        if asked.prompt not in failed:
            failed.add(asked.prompt)
            return Served(status=500, text="once more")
        return Served(text="fine")

    with ChatServer(say) as server:
        settings = HelperSettings(base_url=server.base_url, arguments={"api_key": "none"}, max_retries=5, concurrency=6)
        replies = InspectHelper(NAME, Store(tmp_path), settings, give_up=20).ask([Ask(prompt=str(n)) for n in range(3)])
    assert [reply.text for reply in replies] == ["fine"] * 3
