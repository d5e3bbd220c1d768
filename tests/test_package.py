"""The wheel: whole, and at home in an empty folder. Built and installed without a network."""

from __future__ import annotations

import json
import os
import posixpath
import re
import shutil
import site
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.kernels.code_cache import kernel_cache_folder
from tests.pipelines.notebook.test_examples import EXAMPLES, list_texts

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from tests.processes import RunProcess

    RunCommand = Callable[[list[str], Path, dict[str, str]], subprocess.CompletedProcess[str]]

ROOT = Path(__file__).parents[1]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
RUN_COMMANDS_SCRIPT = """
import json, sys
from typer.testing import CliRunner
from pipelines.cli import app

answers = [CliRunner().invoke(app, words) for words in json.loads(sys.argv[1])]
print(json.dumps([(answer.exit_code, answer.stdout, answer.stderr) for answer in answers]))
"""
"""Runs commands one after the other; prints the exit code of each and what it wrote."""


RUN_NOTEBOOK_SCRIPT = """
import sys
import nbclient, nbformat

notebook = nbformat.read(sys.argv[1], as_version=4)
notebook.cells.append(nbformat.v4.new_code_cell("import pipelines; print(pipelines.__file__)"))
nbclient.NotebookClient(notebook, timeout=300, record_timing=False).execute()
nbformat.write(notebook, sys.argv[2])
"""
"""Executes a notebook and a cell that prints where the package lies, and writes it with its outputs."""


