"""Functions of the replay that draw nothing, each called with values, on an empty page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.browser


def test_numbers_read_as_people_write_them(evaluate: Callable[..., Any]) -> None:
    assert evaluate("numbers", "[1, 2, 3, 4, 11].map(formatOrdinal)") == ["1st", "2nd", "3rd", "4th", "11th"]
    assert evaluate("numbers", "[-3, 0, 3].map(formatNumber)") == ["−3", "0", "3"]
    assert evaluate("numbers", "[-3, 0, 3].map(formatSigned)") == ["−3", "0", "+3"]
    assert evaluate("numbers", "[0.156, -0.004, 0.9963, 1].map((share) => formatPercent(share))") == [
        "16\u202f%",
        "0\u202f%",
        ">99\u202f%",
        "100\u202f%",
    ]
    assert evaluate("numbers", "[-0.1, 0.5].map((share) => formatPercent(share, true))") == [
        "−10\u202f%",
        "+50\u202f%",
    ]
    assert evaluate("numbers", "[-0.04, 0.04, 3.24].map((points) => formatTenths(points, true))") == [
        "0.0",
        "0.0",
        "+3.2",
    ]
    assert evaluate("numbers", "[0, 0.001, 0.04].map(formatShareHalf)") == ["", "±<1", "±4"]
    assert evaluate("numbers", "[[3.24, 0.81], [3, 0]].map(formatPoints)") == [
        "3.2 ±0.8 points",
        "3.0 points",
    ]
    assert evaluate("numbers", "formatWins([0.16, 0.04])") == "16\u202f% ±4 of the win"


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 10, [0, 5, 10]),
        (0, 1, [0, 1]),
        (-7, 83, [0, 50]),
        (-200, 200, [-200, -100, 0, 100, 200]),
        (3, 8, [4, 6, 8]),
    ],
)
def test_an_axis_has_a_few_round_numbers_within_its_range(
    evaluate: Callable[..., Any], low: int, high: int, ticks: list[int]
) -> None:
    assert evaluate("numbers", "roundNumbersInRange(...given)", [low, high]) == ticks


def test_moves_are_described_for_people(evaluate: Callable[..., Any], handmade_game: dict[str, Any]) -> None:
    assert evaluate("moves", "given.steps.map((_, at) => describePlace(given, at))", handmade_game) == [
        "Round 1 · move 1 of 3",
        "Round 1 · move 2 of 3",
        "Round 2 · move 3 of 3",
    ]
    assert evaluate("moves", "describePlace(given, -1)", handmade_game) == "Start · 3 moves to come"
    assert (
        evaluate("moves", "describePlace(given, 1)", {**handmade_game, "isInProgress": True})
        == "Round 1 · move 2"
    )
    assert evaluate("moves", "given.steps.map((step) => describeMove(given, step).text)", handmade_game) == [
        "1 5",
        "I2 at a1",
        "2 squares at c1",
    ]
    assert evaluate("moves", "describeMove(given, given.steps[1]).cells", handmade_game) == [
        [0, 0, ""],
        [1, 0, ""],
        [0, 1, ""],
        [0, 2, ""],
    ]
    assert evaluate("moves", "[turnEnds(given), roundStarts(given), hasThrows(given)]", handmade_game) == [
        [1, 2],
        [0, 2],
        False,
    ]
    assert evaluate("moves", "given.steps.map((_, at) => hasGain(given, at))", handmade_game) == [
        False,
        True,
        True,
    ]
    assert evaluate("moves", "seatGain(given, 1)", handmade_game) == 4
    quiet = [("keep", "0"), ("keep", "5 5"), ("out", "x"), ("pass", "pass")]
    steps = [{"kind": kind, "notation": notation} for kind, notation in quiet]
    assert evaluate("moves", "given.map(describeQuietMove)", steps) == [
        "keeps nothing",
        "keeps 5 5",
        "out",
        "pass",
    ]
    assert evaluate("moves", "['A:a3,b3o', 'a3', 'A!:b1'].map(dieOfNotation)") == ["A", "", "A!"]


@pytest.mark.parametrize(
    ("ranks", "scores", "result"),
    [
        ([3, 1, 1], [0, 4, 4], "Player 2 and Player 3 share the win"),
        ([1, 2, 3], [9, 4, 0], "Player 1 wins by 5"),
        ([1, 2, 3], [4, 4, 0], "Player 1 wins after a tie of scores"),
        ([1], [4], "Player 1 ends with 4"),
        ([2, 2, 2], [0, 0, 0], "The game is over"),
    ],
)
def test_a_result_is_one_sentence(
    evaluate: Callable[..., Any], ranks: list[int], scores: list[int], result: str
) -> None:
    seats = [{"name": f"Player {seat + 1}"} for seat in range(len(ranks))]
    assert (
        evaluate(
            "moves", "describeResult(given)", {"ranks": ranks, "seats": seats, "steps": [{"scores": scores}]}
        )
        == result
    )


def test_a_finish_is_close_usual_or_wide(evaluate: Callable[..., Any]) -> None:
    shares = [{"share": share, "n": 1000} for share in (0.98, 0.5, 0.1)]
    games = "of 1,000 games under these rules in this run"
    assert evaluate("finish", "given.map((raw) => describeCloseness(readCloseness(raw)))", shares) == [
        f"A closer finish than 98\u202f% {games}.",
        f"A usual margin: wider than 50\u202f% {games}.",
        f"A wider margin than 90\u202f% {games}.",
    ]
    assert (
        evaluate(
            "finish", "given.map(readCloseness)", [None, "text", {"share": 2, "n": 1}, {"share": 0, "n": 0}]
        )
        == [None] * 4
    )
    ranks = "[[1, 2, 2], [1, 1, 3]].map((ranks) => ranks.map((_, seat) => describeRank(ranks, seat)))"
    assert evaluate("seats", ranks) == [
        ["★ winner", "2nd, shared", "2nd, shared"],
        ["★ shared win", "★ shared win", "3rd"],
    ]


def test_solved_lessons_are_counted_once_in_each_collection(evaluate: Callable[..., Any]) -> None:
    counts = "[countSolved('A'), countSolved('A', '1 2'), countSolved('A', '1 2'), countSolved('A', '1 3'), countSolved('B'), countSolved('', '1 2')]"
    store = "{ getItem: (slot) => kept.get(slot) ?? null, setItem: (slot, text) => kept.set(slot, text) }"
    script = f"(Object.defineProperty(globalThis, 'localStorage', {{ configurable: true, value: ((kept) => ({store}))(new Map()) }}), {counts})"
    assert evaluate("values", script) == [0, 1, 1, 2, 0, 0]
    broken = "(Object.defineProperty(globalThis, 'localStorage', { configurable: true, value: null }), countSolved('A', '1 2'))"
    assert evaluate("values", broken) == 0


def test_a_verdict_says_what_a_choice_cost(evaluate: Callable[..., Any]) -> None:
    cases = [
        {"judged": "mistake", "points": [3.24, 0.81], "wins": [0.16, 0.04]},
        {"judged": "unclear", "points": [1, 2], "wins": [0, 0.1]},
        {"judged": "good", "points": [-1, 1], "wins": [0, 0]},
        {"judged": "unclear", "points": None, "wins": None},
    ]
    assert evaluate("verdict", "given.map(describeLoss)", cases) == [
        "gave away 3.2 ±0.8 points and 16\u202f% ±4 of the win",
        "perhaps gave away 1.0 ±2.0 points",
        "gave nothing away",
        "too few playouts to know what it cost",
    ]
    script = "[5, 44].map((options) => describeSearchedOptions({ candidates: 12 }, { options }))"
    assert evaluate("verdict", script) == ["5", "the 12 most promising of 44"]
    script = (
        "given.map((isBehind) => describeFirst({ moves: [{ action: 'a' }, { action: 'b', isBehind }] }, 'a'))"
    )
    assert evaluate("verdict", script, [True, False]) == ["", " or nearly so,"]


def test_the_course_has_bands_and_rounds(evaluate: Callable[..., Any]) -> None:
    rows = [[[1, 1]], [[2, 0]], None, [[3, 1]]]
    assert (
        evaluate("course", "bandPath(given, 0, (at) => at, (value) => value)", rows)
        == "M-1 2L0 2L0 2L-1 0ZM2 4L2 2Z"
    )
    rounds = {"steps": [{"round": at // 4} for at in range(40)]}
    assert evaluate(
        "course", "[2000, 100].map((room) => roundTicks(given, room).map(([label]) => label))", rounds
    ) == [
        ["round 1", *[str(number) for number in range(2, 11)]],
        ["round 1", "6"],
    ]


def test_two_continuations_begin_their_rounds_together(evaluate: Callable[..., Any]) -> None:
    games = [
        {"steps": [{"round": number} for number in rounds]} for rounds in ([0, 0, 1, 2], [0, 0, 0, 1, 1])
    ]
    assert evaluate("pair", "pairMoments(given, 1)", games) == [
        [0, 0],
        [1, 1],
        [1, 2],
        [2, 3],
        [2, 4],
        [3, 4],
    ]


def test_the_nearest_placement_is_aimed_at(evaluate: Callable[..., Any]) -> None:
    board = {"first": 0, "columns": 6, "rows": 3}
    flat = {"name": "flat", "squares": [0, 1], "middle": [1, 0.5], "outline": "0,0 1,0", "place": "a1"}
    tall = {"name": "tall", "squares": [0, 6], "middle": [0.5, 1], "outline": "0,0 0,1", "place": "a1"}
    far = {"name": "far", "squares": [4, 5], "middle": [5, 0.5], "outline": "0,0 1,0", "place": "e1"}
    given = {"board": board, "all": [flat, tall, far]}
    near = "placementsNear(given.all, given.board, [{}], {}).map(({{ name }}) => name)"
    assert evaluate("choose", near.format("0.9, 0.4", "null"), given) == ["flat", "tall"]
    assert evaluate("choose", near.format("0.9, 0.4", "{ outline: '0,0 0,1' }"), given) == ["tall", "flat"]
    assert evaluate("choose", near.format("4.2, 2.5", "null"), given) == ["far"]
    towards = (
        "[[1, 0], [0, 1], [-1, 0]].map((way) => placementTowards(given.all, given.all[0], way)?.name ?? null)"
    )
    assert evaluate("choose", towards, given) == ["far", "tall", "tall"]
    assert evaluate("choose", "placementTurned(given.all, given.all[0], 1).name", given) == "tall"
    assert evaluate("choose", "placementTurned(given.all, given.all[2], 1).name", given) == "far"
    assert evaluate("alternatives", "middleOfSquares(given.board, [0, 1, 6, 7])", given) == [1, 1]


def test_commands_step_through_a_track(evaluate: Callable[..., Any]) -> None:
    script = """[-1, 2, 5].map((at) => {
      const gone = [];
      const commands = trackCommands(() => ({ at, last: 5, rounds: [0, 3], turnEnds: [1, 2, 4] }), (target) => gone.push(target));
      for (const name of ["first", "previous", "next", "last", "roundBack", "roundOn", "turnBack", "turnOn"]) commands[name]();
      return gone;
    })"""
    assert evaluate("player", script) == [
        [-1, -2, 0, 5, -1, 0, -1, 1],
        [-1, 1, 3, 5, 0, 3, 1, 4],
        [-1, 4, 6, 5, 3, 5, 4, 5],
    ]


def test_keys_have_commands(evaluate: Callable[..., Any]) -> None:
    script = """[["ArrowLeft"], ["ArrowLeft", "shiftKey"], ["M", "shiftKey"], ["m"], ["m", "ctrlKey"], ["toString"], ["3"]].map(([key, modifier]) => {
      const names = ["previous", "turnBack", "mistakeOn", "mistakeBack"];
      const commands = Object.fromEntries(names.map((name) => [name, () => name]));
      return commandOfKey({ key, [modifier]: true }, commands)?.() ?? null;
    })"""
    assert evaluate("keys", script) == ["previous", "turnBack", "mistakeBack", "mistakeOn", None, None, None]
    assert evaluate("keys", "commandOfKey({ key: '3' }, { seat: (seat) => seat })()") == 2


def test_no_key_stands_twice_in_the_help_of_a_board_with_best_moves(evaluate: Callable[..., Any]) -> None:
    keys = evaluate(
        "help",
        "[NO_MOVES_HELP, WHATIF_HELP, PLAY_ON_HELP, MOVES_HELP, REVIEW_HELP].flat().flatMap(([keys]) => keys.split(' '))",
    )
    assert len(set(keys)) == len(keys)
    assert {"1", "5", "Space", "?"} <= set(keys)


def test_digits_choose_a_move_where_there_is_one_and_with_shift_a_player(
    evaluate: Callable[..., Any],
) -> None:
    script = """given.map((event) => {
      const commands = { seat: (seat) => `player ${seat + 1}`, hasMove: (index) => index < 2, chooseMove: (index) => `move ${index + 1}`, help: () => "help" };
      return commandOfKey(event, commands)?.() ?? null;
    })"""
    events = [
        {"key": "2", "code": "Digit2"},
        {"key": "3", "code": "Digit3"},
        {"key": '"', "code": "Digit2", "shiftKey": True},
        {"key": "2", "code": "Digit2", "shiftKey": True},  # on keyboards whose digits need Shift
        {"key": "?", "code": "Digit6", "shiftKey": True},
        {"key": "0", "code": "Digit0"},
        {"key": "2", "code": "Digit2", "ctrlKey": True},
    ]
    assert evaluate("keys", script, events) == [
        "move 2",
        "player 3",
        "player 2",
        "player 2",
        "help",
        None,
        None,
    ]


def test_a_valued_move_is_a_whole_sentence(evaluate: Callable[..., Any]) -> None:
    move = {"name": "L5 at r12", "wins": [0.54, 0.05], "score": [61.3, 0.8]}
    script = "[[0, false], [1, true], [5, true]].map(([index, isPlayed]) => describeMoveValue(given, index, isPlayed))"
    assert evaluate("best_moves", script, move) == [
        "1: L5 at r12: win chance 54\u202f% ±5, final score 61.3 ±0.8",
        "2: L5 at r12, as played: win chance 54\u202f% ±5, final score 61.3 ±0.8; not clearly worse than 1",
        "L5 at r12, as played: win chance 54\u202f% ±5, final score 61.3 ±0.8; not clearly worse than 1",
    ]
    behind = evaluate("best_moves", "describeMoveValue(given, 1, false)", move | {"isBehind": True})
    assert behind == "2: L5 at r12: win chance 54\u202f% ±5, final score 61.3 ±0.8"
    assert evaluate("best_moves", "describeMoveValue(given, 0, false)", {"name": "out", "wins": [1, 0]}) == (
        "1: out: win chance 100\u202f%, final score \u2013"
    )


def test_boards_give_a_few_pixels_to_a_course_below_them(evaluate: Callable[..., Any]) -> None:
    script = "given.map(([boards, course]) => shareHeight(460, course, (height) => Math.min(height, boards)))"
    heights = [
        [325, 144],
        [340, 144],
        [300, 144],
        [325, 0],
    ]  # 9 pixels are missing, 24, none; there is no course beside the boards
    assert evaluate("frame", script, heights) == [144, 144, 160, 135]
    assert evaluate("frame", script, [[350, 144]]) == [110]  # too much for the boards


def test_a_board_before_a_move_says_who_is_to_move_and_what_comes_next(evaluate: Callable[..., Any]) -> None:
    captions = ["Player 2 places W5.", "Player 2 (blue) places W5.", "Yellow is out: 38 squares left."]
    game = {"seats": [{"name": "Player 1"}, {"name": "Player 2"}]}
    script = "given[1].map((caption) => describeNext(given[0], { seat: 1, caption }))"
    assert evaluate("moves", script, [game, captions]) == [
        "To move: Player 2, who now places W5.",
        "To move: Player 2 (blue), who now places W5.",
        "Now: Yellow is out: 38 squares left.",
    ]


def test_ghosts_that_overlap_bear_their_numbers_on_different_squares(evaluate: Callable[..., Any]) -> None:
    ghosts = [{"squares": squares} for squares in ([1, 2, 3], [2, 3, 4], [2, 3], [2, 3], [9])]
    assert evaluate("best_moves", "labelSquares(given)", ghosts) == [1, 4, 2, 3, 9]
    assert evaluate("best_moves", "labelSquares([])") == []
    # The first number yields its square to a move that has no other, and no number lies on a circle.
    ghosts = [{"squares": squares} for squares in ([1, 2], [1], [2, 5], [2, 6])]
    assert evaluate("best_moves", "labelSquares(given)", ghosts) == [2, 1, 5, 6]
    circled = "labelSquares([{ squares: [1, 2], circled: new Set([1]) }, { squares: [2, 3] }])"
    assert evaluate("best_moves", circled) == [2, 3]


def test_outlines_that_overlap_lie_inside_of_each_other(evaluate: Callable[..., Any]) -> None:
    ghosts = [{"squares": squares} for squares in ([1, 2], [2, 3], [3, 4], [1, 3], [9])]
    assert evaluate("best_moves", "findLanes(given)", ghosts) == [0, 1, 0, 2, 0]
    # An L of three cells: its edges lie two units inside, shorter at outer corners and longer at the inner one.
    corners = [[0, 0], [0, 24], [24, 24]]
    lines = set(re.findall(r"M\S+ [\d.]+[hv][\d.]+", evaluate("draw", "outlinePath(given, 2)", corners)))
    assert lines == {
        "M2 2h20",
        "M2 2v22",
        "M22 2v24",
        "M2 24v22",
        "M2 46h22",
        "M22 26h24",
        "M24 46h22",
        "M46 26v20",
    }


def test_plies_last_as_long_as_they_say(evaluate: Callable[..., Any]) -> None:
    throw = {"seat": -1, "kind": "roll", "glow": []}
    steps = [
        throw,
        {**throw, "seat": 0, "kind": "keep"},
        {**throw, "seat": 0, "kind": "place"},
        {**throw, "seat": 0, "glow": [1]},
    ]
    assert evaluate("player", "given.steps.map((_, at) => plyPace(given, at))", {"steps": steps}) == [
        0.45,
        0.45,
        1,
        1.8,
    ]
    assert evaluate("player", "plyPace(given, 0)", {"steps": [throw]}) == 1


def test_a_move_that_was_tried_lies_above_the_places_that_can_be_aimed_at(
    evaluate: Callable[..., Any], handmade_game: dict[str, Any]
) -> None:
    script = """(() => {
      const view = createBoardView(given, given.boards.find(({ size }) => size));
      view.showGhosts([{ squares: [0, 1], label: 0, mark: "try" }, { squares: [2, 3], label: 2, rank: 1 }]);
      view.showAim({ places: [0, 1, 2, 3], aim: null, colour: "ink" });
      return [...view.node.querySelectorAll(".ghost:not(.ghost-badge)")]
        .map((ghost) => Boolean(ghost.compareDocumentPosition(view.node.querySelector(".aim")) & Node.DOCUMENT_POSITION_PRECEDING));
    })()"""
    assert evaluate("boards", script, handmade_game) == [False, True]  # that of the list lies below them


def test_at_most_two_outlines_lie_within_each_other_unless_a_person_points_at_another_one(
    evaluate: Callable[..., Any],
) -> None:
    script = """given.map((ghost) => drawGhost({ rank: 1, ...ghost }, [[0, 0]]).querySelectorAll(".ghost-line").length)"""
    ghosts = [{"lane": 0}, {"lane": 1}, {"lane": 2}, {"lane": 2, "isStrong": True}]
    assert evaluate("boards", script, ghosts) == [1, 1, 0, 1]


def test_shapes_have_outlines_and_boards_turn(evaluate: Callable[..., Any]) -> None:
    assert (
        evaluate("draw", "outlinePath([[0, 0], [24, 0]])")
        == "M0 0h24M0 0v24M0 24h24M24 0h24M24 24h24M48 0v24"
    )
    box = {"x": -2, "y": 0, "width": 12, "height": 6}
    turned = evaluate("boards", "[0, 1, 4].map((quarters) => rotateBox(given, quarters, 5, 3))", box)
    assert (turned[0], turned[2]) == (box, box)
    assert turned[1] == {"x": 2, "y": -4, "width": 6, "height": 12}


def test_a_board_is_described_in_words(evaluate: Callable[..., Any], handmade_game: dict[str, Any]) -> None:
    script = (
        "(() => { const position = createPosition(given); position.go(1); return [...position.squares]; })()"
    )
    squares = evaluate("scene", script, handmade_game)
    text = evaluate(
        "boards", "describeBoard(given[0], given[0].boards[0], given[1], [0, 6])", [handmade_game, squares]
    )
    assert text == "Frame, 6 by 3 squares: 3 blue blocks, 1 seat1 cubes. Changed now: a1, a2."


def test_a_game_by_hand_counts_its_aids(evaluate: Callable[..., Any]) -> None:
    assert evaluate(
        "play_panel", "[[0, 0], [1, 0], [2, 1]].map(([hints, undos]) => describeAids(hints, undos))"
    ) == [
        "",
        "1 hint, noted in the game.",
        "2 hints and 1 move taken back, noted in the game.",
    ]
    dice = [{"face": "5"}, {"face": "2"}]
    options = [{"kind": "keep", "dice": ["5"]}, {"kind": "keep", "dice": []}]
    script = "[given.options, [{ kind: 'keep', dice: ['6'] }], []].map((options) => areDiceChoices(options, given.dice))"
    assert evaluate("play_dice", script, {"dice": dice, "options": options}) == [True, False, False]
