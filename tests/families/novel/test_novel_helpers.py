"""Models that write, check and judge: real HTTP, and what code makes of their answers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.families.novel.shelf import write_lines
from tests.families.novel.study import LINES, Study, build_context, inside, model, role
from tests.present import of

from longreach.core.bench import Bench
from longreach.core.helper_model import Refused
from longreach.errors import BadInput, ModelCallFailed
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, check_bench, make_spec
from longreach.families.novel.books import BookUnit, Version
from longreach.families.novel.grade import NovelVerdict, ReportedError, gold_of
from longreach.families.novel.summaries import WrittenError, check_change, check_paraphrase, decide
from longreach.worlds import ErrorType

BASE = "Ada walked to the mill. Bertil sold a clock to Ada for 40 crowns. Clara went home."


@pytest.fixture
def bare(tmp_path: Path) -> str:
    """Units with summaries alone."""
    lines = [{key: line[key] for key in ("book", "unit", "text", "summary")} for line in LINES]
    return write_lines(tmp_path / "bare.jsonl", lines)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """The books as documents, without summaries."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for book in ("Book 0", "Book 1"):
        text = "\n\n".join(line["text"] for line in LINES if line["book"] == book)
        (folder / f"{book}.txt").write_text(text)
    return folder


def build(made: BuildContext, folder: Path, **settings: Any) -> Bench:
    given = {"sizes": "S", "per_class": 4, "writer": model("writer"), "tokenizer": "o200k_base"}
    return build_bench(make_spec("novel", given | settings), folder, made)


def test_errors_and_paraphrases_by_a_model(bare: str, tmp_path: Path) -> None:
    said: list[str] = []
    with ChatServer(Study()) as server:
        made = build_context(server, tmp_path / "kept", said.append)
        bench = build(made, tmp_path / "b", source="bring", docs=[bare], per_class=8, checker=model("checker"))
        asked = Counter(f"{each.body['model']} {role(each)}" for each in server.asked)
        again = build(made, tmp_path / "again", source="bring", docs=[bare], per_class=8, checker=model("checker"))
        assert len(server.asked) == sum(asked.values()), "a second build asks for nothing"
    assert again.info.digest == bench.info.digest
    assert asked == {"writer paraphrase": 8, "checker judge": 8, "writer entities": 8, "writer wrong": 64}
    assert check_bench(bench.folder) == []
    assert not said
    errors = bench.build["errors"]
    assert (errors["asked"], errors["made"], len(errors["declined"]), errors["refused"]) == (64, 32, 32, [])
    assert bench.build["roles"] == {"writer": model("writer"), "checker": model("checker")}
    assert bench.build["usage"]["writer en"]["requests"] == 80
    assert {item.cell["made"] for item in bench.items.values()} == {"generated"}
    assert bench.build["sizes"]["S"]["types"] == {"entity": 2, "event": 2, "inversion": 2, "numerical": 2}
    summaries = {line["summary"] for line in LINES}
    for question in bench.questions.values():
        assert question.text not in summaries, "the untouched summary never stands for itself"


def test_only_names_of_the_summary_are_lent(bare: str, tmp_path: Path) -> None:
    with ChatServer(Study()) as server:
        build(build_context(server, tmp_path / "kept"), tmp_path / "b", source="bring", docs=[bare])
        wrong = [each.prompt for each in server.asked if role(each) == "wrong"]
    assert wrong
    for prompt in wrong:
        names = inside(prompt, "names")
        assert "Napoleon" not in names
        assert any(character.isdigit() for character in names)


def test_what_fails_the_checks_is_asked_for_again_and_no_more_than_so_often(bare: str, tmp_path: Path) -> None:
    study = Study()

    def worse(asked: Asked, kind: str) -> Reply | None:
        if kind == "wrong" and "contains an entity" in asked.prompt:
            return Reply(text='{"possible": true, "original": "Nobody said this.", "changed": "x.", "reason": ""}')
        if kind == "wrong" and "contains a numerical" in asked.prompt and "could not be used" not in asked.prompt:
            return Reply(text="Sure! Here you are.")
        return None

    study.instead = worse
    with ChatServer(study) as server:
        bench = build(build_context(server, tmp_path / "kept"), tmp_path / "b", source="bring", docs=[bare], tries=2)
        prompts = [each.prompt for each in server.asked]
    assert sum("contains an entity" in prompt for prompt in prompts) == 2 * 4
    assert sum("'original' is not one of the sentences" in prompt for prompt in prompts) == 4
    assert sum("could not be used: it holds no JSON object" in prompt for prompt in prompts) == 4
    refused = bench.build["errors"]["refused"]
    assert len(refused) == 4
    assert all("entity: 'original' is not one of the sentences" in why for why in refused)
    assert "entity" not in bench.build["sizes"]["S"]["types"]
    assert "numerical" in bench.build["sizes"]["S"]["types"]


