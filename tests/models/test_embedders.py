from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from longreach.errors import BadInput, Missing, ModelCallFailed
from longreach.models import embedders
from longreach.models.embedders import get_embedder
from longreach.models.engine import Engine, gguf_path


class _Replies(BaseHTTPRequestHandler):
    """Answers with what its path says: /STATUS/TYPE/body."""

    def do_POST(self) -> None:
        _, status, kind, body, *_ = self.path.split("/")
        data = {"page": b"<html>hello</html>", "empty": b'{"data": []}', "list": b"[1, 2]", "none": b"{}"}[body]
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(int(status))
        self.send_header("content-type", "text/html" if kind == "html" else "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def wrong_server() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Replies)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_offline_embedder_gives_unit_rows_and_finds_the_likely_pair() -> None:
    texts = ["The cat sat on the mat.", "Interest rates rose by two percent.", "A kitten was resting on a rug.", ""]
    vectors = get_embedder().embed(texts)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 0], abs=1e-5)
    near = vectors @ vectors.T
    assert near[0, 2] > near[0, 1]
    assert near[0, 2] > near[1, 2]
    assert np.allclose(get_embedder().embed(texts[1:2]), vectors[1:2], atol=1e-6)


def test_no_texts_no_rows() -> None:
    assert len(get_embedder().embed([])) == 0
    assert len(get_embedder("openai:m", base_url="http://127.0.0.1:9").embed([])) == 0


def test_the_missing_package_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    embedders._word_llama.cache_clear()
    with pytest.raises(Missing, match=r"run: pip install wordllama$"):
        get_embedder()


def test_the_papers_embedder_is_had_by_name_or_said_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(
        Missing, match=r"sentence-transformers is not installed; install it, or serve it and give openai:bge-m3 with"
    ):
        get_embedder("bge-m3")


def test_a_request_holds_no_more_text_than_servers_take() -> None:
    sizes: list[int] = []

    class Endpoint(embedders._Endpoint):
        def _rows(self, batch: Sequence[str]) -> embedders.Vectors:
            sizes.append(sum(map(len, batch)))
            return np.ones((len(batch), 3), dtype=np.float32)

    texts = ["x" * size for size in (399_999, 2, 10, 450_000, 1)]
    assert len(Endpoint("m", "http://127.0.0.1:9").embed(texts)) == 5
    assert sizes == [399_999, 12, 450_000, 1]


def test_unknown_embedders() -> None:
    with pytest.raises(BadInput, match=r"unknown embedder 'wordlama'\. Did you mean 'wordllama'\?"):
        get_embedder("wordlama")


def test_an_endpoint_without_address_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "LONGREACH_EMBEDDINGS_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(BadInput, match=r"embedder 'openai:text-embedding-3-small': .*OPENAI_API_KEY"):
        get_embedder("openai:text-embedding-3-small")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("404/html/page", "Error code: 404"),
        ("401/json/none", "Error code: 401"),
        ("200/html/page", "the reply holds no embeddings; check its address"),
        ("200/json/list", "the reply holds no embeddings; check its address"),
        ("200/json/none", ""),
        ("200/json/empty", ""),
    ],
)
def test_a_server_of_another_kind_gives_a_short_error(
    wrong_server: str, path: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGREACH_EMBEDDINGS_API_KEY", "key-that-must-not-show")
    embedder = get_embedder("openai:m", base_url=f"{wrong_server}/{path}")
    with pytest.raises(ModelCallFailed) as caught:
        embedder.embed(["a text that must not show " * 100])
    said = str(caught.value)
    assert said.startswith("embedder 'openai:m': ")
    assert message in said
    assert len(said) < 400
    assert "must not show" not in said
    assert "must-not-show" not in said


def test_no_server_at_all_gives_a_short_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    with pytest.raises(ModelCallFailed, match=r"^embedder 'openai:m': Connection error"):
        get_embedder("openai:m", base_url="http://127.0.0.1:9/v1").embed(["a"])


def test_a_real_endpoint_embeds_more_texts_than_one_request_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    from xllamacpp import llama_pooling_type

    monkeypatch.setattr(embedders, "_BATCH", 8)
    settings = {
        "embedding": True,
        "pooling_type": llama_pooling_type.LLAMA_POOLING_TYPE_MEAN,
        "n_ctx": 512,
        "n_batch": 512,
        "n_ubatch": 512,
    }
    engine = Engine(gguf_path("embedded"), name="embedded", settings=settings)
    monkeypatch.setenv("OPENAI_API_KEY", engine.key)
    embedder = get_embedder("openai:embedded", base_url=engine.base_url)
    # Few different texts, so that rows are comparable: equal texts must have equal rows, wherever they stand.
    words = ["red", "a horse", "1848"]
    texts = [words[number % 3] for number in range(20)]
    vectors = embedder.embed(texts)
    assert vectors.shape[0] == 20
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(20), abs=1e-4)
    for number, text in enumerate(texts):
        assert vectors[number] @ vectors[words.index(text)] > 0.999
    assert abs(vectors[0] @ vectors[1]) < 0.999


def test_loading_it_leaves_a_programs_logging_alone() -> None:
    """Else every request of a build is told on the terminal."""
    code = (
        "import logging; from longreach.models.embedders import get_embedder; get_embedder().embed(['x']); "
        "root = logging.getLogger(); print(root.level, root.handlers)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["30", "[]"]
