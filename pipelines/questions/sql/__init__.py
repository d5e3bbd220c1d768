"""Questions in SQL: the query with its parameters and runs, and the rows that answer it."""
