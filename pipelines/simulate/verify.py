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
from pipelines.runs.rollups import ROLLUPS
from pipelines.runs.run import Run
from pipelines.runs.seal import action_rows
from pipelines.simulate.from_prefix import begun, luck_of
from pipelines.simulate.shard_tables import win_shares
from pipelines.simulate.workers import Clock, cpus, pool

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from pathlib import Path

    from engine.game import State
    from pipelines.simulate.workers import Progress

GAMES_AT_ONCE: Final = 100
"""Games that a worker takes at a time: some seconds of work."""
GAMES_IN_A_SAMPLE: Final = 10
"""The same when only some games are checked: small, so that they lie all over the run."""


class Wrong(Exception):  # noqa: N818 - a finding, not an error of this code
    """Something in the run is not as the rules and the design have it; the message says where."""


class Rows(NamedTuple):
    """What the file holds of one game."""

    game: tuple[Any, ...]
    seats: list[tuple[Any, ...]]
    parts: list[tuple[Any, ...]]
    plies: list[tuple[Any, ...]]


def verify(
    run: Run, *, workers: int | None = None, progress: Progress | None = None, most: int | None = None
) -> None:
    """Return if everything in a run is as its design and the rules have it; else raise Wrong for the first fault.

    With `most` only about so many games, spread evenly, are played again; all else is checked in full. Raises
    InvalidError if the file is no run at all.
    """
    try:
        _verify(run, workers or cpus(), progress, most)
    except duckdb.Error as error:
        raise Wrong(f"the file is damaged: {str(error).splitlines()[0]}") from None


def _verify(run: Run, workers: int, progress: Progress | None, most: int | None) -> None:
    with run.connect() as connection:
        try:
            design = _design(run, connection)
            _check_rules(run, design, connection)
        except GameError as error:
            raise Wrong(str(error)) from None
        _check_counts(design, connection)
    _check_games(run, design, workers, progress, most)
    with run.connect() as connection:
        _check_actions(run, connection)
        _check_rollups(connection)


def _check_games(run: Run, design: Design, workers: int, progress: Progress | None, most: int | None) -> None:
    spans = spread(design.games, most)
    clock = Clock(sum(len(span) for span in spans), 0, progress)
    tasks = [(run.path, design.model_dump_json(), span.start, span.stop) for span in spans]
    with closing(_results(tasks, workers)) as results:
        for span, fault in zip(spans, results, strict=True):
            if fault:
                raise Wrong(fault)
            clock.advance(len(span))


