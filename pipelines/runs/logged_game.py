"""One logged game, as an object to look at, to ask and to keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine import games
from engine.play import replay_actions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pandas as pd

    from engine.game import State
    from engine.ruleset import Ruleset
    from engine.scene import Scene
    from pipelines.experiments.review.review import Review
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.runs.run import GameSummary, Run, Seat


@dataclass(frozen=True)
class LoggedGame:
    """A game of a run. Raises InvalidError where its plies are needed and were not logged."""

    run: Run
    game_id: int

    @property
    def summary(self) -> GameSummary:
        return self.run.game(self.game_id)

    @property
    def ruleset(self) -> Ruleset:
        return self.run.ruleset(self.summary.ruleset)

    @property
    def seats(self) -> list[Seat]:
        return self.run.seats(self.game_id)

    @property
    def actions(self) -> list[int]:
        return self.run.actions(self.game_id)

    @property
    def scene(self) -> Scene:
        return self.run.scene(self.game_id)

    @property
    def plies(self) -> pd.DataFrame:
        """One row a ply: round, seat, kind, notation, options, score and more, as in the view `log`."""
        return self.run.pandas(f"FROM log WHERE game_id = {int(self.game_id)} ORDER BY ply")

    def state(self, ply: int = -1) -> State:
        """Return the position before a ply (negative: counted from the end, -1 is the end)."""
        states = list(replay_actions(games.start_state(self.ruleset), self.actions))
        return states[ply]

    def text(self, chosen: str = "txt") -> str:
        """Return the game in a format: txt, json, or one of the game's own such as blksgf."""
        from pipelines.exchange import find_format  # noqa: PLC0415 - only who asks for it needs the formats
        from pipelines.exchange.export import game_text  # noqa: PLC0415

        return game_text(self.run, self.game_id, find_format(chosen, self.ruleset.game))

    def save(self, path: Path | str) -> None:
        """Write the game to a new file; its ending says how: html, txt, json, blksgf."""
        from pathlib import Path  # noqa: PLC0415 - only a type above

        from pipelines.exchange.export import write_new_file  # noqa: PLC0415
        from pipelines.exchange.html import HTML_SUFFIX, game_page  # noqa: PLC0415

        path = Path(path)
        ending = path.suffix[1:]
        write_new_file(
            path, game_page(self.run, self.game_id) if ending == HTML_SUFFIX else self.text(ending)
        )

    def whatif(  # noqa: PLR0913 - what makes an experiment, all named
        self,
        ply: int,
        *,
        strategies: Mapping[int, str] | None = None,
        action: str | None = None,
        options: Mapping[str, Any] | None = None,
        n: int = 1000,
        seed: int = 0,
    ) -> WhatIf:
        """Fork the game before a ply and play both branches on; without any change only the luck is another.

        `strategies` are by seat, `action` is in notation, `options` are the ruleset's. Raises what `fork` raises.
        """
        from pipelines.experiments.whatif.fork import Change, fork_logged_game  # noqa: PLC0415 - the experiments load NumPy
        from pipelines.experiments.whatif.whatif import play_whatif  # noqa: PLC0415

        change = Change(strategies or {}, action, options or {})
        *_, last = play_whatif(fork_logged_game(self.run, self.game_id, ply, change), n=n, seed=seed)
        return last

    def review(self, *, policy: str = "greedy", seed: int = 0, effort: float = 1.0) -> Review:
        """Value every decision and every roll by playouts."""
        from pipelines.experiments.review.review import review_game  # noqa: PLC0415 - as above

        found = review_game(self.run, self.game_id, policy=policy, seed=seed, effort=effort)
        assert found is not None  # noqa: S101 - nobody stops it
        return found

    def _repr_html_(self) -> str:
        from pipelines.notebook.html import game_html  # noqa: PLC0415 - only notebooks need it

        return game_html(self)
