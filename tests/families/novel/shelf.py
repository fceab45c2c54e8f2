"""Small books with summaries for tests: every summary, paraphrase and error follows from a few drawn facts."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

NAMES = (
    "Ada Marsh",
    "Bertil Lund",
    "Clara Voss",
    "Dorian Hale",
    "Edith Crane",
    "Felix Orme",
    "Greta Nunn",
    "Hugo Finch",
)
PLACES = ("the mill", "the harbour", "the chapel", "the market", "the ferry", "the quarry")
THINGS = ("a brass clock", "two sacks of flour", "an old map", "a bay mare", "a silver comb", "a bundle of letters")
FILLER = (
    "Rain had fallen since the morning and the lane was deep in mud.",
    "Nobody spoke of it at supper, and the lamps were put out early.",
    "A dog barked behind the wall until the baker threw it a crust.",
    "The bell struck late that week, as it did whenever the wind came from the east.",
    "Some said that the winter would be hard, and laid in wood.",
)


def english_line(book: str, number: int, seed: int, paragraphs: int = 6) -> dict[str, Any]:
    """A unit with a summary, a paraphrase and four errors."""
    rng = Random(f"{book} {number} {seed}")
    a, b, c = rng.sample(NAMES, 3)
    place, other = rng.sample(PLACES, 2)
    thing, much = rng.choice(THINGS), rng.randrange(12, 90)
    filler = [rng.choice(FILLER) for _ in range(paragraphs)]
    text = "\n\n".join(
        [
            f"Part {number} of {book}. {filler[0]} {a} walked to {place} before noon.",
            f'"I will give {much} crowns for it," said {a}. {b} sold {thing} to {a} for {much} crowns. {filler[1]}',
            f"Afterwards {c} came from {other} and asked for a share. {b} refused, because {c} owed money already.",
            *filler[2:],
            f"In the evening {a} carried {thing} home, and {c} went back to {other} alone.",
        ]
    )
    summary = [
        f"{a} walked to {place}.",
        f"{b} sold {thing} to {a} for {much} crowns.",
        f"{c} asked for a share, and {b} refused because {c} owed money.",
        f"In the evening {a} took {thing} home.",
    ]
    told = [
        f"To {place} went {a}.",
        f"{a} bought {thing} from {b} for {much} crowns.",
        f"{b} refused the share that {c} asked for, since {c} owed money.",
        f"{thing[0].upper()}{thing[1:]} was taken home by {a} in the evening.",
    ]
    retold = [
        f"{a} went to {place}.",
        f"For {much} crowns {thing} passed from {b} to {a}.",
        f"{c} wanted a share; owing money, {c} was denied by {b}.",
        f"{a} had {thing} at home by evening.",
    ]
    named = f"{thing[0].upper()}{thing[1:]}"
    wrong = [
        ("entity", 0, told, f"To {place} went {c}."),
        ("numerical", 1, told, f"{a} bought {thing} from {b} for {much + 7} crowns."),
        ("inversion", 2, told, f"{b} granted the share that {c} asked for, since {c} owed money."),
        ("event", 3, told, f"{named} was left behind by {a} in the evening."),
        ("entity", 0, retold, f"{c} went to {place}."),
        ("numerical", 1, retold, f"For {much + 7} crowns {thing} passed from {b} to {a}."),
        ("inversion", 2, retold, f"{c} wanted a share; owing money, {c} was served by {b}."),
        ("event", 3, retold, f"{a} had {thing} for sale by evening."),
    ]
    return {
        "book": book,
        "unit": f"{number:02}",
        "text": text,
        "summary": " ".join(summary),
        "paraphrase": [" ".join(told), " ".join(retold)],
        "wrong": [
            {
                "type": kind,
                "summary": " ".join([*base[:at], sentence, *base[at + 1 :]]),
                "sentence": sentence,
                "correction": base[at],
                "reason": f"the story says otherwise: {base[at]}",
            }
            for kind, at, base, sentence in wrong
        ],
    }


def chinese_line(book: str, number: int, seed: int) -> dict[str, Any]:
    """The same in Chinese, shorter."""
    rng = Random(f"{book} {number} {seed}")
    a, b, c = rng.sample(("林秋生", "沈玉兰", "周大海", "何小满", "赵长青", "苏文静"), 3)
    place, other = rng.sample(("磨坊", "码头", "祠堂", "集市", "渡口"), 2)
    thing = rng.choice(("一座铜钟", "一匹枣红马", "一张旧地图"))
    much = rng.choice(("十二", "二十五", "三十八"))
    mood = rng.choice(("那天一早就下着雨，巷子里满是泥。", "吃晚饭时谁也没有提起这件事。", "墙外的狗叫了半夜。"))
    text = (
        f"{book}第{number}回。{mood}{a}一早走到{place}去。\n\n{b}把{thing}卖给了{a}，要价{much}两银子。{a}没有还价，当场付清。\n\n"
        f"后来{c}从{other}赶来，想要分一份。{b}不肯，因为{c}早已欠着钱。{mood}\n\n傍晚{a}把{thing}带回了家，{c}独自回{other}去了。"
    )
    summary = [f"{a}到{place}去。", f"{b}把{thing}卖给{a}，价钱是{much}两银子。", f"{c}来分一份，{b}因{c}欠钱而不肯。"]
    told = [f"{a}去了{place}。", f"{a}用{much}两银子从{b}手里买下{thing}。", f"{b}因为{c}欠着钱，不答应分给{c}。"]
    changed = f"{a}用九十两银子从{b}手里买下{thing}。"
    denied = f"{b}虽然知道{c}欠着钱，还是答应分给{c}。"
    return {
        "book": book,
        "unit": number,
        "text": text,
        "summary": "".join(summary),
        "paraphrase": "".join(told),
        "wrong": [
            {
                "type": "numerical",
                "summary": told[0] + changed + told[2],
                "sentence": changed,
                "correction": told[1],
                "reason": f"原文说的是{much}两",
            },
            {
                "type": "inversion",
                "summary": told[0] + told[1] + denied,
                "sentence": denied,
                "correction": told[2],
                "reason": "原文说不肯",
            },
        ],
    }


def write_lines(path: Path, lines: list[dict[str, Any]]) -> str:
    """The lines as a JSONL file; its name."""
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def english_books(path: Path, books: int = 4, units: int = 8, *, bare: bool = False, seed: int = 0) -> str:
    """Some English books as a file; `bare` leaves paraphrases and errors to a model."""
    lines = [english_line(f"Book {book}", unit, seed) for book in range(books) for unit in range(units)]
    if bare:
        lines = [{key: line[key] for key in ("book", "unit", "text", "summary")} for line in lines]
    return write_lines(path, lines)
