"""Ask a library every kind of question and find words and numbers in the answers that nobody should read.

`python tests/pipelines/report/scan_answers.py [DATA]` makes a library of odd small runs of every ruleset in the folder DATA (a
new temporary one without it), asks about 1,700 addresses, and prints what it has found. It uses only commands.
"""

from __future__ import annotations

import json
import multiprocessing
import re
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))

from typer.testing import CliRunner

from pipelines.cli import app

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SPAWNED: Final = multiprocessing.get_context("spawn")
"""How processes start: forked ones would inherit the threads of DuckDB, which do not run in them."""
COLUMNS: Final = "4000"
"""The width of the terminal: no sentence and no table is wrapped."""
NUMBER: Final = r"[+−-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?"
NOT_PROSE: Final = re.compile(
    r"^(command|Seed|Run|Runs|Made|Made with|Ruleset|Strategies|Log|Design): ?|^reroll:"
)
"""The lines of facts and commands, which hold names, hashes and notation."""


class Fault(NamedTuple):
    """A form of text that no answer may have."""

    kind: str
    pattern: re.Pattern[str]


FAULTS: Final = (
    Fault(
        "a plural of one",
        re.compile(
            r"(?<![\d.,:−-])1 (?:points|games|blocks|rounds|moves|results|continuations|decisions|plies|times|runs|positions|squares)\b"
        ),
    ),
    Fault(
        "a singular of many",
        re.compile(
            r"(?<![\d.])(?:0|[2-9]|\d{2,}|\d+\.\d+) (?:point|game|block|round|move|result|continuation|decision)\b(?! of\b)"
        ),
    ),
    Fault("every time", re.compile(r"every time")),
    Fault("0 every", re.compile(r"\b0 every")),
    Fault("equal bounds", re.compile(rf"(?<![\w.,:+−-])({NUMBER}) to (?:about )?\1(?![\w.,]*\d)")),
    Fault("ASCII minus", re.compile(r"(?<![\w=:,./\[-])-(?=\d)")),
    Fault("no number", re.compile(r"\b(?:nan|NaN|inf|Infinity|NoneType)\b|\bNone\b(?! (?:of\b|\())")),
    Fault("minus zero", re.compile(r"[−-]0(?:\.0+)?(?![\d.,]*\d)")),
    Fault(
        "a largest that nobody has",
        re.compile(r"None of .* has an? (?:largest|widest|most)|changes 0 times"),
    ),
    Fault("highest where the fewest win", re.compile(r"[Hh]ighest score.*fewe(?:st|r) points win")),
)
INTERVAL: Final = re.compile(
    rf"({NUMBER})(?: (?:of 100|%|[a-z]+)){{0,8}} \((?:95 % interval )?({NUMBER}) to ({NUMBER})"
)
COUNTED: Final = re.compile(
    r"\d (?:games?|blocks?|continuations?|results?|positions?|playouts?|decisions?|moves)\b"
)
UNREAD: Final = re.compile(r"means nothing here|nothing that can be read")
"""What is said of an address that does not ask what it should."""
MAX_DIGITS: Final = 500
"""How many last digits the half width of an interval may have: more say more than it allows."""


def find_faults(text: str) -> Iterator[tuple[str, str]]:
    """Yield each kind of fault in the text of an answer, with its line."""
    lines = [line for line in text.splitlines() if not NOT_PROSE.search(line)]
    for line in lines:
        for fault in FAULTS:
            if found := fault.pattern.search(line):
                yield fault.kind, cut_line(line, found.start())
        for found in INTERVAL.finditer(line):
            if has_too_many_digits(*found.groups()):
                yield "too many digits", cut_line(line, found.start())
    if INTERVAL.search(text) and not COUNTED.search(" ".join(lines)):
        yield "an interval without n", cut_line(next(filter(INTERVAL.search, lines), ""), 0)


def has_too_many_digits(estimate: str, low: str, high: str) -> bool:
    """Return whether the last digit of an estimate is far smaller than its interval.

    >>> has_too_many_digits("2.78", "0.03", "19.37"), has_too_many_digits("3", "0.03", "19"), has_too_many_digits("41.1", "40.4", "41.8")
    (True, False, False)
    """
    if "e" in f"{estimate}{low}{high}":
        return False
    low_end, high_end = (float(end.replace("−", "-").replace(",", "")) for end in (low, high))
    last_digit = 10.0 ** -len(estimate.partition(".")[2])
    return "." in estimate and abs(high_end - low_end) / 2 > MAX_DIGITS * last_digit


def cut_line(line: str, at: int) -> str:
    """Return the part of a line around a place."""
    return " ".join(line[max(0, at - 60) : at + 70].split())


