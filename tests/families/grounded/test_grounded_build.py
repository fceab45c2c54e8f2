"""Whole benchmarks: without a model, with good helpers over HTTP, with helpers that fail, and after a kill."""

from __future__ import annotations

import json
import multiprocessing
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.families.grounded.helping_model import BUILDER, CHECKER, answer, build_context, right_letter, role
from tests.small import BY_CODE, WITH_MODELS

from longreach.core.bench import Bench
from longreach.core.types import Span
from longreach.errors import BadInput, ModelCallFailed
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, check_bench, make_spec
from longreach.families.grounded.questions import options_of
from longreach.families.showing import item_prompt
from longreach.models.tokenizers import get_tokenizer
from longreach.planning.plan import plan_bench
from longreach.text.documents import load_sources

TOKENIZER = get_tokenizer("o200k_base")
MODELS = {"builder": BUILDER, "checker": CHECKER}


def _settings(docs: Path, **more: Any) -> dict[str, Any]:
    return {"docs": [str(docs)], "seed": 5, **WITH_MODELS, **more}


def _helped(server: ChatServer, folder: Path, docs: Path, warn: Callable[[str], None] = print, **more: Any) -> Bench:
    """Built with models behind a server, whose replies are kept."""
    spec = make_spec("grounded", _settings(docs, **MODELS, **more))
    return build_bench(spec, folder / "b", build_context(server, folder / "r", warn=warn))


def _by_code(folder: Path, **more: Any) -> Bench:
    return build_bench(make_spec("grounded", {**BY_CODE, **more}), folder, BuildContext(warn=pytest.fail))


def _hold_invariants(bench: Bench) -> None:
    """Gold inside, length within 1 %, depth within 2 points, the same questions at every length, letters in turn."""
    asked: dict[int, set[str]] = {}
    for item in bench.items.values():
        (question,) = item.questions
        if "length" not in item.cell:
            continue
        length, depth = int(item.cell["length"]), float(item.cell["depth"])
        asked.setdefault(length, set()).add(question)
        assert item.context.tokens <= length
        gold = next(fact for fact in bench.evidence(item) if fact.id == question)
        passage = bench.planted[f"gold-{question}"].text
        assert passage in item_prompt(bench, item)
        assert gold.text in passage
        place = next(place for place in item.placed if place.insert == f"gold-{question}")
        assert abs(float(item.realised["depth"]) - depth) <= 2
        assert item.context.tokens >= 0.99 * length
        rest = item.context.tokens - TOKENIZER.count(passage)
        assert abs(float(item.realised["depth"]) - 100 * place.token / rest) < 1, "percent of the other text"
    assert len({frozenset(questions) for questions in asked.values()}) == 1
    letters = Counter(q.key.answer for q in bench.questions.values() if q.question_type == "reading")
    assert max(letters.values()) - min(letters.get(letter, 0) for letter in "ABCDEF") <= 1
    assert check_bench(bench.folder) == []


def test_without_a_model(extractive: Bench) -> None:
    _hold_invariants(extractive)
    assert len(extractive.items) == 2 * 3 + 2 * 3
    spans = [item.context.pieces for item in extractive.items.values() if "length" in item.cell]
    assert all(len(pieces) == 1 and isinstance(pieces[0], Span) for pieces in spans)


def test_controls(extractive: Bench) -> None:
    for item in extractive.items.values():
        control = item.cell.get("control")
        (question,) = [extractive.questions[name] for name in item.questions]
        assert question.question_type == (control or "reading")
        if control == "gold_only":
            gold = extractive.planted[f"gold-{question.id.removesuffix('.gold_only')}"].text
            inside = item_prompt(extractive, item).partition("<text>\n")[2].partition("\n</text>")[0]
            assert gold in inside
            assert len(item.placed) > 1 or gold == inside, "an order needs other passages, too"
        if control == "closed_book":
            assert item.context.pieces == ()
            assert item.context.tokens == 0
            assert "<text>" not in item_prompt(extractive, item)
            assert question.evidence == ()
        base = extractive.questions[question.id.partition(".")[0]]
        assert (base.text, base.key) == (question.text, question.key)


