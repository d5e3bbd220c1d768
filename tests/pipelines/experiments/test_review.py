"""Reviews: exact where the values are known, without bias in luck, and with ledgers that add up."""

from __future__ import annotations

import itertools
import json
from functools import cache
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine import games
from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from pipelines.design.designs import design_simulation
from pipelines.experiments.fork import choose_quick_strategy
from pipelines.experiments.review import UnfinishedReview, start_review
from pipelines.experiments.review_results import POINT_THRESHOLDS, WIN_THRESHOLDS, Review, classify_loss
from pipelines.experiments.reviewer import (
    FIRST_POSITION_BLOCK,
    PlayoutLuck,
    Reviewer,
    candidate_actions,
    is_class_settled,
)
from pipelines.simulate.simulate import simulate_run
from pipelines.statistics import Interval, mean_interval, t_interval

if TYPE_CHECKING:
    from pathlib import Path

    from engine.state import State
    from pipelines.runs.library import Run
    from pipelines.statistics.intervals import Floats

STRONGEST_STRATEGIES = {
    "bloxx-2p": "planner",
    "blokus-duo": "mobility",
    "blokus-dice-2p": "keeper",
    "spexxx-children-2p": "builder",
}
"""The strongest among the fast strategies of each game."""
every_game = pytest.mark.parametrize("name", STRONGEST_STRATEGIES)


@cache
def reviewer_of_game(name: str, strategy: str, seed: int = 1) -> Reviewer:
    ruleset = Catalogue().find_ruleset(name)
    game = games.find_game(ruleset.game)
    deciders = [read_player(game, strategy).decide] * ruleset.players
    _, plies = play_out(game.start(ruleset), deciders, Luck(seed, 0))
    return Reviewer(ruleset, [ply.action for ply in plies], effort=0.25)


@cache
def review_of_game(name: str, strategy: str, seed: int = 1) -> Review:
    one = reviewer_of_game(name, strategy, seed)
    return UnfinishedReview(one).finish()


@pytest.mark.slow
@every_game
def test_start_luck_and_decisions_add_up_to_the_result(name: str) -> None:
    found, one = review_of_game(name, "random"), reviewer_of_game(name, "random")
    end = one.states[-1]
    for seat in range(one.ruleset.players):
        points, wins = found.ledger(seat), found.ledger(seat, wins=True)
        assert points.result == end.scores[seat]
        sign = -1 if one.ruleset.lowest_wins else 1
        assert points.start + sign * (points.luck + points.own + points.others) == pytest.approx(
            points.result
        )
        assert wins.start + wins.luck + wins.own + wins.others == pytest.approx(wins.result)
        assert wins.result == (end.ranks[seat] == 1) / end.ranks.count(1)
        assert sum(roll.luck_wins[seat] for roll in found.rolls) == pytest.approx(wins.luck)
        assert sum(roll.luck_points[seat] for roll in found.rolls) == pytest.approx(points.luck)


@every_game
def test_every_choice_and_every_roll_is_reviewed(name: str) -> None:
    found, one = review_of_game(name, "random"), reviewer_of_game(name, "random")
    states = one.states[:-1]
    assert [decision.ply for decision in found.decisions] == [
        ply for ply, state in enumerate(states) if state.seat != CHANCE and len(state.actions) > 1
    ]
    assert [roll.ply for roll in found.rolls] == [
        ply for ply, state in enumerate(states) if state.seat == CHANCE
    ]
    for decision in found.decisions:
        assert decision.chosen.action == one.actions[decision.ply]
        assert decision.options == len(states[decision.ply].actions)
        assert decision.seat == states[decision.ply].seat
    assert json.loads(json.dumps(found.as_json()))["decisions"][0]["judged"] == found.decisions[0].judged


