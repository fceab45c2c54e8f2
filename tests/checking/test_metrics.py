"""A night's figures in other tools."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.rows import make_row

from longreach import api
from longreach.checking.gate import check_gate
from longreach.checking.metrics import check_targets, log_night, night_metrics, prometheus_text
from longreach.checking.nights import Night
from longreach.core.bench import Bench
from longreach.core.types import Row, Verdict
from longreach.errors import BadInput, Missing


def night(right: int, *, refused: int = 0) -> list[Row]:
    """Twenty questions at 4k, of which so many are right and so many refused."""
    verdicts = [Verdict(status="scored", value=float(number < right)) for number in range(20 - refused)]
    verdicts += [Verdict(status="refused")] * refused
    return [
        make_row(
            item=f"i{n}", question=f"q{n}", cell={"length": 4000}, context=f"c{n // 4}", model='org/m"1', verdict=each
        )
        for n, each in enumerate(verdicts)
    ]


def test_the_figures_of_a_night_as_prometheus_reads_them() -> None:
    rows = night(15, refused=2)
    gate = check_gate(rows, [], nights=[Night("before", night(16))], repeated={"HTTP 500": 7})
    text = prometheus_text(night_metrics(rows, gate))
    assert 'longreach_right{model="org/m\\"1",test="needles",length="4k"} 0.75' in text
    assert 'longreach_status{model="org/m\\"1",status="refused"} 0.1' in text
    assert 'longreach_repeated_requests{kind="HTTP 500"} 7' in text
    assert f'longreach_outcome{{outcome="{gate.outcome}"}} 1' in text
    named = re.compile(r'^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="([^"\\]|\\.)*",?)+\})? [0-9.e+-]+)$')
    assert all(named.match(line) for line in text.splitlines())


def test_the_first_night_has_figures_too(tmp_path: Path) -> None:
    rows = night(20)
    log_night([str(tmp_path / "night.prom")], rows, check_gate(rows, [], nights=[]), "night-1")
    assert "longreach_right{" in (tmp_path / "night.prom").read_text()


def test_targets_are_checked_before_anything_is_graded(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"give mlflow, wandb or a file FILE\.prom"):
        api.gate(tmp_path / "none", ["needles.literal >= 0.5"], log_to=["grafana"])


@pytest.mark.parametrize("package", ["mlflow", "wandb"])
def test_figures_go_to_tools_that_are_installed(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = night(15)
    gate = check_gate(rows, [], nights=[Night("before", night(16))])
    try:
        check_targets([package])
    except Missing as missing:
        assert f"pip install {package}" in str(missing)  # noqa: PT017
        return
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    log_night([package], rows, gate, "night-7")
    if package == "wandb":
        assert list(tmp_path.glob("wandb/offline-run-*"))
        return
    import mlflow

    (run,) = mlflow.search_runs(search_all_experiments=True, output_format="list")
    assert run.info.run_name == "night-7"
    assert run.data.metrics["right/org_m_1/needles/4k"] == 0.75


def test_only_the_models_that_are_checked_have_figures(bench: Bench, tmp_path: Path) -> None:
    for name in ("mine", "other"):
        api.simulate(bench, "perfect", tmp_path / "runs", name=name)
    target = tmp_path / "night.prom"
    api.gate(tmp_path / "runs", ["needles.literal >= 0.5"], log_to=[str(target)], models=("mine",))
    assert 'model="mine"' in target.read_text()
    assert "other" not in target.read_text()
