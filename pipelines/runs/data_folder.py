"""The data folder, with the runs and the rulesets of the user. This module imports quickly: completion uses it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import platformdirs

_CHECKOUT_FOLDER: Final = Path(__file__).parents[2]


def data_folder(explicit: Path | None = None) -> Path:
    """Return the data folder: `explicit`, else REROLL_DATA, else `data/` of the checkout, else the user's data folder."""
    if explicit is not None:
        return explicit.absolute()
    if folder := os.environ.get("REROLL_DATA"):
        return Path(folder).absolute()
    if (_CHECKOUT_FOLDER / "pyproject.toml").is_file():
        return _CHECKOUT_FOLDER / "data"
    return Path(platformdirs.user_data_dir("reroll", appauthor=False))
