"""The form that simulates games. The address of the page can fill it in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.address import read_page_question, show_address_problems, write_address_defaults
from dashboard.widgets.background_work import started_runs
from dashboard.widgets.forms import LiveForm, ask_number
from dashboard.widgets.markdown import escape_markdown
from engine import games, strategies
from engine.errors import InvalidError
from pipelines.questions.address import list_keys, write_address
from pipelines.questions.lineups import parse_seed, suggest_lineup
from pipelines.questions.simulation import LOG_TITLES, SimulationQuestion, resolve_simulation
from pipelines.service import jobs

if TYPE_CHECKING:
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
    form_question = SIMULATE_FORM.follow_address(resolved, rulesets)
    if form_question in {None, resolved}:  # otherwise the visitor has just changed what the address says
        show_address_problems([*misread, *problems])
    jobs.prepare_job(question.play)
    _draw_fields(rulesets, form_question)
    _draw_rarer_fields(form_question)
    form = SIMULATE_FORM.write_address(resolved, rulesets)
    write_address_defaults("", write_address(form))
    with st.container(horizontal=True):
        if st.button("Start", type="primary", key="new-play"):
            _start_simulation(library, form)
        st.button("Close", key="new-close", on_click=close_form)


def _draw_fields(rulesets: Mapping[str, Ruleset], form_question: SimulationQuestion | None) -> None:
    """Draw the fields, which hold their values already. `form_question` is that of `LiveForm.ask_ruleset`."""
    ruleset_column, games_column = st.columns([4, 2])
    with ruleset_column:
        ruleset = SIMULATE_FORM.ask_ruleset(rulesets, form_question)
    with games_column:
        ask_number("Games", form_question or SimulationQuestion, "games", WIDGET_KEYS["games"])
    known = list(strategies.built_in_strategies(games.find_game(ruleset.game)))
    for seat, (column, otherwise) in enumerate(
        zip(st.columns(ruleset.players), suggest_lineup(ruleset), strict=True)
    ):
        is_held = form_question is not None and seat_key(ruleset, seat) in st.session_state
        playing = st.session_state.setdefault(seat_key(ruleset, seat), otherwise) or otherwise
        offered = list(dict.fromkeys([*known, playing]))
        column.selectbox(
            f"Player {seat + 1}",
            offered,
            index=offered.index(playing) if is_held else 0,
            key=seat_key(ruleset, seat),
            accept_new_options=True,
            help="Choose a strategy, or type one with its parameters. The strategies change places, so that each plays at every place with the same luck.",
        )


def _draw_rarer_fields(form_question: SimulationQuestion | None) -> None:
    """Draw what few people change, if the drawer is open; at first it is open if the address names a value of it."""
    log_key, seed_key = WIDGET_KEYS["log"], WIDGET_KEYS["seed"]
    has_own = st.session_state[log_key] != "full" or bool(st.session_state[seed_key])
    st.session_state.setdefault(DETAILS_KEY, has_own)
    drawer = st.expander("Details", key=DETAILS_KEY, on_change="rerun")
    if not drawer.open:
        for key in (log_key, seed_key):  # Streamlit forgets fields that are not drawn
            st.session_state[key] = st.session_state[key]
        return
    with drawer, st.container(horizontal=True):
        st.selectbox(
            "Log",
            list(LOG_TITLES),
            index=list(LOG_TITLES).index(form_question.log) if form_question else 0,
            key=log_key,
            format_func=LOG_TITLES.__getitem__,
            help="Only games whose moves are kept can be replayed.",
        )
        st.text_input(
            "Seed",
            form_question.seed if form_question else "",
            key=seed_key,
            placeholder="any",
            help="Equal seeds give equal games.",
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
            library, form.ruleset, list(form.strategies), games=form.games, seed=seed, log=form.log
        )
    except OSError as error:
        st.error(escape_markdown(f"{error.filename or library.folder}: {error.strerror}"))
        return
    started_runs().append(job.name)
    close_form()
    st.rerun()


FIELD_PREFIX: Final = "new-"
"""The keys of all fields of the form, and of nothing else, begin with it."""
DETAILS_KEY: Final = f"{FIELD_PREFIX}details"
WIDGET_KEYS: Final = {name: f"{FIELD_PREFIX}{name}" for name in ("ruleset", "games", "log", "seed")}
"""The keys of the fields by the fields of the question."""


def seat_key(ruleset: Ruleset, seat: int) -> str:
    """Return the key of the field for the strategy of a seat; it is another one for each number of players."""
    return f"{FIELD_PREFIX}{ruleset.players}-{seat}"


def read_lineup(ruleset: Ruleset) -> tuple[str, ...]:
    """Return the strategies that the fields of the seats hold."""
    return tuple(
        str(st.session_state.get(seat_key(ruleset, seat)) or otherwise)
        for seat, otherwise in enumerate(suggest_lineup(ruleset))
    )


def fill_lineup(ruleset: Ruleset, lineup: tuple[str, ...]) -> None:
    """Put strategies into the fields of the seats, before they are drawn."""
    for seat, strategy in enumerate(lineup):
        st.session_state[seat_key(ruleset, seat)] = strategy


SIMULATE_FORM: Final = LiveForm[SimulationQuestion](
    "new-form-address", list_keys(SimulationQuestion), WIDGET_KEYS, read_lineup, fill_lineup
)


def open_form(game: str) -> None:
    """Open the form for a game, with its defaults, by naming the game in the address."""
    close_form()
    st.query_params.update(write_address(SimulationQuestion(play=game)))


def close_form() -> None:
    """Take the form out of the address, and forget what its fields hold."""
    for key in SIMULATE_FORM.address_keys:
        st.query_params.pop(key, None)
    for key in [key for key in st.session_state if str(key).startswith(FIELD_PREFIX)]:
        del st.session_state[key]
