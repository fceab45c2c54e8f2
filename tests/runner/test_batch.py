"""A run through a batch service, over real HTTP: one file of whole prompts up, one file of answers down."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.doubles.chat_server import Reply

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.errors import BadInput
from longreach.runner.logs import journal_file


class BatchService:
    """OpenAI's four calls: upload a file, start a batch, look at it, download its results. Done at the second look."""

    def __init__(self) -> None:
        self.uploads: list[list[dict[str, Any]]] = []
        self.posts: list[str] = []
        self.looks = 0

    def post(self, path: str, body: bytes) -> dict[str, Any]:
        self.posts.append(path)
        if path == "/v1/files":
            lines = [json.loads(line) for line in body.splitlines() if line.startswith(b'{"custom_id"')]
            self.uploads.append(lines)
            return {"id": f"file-{len(self.uploads)}", "object": "file"}
        assert path == "/v1/batches"
        return self._batch(json.loads(body)["input_file_id"].removeprefix("file-"), "validating")

    def get(self, path: str) -> bytes:
        if path.startswith("/v1/batches/"):
            self.looks += 1
            return json.dumps(
                self._batch(path.rsplit("-", 1)[1], "completed" if self.looks > 1 else "in_progress")
            ).encode()
        number = int(path.split("/")[3].removeprefix("out-"))
        answer = json.loads(Reply("Question 1: no").body())
        lines = [{"custom_id": one["custom_id"], "response": {"body": answer}} for one in self.uploads[number - 1]]
        return b"".join(json.dumps(line).encode() + b"\n" for line in reversed(lines))

    def _batch(self, number: str, status: str) -> dict[str, Any]:
        out = {"output_file_id": f"out-{number}"} if status == "completed" else {}
        return {"id": f"batch-{number}", "object": "batch", "created_at": 0, "status": status, **out}

    @contextmanager
    def serving(self) -> Iterator[str]:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(handler) -> None:  # noqa: N805
                body = handler.rfile.read(int(handler.headers["content-length"]))
                Reply(raw=json.dumps(self.post(handler.path, body)).encode()).send(handler)

            def do_GET(handler) -> None:  # noqa: N805
                Reply(raw=self.get(handler.path)).send(handler)

            def log_message(handler, *_: object) -> None:  # noqa: N805
                return

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
            server.shutdown()


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Bench:
    settings: dict[str, Any] = {"docs": [str(docs)], "lengths": "600", "depths": "0,50,100", "facts": 2}
    return verbs.build("needles", tmp_path_factory.mktemp("batch") / "bench", **settings)


def test_prompts_arrive_whole_in_one_batch_and_answers_are_recorded_once(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    service, runs = BatchService(), tmp_path / "runs"
    with service.serving() as url:
        batch = {"size": len(bench.items), "send_delay": 600, "tick": 0.05}
        settings: dict[str, Any] = {"arguments": {"responses_api": False}, "generation": {"batch": batch}}
        result = verbs.run(bench, "openai/gpt-4o", runs, base_url=url, **settings)
    assert (result.sent, result.failed) == (len(bench.items), 0)
    assert service.posts == ["/v1/files", "/v1/batches"], "sessions do not split the batch"
    sent = Counter(one["body"]["messages"][-1]["content"] for lines in service.uploads for one in lines)
    digests = Counter({hashlib.sha256(text.encode()).hexdigest(): count for text, count in sent.items()})
    assert digests == Counter(item.sha256 for item in bench.items.values())
    assert capsys.readouterr().out == ""
    recorded = [json.loads(line) for line in journal_file(runs).read_text(encoding="utf-8").splitlines()]
    assert Counter(one["item"] for one in recorded) == Counter(list(bench.items))


def test_a_provider_without_batch_service_is_refused(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no batch service is known for openai-api/local/m; there is one for openai, "):
        verbs.run(bench, "openai-api/local/m", tmp_path / "runs", generation={"batch": True})
