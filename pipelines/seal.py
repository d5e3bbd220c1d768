"""Sealing: finished shards become one immutable run file, in the order of the games, in one step."""

from __future__ import annotations

import json
import os
import platform
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

import duckdb

from engine.game import InvalidError
from pipelines.partial import ROUNDS, SHARD_TABLES, synced
from pipelines.rollups import ROLLUPS
from pipelines.run import LOCAL, SCHEMA, SCHEMA_VERSION, Run, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.ruleset import Ruleset
    from pipelines.design import Design
    from pipelines.partial import Partial

STORAGE: Final = "v1.5.0"
"""The file format: as small as the newest, and clients of DuckDB 1.5 read it too."""

SMALL: Final = 1 << 25
"""Bytes of shards below which the file gets blocks of 32 kB: a run of 3,000 games takes 2.0 MB instead of 5.2, one of
30 games 0.7 instead of 4.2. Above, DuckDB's 256 kB are written twice as fast and cost nothing (10M plies: 62 and 65 MB)."""


def seal(partial: Partial, seconds: float) -> Run:
    """Turn a folder with all its shards into a run file and remove the folder.

    `seconds` is how long the games took. Raises InvalidError if shards are missing or the file exists already.
    """
    missing = set(range(len(partial.design.shards))) - partial.finished
    if missing:
        raise InvalidError(
            f"{partial.name} lacks {len(missing)} shards; finish it with: reroll resume {partial.name}"
        )
    built = partial.folder / "sealed.duckdb"
    if built.exists() and partial.target.exists() and built.samefile(partial.target):
        partial.discard()  # all but this line had been done when the process was killed
        return Run(partial.target)
    for rest in (built, built.with_suffix(".duckdb.wal")):
        rest.unlink(missing_ok=True)
    settings = {
        **LOCAL,
        "threads": "2",
        "memory_limit": "1GB",
        "temp_directory": str(partial.folder / "spill"),
    }
    with duckdb.connect(config=settings) as connection:
        small = sum(path.stat().st_size for path in partial.shards_folder.rglob("*.parquet")) < SMALL
        options = f"STORAGE_VERSION '{STORAGE}', BLOCK_SIZE {1 << (15 if small else 18)}"
        connection.execute(f"ATTACH {quoted(built)} AS built ({options}); USE built")
        connection.execute(SCHEMA)
        _fill(connection, partial)
        _describe(connection, partial, seconds)
        for table, query in ROLLUPS.items():
            source = _rounds_of_shards(partial) if table == "score_by_round" else query
            connection.execute(f"INSERT INTO {table} {source}")
        connection.execute("CHECKPOINT built; USE memory; DETACH built")
    synced(built)
    _publish(built, partial.target)
    synced(partial.target.parent)
    partial.discard()
    return Run(partial.target)


def _fill(connection: duckdb.DuckDBPyConnection, partial: Partial) -> None:
    """Take over the shards in their order, which is that of the games."""
    for table in SHARD_TABLES:
        for number in sorted(partial.finished):
            shard = quoted(partial.shards_folder / f"{number:06}" / f"{table}.parquet")
            connection.execute(f"INSERT INTO {table} FROM read_parquet({shard})")


def _rounds_of_shards(partial: Partial) -> str:
    """Return the query that adds up what the shards know of scores by round; `pipelines.rounds` says why."""
    paths = [
        quoted(partial.shards_folder / f"{number:06}" / f"{ROUNDS}.parquet")
        for number in sorted(partial.finished)
    ]
    return f"""
        SELECT '{partial.design.rules.name}', strategy, round, sum(seats), sum(score), sum(score_squares)
        FROM read_parquet([{", ".join(paths)}])
        GROUP BY ALL ORDER BY ALL"""  # noqa: S608 - names of ours


def _describe(connection: duckdb.DuckDBPyConnection, partial: Partial, seconds: float) -> None:
    """Write the small tables: what was run, by which rules, by whom, and what the actions mean."""
    design, ruleset = partial.design, partial.design.rules
    connection.execute(
        "INSERT INTO run VALUES (?, ?, ?, now() AT TIME ZONE 'UTC', ?, ?, ?, ?, ?, ?)",
        [
            partial.name,
            design.title,
            design.kind,
            design.command,
            design.seed,
            design.model_dump_json(),
            json.dumps(versions(design)),
            design.games,
            round(seconds, 3),
        ],
    )
    connection.execute(
        "INSERT INTO rulesets VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            ruleset.name,
            ruleset.game,
            ruleset.players,
            ruleset.lowest_wins,
            ruleset.title,
            json.dumps(ruleset.provenance),
            design.game.rules_version,
            ruleset.sha256,
            json.dumps(ruleset.document),
        ],
    )
    for player in {player.name: player for player in design.players}.values():
        connection.execute(
            "INSERT INTO strategies VALUES (?, ?, ?, ?)",
            [player.name, ruleset.game, player.strategy.title, json.dumps(dict(player.parameters))],
        )
    rows = list(action_rows(ruleset, connection))
    if rows:
        import pyarrow as pa  # noqa: PLC0415 - slow to load, and a run without plies has no actions

        names = ["ruleset", "action", "kind", "notation", "piece", "die", "cells"]
        described = pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows])
        connection.register("described", described)
        connection.execute("INSERT INTO actions FROM described")
        connection.unregister("described")


def action_rows(ruleset: Ruleset, connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    """Yield the rows that the table `actions` should have, for the plies that are there."""
    numbers = connection.execute(
        "SELECT DISTINCT action FROM plies JOIN games USING (game_id) WHERE ruleset = ? ORDER BY action",
        [ruleset.name],
    ).fetchall()
    for (number,) in numbers:
        action = ruleset.action(number)
        yield ruleset.name, number, action.kind, action.notation, action.piece, action.die, list(action.cells)


def versions(design: Design) -> dict[str, str | int]:
    """Return the versions of everything that had a hand in the games."""
    return {
        "schema": SCHEMA_VERSION,
        "reroll": metadata.version("reroll"),
        "rules": design.game.rules_version,
        "python": platform.python_version(),
        "duckdb": duckdb.__version__,
    }


def _publish(built: Path, target: Path) -> None:
    """Give the file its name, never over another one."""
    try:
        os.link(built, target)
    except FileExistsError:
        raise InvalidError(f"{target} exists already") from None
    except OSError:  # a file system without links
        if target.exists():
            raise InvalidError(f"{target} exists already") from None
        built.rename(target)
