"""What a logged game looks like: its result, its replay, and its review, which says where the results came from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

from engine.actions import CHANCE
from engine.strategies import find_opponent
from engine.wording import capitalise, player_label
from pipelines.design.metrics import DecisionMeasure
from pipelines.design.people import PERSON, is_person
from pipelines.design.short_names import base_name, short_names
from pipelines.design.titles import name_legal_actions, name_match
from pipelines.experiments.fork import choose_quick_strategy
from pipelines.experiments.review import build_review_document
from pipelines.experiments.review_results import (
    BAD_CLASSES,
    DECISION_CLASSES,
    POINT_THRESHOLDS,
    WIN_THRESHOLDS,
    Decision,
    Review,
)
from pipelines.questions.game import EVERY_PLAYER, GameAnswer
from pipelines.report.charts import Estimate, Lines
from pipelines.report.estimates import format_interval, write_interval_text
from pipelines.report.lesson import compose_lesson
from pipelines.report.runs import list_run_facts
from pipelines.report.sheet import FindLooks, Part, Passage, Replay, Sheet
from pipelines.report.table import Cell, Table, make_table
from pipelines.report.told_game import NO_STORY, NOT_TOLD_YET, STORY_TITLE, tell_game, write_moment
from pipelines.report.wording import format_count, format_run_title, join_words
from pipelines.statistics import Interval
from pipelines.viewer.palette import seat_looks

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.summary import Seat

LEDGER_COLUMNS: Final = ("start", "luck", "own", "others", "result")
LEDGER_FORMATS: Final = (".1f", "+.1f", "+.1f", "+.1f", "g")
BAD_DECISIONS: Final = "Inaccuracies, mistakes and blunders"
NO_BAD_DECISION: Final = "no inaccuracy, mistake or blunder that the intervals support"


def compose_game(answer: GameAnswer, _: FindLooks) -> Sheet:
    """Return the sheet of a game that opens after a ply, with its review, which may still be in progress."""
    if answer.lesson:
        return compose_lesson(answer, answer.lesson)
    question, run, step, review = answer.question, answer.run, answer.step, answer.review
    match = name_match(answer.ruleset, [seat.strategy for seat in answer.seats])
    result = write_result(answer.seats, lowest_wins=answer.ruleset.lowest_wins)
    account = compose_account(answer, review, question.measure) if review else None
    sentences = [account.line] if account else []
    sentences += [step["caption"], result] if step else [result]
    replay = Replay(
        f"Replay of a game of {match}",
        answer.scene,
        step["ply"] if step else None,
        write_review_document(answer),
        run.name,
        question.game,
    )
    return Sheet(
        kind="move" if step else "game",
        title=question.describe(match) if step else f"A game of {match}",
        verdict=sentences[0],
        consequences=tuple(sentences[1:]),
        basis=describe_basis(answer),
        parts=(
            Part("moves", replay),
            *((Part("sides", account.table),) if account else ()),
            *(_list_review_parts(answer, review) if review else ()),
        ),
        facts=list_run_facts(run, question.game),
        commands=tuple(dict.fromkeys((run.summary.command, question.show_command, question.command))),
        fields={
            "run": run.name,
            "game_id": question.game,
            "ruleset": answer.ruleset.name,
            "players": [_describe_seat(seat, review, question.measure) for seat in answer.seats],
            **(_write_review_fields(answer, review) if review else {}),
        },
    )


def _write_review_fields(answer: GameAnswer, review: Review) -> dict[str, Any]:
    """Return a review as JSON data, with the round and the strategy of each decision."""
    document = review.as_json()
    rounds = {step["ply"]: step["round"] for step in answer.scene["steps"]}
    document["decisions"] = [
        {
            "ply": decision["ply"],
            "round": rounds[decision["ply"]],
            "seat": decision["seat"],
            "strategy": answer.seats[decision["seat"]].strategy,
            **decision,
        }
        for decision in document["decisions"]
    ]
    return document


def _describe_seat(seat: Seat, review: Review | None, by: DecisionMeasure) -> dict[str, Any]:
    """Return a seat as JSON data, with its decisions of each class, its losses and its luck if the game is reviewed."""
    if review is None:
        return asdict(seat)
    means = {
        "lost_points_per_decision": review.loss_per_decision(seat.seat, "points"),
        "lost_wins_per_decision": review.loss_per_decision(seat.seat),
        "luck_points": review.total_luck(seat.seat, "points"),
        "luck_wins": review.total_luck(seat.seat),
    }
    return asdict(seat) | {**review.class_counts(seat.seat, by)} | means


class ReviewAccount(NamedTuple):
    """What a review says first: what each player did wrong."""

    line: str
    """What all players lost, such as `You lost 5.6 wins of 100 a move: 3 mistakes \N{MIDDLE DOT} Easy lost 0.4: no slip`."""
    table: Table
    """A row for each player."""
    narrow: dict[str, Any]
    """The table beside a board, as JSON data: without luck, which has a table of its own there, and with the unit in its foot."""


def compose_account(answer: GameAnswer, review: Review, by: DecisionMeasure) -> ReviewAccount:
    """Return the account of the players of a game, judged by a measure. A review in progress counts what is judged so far."""
    names = name_sides(answer.ruleset.game, [seat.strategy for seat in answer.seats])
    unit, scale = ("points", 1) if by == "points" else ("wins of 100", 100)
    sides: list[str] = []
    late, rows, narrow = [], [], []
    for seat, name in enumerate(names):
        counts = review.class_counts(seat, by)
        lost, luck = review.loss_per_decision(seat, by), review.total_luck(seat, by)
        decided = by == "win" and sum(
            decision.seat == seat and decision.win_nearly_decided and decision.judged in BAD_CLASSES
            for decision in review.decisions
        )
        amount = f" lost {lost.estimate * scale:.1f}{'' if sides else f' {unit} a move'}" if lost else ""
        slips = [format_count(counts[judged], judged) for judged in BAD_CLASSES if counts[judged]]
        in_time = f" ({decided} with the win nearly decided)" if decided else ""
        sides.append(f"{name}{amount}: {', '.join(slips) + in_time or 'no slip'}")
        late += [f"{name} {decided}"] if decided else []
        row: dict[str, Cell] = {"player": seat + 1, "name": name}
        row |= {format_count(2, judged).removeprefix("2 "): counts[judged] for judged in BAD_CLASSES}
        row[f"lost per move, {unit}"] = format_interval(lost, scale=scale) if lost else None
        if CHANCE in review.seats:
            row[f"luck, {unit}"] = format_interval(luck, scale=scale, signed=True) if luck else None
        rows.append(row)
        half = (
            f" \N{PLUS-MINUS SIGN}{(lost.high - lost.estimate) * scale:.1f}"
            if lost and lost.high > lost.estimate
            else ""
        )
        in_short = f"{lost.estimate * scale:.1f}{half}" if lost else None
        narrow.append([name, *(counts[judged] for judged in BAD_CLASSES), in_short])
    table = make_table(
        "The account of both sides" if len(names) == 2 else "The account of all sides",
        rows,
        "Lost per move: what the player gave away on average where there was a choice. Ranges are 95 % intervals.",
    )
    return ReviewAccount(
        ("" if review.is_done else "so far \N{MIDDLE DOT} ") + " \N{MIDDLE DOT} ".join(sides),
        table,
        {
            "title": table.title,
            "columns": ["" if review.is_done else "so far", *table.columns[2:5], "lost per move"],
            "rows": narrow,
            "caption": f"In {unit}; \N{PLUS-MINUS SIGN} is half a 95 % interval."
            + (f" Slips with the win nearly decided: {', '.join(late)}." if late else ""),
        },
    )


def name_sides(game: str, labels: Sequence[str]) -> list[str]:
    r"""Return what the players of a game are called side by side: you, how strong they are against you, or their strategies.

    >>> name_sides("bloxx", ["me", "greedy"]), name_sides("bloxx", ["greedy", "random"])
    (['You', 'Medium'], ['Greedy', 'Random'])
    >>> name_sides("bloxx", ["me:name=\"Anna\"", "me", "greedy", "greedy"])
    ['Anna', 'Player 2', 'Medium (player 3)', 'Medium (player 4)']
    """
    people = [seat for seat, label in enumerate(labels) if is_person(label)]
    short = short_names(labels)
    names = []
    for seat, label in enumerate(labels):
        opponent = find_opponent(game, label) if people else None
        own_name = player_label(label)
        if seat in people:
            names.append(
                "You" if len(people) == 1 else f"Player {seat + 1}" if own_name == PERSON else own_name
            )
        else:
            names.append(capitalise(opponent.strength if opponent else short[label]))
    return [
        f"{name} (player {seat + 1})" if names.count(name) > 1 else name for seat, name in enumerate(names)
    ]


def write_review_document(answer: GameAnswer, error: str = "") -> dict[str, Any] | None:
    """Return the review as the replay draws it; `error` says why it cannot be finished. None without a review.

    It has the account by each measure, and the player whose slips are listed.
    """
    review, question = answer.review, answer.question
    if review is None:
        return None
    measures: tuple[DecisionMeasure, ...] = get_args(DecisionMeasure)
    return build_review_document(review, answer.ruleset, answer.scene, error=error) | {
        "accounts": {measure: compose_account(answer, review, measure).narrow for measure in measures},
        "stories": {
            measure: [
                [moment.ply, f"{capitalise(moment.text)}."] for moment in tell_game(answer, review, measure)
            ]
            for measure in measures
        },
        "players": name_playout_players(review, answer.ruleset),
        "people": [seat.seat for seat in answer.seats if is_person(seat.strategy)],
        "only": None if question.only_player == EVERY_PLAYER else question.only_player,
    }


def _list_review_parts(answer: GameAnswer, review: Review) -> Iterator[Part]:
    """Yield the bad decisions, where the results came from, and every decision and roll."""
    by, strategies = answer.question.measure, [seat.strategy for seat in answer.seats]
    only = answer.question.only_player
    mistakes = decision_table(review, by, only=only, ruleset=answer.ruleset)
    if mistakes.rows:
        yield Part("mistakes", mistakes, numbers=decision_table(review, by, only=only))
    else:
        so_far = "" if review.is_done else " so far"
        yield Part("mistakes", Passage(mistakes.title, (("", f"{NO_BAD_DECISION}{so_far}"),)))
    moments = tuple(map(write_moment, tell_game(answer, review, by)))
    yield Part(
        "story", Passage(STORY_TITLE, moments or (("", NO_STORY if review.is_done else NOT_TOLD_YET),))
    )
    # On pages, the replay shows where the results came from, too.
    yield Part("account", ledger_table(review, strategies, by), "details")
    yield Part("decisions", decision_table(review, by, every=True), "details")
    yield Part("rolls", roll_table(review), "details")


def chart_courses(answer: GameAnswer, review: Review) -> Iterator[Part]:
    """Yield what the replay draws of a review below its boards: how the wins and the scores of the players went, by move."""
    names = name_sides(answer.ruleset.game, [seat.strategy for seat in answer.seats])
    looks = seat_looks(len(names))
    wins = 100 * review.win_shares, 100 * review.win_share_halves, 0.0, 100.0
    scores = review.scores, review.score_halves, -math.inf, math.inf
    for key, (values, halves, minimum, maximum), title, unit in (
        ("win_course", wins, "Expected wins of 100", "wins of 100"),
        ("score_course", scores, "Expected final scores", "points"),
    ):
        estimates = [
            Estimate(
                float(move),
                "",
                f"{seat + 1}: {name}",
                Interval(*(min(maximum, max(minimum, value + side * half)) for side in (0, -1, 1))),
                review.playouts,
                looks[seat],
            )
            for seat, name in enumerate(names)
            for move, (value, half) in enumerate(
                zip(values[:, seat].tolist(), halves[:, seat].tolist(), strict=True)
            )
            if not math.isnan(value)
        ]
        players = name_playout_players(review, answer.ruleset)
        caption = f"Means of {review.playouts} playouts of {players} from each position, with 95 % intervals."
        yield Part(key, Lines(estimates, "moves played", unit, title, "playout"), caption=caption)


def describe_basis(answer: GameAnswer) -> str:
    """Return what was played, how long the game is, and what the review rests on."""
    review = answer.review
    basis = (
        f"{format_run_title(answer.run.summary)}. {format_count(answer.game.rounds, 'round')}, "
        f"{format_count(len(answer.scene['steps']), 'move')}."
    )
    if review is None:
        return basis
    basis += (
        f" In the review, every position of the game is played on {review.playouts:,} times by "
        f"{name_playout_players(review, answer.ruleset)}; ranges are 95 % intervals."
    )
    if not review.is_done:
        basis += f" {review.done:,} of {format_count(review.steps, 'step')} of the review are done so far."
    return basis


def name_playout_players(review: Review, ruleset: Ruleset) -> str:
    """Return who plays on in a review, without parameters."""
    base = base_name(review.policy)
    return f"quick players ({base})" if base == base_name(choose_quick_strategy(ruleset)) else base


def write_result(seats: Sequence[Seat], *, lowest_wins: bool) -> str:
    """Return who won a game and how the others did, in one sentence without a full stop."""
    names = short_names(seat.strategy for seat in seats)

    def name_seat(seat: Seat) -> str:
        return f"player {seat.seat + 1} ({names[seat.strategy]})"

    ordered = sorted(seats, key=lambda seat: (seat.rank, seat.seat))
    winners = [seat for seat in ordered if seat.rank == ordered[0].rank]
    others = [seat for seat in ordered if seat.rank != ordered[0].rank]
    points = f"{winners[0].score:g} point{'s' * (abs(winners[0].score) != 1)}"
    fewer = " (fewer points win)" if lowest_wins else ""
    if len(winners) > 1:
        start = f"{join_words([*map(name_seat, winners)])} share the win with {points}"
    elif len(seats) == 1:
        start = f"{name_seat(winners[0])} scores {points}"
    else:
        tie = " on the tie-break" if others[0].score == winners[0].score else ""
        start = f"{name_seat(winners[0])} wins{tie} with {points}"
    rest = ", ".join(f"{name_seat(seat)} has {seat.score}" for seat in others)
    return f"{start}{fewer}{f'; {rest}' if rest else ''}"


def ledger_table(review: Review, strategies: Sequence[str], by: DecisionMeasure = "win") -> Table:
    """Return a row for each seat, by its strategy: where its points came from, and its decisions of each class."""
    rows: list[tuple[Cell, ...]] = []
    for seat, strategy in enumerate(strategies):
        parts = review.ledgers()[seat, :, 0].tolist()
        rows.append((seat + 1, strategy, *parts, *review.class_counts(seat, by).values()))
    return Table(
        "Where the results came from",
        ("player", "strategy", *LEDGER_COLUMNS, *DECISION_CLASSES),
        tuple(rows),
        f"{describe_ledger(lowest_wins=review.lowest_wins)}\n{describe_classes(review, by)}".rstrip(),
        dict(zip(LEDGER_COLUMNS, LEDGER_FORMATS, strict=True)),
    )


def decision_table(
    review: Review,
    by: DecisionMeasure = "win",
    *,
    every: bool = False,
    only: int = EVERY_PLAYER,
    ruleset: Ruleset | None = None,
) -> Table:
    """Return a row for each bad decision, or for every one, with its moves in notation, or with a `ruleset` as people call them.

    `only` is the player whose decisions are listed.
    """
    decisions = [
        decision
        for decision in review.decisions
        if (every or decision.class_by(by) in BAD_CLASSES) and only in {EVERY_PLAYER, decision.seat}
    ]
    whose = "" if only == EVERY_PLAYER else f" of player {only + 1}"

    def name_both(decision: Decision) -> tuple[str, str]:
        moves = decision.chosen, decision.best
        names = name_legal_actions(ruleset, decision.legal) if ruleset else {}
        chosen, best = (names.get(move.action, move.notation) for move in moves)
        return chosen, "" if decision.best.action == decision.chosen.action else best

    return Table(
        f"{'Every decision' if every else BAD_DECISIONS}{whose}",
        ("move", "player", "class", "judged by", "played", "better", "wins of 100 lost", "points lost"),
        tuple(
            (
                decision.ply + 1,
                decision.seat + 1,
                decision.class_by(by),
                "points" if by == "points" or decision.win_nearly_decided else "wins",
                *name_both(decision),
                _format_loss(decision.lost_wins, scale=100),
                _format_loss(decision.lost_points),
            )
            for decision in decisions
        ),
        "Where the win was nearly decided, no choice lost much of it, so the move is judged by points."
        if by == "win" and any(decision.win_nearly_decided for decision in decisions)
        else "",
    )


def roll_table(review: Review) -> Table:
    """Return a row for each roll, with the points that it gave to each player."""
    players = range(1, review.scores.shape[1] + 1)
    return Table(
        "Rolls",
        ("move", "roll", *(f"luck of player {player}" for player in players)),
        tuple((roll.ply + 1, roll.notation, *roll.luck_points) for roll in review.rolls),
        formats={f"luck of player {player}": "+.1f" for player in players},
    )


def describe_ledger(*, lowest_wins: bool) -> str:
    """Return the sum that the ledgers in points make, and what their signs mean."""
    if lowest_wins:
        return (
            "start \N{MINUS SIGN} luck \N{MINUS SIGN} own decisions \N{MINUS SIGN} others' decisions = result, in points. "
            "The lowest score wins: + is good for the player, because it means fewer points."
        )
    return "start + luck + own decisions + others' decisions = result, in points. + is good for the player."


def describe_classes(review: Review, by: DecisionMeasure) -> str:
    """Return what the classes of decisions rest on; empty until the spread of the scores is known."""
    if math.isnan(review.score_spread):
        return ""
    points = POINT_THRESHOLDS.scale(review.score_spread)
    by_points = f"at least {points.inaccuracy:.1f}, {points.mistake:.1f} or {points.blunder:.1f} points"
    subject = "An inaccuracy, a mistake or a blunder lost"
    if by == "points":
        return f"{subject} {by_points} (a sixth, a third, two thirds of the spread of the scores)."
    wins = WIN_THRESHOLDS.scale(100)
    return (
        f"{subject} at least {wins.inaccuracy:.0f}, {wins.mistake:.0f} or {wins.blunder:.0f} wins of 100; "
        f"where the win was nearly decided, {by_points}."
    )


def _format_loss(interval: Interval | None, scale: float = 1.0) -> str | None:
    if interval is None:
        return None
    lost = interval.times(scale)
    text = format_interval(lost) if lost.half_width else f"{lost.estimate:g} exactly"
    return write_interval_text(text, interval)
