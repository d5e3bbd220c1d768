"""Parts that several pages use: charts, tables, boards, background work and the address of a page."""
