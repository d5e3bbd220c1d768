"""The command `reroll`, also `python -m reroll`: the command line, or one line if its packages are hidden."""

import sys


def main() -> None:
    """Run the command line and exit."""
    try:
        from reroll.packages import HiddenPackageError, check_packages  # noqa: PLC0415 - may be interrupted

        try:
            check_packages()
        except HiddenPackageError as error:
            sys.exit(f"reroll: {error}")
        from pipelines.__main__ import main as run_command_line  # noqa: PLC0415 - may be hidden
    except KeyboardInterrupt:
        sys.exit(130)
    run_command_line()


if __name__ == "__main__":
    main()
