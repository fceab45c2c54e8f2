"""What decides a needles benchmark."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from sonde.core.measure import Depths
from sonde.core.spec import Spec

__all__ = ["PROBES", "NeedlesSpec"]

Probe = Literal["literal", "inference", "faithfulness"]
PROBES: tuple[Probe, ...] = ("literal", "inference", "faithfulness")


def _names(given: Any) -> Any:
    """Names as a list or with commas between them; one that is given twice counts once."""
    names = [name.strip() for name in given.split(",")] if isinstance(given, str) else given
    return tuple(dict.fromkeys(names)) if isinstance(names, list | tuple) else names


class NeedlesSpec(Spec):
    """Protocol A: one paragraph with all facts, at each depth of each length, asked with each prompt."""

    family: Literal["needles"] = "needles"
    depths: Depths = Field(
        default=(10, 20, 30, 40, 50, 60, 70, 80, 90, 100),
        description="percent of the story's tokens before the facts: 10,50,90 or 10..100/10",
    )
    prompts: Annotated[tuple[str, ...], BeforeValidator(_names)] = Field(
        default=("standard", "anti_hallucination"), min_length=1, description="prompt names"
    )
    prompt_folder: str | None = Field(default=None, description="a folder with other wordings of the prompts")
    ask: Literal["quiz", "each"] = Field(
        default="quiz", description="all questions in one request, or each in its own over the same story"
    )
    facts: int = Field(default=10, ge=2, le=10, description="planted facts, an even number")
    questions: int | None = Field(default=None, ge=1, le=10, description="questions per probe; as many as facts")
    probes: Annotated[tuple[Probe, ...], BeforeValidator(_names)] = Field(
        default=PROBES, min_length=1, description="what to ask about: literal, inference, faithfulness"
    )
    language: Literal["auto", "en", "zh"] = Field(default="auto", description="of the facts; auto: the documents'")
    register_: Literal["novel", "report", "legal", "technical"] = Field(
        default="novel", alias="register", description="the tone of the planted facts"
    )

    @model_validator(mode="after")
    def _whole(self) -> NeedlesSpec:
        if self.facts % 2:
            raise ValueError(f"facts come in pairs, {self.facts} is odd; give 2, 4, 6, 8 or 10")
        if self.questions is not None and self.questions > self.facts:
            raise ValueError(f"{self.questions} questions per probe need as many facts, there are {self.facts}")
        return self