def test_a_paraphrase_that_the_checker_rejects_is_not_used(bare: str, tmp_path: Path) -> None:
    study = Study()
    bad = LINES[0]["paraphrase"][0].replace(" bought ", " stole ")

    def wrong_once(asked: Asked, kind: str) -> Reply | None:
        return Reply(text=bad) if kind == "paraphrase" and LINES[0]["summary"] in asked.prompt else None

    study.instead = wrong_once
    with ChatServer(study) as server:
        made = build_context(server, tmp_path / "kept")
        bench = build(made, tmp_path / "b", source="bring", docs=[bare], per_class=7, checker=model("checker"))
    assert list(bench.build["not_paraphrased"]) == ["Book 0/00"]
    assert "stole" in bench.build["not_paraphrased"]["Book 0/00"]
    assert all("stole" not in question.text for question in bench.questions.values())


def test_a_model_summarises_documents_and_another_checks(texts: Path, tmp_path: Path) -> None:
    study = Study()
    wrong = "A ghost rode through the town. " + LINES[2]["summary"]
    tried: list[str] = []

    def slips(asked: Asked, kind: str) -> Reply | None:
        if kind == "summarise" and LINES[1]["text"] in asked.prompt:
            return Reply(text=wrong.replace(LINES[2]["summary"], LINES[1]["summary"]))
        if kind == "summarise" and LINES[2]["text"] in asked.prompt:
            tried.append(asked.prompt)
            return Reply(text=wrong) if len(tried) == 1 else None
        return None

    study.instead = slips
    unit = 190
    said: list[str] = []
    with ChatServer(study) as server:
        made = build_context(server, tmp_path / "kept", said.append)
        bench = build(
            made,
            tmp_path / "b",
            source="write",
            docs=[str(texts)],
            unit=unit,
            checker=model("checker"),
            per_class=7,
            tries=2,
        )
    assert len(tried) == 2, "written again after the checker's word"
    (doubtful,) = bench.build["doubtful"]
    assert (doubtful["book"], doubtful["unit"]) == ("Book 0.txt", "002")
    assert "A ghost rode through the town" in doubtful["why"]
    assert all("ghost" not in question.text for question in bench.questions.values())
    assert len(bench.items) == 14
    assert said == ["summaries in doubt, not used: 1; look at them with longreach review"]
    assert check_bench(bench.folder) == []


def test_doubtful_stories_can_be_kept(texts: Path, tmp_path: Path) -> None:
    study = Study()
    unsure = (LINES[1]["text"], LINES[5]["text"])  # the second unit of each book

    def silent(asked: Asked, kind: str) -> Reply | None:
        open_question = kind == "judge" and any(text in asked.prompt for text in unsure)
        return Reply(text="I would rather not say.") if open_question else None

    study.instead = silent
    settings: dict[str, Any] = {"source": "write", "docs": [str(texts)], "unit": 190, "sizes": "700", "tries": 1}
    with ChatServer(study) as server:
        made = build_context(server, tmp_path / "kept")
        with pytest.raises(BadInput, match=r"with summaries to trust \(2 are in doubt: see them with keep_doubtful"):
            build(made, tmp_path / "b", checker=model("checker"), **settings)
        bench = build(made, tmp_path / "c", checker=model("checker"), keep_doubtful=True, **settings)
    assert [entry["unit"] for entry in bench.build["doubtful"]] == ["002", "002"]
    assert len(bench.items) == 8
    doubted = {wording for line in (LINES[1], LINES[5]) for wording in line["paraphrase"]}
    for question in bench.questions.values():
        assert any(wording in question.text for wording in doubted), "it is reworded as the others and never altered"
        assert not any(line["summary"] in question.text for line in LINES)


def test_a_writer_that_checks_itself_is_warned_of(texts: Path, tmp_path: Path) -> None:
    said: list[str] = []
    with ChatServer(Study()) as server:
        made = build_context(server, tmp_path / "kept", said.append)
        settings: dict[str, Any] = {"source": "write", "docs": [str(texts)], "unit": 190}
        build(made, tmp_path / "b", checker=model("writer"), **settings)
        build(made, tmp_path / "c", **settings)
    assert "it will agree with its own mistakes" in said[0]
    assert "nobody checks the summaries" in said[1]


