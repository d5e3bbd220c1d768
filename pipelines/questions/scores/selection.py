"""The selection of the view Explore: single results with all their measures, compared with all other results.

Single results with all their measures, for views that filter several measures at once.
A million games have two million results, too many for a browser. `count_result_cells` counts how many results have the same
bins of all measures; `selected_differences` compares a selection with the rest. To read all of them takes seconds, so a
question can ask for the results of the first blocks only, which are a sample: the luck of a block is independent of its
number.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from engine.errors import InvalidError
from pipelines.questions.scores.rollup_sums import LUCK_SQL, score_counts
from pipelines.statistics import Distribution, GroupDifference, common_bin_edges, group_difference, holm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import duckdb
    from numpy.typing import NDArray

    from pipelines.questions.measured import Basis
    from pipelines.questions.scores.question import ScoresQuestion
    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.questions.source import QuestionSource
    from pipelines.statistics.intervals import Integers

MAX_VALUE: Final = 2**31


MAX_RESULTS_LISTED: Final = 50


@dataclass(frozen=True)
class SelectionAnswer:
    """All measures of the results, and a selection of them compared with all others."""

    question: ScoresQuestion
    scope: ScoresScope
    selection: Selection
    results: int
    """How many results count. The cells may be those of a sample."""
    cells: ResultCells
    report: SelectionReport | None
    """None if nothing is selected."""
    selected: tuple[SelectedResult, ...]
    """The first selected results."""
    basis: Basis
    problems: tuple[str, ...] = ()


def make_result_question(scope: ScoresScope) -> ResultQuestion:
    """Return which results count, with the parts of the score as measures."""
    return ResultQuestion(scope.hashes, scope.strategies, scope.seats, tuple(scope.part_titles))


def list_measure_titles(scope: ScoresScope) -> dict[str, str]:
    """Return the titles of all measures by name, in the order of the charts."""
    parts = {PART_PREFIX + part: title for part, title in scope.part_titles.items()}
    return {SCORE: "Score", MARGIN: "Margin", ROUNDS: "Length in rounds", **parts, WON: "Share of games won"}


def read_selection(question: ScoresQuestion, scope: ScoresScope) -> tuple[Selection, tuple[str, ...]]:
    """Return the selection of an address, and a sentence on what it names that does not exist."""
    try:
        document: Any = json.loads(question.select) if question.select else {}
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return Selection(), ("The selection in the address cannot be read.",)
    measures = make_result_question(scope).measures
    members = {SEAT: scope.players, STRATEGY: len(scope.strategies), RULESET: len(scope.rulesets)}
    numbers = {key: _read_integers(values) for key, values in document.items()}
    ranges = tuple(
        (name, numbers[name][0], numbers[name][1]) for name in measures if len(numbers.get(name, ())) == 2
    )
    groups = tuple(
        (name, chosen)
        for name, size in members.items()
        if (chosen := tuple(value for value in numbers.get(name, ()) if 0 <= value < size))
    )
    known = {name for name, *_ in (*ranges, *groups)}
    unknown = [str(key)[:60] for key in document if key not in known]
    problem = f"The selection in the address holds nothing that can be read for {', '.join(unknown)}."
    return Selection(ranges, groups), (problem,) if unknown else ()


def _read_integers(values: object) -> tuple[int, ...]:
    """Return a list of integers of JSON; empty for anything else."""
    if isinstance(values, list) and all(type(value) is int and abs(value) <= MAX_VALUE for value in values):
        return tuple(values)
    return ()


def answer_selection(question: ScoresQuestion, scope: ScoresScope, source: QuestionSource) -> SelectionAnswer:
    """Return how all measures spread, and how the selected results differ from all others. Raises InvalidError for several games."""
    if len({ruleset.game for ruleset in scope.rulesets}) > 1:
        raise InvalidError(
            "choose rulesets of one game: the points of different games have nothing in common"
        )
    selection, problems = read_selection(question, scope)
    result_question = make_result_question(scope)
    every = source.query(count_results, scope.runs, result_question)
    limit = None if question.every == "true" or every <= MAX_CELLS else MAX_CELLS
    cells = source.query(count_result_cells, scope.runs, result_question._replace(limit=limit), selection)
    if selection == EVERYTHING or not every:
        return SelectionAnswer(
            question, scope, selection, every, cells, None, (), scope.describe_basis(), problems
        )
    report = source.query(selected_differences, scope.runs, result_question, selection)
    selected = source.query(selected_results, scope.runs, result_question, selection, MAX_RESULTS_LISTED)
    basis = scope.describe_basis(row.difference.blocks for row in report.differences if row.difference)
    return SelectionAnswer(question, scope, selection, every, cells, report, tuple(selected), basis, problems)


SCORE, MARGIN, ROUNDS, WON = "score", "margin", "rounds", "won"
SEAT, STRATEGY, RULESET = "seat", "strategy", "ruleset"
INSIDE_SUFFIX: Final = "-inside"
"""The column that says whether a result is in the range of a measure is called by the measure and this."""
PART_PREFIX: Final = "part-"
"""The measure of the points of a part is called by this and the name of the part."""
MAX_CELLS: Final = 150_000
"""Cells that a page sends to the browser, which adds them up at every movement of the pointer."""
BINS_TRIED: Final = (40, 24, 16, 10, 6, 4)
"""Numbers of bins of a measure, tried until there are at most `MAX_CELLS` cells."""
LEVEL: Final = 0.95
_SEATS_PER_KEY: Final = 16


class ResultQuestion(NamedTuple):
    """Which results count."""

    rulesets: tuple[str, ...]
    """Hashes."""
    strategies: tuple[str, ...]
    seats: tuple[int, ...]
    """All seats if empty."""
    parts: tuple[str, ...]
    """Parts of the score whose points are measures."""
    limit: int | None = None
    """How many results to read, about: those of the first blocks of each run, the same share of every run. All if None."""

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures that have bins."""
        return (SCORE, MARGIN, ROUNDS, *(PART_PREFIX + part for part in self.parts))


