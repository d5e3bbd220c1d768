"""The notes of the demo library: for each game a close finish, a turning point, a what-if and a comparison to open.

They are in the collection Highlights, so the page Notes shows from the first day what notes are good for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from engine import games
from engine.actions import CHANCE
from engine.counted_nouns import capitalise, format_count
from engine.errors import GameError
from pipelines.design.lineups import base_name
from pipelines.experiments.comparison import compare_strategies
from pipelines.experiments.reviewer import Reviewer
from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.places import place_of_game, place_of_run, run_key
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.address import write_address
from pipelines.questions.comparison import ComparisonAnswer, KnownComparisonQuestion
from pipelines.questions.every_question import read_question
from pipelines.questions.games import find_remarkable_game
from pipelines.questions.source import QuestionSource
from pipelines.questions.whatif import WhatifAnswer, WhatifQuestion, ask_about_change
from pipelines.report.compose import compose
from pipelines.report.estimates import set_sentence
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.experiments.whatif import WhatIf
    from pipelines.runs.run import Run
    from pipelines.statistics import Interval

COLLECTION: Final = "Highlights"
CLOSE_FINISH_TAG: Final = "closest finish"
TURNING_POINT_TAG: Final = "turning point"


class TurningPoint(NamedTuple):
    """The ply at which a seat that was expected to lose came closest to the win."""

    ply: int
    before: Interval
    """The share of the win before the ply, by the playouts of the review."""
    after: Interval
    is_roll: bool
    playouts: int
    """Playouts of each position."""
    policy: str
    """The strategy of the playouts."""


def find_turning_point(run: Run, game_id: int, seat: int) -> TurningPoint | None:
    """Return the ply of a logged game at which the win share of a seat rose most from below a half; None if no rise is clear.

    A rise is clear if the 95 % intervals before and after it do not overlap. The values are those of the review that the
    page Replay shows.
    """
    reviewer = Reviewer(run.ruleset(run.game(game_id).ruleset), run.actions(game_id))
    shares = [reviewer.position_value(ply)[1][seat] for ply in range(len(reviewer.states))]
    clear = [
        ply
        for ply in range(len(reviewer.actions))
        if shares[ply].estimate < 0.5 and shares[ply].high < shares[ply + 1].low
    ]
    if not clear:
        return None
    ply = max(clear, key=lambda ply: shares[ply + 1].estimate - shares[ply].estimate)
    is_roll = reviewer.states[ply].seat == CHANCE
    return TurningPoint(
        ply, shares[ply], shares[ply + 1], is_roll, reviewer.position_playouts, reviewer.policy
    )


def keep_highlights(store: NoteStore, comparison: Run, parent: Run, whatif: WhatIf) -> None:
    """Keep the notes of a game: of its comparison, and of a what-if about a game of the run `parent`.

    What is kept already is not kept again. A file of notes that cannot be written leaves the library without them.
    """
    try:
        for place, content in _write_highlights(comparison, parent, whatif):
            known = store.search(NoteFilter(run_key=place.run_key, page=place.page)).notes
            asked = read_question(place.page, place.address)
            if all(read_question(note.page, note.address) != asked for note in known):
                store.add(place, content)
    except GameError:
        return


def _write_highlights(
    comparison: Run, parent: Run, whatif: WhatIf
) -> Iterator[tuple[NotePlace, NoteContent]]:
    """Yield the places and texts of the notes, the one to be shown first last."""
    title = games.find_game(comparison.summary.rulesets[0].game).title
    source = QuestionSource(only=(comparison, parent))
    compared = compare_strategies(comparison, with_controls=False)
    answer = ComparisonAnswer(KnownComparisonQuestion(run=comparison.name), compared)
    yield (
        place_of_run(comparison),
        _make_content(
            f"{title}: {' against '.join(map(base_name, comparison.summary.strategies))}",
            set_sentence(compose(answer, source.find_looks).verdict),
        ),
    )
    yield _whatif_highlight(title, source, parent, whatif)
    close = _close_finish_highlight(title, comparison)
    if close:
        yield close
    turn = _turning_point_highlight(title, comparison)
    if turn:
        yield turn


def _whatif_highlight(
    title: str, source: QuestionSource, parent: Run, whatif: WhatIf
) -> tuple[NotePlace, NoteContent]:
    fork = whatif.fork
    ((seat, strategy),) = fork.change.strategies.items()
    question = ask_about_change(
        WhatifQuestion,
        fork.change,
        run=parent.name,
        game=fork.game_id,
        ply=fork.ply,
        n=whatif.n,
        seed=whatif.seed,
    )
    place = NotePlace("what-if", question.page, write_address(question), run_key(parent))
    logged = base_name(parent.seats(fork.game_id)[seat].strategy)
    return place, _make_content(
        f"{title}: what if {base_name(strategy)} took over from {logged} at move {fork.ply + 1}?",
        f"{capitalise(compose(WhatifAnswer(question, whatif, parent), source.find_looks).verdict)}.",
    )


def _close_finish_highlight(title: str, run: Run) -> tuple[NotePlace, NoteContent] | None:
    found = find_remarkable_game(run, "margin", is_lowest=True)
    if found is None:
        return None
    winner = next(seat for seat in run.seats(found.game_id) if seat.rank == 1)
    margin = f"by {format_count(int(found.value), 'point')}" if found.value else "after a tie of scores"
    scores = ", ".join(
        f"{base_name(seat.strategy)} {seat.score}"
        for seat in sorted(run.seats(found.game_id), key=lambda seat: seat.rank)
    )
    return place_of_game(run, found.game_id), _make_content(
        f"{title}: {base_name(winner.strategy)} wins {margin}",
        f"No game of this run ended closer: {scores}.",
        CLOSE_FINISH_TAG,
    )


def _turning_point_highlight(title: str, run: Run) -> tuple[NotePlace, NoteContent] | None:
    comeback = find_remarkable_game(run, "comeback")
    if comeback is None or comeback.ply is None:
        return None
    deficit = format_count(int(comeback.value), "point")
    winner = next(seat for seat in run.seats(comeback.game_id) if seat.rank == 1)
    turn = find_turning_point(run, comeback.game_id, winner.seat)
    if turn is None:
        return None
    name = base_name(winner.strategy)
    place = place_of_game(run, comeback.game_id, turn.ply)
    text = (
        f"After move {comeback.ply + 1} {name} is {deficit} behind, and still wins. "
        f"The turning point is move {turn.ply + 1}{', a roll' if turn.is_roll else ''}: the win chance of {name} rises from "
        f"{_format_share(turn.before, '95 % interval ')} {'over all rolls ' if turn.is_roll else ''}to "
        f"{_format_share(turn.after)}, in {turn.playouts} playouts by {base_name(turn.policy)} "
        f"{'after the roll' if turn.is_roll else 'from each position'}."
    )
    return NotePlace(
        place.kind, place.page, {**place.address, "review": ["1"]}, place.run_key
    ), _make_content(
        f"{title}: {name} comes back from {deficit} behind",
        text,
        TURNING_POINT_TAG,
        is_favourite=True,
    )


def _make_content(title: str, text: str, *tags: str, is_favourite: bool = False) -> NoteContent:
    return NoteContent(title, set_minus_signs(text), tags, (COLLECTION,), is_favourite=is_favourite)


def _format_share(share: Interval, what: str = "") -> str:
    return f"{100 * share.estimate:.0f} % ({what}{100 * share.low:.0f} to {100 * share.high:.0f})"
