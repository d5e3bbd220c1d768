"""Example queries, each with the chart that suits it, and values for their parameters.

Games of a what-if and games by hand are no independent samples and left out of means, as on the other pages. The column
`<name>_half` is half the width of the interval, which counts blocks: games of a block have the same luck.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pipelines.runs.query_parameters import find_parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.questions.sql.question import ChartKind
    from pipelines.runs.library import Run


class QueryExample(NamedTuple):
    """A question in words and in SQL, with its chart."""

    title: str
    sql: str
    kind: ChartKind = ""
    """The kind of chart; no chart if empty."""
    x: str = ""
    y: str = ""


QUERY_EXAMPLES: Final = (
    QueryExample(
        "Who scores how much?",
        """WITH blocks AS (
  SELECT run, block, strategy, count(*) AS n, avg(score) AS score
  FROM seats JOIN games USING (run, game_id)
  WHERE ruleset = $ruleset
  AND run IN (SELECT run FROM run WHERE kind NOT IN ('whatif', 'hand'))
  GROUP BY ALL
)
SELECT strategy, sum(n) AS n, avg(score) AS mean, half_width(score) AS mean_half
FROM blocks
GROUP BY strategy
ORDER BY mean DESC""",
        "points",
        "strategy",
        "mean",
    ),
    QueryExample(
        "How are scores spread?",
        """SELECT strategy, score, sum(games) AS results,
  100 * sum(games) / sum(sum(games)) OVER (PARTITION BY strategy) AS percent
FROM score_histogram
WHERE ruleset = $ruleset
  AND run IN (SELECT run FROM run WHERE kind NOT IN ('whatif', 'hand'))
GROUP BY strategy, score
ORDER BY strategy, score""",
        "line",
        "score",
        "percent",
    ),
    QueryExample(
        "How long do games last?",
        """SELECT rounds, sum(games) AS games
FROM game_lengths
WHERE ruleset = $ruleset
  AND run IN (SELECT run FROM run WHERE kind NOT IN ('whatif', 'hand'))
GROUP BY rounds
ORDER BY rounds""",
        "bar",
        "rounds",
        "games",
    ),
    QueryExample(
        "Does the seat matter?",
        """WITH blocks AS (
  SELECT run, block, player, count(*) AS n, avg(win_share) AS wins, avg(score) AS score
  FROM seats JOIN games USING (run, game_id)
  WHERE ruleset = $ruleset
  AND run IN (SELECT run FROM run WHERE kind NOT IN ('whatif', 'hand'))
  GROUP BY ALL
)
SELECT 'player ' || player AS player, sum(n) AS n, 100 * avg(wins) AS wins_of_100,
  100 * half_width(wins) AS wins_of_100_half, avg(score) AS mean_score, half_width(score) AS mean_score_half
FROM blocks
GROUP BY player
ORDER BY player""",
        "points",
        "player",
        "wins_of_100",
    ),
    QueryExample(
        "Where do the points come from?",
        """SELECT strategy, part, sum(t.n) AS n, sum(points_sum) / sum(t.n) AS points
FROM part_totals AS t
WHERE ruleset = $ruleset
  AND run IN (SELECT run FROM run WHERE kind NOT IN ('whatif', 'hand'))
GROUP BY ALL
ORDER BY strategy, points DESC""",
        "bar",
        "part",
        "points",
    ),
    QueryExample(
        "How many choices are there, round by round?",
        """SELECT round + 1 AS round, count(*) AS n, avg(options) AS choices, max(options) AS most
FROM plies JOIN games USING (run, game_id)
WHERE ruleset = $ruleset AND seat >= 0
  AND run IN (SELECT run FROM run WHERE kind NOT IN ('whatif', 'hand'))
GROUP BY ALL
HAVING n >= 10
ORDER BY round""",
        "line",
        "round",
        "choices",
    ),
    QueryExample(
        "Which pieces come first?",
        """SELECT piece, count(*) AS times
FROM log
WHERE ruleset = $ruleset AND piece IS NOT NULL AND round = 0
  AND run IN (SELECT run FROM run WHERE kind NOT IN ('whatif', 'hand'))
GROUP BY piece
ORDER BY times DESC
LIMIT 30""",
        "bar",
        "piece",
        "times",
    ),
    QueryExample(
        "Which games were closest?",
        """SELECT run, game_id,
  abs(max(score) FILTER (rank = 1) - max(score) FILTER (rank = 2)) AS margin,
  string_agg(strategy || ' ' || score, ', ' ORDER BY seat) AS result
FROM seats JOIN games USING (run, game_id)
WHERE ruleset = $ruleset
GROUP BY run, game_id
HAVING margin IS NOT NULL
ORDER BY margin, run, game_id
LIMIT 20""",
    ),
    QueryExample(
        "How did one game go?",
        """SELECT run, game_id, ply, 'player ' || player AS player, notation, options, score
FROM log
WHERE run = $run AND game_id = $game_id AND seat >= 0
ORDER BY ply""",
        "line",
        "ply",
        "score",
    ),
    QueryExample(
        "What has been run?",
        """SELECT run, title, kind, games, round(seconds, 1) AS seconds, seed, created_at
FROM run
ORDER BY created_at DESC""",
    ),
)


def example_settings(sql: str, runs: Sequence[Run]) -> dict[str, str]:
    """Return values for the parameters of an example: those of the run with the most strategies, then the most games."""
    samples = [run for run in runs if run.summary.is_sample and run.summary.log != "scores"]
    if not samples:
        return {}
    run = max(samples, key=lambda one: (len(one.summary.strategies), one.summary.games))
    values = {"ruleset": run.summary.rulesets[0].name, "run": run.name, "game_id": "0"}
    return {name: values[name] for name in find_parameters(sql) if name in values}
