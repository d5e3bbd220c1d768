"""The command `reroll`, also `python -m pipelines`.

The handler of Ctrl-C is installed before the command line is imported, which takes half a second.
"""

import sys

try:
    from pipelines import interrupts
except KeyboardInterrupt:
    sys.exit(130)


def main() -> None:
    """Run the command line and exit."""
    try:
        interrupts.install_handler()
        code = _run_command_line()
    except KeyboardInterrupt:
        code = interrupts.INTERRUPTED_EXIT_CODE
    except BaseException:
        if not interrupts.is_interrupted():
            raise
        code = interrupts.INTERRUPTED_EXIT_CODE
    interrupts.exit_process(code)


def _run_command_line() -> int:
    """Run the command line and return its exit code."""
    from pipelines.cli import main as run_command_line  # noqa: PLC0415 - takes 0.3 s to import

    try:
        run_command_line()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


if __name__ == "__main__":
    main()
