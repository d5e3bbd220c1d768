"""Scene: a game as a JSON document that the replay draws without knowing the game.

Every game builds its scenes with `build_scene`. Colours are names (`SCENE_COLOURS`) that the renderer translates for
light and dark pages. No information is given by colour alone: a letter, a glyph or a label repeats it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, NotRequired, TypedDict, TypeVar

from engine.actions import CHANCE, Action
from engine.play import replay_actions

if TYPE_CHECKING:
    from engine.state import State

S = TypeVar("S", bound="State")

SCENE_VERSION: Final = 1

SCENE_COLOURS: Final = (
    "plain",  # a normal square
    "ink",  # pen on paper
    "muted",  # paler than ink
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
    """The look of a painted square."""

    glyph: Literal["circle", "cross", "gap", "block", "cube"]
    """circle and cross are drawn with a pen over the square's label; gap is hatched; block fills the square and joins
    neighbours of the same step into one piece; cube is a raised square."""
    colour: str
    letter: NotRequired[str]
    """A small letter on blocks and cubes, so that the colour is not the only difference."""


class SceneBoard(TypedDict):
    """A grid of squares. Lists have one entry per square, a1 first, row by row upwards."""

    name: str
    seat: int | None
    """The seat that owns the board; None for a board that all seats share."""
    columns: int
    rows: int
    fills: list[str | None]
    """Colour of the empty square; None where the board has no square."""
    labels: list[str]
    """The text printed on the square."""
    column_labels: list[str]
    row_labels: list[str]
    """The bottom row first."""
    column_notes: NotRequired[list[str]]
    """A second, smaller line under the column labels, such as the dice that a column requires."""
    row_notes: NotRequired[list[str]]
    """The same beside the row labels, the bottom row first."""


class Piece(TypedDict):
    """An item in a tray: a shape or a token."""

    name: str
    cells: list[list[int]]
    """[column, row] of each square; empty for a token."""
    group: str
    """Heading under which the pieces of the same group are shown together; may be empty."""


class Tray(TypedDict):
    """What a seat or a colour has left: pieces, shapes that are not crossed out, strikes."""

    name: str
    seat: int | None
    colour: str
    pieces: list[Piece]


class Die(TypedDict):
    """A die on the table. Its face shows pips or a shape."""

    name: str
    face: str
    """The face as text."""
    pips: int | None
    cells: list[list[int | str]]
    """[column, row, mark] of the drawn shape; empty for pips."""
    state: Literal["open", "taken", "kept"]
    note: str
    """A note in words, such as who took the die; may be empty."""


class SceneStep(TypedDict):
    """The changes of one ply."""

    ply: int
    round: int
    seat: int
    """-1 for chance."""
    kind: str
    notation: str
    caption: str
    """The ply as a sentence."""
    paint: list[list[int | str]]
    """[board, square, mark] of every square that changes."""
    glow: list[list[int]]
    """[board, square] of squares to highlight that do not change, such as a line that has just scored."""
    spend: list[list[int]]
    """[tray, piece] of every piece that the ply uses up."""
    dice: list[Die]
    """All dice after the ply."""
    scores: list[int]
    """Score of every seat after the ply."""
    status: list[str]
    """A few words about every seat after the ply, such as the marker that it holds; may be empty texts."""


class Scene(TypedDict):
    """A whole game. Before the first step, all boards are empty and all trays are full; this is ply -1."""

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
    """Rank of every seat at the end; empty if the game is not over after the last step. If absent, scores decide."""
    strategies: NotRequired[list[str]]
    """The strategy of each seat."""
    run: NotRequired[str]
    """Name of the run that contains the game."""
    game_id: NotRequired[int]


class PlyChange(TypedDict, total=False):
    """The part of a step that a game provides. The rest of a step is built in the same way for every game."""

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
    """Replay the actions and return the scene. `change(before, action, after)` returns the game's part of each step.

    Dice and status stay the same until a change contains new ones. Raises IllegalError for an illegal action.
    """
    ruleset = start.ruleset
    states = replay_actions(start, actions)
    before = next(states)
    dice: list[Die] = []
    status = list(start_status) or [""] * ruleset.players
    scene: Scene = {
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
        changes = change(before, action, after)
        dice = changes.get("dice", dice)
        status = changes.get("status", status)
        scene["steps"].append(
            {
                "ply": ply,
                "round": before.round,
                "seat": before.seat,
                "kind": action.kind,
                "notation": action.notation,
                "caption": changes.get("caption", action.notation),
                "paint": changes.get("paint", []),
                "glow": changes.get("glow", []),
                "spend": changes.get("spend", []),
                "dice": dice,
                "scores": list(after.scores),
                "status": status,
            }
        )
        before = after
    scene["ranks"] = list(before.ranks) if before.is_over else []
    return scene


def seat_name(seat: int) -> str:
    """Return what people call a seat, at the start of a sentence.

    >>> seat_name(0), seat_name(CHANCE)
    ('Player 1', 'The dice')
    """
    return "The dice" if seat == CHANCE else f"Player {seat + 1}"


def column_letters(columns: int) -> list[str]:
    """Return the labels of the columns of a board."""
    return list("abcdefghijklmnopqrstuvwx"[:columns])


def row_numbers(rows: int) -> list[str]:
    """Return the labels of the rows of a board, the bottom row first."""
    return [str(row + 1) for row in range(rows)]
