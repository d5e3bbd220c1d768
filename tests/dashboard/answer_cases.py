"""The questions that every front end answers, one case or more for each class, and what is read of each answer."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from typer.testing import CliRunner

from dashboard.replay import review_work
from pipelines.cli import app
from pipelines.design.comparison import design_comparison
from pipelines.design.simulation import design_simulation
from pipelines.panel.requests import WORK_SLOT
from pipelines.play.hand_game import continue_game
from pipelines.questions.card.answer import answer_card
from pipelines.questions.card.measures import CARD_MEASURES
from pipelines.questions.card.question import CardQuestion
from pipelines.questions.comparison.answer import answer_comparison
from pipelines.questions.comparison.question import KnownComparisonQuestion, NewComparisonQuestion
from pipelines.questions.game.answer import answer_game
from pipelines.questions.game.question import GameQuestion
from pipelines.questions.games.answer import answer_games
from pipelines.questions.games.question import GamesQuestion
from pipelines.questions.hand_game.answer import prepare_hand_game
from pipelines.questions.hand_game.question import HandGameQuestion
from pipelines.questions.rule_effect.answer import answer_rule_effect
from pipelines.questions.rule_effect.question import RuleEffectQuestion, RulesQuestion
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.scores.selection import list_measure_titles
from pipelines.questions.simulation.question import SimulationQuestion
from pipelines.questions.source import QuestionSource
from pipelines.questions.sql.question import SqlQuestion
from pipelines.questions.whatif.answer import answer_many_games, answer_whatif
from pipelines.questions.whatif.question import ManyGamesQuestion, WhatifQuestion
from pipelines.report.sentences.setting_words import read_setting_words
from pipelines.report.tables.games import format_result
from pipelines.runs.run import Run
from pipelines.statistics import mean_interval
from tests.dashboard.front_ends import (
    EXACT,
    Shown,
    read_columns,
    read_count,
    read_interval,
    read_json_interval,
    show_interval,
)
from tests.dashboard.reading import read_html, read_html_table, read_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from streamlit.testing.v1 import AppTest

    from pipelines.design.design import Design
    from pipelines.notebook import api as notebook
    from pipelines.play.hand_game import HandGame
    from pipelines.questions.address import Question
    from pipelines.runs.library import Library
    from pipelines.studies.study import Section

    Found = Sequence[object]
    """What is compared: numbers as `Shown`, and other things as they are."""
    Tables = list[list[dict[str, Any]]]


@dataclass(frozen=True)
class Case:
    """A question, and what is read of its answer from each front end; None if that front end does not answer it."""

    question: Question
    answer: Callable[[Library], Found]
    """The answer without a front end, or the truth by another way."""
    page: Callable[[AppTest, Library], Found]
    report: Callable[[Section, Tables], Found] | None
    """Reads the section of a study and the tables that `reroll ask --json` prints."""
    command: Callable[[Any], Found] | None = None
    """Reads what the command of the question prints as JSON data."""
    notebook: Callable[[notebook.Library], Found] | None = None
    work: str = ""
    """The slot of the session state whose work the page waits for."""
    opened: str = ""
    """The key of the drawer of the page that holds the numbers."""
    says_verdict: bool = False
    """Whether the page says in words what the verdict of a study says."""
    is_played: bool = False
    """Whether each front end plays the question anew, into an empty library."""


def count_means(
    library: Library, runs: Sequence[str], name_result: Callable[[str, int], str | None]
) -> Found:
    """Return the mean score of each group of results; its interval is that of the means of the blocks.

    `name_result` names the group of a strategy and a seat; None leaves the result out.
    """
    groups: dict[str, dict[tuple[str, int], list[int]]] = {}
    for run in runs:
        table = library.run(run).pandas(
            "SELECT strategy, seat, block, score FROM seats JOIN games USING (game_id)"
        )
        for strategy, seat, block, score in table.itertuples(index=False):
            if name := name_result(strategy, seat):
                groups.setdefault(name, {}).setdefault((run, block), []).append(score)
    found = []
    for name, blocks in sorted(groups.items()):
        means = [sum(scores) / len(scores) for scores in blocks.values()]
        middle = sum(means) / len(means)
        spread = (sum((mean - middle) ** 2 for mean in means) / (len(means) - 1)) ** 0.5
        n = sum(map(len, blocks.values()))
        found.append(show_interval(name, n, mean_interval(middle, spread, len(means))))
    return found


def ask_scores(**fields: Any) -> ScoresQuestion:  # noqa: ANN401 - the fields of the class
    return ScoresQuestion(rulesets=("bloxx-2p",), **fields)


def answer_of(library: Library, question: ScoresQuestion) -> Any:  # noqa: ANN401 - one of five classes
    return answer_scores(question, QuestionSource(library))[0]


def read_score_row(row: Mapping[str, Any]) -> Shown:
    """Read half the width of the interval, which the page shows, or the interval in words."""
    if "mean" not in row:
        return read_interval(row["strategy"], row["results"], row["mean score, 95 % interval"])
    mean, half = float(row["mean"]), float(row["± 95 %"])
    return Shown(row["strategy"], int(row["results"]), (mean, mean - half, mean + half), 0.011)


def read_mean_row(*about: str, mean: str = "mean", n: str = "n", digits: int = 2) -> Callable[[Any], Shown]:
    return lambda row: read_columns(
        ", ".join(str(row[one]) for one in about), row[n], row, (mean, "from", "to"), digits
    )


def answer_means(question: ScoresQuestion) -> Callable[[Library], Found]:
    return lambda library: [
        show_interval(f"{one.name}, {one.at}", one.results, one.mean)
        for one in answer_of(library, question).means
    ]


def make_scores_case(
    question: ScoresQuestion,
    answer: Callable[[Library], Found],
    read_row: Callable[[Any], Shown],
    notebook: Callable[[notebook.Library], Found] | None = None,
) -> Case:
    """Return a case whose page and reports show the same rows of numbers in their first table."""
    return Case(
        question,
        answer,
        page=lambda at, _: list(map(read_row, read_tables(at)[0])),
        report=lambda _, tables: list(map(read_row, tables[0])),
        notebook=notebook,
        says_verdict=True,
    )


PLAIN, GREEDY_FIRST = ask_scores(runs=("plain",)), ask_scores(strategies=("greedy",), seats=(0,))
PARTS, COURSE, PLAYERS, LENGTH, SQUARES = (
    ask_scores(runs=("plain",), view=view) for view in ("Parts", "Course", "Players", "Length", "Squares")
)
EXPLORE = ask_scores(runs=("plain",), view="Explore", select='{"score": [20, 60]}')

SCORES: Final = [
    make_scores_case(
        PLAIN,
        lambda library: count_means(library, ["plain"], lambda strategy, _: strategy),
        read_score_row,
        notebook=lambda library: [
            read_interval(row["strategy"], row["results"], row["mean score, 95 % interval"])
            for row in read_html_table(library["plain"]._repr_html_())
        ],
    ),
    make_scores_case(
        GREEDY_FIRST,
        lambda library: count_means(
            library,
            ["plain", "duel"],  # those of the usual line-up
            lambda strategy, seat: "greedy" if (strategy, seat) == ("greedy", 0) else None,
        ),
        read_score_row,
    ),
    make_scores_case(
        PLAYERS,
        lambda library: count_means(library, ["plain"], lambda strategy, seat: f"{strategy}, {seat + 1}"),
        read_mean_row("strategy", "player"),
    ),
    make_scores_case(PARTS, answer_means(PARTS), read_mean_row("strategy", "part")),
    make_scores_case(COURSE, answer_means(COURSE), read_mean_row("strategy", "round")),
    make_scores_case(
        LENGTH,
        lambda library: [
            show_interval(one.ruleset, one.lengths.n, one.mean.interval)
            for one in answer_of(library, LENGTH).lengths
        ],
        read_mean_row("ruleset", mean="mean rounds", n="games"),
    ),
    make_scores_case(
        SQUARES,
        lambda library: [
            show_interval(f"{one.strategy}, {'abcdefg'[cell % 7]}{cell // 7 + 1}", one.n, share)
            for one in answer_of(library, SQUARES).maps
            for cell, share in sorted(one.squares.items())
        ],
        read_mean_row("strategy", "square", mean="share", n="results", digits=4),
    ),
    make_scores_case(
        EXPLORE,
        lambda library: [
            show_interval(titles[row.measure], row.difference.blocks, row.difference.difference)
            for answer in [answer_of(library, EXPLORE)]
            for titles in [list_measure_titles(answer.scope)]
            for row in sorted(answer.report.differences, key=lambda row: row.corrected_p)
        ],
        lambda row: read_interval(row["measure"], row["blocks"], row["difference (95 %)"]),
    ),
]


# Comparisons and what-ifs: the numbers of the answer in Python.

KNOWN = KnownComparisonQuestion(run="duel", metric="win")
ONE_GAME = WhatifQuestion(run="plain", game=1, ply=20, seats=(1,), strategies=("random",), n=70, seed=3)
MANY_GAMES = ManyGamesQuestion(
    run="plain", games="all", where="round:2", seats=(0,), strategies=("random",), n=10, most=12
)
EFFECT = RuleEffectQuestion(
    ruleset="bloxx-2p", against="bloxx-touch-2p", lineup="greedy,random", blocks=20, seed=3
)


CARD = CardQuestion(ruleset="bloxx-mini", style="noisy", blocks=30, seed=3)


def show_card(library: Library) -> Found:
    return [
        show_interval(
            name_number(titles.title, one.about), one.measured.n, one.measured.interval, scale=titles.scale
        )
        for one in answer_card(CARD, library.catalogue.rulesets).measures
        for titles in [CARD_MEASURES[one.key]]
    ]


def name_number(measure: str, about: str) -> str:
    return f"{measure}, {about}" if about else measure


def read_card(tables: Tables) -> Found:
    """Read the tables of a card; that of restricted play has the wins and the points of a restriction in a row."""
    styles, ladder = ([*rows] for rows in tables if rows and "value" in rows[0])
    worths = find_table(tables, "without")
    rows = [
        *((row["measure"], row["blocks"], row["value"]) for row in styles),
        *((f"worth, wins, {row['without']}", row["blocks"], row["wins of 100"]) for row in worths),
        *((f"worth, points, {row['without']}", row["blocks"], row["points"]) for row in worths),
        *((row["measure"], row["blocks"], row["value"]) for row in ladder),
    ]
    return [read_interval(*row) for row in rows]


def show_effect(library: Library) -> Found:
    effect = answer_rule_effect(EFFECT, library.catalogue).effect
    return [
        show_interval(f"score of {change.of}", effect.blocks, change.difference) for change in effect.scores
    ]


def read_pairs(rows: Sequence[Mapping[str, Any]]) -> Found:
    return [
        read_interval(f"{row['A']}, {row['B']}", row["blocks"], row["A − B in games of 100"]) for row in rows
    ]


def find_table(tables: Tables, column: str) -> list[dict[str, Any]]:
    """Return the first table with a column."""
    return next(rows for rows in tables if rows and column in rows[0])


def read_change(n: object, rows: Sequence[Mapping[str, Any]]) -> Found:
    return [read_interval(str(row["player"]), n, row["change in score"]) for row in rows]


ESTIMATES: Final = [
    Case(
        KNOWN,
        lambda library: [
            show_interval("greedy, random", one.n, one.interval, scale=100)
            for one in answer_comparison(KNOWN, library.run("duel")).differences
        ],
        page=lambda at, _: read_pairs(find_table(read_tables(at), "A")),
        report=lambda _, tables: read_pairs(tables[0]),
        command=lambda document: [
            read_json_interval(f"{pair['a']}, {pair['b']}", pair["blocks"], pair["difference"], scale=100)
            for pair in document["pairs"]
        ],
        notebook=lambda library: [
            show_interval(f"{pair.a}, {pair.b}", pair.blocks, pair.difference, scale=100)
            for pair in library["duel"].comparison(metric="win").pairs
        ],
        opened="statistics",
        says_verdict=True,
    ),
    Case(
        ONE_GAME,
        lambda library: [
            show_interval(str(effect.seat + 1), answer.whatif.n, effect.score)
            for answer in [answer_whatif(ONE_GAME, library.run("plain"))]
            for effect in answer.whatif.seat_effects
        ],
        page=lambda at, _: read_change(
            at.session_state[WORK_SLOT][1].latest.score.n, find_table(read_tables(at), "change in score")
        ),
        report=lambda section, tables: read_change(
            re.findall(r"(\d+) continuations", section.basis)[0], tables[0]
        ),
        command=lambda document: [
            read_json_interval(str(number), document["n"], seat["score"])
            for number, seat in enumerate(document["seats"], start=1)
        ],
        notebook=lambda library: [
            Shown(
                str(row["seat"] + 1),
                row["n"],
                (row["difference"], row["difference_low"], row["difference_high"]),
            )
            for _, row in library["plain"][1]
            .whatif(20, strategies={1: "random"}, n=70, seed=3)
            .pandas()
            .iterrows()
        ],
        work=WORK_SLOT,
        opened="whatif-statistics",
    ),
    Case(
        MANY_GAMES,
        lambda library: [
            show_interval("score", answer.score.n, answer.score.interval)
            for answer in [answer_many_games(MANY_GAMES, library.run("plain"))]
        ],
        page=lambda at, _: [
            read_interval("score", row["blocks"], row["difference"])
            for row in find_table(read_tables(at), "with the change")[:1]
        ],
        report=lambda _, tables: [
            read_interval("score", row["blocks"], row["difference"]) for row in tables[0][:1]
        ],
        command=lambda document: [read_json_interval("score", document["blocks"], document["score"])],
        work="whatif-many",
        opened="many-statistics",
        says_verdict=True,
    ),
    Case(
        CARD,
        show_card,
        page=lambda at, _: read_card(read_tables(at)),
        report=lambda _, tables: read_card(tables),
        command=lambda document: [
            read_json_interval(name_number(row["measure"], row["of"]), row["n"], row)
            for row in document["measures"]
        ],
        notebook=lambda library: [
            read_json_interval(name_number(row["measure"], row["of"]), row["n"], row)
            for row in library.card(CARD.ruleset, style="noisy", blocks=30, seed=3).T.to_dict().values()
        ],
        work="rules-card-work",
        says_verdict=True,
    ),
    Case(
        EFFECT,
        show_effect,
        page=lambda at, _: [
            read_interval(row["what"], row["blocks"], row["difference"])
            for row in find_table(read_tables(at), "what")[:2]
        ],
        report=lambda _, tables: [
            read_interval(row["what"], row["blocks"], row["difference"]) for row in tables[0][:2]
        ],
        work="rules-effect-work",
        opened="effect-statistics",
        says_verdict=True,
    ),
]


# Questions without numbers of their own: what they do show.

QUERY = SqlQuestion(
    sql="SELECT strategy, count(*) AS n, avg(score) AS mean FROM seats WHERE score < $most GROUP BY ALL ORDER BY ALL",
    settings=("most=40",),
    runs=("plain",),
)
CLOSEST = GamesQuestion(rulesets=("bloxx-2p",), sort="margin", is_lowest=True, most=200)
LOGGED, REVIEWED = GameQuestion(run="plain", game=3, ply=17), GameQuestion(run="mini", is_reviewed=True)
BY_HAND = HandGameQuestion(ruleset="bloxx-2p", seats="me,greedy", seed=7, moves="1h0.3o7.fz")
RULES = RulesQuestion(ruleset="bloxx-2p")
SIMULATION = SimulationQuestion(
    play="bloxx", ruleset="bloxx-2p", lineup=("greedy", "noisy:sigma=2"), games=10, log="scores", seed="7"
)
NEW_COMPARISON = NewComparisonQuestion(
    ruleset="bloxx-2p", lineup=("greedy", "random"), metric="win", blocks=12, seed="3"
)


def read_options(rows: Sequence[Mapping[Any, Any]]) -> Found:
    """Return the options of a ruleset of BLOXX! from the rows of a table; none from those of another table."""
    words = read_setting_words("bloxx")
    keys = {title.casefold(): key for key, title in words["titles"].items()}
    ways = {text: way for way, text in words["values"]["contact"].items()}
    return [
        (
            keys[row["option"].casefold()],
            int(row["value"]) if row["value"].isdecimal() else ways[row["value"]],
        )
        for row in rows
        if "what it means" in row
    ]


def read_game_rows(rows: Sequence[Mapping[Any, Any]]) -> Found:
    """Return what rows say of games; people count these from 1, a notebook from 0."""
    return [
        (
            float(row["margin"]),
            row["run"],
            int(row["game_id"]) if "game_id" in row else int(row["game"]) - 1,
            row["result"],
        )
        for row in rows
    ]


def read_rows(rows: Sequence[Mapping[Any, Any]]) -> Found:
    """Return the rows of the query; the mean has as many digits as the front end shows."""
    return [
        Shown(
            row["strategy"],
            read_count(row["n"]),
            (float(str(row["mean"]).replace("−", "-")), 0, 0),
            EXACT if isinstance(row["mean"], float) else 1e-4,
        )
        for row in rows
    ]


LEDGER_PARTS: Final = ("start", "luck", "own", "others", "result")


def start_game(library: Library) -> HandGame:
    game = continue_game(prepare_hand_game(BY_HAND, library), BY_HAND.moves)
    game.let_strategies_play()
    return game


def show_scene(scene: Mapping[str, Any], ply: int) -> Found:
    """Return which game a replay shows, how it ended, and the ply at which it opens."""
    steps = scene["steps"]
    return [scene["run"], scene["game_id"], len(steps), steps[-1]["scores"], steps[ply]["notation"]]


def show_ledgers(ledgers: Sequence[Sequence[float]]) -> Found:
    """Return where the results of the seats came from: start, luck, own decisions, those of others, result."""
    return [[round(part, 2) for part in ledger] for ledger in ledgers]


def read_document_ledgers(document: Mapping[str, Any]) -> Found:
    return show_ledgers([[part for part, _ in ledger] for ledger in document["ledgers"]])


def read_component(at: AppTest, key: str) -> dict[str, Any]:
    """Return the data of the component of a page that has some data under a key."""
    found = (json.loads(one.proto.json) for one in at.get("bidi_component"))
    return next(data for data in found if key in data)


def wait_for_review(at: AppTest, library: Library) -> AppTest:
    work = review_work.start_review_work(library.run("mini"), 0)
    while not work.is_over:
        work.keep_alive()
        work.wait(1)
    return at.run()


def show_design(design: Design) -> Found:
    return [design.rules.name, design.lineup, design.seatings, design.blocks, design.seed, design.log]


def play_with_page(at: AppTest, library: Library, button: str) -> Found:
    """Press the button that starts a run; return the design that its process would play."""
    assert not at.exception
    at.button(key=button).click().run()
    assert not at.exception
    words = started_words.pop()
    result = CliRunner().invoke(app, [*words, "--workers", "1", "--quiet"])
    assert result.exit_code == 0, result.output
    return show_design(library.run(words[words.index("--out") + 1]).design)


started_words: list[list[str]] = []
"""The command lines of the processes that pages would have started."""


def design_of(document: Mapping[str, Any]) -> Found:
    """Return the design of the run that a command has made."""
    return show_design(Run(Path(document["path"])).design)


OTHERS: Final = [
    Case(
        QUERY,
        lambda library: read_rows(library.run("plain").arrow(QUERY.sql.replace("$most", "40")).to_pylist()),
        page=lambda at, _: read_rows(at.dataframe[0].value.to_dict("records")),
        report=lambda _, tables: read_rows(tables[0]),
        command=read_rows,
        notebook=lambda library: read_rows(
            library["plain"].pandas(QUERY.sql.replace("$most", "40")).to_dict("records")
        ),
        work="sql-work",
    ),
    Case(
        CLOSEST,
        lambda library: [
            (game.value, game.run, game.game_id, format_result(game))
            for game in answer_games(CLOSEST, QuestionSource(library)).games
        ],
        page=lambda at, _: read_game_rows(read_tables(at)[0]),
        report=lambda _, tables: read_game_rows(tables[0]),
        command=lambda document: [
            (
                game["value"],
                game["run"],
                game["game_id"],
                " : ".join(map(str, game["scores"])).replace("-", "\N{MINUS SIGN}"),
            )
            for game in document["games"]
        ],
        notebook=lambda library: read_game_rows(
            library.games("margin", lowest=True, n=200, rulesets=("bloxx-2p",)).to_dict("records")
        ),
    ),
    Case(
        LOGGED,
        lambda library: show_scene(library.run("plain").scene(3), 17),
        page=lambda at, _: show_scene(
            read_component(at, "panel")["scene"], int("".join(at.query_params["move"])) - 1
        ),
        report=lambda section, _: show_scene(section.replays[0].scene, section.replays[0].ply or 0),
        command=lambda document: [
            document["run"],
            document["game_id"],
            len(document["log"]),
            [seat["score"] for seat in document["seats"]],
            document["log"][document["shown_ply"]]["notation"],
        ],
        notebook=lambda library: [
            "plain",
            library["plain"][3].game_id,
            len(library["plain"][3].actions),
            [seat.score for seat in library["plain"][3].seats],
            library["plain"][3].plies["notation"][17],
        ],
    ),
    Case(
        REVIEWED,
        lambda library: read_document_ledgers(
            answer_game(REVIEWED, library.run("mini")).review_document() or {}
        ),
        page=lambda at, library: read_document_ledgers(
            read_component(wait_for_review(at, library), "review")["review"]
        ),
        report=lambda section, _: read_document_ledgers(section.replays[0].review or {}),
        command=lambda document: show_ledgers(
            [[ledger[part] for part in LEDGER_PARTS] for ledger in document["ledgers"]]
        ),
        notebook=lambda library: show_ledgers(
            [
                [getattr(library["mini"][0].review().ledger(seat), part) for part in LEDGER_PARTS]
                for seat in range(2)
            ]
        ),
    ),
    Case(
        BY_HAND,
        lambda library: [BY_HAND.moves, len(start_game(library).state.actions)],
        page=lambda at, _: [
            read_component(at, "people")["moves"],
            read_component(at, "people")["look"]["total"],
        ],
        report=None,
    ),
    Case(
        RULES,
        lambda library: list(library.catalogue.find_ruleset("bloxx-2p").document["options"].items()),
        page=lambda at, _: [
            option for text in read_html(at) for option in read_options(read_html_table(text))
        ],
        report=lambda _, tables: read_options(tables[0]),
        command=lambda document: list(document["options"].items()),
        notebook=lambda library: list(library.catalogue.find_ruleset("bloxx-2p").document["options"].items()),
    ),
    Case(
        SIMULATION,
        lambda library: show_design(
            design_simulation(
                library.catalogue.find_ruleset("bloxx-2p"),
                SIMULATION.lineup,
                games_at_least=10,
                seed=7,
                log="scores",
            )
        ),
        page=lambda at, library: play_with_page(at, library, "new-play"),
        report=None,
        command=design_of,
        notebook=lambda library: show_design(
            library.simulate("bloxx-2p", SIMULATION.lineup, games=10, seed=7, log="scores").design
        ),
        is_played=True,
    ),
    Case(
        NEW_COMPARISON,
        lambda library: show_design(
            design_comparison(
                library.catalogue.find_ruleset("bloxx-2p"),
                ["greedy", "random"],
                blocks=12,
                metric="win",
                seed=3,
            )
        ),
        page=lambda at, library: play_with_page(at, library, "ask-go"),
        report=None,
        command=design_of,
        notebook=lambda library: show_design(
            library[
                library.compare("bloxx-2p", "greedy", "random", blocks=12, metric="win", seed=3).run
            ].design
        ),
        is_played=True,
    ),
]


CASES: Final = [*SCORES, *ESTIMATES, *OTHERS]
