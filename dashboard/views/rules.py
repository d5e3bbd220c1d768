"""The page Rules: the rules of each game, rulesets side by side, the effect of a rule, cards, and a form for new rulesets.

The address says what is open: `?ruleset=…&part=…`, and the settings of that part (`with`, `against`, `draft` and so on).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.rules import effect_form, ruleset_editor
from dashboard.rules.rulebook import (
    clauses_table,
    leave_out_numbers,
    read_how_to_play,
    write_how_to_play_html,
)
from dashboard.view_names import PAGE_PARTS
from dashboard.widgets.address import (
    declare_shown_question,
    is_in_address,
    name_tab,
    read_page_question,
    read_query,
    show_address_problems,
    show_link,
    write_address_defaults,
    write_page_question,
)
from dashboard.widgets.components import show_printed_components
from dashboard.widgets.forms import SubmittedForm, ask_number
from dashboard.widgets.game_choice import ask_kind_of_game
from dashboard.widgets.growing_answer import show_growing_answer
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.sheet import offer_sheet, show_part, show_parts, show_sheet
from engine import games
from engine.strategies import built_in_strategies
from pipelines.design.titles import format_ruleset_for, list_ruleset_choices, name_rulesets
from pipelines.experiments.fork import choose_quick_strategy
from pipelines.questions.card import DEFAULT_STYLE, MAX_STYLES, CardQuestion, iter_card_answers
from pipelines.questions.every_question import read_question
from pipelines.questions.game import GameQuestion
from pipelines.questions.hand_game import HandGameQuestion
from pipelines.questions.openings import OpeningsQuestion, iter_openings_answers, list_opening_kinds
from pipelines.questions.rules import (
    MAX_BESIDE,
    RulesetQuestion,
    RulesPart,
    RulesQuestion,
    answer_rules,
    list_others,
)
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.scores.scope import list_reconstructed_tables
from pipelines.records.atlas import find_atlas_card
from pipelines.report import wording
from pipelines.report.ruleset_words import find_clauses
from pipelines.report.yardsticks import describe_robustness

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.report.sheet import Part, Sheet

library = cached.dashboard_library()
catalogue = library.catalogue
rulesets = catalogue.rulesets


def read_ruleset_and_part() -> tuple[str, RulesPart]:
    """Return the ruleset and the part in the address.

    Without a valid ruleset in the address, it is a ruleset of the newest run, or the first of all.
    """
    question, problems = read_question(RulesQuestion.page, read_query())
    if not isinstance(question, RulesetQuestion):
        raise TypeError("Every question of this page is about a ruleset.")
    if not isinstance(question, RulesQuestion):
        problems = ()  # the form of its part says what is wrong
    name = question.ruleset
    if name not in rulesets:
        if name:
            problems = (*problems, f"There is no ruleset named {name}. Showing another one.")
        newest = [ruleset.name for run in cached.all_runs()[:1] for ruleset in run.summary.rulesets]
        name = next((played for played in newest if played in rulesets), next(iter(rulesets)))
    elif isinstance(
        question, RulesQuestion
    ):  # the sheet of rulesets side by side is asked for those that exist
        problems = (*problems, *question.find_problems(rulesets[name], rulesets))
    show_address_problems(problems)
    return name, question.part


def ask_ruleset_and_part(name: str, part: RulesPart) -> None:
    """Show the choice of the game, of its ruleset, and of the part of this page."""

    def open_ruleset(chosen: str, part: RulesPart = part) -> None:
        write_page_question(RulesQuestion(ruleset=chosen, part=part))

    ruleset = rulesets[name]
    st.session_state["rules-game"], st.session_state["rules-part"] = ruleset.game, part
    st.session_state["rules-ruleset"] = name
    game_column, ruleset_column = st.columns([3, 2], vertical_alignment="bottom")
    with game_column:
        ask_kind_of_game(
            (other.game for other in rulesets.values()),
            "rules-game",
            lambda: open_ruleset(first_ruleset_name(st.session_state["rules-game"])),
        )
    ruleset_column.selectbox(
        "Ruleset",
        [other.name for other in rulesets.values() if other.game == ruleset.game],
        key="rules-ruleset",
        format_func=list_ruleset_choices(rulesets).__getitem__,
        label_visibility="collapsed",
        on_change=lambda: open_ruleset(st.session_state["rules-ruleset"]),
    )
    st.segmented_control(
        "Part",
        list(PAGE_PARTS),
        format_func=PAGE_PARTS.__getitem__,
        key="rules-part",
        required=True,
        label_visibility="collapsed",
        on_change=lambda: open_ruleset(name, st.session_state["rules-part"]),
    )


def first_ruleset_name(game: str) -> str:
    """Return the name of the first ruleset of a game."""
    return next(name for name, ruleset in rulesets.items() if ruleset.game == game)


def show_rules(ruleset: Ruleset) -> None:
    """Show how to play, the board and the dice, the options, the provenance of the tables, and the clauses."""
    name_tab(format_ruleset_for(ruleset))
    clauses = find_clauses(ruleset.game)
    if clauses.short:
        st.markdown(escape_markdown(clauses.short))
        st.caption(escape_markdown(clauses.heading))
    show_ways_on(ruleset)
    how_to_play = read_how_to_play(ruleset)
    text, pictures = st.columns(2, gap="large") if how_to_play else (None, st.container())
    is_numbered = True
    if text:
        with text:
            st.header("How to play")
            is_numbered = st.toggle("The exact rules by number", key="rules-numbers")
            st.html(write_how_to_play_html(how_to_play, has_numbers=is_numbered))
    with pictures:
        show_printed_material(ruleset)
    sheet = make_rules_sheet(RulesQuestion(ruleset=ruleset.name))
    show_parts(sheet.parts if is_numbered else map(leave_out_numbers, sheet.parts), (), {})
    offer_sheet(sheet)
    if clauses.clauses and is_numbered:
        st.header("The exact rules by number")
        st.caption(
            "In our own words. book: stated in the rulebook. ruling: our decision where the rulebook is silent or "
            "ambiguous. table: not printed in the rulebook text; our reconstruction. A seat is a player; these rules count "
            "seats, turns and rounds from 0, as files do."
        )
        st.html(clauses_table(clauses.clauses))


def make_rules_sheet(question: RulesQuestion) -> Sheet:
    """Return the sheet of a ruleset, alone or beside others."""
    return cached.compose_sheet(answer_rules(question, cached.question_source()))


def show_printed_material(ruleset: Ruleset) -> None:
    """Show the board and the dice, and which of their tables are reconstructed."""
    st.header("Board and dice" if games.find_game(ruleset.game).dice(ruleset) else "Board and shapes")
    show_printed_components(*cached.printed_components(ruleset), key=f"printed-{ruleset.sha256}")
    reconstructed = list_reconstructed_tables(ruleset)
    if reconstructed:
        st.caption(
            f"Not printed in the rulebook text; our reconstruction: {', '.join(reconstructed)}. "
            f"{describe_robustness(ruleset.sha256)} If you own the game, you can make your own ruleset with the real tables."
        )


def show_ways_on(ruleset: Ruleset) -> None:
    """Show links that lead from the rules of a ruleset to a game of one's own, to logged games and to their scores."""
    runs = [
        run
        for run in cached.all_runs()
        if any(played.sha256 == ruleset.sha256 for played in run.summary.rulesets)
    ]
    logged = next((run for run in runs if run.summary.log != "scores" and run.summary.is_sample), None)
    with st.container(horizontal=True, vertical_alignment="center", key="rules-ways"):
        show_link(HandGameQuestion(ruleset=ruleset.name), "Play it", ":material/stadia_controller:")
        if logged:
            show_link(GameQuestion(run=logged.name), "Watch a game", ":material/play_circle:")
        if runs:
            show_link(ScoresQuestion(rulesets=(ruleset.name,)), "Scores", ":material/bar_chart:")
            total = sum(run.summary.games for run in runs)
            st.caption(
                f"{wording.format_count(total, 'game')} in {wording.format_count(len(runs), 'run')} by these rules."
            )
        else:
            st.page_link("views/library.py", label="Simulate some games", icon=":material/casino:")
            st.caption("You have no games yet with this ruleset.")