def test_arbitrated_drafts_reach_long_sizes_where_others_keep_their_summaries(bare: str, tmp_path: Path) -> None:
    """Only the first unit of each book has both a true and a wrong draft."""
    study, first = Study(), {line["text"] for line in (LINES[0], LINES[4])}

    def small(asked: Asked, _: str) -> Reply | None:
        if asked.body["model"] == "small" and asked.body.get("seed"):
            line = study.line(asked.prompt)
            return Reply(text=line["wrong"][0]["summary"] if line["text"] in first else "No.")
        return None

    study.instead = small
    given: Any = {"source": "bring", "docs": [bare], "ways": "arbitrated", "writer": None, "summariser": model("small")}
    given |= {"judges": [model(name) for name in ("first", "second", "third")], "sizes": "700", "per_class": 2}
    with ChatServer(study) as server:
        made = build_context(server, tmp_path / "kept")
        bench = build(made, tmp_path / "b", composition="kept", **given)
    assert check_bench(bench.folder) == []
    assert bench.build["sizes"]["700"]["hallucinated"] >= 1
    summaries = {line["summary"] for line in LINES}
    for question in bench.questions.values():
        parts = question.text.split("\n\n")
        assert len(parts) > 1
        assert sum(part in summaries for part in parts) >= len(parts) - 1


def test_arbitration_keeps_every_vote(bare: str, tmp_path: Path) -> None:
    """The small model's first draft is true, its second has an error; judges differ on one unit."""
    study = Study()

    def small(asked: Asked, kind: str) -> Reply | None:
        who = asked.body["model"]
        if who == "small" and asked.body.get("seed"):
            return Reply(text=study.line(asked.prompt)["wrong"][0]["summary"])
        disputed = LINES[0]["text"] in asked.prompt
        if kind == "judge" and who == "second" and disputed:
            return Reply(text='{"verdict": "faithful", "findings": []}')
        return None

    study.instead = small
    judges = [model(name) for name in ("first", "second", "third")]
    with ChatServer(study) as server:
        bench = build(
            build_context(server, tmp_path / "kept"),
            tmp_path / "b",
            source="bring",
            docs=[bare],
            ways="arbitrated",
            writer=None,
            summariser=model("small"),
            judges=judges,
            per_class=8,
        )
        asked = Counter(each.body["model"] for each in server.asked)
    assert asked == {"small": 16, "first": 16, "second": 16, "third": 1}
    votes = {(vote["unit"], vote["draft"]): vote for vote in bench.build["votes"]}
    assert len(votes) == 16
    assert votes["Book 0/00", 1]["votes"] == dict(
        zip(judges, ("hallucinated", "faithful", "hallucinated"), strict=True)
    )
    assert votes["Book 0/01", 1]["votes"] == dict(zip(judges[:2], ("hallucinated", "hallucinated"), strict=True))
    assert votes["Book 0/01", 0]["decided"] == "faithful"
    assert {item.cell["made"] for item in bench.items.values()} == {"arbitrated"}
    assert len(bench.items) == 16
    wrong = gold_of(bench.questions["S-001-h"].key)
    assert (wrong.type, wrong.reason) == ("event", "not so")
    assert wrong.sentence.endswith("."), "the whole sentence, though the judge left its stop out"
    assert check_bench(bench.folder) == []


UNIT = BookUnit(book="b", name="1", language="en", text="x", summary=BASE)


@pytest.mark.parametrize(
    ("said", "decided", "used"),
    [
        (["faithful", "faithful"], "faithful", True),
        (["hallucinated", "hallucinated"], "hallucinated", True),
        (["hallucinated", "faithful", "faithful"], "faithful", True),
        (["faithful", "hallucinated", "hallucinated"], "hallucinated", True),
        (["faithful", "unreadable", "hallucinated"], "hallucinated", True),
        (["unreadable", "unreadable", "unreadable"], "undecided", False),
    ],
)
def test_two_judges_or_the_third_decide(said: list[str], decided: str, used: bool) -> None:
    finding = ReportedError(type="event", sentence="Clara went home")
    readings: dict[str, NovelVerdict | Refused] = {
        f"judge {n}": Refused(why="?")
        if one == "unreadable"
        else NovelVerdict(truth=one, findings=(finding,) if one == "hallucinated" else ())
        for n, one in enumerate(said)
    }
    vote = decide(UNIT, 0, BASE, readings)
    assert (vote.decided, vote.version is not None) == (decided, used)
    assert list(vote.votes.values()) == said
    if decided == "hallucinated" and vote.version:
        assert vote.version.sentence == "Clara went home."


