"""Examples are true: those in docstrings, and every command and snippet of the README and of the pages in docs/."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import re
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest
from typer.testing import CliRunner

from pipelines.cli import app

if TYPE_CHECKING:
    from typer.testing import Result


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
def test_readme_and_first_hour_run_in_one_library(tmp_path: Path) -> None:
    """As a newcomer reads them, so no name of a run may come twice; the data folder may be elsewhere."""
    (tmp_path / "here").mkdir()
    for page in (ROOT / "README.md", FIRST_HOUR):
        run_page(page, tmp_path / "here", tmp_path / "elsewhere")
    assert {path.stem for path in (tmp_path / "elsewhere" / "runs").iterdir()} == {
        "tour",
        "tour-duel",
        "hour",
        "hour-duel",
        "decided",
        "forked",
    }
    assert list((tmp_path / "here").iterdir()) == []


def test_each_name_of_a_run_belongs_to_one_page() -> None:
    names: dict[str, set[str]] = {}
    for page in (ROOT / "README.md", *DOC_PAGES):
        for name in re.findall(r"^reroll .*--name ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE):
            names.setdefault(name, set()).add(page.name)
    assert len(names) > 10
    assert not {name: pages for name, pages in names.items() if len(pages) > 1}


def test_no_documented_query_adds_up_points_of_different_games() -> None:
    texts = [page.read_text(encoding="utf-8") for page in (ROOT / "README.md", *DOC_PAGES)]
    queries = re.findall(
        r"^reroll sql (?!<)(.*(?:score|points|win_share|margin).*)$", "\n".join(texts), re.MULTILINE
    )
    assert len(queries) >= 5
    assert not [query for query in queries if not re.search(r"ruleset|run\b", query.replace("(run, ", ""))]


def test_the_readme_can_be_read_in_some_minutes() -> None:
    assert len(README.splitlines()) <= 95
    assert len(README.split()) <= 900


@pytest.mark.slow
def test_the_example_strategy_beats_random(tmp_path: Path) -> None:
    """An example that is worth copying."""
    page = (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8")
    found = re.search(r"^```python\n(# careful\.py\n.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert found
    (tmp_path / "careful.py").write_text(found[1], encoding="utf-8")
    command = (
        "reroll simulate bloxx-2p -s careful,random --json --code careful.py --blocks 5 --seed 1 --out better"
    )
    played = run_reroll(tmp_path, command, tmp_path / "data")
    assert played.exit_code == 0, played.output
    with duckdb.connect(tmp_path / "better.duckdb", read_only=True) as connection:
        query = "SELECT avg(win_share) FROM seats WHERE strategy LIKE 'careful%'"
        assert connection.execute(query).fetchall() == [(1.0,)]


def test_the_folders_of_the_code_that_contributing_names_exist() -> None:
    layout = re.search(
        r"^```\n(engine/.*?)^```",
        (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert layout
    assert all((ROOT / name).is_dir() for name in re.findall(r"^(\w+/)", layout[1], re.MULTILINE))


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [page for page in DOC_PAGES if page != FIRST_HOUR and "\n```" in page.read_text(encoding="utf-8")],
    ids=lambda page: page.stem,
)
def test_the_commands_and_snippets_of_a_page_run_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    make_data_folder(tmp_path)
    run_page(page, tmp_path, tmp_path / "data")


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOC_PAGES], ids=lambda page: page.stem
)
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


@pytest.mark.parametrize(
    "name", ["runs/a.duckdb", "reviews/a.duckdb", "jobs/a", "index.sqlite", "notes.sqlite"]
)
def test_git_ignores_what_a_library_in_a_checkout_holds(name: str) -> None:
    command = ["git", "check-ignore", "--quiet", f"data/{name}"]
    ended = subprocess.run(command, cwd=ROOT, check=False)  # noqa: S603 - our own words
    assert ended.returncode != 1  # 128 outside of a checkout
