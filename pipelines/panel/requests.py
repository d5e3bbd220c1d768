"""The What if panel of a replay: the browser sends one request after the other, and this module answers them.

A request is JSON data with an `id`, a `kind` and its fields; the response has the same `id`. A browser that hears nothing sends its
request again, which gives the last response once more. Besides that response, only the work on the last question and the last
decision is kept between requests: in `state`, which is that of a session or of a widget. A page that is opened with a question
starts the work itself (`start_work`), and its replay polls.
Requests come from a browser, so every field is checked.

| kind | fields | response |
|---|---|---|
| `look` | `ply` | the legal alternatives at the ply, and the strategies |
| `value` | `ply` | the best moves at the ply with their values; none where nobody chose, or if it is not `over` |
| `play` | `ply`, `change` (`action`, or `seat` and `strategy`, or nothing for other luck), `n`, `own` (slow strategies play on) | as for `poll` |
| `more` | | as for `poll`; the last question is asked again with ten times as many continuations |
| `poll` | | the answer so far |
| `stop` | | the answer so far; no further continuation is played |
| `watch` | `place` (worst, middle, best) or `number` | one continuation on both branches, as two scenes |
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Final

from engine.errors import GameError, InvalidError
from pipelines.experiments.background_work import BackgroundWork, find_or_start_work
from pipelines.experiments.continuations import find_branch_kernel, play_branch
from pipelines.experiments.fork import Change, fork_logged_game, position_before
from pipelines.experiments.review import moves_record, start_review
from pipelines.panel import documents
from pipelines.questions.address import find_limits, write_path
from pipelines.questions.whatif.answer import WhatifAnswer, iter_whatif_answers
from pipelines.questions.whatif.question import WhatifQuestion, ask_about_change, fork_whatif
from pipelines.report.whatif import (
    CONTINUATION_PLACES,
    continuation_document,
    find_continuation,
    name_players_on,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, MutableMapping

    from engine.scene import Scene
    from pipelines.experiments.fork import Branch
    from pipelines.runs.run import Run

WORK_SLOT: Final = "replay-whatif-work"
VALUE_SLOT: Final = "replay-value-work"
RESPONSE_SLOT: Final = "replay-response"
"""The state holds the last response here."""
VALUE_SECONDS: Final = 0.25
"""How long the response to `value` waits: a person who has chosen meanwhile waits for it, too."""
FIRST_ANSWER_SECONDS: Final = 0.7
"""How long the response to a question waits for the first answer."""
SEED: Final = 0

_loaded_line_ups: Final[set[tuple[str, tuple[str, ...]]]] = set()
"""Rulesets, each with the strategies of its seats, whose compiled game this process has begun to load."""


def answer_request(
    request: object, run: Run, scene: Scene, state: MutableMapping[Any, Any]
) -> dict[str, Any] | None:
    """Return the response to a request about a logged game; None if it is no request.

    `scene` is that of the game. `state` keeps the work between the requests of one session or widget.
    """
    if not isinstance(request, dict) or not isinstance(request.get("id"), str):
        return None
    if again := find_response(request, state):
        return again
    answers: dict[str, Callable[[dict[str, Any], Run, Scene, MutableMapping[Any, Any]], dict[str, Any]]] = {
        "look": _look,
        "value": _value,
        "play": _play,
        "more": _more,
        "poll": _poll,
        "stop": _stop,
        "watch": _watch,
    }
    answer = answers.get(str(request.get("kind")))
    if answer is None:
        return None
    try:
        response = answer(request, run, scene, state)
    except GameError as error:
        response = {"error": str(error)}
    return keep_response(request, response, state)


def keep_response(
    request: Mapping[str, Any], response: dict[str, Any], state: MutableMapping[Any, Any]
) -> dict[str, Any]:
    """Keep what a request is answered with as the last response, and return it with the id of the request."""
    state[RESPONSE_SLOT] = kept = {"id": request["id"], **response}
    return kept


def find_response(request: Mapping[str, Any], state: MutableMapping[Any, Any]) -> dict[str, Any] | None:
    """Return the last response if it belongs to this request, which the browser has sent again; None otherwise."""
    last: dict[str, Any] | None = state.get(RESPONSE_SLOT)
    return last if last and last["id"] == request.get("id") else None


def start_work(
    question: WhatifQuestion, run: Run, state: MutableMapping[Any, Any]
) -> BackgroundWork[WhatifAnswer]:
    """Return the work on a question, which is started if it is not the last one. Raises a GameError if it is not possible."""
    fork_whatif(question, run)

    return find_or_start_work(
        state, WORK_SLOT, question, lambda stopped: iter_whatif_answers(question, run, stopped=stopped)
    )


def find_work(
    run: Run, game_id: int, state: MutableMapping[Any, Any]
) -> tuple[WhatifQuestion, BackgroundWork[WhatifAnswer]] | None:
    """Return the last question and the work on it; None if it was not about this game."""
    question, work = state.get(WORK_SLOT, (None, None))
    is_known = isinstance(question, WhatifQuestion) and (question.run, question.game) == (run.name, game_id)
    return (question, work) if is_known else None


def find_finished_answer(state: MutableMapping[Any, Any]) -> WhatifAnswer | None:
    """Return the answer of the last question if it is complete or was stopped; None if there is none or it goes on."""
    _, work = state.get(WORK_SLOT, (None, None))
    is_finished = work and work.latest and (work.is_over or work.was_stopped)
    return work.latest if is_finished else None


def look_at_ply(run: Run, scene: Scene, ply: int) -> dict[str, Any]:
    """Return the legal alternatives at a ply of a logged game, and the strategies, as JSON data."""
    state, seated = position_before(run, scene["game_id"], ply), scene.get("strategies", [])
    _load_compiled_game(run, scene, ply)
    return {
        "ply": ply,
        **documents.alternatives_document(state, scene),
        **documents.players_document(state.ruleset, seated),
    }


def _look(request: dict[str, Any], run: Run, scene: Scene, _: MutableMapping[Any, Any]) -> dict[str, Any]:
    return look_at_ply(run, scene, _read_ply(request, scene))


def _value(
    request: dict[str, Any], run: Run, scene: Scene, state: MutableMapping[Any, Any]
) -> dict[str, Any]:
    """Value the best moves at a ply, played on by those who play on in the answers. With the plain rules alone that would take minutes."""
    ply, game_id = _read_ply(request, scene), scene["game_id"]

    def iter_records(_: Callable[[], bool]) -> Iterator[dict[str, Any]]:
        reviewer, seating = start_review(run, game_id).reviewer, _fork_quickly(run, scene, ply).seating
        if valued := reviewer.value_moves(ply, seating):
            yield {**moves_record(valued, reviewer.ruleset, scene), "players": name_players_on(seating)}

    work = find_or_start_work(state, VALUE_SLOT, (run.name, game_id, ply), iter_records)
    work.wait(VALUE_SECONDS)
    return {"over": work.is_over, "failure": work.error, "decision": work.latest}


def _load_compiled_game(run: Run, scene: Scene, ply: int) -> None:
    """Load the compiled game, which takes a second or more, while a person chooses. Nothing else is played."""
    branch = _fork_quickly(run, scene, ply)
    key = (branch.state.ruleset.name, tuple(player.name for player in branch.seating))
    if key in _loaded_line_ups:
        return
    _loaded_line_ups.add(key)

    def play_one() -> None:
        if find_branch_kernel(branch):
            play_branch(branch, SEED, [0])

    threading.Thread(target=play_one, daemon=True).start()


def _fork_quickly(run: Run, scene: Scene, ply: int) -> Branch:
    """Return a logged game before a ply with those who play it on, quick strategies in place of slow ones."""
    quick = documents.quick_substitutes(run.ruleset(scene["ruleset"]), scene.get("strategies", []))
    return fork_logged_game(run, scene["game_id"], ply, Change(substitutes=quick)).base


def _play(request: dict[str, Any], run: Run, scene: Scene, state: MutableMapping[Any, Any]) -> dict[str, Any]:
    ply = _read_ply(request, scene)
    most = find_limits(WhatifQuestion, "n")
    n = _read_number(request, "n", most.least, most.most, most.default)
    change = _read_change(request, run, scene)
    question = ask_about_change(WhatifQuestion, change, run=run.name, game=scene["game_id"], ply=ply, n=n)
    return _start(question, run, state)


def _more(_: dict[str, Any], run: Run, scene: Scene, state: MutableMapping[Any, Any]) -> dict[str, Any]:
    question, _work = _require_work(run, scene, state)
    n = min(find_limits(WhatifQuestion, "n").most, 10 * question.n)
    return _start(question.model_copy(update={"n": n}), run, state)


def _start(question: WhatifQuestion, run: Run, state: MutableMapping[Any, Any]) -> dict[str, Any]:
    work = start_work(question, run, state)
    _wait_for_first_answer(work)
    return _describe_work(question, work)


def _poll(_: dict[str, Any], run: Run, scene: Scene, state: MutableMapping[Any, Any]) -> dict[str, Any]:
    question, work = _require_work(run, scene, state)
    work.keep_alive()
    return _describe_work(question, work)


def _stop(_: dict[str, Any], run: Run, scene: Scene, state: MutableMapping[Any, Any]) -> dict[str, Any]:
    question, work = _require_work(run, scene, state)
    work.stop()
    return _describe_work(question, work)


def _watch(
    request: dict[str, Any], run: Run, scene: Scene, state: MutableMapping[Any, Any]
) -> dict[str, Any]:
    _, work = _require_work(run, scene, state)
    if work.latest is None:
        raise InvalidError("no continuation has been played yet")
    answer = work.latest.whatif
    place = str(request.get("place", ""))
    if place in CONTINUATION_PLACES:
        number = find_continuation(answer, place)
    else:
        number = _read_number(request, "number", 0, answer.n - 1, 0)
    return continuation_document(answer, number, scene)


def _describe_work(question: WhatifQuestion, work: BackgroundWork[WhatifAnswer]) -> dict[str, Any]:
    return {
        "over": work.is_over or work.was_stopped,
        "stopped": work.was_stopped,
        "failure": work.error,
        "query": write_path(question).partition("?")[2],
        "mayAskMore": question.n < find_limits(WhatifQuestion, "n").most,
        "answer": work.latest and documents.answer_document(work.latest.whatif, question.n),
    }


def _require_work(
    run: Run, scene: Scene, state: MutableMapping[Any, Any]
) -> tuple[WhatifQuestion, BackgroundWork[WhatifAnswer]]:
    found = find_work(run, scene["game_id"], state)
    if found is None:
        raise InvalidError("ask again: this question is no longer known")
    return found


def _wait_for_first_answer(work: BackgroundWork[WhatifAnswer]) -> None:
    deadline = time.monotonic() + FIRST_ANSWER_SECONDS
    while work.latest is None and not work.is_over and time.monotonic() < deadline:
        work.wait(0.02)


def _read_ply(request: dict[str, Any], scene: Scene) -> int:
    plies = len(scene["steps"])
    ply = request.get("ply")
    if not isinstance(ply, int) or not 0 <= ply < plies:
        raise InvalidError(f"expected a move from 1 to {plies}")
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
