"""The theme of JupyterLab, as its settings name it: a figure of Plotly cannot follow the colours of the page around it."""

from __future__ import annotations

import os
import re
from pathlib import Path

_DARK = re.compile(r'^[^/\n]*"theme":\s*"[^"]*dark', re.MULTILINE | re.IGNORECASE)
_ADAPTIVE = re.compile(r'^[^/\n]*"adaptive-theme":\s*true', re.MULTILINE)


def has_dark_theme() -> bool:
    """Return whether the settings of the JupyterLab of this kernel choose a dark theme; False where they do not tell.

    JupyterLab documents the folder of its user settings. Jupyter's server sets `JPY_SESSION_NAME` for kernels of notebooks.
    """
    if "JPY_SESSION_NAME" not in os.environ:
        return False
    try:
        from jupyter_core.paths import jupyter_config_dir  # noqa: PLC0415 - only kernels of Jupyter have it

        folder = os.environ.get("JUPYTERLAB_SETTINGS_DIR") or Path(
            jupyter_config_dir(), "lab", "user-settings"
        )
        settings = (
            Path(folder) / "@jupyterlab" / "apputils-extension" / "themes.jupyterlab-settings"
        ).read_text(encoding="utf-8")
    except (ImportError, OSError):
        return False
    return bool(_DARK.search(settings)) and not _ADAPTIVE.search(settings)
