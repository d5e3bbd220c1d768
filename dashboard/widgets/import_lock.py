"""One page at a time imports its packages for the first time.

Visitors who open several pages of a new server at once would import the same packages from different ends. Then Python
refuses one of the imports as a deadlock ("partially initialized module"), or waits for ever.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

FIRST_RUN_TIMEOUT_SECONDS: Final = 20.0
"""Seconds that a first run waits for another one at most."""

_first_run_lock: Final = threading.Lock()
_parts_run: Final[set[str]] = set()


@contextmanager
def run_alone_at_first(part: str) -> Iterator[None]:
    """Run a part of the dashboard; its first run in this process waits until the first runs of other parts are over."""
    if part in _parts_run:
        yield
        return
    is_alone = _first_run_lock.acquire(timeout=FIRST_RUN_TIMEOUT_SECONDS)
    try:
        yield
    finally:
        _parts_run.add(part)
        if is_alone:
            _first_run_lock.release()