def test_an_accusation_that_points_nowhere_makes_no_sample() -> None:
    blank = NovelVerdict(truth="hallucinated", findings=(ReportedError(type="event", sentence="The sea froze over."),))
    vote = decide(UNIT, 0, BASE, {"a": blank, "b": blank})
    assert vote.version is None
    assert "no judge named a sentence" in vote.note


def test_a_helper_that_fails_stops_the_build_with_all_kept(bare: str, tmp_path: Path) -> None:
    study = Study()
    study.instead = lambda _, kind: Reply(status=400, text="no credit") if kind == "entities" else None
    with ChatServer(study) as server:
        made = build_context(server, tmp_path / "kept")
        with pytest.raises(ModelCallFailed, match=r"writer 'openai-api/local/writer': .*run the same command again"):
            build(made, tmp_path / "b", source="bring", docs=[bare])
        before = len(server.asked)
        study.instead = lambda *_: None
        build(made, tmp_path / "b", source="bring", docs=[bare])
        assert sum(role(each) == "paraphrase" for each in server.asked[before:]) == 0
    assert not list(tmp_path.glob(".b*"))


@pytest.mark.parametrize(
    ("kind", "original", "changed", "why"),
    [
        ("entity", "Ada walked to the mill.", "Clara walked to the mill.", ""),
        ("numerical", "Bertil sold a clock to Ada for 40 crowns.", "Bertil sold a clock to Ada for 70 crowns.", ""),
        ("entity", "Ada ran to the mill.", "Clara ran to the mill.", "not one of the sentences"),
        ("entity", "Ada walked to the mill.", "Ada walked to the mill", "not different"),
        ("entity", "Ada walked to the mill.", "", "not different"),
        ("entity", "Ada walked to the mill.", "Ada walked. Clara stayed at home.", "not exactly one sentence"),
        ("entity", "Ada walked to the mill.", "Clara went home.", "stands in the summary already"),
        ("numerical", "Ada walked to the mill.", "Clara walked to the mill.", "no number differs"),
        (
            "event",
            "Bertil sold a clock to Ada for 40 crowns.",
            "Bertil sold a clock to Ada for 41 crowns.",
            "only a number differs",
        ),
    ],
)
def test_code_checks_each_change(kind: ErrorType, original: str, changed: str, why: str) -> None:
    made = check_change(BASE, "en", kind, WrittenError(possible=True, original=original, changed=changed, reason="so"))
    if why:
        assert isinstance(made, Refused)
        assert why in made.why
    else:
        assert isinstance(made, Version)
        assert made.text == BASE.replace(original, changed)
        assert (made.type, made.sentence, made.correction, made.reason) == (kind, changed, original, "so")
        assert 0 < made.place < 1


_TWO = "Ada walked to the mill. Bertil sold a clock to Ada for 40 crowns."


@pytest.mark.parametrize(
    ("kind", "original", "changed", "why"),
    [
        ("fabrication", "Ada walked to the mill.", "Clara envied Ada the mill.", ""),
        ("temporal", _TWO, "Bertil sold a clock to Ada for 40 crowns. Only then Ada walked to the mill.", ""),
        ("causal", _TWO, "Ada walked to the mill. That was why Bertil sold a clock to Ada for 40 crowns.", ""),
        ("fabrication", "Ada walked to the mill.", "Clara sang. Ada danced.", "not exactly one sentence"),
        ("fabrication", "Ada walked to the mill.", "Clara went home.", "stands in the summary already"),
        ("temporal", "Ada walked to the mill.", "Later Ada walked to the mill.", "not exactly two sentences"),
        (
            "causal",
            _TWO,
            "Ada walked to the mill as Bertil sold her a clock for 40 crowns.",
            "not exactly two sentences",
        ),
        ("causal", "Ada walked to the mill. Clara went home.", "Ada ran. So Clara went home.", "in a row"),
    ],
)
def test_code_checks_the_forms_of_the_paper(kind: ErrorType, original: str, changed: str, why: str) -> None:
    change = WrittenError(possible=True, original=original, changed=changed, kind="added event", reason="so")
    made = check_change(BASE, "en", kind, change, True)
    if why:
        assert isinstance(made, Refused)
        assert why in made.why
        return
    assert isinstance(made, Version)
    assert made.corrected() == BASE
    assert made.sentence == changed
    assert made.kind == "added event"
    assert made.correction == ("" if kind == "fabrication" else original)
    assert isinstance(check_change(BASE, "en", kind, change), Refused) == (kind != "fabrication")


