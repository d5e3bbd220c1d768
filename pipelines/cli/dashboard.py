"""The commands that open the dashboard: dashboard, demo."""

import time
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.output import DataOption, duration, library, say
from pipelines.cli.progress import compile_first
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
    _serve(data_folder(data), port, browser=browser)


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
    from pipelines.service.demo import make, missing, to_compile

    place = library(data)
    for error in place.catalogue.broken.values():
        say(f"reroll: {error}", err=True)
    plans, started = missing(place), time.monotonic()
    for planned in to_compile(plans):
        compile_first(planned, quiet=False)
    if plans:
        say(f"Simulating {len(plans)} small runs into {place.runs_folder} ...", err=True)
        make(
            plans,
            lambda done, run, games: say(f"  {done:>3} of {len(plans)}  {run}: {games} games", err=True),
        )
        say(f"The library is there after {duration(time.monotonic() - started)}.", err=True)
    else:
        say(f"The demo library is there already: {place.runs_folder}", err=True)
    if serve:
        _serve(place.folder, port, browser=browser)


def _serve(folder: Path, port: int | None, *, browser: bool) -> None:
    from pipelines.service.server import serve

    def ready(address: str) -> None:
        say(f"The dashboard is at {address} (Ctrl-C ends it)")
        if browser:
            webbrowser.open(address)

    code = serve(folder, port, ready)
    if code:
        raise typer.Exit(code)
