"""`paper`: a paper's experiment repeated: built from its preset, run, graded, and held against what was published."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from pydantic import field_validator

from longreach.core.bench import Bench
from longreach.core.formatting import format_dollars, format_tokens
from longreach.core.settings import Settings, Spec, setting
from longreach.core.statements import Statement
from longreach.errors import BadInput
from longreach.exchange.published import PaperRecord, run_claims
from longreach.families import get_family
from longreach.families.base import Family
from longreach.families.building import Scaled, check_same_settings, make_spec, paper_settings
from longreach.families.helper_requests import HelperPlan
from longreach.families.papers import Conformance, Load, Paper, named_models
from longreach.families.parts import Comparable, Judgeable, Preset, part_of
from longreach.grading.judge.ask import Choosing
from longreach.models.addresses import ModelAddress, read_models
from longreach.models.embedders import BGE_M3
from longreach.models.prices import price_of
from longreach.runner.budget import Budget, HelperMeter
from longreach.runner.run_settings import RunResult, RunSettings

__all__ = ["PaperHooks", "PaperResult", "PaperSettings", "paper"]

_OWN_SERVER = "openai-api/"
"""Models at an address that the user gives."""


class PaperSettings(Settings):
    """What repeating a paper may be told beside the settings of `build` and `run`."""

    heading = "The paper"

    scale: str = setting("1", "Multiply all lengths and sizes of the paper by this: 1/10.", form="SHARE")
    judge: str | None = setting(None, "A model that grades what the key is unsure of.", form="MODEL")
    embedder: str | None = setting(
        None, "Finds similar passages, or compares meaning: wordllama, bge-m3, openai:MODEL.", form="NAME"
    )

    @field_validator("scale", mode="before")
    @classmethod
    def _share(cls, given: Any) -> str:
        try:
            share = Fraction(str(given).strip())
        except (ValueError, ZeroDivisionError):
            raise ValueError(f"'{given}' is no share; give for instance 1/10 or 0.1") from None
        if not 0 < share <= 1:
            raise ValueError(f"'{given}' is not above 0 and at most 1; give for instance 1/10")
        return str(given).strip()

    @property
    def share(self) -> float:
        return float(Fraction(self.scale))


def _say(message: str) -> None:
    print(message)


def _run(bench: Bench, models: Sequence[str], out: Path, settings: Mapping[str, Any]) -> list[RunResult]:
    from longreach import api

    return [api.run(bench, model, out, **settings) for model in models]


def _consent(planned: HelperPlan) -> None:
    """A program that calls this has agreed; --budget limits what helper models may cost."""


@dataclass(frozen=True)
class PaperHooks:
    """What the command line does in its own way."""

    say: Callable[[str], None] = _say
    warn: Callable[[str], None] = _say
    helpers: Callable[[HelperPlan], None] = _consent
    """Receives what helper models of the build will be asked."""
    run: Callable[[Bench, Sequence[str], Path, Mapping[str, Any]], list[RunResult]] = _run


@dataclass(frozen=True)
class PaperResult:
    """What came of a repeated paper."""

    family: str
    differs: tuple[str, ...]
    results: tuple[RunResult, ...]
    claims: tuple[Statement, ...]
    """Those that these runs have something on, decided ones first."""
    missing: int
    """Claims that these runs have nothing on."""
    verdicts: Mapping[str, str]
    page: Path

    def lines(self) -> list[str]:
        """The result as text: how it differs first."""
        decided = [each for each in self.claims if not each.text.startswith("open")]
        unsure = len(self.claims) - len(decided)
        return [
            *self.differs,
            "",
            *self.verdicts.values(),
            f"claims of the paper: {len(decided)} decided, {unsure} open, {self.missing} need what this run has not",
            *(f"  {each.text}" for each in self.claims),
            f"page: {self.page}",
        ]

    def data(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "family": self.family,
            "differs": list(self.differs),
            "verdicts": dict(self.verdicts),
            "claims": [each.model_dump(mode="json") for each in self.claims],
            "missing": self.missing,
            "page": str(self.page),
            "runs": [each.model_dump(mode="json") for each in self.results],
        }

    def __repr__(self) -> str:
        return "\n".join(self.lines())


@dataclass(frozen=True)
class _Experiment:
    """One benchmark with the models that are asked it: models of one window share it."""

    folder: Path
    spec: Spec
    settings: Mapping[str, Any]
    scaled: Sequence[Scaled]
    models: list[str] = field(default_factory=list)


def paper(
    family: str,
    models: str | Sequence[str],
    out: str | Path,
    *,
    docs: Sequence[str] = (),
    build: Mapping[str, Any] | None = None,
    hooks: PaperHooks | None = None,
    scale: str | float = 1,
    judge: str | None = None,
    embedder: str | None = None,
    **run: Any,
) -> PaperResult:
    """Repeat the experiment of the paper behind a family, as `longreach paper` does: `build` has settings of its
    benchmark, `run` those of the run. `out` gets benchmarks, runs and page.html; the same call resumes."""
    made, how = (
        get_family(family),
        PaperSettings.parse({"scale": str(scale), "judge": judge, "embedder": embedder}, "paper"),
    )
    paper_of_family = part_of(made, Preset).paper
    if paper_of_family is None:
        raise BadInput(f"the family {family} repeats no paper; build it with longreach build {family}")
    to, ask = hooks or PaperHooks(), RunSettings.parse(run, "paper")
    folder = Path(out)
    addresses = read_models([models] if isinstance(models, str) else list(models))
    _check(made, how)
    given = {**(build or {}), **({"docs": list(docs)} if docs else {})}
    experiments = _experiments(family, addresses, how, given, folder, to.say)
    differs = _differences(paper_of_family, addresses, experiments[0], how, given, ask)
    for line in [f"repeats {paper_of_family.title}", *differs, *_costs(paper_of_family, experiments, how, ask)]:
        to.say(line)
    results, budget = [], _Purse(ask.budget, folder, to.say)
    for each in experiments:
        bench = _built(each, ask, budget, to)
        results += to.run(bench, each.models, folder / "runs", {**run, **budget.left()})
    return _concluded(family, folder, differs, results, how, run)


def _check(made: Family[Any], how: PaperSettings) -> None:
    """Refuse what nothing would read, before anything is sent."""
    compares = isinstance(made, Comparable)
    if how.embedder is not None and "embedder" not in made.spec_type.model_fields and not compares:
        raise BadInput(f"--embedder {how.embedder}: {made.name} compares no meaning; leave it out")
    if how.judge is not None and not isinstance(made, Judgeable | Choosing):
        raise BadInput(f"--judge {how.judge}: {made.name} is graded by its own rule and asks no judge; leave it out")


def _experiments(
    family: str,
    addresses: Sequence[ModelAddress],
    how: PaperSettings,
    given: Mapping[str, Any],
    out: Path,
    note: Callable[[str], None],
) -> list[_Experiment]:
    """The benchmarks to build: one, or one for each window where lengths are shares of it."""
    fields = get_family(family).spec_type.model_fields
    changed = dict(given)
    if how.embedder is not None and "embedder" in fields:
        changed["embedder"] = how.embedder
    elif part_of(get_family(family), Preset).presets["paper"].get("embedder") == BGE_M3 and "embedder" not in changed:
        installed = importlib.util.find_spec("sentence_transformers") is not None
        changed |= {} if installed else {"embedder": "auto"}
    found: dict[str, _Experiment] = {}
    for address in addresses:
        settings, scaled = paper_settings(family, address.model, how.share, changed, note)
        spec = make_spec(family, settings, "--set", model=addresses[0].model)
        key = spec.digest()
        if key not in found:
            found[key] = _Experiment(out / "bench", spec, settings, scaled)
        found[key].models.append(_as_given(address))
    if len(found) == 1:
        return list(found.values())
    return [
        _Experiment(out / f"bench-{each.settings['window']}", each.spec, each.settings, each.scaled, each.models)
        for each in found.values()
    ]


def _as_given(address: ModelAddress) -> str:
    """A model as it was written."""
    name = f"{address.label}={address.model}" if address.named and address.label != address.model else address.model
    return name if address.base_url is None else f"{name}@{address.base_url}"


def _differences(
    made: Paper,
    addresses: Sequence[ModelAddress],
    first: _Experiment,
    how: PaperSettings,
    given: Mapping[str, Any],
    ask: RunSettings,
) -> tuple[str, ...]:
    """'differs from the paper in: ...', and a line for each."""
    lines: dict[str, str] = {}
    tested = list(dict.fromkeys(point.model for point in made.points()))
    own = [address.label for address in addresses]
    if others := [label for label in own if not named_models(tested, [label])]:
        lines["models"] = (
            f"{', '.join(others)}; the paper has {', '.join(tested[:4])}{' and others' * (len(tested) > 4)}"
        )
    if how.share < 1:
        lines["size"] = f"--scale {how.scale} takes {', '.join(each.line() for each in first.scaled)}"
    facts = {**first.spec.model_dump(mode="json", by_alias=True), "judge": how.judge, "repeats": ask.repeats}
    facts["embedder"] = how.embedder or facts.get("embedder")
    for each in made.conformance:
        if not each.same and not _met(each, facts, {*given, *(["judge"] if how.judge else [])}):
            lines[each.about] = f"{each.preset} (the paper: {each.paper})"
    changed = [f"{name}={value}" for name, value in given.items() if name not in ("docs", "window")]
    if changed:
        lines["settings"] = ", ".join(changed)
    return (f"differs from the paper in: {', '.join(lines)}", *(f"  {name}: {line}" for name, line in lines.items()))


def _met(each: Conformance, facts: Mapping[str, Any], given: set[str]) -> bool:
    """Whether settings make it do as the paper did."""
    return any(
        name in given if wanted == "given" else facts.get(name) == wanted for name, wanted in each.unless.items()
    )


def _costs(made: Paper, experiments: Sequence[_Experiment], how: PaperSettings, ask: RunSettings) -> list[str]:
    """What it takes in full and at the scale, estimated before anything is built."""
    lines = [f"{'estimate':<10} {'requests':>9} {'input':>8} {'output':>8}  without cache"]
    for each in experiments:
        sizes = {"in full": list(made.outline(_unscaled(each)))}
        if how.share < 1:
            sizes[f"at {how.scale}"] = list(made.outline(each.spec))
        lines += [_cost_line(name, loads, each.models, ask) for name, loads in sizes.items()]
    return lines


def _cost_line(name: str, loads: Sequence[Load], models: Sequence[str], ask: RunSettings) -> str:
    """Requests and tokens of every model together, and the money of each."""
    times = ask.repeats * len(models)
    requests = sum(load.requests for load in loads) * times
    read = sum(load.requests * load.tokens for load in loads) * times
    written = sum(load.requests * load.answer for load in loads) * times
    money = ", ".join(_money(model, loads, ask) for model in models)
    return f"{name:<10} {requests:>9,} {format_tokens(read):>8} {format_tokens(written):>8}  {money}"


def _unscaled(each: _Experiment) -> Spec:
    """The spec at the paper's size."""
    whole = {one.name: one.whole for one in each.scaled}
    settings = {  # a mapping is by scaled size
        name: value for name, value in each.settings.items() if name not in whole and not isinstance(value, Mapping)
    }
    preset = part_of(get_family(each.spec.family), Preset).preset("paper", settings)
    settings |= {name: value for name, value in whole.items() if name not in preset}
    return make_spec(each.spec.family, settings, "--set")


