"""A key is planted in the environment of every command; then every byte that they wrote, said or showed is searched.

These tests run one at a time, in one file: one watches the command lines of all processes, another puts a key on one.
"""

from __future__ import annotations

import contextlib
import html
import json
import os
import subprocess
import sys
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.command_line import call
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.families.grounded.helping_model import answer

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.errors import keep_secret, names_a_secret, one_line, without_secrets
from longreach.models.providers import check_address

LONGREACH = Path(sys.executable).with_name("longreach")
KEY = "sk-planted-4f7Qz9LxR2tYw8"
OTHER = "hf_planted_Zx81kQm3"


def _raw(**parts: object) -> Reply:
    """An answer some of whose parts are not as usual."""
    whole = json.loads(Reply("Question 1: no").body())
    return Reply(raw=json.dumps(whole | parts).encode())


def _said(**message: object) -> Reply:
    return Reply("Question 1: no", message=message)


def _call(name: str, arguments: str) -> dict[str, object]:
    return {"id": f"call-{KEY}", "type": "function", "function": {"name": name, "arguments": arguments}}


REPEATED: dict[str, Reply] = {
    "in an answer": Reply(f"Question 1: the key is {KEY}", headers={"x-request-key": KEY}),
    "twice in an answer": Reply(f"{KEY}{KEY} and {OTHER}"),
    "in a list of parts": _said(content=[{"type": "text", "text": f"Question 1: {KEY}"}]),
    "over two parts": _said(content=[{"type": "text", "text": KEY[:9]}, {"type": "text", "text": KEY[9:]}]),
    "in reasoning": _said(reasoning_content=f"I was given {KEY}."),
    "in reasoning under another name": _said(reasoning=f"I was given {KEY}."),
    "in thoughts inside the answer": Reply(f"<think>{KEY}</think>Question 1: no"),
    "in a refusal": _said(content=None, refusal=f"I will not use {KEY}"),
    "in a tool call": _said(content="", tool_calls=[_call(f"use_{KEY}", json.dumps({"key": KEY}))]),
    "in a broken tool call": _said(content="", tool_calls=[_call("use", f"{{{KEY}")]),
    "as the model's name": _raw(model=KEY),
    "as the reply's id": _raw(id=KEY, system_fingerprint=KEY),
    "in usage": _raw(
        usage={"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10, "key": KEY, "cost_details": {KEY: KEY}}
    ),
    "in an unknown part": _raw(debug={"headers": {"authorization": f"Bearer {KEY}"}}),
    "cut off": Reply(f"Question 1: {KEY}", finish="length"),
    "filtered": Reply(f"{KEY}", finish="content_filter"),
    "in an overflow": Reply(f"maximum context length is 10 tokens, {KEY}", status=400),
    "in a bad request": Reply(raw=f'{{"error": {{"message": "{KEY}", "headers": "{KEY}"}}}}'.encode(), status=400),
    "in a server error": Reply(f"Incorrect header: {KEY}. Find yours at {KEY[:8]}.", status=500),
    "in an error with 200": Reply(raw=f'{{"error": {{"message": "{KEY}", "code": "{KEY}"}}}}'.encode()),
    "in a redirect": Reply(status=307, headers={"location": f"/{KEY}"}),
    "in a page": Reply(raw=f"<html>{KEY}</html>".encode(), headers={"content-type": "text/html"}),
    "in broken JSON": Reply(raw=f'{{"choices": "{KEY}'.encode()),
}
"""Every place of a reply in which a server may repeat the key it was sent."""
RETRIED = {"in a server error", "in an error with 200", "in a page", "in broken JSON"}


class _Telltale:
    """Repeats the key in one way per prompt, each way in turn; counts how often each was served."""

    def __init__(self) -> None:
        self.served: Counter[str] = Counter()
        self._ways: dict[str, str] = {}
        self._lock = threading.Lock()

    def __call__(self, asked: Asked) -> Reply:
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        with self._lock:
            # The judge is asked again after a fault, with a wait each time.
            names = [name for name in REPEATED if asked.body["model"] != "judge" or name not in RETRIED]
            way = self._ways.setdefault(asked.sha256, names[len(self._ways) % len(names)])
            self.served[way] += 1
        return REPEATED[way]


class _Watch:
    """The command lines of the processes that this one started, as any user of the machine can list them."""

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.is_set():
            lines, parents = {}, {}
            for path in Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError):
                    lines[path.name] = (path / "cmdline").read_bytes()
                    parents[path.name] = (path / "stat").read_text().rpartition(")")[2].split()[1]
            for process, line in lines.items():
                parent = parents.get(process)
                while parent and parent != str(os.getpid()):
                    parent = parents.get(parent)
                if parent:
                    self.seen.add(line)
            time.sleep(0.2)


