"""Command lines, servers and files that misbehave: one line, no key, no hang."""

from __future__ import annotations

import base64
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.answering import answer, answering
from tests.command_line import call
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.trust.fuzz.entries import SMALL
from tests.trust.talking import MODEL

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.errors import BenchChanged, without_secrets
from longreach.models.engine import EngineProxy
from longreach.runner.logs import collect_calls

PASSWORD = "hunter2x"
SECRET = "sk-proj-4f7Qz9LxR2tYw8aB3"


@pytest.mark.parametrize(
    "address",
    [
        "http://user:{}@127.0.0.1:99999999",
        "http://user:{}@127.0.0.1:port/v1",
        "user:{}@127.0.0.1:8080/v1",
        "http//user:{}@127.0.0.1/v1",
        "ftp://user:{}@127.0.0.1/v1",
        "http://[user:{}@::1/v1",
        "http://127.0.0.1:99999999/v1?key={}",
        "127.0.0.1/v1#{}",
        "http://user:a@{}@127.0.0.1:1/v1",
    ],
)
@pytest.mark.parametrize("secret", [PASSWORD, "pw9", SECRET])
def test_no_address_that_is_refused_is_printed_with_its_password(
    needles: Bench, tmp_path: Path, address: str, secret: str
) -> None:
    for verb in ("run", "build"):
        what = f"run {needles.folder} -m {MODEL} --yes" if verb == "run" else "build grounded --writer openai-api/x/y"
        done = call(f"{what} -o {tmp_path / 'out'} --base-url {address.format(secret)}")
        assert done.code == 2
        assert secret not in done.err + done.out, done.err
        assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["-M", SECRET],
        ["-G", SECRET],
        ["--price", SECRET],
        ["-M", f"x {SECRET}"],
        ["--budget", SECRET],
        ["--oops", SECRET],
    ],
)
def test_no_word_that_looks_like_a_key_is_quoted(needles: Bench, tmp_path: Path, arguments: list[str]) -> None:
    done = call(["run", str(needles.folder), "-m", MODEL, "-o", str(tmp_path / "runs"), *arguments])
    assert done.code == 2
    assert SECRET[:12] not in done.err + done.out


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "http_proxy", "ALL_PROXY"])
def test_what_is_sent_to_a_proxy_is_hidden(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, f"http://me:{PASSWORD}%40@proxy:3128")
    sent = base64.b64encode(f"me:{PASSWORD}@".encode()).decode()
    for echoed in (f"Proxy-Authorization: Basic {sent}", f"bad password {PASSWORD}@", f"me:{PASSWORD}%40"):
        assert PASSWORD not in without_secrets(echoed)
        assert sent not in without_secrets(echoed)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--base-url", "http://127.0.0.1:1/v1", "--base-url", "http://127.0.0.1:2/v1"], "--base-url is given twice"),
        (["--budget", "5usd", "--budget", "5usd"], "--budget is given twice"),
        (["--concurrency=1", "--concurrency", "2", "--concurrency=3"], "--concurrency is given 3 times"),
    ],
)
def test_an_option_with_one_value_takes_no_second(
    needles: Bench, tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = call(["run", str(needles.folder), "-m", MODEL, "-o", str(tmp_path / "runs"), *arguments])
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert f"{said}; give it once" in done.err


@pytest.mark.parametrize("verb", ["run", "build", "report", "import", "export"])
def test_no_path_with_a_line_break_is_written_or_printed(needles: Bench, runs: Path, tmp_path: Path, verb: str) -> None:
    bad = f"{tmp_path}/a\nlongreach: all is well"
    first = {
        "run": ["run", str(needles.folder), "-m", MODEL],
        "build": ["build", "needles", "--lengths", "300"],
        "report": ["report", str(runs)],
        "import": ["import", str(needles.folder), "x.jsonl", "-m", "m"],
        "export": ["export", str(needles.folder), "--to", "openai-batch"],
    }
    done = call([*first[verb], "-o", bad])
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("spelt", [f" {MODEL}", f"{MODEL} ", f"{MODEL}\t"])
def test_white_space_around_a_name_makes_no_other_model(needles: Bench, tmp_path: Path, spelt: str) -> None:
    with ChatServer(answering(needles)) as server:
        call(["run", str(needles.folder), "-m", spelt, "-o", str(tmp_path), "--yes", "--base-url", server.base_url])
    assert {each.model for each in collect_calls(tmp_path)} <= {MODEL}


def test_a_socks_proxy_that_cannot_be_used_is_named(needles: Bench, tmp_path: Path) -> None:
    done = call(
        f"run {needles.folder} -m {MODEL} -o {tmp_path / 'runs'} --yes --base-url http://127.0.0.1:9/v1",
        {"ALL_PROXY": "socks5://127.0.0.1:9"},
    )
    assert done.code == 2
    assert "SOCKS proxy" in done.err
    assert "pip install 'httpx[socks]'" in done.err


@pytest.mark.parametrize(
    "rule",
    [
        "needles.literal[prompt=a,prompt=b] > 0.5",
        "needles.literal@400[length=500] > 0.5",
        "needles.literal[length=400]@500 > 0.5",
    ],
)
def test_a_rule_says_nothing_twice(runs: Path, rule: str) -> None:
    done = call(["gate", str(runs), "--require", rule])
    assert done.code == 2
    assert "is given twice, as " in done.err


def test_a_rule_pools_no_two_benchmarks(runs: Path, docs: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(runs, tmp_path / "runs"))
    other = verbs.build("needles", tmp_path / "other", docs=[str(docs)], **(SMALL["needles"] | {"seed": 99}))
    with ChatServer(answering(other)) as server:
        verbs.run(other, MODEL, folder, base_url=server.base_url)
    assert call(f"gate {folder} --require 'needles.literal > 0.1' --model right").code == 0, "each model has one"
    answers = tmp_path / "answers.jsonl"
    lines = [{"id": item.id, "text": answer(other, item)} for item in other.items.values()]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    verbs.import_answers(other, [answers], "right", folder)
    done = call(f"gate {folder} --require 'needles.literal > 0.1' --model right")
    assert done.code == 2
    assert "would pool 2 benchmarks" in done.err


@pytest.mark.parametrize(
    ("reply", "said", "code"),
    [
        (Reply("", finish="content_filter"), "refused", 1),
        (Reply(""), "empty answer", 1),
        (Reply(None, message={"refusal": "I will not."}), "refused", 1),  # type: ignore[arg-type]
        (Reply("Question 1: no"), "", 0),
    ],
)
def test_a_model_that_answers_nothing_at_all_is_an_answer_no(
    needles: Bench, tmp_path: Path, reply: Reply, said: str, code: int
) -> None:
    command = f"run {needles.folder} -m {MODEL} -o {tmp_path / 'runs'} --yes --base-url "
    with ChatServer(lambda _: reply) as server:
        first, again = call(command + server.base_url), call(command + server.base_url)
    for done in (first, again):
        assert done.code == code, done.err
        line = f"{MODEL}: no answer has anything to grade: {len(needles.items)} {said}"
        assert (done.out.splitlines()[0] == line) is bool(said)
    with ChatServer(answering(needles)) as server:  # one answer is enough
        server_runs = tmp_path / "mixed"
        assert call(f"run {needles.folder} -m {MODEL} -o {server_runs} --yes --base-url {server.base_url}").code == 0


REWRITE = """
import sys
from pathlib import Path
from tests.doubles.chat_server import ChatServer, Reply
from tests.command_line import call

folder, runs, how = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
asked = 0

def say(_):
    global asked
    asked += 1
    if asked == 2:
        path = folder / "corpus.txt"
        if how == "shorter":
            path.open("r+b").truncate(10)
        elif how == "rewritten":
            path.write_bytes(b"x" * 10)
        else:
            path.write_bytes(path.read_bytes()[::-1])
    return Reply("Question 1: no")

with ChatServer(say) as server:
    done = call(f"run {folder} -m openai-api/local/double -o {runs} --yes --concurrency 1 --base-url {server.base_url}")
print(done.err)
sys.exit(done.code)
"""


@pytest.mark.parametrize(
    "how", ["shorter", *(pytest.param(each, marks=pytest.mark.long) for each in ("rewritten", "other text"))]
)
def test_a_corpus_that_changes_during_a_run_is_one_line(needles: Bench, tmp_path: Path, how: str) -> None:
    """Reading behind the end of a file that became shorter would kill the process with SIGBUS."""
    folder = shutil.copytree(needles.folder, tmp_path / "bench")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "LOCAL_API_KEY": "x"}
    command = [sys.executable, "-c", REWRITE, str(folder), str(tmp_path / "runs"), how]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, check=False)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "corpus.txt was changed while it was read; restore the benchmark" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_corpus_that_changes_is_never_read(needles: Bench, tmp_path: Path) -> None:
    bench = Bench.open(Path(shutil.copytree(needles.folder, tmp_path / "bench")))
    assert bench.corpus.read(0, 10)
    (bench.folder / "corpus.txt").open("r+b").truncate(0)
    with pytest.raises(BenchChanged, match="was changed while it was read"):
        bench.corpus.read(0, 10)


