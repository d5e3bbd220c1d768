"""The experiments on games: comparisons, what-ifs, reviews, and the effect of a rule."""
