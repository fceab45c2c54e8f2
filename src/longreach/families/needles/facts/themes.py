"""The themes of planted facts: which people, things and numbers each draws, what its facts state, and what its
questions ask and answer. Their sentences are data of a language and register."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from longreach.errors import BadInput

from .voice import FactValue, FactVoice, WordPool, plain_value

Statement = tuple[str | int, ...]
"""A predicate and its arguments: ("years", "Silas Corvane", 41)."""

Ask = tuple[str | int, ...]
"""A question as a structure: a statement without its last arguments, ("years", "Silas Corvane")."""


_QUICK_TRIES = 40


class Draw:
    """Draws values for one fact set; nothing is drawn twice, and nothing that is `taken`."""

    def __init__(self, rng: Random, voice: FactVoice, taken: Callable[[str], bool]) -> None:
        self.rng = rng
        self.voice = voice
        self._taken = taken
        self._used: set[tuple[str, str]] = set()
        """(category, part) of everything drawn."""
        self.names: list[str] = []
        """Persons and places drawn so far."""
        self.guest: str | None = None
        """Somebody of another set, who is the next person of either sex."""

    def person(self, woman: bool | None = None) -> FactValue:
        """Somebody new, of either sex unless given."""
        lexicon = self.voice.lexicon
        if woman is None and self.guest is not None:
            name, self.guest = self.guest, None
            return plain_value(name, "person", "text", name)
        if woman is None:
            woman = self.rng.random() < 0.5
        firsts = [first for first in (lexicon.women if woman else lexicon.men) if ("first", first) not in self._used]
        self.rng.shuffle(firsts)
        for pool in filter(None, (lexicon.surnames, lexicon.spare_surnames)):
            for left, right in self._pairs(pool):
                marks = self._marks("person", pool, left, right)
                if marks & self._used:
                    continue
                for first in firsts:
                    value = self.voice.person(first, pool.join(left, right))
                    if not self._taken(value.short) and not self._taken(value.answer):
                        self._used |= marks | {("first", first)}
                        self.names.append(value.answer)
                        return value
        raise self._exhausted("people's names")

    def place(self) -> FactValue:
        """A village, town or site."""
        value = self.noun("place")
        self.names.append(value.answer)
        return value

    def goods(self) -> str:
        """Goods, in the plural."""
        return self.voice.plural(self._from("goods", self.voice.lexicon.goods).answer)

    def noun(self, category: Literal["place", "thing", "room", "trade", "vehicle"]) -> FactValue:
        """A place, a thing to hold or buy, a room, an occupation or a vehicle."""
        return self._from(category, getattr(self.voice.lexicon, f"{category}s"))

    def amount(self, of: str, below: int | None = None) -> FactValue:
        """A number from the register's range of this name, below a bound where one is given."""
        span = self.voice.lexicon.ranges[of]
        high = span.high if below is None else min(span.high, below - 1)
        return self.voice.amount(self.rng.randrange(span.low, high + 1, span.step), span.unit)

    def year(self) -> FactValue:
        """A calendar year that fits the register."""
        span = self.voice.lexicon.ranges["year"]
        return self.voice.year(self.rng.randint(span.low, span.high))

    def weekday(self) -> FactValue:
        """A day of the week, each at most once per set."""
        free = [index for index in range(7) if ("weekday", str(index)) not in self._used]
        index = self.rng.choice(free)
        self._used.add(("weekday", str(index)))
        return self.voice.weekday(index)

    def _from(self, category: str, pool: WordPool) -> FactValue:
        for left, right in self._pairs(pool):
            marks = self._marks(category, pool, left, right)
            word = pool.join(left, right)
            if not marks & self._used and not self._taken(word):
                self._used |= marks
                return self.voice.noun(category, word, right)
        raise self._exhausted(f"{category} words")

    @staticmethod
    def _marks(category: str, pool: WordPool, left: str, right: str) -> set[tuple[str, str]]:
        """What drawing this pair uses up for the rest of the set."""
        parts = {"left": {f"{left}-"}, "right": {f"-{right}"}, "both": {f"{left}-", f"-{right}"}}[pool.distinct]
        return {(category, part) for part in parts}

    def _pairs(self, pool: WordPool) -> Iterator[tuple[str, str]]:
        """Random pairs for a while, then every possible pair."""
        for _ in range(_QUICK_TRIES):
            yield self.rng.choice(pool.left), self.rng.choice(pool.right)
        for left in self._order(pool.left):
            for right in self._order(pool.right):
                yield left, right

    def _order(self, items: tuple[str, ...]) -> list[str]:
        return self.rng.sample(items, len(items))

    @staticmethod
    def _exhausted(what: str) -> BadInput:
        return BadInput(
            f"planted facts: all {what} on the list already occur in the haystack; "
            "plant fewer fact sets or decoys, or use another register"
        )


