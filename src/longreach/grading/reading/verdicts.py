"""Reads answers to "does this text have errors?", in any form that a person would recognise.

The last declared verdict counts (JSON, YAML, a table, a box, a line `Verdict: ...`, a label by itself); where none is
declared, the sentences decide. Contradictions and suppositions are not verdicts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from longreach.core.language import has_han
from longreach.core.types import Frozen
from longreach.grading.values.words import Patterns, word_set

from .structured import json_spans, table_records, yaml_value

# English sentences about whether a text has errors.

_ENGLISH = Patterns("verdict_english")
_BLAME, _PRAISE = _ENGLISH["blame"], _ENGLISH["praise"]
_NEGATIONS = word_set(
    "no not never without none nothing neither nor zero 0 lacks lack absence free hardly barely devoid unable far-from "
    "anything-but non un"
)
_FAILS = word_set("fail fails failed failing")
_NORMAL = (
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bcannot\b"), "can not"),
    (_ENGLISH["not able"], "do not "),
    (re.compile(r"\b(far) from\b"), "far-from"),
    (re.compile(r"\banything but\b"), "anything-but"),
    (re.compile(r"\bmade[ -]up\b"), "made-up"),
    (re.compile(r"\bin (line|keeping|accordance)\b"), r"in-\1"),
    (_ENGLISH["error free"], "error-free"),
    (re.compile(r"\b(?:non|un|not)-(?=hallucinat|faithful|factual|support)"), "not "),
    (_ENGLISH["idiom words"], " "),
    (_ENGLISH["task"], " "),
    (_ENGLISH["factual"], ""),
)
"""Replaces synonyms by one form; removes idioms that look like negations, and restatements of the task."""
_SUPPOSED = _ENGLISH["supposed words"]
_PARTLY, _PART, _ALL, _WHOLE = (_ENGLISH[f"{name} words"] for name in ("partly", "part", "all", "whole"))
_CLAUSE = _ENGLISH["clause"]
_LINK = re.compile(r"^(?:but|however|yet|so|and|or)\b\s*")
_VERB = _ENGLISH["verb words"]
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*|\d+")
_ADVERSATIVE = re.compile(r"\b(?:but|however|yet)\b")
_SHORT = 3
_FRAGMENT = 8


class Remark(Frozen):
    """The statement of a sentence about errors."""

    errors: bool
    """True: something is wrong; False: something is right."""
    whole: bool
    """Whether it concerns the text as a whole."""
    part: bool = False
    """An error in a named part: evidence for a verdict, not one."""


def read_english(sentence: str, *, label: bool = False) -> Iterator[Remark]:
    """The remarks of a lower-case sentence; mostly one, two where it contradicts itself."""
    for pattern, put in _NORMAL:
        sentence = pattern.sub(put, sentence)
    found: list[Remark] = []
    negated = about_whole = False
    for clause in (_LINK.sub("", part.strip()) for part in _CLAUSE.split(sentence)):
        remark, negated = _clause(clause, label=label, negated=negated, about_whole=about_whole)
        about_whole = about_whole or (_WHOLE.search(clause) is not None and not _PART.search(clause))
        if remark is not None:
            found.append(remark)
    if _ADVERSATIVE.search(sentence) and found and (found[-1].errors or found[-1].whole):
        # "it is accurate, but one date is wrong": the part after the "but" counts.
        found = [one for one in found if one.errors == found[-1].errors]
    yield from settled(found)


def settled(found: Sequence[Remark]) -> Sequence[Remark]:
    """The remarks of one sentence as one, where they agree."""
    if len({one.errors for one in found}) != 1:
        return found
    return (Remark(errors=found[0].errors, whole=any(one.whole for one in found), part=all(one.part for one in found)),)


def _clause(clause: str, *, label: bool, negated: bool, about_whole: bool) -> tuple[Remark | None, bool]:
    """The remark of a clause, and whether it was negated. `negated`: the previous clause was, which a mere list
    continues."""
    if _SUPPOSED.search(clause):
        return None, False
    words = [found[0] for found in _WORD.finditer(clause)]
    continues = negated and len(words) <= _FRAGMENT and not _VERB.search(clause)
    polarities, negated = _polarity(words, continues)
    if len(polarities) != 1:
        return None, negated
    errors = next(iter(polarities))
    short = len(words) <= _SHORT
    part = _PART.search(clause) is not None
    in_part = part and not _ALL.search(clause)
    speaks_of_whole = (
        label or short or about_whole or negated or bool(_WHOLE.search(clause)) or bool(_ALL.search(clause))
    )
    if not errors:
        says = not _PARTLY.search(clause) and (label or not in_part) and speaks_of_whole
        return (Remark(errors=False, whole=True) if says else None), negated
    if not (label or short or part or _WHOLE.search(clause) or about_whole):
        return None, negated  # a mistake in the text, not in the summary
    whole = label or short or bool(_WHOLE.search(clause))
    return Remark(errors=True, whole=whole, part=part and not label), negated


def _polarity(words: Sequence[str], continues: bool) -> tuple[set[bool], bool]:
    """The polarity of a clause's words: True for errors, False for none; and whether a negation decided it."""
    polarities: set[bool] = set()
    negations = int(continues)
    negated = continues
    for place, word in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else ""
        if word in _FAILS and after in ("to", "in"):
            negations += 1  # "fails to match"
        elif _BLAME.fullmatch(word):
            negated = negated or negations % 2 == 1
            polarities.add(negations % 2 == 0)
        elif _PRAISE.fullmatch(word):
            negated = negated or negations % 2 == 1
            polarities.add(negations % 2 == 1)
        elif word in _NEGATIONS and not (place == 0 and word == "no" and _VERB.fullmatch(after)):
            negations += 1
    return polarities, negated


