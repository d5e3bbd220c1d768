"""Queries are answered; anything else is refused; limits on time, memory and size hold."""

from __future__ import annotations

import contextlib
import resource
import threading
import time
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from engine.errors import InvalidError
from pipelines.cli.output import print_csv, print_json, print_table
from pipelines.runs import query, query_process
from pipelines.runs.attach import connect_runs
from pipelines.runs.query import answer_query
from pipelines.statistics import t_interval

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.runs.library import Run


@pytest.fixture
def queries_in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run queries in this process, because starting another one takes most of the time."""
    monkeypatch.setattr(
        "pipelines.runs.query._run_query_process", lambda task, *_: query_process.run_query(task)
    )


def test_a_query_is_answered_with_its_columns(small_run: Run) -> None:
    answer = answer_query([small_run], "SELECT run, count(*) AS games FROM games GROUP BY run")
    assert (answer.columns, answer.rows, answer.is_cut) == (("run", "games"), [("made", 20)], False)


@pytest.mark.usefixtures("queries_in_process")
def test_a_player_counts_from_1_beside_each_seat(small_run: Run) -> None:
    answer = answer_query([small_run], "SELECT DISTINCT seat, player FROM plies ORDER BY seat")
    assert answer.rows == [(-1, None), (0, 1), (1, 2)]
    columns = answer_query([small_run], "FROM seats LIMIT 1").columns
    assert columns[:4] == ("run", "game_id", "seat", "player")


@pytest.mark.parametrize("blocks", [10, 11, 40, 1000])
def test_half_a_width_is_that_of_students_interval(small_run: Run, blocks: int) -> None:
    query = "SELECT half_width(sqrt(x)), half_width(if(x < 9, x, NULL)) FROM range($blocks) AS t(x)"
    with connect_runs([small_run]) as connection:
        width, of_nine_blocks = connection.execute(query, {"blocks": blocks}).fetchall()[0]
    known = t_interval(np.sqrt(np.arange(blocks)))
    assert known
    assert width == pytest.approx(known.half_width, rel=2e-4)
    assert of_nine_blocks is None


@pytest.mark.usefixtures("queries_in_process")
@pytest.mark.parametrize(
    "sql", ["DESCRIBE games", "SHOW TABLES", "FROM run", "EXPLAIN FROM run", "SUMMARIZE seats"]
)
def test_describe_show_and_explain_are_queries(small_run: Run, sql: str) -> None:
    assert answer_query([small_run], sql).rows


def test_a_query_is_interrupted_though_its_time_was_over_before_it_began() -> None:
    """The recursion takes a second if nothing ends it."""
    long = "WITH RECURSIVE t AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 300000) SELECT max(n) FROM t"
    task = {
        "settings": {"threads": "1"},
        "statements": ["SELECT 1"],
        "parameters": {},
        "rows": 1,
        "seconds": 0.0,
    }
    assert query_process.run_query({**task, "sql": long}) == ("late", "")


PIVOT_QUERY = "PIVOT (SELECT strategy, seat, score FROM seats) ON seat USING max(score) GROUP BY strategy"


@pytest.mark.parametrize(
    "sql",
    [
        PIVOT_QUERY,
        f"FROM ({PIVOT_QUERY}) ORDER BY ALL",
        f"-- who\n/* and */ WITH wide AS ({PIVOT_QUERY}) SELECT * FROM wide",  # noqa: S608 - a constant
        "PIVOT seats ON seat IN (0, 1) USING max(score) GROUP BY strategy",
    ],
)
def test_a_pivot_is_a_query(small_run: Run, sql: str) -> None:
    """DuckDB reports a PIVOT as several statements: it first looks up the columns."""
    answer = answer_query([small_run], sql)
    assert answer.columns == ("strategy", "0", "1")
    assert sorted(row[0] for row in answer.rows) == ["greedy", "random"]
    assert all(isinstance(score, int) for row in answer.rows for score in row[1:])


@pytest.mark.usefixtures("queries_in_process")
@pytest.mark.parametrize(
    "sql",
    [
        f"CREATE TABLE mine AS {PIVOT_QUERY}",
        f"INSERT INTO r0.seats {PIVOT_QUERY}",
        f"COPY ({PIVOT_QUERY}) TO '/tmp/stolen.csv'",
        f"{PIVOT_QUERY}; DROP VIEW games",
        f"{PIVOT_QUERY}; {PIVOT_QUERY}",
        "/**/" * 5000 + f"CREATE TABLE mine AS {PIVOT_QUERY}",
        f"WITH wide AS ({PIVOT_QUERY}) INSERT INTO r0.run FROM wide",
        f"WITH wide AS ({PIVOT_QUERY}) DELETE FROM r0.seats",  # noqa: S608 - a constant
        "PIVOT read_csv('/etc/passwd') ON column0",
        "FROM (PIVOT (FROM read_text('/etc/passwd')) ON filename)",
    ],
)
def test_a_change_with_a_pivot_is_refused(small_run: Run, sql: str) -> None:
    before = small_run.path.read_bytes()
    with pytest.raises(InvalidError, match=r"expected one query|Error"):
        answer_query([small_run], sql)
    assert small_run.path.read_bytes() == before


def test_an_empty_library_answers_with_no_rows() -> None:
    assert answer_query([], "SELECT run, game_id FROM games").rows == []


def test_rows_are_cut_at_the_limit(small_run: Run) -> None:
    answer = answer_query([small_run], "FROM range(1000000000000)", rows=3)
    assert (answer.rows, answer.is_cut) == ([(0,), (1,), (2,)], True)


@pytest.mark.usefixtures("queries_in_process")
@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE mine (a INTEGER)",
        "INSERT INTO r0.games SELECT * FROM r0.games",
        "DELETE FROM r0.plies",
        "DROP VIEW games",
        "ATTACH '/tmp/other.duckdb'",
        "DETACH r0",
        "COPY (SELECT 1) TO '/tmp/stolen.csv'",
        "EXPORT DATABASE '/tmp/stolen'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET threads = 64",
        "RESET memory_limit",
        "PRAGMA enable_profiling",
        "CHECKPOINT",
        "SELECT 1; DROP VIEW games",
        "",
    ],
)
def test_anything_but_one_query_is_refused(small_run: Run, sql: str) -> None:
    with pytest.raises(InvalidError, match="expected one query"):
        answer_query([small_run], sql)


@pytest.mark.usefixtures("queries_in_process")
@pytest.mark.parametrize(
    "sql",
    [
        "FROM read_csv('/etc/passwd')",
        "FROM read_text('/etc/passwd')",
        "FROM read_blob('/etc/*')",
        "FROM glob('/*')",
        "FROM '/etc/passwd'",
        "FROM read_parquet('https://example.com/x.parquet')",
        "FROM read_json('/etc/passwd')",
        "FROM sniff_csv('/etc/passwd')",
        "FROM parquet_metadata('/etc/passwd')",
        "FROM read_duckdb('/etc/passwd')",
        "FROM read_text('/proc/self/environ')",
        "FROM which_secret('s3://', 's3')",
        "FROM query('FROM read_text(''/etc/passwd'')')",
        "FROM json_execute_serialized_sql(json_serialize_sql('FROM read_text(''/etc/passwd'')'))",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '/tmp/stolen.csv'",
        "EXPLAIN ANALYZE CREATE TABLE r0.mine AS SELECT 1",
        "EXPLAIN ANALYZE INSERT INTO r0.games FROM r0.games",
        "FROM enable_logging()",
        "FROM python_scan('runs')",
        "SELECT getenv('HOME')",
    ],
)
def test_files_and_the_network_are_out_of_reach(small_run: Run, sql: str) -> None:
    with pytest.raises(InvalidError, match="Error"):
        answer_query([small_run], sql)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO r0.games SELECT * FROM r0.games",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "COPY (SELECT 1) TO '/tmp/stolen.csv'",
        "LOAD httpfs",
    ],
)
def test_the_connection_is_locked_even_without_the_check(small_run: Run, sql: str) -> None:
    with connect_runs([small_run]) as connection, pytest.raises(Exception, match="Error"):
        connection.execute(sql)


RUNAWAY_QUERIES = [
    "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE (a.range * b.range) % 7 = 3",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT unnest([n, n]) FROM r) SELECT count(*) FROM r",
    "FROM range(1000000000) a, range(1000000000) b ORDER BY 1",
    "FROM generate_series(1, 1000000000000) ORDER BY random()",
    "SELECT count(DISTINCT (a.range, b.range)) FROM range(100000) a, range(100000) b",
    "EXPLAIN ANALYZE FROM range(100000000000) a, range(1000000) b WHERE a.range = -1",
    # DuckDB does not check its limits within these expressions.
    "SELECT md5(repeat('x', 2000000000))",
    "SELECT levenshtein(repeat('x', 100000), repeat('y', 100000))",
    "SELECT array_agg(x) OVER () FROM range(20000000) t(x)",
    "SELECT printf('%2000000000d', 1)",
    "SELECT [repeat('x', 1000000)] FROM range(100000)",
    "SELECT string_agg(repeat('x', 1000000)) FROM range(100000)",
    "SELECT list_sort(range(200000000))",
    "SELECT CASE " + " ".join(f"WHEN 1 = {n} THEN {n}" for n in range(60_000)) + " END",
]


QUICK_QUERIES: Final = {0, 3, 8, 12}
"""One that takes long, one without checks of DuckDB, and two that take much memory; each starts a process."""


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param(sql, id=str(number), marks=[pytest.mark.slow] * (number not in QUICK_QUERIES))
        for number, sql in enumerate(RUNAWAY_QUERIES)
    ],
)
def test_a_runaway_query_is_stopped(small_run: Run, sql: str) -> None:
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InvalidError, match=r"stopped after 0\.3 seconds|more than 1GB of memory"):
        answer_query([small_run], sql, seconds=0.3)
    assert time.monotonic() - started < 15
    assert (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 << 10
    )  # kB: the memory is used in the other process


def test_an_endless_recursion_gives_its_first_rows(small_run: Run) -> None:
    answer = answer_query(
        [small_run],
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r",
        rows=3,
        seconds=5,
    )
    assert (answer.rows, answer.is_cut) == ([(1,), (2,), (3,)], True)


@pytest.mark.slow
def test_an_answer_that_is_too_large_is_refused(small_run: Run) -> None:
    with pytest.raises(InvalidError, match="the answer is larger than 64 MB"):
        answer_query([small_run], "SELECT repeat('x', 1000000) FROM range(200)")


@pytest.mark.parametrize(
    "depth", [900, *(pytest.param(one, marks=pytest.mark.slow) for one in (5_000, 100_000))]
)
def test_a_deeply_nested_query_is_answered_or_refused(small_run: Run, depth: int) -> None:
    with contextlib.suppress(InvalidError):
        assert answer_query([small_run], f"SELECT {'(' * depth}1{')' * depth}").rows == [(1,)]


@pytest.mark.slow
def test_nothing_is_left_in_the_working_folder(
    small_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default DuckDB would spill into a folder there, and queries could read it."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidError):
        answer_query(
            [small_run], "SELECT a.range FROM range(60000000) a ORDER BY hash(a.range) DESC", seconds=3
        )
    with pytest.raises(InvalidError, match="disabled"):
        answer_query([small_run], f"FROM read_text('{tmp_path}/.tmp/x')")
    assert not list(tmp_path.iterdir())


def test_a_query_is_stopped_from_another_thread(small_run: Run) -> None:
    stops: list[Callable[[], None]] = []
    threads: list[threading.Timer] = []

    def stop_soon(stop: Callable[[], None]) -> None:
        stops.append(stop)
        threads.append(threading.Timer(0.2, stop))
        threads[0].start()

    started = time.monotonic()
    with pytest.raises(InvalidError, match="stopped"):
        answer_query(
            [small_run],
            "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE (a.range * b.range) % 7 = 3",
            on_start=stop_soon,
        )
    assert time.monotonic() - started < 10
    threads[0].join()
    stops[0]()  # it is over: nothing happens


def test_a_mistake_is_reported_in_two_lines(small_run: Run) -> None:
    with pytest.raises(InvalidError) as caught:
        answer_query([small_run], "SELECT scor FROM seats")
    assert 'column "scor" not found' in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 2


def test_queries_do_not_change_runs(small_run: Run, tmp_path: Path) -> None:
    before = small_run.path.read_bytes()
    answer_query([small_run], "SELECT count(*) FROM plies")
    assert small_run.path.read_bytes() == before
    assert list(tmp_path.iterdir()) == []


def test_the_process_of_a_query_ends_when_its_parent_is_gone() -> None:
    with query._start_process() as process:
        assert process.stdin
        process.stdin.close()  # the operating system does this when the parent dies
        assert process.wait(30)


def test_every_type_of_duckdb_can_be_answered(small_run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """Also times with a zone, inside of lists and maps, for which DuckDB would need another package."""
    answer = answer_query([small_run], "FROM test_all_types()")
    assert (len(answer.rows), len(answer.columns)) == (3, len(answer.rows[0]))
    nested = answer_query([small_run], "SELECT map([1], [now()]) AS m, [now()::TIMESTAMPTZ_NS] AS l")
    assert str(datetime.now(tz=UTC).year) in str(nested.rows[0])
    print_table(answer.columns, answer.rows)
    print_csv(answer.columns, answer.rows)
    print_json([dict(zip(answer.columns, row, strict=True)) for row in answer.rows])
    assert capsys.readouterr().out


def test_values_of_all_types_are_answered_as_duckdb_gives_them(small_run: Run) -> None:
    values = {
        "sum(3)": 3,
        "170141183460469231731687303715884105727::HUGEINT": 170141183460469231731687303715884105727,
        "1.20::DECIMAL(10, 2)": Decimal("1.20"),
        "INTERVAL 1 MONTH + INTERVAL 3 DAY": timedelta(days=33),
        "'101'::BIT": "101",
        "'x'::BLOB": b"x",
        "'a'::ENUM('a', 'b')": "a",
        "'0189ecba-0000-7000-8000-000000000000'::UUID": "0189ecba-0000-7000-8000-000000000000",
        "{'a': 1, 'b': [1, NULL]}": {"a": 1, "b": [1, None]},
        "MAP {1: 'x'}": {1: "x"},
        "DATE '2020-01-02'": date(2020, 1, 2),
        "TIMESTAMP 'infinity'": datetime.max,  # noqa: DTZ901 - a TIMESTAMP has no time zone
        "TIME '01:02:03'": time_of_day(1, 2, 3),
        "union_value(a := 1)": 1,
    }
    answer = answer_query([small_run], f"SELECT {', '.join(values)}")
    assert answer.rows == [tuple(values.values())]


def test_times_with_a_zone_are_answered_as_text_in_the_order_of_the_query(small_run: Run) -> None:
    sql = """SELECT ply AS a, TIMESTAMPTZ '2026-01-02 03:04:05.5+00' AS a, [TIMESTAMPTZ 'infinity'] AS l,
        TIME WITH TIME ZONE '10:00:00+02' AS t FROM plies WHERE game_id = 0 ORDER BY ply DESC -- the last first"""
    answer = answer_query([small_run], sql, rows=2)
    assert answer.columns == ("a", "a", "l", "t")
    assert answer.rows[0][0] == answer.rows[1][0] + 1
    assert all(isinstance(value, str) for value in answer.rows[0][1:])
    assert datetime.fromisoformat(answer.rows[0][1]) == datetime(2026, 1, 2, 3, 4, 5, 500_000, tzinfo=UTC)
    assert (answer.rows[0][3], answer.is_cut) == ("10:00:00+02", True)


def test_a_query_that_breaks_duckdb_blames_no_run(small_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "_run_query_process", lambda *_: ("damaged", "INTERNAL Error: a bug"))
    with pytest.raises(InvalidError, match=r"^INTERNAL Error: a bug"):
        answer_query([small_run], "SELECT 1")