class Selection(NamedTuple):
    """A selection of results: those in all ranges and of all chosen groups."""

    ranges: tuple[tuple[str, int, int], ...] = ()
    """A measure with the lowest and the highest value."""
    groups: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """`seat`, `strategy` or `ruleset` with the seats, or the places in the question, that belong to the selection."""


EVERYTHING: Final = Selection()


@dataclass(frozen=True)
class ResultCells:
    """How many results have the same bins of all measures."""

    edges: dict[str, Integers]
    """By measure: the edges of the bins, as `common_bin_edges` returns them."""
    bins: dict[str, NDArray[np.uint8]]
    """By measure, and by seat, strategy and ruleset: the bin or the number of each cell. For a measure whose range does not
    end at edges of bins, also whether the cell is in the range (`INSIDE_SUFFIX`): 0 or 1."""
    counts: NDArray[np.uint32]
    """The number of results of each cell."""
    spreads: dict[str, dict[int, Distribution]]
    """By measure: how the results of each ruleset spread, by its place in the question, or of each strategy of a single ruleset.
    With a selection, those of the selected results (1) and of all others (0)."""
    winners: tuple[MeasureDifference, ...] = ()
    """How the results of winners differ from all others in each part of the score, without a selection. The intervals hold for
    all parts at once."""


class MeasureDifference(NamedTuple):
    """How a measure differs between the selection, or the results of winners, and the rest."""

    measure: str
    selected_mean: float
    other_mean: float
    difference: GroupDifference | None
    """None if there are too few blocks, or if the measure does not vary."""
    corrected_p: float
    """The p-value after Holm's correction for all measures; 1 without a difference."""


class SelectionReport(NamedTuple):
    """A selection compared with the rest."""

    selected: int
    others: int
    differences: list[MeasureDifference]


