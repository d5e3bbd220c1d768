"""The form for a new comparison, which starts in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.strategies.select_comparison import started_designs
from dashboard.widgets import number_fields
from dashboard.widgets.markdown import escape_markdown
from engine import games, strategies
from engine.errors import GameError
from pipelines.design.comparison import design_comparison
from pipelines.service import jobs

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.design.design import Design
    from pipelines.runs.library import Library

MAX_STRATEGIES: Final = 6
METRIC_TITLES: Final = {"score": "points", "margin": "lead over the best other", "win": "share of the win"}


def ask_new_comparison(library: Library) -> None:
    """Show the form; start the comparison in the background when the visitor presses Compare."""
    what, who = st.columns([2, 3])
    with what:
        ruleset = _ask_ruleset(library)
    with who:
        chosen = _ask_strategies(ruleset)
    how, many, until, luck = st.columns([2, 1, 2, 1], vertical_alignment="bottom")
    metric = how.selectbox(
        "Compare", list(METRIC_TITLES), format_func=METRIC_TITLES.__getitem__, key="ask-metric"
    )
    blocks = many.number_input(
        "Blocks",
        10,
        1_000_000,
        400,
        step=100,
        key="ask-blocks",
        help="All games of a block have the same luck. The strategies play every block in every seating.",
    )
    decide = until.checkbox(
        "Stop as soon as the answer is certain",
        key="ask-until",
        help="Blocks is then the maximum. The stopping rule gives a wrong answer in at most 5 of 100 comparisons, "
        "unless rare large differences that the blocks played do not show outweigh the others.",
    )
    seed = luck.text_input("Seed", key="ask-seed", placeholder="any")
    if not st.button("Compare", type="primary", key="ask-go"):
        return
    try:
        design = design_comparison(
            ruleset,
            chosen,
            blocks=max(int(blocks), 100) if decide else int(blocks),
            until_decided=decide,
            metric=metric,
            seed=number_fields.parse_seed(seed),
        )
    except GameError as error:
        st.error(escape_markdown(str(error)))
        return
    _start_comparison(library, design, until_decided=decide, metric=metric)


def _ask_ruleset(library: Library) -> Ruleset:
    catalogue = library.catalogue.rulesets
    name = st.selectbox(
        "Ruleset",
        [name for name, ruleset in catalogue.items() if ruleset.players > 1],
        key="ask-ruleset",
        format_func=lambda name: f"{catalogue[name].title} · {name}",
    )
    return catalogue[name]


def _ask_strategies(ruleset: Ruleset) -> list[str]:
    game = games.find_game(ruleset.game)
    known = list(strategies.built_in_strategies(game))
    return st.multiselect(
        "Strategies",
        known,
        default=known[:2],
        key=f"ask-strategies-{game.name}",
        max_selections=MAX_STRATEGIES,
        accept_new_options=True,
        help="Choose two or more. Write parameters after the name: noisy:sigma=3.",
    )


def _start_comparison(library: Library, design: Design, *, until_decided: bool, metric: str) -> None:
    """Start a comparison and open its page."""
    job = jobs.start_comparison(
        library,
        design.rules.name,
        design.lineup,
        blocks=design.blocks,
        until_decided=until_decided,
        metric=metric,
        seed=design.seed,
    )
    started_designs()[job.name] = design
    st.query_params.from_dict({"run": job.name})
    st.rerun()
