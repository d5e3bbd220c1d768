"""Example queries, each with the chart that suits it."""

from __future__ import annotations

from typing import Final, NamedTuple


class QueryExample(NamedTuple):
    """A question in words and in SQL, with its chart."""

    title: str
    sql: str
    kind: str = ""
    """The kind of chart; no chart if empty."""
    x: str = ""
    y: str = ""


QUERY_EXAMPLES: Final = (
    QueryExample(
        "Who scores how much?",
        """SELECT strategy, count(*) AS n, avg(score) AS mean, stddev_samp(score) AS sd
FROM seats JOIN games USING (run, game_id)
WHERE ruleset = (SELECT min(ruleset) FROM games)
GROUP BY strategy
ORDER BY mean DESC""",
        "bar",
        "strategy",
        "mean",
    ),
    QueryExample(
        "How are scores spread?",
        """SELECT score, sum(games) AS results
FROM score_histogram
WHERE ruleset = (SELECT min(ruleset) FROM score_histogram)
GROUP BY score
ORDER BY score""",
        "bar",
        "score",
        "results",
    ),
    QueryExample(
        "How long do games last?",
        """SELECT ruleset, rounds, sum(games) AS games
FROM game_lengths
GROUP BY ALL
ORDER BY ALL""",
        "bar",
        "rounds",
        "games",
    ),
    QueryExample(
        "Does the seat matter?",
        """SELECT ruleset, seat, count(*) AS n, avg(win_share) AS wins, avg(score) AS mean
FROM seats JOIN games USING (run, game_id)
GROUP BY ALL
ORDER BY ruleset, seat""",
        "points",
        "seat",
        "wins",
    ),
    QueryExample(
        "Where do the points come from?",
        """SELECT strategy, part, sum(t.n) AS n, sum(points_sum) / sum(t.n) AS points
FROM part_totals AS t
GROUP BY ALL
ORDER BY strategy, points DESC""",
        "bar",
        "part",
        "points",
    ),
    QueryExample(
        "How many choices are there, round by round?",
        """SELECT round, count(*) AS n, avg(options) AS choices, max(options) AS most
FROM plies
WHERE seat >= 0
GROUP BY round
HAVING n >= 10
ORDER BY round""",
        "line",
        "round",
        "choices",
    ),
    QueryExample(
        "Which pieces come first?",
        """SELECT ruleset, piece, count(*) AS times
FROM log
WHERE piece IS NOT NULL AND round = 0
GROUP BY ALL
ORDER BY times DESC
LIMIT 30""",
        "bar",
        "piece",
        "times",
    ),
    QueryExample(
        "Which games were closest?",
        """SELECT run, game_id, max(score) - min(score) AS apart,
  string_agg(strategy || ' ' || score, ', ' ORDER BY seat) AS result
FROM seats
GROUP BY run, game_id
ORDER BY apart, run, game_id
LIMIT 20""",
    ),
    QueryExample(
        "How did one game go?",
        """SELECT ply, round, seat, kind, notation, options, score
FROM log
WHERE run = (SELECT min(run) FROM log) AND game_id = 0
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
