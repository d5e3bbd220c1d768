"""The requests of the What if panel of a replay, and the responses."""

from __future__ import annotations

import json
import time
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import numpy as np
import pytest

from engine.actions import CHANCE
from pipelines.panel import documents
from pipelines.panel.documents import is_slow_strategy, quick_substitutes
from pipelines.panel.requests import WORK_SLOT, answer_request
from pipelines.questions.address import split_address
from pipelines.questions.every_question import read_question
from pipelines.questions.whatif.question import WhatifQuestion
from pipelines.report.estimates import format_interval, set_sentence
from pipelines.report.whatif import find_continuation, whatif_sentence
from pipelines.report.wording import bind_percent_signs
from pipelines.runs.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.scene import Scene
    from pipelines.runs.run import Run

GAME = 1


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, play_run: Callable[..., None]) -> Run:
    folder = tmp_path_factory.mktemp("library")
    play_run(folder, "three", "bloxx-3p", "greedy", "greedy", "random")
    return Library(folder).run("three")


@pytest.fixture(scope="module")
def scene(run: Run) -> Scene:
    return run.scene(GAME)


@pytest.fixture
def state() -> dict[str, Any]:
    """The state of one session."""
    return {}


@pytest.fixture
def ask(run: Run, scene: Scene, state: dict[str, Any]) -> Iterator[Callable[..., dict[str, Any]]]:
    """A function that asks as a browser does; the work ends with the test."""
    numbers = count(1)

    def ask_panel(kind: str, **fields: object) -> dict[str, Any]:
        request = {"id": f"a-{next(numbers)}", "kind": kind, **fields}
        response = answer_request(request, run, scene, state)
        assert response is not None
        assert response["id"] == request["id"]
        json.dumps(response, allow_nan=False)
        return response

    yield ask_panel
    if WORK_SLOT in state:
        state[WORK_SLOT][1].stop()
        state[WORK_SLOT][1].wait(30)


def find_ply(scene: Scene, *, is_chance: bool = False) -> int:
    """Return a ply in the middle of a game at which a seat chose, or at which chance acted."""
    return next(
        step["ply"] for step in scene["steps"] if step["ply"] > 8 and (step["seat"] == CHANCE) == is_chance
    )


