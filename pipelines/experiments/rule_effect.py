"""The effect of a rule: the same strategies play the same blocks under two or more rulesets of a game.

Where two rulesets roll the same dice, a block has the same rolls under both, so most of the luck cancels in the
difference. Between a ruleset and itself the difference is exactly zero. The page Rules shows the results.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from engine.errors import InvalidError
from engine.wording import format_count
from pipelines import statistics
from pipelines.design.design import MAX_RUN_BLOCKS, MAX_RUN_GAMES, Design
from pipelines.design.designs import design_simulation
from pipelines.design.openings import opening_plies_needed
from pipelines.experiments.progressive import play_design_blocks, play_steps
from pipelines.simulate.shards import timed_steps
from pipelines.simulate.workers import usable_cpus
from pipelines.statistics.bounded_means import (
    KNOWN_EQUAL,
    SHARE_BOUNDS,
    block_interval,
    plausible_bounds,
    share_change_interval,
    simple_interval,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from engine.ruleset import Ruleset
    from pipelines.statistics import Interval
    from pipelines.statistics.intervals import Floats

OrderChange: TypeAlias = Literal["same", "reversed", "undecided"]


class QuantityChange(NamedTuple):
    """A quantity under both rulesets; intervals count blocks and are None for fewer than two blocks."""

    of: str
    """The strategy, the number of the seat, or "rounds" or "plies"."""
    a: Interval | None
    b: Interval | None
    difference: Interval | None
    """B - A, with the same luck under both rulesets. It is a point only between a ruleset and itself."""


class PairOrder(NamedTuple):
    """The lead of one strategy over another under both rulesets: the difference of the mean scores of their seats.

    A positive lead means that the first strategy is better, also where the lowest score wins.
    """

    first: str
    second: str
    a: Interval | None
    b: Interval | None
    difference: Interval | None
    """The lead under B minus the lead under A."""
    order: OrderChange
    """Whether the same strategy is clearly ahead under both rulesets."""


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
    """(blocks, seatings) The first ply at which the game differs from that of ruleset A; -1 if none does."""

    @property
    def blocks(self) -> int:
        return len(self.scores)

    def join_blocks(self, other: RulesetResults) -> RulesetResults:
        """Return these blocks followed by those of `other`."""
        columns = ("scores", "wins", "rounds", "plies", "first_changes")
        return RulesetResults(
            self.design, *(np.concatenate([getattr(self, name), getattr(other, name)]) for name in columns)
        )

    def strategy_scores(self, strategy: str) -> NDArray[np.int64]:
        """Return every final score of a strategy, shape (results,)."""
        scores: NDArray[np.int64] = self.scores[:, self._seat_mask(strategy)].ravel()
        return scores

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


@dataclass(frozen=True)
class RulesEffect:
    """The results so far under two rulesets, A and B, and their differences."""

    a: RulesetResults
    b: RulesetResults
    is_over: bool

    @property
    def blocks(self) -> int:
        return self.a.blocks

    @property
    def games_per_block(self) -> int:
        """Games of a block under each of the two rulesets."""
        return self.a.design.rotations

    @property
    def strategies(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.a.design.lineup))

    @cached_property
    def scores(self) -> tuple[QuantityChange, ...]:
        """Mean score of each strategy."""
        return tuple(
            self._quantity_change(name, self.a.mean_scores(name), self.b.mean_scores(name))
            for name in self.strategies
        )

    @cached_property
    def win_shares(self) -> tuple[QuantityChange, ...]:
        """Mean share of the win of the seats of each strategy."""
        return tuple(
            self._share_change(name, self.a.mean_win_shares(name), self.b.mean_win_shares(name))
            for name in self.strategies
        )

    @cached_property
    def lengths(self) -> tuple[QuantityChange, ...]:
        """Mean number of rounds and of plies of a game."""
        return tuple(
            self._quantity_change(
                name, *(getattr(results, name).mean(axis=1) for results in (self.a, self.b))
            )
            for name in ("rounds", "plies")
        )

    @cached_property
    def seats(self) -> tuple[QuantityChange, ...]:
        """Advantage of each seat: its score minus the mean score of the game."""
        seats = range(self.a.design.seats)
        return tuple(
            self._quantity_change(str(seat), self.a.seat_edge(seat), self.b.seat_edge(seat)) for seat in seats
        )

    @cached_property
    def seat_wins(self) -> tuple[QuantityChange, ...]:
        """Share of the win of each seat, averaged over all seatings."""
        changes = []
        for seat in range(self.a.design.seats):
            a, b = (results.wins[:, :, seat].mean(axis=1) for results in (self.a, self.b))
            changes.append(self._share_change(str(seat), a, b))
        return tuple(changes)

    @cached_property
    def orders(self) -> tuple[PairOrder, ...]:
        """Lead of each strategy over each other one under both rulesets."""
        sign = -1 if self.a.design.rules.lowest_wins else 1
        orders = []
        for first, second in combinations(self.strategies, 2):
            a, b = (
                sign * (results.mean_scores(first) - results.mean_scores(second))
                for results in (self.a, self.b)
            )
            change = self._quantity_change(first, a, b)
            signs = _leader_sign(a, change.a), _leader_sign(b, change.b)
            order: OrderChange = "undecided" if 0 in signs else "same" if signs[0] == signs[1] else "reversed"
            orders.append(PairOrder(first, second, *change[1:], order))
        return tuple(orders)

    @property
    def _is_same_ruleset(self) -> bool:
        return self.a.design.rules.sha256 == self.b.design.rules.sha256

    def _quantity_change(self, of: str, a: Floats, b: Floats) -> QuantityChange:
        bounds = plausible_bounds(np.concatenate([a, b]))
        change_bounds = KNOWN_EQUAL if self._is_same_ruleset else bounds.minus(bounds)
        return QuantityChange(
            of, block_interval(a, bounds), block_interval(b, bounds), block_interval(b - a, change_bounds)
        )

    def _share_change(self, of: str, a: Floats, b: Floats) -> QuantityChange:
        change = block_interval(b - a, KNOWN_EQUAL) if self._is_same_ruleset else share_change_interval(b - a)
        return QuantityChange(of, statistics.share_interval(a), statistics.share_interval(b), change)

    @cached_property
    def moved_share(self) -> Interval:
        """Share of games in which a move differs between the two rulesets, not only what is counted at the end."""
        moved = (self.b.first_changes >= 0).mean(axis=1)
        if self._is_same_ruleset and not moved.any():
            return statistics.Interval(0.0, 0.0, 0.0)
        return simple_interval(moved, SHARE_BOUNDS) or statistics.wilson(float(moved.sum()), self.blocks)

    @property
    def first_change(self) -> float | None:
        """The median of the first plies that differ, in the games in which one does; None if there is no such game."""
        plies = self.b.first_changes[self.b.first_changes >= 0]
        return float(np.median(plies)) if len(plies) else None

    @cached_property
    def differing_share(self) -> Interval:
        """Share of blocks in which at least one game ended differently under the two rulesets."""
        different = (self.a.scores != self.b.scores).any(axis=(1, 2)) | (self.a.plies != self.b.plies).any(
            axis=1
        )
        if self._is_same_ruleset and not different.any():
            return statistics.Interval(0.0, 0.0, 0.0)
        share = simple_interval(different.astype(np.float64), SHARE_BOUNDS)
        return share or statistics.wilson(int(different.sum()), self.blocks)

    @cached_property
    def variance_ratio(self) -> float | None:
        """Variance of the difference in mean score divided by the variance it would have with separate luck.

        Below 1, playing both rulesets with the same luck makes the difference more precise.
        """
        a, b = (results.scores.mean(axis=(1, 2)) for results in (self.a, self.b))
        return statistics.variance_ratio(a, b)

    def has_enough_blocks(self, strategy: str) -> bool:
        """Return whether there are enough blocks for a reliable interval of a strategy's difference in score."""
        differences = self.b.mean_scores(strategy) - self.a.mean_scores(strategy)
        return self.blocks >= statistics.least_blocks(differences)

    def as_json(self) -> dict[str, Any]:
        """Return the results as JSON data."""
        parts = ("scores", "win_shares", "lengths", "seats", "seat_wins", "orders")
        return {
            "a": self.a.design.rules.name,
            "b": self.b.design.rules.name,
            "sha256_a": self.a.design.rules.sha256,
            "sha256_b": self.b.design.rules.sha256,
            "lineup": list(self.a.design.lineup),
            "opening": self.a.design.opening,
            "seed": self.a.design.seed,
            "blocks": self.blocks,
            "games_per_block": self.games_per_block,
            "differing": self.differing_share._asdict(),
            "moved": self.moved_share._asdict(),
            "first_change": self.first_change,
            "variance_ratio": self.variance_ratio,
            **{part: [_json_value(change) for change in getattr(self, part)] for part in parts},
        }


