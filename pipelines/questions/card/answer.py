"""The card of a ruleset: its games are played in growing batches, by equal strategies and by neighbours on the ladder."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from engine import games
from engine.errors import InvalidError
from engine.kernels.loader import find_kernel
from engine.strategies import built_in_strategies, read_player
from pipelines.design.openings import opening_plies_needed
from pipelines.design.short_names import short_names
from pipelines.design.simulation import design_simulation
from pipelines.experiments.progressive import play_design_blocks, play_steps
from pipelines.questions.card.measures import DEFAULT_STYLE
from pipelines.questions.measured import Basis, Measured
from pipelines.questions.rule_effect.question import find_named_ruleset
from pipelines.records.ladder import list_ladder_records
from pipelines.simulate.timed_steps import timed_steps
from pipelines.statistics import share_interval
from pipelines.statistics.bounded_means import (
    SHARE_BOUNDS,
    block_interval,
    plausible_bounds,
    share_change_interval,
)
from pipelines.statistics.game_course import (
    count_lead_changes,
    decided_after,
    measure_drama,
    standings_by_round,
    won_by_leader,
    won_from_behind,
)
from pipelines.statistics.luck import variance_shares

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from engine.ruleset import Ruleset
    from pipelines.design.design import Design
    from pipelines.questions.card.measures import CardKey
    from pipelines.questions.card.question import CardQuestion
    from pipelines.statistics import Interval
    from pipelines.statistics.arrays import Floats

MAX_RUNG_MICROSECONDS: Final = 200.0
"""Strategies of the ladder that think longer about a decision are left out, so that a card takes seconds."""
UNMEASURED_LADDER: Final = ("random", "noisy", "greedy")
"""The ladder of a ruleset that was not measured: those of these strategies that the game has."""


BlockResults: TypeAlias = dict[str, "Floats"]
"""The results of games as arrays whose first axis is the block."""


class CardMeasure(NamedTuple):
    """A number of a card."""

    key: CardKey
    about: str
    """The player or the two strategies that it is about; empty if it is about all."""
    measured: Measured


@dataclass(frozen=True)
class CardAnswer:
    """The card so far, or of all blocks that were asked for."""

    question: CardQuestion
    ruleset: Ruleset
    measures: tuple[CardMeasure, ...]
    opening: int
    """Random moves at the start of each block, which a game without chance needs."""
    basis: Basis
    is_over: bool

    def find_measures(self, key: CardKey) -> list[CardMeasure]:
        """Return the numbers of a measure."""
        return [measure for measure in self.measures if measure.key == key]


def iter_card_answers(
    question: CardQuestion, rulesets: Mapping[str, Ruleset], *, stopped: Callable[[], bool] = lambda: False
) -> Iterator[CardAnswer]:
    """Yield the card while it becomes more precise, until all blocks are played or `stopped` returns True.

    `rulesets` are those of the library by name. Raises InvalidError for a ruleset or a style that does not exist, and for a
    ruleset of one player.
    """
    ruleset = find_named_ruleset(rulesets, question.ruleset)
    if ruleset.players < 2:
        raise InvalidError(f"{ruleset.name} has one player; a card needs two or more")
    pairs, left_out = find_ladder_pairs(ruleset)
    opening = opening_plies_needed(ruleset)
    style = [question.style or DEFAULT_STYLE] * ruleset.players
    lineups = [style, *([better, *[other] * (ruleset.players - 1)] for better, other in pairs)]
    designs = [
        design_simulation(ruleset, lineup, blocks=question.blocks, seed=question.seed).model_copy(
            update={"opening": opening}
        )
        for lineup in lineups
    ]

    def play(blocks: range) -> BlockResults:
        results = measure_course(designs[0], play_design_blocks(designs[0], blocks, is_logged=True))
        for (better, _), design in zip(pairs, designs[1:], strict=True):
            results |= measure_duel(design, play_design_blocks(design, blocks), better)
        return results

    def join(first: BlockResults, second: BlockResults) -> BlockResults:
        return {key: np.concatenate([values, second[key]]) for key, values in first.items()}

    for results, is_over in play_steps(timed_steps(question.blocks), play, join, stopped):
        blocks = len(results["wins"])
        basis = Basis(
            rulesets=(ruleset.name,),
            lineups=tuple(design.labels for design in designs),
            games=blocks * sum(design.rotations for design in designs),
            blocks=blocks,
            left_out=left_out,
        )
        yield CardAnswer(question, ruleset, measure_card(results, pairs), opening, basis, is_over)


def answer_card(question: CardQuestion, rulesets: Mapping[str, Ruleset]) -> CardAnswer:
    """Return the card of all blocks. Raises InvalidError as `iter_card_answers` does."""
    *_, answer = iter_card_answers(question, rulesets)
    return answer


def find_ladder_pairs(ruleset: Ruleset) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """Return the neighbours on the ladder of a ruleset, the better one first, and a sentence on the strategies left out."""
    game, records = games.find_game(ruleset.game), list_ladder_records(ruleset)
    is_compiled = find_kernel(ruleset) is not None  # compile first: the plain rules would play slowly
    quick = [name for name, one in records.items() if (one.microseconds or 0) <= MAX_RUNG_MICROSECONDS]
    rungs = [name for name in quick if is_compiled or read_player(game, name).strategy.make]
    rungs = rungs or [name for name in UNMEASURED_LADDER if name in built_in_strategies(game)]
    slow = [name for name in records if name not in rungs]
    names = short_names(records)
    sentence = (
        f"The ladder goes without {', '.join(names[name] for name in slow)}: a decision takes more than "
        f"{MAX_RUNG_MICROSECONDS:g} microseconds{'' if is_compiled else ', or needs a compiled game'}."
    )
    return [(better, other) for other, better in pairwise(rungs)], (sentence,) if slow else ()


def measure_course(design: Design, tables: Mapping[str, pa.Table]) -> BlockResults:
    """Return what each game of equal strategies was like, from its tables; a block is one game.

    `wins` has the shape (blocks, seats), `leader` (blocks, parts of a game), and the others (blocks,).
    """
    ruleset, plies = design.rules, tables["plies"]
    sign = -1 if ruleset.lowest_wins else 1
    wins = _column(tables["seats"], "win_share").reshape(-1, ruleset.players)
    rounds = _column(tables["games"], "rounds").astype(np.int64)
    decisions = plies.filter(plies["options"].is_valid())
    places = _column(decisions, "game_id").astype(np.int64)
    places -= int(_column(tables["games"], "game_id")[0])
    start = games.start_state(ruleset)
    standings = standings_by_round(
        places,
        _column(decisions, "round").astype(np.int64),
        _column(decisions, "seat").astype(np.int64),
        sign * _column(decisions, "score"),
        sign * np.array([start.score(seat) for seat in range(ruleset.players)], np.float64),
        sign * _column(tables["seats"], "score").reshape(wins.shape),
    )
    groups = np.split(_column(decisions, "options"), np.flatnonzero(np.diff(places)) + 1)
    return {
        "wins": wins,
        "rounds": rounds.astype(np.float64),
        "moves": _column(tables["games"], "plies"),
        "choices-mean": np.array([group.mean() for group in groups]),
        "choices-median": np.array([np.median(group) for group in groups]),
        "choices-largest": np.array([group.max() for group in groups]),
        "lead": count_lead_changes(standings),
        "drama": measure_drama(standings, rounds, wins),
        "comeback": won_from_behind(standings, rounds, wins),
        "leader": won_by_leader(standings, rounds, wins),
    }


def measure_duel(design: Design, tables: Mapping[str, pa.Table], better: str) -> BlockResults:
    """Return the margin of player 1, shape (blocks, seatings), and the share of the win of the better strategy, (blocks,)."""
    shape = (-1, design.rotations, design.seats)
    scores, wins = (_column(tables["seats"], name).reshape(shape) for name in ("score", "win_share"))
    seats = [
        design.strategies_by_seat(rotation).index(design.lineup[0]) for rotation in range(design.rotations)
    ]
    return {
        f"margins of {better}": scores[:, :, 0] - scores[:, :, 1:].mean(axis=2),
        f"wins of {better}": wins[:, np.arange(design.rotations), seats].mean(axis=1),
    }


def measure_card(results: BlockResults, pairs: Sequence[tuple[str, str]]) -> tuple[CardMeasure, ...]:
    """Return the numbers of a card in the order in which it shows them."""
    blocks, players = results["wins"].shape

    def make(key: CardKey, interval: Interval | None, about: str = "") -> CardMeasure:
        return CardMeasure(key, about, Measured(interval, blocks, "block"))

    found = [
        make("seat", share_change_interval(wins - 1 / players), f"player {seat}")
        for seat, wins in enumerate(results["wins"].T, start=1)
    ]
    keys: tuple[CardKey, ...] = (
        "rounds",
        "moves",
        "choices-mean",
        "choices-median",
        "choices-largest",
        "lead",
    )
    found += [make(key, block_interval(results[key], plausible_bounds(results[key]))) for key in keys]
    found += [
        make("drama", block_interval(results["drama"], SHARE_BOUNDS)),
        make("decided", decided_after(results["leader"])),
        make("comeback", share_interval(results["comeback"])),
    ]
    names, of_pairs = short_names([name for pair in pairs for name in pair]), []
    for better, other in pairs:
        about, shares = (
            f"{names[better]} against {names[other]}",
            variance_shares(results[f"margins of {better}"]),
        )
        of_pairs += [
            make("ladder", share_interval(results[f"wins of {better}"]), about),
            make("skill", shares and shares.skill, about),
            make("luck", shares and shares.luck, about),
        ]
    return (*found, *of_pairs[::3], *of_pairs[1::3], *of_pairs[2::3])


def _column(table: pa.Table, name: str) -> Floats:
    return np.asarray(table[name].to_numpy(), np.float64)
