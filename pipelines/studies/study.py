"""A study: what a page to give away shows, as values. `pipelines.studies.page` turns it into HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from markupsafe import Markup

    from engine.scene import Scene
    from pipelines.report.tables.table import Table


class Chart(NamedTuple):
    """A chart with what it shows."""

    title: str
    drawing: Markup
    """A drawing of `pipelines.report.show.svg`."""
    caption: str


class Replay(NamedTuple):
    """A game to step through, which opens at a ply."""

    label: str
    scene: Scene
    ply: int | None
    """The ply after which the boards are shown; None for the start."""
    review: dict[str, Any] | None
    """The result of `build_review_document`, or None."""
    comments: Mapping[int, str]
    """What notes say on moves, by ply."""


class Continuation(NamedTuple):
    """One continuation of a position on both branches of a what-if question."""

    name: str
    """Which of the continuations it is, such as `largest gain`."""
    pair: dict[str, Any]
    """The result of `pipelines.panel.documents.continuation_document`."""


class Continuations(NamedTuple):
    """Continuations that a reader chooses from; both branches of one are shown side by side, stepped by one slider."""

    title: str
    names: tuple[str, str]
    """The headings of the branches."""
    choices: tuple[Continuation, ...]
    opened: int
    """The number of the choice that is shown first, and on paper."""
    caption: str

    @property
    def document(self) -> dict[str, Any]:
        """What the script of the page shows, as JSON data."""
        choices = [choice._asdict() for choice in self.choices]
        return {"names": list(self.names), "opened": self.opened, "choices": choices}


class Fact(NamedTuple):
    """One thing that says how a result was made."""

    name: str
    value: str


@dataclass(frozen=True)
class Section:
    """One thing that was found: what it says, what it rests on, and how it was made."""

    kind: str
    """What people call it, such as `comparison`."""
    title: str
    text: str = ""
    """What a person wrote about it. It is shown as it is."""
    tags: tuple[str, ...] = ()
    verdict: str = ""
    """The result in one sentence. Pages add the capital and the full stop."""
    warning: str = ""
    """Why the result must not be trusted; empty if nothing speaks against it."""
    consequences: tuple[str, ...] = ()
    """Sentences on what follows from it."""
    basis: str = ""
    """What the result rests on: who played, how often, and what the intervals count."""
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    replays: tuple[Replay, ...] = ()
    continuations: tuple[Continuations, ...] = ()
    facts: tuple[Fact, ...] = ()
    commands: tuple[str, ...] = ()
    """Commands that make the same again."""
    problem: str = ""
    """Why there is nothing but the text to show; empty if there is."""

    @property
    def label(self) -> str:
        """The kind, as it stands beside the title; empty if the title begins with it."""
        return "" if self.title.casefold().startswith(self.kind) else self.kind


@dataclass(frozen=True)
class Study:
    """A page with a title and its sections."""

    title: str
    text: str
    """What the study is about, written by a person; may be empty."""
    sections: tuple[Section, ...]
    made_at: datetime
    """UTC, without a time zone."""
    version: str
    """The version of Reroll that made the page."""
