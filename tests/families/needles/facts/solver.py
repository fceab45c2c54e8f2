"""Answers questions from the facts' structures, never from their sentences.

Statements are decomposed and combined by forward rules until nothing new follows; a question is a statement whose last
arguments are missing. Tests use it to prove that each inference follows, needs all of its facts, and that
nothing answers an abstention question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import permutations

from longreach.families.needles.facts import Ask, Statement

Answer = tuple[str | int, ...]
"""The missing arguments."""
Known = dict[str, list[Statement]]
"""Statements by predicate."""


def solve(statements: Iterable[Statement], ask: Ask) -> Answer | None:
    """The answer of the statements to `ask`; None where there is none, or more than one."""
    return lookup(closure(statements), ask)


def lookup(known: Known, ask: Ask) -> Answer | None:
    """The same, from a precomputed closure."""
    if ask[0] == "arrived_by":
        _, who, where, limit = ask
        arrived = lookup(known, ("arrived", who, where))
        return None if arrived is None else ("yes" if int(arrived[0]) <= int(limit) else "no",)
    size = len(ask)
    found = {fact[size:] for fact in known.get(str(ask[0]), ()) if fact[:size] == ask and len(fact) > size}
    return found.pop() if len(found) == 1 else None


def closure(statements: Iterable[Statement]) -> Known:
    """Everything that follows from the statements."""
    seen: set[Statement] = set()
    known: Known = {}
    new = list(statements)
    while new:
        for statement in new:
            if statement not in seen:
                seen.add(statement)
                known.setdefault(str(statement[0]), []).append(statement)
        new = [derived for rule in _RULES for derived in rule(known) if derived not in seen]
    return known


def _years(known: Known) -> Iterator[Statement]:
    for _, older, younger, gap in known.get("more_years", ()):
        yield ("years_gap", older, younger, gap)
        for _, who, years in known.get("years", ()):
            if who == younger:
                yield ("years", older, int(years) + int(gap))
            if who == older:
                yield ("years", younger, int(years) - int(gap))
    for (_, one, first), (_, two, second) in permutations(known.get("years", ()), 2):
        yield ("years_sum", one, two, int(first) + int(second))


def _ranks(known: Known) -> Iterator[Statement]:
    for _, high, low, trade in known.get("above_with_trade", ()):
        yield ("above", high, low)
        yield ("trade", high, trade)
    for _, high, low, gap in known.get("above_by", ()):
        yield ("above", high, low)
        yield ("rank_gap", high, low, gap)
    for _, high, low in known.get("above", ()):
        yield ("is_above", high, low, "yes")
        yield ("is_above", low, high, "no")
        for _, high2, low2 in known.get("above", ()):
            if low == high2:
                yield ("above", high, low2)
                for three in permutations((high, low, low2)):
                    yield ("middle", *three, low)


def _leases(known: Known) -> Iterator[Statement]:
    for _, who, where, month, day, rent in known.get("leased", ()):
        yield ("rent", who, where, rent)
        for _, who2, where2, months in known.get("left_after", ()):
            if (who, where) == (who2, where2):
                yield ("rent_in_all", who, where, int(rent) * int(months))
                yield ("left_on", who, where, 100 * (int(month) + int(months)) + int(day))


def _legacies(known: Known) -> Iterator[Statement]:
    for _, giver, heir, total in known.get("endowed", ()):
        yield ("endowment", heir, total)
        for _, buyer, thing, price in known.get("bought_from_endowment", ()):
            if buyer == heir:
                yield ("endowment_left", heir, int(total) - int(price))
                yield ("endowed_by", thing, giver)
    for _, buyer, thing, price in known.get("bought_from_endowment", ()):
        yield ("price", buyer, thing, price)


def _exchanges(known: Known) -> Iterator[Statement]:
    for _, giver, thing, taker, year in known.get("gave_in", ()):
        yield ("giver", thing, taker, giver)
        for _, owner, thing2, years, last, _other in known.get("exchanged_after", ()):
            if (owner, thing2) == (taker, thing):
                yield ("owners", thing, giver, owner, last)
                yield ("parted_in", owner, thing, int(year) + int(years))
    for _, owner, thing, _years_kept, _last, other in known.get("exchanged_after", ()):
        yield ("received_for", owner, thing, other)


def _journeys(known: Known) -> Iterator[Statement]:
    for _, who, where, departure in known.get("took_line", ()):
        yield ("departure", where, departure)
        for _, where2, hours in known.get("line_hours", ()):
            if where == where2:
                yield ("arrived", who, where, int(departure) + 60 * int(hours))


def _kin(known: Known) -> Iterator[Statement]:
    for _, mother, child, place in known.get("mother_of_only_child", ()):
        yield ("lived_in", mother, place)
        for _, mother2, count, eldest in known.get("mother_of", ()):
            if child == mother2:
                yield ("grandchildren", mother, count)
                yield ("grandmother_lived_in", eldest, place)
    for _, mother, count, _eldest in known.get("mother_of", ()):
        yield ("children", mother, count)


def _whereabouts(known: Known) -> Iterator[Statement]:
    for _, who, day, start, first, middle, second, end in known.get("stayed", ()):
        yield ("first_room", who, day, first)
        for _, thing, day2, moment in known.get("missed_at", ()):
            if day != day2:
                continue
            yield ("hours_from_arrival", who, thing, (int(moment) - int(start)) // 60)
            if int(start) < int(moment) < int(middle):
                yield ("room_when_missed", who, thing, first)
            if int(middle) < int(moment) < int(end):
                yield ("room_when_missed", who, thing, second)


def _dates(known: Known) -> Iterator[Statement]:
    for _, host, weekday, date in known.get("held_on", ()):
        yield ("held_on_date", host, date)
        for _, guest, host2, days in known.get("days_after", ()):
            if host == host2:
                # All dates drawn are far enough from the end of the month for plain addition.
                yield ("acted_on", guest, int(date) + int(days))
                yield ("acted_on_weekday", guest, (int(weekday) + int(days)) % 7)
    for _, guest, host, days in known.get("days_after", ()):
        yield ("days_between", host, guest, days)


def _stock(known: Known) -> Iterator[Statement]:
    for _, owner, goods, count in known.get("owned", ()):
        for _, buyer, owner2, goods2, price in known.get("bought_all", ()):
            if (owner, goods) == (owner2, goods2):
                yield ("bought_count", buyer, goods, count)
                yield ("paid_in_all", buyer, goods, int(count) * int(price))
    for _, buyer, _owner, goods, price in known.get("bought_all", ()):
        yield ("price_each", buyer, goods, price)


def _routes(known: Known) -> Iterator[Statement]:
    for _, who, start, stop, first in known.get("first_leg", ()):
        yield ("first_distance", who, start, first)
        for _, who2, start2, end, second, _vehicle in known.get("second_leg", ()):
            if (who, stop) == (who2, start2):
                yield ("whole_distance", who, start, end, int(first) + int(second))
                yield ("passed_through", who, start, end, stop)
    for _, who, _start, end, _second, vehicle in known.get("second_leg", ()):
        yield ("drove_in", who, end, vehicle)


def _command(known: Known) -> Iterator[Statement]:
    for _, low, middle, room in known.get("obeyed_with_room", ()):
        yield ("room_of", low, room)
        yield ("superior", low, middle)
    for _, low, middle in known.get("superior", ()):
        for _, middle2, high in known.get("superior", ()):
            if middle == middle2:
                yield ("second_superior", low, high)
                yield ("superiors", low, middle, high)


def _loans(known: Known) -> Iterator[Statement]:
    for _, lender, debtor, total in known.get("lent", ()):
        yield ("loan", lender, debtor, total)
        for _, seller, thing, part in known.get("paid_back_by_selling", ()):
            if seller == debtor:
                yield ("owed", debtor, lender, thing, int(total) - int(part))
                yield ("lender", thing, lender)
    for _, seller, thing, part in known.get("paid_back_by_selling", ()):
        yield ("paid_back", seller, thing, part)


def _letters(known: Known) -> Iterator[Statement]:
    for _, writer, reader, weekday, date in known.get("wrote_on", ()):
        yield ("wrote_on_date", writer, reader, date)
        for _, writer2, reader2, days in known.get("days_on_the_way", ()):
            if (writer, reader) == (writer2, reader2):
                yield ("reached_on", writer, reader, int(date) + int(days))
                yield ("reached_on_weekday", writer, reader, (int(weekday) + int(days)) % 7)


def _elections(known: Known) -> Iterator[Statement]:
    for _, winner, place, votes in known.get("elected", ()):
        yield ("votes_of_winner", winner, place, votes)
        for _, second, place2, gap in known.get("second_by", ()):
            if place == place2:
                yield ("votes_of_second", second, place, int(votes) - int(gap))
                yield ("won_against", second, winner)


def _orchards(known: Known) -> Iterator[Statement]:
    for _, place, lost, _buyer in known.get("lost_and_sold", ()):
        yield ("lost", place, lost)
    for _, planter, place, count in known.get("planted", ()):
        for _, place2, lost, buyer in known.get("lost_and_sold", ()):
            if place == place2:
                yield ("left_over", place, int(count) - int(lost))
                yield ("planter_for", buyer, planter)


def _apprentices(known: Known) -> Iterator[Statement]:
    for _, master, _trade, years in known.get("kept_apprentices", ()):
        yield ("years_of_apprentices", master, years)
    for _, apprentice, master, year in known.get("apprenticed_in", ()):
        for _, master2, trade, years in known.get("kept_apprentices", ()):
            if master == master2:
                yield ("apprenticeship_ended", apprentice, int(year) + int(years))
                yield ("learned", apprentice, trade)


def _hires(known: Known) -> Iterator[Statement]:
    for _, owner, vehicle, price in known.get("let_out", ()):
        for _, customer, vehicle2, days in known.get("hired", ()):
            if vehicle == vehicle2:
                yield ("hire_in_all", customer, vehicle, int(price) * int(days))
                yield ("hired_from", customer, owner)


def _suppers(known: Known) -> Iterator[Statement]:
    for _, host, weekday, count in known.get("invited_on", ()):
        yield ("invited", host, count)
        for _, host2, missing, guest in known.get("kept_away", ()):
            if host == host2:
                yield ("came", host, int(count) - int(missing))
                yield ("missed_on", guest, weekday)


def _chapels(known: Known) -> Iterator[Statement]:
    for _, builder, place, height in known.get("built", ()):
        yield ("height_at", place, height)
        for _, other, place2, more in known.get("higher_than", ()):
            if place == place2:
                yield ("height_of", other, int(height) + int(more))
                yield ("builder_of_lower", other, builder)


_RULES: tuple[Callable[[Known], Iterator[Statement]], ...] = (
    _years,
    _ranks,
    _leases,
    _legacies,
    _exchanges,
    _journeys,
    _kin,
    _whereabouts,
    _dates,
    _stock,
    _routes,
    _command,
    _loans,
    _letters,
    _elections,
    _orchards,
    _apprentices,
    _hires,
    _suppers,
    _chapels,
)
