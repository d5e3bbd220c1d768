"""Options and arguments that several commands share."""

# Typer reads these annotations when the program runs, so they are not written as strings.
import difflib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from engine.errors import InvalidError
from pipelines.cli import completion
from pipelines.cli.output import print_text
from pipelines.design.limits import (
    COMPARISON_BLOCKS,
    MAX_RUN_NAME_CHARACTERS,
    MAX_TEXT_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    SEED,
    NumberLimits,
    check_length,
)

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library

K = TypeVar("K")
V = TypeVar("V")


def text_option(option: str, limit: int, metavar: str, about: str, **settings: Any) -> Any:  # noqa: ANN401 - as Typer has it
    """Return an option with a text of at most `limit` characters, which its help and its error say.

    Each text of an option that may be repeated has this limit.
    """

    def check_text(value: str | list[str] | None) -> str | list[str] | None:
        for text in [value] if isinstance(value, str) else value or ():
            check_length(text, limit, option)
        return value

    return typer.Option(
        option,
        metavar=metavar,
        help=f"{about} At most {limit:,} characters.",
        callback=check_text,
        **settings,
    )


# What means the same in several commands, with a help of its own in each: the names that complete it, its limits, its metavar.


def ruleset_argument(more: str = "", metavar: str = "RULESET") -> object:
    """Return the argument that names a ruleset; `more` continues its help."""
    return typer.Argument(
        metavar=metavar,
        help=f"A name from `reroll rulesets`, or a TOML file{more}.",
        autocompletion=completion.complete_rulesets,
    )


def run_option(help_text: str) -> object:
    """Return the option that names a run."""
    return typer.Option("--run", metavar="RUN", help=help_text, autocompletion=completion.complete_runs)


def strategy_option(option: str, help_text: str, metavar: str = "X") -> object:
    """Return an option that names a strategy."""
    return typer.Option(
        option, metavar=metavar, help=help_text, autocompletion=completion.complete_strategies
    )


def number_option(option: str, limits: NumberLimits, about: str, metavar: str = "N") -> object:
    """Return the option that stands for a number of a question."""
    return typer.Option(option, metavar=metavar, min=limits.minimum, max=limits.maximum, help=about)


def blocks_option(help_text: str) -> object:
    """Return the option with the number of blocks of a run; `help_text` says what a block plays."""
    return typer.Option(
        "--blocks", metavar="N", min=COMPARISON_BLOCKS.minimum, help=f"Number of blocks; {help_text}"
    )


def margin_option(of: str = "") -> object:
    """Return the option with the smallest difference that matters; `of` says for what it can be asked."""
    return typer.Option("--margin", metavar="M", help=f"Differences up to this size count as equal{of}.")


RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="Name of a run in the library, or a run file.",
        autocompletion=completion.complete_runs,
    ),
]
RunsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...", help="Names of runs, or run files.", autocompletion=completion.complete_runs
    ),
]
_GAME_OPTION = typer.Option("--game", metavar="N", min=1, help="Number of the game; the first one is 1.")
GameOption = Annotated[int, _GAME_OPTION]
OneGameOption = Annotated[int | None, _GAME_OPTION]
"""For commands that may ask about many games instead."""
DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="Data folder; by default REROLL_DATA, else data/ of the checkout, else the user's data folder.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
DetailsOption = Annotated[
    bool,
    typer.Option("--details", help="Print the details, too: the tables that a page shows below *Details*."),
]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        max=256,
        help="Number of worker processes; by default one per processor.",
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Play on a Dask cluster, such as tcp://host:8786. Its workers must see the data folder under the same path.",
    ),
]
TextOption = Annotated[
    str | None, text_option("--text", MAX_TEXT_CHARACTERS, "TEXT", "The text of the note, study or site.")
]
CodeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--code",
        metavar="FILE",
        help="Python file with strategies of your own, which are functions of `state, source`. The file is executed. "
        "Repeatable.",
    ),
]
AllowProgramsOption = Annotated[
    bool, typer.Option("--allow-programs", help="Let the run start the programs that play in it.")
]
DecisionSecondsOption = Annotated[
    float,
    typer.Option(
        "--decision-seconds",
        metavar="S",
        min=0.01,
        max=86_400,
        help="Time limit for each decision of a strategy of your own.",
    ),
]
SeedOption = Annotated[
    int | None,
    number_option("--seed", SEED, "Seed of all luck; by default a random seed, which is printed.", "S"),
]
LogOption = Annotated[
    str,
    typer.Option(
        "--log",
        metavar="full|scores|sample=F",
        help="Which plies to save: all, none, or those of a share F of the blocks.",
    ),
]
TitleOption = Annotated[
    str | None, text_option("--title", MAX_TITLE_CHARACTERS, "TEXT", "Title, shown to people.")
]
NameOption = Annotated[
    str | None,
    text_option(
        "--name",
        MAX_RUN_NAME_CHARACTERS,
        "NAME",
        "Name of the run in the library; by default the ruleset and the time.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write the run to this file, not into the library."),
]


def open_library(data: Path | None) -> "Library":
    """Return the library in a data folder, or the user's library."""
    from pipelines.runs.library import Library

    return Library(data)


