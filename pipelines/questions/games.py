"""Which games of the library are remarkable: the question, its orders and conditions, and the games that come first.

Points, moves and rounds of different games have nothing in common, so each game has an order of its own.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, NamedTuple

from pydantic import Field

from engine import games
from engine.errors import InvalidError
from pipelines.design.limits import (
    LISTED_GAMES,
    MAX_CONDITION_CHARACTERS,
    MAX_RANGE_END,
    MAX_STRATEGY_CHARACTERS,
)
from pipelines.design.titles import format_ruleset
from pipelines.questions.address import Question, describe_unknown, number_field
from pipelines.questions.game_sorts import CONDITION_COLUMNS, SORTS, SortKey
from pipelines.questions.measured import Basis
from pipelines.questions.scores.scope import find_distinct_runs
from pipelines.questions.source import QuestionSource
from pipelines.runs.query import answer_query
from pipelines.runs.reviews import CHOSEN_REVIEWS, GAME_LUCK, LuckCounts, widen_estimate
from pipelines.runs.schema import MAX_SEATS

if TYPE_CHECKING:
    import duckdb

    from engine.scene import Scene
    from pipelines.runs.run import Run
    from pipelines.statistics import Interval


class GamesQuestion(Question):
    """Games of the library in an order."""

    page: ClassVar[str] = "games"

    rulesets: Annotated[
        tuple[str, ...], Field(title="ruleset", description="Only games under this ruleset. Repeatable.")
    ] = ()
    runs: Annotated[
        tuple[str, ...], Field(title="run", description="Only games of this run. Repeatable.")
    ] = ()
    """All runs of whole games if empty."""
    sort: Annotated[SortKey, Field(title="order", description="What to sort by.")] = "score"
    is_lowest: Annotated[
        bool,
        Field(
            title="value of lowest",
            description="Begin with the other end: closest finish, shortest game, worst score.",
            alias="lowest",
        ),
    ] = False
    winner: Annotated[
        str, Field(title="winner", description="Only games that it won.", max_length=MAX_STRATEGY_CHARACTERS)
    ] = ""
    low: Annotated[
        int | None,
        Field(
            title="from",
            description="Only games in which a player scores at least N.",
            alias="from",
            ge=-MAX_RANGE_END,
            le=MAX_RANGE_END,
        ),
    ] = None
    high: Annotated[
        int | None,
        Field(
            title="to",
            description="Only games in which a player scores at most N.",
            alias="to",
            ge=-MAX_RANGE_END,
            le=MAX_RANGE_END,
        ),
    ] = None
    where: Annotated[
        str,
        Field(
            title="condition",
            description=f"Only games with this property, such as 'rounds < 12 AND margin = 1'. Columns: {CONDITION_COLUMNS}.",
            max_length=MAX_CONDITION_CHARACTERS,
        ),
    ] = ""
    only_logged: Annotated[
        bool,
        Field(
            title="value of logged",
            description="Only games that can be replayed, because their moves are logged.",
            alias="logged",
        ),
    ] = False
    limit: Annotated[
        int, number_field("number of games", LISTED_GAMES, "Maximum number of games to list of each game.")
    ] = LISTED_GAMES.default

    @property
    def order_title(self) -> str:
        """What the first game is, such as "best score"."""
        return SORTS[self.sort].smallest if self.is_lowest else SORTS[self.sort].largest

    @property
    def typed_sql(self) -> str:
        return self.where

    @property
    def title(self) -> str:
        where = ", ".join([*self.rulesets, *self.runs])
        return f"Games by {self.order_title}{f': {where}' if where else ''}"

    @property
    def command(self) -> str:
        words = ["reroll", "games", "--sort", self.sort, *(["--lowest"] if self.is_lowest else [])]
        options = {
            "--ruleset": self.rulesets,
            "--run": self.runs,
            "--winner": (self.winner,) if self.winner else (),
            "--from": () if self.low is None else (str(self.low),),
            "--to": () if self.high is None else (str(self.high),),
            "--where": (self.where,) if self.where else (),
        }
        words += [word for option, values in options.items() for value in values for word in (option, value)]
        words += ["--logged"] if self.only_logged else []
        return shlex.join(
            [*words, *(["--limit", str(self.limit)] if self.limit != LISTED_GAMES.default else [])]
        )


# ruff: noqa: S608 - the SQL is ours, but for the condition, which is asked with the limits of a query that a person writes


MAX_GAMES_SEARCHED: Final = 20_000
"""Games whose plies are read for comebacks and changes of the lead; they are spread over the runs."""
SORTS_BY_PLIES: Final[frozenset[SortKey]] = frozenset({"comeback", "lead"})
RECORDS: Final[tuple[tuple[SortKey, bool], ...]] = (
    ("score", False),
    ("margin", True),
    ("margin", False),
    ("comeback", False),
    ("lead", False),
    ("length", False),
    ("length", True),
    ("luck", False),
)
"""The orders of the hall of fame of a game, and whether the smallest number comes first."""

_DESCRIBED_SQL: Final = """
    SELECT run, game_id, ruleset, block, rounds, plies, logged, count(*) AS players, max(score) AS highest,
      min(score) AS lowest, abs(coalesce(max(score) FILTER (rank = 1) - max(score) FILTER (rank = 2), 0)) AS margin,
      string_agg(strategy, ', ' ORDER BY seat) FILTER (rank = 1) AS winners
    FROM games JOIN seats USING (run, game_id) GROUP BY ALL"""
_ENDS_SQL: Final = """
    searched AS MATERIALIZED (
      SELECT row_number() OVER () AS key, run, game_id, ruleset, rounds FROM fitting WHERE logged
      QUALIFY row_number() OVER (PARTITION BY run ORDER BY game_id) <= $searched),
    ends AS MATERIALIZED (
      SELECT key, round, seat, max(ply) AS ply, arg_max(score, ply) * if(any_value(lowest_wins), -1, 1) AS score
      FROM searched JOIN ply_rows USING (run, game_id) JOIN rulesets USING (run, ruleset)
      WHERE seat >= 0 GROUP BY ALL),
    scores AS (
      SELECT m.key, m.round, m.ply, s.seat,
        last_value(e.score IGNORE NULLS) OVER (PARTITION BY m.key, s.seat ORDER BY m.round) AS score
      FROM (SELECT key, round, max(ply) AS ply FROM ends GROUP BY ALL) AS m
      JOIN (SELECT key, seat FROM searched JOIN seats USING (run, game_id)) AS s USING (key)
      LEFT JOIN ends AS e USING (key, round, seat)),"""
"""The score of each seat after each round, higher the better."""
_KEYS_SQL: Final[dict[SortKey, str]] = {
    "game": "keys AS (SELECT run, game_id, game_id AS value, NULL AS seat, -1 AS ply FROM fitting)",
    "length": "keys AS (SELECT run, game_id, plies AS value, NULL AS seat, NULL AS ply FROM fitting)",
    "score": """
    results AS (
      SELECT run, game_id, score AS value, seat FROM seats {among_fitting}
      ORDER BY value {direction}, run, game_id LIMIT $results),
    keys AS (
      SELECT *, NULL AS ply FROM results
      QUALIFY row_number() OVER (PARTITION BY run, game_id ORDER BY value {direction}, seat) = 1)""",
    "luck": f"""
    {CHOSEN_REVIEWS}, counted AS (SELECT run, review, ruleset FROM chosen JOIN rulesets USING (run)), {GAME_LUCK},
    keys AS (SELECT run, game_id, edge AS value, seat, ply FROM edges JOIN deciding USING (run, review, game_id) {{among_fitting}})""",
    "margin": """
    keys AS (
      SELECT run, game_id, abs(max(score) FILTER (rank = 1) - max(score) FILTER (rank = 2)) AS value,
        min(seat) FILTER (rank = 1) AS seat, NULL AS ply
      FROM seats {among_fitting} GROUP BY ALL
      HAVING count(*) FILTER (rank = 1) = 1 AND value IS NOT NULL)""",
    "comeback": f"""{_ENDS_SQL}
    winners AS (
      SELECT key, any_value(rounds) AS rounds, min(seat) AS seat FROM searched JOIN seats USING (run, game_id)
      WHERE rank = 1 GROUP BY key HAVING count(*) = 1),
    deficits AS (
      SELECT key, p.round, w.seat, any_value(p.ply) AS ply,
        max(p.score) FILTER (p.seat <> w.seat) - max(p.score) FILTER (p.seat = w.seat) AS points
      FROM scores AS p JOIN winners AS w USING (key) WHERE p.round >= w.rounds / 2 GROUP BY ALL),
    found AS (
      SELECT key, max(points) AS value, any_value(seat) AS seat, first(ply ORDER BY points DESC, ply) AS ply
      FROM deficits GROUP BY key HAVING value > 0),
    keys AS (SELECT run, game_id, value, seat, ply FROM found JOIN searched USING (key))""",
    "lead": f"""{_ENDS_SQL}
    firsts AS (
      SELECT key, round, ply, seat FROM scores
      QUALIFY rank() OVER (PARTITION BY key, round ORDER BY score DESC NULLS LAST) = 1),
    leaders AS (
      SELECT key, round, ply, any_value(seat) AS seat FROM firsts GROUP BY ALL HAVING count(*) = 1),
    changes AS (
      SELECT key, ply, seat <> lag(seat) OVER (PARTITION BY key ORDER BY round) AS is_change FROM leaders),
    found AS (
      SELECT key, count(*) FILTER (is_change) AS value, max(ply) FILTER (is_change) AS ply FROM changes GROUP BY key),
    keys AS (SELECT run, game_id, value, NULL AS seat, ply FROM found JOIN searched USING (key))""",
}
"""The number that games are sorted by, with the seat and the ply that it is about; without a ply, it is about the end."""
_REVIEWED_SQL: Final = f"""
    {CHOSEN_REVIEWS} SELECT count(*) FROM fitting SEMI JOIN (SELECT run, game_id FROM rolls JOIN chosen USING (run, review)) USING (run, game_id)"""
_LUCK_SQL: Final = f"""
    WITH {CHOSEN_REVIEWS}, counted AS (SELECT run, review, ruleset FROM chosen JOIN rulesets USING (run) WHERE run = $run), {GAME_LUCK}
    SELECT roll, round, wins, edge_error, wins_error FROM turns JOIN edges USING (run, review, game_id)
    WHERE run = $run AND game_id = $game AND ply = $ply"""
_FITTING_SQL: Final = (
    "WITH fitting AS (SELECT run, game_id, ruleset, block, rounds, plies, logged FROM games {filters})"
)
_LIST_SQL: Final = """
    listed AS MATERIALIZED (
      SELECT run, game_id, value::DOUBLE AS value, seat, ply FROM keys ORDER BY value {direction}, run, game_id LIMIT $most)
    SELECT run, game_id, any_value(ruleset), any_value(rounds), any_value(plies), any_value(logged), any_value(value),
      any_value(l.seat), coalesce(any_value(l.ply), any_value(plies) - 1), list(strategy ORDER BY s.seat), list(score ORDER BY s.seat),
      list(rank ORDER BY s.seat)
    FROM listed AS l JOIN games USING (run, game_id) JOIN seats AS s USING (run, game_id)
    GROUP BY run, game_id ORDER BY any_value(value) {direction}, run, game_id"""


class GameLuck(NamedTuple):
    """How much more all rolls of a game gave to its luckiest seat than to the others, and the roll that added most to its share of the win."""

    interval: Interval
    """It holds for all players of all reviewed games of the same game, in all runs."""
    roll: str
    round: int
    wins: float
    wins_interval: Interval
    """It holds for all rolls of these games."""


@dataclass(frozen=True)
class ListedGame:
    """A game with the number that it was sorted by."""

    run: str
    game_id: int
    ruleset: str
    rounds: int
    plies: int
    is_logged: bool
    """Whether the game can be replayed."""
    value: float
    """The number that was asked, see `SORTS`."""
    seat: int | None
    """The seat that the number is about: who scored or won."""
    ply: int
    """The ply at whose end the number was reached: the last one, if it is about the result or the length; -1, the start, in the order of
    the games."""
    strategies: tuple[str, ...]
    """By seat, as are the scores and the ranks."""
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    luck: GameLuck | None = None
    """In the order by luck: what the number rests on."""

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats of the winners."""
        return tuple(seat for seat, rank in enumerate(self.ranks) if rank == 1)


