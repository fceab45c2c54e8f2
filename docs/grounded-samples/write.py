"""Writes KIND.md: how a benchmark was built, its funnel, and twenty of its questions with a verdict on each.

    python docs/grounded-samples/write.py KIND BENCH

The verdicts stand in verdicts.yaml, by the ids of the questions; a question without one is an error.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import yaml

from longreach.core.bench import Bench
from longreach.families.grounded.questions import options_of

HERE = Path(__file__).parent
COUNT = 20
STEPS = ("places", "written", "malformed", "wording", "quality", "elsewhere", "passed", "moved", "without")


def sample(bench: Bench) -> list[Any]:
    """Twenty questions drawn by a fixed seed, in the order of their ids."""
    questions = [question for question in bench.questions.values() if question.question_type == "reading"]
    return sorted(Random("sample 1").sample(questions, COUNT), key=lambda question: question.id)


def page(about: dict[str, Any], bench: Bench) -> str:
    """The whole file."""
    funnel, questions = bench.build["funnel"], sample(bench)
    verdicts = {question.id: about["verdicts"][question.id] for question in questions}
    marks = Counter(mark for mark, _ in verdicts.values())
    asked = Counter(q.text.split()[1] for q in bench.questions.values() if q.question_type == "reading")
    documents = ", ".join(f"{one['tokens']} tokens in {one['passages']} passages" for one in bench.build["documents"])
    lines = [
        f"# {about['title']}",
        "",
        f"Text: {about['text']} Long documents: {documents}.",
        "",
        "```",
        about["command"],
        "```",
        "",
        f"| {' | '.join(STEPS)} |",
        f"| {' | '.join('---:' for _ in STEPS)} |",
        f"| {' | '.join(str(funnel[step]) for step in STEPS)} |",
        "",
        f"Asked for: {', '.join(f'{what} {count}' for what, count in asked.most_common())}. Digest of the benchmark: "
        f"`{bench.info.digest[:12]}`.",
        "",
        f"Verdict on twenty of them, drawn at random: **{marks['good']} good, {marks['so-so']} so-so, {marks['bad']} "
        f"bad.** {about['said']}",
        "",
        "The right answer is in bold. What the marks mean and who gave them: "
        "[grounded](../grounded.md#on-real-documents).",
    ]
    for number, question in enumerate(questions, 1):
        mark, why = verdicts[question.id]
        options = [
            f"**{letter}) {option}**" if letter == question.key.answer else f"{letter}) {option}"
            for letter, option in options_of(question.text).items()
        ]
        asked_text = question.text.splitlines()[0].replace("____", "\\_\\_\\_\\_").replace("*", "\\*")
        lines += ["", f"{number}. {asked_text}  ", f"   {' · '.join(options)}  ", f"   *{mark}*: {why}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    name, folder = sys.argv[1], Path(sys.argv[2])
    known = yaml.safe_load((HERE / "verdicts.yaml").read_text(encoding="utf-8"))
    (HERE / f"{name}.md").write_text(page(known[name], Bench.open(folder)), encoding="utf-8")
