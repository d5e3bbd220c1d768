"""Answers that were played in this process: the same question, asked again, has the same answer without its games."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextvars import ContextVar
from typing import Final, TypeVar

Kept = TypeVar("Kept")
MAX_KEPT_ANSWERS: Final = 32
"""An answer takes up to 300 kB."""
_kept: Final[dict[Hashable, object]] = {}
"""The latest answers by what they depend on, the oldest first."""
is_played: Final = ContextVar("is_played", default=True)
"""False where only kept answers are wanted."""


def keep_answer(key: Hashable, play: Callable[[], Kept]) -> Kept:
    """Return the answer to a question; `key` holds everything that it depends on. It is played if it is not among the latest ones.

    Raises LookupError instead of playing where `is_played` is False.
    """
    if key not in _kept and not is_played.get():
        raise LookupError(key)
    answer = _kept.pop(key) if key in _kept else play()
    _kept[key] = answer
    for oldest in list(_kept)[:-MAX_KEPT_ANSWERS]:
        del _kept[oldest]
    return answer  # type: ignore[return-value]  # what `play` of the same key returned