# Chinese sentences about whether a text has errors, clause by clause.

_CHINESE = Patterns("verdict_chinese")
_CHINESE_BLAME, _CHINESE_PRAISE, _NEGATION, _CHINESE_SUPPOSED, _CHINESE_PART, _CHINESE_PARTLY, _CHINESE_CLAUSE = (
    _CHINESE[name] for name in ("blame", "praise", "negation", "supposed", "part", "partly", "clause")
)


def read_chinese(sentence: str, *, label: bool = False) -> Iterator[Remark]:
    """The remarks of a sentence, like `read_english`."""
    found: list[Remark] = []
    for clause in map(str.strip, _CHINESE_CLAUSE.split(sentence)):
        polarities = set() if _CHINESE_SUPPOSED.search(clause) else _chinese_polarity(clause)
        part = not label and _CHINESE_PART.search(clause) is not None
        if polarities == {True}:
            found.append(Remark(errors=True, whole=not part, part=part))
        elif polarities == {False} and not part and not _CHINESE_PARTLY.search(clause):
            found.append(Remark(errors=False, whole=True))
    yield from settled(found)


def _chinese_polarity(clause: str) -> set[bool]:
    polarities: set[bool] = set()
    negations = at = 0
    while at < len(clause):
        # "不一致" is blame, not a negated praise; "无误" is praise, not a negated blame.
        if found := _CHINESE_PRAISE.match(clause, at):
            polarities.add(negations % 2 == 1)
        elif found := _CHINESE_BLAME.match(clause, at):
            polarities.add(negations % 2 == 0)
        elif found := _NEGATION.match(clause, at):
            negations += 1
        at = found.end() if found else at + 1
    return polarities


