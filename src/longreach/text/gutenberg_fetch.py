"""Polite download of Project Gutenberg files: one at a time, with pauses, cached, resuming partial downloads."""

from __future__ import annotations

import contextlib
import email.utils
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from longreach.core.disk import alone
from longreach.core.store import user_folder
from longreach.errors import BadInput, one_line

if TYPE_CHECKING:
    import httpx

__all__ = ["GutenbergClient", "NotThere", "address"]

_ADDRESS = "https://www.gutenberg.org"
_AGENT = "Longreach/1 (long-context reading tests; one connection, cached)"
_PAUSE = 2.0
_TRIES = 5
_MOST_TRIES = 40
_LONGEST_WAIT = 300.0
_TIMEOUT = 60.0
_BUSY = {408, 425, 429, 500, 502, 503, 504}

_last = 0.0
"""When the last request of this process ended, by the monotonic clock."""


class NotThere(BadInput):
    """The server has no such file."""


def address() -> str:
    """Where books come from: `LONGREACH_GUTENBERG`, or Project Gutenberg itself."""
    return (os.environ.get("LONGREACH_GUTENBERG") or _ADDRESS).rstrip("/")


class GutenbergClient:
    """A cache with one lazily opened connection for missing files."""

    def __init__(self) -> None:
        self._client: httpx.Client | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def fetch(self, path: str, name: str) -> bytes:
        """A file's bytes, from the cache under `name` or else from the server; complete and partial downloads are
        saved.
        """
        folder = user_folder("gutenberg")
        file = folder / name
        if (found := _read(file)) is not None:
            return found
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with alone(folder / ".lock"):
                if (found := _read(file)) is not None:  # another process was faster
                    return found
                _Download(address() + path, file).run(self._connection())
                return file.read_bytes()
        except OSError as error:
            raise BadInput(
                f"gutenberg: cannot keep {name} in {folder}: {error.strerror}; set LONGREACH_CACHE"
            ) from None

    def _connection(self) -> httpx.Client:
        if self._client is None:
            import httpx

            self._client = httpx.Client(
                headers={"user-agent": _AGENT, "accept-encoding": "identity"},
                limits=httpx.Limits(max_connections=1),
                timeout=_TIMEOUT,
                follow_redirects=True,
            )
        return self._client


def _read(file: Path) -> bytes | None:
    with contextlib.suppress(FileNotFoundError):
        return file.read_bytes()
    return None


class _Download:
    """One download in progress. Received bytes are in `NAME.part`, and the server's version tag in `NAME.part.version`,
    so that a part is never resumed with another version's bytes.
    """

    def __init__(self, url: str, file: Path) -> None:
        self._url = url
        self._file = file
        self._part = file.with_name(f"{file.name}.part")
        self._version = file.with_name(f"{file.name}.part.version")

    def run(self, client: httpx.Client) -> None:
        """Download until complete; gives up after several consecutive attempts without progress."""
        import httpx

        tries = 0
        why = ""
        for _ in range(_MOST_TRIES):
            before = self._size()
            wait: float | None = 0.0
            try:
                _pause()
                wait = self._once(client)
                if wait is None:
                    return
                why = "the server is busy"
            except httpx.TransportError as error:
                why = one_line(str(error) or type(error).__name__, 120)
            except httpx.HTTPError as error:  # endless redirects and the like
                raise BadInput(self._unreachable(one_line(str(error), 120))) from None
            tries = 1 if self._size() > before else tries + 1
            if tries >= _TRIES:
                break
            _sleep(max(wait or 0.0, _seconds() * 2 ** (tries - 1)))
        raise BadInput(self._unreachable(why))

    def _once(self, client: httpx.Client) -> float | None:
        """One request: None if the file is now complete, else the seconds the server asks to wait."""
        global _last
        have, version = self._size(), self._recorded_version()
        headers = {"range": f"bytes={have}-", "if-range": version} if have and version else {}
        try:
            with client.stream("GET", self._url, headers=headers) as reply:
                if reply.status_code in _BUSY:
                    return self._asked_to_wait(reply)
                if reply.status_code == 416:
                    self._part.unlink(missing_ok=True)
                    return 0.0
                self._check(reply)
                self._receive(reply, have)
        finally:
            _last = time.monotonic()
        self._part.replace(self._file)
        self._version.unlink(missing_ok=True)
        return None

    def _receive(self, reply: httpx.Response, have: int) -> None:
        """Append the body to the partial file, or restart where the server sends everything again."""
        resumes = reply.status_code == 206 and reply.headers.get("content-range", "").startswith(f"bytes {have}-")
        if reply.status_code == 206 and not resumes:
            self._part.unlink(missing_ok=True)
            raise _transport_error("the server continued at another place")
        if not resumes:
            self._part.unlink(missing_ok=True)
            # Weak tags do not promise identical bytes: no part may be resumed by one.
            tag = reply.headers.get("etag", "")
            version = tag if tag and not tag.startswith("W/") else reply.headers.get("last-modified", "")
            if reply.headers.get("content-encoding", "identity") != "identity":
                version = ""  # the decoded size differs from the server's count
            self._version.write_text(version, encoding="utf-8")
        with self._part.open("ab") as file:
            try:
                for block in reply.iter_bytes():
                    file.write(block)
            finally:
                file.flush()
                os.fsync(file.fileno())

    def _check(self, reply: httpx.Response) -> None:
        if reply.status_code in (404, 410):
            raise NotThere(
                f"gutenberg: there is no {self._url}; check the number, or give files of your own with --docs"
            )
        if reply.status_code not in (200, 206):
            raise BadInput(self._unreachable(f"it answers {reply.status_code} {reply.reason_phrase}"))
        if "html" in reply.headers.get("content-type", ""):
            raise BadInput(self._unreachable("it answers with a web page instead of the file"))

    def _asked_to_wait(self, reply: httpx.Response) -> float:
        header = reply.headers.get("retry-after", "").strip()
        wait = 0.0
        if header.isdecimal() and len(header) < 9:
            wait = float(header)
        elif header:
            with contextlib.suppress(ValueError, TypeError):
                wait = max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
        if wait > _LONGEST_WAIT:
            raise BadInput(self._unreachable(f"it asks to wait for {wait:.0f} seconds"))
        return wait

    def _size(self) -> int:
        try:
            return self._part.stat().st_size
        except FileNotFoundError:
            return 0

    def _recorded_version(self) -> str:
        try:
            return self._version.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""

    def _unreachable(self, why: str) -> str:
        return (
            f"gutenberg: cannot fetch {self._url} ({why}); try again later, or download it by hand and save it as "
            f"{self._file}, or give files of your own with --docs"
        )


def _transport_error(why: str) -> Exception:
    import httpx

    return httpx.RemoteProtocolError(why)


def _seconds() -> float:
    """The pause between requests."""
    given = os.environ.get("LONGREACH_GUTENBERG_PAUSE")
    if not given:
        return _PAUSE
    try:
        pause = float(given)
    except ValueError:
        pause = -1.0
    if not 0 <= pause <= _LONGEST_WAIT:
        raise BadInput(f"LONGREACH_GUTENBERG_PAUSE is '{given}'; give seconds from 0 to {_LONGEST_WAIT:.0f}")
    return pause


def _pause() -> None:
    """Wait until the pause after the last request is over."""
    if _last and (rest := _last + _seconds() - time.monotonic()) > 0:
        _sleep(rest)


def _sleep(seconds: float) -> None:
    if seconds > 0:
        time.sleep(seconds)
