"""Every command in a code block of the README, the guides and the families' pages runs, and prints what the page shows,
numbers aside. A command that fails, fails the test, unless the page shows its error. Dear pages are long tests.

Models are answered by a server on loopback; the tutorial also runs with the embedded model itself (a long test)."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs.helping_model import reply
from tests.docs.pages import LANGUAGES, NOT_OUTPUT, NOT_RUN, PAGES, ROOT, SMALLER, blocks, commands, not_run, smaller
from tests.docs.shell import SERVER, run_command, shown_in
from tests.doubles.chat_server import ChatServer
from tests.families.novel.shelf import english_line
from tests.families.stock import released
from tests.small_demo import small_design

from longreach import api as verbs
from longreach.review_server import ReviewSession
from longreach.text.documents import built_in_documents

LONG = {
    "docs/chronicle-sample.md",
    "docs/decide.md",
    "docs/grounded.md",
    "docs/needles.md",
    "docs/novel.md",
    "docs/plan.md",
    "docs/serving.md",
    "docs/trace.md",
    "docs/tutorial.md",
    "docs/use.md",
    "docs/verbatim.md",
    "docs/ways.md",
    "docs/which-test.md",
    *(page for page in PAGES if page.startswith("src/")),
}
WITH_COMMANDS = [page for page in PAGES if any(block.language in ("sh", "python") for block in blocks(page))]


def _every_command() -> list[str]:
    return [
        command for page in PAGES for block in blocks(page) if block.language == "sh" for command in commands(block)
    ]


@pytest.mark.parametrize("page", PAGES)
def test_every_block_has_its_language_and_every_output_its_command(page: str) -> None:
    before = ""
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{page}: {block.text[:60]}"
        if block.language == "text" and not (page in NOT_OUTPUT and block.text.startswith(NOT_OUTPUT[page])):
            assert block.follows, f"{page}: no command directly above: {block.text[:60]}"
            assert before == "sh", f"{page}: no command directly above: {block.text[:60]}"
        before = block.language


def test_a_command_is_run_or_listed_with_its_reason() -> None:
    every = _every_command()
    assert len(every) > 100
    skipped = [command for command in every if not_run(command)]
    assert len(skipped) < len(every) / 5
    for pattern in NOT_RUN:
        assert any(re.fullmatch(pattern, command) for command in every), f"{pattern}: no page has such a command"
    scripts = [block.text for page in PAGES for block in blocks(page) if block.language == "python"]
    for large in SMALLER:
        assert any(large in command for command in (*every, *scripts)), f"{large}: no page has it"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in skipped:
        if command.startswith("make "):
            assert re.search(rf"^{command.split()[1]}:", makefile, re.MULTILINE), command
        if command.startswith("pytest "):
            assert (ROOT / command.split()[1]).exists(), command


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(reply) as running:
        yield running


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What pages take for granted: documents, a small benchmark, answers to it, files of a reader's own."""
    folder = tmp_path_factory.mktemp("workspace")
    documents = built_in_documents()
    for name, some in {"contracts": documents[90:118], "reports": documents[60:80]}.items():
        (folder / name).mkdir()
        for number, document in enumerate(some):
            (folder / name / f"{number}.txt").write_text(document.text, encoding="utf-8")
    (folder / "novels").mkdir()
    for number in range(3):
        text = "\n\n".join(document.text for document in documents[120 + 8 * number : 128 + 8 * number])
        (folder / "novels" / f"{number}.txt").write_text(text, encoding="utf-8")
    shutil.copy(ROOT / "LICENSE", folder)
    shutil.copytree(ROOT / "docs" / "examples", folder / "docs" / "examples", ignore=shutil.ignore_patterns("*.html"))
    kinds = {"plant": ("leek", "dill"), "part": ("bolt", "gear"), "fish": ("carp", "pike")}
    names = [(name, kind) for kind, some in kinds.items() for name in some]
    (folder / "parts.csv").write_text("entity,category\n" + "".join(f"{a},{b}\n" for a, b in names), encoding="utf-8")
    _lines(folder / "names-hf" / "train.jsonl", [{"title": a, "label": b} for a, b in names])
    _lines(folder / "reports-hf" / "test.jsonl", [{"report": document.text} for document in documents[60:64]])
    for file in ("2needle.parquet", "4needle.parquet"):
        released.mrcr(folder / file)
    released.own(folder / "own.jsonl")
    units = [english_line(f"Book {book}", unit, 0) for book in range(3) for unit in range(8)]
    _lines(folder / "units.jsonl", units)
    (folder / "tail.json").write_text(json.dumps(list(_tail_records())), encoding="utf-8")
    bench = verbs.build(
        *("needles", folder / "bench"),
        docs=str(folder / "contracts"),
        warn=print,
        lengths="300,450,4k,64k",
        depths="50",
        facts=2,
        questions=2,
        seed=7,
    )
    answers = [{"id": item, "text": "Question 1: nothing"} for item in bench.items]
    _lines(folder / "output.jsonl", answers)
    for name in ("runs", "old", "new", *(f"nights/night-{number}" for number in range(1, 11))):
        verbs.import_answers(bench, [folder / "output.jsonl"], "openai-api/docs/gpt-5-mini", folder / name)
    return folder