@pytest.fixture(scope="module")
def wheel_file(run_command: RunCommand, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the tree as it stands."""
    place = tmp_path_factory.mktemp("wheel")
    done = run_command(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place)], ROOT, {}
    )
    assert done.returncode == 0, done.stderr
    (found,) = place.glob("reroll-*.whl")
    return found


@pytest.fixture(scope="module")
def installed_bin(
    run_command: RunCommand, wheel_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
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


@pytest.fixture(scope="module")
def bin_without_dashboard(
    run_command: RunCommand, installed_bin: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """An environment with Reroll and the same libraries as `installed_bin`, but for those of the extra `dashboard`."""
    place = tmp_path_factory.mktemp("worker") / "venv"
    done = run_command([sys.executable, "-m", "venv", "--without-pip", str(place)], ROOT, {})
    assert done.returncode == 0, done.stderr
    (packages,) = place.glob("lib/python*/site-packages")
    (own,) = installed_bin.parent.glob("lib/python*/site-packages")
    borrowed = [Path(line) for line in (own / "borrowed.pth").read_text(encoding="utf-8").splitlines()]
    for folder in (own, *borrowed):
        for path in folder.iterdir():
            name = path.name.lower()
            is_hidden = name.startswith(("streamlit", "plotly", "altair", "_plotly")) or path.suffix == ".pth"
            is_other_reroll = folder != own and name.startswith("reroll")
            if not is_hidden and not is_other_reroll and not (packages / path.name).exists():
                (packages / path.name).symlink_to(path)
    return place / "bin"


@pytest.fixture(scope="session")
def run_command(run_process: RunProcess) -> RunCommand:
    """Return a function that runs a command in a folder, in an environment without a data folder and other modules."""

    def run_in_folder(
        command: list[str], folder: Path, extra: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        environment = {
            key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "REROLL_DATA"}
        }
        return run_process(command, cwd=folder, env={**environment, **extra})

    return run_in_folder


def run_all_commands(
    run_command: RunCommand, python: Path, commands: list[list[str]], folder: Path, extra: dict[str, str]
) -> list[tuple[int, str, str]]:
    """Run commands of Reroll in one process of this Python; return the exit code, stdout and stderr of each."""
    done = run_command([str(python), "-c", RUN_COMMANDS_SCRIPT, json.dumps(commands)], folder, extra)
    assert done.returncode == 0, done.stderr
    return [(code, out, errors) for code, out, errors in json.loads(done.stdout)]


def test_the_wheel_holds_every_file_that_is_no_python(wheel_file: Path) -> None:
    """Rulesets, weights, the schema, the scripts and styles of the replay, the settings of the dashboard."""
    with zipfile.ZipFile(wheel_file) as archive:
        inside = set(archive.namelist())
    wanted = {
        path.relative_to(ROOT).as_posix()
        for package in ("engine", "pipelines", "dashboard", "reroll")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix in {".py", ".toml", ".sql", ".js", ".css", ".svg", ".html", ".md"}
    }
    wanted |= {f"engine/rulesets/{path.name}" for path in (ROOT / "data" / "rulesets").glob("*.toml")}
    wanted |= {"dashboard/.streamlit/config.toml"}
    wanted |= {f"pipelines/docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}
    assert len(wanted) > 150
    assert wanted - inside == set()
    assert not [name for name in inside if name.startswith(("tests/", "benchmarks/", "data/runs", "."))]


def test_reroll_lives_in_an_empty_folder(
    run_command: RunCommand, installed_bin: Path, empty_folder: Path, tmp_path: Path
) -> None:
    """Nothing of the checkout is used but its compiled games; data goes where data of the user goes."""
    home = {"HOME": str(tmp_path / "home"), "XDG_DATA_HOME": str(tmp_path / "share")}
    home["REROLL_CACHE"] = str(kernel_cache_folder())

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
        == f"reroll {VERSION}\n"
    )
    play = ("simulate", "bloxx-2p", "-s", "greedy,random", "--games", "4", "--seed", "1", "--quiet")
    run_installed("reroll", *play)
    (run_file,) = (tmp_path / "share" / "reroll" / "runs").glob("*.duckdb")
    commands = [
        ["rulesets"],
        ["docs"],
        ["docs", "first-hour"],
        ["verify", run_file.stem, "--quiet"],
        ["export", run_file.stem, "--game", "1", "--out", "game.html"],
    ]
    answers = run_all_commands(run_command, installed_bin / "python", commands, empty_folder, home)
    assert [code for code, _, _ in answers] == [0] * len(commands), answers
    rulesets, docs, first_hour, verified, _ = (said for _, said, _ in answers)
    assert "spexxx-2p" in rulesets
    assert str(ROOT) not in docs
    assert first_hour == (ROOT / "docs" / "first-hour.md").read_text()
    assert "all 4 games" in verified
    assert "createReplay" in (empty_folder / "game.html").read_text(encoding="utf-8")
    run_installed("python", "-c", "import reroll; print(reroll.Library()._repr_html_())")
    assert [path.name for path in empty_folder.iterdir()] == ["game.html"]


def test_no_link_of_the_installed_documentation_is_dead(wheel_file: Path) -> None:
    with zipfile.ZipFile(wheel_file) as archive:
        inside = set(archive.namelist())
        pages = [name for name in inside if re.match(r"pipelines/(docs|benchmarks)/.*\.md$", name)]
        texts = {name: archive.read(name).decode() for name in pages}
    links = {
        (name, posixpath.normpath(posixpath.join(posixpath.dirname(name), link)))
        for name, text in texts.items()
        for link in re.findall(r"\]\((?!https?://)([^)#\s]+)(?:#[^)]*)?\)", text)
    }
    assert len(links) > 20
    assert not [(name, link) for name, link in sorted(links) if link not in inside]


def test_only_the_extra_needs_the_packages_of_the_dashboard(wheel_file: Path) -> None:
    with zipfile.ZipFile(wheel_file) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        lines = archive.read(name).decode().splitlines()
    required = [line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist: ")]
    core = [text for text in required if "extra ==" not in text]
    extra = [text for text in required if "extra == 'dashboard'" in text]
    assert len(core) > 10
    assert not [text for text in core if text.startswith(("streamlit", "plotly", "altair"))]
    assert [text.partition("<")[0].partition(">")[0] for text in sorted(extra)] == ["plotly", "streamlit"]


def test_everything_but_the_dashboard_works_without_its_packages(
    run_command: RunCommand, bin_without_dashboard: Path, empty_folder: Path, tmp_path: Path
) -> None:
    home = {"HOME": str(tmp_path / "home"), "REROLL_DATA": str(tmp_path / "data"), "REROLL_KERNELS": "0"}
    games = ["bloxx-2p", "-s", "greedy,random", "--games", "4", "--seed", "1", "--quiet", "--name", "few"]
    working = [
        ["simulate", *games],
        ["verify", "few", "--quiet"],
        ["compare", "--run", "few"],
        ["whatif", "few", "--game", "1", "--move", "last-roll", "--luck", "--continuations", "4", "--quiet"],
        ["export", "few", "--game", "1", "--out", "game.html"],
        ["sql", "SELECT count(*) FROM games"],
        ["doctor", "--json"],
    ]
    refused = [["dashboard", "--no-browser"], ["demo", "--no-browser"]]
    answers = run_all_commands(
        run_command, bin_without_dashboard / "python", [*working, *refused], empty_folder, home
    )
    for words, (code, _, errors) in zip(working, answers, strict=False):
        assert code == 0, (words, errors)
    message = (
        "reroll: the dashboard needs streamlit and plotly; install what is missing with: "
        "in a clone of Reroll, pip install -e '.[dashboard]'\n"
    )
    assert answers[len(working) :] == [(2, "", message)] * len(refused)
    report = json.loads(answers[len(working) - 1][1])
    findings = {finding["about"]: finding for finding in report["findings"]}
    assert findings["packages"]["ok"]
    assert findings["dashboard"]["ok"]
    assert findings["dashboard"]["says"].startswith(
        "not installed; to get it: in a clone of Reroll, pip install"
    )


def test_an_installed_dashboard_answers_programs(
    run_command: RunCommand, installed_bin: Path, empty_folder: Path, tmp_path: Path
) -> None:
    ask = (
        "from pathlib import Path\n"
        "from pipelines.service.server import start_dashboard\n"
        "import urllib.request\n"
        f"with start_dashboard(Path({str(tmp_path / 'data')!r}), None, quiet=True) as (_, address):\n"
        "    answer = urllib.request.urlopen(address + '/rules.json?ruleset=bloxx-2p')\n"
        "    print(answer.headers['X-Frame-Options'], answer.read().decode())"
    )
    asked = run_command([str(installed_bin / "python"), "-c", ask], empty_folder, {})
    assert asked.returncode == 0, asked.stderr
    header, _, document = asked.stdout.partition(" ")
    assert (header, json.loads(document)["kind"]) == ("SAMEORIGIN", "rules")


@pytest.mark.night
def test_the_demo_and_the_dashboard_start_from_an_empty_folder(
    run_command: RunCommand, installed_bin: Path, empty_folder: Path, tmp_path: Path
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


@pytest.mark.night
def test_a_game_that_is_a_wheel_is_a_game_where_it_is_installed(
    run_command: RunCommand, installed_bin: Path, empty_folder: Path, tmp_path: Path
) -> None:
    """The wheel is that of docs/new-game.md."""
    example, place = ROOT / "tests" / "engine" / "example_game", tmp_path / "harvest"
    shutil.copytree(example / "harvest", place / "engine" / "games" / "harvest")
    (place / "engine" / "rulesets").mkdir()
    shutil.copy(example / "harvest.toml", place / "engine" / "rulesets")
    for path in place.rglob("*.py"):
        path.write_text(path.read_text().replace("tests.engine.example_game.", "engine.games."))
    (document,) = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "new-game.md").read_text(), re.DOTALL)
    (place / "pyproject.toml").write_text(document, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(installed_bin.parent)]
    home = {"REROLL_DATA": str(tmp_path / "data")}
    reroll = str(installed_bin / "reroll")
    for command in (
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place)],
        [*pip, "install", "--no-deps", "--no-index", str(place / "reroll_harvest-1.0-py3-none-any.whl")],
        [reroll, "simulate", "harvest-2p", "--strategies", "greedy,random", "--games", "4", "--name", "mine"],
        [reroll, "verify", "mine"],
        [*pip, "uninstall", "--yes", "reroll-harvest"],
    ):
        done = run_command(command, place if "build" in command else empty_folder, home)
        assert done.returncode == 0, done.stderr
    assert "harvest" not in run_command([reroll, "rulesets"], empty_folder, home).stdout


@pytest.mark.night
@pytest.mark.parametrize("name", ["quickstart", *(path.stem for path in EXAMPLES)])
def test_the_notebooks_of_the_wheel_run_where_it_is_installed(
    run_command: RunCommand, installed_bin: Path, empty_folder: Path, tmp_path: Path, name: str
) -> None:
    nbformat = pytest.importorskip("nbformat")
    (packages,) = installed_bin.parent.glob("lib/python*/site-packages")
    path = packages / "pipelines" / "docs" / f"{name}.ipynb"
    names = {"HOME": "home", "REROLL_DATA": "data", "IPYTHONDIR": "ipython"}
    places = {key: str(tmp_path / folder) for key, folder in names.items()}
    extra = {**places, "PLOTLY_RENDERER": "plotly_mimetype"}
    command = [
        str(installed_bin / "python"),
        "-c",
        RUN_NOTEBOOK_SCRIPT,
        str(path),
        str(tmp_path / "out.ipynb"),
    ]
    done = run_command(command, empty_folder, extra)
    assert done.returncode == 0, done.stderr
    *texts, place = list_texts(nbformat.read(tmp_path / "out.ipynb", as_version=4))
    assert place.startswith(str(packages))
    if name != "quickstart":  # it shows the folder of its library
        assert texts == list_texts(nbformat.read(path, as_version=4))
