"""The names of moves as people use them, "L5 at f2". The board of a replay names them alike. Does not use Streamlit."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pipelines.report import wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.actions import Action
    from engine.scene import SceneBoard


def name_move(action: Action, board: SceneBoard | None) -> str:
    """Return the name of an action that lies on a board, or that lies on none.

    A place is named after the leftmost square of its lowest row. A strike is marked with `!` in the notation of its die.
    """
    if not action.cells or board is None:
        return wording.format_action(action.kind, action.notation)
    square = min(action.cells)
    row, column = divmod(square, board["columns"])
    place = board["column_labels"][column] + board["row_labels"][row]
    name = f"{action.piece} at {place}" if action.piece else place
    strike = ", with a strike" if "!" in action.notation.partition(":")[0] else ""
    return f"{name} (die {action.die}{strike})" if action.die else name


def name_moves(actions: Iterable[Action], board: SceneBoard | None) -> Mapping[str, str]:
    """Return the names of actions by their notation. Actions of the same name are numbered.

    They place the same shape with the same lowest square, but turned or drawn in another way.
    """
    named = [(action.notation, name_move(action, board)) for action in actions]
    total = Counter(name for _, name in named)
    reached: Counter[str] = Counter()
    names = {}
    for notation, name in named:
        reached[name] += 1
        names[notation] = f"{name}, way {reached[name]} of {total[name]}" if total[name] > 1 else name
    return names
