"""Example queries, each with the chart that suits it, values for its parameters, and its answer in words.

Games of a what-if and games by hand are not independent samples and are left out of means, as on the other pages. The column
`<name>_half` is half the width of the interval, which counts blocks: games of a block have the same luck. Lines have at most
52 letters, which the editor shows without a break in a window of 1280 pixels.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from engine import games
from pipelines.design.short_names import short_names
from pipelines.report import wording
from pipelines.report.estimates import format_interval, set_sentence
from pipelines.runs.query_parameters import find_parameters
from pipelines.statistics import Interval

if TYPE_CHECKING:
    from pipelines.questions.sql import ChartKind
    from pipelines.runs.run import Run

Row: TypeAlias = Mapping[Any, Any]
"""The values of a row by the names of their columns."""
MAX_NAMED: Final = 3
"""A sentence names at most this number of strategies."""


def say_who_scores(rows: Sequence[Row]) -> str:
    """Return who has the highest mean, who is next, and whether their difference is clear; the rows have the highest mean first."""
    names = _name_strategies(rows)
    first, *others = ((names[row["strategy"]], _format_mean(row, "mean")) for row in rows)
    if not others:
        return set_sentence(f"{first[0]} scores {first[1]} points a game")
    return set_sentence(
        f"{first[0]} has the highest mean: {first[1]} points a game, then {others[0][0]} with {others[0][1]}"
        f"{_say_overlap(rows[0], rows[1], 'mean')}"
    )


def say_spread(rows: Sequence[Row]) -> str:
    """Return between which scores the middle half of the results of each strategy lies, the highest ones first."""
    names, groups = _name_strategies(rows), _group_by_strategy(rows)
    halves = sorted(
        ((_find_quantile(group, 0.25), _find_quantile(group, 0.75), name) for name, group in groups.items()),
        key=lambda half: (-half[1], -half[0]),
    )
    texts = [
        f"{low} and {wording.name_amount(str(high))} for {names[name]}"
        for low, high, name in halves[:MAX_NAMED]
    ]
    return set_sentence(f"half of the results lie between {'; '.join(texts)}")


def say_lengths(rows: Sequence[Row]) -> str:
    """Return the mean, the lowest and the highest number of rounds."""
    played = sum(row["games"] for row in rows)
    mean = sum(row["rounds"] * row["games"] for row in rows) / played
    low, high = rows[0]["rounds"], rows[-1]["rounds"]
    if low == high:
        return f"Every game lasts {wording.format_count(low, 'round')}."
    return f"Games last {mean:.1f} rounds on average, between {low} and {high}."


def say_seats(rows: Sequence[Row]) -> str:
    """Return the wins of the seat with most and of the one with fewest, and whether their difference is clear.

    Why they differ is not said: it may be the seat or who had it.
    """
    best, worst = (choose(rows, key=lambda row: row["wins_of_100"]) for choose in (max, min))
    if best is worst:
        return set_sentence(f"every player wins {best['wins_of_100']:.3g} of 100 games")
    return set_sentence(
        f"{best['player']} wins most, {_format_mean(best, 'wins_of_100')} of 100 games, "
        f"and {worst['player']} fewest, {_format_mean(worst, 'wins_of_100')}"
        f"{_say_overlap(best, worst, 'wins_of_100')}"
    )


def say_parts(rows: Sequence[Row]) -> str:
    """Return which part gives each strategy most points, for those with most points."""
    names = _name_strategies(rows)
    groups = sorted(
        _group_by_strategy(rows).items(), key=lambda group: -sum(row["points"] for row in group[1])
    )
    best: dict[str, list[str]] = defaultdict(list)
    for name, group in groups[:MAX_NAMED]:
        largest = max(group, key=lambda row: row["points"])
        best[largest["part"]].append(f"{largest['points']:.3g} for {names[name]}")
    texts = [f"from {part}: {', '.join(points)}" for part, points in best.items()]
    return set_sentence(f"most points of a game come {'; '.join(texts)}")


def say_choices(rows: Sequence[Row]) -> str:
    """Return the round with most choices."""
    richest = max(rows, key=lambda row: row["choices"])
    return f"Round {richest['round']} has most choices: {richest['choices']:.3g} on average, {richest['most']:,} at most."


def say_pieces(rows: Sequence[Row]) -> str:
    """Return the piece that is placed most often; the rows begin with it."""
    first = rows[0]
    return f"{first['piece']} comes first most often: {wording.format_count(first['times'], 'time')} in the first round."


def say_closest(rows: Sequence[Row]) -> str:
    """Return the closest game; the rows begin with it."""
    first = rows[0]
    margin = wording.format_count(first["margin"], "point")
    how = f"decided by {margin}" if first["margin"] else "a tie"
    return f"The closest game was {how}: game {first['game_id'] + 1} of {first['run']}."


def say_one_game(rows: Sequence[Row]) -> str:
    """Return the number of decisions of a game, and what each player has after the last own one."""
    last = {row["player"]: row["score"] for row in rows}
    points = ", ".join(
        f"{last[player]} for {player}" for player in sorted(last, key=lambda player: -last[player])
    )
    decisions = wording.format_count(len(rows), "decision")
    return set_sentence(
        f"game {rows[0]['game_id'] + 1} of {rows[0]['run']} has {decisions}; points after the last one: {points}"
    )


def say_runs(rows: Sequence[Row]) -> str:
    """Return the number of runs and of their games."""
    played = wording.format_count(sum(row["games"] for row in rows), "game")
    return f"{wording.format_count(len(rows), 'run')} with {played}, those of what-ifs among them."


def _name_strategies(rows: Sequence[Row]) -> dict[str, str]:
    return short_names(dict.fromkeys(row["strategy"] for row in rows))


def _group_by_strategy(rows: Sequence[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["strategy"]].append(row)
    return groups


def _format_mean(row: Row, column: str) -> str:
    """Return a mean with its interval, if there are blocks enough for one."""
    mean, half = row[column], row[f"{column}_half"]
    if half is None or not isfinite(half):
        return f"{mean:.3g}"
    return format_interval(Interval(mean, mean - half, mean + half))


def _say_overlap(high: Row, low: Row, column: str) -> str:
    """Return that a difference is not clear if the intervals of the two means overlap; empty if one of them has no interval."""
    halves = [row[f"{column}_half"] for row in (high, low)]
    if any(half is None or not isfinite(half) for half in halves):
        return ""
    return "; the difference is not clear" if high[column] - low[column] <= sum(halves) else ""


def _find_quantile(rows: Sequence[Row], share: float) -> int:
    """Return the lowest score that so large a share of the results does not exceed; the rows have the lowest score first."""
    needed, passed = share * sum(row["results"] for row in rows), 0
    for row in rows:
        passed += row["results"]
        if passed >= needed:
            return int(row["score"])
    raise AssertionError("the share is above 1")


class QueryExample(NamedTuple):
    """A question in words and in SQL, with its chart and its answer in words."""

    title: str
    sql: str
    write_headline: Callable[[Sequence[Row]], str]
    """Return the answer in words, for the rows of the table, at least one."""
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
  WHERE run = $run
    AND kind NOT IN ('whatif', 'hand')
  GROUP BY ALL
)
SELECT strategy, sum(n) AS n,
  avg(score) AS mean,
  half_width(score) AS mean_half
FROM blocks
GROUP BY strategy
ORDER BY mean DESC""",
        say_who_scores,
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
WHERE run = $run
  AND kind NOT IN ('whatif', 'hand')
