"""The parts of the page What if: the same change in many games, and saved answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.widgets.address import (
    choose_default_run,
    show_address_problems,
    show_link,
    write_page_question,
)
from dashboard.widgets.forms import SubmittedForm, ask_number
from dashboard.widgets.growing_answer import show_growing_answer
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.sheet import show_sheet
from engine import games
from engine.errors import GameError
from engine.strategies import built_in_strategies, read_player
from engine.wording import capitalise
from pipelines.design.openings import has_chance
from pipelines.design.short_names import base_name
from pipelines.design.titles import tell_choice
from pipelines.experiments.fork import parse_option, ruleset_with_options
from pipelines.experiments.many_games import foresee_forks, name_games, parse_games, parse_place
from pipelines.panel import is_slow_strategy
from pipelines.questions.address import list_keys, write_path
from pipelines.questions.game import GameQuestion
from pipelines.questions.rule_effect import SKILLED_STRATEGIES
from pipelines.questions.whatif import (
    ManyGamesQuestion,
    SavedWhatifQuestion,
    answer_saved_whatif,
    iter_many_games_answers,
    resolve_many_games,
)
from pipelines.report import wording
from pipelines.report.estimates import set_sentence
from pipelines.report.many_games import announce_forks, name_place
from pipelines.report.ruleset_words import title_setting

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.library import Run

MAX_SAVED_ANSWERS: Final = 12
GAME_CHOICES: Final = {
    "all": "all games",
    "lost": "games that a player lost",
    "won": "games that a player won",
}
FORK_PLACES: Final = {
    "last-roll": "just before the last roll",
    "round": "before a round",
    "ply": "before a move",
}
CHANGE_KINDS: Final = ("Player", "Rule", "Luck")
FIRST_QUESTION: Final = ManyGamesQuestion(games="all", where="round:5")
"""What the form asks at first: so early in a game, a change has time to matter."""
MANY_GAMES_FORM: Final = SubmittedForm("whatif-fields", list_keys(ManyGamesQuestion))


def show_many_games(
    question: ManyGamesQuestion, runs: Mapping[str, Run], problems: Sequence[str]
) -> Callable[[], None] | None:
    """Show the form for many games, its button first; return what shows the answer once the visitor has asked, by link or button."""
    MANY_GAMES_FORM.follow_address()
    run = runs[question.run]
    question, impossible = resolve_many_games(question, run)
    with st.container(border=True):
        head = st.container(key="whatif-head")
        show_address_problems([*problems, *impossible])
        _ask_run(runs, run)
        try:
            form_question = _ask_many_games(question, run)
        except GameError as error:
            st.error(escape_markdown(str(error)))
            return None
    with head:
        change = form_question.change.describe(form_question.find_ruleset(run))
        games = name_games(form_question.games)
        place = name_place(form_question.where)
        match = form_question.name_games(run)
        sentence = f"{match}: in {games}, what if {change} from {place} on?"
        st.markdown(f"**{escape_markdown(sentence)}**")
        is_pressed = st.button("Play it both ways", type="primary", key="whatif-ask")
        _announce(run, form_question)
    is_linked = question.has_change and form_question == question and not problems and not impossible
    if is_pressed and not is_linked:
        MANY_GAMES_FORM.write_question(form_question)
    if not (is_linked or is_pressed):
        return None

    def show_answer() -> None:
        with st.container(key="whatif-answer"):
            _show_answer(run, form_question)

    return show_answer


def _announce(run: Run, question: ManyGamesQuestion) -> None:
    """Say before the games are played on which of them are left out, and whether the change comes late."""
    try:
        foreseen = foresee_forks(
            run, question.games or "all", question.where, question.limit, question.change
        )
    except GameError:
        return  # the answer says what is wrong
    for sentence in announce_forks(foreseen):
        st.caption(escape_markdown(sentence))


def _ask_run(runs: Mapping[str, Run], run: Run) -> None:
    """Ask whose games are changed, and open the form for them."""
    titles = {name: f"{wording.format_run_title(other.summary)} · {name}" for name, other in runs.items()}
    st.session_state["whatif-run"] = run.name
    st.selectbox(
        "Games of",
        list(runs),
        format_func=titles.__getitem__,
        key="whatif-run",
        on_change=lambda: write_page_question(
            FIRST_QUESTION.model_copy(update={"run": st.session_state["whatif-run"]})
        ),
    )


def show_saved_answers(runs: Iterable[Run]) -> None:
    """List the runs of continuations, the newest first: what was asked, as a link to the answer, and its sentence."""
    saved = [run for run in runs if run.summary.is_whatif]
    if not saved:
        return
    rows = []
    for run in saved[:MAX_SAVED_ANSWERS]:
        path = write_path(SavedWhatifQuestion(run=run.name)).removeprefix("/")
        sentence = cached.write_run_verdict(run)
        about = f"<br>{escape(set_sentence(sentence))}" if sentence else ""
        title = wording.format_run_title(run.summary)
        rows.append(f'<li><a href="{escape(path)}" target="_self">{escape(title)}</a>{about}</li>')
    st.markdown("## Saved answers")
    with st.container(key="whatif-saved"):
        st.html(f"<ul>{''.join(rows)}</ul>")
    if len(saved) > MAX_SAVED_ANSWERS:
        st.page_link("views/runs.py", label=f"All {len(saved):,} are among all runs")


def show_saved_answer(run: Run) -> bool:
    """Show the sheet of the answer that a run of continuations holds; return False if the forked game is gone."""
    try:
        answer = answer_saved_whatif(run, cached.question_source())
    except GameError:
        return False

    def link_to_games(_: object) -> None:
        with st.container(key="whatif-saved-links", horizontal=True, vertical_alignment="center"):
            show_link(answer.question, "Ask it on the board", ":material/alt_route:")
            games = GameQuestion(run=run.name, ply=answer.question.ply)
            show_link(games, "Replay the continuations", ":material/replay:")

    sheet = cached.compose_sheet(answer)
    st.markdown(escape_markdown(sheet.title))
    show_sheet(sheet, rows=(("branches", "difference"),), draw={"continuations": link_to_games})
    return True


def _ask_many_games(question: ManyGamesQuestion, run: Run) -> ManyGamesQuestion:
    """Return what the form asks; what it does not show stays as it is in the address. Raises a GameError for a wrong value."""
    ruleset = next(iter(run.rulesets.values()))
    chosen: dict[str, object] = {"games": _ask_games(question, ruleset)}
    change = _ask_change(question, ruleset, run.summary.strategies)
    conditions = [tell_choice(ruleset, question.action)] if question.action else []
    conditions += [
        f"{wording.format_player(seat)} is {name} on both branches"
        for seat, name in question.change.substitutes.items()
    ]
    if conditions:
        st.caption(escape_markdown(f"In all games {', '.join(conditions)}."))
    if question.action:
        quick = st.checkbox(
            "Quick players play on, as in a review",
            question.quick,
            key=MANY_GAMES_FORM.widget_key("many-quick"),
        )
        change = {**change, "quick": quick}
    many = f"from {name_place(question.where)} on, at most {wording.format_count(question.limit, 'game')}"
    with st.expander(escape_markdown(capitalise(many))):
        chosen["where"] = _ask_fork_place(question, ruleset)
        numbers = {
            name: ask_number(label, question, name, MANY_GAMES_FORM.widget_key(f"many-{name}"))
            for name, label in (
                ("limit", "Maximum number of games"),
                ("n", "Continuations of each game"),
                ("seed", "Seed"),
            )
        }
    return question.model_copy(update={**chosen, **change, **numbers})


def _show_answer(run: Run, question: ManyGamesQuestion) -> None:
    """Fork the games in the background and show the answer while it becomes more precise."""
    show_growing_answer(
        "whatif-many",
        question,
        cached.file_version(run),
        lambda stopped: iter_many_games_answers(question, run, stopped=stopped),
        rows=(("difference", "wins"), ("gained", "lost")),
    )


def _ask_games(question: ManyGamesQuestion, ruleset: Ruleset) -> str:
    """Ask which games to fork; return `all`, `lost:PLAYER` or `won:PLAYER`."""
    how, seat = parse_games(question.games or "all")
    left, right = st.columns(2)
    kind = left.selectbox(
        "Which games",
        list(GAME_CHOICES),
        index=list(GAME_CHOICES).index(how),
        format_func=GAME_CHOICES.__getitem__,
        key=MANY_GAMES_FORM.widget_key("many-which"),
    )
    if kind == "all":
        return "all"
    player = right.selectbox(
        "That player",
        range(ruleset.players),
        index=min(seat, ruleset.players - 1),
        format_func=wording.format_player,
        key=MANY_GAMES_FORM.widget_key(f"many-player-{ruleset.players}"),
    )
    return f"{kind}:{player + 1}"


def _ask_fork_place(question: ManyGamesQuestion, ruleset: Ruleset) -> str:
    """Ask before which move to fork each game; return a text that `parse_place` parses."""
    kind, number = parse_place(question.where)
    places = [place for place in FORK_PLACES if place != "last-roll" or has_chance(ruleset)]
    left, right = st.columns(2)
    place = left.selectbox(
        "Start from",
        places,
        index=places.index(kind) if kind in places else 0,
        format_func=FORK_PLACES.__getitem__,
        key=MANY_GAMES_FORM.widget_key(f"many-where-{len(places)}"),
    )
    if place == "last-roll":
        return place
    number = 5 if kind == "last-roll" else number
    if place == "round":
        start = max(0, number) + 1
        return f"round:{int(right.number_input('Round', 1, 10_000, start, key=MANY_GAMES_FORM.widget_key('many-round')))}"
    typed = int(
        right.number_input(
            "Move",
            -10_000,
            10_000,
            number + (number >= 0),
            key=MANY_GAMES_FORM.widget_key("many-move"),
            help="Counted from 1, throws included; −1 is the last move.",
        )
    )
    return str(typed or 1)


def _ask_change(
    question: ManyGamesQuestion, ruleset: Ruleset, played: Collection[str]
) -> Mapping[str, object]:
    """Ask for the change; return it as fields of the question. Raises a GameError if it is not possible."""
    if question.action:
        return {}
    way = st.segmented_control(
        "What changes?",
        CHANGE_KINDS,
        default=CHANGE_KINDS[2 if question.luck else bool(question.options)],
        required=True,
        key=MANY_GAMES_FORM.widget_key("many-way"),
    )
    if way == CHANGE_KINDS[2]:
        return {"seats": (), "strategies": (), "options": (), "luck": True}
    left, right = st.columns(2)
    if way == CHANGE_KINDS[1]:
        options = ruleset.document["options"]
        key, _, value = (question.options or ("",))[0].partition("=")
        name = left.selectbox(
            "Option",
            list(options),
            index=list(options).index(key) if key in options else 0,
            format_func=lambda option: capitalise(title_setting(ruleset.game, option)),
            key=MANY_GAMES_FORM.widget_key(f"many-option-of-{ruleset.game}"),
        )
        now = json.dumps(options[name])
        text = right.text_input(
            f"instead of {now}",
            value if key == name else now,
            key=MANY_GAMES_FORM.widget_key(f"many-option-{ruleset.name}-{name}"),
        )
        others = question.options[1:] if key == name else ()
        chosen = (f"{name}={text}", *others)
        ruleset_with_options(ruleset, dict(map(parse_option, chosen)))
        return {"seats": (), "strategies": (), "options": chosen, "luck": False}
    names = list(built_in_strategies(games.find_game(ruleset.game)))
    seat = left.selectbox(
        "Player",
        range(ruleset.players),
        index=min((question.seats or (0,))[0], ruleset.players - 1),
        format_func=wording.format_player,
        key=MANY_GAMES_FORM.widget_key(f"many-seat-{ruleset.players}"),
    )
    strategy_now = (question.strategies or (suggest_strategy(ruleset, played),))[0]
    strategy = right.selectbox(
        "is then played by",
        list(dict.fromkeys([strategy_now, *names])),
        accept_new_options=True,
        key=MANY_GAMES_FORM.widget_key(f"many-strategy-{ruleset.game}-{' '.join(sorted(played))}"),
    )
    read_player(games.find_game(ruleset.game), strategy or strategy_now)
    return {
        "seats": (int(seat), *question.seats[1:]),
        "strategies": (strategy or strategy_now, *question.strategies[1:]),
        "options": (),
        "luck": False,
    }


def choose_first_run(runs: Collection[Run]) -> Run:
    """Return the run that the form asks about at first: the newest one, if its first question is worth asking and answered in seconds.

    Several quick players played then, and a skilled one did not. If the newest run is not such, the first one by the order of the
    rulesets is chosen.
    """
    rulesets = cached.dashboard_library().catalogue.rulesets
    order = {name: number for number, name in enumerate(rulesets)}
    shipped = [run for run in runs if run.summary.rulesets[0].name in order]

    def is_quick(run: Run) -> bool:
        ruleset, played = rulesets[run.summary.rulesets[0].name], run.summary.strategies
        return (
            len(played) > 1
            and not run.summary.is_whatif
            and suggest_strategy(ruleset, played) in SKILLED_STRATEGIES
            and not any(is_slow_strategy(ruleset, name) for name in played)
        )

    newest = choose_default_run(list(runs))
    examples = sorted(shipped, key=lambda run: (run is not newest, order[run.summary.rulesets[0].name]))
    return next(filter(is_quick, examples), newest)


def suggest_strategy(ruleset: Ruleset, played: Collection[str]) -> str:
    """Return the weakest quick strategy that did not play and errs neither by design nor by chance; else `random`.

    A strategy that played already, with whatever parameters, would often be replaced by itself, and the first answer about a slow
    one takes minutes.
    """
    names = built_in_strategies(games.find_game(ruleset.game))
    others = [name for name in names if name not in {"random", "noisy", *map(base_name, played)}]
    return next((name for name in others if not is_slow_strategy(ruleset, name)), "random")
