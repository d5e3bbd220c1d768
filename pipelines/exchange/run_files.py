"""Runs as folders: one file for each table, and the RO-Crate, described for archives and researchers.

The description follows RO-Crate 1.2 (https://w3id.org/ro/crate/1.2): `ro-crate-metadata.json` is JSON-LD that names every
file, the software and the command that made them. It names no authors and no licence: the publisher of the crate adds both.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import tomli_w

from engine.errors import unknown_name_error
from pipelines.design.titles import format_ruleset_for
from pipelines.report.wording import format_count
from pipelines.runs.names import run_name_from_text
from pipelines.runs.schema import DocumentedTable, run_file_tables
from pipelines.runs.tables import iter_table_batches
from pipelines.runs.versions import STRATEGIES_KEY

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.run import Run

CRATE_FORMAT: Final = "ro-crate"
METADATA_FILE: Final = "ro-crate-metadata.json"
CRATE_SPECIFICATION: Final = "https://w3id.org/ro/crate/1.2"
TABLES_FOLDER: Final = "tables"
RULESETS_FOLDER: Final = "rulesets"
_TABLE_SUFFIX: Final = "parquet"
_LICENSE_ID: Final = "#licence-of-the-data"
_SOFTWARE_ID: Final = "#reroll"
_MEDIA_TYPES: Final = {
    ".duckdb": "application/octet-stream",
    ".parquet": "application/vnd.apache.parquet",
    ".toml": "application/toml",
}

Entity = dict[str, Any]
"""An object of the graph, with `@id` and `@type`."""


def write_crate(run: Run, folder: Path) -> None:
    """Write a run into an empty folder; raise InvalidError if the file is not a run file or is damaged."""
    run_file = folder / run.path.name
    shutil.copyfile(run.path, run_file)
    (folder / TABLES_FOLDER).mkdir()
    write_tables(run, folder / TABLES_FOLDER, _TABLE_SUFFIX)
    (folder / RULESETS_FOLDER).mkdir()
    rulesets = []
    for name, ruleset in run.rulesets.items():
        file = folder / RULESETS_FOLDER / f"{run_name_from_text(name, 'ruleset')}.toml"
        file.write_text(_format_ruleset(ruleset), encoding="utf-8", newline="\n")
        rulesets.append(_describe_file(folder, file, f"The ruleset {name}", _describe_ruleset(ruleset)))
    about_run = (
        f"All games of the run, with their plies if these were logged. A database of DuckDB; the table `run` says how it "
        f"was made ({format_count(run.summary.games, 'game')})."
    )
    files = [
        _describe_file(folder, run_file, f"The run {run.name}", about_run),
        *_describe_tables(folder),
        *rulesets,
    ]
    document = {
        "@context": f"{CRATE_SPECIFICATION}/context",
        "@graph": [*_describe_crate(run, files), *files, *_describe_making(run, files, rulesets)],
    }
    text = json.dumps(document, indent=2, ensure_ascii=False)
    (folder / METADATA_FILE).write_text(f"{text}\n", encoding="utf-8", newline="\n")


def _format_ruleset(ruleset: Ruleset) -> str:
    """Return a ruleset as a TOML file, which defines the ruleset that has the name of the file."""
    document = {key: value for key, value in ruleset.document.items() if key != "name"}
    return tomli_w.dumps(document)


def _describe_ruleset(ruleset: Ruleset) -> str:
    return (
        f"{format_ruleset_for(ruleset)}, as TOML for the folder `rulesets` of a library. SHA-256 of its "
        f"content in canonical JSON: {ruleset.sha256}"
    )


def _describe_tables(folder: Path) -> list[Entity]:
    about = {table.name: table.about for table in run_file_tables() if table.name in EXPORTED_TABLES}
    about[COLUMNS_FILE] = "Every column of the other tables, with its type and what it holds."
    return [
        _describe_file(
            folder, folder / TABLES_FOLDER / f"{name}.{_TABLE_SUFFIX}", f"The table {name}", about[name]
        )
        for name in (*EXPORTED_TABLES, COLUMNS_FILE)
    ]


def _describe_file(folder: Path, file: Path, name: str, about: str) -> Entity:
    return {
        "@id": quote(file.relative_to(folder).as_posix()),
        "@type": "File",
        "name": name,
        "description": about,
        "contentSize": str(file.stat().st_size),
        "encodingFormat": _MEDIA_TYPES[file.suffix],
    }


def _describe_crate(run: Run, files: Iterable[Entity]) -> list[Entity]:
    """Return the description of the crate itself, and the entities that it refers to."""
    summary = run.summary
    return [
        {
            "@id": METADATA_FILE,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": CRATE_SPECIFICATION},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": summary.title,
            "description": f"{format_count(summary.games, 'game')} of {', '.join(ruleset.name for ruleset in summary.rulesets)}, played by "
            f"{', '.join(summary.strategies)} in Reroll, a laboratory for tabletop games.",
            "dateCreated": f"{summary.created_at:%Y-%m-%dT%H:%M:%S}Z",
            "datePublished": f"{datetime.now(tz=UTC):%Y-%m-%d}",
            "license": {"@id": _LICENSE_ID},
            "hasPart": _references(files),
            "mentions": {"@id": "#simulation"},
        },
        {
            "@id": _LICENSE_ID,
            "@type": "CreativeWork",
            "name": "No licence is chosen yet",
            "description": "Whoever publishes this crate chooses the licence of the data and names it here, and the authors. "
            "Reroll itself is under the MIT licence.",
        },
    ]


def _describe_making(run: Run, files: Iterable[Entity], rulesets: Iterable[Entity]) -> list[Entity]:
    """Return how the files came to be: the software and the command."""
    summary = run.summary
    versions = run.versions
    strategies = versions.get(STRATEGIES_KEY)
    played = versions | strategies if isinstance(strategies, dict) else versions
    rest = ", ".join(
        f"{name} {version}" for name, version in played.items() if name not in {"reroll", STRATEGIES_KEY}
    )
    ruleset_ids = {ruleset["@id"] for ruleset in rulesets}
    return [
        {
            "@id": "#simulation",
            "@type": "CreateAction",
            "name": f"How the games came to be: {summary.kind}",
            "description": f"{summary.command} (seed {summary.seed})",
            "instrument": {"@id": _SOFTWARE_ID},
            "object": [{"@id": ruleset_id} for ruleset_id in sorted(ruleset_ids)],
            "result": _references(file for file in files if file["@id"] not in ruleset_ids),
            "endTime": f"{summary.created_at:%Y-%m-%dT%H:%M:%S}Z",
        },
        {
            "@id": _SOFTWARE_ID,
            "@type": "SoftwareApplication",
            "name": "Reroll",
            "softwareVersion": str(versions.get("reroll", metadata.version("reroll"))),
            "description": f"The games were played with {rest}."
            if rest
            else "A laboratory for tabletop games.",
            "license": {"@id": "https://spdx.org/licenses/MIT"},
        },
        {"@id": "https://spdx.org/licenses/MIT", "@type": "CreativeWork", "name": "MIT License"},
    ]


def _references(entities: Iterable[Entity]) -> list[dict[str, str]]:
    return [{"@id": entity["@id"]} for entity in entities]


TABLE_FORMATS: Final = ("parquet", "csv")
EXPORTED_TABLES: Final = (
    "run",
    "rulesets",
    "pieces",
    "strategies",
    "decision_times",
    "games",
    "seats",
    "parts",
    "plies",
    "actions",
    "log",
)
"""The tables with the data of the run; the other tables are sums over these."""
COLUMNS_FILE: Final = "columns"
"""The file that describes every column of the other files."""
_COLUMNS_SCHEMA: Final = pa.schema([(name, pa.string()) for name in ("table", "column", "type", "comment")])


def write_tables(run: Run, folder: Path, chosen: str) -> None:
    """Write the tables of a run into a folder, and the comments on their columns; raise InvalidError for an unknown format.

    The rows have the order of the run file. They are written in batches, so a large run takes no more memory than a
    small one. A Parquet file has the comments in its metadata too, under the keys `comment` and `column_comments`.
    """
    if chosen not in TABLE_FORMATS:
        raise unknown_name_error("format of tables", chosen, TABLE_FORMATS)
    documented = {table.name: table for table in run_file_tables() if table.name in EXPORTED_TABLES}
    with run.open_tables() as connection:
        for table in EXPORTED_TABLES:
            batches = iter_table_batches(connection, table, run.summary.games, as_text=chosen == "csv")
            _write_table(batches, folder / f"{table}.{chosen}", documented[table], chosen)
    rows = [
        {"table": name, "column": column.name, "type": column.type, "comment": column.about}
        for name in EXPORTED_TABLES
        for column in documented[name].columns
    ]
    described = pa.Table.from_pylist(rows, _COLUMNS_SCHEMA)
    if chosen == "csv":
        pa_csv.write_csv(described, folder / f"{COLUMNS_FILE}.csv")
    else:
        pq.write_table(described, folder / f"{COLUMNS_FILE}.parquet")


def _write_table(
    batches: Iterator[pa.RecordBatchReader], path: Path, documented: DocumentedTable, chosen: str
) -> None:
    first = next(batches)
    comments = {
        "comment": documented.about,
        "column_comments": json.dumps({column.name: column.about for column in documented.columns}),
    }
    schema = first.schema.with_metadata(comments)
    writer = (
        pa_csv.CSVWriter(path, schema)
        if chosen == "csv"
        else pq.ParquetWriter(path, schema, compression="zstd")
    )
    with writer:
        for reader in chain((first,), batches):
            for batch in reader:
                writer.write(batch.replace_schema_metadata(comments))