Asked = tuple[Ask, FactValue]
"""A question as a structure, and its answer."""


@dataclass(frozen=True)
class Plot:
    """One theme with its people, things and numbers chosen."""

    planted: dict[str, FactValue]
    """Values in the facts, by their name in the templates."""
    statements: tuple[Statement, ...]
    literal: tuple[Asked, Asked]
    """Each answered by the fact at the same position."""
    inference: tuple[Asked, Asked]
    extra: dict[str, str] = field(default_factory=dict)
    """Further text for the templates."""
    links: tuple[dict[str, str], ...] = ()
    """Of a chain: the second fact as often as it is told, each with its own words for the templates."""


@dataclass(frozen=True)
class Theme:
    """A kind of plot."""

    name: str
    """Key of its wording."""
    facts: tuple[str, str]
    """Kinds of its literal facts."""
    plot: Callable[..., Plot]
    tells: frozenset[str] = frozenset()
    """What its facts could be taken to tell about a person or thing beyond what they state: a tenant may live there."""

    chains: bool = False
    """Whether its second fact can be told of one after another, so that an inference needs all of them."""

    def near(self, other: Theme) -> bool:
        """Whether facts of one could be taken for an answer to questions of the other."""
        return self.name == other.name or bool(self.tells & other.tells)


def _ages(draw: Draw, more: int = 0) -> Plot:
    x, second, age, first_gap = draw.person(), draw.person(), draw.amount("age"), draw.amount("age_gap")
    others = [draw.person() for _ in range(more)]
    gaps = [first_gap, *(draw.amount("age_gap") for _ in others)]
    older = list(zip((x, second, *others), (second, *others), gaps, strict=False))
    last, first, years = (second, *others)[-1], int(age.raw), sum(int(gap.raw) for gap in gaps)
    return Plot(
        planted={"x": x, "y": last, "age": age, "gap": first_gap}
        | _named("y", (second, *others))
        | _named("gap", gaps),
        statements=(("years", x.raw, first), *(("more_years", y.raw, x.raw, int(gap.raw)) for x, y, gap in older)),
        literal=((("years", x.raw), age), (("years_gap", second.raw, x.raw), first_gap)),
        inference=(
            (("years", last.raw), draw.voice.amount(first + years, age.category)),
            (("years_sum", x.raw, last.raw), draw.voice.amount(2 * first + years, age.category)),
        ),
        links=tuple({"x": x.text, "y": y.text, "gap": gap.text} for x, y, gap in older),
    )


def _ranking(draw: Draw, more: int = 0) -> Plot:
    x, y, others = draw.person(), draw.person(), [draw.person()]
    trade, gaps = draw.noun("trade"), [draw.amount("rank_gap")]
    yes = draw.rng.random() < 0.5
    others += [draw.person() for _ in range(more)]
    gaps += [draw.amount("rank_gap") for _ in range(more)]
    z = others[-1]
    lower = list(zip((y, *others), others, gaps, strict=False))
    a, b = (x, z) if yes else (z, x)
    middle = draw.rng.choice((y, *others[:-1])) if more else y
    p, q, r = draw.rng.sample((x, middle, z), 3)
    return Plot(
        planted={"x": x, "y": y, "z": z, "trade": trade, "gap": gaps[0]} | _named("z", others) | _named("gap", gaps),
        statements=(
            ("above_with_trade", x.raw, y.raw, trade.raw),
            *(("above_by", y.raw, z.raw, gap.raw) for y, z, gap in lower),
        ),
        literal=((("trade", x.raw), trade), (("rank_gap", y.raw, others[0].raw), gaps[0])),
        inference=((("is_above", a.raw, b.raw), draw.voice.verdict(yes)), (("middle", p.raw, q.raw, r.raw), middle)),
        extra={"a": a.text, "b": b.text, "p": p.text, "q": q.text, "r": r.text},
        links=tuple({"y": y.text, "z": z.text, "gap": gap.text} for y, z, gap in lower),
    )