def count_result_cells(
    con: duckdb.DuckDBPyConnection, question: ResultQuestion, selection: Selection = EVERYTHING
) -> ResultCells:
    """Count the results of every combination of bins. There may be none. No cell is partly inside of a range of `selection`."""
    results = read_results(con, question)
    if not len(results[SCORE]):
        return ResultCells({}, {}, np.zeros(0, np.uint32), {})
    distributions = {measure: _count_values(results[measure]) for measure in question.measures}

    def count_in_bins(max_bins: int) -> ResultCells:
        edges = {measure: common_bin_edges([values], max_bins) for measure, values in distributions.items()}
        return ResultCells(edges, *_count_cells(results, edges, selection), {})

    *finer, coarsest = BINS_TRIED
    fitting = (cells for cells in map(count_in_bins, finer) if len(cells.counts) <= MAX_CELLS)
    cells = next(fitting, None) or count_in_bins(coarsest)
    lines = results[RULESET if len(question.rulesets) > 1 else STRATEGY]
    if selection != EVERYTHING:
        lines = is_selected(results, selection).astype(np.int64)
    spreads = {
        measure: {int(line): _count_values(results[measure][lines == line]) for line in np.unique(lines)}
        for measure in question.measures
    }
    return replace(
        cells, spreads=spreads, winners=compare_winners(results, question) if selection == EVERYTHING else ()
    )


def compare_winners(results: dict[str, Integers], question: ResultQuestion) -> tuple[MeasureDifference, ...]:
    """Compare the results that won, or shared the win, with all others, in each part of the score."""
    if len(question.rulesets) != 1 or not question.parts:
        return ()
    names = [PART_PREFIX + part for part in question.parts]
    level = 1 - (1 - LEVEL) / len(names)
    return tuple(_compare_measures(results, results[WON] > 0, names, level))


def _count_cells(
    results: dict[str, Integers], edges: dict[str, Integers], selection: Selection
) -> tuple[dict[str, NDArray[np.uint8]], NDArray[np.uint32]]:
    """Return the bins and the number of results of every combination of bins with these edges."""
    columns = {
        measure: (results[measure] - measure_edges[0]) // (measure_edges[1] - measure_edges[0])
        for measure, measure_edges in edges.items()
    } | {group: results[group] for group in (SEAT, STRATEGY, RULESET)}
    columns |= {
        measure + INSIDE_SUFFIX: ((results[measure] >= low) & (results[measure] <= high)).astype(np.int64)
        for measure, low, high in selection.ranges
        if low not in edges[measure][:-1] or high + 1 not in edges[measure][1:]
    }
    cells: Integers = np.zeros(len(results[SCORE]), np.int64)
    largest = 1
    for column in columns.values():
        size = int(column.max()) + 1
        if largest * size >= 2**62:  # a larger code would overflow, so the codes in use are numbered anew
            cells = np.unique(cells, return_inverse=True)[1].astype(np.int64)
            largest = int(cells.max()) + 1
        cells, largest = cells * size + column, largest * size
    _, first, counts = np.unique(cells, return_index=True, return_counts=True)
    bins = {name: column[first].astype(np.uint8) for name, column in columns.items()}
    return bins, counts.astype(np.uint32)


def selected_differences(
    con: duckdb.DuckDBPyConnection, question: ResultQuestion, selection: Selection
) -> SelectionReport:
    """Compare the selected results with all others, in every measure that the selection does not restrict."""
    results = read_results(con, question)
    selected = is_selected(results, selection)
    restricted = {measure for measure, _, _ in selection.ranges}
    measures = [measure for measure in (*question.measures, WON) if measure not in restricted]
    differences = list(_compare_measures(results, selected, measures, LEVEL))
    tested = [row.difference.p_value for row in differences if row.difference]
    corrected = iter(holm(tested) if tested else [])
    rows = [row._replace(corrected_p=next(corrected)) if row.difference else row for row in differences]
    count = int(np.count_nonzero(selected))
    return SelectionReport(count, len(selected) - count, rows)


def _compare_measures(
    results: dict[str, Integers], selected: NDArray[np.bool_], measures: Iterable[str], level: float
) -> Iterator[MeasureDifference]:
    """Yield how the selected results differ from all others in each measure, with an interval of this level."""
    blocks = np.unique(results["block"], return_inverse=True)[1]
    for measure in measures:
        values = results[measure].astype(np.float64)
        selected_mean, other_mean = (
            float(values[part].mean()) if part.any() else np.nan for part in (selected, ~selected)
        )
        difference = group_difference(values, selected, blocks, level)
        yield MeasureDifference(measure, selected_mean, other_mean, difference, 1.0)


