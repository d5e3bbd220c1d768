"""A scene: a game as a document that a generic renderer can draw, without knowing the game.

Everything is JSON data. Colours are names that the renderer translates for light and dark pages (`SCENE_COLOURS`);
whatever a colour says is said by a letter, a glyph or a label too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NotRequired, TypedDict, TypeVar

from engine.actions import CHANCE
from engine.play import replay_actions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from engine.actions import Action
    from engine.state import State

S = TypeVar("S", bound="State")

SCENE_VERSION: Final = 1

SCENE_COLOURS: Final = (
    "plain",  # a square like any other
    "ink",  # pen on paper
    "muted",  # of less weight than ink
    "blue",
    "yellow",
    "red",
    "green",
    "orange",
    "violet",
    "gold",
    "silver",
    "seat0",
    "seat1",
    "seat2",
    "seat3",
)


class Mark(TypedDict):
    """How a painted square looks."""

    glyph: Literal["circle", "cross", "gap", "block", "cube"]
    """circle and cross: drawn with a pen over the square's label; gap: hatched; block: the square filled, with its
    neighbours of the same step as one piece; cube: a raised square."""
    colour: str
    letter: NotRequired[str]
    """Shown small on blocks and cubes, so that colour is never alone."""


class SceneBoard(TypedDict):
    """A grid of squares. Lists have one entry a square, a1 first, row by row upwards."""

    name: str
    seat: int | None
    """Whose board it is; None for one that all share."""
    columns: int
    rows: int
    fills: list[str | None]
    """Colour of the empty square; None where the frame has no square."""
    labels: list[str]
    """What is printed on the square."""
    column_labels: list[str]
    row_labels: list[str]
    """From the bottom."""
    column_notes: NotRequired[list[str]]
    """A second, smaller line under the column labels, such as the dice that a column asks for."""
    row_notes: NotRequired[list[str]]
    """The same beside the row labels, from the bottom."""


class Piece(TypedDict):
    """One thing in a tray: a shape or a token."""

    name: str
    cells: list[list[int]]
    """[column, row] of each square; empty for a token."""
    group: str
    """Pieces of the same group are shown together under this heading; may be empty."""


class Tray(TypedDict):
    """What a seat or a colour still has: pieces left, shapes not crossed out, strikes."""

    name: str
    seat: int | None
    colour: str
    pieces: list[Piece]


class Die(TypedDict):
    """A die as it lies on the table: pips, or a shape drawn on it."""

    name: str
    face: str
    """In writing."""
    pips: int | None
    cells: list[list[int | str]]
    """[column, row, mark] of the drawn shape; empty for pips."""
    state: Literal["open", "taken", "kept"]
    note: str
    """In words, such as who took it; may be empty."""


class SceneStep(TypedDict):
    """What one ply changes."""

    ply: int
    round: int
    seat: int
    """-1: chance."""
    kind: str
    notation: str
    caption: str
    """The ply in a sentence."""
    paint: list[list[int | str]]
    """[board, square, mark] of every square that changes."""
    glow: list[list[int]]
    """[board, square] of squares worth a look that do not change, such as a line just scored."""
    spend: list[list[int]]
    """[tray, piece] used up by the ply."""
    dice: list[Die]
    """All dice as they lie after the ply."""
    scores: list[int]
    """Of every seat after the ply."""
    status: list[str]
    """A few words about every seat after the ply, such as the marker it holds; may be empty."""


class Scene(TypedDict):
    """A whole game. The ply before the first step is -1: empty boards and full trays."""

    version: int
    game: str
    ruleset: str
    title: str
    lowest_wins: bool
    marks: dict[str, Mark]
    boards: list[SceneBoard]
    trays: list[Tray]
    start_scores: list[int]
    start_status: list[str]
    steps: list[SceneStep]
    ranks: NotRequired[list[int]]
    """Of every seat at the end; empty if the game is not over after the last step. Without it the scores decide."""
    strategies: NotRequired[list[str]]
    """What each seat played by."""
    run: NotRequired[str]
    """The run in whose file the game is."""
    game_id: NotRequired[int]


class PlyChange(TypedDict, total=False):
    """What a game has to say about a ply; the rest of a step is the same for every game."""

    caption: str
    paint: list[list[int | str]]
    glow: list[list[int]]
    spend: list[list[int]]
    dice: list[Die]
    status: list[str]


def build_scene(  # noqa: PLR0913 - the parts of a scene, all named
    start: S,
    actions: Sequence[int],
    *,
    marks: dict[str, Mark],
    boards: list[SceneBoard],
    trays: Iterable[Tray] = (),
    start_status: Iterable[str] = (),
    change: Callable[[S, Action, S], PlyChange],
) -> Scene:
    """Replay the actions and put the steps together; `change(before, action, after)` is the game's own part.

    Dice stay as they lie and status stays as it is until a change says otherwise.
    """
    ruleset = start.ruleset
    states = replay_actions(start, actions)
    before = next(states)
    dice: list[Die] = []
    status = list(start_status) or [""] * ruleset.players
    whole: Scene = {
        "version": SCENE_VERSION,
        "game": ruleset.game,
        "ruleset": ruleset.name,
        "title": ruleset.title,
        "lowest_wins": ruleset.lowest_wins,
        "marks": marks,
        "boards": boards,
        "trays": list(trays),
        "start_scores": list(before.scores),
        "start_status": status,
        "steps": [],
    }
    for ply, (number, after) in enumerate(zip(actions, states, strict=True)):
        action = ruleset.action(number)
        said = change(before, action, after)
        dice = said.get("dice", dice)
        status = said.get("status", status)
        whole["steps"].append(
            {
                "ply": ply,
                "round": before.round,
                "seat": before.seat,
                "kind": action.kind,
                "notation": action.notation,
                "caption": said.get("caption", action.notation),
                "paint": said.get("paint", []),
                "glow": said.get("glow", []),
                "spend": said.get("spend", []),
                "dice": dice,
                "scores": list(after.scores),
                "status": status,
            }
        )
        before = after
    whole["ranks"] = list(before.ranks) if before.is_over else []
    return whole


def seat_name(seat: int) -> str:
    """Name a seat in a sentence.

    >>> seat_name(0), seat_name(CHANCE)
    ('Seat 0', 'The dice')
    """
    return "The dice" if seat == CHANCE else f"Seat {seat}"


def column_letters(columns: int) -> list[str]:
    """Return the letters under a board."""
    return list("abcdefghijklmnopqrstuvwx"[:columns])


def row_numbers(rows: int) -> list[str]:
    """Return the numbers beside a board, from the bottom."""
    return [str(row + 1) for row in range(rows)]
