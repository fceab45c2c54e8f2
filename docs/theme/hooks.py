"""The search index as a script: a page that is read from a disk may not fetch, but it may load a script."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

__all__ = ["on_post_build"]


def on_post_build(config: Any) -> None:
    """Turn what mkdocs' search plugin wrote into one script, and take its own machinery out of the site."""
    folder = Path(config["site_dir"]) / "search"
    parts = json.loads((folder / "search_index.json").read_text(encoding="utf-8"))["docs"]
    pages = {part["location"]: part["title"] for part in parts if "#" not in part["location"]}
    index = [
        {"location": part["location"], "title": part["title"], "text": " ".join(part["text"].split())}
        | {"page": pages.get(part["location"].partition("#")[0], "")}
        for part in parts
    ]
    shutil.rmtree(folder)
    folder.mkdir()
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    (folder / "index.js").write_text(f"window.LONGREACH_INDEX = {text};\n", encoding="utf-8")
