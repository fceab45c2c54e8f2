"""The English voice: an invented provincial town of the nineteenth century."""

from __future__ import annotations

import re
from functools import cache
from random import Random

from longreach.core.number_words import english_number, ordinal_word

from .calendar import day_of_month, same_month, season
from .vocabulary import load_vocabulary
from .voice import Voice
from .world import Person, Register, Relation

__all__ = ["English"]

_MONTHS = [
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
    "January",
    "February",
]
_FIRST_YEAR = 1829
_PRONOUNS = {"m": ("he", "him", "his", "man"), "f": ("she", "her", "her", "woman")}
_UNITS = {"nights": "night", "days": "day", "votes": "vote", "years": "year", "weeks": "week", "money": "pound"}
_CAPITAL = re.compile(r"\b[A-Z]\w*")
_PRONOUN = re.compile(r"\b(?:[Hh]e|[Ss]he|[Hh]is|[Hh]im|[Hh]er)\b")


@cache
def _names() -> frozenset[str]:
    words = load_vocabulary("en")
    return frozenset((*words.men, *words.women, *words.families))


class English(Voice):
    """Amounts in pounds, dates in words, wives keep their own names."""

    language = "en"
    space = " "
    per_token = 4.5
    comma = ", "
    after = ", after {}"
    room = re.compile(
        r"\b(?:doors?|doorways?|tables?|chairs?|stools?|ceiling|floors?|stairs?|curtains?|indoors|room|one lamp)\b"
    )
    grown = re.compile(r"beard|whiskers|white lock|lost two teeth")

    def full(self, person: Person) -> str:
        return f"{self.short(person)} {self.words.families[person.family]}"

    def owner(self, name: str) -> str:
        return f"{name}'s"

    def describe(self, key: str, person: Person, age: int) -> dict[str, str]:
        he, him, his, man = _PRONOUNS[person.sex]
        trade = self.words.trades[person.trade]
        trade = f"an {trade}" if trade[0] in "aeiou" else f"a {trade}"
        return {
            f"{key}.f": self.full(person),
            f"{key}.s": self.short(person),
            f"{key}.he": he,
            f"{key}.He": he.capitalize(),
            f"{key}.him": him,
            f"{key}.his": his,
            f"{key}.His": his.capitalize(),
            f"{key}.man": man,
            f"{key}.trade": trade,
            f"{key}.look": self.look(person),
            f"{key}.years": english_number(age if age < 20 else (age + 2) // 5 * 5),
        }

    def amount(self, measure: str, n: int, item: str | None) -> str:
        if measure == "age":
            return english_number(n)
        if measure == "goods" and item is not None:
            return f"{english_number(n)} {self.words.goods[item][n != 1]}"
        return f"{english_number(n)} {_UNITS[measure]}{'' if n == 1 else 's'}"

    def spot(self, place: str) -> dict[str, str]:
        if place.startswith("town"):
            name = self.words.towns[self.places[place]]
            return {"p": name, "P": name, "at": f"in {name}", "At": f"In {name}", "near": f"in {name}"}
        before, *names = self.words.spots[place]
        name = names[self.places[place]]
        at = f"{before} {name}"
        near = f"near {name}"
        return {"p": name, "P": self.capital(name), "at": at, "At": self.capital(at), "near": near}

    def date(self, day: int) -> str:
        _, month, number = day_of_month(day)
        return f"the {ordinal_word(number)} of {_MONTHS[month]}"

    def on(self, day: int) -> str:
        return f" on {self.date(day)}"

    def lead(self, day: int) -> str:
        return f"On {self.date(day)} "

    def when(self, day: int, before: int | None, dated: bool, rng: Random) -> str:
        if dated or before is None:
            return f"on {self.date(day)}"
        gap = day - before
        if gap == 0:
            return rng.choice(("the same day", "on that same day", "before that day was over", "later that day"))
        if gap == 1:
            return rng.choice(("the next day", "the day after", "on the following day", "a day later"))
        if same_month(day, before):
            count = english_number(gap)
            return rng.choice((f"{count} days later", f"some {count} days afterwards", f"when {count} days had passed"))
        return rng.choice(("some days later", "a few days afterwards", "not many days later"))

    def time(self, day: int) -> dict[str, str]:
        year, month, _ = day_of_month(day)
        return {"season": season(day), "month": _MONTHS[month], "year": str(_FIRST_YEAR + year + (month >= 10))}

    def relation(self, relation: Relation, world: Register) -> dict[str, str]:  # noqa: ARG002
        word = self.words.relations.get(relation.name, relation.name)
        return {"rel": word, "a.rel": f"an {word}" if word[0] in "aeiou" else f"a {word}"}

    def title(self) -> str:
        return f"A Chronicle of {self.town}"

    def heading(self, number: int, day: int, titles: list[str]) -> str:
        time = self.time(day)
        return f"Chapter {number}. {titles[0]} ({time['month']} {time['year']})"

    def capital(self, text: str) -> str:
        return text[:1].upper() + text[1:]

    def finish(self, paragraph: str) -> str:
        return paragraph.replace("  ", " ")

    def mask(self, text: str) -> str:
        masked = _CAPITAL.sub(lambda word: "*" if word[0] in _names() else word[0], text)
        return _PRONOUN.sub("#", masked).replace("* *", "*")

    def flow(self, sentences: list[str], person: Person) -> list[str]:
        full, name = self.full(person), self.short(person)
        he, _, his, _ = _PRONOUNS[person.sex]
        flowing = sentences[:1]
        for sentence in sentences[1:]:
            if sentence.startswith(full):
                pass
            elif sentence.startswith(f"{name} "):
                sentence = he.capitalize() + sentence.removeprefix(name)
            elif sentence.startswith(f"{name}'s "):
                sentence = his.capitalize() + sentence.removeprefix(f"{name}'s")
            flowing.append(sentence)
        return flowing
