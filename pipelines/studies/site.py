"""A site: the highlights of a library as a folder of HTML files, which opens from a disk and from any web server.

All links are relative. The index leads to one page for each highlight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from engine import games
from engine.errors import GameError
from pipelines.notes.note import place_of_game, place_of_run
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.games import GamesQuestion, ListedGame, answer_games
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.report.charts import Histogram
from pipelines.report.estimates import set_sentence
from pipelines.report.show.html import draw_curve
from pipelines.report.wording import format_count
from pipelines.runs.names import run_name_from_text
from pipelines.studies.study import (
    MAX_ITEMS,
    Section,
    StudyItem,
    StudySource,
    find_note_items,
    iter_sections,
    make_study,
    write_page,
    write_study,
)

if TYPE_CHECKING:
    from markupsafe import Markup

    from pipelines.runs.run import Run
    from pipelines.runs.summary import RulesetSummary

INDEX_FILE: Final = "index.html"
DEFAULT_TITLE: Final = "Highlights"
MAX_CURVES: Final = 4
"""Strategies in the small picture of a ruleset."""
MAX_CARD_CHARACTERS: Final = 240
_HEADINGS: Final[dict[HighlightGroup, tuple[str, str]]] = {
    "comparison": (
        "Which strategy is better?",
        "Strategies that played each other on the same luck, in every seat.",
    ),
    "note": ("Noticed", "Moves, games and results that somebody kept as favourites."),
    "lesson": ("Lessons", "Positions of games: find a better move than the one that was played."),
    "what-if": ("What if?", "Games that were played on with a change and without it, on the same luck."),
    "game": ("Close games", "Games that were won by few points, to step through."),
    "scores": (
        "Scores",
        "How often each final score came up under each ruleset, with the mean score of each strategy and its 95 % interval.",
    ),
}
"""By group: its heading on the index, and a sentence on it."""


class Card(NamedTuple):
    """What the index shows of a page."""

    group: HighlightGroup
    file: str
    title: str
    words: str
    basis: str
    curve: Markup | None


class CardGroup(NamedTuple):
    """The cards of one group under a heading."""

    title: str
    about: str
    cards: tuple[Card, ...]


def write_site(  # noqa: PLR0913 - what a site is made of, passed by name
    source: StudySource,
    highlights: Sequence[Highlight],
    folder: Path,
    *,
    title: str = "",
    text: str = "",
    progress: Callable[[int], None] = lambda _done: None,
) -> int:
    """Write the pages of highlights and their index into an empty folder; return the number of files.

    `progress` is called with the number of highlights that are done. One that cannot be shown, such as a game whose log is
    damaged, is left out.
    """
    cards: list[Card] = []
    names = {INDEX_FILE}
    for done, highlight in enumerate(highlights, start=1):
        sections: list[Section] = []
        with suppress(GameError):
            sections = [section for section in iter_sections(source, highlight.items) if not section.problem]
        if sections:
            file = _free_name(names, highlight.name)
            page = write_study(make_study(sections, title=highlight.title), home=INDEX_FILE)
            (folder / file).write_text(page, encoding="utf-8", newline="\n")
            cards.append(_make_card(highlight, file, sections))
        progress(done)
    groups = tuple(
        CardGroup(heading, about, tuple(card for card in cards if card.group == group))
        for group, (heading, about) in _HEADINGS.items()
        if any(card.group == group for card in cards)
    )
    study = make_study([], title=title or DEFAULT_TITLE, text=text)
    index = write_page("index.html", has_replays=False, study=study, groups=groups)
    (folder / INDEX_FILE).write_text(index, encoding="utf-8", newline="\n")
    return len(names)


def _free_name(names: set[str], stem: str) -> str:
    """Return the name of a new file of a site, and add it to `names`. Letters are small: some disks do not tell them apart."""
    for number in count(1):
        name = f"{stem.lower()}{f'-{number}' if number > 1 else ''}.html"
        if name not in names:
            names.add(name)
            return name
    raise AssertionError


def _make_card(highlight: Highlight, file: str, sections: Sequence[Section]) -> Card:
    section = sections[0]
    if highlight.group == "lesson":
        played = section.sheet.basis.partition(". ")[0]
        words = f"{format_count(len(sections), 'position')} to solve, easy ones first."
        return Card("lesson", file, highlight.title, words, played, None)
    if highlight.group == "scores":
        (chart, *_) = section.sheet.list_contents(Histogram)
        hidden = len(chart.series) - MAX_CURVES
        more = f", {format_count(hidden, 'more strategy')}" if hidden > 0 else ""
        games = section.sheet.basis.partition(" in ")[0]
        return Card(
            "scores",
            file,
            section.sheet.title.removeprefix("Scores of "),
            "",
            f"{chart.panels[0][0].panel}, {games}{more}",
            draw_curve(replace(chart, series=chart.series[:MAX_CURVES])),
        )
    words = section.text or set_sentence(section.sheet.verdict)
    if len(words) > MAX_CARD_CHARACTERS:
        words = f"{words[: MAX_CARD_CHARACTERS - 1].rstrip()}…"
    # The first sentence says what was played and how often.
    basis = section.sheet.basis.partition(". ")[0].removesuffix(".")
    return Card(highlight.group, file, section.sheet.title, words, basis, None)


HighlightGroup: TypeAlias = Literal["comparison", "note", "lesson", "what-if", "game", "scores"]

MAX_RUNS: Final = 24
"""Comparisons and what-ifs at most, the newest first."""
MAX_CLOSE_GAMES: Final = 6
MAX_NOTES: Final = 60


class Highlight(NamedTuple):
    """One page of a site."""

    group: HighlightGroup
    name: str
    """A name for its file, without the suffix; several highlights may have the same."""
    items: Sequence[StudyItem]
    title: str = ""
    """The title of a page with several sections."""


def find_highlights(source: StudySource) -> list[Highlight]:
    """Return the highlights of a library, group by group."""
    whole = [run for run in source.runs if run.summary.plays_whole_games]
    store = NoteStore(source.library.folder)
    favourites = find_note_items(store, NoteFilter(only_favourites=True))
    lessons = _list_lessons(store, favourites)
    in_sets = [item.note for highlight in lessons for item in highlight.items]
    rulesets = {ruleset.name: ruleset for run in reversed(whole) for ruleset in run.summary.rulesets}
    ordered = sorted(
        rulesets.values(), key=lambda ruleset: (games.list_order(ruleset.game), ruleset.players, ruleset.name)
    )
    return [
        *_list_runs([run for run in source.runs if run.summary.is_comparison], "comparison"),
        *(
            Highlight("note", f"note-{item.note.note_id[:8]}", [item])
            for item in [item for item in favourites if item.note not in in_sets][:MAX_NOTES]
            if item.note
        ),
        *lessons,
        *_list_runs([run for run in source.runs if run.summary.is_whatif], "what-if"),
        *(_game_highlight(source, game) for game in find_close_games(source, ordered)),
        *(
            Highlight(
                "scores",
                f"scores-{run_name_from_text(ruleset.name)}",
                [StudyItem(ScoresQuestion.page, {"rulesets": [ruleset.name]})],
            )
            for ruleset in ordered
        ),
    ]


def _list_lessons(store: NoteStore, favourites: Sequence[StudyItem]) -> list[Highlight]:
    """Return a highlight for each collection with lessons among the favourites, with these lessons in its order."""
    names = {
        name for item in favourites if item.note and item.note.is_lesson for name in item.note.collections
    }
    highlights = []
    for name in sorted(names):
        items = find_note_items(store, NoteFilter(collection=name, only_favourites=True))
        items = [item for item in items if item.note and item.note.is_lesson][:MAX_ITEMS]
        highlights.append(Highlight("lesson", f"lessons-{run_name_from_text(name)}", items, name))
    return highlights


def _list_runs(runs: list[Run], group: HighlightGroup) -> list[Highlight]:
    places = [(run, place_of_run(run)) for run in runs[:MAX_RUNS]]
    return [
        Highlight(
            group, f"{group}-{run_name_from_text(run.name)}", [StudyItem(place.page, place.address, run)]
        )
        for run, place in places
    ]


def _game_highlight(source: StudySource, game: ListedGame) -> Highlight:
    run = source.find_run(game.run)
    place = place_of_game(run, game.game_id)
    name = f"game-{run_name_from_text(run.name)}-{game.game_id + 1}"
    return Highlight("game", name, [StudyItem(place.page, place.address, run)])


def find_close_games(source: StudySource, rulesets: Iterable[RulesetSummary]) -> list[ListedGame]:
    """Return the logged games that were won by the fewest points: at most one of each ruleset, and each game once first.

    A shared win is not a close game, because nobody is behind. A ruleset with a damaged file is left out.
    """
    close_games: list[tuple[ListedGame, str]] = []
    for ruleset in rulesets:
        question = GamesQuestion(
            rulesets=(ruleset.name,), sort="margin", is_lowest=True, only_logged=True, limit=1
        )
        with suppress(GameError):
            close_games += [(listed, ruleset.game) for listed in answer_games(question, source).games]
    close_games.sort(key=lambda entry: (entry[0].value, entry[0].run))
    first_of_game: dict[str, ListedGame] = {}
    for listed, game in close_games:
        first_of_game.setdefault(game, listed)
    others = [listed for listed, _ in close_games if listed not in first_of_game.values()]
    return [*first_of_game.values(), *others][:MAX_CLOSE_GAMES]
