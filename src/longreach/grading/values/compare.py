"""Answers compared with keys: words, numbers, times, dates, lists and yes/no."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, islice, pairwise, takewhile
from typing import TypeVar

from longreach.core.language import has_han
from longreach.core.types import Key
from longreach.grading.asked import AskedQuestion, Span, Value, content, is_capital, near, restated, stem, value_given

from .clarity import CLAUSE_MARKS, KeyMatch, denies, key_forms, turns
from .numbers import Quantity, numeral_at, read_quantities, unit_named
from .times import CalendarDate, ClockTime, read_dates, read_short_dates, read_times
from .words import ARTICLES, Reading, list_parts, read, singular, word_set

# Words.

_BEFORE_NOUN = ARTICLES | word_set(
    "in at to from by of on near for with into and or but was is were be as his her its their my our this that "
    "mr mrs miss ms dr sir lady madame monsieur professor captain"
)
"""What may precede a noun or a name without describing it."""
_HAN_BEFORE_NOUN = frozenset("坐乘用是在了到来换这那有为叫于去给把买卖拿收得就辆个只张架口件座间台部和与")
_CLAUSES = word_set("since because as when while whereas although though if unless who whom whose which where")
_HAN_CLAUSES = re.compile("因为|由于|根据")
_DESCRIBES = word_set("that which who whose where used of his her their its my our")
_BESIDE = word_set("before after prior previous next following later earlier 前 后 次 翌")
_JOINED = frozenset({",", "(", "and", "or", "&", "+", "/", "、", "和", "与", "及", "或"})
_PLAIN = _JOINED | word_set("first then either . ' \"")
_CODE = re.compile(r"(?=[^\W_]*\d)(?=[^\W_]*[^\W\d_])[^\W_]{3,}")


def compare_text(answer: Reading, key: Key, question: AskedQuestion) -> KeyMatch:
    """The key's words, a name or a phrase: right where an answer gives them, wrong where it gives another value of the
    same kind, or one of another kind.

    Undecided: several values of which none is clearly given, another spelling, a description of what has a name, a
    phrase that shares a word with the key's, and other words for a single one."""
    if day := _as_day(answer, key, question):
        return day
    forms = [form for form in map(read, key_forms(key)) if form.tokens]
    rivals = _rivals(answer, key, forms, question)
    found = [(form, start, end) for form in forms for start, end in answer.find(form)]
    found = [each for each in found if not any(a <= each[1] and each[2] <= b for _, a, b in rivals)]
    places = [(start, end) for form, start, end in found if not _is_described(answer, start, form, key.answer)]
    if places:
        return _with_key(answer, key, question, places, rivals)
    if rivals and not found:
        return KeyMatch(False, f"says {rivals[0][0]}, key is {key.answer}")
    return _without_key(answer, key, question)


def _with_key(
    answer: Reading, key: Key, question: AskedQuestion, places: list[Span], rivals: list[tuple[str, int, int]]
) -> KeyMatch:
    """An answer with the key's words, perhaps beside other values."""
    others = [(start, end) for _, start, end in rivals]
    if _is_name(read(key.answer)):
        others += question.given_names(answer)
    same = {at for start, end in places for at in range(start, end)}
    own = {token.word for token in read(key.answer).tokens}
    others = [span for span in others if not same & set(range(*span)) and not own >= {*answer.words(*span)}]
    if not others:
        clear = not _is_turned_round(answer, places, question) and not _is_in_clause(answer, places)
        joined = any(_is_joined(answer, start, end, same) for start, end in places)
        return KeyMatch(True, f"matches {key.answer}", certain=clear and not joined)
    values = [Value(*span, not same.isdisjoint(range(*span))) for span in _merged(sorted({*places, *others}))]
    given = value_given(answer, values, question, named=_is_name(read(key.answer)))
    if given is None:
        return _undecided(answer, key, values, rivals)
    return KeyMatch(given.right, f"gives {answer.shown(given.start, given.end)}, key is {key.answer}")


