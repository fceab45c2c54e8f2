"""Every command in a code block of the README and the guides runs, and prints what the page shows, numbers aside.

Models are answered by a server on loopback, except the embedded model in the tutorial's demo. Commands that download
books or datasets are checked as far as their settings go.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.doubles.chat_server import ChatServer, Reply

from longreach import api as verbs
from longreach.cli import cli
from longreach.errors import LongreachError
from longreach.families.building import make_spec
from longreach.text.haystack import built_in_documents

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", *(f"docs/{name}.md" for name in ("tutorial", "use", "plan", "needles", "judging", "ci", "page"))]
SMALLER = {"--window 128k": "--window 8k"}
"""Sizes that only cost time."""
NO_NETWORK = ("gutenberg:", "hf:")
ELSEWHERE = ("pip ", ". .venv", "inspect eval", "python -m ")
"""Tested in test_install.py and tests/e2e."""


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(lambda _: Reply()) as running:
        yield running


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders that pages take for granted: documents, a benchmark, runs."""
    folder = tmp_path_factory.mktemp("workspace")
    (folder / "contracts").mkdir()
    for number, document in enumerate(built_in_documents()[90:104]):
        (folder / "contracts" / f"{number}.txt").write_text(document.text, encoding="utf-8")
    shutil.copy(ROOT / "LICENSE", folder)
    shutil.copytree(ROOT / "docs" / "examples", folder / "docs" / "examples", ignore=shutil.ignore_patterns("*.html"))
    settings: dict[str, Any] = {"lengths": "300,450,4k,64k", "depths": "50", "facts": 2, "questions": 2, "seed": 7}
    bench = verbs.build("needles", folder / "bench", docs=str(folder / "contracts"), warn=print, **settings)
    answers = folder / "output.jsonl"
    lines = [json.dumps({"id": item, "text": "Question 1: nothing"}) for item in bench.items]
    answers.write_text("\n".join(lines), encoding="utf-8")
    for name in ("runs", "old", "new"):
        verbs.import_answers(bench, [answers], "gpt-5-mini", folder / name)
    return folder


def _blocks(page: str) -> Iterator[tuple[str, str]]:
    text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ")
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE):
        yield match[1], match[2]


def _is_output(block: str) -> bool:
    first = block.split("\n", 1)[0]
    return not first.startswith(("longreach ", "make ", "export ", "#", *ELSEWHERE))


@pytest.mark.xdist_group("engine")
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run_and_print_what_it_shows(
    page: str, workspace: Path, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    shutil.copytree(workspace, here)
    for made in re.findall(
        r"-o (\w[\w-]*)/", "".join(block for _, block in _blocks(page) if "longreach build" in block)
    ):
        shutil.rmtree(here / made, ignore_errors=True)
    monkeypatch.chdir(here)
    monkeypatch.setenv("DOCS_API_KEY", "none")
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("LONGREACH_CACHE", str(tmp_path / "longreach"))
    printed, ran = "", 0
    for language, block in _blocks(page):
        if language == "yaml":
            if name := re.match(r"# (\w+\.yaml)\n", block):
                (here / name[1]).write_text(block, encoding="utf-8")
        elif language == "python":
            exec(_with_server(block, server), {})
        elif language:
            continue
        elif _is_output(block):
            for line in block.splitlines():
                assert line == "..." or _shape(line) in map(_shape, printed.splitlines()), f"{page}: {line}\n{printed}"
        else:
            printed = ""
            for line in block.splitlines():
                printed += _run(re.sub(r"\s+# .*$", "", line.strip()), server, monkeypatch)
                ran += line.startswith("longreach")
    assert ran or page == "docs/index.md"


def _run(line: str, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run one line as a shell would; what it prints."""
    if not line or line.startswith("#"):
        return ""
    if line.startswith("make "):
        assert re.search(rf"^{line.split()[1]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE), line
        return ""
    if line.startswith("export "):
        monkeypatch.setenv(*line.removeprefix("export ").split("=", 1))
        return ""
    if line.startswith("python -m "):
        assert find_spec(line.split()[2])
        return ""
    if line.startswith(ELSEWHERE):
        return ""
    assert line.startswith("longreach "), line
    for large, small in SMALLER.items():
        line = line.replace(large, small)
    words = shlex.split(line)[1:]
    if any(source in line for source in NO_NETWORK):
        pairs = dict(zip(words[2::2], words[3::2], strict=True))
        pairs.pop("-o")
        make_spec(words[1], {flag[2:].replace("-", "_"): value for flag, value in pairs.items() if flag != "--docs"})
        return ""
    if words[0] == "demo":
        words += ["--minutes", "0.01", "--no-browser"]
    words = _reachable(words, server)
    done = CliRunner().invoke(cli, words, catch_exceptions=True)
    if isinstance(done.exception, LongreachError):
        return f"longreach: {done.exception}\n"
    assert done.exit_code in ((0, 1) if words[0] == "gate" else (0,)), f"{line}\n{done.output}\n{done.exception!r}"
    return done.output.replace("openai-api/docs/", "")


def _reachable(words: list[str], server: ChatServer) -> list[str]:
    """The command with its model on the loopback server."""
    if words[0] not in ("run", "grade", "judge-audit"):
        return words
    flag = "-m" if words[0] == "run" else "--judge"
    if flag not in words:
        return words
    at = words.index(flag) + 1
    words[at] = f"openai-api/docs/{words[at].rpartition('/')[2]}"
    if "--base-url" in words:
        words[words.index("--base-url") + 1] = server.base_url
    else:
        words += ["--base-url", server.base_url]
    return [*words, "--yes", "--price", "1,0.1,2"] if words[0] == "run" else words


def _with_server(code: str, server: ChatServer) -> str:
    return (
        code.replace(
            'longreach.run(bench, "openai/gpt-5-mini", "runs/")',
            f'longreach.run(bench, "openai-api/docs/m", "runs-py/", base_url="{server.base_url}")',
        )
        .replace('"bench/"', '"bench-py/"')
        .replace('"runs/"', '"runs-py/"')
    )


def _shape(line: str) -> str:
    """A line with every number, digest and run of spaces made equal."""
    line = re.sub(r"\b[0-9a-f]{12}\b", "#", line)
    return " ".join(re.sub(r"[$−+-]?\d[\d.,]*\d*[kM]?", "#", line).split())
