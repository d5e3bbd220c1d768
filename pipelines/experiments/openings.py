"""Openings on equal terms: every first move of a ruleset is played by the same players with the same luck.

The rule is declared before the first game. All first moves play the blocks of a first stage; of moves that are compared, the better
half goes on and plays as many blocks as before, until few enough are left (successive halving; Karnin, Koren and Somekh 2013, "Almost
Optimal Exploration in Multi-Armed Bandits"). Those then play `blocks` blocks of other luck, from which all values come: games that
choose a move would flatter it. Their intervals hold for all of them at once, so also for the largest. Wins order the values if those of
the first stage clearly differ, because games are won; otherwise mean scores do. First moves and first pieces have the same first stage
and thus the same order. With dice, which the first stage cannot compare, the wins of the values themselves decide.

Who may do as well as number one follows from paired differences (multiple comparisons with the best; Hsu 1984, "Constrained
Simultaneous Confidence Intervals for Multiple Comparisons with the Best"): the best is among these in 95 of 100 experiments.

With dice, the first moves depend on the first roll, so pieces are compared: for each roll, the best placement of each piece is sought,
and a piece is compared with the others that the same roll offers. Rolls count by their probabilities, and of each piece only the
placements are tried that look best (`candidate_actions`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from engine import games
from engine.actions import CHANCE
from engine.errors import InvalidError
from pipelines.design.titles import name_actions
from pipelines.experiments.continuations import continuation_seed
from pipelines.experiments.progressive import doubling_steps
from pipelines.experiments.reviewer import PlayoutPosition, Playouts, candidate_actions
from pipelines.statistics import Interval, t_interval
from pipelines.statistics.bounded_means import SHARE_BOUNDS, plausible_bounds, stratified_interval
from pipelines.statistics.intervals import Floats, hold_for_all

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.ruleset import Ruleset
    from engine.state import State
    from engine.strategy import Player

OpeningKind: TypeAlias = Literal["move", "piece"]
MAX_FINALISTS: Final = 12
"""First moves that are left after the halving: as many as people read."""
MIN_FIRST_BLOCKS: Final = 8
FIRST_SHARE: Final = 1 / 8
"""The first stage plays this share of the blocks: one in eight."""
MIN_ROLL_BLOCKS: Final = 4
FIRST_STEP: Final = 100
"""Blocks of the values before an answer is shown for the first time."""
MAX_ORDERED: Final = 64
"""Moves after a roll that are ordered by how good they look; the others follow."""
MAX_PLACEMENTS: Final = 8
"""Placements of a piece that are tried after each roll."""
FIRST_BLOCK, VALUE_BLOCK = 0, 1 << 30
"""The first blocks of the luck that chooses finalists, and of that which gives values."""
ROLL_BLOCKS: Final = 1 << 20
"""Blocks between those of two rolls."""


@dataclass(frozen=True)
class OpeningValue:
    """How a first move, or a piece, does. Its intervals hold for all that were valued at once."""

    name: str
    games: int
    score: Interval | None
    """The mean score of the player who begins."""
    above: Interval | None
    """How much higher it is than the mean of all that were valued with the same luck and the same roll."""
    wins: Interval | None
    is_behind: bool = False
    """Whether it clearly does worse than number one, in wins or in points as they are ordered."""
    cells: tuple[int, ...] = ()
    """The squares that it covers; of a piece, those of one of its placements."""


@dataclass(frozen=True)
class Openings:
    """The values so far. Intervals count blocks."""

    ruleset: Ruleset
    by: OpeningKind
    tried: int
    """Number of first moves that were tried, mirror images and rolls with the same moves counted once."""
    blocks: int
    """Blocks that gave values."""
    is_finished: bool
    values: tuple[OpeningValue, ...]
    """The best first, by wins or by mean scores."""
    squares: Mapping[int, Interval]
    """By square: how much higher the mean score of the first moves is that cover it than that of all. Empty with dice."""
    square_blocks: int
    """Blocks of the squares, which are those of the first stage."""
    games: int
    """All games that were played."""
    is_one_game: bool
    """Whether all games of each first move are the same: neither the rules nor the players draw anything."""
    is_by_wins: bool = False
    """Whether wins order the values, because they clearly differ; else mean scores do."""
    has_rolls: bool = False
    """Whether a roll comes before the first move."""
    results: int = 0
    """The largest number of different results of player 1, scores with wins, among the games of a first move."""


class _Candidate(NamedTuple):
    roll: int
    action: int
    group: int | str
    position: PlayoutPosition


def play_openings(  # noqa: PLR0913 - the parts of a question
    ruleset: Ruleset,
    seating: Sequence[Player],
    *,
    by: OpeningKind,
    blocks: int,
    seed: int,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[Openings]:
    """Yield the values of the first moves while they become more precise, until `blocks` blocks gave values.

    Raises InvalidError for a ruleset whose first moves cannot be compared so.
    """
    trial = _Trial(ruleset, seating, by, blocks, seed)
    finalists = trial.find_finalists(stopped)
    if finalists is None:
        return
    for step, is_last in doubling_steps(blocks, FIRST_STEP):
        for candidate in finalists:
            trial.play(candidate, VALUE_BLOCK, trial.count_blocks(candidate.roll, step.stop))
        is_over = is_last or stopped()
        yield trial.summarise(finalists, step.stop)
        if is_over:
            return


class _Trial:
    """The games of all candidates, by the luck that chooses and by that which gives values."""

    def __init__(
        self, ruleset: Ruleset, seating: Sequence[Player], by: OpeningKind, blocks: int, seed: int
    ) -> None:
        start = games.start_state(ruleset)
        self.ruleset, self.by, self.blocks = ruleset, by, blocks
        rolls = _list_rolls(start)
        if len(rolls) > 1 and not (by == "piece" and ruleset.piece_areas):
            ways_on = (
                "; ask which first piece does best" if ruleset.piece_areas else ", so none can be compared"
            )
            raise InvalidError(f"the first moves of {ruleset.title} depend on the first roll{ways_on}")
        if by == "piece" and not ruleset.piece_areas:
            raise InvalidError(f"{ruleset.title} has no pieces, so there is no first piece to compare")
        self.shares = [share for share, _ in rolls]
        self.seat = rolls[0][1].seat
        self._sign = -1 if ruleset.lowest_wins else 1
        self._playouts = Playouts(start, seating, continuation_seed(seed))
        self.candidates = [
            candidate
            for place, (_, state) in enumerate(rolls)
            for candidate in self._list_candidates(place, state)
        ]
        rolls_of_groups = {(candidate.roll, candidate.group) for candidate in self.candidates}
        self._offered = sum(self.shares[roll] for roll, _ in rolls_of_groups) / len(
            {group for _, group in rolls_of_groups}
        )
        self._results: dict[tuple[int, int, int], list[tuple[Floats, Floats]]] = {}
        self._is_by_wins = False

    def _list_candidates(self, roll: int, state: State) -> Iterator[_Candidate]:
        """Yield the first moves after a roll, those that are mirror images of each other once."""
        position = self._playouts.make_position(state)
        actions, placements = state.actions, Counter[int | str]()
        if len(self.shares) > 1:
            likely = candidate_actions(state, min(MAX_ORDERED, len(actions) - 1))
            actions = tuple(dict.fromkeys((*likely, *actions)))
        for action in dict.fromkeys(min(self.ruleset.equal_actions(action)) for action in actions):
            meaning = self.ruleset.action(action)
            group = (meaning.piece or meaning.kind) if self.by == "piece" else action
            placements[group] += 1
            if len(self.shares) > 1 and placements[group] > MAX_PLACEMENTS:
                continue
            yield _Candidate(roll, action, group, self._playouts.position_after(position, action))

    def count_blocks(self, roll: int, blocks: int) -> int:
        """Return how many blocks begin with a roll if a piece that rolls offer as often as the mean of all plays `blocks`."""
        if len(self.shares) == 1:
            return blocks
        return max(MIN_ROLL_BLOCKS, round(self.shares[roll] * blocks / self._offered))

    def play(self, candidate: _Candidate, first: int, count: int) -> None:
        """Play a candidate until it has `count` blocks of the luck that begins at `first`."""
        results = self._results.setdefault((candidate.roll, candidate.action, first), [])
        done = sum(len(scores) for scores, _ in results)
        if done < count:
            played = self._playouts.play_position(
                candidate.position, first + candidate.roll * ROLL_BLOCKS + done, count - done
            )
            results.append((played.scores[:, self.seat].astype(np.float64), played.win_shares[:, self.seat]))

    def read(self, candidate: _Candidate, first: int, count: int | None = None) -> tuple[Floats, Floats]:
        """Return the scores and the win shares of the blocks that were played, each (blocks,)."""
        scores, wins = zip(*self._results[candidate.roll, candidate.action, first], strict=True)
        return np.concatenate(scores)[:count], np.concatenate(wins)[:count]

    def find_finalists(self, stopped: Callable[[], bool]) -> list[_Candidate] | None:
        """Return the candidates that get values; None if play was stopped."""
        pools: dict[tuple[int, int | str], list[_Candidate]] = {}
        for candidate in self.candidates:
            pools.setdefault((candidate.roll, candidate.group if self.by == "piece" else ""), []).append(
                candidate
            )
        limit = 1 if self.by == "piece" else MAX_FINALISTS
        finalists = []
        for candidate in self.candidates:
            if stopped():
                return None
            self.play(candidate, FIRST_BLOCK, self.count_first_blocks(candidate.roll))
        self._is_by_wins = len(self.shares) == 1 and _do_wins_differ(
            self._compare_moves(self.candidates).values()
        )
        for (roll, _), pool in pools.items():
            left, count = pool, self.count_first_blocks(roll)
            while len(left) > limit:
                values = self._compare_moves(left)
                order = sorted(
                    left,
                    key=lambda candidate: self._rank(values[candidate.action]),
                    reverse=True,
                )
                left = order[: max(limit, (len(left) + 1) // 2)]
                count = min(2 * count, self.count_blocks(roll, self.blocks))
                for candidate in left:
                    if stopped():
                        return None
                    self.play(candidate, FIRST_BLOCK, count)
            finalists += left
        return finalists

    def count_first_blocks(self, roll: int) -> int:
        """Return the blocks of the first stage."""
        target = self.count_blocks(roll, self.blocks)
        return min(target, max(MIN_FIRST_BLOCKS, round(FIRST_SHARE * target)))

    def _compare_moves(self, candidates: Sequence[_Candidate]) -> dict[int | str, _GroupValues]:
        """Return the values of each move in the first stages, whatever is asked about."""
        moves = [candidate._replace(group=candidate.action) for candidate in candidates]
        return self._compare(moves, FIRST_BLOCK)

    def _compare(self, finalists: Sequence[_Candidate], first: int) -> dict[int | str, _GroupValues]:
        """Return the values of each group, of the rolls that offer a choice; all values if no roll does."""
        by_roll: dict[int, list[_Candidate]] = {}
        for candidate in finalists:
            by_roll.setdefault(candidate.roll, []).append(candidate)
        groups: dict[int | str, list[tuple[int, Floats, Floats, Floats, Floats]]] = {}
        for roll, listed in by_roll.items():
            if len(listed) > 1 or len(by_roll) == 1:
                results = [self.read(candidate, first) for candidate in listed]
                mean, mean_wins = (np.mean(column, axis=0) for column in zip(*results, strict=True))
                for candidate, (scores, wins) in zip(listed, results, strict=True):
                    part = (roll, scores, scores - mean, wins, wins - mean_wins)
                    groups.setdefault(candidate.group, []).append(part)
        return {group: _GroupValues.join(parts, self.shares) for group, parts in groups.items()}

    def _rank(self, values: _GroupValues) -> tuple[float, ...]:
        """Return what the best group has most of: wins if they count, then the better mean score."""
        columns = [values.wins_above, self._sign * values.above]
        means = [
            interval.estimate if (interval := values.interval(column)) else float(column.mean())
            for column in columns
        ]
        return tuple(means if self._is_by_wins else means[1:])

    def _is_behind(self, values: _GroupValues, best: _GroupValues, number: int) -> bool:
        """Return whether one of `number` groups clearly does worse than the best one.

        With dice, groups do not have the same luck: their intervals must have no value in common.
        """
        ordering, lead = (
            group.wins_above if self._is_by_wins else self._sign * group.above for group in (values, best)
        )
        if len(self.shares) == 1:
            difference = values.interval(ordering - lead)
            return difference is not None and hold_for_all(difference, max(1, number - 1), len(lead)).high < 0
        mean, highest = values.interval(ordering, number=number), best.interval(lead, number=number)
        return mean is not None and highest is not None and mean.high < highest.low

    def summarise(self, finalists: Sequence[_Candidate], blocks: int) -> Openings:
        """Return the values of all finalists."""
        compared = self._compare(finalists, VALUE_BLOCK)
        names: Mapping[Any, str] = (
            {group: str(group) for group in compared}
            if self.by == "piece"
            else name_actions(self.ruleset, [candidate.action for candidate in finalists])
        )
        cells = {
            candidate.group: self.ruleset.action(candidate.action).cells for candidate in reversed(finalists)
        }
        if len(self.shares) > 1:
            self._is_by_wins = _do_wins_differ(compared.values())
        ordered = sorted(compared, key=lambda group: self._rank(compared[group]), reverse=True)
        number = len(ordered)
        values = tuple(
            OpeningValue(
                names[group],
                len(compared[group].scores),
                compared[group].interval(compared[group].scores, number=number),
                compared[group].interval(compared[group].above, number=number),
                compared[group].interval(compared[group].wins, number=number, is_share=True),
                self._is_behind(compared[group], compared[ordered[0]], number),
                cells[group],
            )
            for group in ordered
        )
        return Openings(
            self.ruleset,
            self.by,
            len({candidate.action for candidate in self.candidates}),
            blocks,
            blocks >= self.blocks,
            values,
            self._value_squares(),
            self.count_first_blocks(0),
            sum(len(scores) for results in self._results.values() for scores, _ in results),
            all(bool(np.ptp(self.read(candidate, VALUE_BLOCK)[0]) == 0) for candidate in finalists)
            and len(self.shares) == 1,
            is_by_wins=self._is_by_wins,
            has_rolls=len(self.shares) > 1,
            results=max(values.count_results() for values in compared.values()),
        )

    def _value_squares(self) -> dict[int, Interval]:
        """Return the value of each square by the games of the first stage, in which all first moves play the same luck."""
        if len(self.shares) > 1:
            return {}
        rows: list[Floats] = []
        covering: dict[int, list[int]] = {}
        for candidate in self.candidates:
            scores = self.read(candidate, FIRST_BLOCK, self.count_first_blocks(0))[0]
            for image in dict.fromkeys(self.ruleset.equal_actions(candidate.action)):
                for cell in self.ruleset.action(image).cells:
                    covering.setdefault(cell, []).append(len(rows))
                rows.append(scores)
        above = np.stack(rows) - np.mean(rows, axis=0)
        means = {cell: t_interval(above[places].mean(axis=0)) for cell, places in covering.items()}
        return {cell: mean for cell, mean in means.items() if mean}


class _GroupValues(NamedTuple):
    """The results of a group, roll after roll."""

    rolls: NDArray[np.int64]
    """(n,) The place of the roll among those of the group."""
    shares: Floats
    """(rolls,) Their probabilities, which add up to 1."""
    scores: Floats
    above: Floats
    wins: Floats
    wins_above: Floats

    @classmethod
    def join(
        cls, parts: Sequence[tuple[int, Floats, Floats, Floats, Floats]], shares: Sequence[float]
    ) -> _GroupValues:
        weights = np.array([shares[roll] for roll, *_ in parts])
        places = np.repeat(np.arange(len(parts)), [len(scores) for _, scores, *_ in parts])
        columns = (np.concatenate(column) for column in list(zip(*parts, strict=True))[1:])
        return cls(places, weights / weights.sum(), *columns)

    def count_results(self) -> int:
        """Return the number of different results, those of different rolls counted apart."""
        return len(
            set(zip(*(column.tolist() for column in (self.rolls, self.scores, self.wins)), strict=True))
        )

    def interval(self, values: Floats, *, number: int = 1, is_share: bool = False) -> Interval | None:
        """Return the mean of a column with an interval that holds for `number` groups at once; rolls count by their probabilities."""
        bounds = SHARE_BOUNDS if is_share else plausible_bounds(values)
        interval = stratified_interval(values, self.rolls, self.shares, bounds)
        wide = interval and hold_for_all(interval, number, len(values))
        return wide._replace(low=max(0.0, wide.low), high=min(1.0, wide.high)) if wide and is_share else wide


def _do_wins_differ(compared: Collection[_GroupValues]) -> bool:
    """Return whether the wins of some group clearly differ from the mean of all."""
    return any(
        wide.low > 0 or wide.high < 0
        for values in compared
        if (wide := values.interval(values.wins_above, number=len(compared)))
    )


def _list_rolls(start: State) -> list[tuple[float, State]]:
    """Return the probability and the position of each first roll; the start itself in a game that begins without one."""
    if start.seat != CHANCE:
        return [(1.0, start)]
    return [
        (share * probability, state)
        for action, share in zip(start.actions, start.probabilities, strict=True)
        for probability, state in _list_rolls(start.play(action))
    ]
