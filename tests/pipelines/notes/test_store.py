"""Notes are found again, and no confirmed note is lost, whoever writes and whatever dies."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.errors import InvalidError
from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.store import EditConflictError, NoteFilter, NoteStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.processes import StartProcess

    StartPython = Callable[..., subprocess.Popen[str]]


ROOT = Path(__file__).parents[3]
PLACE = NotePlace("ply", "replay", {"run": ["demo"], "game-number": ["4"], "move": ["8"]}, "key-of-demo")
HOSTILE = "<script>alert(1)</script> '; DROP TABLE notes; -- \u202e \x00 \U0001f3b2"


@pytest.fixture
def store(tmp_path: Path) -> NoteStore:
    return NoteStore(tmp_path)


def titles(store: NoteStore, wanted: NoteFilter) -> list[str]:
    return [note.title for note in store.search(wanted).notes]


def test_a_library_without_notes_answers_and_makes_no_file(store: NoteStore) -> None:
    assert store.search(NoteFilter()).total == 0
    assert store.collections() == {}
    assert not store.path.exists()


def test_a_note_is_read_as_it_was_written(store: NoteStore) -> None:
    content = NoteContent("  A blunder ", "first line\r\nsecond ", ("late", "Blunder"), is_favourite=True)
    made = store.add(PLACE, content)
    assert store.find(made.note_id) == store.find(made.note_id[:8]) == made
    assert (made.title, made.text, made.collections) == (
        "A blunder",
        "first line\nsecond",
        ("Blunder", "late"),
    )
    assert made.path == "/replay?run=demo&game-number=4&move=8"
    assert made.version == 1


def test_a_number_is_searched_whole_and_beside_game_or_move(store: NoteStore) -> None:
    for number, title in enumerate(("Game 5, move 14", "Game 15, move 5", "game 7, move 5: (5)", "Games5")):
        store.add(
            NotePlace("run", "scores", {}, str(number)), NoteContent(title, collections=("50 lessons",))
        )
    assert titles(store, NoteFilter(words="game 5")) == ["Game 5, move 14"]
    assert titles(store, NoteFilter(words="MOVE 5 game")) == ["game 7, move 5: (5)", "Game 15, move 5"]
    assert titles(store, NoteFilter(words="15")) == ["Game 15, move 5"]
    assert len(titles(store, NoteFilter(words="5"))) == 4
    assert len(titles(store, NoteFilter(words="50 less"))) == 4
    assert titles(store, NoteFilter(words="[5]")) == titles(store, NoteFilter(words="*5")) == []


def test_every_filter_narrows_the_search(store: NoteStore) -> None:
    store.add(PLACE, NoteContent("Straße", "a Corner was free", ("Lesson 1",)))
    store.add(NotePlace("question", "sql", {"sql": ["SELECT 1"]}), NoteContent("Mean", "the corner"))
    store.add(NotePlace("run", "scores", {}, "other"), NoteContent("Run", is_favourite=True))
    assert titles(store, NoteFilter()) == ["Run", "Mean", "Straße"]
    assert titles(store, NoteFilter(words="CORNER")) == ["Mean", "Straße"]
    assert titles(store, NoteFilter(words="corner lesson")) == ["Straße"]
    assert titles(store, NoteFilter(words="STRASSE")) == ["Straße"]
    assert titles(store, NoteFilter(words="%")) == []
    assert titles(store, NoteFilter(words="lesson 1")) == ["Straße"]
    assert titles(store, NoteFilter(collection="lesson 1")) == ["Straße"]
    assert titles(store, NoteFilter(kinds=("run", "question"))) == ["Run", "Mean"]
    assert titles(store, NoteFilter(run_key="key-of-demo")) == ["Straße"]
    assert titles(store, NoteFilter(only_favourites=True)) == ["Run"]
    found = store.search(NoteFilter(), limit=2)
    assert (len(found.notes), found.total) == (2, 3)
    assert store.collections() == {"Lesson 1": 1}


def test_a_collection_of_lessons_only_is_known_and_can_be_left_out(store: NoteStore) -> None:
    for collection, lesson in (("Drill", "1"), ("Mixed", "1"), ("Mixed", "")):
        place = NotePlace(
            "ply", "replay", {"run": ["three"], "move": ["4"], **({"lesson": [lesson]} if lesson else {})}
        )
        store.add(place, NoteContent(f"of {collection}{lesson}", collections=(collection,)))
    assert store.lesson_collections() == ["Drill"]
    others = store.search(NoteFilter(outside=("DRILL",))).notes
    assert sorted(note.title for note in others) == ["of Mixed", "of Mixed1"]


def test_a_change_keeps_the_place_and_replaces_the_collections(store: NoteStore) -> None:
    made = store.add(PLACE, NoteContent("One", "", ("a", "b")))
    changed = store.change(made, NoteContent("Two", "text", ("b", "c")))
    assert store.search(NoteFilter()).notes == (changed,)
    assert (changed.note_id, changed.address, changed.created_at) == (
        made.note_id,
        made.address,
        made.created_at,
    )
    assert changed.version == 2
    assert store.collections() == {"b": 1, "c": 1}
    assert titles(store, NoteFilter(words="one")) == []


def test_a_change_of_an_old_version_is_refused_and_shows_the_new_one(store: NoteStore) -> None:
    first = store.add(PLACE, NoteContent("One"))
    second = store.change(first, NoteContent("Two"))
    with pytest.raises(EditConflictError, match="changed elsewhere") as caught:
        store.change(first, NoteContent("Three"))
    assert caught.value.current == second
    with pytest.raises(EditConflictError):
        store.remove(first)
    store.remove(second)
    with pytest.raises(EditConflictError, match="removed elsewhere") as gone:
        store.change(second, NoteContent("Four"))
    assert gone.value.current is None
    assert store.collections() == {}


def test_hostile_texts_are_texts(store: NoteStore) -> None:
    made = store.add(
        NotePlace("game", "replay", {"run": [HOSTILE]}), NoteContent(HOSTILE, HOSTILE, (HOSTILE,))
    )
    assert store.search(NoteFilter(words="drop table")).notes == (made,)
    assert store.search(NoteFilter(collection=HOSTILE)).total == 1
    assert HOSTILE.split(maxsplit=1)[0] in made.title


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NoteContent("  "), "needs a title"),
        (lambda: NoteContent("x" * 201), "201 characters; at most 200 are possible"),
        (lambda: NoteContent("x", "y" * 20_001), "at most 20,000 are possible"),
        (
            lambda: NoteContent("x", "", ("t" * 61,)),
            "the collection has 61 characters; at most 60 are possible",
        ),
        (lambda: NoteContent("x", "", tuple(map(str, range(31)))), "at most 30 collections, not 31"),
        (lambda: NotePlace("run", "../etc"), "is not a page"),
        (lambda: NotePlace("sonnet", "sql"), "unknown kind"),  # type: ignore[arg-type]
        (lambda: NotePlace("question", "sql", {"sql": ["x" * 20_001]}), "more than 20,000 characters"),
    ],
)
def test_what_does_not_fit_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        make()


def test_unknown_ids_and_ambiguous_beginnings_are_refused(store: NoteStore) -> None:
    for title in ("a", "b"):
        store.add(PLACE, NoteContent(title))
    with pytest.raises(InvalidError, match="no note 'zz'"):
        store.find("zz")
    with pytest.raises(InvalidError, match="several notes"):
        store.find("")


def test_a_file_of_a_newer_version_and_a_file_that_is_none_are_refused(tmp_path: Path) -> None:
    store = NoteStore(tmp_path)
    store.add(PLACE, NoteContent("a"))
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(InvalidError, match=r"notes\.sqlite: a newer version of Reroll"):
        store.search(NoteFilter())
    store.path.write_bytes(b"not a database at all, but long enough for one " * 30)
    with pytest.raises(InvalidError, match=r"notes\.sqlite: file is not a database"):
        store.search(NoteFilter())


def test_notes_of_another_library_are_merged_and_the_newer_version_wins(tmp_path: Path) -> None:
    here, there = NoteStore(tmp_path / "here"), NoteStore(tmp_path / "there")
    old = here.add(PLACE, NoteContent("old"))
    assert there.merge([old]) == 1
    new = there.change(old, NoteContent("new"))
    only_there = there.add(PLACE, NoteContent("only there"))
    assert here.merge([old, new, only_there]) == 2
    assert here.merge([old, new, only_there]) == 0
    assert titles(here, NoteFilter()) == ["only there", "new"]


def test_the_notes_of_a_collection_have_an_order_of_their_own_that_a_change_leaves_alone(
    store: NoteStore,
) -> None:
    lesson, other = NoteFilter(collection="LESSON 1"), NoteFilter(page="replay")
    first, second, third = (store.add(PLACE, NoteContent(title, "", ("Lesson 1",))) for title in "abc")
    assert titles(store, lesson) == ["a", "b", "c"], "before, the order in which they were made"
    store.move(third, "Lesson 1", -1)
    store.move(first, "lesson 1", 1)
    store.move(first, "lesson 1", 9)
    assert titles(store, lesson) == ["c", "b", "a"]
    store.change(third, NoteContent("C", "", ("Lesson 1",)))
    store.add(PLACE, NoteContent("d", "", ("Lesson 1",)))
    assert titles(store, lesson) == ["C", "b", "a", "d"], "a new note stands at the end"
    assert titles(store, other) == ["d", "C", "b", "a"], "elsewhere, the newest change comes first"
    store.remove(second)
    assert titles(store, lesson) == ["C", "a", "d"]
    with pytest.raises(EditConflictError, match="removed"):
        store.move(second, "Lesson 1", 1)


def test_the_order_of_a_collection_goes_to_another_library(tmp_path: Path) -> None:
    here, there = NoteStore(tmp_path / "here"), NoteStore(tmp_path / "there")
    notes = [here.add(PLACE, NoteContent(title, "", ("Lesson 1",))) for title in "abc"]
    here.move(notes[2], "Lesson 1", -2)
    mine = there.add(PLACE, NoteContent("mine", "", ("Lesson 1",)))
    there.merge(notes, here.orders(notes))
    assert titles(there, NoteFilter(collection="Lesson 1")) == ["c", "a", "b", "mine"]
    assert there.orders([mine]) == {"Lesson 1": [mine.note_id]}, "an order names no note of others"


def test_a_file_without_orders_is_read_and_gets_them(store: NoteStore) -> None:
    note = store.add(PLACE, NoteContent("a", "", ("Lesson 1",)))
    with closing(sqlite3.connect(store.path)) as connection:
        connection.executescript("DROP TABLE orders; PRAGMA user_version = 2")
    assert titles(store, NoteFilter(collection="Lesson 1")) == ["a"]
    store.move(note, "Lesson 1", 1)
    assert titles(store, NoteFilter(collection="Lesson 1")) == ["a"]


@pytest.mark.parametrize(("version", "hours", "merged"), [(2, -1, 1), (1, 1, 1), (1, -1, 0)])
def test_the_clock_decides_only_between_equal_versions(
    store: NoteStore, version: int, hours: int, merged: int
) -> None:
    """The clock of another machine may be wrong."""
    known = store.add(PLACE, NoteContent("known"))
    changed_at = known.changed_at + timedelta(hours=hours)
    assert store.merge([replace(known, title="other", version=version, changed_at=changed_at)]) == merged
    assert store.find(known.note_id).title == ("other" if merged else "known")


def test_an_older_version_with_a_later_clock_changes_nothing(store: NoteStore) -> None:
    old = store.add(PLACE, NoteContent("old"))
    new = store.change(old, NoteContent("new"))
    assert store.merge([replace(old, changed_at=new.changed_at + timedelta(hours=1))]) == 0
    assert store.find(old.note_id).title == "new"


COUNTER = """
import sys
from pathlib import Path
from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.store import EditConflictError, NoteStore
store, writer, shared = NoteStore(Path(sys.argv[1])), sys.argv[2], sys.argv[3]
for number in range(20):
    store.add(NotePlace("run", "scores"), NoteContent(f"{writer}-{number}"))
    while True:
        current = store.find(shared)
        try:
            store.change(current, NoteContent(str(int(current.title) + 1)))
            break
        except EditConflictError:
            continue
