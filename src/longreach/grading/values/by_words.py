"""Text answers compared by words."""

from __future__ import annotations

from dataclasses import dataclass

from longreach.core.question import Key
from longreach.grading.answer_confidence import is_one_sentence
from longreach.grading.claim import Claim, is_fragment, read_claim, strung
from longreach.grading.finding import Finding, key_forms
from longreach.grading.negation import SENTENCE_MARKS, denied, wavers

from .dates import read_dates
from .paraphrase import another_kind, first_name_places, says_in_other_words
from .words import Reading, read, word_set

__all__ = ["compare_text"]

_BESIDE = word_set("before after prior previous next following later earlier 前 后 次 翌")
_LATER = word_set("later afterwards eventually subsequently")


@dataclass(frozen=True, slots=True)
class _Mention:
    """A mention of the key's answer or of a rival."""

    start: int
    end: int
    rival: str = ""
    """Empty for the key's own."""


def compare_text(answer: Reading, key: Key) -> Finding:
    """An accepted form is claimed, is not denied, and nothing is named beside it.

    Named beside it is: a rival joined to it; an alternative joined with "or"; another name joined with "and" where that
    is the whole answer. A rival that is denied ("Corvane, not Ashby"), or that is in the evidence ("Corvane, since
    Ashby lies north of it"), is allowed. A short form with another adjective is another thing.

    Words that are neither a form nor a rival may be a paraphrase, and an unknown name beside the right one may be
    another name for it: neither is certain.
    """
    forms = [form for form in map(read, key_forms(key)) if form.tokens]
    if day := _as_day(answer, key):
        return day
    places: list[tuple[int, int]] = []
    other_kind = ""
    for form in forms:
        for place in answer.find(form):
            adjective = another_kind(answer, place[0], form, key.answer)
            if adjective:
                other_kind = other_kind or f"{adjective} {answer.shown(*place)}"
            else:
                places.append(place)
    loose = not places
    if loose and not other_kind:
        places = first_name_places(answer, key.answer)
    if not places:
        return _without_key(answer, key, other_kind)
    claim = read_claim(answer)
    mentions = _mentions(answer, key, forms, places)
    finding = _claimed(answer, key, claim, mentions)
    if loose and finding.right:
        return Finding(True, finding.reason, certain=False)
    return finding


def _claimed(answer: Reading, key: Key, claim: Claim, mentions: list[_Mention]) -> Finding:
    picked = claim.pick(mentions)
    for mention in picked:
        if not mention.rival and denied(answer, mention.start, mention.end):
            return Finding(False, f"says not {answer.shown(mention.start, mention.end)}")
    right = [mention for mention in picked if not mention.rival]
    wrong = [mention for mention in picked if mention.rival]
    if right and wrong:  # "Holbival, Goslinel's benefactress" claims Holbival
        wrong = [mention for mention in wrong if not answer.tokens[mention.end - 1].raw.endswith("'s")]
    for mention in wrong:
        for each in right:
            one, two = sorted((mention, each), key=lambda m: m.start)
            if one.end > two.start or strung(answer, one.end, two.start, names=True):
                return Finding(False, f"also names {mention.rival}")
    if not right:
        first = wrong[0]
        if any(not m.rival and _in_statement(answer, claim, m) for m in mentions):
            return Finding(True, f"names {key.answer}", certain=False)
        return Finding(False, f"says {first.rival}, key is {key.answer}", certain=claim.turned)
    if wrong:
        return _in_one_sentence(answer, key, claim, right, wrong)
    same = {at for mention in mentions if not mention.rival for at in range(mention.start, mention.end)}
    for mention in right:
        other = wavers(answer, mention.start, mention.end, same)
        other = other or _second_name(answer, mention.start, mention.end, same)
        if other:
            shown = answer.shown(mention.start, mention.end)
            return Finding(False, f"wavers between {shown} and {other}", certain=False)
    alone = is_one_sentence(answer) and not any(_is_continued(answer, mention.end, same) for mention in right)
    inside = any(mention.start in claim.aside for mention in right)
    return Finding(True, f"matches {key.answer}", certain=alone and not inside)


def _in_one_sentence(answer: Reading, key: Key, claim: Claim, right: list[_Mention], wrong: list[_Mention]) -> Finding:
    """The key and a rival in one statement: "Olbelis awarded it to Mardani". Words alone do not show who did what."""
    named = f"also names {wrong[0].rival}"
    if any(answer.word(m.start - step) in _LATER for m in wrong for step in range(1, 7)):
        return Finding(False, named, certain=False)
    first = min(right + wrong, key=lambda mention: mention.start)
    last = max(right + wrong, key=lambda mention: mention.start)
    if first.rival and (is_fragment(answer, claim) or last.rival):
        return Finding(False, named, certain=False)
    return Finding(True, f"matches {key.answer}", certain=False)


