"""Transcripts are not trusted: the rules play them, and errors name the first line that does not fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import games
from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import GameError, IllegalError, InvalidError
from engine.luck import Luck
from engine.play import Ply, play_out
from engine.strategies import read_player
from engine.transcript import Transcript, TranscriptLine, play_transcript
from tests.examples import scale_examples

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

RULESETS = ["bloxx-2p", "blokus-duo", "blokus-dice-2p", "spexxx-2p"]
every_game = pytest.mark.parametrize("name", RULESETS)


def random_transcript(name: str, seed: int = 7) -> tuple[Ruleset, Transcript, list[Ply], tuple[int, ...]]:
    """Return a random game as a transcript, with its ruleset, plies and scores."""
    ruleset = Catalogue().find_ruleset(name)
    decide = read_player(games.find_game(ruleset.game), "random").decide
    end, plies = play_out(games.start_state(ruleset), [decide] * ruleset.players, Luck(seed, 0))
    lines = tuple(
        TranscriptLine(f"line {n}", ruleset.action(ply.action).notation) for n, ply in enumerate(plies)
    )
    return ruleset, Transcript(name, ("Anna", "Ben"), lines), plies, end.scores


@every_game
@scale_examples(0.05)
@given(seed=st.integers(0, 1 << 32))
def test_forced_actions_may_be_left_out(name: str, seed: int) -> None:
    ruleset, game, plies, scores = random_transcript(name, seed)
    chosen = [line for line, ply in zip(game.lines, plies, strict=True) if ply.options != 1]
    whole, short = (
        play_transcript(games.start_state(ruleset), game),
        play_transcript(games.start_state(ruleset), replace(game, lines=tuple(chosen), scores=scores)),
    )
    assert whole.plies == short.plies == plies
    assert whole.end.scores == short.end.scores == scores


@every_game
@pytest.mark.parametrize("claim", ["round", "seat", "options", "score"])
def test_claims_about_a_ply_are_checked(name: str, claim: str) -> None:
    ruleset, game, plies, _ = random_transcript(name)
    number = next(n for n, ply in enumerate(plies) if ply.seat != CHANCE and (ply.options or 0) > 1)
    truth = getattr(plies[number], claim)
    for value, is_true in ((truth, True), (truth + 1, False)):
        lines = list(game.lines)
        lines[number] = replace(lines[number], claims={claim: value})
        if is_true:
            play_transcript(games.start_state(ruleset), replace(game, lines=tuple(lines)))
            continue
        with pytest.raises(GameError, match=rf"^line {number}: "):
            play_transcript(games.start_state(ruleset), replace(game, lines=tuple(lines)))


@every_game
def test_a_game_that_does_not_end_or_continues_after_its_end_is_rejected(name: str) -> None:
    ruleset, game, plies, scores = random_transcript(name)
    last = max(n for n, ply in enumerate(plies) if ply.options != 1)
    with pytest.raises(InvalidError, match=rf"^after line {last - 1} the game is not over: in round \d+ "):
        play_transcript(games.start_state(ruleset), replace(game, lines=game.lines[:last]))
    with pytest.raises(IllegalError, match=r"^line \d+: the game was already over$"):
        play_transcript(games.start_state(ruleset), replace(game, lines=(*game.lines, game.lines[-1])))
    with pytest.raises(InvalidError, match=r"^the file has the scores 999 999, by the rules they are "):
        play_transcript(games.start_state(ruleset), replace(game, scores=(999, 999)))
    assert play_transcript(games.start_state(ruleset), replace(game, scores=scores)).end.scores == scores


@every_game
def test_the_error_for_an_illegal_line_names_its_place(name: str) -> None:
    ruleset, game, plies, _ = random_transcript(name)
    number = next(n for n, ply in enumerate(plies) if ply.seat != CHANCE and n > 3)
    wrong = ruleset.action(plies[number].action).notation
    lines = (*game.lines[:1], TranscriptLine("line 77", wrong), *game.lines[1:])
    with pytest.raises(IllegalError, match=r"^line 77: .* is not legal here \("):
        play_transcript(games.start_state(ruleset), replace(game, lines=lines))
    with pytest.raises(InvalidError, match=r"^line 5: '\?\?\?' is no"):
        play_transcript(games.start_state(ruleset), replace(game, lines=(TranscriptLine("line 5", "???"),)))


def test_a_wrong_number_of_seats_is_rejected() -> None:
    ruleset, game, _, _ = random_transcript("bloxx-2p")
    with pytest.raises(InvalidError, match=r"^bloxx-2p has 2 seats, not 1$"):
        play_transcript(games.start_state(ruleset), replace(game, seats=("Anna",)))
