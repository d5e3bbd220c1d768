"""Controls: what has to hold in any sound comparison, looked up in the run itself and played again on the spot."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from engine import games
from engine.actions import CHANCE
from engine.errors import GameError
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from pipelines import statistics
from pipelines.design.seatings import pair_duel_seatings
from pipelines.experiments.progressive import play_design_blocks
from pipelines.runs.outcomes import PARTS_OF_A_WIN, outcomes_from_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb
    from numpy.typing import NDArray

    from engine.ruleset import Ruleset
    from engine.state import State
    from pipelines.design.design import Design
    from pipelines.runs.outcomes import Outcomes
    from pipelines.statistics import Interval
    from pipelines.statistics.arrays import Floats

MAX_MIRROR_SECONDS: Final = 0.5
"""How long to play mirrors of one strategy; one block at least."""
MAX_MIRROR_BLOCKS: Final = 10
MIN_EXPECTED_COUNT: Final = 5.0
"""Outcomes that are rarer are counted together (Cochran 1954)."""
SUSPICIOUS_P_VALUE: Final = 0.001
"""P-value of fair dice below which a control complains: one sound run in a thousand does so by chance."""


@dataclass(frozen=True)
class Control:
    """One thing that has to hold."""

    name: str
    holds: bool | None
    """None: it cannot be told."""
    says: str


@dataclass(frozen=True)
class SeatEdge:
    """What a seat is worth, whoever sits there."""

    seat: int
    score: Interval | None
    """Its score minus the mean of all seats of the same game."""
    win_share: Interval | None


def seat_edges(outcomes: Outcomes) -> tuple[SeatEdge, ...]:
    """Return the edge of every seat, with intervals from blocks."""
    scores = outcomes.scores - outcomes.scores.mean(axis=2, keepdims=True)
    shares = outcomes.wins.mean(axis=1) / PARTS_OF_A_WIN
    return tuple(
        SeatEdge(
            seat,
            statistics.t_interval(scores[:, :, seat].mean(axis=1)),
            statistics.share_interval(shares[:, seat]),
        )
        for seat in range(outcomes.design.seats)
    )


def comparison_controls(connection: duckdb.DuckDBPyConnection, outcomes: Outcomes) -> tuple[Control, ...]:
    """Check a comparison; the connection has the tables games, seats and plies."""
    design = outcomes.design
    found = [_mirror_control(design), _unique_blocks_control(outcomes)]
    if design.log == "scores":
        return (*found, Control("dice", None, "no plies were logged"))
    return (*found, _same_luck_control(connection, design), _dice_control(connection, design))


def _mirror_control(design: Design) -> Control:
    """Play every strategy against itself, who is who swapped on the same luck: the two games have to end alike."""
    try:
        played = {name: mirror_difference(design, name) for name in dict.fromkeys(design.lineup)}
    except GameError as error:
        return Control("mirror", None, str(error))
    wrong = [name for name, (_, differs) in played.items() if differs]
    blocks = ", ".join(f"{name} {count}" for name, (count, _) in played.items())
    if wrong:
        return Control(
            "mirror", holds=False, says=f"{' and '.join(wrong)} against itself does not repeat its games"
        )
    return Control(
        "mirror", holds=True, says=f"against itself every strategy differs by exactly 0 (blocks: {blocks})"
    )


def mirror_difference(design: Design, strategy: str) -> tuple[int, bool]:
    """Play a strategy against itself in the design's first blocks; return how many, and whether any twin games differ."""
    seatings = pair_duel_seatings(0, 1, design.seats)
    mirror = design.model_copy(
        update={
            "kind": "simulate",
            "contest": None,
            "lineup": (strategy, strategy),
            "seatings": seatings,
        }
    )
    end = time.monotonic() + MAX_MIRROR_SECONDS
    for number in range(MAX_MIRROR_BLOCKS):
        block = range(number, number + 1)
        outcomes = outcomes_from_table(mirror, play_design_blocks(mirror, block)["seats"], block)
        scores, ranks = outcomes.scores, outcomes.ranks
        if (scores != scores[:, :1, :]).any() or (ranks != ranks[:, :1, :]).any():
            return number + 1, True
        if time.monotonic() > end:
            return number + 1, False
    return MAX_MIRROR_BLOCKS, False


def _unique_blocks_control(outcomes: Outcomes) -> Control:
    """Compare whole blocks by how their games ended: equal ones mean that a seed was used twice, or no luck at all."""
    rows = outcomes.scores.reshape(len(outcomes.scores), -1)
    different, total = len(np.unique(rows, axis=0)), len(rows)
    numbers = len(np.unique(outcomes.blocks))
    says = f"{different:,} of {total:,} blocks ended in their own way"
    if numbers < total:
        return Control("blocks", holds=False, says="blocks are in the run more than once")
    if different == 1 and total > 1:
        return Control("blocks", holds=False, says=f"all {total:,} blocks are the same: they are worth one")
    return Control("blocks", holds=True, says=says)


