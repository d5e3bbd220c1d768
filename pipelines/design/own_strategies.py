"""What a person allows by naming it: files of strategies, installed strategies, programs that play.

None of it is ever used because a run, an unfinished run or a page says so. Whoever commands names it, every time.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from engine import own_strategies
from engine.errors import InvalidError
from engine.strategies import built_in_strategies, read_player

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engine.game import Game
    from engine.own_strategies import Plugin
    from engine.strategy import Player, Strategy, StrategyCode

DECISION_TIMEOUT_SECONDS: Final = 60.0
"""How long a strategy of somebody's own may think about one decision, if nothing else is said."""


@dataclass(frozen=True)
class OwnStrategies:
    """Strategies besides the built-in ones that may be used. To be sent to other processes: it holds no code."""

    files: tuple[tuple[Path, str], ...] = ()
    """Python files and their hashes."""
    installed: tuple[str, ...] = ()
    """Names of strategies that may come from installed packages."""
    programs: bool = False
    """Whether strategies that start programs may be used."""
    decision_seconds: float = DECISION_TIMEOUT_SECONDS

    @classmethod
    def from_names(
        cls,
        code: Sequence[str | Path] = (),
        lineup: Sequence[str] = (),
        *,
        programs: bool = False,
        decision_seconds: float = DECISION_TIMEOUT_SECONDS,
    ) -> Self:
        """Allow what a command line names: `code`, files or names of installed strategies, and whatever its line-up needs.

        A line-up that was read from a file is not to be given. Raises InvalidError if a file cannot be read, or
        REROLL_OWN=0 forbids all of it.
        """
        names = [text.partition(":")[0] for text in lineup]
        files = [Path(text) for text in code if _is_file_path(str(text))]
        names += [str(text) for text in code if not _is_file_path(str(text))]
        if os.environ.get("REROLL_OWN", "1") == "0":
            if code:
                raise InvalidError("--code: REROLL_OWN=0 allows no strategies but the built-in ones")
            return cls()
        own = cls(
            tuple(dict.fromkeys((path.absolute(), own_strategies.file_sha256(path)) for path in files)),
            tuple(dict.fromkeys(names)),
            programs or bool(lineup),
            decision_seconds,
        )
        for name in map(str, code):
            if not _is_file_path(name) and name not in own_strategies.installed_strategies():
                raise InvalidError(
                    f"--code {name}: there is neither a file nor an installed strategy of that name"
                )
        return own

    def load_plugins(self) -> Mapping[str, Plugin]:
        """Load what was named; raise InvalidError if something in it is wrong, or two files have the same name for it."""
        return _load_plugins(self)

    def playable_strategies(self, game: Game) -> dict[str, Strategy]:
        """Return those that play a game, by name."""
        found = {
            name: plugin.strategy for name, plugin in self.load_plugins().items() if plugin.plays(game.name)
        }
        if self.programs:
            found |= {program.name: program for program in game.programs}
        return found

    def parse_player(self, game: Game, text: str) -> Player:
        """Read a strategy, built-in or own; raise InvalidError as `engine.strategies.read_player` does."""
        name = text.partition(":")[0]
        if name in built_in_strategies(game):
            return read_player(game, text)
        plugin = self.load_plugins().get(name)
        if plugin and plugin.strategy.code and not plugin.plays(game.name):
            raise InvalidError(
                f"strategy {name!r} of {plugin.strategy.code.file} does not play {game.name}, "
                f"but {', '.join(plugin.games or ())}"
            )
        return read_player(game, text, self.playable_strategies(game))

    def check_lineup(
        self, game: Game, lineup: Iterable[str], code: Sequence[StrategyCode], where: str
    ) -> None:
        """Check that a line-up read from a file may be played, and by the code that it was begun with.

        Raises InvalidError that says what has to be named.
        """
        wanted = {text.partition(":")[0] for text in lineup} - built_in_strategies(game).keys()
        programs = {program.name for program in game.programs}
        if wanted & programs and not self.programs:
            raise InvalidError(f"{where} plays a program; if it may be started, say --allow-programs")
        found = {name: plugin.strategy.code for name, plugin in self.load_plugins().items()}
        for name in sorted(wanted - programs):
            if name not in found:
                files = ", ".join(one.package or one.file for one in code) or "somebody's own"
                raise InvalidError(
                    f"{where} plays strategy {name!r} of {files}, and only a person may name code: "
                    f"say --code {' --code '.join(one.file for one in code) or 'FILE'}"
                )
            used = found[name]
            if used is not None and used not in code:
                begun = ", ".join(f"{one.file} with hash {one.sha256[:12]}" for one in code)
                raise InvalidError(
                    f"{where} was begun with {begun}, now {used.file} has {used.sha256[:12]}; "
                    "a run is played by one code: put the file back, or simulate anew"
                )


def code_of_players(players: Iterable[Player]) -> tuple[StrategyCode, ...]:
    """Return the code that players bring which is not ours: what a design has to record."""
    return tuple(dict.fromkeys(one.strategy.code for one in players if one.strategy.code))


BUILT_IN_ONLY: Final = OwnStrategies()
"""Only built-in strategies."""


@lru_cache(maxsize=8)
def _load_plugins(own: OwnStrategies) -> Mapping[str, Plugin]:
    found: dict[str, Plugin] = {}
    for path, sha256 in own.files:
        for name, plugin in own_strategies.load_strategy_file(path, sha256).items():
            other = found.setdefault(name, plugin).strategy.code
            if other != plugin.strategy.code and other is not None:
                raise InvalidError(f"strategy {name!r} is in two files: {other.file} and {path.name}")
    if wanted := [name for name in own.installed if name not in found]:
        offered = own_strategies.installed_strategies()
        found |= {
            name: own_strategies.load_installed_strategy(name)
            for name in wanted
            if name in offered and not _is_built_in(name)
        }
    return found


def _is_file_path(text: str) -> bool:
    return text.endswith(".py") or os.sep in text


def _is_built_in(name: str) -> bool:
    from engine import games  # noqa: PLC0415 - every game is asked, and only for installed strategies

    return any(name in built_in_strategies(game) for game in map(games.find_game, games.game_names()))
