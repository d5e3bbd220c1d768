"""Files of records as JSON: how all measurements that belong to Reroll are read and written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

T = TypeVar("T")


def read_record_file(path: Path, key: str, read_record: Callable[[dict[str, Any]], T]) -> list[T]:
    """Return the records below a key of a file; none if there is no such file or it is of another version.

    `read_record` makes a record of its JSON data and raises KeyError or TypeError if the data does not describe one.
    """
    try:
        return [read_record(document) for document in json.loads(path.read_text(encoding="utf-8"))[key]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def format_record_file(key: str, documents: Iterable[dict[str, Any]], **facts: str) -> str:
    """Return the text of a file with records below a key, after facts about all of them."""
    return json.dumps({**facts, key: list(documents)}, indent=1) + "\n"
