"""Games by hand: the text of the moves, hints, undos, equal dice, and the run that a finished game becomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.errors import GameError
from engine.games import find_game, start_state
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from pipelines.design.designs import HandDesign
from pipelines.play import (
    HandGame,
    continue_game,
    default_seats,
    find_kept_game,
    keep_game,
    prepare_continuation,
    prepare_game,
)
from pipelines.runs.library import Library
from pipelines.simulate.verify import verify_run

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue
    from pipelines.runs.run import Run

SHORT_RULESETS = ("bloxx-2p", "blokus-duo", "blokus-dice-7-2p", "spexxx-children-4p")


def choose_first_moves(game: HandGame) -> HandGame:
    """Play to the end; the people choose the first legal action."""
    game.let_strategies_play()
    while not game.state.is_over:
        game.choose(game.state.actions[0])
        game.let_strategies_play()
    return game


@pytest.mark.parametrize("name", SHORT_RULESETS)
def test_a_game_by_hand_has_the_dice_and_the_answers_of_a_simulated_game(
    catalogue: Catalogue, name: str
) -> None:
    """The people do what greedy does, so the game is that of greedy and random with the same seed."""
    ruleset = catalogue.find_ruleset(name)
    game, people = find_game(ruleset.game), range(0, ruleset.players, 2)
    others = ["me" if seat in people else "random" for seat in range(ruleset.players)]
    by_hand = continue_game(prepare_game(ruleset, others, 7))
    players = [read_player(game, "greedy" if seat in people else "random") for seat in range(ruleset.players)]
    _, plies = play_out(start_state(ruleset), [player.decide for player in players], Luck(7, 0))
    by_hand.let_strategies_play()
    while not by_hand.state.is_over:
        by_hand.choose(plies[len(by_hand.plies)].action)
        by_hand.let_strategies_play()
    assert by_hand.plies == plies


@pytest.mark.parametrize("name", SHORT_RULESETS)
def test_a_finished_game_is_a_run_that_verify_accepts_and_is_kept_once(
    catalogue: Catalogue, tmp_path: Path, name: str
) -> None:
    ruleset = catalogue.find_ruleset(name)
    game = choose_first_moves(continue_game(prepare_game(ruleset, default_seats(ruleset, 1), 3)))
    library = Library(tmp_path)
    assert find_kept_game(library, game) is None
    run = keep_game(library, game)
    verify_run(run)
    assert run.summary.kind == "hand"
    assert [seat.strategy for seat in run.list_seats(0)] == list(game.setup.seats)
    assert run.actions(0) == game.actions
    again = keep_game(library, continue_game(game.setup, game.text))
    assert again.path == run.path
    assert len(library.runs()) == 1


def test_the_text_of_the_moves_continues_the_game_with_its_hints_and_undos(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    setup = prepare_game(catalogue.find_ruleset("bloxx-2p"), ["greedy", 'me:name="Anna"'], 5)
    game = continue_game(setup)
    game.let_strategies_play()
    before, taken_back = game.state, game.state.actions[0]
    hint = game.ask_hint("greedy")
    assert hint in game.state.actions
    assert game.ask_hint("greedy") == hint
    game.choose(taken_back)
    game.let_strategies_play()
    game.undo()
    assert game.state == before
    assert not game.can_undo
    game.choose(hint)
    game.let_strategies_play()
    again = continue_game(setup, game.text)
    assert (again.state, again.plies, again.text) == (game.state, game.plies, game.text)
    run = keep_game(Library(tmp_path), choose_first_moves(again))
    assert isinstance(run.design, HandDesign)
    hand = run.design.hand
    ply = game.choices[0][0]
    assert [(hint.ply, hint.seat, hint.strategy) for hint in hand.hints] == [(ply, 1, "greedy")]
    assert [(undo.ply, undo.action) for undo in hand.undos] == [
        (ply, setup.ruleset.action(taken_back).notation)
    ]
    assert run.summary.strategies == ("Anna", "greedy")


@pytest.mark.slow
def test_a_logged_game_is_played_on_from_any_move_with_its_own_dice_or_with_others(
    small_run: Run, tmp_path: Path
) -> None:
    run = small_run
    logged = run.actions(4)
    setup = prepare_continuation(run, 4, 9, default_seats(run.ruleset("bloxx-2p"), 0))
    game = continue_game(setup)
    # Whoever repeats what happened meets the dice that were rolled.
    everybody = continue_game(prepare_continuation(run, 4, 9, ["me"] * 2))
    while not everybody.state.is_over:
        everybody.choose(logged[len(everybody.plies)])
    assert everybody.actions == logged
    game = choose_first_moves(game)
    assert game.actions[:9] == logged[:9]
    kept = keep_game(Library(tmp_path), game)
    verify_run(kept)
    assert kept.summary.title.endswith("from move 10 of a logged game")
    assert "--run made --game 5 --move 10 --moves" in kept.summary.command
    other = choose_first_moves(continue_game(prepare_continuation(run, 4, 9, setup.seats, seed=99)))
    assert other.actions[:9] == logged[:9]
    assert other.actions != game.actions
    verify_run(keep_game(Library(tmp_path), other))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zzzzzzzz", "entry 1, 'zzzzzzzz': this move is not legal here"),
        ("_", "entry 1, '_': there is no move to take back"),
        ("~gredy", "unknown strategy of bloxx 'gredy'"),
        ("0<script>", "it is neither an action, nor a hint, nor an undo"),
        (".", "entry 1, ''"),
        ("1." * 30_000, "at most 40,000"),
        ("9" * 5_000, "neither an action"),
    ],
)
def test_a_text_that_does_not_fit_the_rules_is_refused_in_one_line(
    catalogue: Catalogue, text: str, message: str
) -> None:
    setup = prepare_game(catalogue.find_ruleset("bloxx-2p"), ["me", "greedy"], 5)
    with pytest.raises(GameError, match=message.replace("(", r"\(")) as refused:
        continue_game(setup, text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        (["me"], "it takes 2 players, not 1"),
        (["greedy", "random"], "nobody plays by hand"),
        (["me", "gredy"], "did you mean greedy"),
        (["me:age=3", "greedy"], "unknown parameter of me"),
    ],
)
def test_seats_that_do_not_exist_are_refused(catalogue: Catalogue, seats: list[str], message: str) -> None:
    with pytest.raises(GameError, match=message):
        prepare_game(catalogue.find_ruleset("bloxx-2p"), seats, 5)