def show_side_by_side(ruleset: Ruleset) -> None:
    """Ask which rulesets of its game stand beside a ruleset, and show them.

    Without a choice in the address, the others are the rulesets for the same number of players.
    """
    others = list_others(ruleset, rulesets)
    default = RulesQuestion(ruleset=ruleset.name, part="side-by-side")
    names = (
        [name for name in read_page_question(RulesQuestion)[0].beside if name in others]
        if is_in_address(RulesQuestion, "beside")  # without a value if nobody is beside
        else [other.name for other in answer_rules(default, cached.question_source()).beside]
    )
    st.session_state["rules-with"] = names[:MAX_BESIDE]
    chosen = st.multiselect(
        f"Compare {ruleset.title} with",
        list(others),
        key="rules-with",
        max_selections=MAX_BESIDE,
        format_func=list_ruleset_choices(rulesets).__getitem__,
        on_change=lambda: write_page_question(
            RulesQuestion(
                ruleset=ruleset.name,
                part="side-by-side",
                beside=tuple(st.session_state["rules-with"]) or ("",),
            )
        ),
        select_all=False,
    )
    columns = [ruleset, *(rulesets[name] for name in chosen)]

    def show_differences(part: Part) -> None:
        show_part(part)
        show_differing_material(columns)

    question = RulesQuestion(ruleset=ruleset.name, part="side-by-side", beside=tuple(chosen) or ("",))
    show_sheet(make_rules_sheet(question), draw={"differences": show_differences})


