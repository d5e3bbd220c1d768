"""Where a note leads: the places of runs, games and plies, and the run of a note under the name that it has now."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from pipelines.design.short_names import short_names
from pipelines.notes.note import MAX_TITLE_CHARACTERS, NotePlace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pipelines.notes.note import Note, NoteKind
    from pipelines.questions.address import Address
    from pipelines.runs.run import Run

_KINDS_OF_PAGES: Final[tuple[tuple[str, str, NoteKind], ...]] = (
    ("scores", "rulesets", "chart"),
    ("scores", "runs", "chart"),
    ("strategies", "run", "comparison"),
    ("strategies", "ruleset", "comparison"),
    ("whatif", "run", "what-if"),
    ("rules", "ruleset", "rules"),
    ("sql", "sql", "question"),
    ("play", "seats", "hand"),
    ("library", "play", "simulation"),
)
"""What a page shows if its address has a key; without it the page shows something that changes with the library."""
PAGES_TO_KEEP: Final = {"replay", *(page for page, _, _ in _KINDS_OF_PAGES)} - {"library"}
"""Pages whose address can say what they show."""


def run_key(run: Run) -> str:
    """Return what identifies a run whatever its file is called and wherever it lies: copies have the same key.

    The moment at which it was sealed, to the microsecond, its seed and its command make it.
    """
    summary = run.summary
    parts = f"{summary.created_at.isoformat()}\n{summary.seed}\n{summary.command}"
    return hashlib.sha256(parts.encode()).hexdigest()[:32]


def place_of_run(run: Run) -> NotePlace:
    """Return the place of a whole run: a comparison on its own page, another run on the page Scores."""
    summary = run.summary
    if summary.is_comparison:
        return NotePlace("comparison", "strategies", {"run": [run.name]}, run_key(run))
    address = {"rulesets": [summary.rulesets[0].name], "runs": [run.name]}
    return NotePlace("what-if" if summary.is_whatif else "run", "scores", address, run_key(run))


def place_of_game(run: Run, game: int, ply: int | None = None) -> NotePlace:
    """Return the place of a game, or of a ply in it. Raises InvalidError if the run does not have it."""
    run.game(game)
    address = {"run": [run.name], "game": [str(game)]}
    if ply is None:
        return NotePlace("game", "replay", address, run_key(run))
    return NotePlace("ply", "replay", {**address, "ply": [str(ply)]}, run_key(run))


def place_of_address(page: str, address: Address, runs: Iterable[Run]) -> NotePlace | None:
    """Return the place of an address of the dashboard; None if it says nothing in particular."""
    named = {run.name: run for run in runs}
    names = [*address.get("run", ()), *address.get("runs", ())]
    run = named.get(names[0]) if len(names) == 1 else None
    kind = _kind_of_address(page, address)
    return None if kind is None else NotePlace(kind, page, address, run_key(run) if run else None)


def _kind_of_address(page: str, address: Address) -> NoteKind | None:
    if page == "replay" and "run" in address:
        return "ply" if address.get("ply", ["0"]) != ["0"] else "game"
    for shown, key, kind in _KINDS_OF_PAGES:
        if page == shown and key in address:
            return kind
    return None


def title_of_place(place: NotePlace) -> str:
    """Return the title that a note gets if nobody writes another.

    >>> title_of_place(NotePlace("ply", "replay", {"run": ["demo"], "game": ["3"], "ply": ["7"]}))
    'Move 8 of game 3 of demo'
    """
    first = {key: values[0] for key, values in place.address.items() if values}
    run = first.get("run", first.get("runs", ""))
    game = f"Game {first.get('game', '0')} of {run}"
    if place.kind == "ply":
        ply = first.get("ply", "0")
        move = (
            int(ply) + 1 if ply.isdecimal() else ply
        )  # plies are numbered from 0 in the log, for people from 1
        return f"Move {move} of {game[0].lower()}{game[1:]}"
    if place.kind == "game":
        return game
    if place.kind == "question":
        return " ".join(first.get("sql", "Question in SQL").split())[:80]
    if place.kind == "rules":
        return f"Rules of {first.get('ruleset', 'the games')}"
    kind = "Game by hand" if place.kind == "hand" else place.kind.capitalize()
    return f"{kind}: {_describe_subject(place, first, run)}"[:MAX_TITLE_CHARACTERS]


def _describe_subject(place: NotePlace, first: Mapping[str, str], run: str) -> str:
    """Return what a place is about; `first` holds the first value of each key of its address."""
    if place.kind == "hand":
        origin = f"from game {first.get('game', '0')} of {run}" if run else first.get("ruleset", "")
        return f"{origin}, {first.get('seats', '')}"
    if place.kind == "simulation" or (
        place.kind == "comparison" and not run
    ):  # a form; nothing is played yet
        lineup = " against ".join(short_names(place.address.get("lineup", ())).values())
        return f"{lineup or 'strategies'}, {first.get('ruleset', first.get('play', ''))}"
    return run or ", ".join(place.address.get("rulesets", ())) or "the library"


def names_by_key(runs: Iterable[Run]) -> dict[str, list[str]]:
    """Return the names of the runs of each key: several if a file was copied."""
    names: dict[str, list[str]] = {}
    for run in runs:
        names.setdefault(run_key(run), []).append(run.name)
    return names


def current_address(note: Note, names: Mapping[str, Sequence[str]]) -> Address | None:
    """Return the address of a note with the name that its run has now, by `names_by_key`; None if the run is gone.

    If the run was copied, the copy that has the noted name counts, else any.
    """
    if note.run_key is None:
        return note.address
    known = names.get(note.run_key)
    if not known:
        return None
    return {
        key: [values[0] if values[0] in known else known[0]]
        if key in {"run", "runs"} and len(values) == 1
        else values
        for key, values in note.address.items()
    }
