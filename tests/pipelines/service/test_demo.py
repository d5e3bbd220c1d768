"""The demo library: runs of every game, each made once, while the dashboard is open.

The time that the demo library still needs is estimated from its finished steps, and is never a wild number.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import games
from engine.kernels.loader import can_compile_games
from engine.strategies import read_player
from pipelines.experiments.comparison import compare_strategies
from pipelines.experiments.review_runs import find_review_kind
from pipelines.experiments.reviewer import Reviewer
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.decisions import DecisionsAnswer
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.report.verdicts import write_comparison
from pipelines.runs.library import Library
from pipelines.service import demo, jobs
from pipelines.service.demo import (
    MAX_PACE,
    PLANNED_SECONDS,
    DemoStep,
    estimate_seconds_left,
    plan_demo_runs,
    read_demo_progress,
)
from pipelines.simulate.verify import verify_run
from tests.processes import free_port

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue
    from tests.processes import StartProcess

GAMES = ("blokus", "blokus-dice", "bloxx", "spexxx")


def test_every_ruleset_has_line_ups(catalogue: Catalogue) -> None:
    for ruleset in catalogue.rulesets.values():
        for line_up in (demo.demo_lineup(ruleset), demo.telling_lineup(ruleset)):
            assert len(line_up) == ruleset.players
            names = {read_player(games.find_game(ruleset.game), name).name for name in line_up}
            assert len(names) == (2 if line_up == demo.demo_lineup(ruleset) else ruleset.players)


def test_a_telling_line_up_goes_from_the_weakest_to_the_strongest_strategy(catalogue: Catalogue) -> None:
    assert demo.telling_lineup(catalogue.find_ruleset("bloxx-4p")) == [
        "random",
        "greedy",
        "planner",
        "rollout",
    ]
    assert demo.telling_lineup(catalogue.find_ruleset("spexxx-2p")) == ["random", "learned"]


def test_every_game_comes_first_once_and_then_the_other_small_runs_and_the_examples(tmp_path: Path) -> None:
    plans = demo.missing_demo_runs(Library(tmp_path))
    assert [plan.target.stem for plan in plans[:4]] == [f"demo-{game}-2p" for game in GAMES]
    kinds = [plan.kind for plan in plans]
    assert kinds == [*["small"] * 37, *["strategies"] * 4, *["comparison"] * 4, *["whatif"] * 4]
    assert len({plan.target for plan in plans}) == len(plans)


def test_the_demo_plays_printed_games_and_their_variants_only(tmp_path: Path) -> None:
    played = {str(planned.document["name"]) for planned in demo.plan_demo_runs(Library(tmp_path))}
    assert {"bloxx-2p", "blokus-dice-graded-2p", "spexxx-children-2p"} < played
    assert not [name for name in played if name.endswith("-mini")]


def test_every_machine_plays_the_same_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However fast it is, so that documentation, pictures and reports of faults are about the same numbers."""
    plans = [plan for plan in demo.plan_demo_runs(Library(tmp_path)) if plan.target.stem == "demo-bloxx-2p"]
    designed = []
    for seconds_between_looks in (1e-6, 60.0):
        clock = itertools.count()
        monkeypatch.setattr(
            time, "monotonic", lambda clock=clock, step=seconds_between_looks: step * next(clock)
        )
        designed += [demo._design_demo_run(plan).run_document for plan in plans]
    assert len(set(designed)) == 1


@pytest.mark.slow
def test_missing_demo_runs_are_made_once(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "DEMO_BLOCKS", dict.fromkeys(demo.DEMO_BLOCKS, 2))
    plans = demo.missing_demo_runs(library)
    wanted = [plan for plan in plans if plan.target.stem in {"demo-bloxx-2p", "demo-bloxx-3p"}]
    finished: list[tuple[int, str, int]] = []
    demo.make_demo_runs(wanted, lambda *report: finished.append(report))
    assert [done for done, _, _ in finished] == [1, 2]
    assert {name for _, name, _ in finished} == {"demo-bloxx-2p", "demo-bloxx-3p"}
    assert all(games > 0 for _, _, games in finished)
    assert len(demo.missing_demo_runs(library)) == len(plans) - 2
    verify_run(library.run("demo-bloxx-3p"), workers=1)


