"""Killing a command at random moments, against a server whose ledger tells what was sent in each of its lives."""

from __future__ import annotations

import os
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.trust.forks import Forks, Life


def environment(folder: Path) -> dict[str, str]:
    """Caches of this test alone: what one life kept is there for the next, and for nobody else."""
    return {**os.environ, "LOCAL_API_KEY": "none", "LONGREACH_CACHE": str(folder / "longreach")}


@dataclass
class Entry:
    """A request in the ledger."""

    life: int
    """How many times the command had been started when it came."""
    name: str
    """Two that ask the same have the same name."""
    session: str
    answered: float | None = None
    """When the reply had left."""


class Ledger:
    """Answers through `say`, a little slowly, and writes down what was asked in which life of the command."""

    def __init__(self, say: Callable[[Asked], Reply], name: Callable[[Asked], str], seed: str, slow: float) -> None:
        self.entries: list[Entry] = []
        self._say, self._name, self._slow = say, name, slow
        self._chance = Random(seed)
        self._lock = threading.Lock()

    def answer(self, asked: Asked) -> Reply:
        """For a `ChatServer`."""
        # By the key it came with, which is that life's own: what a killed process had sent may be read after its end.
        found = _LIFE.search(asked.headers["authorization"])
        life = int(found[1]) if found else 0
        entry = Entry(life, self._name(asked), asked.headers.get("x-session-id", ""))
        with self._lock:
            self.entries.append(entry)
            wait = self._chance.uniform(0, self._slow)
        time.sleep(wait)
        reply = self._say(asked)
        entry.answered = time.monotonic()
        return reply

    def sent_again(self) -> dict[int, list[Entry]]:
        """By life, the requests that came once more in a later one."""
        last = {entry.name: entry.life for entry in self.entries}
        again: dict[int, list[Entry]] = {}
        for entry in self.entries:
            if entry.life < last[entry.name]:
                again.setdefault(entry.life, []).append(entry)
        return again

    def twice_in_a_life(self) -> list[str]:
        """Requests that one process sent more than once."""
        counts = Counter((entry.life, entry.name) for entry in self.entries)
        return [name for (_, name), count in counts.items() if count > 1]


@dataclass
class Killed:
    """What came of it."""

    ledger: Ledger
    at: dict[int, float] = field(default_factory=dict)
    """When each life ended by a kill."""
    early: int = 0
    """Kills before the first request of that life."""
    said: str = ""
    """What the last life printed."""

    def told(self, what: str) -> str:
        """For people who want to see the counts."""
        again = self.ledger.sent_again()
        names = {entry.name for entry in self.ledger.entries}
        return (
            f"{what}: {len(self.at)} kills ({self.early} of them before the first request), {len(names)} different "
            f"requests, {len(self.ledger.entries)} received, {sum(map(len, again.values()))} of them sent again after "
            f"a kill in flight, at most {max(map(len, again.values()), default=0)} for one kill"
        )


def kill_again_and_again(
    arguments: Sequence[str],
    env: Mapping[str, str],
    ledger: Ledger,
    forks: Forks,
    *,
    kills: int,
    requests: int,
    seed: str,
) -> Killed:
    """Start a command, kill it at a random moment, as often as asked; then let it come to its end.

    Most moments are so many requests into a life, and a little later, so that all lives together do not use up the
    `requests` there are; every fifth is by the clock, from the start of a process that was not forked on."""
    chance = Random(seed)
    killed = Killed(ledger)
    for number in range(1, kills + 1):
        before = len(ledger.entries)
        by_clock = number % 5 == 0
        life = forks.start(arguments, {**env, **_key(number)}, fresh=by_clock)
        if by_clock:
            _sleep_while_alive(life, chance.uniform(0.05, 4.0))
        else:
            wanted = before + chance.randint(1, max(1, int(1.5 * requests / (kills + 2))))
            while len(ledger.entries) < wanted and life.poll() is None:
                time.sleep(0.002)
            _sleep_while_alive(life, chance.uniform(0.0, 0.06))
        assert life.poll() is None, f"it came to its end after {len(killed.at)} of {kills} kills: {life.said()[-2000:]}"
        life.kill()
        killed.at[number] = time.monotonic()
        killed.early += len(ledger.entries) == before
    life = forks.start(arguments, {**env, **_key(kills + 1)})
    assert life.wait() == 0, life.said()
    killed.said = life.said()
    assert "Traceback" not in killed.said
    return killed


def _key(life: int) -> dict[str, str]:
    return {"LOCAL_API_KEY": f"the-key-of-life-{life}-alone"}


def _sleep_while_alive(life: Life, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and life.poll() is None:
        time.sleep(0.002)


_LIFE = re.compile(r"the-key-of-life-(\d+)-alone")
_SECONDS = re.compile(rb'"seconds":[0-9.e-]+')


def forget_times(runs: Path) -> None:
    """Say of each call in a folder of runs that it took no time: the one thing of a call that no two runs share. All
    else must be the same to the last byte of the page."""
    for path in (runs / "logs").glob("*.jsonl"):
        stamp = path.stat().st_mtime_ns
        path.write_bytes(_SECONDS.sub(b'"seconds":0', path.read_bytes()))
        os.utime(path, ns=(stamp, stamp))


def serve(ledger: Ledger) -> ChatServer:
    """The ledger behind real HTTP."""
    return ChatServer(ledger.answer)
