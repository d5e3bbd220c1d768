"""Lessons as notes: kept in a collection, not twice, taken to other libraries, and followed one by one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pipelines.experiments import lessons
from pipelines.experiments.lessons import RatedLesson, find_lesson
from pipelines.experiments.review_runs import find_review_kind, review_run
from pipelines.notebook import api as notebook
from pipelines.notes.exchange import format_notes, parse_notes
from pipelines.notes.lessons import find_kept_lesson, keep_lessons, write_rating
from pipelines.notes.note import NoteContent, NotePlace, names_by_key, place_of_game, title_of_place
from pipelines.notes.store import NoteFilter, NoteStore, read_comments
from pipelines.questions.address import read_fields
from pipelines.questions.game import GameQuestion
from pipelines.runs.run import Run
from tests.command_line import run_reroll

PLIES = (1, 5, 7)


@pytest.fixture(autouse=True)
def quick_lessons(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(lessons, "LESSON_PLAYOUTS", 80)
    monkeypatch.setenv("REROLL_DATA", str(tmp_path))


@pytest.fixture
def run(small_run: Run, tmp_path: Path) -> Run:
    (tmp_path / "runs").mkdir()
    return Run(Path(shutil.copy(small_run.path, tmp_path / "runs" / "made.duckdb")))


@pytest.fixture
def store(tmp_path: Path) -> NoteStore:
    return NoteStore(tmp_path)


@pytest.fixture
def rated(run: Run) -> list[RatedLesson]:
    """Three lessons, the hardest first."""
    strategies = ("random", "greedy", "rollout")
    return [
        RatedLesson(find_lesson(run, 0, ply), {name: rank < count for rank, name in enumerate(strategies)})
        for count, ply in enumerate(PLIES)
    ]


def test_lessons_are_kept_in_a_collection_easy_ones_first_and_not_twice(
    run: Run, store: NoteStore, rated: list[RatedLesson]
) -> None:
    name, notes = keep_lessons(store, run, rated)
    assert name == "BLOXX!: 3 lessons"
    for note, lesson in zip(notes, reversed(rated), strict=True):
        choices, ply = lesson.lesson.decision.options, lesson.lesson.decision.ply
        assert note.title == f"Game 1, move {ply + 1}: find a better move than greedy, of {choices:,} moves"
        assert note.text.startswith(f"{lesson.level.capitalize()}: ")
    assert len({note.title for note in notes}) == 3
    assert all(note.is_lesson and not note.is_favourite and note.kind_name == "lesson" for note in notes)
    changed = store.change(notes[0], NoteContent("Mine", "my words", notes[0].collections))
    assert keep_lessons(store, run, rated) == (name, [changed, *notes[1:]])
    other, again = keep_lessons(store, run, rated[:1], "Hard ones")
    assert [note.collections for note in again] == [(name, other)]
    assert store.search(NoteFilter()).total == 3


def test_lessons_of_another_run_get_a_collection_of_their_own(
    run: Run, store: NoteStore, rated: list[RatedLesson]
) -> None:
    place = NotePlace("run", "scores", {"runs": ["other"]}, "another key")
    store.add(place, NoteContent("Another run", collections=("BLOXX!: 3 lessons",)))
    assert keep_lessons(store, run, rated)[0] == "BLOXX!: 3 lessons (2)"


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ({"noisy": True, "greedy": True}, "Easy: noisy and greedy find a good move here."),
        (
            {"random": False, "noisy": False, "greedy": True, "rollout": True},
            "Medium: greedy and rollout find a good move here; random and noisy do not.",
        ),
        ({"random": False, "greedy": True}, "Hard: greedy finds a good move here; random does not."),
        ({"random": False, "greedy": False}, "Very hard: random and greedy do not find a good move here."),
        ({"random": False}, "Very hard: random does not find a good move here."),
    ],
)
def test_the_rating_says_who_finds_a_lesson(
    rated: list[RatedLesson], found: dict[str, bool], sentence: str
) -> None:
    assert write_rating(rated[0]._replace(found=found), "planner:candidates=4") == sentence


def test_the_rating_says_that_a_finder_erred_in_this_game(rated: list[RatedLesson]) -> None:
    found = {"random": False, "greedy": True, "rollout": True}
    assert write_rating(rated[0]._replace(found=found), "greedy") == (
        "Easy: greedy and rollout find a good move here, though greedy erred in this game; random does not."
    )


def test_a_lesson_is_an_address_that_old_notes_and_files_do_not_have(run: Run, store: NoteStore) -> None:
    lesson, move = (place_of_game(run, 0, 5, is_lesson=is_lesson) for is_lesson in (True, False))
    assert lesson.address == {**move.address, "lesson": ["1"]}
    assert title_of_place(lesson) == "Lesson: move 6 of game 1 of made"
    kept = [store.add(place, NoteContent(title, "words")) for place, title in ((lesson, "A"), (move, "B"))]
    document = format_notes(kept, {})
    assert parse_notes(document).notes == kept
    assert list(json.loads(document)["notes"][0]) == list(json.loads(document)["notes"][1])
    assert [note.is_lesson for note in kept] == [True, False]
    assert read_comments(store, run, 0) == {5: "B\nwords"}  # a lesson comments on nothing


def test_the_next_lesson_is_that_of_the_collection(
    run: Run, store: NoteStore, rated: list[RatedLesson]
) -> None:
    _, notes = keep_lessons(store, run, rated)
    questions = [read_fields(GameQuestion, note.address)[0] for note in notes]
    names = names_by_key([run])
    assert [find_kept_lesson(store, run, question, names) for question in questions] == [
        (notes[0].text, "Lesson 1 of 3", notes[1].address, "BLOXX!: 3 lessons"),
        (notes[1].text, "Lesson 2 of 3", notes[2].address, "BLOXX!: 3 lessons"),
        (notes[2].text, "Lesson 3 of 3", None, "BLOXX!: 3 lessons"),
    ]
    alone = store.add(place_of_game(run, 3, 1, is_lesson=True), NoteContent("A lesson", "Which die?"))
    question, _ = read_fields(GameQuestion, alone.address)
    assert find_kept_lesson(store, run, question, names) == ("Which die?", "Lesson", None, "")
    store.remove(alone)
    assert find_kept_lesson(store, run, question, names) == ("", "Lesson", None, "")


@pytest.mark.slow
def test_lessons_are_made_by_a_command_and_in_a_notebook(run: Run, store: NoteStore, tmp_path: Path) -> None:
    assert "reroll review made --games all" in run_reroll("lessons", "made").stderr
    for _ in review_run(run, find_review_kind(run, effort=0.2), [0, 1, 2], threads=True):
        pass
    made = json.loads(run_reroll("lessons", "made", "--limit", 4, "--quiet", "--json").stdout)
    assert made["collection"] == "BLOXX!: 4 lessons"
    assert len(made["notes"]) == 4
    frame = notebook.Library(tmp_path)["made"].lessons(limit=4, progress=False)
    assert [
        [str(game + 1), str(ply + 1)] for game, ply in zip(frame["game_id"], frame["ply"], strict=True)
    ] == [[*note["address"]["game-number"], *note["address"]["move"]] for note in made["notes"]]
    assert [*frame][:6] == ["run", "game_id", "ply", "seat", "notation", "best_notation"]
    assert (frame["lost_wins"] > 0.05).all()
    assert set(frame["level"]) <= {"easy", "medium", "hard", "very hard"}
    assert [len(finders) for finders in frame["found_by"]] == sorted(
        map(len, frame["found_by"]), reverse=True
    )
    assert store.search(NoteFilter()).total == 4


def test_a_person_keeps_a_move_as_a_lesson(run: Run) -> None:
    assert run.name == "made"
    kept = json.loads(run_reroll("note", "made", "--game", 1, "--move", 6, "--lesson", "--json").stdout)
    assert kept["address"]["lesson"] == ["1"]
    assert "--lesson needs a move" in run_reroll("note", "made", "--game", 1, "--lesson").stderr
    assert (
        "nobody had a choice at move 1"
        in run_reroll("note", "made", "--game", 1, "--move", 1, "--lesson").stderr
    )
