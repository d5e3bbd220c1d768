"""The import graph of the packages has no cycle, and only the queries of the dashboard execute SQL.

The layers are contracts of import-linter (pyproject.toml), which sees neither cycles of modules nor imports by a string.
"""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
PACKAGES: Final = ("engine", "pipelines", "dashboard", "reroll")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES: Final = {
    module_name(path): path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))
}


def imported_modules(path: Path) -> set[str]:
    """Return the modules of ours that a file imports: at the top, inside functions, for types only, or by a string."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                found.add(submodule if submodule in MODULES else node.module)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            found.add(node.value)
    return found & MODULES.keys()


def test_the_import_graph_has_no_cycle() -> None:
    try:
        TopologicalSorter({name: imported_modules(path) - {name} for name, path in MODULES.items()}).prepare()
    except CycleError as error:
        pytest.fail(f"these modules import each other: {' -> '.join(reversed(error.args[1]))}")


def test_the_graph_sees_every_kind_of_import(tmp_path: Path) -> None:
    """Otherwise the test above would pass over imports that it does not see."""
    path = tmp_path / "example.py"
    path.write_text(
        "from typing import TYPE_CHECKING\nimport engine.luck\n"
        "if TYPE_CHECKING:\n    from pipelines.runs.run import Run\n"
        "def load():\n    from pipelines.runs import library\n    return __import__('pipelines.design.design')\n",
        encoding="utf-8",
    )
    assert imported_modules(path) == {
        "engine.luck",
        "pipelines.runs.run",
        "pipelines.runs.library",
        "pipelines.design.design",
    }


def test_what_people_see_is_made_without_sql() -> None:
    """Answers come from the questions, and the tables of a run from the runs."""
    executing = [
        name
        for name, path in MODULES.items()
        if name.startswith(("dashboard.", "pipelines.report.", "pipelines.studies.", "pipelines.notebook."))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"execute", "executemany", "sql"}
    ]
    assert not executing
