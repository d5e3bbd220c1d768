"""SIGKILL at any moment: finished shards are not lost, no incomplete file has a final name, and the run can be resumed."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

from pipelines.simulate.verify import verify_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.design.design import Design
    from pipelines.runs.library import Library

    Contents = dict[str, Any]

DESIGN_KINDS: Final = ("simulate", "compare")
MAX_KILLS_IN_A_ROW: Final = 4
"""Most kills of one run before it may finish."""


def check_run_states(library: Library) -> Iterator[str]:
    """Check that nothing incomplete is visible in the library; yield "sealed" or "partial" for each run."""
    assert not library.broken_files()
    for run in library.runs():
        assert run.summary.games == run.connect().execute("SELECT count(*) FROM games").fetchall()[0][0]
        yield "sealed"
    for partial in library.unfinished_runs():
        assert not partial.is_running
        assert 0 <= partial.games_done <= partial.games
        if partial.finished_shards:
            with partial.connect() as connection:
                games = connection.execute("SELECT count(DISTINCT game_id) FROM seats").fetchall()
                assert games == [(partial.games_done,)]
                assert connection.execute("SELECT count(*) FROM plies").fetchall()[0][0] > 0
        yield "partial"


@dataclass(frozen=True)
class KillTrial:
    """A design that is played, killed and resumed in a library of its own."""

    planned: Design
    library: Library
    run_task: Callable[..., dict[str, Any]]
    read_contents: Callable[..., Contents]
    undisturbed: Contents
    """The contents of the run when nothing disturbs it."""

    def play_or_resume(self, work: str, **kill: float) -> dict[str, Any]:
        """Simulate or resume; kill the process `after` seconds or before `step`. Return how it ended."""
        return self.run_task(self.planned, self.library.runs_folder, work, **kill)

    def next_work(self) -> str | None:
        """Return what a person would do after a kill: "simulate" or "resume", or None if the run is finished."""
        states = list(check_run_states(self.library))
        assert states.count("sealed") <= 1
        assert states.count("partial") <= 1
        return "resume" if "partial" in states else None if "sealed" in states else "simulate"

    def finish(self) -> None:
        """Finish the run undisturbed. Afterwards the library has this run and nothing else that is visible."""
        if work := self.next_work():
            assert self.play_or_resume(work)["code"] == 0
        assert [path.name for path in self.library.runs_folder.glob("[!.]*")] == ["run.duckdb"]
        leftovers = {path.name.split("-")[0] for path in self.library.runs_folder.glob(".*")}
        assert leftovers <= {".new", ".removed"}
        assert self.read_contents(self.library.run("run")) == self.undisturbed

    def kill_at_random(self, dice: random.Random, seconds: float) -> int:
        """Kill the run several times at random moments, then finish it. Return the number of kills."""
        kills = 0
        for _ in range(MAX_KILLS_IN_A_ROW):
            work = self.next_work()
            if work is None:
                break
            kills += self.play_or_resume(work, after=dice.uniform(0, seconds))["killed"]
        self.finish()
        return kills

    def clear(self) -> None:
        """Empty the library."""
        shutil.rmtree(self.library.runs_folder)


@pytest.fixture
def kill_trial(
    kind: str,
    designs: dict[str, Design],
    memory_library: Library,
    kill_runner: Callable[..., dict[str, Any]],
    read_contents: Callable[..., Contents],
    undisturbed_contents: dict[str, Contents],
) -> KillTrial:
    """A trial of the design named by the parameter `kind`; nothing is played yet."""
    return KillTrial(designs[kind], memory_library, kill_runner, read_contents, undisturbed_contents[kind])


@pytest.mark.parametrize("kind", DESIGN_KINDS)
@pytest.mark.parametrize("kills", [4, pytest.param(200, marks=pytest.mark.night)])
def test_a_run_killed_at_random_moments_ends_as_if_nothing_had_happened(
    kill_trial: KillTrial, record_property: Callable[[str, object], None], kills: int
) -> None:
    dice, done, runs = random.Random(kills), 0, 0
    seconds = kill_trial.play_or_resume("simulate")["seconds"]
    while done < kills:
        kill_trial.clear()
        done += kill_trial.kill_at_random(dice, seconds)
        runs += 1
    verify_run(kill_trial.library.run("run"), workers=1)
    record_property("kills", done)
    record_property("runs", runs)


@pytest.mark.parametrize("kind", DESIGN_KINDS)
@pytest.mark.parametrize("every", [31, pytest.param(1, marks=pytest.mark.night)])
def test_a_kill_before_any_change_of_the_folder_loses_nothing(
    kill_trial: KillTrial, record_property: Callable[[str, object], None], every: int
) -> None:
    """The process is killed before each change once, from the first folder it makes to the last file it removes."""
    step, kills = 1, 0
    while kill_trial.play_or_resume("simulate", step=step)["killed"]:
        kills += 1
        kill_trial.finish()
        kill_trial.clear()
        step += every
    assert kills >= 30 // every
    record_property("kills", kills)


@pytest.mark.parametrize("kind", DESIGN_KINDS)
@pytest.mark.parametrize("every", [37, pytest.param(1, marks=pytest.mark.night)])
def test_a_kill_before_any_change_while_it_is_resumed_loses_nothing(
    kill_trial: KillTrial, record_property: Callable[[str, object], None], every: int
) -> None:
    """A run that was killed in the middle of its shards is killed again before each change while it is resumed."""
    stopped_at, step, kills = 20, 1, 0
    while True:
        assert kill_trial.play_or_resume("simulate", step=stopped_at)["killed"]
        assert kill_trial.next_work() == "resume"
        if not kill_trial.play_or_resume("resume", step=step)["killed"]:
            break
        kills += 1
        kill_trial.finish()
        kill_trial.clear()
        step += every
    assert kills >= 30 // every
    record_property("kills", kills)
