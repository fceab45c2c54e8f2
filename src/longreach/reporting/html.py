"""Pages as one self-contained file: templates, and the policy that allows only their own script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from .drawing.panel_svg import drawing_style
from .embed import embedded_json

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["fill_template"]

_FOLDER = files("longreach.reporting") / "templates"


@cache
def _templates() -> Environment:
    """The folder of templates; each is compiled once."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(str(_FOLDER)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["embedded"] = lambda data: Markup(embedded_json(data))
    environment.globals["svg"] = Markup  # only for drawings made here, whose text is already escaped
    return environment


def fill_template(name: str, scripts: Sequence[str], **values: Any) -> str:
    """Render a page from its template; values are escaped, `scripts` become its one script."""
    from markupsafe import Markup

    parts = [(_FOLDER / script).read_text(encoding="utf-8") for script in scripts]
    script = '"use strict";\n{\n' + "\n".join(parts) + "}\n"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        _templates()
        .get_template(name)
        .render(
            policy=(
                "default-src 'none'; style-src 'unsafe-inline'; "
                f"script-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
            ),
            drawing_style=drawing_style(),
            style=Markup((_FOLDER / "page.css").read_text(encoding="utf-8")),
            script=Markup(script),
            **values,
        )
    )
