"""The form of a new simulation in the address, so that a reload keeps it, a link shares it and a name can be saved for it.

The address is `?play=bloxx&ruleset=…&lineup=…&lineup=…` with one strategy for each player, and where they differ from the
defaults `games`, `log` and `seed`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import streamlit as st

from dashboard.widgets import form_address, number_fields
from dashboard.widgets.lineups import suggest_lineup
from engine.errors import InvalidError
from pipelines.questions.lineups import find_unknown_strategies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset

GAME_FIELD: Final = "play"
"""The key of the address that opens the form for a game."""
FORM_FIELDS: Final = ("ruleset", "lineup", "games", "log", "seed")
"""The other keys of the form in the address."""
MAX_GAMES: Final = 1_000_000
DEFAULT_GAMES: Final = 300
"""They take about a second and give intervals that are narrow enough to be useful."""
LOG_TITLES: Final = {
    "full": "every move",
    "sample=0.01": "the moves of 1 % of the games",
    "scores": "scores only",
}
ADDRESS_SLOT: Final = "new-form-address"
RULESET_KEY, GAMES_KEY, LOG_KEY, SEED_KEY = "new-ruleset", "new-games", "new-log", "new-seed"
FIELD_PREFIX: Final = "new-"
"""The keys of all fields of the form, and of nothing else, begin with it."""


class SimulationForm(NamedTuple):
    """What the fields hold."""

    ruleset: str
    lineup: tuple[str, ...]
    games: int = DEFAULT_GAMES
    log: str = "full"
    seed: str = ""

    @property
    def address(self) -> dict[str, list[str]]:
        """The form as an address; the ruleset and the strategies are always in it, because their defaults may change."""
        return {
            "ruleset": [self.ruleset],
            "lineup": list(self.lineup),
            **({"games": [str(self.games)]} if self.games != DEFAULT_GAMES else {}),
            **({"log": [self.log]} if self.log != "full" else {}),
            **({"seed": [self.seed]} if self.seed else {}),
        }


def seat_key(ruleset: Ruleset, seat: int) -> str:
    """Return the key of the field for the strategy of a seat; it is another one for each number of players."""
    return f"{FIELD_PREFIX}{ruleset.players}-{seat}"


def read_address_form(rulesets: Mapping[str, Ruleset], game_title: str) -> tuple[SimulationForm, list[str]]:
    """Return the form that the address asks for, and a sentence on each of its values that does not exist.

    `rulesets` are those of one game, the default first. A strategy that does not exist stays in the form, so that it can be
    corrected there; so does a seed.
    """
    given = st.query_params
    problems: list[str] = []
    name = given.get("ruleset", next(iter(rulesets)))
    if name not in rulesets:
        problems.append(form_address.describe_unknown(f"ruleset of {game_title}", name))
        name = next(iter(rulesets))
    ruleset = rulesets[name]
    lineup = tuple(text for text in given.get_all("lineup") if text)
    problems += find_unknown_strategies(ruleset, lineup)
    if lineup and len(lineup) != ruleset.players:
        problems.append(
            f"{name} has {ruleset.players} players, but the address names {len(lineup)} strategies."
        )
    log = given.get("log", "full")
    if log not in LOG_TITLES:
        problems.append(form_address.describe_unknown("choice of moves to keep", log))
        log = "full"
    count, about_games = form_address.read_address_number("games", "Games", 1, MAX_GAMES, DEFAULT_GAMES)
    seed = given.get("seed", "")
    defaults = suggest_lineup(ruleset)
    form = SimulationForm(name, (*lineup[: ruleset.players], *defaults[len(lineup) :]), count, log, seed)
    return form, problems + about_games + _find_seed_problem(seed)


def _find_seed_problem(seed: str) -> list[str]:
    try:
        number_fields.parse_seed(seed)
    except InvalidError as error:
        return [str(error)]
    return []


def read_shown_form(rulesets: Mapping[str, Ruleset]) -> SimulationForm | None:
    """Return what the fields hold; None if they were not drawn before, or for another game."""
    state = st.session_state
    name = str(state.get(RULESET_KEY))
    if name not in rulesets or any(key not in state for key in (GAMES_KEY, LOG_KEY, SEED_KEY)):
        return None
    ruleset = rulesets[name]
    lineup = tuple(
        str(state.get(seat_key(ruleset, seat)) or otherwise)
        for seat, otherwise in enumerate(suggest_lineup(ruleset))
    )
    return SimulationForm(name, lineup, int(state[GAMES_KEY]), str(state[LOG_KEY]), state[SEED_KEY])


def fill_fields(form: SimulationForm, ruleset: Ruleset) -> None:
    """Put the values of a form into the fields, before they are drawn."""
    st.session_state[RULESET_KEY] = form.ruleset
    for seat, strategy in enumerate(form.lineup):
        st.session_state[seat_key(ruleset, seat)] = strategy
    st.session_state[GAMES_KEY] = form.games
    st.session_state[LOG_KEY] = form.log
    st.session_state[SEED_KEY] = form.seed


def open_form(game: str) -> None:
    """Open the form for a game, with its defaults, by naming the game in the address."""
    close_form()
    st.query_params[GAME_FIELD] = game


def close_form() -> None:
    """Take the form out of the address, and forget what its fields hold."""
    for key in (GAME_FIELD, *FORM_FIELDS):
        st.query_params.pop(key, None)
    for key in [key for key in st.session_state if str(key).startswith(FIELD_PREFIX)]:
        del st.session_state[key]
