"""Which comparison the page Strategies shows: one of those that exist, or a new one, whose form tells how long it will take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.cached import has_verdict
from dashboard.widgets import address
from dashboard.widgets.background_work import refresh_until
from dashboard.widgets.forms import LiveForm, ask_number
from dashboard.widgets.game_choice import ask_kind_of_game
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.sheet import show_passage
from engine import games
from engine.errors import GameError
from engine.strategies import built_in_strategies
from engine.wording import capitalise
from pipelines.design.metrics import METRICS
from pipelines.design.short_names import base_name, shorten_names
from pipelines.experiments.background_work import find_or_start_work
from pipelines.experiments.comparison import START_SECONDS, GamePace, measure_pace
from pipelines.questions.address import write_address
from pipelines.questions.comparison import (
    MAX_STRATEGIES,
    KnownComparisonQuestion,
    NewComparisonQuestion,
    comparable_rulesets,
    has_different_strategies,
    resolve_new_comparison,
)
from pipelines.records.strategies import split_by_speed
from pipelines.report import wording
from pipelines.report.characters import describe_strategies, list_introductions
from pipelines.report.sheet import Passage
from pipelines.runs.library import Library, Run, UnfinishedRun
from pipelines.runs.names import is_file_name
from pipelines.service import jobs

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.design.design import Design
    from pipelines.design.designs import ComparisonDesign

WIDGET_KEYS: Final = {
    "ruleset": "ask-ruleset",
    "metric": "ask-metric",
    "blocks": "ask-blocks",
    "until_decided": "ask-until",
    "seed": "ask-seed",
}
"""The keys of the widgets by the fields of the question."""


def is_form_asked() -> bool:
    """Return whether the address holds a field of the form."""
    return any(field in st.query_params for field in NewComparisonQuestion.form_fields)


def open_form(library: Library, ruleset: str) -> None:
    """Open the form by writing its defaults for a ruleset into the address."""
    question, _ = _resolve_question(NewComparisonQuestion(ruleset=ruleset), library.catalogue.rulesets)
    address.write_page_question(question)


def ask_new_comparison(library: Library) -> Ruleset:
    """Show the form; start the comparison in the background when the visitor presses Compare. Return its ruleset."""
    rulesets = comparable_rulesets(library.catalogue.rulesets)
    question, _ = _read_address(rulesets)
    form_question = COMPARISON_FORM.follow_address(question, rulesets)
    message_place = st.container()
    ruleset = COMPARISON_FORM.ask_ruleset(rulesets, form_question)
    _ask_strategies(ruleset, form_question)
    _ask_settings(question, form_question)
    read_back = COMPARISON_FORM.write_address(question, rulesets)
    address.write_address_defaults("strategies", write_address(read_back))
    with message_place:  # a change of a field has corrected the address by now
        address.show_address_problems(_read_address(rulesets)[1])
    characters = describe_strategies(ruleset, read_back.strategies)
    if characters:
        show_passage(Passage("", list_introductions(characters)))
    try:
        design = read_back.design(ruleset)
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


def _resolve_question(
    question: NewComparisonQuestion, rulesets: Mapping[str, Ruleset]
) -> tuple[NewComparisonQuestion, tuple[str, ...]]:
    return resolve_new_comparison(question, rulesets, _offered_strategies)


def _read_address(rulesets: Mapping[str, Ruleset]) -> tuple[NewComparisonQuestion, tuple[str, ...]]:
    """Return the question of the address, and a sentence on each of its values that does not fit."""
    address_question, unread = address.read_page_question(NewComparisonQuestion)
    question, problems = _resolve_question(address_question, rulesets)
    return question, (*unread, *problems)


def _offered_strategies(ruleset: Ruleset) -> list[str]:
    """Return the strategies of a game. The first two are the default: the strongest quick one, and greedy."""
    quick, _ = split_by_speed(ruleset)
    known = built_in_strategies(games.find_game(ruleset.game))
    return list(dict.fromkeys([*map(base_name, quick[-1:]), "greedy", *known]))


def _lineup_key(ruleset: Ruleset) -> str:
    """Return the key of the field of the strategies, which is another one for each game."""
    return f"ask-strategies-{ruleset.game}"


def _read_lineup(ruleset: Ruleset) -> tuple[str, ...]:
    return tuple(st.session_state.get(_lineup_key(ruleset), _offered_strategies(ruleset)[:2]))


def _fill_lineup(ruleset: Ruleset, lineup: tuple[str, ...]) -> None:
    st.session_state[_lineup_key(ruleset)] = list(lineup)


COMPARISON_FORM: Final = LiveForm[NewComparisonQuestion](
    "strategies-form-address", NewComparisonQuestion.form_fields, WIDGET_KEYS, _read_lineup, _fill_lineup
)


def _ask_settings(question: NewComparisonQuestion, form_question: NewComparisonQuestion | None) -> None:
    """Ask what is compared, over how many blocks and on which luck, in a drawer: its defaults suit most questions.

    The drawer is open if the address asks for something else. `form_question` is that of `_ask_strategies`.
    """
    shown_question = form_question or NewComparisonQuestion()
    is_changed = bool(question.model_dump(include=WIDGET_KEYS.keys() - {"ruleset"}, exclude_defaults=True))
    with st.expander("Measure, number of blocks and seed", expanded=is_changed):
        st.selectbox(
            "Compare",
            list(METRICS),
            index=list(METRICS).index(shown_question.metric),
            format_func=lambda name: METRICS[name].title,
            key=WIDGET_KEYS["metric"],
        )
        many, luck = st.columns([3, 2])
        with many:
            ask_number(
                "Blocks",
                form_question or NewComparisonQuestion,
                "blocks",
                WIDGET_KEYS["blocks"],
                "All games of a block have the same luck. The strategies play every block in every seating.",
            )
        luck.text_input("Seed", shown_question.seed, key=WIDGET_KEYS["seed"], placeholder="any")
        st.checkbox(
            "Stop as soon as the answer is certain",
            shown_question.until_decided,
            key=WIDGET_KEYS["until_decided"],
            help="Blocks is then the maximum. The stopping rule gives a wrong answer in at most 5 of 100 comparisons, "
            "unless rare large differences that the blocks played do not show outweigh the others.",
        )


def _ask_strategies(ruleset: Ruleset, form_question: NewComparisonQuestion | None) -> None:
    """Ask for the line-up. `form_question` is that of `LiveForm.ask_ruleset`."""
    known, key = _offered_strategies(ruleset), _lineup_key(ruleset)
    is_held = form_question is not None and key in st.session_state
    st.session_state.setdefault(key, known[:2])
    st.multiselect(
        "Strategies",
        dict.fromkeys([*known, *st.session_state[key]]) if is_held else known,
        default=st.session_state[key] if is_held else None,
        key=key,
        max_selections=MAX_STRATEGIES,
        accept_new_options=True,
        help="Choose two or more. Write parameters after the name: noisy:sigma=3.",
        select_all=False,
    )


def _start_comparison(library: Library, design: ComparisonDesign) -> None:
    """Start a comparison and open its page."""
    job = jobs.start_comparison(library, design)
    started_designs()[job.name] = design
    address.write_page_question(KnownComparisonQuestion(run=job.name))
    st.rerun()


WORK_SLOT: Final = "strategies-estimate"
FEW_SECONDS: Final = 5
"""Below this the start takes most of the time, which differs from machine to machine."""


def show_estimate(design: Design) -> None:
    """Show how many games the comparison has and how long they will take, as soon as this is measured."""
    # How long a game takes does not depend on the seed and the number of blocks that the visitor types.
    measured = design.model_copy(update={"seed": 0, "blocks": 1_000_000})

    work = find_or_start_work(
        st.session_state, WORK_SLOT, _question_key(design), partial(measure_pace, measured)
    )
    work.wait(0.2)

    def show_latest() -> None:
        work.keep_alive()
        st.caption(write_estimate(design, work.latest))

    refresh_until(lambda: work.is_over, show_latest, was_over=work.is_over)


def stop_estimate() -> None:
    """Stop measuring: the comparison itself needs the processors."""
    entry = st.session_state.get(WORK_SLOT)
    if entry:
        entry[1].stop()


def latest_pace(design: Design) -> GamePace | None:
    """Return what this visitor's form measured for a design, or None."""
    entry = st.session_state.get(WORK_SLOT)
    return entry[1].latest if entry and entry[0] == _question_key(design) else None