@every_game
def test_a_decision_values_the_two_that_it_compares_with_other_luck_than_found_them(name: str) -> None:
    one = reviewer_of_game(name, "random")
    decision = next(decision for decision in review_of_game(name, "random").decisions if decision.options > 6)
    assert {decision.chosen, decision.best} <= {*decision.candidates}
    assert len({candidate.n for candidate in decision.candidates}) == 1
    assert len(decision.candidates) == 2
    state, playouts = one.states[decision.ply], one._playouts
    for candidate in decision.candidates:
        fresh = playouts.play_position(
            playouts.make_position(state.play(candidate.action)), FIRST_POSITION_BLOCK, candidate.n
        )
        assert candidate.win_share
        assert candidate.win_share.estimate == pytest.approx(float(fresh.win_shares[:, state.seat].mean()))


@every_game
def test_all_likely_moves_are_valued_equally_often_with_the_luck_that_is_given(name: str) -> None:
    one = reviewer_of_game(name, "random")
    luck = PlayoutLuck(7, (3, 1, 4, 15, 92, 65, 35, 89, 79, 32))
    for reviewed in [
        decision for decision in review_of_game(name, "random").decisions if decision.options > 6
    ][2:5]:
        decision = one.value_moves(reviewed.ply, luck)
        assert decision
        assert len(decision.candidates) == 6  # five others and the one that was chosen
        assert {candidate.action for candidate in reviewed.candidates} <= {
            candidate.action for candidate in decision.candidates
        }
        assert decision.best == decision.candidates[0]
        state = one.states[decision.ply]
        for candidate in decision.candidates:
            results = one._playouts.play(
                one._playouts.make_position(state.play(candidate.action)), luck.blocks, luck.seed
            )
            assert candidate.n == len(luck.blocks)
            assert candidate.win_share
            assert candidate.win_share.estimate == pytest.approx(
                float(results.win_shares[:, state.seat].mean())
            )
        loss = one.judge_action(decision.ply, decision.chosen.action, decision.best.action, luck)
        if decision.best != decision.chosen:
            assert (loss.points, loss.wins) == (decision.lost_points, decision.lost_wins)


@pytest.mark.parametrize("name", ["bloxx-2p", "blokus-dice-2p"])
def test_the_best_move_is_not_flattered_by_its_value(name: str) -> None:
    """Chosen by the few playouts that value it, the largest of six values would be about 8 of 100 too high."""
    one = reviewer_of_game(name, "random")
    excesses = []
    for reviewed in [found for found in review_of_game(name, "random").decisions if found.options > 6][:12]:
        state = one.states[reviewed.ply]
        for seed in range(4):
            decision = one.value_moves(reviewed.ply, PlayoutLuck(seed, range(30)))
            assert decision
            assert decision.best.win_share
            position = one._playouts.make_position(state.play(decision.best.action))
            truth = one._playouts.play(position, range(1000), 100 + seed).win_shares[:, state.seat].mean()
            excesses.append(100 * (decision.best.win_share.estimate - truth))
    assert np.mean(excesses) < 2


@every_game
def test_each_candidate_is_compared_with_the_first_one_on_the_same_luck(name: str) -> None:
    """The move that was played has the same interval here as its loss, where the first one is its rival."""
    seen = 0
    for decision in review_of_game(name, "random").decisions:
        first = decision.candidates[0]
        assert decision.best == first
        assert (first.wins_behind, first.points_behind) == (Interval(0, 0, 0),) * 2
        if first != decision.chosen:
            assert decision.chosen.wins_behind == decision.lost_wins
            seen += 1
    assert seen


