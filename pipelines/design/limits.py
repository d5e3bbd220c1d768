"""The limits of the numbers that people choose and of the texts that they write, and what counts if they choose nothing.

Classes of questions, forms, commands and notebooks have them from here. Loads nothing: the help of commands needs it.
"""

from __future__ import annotations

import operator
import re
import secrets
import unicodedata
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import wraps
from itertools import zip_longest
from os import PathLike
from types import FunctionType
from typing import Final, NamedTuple, ParamSpec, TypeVar

from engine.errors import ArgumentError, GameError, Interrupted, InvalidError

P = ParamSpec("P")
R = TypeVar("R")


class NumberLimits(NamedTuple):
    """The smallest and the largest value of a number, and the one that counts if nobody names one."""

    minimum: int
    maximum: int
    default: int


SEED: Final = NumberLimits(0, (1 << 64) - 1, 0)
"""The default is that of answers which are played again each time; new games have a random seed."""
_RANDOM_SEEDS: Final = 10**6
"""Random seeds are below this, so that people can read and type them."""
SIMULATION_GAMES: Final = NumberLimits(1, 1_000_000, 300)
"""300 games take about a second and give intervals that are narrow enough to be useful. A command may ask for more, up to
the limit of a run; so it may for blocks of a comparison."""
COMPARISON_BLOCKS: Final = NumberLimits(1, 1_000_000, 1_000)
MAX_BLOCKS_UNTIL_DECIDED: Final = 100_000
"""Blocks at most of a comparison that a command plays until it is decided, if no number is given."""
LIVE_BLOCKS: Final = NumberLimits(10, 20_000, 400)
"""Blocks of an answer that is played while somebody waits for it: a card, and the effect of a rule."""
OPENING_BLOCKS: Final = NumberLimits(LIVE_BLOCKS.minimum, LIVE_BLOCKS.maximum, 200)
"""The same of first moves: each of them plays some, so 200 blocks of Blokus Duo are 18,000 games."""
CONTINUATIONS: Final = NumberLimits(1, 100_000, 1_000)
"""Continuations of each branch of one game. All of an answer stay in memory, with their actions: some 800 bytes each."""
CONTINUATIONS_PER_GAME: Final = NumberLimits(2, 10_000, 100)
"""Continuations of each game where there are many: the interval depends mostly on the number of blocks. One continuation says
nothing about the effect at a position, so it could not count in a mean."""
FORKED_GAMES: Final = NumberLimits(2, 10_000, 200)
LISTED_GAMES: Final = NumberLimits(1, 200, 20)
MAX_EFFORT: Final = 100
"""Times the usual number of playouts of a review."""
LESSONS: Final = NumberLimits(1, 200, 50)
"""Lessons of a collection. A study has at most as many sections."""
MAX_RANGE_END: Final = (1 << 31) - 1


MAX_TITLE_CHARACTERS: Final = 200
"""Characters of the title of a run, a note, a study or a site."""
MAX_TEXT_CHARACTERS: Final = 20_000
"""Characters of the text of a note, a study or a site."""
MAX_LABEL_CHARACTERS: Final = 60
"""Characters of the name of a collection."""
MAX_RUN_NAME_CHARACTERS: Final = 80
MAX_STRATEGY_CHARACTERS: Final = 2_000
"""Characters of one strategy with its settings; a run file holds four times as many bytes."""
MAX_VALUE_CHARACTERS: Final = 2_000
"""Characters of the value of a parameter of a question in SQL."""
MAX_CONDITION_CHARACTERS: Final = 2_000
"""Characters of a condition in SQL on games."""
MAX_MOVES_CHARACTERS: Final = 40_000
"""Characters of the moves of a game that people play. The longest games take about 1,500, without undos."""


def choose_seed(seed: int | None = None) -> int:
    """Return the seed that was given, or a random one."""
    return secrets.randbelow(_RANDOM_SEEDS) if seed is None else seed


def plain_integer(value: object) -> object:
    """Return an integer of another type, such as one of NumPy or an array without dimensions, as an int; anything else as it is."""
    try:
        return value if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]  # most have no index
    except TypeError:
        return value


