"""A mistake in a cell ends in one line: the line of the cell and a message, always of a kind that `reroll` exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import reroll
from engine.errors import ArgumentError, GameError, InvalidError, describe_shortly
from pipelines.design.limits import check_arguments
from pipelines.notebook.api import Library

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.runs import run as stored_run

MISTAKES = {
    "run.pandas('seat')": "unknown table 'seat'; did you mean seats",
    "run.pandas('SELECT scor FROM seats')": 'Referenced column "scor" not found',
    "run.pandas(3)": "table_or_query: expected a text, not 3",
    "run.pandas()": "missing 1 required positional argument: 'table_or_query'",
    "run[None]": "expected the number of a game, a slice or the name of a table, not None",
    "run[1.5]": "expected the number of a game, a slice or the name of a table, not 1.5",
    "library['mode']": "unknown run 'mode'; did you mean made",
    "run[99]": "has no game with the index 99",
    "library.simulate('bloxx-2', 'greedy,random')": "unknown ruleset 'bloxx-2'; did you mean bloxx-2p",
    "library.simulate('bloxx-2p', ['greedy'])": "bloxx-2p has 2 seats, so it takes 2 strategies, not 1",
    "library.simulate('bloxx-2p', 'greedy')": "bloxx-2p has 2 seats, so it takes 2 strategies, not 1",
    "library.simulate('bloxx-2p', ['gredy', 'random'])": "unknown strategy of bloxx 'gredy'; did you mean greedy",
    "library.simulate('bloxx-2p', 3)": "strategies: expected texts",
    "library.simulate(7, ['greedy', 'random'])": "ruleset: expected a name",
    "library.scores('bloxx-2p')": "2 were given; give each argument its name",
    "library.simulate('bloxx-2p', ['greedy', 'random'], game=4)": "unexpected keyword argument 'game'; did you mean games?",
    "library.simulate('bloxx-2p', ['greedy', 'random'], colour=4)": "unexpected keyword argument 'colour'; its arguments are ruleset, strat",
    "library.simulate('bloxx-2p', ['greedy', 'random'], games='many')": "games: expected a whole number, not 'many'",
    "library.simulate('bloxx-2p', ['greedy', 'random'], games=2.5)": "games: expected a whole number, not 2.5",
    "library.simulate('bloxx-2p', ['greedy', 'random'], games=True)": "games: expected a whole number, not True",
    "library.simulate('bloxx-2p', ['greedy', 'random'], log='all')": "log: expected full, scores or sample=F",
    "library.simulate('bloxx-2p', ['greedy', 'random'], seed=-1)": "seed: expected a number from 0",
    "library.simulate('bloxx-2p', ['greedy', 'random'], name=3)": "name: expected a text, not 3",
    "library.simulate()": "missing 2 required positional arguments",
    "library.compare('bloxx-2p', 'greedy')": "a comparison takes from 2 to 24 strategies, not 1",
    "library.compare('bloxx-2p', 'greedy', 'random', metric='points')": "metric: expected score or margin or win",
    "library.scores(ruleset='bloxx-2p')": "There is no argument ruleset; did you mean rulesets?",
    "library.scores(view='parts')": "There is no view parts; did you mean Parts?",
    "run['0']": "games have numbers: write [0], not ['0']",
    "library.ask('/scores?rulesets=bloxx2p')": "You have no games of bloxx2p. Did you mean bloxx-2p?",
    "library.games('best')": "There is no order best; expected score, margin",
    "library.card('bloxx-2p', strategy='gredy')": "unknown strategy of bloxx 'gredy'",
    "library.rule_effect('bloxx-2p', 'bloxx-3p')": "bloxx-2p has 2 seats and bloxx-3p 3",
    "library.rule_effect('bloxx-2p', 'bloxx-touch-2p', strategies=[max, 'random'])": "functions play in simulate, compare",
    "library.openings('bloxx-2p', strategies=[max, 'random'])": "functions play in simulate, compare and whatif",
    "library.rule_effect('bloxx-2p')": "name another ruleset, against=..., or rules to turn",
    "library.rule_effect({**library.ruleset('bloxx-touch-2p').document, 'name': 'bloxx-2p'}, 'bloxx-3p')": "give yours a name of its own",
    "library.card('bloxx-2p', strategy=max)": "strategy: expected a text, or a list of texts, not <built-in function max>",
    "library.card('bloxx-2p', strategy=[max])": "functions play in simulate, compare and whatif",
    "library.openings('bloxx-2p', first='x')": "There is no kind of first move x; expected move or piece.",
    "library.scores(rulesets=3)": "Rulesets: expected a list, not 3.",
    "library.import_games()": "missing 1 required positional argument",
    "library.import_games(3)": "path: expected a path, not 3",
    "library.import_games('a.txt', 3)": "paths: expected a path, not 3",
    "library.simulate('bloxx-2p', 'greedy,random', code=3)": "code: expected a path, or a list of paths, not 3",
    "library.ask(3)": "address: expected a text, not 3",
    "type(library)(3)": "folder: expected a path, not 3",
    "type(library)('/proc/none').simulate('bloxx-2p', 'greedy,random', games=2)": "/proc/none: No such file or directory",
    "library.ask('/scores?rulesets=bloxx-2p&view=Zoo')": "There is no view Zoo; expected Scores",
    "library.ask('/scores?rulesets=bloxx-2p&ruleset=x')": "has a field ruleset that means nothing here; did you mean rulesets",
    "library.ask('/score?rulesets=bloxx-2p')": "unknown page 'score'; did you mean scores",
    "game.whatif(500)": "the game has the plies 0 to ",
    "library.scores(seats=9)": "seats: expected seats from 0 to 7, such as 0 or [0, 1], not 9",
    "library.scores(seats='first')": "seats: expected seats from 0 to 7, such as 0 or [0, 1], not 'first'",
    "library.simulate('bloxx-2p', 'greedy,random', games=90, seed=1, name='made')": "(a block has 2 games)",
    "game.whatif(1, strategies={5: 'random'})": "strategies: expected seats from 0 to 1, not 5",
    "game.whatif('4')": "ply: expected a whole number, not '4'",
    "game.whatif(4, strategies='random')": "strategies: expected a dictionary, not 'random'",
    "game.whatif(0, action='V5 at g1')": "'V5 at g1' is not a roll: expected a roll such as 'I2 I4'; the move after it is ply 1",
    "game.whatif(4, action='nonsense')": "'nonsense' is not an action of player 2: expected a roll such as",
    "game.review(strategy=make)": "strategy: expected a text, not the function make",
    "game.save('game.docx')": "unknown format 'docx'; known: html, json, txt",
    "library.simulate('bloxx-2p', 'greedy,random', games=-3)": "expected from 1 to 4,294,967,295 games, not -3",
    "library.simulate('bloxx-2p', [make, 'random'])": "must be state and source: def make(state, source)",
    "game.save('/nowhere/game.txt')": "/nowhere/game.txt: No such file or directory",
    "game.review(effort='much')": "effort: expected a number, not 'much'",
    "game.state(1000)": "the game has positions before the plies 0 to",
    "library.rule_effect('bloxx-2p', vary=['gap=1'])": "unknown rule of bloxx-2p 'gap'; did you mean gap_penalty?",
    "library.simulate({**document, 'options': misspelt}, 'greedy,random')": "options.gap_penalti: unknown key 'gap_penalti'; did you mean gap_penalty",
    "library.simulate({**document, 'options': changed}, 'greedy,random')": "there is another ruleset 'bloxx-2p' in the library; give yours a name of its own",
    "type(library)('/etc/passwd')": "/etc/passwd: expected a data folder, and it is a file",
    "library.remove('mode')": "unknown run 'mode'; did you mean made",
    "game.text('pdf')": "unknown format 'pdf'; known: html, json, txt",
    "run.comparison(metric='points')": "There is no measure points; expected score or margin or win",
}


def make() -> None:
    """A function that cannot be a strategy."""


@pytest.mark.filterwarnings("ignore:there is no folder")
@pytest.mark.parametrize("code", MISTAKES)
def test_a_mistake_is_one_line_of_an_exported_kind(small_run: stored_run.Run, code: str) -> None:
    library = Library(small_run.path.parents[1])
    run = library["made"]
    document = dict(library.ruleset("bloxx-2p").document)
    misspelt = {key.replace("penalty", "penalti"): value for key, value in document["options"].items()}
    own = {"make": make, "document": document, "misspelt": misspelt}
    own["changed"] = document["options"] | {"gap_penalty": 3}
    names = {"library": library, "run": run, "game": run[0], **own}
    with pytest.raises(InvalidError) as mistake:
        eval(compile(code, "cell", "eval"), names)  # noqa: S307 - a cell of ours
    error = mistake.value
    assert MISTAKES[code] in str(error)
    assert type(error).__name__ in reroll.__all__
    assert len(str(error).splitlines()) == 1
    lines = error._render_traceback_()
    assert lines[-1] == f"{type(error).__name__}: {error}"
    assert len(lines) <= 2


def test_the_line_of_the_person_stands_above_the_message() -> None:
    with pytest.raises(InvalidError) as mistake:
        Library("/").run("mine")
    place, message = describe_shortly(mistake.value, mistake.tb)
    assert place.startswith("test_errors.py, line ")
    assert place.endswith('Library("/").run("mine")')
    assert message.startswith("InvalidError: unknown run 'mine'")


def test_the_errors_of_calls_are_exported() -> None:
    assert reroll.InvalidError is InvalidError
    for name in set(reroll.__all__) - {"Library", "Interrupted", "__version__"}:
        assert issubclass(getattr(reroll, name), GameError)
    assert issubclass(reroll.Interrupted, KeyboardInterrupt)
    assert issubclass(ArgumentError, TypeError)


def test_a_type_error_within_a_call_stays_one() -> None:
    @check_arguments
    def add(number: int, *more: int, weight: float | None = None) -> object:
        return number + len(more) + (weight or 0) + ("text" if number > 9 else 0)  # type: ignore[operator]  # the fault

    assert add(1, 2, 3, weight=0.5) == 3.5
    with pytest.raises(TypeError, match="unsupported operand") as fault:
        add(10)
    assert not isinstance(fault.value, ArgumentError)
    with pytest.raises(
        ArgumentError, match=r"got an unexpected keyword argument 'colour'; its arguments are number, weight"
    ):
        add(1, colour=2)  # type: ignore[call-arg]  # the mistake


def test_a_line_up_may_be_one_text(tmp_path: object) -> None:
    library = Library(str(tmp_path))
    run = library.simulate("bloxx-2p", "greedy, random", games=2, seed=1)
    assert run.design.lineup == ("greedy", "random")
    assert library.compare("bloxx-2p", "greedy,random", blocks=10, seed=1).blocks == 10


def test_a_name_in_vain_is_an_error_and_not_the_answer_to_another_question(small_run: stored_run.Run) -> None:
    library = Library(small_run.path.parent.parent)
    ruleset = small_run.summary.rulesets[0].name
    for fields in ({"strategies": "nonsense"}, {"lineups": "nonsense"}, {"runs": "nonsense"}, {"seats": 7}):
        with pytest.raises(InvalidError, match=r"There is no .* in these games"):
            library.scores(rulesets=ruleset, **fields)
    lineup = ", ".join(small_run.summary.strategies)
    tight, spaced = (
        library.scores(rulesets=ruleset, lineups=text) for text in (lineup.replace(" ", ""), lineup)
    )
    assert tight.verdict == spaced.verdict


def test_no_guess_at_a_misspelt_name_deletes_anything(small_run: stored_run.Run) -> None:
    run = Library(small_run.path.parents[1])["made"]
    for name in ("review", "rename", "remov"):
        with pytest.raises(InvalidError) as mistake:
            getattr(run, name)
        assert "remove" not in str(mistake.value)


def test_a_run_of_another_design_names_where_long_texts_differ(tmp_path: Path) -> None:
    library = Library(tmp_path)
    long = "a title with another end, after many words: "
    library.simulate("bloxx-2p", "greedy,random", games=2, title=f"{long}first", name="one")
    with pytest.raises(InvalidError, match=r'words: first", not "?\.*.*words: second"'):
        library.simulate("bloxx-2p", "greedy,random", games=2, title=f"{long}second", name="one")