def _named(name: str, values: Sequence[FactValue]) -> dict[str, FactValue]:
    """The members of a chain, by names that no template has."""
    return {f"{name}{number}": value for number, value in enumerate(values)} if len(values) > 1 else {}


def _lease(draw: Draw) -> Plot:
    x, p, rent, months = draw.person(), draw.place(), draw.amount("rent"), draw.amount("months")
    month, day = draw.rng.randint(3, 5), draw.rng.randint(10, 20)
    date = draw.voice.date(month, day)
    return Plot(
        planted={"x": x, "p": p, "rent": rent, "months": months, "date": date},
        statements=(("leased", x.raw, p.raw, month, day, rent.raw), ("left_after", x.raw, p.raw, months.raw)),
        literal=((("rent", x.raw, p.raw), rent), (("left_after", x.raw, p.raw), months)),
        inference=(
            (("rent_in_all", x.raw, p.raw), draw.voice.amount(int(rent.raw) * int(months.raw), rent.category)),
            (("left_on", x.raw, p.raw), draw.voice.date(month + int(months.raw), day)),
        ),
    )


def _endowment(draw: Draw) -> Plot:
    x, y, thing, total = draw.person(), draw.person(), draw.noun("thing"), draw.amount("endowment")
    price = draw.amount("purchase", below=int(total.raw))
    return Plot(
        planted={"x": x, "y": y, "thing": thing, "total": total, "price": price},
        statements=(("endowed", x.raw, y.raw, total.raw), ("bought_from_endowment", y.raw, thing.raw, price.raw)),
        literal=((("endowment", y.raw), total), (("price", y.raw, thing.raw), price)),
        inference=(
            (("endowment_left", y.raw), draw.voice.amount(int(total.raw) - int(price.raw), total.category)),
            (("endowed_by", thing.raw), x),
        ),
    )


def _exchange(draw: Draw) -> Plot:
    x, y, z, thing, other = draw.person(), draw.person(), draw.person(), draw.noun("thing"), draw.noun("thing")
    year, years = draw.year(), draw.amount("years_kept")
    return Plot(
        planted={"x": x, "y": y, "z": z, "thing": thing, "other": other, "year": year, "years": years},
        statements=(
            ("gave_in", x.raw, thing.raw, y.raw, year.raw),
            ("exchanged_after", y.raw, thing.raw, years.raw, z.raw, other.raw),
        ),
        literal=((("giver", thing.raw, y.raw), x), (("received_for", y.raw, thing.raw), other)),
        inference=(
            (("owners", thing.raw), draw.voice.listing((x, y, z))),
            (("parted_in", y.raw, thing.raw), draw.voice.year(int(year.raw) + int(years.raw))),
        ),
    )


def _journey(draw: Draw) -> Plot:
    x, p, hours = draw.person(), draw.place(), draw.amount("hours")
    latest = 11 - int(hours.raw)  # a journey ends before noon or starts after it, so "half past seven" is clear
    hour = draw.rng.choice((draw.rng.randint(6, latest - 1), draw.rng.randint(13, 16)))
    # Never on the hour, where all the times of `_whereabouts` lie: no time of one reads like a time of the other.
    depart = 60 * hour + draw.rng.choice((15, 30, 45))
    arrive = depart + 60 * int(hours.raw)
    in_time = draw.rng.random() < 0.5
    limit = arrive // 60 * 60 + (60 if in_time else 0)
    departure, arrival = draw.voice.clock(depart), draw.voice.clock(arrive)
    return Plot(
        planted={"x": x, "p": p, "hours": hours, "depart": departure},
        statements=(("took_line", x.raw, p.raw, depart), ("line_hours", p.raw, hours.raw)),
        literal=((("departure", p.raw), departure), (("line_hours", p.raw), hours)),
        inference=(
            (("arrived", x.raw, p.raw), arrival),
            (("arrived_by", x.raw, p.raw, limit), draw.voice.verdict(in_time)),
        ),
        extra={"limit": draw.voice.clock(limit).text},
    )


