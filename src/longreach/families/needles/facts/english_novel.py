"""English sentences of each theme, in the style of a nineteenth-century novel."""

from __future__ import annotations

from .lexicon import Wording

__all__ = ["NOVEL"]

NOVEL = {
    "ages": Wording(
        ("In that year {x} was {age} old.", "It was well known that {y} was {gap} older than {x}."),
        ("How old was {x}?", "How many years older than {x} was {y}?"),
        ("How old was {y}?", "What did the ages of {x} and {y} come to when added together?"),
    ),
    "ranking": Wording(
        ("{x}, a {trade} by calling, was taller than {y}.", "{y} stood {gap} taller than {z}."),
        ("What was the calling of {x}?", "By how many inches did {y} and {z} differ in height?"),
        ("Was {a} taller than {b}?", "Which of the three, {p}, {q} or {r}, was neither the tallest nor the shortest?"),
    ),
    "lease": Wording(
        (
            "On {date} {x} rented a house in {p} at {rent} a month.",
            "{x} gave up the house in {p} exactly {months} after renting it.",
        ),
        (
            "What rent did {x} pay each month for the house in {p}?",
            "After how many months did {x} give up the house in {p}?",
        ),
        ("How much rent did the house in {p} cost {x} in all?", "On what date did {x} give up the house in {p}?"),
    ),
    "endowment": Wording(
        (
            "{x} left {y} a legacy of {total}.",
            "The only thing that {y} bought out of the legacy was a {thing} at {price}.",
        ),
        ("How large was the legacy that {y} received?", "How much did {y} pay for the {thing}?"),
        (
            "How much of the legacy remained after {y} had paid for the {thing}?",
            "Who left the legacy that paid for the {thing}?",
        ),
    ),
    "exchange": Wording(
        (
            "In {year} {x} gave a {thing} to {y}.",
            "{y} kept the {thing} for {years} and then gave it to {z} in exchange for a {other}.",
        ),
        ("Who gave the {thing} to {y}?", "What did {y} receive in exchange for the {thing}?"),
        (
            "Who were the three owners of the {thing}, from the first to the last?",
            "In what year did {y} part with the {thing}?",
        ),
    ),
    "journey": Wording(
        (
            "{x} took the mail coach to {p}, which left at {depart}.",
            "The mail coach took {hours} to reach {p}.",
        ),
        ("At what time did the mail coach to {p} leave?", "How many hours did the mail coach take to reach {p}?"),
        ("At what time did {x} arrive in {p}?", "Had {x} arrived in {p} by {limit}?"),
    ),
    "kinship": Wording(
        (
            "{y} was the only child of {x}, a widow who lived in {p}.",
            "{y} was the mother of {count} children, of whom {z} was the eldest.",
        ),
        ("Where did {x} live?", "How many children did {y} have?"),
        ("How many grandchildren did {x} have?", "Where did the grandmother of {z} on the mother's side live?"),
    ),
    "whereabouts": Wording(
        (
            "On {day} {x} came in at {start}, sat in the {room} until {middle_short} and then in the {other} until "
            "{end_short}.",
            "On {day}, at {moment}, the {thing} was found to be missing.",
        ),
        (
            "In which room did {x} sit first on {day}?",
            "At what time on {day} was the {thing} found to be missing?",
        ),
        (
            "In which room was {x} when the {thing} was found to be missing?",
            "How many hours after {x} came in was the {thing} found to be missing?",
        ),
    ),
    "dates": Wording(
        (
            "The wedding of {x} was held on {weekday}, {date}.",
            "{y} set sail for the Indies {days} after the wedding of {x}.",
        ),
        (
            "On what date was the wedding of {x} held?",
            "How many days after the wedding of {x} did {y} set sail?",
        ),
        ("On what date did {y} set sail?", "On what day of the week did {y} set sail?"),
    ),
    "stock": Wording(
        ("{x} owned {count} {goods}.", "{y} bought all the {goods} of {x} at {price} apiece."),
        ("How many {goods} did {x} own?", "What did {y} pay for each of the {goods}?"),
        ("How much did {y} pay in all for the {goods}?", "How many {goods} did {y} buy?"),
    ),
    "route": Wording(
        ("{x} walked {first} from {p} to {q}.", "From {q} {x} drove another {second} to {r} in a {vehicle}."),
        ("How many miles did {x} walk on leaving {p}?", "In what vehicle did {x} drive to {r}?"),
        (
            "How many miles did {x} travel in all from {p} to {r}?",
            "Through which place did {x} pass on the way from {p} to {r}?",
        ),
    ),
    "command": Wording(
        (
            "{y} took orders from {x} and from nobody else.",
            "{z}, who worked in the {room}, took orders only from {y}.",
        ),
        ("From whom did {y} take orders?", "Where did {z} work?"),
        (
            "From whom did the superior of {z} take orders?",
            "Who were the two people above {z} in rank, the nearer one first?",
        ),
    ),
}
