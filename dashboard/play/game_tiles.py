"""The games at the top of the page Play: a picture of each, and a button that begins a game against one strategy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.play.own_results import choose_first_strength, read_own_results
from dashboard.widgets.address import VISITS_SLOT, show_link, write_page_question
from dashboard.widgets.board import last_position, show_board
from dashboard.widgets.markdown import escape_markdown
from engine import games
from engine.actions import CHANCE
from engine.strategies import STRENGTHS, opponents_up_to
from engine.wording import capitalise
from pipelines.design.lineups import PERSON
from pipelines.questions.hand_game import HandGameQuestion
from pipelines.questions.lineups import parse_seed
from pipelines.questions.rules import RulesQuestion
from pipelines.report.characters import write_own_results

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import Scene
    from pipelines.runs.library import Library

BOARD_HEIGHT_PX: Final = 170
EXAMPLE_PLIES: Final = 36
"""Plies of the game on a picture."""


def show_game_tiles(library: Library) -> None:
    """Show all games of the library side by side, and how people did against the opponent that is chosen above them."""
    rulesets = first_rulesets(library)
    if not rulesets:
        return
    strength = st.segmented_control(
        "Opponent",
        STRENGTHS,
        default=choose_first_strength(library),
        key="play-strength",
        format_func=capitalise,
        required=True,
    )
    own = read_own_results()
    for ruleset, column in zip(rulesets, st.columns(len(rulesets)), strict=True):
        with column, st.container(border=True, height="stretch", key=f"play-card-{ruleset.game}"):
            title = games.find_game(ruleset.game).title
            with st.container(horizontal=True, vertical_alignment="bottom", key=f"play-head-{ruleset.game}"):
                st.markdown(f"## {escape_markdown(title)}", width="stretch")
                show_link(RulesQuestion(ruleset=ruleset.name), "How to play")
            show_board(
                _cached_example_scene(ruleset.sha256, ruleset),
                key=f"play-tile-{ruleset.game}",
                label=f"A position of {title}:",
                size=BOARD_HEIGHT_PX,
            )
            opponent = opponents_up_to(ruleset.game, strength)[-1]
            results = write_own_results(own, ruleset, [opponent.strategy])
            st.markdown(escape_markdown(opponent.plays))
            st.caption(escape_markdown(results or "You have not finished a game yet."))
            st.button(
                f"Play {title}",
                key=f"play-now-{ruleset.game}",
                type="primary",
                on_click=_start_game,
                args=(ruleset.name, ruleset.players, opponent.strength),
                width="stretch",
            )


def first_rulesets(library: Library) -> list[Ruleset]:
    """Return a ruleset of each game, in the order of games: the one for the fewest players with the shortest name."""
    chosen: dict[str, Ruleset] = {}
    for ruleset in sorted(
        library.catalogue.rulesets.values(), key=lambda one: (one.players, len(one.name), one.name)
    ):
        chosen.setdefault(ruleset.game, ruleset)
    return sorted(chosen.values(), key=lambda one: games.list_order(one.game))


def _start_game(ruleset: str, players: int, strength: str) -> None:
    """Open a new game, in which the visitor has the first seat."""
    seats = [PERSON, *[strength] * (players - 1)]
    seed = parse_seed("")
    st.session_state[VISITS_SLOT] += 1  # the game begins at the top of the page
    write_page_question(HandGameQuestion(ruleset=ruleset, seats=",".join(seats), seed=seed))


@st.cache_data(max_entries=16, show_spinner=False)
def _cached_example_scene(sha256: str, _ruleset: Ruleset) -> Scene:
    """Return a position in which every seat has placed what is largest, with one roll after the other."""
    del sha256  # the key of the cache
    game = games.find_game(_ruleset.game)
    state = game.start(_ruleset)
    actions: list[int] = []
    while not state.is_over and len(actions) < EXAMPLE_PLIES:
        legal = state.actions
        if state.seat == CHANCE:
            action = legal[(7 * len(actions) + 3) % len(legal)]
        else:
            action = max(legal, key=lambda one: len(_ruleset.action(one).cells))
        state = state.play(action)
        actions.append(action)
    return last_position(game.scene(_ruleset, actions))
