"""The form for a new comparison, which starts in the background. The address holds its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.strategies.characters import describe_strategies, write_introductions
from dashboard.strategies.estimate import show_estimate, stop_estimate
from dashboard.strategies.question_address import (
    ADDRESS_SLOT,
    BLOCKS_KEY,
    FORM_FIELDS,
    MAX_BLOCKS,
    MAX_STRATEGIES,
    METRIC_KEY,
    METRIC_TITLES,
    MIN_BLOCKS,
    RULESET_KEY,
    SEED_KEY,
    UNTIL_KEY,
    ComparisonForm,
    fill_fields,
    lineup_key,
    offered_strategies,
    read_address_form,
    read_shown_form,
)
from dashboard.strategies.select_comparison import started_designs
from dashboard.widgets import form_address
from dashboard.widgets.address_defaults import write_address_defaults
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.design.comparison import design_comparison
from pipelines.questions.seeds import parse_seed
from pipelines.service import jobs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset
    from pipelines.design.comparison import ComparisonDesign
    from pipelines.runs.library import Library


def comparable_rulesets(library: Library) -> dict[str, Ruleset]:
    """Return the rulesets for at least two players by name."""
    return {name: one for name, one in library.catalogue.rulesets.items() if one.players > 1}


def is_form_asked() -> bool:
    """Return whether the address holds a field of the form."""
    return any(field in st.query_params for field in FORM_FIELDS)


def open_form(library: Library, ruleset: str) -> None:
    """Open the form by writing its defaults for a ruleset into the address."""
    rulesets = comparable_rulesets(library)
    name = ruleset if ruleset in rulesets else next(iter(rulesets))
    form = ComparisonForm(name, tuple(offered_strategies(rulesets[name])[:2]))
    st.query_params.from_dict(form.address)


def ask_new_comparison(library: Library) -> Ruleset:
    """Show the form; start the comparison in the background when the visitor presses Compare. Return its ruleset."""
    rulesets = comparable_rulesets(library)
    asked, _ = read_address_form(rulesets)
    held = read_shown_form(rulesets)
    if form_address.must_follow_address(ADDRESS_SLOT, asked, held):
        fill_fields(asked, rulesets[asked.ruleset])
        held = None
    message_place = st.container()
    ruleset = _ask_ruleset(rulesets, held)
    chosen = _ask_strategies(ruleset, held)
    metric, blocks, decide, seed = _ask_settings(asked, held)
    shown = read_shown_form(rulesets)
    if shown:
        form_address.write_form_address(ADDRESS_SLOT, asked, shown, shown.address, FORM_FIELDS)
        write_address_defaults("strategies", shown.address)
    with message_place:  # a change of a field has corrected the address by now
        form_address.show_address_problems(read_address_form(rulesets)[1])
    characters = describe_strategies(ruleset, chosen)
    if characters:
        st.markdown(write_introductions(characters))
    try:
        design = design_comparison(
            ruleset,
            chosen,
            blocks=max(int(blocks), 100) if decide else int(blocks),
            until_decided=decide,
            metric=metric,
            seed=parse_seed(seed),
        )
    except GameError as error:
        if st.button("Compare", type="primary", key="ask-go"):
            st.error(escape_markdown(str(error)))
        return ruleset
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Compare", type="primary", key="ask-go"):
            stop_estimate()
            _start_comparison(library, design)
        show_estimate(design)
    return ruleset


def _ask_settings(asked: ComparisonForm, held: ComparisonForm | None) -> tuple[str, int, bool, str]:
    """Ask what is compared, over how many blocks and on which luck, in a drawer: its defaults suit most questions.

    The drawer is open if the address asks for something else. `held` is that of `_ask_strategies`.
    """
    is_changed = asked != ComparisonForm(asked.ruleset, asked.lineup)
    with st.expander("Measure, number of blocks and seed", expanded=is_changed):
        metric = st.selectbox(
            "Compare", list(METRIC_TITLES), format_func=METRIC_TITLES.__getitem__, key=METRIC_KEY
        )
        many, luck = st.columns([3, 2])
        blocks = many.number_input(
            "Blocks",
            MIN_BLOCKS,
            MAX_BLOCKS,
            held.blocks if held else "min",
            step=100,
            key=BLOCKS_KEY,
            help="All games of a block have the same luck. The strategies play every block in every seating.",
        )
        seed = luck.text_input("Seed", key=SEED_KEY, placeholder="any")
        decide = st.checkbox(
            "Stop as soon as the answer is certain",
            key=UNTIL_KEY,
            help="Blocks is then the maximum. The stopping rule gives a wrong answer in at most 5 of 100 comparisons, "
            "unless rare large differences that the blocks played do not show outweigh the others.",
        )
    return metric, int(blocks), decide, seed


def _ask_ruleset(rulesets: Mapping[str, Ruleset], held: ComparisonForm | None) -> Ruleset:
    name = st.selectbox(
        "Ruleset",
        list(rulesets),
        index=list(rulesets).index(held.ruleset) if held else 0,
        key=RULESET_KEY,
        format_func=lambda name: f"{rulesets[name].title} · {name}",
    )
    return rulesets[name]


def _ask_strategies(ruleset: Ruleset, held: ComparisonForm | None) -> list[str]:
    """Ask for the line-up. `held` is what the fields hold, None if the page has just filled them.

    A browser that is busy may draw a field first when the page is drawn for the second time. It then shows the default of
    the field, which must be what the field holds.
    """
    known, key = offered_strategies(ruleset), lineup_key(ruleset)
    is_held = held is not None and key in st.session_state
    st.session_state.setdefault(key, known[:2])
    return st.multiselect(
        "Strategies",
        dict.fromkeys([*known, *st.session_state[key]]) if is_held else known,
        default=st.session_state[key] if is_held else None,
        key=lineup_key(ruleset),
        max_selections=MAX_STRATEGIES,
        accept_new_options=True,
        help="Choose two or more. Write parameters after the name: noisy:sigma=3.",
    )


def _start_comparison(library: Library, design: ComparisonDesign) -> None:
    """Start a comparison and open its page."""
    job = jobs.start_comparison(library, design)
    started_designs()[job.name] = design
    st.query_params.from_dict({"run": job.name})
    st.rerun()