# Whether a phrase states that a text has errors, in English or Chinese: "no errors", "far from accurate", 忠实于原文.

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_QUOTED = re.compile(
    r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|‘[^’\n]*’|《[^》\n]*》|`[^`\n]*`|(?<!\w)'[^'\n]{4,}'(?!\w)"
)
_MARKUP = re.compile(r"[*_~#>|]+")
_YES = re.compile(r"yes|true|y|1|present|found|是|有|存在|对|真")
_NO = re.compile(r"no|false|n|0|none|null|nil|nothing|n/a|not found|absent|empty|zero|否|无|没有|不|不存在|不是|假|没")
_CHECKMARKS = {"✅": "correct", "✔": "correct", "✓": "correct", "❌": "wrong", "✗": "wrong", "✘": "wrong"}
_LABEL_QUOTE = 24


def yes_or_no(text: str) -> bool | None:
    """Whether a short answer is yes; None where it is neither."""
    plain = text.strip(" \t\r\n.。!！\"'“”‘’*`_[]()").casefold()
    plain = re.split(r"[,，.。;；(（\-–—:：]", plain, maxsplit=1)[0].strip()
    if _YES.fullmatch(plain):
        return True
    return False if _NO.fullmatch(plain) else None


def label_says(text: str) -> bool | None:
    """Whether a label or a short phrase states that there are errors; None where it states neither or both."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).strip()
    plain = plain if " " in plain else re.sub(r"(?<=\w)[_-](?=\w)", " ", plain)
    found = list(remarks(plain, label=True))
    polarities = {remark.errors for remark in found}
    if len(polarities) > 1:
        polarities = {remark.errors for remark in found if not remark.part}
    return polarities.pop() if len(polarities) == 1 else None


def remarks(text: str, *, label: bool = False) -> Iterator[Remark]:
    """The remark of each sentence, in order; sentences without one are skipped. `label`: a phrase by itself, which
    concerns the whole."""
    for mark, word in _CHECKMARKS.items():
        text = text.replace(mark, f" {word} ")
    text = text.replace("’", "'").replace("**", "")
    for sentence in _SENTENCE.split(_QUOTED.sub(_quote, text)):
        plain = " ".join(_MARKUP.sub(" ", sentence).casefold().split())
        if plain and not plain.endswith(("?", "？")):
            yield from read_chinese(plain, label=label) if has_han(plain) else read_english(plain, label=label)


def _quote(found: re.Match[str]) -> str:
    """Quoted labels are retained; quoted sentences are removed, because they concern something else."""
    inside = found[0][1:-1]
    label = len(inside.split()) <= 2 and not inside.rstrip().endswith((".", "。")) and len(inside) <= _LABEL_QUOTE
    return inside if label else " quotation "


# The declared verdict of an answer, or that of its sentences.

_PATTERNS = Patterns("verdicts")
_VERDICT_KEYS, _LIST_KEYS, _COUNT_KEYS = (_PATTERNS[f"{name} keys"] for name in ("verdict", "list", "count"))
_FIELDS = {name: _PATTERNS[f"{name} field"] for name in ("type", "sentence", "correction", "reason")}
_NO_FINDING = re.compile(
    r"(?:none|null|n/?a|no errors?|nothing|no|-|无|没有|不适用|无错误|无幻觉)?[.。]?", re.IGNORECASE
)
_PAIR = re.compile(
    r"[\s>*_#|\-•+\"'`{]*([^:：=|\n]{1,60}?)[\s*_\"'`]*(?:[:：=|]|\bis\b)[\s*_\"'`]*(.*?)[\s*_|,}\"'`]*$"
)
_ALONE = re.compile(r"[\s>*_#\-•+\d.]*([^:：\n]{1,40}?)[\s*_:：]*$")
_SEPARATORS = re.compile(r"[\s_\-]+")
_LATEX = re.compile(r"\\(?:text|mathrm|mathbf|textbf|mathit)\s*\{([^{}]*)\}")
_AGAIN = _PATTERNS["again"]
_QUOTE = re.compile(r"\"([^\"\n]{4,})\"|“([^”\n]{2,})”|「([^」\n]{2,})」|『([^』\n]{2,})』")
_LONGEST = 200_000
_LONGEST_LINE = 1000
_KEY_WORDS = 3


class ErrorReport(Frozen):
    """One error that an answer claims to have found, each part as written."""

    type: str = ""
    sentence: str = ""
    correction: str = ""
    reason: str = ""


class VerdictReading(Frozen):
    """The verdict of an answer on a text."""

    errors: bool
    findings: tuple[ErrorReport, ...] = ()


_LABEL = 12
"""A longer value is no label."""


class _Declared(Frozen):
    """A place that declares a verdict; `reading` is None where it declares none that can be read."""

    end: int
    reading: VerdictReading | None


def read_verdict(text: str, *, form: Collection[str] = ()) -> VerdictReading | None:
    """The verdict of an answer without reasoning. `form`: the placeholder in the prompt's form; an answer that repeats
    it is not filled in."""
    text = _LATEX.sub(r"\1", text[:_LONGEST])
    declared = sorted(_declared(text), key=lambda one: one.end)
    if not declared:
        return _from_prose(text)
    last = declared[-1]
    if last.reading is None or any(finding.sentence in form for finding in last.reading.findings):
        return None
    after = [one for one in remarks(_without_structure(text[last.end :])) if one.whole]
    if after and after[-1].errors != last.reading.errors:
        # Text after the verdict may revoke it: as a correction, or ambiguously.
        return _from_prose(text[last.end :]) if _AGAIN.search(text[last.end :].casefold()) else None
    return last.reading


def _declared(text: str) -> Iterator[_Declared]:
    covered: list[tuple[int, int]] = []
    for value, start, end in json_spans(text):
        if _is_verdict(value):
            covered.append((start, end))
            yield _Declared(end=end, reading=_from_value(value))
    for value, start, end in (*yaml_value(text), *table_records(text)):
        if _is_verdict(value) and not any(one < end and start < other for one, other in covered):
            covered.append((start, end))
            yield _Declared(end=end, reading=_from_value(value))
    yield from _lines(text, covered)


def _lines(text: str, covered: Sequence[tuple[int, int]]) -> Iterator[_Declared]:
    """`Verdict: faithful`, a heading with its verdict below, a label by itself."""
    heading = False
    at = 0
    first = True
    clear, unread = 0, False
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        stripped = line.strip()[:_LONGEST_LINE]
        if not stripped.strip("`*#-_|> ") or any(one < at and start < other for one, other in covered):
            heading = heading and not stripped.strip("`*#-_|> ")
            continue
        pair = _PAIR.fullmatch(stripped)
        if pair and pair[2] and len(pair[1].split()) == 1:
            clear += _is_nothing(pair[2])
            unread = unread or (len(pair[2]) > _LABEL and not _is_nothing(pair[2]))
        if pair and pair[2] and (found := _pair(pair[1], pair[2], at)) is not None:
            yield found
            heading = first = False
            continue
        alone = _ALONE.fullmatch(stripped)
        if alone and _VERDICT_KEYS.fullmatch(_plain(alone[1])):
            heading = True
            continue
        outer = stripped.strip("*_#>` \"'")
        bare = re.split(r"(?<=[.。!！:：])\s|[。！—–]|\s-\s|[.:：]$", outer, maxsplit=1)[0].strip("*_ .。!！")
        label = (first or bare == stripped.strip("*_#>` \"'.。!！")) and len(bare.split()) <= 2 and len(bare) <= 24
        declared = stripped if heading else bare
        says = label_says(declared) if heading or label else None
        if says is not None:
            yield _Declared(end=at, reading=VerdictReading(errors=says))
        heading = first = False
    if clear > 1 and unread:  # "entity: none" and "numerical: 52 should be 42": one line of the list says otherwise
        yield _Declared(end=len(text) + 1, reading=None)


def _pair(key: str, value: str, end: int) -> _Declared | None:
    """A line `key: value`; None where it is no verdict."""
    plain = _plain(re.sub(r"[?？]", "", key))
    declares = _VERDICT_KEYS.fullmatch(plain) is not None
    if declares:
        stated = _sentence_verdict(value)
    else:
        stated = None if len(plain.split()) > 6 else _about(plain, value)
    if stated is None:
        return _Declared(end=end, reading=None) if declares else None
    return _Declared(end=end, reading=VerdictReading(errors=stated))


def _sentence_verdict(value: str) -> bool | None:
    """The verdict of a value: its first sentence, or all of it."""
    first = label_says(re.split(r"(?<=[.。!！])\s+|(?<=[。！])|\s[-–—]\s|[(（]", value.strip(), maxsplit=1)[0])
    return label_says(value) if first is None else first


def _is_verdict(value: Any) -> bool:
    """Whether a value concerns errors at all, readable or not."""
    if isinstance(value, list):
        return any(isinstance(entry, dict) and _is_verdict(entry) for entry in value)
    if not isinstance(value, dict):
        return False
    keys = [_plain(key) for key in value]
    return (
        any(known.fullmatch(key) for key in keys for known in (_VERDICT_KEYS, _LIST_KEYS, _COUNT_KEYS))
        or any(_is_about(_plain(key), entry) for key, entry in value.items())
        or all(any(_FIELDS[name].fullmatch(key) for key in keys) for name in ("sentence", "type"))
        or any(_is_verdict(entry) for entry in value.values())
    )


def _is_about(key: str, entry: Any) -> bool:
    """Whether a key asks for the verdict: a short one whatever its value is, a sentence only with an answer to it."""
    if _is_field(key) or _key_polarity(key) is None:
        return False
    label = not isinstance(entry, str) or len(entry.split()) <= _KEY_WORDS
    return (label and len(key.split()) <= _KEY_WORDS) or _about(key, entry) is not None


def _is_field(key: str) -> bool:
    return any(pattern.fullmatch(key) for pattern in _FIELDS.values())


def _from_value(value: Any) -> VerdictReading | None:
    """The verdict of a JSON value: an object's own keys before nested ones. A list is wrong if any entry is."""
    if isinstance(value, list):
        parts = [part for entry in value if (part := _from_value(entry)) is not None]
        if not parts:
            return None
        return VerdictReading(
            errors=any(part.errors for part in parts),
            findings=tuple(finding for part in parts for finding in part.findings),
        )
    return _from_object(value) if isinstance(value, dict) else None


