"""Which first move does best: the question as a value, and its answer, in which all first moves are played with the same luck."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from engine import games
from engine.errors import InvalidError
from engine.strategies import read_player
from engine.strategy import check_players
from pipelines.design.limits import OPENING_BLOCKS, SEED
from pipelines.design.lineups import split_strategies
from pipelines.design.openings import has_chance
from pipelines.experiments.fork import choose_quick_strategy
from pipelines.experiments.openings import OpeningKind, Openings, play_openings
from pipelines.questions.address import Work, number_field
from pipelines.questions.measured import Basis
from pipelines.questions.rules import RulesetQuestion, RulesPart, find_named_ruleset

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.questions.source import QuestionSource


class OpeningsQuestion(RulesetQuestion):
    """Which first move, or first piece, does best if the same players play on with the same luck."""

    marks: ClassVar[frozenset[str]] = frozenset({"first"})

    part: Annotated[RulesPart, Field(title="part of the page")] = "openings"
    first: Annotated[
        Literal["", "move", "piece"],
        Field(
            title="kind of first move",
            description="What is compared: move or piece; by default moves, and pieces in a game with dice.",
        ),
    ] = ""
    lineup: Annotated[
        str,
        Field(
            title="strategies",
            alias="strategies",
            description="Who plays on: a strategy for each seat, separated by commas, or one for all; by default a quick one.",
            max_length=1000,
        ),
    ] = ""
    blocks: Annotated[
        int, number_field("blocks", OPENING_BLOCKS, "Number of blocks of luck from which the values come.")
    ] = OPENING_BLOCKS.default
    seed: Annotated[int, number_field("seed", SEED, "Seed of the luck.")] = SEED.default

    @property
    def title(self) -> str:
        return f"Which first {self.first or 'move'} of {self.ruleset} does best?"

    @property
    def command(self) -> str:
        words = ["reroll", "openings", self.ruleset, *(["--first", self.first] if self.first else [])]
        words += ["--strategies", self.lineup] if self.lineup else []
        return shlex.join([*words, "--blocks", str(self.blocks), "--seed", str(self.seed)])

    @property
    def work(self) -> Work:
        return Work(self.blocks, OPENING_BLOCKS.default, "blocks")


@dataclass(frozen=True)
class OpeningsAnswer:
    """The values of the first moves, so far or of as many blocks as were asked for; their intervals count blocks."""

    question: OpeningsQuestion
    openings: Openings
    lineup: tuple[str, ...]
    """Who played on, by seat."""

    @property
    def is_finished(self) -> bool:
        """Whether all blocks were played that the question asks for."""
        return self.openings.is_finished

    @property
    def basis(self) -> Basis:
        return Basis(
            rulesets=(self.openings.ruleset.name,),
            lineups=(self.lineup,),
            games=self.openings.games,
            blocks=self.openings.blocks,
        )


def list_opening_kinds(ruleset: Ruleset) -> list[OpeningKind]:
    """Return what can be compared: with dice, the first moves depend on the first roll. Games of neither have none."""
    moves: list[OpeningKind] = [] if has_chance(ruleset) else ["move"]
    return [*moves, "piece"] if ruleset.piece_areas else moves


def iter_openings_answers(
    question: OpeningsQuestion, ruleset: Ruleset, *, stopped: Callable[[], bool] = lambda: False
) -> Iterator[OpeningsAnswer]:
    """Yield the answer while it becomes more precise, until all blocks are played or `stopped` returns True.

    Raises InvalidError for strategies that do not exist or do not fit, and for a ruleset whose first moves cannot be compared.
    """
    names = (
        split_strategies(question.lineup.strip(",")) if question.lineup else [choose_quick_strategy(ruleset)]
    )
    game = games.find_game(ruleset.game)
    seating = [read_player(game, name) for name in (names * ruleset.players if len(names) == 1 else names)]
    if len(seating) != ruleset.players:
        raise InvalidError(
            f"name one strategy, or one for each of the {ruleset.players} players of {ruleset.name}, not {len(seating)}"
        )
    check_players(seating, ruleset)
    lineup = tuple(player.name for player in seating)
    kinds = list_opening_kinds(ruleset)
    kind: OpeningKind = next(iter(kinds), "move") if question.first == "" else question.first
    question = question.model_copy(update={"first": kind})
    for openings in play_openings(
        ruleset, seating, by=kind, blocks=question.blocks, seed=question.seed, stopped=stopped
    ):
        yield OpeningsAnswer(question, openings, lineup)


def answer_openings(question: OpeningsQuestion, source: QuestionSource) -> OpeningsAnswer:
    """Return the answer of all blocks. Raises InvalidError as `iter_openings_answers` does."""
    *_, answer = iter_openings_answers(question, find_named_ruleset(source.rulesets, question.ruleset))
    return answer
