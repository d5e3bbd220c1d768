"""The commands that verify run files, and renew those of an older Reroll: verify, renew."""

import shlex
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from engine.errors import GameError
from pipelines.cli import options
from pipelines.cli.output import print_json, print_text
from pipelines.cli.progress import report_progress
from pipelines.report.wording import format_count
from pipelines.simulate.errors import VerificationFailed

if TYPE_CHECKING:
    from pipelines.runs.run import Run
    from pipelines.simulate.verify import CheckedGames

FAULT_EXIT_CODE: Final = 1


def verify(
    runs: options.RunsArgument,
    *,
    games: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Replay and play again only about N games, spread over the run."
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S", min=0, help="Play games without logged moves again for about S seconds only."
        ),
    ] = None,
    code: options.CodeOption = None,
    workers: options.WorkersOption = None,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Check all numbers: replay logged games, play others again.

    Exit code 1 if a number differs; 3 if none differs, but the results of some games could not be checked, because their
    moves are not logged and not all strategies are built in.

    Strategies of your own are executed only if you name their file with --code: then they decide once more at each of
    their moves, and the choices must be the same.
    """
    from pipelines.design.own_strategies import OwnStrategies
    from pipelines.experiments.review_runs import verify_reviews
    from pipelines.runs.intake import UNCHECKED_EXIT_CODE
    from pipelines.runs.renewal import read_old_view
    from pipelines.runs.versions import describe_other_strategies
    from pipelines.simulate.verify import find_decision_fault, verify_run

    library, own_strategies = options.open_library(data), OwnStrategies.from_names(code or ())
    checks: list[dict[str, Any]] = []
    for run in [library.run(name) for name in runs]:
        check: dict[str, Any] = {
            "run": run.name,
            "ok": False,
            "fault": None,
            "unchecked_code": _run_code(run),
            "old_view": None,
            "other_versions": None,
        }
        try:
            with report_progress(run.name, quiet=quiet) as update_progress:
                checked = verify_run(
                    run,
                    workers=workers,
                    progress=update_progress,
                    limit=games,
                    seconds=seconds,
                    own_strategies=own_strategies,
                )
            if check["unchecked_code"] and code:
                check |= {
                    "fault": find_decision_fault(run, own_strategies, limit=games),
                    "unchecked_code": [],
                }
            sentence = agreement_sentence(checked) + _describe_code(run, check["unchecked_code"], code or ())
            if run.review_path.exists():
                reviewed = verify_reviews(run)
                sentence += f"; the reviews of {format_count(reviewed, 'game')} fit the run"
            check["old_view"] = read_old_view(run)
            if others := describe_other_strategies(run.versions, run.design):
                check["other_versions"] = others
                sentence += f"\nother versions of its strategies played: {others}"
            if check["old_view"]:
                sentence += (
                    f"\nits view {check['old_view']} needs DuckDB 2.0 or newer; for older clients: "
                    f"reroll renew {shlex.quote(run.name)}"
                )
            check |= {**checked._asdict(), "ok": not check["fault"] and not checked.unchecked}
        except VerificationFailed as difference:
            sentence = check["fault"] = str(difference)
        check["said"] = check["fault"] or sentence
        checks.append(check)
        if not as_json:
            print_text(f"{run.name}: {check['said']}")
    if as_json:
        print_json(checks)
    if not all(check["ok"] for check in checks):
        raise typer.Exit(FAULT_EXIT_CODE if any(check["fault"] for check in checks) else UNCHECKED_EXIT_CODE)


def renew(runs: options.RunsArgument, *, data: options.DataOption = None) -> None:
    """Write run files of an older Reroll anew, for all DuckDB clients.

    Clients before DuckDB 2.0 cannot read the view `log` of run files that version 0.4.0 or an earlier one wrote. A new file with
    the same tables takes the place of each; its notes find it.
    """
    from pipelines.runs.renewal import read_old_view, renew_views

    library = options.open_library(data)
    for run in [library.run(name) for name in runs]:
        if view := read_old_view(run):
            renew_views(run)
            print_text(
                f"{run.name}: written anew; every DuckDB client from version 1.5 reads its view {view}"
            )
        else:
            print_text(f"{run.name}: nothing to renew")


def _run_code(run: "Run") -> list[str]:
    """Return what `--code` has to name for the strategies of a run that are not built in; nothing if it cannot be read."""
    with suppress(GameError):  # `verify_run` says what is wrong
        return [origin.file for origin in run.design.code]
    return []


def _describe_code(run: "Run", unchecked: list[str], code: "Sequence[str]") -> str:
    """Return what was checked of the strategies that are not built in, as the end of the sentence about a run."""
    if unchecked:
        code_options = " ".join(f"--code {shlex.quote(file)}" for file in unchecked)
        return (
            f"\n{', '.join(unchecked)} was not executed; to check that its strategies chose these moves: "
            f"reroll verify {shlex.quote(run.name)} {code_options}"
        )
    return f", and the choices of {', '.join(code)} are the same" if code and _run_code(run) else ""


def agreement_sentence(checked: "CheckedGames") -> str:
    """Return what was checked in a run in which no number differs.

    >>> from pipelines.simulate.verify import CheckedGames
    >>> agreement_sentence(CheckedGames(60, 60, 0, 0, None))
    'all 60 games agree with the rules'
    >>> agreement_sentence(CheckedGames(60, 6, 60, 0, None))
    'all 60 games were played again from the seed, with the same results; the moves of 6 games agree with the rules'
    >>> agreement_sentence(CheckedGames(60, 6, 0, 54, "a program may decide otherwise each time"))
    '6 of 60 games agree with the rules; the results of 54 games could not be checked: their moves are not in the file, and \
they cannot be played again, because a program may decide otherwise each time. Only that their numbers fit each other is certain'
    """
    if not checked.played_again and not checked.unchecked:
        return _agree_with_rules(_count_of(checked.replayed, checked.games), checked.replayed)
    parts = []
    if checked.played_again:
        were = "was" if checked.played_again == 1 else "were"
        parts.append(
            f"{_count_of(checked.played_again, checked.games)} {were} played again from the seed, with the same results"
        )
    if checked.replayed:
        which = (
            f"the moves of {format_count(checked.replayed, 'game')}"
            if checked.played_again
            else _count_of(checked.replayed, checked.games)
        )
        parts.append(_agree_with_rules(which, 2 if checked.played_again else checked.replayed))
    if checked.obstacle:
        parts.append(
            f"the results of {format_count(checked.unchecked, 'game')} could not be checked: their moves are not in the file, "
            f"and they cannot be played again, because {checked.obstacle}. Only that their numbers fit each other is certain"
        )
    return "; ".join(parts)


def _agree_with_rules(which: str, number: int) -> str:
    return f"{which} {'agrees' if number == 1 else 'agree'} with the rules"


def _count_of(number: int, games: int) -> str:
    """Return "all 60 games", "30 of 60 games" or, if there is only one, "the game"."""
    if games == 1:
        return "the game"
    return f"all {games:,} games" if number >= games else f"{number:,} of {games:,} games"
