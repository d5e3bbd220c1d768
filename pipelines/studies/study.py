"""A study: sheets with what a person wrote about them, as values. `pipelines.studies.page` turns it into HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from pipelines.report.sheet import Sheet


@dataclass(frozen=True)
class Section:
    """A sheet, and what a person wrote about it."""

    sheet: Sheet
    text: str = ""
    """It is shown as it is."""
    tags: tuple[str, ...] = ()
    problem: str = ""
    """Why there is nothing but the text to show; empty if there is."""


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
