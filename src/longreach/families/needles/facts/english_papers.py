"""English sentences of each theme, in the style of reports, legal papers, technical logs and modern novels."""

from __future__ import annotations

from .english_novel import NOVEL
from .lexicon import Wording

__all__ = ["LEGAL", "MODERN", "REPORT", "TECHNICAL"]

REPORT = {
    "ages": Wording(
        ("At the end of the year {x} had {age} of service.", "{y} had served {gap} longer than {x}."),
        ("How many years of service did {x} have?", "How many years longer than {x} had {y} served?"),
        ("How many years of service did {y} have?", "How many years of service did {x} and {y} have together?"),
    ),
    "ranking": Wording(
        (
            "{x}, a {trade}, scored higher than {y} in the annual review.",
            "In the annual review {y} scored {gap} more than {z}.",
        ),
        ("What was the job of {x}?", "By how many points did {y} and {z} differ in the annual review?"),
        (
            "Did {a} score higher than {b} in the annual review?",
            "Which of the three, {p}, {q} or {r}, had neither the highest nor the lowest score in the annual review?",
        ),
    ),
    "lease": Wording(
        (
            "On {date} {x} rented an office in {p} at {rent} a month.",
            "{x} gave up the office in {p} exactly {months} after renting it.",
        ),
        (
            "What rent did {x} pay each month for the office in {p}?",
            "After how many months did {x} give up the office in {p}?",
        ),
        ("How much rent did the office in {p} cost {x} in all?", "On what date did {x} give up the office in {p}?"),
    ),
    "endowment": Wording(
        (
            "{x} awarded {y} a grant of {total}.",
            "The only thing that {y} bought out of the grant was a {thing} at {price}.",
        ),
        ("How large was the grant that {y} received?", "How much did {y} pay for the {thing}?"),
        (
            "How much of the grant remained after {y} had paid for the {thing}?",
            "Who awarded the grant that paid for the {thing}?",
        ),
    ),
    "exchange": Wording(
        (
            "In {year} {x} handed a {thing} over to {y}.",
            "{y} kept the {thing} for {years} and then passed it to {z} in exchange for a {other}.",
        ),
        ("Who handed the {thing} over to {y}?", "What did {y} receive in exchange for the {thing}?"),
        (
            "Who were the three holders of the {thing}, from the first to the last?",
            "In what year did {y} part with the {thing}?",
        ),
    ),
    "journey": Wording(
        (
            "{x} took the shuttle bus to {p}, which left at {depart}.",
            "The shuttle bus took {hours} to reach {p}.",
        ),
        ("At what time did the shuttle bus to {p} leave?", "How many hours did the shuttle bus take to reach {p}?"),
        ("At what time did {x} arrive in {p}?", "Had {x} arrived in {p} by {limit}?"),
    ),
    "whereabouts": Wording(
        (
            "On {day} {x} arrived at {start}, worked in the {room} until {middle_short} and then in the {other} until "
            "{end_short}.",
            "On {day} at {moment} the {thing} was reported missing.",
        ),
        ("In which room did {x} work first on {day}?", "At what time on {day} was the {thing} reported missing?"),
        (
            "In which room was {x} when the {thing} was reported missing?",
            "How many hours after {x} arrived was the {thing} reported missing?",
        ),
    ),
    "dates": Wording(
        (
            "The audit led by {x} began on {weekday}, {date}.",
            "{y} presented the findings {days} after the start of the audit led by {x}.",
        ),
        (
            "On what date did the audit led by {x} begin?",
            "How many days after the start of the audit led by {x} did {y} present the findings?",
        ),
        ("On what date did {y} present the findings?", "On what day of the week did {y} present the findings?"),
    ),
    "stock": Wording(
        ("{x} had {count} {goods} for sale.", "{y} bought all the {goods} of {x} at {price} each."),
        ("How many {goods} did {x} have for sale?", "What did {y} pay for each of the {goods}?"),
        ("How much did {y} pay in all for the {goods}?", "How many {goods} did {y} buy?"),
    ),
    "route": Wording(
        ("{x} cycled {first} from {p} to {q}.", "From {q} {x} drove another {second} to {r} in a {vehicle}."),
        ("How many kilometres did {x} cycle on leaving {p}?", "In what vehicle did {x} drive to {r}?"),
        (
            "How many kilometres did {x} travel in all from {p} to {r}?",
            "Through which place did {x} pass on the way from {p} to {r}?",
        ),
    ),
    "command": Wording(
        (
            "{y} reported to {x} and to nobody else.",
            "{z}, who worked in the {room}, reported only to {y}.",
        ),
        ("To whom did {y} report?", "Where did {z} work?"),
        (
            "To whom did the superior of {z} report?",
            "Who were the two people above {z} in the line of reporting, the nearer one first?",
        ),
    ),
}