def _question_key(design: Design) -> tuple[object, ...]:
    return design.rules.sha256, design.lineup, design.seatings, design.opening


def write_estimate(design: Design, pace: GamePace | None) -> str:
    """Return the number of games and, if a few were measured, about how long they take."""
    limit = "at most " if design.is_played_until_decided else ""
    games = f"{limit}{wording.format_count(design.games, 'game')}"
    start = capitalise(games)
    if pace is None:
        return f"{start}; measuring how long they take …"
    seconds = START_SECONDS + pace.estimate_seconds(design.games)
    about = f"about {wording.format_duration(seconds)}" if seconds >= FEW_SECONDS else "a few seconds"
    return f"{start}, {limit}{about} on this machine (an estimate from {wording.format_count(pace.games, 'game')})"


RUN_WIDGET_KEY: Final = "strategies-run"
KIND_WIDGET_KEY: Final = "strategies-game"
"""The widget keys of the choice of a comparison and of its game."""
NEW_COMPARISON: Final = "/new"
"""A choice beside the names of runs, which contain no slash."""


def comparable_runs(library: Library) -> dict[str, Run | UnfinishedRun]:
    """Return the runs that can be compared, by name: comparisons, and simulations with different strategies on all seats."""
    finished = {run.name: run for run in cached.all_runs() if has_different_strategies(run.summary)}
    unfinished = {run.name: run for run in library.unfinished_runs() if _is_comparison(run)}
    return {**unfinished, **finished}


def _is_comparison(partial: UnfinishedRun) -> bool:
    try:
        return partial.design.is_comparison
    except GameError:  # the page Library shows what is wrong with it
        return False


