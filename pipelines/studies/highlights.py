"""The highlights of a library: comparisons, what-ifs, close games, favourite notes, and every ruleset that was played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from engine.errors import GameError
from pipelines.notes.places import place_of_game, place_of_run
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.games.answer import find_remarkable_game
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.runs.names import run_name_from_text
from pipelines.studies.items import StudyItem, find_note_items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.runs.run import Run
    from pipelines.studies.sources import StudySource

HighlightGroup: TypeAlias = Literal["comparison", "note", "what-if", "game", "scores"]

MAX_RUNS: Final = 24
"""Comparisons and what-ifs at most, the newest first."""
MAX_CLOSE_GAMES: Final = 6
MAX_NOTES: Final = 60


class Highlight(NamedTuple):
    """One page of a site."""

    group: HighlightGroup
    name: str
    """A name for its file, without the suffix; several highlights may have the same."""
    item: StudyItem


class _CloseGame(NamedTuple):
    lead: int
    """Points between the winner and the next player."""
    run: Run
    game_id: int
    ruleset: str
    game: str


def find_highlights(source: StudySource) -> list[Highlight]:
    """Return the highlights of a library, group by group."""
    whole = [run for run in source.runs if run.summary.plays_whole_games]
    favourites = find_note_items(NoteStore(source.library.folder), NoteFilter(only_favourites=True))
    rulesets = {ruleset.name: ruleset for run in reversed(whole) for ruleset in run.summary.rulesets}
    ordered = sorted(rulesets.values(), key=lambda ruleset: (ruleset.game, ruleset.players, ruleset.name))
    return [
        *_list_runs([run for run in source.runs if run.summary.is_comparison], "comparison"),
        *(
            Highlight("note", f"note-{item.note.note_id[:8]}", item)
            for item in favourites[:MAX_NOTES]
            if item.note
        ),
        *_list_runs([run for run in source.runs if run.summary.is_whatif], "what-if"),
        *(_game_highlight(game) for game in find_close_games(whole)),
        *(
            Highlight(
                "scores",
                f"scores-{run_name_from_text(ruleset.name)}",
                StudyItem(ScoresQuestion.page, {"rulesets": [ruleset.name]}),
            )
            for ruleset in ordered
        ),
    ]


def _list_runs(runs: list[Run], group: HighlightGroup) -> list[Highlight]:
    places = [(run, place_of_run(run)) for run in runs[:MAX_RUNS]]
    return [
        Highlight(group, f"{group}-{run_name_from_text(run.name)}", StudyItem(place.page, place.address, run))
        for run, place in places
    ]


def _game_highlight(game: _CloseGame) -> Highlight:
    place = place_of_game(game.run, game.game_id)
    name = f"game-{run_name_from_text(game.run.name)}-{game.game_id}"
    return Highlight("game", name, StudyItem(place.page, place.address, game.run))


def find_close_games(runs: Sequence[Run]) -> list[_CloseGame]:
    """Return the logged games that were won by the fewest points: at most one of each ruleset, and each game once first.

    A shared win is no close game, because nobody is behind.
    """
    closest: dict[str, _CloseGame] = {}
    for run in runs:
        found = _find_closest_game(run)
        if found and (found.ruleset not in closest or found.lead < closest[found.ruleset].lead):
            closest[found.ruleset] = found
    ordered = sorted(closest.values(), key=lambda one: (one.lead, one.run.name))
    first_of_game = list({one.game: one for one in reversed(ordered)}.values())
    others = [one for one in ordered if one not in first_of_game]
    return [*sorted(first_of_game, key=ordered.index), *others][:MAX_CLOSE_GAMES]


def _find_closest_game(run: Run) -> _CloseGame | None:
    """Return the closest logged game of a run with one winner; None if it has none, or if the file is damaged."""
    games = {ruleset.name: ruleset.game for ruleset in run.summary.rulesets}
    try:
        found = find_remarkable_game(run, "margin", is_lowest=True)
    except GameError:
        return None
    if found is None or found.ruleset not in games:
        return None
    return _CloseGame(int(found.value), run, found.game_id, found.ruleset, games[found.ruleset])
