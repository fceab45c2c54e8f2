"""Fact sets that have no word in common, in the register that fits the text, and their facts as texts to plant."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from pathlib import Path
from random import Random
from statistics import median

from pydantic import Field

from longreach.core.files import yaml_table
from longreach.core.formatting import resolve_lengths
from longreach.core.types import AnswerKind, Frozen, Key, Mark, Planted, Question, Tokenizer
from longreach.errors import BadInput, did_you_mean, one_line
from longreach.grading import NOT_MENTIONED, NOT_MENTIONED_ZH, gold_answer, grade_answer
from longreach.text.line_layout import PLAIN, Layout, lay_out
from longreach.worlds.chronicle import may_name

from .facts import THEMES, Fact, FactSet, QuestionType, Setting, make_facts, themes_of
from .grid import decoy_count
from .placement import Needle, comb_places
from .spec import QUESTION_TYPES, NeedlesSpec

_TABLE = yaml_table(__package__, "registers.yaml")
_CHUNKS, _CHUNK = 10, 30_000  # bytes
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20[0-4]\d)(?!\d)")
_SIGNS = re.compile(r"[{}();=<>\[\]#_]")
_MANY_SIGNS = 0.04
_ENOUGH_YEARS, _YEARS_AROUND = 8, 9
_ENOUGH_MONEY, _MONEY_SHARE = 4, 0.6
_OLD_UNTIL = 1930
_PATRONYM = re.compile(r"[a-z]{3,}(?:ov|ev)(?:itch|ich|na)")
_ENOUGH_PLACE, _PLACE_SHARE = 12, 0.6


def infer_setting(text: bytes, language: str) -> Setting:
    """The register, currency, years and country that a text's own words show; None for those they do not."""
    sample = _sample(text)
    found = _YEAR.findall(sample)
    middle = median(int(year) for year in found) if len(found) >= _ENOUGH_YEARS else None
    register, old = _register(sample, language, middle)
    years = (round(middle) - _YEARS_AROUND, round(middle) + _YEARS_AROUND) if middle is not None else None
    money = _currency(sample, _TABLE["money"]["zh" if language == "zh" else "en"])
    country = None if language == "zh" else _country(sample)
    return Setting(register=register, money=money, years=years, old=old, country=country)