class SelectedResult(NamedTuple):
    """A selected result and its game."""

    run: str
    game: int
    seat: int
    strategy: str
    score: int
    margin: int
    is_logged: bool


def selected_results(
    con: duckdb.DuckDBPyConnection, question: ResultQuestion, selection: Selection, limit: int
) -> list[SelectedResult]:
    """Return the first selected results, from the newest run on; `limit` at most."""
    results = read_results(con, question)
    names = _list_runs(con, question).names
    chosen = is_selected(results, selection)
    return [
        SelectedResult(
            names[results["run"][place]],
            int(results["game"][place]),
            int(results[SEAT][place]),
            question.strategies[results[STRATEGY][place]],
            int(results[SCORE][place]),
            int(results[MARGIN][place]),
            bool(results["logged"][place]),
        )
        for place in np.flatnonzero(chosen)[:limit]
    ]


def is_selected(results: dict[str, Integers], selection: Selection) -> NDArray[np.bool_]:
    """Return whether each result belongs to the selection."""
    chosen = np.ones(len(results[SCORE]), np.bool_)
    for measure, low, high in selection.ranges:
        chosen &= (results[measure] >= low) & (results[measure] <= high)
    for group, members in selection.groups:
        chosen &= np.isin(results[group], members)
    return chosen


def read_results(con: duckdb.DuckDBPyConnection, question: ResultQuestion) -> dict[str, Integers]:
    """Return all results as columns of equal length: the measures, the groups, and `block`, `run`, `game` and `logged`.

    The margin is the distance to the best other score, positive for a result that is ahead of all others. Blocks of equal
    luck have equal numbers.
    """
    runs = _list_runs(con, question)
    values = {
        **runs._asdict(),
        "rulesets": list(question.rulesets),
        "strategies": list(question.strategies),
        "most": max(runs.games, default=0),
    }
    query = f"""SELECT e.number, e.luck, s.game_id, s.seat, s.score, s.win_share, g.rounds, g.block, g.logged, r.lowest_wins,
             coalesce(list_position($strategies, s.strategy), 0) - 1 AS strategy,
             list_position($rulesets, r.sha256) - 1 AS ruleset
           FROM seats AS s JOIN games AS g USING (run, game_id) JOIN rulesets AS r USING (run, ruleset)
           JOIN ({_RUNS_SQL}) AS e USING (run)
           WHERE list_contains($rulesets, r.sha256) AND s.game_id < e.games AND s.game_id < $most AND g.game_id < $most
           ORDER BY e.number, s.game_id, s.seat"""  # noqa: S608 - constants
    columns = _fetch_columns(con, query, values)
    seat = columns["seat"].astype(np.int64)
    game = columns["number"] << 32 | columns["game_id"].astype(np.int64)
    score = columns["score"].astype(np.int64)
    counts = columns["strategy"] >= 0
    if question.seats:
        counts &= np.isin(seat, question.seats)
    results: dict[str, NDArray[Any]] = {
        SCORE: score,
        MARGIN: _measure_margins(game, np.where(columns["lowest_wins"], -score, score)),
        ROUNDS: columns["rounds"].astype(np.int64),
        SEAT: seat,
        STRATEGY: columns["strategy"].astype(np.int64),
        RULESET: columns["ruleset"].astype(np.int64),
        WON: columns["win_share"].astype(np.float64),
        "block": columns["luck"] << 32 | columns["block"].astype(np.int64),
        "run": columns["number"],
        "game": columns["game_id"].astype(np.int64),
        "logged": columns["logged"].astype(np.int64),
    }
    for part in question.parts:
        results[PART_PREFIX + part] = _read_part_points(con, runs, part, game * _SEATS_PER_KEY + seat)
    return results if counts.all() else {name: column[counts] for name, column in results.items()}


def count_results(con: duckdb.DuckDBPyConnection, question: ResultQuestion) -> int:
    """Count the results that the question asks about, whatever its `most`."""
    counts = score_counts(con, question.rulesets, question.seats)
    return sum(row.results for row in counts if row.strategy in question.strategies)


class _RunsToRead(NamedTuple):
    """The runs in their order, the newest first, as columns of equal length."""

    names: list[str]
    lucks: list[int]
    """A number for the luck of each run; equal numbers are equal luck."""
    games: list[int]
    """How many of its first games each run contributes."""


