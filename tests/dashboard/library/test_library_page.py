"""The page Library: tiles, jobs that are starting, and the names of runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import threading
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qs

import pytest
import streamlit as st

from dashboard import cached
from dashboard.library.simulate_form import DETAILS_KEY
from dashboard.library.tiles import (
    PURPOSE,
    TELLING_BLOCKS,
    find_telling_scope,
    first_logged_game,
    first_logged_run,
    score_curves,
)
from dashboard.widgets.board import read_position
from dashboard.widgets.game_choice import find_best_finish
from engine import games
from pipelines.design.rule_values import read_varied_rule
from pipelines.experiments.fork import Change, fork_logged_game
from pipelines.experiments.whatif import play_whatif, saved_run_design
from pipelines.notes.note import NoteContent, place_of_game
from pipelines.notes.store import NoteStore
from pipelines.play import continue_game, keep_game, prepare_game
from pipelines.questions.every_question import read_question
from pipelines.questions.rule_effect import RuleEffectQuestion
from pipelines.questions.scores.distributions import compare_means
from pipelines.questions.scores.scope import scope_of_run
from pipelines.questions.source import QuestionSource
from pipelines.report.estimates import set_sentence
from pipelines.report.score_sentences import describe_lead
from pipelines.report.whatif import whatif_sentence
from pipelines.runs.library import Library
from pipelines.service import jobs
from pipelines.service.demo import plan_demo_runs
from pipelines.simulate.simulate import simulate_run
from pipelines.viewer.palette import assign_looks
from tests.dashboard.reading import open_menu, read_page_links, read_page_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from pipelines.questions.games import ListedGame
    from pipelines.runs.run import Run


@pytest.fixture
def library_copy(library: Library, tmp_path: Path) -> Library:
    """A copy of the shared library that a test may change."""
    shutil.copytree(library.runs_folder, tmp_path / "runs", copy_function=shutil.copyfile)
    return Library(tmp_path)


def test_what_is_known_at_once_is_shown_before_any_run_is_read(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_no_run(*_: object) -> None:
        st.stop()

    monkeypatch.setattr(cached, "list_games", read_no_run)
    monkeypatch.setattr("dashboard.library.tiles.find_telling_scope", read_no_run)
    at = open_dashboard_page("library.py")
    shown = [text.value for text in at.markdown]
    assert PURPOSE in shown
    assert at.button(key="watch").label == "Watch a game"
    assert "Change a rule" in str(read_page_links(at))
    assert [text.replace("\\", "") for text in shown if text.startswith("## ")] == [
        f"## {game.title}" for game in games.registered_games()
    ]


def test_every_game_has_a_tile_with_a_button_that_plays_it(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    at = open_dashboard_page("library.py", tmp_path)
    for name in games.game_names():
        assert at.button(key=f"play-{name}").label == "Simulate"
    boards = [one for one in at.get("bidi_component") if str(one.key).startswith("tile-")]
    assert len(boards) == len(games.game_names())


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


def test_the_form_is_filled_from_its_address_and_every_change_is_written_there(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    at = open_dashboard_page(
        "library.py",
        tmp_path,
        play="bloxx",
        ruleset="bloxx-2p",
        strategies=["noisy:sigma=3", "planner"],
        games="60",
        log="scores",
        seed="5",
    )
    assert not at.exception
    assert not at.warning
    assert at.selectbox(key="new-ruleset").value == "bloxx-2p"
    assert [at.selectbox(key=f"new-2-{seat}").value for seat in (0, 1)] == ["noisy:sigma=3", "planner"]
    assert (at.number_input(key="new-games").value, at.selectbox(key="new-log").value) == (60, "scores")
    assert at.text_input(key="new-seed").value == "5"
    at.selectbox(key="new-2-1").set_value("random").run()
    assert at.query_params["strategies"] == ["noisy:sigma=3", "random"]
    at.selectbox(key="new-ruleset").set_value("bloxx-3p").run()
    assert at.query_params["seed"] in ("5", ["5"]), "a closed drawer keeps what its fields hold"
    open_menu(at, DETAILS_KEY)
    at.selectbox(key="new-log").set_value("full")
    open_menu(at, DETAILS_KEY)
    assert at.query_params == {
        "play": "bloxx",
        "ruleset": "bloxx-3p",
        "strategies": ["greedy", "greedy", "random"],
        "games": "60",
        "seed": "5",
    }
    at.query_params.clear()  # as after Back
    at.query_params["play"] = "bloxx"
    open_menu(at, DETAILS_KEY)
    assert (at.number_input(key="new-games").value, at.text_input(key="new-seed").value) == (300, "")
    at.text_input(key="new-seed").set_value("8").run()
    at.button(key="play-spexxx").click().run()  # another game: nothing of the first one stays
    assert at.query_params == {"play": "spexxx"}
    assert "new-seed" not in {field.key for field in at.text_input}
    open_menu(at, DETAILS_KEY)
    assert at.text_input(key="new-seed").value == ""
    at.button(key="new-close").click().run()
    assert not at.query_params


def test_a_browser_that_draws_the_form_late_shows_what_its_fields_hold(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    """A browser that misses the first drawing of a field fills it with its default, so that must be the value."""
    address = {"play": "bloxx", "ruleset": "bloxx-3p", "games": "60", "log": "scores", "seed": "5"}
    lineup = ["noisy:sigma=3", "planner", "greedy"]
    at = open_dashboard_page("library.py", tmp_path, **address, strategies=lineup)
    open_menu(at, DETAILS_KEY)
    assert not at.exception
    assert not at.warning
    boxes = [at.selectbox(key=key) for key in ("new-ruleset", "new-log", "new-3-0", "new-3-1", "new-3-2")]
    assert [box.proto.default for box in boxes] == [box.index for box in boxes]
    assert [box.value for box in boxes] == ["bloxx-3p", "scores", *lineup]
    assert at.number_input(key="new-games").proto.default == 60
    assert at.text_input(key="new-seed").proto.default == "5"


def test_what_the_address_of_the_form_names_wrongly_is_said(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    at = open_dashboard_page(
        "library.py",
        tmp_path,
        play="bloxx",
        ruleset="spexxx-2p",
        strategies=["greedy", "gready", "greedy", "greedy", "greedy"],
        games="0",
        log="some",
        seed="x",
    )
    assert not at.exception
    (said,) = (one.value.replace("\\", "") for one in at.warning)
    for named in ("spexxx-2p", "'gready'", "5 strategies", "moves to keep some", "not 0", "The seed must be"):
        assert named in said
    assert at.number_input(key="new-games").value == 1
    assert at.selectbox(key="new-2-1").value == "gready"
    at.selectbox(key="new-2-1").set_value(
        "random"
    ).run()  # now the address is written anew, without any of these
    assert not at.warning


def test_a_tile_shows_the_final_board_of_the_winner_of_a_game(library: Library) -> None:
    run = library.run("three")
    final = read_position(run, first_logged_game(run))
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
    scope = scope_of_run(library.run("three"), library.run("three").summary.rulesets[0].sha256)
    curves = score_curves(cached.question_source(), scope, assign_looks(["greedy", "random"]))
    assert [line["name"] for line in curves["lines"]] == ["greedy", "random"]
    for line in curves["lines"]:
        assert sum(line["shares"]) == pytest.approx(1, abs=0.01)
    assert "72 results" in curves["alt"]
    scores = [seat.score for game in range(24) for seat in library.run("three").list_seats(game)]
    ends = (curves["low"].replace("\N{MINUS SIGN}", "-"), curves["high"])
    assert ends == (f"{min(scores)}", f"{max(scores)} points")
    record = SimpleNamespace(value=float(max(scores) + 3))
    assert score_curves(
        cached.question_source(), scope, assign_looks(["greedy", "random"]), cast("ListedGame", record)
    )["high"] == (f"{max(scores) + 3} points")


def test_the_best_player_of_a_tile_comes_first_also_where_the_fewest_points_win(
    open_dashboard_page: Callable[..., AppTest], library_with_dice: Library
) -> None:
    open_dashboard_page("library.py", library_with_dice.folder)
    run = library_with_dice.run("dice")
    scope = scope_of_run(run, run.summary.rulesets[0].sha256)
    lines = score_curves(cached.question_source(), scope, assign_looks(["greedy", "random"]))["lines"]
    means = {
        name: sum(
            seat.score
            for game in range(run.summary.games)
            for seat in run.list_seats(game)
            if seat.strategy == name
        )
        for name in ("greedy", "random")
    }
    assert [line["name"] for line in lines] == sorted(means, key=means.__getitem__)


@pytest.fixture
def library_with_dice(library_copy: Library, play_run: Callable[..., None]) -> Library:
    """The shared library and a run of a game in which the lowest score wins."""
    play_run(library_copy.folder, "dice", "blokus-dice-2p", "greedy", "random", games=4)
    return library_copy


def test_a_line_leads_back_to_what_a_visitor_has_seen_played_and_made(
    open_dashboard_page: Callable[..., AppTest], library_copy: Library
) -> None:
    folder = library_copy.folder
    first = open_dashboard_page("library.py", folder)
    assert not [label for label in read_page_links(first) if label.startswith(("Go on", "Your last game"))]
    first.session_state["seen-games"] = {"three": 1}
    (seen,) = [link for label, link in read_page_links(first.run()).items() if label.startswith("Go on")]
    assert seen.endswith("replay?run=three&game-number=2")
    ruleset = library_copy.catalogue.find_ruleset("blokus-dice-7-2p")
    game = continue_game(prepare_game(ruleset, ["me", "easy"], 1))
    game.let_strategies_play()
    while not game.state.is_over:
        game.choose(game.state.actions[0])
        game.let_strategies_play()
    own = keep_game(library_copy, game)
    place = place_of_game(library_copy.run("three"), 0, 5, is_lesson=True)
    NoteStore(folder).add(place, NoteContent("A lesson", collections=("Drill",)))
    links = read_page_links(open_dashboard_page("library.py", folder))
    scores = [seat.score for seat in own.list_seats(0)]
    said = f"Your last game of {ruleset.title}: You {scores[0]}, Easy {scores[1]}"
    (played,) = [link for label, link in links.items() if label.replace("\\", "") == said]
    assert played.endswith(f"replay?run={own.name}")
    assert links["Drill"].endswith("notes?collection=Drill")


def test_the_record_of_a_tile_is_the_lowest_score_where_that_wins(
    open_dashboard_page: Callable[..., AppTest], library_with_dice: Library
) -> None:
    run = library_with_dice.run("dice")
    lowest = min(seat.score for game in range(run.summary.games) for seat in run.list_seats(game))
    links = read_page_links(open_dashboard_page("library.py", library_with_dice.folder))
    address = links[f"Record for 2 players: {lowest} points"]
    assert re.search(r"replay\?run=dice&game-number=[1-4]&move=\d+$", address)


def test_a_run_without_a_log_has_no_link_to_a_replay(
    open_dashboard_page: Callable[..., AppTest], library_copy: Library
) -> None:
    runs = {run.name: run for run in library_copy.runs()}

    def listed_runs(at: AppTest) -> list[str]:
        assert not at.exception
        return [name for name in runs if f"gray[{name} · " in read_page_text(at)]

    at = open_dashboard_page("runs.py", library_copy.folder)
    assert listed_runs(at) == list(runs)
    replays = [link.proto.query_string for link in at.get("page_link") if link.proto.label == "Replay"]
    linked = {name for name in runs if f"run={name}" in replays}
    assert linked == set(runs) - {"scores-only"}  # its plies were not logged


def test_an_empty_library_says_what_reroll_is_and_loads_the_examples(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Library] = []
    monkeypatch.setattr(jobs, "start_demo", started.append)
    at = open_dashboard_page("library.py", tmp_path)
    assert (at.title[0].value, at.markdown[0].value) == ("Reroll", PURPOSE)
    assert {"Play yourself", "Change a rule"} <= {*read_page_links(at)}
    assert "Who plays better?" not in read_page_links(at)
    at.button(key="load-examples").click().run()
    assert [library.folder for library in started] == [tmp_path]


def test_the_invitation_to_change_a_rule_leads_to_an_answer(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("library.py", library.folder)
    (query,) = (
        link.proto.query_string for link in at.get("page_link") if link.proto.label == "Change a rule"
    )
    question, problems = read_question("rules", parse_qs(query))
    assert not problems
    assert isinstance(question, RuleEffectQuestion)
    ruleset = library.catalogue.rulesets[question.ruleset]
    (turned,) = question.vary
    rule = read_varied_rule(turned, ruleset, library.catalogue.rulesets)
    assert rule.base_value in rule.values
    assert 0 in rule.values
    assert len(rule.values) == 5
    assert question.strategies == ["greedy", "planner"]
    assert question.work
    assert question.work.amount <= question.work.usual


def test_the_first_action_plays_the_end_of_the_closest_finish(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("library.py")
    best = find_best_finish()
    assert best is not None
    run = library.run(best.run)
    with run.connect() as connection:
        rows = connection.execute("SELECT game_id, list(score ORDER BY rank) FROM seats GROUP BY game_id")
        margins = {game_id: placed[0] - placed[1] for game_id, placed in rows.fetchall()}
    assert margins[best.game] == min(margins.values())
    assert 0 < run.game(best.game).plies - 1 - best.ply <= 16
    at.button(key="watch").click().run()
    components = [json.loads(component.proto.json) for component in at.get("bidi_component")]
    replay = next(data for data in components if "scene" in data)
    assert (replay["plays"], replay["scene"]["game_id"]) == (True, best.game)
    assert [toast.value for toast in at.toast] == [
        "The closest finish of all logged games: its last 16 moves."
    ]
    assert at.query_params["run"] in (best.run, [best.run])


def test_tiles_say_what_a_game_is_and_how_its_players_play(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("library.py")
    text = read_page_text(at)
    assert [
        game.name for game in games.registered_games() if game.summary not in text.replace("\\", "")
    ] == []
    helps = [caption.help for caption in at.caption if caption.help]
    assert any(
        "**greedy**: Takes the most points that it can get now, and never looks ahead" in text
        for text in helps
    )


def test_continuations_of_a_whatif_and_games_by_hand_never_stand_for_a_game(library: Library) -> None:
    three, hanging = library.run("three"), library.run("hanging")
    for kind in ("whatif", "hand"):
        saved = cast("Run", SimpleNamespace(summary=replace(three.summary, kind=kind), name="saved"))
        assert first_logged_run([saved, library.run("scores-only"), hanging]) is hanging
        assert first_logged_run([saved]) is None


def test_a_tile_says_how_many_games_of_which_ruleset_its_curves_show(
    open_dashboard_page: Callable[..., AppTest], library_copy: Library
) -> None:
    for name in ("three", "scores-only"):
        library_copy.run(name).path.unlink()
    at = open_dashboard_page("library.py", library_copy.folder)
    (about,) = (one.value for one in at.caption if "games of" in one.value)
    summary = library_copy.run("hanging").summary
    variant = f"of {summary.rulesets[0].title} for 3 players."
    assert f"{summary.games} games {variant}" in about.replace("\\", "")


def test_the_demo_that_is_being_made_shows_its_progress_and_can_be_stopped(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 600\n", encoding="ascii")
    slow.chmod(0o700)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "executable", str(slow))
        told: list[str] = []
        making = jobs.make_demo_meanwhile(Library(tmp_path), lambda: told.append("ready"))
        job = making.__enter__()
    at = open_dashboard_page("library.py", tmp_path)
    assert "0 of 49 runs are ready" in at.get("progress")[0].proto.text
    assert "left" not in at.get("progress")[0].proto.text
    for plan in plan_demo_runs(Library(tmp_path))[:10]:
        plan.target.parent.mkdir(exist_ok=True)
        plan.target.touch()
    begun = time.time() - 6
    os.utime(job.log.with_suffix(".pid"), (begun, begun))
    at.run()
    assert re.search(r"10 of 49 runs are ready · about \d+ (s|min) left$", at.get("progress")[0].proto.text)
    at.button(key="stop-demo").click().run()
    assert not at.exception
    assert not job.is_alive
    assert not at.get("progress")
    making.__exit__(None, None, None)
    assert not told


def test_it_is_told_when_the_demo_that_is_made_meanwhile_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = tmp_path / "quick"
    quick.write_text("#!/bin/sh\nexit 0\n", encoding="ascii")
    quick.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(quick))
    told = threading.Event()
    with jobs.make_demo_meanwhile(Library(tmp_path), told.set):
        assert told.wait(30)


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


def test_a_run_is_renamed_unless_the_name_is_taken(
    open_dashboard_page: Callable[..., AppTest], library_copy: Library
) -> None:
    at = open_dashboard_page("runs.py", library_copy.folder)
    open_menu(at, "menu-three").text_input(key="name-three").set_value("hanging")
    at.button(key="rename-three").click().run()
    assert "there is a run hanging already" in at.error[0].value
    at.text_input(key="name-three").set_value("first-look")
    at.button(key="rename-three").click().run()
    assert not at.exception
    assert {run.name for run in library_copy.runs()} == {"first-look", "hanging", "scores-only"}


def test_the_curves_of_a_tile_rest_on_all_runs_of_the_line_up_with_the_most_games(
    open_dashboard_page: Callable[..., AppTest], play_run: Callable[..., None], tmp_path: Path
) -> None:
    play_run(tmp_path, "many-strategies", "bloxx-3p", "greedy", "random", "noisy", games=12)
    play_run(tmp_path, "variant", "bloxx-rest-2p", "greedy", "random", games=60)
    play_run(tmp_path, "first", "bloxx-2p", "greedy", "random", games=20, seed=1)
    play_run(tmp_path, "second", "bloxx-2p", "greedy", "random", games=20, seed=2)
    at = open_dashboard_page("library.py", tmp_path)
    assert not at.exception
    scope = find_telling_scope(cached.question_source(), games.find_game("bloxx"))
    assert scope
    assert {run.name for run in scope.runs} == {"first", "second"}
    assert "40 games for 2 players." in read_page_text(at)
    links = [
        one.proto for one in at.get("page_link") if one.proto.label == "Scores" and one.proto.query_string
    ]
    assert links[0].query_string == "rulesets=bloxx-2p"


def test_a_tile_shows_several_strategies_rather_than_many_games_of_one(
    open_dashboard_page: Callable[..., AppTest], play_run: Callable[..., None], tmp_path: Path
) -> None:
    play_run(tmp_path, "alone", "bloxx-2p", "random", "random", games=60)
    play_run(tmp_path, "both", "bloxx-2p", "greedy", "random", games=20)
    at = open_dashboard_page("library.py", tmp_path)
    assert not at.exception
    assert "20 games for 2 players." in read_page_text(at)
    (link,) = [
        one.proto
        for one in at.get("page_link")
        if one.proto.query_string.startswith("rulesets=bloxx-2p&lineups=")
    ]
    scope = find_telling_scope(cached.question_source(), games.find_game("bloxx"))
    assert scope
    assert {run.name for run in scope.runs} == {"both"}
    (compared,) = compare_means(scope, cached.question_source())
    assert set_sentence(describe_lead(compared, lowest_wins=False)) in read_page_text(at)
    shown = open_dashboard_page(
        "scores.py", tmp_path, **{key: texts[0] for key, texts in parse_qs(link.query_string).items()}
    )
    assert not shown.exception
    assert "greedy" in read_page_text(shown)


def test_an_opponent_that_chooses_tells_more_than_a_random_one_once_there_are_enough_games(
    play_run: Callable[..., None], tmp_path: Path
) -> None:
    def name_telling_runs() -> set[str]:
        scope = find_telling_scope(QuestionSource(Library(tmp_path)), games.find_game("bloxx"))
        assert scope
        return {run.name for run in scope.runs}

    play_run(tmp_path, "random", "bloxx-2p", "greedy", "random", games=4 * TELLING_BLOCKS)
    play_run(tmp_path, "few", "bloxx-2p", "greedy", "noisy", games=TELLING_BLOCKS)
    assert name_telling_runs() == {"random"}
    play_run(tmp_path, "enough", "bloxx-2p", "greedy", "noisy", games=2 * TELLING_BLOCKS, seed=2)
    assert name_telling_runs() == {"few", "enough"}


def test_runs_are_searched_and_sorted(
    open_dashboard_page: Callable[..., AppTest], library_with_dice: Library
) -> None:
    runs = {run.name: run for run in library_with_dice.runs()}

    def listed_runs(**address: str) -> list[str]:
        text = read_page_text(open_dashboard_page("runs.py", library_with_dice.folder, **address))
        found = {name: text.find(f"gray[{name} · ") for name in runs}
        return sorted((name for name in found if found[name] >= 0), key=found.__getitem__)

    assert listed_runs() == list(runs)
    assert listed_runs(order="Oldest first") == list(runs)[::-1]
    assert listed_runs(order="By name") == sorted(runs)
    assert listed_runs(order="Most games first")[0] == max(runs, key=lambda name: runs[name].summary.games)
    assert listed_runs(search="THREE greedy") == ["three"]
    assert listed_runs(**{"kind-of-game": "Blokus Dice"}) == ["dice"]
    wanted = [name for name, run in runs.items() if "random" in run.summary.strategies]
    assert listed_runs(search="random") == wanted
    at = open_dashboard_page("runs.py", library_with_dice.folder, search="nothing like it")
    assert "No run has all of these words." in [one.value for one in at.info]
    assert (
        "There is no order nope; expected "
        in open_dashboard_page("runs.py", library_with_dice.folder, order="nope").warning[0].value
    )


def test_a_what_if_shows_its_verdict_as_long_as_its_game_is_in_the_library(
    open_dashboard_page: Callable[..., AppTest], library_copy: Library
) -> None:
    parent = library_copy.run("three")
    *_, answer = play_whatif(fork_logged_game(parent, 1, 20, Change({0: "random"})), n=60, seed=4)
    simulate_run(
        saved_run_design(answer, "three", "forked"), library_copy.runs_folder / "forked.duckdb", workers=1
    )
    sentence = set_sentence(whatif_sentence(answer))
    at = open_dashboard_page("runs.py", library_copy.folder)
    text = read_page_text(at)
    assert sentence in text
    assert text.find("gray[forked · ") > max(text.find(f"gray[{name} · ") for name in ("three", "hanging"))
    assert "**192 games**, 120 of them in what-ifs, in **4 runs**" in read_page_text(at)
    query = read_page_links(at)["What if"]
    assert "run=three&game-number=2&move=21" in query
    assert "strategy=random" in query
    parent.path.unlink()
    at = open_dashboard_page("runs.py", library_copy.folder)
    assert not at.exception
    assert sentence not in read_page_text(at)
