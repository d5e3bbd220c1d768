"""What boards ask, and the answers as JSON data. Pages ask by route, notebooks by messages.

Nothing is kept between requests. A request has a kind and fields; they come from a browser, so every field is checked. Plies, seats
and squares are numbered as in the log. Texts are for people, who count from 1.

The board of a replay asks about a logged game (`iter_answers`):

| kind | fields | answers |
|---|---|---|
| `look` | `ply` | the legal alternatives at the ply, the strategies and the options of the rules |
| `value` | `ply` | the likely moves at the ply with their values, and what the one that was played lost |
| `judge` | `ply`, `action`, `against` | what this action loses at the ply against another one, with the luck of these values |
| `whatif` | `ply`, `change` (`action`, or `seat` and `strategy`, or an `option` as KEY=VALUE, or nothing for other luck), `n`, `seed`, `own` (the players of the game play on, also slow ones); or the `query` of a question, and perhaps another `n` or `seed` | first the question, which is None if the query has no change, then ever more precise answers |
| `watch` | the `query` of a question, `number` | one continuation on both branches, as two scenes |
| `save` | the `query` of a question, `name` | the name and the number of games of the run that its continuations have become |

The board of a game by hand brings the moves so far (`answer_play_request`):

| kind | fields | what happens |
|---|---|---|
| `resume` | | nothing but that the strategies act which have to |
| `choose` | `action` (notation) | the person on turn makes this move, then the strategies act |
| `undo` | | the last choice of a person is taken back |
| `hint` | `strategy` | the answer says what this strategy would do (`hint`) |
| `keep` | | a finished game is saved as a run; the browser asks for it after the last move |
| `compare` | `strategy` | the answer says how many choices of people the strategy would have made, and its others |
| `value` | `action`, `strategy` | the answer says what the hint of a strategy is worth compared with the best other move (`reason`), and which move is the hint instead if that is clearly worth more (`better`); this may take seconds |
| `why` | `points`: pairs of column and row | the answer says why no piece may lie there (`why`), empty if the game does not say |

All of them have `setup`, the query of the address without moves, and `moves`. The answer is the game after the request, but that to
`compare` is the comparison alone, and those to `value` and `why` are sentences.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine import games
from engine.errors import GameError, InvalidError
from engine.strategies import built_in_strategies
from engine.wording import capitalise, player_label
from pipelines.experiments.continuations import find_branch_kernel, play_branch
from pipelines.experiments.fork import Change, fork_logged_game, parse_option, position_before
from pipelines.experiments.lessons import deal_lesson_luck, find_lesson
from pipelines.experiments.review import (
    alternatives_document,
    choices_document,
    loss_record,
    start_review,
)
from pipelines.experiments.reviewer import Reviewer
from pipelines.experiments.whatif import DealtContinuations, deal_continuations, saved_run_design
from pipelines.play import HandGame, compare_choices, continue_game, find_kept_game, keep_game
from pipelines.questions.address import find_limits, read_fields, split_address, write_path
from pipelines.questions.hand_game import HandGameQuestion, find_own_results, prepare_hand_game
from pipelines.questions.lineups import plays_games_out
from pipelines.questions.source import QuestionSource
from pipelines.questions.whatif import (
    ManyGamesQuestion,
    ResolvedWhatif,
    WhatifAnswer,
    WhatifQuestion,
    ask_about_change,
    fork_whatif,
    iter_whatif_answers,
    resolve_whatif,
)
from pipelines.report.characters import name_opponent, write_hint_reason, write_own_results
from pipelines.report.compose import compose
from pipelines.report.lesson import write_lesson_document
from pipelines.report.ruleset_words import title_setting
from pipelines.report.show.html import write_sheet_html
from pipelines.report.whatif import continuation_document
from pipelines.runs.names import check_run_name, run_path
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import Scene
    from pipelines.experiments.review_results import Decision
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run

REQUEST_KINDS: Final = frozenset({"look", "value", "judge", "whatif", "watch", "save"})
SHOW_SECONDS: Final = 0.2
"""Seconds between two answers that are shown. The first and the last one do not wait."""
SEED: Final = 0

_loaded_line_ups: Final[set[tuple[str, tuple[str, ...]]]] = set()
"""Rulesets, each with the strategies of its seats, whose compiled game this process has begun to load."""


def iter_answers(  # noqa: PLR0913, PLR0917 - a request, the game it is about, and what follows it
    kind: str,
    fields: Mapping[str, Any],
    run: Run,
    scene: Scene,
    stopped: Callable[[], bool] = lambda: False,
    keep: Callable[[WhatifAnswer], object] = lambda _: None,
) -> Iterator[dict[str, Any]]:
    """Yield the answers to a request about a logged game as JSON data; an answer that cannot be given is an `error`.

    `scene` is that of the game. What is computed ends soon once `stopped` returns True. `keep` is called with every answer to a
    what-if question.
    """
    try:
        match kind:
            case "look":
                yield _look_at_ply(run, scene, _read_ply(fields, scene))
            case "value":
                yield _value_moves(run, scene, _read_ply(fields, scene))
            case "judge":
                yield {"decision": _judge_action(fields, run, scene, _read_ply(fields, scene))}
            case "whatif":
                yield from _iter_whatif(fields, run, scene, stopped, keep)
            case "watch":
                yield _watch(fields, run, scene)
            case "save":
                yield _save(fields, run, scene, run.path.parent)
            case _:
                raise InvalidError("the server does not know this request")
    except GameError as error:
        yield {"error": str(error)}


def _look_at_ply(run: Run, scene: Scene, ply: int) -> dict[str, Any]:
    """Return the legal alternatives at a ply of a logged game, and the strategies, as JSON data."""
    state, seated = position_before(run, scene["game_id"], ply), scene.get("strategies", [])
    _load_compiled_game(run, scene, ply)
    return {
        "ply": ply,
        **alternatives_document(state, scene),
        **players_document(state.ruleset, seated),
        "rules": [
            {
                "key": key,
                "title": capitalise(title_setting(state.ruleset.game, key)),
                "now": json.dumps(value),
            }
            for key, value in state.ruleset.document["options"].items()
        ],
        "usual": [str(find_limits(WhatifQuestion, name).default) for name in ("n", "seed")],
    }


def _value_moves(run: Run, scene: Scene, ply: int) -> dict[str, Any]:
    """Value the likely moves at a ply by as many playouts as an answer has and with its luck.

    So the list of moves, a lesson and the answer about one of the moves have the same numbers.
    """
    _start_quick_review(run, scene)
    return write_lesson_document(find_lesson(run, scene["game_id"], ply), scene)


def _judge_action(fields: Mapping[str, Any], run: Run, scene: Scene, ply: int) -> dict[str, Any]:
    """Judge an action by what it loses against another one. Raises IllegalError if one of them is not legal."""
    reviewer = _start_quick_review(run, scene)
    action, against = (
        reviewer.ruleset.read_action(str(fields.get(name, ""))[:200]) for name in ("action", "against")
    )
    for number in (action, against):
        reviewer.states[ply].play(number)
    luck = deal_lesson_luck(run, scene["game_id"], ply)
    return loss_record(reviewer.judge_action(ply, action, against, luck))


def _start_quick_review(run: Run, scene: Scene) -> Reviewer:
    """Return what values moves as the review of a game does. Raises InvalidError without a compiled game: that would take minutes."""
    reviewer = start_review(run, scene["game_id"]).reviewer
    if not reviewer.is_compiled:
        raise InvalidError("Without a compiled game, moves get values only in a review.")
    return reviewer


def _load_compiled_game(run: Run, scene: Scene, ply: int) -> None:
    """Load the compiled game, which takes a second or more, while a person chooses. Nothing else is played."""
    branch = fork_logged_game(run, scene["game_id"], ply, Change(quick=True)).base
    key = (branch.state.ruleset.name, tuple(player.name for player in branch.seating))
    if key in _loaded_line_ups:
        return
    _loaded_line_ups.add(key)

    def play_one() -> None:
        if find_branch_kernel(branch):
            play_branch(branch, SEED, [0])

    threading.Thread(target=play_one, daemon=True).start()


def _iter_whatif(
    fields: Mapping[str, Any],
    run: Run,
    scene: Scene,
    stopped: Callable[[], bool],
    keep: Callable[[WhatifAnswer], object],
) -> Iterator[dict[str, Any]]:
    resolved = _read_question(fields, run, scene) if "query" in fields else None
    question = resolved.question if resolved else _read_play(fields, run, scene)
    if not question.has_change:
        yield {"question": None}
        return
    answer_head = {"question": question_document(question)}
    yield answer_head
    shown_at = 0.0
    fork = resolved.fork if resolved else fork_whatif(question, run)
    for answer in iter_whatif_answers(question, run, fork, stopped=stopped):
        keep(answer)
        if answer.whatif.is_over or time.monotonic() - shown_at >= SHOW_SECONDS:
            yield answer_head | answer_document(answer)
            shown_at = time.monotonic()


def _read_question(fields: Mapping[str, Any], run: Run, scene: Scene) -> ResolvedWhatif:
    """Read a question about this game from the query of its address, and fork the game. Raises InvalidError for a value that does not fit."""
    _, query = split_address(f"/?{str(fields.get('query', '')).lstrip('?')}")
    question, problems = read_fields(WhatifQuestion, query)
    if (question.run, question.game) != (run.name, scene["game_id"]):
        raise InvalidError("this question is about another game")
    question = question.model_copy(
        update={name: _read_limited(fields, name, getattr(question, name)) for name in ("n", "seed")}
    )
    resolved = resolve_whatif(question, run)
    if problems or resolved.problems:
        raise InvalidError(" ".join([*problems, *resolved.problems]))
    return resolved


def _read_play(fields: Mapping[str, Any], run: Run, scene: Scene) -> WhatifQuestion:
    """Read a question about this game from the choice of a person."""
    ply, change = _read_ply(fields, scene), _read_change(fields, run, scene)
    usual = WhatifQuestion()
    n, seed = (_read_limited(fields, name, getattr(usual, name)) for name in ("n", "seed"))
    return ask_about_change(
        WhatifQuestion, change, run=run.name, game=scene["game_id"], ply=ply, n=n, seed=seed
    )


def _deal_continuations(fields: Mapping[str, Any], run: Run, scene: Scene) -> DealtContinuations:
    resolved = _read_question(fields, run, scene)
    return deal_continuations(resolved.fork, resolved.question.n, resolved.question.seed)


def _watch(fields: Mapping[str, Any], run: Run, scene: Scene) -> dict[str, Any]:
    """Play one continuation again."""
    dealt = _deal_continuations(fields, run, scene)
    number = _read_number(fields, "number", 0, dealt.n - 1, 0)
    return {**continuation_document(dealt.play(number), 0, scene), "number": number, "n": dealt.n}


def _save(fields: Mapping[str, Any], run: Run, scene: Scene, folder: Path) -> dict[str, Any]:
    """Play all continuations again and keep them as a run under a name, or the next free one."""
    name = str(fields.get("name", ""))
    check_run_name(name)
    dealt, target = _deal_continuations(fields, run, scene), run_path(folder, name)
    try:
        saved = simulate_run(saved_run_design(dealt, run.name, name), target, workers=1)
    except OSError as error:
        raise InvalidError(f"{name}: {error.strerror or error}") from error
    return {"name": saved.name, "games": saved.summary.games}


def _read_ply(fields: Mapping[str, Any], scene: Scene) -> int:
    plies = len(scene["steps"])
    ply = fields.get("ply")
    if not isinstance(ply, int) or not 0 <= ply < plies:
        raise InvalidError(f"expected a move from 1 to {plies}")
    return ply


def _read_limited(fields: Mapping[str, Any], name: str, otherwise: int) -> int:
    """Return a number of a question within its limits."""
    limits = find_limits(WhatifQuestion, name)
    return _read_number(fields, name, limits.minimum, limits.maximum, otherwise)


def _read_number(fields: Mapping[str, Any], name: str, minimum: int, maximum: int, otherwise: int) -> int:
    number = fields.get(name, otherwise)
    return max(minimum, min(maximum, number)) if isinstance(number, int) else otherwise


def _read_change(fields: Mapping[str, Any], run: Run, scene: Scene) -> Change:
    """Read the change of a question.

    Unless `own` asks for the players of the game, quick players play on after another action, and a quick strategy in place of a
    slow one after another strategy or rule.
    """
    change_field = fields.get("change")
    change = change_field if isinstance(change_field, dict) else {}
    strategies: dict[int, str] = {}
    if "strategy" in change:
        strategies[_read_number(change, "seat", 0, len(scene["start_scores"]) - 1, 0)] = str(
            change["strategy"]
        )
    action = str(change["action"]) if "action" in change else None
    options = dict([parse_option(str(change["option"]))] if "option" in change else ())
    ruleset = run.ruleset(scene["ruleset"])
    quick = quick_substitutes(ruleset, scene.get("strategies", []))
    if fields.get("own") or not (strategies or options):
        quick = {}  # other luck is compared with what happened, so the players must be those that played
    # The strategy that is replaced must play on the original branch, also if it is slow.
    substitutes = {seat: name for seat, name in quick.items() if seat not in strategies}
    is_quick = bool(action) and not fields.get("own")
    return Change(strategies, action, options, substitutes, is_quick)


QUICK_STRATEGY: Final = "greedy"
"""The strategy that plays on for those that are slow or not built in."""


def players_document(ruleset: Ruleset, seated: Sequence[str]) -> dict[str, Any]:
    """Return the strategies that may play a seat instead, and who would play on for slow ones."""
    game = games.find_game(ruleset.game)
    strategies = built_in_strategies(game)
    return {
        "strategies": [
            {"name": name, "title": strategy.title, "slow": is_slow_strategy(ruleset, name)}
            for name, strategy in strategies.items()
        ],
        "quick": {str(seat): name for seat, name in quick_substitutes(ruleset, seated).items()},
    }


def is_slow_strategy(ruleset: Ruleset, text: str) -> bool:
    """Return whether a strategy plays whole games out before it decides, or is not part of Reroll."""
    strategies = built_in_strategies(games.find_game(ruleset.game))
    strategy = strategies.get(text.partition(":")[0])
    return strategy is None or plays_games_out(strategy)


def quick_substitutes(ruleset: Ruleset, seated: Sequence[str]) -> Mapping[int, str]:
    """Return the seats whose strategy is slow, each with the quick strategy that can play on for it."""
    return {seat: QUICK_STRATEGY for seat, text in enumerate(seated) if is_slow_strategy(ruleset, text)}


def question_document(question: WhatifQuestion) -> dict[str, Any]:
    """Return a question about a game as the board asks it, with the fields of its change if it is of one kind.

    `query` and `many` are the queries of the addresses that ask it of this game and of many; `name` is one for a run of it;
    `typed` are its number of continuations and its seed as texts, empty where they are the usual ones.
    """
    many = ManyGamesQuestion(
        run=question.run,
        games="all",
        **question.model_dump(include={"seats", "strategies", "options", "luck", "substitute", "quick"}),
    )
    document: dict[str, Any] = {
        "ply": question.ply,
        "query": write_path(question).partition("?")[2],
        "many": write_path(many).partition("?")[2],
        "name": f"whatif-{question.run}-{question.game + 1}-{question.ply + 1}"[:80],
        "luck": question.luck,
        "quick": question.quick,
        "typed": [
            "" if number == usual else str(number)
            for number, usual in ((question.n, WhatifQuestion().n), (question.seed, WhatifQuestion().seed))
        ],
    }
    if len(question.options) + len(question.strategies) + bool(question.action) > 1:
        return document
    if question.options:
        return {**document, "option": question.options[0]}
    if question.strategies:
        return {**document, "seat": question.seats[0], "strategy": question.strategies[0]}
    return {**document, "action": question.action}


def answer_document(answer: WhatifAnswer) -> dict[str, Any]:
    """Return an answer: its sheet as HTML, and how much of it is played."""
    whatif, question = answer.whatif, answer.question
    max_continuations = find_limits(WhatifQuestion, "n").maximum
    return {
        "html": write_sheet_html(compose(answer, lambda _: {}), is_on_board=True),
        "n": whatif.n,
        "total": whatif.n if whatif.is_single else question.n,
        "isOver": whatif.is_over,
        "more": min(max_continuations, 10 * question.n)
        if question.n < max_continuations and not whatif.is_single
        else None,
    }


MAX_POINTS: Final = 30
"""Squares of a piece; no piece of the catalogue has as many."""
PLAY_REQUEST_KINDS: Final = frozenset({"resume", "choose", "undo", "hint", "keep"})


def answer_play_request(fields: Mapping[str, Any], library: Library) -> dict[str, Any]:
    """Return the answer to a request of the board as JSON data; a request that does not fit gets an `error`."""
    try:
        question, problems = read_fields(
            HandGameQuestion, split_address(f"/play?{fields.get('setup', '')}")[1]
        )
        if problems:
            raise InvalidError(" ".join(problems))
        game = continue_game(prepare_hand_game(question, library), str(fields.get("moves", "")))
        if fields.get("kind") == "compare":
            return _compare_choices(game, str(fields.get("strategy", ""))[:60])
        if fields.get("kind") == "value":
            strategy = str(fields.get("strategy", ""))[:60]
            decision = _value_action(
                game, game.setup.ruleset.read_action(str(fields.get("action", ""))[:200])
            )
            return write_hint_reason(decision, game.state, strategy)._asdict() if decision else {}
        if fields.get("kind") == "why":
            return {"why": game.state.explain_misfit(_read_points(fields.get("points")))}
        extra = _apply_request(fields, game, library)
    except GameError as error:
        return {"error": str(error)}
    return game_document(game, library) | extra


def _apply_request(request: Mapping[str, Any], game: HandGame, library: Library) -> dict[str, Any]:
    kind = str(request.get("kind"))
    if kind not in PLAY_REQUEST_KINDS:
        raise InvalidError("the server does not know this request")
    if kind == "hint":
        action = game.ask_hint(str(request.get("strategy", ""))[:60])
        return {"hint": game.setup.ruleset.action(action).notation}
    if kind == "undo":
        game.undo()
        return {}
    if kind == "keep":
        return _keep_game(library, game)
    if kind == "choose":
        game.let_strategies_play()
        if game.state.is_over:
            raise InvalidError("the game is over")
        game.choose(game.setup.ruleset.read_action(str(request.get("action", ""))[:200]))
    game.let_strategies_play()
    return {}


def _value_action(game: HandGame, action: int) -> Decision | None:
    """Compare an action of the seat that acts with the best other one, as a review does.

    None if it is the only one, and with the plain rules alone, which would take minutes.
    """
    reviewer = Reviewer(game.setup.ruleset, [*game.actions, action])
    return reviewer.review_decision(len(game.plies)) if reviewer.is_compiled else None


def _read_points(points: object) -> frozenset[tuple[int, int]]:
    """Read squares of a board, each as its column and its row. Raises InvalidError for anything else."""
    if not (isinstance(points, list) and 0 < len(points) <= MAX_POINTS):
        raise InvalidError(f"expected 1 to {MAX_POINTS} squares")
    if any(
        not (isinstance(point, list) and [type(place) for place in point] == [int, int]) for point in points
    ):
        raise InvalidError("expected a column and a row for each square")
    return frozenset((column, row) for column, row in points)


def _compare_choices(game: HandGame, strategy: str) -> dict[str, Any]:
    compared = compare_choices(game, strategy)
    ruleset = game.setup.ruleset
    boards = games.find_game(ruleset.game).scene(ruleset, [])["boards"]
    return {
        "strategy": strategy,
        "n": len(compared),
        "others": [
            {"ply": choice.ply, **choices_document(choice.before, [choice.own, choice.other], boards)}
            for choice in compared
            if choice.own != choice.other
        ],
    }


def _keep_game(library: Library, game: HandGame) -> dict[str, Any]:
    """Save a finished game; return what goes into the response. The game itself goes on if the disk refuses it."""
    try:
        keep_game(library, game)
    except OSError as error:
        return {"error": f"This game could not be saved: {error.strerror or error}."}
    return {}


def game_document(game: HandGame, library: Library) -> dict[str, Any]:
    """Return what the browser shows: the scene so far, and the choices of the person who has to act."""
    setup, ruleset = game.setup, game.setup.ruleset
    game_rules = games.find_game(ruleset.game)
    is_over = game.state.is_over
    # A move that could be made is drawn, too, and cut off again: its colour is that of the seat on turn.
    probe = [] if is_over else [game.state.actions[0]]
    scene = game_rules.scene(ruleset, [*game.actions, *probe])
    steps = scene["steps"]
    painted = steps.pop()["paint"] if probe else []
    scene["ranks"] = list(game.state.ranks) if is_over else []
    scene["strategies"] = [player_label(name_opponent(ruleset.game, text)) for text in setup.seats]
    mark = scene["marks"].get(str(painted[0][2])) if painted else None
    kept_run = find_kept_game(library, game) if is_over else None
    return {
        "scene": scene,
        "moves": game.text,
        "first": len(setup.prefix),
        "people": [seat for seat, player in enumerate(setup.players) if player is None],
        "look": None if is_over else alternatives_document(game.state, scene),
        "colour": mark["colour"] if mark else None,
        "strategies": [
            {"name": name, "title": strategy.title}
            for name, strategy in built_in_strategies(game_rules).items()
        ],
        "canUndo": game.can_undo,
        "hints": len(game.hints),
        "undos": len(game.undos),
        "kept": kept_run.name if kept_run else None,
        "results": write_own_results(find_own_results(QuestionSource(library)), ruleset, setup.seats)
        if kept_run
        else "",
    }
