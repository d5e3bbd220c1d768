"""SIGKILL at any moment: nothing that was finished is lost, nothing half written has a final name, and it can be resumed."""

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

    Contents = dict[str, list[tuple[Any, ...]]]

DESIGN_KINDS: Final = ("simulate", "compare")
MAX_KILLS_IN_A_ROW: Final = 4
"""Kills that one run has to survive before it may go on."""


def check_run_states(shelf: Library) -> Iterator[str]:
    """Look at the library as everybody does, and name what is there; whatever is half written must not be seen."""
    assert not shelf.broken_files()
    for run in shelf.runs():
        assert run.summary.games == run.connect().execute("SELECT count(*) FROM games").fetchall()[0][0]
        yield "sealed"
    for partial in shelf.unfinished_runs():
        assert not partial.is_running
        assert 0 <= partial.games_done <= partial.games
        if partial.finished_shards:
            with partial.connect() as connection:
                found = connection.execute("SELECT count(DISTINCT game_id) FROM seats").fetchall()
                assert found == [(partial.games_done,)]
                assert connection.execute("SELECT count(*) FROM plies").fetchall()[0][0] > 0
        yield "partial"


@dataclass(frozen=True)
class KillTrial:
    """One design in an empty library, played, killed and resumed there."""

    planned: Design
    shelf: Library
    forge: Callable[..., dict[str, Any]]
    contents: Callable[..., Contents]
    undisturbed: Contents
    """What the run holds if nothing happens to it."""

    def play_or_resume(self, work: str, **kill: float) -> dict[str, Any]:
        """Simulate or resume; kill it `after` seconds or before `step`. Tell how it ended."""
        return self.forge(self.planned, self.shelf.runs_folder, work, **kill)

    def next_work(self) -> str | None:
        """Say how somebody would go on after a kill: None if the run is there."""
        found = list(check_run_states(self.shelf))
        assert found.count("sealed") <= 1
        assert found.count("partial") <= 1
        return "resume" if "partial" in found else None if "sealed" in found else "simulate"

    def finish(self) -> None:
        """Let it go on undisturbed; afterwards there is the very run and nothing else that anybody sees."""
        if work := self.next_work():
            assert self.play_or_resume(work)["code"] == 0
        assert [path.name for path in self.shelf.runs_folder.glob("[!.]*")] == ["run.duckdb"]
        leftovers = {path.name.split("-")[0] for path in self.shelf.runs_folder.glob(".*")}
        assert leftovers <= {".new", ".removed"}
        assert self.contents(self.shelf.run("run")) == self.undisturbed

    def kill_at_random(self, dice: random.Random, seconds: float) -> int:
        """Kill it again and again at random moments, then let it end. Return how often it was killed."""
        kills = 0
        for _ in range(MAX_KILLS_IN_A_ROW):
            work = self.next_work()
            if work is None:
                break
            kills += self.play_or_resume(work, after=dice.uniform(0, seconds))["killed"]
        self.finish()
        return kills

    def clear(self) -> None:
        """Begin anew: nothing has ever been played here."""
        shutil.rmtree(self.shelf.runs_folder)


@pytest.fixture
def kill_trial(
    kind: str,
    designs: dict[str, Design],
    memory_library: Library,
    kill_runner: Callable[..., dict[str, Any]],
    read_contents: Callable[..., Contents],
    undisturbed_contents: dict[str, Contents],
) -> KillTrial:
    """A design of the kind that the test is parametrised by, not begun."""
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
    verify_run(kill_trial.shelf.run("run"), workers=1)
    record_property("kills", done)
    record_property("runs", runs)


@pytest.mark.parametrize("kind", DESIGN_KINDS)
@pytest.mark.parametrize("every", [31, pytest.param(1, marks=pytest.mark.night)])
def test_a_kill_before_any_change_of_the_folder_loses_nothing(
    kill_trial: KillTrial, record_property: Callable[[str, object], None], every: int
) -> None:
    """From the first folder that is made to the last file that is removed, every step is the last one once."""
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
    """A run that was killed in the middle of its shards is killed again at every step of its resumption."""
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
