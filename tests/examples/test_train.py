"""The training example learns on real data, on a CPU: a few steps of the real model's first layers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from longreach.exchange.export import export_sft
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.models.engine import embedded_weights

SCRIPT = Path(__file__).parents[2] / "examples" / "train" / "train.py"


@pytest.mark.long
def test_a_few_steps_lower_the_loss(tmp_path: Path) -> None:
    for module in ("torch", "transformers", "peft", "gguf"):
        pytest.importorskip(module)
    settings = {"unit": 128, "sizes": "S", "per_class": 12, "books": 6, "split": "train", "train_share": 0.7}
    bench = build_bench(make_spec("novel", settings), tmp_path / "bench", BuildContext(warn=lambda _: None))
    files, _ = export_sft(bench, tmp_path / "sft")
    data = [str(path) for path in files if path.suffix == ".jsonl"]
    settings_of_run = ["--layers", "2", "--steps", "8", "--every", "2", "--batch-tokens", "4000", "--validation", "4"]
    words = [sys.executable, str(SCRIPT), "train", *data, "--model", str(embedded_weights()), *settings_of_run]
    subprocess.run([*words, "-o", str(tmp_path / "out"), "--minutes", "30"], check=True, timeout=1800)
    losses = [line["loss"] for line in json.loads((tmp_path / "out" / "history.json").read_text())]
    assert losses[-1] < losses[0]
    assert (tmp_path / "out" / "adapter.gguf").read_bytes()[:4] == b"GGUF"
