"""Forged results are found: sums, ranks and roll-ups fit each other, but the games do not give these results."""

from __future__ import annotations

import shutil
from random import Random
from typing import TYPE_CHECKING

import duckdb
import pytest

from engine import games
from engine.catalogue import Catalogue
from pipelines.design.designs import design_simulation
from pipelines.runs.run import Run
from pipelines.simulate.errors import VerificationFailed
from pipelines.simulate.simulate import simulate_run
from pipelines.simulate.verify import ROLLUP_QUERIES, verify_run

if TYPE_CHECKING:
    from pathlib import Path

RULESETS = ("bloxx-3p", "blokus-duo", "blokus-dice-2p", "spexxx-2p")
LOGS = ("full", "sample=0.5", "scores")
CHANGES = {
    "the points of a part": [
        "UPDATE parts SET points = points + $delta WHERE game_id = $game AND seat = $seat AND part = $part"
    ],
    "points move from one part to another, if there is another": [
        "UPDATE parts SET points = points + $delta WHERE game_id = $game AND seat = $seat AND part = $part",
        "UPDATE parts SET points = points - 2 * $delta WHERE game_id = $game AND seat = $seat AND part = $last",
    ],
    "the count of a part": [
        "UPDATE parts SET count = count + $delta WHERE game_id = $game AND seat = $seat AND part = $part"
    ],
    "two players change places": [
        "UPDATE parts SET points = points + 3 WHERE game_id = $game AND seat = $seat AND part = $part",
        "UPDATE parts SET seat = CASE seat WHEN $seat THEN $other WHEN $other THEN $seat ELSE seat END WHERE game_id = $game",
        "CREATE TEMP TABLE sorted AS FROM parts ORDER BY game_id, seat, rowid",
        "DELETE FROM parts",
        "INSERT INTO parts FROM sorted",
    ],
    "the length of a game": ["UPDATE games SET rounds = rounds + 1, plies = plies + 2 WHERE game_id = $game"],
}
"""Changes of the result of one game, as SQL."""


def forge_result(run: Run, path: Path, random: Random, change: str) -> Run:
    """Return a copy of a run with another result in one game, and with the sums, ranks and roll-ups of that result."""
    shutil.copyfile(run.path, path)
    game = random.randrange(run.summary.games)
    ruleset = next(iter(run.rulesets.values()))
    seat, other = random.sample(range(ruleset.players), 2)
    parts = list(games.find_game(ruleset.game).parts)
    values = {"game": game, "seat": seat, "other": other, "part": random.choice(parts), "last": parts[-1]}
    values["delta"] = random.choice([-500, -7, -1, 1, 2, 30, 500])
    with duckdb.connect(path) as connection:
        for statement in CHANGES[change]:
            connection.execute(statement, {key: values[key] for key in values if f"${key}" in statement})
        _make_consistent(connection, lowest_wins=ruleset.lowest_wins)
    return Run(path)


def _make_consistent(connection: duckdb.DuckDBPyConnection, *, lowest_wins: bool) -> None:
    """Compute scores, ranks, win shares and roll-ups from the parts, as a careful forger would."""
    connection.execute(
        "CREATE TEMP TABLE totals AS SELECT game_id, seat, sum(points) AS score FROM parts GROUP BY ALL"
    )
    connection.execute(
        "UPDATE seats SET score = totals.score FROM totals "
        "WHERE seats.game_id = totals.game_id AND seats.seat = totals.seat AND seats.score <> totals.score"
    )
    connection.execute(
        "CREATE TEMP TABLE ranked AS SELECT game_id, seat, "
        "rank() OVER (PARTITION BY game_id ORDER BY CASE WHEN ? THEN score ELSE -score END) AS rank FROM seats",
        [lowest_wins],
    )
    # equal scores may have different ranks by the rules: keep the ranks of games whose order has not changed
    connection.execute(
        "UPDATE seats SET rank = ranked.rank FROM ranked "
        "WHERE seats.game_id = ranked.game_id AND seats.seat = ranked.seat AND seats.game_id IN ("
        "SELECT one.game_id FROM seats AS one JOIN seats AS two USING (game_id) "
        "WHERE one.rank >= two.rank AND CASE WHEN ? THEN one.score < two.score ELSE one.score > two.score END)",
        [lowest_wins],
    )
    connection.execute(
        "UPDATE seats SET win_share = CASE rank WHEN 1 THEN 1 / winners ELSE 0 END FROM "
        "(SELECT game_id, count(*) FILTER (rank = 1) AS winners FROM seats GROUP BY game_id) AS firsts "
        "WHERE seats.game_id = firsts.game_id"
    )
    for table, query in ROLLUP_QUERIES.items():
        if table not in {"score_by_round", "squares"}:
            connection.execute(f"CREATE TEMP TABLE counted AS {query}")
            connection.execute(f"DELETE FROM {table}")  # noqa: S608 - constant names
            connection.execute(f"INSERT INTO {table} FROM counted; DROP TABLE counted")


def make_run(folder: Path, name: str, log: str) -> Run:
    ruleset = Catalogue().find_ruleset(name)
    lineup = ["greedy", *["random"] * (ruleset.players - 1)]
    design = design_simulation(ruleset, lineup, blocks=4, seed=11, log=log)
    return simulate_run(design, folder / f"{name}-{log}.duckdb", workers=1)


@pytest.mark.parametrize(
    ("name", "log"),
    [
        ("bloxx-3p", "scores"),
        *(
            pytest.param(name, log, marks=pytest.mark.slow)
            for name in RULESETS
            for log in LOGS
            if (name, log) != ("bloxx-3p", "scores")
        ),
    ],
)
def test_forged_results_are_found(tmp_path: Path, name: str, log: str) -> None:
    """Each forgery is refused for the result of a game."""
    run = make_run(tmp_path, name, log)
    random = Random(run.name)
    verify_run(run, workers=1)
    for change in CHANGES:
        forged = forge_result(run, tmp_path / "forged.duckdb", random, change)
        with pytest.raises(VerificationFailed, match=r"^game \d+"):
            verify_run(forged, workers=1)
