"""What the command lines of the programs that measure, learn and tune have alike."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.records.record_file import BENCHMARKS_FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence


def make_parser(module: str, text: str | None) -> argparse.ArgumentParser:
    """Return the parser of `python -m pipelines.measure.MODULE`; the first line of the text describes it."""
    return argparse.ArgumentParser(
        prog=f"python -m pipelines.measure.{module}", description=(text or "").splitlines()[0]
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


def print_progress(text: str) -> None:
    """Print a line on stderr at once."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
