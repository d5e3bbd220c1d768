"""A page and a notebook read a library while other processes simulate into it.

Neither has to wait or sees an unfinished run, and the page shows new runs without a reload.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, Final

import pytest

from pipelines.runs.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.processes import StartProcess

SIMULATIONS_AT_ONCE: Final = 2
PAGE_TIMEOUT_SECONDS: Final = 60.0
"""Maximum time until a page is drawn or shows a new run. It takes about two seconds; the machine may be busy."""
PLAIN_RULES_ENVIRONMENT: Final = {**os.environ, "REROLL_KERNELS": "0"}
"""Without compiled games the simulations take long enough to be observed."""

READ_LIBRARY_CELL: Final = """
print(json.dumps({run.name: [run.summary.games, run.arrow("SELECT count(*) AS n FROM games")["n"][0].as_py(), len(run.list_seats(0))]
                  for run in library.runs()}))
"""


@pytest.fixture
def run_cell() -> Iterator[Callable[[str], str]]:
    """Start the kernel of a notebook; return a function that runs a cell and returns its output."""
    manager = pytest.importorskip("jupyter_client.manager", reason="Jupyter is not installed")
    kernel, client = manager.start_new_kernel(kernel_name="python3")

    def execute_cell(cell: str) -> str:
        printed: list[str] = []

        def collect_output(message: dict[str, Any]) -> None:
            content = message["content"]
            printed.append(content.get("text") or "\n".join(content.get("traceback", ())))

        client.execute_interactive(cell, timeout=60, output_hook=collect_output)
        return "".join(printed)

    yield execute_cell
    client.stop_channels()
    kernel.shutdown_kernel(now=True)


@pytest.fixture
def start_simulations(
    start_process: StartProcess, empty_data_folder: Path
) -> Iterator[Callable[[int], list[subprocess.Popen[str]]]]:
    """Return a function that starts simulations into the folder of the dashboard; kill those that still run at the end."""
    started: list[subprocess.Popen[str]] = []

    def start_processes(games: int) -> list[subprocess.Popen[str]]:
        words = [
            sys.executable,
            "-m",
            "pipelines",
            "simulate",
            "bloxx-2p",
            "-s",
            "random,greedy",
            "--workers",
            "1",
        ]
        for seed in range(SIMULATIONS_AT_ONCE):
            command = [*words, "--games", str(games), "--seed", str(seed), "--data", str(empty_data_folder)]
            started.append(start_process(command, env=PLAIN_RULES_ENVIRONMENT, stderr=subprocess.PIPE))
        return started

    yield start_processes
    for process in started:
        process.kill()
        process.communicate()


def read_page_errors(page: Page) -> list[str]:
    """Return the errors and warnings on a page."""
    return page.locator("[data-testid=stException], [data-testid=stAlert]").all_inner_texts()


@pytest.mark.parametrize("games", [80, pytest.param(600, marks=pytest.mark.night)])
def test_a_page_and_a_notebook_can_read_while_others_simulate(
    empty_dashboard_address: str,
    library: Library,
    empty_data_folder: Path,
    new_page: Callable[..., Page],
    run_cell: Callable[[str], str],
    start_simulations: Callable[[int], list[subprocess.Popen[str]]],
    record_property: Callable[[str, object], None],
    games: int,
) -> None:
    (empty_data_folder / "runs").mkdir(exist_ok=True)
    shutil.copyfile(library.run("three").path, empty_data_folder / "runs" / "before.duckdb")
    before = library.run("three").summary.games
    page, reader = new_page(), new_page()
    page.goto(empty_dashboard_address)
    page.get_by_text("1 run", exact=False).first.wait_for()
    assert (
        run_cell(
            f"import json, pathlib\nfrom reroll import Library\nlibrary = Library(pathlib.Path({str(empty_data_folder)!r}))"
        )
        == ""
    )
    processes = start_simulations(games)
    progress = page.get_by_text(f"of {games} games", exact=False)
    reads = progress_bars = 0
    while any(process.poll() is None for process in processes):
        sizes = json.loads(run_cell(READ_LIBRARY_CELL))
        assert sizes.pop("before") == [before, before, 3]
        assert all(size == [games, games, 2] for size in sizes.values())  # a run is complete or not listed
        started = time.monotonic()
        reader.goto(f"{empty_dashboard_address}/replay?run=before&game-number={reads % before + 1}")
        reader.locator(".replay .seat").first.wait_for()
        assert time.monotonic() - started < PAGE_TIMEOUT_SECONDS
        progress_bars += progress.count()
        assert read_page_errors(page) == read_page_errors(reader) == []
        reads += 1
    all_ended = time.monotonic()
    page.get_by_text(f"{1 + SIMULATIONS_AT_ONCE} runs", exact=False).first.wait_for()  # without a reload
    assert time.monotonic() - all_ended < PAGE_TIMEOUT_SECONDS
    for process in processes:
        assert process.wait() == 0, process.communicate()[1]
    page.get_by_text(f"of {games} games", exact=False).first.wait_for(state="hidden")
    assert read_page_errors(page) == read_page_errors(reader) == []
    assert reads >= 2, "the readers had to wait until the simulations were finished"
    assert progress_bars, "the page never showed the progress of a simulation"
    assert {run.summary.games for run in Library(empty_data_folder).runs()} == {before, games}
    record_property("simulations", SIMULATIONS_AT_ONCE)
    record_property("reads of a page and a notebook", reads)
