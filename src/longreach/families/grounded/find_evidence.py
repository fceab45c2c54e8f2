"""Where the documents answer a user's question: by its quote, else by its words and those of its answer."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import log
from pathlib import Path

from longreach.core.bench import Corpus
from longreach.core.types import Offsets, byte_offsets
from longreach.grading import grade_answer
from longreach.text.sentences import sentence_ends, terms

from .questions import says, word_count
from .user_questions import UserQuestion

_LEAST = 0.3
"""Share of a question's words, weighed by their rarity, below which a passage without the answer is not its own."""
_SURE = 0.5
_SECOND = 0.9
"""Share of the best passage's score from which another is as likely."""
_LIKELIEST = 30
"""Sentences in which an answer is looked for by its value."""
_LONG_QUOTE = 60
"""Words from which a quote is more than evidence: its sentence with the answer is looked for."""
_ON_PAGE = 0.8
"""Share of a sentence's words that stand on a page that it is on."""


@dataclass(frozen=True)
class Found:
    """The evidence of a question, in bytes of the corpus."""

    start: int
    end: int
    doubt: str = ""
    """Why it may be another place; empty where it is certain."""


@dataclass(frozen=True)
class _Sentence:
    start: int
    end: int
    document: int
    words: frozenset[str]


class EvidenceFinder:
    """Looks for the sentences of a corpus that answer questions."""

    def __init__(self, corpus: Corpus, sources: Sequence[str] = ()) -> None:
        """`sources` are the files and folders that the documents came from: pages are looked up there."""
        self._corpus = corpus
        self._sources = sources
        self._documents = corpus.info.documents
        self._starts = [placed.start for placed in self._documents]

    def find(self, asked: UserQuestion) -> Found | str:
        """The evidence, or why there is none."""
        within = self._within(asked)
        if isinstance(within, str):
            return within
        if asked.quote:
            return self._quoted(asked, within)
        options = [place for place in within if self._on_page(place, asked)] or list(within)
        return self._best(asked, options)

    def document_named(self, name: str) -> int | None:
        """The number of the document with an id, a file name or a title."""
        wanted = name.strip().casefold()
        for match in (str.__eq__, str.endswith):
            for number, placed in enumerate(self._documents):
                about = placed.document
                if any(match(known.casefold(), wanted) for known in (about.source, about.id, about.title)):
                    return number
        return None

    def start_of(self, document: int) -> int:
        """The byte at which a document begins."""
        return self._starts[document]

    def _within(self, asked: UserQuestion) -> range | str:
        """The sentences that are looked through."""
        if not asked.file:
            return range(len(self._sentences))
        number = self.document_named(asked.file)
        if number is None:
            return f"there is no document '{asked.file}'"
        owners = self._owners
        return range(bisect_right(owners, number - 1), bisect_right(owners, number))

    def _quoted(self, asked: UserQuestion, within: range) -> Found | str:
        words = re.findall(r"\w+", asked.quote)
        pattern = re.compile(r"\W+".join(map(re.escape, words)) or r"(?!)", re.IGNORECASE)
        for number in dict.fromkeys(self._owners[place] for place in within):
            text, offsets = self._text(number)
            if match := pattern.search(text):
                base = self._starts[number]
                start, end = base + int(offsets[match.start()]), base + int(offsets[match.end()])
                return self._own_sentence(asked, start, end)
        return "its quote is not in the documents"

    def _own_sentence(self, asked: UserQuestion, start: int, end: int) -> Found:
        """The sentence of a long quote that has the answer; a short one whole."""
        inside = [place for place, known in enumerate(self._sentences) if known.start < end and start < known.end]
        if word_count(asked.quote) <= _LONG_QUOTE or len(inside) < 2:
            return Found(start, end)
        best = self._best(asked, inside)
        return best if isinstance(best, Found) else Found(start, end)

    def _best(self, asked: UserQuestion, places: Sequence[int]) -> Found | str:
        """The sentence with the answer whose surroundings have most of the question's words."""
        shares = self._shares(set(terms(asked.question)) | set(terms(asked.answer)), frozenset(places))
        holders = set() if asked.key.kind == "yesno" else self._holders(asked, shares)
        ranked = sorted(((place in holders, share, -place) for place, share in shares.items()), reverse=True)
        if not ranked:
            return "no passage of the documents is like it"
        has, share, place = ranked[0]
        if not has and share < _LEAST:
            return f"no passage of the documents is like it: the nearest has {share:.0%} of its words"
        best = self._sentences[-place]
        second = next((each for each in ranked[1:] if abs(each[2] - place) > 1), (False, 0.0, 0))
        doubt = ""
        if not has and asked.key.kind != "yesno":
            doubt = f"its answer stands nowhere in these words; the passage has {share:.0%} of the question's"
        elif share < _SURE:
            doubt = f"the passage has {share:.0%} of its words"
        elif second[0] == has and second[1] >= _SECOND * share:
            doubt = f"another passage is as likely ({share:.0%} and {second[1]:.0%} of its words)"
        return Found(best.start, best.end, doubt)

    def _shares(self, words: set[str], places: frozenset[int]) -> dict[int, float]:
        """By sentence, the share of some words that it has, weighed by their rarity; words beside it count half."""
        found: dict[int, float] = defaultdict(float)
        owners, total = self._owners, 0.0
        for word in words:
            own = self._sentences_with.get(word, ())
            weight = log(1 + len(owners) / max(1, len(own)))
            total += weight
            held = set(own)
            near = {
                other
                for place in own
                for other in (place - 1, place + 1)
                if other not in held and 0 <= other < len(owners) and owners[other] == owners[place]
            }
            for place in held & places:
                found[place] += weight
            for place in near & places:
                found[place] += weight / 2
        return {place: weight / total for place, weight in found.items()}

    def _holders(self, asked: UserQuestion, shares: Mapping[int, float]) -> set[int]:
        """The sentences that have the answer: its words in order or, among the likeliest, its value in another form."""
        wanted = terms(asked.answer)
        having = [set(self._sentences_with.get(word, ())) for word in wanted]
        literal = set.intersection(*having) & shares.keys() if having else set()
        found = {place for place in literal if says(self._sentence_text(place), asked.answer)}
        likely = sorted(shares, key=lambda place: -shares[place])[:_LIKELIEST] if asked.key.kind != "text" else []
        for place in likely:
            verdict = grade_answer(self._sentence_text(place), asked.key, asked.question)
            if verdict.value == 1 and verdict.certain:
                found.add(place)
        return found

    def _sentence_text(self, place: int) -> str:
        known = self._sentences[place]
        return self._corpus.read(known.start, known.end)

    def _on_page(self, place: int, asked: UserQuestion) -> bool:
        known = self._sentences[place]
        words = self._page(known.document, asked.page) if asked.page else frozenset()
        return bool(words) and len(known.words & words) >= _ON_PAGE * len(known.words)

    def _page(self, document: int, page: int) -> frozenset[str]:
        if (document, page) not in self._pages:
            source = self._documents[document].document.source
            self._pages[document, page] = frozenset(terms(page_text(self._sources, source, page)))
        return self._pages[document, page]

    @cached_property
    def _pages(self) -> dict[tuple[int, int], frozenset[str]]:
        return {}

    @cached_property
    def _sentences(self) -> list[_Sentence]:
        found = []
        for number, placed in enumerate(self._documents):
            text, offsets = self._text(number)
            ends = sentence_ends(text, placed.document.language)
            for start, end in pairwise(dict.fromkeys([0, *ends, len(text)])):
                part = text[start:end]
                if words := frozenset(terms(part)):
                    begin = start + len(part) - len(part.lstrip())
                    stop = end - (len(part) - len(part.rstrip()))
                    base = placed.start
                    found.append(_Sentence(base + int(offsets[begin]), base + int(offsets[stop]), number, words))
        return found

    @cached_property
    def _owners(self) -> list[int]:
        return [known.document for known in self._sentences]

    @cached_property
    def _sentences_with(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for place, known in enumerate(self._sentences):
            for word in known.words:
                found.setdefault(word, []).append(place)
        return found

    def _text(self, document: int) -> tuple[str, Offsets]:
        placed = self._documents[document]
        text = self._corpus.read(placed.start, placed.end)
        return text, byte_offsets(text)


def page_text(sources: Sequence[str], source: str, page: int) -> str:
    """The text of a page of a PDF file; empty where it is none, or has no such page."""
    inside = source.partition("/")[2]
    for root in map(Path, sources):
        top = root.expanduser()
        for path in (top, top / source, *([top / inside] if inside else [])):
            if path.is_file() and path.suffix.casefold() == ".pdf" and path.name == Path(source).name:
                return _pdf_page(path, page)
    return ""


def _pdf_page(path: Path, page: int) -> str:
    import pypdfium2

    from longreach.text.formats.pdf import page_lines

    document = pypdfium2.PdfDocument(path)
    try:
        return "\n".join(line.text for line in page_lines(document, page - 1).lines) if page <= len(document) else ""
    finally:
        document.close()
