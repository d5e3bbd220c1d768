"""Verify the games of a run: play each logged game again by the plain rules and compare every value with the run file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from operator import ge, gt, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from engine import games
from engine.actions import CHANCE
from engine.errors import GameError
from pipelines.design.designs import read_design
from pipelines.runs.run import Run
from pipelines.simulate.compiled_games import begin_game
from pipelines.simulate.errors import VerificationFailed
from pipelines.statistics import win_shares

if TYPE_CHECKING:
    import duckdb

    from engine.state import State
    from pipelines.design.design import Design


class GameRows(NamedTuple):
    """The rows of one game in the run file, each as a tuple of its columns."""

    game: tuple[Any, ...]
    seats: list[tuple[Any, ...]]
    parts: list[tuple[Any, ...]]
    plies: list[tuple[Any, ...]]


def find_first_fault(path: Path, document: str, game_ids: Sequence[int]) -> str | None:
    """Verify the games of these numbers, which ascend; return the first fault, or None.

    `document` is the design as JSON. Workers call this function with a batch of games.
    """
    design = read_design(document, str(path))
    with Run(path).connect() as connection:
        batch = list(_iter_game_rows(connection, game_ids))
    for rows in batch:
        try:
            _check_game(design, rows)
        except VerificationFailed as fault:
            return f"game {rows.game[0] + 1}{fault}"
    return None


def _iter_game_rows(connection: duckdb.DuckDBPyConnection, game_ids: Sequence[int]) -> Iterator[GameRows]:
    """Yield the rows of these games."""

    def rows_by_game(table: str, order: str) -> dict[int, list[tuple[Any, ...]]]:
        rows = connection.execute(
            f"FROM {table} WHERE game_id >= ? AND game_id <= ? AND game_id IN (SELECT unnest(?)) ORDER BY {order}",
            [game_ids[0], game_ids[-1], list(game_ids)],
        ).fetchall()
        return {game: list(group) for game, group in groupby(rows, itemgetter(0))}

    game_rows = rows_by_game("games", "game_id")
    seats, plies = rows_by_game("seats", "game_id, seat"), rows_by_game("plies", "game_id, ply")
    parts = rows_by_game("file.main.parts", "game_id, seat, rowid")
    for game, rows in game_rows.items():
        yield GameRows(rows[0], seats.get(game, []), parts.get(game, []), plies.get(game, []))


def _check_game(design: Design, rows: GameRows) -> None:
    """Compare one game with the design and the rules. The messages of errors continue "game 17..."."""
    game_id, ruleset, block, rotation, rounds, plies, logged = rows.game
    check_equal(
        ": ruleset, block and rotation",
        (ruleset, block, rotation),
        (design.rules.name, *divmod(game_id, design.rotations)),
        "in the design",
    )
    check_equal(": logged", logged, design.is_logged(block), "in the design")
    _check_seats(design.labels_by_seat(rotation), rows, lowest_wins=design.rules.lowest_wins)
    if not logged:
        check_equal(": logged moves", len(rows.plies), 0, "in the design")
        return
    check_equal(": moves", len(rows.plies), plies, "in table games")
    end = _replay_logged_game(design, block, rotation, rows.plies)
    check_equal(": rounds", rounds, rows.plies[-1][2] + 1 if rows.plies else 0, "by its last move")
    _check_end(end, rows)


def _check_seats(strategies: Sequence[str], rows: GameRows, *, lowest_wins: bool) -> None:
    """Check the strategies of a game, and that its scores, ranks and win shares agree with each other.

    Equal scores may have different ranks, because a game may decide a tie by something else.
    """
    seated = list(enumerate(strategies))
    check_equal(": strategies", [(seat, name) for _, seat, name, *_ in rows.seats], seated, "in the design")
    totals = dict.fromkeys(range(len(seated)), 0)
    for _, seat, _, _, points in rows.parts:
        totals[seat] = totals.get(seat, 0) + points
    for _, seat, _, score, _, _ in rows.seats:
        check_equal(f", player {seat + 1}: score", score, totals[seat], "as the sum of its parts")
    ranks = [rank for *_, rank, _ in rows.seats]
    scores = [-score if lowest_wins else score for _, _, _, score, _, _ in rows.seats]
    for rank, score in zip(ranks, scores, strict=True):
        better, at_least_as_good = (sum(test(other, score) for other in scores) for test in (gt, ge))
        if not better < rank <= at_least_as_good:
            raise VerificationFailed(f": ranks: the file has {ranks}, which do not fit the scores")
    shares = [share for *_, share in rows.seats]
    check_equal(": win shares", shares, win_shares(ranks).tolist() if 1 in ranks else None, "by the ranks")


def _check_end(end: State, rows: GameRows) -> None:
    """Compare the results of a game with the end state of its replay."""
    scores = tuple(score for _, _, _, score, _, _ in rows.seats)
    check_equal(": scores", scores, end.scores, "by the rules")
    check_equal(": ranks", tuple(rank for *_, rank, _ in rows.seats), end.ranks, "by the rules")
    expected_parts = [
        (seat, part.part, part.count, part.points) for seat, parts in enumerate(end.parts) for part in parts
    ]
    for logged, expected in zip_longest((row[1:] for row in rows.parts), expected_parts):
        check_equal(": parts", logged, expected, "by the rules")


def _replay_logged_game(design: Design, block: int, rotation: int, plies: Sequence[tuple[Any, ...]]) -> State:
    """Play the logged actions and return the end state. Raises VerificationFailed at the first wrong ply."""
    luck, state = design.luck_of_block(block), games.start_state(design.rules)
    try:
        prefix = [ply.action for ply in begin_game(design, block, rotation)[1]]
    except GameError as error:
        raise VerificationFailed(f": its moves in the design: {error}") from None
    prefix_source = "by the parent game in the design" if design.has_parent_game else "by seed and block"
    for number, row in enumerate(plies):
        where, ply, action = f", move {number + 1}", row[1], row[5]
        check_equal(f"{where}: number", ply, number, "in order")
        if state.is_over:
            raise VerificationFailed(f"{where}: the game was over before")
        try:
            after, ply_action = state.play(action), state.ruleset.action(action)
        except GameError as error:
            raise VerificationFailed(f"{where}: {error}") from None
        is_of_parent = design.has_parent_game and number < len(prefix)
        if state.seat == CHANCE and design.has_luck_of_seed and not is_of_parent:
            drawn = state.ruleset.action(state.chance_outcome(luck)).notation
            check_equal(f"{where}: outcome", ply_action.notation, drawn, "by seed and block")
        if number < len(prefix):
            expected = state.ruleset.action(prefix[number]).notation
            check_equal(f"{where}: opening", ply_action.notation, expected, prefix_source)
        _check_ply(number, row, state, after)
        state = after
    if not state.is_over:
        raise VerificationFailed(f", move {len(plies) + 1}: the log ends, the game does not")
    return state


def _check_ply(number: int, row: tuple[Any, ...], before: State, after: State) -> None:
    """Compare the row of a ply with the states before and after it."""
    _, _, round_, seat, kind, action, options, score = row
    where, is_chance = f", move {number + 1}", before.seat == CHANCE
    check_equal(f"{where}: round", round_, before.round, "by the rules")
    check_equal(f"{where}: seat", seat, before.seat, "by the rules")
    check_equal(f"{where}: kind", kind, before.ruleset.action(action).kind, "by the rules")
    check_equal(f"{where}: options", options, None if is_chance else len(before.actions), "by the rules")
    check_equal(f"{where}: score", score, None if is_chance else after.scores[before.seat], "by the rules")


def check_equal(subject: str, in_file: object, expected: object, source: str) -> None:
    """Raise VerificationFailed if the value in the file is not the one that `source` ("by the rules") gives."""
    if in_file != expected:
        raise VerificationFailed(f"{subject}: the file has {in_file}, {source} it is {expected}")
