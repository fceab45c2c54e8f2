"""English questions that no fact answers, by register."""

from __future__ import annotations

__all__ = ["ABSENT_PEOPLE", "DETAILS"]

ABSENT_PEOPLE: dict[str, tuple[tuple[str, str], ...]] = {
    "novel": (
        ("years", "How old was {z}?"),
        ("trade", "What was the calling of {z}?"),
        ("lived_in", "Where did {z} live?"),
        ("superior", "From whom did {z} take orders?"),
        ("children", "How many children did {z} have?"),
        ("endowment", "How large was the legacy that {z} received?"),
        ("held_on_date", "On what date was the wedding of {z} held?"),
    ),
    "modern": (
        ("years", "How old was {z}?"),
        ("trade", "What was the profession of {z}?"),
        ("lived_in", "Where did {z} live?"),
        ("superior", "To whom did {z} report?"),
        ("children", "How many children did {z} have?"),
        ("endowment", "How large was the legacy that {z} received?"),
        ("held_on_date", "On what date was the wedding of {z} held?"),
    ),
    "report": (
        ("years", "How many years of service did {z} have?"),
        ("trade", "What was the job of {z}?"),
        ("superior", "To whom did {z} report?"),
        ("room_of", "Where did {z} work?"),
        ("endowment", "How large was the grant that {z} received?"),
        ("held_on_date", "On what date did the audit led by {z} begin?"),
    ),
    "legal": (
        ("years", "How old was {z}?"),
        ("trade", "What was the occupation of {z}?"),
        ("lived_in", "Where did {z} reside?"),
        ("superior", "To whom was {z} answerable?"),
        ("children", "How many children did {z} have?"),
        ("endowment", "How large was the bequest that {z} received?"),
        ("held_on_date", "On what date was the complaint of {z} filed?"),
    ),
    "technical": (
        ("years", "How many years of service did {z} have?"),
        ("trade", "What was the job of {z}?"),
        ("superior", "To whom did {z} report?"),
        ("room_of", "Where was {z} stationed?"),
        ("endowment", "How large was the tool budget that {z} received?"),
        ("held_on_date", "On what date was the inspection led by {z} carried out?"),
    ),
}
"""Questions about people who never appear: the predicate asked for, and the sentence."""

_MODERN_DETAILS = (
    ("university", "At which university did {x} study?"),
    ("languages", "How many foreign languages did {x} speak?"),
    ("salary", "What was the salary of {x}?"),
    ("nickname", "What nickname did colleagues give {x}?"),
    ("birthday", "On what date was the birthday of {x}?"),
    ("allergic", "To what food was {x} allergic?"),
    ("password", "What password did {x} use?"),
    ("bank", "With which bank did {x} have an account?"),
    ("hobby", "What was the favourite hobby of {x}?"),
    ("passport", "In what country was the passport of {x} issued?"),
)
DETAILS: dict[str, tuple[tuple[str, str], ...]] = {
    "novel": (
        ("eyes", "What colour were the eyes of {x}?"),
        ("dog", "What was the name of the dog that belonged to {x}?"),
        ("godfather", "Who was the godfather of {x}?"),
        ("song", "Which song did {x} like best?"),
        ("illness", "From what illness did {x} suffer in childhood?"),
        ("tutor", "Who was the tutor of {x}?"),
        ("debts", "How large were the debts of {x}?"),
        ("buried", "In which churchyard was {x} buried?"),
        ("regiment", "In which regiment did {x} serve?"),
        ("flower", "What was the favourite flower of {x}?"),
    ),
    "modern": _MODERN_DETAILS,
    "report": _MODERN_DETAILS,
    "legal": _MODERN_DETAILS,
    "technical": _MODERN_DETAILS,
}
"""Details that no fact gives: the word for the detail, and the sentence."""
