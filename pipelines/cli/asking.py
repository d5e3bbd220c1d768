"""The commands that ask what would have been: whatif, review."""

import re
import time
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from engine.game import InvalidError
from pipelines.cli.looking import RunArgument
from pipelines.cli.terminal import (
    DataOption,
    JsonOption,
    QuietOption,
    duration,
    library,
    print_json,
    print_table,
    progress,
    say,
)
from pipelines.numeral import whole

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.fork import Change
    from pipelines.review import Review
    from pipelines.run import Run
    from pipelines.statistics import Interval
    from pipelines.whatif import Positions, WhatIf

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
PARTS: Final = ("score", "margin", "rank", "win_share")


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
        int, typer.Option("-n", metavar="N", min=2, max=1_000_000, help="Continuations of each branch.")
    ] = 1000,
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
    from pipelines.positions import chosen_games, forks
    from pipelines.whatif import Positions, everywhere, sentence
    from pipelines.whatif import whatif as play

    found = library(data).run(run)
    change = _change(seat or [], strategy or [], action, option or [], luck=luck)
    target = None if save is None else _target(library(data).runs_folder, save, game, change)
    _compile(found, quiet=quiet)
    if whole(game) is not None:
        forked = forks(found, str(chosen_games(found, game, 1)[0]), ply, change, 1).forks[0]
        last: WhatIf | None = None
        with _telling("whatif", n, "continuations", quiet=quiet) as tell:
            for last in play(forked, n=n, seed=seed, margin=margin, until_decided=until_decided):
                tell(last.n)
        if last is None:
            raise AssertionError("a fork has at least one look")
        if as_json:
            print_json({"run": found.name, "sentence": sentence(last), **last.document()})
        else:
            _show(found, last, sentence(last))
        if target:
            _save(last, found.name, target, quiet=quiet)
        return
    many = forks(found, game, ply, change, most)
    played: list[WhatIf] = []
    with _telling("whatif", len(many.forks), "games", quiet=quiet) as tell:
        for one in everywhere(many.forks, n=min(n, 100) if n == 1000 else n, seed=seed):
            played.append(one)
            tell(len(played))
    _show_many(found, game, ply, Positions(tuple(played), many.skipped), as_json=as_json)


def _change(
    seats: list[int], strategies: list[str], action: str | None, options: list[str], *, luck: bool
) -> "Change":
    from pipelines.fork import Change
    from pipelines.fork import option as read

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


def _target(folder: "Path", name: str, game: str, change: "Change") -> "Path":
    """Return where the continuations go; refuse what cannot be saved before anything is played."""
    if whole(game) is None:
        raise InvalidError("--save keeps the continuations of one game; give its number")
    if change.options:
        raise InvalidError(
            "a run holds one ruleset, so the answer to a question about another rule cannot be saved"
        )
    if not _NAME.fullmatch(name):
        raise InvalidError(f"--save: expected a name of letters, digits, dots and dashes, not {name!r}")
    target = folder / f"{name}.duckdb"
    if target.exists():
        raise InvalidError(f"there is a run {name} already; choose another name")
    return target


def _save(found: "WhatIf", parent: str, target: "Path", *, quiet: bool) -> None:
    from pipelines.kept import design_of
    from pipelines.simulate import simulate

    run = simulate(design_of(found, parent, target.stem), target.absolute(), free_name=False)
    if not quiet:
        say(f"saved {run.summary.games} games as {run.name}: {run.path}", err=True)


def _compile(run: "Run", *, quiet: bool) -> None:
    """Compile the games of a run here, and say so."""
    from engine.kernel import is_warm, kernel, warm

    for ruleset in run.rulesets.values():
        try:
            compiled = kernel(ruleset)
        except InvalidError:
            continue
        if compiled and not is_warm(compiled):
            if not quiet:
                say(f"compiling {ruleset.title}, first start only ...", err=True)
            warm(compiled)


def _telling(title: str, total: int, what: str, *, quiet: bool) -> Any:  # noqa: ANN401 - a context of a function
    """Show how many are done of a total, and the time left."""
    from contextlib import contextmanager

    @contextmanager
    def telling() -> Any:  # noqa: ANN401 - as above
        started = time.monotonic()
        with progress(title, quiet=quiet, what=what) as tell:

            def done(count: int) -> None:
                if tell:
                    spent = time.monotonic() - started
                    tell(count, total, spent / max(count, 1) * (total - count))

            yield done

    return telling()


