"""Floor 0: what every room stands on; it knows no room."""
