"""Blokus played by a program that speaks GTP as Pentobi does (pentobi_gtp/Pentobi-GTP.md, libpentobi_base/Pentobi-SGF.md).

A game goes by its name there, a colour by its number (`B` and `W` if there are two), a placement by its squares.
A state has no history, and a program wants one. Pieces of one colour never touch along an edge (BK-4), so a state
tells all the pieces that lie on the board; and what was told to the program before is the true beginning of the game
as long as all of it still lies there.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from engine.errors import InvalidError
from engine.line_protocol import Program, ProgramEndedError, ProgramError
from engine.notation import format_squares, read_cell
from engine.polyomino import SHAPES
from engine.strategy import Parameter, Strategy, TextParameter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine.games.blokus.rules import BlokusState
    from engine.games.blokus.ruleset import BlokusRuleset
    from engine.luck import Source

PlacedPiece: TypeAlias = tuple[int, tuple[int, ...]]
"""Colour and cells, ascending."""

MAX_ATTEMPTS: Final = 3
"""How often a decision is asked for before a program that ends each time is given up."""
SETUP_TIMEOUT_SECONDS: Final = 60.0
"""For everything but a decision: a program may read a book of openings when it starts."""


class GtpPlayer:
    """Decides by a program, which goes on from decision to decision, game to game."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._program: Program | None = None
        self._game = ""
        self._told: list[PlacedPiece] = []
        """What lies on the program's board, in the order of play."""

    def decide(self, state: BlokusState, seconds: float) -> int:
        """Return the program's placement, or the out where there is no other action.

        Raises InvalidError for a ruleset that such programs do not play, ProgramError if this one fails.
        """
        game = pentobi_game_name(state.ruleset)
        if (
            state.actions[0] >= state.ruleset.first_out_action
        ):  # nobody is asked: programs have no word for it
            return state.actions[0]
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                return self._request_action(state, game, seconds)
            except ProgramEndedError:
                if attempt == MAX_ATTEMPTS:
                    raise
            except ProgramError:
                if self._program:
                    self._program.close()  # nobody knows what it has on its board by now
                raise
        raise AssertionError("unreachable")

    def _request_action(self, state: BlokusState, game: str, seconds: float) -> int:
        program = self._prepare_program(game)
        placed = pieces_on_board(state)
        if set(self._told) <= placed:
            due = order_pieces(state, placed - set(self._told), self._told)
        else:
            program.send_command("clear_board", SETUP_TIMEOUT_SECONDS)
            self._told.clear()
            due = order_pieces(state, placed, ())
        ruleset = state.ruleset
        for colour, cells in due:
            program.send_command(
                f"play {pentobi_colour_name(ruleset, colour)} {format_squares(cells, ruleset.side)}",
                SETUP_TIMEOUT_SECONDS,
            )
            self._told.append((colour, cells))
        command = f"genmove {pentobi_colour_name(ruleset, state.turn)}"
        answer = program.send_command(command, seconds)
        action = _read_answer(state, answer)
        if action is None:
            raise ProgramError(
                f"the program answered {command!r} with {answer[:80]!r}, which is no placement here"
            )
        self._told.append((state.turn, tuple(sorted(ruleset.action(action).cells))))
        return action

    def _prepare_program(self, game: str) -> Program:
        """Return the program with the right game; its board is empty if it or its game was another before."""
        program = self._program
        if program is None or not program.is_running:
            program = self._program = Program(self._command)
            self._game = ""
        if self._game != game:
            self._told.clear()
            self._game = ""
            program.send_command(f"set_game {game}", SETUP_TIMEOUT_SECONDS)
            try:  # a program of Pentobi's would rather give up a lost game than play it; others know no such thing
                program.send_command("param_base resign 0", SETUP_TIMEOUT_SECONDS)
            except ProgramError:
                if not program.is_running:
                    raise
            self._game = game
        return program


