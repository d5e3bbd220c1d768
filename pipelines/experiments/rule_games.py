"""The same strategies play the same blocks under several rulesets of a game.

Where rulesets roll the same dice, a block has the same rolls under all of them, so most of the luck cancels in the differences.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.errors import InvalidError
from engine.wording import format_count
from pipelines.design.design import MAX_RUN_BLOCKS, MAX_RUN_GAMES, Design
from pipelines.design.designs import design_simulation
from pipelines.design.openings import opening_plies_needed
from pipelines.experiments.progressive import play_design_blocks, play_steps
from pipelines.simulate import compiled_games
from pipelines.simulate.shards import timed_steps
from pipelines.simulate.workers import usable_cpus

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from engine.ruleset import Ruleset
    from pipelines.statistics.intervals import Floats

TIMED_BLOCKS: Final = 2
"""Blocks that are played to estimate how long all take."""


@dataclass(frozen=True)
class RulesetResults:
    """The results of games under one ruleset."""

    design: Design
    scores: NDArray[np.int64]
    """(blocks, seatings, seats)"""
    wins: Floats
    """(blocks, seatings, seats) Shares of the win."""
    rounds: NDArray[np.int64]
    """(blocks, seatings)"""
    plies: NDArray[np.int64]
    """(blocks, seatings)"""
    first_changes: NDArray[np.int64]
    """(blocks, seatings) The first ply at which the game differs from that of the base; -1 if none does."""

    @property
    def blocks(self) -> int:
        return len(self.scores)

    def join_blocks(self, other: RulesetResults) -> RulesetResults:
        """Return these blocks followed by those of `other`."""
        columns = ("scores", "wins", "rounds", "plies", "first_changes")
        return RulesetResults(
            self.design, *(np.concatenate([getattr(self, name), getattr(other, name)]) for name in columns)
        )

    def _seat_mask(self, strategy: str) -> NDArray[np.bool_]:
        """Return which seats a strategy has, shape (seatings, seats)."""
        return np.array(
            [
                [name == strategy for name in self.design.strategies_by_seat(rotation)]
                for rotation in range(self.design.rotations)
            ]
        )

    def mean_scores(self, strategy: str) -> Floats:
        """Return the mean score of a strategy's seats, shape (blocks,)."""
        means: Floats = self.scores[:, self._seat_mask(strategy)].mean(axis=1)
        return means

    def mean_win_shares(self, strategy: str) -> Floats:
        """Return the mean share of the win of a strategy's seats, shape (blocks,)."""
        means: Floats = self.wins[:, self._seat_mask(strategy)].mean(axis=1)
        return means

    def seat_edge(self, seat: int) -> Floats:
        """Return the score of a seat minus the mean score of the game, averaged over all seatings, shape (blocks,)."""
        edges: Floats = (self.scores[:, :, seat] - self.scores.mean(axis=2)).mean(axis=1)
        return edges

    @property
    def median_change(self) -> float | None:
        """The median of the first plies that differ, of the games in which one does; None if there is no such game."""
        plies = self.first_changes[self.first_changes >= 0]
        return float(np.median(plies)) if len(plies) else None

    def ends_as(self, other: RulesetResults) -> bool:
        """Return whether every game ends as it does under another ruleset."""
        return bool((self.scores == other.scores).all() and (self.plies == other.plies).all())


