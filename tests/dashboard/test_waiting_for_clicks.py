"""What an address may have computed by itself, and how much is computed at once for the whole server."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from dashboard.rules import effect_form
from engine.catalogue import Catalogue
from pipelines.experiments.background_work import BackgroundWork
from pipelines.questions.card import CardQuestion
from pipelines.questions.rule_effect import RuleEffectQuestion, WorkEstimate, estimate_rule_effect
from pipelines.questions.whatif import ManyGamesQuestion
from pipelines.studies import forms
from pipelines.studies.forms import MAX_COMPUTATIONS, WAITING, Turns, query_turns
from tests.dashboard.reading import read_page_text
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamlit.testing.v1 import AppTest

MORE_BLOCKS = str(CardQuestion().work.usual + 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "slot", "address"),
    [
        ("sql.py", "sql-work", {"sql": "SELECT 1 AS one"}),
        (
            "rules.py",
            "rules-card-work",
            {"ruleset": "bloxx-mini", "strategy": "random", "blocks": MORE_BLOCKS},
        ),
        (
            "rules.py",
            "rules-effect-work",
            {"ruleset": "bloxx-2p", "vary": "gap_penalty=0..9", "blocks": "20000"},
        ),
        (
            "rules.py",
            "rules-effect-work",
            {"ruleset": "bloxx-mini", "vary": "all", "strategies": "rollout,random"},
        ),
        (
            "rules.py",
            "rules-openings-work",
            {"ruleset": "blokus-duo", "first": "move", "blocks": MORE_BLOCKS},
        ),
        (
            "whatif.py",
            "whatif-many",
            {
                "run": "three",
                "many": "all",
                "move": "round:2",
                "luck": "1",
                "continuations": "1000",
                "limit": "1000",
            },
        ),
    ],
)
def test_what_may_cost_much_waits_for_a_click(
    open_dashboard_page: Callable[..., AppTest], page: str, slot: str, address: dict[str, str]
) -> None:
    at = open_dashboard_page(page, **address)
    assert not at.exception
    assert slot not in at.session_state
    (note,) = [info.value for info in at.info if "The address asks for" in info.value]
    assert "anybody can make such a link" in note
    at.button(key="answer-address").click().run()
    assert slot in at.session_state
    at.session_state[slot][1].stop()


@pytest.mark.parametrize(("seconds", "is_answered"), [(59.0, True), (61.0, False)])
def test_an_effect_of_many_rulesets_waits_for_a_click_if_it_takes_long(
    open_dashboard_page: Callable[..., AppTest],
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    *,
    is_answered: bool,
) -> None:
    """All options at once are more blocks than usual, but compiled games play them in seconds."""
    monkeypatch.setattr(
        effect_form, "_estimate_work", lambda *_: WorkEstimate(seconds, rulesets=32, slow=0, obstacle="")
    )
    at = open_dashboard_page("rules.py", ruleset="bloxx-mini", vary="all", strategies="random,random")
    assert not at.exception
    assert ("rules-effect-work" in at.session_state) == is_answered
    notes = [info.value for info in at.info if "The address asks for" in info.value]
    assert len(notes) == 1 - is_answered
    assert all(
        "12,800 blocks of games over all rulesets, which take about 1 min 1 s." in note for note in notes
    )


@pytest.mark.parametrize("seconds", [59.0, 61.0])
def test_a_route_refuses_what_a_page_does_not_answer_without_a_click(
    monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """Both ask for the time where it can be estimated, and not for the number of games."""
    estimate = WorkEstimate(seconds, rulesets=32, slow=0, obstacle="")
    monkeypatch.setattr(forms, "estimate_rule_effect", lambda *_: estimate)
    address = "ruleset=bloxx-mini&vary=all&strategies=random,random"
    if seconds < forms.MAX_UNASKED_SECONDS:
        assert forms.read_cheap_address("rules", address)["vary"] == ["all"]
        return
    with pytest.raises(forms.CostlyError) as refusal:
        forms.read_cheap_address("rules", address)
    assert "which take about 1 min 1 s; ask in a terminal: reroll rule bloxx-mini --vary all" in str(
        refusal.value
    )


def test_the_time_of_an_effect_grows_with_its_blocks_and_is_not_asked_of_players_that_think_long() -> None:
    catalogue = Catalogue()

    def estimate(vary: str, lineup: str = "random,random", blocks: int = 400) -> WorkEstimate:
        question = RuleEffectQuestion(ruleset="bloxx-mini", vary=(vary,), lineup=lineup, blocks=blocks)
        estimate = estimate_rule_effect(question, catalogue)
        assert estimate
        return estimate

    assert estimate("all").rulesets == 32
    few, many = (estimate("gap_penalty=0..4", blocks=blocks).seconds or 0 for blocks in (10, 20_000))
    assert 0 < 20 * few < many
    assert estimate("all", "rollout,random").seconds is None


@pytest.mark.slow
def test_a_condition_in_sql_waits_for_a_click(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("games.py", where="rounds > 0")
    assert "The address asks for a query in SQL" in read_page_text(at)
    assert not at.get("subheader")
    at.button(key="answer-address").click().run()
    assert "The address asks" not in read_page_text(at)
    assert at.get("subheader")


@pytest.mark.parametrize("kind", [CardQuestion, RuleEffectQuestion, ManyGamesQuestion])
def test_the_usual_amount_of_work_needs_no_click(kind: type[Any]) -> None:
    work = kind().work
    assert work.amount <= work.usual


def test_work_of_pages_waits_for_its_turn() -> None:
    turns, gate = Turns(), threading.Event()

    def answer_later(_: Callable[[], bool]) -> Iterator[int]:
        gate.wait(20)
        yield 1

    works = [BackgroundWork(answer_later, wait_for_turn=turns.wait) for _ in range(MAX_COMPUTATIONS + 2)]
    wait_until(lambda: sum(not work.is_waiting for work in works) == MAX_COMPUTATIONS)
    left = next(work for work in works if work.is_waiting)
    left.stop()
    wait_until(lambda: left.is_over)
    assert left.latest is None
    gate.set()
    for work in works:
        work.wait(20)
    assert sorted(work.latest or 0 for work in works) == [0, 1, 1, 1]


def test_a_third_query_waits_and_says_so(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("sql.py", sql="SELECT 41 + 1 AS answer")
    with ExitStack() as stack:
        for _ in range(MAX_COMPUTATIONS):
            stack.enter_context(query_turns.take())
        at.button(key="answer-address").click().run()
        assert WAITING in [str(one.proto.text) for one in at.get("progress")]
    at.session_state["sql-work"][1].wait(20)
    at.run()
    assert at.dataframe[0].value["answer"].tolist() == [42]


def test_a_query_that_waits_can_be_stopped(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("sql.py", sql="SELECT 41 + 1 AS answer")
    with ExitStack() as stack:
        for _ in range(MAX_COMPUTATIONS):
            stack.enter_context(query_turns.take())
        at.button(key="answer-address").click().run()
        at.button(key="sql-stop").click().run()
    assert [info.value for info in at.info] == ["The query was stopped."]
    assert not at.dataframe
