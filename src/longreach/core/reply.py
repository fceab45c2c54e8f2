"""What a simulated model replies to one question; the family renders it as text."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .model import Frozen

__all__ = ["Reply"]


class Reply(Frozen):
    """One question's reply."""

    kind: Literal["right", "wrong", "absent", "choice", "partial", "nothing"]
    """`absent`: the text does not say. `choice`: the option or label in `text`. `partial`: `share` of it right.
    `nothing`: this question is skipped."""
    text: str = ""
    share: float = Field(default=1.0, ge=0, le=1)