def test_controls_can_be_left_out_and_depths_have_several_questions(tmp_path: Path) -> None:
    bench = _by_code(tmp_path / "b", controls=False, questions=2, depths="30,70")
    assert sorted(bench.questions) == [f"documents-1-d{depth}-{number}" for depth in (30, 70) for number in (1, 2)]
    assert len(bench.items) == 2 * 4
    assert set(bench.prompts) == {"reading"}
    marked = [bench.planted[f"gold-{name}"] for name in bench.questions]
    facts = [one.text.encode()[one.facts[0].start : one.facts[0].end] for one in marked]
    assert len(set(facts)) == 4, "each question has a sentence of its own"
    _hold_invariants(bench)


def test_nested_prompts_share_their_beginning(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"docs": ["chronicle:7/en/40k"], "lengths": "4k,6k,8k", "depths": "10..90/20"}
    bench = _by_code(tmp_path / "b", **settings, layout="nested")
    _hold_invariants(bench)
    read = [item for item in bench.items.values() if "length" in item.cell]
    broken = [item.context.pieces for item in read if len(item.context.pieces) > 1]
    starts = {pieces[0].start for pieces in broken if isinstance(pieces[0], Span)}
    assert starts == {0}
    assert len(broken) >= 8
    nested, centred = (plan_bench(each, ["m"]).models[0] for each in (bench, _by_code(tmp_path / "c", **settings)))
    assert nested.prefill_tokens < centred.prefill_tokens


def test_chinese_documents_get_chinese_prompts(tmp_path: Path) -> None:
    bench = _by_code(tmp_path / "b", docs=["chronicle:7/zh/30k"], lengths="5k,8k", depths="30,60")
    assert all("请" in prompt.text for prompt in bench.prompts.values())
    assert all(question.text.splitlines()[0].endswith("？") for question in bench.questions.values())
    _hold_invariants(bench)


def test_domains(tmp_path: Path) -> None:
    for number, folder in enumerate(("law", "finance"), 1):
        (tmp_path / "texts" / folder).mkdir(parents=True)
        for document in load_sources([f"chronicle:{number}/en/9k"], warn=pytest.fail):
            (tmp_path / "texts" / folder / f"{document.id.replace('/', '-')}.txt").write_text(
                document.text, encoding="utf-8"
            )
    settings = {"lengths": "2k", "depths": "50", "passage_words": 100, "questions": 1}

    def built(name: str, docs: list[str], **more: str) -> Bench:
        spec = make_spec("grounded", {"docs": docs, **settings, **more})
        return build_bench(spec, tmp_path / name, BuildContext(warn=pytest.fail))

    joint = built("a", [str(tmp_path / "texts")])
    apart = built("b", [str(tmp_path / "texts" / name) for name in ("finance", "law")])
    for bench in (joint, apart):
        assert {item.cell["domain"] for item in bench.items.values()} == {"finance", "law"}
        names = sorted(q.id for q in bench.questions.values() if q.question_type == "reading")
        assert names == ["finance-1-d50", "law-1-d50"]
    one = built("c", [str(tmp_path / "texts")], domains="one")
    assert {item.cell["domain"] for item in one.items.values()} == {"documents"}


