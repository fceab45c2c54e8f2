"""The languages of the narrator and the summaries: English and Chinese behind one interface."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from functools import cache
from random import Random

from longreach.core.language import chinese_number, english_number, ordinal_word

from .simulation import YEAR
from .template import load_stock, load_vocabulary
from .world import KINDS, Act, Person, Register, Relation, day_of_month, same_month, season

# The language interface of the narrator and the summaries.

_BEARDED = -22 * YEAR
"""Latest birthday of a man old enough for a beard on day 0."""


class Voice(ABC):
    """Names and numbers of one language in one world; one subclass per language."""

    language: str
    space: str
    """Separates two sentences."""
    per_token: float
    """Approximate characters of this prose per token, for use without a tokenizer."""

    comma: str
    after: str
    """Pattern of the days that somebody was away."""
    owned: str
    """Pattern of a name as an owner: `Silas's`."""
    on_date: str
    """Pattern of the date after a clause of a summary, with its own space."""
    lead_date: str
    """Pattern of the date before a clause of a summary."""
    book: str
    """Pattern of the title of a book."""
    doubled: dict[str, str]
    """What filling patterns may double, and what it becomes."""
    dated: tuple[str, ...]
    """Patterns of the time of a scene with its date,"""
    same_day: tuple[str, ...]
    next_day: tuple[str, ...]
    days_later: tuple[str, ...]
    some_days_later: tuple[str, ...]
    """and without it, relative to the scene before."""
    room: re.Pattern[str]
    """What only a room has: a door, a table, a ceiling."""
    grown: re.Pattern[str]
    """What only a grown man's description has."""

    def __init__(self, seed: int, places: dict[str, int]) -> None:
        self.seed = seed
        self.places = places
        self.words = load_vocabulary(self.language)
        pick = Random(f"chronicle names {seed}")
        self.town, self.river = pick.choice(self.words.town_names), pick.choice(self.words.rivers)
        self._looks: dict[str, tuple[str, str]] = {}
        self._described: dict[tuple[str, str, int], dict[str, str]] = {}

    @abstractmethod
    def full(self, person: Person) -> str:
        """The whole name."""

    def short(self, person: Person) -> str:
        """The given name."""
        return (self.words.men if person.sex == "m" else self.words.women)[person.given]

    def owner(self, name: str) -> str:
        """The name as an owner."""
        return self.owned.format(name)

    def person(self, key: str, person: Person, day: int) -> dict[str, str]:
        """Slots `key.he`, `key.trade`, ... of a person on a day."""
        age = (day - person.born) // YEAR
        known = self._described.get((key, person.id, age))
        if known is None:
            known = self._described[key, person.id, age] = self.describe(key, person, age)
        return known

    @abstractmethod
    def describe(self, key: str, person: Person, age: int) -> dict[str, str]:
        """The same at an age."""

    def act(self, act: Act) -> dict[str, str]:
        """Slots of an act: `n`, `i`, `p`, `at`, `m`, ...; a slot's value may itself be a pattern."""
        kind = KINDS[act.action]
        slots: dict[str, str] = {}
        if act.amount is not None:
            slots["n"] = self.amount(kind.measure, act.amount, act.item)
            slots["N"] = self.capital(slots["n"])
        slots["after"] = self.after.format(slots["n"]) if act.action == "return" and act.amount is not None else ""
        if act.item is not None:
            slots |= self._item(kind.item, act.item)
            slots["I"] = self.capital(slots["i"])
        if act.manner is not None:
            slots["m"] = self.words.manners[act.manner]
        slots["how"] = f"{self.comma}{slots['m']}" if act.manner is not None else ""
        if act.place is not None:
            slots |= self.spot(act.place)
        return slots

    def _item(self, kind: str, item: str) -> dict[str, str]:
        words = self.words
        if kind == "thing":
            one, thing = words.things[item]
            return {"a.i": f"{one}{self.space}{thing}", "i": thing, "one": one}
        if kind == "goods":
            return {"i": words.goods[item][-1], "g": words.goods[item][-1]}
        if kind == "feeling":
            return {"i": item, "f": words.feelings[item]}
        tables = {"illness": words.illnesses, "office": words.offices, "topic": words.topics, "child": words.children}
        return {"i": tables[kind][item]}

    @abstractmethod
    def amount(self, measure: str, n: int, item: str | None) -> str:
        """An amount with what it counts."""

    @abstractmethod
    def spot(self, place: str) -> dict[str, str]:
        """Slots `p`, `at`, ... of a place."""

    @abstractmethod
    def date(self, day: int) -> str:
        """`the fourteenth of March`."""

    def on(self, day: int) -> str:
        """The date after a clause of a summary."""
        return self.on_date.format(self.date(day))

    def lead(self, day: int) -> str:
        """The date before a clause of a summary."""
        return self.lead_date.format(self.date(day))

    def when(self, day: int, before: int | None, dated: bool, rng: Random) -> str:
        """The time of a scene, relative to the day of the previous scene."""
        if dated or before is None:
            form = rng.choice(self.dated) if len(self.dated) > 1 else self.dated[0]
            return form.format(self.date(day))
        gap = day - before
        if gap < 2:
            return rng.choice(self.next_day if gap else self.same_day)
        if same_month(day, before):
            return rng.choice(self.days_later).format(self.number(gap))
        return rng.choice(self.some_days_later)

    @abstractmethod
    def number(self, n: int) -> str:
        """A number before what it counts."""

    @abstractmethod
    def time(self, day: int) -> dict[str, str]:
        """Slots `season`, `month`, `year`."""

    @abstractmethod
    def relation(self, relation: Relation, world: Register) -> dict[str, str]:
        """Slots `rel`, `a.rel`."""

    def title(self) -> str:
        """The title of the book."""
        return self.book.format(self.town)

    @abstractmethod
    def heading(self, number: int, day: int, titles: list[str]) -> str:
        """The first line of a unit."""

    def capital(self, text: str) -> str:
        """The text as it begins a sentence; Chinese has no capitals."""
        return text[:1].upper() + text[1:]

    def finish(self, paragraph: str) -> str:
        """Final corrections to a paragraph."""
        for twice, once in self.doubled.items():
            paragraph = paragraph.replace(twice, once)
        return paragraph

    def flow(self, sentences: list[str], person: Person) -> list[str]:
        """Sentences about one person, where those after the first need not begin with the name."""
        full, pronouns = self.full(person), self.pronouns(person)
        flowing = sentences[:1]
        for sentence in sentences[1:]:
            name = next((name for name in pronouns if sentence.startswith(name) and not sentence.startswith(full)), "")
            flowing.append(pronouns[name] + sentence.removeprefix(name) if name else sentence)
        return flowing

    @abstractmethod
    def pronouns(self, person: Person) -> dict[str, str]:
        """What the name at the beginning of a sentence becomes."""

    @abstractmethod
    def mask(self, text: str) -> str:
        """The text with every person's name replaced by the same mark, so that only the wording remains."""

    def is_indoors(self, text: str) -> bool:
        """Whether a text mentions what only a room has."""
        return bool(self.room.search(text))

    def look(self, person: Person) -> str:
        """This person's description, constant throughout the book and unique among the same sex."""
        if person.id not in self._looks:
            stock = load_stock(self.language)
            looks, more = ([str(look[0]) for look in stock[pool]] for pool in (f"look.{person.sex}", "look.more"))
            taken = {look for sex, look in self._looks.values() if sex == person.sex}
            rng = Random(f"chronicle look {self.seed} {person.id}")
            grown = person.born < _BEARDED
            plain = [look for look in looks if look not in taken and (grown or not self.grown.search(look))]
            if not plain:
                longer = [f"{look}{self.comma}{also}" for look in looks for also in more]
                plain = [look for look in longer if look not in taken]
            self._looks[person.id] = person.sex, rng.choice(plain or looks)
        return self._looks[person.id][1]


