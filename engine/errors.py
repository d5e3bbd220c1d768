"""The errors of the engine: GameError and its kinds, and the functions that word their messages."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.wording import escape_control_characters

if TYPE_CHECKING:
    from types import TracebackType

MAX_MESSAGE_CHARACTERS: Final = 1_500
"""Characters. The longest useful messages are those that list all known names."""


class GameError(ValueError):
    """Input from a person does not fit a game. The message is one or two clear lines.

    A message may quote untrusted input, so it is cleaned: it has at most two lines and `MAX_MESSAGE_CHARACTERS`
    characters or little more, and no control characters that a terminal would obey.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(clean_message(message))

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows of the error: the line of the person's own code that led to it, and the message."""
        return describe_shortly(self, self.__traceback__)


class InvalidError(GameError):
    """The input cannot be read: there is no such notation, name, key or value."""


class ArgumentError(InvalidError, TypeError):
    """A function was called with an argument that it does not have, or without one that it needs."""


class Interrupted(KeyboardInterrupt):
    """A person interrupted a call. The message says in one line what is kept and how to go on."""

    def _render_traceback_(self) -> list[str]:
        return describe_shortly(self, None)


class IllegalError(GameError):
    """The input can be read, but the action is not legal in this position."""


class AmbiguousError(GameError):
    """The input can be read in several ways."""


def clean_message(message: str) -> str:
    r"""Return a message with at most two lines and without control characters; the middle of a long one is left out.

    >>> clean_message("no\x1b[2J such\nname\nhere")
    'no\\x1b[2J such\nname here'
    """
    first, *others = message.split("\n")
    lines = [first, " ".join(others)] if others else [first]
    cleaned = escape_control_characters("\n".join(lines))
    half = MAX_MESSAGE_CHARACTERS // 2
    return cleaned if len(cleaned) <= MAX_MESSAGE_CHARACTERS else f"{cleaned[:half]} ... {cleaned[-half:]}"


_OWN_FOLDERS: Final = tuple(
    f"{Path(__file__).parents[1] / name}{os.sep}" for name in ("engine", "pipelines", "reroll", "dashboard")
)


def describe_shortly(error: BaseException, trace: TracebackType | None) -> list[str]:
    """Return the innermost line of a person's own code that led to an error, if it is known, and the error in one line.

    A line of code counts as a person's own unless it stands in Reroll or in an installed package.
    """
    import traceback  # noqa: PLC0415 - takes 10 ms to import, and few errors need it

    lines = [
        f"{Path(frame.filename).name if Path(frame.filename).exists() else 'cell'}, line {frame.lineno}: {frame.line}"
        for frame in traceback.extract_tb(trace)
        if frame.line
        and not frame.filename.startswith(_OWN_FOLDERS)
        and "site-packages" not in frame.filename
    ]
    return [*lines[-1:], f"{type(error).__name__}: {error}"]


def format_error(error: BaseException) -> str:
    """Return the type and the first 300 characters of an error in one line; for a GameError, only its message."""
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    message = " ".join(message.split())[:300]
    return (
        message if isinstance(error, GameError) else f"{type(error).__name__}: {message}".removesuffix(": ")
    )


MAX_NAMES_LISTED: Final = 10
"""Names that a message on an unknown one lists."""


def unknown_name_error(kind: str, name: str, known: Iterable[str]) -> InvalidError:
    """Return the error for a name that does not exist. The message suggests the nearest known names.

    >>> print(unknown_name_error("strategy", "gredy", ["random", "greedy"]))
    unknown strategy 'gredy'; did you mean greedy?
    >>> print(unknown_name_error("strategy", "zzz", ["random", "greedy"]))
    unknown strategy 'zzz'; known: greedy, random
    >>> print(unknown_name_error("run", "zzz", map(str, range(30))))
    unknown run 'zzz'; known: 0, 1, 10, 11, 12, 13, 14, 15, 16, 17 and 20 more
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    near = near or [known for known in names if len(name) > 2 and known.startswith(name)][:3]
    listed = ", ".join(names[:MAX_NAMES_LISTED]) or "none"
    more = f" and {len(names) - MAX_NAMES_LISTED} more" if len(names) > MAX_NAMES_LISTED else ""
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {listed}{more}"
    return InvalidError(f"unknown {kind} {name!r}; {hint}")
