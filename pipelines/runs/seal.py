"""Sealing: the finished shards of an unfinished run become one immutable run file, in the order of the games, with its roll-ups."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import duckdb
import pyarrow as pa

from engine import games
from engine.errors import InvalidError
from engine.wording import format_count
from pipelines.runs import schema
from pipelines.runs.names import duckdb_log_path
from pipelines.runs.run import Run, format_error, quote_path
from pipelines.runs.summary_index import read_file_facts
from pipelines.runs.unfinished_run import UnfinishedRun, make_read_only, sync_to_disk
from pipelines.runs.versions import software_versions

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.strategy import Player
    from pipelines.design.design import Design

STORAGE_VERSION: Final = "v1.5.0"
"""DuckDB file format: files are as small as with the newest format, and DuckDB 1.5 can read them."""

MAX_PARTS: Final = 100
"""Parts of a score at most; the games have no more than 15."""
MAX_ROLLUP_ROWS: Final = 20_000_000
"""Rows of the sums of a shard at most: there are fewer actions, scores and rounds than that."""
MAX_FAILURE_CHARACTERS: Final = 500
PLAY_SHARD_AGAIN: Final = "delete this folder to play its games again"
DAMAGE_ERRORS: Final = (duckdb.ConstraintException, duckdb.ConversionException, duckdb.InvalidInputException)
"""What DuckDB raises for a shard that is torn, or whose values are not those of games."""
SMALL_RUN_BYTES: Final = 1 << 25
"""Below this size of all shards, about, the file gets blocks of 32 kB: 3,000 games take 2.0 MB instead of 5.2, 30 games 0.7
instead of 4.2."""

SMALL_BLOCK_BYTES: Final = 1 << 15
LARGE_BLOCK_BYTES: Final = 1 << 16
"""Blocks of 64 kB are written as fast as DuckDB's default of 256 kB. The columns of a row group fill such large blocks
only in part: 8M plies of bloxx-3p take 5.8 bytes each instead of 6.5, those of spexxx-2p 5.9 instead of 7.5."""

_empty_files: Final[dict[int, bytes]] = {}
"""A file with the empty tables for each size of blocks: the 200 statements of the schema take longer than a short run."""


class Sealing:
    """A run file that is being built in the folder of the unfinished run.

    It is a context manager. Finished shards are inserted in their order. If the file is not completed, the next attempt
    builds it anew. All rows are inserted in one transaction: otherwise DuckDB would write the rows of each shard to its
    log first, and would end a row group with each shard.
    """

    def __init__(self, partial: UnfinishedRun) -> None:
        self._partial = partial
        self._built = sealed_file_path(partial)
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._taken = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection:
            self._connection.close()

    def take_shards(self) -> None:
        """Insert the finished shards, up to the first one that is not finished."""
        finished = self._partial.finished_shards
        while self._taken in finished:
            connection = self._connection or self._create_file()
            folder = self._partial.shards_folder / f"{self._taken:06}"
            try:
                _check_row_counts(connection, self._partial, self._taken)
                for file, table in schema.SHARD_TABLES.items():
                    shard = self._partial.shard_rows_sql(file, [self._taken])
                    connection.execute(f"INSERT INTO {table} FROM {shard}")
            except DAMAGE_ERRORS as error:
                raise InvalidError(
                    f"{folder}: the shard is damaged: {format_error(error)}; {PLAY_SHARD_AGAIN}"
                ) from None
            self._taken += 1

    def finish(self, seconds: Callable[[], float]) -> Run:
        """Insert the remaining shards, move the file to its final name, remove the folder, and return the run.

        `seconds` returns the duration of the whole run. Raises InvalidError if shards are missing, if the file exists, or if
        the games in the shards make no run file.
        """
        self.take_shards()
        partial, missing = self._partial, len(self._partial.design.shards) - self._taken
        if missing or self._connection is None:
            raise InvalidError(
                f"{partial.name} lacks {format_count(missing, 'shard')}; finish it with: reroll resume {partial.name}"
            )
        _write_dimension_tables(self._connection, partial)
        for table, query in _shard_rollup_queries(partial).items():
            self._connection.execute(f"INSERT INTO built.{table} {query}")
        _write_run_row(self._connection, partial, seconds())
        self._connection.execute("COMMIT; CHECKPOINT built; USE memory")
        # shards may come from strangers: a run that nobody could read must not take the name
        facts = read_file_facts(self._connection, "built", self._built, self._built.stat().st_size)
        self._connection.execute("DETACH built")
        make_read_only(self._built)
        sync_to_disk(self._built)
        _publish_file(self._built, partial.target)
        sync_to_disk(partial.target.parent)
        partial.discard()
        return Run.of_new_file(partial.target, facts)

    def _create_file(self) -> duckdb.DuckDBPyConnection:
        """Create the file with its empty tables."""
        for leftover in (self._built, duckdb_log_path(self._built)):
            leftover.unlink(missing_ok=True)
        settings = {
            **schema.OFFLINE_SETTINGS,
            "threads": "1",  # several would insert every shard as row groups of its own, which are half empty
            "memory_limit": "200MB",  # enough for any number of games: DuckDB spills the rest to the disk
            "temp_directory": str(self._partial.folder / "spill"),
        }
        connection = self._connection = duckdb.connect(config=settings)
        first = sum(path.stat().st_size for path in (self._partial.shards_folder / f"{0:06}").iterdir())
        is_small = first * len(self._partial.design.shards) < SMALL_RUN_BYTES
        block = SMALL_BLOCK_BYTES if is_small else LARGE_BLOCK_BYTES
        attach = (
            f"ATTACH {quote_path(self._built)} AS built "
            f"(STORAGE_VERSION '{STORAGE_VERSION}', BLOCK_SIZE {block}, RECOVERY_MODE no_wal_writes); USE built"
        )
        if block in _empty_files:
            self._built.write_bytes(_empty_files[block])
        else:
            connection.execute(attach)
            connection.execute(schema.SCHEMA)
            connection.execute("CHECKPOINT built; USE memory; DETACH built")
            _empty_files[block] = self._built.read_bytes()
        connection.execute(attach)
        return connection.execute("BEGIN")


def _check_row_counts(connection: duckdb.DuckDBPyConnection, partial: UnfinishedRun, number: int) -> None:
    """Raise InvalidError if a shard has too few or too many rows for its games. Shards may come from strangers."""
    design = partial.design

    def count(file: str, expression: str = "count(*)") -> int:
        rows = connection.execute(
            f"SELECT {expression} FROM {partial.shard_rows_sql(file, [number])}"
        ).fetchall()
        return int(rows[0][0] or 0)

    games = len(design.shards[number]) * design.rotations
    seats = games * design.rules.players
    for file, minimum, maximum in (
        ("games", games, games),
        ("seats", seats, seats),
        ("parts", 0, seats * MAX_PARTS),
        ("plies", 0, count("games", "sum(plies) FILTER (logged)")),
        ("rollups", 0, MAX_ROLLUP_ROWS),
    ):
        rows = count(file)
        if not minimum <= rows <= maximum:
            folder = partial.shards_folder / f"{number:06}"
            raise InvalidError(
                f"{folder}: the shard has {rows:,} rows of {file}; expected {minimum:,} to {maximum:,}; "
                f"{PLAY_SHARD_AGAIN}"
            )


def sealed_file_path(partial: UnfinishedRun) -> Path:
    """Return the path at which the run file is built."""
    return partial.folder / "sealed.duckdb"


def find_sealed_run(partial: UnfinishedRun) -> Run | None:
    """Return the run if a process was killed after the file got its final name and before the folder was removed."""
    built = sealed_file_path(partial)
    if built.exists() and partial.target.exists() and built.samefile(partial.target):
        partial.discard()
        return Run(partial.target)
    return None


def _shard_rollup_queries(partial: UnfinishedRun) -> dict[str, str]:
    """Return queries that add up what each shard contributes (see `pipelines.simulate.shard_tables`)."""
    name = partial.design.rules.name.replace("'", "''")
    parts = partial.shard_rollup_sql("part_counts")
    return {
        "score_histogram": f"""
            SELECT '{name}', strategy, seat, score, sum(games)
            FROM {partial.shard_rollup_sql("score_counts")} GROUP BY ALL ORDER BY ALL""",
        "block_scores": f"""
            SELECT '{name}', strategy, seats, sum(blocks), sum(score * blocks), sum(score::HUGEINT * score * blocks)
            FROM {partial.shard_rollup_sql("block_counts")} GROUP BY ALL ORDER BY ALL""",
        "part_totals": f"""
            SELECT
              '{name}', strategy, seat, part, sum(seats), sum(count * seats), sum(count * count::HUGEINT * seats),
              sum(points * seats), sum(points * points::HUGEINT * seats)
            FROM {parts} GROUP BY ALL ORDER BY ALL""",
        "part_histogram": f"""
            SELECT '{name}', strategy, part, points, sum(seats) FROM {parts} GROUP BY ALL ORDER BY ALL""",
        "game_lengths": f"""
            SELECT '{name}', rounds, plies, sum(games)
            FROM {partial.shard_rollup_sql("length_counts")} GROUP BY ALL ORDER BY ALL""",
        "score_by_round": f"""
            SELECT '{name}', strategy, round, sum(n), sum(score_sum), sum(score_square_sum)
            FROM {partial.shard_rollup_sql("rounds")}
            GROUP BY ALL ORDER BY ALL""",
        "squares": f"""
            SELECT ruleset, strategy, kind, piece, cell, sum(plies) AS plies
            FROM (
              SELECT strategy, action, sum(plies) AS plies
              FROM {partial.shard_rollup_sql("actions")} WHERE strategy IS NOT NULL
              GROUP BY ALL)
            JOIN actions USING (action), unnest(cells) AS covered(cell)
            GROUP BY ALL ORDER BY ALL""",
    }


def _write_run_row(connection: duckdb.DuckDBPyConnection, partial: UnfinishedRun, seconds: float) -> None:
    """Write the row of the table `run`."""
    design = partial.design
    connection.execute(
        "INSERT INTO run VALUES (?, ?, ?, ?, now() AT TIME ZONE 'UTC', ?, ?, ?, ?, ?, ?)",
        [
            partial.name,
            schema.RUN_FORMAT,
            design.title,
            design.kind,
            design.command,
            design.seed,
            design.run_document,
            json.dumps(software_versions(design)),
            design.games,
            round(seconds, 3),
        ],
    )


def _write_dimension_tables(connection: duckdb.DuckDBPyConnection, partial: UnfinishedRun) -> None:
    """Write the tables `rulesets`, `pieces`, `strategies`, `decision_times` and `actions`, and the view `plies`."""
    design, ruleset = partial.design, partial.design.rules
    connection.execute(
        "INSERT INTO rulesets VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            ruleset.name,
            ruleset.game,
            ruleset.players,
            ruleset.lowest_wins,
            *ruleset.board_size,
            list(games.start_state(ruleset).scores),
            ruleset.title,
            json.dumps(ruleset.provenance),
            design.game.rules_version,
            ruleset.sha256,
            json.dumps(ruleset.document),
        ],
    )
    for piece, area in ruleset.piece_areas.items():
        connection.execute("INSERT INTO pieces VALUES (?, ?, ?)", [ruleset.name, piece, area])
    programs = _write_decision_times(connection, partial)
    for label, notation, title, parameters in _strategy_rows(design):
        connection.execute(
            "INSERT INTO strategies VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                label,
                notation,
                notation.partition(":")[0],
                ruleset.game,
                title,
                json.dumps(parameters),
                programs.get(label),
            ],
        )
    numbers = connection.execute(
        f"SELECT DISTINCT action FROM {partial.shard_rollup_sql('actions')} ORDER BY ALL"
    ).fetchall()
    rows = list(action_rows(ruleset, [number for (number,) in numbers]))
    spans = schema.kind_spans((number, kind) for _, number, kind, *_ in rows)
    connection.execute(f"CREATE OR REPLACE VIEW plies AS\n{schema.plies_query(spans)}")
    connection.execute(schema.comment_statements("plies"))  # replacing the view removed its comments
    if rows:
        columns = zip(*rows, strict=True)
        described = pa.table(dict(zip(schema.schema_columns()["actions"], columns, strict=True)))
        connection.register("described", described)
        connection.execute("INSERT INTO actions FROM described")
        connection.unregister("described")


def _write_decision_times(connection: duckdb.DuckDBPyConnection, partial: UnfinishedRun) -> dict[str, str]:
    """Write the table `decision_times`; return what the programs among the strategies call themselves, and their failures."""
    if partial.design.has_finished_games or not partial.design.has_own_strategies:
        return {}
    times = partial.shard_rows_sql("decisions")
    connection.execute(
        f"INSERT INTO decision_times SELECT strategy, seat, sum(decisions), sum(seconds) FROM {times} "
        "GROUP BY ALL ORDER BY ALL"
    )
    # a run that was interrupted may have been finished with another version of the program
    programs = dict(
        connection.execute(
            f"SELECT strategy, string_agg(DISTINCT program, ', ' ORDER BY program) FROM {times} "
            "WHERE program IS NOT NULL GROUP BY strategy"
        ).fetchall()
    )
    if with_failures := [
        number
        for number in sorted(partial.finished_shards)
        if (partial.shards_folder / f"{number:06}" / "failures.parquet").exists()
    ]:
        failures = connection.execute(
            f"SELECT strategy, count(DISTINCT game_id), arg_min(left(failure, {MAX_FAILURE_CHARACTERS}), game_id) "
            f"FROM {partial.shard_rows_sql('failures', with_failures)} GROUP BY strategy"
        ).fetchall()
        for strategy, games, first in failures:
            words = f"{schema.PROGRAM_FAILED} {format_count(games, 'game')}, which random moves finished, first in {first}"
            programs[strategy] = "; ".join(filter(None, (programs.get(strategy), words)))
    return programs


def _strategy_rows(design: Design) -> Iterator[tuple[str, str, str, dict[str, object]]]:
    """Yield label, notation, title and parameters of every strategy."""
    for label, notation, title, player in design.describe_lineup():
        yield label, notation, title, _player_parameters(player) if player else {}


def _player_parameters(player: Player) -> dict[str, object]:
    """Return the parameters of a player. The key `from`, which no parameter has, describes code that is not built in."""
    code = player.strategy.code
    return {**player.texts, **player.parameters, **({"from": asdict(code)} if code else {})}


def action_rows(ruleset: Ruleset, numbers: Iterable[int]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the table `actions` for these numbers, in this order."""
    for number in numbers:
        action = ruleset.action(number)
        yield (
            ruleset.name,
            number,
            action.kind,
            action.notation,
            action.piece,
            action.die,
            list(action.dice),
            list(action.cells),
        )


def _publish_file(built: Path, target: Path) -> None:
    """Move the file to its final name; raise InvalidError if a file of this name exists."""
    try:
        os.link(built, target)
    except FileExistsError:
        raise InvalidError(f"{target} exists already") from None
    except OSError:  # a file system without hard links
        if target.exists():
            raise InvalidError(f"{target} exists already") from None
        built.rename(target)
