"""The commands that open the dashboard: dashboard, demo."""

import time
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.options import DataOption, open_library
from pipelines.cli.output import format_duration, print_text
from pipelines.cli.progress import compile_design
from pipelines.runs.data_folder import data_folder

BrowserOption = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Open the browser, or only print the address.")
]
PortOption = Annotated[
    int | None,
    typer.Option(
        "--port", metavar="N", min=1, max=65535, help="Port; by default the first free port from 8501."
    ),
]


def dashboard(*, port: PortOption = None, data: DataOption = None, browser: BrowserOption = True) -> None:
    """Open the dashboard on the library. Only this machine can reach it."""
    _serve_dashboard(data_folder(data), port, browser=browser)


def demo(
    *,
    serve: Annotated[
        bool, typer.Option("--serve/--no-serve", help="Open the dashboard, or only create the library.")
    ] = True,
    port: PortOption = None,
    data: DataOption = None,
    browser: BrowserOption = True,
) -> None:
    """Simulate a small library, then open the dashboard on it."""
    from pipelines.service.demo import designs_to_compile, make_demo_runs, missing_demo_runs
    from pipelines.service.server import check_dashboard_packages

    if serve:
        check_dashboard_packages()  # before minutes of simulations, not after them
    library = open_library(data)
    for error in library.catalogue.file_errors.values():
        print_text(f"reroll: {error}", err=True)
    plans, started = missing_demo_runs(library), time.monotonic()
    for design in designs_to_compile(plans):
        compile_design(design, quiet=False)
    if plans:
        print_text(f"Simulating {len(plans)} small runs into {library.runs_folder} ...", err=True)
        make_demo_runs(
            plans,
            lambda done, run, games: print_text(
                f"  {done:>3} of {len(plans)}  {run}: {games} games", err=True
            ),
        )
        print_text(
            f"The demo library is complete after {format_duration(time.monotonic() - started)}.", err=True
        )
    else:
        print_text(f"The demo library is complete already: {library.runs_folder}", err=True)
    if serve:
        _serve_dashboard(library.folder, port, browser=browser)


def _serve_dashboard(folder: Path, port: int | None, *, browser: bool) -> None:
    from pipelines.service.server import serve_dashboard

    def announce_address(address: str) -> None:
        print_text(f"The dashboard is at {address} (press Ctrl-C to stop it)")
        if browser:
            webbrowser.open(address)

    exit_code = serve_dashboard(folder, port, announce_address)
    if exit_code:
        raise typer.Exit(exit_code)
