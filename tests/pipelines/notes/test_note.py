"""A note leads to its run whatever the file is called now."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from engine.errors import InvalidError
from pipelines.notes.note import (
    NoteContent,
    NotePlace,
    current_address,
    find_own_title,
    find_shown_title,
    names_by_key,
    place_of_address,
    place_of_game,
    place_of_run,
    title_of_place,
)
from pipelines.notes.store import NoteStore
from pipelines.questions.address import format_path
from pipelines.report.wording import format_run_title
from pipelines.runs.library import Library

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.runs.run import Run


def test_a_note_follows_its_run_through_renaming_copying_and_deletion(small_run: Run, tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.runs_folder.mkdir(parents=True)
    first = library.runs_folder / "first.duckdb"
    shutil.copyfile(small_run.path, first)
    note = NoteStore(tmp_path).add(place_of_game(library.run("first"), 1, 2), NoteContent("here"))

    def current_path() -> str | None:
        address = current_address(note, names_by_key(library.runs()))
        return None if address is None else format_path(note.page, address)

    assert current_path() == "/replay?run=first&game-number=2&move=3"
    renamed = first.rename(library.runs_folder / "second name.duckdb")
    assert current_path() == "/replay?run=second+name&game-number=2&move=3"
    shutil.copyfile(renamed, library.runs_folder / "copy.duckdb")
    shutil.copyfile(renamed, first)
    assert current_path() == "/replay?run=first&game-number=2&move=3"
    for path in library.runs_folder.iterdir():
        path.unlink()
    assert current_path() is None


def test_a_game_that_the_run_does_not_have_is_no_place(small_run: Run) -> None:
    with pytest.raises(InvalidError, match="has no game 1000"):
        place_of_game(small_run, 999)


def test_every_page_with_something_to_keep_has_a_kind_and_a_title(small_run: Run) -> None:
    name = small_run.name
    seen = {}
    for page, address in (
        ("library", {}),
        ("replay", {"run": [name], "game-number": ["2"]}),
        ("replay", {"run": [name], "game-number": ["2"], "move": ["5"]}),
        ("scores", {"rulesets": ["bloxx-2p", "bloxx-3p"]}),
        ("strategies", {"run": [name]}),
        ("whatif", {"run": [name], "game-number": ["2"], "move": ["5"], "luck": ["1"]}),
        ("rules", {"ruleset": ["bloxx-2p"]}),
        ("sql", {"sql": ["SELECT\n1"]}),
        ("play", {"ruleset": ["bloxx-2p"], "seats": ["me,greedy"], "moves": ["1a"]}),
        ("play", {"ruleset": ["bloxx-2p"]}),
        ("notes", {}),
        ("replay", {}),
        ("scores", {"view": ["Players"]}),
    ):
        place = place_of_address(page, address, [small_run])
        if place:
            seen[place.kind] = (title_of_place(place), place.run_key is not None)
    assert seen == {
        "game": (f"Game 2 of {name}", True),
        "ply": (f"Move 5 of game 2 of {name}", True),
        "chart": ("Scores under bloxx-2p, bloxx-3p", False),
        "comparison": (f"Comparison: {name}", True),
        "what-if": (f"Move 5 of game 2 of {name}: what if the luck was different?", True),
        "rules": ("Rules of bloxx-2p", False),
        "question": ("SELECT 1", False),
        "hand": ("Game by hand: bloxx-2p, me,greedy", False),
    }
    assert place_of_run(small_run).run_key == small_run.key


def test_the_default_title_of_a_what_if_names_the_move_and_is_nobodys_own(
    small_run: Run, tmp_path: Path
) -> None:
    ruleset = small_run.ruleset(small_run.game(1).ruleset)
    actions = list(map(ruleset.action, small_run.actions(1)))
    ply, move = next((ply, action) for ply, action in enumerate(actions) if action.cells)
    address = {
        "run": [small_run.name],
        "game-number": ["2"],
        "move": [str(ply + 1)],
        "action": [move.notation],
        "player": ["1"],
        "strategy": ["random"],
    }
    place = place_of_address("replay", address, [small_run])
    assert place
    title, former = title_of_place(place, [small_run]), title_of_place(place)
    assert re.fullmatch(
        rf"Move \d+ of a game of BLOXX!, greedy against random: what if random played on for player 1, the move was {move.piece} at [a-z]\d+\b[^?]*\?",
        title,
    )
    assert former.endswith(f": what if random played on for player 1, the move was {move.notation}?")
    store = NoteStore(tmp_path)
    for words, own in ((title, ""), (former, ""), ("A better place", "A better place")):
        assert find_own_title(store.add(place, NoteContent(words)), [small_run]) == own


def test_a_comparison_is_called_by_its_question_unless_somebody_gave_it_a_title(
    small_run: Run, tmp_path: Path
) -> None:
    address = {"run": [small_run.name]}
    place = NotePlace("comparison", "strategies", address, small_run.key)
    store = NoteStore(tmp_path)
    note, own = (store.add(place, NoteContent(title)) for title in (title_of_place(place), "Mine"))
    assert find_shown_title(note, address, [small_run]) == format_run_title(small_run.summary)
    assert find_shown_title(note, None, [small_run]) == note.title
    assert find_shown_title(own, address, [small_run]) == "Mine"
