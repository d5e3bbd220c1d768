"""The form of a what-if question: the ply, the change, and the number of continuations. The address contains all of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.whatif.move_names import name_move, name_moves
from dashboard.widgets import form_address, number_fields
from dashboard.widgets.address import set_address
from dashboard.widgets.baseline import put_baseline_first
from dashboard.widgets.form_address import check_address_numbers, show_address_problems
from dashboard.widgets.markdown import escape_markdown
from engine import games
from engine.actions import CHANCE
from engine.errors import GameError
from engine.play import replay_actions
from engine.strategies import built_in_strategies
from pipelines.design.short_names import short_names
from pipelines.experiments.whatif.change_address import change_address_fields, parse_substitutes
from pipelines.experiments.whatif.fork import Change, Fork, fork_logged_game, parse_option
from pipelines.experiments.whatif.panel_documents import is_slow_strategy
from pipelines.experiments.whatif.whatif import DEFAULT_CONTINUATIONS
from pipelines.questions.address import describe_unknown
from pipelines.report import wording

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from engine.ruleset import Ruleset
    from engine.scene import SceneBoard
    from engine.state import State
    from pipelines.runs.library import Run

CHANGE_KINDS: Final = ("Player", "Move", "Rule", "Luck")
CHANGE_FIELDS: Final = ("strategy", "action", "option", "luck")
"""The fields of the address of which one says what changes."""
MIN_CONTINUATIONS, MAX_CONTINUATIONS = 60, 100_000
"""Limits of the number of continuations of each branch."""
MAX_SEED: Final = 10**9
ADDRESS_SLOT: Final = "whatif-address"
"""The session state holds here the last address that asked a question, and the question that the form showed for it."""
MAX_ACTIONS_LISTED: Final = 4000
FORM_FIELDS: Final = (*CHANGE_FIELDS, "ply", "games", "where", "seat", "substitute", "n", "most", "seed")
"""All keys of the forms in the address, those for many games included."""
_KEYS_SLOT: Final = "whatif-fields"
_SEAT_KEY_SLOT: Final = "whatif-seat-key"
"""The session state holds here the key of the field for the player."""


@dataclass(frozen=True)
class Question:
    """A fork and the number of continuations of both branches."""

    fork: Fork
    n: int
    seed: int
    move_name: str = ""
    """The name of the other move, if a move changes."""


@dataclass(frozen=True)
class ForkPlace:
    """The ply of a logged game before which it is forked."""

    ruleset: Ruleset
    seated: list[str]
    """The strategy on each seat."""
    before: list[int]
    """The actions before the ply."""
    state: State
    action: int
    """The action that was played."""

    @property
    def ply(self) -> int:
        return len(self.before)

    @cached_property
    def board(self) -> SceneBoard | None:
        """The board on which the actions at the ply lie: that of the seat that acts, or else the shared one."""
        boards = games.find_game(self.ruleset.game).scene(self.ruleset, [])["boards"]
        owned = {board["seat"]: board for board in boards}
        return owned.get(self.state.seat, owned.get(None))

    @cached_property
    def move_names(self) -> Mapping[str, str]:
        """The names of the legal actions, by notation."""
        legal = [self.action, *self.state.actions[:MAX_ACTIONS_LISTED]]
        return name_moves(map(self.ruleset.action, dict.fromkeys(legal)), self.board)

    @property
    def logged_notation(self) -> str:
        """The notation of the action that was played."""
        return self.ruleset.action(self.action).notation

    @property
    def logged_name(self) -> str:
        """The name of the action that was played."""
        return name_move(self.ruleset.action(self.action), self.board)


@dataclass(frozen=True)
class WhatifForm:
    """What a visitor has entered so far."""

    place: ForkPlace
    question: Question | None
    """None if the visitor has not asked yet, or if the question is not possible."""
    move_key: str = ""
    """The session state holds the notation of the other move below this key; empty if no move changes."""


def follow_address() -> None:
    """Let the fields start again from the address if a link or *Back* has changed it."""
    form_address.follow_address(_KEYS_SLOT, FORM_FIELDS)


def field_key(name: str) -> str:
    """Return the key of a field of the forms of this page."""
    return form_address.field_key(_KEYS_SLOT, name)


def ask_whatif(run: Run, game: int) -> WhatifForm:
    """Show the form and write the question into the address when the visitor asks it."""
    follow_address()
    ruleset = run.ruleset(run.game(game).ruleset)
    actions = list(run.actions(game))
    with st.container(border=True):
        show_address_problems(_find_address_problems(ruleset, len(actions)))
        move = st.number_input(
            f"From move (1 to {len(actions)})",
            1,
            len(actions),
            1
            + number_fields.parse_bounded_number(
                _read_address_text("ply", ""), 0, len(actions) - 1, len(actions) // 2
            ),
            key=field_key(f"whatif-move-{run.name}-{game}"),
            help="Moves are counted as in the replay, throws included. There, “What if …” asks about the move that you see.",
        )
        before = actions[: move - 1]
        *_, state = replay_actions(games.find_game(ruleset.game).start(ruleset), before)
        seated = [seat.strategy for seat in run.seats(game)]
        place = ForkPlace(ruleset, seated, before, state, actions[move - 1])
        st.caption(escape_markdown(_format_played_action(place)))
        kind = st.segmented_control(
            "What changes?",
            CHANGE_KINDS,
            default=_change_kind_in_address(),
            required=True,
            wrap=True,
            key=field_key("whatif-kind"),
        )
        is_move = kind == CHANGE_KINDS[1]
        move_key = field_key(f"whatif-action-{run.name}-{game}-{place.ply}") if is_move else ""
        try:
            change = _with_substitutes(_ask_change(place, str(kind), move_key))
            n, seed = _ask_continuations()
            name = place.move_names.get(change.action or "", change.action or "")
            asked = Question(fork_logged_game(run, game, place.ply, change), n, seed, name)
        except GameError as error:
            st.error(escape_markdown(wording.name_players_and_moves(str(error))))
            return WhatifForm(place, None, move_key)
        address = {"run": run.name, "game": str(game), "ply": str(place.ply), **change_address_fields(change)}
        is_asked = has_asked({**address, "n": str(n), "seed": str(seed)})
    return WhatifForm(place, asked if is_asked else None, move_key)


def has_asked(question: Mapping[str, str]) -> bool:
    """Return whether the visitor has asked this question, with a link or with the button that this shows.

    A link contains the question; without a change there is none. After a change of the form nothing is played until the
    button is pressed. `question` is the address of the form.
    """
    now, known = st.query_params.to_dict(), st.session_state.get(ADDRESS_SLOT)
    is_link = ("ply" in now or "games" in now) and any(field in now for field in CHANGE_FIELDS)
    if is_link and (not known or known[0] != now):
        known = st.session_state[ADDRESS_SLOT] = (now, dict(question))
    if is_link and known and known[1] == question:
        return True
    if not st.button("Play both branches", type="primary", key="whatif-ask"):
        return False
    set_address(**question)
    form_address.keep_fields(_KEYS_SLOT, FORM_FIELDS)
    st.session_state[ADDRESS_SLOT] = (st.query_params.to_dict(), dict(question))
    return True


def _find_address_problems(ruleset: Ruleset, plies: int) -> list[str]:
    """Return a sentence on each value of the address that the form cannot show."""
    limits = {
        "ply": (0, plies - 1),
        "seat": (0, ruleset.players - 1),
        "n": (MIN_CONTINUATIONS, MAX_CONTINUATIONS),
        "seed": (0, MAX_SEED),
    }
    option = _read_address_text("option", "").partition("=")[0]
    options = ruleset.document["options"]
    unknown = [describe_unknown("option", option)] if option and option not in options else []
    return check_address_numbers(limits) + unknown


def _format_played_action(place: ForkPlace) -> str:
    """Return a sentence on the action that was played at the ply."""
    seat = place.state.seat
    who = (
        "a roll"
        if seat == CHANCE
        else f"{wording.format_player(seat)} ({short_names(place.seated)[place.seated[seat]]})"
    )
    return f"Round {place.state.round + 1}, {who}: {place.logged_name}"


def _ask_change(place: ForkPlace, way: str, move_key: str) -> Change:
    """Ask for the change; raise a GameError if it is not possible."""
    if way == CHANGE_KINDS[1]:
        return _ask_action_change(place, move_key)
    if way == CHANGE_KINDS[2]:
        return _ask_rule_change(place.ruleset)
    if way == CHANGE_KINDS[3]:
        return Change()
    return _ask_strategy_change(place.ruleset, place.state, place.seated)


def _with_substitutes(change: Change) -> Change:
    """Return a change with the strategies of the address that play on for slow ones on both branches."""
    substitutes = parse_substitutes(_read_address_text("substitute", ""))
    if not substitutes:
        return change
    names = ", ".join(
        f"{wording.format_player(seat)} is {name}" for seat, name in sorted(substitutes.items())
    )
    st.caption(escape_markdown(f"On both branches, {names}, in place of the logged strategy."))
    return replace(change, substitutes=substitutes)


def _ask_continuations() -> tuple[int, int]:
    """Ask for the number of continuations and their seed."""
    n = number_fields.parse_bounded_number(
        _read_address_text("n", ""), MIN_CONTINUATIONS, MAX_CONTINUATIONS, DEFAULT_CONTINUATIONS
    )
    seed = number_fields.parse_bounded_number(_read_address_text("seed", ""), 0, MAX_SEED, 0)
    with st.expander("Continuations and seed"):
        many, luck = st.columns(2)
        n = many.number_input(
            "Continuations", MIN_CONTINUATIONS, MAX_CONTINUATIONS, n, step=1000, key=field_key("whatif-n")
        )
        seed = luck.number_input(
            "Seed", 0, MAX_SEED, seed, key=field_key("whatif-seed"), help="Equal seeds give equal dice."
        )
    return int(n), int(seed)


def _read_address_text(key: str, otherwise: str) -> str:
    """Return a text from the address, or a default."""
    return str(st.query_params.get(key, otherwise))


def _change_kind_in_address() -> str:
    """Return the kind of change that the address contains."""
    given = {"action": CHANGE_KINDS[1], "option": CHANGE_KINDS[2], "luck": CHANGE_KINDS[3]}
    return next((way for key, way in given.items() if key in st.query_params), CHANGE_KINDS[0])


def suggest_strategy(ruleset: Ruleset, played: Collection[str]) -> str:
    """Return the weakest quick strategy that did not play and errs neither by design nor by chance; else `random`.

    A strategy that played already would often be replaced by itself, and the first answer about a slow one takes minutes.
    """
    names = built_in_strategies(games.find_game(ruleset.game))
    others = [name for name in names if name not in {"random", "noisy", *played}]
    return next((name for name in others if not is_slow_strategy(ruleset, name)), "random")


def _ask_strategy_change(ruleset: Ruleset, state: State, seated: list[str]) -> Change:
    """Ask for another strategy on a seat."""
    names = list(built_in_strategies(games.find_game(ruleset.game)))
    offered = put_baseline_first(names)
    acting = state.seat if state.seat != CHANCE else 0
    which, how = st.columns(2)
    # The player is the one on turn until the visitor has asked about one.
    own_key = f"whatif-seat-{ruleset.players}-{acting}"
    asked_key = st.session_state.get(_SEAT_KEY_SLOT, own_key) if "seat" in st.query_params else own_key
    st.session_state[_SEAT_KEY_SLOT] = asked_key
    seat = which.selectbox(
        "Player",
        list(range(ruleset.players)),
        index=number_fields.parse_bounded_number(
            _read_address_text("seat", ""), 0, ruleset.players - 1, acting
        ),
        format_func=lambda seat: f"{wording.format_player(seat)}, {short_names(seated)[seated[seat]]}",
        key=field_key(asked_key),
    )
    given = _read_address_text("strategy", suggest_strategy(ruleset, seated))
    strategy = how.selectbox(
        "is then played by",
        list(dict.fromkeys([*([] if given in offered else [given]), *offered])),
        index=offered.index(given) if given in offered else 0,
        accept_new_options=True,
        key=field_key(f"whatif-strategy-{ruleset.game}-{' '.join(seated)}"),
        help="A strategy, with parameters if you want: noisy:sigma=3",
    )
    return Change({seat: strategy or given})


def _ask_action_change(place: ForkPlace, key: str) -> Change:
    """Ask for another action, or another roll, at this ply. The board beside the form writes its choice below `key`."""
    names = place.move_names
    others = [notation for notation in names if notation != place.logged_notation]
    given = _read_address_text("action", others[0] if others else place.logged_notation)
    if key not in st.session_state:
        st.session_state[key] = given
    who = (
        "the roll had been"
        if place.state.seat == CHANCE
        else f"{wording.format_player(place.state.seat)} had played"
    )
    chosen = st.selectbox(
        f"Instead of {place.logged_name}, {who}",
        list(dict.fromkeys([st.session_state[key], given, *names])),
        format_func=lambda notation: names.get(notation, notation),
        key=key,
        help=f"All {len(place.state.actions):,} legal actions; type to search, or choose a place on the board.",
    )
    return Change(action=chosen or given)


def _ask_rule_change(ruleset: Ruleset) -> Change:
    """Ask for another value of an option of the ruleset."""
    options: dict[str, Any] = ruleset.document["options"]
    key, _, value = _read_address_text("option", "").partition("=")
    which, what = st.columns(2)
    name = which.selectbox(
        "Option",
        list(options),
        index=list(options).index(key) if key in options else 0,
        format_func=str,
        key=field_key(f"whatif-option-of-{ruleset.game}"),
    )
    now = json.dumps(options[name])
    text = what.text_input(
        f"instead of {now}",
        value if key == name else now,
        key=field_key(f"whatif-option-{ruleset.name}-{name}"),
    )
    return Change(options=dict([parse_option(f"{name}={text}")]))
