"""Ruleset files: TOML, one file for one or several numbers of players.

A file named `bloxx.toml` with `players = [2, 3, 4]` gives the rulesets `bloxx-2p`, `bloxx-3p` and `bloxx-4p`;
with `players = 2` it gives one ruleset named like the file. `extends = "bloxx"` starts from another file and
states only what differs: options one by one, tables whole.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine import games
from engine.errors import AmbiguousError, GameError, InvalidError, unknown_name_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.ruleset import Ruleset

_ENGINE_FOLDER: Final = Path(__file__).parent
SHIPPED_RULESETS_FOLDER: Final = next(
    folder
    for folder in (_ENGINE_FOLDER.parent / "data" / "rulesets", _ENGINE_FOLDER / "rulesets")
    if folder.is_dir()
)
"""The rulesets that come with the project: in a checkout beside the code, in an installed package within it."""

MAX_RULESET_FILE_BYTES: Final = 1 << 17
"""Bytes; a ruleset file is a page of text, and anything larger is a mistake or an attack."""
MAX_DOTS_IN_LINE: Final = 1000
"""In a line: the time to read a key of many parts grows with the square of their number."""

_DOCUMENT_KEYS: Final = {"game", "title", "players", "extends", "options", "tables", "provenance"}
_STEM_PATTERN: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,50}")


@dataclass(frozen=True)
class Catalogue:
    """All rulesets of some folders of files; a broken file spoils nothing but itself."""

    folders: tuple[Path, ...] = (SHIPPED_RULESETS_FOLDER,)

    @cached_property
    def files(self) -> dict[str, Path]:
        """Ruleset files by their stem; the first folder that has one wins."""
        return {
            path.stem: path for folder in reversed(self.folders) for path in sorted(folder.glob("*.toml"))
        }

    @cached_property
    def _rulesets_and_errors(self) -> tuple[dict[str, Ruleset], dict[Path, GameError]]:
        rulesets: dict[str, Ruleset] = {}
        broken: dict[Path, GameError] = {}
        for stem, path in sorted(self.files.items()):
            try:
                for ruleset in self.read_ruleset_file(path):
                    if ruleset.name in rulesets:
                        raise AmbiguousError(f"{path}: ruleset {ruleset.name!r} exists already")
                    rulesets[ruleset.name] = ruleset
            except GameError as error:
                broken[path] = error
                rulesets = {name: kept for name, kept in rulesets.items() if _file_stem(kept) != stem}
        return rulesets, broken

    @property
    def rulesets(self) -> dict[str, Ruleset]:
        """Every ruleset that can be read, by name."""
        return self._rulesets_and_errors[0]

    @property
    def file_errors(self) -> dict[Path, GameError]:
        """What is wrong with the files that cannot be read."""
        return self._rulesets_and_errors[1]

    def find_ruleset(self, name: str) -> Ruleset:
        """Return the ruleset of a name, or of a path to a file for one number of players.

        Raises AmbiguousError for a file with several numbers of players and InvalidError for a broken file or
        an unknown name.
        """
        if name.endswith(".toml"):
            found = list(self.read_ruleset_file(Path(name)))
        elif name in self.rulesets:
            return self.rulesets[name]
        else:
            for path, error in self.file_errors.items():
                if name == path.stem or re.fullmatch(re.escape(path.stem) + r"-\dp", name):
                    raise error
            found = [ruleset for ruleset in self.rulesets.values() if _file_stem(ruleset) == name]
        if not found:
            raise unknown_name_error("ruleset", name, self.rulesets)
        if len(found) > 1:
            names = ", ".join(ruleset.name for ruleset in found)
            raise AmbiguousError(f"ruleset {name!r} is for several numbers of players; say one of {names}")
        return found[0]

    def read_ruleset_file(self, path: Path) -> Iterator[Ruleset]:
        """Read one file and yield its rulesets, one for each number of players."""
        document = self._read_document(path, ())
        players = document.pop("players")
        game = _required_text(document, "game", path)
        try:
            model = games.find_game(game).ruleset
        except InvalidError as error:
            raise InvalidError(f"{path}: game: {error}") from None
        for count in [players] if isinstance(players, int) else players:
            name = path.stem if isinstance(players, int) else f"{path.stem}-{count}p"
            yield model.from_document({**document, "name": name, "players": count}, str(path))

    def _read_document(self, path: Path, seen: tuple[Path, ...]) -> dict[str, Any]:
        """Read a file as one document, what it extends included."""
        document = _read_toml(path)
        players = document.get("players")
        if players is not None and not _are_player_counts(players):
            raise InvalidError(
                f"{path}: players: expected a number or a list of different numbers, not {players!r}"
            )
        parent = document.pop("extends", None)
        if parent is None:
            if players is None:
                raise InvalidError(f"{path}: players: expected a number or a list of numbers, found nothing")
            return document
        base = (
            path.parent / f"{parent}.toml"
            if isinstance(parent, str) and _STEM_PATTERN.fullmatch(parent)
            else None
        )
        if base is None:
            raise InvalidError(f"{path}: extends: expected the name of a ruleset file, not {parent!r}")
        if not base.is_file():
            if parent not in self.files:
                raise InvalidError(
                    f"{path}: extends: {unknown_name_error('ruleset file', parent, self.files)}"
                )
            base = self.files[parent]
        if base in (*seen, path):
            raise InvalidError(f"{path}: extends: {parent!r} leads back to this file")
        inherited = self._read_document(base, (*seen, path))
        for key in ("options", "tables", "provenance"):
            changes = document.pop(key, {})
            if not isinstance(changes, dict):
                raise InvalidError(f"{path}: {key}: expected a table, not {changes!r}")
            inherited[key] = {**inherited.get(key, {}), **changes}
        return {**inherited, **document}


def _read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file that has the keys of a ruleset; raise InvalidError with one line for anything else."""
    if not _STEM_PATTERN.fullmatch(path.stem):
        raise InvalidError(
            f"{path}: a ruleset file is named with a-z, 0-9 and -, because its name is the ruleset's"
        )
    try:
        if path.stat().st_size > MAX_RULESET_FILE_BYTES:
            raise InvalidError(f"{path}: larger than {MAX_RULESET_FILE_BYTES} bytes, so no ruleset")
        text = path.read_text(encoding="utf-8")
        if any(line.count(".") > MAX_DOTS_IN_LINE for line in text.splitlines()):
            raise InvalidError(f"{path}: no ruleset: a line has more than {MAX_DOTS_IN_LINE} dots")
        document = tomllib.loads(text)
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, a number of thousands of digits
        if isinstance(error, GameError):
            raise
        raise InvalidError(f"{path}: no TOML: {error}") from None
    for key in document.keys() - _DOCUMENT_KEYS:
        raise InvalidError(f"{path}: {unknown_name_error('key', key, _DOCUMENT_KEYS)}")
    return document


def _required_text(document: dict[str, Any], key: str, path: Path) -> str:
    found = document.get(key)
    if not isinstance(found, str):
        raise InvalidError(
            f"{path}: {key}: expected a text, found {'nothing' if found is None else repr(found)}"
        )
    return found


def _are_player_counts(players: object) -> bool:
    if isinstance(players, list):
        return bool(players) and len(set(map(str, players))) == len(players) and all(map(_is_count, players))
    return _is_count(players)


def _is_count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _file_stem(ruleset: Ruleset) -> str:
    return re.sub(r"-\dp$", "", ruleset.name)
