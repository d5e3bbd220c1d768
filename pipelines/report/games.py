"""What a list of games looks like: its sheet, the hall of fame, the table of the games, and their numbers in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from engine import games
from pipelines.design.short_names import name_lineup, short_names
from pipelines.design.titles import TitledRuleset, format_ruleset
from pipelines.questions.game import write_replay_link
from pipelines.questions.game_sorts import SORTS, SORTS_OF_ONE_WINNER, SortKey
from pipelines.report import wording
from pipelines.report.decisions import HOLDS_FOR_ALL, describe_edge, tabulate_luck
from pipelines.report.estimates import format_intervals, set_sentence
from pipelines.report.game import name_sides
from pipelines.report.sheet import FindLooks, Part, Replay, Sheet
from pipelines.report.table import Cell, Table, make_table
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs

if TYPE_CHECKING:
    from pipelines.questions.games import GamesAnswer, ListedGame
    from pipelines.runs.summary import Seat

COLUMNS: Final = ("of", "result", "players", "won by", "rounds", "moves", "ruleset", "run", "game")
"""The columns of files, after the number that the games are sorted by."""
HOW_TO_REVIEW: Final = "reroll review RUN --games all reviews the games of a run with dice"
MAX_RULESETS_IN_TITLE: Final = 2
"""More rulesets are called by their game."""


def compose_games(answer: GamesAnswer, find_looks: FindLooks) -> Sheet:
    """Return the sheet of the games that come first in an order."""
    del find_looks  # no strategy has a colour here
    played = wording.format_count(answer.fitting, "game")
    runs = wording.format_count(len(answer.basis.runs), "run")
    return Sheet(
        kind="list of games",
        title=write_title(answer),
        verdict=describe_games(answer),
        consequences=(HOW_TO_REVIEW,) if answer.question.sort == "luck" and not answer.games else (),
        basis=" ".join(
            [
                f"{played} in {runs}, each counted once.",
                *answer.basis.left_out,
                *_describe_usual_rules(answer),
            ]
        ),
        parts=tuple(_list_parts(answer)),
        commands=(answer.question.command,),
        fields={
            "games": [{"sort": answer.question.sort, **asdict(game)} for game in answer.games],
            "records": [
                {"title": record.title, "sort": record.question.sort, **asdict(record.game)}
                for record in answer.records
            ],
            "fitting": answer.fitting,
            "searched": answer.searched,
        },
    )


def write_title(answer: GamesAnswer) -> str:
    """Return what the list is about: few rulesets by their names, more by those of their games, and the runs."""
    question = answer.question
    titles = [answer.ruleset_titles.get(name, name) for name in question.rulesets]
    if len(titles) > MAX_RULESETS_IN_TITLE:
        titles = [games.find_game(name).title for name in answer.by_game]
    where = ", ".join([*titles, *question.runs])
    return f"Games by {question.order_title}{where and f': {where}'}"


def _list_parts(answer: GamesAnswer) -> Iterator[Part]:
    """Yield the replay of the first game, the table of all, and the hall of fame, as far as there are any."""
    if answer.scene:
        first = answer.games[0]
        title = f"Replay of {name_lineup(first.strategies)}"
        replay = Replay(title, answer.scene, first.ply, run=first.run, game_id=first.game_id)
        yield Part("replay", replay)
    if answer.games:
        yield Part("games", tabulate_games(answer), numbers=tabulate_columns(answer))
    if answer.records:
        yield Part("records", tabulate_records(answer), "beside")


def tabulate_records(answer: GamesAnswer) -> Table:
    """Return a row for each game of the hall of fame: what it is the first in, its number in words, and where it is."""
    table = make_table(
        "Records",
        [
            {
                "record": record.title,
                "what happened": set_sentence(describe_number(record.game, record.question.sort)),
                "game": describe_players(record.game),
                "ruleset": answer.ruleset_titles[record.game.ruleset],
            }
            for record in answer.records
        ],
    )
    return table._replace(links=_list_links(record.game for record in answer.records))


def tabulate_games(answer: GamesAnswer) -> Table:
    """Return a row for each game with what helps to choose one, and where it is."""
    number = SORTS[answer.question.sort].number
    rows = []
    for game, value in zip(answer.games, _write_values(answer.games), strict=True):
        cells: dict[str, Cell] = {number: value, **_tabulate_luck(game)}
        cells |= {"players": ", ".join(list_names(game)), "result": format_result(game)}
        cells |= {"ruleset": answer.ruleset_titles[game.ruleset], "game": game.game_id + 1}
        rows.append(cells | ({"run": game.run} if len(answer.basis.runs) > 1 else {}))
    is_ascending = answer.question.is_lowest != any(
        answer.question.sort == "score" and games.find_game(name).ruleset.lowest_wins
        for name in answer.by_game
    )
    table = make_table(
        answer.question.order_title.capitalize(),
        rows,
        _describe_list(answer),
        formats={"game": "d"},
        optional=("ruleset", "players"),
    )
    if len(answer.by_game) == 1:
        table = table._replace(order="ascending" if is_ascending else "descending")
    return table._replace(links=_list_links(answer.games))


def _tabulate_luck(game: ListedGame) -> dict[str, Cell]:
    """Return the cells of a row that say whom the luck of a game helped and by which roll; none in another order."""
    if not game.luck or game.seat is None:
        return {}
    who = f"{list_names(game)[game.seat]} ({wording.format_player(game.seat)})"
    return tabulate_luck(game.luck, who, game.luck.interval)


def _write_values(listed: Sequence[ListedGame]) -> list[str | float]:
    """Return the numbers by which games are listed; points of luck have their intervals."""
    luck = format_intervals([game.luck and game.luck.interval for game in listed])
    return [
        text if game.luck else game.value if game.value % 1 else int(game.value)
        for game, text in zip(listed, luck, strict=True)
    ]


def tabulate_columns(answer: GamesAnswer) -> Table:
    """Return a row for each game with the number that it was sorted by and all that files say of it."""
    number = SORTS[answer.question.sort].number
    rows = [
        {
            number: game.value if game.value % 1 else int(game.value),
            "of": "" if game.seat is None else wording.format_player(game.seat),
            "result": format_result(game),
            "players": ", ".join(list_names(game)),
            "won by": ", ".join(list_names(game)[seat] for seat in game.winners),
            "rounds": game.rounds,
            "moves": game.plies,
            "ruleset": game.ruleset,
            "run": game.run,
            "game": game.game_id + 1,
        }
        for game in answer.games
    ]
    return Table(
        answer.question.order_title.capitalize(),
        tuple(dict.fromkeys((number, *COLUMNS))),  # games may be in the order of one of these columns
        tuple(tuple(row.values()) for row in rows),
    )


def _list_links(listed: Iterable[ListedGame]) -> tuple[str, ...]:
    """Return the links to the replays; one that opens at a roll for its luck shows the review, too."""
    links = tuple(
        f"{write_replay_link(game.run, game.game_id, game.ply)}{'&review=1' * bool(game.luck)}"
        if game.is_logged
        else ""
        for game in listed
    )
    return links if any(links) else ()


def _describe_list(answer: GamesAnswer) -> str:
    """Return how many of the games a table lists, and how it is read."""
    listed = len(answer.games)
    sentences = ["The results and the players are in the order of the seats."]
    if len(answer.by_game) > 1:
        sentences.insert(0, "The first ones of each game.")
    elif listed < answer.searched:
        sentences.insert(0, f"The first {listed:,} of {wording.format_count(answer.searched, 'game')}.")
    if answer.question.sort == "luck":
        sentences.append(HOLDS_FOR_ALL)
    if not all(game.is_logged for game in answer.games):
        sentences.append("Games whose moves were not logged cannot be replayed.")
    return " ".join(sentences)


def list_names(game: ListedGame) -> list[str]:
    """Return the short names of the strategies by seat."""
    names = short_names(game.strategies)
    return [names[strategy] for strategy in game.strategies]


def format_result(game: ListedGame) -> str:
    """Return the scores by seat, such as "41 : 38"."""
    return " : ".join(set_minus_signs(str(score)) for score in game.scores)


_LACKING: Final[dict[SortKey, str]] = {
    "margin": "exactly one winner",
    "luck": "a review of its rolls",
    "comeback": "one winner who was behind in its second half",
}
"""What games without a number of an order do not have; without their moves, games have no changes of the lead."""


def describe_games(answer: GamesAnswer) -> str:
    """Return what comes first in each game and of how many; or a sentence that no game fits."""
    question = answer.question
    order = f"{question.order_title}{' with one winner' if question.sort in SORTS_OF_ONE_WINNER else ''}"
    if not answer.basis.runs:
        return "There are no games yet."
    if not (answer.searched or (question.sort == "luck" and answer.fitting)):
        return "No game meets the conditions."
    if not answer.games:
        return f"None of {wording.format_count(answer.searched or answer.fitting, 'game')} has {_LACKING.get(question.sort, 'moves in its log')}."
    first = answer.games[0]
    if question.sort == "lead" and not question.is_lowest and not first.value:
        return f"The lead changes in none of {wording.format_count(answer.searched, 'game')}."
    among = wording.format_count(answer.searched, "game")
    among += " without what-ifs" if answer.has_whatifs_left_out and question.sort != "luck" else ""
    if len(answer.by_game) > 1:
        firsts = [
            f"{games.find_game(name).title} {format_value(listed[0], question.sort)}{_note_fewest(name, question.sort)}"
            for name, listed in answer.by_game.items()
        ]
        return f"The {order} of {among}, game by game: {', '.join(firsts)}."
    (name,) = answer.by_game
    is_of_several = len(answer.basis.rulesets) > 1 and question.sort != "luck"
    rules = f" under {answer.ruleset_titles[first.ruleset]}" if is_of_several else ""
    return f"The {order} of {among}{_note_fewest(name, question.sort)}: {describe_number(first, question.sort)}{rules}."


def _describe_usual_rules(answer: GamesAnswer) -> Iterator[str]:
    """Yield the number of the first game that is not under a variant of the rules, if that is not the very first one."""
    if len(answer.by_game) != 1 or answer.question.sort == "luck":
        return
    start = f"{games.find_game(next(iter(answer.by_game))).title}, "
    for place, game in enumerate(answer.games):
        title = answer.ruleset_titles[game.ruleset]
        if title.startswith(start):
            if place:
                number = format_value(game, answer.question.sort)
                yield f"{answer.question.order_title.capitalize()} without variants of the rules: {number} ({title})."
            return


def _note_fewest(name: str, sort: SortKey) -> str:
    """Return the words, in brackets, that the fewest points win; empty for a game that the most win, and for other orders."""
    return " (fewest points win)" if sort == "score" and games.find_game(name).ruleset.lowest_wins else ""


def format_value(game: ListedGame, sort: SortKey) -> str:
    """Return the number that a game was sorted by, as people count."""
    if game.luck:
        return set_minus_signs(format_interval_numbers(game.luck.interval).estimate)
    return set_minus_signs(f"{game.value + (sort == 'game'):,g}")


def describe_number(game: ListedGame, sort: SortKey) -> str:
    """Return the number that a game was sorted by, in words, and whom it is about."""
    number = format_value(game, sort)
    who = "" if game.seat is None else f"{list_names(game)[game.seat]} ({wording.format_player(game.seat)})"
    margin = f"by {wording.format_count(int(game.value), 'point')}" if game.value else "on the tie-break"
    sentences: dict[SortKey, str] = {
        "score": f"{who} scores {number}",
        "margin": f"{who} wins {margin}",
        "comeback": f"{who} is {wording.format_count(int(game.value), 'point')} behind and wins",
        "lead": f"the lead changes {wording.format_count(int(game.value), 'time')}"
        if game.value
        else "the lead never changes",
        "length": f"{wording.format_count(game.plies, 'move')} in {wording.format_count(game.rounds, 'round')}",
        "luck": set_minus_signs(describe_edge(who, [], game.luck.interval)) if game.luck else "",
        "game": f"game {number}",
    }
    return sentences[sort]


def name_record(ruleset: TitledRuleset, title: str) -> str:
    """Return what the record under a ruleset is called beside the title of its game.

    >>> from engine.catalogue import Catalogue
    >>> [name_record(Catalogue().find_ruleset(name), "BLOXX!") for name in ("bloxx-2p", "bloxx-touch-2p")]
    ['Record for 2 players', 'Record of BLOXX! (shapes may hang), 2 players']
    """
    name = format_ruleset(ruleset)
    players = name.removeprefix(f"{title}, ")
    return f"Record of {name}" if players == name else f"Record for {players}"


def describe_players(game: ListedGame) -> str:
    """Return the strategies of a game, its number and its run, such as "builder against greedy, game 137 of duel"."""
    return f"{name_lineup(game.strategies)}, game {game.game_id + 1:,} of {game.run}"


def write_scores(game: str, seats: Sequence[Seat]) -> str:
    """Return what the players of a game scored, such as `You 51, Medium 60`."""
    names = name_sides(game, [seat.strategy for seat in seats])
    scores = [set_minus_signs(str(seat.score)) for seat in seats]
    return ", ".join(map(" ".join, zip(names, scores, strict=True)))