class Asked(NamedTuple):
    """What an address was answered."""

    address: str
    is_answered: bool
    faults: tuple[tuple[str, str], ...]


def run_command(*words: object) -> tuple[int, str, str]:
    """Return the exit code, the output and the messages of a command."""
    done = CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": COLUMNS})
    if done.exception and not isinstance(done.exception, SystemExit):
        return 70, f"{type(done.exception).__name__}: {done.exception}", ""
    return done.exit_code, done.stdout, done.stderr


def ask_address(data: str, address: str) -> Asked:
    """Ask an address as text and as JSON, and return what is wrong with both."""
    code, text, messages = run_command("ask", address, "--data", data)
    faults = list(find_faults(text)) if code != 70 else [("a crash", text)]
    faults += [("an address that is not read", line) for line in messages.splitlines() if UNREAD.search(line)]
    json_code, document, _ = run_command("ask", address, "--data", data, "--json")
    if json_code == 0:
        try:
            json.loads(document, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))
        except ValueError as error:
            faults.append(("not JSON", str(error)))
    return Asked(address, code == 0, tuple(faults))


def write_address(page: str, **fields: object) -> str:
    """Return an address; a `_` in a key is a `-`."""
    pairs = {key.replace("_", "-"): value for key, value in fields.items() if value not in ("", None)}
    return f"/{page}?{urlencode(pairs, doseq=True)}"


class SmallRun(NamedTuple):
    """A run of the library."""

    name: str
    ruleset: str
    game: str
    players: int
    is_comparison: bool


STRATEGIES: Final = {"bloxx": "planner", "blokus": "mobility", "blokus-dice": "noisy", "spexxx": "builder"}
"""By game, the opponent of greedy and random."""
ODD_BLOCKS: Final = (1, 2, 3, 12, 40)


def make_library(data: str, rulesets: Iterable[tuple[str, str, int]]) -> list[SmallRun]:
    """Simulate and compare every ruleset with few blocks, the numbers of `ODD_BLOCKS` in turn; the rulesets have a game and players."""
    runs = []
    for at, (ruleset, game, players) in enumerate(rulesets):
        lineup = ["greedy", "random", STRATEGIES[game], "greedy"][:players]
        for kind, blocks in (
            ("sample", ODD_BLOCKS[at % 5]),
            ("more", ODD_BLOCKS[(at + 2) % 5]),
            ("comparison", ODD_BLOCKS[(at + 3) % 5]),
        ):
            name, options = f"{kind}-{ruleset}", ("--seed", at + len(kind), "--workers", 1, "--quiet")
            if kind == "comparison":
                words: tuple[object, ...] = ("compare", ruleset, "greedy", "random", "--blocks", blocks)
            else:
                log = "scores" if kind == "more" and at % 4 == 1 else "full"
                words = ("simulate", ruleset, "-s", ",".join(lineup), "--blocks", blocks, "--log", log)
            code, text, _ = run_command(*words, "--name", name, "--data", data, *options)
            if code:
                raise RuntimeError(f"{words}: {text}")
            runs.append(SmallRun(name, ruleset, game, players, kind == "comparison"))
            if is_reviewed(runs[-1]):
                run_command("review", name, "--games", blocks, "--effort", 0.1, "--data", data, "--quiet")
    return runs


def is_reviewed(run: SmallRun) -> bool:
    """Return whether the games of a run of the library are reviewed: those of one run of each game."""
    return run.name == f"sample-{run.game}-2p"


VIEWS: Final = ("Scores", "Explore", "Parts", "Course", "Players", "Length", "Squares", "Moves", "Decisions")
MEASURES: Final = ("lost points", "lost wins", "slips", "luck", "choices")
GROUPINGS: Final = ("round", "phase", "piece", "kind of move", "roll", "lead", "strategy", "player")
MAPS: Final = ("Filled", "First placement", "When", "Circles", "Crosses")
SORTS: Final = ("score", "margin", "comeback", "lead", "length", "game")
METRICS: Final = ("score", "margin", "win")