def pentobi_game_name(ruleset: BlokusRuleset) -> str:
    """Return what Pentobi calls a ruleset; raise InvalidError if it does not have it."""
    names = {2: "Blokus Two-Player", 3: "Blokus Three-Player", 4: "Blokus"}
    board = ruleset.tables.board
    whole = len(ruleset.pieces) == len(SHAPES) and ruleset.options.corners == "fixed"
    if whole and (board.side, board.start) == (20, ["a20", "t20", "t1", "a1"]):
        return names[ruleset.players]
    if whole and (board.side, board.start) == (14, ["e10", "j5"]):
        return "Blokus Duo"
    raise InvalidError(
        f"{ruleset.name}: programs play Blokus with fixed corners and all pieces, on 20 x 20 squares or Duo's 14 x 14: "
        "blokus-fixed-2p to -4p, blokus-duo"
    )


def pentobi_colour_name(ruleset: BlokusRuleset, colour: int) -> str:
    """Return what Pentobi calls a colour."""
    return "BW"[colour] if len(ruleset.colours) == 2 else str(colour + 1)


def pieces_on_board(state: BlokusState) -> set[PlacedPiece]:
    """Return all pieces on the board: what hangs together along edges in one colour."""
    ruleset, windows = state.ruleset, state.ruleset.windows
    found: set[PlacedPiece] = set()
    for number, colour in enumerate(state.colours):
        rest = colour.squares
        while rest:
            piece = rest & -rest
            grown = 0
            while piece != grown:
                grown = piece
                piece |= (piece << 1 | piece >> 1 | piece << windows.stride | piece >> windows.stride) & rest
            rest ^= piece
            spots = (spot for spot in range(piece.bit_length()) if piece >> spot & 1)
            points = (windows.point(spot) for spot in spots)
            found.add((number, tuple(sorted(x + ruleset.side * y for x, y in points))))
    return found


def order_pieces(
    state: BlokusState, due: set[PlacedPiece], before: Iterable[PlacedPiece]
) -> list[PlacedPiece]:
    """Return pieces in an order in which they can be played after others: the colours by turns, each corner to corner.

    After all but the last plies of a game it is the order in which they were played.
    """
    ruleset, before = state.ruleset, list(before)
    numbers = range(len(ruleset.colours))
    waiting = [sorted(cells for colour, cells in due if colour == number) for number in numbers]
    reached = [{start} for start in ruleset.start_cells]  # BK-3, and BK-4 once there is a piece
    for colour, cells in before:
        reached[colour] |= _corner_cells(cells, ruleset.side)
    turn = before[-1][0] if before else -1
    order: list[PlacedPiece] = []
    while any(waiting):
        turn = (turn + 1) % len(numbers)
        cells = next((cells for cells in waiting[turn] if reached[turn].intersection(cells)), ())
        if cells:
            waiting[turn].remove(cells)
            order.append((turn, cells))
            reached[turn] |= _corner_cells(cells, ruleset.side)
    return order


def _corner_cells(cells: tuple[int, ...], side: int) -> set[int]:
    """Return the cells that touch one of some cells at a corner."""
    points = [(cell % side, cell // side) for cell in cells]
    around = {(x + dx, y + dy) for x, y in points for dx in (-1, 1) for dy in (-1, 1)}
    return {x + side * y for x, y in around if 0 <= x < side and 0 <= y < side}


def _read_answer(state: BlokusState, answer: str) -> int | None:
    """Return the action that a program means, or None if it is none that is legal here."""
    ruleset = state.ruleset
    try:
        cells = [read_cell(name.strip().lower(), ruleset.side, ruleset.side) for name in answer.split(",")]
        action = ruleset.read_action(
            f"{ruleset.colour_letters[state.turn]}:{format_squares(cells, ruleset.side)}"
        )
    except InvalidError:
        return None
    return action if action in state.actions else None


@cache
def _shared_player(command: str) -> GtpPlayer:
    """Return the one player of a command in this process: to start a program takes longer than to play with it."""
    return GtpPlayer(command)


def _gtp_decider(command: str, seconds: float) -> Callable[[BlokusState, Source], int]:
    def decide(state: BlokusState, _: Source) -> int:
        return _shared_player(command).decide(state, seconds)

    return decide


GTP_STRATEGY: Final = Strategy(
    "gtp",
    "A program that speaks GTP as Pentobi's does. Equal seeds need not give equal games: its luck is its own.",
    _gtp_decider,
    (Parameter("seconds", "how long it may think about one placement", 60.0, 0.1, 86_400),),
    (TextParameter("command", "the program and its arguments"),),
)
