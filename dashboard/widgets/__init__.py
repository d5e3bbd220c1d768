"""Parts that several pages share: charts, tables, boards, background work, and the address of a page."""