"""


@pytest.fixture
def start_python(start_process: StartProcess) -> StartPython:
    """Return a function that starts Python code."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def start_code(code: str, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", code, *arguments]
        return start_process(command, stdout=subprocess.PIPE, env=environment)

    return start_code


def test_many_writers_at_once_lose_nothing(start_python: StartPython, store: NoteStore) -> None:
    """Each adds 20 notes, and 20 times adds one to the number in the title of a shared note."""
    shared = store.add(PLACE, NoteContent("0"))
    processes = [
        start_python(COUNTER, str(store.path.parent), str(writer), shared.note_id) for writer in range(3)
    ]
    for process in processes:
        with process:
            assert process.wait(60) == 0
    assert {f"{writer}-{number}" for writer in range(3) for number in range(20)} < set(
        titles(store, NoteFilter())
    )
    assert store.find(shared.note_id).title == "60"


WRITER = """
import sys
from pathlib import Path
from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.store import NoteStore
store = NoteStore(Path(sys.argv[1]))
for number in range(100_000):
    note = store.add(NotePlace("run", "scores"), NoteContent(str(number), "", ("killed",)))
    print(note.note_id, flush=True)
    note = store.change(note, NoteContent(f"{number} again", "x" * 5000, ("killed", "again")))
    print(note.note_id, "again", flush=True)
"""