class SlowEngine:
    """An engine that answers when it is told to, and knows when it is hung up on."""

    def __init__(self) -> None:
        self.key = "k" * 20
        self.hung_up = threading.Event()
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._server.accept()
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        said = connection.recv(65536)
        while b"}" not in said:  # headers and body may come apart
            said += connection.recv(65536)
        if b"quick" in said:
            body = b'{"quick": true}'
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            return
        while connection.recv(65536):
            pass
        self.hung_up.set()


@pytest.fixture
def proxy() -> Iterator[tuple[EngineProxy, SlowEngine]]:
    engine: Any = SlowEngine()
    with EngineProxy(engine, 0) as started:
        threading.Thread(target=started.serve_forever, args=(0.02,), daemon=True).start()
        yield started, engine
        started.shutdown()


def post(proxy: EngineProxy, what: str) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection("127.0.0.1", proxy.server_port, timeout=30)
    headers = {"Authorization": f"Bearer {'k' * 20}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/chat/completions", json.dumps({"what": what}).encode(), headers)
    return connection


def test_the_engine_stops_when_its_client_hangs_up(proxy: tuple[EngineProxy, SlowEngine]) -> None:
    started, engine = proxy
    waiting = post(started, "slow")
    assert not engine.hung_up.wait(0.5), "while the client waits, so does the engine"
    waiting.close()
    assert engine.hung_up.wait(20)
    answered = post(started, "quick").getresponse()
    assert json.loads(answered.read()) == {"quick": True}


