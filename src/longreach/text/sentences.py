"""Sentences of a text: where they end, how central each is, and the prose and headings of a text of any language."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import sentencex

from longreach.core.language import HAN, detect_language
from longreach.core.types import byte_offsets

# Where sentences end.

_WIDE_SPACE = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_CLOSERS = re.compile("[”’」』）】》〉〕］]+")
_LONG = 1000
# Up to the next Chinese full stop if one is near, else up to the next comma, else (no Chinese) all of it.
_CHINESE_PART = re.compile(r".{500,5000}?[。！？]+[”’」』）]*|.{5000,}?[，、；：。！？]|.+", re.DOTALL)
_LIST_MARK = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivxlc]{2,6}|[IVXLC]{2,6})[.)]")
_ORDINAL = re.compile(r"(?<![\d.,])\d{1,2}\.$")
"""'Im 19. Jahrhundert', in German."""
# A bracket that opens a sentence, holds more than one word (or Chinese) and closes after final punctuation.
_BRACKETED = re.compile(
    r"""\((?=[^()\s]+\s)[^()]{1,600}[.!?…]["”’']*\)(?=\s)"""
    r"""|\[(?=[^][\s]+\s)[^][]{1,600}[.!?…]["”’']*\](?=\s)"""
    r"""|（[^（）]{1,600}[。！？…][”’」』]*）"""
)


def sentence_ends(text: str, language: str) -> list[int]:
    """The character offsets at which sentences end, strictly increasing.

    An end lies after the final punctuation and its closing quotes, before the white space that follows. The end of a
    paragraph (before a blank line, and at the end of the text) counts too; a single newline does not, because lines
    of prose may be wrapped. `language` is a document's: `en` or `zh`."""
    ends: list[int] = []
    start = 0
    for blank in _BLANK_LINE.finditer(text):
        _add_paragraph(ends, text[start : blank.start()], start, language)
        start = blank.end()
    _add_paragraph(ends, text[start:], start, language)
    return ends


def _add_paragraph(ends: list[int], paragraph: str, start: int, language: str) -> None:
    """Append the ends of one paragraph that begins at `start`; its last visible character is always one."""
    if not paragraph.isascii():
        paragraph = _WIDE_SPACE.sub(" ", paragraph)
    last = start + len(paragraph.rstrip())
    position = start
    for part in _parts(paragraph):
        for sentence in sentencex.segment(language, part):
            end = position + len(sentence.rstrip())
            if ends and ends[-1] == position and (closers := _CLOSERS.match(sentence)):
                ends[-1] += closers.end()  # a closing quote belongs to the sentence before
            elif sentence[0] in "([（":
                bracketed = _BRACKETED.match(sentence)
                if bracketed and position + bracketed.end() < end:
                    ends.append(position + bracketed.end())
            is_mark = end - position < 10 and end < last and _LIST_MARK.fullmatch(sentence.strip())
            is_ordinal = language == "de" and end < last and _ORDINAL.search(sentence.rstrip())
            if end > position and not is_mark and not is_ordinal and (not ends or end > ends[-1]):
                ends.append(end)
            position += len(sentence)
        if ends and ends[-1] == position < last and part[-1] in "，、；：":
            ends.pop()  # only where the part was cut, not where a sentence ends
    if last > start and (not ends or ends[-1] < last):
        ends.append(last)


def _parts(paragraph: str) -> Iterator[str]:
    """The paragraph whole or, where it is long and not plain English, in parts that end at a Chinese full stop."""
    if len(paragraph) <= _LONG or paragraph.isascii():
        yield paragraph
    else:
        yield from _CHINESE_PART.findall(paragraph)


# Splits a text into sentences and ranks them by how central they are to the text around them.

_WRITTEN_TOGETHER = f"\u3040-\u30ff{HAN}"
_TERM = re.compile(rf"[{_WRITTEN_TOGETHER}]+|[^\W_{_WRITTEN_TOGETHER}]+")
_REGION_BYTES = 8_000
# Minimum bytes to keep per region, however short the target: a few sentences.
_REGION_KEEPS = 1_200
# Integer weights, so that sums are identical on every processor.
_WEIGHT_STEPS = 64
_UNIT = 4096


class Sentences:
    """A text as sentences; dropping some preserves the order and white space of the rest."""

    def __init__(self, text: str) -> None:
        ends = sentence_ends(text, detect_language(text)) or [len(text)]
        self.texts: list[str] = []
        self.gaps: list[str] = []
        """White space before each sentence; empty before the first."""
        before = len(text) - len(text.lstrip())
        for end in ends:
            start = before + len(chunk := text[before:end]) - len(chunk.lstrip())
            if start < end:
                self.gaps.append(text[before:start] if self.texts else "")
                self.texts.append(text[start:end])
                before = end

    def __len__(self) -> int:
        return len(self.texts)

    def sizes(self) -> npt.NDArray[np.int64]:
        """Bytes per sentence including the white space before it; a better proxy for tokens than characters in every
        script."""
        return np.array(
            [
                len(gap) + (len(text) if text.isascii() else len(text.encode()))
                for gap, text in zip(self.gaps, self.texts, strict=True)
            ],
            dtype=np.int64,
        )

    def join(self, kept: Collection[int], parts: Mapping[int, str] | None = None) -> str:
        """Join the selected sentences in order; `parts` replaces some of them. Where sentences are dropped, the white
        space with the most line breaks is used, so that paragraph breaks survive."""
        flags = np.zeros(len(self), dtype=bool)
        flags[np.fromiter(kept, dtype=np.int64, count=len(kept))] = True
        out: list[str] = []
        gap = ""
        for index, keep in enumerate(flags.tolist()):
            here = self.gaps[index]
            if not gap or (here.count("\n"), len(here)) > (gap.count("\n"), len(gap)):
                gap = here
            if keep:
                if out:
                    out.append(gap)
                out.append(parts.get(index, self.texts[index]) if parts else self.texts[index])
                gap = ""
        return "".join(out)


def terms(text: str) -> list[str]:
    """Terms for comparing texts: lower-cased words, and character bigrams where words are not separated (Chinese,
    kana)."""
    found: list[str] = []
    for run in _TERM.findall(text.lower()):
        if len(run) > 1 and "\u3040" <= run[0] <= "\ufaff" and not "\ua000" <= run[0] < "\uf900":
            found += [one + other for one, other in pairwise(run)]
        else:
            found.append(run)
    return found


def by_centrality(sentences: Sentences, share: float) -> npt.NDArray[np.int64]:
    """Sentence indices in the order in which to keep them when shortening a text.

    The text is divided into regions of a few pages. Within a region, sentences are ranked by similarity to the region
    as a whole (cosine to its centroid, terms weighted by their rarity in the text). Regions then take turns: after any
    number of sentences, each has retained the same share of its bytes, to within a sentence, so that the result covers
    the whole text."""
    sizes = sentences.sizes()
    regions = _regions(sizes, max(_REGION_BYTES, int(_REGION_KEEPS / max(share, 1e-6))))
    scores = _similarity(sentences, regions)
    index = np.arange(len(sentences))
    ranked = np.lexsort((index, -scores, regions))
    running = np.cumsum(sizes[ranked])
    totals = np.bincount(regions, weights=sizes).astype(np.int64)
    before = np.concatenate(([0], np.cumsum(totals)))[regions[ranked]]
    # Position of a sentence's middle when its region is sorted from most to least central.
    level = (2 * (running - before) - sizes[ranked]) / (2 * np.maximum(totals[regions[ranked]], 1))
    return ranked[np.lexsort((ranked, level))]


def _regions(sizes: npt.NDArray[np.int64], region_bytes: int) -> npt.NDArray[np.int64]:
    """Each sentence's region; regions have about equal size."""
    total = int(sizes.sum())
    count = max(1, total // region_bytes)
    middles = np.cumsum(sizes) - sizes // 2
    found: npt.NDArray[np.int64] = np.minimum(middles * count // max(total, 1), count - 1)
    return found


def _term_counts(
    sentences: Sentences,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
    """Sentence, term and how often it is there, for each pair; and how many terms there are."""
    ids: dict[str, int] = {}
    words: list[int] = []
    lengths: list[int] = []
    for text in sentences.texts:
        found = terms(text)
        words += [ids.setdefault(term, len(ids)) for term in found]
        lengths.append(len(found))
    sentence = np.repeat(np.arange(len(sentences)), lengths)
    pairs, often = np.unique(sentence * len(ids) + np.array(words, dtype=np.int64), return_counts=True)
    several = max(1, len(ids))
    return pairs // several, pairs % several, often, len(ids)


def _similarity(sentences: Sentences, regions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Similarity of each sentence to its region; 0 for a sentence without words."""
    sentence, word, often, known = _term_counts(sentences)
    if not known:
        return np.zeros(len(sentences), dtype=np.int64)
    in_sentences = np.bincount(word, minlength=known)
    rare = np.rint(_WEIGHT_STEPS * np.log2((1 + len(sentences)) / in_sentences)).astype(np.int64)
    weights = often * rare[word]
    norms = np.zeros(len(sentences), dtype=np.int64)
    np.add.at(norms, sentence, weights * weights)
    weights = np.rint(_UNIT * weights / np.sqrt(np.maximum(norms, 1)[sentence])).astype(np.int64)
    places, place = np.unique(regions[sentence] * known + word, return_inverse=True)
    centre = np.zeros(len(places), dtype=np.int64)
    np.add.at(centre, place, weights)
    similarity = np.zeros(len(sentences), dtype=np.int64)
    # Compare with the rest of the region only: a long sentence is a large part of its region.
    np.add.at(similarity, sentence, weights * (centre[place] - weights))
    return similarity


# Prose in a text of any language: its sentences and headings, by layout and punctuation.

_FENCE = re.compile(r"[ \t]{0,3}(```|~~~)")
_MARKED = re.compile(r"(#{1,6})[ \t]+(\S.*?)[ \t#]*$")
_UNDERLINE = re.compile(r"[ \t]*(=|-)\1{2,}[ \t]*$")
_BULLET = re.compile(
    r"\s*(?:[^\w\s\"'“‘„«»¿¡(（「『《<…-]|[-–—]|[(（]?(?:\d{1,3}|[^\W\d_]|[ivxIVX]{2,5})[.)）、．])(?:\s|$)"
)
"""A mark of a list: a lone sign, number, letter or numeral before a space."""
_NUMBERED = re.compile(r"\s*[(（]?\d{1,3}[.)）、．]")
_COLUMNS = re.compile(r"\S(?: {3,}|\t)(?=\S)|\|")
_ROW = 160
"""Width of the longest row of a table: prose has fewer gaps than one per row."""
CODE = frozenset("`|{}<>\\=_@#*^~[]/→•")
"""Characters of code, markup and formulas: a sentence with one of them is not quoted."""
_FINAL = ".!?。！？؟…।"
_SEMICOLON, _COMMA = re.compile("[؛；]"), re.compile("[،，]")
"""Of scripts without capitals: where a sentence is too long to quote, semicolons end a statement, then commas."""
_PROSE_CLOSERS = "”’\"'」』）)»›“]】"
_QUOTES = '"“”„«»「」『』‹›'
_BRACKETS = ("()", "（）", "「」", "『』", "《》")
_WIDE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""Scripts that are written without spaces, or with characters as wide as two."""
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_BETWEEN_WIDE = re.compile(
    r"(?<=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef])\s+(?=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef])"
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_LONE = re.compile(r"(?:^|\s)\W*\.$")
"""A full stop without a word before it: it is quoted and ends nothing."""
_STOPPED = re.compile(r"(\w+)\.[ \t]+[^\W\d_]")
_LINES_ALIKE = 0.6
"""Share of the widest line that the others of a wrapped paragraph have at least."""
_INDENT = re.compile(r"(?: {4}|\t)")
_LETTERS = 0.75
_CAPITALS = 0.75
"""Share of the words of a sentence that begin with a capital, at most: those of a list of names all do."""
SHORTEST, LONGEST = 45, 220
"""Width of a statement, in Latin characters."""
_STEM = 6


@dataclass(frozen=True)
class Sentence:
    """A sentence of prose, with its bytes in the text."""

    start: int
    end: int
    text: str
    """On one line."""
    usable: bool
    """Whether it can be quoted: whole, of moderate length, without signs of code or markup."""
    follows: bool
    """Whether it stands directly after the sentence before, in the same paragraph."""


@dataclass(frozen=True)
class Heading:
    """A heading with its bytes in the text."""

    text: str
    level: int
    start: int
    end: int


@dataclass
class Prose:
    """What was found in a text."""

    sentences: list[Sentence] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    doubts: list[int] = field(default_factory=list)
    """Bytes at which a heading may stand that is not marked as one."""


def read_prose(text: str, language: str, abbreviations: frozenset[str], base: int = 0) -> Prose:
    """The sentences and headings of a text that begins at byte `base`."""
    found = Prose()
    offsets = byte_offsets(text) + base
    blocks = list(_blocks(text))
    # A text that is indented as a whole is no code.
    indented = sum(bool(_INDENT.match(text, start)) for start, end in blocks) * 2 < len(blocks)
    for start, end in blocks:
        if heading := _heading(text[start:end]):
            name, level, size = heading
            if name[:1].islower():  # perhaps a command
                found.doubts.append(int(offsets[start]))
            else:
                found.headings.append(Heading(name, level, int(offsets[start]), int(offsets[start + size])))
            start += size
            if not text[start:end].strip():
                continue
        elif "\n" not in text[start:end] and text[start:end].rstrip(_PROSE_CLOSERS + " ")[-1:] not in tuple(_FINAL):
            found.doubts.append(int(offsets[start]))
        if indented and _INDENT.match(text[start:end]):
            continue
        for first, last, whole in _paragraphs(text, start, end):
            position = first
            for finish in _ends(text[first:last], language):
                raw = text[position : first + finish]
                at = position + len(raw) - len(raw.lstrip())
                sentence = one_line(raw)
                ended = _ended(sentence, abbreviations) and _begins(text[first + finish : last])
                found.sentences.append(
                    Sentence(
                        start=int(offsets[at]),
                        end=int(offsets[first + finish]),
                        text=sentence,
                        usable=whole and ended and not _COLUMNS.search(raw.strip()) and _quotable(sentence),
                        follows=position > first and whole,
                    )
                )
                position, whole = first + finish, ended
    return found


def _ends(paragraph: str, language: str) -> Iterator[int]:
    """Where the statements of a paragraph end: its sentences, and the parts of those that are too long to quote."""
    start = 0
    for last in sentence_ends(paragraph, language):
        long = width(paragraph[start:last]) > LONGEST
        ends = [mark.end() for mark in _SEMICOLON.finditer(paragraph, start, last - 1)] if long else []
        for end in (*ends, last):
            commas = [mark.end() for mark in _COMMA.finditer(paragraph, start, end - 1)]
            for comma, after in pairwise((*commas, end)):
                if width(paragraph[start:after]) > LONGEST:
                    yield (start := comma)
            yield (start := end)


def words_of(text: str) -> frozenset[str]:
    """The words of a text, cut to a stem; of scripts without spaces, pairs of characters."""
    words: set[str] = set()
    for word in _WORD.findall(unmarked(text.casefold())):
        if _UNSPACED.search(word):
            words.update(run[at : at + 2] for run in _UNSPACED.findall(word) for at in range(max(1, len(run) - 1)))
            words.update(part[:_STEM] for part in _UNSPACED.split(word) if part)
        else:
            words.add(word[:_STEM])
    return frozenset(words)


def shared_letters(one: str, other: str) -> float:
    """The share of short runs of letters that two texts have in common, 0 to 1."""
    return _shared_letters(min(one, other), max(one, other))


@lru_cache(maxsize=100_000)
def _shared_letters(one: str, other: str) -> float:
    mine, theirs = _runs(one), _runs(other)
    size = (mine.total() * theirs.total()) ** 0.5
    return sum(min(mine[run], theirs[run]) for run in mine.keys() & theirs.keys()) / size if size else 0.0


@lru_cache(maxsize=20_000)
def _runs(text: str) -> Counter[str]:
    size = 2 if _UNSPACED.search(text) else 4
    letters = " ".join(_WORD.findall(unmarked(text.casefold())))
    return Counter(letters[at : at + size] for at in range(len(letters) - size + 1))


class _Marks(dict[int, int | None]):
    """Maps characters to themselves, marks to nothing."""

    def __missing__(self, code: int) -> int | None:
        return self.setdefault(code, None if unicodedata.category(chr(code))[0] == "M" else code)


_MARKS = _Marks()


def unmarked(text: str) -> str:
    """A text without the marks on its letters, vowels or accents: they have no width and part no word."""
    return text if text.isascii() else text.translate(_MARKS)


def width(text: str) -> int:
    """The characters of a text without marks; those of wide scripts count twice or more, as they say more."""
    return len(unmarked(text)) + 3 * len(_WIDE.findall(text)) // 2


@lru_cache(maxsize=20_000)
def script_of(text: str) -> str:
    """The script of most of its letters: a translation that is not complete has sentences of two."""
    names = Counter("wide" if _WIDE.match(one) else unicodedata.name(one).split()[0] for one in text if one.isalpha())
    return names.most_common(1)[0][0] if names else ""


def one_line(raw: str) -> str:
    """A sentence on one line; wide characters join without a space."""
    return " ".join(_BETWEEN_WIDE.sub("", raw).split())


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """What stands between blank lines, outside fenced code."""
    start: int | None = None
    fence = ""
    at = 0
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1] == fence):
            fence = "" if fence else mark[1]
            blank = True
        else:
            blank = bool(fence) or not line.strip()
        if blank and start is not None:
            yield start, at
            start = None
        elif not blank and start is None:
            start = at
        at += len(line)
    if start is not None:
        yield start, at


def _heading(block: str) -> tuple[str, int, int] | None:
    """The heading that begins a block, its level and its size; None where there is none."""
    first, _, rest = block.partition("\n")
    if marked := _MARKED.match(first):
        return one_line(marked[2]), len(marked[1]), len(first)
    second = rest.partition("\n")[0]
    if first.strip() and (line := _UNDERLINE.match(second)) and not _BULLET.match(first):
        return one_line(first), 1 if line[1] == "=" else 2, len(first) + 1 + len(second)
    return None


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """The paragraphs of prose of a block: all of it where its lines are wrapped, else each line; and whether each
    begins a sentence, which a line does not after one that ends none.
    """
    lines: list[tuple[int, int]] = []
    at = start
    for line in text[start:end].splitlines(keepends=True):
        if line.strip():
            lines.append((at, at + len(line.rstrip())))
        at += len(line)
    if not lines:
        return
    widest = max(width(text[one:other]) for one, other in lines)
    wrapped = all(width(text[one:other]) >= _LINES_ALIKE * widest for one, other in lines[:-1])
    listed = any(_BULLET.match(text[one:other]) or _NUMBERED.match(text[one:other]) for one, other in lines[:1])
    ended = True
    for first, last in [(lines[0][0], lines[-1][1])] if wrapped else lines:
        part, begins = text[first:last], ended
        ended = part.rstrip(_PROSE_CLOSERS + " ")[-1:] in tuple(_FINAL)
        table = len(_COLUMNS.findall(part.strip())) * _ROW >= width(part)
        if listed or table or _BULLET.match(part) or _NUMBERED.match(part):
            if wrapped or listed:
                return
            continue
        if ended:
            yield first, last, begins


def abbreviations_of(text: str) -> frozenset[str]:
    """Words that stand before a full stop and a small letter: it ends no sentence there."""
    return frozenset(match[1].casefold() for match in _STOPPED.finditer(text) if match[0][-1].islower())


def _ended(sentence: str, abbreviations: frozenset[str]) -> bool:
    """Whether a sentence really ends here, and not after an abbreviation or an initial."""
    bare = sentence.rstrip(_PROSE_CLOSERS + " ")
    if (bare[-1:] not in tuple(_FINAL) and bare[-1:] not in tuple("؛；،，")) or _LONE.search(bare):
        return False
    last = re.search(r"[\w.]+$", bare.rstrip("."))
    if bare[-1] != "." or last is None:
        return True
    word = last[0].casefold()
    return len(word) > 2 and "." not in word and word not in abbreviations


def _begins(rest: str) -> bool:
    """Whether a sentence can begin here: after a space or a wide mark, and not with a small letter."""
    first = next((one for one in rest if one.isalnum()), "")
    return not first or (not first.islower() and (rest[0].isspace() or _WIDE.search(first) is not None))


def _quotable(text: str) -> bool:
    if not SHORTEST <= width(text) <= LONGEST or CODE & set(text):
        return False
    first = next((one for one in text if one.isalnum()), "")
    if not first.isalpha() or first.islower() or text.index(first) > 1:
        return False
    initials = [word[0] for word in _WORD.findall(unmarked(text)) if word[0].isalpha()]
    if sum(map(str.isupper, initials)) > _CAPITALS * len(initials) and not _WIDE.search(text):
        return False
    letters = sum(unicodedata.category(one)[0] in "LM" for one in text)
    if letters < _LETTERS * len(text.replace(" ", "")):
        return False
    if sum(map(text.count, _QUOTES)) % 2:
        return False
    return all(text.count(pair[0]) == text.count(pair[1]) for pair in _BRACKETS)
