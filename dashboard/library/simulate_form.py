"""The form that simulates games. The address of the page can fill it in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.address import (
    ask_number,
    must_follow_address,
    read_page_question,
    show_address_problems,
    write_address_defaults,
    write_form_address,
)
from dashboard.widgets.background_work import started_runs
from dashboard.widgets.markdown import escape_markdown
from engine import games, strategies
from engine.errors import InvalidError
from pipelines.design.titles import format_ruleset_choice
from pipelines.questions.address import list_keys, write_address
from pipelines.questions.lineups import parse_seed, suggest_lineup
from pipelines.questions.simulation import LOG_TITLES, SimulationQuestion, resolve_simulation
from pipelines.service import jobs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library


def show_simulate_form(library: Library) -> None:
    """Show the form for the game that the address names, if any."""
    question, problems = read_page_question(SimulationQuestion)
    game = question.play
    if not game:
        return
    catalogue = library.catalogue
    for error in catalogue.file_errors.values():
        st.warning(escape_markdown(str(error)))
    known = {name: ruleset for name, ruleset in catalogue.rulesets.items() if ruleset.game == game}
    if not known:
        st.warning(escape_markdown(f"There is no game {game}."))
        return
    names = sorted(known, key=lambda name: (not name.startswith(f"{game}-"), name))
    with st.container(border=True):
        title = games.find_game(game).title
        st.header(escape_markdown(f"Simulate {title}"))
        _ask_simulation(library, {name: known[name] for name in names}, question, problems)


def _ask_simulation(
    library: Library, rulesets: Mapping[str, Ruleset], question: SimulationQuestion, misread: Sequence[str]
) -> None:
    title = games.find_game(question.play).title
    resolved, problems = resolve_simulation(question, rulesets, title)
    form_question = read_shown_form(question.play, rulesets)
    if must_follow_address(ADDRESS_SLOT, resolved, form_question):
        fill_fields(resolved, rulesets[resolved.ruleset])
        form_question = None
    if form_question in {None, resolved}:  # otherwise the visitor has just changed what the address says
        show_address_problems([*misread, *problems])
    form = _draw_fields(question.play, rulesets, form_question)
    write_form_address(ADDRESS_SLOT, resolved, form, write_address(form), FORM_FIELDS)
    write_address_defaults("", write_address(form))
    with st.container(horizontal=True):
        if st.button("Start", type="primary", key="new-play"):
            _start_simulation(library, form)
        st.button("Close", key="new-close", on_click=close_form)


def _draw_fields(
    game: str, rulesets: Mapping[str, Ruleset], form_question: SimulationQuestion | None
) -> SimulationQuestion:
    """Draw the fields, which hold their values already, and return what they hold.

    `form_question` is what the fields hold, None if the page has just filled them. A slow browser may skip the first
    drawing of a field, and show the default of the second one. So the default is what the field holds.
    """
    ruleset_column, games_column, log_column, seed_column = st.columns([4, 2, 3, 2])
    name = ruleset_column.selectbox(
        "Ruleset",
        list(rulesets),
        index=list(rulesets).index(form_question.ruleset) if form_question else 0,
        key=RULESET_KEY,
        format_func=lambda name: format_ruleset_choice(rulesets[name]),
    )
    ruleset = rulesets[name]
    with games_column:
        count = ask_number("Games", form_question or SimulationQuestion, "games", GAMES_KEY)
    log = log_column.selectbox(
        "Log",
        list(LOG_TITLES),
        index=list(LOG_TITLES).index(form_question.log) if form_question else 0,
        key=LOG_KEY,
        format_func=LOG_TITLES.__getitem__,
        help="Only games whose moves are kept can be replayed.",
    )
    seed = seed_column.text_input(
        "Seed",
        form_question.seed if form_question else "",
        key=SEED_KEY,
        placeholder="any",
        help="Equal seeds give equal games.",
    )
    known = list(strategies.built_in_strategies(games.find_game(ruleset.game)))
    lineup = []
    for seat, (column, otherwise) in enumerate(
        zip(st.columns(ruleset.players), suggest_lineup(ruleset), strict=True)
    ):
        is_held = form_question is not None and seat_key(ruleset, seat) in st.session_state
        playing = st.session_state.setdefault(seat_key(ruleset, seat), otherwise) or otherwise
        offered = list(dict.fromkeys([*known, playing]))
        strategy = column.selectbox(
            f"Player {seat + 1}",
            offered,
            index=offered.index(playing) if is_held else 0,
            key=seat_key(ruleset, seat),
            accept_new_options=True,
            help="Choose a strategy, or type one with its parameters. The strategies change places, so that each plays at every place with the same luck.",
        )
        lineup.append(str(strategy or otherwise))
    return SimulationQuestion.model_construct(
        play=game, ruleset=name, lineup=tuple(lineup), games=count, log=log, seed=seed
    )


def _start_simulation(library: Library, form: SimulationQuestion) -> None:
    """Start a simulation, or show what is wrong with the input."""
    try:
        seed = parse_seed(form.seed)
    except InvalidError as error:
        st.error(escape_markdown(str(error)))
        return
    try:
        job = jobs.start_simulation(
            library, form.ruleset, list(form.lineup), games=form.games, seed=seed, log=form.log
        )
    except OSError as error:
        st.error(escape_markdown(f"{error.filename or library.folder}: {error.strerror}"))
        return
    started_runs().append(job.name)
    close_form()
    st.rerun()


FORM_FIELDS: Final = list_keys(SimulationQuestion)
"""All keys of the form in the address."""
ADDRESS_SLOT: Final = "new-form-address"
RULESET_KEY, GAMES_KEY, LOG_KEY, SEED_KEY = "new-ruleset", "new-games", "new-log", "new-seed"
FIELD_PREFIX: Final = "new-"
"""The keys of all fields of the form, and of nothing else, begin with it."""


def seat_key(ruleset: Ruleset, seat: int) -> str:
    """Return the key of the field for the strategy of a seat; it is another one for each number of players."""
    return f"{FIELD_PREFIX}{ruleset.players}-{seat}"


def read_shown_form(game: str, rulesets: Mapping[str, Ruleset]) -> SimulationQuestion | None:
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
    return SimulationQuestion.model_construct(
        play=game,
        ruleset=name,
        lineup=lineup,
        games=int(state[GAMES_KEY]),
        log=state[LOG_KEY],
        seed=state[SEED_KEY],
    )


def fill_fields(form: SimulationQuestion, ruleset: Ruleset) -> None:
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
    st.query_params.update(write_address(SimulationQuestion(play=game)))


def close_form() -> None:
    """Take the form out of the address, and forget what its fields hold."""
    for key in FORM_FIELDS:
        st.query_params.pop(key, None)
    for key in [key for key in st.session_state if str(key).startswith(FIELD_PREFIX)]:
        del st.session_state[key]
