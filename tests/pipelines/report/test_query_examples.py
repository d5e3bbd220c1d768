"""The answers of the examples of SQL in words."""

from __future__ import annotations

from pipelines.report import query_examples

LEARNED = {"strategy": "learned", "mean": 164.1, "mean_half": 21.6}
ROLLOUT = {"strategy": "rollout:playouts=256", "mean": 153.9, "mean_half": None}


def test_the_highest_mean_is_named_with_its_interval_and_the_next_one() -> None:
    assert query_examples.say_who_scores([LEARNED]) == "Learned scores 164 (142 to 186) points a game."
    assert (
        query_examples.say_who_scores([LEARNED, ROLLOUT])
        == "Learned has the highest mean: 164 (142 to 186) points a game, then rollout with 154."
    )


def test_a_highest_mean_is_not_clear_while_its_interval_overlaps_the_next_one() -> None:
    said = [query_examples.say_who_scores([LEARNED, {**ROLLOUT, "mean_half": half}]) for half in (10, 1e-9)]
    assert [sentence.endswith("); the difference is not clear.") for sentence in said] == [True, True]
    apart = {**ROLLOUT, "mean": 120, "mean_half": 20}
    assert query_examples.say_who_scores([LEARNED, apart]).endswith("then rollout with 120 (100 to 140).")


def test_the_middle_half_of_the_results_counts_each_result() -> None:
    scores = {1: 1, 2: 2, 3: 1, 9: 4}
    rows = [{"strategy": "greedy", "score": score, "results": n} for score, n in scores.items()]
    rows += [{"strategy": "planner", "score": 50, "results": 3}]
    assert query_examples.say_spread(rows) == (
        "Half of the results lie between 50 and 50 points for planner; 2 and 9 points for greedy."
    )


def test_lengths_are_weighted_by_their_games() -> None:
    assert query_examples.say_lengths([{"rounds": 7, "games": 5}]) == "Every game lasts 7 rounds."
    rows = [{"rounds": 10, "games": 3}, {"rounds": 14, "games": 1}]
    assert query_examples.say_lengths(rows) == "Games last 11.0 rounds on average, between 10 and 14."


def test_seats_are_named_with_their_wins_and_intervals() -> None:
    wins = {"player 1": 52.5, "player 2": 47.5}
    rows = [{"player": name, "wins_of_100": share, "wins_of_100_half": 2.4} for name, share in wins.items()]
    said = "Player 1 wins most, 52.5 (50.1 to 54.9) of 100 games, and player 2 fewest, 47.5 (45.1 to 49.9)"
    assert query_examples.say_seats(rows) == f"{said}."
    close = [{**row, "wins_of_100_half": half} for row, half in zip(rows, (2.6, 2.6), strict=True)]
    assert query_examples.say_seats(close).endswith("(44.9 to 50.1); the difference is not clear.")
    assert query_examples.say_seats(rows[:1] * 2) == "Every player wins 52.5 of 100 games."


def test_strategies_with_the_same_best_part_are_named_together() -> None:
    points = [("a", "lines", 30.0), ("a", "zones", 4.0), ("b", "lines", 20.0), ("c", "zones", 3.25)]
    rows = [{"strategy": name, "part": part, "points": value} for name, part, value in points]
    assert (
        query_examples.say_parts(rows)
        == "Most points of a game come from lines: 30 for a, 20 for b; from zones: 3.25 for c."
    )


def test_one_game_ends_with_what_each_player_had_last() -> None:
    moves = [("player 1", 3), ("player 2", 5), ("player 1", 4)]
    rows = [{"run": "made", "game_id": 8, "player": player, "score": score} for player, score in moves]
    assert query_examples.say_one_game(rows) == (
        "Game 9 of made has 3 decisions; points after the last one: 5 for player 2, 4 for player 1."
    )


def test_the_closest_game_may_be_a_tie() -> None:
    row = {"run": "made", "game_id": 0, "margin": 1}
    assert query_examples.say_closest([row]) == "The closest game was decided by 1 point: game 1 of made."
    assert query_examples.say_closest([{**row, "margin": 0}]) == "The closest game was a tie: game 1 of made."
