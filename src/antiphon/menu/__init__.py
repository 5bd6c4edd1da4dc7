"""Floor 2: a waiting screen as a menu, words as an option, an option as keys."""