GROUP BY strategy, score
ORDER BY strategy, score""",
        say_spread,
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
        say_lengths,
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
  WHERE run = $run
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
        say_seats,
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
WHERE run = $run
  AND kind NOT IN ('whatif', 'hand')
GROUP BY ALL
ORDER BY strategy, points DESC""",
        say_parts,
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
        say_choices,
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
        say_pieces,
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
        say_closest,
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
        say_one_game,
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
        say_runs,
    ),
)


def example_settings(sql: str, runs: Sequence[Run], chosen: Mapping[str, str] = {}) -> dict[str, str]:
    """Return values for the parameters of an example: those of the run of several strategies with the most games.

    It is the run, or one of the ruleset, that is `chosen` already, if there is one that can answer the example.
    """
    samples = [
        run
        for run in runs
        if run.summary.is_sample
        and run.summary.log != "scores"
        and (
            _PIECE_COLUMN.search(sql) is None or any(ruleset.piece_areas for ruleset in run.rulesets.values())
        )
    ]
    if not samples:
        return {}
    of_chosen = [run for run in samples if run.name == chosen.get("run")] or [
        run for run in samples if run.summary.rulesets[0].name == chosen.get("ruleset")
    ]
    run = min(of_chosen or samples, key=_rank_run)
    values = {"ruleset": run.summary.rulesets[0].name, "run": run.name, "game_id": "0"}
    return {name: values[name] for name in find_parameters(sql) if name in values}


def _rank_run(run: Run) -> tuple[bool, int, str]:
    summary = run.summary
    return len(summary.strategies) < 2, -summary.games, games.list_order(summary.rulesets[0].game)


_PIECE_COLUMN: Final = re.compile(r"\bpiece\b")
"""The log of a game without pieces has no values in this column."""


def find_example(sql: str) -> QueryExample | None:
    """Return the example with a query, or None."""
    return next((example for example in QUERY_EXAMPLES if example.sql == sql), None)
