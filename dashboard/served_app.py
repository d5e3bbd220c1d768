"""The dashboard as a server: while it waits for its first visitor, a thread imports and reads what the pages need."""

from __future__ import annotations

import asyncio
import importlib
import os
import pkgutil
import socket
import threading
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st
from starlette.middleware import Middleware

import dashboard
from dashboard.board_routes import make_board_routes
from dashboard.guard import RequestGuard
from dashboard.routes import make_routes, make_unknown_page_route
from dashboard.widgets.components import BoardRoutes
from dashboard.widgets.import_lock import run_alone_at_first
from pipelines.service.server import EMBEDDERS_VARIABLE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

START_SECONDS: Final = 0.2
"""Seconds before the imports begin, so that they do not slow down the start of the server."""
FIRST_IMPORT: Final = "dashboard.page_frame"
"""What the script imports. A visitor who comes meanwhile waits at this import, and not inside of another one."""
OPEN_FILES: Final = Path("/dev/fd")
"""The folder in which Linux and macOS list the open files of a process by their numbers."""
SCRIPTS: Final = ("dashboard.app", "dashboard.served_app", "dashboard.views")


def import_pages() -> None:
    """Import all modules of the dashboard, for which a first visit waits, and read what the first page shows."""
    with run_alone_at_first("imports"):
        importlib.import_module(FIRST_IMPORT)
        for module in pkgutil.walk_packages(dashboard.__path__, "dashboard."):
            if not module.name.startswith(SCRIPTS):
                importlib.import_module(module.name)
    importlib.import_module("dashboard.library.tiles").read_first_page()


def send_without_delay() -> None:
    """Let the listening sockets of this process, and all connections that they accept, send small packets at once.

    Streamlit opens its socket without a protocol, for which asyncio leaves Nagle's algorithm on: the body of every
    answer waits 40 ms until the browser has acknowledged the head (https://github.com/Kludex/uvicorn/issues/3149).
    """
    for path in OPEN_FILES.glob("*"):
        with suppress(OSError), socket.fromfd(int(path.name), socket.AF_INET, socket.SOCK_STREAM) as opened:
            if opened.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


@asynccontextmanager
async def prepare_pages(_: st.App) -> AsyncIterator[None]:
    """Import the pages in the background once the server listens."""
    send_without_delay()
    thread = threading.Thread(target=import_pages, daemon=True)
    asyncio.get_running_loop().call_later(START_SECONDS, thread.start)
    yield


_base_path = "/".join(["", *filter(None, st.get_option("server.baseUrlPath").split("/"))])
BoardRoutes.base_path = _base_path

app = st.App(
    Path(__file__).with_name("app.py"),
    lifespan=prepare_pages,
    routes=[
        *make_routes(_base_path),
        *make_board_routes(_base_path),
        make_unknown_page_route(_base_path),
    ],
    middleware=[
        Middleware(
            RequestGuard,
            base_path=_base_path,
            allowed_hosts=st.get_option("server.allowedHosts"),
            allowed_origins=st.get_option("server.corsAllowedOrigins"),
            embedders=os.environ.get(EMBEDDERS_VARIABLE, "").split(),
        )
    ],
)
