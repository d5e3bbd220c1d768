"""The command `reroll`, also `python -m pipelines`.

The handler of Ctrl-C is installed before the command line is imported, which takes half a second.
"""

import os
import sys

try:
    from pipelines import interrupts
except KeyboardInterrupt:
    sys.exit(130)


def main() -> None:
    """Run the command line and exit."""
    try:
        open_streams()
        if sys.argv[1:2] == ["--wait"]:
            from pipelines.spare_process import wait_for_command  # noqa: PLC0415 - only jobs of the dashboard wait

            sys.argv[1:] = wait_for_command(int(sys.argv[2]), sys.argv[3])
        interrupts.install_handler()
        code = _run_command_line()
    except KeyboardInterrupt:
        code = interrupts.interrupted_exit_code()
    except BaseException:
        if not interrupts.is_interrupted():
            raise
        code = interrupts.interrupted_exit_code()
    interrupts.exit_process(code)


def open_streams() -> None:
    """Open the standard streams that are closed at `/dev/null`; let the others replace characters that their encoding lacks."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None:
            stream.reconfigure(errors="replace" if stream.isatty() else "backslashreplace")
            continue
        descriptor = os.open(
            os.devnull, os.O_RDWR
        )  # the lowest free number, which is that of the closed stream
        os.set_inheritable(descriptor, True)  # noqa: FBT003 - its only argument
        mode = "r" if name == "stdin" else "w"
        setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8", errors="backslashreplace"))


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
