"""The embedded engine in its own process, as one replica of a fleet: prints its address and serves until killed. Like
engines made for fleets it caches several prompts at once: a router may send two sessions to one replica."""

from __future__ import annotations

import signal

from longreach.models.engine import start_engine

if __name__ == "__main__":
    engine = start_engine("embedded", {"n_ctx": 8192, "n_parallel": 2})
    print(engine.address, flush=True)
    signal.pause()
