"""The strategy `gtp`: an external program decides, by Pentobi's dialect of GTP.

Sources: pentobi_gtp/Pentobi-GTP.md and libpentobi_base/Pentobi-SGF.md. The protocol identifies a game by its name, a
colour by its number (`B` and `W` if there are two colours), and a placement by its squares.

The program needs the moves of the game, but a state has no history. They are reconstructed: pieces of one colour never
touch along an edge (BK-4), so the pieces can be told apart on the board, and `order_pieces` finds an order in which they
can be played. If all pieces that the program already has on its board are on the board of the state too, only the
remaining ones are sent; otherwise the program's board is cleared first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from engine.errors import InvalidError
from engine.line_protocol import Program, ProgramEndedError, ProgramError, ProgramStartError
from engine.notation import format_squares, read_cell
from engine.polyomino import SHAPES
from engine.strategy import FAILURE_PARAMETER, Parameter, Strategy, TextParameter

if TYPE_CHECKING:
    from engine.games.blokus.rules import BlokusState
    from engine.games.blokus.ruleset import BlokusRuleset
    from engine.luck import Source

MAX_IDENTITY_LENGTH: Final = 200
PlacedPiece: TypeAlias = tuple[int, tuple[int, ...]]
"""The colour of a piece and its cells, ascending."""

MAX_ATTEMPTS: Final = 3
"""How often a decision is requested if the program ends each time; after that the error is raised."""
SETUP_TIMEOUT_SECONDS: Final = 60.0
"""Timeout of every command except `genmove`. It is long because a program may read an opening book when it starts."""


class GtpPlayer:
    """A player that asks one running program for all decisions, in one game after another."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._program: Program | None = None
        self._game = ""
        self.identity: str | None = None
        """Name and version that the program gives itself; None before it is started."""
        self._program_pieces: list[PlacedPiece] = []
        """The pieces on the program's board, in the order of play."""

    def decide(self, state: BlokusState, seconds: float) -> int:
        """Return the program's placement, or `out` if it is the only legal action.

        `seconds` is the time limit of the decision. Raises InvalidError for a ruleset that Pentobi does not have,
        ProgramStartError if the program cannot play at all, and ProgramError if it fails in this game.
        """
        game = pentobi_game_name(state.ruleset)
        only_action = state.actions[0]
        if only_action >= state.ruleset.first_out_action:  # the protocol has no command for `out`
            return only_action
        for attempt in range(1, MAX_ATTEMPTS + 1):
            is_prepared = False
            try:
                program = self._prepare_program(game)
                is_prepared = True
                return self._request_action(program, state, seconds)
            except ProgramError as error:
                if isinstance(error, ProgramEndedError) and attempt < MAX_ATTEMPTS:
                    continue
                if self._program:
                    self._program.close()  # the content of its board is unknown after an error
                if is_prepared:
                    raise
                raise ProgramStartError(str(error)) from error
        raise AssertionError("unreachable")

    def _request_action(self, program: Program, state: BlokusState, seconds: float) -> int:
        placed = pieces_on_board(state)
        if set(self._program_pieces) <= placed:
            to_send = order_pieces(state, placed - set(self._program_pieces), self._program_pieces)
        else:
            program.send_command("clear_board", SETUP_TIMEOUT_SECONDS)
            self._program_pieces.clear()
            to_send = order_pieces(state, placed, ())
        ruleset = state.ruleset
        for colour, cells in to_send:
            program.send_command(
                f"play {pentobi_colour_name(ruleset, colour)} {format_squares(cells, ruleset.side)}",
                SETUP_TIMEOUT_SECONDS,
            )
            self._program_pieces.append((colour, cells))
        command = f"genmove {pentobi_colour_name(ruleset, state.turn)}"
        answer = program.send_command(command, seconds)
        action = _read_answer(state, answer)
        if action is None:
            raise ProgramError(
                f"the program answered {command!r} with {answer[:80]!r}, which is not a legal placement"
            )
        self._program_pieces.append((state.turn, tuple(sorted(ruleset.action(action).cells))))
        return action

    def _prepare_program(self, game: str) -> Program:
        """Return the running program, set to the game. Its board is empty if it was started or its game changed."""
        program = self._program
        if program is None or not program.is_running:
            program = self._program = Program(self._command)
            self._game = ""
            self.identity = _request_identity(program)
        if self._game != game:
            self._program_pieces.clear()
            self._game = ""
            program.send_command(f"set_game {game}", SETUP_TIMEOUT_SECONDS)
            try:  # Pentobi would resign a lost game without this parameter, which other programs do not know
                program.send_command("param_base resign 0", SETUP_TIMEOUT_SECONDS)
            except ProgramError:
                if not program.is_running:
                    raise
            self._game = game
        return program