def wait_until_over(ask: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    for _ in range(400):
        response = ask("poll")
        if response["over"]:
            return response
        time.sleep(0.05)
    pytest.fail("the work does not end")


def test_looking_at_a_ply_lists_its_legal_placements(
    ask: Callable[..., dict[str, Any]], scene: Scene, run: Run
) -> None:
    ply = find_ply(scene)
    seen = ask("look", ply=ply)
    assert WORK_SLOT not in seen  # looking plays nothing
    step = scene["steps"][ply]
    assert seen["seat"] == step["seat"]
    assert scene["boards"][seen["board"]]["seat"] == step["seat"]
    assert step["notation"] in [option["action"] for option in seen["options"]]
    ruleset = run.ruleset(scene["ruleset"])
    for option in seen["options"]:
        action = ruleset.action(ruleset.read_action(option["action"]))
        assert option.get("cells", []) == list(action.cells)
    assert len(seen["options"]) == seen["total"]
    assert "random" in [strategy["name"] for strategy in seen["strategies"]]


def test_looking_at_a_roll_lists_its_outcomes_with_their_probabilities(
    ask: Callable[..., dict[str, Any]], scene: Scene
) -> None:
    seen = ask("look", ply=find_ply(scene, is_chance=True))
    assert seen["seat"] == CHANCE
    assert sum(option["share"] for option in seen["options"]) == pytest.approx(1, abs=1e-3)


def test_best_moves_are_valued_by_those_who_play_on_in_an_answer(
    ask: Callable[..., dict[str, Any]], scene: Scene
) -> None:
    ply = find_ply(scene)
    while not (valued := ask("value", ply=ply))["over"]:
        time.sleep(0.05)
    moves, played = valued["decision"]["moves"], scene["steps"][ply]["notation"]
    assert played in [move["action"] for move in moves]
    assert len(moves) == 6
    other = next(move for move in moves if move["action"] != played)
    ask("play", ply=ply, change={"action": other["action"]}, n=400)
    answer = wait_until_over(ask)["answer"]
    assert answer["condition"].casefold() == valued["decision"]["players"] == "if greedy and random play on"
    for move, branch in (
        (next(move for move in moves if move["action"] == played), "base"),
        (other, "changed"),
    ):
        estimate, low, high = answer["bars"][branch]["interval"]
        value, half = move["score"]
        assert abs(value - estimate) < half + (high - low) / 2
        assert answer["values"][branch]["score"] == pytest.approx([estimate, (high - low) / 2], abs=1e-3)
        assert abs(move["wins"][0] - answer["values"][branch]["wins"][0]) < move["wins"][1]
    gain, was, now = (answer["values"][name]["wins"][0] for name in ("difference", "base", "changed"))
    assert gain == pytest.approx(now - was, abs=1e-3)
    roll = ask("value", ply=find_ply(scene, is_chance=True))
    assert (roll["decision"], roll["failure"]) == (None, "")


def test_moves_are_not_valued_by_the_plain_rules(
    ask: Callable[..., dict[str, Any]], scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REROLL_KERNELS", "0")
    while not (valued := ask("value", ply=find_ply(scene)))["over"]:
        time.sleep(0.05)
    assert valued["decision"] is None
    assert "only in a review" in valued["failure"]


def test_another_move_is_answered_at_once_and_then_more_precisely(
    ask: Callable[..., dict[str, Any]], scene: Scene, state: dict[str, Any]
) -> None:
    ply = find_ply(scene)
    played = scene["steps"][ply]["notation"]
    other = next(option["action"] for option in ask("look", ply=ply)["options"] if option["action"] != played)
    first = ask("play", ply=ply, change={"action": other}, n=240)
    assert first["answer"]["n"] >= 60
    last = wait_until_over(ask)
    assert last["answer"]["n"] == last["answer"]["total"] == 240
    bar = last["answer"]["bars"]["difference"]
    estimate, low, high = bar["interval"]
    assert low <= estimate <= high
    _, work = state[WORK_SLOT]
    assert last["answer"]["sentence"] == bind_percent_signs(set_sentence(whatif_sentence(work.latest.whatif)))
    assert bar["text"] == format_interval(
        work.latest.whatif.score_difference(work.latest.whatif.fork.seat), signed=True
    )
    assert read_question(*split_address(f"/whatif?{last['query']}")) == (
        WhatifQuestion(run="three", game=GAME, ply=ply, action=other, n=240),
        (),
    )
    more = ask("more")
    assert more["answer"]["total"] == 2400
    ask("stop")


def test_the_same_question_is_not_played_twice(ask: Callable[..., dict[str, Any]], scene: Scene) -> None:
    ply = find_ply(scene)
    ask("play", ply=ply, change={}, n=60)
    done = wait_until_over(ask)
    again = ask("play", ply=ply, change={}, n=60)
    assert again["over"]
    assert again["answer"] == done["answer"]
    assert again["answer"]["branches"] == ("what happened", "with other luck")
    assert again["answer"]["condition"] == "If greedy and random play on"


def test_stop_is_answered_at_once(ask: Callable[..., dict[str, Any]], scene: Scene) -> None:
    ask("play", ply=find_ply(scene), change={"seat": 0, "strategy": "random"}, n=100_000)
    started = time.monotonic()
    stopped = ask("stop")
    assert time.monotonic() - started < 0.5
    assert stopped["over"]
    assert stopped["stopped"]
    assert ask("poll")["over"]


def test_a_continuation_is_shown_on_both_branches(ask: Callable[..., dict[str, Any]], scene: Scene) -> None:
    ply = find_ply(scene)
    ask("play", ply=ply, change={"seat": 0, "strategy": "random"}, n=60)
    answer = wait_until_over(ask)["answer"]
    assert answer["seat"] == 0
    assert answer["condition"] == "", "the branches have other players"
    pairs = [ask("watch", place=place) for place in ("worst", "middle", "best")]
    for pair in pairs:
        for branch in ("base", "changed"):
            assert pair[branch]["steps"][:ply] == scene["steps"][:ply]
        after, before = pair["changed"]["steps"][-1]["scores"][0], pair["base"]["steps"][-1]["scores"][0]
        assert after - before == pair["difference"]
    differences = [pair["difference"] for pair in pairs]
    assert differences == sorted(differences)
    assert ask("watch", number=7)["number"] == 7


@pytest.mark.parametrize("lowest_wins", [False, True])
def test_the_worst_continuation_is_the_one_that_cost_the_seat_most(*, lowest_wins: bool) -> None:
    fork = SimpleNamespace(seat=1, ruleset=SimpleNamespace(lowest_wins=lowest_wins))
    differences = np.array([[0, 3], [0, -8], [0, 12]])
    answer: Any = SimpleNamespace(fork=fork, differences=differences)
    found = [find_continuation(answer, place) for place in ("worst", "middle", "best")]
    assert found == ([2, 0, 1] if lowest_wins else [1, 0, 2])


@pytest.mark.parametrize(
    "request_fields",
    [
        {"kind": "look", "ply": -1},
        {"kind": "look", "ply": 10**9},
        {"kind": "look", "ply": "3"},
        {"kind": "play", "ply": 10, "change": {"action": "no such move"}},
        {"kind": "play", "ply": 10, "change": {"seat": 0, "strategy": "nobody"}},
        {"kind": "poll"},
        {"kind": "stop"},
        {"kind": "watch", "place": "best"},
    ],
)
def test_a_request_that_cannot_be_answered_gives_a_sentence(
    ask: Callable[..., dict[str, Any]], request_fields: dict[str, Any]
) -> None:
    assert ask(**request_fields)["error"]


@pytest.mark.parametrize(
    "request_fields", [None, [], {"kind": "look"}, {"id": "1", "kind": "shell"}, {"id": 1}]
)
def test_what_is_no_request_is_ignored(run: Run, scene: Scene, request_fields: object) -> None:
    assert answer_request(request_fields, run, scene, {}) is None


def test_a_request_that_is_sent_again_is_followed_once(
    ask: Callable[..., dict[str, Any]], run: Run, scene: Scene, state: dict[str, Any]
) -> None:
    ask("play", ply=find_ply(scene), change={}, n=20)
    request = {"id": "b-1", "kind": "more"}
    first = answer_request(request, run, scene, state)
    assert answer_request(request, run, scene, state) == first
    assert state[WORK_SLOT][0].n == 200


def test_slow_strategies_are_played_on_by_a_quick_one(run: Run) -> None:
    ruleset = next(iter(run.rulesets.values()))
    assert not is_slow_strategy(ruleset, "greedy")
    assert is_slow_strategy(ruleset, "rollout:playouts=16,candidates=2")
    assert is_slow_strategy(ruleset, "a-program:path=x")
    assert quick_substitutes(ruleset, ["rollout", "greedy", "random"]) == {0: "greedy"}


def test_quick_strategies_play_on_where_both_branches_are_played(
    ask: Callable[..., dict[str, Any]], scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other luck is compared with the logged result, so another strategy would be a second difference."""
    monkeypatch.setattr(documents, "quick_substitutes", lambda *_: {0: "random", 1: "random"})
    ply = find_ply(scene)
    played = scene["steps"][ply]["notation"]
    other = next(option["action"] for option in ask("look", ply=ply)["options"] if option["action"] != played)
    asked = ask("play", ply=ply, change={"action": other}, n=60)
    assert parse_qs(asked["query"])["stand-in"] == ["1:random,2:random"]
    assert (
        "On both branches random plays as player 1 and random plays as player 2" in asked["answer"]["basis"]
    )
    assert "stand-in" not in ask("play", ply=ply, change={"action": other}, n=60, own=True)["query"]
    assert "stand-in" not in ask("play", ply=ply, change={}, n=60)["query"]
    seated = ask("play", ply=ply, change={"seat": 0, "strategy": "greedy"}, n=60)
    assert parse_qs(seated["query"])["stand-in"] == [
        "2:random"
    ]  # the replaced strategy plays the original branch
