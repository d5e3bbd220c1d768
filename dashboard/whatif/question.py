"""What is asked of a game: from which ply on, what is different, and how often it is played on. It stands in the address."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.whatif.tables import change_address_fields
from dashboard.widgets import number_fields
from engine import games
from engine.actions import CHANCE
from engine.errors import GameError
from engine.play import replay_actions
from engine.strategies import built_in_strategies
from pipelines.experiments.whatif.fork import Change, Fork, fork_logged_game, parse_option
from pipelines.experiments.whatif.whatif import DEFAULT_CONTINUATIONS

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.state import State
    from pipelines.runs.library import Run

CHANGE_KINDS: Final = ("Another strategy", "Another action", "Another rule", "Other luck")
MIN_CONTINUATIONS, MAX_CONTINUATIONS = 60, 100_000
"""Continuations of each branch."""
MAX_SEED: Final = 10**9
MAX_ACTIONS_LISTED: Final = 4000


@dataclass(frozen=True)
class Question:
    """A fork, and how often both its branches are played on."""

    fork: Fork
    n: int
    seed: int


@dataclass(frozen=True)
class ForkPlace:
    """A ply of a logged game, before which it forks."""

    ruleset: Ruleset
    seated: list[str]
    """The strategy on each seat."""
    state: State
    ply: int
    action: int
    """What was played there."""


def ask_whatif(run: Run, game: int) -> Question | None:
    """Ask what is different, and put it into the address; None as long as it is not asked, or cannot be."""
    is_asked = "ply" in st.query_params  # a link asks; who comes by the menu looks first
    ruleset = run.ruleset(run.game(game).ruleset)
    actions = run.actions(game)
    states = list(replay_actions(games.find_game(ruleset.game).start(ruleset), actions))
    seated = [seat.strategy for seat in run.seats(game)]
    with st.container(border=True):
        where, way = st.columns([2, 3])
        ply = where.number_input(
            "From ply",
            0,
            len(actions) - 1,
            number_fields.parse_bounded_number(
                _read_address_text("ply", ""), 0, len(actions) - 1, len(actions) // 2
            ),
            key=f"whatif-ply-{run.name}-{game}",
            help="The fork is before this ply. In the replay, “What if” brings you here.",
        )
        place = ForkPlace(ruleset, seated, states[ply], ply, actions[ply])
        where.caption(cached.escape_markdown(_format_played_action(place)))
        kind = way.segmented_control(
            "What is different?", CHANGE_KINDS, default=_change_kind_in_address(), required=True, wrap=True
        )
        try:
            change = _ask_change(place, str(kind))
            n, seed = _ask_continuations()
            asked = Question(fork_logged_game(run, game, ply, change), n, seed)
        except GameError as error:
            st.error(cached.escape_markdown(str(error)))
            return None
        if not is_asked and not st.button("Play it on, both ways", type="primary"):
            return None
    said = {"run": run.name, "game": str(game), "ply": str(ply), **change_address_fields(change)}
    st.query_params.from_dict({**said, "n": str(n), "seed": str(seed)})
    return asked


def _format_played_action(place: ForkPlace) -> str:
    """Say what was done at the ply."""
    seat = place.state.seat
    who = "a roll" if seat == CHANCE else f"seat {seat} ({place.seated[seat]})"
    return f"Round {place.state.round}, {who}: {place.ruleset.action(place.action).notation} was played."


def _ask_change(place: ForkPlace, way: str) -> Change:
    """Ask what is different; raises a GameError if it cannot be."""
    if way == CHANGE_KINDS[1]:
        return _ask_action_change(place.ruleset, place.state, place.action)
    if way == CHANGE_KINDS[2]:
        return _ask_rule_change(place.ruleset)
    if way == CHANGE_KINDS[3]:
        return Change()
    return _ask_strategy_change(place.ruleset, place.state, place.seated)


def _ask_continuations() -> tuple[int, int]:
    """Ask for the number of continuations, and for their seed."""
    many, luck, _ = st.columns([1, 1, 3])
    n = many.number_input(
        "Continuations",
        MIN_CONTINUATIONS,
        MAX_CONTINUATIONS,
        number_fields.parse_bounded_number(
            _read_address_text("n", ""), MIN_CONTINUATIONS, MAX_CONTINUATIONS, DEFAULT_CONTINUATIONS
        ),
        step=1000,
    )
    seed = luck.number_input(
        "Seed",
        0,
        MAX_SEED,
        number_fields.parse_bounded_number(_read_address_text("seed", ""), 0, MAX_SEED, 0),
    )
    return int(n), int(seed)


def _read_address_text(key: str, otherwise: str) -> str:
    """Read what the address says."""
    return str(st.query_params.get(key, otherwise))


def _change_kind_in_address() -> str:
    """Return the kind of question that the address asks."""
    given = {"action": CHANGE_KINDS[1], "option": CHANGE_KINDS[2], "luck": CHANGE_KINDS[3]}
    return next((way for key, way in given.items() if key in st.query_params), CHANGE_KINDS[0])


def _ask_strategy_change(ruleset: Ruleset, state: State, seated: list[str]) -> Change:
    """Ask for another strategy of a seat."""
    names = list(built_in_strategies(games.find_game(ruleset.game)))
    acting = state.seat if state.seat != CHANCE else 0
    which, how = st.columns(2)
    seat = which.selectbox(
        "Seat",
        list(range(ruleset.players)),
        index=number_fields.parse_bounded_number(
            _read_address_text("seat", ""), 0, ruleset.players - 1, acting
        ),
        format_func=lambda one: f"seat {one}, played by {seated[one]}",
    )
    otherwise = next((name for name in reversed(names) if name not in seated), names[0])
    given = _read_address_text("strategy", otherwise)
    strategy = how.selectbox(
        "plays from here on",
        list(dict.fromkeys([given, *names])),
        accept_new_options=True,
        help="A strategy by name, with parameters if you like: noisy:sigma=3",
    )
    return Change({seat: strategy or given})


def _ask_action_change(ruleset: Ruleset, state: State, logged: int) -> Change:
    """Ask for another action, or another roll, at this ply."""
    notations = [ruleset.action(action).notation for action in state.actions[:MAX_ACTIONS_LISTED]]
    given = _read_address_text(
        "action", next((one for one in notations if one != ruleset.action(logged).notation), notations[0])
    )
    who = "the roll had been" if state.seat == CHANCE else f"seat {state.seat} had played"
    chosen = st.selectbox(
        f"Instead of {ruleset.action(logged).notation}, {who}",
        list(dict.fromkeys([given, *notations])),
        help=f"All {len(state.actions):,} that are legal here; type to search.",
    )
    return Change(action=chosen or given)


def _ask_rule_change(ruleset: Ruleset) -> Change:
    """Ask for another value of an option of the ruleset."""
    options: dict[str, Any] = ruleset.document["options"]
    key, _, value = _read_address_text("option", "").partition("=")
    which, what = st.columns(2)
    name = which.selectbox(
        "Option", list(options), index=list(options).index(key) if key in options else 0, format_func=str
    )
    now = json.dumps(options[name])
    text = what.text_input(f"in place of {now}", value if key == name else now, key=f"whatif-option-{name}")
    return Change(options=dict([parse_option(f"{name}={text}")]))
