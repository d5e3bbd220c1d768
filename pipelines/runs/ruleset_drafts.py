"""Ruleset files that a person makes: what differs from another ruleset, as TOML, never written over anything silently."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine import games
from engine.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library

DRAFT_SIGNATURE: Final = "# Made on the page Rules."
"""The first line of a file that may be replaced from there; files written by hand never are."""

_BARE_KEY_PATTERN: Final = re.compile(r"[A-Za-z0-9_-]+")
_FILE_NAME_PATTERN: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,50}")


@dataclass(frozen=True)
class RulesetDraft:
    """A ruleset in the making: another one, and what is to be different."""

    base: Ruleset
    """One of those that the file `parent` gives."""
    parent: str
    """The name of its file."""
    name: str
    """Of the file that is to be, without its ending."""
    title: str
    players: tuple[int, ...]
    options: Mapping[str, Any]
    tables: Mapping[str, Any]

    @property
    def changed_parts(self) -> dict[str, dict[str, Any]]:
        """The options and tables that differ from the base, whole."""
        return {
            part: {
                key: value
                for key, value in getattr(self, part).items()
                if value != self.base.document[part][key]
            }
            for part in ("options", "tables")
        }

    @property
    def provenance(self) -> dict[str, str]:
        """Where each table comes from: what differs from the base is `own`."""
        changed = {key for part in self.changed_parts.values() for key in part}
        return {key: "own" if key in changed else origin for key, origin in self.base.provenance.items()}

    def document(self, players: int) -> dict[str, Any]:
        """Return the whole ruleset for a number of players, as it would be read from the file."""
        return {
            "name": f"{self.name}-{players}p" if len(self.players) > 1 else self.name,
            "game": self.base.game,
            "title": self.title,
            "players": players,
            "provenance": self.provenance,
            "options": dict(self.options),
            "tables": dict(self.tables),
        }

    @property
    def complaints(self) -> dict[str, str]:
        """What is wrong, by key written with dots; what concerns a number of players only says which."""
        model = games.find_game(self.base.game).ruleset
        found: dict[str, str] = {}
        if not _FILE_NAME_PATTERN.fullmatch(self.name):
            found["name"] = "expected small letters a-z, digits and -, at most 51 of them, not - first"
        if not self.players:
            found["players"] = "expected at least one number of players"
        document = self.document((self.players or (self.base.players,))[0])
        for count in self.players or (self.base.players,):
            for key, message in model.errors_by_key({**document, "players": count, "name": "draft"}).items():
                found.setdefault(key, message)
        return found

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset for the first number of players; raise InvalidError if anything is wrong."""
        model = games.find_game(self.base.game).ruleset
        return model.from_document(
            self.document(self.players[0] if self.players else self.base.players), self.name
        )

    @property
    def ruleset_names(self) -> list[str]:
        """The names of the rulesets that the file will give."""
        return [self.document(count)["name"] for count in self.players]

    @property
    def file_text(self) -> str:
        """The file: only what differs from the base."""
        changed = self.changed_parts
        own = {key: "own" for key, origin in self.provenance.items() if origin != self.base.provenance[key]}
        head = {
            "extends": self.parent,
            "title": self.title,
            "players": list(self.players) if len(self.players) > 1 else self.players[0],
        }
        parts = {**changed, "provenance": own}
        return f"{DRAFT_SIGNATURE} What is not here is as in {self.parent}.\n" + format_toml(
            {**head, **{part: values for part, values in parts.items() if values}}
        )


def find_base_ruleset(catalogue: Catalogue, name: str) -> tuple[Ruleset, str]:
    """Return a ruleset and the name of its file; raise InvalidError if there is none."""
    ruleset = catalogue.find_ruleset(name)
    stem = re.sub(r"-\dp$", "", ruleset.name)
    return ruleset, ruleset.name if ruleset.name in catalogue.files else stem


def save_draft(library: Library, draft: RulesetDraft, *, replace: bool = False) -> Path:
    """Write the file of a draft among the library's own rulesets, there at once or not at all.

    Raises InvalidError if anything is wrong with it, if one of its names is taken, or if the file is there and was not
    made like this, or is not to be replaced; OSError if the folder cannot be written.
    """
    for key, message in draft.complaints.items():
        raise InvalidError(f"{key}: {message}" if key else message)
    folder = library.folder / "rulesets"
    target = folder / f"{draft.name}.toml"
    _check_names_free(library.catalogue, draft, target)
    if target.exists() and not (replace and is_draft_file(target)):
        raise InvalidError(f"there is a ruleset file {draft.name} already; choose another name")
    folder.mkdir(parents=True, exist_ok=True)
    handle, written = tempfile.mkstemp(prefix=f".{draft.name}-", suffix=".tmp", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(draft.file_text)
        Path(written).chmod(0o644)
        if replace:
            Path(written).replace(target)
        else:
            target.hardlink_to(
                written
            )  # unlike a rename, this never replaces what somebody put there meanwhile
    except FileExistsError:
        raise InvalidError(f"there is a ruleset file {draft.name} already; choose another name") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(written).unlink()
    return target


def is_draft_file(path: Path) -> bool:
    """Say whether a file was made by `save_draft`, so that it may be replaced."""
    try:
        with path.open(encoding="utf-8") as file:
            return file.readline().startswith(DRAFT_SIGNATURE)
    except (OSError, UnicodeDecodeError):
        return False


def _check_names_free(catalogue: Catalogue, draft: RulesetDraft, target: Path) -> None:
    """Refuse a name that another file gives: which of the two is meant could not be told."""
    others = {name for name in catalogue.rulesets if find_base_ruleset(catalogue, name)[1] != draft.name}
    taken = next((name for name in draft.ruleset_names if name in others), None)
    other = catalogue.files.get(draft.name)
    if taken or (other is not None and other != target):
        raise InvalidError(f"there is a ruleset {taken or draft.name} already; choose another name")


def format_toml(document: Mapping[str, Any]) -> str:
    """Write a document of texts, numbers, lists and tables as TOML.

    >>> print(format_toml({"title": "A", "players": [2, 3], "options": {"cubes": {"2": 9}}}), end="")
    title = "A"
    players = [2, 3]
    <BLANKLINE>
    [options]
    cubes = { 2 = 9 }
    """
    plain = {key: value for key, value in document.items() if not isinstance(value, dict)}
    lines = [f"{_format_key(key)} = {_format_value(value)}" for key, value in plain.items()]
    for key, table in document.items():
        if isinstance(table, dict):
            lines += [
                "",
                f"[{_format_key(key)}]",
                *(f"{_format_key(inner)} = {_format_value(value)}" for inner, value in table.items()),
            ]
    return "\n".join(lines) + "\n"


def _format_key(key: str) -> str:
    return key if _BARE_KEY_PATTERN.fullmatch(key) else _format_text(key)


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _format_text(value)
    if isinstance(value, dict):
        return (
            f"{{ {', '.join(f'{_format_key(key)} = {_format_value(inner)}' for key, inner in value.items())} }}"
            if value
            else "{}"
        )
    if isinstance(value, list):
        items = [_format_value(item) for item in value]
        if sum(map(len, items)) < 80:
            return f"[{', '.join(items)}]"
        return "[\n" + "".join(f"  {item},\n" for item in items) + "]"
    return json.dumps(value, allow_nan=False)


def _format_text(text: str) -> str:
    """Write a text as JSON does, which TOML reads the same but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
