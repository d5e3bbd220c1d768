"""The page Play: people take seats of a game, against strategies or each other, from the start or from a logged position.

The address holds the whole game, so a reload goes on with it. The board in the browser asks for everything and writes `moves`; this
page writes the address only when another game is begun.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.widgets import address
from dashboard.widgets.board import last_position, show_board
from dashboard.widgets.components import find_board_address, viewer_renderer
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.opponents import LEVEL_SLOT, begin_game, choose_level, list_variants, read_own_results
from engine import games
from engine.actions import CHANCE
from engine.errors import GameError, InvalidError
from engine.strategies import STRENGTHS, built_in_strategies, find_opponent, list_opponents, opponents_up_to
from engine.wording import capitalise
from pipelines.design.people import PERSON, is_person
from pipelines.design.short_names import short_names
from pipelines.design.titles import list_ruleset_choices, name_match
from pipelines.play import continue_game, default_seats, read_seats
from pipelines.questions.address import write_address
from pipelines.questions.hand_game import HandGameQuestion, find_origin, prepare_hand_game
from pipelines.questions.lineups import parse_seed
from pipelines.questions.rules import RulesQuestion
from pipelines.report.characters import name_opponent, write_opponents, write_own_results
from pipelines.simulate.compiled_games import play_prefix

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from engine.ruleset import Ruleset
    from engine.scene import Scene
    from pipelines.runs.library import Library

OTHER_STRATEGY: Final = "other"
"""The choice that opens the list of all strategies."""
SAME_DICE, OTHER_DICE = "The dice of that game", "Other dice"


def show_start_form(library: Library, question: HandGameQuestion) -> None:
    """Ask for what a game by hand needs. `question` names a logged game to go on from, or a ruleset to begin with, if any."""
    level = ask_level(library)
    if not question.run:
        show_game_tiles(library, level, question.ruleset)
    else:
        try:
            _ask_continuation(library, question, level)
        except GameError as error:
            st.error(escape_markdown(str(error)))
        else:
            return
    _ask_new_game(library, question.ruleset, level)


def _ask_new_game(library: Library, ruleset_name: str, level: str) -> None:
    rulesets = library.catalogue.rulesets
    names = list(rulesets)
    if ruleset_name and ruleset_name not in rulesets:
        st.warning(escape_markdown(f"There is no ruleset named {ruleset_name}. Choose another one."))
    with st.container(border=True):
        st.header("Or choose rules and seats")
        ruleset_column, luck = st.columns([5, 2])
        name = ruleset_column.selectbox(
            "Ruleset",
            names,
            index=names.index(ruleset_name) if ruleset_name in names else 0,
            key=f"play-ruleset-{ruleset_name}",
            format_func=list_ruleset_choices(rulesets).__getitem__,
        )
        seed = luck.text_input(
            "Seed", key="play-seed", placeholder="any", help="Equal seeds give equal dice."
        )
        ruleset = rulesets[name]
        seats = _ask_seats(ruleset, default_seats(ruleset, 0, opponent=level))
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Start", type="primary", key="play-start"):
                _start_game(HandGameQuestion(ruleset=name), ruleset, seats, seed)
            address.show_link(RulesQuestion(ruleset=name), "How to play")


def _ask_continuation(library: Library, question: HandGameQuestion, level: str) -> None:
    run, game, ply = find_origin(question, library), question.game, question.ply
    ruleset = run.ruleset(run.game(game).ruleset)
    state, _ = play_prefix(ruleset, run.actions(game)[:ply])
    while state.seat == CHANCE and not state.is_over:
        state = state.play(state.actions[0])  # only to know who acts after the roll
    logged = [run.notations.get(seat.strategy, seat.strategy) for seat in run.list_seats(game)]
    with st.container(border=True):
        st.header("Play on from here")
        st.markdown(
            escape_markdown(
                f"From move {ply + 1} of a game of {name_match(ruleset, logged)}. "
                f"Player {max(0, state.seat) + 1} has to act."
            )
        )
        is_same = True
        if any(action.seat == CHANCE for action in play_prefix(ruleset, run.actions(game))[1]):
            luck = st.segmented_control(
                "Dice", [SAME_DICE, OTHER_DICE], default=SAME_DICE, key="play-luck", required=True
            )
            is_same = luck == SAME_DICE
        seats = _ask_seats(ruleset, default_seats(ruleset, max(0, state.seat), logged, level))
        if st.button("Start", type="primary", key="play-start"):
            seed = "" if is_same else str(parse_seed(""))
            _start_game(question, ruleset, seats, seed, has_own_luck=not is_same)


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
    results = read_own_results()
    for opponent in list_opponents(ruleset.game):
        if opponent.strength in seats:
            about = f"{opponent.plays} {write_own_results(results, ruleset, [opponent.strategy])}"
            name = capitalise(name_opponent(ruleset.game, opponent.strategy))
            st.markdown(f"**{escape_markdown(name)}**: {escape_markdown(about)}")
    with st.popover("What stands behind the opponents", type="tertiary"):
        st.markdown("\n".join(f"- {escape_markdown(line)}" for line in write_opponents(ruleset)))
    return seats


def _ask_seat(column: DeltaGenerator, ruleset: Ruleset, seat: int, default: str) -> str:
    """Ask who plays a seat. An opponent is chosen by its strength; the full list of strategies is behind the last choice."""
    if opponent := find_opponent(ruleset.game, default):
        default = opponent.strength
    game = ruleset.game
    choices = {
        other.strength: capitalise(name_opponent(game, other.strategy)) for other in list_opponents(game)
    }
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
        format_func=short_names(strategies).__getitem__,
    )


def _start_game(
    question: HandGameQuestion, ruleset: Ruleset, seats: list[str], seed: str, *, has_own_luck: bool = True
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
    st.session_state[address.VISITS_SLOT] += 1  # another game, which begins at the top of the page
    begun = {"seats": ",".join(seats), "seed": chosen, "moves": ""}
    address.write_page_question(question.model_copy(update=begun))
    st.rerun()


BOARD_HEIGHT_PX: Final = 170
EXAMPLE_PLIES: Final = 36
"""Plies of the game on a picture."""


def ask_level(library: Library) -> str:
    """Ask for the level of the opponents, which holds for all ways to begin a game, and for the next visit."""
    level = st.segmented_control(
        "Opponent",
        STRENGTHS,
        default=choose_level(library),
        key="play-strength",
        format_func=capitalise,
        required=True,
    )
    st.session_state[LEVEL_SLOT] = level
    return level


def show_game_tiles(library: Library, level: str, chosen: str) -> None:
    """Show all games of the library side by side, and how people did against the opponents of a level.

    The tile of a `chosen` ruleset offers it first.
    """
    variants = list_variants(library)
    own_results = read_own_results()
    for (game, rulesets), column in zip(variants.items(), st.columns(max(1, len(variants))), strict=False):
        with column, st.container(border=True, height="stretch", key=f"play-card-{game}"):
            title = games.find_game(game).title
            with st.container(horizontal=True, vertical_alignment="center", key=f"play-head-{game}"):
                st.markdown(f"## {escape_markdown(title)}", width="stretch")
                link = st.container(width="content")
            ruleset = _ask_variant(game, title, rulesets, chosen)
            with link:
                address.show_link(RulesQuestion(ruleset=ruleset.name), "How to play")
            show_board(
                _cached_example_scene(ruleset.sha256, ruleset),
                key=f"play-tile-{game}",
                label=f"A position of {title}:",
                size=BOARD_HEIGHT_PX,
            )
            opponent = opponents_up_to(game, level)[-1]
            results = write_own_results(own_results, ruleset, [opponent.strategy])
            name = capitalise(name_opponent(game, opponent.strategy))
            st.markdown(f"**{escape_markdown(name)}**: {escape_markdown(opponent.plays)}")
            st.caption(escape_markdown(results or "You have not finished a game yet."))
            st.button(
                f"Play {title}",
                key=f"play-now-{game}",
                type="primary",
                on_click=_start_game_of_tile,
                args=(ruleset, opponent.strength),
                width="stretch",
            )


def _ask_variant(game: str, title: str, rulesets: list[Ruleset], offered: str) -> Ruleset:
    """Ask which rules of a game are played, and by how many players; those that are `offered` stand there at first."""
    labels = list_ruleset_choices({ruleset.name: ruleset for ruleset in rulesets})
    names = list(labels)
    chosen = st.selectbox(
        f"Rules of {title}",
        names,
        index=names.index(offered) if offered in names else 0,
        key=f"play-variant-{game}{f'-{offered}' * (offered in names)}",
        format_func=labels.__getitem__,
        label_visibility="collapsed",
    )
    return next(ruleset for ruleset in rulesets if ruleset.name == chosen)


def _start_game_of_tile(ruleset: Ruleset, level: str) -> None:
    """Open a new game, in which the visitor has the first seat."""
    st.session_state[address.VISITS_SLOT] += 1  # the game begins at the top of the page
    address.write_page_question(begin_game(ruleset, level))


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
            action = max(legal, key=lambda candidate: len(_ruleset.action(candidate).cells))
        state = state.play(action)
        actions.append(action)
    return last_position(game.scene(_ruleset, actions))


library = cached.dashboard_library()
question, problems = address.read_page_question(HandGameQuestion)


def leave_game() -> None:
    """Show the form again."""
    address.write_page_question(question.setup.model_copy(update={"seats": "", "seed": None}))


with st.container(key="play-title", horizontal=True, vertical_alignment="center"):
    st.title("Play", width="content")
    if question.seats:
        st.button("New game", on_click=leave_game, help="Choose the ruleset and the seats anew")
        if question.ruleset in library.catalogue.rulesets:
            address.show_link(RulesQuestion(ruleset=question.ruleset), "How to play")
if problems:  # the game would be another one than the address means
    st.error(escape_markdown(" ".join(problems)))
    show_start_form(library, HandGameQuestion(ruleset=question.ruleset))
    st.stop()
if not question.seats:
    show_start_form(library, question)
    st.stop()


try:
    setup = prepare_hand_game(question, library)
    address.name_tab(name_match(setup.ruleset, question.players))
    continue_game(setup, question.moves)
except GameError as error:
    st.error(escape_markdown(str(error)))
    is_known = (
        question.ruleset in library.catalogue.rulesets
    )  # otherwise the form would say once more that it is not
    show_start_form(library, HandGameQuestion(ruleset=question.ruleset if is_known else ""))
    st.stop()
board = find_board_address()
if board is not None:
    again = {key: values[0] for key, values in write_address(question.setup).items()}
    viewer_renderer("play")(key="play-board", data={"board": board, "again": again}, height="content")
