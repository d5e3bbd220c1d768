"""The highlights of a library: comparisons, what-ifs, close games, favourite notes, and every ruleset that was played."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from engine import games
from engine.errors import GameError
from pipelines.notes.places import place_of_game, place_of_run
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.games import GamesQuestion, answer_games
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.runs.names import run_name_from_text
from pipelines.studies.sections import StudyItem, find_note_items

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.questions.games import ListedGame
    from pipelines.runs.run import Run
    from pipelines.runs.summary import RulesetSummary
    from pipelines.studies.sections import StudySource

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


def find_highlights(source: StudySource) -> list[Highlight]:
    """Return the highlights of a library, group by group."""
    whole = [run for run in source.runs if run.summary.plays_whole_games]
    favourites = find_note_items(NoteStore(source.library.folder), NoteFilter(only_favourites=True))
    rulesets = {ruleset.name: ruleset for run in reversed(whole) for ruleset in run.summary.rulesets}
    ordered = sorted(rulesets.values(), key=lambda one: (games.list_order(one.game), one.players, one.name))
    return [
        *_list_runs([run for run in source.runs if run.summary.is_comparison], "comparison"),
        *(
            Highlight("note", f"note-{item.note.note_id[:8]}", item)
            for item in favourites[:MAX_NOTES]
            if item.note
        ),
        *_list_runs([run for run in source.runs if run.summary.is_whatif], "what-if"),
        *(_game_highlight(source, game) for game in find_close_games(source, ordered)),
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


def _game_highlight(source: StudySource, game: ListedGame) -> Highlight:
    run = source.find_run(game.run)
    place = place_of_game(run, game.game_id)
    name = f"game-{run_name_from_text(run.name)}-{game.game_id + 1}"
    return Highlight("game", name, StudyItem(place.page, place.address, run))


def find_close_games(source: StudySource, rulesets: Iterable[RulesetSummary]) -> list[ListedGame]:
    """Return the logged games that were won by the fewest points: at most one of each ruleset, and each game once first.

    A shared win is no close game, because nobody is behind. A ruleset of which a file is damaged is left out.
    """
    found: list[tuple[ListedGame, str]] = []
    for ruleset in rulesets:
        question = GamesQuestion(
            rulesets=(ruleset.name,), sort="margin", is_lowest=True, only_logged=True, most=1
        )
        with suppress(GameError):
            found += [(listed, ruleset.game) for listed in answer_games(question, source).games]
    found.sort(key=lambda one: (one[0].value, one[0].run))
    first_of_game: dict[str, ListedGame] = {}
    for listed, game in found:
        first_of_game.setdefault(game, listed)
    others = [listed for listed, _ in found if listed not in first_of_game.values()]
    return [*first_of_game.values(), *others][:MAX_CLOSE_GAMES]
