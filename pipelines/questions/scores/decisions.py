"""What decisions lost and what rolls gave, over all reviewed games: by round, piece, kind of move, roll, lead, strategy or player.

The reviews are those of `reroll review RUN --games` (`pipelines.runs.reviews`). Of several reviews of a run, the one with the most
playouts counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine.wording import format_count
from pipelines.design.short_names import base_name
from pipelines.design.titles import name_actions
from pipelines.experiments.fork import choose_quick_strategy
from pipelines.experiments.review_results import BAD_CLASSES, is_win_nearly_decided
from pipelines.questions.address import describe_unknown
from pipelines.questions.scores.distributions import compare_means, find_sign
from pipelines.questions.scores.scope import PlayedRuleset, ScoresScope, find_shared_luck
from pipelines.questions.scores.squares import choose_board
from pipelines.runs.reviews import CHOSEN_REVIEWS, GAME_LUCK, find_review, widen_estimate
from pipelines.statistics.intervals import ClusterSums, Interval, cluster_mean, cluster_share, hold_for_all
from pipelines.statistics.planning import MIN_BLOCKS

if TYPE_CHECKING:
    import duckdb

    from pipelines.questions.measured import Basis
    from pipelines.questions.scores.question import DecisionGrouping, ReviewMeasure, ScoresQuestion
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run

# ruff: noqa: S608 - the SQL is ours

MAX_LISTED: Final = 10
MAX_LISTED_OF_GROUP: Final = 50
"""Decisions, rolls or games that are listed, and those of a group that the question names."""
ROUND_SPANS: Final = 5
"""Groups of neighbouring rounds, about."""
PHASES: Final = ("first third", "middle third", "last third")
PER_GAME: Final[frozenset[ReviewMeasure]] = frozenset(("lost points", "lost wins", "luck"))
"""Measures that are summed over a game of a player; others are means over decisions."""
ROLL_GROUPINGS: Final[tuple[DecisionGrouping, ...]] = ("round", "phase", "roll", "strategy", "player")
"""By what luck can be grouped."""
PRESETS: Final[dict[str, tuple[ReviewMeasure, DecisionGrouping]]] = {
    "Where are points lost?": ("lost points", "round"),
    "With which pieces?": ("lost points", "piece"),
    "Where are wins lost?": ("lost wins", "round"),
    "Who slips how often?": ("slips", "strategy"),
    "Under pressure?": ("slips", "lead"),
    "Who is lucky?": ("luck", "player"),
    "When is there a choice?": ("choices", "round"),
}
"""Questions that people ask first, and what they ask for."""
_IS_SLIP: Final = f"class IN {BAD_CLASSES}"
_WORST_FIRST: Final = f"list_position({list(BAD_CLASSES)}, class) DESC, regret_wins DESC, regret_points"
"""The order of slips: the worst class first, whether it goes by wins or by points."""
_VALUES: Final[dict[ReviewMeasure, str]] = {
    "lost points": "regret_points",
    "lost wins": "regret_wins",
    "slips": f"({_IS_SLIP})::INTEGER",
    "luck": "luck_points",
    "choices": "choices",
}
_ORDERS: Final[dict[ReviewMeasure, tuple[str, str]]] = {
    "lost points": ("regret_points", "regret_points > 0"),
    "lost wins": ("regret_wins", "regret_wins > 0"),
    "slips": (_WORST_FIRST, _IS_SLIP),
    "luck": ("abs(luck_points)", "true"),
    "choices": ("choices", "true"),
}
"""In what order decisions or rolls are listed, and which are."""
_KEYS: Final[dict[DecisionGrouping, str]] = {
    "round": "(round // $step)::VARCHAR",
    "phase": "phase::VARCHAR",
    "piece": "coalesce(piece, kind)",
    "kind of move": "kind",
    "roll": "coalesce(roll, 'before the first roll')",
    "lead": "(sign(lead) * if(abs(lead) >= $step, 2, 1))::INTEGER::VARCHAR",
    "strategy": "strategy",
    "player": "seat::VARCHAR",
}


class DecisionGroup(NamedTuple):
    """What decisions of one kind lost, or what rolls gave."""

    key: str
    name: str
    n: int
    """Number of decisions or rolls."""
    blocks: int
    """Number of blocks that have some."""
    mean: Interval | None
    """Mean over games, or over decisions for other measures than `PER_GAME`; None for too few blocks. The intervals of the groups
    of a strategy hold for all of them at once, because people look for the one that stands out."""
    each: Interval | None
    """Mean over decisions or rolls, with such an interval."""


class ListedDecision(NamedTuple):
    """A decision or a roll of a group."""

    run: str
    game_id: int
    ply: int
    seat: int
    strategy: str
    played: str
    better: str
    """What people call the best action; empty for a roll, and if none was better."""
    judged: str
    """The class; empty for a roll."""
    judged_by: str
    """By what the class goes: wins, or points where the win was nearly decided; empty for a roll."""
    points: float
    wins: float
    points_interval: Interval
    """What it lost or gave, with an interval that holds for all decisions or rolls of the group, or of all groups, at once."""
    wins_interval: Interval
    """The same in shares of the win."""
    better_cells: tuple[int, ...] = ()
    """The squares that the best action covers on the board of the seat."""


class LuckyGame(NamedTuple):
    """How much more all rolls of a game gave to its luckiest player than to the others on average."""

    run: str
    game_id: int
    seat: int
    strategy: str
    luck: Interval
    """In points; the interval holds for all players of all reviewed games of the same game, in all runs."""
    others: tuple[str, ...]
    """The strategies of the other seats."""
    roll: str
    ply: int
    round: int
    """The roll that added most to the share of the win of the seat, its ply and its round."""
    wins: float
    """What it added."""
    wins_interval: Interval
    """The same with an interval that holds for all rolls of all reviewed games of the same game."""


@dataclass(frozen=True)
class DecisionsAnswer:
    """The means of a measure by group, for each strategy."""

    question: ScoresQuestion
    scope: ScoresScope
    ruleset: PlayedRuleset
    totals: Mapping[str, DecisionGroup]
    """By strategy: over all groups."""
    groups: Mapping[str, tuple[DecisionGroup, ...]]
    games: int
    """Number of reviewed games."""
    judges: tuple[str, ...]
    """Who played on in the reviews."""
    unreviewed: tuple[str, ...]
    """The runs without a review, which count for nothing."""
    basis: Basis
    slips: Mapping[tuple[str, str], tuple[int, ...]]
    """By strategy and key of a group: the numbers of inaccuracies, mistakes and blunders."""
    chosen: tuple[str, DecisionGroup] | None = None
    """The group that the question names, with its strategy, which is empty if those of all strategies are meant."""
    listed: tuple[ListedDecision, ...] | None = None
    """The decisions or rolls of the group that the question names, those that lost or gave most first. If it names none, the worst
    slips or the luckiest rolls of all groups, or None."""
    lucky_games: tuple[LuckyGame, ...] = ()
    """The games with the most one-sided rolls, if the question is about luck."""
    is_quick: bool = False
    """Whether the judges are the quick players of the ruleset."""
    ranking: tuple[str, str] | None = None
    """Two strategies whose results clearly differ, the better one first; None if there is no such pair."""
    problems: tuple[str, ...] = ()

    @property
    def has_reviews(self) -> bool:
        return bool(self.games)


def list_decision_groupings(question: ScoresQuestion) -> tuple[DecisionGrouping, ...]:
    """Return by what the measure of a question can be grouped."""
    return ROLL_GROUPINGS if question.measure == "luck" else tuple(_KEYS)


def answer_decisions(question: ScoresQuestion, scope: ScoresScope, source: QuestionSource) -> DecisionsAnswer:
    """Return the means of a measure by group under one ruleset. There may be none. Raises InvalidError for a damaged file."""
    ruleset = choose_board(question, scope)
    scope = scope.narrow(ruleset)
    runs = scope.runs
    reviewed = [run for run in runs if find_review(run)]
    if not reviewed:
        unreviewed = tuple(run.name for run in runs)
        return DecisionsAnswer(
            question, scope, ruleset, {}, {}, 0, (), unreviewed, scope.describe_basis(), {}
        )
    lucks = _number_lucks(reviewed)
    sums = source.query_reviews(sum_decisions, reviewed, question, ruleset.sha256, lucks)
    strategies = [name for name in scope.strategies if name in sums.totals]
    totals = {name: _make_group(question, sums, name, "", sums.totals[name]) for name in strategies}
    groups = {
        name: _order_groups(
            question,
            _widen([_make_group(question, sums, name, key, row) for key, row in sums.groups[name].items()]),
        )
        for name in strategies
    }
    counted = replace(scope, runs=tuple(reviewed))
    basis = counted.describe_basis(group.blocks for group in totals.values())
    left_out = list(basis.left_out)
    if sums.games < basis.games:
        left_out.append(f"{sums.games:,} of {format_count(basis.games, 'game')} are reviewed.")
    if len(reviewed) < len(runs):
        left_out.append(f"Left out: {format_count(len(runs) - len(reviewed), 'run')} without a review.")
    chosen = next(
        (
            ("" if question.only == group.name else name, group)
            for name, of_one in groups.items()
            for group in of_one
            if question.only in {group.name, name_chosen(group.name, scope.names[name])}
        ),
        None,
    )
    listed, lucky_games = None, tuple[LuckyGame, ...]()
    if chosen or (question.measure != "choices" and not question.only):
        who, key, number = "", "", sum(total.n for total in totals.values())
        if chosen:
            who, (key, _, number, *_) = chosen
        narrow = question.model_copy(update={"strategies": (who,) if who else question.strategies})
        rows = source.query_reviews(list_decisions, reviewed, narrow, ruleset.sha256, lucks, key, sums.step)
        listed = tuple(_name_listed(row, reviewed, number) for row in rows)
    if totals and question.measure == "luck":
        counts = source.count_luck(ruleset.game)
        games = source.query_reviews(list_lucky_games, reviewed, question, ruleset.sha256, lucks)
        lucky_games = tuple(
            LuckyGame(
                run,
                game_id,
                seat,
                strategies[seat],
                widen_estimate(edge, error, counts.edges),
                (*strategies[:seat], *strategies[seat + 1 :]),
                roll,
                ply,
                number,
                wins,
                widen_estimate(wins, wins_error, counts.rolls),
            )
            for run, game_id, seat, strategies, edge, error, roll, ply, number, wins, wins_error in games
        )
    return DecisionsAnswer(
        question,
        counted,
        ruleset,
        totals,
        groups,
        sums.games,
        sums.judges,
        tuple(run.name for run in runs if run not in reviewed),
        replace(basis, games=sums.games, left_out=tuple(left_out)),
        sums.slips,
        chosen,
        listed,
        lucky_games,
        problems=(describe_unknown("group", question.only, "in these games"),)
        if question.only and not chosen
        else (),
        is_quick={base_name(judge) for judge in sums.judges} == {_find_quick_judge(reviewed[0], ruleset)},
        ranking=_rank_strategies(counted, source),
    )


def name_chosen(group: str, strategy: str) -> str:
    """Return what people call a group of one strategy, and how the address names it.

    >>> name_chosen("rounds 1 to 4", "greedy"), name_chosen("greedy", "greedy")
    ('rounds 1 to 4 of greedy', 'greedy')
    """
    return group if group == strategy else f"{group} of {strategy}"


def _find_quick_judge(run: Run, ruleset: PlayedRuleset) -> str:
    """Return the quick player of a ruleset, without its settings."""
    return base_name(choose_quick_strategy(run.ruleset(ruleset.name)))


def _rank_strategies(scope: ScoresScope, source: QuestionSource) -> tuple[str, str] | None:
    """Return the better and the worse one of the best two strategies by their results, if these clearly differ."""
    comparison = next(iter(compare_means(replace(scope, seats=()), source)), None)
    if comparison is None or len(scope.rulesets) > 1 or not comparison.others or comparison.opposite_wins:
        return None
    other, difference = comparison.others[0]
    sign = find_sign(difference) * (-1 if scope.rulesets[0].lowest_wins else 1)
    pair = comparison.base.strategy, other.strategy
    return None if not sign else pair if sign > 0 else (pair[1], pair[0])


def _number_lucks(runs: Sequence[Run]) -> dict[str, int]:
    """Return a number for each run; runs that share the luck of blocks have the same one."""
    shared = find_shared_luck(runs)
    keys = {run.name: run.summary.played.luck if run in shared else f"of {run.name}" for run in runs}
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys.values()))}
    return {name: numbers[key] for name, key in keys.items()}


class GroupSums(NamedTuple):
    """Sums over the blocks that have decisions of a group."""

    blocks: int
    n: int
    n_squares: int
    total: float
    squares: float
    products: float
    """Sum over blocks of the total times the number of decisions."""
    game_products: float
    """Sum over blocks of the total times the number of games of the strategy."""


class DecisionSums(NamedTuple):
    """What the means of a measure are computed from."""

    totals: dict[str, GroupSums]
    groups: dict[str, dict[str, GroupSums]]
    """By strategy and key of the group."""
    seats: dict[str, tuple[int, int, int]]
    """By strategy: blocks, games (of each of its seats), and the sum of their squares over blocks."""
    slips: dict[tuple[str, str], tuple[int, ...]]
    """By strategy and key: the numbers of inaccuracies, mistakes and blunders."""
    games: int
    judges: tuple[str, ...]
    step: int
    """Rounds in a span, or the points of a large lead."""


_REVIEWED_SQL: Final = f"""
    WITH {CHOSEN_REVIEWS},
    lucks AS (SELECT unnest($runs) AS run, unnest($lucks) AS luck),
    counted AS MATERIALIZED (
      SELECT run, review, ruleset, luck FROM rulesets JOIN chosen USING (run) JOIN lucks USING (run) WHERE sha256 = $sha256)"""


def sum_decisions(
    con: duckdb.DuckDBPyConnection, question: ScoresQuestion, sha256: str, lucks: Mapping[str, int]
) -> DecisionSums:
    """Return the sums of a measure by strategy and group, over reviewed games; `lucks` are the numbers of `_number_lucks`."""
    values = {
        "runs": list(lucks),
        "lucks": list(lucks.values()),
        "sha256": sha256,
        "seats": list(question.seats),
    }
    among = "(len($seats) = 0 OR seat = ANY($seats))"
    games, judges = con.execute(
        f"{_REVIEWED_SQL} SELECT count(DISTINCT (run, game_id)), list(DISTINCT judge) FROM ledgers JOIN counted USING (run, review, ruleset) "
        "JOIN chosen USING (run, review)",
        {name: values[name] for name in ("runs", "lucks", "sha256")},
    ).fetchall()[0]
    step = _find_step(con, question, values)
    table = "rolls" if question.measure == "luck" else "decisions"
    key = _KEYS[question.grouping]
    parameters = {**values, "step": step} if "$step" in key else values
    seats = f"""seats_of AS MATERIALIZED (
        SELECT luck, block, strategy, count(*) AS size FROM ledgers JOIN counted USING (run, review, ruleset)
        WHERE {among} GROUP BY ALL)"""
    rows = con.execute(
        f"""{_REVIEWED_SQL}, {seats},
        sums AS MATERIALIZED (
          SELECT luck, block, strategy, {key} AS key, sum({_VALUES[question.measure]}::DOUBLE) AS total, count(*) AS n
          FROM {table} JOIN counted USING (run, review, ruleset) WHERE {among} GROUP BY ALL),
        every AS (
          FROM sums UNION ALL SELECT luck, block, strategy, NULL, sum(total), sum(n) FROM sums GROUP BY luck, block, strategy)
        SELECT strategy, key, count(*), sum(n)::BIGINT, sum(n * n)::BIGINT, round(sum(total), 6), round(sum(total * total), 6),
          round(sum(total * n), 6), round(sum(total * size), 6) FROM every JOIN seats_of USING (luck, block, strategy) GROUP BY ALL""",
        parameters,
    ).fetchall()
    counts = con.execute(
        f"{_REVIEWED_SQL}, {seats} SELECT strategy, count(*), sum(size)::BIGINT, sum(size * size)::BIGINT FROM seats_of GROUP BY ALL",
        values,
    ).fetchall()
    numbers = ", ".join(f"count(*) FILTER (class = '{judged}')" for judged in BAD_CLASSES)
    slips = (
        con.execute(
            f"{_REVIEWED_SQL} SELECT strategy, {key}, {numbers} FROM decisions JOIN counted USING (run, review, ruleset) "
            f"WHERE {among} GROUP BY ALL",
            parameters,
        ).fetchall()
        if question.measure == "slips"
        else []
    )
    groups: dict[
        str, dict[str, GroupSums]
    ] = {}  # of rounded sums: their last digits depend on the order of the rows
    for strategy, name, *sums in rows:
        if name is not None:
            groups.setdefault(strategy, {})[name] = GroupSums(*sums)
    return DecisionSums(
        {strategy: GroupSums(*sums) for strategy, name, *sums in rows if name is None},
        groups,
        {strategy: tuple(sums) for strategy, *sums in counts},
        {(strategy, name): tuple(classes) for strategy, name, *classes in slips},
        games,
        tuple(sorted(judges or ())),
        step,
    )


def _find_step(con: duckdb.DuckDBPyConnection, question: ScoresQuestion, values: Mapping[str, Any]) -> int:
    """Return the number of rounds in a span, or the points from which a lead is large: the median of those that are not 0."""
    known = {name: values[name] for name in ("runs", "lucks", "sha256")}
    if question.grouping == "round":
        query = "SELECT max(round) FROM decisions JOIN counted USING (run, review, ruleset)"
        (last,) = con.execute(f"{_REVIEWED_SQL} {query}", known).fetchall()[0]
        return math.ceil((1 + (last or 0)) / ROUND_SPANS)
    if question.grouping == "lead":
        query = "SELECT median(abs(lead)) FILTER (lead <> 0) FROM decisions JOIN counted USING (run, review, ruleset)"
        (middle,) = con.execute(f"{_REVIEWED_SQL} {query}", known).fetchall()[0]
        return max(2, math.ceil(middle or 0))
    return 1


def _make_group(
    question: ScoresQuestion, sums: DecisionSums, strategy: str, key: str, row: GroupSums
) -> DecisionGroup:
    blocks, games, squares = sums.seats[strategy]
    each_sums = ClusterSums(row.blocks, row.n, row.n_squares, row.total, row.squares, row.products)
    game_sums = ClusterSums(blocks, games, squares, row.total, row.squares, row.game_products)
    mean_of = cluster_share if question.measure == "slips" else cluster_mean
    each = mean_of(each_sums) if row.blocks >= MIN_BLOCKS else None
    mean = cluster_mean(game_sums) if row.blocks >= MIN_BLOCKS else None
    name = _name_group(question.grouping, key, sums.step) if key else ""
    return DecisionGroup(key, name, row.n, row.blocks, mean if question.measure in PER_GAME else each, each)


def _name_group(by: DecisionGrouping, key: str, step: int) -> str:
    """Return what people call a group."""
    if by == "round":
        first, last = int(key) * step + 1, (int(key) + 1) * step
        return f"rounds {first} to {last}" if step > 1 else f"round {first}"
    if by == "phase":
        return PHASES[int(key) - 1]
    if by == "player":
        return f"player {int(key) + 1}"
    if by == "lead":
        few = f"by 1 to {step - 1}" if step > 2 else "by 1"
        return {
            "-2": f"behind by {step} or more",
            "-1": f"behind {few}",
            "0": "level",
            "1": f"ahead {few}",
            "2": f"ahead by {step} or more",
        }[key]
    return key


def _widen(groups: Sequence[DecisionGroup]) -> list[DecisionGroup]:
    """Return the groups of a strategy with intervals that hold for all of them at once."""
    number = sum(group.mean is not None for group in groups)
    return [
        group._replace(
            mean=group.mean and hold_for_all(group.mean, number, group.blocks),
            each=group.each and hold_for_all(group.each, number, group.blocks),
        )
        for group in groups
    ]


def _order_groups(question: ScoresQuestion, groups: Sequence[DecisionGroup]) -> tuple[DecisionGroup, ...]:
    """Return groups in the order of the game, or those with the largest means first and rare ones last."""
    if question.grouping in {"round", "phase", "player", "lead"}:
        return tuple(sorted(groups, key=lambda group: int(group.key)))
    return tuple(
        sorted(groups, key=lambda group: (not group.mean, -(group.mean or (group.n,))[0], group.name))
    )


def list_decisions(  # noqa: PLR0913, PLR0917 - which decisions
    con: duckdb.DuckDBPyConnection,
    question: ScoresQuestion,
    sha256: str,
    lucks: Mapping[str, int],
    key: str,
    step: int,
) -> list[tuple[Any, ...]]:
    """Return the decisions of a group that lost most, or its rolls that gave or took most; without a key, those that lost most, the worst slips or the luckiest rolls of all groups."""
    expression = _KEYS[question.grouping] if key else "''"
    values = {
        "runs": list(lucks),
        "lucks": list(lucks.values()),
        "sha256": sha256,
        "seats": list(question.seats),
        "strategies": list(question.strategies),
        "key": key,
        "limit": MAX_LISTED_OF_GROUP if key else MAX_LISTED,
        **({"step": step} if "$step" in expression else {}),
    }
    is_luck = question.measure == "luck"
    lost = "luck_points, luck_wins" if is_luck else "regret_points, regret_wins"
    after = "NULL, NULL" if is_luck else "wins, best_wins"
    order, condition = _ORDERS[question.measure] if key or not is_luck else ("luck_points", "true")
    columns = "roll, NULL, NULL, NULL" if is_luck else "NULL, action, best_action, class"
    return con.execute(
        f"""{_REVIEWED_SQL} SELECT run, game_id, ply, seat, strategy, ruleset, {columns}, {lost}, points_error, wins_error, {after}
        FROM {"rolls" if is_luck else "decisions"} JOIN counted USING (run, review, ruleset)
        WHERE (len($seats) = 0 OR seat = ANY($seats)) AND (len($strategies) = 0 OR strategy = ANY($strategies)) AND {condition}
          AND {expression} = $key
        ORDER BY {order} DESC, run, game_id, ply LIMIT $limit""",
        values,
    ).fetchall()


def list_lucky_games(
    con: duckdb.DuckDBPyConnection, question: ScoresQuestion, sha256: str, lucks: Mapping[str, int]
) -> list[tuple[Any, ...]]:
    """Return the games with the most one-sided rolls, and the roll that decided each."""
    return con.execute(
        f"""{_REVIEWED_SQL}, {GAME_LUCK}
        SELECT run, game_id, any_value(l.seat), list(s.strategy ORDER BY s.seat), any_value(edge), any_value(edge_error),
          any_value(roll), any_value(ply), any_value(round), any_value(turns.wins), any_value(wins_error)
        FROM edges AS l JOIN deciding USING (run, review, game_id) JOIN turns USING (run, review, game_id, ply)
        JOIN ledgers AS s USING (run, review, game_id)
        GROUP BY run, game_id
        HAVING (len($seats) = 0 OR any_value(l.seat) = ANY($seats))
          AND (len($strategies) = 0 OR any_value(s.strategy) FILTER (s.seat = l.seat) = ANY($strategies))
        ORDER BY any_value(edge) DESC, run, game_id LIMIT {MAX_LISTED}""",
        {
            "runs": list(lucks),
            "lucks": list(lucks.values()),
            "sha256": sha256,
            "seats": list(question.seats),
            "strategies": list(question.strategies),
        },
    ).fetchall()


def _name_listed(row: tuple[Any, ...], runs: Sequence[Run], number: int) -> ListedDecision:
    """Return a row of `list_decisions` with what people call its actions, and intervals as one of a `number` of decisions or rolls."""
    (
        run,
        game_id,
        ply,
        seat,
        strategy,
        ruleset,
        roll,
        action,
        best,
        judged,
        points,
        wins,
        *errors,
        share,
        best_share,
    ) = row
    of_points, of_wins = (widen_estimate(*pair, number) for pair in zip((points, wins), errors, strict=True))
    listed = ListedDecision(
        run, game_id, ply, seat, strategy, roll, "", "", "", points, wins, of_points, of_wins
    )
    if roll is not None:
        return listed
    rules = next(known for known in runs if known.name == run).ruleset(ruleset)
    names = name_actions(rules, dict.fromkeys((action, best)))
    return listed._replace(
        played=names[action],
        better="" if best == action else names[best],
        better_cells=() if best == action else tuple(rules.action(best).cells),
        judged=judged,
        judged_by="points" if is_win_nearly_decided(share, best_share) else "wins",
    )