@every_game
def test_an_estimate_is_exact_only_where_the_rules_determine_the_result(name: str) -> None:
    """Equal results of all playouts still allow for others, and the interval says so."""
    found, one = review_of_game(name, "random"), reviewer_of_game(name, "random")
    equal = 0
    for decision in found.decisions:
        after = {
            candidate.action: position_worth(one.states[decision.ply].play(candidate.action))
            for candidate in decision.candidates
        }
        for candidate in decision.candidates:
            if after[candidate.action] is None:
                equal += bool(candidate.win_share and candidate.win_share.estimate in {0, 1})
                for interval in (candidate.win_share, candidate.score):
                    assert interval
                    assert interval.half_width > 0
        if after[decision.chosen.action] is None:
            for interval in (decision.lost_wins, decision.lost_points):
                assert interval
                assert interval.half_width > 0
                assert interval.low <= interval.estimate <= interval.high
            for interval in itertools.chain(*one.position_value(decision.ply)):
                assert interval.half_width > 0
    assert equal


def position_worth(state: State, rolls: int = 1) -> Floats | None:
    """Return the mean final scores of a position without further choices, computed by the rules; None if there are choices."""
    while not state.is_over and state.seat != CHANCE and len(state.actions) == 1:
        state = state.play(state.actions[0])
    if state.is_over:
        return np.array(state.scores, dtype=np.float64)
    if state.seat != CHANCE or not rolls:
        return None
    total = np.zeros(state.ruleset.players)
    for outcome, probability in zip(state.actions, state.probabilities, strict=True):
        found = position_worth(state.play(outcome), rolls - 1)
        if found is None:
            return None
        total += probability * found
    return total


def known_values_of_last_choice(one: Reviewer) -> tuple[int, dict[int, float]]:
    """Return the ply of the last choice of a game, and the mean final score that the rules give to each action."""
    ply = max(
        ply for ply, state in enumerate(one.states[:-1]) if state.seat != CHANCE and len(state.actions) > 1
    )
    state = one.states[ply]
    truth = {action: position_worth(state.play(action)) for action in state.actions}
    known = {action: float(value[state.seat]) for action, value in truth.items() if value is not None}
    assert len(known) == len(state.actions) > 1
    return ply, known


@pytest.mark.parametrize(
    ("name", "seed"), [("bloxx-2p", 8), ("blokus-duo", 0), ("blokus-dice-2p", 45), ("spexxx-children-2p", 2)]
)
def test_the_last_choice_of_a_game_has_the_value_that_the_rules_give(name: str, seed: int) -> None:
    """After the last choice nothing is open, so the rules determine the value of each action."""
    one = reviewer_of_game(name, "random", seed)
    ply, known = known_values_of_last_choice(one)
    assert len(set(known.values())) > 1
    decision = one.review_decision(ply)
    assert decision
    assert decision.lost_points
    assert decision.chosen.score
    sign = -1 if one.ruleset.lowest_wins else 1
    chosen, best = known[decision.chosen.action], known[decision.best.action]
    assert decision.chosen.score == pytest.approx((chosen,) * 3)
    if decision.best.action != decision.chosen.action:
        assert decision.lost_points == pytest.approx((sign * (best - chosen),) * 3)
    for candidate in decision.candidates:
        assert candidate.score == pytest.approx((known[candidate.action],) * 3)
    first = decision.candidates[0].action
    assert sign * known[first] == max(sign * value for value in known.values())


@pytest.mark.parametrize(("name", "seed"), [("bloxx-2p", 49), ("blokus-duo", 21), ("spexxx-children-2p", 10)])
def test_a_loss_is_measured_against_the_best_of_the_other_actions(name: str, seed: int) -> None:
    """Games in which the last choice is between three or more values and was not the best."""
    one = reviewer_of_game(name, "random", seed)
    ply, known = known_values_of_last_choice(one)
    decision = one.review_decision(ply)
    assert decision
    best, chosen = max(known.values()), known[decision.chosen.action]
    assert len(set(known.values())) > 2
    assert chosen < best == pytest.approx(known[decision.best.action])
    assert decision.lost_points == pytest.approx((best - chosen,) * 3)


