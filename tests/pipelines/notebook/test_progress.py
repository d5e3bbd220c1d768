"""Long calls show what is done in a notebook and on a terminal, and an interruption ends in one line that says what is kept."""

from __future__ import annotations

import shutil
import signal
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from engine.errors import Interrupted
from pipelines.notebook import progress
from pipelines.notebook.api import Library
from pipelines.notebook.progress import ProgressLine, compile_first, report_progress
from pipelines.simulate import simulate
from pipelines.simulate.errors import RunStopped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.ruleset import Ruleset
    from pipelines.runs import run as stored_run


class Display:
    """Takes the place of IPython's `display`."""

    def __init__(self) -> None:
        self.shown: list[Any] = []

    def __call__(self, line: object, *, display_id: bool) -> Display:
        assert display_id
        self.update(line)
        return self

    def update(self, line: object) -> None:
        self.shown.append(line)


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Display:
    ipython_display = pytest.importorskip("IPython.display")
    display = Display()
    monkeypatch.setattr(ipython_display, "display", display)
    monkeypatch.setattr(progress, "is_notebook", lambda: True)
    monkeypatch.setattr(progress, "INTERVAL_SECONDS", 0.0)
    return display


def test_a_notebook_shows_a_bar_and_then_a_line(display: Display, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    with report_progress("bloxx-2p", "games", is_shown=True) as update:
        for done in (0, 500, 1_000):
            update(done, 1_000, 61.0)
    lines = [repr(line) for line in display.shown]
    assert lines[:2] == [
        "bloxx-2p: 0 of 1,000 games, 1 min 1 s left",
        "bloxx-2p: 500 of 1,000 games, 1 min 1 s left",
    ]
    assert lines[-1].startswith("bloxx-2p: 1,000 games in 0")
    assert '<progress value="500" max="1000"' in display.shown[1]._repr_html_()
    assert "<progress" not in display.shown[-1]._repr_html_()


def test_what_is_short_shows_nothing_and_neither_does_what_shall_not(
    display: Display, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(tmp_path)
    monkeypatch.setattr(progress, "QUIET_SECONDS", 3600.0)
    library.simulate("bloxx-2p", "greedy,random", games=4)
    assert not display.shown
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    library.simulate("bloxx-2p", "greedy,random", games=4, progress=False)
    assert not display.shown
    library.simulate("bloxx-2p", "greedy,random", games=4)
    assert "4 games in" in repr(display.shown[-1])


def test_a_game_that_is_compiled_for_the_first_time_shows_a_bar_at_once(
    display: Display, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ruleset: Ruleset
) -> None:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 3600.0)
    monkeypatch.setattr(progress, "needs_compiling", lambda _: True)
    monkeypatch.setattr(progress, "find_kernel", lambda *_, **__: None)
    Library(tmp_path).simulate("bloxx-2p", "greedy,random", games=4)
    assert repr(display.shown[0]) == "bloxx-2p: the game is compiled meanwhile, only once"
    assert "<progress" in display.shown[0]._repr_html_()
    assert repr(display.shown[-1]).startswith("bloxx-2p: 4 games in ")
    display.shown.clear()
    compile_first(ruleset, is_shown=True)
    assert repr(display.shown[0]) == f"compiling {ruleset.title}, only once: about a minute"


@pytest.fixture
def interrupted_display(display: Display, monkeypatch: pytest.MonkeyPatch) -> Display:
    """A person interrupts as soon as the bar shows that something is done."""
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    show = display.update

    def interrupt(line: ProgressLine) -> None:
        show(line)
        if line.done:
            monkeypatch.setattr(display, "update", show)
            raise KeyboardInterrupt

    monkeypatch.setattr(display, "update", interrupt)
    return display


CALLS: dict[str, Callable[[Library], object]] = {
    "card": lambda library: library.card("bloxx-mini", strategy="random", blocks=20),
    "effect of a rule": lambda library: library.rule_effect("bloxx-2p", "bloxx-touch-2p", blocks=20),
    "what-if": lambda library: library["made"][0].whatif(4, continuations=20),
    "review": lambda library: library["made"][0].review(effort=0.03),  # no other test keeps this answer
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_interrupted_answer_says_that_nothing_is_kept(
    small_run: stored_run.Run, interrupted_display: Display, call: Callable[[Library], object]
) -> None:
    with pytest.raises(
        Interrupted, match=r"^nothing of \d+ of \d+ [\w ]+ is kept; run the cell again$"
    ) as stop:
        call(Library(small_run.path.parents[1]))
    assert stop.value._render_traceback_() == [f"Interrupted: {stop.value}"]
    assert interrupted_display.shown


def test_an_interrupted_review_of_all_games_says_what_is_kept(
    small_run: stored_run.Run, tmp_path: Path, interrupted_display: Display
) -> None:
    (tmp_path / "runs").mkdir()
    shutil.copyfile(small_run.path, tmp_path / "runs" / "made.duckdb")
    library = Library(tmp_path)
    with pytest.raises(Interrupted) as stop:
        library["made"].review_all(effort=0.02)
    kept = library.pandas("ledgers")["game_id"].nunique()
    assert 0 < kept < 20
    assert str(stop.value) == f"{kept} of 20 games are kept; to go on, run the cell again"
    assert interrupted_display.shown


@pytest.mark.parametrize("name", ["mine", None])
def test_an_interrupted_simulation_says_what_is_kept_and_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interrupted_display: Display, name: str | None
) -> None:
    monkeypatch.setattr(simulate, "blocks_per_shard", lambda _: 8)
    library = Library(tmp_path)
    with pytest.raises(Interrupted) as stop:
        library.simulate("bloxx-2p", "greedy,random", games=64, seed=1, name=name)
    (unfinished,) = library.unfinished_runs()
    assert 0 < unfinished.games_done < 64
    again = "run the cell again" if name else "run the cell again with name='bloxx-2p'"
    assert str(stop.value) == f"{unfinished.games_done} of 64 games are kept; to go on, {again}"
    assert len(library.simulate("bloxx-2p", "greedy,random", games=64, seed=1, name=name or "bloxx-2p")) == 64
    assert not library.unfinished_runs()
    assert interrupted_display.shown


def test_the_last_line_of_a_stopped_bar_has_the_games_that_are_kept(
    display: Display, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    partial: Any = SimpleNamespace(games_done=12, games=400, name="long")

    def play() -> None:
        with report_progress("blokus-4p", "games", is_shown=True, name="long") as update:
            update(8, 400)
            raise RunStopped(partial)  # four more were finished since the bar was told

    with pytest.raises(Interrupted, match="12 of 400 games are kept"):
        play()
    assert repr(display.shown[-1]).startswith("blokus-4p: 12 of 400 games in ")


def test_a_simulation_that_is_interrupted_at_once_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(simulate, "play_shards", interrupt)
    with pytest.raises(Interrupted, match="none of 64 games is kept yet"):
        Library(tmp_path).simulate("bloxx-2p", "greedy,random", games=64)
    assert not Library(tmp_path).unfinished_runs()


def test_an_interruption_before_the_games_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    library = Library(tmp_path)
    monkeypatch.setattr(Library, "catalogue", property(interrupt))
    calls: tuple[Callable[[], object], ...] = (
        lambda: library.simulate("bloxx-2p", "greedy,random"),
        lambda: library.card("bloxx-2p"),
        lambda: library.rule_effect("bloxx-2p", "bloxx-touch-2p"),
        lambda: library.import_games(__file__),
    )
    for call in calls:
        with pytest.raises(Interrupted, match=r"^run the cell again$"):
            call()


def test_an_interrupted_compilation_is_one_line(monkeypatch: pytest.MonkeyPatch, ruleset: Ruleset) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(progress, "needs_compiling", lambda _: True)
    monkeypatch.setattr(progress, "find_kernel", interrupt)
    with pytest.raises(Interrupted, match=r"^nothing is kept; run the cell again$"):
        compile_first(ruleset, is_shown=False)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interruption_in_a_finalizer_is_not_lost(
    monkeypatch: pytest.MonkeyPatch, ruleset: Ruleset
) -> None:
    class Finalized:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    def compile_functions(_: object, *, progress: Callable[[int, int], None]) -> None:
        progress(1, 9)
        Finalized()
        progress(2, 9)

    monkeypatch.setattr(progress, "needs_compiling", lambda _: True)
    monkeypatch.setattr(progress, "find_kernel", compile_functions)
    with pytest.raises(Interrupted, match=r"^nothing of 1 of 9 functions is kept; run the cell again$"):
        compile_first(ruleset, is_shown=False)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
