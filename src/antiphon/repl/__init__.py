"""A session: words, programs, references and runs, as one table of states."""
