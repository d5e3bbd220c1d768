"""How people did against strategies: the results of the finished games by hand of a library."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import GameError

if TYPE_CHECKING:
    import duckdb

    from pipelines.questions.source import QuestionSource


class OwnResults(NamedTuple):
    """The games of one person against one strategy, which may have several seats, from the start to the end."""

    sha256: str
    """The hash of the ruleset."""
    opponent: str
    """The full name of the strategy."""
    games: int
    won: int
    shared: int
    """Games in which the person shared the win."""
    helped: int
    """Games in which the person looked at a hint or took back a move that counted."""


def find_own_results(source: QuestionSource) -> list[OwnResults]:
    """Return the results under each ruleset against each strategy, those of the newest game first; a copy counts once.

    There are none if a run file is damaged.
    """
    runs = {run.summary.command: run for run in source.runs if run.summary.is_by_hand}
    with suppress(GameError):
        return source.query(read_own_results, list(runs.values())) if runs else []
    return []


def read_own_results(con: duckdb.DuckDBPyConnection) -> list[OwnResults]:
    """Return the results of the games of some runs."""
    rows = con.execute(
        """
        WITH own AS (
          SELECT any_value(rulesets.sha256) AS sha256, any_value(notation) FILTER (name <> 'me') AS opponent,
            max(win_share) FILTER (name = 'me') AS share, max(created_at) AS created_at,
            any_value(json_array_length(design->'hand'->'hints') + json_array_length(design->'hand'->'undos')) AS helps
          FROM seats JOIN strategies USING (run, strategy) JOIN rulesets USING (run) JOIN run USING (run)
          WHERE kind = 'hand' AND (design->'hand'->>'run') = '' GROUP BY run
          HAVING count(*) FILTER (name = 'me') = 1 AND count(DISTINCT notation) FILTER (name <> 'me') = 1)
        SELECT sha256, opponent, count(*), count(*) FILTER (share = 1), count(*) FILTER (share > 0 AND share < 1),
          count(*) FILTER (helps > 0)
        FROM own GROUP BY ALL ORDER BY max(created_at) DESC
        """
    ).fetchall()
    return [OwnResults(*row) for row in rows]
