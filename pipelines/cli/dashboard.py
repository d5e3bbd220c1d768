"""The commands that open the dashboard: dashboard, demo."""

import time
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.output import DataOption, format_duration, open_library, print_text
from pipelines.cli.progress import compile_design
from pipelines.runs.data_folder import data_folder

BrowserOption = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Open the browser, or only say where.")
]
PortOption = Annotated[
    int | None,
    typer.Option("--port", metavar="N", min=1, max=65535, help="Port; a free one from 8501 if not said."),
]


def dashboard(*, port: PortOption = None, data: DataOption = None, browser: BrowserOption = True) -> None:
    """Open the dashboard on the library, on this machine only."""
    _serve_dashboard(data_folder(data), port, browser=browser)


def demo(
    *,
    serve: Annotated[
        bool, typer.Option("--serve/--no-serve", help="Open the dashboard, or stop at the library.")
    ] = True,
    port: PortOption = None,
    data: DataOption = None,
    browser: BrowserOption = True,
) -> None:
    """Simulate a small library, then open the dashboard on it."""
    from pipelines.service.demo import designs_to_compile, make_demo_runs, missing_demo_runs

    place = open_library(data)
    for error in place.catalogue.file_errors.values():
        print_text(f"reroll: {error}", err=True)
    plans, started = missing_demo_runs(place), time.monotonic()
    for planned in designs_to_compile(plans):
        compile_design(planned, quiet=False)
    if plans:
        print_text(f"Simulating {len(plans)} small runs into {place.runs_folder} ...", err=True)
        make_demo_runs(
            plans,
            lambda done, run, games: print_text(
                f"  {done:>3} of {len(plans)}  {run}: {games} games", err=True
            ),
        )
        print_text(f"The library is there after {format_duration(time.monotonic() - started)}.", err=True)
    else:
        print_text(f"The demo library is there already: {place.runs_folder}", err=True)
    if serve:
        _serve_dashboard(place.folder, port, browser=browser)


def _serve_dashboard(folder: Path, port: int | None, *, browser: bool) -> None:
    from pipelines.service.server import serve_dashboard

    def announce_address(address: str) -> None:
        print_text(f"The dashboard is at {address} (Ctrl-C ends it)")
        if browser:
            webbrowser.open(address)

    code = serve_dashboard(folder, port, announce_address)
    if code:
        raise typer.Exit(code)
