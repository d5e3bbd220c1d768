"""The form of a what-if question: the ply, the change, and the number of continuations. The address contains all of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.whatif.tables import change_address_fields
from dashboard.widgets import number_fields
from dashboard.widgets.markdown import escape_markdown
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
"""Limits of the number of continuations of each branch."""
MAX_SEED: Final = 10**9
MAX_ACTIONS_LISTED: Final = 4000


@dataclass(frozen=True)
class Question:
    """A fork and the number of continuations of both branches."""

    fork: Fork
    n: int
    seed: int


@dataclass(frozen=True)
class ForkPlace:
    """The ply of a logged game before which it is forked."""

    ruleset: Ruleset
    seated: list[str]
    """The strategy on each seat."""
    state: State
    ply: int
    action: int
    """The action that was played."""


def ask_whatif(run: Run, game: int) -> Question | None:
    """Show the form and write the question into the address.

    Return None if the visitor has not asked yet, or if the question is not possible.
    """
    is_asked = (
        "ply" in st.query_params
    )  # a link contains the question; a visitor from the menu fills in the form first
    ruleset = run.ruleset(run.game(game).ruleset)
    actions = run.actions(game)
    states = list(replay_actions(games.find_game(ruleset.game).start(ruleset), actions))
    seated = [seat.strategy for seat in run.seats(game)]
    with st.container(border=True):
        where, way = st.columns([2, 3])
        ply = where.number_input(
            "Fork before ply",
            0,
            len(actions) - 1,
            number_fields.parse_bounded_number(
                _read_address_text("ply", ""), 0, len(actions) - 1, len(actions) // 2
            ),
            key=f"whatif-ply-{run.name}-{game}",
            help="In the replay, “What if” opens this page at the ply that you see.",
        )
        place = ForkPlace(ruleset, seated, states[ply], ply, actions[ply])
        where.caption(escape_markdown(_format_played_action(place)))
        kind = way.segmented_control(
            "What changes?", CHANGE_KINDS, default=_change_kind_in_address(), required=True, wrap=True
        )
        try:
            change = _ask_change(place, str(kind))
            n, seed = _ask_continuations()
            asked = Question(fork_logged_game(run, game, ply, change), n, seed)
        except GameError as error:
            st.error(escape_markdown(str(error)))
            return None
        if not is_asked and not st.button("Play both branches", type="primary"):
            return None
    address = {"run": run.name, "game": str(game), "ply": str(ply), **change_address_fields(change)}
    st.query_params.from_dict({**address, "n": str(n), "seed": str(seed)})
    return asked


def _format_played_action(place: ForkPlace) -> str:
    """Return a sentence on the action that was played at the ply."""
    seat = place.state.seat
    who = "a roll" if seat == CHANCE else f"seat {seat} ({place.seated[seat]})"
    return f"Round {place.state.round}, {who}: {place.ruleset.action(place.action).notation} was played."


def _ask_change(place: ForkPlace, way: str) -> Change:
    """Ask for the change; raise a GameError if it is not possible."""
    if way == CHANGE_KINDS[1]:
        return _ask_action_change(place.ruleset, place.state, place.action)
    if way == CHANGE_KINDS[2]:
        return _ask_rule_change(place.ruleset)
    if way == CHANGE_KINDS[3]:
        return Change()
    return _ask_strategy_change(place.ruleset, place.state, place.seated)


def _ask_continuations() -> tuple[int, int]:
    """Ask for the number of continuations and their seed."""
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
    """Return a text from the address, or a default."""
    return str(st.query_params.get(key, otherwise))


def _change_kind_in_address() -> str:
    """Return the kind of change that the address contains."""
    given = {"action": CHANGE_KINDS[1], "option": CHANGE_KINDS[2], "luck": CHANGE_KINDS[3]}
    return next((way for key, way in given.items() if key in st.query_params), CHANGE_KINDS[0])


def _ask_strategy_change(ruleset: Ruleset, state: State, seated: list[str]) -> Change:
    """Ask for another strategy on a seat."""
    names = list(built_in_strategies(games.find_game(ruleset.game)))
    acting = state.seat if state.seat != CHANCE else 0
    which, how = st.columns(2)
    seat = which.selectbox(
        "Seat",
        list(range(ruleset.players)),
        index=number_fields.parse_bounded_number(
            _read_address_text("seat", ""), 0, ruleset.players - 1, acting
        ),
        format_func=lambda seat: f"seat {seat}, played by {seated[seat]}",
    )
    otherwise = next((name for name in reversed(names) if name not in seated), names[0])
    given = _read_address_text("strategy", otherwise)
    strategy = how.selectbox(
        "is then played by",
        list(dict.fromkeys([given, *names])),
        accept_new_options=True,
        help="A strategy, with parameters if you want: noisy:sigma=3",
    )
    return Change({seat: strategy or given})


def _ask_action_change(ruleset: Ruleset, state: State, logged: int) -> Change:
    """Ask for another action, or another roll, at this ply."""
    notations = [ruleset.action(action).notation for action in state.actions[:MAX_ACTIONS_LISTED]]
    given = _read_address_text(
        "action", next((text for text in notations if text != ruleset.action(logged).notation), notations[0])
    )
    who = "the roll had been" if state.seat == CHANCE else f"seat {state.seat} had played"
    chosen = st.selectbox(
        f"Instead of {ruleset.action(logged).notation}, {who}",
        list(dict.fromkeys([given, *notations])),
        help=f"All {len(state.actions):,} legal actions; type to search.",
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
    text = what.text_input(f"instead of {now}", value if key == name else now, key=f"whatif-option-{name}")
    return Change(options=dict([parse_option(f"{name}={text}")]))
