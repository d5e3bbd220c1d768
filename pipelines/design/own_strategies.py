"""Own strategies, which a person allows by naming them: Python files, installed packages, and programs that play.

A run, an unfinished run or a page never causes this code to run: the person must name it in every command.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from engine import games, own_strategies
from engine.errors import InvalidError
from engine.strategies import built_in_strategies, read_player
from pipelines.design.limits import MAX_STRATEGY_CHARACTERS, check_length

if TYPE_CHECKING:
    from engine.game import Game
    from engine.own_strategies import Plugin
    from engine.strategy import Player, Strategy, StrategyCode

DECISION_TIMEOUT_SECONDS: Final = 60.0
"""Default time limit for one decision of an own strategy."""


@dataclass(frozen=True)
class OwnStrategies:
    """The strategies besides the built-in ones that a person has allowed. Without `functions` it can be pickled."""

    files: tuple[tuple[Path, str], ...] = ()
    """Python files and their SHA-256 hashes."""
    installed: tuple[str, ...] = ()
    """Names of allowed strategies from installed packages."""
    programs: bool = False
    """Whether strategies that start programs are allowed."""
    decision_seconds: float = DECISION_TIMEOUT_SECONDS
    functions: tuple[Plugin, ...] = ()
    """Functions of this process: they play in it, and a person interrupts those that take too long."""

    @classmethod
    def from_names(
        cls,
        code: Sequence[str | Path] = (),
        lineup: Sequence[str] = (),
        *,
        programs: bool = False,
        decision_seconds: float = DECISION_TIMEOUT_SECONDS,
    ) -> Self:
        """Allow what a command line names: the files and installed strategies in `code`, and all strategies in `lineup`.

        Do not pass a line-up that was read from a file. Raises InvalidError if a file cannot be read, if an installed
        strategy does not exist, or if REROLL_OWN=0 forbids own strategies.
        """
        names = [text.partition(":")[0] for text in lineup]
        files = [Path(text) for text in code if _is_file_path(str(text))]
        names += [str(text) for text in code if not _is_file_path(str(text))]
        if os.environ.get("REROLL_OWN", "1") == "0":
            if code:
                raise InvalidError("--code: REROLL_OWN=0 allows built-in strategies only")
            return cls()
        strategies = cls(
            tuple(dict.fromkeys((path.absolute(), own_strategies.file_sha256(path)) for path in files)),
            tuple(dict.fromkeys(names)),
            programs or bool(lineup),
            decision_seconds,
        )
        for name in map(str, code):
            if not _is_file_path(name) and name not in own_strategies.installed_strategies():
                raise InvalidError(f"--code {name}: there is no file and no installed strategy of that name")
        return strategies

    def load_plugins(self) -> Mapping[str, Plugin]:
        """Load the allowed strategies; raise InvalidError if one is faulty, or if two files have one of the same name."""
        return _load_plugins(self)

    def playable_strategies(self, game: Game) -> dict[str, Strategy]:
        """Return the allowed strategies that play a game, by name."""
        strategies = {
            name: plugin.strategy for name, plugin in self.load_plugins().items() if plugin.plays(game.name)
        }
        if self.programs:
            strategies |= {program.name: program for program in game.programs}
        return strategies

    def parse_player(self, game: Game, text: str) -> Player:
        """Return the player for a text; raise InvalidError if the strategy is unknown, not allowed or has bad parameters."""
        check_length(text, MAX_STRATEGY_CHARACTERS, "the strategy")
        name = text.partition(":")[0]
        plugin = self.load_plugins().get(
            name
        )  # first, because it refuses code with the name of a built-in strategy
        if name in built_in_strategies(game):
            return read_player(game, text)
        if plugin and plugin.strategy.code and not plugin.plays(game.name):
            raise InvalidError(
                f"strategy {name!r} of {plugin.strategy.code.file} does not play {game.name}; "
                f"it plays {', '.join(plugin.games or ())}"
            )
        return read_player(game, text, self.playable_strategies(game))

    def check_lineup(
        self, game: Game, lineup: Iterable[str], code: Sequence[StrategyCode], where: str
    ) -> None:
        """Check that a line-up from a file may be played, and that its code is the same as when the run was begun.

        Raises InvalidError that tells which option is missing. `where` names the file in the message.
        """
        names = {text.partition(":")[0] for text in lineup} - built_in_strategies(game).keys()
        programs = {program.name for program in game.programs}
        if names & programs and not self.programs:
            raise InvalidError(f"{where} plays a program; to allow that it is started, use --allow-programs")
        allowed = {name: plugin.strategy.code for name, plugin in self.load_plugins().items()}
        for name in sorted(names - programs):
            if name not in allowed and any(origin.file == own_strategies.NOTEBOOK for origin in code):
                raise InvalidError(
                    f"{where} plays strategy {name!r} of a notebook, which only that notebook can play again"
                )
            if name not in allowed:
                files = ", ".join(origin.package or origin.file for origin in code) or "an unknown file"
                raise InvalidError(
                    f"{where} plays strategy {name!r} of {files}; to allow this code, "
                    f"use --code {' --code '.join(origin.file for origin in code) or 'FILE'}"
                )
            used = allowed[name]
            if used is not None and used not in code:
                begun = ", ".join(f"{origin.file} with hash {origin.sha256[:12]}" for origin in code)
                raise InvalidError(
                    f"{where} was begun with {begun}, but {used.file} now has {used.sha256[:12]}; "
                    "restore the file, or simulate again"
                )


def code_of_players(players: Iterable[Player]) -> tuple[StrategyCode, ...]:
    """Return the code of the players that are not built in, which a design records."""
    return tuple(dict.fromkeys(player.strategy.code for player in players if player.strategy.code))


BUILT_IN_ONLY: Final = OwnStrategies()
"""Allows no own strategies."""


@lru_cache(maxsize=8)
def _load_plugins(strategies: OwnStrategies) -> Mapping[str, Plugin]:
    plugins: dict[str, Plugin] = {}
    for path, sha256 in strategies.files:
        for name, plugin in own_strategies.load_strategy_file(path, sha256).items():
            other = plugins.setdefault(name, plugin).strategy.code
            if other != plugin.strategy.code and other is not None:
                raise InvalidError(f"strategy {name!r} is in two files: {other.file} and {path.name}")
    for plugin in strategies.functions:
        plugins[plugin.strategy.name] = plugin
    if missing := [name for name in strategies.installed if name not in plugins]:
        offered = own_strategies.installed_strategies()
        plugins |= {
            name: own_strategies.load_installed_strategy(name)
            for name in missing
            if name in offered and not _is_built_in(name)
        }
    return plugins


def _is_file_path(text: str) -> bool:
    return text.endswith(".py") or os.sep in text


def _is_built_in(name: str) -> bool:
    return any(name in built_in_strategies(game) for game in games.registered_games())
