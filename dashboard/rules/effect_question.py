"""The form that compares two rulesets. The address contains the question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.rules.ruleset_editor import last_saved_rulesets
from dashboard.widgets.address import (
    ask_number,
    field_key,
    follow_address,
    keep_fields,
    read_page_question,
    show_address_problems,
    write_page_question,
)
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.sheet import show_growing_sheet, show_passage
from engine import games
from engine.errors import InvalidError
from engine.strategies import built_in_strategies
from pipelines.design.titles import format_ruleset_choice
from pipelines.experiments.background_work import find_or_start_work
from pipelines.questions.address import describe_unknown
from pipelines.questions.lineups import parse_seed, suggest_lineup
from pipelines.questions.rule_effect import RuleEffectQuestion, iter_rule_effect_answers
from pipelines.report.ruleset_words import list_differences
from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset
    from pipelines.experiments.background_work import BackgroundWork
    from pipelines.questions.rule_effect import RuleEffectAnswer

FORM_FIELDS: Final = ("against", "lineup", "blocks", "seed")
"""The keys of the form in the address."""
_KEYS_SLOT: Final = "effect-fields"


def ask_rules_effect(catalogue: Catalogue, ruleset: Ruleset) -> None:
    """Show the form, and the answer to the question in the address."""
    rulesets = catalogue.rulesets
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
    if not rivals:
        st.info(
            f"There is no other ruleset of this game for {format_count(ruleset.players, 'player')}. Make one under **Make your own**."
        )
        return
    follow_address(_KEYS_SLOT, FORM_FIELDS)
    asked, problems = read_page_question(RuleEffectQuestion)
    show_address_problems(problems)
    with st.form("rules-effect", border=True):
        _ask_effect_fields(rulesets, ruleset, rivals, asked)
    question = asked.model_copy(update={"ruleset": ruleset.name})
    if not asked.against:
        _introduce_effects(ruleset, [rulesets[name] for name in rivals])
    if asked.against and asked.against not in rulesets:
        st.error(escape_markdown(describe_unknown("ruleset", asked.against)))
    elif asked.against and not problems and asked.ruleset in {"", ruleset.name}:
        _show_running_effect(question, catalogue)


def _introduce_effects(ruleset: Ruleset, rivals: list[Ruleset]) -> None:
    """Say what is compared, and how the rules of other rulesets differ."""
    st.markdown(
        "The same strategies play both rulesets with the same luck, so the difference is the effect of the rules. "
        "Make your own ruleset to test any rule."
    )
    show_passage(list_differences(ruleset, rivals))


def _show_running_effect(question: RuleEffectQuestion, catalogue: Catalogue) -> None:
    """Play both rulesets and show the answer while it becomes more precise."""
    versions = tuple(catalogue.rulesets[name].sha256 for name in (question.ruleset, question.against))
    work: BackgroundWork[RuleEffectAnswer] = find_or_start_work(
        st.session_state,
        "rules-effect-work",
        (question, versions),
        lambda stopped: iter_rule_effect_answers(question, catalogue, stopped=stopped),
    )
    work.wait(0.3)
    show_growing_sheet(work, rows=(("changes", "scores"),))


def _ask_effect_fields(
    rulesets: Mapping[str, Ruleset], ruleset: Ruleset, rivals: list[str], asked: RuleEffectQuestion
) -> None:
    """Show the fields, filled from the address; write the question into the address when it is submitted.

    The rarer ones are in a drawer, whose title says what they hold, so that the answer begins high on the page.
    """
    what, start = st.columns([5, 1], vertical_alignment="bottom")
    given = asked.against or rivals[0]
    against = what.selectbox(
        f"Compare {ruleset.title} with",
        rivals,
        index=rivals.index(given) if given in rivals else 0,
        format_func=lambda name: format_ruleset_choice(rulesets[name]),
        key=_field_key(f"effect-against-{ruleset.name}"),
    )
    is_started = start.form_submit_button("Play both", type="primary", width="stretch")
    names = list(built_in_strategies(games.find_game(ruleset.game)))
    given_lineup = _read_lineup(ruleset, asked, names[0])
    given_seed = str(asked.seed) if asked.against else ""
    count, luck = format_count(asked.blocks, "block"), f"seed {given_seed}" if given_seed else "any seed"
    with st.expander(escape_markdown(f"{', '.join(given_lineup)} · {count} · {luck}")):
        lineup = _ask_lineup(ruleset, given_lineup, names)
        left, right = st.columns(2)
        with left:
            blocks = ask_number(
                "Blocks",
                asked,
                "blocks",
                _field_key("effect-blocks"),
                "All games of a block have the same luck. The strategies play every block in all rotations over the seats, under both rulesets.",
            )
        # The field shows the seed that was taken for an empty one, so it is another field then.
        seed_key = _field_key(f"effect-seed-{given_seed}")
        seed = right.text_input("Seed", given_seed, placeholder="any", key=seed_key)
    if not is_started:
        return
    try:
        chosen = parse_seed(seed)
    except InvalidError as error:
        st.error(escape_markdown(str(error)))
        return
    question = RuleEffectQuestion(
        ruleset=ruleset.name, against=against, lineup=",".join(lineup), blocks=blocks, seed=chosen
    )
    write_page_question(question)
    keep_fields(_KEYS_SLOT, FORM_FIELDS)
    st.rerun()


def _field_key(name: str) -> str:
    """Return the key of a field of this form."""
    return field_key(_KEYS_SLOT, name)


def _read_lineup(ruleset: Ruleset, asked: RuleEffectQuestion, first: str) -> list[str]:
    """Return the line-up of the address; if it does not fit the ruleset, one with the strategy `first`."""
    lineup = asked.strategies or (["random"] * ruleset.players if asked.against else [])
    return list(lineup if len(lineup) == ruleset.players else suggest_lineup(ruleset, first))


def _ask_lineup(ruleset: Ruleset, lineup: list[str], names: list[str]) -> list[str]:
    """Ask for the strategy on each seat, which holds that of `lineup`; `names` are offered."""
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
