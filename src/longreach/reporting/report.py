"""From graded rows to everything that a page shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from longreach.core.bench import Bench
from longreach.core.figure import FamilyView, Figure
from longreach.core.runs import kept_bench, kept_corpus, repeated_requests, repeated_text, run_notes
from longreach.core.settings import model_name
from longreach.core.types import Call, Evidence, Item, Placement, Row
from longreach.errors import BadInput, one_line
from longreach.families import get_family
from longreach.families.showing import assembler_of, family_view, guessing_scores
from longreach.models.prices import Price, limits_of
from longreach.results.grading import remembered, run_gaps
from longreach.stats.counting import delivered
from longreach.stats.headline import THRESHOLD
from longreach.stats.series import grouped

from .checks import run_checks
from .figures import checkpoint_section, repeats_table, same_documents_section
from .views import Excerpt, Report, Request

MOST = 20_000
"""Answers on one page: about 6 MB with short answers, and a browser opens it at once."""


def rows_on_page(rows: Sequence[Row], most: int = MOST) -> tuple[int, ...]:
    """Indexes of the rows to list. Of more than `most`, a sample of whole requests that takes equally many of every
    model and cell, and does not depend on the answers."""
    if len(rows) <= most:
        return tuple(range(len(rows)))
    requests: dict[tuple[str, str, str, int], list[int]] = {}
    for place, row in enumerate(rows):
        requests.setdefault((row.model, row.bench, row.item, row.repeat), []).append(place)
    cells: dict[tuple[str, ...], list[list[int]]] = {}
    for (model, bench, _, _), own in requests.items():
        first = rows[own[0]]
        cells.setdefault((model, bench, str(first.cell), first.question_type), []).append(own)

    def order_of(own: list[int]) -> int:
        return crc32(f"{rows[own[0]].model}\n{rows[own[0]].item}\n{rows[own[0]].question}".encode())

    rounds: list[tuple[int, int, list[int]]] = []
    for cell in cells.values():
        rounds += [(turn, order_of(own), own) for turn, own in enumerate(sorted(cell, key=order_of))]
    chosen: list[int] = []
    for _, _, own in sorted(rounds):
        if len(chosen) + len(own) > most:
            break
        chosen += own
    return tuple(sorted(chosen))


def measured_views(rows: Sequence[Row], benches: Mapping[str, Bench]) -> dict[str, FamilyView]:
    """The families of some rows with the scores of guessing."""
    chances = guessing_scores(benches)
    return {
        name: family_view(name).model_copy(update={"chances": chances.get(name, {})})
        for name in dict.fromkeys(row.family for row in rows)
    }


def _is_wrong_of(row: Row, model: str) -> bool:
    return row.model == model and delivered(row) == 0


_AROUND = 300
"""Bytes of context shown on each side of a planted fact."""
_PUBLISHED = (
    "What is marked published is from the papers, not from these runs: other texts, other questions, and for each "
    "model its own window."
)


def make_report(
    runs: Path,
    rows: Sequence[Row],
    calls: Sequence[Call],
    *,
    title: str = "",
    published: bool = False,
    figures: Sequence[Figure] = (),
    threshold: float = THRESHOLD,
    at: float | None = None,
    difference_scale: float | None = None,
    opening: Sequence[str] = (),
    wrong_first: str = "",
) -> Report:
    """Everything the page shows; the text around the facts if the benchmark is still available. `published` adds the
    papers' figures to the results; `figures` are about the run itself; `at` is the length that ranking and sentences
    are about."""
    listed = rows_on_page(rows)
    if wrong_first:
        listed = tuple(sorted(listed, key=lambda place: not _is_wrong_of(rows[place], wrong_first)))
    shown_items: dict[str, set[str]] = {}
    for place in listed:
        shown_items.setdefault(rows[place].bench, set()).update(rows[place].items)
    benches = {digest: kept_bench(runs, digest) for digest in sorted({call.bench for call in calls})}
    requests: list[Request] = []
    notes: list[str] = []
    gaps: list[str] = []
    texts: dict[str, Bench] = {}
    kept: list[Bench] = []
    for digest, bench in benches.items():
        whole = kept_corpus(runs, digest)
        texts[digest] = whole or bench
        if whole is not None:
            kept.append(whole)
        else:
            notes.append(f"The text of benchmark {digest[:12]} is no longer where it was: contexts are not shown.")
        shown = _Excerpts(whole) if whole else None
        wanted = shown_items.get(digest, ())
        try:
            requests += [_request(bench, shown, item) for item in bench.items.values() if item.id in wanted]
            counted = bench.spec.get("tokenizer", "")
            notes.append(f"Benchmark {digest[:12]}: lengths counted by {counted}, seed {bench.spec.get('seed')}.")
        except (BadInput, OSError) as error:
            gaps.append(f"Requests of benchmark {digest[:12]} are not shown: {one_line(str(error))}")
        gaps += [
            f"{gap.model} has {gap.text}; the others are in none of its numbers." for gap in run_gaps([bench], calls)
        ]
    for model, own in grouped(calls, lambda call: call.model).items():
        if again := sum(call.reused for call in own):
            gaps.append(f"{model}: {again} of {len(own)} answers were reused from earlier runs, not asked again.")
    if repeats := repeated_text(repeated_requests(runs)):
        notes.append(repeats)
    if published:
        notes.append(_PUBLISHED)
    models = sorted({call.model for call in calls})
    families = tuple(
        _view(name, rows, benches, published=published) for name in sorted({call.family for call in calls})
    )
    beside = same_documents_section(rows, families, kept)
    over_time = checkpoint_section(rows, families, threshold=threshold)
    return Report(
        title=title or f"Long-context report: {', '.join(models) if len(models) < 4 else f'{len(models)} models'}",
        rows=tuple(rows),
        calls=tuple(calls),
        requests=tuple(requests),
        listed=listed,
        families=families,
        sections=tuple(filter(None, (beside, over_time))),
        windows=_windows(models),
        notes=tuple(notes),
        gaps=tuple(gaps),
        figures=(*repeats_table(rows, families), *figures),
        checks=run_checks(rows, texts, judge=remembered(runs).judge),
        threshold=threshold,
        prices=_prices(runs),
        at=at,
        difference_scale=difference_scale,
        opening=tuple(opening),
    )


def _view(name: str, rows: Sequence[Row], benches: Mapping[str, Bench], *, published: bool) -> FamilyView:
    family = get_family(name)
    own = [row for row in rows if row.family == name]
    behind = {digest: bench for digest, bench in benches.items() if bench.info.family == name}
    models = dict.fromkeys(row.model for row in own)
    written = {model: family.sentence(own, model) for model in models}
    beside = {model: family.beside_verdict([row for row in own if row.model == model], behind) for model in models}
    return FamilyView(
        name=name,
        title=family.title,
        about=family.about,
        axes=family.axes,
        charts=family.charts,
        figures=tuple(family.figures(own, behind, published=published)) if own else (),
        doing=dict(family.doing),
        beside={model: line for model, line in beside.items() if line},
        sentences={model: sentence for model, sentence in written.items() if sentence},
        chances=guessing_scores(behind).get(name, {}),
    )


def _request(bench: Bench, shown: _Excerpts | None, item: Item) -> Request:
    return Request.model_construct(
        item=item.id,
        bench=bench.info.digest,
        cell=item.cell,
        realised=item.realised,
        prompt=item.prompt,
        tokens=item.tokens,
        sha256=item.sha256,
        excerpts=shown.of(item) if shown else (),
        questions=tuple(bench.questions[question] for question in item.questions),
    )


class _Excerpts:
    """Planted facts with the text around them; many items share one context, so each is extracted once."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._assembler = assembler_of(bench)
        self._known: dict[tuple[str, tuple[Placement, ...]], list[tuple[set[str], Excerpt]]] = {}

    def of(self, item: Item) -> tuple[Excerpt, ...]:
        """The facts that an item's questions are based on; all if they are based on none."""
        key = (item.context.sha256, item.placed)
        if key not in self._known:
            self._known[key] = self._cut(item)
        asked = {fact for question in item.questions for fact in self._bench.questions[question].evidence}
        every = self._known[key]
        return tuple(each for names, each in every if names & asked) or tuple(each for _, each in every)

    def _cut(self, item: Item) -> list[tuple[set[str], Excerpt]]:
        """All facts in order; those whose surroundings overlap share one excerpt."""
        groups: list[list[Evidence]] = []
        for fact in sorted(self._bench.evidence(item), key=lambda fact: (fact.start, fact.end)):
            if groups and fact.start - groups[-1][-1].end <= 2 * _AROUND:
                groups[-1].append(fact)
            else:
                groups.append([fact])
        return [({fact.id for fact in group}, self._excerpt(item, group)) for group in groups]

    def _excerpt(self, item: Item, facts: Sequence[Evidence]) -> Excerpt:
        pieces = item.context.pieces
        parts = [(self._assembler.part(pieces, facts[0].start - _AROUND, facts[0].start), "")]
        at = facts[0].start
        for fact in facts:
            # Facts may overlap: what is shown already is not shown again.
            parts.append((self._assembler.part(pieces, at, fact.start), ""))
            parts.append((fact.text if fact.start >= at else self._assembler.part(pieces, at, fact.end), fact.id))
            at = max(at, fact.end)
        parts.append((self._assembler.part(pieces, at, at + _AROUND), ""))
        return Excerpt(
            parts=tuple((text, name) for text, name in parts if text),
            depth=min(1.0, facts[0].token / max(1, item.context.tokens)),
        )


def _prices(runs: Path) -> dict[tuple[str, str], Price]:
    """What runs paid per token, where they recorded it."""
    found = {}
    for place, note in run_notes(runs).items():
        if note.rates:
            with suppress(BadInput):  # a note of others
                found[place] = Price.parse(note.rates, str(runs))
    return found


def _windows(models: Iterable[str]) -> dict[str, int]:
    """Advertised windows of the models that are known by name."""
    return {model: window for model in models if (window := limits_of(model_name(model)).window)}
