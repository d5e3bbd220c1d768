"""Adding a game is adding a folder: a copy under a new name is found, played, shown and measured without another edit.

`tests/engine/test_example_game.py` runs the tests of all games and of all kernels for an added game.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess

    from tests.processes import RunProcess

ROOT = Path(__file__).parents[1]

SHOW_PAGES_SCRIPT = """
import json
from pathlib import Path
from streamlit.testing.v1 import AppTest
from engine.catalogue import Catalogue
from pipelines.design.designs import design_simulation
from pipelines.simulate.simulate import simulate_run

ruleset = Catalogue().find_ruleset("falling-2p")
target = Path("data/runs/falling.duckdb").absolute()
simulate_run(design_simulation(ruleset, ["greedy", "random"], games_at_least=2, seed=1), target, workers=1)
for page in ("library", "scores", "replay"):
    at = AppTest.from_file("dashboard/app.py", default_timeout=60)
    at.switch_page(f"views/{page}.py")
    at.run()
    assert not at.exception, at.exception
    assert not at.error, at.error
shown = [json.loads(part.proto.json) for part in at.get("bidi_component")]
print(next(data for data in shown if "scene" in data)["scene"]["game"])
"""


MEASURE_SCRIPT = """
from benchmarks import ladder
from benchmarks.measuring_plan import read_plan
from benchmarks.solvers import SOLVED_RULESETS, prepare_perfect_play
from engine.catalogue import Catalogue
from engine.games import start_state
from pipelines.bench import find_yardsticks
from pipelines.records.strategies import recorded_perfect_play

plan, copy = read_plan(), Catalogue().find_ruleset("falling-mini")
steps = ladder.select_steps(ladder.ladder_steps(plan), ["falling"])
print(sorted({step.ruleset.name for step in steps}))
print([(case.ruleset, case.strategy) for case in plan.calibration if case.ruleset.startswith("falling")])
print([name for name in find_yardsticks() if name.startswith("falling")])
print([name for name in SOLVED_RULESETS if name.startswith("falling")])
print(abs(prepare_perfect_play(copy).lead(start_state(copy)) - recorded_perfect_play()["bloxx-mini"].lead) < 1e-9)
"""


@pytest.fixture(scope="module")
def copied_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project in which the folder and the rulesets of one game have been copied."""
    place = tmp_path_factory.mktemp("house")
    for name in ("engine", "pipelines", "dashboard", "data/rulesets", "benchmarks"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    game = place / "engine/games/falling"
    shutil.copytree(game.with_name("bloxx"), game)
    for path in game.rglob("*.py"):
        path.write_text(
            path.read_text().replace("games.bloxx", "games.falling").replace('"bloxx', '"falling')
        )
    for path in (place / "data/rulesets").glob("bloxx*.toml"):
        copy = path.with_name(path.name.replace("bloxx", "falling"))
        copy.write_text(path.read_text().replace('"bloxx"', '"falling"'))
    for name in (
        "benchmarks/plans/bloxx.toml",
        "benchmarks/yardstick_bloxx.c",
        "benchmarks/solvers/bloxx.py",
    ):
        copy = place / name.replace("bloxx", "falling")
        copy.write_text((place / name).read_text().replace("bloxx", "falling"))
    return place


def run_python(run_process: RunProcess, house: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(house), "REROLL_DATA": str(house / "data")}
    return run_process([sys.executable, *command], cwd=house, env=environment)


def test_a_copied_game_is_simulated_and_shown(run_process: RunProcess, copied_project: Path) -> None:
    done = run_python(run_process, copied_project, "-c", SHOW_PAGES_SCRIPT)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip() == "falling"


def test_a_copied_game_is_measured_by_every_yardstick(run_process: RunProcess, copied_project: Path) -> None:
    """The ladder and the calibration read its plan; its solver and its program in C are found by their names."""
    done = run_python(run_process, copied_project, "-c", MEASURE_SCRIPT)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == [
        "['falling-2p', 'falling-3p', 'falling-4p']",
        "[('falling-2p', ''), ('falling-2p', 'planner')]",
        "['falling-4p']",
        "['falling-mini']",
        "True",
    ]