class _Home:
    """A user with all folders in one place, so that all they write can be searched."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: list[str] = []
        caches = ("LONGREACH_CACHE", "INSPECT_CACHE_DIR", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
        names = ("HOME", "TMPDIR", *caches)
        self.environment = {name: str(folder / name.lower()) for name in names}
        for path in self.environment.values():
            Path(path).mkdir(parents=True)

    def keys(self) -> dict[str, str]:
        return self.environment | {"LOCAL_API_KEY": KEY, "OPENAI_API_KEY": KEY, "HF_TOKEN": OTHER}

    def inside(self, *arguments: object, code: int = 2) -> str:
        """What a command says that sends nothing, in this process."""
        with contextlib.chdir(self.folder):
            done = call([str(argument) for argument in arguments], self.keys())
        self.said += [done.out, done.err]
        assert done.code == code, done.err
        assert "Traceback" not in done.err, done.err
        return done.err

    def longreach(self, *arguments: object, codes: tuple[int, ...] = (0,)) -> str:
        command = [str(LONGREACH), *map(str, arguments)]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=os.environ | self.keys(),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        self.said += [done.stdout, done.stderr]
        assert done.returncode in codes, done.stdout + done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout + done.stderr

    def written(self) -> Iterator[tuple[str, bytes]]:
        """Every file by name, archives also by what they hold."""
        import inspect_ai._util.zipfile  # noqa: F401  (logs are packed by a method that older Pythons have not)

        for path in self.folder.rglob("*"):
            if path.is_file():
                yield str(path), path.read_bytes()
                if zipfile.is_zipfile(path):
                    with zipfile.ZipFile(path) as archive:
                        for name in archive.namelist():
                            yield f"{path}!{name}", archive.read(name)

    def leaks(self) -> list[str]:
        found = [name for name, data in self.written() for key in (KEY, OTHER) if key.encode() in data or key in name]
        return found + [f"said: {one}" for one in self.said for key in (KEY, OTHER) if key in one]


@pytest.fixture
def home(tmp_path: Path) -> _Home:
    return _Home(tmp_path / "user")


@pytest.mark.long
def test_a_server_that_repeats_the_key_leaves_it_nowhere(home: _Home, docs: Path) -> None:
    model = "openai-api/local/double"
    settings: dict[str, Any] = {"docs": [str(docs)], "lengths": "500", "depths": "50", "ask": "each", "facts": 4}
    needles = verbs.build("needles", home.folder / "bench", **settings)
    assert len(needles.items) >= len(REPEATED), "fewer requests than ways to repeat a key"
    telltale = _Telltale()
    with ChatServer(telltale) as server, _Watch() as watch:
        reach = ("--base-url", server.base_url)
        done = home.longreach(
            "run", needles.folder, "-m", model, *reach, "-o", "runs", "-y", "--set", "max_retries=0", codes=(3,)
        )
        assert f"{len(needles.items)} of {len(needles.items)} items sent" in done
        home.longreach("grade", "runs", "--judge", "openai-api/local/judge", "--by", "judge", *reach)
        home.inside("report", "runs", "-o", "page.html", code=0)
        assert set(telltale.served) == set(REPEATED), "a way to repeat the key was not met"
    searched = list(home.written())
    assert any(name.endswith(".eval!header.json") for name, _ in searched)
    assert any(name.endswith("page.html") for name, _ in searched)
    assert any(b"[key]" in data for _, data in searched), "no answer held the key, so nothing was tested"
    assert home.leaks() == []
    assert any(b"longreach\0run\0" in line for line in watch.seen)
    assert not any(key.encode() in line for line in watch.seen for key in (KEY, OTHER))


@pytest.mark.long
def test_a_build_with_models_leaves_the_key_nowhere(home: _Home, docs: Path) -> None:
    """One build that goes well, and one whose server refuses the key aloud."""

    def helping(asked: Asked) -> Reply:
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        return answer(asked)

    settings = ("--docs", docs, "--lengths", "1k", "--depths", "20,80", "--set", "passage_words=100")
    models = ("--builder", "openai-api/local/builder", "--checker", "openai-api/local/checker")
    with ChatServer(helping) as server:
        home.longreach("build", "grounded", *settings, *models, "--base-url", server.base_url, "-o", "good")
    with ChatServer(lambda _: Reply(f"Bearer {KEY} is wrong", status=401)) as server:
        models = ("--builder", "openai-api/local/other", "--checker", "openai-api/local/checker")
        told = home.longreach(
            "build", "grounded", *settings, *models, "--base-url", server.base_url, "-o", "bad", codes=(3,)
        )
    assert "[key]" in told
    assert any("good/build.json" in name for name, _ in home.written())
    assert home.leaks() == []


def test_a_key_on_the_command_line_is_refused_and_not_repeated(home: _Home, needles: Bench) -> None:
    """By then others have seen it; what is written must not show it to more of them."""
    command = ("run", needles.folder, "-m", "openai-api/local/x", "-o", "runs", "-y")
    assert "in the environment" in home.inside(*command, "-M", f"api_key={KEY}")
    assert "in the environment" in home.inside(*command, "--base-url", f"http://me:{KEY}@127.0.0.1:9/v1")
    assert home.leaks() == []


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "hf_token", "api-key", "AWS_SECRET", "password", "GOOGLE_CREDENTIALS"]
)
def test_names_of_secrets(name: str) -> None:
    assert names_a_secret(name)


@pytest.mark.parametrize("name", ["n_ctx", "keyboard", "max_tokens_out", "tokenizer", "PATH"])
def test_names_of_other_things(name: str) -> None:
    assert not names_a_secret(name)


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": lambda key: key,
    "stripped": lambda key: key.strip(),
    "repr": repr,
    "repr of bytes": lambda key: repr(key.encode()),
    "JSON": json.dumps,
    "JSON in JSON": lambda key: json.dumps(json.dumps({"authorization": f"Bearer {key}"})),
    "an exception in JSON": lambda key: json.dumps(repr(ValueError(f"Illegal header value b'Bearer {key}'"))),
    "repr of a header": lambda key: str({"Authorization": f"Bearer {key}"}),
    "URL": lambda key: quote(key, safe=""),
    "HTML": html.escape,
}


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=9, max_size=40),
    st.sampled_from(sorted(FORMS)),
)
def test_a_key_is_hidden_in_every_form_that_programs_quote_it_in(core: str, form: str) -> None:
    key = f"Zq9{core}x7Y\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOME_API_KEY", key)
        shown = without_secrets(f"before {FORMS[form](key)} after")
    for left in (core, FORMS[form](core)[1:-1], FORMS[form](key.strip())[1:-1]):
        assert left not in shown.replace("before", "").replace("after", "") or len(left) < 9


def test_a_key_is_hidden_wherever_a_text_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A prefix of eight characters or more counts as the key: redacted text holds no longer part of its beginning."""
    monkeypatch.setenv("SOME_API_KEY", KEY)
    text = f"{'x' * 50}{KEY}"
    for end in range(len(text) + 1):
        assert KEY[:8] not in without_secrets(text[:end])
        assert KEY[:8] not in one_line(text, end + 2)
    monkeypatch.setenv("SOME_CREDENTIALS", "/home/somebody/account.json")
    kept = "/home/somebody/bench: no such folder"
    assert without_secrets(kept) == kept, "a path is no secret in parts"


