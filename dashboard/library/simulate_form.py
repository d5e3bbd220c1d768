"""The form that starts a simulation. Every field has a default, so one click is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.library.running import started_runs
from dashboard.widgets import number_fields
from dashboard.widgets.markdown import escape_markdown
from engine import games, strategies
from engine.errors import InvalidError
from pipelines.service import jobs

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library

MAX_GAMES: Final = 1_000_000
DEFAULT_GAMES: Final = 300
"""They take about a second and give intervals that are narrow enough to be useful."""
LOG_CHOICES: Final = {
    "every ply": "full",
    "plies of every 100th block": "sample=0.01",
    "scores only": "scores",
}


def show_simulate_form(library: Library) -> None:
    """Show the form for the game that the address names, if any."""
    game = st.query_params.get("play")
    if game is None:
        return
    catalogue = library.catalogue
    for error in catalogue.file_errors.values():
        st.warning(escape_markdown(str(error)))
    rulesets = {name: ruleset for name, ruleset in catalogue.rulesets.items() if ruleset.game == game}
    if not rulesets:
        st.warning(escape_markdown(f"There is no game {game}."))
        return
    with st.container(border=True):
        st.header(escape_markdown(f"Play {games.find_game(game).title}"))
        _ask_simulation(library, rulesets)


def _ask_simulation(library: Library, rulesets: dict[str, Ruleset]) -> None:
    what, how_many, kept, luck = st.columns([4, 2, 3, 2])
    names = sorted(rulesets, key=lambda name: (not name.startswith(f"{rulesets[name].game}-"), name))
    name = what.selectbox(
        "Ruleset", names, key="new-ruleset", format_func=lambda name: f"{rulesets[name].title} · {name}"
    )
    ruleset = rulesets[name]
    count = how_many.number_input("Games", 1, MAX_GAMES, DEFAULT_GAMES, step=100, key="new-games")
    log = kept.selectbox(
        "Keep", list(LOG_CHOICES), key="new-log", help="Only games whose plies are kept can be replayed."
    )
    seed = luck.text_input("Seed", key="new-seed", placeholder="any", help="Equal seeds give equal games.")
    known = strategies.built_in_strategies(games.find_game(ruleset.game))
    good = list(known).index("greedy") if "greedy" in known else len(known) - 1
    lineup = [
        column.selectbox(
            f"Seat {seat}",
            list(known),
            index=good
            if seat < ruleset.players - 1
            else list(known).index("random")
            if "random" in known
            else 0,
            key=f"new-{ruleset.players}-{seat}",
            accept_new_options=True,
            help="Choose a strategy, or type one with its parameters. The strategies change seats, so that each plays on every seat with the same luck.",
        )
        for seat, column in enumerate(st.columns(ruleset.players))
    ]
    with st.container(horizontal=True):
        if st.button("Start", type="primary", key="new-play"):
            _start_simulation(
                library, name, [str(strategy) for strategy in lineup], int(count), seed, LOG_CHOICES[log]
            )
        st.button("Close", key="new-close", on_click=_close_form)


def _close_form() -> None:
    st.query_params.pop("play", None)


def _start_simulation(  # noqa: PLR0913, PLR0917 - the questions of the form
    library: Library, ruleset: str, lineup: list[str], count: int, seed: str, log: str
) -> None:
    """Start a simulation, or show what is wrong with the input."""
    try:
        chosen = number_fields.parse_seed(seed)
    except InvalidError as error:
        st.error(escape_markdown(str(error)))
        return
    if not 1 <= count <= MAX_GAMES:
        st.error(f"Enter 1 to {MAX_GAMES:,} games; the command line accepts more.")
        return
    try:
        job = jobs.start_simulation(library, ruleset, lineup, games=count, seed=chosen, log=log)
    except OSError as error:
        st.error(escape_markdown(f"{error.filename or library.folder}: {error.strerror}"))
        return
    started_runs().append(job.name)
    _close_form()
    st.rerun()
