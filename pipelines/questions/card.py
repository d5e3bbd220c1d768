"""The card of a ruleset: what kind of game it is. What is measured, the question as a value, and its answer.

The games are played in growing batches, and each number gets an interval over the blocks.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from pydantic import Field

from engine import games
from engine.errors import InvalidError
from engine.kernels.loader import find_kernel
from engine.strategies import built_in_strategies, read_player
from pipelines.design.designs import design_simulation
from pipelines.design.limits import LIVE_BLOCKS, MAX_STRATEGY_CHARACTERS, SEED
from pipelines.design.lineups import split_strategies
from pipelines.design.openings import opening_plies_needed
from pipelines.design.short_names import short_names
from pipelines.experiments.card_games import STAKE_THRESHOLD, BlockResults, CardGames, CardResults
from pipelines.experiments.progressive import play_steps
from pipelines.questions.address import Work, number_field
from pipelines.questions.measured import Basis, Measured
from pipelines.questions.rules import RulesetQuestion, RulesPart, find_named_ruleset
from pipelines.records.strategies import QUICK_MICROSECONDS, split_by_speed
from pipelines.simulate.shards import timed_steps
from pipelines.statistics import Interval, share_interval
from pipelines.statistics.bounded_means import (
    SHARE_BOUNDS,
    block_interval,
    plausible_bounds,
    share_change_interval,
)
from pipelines.statistics.game_course import decided_after
from pipelines.statistics.luck import part_shares, variance_shares

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.questions.source import QuestionSource


DEFAULT_STYLE: Final = "greedy"
"""Who plays the games of a card in every seat if nobody chooses; every game has this strategy."""
MAX_STYLES: Final = 6
"""Playing styles that a card shows side by side."""

CardKey: TypeAlias = Literal[
    "seat",
    "rounds",
    "moves",
    "choices-mean",
    "choices-median",
    "choices-largest",
    "lead",
    "stake",
    "matter",
    "drama",
    "decided",
    "comeback",
    "part",
    "worth",
    "worth-points",
    "ladder",
    "skill",
    "luck",
    "index",
]
WORTH_KEYS: Final[tuple[CardKey, ...]] = ("worth", "worth-points")
"""The measures of restricted play."""
_BROWNE: Final = 'after Browne and Maire 2010, "Evolutionary Game Design"'
_JAFFE: Final = (
    'restricted play; Jaffe and others 2012, "Evaluating Competitive Game Balance with Restricted Play"'
)


class CardTitles(NamedTuple):
    """What a measure is called and how it is defined."""

    title: str
    unit: str
    """Of the number that people read, which is `scale` times the number of the answer; what the ends of an index mean."""
    definition: str
    source: str
    scale: float = 1.0
    ends: tuple[str, str] = ("few", "many")
    """What a low and a high number mean."""
    span: tuple[float, float] | None = None
    """The lowest and the highest number that people can read; None if it has no bounds."""

    @property
    def shown_unit(self) -> str:
        """The unit behind a number; empty for an index."""
        return self.unit if self.has_unit else ""

    @property
    def has_unit(self) -> bool:
        """False for an index, which has only a range."""
        return self.scale != 1 or self.span is None


CARD_MEASURES: Final[dict[CardKey, CardTitles]] = {
    "seat": CardTitles(
        "edge of a seat",
        "wins of 100",
        "How many more games the player wins than an equal share, if all play alike; winners that tie share the win.",
        "usual measure of a first-player advantage",
        100.0,
        ends=("loses more", "wins more"),
    ),
    "rounds": CardTitles(
        "rounds of a game", "rounds", "The rounds of a game.", "usual measure", ends=("short", "long")
    ),
    "moves": CardTitles(
        "moves of a game",
        "moves",
        "The moves of a game, those of chance included.",
        "usual measure",
        ends=("short", "long"),
    ),
    "choices-mean": CardTitles(
        "choices, mean",
        "legal moves",
        "The legal moves that a player has at a decision: the mean of a game. A decision with one legal move counts.",
        "branching factor; Shannon 1950",
    ),
    "choices-median": CardTitles(
        "choices, median",
        "legal moves",
        "The median of the legal moves at the decisions of a game.",
        "branching factor; Shannon 1950",
    ),
    "choices-largest": CardTitles(
        "choices, largest",
        "legal moves",
        "The most legal moves that a player has at a decision of a game.",
        "branching factor; Shannon 1950",
    ),
    "lead": CardTitles(
        "changes of the lead",
        "a game",
        "How often another player is alone in the first place at the end of a round than the one before.",
        f"{_BROWNE}, who count each change of the leader",
        ends=("rarely", "often"),
    ),
    "stake": CardTitles(
        "what is at stake",
        "wins of 100",
        "How many more games the best legal move of a decision wins than the median one: the mean over decisions that are "
        "drawn from the games. A quick strategy plays on after each move; the best one is chosen by some playouts and judged "
        "by others. A decision with one legal move counts as 0.",
        "our definition",
        100.0,
        ends=("any move will do", "the move decides"),
    ),
    "matter": CardTitles(
        "decisions that matter",
        "% of the decisions",
        f"Decisions in which the best legal move wins at least {100 * STAKE_THRESHOLD:.0f} more of 100 games than the median one.",
        "our definition",
        100.0,
        ends=("none", "all"),
        span=(0, 100),
    ),
    "drama": CardTitles(
        "drama",
        "0 ahead, 1 far behind",
        "How far the later winner is behind, in the rounds in which this is so: the mean of the square root of the missing points, "
        "where 1 is the widest distance between the first and the last player in this game. It is 0 for a winner who is never "
        "behind.",
        f"{_BROWNE}, who take the values that a program gives to positions",
        ends=("never behind", "far behind"),
        span=(0, 1),
    ),
    "decided": CardTitles(
        "winner known after",
        "% of the rounds",
        "The part of the game after which the leader at the end of a round wins 90 of 100 games or more, to the end of the game. "
        "Twenty parts of a game are looked at.",
        f"decisiveness, {_BROWNE}, who take the values that a program gives to positions",
        100.0,
        ends=("at the start", "at the end"),
        span=(0, 100),
    ),
    "comeback": CardTitles(
        "comebacks",
        "games of 100",
        "Games whose winner is not in the first place after half of the rounds.",
        "our definition",
        100.0,
        ends=("none", "all"),
        span=(0, 100),
    ),
    "part": CardTitles(
        "luck",
        "%",
        "The share of the variance of the margin of player 1 over the mean of the others that the luck of this part of the rounds "
        "of a game explains, if all play alike: by how much it lessens the variance of games that go on with other luck. The four shares add up to the whole.",
        "law of total variance; after the idea of seeds for each source of luck in Goodman, Perez-Liebana and Lucas 2025, arXiv 2503.02686",
        100.0,
        ends=("decides nothing", "decides all"),
        span=(0, 100),
    ),
    "worth": CardTitles(
        "worth, wins",
        "wins of 100",
        "How many games a player loses who may not use something, each seat in turn, while all others may and all play alike: "
        "the difference to the same games, with the same luck, in which everybody may use it.",
        _JAFFE,
        100.0,
    ),
    "worth-points": CardTitles(
        "worth, points", "points", "By how many points the score of such a player is worse.", _JAFFE
    ),
    "ladder": CardTitles(
        "skill",
        "wins of 100",
        "How many games the better strategy wins if it has one seat, each in turn, and the strategy below it has all "
        "others; as many as an equal share would be no skill.",
        "our definition; the strategies are those of the measured ladder",
        100.0,
    ),
    "skill": CardTitles(
        "variance by skill",
        "%",
        "The share of the variance of the margin of player 1 over the mean of the others that is explained by who has the seat "
        "of the better strategy, in the games of the ladder.",
        "law of total variance",
        100.0,
    ),
    "luck": CardTitles(
        "variance by luck",
        "%",
        "The share of the same variance that is explained by the luck of the block, which is equal in all its games: an "
        "intraclass correlation. The rest is luck that helps one strategy and not the other.",
        "intraclass correlation; McGraw and Wong 1996",
        100.0,
    ),
    "index": CardTitles(
        "skill-luck index",
        "\N{MINUS SIGN}1 luck, 1 skill",
        "How far skill and not luck decides between the best and the weakest strategy of the ladder: \N{MINUS SIGN}1 for a coin toss, 1 for "
        "a game without luck. (K - L) / (K + L), where K is the variance of the margin of player 1 by skill and L is all other.",
        "Silver 2025, arXiv 2511.11611, who takes K and L from the whole tree of the game",
        ends=("luck alone", "skill alone"),
        span=(-1, 1),
    ),
}
"""In the order in which a card shows them."""


class CardQuestion(RulesetQuestion):
    """What kind of game a ruleset is."""

    marks: ClassVar[frozenset[str]] = frozenset({"strategy"})

    part: Annotated[RulesPart, Field(title="part of the page")] = "card"
    strategy: Annotated[
        str,
        Field(
            title="strategy",
            description="The strategy in every seat, such as noisy:sigma=3; several, separated by commas, stand side by side. "
            f"By default {DEFAULT_STYLE}.",
            max_length=MAX_STRATEGY_CHARACTERS,
        ),
    ] = ""
    blocks: Annotated[
        int,
        number_field(
            "blocks",
            LIVE_BLOCKS,
            "Number of blocks; a block plays one game of each style, and each pair of the ladder in all seats.",
        ),
    ] = LIVE_BLOCKS.default
    seed: Annotated[int, number_field("seed", SEED, "Seed of the games of the card.")] = SEED.default

    @property
    def styles(self) -> list[str]:
        """The playing styles, each once."""
        return list(dict.fromkeys(split_strategies(self.strategy.strip(",") or DEFAULT_STYLE)))

    @property
    def title(self) -> str:
        return f"Card of {self.ruleset}"

    @property
    def command(self) -> str:
        words = ["reroll", "card", self.ruleset, "--strategy", self.strategy or DEFAULT_STYLE]
        return shlex.join([*words, "--blocks", str(self.blocks), "--seed", str(self.seed)])

    @property
    def work(self) -> Work:
        return Work(self.blocks, LIVE_BLOCKS.default, "blocks")


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
    cuts: tuple[tuple[int, ...], ...]
    """For each style, the rounds after which its games are cut into quarters."""
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
    restrictions = [restriction.name for restriction in game.restrictions(ruleset)]
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
        cuts = tuple(forks.part_ends for forks in played.forks)
        yield CardAnswer(question, ruleset, tuple(measures), opening, cuts, basis)


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
        return CardMeasure(key, about, Measured(interval, blocks), style)

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
        return CardMeasure(key, about, Measured(interval, len(duels[0]["wins"])))

    keys: tuple[CardKey, ...] = ("ladder", "skill", "luck")
    values = (
        [share_interval(duel["wins"]) for duel in duels],
        [share and share.skill for share in shares],
        [share and share.luck for share in shares],
    )
    steps = [
        make(key, interval, about)
        for key, intervals in zip(keys, values, strict=True)
        for interval, about in zip(intervals[:-1], abouts, strict=False)
    ]
    return [*steps, make("index", shares[-1] and shares[-1].skill_luck_index, abouts[-1])]
