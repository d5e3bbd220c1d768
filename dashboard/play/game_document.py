"""What the board of the page Play gets from the server, as JSON data, and the answers to its requests.

Nothing is kept between requests: each brings the moves so far. A request comes from a browser, so every field is checked.

| kind | fields | what happens |
|---|---|---|
| `resume` | | nothing but that the strategies act which have to |
| `choose` | `action` (notation) | the person on turn makes this move, then the strategies act |
| `undo` | | the last choice of a person is taken back |
| `hint` | `strategy` | the answer says what this strategy would do (`hint`) |
| `keep` | | a finished game is saved as a run; the browser asks for it after the last move |
| `compare` | `strategy` | the answer says how many choices of people the strategy would have made, and its others |

All of them have `setup`, the query of the address without moves, and `moves`. The answer is the game after the request, but that to
`compare` is the comparison alone. This module does not use Streamlit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from engine.errors import GameError, InvalidError
from engine.games import find_game
from engine.strategies import built_in_strategies
from engine.wording import player_label
from pipelines.panel.documents import alternatives_document, choices_document
from pipelines.play.hand_game import compare_choices, continue_game, find_kept_game, keep_game
from pipelines.questions.address import read_fields, split_address
from pipelines.questions.hand_game import HandGameQuestion, find_own_results, prepare_hand_game
from pipelines.questions.source import QuestionSource
from pipelines.report.characters import name_opponent, write_own_results

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.play.hand_game import HandGame
    from pipelines.runs.library import Library

REQUEST_KINDS: Final = frozenset({"resume", "choose", "undo", "hint", "keep"})


def answer_request(fields: Mapping[str, Any], library: Library) -> dict[str, Any]:
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
        extra = _apply_request(fields, game, library)
    except GameError as error:
        return {"error": str(error)}
    return game_document(game, library) | extra


def _apply_request(request: Mapping[str, Any], game: HandGame, library: Library) -> dict[str, Any]:
    kind = str(request.get("kind"))
    if kind not in REQUEST_KINDS:
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


def _compare_choices(game: HandGame, strategy: str) -> dict[str, Any]:
    compared = compare_choices(game, strategy)
    ruleset = game.setup.ruleset
    boards = find_game(ruleset.game).scene(ruleset, [])["boards"]
    return {
        "strategy": strategy,
        "n": len(compared),
        "others": [
            {"ply": choice.ply, **choices_document(choice.before, [choice.other], boards)}
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
    found = find_game(ruleset.game)
    is_over = game.state.is_over
    # A move that could be made is drawn, too, and cut off again: its colour is that of the seat on turn.
    probe = [] if is_over else [game.state.actions[0]]
    scene = found.scene(ruleset, [*game.actions, *probe])
    steps = scene["steps"]
    painted = steps.pop()["paint"] if probe else []
    scene["ranks"] = list(game.state.ranks) if is_over else []
    scene["strategies"] = [player_label(name_opponent(ruleset.game, text)) for text in setup.seats]
    mark = scene["marks"].get(str(painted[0][2])) if painted else None
    kept = find_kept_game(library, game) if is_over else None
    return {
        "scene": scene,
        "moves": game.text,
        "first": len(setup.prefix),
        "people": [seat for seat, player in enumerate(setup.players) if player is None],
        "look": None if is_over else alternatives_document(game.state, scene),
        "colour": mark["colour"] if mark else None,
        "strategies": [
            {"name": name, "title": strategy.title} for name, strategy in built_in_strategies(found).items()
        ],
        "canUndo": game.can_undo,
        "hints": len(game.hints),
        "undos": len(game.undos),
        "kept": kept.name if kept else None,
        "results": write_own_results(find_own_results(QuestionSource(library)), ruleset, setup.seats)
        if kept
        else "",
    }
