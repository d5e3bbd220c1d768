"""Tables of answers, which pages, the terminal, studies and notebooks print alike."""
