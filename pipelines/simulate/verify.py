"""Verifying: every logged game of a run is played again by the plain rules, and every number compared."""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from itertools import groupby, zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import duckdb

from engine import games
from engine.game import CHANCE, GameError
from pipelines.design.design import Design
from pipelines.runs.rollups import ROLLUP_QUERIES
from pipelines.runs.run import Run
from pipelines.runs.seal import action_rows
from pipelines.simulate.from_prefix import begin_game, luck_of_block
from pipelines.simulate.shard_tables import win_shares
from pipelines.simulate.workers import ProgressClock, make_worker_pool, usable_cpus

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from pathlib import Path

    from engine.game import State
    from pipelines.simulate.workers import ProgressCallback

GAMES_PER_BATCH: Final = 100
"""Games that a worker takes at a time: some seconds of work."""
SAMPLED_GAMES_PER_BATCH: Final = 10
"""The same when only some games are checked: small, so that they lie all over the run."""


class VerificationFailed(Exception):  # noqa: N818 - a finding, not an error of this code
    """Something in the run is not as the rules and the design have it; the message says where."""


class GameRows(NamedTuple):
    """What the file holds of one game."""

    game: tuple[Any, ...]
    seats: list[tuple[Any, ...]]
    parts: list[tuple[Any, ...]]
    plies: list[tuple[Any, ...]]


def verify_run(
    run: Run, *, workers: int | None = None, progress: ProgressCallback | None = None, most: int | None = None
) -> None:
    """Return if everything in a run is as its design and the rules have it; else raise Wrong for the first fault.

    With `most` only about so many games, spread evenly, are played again; all else is checked in full. Raises
    InvalidError if the file is no run at all.
    """
    try:
        _check_run(run, workers or usable_cpus(), progress, most)
    except duckdb.Error as error:
        raise VerificationFailed(f"the file is damaged: {str(error).splitlines()[0]}") from None


def _check_run(run: Run, workers: int, progress: ProgressCallback | None, most: int | None) -> None:
    with run.connect() as connection:
        try:
            design = _read_checked_design(run, connection)
            _check_rules(run, design, connection)
        except GameError as error:
            raise VerificationFailed(str(error)) from None
        _check_counts(design, connection)
    _check_games(run, design, workers, progress, most)
    with run.connect() as connection:
        _check_actions(run, connection)
        _check_rollups(connection)


def _check_games(
    run: Run, design: Design, workers: int, progress: ProgressCallback | None, most: int | None
) -> None:
    spans = game_batches(design.games, most)
    clock = ProgressClock(sum(len(span) for span in spans), 0, progress)
    tasks = [(run.path, design.model_dump_json(), span.start, span.stop) for span in spans]
    with closing(_iter_faults(tasks, workers)) as results:
        for span, fault in zip(spans, results, strict=True):
            if fault:
                raise VerificationFailed(fault)
            clock.advance(len(span))


