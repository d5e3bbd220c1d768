"""Perfect play: every solver agrees with the plain rules, and no strategy is better."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks import perfect_play
from benchmarks.expectimax import first_seat_lead, lead_by_rules
from benchmarks.perfect_play import measure_distance, play_blocks
from benchmarks.solvers import SOLVED_RULESETS, prepare_perfect_play
from engine import games
from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.luck import Luck
from engine.own_strategies import file_sha256, load_strategy_file
from engine.play import play_out, replay_actions
from engine.strategies import built_in_strategies, read_player
from pipelines.records.record_file import read_record_file
from pipelines.records.strategies import PerfectPlayFile, recorded_perfect_play

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.expectimax import PerfectPlay
    from engine.ruleset import Ruleset
    from engine.state import State

SMALLER: dict[str, dict[str, Any]] = {
    "bloxx-mini": {
        "tables": {
            "numbers": ["3.", ".4", "2."],
            "coloured_rows": {"green": 1, "blue": 2},
            "dice": {"A": {"I2": "ox", "V3": "x./xo"}, "B": {"I3": "xox"}},
        }
    },
    "spexxx-mini": {
        "options": {"cubes": {"2": 3}, "throws": 1, "line_bonus": 5, "block_bonus": 25},
        "tables": {
            "board": ["......"] * 5 + ["*OOO.."],
            "points": dict.fromkeys(
                ("orange", "green", "yellow", "blue", "purple", "red", "gold", "silver"), 2
            ),
        },
    },
}
"""Changes that make a solved ruleset so small that the plain rules can follow every game."""


def smaller_ruleset(name: str) -> Ruleset:
    ruleset = Catalogue().find_ruleset(name)
    return type(ruleset).from_document(ruleset.document | SMALLER[name], "a smaller ruleset")


@cache
def solved(name: str) -> PerfectPlay:
    """Return perfect play of a shipped ruleset; the tests share what has been computed."""
    return prepare_perfect_play(Catalogue().find_ruleset(name))


def is_turn_start(state: State) -> bool:
    """Return whether the dice come next; in Spexxx, which has several throws in a turn, for the first time."""
    return state.seat == CHANCE and getattr(state, "throws", 0) == 0


def random_positions(perfect: PerfectPlay, seed: int, blocks: int) -> Iterator[list[State]]:
    """Yield the positions of random games at the start of their turns."""
    game = games.find_game(perfect.ruleset.game)
    players = [read_player(game, "random").decide] * 2
    for block in range(blocks):
        start = game.start(perfect.ruleset)
        actions = [ply.action for ply in play_out(start, players, Luck(seed, block))[1]]
        states = [*replay_actions(start, actions)]
        yield [state for state in states if not state.is_over and is_turn_start(state)]


@pytest.mark.parametrize("name", SMALLER)
def test_a_solver_finds_the_value_that_following_every_game_by_the_rules_finds(name: str) -> None:
    smaller = smaller_ruleset(name)
    start = games.start_state(smaller)
    by_rules = lead_by_rules(start, {})
    assert prepare_perfect_play(smaller).lead(start) == pytest.approx(by_rules, abs=1e-9)
    assert by_rules != 0


@pytest.mark.parametrize("name", ["bloxx-mini", "blokus-dice-mini"])
def test_the_ends_of_games_have_the_value_that_following_them_by_the_rules_finds(name: str) -> None:
    perfect = solved(name)
    values = set()
    for turns in random_positions(perfect, seed=11, blocks=4):
        by_rules = lead_by_rules(turns[-1], {})
        assert perfect.lead(turns[-1]) == pytest.approx(by_rules, abs=1e-9)
        values.add(by_rules)
    assert len(values) > 1


def test_the_last_turn_of_spexxx_has_the_value_that_following_it_by_the_rules_finds() -> None:
    perfect = solved("spexxx-mini")
    values = set()
    for turns in random_positions(perfect, seed=11, blocks=12):
        turn = turns[-1]
        thrown = turn.play(turn.chance_outcome(Luck(1, 1)))
        kept = thrown.play(thrown.actions[3])  # a keep: another throw is to come
        by_rules = lead_by_rules(kept, {})
        assert perfect.solved_lead(kept) == pytest.approx(by_rules, abs=1e-9)
        best = max if thrown.seat == 0 else min
        after = [perfect.lead(thrown.play(action)) for action in thrown.actions]
        assert perfect.solved_lead(thrown) == pytest.approx(best(after), abs=1e-9)
        values.add(by_rules)
    assert len(values) > 1


@pytest.mark.parametrize("name", ["bloxx-mini", "blokus-dice-mini"])
def test_the_value_of_a_position_follows_by_the_rules_from_the_values_after_the_turn(name: str) -> None:
    perfect = solved(name)
    for turns in random_positions(perfect, seed=12, blocks=2):
        start = turns[-3]
        rolls = zip(start.actions, start.probabilities, strict=True)
        following = sum(
            chance * lead_by_rules(start.play(roll), {}, perfect.turn_lead) for roll, chance in rolls
        )
        assert perfect.lead(start) == pytest.approx(following, abs=1e-9)


@pytest.mark.parametrize("name", ["bloxx-mini", "blokus-dice-mini"])
def test_between_the_decisions_of_two_seats_the_value_is_that_of_the_best_reply(name: str) -> None:
    perfect = solved(name)
    (turns,) = random_positions(perfect, seed=13, blocks=1)
    for turn in turns[-3:]:
        rolled = turn.play(turn.chance_outcome(Luck(1, 1)))
        between = rolled.play(rolled.actions[0])
        if between.seat == CHANCE:
            continue
        replies = [perfect.lead(between.play(action)) for action in between.actions]
        best = max(replies) if between.seat == 0 else min(replies)
        assert perfect.solved_lead(between) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("name", SOLVED_RULESETS)
def test_two_perfect_players_reach_the_value(name: str) -> None:
    perfect = solved(name)
    start = games.start_state(perfect.ruleset)
    ends = [play_out(start, [perfect.decide] * 2, Luck(21, block))[0] for block in range(20)]
    leads = [first_seat_lead(end) for end in ends]
    mean = sum(leads) / len(leads)
    spread = (sum((lead - mean) ** 2 for lead in leads) / len(leads)) ** 0.5
    assert abs(mean - perfect.lead(start)) < 4 * spread / len(leads) ** 0.5


@pytest.mark.parametrize("name", SOLVED_RULESETS)
def test_every_decision_of_a_perfect_player_is_the_best_for_its_seat(name: str) -> None:
    perfect = solved(name)
    start = games.start_state(perfect.ruleset)
    plies = play_out(start, [perfect.decide] * 2, Luck(22, 0))[1]
    states = replay_actions(start, [ply.action for ply in plies])
    decisions = [(state, ply) for state, ply in zip(states, plies, strict=False) if state.seat != CHANCE]
    assert len(decisions) > 4
    for state, ply in decisions[-6:]:
        best = max if state.seat == 0 else min
        leads = {action: perfect.lead(state.play(action)) for action in state.actions}
        assert leads[ply.action] == pytest.approx(best(leads.values()), abs=1e-9)


def test_a_perfect_player_against_itself_leads_by_nothing_in_every_block() -> None:
    perfect = solved("bloxx-mini")
    leads, wins = play_blocks(perfect, perfect.decide, blocks=3, seed=5)
    assert (leads == 0).all()
    assert (wins == 0.5).all()


@pytest.mark.parametrize("strategy", ["random", "greedy"])
@pytest.mark.parametrize("name", ["bloxx-mini", "blokus-dice-mini"])
def test_no_strategy_leads_a_perfect_player(name: str, strategy: str) -> None:
    distance = measure_distance(solved(name), strategy, blocks=40, seed=31)
    assert distance.lead.low <= 0
    assert (distance.blocks, distance.games) == (40, 80)
    if strategy == "random":
        assert distance.lead.high < 0


def test_perfect_play_is_refused_for_other_games_and_more_players() -> None:
    with pytest.raises(
        InvalidError, match=r"^blokus-duo: perfect play is known for blokus-dice, bloxx, spexxx only"
    ):
        prepare_perfect_play(Catalogue().find_ruleset("blokus-duo"))
    with pytest.raises(InvalidError, match="is for 3 players; perfect play is known for two"):
        prepare_perfect_play(Catalogue().find_ruleset("bloxx-3p"))


def test_the_command_writes_the_solution_and_every_strategy_as_json_and_as_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    smaller = smaller_ruleset("bloxx-mini")
    monkeypatch.setattr(Catalogue, "find_ruleset", lambda _self, _name: smaller)
    out = tmp_path / "figures.json"
    assert perfect_play.main(["bloxx-mini", "--blocks", "3", "--out", str(out)]) == 0
    (measured,) = read_record_file(out, PerfectPlayFile).rulesets
    assert (measured.ruleset, measured.sha256) == ("bloxx-mini", smaller.sha256)
    assert measured.lead == pytest.approx(-0.625)  # found by following every game by the plain rules
    names = {distance.strategy.partition(":")[0] for distance in measured.strategies}
    assert names == set(built_in_strategies(games.find_game("bloxx")))
    page = out.with_suffix(".md").read_text(encoding="utf-8")
    assert "the first leads by -0.6250 points on average" in page
    assert all(f"| {name} | " in page for name in names)


def test_a_ruleset_that_is_not_solved_is_refused_with_the_names_of_those_that_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert perfect_play.main(["bloxx-min", "--out", str(tmp_path / "figures.json")]) == 2
    assert "unknown solved ruleset 'bloxx-min'; did you mean bloxx-mini" in capsys.readouterr().err


@pytest.mark.parametrize("name", SOLVED_RULESETS)
def test_the_recorded_value_is_found_again(name: str) -> None:
    recorded = recorded_perfect_play()[name]
    assert solved(name).lead(games.start_state(solved(name).ruleset)) == pytest.approx(
        recorded.lead, abs=1e-9
    )


def test_the_perfect_player_of_the_benchmarks_plays_the_best_action_of_a_solved_ruleset_only() -> None:
    path = Path(__file__).parents[2] / "benchmarks" / "perfect_player.py"
    strategy = load_strategy_file(path, file_sha256(path))["perfect"].strategy
    assert strategy.make
    decide = strategy.make()
    state = games.start_state(Catalogue().find_ruleset("bloxx-mini"))
    state = state.play(state.chance_outcome(Luck(3, 0)))
    chosen = state.play(decide(state, Luck(3, 0).source(0, 0, 0)))
    leads = [solved("bloxx-mini").lead(state.play(action)) for action in state.actions]
    assert solved("bloxx-mini").lead(chosen) == pytest.approx(max(leads))
    other = games.start_state(Catalogue().find_ruleset("bloxx-2p"))
    with pytest.raises(
        ValueError, match="perfect plays blokus-dice-mini, bloxx-mini, spexxx-mini, not bloxx-2p"
    ):
        decide(other, Luck(3, 0).source(0, 0, 0))