@pytest.mark.parametrize("path", ["/v1/é", "/v1/\x01", "/v1/%C3%A9é", "/é"])
def test_a_path_that_is_no_address_is_refused_in_one_line(
    proxy: tuple[EngineProxy, SlowEngine], path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_connection(("127.0.0.1", proxy[0].server_port), timeout=20) as raw:
        host = f"127.0.0.1:{proxy[0].server_port}"
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {'k' * 20}\r\n\r\n".encode())
        assert raw.recv(100).startswith(b"HTTP/1.1 400 ")
    assert "Traceback" not in capsys.readouterr().err


def test_many_connections_at_once_are_all_accepted() -> None:
    """None is left to its own retries, which take a second or more each: before any is accepted, all are open."""
    engine: Any = SimpleNamespace(address="http://127.0.0.1:9", key="k" * 20)
    with EngineProxy(engine, 0) as started:  # it does not serve yet
        opened = []
        for _ in range(200):
            connection = socket.socket()
            connection.settimeout(20)
            connection.setblocking(False)
            connection.connect_ex(("127.0.0.1", started.server_port))
            opened.append(connection)
        alive = [one for one in opened if one.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0 and _connected(one)]
        assert len(alive) == 200
        for connection in opened:
            connection.close()


def _connected(one: socket.socket) -> bool:
    try:
        one.getpeername()
    except OSError:
        return False
    return True


def test_a_benchmark_that_is_removed_in_mid_run_still_ends_the_run(needles: Bench, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(needles.folder, tmp_path / "bench"))

    def say(_: Asked) -> Reply:
        shutil.rmtree(folder, ignore_errors=True)
        return Reply("Question 1: no")

    with ChatServer(say) as server:
        result = verbs.run(folder, MODEL, tmp_path / "runs", base_url=server.base_url, max_retries=0)
    assert result.failed == 0
    assert result.sent == len(needles.items)
