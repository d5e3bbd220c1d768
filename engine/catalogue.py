"""Ruleset files in TOML: reading them, and finding a ruleset by its name.

A file named `bloxx.toml` with `players = [2, 3, 4]` defines the rulesets `bloxx-2p`, `bloxx-3p` and `bloxx-4p`;
with `players = 2` it defines one ruleset that has the name of the file. A file with `extends = "bloxx"` starts from
another file and contains only the differences: each option replaces one option, each table replaces a whole table.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from engine import games
from engine.errors import AmbiguousError, GameError, InvalidError, unknown_name_error
from engine.file_limits import decode_text, read_regular_file

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

_ENGINE_FOLDER: Final = Path(__file__).parent
SHIPPED_RULESETS_FOLDER: Final = next(
    folder
    for folder in (_ENGINE_FOLDER.parent / "data" / "rulesets", _ENGINE_FOLDER / "rulesets")
    if folder.is_dir()
)
"""The rulesets of the project. In a checkout they are beside the code, in an installed package inside it."""

MAX_RULESET_FILE_BYTES: Final = 1 << 17
"""A ruleset file is a page of text. Anything larger is a mistake or an attack."""
MAX_DOTS_IN_LINE: Final = 1000
"""The time that TOML takes to read a key with many dots grows with the square of their number."""

MAX_REMEMBERED_CATALOGUES: Final = 8
"""Folders whose rulesets stay in memory: a dashboard asks for them on every visit, and validating them takes longer than reading."""
_Contents: TypeAlias = tuple[tuple[Path, bytes], ...]
_remembered: Final[dict[tuple[Path, ...], tuple[_Contents, dict[str, Ruleset]]]] = {}

_DOCUMENT_KEYS: Final = {"game", "title", "players", "extends", "options", "tables", "provenance"}
_STEM_PATTERN: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,50}")
_PLAYERS_SUFFIX: Final = re.compile(r"-\dp$")


@dataclass(frozen=True)
class Catalogue:
    """All rulesets in some folders. A file that cannot be read does not affect the other files."""

    folders: tuple[Path, ...] = (SHIPPED_RULESETS_FOLDER,)
    added: tuple[Ruleset, ...] = ()
    """Rulesets without a file of these folders."""

    def add(self, *rulesets: Ruleset) -> Catalogue:
        """Return a catalogue that has some rulesets, too. Raises InvalidError if it has another one of the same name."""
        for ruleset in rulesets:
            if self.rulesets.get(ruleset.name, ruleset) != ruleset:
                raise InvalidError(
                    f"there is another ruleset {ruleset.name!r} in the library; give yours a name of its own"
                )
        return replace(self, added=(*self.added, *rulesets))

    @cached_property
    def files(self) -> dict[str, Path]:
        """Paths of the ruleset files by file name without `.toml`. Earlier folders win."""
        return {
            path.stem: path for folder in reversed(self.folders) for path in sorted(folder.glob("*.toml"))
        }

    @cached_property
    def _rulesets_and_errors(self) -> tuple[dict[str, Ruleset], dict[Path, GameError]]:
        """The rulesets and the errors of files; what is known of the same files with the same contents is not read again."""
        contents = self._read_contents()
        known_contents, known = _remembered.get(self.folders, (None, {}))
        if contents is not None and contents == known_contents:
            return dict(known), {}
        rulesets, broken = self._read_all()
        if contents is not None and not broken:
            if len(_remembered) >= MAX_REMEMBERED_CATALOGUES:
                _remembered.clear()
            _remembered[self.folders] = contents, dict(rulesets)
        return rulesets, broken

    def _read_contents(self) -> _Contents | None:
        """Return the bytes of all files of the folders; None if one of them cannot be read."""
        paths = [path for folder in self.folders for path in sorted(folder.glob("*.toml"))]
        try:
            return tuple((path, read_regular_file(path, MAX_RULESET_FILE_BYTES)) for path in paths)
        except (OSError, GameError):
            return None

    def _read_all(self) -> tuple[dict[str, Ruleset], dict[Path, GameError]]:
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
                rulesets = {
                    name: ruleset for name, ruleset in rulesets.items() if _file_stem(ruleset) != stem
                }
        ordered = sorted(rulesets.values(), key=lambda ruleset: games.list_order(ruleset.game))
        return {ruleset.name: ruleset for ruleset in ordered}, broken

    @property
    def rulesets(self) -> dict[str, Ruleset]:
        """All rulesets that can be read, by name: game by game, then in the order of their files."""
        return self._rulesets_and_errors[0] | {ruleset.name: ruleset for ruleset in self.added}

    @property
    def file_errors(self) -> dict[Path, GameError]:
        """The errors of the files that cannot be read, by path."""
        return self._rulesets_and_errors[1]

    def find_ruleset(self, name: str, players: int | None = None) -> Ruleset:
        """Return the ruleset with this name, or the one in the file with this path (`.toml`).

        Of a file for several numbers of players, `players` chooses one, and so does a path such as mine-2p.toml for mine.toml.
        The name of a file without `.toml` also names its rulesets. Raises AmbiguousError if several are left, InvalidError for a
        file that cannot be read or an unknown name.
        """
        if name.endswith(".toml"):
            matches = self._find_rulesets_by_path(Path(name))
        elif name in self.rulesets:
            return self.rulesets[name]
        else:
            if error := self.find_file_error(name):
                raise error
            matches = [ruleset for ruleset in self.rulesets.values() if _file_stem(ruleset) == name]
        if not matches:
            raise unknown_name_error("ruleset", name, self.rulesets)
        matches = [ruleset for ruleset in matches if ruleset.players == players] or matches
        if len(matches) > 1:
            suffix = ".toml" if name.endswith(".toml") else ""
            names = ", ".join(str(Path(name).with_name(f"{ruleset.name}{suffix}")) for ruleset in matches)
            raise AmbiguousError(f"ruleset {name!r} is for several numbers of players; choose one of {names}")
        return matches[0]

    def _find_rulesets_by_path(self, path: Path) -> list[Ruleset]:
        """Return the rulesets of a file; for a path such as mine-2p.toml without a file, those of mine.toml for two players."""
        base = path.with_stem(_PLAYERS_SUFFIX.sub("", path.stem))
        if path.exists() or base == path or not base.exists():
            return list(self.read_ruleset_file(path))
        return [ruleset for ruleset in self.read_ruleset_file(base) if ruleset.name == path.stem]

    def find_ruleset_file(self, name: str) -> Path:
        """Return the file that defines a ruleset; the name may be that of the file. Raises InvalidError for an unknown name."""
        if name in self.files:
            return self.files[name]
        if name in self.rulesets:
            return self.files[_file_stem(self.rulesets[name])]
        raise unknown_name_error("ruleset", name, self.rulesets)

    def find_file_error(self, name: str) -> GameError | None:
        """Return the error of the file that has the rulesets of a name; None if there is no such file, or if it can be read."""
        for path, error in self.file_errors.items():
            if name == path.stem or re.fullmatch(re.escape(path.stem) + r"-\dp", name):
                return error
        return None

    def derivation_order(self, ruleset: Ruleset) -> tuple[bool, int]:
        """Return a sort key: shipped rulesets come before one's own, then those with fewer steps of `extends` come first."""
        path, depth = self.files.get(ruleset.name) or self.files.get(_file_stem(ruleset)), 0
        if path is None:  # it was added
            return True, depth
        is_own = path.parent != SHIPPED_RULESETS_FOLDER
        while (parent := _read_toml(path).get("extends")) is not None:
            path, depth = self._find_extended_file(path, parent), depth + 1
        return is_own, depth

    def read_ruleset_file(self, path: Path) -> Iterator[Ruleset]:
        """Read one file and yield its rulesets, one for each number of players; raise InvalidError if it is not valid."""
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
        """Read a file, including the files that it extends, as one document. `seen` are the files that led to this one."""
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
        base = self._find_extended_file(path, parent)
        if base in (*seen, path):
            raise InvalidError(f"{path}: extends: {parent!r} leads back to this file")
        inherited = self._read_document(base, (*seen, path))
        for key in ("options", "tables", "provenance"):
            changes = document.pop(key, {})
            if not isinstance(changes, dict):
                raise InvalidError(f"{path}: {key}: expected a table, not {changes!r}")
            inherited[key] = {**inherited.get(key, {}), **changes}
        return {**inherited, **document}

    def _find_extended_file(self, path: Path, parent: object) -> Path:
        """Return the file that a file extends by its name: one beside it, or else the one that everybody means."""
        if not (isinstance(parent, str) and _STEM_PATTERN.fullmatch(parent)):
            raise InvalidError(f"{path}: extends: expected the name of a ruleset file, not {parent!r}")
        base = path.parent / f"{parent}.toml"
        if base.is_file():
            return base
        if parent not in self.files:
            raise InvalidError(f"{path}: extends: {unknown_name_error('ruleset file', parent, self.files)}")
        return self.files[parent]


