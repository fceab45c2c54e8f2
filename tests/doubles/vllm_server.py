"""Stands in for `vllm serve` where there is no GPU: its command line, and slow answers of the chat server's. It leaves
its process id in the folder VLLM_SERVERS, and with its first request also in `busy` beside it; it answers nothing while
there is a file `hold` beside it."""

from __future__ import annotations

import argparse
import os
import signal
import time
from pathlib import Path

from tests.doubles.chat_server import Asked, ChatServer, Reply

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("serve", choices=["serve"])
    parser.add_argument("model")
    for name in ("--host", "--port", "--api-key"):
        parser.add_argument(name, required=True)
    parser.add_argument("--enable-prompt-tokens-details", action="store_true", required=True)
    given = parser.parse_args()
    assert given.host == "127.0.0.1", "reachable from this node alone"

    servers, process = Path(os.environ["VLLM_SERVERS"]), str(os.getpid())

    def say(asked: Asked) -> Reply:
        (servers.with_name("busy") / process).touch()
        while servers.with_name("hold").exists():
            time.sleep(0.05)
        time.sleep(0.3)
        known = asked.headers["authorization"] == f"Bearer {given.api_key}"
        return Reply(cached=50) if known else Reply(status=401, text="wrong key")

    with ChatServer(say, port=int(given.port)):
        (servers / process).touch()
        signal.pause()
