"""A sheet: what an answer looks like, as values without pixels.

`pipelines.report.compose` makes the sheet of an answer. Pages and the renderers in `pipelines.report.show` draw it: they choose
order and width, never words or numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from pipelines.report.charts import Chart, Scales
from pipelines.report.table import Table, format_cell

if TYPE_CHECKING:
    from engine.scene import Scene
    from pipelines.viewer.palette import SeriesLook

FindLooks: TypeAlias = Callable[[Iterable[str]], "Mapping[str, SeriesLook]"]
"""Returns the looks of strategies by their full names: a strategy looks the same in all sheets of a library."""
Role: TypeAlias = Literal["main", "beside", "details"]
"""`main` is seen at once, `beside` follows it, and `details` stand behind one word."""


class Replay(NamedTuple):
    """A game to step through, which opens at a ply."""

    title: str
    scene: Scene
    ply: int | None
    """The ply after which the boards are shown; None for the start."""
    review: dict[str, Any] | None = None
    """The result of `build_review_document`, or None."""
    run: str = ""
    game_id: int = 0
    comments: Mapping[int, str] = {}
    """What notes say on moves, by ply."""
    lesson: dict[str, Any] | None = None
    """The result of `write_lesson_document` if the board asks for a better move, or None."""


@dataclass(frozen=True)
class Continuation:
    """One continuation of a position on both branches of a what-if question."""

    name: str
    """Which of the continuations it is, such as `largest gain`."""
    number: int
    make_pair: Callable[[], dict[str, Any]] = field(compare=False, repr=False)

    @cached_property
    def pair(self) -> dict[str, Any]:
        """The result of `pipelines.report.whatif.continuation_document`, made once somebody draws it: two whole scenes."""
        return self.make_pair()


class Continuations(NamedTuple):
    """Continuations that a reader chooses from; both branches of one are shown side by side, stepped by one slider."""

    title: str
    names: tuple[str, str]
    """The headings of the branches."""
    choices: tuple[Continuation, ...]
    opened: int
    """The number of the choice that is shown first, and on paper."""

    @property
    def document(self) -> dict[str, Any]:
        """What the script of the page shows, as JSON data."""
        choices = [{"name": choice.name, "pair": choice.pair} for choice in self.choices]
        return {"names": list(self.names), "opened": self.opened, "choices": choices}


class SquareScale(NamedTuple):
    """The ends of a scale of colours, and what they are called. Below 0 there is a second colour; 0 itself has none then."""

    low: float
    high: float
    low_text: str
    high_text: str
    low_colour: str = ""
    high_colour: str = ""
    """The colours of strategies in charts; those of the renderer if empty."""

    @classmethod
    def of_differences(cls, values: Iterable[float | None], write_end: Callable[[float], str]) -> SquareScale:
        """Return the scale from minus the largest absolute value to the largest one; `write_end` names an end."""
        end = max((abs(value) for value in values if value is not None), default=0.0) or 1.0
        return cls(-end, end, write_end(-end), write_end(end))

    def place(self, value: float) -> float:
        """Return how strong the colour of a value is, from 0 to 1; it is negative for the colour below 0."""
        start = 0.0 if self.low < 0 else self.low
        return max(-1.0, min(1.0, (value - start) / ((self.high - start) or 1.0)))


class SquareValues(NamedTuple):
    """A number on every square of a board, in the order of `SceneBoard.fills`."""

    name: str
    """Whose numbers they are, and how many results they rest on."""
    values: tuple[float | None, ...]
    """None for a square without a number."""
    notes: tuple[str, ...]
    """The square and its number as text."""
    scale: SquareScale | None = None
    """Its own scale; that of all maps if None."""
    outlined: tuple[int, ...] = ()
    """Squares that stand out: those whose number clearly differs from 0, or those of the best first move."""

    def write_numbers(self, scale: SquareScale) -> tuple[str, ...]:
        """Return the numbers as texts that fit into squares; empty for a square without a number, and for a share of 0."""
        largest = max((abs(value) for value in self.values if value is not None), default=0.0)
        digits = 0 if largest >= 10 else 1
        how = f"{'+' if scale.low < 0 else ''}.{digits}f"
        texts = [None if value is None else round(value, digits) for value in self.values]
        zero = "0" if scale.low < 0 else ""
        return tuple("" if text is None else format_cell(text, how) if text else zero for text in texts)


class SquareMaps(NamedTuple):
    """Numbers on the squares of a board, for several strategies on one scale of colours."""

    title: str
    scene: Scene
    """The empty board."""
    maps: tuple[SquareValues, ...]
    scale: SquareScale


class Passage(NamedTuple):
    """A short text under a title: sentences, each with what it is about, which may be empty."""

    title: str
    lines: tuple[tuple[str, str], ...]


AnyContent = TypeVar("AnyContent")
Content: TypeAlias = Chart | Scales | Table | Replay | Continuations | SquareMaps | Passage
NUMBERS: Final = "numbers"
"""Key of the table of all numbers that the charts of a sheet draw: a terminal shows it in their place."""


@dataclass(frozen=True)
class Part:
    """One part of a sheet. Its key stays the same while an answer grows."""

    key: str
    content: Content
    role: Role = "main"
    caption: str = ""
    """What stands below it; that of a table is its own if this is empty."""
    numbers: Table | None = None
    """The same with full names and full precision, for files; None if the content is a table that says it all."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "caption", self.caption or getattr(self.content, "caption", ""))

    @property
    def title(self) -> str:
        return self.content.title

    @property
    def kind(self) -> str:
        """What the content is: `chart`, `table`, `replay`, `continuations`, `squaremaps` or `passage`."""
        return "chart" if isinstance(self.content, Chart) else type(self.content).__name__.lower()


class Fact(NamedTuple):
    """One thing that says how a result was made."""

    name: str
    value: str


@dataclass(frozen=True)
class Sheet:
    """What an answer looks like: what it says, what it rests on, its parts, and how it was made."""

    kind: str
    """What people call it, such as `comparison`."""
    title: str
    verdict: str = ""
    """The result in one sentence. Renderers add the capital and the full stop."""
    consequences: tuple[str, ...] = ()
    """Sentences on what follows from it."""
    basis: str = ""
    """What the result rests on: who played, how often, and what the intervals count."""
    warnings: tuple[str, ...] = ()
    """Why the result must not be trusted, and what its address names that does not exist."""
    parts: tuple[Part, ...] = ()
    facts: tuple[Fact, ...] = ()
    commands: tuple[str, ...] = ()
    """Commands that make the same again."""
    address: str = ""
    """The address of the dashboard that asks for it, such as `/scores?rulesets=bloxx-2p`."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """The typed answer as JSON data, by the names of its fields."""

    @property
    def label(self) -> str:
        """The kind, as it stands beside the title; empty if the title begins with it."""
        return "" if self.title.casefold().startswith(self.kind) else self.kind

    @property
    def tables(self) -> tuple[Table, ...]:
        return self.list_contents(Table)

    @property
    def charts(self) -> tuple[Chart, ...]:
        return tuple(part.content for part in self.parts if isinstance(part.content, Chart))

    def list_contents(self, kind: type[AnyContent]) -> tuple[AnyContent, ...]:
        """Return the contents of one class, in the order of their parts."""
        return tuple(part.content for part in self.parts if isinstance(part.content, kind))

    def list_parts(self, *roles: Role) -> tuple[Part, ...]:
        """Return the parts of some roles, in their order."""
        return tuple(part for part in self.parts if part.role in roles)
