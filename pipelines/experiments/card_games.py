"""The games behind a card as arrays: courses of games, playing on from their positions, restricted play, and duels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from engine import games
from engine.strategies import read_player
from pipelines.experiments.continuations import continuation_seed
from pipelines.experiments.fork import choose_quick_strategy
from pipelines.experiments.progressive import play_design_blocks
from pipelines.experiments.review import measure_stake
from pipelines.experiments.reviewer import PlayoutPosition, Playouts, join_results
from pipelines.simulate.compiled_games import begin_game
from pipelines.simulate.workers import usable_cpus
from pipelines.statistics import game_course

if TYPE_CHECKING:
    import pyarrow as pa

    from engine.game import Restriction
    from engine.ruleset import Ruleset
    from engine.state import State
    from pipelines.design.design import Design
    from pipelines.statistics.intervals import Floats, Integers


LENGTH_BLOCKS: Final = 20
"""The first blocks, whose games say how long a game usually is."""

BlockResults: TypeAlias = dict[str, "Floats"]
"""The results of games as arrays whose first axis is the block."""


class CardResults(NamedTuple):
    """The results of the blocks that were played so far."""

    courses: tuple[BlockResults, ...]
    """Of each style, in the games in which it has every seat."""
    duels: tuple[BlockResults, ...]
    """Of each pair of strategies, in the games in which the better one has one seat."""

    def join(self, later: CardResults) -> CardResults:
        """Return these results and those of the blocks after them."""
        return CardResults(*(tuple(map(_join_blocks, *both)) for both in zip(self, later, strict=True)))


class CardGames:
    """Plays the blocks of a card. The results do not depend on how they are divided."""

    def __init__(self, styles: Sequence[Design], duels: Sequence[Design]) -> None:
        """`styles` have the same strategy in every seat; in `duels`, the first strategy of the line-up is the better one."""
        self.styles, self.duels = styles, duels
        self._restricted = [RestrictedGames(design) for design in styles]

    @property
    def games_of_block(self) -> int:
        """Number of games of a block, without those that go on from their positions."""
        restricted = sum(restricted_games.games_of_block for restricted_games in self._restricted)
        return sum(design.rotations for design in (*self.styles, *self.duels)) + restricted

    @cached_property
    def forks(self) -> tuple[CardForks, ...]:
        """What plays on from positions of the games of each style."""
        return tuple(map(_make_forks, self.styles))

    def play(self, blocks: range) -> CardResults:
        """Play blocks in one thread for each processor: a compiled game releases the interpreter lock."""
        _ = self.forks  # before the threads need them
        threads = min(usable_cpus(), len(blocks))
        ends = [blocks.start + len(blocks) * number // threads for number in range(threads + 1)]
        with ThreadPoolExecutor(threads) as pool:
            return reduce(CardResults.join, pool.map(self._play_range, map(range, ends, ends[1:])))

    def _play_range(self, blocks: range) -> CardResults:
        return CardResults(
            tuple(
                self._measure_style(blocks, *style_games)
                for style_games in zip(self.styles, self.forks, self._restricted, strict=True)
            ),
            tuple(measure_duel(design, play_design_blocks(design, blocks)) for design in self.duels),
        )

    def _measure_style(
        self, blocks: range, design: Design, forks: CardForks, restricted: RestrictedGames
    ) -> BlockResults:
        course = measure_course(design, play_design_blocks(design, blocks, is_logged=True), forks)
        return course | restricted.measure_losses(blocks, course["wins"], course["scores"])


def _make_forks(design: Design) -> CardForks:
    rounds = _column(play_design_blocks(design, range(LENGTH_BLOCKS))["games"], "rounds")
    return CardForks(design.rules, design.lineup[0], design.seed, float(np.median(rounds)))


def _join_blocks(first: BlockResults, second: BlockResults) -> BlockResults:
    return {key: np.concatenate([values, second[key]]) for key, values in first.items()}


def measure_course(design: Design, tables: Mapping[str, pa.Table], forks: CardForks) -> BlockResults:
    """Return what each game of equal strategies was like, from its tables; a block is one game.

    `wins` and `scores` have the shape (blocks, seats), `leader` (blocks, parts of a game), `margins` and `stake` those of
    `CardForks.measure_game` with a block in front, and the others (blocks,).
    """
    ruleset, plies = design.rules, tables["plies"]
    sign = -1 if ruleset.lowest_wins else 1
    wins, scores = (
        _column(tables["seats"], name).reshape(-1, ruleset.players) for name in ("win_share", "score")
    )
    rounds = _column(tables["games"], "rounds").astype(np.int64)
    decisions = plies.filter(plies["options"].is_valid())
    first = int(_column(tables["games"], "game_id")[0])
    places = _column(decisions, "game_id").astype(np.int64) - first
    start = games.start_state(ruleset)
    standings = game_course.standings_by_round(
        places,
        _column(decisions, "round").astype(np.int64),
        _column(decisions, "seat").astype(np.int64),
        sign * _column(decisions, "score"),
        sign * np.array([start.score(seat) for seat in range(ruleset.players)], np.float64),
        sign * scores,
    )
    groups = np.split(_column(decisions, "options"), np.flatnonzero(np.diff(places)) + 1)
    forked = [forks.measure_game(game) for game in _list_logged_games(tables)]
    return {
        "wins": wins,
        "scores": scores,
        "rounds": rounds.astype(np.float64),
        "moves": _column(tables["games"], "plies"),
        "choices-mean": np.array([group.mean() for group in groups]),
        "choices-median": np.array([np.median(group) for group in groups]),
        "choices-largest": np.array([group.max() for group in groups]),
        "lead": game_course.count_lead_changes(standings),
        "drama": game_course.measure_drama(standings, rounds, wins),
        "comeback": game_course.won_from_behind(standings, rounds, wins),
        "leader": game_course.won_by_leader(standings, rounds, wins),
        "margins": np.array([margins for margins, _ in forked]),
        "stake": np.array([stake for _, stake in forked]),
    }


def _list_logged_games(tables: Mapping[str, pa.Table]) -> list[LoggedGame]:
    """Return the games of tables with all plies."""
    plies = tables["plies"]
    columns = [_column(plies, name).astype(np.int64) for name in ("action", "round", "seat")]
    ends = np.flatnonzero(np.diff(_column(plies, "game_id"))) + 1
    blocks = _column(tables["games"], "block").astype(np.int64).tolist()
    parts = zip(*(np.split(column, ends) for column in columns), strict=True)
    return [LoggedGame(block, *part) for block, part in zip(blocks, parts, strict=True)]


def measure_duel(design: Design, tables: Mapping[str, pa.Table]) -> BlockResults:
    """Return the margin of player 1, shape (blocks, seatings), and the share of the win of the better strategy, (blocks,).

    The better strategy has the seat of player 1 in the first seating.
    """
    shape = (-1, design.rotations, design.seats)
    scores, wins = (_column(tables["seats"], name).reshape(shape) for name in ("score", "win_share"))
    return {
        "margins": scores[:, :, 0] - scores[:, :, 1:].mean(axis=2),
        "wins": wins[:, np.arange(design.rotations), find_seats_of_first(design)].mean(axis=1),
    }


def find_seats_of_first(design: Design) -> list[int]:
    """Return the seat of the first strategy of the line-up in each seating; the others must be other strategies."""
    return [
        design.strategies_by_seat(rotation).index(design.lineup[0]) for rotation in range(design.rotations)
    ]


def _column(table: pa.Table, name: str) -> Floats:
    return np.asarray(table[name].to_numpy(), np.float64)


PARTS: Final = 4
"""Parts of a game whose luck is told apart."""
PART_GAMES: Final = 4
"""Games that go on from the end of a part with luck of their own."""
STAKE_THRESHOLD: Final = 0.1
"""Share of the win by which the best move must be better than the median one for a decision to matter."""
STAKE_BLOCKS: Final = 2
"""A decision is drawn from one of this number of blocks: its playouts take as long as all other games of a block together."""


class LoggedGame(NamedTuple):
    """A game of a card; the arrays have an entry for each ply."""

    block: int
    actions: Integers
    rounds: Integers
    seats: Integers


class CardForks:
    """Plays on from positions of games in which one style has every seat. It can be shared by threads."""

    def __init__(self, ruleset: Ruleset, style: str, seed: int, rounds: float) -> None:
        """`rounds` is the usual length of a game; each part of a game is an equal share of it."""
        game = games.find_game(ruleset.game)
        self.part_ends = tuple(math.ceil(part * rounds / PARTS) for part in range(1, PARTS))
        """The rounds, counted from 1, after which games are cut into parts, however long they are."""
        self._seed, self._start = seed, games.start_state(ruleset)
        self._style, self._values = (
            read_player(game, name) for name in (style, choose_quick_strategy(ruleset))
        )

    def measure_game(self, logged: LoggedGame) -> tuple[Floats, Floats]:
        """Return margins of player 1 in games from the end of each part, (PARTS - 1, PART_GAMES), and a `Stake`, (2,).

        The stake is that of a decision that is drawn from all of the game. It is nan in blocks that are left out (`STAKE_BLOCKS`), and
        if the game is not compiled: the plain rules would take seconds for the playouts of each decision.
        """
        seed = continuation_seed(self._seed, logged.block)
        values, style = (
            Playouts(self._start, [player] * self._start.ruleset.players, seed)
            for player in (self._values, self._style)
        )
        draw = np.random.default_rng(seed)
        chosen = int(draw.choice(np.flatnonzero(logged.seats >= 0)))
        part_plies = np.searchsorted(logged.rounds, self.part_ends).tolist()
        positions = _find_positions(values, self._start, logged.actions.tolist(), {chosen, *part_plies})
        margins = []
        for ply in part_plies:
            position = positions[ply]
            if style.compiled is not values.compiled:  # a strategy that only the rules can play
                position = style.make_position(values.make_state(position))
            scores = style.play_position(position, 0, PART_GAMES).scores
            margins.append(scores[:, 0] - scores[:, 1:].mean(axis=1))
        is_drawn = values.compiled is not None and logged.block % STAKE_BLOCKS == 0
        stake = (
            measure_stake(values, positions[chosen], draw, STAKE_THRESHOLD) if is_drawn else (np.nan, np.nan)
        )
        return np.array(margins, np.float64), np.array(stake, np.float64)


def _find_positions(
    playouts: Playouts, start: PlayoutPosition, actions: Sequence[int], plies: set[int]
) -> dict[int, PlayoutPosition]:
    """Return the positions of a game before some of its plies, or at its end."""
    position, positions = playouts.make_position(start), {}
    for ply in range(max(plies) + 1):
        if ply:
            position = playouts.position_after(position, actions[ply - 1])
        if ply in plies:
            positions[ply] = position
    return positions


class RestrictedGames:
    """Plays the games of a style again, in which one player is restricted. It can be shared by threads."""

    def __init__(self, design: Design) -> None:
        """`design` has the same strategy in every seat."""
        self.design = design
        self.restrictions: Sequence[Restriction] = design.game.restrictions(design.rules)
        self._start = games.start_state(design.rules)
        self._playouts = Playouts(
            self._start, [read_player(design.game, design.lineup[0])] * design.seats, design.seed
        )

    @property
    def games_of_block(self) -> int:
        """Number of games of a block: each restriction is put on each seat."""
        return len(self.restrictions) * self.design.seats

    def measure_losses(self, blocks: range, wins: Floats, scores: Floats) -> dict[str, Floats]:
        """Return what a restricted player loses in wins and in points, a mean over the seats: each (blocks, restrictions).

        `wins` and `scores`, both (blocks, seats), are those of the games without a restriction, which have the same luck.
        """
        sign = -1 if self.design.rules.lowest_wins else 1
        starts = self._list_starts(blocks)
        lost = {key: np.zeros((len(blocks), len(self.restrictions))) for key in ("worth", "worth-points")}
        for place, restriction in enumerate(self.restrictions):
            for seat in range(self.design.seats):
                played = join_results(
                    [
                        self._playouts.play_position(
                            self._playouts.make_position(restriction.restrict(state, seat)),
                            part.start,
                            len(part),
                        )
                        for state, part in starts
                    ]
                )
                lost["worth"][:, place] += wins[:, seat] - played.win_shares[:, seat]
                lost["worth-points"][:, place] += sign * (scores[:, seat] - played.scores[:, seat])
        return {key: sums / self.design.seats for key, sums in lost.items()}

    def _list_starts(self, blocks: range) -> list[tuple[State, range]]:
        """Return the positions from which blocks are played: one for all, or the end of the opening of each block."""
        if not self.design.opening:
            return [(self._start, blocks)]
        return [(begin_game(self.design, block, 0)[0], range(block, block + 1)) for block in blocks]
