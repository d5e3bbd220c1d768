"""Examples are true: those in docstrings, and every command and snippet of the README."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import dashboard
import engine
import pipelines

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MODULES = [
    found.name
    for package in (engine, pipelines, dashboard)
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not found.name.endswith((".__main__", ".kernel", ".kernel_luck")) and found.name != "dashboard.app"
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def blocks(language: str) -> list[str]:
    """The README's blocks of one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


FILES = {text.split()[1]: text for text in blocks("python") if re.match(r"# \w+\.py\n", text)}
"""The README's files of strategies."""
SNIPPETS = [text for text in blocks("python") if text not in FILES.values()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place with the README's own ruleset, where its commands have been run."""
    place = tmp_path_factory.mktemp("readme")
    (place / "data" / "runs").mkdir(parents=True)
    (place / "data" / "rulesets").mkdir()
    for text in blocks("toml"):
        name = re.match(r"# (data/rulesets/\S+)", text)
        assert name
        (place / name[1]).write_text(text, encoding="utf-8")
    for file, text in FILES.items():
        (place / file).write_text(text, encoding="utf-8")
    for line in "".join(blocks("sh")).splitlines():
        done = run(place, [sys.executable, "-m", "pipelines", *shlex.split(line)[1:]])
        assert done.returncode == 0, f"{line}\n{done.stderr}"
    return place


def run(place: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "REROLL_DATA": str(place / "data"), "PYTHONPATH": str(ROOT)}
    return subprocess.run(  # noqa: S603 - our own commands
        command, cwd=place, env=environment, capture_output=True, text=True, check=False
    )


def test_the_readmes_commands_run(folder: Path) -> None:
    assert {path.name for path in (folder / "data" / "runs").iterdir()} == {
        "first.duckdb",
        "harsh.duckdb",
        "eager.duckdb",
        "duel.duckdb",
        "decided.duckdb",
        "forked.duckdb",
    }


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_the_readmes_snippets_run(folder: Path, number: int) -> None:
    done = run(folder, [sys.executable, "-W", "error", "-c", SNIPPETS[number]])
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_readmes_strategy_has_ten_lines_and_beats_random(folder: Path) -> None:
    """An example that is worth copying."""
    assert list(FILES) == ["eager.py"]
    assert len(FILES["eager.py"].splitlines()) <= 10
    command = [sys.executable, "-m", "pipelines", "simulate", "blokus-2p", "-s", "eager,random", "--json"]
    played = run(folder, [*command, "--code", "eager.py", "--blocks", "2", "--seed", "1", "--out", "better"])
    assert played.returncode == 0, played.stderr
    query = "SELECT avg(win_share) FROM seats WHERE strategy LIKE 'eager%'"
    with duckdb.connect(folder / "better.duckdb", read_only=True) as connection:
        assert connection.execute(query).fetchall() == [(1.0,)]


def test_the_readmes_links_and_folders_exist() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert not [link for link in links if not (ROOT / link).exists()]
    house = re.search(r"^```\n(engine/.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert house
    assert all((ROOT / name).is_dir() for name in re.findall(r"^(\w+/)", house[1], re.MULTILINE))


def test_no_committed_file_names_a_package_host_or_a_place_on_one_machine() -> None:
    listed = subprocess.run(
        ["git", "ls-files"],  # noqa: S607 - wherever git is
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    hosts = re.compile(r"pypi\.org|python" + r"hosted|npmjs|deb\.debian|/ro" + r"ot/|--index" + r"-url")
    texts = [ROOT / name for name in listed if not name.endswith((".png", ".gz"))]
    found = [str(path) for path in texts if path.is_file() and hosts.search(path.read_text(errors="ignore"))]
    assert not [name for name in found if name != str(Path(__file__))]
