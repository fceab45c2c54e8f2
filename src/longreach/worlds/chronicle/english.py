"""The English voice: an invented provincial town of the nineteenth century."""

from __future__ import annotations

import re
from random import Random

from longreach.core.number_words import english_number, ordinal_word

from . import english_words as words
from .calendar import day_of_month, same_month, season
from .kinds import KINDS
from .template import load_stock
from .voice import Voice
from .world import Act, Person, Register, Relation

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


_NAME = re.compile(rf"\b(?:{'|'.join((*words.MEN, *words.WOMEN, *words.FAMILIES))})\b")
_PRONOUN = re.compile(r"\b(?:[Hh]e|[Ss]he|[Hh]is|[Hh]im|[Hh]er)\b")
_ROOM = re.compile(
    r"\b(?:doors?|doorways?|tables?|chairs?|stools?|ceiling|floors?|stairs?|curtains?|indoors|room|one lamp)\b"
)
_GROWN = re.compile(r"beard|whiskers|white lock|lost two teeth")


class English(Voice):
    """Amounts in pounds, dates in words, wives keep their own names."""

    language = "en"
    space = " "
    per_token = 4.5

    def name_town(self, rng: Random) -> tuple[str, str]:
        return rng.choice(words.TOWN_NAMES), rng.choice(words.RIVERS)

    def full(self, person: Person) -> str:
        return f"{self.short(person)} {words.FAMILIES[person.family]}"

    def short(self, person: Person) -> str:
        return (words.MEN if person.sex == "m" else words.WOMEN)[person.given]

    def owner(self, name: str) -> str:
        return f"{name}'s"

    def describe(self, key: str, person: Person, age: int) -> dict[str, str]:
        he, him, his, man = _PRONOUNS[person.sex]
        trade = words.TRADES[person.trade]
        trade = f"an {trade}" if trade[0] in "aeiou" else f"a {trade}"
        stock = load_stock("en")
        looks, more = ([str(look[0]) for look in stock[pool]] for pool in (f"look.{person.sex}", "look.more"))
        look = self.look(person, looks, [f", {also}" for also in more], lambda text: bool(_GROWN.search(text)))
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
            f"{key}.look": look,
            f"{key}.years": english_number(age if age < 20 else (age + 2) // 5 * 5),
        }

    def act(self, act: Act) -> dict[str, str]:
        kind = KINDS[act.action]
        slots: dict[str, str] = {}
        if act.amount is not None:
            slots["n"] = self._amount(kind.measure, act.amount, act.item)
            slots["N"] = self.capital(slots["n"])
        slots["after"] = f", after {slots['n']}" if act.action == "return" and act.amount is not None else ""
        if act.item is not None:
            slots |= self._item(kind.item, act.item)
            slots["I"] = self.capital(slots["i"])
        if act.manner is not None:
            slots["m"] = words.MANNERS[act.manner]
        slots["how"] = f", {slots['m']}" if act.manner is not None else ""
        if act.place is not None:
            slots |= self.spot(act.place)
        return slots

    def _amount(self, measure: str, n: int, item: str | None) -> str:
        if measure == "age":
            return english_number(n)
        if measure == "goods" and item is not None:
            return f"{english_number(n)} {words.GOODS[item][n != 1]}"
        return f"{english_number(n)} {_UNITS[measure]}{'' if n == 1 else 's'}"

    def _item(self, kind: str, item: str) -> dict[str, str]:
        if kind == "thing":
            thing = words.THINGS[item]
            return {"a.i": thing, "i": thing.split(" ", 1)[1]}
        if kind == "goods":
            return {"i": words.GOODS[item][2], "g": words.GOODS[item][2]}
        if kind == "feeling":
            return {"i": item, "f": words.FEELINGS[item]}
        table = {"illness": words.ILLNESSES, "office": words.OFFICES, "topic": words.TOPICS}.get(kind, {})
        return {"i": table.get(item, item)}

    def spot(self, place: str) -> dict[str, str]:
        if place.startswith("town"):
            name = words.TOWNS[self.places[place]]
            return {"p": name, "P": name, "at": f"in {name}", "At": f"In {name}", "near": f"in {name}"}
        before, names = words.SPOTS[place]
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
        word = words.RELATIONS.get(relation.name, relation.name)
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
        return _PRONOUN.sub("#", _NAME.sub("*", text)).replace("* *", "*")

    def is_indoors(self, text: str) -> bool:
        return bool(_ROOM.search(text))

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
