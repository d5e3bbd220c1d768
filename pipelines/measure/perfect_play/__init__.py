"""Perfect play: small rulesets for two players that are solved exactly, as a yardstick for strategies.

Both players are perfect if each choice of each of them maximises the lead that it can expect at the end of the game over
all dice that may come. The lead is the difference of the scores, positive if the player is ahead.
"""
