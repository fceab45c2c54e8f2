"""Results as a flat table: one line per question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.core.disk import write_whole
from longreach.core.model import canonical_json
from longreach.core.row import Row
from longreach.errors import Missing
from longreach.stats.counting import answered, delivered

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["flat_rows", "frame_of", "write_parquet"]

_PER_REQUEST = ("tokens_in", "tokens_cached", "tokens_out", "tokens_reasoning", "seconds", "cost")
_VERDICT = ("status", "value", "answer", "reason", "certain", "key", "judge")


def flat_rows(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """One flat dictionary per row: axes by their names, realised ones as `realised_NAME`, other scores as `score_NAME`,
    generation settings as `setting_NAME`. The means of `delivered` and `answered` are the page's two accuracies.
    Tokens, seconds and cost are only on the first question of each request, so that they add up."""
    counted: set[tuple[str, str, str]] = set()
    for row in rows:
        request = (row.model, row.bench, row.item)
        first = request not in counted
        counted.add(request)
        yield (
            {name: getattr(row, name) for name in ("model", "family", "bench", "item", "question", "question_type")}
            | dict(row.cell)
            | {f"realised_{name}": value for name, value in row.realised.items()}
            | {"delivered": delivered(row), "answered": answered(row)}
            | {name: getattr(row.verdict, name) for name in _VERDICT}
            | {f"score_{name}": value for name, value in row.verdict.scores.items()}
            | {f"setting_{name}": _flat(value) for name, value in row.settings.items()}
            | {name: getattr(row, name) if first else None for name in _PER_REQUEST}
        )


def _flat(value: Any) -> Any:
    return value if isinstance(value, str | int | float | None) else canonical_json(value)


def frame_of(rows: Sequence[Row]) -> pd.DataFrame:
    """The rows as a pandas frame."""
    try:
        import pandas as pd
    except ImportError:
        raise Missing("pandas is not installed; run: pip install pandas pyarrow") from None
    frame = pd.DataFrame.from_records(list(flat_rows(rows)))
    numbers = (*_PER_REQUEST, "delivered", "answered")
    return frame.astype({name: "float64" for name in numbers if name in frame})


def write_parquet(rows: Sequence[Row], path: Path) -> None:
    """Write the frame as a parquet file, atomically."""
    frame, file = frame_of(rows), BytesIO()
    try:
        frame.to_parquet(file, index=False)
    except ImportError:
        raise Missing("pyarrow is not installed; run: pip install pyarrow") from None
    write_whole(path, file.getvalue())
