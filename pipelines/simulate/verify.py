"""Verify a run file: compare every table with the design and the rules, replay logged games, play the others again.

Own strategies decide once more at every ply that they played, if a person asks for it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from importlib import metadata
from itertools import chain
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine import games
from engine.errors import GameError
from engine.play import Ply
from engine.wording import format_count, player_label
from pipelines.design.design import MAX_RUN_SHARDS, Design
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies
from pipelines.runs.schema import SHARD_TABLES, find_foreign_table
from pipelines.runs.seal import action_rows
from pipelines.runs.unfinished_run import UnfinishedRun, begin_run
from pipelines.runs.versions import describe_other_strategies
from pipelines.simulate import compiled_games
from pipelines.simulate.checked_players import decide_checked
from pipelines.simulate.compiled_games import begin_game
from pipelines.simulate.errors import PlayError, VerificationFailed
from pipelines.simulate.shards import blocks_per_shard
from pipelines.simulate.simulate import ProgressClock, WorkerSettings, play_shards
from pipelines.simulate.verify_games import check_equal, find_first_fault
from pipelines.simulate.workers import open_worker_pool, usable_cpus

if TYPE_CHECKING:
    from engine.strategy import Player
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
    limit: int | None = None,
    seconds: float | None = None,
    own_strategies: OwnStrategies = BUILT_IN_ONLY,
) -> CheckedGames:
    """Check a run file completely. Raises VerificationFailed at the first value that contradicts the design or the rules.

    Logged games are replayed by the rules. If the run has games that are not logged, all its games are played again from
    the seed. With `limit`, only about that many games are replayed and played again, spread evenly; with `seconds`, games
    are played again only until `seconds` seconds have passed; everything else is still checked in full. `own_strategies` are the own
    strategies that a person has allowed. Raises InvalidError if the file is not a run file, or if its code is not that of
    `own_strategies`, and PlayError if a strategy fails.
    """
    try:
        return _check_run(run, workers or usable_cpus(), progress, limit, seconds, own_strategies)
    except duckdb.Error as error:
        raise VerificationFailed(f"the file is damaged: {str(error).splitlines()[0]}") from None


def _check_run(  # noqa: PLR0913, PLR0917 - as above
    run: Run,
    workers: int,
    progress: ProgressCallback | None,
    limit: int | None,
    seconds: float | None,
    own_strategies: OwnStrategies,
) -> CheckedGames:
    with run.connect() as connection:
        try:
            design = _read_checked_design(run, connection)
            _check_rules(run, design, connection)
        except GameError as error:
            raise VerificationFailed(str(error)) from None
        _check_counts(design, connection)
        if fault := find_foreign_table(connection, "file"):
            raise VerificationFailed(fault)
    spans = game_batches(design.games, limit)
    logged = [[game for game in span if design.is_logged(game // design.rotations)] for span in spans]
    replayed = sum(map(len, logged))
    unlogged = sum(map(len, spans)) - replayed
    obstacle = find_obstacle(design, own_strategies) if unlogged else None
    # comparing a game with a new one is the better check, unless the time ends before
    are_all_compared = unlogged and not obstacle and seconds is None
    _check_game_rows(
        run, design, list(filter(None, logged)) if are_all_compared else spans, workers, progress
    )
    again = 0
    if unlogged and not obstacle:
        again = compare_with_new_games(
            run,
            design,
            workers=workers,
            own_strategies=own_strategies,
            progress=progress,
            limit=limit,
            seconds=seconds,
        )
    with run.connect() as connection:
        _check_actions(run, connection)
        _check_rollups(connection)
    return CheckedGames(
        games=design.games,
        replayed=replayed,
        played_again=again,
        unchecked=unlogged if obstacle else 0,
        obstacle=obstacle,
    )


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


def game_batches(games: int, limit: int | None) -> list[range]:
    """Return the games to check, in batches: all games, or about `limit` of them, spread evenly.

    >>> game_batches(250, None), game_batches(1000, 30)
    ([range(0, 100), range(100, 200), range(200, 250)], [range(0, 10), range(495, 505), range(990, 1000)])
    """
    if limit is None or limit >= games:
        return [
            range(first, min(first + GAMES_PER_BATCH, games)) for first in range(0, games, GAMES_PER_BATCH)
        ]
    size = min(SAMPLED_GAMES_PER_BATCH, limit)
    batches = max(2, limit // size)
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
SAMPLED_GAMES_PER_SHARD: Final = 10
"""Games of a shard when only a sample is played again. Small shards spread the sample over the run."""
COMPARED_COLUMNS: Final = {
    "games": "game_id, ruleset, block, rotation, rounds, plies, logged",
    "seats": "game_id, seat, strategy, score, rank, win_share",
    "parts": "game_id, seat, part, count, points",
    "plies": "game_id, ply, action",
}
"""The columns of each file of a shard that must be the same in the run file. All others of `plies` follow from the rules."""


def find_obstacle(design: Design, own_strategies: OwnStrategies) -> str | None:
    """Return why the games of a design cannot be played again here, in words that follow "because"; None if they can be."""
    if design.has_finished_games:
        return "they were not played by Reroll"
    if design.has_programs:
        return "a program may decide otherwise each time"
    if design.has_own_strategies and own_strategies == BUILT_IN_ONLY:
        return "not all strategies are built in"
    return None


def compare_with_new_games(  # noqa: PLR0913 - the limits of the check, passed by name
    run: Run,
    design: Design,
    *,
    workers: int,
    own_strategies: OwnStrategies,
    progress: ProgressCallback | None,
    limit: int | None,
    seconds: float | None,
) -> int:
    """Play the games of a run again and compare every result; return the number of games that were compared.

    With `limit`, about `limit` games are played, spread evenly; with `seconds`, they are played for at most `seconds` seconds.
    Raises VerificationFailed at the first game whose result differs, and what `play_shards` raises.
    """
    design = design.with_own_strategies(own_strategies, run.name)
    end = None if seconds is None else time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="reroll-verify-", ignore_cleanup_errors=True) as folder:
        shard_blocks = _blocks_of_sample(design) if limit or end else blocks_per_shard(design)
        design = design.model_copy(update={"shard_blocks": shard_blocks})
        partial = begin_run(Path(folder) / "again.duckdb", design, free_name=False)
        todo = _spread_shards(design, limit)
        clock = ProgressClock(
            sum(len(design.shards[number]) for number in todo) * design.rotations, 0, progress
        )
        compared, waiting = 0, todo.copy()
        with (
            partial.claim(),
            compiled_games.compile_in_background(design),
            run.connect() as connection,
            closing(play_shards(partial, todo, WorkerSettings(workers, None))) as game_counts,
        ):
            for games in game_counts:
                # in order, so that the first game that differs is reported
                while waiting and waiting[0] in partial.finished_shards:
                    try:
                        compared += _compare_shard(partial, connection, waiting.pop(0))
                    except VerificationFailed as fault:
                        raise VerificationFailed(f"{fault}{_describe_other_version(run)}") from None
                clock.advance(games)
                if end is not None and time.monotonic() > end:
                    break
        return compared


def _describe_other_version(run: Run) -> str:
    """Return what may explain a difference: other strategies or another Reroll made the run. Return nothing if it was this one."""
    if others := describe_other_strategies(run.versions, run.design):
        return f" (other versions of its strategies played: {others})"
    other_version, this_version = run.versions.get("reroll"), metadata.version("reroll")
    if other_version == this_version:
        return ""
    return f" (Reroll {other_version!s:.20} made the run; the strategies of this one, {this_version}, may decide otherwise)"


def _blocks_of_sample(design: Design) -> int:
    """Return the number of blocks of a small shard."""
    return max(1, SAMPLED_GAMES_PER_SHARD // design.rotations, ceil(design.blocks / MAX_RUN_SHARDS))


def _spread_shards(design: Design, limit: int | None) -> list[int]:
    """Return the numbers of all shards, or of shards that have about `limit` games together, spread evenly."""
    last = len(design.shards) - 1
    if limit is None or limit >= design.games or not last:
        return list(range(last + 1))
    shards = min(last + 1, max(2, limit // (len(design.shards[0]) * design.rotations)))
    return sorted({number * last // (shards - 1) for number in range(shards)})


def _compare_shard(partial: UnfinishedRun, connection: duckdb.DuckDBPyConnection, number: int) -> int:
    """Compare the games of a finished shard with those of a run file, remove the shard, and return the number of games."""
    design, folder = partial.design, partial.shards_folder / f"{number:06}"
    blocks = design.shards[number]
    span = [design.game_id(blocks.start, 0), design.game_id(blocks.stop, 0)]
    for file, columns in COMPARED_COLUMNS.items():
        again = pq.read_table(folder / f"{file}.parquet", columns=columns.split(", "))
        order = "game_id, rowid" if file == "parts" else columns
        in_file = connection.sql(
            f"SELECT {columns} FROM file.main.{SHARD_TABLES[file]} "  # noqa: S608 - constant names
            f"WHERE game_id >= ? AND game_id < ? ORDER BY {order}",
            params=span,
        ).to_arrow_table()
        _compare_tables(file, in_file, again)
    shutil.rmtree(folder)
    return span[1] - span[0]


def _compare_tables(table: str, in_file: pa.Table, again: pa.Table) -> None:
    """Raise VerificationFailed at the first row of the two tables that differs; both are ordered by game."""
    rows = min(len(in_file), len(again))
    first = rows
    for column in again.column_names:
        kind = pa.string() if pa.types.is_dictionary(again[column].type) else again[column].type
        same = pc.equal(in_file[column][:first].cast(kind), again[column][:first].cast(kind))
        place = pc.index(same.fill_null(fill_value=False), value=False).as_py()
        first = first if place < 0 else place
    if first == rows and len(in_file) == len(again):
        return
    in_file_rows, played = (other.slice(first, 1).to_pylist() for other in (in_file, again))
    row = (played or in_file_rows)[0]
    where = f"game {row['game_id'] + 1}"
    where += (
        f", player {row['seat'] + 1}" if "seat" in row else f", move {row['ply'] + 1}" if "ply" in row else ""
    )
    if not in_file_rows or not played:
        raise VerificationFailed(
            f"{where}: table {table} has {'too few' if not in_file_rows else 'too many'} rows"
        )
    for column, value in row.items():
        name = f"{row['part']} {column}" if table == "parts" else column
        check_equal(f"{where}: {name}", in_file_rows[0][column], value, "played again from the seed")


def find_decision_fault(run: Run, own_strategies: OwnStrategies, *, limit: int | None = None) -> str | None:
    """Return the first ply of a run at which an own strategy chooses another action now, or None.

    With `limit`, about that many games are checked, as in `verify_run`. Only strategies of files and packages that a person has allowed decide. Raises InvalidError if a strategy is missing or
    its code is not that of the run.
    """
    design = run.design
    programs = {program.name for program in design.game.programs}
    lineup = [text for text in design.strategies if text.partition(":")[0] not in programs]
    own_strategies.check_lineup(design.game, lineup, design.code, run.name)
    players = {text: own_strategies.parse_player(design.game, text) for text in lineup}
    for game in chain.from_iterable(game_batches(design.games, limit)):
        if not design.is_logged(game // design.rotations):
            continue
        fault = _find_fault_of_game(run, design, game, players, own_strategies.decision_seconds)
        if fault:
            return f"game {game + 1}, {fault}"
    return None


def _find_fault_of_game(
    run: Run, design: Design, game: int, players: dict[str, Player], seconds: float
) -> str | None:
    block, rotation = divmod(game, design.rotations)
    actions, seated = run.actions(game), design.strategies_by_seat(rotation)
    luck = design.luck_of_block(block)
    state, plies = begin_game(design, block, rotation)
    first = len(plies)
    if (
        not design.counts_parent_decisions
    ):  # the decisions of a simulated game are counted from where it began to be played
        plies = []
    for number, action in enumerate(actions[first:], first):
        player = players.get(seated[state.seat]) if state.seat >= 0 else None
        if player and player.strategy.code:
            where = f"move {number + 1}: {player_label(player.name)} of {player.strategy.code.file}"
            try:
                chosen = decide_checked(player, state, plies, luck, seconds)
            except PlayError as error:
                return f"{where}: {error}"
            if chosen != action:
                notation, in_file = (design.rules.action(choice).notation for choice in (chosen, action))
                return f"{where} chooses {notation}, the file has {in_file}"
        plies.append(Ply(state.round, state.seat, action, None, None))
        state = state.play(action)
    return None
