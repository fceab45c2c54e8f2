"""What `decide` concludes, worded once: the screen, the page and decide.json show these statements."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from longreach.core.formatting import count, format_dollars, format_seconds, format_tokens, length_label
from longreach.core.statements import Statement, listed
from longreach.core.types import Frozen
from longreach.results.decisions import WHOLE
from longreach.stats.evidence import BAR

from .baseline import same_text
from .rows import DecideRow, Spent, rate_text

__all__ = ["DecideResult", "Recommendation", "conclude", "conclude_settings", "narrower"]

_WIDTH = 80
_LINES = 30
SCHEMA = "longreach.decide/1"


class Recommendation(Frozen):
    """One model and one way of reading."""

    text: str
    model: str
    way: str

    @property
    def chosen(self) -> tuple[str, str]:
        """The row that it names."""
        return self.model, self.way


class DecideResult(Frozen):
    """The answer to "which model, read how"."""

    at: int
    about: str
    """'contracts/: 41 documents, 512k tokens; at 60k tokens'."""
    verdict: Literal["recommended", "none", "open", "broken"]
    text: str
    """The conclusion in one or two sentences."""
    recommendation: Recommendation | None
    rows: tuple[DecideRow, ...]
    open: tuple[str, ...] = ()
    how_sure: tuple[str, ...] = ()
    watch_out: tuple[str, ...] = ()
    spent: Spent
    seconds: float
    stopped: str = ""
    """What ended it early: the budget, Ctrl-C, a server that fails."""
    page: str = ""
    next_command: str = ""
    height: int = _LINES
    """Lines that the screen may have."""

    @property
    def exit_code(self) -> int:
        """0: a recommendation, or shown that none is good enough; 1: still open after everything was asked, or a server
        is broken; 3: stopped early while it is open."""
        if self.verdict in ("recommended", "none"):
            return 0
        return 3 if self.stopped and self.verdict == "open" else 1

    def statements(self) -> tuple[Statement, ...]:
        """The conclusion first, then what is open and what to watch out for."""
        said = [Statement(about="recommendation", text=self.text, severity="verdict")]
        said += [
            Statement(about="baseline", text=text, severity="verdict", model=row.model)
            for row, text in zip(_held(self.rows), held_texts(self.rows), strict=True)
        ]
        said += [Statement(about="open", text=text) for text in self.open]
        return (*said, *(Statement(about="watch_out", text=text, severity="warning") for text in self.watch_out))

    def data(self) -> dict[str, Any]:
        """decide.json."""
        found = self.model_dump(mode="json")
        chosen = ("at", "recommendation", "rows", "open", "watch_out", "spent")
        return {"schema": SCHEMA, "verdict": self.verdict, "text": self.text} | {name: found[name] for name in chosen}

    def lines(self) -> list[str]:
        """The screen: at most `height` lines of 80 columns."""
        lines = [*_wrapped(self.about), "", *_wrapped(self.text), "", *table(self.rows)]
        why = [f"{_who(row)}: {'; '.join(row.why)}." for row in self.rows if row.why]
        tail = [f"{format_seconds(self.seconds)}, {_spent(self.spent)}."]
        tail += [f"Page: {self.page}"] if self.page else []
        tail += [self.next_command] if self.next_command else []
        against = next((row.baseline.against for row in self.rows if row.baseline), "")
        sections = {
            f"Against {against}": held_texts(self.rows),
            "Open": () if against else self.open,
            "Why": why,
            "How sure": self.how_sure,
            "Watch out": self.watch_out,
        }
        lines += _fitted(sections, self.height - len(tail) - 1 - len(lines))
        return [*lines, "", *tail]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


_MORE = " (more on the page)"


def _fitted(sections: Mapping[str, Sequence[str]], room: int) -> list[str]:
    """The sections that say something, each under its title; where the room ends, the longest loses what it says last,
    and its title says so."""
    said = {
        title: [[f"  {line}" for line in _wrapped(text, _WIDTH - 2)] for text in texts]
        for title, texts in sections.items()
        if texts
    }
    cut = set[str]()
    while said and sum(1 + sum(map(len, texts)) for texts in said.values()) > room:
        several = [title for title, texts in said.items() if len(texts) > 1]
        if not several:
            said.popitem()
            cut.update([*said][-1:])
            continue
        longest = max(several, key=lambda title: sum(map(len, said[title])))
        said[longest].pop()
        cut.add(longest)
    lines: list[str] = []
    for title, texts in said.items():
        lines += [title + _MORE * (title in cut), *(line for text in texts for line in text)]
    return lines


def conclude(rows: Sequence[DecideRow], *, at: int, reserve: str = "") -> tuple[str, str, Recommendation | None]:
    """The verdict of the whole, its words, and the recommendation. `reserve` is what more would cost."""
    held = [row for row in rows if row.verdict == "holds"]
    if held:
        best = next(row for row in rows if row.verdict == "holds")
        equal = [row for row in held if set(row.letter) & set(best.letter)] or [best]
        chosen = min(equal, key=_cost)
        text = f"Take {_who(chosen)}: {_right(chosen)}{_price(chosen)}."
        if beside := _beside(chosen, [row for row in equal if row is not chosen]):
            text += f" {beside}"
        return "recommended", text, Recommendation(text=text, model=chosen.model, way=chosen.way)
    where = length_label(at)
    if any(row.verdict == "open" for row in rows):
        first = next(row for row in rows if row.verdict == "open")
        text = f"Open at {where}: {_who(first)} cannot be told from {100 * BAR:.0f} of 100 yet ({_interval(first)})."
        if first.right is None:
            text = f"Open at {where}: too little was asked of {_who(first)}."
        return "open", f"{text}{reserve and ' ' + reserve}", None
    if rows and all(row.verdict == "broken" for row in rows):
        return "broken", f"Nothing was measured at {where}: every server cuts the prompt.", None
    answered = [row for row in rows if row.right]
    most = f" The best is {_who(answered[0])}: {_right(answered[0])}." if answered else ""
    return "none", f"None is good enough at {where}.{most}", None


def conclude_settings(
    rows: Sequence[DecideRow], *, at: int, reserve: str = ""
) -> tuple[str, str, Recommendation | None]:
    """The same where settings are held against a baseline: which are safe, and to what length."""
    held = _held(rows)
    if not held:
        return "open", f"Open at {length_label(at)}: too little was asked.", None
    label = next(row.baseline.against for row in held if row.baseline)
    words: dict[str, list[str]] = {}
    for row in held:
        words.setdefault(row.baseline.summary if row.baseline else "", []).append(row.model)
    said = [f"{listed(names)} {'is' if len(names) == 1 else 'are'} {word}" for word, names in words.items()]
    text = f"Against {label}: {'; '.join(said)}."
    safe = [row for row in held if row.baseline and row.baseline.outcome in ("passed", "better")]
    if safe:
        best = min(safe, key=_cost)
        return "recommended", text, Recommendation(text=text, model=best.model, way=best.way)
    outcomes = {row.baseline.outcome for row in held if row.baseline}
    if "open" in outcomes:
        return "open", f"{text}{reserve and ' ' + reserve}", None
    return ("broken" if outcomes == {"broken"} else "none"), text, None


_OFFERS = (0.05, 0.2, 1.0, 5.0)
"""US dollars; the largest is named that buys at most `_TIMES` as many questions as there were."""
_TIMES = 8
_NAMED = 3


def narrower(rows: Sequence[DecideRow]) -> str:
    """'5 USD more would narrow the first 3 to 3 points.' Intervals narrow with the root of the number of questions."""
    asked = [row for row in rows if row.right and row.questions]
    best = [row for row in asked if set(row.letter) & set(asked[0].letter)][:_NAMED]
    widths = [50 * (row.right.high - row.right.low) for row in best if row.right]
    if not best or max(widths) < 1:
        return ""
    each = [(row.usd_per_1000 or 0) / 1000 for row in best]
    offer, more = "As many questions again", 1.0
    if all(each):
        bought = {usd: usd / sum(each) / max(row.questions for row in best) for usd in _OFFERS}
        usd = max((usd for usd, times in bought.items() if times <= _TIMES), default=_OFFERS[0])
        offer, more = f"{usd:g} USD more", bought[usd]
    who = _who(best[0]) if len(best) == 1 else f"the first {len(best)}"
    now, then = max(widths), max(widths) / math.sqrt(1 + more)
    return f"{offer} would narrow {who} from {now:.0f} to about {max(1.0, then):.0f} points either way."


def _held(rows: Sequence[DecideRow]) -> list[DecideRow]:
    return [row for row in rows if row.baseline is not None]


def held_texts(rows: Sequence[DecideRow]) -> list[str]:
    """'q4: not safe beyond 16k: loses 8 of 100 at 32k (CI 4 to 12); same text as bf16 in 91 of 100 answers.'"""
    found = ((row.model, row.baseline) for row in rows if row.baseline)
    return [f"{model}: {'; '.join(filter(None, [each.text, same_text(each)]))}." for model, each in found]


def _cost(row: DecideRow) -> tuple[float, float]:
    return (
        float("inf") if row.usd_per_1000 is None else row.usd_per_1000,
        row.seconds_per_question if row.seconds_per_question is not None else float("inf"),
    )


def _beside(chosen: DecideRow, others: Sequence[DecideRow]) -> str:
    """'gpt-5-mini on the whole text is as good and costs 31 times as much.'"""
    priced = [row for row in others if row.usd_per_1000]
    if chosen.usd_per_1000 and priced:
        dear = max(priced, key=_cost)
        times = (dear.usd_per_1000 or 0) / chosen.usd_per_1000
        if times >= 1.5:
            return f"{_who(dear)} is as good and costs {times:.0f} times as much."
    slow = [row for row in others if row.seconds_per_question]
    if not priced and slow and chosen.seconds_per_question:
        dear = max(slow, key=lambda row: row.seconds_per_question or 0)
        times = (dear.seconds_per_question or 0) / chosen.seconds_per_question
        if times >= 1.5:
            return f"{_who(dear)} is as good and takes {times:.0f} times as long."
    return ""


def _who(row: DecideRow) -> str:
    return f"{row.model} on the whole text" if row.way == WHOLE else f"{row.model} with {row.way}"


def _interval(row: DecideRow) -> str:
    return f"{100 * row.right.low:.0f} to {100 * row.right.high:.0f}" if row.right else "nothing was answered"


def _right(row: DecideRow) -> str:
    return f"{100 * row.right.value:.0f} of 100 right ({_interval(row)})" if row.right else "nothing was answered"


def _price(row: DecideRow) -> str:
    return f", {format_dollars(row.usd_per_1000)} per 1,000 questions" if row.usd_per_1000 is not None else ""


def _spent(spent: Spent) -> str:
    money = f", {format_dollars(spent.usd)}" if spent.usd is not None else ""
    return f"{count(spent.requests, 'request')}, {format_tokens(spent.tokens)} tokens{money}"


_HEAD = ("model", "way", "right of 100", "made up", "refused", "$/1,000", "s", "verdict")


def table(rows: Sequence[DecideRow]) -> list[str]:
    """One line per model and way, best first."""
    cells = [_HEAD, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(_HEAD))]
    over = max(0, sum(widths) + 2 * (len(widths) - 1) - _WIDTH)
    widths[0] = max(8, widths[0] - over)
    left = (0, 1, 2, 7)
    return [
        "  ".join(
            (_shorter(cell, width).ljust(width) if column in left else cell.rjust(width))
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]


def _cells(row: DecideRow) -> tuple[str, ...]:
    verdict: str = "broken: cut" if row.verdict == "broken" else row.verdict
    if row.verdict == "fails" and row.holds_to is not None:
        verdict += f" (to {length_label(row.holds_to)})"
    if row.baseline is not None:
        verdict = row.baseline.word
    if row.right is None:
        return row.model, row.way, "-", "-", "-", "-", "-", verdict
    return (
        row.model,
        row.way,
        f"{rate_text(row.right)} {row.letter}",
        "-" if row.made_up is None else f"{100 * row.made_up:.0f} %",
        f"{100 * row.refused:.0f} %",
        "-" if row.usd_per_1000 is None else f"{row.usd_per_1000:.2f}",
        "-" if row.seconds_per_question is None else f"{row.seconds_per_question:.1f}",
        verdict,
    )


def _shorter(text: str, width: int) -> str:
    """A text with its middle left out, if it is too long."""
    if len(text) <= width:
        return text
    half = (width - 3) // 2
    return f"{text[: width - 3 - half]}...{text[len(text) - half :]}"


def _wrapped(text: str, width: int = _WIDTH) -> list[str]:
    from textwrap import wrap

    return wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
