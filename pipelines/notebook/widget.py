"""The replay as a widget: Python reads and sets the ply, and questions of its What if panel are answered here.

This module needs the extra `notebook`. The widget runs wherever anywidget does: Jupyter, VS Code, Colab and marimo.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import anywidget
import traitlets

from pipelines.notebook.answers import show_whatif
from pipelines.panel.requests import answer_request, find_finished_answer
from pipelines.viewer.replay.assets import replay_script

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    from pipelines.notebook.answers import WhatIf
    from pipelines.runs.run import Run

START: Final = -1
"""The ply before the first one."""


class ReplayWidget(anywidget.AnyWidget):
    """The replay of a logged game: `ply` is the current ply, `fork` asks what if, `on_fork` hears of the panel's answers."""

    _esm = replay_script("notebook")
    _scene = traitlets.Dict().tag(sync=True)
    ply = traitlets.Int(START, help="The ply that is shown, numbered as in the log; -1 is the start").tag(
        sync=True
    )
    height = traitlets.Int(760, help="Height in pixels that boards and controls fit").tag(sync=True)
    answer = traitlets.Any(
        None, help="The latest what-if, asked in the panel or by `fork`; None before the first"
    )

    def __init__(
        self,
        run: Run,
        game_id: int,
        ply: int = START,
        *,
        ask_whatif: Callable[..., WhatIf],
        **traits: object,
    ) -> None:
        """`ask_whatif` is `LoggedGame.whatif` of the game.

        Raises InvalidError if the plies of the game were not logged, and TraitError if it has no such ply.
        """
        self.run, self.game_id, self._ask_whatif = run, game_id, ask_whatif
        self._replayed_scene = run.scene(game_id)
        self._last_ply = len(self._replayed_scene["steps"]) - 1
        self._panel_state: dict[Any, Any] = {}
        self._is_reported = False
        self._fork_callbacks: list[Callable[[pd.DataFrame], object]] = []
        super().__init__(_scene=self._replayed_scene, ply=ply, **traits)
        self.on_msg(self._answer_panel)

    @traitlets.validate("ply")
    def _check_ply(self, proposal: Mapping[str, Any]) -> int:
        ply = int(proposal["value"])
        if not START <= ply <= self._last_ply:
            raise traitlets.TraitError(
                f"ply: expected a number from {START} (the start) to {self._last_ply}, not {ply}"
            )
        return ply

    def fork(self, **change: Any) -> pd.DataFrame:  # noqa: ANN401 - passed on to LoggedGame.whatif
        """Ask what would have happened if the move that the replay shows had been another one, and return the table.

        The arguments are those of `LoggedGame.whatif`, for example `action`, `strategies` and `n`. At the start, the
        first move is replaced.
        """
        answer = self._ask_whatif(max(0, self.ply), **change)
        self.answer = answer
        return answer.pandas()

    def on_fork(self, callback: Callable[[pd.DataFrame], object], *, remove: bool = False) -> None:
        """Call a function with the table of each question of the What if panel when its answer is complete."""
        if remove:
            self._fork_callbacks.remove(callback)
        else:
            self._fork_callbacks.append(callback)

    def _answer_panel(self, _: object, request: object, __: object) -> None:
        """Answer a request of the What if panel; report the answer of a question once it is complete."""
        response = answer_request(request, self.run, self._replayed_scene, self._panel_state)
        if response is None:
            return
        self.send(response)
        if isinstance(request, dict) and request.get("kind") == "play":
            self._is_reported = False
        finished = find_finished_answer(self._panel_state)
        if finished and not self._is_reported:
            self._is_reported = True
            answer = show_whatif(finished)
            self.answer = answer
            for callback in tuple(self._fork_callbacks):
                callback(answer.pandas())
