"""The Tab key in a notebook lists what people use, and the names that calls and items take."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_args

import pytest

from pipelines.design.titles import name_legal_actions
from pipelines.notebook.public_names import PUBLIC_NAMES
from pipelines.questions.address import split_address
from pipelines.questions.every_question import ANSWERS, read_question
from pipelines.questions.game_sorts import SortKey
from reroll import Library

if TYPE_CHECKING:
    from pipelines.notebook.played import Run


def test_the_tab_key_lists_what_people_use_with_its_arguments(run: Run) -> None:
    answers = (run.scores(), run.comparison(), run[0].whatif(4, continuations=10), run[0].review(effort=0.02))
    for thing in (Library(run.path.parents[1]), run, *answers):
        for name in dir(thing):
            assert hasattr(thing, name), (type(thing), name)
        own_kind = type("Mine", (type(thing),), {})  # people extend these classes
        assert dir(object.__new__(own_kind)) == dir(thing)
        assert not {"of_new_file", "as_json", "try_to_open", "iter_reading", "is_sequential"} & {*dir(thing)}
    parameters = inspect.signature(Library.scores).parameters
    assert "Parts" in get_args(parameters["view"].annotation)
    assert parameters["view"].default == "Scores"
    assert "fields" not in parameters
    assert {"vary", "target", "strategies", "blocks", "seed"} <= {
        *inspect.signature(Library.rule_effect).parameters
    }
    assert {"where", "rulesets", "winner"} <= {*inspect.signature(Library.games).parameters}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("run.pandas('se", ["seats"]),
        ("library['made'].columns('se", ["seats"]),
        ("library.card('bloxx-m", ["bloxx-mini"]),
        ("answer = library.simulate('bloxx-2p', 'greedy,ran", ["random"]),
        ("library.compare('bloxx-2p', ['gr", ["greedy"]),
        ("library.simulate('bloxx-2p', ['greedy', 'plan", ["planner"]),
        ("library.simulate('bloxx-2p', ['greedy', 'random'], log='sc", ["scores"]),
        ("library.compare('bloxx-2p', 'greedy', metric='wi", ["win"]),
        ("library.compare('bloxx-2p', 'greedy', 'plan", ["planner"]),
        ("library.compare('bloxx-2p', 'greedy', 'random', 'plan", ["planner"]),
        ("library.compare('bloxx-2p', 'keep", ["keep"]),
        ("library.compare('blokus-duo', 'mobil", ["mobility"]),
        ("library.rule_effect('bloxx-2p', 'blokus-d", ["blokus-d"]),
        ("library.rule_effect('bloxx-2p', vary='corn", ["corn"]),
        ("run[0].whatif(4, strategies={0: 'gree", ["greedy"]),
        ("run[0].whatif(4, options={'gap_p", ["gap_penalty"]),
        ("run[0].whatif(4, stand_ins={0: 'greedy', 1: 'pla", ["planner"]),
        ("run[99].whatif(4, strategies={0: 'gr", []),
        ("library['nothing'].pandas('se", []),
        ("library.ruleset('bloxx-mi", ["bloxx-mini"]),
        ("library.run('ma", ["made"]),
        ("library.unfinished_run('ma", []),
        ("library.remove('ma", ["made"]),
        ("library.card('bloxx-2p',", ["strategy=", "blocks=", "seed=", "progress="]),
        ("library.simulate('bloxx-2p', 'greedy', games=2, log=", ['"full"', '"scores"', '"sample="']),
        ("library.openings('bloxx-2p', 'x", []),
        ("library.card('bloxx-2p', stra", []),
        ("library.card('bloxx-2p', seed=1,", ["strategy=", "blocks=", "progress="]),
        ("library.games(lowest=True, sort=", [f'"{key}"' for key in get_args(SortKey)]),
        ("replay.fork(action='x', ", []),
        ("library.scores(lineups='greedy, ran", ["greedy, random"]),
        ("run[0].text('js", ["json"]),
        ("run[0].whatif(4, strategies={0: ", ['"random"', '"greedy"', '"noisy"', '"planner"', '"rollout"']),
        ("run.comparison().pandas('si", ["sides"]),
        ("print(library['made'].comparison().figure('sp", ["spread"]),
        ("run['seats']['ra", ["rank"]),
        ("run.pandas('seats').groupby('stra", ["strategy"]),
        ("run.pandas('seats').groupby(['strategy', 'ra", ["rank"]),
        ("run.pandas('seats').groupby('strategy')['sc", ["score"]),
        ("run.pandas('seats').sort_values('score').set_index('ra", ["rank"]),
        ("run.pandas('seats')['strategy'].replace('ra", []),
        ("run.seats.groupby('stra", ["strategy"]),
        ("frame.groupby('win_sh", ["win_share"]),
        ("nothing.groupby('ra", []),
        ("run['seats'][['game_id', 'ra", ["rank"]),
        ("run.comparison().pandas('sides')['wi", ["win_share", "win_share_low", "win_share_high"]),
        ("run[0].whati", ["whatif"]),
        ("run[0].list_na", []),
        ("run.comparison().verd", ["verdict"]),
        ("# don't\nlibrary.compare(\n    'bloxx-2p',\n    'gr", ["greedy"]),
        ("run.decisions('lost w", ["lost wins"]),
        ("library.rule_effect('bloxx-2p', against='bloxx-touch-2", ["bloxx-touch-2p"]),
        ("library.scores(view='Par", ["Parts"]),
        ("library.games('com", ["comeback"]),
        ("comparison.pandas('si", ["sides"]),
        ("comparison.figure('sp", ["spread"]),
        ("library.rule_effect('bloxx-2p', vary=['gap_p", ["gap_penalty="]),
        ("library.ask('/scor", ["/scores?"]),
        ("library.openings('bloxx-2p', first='pi", ["piece"]),
        ("run.pandas('SELECT round", ["rounds", "round"]),
        ("library.arrow('SELECT max(rounds) FROM game_l", ["game_lengths"]),
        ("comparison.pandas('SELECT round", ["SELECT round"]),
        ("library.compare('bloxx-2p','greedy','planner:", ["planner:candidates="]),
        ("library.compare('bloxx-2p','greedy','planner:cand", ["planner:candidates="]),
        ("library.compare('bloxx-2p','greedy','planner:candidates=", ["planner:candidates=4"]),
        ("library.simulate('bloxx-2p', 'greedy,nothing:", ["nothing:"]),
        (
            "library.rule_effect('bloxx-2p', vary='gap_penalty=",
            [f"gap_penalty={value}" for value in range(5)],
        ),
        ("library.ask('/scores?rulesets=bloxx-m", ["/scores?rulesets=bloxx-mini"]),
        ("library.ask('/scores?runs=made&vie", ["/scores?runs=made&view="]),
        ("library.ask('/play?", ["/play?"]),
        ("library.ask('/scores?runs=made&view=Par", ["/scores?runs=made&view=Parts"]),
        ("run[0].whatif(1, action='nothing", ["nothing"]),
        ("replay.fork(strategies={0: 'gree", ["greedy"]),
        ("run.pandas('SELECT strategy FROM seats GR", ["GROUP BY"]),
        ("run.pandas('SELECT strategy FROM sea", ["seats"]),
        ("run.pandas('SELECT s.ra FROM seats AS s WHERE s.ra", ["rank"]),
        ('run.pandas("""\nSELECT strategy\nFROM seats\nWHERE sc', ["score"]),
        ("run.pandas('SELECT strategy FROM seats WHERE nothi", ["nothi"]),
        ("library.nothing('x", []),
        ("number.bit_length('x", []),
        ("print('seats", []),
        ("run[0].text('h", ["html"]),
        ("run[0].save('", ["made-1.json", "made-1.txt", "made-1.html"]),
        ("run[0].save('../x", []),
        ("run[0].review(effort=7).figure('", ["win_course", "score_course"]),
        ("library.rule_effect('bloxx-2p', target='pl", ["player 1 wins 45 to 55"]),
        ("library['made']['sea", ["seats"]),
        ("library.pandas('seats').groupby('pl", ["player"]),
        ("library.pandas('FROM seats JOIN games USING (run, game_id)')['rou", ["rounds"]),
        ("run.polars('games').group_by('rou", ["rounds"]),
        ("library.rulesets()['ti", ["title"]),
        ("library.games('margin').pandas('rec", ["records"]),
        ("run.review_all(strategy='gre", ["greedy"]),
        ("run.se", ["seats"]),
        ("library.runs()[0].sea", ["seats"]),
        ("library.card('bloxx-2p').pandas('", ["measures", "scales", "more_scales"]),
        ("library.ruleset('bloxx-2p').wi", ["with_options"]),
        ("library.ruleset('bloxx-2p').docu", ["document"]),
        ("library.ruleset('bloxx-2p').with_options(gap", ["gap_penalty="]),
        ("run[0].ruleset.with_options(name='x', gap_penalty=2, gap", []),
        ("library.ruleset('bloxx-2p').with_options(name='x').ga", ["game"]),
        ("run.design.", [*PUBLIC_NAMES["Design"]]),
        ("library.ruleset('bloxx-2p').", [*PUBLIC_NAMES["Ruleset"]]),
        ("library.card('bloxx-2p').", [*PUBLIC_NAMES["Answer"]]),
        ("run[0].review(effort=7).", [*PUBLIC_NAMES["Review"]]),
        ("run[0].whatif(1, continuations=10).", [*PUBLIC_NAMES["WhatIf"]]),
    ],
)
def test_the_tab_key_completes_names_in_the_texts_of_calls(
    monkeypatch: pytest.MonkeyPatch, run: Run, text: str, names: list[str]
) -> None:
    found = complete(monkeypatch, run, text)
    assert [completion.text for completion in found["completions"]] == names
    assert found.get("suppress", False) == bool(names)  # no names of files beside them


