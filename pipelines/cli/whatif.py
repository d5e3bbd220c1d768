"""The command that plays a game on with a change: whatif."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import InvalidError
from pipelines.cli import completion
from pipelines.cli.options import (
    AllowProgramsOption,
    CodeOption,
    DataOption,
    DecisionSecondsOption,
    DetailsOption,
    JsonOption,
    OneGameOption,
    QuietOption,
    RunArgument,
    announce_new_folder,
    collect_settings,
    margin_option,
    number_option,
    open_library,
    strategy_option,
    text_option,
)
from pipelines.cli.output import print_sheet, print_text
from pipelines.cli.progress import compile_rulesets, report_estimated_progress
from pipelines.cli.question_options import FROM_FIELD, asks
from pipelines.design.limits import CONTINUATIONS, CONTINUATIONS_PER_GAME, MAX_RUN_NAME_CHARACTERS
from pipelines.design.own_strategies import DECISION_TIMEOUT_SECONDS, OwnStrategies
from pipelines.report.wording import format_count
from pipelines.runs.names import check_run_name, run_path

if TYPE_CHECKING:
    from pipelines.experiments.fork import AllowedStrategies, Change
    from pipelines.experiments.whatif import WhatIf
    from pipelines.questions.whatif import ManyGamesAnswer, ManyGamesQuestion, WhatifAnswer, WhatifQuestion
    from pipelines.runs.run import Run


@asks("pipelines.questions.whatif:WhatifQuestion", "pipelines.questions.whatif:ManyGamesQuestion")
def whatif(
    run: RunArgument,
    *,
    game: OneGameOption = None,
    games: Annotated[str, typer.Option("--many", metavar="WHICH")] = FROM_FIELD,
    move: Annotated[
        str,
        typer.Option(
            "--move",
            metavar="K",
            help="Fork before this move (1: the first, -1: the last), round:R, or last-roll.",
        ),
    ],
    seats: Annotated[list[int] | None, typer.Option("--player", metavar="P")] = None,
    strategies: Annotated[
        list[str] | None,
        typer.Option("--strategy", metavar="X", autocompletion=completion.complete_strategies),
    ] = None,
    stand_in: Annotated[
        list[str] | None,
        typer.Option(
            "--stand-in",
            metavar="P=X",
            help="Strategy X plays for player P on both branches, in place of the logged one: for a player that was a "
            "program or code of somebody else.",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick")] = False,
    action: Annotated[str, typer.Option("--action", metavar="NOTATION")] = FROM_FIELD,
    action_of: Annotated[
        str | None,
        strategy_option(
            "--action-of", "The action that strategy X would choose replaces the one at that move (one game)."
        ),
    ] = None,
    options: Annotated[list[str] | None, typer.Option("--option", metavar="KEY=VALUE")] = None,
    luck: Annotated[bool, typer.Option("--luck")] = False,
    n: Annotated[
        int | None,
        number_option(
            "--continuations",
            CONTINUATIONS,
            f"Number of continuations of each branch; by default {CONTINUATIONS.default} for one game, "
            f"{CONTINUATIONS_PER_GAME.default} for each of many.",
        ),
    ] = None,
    until_decided: Annotated[
        bool, typer.Option("--until-decided", help="Stop as soon as the answer is settled (one game).")
    ] = False,
    margin: Annotated[float | None, margin_option(" (one game, in points)")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N")] = FROM_FIELD,
    seed: Annotated[int, typer.Option("--seed", metavar="SEED")] = FROM_FIELD,
    name: Annotated[
        str | None,
        text_option(
            "--name",
            MAX_RUN_NAME_CHARACTERS,
            "NAME",
            "Save the continuations of both branches as a run of this name.",
        ),
    ] = None,
    code: CodeOption = None,
    allow_programs: AllowProgramsOption = False,
    decision_seconds: DecisionSecondsOption = DECISION_TIMEOUT_SECONDS,
    details: DetailsOption = False,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Fork a game and play it on with and without a change.

    Both branches have the same luck, so the difference between them is the effect of the change.
    """
    from pipelines.design.own_strategies import OwnStrategies
    from pipelines.experiments.fork import AllowedStrategies
    from pipelines.experiments.many_games import find_ply
    from pipelines.questions.whatif import ManyGamesQuestion, WhatifQuestion, ask_about_change

    if (game is None) == (not games):
        raise InvalidError("name either one game with --game N, or many with --many all, lost:P or won:P")
    game_id = None if game is None else game - 1
    library = open_library(data)
    stored = library.run(run)
    own_strategies = OwnStrategies.from_names(
        code or (), [action_of] if action_of else [], decision_seconds=decision_seconds
    )
    if action_of is not None:
        action = _find_action_of(
            stored, game_id, move, strategy=action_of, action=action or None, own_strategies=own_strategies
        )
    change = _parse_change(
        seats or [], strategies or [], action or None, options or [], stand_in or [], luck=luck, quick=quick
    )
    lineup = [*change.strategies.values(), *change.substitutes.values()]
    allowed = AllowedStrategies(
        OwnStrategies.from_names(code or (), lineup, decision_seconds=decision_seconds),
        OwnStrategies.from_names(code or (), programs=allow_programs, decision_seconds=decision_seconds),
    )
    target = None if name is None else _save_path(library.runs_folder, name, game_id, change)
    if target:
        announce_new_folder(library, quiet=quiet)
    compile_rulesets(stored.rulesets.values(), quiet=quiet)
    fields = {"run": stored.name, "seed": seed, **({} if n is None else {"n": n})}
    if game_id is not None:
        start = find_ply(stored, game_id, move)
        start += len(stored.actions(game_id)) if start < 0 else 0
        one_game_question = ask_about_change(WhatifQuestion, change, game=game_id, ply=start, **fields)
        answer = _play_one_game(
            one_game_question, stored, allowed, margin=margin, until_decided=until_decided, quiet=quiet
        )
        _print_answer(answer, as_json=as_json, details=details)
        if target:
            _save_continuations(answer.whatif, stored.name, target, quiet=quiet)
        return
    if until_decided or margin is not None:
        raise InvalidError(
            "--until-decided and --margin ask about one game; name it with --game, or leave them out for many games"
        )
    question = ask_about_change(ManyGamesQuestion, change, games=games, where=move, limit=limit, **fields)
    _print_answer(_play_many_games(question, stored, allowed, quiet=quiet), as_json=as_json, details=details)


