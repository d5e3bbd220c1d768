"""Examples are true: those in docstrings, and every command and snippet of the README and of the pages in docs/."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest
from typer.testing import CliRunner

from pipelines.cli import app

if TYPE_CHECKING:
    from typer.testing import Result

    from tests.processes import RunProcess

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOC_PAGES = sorted((ROOT / "docs").glob("*.md"))
FIRST_HOUR = ROOT / "docs" / "first-hour.md"
MODULES_WITH_EXAMPLES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in ("engine", "pipelines", "dashboard", "reroll")
    for path in (ROOT / package).rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES_WITH_EXAMPLES)
def test_examples_in_docstrings_hold(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert failed == 0 < tried


def readme_blocks(language: str) -> list[str]:
    """Return the README's blocks of one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


STRATEGY_FILES = {text.split()[1]: text for text in readme_blocks("python") if re.match(r"# \w+\.py\n", text)}
"""The README's files of strategies, by name."""
SNIPPETS = [text for text in readme_blocks("python") if text not in STRATEGY_FILES.values()]


def make_data_folder(folder: Path) -> None:
    """Create the folders of an empty library below a folder."""
    (folder / "data" / "runs").mkdir(parents=True)
    (folder / "data" / "rulesets").mkdir()


def run_reroll(folder: Path, line: str, data: Path) -> Result:
    """Run a documented `reroll` command inside a folder, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("REROLL_DATA", str(data))
        return CliRunner().invoke(app, shlex.split(line)[1:])


def run_snippet(folder: Path, code: str, data: Path) -> str:
    """Run a documented Python snippet inside a folder, in this process, as a script of its own; return what it prints."""
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.chdir(folder)
        patch.setenv("REROLL_DATA", str(data))
        exec(code, {"__name__": "__main__"})  # noqa: S102 - our own documentation
    return printed.getvalue().strip()


def run_script(run_process: RunProcess, folder: Path, code: str, data: Path) -> str:
    """Run a documented Python snippet in a process of its own and return what it prints."""
    environment = {**os.environ, "REROLL_DATA": str(data), "PYTHONPATH": str(ROOT)}
    done = run_process([sys.executable, "-W", "error", "-c", code], cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def readme_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the README's own ruleset and strategy, in which all its commands have been run."""
    folder = tmp_path_factory.mktemp("readme")
    make_data_folder(folder)
    for text in readme_blocks("toml"):
        name = re.match(r"# (data/rulesets/\S+)", text)
        assert name
        (folder / name[1]).write_text(text, encoding="utf-8")
    for file, text in STRATEGY_FILES.items():
        (folder / file).write_text(text, encoding="utf-8")
    for line in "".join(readme_blocks("sh")).splitlines():
        done = run_reroll(folder, line, folder / "data")
        assert done.exit_code == 0, f"{line}\n{done.output}"
    return folder


@pytest.mark.slow
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
def test_the_readmes_snippets_run(run_process: RunProcess, readme_folder: Path, number: int) -> None:
    assert run_script(run_process, readme_folder, SNIPPETS[number], readme_folder / "data")


@pytest.mark.slow
def test_the_readmes_strategy_has_ten_lines_and_beats_random(readme_folder: Path) -> None:
    """An example that is worth copying."""
    assert list(STRATEGY_FILES) == ["eager.py"]
    assert len(STRATEGY_FILES["eager.py"].splitlines()) <= 10
    command = (
        "reroll simulate blokus-2p -s eager,random --json --code eager.py --blocks 1 --seed 1 --out better"
    )
    played = run_reroll(readme_folder, command, readme_folder / "data")
    assert played.exit_code == 0, played.output
    query = "SELECT avg(win_share) FROM seats WHERE strategy LIKE 'eager%'"
    with duckdb.connect(readme_folder / "better.duckdb", read_only=True) as connection:
        assert connection.execute(query).fetchall() == [(1.0,)]