def list_addresses(runs: list[SmallRun]) -> Iterator[str]:
    """Yield every kind of question about the rulesets and the runs of a library."""
    rulesets = list(dict.fromkeys((run.ruleset, run.game, run.players) for run in runs))
    for at, (ruleset, game, players) in enumerate(rulesets):
        yield from (write_address("scores", rulesets=ruleset, view=view) for view in VIEWS)
        yield write_address("scores", rulesets=ruleset, view="Length", length="plies")
        yield write_address("scores", rulesets=ruleset, compare="One by one", shape="Quantiles", score=20)
        yield write_address("scores", rulesets=ruleset, lineups="all", **{"from": -20, "to": 40})
        yield write_address("scores", rulesets=ruleset, view="Explore", select='{"score":[0,40]}')
        yield from (write_address("scores", rulesets=ruleset, view="Squares", map=kind) for kind in MAPS)
        yield from (
            write_address("games", rulesets=ruleset, sort=sort, lowest=str((at + place) % 2))
            for place, sort in enumerate(SORTS)
        )
        yield write_address("rules", ruleset=ruleset)
        yield write_address("rules", ruleset=ruleset, part="card", strategy="greedy", blocks=12)
        if first := {"blokus": "move", "blokus-dice": "piece", "bloxx": "piece"}.get(game):
            yield write_address("rules", ruleset=ruleset, part="openings", first=first, blocks=12)
        yield from (
            write_address("scores", rulesets=ruleset, view="Moves", by=by)
            for by in ("first piece", "first roll")
        )
        rival = next((name for name, *kind in rulesets if kind == [game, players] and name != ruleset), "")
        if rival:
            lineup = ",".join((["greedy", "random"] * 2)[:players])
            yield write_address(
                "rules", ruleset=ruleset, part="effect", against=rival, strategies=lineup, blocks=10
            )
            yield write_address("scores", rulesets=[ruleset, rival])
            yield write_address("scores", rulesets=[ruleset, rival], view="Parts")
            yield write_address("rules", ruleset=ruleset, part="side-by-side", **{"with": rival})
    for run in runs:
        yield from list_run_addresses(run)
    for sort, low in product(SORTS, ("0", "1")):
        yield write_address("games", sort=sort, lowest=low)
    yield write_address("games", sort="comeback", where="rounds < 0")
    yield write_address(
        "sql", sql="SELECT run, strategy, avg(score) AS mean, min(score) FROM seats GROUP BY ALL"
    )
    for run in runs[::9]:
        if not run.is_comparison:
            yield write_address("replay", run=run.name, game_number=1, move=5, review="1")


def list_run_addresses(run: SmallRun) -> Iterator[str]:
    """Yield every kind of question about a run."""
    if run.is_comparison:
        yield from (write_address("strategies", run=run.name, metric=metric) for metric in METRICS)
        return
    if run.name.startswith("more"):
        yield from (write_address("scores", runs=run.name, rulesets=run.ruleset, view=view) for view in VIEWS)
        return
    if is_reviewed(run):
        yield write_address("games", runs=run.name, sort="luck")
        yield from (
            write_address("scores", runs=run.name, view="Decisions", measure=measure, grouped_by=grouping)
            for measure, grouping in product(MEASURES, GROUPINGS)
        )
    yield write_address("replay", run=run.name, game_number=1, move=5)
    for move, n in ((1, 2), (9, 60)):
        shared = {"run": run.name, "game_number": 1, "move": move, "continuations": n}
        yield write_address("replay", **shared, player=1, strategy="random")
        yield write_address("replay", **shared, luck="1")
    yield write_address(
        "whatif", run=run.name, many="all", move=4, player=1, strategy="random", continuations=10, limit=6
    )


def list_rulesets() -> list[tuple[str, str, int]]:
    """Return name, game and number of players of every ruleset."""
    _, text, _ = run_command("rulesets", "--json")
    return [(row["ruleset"], row["game"], row["players"]) for row in json.loads(text)]


def scan(data: str, addresses: Iterable[str], processes: int = 2) -> list[Asked]:
    """Return what is wrong with the answers to addresses; write how far it is to the standard error."""
    listed, asked = list(addresses), []
    with ProcessPoolExecutor(processes, mp_context=SPAWNED) as pool:
        for answer in pool.map(ask_address, [data] * len(listed), listed, chunksize=4):
            asked.append(answer)
            if len(asked) % 100 == 0:
                sys.stderr.write(f"{len(asked)} of {len(listed)} addresses\n")
    return asked


def main() -> None:
    """Make a library, ask, and print what was found, by kind."""
    data = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
    known = Path(data) / "runs.json"
    if known.exists():
        runs = [SmallRun(*row) for row in json.loads(known.read_text(encoding="utf-8"))]
    else:
        Path(data).mkdir(exist_ok=True)
        runs = make_library(data, list_rulesets())
        known.write_text(json.dumps(runs), encoding="utf-8")
    asked = scan(data, list_addresses(runs))
    found = defaultdict(list)
    for answer in asked:
        for kind, line in answer.faults:
            found[kind].append((answer.address, line))
    answered = sum(answer.is_answered for answer in asked)
    lines = [f"{len(asked)} addresses, {answered} answered"]
    for kind, entries in found.items():
        lines.append(f"\n{kind}: {len(entries)} in {len({address for address, _ in entries})} answers")
        for line, number in Counter(line for _, line in entries).most_common(40):
            address = next(address for address, text in entries if text == line)
            lines.append(f"  {number} x {line}   {address}")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
