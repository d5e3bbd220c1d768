"""Maps of the squares of a board: how often, when and with which pieces strategies cover them, and the marks at the end of games.

Count the marks on the boards at the end of games: circles, crosses, gaps and cubes, for any game.
The counts come from scenes, which the plain rules compute slowly. So this module is run as a process of its own, which
writes its counts batch by batch: `python -m pipelines.questions.scores.squares RUN_FILE GAMES`.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, get_args

from engine import games
from engine.errors import GameError, InvalidError
from pipelines.questions.address import describe_unknown
from pipelines.questions.scores import rollup_sums
from pipelines.questions.scores.question import ScoresQuestion, SquareMapKind
from pipelines.questions.scores.rollup_sums import read_strategy_blocks
from pipelines.runs.run import Run
from pipelines.statistics import Interval, mean_interval, wilson

if TYPE_CHECKING:
    import duckdb

    from engine.scene import Scene, SceneBoard
    from pipelines.questions.measured import Basis
    from pipelines.questions.scores.scope import PlayedRuleset, ScoresScope
    from pipelines.questions.source import QuestionSource

MAX_GAMES_SAMPLED: Final = 5000
"""Games whose plies are read for maps that no roll-up holds."""
MAX_GAMES_DRAWN: Final = 240
"""Games that are replayed to their ends for maps of marks on the boards."""
MAX_BOARDS: Final = 4
GLYPHS: Final = {"Circles": "circle", "Crosses": "cross", "Gaps": "gap", "Cubes": "cube"}
"""The glyphs of the marks that maps of the ends of games show."""


@dataclass(frozen=True)
class SquareMap:
    """Numbers on the squares for one strategy: shares or mean rounds."""

    strategy: str
    squares: dict[int, Interval]
    """By square; squares without a number are left out. The intervals of shares hold for all squares at once."""
    n: int
    """Number of results."""
    blocks: int
    """Number of independent observations behind them."""
    coverings: Mapping[int, int] = field(default_factory=dict)
    """By square, for mean rounds: how many pieces covered it. A mean is over these, not over all results."""


class MapSample(NamedTuple):
    """The first logged games of a run, which a map counts."""

    run: str
    games: int
    planned: int
    """How many games the map will count."""
    blocks: int = 0
    """How many blocks they are; 0 for a map of marks, in which a game counts as one result."""


@dataclass(frozen=True)
class SquaresAnswer:
    """The maps of one board."""

    question: ScoresQuestion
    scope: ScoresScope
    ruleset: PlayedRuleset
    maps: tuple[SquareMap, ...]
    basis: Basis
    sample: MapSample | None = None
    """None for a map of all logged games."""
    board: Scene | None = None
    """The empty board; None if no plies were logged, so that nothing is known of its squares."""
    problems: tuple[str, ...] = ()


def choose_board(question: ScoresQuestion, scope: ScoresScope) -> PlayedRuleset:
    """Return the ruleset whose squares are shown."""
    return next((ruleset for ruleset in scope.rulesets if ruleset.label == question.board), scope.rulesets[0])


def list_logged_runs(ruleset: PlayedRuleset, scope: ScoresScope) -> list[Run]:
    """Return the runs that count and know the squares, newest first."""
    return [run for run in scope.runs_by_ruleset[ruleset.sha256] if run.summary.log != "scores"]


def list_mapped_strategies(scope: ScoresScope, logged: list[Run]) -> list[str]:
    """Return the strategies that have a map."""
    return [name for name in scope.strategies if any(name in run.summary.strategies for run in logged)][
        :MAX_BOARDS
    ]


def draw_empty_board(run: Run, sha256: str) -> Scene:
    """Return the scene of the first board of a game without plies under a ruleset of a run."""
    ruleset = next(ruleset for ruleset in run.rulesets.values() if ruleset.sha256 == sha256)
    scene = games.find_game(ruleset.game).scene(ruleset, [])
    return {**scene, "boards": scene["boards"][:1], "trays": []}


def list_map_kinds(question: ScoresQuestion, scope: ScoresScope) -> tuple[SquareMapKind, ...]:
    """Return the kinds of maps that the board has; those of marks if its game has several glyphs. None without logged plies."""
    ruleset = choose_board(question, scope)
    logged = list_logged_runs(ruleset, scope)
    if not logged:
        return ()
    glyphs = {mark["glyph"] for mark in draw_empty_board(logged[0], ruleset.sha256)["marks"].values()}
    distinct_glyphs = glyphs if len(glyphs) > 1 else set()
    return tuple(
        kind for kind in get_args(SquareMapKind) if kind not in GLYPHS or GLYPHS[kind] in distinct_glyphs
    )


def find_square_problems(
    question: ScoresQuestion, scope: ScoresScope, source: QuestionSource
) -> tuple[str, ...]:
    """Return a sentence on the kind of map and on the piece that a question names if the board has no such map."""
    kinds = list_map_kinds(question, scope)
    problems = []
    if kinds and question.map not in kinds:
        problems.append(describe_unknown("map", question.map, "of this board"))
    pieces = list_pieces(question, scope, source)
    if pieces and question.piece and question.piece.removeprefix("by ") not in pieces:
        problems.append(describe_unknown("piece", question.piece, "on this map"))
    return tuple(problems)


def answer_squares(
    question: ScoresQuestion, scope: ScoresScope, source: QuestionSource, marks: MarkCounts | None = None
) -> SquaresAnswer:
    """Return the maps of a board, none if no plies were logged.

    A map of marks has the `marks` counted so far. Without them it waits until all are counted, which takes seconds.
    """
    ruleset = choose_board(question, scope)
    scope = scope.narrow(ruleset)
    logged = list_logged_runs(ruleset, scope)
    if not logged:
        return SquaresAnswer(question, scope, ruleset, (), scope.describe_basis())
    strategies = list_mapped_strategies(scope, logged)
    sample = None
    if question.map in GLYPHS:
        counts = marks or _count_all_marks(logged[0])
        maps = map_marks(strategies, counts, question.map)
        sample = MapSample(
            logged[0].name, counts.games, planned=min(MAX_GAMES_DRAWN, logged[0].summary.games)
        )
    elif question.map == "Filled" and not scope.seats:
        piece = question.piece.removeprefix("by ")
        maps = _read_filled_maps(source, scope, logged, ruleset.sha256, piece, strategies)
    else:
        maps, sample = _read_sampled_maps(source, logged[0], question, scope, strategies)
    # maps of marks count games
    basis = scope.describe_basis(square_map.blocks for square_map in maps if question.map not in GLYPHS)
    board = draw_empty_board(logged[0], ruleset.sha256)
    if question.map != "When":
        maps = [_widen_shares(square_map, board["boards"][0]) for square_map in maps]
    return SquaresAnswer(question, scope, ruleset, tuple(maps), basis, sample, board)


def _widen_shares(square_map: SquareMap, board: SceneBoard) -> SquareMap:
    """Return a map of shares whose intervals hold for all squares of a board at once (Bonferroni)."""
    level, blocks = 1 - 0.05 / sum(fill is not None for fill in board["fills"]), square_map.blocks
    if not blocks:
        return square_map
    squares = {
        cell: wilson(share.estimate * blocks, blocks, level) for cell, share in square_map.squares.items()
    }
    return replace(square_map, squares=squares)


def _count_all_marks(run: Run) -> MarkCounts:
    """Return the marks of all games that maps of marks count."""
    *_, counts = iter_mark_counts(run.path, MAX_GAMES_DRAWN, lambda: False)
    return counts


def list_pieces(question: ScoresQuestion, scope: ScoresScope, source: QuestionSource) -> list[str]:
    """Return the names of the pieces that covered squares of the board, if the map can be of one piece."""
    ruleset = choose_board(question, scope)
    logged = list_logged_runs(ruleset, scope)
    if question.map != "Filled" or scope.seats or not logged:
        return []
    return source.query(covering_pieces, logged, ruleset.sha256)


def _read_filled_maps(  # noqa: PLR0913, PLR0917 - what is read, and the strategies
    source: QuestionSource,
    scope: ScoresScope,
    logged: list[Run],
    sha256: str,
    piece: str,
    strategies: list[str],
) -> list[SquareMap]:
    """Return the share of the results of all logged games in which each square was covered, from a roll-up."""
    n: Counter[str] = Counter()
    full = [run for run in logged if run.summary.log == "full"]
    for row in source.query(rollup_sums.score_counts, full, (sha256,), ()) if full else ():
        n[row.strategy] += row.results
    partly = [run for run in logged if run.summary.log != "full"]
    if partly:
        n.update(source.query(result_counts, partly, None, ()))
    blocks = read_strategy_blocks(scope, source)
    rows = source.query(covered_square_counts, logged, sha256, piece)
    return [
        map_shares(
            name,
            {row.cell: row.n for row in rows if row.strategy == name},
            n[name],
            blocks[sha256, name].count_units(n[name], scope.count_logged_blocks(sha256, name)),
        )
        for name in strategies
    ]


def map_shares(strategy: str, counts: Mapping[int, int], n: int, units: int) -> SquareMap:
    """Return the map of the shares of `n` results; `units` is the number of independent observations."""
    shares = {
        cell: wilson(min(1.0, count / n) * units, units) if n and units else Interval(math.nan, 0.0, 1.0)
        for cell, count in counts.items()
    }
    return SquareMap(strategy, shares, n, units)


def map_marks(strategies: list[str], counts: MarkCounts, kind: str) -> list[SquareMap]:
    """Return the maps of the marks of one kind at the ends of games.

    Games of a block share their luck; in so small a sample a game counts as one result.
    """
    maps = []
    for name in strategies:
        cells = {
            cell: count
            for (strategy, glyph, cell), count in counts.marks.items()
            if (strategy, glyph) == (name, GLYPHS[kind])
        }
        n = counts.results[name]
        maps.append(map_shares(name, cells, n, min(counts.games, n)))
    return maps


def _read_sampled_maps(
    source: QuestionSource, run: Run, question: ScoresQuestion, scope: ScoresScope, strategies: list[str]
) -> tuple[list[SquareMap], MapSample]:
    """Return maps from the first games of a run, and these games: first placements, mean rounds, or shares of some seats."""
    sample = source.query(first_games_sample, [run], MAX_GAMES_SAMPLED)
    which_plies = "first" if question.map == "First placement" else "all"
    rows = source.query(sampled_square_counts, [run], sample.end, scope.seats, which_plies)
    results = source.query(result_counts, [run], sample.end, scope.seats)
    maps = []
    for name in strategies:
        counts_of_strategy = [row for row in rows if row.strategy == name]
        n = results.get(name, 0)
        counts = {row.cell: row.n for row in counts_of_strategy}
        if question.map == "When":
            rounds = {row.cell: _mean_round(row, sample.blocks) for row in counts_of_strategy}
            maps.append(SquareMap(name, rounds, n, min(sample.blocks, n), counts))
        else:
            maps.append(map_shares(name, counts, n, min(sample.blocks, n)))
    return maps, MapSample(run.name, sample.games, sample.games, sample.blocks)


def _mean_round(row: SquareCount, blocks: int) -> Interval:
    """Return the mean round, counted from 1."""
    mean = 1 + row.rounds / row.n
    if row.n < 2:
        return Interval(mean, math.nan, math.nan)
    variance = max(0.0, (row.squares - row.rounds**2 / row.n) / (row.n - 1))
    return mean_interval(mean, math.sqrt(variance), min(blocks, row.n)) or Interval(mean, math.nan, math.nan)


class SquareCount(NamedTuple):
    """How often a strategy covered a square."""

    strategy: str
    cell: int
    n: int
    """Plies that covered it."""
    rounds: float
    """Sum of the rounds of these plies, counted from 0."""
    squares: float
    """Sum of the squared rounds."""


def covered_square_counts(con: duckdb.DuckDBPyConnection, sha256: str, piece: str) -> list[SquareCount]:
    """Count the plies that covered each square in all logged games, with the given piece or, if it is empty, any piece."""
    query = """SELECT strategy, cell, sum(t.plies)::BIGINT
       FROM squares AS t JOIN rulesets AS r ON r.run = t.run AND r.ruleset = t.ruleset
       WHERE r.sha256 = $sha256 AND ($piece = '' OR piece = $piece)
       GROUP BY ALL ORDER BY ALL"""
    rows = con.execute(query, {"sha256": sha256, "piece": piece}).fetchall()
    return [SquareCount(strategy, cell, n, 0.0, 0.0) for strategy, cell, n in rows]


def covering_pieces(con: duckdb.DuckDBPyConnection, sha256: str) -> list[str]:
    """Return the names of the pieces that covered squares."""
    query = """SELECT DISTINCT piece
       FROM squares AS t JOIN rulesets AS r ON r.run = t.run AND r.ruleset = t.ruleset
       WHERE r.sha256 = $sha256 AND piece IS NOT NULL ORDER BY ALL"""
    rows = con.execute(query, {"sha256": sha256}).fetchall()
    return [piece for (piece,) in rows]


class GameSample(NamedTuple):
    """The first logged games of a run; only whole blocks."""

    end: int
    """The games with a smaller number are in the sample."""
    games: int
    blocks: int


def first_games_sample(con: duckdb.DuckDBPyConnection, limit: int) -> GameSample:
    """Return a sample of about `limit` logged games of one run: whole blocks, from the first one on.

    Blocks differ only by their luck, so the first blocks are as good a sample as any others.
    """
    query = """SELECT coalesce(
         (SELECT game_id - rotation FROM games WHERE logged ORDER BY game_id LIMIT 1 OFFSET $most),
         (SELECT max(game_id) + 1 FROM games WHERE logged), 0)"""
    end = con.execute(query, {"most": limit}).fetchall()[0][0]
    row = con.execute(
        "SELECT count(*), count(DISTINCT block) FROM games WHERE logged AND game_id < ?", [end]
    ).fetchall()[0]
    return GameSample(int(end), *row)


def sampled_square_counts(
    con: duckdb.DuckDBPyConnection, end: int, seats: tuple[int, ...], which_plies: str
) -> list[SquareCount]:
    """Count the plies that covered each square in the games of one run with a number below `end`.

    `seats` are the seats that count; all if empty. With `which_plies` = "first", only the first ply of each seat that
    covers a square counts.
    """
    query = """WITH placed AS (
         SELECT game_id, seat, ply, round, action FROM ply_rows
         WHERE game_id < $end AND seat >= 0 AND (len($seats) = 0 OR seat = ANY($seats))
           AND action IN (SELECT action FROM actions WHERE len(cells) > 0)),
       wanted AS (
         FROM placed WHERE $counted != 'first'
         UNION ALL
         SELECT game_id, seat, min(ply), arg_min(round, ply), arg_min(action, ply)
         FROM placed WHERE $counted = 'first' GROUP BY game_id, seat),
       counted AS (
         SELECT strategy, action, round, count(*) AS n
         FROM wanted JOIN (SELECT game_id, seat, strategy FROM seats WHERE game_id < $end) USING (game_id, seat)
         GROUP BY ALL),
       spread AS (
         SELECT strategy, round, n, unnest(cells) AS cell FROM counted JOIN actions USING (action))
       SELECT strategy, cell, sum(n)::BIGINT, sum(n * round)::DOUBLE, sum(n * round * round)::DOUBLE
       FROM spread GROUP BY ALL ORDER BY ALL"""
    rows = con.execute(query, {"end": end, "seats": list(seats), "counted": which_plies}).fetchall()
    return [SquareCount(*row) for row in rows]


def result_counts(con: duckdb.DuckDBPyConnection, end: int | None, seats: tuple[int, ...]) -> dict[str, int]:
    """Count the results of each strategy in the logged games with a number below `end`, all if it is None.

    `seats` are the seats that count; all if empty.
    """
    query = """SELECT strategy, count(*) FROM seats JOIN (SELECT run, game_id FROM games WHERE logged) USING (run, game_id)
       WHERE ($end IS NULL OR game_id < $end) AND (len($seats) = 0 OR seat = ANY($seats))
       GROUP BY ALL ORDER BY ALL"""
    rows = con.execute(query, {"end": end, "seats": list(seats)}).fetchall()
    return dict(rows)


def logged_games(con: duckdb.DuckDBPyConnection, limit: int) -> list[int]:
    """Return the numbers of the first `limit` logged games of one run."""
    rows = con.execute("SELECT game_id FROM games WHERE logged ORDER BY game_id LIMIT ?", [limit]).fetchall()
    return [game for (game,) in rows]


GAMES_PER_BATCH: Final = 40
"""Games between two lines of output."""


@dataclass
class MarkCounts:
    """The marks on the squares of the boards at the end of some games."""

    games: int = 0
    results: Counter[str] = field(default_factory=Counter)
    """By strategy: the number of boards."""
    marks: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    """By strategy, glyph and square: the number of boards."""

    def add(self, other: MarkCounts) -> None:
        """Add the counts of another sample."""
        self.games += other.games
        self.results.update(other.results)
        self.marks.update(other.marks)


def count_marks(scene: Scene) -> MarkCounts:
    """Count the marks on the boards at the end of a game. On a shared board a mark counts for the seat that made it."""
    strategies = scene["strategies"]
    last: dict[tuple[int, int], tuple[str, str]] = {}
    for step in scene["steps"]:
        for at, cell, mark in step["paint"]:
            seat = scene["boards"][int(at)]["seat"]
            seat = step["seat"] if seat is None else seat
            if seat >= 0:
                last[int(at), int(cell)] = strategies[seat], scene["marks"][str(mark)]["glyph"]
    marks = Counter((strategy, glyph, cell) for (_, cell), (strategy, glyph) in last.items())
    return MarkCounts(1, Counter(strategies), marks)


def iter_mark_counts(path: Path, games: int, stopped: Callable[[], bool]) -> Iterator[MarkCounts]:
    """Yield the counts of more and more of the first logged games of a run, each time as a new object.

    `multiprocessing` cannot start the process: it would run the page, which Streamlit makes the main module. Raises
    InvalidError if a game cannot be drawn.
    """
    command = [sys.executable, "-P", "-m", "pipelines.questions.scores.squares", str(path), str(games)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - a constant command
        try:
            for line in process.stdout or ():
                yield _read_mark_counts(line)
                if stopped():
                    return
            if process.wait():
                complaint = (process.stderr.read() if process.stderr else "").strip().splitlines()
                raise InvalidError(complaint[-1] if complaint else f"{path}: its games cannot be drawn")
        finally:
            process.kill()


def _write_mark_counts(counts: MarkCounts) -> str:
    marks = [[*key, count] for key, count in counts.marks.items()]
    return json.dumps({"games": counts.games, "results": counts.results, "marks": marks})


def _read_mark_counts(line: str) -> MarkCounts:
    document = json.loads(line)
    marks = Counter({(name, glyph, cell): count for name, glyph, cell, count in document["marks"]})
    return MarkCounts(document["games"], Counter(document["results"]), marks)


def main(path: str, games: str) -> None:
    """Write the counts of more and more games, a line of JSON for each batch: the process of `iter_mark_counts`."""
    run = Run(Path(path))
    with run.connect() as connection:
        numbers = logged_games(connection, int(games))
    counts = MarkCounts()
    for done, game in enumerate(numbers, start=1):
        counts.add(count_marks(run.scene(game)))
        if done % GAMES_PER_BATCH == 0 or done == len(numbers):
            sys.stdout.write(f"{_write_mark_counts(counts)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except GameError as error:
        sys.exit(str(error))
