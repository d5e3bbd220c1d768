"""The told game: each sentence is derived again from the review, and nothing larger is left out."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine import games
from engine.actions import CHANCE
from pipelines.experiments.review import start_review
from pipelines.experiments.review_results import BAD_CLASSES, Decision, Review
from pipelines.questions.game import GameAnswer, GameQuestion, read_game
from pipelines.report.compose import compose
from pipelines.report.sheet import Passage
from pipelines.report.told_game import tell_game
from pipelines.runs.library import Library
from pipelines.viewer.palette import seat_looks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.design.metrics import DecisionMeasure
    from pipelines.report.told_game import ToldMoment

NUMBER = r"[\d.]+"
ROLL = re.compile(
    rf".+, which (gives|takes from) player (\d) ({NUMBER}) (?:points|%) \(({NUMBER}) to ({NUMBER})\)(?: of the win)?(?:; one chance in (\d+))?"
)
DECISION = re.compile(
    rf"player (\d) .+, an? (\w+) that gives away ({NUMBER}) (%|points) \((?:the same in all playouts|({NUMBER}) to ({NUMBER}))\)(.*); better: .+"
)
WORST = re.compile(
    rf"player (\d), who wins in the end, is down to ({NUMBER}) % \(({NUMBER}) to ({NUMBER})\) of the win"
)
SURE = re.compile(r"from here on player (\d) wins clearly more than 90 of 100 playouts")
GAMES = {
    "bloxx-2p": ("greedy", "planner"),
    "blokus-duo": ("greedy", "random"),
    "blokus-dice-3p": ("keeper", "greedy", "random"),
    "spexxx-2p": ("greedy", "random"),
}


def is_near(text: str, number: float) -> bool:
    """Return whether a number was rounded to a text."""
    return abs(float(text) - number) <= 0.501 * 10.0 ** -len(text.partition(".")[2])


def widen(number: int) -> float:
    normal = NormalDist()
    return normal.inv_cdf(1 - 0.025 / number) / normal.inv_cdf(0.975)


def check_roll(
    found: re.Match[str], moment: ToldMoment, answer: GameAnswer, review: Review, by: DecisionMeasure
) -> float:
    """Compare the sentence on a roll with the values before and after it; return its weight."""
    did, player, estimate, low, high, chance = found.groups()
    seat, sign = int(player) - 1, 1 if did == "gives" else -1
    assert review.seats[moment.ply] == CHANCE
    values = review.win_shares if by == "win" else review.scores * (-1 if review.lowest_wins else 1)
    before, after = values[moment.ply : moment.ply + 2, seat]
    (roll,) = (roll for roll in review.rolls if roll.ply == moment.ply)
    halves = roll.luck_wins_halves if by == "win" else roll.luck_points_halves
    half = widen(len(review.rolls) * (len(halves) - 1)) * halves[seat]
    luck, scale = sign * (after - before), 100 if by == "win" else 1
    for text, number in zip((estimate, low, high), (luck, luck - half, luck + half), strict=True):
        assert is_near(text, scale * number)
    assert luck - half > 0
    actions = answer.run.actions(answer.question.game)
    start = games.find_game(answer.ruleset.game).start(answer.ruleset)
    state = list(accumulate(actions[: moment.ply], lambda state, action: state.play(action), initial=start))[
        -1
    ]
    probability = state.probabilities[list(state.actions).index(actions[moment.ply])]
    assert chance is None or int(chance) == round(1 / probability)
    return float(luck) if by == "win" else float(luck) / review.score_spread


def check_decision(found: re.Match[str], moment: ToldMoment, review: Review, by: DecisionMeasure) -> float:
    """Compare the sentence on a bad decision with the review; return its weight."""
    player, kind, estimate, unit, low, high, more = found.groups()
    (decision,) = (decision for decision in review.decisions if decision.ply == moment.ply)
    assert (decision.seat, decision.class_by(by)) == (int(player) - 1, kind)
    assert (unit == "points") == (by == "points" or decision.win_nearly_decided)
    assert (more == ", with the win settled") == (by == "win" and decision.win_nearly_decided)
    loss = decision.lost_points if unit == "points" else decision.lost_wins
    assert loss
    assert (low is None) == (loss.low == loss.high)
    for text, number in zip((estimate, low or estimate, high or estimate), loss, strict=True):
        assert is_near(text, number if unit == "points" else 100 * number)
    return weigh(decision, review, by)


def weigh(decision: Decision, review: Review, by: DecisionMeasure) -> float:
    if by == "points" or decision.win_nearly_decided:
        assert decision.lost_points
        return (1 if by == "points" else 0.1) * decision.lost_points.estimate / review.score_spread
    assert decision.lost_wins
    return decision.lost_wins.estimate


def check_story(answer: GameAnswer, review: Review, by: DecisionMeasure) -> None:
    """Derive every sentence of a told game again, and check that the largest moments are told."""
    story = tell_game(answer, review, by)
    assert [moment.ply for moment in story] == sorted(moment.ply for moment in story)
    weights = []
    winner = int(np.argmax(review.win_shares[-1]))
    shares = review.win_shares[:, winner]
    halves = widen(len(shares)) * review.win_share_halves[:, winner]
    for moment in story:
        if found := ROLL.fullmatch(moment.text):
            weights.append(check_roll(found, moment, answer, review, by))
        elif found := DECISION.fullmatch(moment.text):
            weights.append(check_decision(found, moment, review, by))
        elif found := WORST.fullmatch(moment.text):
            assert int(found[1]) == winner + 1
            at = moment.ply + 1
            assert shares[at] == shares.min()
            assert shares[at] + halves[at] < 1 / len(review.win_shares[-1])
            assert is_near(found[2], 100 * shares[at])
            assert is_near(found[4], 100 * (shares[at] + halves[at]))
        else:
            found = SURE.fullmatch(moment.text)
            assert found, moment.text
            assert int(found[1]) == winner + 1
            assert (shares - halves)[moment.ply + 1 :].min() >= 0.9 > (shares - halves)[moment.ply]
    bad = [decision for decision in review.decisions if decision.class_by(by) in BAD_CLASSES]
    told = {moment.ply for moment in story}
    assert len(weights) <= 5
    left_out = [weigh(decision, review, by) for decision in bad if decision.ply not in told]
    assert not left_out or (len(weights) == 5 and max(left_out) <= min(weights))


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", GAMES)
@pytest.mark.parametrize("number", [2, pytest.param(200, marks=pytest.mark.night)])
def test_each_sentence_is_derived_again_from_the_review(
    ruleset: str, number: int, tmp_path: Path, play_run: Callable[..., None]
) -> None:
    play_run(tmp_path, "told", ruleset, *GAMES[ruleset], games=number)
    run = Library(tmp_path).run("told")
    for game in range(number):
        answer = read_game(GameQuestion(run="told", game=game, is_reviewed=True), run)
        review = start_review(run, game, effort=0.1 if number == 2 else 1).finish()
        check_story(replace(answer, review=review), review, "win")
        check_story(replace(answer, review=review), review, "points")


def test_a_review_in_progress_tells_nothing_and_a_whole_one_is_told_in_its_sheet(
    tmp_path: Path, play_run: Callable[..., None]
) -> None:
    play_run(tmp_path, "told", "bloxx-2p", "greedy", "random", games=2)
    run = Library(tmp_path).run("told")
    answer = read_game(GameQuestion(run="told", game=0, is_reviewed=True), run)
    unfinished = start_review(run, 0, effort=0.3)
    assert not tell_game(answer, unfinished.summarise(), "win")
    review = unfinished.finish()
    sheet = compose(
        replace(answer, review=review),
        lambda names: dict(zip(names, seat_looks(8).values(), strict=False)),
    )
    (story,) = (part.content for part in sheet.parts if part.key == "story")
    assert isinstance(story, Passage)
    told = tell_game(answer, review, "win")
    assert [about for about, _ in story.lines] == [f"Move {moment.ply + 1}" for moment in told]
    assert len(told) >= 2
