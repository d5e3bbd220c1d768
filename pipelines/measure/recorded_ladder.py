"""What the recorded ladder says about a strategy: its time for a move, and where it stands.

`benchmarks/ladder.json` was written by `python -m pipelines.measure.ladder`; the package contains a copy of it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from engine import games
from engine.catalogue import Catalogue
from engine.errors import GameError
from engine.strategies import read_player
from pipelines.statistics import Interval

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

_LADDER_PATHS: Final = (
    Path(__file__).with_name("ladder.json"),
    Path(__file__).parents[2] / "benchmarks" / "ladder.json",
)


class LadderRecord(NamedTuple):
    """What the ladder of a ruleset says about a strategy."""

    microseconds: float | None
    """Processor time of a decision; None if a lowest rung was not timed."""
    processor: str
    """The processor on which it was measured."""
    rung: int
    """Its place on the ladder; the weakest strategy has 1."""
    rungs: int
    below: str
    """The strategy one rung below; empty for the lowest."""
    lead: Interval | None
    """By how many points it beats that strategy; positive is better also where the lowest score wins."""
    games: int
    """Number of games behind the lead."""


def find_ladder_record(ruleset: Ruleset, label: str) -> LadderRecord | None:
    """Return what the recorded ladder says about a strategy, given by its full name, under a ruleset.

    Return None if it has no rung there: its parameters or the rules are others than those that were measured.
    """
    return list_ladder_records(ruleset).get(label)


def list_ladder_records(ruleset: Ruleset) -> dict[str, LadderRecord]:
    """Return the records of all rungs of a ruleset by the full names of the strategies, the weakest first.

    There are none if the rules are others than those that were measured.
    """
    if _shipped_hashes().get(ruleset.name) != ruleset.sha256:
        return {}
    return _ladder_records(ruleset.name, ruleset.game)


@cache
def _shipped_hashes() -> dict[str, str]:
    """Return the hashes of the rulesets that belong to Reroll, by name; a visitor's ruleset may have the same name."""
    return {name: ruleset.sha256 for name, ruleset in Catalogue().rulesets.items()}


@cache
def _ladder_records(ruleset: str, game_name: str) -> dict[str, LadderRecord]:
    """Return the records of a ruleset by the full names of its strategies; none if the ladder cannot be read."""
    game = games.find_game(game_name)
    path = next((path for path in _LADDER_PATHS if path.is_file()), None)
    if path is None:
        return {}
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        processor = str(document["machine"]["processor"])
        steps = [step for step in document["rungs"] if step["ruleset"] == ruleset and not step["is_curve"]]
        records = {}
        for number, step in enumerate(steps, start=2):
            if number == 2:
                lowest = read_player(game, step["against"]).label
                spent = document.get("lowest_microseconds", {}).get(ruleset)
                records[lowest] = LadderRecord(spent, processor, 1, len(steps) + 1, "", None, 0)
            lead = Interval(**step["difference"])
            if step["lowest_wins"]:
                lead = Interval(-lead.estimate, -lead.high, -lead.low)
            label = read_player(game, step["strategy"]).label
            records[label] = LadderRecord(
                step["microseconds"], processor, number, len(steps) + 1, step["against"], lead, step["games"]
            )
    except (OSError, ValueError, KeyError, TypeError, GameError):  # not the file of this version
        return {}
    return records
