"""Fixtures of the tests of faults: a folder in memory, and processes that are killed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pipelines.design.designs import design_comparison, design_simulation
from pipelines.runs.library import Library
from pipelines.runs.unfinished_run import begin_run
from pipelines.simulate.simulate import resume_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.ruleset import Ruleset
    from pipelines.design.design import Design
    from tests.processes import StartProcess

    Contents = dict[str, Any]

KILL_PROGRAM: Final = Path(__file__).with_name("kill_runs.py")
MEMORY_FOLDER: Final = Path("/dev/shm")  # noqa: S108 - a file system in memory, where hundreds of fsyncs are fast


@pytest.fixture
def memory_folder() -> Iterator[Path]:
    """A temporary folder, in memory if the system has /dev/shm."""
    with tempfile.TemporaryDirectory(
        dir=MEMORY_FOLDER if os.access(MEMORY_FOLDER, os.W_OK) else None
    ) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def designs(ruleset: Ruleset) -> dict[str, Design]:
    """The designs that are played and killed: a simulation of four shards, and a comparison that ends before its budget."""
    simulated = design_simulation(ruleset, ["greedy", "random"], blocks=24, seed=3)
    compared = design_comparison(
        ruleset, ["greedy", "random"], blocks=400, until_decided=True, seed=3, log="sample=0.1"
    )
    return {
        "simulate": simulated.model_copy(update={"shard_blocks": 6}),
        "compare": compared.model_copy(update={"shard_blocks": 40}),
    }


class KillRunner:
    """Sends tasks to the program `kill_runs.py`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def __call__(self, design: Design, runs: Path, work: str, **kill: float) -> dict[str, Any]:
        """Simulate or resume a run in the folder `runs`; kill the process `after` seconds or before `step`. Return the answer."""
        task = {
            "work": work,
            "design": json.loads(design.model_dump_json()),
            "runs": str(runs),
            "name": "run",
            "workers": 1,
            **kill,
        }
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


@pytest.fixture(scope="session")
def kill_runner(designs: dict[str, Design], start_process: StartProcess) -> Iterator[KillRunner]:
    """The program `kill_runs.py`, which forks processes and kills them."""
    with start_process(
        [sys.executable, str(KILL_PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(KILL_PROGRAM.parents[2])},
    ) as process:
        assert process.stdin
        assert process.stdout
        documents = [json.loads(design.model_dump_json()) for design in designs.values()]
        process.stdin.write(json.dumps(documents) + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ready\n"
        yield KillRunner(process)
        process.stdin.close()


@pytest.fixture(scope="session")
def undisturbed_contents(
    designs: dict[str, Design],
    read_contents: Callable[..., Contents],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Contents]:
    """The contents of the runs of `designs` when nothing disturbs them."""
    folder = tmp_path_factory.mktemp("undisturbed")
    contents = {}
    for name, planned in designs.items():
        run = resume_run(begin_run(folder / f"{name}.duckdb", planned, free_name=False), workers=1)
        contents[name] = read_contents(run)
    shutil.rmtree(folder)
    return contents


@pytest.fixture
def memory_library(memory_folder: Path) -> Library:
    """An empty library in memory."""
    return Library(memory_folder)
