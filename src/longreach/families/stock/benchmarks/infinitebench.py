"""InfiniteBench: pass keys, numbers, keys of JSON objects, novels and scripts of 100k tokens and more."""

from __future__ import annotations

import json
import re
from pathlib import Path

from longreach.core.files import yaml_table
from longreach.core.types import Question
from longreach.families.stock.benchmark import Benchmark, Scored, Scorer, StockRow, counted, text, words_f1
from longreach.families.stock.sources import RawRow


def _words(reply: str) -> list[str]:
    return reply.translate({ord(mark): " " for mark in "\n:\"'.,?!{}"}).split()


def _chosen(reply: str, labels: list[str]) -> bool:
    """The first letter, or an option, or what follows a phrase such as 'answer is', or the first word of A to D."""
    said = reply.strip()
    if not said or said[0] in "ABCD" or said in labels:
        return bool(said) and (said[0] in labels if said[0] in "ABCD" else True)
    said = re.sub(" {2,}", " ", said.translate({ord(mark): " " for mark in "\n\"'.,?!{}"}))
    for phrase in ("answer is:", "answer:", "answer is", "option is"):
        if (at := said.find(phrase) + len(phrase)) >= len(phrase):
            return len(said) > at and said[at + 1 :].startswith(tuple(labels))
    return next((word in labels for word in said.split() if word in "ABCD"), False)


def _score(reply: str, question: Question) -> Scored:
    labels: list[str] = json.loads(question.key.answer)
    match question.key.details["task"]:
        case "passkey" | "number_string":
            value = float(labels[0] == next(filter(None, re.split("[^0-9]", reply)), ""))
        case "kv_retrieval":
            value = float(labels[0] in _words(reply))
        case "longdialogue_qa_eng":
            value = float(labels[0] in [word.upper() for word in _words(reply.strip())])
        case "longbook_choice_eng":
            value = float(_chosen(reply, labels))
        case _:
            value = max(words_f1(reply, label) for label in labels)
    return Scored(value, reply.strip()[:200] or None, f"{question.key.details['task']}: {value:.3f}")


def _read(row: RawRow) -> StockRow:
    task = Path(row.source.partition(" ")[0]).stem
    prompts = yaml_table(__package__.rpartition(".")[0], "infinitebench.yaml")
    if task not in prompts or not task.islower():
        raise row.fault(f"'{task}' is none of the tasks that are read ({', '.join(prompts)}); give their files")
    options = dict(zip("ABCD", row.texts("options"), strict=False)) if task == "longbook_choice_eng" else {}
    asked, answers, context = row.text("input"), row.texts("answer"), row.text("context")
    if options:
        asked = "\n".join([asked, "", prompts["Options"], *(f"{letter}. {each}" for letter, each in options.items())])
        answers = answers[:1] + [letter for letter, option in options.items() if option in answers][:1]
    return StockRow(
        task=task,
        length=counted(context),
        prompt=prompts[task],
        question=asked.strip() or 'Which character is most likely "$$MASK$$"?',
        answer=json.dumps(answers),
        context=text(context),
        details={"task": task},
    )


BENCHMARK = Benchmark(
    released="xinrongzhang2022/InfiniteBench",
    licence="MIT (code); the novels and scripts have their own",
    columns=("context", "input", "answer", "options"),
    bins="o200k_base tokens of the text, next power of two",
    asks="as published (the prompts for GPT-4 in src/prompt.py)",
    scorers={"2024-06": Scorer(_score, "src/compute_scores.py, OpenBMB/InfiniteBench at 88b3daa (June 2024)")},
    sample=lambda question, right: json.loads(question.key.answer)[0] if right else "none of these",
    read=_read,
    settings={"temperature": None, "system_message": "You are a helpful assistant"},
    differs="Published prompts over 127,000 tokens lost their middle: here only with --set cut. Six of 12 tasks.",
)
