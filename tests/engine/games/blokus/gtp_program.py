"""A small program for the tests that plays Blokus over GTP. It has its own board and uses Pentobi's names.

`--do crash|hang|chatter|nonsense|error|pass|resign|prose --at N` makes it misbehave at its N-th genmove. With `--once FILE`
it misbehaves only if the file does not exist, and then creates it; with `--pieces N`, whenever N pieces are on the board.
`--log FILE` appends every command to a file.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from engine.catalogue import Catalogue
from engine.games.blokus.rules import BlokusState, start_state
from engine.games.blokus.ruleset import BlokusRuleset
from engine.notation import format_squares, read_cell


def say(text: str, *, to: TextIO = sys.stdout) -> None:
    to.write(text)
    to.flush()


RULESET_NAMES = {
    "Blokus": "blokus-fixed-4p",
    "Blokus Two-Player": "blokus-fixed-2p",
    "Blokus Three-Player": "blokus-fixed-3p",
    "Blokus Duo": "blokus-duo",
}


class RefusedCommand(Exception):  # noqa: N818 - its text is sent as the answer
    """A command that is answered with `?`."""


class Engine:
    def __init__(self) -> None:
        self.decisions = 0
        self.pieces = 0
        self.state = self.start_game("Blokus")

    def start_game(self, game: str) -> BlokusState:
        if game not in RULESET_NAMES:
            raise RefusedCommand("invalid argument")
        ruleset = Catalogue().find_ruleset(RULESET_NAMES[game])
        assert isinstance(ruleset, BlokusRuleset)
        return start_state(ruleset)

    def answer_command(self, line: str) -> str:
        command, _, rest = line.strip().partition(" ")
        if command in {"set_game", "clear_board"}:
            self.pieces = 0
        if command == "set_game":
            self.state = self.start_game(rest)
        elif command == "clear_board":
            self.state = start_state(self.state.ruleset)
        elif command == "play":
            name, squares = rest.split()
            self.play(self.read_colour(name), squares)
        elif command == "name":
            return "Test  Player"
        elif command == "version":
            return "1.2"
        elif command == "genmove":
            return self.genmove(self.read_colour(rest))
        else:
            raise RefusedCommand("unknown command")
        return ""

    def read_colour(self, name: str) -> int:
        names = "BW" if len(self.state.colours) == 2 else "1234"
        if len(name) != 1 or name not in names:
            raise RefusedCommand(f"invalid color argument '{name}'")
        return names.index(name)

    def play(self, colour: int, squares: str) -> None:
        """Place a piece of any colour, whether it is on turn or not, as Pentobi does; the placement must be legal."""
        ruleset = self.state.ruleset
        cells = [read_cell(name, ruleset.side, ruleset.side) for name in squares.split(",")]
        action = ruleset.read_action(
            f"{ruleset.colour_letters[colour]}:{format_squares(cells, ruleset.side)}"
        )
        if action not in self.state.legal_placements(colour):
            raise RefusedCommand("illegal move")
        self.state = replace(self.state, turn=colour).play(action)
        self.pieces += 1

    def genmove(self, colour: int) -> str:
        self.decisions += 1
        ruleset, placements = self.state.ruleset, self.state.legal_placements(colour)
        if not placements:
            return "pass"
        best = max(placements, key=lambda action: (len(ruleset.action(action).cells), action))
        squares = ruleset.action(best).notation.partition(":")[2]
        self.play(colour, squares)
        return ",".join(reversed(squares.upper().split(",")))  # the order and case do not matter


def misbehave(fault: str) -> str:
    """Return an invalid answer; never return for `crash`, `hang` and `chatter`."""
    if fault == "crash":
        say("out of luck\n", to=sys.stderr)
        os._exit(3)
    if fault == "hang":
        time.sleep(600)
    if fault == "chatter":
        while True:
            say("more text\n")
    return {
        "nonsense": "= z99\n\n",
        "error": "? cannot think\n\n",
        "pass": "= pass\n\n",
        "resign": "= resign\n\n",
        "prose": "Hello!\n\n",
    }[fault]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--do")
    parser.add_argument("--at", type=int, default=1)
    parser.add_argument("--once", type=Path)
    parser.add_argument("--pieces", type=int)
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    engine = Engine()
    say(
        "x" * 100_000 + "\n", to=sys.stderr
    )  # more than a pipe holds: this blocks for ever if nobody reads it
    for line in sys.stdin:
        if options.log:
            with options.log.open("a", encoding="utf-8") as log:
                log.write(line)
        is_due = options.do and line.startswith("genmove") and engine.decisions + 1 >= options.at
        if is_due and options.once and options.once.exists():
            is_due = False
        if is_due and options.pieces not in {None, engine.pieces}:
            is_due = False
        if is_due:
            if options.once:
                options.once.touch()
            engine.decisions += 1
            say(misbehave(options.do))
            continue
        try:
            say(f"= {engine.answer_command(line)}\n\n")
        except (RefusedCommand, ValueError) as error:
            say(f"? {error}\n\n")


if __name__ == "__main__":
    main()
