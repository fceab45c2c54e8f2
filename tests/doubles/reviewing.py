"""The review page, served beside a test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from longreach.review_server import ReviewServer, ReviewSession


@contextmanager
def reviewing(session: ReviewSession) -> Iterator[ReviewServer]:
    with ReviewServer(session) as started:
        thread = threading.Thread(target=started.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield started
        started.shutdown()
        thread.join()
