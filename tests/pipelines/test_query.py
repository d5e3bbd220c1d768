"""Questions in SQL: answered, and kept from everything else."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from engine.game import InvalidError
from pipelines.query import answer
from pipelines.union import connect

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.library import Run


def test_a_question_is_answered_with_its_columns(made: Run) -> None:
    found = answer([made], "SELECT run, count(*) AS games FROM games GROUP BY run")
    assert (found.columns, found.rows, found.is_cut) == (("run", "games"), [("made", 20)], False)


@pytest.mark.parametrize(
    "sql", ["DESCRIBE games", "SHOW TABLES", "FROM run", "EXPLAIN FROM run", "SUMMARIZE seats"]
)
def test_looking_around_is_a_question_too(made: Run, sql: str) -> None:
    assert answer([made], sql).rows


def test_a_library_without_runs_answers_with_no_rows() -> None:
    assert answer([], "SELECT run, game_id FROM games").rows == []


def test_rows_are_cut_at_the_limit(made: Run) -> None:
    found = answer([made], "FROM range(1000000000000)", rows=3)
    assert (found.rows, found.is_cut) == ([(0,), (1,), (2,)], True)


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
def test_anything_but_one_question_is_refused(made: Run, sql: str) -> None:
    with pytest.raises(InvalidError, match="expected one query"):
        answer([made], sql)


@pytest.mark.parametrize(
    "sql",
    [
        "FROM read_csv('/etc/passwd')",
        "FROM read_text('/etc/passwd')",
        "FROM read_blob('/etc/*')",
        "FROM glob('/*')",
        "FROM '/etc/passwd'",
        "FROM read_parquet('https://example.com/x.parquet')",
        "SELECT getenv('HOME')",
    ],
)
def test_files_and_the_network_are_out_of_reach(made: Run, sql: str) -> None:
    with pytest.raises(InvalidError, match="Error"):
        answer([made], sql)


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
def test_the_connection_is_locked_even_without_the_check(made: Run, sql: str) -> None:
    with connect([made]) as connection, pytest.raises(Exception, match="Error"):
        connection.execute(sql)


def test_a_question_that_runs_away_is_stopped(made: Run) -> None:
    started = time.monotonic()
    with pytest.raises(InvalidError, match=r"stopped after 0\.3 seconds"):
        answer(
            [made],
            "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range % 7 = b.range",
            seconds=0.3,
        )
    assert time.monotonic() - started < 10


def test_a_question_is_stopped_from_elsewhere(made: Run) -> None:
    stops: list[Callable[[], None]] = []
    threads: list[threading.Timer] = []

    def begun(stop: Callable[[], None]) -> None:
        stops.append(stop)
        threads.append(threading.Timer(0.2, stop))
        threads[0].start()

    started = time.monotonic()
    with pytest.raises(InvalidError, match="stopped"):
        answer(
            [made],
            "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range % 7 = b.range",
            begun=begun,
        )
    assert time.monotonic() - started < 10
    threads[0].join()
    stops[0]()  # too late: nothing happens


def test_a_mistake_is_told_in_two_lines(made: Run) -> None:
    with pytest.raises(InvalidError) as caught:
        answer([made], "SELECT scor FROM seats")
    assert 'column "scor" not found' in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 2


def test_the_runs_stay_as_they_are(made: Run, tmp_path: Path) -> None:
    before = made.path.read_bytes()
    answer([made], "SELECT count(*) FROM plies")
    assert made.path.read_bytes() == before
    assert list(tmp_path.iterdir()) == []
