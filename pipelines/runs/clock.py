"""The clock of the machine: a run, a note and a study hold when they were made, so it must show a possible date."""

from __future__ import annotations

import math
import time
from typing import Final

from engine.errors import InvalidError

LATEST_SECONDS: Final = 7_258_118_400
"""Seconds from 1970 to 2200. Python and DuckDB have no times after 2262."""


def check_clock() -> None:
    """Raise InvalidError if the clock of this machine shows a date before 1970 or after 2199."""
    try:
        now = time.time()
    except OverflowError:
        now = math.inf
    if not 0 <= now < LATEST_SECONDS:
        when = "before 1970" if now < 0 else "after 2199"
        raise InvalidError(f"the clock of this machine shows a date {when}; set it and try again")
