"""MRCR (OpenAI): one of several alike messages of a long conversation, word for word, after a random string."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise

from longreach.core.types import Question
from longreach.families.stock.benchmark import Benchmark, Scored, Scorer, StockRow, counted, messages_of
from longreach.families.stock.sources import RawRow


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


def _score(reply: str, question: Question) -> Scored:
    string = question.key.details["string"]
    if not reply.startswith(string):
        return Scored(0.0, "", "does not begin with the random string", {"wrong_ordinal": 0.0})
    body = reply.removeprefix(string)
    value = _ratio(body, question.key.answer.removeprefix(string))
    other = max((_ratio(body, rival) for rival in question.key.rivals), default=0.0)
    mistaken = other > value and other >= 0.5
    reason = f"similarity {value:.3f}" + ("; another of the needles: right kind, wrong ordinal" if mistaken else "")
    return Scored(value, body[:200], reason, {"wrong_ordinal": float(mistaken)})


def _read(row: RawRow) -> StockRow:
    messages, string, answer = messages_of(row, "prompt"), row.text("random_string_to_prepend"), row.text("answer")
    needles, wanted = row.whole("n_needles"), answer.removeprefix(string)
    at = next((i for i, each in enumerate(messages) if each.role == "assistant" and each.text == wanted), 0)
    # The needles are the replies to the same request as the one that is asked for.
    alike = [after.text for ask, after in pairwise(messages) if at and ask == messages[at - 1]]
    fault = "" if len(alike) == needles else "another number of needles than n_needles"
    return StockRow(
        task=f"{needles} needles",
        length=counted(*(each.text for each in messages), answer),
        question=messages[-1].text,
        answer=answer,
        context=tuple(messages),
        details={"string": string},
        rivals=tuple(each for each in alike if each != wanted),
        depth=10 * round(10 * at / len(messages)) if at else None,
        fault=fault if at else "an answer that is no message of the conversation",
        added=str(row.values.get("date_added") or ""),
    )


def _sample(question: Question, right: bool) -> str:
    other = next(iter(question.key.rivals), "None of these")
    return question.key.answer if right else question.key.details["string"] + other


BENCHMARK = Benchmark(
    released="openai/mrcr",
    licence="MIT",
    columns=("prompt", "answer", "random_string_to_prepend", "n_needles", "date_added"),
    bins="o200k_base tokens of messages and answer, (4096, 8192] to (524288, 1048576] as published",
    asks="the data's own",
    scorers={"2025-04": Scorer(_score, "the card of openai/mrcr (April 2025, not changed by the fix of 2025-12-05)")},
    sample=_sample,
    read=_read,
    caution="Rows from before 2025-12-05 had about 10 % with too many needles and 5 % with a wrong answer.",
    differs="The card names no temperature and no output cap; here temperature is 0.",
)