def _from_object(value: Mapping[str, Any]) -> VerdictReading | None:
    findings = tuple(_findings(value))
    stated = _stated(value)
    if stated:
        # Contradicting keys or an unreadable verdict give none.
        complete = any(one.type and one.sentence and one.correction for one in findings)
        if len(set(stated)) > 1 or stated[0] is None or (not stated[0] and complete):
            return None
        return VerdictReading(errors=stated[0], findings=findings)
    if findings:
        return VerdictReading(errors=True, findings=findings)
    inner = [
        part for entry in value.values() if isinstance(entry, dict | list) and (part := _from_value(entry)) is not None
    ]
    if inner:
        return inner[-1]
    if any(_LIST_KEYS.fullmatch(_plain(key)) and _is_nothing(entry) for key, entry in value.items()):
        return VerdictReading(errors=False)
    return None


def _stated(value: Mapping[str, Any]) -> list[bool | None]:
    """What the keys of an object that declare a verdict say, None where that cannot be read."""
    stated: list[bool | None] = []
    for key, entry in value.items():
        plain = _plain(key)
        if _VERDICT_KEYS.fullmatch(plain) and isinstance(entry, str):
            stated.append(_sentence_verdict(entry))
        elif not _is_field(plain) and (found := _about(plain, entry)) is not None:
            stated.append(found)
    return stated


