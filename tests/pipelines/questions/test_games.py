"""Remarkable games are those that plain Python finds among all games of a library."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import pytest

from engine import games
from engine.errors import InvalidError
from engine.play import replay_actions
from pipelines.experiments.fork import Change, fork_logged_game
from pipelines.experiments.review_runs import choose_reviewed_games, find_review_kind, review_run
from pipelines.experiments.whatif import play_whatif, saved_run_design
from pipelines.questions import games as answer_module
from pipelines.questions.game_sorts import SORTS
from pipelines.questions.games import GamesQuestion, answer_games
from pipelines.questions.measured import Basis
from pipelines.questions.source import QuestionSource
from pipelines.report.compose import compose
from pipelines.report.games import (
    describe_games,
    describe_number,
    describe_players,
    tabulate_games,
    write_title,
)
from pipelines.runs.attach import connect_runs
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.questions.game_sorts import SortKey
    from pipelines.runs.run import Run

UNREVIEWED_SORTS = [sort for sort in SORTS if sort != "luck"]
RUNS = {
    "three": ("bloxx-3p", "greedy", "greedy", "random"),
    "dice": ("blokus-dice-2p", "greedy", "noisy"),  # the lowest score wins
    "scores": ("bloxx-2p", "greedy", "random"),
}


class PlainGame(NamedTuple):
    """A game as the plain rules play it."""

    place: tuple[str, int]
    ruleset: str
    block: int
    lowest_wins: bool
    rounds: int
    plies: int
    is_logged: bool
    strategies: list[str]
    scores: list[int]
    ranks: list[int]
    ends: dict[int, tuple[int, list[int]]]
    """By round its last ply of a player and the scores after it, higher the better."""

    @property
    def winner(self) -> int | None:
        """The only winner."""
        return self.ranks.index(1) if self.ranks.count(1) == 1 else None


@pytest.fixture(scope="module")
def source(play_run: Callable[..., None], tmp_path_factory: pytest.TempPathFactory) -> QuestionSource:
    """Runs of three rulesets, one without plies, and a copy of a run."""
    folder = tmp_path_factory.mktemp("remarkable")
    for name, (ruleset, *lineup) in RUNS.items():
        play_run(folder, name, ruleset, *lineup, log="scores" if name == "scores" else "full")
    shutil.copyfile(folder / "runs" / "three.duckdb", folder / "runs" / "copy.duckdb")
    return QuestionSource(Library(folder))


def read_game(run: Run, game_id: int) -> PlainGame:
    game, seats = run.game(game_id), run.list_seats(game_id)
    ruleset = run.ruleset(game.ruleset)
    ends = {}
    if game.logged:
        states = list(replay_actions(games.find_game(ruleset.game).start(ruleset), run.actions(game_id)))
        sign = -1 if ruleset.lowest_wins else 1
        for ply, (before, after) in enumerate(pairwise(states)):
            if before.seat >= 0:
                ends[before.round] = (ply, [sign * score for score in after.scores])
    return PlainGame(
        (run.name, game_id),
        game.ruleset,
        game.block,
        ruleset.lowest_wins,
        game.rounds,
        game.plies,
        game.logged,
        [seat.strategy for seat in seats],
        [seat.score for seat in seats],
        [seat.rank for seat in seats],
        ends,
    )


@pytest.fixture(scope="module")
def every_game(source: QuestionSource) -> list[PlainGame]:
    return [
        read_game(run, game_id)
        for run in source.runs
        if run.name in RUNS
        for game_id in range(run.summary.games)
    ]


def find_margin(game: PlainGame) -> float | None:
    if game.winner is None:
        return None
    return abs(
        game.scores[game.winner]
        - max(s for s, rank in zip(game.scores, game.ranks, strict=True) if rank == 2)
    )


def find_comeback(game: PlainGame) -> tuple[float, int] | None:
    """Return by how many points the winner was behind at most, and the first ply after which it was."""
    if game.winner is None:
        return None
    behind = [
        (max(scores[: game.winner] + scores[game.winner + 1 :]) - scores[game.winner], -ply)
        for number, (ply, scores) in game.ends.items()
        if number >= game.rounds / 2
    ]
    points, ply = max(behind, default=(0, 0))
    return (points, -ply) if points > 0 else None


def count_lead_changes(game: PlainGame) -> float | None:
    leaders = [
        scores.index(max(scores)) for _, scores in game.ends.values() if scores.count(max(scores)) == 1
    ]
    return sum(one != other for one, other in pairwise(leaders)) if leaders else None


def find_ply(game: PlainGame, sort: SortKey) -> int:
    """Return the ply that the number of a game is about: where it was reached, else the end; the start in the order of the games."""
    if sort == "comeback":
        found = find_comeback(game)
        assert found
        return found[1]
    if sort == "lead":
        leaders = [
            (ply, scores.index(max(scores)))
            for ply, scores in game.ends.values()
            if scores.count(max(scores)) == 1
        ]
        changes = [ply for (_, one), (ply, other) in pairwise(leaders) if one != other]
        return changes[-1] if changes else game.plies - 1
    return -1 if sort == "game" else game.plies - 1


def list_numbers(every: list[PlainGame], sort: SortKey, *, is_lowest: bool) -> dict[tuple[str, int], float]:
    """Return the number that each game is sorted by; games without one are left out."""
    count: dict[SortKey, Callable[[PlainGame], float | None]] = {
        "score": lambda game: (min if is_lowest != game.lowest_wins else max)(game.scores),
        "margin": find_margin,
        "comeback": lambda game: (found := find_comeback(game)) and found[0],
        "lead": count_lead_changes,
        "length": lambda game: game.plies,
        "game": lambda game: game.place[1],
    }
    return {game.place: number for game in every if (number := count[sort](game)) is not None}


@pytest.mark.parametrize("sort", UNREVIEWED_SORTS)
def test_games_are_listed_as_python_would_sort_them(
    source: QuestionSource, every_game: list[PlainGame], sort: SortKey
) -> None:
    for is_lowest in (False, True):
        numbers = list_numbers(every_game, sort, is_lowest=is_lowest)
        dice_sign, bloxx_sign = (
            1 if is_lowest != (sort == "score" and wins) else -1 for wins in (True, False)
        )
        # the other runs are of BLOXX!, which comes before
        dice = sorted(
            (place for place in numbers if place[0] == "dice"),
            key=lambda place: (numbers[place] * dice_sign, place),
        )
        bloxx = sorted(numbers.keys() - dice, key=lambda place: (numbers[place] * bloxx_sign, place))
        answers = [
            answer_games(GamesQuestion(sort=sort, is_lowest=is_lowest, limit=limit), source)
            for limit in (1, 30)
        ]
        for most, answer in zip((1, 30), answers, strict=True):
            values = [game.value for game in answer.games]
            first = [*bloxx[:most], *dice[:most]]
            assert values == pytest.approx([numbers[place] for place in first], abs=0.06)
            assert values == pytest.approx(
                [numbers[game.run, game.game_id] for game in answer.games], abs=0.06
            )
            assert len({(game.run, game.game_id) for game in answer.games}) == len(values)
        filtered = GamesQuestion(sort=sort, is_lowest=is_lowest, limit=30, low=-10_000)  # all games fit
        assert answer_games(filtered, source).games == answer.games
        plain = {game.place: game for game in every_game}
        for game in answer.games:
            own = plain[game.run, game.game_id]
            assert (list(game.strategies), list(game.scores), list(game.ranks)) == (
                own.strategies,
                own.scores,
                own.ranks,
            )
            if sort == "comeback":
                assert game.seat == own.winner
            assert game.ply == find_ply(own, sort)
            if sort == "score" and game.seat is not None:
                assert game.scores[game.seat] == game.value


def test_filters_keep_what_they_say(source: QuestionSource, every_game: list[PlainGame]) -> None:
    def list_places(**fields: object) -> set[tuple[str, int]]:
        answer = answer_games(GamesQuestion(sort="game", limit=200, **fields), source)
        assert answer.fitting == len(answer.games)
        return {(game.run, game.game_id) for game in answer.games}

    def keep(fits: Callable[[PlainGame], bool]) -> set[tuple[str, int]]:
        return {game.place for game in every_game if fits(game)}

    assert list_places() == keep(lambda _: True)
    assert list_places(rulesets=("bloxx-3p", "bloxx-2p")) == keep(
        lambda game: game.ruleset.startswith("bloxx")
    )
    assert list_places(only_logged=True) == keep(lambda game: game.is_logged)
    assert list_places(winner="random") == keep(
        lambda game: any(
            name == "random" and rank == 1 for name, rank in zip(game.strategies, game.ranks, strict=True)
        )
    )
    assert list_places(low=45) == keep(lambda game: any(score >= 45 for score in game.scores))
    assert list_places(low=10, high=20) == keep(lambda game: any(10 <= score <= 20 for score in game.scores))
    assert list_places(where="rounds < 17 AND highest > 30 -- short") == keep(
        lambda game: game.rounds < 17 and max(game.scores) > 30
    )


def test_continuations_of_a_whatif_count_only_if_they_are_named(
    source: QuestionSource, tmp_path: Path
) -> None:
    run = next(run for run in source.runs if run.name == "three")
    *_, played = play_whatif(fork_logged_game(run, 0, 20, Change({0: "random"})), n=2)
    design = saved_run_design(played, run.name, "saved")
    both = QuestionSource(only=(run, simulate_run(design, tmp_path / "saved.duckdb", workers=1)))
    own, named = answer_games(GamesQuestion(), both), answer_games(GamesQuestion(runs=("saved",)), both)
    assert (own.basis.runs, named.basis.runs) == (("three",), ("saved",))
    assert describe_games(own).startswith("The best score of 24 games without what-ifs: ")
    assert "what-ifs" not in describe_games(named)


def test_a_copy_of_a_run_adds_no_games_and_can_be_asked_alone(source: QuestionSource) -> None:
    assert answer_games(GamesQuestion(), source).fitting == 3 * 24
    alone = answer_games(GamesQuestion(runs=("copy",)), source)
    assert {game.run for game in alone.games} == {"copy"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"runs": ("nope",)}, "no run 'nope'"),
        ({"rulesets": ("nope",)}, "no ruleset nope in these games"),
        ({"winner": "nope"}, "no strategy nope in these games"),
        ({"where": "hghest > 3"}, '"hghest" not found'),
        ({"where": "1) SELECT 1 --"}, "cannot be used"),
        ({"where": "(SELECT count(*) FROM '/etc/passwd') > 0"}, "cannot be used"),
    ],
)
def test_what_does_not_exist_is_said_in_one_line(
    source: QuestionSource, fields: dict[str, str], said: str
) -> None:
    with pytest.raises(InvalidError, match=said) as error:
        answer_games(GamesQuestion(**fields), source)
    assert len(str(error.value).splitlines()) == 1


def test_a_search_that_is_not_complete_says_so(
    source: QuestionSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_module, "MAX_GAMES_SEARCHED", 30)
    answer = answer_games(GamesQuestion(sort="lead"), source)
    assert (answer.searched, answer.fitting) == (20, 72)
    assert answer.basis.left_out == ("Only 20 of 72 games were searched.",)
    assert all(game.game_id < 10 for game in answer.games)


@pytest.mark.slow
def test_luck_is_what_all_rolls_gave_one_player_more_and_opens_at_the_deciding_one(
    tmp_path: Path, play_run: Callable[..., None]
) -> None:
    play_run(tmp_path, "plain", "bloxx-2p", "greedy", "random")
    play_run(tmp_path, "later", "bloxx-2p", "greedy", "random", seed=8)
    library = Library(tmp_path)
    source = QuestionSource(library)
    nothing = answer_games(GamesQuestion(sort="luck"), source)
    assert (nothing.games, nothing.fitting) == ((), 48)
    assert describe_games(nothing) == "None of 48 games has a review of its rolls."
    assert compose(nothing, source.find_looks).consequences[0].startswith("reroll review RUN --games all")
    run = library.run("plain")
    kind = find_review_kind(run, effort=0.1)
    assert len(list(review_run(run, kind, choose_reviewed_games(run, 10), workers=1, threads=True))) == 11
    with connect_runs([run], reviewed=True) as connection:
        rolls = connection.execute(
            "SELECT game_id, seat, luck_points, ply, roll, luck_wins FROM rolls"
        ).fetchall()
    sums: dict[tuple[int, int], float] = defaultdict(float)
    for game_id, seat, points, *_ in rolls:
        sums[game_id, seat] += points
    for is_lowest in (False, True):
        answer = answer_games(GamesQuestion(sort="luck", is_lowest=is_lowest), QuestionSource(library))
        assert (answer.searched, len(answer.games)) == (10, 10)
        assert answer.basis.left_out == ("Only 10 of 48 games have reviewed rolls.",)
        for game in answer.games:
            of_seats = [sums[game.game_id, seat] for seat in (0, 1)]
            assert game.value == pytest.approx(max(of_seats) - min(of_seats), abs=1e-4)
            assert game.seat == of_seats.index(max(of_seats))
            turns = {
                (ply, roll): wins
                for game_id, seat, _, ply, roll, wins in rolls
                if (game_id, seat) == (game.game_id, game.seat)
            }
            deciding = max(turns, key=turns.__getitem__)
            assert game.luck
            assert (game.ply, game.luck.roll) == deciding
            assert game.luck.wins == turns[deciding]
        first = answer.games[0]
        assert [game.value for game in answer.games] == sorted(
            (game.value for game in answer.games), reverse=not is_lowest
        )
        assert first.luck
        assert describe_games(answer).count(";") == 0
        assert re.search(
            r"of 10 games: they (may )?help (greedy|random) \(player [12]\) by .* points? \(95 % interval",
            describe_games(answer),
        )
        assert tabulate_games(answer).order == ("ascending" if is_lowest else "descending")
        points = [str(row[0]).partition(" ")[0] for row in tabulate_games(answer).rows]
        assert len({len(text.partition(".")[2]) for text in points}) == 1  # decimals
        assert tabulate_games(answer).links[0].endswith(f"&move={first.ply + 1}&review=1")


def test_a_record_among_several_rulesets_names_its_own(source: QuestionSource) -> None:
    """Rulesets of one game have records of their own."""
    rulesets = ("bloxx-3p", "bloxx-2p")
    answer = answer_games(GamesQuestion(rulesets=rulesets), source)
    title = answer.ruleset_titles[answer.games[0].ruleset]
    assert describe_games(answer).endswith(f" scores {answer.games[0].value:g} under {title}.")
    alone = answer_games(GamesQuestion(rulesets=rulesets[:1]), source)
    assert "under" not in describe_games(alone)


def test_a_record_under_a_variant_stands_beside_that_of_the_game_itself(source: QuestionSource) -> None:
    answer = answer_games(GamesQuestion(rulesets=("bloxx-3p", "bloxx-2p")), source)
    first, *others = answer.games
    titles = {**answer.ruleset_titles, first.ruleset: "BLOXX! (shapes may hang), 3 players"}
    usual = next(game for game in others if game.ruleset != first.ruleset)
    basis = compose(replace(answer, ruleset_titles=titles), source.find_looks).basis
    assert basis.endswith(
        f"Best score without variants of the rules: {usual.value:g} ({titles[usual.ruleset]})."
    )
    assert "variants" not in compose(answer, source.find_looks).basis


def test_the_sentence_says_what_the_first_game_is(source: QuestionSource) -> None:
    for sort in UNREVIEWED_SORTS:
        answer = answer_games(GamesQuestion(sort=sort, rulesets=("bloxx-3p",)), source)
        assert describe_number(answer.games[0], sort) in describe_games(answer)
        assert (" with one winner of " in describe_games(answer)) == (sort in {"margin", "comeback"})
        table = tabulate_games(answer)
        assert [len(row) for row in table.rows] == [len(set(table.columns))] * len(answer.games)
    every = answer_games(GamesQuestion(), source)
    bloxx, dice = (found[0].value for found in every.by_game.values())
    assert (
        describe_games(every)
        == f"The best score of 72 games, game by game: BLOXX! {bloxx:g}, Blokus Dice {dice:g} (fewest points win)."
    )
    three = replace(every.games[0], game_id=4, strategies=("greedy", "random", "greedy"))
    assert describe_players(three) == f"2 greedy against random, game 5 of {three.run}"
    two = replace(three, strategies=("mcts:playouts=8", "greedy"))
    assert describe_players(two) == f"mcts against greedy, game 5 of {two.run}"
    alone = answer_games(GamesQuestion(rulesets=("blokus-dice-2p",), is_lowest=True), source)
    assert describe_games(alone).startswith("The worst score of 24 games (fewest points win): ")
    nothing = answer_games(GamesQuestion(low=10_000), source)
    assert describe_games(nothing) == "No game meets the conditions."
    empty = replace(nothing, basis=Basis())
    assert describe_games(empty) == "There are no games yet."


def test_an_empty_library_has_no_games(tmp_path: Path) -> None:
    assert answer_games(GamesQuestion(), QuestionSource(Library(tmp_path))).games == ()


@pytest.mark.parametrize(
    ("rulesets", "runs", "title"),
    [
        ((), (), "Games by best score"),
        (("bloxx-3p",), (), "Games by best score: BLOXX!, 3 players"),
        (("bloxx-2p", "bloxx-3p", "blokus-dice-2p"), (), "Games by best score: BLOXX!, Blokus Dice"),
        ((), ("three",), "Games by best score: three"),
    ],
)
def test_the_title_of_a_list_names_few_rulesets_and_otherwise_their_games(
    source: QuestionSource, rulesets: tuple[str, ...], runs: tuple[str, ...], title: str
) -> None:
    assert write_title(answer_games(GamesQuestion(rulesets=rulesets, runs=runs), source)) == title