def _undecided(answer: Reading, key: Key, values: Sequence[Value], rivals: Sequence[tuple[str, int, int]]) -> KeyMatch:
    """Several values of which none is clearly given. With known wrong ones and nothing else it offers both: wrong."""
    wrong = next(value for value in values if not value.right)
    first = next(value for value in values if value.right)
    denied = denies(answer.part(0, first.start), set())
    listed = all(token.word in _JOINED for token in answer.tokens[first.end : wrong.start])
    taken = {at for value in values for at in range(value.start, value.end)}
    bare = all(at in taken or token.word in _PLAIN for at, token in enumerate(answer.tokens))
    known = all(value.right or any(value.start <= at < value.end for _, at, _ in rivals) for value in values)
    led = first.start < wrong.start and not denied and not listed  # "Corvane; the others went to Ashby"
    reason = f"also names {answer.shown(wrong.start, wrong.end)}, key is {key.answer}"
    return KeyMatch(led, reason, certain=bare and known)


def _merged(spans: list[Span]) -> list[Span]:
    """Spans without those inside of others."""
    return [one for one in spans if not any(a <= one[0] and one[1] <= b and one != (a, b) for a, b in spans)]


def _without_key(answer: Reading, key: Key, question: AskedQuestion) -> KeyMatch:
    """An answer without the key's words: another value, another spelling or description of the key's, or nothing."""
    wanted, says = read(key.answer), f"says {answer.shown(0, len(answer.tokens))[:60]}, key is {key.answer}"
    names, adds = question.given_names(answer), question.adds(answer)
    if _CODE.fullmatch(wanted.text):
        codes = [token for token in answer.tokens if _CODE.fullmatch(token.raw) and token.word not in question.stems]
        return KeyMatch(False, says, certain=len(codes) == 1)
    own = [answer.tokens[at].word for span in names for at in range(*span)]
    if question.options and own and set(own) < {token.word for token in wanted.tokens}:
        alone = sum(token.word == own[0] for token in question.reading.tokens) == 1
        return KeyMatch(True, f"matches {key.answer}", certain=alone)
    if not names and question.repeats(answer):
        return KeyMatch(False, "repeats the question and fills in nothing", empty=True)
    if any(token.kind == "han" for token in (*answer.tokens, *wanted.tokens)):
        return KeyMatch(False, f"does not say {key.answer}", certain=False)
    if _is_name(wanted):
        clear = any(not near(answer, range(*span), wanted) for span in names) or _is_no_name(answer, adds)
        return KeyMatch(False, says, certain=clear and not near(answer, adds, wanted))
    if adds and {stem(answer.word(at)) for at in adds} == {stem(wanted.word(at)) for at in content(wanted)}:
        return KeyMatch(True, f"says {key.answer} in another order")
    return KeyMatch(False, says, certain=_is_other_phrase(answer, adds, wanted, question, named=bool(names)))


def _is_name(wanted: Reading) -> bool:
    return all(wanted.tokens[at].capital for at in content(wanted)) and bool(content(wanted))


def _is_no_name(answer: Reading, adds: Sequence[int]) -> bool:
    """Whether an answer fills in what names nobody and no place: a number, "a" thing of a kind, company."""
    if not adds:
        return False
    if any(is_capital(answer, at) for at in adds):
        return True
    return any(answer.tokens[at].kind == "number" or numeral_at(answer, at) for at in adds) or any(
        answer.word(at - 1) in {"a", "an"} or answer.word(at - 2) in {"a", "an"} for at in adds
    )


def _is_other_phrase(
    answer: Reading, adds: Sequence[int], wanted: Reading, question: AskedQuestion, *, named: bool
) -> bool:
    """Whether an answer fills in another phrase than the key's: nothing of it is like the key's words, or the same noun
    is described otherwise. One word has synonyms, and a clause or what is definite may describe the same thing."""
    words = content(wanted)
    head = wanted.tokens[words[-1]].word if words else ""
    heads = [at for at, token in enumerate(answer.tokens) if token.word == head]
    if heads and len(words) > 1:
        before = answer.tokens[heads[0] - 1] if heads[0] else None
        described = before is not None and before.kind == "word" and before.word not in _BEFORE_NOUN
        hyphen = len(heads) > 1 or "-" in answer.text
        return described and not hyphen and not near(answer, [heads[0] - 1], wanted)
    if not adds or near(answer, adds, wanted):
        return False
    if named or any(numeral_at(answer, at) for at in adds):
        return True
    return len(words) > 1 and not any(token.word in _DESCRIBES - question.words for token in answer.tokens[1:])


def _is_turned_round(answer: Reading, places: Sequence[Span], question: AskedQuestion) -> bool:
    """Whether a name that the question asks about follows the key where the key should follow it: "Breslard took orders
    from Incheret" does not answer from whom Incheret took them. Words alone do not show who did what."""
    after = answer.tokens[min(end for _, end in places) :]
    same = {answer.word(at) for start, end in places for at in range(start, end)}
    return any(token.word in question.subject - same for token in after)


