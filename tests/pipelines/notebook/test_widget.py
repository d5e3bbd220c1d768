"""The replay as a widget: its ply, its what-ifs, and what its panel asks."""

from __future__ import annotations

import builtins
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from engine.errors import InvalidError
from pipelines.notebook.played import Run
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from pipelines.notebook.played import LoggedGame
    from pipelines.notebook.widget import ReplayWidget
    from pipelines.runs import run as stored_run


@pytest.fixture
def game(small_run: stored_run.Run) -> LoggedGame:
    return Run(small_run.path)[0]


@pytest.fixture
def widget(game: LoggedGame) -> Iterator[ReplayWidget]:
    """A widget without a browser; what its panel has asked ends with the test."""
    pytest.importorskip("anywidget", reason="the extra notebook is not installed")
    from pipelines.notebook.widget import ReplayWidget

    made = game.widget(ply=4)
    assert isinstance(made, ReplayWidget)
    yield made
    for work in made._works.values():
        work.stop()
        work.wait(30)


def test_the_ply_can_be_read_and_set_within_the_game(widget: ReplayWidget, game: LoggedGame) -> None:
    from traitlets import TraitError

    assert widget.ply == 4
    seen: list[int] = []
    widget.observe(lambda change: seen.append(change["new"]), "ply")
    last = len(game.actions) - 1
    for ply in (last, -1):
        widget.ply = ply
    assert seen == [last, -1]
    for wrong in (last + 1, -2):
        with pytest.raises(TraitError, match=rf"from -1 \(the start\) to {last}, not {wrong}"):
            widget.ply = wrong
    assert widget.ply == -1


def test_a_ply_that_is_not_a_number_is_one_line(widget: ReplayWidget) -> None:
    with pytest.raises(InvalidError, match=r"^ply: expected a whole number, not 'x'$"):
        widget.ply = "x"


def test_without_a_kernel_the_widget_is_the_replay_of_its_game_at_its_ply(
    widget: ReplayWidget, game: LoggedGame
) -> None:
    found = widget._repr_mimebundle_()
    assert found is not None
    data, _ = found
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id
    assert "id=&#34;replay&#34; data-ply=&#34;4&#34;" in data["text/html"]
    assert data["text/plain"] == repr(game)


def test_a_widget_has_a_width_in_a_row(widget: ReplayWidget) -> None:
    assert (widget.layout.flex, widget.layout.min_width) == ("1 1 420px", "min(420px, 100%)")


def test_a_fork_replaces_the_move_that_is_shown_and_gives_its_table(
    widget: ReplayWidget, game: LoggedGame
) -> None:
    widget.ply = next(step["ply"] for step in game.scene["steps"] if step["seat"] == 1 and step["ply"] > 6)
    table = widget.fork(strategies={1: "greedy"}, continuations=40)
    assert widget.answer.fork.ply == widget.ply
    assert table["seat"].tolist() == [0, 1]
    assert table["continuations"].tolist() == [40, 40]
    effect = widget.answer.seat_effects[1]
    row = table.iloc[1]
    assert (row["difference_low"], row["difference"], row["difference_high"]) == (
        effect.score.low,
        effect.score.estimate,
        effect.score.high,
    )
    assert row["difference"] == pytest.approx(row["changed"] - row["original"])
    assert row["strategy"] == "greedy"
    widget.ply = -1
    widget.fork(continuations=10)
    assert widget.answer.fork.ply == 0


def test_a_table_of_too_few_continuations_has_no_numbers(game: LoggedGame) -> None:
    table = game.whatif(6, continuations=1).pandas()
    assert table["continuations"].tolist() == [1, 1]
    assert table[["difference", "difference_low", "difference_high"]].isna().all(axis=None)


def test_a_question_of_the_panel_is_answered_and_reported_once(
    widget: ReplayWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, Any]] = []
    tables: list[pd.DataFrame] = []
    monkeypatch.setattr(type(widget), "send", lambda _, content: sent.append(content))
    with pytest.raises(InvalidError, match="on_fork: expected a function of a data frame, not '1'"):
        widget.on_fork(1)  # type: ignore[arg-type]  # of a person
    widget.on_fork(tables.append)

    def send(key: str, kind: str, **fields: object) -> dict[str, Any]:
        widget._handle_custom_msg({"id": key, "kind": kind, **fields}, [])
        return sent[-1]

    def ask(key: str, **fields: object) -> dict[str, Any]:
        response = send(key, **fields)  # type: ignore[arg-type]  # the kind is among the fields
        deadline = time.monotonic() + 60
        while not response["isLast"] and time.monotonic() < deadline:
            response = send(key, "next")
        assert (response["id"], response["isLast"]) == (key, True)
        answer: dict[str, Any] = response["answer"]
        return answer

    assert ask("a-1", kind="look", ply=4)["options"]
    assert not tables
    asked = {"kind": "whatif", "ply": 4, "change": {"seat": 0, "strategy": "random"}}
    answer = ask("a-2", **asked, n=60)
    assert (answer["n"], answer["isOver"]) == (60, True)
    assert [table["continuations"].tolist() for table in tables] == [[60, 60]]
    assert f"{abs(tables[0].iloc[0]['difference']):.0f}" in answer["html"]
    assert widget.answer.n == 60
    assert ask("a-3", kind="look", ply=-1)["error"].startswith("expected a move")
    widget.on_fork(tables.append, remove=True)
    ask("a-4", **asked, n=60)
    assert len(tables) == 1
    before = len(sent)
    for key, kind in (("a-5", "shell"), ("a-5", "save"), ("a-2", "next"), ("a-9", "cancel")):
        widget._handle_custom_msg({"id": key, "kind": kind}, [])
    widget._handle_custom_msg({"kind": "look"}, [])
    assert len(sent) == before


def test_a_question_of_the_panel_that_is_cancelled_keeps_what_is_played(
    widget: ReplayWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(widget), "send", lambda *_: None)
    asked = {"kind": "whatif", "ply": 4, "change": {"seat": 0, "strategy": "random"}, "n": 100_000}
    widget._handle_custom_msg({"id": "a-1", **asked}, [])
    wait_until(lambda: "a-1" in widget._latest)
    work = widget._works["a-1"]
    widget._handle_custom_msg({"id": "a-1", "kind": "cancel"}, [])
    assert 0 < widget.answer.n < 100_000
    work.wait(30)
    assert work.is_over
    assert not widget._works


def test_without_anywidget_one_line_says_what_to_install(
    game: LoggedGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_import = builtins.__import__

    def import_without_anywidget(name: str, *rest: object) -> object:
        if name == "anywidget":
            raise ModuleNotFoundError("No module named 'anywidget'", name="anywidget")
        return real_import(name, *rest)  # type: ignore[arg-type]  # passed on as they are

    for module in ("anywidget", "pipelines.notebook.widget"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(builtins, "__import__", import_without_anywidget)
    with pytest.raises(InvalidError, match=r"pip install -e '\.\[notebook\]'"):
        game.widget()
