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
from engine.game import AmbiguousError, GameError, InvalidError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.ruleset import Ruleset

_HERE: Final = Path(__file__).parent
SHIPPED: Final = next(
    folder for folder in (_HERE.parent / "data" / "rulesets", _HERE / "rulesets") if folder.is_dir()
)
"""The rulesets that come with the project: in a checkout beside the code, in an installed package within it."""

LARGEST_FILE: Final = 1 << 17
"""Bytes; a ruleset file is a page of text, and anything larger is a mistake or an attack."""
MOST_DOTS: Final = 1000
"""In a line: the time to read a key of many parts grows with the square of their number."""

_KEYS: Final = {"game", "title", "players", "extends", "options", "tables", "provenance"}
_STEM: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,50}")


@dataclass(frozen=True)
class Catalogue:
    """All rulesets of some folders of files; a broken file spoils nothing but itself."""

    folders: tuple[Path, ...] = (SHIPPED,)

    @cached_property
    def files(self) -> dict[str, Path]:
        """Ruleset files by their stem; the first folder that has one wins."""
        return {
            path.stem: path for folder in reversed(self.folders) for path in sorted(folder.glob("*.toml"))
        }

    @cached_property
    def _read(self) -> tuple[dict[str, Ruleset], dict[Path, GameError]]:
        rulesets: dict[str, Ruleset] = {}
        broken: dict[Path, GameError] = {}
        for stem, path in sorted(self.files.items()):
            try:
                for ruleset in self.load(path):
                    if ruleset.name in rulesets:
                        raise AmbiguousError(f"{path}: ruleset {ruleset.name!r} exists already")
                    rulesets[ruleset.name] = ruleset
            except GameError as error:
                broken[path] = error
                rulesets = {name: kept for name, kept in rulesets.items() if _stem(kept) != stem}
        return rulesets, broken

    @property
    def rulesets(self) -> dict[str, Ruleset]:
        """Every ruleset that can be read, by name."""
        return self._read[0]

    @property
    def broken(self) -> dict[Path, GameError]:
        """What is wrong with the files that cannot be read."""
        return self._read[1]

    def find(self, name: str) -> Ruleset:
        """Return the ruleset of a name, or of a path to a file for one number of players.

        Raises AmbiguousError for a file with several numbers of players and InvalidError for a broken file or
        an unknown name.
        """
        if name.endswith(".toml"):
            found = list(self.load(Path(name)))
        elif name in self.rulesets:
            return self.rulesets[name]
        else:
            for path, error in self.broken.items():
                if name == path.stem or re.fullmatch(re.escape(path.stem) + r"-\dp", name):
                    raise error
            found = [ruleset for ruleset in self.rulesets.values() if _stem(ruleset) == name]
        if not found:
            raise unknown("ruleset", name, self.rulesets)
        if len(found) > 1:
            names = ", ".join(ruleset.name for ruleset in found)
            raise AmbiguousError(f"ruleset {name!r} is for several numbers of players; say one of {names}")
        return found[0]

    def load(self, path: Path) -> Iterator[Ruleset]:
        """Read one file and yield its rulesets, one for each number of players."""
        document = self._document(path, ())
        players = document.pop("players")
        game = _text(document, "game", path)
        try:
            model = games.game(game).ruleset
        except InvalidError as error:
            raise InvalidError(f"{path}: game: {error}") from None
        for count in [players] if isinstance(players, int) else players:
            name = path.stem if isinstance(players, int) else f"{path.stem}-{count}p"
            yield model.from_document({**document, "name": name, "players": count}, str(path))

    def _document(self, path: Path, seen: tuple[Path, ...]) -> dict[str, Any]:
        """Read a file as one document, what it extends included."""
        document = _toml(path)
        players = document.get("players")
        if players is not None and not _are_players(players):
            raise InvalidError(
                f"{path}: players: expected a number or a list of different numbers, not {players!r}"
            )
        parent = document.pop("extends", None)
        if parent is None:
            if players is None:
                raise InvalidError(f"{path}: players: expected a number or a list of numbers, found nothing")
            return document
        base = path.parent / f"{parent}.toml" if isinstance(parent, str) and _STEM.fullmatch(parent) else None
        if base is None:
            raise InvalidError(f"{path}: extends: expected the name of a ruleset file, not {parent!r}")
        if not base.is_file():
            if parent not in self.files:
                raise InvalidError(f"{path}: extends: {unknown('ruleset file', parent, self.files)}")
            base = self.files[parent]
        if base in (*seen, path):
            raise InvalidError(f"{path}: extends: {parent!r} leads back to this file")
        inherited = self._document(base, (*seen, path))
        for key in ("options", "tables", "provenance"):
            changes = document.pop(key, {})
            if not isinstance(changes, dict):
                raise InvalidError(f"{path}: {key}: expected a table, not {changes!r}")
            inherited[key] = {**inherited.get(key, {}), **changes}
        return {**inherited, **document}


def _toml(path: Path) -> dict[str, Any]:
    """Read a TOML file that has the keys of a ruleset; raise InvalidError with one line for anything else."""
    if not _STEM.fullmatch(path.stem):
        raise InvalidError(
            f"{path}: a ruleset file is named with a-z, 0-9 and -, because its name is the ruleset's"
        )
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InvalidError(f"{path}: larger than {LARGEST_FILE} bytes, so no ruleset")
        text = path.read_text(encoding="utf-8")
        if any(line.count(".") > MOST_DOTS for line in text.splitlines()):
            raise InvalidError(f"{path}: no ruleset: a line has more than {MOST_DOTS} dots")
        document = tomllib.loads(text)
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, a number of thousands of digits
        if isinstance(error, GameError):
            raise
        raise InvalidError(f"{path}: no TOML: {error}") from None
    for key in document.keys() - _KEYS:
        raise InvalidError(f"{path}: {unknown('key', key, _KEYS)}")
    return document


def _text(document: dict[str, Any], key: str, path: Path) -> str:
    found = document.get(key)
    if not isinstance(found, str):
        raise InvalidError(
            f"{path}: {key}: expected a text, found {'nothing' if found is None else repr(found)}"
        )
    return found


def _are_players(players: object) -> bool:
    if isinstance(players, list):
        return bool(players) and len(set(map(str, players))) == len(players) and all(map(_is_count, players))
    return _is_count(players)


def _is_count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _stem(ruleset: Ruleset) -> str:
    return re.sub(r"-\dp$", "", ruleset.name)