def _is_in_clause(answer: Reading, places: Sequence[Span]) -> bool:
    before = answer.part(0, min(places)[0])
    opened = any(token.word in _CLAUSES for token in before.tokens)
    return opened or bool(_HAN_CLAUSES.search(answer.shown(0, len(before.tokens))))


def _rivals(answer: Reading, key: Key, forms: Sequence[Reading], question: AskedQuestion) -> list[tuple[str, int, int]]:
    """The rivals that an answer names, each with its place; the key's own longer form is none, nor is a name that the
    question gives without offering it."""
    own = [place for form in forms for place in answer.find(form)]
    return [
        (name, start, end)
        for name in key.rivals
        if not any(read(name).same_words(form) for form in forms) and not question.gives(read(name))
        for start, end in answer.find(read(name))
        if not any(a <= start and end <= b for a, b in own)
    ]


def _is_described(answer: Reading, start: int, form: Reading, key: str) -> bool:
    """Whether a word that is not the key's describes a form that is shorter than the key: the silver of "a silver
    clock", where the key is the pewter clock."""
    whole = read(key)
    if len(form.tokens) >= len(whole.tokens) or start == 0:
        return False
    before = answer.tokens[start - 1]
    if before.kind == "han":
        lead = takewhile(
            lambda token: token.kind == "han" and token.word not in _HAN_BEFORE_NOUN, answer.tokens[start - 1 :: -1]
        )
        return any(token.word not in key for token in islice(lead, len(whole.tokens)))
    plain = _BEFORE_NOUN | {token.word for token in whole.tokens}
    while before.kind == "word" and before.word in plain and answer.word(start - 2) == "-" and start > 2:
        start -= 2  # Japanese-made
        before = answer.tokens[start - 1]
    return before.kind == "word" and before.word not in plain and not before.raw.endswith("'s")


def _as_day(answer: Reading, key: Key, question: AskedQuestion) -> KeyMatch | None:
    """Days of the week are a closed set: another one is wrong even if it is not a rival, Sat. is Saturday, and a date
    or an amount is none."""
    wanted = read_dates(read(key.answer))
    whole = len(wanted) == 1 and wanted[0].end - wanted[0].start == len(read(key.answer).tokens)
    if not whole or not wanted[0].weekday:
        return None
    found = [date for date in read_dates(answer) if date.weekday]
    if not found:
        return _no_value(answer, key, question)
    if any(token.word in _BESIDE for token in answer.tokens):
        return None
    values = [Value(date.start, date.end, date.weekday == wanted[0].weekday) for date in found]
    one = len({date.weekday for date in found}) == 1
    given = values[0] if one else value_given(answer, values, question, named=False)
    if given is None:
        return None
    return KeyMatch(given.right, f"says {answer.shown(given.start, given.end)}, key is {key.answer}")


def _is_joined(answer: Reading, start: int, end: int, same: set[int]) -> bool:
    """Whether another name is joined to a form: "Corvane, Millhaven", "Millhaven and Corvane"."""
    for joint, at in ((end, end + 1), (start - 1, start - 2)):
        if answer.word(joint) in _JOINED and 0 <= at < len(answer.tokens) and at not in same:
            han = answer.tokens[at].kind == "han"
            if is_capital(answer, at) or (han and answer.word(joint) not in {",", "("}):
                return True
    return False


# Numbers, with their units.

_FIRST_YEAR, _LAST_YEAR = 1000, 2199
_MANY = 40


def _cardinal(found: Sequence[Quantity]) -> list[Quantity]:
    """Those that may answer a question for a number: "the 41st" may, "in his 41st year" means another one."""
    cardinal = [quantity for quantity in found if not quantity.ordinal]
    loose = [quantity for quantity in found if not quantity.ordinal or quantity.unit is None]
    return cardinal if any(not quantity.weak for quantity in cardinal) else loose