@pytest.mark.parametrize("end", ["\n", "\r\n", " ", "\r"])
def test_a_key_read_from_a_file_is_sent_without_its_line_break(
    end: str, needles: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", f"{KEY}{end}")
    with ChatServer() as server:
        result = verbs.run(needles, "openai-api/local/x", tmp_path / "runs", base_url=server.base_url, max_retries=0)
    assert result.failed == 0
    assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {KEY}"}


def test_a_key_with_a_line_break_inside_is_refused_before_anything_is_sent(
    home: _Home, needles: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "KEY", "sk-first-line-0123\nsk-second-line-4567")
    with ChatServer() as server:
        command = ("run", needles.folder, "-m", "openai-api/local/x", "-o", "runs", "--base-url", server.base_url, "-y")
        assert "control character" in home.inside(*command)
    assert server.asked == []
    assert not any("second-line" in said for said in home.said)
    assert not (home.folder / "runs").exists()


IN_ADDRESS = (
    *(f"?{name}={{}}" for name in ("api_key", "key", "code", "sig", "subscription-key", "token", "x")),
    "#{}",
    "/{}/v1",
)


@pytest.mark.parametrize("place", IN_ADDRESS)
def test_a_key_in_an_address_is_refused(home: _Home, needles: Bench, place: str) -> None:
    command = ("run", needles.folder, "-m", "openai-api/local/x", "-o", "runs", "-y", "--base-url")
    assert "in the environment" in home.inside(*command, f"http://127.0.0.1:9/v1{place.format(KEY)}")
    assert home.leaks() == []
    assert not (home.folder / "runs").exists()


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:9/v1",
        "https://name.example/openai/deployments/gpt-4o-mini-2024-07-18?api-version=2024-10-21",
        "https://gateway.example/v1/0123456789abcdef0123456789abcdef/DeepSeek-R1-Distill-Qwen-32B/openai",
        "https://h.example/550e8400-e29b-41d4-a716-446655440000/v1",
    ],
)
def test_ordinary_addresses_are_accepted(address: str) -> None:
    check_address(address)