def test_a_model_writes_errors_in_the_forms_of_the_paper(bare: str, tmp_path: Path) -> None:
    def instead(asked: Asked, kind: str) -> Reply | None:
        if kind != "wrong" or '"kind"' not in asked.prompt:
            return None
        first, second, *_ = [line for line in inside_lines(asked.prompt) if line]
        if "Add exactly one sentence" in asked.prompt:
            made = {"original": first, "changed": "Nobody was pleased with it.", "kind": "feeling"}
        elif "change places" in asked.prompt:
            made = {"original": f"{first} {second}", "changed": f"{second} Only then this: {first}", "kind": "order"}
        elif "causal error" in asked.prompt:
            made = {
                "original": f"{first} {second}",
                "changed": f"{first} So it came that {second}",
                "kind": "invented link",
            }
        else:
            made = {"original": first, "changed": f"With regret, {first}", "kind": "state of mind"}
        return Reply(json.dumps({"possible": True, "reason": "not so", **made}))

    study = Study()
    study.instead = instead
    with ChatServer(study) as server:
        made = build_context(server, tmp_path / "kept")
        bench = build(made, tmp_path / "b", source="bring", docs=[bare], per_class=16, errors="paper")
    assert check_bench(bench.folder) == []
    found = {(gold.type, gold.kind) for q in bench.questions.values() if (gold := gold_of(q.key)).type}
    wanted = {
        ("fabrication", "feeling"),
        ("temporal", "order"),
        ("causal", "invented link"),
        ("event", "state of mind"),
    }
    assert wanted <= found


def inside_lines(prompt: str) -> list[str]:
    """The sentences of the summary that a prompt is about, one per line."""
    return prompt.rsplit("<summary>", 1)[1].split("</summary>")[0].strip().split("\n")


def test_code_checks_an_added_sentence_in_chinese() -> None:
    base = "林秋生到码头去。沈玉兰卖马得银三十两。周大海回家了。"
    change = WrittenError(possible=True, original="林秋生到码头去。", changed="沈玉兰心里十分羡慕。", reason="")
    made = of(Version, check_change(base, "zh", "fabrication", change, True))
    assert made.text == "林秋生到码头去。沈玉兰心里十分羡慕。沈玉兰卖马得银三十两。周大海回家了。"
    assert made.corrected() == base


def test_code_checks_a_change_in_chinese() -> None:
    base = "林秋生到码头去。沈玉兰卖马得银三十两。周大海回家了。"
    change = WrittenError(possible=True, original="沈玉兰卖马得银三十两。", changed="沈玉兰卖马得银五十两。", reason="")
    made = of(Version, check_change(base, "zh", "numerical", change))
    assert 0.3 < made.place < 0.7


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("To the mill went Ada. For 40 crowns Ada got a clock from Bertil. Home went Clara.", ""),
        (BASE, "repeats the summary"),
        ("To the mill went Ada. For 50 crowns Ada got a clock from Bertil. Home went Clara.", "numbers"),
        ("To the mill went Ada. For 40 crowns Ada got a clock from Bertil.", "2 sentences"),
    ],
)
def test_code_checks_a_paraphrase(said: str, why: str) -> None:
    found = check_paraphrase(BASE, "en", said)
    assert (why in found.why) if isinstance(found, Refused) else (found == said and not why)


@pytest.mark.long
def test_the_embedded_model_helps_as_far_as_it_can(tmp_path: Path) -> None:
    """Too small to write an error that passes; every step runs, and what it cannot do is told."""
    from longreach.core.files import Store
    from longreach.runner.inspect_helper import InspectHelper

    told = {"text": "Ada paid 40 crowns. Clara left.", "summary": "Ada paid 40.", "paraphrase": "40 were paid by Ada."}
    lines = [LINES[0], {"book": "Book 0", "unit": "x", **told}]
    docs = [write_lines(tmp_path / "books.jsonl", lines)]
    made = BuildContext(warn=lambda _: None, helper_model=lambda name: InspectHelper(name, Store(tmp_path / "kept")))
    settings = {"source": "bring", "docs": docs, "sizes": "S", "per_class": 2, "types": "numerical", "tries": 1}
    bench = build_bench(make_spec("novel", settings | {"writer": "embedded"}), tmp_path / "b", made)
    assert bench.build["roles"] == {"writer": "embedded"}
    assert bench.build["usage"]["writer en"]["requests"] == 2
    assert bench.build["errors"]["asked"] == 1
    assert len(bench.items) in (2, 4)
    assert json.loads((bench.folder / "build.json").read_text())["errors"]["asked"] == 1
