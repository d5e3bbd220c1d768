"""The pages of the documentation, which are installed with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from engine.errors import InvalidError

_PACKAGE_FOLDER: Final = Path(__file__).parents[1]
_FOLDERS: Final = (_PACKAGE_FOLDER.parent / "docs", _PACKAGE_FOLDER / "docs")
"""In a checkout the pages are beside the code, in an installed package inside it."""


class Page(NamedTuple):
    """A page of the documentation."""

    name: str
    title: str
    path: Path


def documentation_folder() -> Path:
    """Return the folder of the pages. Raises InvalidError if they are not installed."""
    for folder in _FOLDERS:
        if (folder / "first-hour.md").is_file():
            return folder
    raise InvalidError("the documentation is not installed with this Reroll")


def list_pages() -> list[Page]:
    """Return the pages, the list of contents and the first hour first. Raises InvalidError if they are not installed."""
    paths = sorted(documentation_folder().glob("*.md"), key=lambda path: (_page_place(path), path.stem))
    return [Page(path.stem, _read_title(path), path) for path in paths]


def _page_place(path: Path) -> int:
    first = ("README", "first-hour")
    return first.index(path.stem) if path.stem in first else len(first)


def _read_title(path: Path) -> str:
    """Return the first heading of a page."""
    with path.open(encoding="utf-8") as lines:
        return next((line.lstrip("# ").rstrip() for line in lines if line.startswith("# ")), path.stem)
