"""The parts of the page What if: a question about one game, whose board asks and answers, and the same change in many games."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.widgets import tables
from dashboard.widgets.address import (
    ask_for_click,
    is_wanted,
    show_address_problems,
    show_when_wanted,
    write_page_question,
)
from dashboard.widgets.background_work import show_work_progress
from dashboard.widgets.components import show_questioned_replay
from dashboard.widgets.forms import SubmittedForm, ask_number
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.sheet import offer_sheet, show_basis, show_details, show_parts, show_verdict
from engine import games
from engine.actions import CHANCE
from engine.errors import GameError
from engine.strategies import built_in_strategies, read_player
from engine.wording import capitalise
from pipelines.design.titles import tell_choice
from pipelines.experiments.background_work import find_or_start_work
from pipelines.experiments.fork import parse_option, ruleset_with_options
from pipelines.experiments.many_games import parse_games, parse_place
from pipelines.panel import is_slow_strategy
from pipelines.questions.address import list_keys, write_path
from pipelines.questions.game import write_replay_link
from pipelines.questions.whatif import (
    ManyGamesAnswer,
    ManyGamesQuestion,
    WhatifQuestion,
    iter_many_games_answers,
    resolve_many_games,
    resolve_whatif,
)
from pipelines.report import wording
from pipelines.report.ruleset_words import title_setting
from pipelines.studies.forms import server_turns

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import Scene
    from pipelines.report.sheet import Part
    from pipelines.runs.library import Run

REPLAY_KEY: Final = "whatif-replay"


def show_one_game(
    question: WhatifQuestion,
    run: Run,
    problems: Sequence[str],
    *,
    names_move: bool,
) -> None:
    """Show the game with the What if panel, open on the question if it has one that is possible.

    If the address names no move, the panel opens on the move of this game that the visitor saw last, or else on a decision in the
    middle of the game.
    """
    scene = run.scene(question.game)
    resumes = not names_move and not question.has_change
    if resumes:
        question = question.model_copy(update={"ply": find_middle_decision(scene)})
    question, impossible, _ = resolve_whatif(question, run)
    show_address_problems([*problems, *impossible])
    is_asked = question.has_change and not problems and not impossible
    if is_asked and not is_wanted(question):
        ask_for_click(question)
        is_asked = False
    show_questioned_replay(
        scene,
        key=REPLAY_KEY,
        ply=min(question.ply, len(scene["steps"]) - 1),
        query=write_path(question).partition("?")[2] if is_asked else "",
        resumes=resumes,
    )
    with st.expander("Another rule, other continuations, or many games", expanded=bool(question.options)):
        with st.form("whatif-rule", border=False):
            _ask_rule(question, run, len(scene["steps"]))
        st.button(
            "Ask about many games",
            key="one-many",
            type="tertiary",
            icon=":material/apps:",
            on_click=write_page_question,
            args=(ManyGamesQuestion(run=run.name, games="all"),),
        )


def find_middle_decision(scene: Scene) -> int:
    """Return the first move on the board in the second half of a game, before which there is a choice; or else the first ply."""
    steps = scene["steps"]
    later = range(len(steps) // 2, len(steps))
    return next((ply for ply in later if steps[ply]["seat"] != CHANCE and steps[ply]["kind"] != "keep"), 0)


def _ask_rule(shown_question: WhatifQuestion, run: Run, plies: int) -> None:
    """Ask for a changed rule, the number of continuations and the seed, and open the address of that question.

    The keys of the fields stay the same when the board has written another question into the address: what somebody has filled in
    before belongs to it, too.
    """
    ruleset = run.ruleset(run.game(shown_question.game).ruleset)
    options = ruleset.document["options"]
    key, _, value = (shown_question.options or ("",))[0].partition("=")
    place = f"{run.name}-{shown_question.game}"
    left, middle, right = st.columns([1, 2, 2])
    move = left.number_input(
        "From move", 1, plies, min(shown_question.ply + 1, plies), key=f"whatif-move-{place}"
    )
    name = middle.selectbox(
        "Option of the rules",
        list(options),
        index=list(options).index(key) if key in options else None,
        format_func=lambda option: (
            f"{capitalise(title_setting(ruleset.game, option))}, now {json.dumps(options[option])}"
        ),
        placeholder="The rules stay as they are",
        key=f"whatif-option-{place}",
    )
    text = right.text_input("its other value", value, key=f"whatif-value-{place}")
    left, right = st.columns(2)
    with left:
        n = ask_number("Continuations of each branch", shown_question, "n", f"whatif-n-{place}")
    with right:
        seed = ask_number(
            "Seed", shown_question, "seed", f"whatif-seed-{place}", "Equal seeds give equal dice."
        )
    if not st.form_submit_button("Play both branches", type="primary", key="whatif-ask"):
        return
    if not name and not shown_question.has_change:
        st.error("Choose an option of the rules, or another move, player or luck beside the board.")
        return
    question = shown_question.model_copy(update={"ply": int(move) - 1, "n": n, "seed": seed})
    if name:
        earlier_options = question.options if key == name else ()
        question = question.model_copy(
            update={
                "options": (f"{name}={text}", *earlier_options[1:]),
                "luck": False,
                "seats": (),
                "strategies": (),
            }
            | {"action": ""}
        )
    write_page_question(question)
    st.rerun()


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
MANY_GAMES_FORM: Final = SubmittedForm("whatif-fields", list_keys(ManyGamesQuestion))


def show_many_games(question: ManyGamesQuestion, run: Run, problems: Sequence[str]) -> None:
    """Show the form for many games, and the answer once the visitor has asked, with a link or with the button."""
    MANY_GAMES_FORM.follow_address()
    question, impossible = resolve_many_games(question, run)
    form_column, answer_column = st.columns([2, 3], gap="large")
    with form_column:
        st.caption(escape_markdown(f"{wording.format_run_title(run.summary)} · {run.name}"))
        with st.container(border=True):
            show_address_problems([*problems, *impossible])
            try:
                form_question = _ask_many_games(question, run)
            except GameError as error:
                st.error(escape_markdown(str(error)))
                return
            is_linked = question.has_change and form_question == question and not problems and not impossible
            is_asked = is_linked or st.button("Play both branches", type="primary", key="whatif-ask")
            if is_asked and not is_linked:
                MANY_GAMES_FORM.write_question(form_question)
        st.button(
            "Ask about one game",
            key="many-one",
            type="tertiary",
            icon=":material/looks_one:",
            on_click=write_page_question,
            args=(WhatifQuestion(run=run.name),),
        )
    with answer_column:
        if not is_asked:
            st.markdown("## The same change, in many games")
            st.caption(
                "Every game is played on many times with and without the change, with the same luck. The answer is the "
                "mean effect, and one row for each game."
            )
            return
        with st.container(key="whatif-answer"):
            show_when_wanted(form_question, lambda: _show_answer(run, form_question))


def _ask_many_games(question: ManyGamesQuestion, run: Run) -> ManyGamesQuestion:
    """Return what the form asks; what it does not show stays as it is in the address. Raises a GameError for a wrong value."""
    ruleset = next(iter(run.rulesets.values()))
    chosen = {"games": _ask_games(question, ruleset), "where": _ask_fork_place(question)}
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
    with st.expander("Games, continuations and seed"):
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
    work = find_or_start_work(
        st.session_state,
        "whatif-many",
        question,
        lambda stopped: iter_many_games_answers(question, run, stopped=stopped),
        server_turns.wait,
    )
    work.wait(0.6)
    show_work_progress(
        work,
        at_first="Forking the games …",
        headline=lambda latest: show_verdict(cached.compose_sheet(latest)),
        progress=lambda latest: (
            latest.done / latest.total,
            f"{latest.done:,} of {wording.format_count(latest.total, 'position')}",
        ),
        details=_show_details,
    )


def _show_details(answer: ManyGamesAnswer) -> None:
    """Draw the distribution of the change, and show a row for each position with a link to its replay."""
    sheet = cached.compose_sheet(answer)
    draw = {"positions": lambda part: _show_positions(answer, part)}
    show_parts(sheet.list_parts("main", "beside"), (), draw)
    show_basis(sheet)
    show_details(sheet, draw, key="many-statistics", is_bound=False)
    offer_sheet(sheet)


def _show_positions(answer: ManyGamesAnswer, part: Part) -> None:
    """Show every position with a link to its replay."""
    forks = [effect.fork for effect in answer.positions.played]
    st.subheader(escape_markdown(part.title), anchor=False)
    if part.numbers is None or not forks:
        return
    links = [write_replay_link(answer.run.name, fork.game_id, fork.ply) for fork in forks]
    tables.show_table(tables.make_frame(part.numbers), part.title, part.numbers.formats, {"game": links})


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


def _ask_fork_place(question: ManyGamesQuestion) -> str:
    """Ask before which move to fork each game; return a text that `parse_place` parses."""
    kind, number = parse_place(question.where)
    left, right = st.columns(2)
    place = left.selectbox(
        "Start from",
        list(FORK_PLACES),
        index=list(FORK_PLACES).index(kind),
        format_func=FORK_PLACES.__getitem__,
        key=MANY_GAMES_FORM.widget_key("many-where"),
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


def suggest_strategy(ruleset: Ruleset, played: Collection[str]) -> str:
    """Return the weakest quick strategy that did not play and errs neither by design nor by chance; else `random`.

    A strategy that played already would often be replaced by itself, and the first answer about a slow one takes minutes.
    """
    names = built_in_strategies(games.find_game(ruleset.game))
    others = [name for name in names if name not in {"random", "noisy", *played}]
    return next((name for name in others if not is_slow_strategy(ruleset, name)), "random")