def test_answers_that_are_not_played_offer_the_frames_that_they_will_have(
    monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    library = Library(run.path.parents[1])
    for text, answer in (
        ("run[0].review()", run[0].review(effort=0.02)),
        ("run[0].whatif(4)", run[0].whatif(4, continuations=10)),
        ("library.compare('bloxx-2p', 'greedy', 'random')", run.comparison()),
        ("library.card('bloxx-mini')", library.card("bloxx-mini", blocks=10)),
        ("library.openings('bloxx-mini')", library.openings("bloxx-mini", blocks=10)),
        (
            "library.rule_effect('bloxx-mini', vary='gap_penalty=0..1')",
            library.rule_effect("bloxx-mini", vary="gap_penalty=0..1", blocks=10),
        ),
    ):
        for call, names in (("pandas", answer.tables), ("figure", answer.charts)):
            found = complete(monkeypatch, run, f"{text}.{call}('")["completions"]
            assert [completion.text for completion in found] == [*names], text


def test_an_answer_that_is_kept_offers_its_own_frames_to_the_tab_key(
    monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the Tab key plays nothing")

    kept = Library(run.path.parents[1]).card("bloxx-mini", strategy=["random", "greedy"], blocks=10)
    monkeypatch.setattr("pipelines.notebook.api.compile_first", refuse)
    text = "library.card('bloxx-mini', strategy=['random', 'greedy'], blocks=10).figure('"
    found = complete(monkeypatch, run, text)["completions"]
    assert [completion.text for completion in found] == [*kept.charts]
    assert complete(monkeypatch, run, text.replace("=10", "=11"))["suppress"]


def test_every_address_that_the_tab_key_offers_asks_something(run: Run) -> None:
    library = Library(run.path.parents[1])
    offered = [*library.list_names("address", "ask")]
    assert len(offered) > 100
    for address in offered:
        reading = read_question(*split_address(f"{address}{'1' * address.endswith('=')}"))
        assert type(reading.question) in ANSWERS, address


def test_the_tab_key_completes_the_moves_that_another_one_could_be(
    monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    state = run[0].state(1)
    moves = [state.ruleset.action(action).notation for action in state.actions]
    begun = moves[-1][:-1]
    for text in (f"run[0].whatif(1, action='{begun}", f"replay.fork(action='{begun}"):
        found = complete(monkeypatch, run, text)
        completed = [completion.text for completion in found["completions"]]
        assert completed == [move for move in moves if move.startswith(begun)]
        assert found["matched_fragment"] == begun
    by_name = complete(monkeypatch, run, "run[0].whatif(1, action='")["completions"]
    names = name_legal_actions(state.ruleset, tuple(state.actions))
    assert [completion.text for completion in by_name][: len(names)] == [*names.values()]


def complete(monkeypatch: pytest.MonkeyPatch, run: Run, text: str) -> dict[str, Any]:
    """Return what the completer of the notebook makes of the text before the cursor."""
    completer = pytest.importorskip("IPython.core.completer")
    formatters = pytest.importorskip("IPython.core.formatters")
    shell = SimpleNamespace(
        user_ns={},
        Completer=SimpleNamespace(custom_matchers=[]),
        display_formatter=formatters.DisplayFormatter(),
    )
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    library = Library(run.path.parents[1])
    shell.user_ns |= {
        "library": library,
        "run": run,
        "comparison": run.comparison(),
        "number": 3,
        "frame": run["seats"],
    }
    if text.startswith("replay"):
        pytest.importorskip("anywidget")
        shell.user_ns["replay"] = run[0].widget(ply=1)
    Library(run.path.parents[1])
    (match,) = shell.Completer.custom_matchers  # once for all libraries
    lines = text.split("\n")
    return {**match(completer.CompletionContext("", text, len(lines[-1]), len(lines) - 1, None))}
