"""What the summary of a run takes from its design: who sat where, how many blocks were played, and with which luck.

A run file may come from anybody, and a list of runs must not fail because of a document that only `Run.design` needs.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.errors import InvalidError
from engine.player_label import player_label
from pipelines.design.design import parse_log_interval
from pipelines.design.lineup import Lineup, make_lineup

if TYPE_CHECKING:
    from collections.abc import Sequence

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

    If the document is no design, all `strategies` count as one line-up on fixed seats, and every game as a block.
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
    code = [one["sha256"] for one in document["code"]]
    details = json.dumps([parent, settings, code]) if parent or settings or code else ""
    return make_lineup(seated, int(document["opening"]), details)