@pytest.mark.slow
@pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")
def test_the_examples_of_a_game_show_strategies_a_comparison_and_a_whatif(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "DEMO_BLOCKS", {"small": 60, "strategies": 10, "comparison": 60})
    monkeypatch.setattr(demo, "WHATIF_CONTINUATIONS", 20)
    monkeypatch.setattr(demo, "find_review_kind", partial(find_review_kind, effort=0.1))
    monkeypatch.setattr(os, "setpriority", lambda *_: None)
    examples = ["demo-strategies-bloxx-4p", "demo-comparison-bloxx-2p", "demo-whatif-bloxx-2p"]
    for plan in demo.missing_demo_runs(Library(tmp_path)):
        if plan.target.stem in {"demo-bloxx-2p", *examples}:
            assert demo._make_demo_run(plan) > 0
    made = {run.name: run for run in Library(tmp_path).runs()}
    assert set(made) == {"demo-bloxx-2p", *examples}
    strategies = {seat.strategy.partition(":")[0] for seat in made["demo-strategies-bloxx-4p"].list_seats(0)}
    assert strategies == {"random", "greedy", "planner", "rollout"}
    comparison = compare_strategies(made["demo-comparison-bloxx-2p"])
    assert write_comparison(comparison).startswith("planner beats greedy by")
    question = ScoresQuestion(view="Decisions")
    answer = answer_scores(question, QuestionSource(Library(tmp_path)))
    assert isinstance(answer, DecisionsAnswer)
    assert [run.name for run in answer.scope.runs] == ["demo-comparison-bloxx-2p"]
    assert answer.listed
    assert all(total.mean for total in answer.totals.values())
    assert "planner played" in made["demo-whatif-bloxx-2p"].summary.title
    store = NoteStore(tmp_path)
    notes = {note.kind: note for note in store.search(NoteFilter()).notes}
    assert set(notes) == {"comparison", "what-if", "game", "ply"}
    assert {note.collections for note in notes.values()} == {("Examples",)}
    turn = notes["ply"]
    assert (turn.is_favourite, turn.address["review"]) == (True, ["1"])
    run = made[turn.address["run"][0]]
    game, ply = (int(turn.address[key][0]) - 1 for key in ("game-number", "move"))
    reviewer = Reviewer(run.ruleset("bloxx-2p"), run.actions(game), number=game)
    winner = next(seat.seat for seat in run.list_seats(game) if seat.rank == 1)
    before, after = (reviewer.position_value(at)[1][winner] for at in (ply, ply + 1))
    assert before.estimate < 0.5
    assert before.high < after.low
    assert f" wins {100 * before.estimate:.0f} % " in turn.text
    store.remove(notes["what-if"])
    plans = {plan.target.stem: plan for plan in demo.plan_demo_runs(Library(tmp_path))}
    demo._design_demo_run(plans["demo-whatif-bloxx-2p"])
    assert store.search(NoteFilter()).total == 4  # a repetition adds only what is missing


def test_the_dashboard_opens_at_once_and_ctrl_c_ends_it_and_the_demo(
    start_process: StartProcess, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "pipelines", "demo", "--no-browser", "--port", str(free_port())]
    command += ["--data", str(tmp_path)]
    with start_process(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout
            assert "The dashboard is at http://127.0.0.1:" in process.stdout.readline()
            deadline = time.monotonic() + 120
            while not list(tmp_path.glob("runs/demo-*.duckdb")):
                assert time.monotonic() < deadline
                time.sleep(0.2)
            job = jobs.demo_job(Library(tmp_path))
            assert job.is_alive
            process.send_signal(signal.SIGINT)
            process.wait(20)
            deadline = time.monotonic() + 5  # the system may take a moment to end a killed process
            while job.is_alive:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        finally:
            process.kill()


START = 1_800_000_000.0


def test_the_time_left_follows_from_the_runs_that_the_job_has_finished(tmp_path: Path) -> None:
    library = Library(tmp_path)
    job = jobs.demo_job(library)
    library.runs_folder.mkdir(parents=True)
    job.log.parent.mkdir()
    pid = job.log.with_suffix(".pid")
    pid.write_text("1", encoding="ascii")
    os.utime(pid, (START, START))
    plans = plan_demo_runs(library)

    def finish(number: int, at: float) -> None:
        plans[number].target.touch()
        os.utime(plans[number].target, (at, at))

    finish(0, START - 60)  # there before the job began, so it says nothing about its pace
    assert read_demo_progress(library, job, lambda: START + 100).seconds_left is None
    for number in range(1, 11):
        finish(number, START + number / 2)
    assert read_demo_progress(library, job, lambda: START + 1).seconds_left is None
    progress = read_demo_progress(library, job, lambda: START + 6)
    planned = [PLANNED_SECONDS[plan.kind] for plan in plans]
    assert (progress.ready, progress.runs) == (11, len(plans))
    assert progress.seconds_left == pytest.approx(sum(planned[11:]) * (6 - 1) / sum(planned[3:11]))
    assert progress.share == pytest.approx(sum(planned[:11]) / sum(planned))
    # A machine that slept for a month does not need months for the rest.
    late = read_demo_progress(library, job, lambda: START + 2_500_000).seconds_left
    assert late
    assert late <= MAX_PACE * sum(planned[11:]) * (1 + 1e-9)
    # A clock that was set back gives no number instead of a negative one.
    assert read_demo_progress(library, job, lambda: START - 500).seconds_left is None
    for number in range(11, len(plans)):
        finish(number, START + 90)
    assert read_demo_progress(library, job, lambda: START + 91)[2:] == (1.0, 0.0)
    pid.unlink()
    assert read_demo_progress(library, job).seconds_left is None


def test_the_first_runs_which_compile_do_not_lengthen_the_time_left() -> None:
    steps = [DemoStep(1.0, 1.0, at) for at in [20.0, 40.0, 60.0, *range(61, 69)]]
    assert estimate_seconds_left([*steps, *[DemoStep(1.0, 0.0)] * 30], 68.0) == pytest.approx(30)


@settings(deadline=None)
@given(st.lists(st.floats(0.5, 20), min_size=2, max_size=49), st.floats(0.2, 5), st.floats(0, 1), st.data())
def test_at_an_even_pace_the_estimate_is_exact_also_in_the_middle_of_a_run(
    planned: list[float], pace: float, share: float, data: st.DataObject
) -> None:
    done = data.draw(st.integers(1, len(planned) - 1))
    shares = [1.0] * done + [share * 0.99] + [0.0] * (len(planned) - done - 1)
    ends = [pace * end if part == 1 else None for end, part in zip(accumulate(planned), shares, strict=True)]
    steps = [DemoStep(*step) for step in zip(planned, shares, ends, strict=True)]
    spent = sum(one * part for one, part in zip(planned, shares, strict=True))
    left = estimate_seconds_left(steps, pace * spent)
    if pace * spent < 4 or spent < 0.03 * sum(planned):
        assert left is None
    else:
        assert left == pytest.approx(pace * (sum(planned) - spent))
