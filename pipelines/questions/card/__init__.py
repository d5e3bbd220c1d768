"""The card of a ruleset: what kind of game it is, whoever plays it."""