def _sample(text: bytes) -> str:
    """Samples from all over a text, in lower case."""
    if len(text) <= _CHUNKS * _CHUNK:
        return text.decode("utf-8", errors="ignore").lower()
    starts = (number * (len(text) - _CHUNK) // (_CHUNKS - 1) for number in range(_CHUNKS))
    return "\n".join(text[start : start + _CHUNK].decode("utf-8", errors="ignore") for start in starts).lower()


def _register(sample: str, language: str, year: float | None) -> tuple[str, bool]:
    """The register, and whether the text is from before motor cars and telephones. Chinese has no words to count: its
    signs are, and fewer of them tell a register."""
    zh = language == "zh"
    lists = _TABLE["zh" if zh else "en"]
    found = Counter(_WORD.findall(sample))
    total = max(1, len(sample) if zh else found.total())

    def rate(name: str) -> float:
        """Per thousand words, or Chinese characters."""
        terms = lists[name].split()
        return 1000 * (len(re.findall("|".join(terms), sample)) if zh else sum(found[term] for term in terms)) / total

    old = rate("old") > rate("modern") if year is None else year < _OLD_UNTIL
    if rate("deeds") >= 3 if zh else rate("deeds") >= 1 and rate("clauses") >= 8:
        return ("contract" if rate("bargains") > rate("courts") else "legal"), old and year is not None and not zh
    signs = not zh and len(_SIGNS.findall(sample)) > _MANY_SIGNS * len(sample)
    if signs or rate("machines") >= (3 if zh else 8):
        return "technical", False
    if old or (zh and rate("old") + rate("modern") == 0):
        return "novel", True
    much_speech = 1 if zh else 3
    return ("modern" if rate("speech") >= much_speech else "report"), False


def _country(sample: str) -> str | None:
    """The country that most words tied to one belong to."""
    found = Counter(re.findall(r"[^\W\d_]+", sample))
    counts = Counter({name: sum(found[word] for word in named.split()) for name, named in _TABLE["countries"].items()})
    counts["Russia"] += sum(times for word, times in found.items() if _PATRONYM.fullmatch(word))
    name, times = counts.most_common(1)[0]
    return name if times >= _ENOUGH_PLACE and times >= _PLACE_SHARE * counts.total() else None


def _currency(sample: str, known: Mapping[str, str]) -> str | None:
    """The currency of most sums of money."""
    found = Counter({name: len(re.findall(pattern, sample)) for name, pattern in known.items()})
    name, times = found.most_common(1)[0]
    return name if times >= _ENOUGH_MONEY and times >= _MONEY_SHARE * found.total() else None


_BREAK = "\n\n"


class OwnQuestion(Frozen):
    """A question of a user's own facts."""

    type: QuestionType
    ask: str = Field(min_length=1)
    evidence: tuple[str, ...] = ()
    """Ids of the facts that answer it; none for abstention."""
    answer: str = ""
    kind: AnswerKind = "text"
    accept: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    unit: str = ""
    ordered: bool = False


class OwnFacts(Frozen):
    """A set of a user's own facts."""

    facts: dict[str, str] = Field(min_length=1)
    """Sentences by id."""
    questions: tuple[OwnQuestion, ...] = Field(min_length=1)
    names: tuple[str, ...] = ()
    """People, places and things that no document may mention."""


class FactSets:
    """Makes fact sets whose people, places and things occur neither in the haystack nor in one another."""

    def __init__(self, spec: NeedlesSpec, language: str, setting: Setting, haystacks: Iterable[bytes]) -> None:
        self._spec = spec
        self._language = language
        self._setting = setting
        # A name may span two lines.
        self._haystacks = tuple(text.replace(b"\n", b" ") for text in haystacks)
        self._searched: dict[str, bool] = {}
        self._vocabulary = b""
        """The distinct words of the haystacks, computed once many names are looked up."""
        self._texts = ""
        self._words: list[str] = []
        self._seeds = Random(f"comb {spec.seed}")
        self._guests: set[str] = set()
        """People of other sets whom decoys name."""
        self._dealt: list[str] = []
        """Themes that are still to come in this round."""

    def first(self, prefix: str = "") -> FactSet:
        """The set of the seed, with `prefix` before the id of every fact and question."""
        return _prefixed(self._make(self._spec.seed), prefix)

    def more(self, prefix: str, guests: Mapping[str, Sequence[str]] | None = None) -> FactSet:
        """One more, with `guests` as in `make_facts`."""
        self._vocabulary = self._vocabulary or b" ".join(set().union(*map(_distinct_words, self._haystacks)))
        return _prefixed(self._make(self._seeds.getrandbits(63), guests), prefix)

    def round(self, number: int) -> FactSet:
        """Set `number` of a pool, each for a context of its own: in turn all themes are told, so that contexts have the
        same kinds of facts about equally often. A name may come again where the lists run out."""
        themes = self._deal(int(self._spec.facts) // 2)
        make = partial(self._make, self._seeds.getrandbits(63), themes=themes)
        self._vocabulary = self._vocabulary or b" ".join(set().union(*map(_distinct_words, self._haystacks)))
        try:
            made = make()
        except BadInput:
            self._texts, self._words = "", []
            made = make()
        return _prefixed(made, f"s{number}-")

    def _deal(self, count: int) -> list[str]:
        """The next themes, all different."""
        dealt: list[str] = []
        while len(dealt) < count:
            if not any(theme not in dealt for theme in self._dealt):
                known = themes_of(self._language, self._setting)
                self._dealt += self._seeds.sample(known, len(known))
            theme = next(theme for theme in self._dealt if theme not in dealt)
            self._dealt.remove(theme)
            dealt.append(theme)
        return dealt

    def own(self) -> list[FactSet]:
        """The sets of the user's file, checked by the rules for generated ones."""
        path = Path(str(self._spec.facts))
        found = [self._own(each, f"{path}, set {number}") for number, each in enumerate(read_own_facts(path), 1)]
        several = len(found) > 1
        return [_prefixed(made, f"s{number}-" if several else "") for number, made in enumerate(found, 1)]

    def _own(self, given: OwnFacts, where: str) -> FactSet:
        absent = NOT_MENTIONED_ZH if self._language == "zh" else NOT_MENTIONED
        questions: list[Question] = []
        for kind, letter in zip(QUESTION_TYPES, "LIF", strict=True):
            wanted = [each for each in given.questions if each.type == kind and kind in self._spec.question_types]
            for number, each in enumerate(wanted, 1):
                told = each.model_dump(include={"kind", "answer", "accept", "rivals", "unit", "ordered"})
                key = Key(kind="absent", answer=absent, accept=each.accept) if kind == "abstention" else Key(**told)
                if fault := self._fault(given, each, key):
                    raise BadInput(f"{where}, question '{one_line(each.ask, 60)}': {fault}")
                questions.append(
                    Question(id=f"{letter}{number}", question_type=kind, text=each.ask, key=key, evidence=each.evidence)
                )
        for word in (*given.names, *given.facts.values()):
            starts = (word[:1].upper() + word[1:], word[:1].lower() + word[1:])  # a sentence may begin with it
            if word in self._texts or any(map(self._in_haystack, starts)):
                raise BadInput(
                    f"{where}: '{one_line(word, 60)}' is already in the documents or in another set; change it"
                )
        self._texts += "\n".join(given.facts.values())
        facts = tuple(Fact(id=id_, kind=id_, text=text.strip(), statement=()) for id_, text in given.facts.items())
        return FactSet(
            facts=facts,
            questions=tuple(questions),
            asks=(),
            names=given.names,
            people=given.names,
            themes=(),
            language=self._language,
            register=self._setting.register,
        )

    def _fault(self, given: OwnFacts, asked: OwnQuestion, key: Key) -> str:
        """What keeps a question from being asked; empty if nothing does."""
        if unknown := [each for each in asked.evidence if each not in given.facts]:
            return f"evidence '{unknown[0]}' is no fact.{did_you_mean(unknown[0], given.facts)}"
        if asked.type == "abstention":
            return (
                "abstention has neither answer nor evidence; leave them out" if asked.answer or asked.evidence else ""
            )
        if not asked.answer.strip():
            return "it has no answer; give one"
        needed = 1 if asked.type == "literal" else 2
        if len(asked.evidence) < needed or (needed == 1 and len(asked.evidence) > 1):
            return f"{asked.type} needs evidence: the id of {'one fact' if needed == 1 else 'two facts or more'}"
        told = " ".join(given.facts[each] for each in asked.evidence).casefold()
        if needed == 1 and not any(form.casefold() in told for form in (asked.answer, *asked.accept)):
            return f"fact '{asked.evidence[0]}' does not state '{one_line(asked.answer, 40)}' or an accepted form"
        if grade_answer(gold_answer(key), key, asked.ask).value != 1:
            return (
                f"the answer '{one_line(asked.answer, 40)}' is not graded right as kind {key.kind}; change one of them"
            )
        if key.kind == "text" and " " in asked.answer.strip() and self._in_haystack(asked.answer):
            return f"the documents mention '{one_line(asked.answer, 40)}'; ask for something new"
        return ""

    def decoy(self, prefix: str, asked: Sequence[FactSet]) -> FactSet:
        """One more, which says other things of people in `asked` too, each once: nothing that a question about them
        could mean."""
        guests = {
            theme.name: [
                name
                for facts in asked
                if not any(theme.near(other) for other in THEMES if other.name in facts.themes)
                for name in facts.people
                if name not in self._guests
            ]
            for theme in THEMES
        }
        made = self.more(prefix, guests)
        text = " ".join(fact.text for fact in made.facts)
        self._guests.update(name for names in guests.values() for name in names if name in text)
        return made

    def _make(
        self, seed: int, guests: Mapping[str, Sequence[str]] | None = None, themes: Sequence[str] | None = None
    ) -> FactSet:
        made = make_facts(
            seed,
            themes=themes,
            facts=int(self._spec.facts),
            per_type=self._spec.questions,
            question_types=self._spec.question_types,
            hops=self._spec.hops if guests is None else (2,),
            guests=guests,
            language=self._language,
            register=self._setting,
            taken=self._taken,
        )
        self._texts += "\n".join([*(fact.text for fact in made.facts), *(asked.text for asked in made.questions), ""])
        self._words += [*made.names, *(asked.key.answer for asked in made.questions if asked.key.kind == "text")]
        return made.model_copy(update={"questions": tuple(map(self._without_common_forms, made.questions))})

    def _without_common_forms(self, asked: Question) -> Question:
        """A question whose key has no short form that the haystack could mean something else by: "clock", where the
        answer is the pewter clock and a novel has clocks of its own. Whole words count: a giggle is no gig."""
        return without_forms(asked, lambda form: form in asked.key.answer and self._mentioned(form))

    def _taken(self, word: str) -> bool:
        """Also where a word of another set is part of this one, as a short Chinese name can be of a longer."""
        split = self._spec.split
        if split != "all" and (_for_testing(word) != (split == "test") or may_name(word)):
            return True
        return word in self._texts or any(other in word for other in self._words) or self._in_haystack(word)

    def _mentioned(self, form: str) -> bool:
        """Whether a haystack has a short form as a whole word, in singular or plural."""
        if not form.isascii():
            return self._in_haystack(form)
        pattern = whole_word(form)
        variants = (form.encode(), form.capitalize().encode())
        return any(
            any(each in text for each in variants) and re.search(pattern.encode(), text) is not None
            for text in self._haystacks
        )

    def _in_haystack(self, word: str) -> bool:
        if word not in self._searched:
            parts = word.encode()
            # A text that lacks a part of it lacks the whole, and its different words are far shorter than itself.
            found = not self._vocabulary or all(part in self._vocabulary for part in parts.split())
            self._searched[word] = found and any(parts in text for text in self._haystacks)
        return self._searched[word]


def read_own_facts(path: Path) -> list[OwnFacts]:
    """The sets of a YAML file: one, or several under `sets`."""
    import yaml

    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"facts: {path} cannot be read ({one_line(str(error), 100)}); give a YAML file or a number"
        ) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadInput(f"facts: {path} is no YAML: {one_line(str(error), 200)}") from None
    sets = loaded["sets"] if isinstance(loaded, dict) and list(loaded) == ["sets"] else [loaded]
    if not isinstance(sets, list) or not sets:
        raise BadInput(f"facts: {path} has no set; give facts and questions, or a list of such under sets")
    return [OwnFacts.parse(each, f"{path}, set {number}") for number, each in enumerate(sets, 1)]


def without_forms(asked: Question, ambiguous: Callable[[str], bool]) -> Question:
    """A question whose key, if it is a text, accepts no ambiguous form."""
    if asked.key.kind != "text":
        return asked
    forms = tuple(form for form in asked.key.accept if not ambiguous(form))
    return asked.model_copy(update={"key": asked.key.model_copy(update={"accept": forms})})


def whole_word(form: str) -> str:
    """A pattern for a word or name in English, with or without a capital, in singular or plural."""
    first = f"[{form[0].lower()}{form[0].upper()}]" if form[0].isalpha() else re.escape(form[0])
    return rf"(?<![A-Za-z0-9]){first}{re.escape(form[1:])}(?:e?s)?(?![A-Za-z0-9])"


def _for_testing(word: str) -> bool:
    """Whether a name is set aside for testing: two in five, whatever the benchmark."""
    return hashlib.sha256(word.encode()).digest()[0] % 5 < 2


def _distinct_words(text: bytes) -> set[bytes]:
    """The words of a text, split in parts: all of them at once take many times its size."""
    found, start = set[bytes](), 0
    while start < len(text):
        end = text.find(b" ", start + 2**20)
        end = len(text) if end < 0 else end
        found.update(text[start:end].split())
        start = end
    return found


def _prefixed(made: FactSet, prefix: str) -> FactSet:
    if not prefix:
        return made
    facts = [fact.model_copy(update={"id": f"{prefix}{fact.id}"}) for fact in made.facts]
    questions = [
        asked.model_copy(
            update={"id": f"{prefix}{asked.id}", "evidence": tuple(f"{prefix}{fact}" for fact in asked.evidence)}
        )
        for asked in made.questions
    ]
    return made.model_copy(update={"facts": tuple(facts), "questions": tuple(questions)})


_INDENTS = (0, 2, 4, 8, 12)


class NeedleTexts:
    """Facts as texts to plant, each in every layout of the documents."""

    def __init__(self, tokenizer: Tokenizer, language: str, layouts: Iterable[Layout]) -> None:
        self.planted: list[Planted] = []
        self._tokenizer = tokenizer
        self._joint = "" if language == "zh" else " "
        """Stands between two sentences."""
        self._layouts = sorted({PLAIN, *(each for layout in layouts for each in _indented(layout))})

    def paragraphs(self, names: Iterable[str], sets: Iterable[FactSet]) -> list[Needle]:
        """Each set as one paragraph of its own."""
        return [self._needle(name, facts.facts, paragraph=True) for name, facts in zip(names, sets, strict=False)]

    def sentences(self, facts: Iterable[Fact]) -> list[Needle]:
        """Each fact as a sentence that follows another; where lines are wrapped, in lines of its own."""
        return [self._needle(fact.id, [fact], paragraph=False) for fact in facts]

    def _needle(self, name: str, facts: Sequence[Fact], *, paragraph: bool) -> Needle:
        starts = [0, *accumulate(len(fact.text) + len(self._joint) for fact in facts)]
        spans = [(start, start + len(fact.text)) for start, fact in zip(starts, facts, strict=False)]
        text = self._joint.join(fact.text for fact in facts)
        inserts: dict[Layout, str] = {}
        made: list[Planted] = []
        for layout in self._layouts:
            joint = "\n" if layout.width else self._joint
            before = _BREAK if paragraph else joint
            wrapped, places = lay_out(text, layout, spans)
            marks = []
            for fact, place in zip(facts, places, strict=True):
                start, end = (len((before + wrapped[:edge]).encode()) for edge in place)
                marks.append(Mark(id=fact.id, start=start, end=end))
            inserts[layout] = f"{name}{layout.suffix}"
            whole = before + wrapped + (_BREAK if paragraph else "")
            made.append(Planted(id=inserts[layout], text=whole, facts=tuple(marks)))
        self.planted += made
        return Needle(inserts=inserts, tokens=self._tokenizer.count(made[0].text), paragraph=paragraph)


def _indented(layout: Layout) -> Iterable[Layout]:
    """A layout of code at each usual indentation; others as they are."""
    return (layout._replace(indent=indent) for indent in _INDENTS) if layout.marker else (layout,)


@dataclass(frozen=True)
class BenchFacts:
    """The fact sets of a benchmark and its lengths in tokens (exact, shares not yet rounded down)."""

    lengths: tuple[Fraction, ...]
    language: str
    sets: tuple[FactSet, ...]
    """Spread over the cells of layout paragraph; the first one also over distributions."""
    comb: tuple[FactSet, ...]
    """One per place of layout comb."""
    cells: dict[tuple[Fraction, float], int]
    """In layout comb the place index of a length and depth."""
    decoys: tuple[FactSet, ...]
    """Planted beside the sets of layout paragraph, with no questions."""

    def names(self) -> list[str]:
        """The ids of the sets as paragraphs."""
        return ["facts"] if len(self.sets) == 1 else [f"facts-{number}" for number in range(1, len(self.sets) + 1)]


def draw(
    spec: NeedlesSpec, language: str, setting: Setting, reserve: Callable[[FactSet], int], texts: Sequence[bytes]
) -> BenchFacts:
    """Fact sets that no text mentions, and the lengths that leave room for the tokens that `reserve` says their
    questions need."""
    making = FactSets(spec, language, setting, texts)
    comb = "depth" in spec.protocols and spec.layout == "comb"
    count = int("distribution" in spec.protocols) if comb else spec.set_count
    if isinstance(spec.facts, str):
        sets = making.own()
    elif not spec.a_map:
        sets = [making.round(number) for number in range(1, count + 1)]
    else:
        prefix = "s1-" if count > 1 else ""
        sets = [making.first(prefix)] if count else []
        sets += [making.more(f"s{number}-") for number in range(2, count + 1)]
    paragraphs: list[FactSet] = []
    needed = 1 if comb else 0
    # The number of places can depend on the lengths, and these on the room that the questions leave.
    while True:
        paragraphs += [making.more(f"p{number}-") for number in range(len(paragraphs) + 1, needed + 1)]
        lengths = _lengths(spec, max(map(reserve, sets + paragraphs)))
        cells = comb_places(lengths, spec.map_depths) if comb else {}
        needed = 1 + max(cells.values(), default=-1)
        if needed <= len(paragraphs):
            break
    together = _unambiguous(paragraphs[:needed], paragraphs[:needed])
    having = [length for length in map(int, lengths) if spec.decoys_at(length)]
    count = decoy_count(spec.decoys_at(having[0]), having[0], having[-1]) if having else 0
    decoys = tuple(making.decoy(f"d{number}-", sets) for number in range(1, count + 1))
    asked = _unambiguous(sets, decoys)
    return BenchFacts(lengths=lengths, language=language, sets=asked, comb=together, cells=cells, decoys=decoys)


def _unambiguous(sets: Sequence[FactSet], beside: Sequence[FactSet]) -> tuple[FactSet, ...]:
    """Fact sets without short forms of answers that could also mean something of a set beside them in a context."""
    texts = {id(facts): " ".join(fact.text for fact in facts.facts) for facts in beside}
    result: list[FactSet] = []
    for facts in sets:
        others = " ".join(text for other, text in texts.items() if other != id(facts))
        for name in facts.people:
            others = others.replace(name, "")  # the same person, of whom a decoy says something else
        questions = tuple(without_forms(asked, partial(_has, others)) for asked in facts.questions)
        result.append(facts.model_copy(update={"questions": questions}))
    return tuple(result)


def _has(text: str, form: str) -> bool:
    return re.search(whole_word(form), text) is not None if form.isascii() else form in text


def _lengths(spec: NeedlesSpec, reserve: int) -> tuple[Fraction, ...]:
    """Ascending; without protocol depth only the longest is needed."""
    try:
        resolve_lengths(spec.lengths, spec.window, reserve)
    except ValueError as error:
        raise BadInput(f"lengths: {error}") from None
    room = (spec.window or 0) - reserve
    exact = [Fraction(given[:-1]) * room / 100 if given.endswith("%") else Fraction(given) for given in spec.lengths]
    # Two that round down to the same number of tokens are one.
    lengths = tuple({int(length): length for length in sorted(exact, reverse=True)}.values())[::-1]
    return lengths if "depth" in spec.protocols else lengths[-1:]