def open_existing_library(data: Path | None) -> "Library":
    """Return the same for a command that only reads; say on stderr if the folder does not exist, because its name may be mistyped."""
    library = open_library(data)
    if not library.folder.exists():
        print_text(f"{library.folder} does not exist yet", err=True)
    return library


def announce_new_folder(
    library: "Library", *, target: Path | None = None, was_missing: bool | None = None, quiet: bool = False
) -> None:
    """Say on stderr that a command creates the data folder, because its name may be mistyped.

    A command that may fail before it creates the folder says so at its end, and tells whether the folder `was_missing`
    before. Nothing is created for a `target` outside the folder.
    """
    is_needed = target is None or target.is_relative_to(library.folder)
    is_new = not library.folder.exists() if was_missing is None else was_missing
    if is_needed and is_new and not quiet:
        print_text(f"new data folder: {library.folder}", err=True)


def find_ruleset(library: "Library", name: str, players: int | None = None) -> "Ruleset":
    """Return the ruleset of a name or a file; raise a GameError that says what else the name means, if anything.

    `players` chooses one of a file for several numbers of players.
    """
    from engine.errors import AmbiguousError

    try:
        return library.catalogue.find_ruleset(name, players)
    except AmbiguousError:
        raise
    except InvalidError as error:
        if library.catalogue.find_file_error(name):
            raise
        if name.endswith(".toml"):
            stem = name.removesuffix(".toml")
            if stem in library.catalogue.rulesets and not Path(name).exists():
                raise InvalidError(f"{error}; did you mean {stem}?") from None
            raise
        raise InvalidError(_explain_unknown_ruleset(library, name) or str(error)) from None


def _explain_unknown_ruleset(library: "Library", name: str) -> str:
    """Return a better message on a ruleset that does not exist than the nearest names; empty if these are better."""
    from engine import games
    from engine.strategies import built_in_strategies
    from pipelines.runs.names import is_file_name, run_path

    known = library.catalogue.rulesets
    simple = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")
    near = [
        ruleset
        for ruleset in known
        if ruleset == simple or re.fullmatch(rf"{re.escape(simple)}-\dp", ruleset)
    ]
    if near:
        return f"unknown ruleset {name!r}; did you mean {' or '.join(near)}?"
    first = next(iter(known), "RULESET")
    if any(name.partition(":")[0] in built_in_strategies(game) for game in games.registered_games()):
        return f"{name!r} is a strategy; the ruleset comes first, such as {first}. reroll rulesets lists them"
    if is_file_name(name) and run_path(library.runs_folder, name).exists():
        return f"{name!r} is a run; a ruleset is expected, such as {first}. reroll rulesets lists them"
    is_near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return "" if is_near else f"unknown ruleset {name!r}; reroll rulesets lists them, such as {first}"


def check_seat_count(option: str, ruleset: "Ruleset", seated: "Sequence[str]") -> None:
    """Raise InvalidError if the players that an option names were separated by something else than commas."""
    listed = re.split(r"[\s;|+]+", ",".join(seated).strip())
    if len(seated) < ruleset.players and len(listed) == ruleset.players:
        raise InvalidError(f"{option}: write commas between the players: {option} {','.join(listed)}")


def split_players(texts: "Sequence[str]") -> list[str]:
    """Return the players of an option that may be repeated, and has several players with commas.

    >>> split_players(["greedy,noisy:sigma=3", "random"])
    ['greedy', 'noisy:sigma=3', 'random']
    """
    from pipelines.design.lineups import split_strategies

    return [player for text in texts for player in split_strategies(text)]


def collect_settings(option: str, settings: "Iterable[tuple[K, V]]") -> "dict[K, V]":
    """Return the values of an option by their names; raise InvalidError if one name has two values.

    >>> collect_settings("--set", [("n", 1), ("m", 2)])
    {'n': 1, 'm': 2}
    """
    collected: dict[K, V] = {}
    for name, value in settings:
        if name in collected:
            raise InvalidError(f"{option} {name} is named twice")
        collected[name] = value
    return collected


def choose_run_file(
    library: "Library", name: str | None, out: Path | None, default_name: str
) -> tuple[Path, bool]:
    """Return the path of a new run, and whether another name may be found for it if a run has that name already.

    Raises InvalidError if both --name and --out are given, and for a name that is not allowed or that a run has.
    """
    from pipelines.runs.names import check_run_name, run_path
    from pipelines.runs.unfinished_run import check_name_free

    if name is not None and out is not None:
        raise InvalidError("give either --name, for a run in the library, or --out, for a file elsewhere")
    if out is not None:
        return run_file(out).absolute(), False
    if name is not None:
        check_run_name(name)
        check_name_free(library.runs_folder, name)
    return run_path(library.runs_folder, name or default_name).absolute(), name is None


def run_file(out: Path) -> Path:
    """Return the path given by --out with the suffix .duckdb, which a person may leave out.

    Raises InvalidError if the path has no name of a file.
    """
    if out.name in {"", ".."}:
        raise InvalidError(f"--out {out}: expected the name of a new file, such as {out / 'games.duckdb'}")
    return out if out.suffix == ".duckdb" else out.with_name(f"{out.name}.duckdb")