def _read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file that has only keys of a ruleset; raise InvalidError with a one-line message otherwise."""
    if not _STEM_PATTERN.fullmatch(path.stem):
        raise InvalidError(
            f"{path}: the name of a ruleset file consists of a-z, 0-9 and -, because it is also the name of the ruleset"
        )
    try:
        text = decode_text(read_regular_file(path, MAX_RULESET_FILE_BYTES))
        if any(line.count(".") > MAX_DOTS_IN_LINE for line in text.splitlines()):
            raise InvalidError(f"not a ruleset: a line has more than {MAX_DOTS_IN_LINE} dots")
        document = tomllib.loads(text)
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None
    except GameError as error:
        raise InvalidError(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:  # not TOML, or a number with thousands of digits
        raise InvalidError(f"{path}: not valid TOML: {error}") from None
    for key in document.keys() - _DOCUMENT_KEYS:
        raise InvalidError(f"{path}: {unknown_name_error('key', key, _DOCUMENT_KEYS)}")
    return document


def _required_text(document: dict[str, Any], key: str, path: Path) -> str:
    text = document.get(key)
    if not isinstance(text, str):
        raise InvalidError(
            f"{path}: {key}: expected a text, found {'nothing' if text is None else repr(text)}"
        )
    return text


def _are_player_counts(players: object) -> bool:
    if isinstance(players, list):
        return bool(players) and len(set(map(str, players))) == len(players) and all(map(_is_count, players))
    return _is_count(players)


def _is_count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _file_stem(ruleset: Ruleset) -> str:
    return _PLAYERS_SUFFIX.sub("", ruleset.name)
