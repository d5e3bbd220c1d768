"""A source opens each set of runs once, and keeps only a few sets open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from pipelines.questions import source as source_module
from pipelines.questions.source import QuestionSource
from pipelines.runs import attach

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.runs.library import Library, Run


def count_games(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    return dict(connection.execute("SELECT run, count(*) FROM games GROUP BY run").fetchall())


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[duckdb.DuckDBPyConnection]:
    """The connections that sources open during a test."""
    connections: list[duckdb.DuckDBPyConnection] = []

    def connect_runs(runs: Sequence[Run]) -> duckdb.DuckDBPyConnection:
        connections.append(attach.connect_runs(runs))
        return connections[-1]

    monkeypatch.setattr(source_module, "connect_runs", connect_runs)
    return connections


def test_a_source_asks_each_set_of_runs_over_one_connection(
    small_library: Library, opened: list[duckdb.DuckDBPyConnection]
) -> None:
    source = QuestionSource(small_library)
    three, hanging = (small_library.run(name) for name in ("three", "hanging"))
    for _ in range(3):
        assert source.query(count_games, [three]) == {"three": 24}
        assert source.query(count_games, [three, hanging]) == {"three": 24, "hanging": 24}
    assert len(opened) == 2


def test_a_source_closes_the_connection_that_it_opened_first(
    small_library: Library, opened: list[duckdb.DuckDBPyConnection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_module, "MAX_CONNECTIONS", 1)
    source = QuestionSource(small_library)
    for name in ("three", "hanging"):
        source.query(count_games, [small_library.run(name)])
    first, second = opened
    assert count_games(second) == {"hanging": 24}
    with pytest.raises(duckdb.ConnectionException):
        count_games(first)
