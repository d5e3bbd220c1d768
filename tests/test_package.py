"""The wheel: whole, and at home in an empty folder. Built and installed without a network."""

from __future__ import annotations

import os
import site
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the tree as it stands."""
    place = tmp_path_factory.mktemp("wheel")
    done = run_command(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place)], ROOT, {}
    )
    assert done.returncode == 0, done.stderr
    (found,) = place.glob("reroll-*.whl")
    return found


@pytest.fixture(scope="module")
def installed_bin(wheel_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment that borrows the libraries of this one, but has its own Reroll."""
    place = tmp_path_factory.mktemp("installed") / "venv"
    for command in (
        [sys.executable, "-m", "venv", "--without-pip", str(place)],
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(place),
            "install",
            "--no-deps",
            "--no-index",
            str(wheel_file),
        ],
    ):
        done = run_command(command, ROOT, {})
        assert done.returncode == 0, done.stderr
    (packages,) = place.glob("lib/python*/site-packages")
    borrowed = [path for path in [*site.getsitepackages(), *sys.path] if path.endswith("site-packages")]
    (packages / "borrowed.pth").write_text("\n".join(dict.fromkeys(borrowed)), encoding="utf-8")
    return place / "bin"


@pytest.fixture
def empty_folder(tmp_path: Path) -> Path:
    """An empty folder to be in."""
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def run_command(command: list[str], folder: Path, extra: dict[str, str]) -> subprocess.CompletedProcess[str]:
    environment = {
        key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "REROLL_DATA"}
    }
    return subprocess.run(  # noqa: S603 - our own commands
        command, cwd=folder, env={**environment, **extra}, capture_output=True, text=True, check=False
    )


def test_the_wheel_holds_every_file_that_is_no_python(wheel_file: Path) -> None:
    """Rulesets, weights, the schema, the scripts and styles of the replay, the settings of the dashboard."""
    with zipfile.ZipFile(wheel_file) as archive:
        inside = set(archive.namelist())
    wanted = {
        path.relative_to(ROOT).as_posix()
        for package in ("engine", "pipelines", "dashboard")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix in {".py", ".toml", ".sql", ".js", ".css", ".svg", ".html", ".md"}
    }
    wanted |= {f"engine/rulesets/{path.name}" for path in (ROOT / "data" / "rulesets").glob("*.toml")}
    wanted |= {"dashboard/.streamlit/config.toml"}
    assert len(wanted) > 150
    assert wanted - inside == set()
    assert not [name for name in inside if name.startswith(("tests/", "data/runs", "."))]


def test_reroll_lives_in_an_empty_folder(installed_bin: Path, empty_folder: Path, tmp_path: Path) -> None:
    """Nothing of the checkout is used; data goes where data of the user goes."""
    home = {"HOME": str(tmp_path / "home"), "XDG_DATA_HOME": str(tmp_path / "share")}

    def run_installed(*words: str) -> str:
        done = run_command([str(installed_bin / words[0]), *words[1:]], empty_folder, home)
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = run_installed(
        "python", "-c", "import engine, pipelines, dashboard; print(engine.__file__, dashboard.__file__)"
    )
    assert str(ROOT) not in where
    assert (
        run_installed("reroll", "--version")
        == run_installed("python", "-m", "pipelines", "--version")
        == "reroll 0.2.0\n"
    )
    assert "spexxx-2p" in run_installed("reroll", "rulesets")
    run_installed(
        "reroll", "simulate", "bloxx-2p", "-s", "greedy,random", "--games", "4", "--seed", "1", "--quiet"
    )
    (run_file,) = (tmp_path / "share" / "reroll" / "runs").glob("*.duckdb")
    assert "all 4 games" in run_installed("reroll", "verify", run_file.stem, "--quiet")
    run_installed("reroll", "export", run_file.stem, "0", "--out", "game.html")
    assert "createReplay" in (empty_folder / "game.html").read_text(encoding="utf-8")
    run_installed("python", "-c", "from pipelines import Library; print(Library()._repr_html_())")
    assert [path.name for path in empty_folder.iterdir()] == ["game.html"]


@pytest.mark.night
def test_the_demo_and_the_dashboard_start_from_an_empty_folder(
    installed_bin: Path, empty_folder: Path, tmp_path: Path
) -> None:
    home = {"HOME": str(tmp_path / "home"), "XDG_DATA_HOME": str(tmp_path / "share")}
    done = run_command([str(installed_bin / "reroll"), "demo", "--no-serve"], empty_folder, home)
    assert done.returncode == 0, done.stderr
    runs = list((tmp_path / "share" / "reroll" / "runs").glob("demo-*.duckdb"))
    assert len(runs) > 15
    page = (
        "from pathlib import Path\n"
        "from pipelines.service.server import start_dashboard, find_dashboard_folder\n"
        "import urllib.request\n"
        f"with start_dashboard(Path({str(tmp_path / 'share' / 'reroll')!r}), None, quiet=True) as (_, address):\n"
        "    print(find_dashboard_folder(), len(urllib.request.urlopen(address).read()) > 0)"
    )
    served = run_command([str(installed_bin / "python"), "-c", page], empty_folder, home)
    assert served.returncode == 0, served.stderr
    assert str(ROOT) not in served.stdout
    assert served.stdout.endswith("dashboard True\n")
    assert list(empty_folder.iterdir()) == []