def game_batches(games: int, most: int | None) -> list[range]:
    """Return the games to check, in batches: all, or about `most` of them from first to last.

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


def _iter_faults(tasks: Sequence[tuple[Path, str, int, int]], workers: int) -> Generator[str | None]:
    """Yield the first fault of every batch of games, in their order."""
    if workers == 1 or len(tasks) == 1:
        yield from (find_first_fault(*task) for task in tasks)
        return
    executor = make_worker_pool(min(workers, len(tasks)))
    try:
        yield from executor.map(find_first_fault, *zip(*tasks, strict=True))
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _read_checked_design(run: Run, connection: duckdb.DuckDBPyConnection) -> Design:
    """Read the design and check that the tables `run` and `strategies` repeat it."""
    document, seed, kind, count = connection.execute("SELECT design, seed, kind, games FROM run").fetchall()[
        0
    ]
    design = Design.from_document(document, f"{run.path}: table run")
    _check_equal("table run: seed", seed, design.seed, "in the design")
    _check_equal("table run: kind", kind, design.kind, "in the design")
    _check_equal("table run: games", count, design.games, "in the design")
    names = {name for (name,) in connection.execute("SELECT strategy FROM strategies").fetchall()}
    _check_equal("table strategies: strategies", sorted(names), sorted(set(design.lineup)), "in the design")
    return design


def _check_rules(run: Run, design: Design, connection: duckdb.DuckDBPyConnection) -> None:
    """Check the rulesets' hashes, that they are the design's, and that this engine plays the same rules."""
    rows = connection.execute("SELECT ruleset, game, spec, sha256, rules_version FROM rulesets").fetchall()
    for name, game, spec, sha256, version in rows:
        document = _read_json(spec)
        text = json.dumps(document, sort_keys=True, separators=(",", ":"))
        if hashlib.sha256(text.encode()).hexdigest() != sha256:
            raise VerificationFailed(
                f"ruleset {name}: the spec was changed: it does not have the hash that was recorded for it"
            )
        if document != design.ruleset or run.ruleset(name).name != design.rules.name:
            raise VerificationFailed(f"ruleset {name}: it is not the ruleset of the design")
        known = games.find_game(game).rules_version
        if version != known:
            raise VerificationFailed(
                f"ruleset {name}: played by version {version} of the rules of {game}, this Reroll has version {known}; "
                "verify it with the Reroll that made it"
            )
    if len(rows) != 1:
        raise VerificationFailed(f"table rulesets: {len(rows)} rows, the design has 1 ruleset")


def _read_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _check_counts(design: Design, connection: duckdb.DuckDBPyConnection) -> None:
    """Check that there are as many games and results as the design has."""
    found = connection.execute("SELECT count(*), count(DISTINCT game_id), max(game_id) FROM games").fetchall()
    _check_equal(
        "table games: rows, games and last game",
        found[0],
        (design.games, design.games, design.games - 1),
        "in the design",
    )
    wanted = design.games * design.seats
    found = connection.execute("SELECT count(*) FROM seats").fetchall()
    _check_equal("table seats: rows", found[0][0], wanted, "in the design")
    for table in ("seats", "parts", "plies"):
        last = connection.table(table).max("game_id").fetchall()[0][0]
        if last is not None and last >= design.games:
            raise VerificationFailed(
                f"table {table}: it has game {last}, the last game of the design is {design.games - 1}"
            )


def find_first_fault(path: Path, document: str, first: int, end: int) -> str | None:
    """Play a batch of games again and return what is wrong with the first that is not as logged."""
    design = Design.from_document(document, str(path))
    with Run(path).connect() as connection:
        batch = list(_iter_game_rows(connection, first, end))
    for rows in batch:
        try:
            _check_game(design, rows)
        except VerificationFailed as wrong:
            return f"game {rows.game[0]}{wrong}"
    return None


def _iter_game_rows(connection: duckdb.DuckDBPyConnection, first: int, end: int) -> Iterator[GameRows]:
    """Yield what the file holds of the games from `first` up to, not including, `end`."""

    def rows_by_game(table: str, order: str) -> dict[int, list[tuple[Any, ...]]]:
        rows = connection.execute(
            f"FROM {table} WHERE game_id >= ? AND game_id < ? ORDER BY {order}", [first, end]
        ).fetchall()
        return {game: list(found) for game, found in groupby(rows, itemgetter(0))}

    played = rows_by_game("games", "game_id")
    seats, plies = rows_by_game("seats", "game_id, seat"), rows_by_game("plies", "game_id, ply")
    parts = rows_by_game("parts", "game_id, seat, rowid")
    for game, rows in played.items():
        yield GameRows(rows[0], seats.get(game, []), parts.get(game, []), plies.get(game, []))


def _check_game(design: Design, rows: GameRows) -> None:
    """Compare one game with its place in the design and with the rules; messages go on after `game 17`."""
    game_id, ruleset, block, rotation, rounds, plies, logged = rows.game
    place = divmod(game_id, design.rotations)
    _check_equal(
        ": ruleset, block and rotation",
        (ruleset, block, rotation),
        (design.rules.name, *place),
        "in the design",
    )
    _check_equal(": logged", logged, design.is_logged(block), "in the design")
    seated = list(enumerate(design.strategies_by_seat(rotation)))
    _check_equal(": strategies", [(seat, name) for _, seat, name, *_ in rows.seats], seated, "in the design")
    totals = dict.fromkeys(range(len(seated)), 0)
    for _, seat, _, _, points in rows.parts:
        totals[seat] = totals.get(seat, 0) + points
    for _, seat, _, score, _, _ in rows.seats:
        _check_equal(f", seat {seat}: score", score, totals[seat], "as the sum of its parts")
    ranks = [rank for *_, rank, _ in rows.seats]
    shares = [share for *_, share in rows.seats]
    _check_equal(": win shares", shares, win_shares(ranks) if 1 in ranks else None, "by the ranks")
    if not logged:
        _check_equal(": logged plies", len(rows.plies), 0, "in the design")
        return
    _check_equal(": plies", len(rows.plies), plies, "in table games")
    end = _check_replay(design, block, rotation, rows.plies)
    _check_equal(": rounds", rounds, rows.plies[-1][2] + 1 if rows.plies else 0, "by its last ply")
    _check_equal(": scores", tuple(score for _, _, _, score, _, _ in rows.seats), end.scores, "by the rules")
    _check_equal(": ranks", tuple(ranks), end.ranks, "by the rules")
    parts = [
        (seat, part.part, part.count, part.points) for seat, all_ in enumerate(end.parts) for part in all_
    ]
    for found, right in zip_longest((row[1:] for row in rows.parts), parts):
        _check_equal(": parts", found, right, "by the rules")


def _check_replay(design: Design, block: int, rotation: int, plies: Iterable[tuple[Any, ...]]) -> State:
    """Play the logged actions and return the end; raise Wrong at the first ply that is not as logged."""
    luck, state = luck_of_block(design, block), games.start_state(design.rules)
    try:
        settled = [ply.action for ply in begin_game(design, block, rotation)[1]]
    except GameError as error:
        raise VerificationFailed(f": its plies in the design: {error}") from None
    source = "by the parent game in the design" if design.fork else "by seed and block"
    number = -1
    for number, (_, ply, round_, seat, kind, action, options, score) in enumerate(plies):
        where = f", ply {number}"
        _check_equal(f"{where}: number", ply, number, "in order")
        if state.is_over:
            raise VerificationFailed(f"{where}: the game was over before")
        try:
            after, named = state.play(action), state.ruleset.action(action)
        except GameError as error:
            raise VerificationFailed(f"{where}: {error}") from None
        given = design.is_imported or (design.fork and number < len(settled))
        if state.seat == CHANCE and not given:
            drawn = state.ruleset.action(state.chance_outcome(luck)).notation
            _check_equal(f"{where}: outcome", named.notation, drawn, "by seed and block")
        if number < len(settled):
            _check_equal(
                f"{where}: opening", named.notation, state.ruleset.action(settled[number]).notation, source
            )
        chance = state.seat == CHANCE
        _check_equal(f"{where}: round", round_, state.round, "by the rules")
        _check_equal(f"{where}: seat", seat, state.seat, "by the rules")
        _check_equal(f"{where}: kind", kind, named.kind, "by the rules")
        _check_equal(f"{where}: options", options, None if chance else len(state.actions), "by the rules")
        _check_equal(f"{where}: score", score, None if chance else after.scores[state.seat], "by the rules")
        state = after
    if not state.is_over:
        raise VerificationFailed(f", ply {number + 1}: the log ends, the game does not")
    return state


def _check_actions(run: Run, connection: duckdb.DuckDBPyConnection) -> None:
    """Check that the table `actions` says of every action that occurs, and of no other, what it is."""
    for name, ruleset in run.rulesets.items():
        found = connection.execute(
            "SELECT * FROM actions WHERE ruleset = ? ORDER BY action", [name]
        ).fetchall()
        occur = connection.execute(
            "SELECT DISTINCT action FROM plies JOIN games USING (game_id) WHERE ruleset = ? ORDER BY action",
            [name],
        ).fetchall()
        wanted = list(action_rows(ruleset, [number for (number,) in occur]))
        _check_equal(f"table actions: rows of {name}", len(found), len(wanted), "that occur in plies")
        for row, right in zip(found, wanted, strict=True):
            _check_equal(f"table actions: action {right[1]} of {name}", row[2:], right[2:], "by the rules")


def _check_rollups(connection: duckdb.DuckDBPyConnection) -> None:
    """Check that the roll-ups are what their queries give."""
    for table, query in ROLLUP_QUERIES.items():
        differences = connection.execute(
            f"SELECT count(*) FROM ((({query}) EXCEPT ALL FROM {table}) UNION ALL "  # noqa: S608 - queries of ours
            f"(FROM {table} EXCEPT ALL ({query})))"
        ).fetchall()[0][0]
        if differences:
            raise VerificationFailed(f"table {table}: {differences} rows differ from what the games give")


def _check_equal(what: str, found: object, right: object, source: str) -> None:
    if found != right:
        raise VerificationFailed(f"{what}: the file has {found}, {source} it is {right}")
