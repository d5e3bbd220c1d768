"""Verify a run file: compare every table with the design and the rules, replay logged games, play the others again."""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from typing import TYPE_CHECKING, Final, NamedTuple

import duckdb

from engine import games
from engine.counted_nouns import format_count
from engine.errors import GameError
from pipelines.design.own_strategies import BUILT_IN_ONLY
from pipelines.runs.seal import ROLLUP_QUERIES, action_rows
from pipelines.simulate.errors import VerificationFailed
from pipelines.simulate.simulate import ProgressClock
from pipelines.simulate.verify_games import check_equal, find_first_fault
from pipelines.simulate.verify_results import compare_with_new_games, find_obstacle
from pipelines.simulate.workers import open_worker_pool, usable_cpus

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from pipelines.design.design import Design
    from pipelines.design.own_strategies import OwnStrategies
    from pipelines.runs.run import Run
    from pipelines.simulate.simulate import ProgressCallback

GAMES_PER_BATCH: Final = 100
"""Games that a worker checks at a time; this takes some seconds."""
SAMPLED_GAMES_PER_BATCH: Final = 10
"""The same when only a sample is checked. Small batches spread the sample over the run."""


class CheckedGames(NamedTuple):
    """How the results of the games of a run were checked. The tables and roll-ups of a run are checked in any case."""

    games: int
    """Games of the run."""
    replayed: int
    """Games whose logged plies were replayed by the rules."""
    played_again: int
    """Games that were played again from the seed, because not all of them are logged."""
    unchecked: int
    """Games that should have been checked and could not be: only that their numbers fit each other is known."""
    obstacle: str | None
    """Why the games that are not logged could not be played again, in words that follow "because"; else None."""


def verify_run(  # noqa: PLR0913 - the limits of the check, passed by name
    run: Run,
    *,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
    most: int | None = None,
    seconds: float | None = None,
    own: OwnStrategies = BUILT_IN_ONLY,
) -> CheckedGames:
    """Check a run file completely. Raises VerificationFailed at the first value that contradicts the design or the rules.

    Logged games are replayed by the rules. If the run has games that are not logged, all its games are played again from
    the seed. With `most`, only about that many games are replayed and played again, spread evenly; with `seconds`, games
    are played again only until so many seconds have passed; everything else is still checked in full. `own` are the own
    strategies that a person has allowed. Raises InvalidError if the file is not a run file, or if its code is not that of
    `own`, and PlayError if a strategy fails.
    """
    try:
        return _check_run(run, workers or usable_cpus(), progress, most, seconds, own)
    except duckdb.Error as error:
        raise VerificationFailed(f"the file is damaged: {str(error).splitlines()[0]}") from None


