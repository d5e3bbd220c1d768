"""The form before a game by hand: which ruleset, who sits where, and the seed of the dice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.play.own_results import choose_first_strength, read_own_results
from dashboard.widgets.address import VISITS_SLOT, show_link, write_page_question
from dashboard.widgets.markdown import escape_markdown
from engine import games
from engine.actions import CHANCE
from engine.errors import GameError, InvalidError
from engine.strategies import built_in_strategies, find_opponent, list_opponents
from engine.wording import capitalise
from pipelines.design.lineups import PERSON, is_person
from pipelines.design.titles import format_ruleset_choice
from pipelines.play.hand_game import default_seats, read_seats
from pipelines.questions.hand_game import HandGameQuestion, find_origin
from pipelines.questions.lineups import parse_seed
from pipelines.questions.rules import RulesQuestion
from pipelines.report.characters import name_opponent, write_opponents, write_own_results
from pipelines.simulate.compiled_games import play_prefix

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library

OTHER_STRATEGY: Final = "other"
"""The choice that opens the list of all strategies."""
SAME_DICE, OTHER_DICE = "The dice of that game", "Other dice"


def show_start_form(library: Library, asked: HandGameQuestion) -> None:
    """Ask for what a game by hand needs. `asked` names a logged game to go on from, or a ruleset to begin with, if any."""
    if asked.run:
        try:
            _ask_continuation(library, asked)
        except GameError as error:
            st.error(escape_markdown(str(error)))
        else:
            return
    _ask_new_game(library, asked.ruleset)


def _ask_new_game(library: Library, wanted: str) -> None:
    rulesets = library.catalogue.rulesets
    names = list(rulesets)
    if wanted and wanted not in rulesets:
        st.warning(escape_markdown(f"There is no ruleset named {wanted}. Choose another one."))
    with st.container(border=True):
        st.header("Choose rules and seats" if wanted else "Or choose rules and seats")
        what, luck = st.columns([5, 2])
        name = what.selectbox(
            "Ruleset",
            names,
            index=names.index(wanted) if wanted in names else 0,
            key=f"play-ruleset-{wanted}",
            format_func=lambda name: format_ruleset_choice(rulesets[name]),
        )
        seed = luck.text_input(
            "Seed", key="play-seed", placeholder="any", help="Equal seeds give equal dice."
        )
        ruleset = rulesets[name]
        seats = _ask_seats(ruleset, default_seats(ruleset, 0, opponent=choose_first_strength(library)))
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Start", type="primary", key="play-start"):
                _start_game(HandGameQuestion(ruleset=name), ruleset, seats, seed)
            show_link(RulesQuestion(ruleset=name), "How to play")


def _ask_continuation(library: Library, asked: HandGameQuestion) -> None:
    run, game, ply = find_origin(asked, library), asked.game, asked.ply
    ruleset = run.ruleset(run.game(game).ruleset)
    state, _ = play_prefix(ruleset, run.actions(game)[:ply])
    while state.seat == CHANCE and not state.is_over:
        state = state.play(state.actions[0])  # only to know who acts after the roll
    logged = [run.notations.get(seat.strategy, seat.strategy) for seat in run.seats(game)]
    with st.container(border=True):
        st.header("Play on from here")
        st.markdown(
            escape_markdown(
                f"{ruleset.title}: from move {ply + 1} of game {game + 1} of {run.name}. "
                f"Player {max(0, state.seat) + 1} has to act."
            )
        )
        is_same = True
        if any(action.seat == CHANCE for action in play_prefix(ruleset, run.actions(game))[1]):
            luck = st.segmented_control(
                "Dice", [SAME_DICE, OTHER_DICE], default=SAME_DICE, key="play-luck", required=True
            )
            is_same = luck == SAME_DICE
        seats = _ask_seats(ruleset, default_seats(ruleset, max(0, state.seat), logged))
        if st.button("Start", type="primary", key="play-start"):
            seed = "" if is_same else str(parse_seed(""))
            _start_game(asked, ruleset, seats, seed, has_own_luck=not is_same)


def _ask_seats(ruleset: Ruleset, default: tuple[str, ...]) -> list[str]:
    """Ask who plays each seat, with a name for each person if there are several; say how the opponents play."""
    columns = st.columns(ruleset.players)
    seats = [_ask_seat(column, ruleset, seat, default[seat]) for seat, column in enumerate(columns)]
    people = [seat for seat, text in enumerate(seats) if text == PERSON]
    for seat in people if len(people) > 1 else ():
        label = f"Name of player {seat + 1}"
        name = (
            columns[seat].text_input(label, key=f"play-name-{seat}", max_chars=24, placeholder="me").strip()
        )
        seats[seat] = f'{PERSON}:name="{name}"' if name else PERSON
    own = read_own_results()
    for one in list_opponents(ruleset.game):
        if one.strength in seats:
            about = f"{one.plays} {write_own_results(own, ruleset, [one.strategy])}"
            name = capitalise(name_opponent(ruleset.game, one.strategy))
            st.markdown(f"**{escape_markdown(name)}**: {escape_markdown(about)}")
    with st.popover("What stands behind the opponents", type="tertiary"):
        st.markdown("\n".join(f"- {escape_markdown(line)}" for line in write_opponents(ruleset)))
    return seats


def _ask_seat(column: DeltaGenerator, ruleset: Ruleset, seat: int, default: str) -> str:
    """Ask who plays a seat. An opponent is chosen by its strength; the full list of strategies is behind the last choice."""
    if opponent := find_opponent(ruleset.game, default):
        default = opponent.strength
    game = ruleset.game
    choices = {one.strength: capitalise(name_opponent(game, one.strategy)) for one in list_opponents(game)}
    choices = {PERSON: "a person", **choices, OTHER_STRATEGY: "another strategy …"}
    key = f"{ruleset.name}-{seat}-{default}"
    text = column.selectbox(
        f"Player {seat + 1}",
        choices,
        index=list(choices).index(default if default in choices else OTHER_STRATEGY),
        key=f"play-seat-{key}",
        format_func=choices.__getitem__,
    )
    if text != OTHER_STRATEGY:
        return text
    strategies = [*built_in_strategies(games.find_game(ruleset.game))]
    strategies += [] if default in {*choices, *strategies} else [default]
    return column.selectbox(
        f"Strategy of player {seat + 1}",
        strategies,
        index=0 if default in choices else strategies.index(default),
        key=f"play-strategy-{key}",
    )


def _start_game(
    asked: HandGameQuestion, ruleset: Ruleset, seats: list[str], seed: str, *, has_own_luck: bool = True
) -> None:
    """Open the game at its address, or show what is wrong with the input."""
    if not any(map(is_person, seats)):
        st.error("Choose a person for at least one seat, or simulate games on the page Library.")
        return
    try:
        read_seats(ruleset, seats)
        chosen = parse_seed(seed) if has_own_luck else None
    except InvalidError as error:
        st.error(escape_markdown(str(error)))
        return
    st.session_state[VISITS_SLOT] += 1  # another game, which begins at the top of the page
    begun = {"seats": ",".join(seats), "seed": chosen, "moves": ""}
    write_page_question(asked.model_copy(update=begun))
    st.rerun()
