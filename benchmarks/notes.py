"""Measure searches in many notes, and processes that write notes at once.

`python -m benchmarks.notes` takes about a minute; `--folder` names a folder of the disk to measure. The parts:

* search: 10,000 notes are searched by words, by a collection, and without a filter.
* writers: processes add notes at once. Each note that a process has confirmed must be there at the end.
* DuckDB: the same with a DuckDB file, which one process at a time can open. So each process opens and closes the file for
  each note, and tries again if another process has it.

The exit code is 1 if a confirmed note is lost.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import uuid4

import duckdb

from pipelines.notes.note import Note, NoteContent, NotePlace
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.records.record_file import processor_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.pool import Pool

WORDS: Final = [
    f"{start}{end}"
    for start in ("cor", "die", "ga", "mo", "pla", "ro", "squa", "tur")
    for end in ("ner", "ning", "ther", "ve", "ler", "red", "st", "ck")
]
COLLECTIONS: Final = [f"lesson {number}" for number in range(50)]
SEARCHES: Final = {
    "one word": NoteFilter(words="corner"),
    "three words": NoteFilter(words="corner planing rother"),
    "a word that no note has": NoteFilter(words="nowhere"),
    "a collection": NoteFilter(collection="lesson 3"),
    "a word and a collection": NoteFilter(words="corner", collection="lesson 3"),
    "no filter": NoteFilter(),
}
PLACE: Final = NotePlace("game", "replay", {"run": ["demo"], "game": ["3"]}, "key-of-demo")
DUCKDB_FILE: Final = "notes.duckdb"
DUCKDB_SCHEMA: Final = "CREATE TABLE notes (id UUID PRIMARY KEY, title TEXT, changed TIMESTAMP)"
SEED: Final = 7


class Written(NamedTuple):
    """What one process has written."""

    titles: list[str]
    """Of the notes that are confirmed."""
    milliseconds: list[float]
    """How long each of them took."""


def iter_notes(count: int) -> Iterator[Note]:
    """Yield notes with about 60 words and a collection each; equal counts give equal texts."""
    luck, start = random.Random(SEED), datetime(2026, 1, 1)  # noqa: S311, DTZ001 - no secrets; notes have naive UTC
    for number in range(count):
        when = start + timedelta(minutes=number)
        yield Note(
            note_id=uuid4().hex,
            kind="game",
            page="replay",
            address={"run": ["demo"], "game": [str(number)]},
            run_key=f"key-{number % 100}",
            title=" ".join(luck.choices(WORDS, k=4)),
            text=" ".join(luck.choices(WORDS, k=luck.randint(10, 110))),
            collections=(luck.choice(COLLECTIONS),),
            is_favourite=luck.random() < 0.1,
            created_at=when,
            changed_at=when,
            version=1,
        )


def measure_searches(folder: Path, notes: int, repetitions: int) -> Iterator[str]:
    """Yield one line for each search with the median and the longest processor time."""
    store = NoteStore(folder)
    store.merge(iter_notes(notes))
    yield f"search in {notes:,} notes, {store.path.stat().st_size / 1e6:.1f} MB, processor time of {repetitions} searches:"
    for name, wanted in SEARCHES.items():
        taken = []
        for _ in range(repetitions):
            start = time.process_time()
            total = store.search(wanted).total
            taken.append((1000 * (time.process_time() - start), total))
        times = [milliseconds for milliseconds, _ in taken]
        yield f"  {name}: {taken[0][1]:,} found, median {median(times):.0f} ms, most {max(times):.0f} ms"


def add_notes(folder: Path, writer: int, seconds: float) -> Written:
    """Add notes for a time, in a process of its own."""
    store = NoteStore(folder)
    return _write_for(seconds, writer, lambda title: store.add(PLACE, NoteContent(title)))


def add_duckdb_notes(folder: Path, writer: int, seconds: float) -> Written:
    """Do the same with a DuckDB file."""

    def add(title: str) -> None:
        while try_duckdb_note(folder, title):
            time.sleep(0.001)

    return _write_for(seconds, writer, add)


def try_duckdb_note(folder: Path, title: str) -> str:
    """Add a note to a DuckDB file; return an error if another process has the file, else an empty text."""
    try:
        with duckdb.connect(folder / DUCKDB_FILE) as connection:
            connection.execute("INSERT INTO notes VALUES (uuid(), $1, now()::TIMESTAMP)", [title])
    except duckdb.IOException as error:
        return str(error).splitlines()[0]
    return ""


def read_duckdb_refusal(folder: Path) -> str:
    """Return what DuckDB says to a process while another one has the file open."""
    with duckdb.connect(folder / DUCKDB_FILE), _start_processes(1) as pool:
        error: str = pool.apply(try_duckdb_note, (folder, "refused"))
    return error.replace(str(folder), "…")


def _write_for(seconds: float, writer: int, add: Callable[[str], object]) -> Written:
    written = Written([], [])
    end = time.monotonic() + seconds
    while (start := time.monotonic()) < end:
        title = f"{writer}-{len(written.titles)}"
        add(title)
        written.titles.append(title)
        written.milliseconds.append(1000 * (time.monotonic() - start))
    return written


def _start_processes(count: int) -> Pool:
    pool = multiprocessing.get_context("spawn").Pool(count)
    pool.map(time.sleep, [0.5] * count, chunksize=1)  # all have started then
    return pool


def read_titles(folder: Path) -> set[str]:
    """Return the titles of all notes."""
    return {note.title for note in NoteStore(folder).search(NoteFilter(), limit=10_000_000).notes}


def read_duckdb_titles(folder: Path) -> set[str]:
    """Return the titles in a DuckDB file."""
    with duckdb.connect(folder / DUCKDB_FILE) as connection:
        return {title for (title,) in connection.execute("SELECT title FROM notes").fetchall()}


def measure_writers(
    folder: Path,
    count: int,
    seconds: float,
    write: Callable[[Path, int, float], Written],
    read: Callable[[Path], set[str]],
) -> tuple[str, int]:
    """Let processes write at once; return a line on it, and the number of confirmed notes that are lost."""
    with _start_processes(count) as pool:
        results = pool.starmap(write, [(folder, writer, seconds) for writer in range(count)], chunksize=1)
    confirmed = {title for written in results for title in written.titles}
    taken = [one for written in results for one in written.milliseconds]
    lost = len(confirmed - read(folder))
    return (
        f"  {count} at once: {len(confirmed) / seconds:,.0f} notes a second confirmed, {lost} lost; one note took "
        f"{median(taken):.1f} ms (median), {max(taken):,.0f} ms (most)"
    ), lost


def main() -> int:
    """Measure, print the figures as they become known, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--notes", type=int, default=10_000, help="notes to search")
    parser.add_argument("--repetitions", type=int, default=50, help="times that each search is repeated")
    parser.add_argument("--writers", type=int, nargs="+", default=[1, 2, 4], help="numbers of processes")
    parser.add_argument("--seconds", type=float, default=5.0, help="time for which processes write")
    parser.add_argument(
        "--folder", type=Path, help="where the files are made; by default the temporary folder"
    )
    asked = parser.parse_args()
    all_lost = 0

    def say(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    with ExitStack() as folders:

        def new_folder() -> Path:
            folder = Path(folders.enter_context(tempfile.TemporaryDirectory(dir=asked.folder)))
            with duckdb.connect(folder / DUCKDB_FILE) as connection:
                connection.execute(DUCKDB_SCHEMA)
            return folder

        say(processor_name())
        for line in measure_searches(new_folder(), asked.notes, asked.repetitions):
            say(line)
        for name, write, read in (
            ("SQLite", add_notes, read_titles),
            ("DuckDB", add_duckdb_notes, read_duckdb_titles),
        ):
            say(f"processes that add notes for {asked.seconds:g} s, {name}:")
            for count in asked.writers:
                line, lost = measure_writers(new_folder(), count, asked.seconds, write, read)
                say(line)
                all_lost += lost
        say(f"To a second process, DuckDB says: {read_duckdb_refusal(new_folder())}")
    return 1 if all_lost else 0


if __name__ == "__main__":
    sys.exit(main())
