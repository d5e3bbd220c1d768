"""The oldest DuckDB client that the README promises, in an environment of its own, reads every table and view of run files."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from engine.catalogue import Catalogue
from pipelines.design.designs import design_simulation
from pipelines.runs.schema import schema_columns
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from tests.processes import RunProcess

ROOT: Final = Path(__file__).parents[3]
OLDEST_CLIENT: Final = "1.5.0"
RULESETS: Final = ("bloxx-3p", "blokus-2p", "blokus-dice-3p", "spexxx-2p")
READ_ALL: Final = """
import json, sys
import duckdb
path, *queries = sys.argv[1:]
with duckdb.connect(path, read_only=True) as connection:
    rows = [[str(row) for row in connection.execute(query).fetchall()] for query in queries]
print(json.dumps({"version": duckdb.__version__, "rows": rows}))
"""


@pytest.fixture(scope="module")
def oldest_client(run_process: RunProcess, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The Python of an environment with the oldest client. Where it cannot be installed, for lack of a network, tests are skipped."""
    folder = tmp_path_factory.mktemp("client")
    python = str(folder / "bin" / "python")
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [python, "-m", "pip", "install", "--quiet", f"duckdb=={OLDEST_CLIENT}"],
    ):
        done = run_process(command)
        if done.returncode:
            pytest.skip(f"duckdb {OLDEST_CLIENT} cannot be installed: {done.stderr.strip()[-300:]}")
    return python


def read_documented_queries() -> list[str]:
    """Return the SQL that README and docs send to a run file through a DuckDB client."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    queries = [
        query
        for page in pages
        for query in re.findall(r'con\.sql\(\s*"([^"]+)"', page.read_text(encoding="utf-8"))
    ]
    assert queries
    return queries


def test_the_oldest_client_reads_what_this_version_reads(
    oldest_client: str, run_process: RunProcess, tmp_path: Path
) -> None:
    queries = [*(f"FROM {table} ORDER BY ALL" for table in schema_columns()), *read_documented_queries()]
    for name in RULESETS:
        ruleset = Catalogue().find_ruleset(name)
        design = design_simulation(ruleset, ["greedy", *["random"] * (ruleset.players - 1)], blocks=2, seed=5)
        path = simulate_run(design, tmp_path / f"{name}.duckdb", workers=1).path
        answers = []
        for python in (oldest_client, sys.executable):
            done = run_process([python, "-c", READ_ALL, str(path), *queries])
            assert not done.returncode, done.stderr
            answers.append(json.loads(done.stdout))
        oldest, current = answers
        assert oldest["version"] == OLDEST_CLIENT != current["version"]
        assert oldest["rows"] == current["rows"]
        assert current["rows"][list(schema_columns()).index("log")]
