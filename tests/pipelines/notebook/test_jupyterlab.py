"""The widget in a real JupyterLab. The test is skipped where the command `jupyter-lab` is missing."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page

    from pipelines.runs.run import Run
    from tests.processes import StartProcess

pytestmark = pytest.mark.night

ROOT: Final = Path(__file__).parents[3]
CELLS: Final = (
    "from reroll import Library\nreplay = Library({folder!r})['made'][0].widget(ply=6)\nreplay",
    "tables = []\nreplay.on_fork(tables.append)",
    "print('at ply', replay.ply)",
    "replay.ply = 20",
    "print('asked', len(tables), tables[0]['continuations'].tolist())",
    "replay.fork(strategies={0: 'random'}, continuations=60)[['seat', 'continuations', 'difference', 'difference_low']]",
    "import ipywidgets\nipywidgets.HBox([replay.run[number].widget() for number in (0, 1)])",
    "replay.run[1]",
)


@pytest.fixture
def lab_address(start_process: StartProcess, small_run: Run, tmp_path: Path) -> Iterator[str]:
    """The address of a JupyterLab whose folder holds the notebook, with a kernel of this Python."""
    pytest.importorskip("anywidget", reason="the extra notebook is not installed")
    command = shutil.which("jupyter-lab")
    if command is None:
        pytest.skip("no command jupyter-lab")
    kernel = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "This Python",
        "language": "python",
        "env": {"PYTHONPATH": str(ROOT)},
    }
    kernel_folder = tmp_path / "jupyter" / "kernels" / "this"
    kernel_folder.mkdir(parents=True)
    (kernel_folder / "kernel.json").write_text(json.dumps(kernel), encoding="utf-8")
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "this", "display_name": "This Python", "language": "python"}},
        "cells": [
            {
                "cell_type": "code",
                "id": f"cell-{number}",
                "metadata": {},
                "source": source.replace("{folder!r}", repr(str(small_run.path.parents[1]))),
                "outputs": [],
                "execution_count": None,
            }
            for number, source in enumerate(CELLS)
        ],
    }
    folder = tmp_path / "notebooks"
    folder.mkdir()
    (folder / "walk.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {"CONFIG_DIR": "config", "DATA_DIR": "data", "RUNTIME_DIR": "runtime", "PATH": "jupyter"}
    environment = os.environ | {f"JUPYTER_{name}": str(tmp_path / part) for name, part in own.items()}
    environment |= {"IPYTHONDIR": str(tmp_path / "ipython")}
    options = ["--no-browser", f"--port={port}", "--allow-root", f"--ServerApp.root_dir={folder}"]
    theme = tmp_path / "config" / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
    theme.mkdir(parents=True)
    (theme / "themes.jupyterlab-settings").write_text('{"theme": "JupyterLab Dark"}', encoding="utf-8")
    options += ["--IdentityProvider.token=", "--LabApp.news_url=None"]
    options += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    with (tmp_path / "log").open("w") as log:
        server = start_process([command, *options], env=environment, stdout=log, stderr=log)
        try:
            wait_for_port(port)
            yield f"http://127.0.0.1:{port}/lab/tree/walk.ipynb"
        finally:
            server.terminate()
            server.wait(30)


def wait_for_port(port: int) -> None:
    for _ in range(240):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.5)
        else:
            return
    pytest.fail("JupyterLab does not start")


def test_in_jupyterlab_python_and_the_replay_share_the_ply_and_the_what_ifs(
    lab_address: str, browser: object, new_page: Callable[..., Page]
) -> None:
    assert browser
    from playwright.sync_api import expect

    page = new_page(viewport={"width": 1440, "height": 1000})
    page.set_default_timeout(120_000)
    page.goto(lab_address)
    cells = page.locator(".jp-CodeCell")

    def run_cell(number: int) -> str:
        cells.nth(number).locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        expect(cells.nth(number).locator(".jp-InputPrompt")).to_have_text(f"[{number + 1}]:")
        return (
            ""
            if number in {0, 1, 3, 6, 7}
            else cells.nth(number).locator(".jp-OutputArea-output").inner_text()
        )

    page.get_by_text("This Python | Idle").wait_for()
    run_cell(0)
    run_cell(1)
    place = page.locator(".replay .place")
    expect(place).to_contain_text("move 7 of")
    page.locator(".replay .title").click()
    for key in ("ArrowRight", "ArrowRight", "a", "x", "d", "d"):  # some of them would change the notebook
        page.keyboard.press(key)
    expect(place).to_contain_text("move 9 of")
    assert cells.count() == len(CELLS)
    assert run_cell(2).strip() == "at ply 8"
    run_cell(3)
    expect(place).to_contain_text("move 21 of")
    page.locator(".replay button.whatif").click()
    page.locator(".whatif-panel [data-tab=player]").click()
    page.locator(".whatif-panel .options button", has_text="greedy").click()
    page.locator(".answer-state .more").wait_for(state="visible")
    verdict = page.locator(".answer .sheet-verdict")
    assert verdict.inner_text().startswith("Player ")
    assert (
        verdict.evaluate("node => getComputedStyle(node).fontWeight") == "600"
    )  # the style of sheets is there, too
    expect(page.locator(".answer .reroll-chart")).to_have_count(3)
    assert run_cell(4).strip() == "asked 1 [1000, 1000]"
    assert "60" in run_cell(5).split()
    run_cell(6)
    row = cells.nth(6).locator(".replay")
    expect(row).to_have_count(2)
    assert min(replay.evaluate("node => node.offsetWidth") for replay in row.all()) >= 400
    run_cell(7)
    cells.nth(7).scroll_into_view_if_needed()
    cells.nth(7).frame_locator("iframe").locator(".replay[data-theme=dark]").wait_for()
    page.get_by_text("Kernel", exact=True).click()
    page.get_by_text("Restart Kernel…", exact=True).click()
    page.locator(".jp-Dialog .jp-mod-accept").click()
    page.get_by_text("This Python | Idle").wait_for()
    page.locator("button.whatif").nth(1).click()
    page.get_by_text("Python no longer answers").first.wait_for()
    page.keyboard.press("Control+s")  # JupyterLab would ask before an unsaved notebook is left
    page.locator(".jp-mod-current.jp-mod-dirty").wait_for(state="detached")