LEGAL = REPORT | {
    "ages": Wording(
        ("At the date of the hearing {x} was {age} old.", "{y} was {gap} older than {x}."),
        NOVEL["ages"].literal,
        NOVEL["ages"].inference,
    ),
    "ranking": Wording(
        (
            "{x}, a {trade}, filed a larger claim than {y}.",
            "The claim filed by {y} exceeded the claim filed by {z} by {gap}.",
        ),
        ("What was the occupation of {x}?", "By how much did the claims filed by {y} and {z} differ?"),
        (
            "Did {a} file a larger claim than {b}?",
            "Which of the three, {p}, {q} or {r}, filed neither the largest nor the smallest claim?",
        ),
    ),
    "lease": Wording(
        (
            "On {date} {x} leased premises in {p} at a rent of {rent} a month.",
            "{x} surrendered the premises in {p} exactly {months} after leasing them.",
        ),
        (
            "What rent did {x} pay each month for the premises in {p}?",
            "After how many months did {x} surrender the premises in {p}?",
        ),
        (
            "How much rent did the premises in {p} cost {x} in all?",
            "On what date did {x} surrender the premises in {p}?",
        ),
    ),
    "endowment": Wording(
        (
            "By will {x} left {y} a bequest of {total}.",
            "The only thing that {y} bought out of the bequest was a {thing} at {price}.",
        ),
        ("How large was the bequest that {y} received?", "How much did {y} pay for the {thing}?"),
        (
            "How much of the bequest remained after {y} had paid for the {thing}?",
            "Who left the bequest that paid for the {thing}?",
        ),
    ),
    "exchange": Wording(
        (
            "In {year} {x} sold a {thing} to {y}.",
            "{y} kept the {thing} for {years} and then transferred it to {z} in exchange for a {other}.",
        ),
        ("Who sold the {thing} to {y}?", "What did {y} receive in exchange for the {thing}?"),
        (
            "Who were the three owners of the {thing}, from the first to the last?",
            "In what year did {y} part with the {thing}?",
        ),
    ),
    "journey": Wording(
        ("{x} boarded the ferry to {p}, which departed at {depart}.", "The ferry took {hours} to reach {p}."),
        ("At what time did the ferry to {p} depart?", "How many hours did the ferry take to reach {p}?"),
        ("At what time did {x} arrive in {p}?", "Had {x} arrived in {p} by {limit}?"),
    ),
    "kinship": Wording(
        (
            "{y} was the only child of {x}, a widow residing in {p}.",
            "{y} was the mother of {count} children, of whom {z} was the eldest.",
        ),
        ("Where did {x} reside?", "How many children did {y} have?"),
        ("How many grandchildren did {x} have?", "Where did the grandmother of {z} on the mother's side reside?"),
    ),
    "whereabouts": Wording(
        (
            "On {day} {x} entered the building at {start}, remained in the {room} until {middle_short} and then in the "
            "{other} until {end_short}.",
            "On {day} at {moment} the {thing} was reported missing.",
        ),
        ("In which room did {x} remain first on {day}?", "At what time on {day} was the {thing} reported missing?"),
        (
            "In which room was {x} when the {thing} was reported missing?",
            "How many hours after {x} entered the building was the {thing} reported missing?",
        ),
    ),
    "dates": Wording(
        (
            "The complaint of {x} was filed on {weekday}, {date}.",
            "{y} filed an answer {days} after the complaint of {x} was filed.",
        ),
        (
            "On what date was the complaint of {x} filed?",
            "How many days after the complaint of {x} did {y} file an answer?",
        ),
        ("On what date did {y} file an answer?", "On what day of the week did {y} file an answer?"),
    ),
    "stock": Wording(
        ("{x} held title to {count} {goods}.", "{y} purchased all the {goods} of {x} at {price} each."),
        ("How many {goods} did {x} hold title to?", "What did {y} pay for each of the {goods}?"),
        ("How much did {y} pay in all for the {goods}?", "How many {goods} did {y} purchase?"),
    ),
    "route": Wording(
        ("{x} rode a bicycle {first} from {p} to {q}.", "From {q} {x} drove another {second} to {r} in a {vehicle}."),
        ("How many miles did {x} ride a bicycle on leaving {p}?", "In what vehicle did {x} drive to {r}?"),
        (
            "How many miles did {x} travel in all from {p} to {r}?",
            "Through which place did {x} pass on the way from {p} to {r}?",
        ),
    ),
    "command": Wording(
        (
            "{y} was answerable to {x} and to no other person.",
            "{z}, who was employed in the {room}, was answerable only to {y}.",
        ),
        ("To whom was {y} answerable?", "Where was {z} employed?"),
        (
            "To whom was the superior of {z} answerable?",
            "Who were the two people to whom {z} was directly or indirectly answerable, the nearer one first?",
        ),
    ),
}

