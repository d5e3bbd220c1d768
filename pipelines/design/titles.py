"""What people call a ruleset, a square and a move. Files, addresses and commands use identifiers and notation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from engine import games
from engine.errors import InvalidError
from engine.wording import format_count

if TYPE_CHECKING:
    from engine.actions import Action
    from engine.ruleset import Ruleset
    from engine.scene import SceneBoard


class TitledRuleset(Protocol):
    """A ruleset, or the summary of one in a run."""

    @property
    def name(self) -> str:
        """The name by which addresses and commands know it."""

    @property
    def title(self) -> str:
        """The title in its file."""

    @property
    def players(self) -> int:
        """The number of players."""


def format_ruleset(ruleset: TitledRuleset) -> str:
    """Return the title of a ruleset and its number of players, such as "BLOXX! (shapes may hang), 2 players"."""
    return f"{ruleset.title}, {format_count(ruleset.players, 'player')}"


def format_ruleset_for(ruleset: TitledRuleset) -> str:
    """Return both as part of a sentence or a heading, such as "BLOXX! (shapes may hang) for 2 players"."""
    return f"{ruleset.title} for {format_count(ruleset.players, 'player')}"


def format_ruleset_choice(ruleset: TitledRuleset) -> str:
    """Return both and the name, as menus list rulesets, such as "BLOXX! (shapes may hang), 2 players · bloxx-touch-2p"."""
    return f"{format_ruleset(ruleset)} · {ruleset.name}"


def name_square(board: SceneBoard, cell: int) -> str:
    """Return the name of a square, such as `a1`."""
    row, column = divmod(cell, board["columns"])
    return f"{board['column_labels'][column]}{board['row_labels'][row]}"


def name_action(action: Action, board: SceneBoard) -> str:
    """Return an action as the replay names it: the piece and the leftmost square of its lowest row, or what it does without one."""
    if action.kind == "keep":
        return f"keeps {'nothing' if action.notation == '0' else action.notation}"
    if not action.cells:
        return action.kind
    place = name_square(board, min(action.cells))
    return f"{action.piece} at {place}" if action.piece else place


def tell_choice(ruleset: Ruleset, notation: str) -> str:
    """Return an action or a roll in words that complete the question "what if ..."; one that the rules do not have keeps its notation.

    >>> from engine.catalogue import Catalogue
    >>> blokus, bloxx = (Catalogue().find_ruleset(name) for name in ("blokus-2p", "bloxx-2p"))
    >>> tell_choice(blokus, "y:b1,a2,b2"), tell_choice(bloxx, "O4 L4")
    ('the move was V3 at b1', 'the roll was O4 L4')
    """
    try:
        action = ruleset.action(ruleset.read_action(notation))
    except InvalidError:
        return f"the move was {notation}"
    if action.kind == "keep":
        return "no dice were kept" if action.notation == "0" else f"the dice that were kept were {notation}"
    if action.dice:
        return f"the {action.kind} was {notation}"
    board = games.find_game(ruleset.game).scene(ruleset, [])["boards"][0]  # all boards have the same labels
    return f"the move was {name_action(action, board)}"
