"""Ruleset files made on the page Rules: TOML that contains only the differences from another ruleset.

No file is replaced unless it was made here and the person agrees.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import tomli_w

from engine import games
from engine.catalogue import MAX_RULESET_FILE_BYTES, Catalogue
from engine.errors import InvalidError
from engine.file_limits import read_regular_file

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library

DRAFT_SIGNATURE: Final = "# Made on the page Rules."
"""The beginning of the first line of files that the page may replace; it never replaces files written by hand."""

_FILE_NAME_PATTERN: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,50}")


@dataclass(frozen=True)
class RulesetDraft:
    """A ruleset that a person is making: another ruleset, and the options and tables that the person chose."""

    base: Ruleset
    """One of the rulesets in the file `parent`."""
    parent: str
    """The name of the file of the base, without its suffix."""
    name: str
    """The name of the new file, without its suffix."""
    title: str
    players: tuple[int, ...]
    options: Mapping[str, Any]
    tables: Mapping[str, Any]

    @property
    def changed_parts(self) -> dict[str, dict[str, Any]]:
        """The options and the tables that differ from the base, each with its whole value."""
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
        """The source of each table: `own` if it differs from the base."""
        changed = {key for part in self.changed_parts.values() for key in part}
        return {key: "own" if key in changed else origin for key, origin in self.base.provenance.items()}

    def document(self, players: int) -> dict[str, Any]:
        """Return the whole ruleset for a number of players, as the catalogue would read it from the file."""
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
        """The errors of the draft, by dotted key. An error for one number of players only names that number."""
        model = games.find_game(self.base.game).ruleset
        errors: dict[str, str] = {}
        if not _FILE_NAME_PATTERN.fullmatch(self.name):
            errors["name"] = "expected small letters a-z, digits and -, at most 51 of them, not - first"
        if not self.players:
            errors["players"] = "expected at least one number of players"
        document = self.document((self.players or (self.base.players,))[0])
        for count in self.players or (self.base.players,):
            for key, message in model.errors_by_key({**document, "players": count, "name": "draft"}).items():
                errors.setdefault(key, message)
        return errors

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset for the first number of players; raises InvalidError if the draft has an error."""
        model = games.find_game(self.base.game).ruleset
        return model.from_document(
            self.document(self.players[0] if self.players else self.base.players), self.name
        )

    @property
    def ruleset_names(self) -> list[str]:
        """The names of the rulesets in the new file, one for each number of players."""
        return [self.document(count)["name"] for count in self.players]

    @property
    def file_text(self) -> str:
        """The text of the new file: only the differences from the base."""
        provenance = {
            key: "own" for key, origin in self.provenance.items() if origin != self.base.provenance[key]
        }
        parts = {**self.changed_parts, "provenance": provenance}
        document = {
            "extends": self.parent,
            "title": self.title,
            "players": list(self.players) if len(self.players) > 1 else self.players[0],
            **{part: values for part, values in parts.items() if values},
        }
        return f"{DRAFT_SIGNATURE} Everything else is as in {self.parent}.\n{tomli_w.dumps(document)}"


def find_base_ruleset(catalogue: Catalogue, name: str) -> tuple[Ruleset, str]:
    """Return a ruleset and the name of its file; raise InvalidError if it does not exist."""
    ruleset = catalogue.find_ruleset(name)
    stem = re.sub(r"-\dp$", "", ruleset.name)
    return ruleset, ruleset.name if ruleset.name in catalogue.files else stem


def find_free_name(catalogue: Catalogue, parent: str) -> str:
    """Return a name that no file and no ruleset has, for a ruleset that starts from the file `parent`.

    It is `my-bloxx`, or `my-bloxx-2` if that exists, for `bloxx` as well as for `my-bloxx`.
    """
    first = re.sub(r"-\d+$", "", parent) if parent.startswith("my-") else f"my-{parent}"
    known_names = {*catalogue.files, *catalogue.rulesets}
    return next(
        name
        for number in itertools.count(1)
        if (name := f"{first[:46]}-{number}" if number > 1 else first[:51]) not in known_names
    )


def save_draft(library: Library, draft: RulesetDraft, *, replace: bool = False) -> Path:
    """Write the file of a draft into the folder `rulesets` of the library, in one step, and return its path.

    Raises InvalidError if the draft has an error, if one of its names is taken, or if the file exists and `replace` is
    false or the file was written by hand; OSError if the folder cannot be written.
    """
    for key, message in draft.complaints.items():
        raise InvalidError(f"{key}: {message}" if key else message)
    folder = library.folder / "rulesets"
    target = folder / f"{draft.name}.toml"
    _check_names_free(library.catalogue, draft, target)
    if target.exists() and not (replace and is_draft_file(target)):
        raise InvalidError(f"there is a ruleset file {draft.name} already; choose another name")
    folder.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{draft.name}-", suffix=".tmp", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(draft.file_text)
        Path(temporary).chmod(0o644)
        if replace:
            Path(temporary).replace(target)
        else:
            target.hardlink_to(temporary)  # unlike a rename, this never replaces a file created meanwhile
    except FileExistsError:
        raise InvalidError(f"there is a ruleset file {draft.name} already; choose another name") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(temporary).unlink()
    return target


def is_draft_file(path: Path) -> bool:
    """Return whether `save_draft` made a file, so that it may be replaced."""
    try:
        return read_regular_file(path, MAX_RULESET_FILE_BYTES).startswith(DRAFT_SIGNATURE.encode())
    except OSError:
        return False


def _check_names_free(catalogue: Catalogue, draft: RulesetDraft, target: Path) -> None:
    """Raise InvalidError if another file has a ruleset of one of these names: the name would be ambiguous."""
    others = {name for name in catalogue.rulesets if find_base_ruleset(catalogue, name)[1] != draft.name}
    taken_name = next((name for name in draft.ruleset_names if name in others), None)
    other = catalogue.files.get(draft.name)
    if taken_name or (other is not None and other != target):
        raise InvalidError(f"there is a ruleset {taken_name or draft.name} already; choose another name")
