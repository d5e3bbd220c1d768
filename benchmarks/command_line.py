"""What the command lines of the programs that measure, learn and tune have alike."""

from __future__ import annotations

import argparse
import sys
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import GameError, unknown_name_error
from pipelines.records.record_file import BENCHMARKS_FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence


def make_parser(module: str, text: str | None) -> argparse.ArgumentParser:
    """Return the parser of `python -m benchmarks.MODULE`; the first line of the text describes it."""
    return argparse.ArgumentParser(
        prog=f"python -m benchmarks.{module}", description=(text or "").splitlines()[0]
    )


def parse_measuring(
    parser: argparse.ArgumentParser, words: Sequence[str] | None, file: str, blocks: int, what: str
) -> argparse.Namespace:
    """Return the names of rulesets, the blocks and the file of results that a command line names.

    `file` is the name of the usual file, `blocks` the usual number of blocks, and `what` says what is played as often.
    """
    parser.add_argument("names", nargs="*", metavar="RULESET", help="measure only these")
    parser.add_argument("--blocks", type=int, default=blocks, help=what)
    parser.add_argument("--out", type=Path, default=BENCHMARKS_FOLDER / file, help="the JSON file")
    arguments = parser.parse_args(words)
    if arguments.blocks < 2:
        parser.error(f"--blocks: an interval needs two blocks at least, not {arguments.blocks}")
    return arguments


def check_names(names: Iterable[str], known: Collection[str], what: str) -> None:
    """Raise NotFoundError for the first name that is not known; `what` says what it should be the name of."""
    for name in names:
        if name not in known:
            raise unknown_name_error(what, name, known)


def with_exit_code(main: Callable[[Sequence[str] | None], None]) -> Callable[..., int]:
    """Let a program return its exit code: 2 after a GameError, whose message it prints, else 0."""

    @wraps(main)
    def run(words: Sequence[str] | None = None) -> int:
        try:
            main(words)
        except GameError as error:
            print_progress(f"reroll: {error}")
            return 2
        return 0

    return run


def print_progress(text: str) -> None:
    """Print a line on stderr at once."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