def show_differing_material(columns: list[Ruleset]) -> None:
    """Draw each of the different boards once, and the dice of those that differ; nothing if all boards and dice are alike."""
    different: dict[str, list[Ruleset]] = {}
    for ruleset in columns:
        scene, dice = cached.printed_components(ruleset)
        different.setdefault(str((scene["boards"][0] | {"name": ""}, dice)), []).append(ruleset)
    if len(different) < 2:
        return
    all_dice = [cached.printed_components(alike[0])[1] for alike in different.values()]
    for column, alike in zip(st.columns(4) * len(different), different.values(), strict=False):
        with column:
            st.subheader(escape_markdown(wording.name_some(name_rulesets(alike))))
            scene, dice = cached.printed_components(alike[0])
            has_own_dice = any(dice != other for other in all_dice)
            show_printed_components(
                {**scene, "trays": []}, dice if has_own_dice else (), key=f"beside-{alike[0].sha256}"
            )


CARD_FORM: Final = SubmittedForm("card-fields", ("strategy", "blocks", "seed"))


def ask_card(ruleset: Ruleset) -> None:
    """Show the form, and the answer to the question in the address; if it asks nothing, the card that comes with Reroll."""
    st.markdown("Is the game fair to all seats, how long is it, when is it decided, does skill pay?")
    address_question, is_readable = CARD_FORM.read_question(CardQuestion)
    settings = f"Players: {', '.join(address_question.styles)} · {wording.format_count(address_question.blocks, 'block')}"
    with st.expander(escape_markdown(settings)), st.form("card", border=False):
        _ask_card_fields(ruleset, address_question)
    if address_question.strategy and is_readable and address_question.ruleset in {"", ruleset.name}:
        question = address_question.model_copy(update={"ruleset": ruleset.name})
        show_growing_answer(
            "rules-card-work",
            question,
            ruleset.sha256,
            lambda stopped: iter_card_answers(question, ruleset, stopped=stopped),
        )
    elif not address_question.strategy and find_atlas_card(ruleset.sha256):
        show_sheet(make_rules_sheet(RulesQuestion(ruleset=ruleset.name, part="card")))


def _ask_card_fields(ruleset: Ruleset, question: CardQuestion) -> None:
    """Show the fields, filled from the address; write the question into the address when it is submitted."""
    first, second = st.columns([3, 1])
    names = built_in_strategies(games.find_game(ruleset.game))
    styles = first.multiselect(
        "Playing styles",
        list(dict.fromkeys([*names, *question.styles])),
        question.styles[:MAX_STYLES],
        max_selections=MAX_STYLES,
        accept_new_options=True,
        key=CARD_FORM.widget_key(f"card-styles-{ruleset.game}"),
        help="The strategy in every seat, with parameters if you want: noisy:sigma=3. Several stand side by side.",
    )
    with second:
        blocks = ask_number(
            "Blocks",
            question,
            "blocks",
            CARD_FORM.widget_key("card-blocks"),
            "A block plays one game of each style, and each pair of the ladder in all seats.",
        )
    if st.form_submit_button("Make the card", type="primary"):
        changes = {"ruleset": ruleset.name, "strategy": ",".join(styles) or DEFAULT_STYLE, "blocks": blocks}
        CARD_FORM.write_question(question.model_copy(update=changes))
        st.rerun()


