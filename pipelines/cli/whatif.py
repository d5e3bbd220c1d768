"""The command that asks what would have been: whatif."""

import re
from typing import TYPE_CHECKING, Annotated, Final

import typer

from engine.errors import InvalidError
from pipelines.cli.output import (
    DataOption,
    JsonOption,
    QuietOption,
    format_half_interval,
    open_library,
    print_json,
    print_table,
    print_text,
)
from pipelines.cli.progress import compile_run_games, report_estimated_progress
from pipelines.cli.runs import RunArgument

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.experiments.whatif.fork import Change, Fork
    from pipelines.experiments.whatif.select_games import ForkedGames
    from pipelines.experiments.whatif.whatif import WhatIf, WhatIfPositions
    from pipelines.runs.run import Run

_RUN_NAME_PATTERN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
EFFECT_FIELDS: Final = ("score", "margin", "rank", "win_share")
DEFAULT_CONTINUATIONS: Final = 1000
DEFAULT_CONTINUATIONS_PER_GAME: Final = 100
"""Of each game: it is the positions that count."""


def whatif(
    run: RunArgument,
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="Number of a game; or all, lost:SEAT or won:SEAT for many.")
    ],
    *,
    ply: Annotated[
        str,
        typer.Option(
            "--ply", metavar="K", help="Fork before this ply (-1: the last), round:R, or last-roll."
        ),
    ],
    seat: Annotated[
        list[int] | None,
        typer.Option("--seat", metavar="S", min=0, help="Who plays otherwise from there on."),
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option("--strategy", metavar="X", help="How the seat plays; one for each --seat."),
    ] = None,
    action: Annotated[
        str | None,
        typer.Option("--action", metavar="NOTATION", help="What is played, or rolled, at that ply instead."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="KEY=VALUE", help="An option of the ruleset that was different."),
    ] = None,
    luck: Annotated[bool, typer.Option("--luck", help="Change nothing but the luck.")] = False,
    n: Annotated[
        int | None,
        typer.Option(
            "-n",
            metavar="N",
            min=2,
            max=1_000_000,
            help="Continuations of each branch; if not said 1000 for one game, 100 for each of many.",
        ),
    ] = None,
    until_decided: Annotated[
        bool, typer.Option("--until-decided", help="Stop as soon as the difference is settled.")
    ] = False,
    margin: Annotated[
        float | None,
        typer.Option("--margin", metavar="M", min=0, help="Differences up to this many points are equal."),
    ] = None,
    most: Annotated[
        int, typer.Option("--most", metavar="N", min=2, help="Of many games, look at no more than this.")
    ] = 200,
    seed: Annotated[int, typer.Option("--seed", metavar="SEED", min=0, help="Seed of the fresh luck.")] = 0,
    save: Annotated[
        str | None,
        typer.Option(
            "--save", metavar="NAME", help="Keep the continuations of both branches as a run of this name."
        ),
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Fork a game: play it on as it was and changed.

    Both branches meet the same luck, so what differs is the change.
    """
    from pipelines.experiments.whatif.select_games import fork_selected_games

    found = open_library(data).run(run)
    change = _parse_change(seat or [], strategy or [], action, option or [], luck=luck)
    target = None if save is None else _save_path(open_library(data).runs_folder, save, game, change)
    compile_run_games(found, quiet=quiet)
    if game.isdecimal():
        fork = fork_selected_games(found, game, ply, change, 1).forks[0]
        played = _play_fork(
            fork, n or DEFAULT_CONTINUATIONS, seed, margin, until_decided=until_decided, quiet=quiet
        )
        _print_whatif(found, played, as_json=as_json)
        if target:
            _save_continuations(played, found.name, target, quiet=quiet)
    else:
        many = fork_selected_games(found, game, ply, change, most)
        positions = _play_many_forks(many, n or DEFAULT_CONTINUATIONS_PER_GAME, seed, quiet=quiet)
        _print_positions(found, game, ply, positions, as_json=as_json)


def _play_fork(
    fork: "Fork", n: int, seed: int, margin: float | None, *, until_decided: bool, quiet: bool
) -> "WhatIf":
    """Play both branches of one game on."""
    from pipelines.experiments.whatif.whatif import play_whatif as play

    last: WhatIf | None = None
    with report_estimated_progress("whatif", n, "continuations", quiet=quiet) as tell:
        for last in play(fork, n=n, seed=seed, margin=margin, until_decided=until_decided):
            tell(last.n)
    if last is None:
        raise AssertionError("a fork has at least one look")
    return last


def _play_many_forks(many: "ForkedGames", n: int, seed: int, *, quiet: bool) -> "WhatIfPositions":
    """Play both branches of many games on."""
    from pipelines.experiments.whatif.whatif import WhatIfPositions, play_every_fork

    played: list[WhatIf] = []
    with report_estimated_progress("whatif", len(many.forks), "games", quiet=quiet) as tell:
        for one in play_every_fork(many.forks, n=n, seed=seed):
            played.append(one)
            tell(len(played))
    return WhatIfPositions(tuple(played), many.skipped)


def _parse_change(
    seats: list[int], strategies: list[str], action: str | None, options: list[str], *, luck: bool
) -> "Change":
    from pipelines.experiments.whatif.fork import Change
    from pipelines.experiments.whatif.fork import parse_option as read

    if len(seats) != len(strategies):
        raise InvalidError(
            f"every --seat needs its --strategy: there are {len(seats)} and {len(strategies)} of them"
        )
    twice = next((one for one in seats if seats.count(one) > 1), None)
    if twice is not None:
        raise InvalidError(f"seat {twice} is named twice")
    change = Change(
        dict(zip(seats, strategies, strict=True)), action, dict(read(option) for option in options)
    )
    if luck == bool(change):
        raise InvalidError(
            "say what is different: --seat with --strategy, --action or --option; or --luck, and nothing else"
        )
    return change


def _save_path(folder: "Path", name: str, game: str, change: "Change") -> "Path":
    """Return where the continuations go; refuse what cannot be saved before anything is played."""
    if not game.isdecimal():
        raise InvalidError("--save keeps the continuations of one game; give its number")
    if change.options:
        raise InvalidError(
            "a run holds one ruleset, so the answer to a question about another rule cannot be saved"
        )
    if not _RUN_NAME_PATTERN.fullmatch(name):
        raise InvalidError(f"--save: expected a name of letters, digits, dots and dashes, not {name!r}")
    target = folder / f"{name}.duckdb"
    if target.exists():
        raise InvalidError(f"there is a run {name} already; choose another name")
    return target


def _save_continuations(found: "WhatIf", parent: str, target: "Path", *, quiet: bool) -> None:
    from pipelines.experiments.whatif.saved_run import saved_run_design
    from pipelines.simulate.simulate import simulate_run

    run = simulate_run(saved_run_design(found, parent, target.stem), target.absolute(), free_name=False)
    if not quiet:
        print_text(f"saved {run.summary.games} games as {run.name}: {run.path}", err=True)


def _print_whatif(run: "Run", found: "WhatIf", *, as_json: bool) -> None:
    from pipelines.experiments.whatif.whatif import whatif_sentence

    if as_json:
        print_json({"run": run.name, "sentence": whatif_sentence(found), **found.as_json()})
        return
    fork = found.fork
    print_text(f"{run.name}, game {fork.game_id}: what if, from ply {fork.ply} on, {fork.change}?")
    print_text(f"{whatif_sentence(found)}\n")
    rows = []
    for effect in found.seat_effects:
        names = fork.base.seating[effect.seat].name, fork.changed.seating[effect.seat].name
        rows.append(
            (
                effect.seat,
                names[0] if names[0] == names[1] else f"{names[0]} -> {names[1]}",
                format_half_interval(effect.base),
                format_half_interval(effect.changed),
                *(format_half_interval(getattr(effect, part), signed=True) for part in EFFECT_FIELDS),
            )
        )
    was = "as it was" if fork.change else "logged"
    print_table(
        (
            "seat",
            "strategy",
            f"score {was}",
            "score changed",
            "score +/-",
            "margin +/-",
            "rank +/-",
            "win share +/-",
        ),
        rows,
    )
    share = found.differing_share
    print_text(
        f"\n{found.n:,} continuations of each branch, seed {found.seed}; each value ± half its 95 % interval; "
        f"{share.estimate:.0%} of them differ ({share.low:.0%} to {share.high:.0%})"
    )


def _print_positions(run: "Run", which: str, where: str, found: "WhatIfPositions", *, as_json: bool) -> None:
    first = found.played[0].fork
    if as_json:
        print_json(
            {
                "run": run.name,
                "games": which,
                "ply": where,
                "change": str(first.change),
                "positions": len(found.played),
                "continuations": found.played[0].n,
                "skipped": {str(game): why for game, why in found.skipped.items()},
                "score": found.score and found.score._asdict(),
                "win_share": found.win_share and found.win_share._asdict(),
                "differing": found.differing_share._asdict(),
            }
        )
        return
    print_text(f"{run.name}, games {which}: what if, from {where} on, {first.change}?")
    print_table(
        ("", "difference", "positions"),
        [
            ("final score of the seat", format_half_interval(found.score, signed=True), len(found.played)),
            ("its share of the win", format_half_interval(found.win_share, signed=True), len(found.played)),
        ],
    )
    print_text(
        f"\n{found.played[0].n} continuations from each of {len(found.played)} positions; the 95 % intervals rest on "
        f"the positions; at {found.differing_share.estimate:.0%} of them anything changed"
    )
    if found.skipped:
        game, why = next(iter(found.skipped.items()))
        print_text(f"{len(found.skipped)} games left out, the first: game {game}: {why}")
