"""Controls: checks that every sound comparison passes.

Most controls query the tables of the run; the mirror control plays some games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from engine import games
from engine.actions import CHANCE
from engine.errors import GameError
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from engine.wording import format_count
from pipelines import statistics
from pipelines.design.lineups import pair_duel_seatings
from pipelines.design.metrics import PARTS_OF_A_WIN
from pipelines.experiments.progressive import play_design_blocks
from pipelines.runs.game_queries import count_beginnings, count_rolls
from pipelines.runs.outcomes import Outcomes, outcomes_from_table
from pipelines.statistics.bounded_means import block_interval, plausible_bounds

if TYPE_CHECKING:
    import duckdb

    from engine.ruleset import Ruleset
    from engine.state import State
    from pipelines.design.designs import ComparisonDesign
    from pipelines.statistics import Interval
    from pipelines.statistics.intervals import Floats, Integers

MIRROR_BLOCKS: Final = 10
"""Blocks of mirror games. One that imagines games, or whose code is not part of Reroll, may need seconds for each and plays one.
No clock decides it: the answer is the same on every machine."""
MIN_EXPECTED_COUNT: Final = 5.0
"""Outcomes with a smaller expected count are pooled (Cochran 1954)."""
FAILING_P_VALUE: Final = 1e-6
"""p-value below which the control of the dice fails. A person looks at hundreds of runs and believes a warning: with fair dice
it may come up in one library of ten thousand, not in every fifth."""
UNUSUAL_P_VALUE: Final = 0.001
"""p-value below which the control says how often fair dice give so uneven counts."""


@dataclass(frozen=True)
class Control:
    """The result of one check."""

    name: str
    holds: bool | None
    """None if the check is not possible."""
    says: str
    """The reason, for people."""


@dataclass(frozen=True)
class SeatEdge:
    """The advantage of a seat, averaged over the strategies that play it."""

    seat: int
    score: Interval | None
    """The score of the seat minus the mean score of all seats of the same game."""
    win_share: Interval | None


def seat_edges(outcomes: Outcomes) -> tuple[SeatEdge, ...]:
    """Return the advantage of every seat; intervals count blocks."""
    scores = outcomes.scores - outcomes.scores.mean(axis=2, keepdims=True)
    bounds, shares = plausible_bounds(scores), outcomes.wins.mean(axis=1) / PARTS_OF_A_WIN
    return tuple(
        SeatEdge(
            seat,
            block_interval(scores[:, :, seat].mean(axis=1), bounds),
            statistics.share_interval(shares[:, seat]),
        )
        for seat in range(outcomes.design.seats)
    )


def comparison_controls(connection: duckdb.DuckDBPyConnection, outcomes: Outcomes) -> tuple[Control, ...]:
    """Check a comparison; `connection` must have the table plies."""
    design = outcomes.design
    controls = (_mirror_control(design), _unique_blocks_control(outcomes))
    if design.log == "scores":
        return (*controls, Control("dice", None, "no plies were logged"))
    return (*controls, _same_luck_control(connection, design), _dice_control(connection, design))


def _mirror_control(design: ComparisonDesign) -> Control:
    """Play every strategy against itself, and again with exchanged sides: both games must end in the same way."""
    try:
        played = {
            label: mirror_difference(design, name)
            for label, name in zip(design.labels, design.lineup, strict=True)
        }
    except GameError as error:
        return Control("mirror", None, str(error))
    wrong = [name for name, (_, differs) in played.items() if differs]
    blocks = ", ".join(f"{name} {count}" for name, (count, _) in played.items())
    if wrong:
        return Control(
            "mirror", holds=False, says=f"the difference is not 0 against itself: {', '.join(wrong)}"
        )
    return Control(
        "mirror",
        holds=True,
        says=f"every strategy has a difference of exactly 0 against itself (blocks: {blocks})",
    )


def mirror_difference(design: ComparisonDesign, strategy: str) -> tuple[int, bool]:
    """Play a strategy against itself in the first blocks of a design.

    Return the number of blocks played, and True if two games of a block ended differently.
    """
    seatings = pair_duel_seatings(0, 1, design.seats)
    mirror = design.model_copy(update={"lineup": (strategy, strategy), "seatings": seatings})
    player = mirror.players[0]
    may_be_slow = "playouts" in player.parameters or player.strategy.code is not None
    blocks = 1 if may_be_slow else MIRROR_BLOCKS
    for number in range(blocks):
        block = range(number, number + 1)
        outcomes = outcomes_from_table(mirror, play_design_blocks(mirror, block)["seats"], block)
        scores, ranks = outcomes.scores, outcomes.ranks
        if (scores != scores[:, :1, :]).any() or (ranks != ranks[:, :1, :]).any():
            return number + 1, True
    return blocks, False


def _unique_blocks_control(outcomes: Outcomes) -> Control:
    """Compare the results of blocks: if all are equal, they are not independent observations."""
    rows = outcomes.scores.reshape(len(outcomes.scores), -1)
    different, total = len(np.unique(rows, axis=0)), len(rows)
    numbers = len(np.unique(outcomes.blocks))
    if numbers < total:
        return Control("blocks", holds=False, says="the run contains some blocks more than once")
    if different == 1 and total > 1:
        return Control(
            "blocks", holds=False, says=f"all {format_count(total, 'block')} are equal, so they count as one"
        )
    return Control(
        "blocks", holds=True, says=f"{format_count(total, 'block')} have {different:,} different results"
    )


def _same_luck_control(connection: duckdb.DuckDBPyConnection, design: ComparisonDesign) -> Control:
    """Check that all games of a block begin with the same roll and the same random opening."""
    different, plies = count_beginnings(connection, design.rotations, design.opening)
    if not plies:
        return Control("same luck", None, "the games do not begin with a roll or a random opening")
    if different:
        return Control(
            "same luck",
            holds=False,
            says=f"games of the same block begin differently in {format_count(different, 'ply')}",
        )
    return Control("same luck", holds=True, says="all games of a block begin in the same way")


def _dice_control(connection: duckdb.DuckDBPyConnection, design: ComparisonDesign) -> Control:
    """Compare the frequencies of outcomes with their probabilities.

    Only one game of each block is counted, because all its games have the same luck.
    """
    rolls = first_rolls(design.rules)
    if rolls is None:
        return Control(
            "dice",
            None,
            "the game does not begin with a roll" if _has_any_roll(design.rules) else "the game has no dice",
        )
    outcomes, probabilities, every_round = rolls
    counts = count_rolls(connection, design.rotations, every_round=every_round)
    if not counts:
        return Control("dice", None, "no plies were logged")
    impossible = set(counts) - set(outcomes)
    if impossible:
        return Control(
            "dice", holds=False, says=f"the log has {len(impossible)} outcomes that no die can show"
        )
    numbers = np.array([counts.get(outcome, 0) for outcome in outcomes])
    return judge_rolls(numbers, np.array(probabilities), "round" if every_round else "game")


def judge_rolls(counts: Integers, probabilities: Floats, period: str) -> Control:
    """Judge how often each outcome of the first roll of a round or game came up; both arrays: (outcomes,).

    `period` is "round" or "game". The later rolls of a game may depend on decisions, so they are not tested.
    """
    test = statistics.chi_square(*_pool_rare_outcomes(counts, probabilities))
    fails, is_unusual = test.p < FAILING_P_VALUE, test.p < UNUSUAL_P_VALUE
    says = (
        f"the first rolls of {format_count(int(counts.sum()), period)}, {len(counts)} outcomes"
        f"{'' if period == 'round' else ' (later rolls are not tested)'}: chi-square {test.statistic:.1f}, "
        f"{test.freedom} degrees of freedom, p = {test.p:.2g}"
    )
    if fails:
        says += "; fair dice give such counts in less than one run of a million"
    elif is_unusual:
        says += f"; fair dice give such counts in about one run of {1 / test.p:,.0f}, which gives no reason to doubt the result"
    return Control("dice", holds=not fails, says=says)


def _pool_rare_outcomes(counts: Integers, probabilities: Floats) -> tuple[Integers, Floats]:
    """Merge neighbouring outcomes until the expected count of each group is large enough."""
    groups = np.zeros(len(counts), dtype=np.int64)
    group, pooled = 0, 0.0
    for outcome, expected in enumerate(probabilities * counts.sum()):
        groups[outcome] = group
        pooled += expected
        if pooled >= MIN_EXPECTED_COUNT:
            group, pooled = group + 1, 0.0
    if pooled and group:
        groups[groups == group] = group - 1  # an incomplete group at the end joins the one before
    size = groups.max() + 1
    return (
        np.bincount(groups, counts, size).astype(np.int64),
        np.bincount(groups, probabilities, size).astype(np.float64),
    )


def first_rolls(ruleset: Ruleset) -> tuple[Sequence[int], Sequence[float], bool] | None:
    """Return the outcomes of the first roll, their probabilities, and whether every round begins with the same roll.

    None if a game does not begin with a roll. Whether the rounds are alike is seen from three random games.
    """
    start = games.start_state(ruleset)
    if start.is_over or start.seat != CHANCE:
        return None
    first = tuple(start.actions), tuple(start.probabilities)
    return *first, all(roll == first for block in range(3) for roll in _round_rolls(ruleset, block))


def _round_rolls(ruleset: Ruleset, block: int) -> list[tuple[tuple[int, ...], tuple[float, ...]]]:
    """Return the outcomes and probabilities of the first roll of every round in a random game."""
    decide = read_player(games.find_game(ruleset.game), "random").decide
    plies = play_out(games.start_state(ruleset), [decide] * ruleset.players, Luck(0, block))[1]
    state: State = games.start_state(ruleset)
    rolls: dict[int, tuple[tuple[int, ...], tuple[float, ...]]] = {}
    for ply in plies:
        if state.seat == CHANCE and state.round not in rolls:
            rolls[state.round] = tuple(state.actions), tuple(state.probabilities)
        state = state.play(ply.action)
    return list(rolls.values())


def _has_any_roll(ruleset: Ruleset) -> bool:
    return bool(_round_rolls(ruleset, 0))
