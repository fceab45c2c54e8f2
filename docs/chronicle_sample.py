"""The sample page of the documentation: a chapter in each language with right and wrong summaries.

Regenerate with `python -m docs.chronicle_sample > docs/chronicle-sample.md`.
"""

from __future__ import annotations

from longreach.worlds import TYPES
from longreach.worlds.chronicle import Chapter, Language, write_book

__all__ = ["sample"]

SEED = 1829
CHAPTER = 3
_SEEDS = 20
"""Number of wordings searched for a wrong version of each type."""
_LANGUAGES: tuple[tuple[Language, str], ...] = (("en", "English"), ("zh", "Chinese"))


def sample() -> str:
    """The page as Markdown; the same on every machine."""
    parts = [
        "# A chapter of the chronicle, in each language",
        "The `chronicle` source of the family `novel` simulates a town from a seed and narrates what happens in it. "
        "Below are three to four pages of each language, one whole unit, as the code writes them, then the unit's "
        "faithful summary, a paraphrase, and a wrong version of each type of error. Both languages narrate one world.",
        f"Seed {SEED}, chapter {CHAPTER}. Written by `python -m docs.chronicle_sample "
        "> docs/chronicle-sample.md`; a test compares this page with the code. In Python:",
        "```python\n"
        "from longreach.worlds.chronicle import write_book\n\n"
        f'unit = write_book({SEED}, language="en", units={CHAPTER}).units[-1]\n'
        'unit.text, unit.summary, unit.paraphrase(1), unit.wrong("temporal", 1)\n'
        "```",
    ]
    for language, name in _LANGUAGES:
        unit = write_book(SEED, language=language, units=CHAPTER).units[-1]
        parts += [f"## {name}", *_chapter(unit)]
    return "\n\n".join(parts) + "\n"


def _chapter(unit: Chapter) -> list[str]:
    heading, text = unit.text.split("\n\n", 1)
    lines = [f"### {heading}", text, "### Summary", unit.summary, "### Paraphrase", unit.paraphrase(1)]
    lines.append("### One wrong version of each type")
    for kind in TYPES:
        wrong = next((one for seed in range(1, _SEEDS) if (one := unit.wrong(kind, seed)) is not None), None)
        if wrong is not None:
            lines.append(f"**{kind}**: {wrong.sentence}  \nCorrect: {wrong.corrected}  \nReason: {wrong.reason}")
    return lines


if __name__ == "__main__":
    import sys

    sys.stdout.write(sample())
