"""The worlds of the seven tasks: parts of a text in order, and questions whose answers are worked out from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain as joined
from itertools import cycle, islice, pairwise
from random import Random
from typing import Any, Literal

from longreach.core.files import yaml_table
from longreach.core.types import AnswerKind, Role
from longreach.errors import BadInput

Words = Mapping[str, Any]
WORDS: Mapping[str, Words] = yaml_table(__package__, "words.yaml")


_NODE = ("abcdef", *["0123456789abcdef"] * 3, "0123456789")
_CODE = ("BCDFGHJKMNPQRSTVWXZ", "23456789", "BCDFGHJKMNPQRSTVWXZ", "23456789", "BCDFGHJKMNPQRSTVWXZ")
_OPEN = 12  # chains of the filler at a time
_NUMBER = ("123456789", *["0123456789"] * 4)


@dataclass(frozen=True)
class WorldPart:
    """The smallest piece of a world: a context ends after one."""

    text: str
    fact: tuple[Any, ...] = ()
    """What it says; empty for filler."""
    role: Role | None = None


Slot = tuple[WorldPart, ...]
"""Parts that stay together."""


@dataclass(frozen=True)
class WorldQuestion:
    """One question about a beginning of a world, with its answer there."""

    text: str
    kind: AnswerKind
    answer: tuple[str, ...]
    """One value, or the members of a set."""
    evidence: tuple[int, ...]
    """Indexes of the parts that the answer is based on."""
    floor: float
    """What guessing scores."""
    form: str = ""
    order: tuple[str, ...] = ()
    """Values in the order in which they occur, for classes of errors and as rivals."""
    at: int = 0
    """Index of the answer among them."""
    near: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Other sets by the class of error that giving them is."""
    shortcuts: Mapping[str, str] = field(default_factory=dict)
    accept: tuple[str, ...] = ()
    """Other forms of the answer."""


class TaskWorld(ABC):
    """One task's world. Each length has things of its own, whose parts are spread over exactly that length: in every
    beginning some are complete, so difficulty does not depend on length; the rest is filler."""

    style: Literal["lines", "prose"] = "lines"

    def __init__(self, words: Words, rng: Random, groups: int, questions: int, levels: Sequence[int]) -> None:
        """Things of every level stand side by side in one text."""
        self.words, self.rng, self.groups, self.questions, self.levels = words, rng, groups, questions, tuple(levels)
        self.task, self.difficulty = "", self.levels[0]
        self._used: set[str] = set()
        self._asked: dict[tuple[int, int], Any] = {}
        self.prepare()
        self.plan: list[list[list[Slot]]] = [self._planned(group) for group in range(groups)]
        """By length, by thing: its slots in order."""

    def _planned(self, group: int) -> list[list[Slot]]:
        planned: list[list[Slot]] = []
        for level in self.levels:
            self.difficulty = level
            planned += self.things(group)
        return planned

    def prepare(self) -> None:  # noqa: B027
        """Draw the names that things are made from."""

    @abstractmethod
    def things(self, group: int) -> list[list[Slot]]:
        """The things of one length and the current difficulty."""

    @abstractmethod
    def filler(self) -> Iterator[Slot]:
        """Slots that nothing is asked about, without end."""

    @abstractmethod
    def ask(self, parts: Sequence[WorldPart], group: int) -> list[WorldQuestion]:
        """The questions of the current task and difficulty about a beginning that ends at the length of a group."""

    def take(self, names: list[Any], number: int, what: str) -> list[Any]:
        """The next names; too few are bad input."""
        if len(names) < number:
            raise BadInput(f"there are too few different {what} for so many questions and lengths; ask for fewer")
        return [names.pop() for _ in range(number)]

    def fresh(self, *letters: str) -> str:
        """A name that this world does not have yet, one character from each text."""
        while True:
            name = "".join(self.rng.choice(choice) for choice in letters)
            if name not in self._used:
                self._used.add(name)
                return name

    def shuffled(self, names: Sequence[Any]) -> list[Any]:
        """Names in random order."""
        return self.rng.sample(names, len(names))

    def guesses(self, order: Sequence[str], at: int) -> dict[str, str]:
        """The shortcuts of a question for one of several values that occur in order."""
        return {
            "last": order[-1],
            "first": order[0],
            "frequent": self.rng.choice(order),
            "present": self.rng.choice(order),
            "off": order[at - 1] if at else order[1],
        }