def test_the_readmes_links_and_folders_exist() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert not [link for link in links if not (ROOT / link).exists()]
    layout = re.search(r"^```\n(engine/.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert layout
    assert all((ROOT / name).is_dir() for name in re.findall(r"^(\w+/)", layout[1], re.MULTILINE))


def run_page(page: Path, folder: Path, data: Path) -> None:
    """Run all commands and snippets of a page, from top to bottom, inside a folder."""
    for language, text in re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
        file = re.match(r"# (\S+\.(?:py|toml))\n", text)
        if file:
            (folder / file[1]).write_text(text, encoding="utf-8")
        elif language == "python":
            assert run_snippet(folder, text, data)
        else:
            assert language == "sh", f"{page.name}: no test runs a block of {language}"
            for line in text.splitlines():
                done = run_reroll(folder, line, data)
                assert done.exit_code == 0, f"{line}\n{done.output}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [page for page in DOC_PAGES if page != FIRST_HOUR and "\n```" in page.read_text(encoding="utf-8")],
    ids=lambda page: page.stem,
)
def test_the_commands_and_snippets_of_a_page_run_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    make_data_folder(tmp_path)
    run_page(page, tmp_path, tmp_path / "data")


@pytest.mark.slow
def test_the_first_hour_works_where_the_data_folder_is_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    run_page(FIRST_HOUR, tmp_path / "here", tmp_path / "elsewhere")
    assert {path.name for path in (tmp_path / "elsewhere" / "runs").iterdir()} == {
        "first.duckdb",
        "duel.duckdb",
    }
    assert list((tmp_path / "here").iterdir()) == []


@pytest.mark.parametrize("page", [ROOT / "CONTRIBUTING.md", *DOC_PAGES], ids=lambda page: page.stem)
def test_the_links_of_a_page_exist(page: Path) -> None:
    links = re.findall(r"\]\((?!https://)([^)#]+)\)", page.read_text())
    assert not [link for link in links if not (page.parent / link).exists()]


def test_every_page_is_in_the_list_of_pages() -> None:
    contents = (ROOT / "docs" / "README.md").read_text()
    assert not [
        page.name for page in DOC_PAGES if page.name != "README.md" and f"({page.name})" not in contents
    ]


def test_every_table_of_a_run_file_is_documented() -> None:
    page = (ROOT / "docs" / "run-file.md").read_text()
    schema = (ROOT / "pipelines" / "runs" / "schema.sql").read_text()
    tables = re.findall(r"^CREATE (?:TABLE|VIEW) (\w+)", schema, re.MULTILINE)
    assert len(tables) > 10
    assert not [table for table in tables if f"`{table}`" not in page]


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "docs/statistics.md",
        "pipelines/report/comparison.py",
        "dashboard/strategies/comparison_choice.py",
    ],
)
def test_the_promise_of_the_stopping_rule_stands_beside_its_condition(name: str) -> None:
    """Rare large differences can outweigh those that occurred, so no place may promise few wrong answers without this."""
    text = " ".join((ROOT / name).read_text(encoding="utf-8").split())
    promises = [text[found.end() : found.end() + 120] for found in re.finditer("wrong answer", text)]
    assert promises
    assert all(re.search("condition|unless|as long as", promise) for promise in promises)


@pytest.mark.parametrize(
    "name",
    [
        "docs/statistics.md",
        "pipelines/report/whatif.py",
        "pipelines/experiments/comparison.py",
    ],
)
def test_what_is_valid_at_every_look_stands_beside_its_condition(name: str) -> None:
    text = " ".join((ROOT / name).read_text(encoding="utf-8").split())
    claims = [text[found.end() : found.end() + 120] for found in re.finditer("valid at every look", text)]
    assert claims
    assert all(re.search("condition|unless|as long as", claim) for claim in claims)


def test_no_committed_file_names_a_package_host_or_a_path_of_one_machine() -> None:
    files = subprocess.run(
        ["git", "ls-files"],  # noqa: S607 - wherever git is
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    hosts = re.compile(r"pypi\.org|python" + r"hosted|npmjs|deb\.debian|/ro" + r"ot/|--index" + r"-url")
    texts = [ROOT / name for name in files if not name.endswith((".png", ".gz"))]
    found = [str(path) for path in texts if path.is_file() and hosts.search(path.read_text(errors="ignore"))]
    assert not [name for name in found if name != str(Path(__file__))]
