"""A small program that plays Blokus over GTP, for tests: with its own board, by the names that Pentobi uses.

It can be told to misbehave: `--do crash|hang|chatter|nonsense|error|pass|prose --at N`, at its N-th genmove; with
`--once FILE` only as long as there is no such file, which it makes then. `--log FILE` keeps what it was asked.
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


class RefusedCommand(Exception):  # noqa: N818 - what it says is the answer
    """Answered with `?`."""


class Engine:
    def __init__(self) -> None:
        self.decided = 0
        self.state = self.start_game("Blokus")

    def start_game(self, game: str) -> BlokusState:
        if game not in RULESET_NAMES:
            raise RefusedCommand("invalid argument")
        ruleset = Catalogue().find_ruleset(RULESET_NAMES[game])
        assert isinstance(ruleset, BlokusRuleset)
        return start_state(ruleset)

    def answer_command(self, line: str) -> str:
        command, _, rest = line.strip().partition(" ")
        if command == "set_game":
            self.state = self.start_game(rest)
        elif command == "clear_board":
            self.state = start_state(self.state.ruleset)
        elif command == "play":
            name, listed = rest.split()
            self.play(self.read_colour(name), listed)
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

    def play(self, colour: int, listed: str) -> None:
        """Any colour may place at any time, as in Pentobi; what it places has to be legal."""
        ruleset = self.state.ruleset
        cells = [read_cell(name, ruleset.side, ruleset.side) for name in listed.split(",")]
        action = ruleset.read_action(
            f"{ruleset.colour_letters[colour]}:{format_squares(cells, ruleset.side)}"
        )
        if action not in self.state.legal_placements(colour):
            raise RefusedCommand("illegal move")
        self.state = replace(self.state, turn=colour).play(action)

    def genmove(self, colour: int) -> str:
        self.decided += 1
        ruleset, placements = self.state.ruleset, self.state.legal_placements(colour)
        if not placements:
            return "pass"
        best = max(placements, key=lambda action: (len(ruleset.action(action).cells), action))
        listed = ruleset.action(best).notation.partition(":")[2]
        self.play(colour, listed)
        return ",".join(reversed(listed.upper().split(",")))  # any order and case are good


def misbehave(what: str) -> str:
    """Return an answer that is none, or none at all."""
    if what == "crash":
        say("out of luck\n", to=sys.stderr)
        os._exit(3)
    if what == "hang":
        time.sleep(600)
    if what == "chatter":
        while True:
            say("and another thing\n")
    return {
        "nonsense": "= z99\n\n",
        "error": "? cannot think\n\n",
        "pass": "= pass\n\n",
        "prose": "Hello!\n\n",
    }[what]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--do")
    parser.add_argument("--at", type=int, default=1)
    parser.add_argument("--once", type=Path)
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    engine = Engine()
    say("x" * 100_000 + "\n", to=sys.stderr)  # more than a pipe holds: who does not read it waits for ever
    for line in sys.stdin:
        if options.log:
            with options.log.open("a", encoding="utf-8") as log:
                log.write(line)
        due = options.do and line.startswith("genmove") and engine.decided + 1 >= options.at
        if due and options.once and options.once.exists():
            due = False
        if due:
            if options.once:
                options.once.touch()
            engine.decided += 1
            say(misbehave(options.do))
            continue
        try:
            say(f"= {engine.answer_command(line)}\n\n")
        except (RefusedCommand, ValueError) as error:
            say(f"? {error}\n\n")


if __name__ == "__main__":
    main()
