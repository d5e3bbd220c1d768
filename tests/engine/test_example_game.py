"""The example game of docs/new-game.md is complete: put into a copy of the project, it passes the tests of all games."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.kernels.loader import can_compile_games

if TYPE_CHECKING:
    from tests.processes import RunProcess

ROOT = Path(__file__).parents[2]
EXAMPLE = Path(__file__).parent / "example_game"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the engine and its tests, with the example in its place among the games."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("engine", "data/rulesets"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in (
        "pyproject.toml",
        "tests/examples.py",
        "tests/engine/every_ruleset.py",
        "tests/engine/playing.py",
        "tests/engine/test_conformance.py",
        "tests/engine/kernels/test_kernels.py",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(EXAMPLE / "harvest", folder / "engine/games/harvest")
    shutil.copy(EXAMPLE / "harvest.toml", folder / "data/rulesets/harvest.toml")
    (folder / "tests/engine/games/harvest").mkdir(parents=True)
    shutil.copy(EXAMPLE / "clause_tests.py", folder / "tests/engine/games/harvest/test_rules.py")
    for path in folder.rglob("harvest/**/*.py"):
        path.write_text(path.read_text().replace("tests.engine.example_game.", "engine.games."))
    return folder


def run_tests(run_process: RunProcess, project: Path, *arguments: str) -> int:
    """Run pytest in the copied project and return how many tests passed; fail if any did not pass."""
    environment = {**os.environ, "PYTHONPATH": str(project), "REROLL_CACHE": str(project / "cache")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = run_process(command, cwd=project, env=environment)
    assert done.returncode == 0, done.stdout[-3000:]
    passed = re.search(r"(\d+) passed(?!.*skipped)", done.stdout)
    assert passed, done.stdout[-3000:]
    return int(passed[1])


def test_the_example_keeps_to_its_clauses_and_to_the_contract(run_process: RunProcess, project: Path) -> None:
    assert run_tests(run_process, project, "tests/engine/games/harvest") == 6
    assert run_tests(run_process, project, "tests/engine/test_conformance.py", "-k", "harvest") > 40


@pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")
def test_the_kernel_of_the_example_plays_as_its_rules_do(run_process: RunProcess, project: Path) -> None:
    assert run_tests(run_process, project, "tests/engine/kernels/test_kernels.py", "-k", "harvest") > 20


def test_the_plain_kernel_stays_short() -> None:
    """It is there to be read and copied."""
    assert len((EXAMPLE / "harvest/kernel/batches.py").read_text().splitlines()) < 500
