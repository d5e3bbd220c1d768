"""What was measured about the calibration of predicted win shares: `benchmarks/calibration.json` and its page.

The package contains a copy of the file. The pages of the dashboard read it here.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pipelines.measure.record_file import format_record_file, read_record_file
from pipelines.statistics import Interval
from pipelines.statistics.rounding import format_interval_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable


CALIBRATION_COMMAND: Final = "python -m pipelines.measure.calibration"
CALIBRATION_FILE: Final = Path(__file__).parents[2] / "benchmarks" / "calibration.json"
_CALIBRATION_PATHS: Final = (Path(__file__).with_name("calibration.json"), CALIBRATION_FILE)


@dataclass(frozen=True)
class CalibrationDecile:
    """The predictions in one tenth of the range from 0 to 1."""

    low: float
    """The lower end of the tenth."""
    predicted: float
    """Mean predicted share of the win."""
    happened: Interval
    """Mean share of the win that happened."""
    error: Interval
    """What happened minus what was predicted."""
    predictions: int
    blocks: int

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> CalibrationDecile:
        """Return the record of JSON data. Raises KeyError or TypeError if the data does not describe one."""
        intervals = {name: Interval(**document[name]) for name in ("happened", "error")}
        return cls(**document | intervals)

    @property
    def document(self) -> dict[str, Any]:
        """The record as data for JSON."""
        return asdict(self) | {"happened": self.happened._asdict(), "error": self.error._asdict()}


@dataclass(frozen=True)
class CalibrationCase:
    """The calibration in games of one ruleset in which one strategy plays on all seats."""

    ruleset: str
    sha256: str
    players: str
    """The strategy on all seats."""
    policy: str
    """The strategy of the playouts that predict."""
    playouts: int
    """Number of playouts behind a prediction: the median over all predictions."""
    blocks: int
    """Games that were played, each with luck of its own."""
    seed: int
    machine: dict[str, Any]
    deciles: tuple[CalibrationDecile, ...]

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> CalibrationCase:
        """Return the record of JSON data. Raises KeyError or TypeError if the data does not describe one."""
        return cls(**document | {"deciles": tuple(map(CalibrationDecile.from_document, document["deciles"]))})

    @property
    def document(self) -> dict[str, Any]:
        """The record as data for JSON."""
        return vars(self) | {"deciles": [decile.document for decile in self.deciles]}

    @property
    def predictions(self) -> int:
        return sum(decile.predictions for decile in self.deciles)

    @property
    def largest_error(self) -> float:
        """The largest difference between what was predicted and what happened in a tenth."""
        return max(abs(decile.error.estimate) for decile in self.deciles)

    @property
    def is_of_playouts(self) -> bool:
        """Whether the players are those of the playouts."""
        return self.players == self.policy


def read_calibration(path: Path) -> list[CalibrationCase]:
    """Return the cases of a file; none if there is no such file or it is of another version."""
    return read_record_file(path, "cases", CalibrationCase.from_document)


def replace_case(cases: Iterable[CalibrationCase], new: CalibrationCase) -> list[CalibrationCase]:
    """Return the cases with a new one, which replaces an earlier one of the same ruleset, players and playouts."""
    key = (new.ruleset, new.players, new.playouts)
    return [*(case for case in cases if (case.ruleset, case.players, case.playouts) != key), new]


@cache
def recorded_calibration() -> tuple[CalibrationCase, ...]:
    """Return the cases that belong to Reroll."""
    path = next((path for path in _CALIBRATION_PATHS if path.is_file()), CALIBRATION_FILE)
    return tuple(read_calibration(path))


def format_calibration_json(cases: Iterable[CalibrationCase]) -> str:
    """Return the cases as JSON."""
    return format_record_file("cases", (case.document for case in cases), command=CALIBRATION_COMMAND)


def format_calibration_page(cases: Iterable[CalibrationCase]) -> str:
    """Return the cases as a page in Markdown."""
    lines = [
        "# Are predicted wins right?",
        "",
        "A review predicts the share of the win of every player after every move: it plays the position to the end many times",
        "with one fast strategy on all seats, the strategy of the *playouts*. The command",
        "",
        "```sh",
        CALIBRATION_COMMAND,
        "```",
        "",
        "compares predictions with results, on luck that was used for nothing else. Each game gives five predictions, after",
        "10, 30, 50, 70 and 90 % of its moves, for one of its players. Ranges are 95 % intervals over blocks; a block is a",
        "game with luck of its own. *Error*: what happened minus what was predicted, in percentage points.",
    ]
    for case in cases:
        who = "the strategy of the playouts" if case.is_of_playouts else f"playouts by {case.policy}"
        lines += [
            "",
            f"## {case.ruleset}: {case.players} on all seats ({who})",
            "",
            f"{case.predictions:,} predictions in {case.blocks:,} games, each from {case.playouts} playouts.",
            "",
            "| predicted | mean prediction | happened, 95 % | error, 95 % | predictions | blocks |",
            "|---|---|---|---|---|---|",
            *(
                f"| {100 * decile.low:.0f} to {100 * decile.low + 10:.0f} % | {100 * decile.predicted:.1f} % "
                f"| {format_percent(decile.happened)} % | {format_percent(decile.error)} "
                f"| {decile.predictions:,} | {decile.blocks:,} |"
                for decile in case.deciles
            ),
        ]
    return "\n".join(lines) + "\n"


def format_percent(interval: Interval) -> str:
    """Return a share with its interval as text, in percent."""
    scaled = Interval(*(100 * value for value in interval))
    return "{} ({} to {})".format(*format_interval_numbers(scaled))