@dataclass(frozen=True)
class GameRecord:
    """A game that comes first: in an order, or of its game."""

    title: str
    question: GamesQuestion
    """The question that it is the first answer to."""
    game: ListedGame


@dataclass(frozen=True)
class GamesAnswer:
    """The first games of an order, and the hall of fame of the games that fit."""

    question: GamesQuestion
    by_game: dict[str, tuple[ListedGame, ...]]
    """By the name of a game: those of its games that come first, if any fit."""
    fitting: int
    """Number of games that fit the question, each counted once."""
    searched: int
    """Number of these games that were searched."""
    basis: Basis
    has_whatifs_left_out: bool
    """Whether the library has games of what-ifs that would count if their runs were named."""
    ruleset_titles: Mapping[str, str]
    """What people call the rulesets of the games, by name."""
    records: tuple[GameRecord, ...] = ()
    scene: Scene | None = None
    """The first game to step through; None if it is not asked for or not logged."""

    @property
    def games(self) -> tuple[ListedGame, ...]:
        """All of them, game by game."""
        return tuple(chain(*self.by_game.values()))


def answer_games(question: GamesQuestion, source: QuestionSource) -> GamesAnswer:
    """Return the games that a question asks for, in each game as many as its `limit`; there may be none.

    Raises InvalidError for an unknown run or ruleset, and for a condition that DuckDB does not understand.
    """
    runs = find_runs_with_games(question, source)
    parameters: dict[str, Any] = {
        "most": question.limit,
        "results": question.limit * MAX_SEATS,
        "searched": max(1, MAX_GAMES_SEARCHED // max(1, len(runs))),
    }
    fitting = _write_fitting(question, parameters)
    counts = _ask(
        question,
        source,
        runs,
        f"{fitting} SELECT count(*), least(count(*) FILTER (logged), $searched) FROM fitting GROUP BY run",
        parameters,
    )
    total, searched = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    if question.sort == "luck":
        ((searched,),) = _ask(question, source, runs, f"{fitting}, {_REVIEWED_SQL}", parameters)
    elif question.sort not in SORTS_BY_PLIES:
        searched = total
    among = "" if fitting == _FITTING_SQL.format(filters="") else "SEMI JOIN fitting USING (run, game_id)"
    by_game: dict[str, tuple[ListedGame, ...]] = {}
    for name in sorted({run.summary.rulesets[0].game for run in runs}, key=games.list_order):
        played = [run for run in runs if run.summary.rulesets[0].game == name]
        is_best_first = question.sort == "score" and games.find_game(name).ruleset.lowest_wins
        direction = "ASC" if question.is_lowest != is_best_first else "DESC"
        listed = f"{_KEYS_SQL[question.sort]}, {_LIST_SQL}".replace("{among_fitting}", among).replace(
            "{direction}", direction
        )
        if rows := _ask(question, source, played, f"{fitting}, {listed}", parameters):
            listed_games = (ListedGame(*row[:9], *(tuple(items) for items in row[9:])) for row in rows)
            luck = source.count_luck(name) if question.sort == "luck" else None
            by_game[name] = tuple(
                replace(game, luck=_read_luck(game, source, played, luck)) if luck else game
                for game in listed_games
            )
    how = "have reviewed rolls" if question.sort == "luck" else "were searched"
    rulesets = tuple(dict.fromkeys(ruleset.name for run in runs for ruleset in run.summary.rulesets))
    basis = Basis(
        runs=tuple(run.name for run in runs),
        rulesets=question.rulesets or rulesets,
        games=total,
        left_out=((f"Only {searched:,} of {total:,} games {how}.",) if searched < total and searched else ()),
    )
    left_out = not question.runs and any(
        run.summary.is_whatif and _has_rulesets(run, question) for run in source.runs
    )
    titles = {ruleset.name: format_ruleset(ruleset) for run in runs for ruleset in run.summary.rulesets}
    return GamesAnswer(question, by_game, total, searched, basis, left_out, titles)


def answer_games_with_records(question: GamesQuestion, source: QuestionSource) -> GamesAnswer:
    """Return the games that a question asks for, with their hall of fame and the first one to step through."""
    answer = answer_games(question, source)
    first = next(iter(answer.games), None)
    return replace(
        answer,
        records=tuple(iter_records(answer, lambda best_question: answer_games(best_question, source))),
        scene=source.find_run(first.run).scene(first.game_id) if first and first.is_logged else None,
    )


def iter_records(answer: GamesAnswer, ask: Callable[[GamesQuestion], GamesAnswer]) -> Iterator[GameRecord]:
    """Yield what comes first in each of several games, or in each order of a single game, which `ask` answers."""
    if len(answer.by_game) > 1:
        for name, listed in answer.by_game.items():
            yield GameRecord(games.find_game(name).title, answer.question, listed[0])
        return
    for sort, is_lowest in RECORDS if answer.games else ():
        best_question = answer.question.model_copy(update={"sort": sort, "is_lowest": is_lowest, "limit": 1})
        for game in ask(best_question).games:
            yield GameRecord(best_question.order_title.capitalize(), best_question, game)


def find_remarkable_game(
    run: Run, sort: SortKey, source: QuestionSource | None = None, *, is_lowest: bool = False
) -> ListedGame | None:
    """Return the logged game of a run that comes first in an order; None if none does. Raises InvalidError for a damaged file."""
    question = GamesQuestion(runs=(run.name,), sort=sort, is_lowest=is_lowest, only_logged=True, limit=1)
    asking = replace(source or QuestionSource(), only=(run,))
    return next(iter(answer_games(question, asking).games), None)


def find_runs_with_games(question: GamesQuestion, source: QuestionSource) -> list[Run]:
    """Return the runs whose games count: no copies, and without a wish no continuations of what-ifs.

    Raises InvalidError for a run, a ruleset or a winner that the library does not have.
    """
    runs = source.find_runs(question.runs)
    known = {ruleset.name for run in runs for ruleset in run.summary.rulesets}
    for name in question.rulesets:
        if name not in known:
            raise InvalidError(describe_unknown("ruleset", name, "in these games").rstrip("."))
    if question.winner and question.winner not in {name for run in runs for name in run.summary.strategies}:
        raise InvalidError(describe_unknown("strategy", question.winner, "in these games").rstrip("."))
    chosen = [
        run for run in runs if (question.runs or not run.summary.is_whatif) and _has_rulesets(run, question)
    ]
    return find_distinct_runs(chosen)


def _has_rulesets(run: Run, question: GamesQuestion) -> bool:
    return not question.rulesets or any(ruleset.name in question.rulesets for ruleset in run.summary.rulesets)


def _write_fitting(question: GamesQuestion, parameters: dict[str, Any]) -> str:
    """Return the SQL of the games that fit, and set the values of its parameters."""
    filters = []
    if question.rulesets:
        filters.append(
            "SEMI JOIN (SELECT unnest($rulesets::VARCHAR::JSON::VARCHAR[]) AS ruleset) USING (ruleset)"
        )
        parameters["rulesets"] = json.dumps(question.rulesets)
    if question.winner:
        filters.append(
            "SEMI JOIN (SELECT run, game_id FROM seats WHERE rank = 1 AND strategy = $winner) USING (run, game_id)"
        )
        parameters["winner"] = question.winner
    if question.low is not None or question.high is not None:
        ends = [
            f"score {sign} ${name}"
            for name, sign in (("low", ">="), ("high", "<="))
            if getattr(question, name) is not None
        ]
        filters.append(
            f"SEMI JOIN (SELECT run, game_id FROM seats WHERE {' AND '.join(ends)}) USING (run, game_id)"
        )
        parameters |= {name: end for name in ("low", "high") if (end := getattr(question, name)) is not None}
    if question.where:
        filters.append(
            f"SEMI JOIN (SELECT run, game_id FROM ({_DESCRIBED_SQL}) WHERE ({question.where}\n)) USING (run, game_id)"
        )
    if question.only_logged:
        filters.append("WHERE logged")
    return _FITTING_SQL.format(filters=" ".join(filters))


def _ask(
    question: GamesQuestion,
    source: QuestionSource,
    runs: Sequence[Run],
    query: str,
    parameters: dict[str, Any],
) -> list[Any]:
    """Return the rows of a query. A condition that a person wrote is asked with the limits of a query in SQL."""
    used = {name: value for name, value in parameters.items() if f"${name}" in query}
    if not question.where:
        ask = source.query_reviews if question.sort == "luck" else source.query
        return ask(execute_query, runs, query, used)
    source.prepare(runs)
    try:
        return answer_query(runs, query, parameters=used).rows
    except InvalidError as error:
        raise InvalidError(
            f"the condition {question.where[:80]!r} cannot be used: {str(error).splitlines()[0]}; it may use the columns "
            f"{CONDITION_COLUMNS}"
        ) from None


def _read_luck(game: ListedGame, source: QuestionSource, runs: Sequence[Run], counts: LuckCounts) -> GameLuck:
    """Return what the luck of a listed game rests on; its intervals hold for all games at once."""
    (run,) = (run for run in runs if run.name == game.run)
    parameters = {"run": game.run, "game": game.game_id, "ply": game.ply}
    ((roll, round_number, wins, *errors),) = source.query_reviews(execute_query, [run], _LUCK_SQL, parameters)
    edge, of_wins = map(widen_estimate, (game.value, wins), errors, counts)
    return GameLuck(edge, roll, round_number, wins, of_wins)


def execute_query(connection: duckdb.DuckDBPyConnection, query: str, parameters: dict[str, Any]) -> list[Any]:
    """Return the rows of a query with its parameters."""
    return connection.execute(query, parameters).fetchall()