def _lines(file: Path, records: list[dict[str, str]]) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")


def _tail_records() -> Iterator[dict[str, object]]:
    text = built_in_documents()[3].text
    parts = [text[at : at + 1000].strip() for at in range(0, 12_000, 1000)]
    for depth, gold in ((10, parts[1]), (50, parts[6]), (90, parts[10])):
        options = {letter: f"Answer {letter} at {depth}" for letter in "ABCDEF"}
        question = {"question": f"What stands at {depth}?", "options": options, "answer": "C"}
        yield {
            "QA": question,
            "doc_index": 0,
            "depth": depth,
            "context": gold,
            "document_length": 3000,
            "whole_document": parts,
        }


@pytest.fixture
def here(workspace: Path, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the workspace to work in, with every model on loopback."""
    folder = tmp_path / "here"
    shutil.copytree(workspace, folder)
    monkeypatch.chdir(folder)
    settings = {
        SERVER: server.base_url,
        "DOCS_API_KEY": "none",
        "OPENAI_API_KEY": "none",
        "LOCAL_API_KEY": "none",
        "HF_HUB_OFFLINE": "1",
        "INSPECT_CACHE_DIR": str(tmp_path / "inspect"),
        "LONGREACH_CACHE": str(tmp_path / "cache"),
        "COLUMNS": "80",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return folder


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.long] if page in LONG else []) for page in WITH_COMMANDS]
)
def test_the_commands_of_a_page_run_and_print_what_it_shows(
    page: str, here: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longreach.demo.demo_design", small_design)
    _run_page(page, here, server)


@pytest.mark.long
def test_the_tutorial_runs_with_the_embedded_model(here: Path, server: ChatServer) -> None:
    _run_page("docs/tutorial.md", here, server, engine=True)


def _run_page(page: str, here: Path, server: ChatServer, *, engine: bool = False) -> None:
    every = list(blocks(page))
    typed = [command for block in every if block.language == "sh" for command in commands(block)]
    for made in re.findall(r"longreach (?:build|run|simulate) .* -o ([\w-]+)/", "\n".join(typed)):
        shutil.rmtree(here / made, ignore_errors=True)
    for block, after in zip(every, [*every[1:], None], strict=True):
        shown = after.text if after and after.language == "text" and after.follows else None
        if block.language == "yaml" and (name := re.match(r"# (\w+\.yaml)\n", block.text)):
            (here / name[1]).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            exec(_on_loopback(block.text, server), {})
        elif block.language == "sh":
            printed = ""
            for command in commands(block):
                if not_run(command):
                    _by_hand(command)
                    continue
                if earlier := re.match(
                    r"longreach compare old/ ([\w-]+)/", command
                ):  # the same benchmark, some time ago
                    shutil.rmtree(here / "old")
                    shutil.copytree(here / earlier[1], here / "old")
                code, output = run_command(command, engine=engine)
                if not engine and "demo/" in command and ("was asked no" in output or "length 250 was not" in output):
                    continue  # the demo, cut short, has neither this length nor always this type
                assert code in _expected(command, shown), f"{page}: {command}\nexit code {code}\n{output}"
                printed += output
            if shown is not None:
                missing = shown_in(shown, printed)
                assert not missing, f"{page} shows: {missing}\nprinted:\n{printed}"


def _expected(command: str, shown: str | None) -> tuple[int, ...]:
    """Exit codes that a page allows: an error that it shows, a gate whose outcome it leaves open."""
    if shown is not None and re.search(r"^longreach: ", shown, re.MULTILINE):
        return (2,)
    if command.startswith("longreach gate"):
        return (0, 1) if shown is None else (1,) if re.search(r"Exit 1|rules? failed", shown) else (0,)
    return (0,)


def _by_hand(command: str) -> None:
    """What a person does in a command that is not run: accept the first question on the review page."""
    if found := re.fullmatch(r"longreach review ([\w-]+)/(?: --sample \d+ --seed \d+ --reviewer (\w+))?", command):
        session = ReviewSession(Path(found[1]), found[2] or "")
        session.decide(json.dumps({"id": session.cards[0].id, "verdict": "accept"}).encode())


def _on_loopback(code: str, server: ChatServer) -> str:
    """A Python block with its model on loopback and folders of its own."""
    call = 'longreach.run(bench, "openai/gpt-5-mini", "runs/")'
    ours = f'longreach.run(bench, "openai-api/docs/m", "runs-py/", base_url="{server.base_url}")'
    return smaller(code).replace(call, ours).replace('"bench/"', '"bench-py/"').replace('"runs/"', '"runs-py/"')
