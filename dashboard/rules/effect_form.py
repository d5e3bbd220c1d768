"""What a rule changes: a rule that is turned, with a click for each, or two rulesets that are compared."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.rules.ruleset_editor import last_saved_rulesets
from dashboard.widgets.address import show_link, show_when_wanted, write_page_question
from dashboard.widgets.forms import SubmittedForm, ask_number
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.sheet import AnyAnswer, show_growing_sheet, show_passage
from engine import games
from engine.errors import GameError, InvalidError
from engine.strategies import built_in_strategies
from engine.wording import capitalise
from pipelines.design.rule_values import (
    MAX_VARIED_RULES,
    RuleValue,
    list_rule_ranges,
    propose_values,
    vary_ruleset,
)
from pipelines.design.titles import list_ruleset_choices
from pipelines.experiments.background_work import find_or_start_work
from pipelines.questions.address import describe_unknown
from pipelines.questions.lineups import parse_seed, suggest_lineup
from pipelines.questions.rule_effect import (
    ALL_RULES,
    RuleEffectQuestion,
    iter_rule_effect_answers,
    read_varied_rules,
    suggest_dial_lineup,
)
from pipelines.questions.rules import RulesQuestion
from pipelines.report import wording
from pipelines.report.ruleset_words import list_differences, name_rule, suggest_title
from pipelines.report.wording import join_words
from pipelines.runs.ruleset_drafts import RulesetDraft, find_base_ruleset, find_free_name, save_draft
from pipelines.studies.forms import server_turns

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library

EFFECT_FORM: Final = SubmittedForm(
    "effect-fields", ("against", "vary", "strategies", "target", "blocks", "seed")
)


def show_growing_answer(
    slot: str,
    key: Hashable,
    iter_answers: Callable[[Callable[[], bool]], Iterator[AnyAnswer]],
    rows: Sequence[Sequence[str]] = (),
) -> None:
    """Play in the background and show the answer while it becomes more precise; `rows` are as in `show_sheet`.

    The work is kept under `slot` of the session state and starts anew with another `key`.
    """
    work = find_or_start_work(st.session_state, slot, key, iter_answers, server_turns.wait)
    work.wait(0.3)
    show_growing_sheet(work, rows=rows)


def ask_rules_effect(library: Library, ruleset: Ruleset) -> None:
    """Show the choice of what is changed, its form, and the answer to the question in the address."""
    rulesets = library.catalogue.rulesets
    question, is_readable = EFFECT_FORM.read_question(RuleEffectQuestion)
    if question.ruleset not in {"", ruleset.name}:
        question = RuleEffectQuestion()
    ask_varied_rule(ruleset, question)
    if question.vary:
        with st.form("rules-dial", border=True):
            _ask_dial_fields(library, ruleset, question)
        if is_readable and not question.against:
            _show_effect(library, question.model_copy(update={"ruleset": ruleset.name}), (ruleset.name,))
            offer_values(library, ruleset, question)
            return
    else:
        _ask_against(rulesets, ruleset, question)
    if question.against and question.against not in rulesets:
        st.error(escape_markdown(describe_unknown("ruleset", question.against)))
    elif question.against and is_readable:
        question = question.model_copy(update={"ruleset": ruleset.name})
        _show_effect(library, question, (question.ruleset, question.against))


def _show_effect(library: Library, question: RuleEffectQuestion, names: Sequence[str]) -> None:
    """Show the answer of a question as it grows; `names` are the rulesets whose changes make it another one."""
    catalogue = library.catalogue
    versions = tuple(catalogue.rulesets[name].sha256 for name in names)
    rows = (("changes", "scores"),) if question.against else (("scores", "wins"), ("lengths", "seats"))
    show_when_wanted(
        question,
        lambda: show_growing_answer(
            "rules-effect-work",
            (question, versions),
            lambda stopped: iter_rule_effect_answers(question, catalogue, stopped=stopped),
            rows=rows,
        ),
    )


def ask_varied_rule(ruleset: Ruleset, question: RuleEffectQuestion) -> None:
    """Ask which rule is turned; a click begins to play the values that are proposed for it."""
    options = {option.key: option for option in list_rule_ranges(ruleset)}
    labels = {key: name_rule(ruleset.game, key) for key in options}
    if len(options) > 1:
        labels[ALL_RULES] = (
            "all of them" if len(options) <= MAX_VARIED_RULES else f"the first {MAX_VARIED_RULES}"
        )
    key = f"effect-rule-{ruleset.name}"
    keys = [text.partition("=")[0].strip() for text in question.vary]
    st.session_state[key] = keys[0] if len(keys) == 1 and keys[0] in labels else None

    def turn_rule() -> None:
        chosen = st.session_state[key]
        if chosen is None:
            write_page_question(RuleEffectQuestion(ruleset=ruleset.name, part="effect"))
            return
        text = ALL_RULES if chosen == ALL_RULES else str(propose_values(ruleset, options[chosen]))
        lineup = question.lineup if question.vary else ",".join(suggest_dial_lineup(ruleset))
        write_page_question(RuleEffectQuestion(ruleset=ruleset.name, vary=(text,), lineup=lineup))

    st.pills("Turn a rule", list(labels), format_func=labels.__getitem__, key=key, on_change=turn_rule)


def _ask_dial_fields(library: Library, ruleset: Ruleset, question: RuleEffectQuestion) -> None:
    """Show the fields of a rule that is turned, filled from the address; write the question into the address when it is submitted."""
    values_column, start = st.columns([5, 1], vertical_alignment="bottom")
    with values_column:
        vary = _ask_values(library, ruleset, question)
    is_started = start.form_submit_button("Play", type="primary", width="stretch")
    given_lineup = question.strategies or list(suggest_dial_lineup(ruleset))
    label = (
        f"{', '.join(given_lineup)} · {wording.format_count(question.blocks, 'block')} · seed {question.seed}"
    )
    with st.expander(escape_markdown(f"{label} · target: {question.target}" if question.target else label)):
        lineup = _ask_lineup(ruleset, given_lineup, list(built_in_strategies(games.find_game(ruleset.game))))
        first, second, third = st.columns([2, 1, 1])
        target = first.text_input(
            "Target",
            question.target,
            key=EFFECT_FORM.widget_key("dial-target"),
            placeholder="player 1 wins 45 to 55",
            help="What a number should be: player 1 wins 45 to 55 (of 100 games), greedy scores 20 to 30, rounds 15 to 20.",
        )
        with second:
            blocks = ask_number("Blocks", question, "blocks", EFFECT_FORM.widget_key("dial-blocks"))
        seed = third.text_input("Seed", str(question.seed), key=EFFECT_FORM.widget_key("dial-seed"))
    if not is_started:
        return
    try:
        changes = {"vary": vary, "lineup": ",".join(lineup), "target": target.strip(), "blocks": blocks}
        new_question = question.model_copy(
            update={**changes, "ruleset": ruleset.name, "against": "", "seed": parse_seed(seed)}
        )
    except InvalidError as error:
        st.error(escape_markdown(str(error)))
        return
    EFFECT_FORM.write_question(new_question)
    st.rerun()


def _ask_values(library: Library, ruleset: Ruleset, question: RuleEffectQuestion) -> tuple[str, ...]:
    """Ask for the values of the rule of a question; return its `vary`. Several rules are shown as they are."""
    words = {option.key: option.choices for option in list_rule_ranges(ruleset) if option.choices}
    key, _, values = question.vary[0].partition("=")
    if len(question.vary) > 1 or key == ALL_RULES:
        try:
            rules = read_varied_rules(question, ruleset, library.catalogue.rulesets)
        except InvalidError:
            return question.vary  # the answer says what is wrong
        lines = [
            f"{name_rule(ruleset.game, rule.key)} {join_words([*map(str, rule.values)])}" for rule in rules
        ]
        st.markdown(escape_markdown(f"In all combinations: {'; '.join(lines)}."))
        return question.vary
    name = capitalise(name_rule(ruleset.game, key))
    field = EFFECT_FORM.widget_key(f"dial-values-{ruleset.name}-{key}")
    if key in words:
        words_of_address = [word for word in values.split(",") if word in words[key]]
        chosen = st.multiselect(name, words[key], words_of_address, key=field, select_all=False)
        return (f"{key}={','.join(chosen)}",)
    text = st.text_input(name, values.replace("..", " to "), key=field, help="Such as 0 to 4, or 2, 4, 8.")
    return (f"{key}={text.replace(' to ', '..').replace(' ', '')}",)


def _ask_against(
    rulesets: Mapping[str, Ruleset], ruleset: Ruleset, address_question: RuleEffectQuestion
) -> None:
    """Ask for another ruleset to compare with."""
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
        return
    with st.form("rules-effect", border=True):
        _ask_effect_fields(rulesets, ruleset, rivals, address_question)
    if not address_question.against:
        _introduce_effects(ruleset, [rulesets[name] for name in rivals])


def offer_values(library: Library, ruleset: Ruleset, question: RuleEffectQuestion) -> None:
    """Offer a button for each other value of the only rule of a question that saves it as a ruleset of one's own."""
    try:
        rules = read_varied_rules(question, ruleset, library.catalogue.rulesets)
    except InvalidError:
        return  # the answer says what is wrong
    if len(rules) > 1 or rules[0].key in ruleset.document["tables"]:
        return
    rule, saved_slot = rules[0], f"effect-saved-{ruleset.name}"

    def save_value(value: RuleValue) -> None:
        base, parent = find_base_ruleset(library.catalogue, ruleset.name)
        varied = vary_ruleset(base, {rule.key: value}, library.catalogue.rulesets).document
        name = find_free_name(library.catalogue, parent)
        title = suggest_title(base, {name_rule(base.game, rule.key): value}, ())
        draft = RulesetDraft(base, parent, name, title, (base.players,), varied["options"], varied["tables"])
        try:
            save_draft(library, draft)
        except (GameError, OSError) as error:
            st.session_state[saved_slot] = ("", str(error))
        else:
            st.session_state[saved_slot] = (name, title)

    with st.container(horizontal=True, vertical_alignment="center", key="effect-save"):
        st.caption("Save as a ruleset of my own:", width="content")
        for value in rule.values:
            if value != rule.base_value:
                label = escape_markdown(f"{name_rule(ruleset.game, rule.key)} {value}")
                st.button(label, key=f"effect-save-{value}", on_click=save_value, args=(value,))
    name, text = st.session_state.pop(saved_slot, ("", ""))
    if name:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**Saved as {escape_markdown(name)}**: {escape_markdown(text)}.")
            show_link(RulesQuestion(ruleset=name), "Its rules", ":material/menu_book:")
    elif text:
        st.error(escape_markdown(text))