def test_good_helpers(docs: Path, tmp_path: Path) -> None:
    said: list[str] = []
    with ChatServer(answer) as server:
        shop = build_context(server, tmp_path / "replies", warn=pytest.fail, progress=said.append)
        bench = build_bench(make_spec("grounded", _settings(docs, **MODELS)), tmp_path / "b", shop)
        asked = len(server.asked)
        again = build_bench(make_spec("grounded", _settings(docs, **MODELS)), tmp_path / "again", shop)
        assert len(server.asked) == asked, "nothing is paid for twice"
        assert again.info == bench.info
    _hold_invariants(bench)
    kinds = Counter(role(one) for one in server.asked)
    assert set(kinds) == {"write", "quality", "elsewhere", "recall"}
    assert all(one.body["response_format"]["type"] == "json_schema" for one in server.asked)
    build = bench.build
    assert build["roles"] == {"builder": BUILDER, "checker": CHECKER, "embedder": "wordllama"}
    assert build["filters"] == {"quality": "model", "elsewhere": "model", "closed_book": "model", "wording": "code"}
    assert build["usage"]["builder"]["requests"] == kinds["write"]
    assert build["usage"]["checker"]["requests"] == asked - kinds["write"]
    assert build["funnel"]["passed"] == 3
    assert build["funnel"]["elsewhere"] >= 0
    assert any("3 of 3" in line for line in said)
    for history in build["history"]:
        assert history["tries"][-1]["outcome"] == "passed"
        gold = bench.planted[f"gold-{history['id']}"].text
        assert history["tries"][-1]["options"][0] in gold


def test_the_answer_must_stand_nowhere_else(docs: Path, tmp_path: Path) -> None:
    """A checker that finds the first two answers elsewhere: two more questions are tried, and it is written down."""
    refused: set[str] = set()

    def say(asked: Asked) -> Reply:
        options = options_of(asked.prompt.split("</text>")[-1].split("\n\nIf the")[0].strip())
        if role(asked) == "elsewhere" and len(refused) < 2:
            right = right_letter(asked.prompt.split("</text>")[-1], options)
            refused.add(options[right])
            return Reply(text=json.dumps({"reason": "there", "answer": right}))
        return answer(asked) if role(asked) != "elsewhere" else Reply(text='{"reason": "", "answer": "none"}')

    with ChatServer(say) as server:
        bench = _helped(server, tmp_path, docs, depths="50")
        (history,) = bench.build["history"]
        assert [entry["step"] for entry in history["tries"]] == ["elsewhere", "elsewhere", ""]
        assert bench.build["funnel"]["elsewhere"] == 2
        notes = [one.prompt for one in server.asked if role(one) == "write"]
        assert "refused before" not in notes[0]
        assert notes[2].count("(from similar passages the checker finds the answer too)") == 2


@pytest.mark.parametrize(("step", "kind"), [("quality", "quality"), ("closed_book", "recall")])
def test_a_passage_without_a_good_question_gives_way_to_the_one_before(
    docs: Path, tmp_path: Path, step: str, kind: str
) -> None:
    """A checker that fails every question on the first gold passage."""
    golds: list[str] = []

    def say(asked: Asked) -> Reply:
        if role(asked) == "write":
            passage = asked.prompt.split("<part>")[1].split("</part>")[0].strip()
            if passage not in golds:
                golds.append(passage)
        if len(golds) == 1 and role(asked) == kind:
            options = options_of(asked.prompt.split("</text>")[-1].split("\n\nIf ")[0].strip())
            right = right_letter(asked.prompt.split("</text>")[-1], options)
            return Reply(text=json.dumps({"reason": "", "answer": right if kind == "recall" else "none"}))
        return answer(asked)

    with ChatServer(say) as server:
        bench = _helped(server, tmp_path, docs, depths="50", tries=2)
    (history,) = bench.build["history"]
    first, last = history["tries"][0], history["tries"][-1]
    assert [entry["step"] for entry in history["tries"]][:2] == [step, step]
    assert last["passage"] < first["passage"]
    assert history["passage"] == last["passage"]
    assert bench.build["funnel"]["moved"] >= 1
    _hold_invariants(bench)


