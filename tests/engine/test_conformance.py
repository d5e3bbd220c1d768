"""The contract that every game fulfils, tested under the shipped rulesets."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st

from engine import games
from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import IllegalError, InvalidError
from engine.luck import Luck
from engine.play import play_out, replay_actions
from engine.scene import SCENE_COLOURS, Scene
from engine.strategies import built_in_strategies, read_player
from tests.engine.every_ruleset import RULESETS, CheckList, RulesetCheck, seeds
from tests.engine.playing import reason_of_refusal

if TYPE_CHECKING:
    from engine.play import Ply
    from engine.ruleset import Ruleset
    from engine.state import State

CHECKS = CheckList()
every_game = pytest.mark.parametrize("name", games.game_names())


def play_game(ruleset: Ruleset, seed: int, strategy: str = "random") -> tuple[State, list[Ply]]:
    decide = read_player(games.find_game(ruleset.game), strategy).decide
    return play_out(games.start_state(ruleset), [decide] * ruleset.players, Luck(seed, 0))


def game_positions(ruleset: Ruleset, seed: int) -> list[State]:
    _, plies = play_game(ruleset, seed)
    return list(replay_actions(games.start_state(ruleset), [ply.action for ply in plies]))


def test_all_shipped_rulesets_can_be_read() -> None:
    assert not Catalogue().file_errors
    assert RULESETS


@every_game
def test_every_game_has_a_shipped_ruleset_and_a_greedy_strategy(name: str) -> None:
    assert any(ruleset.game == name for ruleset in RULESETS.values())
    assert {"random", "greedy"} <= built_in_strategies(games.find_game(name)).keys()


@every_game
def test_every_clause_number_occurs_in_a_test(name: str) -> None:
    folder = name.replace("-", "_")
    clauses = re.findall(
        r"^\| ([A-Z]{2}-\d+) \|", (Path(games.__path__[0]) / folder / "clauses.md").read_text(), re.MULTILINE
    )
    tests = "\n".join(
        path.read_text() for path in (Path(__file__).parent / "games" / folder).glob("test_*.py")
    )
    assert clauses
    unnamed = [
        clause
        for clause in clauses
        if not re.search(rf"{clause}(?!\d)|{clause.replace('-', '_').lower()}(?!\d)", tests)
    ]
    assert not unnamed


@every_game
def test_every_table_has_a_provenance_and_nothing_else_has(name: str) -> None:
    ruleset = next(ruleset for ruleset in RULESETS.values() if ruleset.game == name)
    document = ruleset.document
    for table in ruleset.provenance:
        left = {key: known for key, known in ruleset.provenance.items() if key != table}
        assert reason_of_refusal(type(ruleset), {**document, "provenance": left}) == (
            f"my.toml: provenance.{table}: expected 'book', 'reconstructed' or 'own', found nothing"
        )
    more = {**ruleset.provenance, "nothing": "book"}
    message = reason_of_refusal(type(ruleset), {**document, "provenance": more})
    assert message == "my.toml: provenance.nothing: there is no such table"


@CHECKS.drawn(seed=seeds)
def test_every_action_number_is_below_the_end(ruleset: Ruleset, seed: int) -> None:
    assert ruleset.action(ruleset.actions_end - 1).notation
    for beyond in (ruleset.actions_end, -1):
        with pytest.raises(InvalidError):
            ruleset.action(beyond)
    assert all(
        0 <= action < ruleset.actions_end
        for state in game_positions(ruleset, seed)
        for action in state.actions
    )


@CHECKS.drawn(seed=seeds)
def test_a_game_ends_and_has_actions_until_then(ruleset: Ruleset, seed: int) -> None:
    *before, end = game_positions(ruleset, seed)
    assert end.is_over
    assert not end.actions
    assert all(not state.is_over and len(state.actions) for state in before)


@CHECKS.drawn(seed=seeds)
def test_actions_ascend_without_repeats_and_their_notation_can_be_read(ruleset: Ruleset, seed: int) -> None:
    for state in game_positions(ruleset, seed)[::7]:
        actions = list(state.actions)
        assert actions == sorted(set(actions))
        assert len(state.actions) == len(actions)
        for action in actions[:: max(1, len(actions) // 40)]:
            named = ruleset.action(action)
            assert ruleset.read_action(named.notation) == action
            assert action in state.actions


@CHECKS.drawn(strategy=st.sampled_from(["random", "greedy"]))
def test_equal_seeds_give_equal_games_and_different_seeds_different_games(
    ruleset: Ruleset, strategy: str
) -> None:
    assert play_game(ruleset, 5, strategy)[1] == play_game(ruleset, 5, strategy)[1]
    assert play_game(ruleset, 5, strategy)[1] != play_game(ruleset, 6, strategy)[1]


@CHECKS.drawn(seed=seeds)
def test_play_does_not_change_the_state(ruleset: Ruleset, seed: int) -> None:
    _, plies = play_game(ruleset, seed)
    state = games.start_state(ruleset)
    for ply in plies[:40]:
        seen = (state.seat, state.round, tuple(state.actions), state.scores, str(state))
        after = state.play(ply.action)
        assert seen == (state.seat, state.round, tuple(state.actions), state.scores, str(state))
        state = after


@CHECKS.drawn(seed=seeds)
def test_illegal_actions_are_rejected(ruleset: Ruleset, seed: int) -> None:
    states = game_positions(ruleset, seed)
    common = {action for state in states for action in list(state.actions)[:20]}
    for state in [*states[::11], states[-1]]:
        for action in [-1, 10**9, *sorted(common - set(state.actions))[:10]]:
            with pytest.raises(IllegalError, match=ruleset.name):
                state.play(action)


@CHECKS.drawn(factor=1, text=st.text(max_size=30))
def test_a_text_that_is_not_notation_is_rejected_with_one_line(ruleset: Ruleset, text: str) -> None:
    try:
        action = ruleset.read_action(text)
    except InvalidError as error:
        assert len(str(error).splitlines()) <= 1  # noqa: PT017 - most texts are rejected, but some are notation
    else:
        assert ruleset.action(action).notation == text


@CHECKS.drawn()
def test_numbers_without_an_action_are_rejected(ruleset: Ruleset) -> None:
    for number in (-1, 10**9):
        with pytest.raises(InvalidError, match=ruleset.name):
            ruleset.action(number)


@CHECKS.drawn(seed=seeds)
def test_parts_add_up_to_scores_and_ranks_follow_standings(ruleset: Ruleset, seed: int) -> None:
    named = list(games.find_game(ruleset.game).parts)
    for state in game_positions(ruleset, seed)[::5]:
        assert len(state.scores) == len(state.parts) == len(state.ranks) == ruleset.players
        for parts, score in zip(state.parts, state.scores, strict=True):
            assert [part.part for part in parts] == named
            assert sum(part.points for part in parts) == score
        best = max if not ruleset.lowest_wins else min
        assert state.scores[state.ranks.index(1)] == best(state.scores)


@CHECKS.drawn(seed=seeds)
def test_the_probabilities_of_chance_add_up_to_1(ruleset: Ruleset, seed: int) -> None:
    for state in game_positions(ruleset, seed):
        if state.is_over or state.seat != CHANCE:
            continue
        assert len(state.probabilities) == len(state.actions)
        assert math.isclose(sum(state.probabilities), 1)
        assert state.chance_outcome(Luck(seed, 3)) in state.actions


@CHECKS.drawn(seed=seeds)
def test_the_logged_plies_agree_with_the_rules(ruleset: Ruleset, seed: int) -> None:
    end, plies = play_game(ruleset, seed)
    states = game_positions(ruleset, seed)
    assert states[-1].scores == end.scores
    for ply, before, after in zip(plies, states, states[1:], strict=False):
        assert (ply.round, ply.seat) == (before.round, before.seat)
        if ply.seat == CHANCE:
            assert ply.options is None
            assert ply.score is None
        else:
            assert ply.options == len(before.actions)
            assert ply.score == after.scores[ply.seat]
    rounds = [ply.round for ply in plies]
    assert rounds == sorted(rounds)
    assert rounds[0] == 0


@CHECKS.drawn()
def test_a_ruleset_can_be_rebuilt_from_its_document(ruleset: Ruleset) -> None:
    document = json.loads(json.dumps(ruleset.document))
    again = type(ruleset).from_document(document, "document")
    assert again == ruleset
    assert again.sha256 == ruleset.sha256


def play_scene(ruleset: Ruleset, strategy: str) -> tuple[Scene, list[Ply]]:
    _, plies = play_game(ruleset, 11, strategy)
    return games.find_game(ruleset.game).scene(ruleset, [ply.action for ply in plies]), plies


@CHECKS.drawn(strategy=st.sampled_from(["random", "greedy"]))
def test_a_scene_has_a_step_for_every_ply(ruleset: Ruleset, strategy: str) -> None:
    scene, plies = play_scene(ruleset, strategy)
    assert json.loads(json.dumps(scene)) == scene
    assert len(scene["steps"]) == len(plies)
    for step, ply in zip(scene["steps"], plies, strict=True):
        assert (step["round"], step["seat"]) == (ply.round, ply.seat)
        assert step["notation"] == ruleset.action(ply.action).notation
        assert step["caption"].endswith((".", "!"))
        assert len(step["scores"]) == len(step["status"]) == ruleset.players


@CHECKS.drawn()
def test_a_scene_paints_existing_squares_and_spends_each_piece_once(ruleset: Ruleset) -> None:
    scene, _ = play_scene(ruleset, "greedy")
    for board in scene["boards"]:
        assert len(board["fills"]) == len(board["labels"]) == board["columns"] * board["rows"]
        assert len(board["column_labels"]) == board["columns"]
        assert len(board["row_labels"]) == board["rows"]
        assert {fill for fill in board["fills"] if fill is not None} <= set(SCENE_COLOURS)
    assert {mark["colour"] for mark in scene["marks"].values()} <= set(SCENE_COLOURS)
    spent = [tuple(piece) for step in scene["steps"] for piece in step["spend"]]
    assert len(spent) == len(set(spent))
    assert all(piece < len(scene["trays"][tray]["pieces"]) for tray, piece in spent)
    for step in scene["steps"]:
        for where, cell, mark in step["paint"]:
            assert scene["boards"][int(where)]["fills"][int(cell)] is not None
            assert mark in scene["marks"]
        for where, cell in step["glow"]:
            assert scene["boards"][where]["fills"][cell] is not None


@pytest.mark.night
@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.check.__name__)
def test_every_check_holds_for_every_ruleset(check: RulesetCheck, ruleset: Ruleset) -> None:
    check.run_for(ruleset)