def _kinship(draw: Draw) -> Plot:
    x, y, z = draw.person(woman=True), draw.person(woman=True), draw.person(woman=True)
    p, count = draw.place(), draw.amount("children")
    return Plot(
        planted={"x": x, "y": y, "z": z, "p": p, "count": count},
        statements=(("mother_of_only_child", x.raw, y.raw, p.raw), ("mother_of", y.raw, count.raw, z.raw)),
        literal=((("lived_in", x.raw), p), (("children", y.raw), count)),
        inference=((("grandchildren", x.raw), count), (("grandmother_lived_in", z.raw), p)),
    )


def _whereabouts(draw: Draw) -> Plot:
    x, day, room, other, thing = draw.person(), draw.weekday(), draw.noun("room"), draw.noun("room"), draw.noun("thing")
    start = draw.rng.randint(13, 15)
    middle = start + draw.rng.randint(2, 3)
    end = middle + draw.rng.randint(2, 3)
    event = draw.rng.choice([hour for hour in range(start + 1, end) if hour != middle])
    clock = {name: draw.voice.clock(60 * hour) for name, hour in (("start", start), ("middle", middle), ("end", end))}
    moment = draw.voice.clock(60 * event)
    return Plot(
        planted={"x": x, "day": day, "room": room, "other": other, "thing": thing, "moment": moment, **clock},
        statements=(
            ("stayed", x.raw, day.raw, 60 * start, room.raw, 60 * middle, other.raw, 60 * end),
            ("missed_at", thing.raw, day.raw, 60 * event),
        ),
        literal=((("first_room", x.raw, day.raw), room), (("missed_at", thing.raw, day.raw), moment)),
        inference=(
            (("room_when_missed", x.raw, thing.raw), room if event < middle else other),
            (("hours_from_arrival", x.raw, thing.raw), draw.voice.amount(event - start, "hour")),
        ),
        extra={f"{name}_short": value.answer for name, value in clock.items()},
    )


def _dates(draw: Draw) -> Plot:
    x, y, weekday, days = draw.person(), draw.person(), draw.weekday(), draw.amount("days")
    month, day = draw.rng.randint(3, 9), draw.rng.randint(4, 15)
    date, later = draw.voice.date(month, day), day + int(days.raw)
    return Plot(
        planted={"x": x, "y": y, "weekday": weekday, "date": date, "days": days},
        statements=(("held_on", x.raw, weekday.raw, date.raw), ("days_after", y.raw, x.raw, days.raw)),
        literal=((("held_on_date", x.raw), date), (("days_between", x.raw, y.raw), days)),
        inference=(
            (("acted_on", y.raw), draw.voice.date(month, later)),
            (("acted_on_weekday", y.raw), draw.voice.weekday((int(weekday.raw) + int(days.raw)) % 7)),
        ),
    )


def _stock(draw: Draw) -> Plot:
    x, y, goods = draw.person(), draw.person(), draw.goods()
    count, price = draw.amount("stock"), draw.amount("price_each")
    total = draw.voice.amount(int(count.raw) * int(price.raw), price.category)
    return Plot(
        planted={"x": x, "y": y, "count": count, "price": price},
        statements=(("owned", x.raw, goods, count.raw), ("bought_all", y.raw, x.raw, goods, price.raw)),
        literal=((("owned", x.raw, goods), count), (("price_each", y.raw, goods), price)),
        inference=((("paid_in_all", y.raw, goods), total), (("bought_count", y.raw, goods), count)),
        extra={"goods": goods},
    )


def _route(draw: Draw) -> Plot:
    x, p, q, r = draw.person(), draw.place(), draw.place(), draw.place()
    first, second, vehicle = draw.amount("distance"), draw.amount("distance"), draw.noun("vehicle")
    while second.raw == first.raw:
        second = draw.amount("distance")
    whole = draw.voice.amount(int(first.raw) + int(second.raw), first.category)
    return Plot(
        planted={"x": x, "p": p, "q": q, "r": r, "first": first, "second": second, "vehicle": vehicle},
        statements=(
            ("first_leg", x.raw, p.raw, q.raw, first.raw),
            ("second_leg", x.raw, q.raw, r.raw, second.raw, vehicle.raw),
        ),
        literal=((("first_distance", x.raw, p.raw), first), (("drove_in", x.raw, r.raw), vehicle)),
        inference=((("whole_distance", x.raw, p.raw, r.raw), whole), (("passed_through", x.raw, p.raw, r.raw), q)),
    )