def test_the_luck_of_fair_dice_averages_to_zero() -> None:
    """The value before a roll is the mean over its outcomes, so the mean luck of 10,000 rolls is zero."""
    short = reviewer_of_game("bloxx-2p", "greedy")
    one = Reviewer(short.ruleset, short.actions, effort=40)
    ply = next(ply for ply in range(20, 40) if one.states[ply].seat == CHANCE)
    state = one.states[ply]
    before = one.position_value(ply)[0][0]
    after = {}
    for outcome in state.actions:
        ends = one._playouts.play_position(one._playouts.make_position(state.play(outcome)), 0, 400)
        value = t_interval(ends.scores[:, 0].astype(np.float64))
        assert value
        after[outcome] = value
    luck = np.array(
        [after[state.chance_outcome(Luck(77, block))].estimate - before.estimate for block in range(10_000)]
    )
    found = mean_interval(float(luck.mean()), float(luck.std(ddof=1)), 10_000)
    assert found
    # The values before and after a roll have errors of their own, besides the variation of the rolls.
    halves = [after[outcome].half_width for outcome in state.actions]
    spread = float(np.sqrt(((np.array(state.probabilities) * halves) ** 2).sum()))
    half = float(np.sqrt(found.half_width**2 + before.half_width**2 + spread**2))
    assert abs(found.estimate) < half < 0.5 * luck.std()


@pytest.mark.slow
def test_luck_over_many_games_averages_to_zero() -> None:
    """This is not trivial: the rolls of the games are independent of the luck of the playouts."""
    luck = [
        roll.luck_points[0] for seed in range(4) for roll in review_of_game("bloxx-2p", "random", seed).rolls
    ]
    found = mean_interval(float(np.mean(luck)), float(np.std(luck, ddof=1)), len(luck), 0.999)
    assert found
    assert found.low < 0 < found.high


@pytest.mark.slow
@every_game
def test_random_play_loses_far_more_than_the_strongest_strategy(name: str) -> None:
    """Three times as many points a decision; points, because a seat far behind has no wins left to lose."""

    def mean_lost_points(strategy: str) -> float:
        decisions = review_of_game(name, strategy).decisions
        return float(np.mean([one.lost_points.estimate for one in decisions if one.lost_points]))

    random, strongest = mean_lost_points("random"), mean_lost_points(STRONGEST_STRATEGIES[name])
    assert random > 0.5
    assert random > 3 * strongest


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.night] * (name != "bloxx-2p")) for name in STRONGEST_STRATEGIES],
)
def test_random_play_has_many_bad_decisions_and_the_strongest_strategy_few(name: str) -> None:
    """With all playouts, so that the intervals are narrow enough for a class."""

    def fault_share(strategy: str) -> float:
        found = [
            decision.judged in {"inaccuracy", "mistake", "blunder"}
            for seed in (1, 2, 3)
            for decision in thorough_review(name, strategy, seed).decisions
        ]
        return sum(found) / len(found)

    assert fault_share("random") > 0.2
    assert fault_share("random") > 1.5 * fault_share(STRONGEST_STRATEGIES[name])


def thorough_review(name: str, strategy: str, seed: int) -> Review:
    one = reviewer_of_game(name, strategy, seed)
    full = Reviewer(one.ruleset, one.actions)
    return UnfinishedReview(full).finish()


def test_every_game_has_a_strategy_for_playouts() -> None:
    policies = {name: choose_quick_strategy(ruleset) for name, ruleset in Catalogue().rulesets.items()}
    assert (policies["bloxx-3p"], policies["spexxx-2p"], policies["blokus-4p"]) == (
        "greedy",
        "greedy",
        "noisy",
    )
    assert set(policies.values()) == {"greedy", "noisy"}


def test_playouts_of_the_quick_strategy_vary() -> None:
    """Otherwise all playouts of a game without dice would be equal."""
    one = reviewer_of_game("blokus-duo", "random")
    assert one.policy.startswith("noisy")
    ends = one._playouts.play_position(one._playouts.make_position(one.states[8]), 0, 20)
    assert len(np.unique(ends.scores, axis=0)) > 5


