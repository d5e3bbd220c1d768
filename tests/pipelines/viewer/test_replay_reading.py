"""How the replay reads scenes, reviews and alternatives that may come from anybody, on an empty page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.scene import Scene

pytestmark = pytest.mark.browser

NOTHING: Final[list[Any]] = [None, 7, "text", [], {}, {"boards": 7, "steps": "x"}, [[]]]
"""Values that are neither a scene nor a review nor an answer."""


def test_values_that_do_not_fit_are_replaced(evaluate: Callable[..., Any]) -> None:
    assert evaluate(
        "values", "given.map((value) => [asText(value), asRecord(value), asList(value, 2)])", NOTHING[:5]
    ) == [
        ["", {}, []],
        ["", {}, []],
        ["text", {}, []],
        ["", {}, []],
        ["", {}, []],
    ]
    assert evaluate("values", "[asText('x'.repeat(99)).length, asText('abc', 2), asList([1, 2, 3], 2)]") == [
        80,
        "ab",
        [1, 2],
    ]
    assert evaluate("values", "[NaN, Infinity, '1', 2.5].map(asNumber)") == [0, 0, 0, 2.5]
    assert evaluate("values", "[-1, 2.5, 3, 1e10].map(asCount)") == [0, 0, 3, 0]
    assert evaluate("values", "[-1, 0, 2, 3, '1'].map((seat) => asSeat(seat, 3))") == [None, 0, 2, None, None]
    assert evaluate("values", "[[1, 2], [1], [1, null], 'ab'].map((value) => areNumbers(value, 2))") == [
        True,
        False,
        False,
        False,
    ]


def test_what_is_no_scene_gives_a_sentence(evaluate: Callable[..., Any]) -> None:
    problems = evaluate("scene", "given.map((raw) => readScene(raw).problem)", NOTHING)
    assert problems == ["This scene has neither boards nor plies."] * len(NOTHING)


def test_a_scene_is_read_into_known_types(evaluate: Callable[..., Any], handmade_scene: Scene) -> None:
    game = evaluate("scene", "readScene(given)", handmade_scene)
    assert (game["squares"], game["ranks"], game["problem"]) == (18, [3, 1, 1], "")
    assert [seat["name"] for seat in game["seats"]] == ["Player 1", "Player 2", "Player 3"]
    assert [step["caption"] for step in game["steps"]][1:] == [
        "Player 2 fills a corner.",
        "Player 3 draws.",
    ]
    assert game["steps"][1]["piece"] == "I2"
    assert game["marks"][-1] == {"glyph": "cube", "colour": "seat1", "letter": "2"}  # seat 1 is player 2
    assert [piece["spentAt"] for piece in game["trays"][0]["pieces"][::2]] == [1, 2]
    lowest = evaluate("scene", "readScene(given).ranks", {**handmade_scene, "lowest_wins": True})
    assert lowest == [1, 2, 2]
    unfinished = evaluate("scene", "readScene(given).ranks", {**handmade_scene, "ranks": []})
    assert unfinished is None


def test_squares_and_marks_that_are_not_there_are_left_out(
    evaluate: Callable[..., Any], handmade_scene: Scene
) -> None:
    paint = [[0, 4, "b"], [1, 0, "b"], [0, 99, "b"], [0, 0, "?"], "x", [0, 1, "b"]]  # square 4 is not printed
    scene = {
        **handmade_scene,
        "steps": [{**handmade_scene["steps"][0], "paint": paint, "glow": [[0, 4], [0, 6], None]}],
    }
    steps = evaluate(
        "scene",
        "readScene(given).steps.map(({ changes, glow }) => [changes.map(([square]) => square), glow])",
        scene,
    )
    assert steps == [[[1], [6]]]


def test_neighbours_with_the_same_mark_are_joined(
    evaluate: Callable[..., Any], handmade_scene: Scene
) -> None:
    keys = evaluate(
        "scene",
        "readScene(given).steps[1].changes.map(([square, , key]) => [square, markOfKey(key), sidesOfKey(key), isLetteredKey(key)])",
        handmade_scene,
    )
    assert keys == [[0, 3, 2 + 8, True], [1, 3, 1, False], [6, 3, 4, False], [12, 4, 0, True]]


def test_a_position_is_the_same_from_both_sides(evaluate: Callable[..., Any], bloxx_3p_scene: Scene) -> None:
    script = """(() => {
      const game = readScene(given);
      const position = createPosition(game);
      const forwards = game.steps.map((_, at) => { position.go(at); return [...position.squares].join(); });
      const backwards = game.steps.map((_, at) => { position.go(game.steps.length - 1 - at); return [...position.squares].join(); });
      position.go(START);
      return [forwards.toReversed().every((squares, at) => squares === backwards[at]), Math.max(...position.squares), new Set(forwards).size];
    })()"""
    is_same, most, different = evaluate("scene", script, bloxx_3p_scene)
    assert (is_same, most) == (True, 0)
    assert different > 20


def test_squares_and_strategies_have_names(evaluate: Callable[..., Any], handmade_scene: Scene) -> None:
    assert evaluate(
        "scene", "[0, 7, 17, 99].map((square) => squareName(readScene(given), square))", handmade_scene
    ) == [
        "a1",
        "b2",
        "f3",
        "",
    ]
    strategies = ["greedy", "noisy:sigma=1", "noisy:sigma=2"]
    assert evaluate("scene", "given.map((own) => shortenStrategy(own, given))", strategies) == strategies
    assert evaluate("scene", "given.map((own) => shortenStrategy(own, given))", strategies[:2]) == [
        "greedy",
        "noisy",
    ]


def test_standings_are_whole_or_none(evaluate: Callable[..., Any]) -> None:
    good = [{"beaten": 0.5, "n": 100}, {"beaten": 1, "n": 100}]
    cases = [good, good[:1], [{"beaten": 2, "n": 1}] * 2, [{"beaten": 0.5, "n": 0}] * 2, None]
    assert evaluate("scene", "given.map((raw) => readStandings(raw, 2))", cases) == [
        good,
        None,
        None,
        None,
        None,
    ]


def test_what_is_no_review_of_this_game_gives_a_sentence(
    evaluate: Callable[..., Any], handmade_game: dict[str, Any]
) -> None:
    script = "given.raw.map((raw) => readReview(raw, given.game, 'win')?.problem)"
    given = {"raw": NOTHING, "game": handmade_game}
    sentence = "This review cannot be shown: it does not belong to this game."
    assert evaluate("review", script, given) == [None, *[sentence] * (len(NOTHING) - 1)]


def test_a_review_judges_by_the_win_or_by_points(
    evaluate: Callable[..., Any], handmade_game: dict[str, Any]
) -> None:
    decision = {
        "ply": 1,
        "judged": "blunder",
        "judged_by_points": "best",
        "board": 0,
        "better": "I1:c1",
        "moves": [
            {"action": f"I1:{name}", "cells": [cell], "wins": [wins, 0.1], "score": [score, 1]}
            for name, cell, wins, score in (("a1", 0, 0.5, 1), ("c1", 2, 0.4, 3), ("e9", 99, 0.9, 2))
        ],
        "points": [3, -1],
    }
    roll = {"ply": 0, "large": 2, "points": [[0, 1]] * 3, "wins": [[0, 1], [0, 1], [0.15, 0.1]]}
    review = {
        "scores": [None] * 4,
        "wins": [None] * 4,
        "ledgers": None,
        "win_ledgers": None,
        "decisions": [decision, {"ply": 2, "judged": "?"}, {"ply": 9}],
        "rolls": [roll],
    }
    script = """["win", "points"].map((measure) => {
      const review = readReview(given.review, given.game, measure);
      return [[...review.decisions].map(([at, { judged }]) => [at, judged]), review.mistakes, review.largeRolls, betterNumber(review.decisions.get(1), review.decisions.get(1).moves),
        [0, 1, 2].map((at) => plyMark(review, given.game, at)?.words ?? null), review.decisions.get(1).points];
    })"""
    lucky = "lucky roll for Player 3: +15\u202f% of the win, compared with the average roll"
    assert evaluate("review", script, {"review": review, "game": handmade_game}) == [
        [[[1, "blunder"], [2, "unclear"]], [1], [0], 3, [lucky, "blunder", None], [3, 1]],
        [[[1, "best"], [2, "unclear"]], [], [0], 1, [lucky, None, None], [3, 1]],
    ]


@pytest.mark.parametrize("measure", ["win", "points"])
@pytest.mark.parametrize("is_decided", [False, True])
def test_the_best_moves_are_listed_by_their_values_and_those_without_one_come_last(
    evaluate: Callable[..., Any], handmade_game: dict[str, Any], measure: str, *, is_decided: bool
) -> None:
    played = handmade_game["steps"][1]["notation"]
    worth = {"I1:c1": 0.46, "I1:d1": None, played: 0.38, "I1:a1": 0.47, "I1:b1": None}
    moves = [
        {
            "action": action,
            "behind_by_win": action == played,
            "behind_by_points": action == played,
            "cells": [cell],
            "wins": value and [value, 0.1],
            "score": value and [100 * value, 1],
        }
        for cell, (action, value) in enumerate(worth.items())
    ]
    script = "readDecision(given.decision, given.game, given.measure).moves.map(({ action, isBehind }) => [action, isBehind])"
    decision = {"ply": 1, "board": 0, "better": "I1:c1", "moves": moves, "nearly_decided": is_decided}
    given = {"decision": decision, "game": handmade_game, "measure": measure}
    best = [["I1:c1", False], ["I1:a1", False]]  # the first one was chosen by other playouts
    assert evaluate("review", script, given) == [
        *(best if measure == "win" else best[::-1]),
        [played, True],  # though those without a value may be as good
        ["I1:d1", False],
        ["I1:b1", False],
    ]


def test_slips_of_one_player_are_listed_alone(
    evaluate: Callable[..., Any], handmade_game: dict[str, Any]
) -> None:
    decisions = [{"ply": ply, "judged": "blunder", "judged_by_points": "blunder"} for ply in (1, 2)]
    review = {"scores": [None] * 4, "wins": [None] * 4, "ledgers": None, "win_ledgers": None}
    given = {"review": review | {"decisions": decisions, "rolls": []}, "game": handmade_game}
    script = "[null, 1, 2, 0].map((only) => readReview(given.review, given.game, 'win', only).mistakes)"
    assert [step["seat"] for step in handmade_game["steps"][1:3]] == [1, 2]
    assert evaluate("review", script, given) == [[1, 2], [1], [2], []]


def test_a_decision_whose_moves_were_valued_since_counts_in_place_of_that_of_the_review(
    evaluate: Callable[..., Any], handmade_game: dict[str, Any]
) -> None:
    """What the review says of a move, its mark and the number of slips never contradict the values of the best moves."""
    raw = {"ply": 1, "board": 0, "judged": "blunder", "judged_by_points": "good", "better": "I1:b1"}
    review = {"scores": [None] * 4, "wins": [None] * 4, "ledgers": None, "win_ledgers": None}
    reviewed = review | {"decisions": [raw, raw | {"ply": 2}], "rolls": []}
    given = {"review": reviewed, "game": handmade_game, "valued": [raw | {"judged": "good", "better": None}]}
    script = """[[], given.valued].map((valued) => {
      const { mistakes, counts, decisions } = readReview(given.review, given.game, "win", null, valued);
      return [mistakes, counts.map(({ blunder }) => blunder), decisions.get(1).better];
    })"""
    assert [step["seat"] for step in handmade_game["steps"][1:3]] == [1, 2]
    assert evaluate("review", script, given) == [
        [[1, 2], [0, 1, 1], "I1:b1"],
        [[2], [0, 0, 1], ""],
    ]


def test_alternatives_are_placements_by_shape_or_a_list(
    evaluate: Callable[..., Any], handmade_game: dict[str, Any]
) -> None:
    options = [
        {"action": "A:a1o,b1", "cells": [0, 1], "piece": "I2", "die": "A"},
        {"action": "A:c1,d1", "cells": [2, 3], "piece": "I2", "die": "A"},
        {"action": "A!:a1,a2", "cells": [0, 6], "piece": "I2", "die": "A"},
        {"action": "5 5", "cells": [99], "kind": "keep", "dice": ["5", "5"]},
        "x",
    ]
    look = {"seat": 7, "board": 0, "total": 5, "options": options}
    script = """(() => {
      const { seat, groups, others } = readAlternatives(given.game, given.look);
      return [seat, groups.map(({ isStruck, placements }) => [isStruck, placements.map(({ place, cells }) => [place, cells])]), others.map(({ action, dice }) => [action, dice])];
    })()"""
    flat = [[0, 0, ""], [1, 0, ""]]
    assert evaluate("alternatives", script, {"game": handmade_game, "look": look}) == [
        -1,
        [
            [False, [["a1", [[0, 0, "o"], [1, 0, ""]]], ["c1", flat]]],
            [True, [["a1", [[0, 0, ""], [0, 1, ""]]]]],
        ],
        [["5 5", ["5", "5"]], ["", []]],
    ]


def test_shapes_to_choose_keep_their_order_and_their_pictures_during_a_game(
    evaluate: Callable[..., Any], handmade_game: dict[str, Any]
) -> None:
    def option(piece: str, cells: list[int], die: str = "") -> dict[str, Any]:
        return {"action": f"{die}:{piece} {cells}", "cells": cells, "piece": piece, "die": die}

    options = [
        option("Z9", [0, 1, 2]),
        option("V3", [6, 7, 12]),
        option("L3", [0, 1, 6]),
        option("L3", [0, 6, 7]),
        option("I2", [0, 6]),
        option("I2", [0, 1], "10"),
        option("I2", [0, 1], "9"),
    ]
    script = """given.orders.map((options) => readAlternatives(given.game, { seat: 0, board: 0, options }).groups
      .map(({ piece, die, cells }) => [`${die} ${piece}`.trim(), cells.map(([column, row]) => `${column}${row}`).join(" ")]))"""
    orders = [options, options[::-1]]
    first, second = evaluate("alternatives", script, {"game": handmade_game, "orders": orders})
    assert first == second
    assert [name for name, _ in first] == ["I2", "L3", "V3", "Z9", "9 I2", "10 I2"]
    # I2 and V3 lie as in the tray of the game, which has no L3: of its placements, the one whose squares come first.
    assert [cells for _, cells in first][:3] == ["00 10", "00 10 01", "00 01 10"]


def test_the_mover_is_named_with_the_colour_where_a_player_has_several(
    evaluate: Callable[..., Any], handmade_game: dict[str, Any]
) -> None:
    tray = handmade_game["trays"][0]
    trays = [tray, {**tray, "colour": "red"}, {**tray, "colour": "green", "seat": None}]
    seats = [
        {**seat, "colour": colour}
        for seat, colour in zip(handmade_game["seats"], ["ink", "blue", "violet"], strict=True)
    ]
    moves = [(0, "blue"), (0, "red"), (1, "blue"), (1, "green"), (2, "violet"), (2, "ink"), (2, None)]
    given = {"game": {**handmade_game, "trays": trays, "seats": seats}, "moves": moves}
    script = "given.moves.map(([seat, colour]) => nameMover(given.game, seat, colour))"
    assert evaluate("alternatives", script, given) == [
        "Player 1, blue",
        "Player 1, red",
        "Player 2",
        "Player 2, green",
        "Player 3",
        "Player 3",
        "Player 3",
    ]