def play_rules_effect(  # noqa: PLR0913 - what makes an experiment, all named
    a: Ruleset,
    b: Ruleset,
    lineup: Sequence[str],
    *,
    blocks: int,
    seed: int = 0,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[RulesEffect]:
    """Play blocks under both rulesets and yield the results after the first blocks, then several times a second.

    The last results have `is_over`. Without dice, both rulesets begin with random openings of the same number of plies.
    Raises InvalidError for rulesets of different games or numbers of players and for an invalid line-up or number of
    blocks.
    """
    designs = _design_rulesets([a, b], lineup, blocks, seed)
    return (effect for (effect,) in _iter_effects(designs, stopped))


def play_rules_effects(  # noqa: PLR0913 - as above
    ruleset: Ruleset,
    others: Sequence[Ruleset],
    lineup: Sequence[str],
    *,
    blocks: int,
    seed: int = 0,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[RulesEffect, ...]]:
    """Play the same blocks under a ruleset and each of the others, as `play_rules_effect` does, and yield an effect for each other one."""
    return _iter_effects(_design_rulesets([ruleset, *others], lineup, blocks, seed), stopped)


def _design_rulesets(
    rulesets: Sequence[Ruleset], lineup: Sequence[str], blocks: int, seed: int
) -> list[Design]:
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
    return [
        design_simulation(ruleset, lineup, blocks=blocks, seed=seed).model_copy(update={"opening": opening})
        for ruleset in rulesets
    ]


def _iter_effects(
    designs: Sequence[Design], stopped: Callable[[], bool]
) -> Iterator[tuple[RulesEffect, ...]]:
    """Play under the ruleset of the first design and all others, a thread for each processor: compiled games run side by side."""
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
            _make_results(design, tables, _find_first_changes(moves[0], other))
            for design, tables, other in zip(designs, played, moves, strict=True)
        ]

    def join_all(first: list[RulesetResults], second: list[RulesetResults]) -> list[RulesetResults]:
        return [before.join_blocks(after) for before, after in zip(first, second, strict=True)]

    with ThreadPoolExecutor(usable_cpus()) as pool:
        for (a, *others), is_over in play_steps(timed_steps(designs[0].blocks), play_all, join_all, stopped):
            yield tuple(RulesEffect(a, other, is_over) for other in others)


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


def _leader_sign(lead: Floats, interval: Interval | None) -> int:
    """Return 1 or -1 if a lead is clearly positive or negative, 0 if there are not enough blocks to say."""
    if interval is None or len(lead) < statistics.least_blocks(lead) or interval.low <= 0 <= interval.high:
        return 0
    return 1 if interval.estimate > 0 else -1


def _json_value(change: QuantityChange | PairOrder) -> dict[str, Any]:
    return {
        key: value._asdict() if hasattr(value, "_asdict") else value
        for key, value in change._asdict().items()
    }