def test_a_duel_ends_early_only_if_its_class_is_clear() -> None:
    """It ends after a clear loss or without any loss, but not if more playouts could reach a bad class."""
    rng = np.random.default_rng(1)
    coin = rng.permutation(np.repeat([0.0, 1.0], 48))
    assert is_class_settled(np.ones(96), 384)
    assert is_class_settled(np.zeros(96), 384)
    assert is_class_settled(-coin, 384)
    assert is_class_settled(coin, 384)
    assert not is_class_settled(np.where(rng.random(96) < 0.12, 1.0, 0.0), 384)


@pytest.mark.parametrize("loss", [0.0, 0.05, 0.2])
def test_early_ends_do_not_add_bad_classes(loss: float) -> None:
    """With simulated losses of a known mean, a class that is too bad occurs in at most 2.5 of 100 duels."""
    rng = np.random.default_rng(5)
    too_bad = early = 0
    for _ in range(1000):
        draws = loss + 0.6 * (rng.random(384) - 0.5)
        n = next(n for n in (96, 192, 384) if n == 384 or is_class_settled(draws[:n], 384))
        early += n < 384
        found = t_interval(draws[:n])
        assert found
        too_bad += found.low >= min(least for least in WIN_THRESHOLDS[1:] if least >= loss)
    assert too_bad <= 40
    assert early > 100 or loss


def test_a_class_is_given_only_where_the_whole_interval_supports_it() -> None:
    assert classify_loss(Interval(0.3, 0.21, 0.4)) == "blunder"
    assert classify_loss(Interval(0.3, 0.19, 0.4)) == "mistake"
    assert classify_loss(Interval(0.2, 0.06, 0.34)) == "inaccuracy"
    assert classify_loss(Interval(0.3, 0.04, 0.6)) == "unclear"
    assert classify_loss(Interval(0.01, -0.02, 0.04)) == "good"
    assert classify_loss(None) == "unclear"


def test_an_action_is_best_only_if_the_whole_interval_of_its_loss_is_negligible() -> None:
    """An estimate of no loss is not enough: with a wide interval, another action may well be better."""
    assert classify_loss(Interval(-0.1, -0.2, 0.0)) == "best"
    assert classify_loss(Interval(0.0, -0.019, 0.019)) == "best"
    assert classify_loss(Interval(0.0, -0.04, 0.04)) == "good"
    assert classify_loss(Interval(0.0, -0.2, 0.2)) == "unclear"


def test_points_are_judged_against_the_spread_of_the_scores() -> None:
    """A loss of seven points is a blunder where scores differ by ten, and not even an inaccuracy where they differ by fifty."""
    loss = Interval(7.5, 7.0, 8.0)
    classes = [classify_loss(loss, POINT_THRESHOLDS.scale(spread)) for spread in (10, 20, 40, 60)]
    assert classes == ["blunder", "mistake", "inaccuracy", "good"]


def test_thresholds_in_points_cost_about_as_much_of_an_even_game_as_those_of_the_win() -> None:
    """The normal distribution of the standard library gives the win chance of a lead of d spreads."""
    for points, wins in zip(POINT_THRESHOLDS, WIN_THRESHOLDS, strict=True):
        assert NormalDist(0, 2**0.5).cdf(points) - 0.5 == pytest.approx(wins, rel=0.1)


def test_choices_in_a_lost_game_are_judged_by_points(catalogue: Catalogue, tmp_path: Path) -> None:
    """A random player that greedy has beaten after a few rounds still loses points by its choices."""
    design = design_simulation(catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=20, seed=2024)
    run = simulate_run(design, tmp_path / "lost.duckdb", workers=1)
    found = start_review(run, 3).finish()
    seat = next(seat.seat for seat in run.list_seats(3) if seat.strategy == "random")
    decided = [one for one in found.decisions if one.seat == seat and one.win_nearly_decided]
    assert len(decided) >= 5
    assert all(one.judged == one.judged_by_points for one in decided)
    assert all(one.lost_wins and one.lost_wins.estimate < 0.05 for one in decided)
    assert sum(one.judged in {"mistake", "blunder"} for one in decided) >= 2
    assert found.ledger(seat).own < -30
    assert found.class_counts(seat)["best"] <= 3


