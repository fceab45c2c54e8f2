"""Paraphrases that words alone can show: a trade as a verb, a first name, a near synonym."""

from __future__ import annotations

import re

from .words import ARTICLES, Reading, has_han, read, singular, word_set

__all__ = ["another_kind", "first_name_places", "says_in_other_words", "stem"]

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
    r"[^\u4e00-\u9fff]|一[辆个只把张架口件座间台部]|答案|[坐乘用是的在了到来换这那有为叫于去给把买卖拿收得就]"
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