def _command(draw: Draw) -> Plot:
    x, y, z, room = draw.person(), draw.person(), draw.person(), draw.noun("room")
    return Plot(
        planted={"x": x, "y": y, "z": z, "room": room},
        statements=(("superior", y.raw, x.raw), ("obeyed_with_room", z.raw, y.raw, room.raw)),
        literal=((("superior", y.raw), x), (("room_of", z.raw), room)),
        inference=((("second_superior", z.raw), x), (("superiors", z.raw), draw.voice.listing((y, x)))),
    )


def _loan(draw: Draw) -> Plot:
    x, y, thing, total = draw.person(), draw.person(), draw.noun("thing"), draw.amount("endowment")
    part = draw.amount("purchase", below=int(total.raw))
    return Plot(
        planted={"x": x, "y": y, "thing": thing, "total": total, "part": part},
        statements=(("lent", x.raw, y.raw, total.raw), ("paid_back_by_selling", y.raw, thing.raw, part.raw)),
        literal=((("loan", x.raw, y.raw), total), (("paid_back", y.raw, thing.raw), part)),
        inference=(
            (("owed", y.raw, x.raw, thing.raw), draw.voice.amount(int(total.raw) - int(part.raw), total.category)),
            (("lender", thing.raw), x),
        ),
    )


def _letter(draw: Draw) -> Plot:
    x, y, weekday, days = draw.person(), draw.person(), draw.weekday(), draw.amount("days")
    month, day = draw.rng.randint(3, 9), draw.rng.randint(4, 15)
    date, later = draw.voice.date(month, day), day + int(days.raw)
    return Plot(
        planted={"x": x, "y": y, "weekday": weekday, "date": date, "days": days},
        statements=(("wrote_on", x.raw, y.raw, weekday.raw, date.raw), ("days_on_the_way", x.raw, y.raw, days.raw)),
        literal=((("wrote_on_date", x.raw, y.raw), date), (("days_on_the_way", x.raw, y.raw), days)),
        inference=(
            (("reached_on", x.raw, y.raw), draw.voice.date(month, later)),
            (("reached_on_weekday", x.raw, y.raw), draw.voice.weekday((int(weekday.raw) + int(days.raw)) % 7)),
        ),
    )


def _election(draw: Draw) -> Plot:
    x, y, p, votes, gap = draw.person(), draw.person(), draw.place(), draw.amount("votes"), draw.amount("vote_gap")
    return Plot(
        planted={"x": x, "y": y, "p": p, "votes": votes, "gap": gap},
        statements=(("elected", x.raw, p.raw, votes.raw), ("second_by", y.raw, p.raw, gap.raw)),
        literal=((("votes_of_winner", x.raw, p.raw), votes), (("second_by", y.raw, p.raw), gap)),
        inference=(
            (("votes_of_second", y.raw, p.raw), draw.voice.amount(int(votes.raw) - int(gap.raw), votes.category)),
            (("won_against", y.raw), x),
        ),
    )


def _orchard(draw: Draw) -> Plot:
    x, y, p, count, lost = draw.person(), draw.person(), draw.place(), draw.amount("planted"), draw.amount("lost")
    return Plot(
        planted={"x": x, "y": y, "p": p, "count": count, "lost": lost},
        statements=(("planted", x.raw, p.raw, count.raw), ("lost_and_sold", p.raw, lost.raw, y.raw)),
        literal=((("planted", x.raw, p.raw), count), (("lost", p.raw), lost)),
        inference=(
            (("left_over", p.raw), draw.voice.amount(int(count.raw) - int(lost.raw), count.category)),
            (("planter_for", y.raw), x),
        ),
    )


