"""What the page Scores adds to the sheets of its views: bins that lead to games, linked histograms, and lists of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard import cached
from dashboard.scores.question_row import change_question
from dashboard.widgets import focus, tables
from dashboard.widgets.board import read_position
from dashboard.widgets.board_cards import CARDS_IN_A_ROW, BoardCard, show_board_cards
from dashboard.widgets.charts import show_chart
from dashboard.widgets.linked_histograms import Group, Lines, Measure, show_linked_histograms
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.sheet import show_basis, show_part, show_verdict
from pipelines.design.limits import MAX_RANGE_END
from pipelines.experiments.background_work import BackgroundWork
from pipelines.questions.game import game_address
from pipelines.questions.scores import selection
from pipelines.questions.scores.decisions import MAX_LISTED, ListedDecision, LuckyGame, name_chosen
from pipelines.questions.scores.question import MAX_SCORE, MAX_SELECTION_CHARACTERS, ScoresQuestion
from pipelines.questions.scores.selection import SelectionAnswer, list_measure_titles
from pipelines.questions.scores.squares import (
    GLYPHS,
    MAX_GAMES_DRAWN,
    MarkCounts,
    choose_board,
    iter_mark_counts,
    list_logged_runs,
)
from pipelines.report.charts import Histogram, Intervals
from pipelines.report.table import Table
from pipelines.report.wording import format_player
from pipelines.viewer.palette import SeriesLook, seat_looks

if TYPE_CHECKING:
    from pipelines.questions.scores.answer import DistributionsAnswer, PreparedScores
    from pipelines.questions.scores.decisions import DecisionsAnswer
    from pipelines.report.sheet import Part, Sheet
    from pipelines.runs.run import Run

GAMES_KEY: Final = "games-in-range"
"""Key of the container of the list of games."""
SCORE_KEY: Final = "percentiles-of-score"
"""Key of the container of the percentiles of a score."""
LISTED_KEY: Final = "decisions-of-group"
"""Key of the container of the list of decisions."""
_CHART_KEY: Final = "spread"
_END_KEYS: Final = ("from", "to")
"""Keys of the ends of the range in the address and in the session state."""


def show_distributions(sheet: Sheet, answer: DistributionsAnswer) -> None:
    """Show the chart, and the games in a range of it if one is chosen."""
    parts = {part.key: part for part in sheet.list_parts("main", "beside")}
    if "spread" not in parts:
        show_basis(sheet)
        return
    _show_clickable_chart(parts["spread"])
    show_basis(sheet)
    if "results" in parts:
        show_part(parts["results"], answer.scope.strategies)
    if answer.listed is not None:
        with st.container(key=GAMES_KEY):
            st.header("Which games were these?")
            _ask_range(answer.question)
            show_part(parts["games"], answer.scope.strategies)
    focus.show_when_requested(GAMES_KEY)
    if "percentiles" in parts:
        with st.container(key=SCORE_KEY):
            st.header("How good is a score?")
            _ask_score(answer.question)
            show_part(parts["percentiles"], answer.scope.strategies)
    focus.show_when_requested(SCORE_KEY)


def show_rarer_fields(question: ScoresQuestion) -> None:
    """Ask for a range whose games are listed, and for a score whose percentile is shown, as long as the page shows neither."""
    if question.low is None and question.high is None:
        st.subheader("Games by their score", anchor=False)
        _ask_range(question)
    if question.score is None:
        st.subheader("How good is a score?", anchor=False)
        _ask_score(question)


def _show_clickable_chart(part: Part) -> None:
    """Show the distributions. A bin of a histogram can be chosen."""
    chart = part.content
    if not isinstance(chart, Histogram) or chart.shape != "Histogram":
        show_part(part)
        return
    hint = "Choose a bin to list its games."
    show_chart(chart, _CHART_KEY, caption=part.caption, on_click=_take_clicked_bin, hint=hint)


def _take_clicked_bin() -> None:
    """Set the range whose games are listed to the bin that was clicked, and bring the list into view."""
    if values := _read_clicked(_CHART_KEY):
        change_question(low=int(values[0]), high=int(values[1]))
        focus.request_focus(GAMES_KEY)


def _read_clicked(key: str) -> list[Any]:
    """Return the custom data of the point of a chart that was clicked; nothing if the page no longer shows the chart."""
    picked: Any = st.session_state.get(key)
    data = [point.get("customdata") for point in picked["selection"]["points"]] if picked else []
    if not data or not isinstance(data[0], (list, tuple, dict)):
        return []
    return list(data[0].values()) if isinstance(data[0], dict) else list(data[0])


def show_groups(answer: DecisionsAnswer, part: Part) -> None:
    """Show the chart of the groups of decisions. A mark lists the worst decisions of its group below."""

    def take_clicked_group() -> None:
        if clicked := _read_clicked(part.key):
            name, group = clicked
            change_question(only=name_chosen(group, name))
            focus.request_focus(LISTED_KEY)

    noun = "rolls" if answer.question.measure == "luck" else "decisions"
    hint = f"Choose a mark to list its {noun}."
    assert isinstance(part.content, Intervals)  # noqa: S101 - as `list_decision_parts` made it
    show_chart(part.content, part.key, caption=part.caption, on_click=take_clicked_group, hint=hint)


def show_listed(answer: DecisionsAnswer, part: Part) -> None:
    """Show a table of games, decisions or rolls, where a click on a mark leads; the first ones of the first table have their boards."""
    table, question = part.content, answer.question
    assert isinstance(table, Table)  # noqa: S101 - as `list_decision_parts` made it
    games = () if question.only else answer.lucky_games
    with st.container(key=LISTED_KEY if part.key == "listed" else None):
        st.subheader(escape_markdown(part.title), anchor=False)
        if question.only:
            st.button(
                escape_markdown(question.only),
                key="all-groups",
                icon=":material/close:",
                icon_position="right",
                help="Back to all groups",
                on_click=change_question,
                kwargs={"only": ""},
            )
        if part.key == "games" or not games:
            show_board_cards("decisions", list(_list_cards(table, games or answer.listed or ())))
        st.caption(tables.CHOOSE_A_ROW)
        more = len(table.rows) - MAX_LISTED
        is_whole = more <= 0 or st.session_state.get("listed-whole") == question
        opened = table if is_whole else table._replace(rows=table.rows[:MAX_LISTED])
        links = {table.columns[0]: table.links}
        tables.show_table(tables.make_frame(opened), table.title, table.formats, links)
        if not is_whole and st.button(f"Show {more} more", key="more-listed"):
            st.session_state["listed-whole"] = question
            st.rerun()
        st.caption(escape_markdown(part.caption))
    focus.show_when_requested(LISTED_KEY, peeks=True)


def _list_cards(table: Table, listed: Sequence[ListedDecision | LuckyGame]) -> Iterator[BoardCard]:
    """Yield the first rows of a table on the boards of their players: what was played, and the better move as an outline."""
    number = next(name for name in table.columns if name.endswith(("lost", "interval")))
    for at, (texts, item) in enumerate(zip(table.texts[:CARDS_IN_A_ROW], listed, strict=False)):
        row = dict(zip(table.columns, texts, strict=True))
        judged = f"{row['class']}: " if "class" in row else ""
        place = f"game {row['game']}, move {item.ply + 1}"
        better = row.get("better", "")
        yield BoardCard(
            f"decision-{at}",
            f"{judged}**{escape_markdown(row[number])}** {number.removesuffix(', 95 % interval')}",
            read_position(cached.dashboard_library().run(item.run), item.game_id, item.ply, item.seat),
            f"After {place}{f', with the better move {better}' if better else ''}:",
            [
                f"{name}: {row[name]}{' (dashed)' * (name == 'better')}"
                for name in ("helped", "played", "better", "roll", "deciding roll", "wins of 100 by it")
                if row.get(name)
            ],
            [row["player"]] if "player" in row else [],
            place.capitalize(),
            game_address(item.run, item.game_id, item.ply) | {"review": ["1"]},
            item.better_cells if isinstance(item, ListedDecision) else (),
        )


def _ask_range(question: ScoresQuestion) -> None:
    """Ask for the ends of a range."""
    for key, end in zip(_END_KEYS, (question.low, question.high), strict=True):
        st.session_state[key] = end

    def write_typed_range() -> None:
        low, high = (st.session_state[key] for key in _END_KEYS)
        change_question(low=low, high=high)
        focus.request_focus(GAMES_KEY)

    with st.container(horizontal=True):
        for label, key, placeholder in zip(("From", "to"), _END_KEYS, ("lowest", "highest"), strict=True):
            st.number_input(
                label,
                value=None,
                step=1,
                key=key,
                on_change=write_typed_range,
                placeholder=placeholder,
                min_value=-MAX_RANGE_END,
                max_value=MAX_RANGE_END,
                width=170,  # two of them fit beside each other on a phone
            )


def _ask_score(question: ScoresQuestion) -> None:
    """Ask for the score whose percentile is shown."""
    st.session_state["score"] = question.score

    def write_typed_score() -> None:
        change_question(score=st.session_state["score"])
        focus.request_focus(SCORE_KEY)

    st.number_input(
        "A score of",
        value=None,
        step=1,
        key="score",
        on_change=write_typed_score,
        placeholder="any score",
        min_value=-MAX_SCORE,
        max_value=MAX_SCORE,
    )


REPORT_KEY: Final = "selection-report"
_COMPONENT_KEY: Final = "linked-histograms"


def show_linked_view(sheet: Sheet, answer: SelectionAnswer, looks: Mapping[str, SeriesLook]) -> None:
    """Show the linked histograms in place of those of the sheet, then what it says of the selection."""
    if answer.results:
        _ask_sample_size(answer)
        _show_histograms(answer, looks)
        st.caption(
            "Drag across a chart, choose a bin, or move its two handles: all other charts then show the selected results only. "
            "Filled: share of the selected results in each bin; thin line: of all that are drawn. Margin: the distance to the best "
            "other score, positive if ahead."
        )
    with st.container(key=REPORT_KEY):
        if answer.report is not None:
            show_verdict(sheet)
        show_basis(sheet)
        for part in sheet.parts:
            if part.key == "selection":
                show_part(part)
            elif part.key == "results":
                show_part(part, answer.scope.strategies)
    focus.show_when_requested(REPORT_KEY)


def _ask_sample_size(answer: SelectionAnswer) -> None:
    """Offer to draw all results, if there are very many."""
    if answer.results <= selection.MAX_CELLS:
        return
    st.session_state["every"] = answer.question.every == "true"
    st.toggle(
        f"Draw all {answer.results:,} results",
        key="every",
        on_change=lambda: change_question(every="true" if st.session_state["every"] else "false"),
        help=f"Otherwise about {selection.MAX_CELLS:,} are drawn at once: those of the first games of each run, which are "
        "a sample, because every block of games has luck of its own. A comparison always counts all results.",
    )


def _list_groups(answer: SelectionAnswer) -> list[Group]:
    """Return the groups that have more than one member."""
    scope, seats = answer.scope, int(answer.cells.bins[selection.SEAT].max()) + 1
    groups = [
        Group(selection.RULESET, "Ruleset", list(scope.ruleset_names.values())),
        Group(selection.STRATEGY, "Strategy", list(scope.names.values())),
        Group(selection.SEAT, "Player", [format_player(seat) for seat in range(seats)]),
    ]
    return [group for group in groups if len(group.names) > 1]


def _show_histograms(answer: SelectionAnswer, looks: Mapping[str, SeriesLook]) -> None:
    """Show the linked histograms: a line for each ruleset, or for each strategy of a single ruleset."""
    scope, cells = answer.scope, answer.cells
    is_of_rulesets = len(scope.rulesets) > 1
    lines: Lines = {
        "column": selection.RULESET if is_of_rulesets else selection.STRATEGY,
        "names": list((scope.ruleset_names if is_of_rulesets else scope.names).values()),
        "looks": list(seat_looks(len(scope.rulesets)).values())
        if is_of_rulesets
        else [looks[name] for name in scope.strategies],
    }
    titles = list_measure_titles(scope)
    selected = {measure: [low, high] for measure, low, high in answer.selection.ranges}
    selected |= {group: list(members) for group, members in answer.selection.groups}
    show_linked_histograms(
        key=_COMPONENT_KEY,
        measures=[Measure(name, titles[name], edges) for name, edges in cells.edges.items()],
        groups=_list_groups(answer),
        lines=lines,
        columns=cells.bins,
        counts=cells.counts,
        selected=selected,
        on_compare=_write_address_selection,
    )


def _write_address_selection() -> None:
    """Write the selection that the visitor wants to compare into the address, and bring the report into view."""
    selection_text = (st.session_state.get(_COMPONENT_KEY) or {}).get("compare")
    if isinstance(selection_text, str) and len(selection_text) <= MAX_SELECTION_CHARACTERS:
        change_question(select=selection_text)
        focus.request_focus(REPORT_KEY)


def find_marked_run(prepared: PreparedScores) -> Run | None:
    """Return the run whose marks a question asks for; None if it asks for none, or if no plies were logged."""
    question, scope = prepared.question, prepared.scope
    if question.view != "Squares" or question.map not in GLYPHS:
        return None
    return next(iter(list_logged_runs(choose_board(question, scope), scope)), None)


@st.cache_resource(max_entries=8, show_spinner=False)
def shared_position_work(path: str, changed: int) -> BackgroundWork[MarkCounts]:
    """Return the work that counts the marks on the boards of a run. All visitors share it."""
    del changed  # part of the cache key

    def iter_samples(stopped: Callable[[], bool]) -> Iterator[MarkCounts]:
        return iter_mark_counts(Path(path), MAX_GAMES_DRAWN, stopped)

    return BackgroundWork(iter_samples, ends_when_idle=False)
