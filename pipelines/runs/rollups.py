"""The roll-ups of a run file as queries over its tables. Sealing fills them, `verify` checks them."""

from __future__ import annotations

from typing import Final

ROLLUP_QUERIES: Final = {
    "score_histogram": """
        SELECT ruleset, strategy, seat, score, count(*) AS games
        FROM seats JOIN games USING (game_id)
        GROUP BY ALL ORDER BY ALL""",
    "block_scores": """
        SELECT
          ruleset, strategy, seats AS seats_per_block, count(*) AS n,
          sum(score) AS score_sum, sum(score::HUGEINT * score) AS score_square_sum
        FROM (
          SELECT ruleset, strategy, block, count(*) AS seats, sum(score)::BIGINT AS score
          FROM seats JOIN games USING (game_id)
          GROUP BY ALL)
        GROUP BY ruleset, strategy, seats ORDER BY ruleset, strategy, seats""",
    "part_totals": """
        SELECT
          ruleset, strategy, seat, part, count(*) AS n,
          sum(parts.count) AS count_sum, sum(parts.count::BIGINT * parts.count) AS count_square_sum,
          sum(points) AS points_sum, sum(points::BIGINT * points) AS points_square_sum
        FROM parts JOIN seats USING (game_id, seat) JOIN games USING (game_id)
        GROUP BY ruleset, strategy, seat, part ORDER BY ruleset, strategy, seat, part""",
    "part_histogram": """
        SELECT ruleset, strategy, part, points, count(*) AS seats
        FROM parts JOIN seats USING (game_id, seat) JOIN games USING (game_id)
        GROUP BY ALL ORDER BY ALL""",
    "game_lengths": """
        SELECT ruleset, rounds, plies, count(*) AS games
        FROM games
        GROUP BY ALL ORDER BY ALL""",
    # A seat that does not act in a round, for example because it has finished, counts with its last score: otherwise
    # the last rounds would be a mean over the seats that still play.
    "score_by_round": """
        WITH
          ends AS (
            SELECT game_id, seat, round, arg_max(score, ply) AS score
            FROM plies WHERE seat >= 0
            GROUP BY ALL),
          spans AS (
            SELECT
              ruleset, strategy, round, ends.score,
              lead(round, 1, rounds) OVER (PARTITION BY game_id, seat ORDER BY round) AS next
            FROM ends JOIN seats USING (game_id, seat) JOIN games USING (game_id))
        SELECT
          ruleset, strategy, unnest(range(round, next)) AS round,
          sum(n) AS n, sum(score_sum) AS score_sum, sum(score_square_sum) AS score_square_sum
        FROM (
          SELECT
            ruleset, strategy, round, next,
            count(*) AS n, sum(score) AS score_sum, sum(score::BIGINT * score) AS score_square_sum
          FROM spans GROUP BY ruleset, strategy, round, next)
        GROUP BY ruleset, strategy, 3 ORDER BY ruleset, strategy, 3""",
    "squares": """
        WITH covered AS (
          SELECT ruleset, strategy, plies.kind, action, count(*) AS plies
          FROM plies JOIN seats USING (game_id, seat) JOIN games USING (game_id)
          GROUP BY ALL)
        SELECT ruleset, strategy, covered.kind, piece, cell, sum(plies) AS plies
        FROM covered JOIN actions USING (ruleset, action), unnest(cells) AS covered_cells(cell)
        GROUP BY ALL ORDER BY ALL""",
}
"""The query of each roll-up table, with the columns of the table in its order and the rows in a fixed order."""