def kill_writer(start_python: StartPython, folder: Path, delay_seconds: float) -> tuple[set[str], set[str]]:
    """Kill a process that writes notes; return the ids of notes that it had added, and of those it had changed."""
    with start_python(WRITER, str(folder)) as process:
        assert process.stdout
        lines = [process.stdout.readline()]  # it has started
        time.sleep(delay_seconds)
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.read().splitlines()
    confirmed = [line.split() for line in lines if line.strip()]
    return {words[0] for words in confirmed}, {words[0] for words in confirmed if len(words) == 2}


@pytest.mark.parametrize("kills", [6, pytest.param(200, marks=pytest.mark.night)])
def test_a_killed_writer_loses_nothing_that_was_confirmed(
    start_python: StartPython, tmp_path: Path, kills: int
) -> None:
    store = NoteStore(tmp_path)
    added: set[str] = set()
    changed: set[str] = set()
    for number in range(kills):
        more_added, more_changed = kill_writer(start_python, tmp_path, 0.0013 * (1 + number * 7 % 60))
        added |= more_added
        changed |= more_changed
    notes = {note.note_id: note for note in store.search(NoteFilter(), limit=1_000_000).notes}
    assert len(added) >= kills
    assert added <= notes.keys()
    assert all(notes[note_id].collections == ("again", "killed") for note_id in changed)
    assert store.collections()["killed"] == len(notes)
    with closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
