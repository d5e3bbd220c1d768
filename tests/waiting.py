"""Waiting for what other threads and processes do."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable


def wait_until(claim: Callable[[], bool], process: subprocess.Popen[bytes] | None = None) -> None:
    """Wait until a claim holds, at most a minute, and only while a process lives if it is given."""
    end = time.monotonic() + 60
    while not claim():
        assert time.monotonic() < end
        assert process is None or process.poll() is None, "the process ended before the claim held"
        time.sleep(0.02)