def spread(games: int, most: int | None) -> list[range]:
    """Return the games to check, in batches: all, or about `most` of them from first to last.

    >>> spread(250, None), spread(1000, 30)
    ([range(0, 100), range(100, 200), range(200, 250)], [range(0, 10), range(495, 505), range(990, 1000)])
    """
    if most is None or most >= games:
        return [range(first, min(first + GAMES_AT_ONCE, games)) for first in range(0, games, GAMES_AT_ONCE)]
    size = min(GAMES_IN_A_SAMPLE, most)
    batches = max(2, most // size)
    return [
        range(first, first + size)
        for first in (number * (games - size) // (batches - 1) for number in range(batches))
    ]


def _results(tasks: Sequence[tuple[Path, str, int, int]], workers: int) -> Generator[str | None]:
    """Yield the first fault of every batch of games, in their order."""
    if workers == 1 or len(tasks) == 1:
        yield from (first_fault(*task) for task in tasks)
        return
    executor = pool(min(workers, len(tasks)))
    try:
        yield from executor.map(first_fault, *zip(*tasks, strict=True))
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _design(run: Run, connection: duckdb.DuckDBPyConnection) -> Design:
    """Read the design and check that the tables `run` and `strategies` repeat it."""
    document, seed, kind, count = connection.execute("SELECT design, seed, kind, games FROM run").fetchall()[
        0
    ]
    design = Design.from_document(document, f"{run.path}: table run")
    _same("table run: seed", seed, design.seed, "in the design")
    _same("table run: kind", kind, design.kind, "in the design")
    _same("table run: games", count, design.games, "in the design")
    names = {name for (name,) in connection.execute("SELECT strategy FROM strategies").fetchall()}
    _same("table strategies: strategies", sorted(names), sorted(set(design.lineup)), "in the design")
    return design


def _check_rules(run: Run, design: Design, connection: duckdb.DuckDBPyConnection) -> None:
    """Check the rulesets' hashes, that they are the design's, and that this engine plays the same rules."""
    rows = connection.execute("SELECT ruleset, game, spec, sha256, rules_version FROM rulesets").fetchall()
    for name, game, spec, sha256, version in rows:
        document = _json(spec)
        text = json.dumps(document, sort_keys=True, separators=(",", ":"))
        if hashlib.sha256(text.encode()).hexdigest() != sha256:
            raise Wrong(
                f"ruleset {name}: the spec was changed: it does not have the hash that was recorded for it"
            )
        if document != design.ruleset or run.ruleset(name).name != design.rules.name:
            raise Wrong(f"ruleset {name}: it is not the ruleset of the design")
        known = games.game(game).rules_version
        if version != known:
            raise Wrong(
                f"ruleset {name}: played by version {version} of the rules of {game}, this Reroll has version {known}; "
                "verify it with the Reroll that made it"
            )
    if len(rows) != 1:
        raise Wrong(f"table rulesets: {len(rows)} rows, the design has 1 ruleset")


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _check_counts(design: Design, connection: duckdb.DuckDBPyConnection) -> None:
    """Check that there are as many games and results as the design has."""
    found = connection.execute("SELECT count(*), count(DISTINCT game_id), max(game_id) FROM games").fetchall()
    _same(
        "table games: rows, games and last game",
        found[0],
        (design.games, design.games, design.games - 1),
        "in the design",
    )
    wanted = design.games * design.seats
    found = connection.execute("SELECT count(*) FROM seats").fetchall()
    _same("table seats: rows", found[0][0], wanted, "in the design")
    for table in ("seats", "parts", "plies"):
        last = connection.table(table).max("game_id").fetchall()[0][0]
        if last is not None and last >= design.games:
            raise Wrong(
                f"table {table}: it has game {last}, the last game of the design is {design.games - 1}"
            )


def first_fault(path: Path, document: str, first: int, end: int) -> str | None:
    """Play a batch of games again and return what is wrong with the first that is not as logged."""
    design = Design.from_document(document, str(path))
    with Run(path).connect() as connection:
        batch = list(_rows(connection, first, end))
    for rows in batch:
        try:
            _check_game(design, rows)
        except Wrong as wrong:
            return f"game {rows.game[0]}{wrong}"
    return None


def _rows(connection: duckdb.DuckDBPyConnection, first: int, end: int) -> Iterator[Rows]:
    """Yield what the file holds of the games from `first` up to, not including, `end`."""

    def grouped(table: str, order: str) -> dict[int, list[tuple[Any, ...]]]:
        rows = connection.execute(
            f"FROM {table} WHERE game_id >= ? AND game_id < ? ORDER BY {order}", [first, end]
        ).fetchall()
        return {game: list(found) for game, found in groupby(rows, itemgetter(0))}

    played = grouped("games", "game_id")
    seats, plies = grouped("seats", "game_id, seat"), grouped("plies", "game_id, ply")
    parts = grouped("parts", "game_id, seat, rowid")
    for game, rows in played.items():
        yield Rows(rows[0], seats.get(game, []), parts.get(game, []), plies.get(game, []))


def _check_game(design: Design, rows: Rows) -> None:
    """Compare one game with its place in the design and with the rules; messages go on after `game 17`."""
    game_id, ruleset, block, rotation, rounds, plies, logged = rows.game
    place = divmod(game_id, design.rotations)
    _same(
        ": ruleset, block and rotation",
        (ruleset, block, rotation),
        (design.rules.name, *place),
        "in the design",
    )
    _same(": logged", logged, design.logged(block), "in the design")
    seated = list(enumerate(design.seated(rotation)))
    _same(": strategies", [(seat, name) for _, seat, name, *_ in rows.seats], seated, "in the design")
    totals = dict.fromkeys(range(len(seated)), 0)
    for _, seat, _, _, points in rows.parts:
        totals[seat] = totals.get(seat, 0) + points
    for _, seat, _, score, _, _ in rows.seats:
        _same(f", seat {seat}: score", score, totals[seat], "as the sum of its parts")
    ranks = [rank for *_, rank, _ in rows.seats]
    shares = [share for *_, share in rows.seats]
    _same(": win shares", shares, win_shares(ranks) if 1 in ranks else None, "by the ranks")
    if not logged:
        _same(": logged plies", len(rows.plies), 0, "in the design")
        return
    _same(": plies", len(rows.plies), plies, "in table games")
    end = _replayed(design, block, rotation, rows.plies)
    _same(": rounds", rounds, rows.plies[-1][2] + 1 if rows.plies else 0, "by its last ply")
    _same(": scores", tuple(score for _, _, _, score, _, _ in rows.seats), end.scores, "by the rules")
    _same(": ranks", tuple(ranks), end.ranks, "by the rules")
    parts = [
        (seat, part.part, part.count, part.points) for seat, all_ in enumerate(end.parts) for part in all_
    ]
    for found, right in zip_longest((row[1:] for row in rows.parts), parts):
        _same(": parts", found, right, "by the rules")


def _replayed(design: Design, block: int, rotation: int, plies: Iterable[tuple[Any, ...]]) -> State:
    """Play the logged actions and return the end; raise Wrong at the first ply that is not as logged."""
    luck, state = luck_of(design, block), games.start(design.rules)
    try:
        settled = [ply.action for ply in begun(design, block, rotation)[1]]
    except GameError as error:
        raise Wrong(f": its plies in the design: {error}") from None
    source = "by the parent game in the design" if design.fork else "by seed and block"
    number = -1
    for number, (_, ply, round_, seat, kind, action, options, score) in enumerate(plies):
        where = f", ply {number}"
        _same(f"{where}: number", ply, number, "in order")
        if state.is_over:
            raise Wrong(f"{where}: the game was over before")
        try:
            after, named = state.play(action), state.ruleset.action(action)
        except GameError as error:
            raise Wrong(f"{where}: {error}") from None
        given = design.is_imported or (design.fork and number < len(settled))
        if state.seat == CHANCE and not given:
            drawn = state.ruleset.action(state.draw(luck)).notation
            _same(f"{where}: outcome", named.notation, drawn, "by seed and block")
        if number < len(settled):
            _same(f"{where}: opening", named.notation, state.ruleset.action(settled[number]).notation, source)
        chance = state.seat == CHANCE
        _same(f"{where}: round", round_, state.round, "by the rules")
        _same(f"{where}: seat", seat, state.seat, "by the rules")
        _same(f"{where}: kind", kind, named.kind, "by the rules")
        _same(f"{where}: options", options, None if chance else len(state.actions), "by the rules")
        _same(f"{where}: score", score, None if chance else after.scores[state.seat], "by the rules")
        state = after
    if not state.is_over:
        raise Wrong(f", ply {number + 1}: the log ends, the game does not")
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
        _same(f"table actions: rows of {name}", len(found), len(wanted), "that occur in plies")
        for row, right in zip(found, wanted, strict=True):
            _same(f"table actions: action {right[1]} of {name}", row[2:], right[2:], "by the rules")


def _check_rollups(connection: duckdb.DuckDBPyConnection) -> None:
    """Check that the roll-ups are what their queries give."""
    for table, query in ROLLUPS.items():
        differences = connection.execute(
            f"SELECT count(*) FROM ((({query}) EXCEPT ALL FROM {table}) UNION ALL "  # noqa: S608 - queries of ours
            f"(FROM {table} EXCEPT ALL ({query})))"
        ).fetchall()[0][0]
        if differences:
            raise Wrong(f"table {table}: {differences} rows differ from what the games give")


def _same(what: str, found: object, right: object, source: str) -> None:
    if found != right:
        raise Wrong(f"{what}: the file has {found}, {source} it is {right}")