def test_replies_that_cannot_be_read_are_asked_for_again(docs: Path, tmp_path: Path) -> None:
    broken = iter(["Sure! Here it is:", '{"question": "x"}', '["a"]', "", '```json\n{"broken": \n```'])

    def say(asked: Asked) -> Reply:
        text = next(broken, None)
        return Reply(text=text) if text is not None else answer(asked)

    with ChatServer(say) as server:
        bench = _helped(server, tmp_path, docs, depths="50")
        prompts = [one.prompt for one in server.asked if role(one) == "write"]
    assert "could not be used: it is not one JSON object" in prompts[1]
    assert "could not be used: the object: 'options' is missing" in prompts[2]
    assert bench.build["funnel"]["malformed"] == 1, "three bad replies in a row are one lost try"
    assert bench.build["usage"]["builder"]["again"] >= 3


def test_a_reply_that_is_cut_off_gets_more_room(docs: Path, tmp_path: Path) -> None:
    def say(asked: Asked) -> Reply:
        limit = asked.body.get("max_tokens") or asked.body.get("max_completion_tokens")
        if role(asked) == "write" and limit == 1024:
            return Reply(text='{"question": "Which', finish="length")
        return answer(asked)

    with ChatServer(say) as server:
        bench = _helped(server, tmp_path, docs, depths="50")
    assert bench.build["funnel"]["malformed"] == 0


def test_a_builder_that_never_manages_ends_with_a_report(docs: Path, tmp_path: Path) -> None:
    bad = {"question": "What does the passage say?", "options": [*"abcdef"], "answer": "a"}
    with ChatServer(lambda _: Reply(text=json.dumps(bad))) as server:
        spec = make_spec("grounded", _settings(docs, tries=2, moves=1, **MODELS))
        with pytest.raises(
            BadInput, match=r"none of 3 places has a question that passed \(12 questions tried; refused: 12 wording\)"
        ):
            build_bench(spec, tmp_path / "b", build_context(server, tmp_path / "r"))
    assert not (tmp_path / "b").exists()


def test_places_without_a_question_are_said(docs: Path, tmp_path: Path) -> None:
    first: list[str] = []

    def say(asked: Asked) -> Reply:
        if role(asked) != "write":
            return answer(asked)
        passage = asked.prompt.split("<part>")[1][:200]
        first.append(passage)
        return Reply(text="no") if passage == first[0] else answer(asked)

    said: list[str] = []
    with ChatServer(say) as server:
        bench = _helped(server, tmp_path, docs, tries=2, moves=0, warn=said.append)
    assert any(line.startswith("1 of 3 places have no question (documents-1-d") for line in said)
    assert bench.build["funnel"]["without"] == 1
    assert len([q for q in bench.questions.values() if q.question_type == "reading"]) == 2


def test_a_request_that_fails_stops_the_build_and_keeps_the_rest(docs: Path, tmp_path: Path) -> None:
    def say(asked: Asked) -> Reply:
        return Reply(status=400, text="no credit") if role(asked) == "elsewhere" else answer(asked)

    spec = make_spec("grounded", _settings(docs, **MODELS))
    with (
        ChatServer(say) as server,
        pytest.raises(ModelCallFailed, match=r"checker '.*checker': .*run the same command"),
    ):
        build_bench(spec, tmp_path / "b", build_context(server, tmp_path / "r"))
    with ChatServer(answer) as server:
        build_bench(spec, tmp_path / "b", build_context(server, tmp_path / "r"))
        assert Counter(role(one) for one in server.asked)["quality"] <= 1, "what was answered is kept"


def test_one_model_in_two_roles_is_warned_of(docs: Path, tmp_path: Path) -> None:
    said: list[str] = []
    with ChatServer(answer) as server:
        shop = build_context(server, tmp_path / "r", warn=said.append)
        bench = build_bench(make_spec("grounded", _settings(docs, depths="50", builder=BUILDER)), tmp_path / "b", shop)
    assert bench.build["roles"]["checker"] == BUILDER
    assert any("builder and checker are the same model" in line for line in said)