def _money(model: str, loads: Sequence[Load], ask: RunSettings) -> str:
    address = read_models([model])[0]
    price = price_of(address.model, ask.at(address).price)
    if price is None:
        return f"{address.label}: price unknown"
    cost = sum(load.requests * price.cost(load.tokens, 0, load.answer) for load in loads) * ask.repeats
    return f"{address.label}: {format_dollars(cost)}"


class _Purse:
    """One budget for the helper models of the build and for the run."""

    def __init__(self, budget: str | None, out: Path, progress: Callable[[str], None]) -> None:
        self._budget = Budget.read(budget) if budget else None
        self._file = out / "helpers.json"
        self._before = float(self._file.read_text(encoding="utf-8")) if self._file.is_file() else 0.0
        self.meter = (
            HelperMeter(self._budget.less(self._before), progress) if self._budget else HelperMeter(None, progress)
        )

    def save(self) -> None:
        """Remember what helper models took, for a later run of the same command."""
        if self._budget is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(f"{self._before + self.meter.used:.6f}\n", encoding="utf-8")

    def left(self) -> dict[str, str]:
        """The budget of the run, as its setting."""
        return {"budget": self._budget.less(self._before + self.meter.used)} if self._budget is not None else {}


def _built(each: _Experiment, ask: RunSettings, purse: _Purse, to: PaperHooks) -> Bench:
    """The benchmark, opened if it is there."""
    from longreach import api

    if each.folder.exists():
        bench = api.open_bench(each.folder)
        check_same_settings(bench, each.spec)
        return bench
    helpers: Any = {}
    if ask.base_url and _helpers_are_own(each.spec):
        helpers = {"base_url": ask.base_url, "arguments": ask.arguments}
    try:
        bench = api.build(
            each.spec,
            each.folder,
            warn=to.warn,
            progress=to.say,
            helpers=helpers,
            budget=purse.meter,
            plan=to.helpers,
        )
    finally:
        purse.save()
    to.say(f"{each.folder}: {bench.info.items} items, digest {bench.info.digest[:12]}")
    return bench


