"""The targets of `fuzz.py`: readers of untrusted texts, as functions of bytes that raise if a reader misbehaves.

A reader may refuse an input with its own error, and nothing else. Each target is made by a function that imports the code
it tests, so that `fuzz.py` can instrument these imports. The first inputs come from shipped files and from games that are
played here; the repository has no corpus.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .game_files import document, log, notation, pentobi, ruleset
from .oracle import FuzzTarget
from .other_texts import address, form, strategy, unfinished
from .shown import markup, sql

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def planted(_: Path) -> FuzzTarget:
    """A target with a fault behind four letters, which only a fuzzer guided by coverage finds. It tests the fuzzer."""

    def try_input(data: bytes) -> None:
        if data[:1] == b"d" and data[1:2] == b"i" and data[2:3] == b"c" and data[3:4] == b"e":
            message = "found"
            raise RuntimeError(message)

    return FuzzTarget(try_input, [b"none"], 20)


TARGETS: Final[dict[str, Callable[[Path], FuzzTarget]]] = {
    make_target.__name__: make_target
    for make_target in (
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
    )
}
"""The functions that make the targets, by name."""
