"""The dashboard as a server: while it waits for its first visitor, a thread imports and reads what the pages need."""

from __future__ import annotations

import asyncio
import importlib
import os
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import streamlit as st
from starlette.middleware import Middleware

from dashboard.board_routes import make_board_routes
from dashboard.guard import RequestGuard
from dashboard.imports import import_pages
from dashboard.routes import make_routes, make_unknown_page_route
from dashboard.widgets.components import BoardRoutes
from pipelines.service.server import EMBEDDERS_VARIABLE

START_SECONDS: Final = 0.2
"""Seconds before the imports begin, so that they do not slow down the start of the server."""
OPEN_FILES: Final = Path("/dev/fd")
"""The folder in which Linux and macOS list the open files of a process by their numbers."""


def prepare_first_page() -> None:
    """Import what a first visit waits for, and read what the first page shows."""
    import_pages()
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
    thread = threading.Thread(target=prepare_first_page, daemon=True)
    asyncio.get_running_loop().call_later(START_SECONDS, thread.start)
    yield


_base_path = "/".join(["", *filter(None, st.get_option("server.baseUrlPath").split("/"))])
BoardRoutes.base_path = _base_path

app = st.App(
    Path(__file__).with_name("app.py"),
    lifespan=prepare_pages,
    routes=[*make_routes(_base_path), *make_board_routes(_base_path), make_unknown_page_route(_base_path)],
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
