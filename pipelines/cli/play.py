"""The command with which people play a game themselves: play."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from engine.errors import GameError, InvalidError
from engine.strategies import DEFAULT_STRENGTH, STRENGTHS
from pipelines.cli import completion, options
from pipelines.cli.output import print_run, print_text
from pipelines.design.limits import MAX_MOVES_CHARACTERS, choose_seed
from pipelines.design.own_strategies import DECISION_TIMEOUT_SECONDS, OwnStrategies
from pipelines.design.people import PERSON
from pipelines.report.wording import format_count
from pipelines.simulate.errors import PlayError

if TYPE_CHECKING:
    from pipelines.play import HandGame, HandSetup
    from pipelines.runs.library import Library

MOVES_SHOWN: Final = 40
"""Legal moves that are listed without being asked for."""
COMMANDS: Final = "a number or a notation; also: moves, hint [STRATEGY], undo, board, quit"


def play(
    ruleset: Annotated[
        str | None, options.ruleset_argument("; without it, name a logged game with --run", "[RULESET]")
    ] = None,
    *,
    seats: Annotated[
        list[str] | None,
        typer.Option(
            "--seats",
            metavar="A,B[,C,D]",
            autocompletion=completion.complete_lineup,
            help=f'Who plays each seat: me, me:name="Anna", {", ".join(STRENGTHS)}, or a strategy: built-in, from '
            "--code, or installed. Repeatable. Without it, you have the first seat.",
        ),
    ] = None,
    opponent: Annotated[
        str | None,
        typer.Option(
            "--opponent",
            metavar="NAME",
            help=f"Who has the other seats: {', '.join(STRENGTHS)} (reroll strategies says how they play), or a strategy. "
            f"Without it and without --seats: {DEFAULT_STRENGTH}.",
        ),
    ] = None,
    run: Annotated[
        str | None,
        options.run_option(
            "Go on from a logged game of this run, with its dice; with --seed, with other dice."
        ),
    ] = None,
    game: Annotated[
        int | None,
        typer.Option("--game", metavar="N", min=1, help="Number of that game; the first one is 1."),
    ] = None,
    move: Annotated[
        int | None,
        typer.Option("--move", metavar="K", min=1, help="Go on before this move of it; the first one is 1."),
    ] = None,
    seed: options.SeedOption = None,
    code: options.CodeOption = None,
    decision_seconds: options.DecisionSecondsOption = DECISION_TIMEOUT_SECONDS,
    moves: Annotated[
        str,
        options.text_option(
            "--moves", MAX_MOVES_CHARACTERS, "TEXT", "Continue with these moves, as `quit` prints them."
        ),
    ] = "",
    name: options.NameOption = None,
    out: options.OutOption = None,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Play a game yourself. The others are strategies or people; the finished game is saved as a run."""
    from pipelines.play import continue_game, keep_game
    from pipelines.questions.hand_game import find_own_results
    from pipelines.questions.source import QuestionSource
    from pipelines.report.characters import write_own_results

    library = options.open_library(data)
    if seats and opponent:
        raise InvalidError("--seats and --opponent: use one of them")
    players = options.split_players(seats or ())
    if run and not players:
        raise InvalidError("--run needs --seats: who plays each seat of that game")
    if ruleset and not players:
        others = options.find_ruleset(library, ruleset).players - 1
        players = [PERSON, *[opponent or DEFAULT_STRENGTH] * others]
    own_strategies = _allow_own_strategies(code or (), players, decision_seconds)
    setup = _read_setup(library, ruleset, (run, game, move), players, own_strategies, seed=seed)
    target, has_default_name = options.choose_run_file(library, name, out, "hand")
    current = continue_game(setup, moves)
    is_over = False
    try:
        is_over = _play_to_the_end(current)
    finally:  # also after Ctrl-C
        if not is_over:
            print_text(f"continue with:\n{_continue_command(current, data, code or ())}", err=True)
    if not is_over:
        raise typer.Exit(1)
    if not as_json:
        print_text(f"{current.state}\nthe game is over: {' '.join(map(str, current.state.scores))}", err=True)
    options.announce_new_folder(library, target=None if has_default_name else target)
    kept_run = keep_game(library, current, None if has_default_name else target)
    own_results = find_own_results(QuestionSource(library))
    if not as_json and (results := write_own_results(own_results, setup.ruleset, setup.seats)):
        print_text(results, err=True)
    print_run(kept_run, as_json=as_json)


def _allow_own_strategies(
    code: "Sequence[str]", players: "Sequence[str]", decision_seconds: float
) -> OwnStrategies:
    """Return the own strategies that the command line names."""
    from pipelines.design.people import is_person

    strategies = [text for text in players if not is_person(text)]
    return OwnStrategies.from_names(code, strategies, decision_seconds=decision_seconds)


def _read_setup(
    library: "Library",
    ruleset: str | None,
    place: tuple[str | None, int | None, int | None],
    players: "Sequence[str]",
    own_strategies: OwnStrategies,
    *,
    seed: int | None,
) -> "HandSetup":
    """Return the setup of a game under a ruleset, or from a place: the run, game and move of a logged game, from 1."""
    from pipelines.play import prepare_continuation, prepare_game

    run, game, move = place
    if ruleset is None and run is not None and game is not None and move is not None:
        return prepare_continuation(library.run(run), game - 1, move - 1, players, seed, own_strategies)
    if ruleset is None or place != (None, None, None):
        raise InvalidError(
            "name either a RULESET, for a new game, or a logged game with --run, --game and --move"
        )
    rules = options.find_ruleset(library, ruleset, len(players))
    options.check_seat_count("--seats", rules, players)
    return prepare_game(rules, players, choose_seed(seed), own_strategies)


