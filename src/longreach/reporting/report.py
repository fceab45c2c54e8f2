"""From graded rows to everything that a page shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from zlib import crc32

from longreach.core.bench import Bench
from longreach.core.figure import FamilyView, Figure
from longreach.core.preflight import Preflight, last_preflights, preflight_statements
from longreach.core.runs import kept_bench, kept_corpus, repeated_requests, repeated_text, run_notes
from longreach.core.settings import model_name
from longreach.core.statements import Statement
from longreach.core.types import Call, Evidence, Item, Placement, Row
from longreach.errors import BadInput, one_line
from longreach.families import get_family
from longreach.families.parts import Reportable, part_of
from longreach.families.showing import assembler_of, family_view, guessing_scores
from longreach.models.prices import Price, limits_of
from longreach.results.decisions import decisions_of
from longreach.results.grading import remembered, run_gaps
from longreach.stats.counting import delivered
from longreach.stats.headline import THRESHOLD
from longreach.stats.series import grouped

from .checks import Check, run_checks
from .figures import checkpoint_section, repeats_table, same_documents_section
from .views import Excerpt, Report, ShownRequest

MOST = 20_000
"""Answers on one page: under 5 MB with short answers, and a browser opens it at once."""


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


@dataclass(frozen=True)
class RunsSource:
    """What a report takes from one folder of runs."""

    folder: Path
    rows: tuple[Row, ...]
    calls: tuple[Call, ...]
    figures: tuple[Figure, ...] = ()
    """On the run itself."""
    every: tuple[Row, ...] = ()
    """Its rows, those over retrieved passages included."""

    def under(self, names: Mapping[str, str]) -> RunsSource:
        """The same with models under other names."""
        rows = tuple(row.model_copy(update={"model": names.get(row.model, row.model)}) for row in self.rows)
        calls = tuple(call.model_copy(update={"model": names.get(call.model, call.model)}) for call in self.calls)
        return replace(self, rows=rows, calls=calls)


def _cuts(found: Mapping[str, Preflight]) -> dict[str, int]:
    """By model, the tokens at which its server cuts prompts."""
    return {model: each.limit for model, each in found.items() if each.verdict == "cut" and each.limit is not None}


def make_report(
    sources: Sequence[RunsSource],
    *,
    title: str = "",
    published: bool = False,
    threshold: float = THRESHOLD,
    at: float | None = None,
    difference_scale: float | None = None,
    opening: Sequence[str] = (),
    wrong_first: str = "",
) -> Report:
    """Everything the page shows; the text around the facts if the benchmark is still available. A model of several
    folders is shown once per folder, with its name. `published` adds the papers' figures to the results; `at` is the
    length that ranking and statements are about."""
    known = [_names(source, sources) for source in sources]
    sources = [source.under(names) if names else source for source, names in zip(sources, known, strict=True)]
    rows = tuple(row for source in sources for row in source.rows)
    calls = tuple(call for source in sources for call in source.calls)
    folders = {call.bench: source.folder for source in sources for call in source.calls}
    benches = {digest: kept_bench(folders[digest], digest) for digest in sorted(folders)}
    whole = {digest: kept_corpus(folders[digest], digest) for digest in benches}
    listed = rows_on_page(rows)
    if wrong_first:
        listed = tuple(sorted(listed, key=lambda place: not _is_wrong_of(rows[place], wrong_first)))
    requests, gaps, notes = _requests(benches, whole, [rows[place] for place in listed])
    gaps += _reused(calls)
    notes += [text for source in sources if (text := repeated_text(repeated_requests(source.folder)))]
    notes += [_PUBLISHED] if published else []
    models = sorted({call.model for call in calls})
    families = tuple(
        _view(name, rows, benches, published=published) for name in sorted({call.family for call in calls})
    )
    sections = (
        same_documents_section(rows, families, [bench for bench in whole.values() if bench is not None]),
        checkpoint_section(rows, families, threshold=threshold),
    )
    found = {
        names.get(model, model): each
        for source, names in zip(sources, known, strict=True)
        for (model, _), each in last_preflights(source.folder).items()
    }
    return Report(
        title=title or f"Long-context report: {', '.join(models) if len(models) < 4 else f'{len(models)} models'}",
        rows=rows,
        calls=calls,
        requests=tuple(requests),
        listed=listed,
        families=families,
        decisions=tuple(decisions_of(rows, benches, at=at, cuts=_cuts(found))),
        statements=tuple(_preflights({model: each for model, each in found.items() if model in models})),
        sections=tuple(filter(None, sections)),
        windows=_windows(models),
        notes=tuple(notes),
        gaps=(*gaps, *_gaps(benches, calls)),
        figures=(*repeats_table(rows, families), *(figure for source in sources for figure in source.figures)),
        checks=_checks(sources, {digest: whole[digest] or bench for digest, bench in benches.items()}),
        threshold=threshold,
        prices={
            (names.get(model, model), digest): price
            for source, names in zip(sources, known, strict=True)
            for (model, digest), price in _prices(source.folder).items()
        },
        at=at,
        difference_scale=difference_scale,
        opening=tuple(opening),
    )


def _names(source: RunsSource, sources: Sequence[RunsSource]) -> dict[str, str]:
    """New names of the models that several folders have."""
    others = {call.model for other in sources if other is not source for call in other.calls}
    own = dict.fromkeys(call.model for call in source.calls)
    return {model: f"{model} ({source.folder.resolve().name})" for model in own if model in others}


def _preflights(found: Mapping[str, Preflight]) -> Iterator[Statement]:
    for model, each in found.items():
        for said in preflight_statements(each, model):
            yield said.model_copy(update={"text": f"{model}: {said.text}."})


def _gaps(benches: Mapping[str, Bench], calls: Sequence[Call]) -> Iterator[str]:
    for bench in benches.values():
        for gap in run_gaps([bench], calls):
            yield f"{gap.model} has {gap.text}; the others are in none of its numbers."


def _reused(calls: Sequence[Call]) -> list[str]:
    said = []
    for model, own in grouped(calls, lambda call: call.model).items():
        again = sum(call.reused for call in own)
        if again:
            said.append(f"{model}: {again} of {len(own)} answers were reused from earlier runs, not asked again.")
    return said


def _checks(sources: Sequence[RunsSource], texts: Mapping[str, Bench]) -> tuple[Check, ...]:
    """The checks of each folder with the judge that graded it, each once."""
    found = [
        check
        for source in sources
        for check in run_checks(source.rows, _only(texts, source), judge=remembered(source.folder).judge)
    ]
    return tuple(dict.fromkeys(found))


def _only(texts: Mapping[str, Bench], source: RunsSource) -> dict[str, Bench]:
    asked = dict.fromkeys(row.bench for row in source.rows)
    return {digest: texts[digest] for digest in asked if digest in texts}


def _requests(
    benches: Mapping[str, Bench], whole: Mapping[str, Bench | None], shown: Sequence[Row]
) -> tuple[list[ShownRequest], list[str], list[str]]:
    """The prompts behind the rows that the page lists, what of them is missing, and how lengths were counted."""
    items: dict[str, set[str]] = {}
    for row in shown:
        items.setdefault(row.bench, set()).update(row.items)
    requests: list[ShownRequest] = []
    gaps: list[str] = []
    notes: list[str] = []
    for digest, bench in benches.items():
        text = whole[digest]
        if text is None:
            notes.append(f"The text of benchmark {digest[:12]} is no longer where it was: contexts are not shown.")
        excerpts = _Excerpts(text) if text else None
        wanted = items.get(digest, ())
        try:
            requests += [_request(bench, excerpts, item) for item in bench.items.values() if item.id in wanted]
            counted = bench.spec.get("tokenizer", "")
            notes.append(f"Benchmark {digest[:12]}: lengths counted by {counted}, seed {bench.spec.get('seed')}.")
        except (BadInput, OSError) as error:
            gaps.append(f"Requests of benchmark {digest[:12]} are not shown: {one_line(str(error))}")
    return requests, gaps, notes


def _view(name: str, rows: Sequence[Row], benches: Mapping[str, Bench], *, published: bool) -> FamilyView:
    family = part_of(get_family(name), Reportable)
    own = [row for row in rows if row.family == name]
    behind = {digest: bench for digest, bench in benches.items() if bench.info.family == name}
    models = grouped(own, lambda row: row.model)
    written = {model: family.sentence(own, model) for model in models}
    beside = {model: family.beside_verdict(rows_of, behind) for model, rows_of in models.items()}
    return FamilyView(
        name=name,
        title=family.title or name,
        about=family.about,
        axes=family.axes,
        charts=family.charts,
        figures=tuple(family.figures(own, behind, published=published)) if own else (),
        beside={model: line for model, line in beside.items() if line},
        sentences={model: sentence for model, sentence in written.items() if sentence},
        chances=guessing_scores(behind).get(name, {}),
    )


def _request(bench: Bench, shown: _Excerpts | None, item: Item) -> ShownRequest:
    return ShownRequest.model_construct(
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