def _in_statement(answer: Reading, claim: Claim, mention: _Mention) -> bool:
    """Whether the key is in a clause of a whole statement: "Her superior was Haskenoy, who obeyed Vandovain"."""
    opening = [token.word for token in answer.tokens[:3]]
    pronoun = opening[:1] in (["it"], ["that"], ["this"]) or opening[:2] == ["the", "answer"]
    return mention.start in claim.aside and not pronoun and not is_fragment(answer, claim)


def _mentions(answer: Reading, key: Key, forms: list[Reading], places: list[tuple[int, int]]) -> list[_Mention]:
    """The key's mentions and the rivals that are not denied, in order."""
    mentions = {place: _Mention(*place) for place in places}
    for name in key.rivals:
        rival = read(name)
        if any(rival.same_words(form) for form in forms):
            continue
        for start, end in answer.find(rival):
            inside = any(a <= start and end <= b for a, b in places)
            if not inside and not denied(answer, start, end):
                mentions[start, end] = _Mention(start, end, name)
    return sorted(mentions.values(), key=lambda mention: mention.start)


def _without_key(answer: Reading, key: Key, other_kind: str) -> Finding:
    """An answer without any form of the key: a rival, another thing, or other words."""
    found = [(name, places) for name in key.rivals if (places := answer.find(read(name)))]
    affirmed = [name for name, places in found if any(not denied(answer, start, end) for start, end in places)]
    if found:
        return Finding(False, f"says {(affirmed or [found[0][0]])[0]}, key is {key.answer}", certain=bool(affirmed))
    if other_kind:
        return Finding(False, f"says {other_kind}, key is {key.answer}", certain=False)
    if any(says_in_other_words(answer, form) for form in key_forms(key)):
        return Finding(True, f"says {key.answer} in other words", certain=False)
    return Finding(False, f"does not say {key.answer}", certain=False)


def _as_day(answer: Reading, key: Key) -> Finding | None:
    """Days of the week are a closed set: another one is wrong even if it is not a rival, and Sat. is Saturday."""
    wanted, found = read_dates(read(key.answer)), read_dates(answer)
    whole = len(wanted) == 1 and wanted[0].end - wanted[0].start == len(read(key.answer).tokens)
    claim = read_claim(answer)
    claimed = [date for date in claim.pick(found) if date.weekday]
    concluded = max((place for place in claim.conclusions if claimed and place <= claimed[0].start), default=0)
    if not whole or not wanted[0].weekday or any(token.word in _BESIDE for token in answer.tokens[concluded:]):
        return None
    if len({date.weekday for date in claimed}) != 1 or denied(answer, claimed[0].start, claimed[0].end):
        return None
    if any(answer.word(date.end) in {"or", "/", "或"} for date in claimed):
        return None
    if claimed[0].weekday == wanted[0].weekday:
        return Finding(True, f"matches {key.answer}")
    alone = len(found) == 1
    return Finding(False, f"says {answer.shown(claimed[0].start, claimed[0].end)}, key is {key.answer}", certain=alone)


def _is_continued(answer: Reading, end: int, same: set[int]) -> bool:
    """Whether another name follows the form: "Corvane, Millhaven"."""
    if answer.word(end) not in {",", "(", "and", "&", "+", "、", "和", "与", "及"} or end + 1 >= len(answer.tokens):
        return False
    following = answer.tokens[end + 1]
    strung_to = following.kind == "han" and answer.word(end) not in {",", "("}
    return (following.capital or strung_to) and end + 1 not in same


def _second_name(answer: Reading, start: int, end: int, same: set[int]) -> str:
    """Another name that "and" joins to the form, where the two are the whole sentence."""
    if answer.word(end) in {"and", "&"}:
        names = _names(answer, end + 1)
        if names and names[0] not in same and _sentence_ends(answer, names[-1] + 1):
            return answer.shown(names[0], names[-1] + 1)
    first = answer.tokens[0]
    if start > 1 and answer.word(start - 1) in {"and", "&"} and first.capital and _sentence_ends(answer, end):
        names = _names(answer, 0)
        if len(names) == start - 1 and names[0] not in same:
            return answer.shown(0, start - 1)
    return ""


def _names(answer: Reading, at: int) -> list[int]:
    names = []
    while at < len(answer.tokens) and answer.tokens[at].capital:
        names.append(at)
        at += 1
    return names


def _sentence_ends(answer: Reading, at: int) -> bool:
    return at >= len(answer.tokens) or answer.word(at) in SENTENCE_MARKS
