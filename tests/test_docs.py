"""Examples are true: those in docstrings, and every command and snippet of the README and of the pages in docs/."""

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
DOC_PAGES = sorted((ROOT / "docs").glob("*.md"))
MODULES = [
    found.name
    for package in (engine, pipelines, dashboard)
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not found.name.endswith((".__main__", ".kernel.batches", ".kernels.luck", ".pettingzoo"))
    and found.name != "dashboard.app"
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def readme_blocks(language: str) -> list[str]:
    """The README's blocks of one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


STRATEGY_FILES = {text.split()[1]: text for text in readme_blocks("python") if re.match(r"# \w+\.py\n", text)}
"""The README's files of strategies."""
SNIPPETS = [text for text in readme_blocks("python") if text not in STRATEGY_FILES.values()]


@pytest.fixture(scope="module")
def readme_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place with the README's own ruleset, where its commands have been run."""
    place = tmp_path_factory.mktemp("readme")
    (place / "data" / "runs").mkdir(parents=True)
    (place / "data" / "rulesets").mkdir()
    for text in readme_blocks("toml"):
        name = re.match(r"# (data/rulesets/\S+)", text)
        assert name
        (place / name[1]).write_text(text, encoding="utf-8")
    for file, text in STRATEGY_FILES.items():
        (place / file).write_text(text, encoding="utf-8")
    for line in "".join(readme_blocks("sh")).splitlines():
        done = run_command(place, [sys.executable, "-m", "pipelines", *shlex.split(line)[1:]])
        assert done.returncode == 0, f"{line}\n{done.stderr}"
    return place


def run_command(place: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "REROLL_DATA": str(place / "data"), "PYTHONPATH": str(ROOT)}
    return subprocess.run(  # noqa: S603 - our own commands
        command, cwd=place, env=environment, capture_output=True, text=True, check=False
    )


def test_the_readmes_commands_run(readme_folder: Path) -> None:
    assert {path.name for path in (readme_folder / "data" / "runs").iterdir()} == {
        "first.duckdb",
        "harsh.duckdb",
        "eager.duckdb",
        "duel.duckdb",
        "decided.duckdb",
        "forked.duckdb",
    }


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_the_readmes_snippets_run(readme_folder: Path, number: int) -> None:
    done = run_command(readme_folder, [sys.executable, "-W", "error", "-c", SNIPPETS[number]])
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_readmes_strategy_has_ten_lines_and_beats_random(readme_folder: Path) -> None:
    """An example that is worth copying."""
    assert list(STRATEGY_FILES) == ["eager.py"]
    assert len(STRATEGY_FILES["eager.py"].splitlines()) <= 10
    command = [sys.executable, "-m", "pipelines", "simulate", "blokus-2p", "-s", "eager,random", "--json"]
    played = run_command(
        readme_folder, [*command, "--code", "eager.py", "--blocks", "2", "--seed", "1", "--out", "better"]
    )
    assert played.returncode == 0, played.stderr
    query = "SELECT avg(win_share) FROM seats WHERE strategy LIKE 'eager%'"
    with duckdb.connect(readme_folder / "better.duckdb", read_only=True) as connection:
        assert connection.execute(query).fetchall() == [(1.0,)]


def test_the_readmes_links_and_folders_exist() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert not [link for link in links if not (ROOT / link).exists()]
    house = re.search(r"^```\n(engine/.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert house
    assert all((ROOT / name).is_dir() for name in re.findall(r"^(\w+/)", house[1], re.MULTILINE))


@pytest.mark.parametrize("page", DOC_PAGES, ids=lambda page: page.stem)
def test_the_commands_and_snippets_of_a_page_run_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    (tmp_path / "data" / "runs").mkdir(parents=True)
    (tmp_path / "data" / "rulesets").mkdir()
    for language, text in re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
        named = re.match(r"# (\S+\.(?:py|toml))\n", text)
        if named:
            (tmp_path / named[1]).write_text(text, encoding="utf-8")
        elif language == "python":
            done = run_command(tmp_path, [sys.executable, "-W", "error", "-c", text])
            assert done.returncode == 0, done.stderr
            assert done.stdout.strip()
        else:
            assert language == "sh", f"{page.name}: {language} is run by nobody"
            for line in text.splitlines():
                done = run_command(tmp_path, [sys.executable, "-m", "pipelines", *shlex.split(line)[1:]])
                assert done.returncode == 0, f"{line}\n{done.stderr}"


@pytest.mark.parametrize("page", [ROOT / "CONTRIBUTING.md", *DOC_PAGES], ids=lambda page: page.stem)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https://)([^)#]+)\)", page.read_text())
    assert not [link for link in links if not (page.parent / link).exists()]


def test_every_page_is_in_the_list_of_pages() -> None:
    listed = (ROOT / "docs" / "README.md").read_text()
    assert not [
        page.name for page in DOC_PAGES if page.name != "README.md" and f"({page.name})" not in listed
    ]


def test_every_table_of_a_run_file_is_documented() -> None:
    told = (ROOT / "docs" / "run-file.md").read_text()
    tables = re.findall(
        r"^CREATE (?:TABLE|VIEW) (\w+)", (ROOT / "pipelines" / "schema.sql").read_text(), re.MULTILINE
    )
    assert len(tables) > 10
    assert not [table for table in tables if f"`{table}`" not in told]


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
