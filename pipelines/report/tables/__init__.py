"""Tables of answers, the same for pages, the terminal, studies and notebooks."""
