"""The doors: they decode, call the service, encode."""