_KINDS: Final[Mapping[str, tuple[type | tuple[type, ...], str]]] = {
    "int": (int, "a whole number"),
    "float": ((int, float), "a number"),
    "str": (str, "a text"),
    "str | Path": ((str, PathLike), "a path"),
    "str | Path | Sequence": ((str, PathLike, list, tuple), "a path, or a list of paths"),
    "str | Sequence": ((str, list, tuple), "a text, or a list of texts"),
    "Mapping": (Mapping, "a dictionary"),
}
"""By annotation, the types of an argument, and what people call them."""


DELETED_WORKING_FOLDER: Final = (
    "the working folder has been deleted; change to another one, or give whole paths"
)


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function for people take integers of any type, also as the keys of a mapping, and check what it is given.

    Raises ArgumentError for arguments that the function does not have, needs, or takes in another form, InvalidError for files that
    cannot be read or written, and Interrupted in place of KeyboardInterrupt.
    """

    def make_plain(name: str, value: object) -> object:
        if isinstance(value, dict):
            value = {plain_integer(key): item for key, item in value.items()}
        value = plain_integer(value)
        annotation = str(function.__annotations__.get(name, ""))
        kinds, words = _KINDS.get(annotation.removesuffix(" | None").partition("[")[0], (object, ""))
        literals = re.findall(r"Literal\['(\w+)'", annotation)  # as Python writes annotations
        fits = value in literals or (isinstance(value, kinds) and not isinstance(value, bool))
        if words and not fits and not (value is None and annotation.endswith(" | None")):
            words_of_value = (
                f"the function {value.__name__}" if isinstance(value, FunctionType) else repr(value)[:40]
            )
            raise ArgumentError(f"{name}: expected {words}, not {words_of_value}")
        return value

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        (more,) = code.co_varnames[code.co_argcount + code.co_kwonlyargcount :][:1] or ("",)
        positional = [
            make_plain(name, value) for name, value in zip_longest(names[: len(args)], args, fillvalue=more)
        ]
        plain = {name: make_plain(name, value) for name, value in kwargs.items()}
        try:
            return function(*positional, **plain)  # type: ignore[arg-type]  # the same values
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next:  # raised in the function
                raise
            every = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            known = [name for name in every if name != "self"]
            near = [
                close for name in kwargs if name not in every for close in get_close_matches(name, known, n=1)
            ]
            hint = f"its arguments are {', '.join(known)}" if known else "give each argument its name"
            raise ArgumentError(f"{error}; {f'did you mean {near[0]}?' if near else hint}") from None
        except OSError as error:
            if isinstance(error, GameError):
                raise
            is_folder_gone = isinstance(error, FileNotFoundError) and not error.filename
            words = f"{error.filename or 'the disk'}: {error.strerror or error}"
            raise InvalidError(DELETED_WORKING_FOLDER if is_folder_gone else words) from None
        except KeyboardInterrupt as stop:
            raise stop if isinstance(stop, Interrupted) else Interrupted("run the cell again") from None

    return call


def check_length(text: str, limit: int, subject: str) -> None:
    """Raise InvalidError if a text has more than `limit` characters or is not Unicode; `subject` names the text in the message.

    >>> check_length("x" * 61, 60, "the tag")
    Traceback (most recent call last):
    engine.errors.InvalidError: the tag has 61 characters; at most 60 are possible: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'...
    """
    check_unicode(text, subject)
    if len(text) > limit:
        raise InvalidError(
            f"{subject} has {len(text):,} characters; at most {limit:,} are possible: {text[:40]!r}..."
        )


def check_unicode(text: str, subject: str) -> None:
    r"""Raise InvalidError if a text has half characters: bytes of a command that are not UTF-8, or halves of pairs in JSON.

    >>> check_unicode("caf\udce9", "the title")
    Traceback (most recent call last):
    engine.errors.InvalidError: the title is not UTF-8 text: 'caf\udce9'
    """
    if not is_unicode(text):
        raise InvalidError(f"{subject} is not UTF-8 text: {text[:40]!r}")


def normal_form(text: str) -> str:
    """Return a text in the form in which texts are kept and compared: a letter and its accent are one character (NFC).

    macOS writes names of files with the accent apart.
    """
    return unicodedata.normalize("NFC", text)


def is_unicode(text: str) -> bool:
    """Return whether a text can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def choose_title(title: str | None, default: str) -> str:
    """Return the title that a person gave, or a default that is cut to the limit; raise InvalidError if it is too long."""
    check_length(title or "", MAX_TITLE_CHARACTERS, "the title")
    return title or default[:MAX_TITLE_CHARACTERS]