def _play_to_the_end(game: "HandGame") -> bool:
    """Ask the people for their moves; return False if somebody quits, the input ends, or an own strategy fails."""
    if not _let_strategies_play(game):
        return False
    if not game.state.is_over:
        _print_position(game, _first_ply_of_round(game))
    prompt = "> " if sys.stdout.isatty() else ""  # standard output may be for a program that reads JSON
    while not game.state.is_over:
        plies = len(game.plies)
        try:
            line = input(prompt).strip()
            if line == "quit":
                return False
            _carry_out_line(game, line)
        except EOFError:
            return False
        except GameError as error:
            print_text(str(error), err=True)
            continue
        if not _let_strategies_play(game):
            return False
        if len(game.plies) != plies and not game.state.is_over:
            _print_position(game, min(plies, len(game.plies)))
    return True


def _let_strategies_play(game: "HandGame") -> bool:
    """Let the strategies act; return False, with a message, if an own strategy fails."""
    try:
        game.let_strategies_play()
    except PlayError as error:
        print_text(f"reroll: {error}", err=True)
        return False
    return True


def _carry_out_line(game: "HandGame", line: str) -> None:
    """Carry out one line of a person; raise a GameError if it cannot be understood or is not legal."""
    word, _, rest = line.partition(" ")
    ruleset, actions = game.setup.ruleset, game.state.actions
    if word in {"", "board", "help", "?"}:
        _print_position(game, _first_ply_of_round(game))
    elif word == "moves":
        _print_moves(game, len(actions))
    elif word == "hint":
        strategy = rest.strip() or "greedy"
        print_text(f"{strategy} would play {ruleset.action(game.ask_hint(strategy)).notation}", err=True)
    elif word == "undo":
        game.undo()
    else:
        if line.isdecimal() and line.isascii() and len(line) < 8 and 1 <= int(line) <= len(actions):
            action = actions[int(line) - 1]
        else:
            from engine.transcript import tidy_notation

            action = ruleset.read_action(tidy_notation(line))
        if action not in actions or _is_meant(ruleset.action(action).notation):
            game.choose(action)


def _is_meant(notation: str) -> bool:
    """Ask at a terminal whether a move is meant, before it counts; return True if a program plays."""
    return not sys.stdin.isatty() or not input(f"{notation}? Enter plays it, u takes it back: ").strip()


def _print_position(game: "HandGame", first: int) -> None:
    """Print the plies from number `first` on, the position, and the legal moves if they are not too many."""
    ruleset, state = game.setup.ruleset, game.state
    for ply in game.plies[first:]:
        who = "dice" if ply.seat < 0 else f"player {ply.seat + 1}"
        print_text(f"{who}: {ruleset.action(ply.action).notation}", err=True)
    print_text(f"\n{state}\n", err=True)
    who = game.setup.seats[state.seat]
    person = "" if who == "me" else f" ({who.partition('name=')[2].strip(chr(34))})"
    print_text(
        f"round {state.round + 1}, player {state.seat + 1}{person}: {format_count(len(state.actions), 'legal move')}",
        err=True,
    )
    _print_moves(game, MOVES_SHOWN if len(state.actions) <= MOVES_SHOWN else 0)
    print_text(f"your move ({COMMANDS})", err=True)


def _first_ply_of_round(game: "HandGame") -> int:
    return next(
        (number for number, ply in enumerate(game.plies) if ply.round == game.state.round), len(game.plies)
    )


def _print_moves(game: "HandGame", limit: int) -> None:
    """Print the first legal moves with their numbers, several on a line."""
    ruleset = game.setup.ruleset
    texts = [
        f"{number}: {ruleset.action(action).notation}" for number, action in enumerate(game.state.actions, 1)
    ]
    width = max(map(len, texts)) + 2
    across = max(1, 100 // width)
    for start in range(0, min(limit, len(texts)), across):
        print_text("".join(f"{text:<{width}}" for text in texts[start : start + across]).rstrip(), err=True)


def _continue_command(game: "HandGame", data: "Path | None", code: "Sequence[str]") -> str:
    """Return the command that goes on with an unfinished game."""
    import shlex

    setup = game.setup
    words = [
        "reroll",
        "play",
        *([] if setup.origin else [setup.ruleset.name]),
        "--seats",
        ",".join(setup.seats),
    ]
    if setup.origin:
        words += [
            "--run",
            setup.origin.run,
            "--game",
            str(setup.origin.game_id + 1),
            "--move",
            str(len(setup.prefix) + 1),
        ]
    words += ["--seed", str(setup.luck.seed)] if setup.has_own_luck else []
    words += ["--data", str(data)] if data else []
    words += [word for file in code for word in ("--code", file)]
    seconds = setup.own.decision_seconds
    words += ["--decision-seconds", f"{seconds:g}"] if seconds != DECISION_TIMEOUT_SECONDS else []
    return shlex.join([*words, "--moves", game.text])
