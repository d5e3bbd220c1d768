"""The dashboard as a server: while it waits for its first visitor, a thread imports and reads what the pages need."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
import threading
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

import dashboard
from dashboard.widgets.first_run import run_alone_at_first

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

START_SECONDS: Final = 0.2
"""So long the server starts alone: the imports would take turns with it."""
FIRST_IMPORT: Final = "dashboard.page_frame"
"""What the script imports. A visitor who comes meanwhile waits at this import, and not inside of another one."""
SCRIPTS: Final = ("dashboard.app", "dashboard.served_app", "dashboard.views")


def import_pages() -> None:
    """Import all modules of the dashboard, for which a first visit waits, and read what the first page shows."""
    with run_alone_at_first("imports"):
        importlib.import_module(FIRST_IMPORT)
        for module in pkgutil.walk_packages(dashboard.__path__, "dashboard."):
            if not module.name.startswith(SCRIPTS):
                importlib.import_module(module.name)
    importlib.import_module("dashboard.library.first_page").read_first_page()


@asynccontextmanager
async def prepare_pages(_: st.App) -> AsyncIterator[None]:
    """Import the pages in the background once the server listens."""
    thread = threading.Thread(target=import_pages, daemon=True)
    asyncio.get_running_loop().call_later(START_SECONDS, thread.start)
    yield


app = st.App(Path(__file__).with_name("app.py"), lifespan=prepare_pages)
