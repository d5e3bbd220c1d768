"""Running a cell twice: a run of the same name and the same design is found again and not played again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError
from engine.own_strategies import NOTEBOOK
from pipelines.exchange.import_games import ImportPlan, read_actions
from pipelines.runs.names import check_run_name, is_file_name, run_path, unfinished_path
from pipelines.runs.run import Run
from pipelines.runs.unfinished_run import UnfinishedRun
from pipelines.runs.versions import describe_other_strategies

if TYPE_CHECKING:
    from pipelines.design.design import Design


ADVICE: Final = "give another name, or replace=True"


def find_same_run(folder: Path, name: str, design: Design) -> Run | UnfinishedRun | None:
    """Return the run or the stopped run of this name and design, or None if the name is free.

    Raises InvalidError if the name belongs to a run of another design, of other rules or strategies, or to one that is being played.
    """
    check_run_name(name)
    path, partial = run_path(folder, name), UnfinishedRun(unfinished_path(folder, name))
    if path.exists():
        run = Run(path)
        _check_same_design(run, design)
        if run.versions.get("rules") != design.game.rules_version:
            raise InvalidError(f"the run {name!r} was played by another version of the rules; {ADVICE}")
        if others := describe_other_strategies(run.versions, design):
            raise InvalidError(
                f"the run {name!r} was played by other versions of its strategies ({others}); {ADVICE}"
            )
        return run
    if partial.folder.exists():
        _check_same_design(partial, design)
        if partial.is_running:
            raise InvalidError(f"the run {name!r} is being played by another process; wait until it is done")
        if others := partial.describe_other_versions():
            raise InvalidError(
                f"the run {name!r} was begun by other versions ({others}), so it cannot be finished; {ADVICE}"
            )
        return partial
    return None


def find_any_run(folder: Path, name: str) -> Run | UnfinishedRun | None:
    """Return the run or the unfinished run of a name, whatever its design is; None if no run has it."""
    path, partial = run_path(folder, name), UnfinishedRun(unfinished_path(folder, name))
    return Run(path) if path.exists() else partial if partial.folder.exists() else None


def find_seed(folder: Path, name: str | None) -> int | None:
    """Return the seed of the run or of the stopped run of a name, or None if no run has it."""
    if name is None or not is_file_name(name):
        return None
    run = find_any_run(folder, name)
    return run.design.seed if run else None


def check_same_games(run: Run, plan: ImportPlan) -> None:
    """Raise InvalidError if the games of a plan have other plies than those of an imported run."""
    if any(run.actions(number) != actions for number, actions in enumerate(read_actions(plan))):
        raise InvalidError(f"there is a run {run.name!r} already, with other games; {ADVICE}")


def _check_same_design(run: Run | UnfinishedRun, design: Design) -> None:
    """Raise InvalidError that names the differences if a run has another design."""
    document, other_document = json.loads(run.design.run_document), json.loads(design.run_document)
    if {key for key in document | other_document if document.get(key) != other_document.get(key)} == {"code"}:
        raise InvalidError(
            f"{_describe_other_code(run.design, design)} since the run {run.name!r} was played; {ADVICE}"
        )
    differences = [
        f"{key} {_shorten(document.get(key), value)}, not {_shorten(value, document.get(key))}"
        f"{f' (a block has {design.rotations} games)' if key == 'blocks' else ''}"
        for key, value in other_document.items()
        if document.get(key) != value
    ]
    if differences:
        raise InvalidError(
            f"there is a run {run.name!r} already, of another design: {'; '.join(differences)}; {ADVICE}"
        )


def _shorten(value: object, other: object) -> str:
    """Return a value as text; of a long one, the part in which it first differs from the other one.

    >>> _shorten("a" * 60 + "b", "a" * 60 + "c"), _shorten("short", "other")
    ('...aaaaaaaaaab"', '"short"')
    """
    text, other_text = json.dumps(value), json.dumps(other)
    same = next(
        (place for place, pair in enumerate(zip(text, other_text, strict=False)) if len({*pair}) > 1), 0
    )
    start = max(0, same - 10) if len(text) > 40 else 0
    return f"{'...' * (start > 0)}{text[start : start + 40]}{'...' * (len(text) > start + 40)}"


def _describe_other_code(before: Design, now: Design) -> str:
    """Return which code of the strategies of two designs is not the same."""
    known = {code.sha256 for code in before.code}
    changed = []
    for code in now.code:
        if code.sha256 not in known:
            name = re.search(r"(def|class)\s+(\w+)", code.source)
            changed.append(
                f"the {name[1].replace('def', 'function')} {name[2]}"
                if name
                else code.file.replace(NOTEBOOK, "the code")
            )
    return f"{' and '.join(changed) or 'the code'} {'have' if len(changed) > 1 else 'has'} changed"
