"""Strategies that users write in Python: in a file that they name, or in an installed package.

The strategies of a file are its public functions whose first two parameters are `state` and `source`:

    GAMES = ["bloxx"]                          # the games that they play; without this line, all games

    def careful(state, source, depth=2):
        '''The first line is the title of the strategy.'''
        return source.choice(state.actions)

The strategy has the name of the function, with `-` for `_`. All further parameters must have numbers as defaults. An
installed package provides a strategy by an entry point of the group `reroll.strategies`: the name of the entry point is
the name of the strategy, and its object is the function or a module that contains it. No such code is run before a user
names the strategy.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import pickle
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import uuid4
from warnings import warn_explicit

from engine import games
from engine.errors import InvalidError, format_error
from engine.file_limits import LOADING_TIMEOUT_SECONDS, LoadingStopped, limit_loading, read_regular_file
from engine.strategies import built_in_strategies
from engine.strategy import Parameter, Strategy, StrategyCode
from engine.wording import LABEL_KEY

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from engine.luck import Source
    from engine.state import State

ENTRY_POINT_GROUP: Final = "reroll.strategies"
"""The group of the entry points that are strategies."""
MAX_CODE_BYTES: Final = 16 << 20
"""Bytes of a file with strategies at most."""
FIRST_PARAMETERS: Final = ["state", "source"]


class Plugin(NamedTuple):
    """A user's own strategy, and the games that it plays."""

    strategy: Strategy
    games: tuple[str, ...] | None
    """None means all games."""

    def plays(self, game: str) -> bool:
        return self.games is None or game in self.games


NOTEBOOK: Final = "notebook"
"""The `file` of the code of a function that was passed to a call."""


def make_plugin(function: object) -> Plugin:
    """Return the strategy of a function of this process, such as one of a cell, with its source as far as Python knows it.

    An object that can be called like a function has the name of its class, or its attribute `__name__`; its hash counts its attributes, too, and that of a function the variables of the function around it. It plays all games. Warns
    if it draws random numbers that the seed of a run does not set. Raises InvalidError for anything else, for a function without a name,
    and for one with other parameters.
    """
    as_function = function if isinstance(function, FunctionType) else None
    kind = as_function or type(function)
    called = as_function or getattr(kind, "__call__", None)  # noqa: B004 - its code is read
    if not callable(function) or not isinstance(called, FunctionType):
        raise InvalidError(f"strategies: expected texts and functions, not {str(function)[:60]!r}")
    own_name = getattr(function, "__name__", "")
    name = (
        own_name.replace("_", "-")
        if own_name
        else re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", "-", kind.__name__).lower()
    )
    if not name.isprintable() or "<" in name:
        raise InvalidError(
            f"strategy {name}: expected a function with a name, such as `def mine(state, source)`, which returns one of state.actions"
        )
    if list(inspect.signature(function).parameters)[:2] != FIRST_PARAMETERS:
        raise InvalidError(
            f"strategy {name}: its first two arguments must be state and source: def {called.__name__}(state, source)"
        )
    source = _find_source(kind) or _find_source(called)  # Python does not know where a class of a cell stands
    compiled = called.__code__.co_code + repr(called.__code__.co_consts).encode()
    attributes = (
        inspect.getclosurevars(as_function).nonlocals if as_function else getattr(function, "__dict__", {})
    )
    sha256 = hashlib.sha256((source.encode() or compiled) + _pickle_attributes(attributes)).hexdigest()
    if any(map(_is_other_luck, attributes.values())) or _draws_other_luck(called, called.__code__, source):
        warn_explicit(
            f"strategy {name} draws random numbers that the seed does not set: this run cannot be repeated; source.choice and the "
            "like draw numbers of the run",
            UserWarning,
            called.__code__.co_filename,
            called.__code__.co_firstlineno,
        )
    return Plugin(
        _make_strategy(name, function, StrategyCode(NOTEBOOK, sha256, source=source), Path(NOTEBOOK)), None
    )


def _find_source(value: Any) -> str:  # noqa: ANN401 - a function or a class
    """Return the source of a function or a class; empty if Python does not know it."""
    try:
        return inspect.getsource(value)
    except (OSError, TypeError):
        return ""


