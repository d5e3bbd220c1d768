"""What a rule changes: a rule that is turned, with a click for each; another ruleset is one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.rules.ruleset_editor import last_saved_rulesets
from dashboard.widgets.address import declare_shown_question, show_link, write_page_question
from dashboard.widgets.forms import SubmittedForm, ask_number
from dashboard.widgets.growing_answer import show_growing_answer
from dashboard.widgets.markdown import escape_markdown
from engine import games
from engine.errors import GameError, InvalidError
from engine.ruleset import suggest_title
from engine.strategies import built_in_strategies
from engine.wording import capitalise
from pipelines.design.rule_values import (
    MAX_VARIED_RULES,
    WHOLE_RULESET,
    RuleValue,
    list_rule_ranges,
    propose_values,
    vary_ruleset,
)
from pipelines.design.titles import list_ruleset_choices
from pipelines.questions.address import describe_unknown, write_path
from pipelines.questions.lineups import parse_seed
from pipelines.questions.rule_effect import (
    ALL_RULES,
    RuleEffectQuestion,
    WorkEstimate,
    estimate_rule_effect,
    iter_rule_effect_answers,
    read_changes,
    read_question_target,
    read_varied_rules,
    suggest_dial_lineup,
)
from pipelines.questions.rules import RulesQuestion
from pipelines.report import wording
from pipelines.report.rule_words import announce_work
from pipelines.report.ruleset_words import find_choice, name_rule
from pipelines.runs.ruleset_drafts import RulesetDraft, find_base_ruleset, find_free_name, save_draft

if TYPE_CHECKING:
    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library

EFFECT_FORM: Final = SubmittedForm(
    "effect-fields", ("against", "vary", "strategies", "target", "blocks", "seed")
)


def ask_rules_effect(library: Library, ruleset: Ruleset) -> None:
    """Show the choice of what is changed, its form, and the answer to the question in the address."""
    question, is_readable = EFFECT_FORM.read_question(RuleEffectQuestion)
    if question.ruleset not in {"", ruleset.name}:
        question = RuleEffectQuestion()
    rivals = _list_rivals(library, ruleset)
    if not (question.vary or question.against):
        question = _suggest_first_question(ruleset)
        declare_shown_question(question)
    ask_varied_rule(ruleset, question, rivals)
    question = question.model_copy(update={"ruleset": ruleset.name})
    fault = _find_target_fault(ruleset, question)
    with st.form("effect", border=False):
        _ask_fields(library, ruleset, question, rivals, fault)
    if question.against and question.against not in library.catalogue.rulesets:
        st.error(escape_markdown(describe_unknown("ruleset", question.against)))
    elif is_readable and not fault:
        _show_effect(library, question)
        offer_values(library, ruleset, question)


def _suggest_first_question(ruleset: Ruleset) -> RuleEffectQuestion:
    """Return the question that a click on the smallest number asks, if the game can do without that rule, or else on the first rule."""
    options = list_rule_ranges(ruleset)
    numbers = [option for option in options if isinstance(option.base_value, int)]
    smallest = min(numbers, key=lambda option: option.base_value, default=options[0])
    rule = propose_values(ruleset, smallest)
    return _ask_about(ruleset, str(rule if 0 in rule.values else propose_values(ruleset, options[0])))


def _ask_about(ruleset: Ruleset, text: str, lineup: str = "") -> RuleEffectQuestion:
    """Return the question what some values of a rule change, for the players of the form if it names none."""
    return RuleEffectQuestion(
        ruleset=ruleset.name, vary=(text,), lineup=lineup or ",".join(suggest_dial_lineup(ruleset))
    )


def _find_target_fault(ruleset: Ruleset, question: RuleEffectQuestion) -> str:
    """Return in a sentence what is wrong with the target of a question; empty if nothing is."""
    try:
        read_question_target(question, ruleset)
    except InvalidError as error:
        return f"{capitalise(str(error))}."
    return ""


def _show_effect(library: Library, question: RuleEffectQuestion) -> None:
    """Show the answer of a question as it grows; a changed file of a ruleset makes it another one."""
    catalogue = library.catalogue
    names = {
        name
        for text in (question.ruleset, question.against, *question.vary)
        for name in re.split("[=,]", text)
    }
    versions = tuple(ruleset.sha256 for name, ruleset in sorted(catalogue.rulesets.items()) if name in names)
    try:
        read_changes(question, catalogue)
    except InvalidError as error:
        st.error(escape_markdown(str(error)))
        return
    estimate = _estimate_work(write_path(question.games_question), versions, question, catalogue)
    if announcement := announce_work(estimate):
        st.caption(escape_markdown(announcement))
    show_growing_answer(
        "rules-effect-work",
        question,
        versions,
        lambda stopped: iter_rule_effect_answers(question.games_question, catalogue, stopped=stopped),
        rows=(("scores", "wins"), ("lengths", "seats")),
        seconds=estimate and estimate.seconds,
    )


@st.cache_data(max_entries=64, show_spinner=False)
def _estimate_work(
    address: str, versions: tuple[str, ...], _question: RuleEffectQuestion, _catalogue: Catalogue
) -> WorkEstimate | None:
    del address, versions  # the cache key
    return estimate_rule_effect(_question, _catalogue)


def ask_varied_rule(ruleset: Ruleset, question: RuleEffectQuestion, rivals: Sequence[str]) -> None:
    """Ask which rule is turned; a click begins to play the values that are proposed for it."""
    options = {option.key: option for option in list_rule_ranges(ruleset)}
    labels = {key: name_rule(ruleset.game, key) for key in options}
    if len(options) > 1:
        labels[ALL_RULES] = (
            "all of them" if len(options) <= MAX_VARIED_RULES else f"the first {MAX_VARIED_RULES}"
        )
    if rivals:
        labels[WHOLE_RULESET] = "another ruleset"
    key = f"effect-rule-{ruleset.name}"
    keys = [WHOLE_RULESET] if question.against else [text.partition("=")[0].strip() for text in question.vary]
    if len(keys) == min(len(options), MAX_VARIED_RULES):  # all rules with words that were chosen
        keys = keys[:1] if len(keys) == 1 else [ALL_RULES]
    st.session_state[key] = keys[0] if len(keys) == 1 and keys[0] in labels else None

    def turn_rule() -> None:
        chosen = st.session_state[key]
        if chosen == WHOLE_RULESET:
            lineup = question.lineup or ",".join(suggest_dial_lineup(ruleset))
            write_page_question(RuleEffectQuestion(ruleset=ruleset.name, against=rivals[0], lineup=lineup))
        else:
            text = ALL_RULES if chosen == ALL_RULES else str(propose_values(ruleset, options[chosen]))
            write_page_question(_ask_about(ruleset, text, question.lineup))

    st.pills(
        "Turn a rule",
        list(labels),
        format_func=labels.__getitem__,
        key=key,
        required=True,
        on_change=turn_rule,
        label_visibility="collapsed",
    )


def _list_rivals(library: Library, ruleset: Ruleset) -> list[str]:
    """Return the rulesets with which one can be compared.

    The ruleset that the visitor has just saved comes first. Others that are somebody's own come last: a small trial game has little
    in common with the printed one.
    """
    rulesets = library.catalogue.rulesets
    return sorted(
        (
            name
            for name, rival in rulesets.items()
            if rival.game == ruleset.game and rival.players == ruleset.players and name != ruleset.name
        ),
        key=lambda name: (
            name not in last_saved_rulesets(),
            {*rulesets[name].provenance.values()} == {"own"},
        ),
    )


def _name_settings(ruleset: Ruleset, question: RuleEffectQuestion) -> str:
    """Return what is played in one line, the title of the drawer with the fields."""
    values = ", ".join(text.partition("=")[2].replace("..", " to ") for text in question.vary)
    parts = (
        values.replace(",", ", ").replace("  ", " "),
        ", ".join(question.strategies or suggest_dial_lineup(ruleset)),
        wording.format_count(question.blocks, "block"),
        f"seed {question.seed}",
        question.target and f"target: {question.target}",
    )
    fields = "Players, target" if question.against else "Values, players, target"
    return f"{fields}: {' · '.join(filter(None, parts))}"


def _ask_fields(
    library: Library, ruleset: Ruleset, question: RuleEffectQuestion, rivals: Sequence[str], fault: str
) -> None:
    """Show the fields, filled from the address; write the question into the address when it is submitted.

    Another ruleset is chosen in sight, with all that is played by default in the drawer, which is open if its target has a `fault`.
    """
    values: dict[str, object] = {}
    started = False
    words = _list_word_choices(library, ruleset, question)
    if words:
        *choices, start = st.columns([2] * len(words) + [1], vertical_alignment="bottom")
        chosen = {
            key: choice.selectbox(
                f"{capitalise(name_rule(ruleset.game, key))}, turned to",
                others,
                format_func=partial(_name_word, ruleset.game, key),
                key=EFFECT_FORM.widget_key(f"effect-word-{ruleset.name}-{key}"),
            )
            for choice, (key, others) in zip(choices, words.items(), strict=True)
        }
        values["vary"] = tuple(
            str(
                rule._replace(values=(rule.base_value, chosen[rule.key] or ""))
                if rule.key in chosen
                else rule
            )
            for rule in read_varied_rules(question, ruleset, library.catalogue.rulesets)
        )
        started = start.form_submit_button("Play", type="primary", width="stretch")
    if question.against:
        choice, start = st.columns([4, 1], vertical_alignment="bottom")
        values["against"] = choice.selectbox(
            f"Compare {ruleset.title} with",
            rivals,
            index=rivals.index(question.against) if question.against in rivals else 0,
            format_func=list_ruleset_choices(library.catalogue.rulesets).__getitem__,
            key=EFFECT_FORM.widget_key(f"effect-against-{ruleset.name}"),
        )
        started = start.form_submit_button("Play", type="primary", width="stretch")
    with st.expander(escape_markdown(_name_settings(ruleset, question)), expanded=bool(fault)):
        values |= _ask_values(library, ruleset, question)
        lineup = _ask_lineup(ruleset, question)
        first, second, third, start = st.columns([2, 1, 1, 1], vertical_alignment="bottom")
        target = first.text_input(
            "Target",
            question.target,
            key=EFFECT_FORM.widget_key("effect-target"),
            placeholder="player 1 wins 45 to 55",
            help="What a number should be: player 1 wins 45 to 55 (of 100 games), greedy scores 20 to 30, rounds 15 to 20.",
        )
        with second:
            blocks = ask_number(
                "Blocks",
                question,
                "blocks",
                EFFECT_FORM.widget_key("effect-blocks"),
                "All games of a block have the same luck, under all rulesets. The players play every block on all seats in turn.",
            )
        # The field shows the seed that was taken for an empty one, so it is another field then.
        seed_key = EFFECT_FORM.widget_key(f"effect-seed-{question.seed}")
        seed = third.text_input("Seed", str(question.seed), placeholder="any", key=seed_key)
        if not (question.against or words):
            started = start.form_submit_button("Play", type="primary", width="stretch")
        if fault:
            st.error(escape_markdown(fault))
    if not started:
        return
    try:
        changes = {
            "lineup": ",".join(lineup),
            "target": target.strip(),
            "blocks": blocks,
            "seed": parse_seed(seed),
        }
    except InvalidError as error:
        st.error(escape_markdown(str(error)))
        return
    EFFECT_FORM.write_question(question.model_copy(update={**values, **changes}))
    st.rerun()


def _name_word(game: str, key: str, word: str) -> str:
    return find_choice(game, key, word) or word


def _list_word_choices(
    library: Library, ruleset: Ruleset, question: RuleEffectQuestion
) -> dict[str, list[str]]:
    """Return the other words of each option that several rules turn with some of its words only, the one that is tried first."""
    try:
        rules = read_varied_rules(question, ruleset, library.catalogue.rulesets) if question.vary else []
    except InvalidError:
        return {}  # the answer says what is wrong
    turned = {rule.key: rule for rule in rules if len(rules) > 1}
    return {
        option.key: [
            *map(str, turned[option.key].values[1:]),
            *(word for word in option.choices if word not in turned[option.key].values),
        ]
        for option in list_rule_ranges(ruleset)
        if option.key in turned and len(turned[option.key].values) < len(option.choices)
    }


def _ask_values(library: Library, ruleset: Ruleset, question: RuleEffectQuestion) -> dict[str, object]:
    """Ask for the values of the rule of a question; return the field that has them. Several rules stay as they are."""
    if question.against:
        return {}
    try:
        rules = read_varied_rules(question, ruleset, library.catalogue.rulesets)
    except InvalidError:
        return {}  # the answer says what is wrong
    rule = rules[0]
    if len(rules) > 1 or rule.titles:
        return {}
    name, field = capitalise(name_rule(ruleset.game, rule.key)), f"effect-values-{ruleset.name}-{rule.key}"
    choices = next(option.choices for option in list_rule_ranges(ruleset) if option.key == rule.key)
    if choices:
        chosen = st.multiselect(
            name,
            choices,
            [value for value in rule.values if value in choices],
            format_func=partial(_name_word, ruleset.game, rule.key),
            key=EFFECT_FORM.widget_key(field),
            select_all=False,
        )
        return {"vary": (f"{rule.key}={','.join(chosen)}",)} if chosen else {}
    text = str(rule).partition("=")[2].replace("..", " to ")
    text = st.text_input(name, text, key=EFFECT_FORM.widget_key(field), help="Such as 0 to 4, or 2, 4, 8.")
    return {"vary": (f"{rule.key}={text.replace(' to ', '..').replace(' ', '')}",)}


def _ask_lineup(ruleset: Ruleset, question: RuleEffectQuestion) -> list[str]:
    """Ask for the strategy on each seat; a line-up of the address that does not fit the ruleset counts as none."""
    names = built_in_strategies(games.find_game(ruleset.game))
    lineup = question.strategies
    if len(lineup) != ruleset.players:
        lineup = list(suggest_dial_lineup(ruleset))
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


def offer_values(library: Library, ruleset: Ruleset, question: RuleEffectQuestion) -> None:
    """Offer a button for each other value of the only rule of a question that saves it as a ruleset of one's own."""
    try:
        rules = read_varied_rules(question, ruleset, library.catalogue.rulesets)
    except InvalidError:
        return  # the answer says what is wrong
    if len(rules) != 1 or rules[0].titles:
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
                name = (
                    find_choice(ruleset.game, rule.key, value)
                    or f"{name_rule(ruleset.game, rule.key)} {value}"
                )
                label = escape_markdown(name)
                st.button(label, key=f"effect-save-{value}", on_click=save_value, args=(value,))
    name, text = st.session_state.pop(saved_slot, ("", ""))
    if name:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**Saved as {escape_markdown(name)}**: {escape_markdown(text)}.")
            show_link(RulesQuestion(ruleset=name), "Its rules", ":material/menu_book:")
    elif text:
        st.error(escape_markdown(text))
