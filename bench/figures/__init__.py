"""One module for each figure: how it is measured, and what it is to reach."""