def compare_number(answer: Reading, key: Key, question: AskedQuestion) -> KeyMatch | None:
    """The right number must be there, and no other beside it.

    A number counts against the answer if it has the key's unit, or no unit. It does not if it is part of something
    else: a date, a clock time, another unit or, where the right number has the key's unit, another noun ("3 horses for
    41 francs"); an ordinal; a label ("chapter 3", "question 7"); working that gives the
    right number ("24 and 17, so 41")."""
    wanted = [quantity for form in key_forms(key) if (quantity := _key_quantity(form, key.unit))]
    if not wanted or _key_quantity(key.answer, key.unit) is None:
        return None
    lasting = any(want.unit is not None and want.unit.kind == "duration" for want in wanted)
    taken = _taken(answer, lasting=lasting)
    found = read_quantities(answer, taken)
    if all(not quantity.ordinal for quantity in wanted):
        found = _cardinal(found)
    rivals = [quantity for form in key.rivals if (quantity := _key_quantity(form, key.unit))]
    right = [quantity for quantity in found if any(_same(quantity, want) for want in wanted)]
    if not right:
        return _another_number(answer, key, question, found, wanted, rivals, other_kind=bool(taken))
    sure = any(_carries(quantity, wanted) for quantity in right)
    others = [quantity for quantity in found if quantity not in right]
    against = [q for q in others if _speaks_against(q, wanted, sure) or any(_same(q, each) for each in rivals)]
    if against and not _is_worked_out(right, against, found):
        ends = {each: each.end + (singular(answer.word(each.end)) == (key.unit or ".")) for each in (*right, *against)}
        values = sorted(Value(each.start, end, each in right) for each, end in ends.items())
        given = value_given(answer, values, question, named=False)
        shown = answer.shown(against[0].start, against[0].end)
        if given is None:
            lean = right[-1].start > against[-1].start
            return KeyMatch(lean, f"also says {shown}, key is {key.answer}", certain=False)
        if not given.right:
            return KeyMatch(False, f"gives {answer.shown(given.start, given.end)}, key is {key.answer}")
    clear = any(_may_count(each, wanted) and (_is_firm(each) or each.unit is not None) for each in right)
    return KeyMatch(True, f"matches {key.answer}", certain=clear)


def _is_worked_out(right: Sequence[Quantity], against: Sequence[Quantity], found: Sequence[Quantity]) -> bool:
    """Whether the other numbers lead up to the key's."""
    last = right[-1].start > against[-1].start
    return last and _works_out(right[-1], [each.value for each in found if each not in right])


_NONE = word_set("none nothing nil nobody")


def _another_number(
    answer: Reading,
    key: Key,
    question: AskedQuestion,
    found: list[Quantity],
    wanted: list[Quantity],
    rivals: list[Quantity],
    *,
    other_kind: bool,
) -> KeyMatch:
    """An answer without the key's number: other numbers of which none gives it, a date or time instead, nothing."""
    if question.repeats(answer) and not other_kind and all(quantity.weak for quantity in found):
        return KeyMatch(False, "repeats the question and fills in nothing", empty=True)
    if found:
        clear = _are_other_numbers(found, wanted, rivals)
        return KeyMatch(False, f"{_says(answer, found, wanted)}, key is {key.answer}", certain=clear)
    clear = other_kind or answer.word(0) in _NONE or question.is_filled_otherwise(answer)
    return KeyMatch(False, f"no number read, key is {key.answer}", certain=clear)


def _taken(answer: Reading, *, lasting: bool) -> set[int]:
    """Tokens of dates and clear clock times, whose numbers are not quantities; 3h is one where a duration is asked."""
    taken: set[int] = set()
    for date in read_dates(answer):
        if date.month is not None and (date.day is not None or date.year is not None):
            taken.update(range(date.start, date.end))
    for time in read_times(answer):
        if not time.bare and not (lasting and answer.word(time.end - 1) == "h"):
            taken.update(range(time.start, time.end))
    return taken


@lru_cache(maxsize=4096)
def _key_quantity(form: str, unit: str) -> Quantity | None:
    """The one number of a key's form, with the key's unit where the form names none."""
    found = [quantity for quantity in read_quantities(read(form)) if not quantity.weak] or read_quantities(read(form))
    if len(found) != 1:
        return None
    noun = " ".join(singular(token.word) for token in read(unit).tokens if token.kind != "mark")
    known = found[0].unit or unit_named(unit)
    return replace(found[0], unit=known, noun=noun or found[0].noun, start=0, end=0, weak=False)


def _works_out(right: Quantity, values: Sequence[Fraction]) -> bool:
    """Whether the other numbers are the working: they add up to the key's, or two of them give it."""
    given = (one_way for one, two in combinations(values, 2) for one_way in (one + two, abs(one - two), one * two))
    return right.value in given or (len(values) > 1 and sum(values) == right.value)


