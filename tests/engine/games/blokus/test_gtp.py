"""The strategy `gtp`: program and state have the same board, and faults of the program have clear messages."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.errors import InvalidError
from engine.games.blokus import GAME
from engine.games.blokus.gtp import (
    GTP_STRATEGY,
    GtpPlayer,
    order_pieces,
    pentobi_colour_name,
    pentobi_game_name,
    pieces_on_board,
)
from engine.games.blokus.rules import BlokusState, start_state
from engine.games.blokus.ruleset import BlokusRuleset
from engine.line_protocol import ProgramEndedError, ProgramError, close_all_programs
from engine.luck import Luck
from engine.notation import format_squares
from engine.play import play_out
from engine.strategies import read_player
from tests.engine.playing import find_shipped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.luck import Source
    from engine.state import State

TEST_FOLDER = Path(__file__).parent
PENTOBI_NAMES = {
    "blokus-fixed-4p": "Blokus",
    "blokus-fixed-2p": "Blokus Two-Player",
    "blokus-fixed-3p": "Blokus Three-Player",
    "blokus-duo": "Blokus Duo",
}
GREEDY = read_player(GAME, "greedy").decide


@pytest.fixture(autouse=True)
def _no_program_is_left() -> Iterator[None]:
    yield
    close_all_programs()


ruleset_of = partial(find_shipped, BlokusRuleset)


def program_command(*options: object) -> str:
    return shlex.join([sys.executable, str(TEST_FOLDER / "gtp_program.py"), *map(str, options)])


def largest_action(state: State, _: Source) -> int:
    """Return the action that the program of the tests plays."""
    assert isinstance(state, BlokusState)
    if state.actions[0] >= state.ruleset.first_out_action:
        return state.actions[0]
    return max(state.actions, key=lambda action: (len(state.ruleset.action(action).cells), action))


@pytest.mark.parametrize("name", PENTOBI_NAMES)
def test_a_program_plays_as_if_it_saw_the_state(name: str, tmp_path: Path) -> None:
    """The program owns one or two colours, or shares one; its board is that of the state in all games."""
    ruleset = ruleset_of(name)
    log = tmp_path / "log"
    decide = read_player(GAME, f'gtp:command="{program_command("--log", log)}"', {"gtp": GTP_STRATEGY}).decide
    for block in range(2):
        others = [GREEDY] * (ruleset.players - 1)
        end, plies = play_out(start_state(ruleset), [decide, *others], Luck(5, block))
        twin, same = play_out(start_state(ruleset), [largest_action, *others], Luck(5, block))
        assert plies == same
        assert end.scores == twin.scores
    commands = log.read_text().splitlines()
    assert commands[:2] == ["name", "version"]
    assert commands[2] == f"set_game {PENTOBI_NAMES[name]}"
    assert commands.count("clear_board") == 1
    assert {line.split()[1] for line in commands if line.startswith("genmove")} == {
        pentobi_colour_name(ruleset, colour)
        for colour in (*ruleset.seat_colours[0], *({3} if name.endswith("3p") else ()))
    }


def test_a_program_receives_the_plies_in_the_order_of_play(tmp_path: Path) -> None:
    ruleset, log = ruleset_of("blokus-fixed-4p"), tmp_path / "log"
    decide = read_player(GAME, f'gtp:command="{program_command("--log", log)}"', {"gtp": GTP_STRATEGY}).decide
    _, plies = play_out(start_state(ruleset), [GREEDY, decide, GREEDY, GREEDY], Luck(5, 0))
    commands = [line.split() for line in log.read_text().splitlines() if line.startswith(("play", "genmove"))]
    placed = [ply.action for ply in plies if ply.action < ruleset.first_out_action]
    for (command, colour, *squares), action in zip(commands, placed, strict=False):
        written = ruleset.action(action).notation
        assert ruleset.colour_letters["1234".index(colour)] == written[0]
        assert command == "genmove" or squares == [written[2:]]
    assert len(commands) > 50


def test_a_different_line_of_play_is_sent_from_the_start(tmp_path: Path) -> None:
    ruleset, log = ruleset_of("blokus-duo"), tmp_path / "log"
    gtp = GtpPlayer(program_command("--log", log))
    first = start_state(ruleset)
    own = first.play(gtp.decide(first, 20))
    other = own.play(own.actions[0])
    gtp.decide(other, 20)
    another = first.play(first.actions[0]).play(own.actions[5])
    assert gtp.decide(another, 20) == largest_action(another, Luck(1, 0).source(0, 0, 0))
    commands = [line.split()[0] for line in log.read_text().splitlines()]
    assert commands[4:] == ["genmove", "play", "genmove", "clear_board", "play", "play", "genmove"]


@pytest.mark.parametrize("variant", ["classic", "classic_2", "classic_3", "duo"])
def test_pieces_are_recognised_on_the_boards_of_pentobi(variant: str) -> None:
    """BK-4: pieces of a colour never touch along an edge, so a board shows its pieces; they can be played again."""
    ruleset = ruleset_of(
        {"classic": "blokus-fixed-4p", "classic_2": "blokus-fixed-2p", "classic_3": "blokus-fixed-3p"}.get(
            variant, "blokus-duo"
        )
    )
    with gzip.open(TEST_FOLDER / "golden" / f"{variant}_full.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    assert len(records) == 10
    for record in records:
        history = [(colour, tuple(cells)) for colour, cells in record["history"]]
        state = _play_history(ruleset, history)
        assert pieces_on_board(state) == set(history)
        order = order_pieces(state, set(history), ())
        assert set(order) == set(history)
        again = _play_history(ruleset, order)
        for colour in range(len(ruleset.colours)):
            assert again.colours[colour].squares == state.colours[colour].squares
            assert again.legal_placements(colour).plane == state.legal_placements(colour).plane


def _play_history(ruleset: BlokusRuleset, history: list[tuple[int, tuple[int, ...]]]) -> BlokusState:
    state = start_state(ruleset)
    for colour, cells in history:
        state = replace(state, turn=colour, ended=False)
        state = state.play(
            ruleset.read_action(f"{ruleset.colour_letters[colour]}:{format_squares(cells, ruleset.side)}")
        )
    return state


@pytest.mark.slow
def test_a_program_that_crashes_is_started_again_and_receives_the_game(tmp_path: Path) -> None:
    ruleset, log = ruleset_of("blokus-duo"), tmp_path / "log"
    options = ("--do", "crash", "--at", 6, "--once", tmp_path / "crashed", "--log", log)
    decide = read_player(GAME, f'gtp:command="{program_command(*options)}"', {"gtp": GTP_STRATEGY}).decide
    _, plies = play_out(start_state(ruleset), [decide, GREEDY], Luck(5, 0))
    assert plies == play_out(start_state(ruleset), [largest_action, GREEDY], Luck(5, 0))[1]
    assert log.read_text().count("set_game") == 2


@pytest.mark.slow
def test_a_program_that_crashes_every_time_is_an_error(tmp_path: Path) -> None:
    log = tmp_path / "log"
    gtp = GtpPlayer(program_command("--do", "crash", "--log", log))
    with pytest.raises(
        ProgramEndedError, match=r"ended with code 3 at 'genmove B'; its last words: .*out of luck"
    ):
        gtp.decide(start_state(ruleset_of("blokus-duo")), 20)
    assert log.read_text().count("genmove") == 3


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("hang", "the program did not answer 'genmove 1' in time"),
        pytest.param("chatter", "the program does not end its answer to 'genmove 1'", marks=pytest.mark.slow),
        ("nonsense", "the program answered 'genmove 1' with 'z99', which is not a legal placement"),
        pytest.param(
            "pass",
            "the program answered 'genmove 1' with 'pass', which is not a legal placement",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "error",
            "the program answered 'genmove 1' with the error 'cannot think'",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "prose",
            "the program answered 'genmove 1' with 'Hello!', which is not GTP",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_misbehaving_program_is_ended_and_reported(fault: str, message: str, tmp_path: Path) -> None:
    state = start_state(ruleset_of("blokus-fixed-4p"))
    gtp = GtpPlayer(program_command("--do", fault, "--once", tmp_path / "once"))
    with pytest.raises(ProgramError, match=re.escape(message)):
        gtp.decide(state, 1 if fault == "hang" else 20)
    assert gtp._program is not None
    assert not gtp._program.is_running
    assert gtp.decide(state, 20) == largest_action(
        state, Luck(1, 0).source(0, 0, 0)
    )  # the program is started again


@pytest.mark.parametrize("name", ["blokus-4p", "blokus-2p"])
def test_a_ruleset_that_programs_do_not_play_is_refused(name: str) -> None:
    with pytest.raises(InvalidError, match="programs play Blokus with fixed corners and all pieces"):
        pentobi_game_name(ruleset_of(name))