def _find_action_of(
    run: "Run",
    game_id: int | None,
    move: str,
    *,
    strategy: str,
    action: str | None,
    own_strategies: "OwnStrategies",
) -> str:
    """Return the action that a strategy would choose at a move of one game."""
    from pipelines.experiments.fork import find_strategy_action
    from pipelines.experiments.many_games import find_ply

    if game_id is None or action is not None:
        raise InvalidError(
            "--action-of asks about one game, named by --game, and takes the place of --action"
        )
    return find_strategy_action(run, game_id, find_ply(run, game_id, move), strategy, own_strategies)


def _parse_change(
    players: list[int],
    strategies: list[str],
    action: str | None,
    options: list[str],
    stand_ins: list[str],
    *,
    luck: bool,
    quick: bool,
) -> "Change":
    """Return the change that the options describe; raise InvalidError if they describe none or contradict each other."""
    from pipelines.experiments.fork import Change, parse_option

    if len(players) != len(strategies):
        raise InvalidError(
            f"every --player needs its --strategy; there are {len(players)} of --player and {len(strategies)} of --strategy"
        )
    by_player = collect_settings("--player", zip(players, strategies, strict=True))
    on_both_branches = collect_settings("--stand-in", map(_parse_stand_in, stand_ins))
    change = Change(
        {player - 1: strategy for player, strategy in by_player.items()},
        action,
        collect_settings("--option", map(parse_option, options)),
        {player - 1: strategy for player, strategy in on_both_branches.items()},
        quick,
    )
    if luck == bool(change):
        raise InvalidError(
            "name the change: --player with --strategy, --action, --action-of or --option; or --luck without any of these"
        )
    return change


def _parse_stand_in(text: str) -> tuple[int, str]:
    player, equals, strategy = text.partition("=")
    if not (player.isdecimal() and player.isascii() and int(player) and equals and strategy):
        raise InvalidError(f"--stand-in {text!r}: expected PLAYER=STRATEGY, as in 1=greedy")
    return int(player), strategy


def _play_one_game(
    question: "WhatifQuestion",
    run: "Run",
    allowed: "AllowedStrategies",
    *,
    margin: float | None,
    until_decided: bool,
    quiet: bool,
) -> "WhatifAnswer":
    """Play the continuations of one game; show how many are played."""
    from pipelines.questions.whatif import fork_whatif, iter_whatif_answers

    with report_estimated_progress("whatif", question.n, "continuations", quiet=quiet) as update_progress:
        fork = fork_whatif(question, run, allowed)
        for answer in iter_whatif_answers(question, run, fork, margin=margin, until_decided=until_decided):
            update_progress(answer.whatif.n)
    return answer


def _play_many_games(
    question: "ManyGamesQuestion", run: "Run", allowed: "AllowedStrategies", *, quiet: bool
) -> "ManyGamesAnswer":
    """Play the continuations of many games; show how many games are done."""
    from pipelines.questions.whatif import iter_many_games_answers

    with report_estimated_progress("whatif", question.limit, "games", quiet=quiet) as update_progress:
        for answer in iter_many_games_answers(question, run, allowed=allowed):
            update_progress(answer.done)
    return answer


def _save_path(folder: "Path", name: str, game_id: int | None, change: "Change") -> "Path":
    """Return the path of the run for the continuations; raise InvalidError, before anything is played, if it cannot be saved."""
    if game_id is None:
        raise InvalidError("--name saves the continuations of one game; name it with --game")
    if change.options:
        raise InvalidError("a run has one ruleset, so the continuations under two rulesets cannot be saved")
    from pipelines.runs.unfinished_run import check_name_free

    check_run_name(name)
    check_name_free(folder, name)
    return run_path(folder, name)


def _save_continuations(answer: "WhatIf", parent: str, target: "Path", *, quiet: bool) -> None:
    from pipelines.experiments.whatif import saved_run_design
    from pipelines.simulate.simulate import simulate_run

    run = simulate_run(saved_run_design(answer, parent, target.stem), target.absolute(), free_name=False)
    if not quiet:
        print_text(f"saved {format_count(run.summary.games, 'game')} as {run.name}: {run.path}", err=True)


def _print_answer(answer: "WhatifAnswer | ManyGamesAnswer", *, as_json: bool, details: bool) -> None:
    from pipelines.questions.source import QuestionSource
    from pipelines.report.compose import compose

    sheet = compose(answer, QuestionSource(only=(answer.run,)).find_looks)
    print_sheet(sheet, as_json=as_json, details=details)
