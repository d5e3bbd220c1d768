"""What the server does while it waits for its first visitor."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tests.processes import RunProcess

PROJECT_ROOT: Final = Path(__file__).parents[2]
IMPORT_SCRIPT: Final = """
import ast, sys
from pathlib import Path
from dashboard import served_app

served_app.import_pages()
known = set(sys.modules)
for path in (*Path("dashboard/views").glob("*.py"), Path("dashboard/app.py")):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            exec(compile(ast.Module([node], []), str(path), "exec"), {})
print(len(known), sorted({name.partition(".")[0] for name in set(sys.modules) - known} - {"pipelines"}))
"""


def test_the_first_visitor_finds_all_that_the_pages_import(run_process: RunProcess) -> None:
    done = run_process([sys.executable, "-c", IMPORT_SCRIPT], cwd=PROJECT_ROOT)
    count, _, missing = done.stdout.strip().partition(" ")
    assert int(count) > 1000
    assert missing == "[]"
