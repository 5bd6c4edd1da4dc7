"""What Antiphon costs, beside the physical limit and beside others: `python -m bench`."""
