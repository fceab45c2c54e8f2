"""Code blocks of the documentation: which are commands, which are output, and which commands a test cannot run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in (
        *(ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SKILL.md"),
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "src/longreach/families").glob("*/README.md")),
    )
]
LANGUAGES = {"sh", "text", "python", "yaml", "toml", "json"}
NOT_OUTPUT = {
    "docs/add-a-family.md": ("examples/counting/",),
    "docs/how-it-works.md": ("documents ─ build", "A document's way"),
}
"""Pages with `text` blocks that are drawings, and how each begins. Every other one is the output of the block above."""

NOT_RUN = {
    r"make \w[\w-]*": "sets up an environment or runs every test; the target must exist",
    r"\. \.venv/bin/activate": "part of the installation",
    r"pip install .*": "test_install.py checks every package name",
    r"longreach build needles .* --docs gutenberg:balzac38 .*": "downloads 38 novels",
    r"longreach build verbatim .* --docs hf:ccdv/.* -o paper/": "downloads a dataset",
    r"longreach grade .* --embedder openai:.*": "calls an embedder; test_verbatim_build.py has one on loopback",
    r"longreach build stock \w+ hf:.*": "downloads a dataset",
    r"longreach review [\w-]+/( --sample .*)?": "serves a page until it is interrupted; a decision is written instead",
    r"longreach paper .* -m openai/.*": "takes minutes; tests/cli/test_paper.py runs papers on loopback",
    r"longreach probe .*": "asks a server for minutes; tests/runner/test_probe.py has servers",
    r"longreach run .* --ray auto .*": "needs a Ray cluster; tests/e2e/test_ray.py runs it on one",
    r"(vllm serve|python -m (vllm|sglang)).*": "needs a GPU; tests/e2e/test_routers.py starts the routers",
    r"longreach (build|check) counting.*": "needs the example; test_counting_package.py installs it and runs it",
    r"pytest (tests|examples)/.*": "is a test; the file must exist",
    r"python -m benchmarks\..*": "takes minutes or hours; make bench runs the quick ones",
}
"""Commands that no test runs, with the reason."""

SMALLER = {
    "decide contracts/ --at 60k ": "decide contracts/ --at 2k ",
    "decide contracts/ --at 32k ": "decide contracts/ --at 2k ",
    "-o real/ --ways whole,passages:20 --budget 1usd": "-o real/ --budget 50usd",
    "run paper/ -m openai/gpt-5-mini -o runs/ --budget 5usd": "run paper/ -m openai/gpt-5-mini -o runs/ --budget 50usd",
    "--lengths 8k,32k --set ask=each --prompts standard ": (
        "--lengths 1k,2k --set ask=each --prompts standard --contexts 2 "
    ),
    "-o real/ --ways whole,passages:20 ": "-o real/ ",
    "--lengths 8k,32k,64k,128k --depths 0..100/10": "--lengths 1k,2k --depths 0..100/50",
    'lengths="8k,32k,64k,128k", depths="0..100/10"': 'lengths="1k,2k", depths="0..100/50"',
    "--set unit=128 --sizes S --books 10 --per-class 40 ": "--set unit=128 --sizes S --books 4 --per-class 4 ",
    "--set unit=128 --sizes S --books 10 --per-class 10 ": "--set unit=128 --sizes S --books 4 --per-class 4 ",
    "--docs contracts/ --seed 7 -o bench/": "--docs contracts/ --seed 7 --lengths 1k,2k --contexts 3 -o bench/",
    "build trace --lengths 2k,4k,8k -o bench/": "build trace --lengths 2k,4k,8k --worlds 1 -o bench/",
    "--limit 100 --set bins=64k,128k": "--limit 6",
    "--per-class 200": "--per-class 6",
    "--books 20": "--books 6",
    "--lengths 1k,2k,4k,8k,16k,32k,64k,128k --depths 10..100/10": "--lengths 300,450 --depths 20,80",
    "longreach build novel --preset paper ": "longreach build novel --preset paper --sizes S --per-class 2 --books 2 ",
    "longreach build novel --set language=zh --sizes S,M,L --per-class 24 ": (
        "longreach build novel --set language=zh --sizes S,M --per-class 4 "
    ),
}
"""Settings that only cost time, and what a test uses instead."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    text: str
    follows: bool
    """Only blank lines stand between it and the block before."""


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    end = 0
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE):
        yield Block(match[1], match[2], end > 0 and not text[end : match.start()].strip())
        end = match.end()


def commands(block: Block) -> Iterator[str]:
    """The commands of a shell block, without comments, one per line."""
    for line in block.text.replace("\\\n", " ").splitlines():
        command = " ".join(re.sub(r"(^|\s)#.*$", "", line).split(" ")).strip()
        if command:
            yield command


def not_run(command: str) -> str:
    """Why a command is not run; empty if it is."""
    return next((reason for pattern, reason in NOT_RUN.items() if re.fullmatch(pattern, command)), "")


def smaller(text: str) -> str:
    """A command or a script with settings that cost less time."""
    for large, small in SMALLER.items():
        text = text.replace(large, small)
    return text
