"""The view of squares: a map on the board for each strategy, from roll-ups or from a sample of games."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pandas as pd
import streamlit as st

from dashboard.queries import cached, scores
from dashboard.queries import squares as square_queries
from dashboard.scores import sampled_squares
from dashboard.scores.beside_baseline import explain_missing_baseline
from dashboard.scores.shown_headline import show_headline
from dashboard.scores.squares_headline import describe_squares
from dashboard.widgets import tables
from dashboard.widgets.background_work import BackgroundWork, refresh_until
from dashboard.widgets.board import last_position, show_board
from dashboard.widgets.markdown import escape_markdown
from engine import games
from engine.errors import GameError
from pipelines.design.short_names import short_names
from pipelines.report import wording
from pipelines.report.estimates import format_interval
from pipelines.statistics import Interval, mean_interval, wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dashboard.scores.filters import ResultFilters
    from dashboard.scores.sampled_squares import MarkCounts
    from dashboard.widgets.board import HeatMap
    from engine.scene import Scene, SceneBoard
    from pipelines.runs.library import Run

MAX_GAMES_SAMPLED: Final = 5000
"""Games whose plies are read for maps that no roll-up holds."""
MAX_GAMES_DRAWN: Final = 240
"""Games that are replayed to their ends for maps of marks on the boards."""
MAX_BOARDS: Final = 4
BOARD_SIZE_PX: Final = 330

FILLED_MAP, MEAN_ROUND_MAP, FIRST_PLACEMENT_MAP = "Filled", "When", "First placement"
HEADLINE_STARTS: Final = {
    FILLED_MAP: "In these games {} covered",
    FIRST_PLACEMENT_MAP: "In these games the first placement of {} covered",
}
"""The beginning of the sentence above the maps, by what they show."""
GLYPH_TITLES: Final = {"circle": "Circles", "cross": "Crosses", "gap": "Gaps", "cube": "Cubes"}


@dataclass(frozen=True)
class SquareMap:
    """Numbers on the squares for one strategy: shares or mean rounds."""

    strategy: str
    squares: dict[int, Interval]
    """By square; squares without a number are left out."""
    n: int
    """Number of results."""
    blocks: int
    """Number of independent observations behind them."""
    coverings: Mapping[int, int] = field(default_factory=dict)
    """By square, for mean rounds: how many pieces covered it. A mean is over these, not over all results."""


def show_square_maps(filters: ResultFilters) -> None:
    """Show how often, when and with which pieces the squares of a board are covered."""
    explain_missing_baseline(filters, "maps are of the chosen runs only")
    rulesets = {one.label: one for one in filters.rulesets}
    with st.container(horizontal=True, vertical_alignment="bottom", key="square-options"):
        name = next(iter(rulesets))
        if len(rulesets) > 1:
            name = (
                st.selectbox("Board of", list(rulesets), key="board", bind="query-params", width=240) or name
            )
        ruleset = rulesets[name]
        logged = [run for run in filters.runs_by_ruleset[ruleset.sha256] if run.summary.log != "scores"]
        if not logged:
            st.caption(
                "The plies of these runs were not logged (`--log scores`), so their squares are not known."
            )
            return
        newest = logged[0]
        try:
            scene = empty_board_scene(*cached.file_version(newest), ruleset.sha256)
        except (GameError, OSError) as error:
            st.error(escape_markdown(str(error)))
            return
        what = _ask_map_kind(scene)
        piece = "" if what != FILLED_MAP or filters.seats else _ask_piece(logged, ruleset.sha256)
    strategies = [
        strategy
        for strategy in filters.strategies
        if any(strategy in run.summary.strategies for run in logged)
    ][:MAX_BOARDS]
    if what in GLYPH_TITLES.values():
        _show_position_maps(filters, newest, scene, what, strategies)
    elif what == FILLED_MAP and not filters.seats:
        maps, caption = _query_filled_maps(logged, ruleset.sha256, piece, strategies)
        _show_maps(scene, maps, what, caption)
    else:
        maps, caption = _query_sampled_maps(newest, filters.seats, what, strategies)
        _show_maps(scene, maps, what, caption)


def _ask_map_kind(scene: Scene) -> str:
    """Ask what the maps show; maps of marks are offered if the game has several glyphs."""
    glyphs = {mark["glyph"] for mark in scene["marks"].values()}
    mark_maps = [GLYPH_TITLES[glyph] for glyph in GLYPH_TITLES if glyph in glyphs] if len(glyphs) > 1 else []
    kind = st.segmented_control(
        "Map of",
        [FILLED_MAP, FIRST_PLACEMENT_MAP, MEAN_ROUND_MAP, *mark_maps],
        default=FILLED_MAP,
        required=True,
        key="map",
        bind="query-params",
        label_visibility="collapsed",
    )
    return kind or FILLED_MAP


def _ask_piece(logged: list[Run], sha256: str) -> str:
    """Ask which piece counts; empty for any piece."""
    pieces = cached.query_runs(square_queries.covering_pieces, logged, sha256)
    if not pieces:
        return ""
    piece = st.selectbox(
        "By",
        ["any piece", *pieces],
        format_func=lambda piece: f"by {piece}",
        key="piece",
        bind="query-params",
        width=170,
        label_visibility="collapsed",
    )
    return "" if piece == "any piece" else piece


@st.cache_data(max_entries=32, show_spinner=False)
def empty_board_scene(path: str, changed: int, sha256: str) -> Scene:
    """Return the empty board of a ruleset of a run."""
    del changed  # part of the cache key
    rulesets = cached.dashboard_library().run(path).rulesets.values()
    ruleset = next(one for one in rulesets if one.sha256 == sha256)
    return last_position(games.find_game(ruleset.game).scene(ruleset, []))


def _query_filled_maps(
    logged: list[Run], sha256: str, piece: str, strategies: list[str]
) -> tuple[list[SquareMap], str]:
    """Return the share of the results in which each square was covered, and a caption: all logged games, from a roll-up."""
    n: Counter[str] = Counter()
    blocks: Counter[str] = Counter()
    for run in logged:
        if run.summary.log == "full":
            for row in cached.query_runs(scores.score_counts, [run], (sha256,), ()):
                n[row.strategy] += row.results
        else:
            n.update(cached.query_runs(square_queries.result_counts, [run], None, ()))
        for one in cached.query_runs(scores.block_sums, [run], (sha256,)):
            blocks[one.strategy] += one.blocks
    rows = cached.query_runs(square_queries.covered_square_counts, logged, sha256, piece)
    names = short_names(strategies)
    maps = [
        SquareMap(
            name,
            {
                row.cell: _share_interval(row.n, n[name], min(blocks[name], n[name]))
                for row in rows
                if row.strategy == name
            },
            n[name],
            min(blocks[name], n[name]),
        )
        for name in strategies
    ]
    with_piece = f" with {piece}" if piece else ""
    return maps, (
        f"Share of a strategy's results in which it covered the square{with_piece}: all logged games, "
        + ", ".join(f"{names[name]} n = {n[name]:,}" for name in strategies)
    )


def _share_interval(count: int, n: int, units: int) -> Interval:
    return wilson(min(1.0, count / n) * units, units) if n and units else Interval(math.nan, 0.0, 1.0)


def _query_sampled_maps(
    run: Run, seats: tuple[int, ...], what: str, strategies: list[str]
) -> tuple[list[SquareMap], str]:
    """Return maps from the first games of a run, and a caption: first placements, mean rounds, or shares of some seats."""
    sample = cached.query_runs(square_queries.first_games_sample, [run], MAX_GAMES_SAMPLED)
    rows = cached.query_runs(
        square_queries.sampled_square_counts,
        [run],
        sample.end,
        seats,
        "first" if what == FIRST_PLACEMENT_MAP else "all",
    )
    results = cached.query_runs(square_queries.result_counts, [run], sample.end, seats)
    maps = []
    for name in strategies:
        counts = [row for row in rows if row.strategy == name]
        n = results.get(name, 0)
        if what == MEAN_ROUND_MAP:
            values = {row.cell: _mean_round(row, sample.blocks) for row in counts}
        else:
            values = {row.cell: _share_interval(row.n, n, min(sample.blocks, n)) for row in counts}
        coverings = {row.cell: row.n for row in counts} if what == MEAN_ROUND_MAP else {}
        maps.append(SquareMap(name, values, n, min(sample.blocks, n), coverings))
    meaning = {
        MEAN_ROUND_MAP: "Mean round in which the square was covered. A square that was covered once has no interval. Basis",
        FIRST_PLACEMENT_MAP: "Share of a strategy's results whose first placement covered the square",
        FILLED_MAP: "Share of a strategy's results in which it covered the square",
    }[what]
    return (
        maps,
        f"{meaning}: the first {sample.games:,} logged games ({sample.blocks:,} blocks) of {run.name}",
    )


def _mean_round(row: square_queries.SquareCount, blocks: int) -> Interval:
    """Return the mean round, counted from 1."""
    mean = 1 + row.rounds / row.n
    if row.n < 2:
        return Interval(mean, math.nan, math.nan)
    variance = max(0.0, (row.squares - row.rounds**2 / row.n) / (row.n - 1))
    return mean_interval(mean, math.sqrt(variance), min(blocks, row.n)) or Interval(mean, math.nan, math.nan)


@st.cache_resource(max_entries=8, show_spinner=False)
def shared_position_work(path: str, changed: int) -> BackgroundWork[MarkCounts]:
    """Return the work that counts the marks on the boards of a run. All visitors share it."""
    del changed  # part of the cache key

    def iter_samples(stopped: Callable[[], bool]) -> Iterator[MarkCounts]:
        return sampled_squares.iter_mark_counts(Path(path), MAX_GAMES_DRAWN, stopped)

    return BackgroundWork(iter_samples, ends_when_idle=False)


def _show_position_maps(
    filters: ResultFilters, run: Run, scene: Scene, what: str, strategies: list[str]
) -> None:
    """Show maps of the marks at the ends of games, while more games are counted."""
    work = shared_position_work(*cached.file_version(run))
    glyph = next(key for key, name in GLYPH_TITLES.items() if name == what)
    if filters.seats:
        st.caption("Marks are counted for all seats together.")

    def show_latest_maps() -> None:
        if work.error:
            st.error(escape_markdown(work.error))
            return
        counts = work.latest
        if counts is None:
            st.caption("Replaying the first games …")
            return
        maps = []
        for name in strategies:
            n = counts.results[name]
            cells = {
                cell: count
                for (strategy, mark, cell), count in counts.marks.items()
                if (strategy, mark) == (name, glyph)
            }
            # Games of a block share their luck; in so small a sample a game counts as one result.
            values = {cell: _share_interval(count, n, min(counts.games, n)) for cell, count in cells.items()}
            maps.append(SquareMap(name, values, n, min(counts.games, n)))
        so_far = "" if work.is_over else f" so far, of {MAX_GAMES_DRAWN}"
        caption = f"Share of boards with {what.lower()} at the square at the end of the game: the first {counts.games:,} logged games of {run.name}{so_far}"
        _show_maps(scene, maps, what, caption)

    refresh_until(lambda: work.is_over, show_latest_maps, was_over=work.is_over)


def _show_maps(scene: Scene, maps: list[SquareMap], what: str, caption: str) -> None:
    """Draw the maps with one colour scale, a caption and their numbers."""
    maps = [one for one in maps if one.n]
    known = [value for one in maps for value in one.squares.values() if not math.isnan(value.estimate)]
    if not known:
        st.info("No games match these filters. Remove a filter to see more.")
        return
    shape = scene["boards"][0]
    low = min(value.estimate for value in known) if what == MEAN_ROUND_MAP else 0.0
    high = max(value.estimate for value in known)
    plain: SceneBoard = {**shape, "fills": [None if fill is None else "plain" for fill in shape["fills"]]}
    names = short_names(one.strategy for one in maps)
    if what in HEADLINE_STARTS:
        _show_squares_headline(maps, shape, what, names)
    for square_map, column in zip(maps, st.columns(max(2, len(maps))), strict=False):
        with column:
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
    widest = max((value.half_width for value in known if not math.isnan(value.half_width)), default=math.nan)
    half = f"{widest:.2f} rounds" if what == MEAN_ROUND_MAP else f"{100 * widest:.1f} percentage points"
    st.caption(escape_markdown(f"{caption}. Every number is exact to ± {half} (95 %)."))
    table = _squares_table(maps, shape, what)
    with st.expander("The numbers"):
        digits = ".2f" if what == MEAN_ROUND_MAP else ".4f"
        columns = ("round" if what == MEAN_ROUND_MAP else "share", "from", "to")
        tables.show_table(
            table, "The numbers of the squares", dict.fromkeys(columns, digits), strategies=list(names)
        )
    tables.show_table_downloads(table, f"squares-{what.lower().replace(' ', '-')}")


def _show_squares_headline(
    maps: list[SquareMap], shape: SceneBoard, what: str, names: dict[str, str]
) -> None:
    """Show which squares the strategy with the most results covers most and least often."""
    chosen = max(maps, key=lambda one: one.n)
    shares = {
        _square_name(shape, cell): chosen.squares[cell].estimate if cell in chosen.squares else 0.0
        for cell, fill in enumerate(shape["fills"])
        if fill is not None
    }
    start = HEADLINE_STARTS[what].format(names[chosen.strategy])
    show_headline(describe_squares(start, shares, chosen.blocks, chosen.n))


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
        notes.append(f"{_square_name(shape, cell)}: {_format_square_value(value, what)}{times}")
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


def _square_name(shape: SceneBoard, cell: int) -> str:
    row, column = divmod(cell, shape["columns"])
    return f"{shape['column_labels'][column]}{shape['row_labels'][row]}"


def _squares_table(maps: list[SquareMap], shape: SceneBoard, what: str) -> pd.DataFrame:
    """Return a row for each square and strategy. What a mean or a share counts is the name of its last column."""
    is_mean = what == MEAN_ROUND_MAP
    return pd.DataFrame(
        [
            {
                "strategy": one.strategy,
                "square": _square_name(shape, cell),
                "round" if is_mean else "share": value.estimate,
                "from": value.low,
                "to": value.high,
                "coverings" if is_mean else "results": one.coverings[cell] if is_mean else one.n,
            }
            for one in maps
            for cell, value in sorted(one.squares.items())
        ]
    )
