"""An open page and a notebook at a library where others simulate: neither waits, neither sees half a run, the page shows what comes."""

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

pytestmark = pytest.mark.browser

SIMULATIONS_AT_ONCE: Final = 2
PAGE_TIMEOUT_SECONDS: Final = 60.0
"""A page looks every two seconds and is there in less; a machine may be busy."""
PLAIN_RULES_ENVIRONMENT: Final = {**os.environ, "REROLL_KERNELS": "0"}
"""Plain rules play: slow enough to be looked at meanwhile."""

READ_LIBRARY_CELL: Final = """
print(json.dumps({run.name: [run.summary.games, run.arrow("SELECT count(*) AS n FROM games")["n"][0].as_py(), len(run.seats(0))]
                  for run in library.runs()}))
"""


@pytest.fixture
def run_cell() -> Iterator[Callable[[str], str]]:
    """A notebook's process; runs a cell and returns what it printed."""
    manager = pytest.importorskip("jupyter_client.manager", reason="no notebooks here")
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
    empty_dashboard_address: str, tmp_path: Path
) -> Iterator[Callable[[int], list[subprocess.Popen[bytes]]]]:
    """Start simulations into the folder of the dashboard; those that are left over are ended."""
    assert empty_dashboard_address
    started: list[subprocess.Popen[bytes]] = []

    def start_processes(games: int) -> list[subprocess.Popen[bytes]]:
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
            command = [*words, "--games", str(games), "--seed", str(seed), "--data", str(tmp_path)]
            started.append(subprocess.Popen(command, env=PLAIN_RULES_ENVIRONMENT, stderr=subprocess.PIPE))  # noqa: S603 - our own
        return started

    yield start_processes
    for process in started:
        process.kill()
        process.communicate()


def read_page_errors(page: Page) -> list[str]:
    """What a page complains of."""
    return page.locator("[data-testid=stException], [data-testid=stAlert]").all_inner_texts()


@pytest.mark.parametrize("games", [120, pytest.param(600, marks=pytest.mark.night)])
def test_a_page_and_a_notebook_look_on_while_others_simulate(
    empty_dashboard_address: str,
    library: Library,
    tmp_path: Path,
    new_page: Callable[..., Page],
    run_cell: Callable[[str], str],
    start_simulations: Callable[[int], list[subprocess.Popen[bytes]]],
    record_property: Callable[[str, object], None],
    games: int,
) -> None:
    (tmp_path / "runs").mkdir(exist_ok=True)
    shutil.copy(library.run("three").path, tmp_path / "runs" / "before.duckdb")
    before = library.run("three").summary.games
    page, reader = new_page(), new_page()
    page.goto(empty_dashboard_address)
    page.get_by_text("1 run", exact=False).first.wait_for()
    assert (
        run_cell(
            f"import json, pathlib\nfrom pipelines import Library\nlibrary = Library(pathlib.Path({str(tmp_path)!r}))"
        )
        == ""
    )
    processes = start_simulations(games)
    progress = page.get_by_text(f"of {games} games", exact=False)
    looked = seen_playing = 0
    while any(process.poll() is None for process in processes):
        found = json.loads(run_cell(READ_LIBRARY_CELL))
        assert found.pop("before") == [before, before, 3]
        assert all(one == [games, games, 2] for one in found.values())  # a run is whole or not there
        begun = time.monotonic()
        reader.goto(f"{empty_dashboard_address}/replay?run=before&game={looked % before}")
        reader.locator(".replay .seat").first.wait_for()
        assert time.monotonic() - begun < PAGE_TIMEOUT_SECONDS
        seen_playing += progress.count()
        assert read_page_errors(page) == read_page_errors(reader) == []
        looked += 1
    ended = time.monotonic()
    page.get_by_text(f"{1 + SIMULATIONS_AT_ONCE} runs", exact=False).first.wait_for()  # without a reload
    assert time.monotonic() - ended < PAGE_TIMEOUT_SECONDS
    for process in processes:
        assert process.wait() == 0, process.communicate()[1]
    page.get_by_text(f"of {games} games", exact=False).first.wait_for(state="hidden")
    assert read_page_errors(page) == read_page_errors(reader) == []
    assert looked >= 2, "the readers waited until the simulations were done"
    assert seen_playing, "the page never said that something is being played"
    assert {run.summary.games for run in Library(tmp_path).runs()} == {before, games}
    record_property("simulations", SIMULATIONS_AT_ONCE)
    record_property("looks of a page and a notebook", looked)
