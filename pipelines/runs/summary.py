"""Records read from a run file: what a list shows of a run, its rulesets, its games and their seats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.runs.played_design import WHOLE_GAME_KINDS

if TYPE_CHECKING:
    from datetime import datetime

    from pipelines.design.lineup import Lineup
    from pipelines.runs.played_design import PlayedDesign


@dataclass(frozen=True)
class RulesetSummary:
    """A ruleset that was played."""

    name: str
    game: str
    title: str
    players: int
    lowest_wins: bool
    sha256: str


@dataclass(frozen=True)
class RunSummary:
    """What a list of runs shows of a run."""

    title: str
    kind: str
    created_at: datetime
    """UTC, without a time zone."""
    command: str
    seed: int
    games: int
    seconds: float
    log: str
    rulesets: tuple[RulesetSummary, ...]
    strategies: tuple[str, ...]
    played: PlayedDesign
    bytes: int

    @property
    def lineup(self) -> Lineup:
        """Who sat where."""
        return self.played.lineup

    @property
    def is_comparison(self) -> bool:
        return self.kind == "compare"

    @property
    def is_whatif(self) -> bool:
        return self.kind == "whatif"

    @property
    def is_by_hand(self) -> bool:
        return self.kind == "hand"

    @property
    def plays_whole_games(self) -> bool:
        """True if strategies played all games here, from the beginning."""
        return self.kind in WHOLE_GAME_KINDS

    @property
    def is_sample(self) -> bool:
        """True if the games are independent samples of what the strategies do.

        The games of a what-if all begin with the same plies, and in a game by hand a person may have had hints.
        """
        return not (self.is_whatif or self.is_by_hand)


@dataclass(frozen=True)
class GameSummary:
    """One row of the table `games`."""

    game_id: int
    ruleset: str
    block: int
    rotation: int
    rounds: int
    plies: int
    logged: bool


@dataclass(frozen=True)
class Seat:
    """One row of the table `seats`: who sat there, and the result."""

    seat: int
    strategy: str
    score: int
    rank: int
    win_share: float
