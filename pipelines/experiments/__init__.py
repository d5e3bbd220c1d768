"""Experiments: comparisons of strategies, what-ifs, reviews of games, and the effect of a rule."""