class Pieces(TaskWorld):
    """`nth`: pieces of the same kind, each with a code."""

    style = "prose"

    def prepare(self) -> None:
        self._kinds = self.shuffled([(form, topic) for form in self.words["formats"] for topic in self.words["topics"]])

    def _slot(self, kind: tuple[str, str]) -> Slot:
        form, topic = kind
        words, code = self.words, self.fresh(*_CODE)
        said = words["piece"].format(format=form, topic=topic, code=code)
        request = self.rng.choice(words["request"]).format(format=form, topic=topic)
        return (
            WorldPart(request, role="user"),
            WorldPart(said[0].upper() + said[1:], (kind, code), "assistant"),
            WorldPart(self.rng.choice(words["lines"]), role="assistant"),
        )

    def things(self, group: int) -> list[list[Slot]]:
        self._asked[group, self.difficulty] = self.take(
            self._kinds, -(-self.questions // self.difficulty), "kinds of pieces"
        )
        return [[self._slot(kind) for _ in range(self.difficulty)] for kind in self._asked[group, self.difficulty]]

    def filler(self) -> Iterator[Slot]:
        if not self._kinds:
            raise BadInput("all kinds of pieces are asked about; ask for fewer questions or lengths, or more copies")
        while True:
            yield self._slot(self.rng.choice(self._kinds))

    def ask(self, parts: Sequence[WorldPart], group: int) -> list[WorldQuestion]:
        found: dict[tuple[str, str], list[tuple[int, str]]] = {}
        for number, part in enumerate(parts):
            if part.fact:
                found.setdefault(part.fact[0], []).append((number, part.fact[1]))
        asked = []
        for kind in self._asked[group, self.difficulty]:
            order = [code for _, code in found[kind]]
            for at, (number, code) in enumerate(found[kind]):
                named = {"format": kind[0], "topic": kind[1], "n": at + 1}
                text = self.words["nth"].format(ordinal=(self.words["ordinals"] or [""] * 99)[at], **named)
                guesses = self.guesses(order, at)
                asked.append(
                    WorldQuestion(text, "text", (code,), (number,), 1 / len(order), "", tuple(order), at, {}, guesses)
                )
        return self.shuffled(asked)[: self.questions]


class Changes(TaskWorld):
    """`state`: things change place, hands or price."""

    style = "prose"
    kinds = ("place", "holder", "price")

    def prepare(self) -> None:
        joint = " " if self.words["roles"]["user"].isascii() else ""
        self._things = self.shuffled([a + joint + n for a in self.words["adjectives"] for n in self.words["nouns"]])

    def _values(self, kind: str) -> list[str]:
        if kind == "price":
            return [str(number) for number in self.rng.sample(range(11, 99), self.difficulty)]
        return self.rng.sample(self.words["places" if kind == "place" else "names"], self.difficulty)

    def things(self, group: int) -> list[list[Slot]]:
        number = -(-self.questions // self.difficulty)
        names = self.take(self._things, number, "things")
        self._asked[group, self.difficulty] = list(zip(names, cycle(self.kinds), strict=False))
        return [
            [
                (WorldPart(_sentence(self.words[f"{kind}_update"].format(thing=thing, value=value)), (thing, value)),)
                for value in self._values(kind)
            ]
            for thing, kind in self._asked[group, self.difficulty]
        ]

    def filler(self) -> Iterator[Slot]:
        while True:
            said = self.rng.choice(self.words["happenings"]).format(name=self.rng.choice(self.words["names"]))
            yield (WorldPart(_sentence(said)),)

    def ask(self, parts: Sequence[WorldPart], group: int) -> list[WorldQuestion]:
        asked = []
        for thing, kind in self._asked[group, self.difficulty]:
            found = [(number, part.fact[1]) for number, part in enumerate(parts) if part.fact and part.fact[0] == thing]
            order = tuple(value for _, value in found)
            for at, (number, value) in enumerate(found):
                wordings = self.words[f"{kind}_question"]
                form = {len(order) - 1: 0, len(order) - 2: 1}.get(at, 2)
                text = _sentence(wordings[form].format(thing=thing, n=at + 1))
                how: AnswerKind = "number" if kind == "price" else "text"
                guesses = self.guesses(order, at)
                name = ("end", "before", "earlier")[form]
                asked.append(
                    WorldQuestion(text, how, (value,), (number,), 1 / len(order), name, order, at, {}, guesses)
                )
        return self.shuffled(asked)[: self.questions]


class Edges(TaskWorld):
    """`parents` and `walk`: layers of nodes, each with edges to the next layer alone, so that every walk of N steps is
    a shortest one. The levels of the world are the edges of a node, one or two: over one edge each a single step, or a
    single edge to a node, is asked for."""

    layers = 6

    def things(self, group: int) -> list[list[Slot]]:
        width = max(4, -(-self.questions // 3))
        layers = [[self.fresh(*_NODE) for _ in range(width)] for _ in range(self.layers)]
        self._asked[group, self.difficulty] = layers
        slots: list[list[Slot]] = []
        for here, there in pairwise(layers):
            if self.difficulty == 1:
                slots += [[_edge(node, end)] for node, end in zip(here, self.shuffled(there), strict=True)]
                continue
            targets = self.rng.sample(there, len(there) - max(1, width // 5))  # some have no edge to them
            apart = self.rng.randint(1, len(targets) - 1)
            for number, node in enumerate(here):
                ends = (targets[(number + more) % len(targets)] for more in (0, apart))
                slots += [[_edge(node, end)] for end in ends]
        return slots

    def filler(self) -> Iterator[Slot]:
        while True:
            nodes = [self.fresh(*_NODE) for _ in range(40)]
            ends = [(here, self.rng.sample(nodes[at + 1 :], 2)) for at, here in enumerate(nodes[:-2])]
            yield from self.shuffled([_edge(here, there) for here, chosen in ends for there in chosen])

    def ask(self, parts: Sequence[WorldPart], group: int) -> list[WorldQuestion]:
        ahead: dict[str, dict[str, int]] = {}
        back: dict[str, dict[str, int]] = {}
        for number, part in enumerate(parts):
            ahead.setdefault(part.fact[0], {})[part.fact[1]] = number
            back.setdefault(part.fact[1], {})[part.fact[0]] = number
        layers = self._asked[group, min(self.difficulty, 2)]
        if self.task == "walk":
            return self._walks(ahead, layers)
        return self._parents(back, layers) if self.difficulty > 1 else self._single(back, layers)

    def _single(self, back: Mapping[str, Mapping[str, int]], layers: Sequence[Sequence[str]]) -> list[WorldQuestion]:
        """Nodes with one edge to them."""
        nodes = [*joined.from_iterable(layers)]
        chosen = self.shuffled([*joined.from_iterable(layers[1:])])[: self.questions]
        return [self._set(self.words["parents"].format(node=node), back[node], 0.0, {}, back, nodes) for node in chosen]

    def _parents(self, back: Mapping[str, Mapping[str, int]], layers: Sequence[Sequence[str]]) -> list[WorldQuestion]:
        """One parent is never asked for: whoever names any one edge would be right."""
        nodes = self.shuffled([*joined.from_iterable(layers)])
        several = [node for node in nodes if len(back.get(node, {})) > 1]
        empty = [node for node in nodes if node not in back][: max(self.questions > 1, self.questions // 8)]
        chosen = self.shuffled([*several[: self.questions - len(empty)], *empty])
        return [
            self._set(
                self.words["parents"].format(node=node), back.get(node, {}), len(empty) / len(chosen), {}, back, nodes
            )
            for node in chosen
        ]

    def _walks(self, ahead: Mapping[str, Mapping[str, int]], layers: Sequence[Sequence[str]]) -> list[WorldQuestion]:
        """Walks of more than one step lead to several nodes: whoever names any one edge would be right about a single
        one."""
        nodes = [*joined.from_iterable(layers[: self.layers - self.difficulty])]
        asked = []
        for node in self.shuffled(nodes):
            steps, edges = [{node}], dict[str, int]()
            for _ in range(self.difficulty + 1):
                reached = {end: number for start in steps[-1] for end, number in ahead.get(start, {}).items()}
                if len(steps) <= self.difficulty:
                    edges |= {f"{s} {e}": n for s in steps[-1] for e, n in ahead.get(s, {}).items()}
                steps.append(set(reached))
            step = self.words["steps"][self.difficulty > 1]
            text = self.words["walk"].format(n=self.difficulty, node=node, step=step)
            near = {"one step too few": steps[-3] - {node}, "one step too many": steps[-1]}
            if len(steps[-2]) > 1 or self.difficulty == 1:
                members = dict.fromkeys(sorted(steps[-2]), 0)
                asked.append(self._set(text, members, 0.0, near, ahead, nodes, tuple(edges.values())))
        return asked[: self.questions]

    def _set(
        self,
        text: str,
        members: Mapping[str, int],
        floor: float,
        near: Mapping[str, set[str]],
        graph: Mapping[str, Mapping[str, int]],
        nodes: Sequence[str],
        evidence: tuple[int, ...] = (),
    ) -> WorldQuestion:
        inside = sorted(members)
        names = sorted(graph)
        edges = evidence or tuple(members.values())
        by_edge = sorted(members, key=lambda name: members[name])
        other = self.rng.choice([node for node in nodes if node not in text and node not in members])
        some = self.rng.sample(names, min(len(names), max(1, len(inside))))
        guesses = {
            "last": by_edge[-1] if by_edge else names[-1],
            "first": by_edge[0] if by_edge else names[0],
            "frequent": max(names, key=lambda name: len(graph[name])),
            "present": ", ".join(some),
            "off": ", ".join(inside[1:] if len(inside) > 1 else [*inside, other]),
        }
        kept = {name: tuple(sorted(found)) for name, found in near.items() if found and found != set(inside)}
        return WorldQuestion(text, "list", tuple(inside), tuple(sorted(edges)), floor, near=kept, shortcuts=guesses)


class Chains(TaskWorld):
    """`chain`: a variable gets a number, and others copy it. Where only one does, the question is what it holds; else,
    which variables hold the number."""

    def _thing(self, number: str) -> list[Slot]:
        names = [self.fresh(*["bcdfghjkmnpqrstvwxz"] * 4) for _ in range(self.difficulty + 1)]
        first: list[Slot] = [(WorldPart(f"{names[0]} = {number}", (names[0], number)),)]
        return first + [(WorldPart(f"{b} = {a}", (b, a)),) for a, b in pairwise(names)]

    def things(self, group: int) -> list[list[Slot]]:
        self._asked[group, self.difficulty] = [self.fresh(*_NUMBER) for _ in range(self.questions)]
        return [self._thing(number) for number in self._asked[group, self.difficulty]]

    def filler(self) -> Iterator[Slot]:
        open_chains: list[list[Slot]] = []
        while True:
            if len(open_chains) < _OPEN:
                open_chains.append(self._thing(self.fresh(*_NUMBER)))
            chosen = self.rng.choice(open_chains)
            yield chosen.pop(0)
            open_chains = [each for each in open_chains if each]

    def ask(self, parts: Sequence[WorldPart], group: int) -> list[WorldQuestion]:
        holds: dict[str, str] = {}
        by_value: dict[str, list[tuple[str, int]]] = {}
        for number, part in enumerate(parts):
            name, source = part.fact
            holds[name] = holds.get(source, source)
            by_value.setdefault(holds[name], []).append((name, number))
        asked = []
        for value in self._asked[group, self.difficulty]:
            names = [name for name, _ in by_value[value]]
            if self.difficulty == 1:
                asked.append(self._value(names[-1], value, sorted(by_value), [at for _, at in by_value[value]]))
                continue
            other = self.rng.sample(sorted(holds), len(names))
            guesses = {"last": names[-1], "first": names[0], "frequent": parts[-1].fact[0], "present": ", ".join(other)}
            text = self.words["chain"].format(value=value)
            near = {"one step too few": tuple(sorted(names[:-1]))}
            where = tuple(number for _, number in by_value[value])
            guesses["off"] = ", ".join(names[:-1])
            asked.append(WorldQuestion(text, "list", tuple(sorted(names)), where, 0.0, near=near, shortcuts=guesses))
        return asked

    def _value(self, name: str, value: str, values: Sequence[str], where: Sequence[int]) -> WorldQuestion:
        """What a variable holds."""
        others = self.rng.sample([each for each in values if each != value], 3)
        order = (value, *others)
        guesses = dict.fromkeys(("first", "last", "frequent", "present", "off"), others[0])
        text = self.words["value"].format(name=name)
        return WorldQuestion(text, "number", (value,), tuple(where), 0.0, "value", order, 0, {}, guesses)


class Records(TaskWorld):
    """`aggregate`: entries of people, to be counted and compared."""

    forms = ("count", "mode", "compare", "month")

    def prepare(self) -> None:
        words = self.words
        people = [words["person"].format(given=g, family=f) for g in words["givens"] for f in words["families"]]
        self._people = self.shuffled(people)

    def _slot(self, person: str, place: str, item: str, amount: int) -> Slot:
        month = self.rng.choice(self.words["months"])
        day = self.rng.randint(1, 28)
        text = self.words["record"].format(person=person, day=day, month=month, place=place, item=item, amount=amount)
        return (WorldPart(text, (person, month, place, item, amount)),)

    def things(self, group: int) -> list[list[Slot]]:
        people = self.take(self._people, -(-self.questions // len(self.forms)), "people")
        self._asked[group, self.difficulty] = [(person, *self.rng.sample(self.words["items"], 2)) for person in people]
        return [self._records(*asked) for asked in self._asked[group, self.difficulty]]

    def _records(self, person: str, more: str, less: str) -> list[Slot]:
        """Entries with one most frequent town, and more of one item than of another. The first and the last entry say
        no more about that than chance does."""
        number = self.rng.randint(self.difficulty - 3, self.difficulty + 3)
        towns = self.shuffled(self.words["towns"])
        mode = towns[0]
        most = max(2, number // 3 + 1)
        rest = list(islice(cycle(towns[1:]), number - most))
        places = self._arranged([mode] * most + rest, mode, len(towns))
        few = max(1, number // 4)
        other = [item for item in self.words["items"] if item not in (more, less)]
        filled = [more] * (few + (2 if number > 2 * few + 1 else 1)) + [less] * few
        filled += [self.rng.choice(other) for _ in range(number - len(filled))]
        items = self._arranged(filled, more, 2, {more, less})
        amounts = self.rng.sample(range(11, 99), number)
        return [self._slot(person, *each) for each in zip(places, items, amounts, strict=True)]

    def _arranged(self, values: list[str], mode: str, options: int, among: set[str] | None = None) -> list[str]:
        wanted = [self.rng.random() < 1 / options for _ in range(2)]
        for _ in range(200):
            order = self.shuffled(values)
            ends = [value for value in order if among is None or value in among]
            if [ends[0] == mode, ends[-1] == mode] == wanted:
                return order
        return self.shuffled(values)

    def filler(self) -> Iterator[Slot]:
        while True:
            person, place = self.rng.choice(self._people), self.rng.choice(self.words["towns"])
            yield self._slot(person, place, self.rng.choice(self.words["items"]), self.rng.randint(11, 98))

    def ask(self, parts: Sequence[WorldPart], group: int) -> list[WorldQuestion]:
        by_person: dict[str, list[tuple[int, tuple[Any, ...]]]] = {}
        for number, part in enumerate(parts):
            by_person.setdefault(part.fact[0], []).append((number, part.fact))
        most = {place: Counter(part.fact[place] for part in parts).most_common(1)[0][0] for place in (1, 2, 3, 4)}
        asked = []
        for person, more, less in self._asked[group, self.difficulty]:
            entries = [fact for _, fact in by_person[person]]
            where = tuple(number for number, _ in by_person[person])
            for form in self.forms:
                made = self._question(form, person, (more, less), entries, most)
                asked.append(WorldQuestion(**made, evidence=where, form=form))
        return self.shuffled(asked[: -(-self.questions // 4) * 4])[: self.questions]

    def _question(
        self, form: str, person: str, pair: tuple[str, str], entries: Sequence[tuple[Any, ...]], most: Mapping[int, Any]
    ) -> dict[str, Any]:
        column = {"month": 1, "mode": 2, "compare": 3, "count": 4}[form]
        seen = [str(entry[column]) for entry in entries]
        values: Sequence[str]
        if form == "count":
            answer = str(len(entries))
            values, floor = [str(n) for n in range(self.difficulty - 3, self.difficulty + 4)], 1 / 7
            guesses = {"off": str(len(entries) + 1), "present": self.rng.choice(values)}
        else:
            if form == "month":
                answer, values = max(entries, key=lambda entry: int(entry[4]))[1], self.words["months"]
            elif form == "mode":
                answer, values = Counter(seen).most_common(1)[0][0], self.words["towns"]
            else:
                seen = [item for item in seen if item in pair]
                answer, values = Counter(seen).most_common(1)[0][0], self.shuffled(pair)
            floor = 1 / len(values)
            after = values[(values.index(answer) + 1) % len(values)]
            guesses = {"off": after, "present": self.rng.choice(sorted(set(seen)))}
        frequent = str(most[column])
        if form == "compare" and frequent not in pair:
            frequent = self.rng.choice(pair)
        guesses |= {"last": seen[-1], "first": seen[0], "frequent": frequent}
        text = self.words[form].format(person=person, a=values[0], b=values[-1])
        kind = "number" if form == "count" else "text"
        order = () if form == "count" else tuple(values)
        short = (self.words["months_short"][values.index(answer)],) if form == "month" else ()
        return {
            "text": text, "kind": kind, "answer": (answer,), "floor": floor, "shortcuts": guesses, "order": order,
            "at": order.index(answer) if order else 0, "accept": short,
        }  # fmt: skip


class Labels(TaskWorld):
    """`mapping`: examples with labels that stand for categories; a question names the labels to choose from. All levels
    share the labels of the hardest."""

    examples = 4

    def prepare(self) -> None:
        need, room = self.groups * max(self.levels), len(self.words["categories"]) - 2
        if need > room:
            raise BadInput(f"mapping: {self.groups} lengths need {need} categories, there are {room}; ask for fewer")
        self._categories = self.shuffled(self.words["categories"])
        self._labels = self.shuffled(self.words["labels"])

    def _slot(self, word: str, label: str) -> Slot:
        name, n = self.rng.choice(self.words["names"]), self.rng.randint(2, 99)
        return (WorldPart(self.words["example"].format(name=name, word=word, n=n, label=label), (label, word)),)

    def things(self, group: int) -> list[list[Slot]]:
        if self.difficulty < max(self.levels):
            return []
        names = self.take(self._labels, self.difficulty, "labels")
        words = [self.shuffled(category) for category in self.take(self._categories, self.difficulty, "categories")]
        self._asked[group, 0] = {name: each[self.examples :] for name, each in zip(names, words, strict=True)}
        return [
            [self._slot(word, name) for word in each[: self.examples]] for name, each in zip(names, words, strict=True)
        ]

    def filler(self) -> Iterator[Slot]:
        pairs = list(zip(self._labels, self._categories, strict=False))
        while True:
            label, words = self.rng.choice(pairs)
            yield self._slot(self.rng.choice(words), label)

    def ask(self, parts: Sequence[WorldPart], group: int) -> list[WorldQuestion]:
        held: Mapping[str, Sequence[str]] = self._asked[group, 0]
        seen = Counter(part.fact[0] for part in parts)
        where = {name: [n for n, part in enumerate(parts) if part.fact[0] == name] for name in held}
        asked = []
        for number in range(self.questions):
            label = list(held)[number % len(held)]
            others = self.rng.sample([name for name in held if name != label], self.difficulty - 1)
            offered = tuple(self.shuffled([label, *others]))
            ends = {
                "last": max(offered, key=lambda name: where[name][-1]),
                "first": min(offered, key=lambda name: where[name][0]),
                "frequent": max(offered, key=lambda name: seen[name]),
            }
            word = held[label][(number // len(held)) % len(held[label])]
            text = self.words["mapping"].format(word=word, labels=self.words["or"].join(offered))
            at = offered.index(label)
            guesses = self.guesses(offered, at) | ends
            evidence = tuple(where[label])
            asked.append(
                WorldQuestion(text, "text", (label,), evidence, 1 / len(offered), "", offered, at, {}, guesses)
            )
        return self.shuffled(asked)


WORLDS: dict[str, type[TaskWorld]] = {
    "nth": Pieces,
    "parents": Edges,
    "walk": Edges,
    "state": Changes,
    "aggregate": Records,
    "mapping": Labels,
    "chain": Chains,
}


def _edge(start: str, end: str) -> Slot:
    return (WorldPart(f"{start} -> {end}", (start, end)),)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
