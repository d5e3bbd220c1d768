"""Questions about scores: which results count, how they spread and what they rest on, with the SQL that reads them."""
