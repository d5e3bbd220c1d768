"""Example queries, each with the chart that suits it, and values for their parameters.

Games of a what-if and games by hand are no independent samples and left out of means, as on the other pages. The column
`<name>_half` is half the width of the interval, which counts blocks: games of a block have the same luck. Lines have at most
52 letters, which the editor shows without a break in a window of 1280 pixels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pipelines.report.sentences import query_examples
from pipelines.runs.query_parameters import find_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pipelines.questions.sql.question import ChartKind
    from pipelines.runs.library import Run


class QueryExample(NamedTuple):
    """A question in words and in SQL, with its chart and its answer in words."""

    title: str
    sql: str
    write_headline: Callable[[Sequence[query_examples.Row]], str]
    """Return the answer in words, for the rows of the table, of which there is at least one."""
    kind: ChartKind = ""
    """The kind of chart; no chart if empty."""
    x: str = ""
    y: str = ""
    words: Mapping[str, str] = {}
    """What charts call a column, unless its name says it."""


QUERY_EXAMPLES: Final = (
    QueryExample(
        "Who scores how much?",
        """WITH blocks AS (
  SELECT run, block, strategy,
    count(*) AS n, avg(score) AS score
  FROM seats JOIN games USING (run, game_id)
    JOIN run USING (run)
  WHERE ruleset = $ruleset
    AND kind NOT IN ('whatif', 'hand')
  GROUP BY ALL
)
SELECT strategy, sum(n) AS n,
  avg(score) AS mean,
  half_width(score) AS mean_half
FROM blocks
GROUP BY strategy
ORDER BY mean DESC""",
        query_examples.say_who_scores,
        "points",
        "strategy",
        "mean",
        {"mean": "points a game"},
    ),
    QueryExample(
        "How are scores spread?",
        """SELECT strategy, score, sum(h.games) AS results,
  100 * results / sum(results)
    OVER (PARTITION BY strategy) AS percent
FROM score_histogram AS h JOIN run USING (run)
WHERE ruleset = $ruleset
  AND kind NOT IN ('whatif', 'hand')
GROUP BY strategy, score
ORDER BY strategy, score""",
        query_examples.say_spread,
        "line",
        "score",
        "percent",
        {"score": "points", "percent": "% of the results"},
    ),
    QueryExample(
        "How long do games last?",
        """SELECT rounds, sum(l.games) AS games
FROM game_lengths AS l JOIN run USING (run)
WHERE ruleset = $ruleset
  AND kind NOT IN ('whatif', 'hand')
GROUP BY rounds
ORDER BY rounds""",
        query_examples.say_lengths,
        "bar",
        "rounds",
        "games",
    ),
    QueryExample(
        "Does the seat matter?",
        """WITH blocks AS (
  SELECT run, block, player, count(*) AS n,
    avg(win_share) AS wins, avg(score) AS score
  FROM seats JOIN games USING (run, game_id)
    JOIN run USING (run)
  WHERE ruleset = $ruleset
    AND kind NOT IN ('whatif', 'hand')
  GROUP BY ALL
)
SELECT 'player ' || player AS player, sum(n) AS n,
  100 * avg(wins) AS wins_of_100,
  100 * half_width(wins) AS wins_of_100_half,
  avg(score) AS mean_score,
  half_width(score) AS mean_score_half
FROM blocks
GROUP BY player
ORDER BY player""",
        query_examples.say_seats,
        "points",
        "player",
        "wins_of_100",
        {"wins_of_100": "wins of 100 games", "mean_score": "points a game"},
    ),
    QueryExample(
        "Where do the points come from?",
        """SELECT strategy, part, sum(t.n) AS n,
  sum(points_sum) / sum(t.n) AS points
FROM part_totals AS t JOIN run USING (run)
WHERE ruleset = $ruleset
  AND kind NOT IN ('whatif', 'hand')
GROUP BY ALL
ORDER BY strategy, points DESC""",
        query_examples.say_parts,
        "bar",
        "part",
        "points",
        {"part": "part of the score", "points": "points a game"},
    ),
    QueryExample(
        "How many choices are there, round by round?",
        """SELECT round + 1 AS round, count(*) AS n,
  avg(options) AS choices, max(options) AS most
FROM plies JOIN games USING (run, game_id)
  JOIN run USING (run)
WHERE ruleset = $ruleset AND seat >= 0
  AND run.kind NOT IN ('whatif', 'hand')
GROUP BY ALL
HAVING n >= 10
ORDER BY round""",
        query_examples.say_choices,
        "line",
        "round",
        "choices",
        {"choices": "choices on average", "most": "most choices"},
    ),
    QueryExample(
        "Which pieces come first?",
        """SELECT piece, count(*) AS times
FROM log JOIN run USING (run)
WHERE ruleset = $ruleset
  AND piece IS NOT NULL AND round = 0
  AND run.kind NOT IN ('whatif', 'hand')
GROUP BY piece
ORDER BY times DESC
LIMIT 30""",
        query_examples.say_pieces,
        "bar",
        "piece",
        "times",
        {"times": "times in the first round"},
    ),
    QueryExample(
        "Which games were closest?",
        """SELECT run, game_id,
  abs(max(score) FILTER (rank = 1)
    - max(score) FILTER (rank = 2)) AS margin,
  string_agg(strategy || ' ' || score, ', '
    ORDER BY seat) AS result
FROM seats JOIN games USING (run, game_id)
WHERE ruleset = $ruleset
GROUP BY run, game_id
HAVING margin IS NOT NULL
ORDER BY margin, run, game_id
LIMIT 20""",
        query_examples.say_closest,
    ),
    QueryExample(
        "How did one game go?",
        """SELECT run, game_id, ply, ply + 1 AS move,
  'player ' || player AS player,
  notation, options, score
FROM log
WHERE run = $run AND game_id = $game_id
  AND seat >= 0
ORDER BY ply""",
        query_examples.say_one_game,
        "line",
        "move",
        "score",
        {"score": "points"},
    ),
    QueryExample(
        "What has been run?",
        """SELECT run, title, kind, games,
  round(seconds, 1) AS seconds, seed, created_at
FROM run
ORDER BY created_at DESC""",
        query_examples.say_runs,
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


def find_example(sql: str) -> QueryExample | None:
    """Return the example with a query, or None."""
    return next((example for example in QUERY_EXAMPLES if example.sql == sql), None)
