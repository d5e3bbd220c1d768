"""`import reroll`: what notebooks and scripts use, also where a folder of theirs has the name of a package of Reroll."""

from __future__ import annotations

import os
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

import pipelines
import reroll
from pipelines.service.doctor import diagnose_hidden_packages

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.processes import RunProcess


def test_the_facade_has_the_library_and_the_version() -> None:
    assert reroll.Library is pipelines.Library
    assert reroll.__version__ == metadata.version("reroll")
    assert set(dir(reroll)) >= {"Library", "__version__"}
    with pytest.raises(AttributeError, match="nope"):
        getattr(reroll, "nope")  # noqa: B009 - mypy knows that it is not there


def hide_package(folder: Path, name: str) -> Path:
    """Make a package or a module of a person who knows nothing of Reroll."""
    path = folder / (f"{name}/__init__.py" if name == "engine" else f"{name}.py")
    path.parent.mkdir(exist_ok=True)
    path.write_text("COLOUR = 'red'\n", encoding="utf-8")
    return path


def run_in(
    run_process: RunProcess, folder: Path, *words: str, **extra: str
) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return run_process([sys.executable, *words], cwd=folder, env={**environment, **extra})


@pytest.mark.parametrize("name", ["engine", "pipelines", "dashboard"])
def test_a_hidden_package_is_one_clear_line(run_process: RunProcess, tmp_path: Path, name: str) -> None:
    path = hide_package(tmp_path, name)
    script = run_in(run_process, tmp_path, "-c", "from reroll import Library")
    message = f"Python finds {path} where Reroll needs its own package {name}"
    assert script.returncode == 1
    assert message in script.stderr.splitlines()[-1]
    assert "ImportError" not in script.stderr
    command = run_in(run_process, tmp_path, "-m", "reroll", "--version")
    assert command.returncode == 1
    (line,) = command.stderr.splitlines()
    assert line.startswith("reroll: ")
    assert message in line


def test_a_folder_without_python_hides_nothing(run_process: RunProcess, tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "pipelines").mkdir()
    script = run_in(run_process, tmp_path, "-c", "import reroll; print(reroll.Library.__name__)")
    assert script.stdout == "Library\n", script.stderr


def test_the_command_and_the_processes_it_starts_find_their_packages_beside_such_folders(
    run_process: RunProcess, tmp_path: Path
) -> None:
    """The doctor says that notebooks would not."""
    for name in ("engine", "pipelines", "dashboard"):
        hide_package(tmp_path, name)
    data = {"REROLL_DATA": str(tmp_path / "data")}
    play = ["simulate", "bloxx-2p", "-s", "greedy,random", "--games", "4", "--seed", "1", "--quiet"]
    done = run_in(run_process, tmp_path, "-P", "-m", "reroll", *play, **data)
    assert done.returncode == 0, done.stderr
    finding = diagnose_hidden_packages(tmp_path)
    assert not finding.ok
    assert "hide packages of Reroll" in finding.says
    assert str(tmp_path / "engine") in finding.says


def test_notebooks_are_offered_the_public_names_alone() -> None:
    assert sorted(dir(reroll)) == sorted(reroll.__all__)
