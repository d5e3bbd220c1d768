"""The games: rules, luck and play. Nothing in it depends on storage, a screen or a process pool."""
