"""The card of a ruleset: its games are played in growing batches, and each number gets an interval over the blocks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from engine import games
from engine.errors import InvalidError
from engine.kernels.loader import find_kernel
from engine.strategies import built_in_strategies, read_player
from pipelines.design.designs import design_simulation
from pipelines.design.lineups import short_names
from pipelines.design.openings import opening_plies_needed
from pipelines.experiments.progressive import play_steps
from pipelines.questions.card.blocks import CardGames, CardResults
from pipelines.questions.card.measures import MAX_STYLES
from pipelines.questions.measured import Basis, Measured
from pipelines.questions.rule_effect.question import find_named_ruleset
from pipelines.records.ladder import QUICK_MICROSECONDS, split_by_speed
from pipelines.simulate.shards import timed_steps
from pipelines.statistics import share_interval
from pipelines.statistics.bounded_means import (
    SHARE_BOUNDS,
    block_interval,
    plausible_bounds,
    share_change_interval,
)
from pipelines.statistics.game_course import decided_after
from pipelines.statistics.luck import part_shares, variance_shares

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engine.ruleset import Ruleset
    from pipelines.questions.card.blocks import BlockResults
    from pipelines.questions.card.measures import CardKey
    from pipelines.questions.card.question import CardQuestion
    from pipelines.questions.source import QuestionSource
    from pipelines.statistics import Interval

UNMEASURED_LADDER: Final = ("random", "noisy", "greedy")
"""The ladder of a ruleset that was not measured: those of these strategies that the game has."""
PART_NAMES: Final = ("first quarter", "second quarter", "third quarter", "last quarter")

LadderPair: TypeAlias = tuple[str, str]
"""Two strategies of the ladder, the better one first."""


class CardMeasure(NamedTuple):
    """A number of a card."""

    key: CardKey
    about: str
    """The player, the part of a game or the two strategies that it is about; empty if it is about all."""
    measured: Measured
    style: str = ""
    """The strategy in every seat; empty for the numbers of the ladder, which do not depend on a style."""


@dataclass(frozen=True)
class CardAnswer:
    """The card so far, or of all blocks that were asked for."""

    question: CardQuestion
    ruleset: Ruleset
    measures: tuple[CardMeasure, ...]
    """Those of each style, then those of the ladder."""
    opening: int
    """Random moves at the start of each block, which a game without chance needs."""
    basis: Basis

    @property
    def is_finished(self) -> bool:
        """Whether all blocks were played that the question asks for."""
        return self.basis.blocks == self.question.blocks

    @property
    def styles(self) -> tuple[str, ...]:
        """The playing styles by their full names, in the order of the question."""
        return tuple(dict.fromkeys(measure.style for measure in self.measures if measure.style))

    def find_measures(self, key: CardKey) -> list[CardMeasure]:
        """Return the numbers of a measure; of several styles, those of the first one."""
        styles = {"", *self.styles[:1]}
        return [measure for measure in self.measures if measure.key == key and measure.style in styles]


def iter_card_answers(
    question: CardQuestion, ruleset: Ruleset, *, stopped: Callable[[], bool] = lambda: False
) -> Iterator[CardAnswer]:
    """Yield the card of the ruleset of a question while it becomes more precise, until all blocks are played or `stopped` returns True.

    Raises InvalidError for a style that does not exist, and for a ruleset of one player.
    """
    if ruleset.players < 2:
        raise InvalidError(f"{ruleset.name} has one player; a card needs two or more")
    pairs, left_out = find_ladder_pairs(ruleset)
    opening = opening_plies_needed(ruleset)
    game = games.find_game(ruleset.game)
    styles = dict.fromkeys(read_player(game, style).name for style in question.styles)
    if len(styles) > MAX_STYLES:
        raise InvalidError(f"a card shows at most {MAX_STYLES} playing styles, not {len(styles)}")
    whole_ladder = (pairs[-1][0], pairs[0][1])
    duels = [[better, *[other] * (ruleset.players - 1)] for better, other in (*pairs, whole_ladder)]
    designs = [
        design_simulation(ruleset, lineup, blocks=question.blocks, seed=question.seed).model_copy(
            update={"opening": opening}
        )
        for lineup in (*([style] * ruleset.players for style in styles), *duels)
    ]
    restrictions = [one.name for one in game.restrictions(ruleset)]
    played = CardGames(designs[: len(styles)], designs[len(styles) :])
    if find_kernel(ruleset) is None:
        left_out += ("What is at stake in decisions is left out: it needs a compiled game.",)
    for results, _ in play_steps(timed_steps(question.blocks), played.play, CardResults.join, stopped):
        blocks = len(results.duels[0]["wins"])
        basis = Basis(
            rulesets=(ruleset.name,),
            lineups=tuple(design.labels for design in designs),
            games=blocks * played.games_of_block,
            blocks=blocks,
            left_out=left_out,
        )
        measures = [
            measure
            for design, course in zip(played.styles, results.courses, strict=True)
            for measure in measure_style(course, design.labels[0], restrictions)
        ]
        measures += measure_ladder(results.duels, pairs)
        yield CardAnswer(question, ruleset, tuple(measures), opening, basis)


def answer_card(question: CardQuestion, source: QuestionSource) -> CardAnswer:
    """Return the card of all blocks. Raises InvalidError as `iter_card_answers` does, and for a ruleset that does not exist."""
    *_, answer = iter_card_answers(question, find_named_ruleset(source.rulesets, question.ruleset))
    return answer


def find_ladder_pairs(ruleset: Ruleset) -> tuple[list[LadderPair], tuple[str, ...]]:
    """Return the neighbours on the ladder of a ruleset, the better one first, and a sentence on the strategies left out."""
    game, (quick, slow) = games.find_game(ruleset.game), split_by_speed(ruleset)
    is_compiled = find_kernel(ruleset) is not None  # compile first: the plain rules would play slowly
    rungs = [name for name in quick if is_compiled or read_player(game, name).strategy.make]
    rungs = (
        rungs if len(rungs) > 1 else [name for name in UNMEASURED_LADDER if name in built_in_strategies(game)]
    )
    left_out = [name for name in quick + slow if name not in rungs]
    names = short_names(quick + slow)
    sentence = (
        f"The ladder goes without {', '.join(names[name] for name in left_out)}: a decision takes more than "
        f"{QUICK_MICROSECONDS:g} microseconds{'' if is_compiled else ', or needs a compiled game'}."
    )
    return [(better, other) for other, better in pairwise(rungs)], (sentence,) if left_out else ()


def measure_style(results: BlockResults, style: str, restrictions: Sequence[str]) -> list[CardMeasure]:
    """Return the numbers of the games in which a style has every seat, in the order in which a card shows them.

    `restrictions` are the names of what players may not use in the games of restricted play.
    """
    blocks, players = results["wins"].shape

    def make(key: CardKey, interval: Interval | None, about: str = "", blocks: int = blocks) -> CardMeasure:
        return CardMeasure(key, about, Measured(interval, blocks, "block"), style)

    keys: tuple[CardKey, ...] = (
        "rounds",
        "moves",
        "choices-mean",
        "choices-median",
        "choices-largest",
        "lead",
    )
    stakes = results["stake"][~np.isnan(results["stake"]).any(axis=1)]
    shares = part_shares(results["margins"])
    return [
        *(
            make("seat", share_change_interval(wins - 1 / players), f"player {seat}")
            for seat, wins in enumerate(results["wins"].T, start=1)
        ),
        *(make(key, block_interval(results[key], plausible_bounds(results[key]))) for key in keys),
        *(
            (
                make("stake", share_change_interval(stakes[:, 0]), blocks=len(stakes)),
                make("matter", share_interval(stakes[:, 1]), blocks=len(stakes)),
            )
            if len(stakes)
            else ()
        ),
        make("drama", block_interval(results["drama"], SHARE_BOUNDS)),
        make("decided", decided_after(results["leader"])),
        make("comeback", share_interval(results["comeback"])),
        *(make("part", shares[place] if shares else None, part) for place, part in enumerate(PART_NAMES)),
        *(
            make("worth", share_change_interval(lost), name)
            for name, lost in zip(restrictions, results["worth"].T, strict=True)
        ),
        *(
            make("worth-points", block_interval(lost, plausible_bounds(lost)), name)
            for name, lost in zip(restrictions, results["worth-points"].T, strict=True)
        ),
    ]


def measure_ladder(duels: Sequence[BlockResults], pairs: Sequence[LadderPair]) -> list[CardMeasure]:
    """Return the numbers of the games of the ladder: those of each pair, and of the last duel, its best against its weakest."""
    names, whole = short_names([name for pair in pairs for name in pair]), (pairs[-1][0], pairs[0][1])
    abouts = [f"{names[better]} against {names[other]}" for better, other in (*pairs, whole)]
    shares = [variance_shares(duel["margins"]) for duel in duels]

    def make(key: CardKey, interval: Interval | None, about: str) -> CardMeasure:
        return CardMeasure(key, about, Measured(interval, len(duels[0]["wins"]), "block"))

    keys: tuple[CardKey, ...] = ("ladder", "skill", "luck")
    values = (
        [share_interval(duel["wins"]) for duel in duels],
        [one and one.skill for one in shares],
        [one and one.luck for one in shares],
    )
    steps = [
        make(key, interval, about)
        for key, intervals in zip(keys, values, strict=True)
        for interval, about in zip(intervals[:-1], abouts, strict=False)
    ]
    return [*steps, make("index", shares[-1] and shares[-1].skill_luck_index, abouts[-1])]
