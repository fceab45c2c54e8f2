"""Long work in several processes: results in order, the same as from one.

Workers are plain subprocesses. Unlike `multiprocessing` they neither import the caller's script again nor fork a
process that has threads."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, TypeVar, cast

J = TypeVar("J")
R = TypeVar("R")


def cores() -> int:
    """How many cores to use: `LONGREACH_THREADS`, or all."""
    return int(os.environ.get("LONGREACH_THREADS") or os.cpu_count() or 1)


def process_map(work: Callable[[J], R], jobs: Sequence[J]) -> Iterator[R]:
    """`map` in one process per core. `work` is a function of a module; jobs and results are pickled."""
    count = min(cores(), len(jobs))
    if count < 2:
        yield from map(work, jobs)
        return
    idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
    workers = [_worker() for _ in range(count)]
    for worker in workers:
        idle.put(worker)

    def done(job: J) -> R:
        worker = idle.get()
        try:
            return cast("R", _ask(worker, (work, job)))
        finally:
            idle.put(worker)

    threads = ThreadPoolExecutor(count)
    try:
        yield from threads.map(done, jobs)
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()
        threads.shutdown(cancel_futures=True)


def _worker() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", f"from {__name__} import serve; serve()"]
    paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "LONGREACH_THREADS": "1"}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | paths)


def _ask(worker: subprocess.Popen[bytes], job: object) -> Any:
    assert worker.stdin is not None
    assert worker.stdout is not None
    pickle.dump(job, worker.stdin)
    worker.stdin.flush()
    good, result = pickle.load(worker.stdout)  # noqa: S301 (our own process)
    if not good:
        raise result
    return result


def serve() -> None:
    """A worker: jobs from standard input, results to standard output, until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    while True:
        try:
            work, job = pickle.load(sys.stdin.buffer)  # noqa: S301 (our own parent)
        except EOFError:
            return
        try:
            result = (True, work(job))
        except Exception as error:
            result = (False, error)
        pickle.dump(result, answers)
        answers.flush()
