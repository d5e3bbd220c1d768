"""The page Library: tiles, jobs that are starting, and the names of runs."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING

import pytest

from dashboard.library.invitations import PURPOSE, find_invitations
from dashboard.library.tiles import final_scene, representative_run, score_curves
from engine import games
from pipelines.runs.library import Library
from pipelines.service import jobs
from pipelines.viewer.palette import assign_looks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest


@pytest.fixture
def library_copy(library: Library, tmp_path: Path) -> Library:
    """A copy of the shared library that a test may change."""
    shutil.copytree(library.runs_folder, tmp_path / "runs")
    return Library(tmp_path)


def test_every_game_has_a_tile_with_a_button_that_plays_it(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    at = open_dashboard_page("library.py", tmp_path)
    for name in games.game_names():
        assert at.button(key=f"play-{name}").label == "Play"
    assert len(at.get("bidi_component")) == len(games.game_names())


def test_two_clicks_start_a_simulation_with_default_settings(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[object, ...]] = []

    def record_start(library: Library, ruleset: str, lineup: list[str], **options: object) -> jobs.Job:
        started.append((ruleset, lineup, options["games"], options["log"]))
        return jobs.Job(library, "x")

    monkeypatch.setattr(jobs, "start_simulation", record_start)
    at = open_dashboard_page("library.py", tmp_path)
    at.button(key="play-spexxx").click().run()
    assert at.query_params["play"] in ("spexxx", ["spexxx"])
    at.button(key="new-play").click().run()
    assert not at.exception
    ruleset, lineup, count, log = started[0]
    assert str(ruleset).startswith("spexxx-")
    assert (lineup[0], lineup[-1], count, log) == ("greedy", "random", 300, "full")  # type: ignore[index]
    assert "play" not in at.query_params


def test_an_unknown_game_in_the_address_is_reported(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("library.py", play="chess")
    assert not at.exception
    assert "no game chess" in at.warning[0].value


def test_a_tile_shows_the_final_board_of_the_winner_of_a_game(library: Library) -> None:
    run = library.run("three")
    final = final_scene(str(run.path), run.path.stat().st_mtime_ns)
    game = run.scene(0)
    winner = game["ranks"].index(1)
    squares = {square: mark for step in final["steps"] for _, square, mark in step["paint"]}
    expected = {
        square: mark for step in game["steps"] for board, square, mark in step["paint"] if board == winner
    }
    assert squares == expected
    assert final["boards"] == [game["boards"][winner]]


def test_the_curves_of_a_tile_show_the_shares_of_all_results(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    open_dashboard_page("library.py")
    curves = score_curves(library.run("three"), assign_looks(["greedy", "random"]))
    assert [line["name"] for line in curves["lines"]] == ["greedy", "random"]
    for line in curves["lines"]:
        assert sum(line["shares"]) == pytest.approx(1, abs=0.01)
    assert curves["high"].endswith("n = 72")


def test_the_first_sentence_says_what_reroll_is_and_an_empty_library_invites_to_play(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    at = open_dashboard_page("library.py", tmp_path)
    assert at.markdown[0].value == PURPOSE
    assert find_invitations([]) == []


def test_the_invitations_lead_to_the_closest_game_and_to_the_rules(library: Library) -> None:
    watch, rule = find_invitations(library.runs())
    assert (watch.page, rule.page) == ("views/replay.py", "views/rules.py")
    run = library.run(watch.address["run"])
    assert run.summary.log == "full"
    with run.connect() as connection:
        scores = connection.execute("SELECT game_id, list(score ORDER BY rank) FROM seats GROUP BY game_id")
        margins = {game_id: placed[0] - placed[1] for game_id, placed in scores.fetchall()}
    assert margins[int(watch.address["game"])] == min(margins.values())
    assert rule.address == {"ruleset": run.summary.rulesets[0].name, "part": "effect"}


def test_the_run_that_shows_a_game_best_has_the_most_strategies(
    library: Library, play_run: Callable[..., None], tmp_path: Path
) -> None:
    play_run(tmp_path, "larger", "bloxx-2p", "greedy", "greedy", games=40)
    larger = Library(tmp_path).run("larger")
    chosen = representative_run([larger, library.run("three")])
    assert chosen
    assert chosen.name == "three"
    assert representative_run([]) is None


def test_the_demo_that_is_being_made_shows_its_progress_and_can_be_stopped(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 600\n", encoding="ascii")
    slow.chmod(0o700)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "executable", str(slow))
        making = jobs.make_demo_meanwhile(Library(tmp_path))
        job = making.__enter__()
    at = open_dashboard_page("library.py", tmp_path)
    assert "0 of 49 runs are ready" in at.get("progress")[0].proto.text
    at.button(key="stop-demo").click().run()
    assert not at.exception
    assert not job.is_alive
    assert not at.get("progress")
    making.__exit__(None, None, None)


def test_a_starting_job_is_shown_after_a_reload_and_can_be_cancelled(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "slow"  # a process that has not started the simulation when the page opens
    slow.write_text("#!/bin/sh\nexec sleep 600\n", encoding="ascii")
    slow.chmod(0o700)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "executable", str(slow))
        job = jobs.start_simulation(Library(tmp_path), "bloxx-2p", ["random", "random"], games=4, workers=1)
    at = open_dashboard_page("library.py", tmp_path)  # not the session that started the job
    at.button(key=f"cancel-{job.name}").click().run()
    assert not at.exception
    assert not job.is_alive
    assert not list((tmp_path / "runs").glob("*.duckdb"))
    assert not [button for button in at.button if button.key == f"cancel-{job.name}"]


def test_the_error_of_a_failed_job_is_shown_until_it_is_dismissed(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    job = jobs.start_simulation(Library(tmp_path), "bloxx-2p", ["greedy", "gredy"], games=4)
    deadline = time.monotonic() + 60
    while job.is_alive:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    at = open_dashboard_page("library.py", tmp_path)
    assert "did you mean greedy" in at.error[0].value
    at.button(key=f"dismiss-{job.name}").click().run()
    assert not at.error


def test_a_run_is_renamed(open_dashboard_page: Callable[..., AppTest], library_copy: Library) -> None:
    at = open_dashboard_page("library.py", library_copy.folder)
    at.text_input(key="name-three").set_value("first-look")
    at.button(key="rename-three").click().run()
    assert not at.exception
    assert {run.name for run in library_copy.runs()} == {"first-look", "hanging", "scores-only"}


def test_a_run_name_that_is_taken_is_refused(
    open_dashboard_page: Callable[..., AppTest], library_copy: Library
) -> None:
    at = open_dashboard_page("library.py", library_copy.folder)
    at.text_input(key="name-three").set_value("hanging")
    at.button(key="rename-three").click().run()
    assert "there is a run hanging already" in at.error[0].value
    assert library_copy.run("three").summary.games == 24


def test_the_look_of_a_strategy_does_not_depend_on_the_other_strategies() -> None:
    few, many = (
        assign_looks(["greedy", "random"]),
        assign_looks(["greedy", "random", "noisy:sigma=2.3", "planner", "mcts:playouts=64"]),
    )
    assert few["greedy"] == many["greedy"]
    assert few["random"] == many["random"]
    assert len(set(many.values())) == len(many)


def test_many_strategies_have_different_looks() -> None:
    names = [f"rollout:playouts={2**k}" for k in range(14)]
    assert len(set(assign_looks(names).values())) == 15  # these and `random`, which always has a look
