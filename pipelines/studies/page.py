"""A study: sheets with what a person wrote about them, as one HTML file that opens from a disk and loads nothing.

Texts and tables are plain HTML in the fonts of the dashboard, charts are inline SVG, and the script and the style sheet of
the replay are there once for all replays. The Content-Security-Policy of the page allows exactly its own scripts and its own
style sheet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pipelines.report.sheet import Continuations, Replay
from pipelines.report.show.chart_plan import font_style
from pipelines.report.show.html import read_template, render_template, sheet_style, write_sheet_html
from pipelines.viewer.replay.assets import csp_source, replay_script, replay_style

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


MIN_SECTIONS_FOR_CONTENTS: Final = 3


def write_study(study: Study, *, home: str = "") -> str:
    """Return the page of a study. `home` is the relative address of a page that it leads back to, if there is one.

    Every text is shown as text: none of it can become markup or script.
    Raises ValueError for a number that JSON does not have, such as NaN.
    """
    is_only = len(study.sections) == 1 and study.sections[0].sheet.title == study.title
    contents = [part.content for section in study.sections for part in section.sheet.parts]
    return write_page(
        "study.html",
        has_replays=any(isinstance(one, Replay | Continuations) for one in contents),
        study=study,
        is_only=is_only,
        sheets=[
            write_sheet_html(section.sheet, number=number, section=section, is_only=is_only)
            for number, section in enumerate(study.sections, start=1)
        ],
        has_contents=len(study.sections) >= MIN_SECTIONS_FOR_CONTENTS,
        home=home,
    )


def write_page(template: str, *, has_replays: bool, **values: object) -> str:
    """Return a page that contains its scripts and its style sheet, and a policy that allows nothing else."""
    style = (
        font_style()
        + read_template("pipelines.studies", "study.css")
        + sheet_style()
        + (replay_style("document") if has_replays else "")
    )
    scripts = [read_template("pipelines.studies", "study.js")]
    if has_replays:
        scripts.append(replay_script("document"))
    wrapped = [f'"use strict";\n(() => {{\n{script}\n}})();' for script in scripts]
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(map(csp_source, wrapped))}",
            f"style-src {csp_source(style)}",
            "img-src data:",
            "font-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return str(
        render_template("pipelines.studies", template, policy=policy, style=style, scripts=wrapped, **values)
    )
