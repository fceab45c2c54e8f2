"""`python -m tests.trust.fuzz NAME|all --seconds N`: look for inputs that a parser does not stand.

With atheris installed the search is led by coverage; without it hypothesis draws the inputs. Every input has a second
counted out for it (ten by the clock, since a machine may be busy) and the process a limit on memory. What is found is
written to `--out`, one file a finding, and the search goes on.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import importlib.util
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

SECONDS_AN_INPUT = 10
MEMORY = 3 * 2**30


class TooSlow(Exception):
    """An input took longer than it may."""


class Search:
    """One parser under search: counts, and what was found so far."""

    def __init__(self, name: str, seconds: float, out: Path) -> None:
        from .entries import ENTRIES

        self.name = name
        self.executions = 0
        self.found: dict[str, str] = {}
        self.slowest = 0.0
        self._parse = ENTRIES[name]
        self._out = out
        self._begun = self._told = time.monotonic()
        self._until = self._begun + seconds
        self._processor = time.process_time()

    @property
    def over(self) -> bool:
        return time.monotonic() >= self._until

    def try_one(self, data: bytes) -> None:
        """Parse one input; whatever goes wrong is kept, and told once for each place it goes wrong at."""
        self.executions += 1
        started = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_AN_INPUT)
        try:
            self._parse(data)
        except (Exception, RecursionError) as error:
            self._keep(data, error)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        self.slowest = max(self.slowest, time.process_time() - started)
        if time.monotonic() - self._told > 2:
            self.tell()

    def _keep(self, data: bytes, error: BaseException) -> None:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "longreach" in frame.filename]
        place = f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else "?"
        kind = f"{type(error).__name__} at {place}"
        if kind in self.found:
            return
        self.found[kind] = str(error)[:200]
        self._out.mkdir(parents=True, exist_ok=True)
        file = self._out / f"{self.name}.{hashlib.sha256(data).hexdigest()[:12]}"
        file.write_bytes(data)
        file.with_suffix(".txt").write_text(kind + "\n" + "".join(traceback.format_exception(error)), encoding="utf-8")
        print(f"{self.name}: {kind}: {str(error)[:160]!r} in {file}", flush=True)

    def tell(self) -> None:
        """Write down how far it is: the search may be ended from outside at any moment."""
        self._told = time.monotonic()
        told = {
            "parser": self.name,
            "executions": self.executions,
            "seconds": round(self._told - self._begun, 1),
            "cpu_seconds": round(time.process_time() - self._processor, 1),
            "slowest": round(self.slowest, 2),
            "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "found": self.found,
        }
        self._out.mkdir(parents=True, exist_ok=True)
        (self._out / f"{self.name}.json").write_text(json.dumps(told), encoding="utf-8")


def _slow(*_: object) -> None:
    raise TooSlow(f"more than {SECONDS_AN_INPUT} s")


def by_atheris(search: Search, seconds: int) -> None:
    """Led by coverage. libFuzzer ends the process itself when the time is over."""
    atheris: Any = importlib.import_module("atheris")
    from .seeds import WORDS, seeds

    corpus = Path(tempfile.mkdtemp(prefix="longreach-corpus-"))
    for number, seed in enumerate(seeds(search.name)):
        (corpus / f"{number:03}").write_bytes(seed)
    words = corpus.with_suffix(".dict")
    words.write_text("".join('"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"\n' for word in WORDS))
    limits = [f"-max_total_time={seconds}", "-timeout=60", f"-rss_limit_mb={MEMORY >> 20}", "-max_len=20000"]
    atheris.Setup([sys.argv[0], *limits, f"-dict={words}", "-verbosity=0", str(corpus)], search.try_one)
    atheris.Fuzz()


def by_hypothesis(search: Search) -> None:
    """Pieces of whole inputs and words, put together anew."""
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    from .seeds import WORDS, seeds

    whole = seeds(search.name)
    cuts = st.sampled_from(whole).flatmap(
        lambda seed: st.tuples(st.integers(0, len(seed)), st.integers(0, len(seed))).map(
            lambda ends: seed[min(ends) : max(ends)]
        )
    )
    words = st.sampled_from([word.encode() for word in WORDS])
    inputs = st.lists(cuts | words | st.binary(max_size=40) | st.text(max_size=20).map(str.encode), max_size=8).map(
        b"".join
    )
    while not search.over:

        @settings(max_examples=500, database=None, deadline=None, suppress_health_check=list(HealthCheck))
        @given(inputs)
        def one_round(data: bytes) -> None:
            if not search.over:
                search.try_one(data)

        one_round()


def _search(name: str, seconds: int, out: Path, engine: str) -> None:
    if engine == "atheris":
        atheris: Any = importlib.import_module("atheris")
        with atheris.instrument_imports(include=["longreach"], enable_loader_override=False):
            _load()
    search = Search(name, seconds, out)
    from .seeds import seeds

    resource.setrlimit(resource.RLIMIT_AS, (2 * MEMORY, 2 * MEMORY))
    signal.signal(signal.SIGVTALRM, _slow)
    for seed in seeds(name):
        search.try_one(seed)
    search.tell()
    with contextlib.suppress(KeyboardInterrupt):
        if engine == "atheris":
            by_atheris(search, seconds)
        else:
            by_hypothesis(search)
    search.tell()


def _load() -> None:
    """Everything that parses, so that its branches are counted."""
    for name in (
        *("cli.base", "cli.build", "cli.user_settings", "core.bench", "core.formatting"),
        *("core.runs", "runner.logs", "results.grading", "exchange.importing", "review_server"),
        *("families.needles.family", "families.grounded.family", "families.verbatim.family", "families.novel.family"),
        *("families.grounded.tail", "families.grounded.writers", "families.novel.sources", "families.novel.grade"),
        *("grading", "grading.reading.structured", "text.documents", "checking.gate", "models.prices"),
    ):
        importlib.import_module(f"longreach.{name}")


def _line(name: str, told: dict[str, Any]) -> str:
    count, seconds, processor = (told.get(key, 0) for key in ("executions", "seconds", "cpu_seconds"))
    return (
        f"{name}: {count:,} executions in {seconds} s ({processor} s of processor), slowest {told.get('slowest', 0)} s,"
        f" {told.get('memory_mb', 0)} MB, {len(told.get('found', {}))} findings"
    )


def main() -> int:
    from .entries import ENTRIES

    parser = argparse.ArgumentParser(prog="python -m tests.trust.fuzz", description=__doc__)
    parser.add_argument("name", choices=["all", *ENTRIES])
    parser.add_argument("--seconds", type=int, default=60, help="for each parser")
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "longreach-findings")
    parser.add_argument("--engine", choices=["atheris", "hypothesis"])
    given = parser.parse_args()
    engine = given.engine or ("atheris" if importlib.util.find_spec("atheris") else "hypothesis")
    if given.name != "all":
        _search(given.name, given.seconds, given.out, engine)
        return 0
    found, told_all = 0, list[dict[str, Any]]()
    for name in ENTRIES:
        command = [sys.executable, "-m", "tests.trust.fuzz", name, "--engine", engine]
        done = subprocess.run(
            [*command, "--seconds", str(given.seconds), "--out", str(given.out)], env=os.environ, check=False
        )
        file = given.out / f"{name}.json"
        told = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        found += len(told.get("found", {})) + (done.returncode != 0)
        told_all.append(told)
        ended = "" if done.returncode == 0 else f", ENDED WITH {done.returncode}"
        print(_line(name, told) + ended, flush=True)
    total = {key: sum(told.get(key, 0) for told in told_all) for key in ("executions", "seconds", "cpu_seconds")}
    print(
        f"all: {total['executions']:,} executions in {total['seconds'] / 60:.0f} minutes "
        f"({total['cpu_seconds'] / 60:.0f} of processor), {found} findings"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