def _same_luck_control(connection: duckdb.DuckDBPyConnection, design: Design) -> Control:
    """Check that all games of a block begin alike: with the same first outcome of chance, and the same opening."""
    (different, blocks) = connection.execute(
        f"""
        SELECT count(*) FILTER (ways > 1), count(*) FROM (
          SELECT count(DISTINCT action) AS ways FROM plies
          WHERE ply < {max(1, design.opening)} AND (seat = -1 OR ply < {design.opening})
          GROUP BY game_id // {design.rotations}, ply)
        """  # noqa: S608 - numbers of ours
    ).fetchall()[0]
    if not blocks:
        return Control("same luck", None, "no game begins by chance")
    if different:
        return Control(
            "same luck", holds=False, says=f"{different} beginnings differ between games of one block"
        )
    return Control("same luck", holds=True, says="all games of a block begin alike")


def _dice_control(connection: duckdb.DuckDBPyConnection, design: Design) -> Control:
    """Hold the frequencies of outcomes against their chances, in one game of each block, as its games share the luck."""
    rolls = first_rolls(design.rules)
    if rolls is None:
        return Control(
            "dice",
            None,
            "no dice fall in this game"
            if not _has_any_roll(design.rules)
            else "the game does not begin with them",
        )
    outcomes, chances, every_round = rolls
    rows = connection.execute(
        f"""
        SELECT action, count(*) FROM (
          SELECT action, row_number() OVER (PARTITION BY game_id, round ORDER BY ply) AS place, seat, round, ply
          FROM plies WHERE game_id % {design.rotations} = 0 AND seat = -1)
        WHERE place = 1 AND {"true" if every_round else "ply = 0"}
        GROUP BY action
        """  # noqa: S608 - numbers of ours
    ).fetchall()
    counts = dict(rows)
    if not counts:
        return Control("dice", None, "no plies were logged")
    strange = set(counts) - set(outcomes)
    if strange:
        return Control("dice", holds=False, says=f"{len(strange)} outcomes came up that the dice do not have")
    found = statistics.chi_square(
        *_pool_rare_outcomes(np.array([counts.get(o, 0) for o in outcomes]), np.array(chances))
    )
    says = (
        f"{sum(counts.values()):,} rolls of {len(outcomes)} outcomes: chi-square {found.statistic:.1f} "
        f"with {found.freedom} degrees of freedom, p = {found.p:.2g}"
    )
    return Control("dice", holds=found.p >= SUSPICIOUS_P_VALUE, says=says)


def _pool_rare_outcomes(counts: NDArray[np.int64], chances: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Put neighbouring outcomes together until each group is expected often enough."""
    expected = chances * counts.sum()
    groups = np.zeros(len(counts), dtype=np.int64)
    group, held = 0, 0.0
    for place, one in enumerate(expected):
        groups[place] = group
        held += one
        if held >= MIN_EXPECTED_COUNT:
            group, held = group + 1, 0.0
    if held and group:
        groups[groups == group] = group - 1  # the rest is too small for a group of its own
    size = groups.max() + 1
    return (
        np.bincount(groups, counts, size).astype(np.int64),
        np.bincount(groups, chances, size).astype(np.float64),
    )


def first_rolls(ruleset: Ruleset) -> tuple[Sequence[int], Sequence[float], bool] | None:
    """Return the outcomes of the first roll, their chances, and whether every round begins with the same roll.

    None if a game does not begin with a roll. Some games are played to see whether the rounds are alike.
    """
    start = games.start_state(ruleset)
    if start.is_over or start.seat != CHANCE:
        return None
    wanted = tuple(start.actions), tuple(start.probabilities)
    return *wanted, all(roll == wanted for block in range(3) for roll in _round_rolls(ruleset, block))


def _round_rolls(ruleset: Ruleset, block: int) -> list[tuple[tuple[int, ...], tuple[float, ...]]]:
    """Return outcomes and chances of the first roll of every round of a random game."""
    decide = read_player(games.find_game(ruleset.game), "random").decide
    plies = play_out(games.start_state(ruleset), [decide] * ruleset.players, Luck(0, block))[1]
    state: State = games.start_state(ruleset)
    found: dict[int, tuple[tuple[int, ...], tuple[float, ...]]] = {}
    for ply in plies:
        if state.seat == CHANCE and state.round not in found:
            found[state.round] = tuple(state.actions), tuple(state.probabilities)
        state = state.play(ply.action)
    return list(found.values())


def _has_any_roll(ruleset: Ruleset) -> bool:
    return bool(_round_rolls(ruleset, 0))
