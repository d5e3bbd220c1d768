"""`python -m pipelines` is `reroll`."""

from pipelines.cli import main

if __name__ == "__main__":
    main()
