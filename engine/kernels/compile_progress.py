"""How far Numba is with compiling the functions of some modules, told while it is at it. It knows no screen."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    CompileProgress: TypeAlias = Callable[[int, int], None]
    """Told functions compiled, and how many there are to compile."""


@contextmanager
def report_compile_progress(package: str, progress: CompileProgress | None) -> Iterator[None]:
    """Tell, as long as this context lasts, how many compiled functions of a package's loaded modules are ready.

    Those that were compiled before do not count. Functions that are only ever inlined never come up, so the count
    jumps to its end when the context does, if no error ends it.
    """
    if progress is None:
        yield
        return
    from numba.core import event  # noqa: PLC0415 - slow to load

    tell, functions = progress, _uncompiled_functions(package)
    done: set[Any] = set()

    class Listener(event.Listener):  # type: ignore[misc]  # Numba has no types
        def on_start(self, event: Any) -> None:  # noqa: ANN401 - as above
            pass

        def on_end(self, event: Any) -> None:  # noqa: ANN401 - as above
            function = event.data["dispatcher"].py_func
            if function in functions and function not in done:
                done.add(function)
                tell(len(done), len(functions))

    progress(0, len(functions))
    with event.install_listener("numba:compile", Listener()):
        yield
    progress(len(functions), len(functions))


def _uncompiled_functions(package: str) -> set[Any]:
    """Return the Python functions that Numba has not compiled for any types yet."""
    from numba.core.dispatcher import Dispatcher  # noqa: PLC0415 - slow to load

    modules = [module for name, module in list(sys.modules.items()) if f"{name}.".startswith(f"{package}.")]
    things = [thing for module in modules for thing in vars(module).values()]
    return {thing.py_func for thing in things if isinstance(thing, Dispatcher) and not thing.overloads}
