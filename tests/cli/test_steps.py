"""Progress of slow work."""

from __future__ import annotations

import io
import time

from longreach.core.progress import Steps


def test_progress_is_silent_when_quick_and_shows_step_and_count_when_slow() -> None:
    quick, slow = io.StringIO(), io.StringIO()
    with Steps(quick, silent=60) as steps:
        steps("grading answers", 1, 9)
    assert quick.getvalue() == ""
    with Steps(slow, silent=0.01) as steps:
        steps("grading answers", 1, 9)
        while not slow.getvalue():
            time.sleep(0.005)
    assert slow.getvalue().startswith("grading answers 1 of 9, ")
