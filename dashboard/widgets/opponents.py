"""Against whom a visitor plays by hand: the level that holds for all ways to begin a game, and the game to begin at once."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from engine import games
from engine.strategies import DEFAULT_STRENGTH, find_opponent
from pipelines.design.people import PERSON
from pipelines.questions.hand_game import HandGameQuestion, OwnResults, find_own_results
from pipelines.questions.lineups import parse_seed

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library

LEVEL_SLOT: Final = "play-level"
"""The key of the session state that keeps the level which the visitor has chosen last."""


def read_own_results() -> list[OwnResults]:
    """Return the results of people, the newest first; none while many run files are prepared, or if one is damaged."""
    with suppress(cached.PreparationError):
        return find_own_results(cached.question_source())
    return []


def choose_level(library: Library) -> str:
    """Return the level that the visitor has chosen, or that of the last opponent that had one, or that of a first visit."""
    if LEVEL_SLOT in st.session_state:
        return str(st.session_state[LEVEL_SLOT])
    played = {ruleset.sha256: ruleset.game for ruleset in library.catalogue.rulesets.values()}
    opponents = (
        find_opponent(played[result.sha256], result.opponent)
        for result in read_own_results()
        if result.sha256 in played
    )
    return next((opponent.strength for opponent in opponents if opponent), DEFAULT_STRENGTH)


def list_variants(library: Library) -> dict[str, list[Ruleset]]:
    """Return the rulesets of each game: first those for the fewest players; of them its own before others, first the shortest name."""
    variants: dict[str, list[Ruleset]] = {}
    for ruleset in sorted(
        library.catalogue.rulesets.values(),
        key=lambda ruleset: (
            ruleset.players,
            not ruleset.name.startswith(ruleset.game),
            len(ruleset.name),
            ruleset.name,
        ),
    ):
        variants.setdefault(ruleset.game, []).append(ruleset)
    return dict(sorted(variants.items(), key=lambda entry: games.list_order(entry[0])))


def begin_game(ruleset: Ruleset, level: str) -> HandGameQuestion:
    """Return a new game in which the visitor has the first seat, and opponents of a level the others."""
    seats = [PERSON, *[level] * (ruleset.players - 1)]
    return HandGameQuestion(ruleset=ruleset.name, seats=",".join(seats), seed=parse_seed(""))


def begin_usual_game(library: Library) -> HandGameQuestion:
    """Return a new game under the rules that were played last, or under the first ones; without any, the form."""
    rulesets = {ruleset.sha256: ruleset for ruleset in library.catalogue.rulesets.values()}
    played = (rulesets[result.sha256] for result in read_own_results() if result.sha256 in rulesets)
    first = (variants[0] for variants in list_variants(library).values())
    ruleset = next(played, None) or next(first, None)
    return begin_game(ruleset, choose_level(library)) if ruleset else HandGameQuestion()
