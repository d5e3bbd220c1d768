"""The tiles of the page Library, one for each game, and what it invites visitors to do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import scipy.special  # noqa: F401 - intervals import it when they need it, which takes 0.3 s
import streamlit as st

from dashboard import cached
from dashboard.library.simulate_form import open_form
from dashboard.widgets.address import PLAYS_SLOT, read_seen_games, show_link
from dashboard.widgets.board import SmallHistograms, last_position, read_position, show_board
from dashboard.widgets.game_choice import PLIES_WATCHED, find_best_finish
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from dashboard.widgets.opponents import begin_usual_game
from engine import games
from engine.errors import GameError
from pipelines.design.titles import name_match
from pipelines.notes.note import NoteListQuestion
from pipelines.notes.store import NoteStore
from pipelines.questions.address import write_address
from pipelines.questions.game import GameQuestion
from pipelines.questions.games import GamesQuestion, ListedGame
from pipelines.questions.rule_effect import RuleEffectQuestion, suggest_turned_rule
from pipelines.questions.rules import RulesQuestion
from pipelines.questions.scores.distributions import compare_means, read_score_groups
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.scores.scope import (
    ScoresScope,
    count_blocks,
    find_played_rulesets,
    find_scope,
    list_lineup_names,
)
from pipelines.report import wording
from pipelines.report.characters import introduce_strategies
from pipelines.report.games import format_value, name_record, write_scores
from pipelines.report.score_sentences import describe_lead
from pipelines.runs import game_queries
from pipelines.service import jobs
from pipelines.statistics import Distribution, common_bin_edges
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from engine.game import Game
    from engine.scene import Scene
    from pipelines.design.lineups import Lineup
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.library import Library, Run
    from pipelines.viewer.palette import SeriesLook

BOARD_HEIGHT_PX: Final = 140
"""Height of a board."""
CURVE_BINS: Final = 40
MAX_CURVES: Final = 4
TELLING_BLOCKS: Final = 50
"""Blocks from which a comparison is shown rather than more games of something else."""


class GameTile(NamedTuple):
    """What the tile of a game shows."""

    game: Game
    fact: str
    """Who beats whom by how much in the games that the curves show; empty without an answer."""
    players: dict[str, str]
    """How the strategies of the curves play, by their names."""
    about: str
    """How many games the curves show."""
    logged: Run | None
    """The run whose first game the board shows, at its end."""
    scene: Scene | None
    label: str
    curves: SmallHistograms | None
    record: tuple[GameQuestion | GamesQuestion, ListedGame] | None
    """The question that shows the record, and the game with the record score."""
    record_name: str
    """Says under which ruleset it is the record."""
    scores: ScoresQuestion | None
    """The question that the curves answer."""


def show_all_tiles(library: Library, runs: list[Run], look: dict[str, SeriesLook]) -> None:
    """Show all games side by side, in the order of their names: what they are at once, then what was read of each."""
    rooms = []
    with st.container(key="game-tiles"):
        for game, column in zip(games.registered_games(), st.columns(len(games.game_names())), strict=True):
            with column, st.container(border=True, height="stretch", key=f"game-tile-{game.name}"):
                st.markdown(f"## {escape_markdown(game.title)}")
                with st.container(key=f"tile-summary-{game.name}"):
                    st.caption(escape_markdown(game.summary))
                rooms.append(st.container(key=f"tile-room-{game.name}"))
    for tile, room in zip(iter_game_tiles(library, runs, look), rooms, strict=True):
        with room:
            _show_game_tile(tile)


def first_logged_run(runs: Iterable[Run]) -> Run | None:
    """Return the first run of whole games between strategies that can be replayed; None without one."""
    return next((run for run in runs if run.summary.is_sample and run.summary.log != "scores"), None)


def iter_game_tiles(library: Library, runs: list[Run], look: dict[str, SeriesLook]) -> Iterator[GameTile]:
    """Yield what the tiles of all games show, in the order of their names."""
    source = cached.question_source()
    for game in games.registered_games():
        played = [run for run in runs if run.summary.rulesets[0].game == game.name]
        yield _read_game_tile(library, source, game, played, look)


def _read_game_tile(
    library: Library, source: cached.CachedSource, game: Game, runs: list[Run], look: dict[str, SeriesLook]
) -> GameTile:
    scope = find_telling_scope(source, game)
    logged = first_logged_run([*(scope.runs if scope else ()), *runs])
    scene = curves = record = None
    fact = ""
    with suppress(GameError, OSError):  # the page Replay explains what is wrong with the log
        scene = read_position(logged, first_logged_game(logged)) if logged else None
    with suppress(cached.PreparationError):
        compared = compare_means(scope, source) if scope else ()
        fact = describe_lead(compared[0], lowest_wins=game.ruleset.lowest_wins) if compared else ""
        record = find_record(source, scope) if scope else None
        curves = score_curves(source, scope, look, record[1] if record else None) if scope else None
    rulesets = library.catalogue.rulesets
    ruleset = rulesets.get(scope.rulesets[0].name) if scope else None
    known = [known for known in rulesets.values() if known.game == game.name]
    return GameTile(
        game=game,
        fact=fact,
        players=introduce_strategies(ruleset, [line["name"] for line in curves["lines"]])
        if curves and ruleset
        else {},
        about=_describe_curves(scope, game) if scope else "Not played yet.",
        logged=logged,
        scene=scene or (last_position(cached.printed_components(known[0])[0]) if known else None),
        label=f"The end of a game of {game.title}:" if scene else f"The empty board of {game.title}:",
        curves=curves,
        record=record,
        record_name=name_record(scope.rulesets[0], game.title) if scope else "",
        scores=_ask_scores(source, scope) if scope else None,
    )


def _show_game_tile(tile: GameTile) -> None:
    key = f"tile-{tile.game.name}"
    show_board(tile.scene, key=key, label=tile.label, size=BOARD_HEIGHT_PX, curves=tile.curves)
    with st.container(key=f"tile-fact-{tile.game.name}"):
        if tile.fact:
            st.markdown(write_markdown_sentence(tile.fact))
    _show_ways_on(tile)
    lines = [
        f"**{escape_markdown(player)}**: {escape_markdown(words)}" for player, words in tile.players.items()
    ]
    st.caption(escape_markdown(tile.about), help="  \n".join(lines) or None)


def _show_ways_on(tile: GameTile) -> None:
    """Show the links of a tile, which stand on one line in all tiles."""
    name = tile.game.name
    if tile.record:
        question, game = tile.record
        show_link(question, f"{tile.record_name}: {format_value(game, 'score')} points", ":material/trophy:")
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=f"tile-ways-{name}"):
        if tile.logged:
            show_link(GameQuestion(run=tile.logged.name), "Replay")
        if tile.scores:
            show_link(tile.scores, "Scores")
        st.button(
            "Simulate",
            key=f"play-{name}",
            on_click=open_form,
            args=(name,),
            help=f"Let the computer play {tile.game.title}",
        )


def find_telling_scope(source: QuestionSource, game: Game) -> ScoresScope | None:
    """Return what the page Scores shows of the line-up of a game that tells most, over all of its runs; None without games.

    A comparison of different strategies with enough games tells most; then the game itself tells more than its variants,
    several strategies more than one, opponents that choose more than random ones, and many games more than few.
    """
    played = find_played_rulesets(ScoresQuestion(), source)
    runs_by_place: dict[tuple[str, Lineup], list[Run]] = defaultdict(list)
    for label, ruleset in played.items():
        if ruleset.game == game.name:
            for run in ruleset.runs:
                runs_by_place[label, run.summary.lineup].append(run)

    def rank(place: tuple[str, Lineup]) -> tuple[bool, bool, bool, bool, int, int]:
        label, lineup = place
        strategies = {name for seating in lineup.seatings for name in seating}
        blocks, is_mixed = count_blocks(runs_by_place[place]), len(strategies) > 1
        is_comparison = is_mixed and lineup.is_rotated and blocks >= TELLING_BLOCKS
        chooses = "random" not in strategies
        games_played = blocks * len(lineup.seatings)
        return (
            is_comparison,
            played[label].title == game.title,
            is_mixed,
            chooses,
            games_played,
            len(strategies),
        )

    if not runs_by_place:
        return None
    label, lineup = max(runs_by_place, key=rank)
    name = list_lineup_names(played[label].runs)[lineup]
    return find_scope(ScoresQuestion(rulesets=(label,), lineups=name), played)


def _ask_scores(source: QuestionSource, scope: ScoresScope) -> ScoresQuestion:
    """Return the question that shows a scope; it names the line-up only if the page would choose another."""
    question = ScoresQuestion(rulesets=(scope.rulesets[0].label,))
    if find_scope(question, find_played_rulesets(question, source)).runs != scope.runs:
        names = list_lineup_names(scope.rulesets[0].runs)
        question = question.model_copy(update={"lineups": names[scope.lineups[0]]})
    return question


def find_record(
    source: cached.CachedSource, scope: ScoresScope
) -> tuple[GameQuestion | GamesQuestion, ListedGame] | None:
    """Return the game with the record score under the rulesets that a tile shows, behind the question that shows it.

    Without a log, the question is that for the best games. None if nothing was played.
    """
    question = GamesQuestion(rulesets=tuple(ruleset.name for ruleset in scope.rulesets))
    for record in cached.list_games(question.model_copy(update={"limit": 1}), source).games:
        game_question = GameQuestion(run=record.run, game=record.game_id, ply=record.ply)
        return game_question if record.is_logged else question, record
    return None


def _describe_curves(scope: ScoresScope, game: Game) -> str:
    """Return how many games the curves of a tile show, and the title of their ruleset if it is not that of the game."""
    (ruleset,) = scope.rulesets
    games_shown = wording.format_count(sum(run.summary.games for run in scope.runs), "game")
    variant = "" if ruleset.title == game.title else f" of {ruleset.title}"
    return f"{games_shown}{variant} for {wording.format_count(ruleset.players, 'player')}."


def first_logged_game(run: Run) -> int:
    """Return the number of the first game of a run that can be replayed."""
    return 0 if run.game(0).logged else int(cached.query_runs(game_queries.first_logged_game, [run]))


def score_curves(
    source: QuestionSource, scope: ScoresScope, look: dict[str, SeriesLook], record: ListedGame | None = None
) -> SmallHistograms:
    """Return the score distribution of the results that count, one curve for each strategy, the one that scores best first.

    The axis reaches to the `record`, which other strategies may have made.
    """
    groups = read_score_groups(scope, source)
    is_most_first = not games.find_game(scope.rulesets[0].game).ruleset.lowest_wins
    curves = sorted(groups, key=lambda group: group.scores.mean, reverse=is_most_first)[:MAX_CURVES]
    scores = [group.scores for group in curves]
    reached = scores + ([Distribution(np.array([record.value], int), np.array([1]))] if record else [])
    edges = common_bin_edges(reached, CURVE_BINS)
    n = sum(group.scores.n for group in curves)
    return {
        "lines": [
            {
                "name": group.name,
                "colour": look[group.strategy].colour,
                "dash": look[group.strategy].dash,
                "shares": (group.scores.bin_counts(edges) / group.scores.n).round(4).tolist(),
            }
            for group in curves
        ],
        "low": set_minus_signs(f"{min(scores.values[0] for scores in reached)}"),
        "high": set_minus_signs(f"{max(scores.values[-1] for scores in reached)}") + " points",
        "alt": f"Scores of {scope.rulesets[0].title}, {wording.format_count(n, 'result')}: "
        + "; ".join(f"{group.name} has {group.scores.mean:.1f} on average" for group in curves),
    }


def read_first_page() -> None:
    """Read what the page shows; the page itself says what cannot be read."""
    with suppress(cached.PreparationError, *cached.QUERY_ERRORS):
        cached.prepare_library()
        library, runs = cached.dashboard_library(), cached.all_runs()
        for _ in iter_game_tiles(library, runs, cached.strategy_looks()):
            pass
        find_best_finish()


PURPOSE: Final = "Reroll plays tabletop games exactly by the book, thousands of times, and shows what really happens in them."


def show_purpose(library: Library, runs: list[Run]) -> None:
    """Show what Reroll is, and what its visitors come for: to watch, to play, to ask who is better, and to change a rule."""
    logged = first_logged_run(runs)
    if st.session_state.pop("watched", False) and logged:  # a callback cannot leave the page
        best = find_best_finish()
        why = f"The closest finish of all logged games: its last {PLIES_WATCHED} moves."
        st.session_state[PLAYS_SLOT] = why if best else f"The first game of {logged.name}."
        question = best or GameQuestion(run=logged.name)
        st.switch_page("views/replay.py", query_params=write_address(question))
    st.markdown(PURPOSE)
    with st.container(horizontal=True, vertical_alignment="center", key="invitations"):
        if logged:
            st.button(
                "Watch a game",
                key="watch",
                type="primary",
                icon=":material/play_circle:",
                on_click=_watch,
                help="The last moves of the closest finish",
            )
        elif not jobs.demo_job(library).is_alive:
            st.button(
                "Load the examples",
                key="load-examples",
                type="primary",
                icon=":material/download:",
                on_click=jobs.start_demo,
                args=(library,),
                help="Some thousand games of all kinds, played in about two minutes",
            )
        st.page_link(
            "views/play.py",
            label="Play yourself",
            icon=":material/casino:",
            query_params=write_address(begin_usual_game(library)),
            help="A game begins at once; choose another one there",
        )
        if runs:
            st.page_link("views/strategies.py", label="Who plays better?", icon=":material/trophy:")
        change = find_rule_change(library) if runs else RulesQuestion(part="own")
        st.page_link(
            "views/rules.py",
            label="Change a rule",
            icon=":material/rule:",
            query_params=write_address(change),
        )


def show_ways_back(library: Library, runs: list[Run]) -> None:
    """Show one line that leads to what is the visitor's own: the replay seen last, the game played last, and lessons; nothing without any."""
    known = {run.name: run for run in runs}
    ways: list[tuple[GameQuestion | NoteListQuestion, str, str]] = []
    for name, game in read_seen_games().items():
        if name in known and not ways and not known[name].summary.is_by_hand:
            match = name_match(known[name].summary.rulesets[0], known[name].summary.table)
            ways.append((GameQuestion(run=name, game=game), f"Go on: {match}, game {game + 1:,}", "history"))
    if last_played := next((run for run in runs if run.summary.is_by_hand), None):
        ruleset = last_played.summary.rulesets[0]
        title = f"Your last game of {ruleset.title}: {write_scores(ruleset.game, last_played.list_seats(0))}"
        ways.append((GameQuestion(run=last_played.name), title, "casino"))
    with suppress(GameError):  # the page Notes says why its file cannot be read
        sets = NoteStore(library.folder).lesson_collections()
        ways += [(NoteListQuestion(collection=name), name, "school") for name in sets[:1]]
    if ways:
        with st.container(horizontal=True, key="ways-back"):
            for question, label, icon in ways:
                show_link(question, escape_markdown(label), f":material/{icon}:")


def find_rule_change(library: Library) -> RuleEffectQuestion:
    """Return the question what a rule of the first ruleset that has one changes; the choice of the page without such."""
    suggested = map(suggest_turned_rule, library.catalogue.rulesets.values())
    return next(filter(None, suggested), RuleEffectQuestion())


def _watch() -> None:
    st.session_state["watched"] = True