_ROLES = ("builder", "checker", "writer", "summariser", "rewriter")
"""Settings of specs that name a helper model."""


def _helpers_are_own(spec: Spec) -> bool:
    """Whether every model that helps is at an address of the user's, as --base-url is."""
    names = [str(name) for role in _ROLES if (name := getattr(spec, role, None)) and "/" in str(name)]
    return bool(names) and all(name.startswith(_OWN_SERVER) for name in names)


def _concluded(
    family: str,
    out: Path,
    differs: tuple[str, ...],
    results: Sequence[RunResult],
    how: PaperSettings,
    run: Mapping[str, Any],
) -> PaperResult:
    """Grade, decide the claims, and write the page."""
    from longreach import api

    runs, made = out / "runs", get_family(family)
    PaperRecord(family=family, scale=how.share, differs=differs).save(runs)
    meaning = how.embedder if "embedder" not in made.spec_type.model_fields else None
    if how.judge or meaning:
        reach: Any = {}
        if how.judge and how.judge.startswith(_OWN_SERVER) and run.get("base_url"):
            reach = {"base_url": run["base_url"]}
        api.grade(runs, judge=how.judge, embedder=meaning, **reach)
    report = api.report(runs, out / "page.html", published=True)
    claims = run_claims(report.rows)
    shown = tuple(each.statement() for each in claims if not each.missing)
    missing = len(claims) - len(shown)
    return PaperResult(family, differs, tuple(results), shown, missing, report.verdicts, out / "page.html")
