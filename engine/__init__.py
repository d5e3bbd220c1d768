"""The games: rules, luck and play. Knows no storage, no screen and no process pool."""