def _show(run: "Run", found: "WhatIf", said: str) -> None:
    fork = found.fork
    say(f"{run.name}, game {fork.game_id}: what if, from ply {fork.ply} on, {fork.change}?")
    say(f"{said}\n")
    rows = []
    for effect in found.effects:
        names = fork.base.seating[effect.seat].name, fork.changed.seating[effect.seat].name
        rows.append(
            (
                effect.seat,
                names[0] if names[0] == names[1] else f"{names[0]} -> {names[1]}",
                _told(effect.base),
                _told(effect.changed),
                *(_told(getattr(effect, part), signed=True) for part in PARTS),
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
    share = found.differing
    say(
        f"\n{found.n} continuations of each branch, seed {found.seed}; each value ± half its 95 % interval; "
        f"{share.estimate:.0%} of them differ ({share.low:.0%} to {share.high:.0%})"
    )


def _told(interval: "Interval | None", *, signed: bool = False) -> str:
    from pipelines.verdict import rounded

    if interval is None:
        return "-"
    if interval.half == 0:
        return f"{interval.estimate:{'+' if signed else ''}g} exactly"
    digits = len(rounded(interval)[0].partition(".")[2])
    return f"{interval.estimate:{'+' if signed else ''}.{digits}f} ± {interval.half:.{digits}f}"


def _show_many(run: "Run", which: str, where: str, found: "Positions", *, as_json: bool) -> None:
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
                "differing": found.differing._asdict(),
            }
        )
        return
    say(f"{run.name}, games {which}: what if, from {where} on, {first.change}?")
    print_table(
        ("", "difference", "positions"),
        [
            ("final score of the seat", _told(found.score, signed=True), len(found.played)),
            ("its share of the win", _told(found.win_share, signed=True), len(found.played)),
        ],
    )
    say(
        f"\n{found.played[0].n} continuations from each of {len(found.played)} positions; the 95 % intervals rest on "
        f"the positions; at {found.differing.estimate:.0%} of them anything changed"
    )
    if found.skipped:
        game, why = next(iter(found.skipped.items()))
        say(f"{len(found.skipped)} games left out, the first: game {game}: {why}")


def review(
    run: RunArgument,
    game: Annotated[int, typer.Argument(metavar="GAME", min=0, help="Number of the game.")],
    *,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            metavar="X",
            help="Strategy of all seats in the playouts that value a position: greedy, in games without dice noisy.",
        ),
    ] = None,
    effort: Annotated[
        float, typer.Option("--effort", metavar="F", min=0.1, max=100, help="Multiplies the playouts.")
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", metavar="SEED", min=0, help="Seed of the playouts.")] = 0,
    every: Annotated[
        bool, typer.Option("--all", help="List every decision and roll, not only what mattered.")
    ] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Value every decision and every roll of a game.

    What was given away, and what luck brought.
    """
    from pipelines.review import review as look

    found = library(data).run(run)
    _compile(found, quiet=quiet)
    started = time.monotonic()
    with _telling("review", found.game(game).plies + 1, "plies", quiet=quiet) as tell:

        def progress_(done: int, _plies: int) -> bool:
            tell(done)
            return True

        reviewed = look(found, game, policy=policy, seed=seed, effort=effort, progress=progress_)
    if reviewed is None:
        raise AssertionError("nobody stopped it")
    if as_json:
        print_json(reviewed.document())
    else:
        _show_review(found, reviewed, every=every)
        say(f"\n{duration(time.monotonic() - started)}, playouts by {reviewed.policy}, seed {seed}")


WORTH_TELLING: Final = frozenset({"inaccuracy", "mistake", "blunder"})


def _show_review(run: "Run", found: "Review", *, every: bool) -> None:
    names = [seat.strategy for seat in run.seats(found.game_id)]
    rows = []
    for seat, name in enumerate(names):
        points, counts = found.ledger(seat), found.counts(seat)
        cells = (points.start, points.luck, points.own, points.others)
        rows.append(
            (seat, name, *(f"{value:+.1f}" for value in cells), f"{points.result:g}", *counts.values())
        )
    print_table(
        (
            "seat",
            "strategy",
            "start",
            "luck",
            "own",
            "others",
            "result",
            "best",
            "good",
            "inaccuracy",
            "mistake",
            "blunder",
        ),
        rows,
    )
    say("start + luck + own decisions + others' decisions = result, in points\n")
    decisions = [one for one in found.decisions if every or one.judged in WORTH_TELLING]
    if not decisions:
        say("no inaccuracy, mistake or blunder that the intervals support")
        return
    print_table(
        ("ply", "seat", "options", "chosen", "class", "win chance lost", "points lost", "better"),
        [
            (
                one.ply,
                one.seat,
                one.options,
                one.chosen.notation,
                one.judged,
                _told(one.lost_wins),
                _told(one.lost_points),
                one.best.notation if one.best.action != one.chosen.action else "",
            )
            for one in decisions
        ],
    )
    if every:
        say()
        print_table(
            ("ply", "roll", *(f"luck of seat {seat}" for seat in range(len(names)))),
            [(one.ply, one.notation, *(f"{value:+.1f}" for value in one.luck_points)) for one in found.rolls],
        )