def _may_count(quantity: Quantity, wanted: list[Quantity]) -> bool:
    """Whether a number counts what the key counts, or has no noun: 12 of something else may not be 12 guests."""
    nouns = any(want.noun for want in wanted)
    return not nouns or (quantity.unit is None and not quantity.noun) or _carries(quantity, wanted)


def _is_firm(quantity: Quantity) -> bool:
    """Whether a number is surely meant as one; a year is, also after "in"."""
    return not quantity.weak or (quantity.unit is None and _FIRST_YEAR <= quantity.value <= _LAST_YEAR)


def _are_other_numbers(found: list[Quantity], wanted: list[Quantity], rivals: list[Quantity]) -> bool:
    """Whether the numbers stated are surely others than the key's: no bound, no amount that may be worth the same in
    another unit, and several of which none can be worked out to it."""
    firm = [quantity for quantity in found if _is_firm(quantity)]
    if not firm or any(quantity.bound for quantity in firm):
        return False
    if len(firm) == 1 and any(_same(firm[0], rival) for rival in rivals):
        return True
    if any(_may_be_worth(quantity, want) for quantity in firm for want in wanted):
        return False
    values = [quantity.value for quantity in firm]
    return len(firm) == 1 or (len(firm) < _MANY and not any(_works_out(want, values) for want in wanted))


def _may_be_worth(quantity: Quantity, want: Quantity) -> bool:
    """Whether a number may be the key's amount in another unit of the same kind, rounded."""
    one, other = quantity.unit, want.unit
    if one is None or other is None or one == other or quantity.value == want.value or one.kind != other.kind:
        return False
    given, right = quantity.value * one.factor, want.value * other.factor
    return abs(given - right) * 20 <= abs(right)


def _carries(quantity: Quantity, wanted: list[Quantity]) -> bool:
    """Whether a number has the key's unit or counts what the key counts."""

    def carries(want: Quantity) -> bool:
        if quantity.unit is not None and want.unit is not None:
            return quantity.unit.kind == want.unit.kind
        if has_han(want.noun):
            return want.noun.replace(" ", "") in quantity.noun.replace(" ", "")
        return bool(want.noun and quantity.noun) and want.noun.split()[-1] in quantity.noun.split()

    return any(map(carries, wanted))


def _same(quantity: Quantity, want: Quantity) -> bool:
    """Same amount of the same thing: 12 % are not 12 guests, though 12 people may be."""
    other_unit = quantity.unit is not None and want.unit is None and want.noun
    if other_unit and quantity.noun not in want.noun.split():
        return False
    return quantity.equals(want) and quantity.bound == want.bound


def _speaks_against(quantity: Quantity, wanted: list[Quantity], sure: bool) -> bool:
    if quantity.weak or (quantity.ordinal and not any(want.ordinal for want in wanted)):
        return False
    return _carries(quantity, wanted) or (quantity.unit is None and not (sure and quantity.noun))


def _says(answer: Reading, found: list[Quantity], wanted: list[Quantity]) -> str:
    quantity = min(found, key=lambda each: (each.weak and any(not q.weak for q in found), not _carries(each, wanted)))
    return f"says {quantity.bound}{' ' * bool(quantity.bound)}{answer.shown(quantity.start, quantity.end)}"


# Times and dates.

_Value = TypeVar("_Value", ClockTime, CalendarDate)
_JOINTS = frozenset({"or", "to", "-", "—", "/", "~", "或", "至", "到"})


def compare_time(answer: Reading, key: Key, question: AskedQuestion) -> KeyMatch | None:
    """Same hour and minute; morning or afternoon must agree where both state it."""
    wanted = [times[0] for form in key_forms(key) if len(times := read_times(read(form))) == 1]
    if not wanted or len(read_times(read(key.answer))) != 1:
        return None
    found = read_times(answer)
    found = [time for time in found if not time.bare] or found
    halves = {time.half for time in wanted if time.half}
    if len(halves) == 1:  # "half past seven" is in the evening where another form states it
        wanted = [replace(time, half=halves.copy().pop()) for time in wanted]

    def same(time: ClockTime) -> bool:
        return any(time.equals(want) for want in wanted)

    return _compare_values(answer, found, same, lambda time: not same(time), key, question)


