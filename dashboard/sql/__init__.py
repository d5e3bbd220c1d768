"""The parts of the page SQL: example queries, and answers as tables."""
