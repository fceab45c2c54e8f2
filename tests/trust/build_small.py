"""`python -m tests.trust.build_small DOCS OUT`: a small benchmark of every family, and their digests on one line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.trust.fuzz.entries import SMALL

MORE: dict[str, dict[str, Any]] = {
    "needles-extract": {"lengths": "500,800", "depths": "50", "facts": 4, "haystack": "extract"},
    "novel-zh": {"docs": [], "sizes": "S", "per_class": 2, "books": 2, "language": "zh"},
    "trace-zh": {"docs": [], "lengths": "1k", "questions": 4, "language": "zh"},
    "needles-zh": {"lengths": "400", "depths": "50", "facts": 4, "language": "zh", "protocols": "depth,distribution"},
}


def build_all(docs: Path, out: Path) -> dict[str, str]:
    """Folder name -> digest."""
    from longreach.families.base import BuildContext
    from longreach.families.building import build_bench, make_spec

    digests = {}
    for name, settings in (SMALL | MORE).items():
        family = name.partition("-")[0]
        spec = make_spec(family, {"docs": [str(docs)], "seed": 11} | settings)
        digests[name] = build_bench(spec, out / name, BuildContext(warn=lambda _: None)).info.digest
    return digests


if __name__ == "__main__":
    print(json.dumps(build_all(Path(sys.argv[1]), Path(sys.argv[2]))))