def design_rulesets(
    rulesets: Sequence[Ruleset], lineup: Sequence[str], blocks: int, seed: int
) -> list[Design]:
    """Return a design of the same blocks for each ruleset.

    Without dice, all rulesets begin with random openings of the same number of plies. Raises InvalidError for rulesets of different
    games or numbers of players, for an invalid line-up or number of blocks, and for strategies that cannot play one of the rulesets.
    """
    a = rulesets[0]
    for b in rulesets[1:]:
        if a.game != b.game:
            raise InvalidError(f"{a.name} and {b.name} are rulesets of different games")
        if a.players != b.players:
            raise InvalidError(
                f"{a.name} has {format_count(a.players, 'seat')} and {b.name} {b.players}: choose two with the same number"
            )
    max_blocks = min(MAX_RUN_BLOCKS, MAX_RUN_GAMES // a.players)
    if not 2 <= blocks <= max_blocks:
        raise InvalidError(f"blocks: expected from 2 to {max_blocks}, not {blocks}")
    opening = max(map(opening_plies_needed, rulesets))
    designs: list[Design] = [
        design_simulation(ruleset, lineup, blocks=blocks, seed=seed).model_copy(update={"opening": opening})
        for ruleset in rulesets
    ]
    for design in designs:
        compiled_games.check_playable(design)
    return designs


def estimate_seconds(designs: Sequence[Design], slow: Sequence[Design]) -> float | None:
    """Return about how many seconds an idle machine takes for all designs; those that are `slow` have no compiled game.

    A few blocks of one design of each kind are played. The result is None as long as the compiled game is not compiled yet.
    """

    def time_blocks(design: Design, blocks: int) -> float:
        started = time.thread_time()  # other work of the machine does not count
        play_design_blocks(design, range(blocks), is_logged=True)
        return (time.thread_time() - started) / blocks

    seconds, quick = 0.0, [design for design in designs if design not in slow]
    if quick:
        if not compiled_games.is_compiled(quick[0]):
            return None
        time_blocks(quick[0], 1)  # makes the tables
        seconds += time_blocks(quick[0], TIMED_BLOCKS) * len(quick) / min(usable_cpus(), len(quick))
    seconds += sum(time_blocks(design, 1) for design in slow[:1]) * len(slow)
    return seconds * designs[0].blocks


def play_rulesets(
    designs: Sequence[Design], base_place: int, stopped: Callable[[], bool] = lambda: False
) -> Iterator[tuple[list[RulesetResults], bool]]:
    """Play blocks under the rulesets of all designs; yield the results after the first blocks, then several times a second.

    True comes with the last ones. Games are compared with those of the design at `base_place`. Each processor has a thread:
    compiled games run side by side.
    """
    codes: dict[str, int] = {}
    known_numberings: dict[str, dict[int, int]] = {}
    numberings = [known_numberings.setdefault(_key_of_numbering(design.rules), {}) for design in designs]

    def play_all(blocks: range) -> list[RulesetResults]:
        played = list(pool.map(lambda design: play_design_blocks(design, blocks, is_logged=True), designs))
        moves = [
            _tabulate_moves(design, tables, numbering, codes)
            for design, tables, numbering in zip(designs, played, numberings, strict=True)
        ]
        return [
            _make_results(design, tables, _find_first_changes(moves[base_place], other))
            for design, tables, other in zip(designs, played, moves, strict=True)
        ]

    def join_all(first: list[RulesetResults], second: list[RulesetResults]) -> list[RulesetResults]:
        return [before.join_blocks(after) for before, after in zip(first, second, strict=True)]

    with ThreadPoolExecutor(usable_cpus()) as pool:
        yield from play_steps(timed_steps(designs[0].blocks), play_all, join_all, stopped)


def _key_of_numbering(ruleset: Ruleset) -> str:
    """Return a text that is equal for rulesets that number their actions alike: those with equal tables and boards."""
    return json.dumps([ruleset.document["tables"], ruleset.board_size, ruleset.actions_end])


def _make_results(
    design: Design, tables: Mapping[str, pa.Table], first_changes: NDArray[np.int64]
) -> RulesetResults:
    games, seats = tables["games"], tables["seats"]
    shape = (-1, design.rotations)
    return RulesetResults(
        design=design,
        scores=seats["score"].to_numpy().astype(np.int64).reshape(*shape, design.seats),
        wins=seats["win_share"].to_numpy().reshape(*shape, design.seats),
        rounds=games["rounds"].to_numpy().astype(np.int64).reshape(shape),
        plies=games["plies"].to_numpy().astype(np.int64).reshape(shape),
        first_changes=first_changes.reshape(shape),
    )


def _tabulate_moves(
    design: Design, tables: Mapping[str, pa.Table], numbering: dict[int, int], codes: dict[str, int]
) -> NDArray[np.int64]:
    """Return the moves of all games, shape (games, plies), by numbers that mean the same under all rulesets; -1 after the end.

    Rulesets number their actions in ways of their own, so a move is known by its notation. `numbering` has the numbers of the
    actions of this ruleset, and `codes` those of all notations; new ones are added.
    """
    actions, lengths = tables["plies"]["action"].to_numpy(), tables["games"]["plies"].to_numpy()
    known, places = np.unique(actions, return_inverse=True)
    for action in known.tolist():
        if action not in numbering:
            numbering[action] = codes.setdefault(design.rules.action(action).notation, len(codes))
    numbers = np.array([numbering[action] for action in known.tolist()], np.int64)
    moves = np.full((len(lengths), int(lengths.max())), -1, np.int64)
    moves[np.arange(moves.shape[1]) < lengths[:, None]] = numbers[places]
    return moves


def _find_first_changes(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first column in which two tables of moves differ, shape (games,); -1 for games without any."""
    width = max(first.shape[1], second.shape[1])
    differs = np.not_equal(
        *(
            np.pad(moves, ((0, 0), (0, width - moves.shape[1])), constant_values=-1)
            for moves in (first, second)
        )
    )
    return np.where(differs.any(axis=1), differs.argmax(axis=1), -1)
