"""The results of people against strategies, as the page Play uses them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from dashboard.queries import cached
from engine.strategies import DEFAULT_STRENGTH, find_opponent
from pipelines.questions.hand_game import find_own_results

if TYPE_CHECKING:
    from pipelines.questions.hand_game import OwnResults
    from pipelines.runs.library import Library


def read_own_results() -> list[OwnResults]:
    """Return the results, the newest first; none while many run files are prepared, or if one is damaged."""
    with suppress(cached.PreparationError):
        return find_own_results(cached.question_source())
    return []


def choose_first_strength(library: Library) -> str:
    """Return the strength of the last opponent that had one; that of a first visit if there is none."""
    games = {ruleset.sha256: ruleset.game for ruleset in library.catalogue.rulesets.values()}
    found = (
        find_opponent(games[one.sha256], one.opponent) for one in read_own_results() if one.sha256 in games
    )
    return next((one.strength for one in found if one), DEFAULT_STRENGTH)
