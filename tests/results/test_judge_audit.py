"""The judge's audit, its agreement with the key, and scores corrected for its errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.grading.judges import JUDGE, Line, grading, judge_at, lines_of
from tests.present import of, some
from tests.rows import make_row

from longreach.core.types import Estimate, Row, Verdict
from longreach.errors import BadInput
from longreach.grading import GRADER_VERSION
from longreach.grading.judge.ask import judge_prompt
from longreach.grading.judge.audit import KINDS, truth
from longreach.reporting.figures import agreement_table, corrected_table, judge_figures
from longreach.results.judge_audit import (
    Audit,
    KindCount,
    audit_judge,
    audit_table,
    load_audit,
    planted_answers,
    save_audit,
)
from longreach.stats.intervals import wilson


def deserved(sets: int, seed: int, language: str = "en") -> Callable[[Line], int]:
    """A judge that knows what every planted answer deserves."""
    known = {
        (entry.question.text, " ".join(entry.answer.split())): int(truth(kind))
        for batch in planted_answers(sets, seed, language)
        for entry, kind in batch
    }
    return lambda line: known[line["question"], line["answer"]]


def agreed(audit: Audit) -> dict[str, tuple[int, int]]:
    return {count.kind: (count.agreed, count.graded) for count in audit.kinds}


def test_a_set_is_a_whole_prompt_of_mixed_kinds() -> None:
    batches = planted_answers(2, 5, "en")
    assert [len(batch) for batch in batches] == [30, 30]
    assert Counter(kind for batch in batches for _, kind in batch) == {
        "right": 6, "paraphrased": 6, "worked": 9, "reformatted": 9, "wrong": 3, "half_right": 3, "hedged": 3,
        "contradicted": 3, "miscalculated": 6, "near_miss": 6, "refused": 3, "empty": 3,
    }  # fmt: skip
    assert all(set(KINDS) <= {kind for _, kind in batch} for batch in batches)
    assert planted_answers(2, 5, "en") == batches
    assert planted_answers(2, 6, "en") != batches
    assert {entry.question.question_type for entry, _ in batches[0]} == {"literal", "inference", "abstention"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_perfect_judge_has_a_perfect_record(tmp_path: Path, language: str) -> None:
    with ChatServer(grading(deserved(2, 1, language))) as server:
        audit = audit_judge(judge_at(server, tmp_path), sets=2, seed=1, language=language)
        assert len(server.asked) == 2, "one request per set"
    assert audit.sensitivity == wilson(30, 30)
    assert audit.specificity == wilson(30, 30)
    assert (audit.lines, audit.failed, audit.judge, audit.by) == (60, 0, JUDGE, "judge")
    assert audit.version == judge_prompt(language).version
    assert all(count.agreed == count.lines for count in audit.kinds)


def test_a_lenient_judge_is_found_out(tmp_path: Path) -> None:
    """It accepts whatever is not blank: all that is right, and seven of eight kinds of wrong."""
    with ChatServer(grading(lambda line: int(line["answer"] != ""))) as server:
        audit = audit_judge(judge_at(server, tmp_path), sets=2, seed=1)
    assert audit.sensitivity == wilson(30, 30)
    assert audit.specificity == wilson(3, 30)
    assert agreed(audit) == {
        "right": (6, 6), "paraphrased": (6, 6), "worked": (9, 9), "reformatted": (9, 9), "wrong": (0, 3),
        "half_right": (0, 3), "hedged": (0, 3), "contradicted": (0, 3), "miscalculated": (0, 6), "near_miss": (0, 6),
        "refused": (0, 3), "empty": (3, 3),
    }  # fmt: skip
    assert audit.met == (wilson(30, 30), wilson(0, 24)), "blanks and refusals never reach a judge"
    told = audit.summary()
    assert told[0] == f"{JUDGE}: 2 sets, 60 lines (en, seed 1, prompt version 4)"
    assert told[2].startswith("specificity 10.0% (3.5% to 25.6%, n 30)")
    assert "  Half-right: 0 of 3 graded 0" in told


def test_a_strict_judge_that_only_takes_the_keys_words(tmp_path: Path) -> None:
    with ChatServer(grading(lambda line: int(line["answer"] in [line["key"], *line.get("also_right", [])]))) as server:
        audit = audit_judge(judge_at(server, tmp_path), sets=2, seed=1)
    assert audit.specificity == wilson(30, 30)
    assert agreed(audit)["right"] == (6, 6)
    assert agreed(audit)["paraphrased"] == (0, 6)
    assert agreed(audit)["worked"] == (0, 9)


def test_lines_that_got_no_grade_count_for_neither(tmp_path: Path) -> None:
    judge = deserved(2, 1)
    first = planted_answers(2, 1, "en")[0][0][0].question.text

    def half(asked: Asked) -> Reply:
        lines = lines_of(asked.prompt)
        if lines[0]["question"] == first:
            return Reply("All fine.")
        return Reply("\n".join(f"{line['n']}: {judge(line)}" for line in lines))

    with ChatServer(half) as server:
        audit = audit_judge(judge_at(server, tmp_path), sets=2, seed=1)
        assert len(server.asked) == 4 + 1
    assert (audit.failed, audit.lines) == (30, 60)
    assert some(audit.sensitivity).n + some(audit.specificity).n == 30
    assert some(audit.sensitivity).value == some(audit.specificity).value == 1
    assert "'All fine.' is no grade" in audit.summary()[-1]


def test_the_key_is_audited_like_a_judge_and_the_two_together_for_free(tmp_path: Path) -> None:
    key = audit_judge(None, by="key", sets=2, seed=1)
    assert (key.judge, key.version, key.failed) == ("key", GRADER_VERSION, 0)
    assert agreed(key)["right"] == (6, 6)
    assert agreed(key)["refused"] == agreed(key)["empty"] == agreed(key)["wrong"] == (3, 3)
    assert agreed(key)["paraphrased"][0] <= 6, "what a judge is for"
    with ChatServer(grading(deserved(2, 1))) as server:
        alone = audit_judge(judge_at(server, tmp_path), sets=2, seed=1)
        both = audit_judge(judge_at(server, tmp_path), by="key+judge", sets=2, seed=1)
        assert len(server.asked) == 2
    assert both.sensitivity == alone.sensitivity == wilson(30, 30), "the key is never certain of the opposite"
    table = audit_table([key, alone, both])
    assert [row[0] for row in table.rows] == ["key", JUDGE, f"key, then {JUDGE}"]
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert table.rows[1][3:5] == (wilson(30, 30), wilson(30, 30))


def test_an_audit_is_kept_and_found_again(tmp_path: Path) -> None:
    audit = audit_judge(None, by="key", sets=1)
    assert load_audit(tmp_path, "key") is None
    assert save_audit(tmp_path, audit) == tmp_path / "judge" / "audit-key.json"
    assert load_audit(tmp_path, "key") == audit
    named = audit.model_copy(update={"judge": "openai/gpt-4.1 mini", "by": "judge"})
    assert save_audit(tmp_path, named).name == "audit-openai-gpt-4-1-mini.json"
    together = named.model_copy(update={"by": "key+judge"})
    assert save_audit(tmp_path, together).name == "audit-openai-gpt-4-1-mini-with-key.json"
    assert load_audit(tmp_path, "openai/gpt-4.1 mini") == named


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"language": "fr"}, "unknown language 'fr'"), ({"sets": 0}, "0 sets"), ({"by": "judge"}, "--judge MODEL")],
)
def test_an_audit_that_cannot_be(settings: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        audit_judge(None, **{"by": "key"} | settings)  # type: ignore[arg-type]


def row(n: int, verdict: Verdict, question_type: str = "literal", prompt: str = "standard") -> Row:
    return make_row(
        model="maker/model",
        item=f"item-{n}",
        question=f"q{n}",
        question_type=question_type,
        cell={"length": 1000, "prompt": prompt},
        realised={},
        verdict=verdict,
    )


def judged(value: float, key: float, judge: float | None, *, certain: bool) -> Verdict:
    return Verdict(status="scored", value=value, answer="x", certain=certain, key=key, judge=judge)


FAILED = Verdict(status="judge_failed", answer="x", certain=False, key=0)


def test_agreement_is_counted_apart_for_certain_and_unsure_lines() -> None:
    verdicts = [
        *[judged(1, 1, 1, certain=True)] * 3,
        judged(1, 1, 0, certain=True),
        *[judged(1, 0, 1, certain=False)] * 4,
        *[judged(0, 0, 0, certain=False)] * 2,
        FAILED,
        Verdict(status="scored", value=1),
        Verdict(status="refused"),
    ]
    table = some(agreement_table([row(n, verdict) for n, verdict in enumerate(verdicts)]))
    (line,) = table.rows
    assert line[:4] == ("maker/model", "literal", 10, 1)
    shares = [cell for cell in line[4:] if isinstance(cell, Estimate)]
    assert [(share.value, share.n) for share in shares] == [(0.5, 10), (0.75, 4), (pytest.approx(1 / 3), 6)]
    assert agreement_table([row(0, Verdict(status="scored", value=1))]) is None
    only_failed = some(agreement_table([row(0, FAILED)]))
    assert only_failed.rows == (("maker/model", "literal", 0, 1, None, None, None),)


def audit_of(right: int, wrong: int, each: int = 100) -> Audit:
    """A judge that graded so many of the right and of the wrong answers as they deserve."""
    counts = [
        KindCount(kind="right", truth=1, lines=each, graded=each, agreed=right),
        KindCount(kind="wrong", truth=0, lines=each, graded=each, agreed=wrong),
        KindCount(kind="empty", truth=0, lines=each, graded=each, agreed=each),
    ]
    return Audit(judge="maker/judge", by="judge", version=1, language="en", sets=1, seed=0, kinds=tuple(counts))


def test_only_what_the_judge_decided_is_corrected() -> None:
    verdicts = [
        *[Verdict(status="scored", value=1)] * 60,
        *[judged(1, 1, 0, certain=True)] * 2,
        *[Verdict(status="scored", value=0)] * 38,
        *[judged(1, 0, 1, certain=False)] * 62,
        *[judged(0, 0, 0, certain=False)] * 38,
        FAILED,
    ]
    rows = [row(n, verdict) for n, verdict in enumerate(verdicts)]
    table = some(corrected_table(rows, audit_of(90, 80)))
    (line,) = table.rows
    assert line[:5] == ("maker/model", "needles", "standard", "literal", 100)
    observed, corrected = line[5:]
    assert isinstance(observed, Estimate)
    assert isinstance(corrected, Estimate)
    # 62 of 100 certain lines are right. Of the judged ones (0.62 + 0.8 - 1) / (0.9 + 0.8 - 1) = 0.6 are.
    assert observed.value == pytest.approx((62 + 62) / 200)
    assert corrected.value == pytest.approx((62 + 100 * 0.6) / 200)
    assert corrected.n == 200
    assert corrected.low < corrected.value < corrected.high
    assert "sensitivity 90.0% of 100, specificity 80.0% of 100" in table.note


def test_by_judge_all_lines_are_corrected() -> None:
    rows = [row(n, judged(float(n < 62), 1, float(n < 62), certain=n % 2 == 0)) for n in range(100)]
    table = some(corrected_table(rows, audit_of(90, 80), by="judge"))
    assert table.rows[0][4] == 100
    corrected = of(Estimate, table.rows[0][6])
    assert corrected.value == pytest.approx(0.6)
    assert (corrected.low, corrected.high) == pytest.approx((0.4432, 0.7495), abs=3e-3)


def test_a_judge_that_errs_too_much_corrects_nothing() -> None:
    rows = [row(n, judged(1, 0, 1, certain=False)) for n in range(10)]
    table = some(corrected_table(rows, audit_of(50, 50)))
    assert table.rows[0][6] is None
    assert corrected_table([row(0, Verdict(status="scored", value=1))], audit_of(90, 90)) is None


def test_a_report_shows_agreement_and_where_asked_the_corrected_scores(tmp_path: Path) -> None:
    rows = [row(n, judged(1, 0, 1, certain=False)) for n in range(10)]
    assert judge_figures(tmp_path, rows) == []
    with pytest.raises(BadInput, match="graded by the key alone"):
        judge_figures(tmp_path, rows, correct=True)
    (tmp_path / "grading.json").write_text('{"by": "key+judge", "judge": "maker/judge"}', encoding="utf-8")
    assert [table.id for table in judge_figures(tmp_path, rows)] == ["agreement"]
    with pytest.raises(BadInput, match=f"run: longreach judge-audit {tmp_path} --judge maker/judge"):
        judge_figures(tmp_path, rows, correct=True)
    save_audit(tmp_path, audit_judge(None, by="key", sets=1))
    save_audit(tmp_path, audit_judge(None, by="key", sets=1).model_copy(update={"judge": "maker/judge", "by": "judge"}))
    tables = judge_figures(tmp_path, rows, correct=True)
    assert [table.id for table in tables] == ["agreement", "corrected", "judge-audit"]
    assert [line[0] for line in tables[2].rows] == ["key", "maker/judge"]
