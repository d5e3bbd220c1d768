"""Records read from a run file: what a list shows of a run, its rulesets, its design, its games and their seats.

What the summary of a run takes from its design: who sat where, how many blocks were played, and with which luck.
A run file may come from anybody, and a list of runs must not fail because of a document that only `Run.design` needs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from engine.errors import InvalidError
from engine.wording import player_label
from pipelines.design.design import parse_log_interval
from pipelines.design.lineups import Lineup, make_lineup


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
    def table(self) -> tuple[str, ...]:
        """The strategies of a game, as often as they sat at the table; empty if they are not the same in all games."""
        tables = self.lineup.tables
        return tables[0] if len(tables) == 1 else ()

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


WHOLE_GAME_KINDS = ("simulate", "compare")
"""The kinds of runs whose games strategies play from the beginning, with the luck of the seed."""


class PlayedDesign(NamedTuple):
    """What was played."""

    lineup: Lineup
    blocks: int
    logged_blocks: int
    """Number of blocks whose plies are logged."""
    luck: str
    """Runs with equal values have the same luck in blocks of equal numbers."""


def read_played_design(
    text: str, kind: str, seed: int, games: int, strategies: Sequence[str]
) -> PlayedDesign:
    """Return what a run played, from its design as a JSON document and its number of games.

    If the document is not a design, all `strategies` count as one line-up on fixed seats, and every game as a block.
    """
    content = hashlib.sha256(text.encode()).hexdigest()
    is_whole = kind in WHOLE_GAME_KINDS
    try:
        document = json.loads(text)
        lineup = _read_lineup(document, "" if is_whole or kind == "import" else content)
        blocks = max(1, games // len(document["seatings"]))
        every = parse_log_interval(document["log"])
    except (ValueError, TypeError, KeyError, IndexError, RecursionError, InvalidError):
        lineup, blocks, every = Lineup((tuple(strategies),)), games, 1
    return PlayedDesign(
        lineup, blocks, -(-blocks // every) if every else 0, str(seed) if is_whole else content
    )


def _read_lineup(document: dict[str, Any], parent: str) -> Lineup:
    """Return the line-up of a design; `parent` stands for the game that it goes on from."""
    players, seatings = document["lineup"], document["seatings"]
    labels = [player_label(player) for player in players]
    seated = [tuple(labels[place] for place in seating) for seating in seatings]
    settings = sorted({text for text, label in zip(players, labels, strict=True) if text != label})
    code = [file["sha256"] for file in document["code"]]
    details = json.dumps([parent, settings, code]) if parent or settings or code else ""
    return make_lineup(seated, int(document["opening"]), details)