def compare_date(answer: Reading, key: Key, question: AskedQuestion) -> KeyMatch | None:
    """Same day, month and year as far as both state them; the key's day and month must be there."""
    wanted = [dates[0] for form in key_forms(key) if len(dates := read_dates(read(form))) == 1]
    if not wanted or len(read_dates(read(key.answer))) != 1:
        return None

    def same(date: CalendarDate) -> bool:
        return any(date.covers(want) and not date.contradicts(want) for want in wanted)

    def against(date: CalendarDate) -> bool:
        weekday = date.weekday and date.day is None and all(want.day is not None for want in wanted)
        return bool(weekday) or all(date.contradicts(want) for want in wanted)

    return _compare_values(answer, read_dates(answer) or read_short_dates(answer), same, against, key, question)


def _compare_values(
    answer: Reading,
    found: Sequence[_Value],
    same: Callable[[_Value], bool],
    against: Callable[[_Value], bool],
    key: Key,
    question: AskedQuestion,
) -> KeyMatch:
    """Right if a value is the key's and none contradicts it; of several the one that the answer gives counts, and half
    a date may be a partial answer."""
    if not found:
        return _no_value(answer, key, question)
    right, others = [value for value in found if same(value)], [value for value in found if against(value)]
    values = [Value(value.start, value.end, value in right) for value in found]
    given = value_given(answer, values, question, named=False) if others and len(found) > 1 else None
    if not right:
        # A bare number in a sentence may be no hour at all: "she left with four".
        stray = isinstance(found[0], ClockTime) and found[0].bare and found[0].start > 1
        clear = (len(found) == 1 or given is not None) and len(others) == len(found) and not stray
        start, end, _ = given or values[0]
        return KeyMatch(False, f"says {answer.shown(start, end)}, key is {key.answer}", clear)
    if others and given is None:
        shown = answer.shown(others[0].start, others[0].end)
        last = right[-1].start > others[-1].start
        return KeyMatch(last, f"also says {shown}, key is {key.answer}", certain=False)
    if given is not None and not given.right:
        return KeyMatch(False, f"gives {answer.shown(given.start, given.end)}, key is {key.answer}")
    taken = {at for value in found for at in range(value.start, value.end)}
    clear = not any(_has_alternative(answer, value, taken) for value in right)
    return KeyMatch(True, f"matches {key.answer}", certain=clear)


def _no_value(answer: Reading, key: Key, question: AskedQuestion) -> KeyMatch:
    """An answer without a value of the key's kind: one of another kind, the question's words, something else."""
    if gives_value(answer):
        return KeyMatch(False, f"gives another kind of value, key is {key.answer}")
    if question.repeats(answer):
        return KeyMatch(False, "repeats the question and fills in nothing", empty=True)
    clear = question.is_filled_otherwise(answer)
    return KeyMatch(False, f"no {key.kind} read, key is {key.answer}", certain=clear)


def gives_value(answer: Reading) -> bool:
    """Whether an answer states a date with a day, a clock time or an amount."""
    dated = any(date.day is not None and date.month is not None for date in read_dates(answer))
    timed = any(not time.bare for time in read_times(answer))
    return dated or timed or any(each.unit is not None and not each.weak for each in read_quantities(answer))


def _has_alternative(answer: Reading, value: ClockTime | CalendarDate, read_already: set[int]) -> bool:
    """Whether a number is joined to a time or date: "3 or 4 June", "between four and five o'clock", 6月3日或4日."""
    places = []
    if value.start > 1 and answer.word(value.start - 1) in _JOINTS | {"and", "和"}:
        places.append(value.start - 2)
    if value.end + 1 < len(answer.tokens) and answer.word(value.end) in _JOINTS:
        places.append(value.end + 1)
    return any(at not in read_already and numeral_at(answer, at) is not None for at in places)


# Lists.

_ORDER = re.compile(
    r"\b(?:first|last|order|earliest|oldest|nearest|nearer|highest|lowest|sequence|successive|in turn)\b"
    r"|顺序|依次|先后|次序|从.{1,12}到|由.{1,8}到|先写|排列",
    re.IGNORECASE,
)
_PLACES = word_set(
    "first second third last then above below under over before after later earlier from to whose who next nearer "
    "finally 先 后 再 上 下 最 第"
)