OPENINGS_FORM: Final = SubmittedForm("openings-fields", ("first", "strategies", "blocks", "seed"))


def ask_openings(ruleset: Ruleset) -> None:
    """Show what is compared, the form, and the answer to the question in the address, or to the one people ask first."""
    kinds = list_opening_kinds(ruleset)
    if not kinds:
        st.info(
            "The first moves of this game depend on the first roll, and it has no pieces, so none can be compared."
        )
        return
    question, is_readable = OPENINGS_FORM.read_question(OpeningsQuestion)
    if question.ruleset not in {"", ruleset.name} or not question.first:
        question = OpeningsQuestion(ruleset=ruleset.name, first=kinds[0])
        declare_shown_question(question)
    question = question.model_copy(update={"ruleset": ruleset.name})
    st.markdown(
        f"Every first {' and every first '.join(kinds)} is played by the same players with the same luck."
    )
    key = f"openings-first-{ruleset.name}"
    st.session_state[key] = question.first if question.first in kinds else None
    if len(kinds) > 1:
        st.segmented_control(
            "Compare",
            kinds,
            format_func=lambda kind: f"first {kind}s",
            required=True,
            key=key,
            label_visibility="collapsed",
            on_change=lambda: write_page_question(
                question.model_copy(update={"first": st.session_state[key]})
            ),
        )
    players = question.lineup or choose_quick_strategy(ruleset)
    settings = f"Players: {players} · {wording.format_count(question.blocks, 'block')} · seed {question.seed}"
    with st.expander(escape_markdown(settings)), st.form("openings", border=False):
        _ask_opening_fields(ruleset, question)
    if is_readable:
        show_growing_answer(
            "rules-openings-work",
            question,
            ruleset.sha256,
            lambda stopped: iter_openings_answers(question, ruleset, stopped=stopped),
            rows=(("openings", "best"), ("values", "map")),
        )


def _ask_opening_fields(ruleset: Ruleset, question: OpeningsQuestion) -> None:
    """Show the fields, filled from the address; write the question into the address when it is submitted."""
    first, second = st.columns([3, 1], vertical_alignment="bottom")
    names = list(built_in_strategies(games.find_game(ruleset.game)))
    chosen = question.lineup or choose_quick_strategy(ruleset)
    offered = list(dict.fromkeys([*names, chosen]))
    lineup = first.selectbox(
        "Who plays on",
        offered,
        index=offered.index(chosen),
        accept_new_options=True,
        key=OPENINGS_FORM.widget_key(f"openings-lineup-{ruleset.game}"),
        help="The strategy in every seat, with parameters if you want: noisy:sigma=3; or one for each seat, separated by commas.",
    )
    with second:
        blocks = ask_number(
            "Blocks",
            question,
            "blocks",
            OPENINGS_FORM.widget_key("openings-blocks"),
            "All first moves that are left play as many blocks of luck.",
        )
    if st.form_submit_button("Play", type="primary"):
        OPENINGS_FORM.write_question(question.model_copy(update={"lineup": lineup or "", "blocks": blocks}))
        st.rerun()


st.title("Rules")
for error in catalogue.file_errors.values():
    st.warning(escape_markdown(str(error)))
name, part = read_ruleset_and_part()
ask_ruleset_and_part(name, part)
if part == "rules":
    show_rules(rulesets[name])
elif part == "side-by-side":
    show_side_by_side(rulesets[name])
elif part == "effect":
    effect_form.ask_rules_effect(library, rulesets[name])
elif part == "card":
    ask_card(rulesets[name])
elif part == "openings":
    ask_openings(rulesets[name])
else:
    ruleset_editor.show_ruleset_editor(library, name)
write_address_defaults("rules", {"ruleset": [name]})
