"""Games by hand: people and strategies take the seats of one game, which becomes a run.

`hand_game` is a game in progress, `kept_game` makes it a run, and `own_moves` compares its moves with those of strategies.
"""