# The English voice: an invented provincial town of the nineteenth century.

_MONTHS = (
    *("March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December", "January", "February"),
)
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
    owned, on_date, lead_date, book = "{}'s", " on {}", "On {} ", "A Chronicle of {}"
    doubled = {"  ": " "}  # noqa: RUF012  (read only)
    dated = ("on {}",)
    same_day = ("the same day", "on that same day", "before that day was over", "later that day")
    next_day = ("the next day", "the day after", "on the following day", "a day later")
    days_later = ("{} days later", "some {} days afterwards", "when {} days had passed")
    some_days_later = ("some days later", "a few days afterwards", "not many days later")
    room = re.compile(
        r"\b(?:doors?|doorways?|tables?|chairs?|stools?|ceiling|floors?|stairs?|curtains?|indoors|room|one lamp)\b"
    )
    grown = re.compile(r"beard|whiskers|white lock|lost two teeth")

    def full(self, person: Person) -> str:
        return f"{self.short(person)} {self.words.families[person.family]}"

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

    def number(self, n: int) -> str:
        return english_number(n)

    def time(self, day: int) -> dict[str, str]:
        year, month, _ = day_of_month(day)
        return {"season": season(day), "month": _MONTHS[month], "year": str(_FIRST_YEAR + year + (month >= 10))}

    def relation(self, relation: Relation, world: Register) -> dict[str, str]:  # noqa: ARG002
        word = self.words.relations.get(relation.name, relation.name)
        return {"rel": word, "a.rel": f"an {word}" if word[0] in "aeiou" else f"a {word}"}

    def heading(self, number: int, day: int, titles: list[str]) -> str:
        time = self.time(day)
        return f"Chapter {number}. {titles[0]} ({time['month']} {time['year']})"

    def mask(self, text: str) -> str:
        masked = _CAPITAL.sub(lambda word: "*" if word[0] in _names() else word[0], text)
        return _PRONOUN.sub("#", masked).replace("* *", "*")

    def pronouns(self, person: Person) -> dict[str, str]:
        name, (he, _, his, _) = self.short(person), _PRONOUNS[person.sex]
        return {f"{name} ": f"{he.capitalize()} ", f"{name}'s ": f"{his.capitalize()} "}


