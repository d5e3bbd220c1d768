"""What has been played? Runs that are there, runs that are being made, and a start for new ones."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import source, words
from engine import games, strategies
from engine.game import GameError
from pipelines import jobs

if TYPE_CHECKING:
    from pipelines.library import Partial, Run

SHOWN_AT_FIRST: Final = 12
# Seconds after which the page looks at the folder again: a new run is there without a reload.
LOOK_EVERY: Final = 2.0
MOST_GAMES: Final = 1_000_000

library = source.library()
st.title("What has been played?")


@st.fragment(run_every=LOOK_EVERY)
def shelf() -> None:
    """Show what is in the folder now, and look again every few seconds."""
    runs, partials = library.runs(), library.partials()
    follow_started(runs)
    for partial in partials:
        unfinished(partial)
    if runs:
        totals(runs)
        listed(runs)
    elif not partials:
        st.info(
            "Nothing has been played yet. Choose a ruleset below and press **Play**: the games appear here, "
            "with their scores and every ply to replay."
        )
    for error in library.broken().values():
        st.warning(source.escaped(str(error)))


def follow_started(runs: list[Run]) -> None:
    """Say how the simulations that this visitor started have gone."""
    for name in list(st.session_state.get("started", [])):
        job = jobs.Job(library, name)
        match job.state:
            case "starting":
                st.info(source.escaped(f"Starting {name} … {job.last_line}"))
            case "failed":
                st.error(source.escaped(f"{name}: {job.last_line.removeprefix('reroll: ')}"))
            case "finished" if any(run.name == name for run in runs):
                st.session_state["started"].remove(name)
                st.toast(f"{name} is ready.")


def unfinished(partial: Partial) -> None:
    """Show a run that is being made or was stopped."""
    try:
        done, total, title = partial.games_done, partial.games, partial.design.title
    except GameError as error:
        st.warning(source.escaped(str(error)))
        return
    with st.container(border=True):
        words_, buttons = st.columns([5, 2], vertical_alignment="center")
        left = partial.seconds_left
        running = partial.is_running
        state = (f"{words.lasting(left)} left" if left is not None else "starting") if running else "stopped"
        words_.progress(
            min(1.0, done / total),
            f"**{source.escaped(title)}** · {done:,} of {words.counted(total, 'game')} · {state}",
        )
        with buttons, st.container(horizontal=True, horizontal_alignment="right"):
            if running and partial.is_cancelled:
                st.caption("Stopping; finished games are kept.")
            elif running:
                st.button("Stop", key=f"stop-{partial.name}", on_click=partial.cancel)
            else:
                st.button("Go on", key=f"resume-{partial.name}", on_click=resume, args=(partial,))
                st.button("Remove", key=f"drop-{partial.name}", on_click=partial.remove)


def resume(partial: Partial) -> None:
    """Go on with a stopped run."""
    jobs.resume(library, partial)
    st.session_state.setdefault("started", []).append(partial.name)


def totals(runs: list[Run]) -> None:
    """Show how much there is."""
    summaries = [run.summary for run in runs]
    rulesets = {ruleset.sha256 for summary in summaries for ruleset in summary.rulesets}
    st.markdown(
        f"**{words.counted(sum(summary.games for summary in summaries), 'game')}** in "
        f"**{words.counted(len(runs), 'run')}** of **{words.counted(len(rulesets), 'ruleset')}**, "
        f"{words.size(sum(summary.bytes for summary in summaries))} on disk; "
        f"the newest finished {words.ago(summaries[0].created_at)}."
    )


def listed(runs: list[Run]) -> None:
    """Show the runs, newest first, those of one game if asked."""
    titles = {
        ruleset.game: games.game(ruleset.game).title for run in runs for ruleset in run.summary.rulesets
    }
    if len(titles) > 1:
        wanted = st.pills(
            "Game", sorted(titles), format_func=titles.__getitem__, key="game", label_visibility="collapsed"
        )
        runs = [run for run in runs if wanted is None or any(r.game == wanted for r in run.summary.rulesets)]
    everything = st.session_state.get("library-all", False)
    for run in runs if everything else runs[:SHOWN_AT_FIRST]:
        card(run)
    if len(runs) > SHOWN_AT_FIRST:
        st.toggle(f"Show all {len(runs):,} runs", key="library-all")


def card(run: Run) -> None:
    """Show one run and where to go from it."""
    summary = run.summary
    with st.container(border=True):
        told, links = st.columns([5, 3], vertical_alignment="center")
        about = (
            f"{run.name} · {words.counted(summary.games, 'game')} · {words.versus(summary.strategies)} · "
            f"seed {summary.seed} · {words.ago(summary.created_at)} · {words.size(summary.bytes)}"
        )
        # Two spaces before the line break: one paragraph of two lines.
        told.markdown(f"**{source.escaped(summary.title)}**  \n:small[:gray[{source.escaped(about)}]]")
        with links, st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
            first = summary.rulesets[0].name
            if summary.kind != "whatif":  # all its games begin alike
                st.page_link(
                    "views/scores.py", label="Scores", query_params={"rulesets": first, "runs": run.name}
                )
            if summary.log != "scores":
                st.page_link("views/replay.py", label="Replay", query_params={"run": run.name, "game": "0"})
            more(run)


def more(run: Run) -> None:
    """Offer what is rarely needed: the command, and deletion, which asks."""
    with st.popover("⋯", help=f"More about {run.name}"):
        st.caption("The command that plays the same games again")
        st.code(run.summary.command, language=None, wrap_lines=True)
        st.caption(f"{run.path.name}, {words.lasting(run.summary.seconds)} of work")
        sure = st.checkbox("Delete this run for good", key=f"sure-{run.name}")
        st.button(
            "Delete", key=f"delete-{run.name}", disabled=not sure, on_click=run.path.unlink, args=(True,)
        )


def new_run() -> None:
    """Ask what to play, and start it in the background."""
    catalogue = library.catalogue
    for error in catalogue.broken.values():
        st.warning(source.escaped(str(error)))
    rulesets = catalogue.rulesets
    what, how_many, luck = st.columns([3, 1, 1])
    name = what.selectbox(
        "Ruleset",
        list(rulesets),
        key="new-ruleset",
        format_func=lambda name: f"{rulesets[name].title} · {name}",
    )
    ruleset = rulesets[name]
    count = how_many.number_input("Games", 1, MOST_GAMES, 300, step=100, key="new-games")
    seed = luck.text_input("Seed", key="new-seed", placeholder="any", help="Equal seeds give equal games.")
    known = strategies.known(games.game(ruleset.game))
    lineup = [
        column.selectbox(
            f"Seat {seat}",
            list(known),
            index=min(len(known) - 1, 1 if seat < ruleset.players - 1 else 0),
            key=f"new-{ruleset.players}-{seat}",
            help="The line-up plays every luck once in each rotation over the seats.",
        )
        for seat, column in enumerate(st.columns(ruleset.players))
    ]
    if st.button("Play", type="primary", key="new-play"):
        start(name, lineup, int(count), seed)


def start(ruleset: str, lineup: list[str], count: int, seed: str) -> None:
    """Start a simulation; say what is wrong with what was asked."""
    if seed and not (seed.isdecimal() and int(seed) < 2**64):
        st.error("The seed is a whole number from 0 to 18,446,744,073,709,551,615.")
        return
    if not 1 <= count <= MOST_GAMES:
        st.error(f"From 1 to {MOST_GAMES:,} games can be started here; the command line takes more.")
        return
    chosen = int(seed) if seed else secrets.randbelow(10**6)
    try:
        job = jobs.start(library, ruleset, lineup, games=count, seed=chosen)
    except OSError as error:
        st.error(f"{error.filename or library.folder}: {error.strerror}")
        return
    st.session_state.setdefault("started", []).append(job.name)
    st.rerun()


shelf()
st.subheader("Play some games")
with st.container(border=True):
    new_run()