def _request_identity(program: Program) -> str | None:
    """Return the answers of a program to the GTP commands `name` and `version`; None if it knows neither."""
    answers = []
    for command in ("name", "version"):
        try:
            answers.append(program.send_command(command, SETUP_TIMEOUT_SECONDS))
        except ProgramError:
            if not program.is_running:
                raise
    words = " ".join(" ".join(answers).split())
    return "".join(filter(str.isprintable, words))[:MAX_IDENTITY_LENGTH] or None


def pentobi_game_name(ruleset: BlokusRuleset) -> str:
    """Return Pentobi's name of a ruleset; raise InvalidError if Pentobi does not have the ruleset."""
    names = {2: "Blokus Two-Player", 3: "Blokus Three-Player", 4: "Blokus"}
    board = ruleset.tables.board
    is_standard = len(ruleset.pieces) == len(SHAPES) and ruleset.options.corners == "fixed"
    if is_standard and (board.side, board.start) == (20, ["a20", "t20", "t1", "a1"]):
        return names[ruleset.players]
    if is_standard and (board.side, board.start) == (14, ["e10", "j5"]):
        return "Blokus Duo"
    raise InvalidError(
        f"{ruleset.name}: programs play Blokus with fixed corners and all pieces, on 20 x 20 squares or Duo's 14 x 14; "
        "use blokus-fixed-2p, blokus-fixed-3p, blokus-fixed-4p or blokus-duo"
    )


def pentobi_colour_name(ruleset: BlokusRuleset, colour: int) -> str:
    """Return Pentobi's name of a colour."""
    return "BW"[colour] if len(ruleset.colours) == 2 else str(colour + 1)


def pieces_on_board(state: BlokusState) -> set[PlacedPiece]:
    """Return all pieces on the board. A piece is a group of squares of one colour that are connected by their edges."""
    ruleset, windows = state.ruleset, state.ruleset.windows
    pieces: set[PlacedPiece] = set()
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
            pieces.add((number, tuple(sorted(x + ruleset.side * y for x, y in points))))
    return pieces


def order_pieces(
    state: BlokusState, pieces: set[PlacedPiece], before: Iterable[PlacedPiece]
) -> list[PlacedPiece]:
    """Return `pieces` in an order in which they can be played after the pieces `before`.

    The colours take turns, and every piece after the first touches an earlier one of its colour at a corner. If
    `before` contains all plies of the game but those of the last round, the order is the one in which they were played.
    """
    ruleset, before = state.ruleset, list(before)
    numbers = range(len(ruleset.colours))
    waiting = [sorted(cells for colour, cells in pieces if colour == number) for number in numbers]
    reached = [{start} for start in ruleset.start_cells]  # BK-3; the cells of BK-4 are added with every piece
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
    """Return the cells of the board that touch one of the given cells at a corner."""
    points = [(cell % side, cell // side) for cell in cells]
    around = {(x + dx, y + dy) for x, y in points for dx in (-1, 1) for dy in (-1, 1)}
    return {x + side * y for x, y in around if 0 <= x < side and 0 <= y < side}


def _read_answer(state: BlokusState, answer: str) -> int | None:
    """Return the action that the answer of a program denotes, or None if the answer is not a legal placement."""
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
    """Return the player of a command. A process has one for each command, because starting a program is slow."""
    return GtpPlayer(command)


def _gtp_decider(command: str, seconds: float, **_: str) -> Callable[[BlokusState, Source], int]:
    """Return the decision function; what happens after a failure is a matter of the run."""

    def decide(state: BlokusState, _: Source) -> int:
        return _shared_player(command).decide(state, seconds)

    return decide


GTP_STRATEGY: Final = Strategy(
    "gtp",
    "A program that speaks GTP as Pentobi's does. Equal seeds need not give equal games: its luck is its own.",
    _gtp_decider,
    (Parameter("seconds", "how long it may think about one placement", 60.0, 0.1, 86_400),),
    (TextParameter("command", "the program and its arguments"), FAILURE_PARAMETER),
    check_ruleset=pentobi_game_name,
    identify=lambda command, **_: _shared_player(command).identity,
)
