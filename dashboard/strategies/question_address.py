"""The form of a new comparison in the address, so that a reload keeps it, a link shares it and a name can be saved for it.

The address is `?ruleset=…&lineup=…&lineup=…`, and where they differ from the defaults `metric`, `blocks`, `until=1` (stop
as soon as the answer is certain) and `seed`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import streamlit as st

from dashboard.widgets import form_address
from dashboard.widgets.baseline import put_baseline_first
from engine import games
from engine.strategies import built_in_strategies
from pipelines.questions.address import describe_unknown
from pipelines.questions.lineups import find_unknown_strategies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset

MAX_STRATEGIES: Final = 6
MIN_BLOCKS, MAX_BLOCKS = 10, 1_000_000
DEFAULT_BLOCKS: Final = 400
METRIC_TITLES: Final = {"score": "points", "margin": "lead over the best other", "win": "share of the win"}
FORM_FIELDS: Final = ("ruleset", "lineup", "metric", "blocks", "until", "seed")
"""The keys of the form in the address."""
ADDRESS_SLOT: Final = "strategies-form-address"
RULESET_KEY, METRIC_KEY, BLOCKS_KEY, UNTIL_KEY, SEED_KEY = (
    "ask-ruleset",
    "ask-metric",
    "ask-blocks",
    "ask-until",
    "ask-seed",
)


class ComparisonForm(NamedTuple):
    """What the fields hold."""

    ruleset: str
    lineup: tuple[str, ...]
    metric: str = "score"
    blocks: int = DEFAULT_BLOCKS
    is_until_decided: bool = False
    seed: str = ""

    @property
    def address(self) -> dict[str, list[str]]:
        """The form as an address; the ruleset and the strategies are always in it, because their defaults change."""
        return {
            "ruleset": [self.ruleset],
            "lineup": list(self.lineup),
            **({"metric": [self.metric]} if self.metric != "score" else {}),
            **({"blocks": [str(self.blocks)]} if self.blocks != DEFAULT_BLOCKS else {}),
            **({"until": ["1"]} if self.is_until_decided else {}),
            **({"seed": [self.seed]} if self.seed else {}),
        }


def lineup_key(ruleset: Ruleset) -> str:
    """Return the key of the field of the strategies, which is another one for each game."""
    return f"ask-strategies-{ruleset.game}"


def offered_strategies(ruleset: Ruleset) -> list[str]:
    """Return the strategies that the form offers; the first two are its default."""
    return put_baseline_first(built_in_strategies(games.find_game(ruleset.game)))


def read_address_form(rulesets: Mapping[str, Ruleset]) -> tuple[ComparisonForm, list[str]]:
    """Return the form that the address asks for, and a sentence on each of its values that does not exist.

    A strategy that does not exist stays in the form, so that it can be corrected there.
    """
    given = st.query_params
    problems: list[str] = []
    name = given.get("ruleset", next(iter(rulesets)))
    if name not in rulesets:
        problems.append(describe_unknown("ruleset", name))
        name = next(iter(rulesets))
    ruleset = rulesets[name]
    lineup = tuple(dict.fromkeys(text for text in given.get_all("lineup") if text))
    problems += find_unknown_strategies(ruleset, lineup)
    if len(lineup) > MAX_STRATEGIES:
        problems.append(f"A comparison takes at most {MAX_STRATEGIES} strategies; the others are left out.")
    metric = given.get("metric", "score")
    if metric not in METRIC_TITLES:
        problems.append(describe_unknown("measure", metric))
        metric = "score"
    until = given.get("until", "0")
    if until not in {"0", "1"}:
        problems.append(describe_unknown("value of until", until))
    blocks, about_blocks = form_address.read_address_number(
        "blocks", "Blocks", MIN_BLOCKS, MAX_BLOCKS, DEFAULT_BLOCKS
    )
    form = ComparisonForm(
        name,
        lineup[:MAX_STRATEGIES] or tuple(offered_strategies(ruleset)[:2]),
        metric,
        blocks,
        until == "1",
        given.get("seed", ""),
    )
    return form, problems + about_blocks


def read_shown_form(rulesets: Mapping[str, Ruleset]) -> ComparisonForm | None:
    """Return what the fields hold; None if they were not drawn before."""
    state = st.session_state
    name = str(state.get(RULESET_KEY))
    if name not in rulesets or any(key not in state for key in (METRIC_KEY, BLOCKS_KEY, UNTIL_KEY, SEED_KEY)):
        return None
    lineup = state.get(lineup_key(rulesets[name]))
    return ComparisonForm(
        name,
        tuple(offered_strategies(rulesets[name])[:2] if lineup is None else lineup),
        state[METRIC_KEY],
        int(state[BLOCKS_KEY]),
        bool(state[UNTIL_KEY]),
        state[SEED_KEY],
    )


def fill_fields(form: ComparisonForm, ruleset: Ruleset) -> None:
    """Put the values of a form into the fields, before they are drawn."""
    st.session_state[RULESET_KEY] = form.ruleset
    st.session_state[lineup_key(ruleset)] = list(form.lineup)
    st.session_state[METRIC_KEY] = form.metric
    st.session_state[BLOCKS_KEY] = form.blocks
    st.session_state[UNTIL_KEY] = form.is_until_decided
    st.session_state[SEED_KEY] = form.seed
