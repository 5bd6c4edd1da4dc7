"""One terminal without the terminal: facts in, orders out."""
