"""Pages as one self-contained file: templates, and the policy that allows only their own script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from .drawing.panel_svg import drawing_style
from .embed import embedded_json

__all__ = ["fill_template"]


def fill_template(name: str, scripts: Sequence[str], **values: Any) -> str:
    """Render a page from its template; values are escaped, `scripts` become its one script."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    folder = files("longreach.reporting") / "templates"
    parts = [(folder / script).read_text(encoding="utf-8") for script in scripts]
    script = '"use strict";\n{\n' + "\n".join(parts) + "}\n"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = Environment(
        loader=FileSystemLoader(str(folder)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["embedded"] = lambda data: Markup(embedded_json(data))
    environment.globals["svg"] = Markup  # only for drawings made here, whose text is already escaped
    return environment.get_template(name).render(
        policy=(
            "default-src 'none'; style-src 'unsafe-inline'; "
            f"script-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
        ),
        drawing_style=drawing_style(),
        style=Markup((folder / "page.css").read_text(encoding="utf-8")),
        script=Markup(script),
        **values,
    )
