"""Background jobs: they run without the page that started them, and any page can find and stop them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.design.designs import design_comparison
from pipelines.experiments.comparison import compare_live_run
from pipelines.service import jobs
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run
    from pipelines.service.jobs import Job, JobState
    from tests.conftest import RunContents


def _wait_for_end(job: Job) -> JobState:
    wait_until(lambda: job.state not in {"starting", "running"})
    return job.state


@pytest.mark.slow
def test_two_jobs_of_one_second_end_as_runs_of_their_two_names(library: Library) -> None:
    started = [
        jobs.start_simulation(library, "bloxx-2p", ["random", "random"], games=4, seed=1, workers=1)
        for _ in range(2)
    ]
    assert started[0].name != started[1].name
    assert [_wait_for_end(jobs.Job(library, job.name)) for job in started] == ["finished", "finished"]
    assert [job.run.summary.games for job in started] == [4, 4]
    assert {run.name for run in library.runs()} == {job.name for job in started}


def test_a_job_that_fails_says_why_and_is_listed_until_it_is_forgotten(library: Library) -> None:
    job = jobs.start_simulation(library, "bloxx-2p", ["greedy", "gredy"], games=4)
    assert _wait_for_end(job) == "failed"
    assert job.last_line == "reroll: unknown strategy of bloxx 'gredy'; did you mean greedy?"
    assert not job.partial.folder.exists()
    assert job.name in [pending.name for pending in jobs.pending_jobs(library)]
    job.forget()
    assert job.name not in [pending.name for pending in jobs.pending_jobs(library)]


@pytest.mark.slow
@pytest.mark.usefixtures("plain_rules")
def test_a_cancelled_job_can_be_resumed(library: Library) -> None:
    job = jobs.start_simulation(library, "bloxx-2p", ["greedy", "random"], games=800, seed=1, workers=1)
    wait_until(lambda: job.state == "running" and job.partial.games_done > 0)
    job.cancel()
    assert _wait_for_end(job) == "stopped"
    partial = library.unfinished_run(job.name)
    assert 0 < partial.games_done < 800
    again = jobs.resume_job(library, partial)
    wait_until(lambda: again.state == "running" and not partial.is_cancelled)
    again.cancel()
    assert _wait_for_end(again) == "stopped"


@pytest.mark.slow
def test_a_comparison_runs_in_the_background_and_can_be_watched(library: Library, ruleset: Ruleset) -> None:
    design = design_comparison(
        ruleset, ["greedy", "random"], blocks=100, until_decided=True, seed=1, margin=2
    )
    job = jobs.start_comparison(library, design, workers=1)
    assert job.name.startswith("compare-bloxx-2p-")
    assert _wait_for_end(job) == "finished", job.last_line
    assert (job.run.summary.kind, job.run.summary.games) == ("compare", 200)
    assert job.run.summary.command == design.command


@pytest.mark.slow
@pytest.mark.usefixtures("plain_rules")
def test_a_cancelled_comparison_can_be_looked_at_and_resumed(library: Library, ruleset: Ruleset) -> None:
    design = design_comparison(ruleset, ["greedy", "random"], blocks=600, seed=1)
    job = jobs.start_comparison(library, design, workers=1)
    wait_until(lambda: job.state == "running" and job.partial.games_done > 0)
    job.cancel()
    assert _wait_for_end(job) == "stopped"
    comparison = compare_live_run(job.partial)
    assert (comparison.is_finished, comparison.games) == (False, job.partial.games_done)
    again = jobs.resume_job(library, job.partial)
    wait_until(lambda: again.state == "running" and not again.partial.is_cancelled)
    again.cancel()
    assert _wait_for_end(again) == "stopped"


def test_a_job_that_is_starting_is_ended_and_forgotten(library: Library) -> None:
    job = jobs.start_simulation(library, "bloxx-2p", ["random", "random"], games=4, seed=1, workers=1)
    assert job.state == "starting"
    assert job.name in [pending.name for pending in jobs.pending_jobs(library)]
    job.cancel()
    assert not job.is_alive
    assert not job.log.exists()
    assert not job.partial.folder.exists()
    assert not job.run.path.exists()
    assert job.name not in [pending.name for pending in jobs.pending_jobs(library)]


@pytest.fixture
def spare() -> Iterator[jobs.SpareProcess]:
    """A process that is ready for BLOXX!, or soon will be."""
    jobs.prepare_job("bloxx")
    (process,) = jobs._spare
    yield process
    process.process.kill()
    process.process.wait()
    jobs._spare.clear()


@pytest.mark.slow
def test_a_prepared_job_runs_in_the_process_that_waited_and_plays_the_same_games(
    library: Library, spare: jobs.SpareProcess, read_contents: Callable[[Run], RunContents]
) -> None:
    jobs.prepare_job("bloxx")
    assert jobs._spare == [spare]
    job = jobs.start_simulation(library, "bloxx-2p", ["greedy", "random"], games=4, seed=1, workers=1)
    assert job._pid_path.read_text() == str(spare.process.pid)
    assert not jobs._spare
    assert _wait_for_end(job) == "finished", job.last_line
    assert spare.process.wait(timeout=30) == 0
    assert "4 games in" in job.log.read_text()
    alone = jobs.start_simulation(library, "bloxx-2p", ["greedy", "random"], games=4, seed=1, workers=1)
    assert _wait_for_end(alone) == "finished", alone.last_line
    assert read_contents(job.run) == read_contents(alone.run)


@pytest.mark.slow
def test_a_prepared_job_that_fails_says_why(library: Library, spare: jobs.SpareProcess) -> None:
    job = jobs.start_simulation(library, "bloxx-2p", ["greedy", "gredy"], games=4)
    assert _wait_for_end(job) == "failed"
    assert job.last_line == "reroll: unknown strategy of bloxx 'gredy'; did you mean greedy?"
    assert spare.process.wait(timeout=30) == 2


@pytest.mark.slow
def test_a_prepared_process_ends_with_its_server_and_for_another_game(spare: jobs.SpareProcess) -> None:
    jobs.prepare_job("blokus")
    (other,) = jobs._spare
    assert other is not spare
    assert spare.process.wait(timeout=30) == 0
    other.end()  # as the end of the server does
    assert other.process.wait(timeout=60) == 0
    assert not other.is_ready_for("blokus")


@pytest.mark.slow
def test_a_job_starts_by_itself_when_the_process_that_waited_was_killed(
    library: Library, spare: jobs.SpareProcess
) -> None:
    spare.process.kill()
    spare.process.wait()
    job = jobs.start_simulation(library, "bloxx-2p", ["random", "random"], games=4, seed=1, workers=1)
    assert job.state == "starting"
    assert job._pid_path.read_text() != str(spare.process.pid)
    job.cancel()


@pytest.mark.slow
def test_a_prepared_job_that_is_starting_is_ended(library: Library, spare: jobs.SpareProcess) -> None:
    job = jobs.start_simulation(library, "bloxx-2p", ["random", "random"], games=4, seed=1, workers=1)
    assert job.state == "starting"
    job.cancel()
    assert not job.is_alive
    assert spare.process.wait(timeout=30) != 0
    assert not job.log.exists()
