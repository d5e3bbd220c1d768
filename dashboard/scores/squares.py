"""The view of squares: a map on the board for each strategy, from roll-ups or from a sample of games."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.scores.filters import show_lineups
from dashboard.scores.shown_headline import show_headline
from dashboard.widgets import tables
from dashboard.widgets.background_work import BackgroundWork
from dashboard.widgets.board import last_position, show_board
from dashboard.widgets.fragments import refresh_until
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.design.move_names import name_square
from pipelines.design.short_names import short_names
from pipelines.questions.scores import sampled_squares
from pipelines.questions.scores.squares import (
    GLYPHS,
    answer_squares,
    choose_board,
    draw_empty_board,
    list_logged_runs,
    list_mapped_strategies,
    map_marks,
)
from pipelines.report import wording
from pipelines.report.estimates import format_interval
from pipelines.report.sentences.squares import describe_precision, describe_square_maps
from pipelines.report.tables.scores import tabulate_squares

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dashboard.scores.filters import ShownScores
    from dashboard.widgets.board import HeatMap
    from engine.scene import Scene, SceneBoard
    from pipelines.questions.scores.sampled_squares import MarkCounts
    from pipelines.questions.scores.squares import SquareMap
    from pipelines.runs.library import Run
    from pipelines.statistics import Interval

MAX_GAMES_DRAWN: Final = 240
"""Games that are replayed to their ends for maps of marks on the boards."""
BOARD_SIZE_PX: Final = 330

MEAN_ROUND_MAP: Final = "When"


def show_square_maps(shown: ShownScores) -> None:
    """Show how often, when and with which pieces the squares of a board are covered."""
    scope = shown.scope
    ruleset = choose_board(shown.question, scope)
    logged = list_logged_runs(ruleset, scope)
    if not logged:
        st.caption(
            "The plies of these runs were not logged (`--log scores`), so their squares are not known."
        )
        return
    try:
        scene = empty_board_scene(*cached.file_version(logged[0]), ruleset.sha256)
    except (GameError, OSError) as error:
        st.error(escape_markdown(str(error)))
        return
    if shown.question.map in GLYPHS:
        _show_position_maps(shown, logged[0], scene, list_mapped_strategies(scope, logged))
    else:
        answer = answer_squares(shown.question, scope, shown.source)
        _show_maps(shown, scene, answer.maps, answer.caption)


@st.cache_data(max_entries=32, show_spinner=False)
def empty_board_scene(path: str, changed: int, sha256: str) -> Scene:
    """Return the empty board of a ruleset of a run."""
    del changed  # part of the cache key
    return last_position(draw_empty_board(cached.dashboard_library().run(path), sha256))


@st.cache_resource(max_entries=8, show_spinner=False)
def shared_position_work(path: str, changed: int) -> BackgroundWork[MarkCounts]:
    """Return the work that counts the marks on the boards of a run. All visitors share it."""
    del changed  # part of the cache key

    def iter_samples(stopped: Callable[[], bool]) -> Iterator[MarkCounts]:
        return sampled_squares.iter_mark_counts(Path(path), MAX_GAMES_DRAWN, stopped)

    return BackgroundWork(iter_samples, ends_when_idle=False)


def _show_position_maps(shown: ShownScores, run: Run, scene: Scene, strategies: list[str]) -> None:
    """Show maps of the marks at the ends of games, while more games are counted."""
    work = shared_position_work(*cached.file_version(run))
    what = shown.question.map
    if shown.scope.seats:
        st.caption("Marks are counted for all seats together.")

    def show_latest_maps() -> None:
        if work.error:
            st.error(escape_markdown(work.error))
            return
        counts = work.latest
        if counts is None:
            st.caption("Replaying the first games …")
            return
        so_far = "" if work.is_over else f" so far, of {MAX_GAMES_DRAWN}"
        caption = f"Share of boards with {what.lower()} at the square at the end of the game: the first {wording.format_count(counts.games, 'logged game')} of {run.name}{so_far}"
        _show_maps(shown, scene, map_marks(strategies, counts, what), caption)

    refresh_until(lambda: work.is_over, show_latest_maps, was_over=work.is_over)


def _show_maps(shown: ShownScores, scene: Scene, maps: Sequence[SquareMap], caption: str) -> None:
    """Draw the maps with one colour scale, a caption and their numbers."""
    maps, what = [one for one in maps if one.n], shown.question.map
    known = [value for one in maps for value in one.squares.values() if not math.isnan(value.estimate)]
    if not known:
        st.info("No games match these filters. Remove a filter to see more.")
        return
    shape = scene["boards"][0]
    low = min(value.estimate for value in known) if what == MEAN_ROUND_MAP else 0.0
    high = max(value.estimate for value in known)
    plain: SceneBoard = {**shape, "fills": [None if fill is None else "plain" for fill in shape["fills"]]}
    names = short_names(one.strategy for one in maps)
    show_headline(describe_square_maps(maps, shape, what))
    row = st.container(horizontal=True, gap="large")
    for square_map in maps:
        with row.container(width=BOARD_SIZE_PX):
            name = names[square_map.strategy]
            st.markdown(escape_markdown(f"{name} · {wording.format_count(square_map.n, 'result')}"))
            heat = _build_heat_map(square_map, shape, what, low, high)
            label = f"{what} by {name}."
            show_board(
                {**scene, "boards": [plain]},
                key=f"map-{what}-{square_map.strategy}",
                label=label,
                size=BOARD_SIZE_PX,
                heat=heat,
            )
    unit, scale = ("rounds", 1) if what == MEAN_ROUND_MAP else ("percentage points", 100)
    st.caption(escape_markdown(f"{caption}. {describe_precision(maps, unit, scale)}"))
    show_lineups(shown)
    numbers = tabulate_squares(maps, shape, what)
    with st.expander("The numbers"):
        frame = tables.show_report_table(numbers, list(names))
        tables.offer_table(frame, what, f"squares-{what.lower().replace(' ', '-')}")


def _build_heat_map(square_map: SquareMap, shape: SceneBoard, what: str, low: float, high: float) -> HeatMap:
    cells = range(shape["columns"] * shape["rows"])
    values: list[float | None] = []
    notes = []
    for cell in cells:
        value = square_map.squares.get(cell)
        number = None if value is None else value.estimate
        if number is None and what != MEAN_ROUND_MAP:
            number = 0.0
        values.append(number)
        count = square_map.coverings.get(cell, 0)
        times = f", covered {wording.format_count(count, 'time')}" if count > 1 else ""
        notes.append(f"{name_square(shape, cell)}: {_format_square_value(value, what)}{times}")
    return {
        "values": values,
        "notes": notes,
        "low": low,
        "high": high,
        "low_text": _format_scale_end(low, what),
        "high_text": _format_scale_end(high, what),
    }


def _format_scale_end(value: float, what: str) -> str:
    """Return the label of an end of the colour scale."""
    if what == MEAN_ROUND_MAP:
        return f"round {value:.1f}"
    return f"{100 * value:.0f} %" if value >= 0.1 or value == 0 else f"{100 * value:.1f} %"


def _format_square_value(value: Interval | None, what: str) -> str:
    if value is None:
        return "never"
    if what == MEAN_ROUND_MAP:
        return (
            f"round {format_interval(value)}"
            if not math.isnan(value.low)
            else f"round {value.estimate:.0f}, once"
        )
    return f"{format_interval(value, scale=100)} %"
