"""What a rule changes: two rulesets of a game played by the same strategies on the same luck, block by block.

A block has the same rolls under both rulesets wherever the dice are the same, so most of the luck cancels in the
difference, and a ruleset held against itself gives a difference of exactly zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from engine.errors import InvalidError
from pipelines import statistics
from pipelines.design.design import MAX_RUN_BLOCKS, MAX_RUN_GAMES, design_simulation
from pipelines.design.openings import opening_plies_needed
from pipelines.experiments.progressive import play_design_blocks, play_steps, timed_steps
from pipelines.statistics.intervals import sample_sd
from pipelines.statistics.rounding import format_interval_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from engine.ruleset import Ruleset
    from pipelines.design.design import Design
    from pipelines.statistics import Interval
    from pipelines.statistics.arrays import Floats

OrderChange: TypeAlias = Literal["same", "turned", "not to be told"]


class QuantityChange(NamedTuple):
    """One quantity under both rulesets; every interval is that of block means, None for fewer than two blocks."""

    of: str
    """A strategy, a seat, or what is counted."""
    a: Interval | None
    b: Interval | None
    difference: Interval | None
    """B - A, luck for luck."""


class PairOrder(NamedTuple):
    """Two strategies under both rulesets: how far the first is ahead in mean score of their seats; more is better."""

    first: str
    second: str
    a: Interval | None
    b: Interval | None
    difference: Interval | None
    """By how much the lead grows from A to B."""
    order: OrderChange
    """Whether the same one is ahead under both, or another one, beyond doubt."""


@dataclass(frozen=True)
class RulesetResults:
    """How the games of some blocks ended under one ruleset."""

    design: Design
    scores: NDArray[np.int64]
    """(blocks, seatings, seats)"""
    wins: Floats
    """(blocks, seatings, seats) shares of the win."""
    rounds: NDArray[np.int64]
    """(blocks, seatings)"""
    plies: NDArray[np.int64]
    """(blocks, seatings)"""

    @property
    def blocks(self) -> int:
        return len(self.scores)

    def join_blocks(self, other: RulesetResults) -> RulesetResults:
        """Return these and the others behind them."""
        columns = ("scores", "wins", "rounds", "plies")
        return RulesetResults(
            self.design, *(np.concatenate([getattr(one, name) for one in (self, other)]) for name in columns)
        )

    def strategy_scores(self, strategy: str) -> NDArray[np.int64]:
        """Return every final score of a strategy, (results,)."""
        found: NDArray[np.int64] = self.scores[:, self._seat_mask(strategy)].ravel()
        return found

    def _seat_mask(self, strategy: str) -> NDArray[np.bool_]:
        """(seatings, seats) Say where a strategy sits."""
        every = range(self.design.rotations)
        return np.array(
            [[name == strategy for name in self.design.strategies_by_seat(number)] for number in every]
        )

    def mean_scores(self, strategy: str) -> Floats:
        """(blocks,) Mean score of a strategy's seats."""
        found: Floats = self.scores[:, self._seat_mask(strategy)].mean(axis=1)
        return found

    def mean_win_shares(self, strategy: str) -> Floats:
        """(blocks,) What a seat of a strategy has of the win, on average."""
        found: Floats = self.wins[:, self._seat_mask(strategy)].mean(axis=1)
        return found

    def seat_edge(self, seat: int) -> Floats:
        """(blocks,) Score on a seat less the mean of its game, over all seatings."""
        found: Floats = (self.scores[:, :, seat] - self.scores.mean(axis=2)).mean(axis=1)
        return found


