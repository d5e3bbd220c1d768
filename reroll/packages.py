"""Whether Python finds the packages of Reroll: a folder of the user can have the name of one of them.

Python searches the folder of a notebook or a script first, then those of `PYTHONPATH`.
"""

import os.path
from importlib.util import find_spec

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib takes 10 ms to import


class HiddenPackageError(RuntimeError):
    """Python would import something else in the place of a package of Reroll. The message is one line."""


def check_packages() -> None:
    """Raise HiddenPackageError if a folder or a module of another project hides a package of Reroll."""
    for name in ("engine", "pipelines", "dashboard"):
        spec = find_spec(name)
        own_file = os.path.join(_FOLDER, name, "__init__.py")  # noqa: PTH118 - as above
        if spec and spec.origin and os.path.realpath(spec.origin) != os.path.realpath(own_file):
            raise HiddenPackageError(
                f"Python finds {spec.origin} where Reroll needs its own package {name}; rename it, or start Python in "
                "another folder"
            )
