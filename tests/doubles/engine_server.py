"""The embedded engine in its own process, as one replica of a fleet: prints its address and serves until killed."""

from __future__ import annotations

import signal

from longreach.models.engine import start_engine

if __name__ == "__main__":
    engine = start_engine("embedded", {"n_ctx": 4096})
    print(engine.address, flush=True)
    signal.pause()
