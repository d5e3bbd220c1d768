"""Where a note on a game by hand leads: to the game in its address, or to the run that it has become. Without Streamlit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import GameError
from pipelines.notes.places import place_of_game
from pipelines.play.hand_game import continue_game
from pipelines.play.kept_game import find_kept_game
from pipelines.questions.address import read_fields
from pipelines.questions.hand_game import HandGameQuestion, prepare_hand_game

if TYPE_CHECKING:
    from pipelines.notes.note import NotePlace
    from pipelines.runs.library import Library


def find_kept_place(place: NotePlace, library: Library) -> NotePlace | None:
    """Return the replay of a finished game by hand, and the place itself as long as the game is in progress.

    None if the address holds no game.
    """
    asked, _ = read_fields(HandGameQuestion, place.address)
    try:
        game = continue_game(prepare_hand_game(asked, library), asked.moves)
    except GameError:
        return None
    kept = find_kept_game(library, game) if game.state.is_over else None
    return place_of_game(kept, 0) if kept else place
