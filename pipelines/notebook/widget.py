"""The replay as a widget: Python reads and sets the ply, and questions of its What if panel are answered here.

This module needs the extra `notebook`. The widget runs wherever anywidget does: Jupyter, VS Code, Colab and marimo.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn

import anywidget
import traitlets

from engine.errors import InvalidError
from pipelines.experiments.background_work import BackgroundWork
from pipelines.notebook.answers import WhatIf, game_html, game_text_line, show_whatif
from pipelines.notebook.public_names import ListsPublicNames
from pipelines.panel import REQUEST_KINDS, iter_answers
from pipelines.report.show.html import sheet_style
from pipelines.viewer.replay.assets import replay_script

if TYPE_CHECKING:
    import pandas as pd

    from pipelines.questions.whatif import WhatifAnswer
    from pipelines.runs.run import Run

START: Final = -1
"""The ply before the first one."""
ANSWER_SECONDS: Final = 0.2
"""Seconds that a message waits for more of an answer."""
ROOM: Final = {"flex": "1 1 420px", "min_width": "min(420px, 100%)", "padding": "0 8px"}
"""Its width in a row of widgets, where nothing else would give it one."""
WIDGET_KINDS: Final = REQUEST_KINDS - {"save"}


class NoSuchPlyError(InvalidError, traitlets.TraitError):
    """The game of a replay has no such ply."""


class _Ply(traitlets.Int):
    def error(self, _: object, value: object, *__: object) -> NoReturn:
        raise NoSuchPlyError(f"ply: expected a whole number, not {repr(value)[:40]}")


class ReplayWidget(ListsPublicNames, anywidget.AnyWidget):
    """The replay of a logged game: `ply` is the current ply, `fork` asks what if, `on_fork` hears of the panel's answers."""

    _esm = replay_script("notebook", sheet_style())
    _scene = traitlets.Dict().tag(sync=True)
    ply = _Ply(START, help="The ply that is shown, numbered as in the log; -1 is the start").tag(sync=True)
    height = traitlets.Int(760, help="Height in pixels that boards and controls fit").tag(sync=True)
    answer = traitlets.Any(
        None, help="The latest what-if, asked in the panel or by `fork`; None before the first"
    )

    def __init__(
        self, run: Run, game_id: int, ply: int = START, *, ask_whatif: Callable[..., WhatIf], **traits: object
    ) -> None:
        """`ask_whatif` is `LoggedGame.whatif` of the game.

        Raises InvalidError if the plies of the game were not logged, and TraitError if it has no such ply.
        """
        self.run, self.game_id, self._ask_whatif = run, game_id, ask_whatif
        self._replayed_scene = run.scene(game_id)
        self._last_ply = len(self._replayed_scene["steps"]) - 1
        self._works: dict[str, BackgroundWork[dict[str, Any]]] = {}
        self._latest: dict[str, WhatifAnswer] = {}
        self._fork_callbacks: list[Callable[[pd.DataFrame], object]] = []
        super().__init__(_scene=self._replayed_scene, ply=ply, layout=ROOM, **traits)
        self.on_msg(self._answer_panel)

    def __repr__(self) -> str:
        return game_text_line(self.run, self.game_id)

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:  # noqa: ANN401 - passed on
        """Return the widget, and for an exported page, which has no kernel, the replay that the game itself shows."""
        bundle = super()._repr_mimebundle_(**options)
        if bundle is None:
            return None
        data, metadata = bundle
        return {**data, "text/html": game_html(self.run, self.game_id, self.ply)}, metadata

    @traitlets.validate("ply")
    def _check_ply(self, proposal: Mapping[str, Any]) -> int:
        ply = int(proposal["value"])
        if not START <= ply <= self._last_ply:
            raise NoSuchPlyError(
                f"ply: expected a number from {START} (the start) to {self._last_ply}, not {ply}"
            )
        return ply

    def fork(self, **change: Any) -> pd.DataFrame:  # noqa: ANN401 - passed on to LoggedGame.whatif
        """Ask what would have happened if the move that the replay shows had been another one, and return the table.

        The arguments are those of `LoggedGame.whatif`, for example `action`, `strategies` and `continuations`. At the start, the
        first move is replaced.
        """
        answer = self._ask_whatif(max(0, self.ply), **change)
        self.answer = answer
        return answer.pandas()

    def list_names(self, argument: str, call: str = "", first_value: str = "") -> Iterable[str]:  # noqa: ARG002 - others need it
        """Return the names that an argument of `fork` takes, such as the moves in place of the one that is shown."""
        asked_game = getattr(self._ask_whatif, "__self__", None)
        return asked_game.list_names(argument, "whatif", str(max(0, self.ply))) if asked_game else ()

    def on_fork(self, callback: Callable[[pd.DataFrame], object], *, remove: bool = False) -> None:
        """Call a function with the table of each question of the What if panel when its answer is complete."""
        if not callable(callback):
            raise InvalidError(f"on_fork: expected a function of a data frame, not {str(callback)[:60]!r}")
        if remove:
            self._fork_callbacks.remove(callback)
        else:
            self._fork_callbacks.append(callback)

    def _answer_panel(self, _: object, request: object, __: object) -> None:
        """Answer a message of the board: a new request, `next` for more of an answer that grows, or `cancel`."""
        if not isinstance(request, dict) or not isinstance(request.get("id"), str):
            return
        key, kind = request["id"], request.get("kind")
        if kind in WIDGET_KINDS:
            self._works[key] = BackgroundWork(lambda stopped: self._iter_answers(key, request, stopped))
        work = self._works.get(key)
        if work is None:
            return
        work.keep_alive()
        if kind == "cancel":
            work.stop()
        else:
            work.wait(ANSWER_SECONDS)
            answer = {"error": work.error} if work.error else work.latest
            self.send({"id": key, "answer": answer, "isLast": work.is_over})
        if work.is_over or work.was_stopped:
            del self._works[key]
            self._report(self._latest.pop(key, None))

    def _iter_answers(
        self, key: str, request: dict[str, Any], stopped: Callable[[], bool]
    ) -> Iterator[dict[str, Any]]:
        return iter_answers(
            request["kind"],
            request,
            self.run,
            self._replayed_scene,
            stopped,
            lambda answer: self._latest.update({key: answer}),
        )

    def _report(self, finished: WhatifAnswer | None) -> None:
        """Keep the answer to a question that is complete or was stopped, and tell those who want to hear of it."""
        if finished is None:
            return
        self.answer = answer = show_whatif(finished)
        for callback in tuple(self._fork_callbacks):
            callback(answer.pandas())
