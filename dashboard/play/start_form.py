"""The form before a game by hand: which ruleset, who sits where, and the seed of the dice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.address import write_page_question
from dashboard.widgets.markdown import escape_markdown
from engine import games, strategies
from engine.actions import CHANCE
from engine.errors import GameError, InvalidError
from pipelines.design.people import PERSON, is_person
from pipelines.play.hand_game import default_seats, read_seats
from pipelines.questions.hand_game.answer import find_origin
from pipelines.questions.hand_game.question import HandGameQuestion
from pipelines.questions.seeds import parse_seed
from pipelines.report.wording import format_count
from pipelines.simulate.from_prefix import play_prefix

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library

PERSON_LABEL: Final = "a person"
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
    names = sorted(rulesets, key=lambda name: (rulesets[name].title, rulesets[name].players))
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
            format_func=lambda name: (
                f"{rulesets[name].title}, {format_count(rulesets[name].players, 'player')} · {name}"
            ),
        )
        seed = luck.text_input(
            "Seed of the dice", key="play-seed", placeholder="any", help="Equal seeds give equal dice."
        )
        seats = _ask_seats(rulesets[name], default_seats(rulesets[name], 0))
        if st.button("Start", type="primary", key="play-start"):
            _start_game(HandGameQuestion(ruleset=name), rulesets[name], seats, seed)


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
    """Ask who plays each seat, with a name for each person if there are several."""
    known = strategies.built_in_strategies(games.find_game(ruleset.game))
    choices = [
        PERSON,
        *known,
        *(text for text in dict.fromkeys(default) if text not in known and text != PERSON),
    ]
    about = [f"- **{escape_markdown(name)}**: {escape_markdown(known[name].title)}" for name in known]
    help_text = "\n".join(["A person at this screen, or a strategy:", "", *about])
    columns = st.columns(ruleset.players)
    seats = []
    for seat, column in enumerate(columns):
        text = column.selectbox(
            f"Player {seat + 1}",
            choices,
            index=choices.index(default[seat]),
            key=f"play-seat-{ruleset.name}-{seat}-{default[seat]}",
            format_func=lambda text: PERSON_LABEL if text == PERSON else text,
            help=help_text,
        )
        seats.append(str(text))
    if seats.count(PERSON) > 1:
        for seat, column in enumerate(columns):
            if seats[seat] == PERSON:
                name = column.text_input(
                    f"Name of player {seat + 1}", key=f"play-name-{seat}", max_chars=24, placeholder="me"
                )
                seats[seat] = f'{PERSON}:name="{name.strip()}"' if name.strip() else PERSON
    return seats


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
    st.session_state.pop("play-known", None)
    begun = {"seats": ",".join(seats), "seed": chosen, "moves": ""}
    write_page_question(asked.model_copy(update=begun))
    st.rerun()