def test_a_key_in_headers_is_refused_on_the_command_line_and_hidden_from_a_program(
    home: _Home, needles: Bench, tmp_path: Path
) -> None:
    command = ("run", needles.folder, "-m", "openai-api/local/x", "-o", "runs", "-y")
    for argument in (
        f"default_headers={{Authorization: Bearer {KEY}}}",
        f"default_headers={{x-who: {KEY}}}",
        f"x={KEY}",
    ):
        assert "in the environment" in home.inside(*command, "-M", argument)
    assert home.leaks() == []
    other = "Nq8-given-by-a-program-only"
    say = lambda _: Reply(f"you sent {other}", status=400)  # noqa: E731
    with ChatServer(say) as server:
        headers = {"default_headers": {"x-access": other}, "api_key": KEY}
        model = "openai-api/local/x"
        verbs.run(needles, model, tmp_path / "runs", base_url=server.base_url, arguments=headers, max_retries=0)
    assert all(asked.headers["x-access"] == other for asked in server.asked)
    for path in (tmp_path / "runs").rglob("*"):
        assert not path.is_file() or other.encode() not in path.read_bytes(), path


def test_what_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    monkeypatch.setenv("SHORT_KEY", "none")
    assert one_line(f"bad\nkey {KEY}, none") == "bad key [key], none"
    assert without_secrets("x" + KEY * 2) == "x[key][key]"
    keep_secret("given-in-a-program")
    assert without_secrets("given-in-a-program") == "[key]"
    keep_secret("")
    keep_secret(None)
    assert without_secrets("plain") == "plain"
