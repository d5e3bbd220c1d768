"""The commands that open the dashboard: dashboard, demo."""

import time
import webbrowser
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli.options import DataOption, announce_new_folder, open_library
from pipelines.cli.output import print_text
from pipelines.report.wording import format_count, format_duration
from pipelines.runs.data_folder import data_folder

if TYPE_CHECKING:
    from pipelines.runs.library import Library
    from pipelines.service.demo import DemoRun

BrowserOption = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Open the browser, or only print the address.")
]
PortOption = Annotated[
    int | None,
    typer.Option(
        "--port", metavar="N", min=1, max=65535, help="Port; by default the first free port from 8501."
    ),
]


def dashboard(
    *,
    port: PortOption = None,
    data: DataOption = None,
    browser: BrowserOption = True,
    embed_in: Annotated[
        list[str] | None,
        typer.Option(
            "--embed-in",
            metavar="ORIGIN",
            help="Let pages of this site, such as https://example.org, show the dashboard in a frame. May be repeated.",
        ),
    ] = None,
) -> None:
    """Open the dashboard on the library. Only this machine can reach it."""
    _serve_dashboard(data_folder(data), port, browser=browser, embedders=embed_in or ())


def demo(
    *,
    serve: Annotated[
        bool, typer.Option("--serve/--no-serve", help="Open the dashboard, or only create the library.")
    ] = True,
    port: PortOption = None,
    data: DataOption = None,
    browser: BrowserOption = True,
) -> None:
    """Open the dashboard on a small library of examples."""
    from pipelines.service.demo import missing_demo_runs
    from pipelines.service.jobs import make_demo_meanwhile
    from pipelines.service.server import check_dashboard_packages

    if serve:
        check_dashboard_packages()  # before minutes of simulations, not after them
    library = open_library(data)
    for error in library.catalogue.file_errors.values():
        print_text(f"reroll: {error}", err=True)
    missing = missing_demo_runs(library)
    announce_new_folder(library)
    if not missing:
        print_text(f"The demo library is complete already: {library.runs_folder}", err=True)
    elif not serve:
        _make_demo_runs(library, missing)
    if serve and missing:
        print_text(f"Simulating {len(missing)} examples meanwhile; the page Library shows them.", err=True)
    if serve:
        ready = partial(print_text, "All examples are ready.", err=True)
        with make_demo_meanwhile(library, ready) if missing else nullcontext():
            _serve_dashboard(library.folder, port, browser=browser)


def _make_demo_runs(library: "Library", missing: "list[DemoRun]") -> None:
    from pipelines.service.demo import make_demo_runs

    started = time.monotonic()
    print_text(f"Simulating {len(missing)} examples into {library.runs_folder} ...", err=True)
    make_demo_runs(
        missing,
        lambda done, run, games: print_text(
            f"  {done:>3} of {len(missing)}  {run}: {format_count(games, 'game')}", err=True
        ),
    )
    print_text(f"The demo library is complete after {format_duration(time.monotonic() - started)}.", err=True)


def _serve_dashboard(
    folder: Path, port: int | None, *, browser: bool, embedders: "Sequence[str]" = ()
) -> None:
    from pipelines.service.server import serve_dashboard

    def announce_address(address: str) -> None:
        print_text(f"The dashboard is at {address} (press Ctrl-C to stop it)")
        if browser:
            webbrowser.open(address)

    exit_code = serve_dashboard(folder, port, announce_address, embedders)
    if exit_code:
        raise typer.Exit(exit_code)