@dataclass(frozen=True)
class RulesEffect:
    """What is known so far of two rulesets, A and B."""

    a: RulesetResults
    b: RulesetResults
    is_over: bool

    @property
    def blocks(self) -> int:
        return self.a.blocks

    @property
    def games_per_block(self) -> int:
        """Under each ruleset."""
        return self.a.design.rotations

    @property
    def strategies(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.a.design.lineup))

    @cached_property
    def scores(self) -> tuple[QuantityChange, ...]:
        """Mean score of each strategy."""
        return tuple(
            _quantity_change(name, self.a.mean_scores(name), self.b.mean_scores(name))
            for name in self.strategies
        )

    @cached_property
    def win_shares(self) -> tuple[QuantityChange, ...]:
        """Share of the win that a seat of each strategy has."""
        found = []
        for name in self.strategies:
            a, b = self.a.mean_win_shares(name), self.b.mean_win_shares(name)
            ends = statistics.share_interval(a), statistics.share_interval(b)
            found.append(QuantityChange(name, *ends, statistics.t_interval(b - a)))
        return tuple(found)

    @cached_property
    def lengths(self) -> tuple[QuantityChange, ...]:
        """Rounds and plies of a game."""
        return tuple(
            _quantity_change(name, *(getattr(ends, name).mean(axis=1) for ends in (self.a, self.b)))
            for name in ("rounds", "plies")
        )

    @cached_property
    def seats(self) -> tuple[QuantityChange, ...]:
        """What each seat is worth: its score less the mean of its game."""
        seats = range(self.a.design.seats)
        return tuple(
            _quantity_change(str(seat), self.a.seat_edge(seat), self.b.seat_edge(seat)) for seat in seats
        )

    @cached_property
    def orders(self) -> tuple[PairOrder, ...]:
        """Who is ahead of whom under both."""
        sign = -1 if self.a.design.rules.lowest_wins else 1
        found = []
        for first, second in combinations(self.strategies, 2):
            a, b = (sign * (ends.mean_scores(first) - ends.mean_scores(second)) for ends in (self.a, self.b))
            known = [_leader_sign(values) for values in (a, b)]
            order: OrderChange = (
                "not to be told" if 0 in known else "same" if known[0] == known[1] else "turned"
            )
            found.append(PairOrder(first, second, *_quantity_change(first, a, b)[1:], order))
        return tuple(found)

    @cached_property
    def differing_share(self) -> Interval:
        """Share of blocks in which any game ended differently under the two rulesets."""
        different = (self.a.scores != self.b.scores).any(axis=(1, 2)) | (self.a.plies != self.b.plies).any(
            axis=1
        )
        return statistics.wilson(int(different.sum()), self.blocks)

    @cached_property
    def variance_ratio(self) -> float | None:
        """Variance of the difference of all scores over what it were on separate luck; below 1, pairing helps."""
        a, b = (ends.scores.mean(axis=(1, 2)) for ends in (self.a, self.b))
        return statistics.variance_ratio(a, b)

    def has_enough_blocks(self, strategy: str) -> bool:
        """Say whether there are enough blocks for the interval of a strategy's difference to be trusted."""
        differences = self.b.mean_scores(strategy) - self.a.mean_scores(strategy)
        return self.blocks >= statistics.least_blocks(differences)

    def as_json(self) -> dict[str, Any]:
        """Return the figures as JSON data."""
        parts = ("scores", "win_shares", "lengths", "seats", "orders")
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
            "variance_ratio": self.variance_ratio,
            **{part: [_json_value(one) for one in getattr(self, part)] for part in parts},
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
    """Play blocks under both rulesets and yield what is known after a few, then a few times a second.

    The last answer has `is_over`. Where no dice fall, both start from random openings of as many plies. Raises
    InvalidError for rulesets that cannot be held against each other and for what makes no design.
    """
    if a.game != b.game:
        raise InvalidError(f"{a.name} and {b.name} are rulesets of different games")
    if a.players != b.players:
        raise InvalidError(
            f"{a.name} has {a.players} seats and {b.name} {b.players}: choose two with as many"
        )
    most = min(MAX_RUN_BLOCKS, MAX_RUN_GAMES // a.players)
    if not 2 <= blocks <= most:
        raise InvalidError(f"blocks: expected from 2 to {most}, not {blocks}")
    opening = max(opening_plies_needed(a), opening_plies_needed(b))
    both = [
        design_simulation(ruleset, lineup, blocks=blocks, seed=seed, log="scores").model_copy(
            update={"opening": opening}
        )
        for ruleset in (a, b)
    ]
    return _iter_effects(both[0], both[1], stopped)


def _iter_effects(design_a: Design, design_b: Design, stopped: Callable[[], bool]) -> Iterator[RulesEffect]:
    def play_both(blocks: range) -> tuple[RulesetResults, RulesetResults]:
        return _play_blocks(design_a, blocks), _play_blocks(design_b, blocks)

    def join_both(
        first: tuple[RulesetResults, RulesetResults], second: tuple[RulesetResults, RulesetResults]
    ) -> tuple[RulesetResults, RulesetResults]:
        return first[0].join_blocks(second[0]), first[1].join_blocks(second[1])

    for (a, b), is_over in play_steps(timed_steps(design_a.blocks), play_both, join_both, stopped):
        yield RulesEffect(a, b, is_over)


def _play_blocks(design: Design, blocks: range) -> RulesetResults:
    tables = play_design_blocks(design, blocks)
    games, seats = tables["games"], tables["seats"]
    shape = (len(blocks), design.rotations)
    return RulesetResults(
        design,
        seats["score"].to_numpy().astype(np.int64).reshape(*shape, design.seats),
        seats["win_share"].to_numpy().reshape(*shape, design.seats),
        games["rounds"].to_numpy().astype(np.int64).reshape(shape),
        games["plies"].to_numpy().astype(np.int64).reshape(shape),
    )


def _quantity_change(of: str, a: Floats, b: Floats) -> QuantityChange:
    return QuantityChange(
        of, statistics.t_interval(a), statistics.t_interval(b), statistics.t_interval(b - a)
    )


def _leader_sign(lead: Floats) -> int:
    """Say who is ahead beyond doubt: 1 or -1, or 0 if that cannot be told from so many blocks."""
    interval = statistics.t_interval(lead)
    if interval is None or len(lead) < statistics.least_blocks(lead) or interval.low <= 0 <= interval.high:
        return 0
    return 1 if interval.estimate > 0 else -1


def _json_value(one: QuantityChange | PairOrder) -> dict[str, Any]:
    return {
        key: value._asdict() if hasattr(value, "_asdict") else value for key, value in one._asdict().items()
    }


def rules_effect_sentence(found: RulesEffect) -> str:
    """Say what B changes against A, and no more than the intervals allow."""
    a, b = found.a.design.rules.name, found.b.design.rules.name
    over = f"{found.blocks:,} block{'s' * (found.blocks != 1)} on the same luck"
    if not found.differing_share.estimate:
        return f"no game ends differently under {b} than under {a} in {over}"
    said = [_score_words(found, one) for one in found.scores]
    return f"under {b} instead of {a}, {', '.join(said)} (95 %, {over}); {_length_words(found.lengths[0])}"


def _score_words(found: RulesEffect, one: QuantityChange) -> str:
    values = found.b.mean_scores(one.of) - found.a.mean_scores(one.of)
    if one.difference is None or not found.has_enough_blocks(one.of):
        return f"of {one.of} there are not enough games to say"
    if sample_sd(values) == 0 and one.difference.estimate == 0:
        return f"{one.of} scores the same"
    side, amount, low, high = _signed_amounts(one.difference)
    if side == 0:
        return f"no difference to be told in the score of {one.of} ({low} to {high})"
    return f"{one.of} scores {amount} {'more' if side > 0 else 'fewer'} ({low} to {high})"


def _length_words(rounds: QuantityChange) -> str:
    if rounds.difference is None:
        return "too few games to tell how long they are"
    if rounds.difference.half_width == 0 and rounds.difference.estimate == 0:
        return "games last as many rounds"
    side, amount, low, high = _signed_amounts(rounds.difference)
    if side == 0:
        return f"games last about as long ({low} to {high} rounds)"
    return f"games last {amount} rounds {'longer' if side > 0 else 'less'} ({low} to {high})"


def _signed_amounts(difference: Interval) -> tuple[int, str, str, str]:
    """Return which way a difference goes (0: not to be told), then how far and between what."""
    if difference.low <= 0 <= difference.high:
        return 0, *format_interval_numbers(difference)
    side = 1 if difference.estimate > 0 else -1
    ends = sorted((side * difference.low, side * difference.high))
    return side, *format_interval_numbers(statistics.Interval(side * difference.estimate, *ends))