def _pickle_attributes(attributes: Mapping[str, object]) -> bytes:
    """Return the attributes of an object as bytes, such as the weights of a model, to be compared and never loaded.

    Attributes that cannot be pickled are not known to be those of before, so they have other bytes each time.
    """
    try:
        return pickle.dumps(attributes) if attributes else b""
    except Exception:  # noqa: BLE001 - pickling runs code of the objects
        return uuid4().bytes


def _is_other_luck(value: object) -> bool:
    """Return whether a value is a generator of random numbers, a function of one, or a module of them."""
    owner = value if isinstance(value, ModuleType) else type(getattr(value, "__self__", value))
    return re.match(r"random$|numpy\.random\b", getattr(owner, "__module__", owner.__name__)) is not None


def _draws_other_luck(function: FunctionType, code: CodeType, source: str) -> bool:
    """Return whether a function names a generator of random numbers of Python or NumPy to which it gives no seed itself."""
    if {"default_rng", "RandomState", "Random", "seed"} & {*code.co_names}:
        return re.search(r"(default_rng|RandomState|Random|seed)\(\s*\)", source) is not None
    values = [function.__globals__.get(name) for name in code.co_names]
    is_numpy = any(isinstance(value, ModuleType) and value.__name__ == "numpy" for value in values)
    return (
        any(map(_is_other_luck, values))
        or (is_numpy and "random" in code.co_names)
        or any(
            _draws_other_luck(function, inner, source)
            for inner in code.co_consts
            if isinstance(inner, CodeType)
        )
    )


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal; raise InvalidError if it cannot be read."""
    try:
        return hashlib.sha256(read_regular_file(path, MAX_CODE_BYTES)).hexdigest()
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None


@lru_cache(maxsize=64)
def load_strategy_file(path: Path, expected: str) -> Mapping[str, Plugin]:
    """Run a file and return its strategies by name. `expected` is the SHA-256 of the file in hexadecimal.

    The folder of the file is added at the end of `sys.path`. Raises InvalidError if the file has another hash, cannot
    be run, or has no strategies. The message names the file, and the line if it is known.
    """
    try:
        source = read_regular_file(path, MAX_CODE_BYTES)
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None
    if hashlib.sha256(source).hexdigest() != expected:
        raise InvalidError(f"{path} has changed since it was named")
    module = ModuleType(f"reroll_code_{expected[:16]}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look up the types of their fields there
    folder = str(path.absolute().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        with limit_loading(LOADING_TIMEOUT_SECONDS):
            exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - the user named this file
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - the user's code may raise anything
        raise InvalidError(f"{find_error_place(error) or path}: {_describe_loading_error(error)}") from None
    strategies = _module_strategies(module, StrategyCode(path.name, expected))
    if not strategies:
        raise InvalidError(f"{path}: no strategies: expected a function such as `def mine(state, source)`")
    return strategies


def _describe_loading_error(error: BaseException) -> str:
    """Return in one line why code could not be loaded."""
    if isinstance(error, SystemExit):
        return (
            f"it called sys.exit({'' if error.code is None else repr(error.code)[:60]}) while it was loaded"
        )
    if isinstance(error, LoadingStopped):
        return str(error)
    return format_error(error)


def installed_strategies() -> dict[str, EntryPoint]:
    """Return the entry points of the strategies in installed packages, by name. None of their code is run."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - takes 0.03 s to import

    entries: dict[str, EntryPoint] = {}
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        if entry.name in entries and entry.value != entries[entry.name].value:
            raise InvalidError(
                f"strategy {entry.name!r} is in two installed packages: "
                f"{format_package(entries[entry.name])} and {format_package(entry)}"
            )
        entries[entry.name] = entry
    return entries