def test_questions_by_code_can_be_checked_by_a_model(extractive: Bench, tmp_path: Path) -> None:
    def say(asked: Asked) -> Reply:
        """Right from the passage, at a loss elsewhere: the key is in the order of nothing, so it is looked up."""
        if role(asked) == "recall":
            return answer(asked)
        options = options_of(asked.prompt.split("</text>")[-1].split("\n\nIf ")[0].strip())
        right = "none"
        if role(asked) == "quality":
            keys = {q.text.splitlines()[0]: q.key.accept[0] for q in extractive.questions.values()}
            wanted = next((key for text, key in keys.items() if text in asked.prompt), "")
            right = next((letter for letter, option in options.items() if option == wanted), "none")
        return Reply(text=json.dumps({"reason": "", "answer": right}))

    with ChatServer(say) as server:
        spec = make_spec("grounded", {**BY_CODE, "checker": CHECKER})
        bench = build_bench(spec, tmp_path / "b", build_context(server, tmp_path / "r", warn=lambda _: None))
        assert {role(one) for one in server.asked} == {"quality", "elsewhere", "recall"}
    assert bench.build["filters"]["closed_book"] == "model"


def test_a_killed_build_goes_on_and_pays_for_nothing_twice(docs: Path, tmp_path: Path) -> None:
    spec = make_spec("grounded", _settings(docs, depths="20..80/20", **MODELS))

    def slow(asked: Asked) -> Reply:
        time.sleep(0.02)
        return answer(asked)

    with ChatServer(slow) as server:
        shop = build_context(server, tmp_path / "replies")
        # A fork has everything imported already; what is killed is a real process in the middle of its requests.
        process = multiprocessing.get_context("fork").Process(target=build_bench, args=(spec, tmp_path / "b", shop))
        process.start()
        deadline = time.monotonic() + 60
        while len(server.asked) < 10 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        assert not (tmp_path / "b").exists()
        before = len(server.asked)
        assert before >= 10
        bench = build_bench(spec, tmp_path / "b", shop)
        bodies = Counter(json.dumps(one.body, sort_keys=True) for one in server.asked)
        # Only what was in flight when the process died may have been asked twice; four go at once.
        assert sum(bodies.values()) - len(bodies) <= 4
        assert len(server.asked) > before
    assert bench.build["funnel"]["passed"] == 4
    with ChatServer(answer) as server:
        fresh = build_bench(spec, tmp_path / "fresh", build_context(server, tmp_path / "other"))
    assert fresh.info.digest == bench.info.digest


def test_the_question_can_come_first_too(tmp_path: Path) -> None:
    bench = _by_code(tmp_path / "b", question_first=True)
    assert set(bench.prompts) == {"question_first", "closed_book"}
    for item in bench.items.values():
        asked = bench.questions[item.questions[0]].text
        prompt = item_prompt(bench, item)
        first = item.cell.get("control") != "closed_book"
        assert prompt.count(asked) == (2 if first else 1)
        assert not first or prompt.index(asked) < prompt.index("<text>")
    _hold_invariants(bench)


def test_extra_filters_can_be_switched_off(docs: Path, tmp_path: Path) -> None:
    with ChatServer(answer) as server:
        shop = build_context(server, tmp_path / "replies", warn=pytest.fail)
        settings = _settings(docs, **MODELS, filters="none")
        bench = build_bench(make_spec("grounded", settings), tmp_path / "b", shop)
    assert "recall" not in {role(one) for one in server.asked}
    assert bench.build["filters"]["closed_book"] == "not checked"
    with pytest.raises(BadInput, match="filters"):
        make_spec("grounded", _settings(docs, filters="wording"))


def test_a_document_can_serve_in_several_long_texts(tmp_path: Path) -> None:
    settings = {**BY_CODE, "docs": ["chronicle:7/en/20k"], "long_documents": 3, "controls": False}

    def documents(name: str, **more: object) -> int:
        said: list[str] = []
        spec = make_spec("grounded", {**settings, **more})
        return len(build_bench(spec, tmp_path / name, BuildContext(warn=said.append)).build["documents"])

    assert documents("a") < 3
    assert documents("b", reuse_documents=True) == 3
