"""A vLLM server without a GPU: the engine that tests use, in real time behind HTTP, at the rates of a shape. It knows
the prompts of one benchmark. `python -m benchmarks.simulated_vllm BENCH SHAPE [ROOM]` prints its address."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from tests.doubles import vllm_engine
from tests.doubles.vllm_engine import ANSWER, BLOCK, LARGE, MEDIUM, QUICK, Speed

from longreach.core.bench import Bench
from longreach.planning.cost import BlockCache
from longreach.planning.prefix_tree import tree_of

SPEEDS = {"small": QUICK, "1.5B": MEDIUM, "8B": LARGE}
_ROOM = 800_000
"""Tokens of a cache that is not made small."""


class LiveEngine(vllm_engine.Engine):
    """The engine's steps, each as long as it takes. A prompt has no two requests in flight."""

    replies: dict[int, Callable[[int, bool], None]]
    """Of each prompt in flight, what is done with each token of its answer; with the last one of all."""

    async def work(self) -> None:
        """Computes what comes, for ever."""
        ended: list[int] = []
        self.done = ended.append
        self.replies = {}
        while True:
            self.now = monotonic() if not self.left else self.now
            self._arrive()
            if not self.left and not self.queue:
                await asyncio.sleep(0.002)
                continue
            before = dict(self.written)
            self._step()
            await asyncio.sleep(max(0.0, self.now - monotonic()))
            for at, count in list(self.written.items()):
                if count > before.get(at, 0):
                    self.replies[at](count, at in ended)
            for at in ended:
                del self.written[at], self.replies[at]
            ended.clear()

    def forget(self) -> None:
        """Empties the cache."""
        self.cache, self.seen = BlockCache(self.tree, block=BLOCK, room=self.room), []


async def serve(bench: Bench, speed: Speed, room: int) -> None:
    """Answers chat requests, streamed or whole, and what a client asks of the cache."""
    tree = tree_of(bench)
    engine = LiveEngine(tree, room, speed=speed)
    known = {item.sha256: at for at, item in enumerate(tree.items)}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                size = head.partition(b"content-length:")[2].split(b"\r\n")[0]
                body = await reader.readexactly(int(size or 0))
                if b"/chat/completions" in head:
                    await chat(json.loads(body), writer)
                else:
                    reply(writer, metrics())
                if b"reset_prefix_cache" in head:
                    engine.forget()
                if b"connection: close" in head:
                    break
        writer.close()

    def reply(writer: asyncio.StreamWriter, body: bytes) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))

    def metrics() -> bytes:
        return (
            f'vllm:cache_config_info{{block_size="{BLOCK}",num_gpu_blocks="{room // BLOCK}"}} 1.0\n'
            f'vllm:prompt_tokens_by_source_total{{source="local_compute"}} {engine.prefilled}\n'
        ).encode()

    async def chat(asked: dict[str, object], writer: asyncio.StreamWriter) -> None:
        text = "".join(message["content"] for message in asked["messages"])  # type: ignore[attr-defined]
        at, finished, streams = known[hashlib.sha256(text.encode()).hexdigest()], asyncio.Event(), asked.get("stream")
        counts = {
            "prompt_tokens": tree.tokens[at],
            "completion_tokens": ANSWER,
            "total_tokens": tree.tokens[at] + ANSWER,
        }

        def event(data: dict[str, object]) -> None:
            line = b"data: %s\n\n" % json.dumps({"id": "1", "object": "chat.completion.chunk", **data}).encode()
            writer.write(b"%x\r\n%s\r\n" % (len(line), line))

        def token(count: int, last: bool) -> None:
            if streams:
                event({"choices": [{"index": 0, "delta": {"content": f" {count}"}, "finish_reason": None}]})
            if last:
                finished.set()

        if streams:
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        engine.replies[at] = token
        engine.coming.append((monotonic() + speed.way, at))
        await finished.wait()
        stop = {"index": 0, "finish_reason": "stop"}
        if streams:
            event({"choices": [stop | {"delta": {}}]})
            event({"choices": [], "usage": counts})
            writer.write(b"0\r\n\r\n")
        else:
            message = {"role": "assistant", "content": "".join(f" {count}" for count in range(ANSWER))}
            whole = {"id": "1", "object": "chat.completion", "created": 0, "model": asked["model"], "usage": counts}
            reply(writer, json.dumps(whole | {"choices": [stop | {"message": message}]}).encode())

    server = await asyncio.start_server(answer, "127.0.0.1", 0, limit=1 << 24)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.gather(engine.work(), server.serve_forever())


if __name__ == "__main__":
    folder, shape, *more = sys.argv[1:]
    asyncio.run(serve(Bench.open(Path(folder)), SPEEDS[shape], int(more[0]) if more else _ROOM))
