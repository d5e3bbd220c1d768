"""Import everything that pages need, once for each process and in one place: visitors and routes wait for it before they import anything.

Visitors who come at once would import the same packages from different ends. Then Python refuses one of the imports, a compiled
module fails with a SystemError, or both wait for ever. Importing ends by itself, so nobody stops waiting for it.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
from pathlib import Path
from types import ModuleType
from typing import Final

SCRIPTS: Final = ("app", "served_app", "views")
LATE_IMPORTS: Final = (
    "pipelines.exchange.game_files",
    "pipelines.notes.exchange",
    "pipelines.panel",
    "pipelines.studies.forms",
    "plotly.tools",
    "PIL.Image",
    "pyarrow.pandas_compat",
)
"""What scripts and routes import beside the modules of the dashboard, and what Streamlit and Plotly import when they need it."""

_lock: Final = threading.Lock()
_late_modules: Final[list[ModuleType]] = []
"""The last modules to be imported, once they are."""


def import_pages() -> None:
    """Import all modules of the dashboard, or wait for the thread that does so."""
    with _lock:
        if _late_modules:
            return
        for module in pkgutil.walk_packages([str(Path(__file__).parent)], "dashboard."):
            if not module.name.removeprefix("dashboard.").startswith(SCRIPTS):
                importlib.import_module(module.name)
        _late_modules.extend(map(importlib.import_module, LATE_IMPORTS))