_RUNS_SQL: Final = """SELECT unnest($names::VARCHAR[]) AS run, unnest($lucks::BIGINT[]) AS luck,
    unnest($games::BIGINT[]) AS games, unnest(range(len($names))) AS number"""


def _list_runs(con: duckdb.DuckDBPyConnection, question: ResultQuestion) -> _RunsToRead:
    """Return how many of its first games each run contributes: whole blocks, the same share of the blocks of every run.

    An import contributes all its games, because their order may mean something.
    """
    every = count_results(con, question)
    share = min(1.0, question.limit / every) if question.limit and every else 1.0
    rows = con.execute(
        f"""SELECT run, dense_rank() OVER (ORDER BY luck) - 1, coalesce(max(g.game_id) FILTER (
             r.kind = 'import' OR g.block < ceil($share * e.blocks)) + 1, 0)
           FROM run AS r JOIN ({LUCK_SQL}) AS l USING (run) LEFT JOIN games AS g USING (run)
           LEFT JOIN (SELECT run, max(block) + 1 AS blocks FROM games GROUP BY run) AS e USING (run)
           GROUP BY run, luck, r.created_at ORDER BY r.created_at DESC, run || '.duckdb'""",  # noqa: S608 - a constant
        {"share": share},
    ).fetchall()
    return _RunsToRead(*([row[at] for row in rows] for at in range(3)))


def _fetch_columns(
    con: duckdb.DuckDBPyConnection, query: str, values: dict[str, Any]
) -> dict[str, NDArray[Any]]:
    return {name: np.asarray(column) for name, column in con.execute(query, values).fetchnumpy().items()}


def _read_part_points(
    con: duckdb.DuckDBPyConnection, runs: _RunsToRead, part: str, keys: Integers
) -> Integers:
    """Return the points of a part for the results with these keys, which ascend; 0 where the part is missing."""
    columns = _fetch_columns(
        con,
        f"""SELECT number, game_id, seat, points FROM parts JOIN ({_RUNS_SQL}) AS e USING (run)
           WHERE part = $part AND game_id < e.games AND game_id < $most ORDER BY number, game_id, seat""",  # noqa: S608 - a constant
        {**runs._asdict(), "part": part, "most": max(runs.games, default=0)},
    )
    game = columns["number"] << 32 | columns["game_id"].astype(np.int64)
    own_keys = game * _SEATS_PER_KEY + columns["seat"].astype(np.int64)
    points = columns["points"].astype(np.int64)
    if np.array_equal(own_keys, keys):
        return points
    places = np.minimum(np.searchsorted(own_keys, keys), max(0, len(own_keys) - 1))
    return (
        np.where(own_keys[places] == keys, points[places], 0)
        if len(own_keys)
        else np.zeros(len(keys), np.int64)
    )


def _measure_margins(game: Integers, good: Integers) -> Integers:
    """Return how far each result is ahead of the best other one of its game; 0 in a game with a single seat.

    `game` ascends. `good` is higher the better the result.

    >>> _measure_margins(np.array([0, 0, 0, 1]), np.array([7, 9, 2, 5])).tolist()
    [-2, 2, -7, 0]
    """
    if not len(game):
        return game
    starts = np.flatnonzero(np.concatenate([[True], game[1:] != game[:-1]]))
    seats = np.diff(np.append(starts, len(game)))
    best = np.repeat(np.maximum.reduceat(good, starts), seats)
    is_best = good == best
    is_shared = np.repeat(np.add.reduceat(is_best.astype(np.int64), starts), seats) > 1
    lowest = int(good.min()) - 1
    second = np.repeat(np.maximum.reduceat(np.where(is_best, lowest, good), starts), seats)
    other = np.where(is_best & ~is_shared, second, best)
    return np.where(other == lowest, 0, good - other)


def _count_values(values: Integers) -> Distribution:
    """Return the distribution of integers; faster than sorting them."""
    if not len(values):
        return Distribution(np.zeros(0, np.int64), np.zeros(0, np.int64))
    least = int(values.min())
    counts = np.bincount(values - least)
    values_present = np.flatnonzero(counts)
    return Distribution(values_present + least, counts[values_present])
