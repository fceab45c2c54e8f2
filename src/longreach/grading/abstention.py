"""Detects answers which state that the text does not contain the answer.

The answer is cut into clauses. A clause abstains if it has one of the forms below. The other clauses decide whether the
abstention is clean: "Not mentioned, but probably Paris" offers a value after all, "The story names the captain, but
does not give his age" does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from .claim import sentence_ends_at
from .negation import CLAUSE_MARKS, SENTENCE_MARKS
from .values.words import has_han, read, tidy, word_set

__all__ = ["Absence", "AbsenceKind", "read_absence"]


class AbsenceKind(Enum):
    """How an answer relates to "not in the text"."""

    NONE = "none"
    """Not an abstention."""
    CLEAN = "clean"
    """An abstention that offers no value."""
    GUESSED = "guessed"
    """An abstention that offers a value all the same."""


@dataclass(frozen=True, slots=True)
class Absence:
    """The abstention of an answer."""

    kind: AbsenceKind
    aside: bool = False
    """The abstention concerns another detail ("Corvane; the street is not stated") or only the wording ("not stated
    outright, but she is the eldest"): the answer may still give a value.
    """
    rest: str = ""
    """The answer without the clauses that abstain."""
    alone: bool = False
    """Nothing else is stated after it."""
    modest: bool = False
    """It only states ignorance; whether the text has the answer is left open."""


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    contrast: bool
    """Begins with "but", "though", 但."""
    end: str
    """The punctuation that ends it."""


_ADVERBS = (
    r"(?:(?:ever|actually|explicitly|directly|specifically|clearly|really|even|anywhere|further|outright|expressly"
    r"|exactly|otherwise|been|be) ){0,3}"
)
_TEXT_NOUN = (
    r"(?:story|text|passage|book|novel|narrative|author|narrator|excerpt|document|chapter|tale|context|account|article"
    r"|material|source|information|report|record|manual|contract|agreement|paper|log|letter|file|note|page|content|code)s?"
)
_IN_TEXT = rf"(?:in|by|from|within|on the basis of|based on|throughout|according to) (?:[a-z]+ ){{0,3}}?{_TEXT_NOUN}\b"
_STRONG = (
    r"(?:mentioned|stated|specified|indicated|disclosed|revealed|discussed|addressed|detailed|explained|referenced"
    r"|elaborated|identified|touched (?:up)?on|spelled out|covered)"
)
_WEAK = (
    r"(?:given|known|said|described|provided|recorded|noted|clear|named|available|reported|established|told|supplied)"
)
_FIND = r"(?:found|present|included|listed|answered|featured|a character|a part|contained)"
_VERB = (
    r"(?:say|mention|state|specif(?:y|ie)|tell|reveal|name|describe|indicate|disclose|discuss|include|contain|explain"
    r"|identif(?:y|ie)|clarif(?:y|ie)|address|record|note|detail|give|provide|make|refer|cover|offer|supply|suggest|report"
    r"|answer|elaborate|touch|list|establish|feature|show)s?"
)
_KNOW = (
    r"(?:determined?|inferred|infer|know|known|say|said|tell|ascertain(?:ed)?|deduced?|establish(?:ed)?|concluded?"
    r"|identif(?:y|ied)|confirm(?:ed)?)"
)
_UN = (
    r"(?:unknown|unclear|unspecified|unstated|unmentioned|undisclosed|undetermined|indeterminate|uncertain|unnamed"
    r"|not applicable|n ?/ ?a|n\.?a)"
)
_NO_PERSON = r"(?<!\bhe )(?<!\bshe )(?<!\bthey )(?<!\bi )(?<!\bwe )(?<!\byou )"
_INFORMATION = (
    r"(?:(?:explicit|direct|specific|clear|further|relevant|such|particular|exact) ){0,2}(?:mention|information"
    r"|indication|details?|reference|description|statement|data)\b"
)
_ENGLISH = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^(?:(?:it|this|that|this information|that information) (?:is|was) |answer )?(?:not|never) {_ADVERBS}"
        rf"(?:{_STRONG}|{_WEAK})(?: (?:anywhere|here|at all|explicitly|in|by|within|for|about|from)\b.*)?$",
        rf"\b(?:is|are|was|were|been|be) (?:not|never) {_ADVERBS}{_STRONG}\b(?! (?:to|by) (?!name\b|the ))",
        rf"{_NO_PERSON}\b(?:is|are|was|were) (?:not|never) {_ADVERBS}{_WEAK}"
        rf"(?= {_IN_TEXT}|$| (?:here|anywhere|explicitly|at all)\b)",
        rf"\b(?:not|never) {_ADVERBS}{_FIND} {_IN_TEXT}",
        rf"\b{_TEXT_NOUN}(?: [a-z]+){{0,5}}? (?:(?:does|did|do|can) not|never|fails to|failed to) {_ADVERBS}{_VERB}\b",
        rf"\bit (?:(?:does|did) not|never) {_ADVERBS}(?:say|mention|state|specify|reveal|name|indicate|disclose|explain"
        r"|identify|give)s?\b",
        rf"^(?:does|did) not {_ADVERBS}(?:say|mention|state|specify|reveal|indicate|give|provide|name)\b",
        rf"(?:^|there (?:is|are) |(?:gives|provides|contains|has|offers|makes|with) )(?:no|not any|without any)"
        rf" {_INFORMATION}",
        rf"\bthere (?:was|were) no {_INFORMATION}.{{0,80}}{_IN_TEXT}",
        rf"\b(?:can|could) not (?:be )?{_ADVERBS}(?:determined|inferred|known|ascertained|deduced|established|concluded"
        rf"|identified|confirmed|answered)\b",
        rf"^(?:sorry )?(?:i|we|one|you)\b(?: [a-z]+){{0,2}}? ?(?:can not|could not|unable to|not able to) {_ADVERBS}"
        rf"(?:{_KNOW}|find|locate|see)\b",
        rf"\b(?:impossible|not possible|no way|no means|unable) to {_KNOW}\b",
        rf"^(?:.{{0,80}} (?:is|was|are|were|remains?|left|goes) (?:left )?)?{_UN}(?: {_IN_TEXT}.*)?$",
        r"\b(?:unknown|unclear|uncertain|unspecified|(?:not|never) (?:known|clear|said|stated|told))"
        r" (?:(?:from|to|by|with|in|at|on|for) )?(?:who|whom|whose|what|which|where|when|how|why|whether|if)\b",
        r"\bit (?:is|was) (?:not|never|nowhere) (?:even )?(?:said|stated|told|recorded|known|clear) that\b",
        rf"\b(?:is|are|was|were) (?:not|never|nowhere) (?:one of|among|a|an|any) .{{0,60}}?{_IN_TEXT}",
        r"\b(?:no|not|none|nobody|never) .{0,60}?\bamong (?:them|those|these)\b",
        r"\b(?:insufficient|not enough|not sufficient) (?:information|details?|context|evidence|data)\b",
        rf"\b{_TEXT_NOUN}(?: [a-z]+){{0,4}}? (?:says|gives|tells us|provides|contains|offers|makes|reveals|mentions"
        r"|includes|has|states) (?:nothing|no|neither)\b",
        rf"\bnothing (?:is |was )?(?:{_STRONG}|said|known|{_IN_TEXT})",
        rf"\b{_TEXT_NOUN} (?:is|remains|stays) silent\b",
        rf"\b(?:not|never|no) .{{0,60}}?\b(?:appears?|exists?|occurs?|happens?|features?) (?:anywhere|{_IN_TEXT})",
        rf"\bthere (?:is|was|are|were) no .{{1,60}}?(?:{_IN_TEXT}|mentioned\b|named\b)",
        rf"(?:^|\b(?:is|are|was|were) )(?:not|nowhere) (?!according|by|from|based){_IN_TEXT}",
        rf"^no .{{1,60}}? (?:is|are|was|were) (?:ever )?(?:{_STRONG}|named|(?:{_WEAK})(?=$| {_IN_TEXT}))",
        r"\b(?:nobody|no one|none|nothing|no [a-z]+(?: [a-z]+){0,3}?)\b.{0,60}? (?:is|are|was|were|gets?|has been) "
        r"(?:ever )?(?:named|mentioned|given|described|identified|specified|stated|recorded|listed|introduced)\b",
        rf"\b(?:absent|missing|omitted|left out|lacking) (?:from|in) (?:the|this) {_TEXT_NOUN}\b",
        rf"\b{_TEXT_NOUN} (?:simply )?(?:omits|leaves (?:it|this|that|the matter) (?:out|open|unsaid|unanswered))\b",
        rf"\bnot (?:available|provided|given|included|present|recorded) {_IN_TEXT}",
        r"^no (?:[a-z]+ ){1,4}(?:given|mentioned|stated|provided|specified|named|recorded|indicated)$",
        r"\b(?:see|find|locate|spot) (?:any|no) (?:mention|reference|information|trace|sign)\b",
        r"^(?:sorry )?(?:i|we)(?: [a-z]+)? (?:found|find|see|saw) (?:no|nothing|nobody|none|neither)\b",
        rf"\bnot (?:a )?part of (?:the|this) {_TEXT_NOUN}\b",
        r"\bnever (?:comes? up|crops? up|gets? a mention)\b|\b(?:does|do|did) not (?:come|crop) up\b",
        rf"\bthere (?:is|was|are|were|seems to be|appears to be) "
        rf"(?:nobody|no one|none|nothing|nowhere)\b.{{0,80}}?{_IN_TEXT}",
        rf"\b(?:no|never any) (?:[a-z'-]+ ){{1,8}}?(?:in|within|anywhere in) (?:the|this) {_TEXT_NOUN}\b",
        r"\b(?:we|readers?|one)(?: [a-z]+)? (?:never|not) (?:learn|learns|told|informed|hear|find out|discover)\b",
        rf"\bnot something .{{0,20}}?{_TEXT_NOUN}\b|^no answer (?:can|could) ",
        rf"^(?:no|none) .{{0,40}}?mentioned(?: {_IN_TEXT})?$",
    )
)
_HAN_TEXT = r"(?:文中|文章|文本|故事|原文|书中|小说|作者|材料|全文|上文|文里|短文|正文|本文|这段|叙述|资料|文字)"
_HAN_NOT = r"(?:并?没有?|并?未|从未|不曾|未曾|从没|并无|无)"
_HAN_HOW = r"(?:明确|具体|直接|详细|清楚|曾|任何|对此|被|有|地){0,3}"
_HAN_TELL = (
    r"(?:提到|提及|说明|说到|说|提供|给出|交代|描述|写明|写到|写|指出|讲到|讲|涉及|透露|介绍|出现|记载|告诉|告知|讲述|叙述"
    r"|表明|提过|提|揭示|谈到|谈及|相关信息|相关内容|信息)"
)
_CHINESE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_HAN_TEXT}.{{0,12}}?{_HAN_NOT}{_HAN_HOW}{_HAN_TELL}",
        rf"^{_HAN_NOT}{_HAN_HOW}{_HAN_TELL}",
        rf"^(?![他她]们?{_HAN_NOT}).{{1,24}}?{_HAN_NOT}{_HAN_HOW}(?:提到|提及|说明|给出|交代|提供|写明|记载|透露)(?:过|出来)?$",
        r"^(?:.{0,20}?(?:是|仍|尚|还))?(?:未知|不详|不明|不清楚|不知道|不确定|不得而知|不可知)的?$",
        r"无法(?:从.{0,10})?(?:确定|得知|判断|推断|知道|知晓|确认|推测)|无法(?:从|根据).{1,12}回答|无从(?:得知|知晓|判断)|不得而知",
        r"信息不足|没有相关|无相关|没有这方面|找不到(?:相关|答案|这)",
        rf"^{_HAN_TEXT}(?:里|中)?(?:并)?(?:没有|无|不存在)",
    )
)
# At the start, this is the whole answer; after a value, it is only a hedge.
_UNSURE = re.compile(
    r"^(?:(?:i|we) )?(?:really |honestly )?do not know\b|^(?:i have )?no idea\b|^(?:i am |i'm )?not sure\b"
    r"|^我?们?(?:也|并)?(?:不知道|不清楚|不确定)"
)
_SURE_GUESS = re.compile(
    r"\b(?:probably|likely|perhaps|maybe|presumably|i (?:would |will )?(?:guess|think|believe|assume|say)|best guess)\b"
    r"|可能|大概|也许|或许|估计|推测(?!出来)|我猜|恐怕|应该是|想必"
)
_GUESS = re.compile(
    r"\b(?:possibly|could|might|may|must|seems?|appears to|implie[sd]|imply|inferr?ed|infer|suggests?|suggested"
    r"|assum\w+|guess|plausible|logical|logically|reasonabl[ey]|the answer (?:is|would be)|would be)\b"
    r"|推断|暗示|看来|似乎|答案"
)
_REPORT = re.compile(
    r"\b(?:only|merely|just|described|mentions?|mentioned|says|names|tells|refers|states|does (?:say|mention|tell|state"
    rf"|note|name)|we learn|include|includes|included|{_TEXT_NOUN})\b|只|仅|提到|文中|故事"
)
_OUTRIGHT = re.compile(r"\b(?:explicitly|directly|outright|expressly|specifically|exactly)\b|明确|直接")
_CONTRAST = re.compile(
    r"\b(?:but|though|although|yet|however|nevertheless|nonetheless|while|whereas)\b|但是?|不过|然而|虽然|尽管"
)
_CONNECTIVE = re.compile(r"^(?:(?:so|and|then|thus|therefore|hence|still|or|所以|因此|那么|那|而|就) ?)+")
_ABOUT_IT = re.compile(
    r"(?:it|that|this|he|she|they|there)\b(?! (?:is|was|are|were|did|does|do|had|has|can|could) not)"
)
_VERB_FIRST = re.compile(r"(?:is|are|was|were|remains?|goes|has|have|does|do|did)\b")
_NOT_THAT = re.compile(r"not (?:his|her|their|its|the|a|an|any|who|whom|what|where|when|how|which)\b|[没不](?:有提|提)")
_TOPIC = re.compile(
    r"(?:in|as|for|regarding|about|concerning|according|from|based|within|throughout|on|关于|至于|根据|在)\b|在|关于"
)
_VERBS = re.compile(
    r"\b(?:is|was|are|were|had|has|have|did|does|do|can|could|will|would|be|been|said|went|gave|told|came|took|made|kept"
    r"|left|met|am|[a-z]{3,}ed|mentions|describes|names|says|tells|refers|lists|appears|includes|gives|knows|goes)\b"
    r"|[是有了说到过写叫去来住在]"
)
_NEUTRAL = word_set(
    "sorry unfortunately story text passage book novel anywhere at all explicitly here in or the this that of any "
    "either such information given provided context so it as per therefore and question answer is was no n a an "
    "yes well nor directly i m am afraid apologize my apologies from to by let alone where who whom when how what why"
)
_HAN_NEUTRAL = re.compile(
    r"^(?:抱歉|对不起|很遗憾|因此|所以|文中|故事中?|答案?|根据(?:故事|文章|原文|文本)内?容?|这一?点|此事|[与和](?:此|问题|本题)?无关|的|里)*$"
)
_LONGEST = 20_000


def read_absence(answer: str) -> Absence:
    """Read the abstention of an answer. Only its first 20,000 characters are read."""
    clauses = _clauses(answer[:_LONGEST])
    found = [_match(clause.text) for clause in clauses]
    opening = next((at for at, clause in enumerate(clauses) if not _is_neutral(clause.text)), 0)
    if clauses and not found[opening]:
        found[opening] = _UNSURE.search(clauses[opening].text)
    for at in range(1, len(clauses)):  # "The text mentions her height but not her tutor"
        if clauses[at].contrast and not found[at] and _REPORT.search(clauses[at - 1].text):
            found[at] = _NOT_THAT.match(clauses[at].text)
    places = [at for at, match in enumerate(found) if match]
    if not places:
        return Absence(AbsenceKind.NONE)
    first = places[0]
    guessed = any(
        _offers_before(clauses, at, found) if at < first else _offers_after(clauses, at, found)
        for at in range(len(clauses))
        if not found[at]
    ) or any(_SURE_GUESS.search(clauses[at].text, match.end()) for at, match in enumerate(found) if match)
    rest = [clause.text for clause, match in zip(clauses, found, strict=True) if not match]
    leading = all(_is_neutral(clause.text) for clause in clauses[:first])
    other_detail = not leading and not any(_is_bare(clauses[at].text, found[at]) for at in places)
    wording = guessed and all(_OUTRIGHT.search(clauses[at].text) for at in places)
    kind = AbsenceKind.GUESSED if guessed else AbsenceKind.CLEAN
    modest = all(_UNSURE.search(clauses[at].text) for at in places)
    alone = all(found[at] or _is_neutral(clauses[at].text) for at in range(first, len(clauses)))
    return Absence(kind, other_detail or wording, ". ".join(rest), alone, modest)


def _clauses(answer: str) -> list[_Clause]:
    """The answer cut at punctuation and at words of contrast."""
    text = re.sub(r"(?<=\w) [-–—] (?=\w)", ", ", re.sub(r",? however\b,?", " ", tidy(answer)))
    reading = read(text)
    clauses: list[_Clause] = []
    start = 0
    contrast = False
    for at in range(len(reading.tokens) + 1):
        word = reading.word(at)
        if at < len(reading.tokens) and (
            word not in CLAUSE_MARKS or (word == "." and not sentence_ends_at(reading, at))
        ):
            continue
        if at > start:
            shown = " ".join(reading.shown(start, at).casefold().replace('"', "").replace("*", "").split())
            pieces = _CONTRAST.split(shown)
            for number, piece in enumerate(pieces):
                contrast = contrast or number > 0
                if piece.strip(" '-"):
                    clauses.append(_Clause(piece.strip(" '-"), contrast, word if number == len(pieces) - 1 else ""))
                    contrast = False
        start = at + 1
    return clauses


def _match(clause: str) -> re.Match[str] | None:
    patterns = _CHINESE if has_han(clause) else _ENGLISH
    return next((match for pattern in patterns if (match := pattern.search(clause))), None)


def _is_neutral(clause: str) -> bool:
    if has_han(clause):
        return _HAN_NEUTRAL.match(clause) is not None
    return all(word in _NEUTRAL for word in re.findall(r"[a-z]+", clause)) and not re.search(r"\d", clause)


def _is_bare(clause: str, match: re.Match[str] | None) -> bool:
    """Whether a clause states only that the text does not have the answer."""
    return match is not None and _is_neutral(clause[: match.start()] + " " + clause[match.end() :])


def _is_fragment(clause: str) -> bool:
    if has_han(clause):
        return len(clause) <= 8 and _VERBS.search(clause) is None
    return _VERBS.search(clause) is None


def _offers_before(clauses: list[_Clause], at: int, found: list[re.Match[str] | None]) -> bool:
    """Whether a clause before the abstention gives a value: "Paris, but the story does not say"."""
    clause = clauses[at]
    if _is_neutral(clause.text) or clause.end in {"?", ":"}:
        return False
    if _SURE_GUESS.search(clause.text):
        return True
    if _is_subject(clauses, at) or _is_reported(clauses, at, found):
        return False
    followed = clauses[at + 1].contrast or clause.end in SENTENCE_MARKS
    return _is_fragment(clause.text) and (followed or not _TOPIC.match(clause.text))


def _is_subject(clauses: list[_Clause], at: int) -> bool:
    """Whether a clause is the subject of a later one that starts with its verb: "His debts, if any, are not stated"."""
    for clause, following in pairwise(clauses[at:]):
        if clause.end in SENTENCE_MARKS or following.contrast:
            return False
        if _VERB_FIRST.match(following.text):
            return True
    return False


def _offers_after(clauses: list[_Clause], at: int, found: list[re.Match[str] | None]) -> bool:
    """Whether a clause after the abstention gives a value: a guess, a bare word, or "it was ..."."""
    clause = clauses[at]
    text = _CONNECTIVE.sub("", clause.text)
    if _is_neutral(clause.text) or clause.end == "?":
        return False
    if _SURE_GUESS.search(text):
        return True
    if _continues_list(clauses, at, found):
        return False
    before = clauses[at - 1]
    if before.end == "(" and not found[at - 1] and _REPORT.search(before.text):
        return False  # "only Mardani received one (5750 euros)"
    if _is_subject(clauses, at) or _is_reported(clauses, at, found):
        return False
    if _GUESS.search(text):
        return not re.search(r"\bnot\b|\bno\b|\bnothing\b", text)
    if _REPORT.search(text):
        return False
    if has_han(text):
        return _is_fragment(text) or text.startswith(("是", "他", "她", "它", "这", "那"))
    return _is_fragment(text) or _ABOUT_IT.match(text) is not None


def _is_reported(clauses: list[_Clause], at: int, found: list[re.Match[str] | None]) -> bool:
    """Whether a fragment continues a list of what the text does have: "It names Emma, Mr. Knightley and others"."""
    if clauses[at].contrast or not _is_fragment(clauses[at].text):
        return False
    for before in range(at - 1, -1, -1):
        if clauses[before].end != "," or found[before]:
            return False
        if _REPORT.search(clauses[before].text):
            return True
    return False


def _continues_list(clauses: list[_Clause], at: int, found: list[re.Match[str] | None]) -> bool:
    """Whether a fragment continues a list of what is not mentioned: "no mention of his age, name, or trade"."""
    last = at
    while last < len(clauses) and not found[last] and not re.match(r"(?:or|nor|and)\b|或", clauses[last].text):
        if clauses[last].end != "," or clauses[last].contrast or not _is_fragment(clauses[last].text):
            return False
        last += 1
    before = clauses[at - 1]
    return last < len(clauses) and before.end == "," and not clauses[last].contrast and _is_fragment(clauses[last].text)