# The Chinese voice: a river town at the end of the empire, with the lunar calendar.

_CHINESE_MONTHS = ("正月", "二月", "三月", "四月", "五月", "六月", "七月", "八月", "九月", "十月", "冬月", "腊月")
_SEASONS = {"spring": "春", "summer": "夏", "autumn": "秋", "winter": "冬"}
_STEMS, _BRANCHES = "甲乙丙丁戊己庚辛壬癸", "子丑寅卯辰巳午未申酉戌亥"
_CHINESE_FIRST_YEAR = 18
"""The first year's position in the sexagenary cycle."""
_CHINESE_UNITS = {
    "nights": "夜",
    "days": "天",
    "votes": "票",
    "years": "年",
    "weeks": "个礼拜",
    "money": "块大洋",
    "age": "岁",
}
_CHINESE_PRONOUN = re.compile("[他她]")


@cache
def _chinese_names() -> re.Pattern[str]:
    words = load_vocabulary("zh")
    given = "|".join(sorted((*words.men, *words.women), key=len, reverse=True))
    return re.compile(f"(?:{'|'.join(words.families)})?(?:{given})")


class Chinese(Voice):
    """Amounts in silver dollars, numbers in words, kin by side and age."""

    language = "zh"
    space = ""
    per_token = 1.2
    comma = "，"
    after = "，去了{}"
    owned, on_date, lead_date, book = "{}的", "，时在{}", "{}，", "{}纪事"
    doubled = {"，，": "，", "的的": "的"}  # noqa: RUF012  (read only)
    dated = ("{}", "{}这天", "{}那一日")
    same_day = ("当天", "同一天", "这一日晚些时候", "就在当日")
    next_day = ("第二天", "次日", "转过天来", "隔了一天")
    days_later = ("过了{}天", "{}天以后", "又过{}日")
    some_days_later = ("过了些日子", "隔了几天", "没过多少日子")
    room = re.compile(
        "门口|门槛|[关开]门|[关带]上门|背对着门|门后|门板|进门|桌|椅|凳|楼梯|屋[里顶]|地板|帘|里间|一盏灯"
    )
    grown = re.compile("胡子|少了两颗牙|一绺白")

    def full(self, person: Person) -> str:
        return self.words.families[person.family] + self.short(person)

    def describe(self, key: str, person: Person, age: int) -> dict[str, str]:
        family = self.words.families[person.family]
        if person.sex == "m":
            call = family + (self.words.address[person.trade] if age >= 20 else "家兄弟")
        else:
            younger = "嫂子" if age >= 26 else "姑娘"
            call = family + ("大婶" if age >= 40 else younger)
        return {
            f"{key}.f": self.full(person),
            f"{key}.s": self.short(person),
            f"{key}.ta": "他" if person.sex == "m" else "她",
            f"{key}.trade": self.words.trades[person.trade],
            f"{key}.call": call,
            f"{key}.look": self.look(person),
            f"{key}.years": chinese_number(age) if age < 20 else chinese_number((age + 2) // 5 * 5),
        }

    def amount(self, measure: str, n: int, item: str | None) -> str:
        counted = (
            "".join(self.words.goods[item]) if measure == "goods" and item is not None else _CHINESE_UNITS[measure]
        )
        return self.number(n) + counted

    def spot(self, place: str) -> dict[str, str]:
        town = place.startswith("town")
        name = self.words.towns[self.places[place]] if town else self.words.spots[place][self.places[place]]
        return {"p": name, "P": name, "at": f"在{name}", "At": f"在{name}", "near": f"{name}附近"}

    def date(self, day: int) -> str:
        _, month, number = day_of_month(day)
        return f"{_CHINESE_MONTHS[month]}{'初' if number <= 10 else ''}{chinese_number(number)}"

    def number(self, n: int) -> str:
        return "两" if n == 2 else chinese_number(n)

    def time(self, day: int) -> dict[str, str]:
        year, month, _ = day_of_month(day)
        turn = _CHINESE_FIRST_YEAR + year
        return {
            "season": _SEASONS[season(day)],
            "month": _CHINESE_MONTHS[month],
            "year": f"{_STEMS[turn % 10]}{_BRANCHES[turn % 12]}年",
        }

    def relation(self, relation: Relation, world: Register) -> dict[str, str]:
        word = self._kin(relation.name, world.person[relation.subject], world.person[relation.object], world)
        return {"rel": word, "a.rel": word}

    def _kin(self, name: str, one: Person, other: Person, world: Register) -> str:
        """The kinship term for `one` relative to `other`, which in Chinese depends on side and relative age."""
        if name in self.words.relations:
            return self.words.relations[name]
        older = one.born < other.born
        paternal = one.family == other.family
        if name == "brother":
            return "哥哥" if older else "弟弟"
        if name == "sister":
            return "姐姐" if older else "妹妹"
        if name == "uncle":
            father = world.person.get(other.father or "")
            fathers_brother = "伯父" if father is not None and one.born < father.born else "叔父"
            return fathers_brother if paternal else "舅父"
        if name == "aunt":
            return "姑母" if paternal else "姨母"
        if name in ("nephew", "niece"):
            side = "侄" if paternal else "外甥"
            son = "子" if paternal else ""
            return side + ("女" if name == "niece" else son)
        if name == "cousin":
            side = "堂" if paternal else "表"
            return side + {"m": "兄" if older else "弟", "f": "姐" if older else "妹"}[one.sex]
        if other.sex == "m":
            return "岳父" if name == "father_in_law" else "岳母"
        return "公公" if name == "father_in_law" else "婆婆"

    def heading(self, number: int, day: int, titles: list[str]) -> str:  # noqa: ARG002
        return f"第{chinese_number(number)}回　{'　'.join(titles)}"

    def mask(self, text: str) -> str:
        return _CHINESE_PRONOUN.sub("#", _chinese_names().sub("*", text))

    def pronouns(self, person: Person) -> dict[str, str]:
        return {self.short(person): "他" if person.sex == "m" else "她"}
