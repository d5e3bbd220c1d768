"""The command that pins a strategy or a run, and the strategy that a comparison against the baseline plays."""

from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import InvalidError
from pipelines.cli.options import (
    DataOption,
    JsonOption,
    announce_new_folder,
    open_library,
    run_option,
    strategy_option,
)
from pipelines.cli.output import print_json, print_text

if TYPE_CHECKING:
    from pipelines.notes.baseline import Baseline
    from pipelines.runs.library import Library

HOW_TO_PIN = "reroll baseline --strategy NAME pins a strategy, reroll baseline --run RUN a run"


def baseline(
    *,
    strategy: Annotated[
        str | None, strategy_option("--strategy", "Pin a strategy, as rollout:playouts=64.", "NAME")
    ] = None,
    run: Annotated[str | None, run_option("Pin a run.")] = None,
    unpin: Annotated[bool, typer.Option("--unpin", help="Pin nothing.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the pinned baseline of the library, or pin another one. Lists of commands mark it."""
    from pipelines.notes.baseline import BaselineStore, find_strategy_name, run_baseline, strategy_baseline

    if (strategy is not None) + (run is not None) + unpin > 1:
        raise InvalidError("give one of --strategy NAME, --run RUN and --unpin")
    library = open_library(data)
    store = BaselineStore(library.folder)
    if unpin:
        store.unpin()
    elif run is not None:
        store.pin(run_baseline(library.run(run)))
    elif strategy is not None:
        played = {name for stored in library.runs() for name in stored.summary.strategies}
        announce_new_folder(library)
        store.pin(strategy_baseline(find_strategy_name(strategy, played)))
    _print_baseline(library, store.read_baseline(), as_json=as_json)


def find_baseline_strategy(library: "Library") -> str:
    """Return the name of the pinned strategy of a library; raise InvalidError if none is pinned."""
    from pipelines.notes.baseline import BaselineStore

    held = BaselineStore(library.folder).read_baseline()
    if held is None:
        raise InvalidError(f"--against-baseline: nothing is pinned; {HOW_TO_PIN}")
    if held.kind == "run":
        raise InvalidError(
            f"--against-baseline: the run {held.name!r} is pinned; pin a strategy with reroll baseline --strategy NAME"
        )
    return held.name


def _print_baseline(library: "Library", held: "Baseline | None", *, as_json: bool) -> None:
    found = held.find_run(library.runs()) if held else None
    name = found.name if found else held.name if held else None
    is_gone = held is not None and held.kind == "run" and found is None
    if as_json:
        print_json({"kind": held.kind, "name": name, "is_gone": is_gone} if held else None)
    elif held:
        print_text(f"the baseline is the {held.kind} {name}{', which is no longer here' if is_gone else ''}")
    else:
        print_text(f"nothing is pinned; {HOW_TO_PIN}")
