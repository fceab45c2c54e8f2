"""Text answers compared by words, with the paraphrases that words alone can show."""

from __future__ import annotations

import re
from dataclasses import dataclass

from longreach.core.language import HAN, has_han
from longreach.core.types import Key
from longreach.grading.claims import (
    SENTENCE_MARKS,
    AnswerClaim,
    Comparison,
    denied,
    is_fragment,
    is_one_sentence,
    key_forms,
    read_claim,
    strung,
    wavers,
)

from .times import read_dates
from .words import ARTICLES, Reading, read, singular, word_set

# Paraphrases that words alone can show: a trade as a verb, a first name, a near synonym.

_PAST = {
    "dealt": "deal", "sold": "sell", "made": "make", "bought": "buy", "built": "build", "wove": "weave",
    "bound": "bind", "ran": "run", "led": "lead", "took": "take", "kept": "keep",
}  # fmt: skip
_GROUPS = tuple(
    word_set(row)
    for row in (
        "mak manufactur produc craft fashion", "mend repair fix restor", "sell deal trad vend merchant monger sal",
        "small littl tini", "larg big great", "manag supervis head run", "advis counsel consult", "coordinat organis",
        "plan schedul", "borrow lent loan", "hir rent leas", "cart wagon", "couch sofa", "spar extra",
    )
)  # fmt: skip
_SMALL = ARTICLES | word_set(
    "he she it they her his their was is were of in by as for who that someone somebody person man woman one and from "
    "trade calling profession occupation living business job work worked works career earned means made lived"
)
_BENIGN = word_set(
    "old own same said very fine nice good new only single first other certain particular lovely beautiful so called "
    "named actual aforementioned mentioned entire whole full his her its their my our this that another"
)
_BEFORE_NOUN = ARTICLES | _BENIGN | word_set("in at to from by of on near for with into and or but was is were be into")
_TITLES = word_set("mr mrs miss ms dr sir lady madame monsieur professor captain")
_HAN_KINDS = "黑红白黄蓝绿紫灰青铜铁木竹瓷金银锡石旧新大小东西南北前后"
_HAN_LEAD_IN = re.compile(
    rf"[^{HAN}]|一[辆个只把张架口件座间台部]|答案|[坐乘用是的在了到来换这那有为叫于去给把买卖拿收得就]"
)
"""What may precede a noun without describing it."""
_HAN_LONGEST = 5
_HAN_TRADES = (
    ("匠人", "做|制|造|匠|编|修|打"),
    ("商人", "商|卖|贩|经营|生意|买卖"),
    ("贩子", "贩|卖|商|生意|买卖"),
)