def _is_nothing(entry: Any) -> bool:
    """An empty list of findings, or one that states there are none; null is no answer."""
    if isinstance(entry, list):
        return all(_is_nothing(one) for one in entry)
    if isinstance(entry, dict):
        return bool(entry) and not list(_findings({"findings": [entry]}))
    return isinstance(entry, str) and bool(entry.strip()) and _NO_FINDING.fullmatch(entry.strip()) is not None


def _about(key: str, stated: Any) -> bool | None:
    """The verdict of a key about errors or truth and its value: `has_errors: false`, `Faithful: yes`, `错误: 无`."""
    if _COUNT_KEYS.fullmatch(key):
        written = str(stated).strip()
        return int(written) > 0 if written.isdecimal() and len(written) < 9 else None
    about = _key_polarity(key)
    if about is None or _is_field(key):
        return None
    if isinstance(stated, bool | int | float):
        yes: bool | None = bool(stated) if stated in (0, 1) else None
    elif isinstance(stated, str):
        yes = yes_or_no(stated)
        if yes is None:
            return label_says(stated) if len(stated.split()) <= 6 else None
    else:
        return None
    return None if yes is None else yes == about


def _key_polarity(key: str) -> bool | None:
    """Whether a yes to this key means errors (True) or none (False)."""
    if "type" in key or "score" in key or "confidence" in key or "类型" in key:
        return None
    bare = re.sub(
        r"^(?:is|are|has|have|does|any|there|the|contains?|summary|whether|found|是否|有无|有没有)\b ?|[?？]", "", key
    )
    bare = re.sub(r"^(?:是否|有无|有没有)(?:存在|有|含有|包含)?", "", bare)
    return label_says(bare) if bare and len(bare.split()) <= 6 else None


