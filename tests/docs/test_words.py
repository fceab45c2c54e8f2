"""The product's words: terms of the field, one per thing. Each old word, what to write, and where it may stand."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOOKED_AT = ("src/", "docs/", "examples/", "benchmarks/", "README.md", "CONTRIBUTING.md", "Makefile", "mkdocs.yml")
ENDINGS = (".py", ".md", ".js", ".css", ".j2", ".yaml", ".yml", ".html", "Makefile")
GENERATED = (
    *("src/longreach/worlds/", "docs/chronicle-sample.md", "docs/examples/"),
    *("src/longreach/families/needles/facts/", "tests/"),
)
"""Prose of generated worlds and facts, results with answers in them."""
READING = ("src/longreach/grading/",)
"""Lists of words that occur in texts and in models' answers."""
NOVEL = ("src/longreach/families/novel/", "docs/novel.md", "benchmarks/bench_novel_probes.py")

OLD: dict[str, tuple[str, tuple[str, ...]]] = {
    r"answer.sheets?": ("sample answer, answers", ()),
    r"sheets?": ("answers", ("docs/dependencies.md", "src/longreach/reporting/templates/review")),
    r"quiz(zes)?": ("prompt or request", READING),
    r"said|told|heard": (
        "given, reported, printed",
        (
            *(*READING, *NOVEL, "src/longreach/families/needles/registers"),
            *("src/longreach/models/tokenizers.py", "src/longreach/text/seams"),
        ),
    ),
    r"buried|bury": ("inserted", ()),
    r"mend(s|ed|ing)?": ("fix", READING),
    r"lets? go of|(comes?|came) home|under way": ("expired, finished, in flight", ()),
    r"ma(kes?|de|king) things up": ("hallucinates", ()),
    r"(what )?became of": ("answer status", ()),
    r"shared beginnings?": ("shared prefix", ()),
    r"tokens to compute": ("prefill tokens", ()),
    r"whole sweep": ("all lengths", ()),
    r"likeness": ("similarity", ()),
    r"all is kept|the answer is no": ("finished answers are saved; check failed", ()),
    r"distributional collapse": ("best and worst fact placement", ("docs/reference/metrics.md",)),
    r"safety.tax": (
        "effect of the anti-hallucination prompt",
        ("docs/needles.md", "docs/claims.md", "docs/reference/metrics.md"),
    ),
    r"faithfulness": ("abstention", (*READING, "src/longreach/families/needles/paper.py")),
    r"95 % intervals?": ("95 % CI, 95 % confidence interval", ()),
    r"place in the story": ("position in the context", ()),
    r"in numbers:": ("summary", ()),
    r"Noun|Purse|Workshop|Asker|LatePrompt|TestDocument": ("Frozen, BudgetGuard, BuildContext, ...", ()),
    r"latebound|breakpoints\.py|teeth|luck": (
        "deferred_prompt, cache_marks, paragraphs, rng",
        (*READING, "src/longreach/families/needles/README.md"),
    ),
}


def _files() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


@cache
def _texts() -> dict[str, str]:
    names = [name for name in _files() if name.startswith(LOOKED_AT) and name.endswith(ENDINGS)]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names}


@pytest.mark.parametrize("old", OLD)
def test_an_old_word_is_gone(old: str) -> None:
    better, allowed = OLD[old]
    word = re.compile(rf"(?<![a-zA-Z])(?:{old})(?![a-zA-Z])", 0 if old.startswith("Noun") else re.IGNORECASE)
    found = [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in _texts().items()
        if not name.startswith((*GENERATED, *allowed)) and word.search(text)
        for number, line in enumerate(text.splitlines(), 1)
        if word.search(line)
    ]
    assert found == [], f"write: {better}"


def test_the_papers_name_of_the_prompts_effect_stands_once_per_page() -> None:
    for name in _files():
        if name.startswith("docs/") and name.endswith(".md"):
            assert len(re.findall(r"safety.tax", (ROOT / name).read_text(encoding="utf-8"), re.IGNORECASE)) <= 1, name


def test_old_words_are_in_no_file_name() -> None:
    words = "sheets?|quiz|noun|purse|guest|desk|said|told|door|latebound|shelves|poster"
    word = re.compile(rf"(^|[/_-])({words})([/._-]|$)")
    assert [name for name in _files() if word.search(name)] == []
