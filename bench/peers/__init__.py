"""The floor, Antiphon, and other ways to drive a terminal, behind the same few verbs."""
