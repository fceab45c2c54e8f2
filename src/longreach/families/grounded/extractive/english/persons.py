"""Who is who in a narrative: one person has one name, the usual one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..terms import Term
from ..wordsets import word_set

__all__ = ["HONORIFICS", "Persons", "own_words"]

HONORIFICS = word_set(
    "mr. mrs. ms. dr. mr mrs ms dr m. signor inspector constable prof. sir lord lady miss captain colonel general "
    "major admiral judge president king queen prince princess saint st. rev. hon. capt. col. gen. senator "
    "governor professor uncle aunt madame monsieur father mother brother sister farmer don count master alderman "
    "countess duke duchess baron baroness marquis doctor mistress mademoiselle lieutenant sergeant comrade squire "
    "cousin"
)
_LEAST_DEEDS = 2
"""What somebody must do in the narration, or say, to be an option."""
_OFTEN = 10
"""A name that stands so often is not explained by a longer one that stands once."""
_MAINLY = 4
"""How many times more often a short name stands alone where it means one person."""


def own_words(name: str) -> list[str]:
    """The words of a name without titles and particles."""
    return [word for word in name.split() if word.casefold() not in HONORIFICS and word[0].isupper()]


class Persons:
    """The persons of a narrative by their names."""

    def __init__(self, names: Mapping[str, int], deeds: Mapping[str, int]) -> None:
        self._names = names
        self._full = [own for name in names if len(own := name.split()) > 1 and own == own_words(name)]
        self._titles = Counter(own_words(name)[0] for name in names if len(name.split()) == 2 and _titled(name))
        self._who = {name: self._resolve(name) for name in names}
        self._deeds: Counter[str] = Counter()
        for name, who in self._who.items():
            self._deeds[who] += deeds.get(name, 0)

    def who(self, name: str) -> str:
        """The name that stands for a person; empty where the name may be another's as well."""
        return self._who.get(name, "")

    def acts(self, name: str) -> bool:
        """Whether somebody acts or speaks, rather than being mentioned."""
        who = self.who(name)
        return bool(who) and self._deeds[who] >= _LEAST_DEEDS

    def usual(self, terms: Iterable[Term]) -> list[Term]:
        """Terms with one name per person: the most frequent one of those that are among them."""
        terms = list(terms)
        usual: dict[str, str] = {}
        for term in terms:
            who = self.who(term.text)
            if who and self._names[term.text] > self._names.get(usual.get(who, ""), 0):
                usual[who] = term.text
        return [replace(term, text=usual.get(self.who(term.text), term.text)) for term in terms]

    def _resolve(self, name: str) -> str:
        own = own_words(name)
        wife = len(own) > 1 and name.startswith(("Mrs. ", "Mrs "))
        if not own or wife or " of " in name:
            return ""
        if len(own) > 1:
            return own[0] if own[0] in self._names and self._resolve(own[0]) == own[0] else " ".join(own)
        (word,) = own
        often = self._names.get(word, 0) >= _OFTEN
        known = [full for full in self._full if self._names[" ".join(full)] > often]
        first = [full for full in known if full[0] == word]
        last = [full for full in known if full[-1] == word]
        if _titled(name) and last:
            # 'Mrs. Farfrae' has another name as well; 'Mr. Farfrae' shares his with all that he may be called.
            return "" if name.startswith("Mrs") else name
        titled = [other for other in self._names if _titled(other) and own_words(other) == own]
        fuller = first + last
        if not _titled(name) and any(self._names[other] > self._names[name] for other in titled):
            return titled[0] if len(titled) == 1 and not fuller else ""
        if len(fuller) == 1:
            return " ".join(fuller[0])
        if fuller:
            return word if self._alone(word, fuller) else ""
        if _titled(name):
            alone = self._names.get(word, 0) > _OFTEN and not name.startswith("Mrs")
            return word if alone and self._names[name] < self._names[word] else name
        if self._names[name] > _OFTEN or not titled:
            return name
        return titled[0] if len(titled) == 1 else ""

    def _alone(self, word: str, fuller: Iterable[list[str]]) -> bool:
        return self._names.get(word, 0) > _MAINLY * sum(self._names[" ".join(full)] for full in fuller)


def _titled(name: str) -> bool:
    return name.split()[0].casefold() in HONORIFICS