def stem(word: str) -> str:
    """The common part of dealer, deals, dealing and dealt."""
    word = _PAST.get(word, word)
    word = singular(word)
    for ending in ("ing", "ers", "er", "or", "ed", "ist"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            word = word.removesuffix(ending)
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def _near(one: str, two: str) -> bool:
    return one == two or any(one in group and two in group for group in _GROUPS)


def says_in_other_words(answer: Reading, key: str) -> bool:
    """Whether an answer has a phrase's own words in another order or form, and nothing else: "she dealt in locks" for a
    lock dealer, 卖蜡烛的 for 蜡烛贩子.
    """
    if has_han(key):
        for ending, verbs in _HAN_TRADES:
            thing = key.removesuffix(ending)
            if key.endswith(ending) and thing and thing in answer.text:
                rest = answer.text.replace(thing, "")
                return re.search(verbs, rest) is not None and re.search("不|没|未", rest) is None
        return False
    words = [token.word for token in read(key).tokens if token.kind == "word" and token.word not in ARTICLES]
    wanted = [stem(word) for word in words]
    if len(wanted) < 2 or any(token.capital for token in read(key).tokens):
        return False
    stems = [
        stem(t.word) for t in answer.tokens if t.kind in {"word", "number"} and t.word not in _SMALL and not t.capital
    ]
    first = answer.tokens[0]
    if first.capital and first.word not in _SMALL and any(_near(stem(first.word), each) for each in wanted):
        stems = [stem(first.word), *stems]
    kept = [word for word in stems if any(_near(word, each) for each in wanted)]
    denied = any(token.word in {"not", "never", "no"} for token in answer.tokens)
    return all(any(_near(word, each) for word in stems) for each in wanted) and kept == stems and not denied


def first_name_places(answer: Reading, key: str) -> list[tuple[int, int]]:
    """Where the first name of a person occurs alone: Pauline, for Pauline Vandovain; not Pauline Gildimond."""
    words = read(key).tokens
    if len(words) != 2 or not all(word.capital for word in words):
        return []
    return [
        (at, at + 1)
        for at, token in enumerate(answer.tokens)
        if token.capital
        and token.word == words[0].word
        and not (at + 1 < len(answer.tokens) and answer.tokens[at + 1].capital)
    ]


def another_kind(answer: Reading, start: int, form: Reading, key: str) -> str:
    """The adjective that makes a short form another thing than the key's: the silver of "a silver clock", where the key
    is the pewter clock. Empty where there is none."""
    whole = read(key)
    if len(form.tokens) >= len(whole.tokens) or start == 0:
        return ""
    before = answer.tokens[start - 1]
    if before.kind == "han":
        lead = answer.text[max(0, before.start - 6) : before.end]
        if lead.endswith("的"):
            described = re.split(r"[，。,.、\s]|一[辆个只把张架口件座间]|坐|乘|用|是|得到", lead[:-1])[-1]
            common = sum(character in key for character in described)
            return described if 2 * common <= len(described) and described not in key else ""
        if before.word in _HAN_KINDS and before.word not in key:
            return before.word
        described = _HAN_LEAD_IN.split(lead)[-1]
        shared = set(described) & set(key.removesuffix(form.text))
        return described if 1 < len(described) < _HAN_LONGEST and not shared else ""
    if before.word == "-" or before.kind != "word":
        return ""
    own = {token.word for token in whole.tokens} | {stem(token.word) for token in whole.tokens}
    at = start - 1
    described = [before]
    while answer.word(at - 1) == "-" and at > 1 and answer.tokens[at - 2].kind == "word":  # Japanese-made
        at -= 2
        described.append(answer.tokens[at])
    if before.raw.endswith("'s"):
        return ""
    return next((token.word for token in reversed(described) if not _is_harmless(token.word, own)), "")


def _is_harmless(word: str, own: set[str]) -> bool:
    """Whether a word before a noun describes it as the key does, or not at all."""
    if word in own or word in _BEFORE_NOUN or word in _TITLES or stem(word) in own:
        return True
    return any(_near(stem(word), each) for each in own)


# Text answers compared by words.

_BESIDE = word_set("before after prior previous next following later earlier 前 后 次 翌")
_LATER = word_set("later afterwards eventually subsequently")


@dataclass(frozen=True, slots=True)
class _Mention:
    """A mention of the key's answer or of a rival."""

    start: int
    end: int
    rival: str = ""
    """Empty for the key's own."""


def compare_text(answer: Reading, key: Key) -> Comparison:
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
    loose = loose or all(_described_otherwise(answer, start, end, key.answer) for start, end in places)
    if loose and finding.right:
        return Comparison(True, finding.reason, certain=False)
    return finding


def _described_otherwise(answer: Reading, start: int, end: int, key: str) -> bool:
    """Whether Han characters right before a short form are not all the key's: 黑漆独轮车 for 红漆独轮车."""
    if not start or answer.tokens[start - 1].kind != "han" or answer.text[answer.tokens[start].start :].startswith(key):
        return False
    form = answer.text[answer.tokens[start].start : answer.tokens[end - 1].end]
    lead = _HAN_LEAD_IN.split(answer.text[max(0, answer.tokens[start].start - 6) : answer.tokens[start].start])[-1]
    return len(form) < len(key) and not set(lead) <= set(key)


def _claimed(answer: Reading, key: Key, claim: AnswerClaim, mentions: list[_Mention]) -> Comparison:
    picked = claim.pick(mentions)
    for mention in picked:
        if not mention.rival and denied(answer, mention.start, mention.end):
            return Comparison(False, f"says not {answer.shown(mention.start, mention.end)}")
    right = [mention for mention in picked if not mention.rival]
    wrong = [mention for mention in picked if mention.rival]
    if right and wrong:  # "Holbival, Goslinel's benefactress" claims Holbival
        wrong = [mention for mention in wrong if not answer.tokens[mention.end - 1].raw.endswith("'s")]
    for mention in wrong:
        for each in right:
            one, two = sorted((mention, each), key=lambda m: m.start)
            if one.end > two.start or strung(answer, one.end, two.start, names=True):
                return Comparison(False, f"also names {mention.rival}")
    if not right:
        first = wrong[0]
        if any(not m.rival and _in_statement(answer, claim, m) for m in mentions):
            return Comparison(True, f"names {key.answer}", certain=False)
        return Comparison(False, f"says {first.rival}, key is {key.answer}", certain=claim.turned)
    if wrong:
        return _in_one_sentence(answer, key, claim, right, wrong)
    same = {at for mention in mentions if not mention.rival for at in range(mention.start, mention.end)}
    for mention in right:
        other = wavers(answer, mention.start, mention.end, same)
        other = other or _second_name(answer, mention.start, mention.end, same)
        if other:
            shown = answer.shown(mention.start, mention.end)
            return Comparison(False, f"wavers between {shown} and {other}", certain=False)
    alone = is_one_sentence(answer) and not any(_is_continued(answer, mention.end, same) for mention in right)
    inside = any(mention.start in claim.aside for mention in right)
    return Comparison(True, f"matches {key.answer}", certain=alone and not inside)


def _in_one_sentence(
    answer: Reading, key: Key, claim: AnswerClaim, right: list[_Mention], wrong: list[_Mention]
) -> Comparison:
    """The key and a rival in one statement: "Olbelis awarded it to Mardani". Words alone do not show who did what."""
    named = f"also names {wrong[0].rival}"
    if any(answer.word(m.start - step) in _LATER for m in wrong for step in range(1, 7)):
        return Comparison(False, named, certain=False)
    first = min(right + wrong, key=lambda mention: mention.start)
    last = max(right + wrong, key=lambda mention: mention.start)
    if first.rival and (is_fragment(answer, claim) or last.rival):
        return Comparison(False, named, certain=False)
    return Comparison(True, f"matches {key.answer}", certain=False)


def _in_statement(answer: Reading, claim: AnswerClaim, mention: _Mention) -> bool:
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


def _without_key(answer: Reading, key: Key, other_kind: str) -> Comparison:
    """An answer without any form of the key: a rival, another thing, or other words."""
    found = [(name, places) for name in key.rivals if (places := answer.find(read(name)))]
    affirmed = [name for name, places in found if any(not denied(answer, start, end) for start, end in places)]
    if found:
        return Comparison(False, f"says {(affirmed or [found[0][0]])[0]}, key is {key.answer}", certain=bool(affirmed))
    if other_kind:
        return Comparison(False, f"says {other_kind}, key is {key.answer}", certain=False)
    if any(says_in_other_words(answer, form) for form in key_forms(key)):
        return Comparison(True, f"says {key.answer} in other words", certain=False)
    return Comparison(False, f"does not say {key.answer}", certain=False)


def _as_day(answer: Reading, key: Key) -> Comparison | None:
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
        return Comparison(True, f"matches {key.answer}")
    alone = len(found) == 1
    return Comparison(
        False, f"says {answer.shown(claimed[0].start, claimed[0].end)}, key is {key.answer}", certain=alone
    )


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
