"""Cut blocks into steps of about equal time, so that what follows a step, such as a look for a stop, comes regularly."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST_STEP_BLOCKS: Final = 10
"""Blocks in the first timed step: the fewest for which intervals are shown."""
STEP_SECONDS: Final = 0.4
"""About how long a timed step takes."""


class Step(NamedTuple):
    """The next blocks to play."""

    blocks: range
    is_last: bool
    """True if these are the last of all blocks."""


def timed_steps(
    total: int, first: int = FIRST_STEP_BLOCKS, seconds: float = STEP_SECONDS, growth: int = 2
) -> Iterator[Step]:
    """Yield `total` blocks: `first` blocks, then steps of about `seconds`, measured by when the next step is requested.

    A step has at most `growth` times the blocks of the step before.
    """
    done, count = 0, first
    while done < total:
        started = time.monotonic()
        blocks = range(done, min(done + count, total))
        done = blocks.stop
        yield Step(blocks, is_last=done == total)
        taken = max(time.monotonic() - started, 1e-3)
        count = max(1, min(growth * count, int(count * seconds / taken)))
