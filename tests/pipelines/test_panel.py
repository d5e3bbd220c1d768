"""The requests of the What if panel of a replay, and the responses."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import numpy as np
import pytest

from engine.actions import CHANCE
from pipelines import panel
from pipelines.experiments.lessons import find_lesson
from pipelines.experiments.review import build_review_document, start_review
from pipelines.panel import is_slow_strategy, iter_answers, quick_substitutes
from pipelines.questions.address import split_address
from pipelines.questions.every_question import read_question
from pipelines.questions.source import QuestionSource
from pipelines.questions.whatif import WhatifAnswer, WhatifQuestion, answer_whatif
from pipelines.report.compose import compose
from pipelines.report.show.html import write_sheet_html
from pipelines.report.whatif import find_continuation
from pipelines.runs.library import Library
from pipelines.simulate.verify import verify_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.scene import Scene
    from pipelines.runs.run import Run

    Ask = Callable[..., dict[str, Any]]

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
def ask(run: Run, scene: Scene) -> Ask:
    """A function that asks as a board does, and returns the last answer."""

    def ask_panel(kind: str, **fields: object) -> dict[str, Any]:
        *_, answer = iter_answers(kind, fields, run, scene)
        json.dumps(answer, allow_nan=False)
        return answer

    return ask_panel


def find_ply(scene: Scene, *, is_chance: bool = False) -> int:
    """Return a ply in the middle of a game at which a seat chose, or at which chance acted."""
    return next(
        step["ply"] for step in scene["steps"] if step["ply"] > 8 and (step["seat"] == CHANCE) == is_chance
    )


def test_looking_at_a_ply_lists_its_legal_placements(ask: Ask, scene: Scene, run: Run) -> None:
    ply = find_ply(scene)
    seen = ask("look", ply=ply)
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


def test_looking_at_a_roll_lists_its_outcomes_with_their_probabilities(ask: Ask, scene: Scene) -> None:
    seen = ask("look", ply=find_ply(scene, is_chance=True))
    assert seen["seat"] == CHANCE
    assert sum(option["share"] for option in seen["options"]) == pytest.approx(1, abs=1e-3)


def find_other_move(ask: Ask, scene: Scene, ply: int) -> str:
    """Return a legal move that was not played."""
    options = ask("look", ply=ply)["options"]
    return str(next(one["action"] for one in options if one["action"] != scene["steps"][ply]["notation"]))


def test_best_moves_are_those_of_the_review_and_have_the_numbers_of_an_answer(
    ask: Ask, run: Run, scene: Scene
) -> None:
    """So neither a value nor the order of the list changes when an answer comes."""
    ply = find_ply(scene)
    decision = ask("value", ply=ply)["decision"]
    review = build_review_document(start_review(run, GAME).finish(), run.ruleset(scene["ruleset"]), scene)
    (reviewed,) = [one for one in review["decisions"] if one["ply"] == ply]
    moves, played = decision["moves"], scene["steps"][ply]["notation"]
    names = {move["action"]: move["name"] for move in moves}
    assert len(reviewed["moves"]) == 2 < len(moves)
    assert {move["action"]: move["name"] for move in reviewed["moves"]}.items() <= names.items()
    assert (reviewed["board"], decision["playouts"]) == (decision["board"], 1000)
    unit = "score" if decision["nearly_decided"] else "wins"
    assert [move[unit][0] for move in moves] == sorted((move[unit][0] for move in moves), reverse=True)
    other = next(move for move in moves if move["action"] != played)
    answers: list[WhatifAnswer] = []
    change = {"ply": ply, "change": {"action": other["action"]}}
    assert list(iter_answers("whatif", change, run, scene, keep=answers.append))
    whatif = answers[-1].whatif
    assert whatif.n == decision["playouts"]
    assert decision["players"] == "if quick players (greedy) play on"
    effect = whatif.seat_effect(whatif.fork.seat)
    chosen = next(move for move in moves if move["action"] == played)
    for move, wins, score in (
        (chosen, effect.base_win_share, effect.base),
        (other, effect.changed_win_share, effect.changed),
    ):
        for (value, half), interval in ((move["wins"], wins), (move["score"], score)):
            assert interval
            assert value == pytest.approx(interval.estimate, abs=0.001 * max(1, abs(value)))
            assert half > interval.half_width  # it holds for all moves of the list at once
    assert decision["better"] in {None, moves[0]["action"]}
    assert "nobody had a choice" in ask("value", ply=find_ply(scene, is_chance=True))["error"]


def test_a_move_that_a_person_tries_loses_what_the_answer_about_it_says(
    ask: Ask, run: Run, scene: Scene
) -> None:
    """A lesson, the list of moves and the answer to a what-if have one luck, so they do not contradict each other."""
    ply = find_ply(scene)
    decision, played = ask("value", ply=ply)["decision"], scene["steps"][ply]["notation"]
    best = decision["moves"][0]["action"]
    lesson = find_lesson(run, GAME, ply).decision
    assert [move.notation for move in lesson.candidates] == [move["action"] for move in decision["moves"]]
    against_best = ask("judge", ply=ply, action=played, against=best)["decision"]
    if best != played:
        assert {key: decision[key] for key in against_best} == against_best
    for other in [move for move in decision["moves"] if move["action"] not in {played, best}][:2]:
        tried = ask("judge", ply=ply, action=other["action"], against=best)["decision"]
        assert tried["wins"][0] == pytest.approx(decision["moves"][0]["wins"][0] - other["wins"][0], abs=0.05)
    assert ask("judge", ply=ply, action=best, against=best)["decision"]["judged"] == "best"
    assert "error" in ask("judge", ply=ply, action="nonsense", against=best)
    assert "error" in ask("judge", ply=ply, action=best)


def test_moves_are_not_valued_by_the_plain_rules(
    ask: Ask, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REROLL_KERNELS", "0")
    assert "only in a review" in ask("value", ply=find_ply(scene))["error"]


def test_a_question_is_answered_ever_more_precisely_with_the_sheet_of_the_command(
    ask: Ask, run: Run, scene: Scene
) -> None:
    ply = find_ply(scene)
    other = find_other_move(ask, scene, ply)
    fields, kept = {"ply": ply, "change": {"action": other}, "n": 240}, list[WhatifAnswer]()
    first, *answers = iter_answers("whatif", fields, run, scene, keep=kept.append)
    question = WhatifQuestion(run="three", game=GAME, ply=ply, action=other, n=240, quick=True)
    assert "html" not in first
    assert read_question(*split_address(f"/replay?{first['question']['query']}")) == (question, ())
    assert [one["isOver"] for one in answers] == [*[False] * (len(answers) - 1), True]
    assert answers[0]["n"] >= 60
    last = answers[-1]
    assert (last["n"], last["total"], last["more"], last["question"]) == (240, 240, 2400, first["question"])
    whole = answer_whatif(question, QuestionSource(Library(run.path.parents[1])))
    assert last["html"] == write_sheet_html(compose(whole, lambda _: {}), is_on_board=True)
    assert [one.whatif.n for one in kept] == [60, 120, 240]
    assert ask("whatif", query=f"?{first['question']['query']}") == last
    assert ask("whatif", query=first["question"]["query"], n=300)["n"] == 300


def test_another_rule_is_asked_with_other_continuations_and_another_seed(ask: Ask, scene: Scene) -> None:
    ply = find_ply(scene)
    seen = ask("look", ply=ply)
    (rule,) = [rule for rule in seen["rules"] if rule["key"] == "gap_penalty"]
    assert (rule["title"], seen["usual"]) == ("Points that a gap costs", ["1000", "0"])
    answer = ask("whatif", ply=ply, change={"option": f"gap_penalty={int(rule['now']) + 1}"}, n=60, seed=7)
    question = answer["question"]
    assert (question["option"], question["typed"]) == (f"gap_penalty={int(rule['now']) + 1}", ["60", "7"])
    assert question["query"].endswith("&seed=7&continuations=60")
    more = ask("whatif", query=question["query"], n=70)
    assert (more["n"], more["question"]["typed"]) == (70, ["70", "7"])
    assert "KEY=VALUE" in ask("whatif", ply=ply, change={"option": "gap_penalty"})["error"]


def test_a_seed_that_no_browser_can_hold_stays_with_other_continuations(ask: Ask, scene: Scene) -> None:
    query = f"run=three&game-number={GAME + 1}&move={find_ply(scene) + 1}&luck=1&seed={2**63 - 1}"
    answer = ask("whatif", query=query, n=60)
    assert answer["question"]["typed"] == ["60", str(2**63 - 1)]


def test_a_place_without_a_change_is_no_question(ask: Ask) -> None:
    assert ask("whatif", query=f"run=three&game-number={GAME + 1}&move=9") == {"question": None}


def test_work_that_nobody_waits_for_ends(run: Run, scene: Scene) -> None:
    fields = {"ply": find_ply(scene), "change": {"seat": 0, "strategy": "random"}, "n": 100_000}
    played = list[int]()
    *_, last = iter_answers(
        "whatif", fields, run, scene, lambda: len(played) > 1, lambda answer: played.append(answer.whatif.n)
    )
    assert (last["n"], last["total"]) == (played[-1], 100_000)
    assert played[-1] < 1_000


def test_a_continuation_is_shown_on_both_branches(ask: Ask, run: Run, scene: Scene) -> None:
    """It is played again, and is the same that the answer has counted, also of an answer that was stopped."""
    ply, kept = find_ply(scene), list[WhatifAnswer]()
    fields = {"ply": ply, "change": {"seat": 0, "strategy": "random"}, "n": 500}
    *_, last = iter_answers("whatif", fields, run, scene, keep=kept.append)
    query = last["question"]["query"]
    whole = kept[-1].whatif
    numbers = [find_continuation(whole, place) for place in ("worst", "middle", "best")]
    assert [f'data-key="{number}"' in last["html"] for number in numbers] == [True] * 3
    for number in (*numbers, 499):
        pair = ask("watch", query=query, number=number)
        for branch in ("base", "changed"):
            assert pair[branch]["steps"][:ply] == scene["steps"][:ply]
        after, before = pair["changed"]["steps"][-1]["scores"][0], pair["base"]["steps"][-1]["scores"][0]
        assert after - before == pair["difference"] == whole.differences[number, 0]
        assert (pair["number"], pair["n"]) == (number, 500)
    stopped = ask("watch", query=query, n=kept[1].whatif.n, number=99)
    assert stopped == ask("watch", query=query, number=99) | {"n": kept[1].whatif.n}


def test_other_luck_is_watched_beside_what_happened(ask: Ask, scene: Scene) -> None:
    answer = ask("whatif", ply=find_ply(scene), change={}, n=60)
    pair = ask("watch", query=answer["question"]["query"], number=3)
    assert pair["base"]["steps"] == scene["steps"]
    assert pair["names"] == ["What happened", "With other luck"]


@pytest.mark.slow
def test_continuations_are_saved_as_a_run_and_an_invalid_name_is_refused(
    play_run: Callable[..., None], tmp_path: Path
) -> None:
    play_run(tmp_path, "three", "bloxx-3p", "greedy", "greedy", "random")
    run = Library(tmp_path).run("three")
    scene = run.scene(GAME)
    fields = {"ply": find_ply(scene), "change": {"seat": 0, "strategy": "random"}, "n": 130}
    *_, last = iter_answers("whatif", fields, run, scene)
    query = {"query": last["question"]["query"], "n": 120}  # of an answer that was stopped
    assert list(iter_answers("save", {**query, "name": "mine"}, run, scene)) == [
        {"name": "mine", "games": 240}
    ]
    saved = Library(tmp_path).run("mine")
    assert saved.summary.kind == "whatif"
    verify_run(saved, workers=1)
    (refused,) = iter_answers("save", {**query, "name": "../mine"}, run, scene)
    assert "cannot be the name of a run" in refused["error"]
    assert not list(tmp_path.glob("*.duckdb"))


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
        {"kind": "look"},
        {"kind": "shell"},
        {"kind": "whatif"},
        {"kind": "whatif", "ply": 10, "change": {"action": "no such move"}},
        {"kind": "whatif", "ply": 10, "change": {"seat": 0, "strategy": "nobody"}},
        {"kind": "whatif", "query": "run=other&luck=1"},
        {"kind": "whatif", "query": "run=three&luck=1"},
        {"kind": "whatif", "query": "run=three&game-number=2&move=9999&luck=1"},
        {"kind": "whatif", "query": "run=three&many=all&luck=1"},
        {"kind": "whatif", "query": ["run=three"]},
        {"kind": "watch", "number": 3},
        {"kind": "watch", "query": "run=three&game-number=2&move=9"},
        {"kind": "save", "name": "mine"},
        {"kind": "save", "query": "run=three&game-number=2&move=9&luck=1", "name": "a/b"},
    ],
    ids=str,
)
def test_a_request_that_cannot_be_answered_gives_a_sentence(ask: Ask, request_fields: dict[str, Any]) -> None:
    answer = ask(**request_fields)
    assert answer.keys() == {"error"}
    assert answer["error"]


def test_slow_strategies_are_played_on_by_a_quick_one(run: Run) -> None:
    ruleset = next(iter(run.rulesets.values()))
    assert not is_slow_strategy(ruleset, "greedy")
    assert is_slow_strategy(ruleset, "rollout:playouts=16,candidates=2")
    assert is_slow_strategy(ruleset, "a-program:path=x")
    assert quick_substitutes(ruleset, ["rollout", "greedy", "random"]) == {0: "greedy"}


def test_quick_strategies_play_on_where_both_branches_are_played(
    ask: Ask, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other luck is compared with the logged result, so another strategy would be a second difference."""
    monkeypatch.setattr(panel, "quick_substitutes", lambda *_: {0: "random", 1: "random"})
    ply = find_ply(scene)
    other = find_other_move(ask, scene, ply)

    def find_players(**fields: object) -> tuple[list[str], bool, str]:
        answer = ask("whatif", ply=ply, n=60, **fields)
        query = parse_qs(answer["question"]["query"])
        return query.get("stand-in", []), "quick" in query, answer["html"]

    stand_ins, is_quick, html = find_players(change={"action": other})
    assert (stand_ins, is_quick) == ([], True)
    assert "if quick players (greedy) play on" in html
    stand_ins, is_quick, html = find_players(change={"action": other}, own=True)
    assert (stand_ins, is_quick) == ([], False)
    assert "if greedy and random play on" in html
    assert find_players(change={})[:2] == ([], False)
    # The strategy that is replaced plays the original branch.
    stand_ins, is_quick, html = find_players(change={"seat": 0, "strategy": "greedy"})
    assert (stand_ins, is_quick) == (["2:random"], False)
    assert "On both branches random plays as player 2" in html
