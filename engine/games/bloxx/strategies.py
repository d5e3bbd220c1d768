"""The strategies of BLOXX!. Only the kernel can play those whose function is None."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.game import Restriction
from engine.games.bloxx.ruleset import DIE_NAMES, BloxxRuleset, face_bit
from engine.strategy import Parameter, Strategy
from engine.weights import read_weights

if TYPE_CHECKING:
    from engine.games.bloxx.rules import BloxxState
    from engine.luck import Source

SPOILT_SQUARE_COST: Final = 1
"""Points that a new gap costs `greedy` beside its penalty: a circle or a row is no longer possible there."""


def greedy_gap_cost(ruleset: BloxxRuleset) -> int:
    """Return the points by which `greedy` and `noisy` lower a placement for each new gap.

    The penalty of the blank square that a gap replaces is not taken off: most blanks are drawn later. With it taken off, two
    greedy players score -16 at 3 points for a blank square, and 34 without (bloxx-2p, 1,500 blocks).
    """
    return ruleset.options.gap_penalty + SPOILT_SQUARE_COST


def open_rows(state: BloxxState) -> list[tuple[int, int]]:
    """Return the coloured rows that the acting seat can still complete.

    Each entry is a pair: the set of squares that are missing, and the points for completing the row in this turn.
    """
    options, sheet = state.ruleset.options, state.sheets[state.seat]
    rows = []
    for row, turns in zip(state.ruleset.row_sets, state.completed, strict=True):
        missing = row & ~sheet.drawn_squares
        if missing and not missing & sheet.gaps:  # BX-13
            earlier = any(0 <= turn < state.round for turn in turns)  # BX-14
            rows.append((missing, options.row_later if earlier else options.row_first))
    return rows


def greedy_worths(state: BloxxState) -> Iterator[tuple[int, int]]:
    """Yield two numbers for each legal placement: its worth in points, and the sum of the row numbers of its squares.

    The worth is the circled number + row points - `greedy_gap_cost` for each new gap.
    """
    placement_of, gap_cost = state.ruleset.placement, greedy_gap_cost(state.ruleset)
    blank, rows = ~state.sheets[state.seat].closed_squares, open_rows(state)
    for action in state.actions:
        _, _, squares, _, shadow, points, row_sum = placement_of(action)
        points -= gap_cost * (shadow & blank).bit_count()  # BX-10
        for missing, row_points in rows:
            if not missing & ~squares:
                points += row_points
        yield points, row_sum


def _greedy() -> Callable[[BloxxState, Source], int]:
    def decide(state: BloxxState, source: Source) -> int:
        actions = state.actions
        if actions[0] == state.ruleset.forfeit_action:
            return actions[0]
        highest = lowest = 0
        tied: list[int] = []
        for action, (points, row_sum) in zip(actions, greedy_worths(state), strict=True):
            if not tied or points > highest or (points == highest and row_sum < lowest):
                highest, lowest, tied = points, row_sum, [action]
            elif points == highest and row_sum == lowest:
                tied.append(action)
        return source.choice(tied)

    return decide


def _noisy(sigma: float) -> Callable[[BloxxState, Source], int]:
    """Return a player that adds a normal error of `sigma` points to the worth of every placement.

    It draws one normal number for each legal action, in their order. Ties are broken by the lowest squares, then by the
    smaller action number.

    With the default sigma, 2.3, three of these players score as much as the worked example of the rulebook: 18 points,
    which are 6 for rows, 26 in circles, 7 gaps and 7 blanks. Measured over 3,333 games of bloxx-3p: 18.2 +- 0.25 points,
    which are 5.7, 24.3, 6.7 and 5.1. The rulebook does not state the number of players of its example: two of these
    players score 22.2 +- 0.2, four 15.8 +- 0.3.
    """

    def decide(state: BloxxState, source: Source) -> int:
        actions = state.actions
        if len(actions) == 1:
            return actions[0]
        worths = [(points + sigma * source.normal(), -row_sum) for points, row_sum in greedy_worths(state)]
        return actions[worths.index(max(worths))]

    return decide


_READ_BY_GREEDY: Final = frozenset({"coloured_rows", "row_first", "row_later", "gap_penalty"})
_READ_BY_PLANNER: Final = _READ_BY_GREEDY | {"blank_penalty"}
PLANNER_WEIGHTS: Final = read_weights(Path(__file__).with_name("weights.toml"), "planner")
STRATEGIES: Final = (
    Strategy(
        "greedy",
        "Takes the most points now: circled numbers and finished rows, minus the penalty of each new gap and 1 more.",
        _greedy,
        reads=_READ_BY_GREEDY,
        version=2,
    ),
    Strategy(
        "noisy",
        "Plays like greedy, but misjudges every placement by about sigma points.",
        _noisy,
        (Parameter("sigma", "standard deviation of the error, in points", 2.3, 0.0, 100.0),),
        reads=_READ_BY_GREEDY,
        version=2,
    ),
    Strategy(
        "planner",
        "Weighs what a placement does to the sheet, and what every next roll could add to it.",
        None,
        (
            Parameter("candidates", "placements from which it looks ahead; 1: none", 4, 1, 64),
            *PLANNER_WEIGHTS,
        ),
        reads=_READ_BY_PLANNER,
        version=2,
    ),
    Strategy(
        "rollout",
        "Plays the planner's best placements on to the end many times and takes the one that leads most.",
        None,
        (
            Parameter("playouts", "imagined games for a decision, over all candidates", 128, 1, 65536),
            Parameter("candidates", "placements that it compares", 4, 1, 64),
            *PLANNER_WEIGHTS,
        ),
        reads=_READ_BY_PLANNER,
        version=2,
    ),
)


def forbid_faces(faces: int, state: BloxxState, seat: int) -> BloxxState:
    """Return the position in which a seat may draw none of some faces; `faces` is a set as in `Sheet.barred`."""
    sheets = list(state.sheets)
    sheets[seat] = sheets[seat]._replace(barred=sheets[seat].barred | faces)
    return replace(state, sheets=tuple(sheets))


def list_restrictions(ruleset: BloxxRuleset) -> list[Restriction]:
    """Return the restrictions to do without a die, and without the smallest and the largest shape of each die."""
    fallback = "A player who could draw nothing else forfeits the turn."
    areas, restrictions = ruleset.piece_areas, []
    for die, names in enumerate(ruleset.face_names):
        whole = sum(face_bit(die, face) for face in range(len(names)))
        restrictions.append(Restriction(f"die {DIE_NAMES[die]}", fallback, partial(forbid_faces, whole)))
        for name in dict.fromkeys(choose(names, key=areas.__getitem__) for choose in (min, max)):
            bit = face_bit(die, names.index(name))
            restrictions.append(Restriction(f"shape {name}", fallback, partial(forbid_faces, bit)))
    return restrictions