TECHNICAL = REPORT | {
    "ages": Wording(
        ("At the last overhaul {x} had {age} of service at the plant.", "{y} had served {gap} longer than {x}."),
        REPORT["ages"].literal,
        REPORT["ages"].inference,
    ),
    "ranking": Wording(
        (
            "{x}, a {trade}, logged more time on night shift than {y}.",
            "On night shift {y} logged {gap} more than {z}.",
        ),
        ("What was the job of {x}?", "By how many hours did the night shift times of {y} and {z} differ?"),
        (
            "Did {a} log more time on night shift than {b}?",
            "Which of the three, {p}, {q} or {r}, logged neither the most nor the least time on night shift?",
        ),
    ),
    "endowment": Wording(
        (
            "{x} allotted {y} a tool budget of {total}.",
            "The only thing that {y} bought out of the tool budget was a {thing} at {price}.",
        ),
        ("How large was the tool budget that {y} received?", "How much did {y} pay for the {thing}?"),
        (
            "How much of the tool budget remained after {y} had paid for the {thing}?",
            "Who allotted the tool budget that paid for the {thing}?",
        ),
    ),
    "exchange": Wording(
        (
            "In {year} {x} issued a {thing} to {y}.",
            "{y} kept the {thing} for {years} and then passed it to {z} in exchange for a {other}.",
        ),
        ("Who issued the {thing} to {y}?", REPORT["exchange"].literal[1]),
        REPORT["exchange"].inference,
    ),
    "journey": Wording(
        ("{x} took the supply boat to {p}, which left at {depart}.", "The supply boat took {hours} to reach {p}."),
        ("At what time did the supply boat to {p} leave?", "How many hours did the supply boat take to reach {p}?"),
        ("At what time did {x} arrive in {p}?", "Had {x} arrived in {p} by {limit}?"),
    ),
    "dates": Wording(
        (
            "The inspection led by {x} was carried out on {weekday}, {date}.",
            "{y} restarted the main pump {days} after the inspection led by {x}.",
        ),
        (
            "On what date was the inspection led by {x} carried out?",
            "How many days after the inspection led by {x} did {y} restart the main pump?",
        ),
        ("On what date did {y} restart the main pump?", "On what day of the week did {y} restart the main pump?"),
    ),
    "stock": Wording(
        ("The store run by {x} held {count} {goods}.", "{y} bought all the {goods} of {x} at {price} each."),
        ("How many {goods} did the store run by {x} hold?", "What did {y} pay for each of the {goods}?"),
        ("How much did {y} pay in all for the {goods}?", "How many {goods} did {y} buy?"),
    ),
    "command": Wording(
        (
            "{y} reported to {x} and to nobody else.",
            "{z}, who was stationed in the {room}, reported only to {y}.",
        ),
        ("To whom did {y} report?", "Where was {z} stationed?"),
        REPORT["command"].inference,
    ),
}

MODERN = NOVEL | {
    "ranking": Wording(
        ("{x}, a {trade} by profession, was taller than {y}.", NOVEL["ranking"].facts[1]),
        ("What was the profession of {x}?", NOVEL["ranking"].literal[1]),
        NOVEL["ranking"].inference,
    ),
    "journey": Wording(
        ("{x} took the night bus to {p}, which left at {depart}.", "The night bus took {hours} to reach {p}."),
        ("At what time did the night bus to {p} leave?", "How many hours did the night bus take to reach {p}?"),
        NOVEL["journey"].inference,
    ),
    "dates": Wording(
        (NOVEL["dates"].facts[0], "{y} moved abroad {days} after the wedding of {x}."),
        (NOVEL["dates"].literal[0], "How many days after the wedding of {x} did {y} move abroad?"),
        ("On what date did {y} move abroad?", "On what day of the week did {y} move abroad?"),
    ),
    "command": Wording(
        REPORT["command"].facts,
        REPORT["command"].literal,
        REPORT["command"].inference,
    ),
}
