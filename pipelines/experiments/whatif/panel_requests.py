"""The What if panel of a replay: the browser sends one request after the other, and this module answers them.

A request is JSON data with an `id`, a `kind` and its fields; the response has the same `id`. Nothing but the work on the
last question is kept between requests: in `state`, which is that of a session or of a widget, below `WORK_SLOT`.
Requests come from a browser, so every field is checked.

| kind | fields | response |
|---|---|---|
| `look` | `ply` | the legal alternatives at the ply, and the strategies |
| `play` | `ply`, `change` (`action`, or `seat` and `strategy`, or nothing for other luck), `n`, `own` (slow strategies play on) | as for `poll` |
| `poll` | | the answer so far |
| `stop` | | the answer so far; no further continuation is played |
| `watch` | `place` (worst, middle, best) or `number` | one continuation on both branches, as two scenes |
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine.errors import GameError, InvalidError
from pipelines.experiments.background_work import BackgroundWork, find_or_start_work
from pipelines.experiments.whatif import panel_documents as documents
from pipelines.experiments.whatif.change_address import change_address_fields
from pipelines.experiments.whatif.continuations import find_branch_kernel, play_branch
from pipelines.experiments.whatif.fork import Change, fork_logged_game
from pipelines.experiments.whatif.whatif import DEFAULT_CONTINUATIONS, WhatIf, play_whatif

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping

    from engine.scene import Scene
    from pipelines.runs.run import Run

WORK_SLOT: Final = "replay-whatif-work"
FIRST_ANSWER_SECONDS: Final = 0.7
"""How long the response to a question waits for the first answer."""
MAX_CONTINUATIONS: Final = 100_000
SEED: Final = 0

_loaded_line_ups: Final[set[tuple[str, tuple[str, ...]]]] = set()
"""Rulesets, each with the strategies of its seats, whose compiled game this process has begun to load."""


class PanelQuestion(NamedTuple):
    """What was asked: a ply of a game, a change as fields of an address, and the number of continuations."""

    run: str
    game: int
    ply: int
    change: tuple[tuple[str, str], ...]
    n: int


def answer_request(
    request: object, run: Run, scene: Scene, state: MutableMapping[Any, Any]
) -> dict[str, Any] | None:
    """Return the response to a request about a logged game; None if it is no request.

    `scene` is that of the game. `state` keeps the work between the requests of one session or widget.
    """
    if not isinstance(request, dict) or not isinstance(request.get("id"), str):
        return None
    answers: dict[str, Callable[[dict[str, Any], Run, Scene, MutableMapping[Any, Any]], dict[str, Any]]] = {
        "look": _look,
        "play": _play,
        "poll": _poll,
        "stop": _stop,
        "watch": _watch,
    }
    answer = answers.get(str(request.get("kind")))
    if answer is None:
        return None
    try:
        return {"id": request["id"], **answer(request, run, scene, state)}
    except GameError as error:
        return {"id": request["id"], "error": str(error)}


def find_finished_answer(state: MutableMapping[Any, Any]) -> WhatIf | None:
    """Return the answer of the last question if it is complete or was stopped; None if there is none or it goes on."""
    _, work = state.get(WORK_SLOT, (None, None))
    return work.latest if work and (work.is_over or work.was_stopped) else None


def _look(request: dict[str, Any], run: Run, scene: Scene, _: MutableMapping[Any, Any]) -> dict[str, Any]:
    game, ply = scene["game_id"], _read_ply(request, scene)
    state = documents.position_before(run, game, ply)
    seated = scene.get("strategies", [])
    _load_compiled_game(run, scene, ply)
    return {
        "ply": ply,
        **documents.alternatives_document(state, scene),
        **documents.players_document(state.ruleset, seated),
    }


def _load_compiled_game(run: Run, scene: Scene, ply: int) -> None:
    """Load the compiled game, which takes a second or more, while a person chooses. Nothing else is played."""
    quick = documents.quick_substitutes(run.ruleset(scene["ruleset"]), scene.get("strategies", []))
    branch = fork_logged_game(run, scene["game_id"], ply, Change(substitutes=quick)).base
    key = (branch.state.ruleset.name, tuple(player.name for player in branch.seating))
    if key in _loaded_line_ups:
        return
    _loaded_line_ups.add(key)

    def play_one() -> None:
        if find_branch_kernel(branch):
            play_branch(branch, SEED, [0])

    threading.Thread(target=play_one, daemon=True).start()


def _play(request: dict[str, Any], run: Run, scene: Scene, state: MutableMapping[Any, Any]) -> dict[str, Any]:
    ply = _read_ply(request, scene)
    n = _read_number(request, "n", 2, MAX_CONTINUATIONS, DEFAULT_CONTINUATIONS)
    change = _read_change(request, run, scene)
    fields = tuple(change_address_fields(change).items())
    question = PanelQuestion(run.name, scene["game_id"], ply, fields, n)
    fork = fork_logged_game(run, scene["game_id"], ply, change)

    def iter_answers(stopped: Callable[[], bool]) -> Iterator[WhatIf]:
        return play_whatif(fork, n=n, seed=SEED, stopped=stopped)

    work = find_or_start_work(state, WORK_SLOT, question, iter_answers)
    _wait_for_first_answer(work)
    return _describe_work(question, work)


def _poll(_: dict[str, Any], run: Run, scene: Scene, state: MutableMapping[Any, Any]) -> dict[str, Any]:
    question, work = _find_work(run, scene, state)
    work.keep_alive()
    return _describe_work(question, work)


def _stop(_: dict[str, Any], run: Run, scene: Scene, state: MutableMapping[Any, Any]) -> dict[str, Any]:
    question, work = _find_work(run, scene, state)
    work.stop()
    return _describe_work(question, work)


def _watch(
    request: dict[str, Any], run: Run, scene: Scene, state: MutableMapping[Any, Any]
) -> dict[str, Any]:
    _, work = _find_work(run, scene, state)
    answer = work.latest
    if answer is None:
        raise InvalidError("no continuation has been played yet")
    place = str(request.get("place", ""))
    if place in documents.CONTINUATION_PLACES:
        number = documents.find_continuation(answer, place)
    else:
        number = _read_number(request, "number", 0, answer.n - 1, 0)
    return documents.continuation_document(answer, number, scene)


def _describe_work(question: PanelQuestion, work: BackgroundWork[WhatIf]) -> dict[str, Any]:
    answer = work.latest
    address = {"run": question.run, "game": str(question.game), "ply": str(question.ply)}
    return {
        "over": work.is_over or work.was_stopped,
        "stopped": work.was_stopped,
        "failure": work.error,
        "seconds": round(work.seconds, 2),
        "address": address | dict(question.change) | {"n": str(question.n), "seed": str(SEED)},
        "answer": answer and documents.answer_document(answer, question.n),
    }


def _find_work(
    run: Run, scene: Scene, state: MutableMapping[Any, Any]
) -> tuple[PanelQuestion, BackgroundWork[WhatIf]]:
    """Return the last question about this game and the work on it. Raises InvalidError if there is none."""
    question, work = state.get(WORK_SLOT, (None, None))
    if not isinstance(question, PanelQuestion) or question[:2] != (run.name, scene["game_id"]):
        raise InvalidError("ask again: this question is no longer known")
    return question, work


def _wait_for_first_answer(work: BackgroundWork[WhatIf]) -> None:
    deadline = time.monotonic() + FIRST_ANSWER_SECONDS
    while work.latest is None and not work.is_over and time.monotonic() < deadline:
        work.wait(0.02)


def _read_ply(request: dict[str, Any], scene: Scene) -> int:
    plies = len(scene["steps"])
    ply = request.get("ply")
    if not isinstance(ply, int) or not 0 <= ply < plies:
        raise InvalidError(f"ply: expected a number from 0 to {plies - 1}")
    return ply


def _read_number(request: dict[str, Any], name: str, least: int, most: int, otherwise: int) -> int:
    number = request.get(name, otherwise)
    return max(least, min(most, number)) if isinstance(number, int) else otherwise


def _read_change(request: dict[str, Any], run: Run, scene: Scene) -> Change:
    """Read the change of a question, with quick strategies in place of slow ones unless `own` asks for these."""
    given = request.get("change")
    change = given if isinstance(given, dict) else {}
    strategies: dict[int, str] = {}
    if "strategy" in change:
        strategies[_read_number(change, "seat", 0, len(scene["start_scores"]) - 1, 0)] = str(
            change["strategy"]
        )
    action = str(change["action"]) if "action" in change else None
    ruleset = run.ruleset(scene["ruleset"])
    quick = documents.quick_substitutes(ruleset, scene.get("strategies", []))
    if request.get("own") or not (strategies or action):
        quick = {}  # other luck is compared with what happened, so the players must be those that played
    # The strategy that is replaced must play on the original branch, also if it is slow.
    substitutes = {seat: name for seat, name in quick.items() if seat not in strategies}
    return Change(strategies, action, substitutes=substitutes)
