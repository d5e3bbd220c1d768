"""The SQL of strategies: what the strategies of a run do, and how long they thought."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import duckdb


class PlayedStrategy(NamedTuple):
    """A strategy of a run."""

    strategy: str
    """Its full name, as all tables of the run call it."""
    notation: str
    """Its name with every parameter; the command line takes it."""
    title: str
    """What it does, in a sentence."""
    decisions: int
    """Number of decisions that were timed; 0 if the run timed none."""
    seconds: float
    """Seconds that these decisions took together."""


def played_strategies(con: duckdb.DuckDBPyConnection) -> list[PlayedStrategy]:
    """Return the strategies of the runs, in the order of their names."""
    rows = con.execute(
        """
        SELECT strategy, any_value(notation), any_value(title), coalesce(sum(t.decisions), 0)::BIGINT,
          coalesce(sum(t.seconds), 0)::DOUBLE
        FROM strategies LEFT JOIN (
          SELECT run, strategy, sum(decisions) AS decisions, sum(seconds) AS seconds FROM decision_times GROUP BY ALL
        ) AS t USING (run, strategy)
        GROUP BY strategy ORDER BY strategy
        """
    ).fetchall()
    return [PlayedStrategy(*row) for row in rows]
