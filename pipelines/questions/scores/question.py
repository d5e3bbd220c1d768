"""A question about scores as a value: which results count, and what the page Scores shows of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Final, Literal, TypeAlias, get_args

from pydantic import AfterValidator, Field

from pipelines.design.limits import MAX_RANGE_END
from pipelines.questions.address import CountedFromOne, Question
from pipelines.runs.schema import MAX_SEATS

View: TypeAlias = Literal[
    "Scores", "Explore", "Parts", "Course", "Players", "Length", "Squares", "Moves", "Decisions"
]
Comparison: TypeAlias = Literal["", "Rulesets", "Strategies", "One by one"]
Shape: TypeAlias = Literal["Histogram", "Cumulative", "Quantiles"]
MoveGrouping: TypeAlias = Literal["first move", "first piece", "first roll"]
ReviewMeasure: TypeAlias = Literal["lost points", "lost wins", "slips", "luck", "choices"]
DecisionGrouping: TypeAlias = Literal[
    "round", "phase", "piece", "kind of move", "roll", "lead", "strategy", "player"
]
LengthUnit: TypeAlias = Literal["rounds", "plies"]
SquareMapKind: TypeAlias = Literal["Filled", "First placement", "When", "Circles", "Crosses", "Gaps", "Cubes"]

VIEWS: Final[tuple[View, ...]] = get_args(View)
MAX_RULESETS: Final = 6
MAX_STRATEGIES: Final = 8
"""Strategies on one chart; more lines cannot be distinguished."""
MAX_SCORE: Final = 10**6
MAX_SELECTION_CHARACTERS: Final = 2000
MAX_LINEUP_CHARACTERS: Final = 2000


def split_labels(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the labels of rulesets in some texts. A text may be a list with commas, because no label has one.

    >>> split_labels(["bloxx-2p,bloxx-3p", "bloxx-4p"])
    ('bloxx-2p', 'bloxx-3p', 'bloxx-4p')
    """
    return tuple(label for text in texts for label in text.split(",") if label)


Seat = Annotated[int, Field(ge=0, le=MAX_SEATS - 1)]


class ScoresQuestion(Question):
    """The results of some rulesets, runs, strategies and seats, in one of several views."""

    page: ClassVar[str] = "scores"

    rulesets: Annotated[
        tuple[str, ...], AfterValidator(split_labels), Field(title="rulesets", max_length=MAX_RULESETS)
    ] = ()
    """Labels of rulesets (`PlayedRuleset.label`); the rulesets of the named runs, else the one with the most games, if empty."""
    runs: Annotated[tuple[str, ...], Field(title="runs")] = ()
    """All runs with these rulesets if empty."""
    lineups: Annotated[str, Field(title="line-up", max_length=MAX_LINEUP_CHARACTERS)] = ""
    """The line-up that counts (`list_lineup_names`); `all` pools all of them. If empty, the one that all rulesets have, or else
    each its own one, with the most blocks, of those that fit the strategies and seats."""
    strategies: Annotated[tuple[str, ...], Field(title="strategies", max_length=MAX_STRATEGIES)] = ()
    """All if empty; so are the seats."""
    seats: Annotated[tuple[Seat, ...], Field(title="player", alias="players"), CountedFromOne()] = ()
    view: Annotated[View, Field(title="view")] = "Scores"
    compared: Annotated[Comparison, Field(title="way to compare", alias="compare")] = ""
    """What shares a panel; chosen by the number of rulesets if empty."""
    shape: Annotated[Shape, Field(title="shape")] = "Histogram"
    part: Annotated[str, Field(title="part", alias="of")] = ""
    """The title of a part of the score; the whole score if empty."""
    score: Annotated[int | None, Field(title="score", ge=-MAX_SCORE, le=MAX_SCORE)] = None
    """The score whose percentiles are asked."""
    low: Annotated[int | None, Field(title="from", alias="from", ge=-MAX_RANGE_END, le=MAX_RANGE_END)] = None
    high: Annotated[int | None, Field(title="to", alias="to", ge=-MAX_RANGE_END, le=MAX_RANGE_END)] = None
    """The range of scores whose games are listed."""
    length: Annotated[LengthUnit, Field(title="unit of lengths")] = "rounds"
    by: Annotated[MoveGrouping, Field(title="grouping by")] = "first move"
    """By what moves are grouped."""
    measure: Annotated[ReviewMeasure, Field(title="measure of decisions")] = "lost points"
    grouping: Annotated[DecisionGrouping, Field(title="grouping of decisions", alias="grouped-by")] = "round"
    only: Annotated[str, Field(title="group of decisions", max_length=MAX_SELECTION_CHARACTERS)] = ""
    """The name of the group whose decisions or rolls are listed."""
    board: Annotated[str, Field(title="board")] = ""
    """The label of the ruleset whose squares or moves are shown; the first one if empty."""
    map: Annotated[SquareMapKind, Field(title="map")] = "Filled"
    piece: Annotated[str, Field(title="piece")] = ""
    """`by` and the piece that covers a square; any piece if empty."""
    every: Annotated[Literal["false", "true"], Field(title="value of every")] = "false"
    """Whether all of very many results are drawn."""
    select: Annotated[str, Field(title="selection", max_length=MAX_SELECTION_CHARACTERS)] = ""
    """JSON: by measure its lowest and highest value, by group its members."""

    @property
    def title(self) -> str:
        subject = "Scores" if self.view == "Scores" else f"{self.view} of scores"
        subject = f"Scores by {self.by}" if self.view == "Moves" else subject
        subject = f"{self.measure.capitalize()} by {self.grouping}" if self.view == "Decisions" else subject
        if self.rulesets:
            return f"{subject} under {', '.join(self.rulesets)}"
        return f"{subject} of {', '.join(self.runs)}" if self.runs else subject
