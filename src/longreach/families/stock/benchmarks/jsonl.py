"""A user's own questions, one JSON object per line."""

from __future__ import annotations

import json

from longreach.core.types import Question
from longreach.errors import one_line
from longreach.families.stock.benchmark import Benchmark, StockRow, asked_with, counted, messages_of, options_of, text
from longreach.families.stock.named_scores import NAMED
from longreach.families.stock.sources import RawRow


def _options(row: RawRow) -> dict[str, str]:
    given = row.values.get("choices")
    if given is None:
        return {}
    each = given.items() if isinstance(given, dict) else ((chr(65 + i), x) for i, x in enumerate(row.texts("choices")))
    return {str(letter).upper(): str(option) for letter, option in each}


def _prompt_of(row: RawRow, options: dict[str, str]) -> str:
    if row.values.get("messages") is not None:
        return "plain"
    return "choices" if options else "joined"


def _read(row: RawRow) -> StockRow:
    values, answers, options = row.values, row.texts("answer"), _options(row)
    usual = "number" if isinstance(values["answer"], int | float) else "exact"
    score = str(values.get("score") or ("letter" if options else usual))
    if not answers:
        raise row.fault("column 'answer' is an empty list; give at least one answer")
    if score not in NAMED:
        raise row.fault(f"unknown score '{one_line(score, 40)}'; give one of {', '.join(NAMED)}")
    letter = next((each for each, option in options.items() if answers[0] in (each, each.lower(), option)), "")
    if options and not letter:
        raise row.fault(f"the answer '{one_line(answers[0], 40)}' is none of the choices; give a letter or a choice")
    if values.get("messages") is None:
        question, context = asked_with(row.text("question"), options), text(row.text("context"))
    else:
        messages = tuple(messages_of(row, "messages"))
        asked = asked_with(str(values.get("question") or ""), options).strip()
        question, context = asked or messages[-1].text, messages + (text(asked) if asked else ())
    return StockRow(
        task=str(values.get("group") or "all"),
        length=row.whole("length") if values.get("length") is not None else counted(*(each.text for each in context)),
        question=question,
        answer=letter or (", ".join(answers) if score == "f1" else answers[0]),
        accept=() if letter or score == "f1" else tuple(answers[1:]),
        context=context,
        prompt=_prompt_of(row, options),
        scorer=score,
        details={"options": json.dumps(options)} if options else {},
        name=str(values.get("id") or ""),
    )


def _sample(question: Question, right: bool) -> str:
    key, options = question.key, options_of(question)
    if options:
        answer = key.answer if right else next((each for each in options if each != key.answer), "?")
        return f"The correct answer is ({answer})"
    if right:
        return key.answer
    return f"{int(float(key.answer)) + 1000}" if question.key.details["scorer"] == "number" else "None of these"


BENCHMARK = Benchmark(
    released="your own file",
    licence="your own",
    on_hub=False,
    columns=("context", "messages", "question", "answer", "choices", "id", "length", "group", "score"),
    bins="length of the row, else o200k_base tokens of the context, next power of two",
    asks="the data's own, joined by an empty line; ours around choices",
    scorers=NAMED,
    sample=_sample,
    read=_read,
)
