"""The cells and comparisons of the view Explore agree with the tables of the run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pipelines.questions.scores import selection
from pipelines.questions.scores.selection import ResultQuestion, Selection
from pipelines.runs.library import connect_runs

if TYPE_CHECKING:
    import duckdb

    from pipelines.runs.library import Library


@pytest.fixture
def connection(small_library: Library) -> duckdb.DuckDBPyConnection:
    return connect_runs([small_library.run("three")])


@pytest.fixture
def question(small_library: Library) -> ResultQuestion:
    sha256 = small_library.run("three").summary.rulesets[0].sha256
    return ResultQuestion((sha256,), ("greedy", "random"), (), ("gaps", "rows"))


def test_cells_hold_every_result_once(
    connection: duckdb.DuckDBPyConnection, question: ResultQuestion
) -> None:
    cells = selection.count_result_cells(connection, question)
    low = {
        measure: edges[column] for measure, edges in cells.edges.items() for column in [cells.bins[measure]]
    }
    found: Counter[tuple[object, ...]] = Counter()
    for at, count in enumerate(cells.counts):
        strategy = question.strategies[cells.bins["strategy"][at]]
        key = (strategy, cells.bins["seat"][at], low["score"][at], low["margin"][at], low["part-gaps"][at])
        found[key] += int(count)
    truth: Counter[tuple[object, ...]] = Counter()
    for strategy, seat, score, margin, gaps in connection.execute(
        """SELECT strategy, seat, score, score - (SELECT max(o.score) FROM seats AS o
             WHERE o.game_id = s.game_id AND o.seat <> s.seat), points
           FROM seats AS s JOIN parts AS p USING (game_id, seat) WHERE part = 'gaps'"""
    ).fetchall():
        binned = [
            max(edge for edge in cells.edges[measure] if edge <= value)
            for measure, value in (("score", score), ("margin", margin), ("part-gaps", gaps))
        ]
        truth[strategy, seat, *binned] += 1
    assert found == truth
    assert cells.edges["part-gaps"][-1] == 1, "gaps never bring points"


def test_no_cell_is_partly_inside_of_a_range(
    connection: duckdb.DuckDBPyConnection, question: ResultQuestion
) -> None:
    """The chart selects what the report counts, also where a range ends inside of a bin."""
    plain = selection.count_result_cells(connection, question)
    edges = plain.edges["score"].tolist()
    low, high = edges[1] + 1, edges[-2] + 1
    inside = "FROM seats WHERE score BETWEEN ? AND ?"
    truth = len(connection.execute(inside, [low, high]).fetchall())
    chosen = Selection((("score", low, high),))
    cells = selection.count_result_cells(connection, question, chosen)
    assert 0 < truth < cells.counts.sum() == plain.counts.sum()
    assert cells.counts[cells.bins["score" + selection.INSIDE_SUFFIX] == 1].sum() == truth
    assert selection.selected_differences(connection, question, chosen).selected == truth
    whole_bins = Selection((("score", edges[1], edges[-2] - 1),))
    assert selection.count_result_cells(connection, question, whole_bins).bins.keys() == plain.bins.keys()


def test_a_sample_is_the_results_of_the_first_blocks(
    connection: duckdb.DuckDBPyConnection, question: ResultQuestion
) -> None:
    every = selection.read_results(connection, question)
    assert selection.count_results(connection, question) == len(every["score"]) == 72
    for part in ({"strategies": ("random",)}, {"seats": (0,)}):  # one of three seats each
        assert selection.count_results(connection, question._replace(**part)) == 24
    games_of_a_block = np.unique(every["game"][every["block"] == 0])
    sample = selection.read_results(connection, question._replace(limit=30))
    blocks = np.unique(sample["block"])
    assert 30 <= len(sample["score"]) < 30 + 3 * len(games_of_a_block)  # up to the end of a block
    np.testing.assert_array_equal(blocks, np.arange(len(blocks)))
    is_first = np.isin(every["block"], blocks)
    for name, column in sample.items():
        np.testing.assert_array_equal(column, every[name][is_first], err_msg=name)


def test_a_sample_takes_the_same_share_of_the_blocks_of_every_run(
    small_library: Library, question: ResultQuestion
) -> None:
    runs = [small_library.run("three"), small_library.run("hanging")]
    question = question._replace(rulesets=tuple(run.summary.rulesets[0].sha256 for run in runs))
    both = connect_runs(runs)
    every = selection.read_results(both, question)
    sample = selection.read_results(both, question._replace(limit=len(every["score"]) // 2))
    for run in np.unique(every["run"]):
        blocks = len(np.unique(every["block"][every["run"] == run]))
        drawn = len(np.unique(sample["block"][sample["run"] == run]))
        assert blocks / 2 <= drawn <= blocks / 2 + 1


def test_an_import_is_not_sampled_because_its_order_may_mean_something(
    connection: duckdb.DuckDBPyConnection, question: ResultQuestion
) -> None:
    connection.execute(
        "CREATE OR REPLACE TEMP VIEW run AS SELECT * REPLACE ('import' AS kind) FROM memory.run"
    )
    assert len(selection.read_results(connection, question._replace(limit=1))["score"]) == 72


def test_a_run_without_games_in_its_table_has_no_results(
    connection: duckdb.DuckDBPyConnection, question: ResultQuestion
) -> None:
    """A file from elsewhere may say in its sums that there are games."""
    connection.execute("CREATE OR REPLACE TEMP VIEW games AS SELECT * FROM memory.games WHERE false")
    assert not len(selection.count_result_cells(connection, question._replace(limit=30)).counts)


def test_many_measures_do_not_overflow_the_codes_of_cells() -> None:
    rng = np.random.default_rng(7)
    names = ("score", *(f"part-{number}" for number in range(14)))
    table = {name: rng.integers(0, 40, 300) for name in names}
    table |= {name: np.zeros(300, np.int64) for name in ("seat", "strategy", "ruleset")}
    edges = {name: np.arange(41) for name in names}
    bins, counts = selection._count_cells(table, edges, selection.EVERYTHING)
    rows = Counter(zip(*(table[name].tolist() for name in names), strict=True))
    found = {
        key: int(count)
        for key, count in zip(zip(*(bins[name].tolist() for name in names), strict=True), counts, strict=True)
    }
    assert found == rows


def test_a_filter_by_seat_leaves_the_margins_to_all_opponents(
    connection: duckdb.DuckDBPyConnection, question: ResultQuestion
) -> None:
    every = selection.read_results(connection, question)
    first = selection.read_results(connection, question._replace(seats=(0,)))
    assert first["margin"].tolist() == every["margin"][every["seat"] == 0].tolist()


def test_a_selection_is_compared_with_all_other_results(
    connection: duckdb.DuckDBPyConnection, question: ResultQuestion
) -> None:
    chosen = Selection((("score", 20, 40),), (("strategy", (0,)),))
    report = selection.selected_differences(connection, question, chosen)
    condition = "score BETWEEN 20 AND 40 AND strategy = 'greedy'"
    ((count, gaps, other_gaps, won),) = connection.execute(
        f"""SELECT count(*) FILTER ({condition}), avg(points) FILTER ({condition}), avg(points) FILTER (NOT ({condition})),
              avg(win_share) FILTER ({condition}) FROM seats JOIN parts USING (game_id, seat) WHERE part = 'gaps'"""  # noqa: S608 - the condition above
    ).fetchall()
    found = {row.measure: row for row in report.differences}
    assert (report.selected, report.others) == (count, 72 - count)
    assert "score" not in found
    assert (found["part-gaps"].selected_mean, found["part-gaps"].other_mean) == pytest.approx(
        (gaps, other_gaps)
    )
    assert found["won"].selected_mean == pytest.approx(won)
    assert all(row.difference is None for row in report.differences)  # eight blocks are not enough


def test_p_values_are_corrected_for_the_number_of_measures(
    small_library: Library, monkeypatch: pytest.MonkeyPatch, question: ResultQuestion
) -> None:
    rng = np.random.default_rng(5)
    n = 400
    table = {name: rng.integers(0, 9, n) for name in (*question.measures, "won")}
    table["margin"] += 4 * (table["score"] > 4)
    table |= {"block": np.arange(n) // 2, "strategy": np.zeros(n, np.int64), "seat": np.arange(n) % 2}
    monkeypatch.setattr(selection, "read_results", lambda *_: table)
    report = selection.selected_differences(
        connect_runs([small_library.run("three")]), question, Selection((("score", 5, 9),))
    )
    rows = {row.measure: row for row in report.differences}
    assert rows["margin"].corrected_p < 0.001
    for row in report.differences:
        assert row.difference
        assert row.corrected_p >= row.difference.p_value
    ordered = sorted(report.differences, key=lambda row: row.difference.p_value if row.difference else 1)
    assert ordered[0].corrected_p == pytest.approx(
        min(1, ordered[0].difference.p_value * len(ordered)) if ordered[0].difference else 1
    )


def test_results_listed_are_the_selected_ones(
    connection: duckdb.DuckDBPyConnection, question: ResultQuestion
) -> None:
    listed = selection.selected_results(connection, question, Selection((("score", 20, 40),)), 5)
    truth = connection.execute(
        "SELECT game_id, seat, score FROM seats WHERE score BETWEEN 20 AND 40 ORDER BY game_id, seat LIMIT 5"
    ).fetchall()
    assert [(one.game, one.seat, one.score) for one in listed] == truth
    assert {(one.run, one.is_logged) for one in listed} == {("three", True)}


def test_winners_are_compared_with_all_others_in_each_part(
    connection: duckdb.DuckDBPyConnection, question: ResultQuestion
) -> None:
    winners = {row.measure: row for row in selection.count_result_cells(connection, question).winners}
    assert list(winners) == ["part-gaps", "part-rows"]
    for part, row in (("gaps", winners["part-gaps"]), ("rows", winners["part-rows"])):
        known = connection.execute(
            "SELECT avg(points) FILTER (win_share > 0), avg(points) FILTER (win_share = 0) FROM parts JOIN seats "
            "USING (game_id, seat) WHERE part = ?",
            [part],
        ).fetchone()
        assert (row.selected_mean, row.other_mean) == pytest.approx(known)
    chosen = Selection((("score", 0, 20),))
    assert not selection.count_result_cells(connection, question, chosen).winners


@pytest.mark.parametrize("parts", [1, 4])
def test_the_part_that_is_picked_of_several_is_rarely_called_clear_where_winners_do_not_differ(
    parts: int,
) -> None:
    """Of 400 samples of 100 blocks without a difference, at most 8 of 100 claim one: the intervals hold for all parts at once."""
    random = np.random.default_rng(5)
    names = tuple(f"p{at}" for at in range(parts))
    question = ResultQuestion(("x",), ("greedy",), (), names)
    claimed = 0
    for _ in range(400):
        won = np.tile([1.0, 0.0], 100)
        results = {"won": won, "block": np.arange(200) // 2} | {
            f"part-{name}": random.integers(0, 20, 200) for name in names
        }
        rows = selection.compare_winners(results, question)
        assert all(row.difference for row in rows)
        claimed += any(
            row.difference.difference.low > 0 or row.difference.difference.high < 0
            for row in rows
            if row.difference
        )
    assert 0.02 * 400 < claimed <= 0.08 * 400
