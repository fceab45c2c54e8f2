"""Small files in the released format of each benchmark, with contents of our own."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_WORDS = [a + b for a in ("ba", "ce", "di", "fo", "gu", "li", "mo", "nu") for b in ("ran", "tel", "mor", "sin", "dak")]


def prose(random: Random, words: int) -> str:
    return " ".join(random.choice(_WORDS) for _ in range(words)).capitalize() + "."


def parquet(path: Path, rows: list[dict[str, Any]], group: int | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=group)
    return path


def jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def mrcr_row(random: Random, *, turns: int = 12, needles: int = 2, words: int = 90) -> dict[str, Any]:
    """A conversation with several poems about the same animal, one of which is to be repeated."""
    places = sorted(random.sample(range(turns), needles))
    messages, poems = [], []
    for turn in range(turns):
        piece = prose(random, words)
        ask = "write a poem about otters" if turn in places else f"write a note about {random.choice(_WORDS)} {turn}"
        messages += [{"role": "user", "content": ask}, {"role": "assistant", "content": piece}]
        poems += [piece] if turn in places else []
    which, string = random.randrange(needles), "".join(random.choices("abcdefgh0123456789", k=10))
    ask = f"Prepend {string} to the {which + 1}. (1 indexed) poem about otters. Do not include any other text."
    return {
        "prompt": json.dumps([*messages, {"role": "user", "content": ask}]),
        "answer": string + poems[which],
        "random_string_to_prepend": string,
        "n_needles": needles,
        "desired_msg_index": 2 * places[which] + 1,
        "total_messages": len(messages) + 1,
        "n_chars": sum(len(message["content"]) for message in messages),
        "date_added": "2025-12-05",
    }


def mrcr(path: Path, rows: int = 12, seed: int = 1) -> Path:
    """Rows of two lengths, with two and four needles."""
    random = Random(seed)
    return parquet(
        path, [mrcr_row(random, turns=10 + 14 * (row % 2), needles=2 + 2 * (row // 2 % 2)) for row in range(rows)]
    )


def graph_row(random: Random, kind: str, edges: int) -> dict[str, Any]:
    nodes = [f"{random.getrandbits(40):010x}" for _ in range(max(4, edges // 2))]
    pairs = [(random.choice(nodes), random.choice(nodes)) for _ in range(edges)]
    node = pairs[0][kind == "parents"]
    ask = f"Find the parents of node {node}." if kind == "parents" else f"Perform a BFS from node {node} with depth 1."
    gold = {a for a, b in pairs if b == node} if kind == "parents" else {b for a, b in pairs if a == node}
    edge_list = "\n".join(f"{a} -> {b}" for a, b in pairs)
    prompt = f"The graph has these edges:\n{edge_list}\n\nOperation:\n{ask}\n\nEnd with: Final Answer: [a, b]"
    return {
        "prompt": prompt,
        "answer_nodes": sorted(gold - {node}),
        "prompt_chars": len(prompt),
        "problem_type": kind,
        "date_added": "2025-12-05",
    }


def graphwalks(path: Path, rows: int = 12, seed: int = 1, edges: tuple[int, ...] = (20, 60)) -> Path:
    random = Random(seed)
    made = [graph_row(random, ("bfs", "parents")[row % 2], edges[row // 2 % len(edges)]) for row in range(rows)]
    return parquet(path, made)


def longbench(path: Path, rows: int = 6, seed: int = 1) -> Path:
    random = Random(seed)
    made = []
    for row in range(rows):
        names = random.sample(_WORDS, 4)
        made.append(
            {
                "_id": f"row{row}",
                "domain": ("Single-Document QA", "Code Repository Understanding")[row % 2],
                "sub_domain": "any",
                "difficulty": ("easy", "hard")[row // 2 % 2],
                "length": ("short", "medium", "long")[row % 3],
                "question": "Who kept the lamp?",
                **{f"choice_{letter}": name for letter, name in zip("ABCD", names, strict=True)},
                "answer": "ABCD"[row % 4],
                "context": f"{prose(random, 60)} {names[row % 4]} kept the lamp. {prose(random, 60 * (1 + row % 3))}",
            }
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made, indent=1), encoding="utf-8")
    return path


def oolong(path: Path, windows: int = 4, questions: int = 6, seed: int = 1) -> Path:
    """Several questions per window, interleaved as in no particular order."""
    random, rows = Random(seed), list[dict[str, Any]]()
    texts = [prose(random, 200) for _ in range(windows)]
    kinds = (
        ("[7]", "NUMERIC", "counting"),
        ("['spam']", "LABEL", "user"),
        ("[datetime.date(2023, 1, 5)]", "DATE", "timeline"),
    )
    for question in range(questions):
        for window, text in enumerate(texts):
            answer, kind, group = kinds[question % 3]
            rows.append(
                {
                    "id": 100 * window + question,
                    "context_window_id": window,
                    "context_window_text": text,
                    "question": f"Question {question}: how many? Give your final answer as Answer: x",
                    "answer": answer,
                    "answer_type": f"ANSWER_TYPE.{kind}",
                    "context_len": (1024, 2048)[window % 2],
                    "task_group": group,
                }
            )
    return parquet(path, rows)


def oolong_real(path: Path, seed: int = 1) -> Path:
    random = Random(seed)
    answers = ("7", "Vex", "Light, Bless")
    rows = [
        {"id": n, "context_window_text": prose(random, 150), "question": "Who? Answer in \\boxed{}.", "answer": answer}
        for n, answer in enumerate(answers)
    ]
    return parquet(path, rows)


def infinitebench(folder: Path, seed: int = 1) -> Path:
    random = Random(seed)
    names = random.sample(_WORDS, 4)
    rows: dict[str, dict[str, Any]] = {
        "passkey": {"input": "What is the pass key?", "answer": ["71432"]},
        "kv_retrieval": {"input": 'Key: "a"', "answer": "b1-c2"},
        "longbook_choice_eng": {"input": "Who kept the lamp?", "answer": [names[2]], "options": names},
        "longbook_qa_eng": {"input": "Who kept the lamp?", "answer": ["the old sailor", "a sailor"]},
        "longdialogue_qa_eng": {"input": "", "answer": ["MANDY"]},
    }
    for task, row in rows.items():
        jsonl(folder / f"{task}.jsonl", [{"context": prose(random, 120), "options": [], **row}])
    return folder


def helmet_recall(path: Path, seed: int = 1) -> Path:
    random = Random(seed)
    pairs = [(f"k{n}", f"{random.getrandbits(40):x}") for n in range(40)]
    (key, value), *demos = pairs
    row = {"context": json.dumps(dict(pairs)), "question": key, "answer": value, "demos": demos[:3], "num_kvs": 40}
    return jsonl(path, [row])


def helmet_rag(path: Path, seed: int = 1) -> Path:
    random = Random(seed)
    documents = [{"title": word, "text": prose(random, 30), "has_answer": False} for word in _WORDS[:5]]
    return jsonl(path, [{"question": "Who kept it?", "answers": ["Mandy", "M. Oak"], "ctxs": documents}])


def babilong(folder: Path, seed: int = 1) -> Path:
    random = Random(seed)
    for task, question, target in (
        ("qa1", "Where is Mary? ", "kitchen"),
        ("qa7", "How many objects is Mary carrying? ", "two"),
    ):
        for size, words in (("1k", 100), ("2k", 200)):
            rows = [{"input": prose(random, words), "question": question, "target": target} for _ in range(3)]
            jsonl(folder / task / f"{size}.jsonl", rows)
    return folder


def ruler(folder: Path, seed: int = 1) -> Path:
    random = Random(seed)
    for task in ("niah_single_1", "qa_1"):
        rows = []
        for index in range(4):
            code = str(random.randrange(10**6, 10**7))
            rows.append(
                {
                    "index": -1,
                    "input": f"{prose(random, 150)} The number for lamp is: {code}.\nWhat is the number for lamp?",
                    "outputs": [code, str(int(code) + 1)] if task == "niah_single_1" else [code, "seven"],
                    "length": 900 + index,
                    "answer_prefix": " The number for lamp is",
                }
            )
        jsonl(folder / "1024" / task / "validation.jsonl", rows)
    return folder


NEEDLES = [
    {
        "id": "0401",
        "reasoning_type": "place",
        "system_prompt": "",
        "task_template": "Here is a book:\n\n{haystack}\n\nNow answer. Question: {question}\n\nThe name only.",
        "needle": "{CHAR} lives beside the {1}.",
        "questions": {"onehop": "Who has been to {2}?", "twohop": "Who has been to the land of {3}?"},
        "character_set": ["Yara", "Tomas", "Wren", "Olga", "Pavel", "Ines", "Kofi", "Lena", "Milan", "Nora"],
        "tests": {"T01": {"input_args": ["Semper opera", "Dresden", "Saxony"]}},
    },
    {
        "id": "0402",
        "system_prompt": "",
        "needle": "There was a piano tuner named {1}.",
        "questions": {"onehop": "Who can mend a {2}?"},
        "tests": {"T02": {"input_args": ["Bruno", "grand"], "gold_answers": ["Bruno", "Bruno's"]}},
    },
]


def nolima(folder: Path, seed: int = 1, words: int = 1500) -> Path:
    random = Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "needle_set.json").write_text(json.dumps(NEEDLES), encoding="utf-8")
    for book in (1, 2):
        lines = "\n".join(prose(random, 12) for _ in range(words // 12))
        (folder / f"rand_book_{book}.txt").write_text(lines, encoding="utf-8")
    return folder


def own(path: Path) -> Path:
    """A user's own file, with every score and both kinds of context."""
    rows: list[dict[str, Any]] = [
        {
            "context": "The lamp is green.",
            "question": "Which colour?",
            "answer": "green",
            "group": "colours",
            "id": "one",
        },
        {
            "context": "The lamp is green.",
            "question": "Which colours?",
            "answer": ["green", "lime"],
            "score": "contains",
        },
        {"context": "Three lamps.", "question": "How many?", "answer": 3},
        {"context": "Three lamps.", "question": "How many?", "choices": ["two", "three"], "answer": "three"},
        {"context": "Three lamps.", "question": "Which?", "choices": {"a": "x", "b": "y"}, "answer": "b", "length": 64},
        {"context": "Red, blue.", "question": "Which colours?", "answer": ["red", "blue"], "score": "f1"},
        {"context": "Say it.", "question": "What?", "answer": "say it again", "score": "ratio"},
        {
            "messages": [
                {"role": "user", "content": "Remember 41."},
                {"role": "assistant", "content": "I will."},
                {"role": "user", "content": "Which number?"},
            ],
            "answer": "41",
            "score": "number",
        },
    ]
    return jsonl(path, rows)
