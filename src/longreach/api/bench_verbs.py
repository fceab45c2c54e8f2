"""Verbs that make, open and write benchmarks; and models that help with it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from longreach.errors import BadInput

from .graded_folders import Where

if TYPE_CHECKING:
    from longreach.core.bench import Bench
    from longreach.core.helper_model import HelperModel
    from longreach.core.settings import Spec
    from longreach.exchange.export import Exported
    from longreach.families.helper_requests import HelperPlan
    from longreach.options import ExportOptions, HelperOptions
    from longreach.runner.budget import HelperMeter, ModelMeter


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=3)


def build(
    family: str | Spec,
    out: Where,
    *,
    model: str | None = None,
    warn: Callable[[str], None] = _warn,
    progress: Callable[[str], None] | None = None,
    where: str = "spec",
    helpers: HelperOptions | None = None,
    budget: str | HelperMeter | None = None,
    plan: Callable[[HelperPlan], None] | None = None,
    follow_links: bool = False,
    settings: Mapping[str, Any] | None = None,
    **spec_settings: Any,
) -> Bench:
    """Build a benchmark folder from a spec object, or from a family's name and the settings of its spec, as in a spec
    file or on the command line; `settings` takes those whose names this function uses itself.
    Lengths and tokenizer fit `model` where they are not given. `helpers` are the connection settings of models that
    help with building: `base_url` and `arguments`, as in `run`; `budget` (or a meter with one) limits what this build
    spends on them, and
    `plan` receives what they will be asked before anything is sent. With `follow_links`, links that lead out of a
    folder of documents are read."""
    from longreach.families.base import BuildContext
    from longreach.families.building import build_bench, make_spec

    given = {**(settings or {}), **spec_settings}
    if isinstance(docs := given.get("docs"), str | Path):
        given["docs"] = (str(docs),)
    report = progress or (lambda _: None)
    meter: HelperMeter | None = None if budget is None or isinstance(budget, str) else budget

    def writer(name: str) -> HelperModel:
        nonlocal meter
        from longreach.runner.budget import HelperMeter
        from longreach.runner.inspect_helper import GIVE_UP

        meter = meter or HelperMeter(budget if isinstance(budget, str) else None, report)
        return open_helper_model(name, meter=meter.model(name), give_up=GIVE_UP, **(helpers or {}))

    def show(planned: HelperPlan) -> None:
        for line in planned.lines():
            report(line)

    build_context = BuildContext(
        warn=warn, helper_model=writer, progress=report, plan=plan or show, follow_links=follow_links
    )
    notes: list[str] = []
    if not isinstance(family, str):
        if given or model:
            raise BadInput("build: a spec object already has every setting; change it with spec.model_copy(update=...)")
        spec = family
    else:
        spec = make_spec(family, given, where, model=model, note=notes.append)
    bench = build_bench(spec, Path(out), build_context)
    for note in notes:
        build_context.progress(note)
    return bench


def open_helper_model(
    model: str,
    folder: Where | None = None,
    *,
    meter: ModelMeter | None = None,
    give_up: float | None = None,
    **settings: Unpack[HelperOptions],
) -> HelperModel:
    """A model that helps with building or grading. Good replies are cached: in `folder` by the model's name, or in the
    user's cache, which all builds share, also by its server. `give_up` ends the work after so many seconds of failures
    alone; a `meter` counts, shows and limits what is sent."""
    from longreach.core.files import Store, user_folder
    from longreach.models.addresses import read_model, use_key
    from longreach.runner.inspect_helper import HelperSettings, InspectHelper, server_of

    how = HelperSettings.parse(settings, f"model {model}")
    address = read_model(model)
    use_key(address)
    model = address.model
    entry_options = address.entry.options if address.entry else {}
    how = how.model_copy(
        update={"base_url": address.base_url or how.base_url, "arguments": entry_options | how.arguments}
    )
    store = Store(Path(folder) if folder else user_folder("replies"))
    return InspectHelper(
        model,
        store,
        how,
        server="" if folder else server_of(model, how.base_url, how.arguments),
        give_up=give_up,
        meter=meter,
    )


def open_bench(bench: Bench | Where) -> Bench:
    """Open a benchmark folder and verify it."""
    from longreach.core.bench import Bench

    return bench if isinstance(bench, Bench) else Bench.open(Path(bench))


def check(bench: Where) -> list[str]:
    """Every difference between a benchmark folder and its records; empty if there is none."""
    from longreach.families.building import check_bench

    return check_bench(Path(bench))


def export(
    bench: Bench | Where,
    to: str,
    out: Where,
    *,
    apart_from: Sequence[Bench | Where] = (),
    **settings: Unpack[ExportOptions],
) -> Exported:
    """Write a benchmark's prompts for another system. Training examples (sft) are written only if they share no text,
    names or facts with the test benchmarks `apart_from`."""
    from longreach.exchange.export import ExportSettings, export_bench

    how = ExportSettings.parse(settings, "export")
    return export_bench(open_bench(bench), to, Path(out), how, apart_from=[open_bench(each) for each in apart_from])