def format_package(entry: EntryPoint) -> str:
    """Return the name and version of the package that declares an entry point."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.module


@lru_cache(maxsize=64)
def load_installed_strategy(name: str) -> Plugin:
    """Import a strategy of an installed package; raise InvalidError if this fails or it is not a strategy."""
    entry = installed_strategies()[name]
    package = format_package(entry)
    try:
        with limit_loading(LOADING_TIMEOUT_SECONDS):
            loaded = entry.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - the package may raise anything
        raise InvalidError(
            f"strategy {name!r} of {package} cannot be loaded: {_describe_loading_error(error)}"
        ) from None
    module = loaded if isinstance(loaded, ModuleType) else sys.modules.get(getattr(loaded, "__module__", ""))
    path = Path(getattr(module, "__file__", None) or "")
    if module is None or not path.is_file():
        raise InvalidError(
            f"strategy {name!r} of {package}: {entry.value} is neither a function nor a module"
        )
    code = StrategyCode(name, file_sha256(path), package)
    if isinstance(loaded, FunctionType):
        return Plugin(_make_strategy(name, loaded, code, path), _declared_games(module, path))
    strategies = _module_strategies(module, code)
    if name not in strategies:
        raise InvalidError(f"strategy {name!r} of {package}: {path} has no function of that name")
    return strategies[name]


def _module_strategies(module: ModuleType, code: StrategyCode) -> dict[str, Plugin]:
    """Return the strategies among the functions that a module defines."""
    path = Path(module.__file__ or "")
    playing = _declared_games(module, path)
    plugins: dict[str, Plugin] = {}
    for name, function in vars(module).items():
        if (
            isinstance(function, FunctionType)
            and function.__module__ == module.__name__
            and not name.startswith("_")
            and list(inspect.signature(function).parameters)[:2] == FIRST_PARAMETERS
        ):
            strategy_name = name.replace("_", "-")
            plugins[strategy_name] = Plugin(_make_strategy(strategy_name, function, code, path), playing)
    return plugins


def _declared_games(module: ModuleType, path: Path) -> tuple[str, ...] | None:
    listed = getattr(module, "GAMES", None)
    if listed is None:
        return None
    if not isinstance(listed, list | tuple) or not all(isinstance(name, str) for name in listed):
        raise InvalidError(f'{path}: GAMES: expected a list of games, such as ["bloxx"], not {listed!r}')
    try:
        return tuple(games.find_game(name).name for name in listed)
    except InvalidError as error:
        raise InvalidError(f"{path}: GAMES: {error}") from None


def _make_strategy(name: str, function: Callable[..., int], code: StrategyCode, path: Path) -> Strategy:
    called = function if isinstance(function, FunctionType) else type(function).__call__
    where = f"{path} line {called.__code__.co_firstlineno}: {called.__name__}"
    for game in games.registered_games():
        if name in built_in_strategies(game) or any(name == program.name for program in game.programs):
            raise InvalidError(f"{where}: Reroll already has a strategy {name!r}; choose another name")
    parameters = list(inspect.signature(function).parameters.values())[2:]
    numbers = tuple(_make_parameter(parameter, where) for parameter in parameters)
    title = (inspect.getdoc(function) or "").partition("\n")[0] or f"From {code.package or code.file}."

    def make_decider(**settings: float) -> Callable[[State, Source], int]:
        return lambda state, source: function(state, source, **settings)

    return Strategy(name, title, make_decider, numbers, code=code)


def _make_parameter(parameter: inspect.Parameter, where: str) -> Parameter:
    default: Any = parameter.default
    has_name = parameter.kind in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}
    if parameter.name == LABEL_KEY:
        raise InvalidError(
            f"{where}: parameter {LABEL_KEY}: every strategy has it already; choose another name"
        )
    if not has_name or isinstance(default, bool) or not isinstance(default, int | float):
        raise InvalidError(f"{where}: parameter {parameter.name}: expected a number as its default")
    return Parameter(parameter.name, "", default, -math.inf, math.inf)


def find_error_place(error: BaseException) -> str | None:
    """Return the file and line of a user's own code where an error occurred, or None if it occurred elsewhere.

    This is the innermost line of that file that was running, or the line of a syntax error.
    """
    frames = traceback.extract_tb(error.__traceback__)
    called = next((number for number, frame in enumerate(frames) if frame.filename == __file__), len(frames))
    own_frames = frames[called + 1 :]
    if (
        isinstance(error, SyntaxError)
        and error.filename
        and (not own_frames or error.filename == own_frames[0].filename)
    ):
        return f"{Path(error.filename).name} line {error.lineno}"
    lines = [frame.lineno for frame in own_frames if frame.filename == own_frames[0].filename]
    path = Path(own_frames[0].filename) if own_frames else None
    return f"{path.name if path and path.exists() else 'cell'} line {lines[-1]}" if lines else None
