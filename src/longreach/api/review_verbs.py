"""Verbs with which persons judge questions and answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from longreach.core.progress import no_progress

from .graded_folders import Where, finished_calls

if TYPE_CHECKING:
    from longreach.core.bench import Bench
    from longreach.families.reviewing import Criterion
    from longreach.results.answer_cards import AnswerCard


def review(
    bench: Where,
    *,
    reviewer: str = "",
    sample: int | None = None,
    seed: int = 1,
    port: int = 0,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> dict[str, int]:
    """Serve a local page on which a person accepts, edits or rejects a benchmark's questions, or a random sample of
    them, until interrupted. Returns the number of decisions by kind. Each reviewer's decisions are saved in a file of
    their own beside the benchmark. Of a folder of runs, or of `decide`, the page shows wrong and undecided answers, and
    the person's verdicts on them win."""
    from longreach.core.runs import is_runs
    from longreach.review_server import AnswerSession, progress_text, serve, serve_review

    folder = Path(bench)
    if runs := next((each for each in (folder, folder / "runs") if is_runs(each)), None):
        answers = wrong_answers(runs, _recommended(folder / "decide.json"))
        counts = serve(AnswerSession(runs, answers, reviewer), port=port, browser=browser, say=say)
        say(progress_text(counts))
        return counts
    return serve_review(Path(bench), reviewer=reviewer, sample=sample, seed=seed, port=port, browser=browser, say=say)


def wrong_answers(runs: Where, first: tuple[str, str] = ("", "")) -> list[AnswerCard]:
    """Wrong and undecided answers in a folder of runs, with their passages; those of a model and way `first` at the
    front."""
    from longreach.core.runs import kept_bench, kept_corpus
    from longreach.results.answer_cards import answer_cards
    from longreach.results.grading import grade_runs
    from longreach.results.marks import read_marks

    folder = Path(runs)
    calls = finished_calls(folder, no_progress)
    rows = grade_runs(folder, calls)
    benches = {digest: kept_corpus(folder, digest) or kept_bench(folder, digest) for digest in {r.bench for r in rows}}
    return answer_cards(rows, calls, benches, read_marks(folder), first)


def _recommended(path: Path) -> tuple[str, str]:
    """The model and the way that `decide` recommended; empty where it did not."""
    import json

    try:
        found = json.loads(path.read_bytes())["recommendation"]
        return str(found["model"]), str(found["way"])
    except (OSError, ValueError, KeyError, TypeError):
        return "", ""


def review_agreement(bench: Where) -> list[Criterion]:
    """Pass rates of a benchmark's reviews by criterion and reviewer, with agreement and Cohen's kappa."""
    from longreach.review_server import review_agreement as compare

    return compare(Path(bench))


def apply_review(bench: Where, out: Where) -> Bench:
    """Make a new benchmark from all reviewers' decisions on an old one."""
    from longreach.review_server import apply_review as apply

    return apply(Path(bench), Path(out))
