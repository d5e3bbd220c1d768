"""A library with a run, a comparison and notes, which the tests of studies share and do not change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.design.designs import design_comparison
from pipelines.notes.note import NoteContent, NotePlace, place_of_game, place_of_run
from pipelines.notes.store import NoteStore
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run
from pipelines.studies.study import StudySource

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.run import Run


@pytest.fixture(scope="session")
def studied_library(small_run: Run, ruleset: Ruleset, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library with the runs `made` and `duel`, and notes of several kinds."""
    folder = tmp_path_factory.mktemp("studied")
    (folder / "runs").mkdir()
    (folder / "runs" / "made.duckdb").symlink_to(small_run.path)
    design = design_comparison(ruleset, ["greedy", "random"], blocks=30, seed=3)
    simulate_run(design, folder / "runs" / "duel.duckdb", workers=1)
    library, store = Library(folder), NoteStore(folder)
    made = library.run("made")
    store.add(place_of_game(made, 1, 4), NoteContent("Why here?", "The other die was open.", ("lesson",)))
    store.add(
        place_of_run(library.run("duel")),
        NoteContent("Comparison: duel", "", ("lesson", "Term 1"), is_favourite=True),
    )
    whatif = {
        "run": ["made"],
        "game-number": ["3"],
        "move": ["10"],
        "player": ["2"],
        "strategy": ["greedy"],
        "continuations": ["60"],
    }
    store.add(
        NotePlace("what-if", "whatif", whatif, None), NoteContent("Greedy from move 10 on", "", ("question",))
    )
    store.add(
        NotePlace("game", "replay", {"run": ["gone"]}, "no such run"),
        NoteContent("Lost", "kept words", ("lost",)),
    )
    return library


@pytest.fixture
def source(studied_library: Library) -> StudySource:
    return StudySource(studied_library)