def compare_list(answer: Reading, key: Key, question: AskedQuestion) -> KeyMatch | None:
    """The same items, none missing, none added, in the key's order where the key or the question requires one; each
    accepted form is a whole list of its own."""
    forms = map(read, key_forms(key))
    lists = [items for form in forms if (items := [form.part(start, end) for start, end in list_parts(form)])]
    if not lists:
        return None
    findings = [_compare_items(answer, items, key, question) for items in lists]
    right = next((number for number, finding in enumerate(findings) if finding.right), None)
    if right is None:
        empty = question.repeats(answer) and not question.given_names(answer)
        return replace(findings[0], certain=True, empty=True) if empty else findings[0]
    if has_order(key, question.reading.text) and not _in_order(answer, lists[right]):
        plain = not any(token.word in _PLACES for token in answer.tokens)
        return KeyMatch(False, f"not in the order of {key.answer}", certain=plain)
    return findings[right]


def has_order(key: Key, question: str) -> bool:
    return key.ordered or _ORDER.search(question) is not None


def _in_order(answer: Reading, items: list[Reading]) -> bool:
    starts = [min(start for start, _ in answer.find(item)) for item in items]
    return starts == sorted(starts)


def _compare_items(answer: Reading, items: list[Reading], key: Key, question: AskedQuestion) -> KeyMatch:
    parts = [part for part in list_parts(answer) if not _is_numbering(answer, *part)]
    spans: list[tuple[int, int]] = []
    for item in items:
        places = answer.find(item)
        if not places:
            # Another part than an item of the key or a rival may paraphrase the missing one.
            known = [*items, *(rival for rival in map(read, key.rivals) if rival.tokens)]
            named = [place for each in known for place in answer.find(each)]
            sure = all(any(first < end and last > start for first, last in named) for start, end in parts)
            sure = sure or _are_other_names(answer, items, question)
            shown = item.text[item.tokens[0].start : item.tokens[-1].end]
            return KeyMatch(False, f"{shown} is missing", certain=sure)
        spans += places
    rivals = _rivals(answer, key, items, question)
    extra = [part for part in parts if not any(start < part[1] and end > part[0] for start, end in spans)]
    if rivals or extra:
        other = rivals[0][0] if rivals else answer.shown(*extra[0])
        alone = any(answer.part(*part).same_words(read(rival)) for part in extra for rival, _, _ in rivals)
        return KeyMatch(not rivals, f"also names {other}", certain=alone)
    return KeyMatch(True, f"names all of {key.answer}")


def _are_other_names(answer: Reading, items: Sequence[Reading], question: AskedQuestion) -> bool:
    """Whether an answer lists other names than the key's, in no other spelling of them."""
    missing = [item for item in items if not answer.find(item)]
    own = [place for item in items for place in answer.find(item)]
    names = [name for name in question.given_names(answer) if not any(a <= name[0] < b for a, b in own)]
    return all(map(_is_name, items)) and any(
        not any(near(answer, range(*name), item) for item in missing) for name in names
    )


def _is_numbering(answer: Reading, start: int, end: int) -> bool:
    words = [token for token in answer.tokens[start:end] if token.kind != "mark"]
    return len(words) == 1 and words[0].kind == "number" and answer.word(end) in {".", ")", ":"}


# Yes and no.

_YES = word_set("yes yeah yep yea aye correct true indeed affirmative certainly definitely absolutely")
_NO = word_set("no nope nay false incorrect untrue wrong")
_HEDGES = frozenset({"probably", "likely", "most", "perhaps", "maybe", "presumably", "almost"})
_NOT_A_NO = word_set("doubt one other matter wonder longer sooner less more")
_SUBJECTS = word_set("he she it they we i you that this there both")
_AUXILIARIES = word_set("is was are were did does do had has have could can would will should might must may")
_TRUTHS = {"true": True, "correct": True, "right": True, "so": True, "false": False, "wrong": False, "untrue": False}
_HAN_NO = tuple(word_set("不是 没有 并没有 并不 并非 不对 不会 不能 不可以 不 否 没 未 错误 从未"))
_HAN_YES = ("是", "对", "有", "会", "能", "可以", "正确", "没错", "当然", "确实", "的确", "嗯", "不错")
_HAN_ALONE = re.compile(f"(?:{'|'.join(sorted((*_HAN_NO, *_HAN_YES), key=len, reverse=True))})[的了啊呀吧哦呢]*")
_HAN_OPEN = tuple(word_set("不仅 不但 不过 不久 不知 不清楚 不确定 是否 是不是 有没有 有人 有一 对于 对此"))


