"""A component by its name: the seven states of its search, and what the answers of tools mean."""