def _findings(value: Mapping[Any, Any]) -> Iterator[ErrorReport]:
    listed = [
        entry for key, entry in value.items() if _LIST_KEYS.fullmatch(_plain(key)) and isinstance(entry, list | dict)
    ]
    entries = [one for entry in listed for one in (entry if isinstance(entry, list) else [entry])]
    # A verdict may carry its one finding in its own fields.
    for entry in entries if listed else [value]:
        if isinstance(entry, str) and not _NO_FINDING.fullmatch(entry.strip()) and label_says(entry) is not False:
            yield ErrorReport(sentence=entry.strip())
        elif isinstance(entry, dict):
            fields = {
                name: next(
                    (str(stated).strip() for key, stated in entry.items() if known.fullmatch(_plain(key)) and stated),
                    "",
                )
                for name, known in _FIELDS.items()
            }
            named = {name: "" if _NO_FINDING.fullmatch(fields[name]) else fields[name] for name in ("type", "sentence")}
            if named["type"] or (named["sentence"] and not (fields["type"] and not named["type"])):
                yield ErrorReport(**fields | named)


def _from_prose(text: str) -> VerdictReading | None:
    """The verdict of the sentences, where none is declared."""
    found = list(remarks(_without_structure(text)))
    blamed = any(one.errors for one in found)
    verdicts = {one.errors for one in found if one.whole and not one.part} or ({True} if blamed else set())
    if len(verdicts) != 1 or (blamed and verdicts == {False}):
        return None
    if not blamed:
        return VerdictReading(errors=False)
    blaming = (line for line in re.split(r"\n+", text) if any(one.errors for one in remarks(line)))
    quoted = (next(filter(None, quote.groups())).strip() for line in blaming for quote in _QUOTE.finditer(line))
    return VerdictReading(errors=True, findings=tuple(ErrorReport(sentence=each) for each in quoted))


def _without_structure(text: str) -> str:
    """Only the prose, without JSON and code fences."""
    kept: list[str] = []
    at = 0
    for _, start, end in json_spans(text):
        if start >= at:
            kept.append(text[at:start])
            at = end
    kept.append(text[at:])
    return re.sub(r"```\w*", "\n", "\n".join(kept))


def _plain(key: Any) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(key).strip(" \t*_\"'`“”#"))
    return " ".join(_SEPARATORS.split(words.casefold())).strip()