def started_designs() -> dict[str, ComparisonDesign]:
    """Return the designs of the comparisons that this visitor started, by run; they exist before any file does."""
    designs: dict[str, ComparisonDesign] = st.session_state.setdefault("strategies-started", {})
    return designs


def read_asked_comparison(library: Library, comparisons: dict[str, Run | UnfinishedRun]) -> str | None:
    """Return the name of the comparison that the address asks for, or None; say so if it does not exist."""
    run_name = address.read_page_question(KnownComparisonQuestion)[0].run
    if not run_name or run_name in {*comparisons, *started_designs()}:
        return run_name or None
    state = jobs.Job(library, run_name).state if is_file_name(run_name) else "failed"
    if state == "failed":
        st.error(escape_markdown(f"There is no comparison {run_name}. It may have been renamed or deleted."))
        return None
    if state == "finished" and not has_different_strategies(library.run(run_name).summary):
        st.error(
            escape_markdown(
                f"The run {run_name} compares nothing: only comparisons do, and simulations with another strategy for every player."
            )
        )
        return None
    return run_name


def ask_which_comparison(
    comparisons: dict[str, Run | UnfinishedRun], shown_name: str | None, open_form: Callable[[], None]
) -> None:
    """Ask for a game, and which of its comparisons to show, beside a button for a new one. A choice changes the address, which determines the page.

    `shown_name` is the name of a comparison, `NEW_COMPARISON`, or None for none; `open_form` opens the form of a new one. Only the comparisons
    of the game of the shown one are offered.
    """
    kinds = {name: find_kind(name, run) for name, run in comparisons.items()}
    if shown_name and shown_name != NEW_COMPARISON:
        kinds = {shown_name: find_kind(shown_name, comparisons.get(shown_name)), **kinds}
    if not kinds:
        return
    kind = kinds.get(shown_name or "")
    names = [name for name in kinds if kind in {kinds[name], None}]
    run_titles = {name: f"{_comparison_title(name, comparisons.get(name))} · {name}" for name in names}
    titles = {NEW_COMPARISON: "A new comparison", **run_titles}

    def open_chosen(name: str) -> None:
        if name == NEW_COMPARISON:
            open_form()
        else:
            address.write_page_question(KnownComparisonQuestion(run=name))

    def open_kind() -> None:
        chosen = st.session_state[KIND_WIDGET_KEY]
        of_kind = {name: run for name, run in comparisons.items() if kinds[name] == chosen}
        largest = largest_comparison(of_kind)
        open_chosen(largest.name if largest else next(iter(of_kind)))

    st.session_state[RUN_WIDGET_KEY], st.session_state[KIND_WIDGET_KEY] = shown_name, kind
    with st.container(key="which-comparison", horizontal=True, vertical_alignment="bottom"):
        ask_kind_of_game(
            filter(None, kinds.values()), KIND_WIDGET_KEY, open_kind, is_required=kind is not None
        )
        st.selectbox(
            f"One of {len(names)} comparisons" if len(names) > 1 else "Comparison",
            list(titles),
            index=None if shown_name is None else 0,
            placeholder="Choose one",
            key=RUN_WIDGET_KEY,
            format_func=titles.__getitem__,
            on_change=lambda: open_chosen(st.session_state[RUN_WIDGET_KEY]),
        )
        if shown_name != NEW_COMPARISON:
            st.button("Compare others", type="primary", key="strategies-new", on_click=open_form)


def largest_comparison(comparisons: dict[str, Run | UnfinishedRun], sha256: str | None = None) -> Run | None:
    """Return the finished comparison to show first: the one with the most games, or None.

    Of several with as many games it is the first in the order of all lists, whatever was played last.

    `sha256` keeps the comparisons under these rules. Simulations come last, and runs that are too small for a verdict, or too
    large to be compared at once, are left out.
    """
    runs = [
        run
        for run in comparisons.values()
        if isinstance(run, Run) and (sha256 is None or run.summary.rulesets[0].sha256 == sha256)
    ]
    runs.sort(key=_rank_comparison)
    return next((run for run in runs if has_verdict(run)), None)


def _rank_comparison(run: Run) -> tuple[bool, int, str, str]:
    played = run.summary.rulesets[0]
    return not run.summary.is_comparison, -run.summary.games, games.list_order(played.game), played.title


def _find_design(name: str, run: UnfinishedRun | None) -> Design | None:
    """Return the design of a comparison that is played, even before its files exist."""
    return run.design if run else started_designs().get(name)


def find_kind(name: str, run: Run | UnfinishedRun | None) -> str | None:
    """Return the game of a comparison."""
    if isinstance(run, Run):
        return run.summary.rulesets[0].game
    design = _find_design(name, run)
    return design.rules.game if design else None


def _comparison_title(name: str, run: Run | UnfinishedRun | None) -> str:
    """Return the title of a comparison."""
    if isinstance(run, Run):
        return wording.format_run_title(run.summary)
    design = _find_design(name, run)
    return shorten_names(design.title, design.labels) if design else "comparison"
