"""The sample page of the documentation: the beginning of a chapter in each language, and wrong sentences about it.

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
_PARAGRAPHS = 5
_LANGUAGES: tuple[tuple[Language, str], ...] = (("en", "English"), ("zh", "Chinese"))


def sample() -> str:
    """The page as Markdown; the same on every machine."""
    parts = [
        "# A chapter of the chronicle, in each language",
        "To judge the generated books of [novel](novel.md): the beginning of one unit, and a wrong sentence of each "
        "type. In Python this prints the whole unit:",
        "```python\n"
        "from longreach.worlds.chronicle import write_book\n\n"
        f'unit = write_book({SEED}, language="en", units={CHAPTER}).units[-1]\n'
        'print(unit.text, unit.summary, unit.paraphrase(1), unit.wrong("temporal", 1))\n'
        "```",
    ]
    for language, name in _LANGUAGES:
        unit = write_book(SEED, language=language, units=CHAPTER).units[-1]
        parts += [f"## {name}", *_chapter(unit)]
    return "\n\n".join(parts) + "\n"


def _chapter(unit: Chapter) -> list[str]:
    heading, *paragraphs = unit.text.split("\n\n")
    lines = [f"### {heading}", *paragraphs[:_PARAGRAPHS], "...", "### Wrong sentences of its summary"]
    for kind in TYPES:
        wrong = next((one for seed in range(1, _SEEDS) if (one := unit.wrong(kind, seed)) is not None), None)
        if wrong is not None:
            lines.append(f"**{kind}**: {wrong.sentence}  \nCorrect: {wrong.corrected}")
    return lines


if __name__ == "__main__":
    import sys

    sys.stdout.write(sample())
