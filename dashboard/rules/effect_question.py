"""The form that compares two rulesets. The address contains the question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.rules.effect_running import show_running_effect
from dashboard.rules.rulebook import describe_difference
from dashboard.rules.ruleset_editor import last_saved_rulesets
from dashboard.widgets import form_address, number_fields
from dashboard.widgets.baseline import put_baseline_first
from dashboard.widgets.markdown import escape_markdown
from engine import games
from engine.errors import InvalidError
from engine.strategies import built_in_strategies
from pipelines.design.design import MAX_SEED
from pipelines.design.lineup import split_strategies
from pipelines.questions.lineups import suggest_lineup
from pipelines.questions.seeds import parse_seed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset

DEFAULT_BLOCKS: Final = 400
MIN_BLOCKS, MAX_BLOCKS = 10, 20_000
FORM_FIELDS: Final = ("against", "lineup", "blocks", "seed")
"""The keys of the form in the address."""
_KEYS_SLOT: Final = "effect-fields"


def ask_rules_effect(rulesets: Mapping[str, Ruleset], ruleset: Ruleset) -> None:
    """Show the form, and the answer to the question in the address."""
    rivals = sorted(
        (
            name
            for name, rival in rulesets.items()
            if rival.game == ruleset.game and rival.players == ruleset.players and name != ruleset.name
        ),
        # The ruleset that the visitor has just saved comes first. Others that are somebody's own come last: a small trial
        # game has little in common with the printed one.
        key=lambda name: (
            name not in last_saved_rulesets(),
            {*rulesets[name].provenance.values()} == {"own"},
        ),
    )
    st.markdown(
        "The same strategies play both rulesets with the same luck, so the difference is the effect of the rules. "
        "Make your own ruleset to test any rule."
    )
    if not rivals:
        st.info(
            f"There is no other ruleset of this game for {ruleset.players} players. Make one under **Make your own**."
        )
        return
    differences = {name: describe_difference(ruleset, rulesets[name]) for name in rivals}
    lines = [f"- {escape_markdown(f'{name}: {words}')}" for name, words in differences.items() if words]
    if lines:
        st.caption(
            "\n".join([f"What other rulesets have instead of {escape_markdown(ruleset.name)}:", "", *lines])
        )
    form_address.follow_address(_KEYS_SLOT, FORM_FIELDS)
    with st.form("rules-effect", border=True):
        _ask_effect_fields(rulesets, ruleset, rivals)
    if "against" in st.query_params:
        _show_answer(rulesets, ruleset)


def _ask_effect_fields(rulesets: Mapping[str, Ruleset], ruleset: Ruleset, rivals: list[str]) -> None:
    """Show the fields, filled from the address; write the question into the address when it is submitted."""
    first, second, third = st.columns([3, 1, 1])
    given = st.query_params.get("against", rivals[0])
    against = first.selectbox(
        f"{ruleset.name} against",
        rivals,
        index=rivals.index(given) if given in rivals else 0,
        format_func=lambda name: f"{rulesets[name].title} · {name}",
        key=_field_key(f"effect-against-{ruleset.name}"),
    )
    blocks = second.number_input(
        "Blocks",
        MIN_BLOCKS,
        MAX_BLOCKS,
        _read_address_blocks(),
        step=100,
        key=_field_key("effect-blocks"),
        help="All games of a block have the same luck. The strategies play every block in all rotations over the seats, under both rulesets.",
    )
    given_seed = st.query_params.get("seed", "")
    # The field shows the seed that was taken for an empty one, so it is another field then.
    seed_key = _field_key(f"effect-seed-{given_seed}")
    seed = third.text_input("Seed", given_seed, placeholder="any", key=seed_key)
    lineup = _ask_lineup(ruleset)
    if not st.form_submit_button("Play both", type="primary"):
        return
    try:
        chosen = parse_seed(seed)
    except InvalidError as error:
        st.error(escape_markdown(str(error)))
        return
    st.query_params.from_dict(
        {
            "ruleset": ruleset.name,
            "part": "effect",
            "against": against,
            "lineup": ",".join(lineup),
            "blocks": str(int(blocks)),
            "seed": str(chosen),
        }
    )
    form_address.keep_fields(_KEYS_SLOT, FORM_FIELDS)
    st.rerun()


def _field_key(name: str) -> str:
    """Return the key of a field of this form."""
    return form_address.field_key(_KEYS_SLOT, name)


def _read_address_blocks() -> int:
    return number_fields.parse_bounded_number(
        st.query_params.get("blocks", ""), MIN_BLOCKS, MAX_BLOCKS, DEFAULT_BLOCKS
    )


def _read_address_lineup(ruleset: Ruleset) -> list[str]:
    """Return the line-up of the question in the address, by default `random` in all seats; empty without a question."""
    text = st.query_params.get("lineup", "").strip(",")
    if not text and "against" in st.query_params:
        return ["random"] * ruleset.players
    return split_strategies(text)


def _ask_lineup(ruleset: Ruleset) -> list[str]:
    """Ask for the strategy on each seat."""
    names = put_baseline_first(built_in_strategies(games.find_game(ruleset.game)))
    lineup = _read_address_lineup(ruleset)
    if len(lineup) != ruleset.players:
        lineup = list(suggest_lineup(ruleset, names[0]))
    offered = list(dict.fromkeys([*names, *lineup]))
    return [
        column.selectbox(
            f"Player {seat + 1}",
            offered,
            index=offered.index(lineup[seat]),
            accept_new_options=True,
            key=_field_key(f"effect-player-{ruleset.game}-{ruleset.players}-{seat}"),
            help="A strategy, with parameters if you want: noisy:sigma=3",
        )
        or ""
        for seat, column in enumerate(st.columns(ruleset.players))
    ]


def _show_answer(rulesets: Mapping[str, Ruleset], ruleset: Ruleset) -> None:
    """Play the games of the question in the address, and show the answer."""
    against = st.query_params["against"]
    other = rulesets.get(against)
    if other is None:
        st.error(escape_markdown(f"There is no ruleset {against}."))
        return
    lineup = _read_address_lineup(ruleset)
    seed = number_fields.parse_bounded_number(st.query_params.get("seed", ""), 0, MAX_SEED, 0)
    show_running_effect(ruleset, other, lineup, _read_address_blocks(), seed)
