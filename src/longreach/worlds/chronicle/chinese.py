"""The Chinese voice: a river town at the end of the empire, with the lunar calendar."""

from __future__ import annotations

import re
from functools import cache
from random import Random

from longreach.core.number_words import chinese_number

from .calendar import day_of_month, same_month, season
from .vocabulary import load_vocabulary
from .voice import Voice
from .world import Person, Register, Relation

__all__ = ["Chinese"]

_MONTHS = ("正月", "二月", "三月", "四月", "五月", "六月", "七月", "八月", "九月", "十月", "冬月", "腊月")
_SEASONS = {"spring": "春", "summer": "夏", "autumn": "秋", "winter": "冬"}
_STEMS, _BRANCHES = "甲乙丙丁戊己庚辛壬癸", "子丑寅卯辰巳午未申酉戌亥"
_FIRST_YEAR = 18
"""The first year's position in the sexagenary cycle."""
_UNITS = {"nights": "夜", "days": "天", "votes": "票", "years": "年", "weeks": "个礼拜", "money": "块大洋", "age": "岁"}
_PRONOUN = re.compile("[他她]")


@cache
def _names() -> re.Pattern[str]:
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
    room = re.compile(
        "门口|门槛|[关开]门|[关带]上门|背对着门|门后|门板|进门|桌|椅|凳|楼梯|屋[里顶]|地板|帘|里间|一盏灯"
    )
    grown = re.compile("胡子|少了两颗牙|一绺白")

    def full(self, person: Person) -> str:
        return self.words.families[person.family] + self.short(person)

    def owner(self, name: str) -> str:
        return f"{name}的"

    def describe(self, key: str, person: Person, age: int) -> dict[str, str]:
        family = self.words.families[person.family]
        if person.sex == "m":
            call = family + (self.words.address[person.trade] if age >= 20 else "家兄弟")
        else:
            call = family + ("大婶" if age >= 40 else "嫂子" if age >= 26 else "姑娘")
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
        number = "两" if n == 2 else chinese_number(n)
        if measure == "goods" and item is not None:
            return number + "".join(self.words.goods[item])
        return number + _UNITS[measure]

    def spot(self, place: str) -> dict[str, str]:
        town = place.startswith("town")
        name = self.words.towns[self.places[place]] if town else self.words.spots[place][self.places[place]]
        return {"p": name, "P": name, "at": f"在{name}", "At": f"在{name}", "near": f"{name}附近"}

    def date(self, day: int) -> str:
        _, month, number = day_of_month(day)
        return f"{_MONTHS[month]}{'初' if number <= 10 else ''}{chinese_number(number)}"

    def on(self, day: int) -> str:
        return f"，时在{self.date(day)}"

    def lead(self, day: int) -> str:
        return f"{self.date(day)}，"

    def when(self, day: int, before: int | None, dated: bool, rng: Random) -> str:
        if dated or before is None:
            return rng.choice((self.date(day), f"{self.date(day)}这天", f"{self.date(day)}那一日"))
        gap = day - before
        if gap == 0:
            return rng.choice(("当天", "同一天", "这一日晚些时候", "就在当日"))
        if gap == 1:
            return rng.choice(("第二天", "次日", "转过天来", "隔了一天"))
        if same_month(day, before):
            count = "两" if gap == 2 else chinese_number(gap)
            return rng.choice((f"过了{count}天", f"{count}天以后", f"又过{count}日"))
        return rng.choice(("过了些日子", "隔了几天", "没过多少日子"))

    def time(self, day: int) -> dict[str, str]:
        year, month, _ = day_of_month(day)
        turn = _FIRST_YEAR + year
        return {
            "season": _SEASONS[season(day)],
            "month": _MONTHS[month],
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
            return "舅父" if not paternal else "伯父" if father is not None and one.born < father.born else "叔父"
        if name == "aunt":
            return "姑母" if paternal else "姨母"
        if name in ("nephew", "niece"):
            side = "侄" if paternal else "外甥"
            return side + ("女" if name == "niece" else "子" if paternal else "")
        if name == "cousin":
            side = "堂" if paternal else "表"
            return side + {"m": "兄" if older else "弟", "f": "姐" if older else "妹"}[one.sex]
        if other.sex == "m":
            return "岳父" if name == "father_in_law" else "岳母"
        return "公公" if name == "father_in_law" else "婆婆"

    def title(self) -> str:
        return f"{self.town}纪事"

    def heading(self, number: int, day: int, titles: list[str]) -> str:  # noqa: ARG002
        return f"第{chinese_number(number)}回　{'　'.join(titles)}"

    def capital(self, text: str) -> str:
        return text

    def finish(self, paragraph: str) -> str:
        return paragraph.replace("，，", "，").replace("的的", "的")

    def mask(self, text: str) -> str:
        return _PRONOUN.sub("#", _names().sub("*", text))

    def flow(self, sentences: list[str], person: Person) -> list[str]:
        full, name = self.full(person), self.short(person)
        ta = "他" if person.sex == "m" else "她"
        flowing = sentences[:1]
        for sentence in sentences[1:]:
            if sentence.startswith(name) and not sentence.startswith(full):
                sentence = ta + sentence.removeprefix(name)
            flowing.append(sentence)
        return flowing