def read_polarity(reading: Reading) -> bool | None:
    """True for a yes (or an equivalent) at the start, False for a no; None where the answer is neither, or both.

    A statement without "yes" does not count: whether "She stayed at home" is a yes depends on the question."""
    clauses = [clause for clause in _clauses(reading) if clause]
    first = _opening(clauses[0]) if clauses else None
    return None if first is None or _undone(first, clauses) else first


def _clauses(reading: Reading) -> list[list[str]]:
    clauses: list[list[str]] = [[]]
    for token in reading.tokens:
        if token.word in CLAUSE_MARKS or token.word == '"':
            clauses.append([])
        elif token.kind != "mark":
            clauses[-1].append(token.word)
    if clauses[0][:3] == ["the", "answer", "is"]:
        clauses[0] = clauses[0][3:]
    return clauses


def _opening(clause: list[str]) -> bool | None:
    """The yes or no that a clause begins with."""
    while clause[0] in _HEDGES and len(clause) > 1:
        clause = clause[1:]
    if clause == ["not"] or (clause[0] in _YES and clause[1:2] == ["not"]):
        return False
    if clause[0] in _YES:
        return True
    if clause[0] in _NO:
        return None if len(clause) > 1 and clause[1] in _NOT_A_NO else False
    if clause[:2] == ["of", "course"]:
        return "not" not in clause
    if clause[:2] in (["not", "at"], ["not", "according"]) or clause in (["not", "so"], ["never"], ["not", "really"]):
        return False
    start = "".join(clause[:4])
    says = ((_HAN_OPEN, None), (("没错", "不错"), True), (_HAN_NO, False), (_HAN_YES, True))
    return next((said for words, said in says if start.startswith(words)), None)


def _undone(stated: bool, clauses: list[list[str]]) -> bool:
    """Whether a later part states the opposite: "Yes and no", "Yes. Actually, no", "No, she was"."""
    opposite, han = (_NO, _HAN_NO) if stated else (_YES, _HAN_YES)
    if len(clauses[0]) > 1 and clauses[0][1] in opposite:
        return True
    if any(word in {"and", "or", "but"} and after in opposite for word, after in pairwise(clauses[0])):
        return True
    for clause in clauses[1:]:
        words = [word for word in clause if word not in {"actually", "well", "but", "or", "and", "rather", "maybe"}]
        if (len(words) == 1 and words[0] in opposite) or "".join(words).removesuffix("的") in han:
            return True
        if _tag(clause) not in {None, stated}:
            return True
    return False


def _tag(clause: list[str]) -> bool | None:
    """She was; he did not; it is true; that is not so."""
    words = [word for word in clause if word not in {"really", "indeed", "ever", "also", "never"}]
    positive = "never" not in clause
    if not 2 <= len(words) <= 5:
        return None
    if words[-1] in _TRUTHS and words[-2] in (_AUXILIARIES | {"not"}) and words[0] in _SUBJECTS:
        return _TRUTHS[words[-1]] == (words[-2] != "not")
    if words[-1] == "not" and words[-2] in _AUXILIARIES:
        return not positive
    return positive if words[-1] in _AUXILIARIES else None


def compare_yesno(answer: Reading, key: Key, question: AskedQuestion) -> KeyMatch | None:
    """The same yes or no, which the question's own words state too. Another statement ("She never went") is a no to one
    question and a yes to another: undecided."""
    wanted = read_polarity(read(key.answer))
    if wanted is None:
        return None
    affirmed = read_polarity(answer)
    if affirmed is None and (stated := restated(answer, question)) is not None:
        return KeyMatch(stated == wanted, f"states a {'yes' if stated else 'no'}, key is {key.answer}")
    if affirmed is None:
        stated = any(len(read(form).tokens) > 1 and answer.find(read(form)) for form in key.accept)
        reason = "says it in the key's words" if stated else "says neither yes nor no clearly"
        return KeyMatch(stated, reason, certain=stated)
    word = "yes" if affirmed else "no"
    reason = f"says {word}" if affirmed == wanted else f"says {word}, key is {key.answer}"
    # A Chinese yes or no stands for itself only if it is alone ("是的，…"): in "是乙高" it is part of a statement.
    first = "".join(next(filter(None, _clauses(answer))))
    outright = not has_han(first) or _HAN_ALONE.fullmatch(first) is not None
    return KeyMatch(affirmed == wanted, reason, certain=outright and not turns(answer))