def _introduce_effects(ruleset: Ruleset, rivals: list[Ruleset]) -> None:
    """Say what is compared, and how the rules of other rulesets differ."""
    st.markdown(
        "The same strategies play both rulesets with the same luck, so the difference is the effect of the rules. "
        "Turn a rule above to see several values of it side by side."
    )
    show_passage(list_differences(ruleset, rivals))


def _ask_effect_fields(
    rulesets: Mapping[str, Ruleset], ruleset: Ruleset, rivals: list[str], address_question: RuleEffectQuestion
) -> None:
    """Show the fields, filled from the address; write the question into the address when it is submitted.

    The rarer ones are in a drawer, whose title says what they hold, so that the answer begins high on the page.
    """
    rival_column, start = st.columns([5, 1], vertical_alignment="bottom")
    rival = address_question.against or rivals[0]
    against = rival_column.selectbox(
        f"Compare {ruleset.title} with",
        rivals,
        index=rivals.index(rival) if rival in rivals else 0,
        format_func=list_ruleset_choices(rulesets).__getitem__,
        key=EFFECT_FORM.widget_key(f"effect-against-{ruleset.name}"),
    )
    is_started = start.form_submit_button("Play both", type="primary", width="stretch")
    names = list(built_in_strategies(games.find_game(ruleset.game)))
    given_lineup = _read_lineup(ruleset, address_question, names[0])
    given_seed = str(address_question.seed) if address_question.against else ""
    count, luck = (
        wording.format_count(address_question.blocks, "block"),
        f"seed {given_seed}" if given_seed else "any seed",
    )
    with st.expander(escape_markdown(f"{', '.join(given_lineup)} · {count} · {luck}")):
        lineup = _ask_lineup(ruleset, given_lineup, names)
        left, right = st.columns(2)
        with left:
            blocks = ask_number(
                "Blocks",
                address_question,
                "blocks",
                EFFECT_FORM.widget_key("effect-blocks"),
                "All games of a block have the same luck. The strategies play every block in all rotations over the seats, under both rulesets.",
            )
        # The field shows the seed that was taken for an empty one, so it is another field then.
        seed_key = EFFECT_FORM.widget_key(f"effect-seed-{given_seed}")
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
    EFFECT_FORM.write_question(question)
    st.rerun()


def _read_lineup(ruleset: Ruleset, question: RuleEffectQuestion, first: str) -> list[str]:
    """Return the line-up of the address; if it does not fit the ruleset, one with the strategy `first`."""
    lineup = question.strategies or (["random"] * ruleset.players if question.against else [])
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
            key=EFFECT_FORM.widget_key(f"effect-player-{ruleset.game}-{ruleset.players}-{seat}"),
            help="A strategy, with parameters if you want: noisy:sigma=3",
        )
        or ""
        for seat, column in enumerate(st.columns(ruleset.players))
    ]
