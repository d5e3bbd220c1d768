"""What takes texts from strangers, each as a function of bytes that raises if anything but its own refusal comes of them.

Every target is made by a function that imports what it needs, so that `fuzz.py` can watch what is imported. It gives the
inputs to begin with, from what is shipped and from games that are played here: no corpus is kept in the repository.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .game_files import document, log, notation, pentobi, ruleset
from .oracle import FuzzTarget
from .other_texts import address, form, ladder, strategy, unfinished
from .shown import markup, sql

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def planted(_: Path) -> FuzzTarget:
    """Not one of ours: it has a fault behind four letters, to which nobody comes who does not watch how far an input gets."""

    def try_input(data: bytes) -> None:
        if data[:1] == b"d" and data[1:2] == b"i" and data[2:3] == b"c" and data[3:4] == b"e":
            message = "found"
            raise RuntimeError(message)

    return FuzzTarget(try_input, [b"none"], 20)


TARGETS: Final[dict[str, Callable[[Path], FuzzTarget]]] = {
    made.__name__: made
    for made in (
        notation,
        ruleset,
        pentobi,
        log,
        document,
        unfinished,
        strategy,
        address,
        form,
        sql,
        markup,
        ladder,
    )
}
"""All of them by name."""