@pytest.mark.parametrize("name", ["blokus-dice-2p", "bloxx-2p"])
def test_positive_is_good_for_the_seat_also_where_the_lowest_score_wins(name: str) -> None:
    """Random choices are bad for the seat that makes them, so its ledger is negative in points and in shares of the win."""
    reviews = [review_of_game(name, "random", seed) for seed in (1, 2, 3, 4)]
    for in_wins in (False, True):
        ledgers = [one.ledger(seat, wins=in_wins) for one in reviews for seat in range(len(one.scores[0]))]
        assert sum(ledger.own for ledger in ledgers) < 0


@every_game
def test_candidates_are_legal_and_few(name: str) -> None:
    for state in reviewer_of_game(name, "greedy").states[:-1:5]:
        if state.seat != CHANCE:
            found = candidate_actions(state, 5)
            assert len(found) == len(set(found)) == min(5, len(state.actions))
            assert set(found) <= set(state.actions)


def test_the_loss_of_a_player_is_the_mean_over_all_of_its_decisions() -> None:
    review = UnfinishedReview(reviewer_of_game("blokus-duo", "random")).finish()
    for measure in ("win", "points"):
        for seat in range(2):
            decisions = [decision for decision in review.decisions if decision.seat == seat]
            losses = [
                (decision.lost_points if measure == "points" else decision.lost_wins).estimate  # type: ignore[union-attr]
                for decision in decisions
                if decision.best.action != decision.chosen.action
            ]
            lost = review.loss_per_decision(seat, measure)
            assert lost is not None
            assert lost.estimate == pytest.approx(sum(losses) / len(decisions))
            assert 0 <= lost.low < lost.estimate < lost.high
            assert review.total_luck(seat) == (0, 0, 0)  # no dice


def test_the_plain_rules_give_the_same_review(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the last plies of a game, because the plain rules are slow."""
    one = reviewer_of_game("bloxx-2p", "greedy")
    plies = range(len(one.actions) - 6, len(one.actions))
    compiled = [one.position_value(ply) for ply in plies]
    monkeypatch.setenv("REROLL_KERNELS", "0")
    assert [one.position_value(ply) for ply in plies] == compiled


def test_the_review_of_a_logged_game_can_be_stopped_and_continued(small_run: Run) -> None:
    review = start_review(small_run, 2, effort=0.1)
    assert list(itertools.islice(review.compute_steps(), 3)) == [1, 2, 3]
    begun, known = review.summarise(), dict(review.values)
    assert begun.done == review.done < begun.steps
    assert np.isnan(begun.ledgers()).any()
    found = review.finish()
    assert all(review.values[ply] is value for ply, value in known.items())
    assert found.done == found.steps == len(review.values) + len(review.decisions)
    assert len(found.scores) == small_run.game(2).plies + 1
    assert found.scores[-1].tolist() == [seat.score for seat in small_run.list_seats(2)]
    with pytest.raises(InvalidError, match="has no game 100"):
        start_review(small_run, 99)
    with pytest.raises(InvalidError, match="unknown strategy"):
        start_review(small_run, 2, policy="gredy")


@pytest.mark.parametrize("effort", [0, -1, 101, float("nan")])
def test_an_effort_that_asks_for_nothing_or_too_much_is_refused(small_run: Run, effort: float) -> None:
    with pytest.raises(InvalidError, match="effort: expected a number above 0 and up to 100, not"):
        start_review(small_run, 0, effort=effort)
