"""Notes of the user: what people keep of runs, games, comparisons, what-ifs, charts and questions, to find it again."""
