"""`python -m pipelines` runs the command line `reroll`."""

from pipelines.cli import main

if __name__ == "__main__":
    main()
