"""Fixtures of the tests of the dashboard: a running server, and pages without a server."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import pytest
import streamlit as st

from dashboard.widgets.keep import keep_button
from pipelines.service import jobs
from tests.dashboard.pages import open_dashboard_page, scan_packages_once
from tests.dashboard.reading import open_menu

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from pipelines.runs.library import Library
    from tests.processes import StartProcess

    class ServeDashboard(Protocol):
        """See `serve_dashboard`."""

        def __call__(
            self, folder: Path, *, max_open_files: int = 0, environment: Mapping[str, str] = {}
        ) -> AbstractContextManager[str]: ...


__all__ = ["open_dashboard_page", "scan_packages_once"]


@pytest.fixture(autouse=True)
def no_spare_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start no process for a job that no test starts; a server in a process of its own does."""
    monkeypatch.setattr(jobs, "prepare_job", lambda _: None)


@pytest.fixture
def press_keep(monkeypatch: pytest.MonkeyPatch) -> Callable[[AppTest], None]:
    """Return a function that presses *Keep*. A button takes the place of the script that tells what the browser shows."""

    def show_told_button(_key: str, on_told: Callable[[], None] | None = None) -> None:
        if on_told:
            st.button("told", key="told", on_click=on_told)

    monkeypatch.setattr(keep_button, "show_address_reader", show_told_button)

    def press(at: AppTest) -> None:
        if "keep-opened" in at.session_state:  # a click on the menu of a browser forgets what it has shown
            del at.session_state["keep-opened"]
        open_menu(at, "keep-menu")
        at.button(key="told").click()
        open_menu(at, "keep-menu")
        assert not at.exception

    return press


@pytest.fixture(scope="session")
def serve_dashboard(start_process: StartProcess) -> ServeDashboard:
    """Return a context that serves a data folder with the command `reroll dashboard` and yields the address.

    With `max_open_files`, the server may open at most this number of files and cannot raise the limit. `environment` adds variables.
    """

    @contextmanager
    def serve_folder(
        folder: Path, *, max_open_files: int = 0, environment: Mapping[str, str] = {}
    ) -> Iterator[str]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "pipelines", "dashboard", "--no-browser"]
        command += ["--port", str(port), "--data", str(folder)]
        if max_open_files:
            command = ["sh", "-c", f'ulimit -n {max_open_files} && exec "$@"', "sh", *command]
        variables = {**os.environ, **environment}
        server = start_process(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=variables)
        try:
            assert server.stdout
            pattern = re.compile(rf"is at (http://127\.0\.0\.1:{port}\S*) ")
            address = next(filter(None, map(pattern.search, iter(server.stdout.readline, ""))), None)
            assert address, "it did not start"
            yield address[1]
        finally:
            server.terminate()
            server.communicate(timeout=30)

    return serve_folder


@dataclass
class ServedFolder:
    """A dashboard whose files tests may change, one test after the other."""

    address: str
    folder: Path
    holds_library: bool = False
    """Whether the folder holds the small library and no test has changed anything since."""

    def clear(self, left: Path) -> None:
        """Move all files into the empty folder `left`: at once, whoever may still write into them."""
        self.holds_library = False
        for path in self.folder.iterdir():
            path.rename(left / path.name)
        shutil.rmtree(left, ignore_errors=True)

    def copy_library(self, library: Library) -> None:
        """Add the runs of a library."""
        shutil.copytree(
            library.runs_folder, self.folder / "runs", dirs_exist_ok=True, copy_function=shutil.copyfile
        )


@pytest.fixture(scope="session")
def served_folder(
    serve_dashboard: ServeDashboard, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServedFolder]:
    """The dashboard that all tests use: a new one takes seconds to start, and browsers know nothing of it."""
    folder = tmp_path_factory.mktemp("served")
    with serve_dashboard(folder) as address:
        yield ServedFolder(address, folder)


@pytest.fixture
def empty_data_folder(served_folder: ServedFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of that dashboard, without the files of earlier tests."""
    served_folder.clear(tmp_path_factory.mktemp("left"))
    return served_folder.folder


@pytest.fixture
def empty_dashboard_address(served_folder: ServedFolder, empty_data_folder: Path) -> str:
    """The address of a dashboard over `empty_data_folder`."""
    assert empty_data_folder == served_folder.folder
    return served_folder.address


@pytest.fixture
def copied_data_folder(served_folder: ServedFolder, empty_data_folder: Path, library: Library) -> Path:
    """A data folder with a copy of the small library."""
    served_folder.copy_library(library)
    return empty_data_folder


@pytest.fixture
def dashboard_address(served_folder: ServedFolder, copied_data_folder: Path) -> str:
    """The address of a dashboard over that folder."""
    assert copied_data_folder == served_folder.folder
    return served_folder.address


@pytest.fixture
def shared_dashboard_address(
    served_folder: ServedFolder, small_library: Library, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The address of a dashboard over a copy of the small library, for tests that change nothing in it."""
    if not served_folder.holds_library:
        served_folder.clear(tmp_path_factory.mktemp("left"))
        served_folder.copy_library(small_library)
        served_folder.holds_library = True
    return served_folder.address