def _check_run(  # noqa: PLR0913, PLR0917 - as above
    run: Run,
    workers: int,
    progress: ProgressCallback | None,
    most: int | None,
    seconds: float | None,
    own: OwnStrategies,
) -> CheckedGames:
    with run.connect() as connection:
        try:
            design = _read_checked_design(run, connection)
            _check_rules(run, design, connection)
        except GameError as error:
            raise VerificationFailed(str(error)) from None
        _check_counts(design, connection)
    spans = game_batches(design.games, most)
    logged = [[game for game in span if design.is_logged(game // design.rotations)] for span in spans]
    replayed = sum(map(len, logged))
    unlogged = sum(map(len, spans)) - replayed
    obstacle = find_obstacle(design, own) if unlogged else None
    # comparing a game with a new one is the better check, unless the time ends before
    are_all_compared = unlogged and not obstacle and seconds is None
    _check_game_rows(
        run, design, list(filter(None, logged)) if are_all_compared else spans, workers, progress
    )
    again = 0
    if unlogged and not obstacle:
        again = compare_with_new_games(
            run, design, workers=workers, own=own, progress=progress, most=most, seconds=seconds
        )
    with run.connect() as connection:
        _check_actions(run, connection)
        _check_rollups(connection)
    return CheckedGames(design.games, replayed, again, unlogged if obstacle else 0, obstacle)


def _check_game_rows(
    run: Run, design: Design, spans: Sequence[Sequence[int]], workers: int, progress: ProgressCallback | None
) -> None:
    """Check the rows of these games, and replay those that are logged."""
    clock = ProgressClock(sum(map(len, spans)), 0, progress)
    tasks = [(run.path, design.model_dump_json(), tuple(span)) for span in spans]
    with closing(_iter_faults(tasks, workers)) as results:
        for span, fault in zip(spans, results, strict=True):
            if fault:
                raise VerificationFailed(fault)
            clock.advance(len(span))


def game_batches(games: int, most: int | None) -> list[range]:
    """Return the games to check, in batches: all games, or about `most` of them, spread evenly.

    >>> game_batches(250, None), game_batches(1000, 30)
    ([range(0, 100), range(100, 200), range(200, 250)], [range(0, 10), range(495, 505), range(990, 1000)])
    """
    if most is None or most >= games:
        return [
            range(first, min(first + GAMES_PER_BATCH, games)) for first in range(0, games, GAMES_PER_BATCH)
        ]
    size = min(SAMPLED_GAMES_PER_BATCH, most)
    batches = max(2, most // size)
    return [
        range(first, first + size)
        for first in (number * (games - size) // (batches - 1) for number in range(batches))
    ]


def _iter_faults(tasks: Sequence[tuple[Path, str, Sequence[int]]], workers: int) -> Generator[str | None]:
    """Yield the first fault of each batch of games, or None; in the order of the batches."""
    if workers == 1 or len(tasks) <= 1:
        yield from (find_first_fault(*task) for task in tasks)
        return
    with open_worker_pool(min(workers, len(tasks))) as pool:
        yield from pool.map(find_first_fault, *zip(*tasks, strict=True))


def _read_checked_design(run: Run, connection: duckdb.DuckDBPyConnection) -> Design:
    """Read the design and check that the tables `run` and `strategies` agree with it."""
    seed, kind, count = connection.execute("SELECT seed, kind, games FROM run").fetchall()[0]
    design = run.design
    check_equal("table run: seed", seed, design.seed, "in the design")
    check_equal("table run: kind", kind, design.kind, "in the design")
    check_equal("table run: games", count, design.games, "in the design")
    rows = connection.execute("SELECT strategy, notation, name FROM strategies ORDER BY ALL").fetchall()
    expected = {
        (label, notation, notation.partition(":")[0])
        for label, notation in zip(design.labels, design.lineup, strict=True)
    }
    check_equal("table strategies: strategies", rows, sorted(expected), "in the design")
    return design


def _check_rules(run: Run, design: Design, connection: duckdb.DuckDBPyConnection) -> None:
    """Check the hash of the ruleset, that it is the ruleset of the design, and that its rules version is installed."""
    rows = connection.execute("SELECT ruleset, game, spec, sha256, rules_version FROM rulesets").fetchall()
    for name, game, spec, sha256, version in rows:
        document = _read_json(spec)
        text = json.dumps(document, sort_keys=True, separators=(",", ":"))
        if hashlib.sha256(text.encode()).hexdigest() != sha256:
            raise VerificationFailed(
                f"ruleset {name}: the spec was changed: its hash is not the recorded one"
            )
        if document != design.ruleset or run.ruleset(name).name != design.rules.name:
            raise VerificationFailed(f"ruleset {name}: it is not the ruleset of the design")
        installed = games.find_game(game).rules_version
        if version != installed:
            raise VerificationFailed(
                f"ruleset {name}: played by version {version} of the rules of {game}, this Reroll has version {installed}; "
                "verify it with the Reroll that made it"
            )
    if len(rows) != 1:
        raise VerificationFailed(
            f"table rulesets: {format_count(len(rows), 'row')}, the design has 1 ruleset"
        )
    rules = design.rules
    columns = "lowest_wins, board_width, board_height, start_scores[:16]"
    check_equal(
        f"ruleset {rules.name}: {columns}",
        connection.sql("FROM rulesets")
        .select(*(duckdb.SQLExpression(name) for name in columns.split(", ")))
        .fetchall()[0],
        (rules.lowest_wins, *rules.board_size, list(games.start_state(rules).scores)),
        "by the rules",
    )
    check_equal(
        f"table pieces: pieces of {rules.name}",
        connection.execute("FROM pieces ORDER BY ALL").fetchall(),
        sorted((rules.name, piece, area) for piece, area in rules.piece_areas.items()),
        "by the rules",
    )


def _read_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _check_counts(design: Design, connection: duckdb.DuckDBPyConnection) -> None:
    """Check that the file has as many games and seats as the design, and no rows of other games."""
    counts = connection.execute(
        "SELECT count(*), count(DISTINCT game_id), max(game_id) FROM games"
    ).fetchall()
    check_equal(
        "table games: rows, games and last game",
        counts[0],
        (design.games, design.games, design.games - 1),
        "in the design",
    )
    counts = connection.execute("SELECT count(*) FROM seats").fetchall()
    check_equal("table seats: rows", counts[0][0], design.games * design.seats, "in the design")
    for table in ("seats", "parts", "plies"):
        last = connection.table(table).max("game_id").fetchall()[0][0]
        if last is not None and last >= design.games:
            raise VerificationFailed(
                f"table {table}: it has game {last + 1}, the last game of the design is {design.games}"
            )


def _check_actions(run: Run, connection: duckdb.DuckDBPyConnection) -> None:
    """Check that the table `actions` describes exactly the actions that occur in plies."""
    for name, ruleset in run.rulesets.items():
        in_file = connection.execute(
            "SELECT * FROM actions WHERE ruleset = ? ORDER BY action", [name]
        ).fetchall()
        occur = connection.execute(
            "SELECT DISTINCT action FROM plies JOIN games USING (game_id) WHERE ruleset = ? ORDER BY action",
            [name],
        ).fetchall()
        expected = list(action_rows(ruleset, [number for (number,) in occur]))
        check_equal(f"table actions: rows of {name}", len(in_file), len(expected), "that occur in plies")
        for row, right in zip(in_file, expected, strict=True):
            check_equal(f"table actions: action {right[1]} of {name}", row[2:], right[2:], "by the rules")


def _check_rollups(connection: duckdb.DuckDBPyConnection) -> None:
    """Check that each roll-up table equals the result of its query."""
    for table, query in ROLLUP_QUERIES.items():
        differences = connection.execute(
            f"SELECT count(*) FROM ((({query}) EXCEPT ALL FROM {table}) UNION ALL "  # noqa: S608 - constant queries
            f"(FROM {table} EXCEPT ALL ({query})))"
        ).fetchall()[0][0]
        if differences:
            differ = "differs" if differences == 1 else "differ"
            raise VerificationFailed(
                f"table {table}: {format_count(differences, 'row')} {differ} from what the games give"
            )