def _apprentice(draw: Draw) -> Plot:
    x, y, trade = draw.person(), draw.person(), draw.noun("trade")
    year, years = draw.year(), draw.amount("years_kept")
    return Plot(
        planted={"x": x, "y": y, "trade": trade, "year": year, "years": years},
        statements=(("apprenticed_in", x.raw, y.raw, year.raw), ("kept_apprentices", y.raw, trade.raw, years.raw)),
        literal=((("apprenticed_in", x.raw, y.raw), year), (("years_of_apprentices", y.raw), years)),
        inference=(
            (("apprenticeship_ended", x.raw), draw.voice.year(int(year.raw) + int(years.raw))),
            (("learned", x.raw), trade),
        ),
    )


def _hire(draw: Draw) -> Plot:
    x, y, vehicle = draw.person(), draw.person(), draw.noun("vehicle")
    price, days = draw.amount("price_each"), draw.amount("days")
    total = draw.voice.amount(int(price.raw) * int(days.raw), price.category)
    return Plot(
        planted={"x": x, "y": y, "vehicle": vehicle, "price": price, "days": days},
        statements=(("let_out", x.raw, vehicle.raw, price.raw), ("hired", y.raw, vehicle.raw, days.raw)),
        literal=((("let_out", x.raw, vehicle.raw), price), (("hired", y.raw, vehicle.raw), days)),
        inference=((("hire_in_all", y.raw, vehicle.raw), total), (("hired_from", y.raw), x)),
    )


def _supper(draw: Draw) -> Plot:
    x, y, weekday = draw.person(), draw.person(), draw.weekday()
    count, missing = draw.amount("guests"), draw.amount("away")
    return Plot(
        planted={"x": x, "y": y, "weekday": weekday, "count": count, "missing": missing},
        statements=(("invited_on", x.raw, weekday.raw, count.raw), ("kept_away", x.raw, missing.raw, y.raw)),
        literal=((("invited", x.raw), count), (("kept_away", x.raw), missing)),
        inference=(
            (("came", x.raw), draw.voice.amount(int(count.raw) - int(missing.raw), count.category)),
            (("missed_on", y.raw), weekday),
        ),
    )


def _chapel(draw: Draw) -> Plot:
    x, y, p, height, more = draw.person(), draw.person(), draw.place(), draw.amount("height"), draw.amount("higher")
    return Plot(
        planted={"x": x, "y": y, "p": p, "height": height, "more": more},
        statements=(("built", x.raw, p.raw, height.raw), ("higher_than", y.raw, p.raw, more.raw)),
        literal=((("height_at", p.raw), height), (("higher_than", y.raw, p.raw), more)),
        inference=(
            (("height_of", y.raw), draw.voice.amount(int(height.raw) + int(more.raw), height.category)),
            (("builder_of_lower", y.raw), x),
        ),
    )


THEMES: tuple[Theme, ...] = (
    Theme("ages", ("age", "age gap"), _ages, chains=True),
    Theme("ranking", ("trade", "rank gap"), _ranking, frozenset({"work", "trade"}), chains=True),
    Theme("lease", ("rent", "months kept"), _lease, frozenset({"home", "work"})),
    Theme("endowment", ("endowment", "price"), _endowment, frozenset({"owner"})),
    Theme("exchange", ("giver", "thing received"), _exchange, frozenset({"owner"})),
    Theme("journey", ("departure", "length of journey"), _journey, frozenset({"way"})),
    Theme("kinship", ("home", "number of children"), _kinship, frozenset({"home"})),
    Theme("whereabouts", ("first room", "time of loss"), _whereabouts, frozenset({"work"})),
    Theme("dates", ("date", "days between"), _dates, frozenset({"trade"})),
    Theme("stock", ("stock", "price of each"), _stock, frozenset({"trade"})),
    Theme("route", ("distance", "vehicle"), _route, frozenset({"way"})),
    Theme("command", ("superior", "room of a person"), _command, frozenset({"work"})),
    Theme("loan", ("loan", "part of a loan"), _loan, frozenset({"owner"})),
    Theme("letter", ("date of a letter", "days of a letter"), _letter),
    Theme("election", ("votes", "votes short"), _election, frozenset({"home", "work"})),
    Theme("orchard", ("trees", "trees lost"), _orchard),
    Theme("apprentice", ("year of apprenticeship", "years of apprenticeship"), _apprentice, frozenset({"work"})),
    Theme("hire", ("hire a day", "days of hire"), _hire),
    Theme("supper", ("guests", "guests kept away"), _supper),
    Theme("chapel", ("height", "difference in height"), _chapel),
)
