"""First moves on equal terms: in a small game that is computed exactly, their values, their order and their symmetry are found."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from engine import games
from engine.errors import InvalidError
from engine.games.blokus.ruleset import BlokusRuleset
from engine.strategies import read_player
from pipelines.experiments.continuations import continuation_seed
from pipelines.experiments.openings import MAX_FINALISTS, Openings, OpeningValue, play_openings
from pipelines.experiments.reviewer import Playouts
from pipelines.questions.openings import (
    OpeningsAnswer,
    OpeningsQuestion,
    iter_openings_answers,
    list_opening_kinds,
)
from pipelines.report.charts import Intervals
from pipelines.report.compose import compose
from pipelines.report.openings import describe_openings
from pipelines.report.sheet import SquareMaps
from pipelines.statistics import Interval
from pipelines.statistics.bounded_means import plausible_bounds, simple_interval
from pipelines.viewer.palette import OTHER_LOOK
from tests.engine.playing import find_shipped, read_shipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.ruleset import Ruleset
    from engine.state import State


class Exact(NamedTuple):
    score: float
    wins: float


@pytest.fixture(scope="module")
def small() -> BlokusRuleset:
    """Blokus with three pieces on 25 squares, symmetric about the diagonal of the start cells."""
    document = json.loads(json.dumps(read_shipped("blokus-duo").document))
    document |= {"name": "small", "title": "Small", "provenance": {"board": "own", "pieces": "own"}}
    document["tables"] = {"board": {"side": 5, "start": ["a1", "e5"]}, "pieces": ["I1", "I2", "V3"]}
    return BlokusRuleset.from_document(document, "test")


@pytest.fixture(scope="module")
def exact(small: BlokusRuleset) -> dict[str, Exact]:
    """By notation: what player 1 can expect after each first move if both players move at random, over all games."""

    @cache
    def expect(state: State) -> Exact:
        if state.is_over:
            first, second = state.ranks
            return Exact(state.scores[0], 0.5 if first == second else float(first == 1))
        values = np.array([expect(state.play(action)) for action in state.actions])
        return Exact(*values.mean(axis=0).tolist())

    start = games.start_state(small)
    return {small.action(action).notation: expect(start.play(action)) for action in start.actions}


def play(ruleset: Ruleset, strategy: str, blocks: int, seed: int = 1, by: str = "move") -> Openings:
    question = OpeningsQuestion(ruleset=ruleset.name, first=by, lineup=strategy, blocks=blocks, seed=seed)
    *_, answer = iter_openings_answers(question, ruleset)
    return answer.openings


def name_exactly(exact: dict[str, Exact]) -> dict[str, Exact]:
    """Return the exact values by the names of the answer: of mirror images, the one with the smallest number."""
    return {
        "I1 at a1": exact["b:a1"],
        "I2 at a1": exact["b:a1,a2"],
        "V3 at a1\N{EN DASH}b2, all but b2": exact["b:a1,b1,a2"],
        "V3 at a1\N{EN DASH}b2, all but b1": exact["b:a1,a2,b2"],
    }


def test_mirror_images_have_equal_exact_values(small: BlokusRuleset, exact: dict[str, Exact]) -> None:
    assert len(small.symmetries) == 2
    for notation, value in exact.items():
        images = small.equal_actions(small.read_action(notation))
        assert {small.action(image).notation for image in images} <= exact.keys()
        assert all(exact[small.action(image).notation] == pytest.approx(value) for image in images)


def test_the_known_order_of_a_small_game_is_found(small: BlokusRuleset, exact: dict[str, Exact]) -> None:
    openings = play(small, "random", 4000)
    known = name_exactly(exact)
    assert openings.tried == 4
    assert openings.is_by_wins
    assert [value.name for value in openings.values] == sorted(known, key=lambda name: -known[name].wins)
    assert describe_openings(openings, LINEUP).startswith(
        "if greedy plays on, I2 at a1 wins most games of the 4 first moves: "
    )
    mean = float(np.mean([value.score for value in known.values()]))
    for value in openings.values:
        pairs: tuple[tuple[Interval | None, float], ...] = (
            (value.score, known[value.name].score),
            (value.above, known[value.name].score - mean),
            (value.wins, known[value.name].wins),
        )
        for interval, truth in pairs:
            assert interval
            assert abs(interval.estimate - truth) < 2 * interval.reach  # four standard errors


def test_the_first_moves_and_the_first_pieces_of_a_game_agree() -> None:
    """The finalists are chosen by what orders the values: where some always win, no loser is among them."""
    duo = read_shipped("blokus-duo")
    pieces, moves = (play(duo, "greedy", 24, by=by) for by in ("piece", "move"))
    assert pieces.is_by_wins
    won = {value.name: value.wins.estimate for value in moves.values if value.wins}
    best = [value.name for value in pieces.values if value.wins and value.wins.estimate == 1]
    assert len(best) >= 2
    assert all(any(name.startswith(f"{piece} at ") for name in won) for piece in best)
    assert min(won.values()) > 0.5
    said = compose(
        OpeningsAnswer(OpeningsQuestion(ruleset=duo.name), pieces, ("greedy",)),
        lambda _: {"greedy": OTHER_LOOK},
    )
    assert "the same roll" not in " ".join(part.caption for part in said.parts), "Blokus Duo has no dice"
    boards = next(part.content for part in said.parts if part.key == "best")
    assert isinstance(boards, SquareMaps)
    for place, (board, value) in enumerate(zip(boards.maps, pieces.values[:3], strict=True), start=1):
        assert board.name.startswith(f"{place}. {value.name} \N{MIDDLE DOT} ")
        assert value.above
        drawn = {cell: height for cell, height in enumerate(board.values) if height is not None}
        assert drawn == dict.fromkeys(value.cells, value.above.estimate)


def test_intervals_allow_for_number_one_being_the_largest(
    small: BlokusRuleset, exact: dict[str, Exact]
) -> None:
    """With few blocks number one is often the wrong one; its interval covers its truth, and the best move is not called worse."""
    known = name_exactly(exact)
    best = max(known, key=lambda name: known[name].score)
    covered, kept, chosen = 0, 0, set()
    for seed in range(200):
        openings = play(small, "random", 20, seed)
        first = openings.values[0]
        assert first.score
        covered += first.score.low <= known[first.name].score <= first.score.high
        kept += any(value.name == best and not value.is_behind for value in openings.values)
        chosen.add(first.name)
    assert len(chosen) > 1
    assert covered >= 188
    assert kept >= 188


@pytest.mark.slow
def test_the_first_one_has_the_largest_value_and_disjoint_ones_are_clearly_worse() -> None:
    """Noisy players open with every piece of Blokus Duo; intervals as they are drawn."""
    duo = read_shipped("blokus-duo")
    pieces, moves = (play(duo, "noisy", 200, by=by) for by in ("piece", "move"))
    assert pieces.is_by_wins == moves.is_by_wins
    for openings in (pieces, moves):
        drawn = [value.wins if openings.is_by_wins else value.above for value in openings.values]
        intervals = [interval for interval in drawn if interval]
        assert [interval.estimate for interval in intervals] == sorted(
            (interval.estimate for interval in intervals), reverse=True
        )
        for value, interval in zip(openings.values, intervals, strict=True):
            assert value.is_behind or interval.high >= intervals[0].low
    rivals = sum(not value.is_behind for value in pieces.values) - 1
    assert 0 < rivals < 20
    assert describe_openings(pieces, LINEUP).endswith(f"may do as well, {20 - rivals} clearly do worse")
    assert pieces.values[0].name == moves.values[0].name.partition(" ")[0]


def test_equal_moves_of_blokus_duo_have_equal_values() -> None:
    """The games of a move and of its mirror image have luck of their own, so the intervals of their differences are independent."""
    duo = find_shipped(BlokusRuleset, "blokus-duo")
    player = read_player(games.find_game("blokus"), "noisy")
    start = games.start_state(duo)
    images = {tuple(sorted(duo.equal_actions(action))) for action in start.actions}
    pairs = sorted(pair for pair in images if pair[0] != pair[1])[::8]
    assert len(pairs) > 20
    covered = 0
    for number, pair in enumerate(pairs):
        scores = []
        for side, action in enumerate(pair):
            playouts = Playouts(start, [player] * 2, continuation_seed(5, 2 * number + side))
            position = playouts.position_after(playouts.make_position(start), action)
            scores.append(playouts.play_position(position, 0, 160).scores[:, 0].astype(np.float64))
        differences = scores[0] - scores[1]
        interval = simple_interval(differences, plausible_bounds(differences))
        assert interval
        covered += interval.low <= 0 <= interval.high
    assert covered >= 0.85 * len(pairs)


def test_first_moves_of_blokus_duo_are_halved_to_those_that_people_read() -> None:
    openings = play(find_shipped(BlokusRuleset, "blokus-duo"), "noisy", 16)
    assert openings.tried == 212
    assert len(openings.values) == MAX_FINALISTS
    assert openings.is_finished
    assert {value.games for value in openings.values} == {16}
    assert len(openings.squares) == 41
    sheet = compose(
        OpeningsAnswer(OpeningsQuestion(), openings, LINEUP), lambda names: dict.fromkeys(names, OTHER_LOOK)
    )
    (table,) = (table for table in sheet.tables if table.title == "The values of the first moves")
    shapes = table.list_values("shape")
    assert [shape.count("\N{FULL BLOCK}") / 2 for shape in shapes] == [
        len(value.cells) for value in openings.values
    ]
    assert len(set(shapes)) > 1
    above = [value.above.estimate for value in openings.values if value.above]
    assert sum(above) == pytest.approx(0, abs=1e-9)
    assert openings.is_by_wins or above[1:] == sorted(above[1:], reverse=True)


def test_pieces_of_a_game_with_dice_are_compared_with_those_of_the_same_roll() -> None:
    bloxx = read_shipped("bloxx-2p")
    openings = play(bloxx, "greedy", 72, by="piece")
    assert {value.name for value in openings.values} == set(bloxx.piece_areas)
    games_of_pieces = {value.games for value in openings.values}
    assert games_of_pieces <= {*range(65, 80)}, "each piece plays about as many blocks as were asked for"
    assert openings.results > 30, "games of different rolls are different results"
    assert not openings.squares
    assert all(value.score and value.above for value in openings.values)
    with pytest.raises(InvalidError, match="depend on the first roll; ask which first piece does best"):
        play(bloxx, "greedy", 10, by="move")


def test_a_game_whose_first_moves_cannot_be_compared_says_so() -> None:
    spexxx = read_shipped("spexxx-2p")
    assert list_opening_kinds(spexxx) == []
    with pytest.raises(InvalidError, match="depend on the first roll, so none can be compared"):
        list(iter_openings_answers(OpeningsQuestion(ruleset="spexxx-2p"), spexxx))
    with pytest.raises(InvalidError, match="one for each of the 2 players of bloxx-2p, not 3"):
        list(iter_openings_answers(OpeningsQuestion(lineup="greedy,greedy,random"), read_shipped("bloxx-2p")))


def test_answers_grow_and_stop(small: BlokusRuleset) -> None:
    player = read_player(games.find_game("blokus"), "random")

    def ask(stopped: Callable[[], bool]) -> list[int]:
        answers = play_openings(small, [player] * 2, by="move", blocks=400, seed=1, stopped=stopped)
        return [openings.blocks for openings in answers]

    assert ask(lambda: False) == [100, 200, 400]
    assert ask(lambda: True) == []


def test_an_answer_that_grows_says_estimates_and_finds_nothing(small: BlokusRuleset) -> None:
    question = OpeningsQuestion(ruleset="small", lineup="random", blocks=1000)
    growing, *_, whole = (
        compose(answer, lambda names: dict.fromkeys(names, OTHER_LOOK))
        for answer in iter_openings_answers(question, small)
    )
    assert re.fullmatch(
        r"so far, after 100 of 1,000 blocks: I2 at a1 comes first of the 4 first moves, with [\d.]+ wins of 100",
        growing.verdict,
    )
    judged = [
        [
            table.list_values("against the first")
            for table in sheet.tables
            if "against the first" in table.columns
        ]
        for sheet in (growing, whole)
    ]
    assert judged == [[], [[None, *["clearly worse"] * 3]]], "a column without a word is left out"


LINEUP = ("greedy", "greedy")


def make_openings(small: BlokusRuleset, *above: tuple[float, float, float], behind: int = 0) -> Openings:
    """Return first moves with these values. So many of the last ones, `behind`, clearly do worse."""
    values = tuple(
        OpeningValue(
            f"P{number}",
            400,
            Interval(20, 19, 21),
            Interval(*ends),
            Interval(0.5, 0.4, 0.6),
            is_behind=number >= len(above) - behind,
        )
        for number, ends in enumerate(above)
    )
    return Openings(
        small,
        "move",
        40,
        400,
        is_finished=True,
        values=values,
        squares={},
        square_blocks=50,
        games=4000,
        is_one_game=False,
    )


def test_a_move_is_called_the_best_only_if_all_others_are_clearly_behind(small: BlokusRuleset) -> None:
    first, last = (2, 1.5, 2.5), (-1.0, -1.5, -0.5)
    said = [
        describe_openings(make_openings(small, first, last, last, behind=behind), LINEUP)
        for behind in range(3)
    ]
    amount = "2.0 points better than the mean of the 3 finalists (95 % interval 1.5 to 2.5)"
    assert said == [
        f"if greedy plays on, none of the 40 first moves clearly does best; P0 is first, {amount}",
        f"if greedy plays on, P0 is among the best of the 40 first moves, {amount}; P1 may do as well, P2 clearly does worse",
        f"if greedy plays on, P0 does best of the 40 first moves, {amount}",
    ]
    many = describe_openings(make_openings(small, first, *[last] * 9, behind=4), LINEUP)
    assert many.endswith("; 5 other finalists may do as well, 4 clearly do worse")


def test_wins_order_first_moves_where_they_clearly_differ(small: BlokusRuleset) -> None:
    """A move with a higher mean score, but fewer wins, comes later in the sentence, the chart and the table."""
    openings = make_openings(small, (-1.0, -1.5, -0.5), (2, 1.5, 2.5))
    wins = (Interval(1.0, 0.99, 1.0), Interval(0.64, 0.6, 0.68))
    values = tuple(
        replace(value, wins=share, is_behind=share.estimate < 1)
        for value, share in zip(openings.values, wins, strict=True)
    )
    openings = replace(openings, values=values, is_by_wins=True, results=7)
    assert describe_openings(openings, LINEUP) == (
        "if greedy plays on, P0 wins most games of the 40 first moves: 100.0 (99.0 to 100.0) of 100; "
        "its games have at most 7 different results"
    )
    answer = OpeningsAnswer(OpeningsQuestion(ruleset="blokus-duo", first="move"), openings, LINEUP)
    sheet = compose(answer, lambda names: dict.fromkeys(names, OTHER_LOOK))
    said = "The 400 games of a first move have at most 7 different results: greedy plays on nearly the same each time."
    assert said in next(part.caption for part in sheet.parts if part.key == "openings")
    assert (
        "The 2 finalists did best in first stages, by wins if these clearly differ, else by points; the numbers come from other games, 400 games of each."
        in sheet.basis
    )
    fewer = replace(openings, values=(values[0], replace(values[1], games=166)))
    basis = compose(replace(answer, openings=fewer), lambda names: dict.fromkeys(names, OTHER_LOOK)).basis
    assert "the numbers come from other games, 166 to 400 games of each." in basis
    (table,) = (table for table in sheet.tables if table.title == "The values of the first moves")
    assert table.columns == ("first move", "wins of 100", "points more than the mean", "against the first")
    assert [row[0] for row in table.rows] == ["P0", "P1"]
    (chart,) = sheet.list_contents(Intervals)
    assert [(estimate.at, estimate.mean.estimate) for estimate in chart.estimates] == [
        ("P0", 100),
        ("P1", 64),
    ]
