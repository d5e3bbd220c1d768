"""The library: a folder of files, read in their present state."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.errors import InvalidError
from pipelines.design.designs import design_simulation
from pipelines.questions.source import QuestionSource
from pipelines.runs import data_folder as place
from pipelines.runs.data_folder import data_folder
from pipelines.runs.library import Library, Run, connect_runs
from pipelines.runs.unfinished_run import begin_run
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.ruleset import Ruleset


def test_the_data_folder_is_explicit_or_from_the_environment_or_of_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REROLL_DATA", str(tmp_path / "named"))
    assert data_folder(tmp_path / "explicit") == tmp_path / "explicit"
    assert data_folder(None) == tmp_path / "named"
    monkeypatch.delenv("REROLL_DATA")
    assert data_folder(None) == Path(place.__file__).parents[2] / "data"
    monkeypatch.setattr(place, "_CHECKOUT_FOLDER", tmp_path)
    assert data_folder(None).name == "reroll"


def test_a_data_folder_may_be_a_text_or_a_path_with_a_tilde(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A string is as good as a path, `~` is the home folder, and a later change of the working folder has no effect."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    library = Library("games")
    monkeypatch.chdir("/")
    assert library == Library(tmp_path / "games") == Library(folder=str(tmp_path / "games"))
    assert library.runs() == []
    assert Library("~/games").folder == tmp_path / "home" / "games"
    monkeypatch.setenv("REROLL_DATA", str(tmp_path / "named"))
    assert Library().folder == tmp_path / "named"


def test_an_empty_library_has_no_runs(library: Library) -> None:
    assert (library.runs(), library.unfinished_runs(), library.broken_files()) == ([], [], {})


def test_runs_are_listed_newest_first_and_at_once(library: Library, ruleset: Ruleset) -> None:
    planned = design_simulation(ruleset, ["random", "random"], blocks=1)
    for number in range(3):
        simulate_run(planned, library.runs_folder / f"run-{number}.duckdb", workers=1)
        assert [run.name for run in library.runs()] == [f"run-{n}" for n in range(number, -1, -1)]
    library.run("run-1").remove()
    assert [run.name for run in library.runs()] == ["run-2", "run-0"]


def test_every_list_shows_the_current_files(library: Library, small_run: Run) -> None:
    path = library.runs_folder / "one.duckdb"
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(small_run.path, path)
    first = library.runs()
    first.clear()
    assert library.runs() == [Run(path)]
    other = library.runs_folder / "other.duckdb"
    other.symlink_to(path)
    assert {run.name for run in library.runs()} == {"one", "other"}
    other.unlink()
    other.write_text("nothing")
    assert library.runs() == [Run(path)]
    assert list(library.broken_files()) == [other]
    other.unlink()
    assert not library.broken_files()
    path.rename(other)
    assert library.runs() == [Run(other)]


def test_a_run_is_found_by_name_and_by_path(small_run: Run) -> None:
    library = Library(small_run.path.parent.parent)
    assert library.run("made") == library.run(small_run.path) == small_run
    with pytest.raises(InvalidError, match="unknown run 'maid'; did you mean made"):
        library.run("maid")
    with pytest.raises(InvalidError, match="no such run"):
        library.run("/nowhere/made.duckdb")


def test_a_file_that_is_not_a_run_is_reported_in_one_line_and_hides_no_other(
    library: Library, small_run: Run
) -> None:
    library.runs_folder.mkdir(parents=True)
    shutil.copyfile(small_run.path, library.runs_folder / "good.duckdb")
    for name, content in (("text", b"hello"), ("empty", b""), ("cut", small_run.path.read_bytes()[:40_000])):
        (library.runs_folder / f"{name}.duckdb").write_bytes(content)
        with pytest.raises(InvalidError, match=rf"{name}\.duckdb: not a run file: ") as caught:
            library.run(name)
        assert "\n" not in str(caught.value)
    assert [run.name for run in library.runs()] == ["good"]
    assert {path.stem for path in library.broken_files()} == {"text", "empty", "cut"}


def test_an_unfinished_run_is_not_unknown(library: Library, ruleset: Ruleset) -> None:
    planned = design_simulation(ruleset, ["greedy", "random"], blocks=2)
    partial = begin_run(library.runs_folder / "half.duckdb", planned, free_name=False)
    said = (
        "the run half is not finished: 0 of 4 games are saved; "
        "finish it with: reroll resume half, or delete it with: reroll rm half"
    )
    with pytest.raises(InvalidError, match=re.escape(said)):
        library.run("half")
    with pytest.raises(InvalidError, match=re.escape(said)):
        QuestionSource(library).find_run("half")
    with (
        partial.claim(),
        pytest.raises(InvalidError, match=r"half is not finished: it is being played, 0 of 4 games"),
    ):
        library.run("half")


def test_a_link_that_leads_nowhere_is_said(library: Library, small_run: Run) -> None:
    library.runs_folder.mkdir(parents=True)
    shutil.copyfile(small_run.path, library.runs_folder / "good.duckdb")
    run, folder = library.runs_folder / "gone.duckdb", library.runs_folder / "lost.partial"
    for path in (run, folder):
        path.symlink_to(library.folder / "nowhere")
    with pytest.raises(
        InvalidError, match=r"gone.duckdb: it is a link to .*nowhere, where nothing is; delete it"
    ):
        library.run("gone")
    with pytest.raises(InvalidError, match=r"lost.partial: not an unfinished run: it is a link"):
        library.unfinished_run("lost")
    assert [found.name for found in library.runs()] == ["good"]
    assert set(library.broken_files()) == {run, folder}


def test_a_folder_that_is_not_an_unfinished_run_is_reported(library: Library) -> None:
    folder = library.runs_folder / "odd.partial"
    folder.mkdir(parents=True)
    assert library.unfinished_runs() == []
    assert (
        str(library.broken_files()[folder])
        == f"{folder}: not an unfinished run: design.json: No such file or directory"
    )
    (folder / "design.json").write_text("{}", encoding="utf-8")
    assert "not the design of a run" in str(library.broken_files()[folder])


def test_a_file_of_newer_tables_is_refused(change_run: Callable[[str], Run]) -> None:
    # The version is reported first: a file of another version is not broken.
    run = change_run("DROP TABLE squares; UPDATE run SET format = 99")
    with pytest.raises(InvalidError, match="the run file has format 99, this Reroll reads format 3"):
        _ = run.summary


def test_a_view_in_place_of_a_table_is_refused(change_run: Callable[[str], Run]) -> None:
    """Otherwise a file from anybody could run its own queries."""
    run = change_run(
        "ALTER TABLE strategies RENAME TO hidden; CREATE VIEW strategies AS FROM hidden",
    )
    with pytest.raises(InvalidError, match="not a run file: its view 'strategies' does not belong to a run"):
        _ = run.summary


def test_a_summary_has_what_a_list_shows(small_run: Run) -> None:
    summary = small_run.summary
    assert (summary.kind, summary.seed, summary.games, summary.log) == ("simulate", 7, 20, "full")
    assert [ruleset.name for ruleset in summary.rulesets] == ["bloxx-2p"]
    assert summary.strategies == ("greedy", "random")
    assert summary.bytes == small_run.path.stat().st_size
    assert summary.command == "reroll simulate bloxx-2p --strategies greedy,random --blocks 10 --seed 7"


def test_a_file_that_changed_is_read_again(change_run: Callable[[str], Run]) -> None:
    run = change_run("UPDATE run SET title = 'first'")
    assert run.summary.title == "first"
    os.utime(run.path, (time.time() + 5, time.time() + 5))
    again = change_run("UPDATE run SET title = 'second'")
    assert again.summary.title == "second"


def test_rulesets_come_from_the_file_and_are_checked(
    change_run: Callable[[str], Run], ruleset: Ruleset
) -> None:
    assert change_run("SELECT 1").ruleset("bloxx-2p") == ruleset
    with pytest.raises(InvalidError, match="the run has no ruleset 'bloxx-3p'"):
        change_run("SELECT 1").ruleset("bloxx-3p")
    for spec in ("3", "[]", "{}", '{"game": "chess"}', '{"game": 3}'):
        update = f"UPDATE rulesets SET spec = '{spec}'"  # noqa: S608 - our own
        with pytest.raises(InvalidError, match="ruleset bloxx-2p"):
            change_run(update).ruleset("bloxx-2p")


@pytest.mark.parametrize("game", [-1, 20, 1 << 40])
def test_a_game_that_does_not_exist_is_reported_in_one_line(small_run: Run, game: int) -> None:
    with pytest.raises(InvalidError, match=rf"run made has no game {game + 1} \(1 to 20\)"):
        small_run.list_seats(game)


def test_a_scene_has_every_ply_and_the_strategies(small_run: Run) -> None:
    scene = small_run.scene(3)
    assert len(scene["steps"]) == small_run.game(3).plies
    assert scene["steps"][-1]["scores"] == [seat.score for seat in small_run.list_seats(3)]
    assert scene["strategies"] == [seat.strategy for seat in small_run.list_seats(3)] == ["random", "greedy"]


def test_a_connection_reads_its_run_and_nothing_else(small_run: Run) -> None:
    with small_run.connect() as connection:
        for sql in (
            "INSERT INTO games SELECT * FROM games",
            "FROM read_text('/etc/hostname')",
            "ATTACH 'other.duckdb'",
            "SET threads = 1",
            "COPY games TO 'games.csv'",
            "LOAD httpfs",
        ):
            with pytest.raises(Exception, match=r"Error"):
                connection.execute(sql)


def test_one_connection_reads_many_runs_by_name(small_run: Run, library: Library, ruleset: Ruleset) -> None:
    other = simulate_run(
        design_simulation(ruleset, ["random", "random"], blocks=3),
        library.runs_folder / "it's.duckdb",
        workers=1,
    )
    with connect_runs([small_run, other]) as connection:
        found = connection.execute("SELECT run, count(*) FROM games GROUP BY run ORDER BY run").fetchall()
        assert found == [("it's", 3), ("made", 20)]
        assert connection.execute("SELECT run, seed FROM run ORDER BY run").fetchall() == [
            ("it's", 0),
            ("made", 7),
        ]
        assert connection.execute("SELECT count(DISTINCT run) FROM log").fetchall() == [(2,)]


def test_the_rulesets_of_a_user_are_listed_with_those_of_the_project(library: Library) -> None:
    own = library.folder / "rulesets"
    own.mkdir(parents=True)
    (own / "mine.toml").write_text('extends = "bloxx"\ntitle = "Mine"\nplayers = 2\n', encoding="utf-8")
    (own / "broken.toml").write_text('extends = "bloxx"\nplayers = "two"\n', encoding="utf-8")
    assert {"mine", "bloxx-2p"} <= library.catalogue.rulesets.keys()
    assert list(library.catalogue.file_errors) == [own / "broken.toml"]


@pytest.mark.slow
def test_hundreds_of_runs_are_opened_once(
    library: Library, small_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening a file takes milliseconds, so an unchanged library opens none again."""
    library.runs_folder.mkdir(parents=True)
    for number in range(300):
        shutil.copyfile(small_run.path, library.runs_folder / f"run-{number}.duckdb")
    assert len(library.runs()) == 300
    monkeypatch.setattr("duckdb.connect", lambda *_, **__: pytest.fail("a file was opened again"))
    assert len(library.runs()) == 300
